# The job as Slurm sees it, and its logs. Sourced by the hook, with the
# job in $target and a folder of its own in $work.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

scontrol() {
	timeout -k 5 30 scontrol "$@" 9>&-
}

show() {
	scontrol show job "$target" >"$work/job"
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
	*\\*) printf '%s\n' "$name" ;;
	*) expand "$name" ;;
	esac
}

# as_user COMMAND...: READ_AS is a list of words
as_user() {
	# shellcheck disable=SC2086
	timeout -k 5 "$LIMIT" $READ_AS "$SLURM_JOB_USER" -- "$@" 9>&-
}

# copy FILE FOLDER: a log as its user may read it, complete
copy() {
	into=$work/$2/${1##*/}
	mkdir -p "$work/$2"
	tries=0
	until size=$(as_user stat -L -c %s -- "$1") &&
		[ "${size:-0}" -le "$COPY_MAX" ] &&
		as_user cat -- "$1" >"$into" &&
		[ "$(wc -c <"$into")" -eq "$size" ]; do
		tries=$((tries + 1))
		if [ "$tries" -ge "$SETTLE" ]; then
			rm -f "$into"
			break
		fi
		sleep 1
	done
}

# What sacct would say of it
record() {
	echo 'JobID|User|State|ExitCode|Submit|Start|End|NodeList|AllocTRES|Restarts'
	printf '%s|' "$target" "${SLURM_JOB_USER:-}" "$state" \
		"$(field ExitCode)" "$(field SubmitTime)" \
		"$(field StartTime)" "$(field EndTime)" \
		"${SLURM_JOB_NODELIST:-}" "$(field TRES)"
	echo "$restarts"
}
