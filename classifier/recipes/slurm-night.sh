#!/bin/sh
#SBATCH --job-name=jobtriage
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH --time=08:00:00
#SBATCH --requeue
#SBATCH --comment=jobtriage=off
#
# A cluster that scans itself: a job array reads the logs in parts into one
# store, and a job after it makes the report. Run it, do not sbatch it:
#
#	LOGS=/shared/logs STORE=postgresql://db/jobtriage sh slurm-night.sh
#
#   LOGS     the tree, the same path on all nodes
#   STORE    the store, which the array's user may write to (jobtriage_writer)
#   OUT      where the records and the report go (default: here)
#   PARTS    how many tasks (default: 16)
#   SINCE, UNTIL  the period, UNTIL not included (default: yesterday)
#   RECORDS  job records; made by sacct unless it is there; empty: none
#   TIMEZONE      of times that name none (default: UTC)
#   JOBTRIAGE     the program (default: jobtriage)
#
# A part that was killed runs again by itself where Slurm requeues it; any other
# time by `PARTS=16 LOGS=... STORE=... sbatch --array=7 slurm-night.sh scan`,
# with the records of the others. What was read before is not read again.
set -eu
: "${LOGS:?is missing}" "${STORE:?is missing}"
: "${OUT:=$PWD}" "${PARTS:=16}" "${TIMEZONE:=UTC}" "${JOBTRIAGE:=jobtriage}"
: "${SINCE:=$(date -d yesterday +%Y-%m-%d)}" "${UNTIL:=$(date +%Y-%m-%d)}"
: "${RECORDS=$OUT/sacct-$SINCE.txt}"
export LOGS STORE OUT PARTS TIMEZONE JOBTRIAGE SINCE UNTIL RECORDS

case ${1:-submit} in
submit)
	# Once, before any part: all of them must have the same records.
	if [ -n "$RECORDS" ] && [ ! -e "$RECORDS" ]; then
		SLURM_TIME_FORMAT=%s sacct -a -D --parsable2 -S "$SINCE" \
		    -E "$UNTIL" -o ALL >"$RECORDS.part"
		mv "$RECORDS.part" "$RECORDS"
	fi
	scan=$(sbatch --parsable --array="1-$PARTS" "$0" scan)
	report=$(sbatch --parsable --dependency="afterok:${scan%%;*}" "$0" report)
	echo "scan ${scan%%;*}, report ${report%%;*}"
	;;
scan)
	set -- scan -q --store "$STORE" --timezone "$TIMEZONE" \
	    --threads "${SLURM_CPUS_PER_TASK:-1}" \
	    --shard "$SLURM_ARRAY_TASK_ID/$PARTS"
	[ -z "$RECORDS" ] || set -- "$@" --jobs "$RECORDS"
	# 3: some log is damaged, which another attempt does not mend
	"$JOBTRIAGE" "$@" -- "$LOGS" || [ $? -eq 3 ]
	;;
report)
	exec "$JOBTRIAGE" report --store "$STORE" --timezone "$TIMEZONE" \
	    --since "$SINCE" --until "$UNTIL" -f html -o "$OUT/$SINCE.html"
	;;
esac
