# The policy: shown as it is in force, checked, overlaid by a site's own.
. "$TOP/tests/lib.sh"

begin 'the shipped policy has nothing to warn about'
status 0 "$JT" policy check
has out ' 0 warnings'
t test ! -s err

begin 'show: budgets, categories, rules, what only holds at times'
status 0 "$JT" policy show
has out 'retries: 3 for one cause without progress, 1 at one place, 10 of a job' \
	'time_limit_exceeded' 'checkpoint time x1.5' '120 x2 <3600' \
	'  storage_fault.enospc' 'loss_nan at_start' \
	'path_not_found with storage_fault' 'gpu_out_of_memory held_by_others'
t grep -Eq '^preempted +retry +any +- ' out
t grep -Eq '^unknown +retry +2 +proof ' out
# a verdict that only the rule gives
t grep -Eq '^  uncaught_exception.linear_algebra +undecided ' out
# each category once at least, each row in one line
for id in $("$JT" taxonomy list | awk '/^[a-z_]+ / { print $1 }'); do
	t grep -Eq "^$id( |\$)" out
done

begin 'an overlay: single budgets, rows in front, the rest as it was'
cat >site.yaml <<'Y'
budgets:
  total: none
policy:
  - category: hang
    verdict: stop
    reason: We look at hangs by hand.
  - category: network_communication
    verdict: retry
    delay_seconds: 30
    reason: Ours.
Y
status 0 "$JT" policy check --policy site.yaml
status 0 "$JT" policy show --policy site.yaml
has out '3 for one cause without progress, 1 at one place, any of a job' \
	'We look at hangs by hand.'
hasnt out 'many stalls pass'
t grep -Eq '^network_communication +retry +3 +- +30 +- +Ours' out
cp out first
status 0 "$JT" policy show --taxonomy site.yaml
t cmp out first
# later ones override
printf 'budgets: {total: 4}\n' >more.yaml
status 0 "$JT" policy show --policy site.yaml --policy more.yaml
has out '1 at one place, 4 of a job' 'We look at hangs by hand.'
status 0 "$JT" policy show --policy site.yaml -o shown
t cmp shown first

begin 'how sure an answer must be for a stop'
status 0 "$JT" policy show
has out 'a stop needs an answer of medium confidence or more'
echo "cp: cannot stat 'a.bin': No such file or directory" >low.log
status 0 "$JT" gate low.log
has out retry
for needs in low high; do
	printf 'stop_needs: %s\n' $needs >needs.yaml
	status 0 "$JT" policy show --policy needs.yaml
	has out "a stop needs an answer of $needs confidence"
done
status 0 "$JT" gate --policy needs.yaml low.log
printf 'stop_needs: low\n' >needs.yaml
status 1 "$JT" gate --policy needs.yaml low.log
# a row may say it for itself
printf 'stop_needs: high\npolicy:\n  - {category: path_not_found, verdict: stop, stop_needs: low, reason: Ours.}\n' >needs.yaml
status 1 "$JT" gate --policy needs.yaml low.log
has out '; ours'

begin 'check: warnings with their place, status 1'
cat >odd.yaml <<'Y'
policy:
  - category: hang
    verdict: retry
    reason: First.
  - category: hang
    at_start: true
    verdict: stop
    reason: Too late.
  - category: loss_nan
    verdict: adjust
    reason: How?
  - category: node_failure
    verdict: retry
    delay_seconds: 86401
    reason: In two days.
  - category: storage_fault
    verdict: retry
    backoff: 2
    reason: From what?
  - category: preempted
    verdict: retry
    retries: 0
    reason: Never.
Y
status 1 "$JT" policy check --policy odd.yaml
has out 'odd.yaml:5: policy of hang: never applies, odd.yaml:2 comes first' \
	'odd.yaml:9: policy of loss_nan: adjust, but nothing is to be changed' \
	'odd.yaml:12: policy of node_failure: a delay of over a day' \
	'odd.yaml:16: policy of storage_fault: backoff, but no delay_seconds' \
	'odd.yaml:20: policy of preempted: a verdict to try again, but 0' \
	', 5 warnings'
# a condition first leaves the other cases to the next row
cat >fine.yaml <<'Y'
policy:
  - {category: hang, at_start: true, verdict: stop, reason: A.}
  - {category: hang, seen_with: storage_fault, verdict: retry, reason: B.}
  - {category: hang, seen_with: node_failure, verdict: retry, reason: C.}
  - {category: hang, verdict: retry, reason: D.}
Y
status 0 "$JT" policy check --policy fine.yaml

# bad PLACE TEXT
bad() {
	status 2 "$JT" policy check --policy bad.yaml
	has err "bad.yaml:$1" "$2"
	t test ! -s out
}

begin 'check: errors with their place, status 2'
printf 'budgets: {total: lots}\n' >bad.yaml
bad 1:18 "'total' must be a number from 0 to 1000 or 'none'"
printf 'stop_needs: much\n' >bad.yaml
bad 1:13 "bad stop_needs 'much': must be one of low, medium, high"
printf 'stop_needs: low\nstop_needs: low\n' >bad.yaml
bad 2:1 "duplicate"
printf 'budgets: {sum: 3}\n' >bad.yaml
bad 1:11 "unknown key 'sum'"
printf 'policy:\n  - {category: hangs, verdict: stop, reason: R.}\n' >bad.yaml
bad 2:16 "no category 'hangs'"
printf 'policy:\n  - {rule: hang.x, verdict: stop, reason: R.}\n' >bad.yaml
bad 2:12 "no rule 'hang.x'"
printf 'policy:\n  - {category: hang, retries: none}\n' >bad.yaml
bad 2:31 "or 'unlimited'"
status 2 "$JT" policy check --policy missing.yaml
has err missing.yaml

begin 'usage'
status 2 "$JT" policy
has err 'expected check or show'
status 2 "$JT" policy list
status 2 "$JT" policy check show
status 2 "$JT" policy show --format json
status 4 "$JT" policy show -o /nonexistent/x

done_cases
