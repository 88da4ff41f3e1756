# scan --shard: each job and each record falls to one part, whoever scans the
# others, and what the parts put into a store is what one scan of it all puts
# there.
. "$TOP/tests/lib.sh"

"$PYTHON" "$TOP/tests/cli/shard_tree.py" . 420 || exit 1
made=$(date +%s)
zone='--timezone UTC'
# parts N [OPTION...]: each to part.I
parts() {
	n=$1
	shift
	rm -f part.*
	for i in $(seq "$n"); do
		# shellcheck disable=SC2086 # options
		"$JT" scan $zone -f jsonl --shard "$i/$n" -o "part.$i" "$@" \
			2>>err || why="${why:-part $i: $(cat err)}"
	done
}

begin 'the parts together are the whole, each job once'
for records in '' '--jobs sacct.txt'; do
	# shellcheck disable=SC2086
	status 0 "$JT" scan $zone -f jsonl $records logs
	sort out >whole
	for n in 1 2 3 7; do
		# shellcheck disable=SC2086
		parts "$n" $records logs
		sort part.* >together
		t cmp together whole
	done
done

begin 'no part has all, or nothing'
wc -c part.* | awk '$2 != "total" { print $1 }' | sort -n >sizes
t test "$(head -n 1 sizes)" -gt 0
t test "$(tail -n 1 sizes)" -lt "$(($(wc -c <whole) / 2))"

begin 'a folder of very many files'
mkdir many
"$PYTHON" -c "
for i in range(5000):
    open(f'many/run.{i // 2}.rank{i % 2}.log', 'w').write('Killed\n')"
status 0 "$JT" scan -f jsonl many
sort out >whole
parts 3 many
sort part.* >together
t cmp together whole

reports() {
	for form in text json csv; do
		# shellcheck disable=SC2086
		"$JT" report --store "$1" --since 2026-01-01 \
		    --until 2027-01-01 $zone -f "$form" |
			sed 's/"made": "[^"]*"//'
	done
}

begin 'a store: the report is that of one scan'
# a file that was changed a moment ago may change again unseen
while [ "$(date +%s)" -le $((made + 4)) ]; do
	sleep 0.2
done
# shellcheck disable=SC2086
status 0 "$JT" scan -q $zone --jobs sacct.txt --store sqlite:one.db logs
reports sqlite:one.db >one
parts 4 --jobs sacct.txt --store sqlite:parts.db logs
reports sqlite:parts.db >four
t cmp one four
t test -s one
status 0 "$JT" store export --store sqlite:one.db
sed 's/"seen":"[^"]*"//' out >one
status 0 "$JT" store export --store sqlite:parts.db
sed 's/"seen":"[^"]*"//' out >four
t cmp one four

begin 'what is unchanged is not read again, by any part, however many'
for i in 1 2 3 4; do
	# shellcheck disable=SC2086
	status 0 "$JT" scan $zone --jobs sacct.txt --store sqlite:parts.db \
	    --shard $i/4 logs
	has out '(0 logs, 0 B; ' 'unchanged since the last scan'
done

begin 'what comes, grows and goes between two parts moves no other job'
parts 3 logs
mv part.1 first
mv part.2 second
cp -r logs kept
for i in 1 2 3; do
	echo 'Killed' >"logs/a-new-$i.log"
	echo 'one more line' >>"logs/d$i/new.out"
	rm -r "logs/run-100$((i + 1))" 2>/dev/null
done
for log in logs/d0/*.out; do
	echo 'one more line' >>"$log"
done
parts 3 logs
cat first second part.3 | "$PYTHON" -c "
import json, sys
seen = [(o['job'], o['attempt']) for o in map(json.loads, sys.stdin)]
assert len(seen) == len(set(seen)), 'a job is in two parts'
print(*sorted(f'{j} {a}' for j, a in seen if '0000' not in j), sep='\n')" \
	>mixed 2>err || why=$(cat err)
rm -r logs
mv kept logs
"$JT" scan -f jsonl logs | "$PYTHON" -c "
import json, sys
print(*sorted(f'{o[\"job\"]} {o[\"attempt\"]}'
              for o in map(json.loads, sys.stdin)), sep='\n')" >whole
grep -vE 'a-new|new|run-100[234]' mixed >a
grep -vE 'run-100[234]' whole >b
t diff a b

begin 'usage'
for wrong in 0/4 5/4 4 1/0 a/b 1/2/3 -1/2 '' 1/; do
	status 2 "$JT" scan --shard "$wrong" logs
	has err 'expected I/N, I from 1 to N'
done
done_cases
