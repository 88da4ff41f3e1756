# What gate.conf says, compared with what it may say (validate), and with what
# is there: jobtriage-epilogslurmctld check. Sourced by the hook.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

# one_of NAME WORD...: the setting is one of the words
one_of() {
	setting=$1
	eval "is=\${$1}"
	shift
	case " $* " in
	*" $is "*) [ -z "$is" ] || return 0 ;;
	esac
	echo "$setting='$is': expected $(echo "$*" | sed 's/ /, /g; s/\(.*\), /\1 or /')"
}

# numbers LEAST NAME...
numbers() {
	least=$1
	shift
	for setting in "$@"; do
		eval "is=\${$setting}"
		if ! number "$is" || [ "$is" -lt "$least" ]; then
			echo "$setting='$is': expected a number from $least"
		fi
	done
}

# validate: a line for each setting that is none
validate() {
	one_of SHADOW yes no
	one_of OPT_IN yes no
	one_of MAIL yes no
	one_of STOP leave special hold
	one_of UNDECIDED leave special hold retry
	one_of DEPENDENTS keep leave ignore
	one_of RECORD all failed
	one_of REASON_FIELD AdminComment Comment SystemComment Extra none
	numbers 0 MAX_RETRIES MIN_DELAY SETTLE HOLD COPY_MAX COPY_TOTAL
	numbers 1 LIMIT WORKERS MAIL_HOUR
	for is in $STATES; do
		case $is in
		FAILED | TIMEOUT | OUT_OF_MEMORY | NODE_FAIL | BOOT_FAIL | \
			DEADLINE | PREEMPTED) ;;
		*) echo "STATES: '$is' is no state that a job fails in" ;;
		esac
	done
	case $DIR in
	/*) ;;
	*) echo "DIR='$DIR': expected a whole path" ;;
	esac
}

# ---- check ----
good() {
	echo "ok: $*"
}

doubt() {
	echo "note: $*"
}

wrong() {
	wrongs=$((wrongs + 1))
	echo "ERROR: $*" >&2
}

# slurm NAME: a setting of the slurmctld that runs
slurm() {
	sed -n "s/^$1 *= *//p" "$work/config" | head -n 1
}

# A setting may depend on the job, and here is none yet.
configure_for_none() {
	for name in ID NAME USER UID ACCOUNT PARTITION NODELIST; do
		eval "SLURM_JOB_$name=\${SLURM_JOB_$name:-}"
	done
	configure
}

check_conf() {
	find_conf
	if [ ! -r "$CONF" ]; then
		wrong "cannot read $CONF"
		return 1
	fi
	sh -n "$CONF" 2>"$work/said" || {
		wrong "$CONF is not accepted: $(head -n 1 "$work/said")"
		return 1
	}
	configure_for_none
	validate >"$work/said"
	while read -r line; do
		wrong "$CONF: $line; until it is right nothing is done"
	done <"$work/said"
	[ -s "$work/said" ] || good "$CONF"
	[ "$SHADOW" = no ] ||
		doubt 'SHADOW=yes: the gate is asked, and nothing is done'
}

check_program() {
	if version=$("$JOBTRIAGE" --version 2>"$work/said"); then
		good "$(command -v "$JOBTRIAGE"): $version"
	else
		wrong "no program $JOBTRIAGE: set JOBTRIAGE to its path in $CONF"
		return
	fi
	if [ -n "$POLICY" ] && ! "$JOBTRIAGE" policy check --policy "$POLICY" \
		>"$work/said" 2>&1; then
		wrong "POLICY: $(head -n 1 "$work/said")"
	fi
	check_store
}

check_store() {
	file=${STORE#sqlite:}
	case $STORE in
	'') doubt 'STORE is empty: earlier attempts are not remembered' ;;
	postgresql:* | postgres:*) check_store_opens ;;
	*)
		if [ -e "$file" ]; then
			check_store_opens
			[ -w "$file" ] ||
				wrong "STORE: $(id -un) may not write to $file"
		elif [ -w "$(dirname "$file")" ]; then
			good "STORE: $file is going to be made"
		else
			wrong "STORE: $(id -un) may not write to $(dirname "$file")"
		fi ;;
	esac
}

check_store_opens() {
	if "$JOBTRIAGE" store info --store "$STORE" >"$work/said" 2>&1; then
		good "STORE: $STORE"
	else
		wrong "STORE: $(head -n 1 "$work/said")"
	fi
}

check_folders() {
	if mkdir -p "$DIR" 2>"$work/said" && [ -w "$DIR" ]; then
		good "DIR: $DIR"
	else
		wrong "DIR: $(id -un) may not write to $DIR"
	fi
	if [ -n "$LOG" ] && ! { : >>"$LOG"; } 2>"$work/said"; then
		wrong "LOG: $(id -un) may not write to $LOG"
	fi
	# shellcheck disable=SC2086 # words
	if [ "$MAIL" = yes ] && ! command -v ${SENDMAIL%% *} >/dev/null; then
		wrong "SENDMAIL: no program ${SENDMAIL%% *}"
	fi
}

check_slurm() {
	for tool in scontrol squeue sinfo timeout flock setsid; do
		command -v "$tool" >/dev/null ||
			wrong "no program $tool in PATH=$PATH"
	done
	if ! timeout -k 5 30 scontrol show config >"$work/config" 2>"$work/said"
	then
		wrong "slurmctld does not answer: $(head -n 1 "$work/said")"
		return
	fi
	good "slurmctld $(slurm SLURM_VERSION) of cluster $(slurm ClusterName)"
	check_hooked
	user=$(slurm SlurmUser)
	user=${user%%(*}
	[ "$user" = "$(id -un)" ] || doubt "Slurm runs the hook as $user:" \
	    "check as $user, too (runuser -u $user -- $SELF check)"
	[ "$user" = root ] || [ -n "$READ_AS" ] ||
		doubt "READ_AS is empty: $user reads only logs that all may read"
	age=$(slurm MinJobAge)
	age=${age%% *}
	if number "$age" && [ "$age" -lt 60 ]; then
		doubt "MinJobAge=$age: Slurm may have forgotten a job before" \
		    'the gate has answered; 300 is its default'
	fi
	[ "$(slurm JobRequeue)" != 0 ] ||
		doubt 'JobRequeue=0: only jobs of sbatch --requeue can be requeued'
	[ "$(slurm JobFileAppend)" != 0 ] || doubt 'JobFileAppend=0:' \
	    'a requeued job begins its log anew, unless sbatch --open-mode=append'
	limit=$(slurm PrologEpilogTimeout)
	if number "$limit" && [ "$limit" -lt "$((HOLD + LIMIT))" ]; then
		doubt "PrologEpilogTimeout=$limit: Slurm waits no longer than that" \
		    'for an answer, and dependents may be lost (DEPENDENTS)'
	fi
	check_reason
}

check_hooked() {
	hooked=$(slurm EpilogSlurmctld)
	if [ "$hooked" = '(null)' ] || [ -z "$hooked" ]; then
		wrong "slurmctld has no EpilogSlurmctld: put" \
		    "EpilogSlurmctld=$LIB/epilogslurmctld into slurm.conf and" \
		    'restart slurmctld'
	elif [ "$(readlink -f "$hooked")" = "$(readlink -f "$0")" ]; then
		good "EpilogSlurmctld=$hooked"
	else
		doubt "EpilogSlurmctld=$hooked is another program: it must run" \
		    "$LIB/epilogslurmctld"
	fi
}

check_reason() {
	case $REASON_FIELD/$(slurm SLURM_VERSION) in
	SystemComment/22.* | Extra/22.*)
		wrong "REASON_FIELD=$REASON_FIELD: this Slurm has no such field" ;;
	none/*) ;;
	*)
		[ "$(slurm AccountingStorageType)" != accounting_storage/none ] ||
			doubt 'no accounting: the reason of a job that is left' \
			    'stands in the log alone (and in a mail, with MAIL=yes)' ;;
	esac
	case $REASON_FIELD/$(slurm AccountingStoreFlags) in
	Comment/*job_comment*) ;;
	Comment/*)
		doubt 'AccountingStoreFlags without job_comment: sacct has no' \
		    'Comment' ;;
	esac
}

# check: 0 when all is well
check() {
	SELF=$0
	wrongs=0
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
	check_conf && {
		check_program
		check_folders
		check_slurm
	}
	[ "$wrongs" -gt 0 ] || {
		good 'nothing is wrong'
		return 0
	}
	echo "$wrongs wrong" >&2
	return 1
}

# ---- test ----
# given KEY: from the job's first lines, where several stand in one
given() {
	tr ' ' '\n' <"$work/job" | sed -n "s/^$1=//p" | head -n 1
}

# pretend JOB: what the hook would do if the job had ended just now. The store
# is not asked, since an answer would be kept there.
pretend() {
	case $1 in
	'' | *[!0-9_]*)
		echo 'usage: jobtriage-epilogslurmctld test JOBID[_TASK]' >&2
		exit 2 ;;
	esac
	target=$1 JOBTRIAGE_TEST=yes
	export JOBTRIAGE_TEST
	exec 8>&1
	configure_for_none
	SLURM_JOB_ID=$1
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
	show
	if [ ! -s "$work/job" ]; then
		echo "Slurm knows no job $target: $(head -n 1 "$work/said")" >&2
		exit 1
	fi
	user=$(given UserId)
	SLURM_JOB_ID=$(given JobId)
	SLURM_JOB_USER=${user%(*}
	user=${user#*(}
	SLURM_JOB_UID=${user%)}
	SLURM_ARRAY_JOB_ID=$(given ArrayJobId)
	SLURM_ARRAY_TASK_ID=$(given ArrayTaskId)
	SLURM_HET_JOB_ID=$(given HetJobId)
	SLURM_JOB_NAME=$(given JobName)
	SLURM_JOB_ACCOUNT=$(given Account)
	SLURM_JOB_PARTITION=$(given Partition)
	SLURM_JOB_NODELIST=$(given NodeList)
	SLURM_JOB_RESTART_COUNT=$(given Restarts)
	SLURM_JOB_WORK_DIR=$(rest WorkDir)
	export SLURM_JOB_ID SLURM_JOB_USER SLURM_JOB_UID SLURM_ARRAY_JOB_ID \
	    SLURM_ARRAY_TASK_ID SLURM_HET_JOB_ID SLURM_JOB_NAME \
	    SLURM_JOB_ACCOUNT SLURM_JOB_PARTITION SLURM_JOB_NODELIST \
	    SLURM_JOB_RESTART_COUNT SLURM_JOB_WORK_DIR
	export -p >"$work/env"
	"$0" decide "$work"
}
