# What the hook does to a job: what may be changed, how it runs again or
# waits, and where its user reads why. Sourced by the hook, with the answer's
# line in $work/line.* and the job in $target.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

value() {
	[ ! -r "$work/line.$1" ] || head -n 1 "$work/line.$1"
}

# about TEXT: the reason, as people read it, with what proves it and where.
# Whatever a log says, it begins with "jobtriage: " and ends with the attempt,
# by which it is known again; since nobody may write it when a later one has
# ended, it tells that this one was requeued.
about() {
	place=$(value place)
	evidence=$(value evidence)
	said=$(printf '%s: %s: %s%s%s' "$verdict" "$(value category)" \
		"${1:-$(value reason)}" "${place:+ ($place)}" \
		"${evidence:+ | $evidence}" |
		tr -c '[:print:]' '?' | sed 's/jobtriage: /jobtriage /g
			s/; attempt/, attempt/g; s/^/jobtriage: /' | cut -c 1-500)
	printf '%s; attempt %s%s' "$said" "$attempt" "${fate:-}"
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

# beside OLD TEXT: what others have written, with TEXT in place of ours
beside() {
	OLD=$1 NEW=$2 awk '
	BEGIN {
		old = ENVIRON["OLD"]
		if (old == "(null)")
			old = ""
		while ((from = index(old, "jobtriage: ")) > 0) {
			rest = substr(old, from)
			if (!match(rest, /; attempt [0-9]+(, requeued)?/))
				break
			rest = substr(rest, RSTART + RLENGTH)
			old = substr(old, 1, from - 1)
			sub(/ \| $/, "", old)
			old = old rest
		}
		sub(/^ \| /, "", old)
		sub(/ +$/, "", old)
		print (old == "" ? "" : old " | ") ENVIRON["NEW"]
	}'
}

# note TEXT: where users look. Slurm 22.05 takes no comment for a job that has
# ended; then the accounting, where there is one, has a place for it.
note() {
	say "$1"
	[ -n "${fate:-}" ] || mail_user "$1"
	[ "$REASON_FIELD" != none ] || return 0
	update "$REASON_FIELD=$(beside "$(rest "$REASON_FIELD")" "$1")" ||
		account "$1"
}

# accounted: the job's line in the accounting, `STATE|FIELD`, or a failure
accounted() {
	timeout -k 5 30 sacct -n -X -P -j "$target" -o "State,$REASON_FIELD" \
		>"$work/accounted" || return 1
	line=$(tail -n 1 "$work/accounted")
}

# account TEXT: into the accounting, when it knows that the job has ended:
# before that it may not know the job, and the end brings the old text with it.
# sacctmgr writes capitals small and other quotes (Slurm 22.05), which is good
# enough for our text and would spoil what others have written.
account() {
	tries=0
	while accounted || return 0; do
		case $line in
		'' | PENDING* | RUNNING* | REQUEUED* | SUSPENDED* | RESIZING*) ;;
		*) break ;;
		esac
		tries=$((tries + 1))
		[ "$tries" -le "$SETTLE" ] || {
			say 'the accounting does not know its end'
			return 0
		}
		sleep 1
	done
	old=${line#*|}
	case $(beside "$old" '') in
	*[A-Z\'\"]*)
		say "not in the accounting: sacctmgr would spoil what is in its \
$REASON_FIELD"
		return 0 ;;
	esac
	timeout -k 5 30 sacctmgr -i modify job where "jobid=$target" \
	    set "$REASON_FIELD=$(beside "$old" "$1")" ||
		say 'the accounting does not take the reason'
}

# mail_user TEXT: not more than MAIL_HOUR an hour
mail_user() {
	[ "$MAIL" = yes ] || return 0
	case ${SLURM_JOB_USER:-} in
	'' | -* | *[!A-Za-z0-9._-]*) return 0 ;;
	esac
	if testing; then
		say "would mail $SLURM_JOB_USER"
		return
	fi
	mkdir -p "$DIR/mail" || return 0
	find "$DIR/mail" -type f -mmin +120 -exec rm -f {} +
	box=$DIR/mail/$SLURM_JOB_USER.$(date +%Y%m%d%H)
	(
		flock -w 5 7 || exit 0
		sent=$(grep -c . "$box")
		[ "$sent" -lt "$MAIL_HOUR" ] || exit 0
		echo "$target" >&7
		letter "$1" "$((MAIL_HOUR - sent - 1))" >"$work/letter"
		# SENDMAIL is a command with its arguments.
		# shellcheck disable=SC2086
		timeout -k 5 60 $SENDMAIL <"$work/letter" 7>&- ||
			say "no mail to $SLURM_JOB_USER: $SENDMAIL failed"
	) 7>>"$box"
}

# letter TEXT LEFT
letter() {
	[ -z "$MAIL_FROM" ] || echo "From: $MAIL_FROM"
	echo "To: $SLURM_JOB_USER${MAIL_DOMAIN:+@$MAIL_DOMAIN}"
	echo "Subject: Job $target: $verdict, $(value category)"
	echo 'Auto-Submitted: auto-generated'
	printf 'Content-Type: text/plain; charset=us-ascii\n\n'
	{
		echo "$1"
		echo
		echo "Job:  $target ${SLURM_JOB_NAME:-}"
		echo "Logs: $(log_name STDOUT StdOut)"
		echo 'More: jobtriage explain LOG'
		[ "$2" -gt 0 ] ||
			echo 'No more mails of this kind go to you this hour.'
	} | tr -c '[:print:]\n' '?'
}

# start_later: without a time of our own Slurm waits for two minutes and more,
# and one that is over when Slurm goes on counts for none: so it goes on first
start_later() {
	go_on
	update "StartTime=now+$delay"
}

again() {
	scontrol requeue "$target" || leave 'Slurm does not requeue it'
	fate=', requeued'
	remember requeued
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
	fate=', requeued'
	remember requeued
	rearm
	done_so_far=$(tr '\n' ' ' <"$work/changes")
	note "$(about "${reason:-$(value reason)} [${done_so_far% }]")"
	while read -r change; do
		update "$change" && continue
		fate=''
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
		remember requeued
		rearm
		note "$(about "$reason")" ;;
	*) note "$(about "$reason")" ;;
	esac
}
