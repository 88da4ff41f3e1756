# What the hook does to a job: what may be changed, how it runs again or
# waits, and where its user reads why. Sourced by the hook, with the answer's
# line in $work/line.* and the job in $target.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

value() {
	[ ! -r "$work/line.$1" ] || head -n 1 "$work/line.$1"
}

# about TEXT: the reason, as people read it
about() {
	printf 'jobtriage: %s: %s: %s; attempt %s' "$verdict" \
		"$(value category)" "${1:-$(value reason)}" "$attempt" |
		tr -c '[:print:]' '?' | cut -c 1-500
}

# ---- what may be changed ----
grows() {
	number "$1" && number "$2" && [ "$1" -gt 0 ] && [ "$2" -gt "$1" ]
}

# Each of these sets `change` to what scontrol is given, or fails with
# `reason`: then the job cannot be changed as it would have to be.
change_nodes() {
	excluded=''
	for node in $(value exclude | tr ',' ' '); do
		for name in "$node" "${node%%.*}"; do
			printf '%s\n' "$nodes" | grep -qxF -- "$name" || continue
			excluded=$excluded,$name
			break
		done
	done
	[ -n "$excluded" ] || return 0
	old=$(field ExcNodeList)
	[ "$old" = '(null)' ] || excluded=,$old$excluded
	excluded=${excluded#,}
	scontrol show hostnames "$excluded" >"$work/excluded" || return 1
	timeout -k 5 30 sinfo -h -N -o %N -p "$SLURM_JOB_PARTITION" |
		grep -vxF -f "$work/excluded" | sort -u >"$work/other"
	# Nodes that the user has asked for by name cannot be replaced.
	required=$(field ReqNodeList)
	[ "$required" = '(null)' ] || required=$(scontrol show hostnames "$required")
	count=$(field NumNodes)
	reason="it needs another node than $excluded, and there is none"
	number "${count%%-*}" || return 1
	! printf '%s\n' "$required" | grep -qxF -f "$work/excluded" || return 1
	[ "$(wc -l <"$work/other")" -ge "${count%%-*}" ] || return 1
	change="ExcNodeList=$excluded" reason=''
}

# Megabytes of "1.5G"
megabytes() {
	echo "$1" | awk '
	/^[0-9.]+[KMGT]?$/ {
		unit = substr($1, length($1))
		by["K"] = 1 / 1024
		by["G"] = 1024
		by["T"] = 1048576
		printf "%.0f\n", $1 * (unit in by ? by[unit] : 1)
	}'
}

# A request per CPU is compared with a node by the CPUs of the job on it.
change_memory() {
	factor "$(value memory_factor)" || return 0
	key=MinMemoryNode cpus=1
	now=$(megabytes "$(field $key)")
	if [ -z "$now" ]; then
		key=MinMemoryCPU
		now=$(megabytes "$(field $key)")
		cpus=$(field NumCPUs)/$(field NumNodes)
	fi
	largest=$(timeout -k 5 30 sinfo -h -e -o %m \
	    -p "$SLURM_JOB_PARTITION" | tr -d + | sort -n | tail -n 1)
	more=$(echo "${now:-0} $(value memory_factor) ${largest:-0} $cpus" |
		awk '{
			split($4 "/1", cpus, "/")
			most = int($3 / (cpus[1] / cpus[2]))
			want = int($1 * $2 + 0.999)
			print want < most ? want : most
		}')
	reason="it needs more memory than $(field $key), and no node has it"
	grows "$now" "$more" || return 1
	change="$key=$more" reason=''
}

# Minutes of "2-12:30:00"
minutes() {
	echo "$1" | awk -F '[-:]' '
	/^[0-9]+-[0-9]+:[0-9]+:[0-9]+$/ {
		print (($1 * 24 + $2) * 60) + $3 + ($4 > 0)
	}
	/^[0-9]+:[0-9]+:[0-9]+$/ { print $1 * 60 + $2 + ($3 > 0) }
	/^UNLIMITED$/ { print 525600 * 10 }'
}

change_time() {
	factor "$(value time_factor)" || return 0
	now=$(minutes "$(field TimeLimit)")
	most=$(scontrol show partition "$SLURM_JOB_PARTITION" |
		sed -n 's/^.* MaxTime=\([^ ]*\).*/\1/p' | head -n 1)
	more=$(echo "${now:-0} $(value time_factor) $(minutes "$most")" |
		awk '{
			want = int($1 * $2 + 0.999)
			print want < $3 ? want : $3 + 0
		}')
	reason="it needs more time than $(field TimeLimit), and the partition"
	reason="$reason $SLURM_JOB_PARTITION gives no more"
	grows "$now" "$more" || return 1
	change="TimeLimit=$more" reason=''
}

# changes: one scontrol argument a line
changes() {
	: >"$work/changes"
	for what in nodes memory time; do
		change=''
		"change_$what" || return 1
		[ -z "$change" ] || echo "$change" >>"$work/changes"
	done
}

# ---- what is done ----
update() {
	scontrol update "JobId=$target" "$@"
}

# note TEXT: where users look. Slurm 22.05 takes no comment for a job that has
# ended; then the accounting, where there is one, has a place for it.
note() {
	say "$1"
	update "AdminComment=$1" ||
		timeout -k 5 30 sacctmgr -i modify job where \
		    "jobid=$target" set "AdminComment=$1"
}

# start_later: without a time of our own Slurm waits for two minutes and more,
# and one that is over when Slurm goes on counts for none: so it goes on first
start_later() {
	go_on
	update "StartTime=now+$delay"
}

again() {
	scontrol requeue "$target" || leave 'Slurm does not requeue it'
	rearm
	note "$(about "$reason")"
	start_later
}

# Held while it is changed, so that it never starts half changed. A change
# that Slurm refuses leaves it held, for a person to look at.
again_changed() {
	[ -s "$work/changes" ] || {
		again
		return
	}
	scontrol requeuehold "$target" || leave 'Slurm does not requeue it'
	rearm
	done_so_far=$(tr '\n' ' ' <"$work/changes")
	note "$(about "${reason:-$(value reason)} [${done_so_far% }]")"
	while read -r change; do
		update "$change" && continue
		note "$(about "Slurm refuses $change; the job is held")"
		return
	done <"$work/changes"
	start_later
	scontrol release "$target"
}

# act WORD: one of leave, retry, adjust, hold, special
act() {
	case $1 in
	retry) again ;;
	adjust) again_changed ;;
	hold | special)
		if [ "$1" = hold ]; then
			scontrol requeuehold "$target"
		else
			scontrol requeuehold State=SpecialExit "$target"
		fi || leave 'Slurm does not hold it'
		rearm
		note "$(about "$reason")" ;;
	*) note "$(about "$reason")" ;;
	esac
}
