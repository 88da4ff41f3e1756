#!/bin/bash
# launches.sh STAGE...: what a week of resubmitting leaves in one log
n=0 status=0
for stage in "$@"; do
	n=$((n + 1))
	echo "########## launch $n on $(hostname), $stage ##########"
	python3 train.py --stage "$stage"
	status=$?
	echo "########## launch $n ended with status $status ##########"
	echo
done
exit $status
