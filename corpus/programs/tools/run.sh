#!/bin/bash
# run.sh PROGRAM ARGUMENT...: one step of a batch job, with what a user's
# script says before and after it
echo "=== $(hostname) step 0: $*"
"$@"
status=$?
echo "=== step 0 exit status $status"
[ $status -eq 0 ] && echo "=== uploading results"
exit $status
