# The job as Slurm sees it, and its logs. Sourced by the hook, with the
# job in $target and a folder of its own in $work.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

scontrol() {
	if testing && [ "$1" != show ]; then
		say "would run: scontrol $*"
		return
	fi
	timeout -k 5 30 scontrol "$@"
}

# show: what Slurm knows of the job, into $work/job; nothing when it is
# forgotten, which scontrol may say on its output. 1: no answer, which may still
# come. Of a number that is also an array's or a heterogeneous job's all are
# shown.
show() {
	scontrol show job "$SLURM_JOB_ID" >"$work/shown" 2>"$work/said"
	awk -v RS= -v id="JobId=$SLURM_JOB_ID " 'index($0, id) == 1' \
		"$work/shown" >"$work/job"
	[ -s "$work/job" ] || grep -q '^JobId=' "$work/shown" ||
		grep -qi 'not found\|invalid job id' "$work/shown" "$work/said"
}

# field KEY: its value, when one line has it. A user may write KEY=... into
# the job's name or comment; then there are two, and neither is taken.
field() {
	awk -v key="$1=" '
	/^   / {
		for (i = 1; i <= NF; i++)
			if (index($i, key) == 1) {
				n++
				value = substr($i, length(key) + 1)
			}
	}
	END {
		if (n == 1)
			print value
	}' "$work/job"
}

# rest KEY: all of a line that begins with KEY=
rest() {
	sed -n "s/^   $1=//p" "$work/job" | head -n 1
}

# ---- its logs ----
# expand NAME: a file name with sbatch's patterns
expand() {
	NAME=$1 NODE=${nodes%%
*} NUMBERED=$target awk '
	BEGIN {
		name = ENVIRON["NAME"]
		split(ENVIRON["NUMBERED"], array, "_")
		value["j"] = value["J"] = ENVIRON["SLURM_JOB_ID"]
		value["A"] = array[1]
		value["a"] = array[2] == "" ? "4294967294" : array[2]
		value["n"] = value["t"] = 0
		value["s"] = "batch"
		value["N"] = ENVIRON["NODE"]
		value["u"] = ENVIRON["SLURM_JOB_USER"]
		value["x"] = ENVIRON["SLURM_JOB_NAME"]
		value["%"] = "%"
		while (match(name, /%[0-9]*[AJNajnstux%]/)) {
			key = substr(name, RSTART + RLENGTH - 1, 1)
			width = substr(name, RSTART + 1, RLENGTH - 2) + 0
			text = value[key]
			if (width > 0 && width <= 10 && text ~ /^[0-9]+$/)
				text = sprintf("%0" width "d", text)
			out = out substr(name, 1, RSTART - 1) text
			name = substr(name, RSTART + RLENGTH)
		}
		print out name
	}'
}

# log_name STDOUT|STDERR StdOut|StdErr: from the environment as it was given,
# or from scontrol, which may have expanded some of it
log_name() {
	eval "name=\${SLURM_JOB_$1:-}"
	[ -n "$name" ] || name=$(rest "$2")
	case $name in
	'') return ;;
	/*) ;;
	*) name=${SLURM_JOB_WORK_DIR:-$(rest WorkDir)}/$name ;;
	esac
	case $name in
	*\\*) ;;
	*) name=$(expand "$name") ;;
	esac
	# without "..": a copy of it lies under another folder
	realpath -m -s -- "$name"
}

# as_user COMMAND...: READ_AS is a list of words
as_user() {
	# shellcheck disable=SC2086
	timeout -k 5 "$LIMIT" $READ_AS "$SLURM_JOB_USER" -- "$@"
}

# room BYTES: whether the copies of all workers may take so much more
room() {
	! testing || return 0
	(
		flock -w "$LIMIT" 8 || exit 1
		echo "$1" >>"$entry/bytes"
		find "$DIR/slots" -name bytes -exec cat {} + |
			awk -v most="$COPY_TOTAL" '
				{ n += $1 }
				END { exit n > most }' && exit 0
		sed -i '$d' "$entry/bytes"
		exit 1
	) 8>"$DIR/locks/copies"
}

# copy FILE: a log as its user may read it, complete, under $root
copy() {
	into=$root$1
	mkdir -p "${into%/*}"
	tries=0
	until size=$(as_user stat -L -c %s -- "$1") &&
		[ "${size:-0}" -le "$COPY_MAX" ] && room "$size" &&
		as_user cat -- "$1" >"$into" &&
		[ "$(wc -c <"$into")" -eq "$size" ]; do
		tries=$((tries + 1))
		if [ "$tries" -ge "$SETTLE" ]; then
			rm -f "$into"
			[ -z "$size" ] ||
				say "not copied: $1 ($size bytes)"
			break
		fi
		sleep 1
	done
}

# started: whether it has been on a node
started() {
	[ -n "${SLURM_JOB_NODELIST:-}" ] || return 1
	case $(field StartTime) in
	Unknown | None) return 1 ;;
	esac
}

# What sacct would say of it
record() {
	name=$(printf %s "${SLURM_JOB_NAME:-}" | tr -c '[:print:]' ' ')
	echo 'JobID|JobIDRaw|User|Account|Partition|State|ExitCode|Submit|'\
'Start|End|NodeList|AllocTRES|Restarts|JobName'
	printf '%s|' "$target" "$SLURM_JOB_ID" "${SLURM_JOB_USER:-}" \
		"${SLURM_JOB_ACCOUNT:-}" "${SLURM_JOB_PARTITION:-}" "$state"
	if [ "$state" = REQUEUED ]; then
		# what Slurm tells is of the next attempt
		printf '%s|' "${SLURM_JOB_EXIT_CODE2:-}" \
			"$(field SubmitTime)" '' '' \
			"${SLURM_JOB_NODELIST:-}" ''
	else
		printf '%s|' "$(field ExitCode)" "$(field SubmitTime)" \
			"$(field StartTime)" "$(field EndTime)" \
			"${SLURM_JOB_NODELIST:-}" "$(field TRES)"
	fi
	printf '%s|%s\n' "$restarts" "$name"
}
