# Jobs that depend on the one that has failed. Slurm looks at dependencies when
# a job leaves the state COMPLETING, which it does not while its
# EpilogSlurmctld runs: so a requeue before that leaves them waiting, whatever
# they wait for. Afterwards afterok is DependencyNeverSatisfied for ever (and
# with --kill-on-invalid-dep cancelled), and afternotok and afterany run.
# Sourced by the hook, with the job in $target.
# shellcheck shell=sh
# shellcheck disable=SC2154 # of the hook and of epilog_conf.sh

# let_go: Slurm need not wait any longer. Who started this waits until
# descriptor 8 is closed, at the latest by the end of this script.
let_go() {
	waits=no
	exec 8>&-
}
waits=yes

# kept: whether Slurm waited when the job was shown: then it has all ended for
# it but the hook, and no word for its end is there but the reason
kept() {
	[ "$(field JobState)" = COMPLETING ] && has_no_node
}

has_no_node() {
	case $(field NodeList) in
	'' | '(null)') return 0 ;;
	esac
	return 1
}

# job_state: the state that it has, or has once Slurm is let go
job_state() {
	if kept; then
		case $(field Reason) in
		NonZeroExitCode | JobLaunchFailure) echo FAILED ;;
		TimeLimit) echo TIMEOUT ;;
		OutOfMemory) echo OUT_OF_MEMORY ;;
		NodeDown) echo NODE_FAIL ;;
		*) echo COMPLETING ;;
		esac
	else
		field JobState
	fi
}

# dependents: a line each of what is given to scontrol, and the dependency
dependents() {
	timeout -k 5 30 squeue -h -t PD -o '%i|%F|%E' |
		JOB=${target%_*} TASK=${target#"${target%_*}"} awk -F '|' '
	BEGIN {
		job = ENVIRON["JOB"]
		task = substr(ENVIRON["TASK"], 2)
		number = task == "" ? job : job "_(" task "|[*])"
	}
	match($3, "^(.*[,?])?after[a-z]*:" number "[+(]") {
		print (index($1, "[") ? $2 : $1) "|" $3
	}' | sort -u
}

# rearmed TASKS: the dependency on standard input as it was asked for. Of an
# array that had a failed task Slurm never says again that all went well, so
# that it is named task by task: TASKS, "_1:4711_2", or none when all have.
rearmed() {
	ARRAY=${target%_*} TASKS=$1 awk '
	{
		gsub(/\([a-z]*\)/, "")
		array = ENVIRON["ARRAY"]
		tasks = ENVIRON["TASKS"]
		if (tasks == "none") {
			all = "afterok:" array "_[*]"
			if (match($0, all) && /[?]/)
				$0 = ""
			sub(all ",?", "")
			sub(/,$/, "")
		} else if (tasks != "") {
			sub("afterok:" array "_[*]", "afterok:" tasks)
			if ($0 == "afternotok:" array "_*") {
				gsub(":", "?afternotok:", tasks)
				$0 = "afternotok:" tasks
			}
		}
		gsub(/_[*]/, "")
		print
	}'
}

# remember failed|requeued|well: what has become of a task of an array, for its
# other tasks: Slurm forgets that it failed. When one has been requeued, each
# that ends well rearms what was submitted since then.
remember() {
	[ "$target" != "${target%_*}" ] && ! testing &&
		[ "$DEPENDENTS/$SHADOW" = keep/no ] || return 0
	tasks_of=$DIR/arrays/${target%_*}
	[ "$1" = well ] || mkdir -p "$tasks_of" || return 0
	case $1 in
	failed) : >"$tasks_of/failed.${target##*_}" ;;
	requeued) : >"$tasks_of/requeued" ;;
	esac
	[ "$1" = failed ] || rm -f "$tasks_of/failed.${target##*_}"
	[ "$1" != well ] || [ ! -e "$tasks_of/requeued" ] || rearm
}

# failed_for_good: whether a task of the array has
failed_for_good() {
	[ "$target" != "${target%_*}" ] || return 1
	# shellcheck disable=SC2010 # names of its own
	ls "$DIR/arrays/${target%_*}" | grep -q '^failed'
}

# rearm: after a requeue; what waits for the job waits for its next end
rearm() {
	[ "$DEPENDENTS" = keep ] || return 0
	tasks=''
	if [ "$target" != "${target%_*}" ]; then
		tasks=$(timeout -k 5 30 squeue -h -r -t all -j "${target%_*}" \
		    -o '%F_%K %T' |
			awk '$2 != "COMPLETED" { printf ":%s", $1 }')
		tasks=${tasks#:}
		tasks=${tasks:-none}
	elif kept; then
		return 0
	fi
	dependents >"$work/dependents"
	while IFS='|' read -r who on; do
		case $on in
		*":${target%_*}_"[*]*) ! failed_for_good || continue ;;
		esac
		case $on in
		*"(failed)"* | *"ok:${target%_*}_"[*]*) ;;
		*) continue ;;
		esac
		again=$(echo "$on" | rearmed "$tasks")
		if scontrol update "JobId=$who" "Dependency=$again"; then
			say "job $who waits for $again"
		else
			say "job $who depends on it: Slurm refuses $again"
		fi
	done <"$work/dependents"
}

# held_back: whether jobs that depend on it forbid a requeue
held_back() {
	[ "$DEPENDENTS" = leave ] || return 1
	dependents >"$work/dependents"
	[ -s "$work/dependents" ] || return 1
	reason="$(value reason) [not requeued, since jobs depend on it:"
	reason="$reason $(cut -d '|' -f 1 "$work/dependents" | head -n 5 |
		tr '\n' ' ' | sed 's/ $//')]"
}
