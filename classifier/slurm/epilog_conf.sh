# What the hook is told: the defaults of gate.conf, which tells what each
# means, and the words that all of it needs. Sourced by the hook.
# shellcheck shell=sh
# shellcheck disable=SC2034 # the settings are for those who source it
JOBTRIAGE='' DIR=/var/lib/jobtriage STORE='' SPOOL='' POLICY='' LOG=''
PARTITIONS='' USERS='' OPT_IN=no STATES='FAILED TIMEOUT OUT_OF_MEMORY NODE_FAIL'
STOP=leave UNDECIDED=leave SHADOW=yes MAX_RETRIES=10 MIN_DELAY=10
SETTLE=10 LIMIT=60 WORKERS=8 READ_AS='' COPY_MAX=1000000000
COPY_TOTAL=4000000000 RECORD=all METRICS=''
DEPENDENTS=keep HOLD=120 REASON_FIELD=AdminComment
MAIL=no MAIL_HOUR=5 MAIL_DOMAIN='' MAIL_FROM='' SENDMAIL='/usr/sbin/sendmail -t -oi'

# say TEXT: into the log. It may hold what a user has written.
say() {
	said=$(printf 'job %s: %s' "${target:-$SLURM_JOB_ID}" "$1" |
		tr -c '[:print:]' '?')
	if testing; then
		printf '%s\n' "$said" >&8
	elif [ -n "$LOG" ]; then
		printf '%s %s\n' "$(date +%FT%T%z)" "$said" >>"$LOG"
	else
		logger -t jobtriage -- "$said"
	fi
}

# testing: jobtriage-epilogslurmctld test; what would be done is told
testing() {
	[ "${JOBTRIAGE_TEST:-no}" = yes ]
}

leave() {
	say "$1"
	exit 0
}

find_conf() {
	CONF=${JOBTRIAGE_GATE_CONF:-/etc/jobtriage/gate.conf}
}

# The site's settings, with the job's variables
configure() {
	find_conf
	sh -n "$CONF" || leave "cannot read $CONF"
	# shellcheck source=gate.conf disable=SC1091
	. "$CONF"
	[ -z "$JOBTRIAGE" ] || return 0
	# Both are installed below one prefix.
	JOBTRIAGE=${LIB%/libexec/jobtriage}/bin/jobtriage
	[ -x "$JOBTRIAGE" ] || JOBTRIAGE=jobtriage
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

# count WHAT: one more in the file of metrics, for Prometheus. Its numbers have
# one width, so that it is written over in place: that takes no room on a disk
# that is full.
count() {
	[ -n "$METRICS" ] || return 0
	(
		flock -w 5 7 || exit 0
		chmod 644 "$METRICS"
		now=$(WHAT=$1 awk -v now="$(date +%s)" '
		BEGIN {
			all = "adjust forgotten none recorded retry shadow " \
			    "stop unanswered undecided"
			jobs = "jobtriage_hook_jobs_total"
			lost = "jobtriage_hook_not_kept_total"
			last = "jobtriage_hook_not_kept_last_seconds"
		}
		!/^#/ { n[$1] = $2 + 0 }
		END {
			if (ENVIRON["WHAT"] == "not_kept") {
				n[lost]++
				n[last] = now
			} else {
				n[jobs "{result=\"" ENVIRON["WHAT"] "\"}"]++
			}
			print "# HELP", jobs, "Jobs that ended, by what became of them."
			print "# TYPE", jobs, "counter"
			m = split(all, result)
			for (i = 1; i <= m; i++) {
				key = jobs "{result=\"" result[i] "\"}"
				printf "%s %012d\n", key, n[key]
			}
			print "# HELP", lost, "Attempts that the store did not take."
			print "# TYPE", lost, "counter"
			printf "%s %012d\n", lost, n[lost]
			print "# HELP", last, "When that was last, or 0."
			print "# TYPE", last, "gauge"
			printf "%s %012d\n", last, n[last]
		}' "$METRICS")
		[ -z "$now" ] || printf '%s\n' "$now" 1<>"$METRICS"
	) 7<>"$METRICS"
}
