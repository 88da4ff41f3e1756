# The queue of jobs that have ended: a folder for each, with what slurmctld gave
# the hook (env) and what Slurm knew of the job (job). Sourced by the hook.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

# enqueue: the job into the queue, when the nodes are done with it; at once,
# since Slurm forgets it MinJobAge seconds later
enqueue() {
	mkdir -p "$DIR/locks" "$DIR/queue" "$DIR/slots" "$DIR/held" &&
		work=$(mktemp -d "$DIR/new.XXXXXX") ||
		leave "cannot write to $DIR, so that it is not asked about"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	export -p >"$work/env" ||
		leave "cannot write to $DIR, so that it is not asked about"
	tries=0 unheard=0
	until show && [ "$(job_state)" != COMPLETING ]; do
		[ -s "$work/job" ] || unheard=$((unheard + 1))
		[ "$unheard" -le 20 ] || leave 'Slurm does not answer about it'
		# No failure, or one that has no word yet.
		if [ "$(field Reason)" = None ] || has_no_node; then
			let_go
		fi
		tries=$((tries + 1))
		[ "$tries" -le 300 ] || leave 'Slurm does not say that it has ended'
		# The epilogs of the nodes may take their time.
		if [ "$tries" -le 10 ]; then
			sleep 0.2
		else
			sleep 1
		fi
	done
	# What has ended well or is forgotten has nothing to wait for, and of
	# very many not all can be waited for.
	kept || let_go
	[ "$(ls "$DIR/held" | wc -l)" -lt $((WORKERS * 16)) ] || let_go
	name=$(date +%s.%N).$SLURM_JOB_ID
	held=$DIR/held/$name
	[ "$waits" = no ] || : >"$held"
	echo "$name" >"$work/name"
	mv -T "$work" "$DIR/queue/$name" ||
		leave "cannot write to $DIR, so that it is not asked about"
	trap - EXIT
}

# wait_decided: as long as Slurm waits, and until the job is decided
wait_decided() {
	[ "$waits" != no ] || return 0
	tries=0
	while [ -e "$held" ] && [ "$tries" -lt $((HOLD * 5)) ]; do
		tries=$((tries + 1))
		sleep 0.2
	done
	rm -f "$held"
}

# go_on: what waits for the decision need not any longer; until Slurm has put
# the job where it belongs
go_on() {
	rm -f "$DIR/held/$(cat "$entry/name")"
	tries=0
	until show && [ "$(field JobState)" != COMPLETING ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || break
		sleep 0.1
	done
}

# slot: be one of WORKERS, if there are fewer; its folder in $slot
slot() {
	n=0
	while [ "$n" -lt "$WORKERS" ]; do
		slot=$DIR/slots/$n
		command exec 9>"$DIR/locks/$n" && flock -n 9 && return 0
		n=$((n + 1))
	done
	return 1
}

# drain: decide about the jobs in the queue until it is empty. Who puts one
# there and finds no slot leaves it to those who have one: they look again when
# they have given theirs back.
drain() {
	# What workers that were killed left
	find "$DIR" -mindepth 1 -maxdepth 2 -mmin +60 \( -path '*/held/*' -o \
	    -name 'new.*' \) -exec rm -rf {} +
	find "$DIR/arrays" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
	while [ -n "$(ls "$DIR/queue")" ] && slot; do
		[ ! -e "$slot" ] || take
		# shellcheck disable=SC2012 # the names are the queue's own
		for entry in $(ls "$DIR/queue"); do
			mv -T "$DIR/queue/$entry" "$slot" || continue
			take
			rm -f "$DIR/held/$entry"
		done
		command exec 9>&-
	done
}

take() {
	env -i PATH="$PATH" LC_ALL=C "$SELF" decide "$slot" 9>&-
	rm -rf "$slot"
}
