# What the hook is told: the defaults of gate.conf, which tells what each
# means, and the words that all of it needs. Sourced by the hook.
# shellcheck shell=sh
# shellcheck disable=SC2034 # the settings are for those who source it
CONF=${JOBTRIAGE_GATE_CONF:-/etc/jobtriage/gate.conf}
JOBTRIAGE=jobtriage DIR=/var/lib/jobtriage STORE='' SPOOL='' POLICY='' LOG=''
PARTITIONS='' USERS='' OPT_IN=no STATES='FAILED TIMEOUT OUT_OF_MEMORY NODE_FAIL'
STOP=leave UNDECIDED=leave SHADOW=yes MAX_RETRIES=10 MIN_DELAY=10
SETTLE=10 LIMIT=60 WORKERS=8 READ_AS='' COPY_MAX=1000000000
DEPENDENTS=keep HOLD=120

# say TEXT: into the log. It may hold what a user has written.
say() {
	said=$(printf 'job %s: %s' "${target:-$SLURM_JOB_ID}" "$1" |
		tr -c '[:print:]' '?')
	if [ -n "$LOG" ]; then
		printf '%s %s\n' "$(date +%FT%T%z)" "$said" >>"$LOG"
	else
		logger -t jobtriage -- "$said"
	fi
}

leave() {
	say "$1"
	exit 0
}

number() {
	case $1 in
	'' | *[!0-9]* | ???????????*) return 1 ;;
	esac
}

factor() {
	case $1 in
	'' | . | *[!0-9.]* | *.*.* | ?????????*) return 1 ;;
	esac
}

# listed WORD LIST: an empty list holds every word
listed() {
	[ -n "$2" ] || return 0
	case " $2 " in
	*" $1 "*) return 0 ;;
	esac
	return 1
}
