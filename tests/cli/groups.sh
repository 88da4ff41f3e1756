#!/bin/sh
# jobtriage groups: failures that no rule names, over jobs and nights.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

# log JOB FUNCTION MESSAGE: a program that ends on it
log() {
	mkdir -p "$(dirname "logs/$1")"
	printf '%s\n' 'step 10 loss 0.5' 'Traceback (most recent call last):' \
		'  File "train.py", line 9, in <module>' '    main()' \
		"  File \"pool.py\", line 12, in $2" '    raise Trouble(text)' \
		"$3" >"logs/$1.log"
}
log 1 take 'acme.QuotaTrouble: plan "small" of user ada is used up after 31 steps'
log 2 take 'acme.QuotaTrouble: plan "large" of user ada is used up after 7 steps'
log 3 take 'acme.QuotaTrouble: plan "tiny" of user bob is used up after 9 steps'
log 4 give 'acme.LeaseError'
log 5 take 'acme.LeaseError'
log 6 give "KeyError: 'lr'"
cat >jobs.csv <<'J'
job,owner,status,gpu_count,started_at,finished_at
1,ada,FAILED,8,2024-05-01 00:00:00,2024-05-01 02:00:00
2,ada,FAILED,8,2024-05-02 00:00:00,2024-05-02 02:00:00
3,bob,FAILED,8,2024-05-03 00:00:00,2024-05-03 02:00:00
4,bob,FAILED,1,2024-05-03 00:00:00,2024-05-03 01:00:00
5,bob,FAILED,1,2024-05-03 00:00:00,2024-05-03 01:00:00
6,bob,FAILED,1,2024-05-03 00:00:00,2024-05-03 01:00:00
J
status 0 "$JT" scan -q --jobs jobs.csv --timezone UTC --store s.db logs

# groups ARGUMENT...: of the store; rows: "ID JOBS" of each group
groups() {
	"$JT" groups --timezone UTC --store s.db "$@"
}
rows() {
	groups --format json "$@" >out 2>err || return 1
	"$PYTHON" -c '
import json
for g in json.load(open("out"))["groups"]:
    print(g["id"], g["jobs"], g["users"], g["gpu_seconds"], len(g["others"]),
          g["ignored"], g["name"], sep="|")' >rows
}

begin 'one template is one group, over jobs'
t rows
t test "$(wc -l <rows)" -eq 3
# two users: a word differs
t test "$(cut -d'|' -f2-6 rows | head -n 1)" = '3|2|172800|1|False'
t test "$(sed -n '2,3s/^[^|]*//p' rows | sort -u)" = '|1|1|3600|0|False|None'
has out 'acme.QuotaTrouble: plan \"<text>\" of user' 'steps' \
	'acme.LeaseError [pool.py:give]' 'acme.LeaseError [pool.py:take]' \
	'pool.py:take < train.py:<module>' '"first": "2024-05-01T02:00:00Z"' \
	'"last": "2024-05-03T02:00:00Z"' 'logs/3.log' '"line": 7'
hasnt out "KeyError"
id=$(head -n 1 rows | cut -d'|' -f1)

begin 'ids are the same in another store'
status 0 "$JT" scan -q --store other.db logs
status 0 "$JT" groups --store other.db --format json
has out "$id"

begin 'text'
status 0 groups
has out 'GROUP' "$(printf %.8s "$id")" '48.0' 'acme.QuotaTrouble'
status 0 groups show "$(printf %.4s "$id")"
has out "group      $id" 'failed     3 attempts of 3 jobs, 2 users, 48.0 GPU' \
	'seen       2024-05-01 02:00' 'also       ' 'logs/2.log:7'

begin 'a period, and what grew in it'
rows --since 2024-05-02T12:00:00Z --until 2024-05-04T00:00:00Z
t test "$(head -n 1 rows | cut -d'|' -f2-4)" = '1|1|57600'
has out '"before": {' '"gpu_seconds": 115200'
status 0 groups --since 2024-05-03 --until 2024-05-04
has out '+0 %' new
status 0 groups --since 2024-06-01
has out 'no failure without a name'

begin 'a name stays, whatever comes'
status 0 groups name "$id" 'quota of acme'
has out "$id has a name"
log 7 take 'acme.QuotaTrouble: plan "huge" of user cleo is used up after 9 steps'
status 0 "$JT" scan -q --jobs jobs.csv --timezone UTC --store s.db logs
rows
t test "$(grep "^$id" rows | cut -d'|' -f2,5,7)" = '4|2|quota of acme'
status 0 groups
has out 'quota of acme: acme.'
# of one user alone another template stands for it
rows --user bob
has rows 'quota of acme'
status 0 groups name "$id" ''
rows
hasnt rows 'quota of acme'
status 2 groups name "$id" "$(printf '%090d' 1)"
has err 'at most 80 bytes'

begin 'merge and ignore'
lease=$(groups --format json | grep -o '"id": "[0-9a-f]*"' | cut -d'"' -f4 |
	grep -v "$id" | head -n 2 | tr '\n' ' ')
# shellcheck disable=SC2086 # two ids
set -- $lease
status 0 groups merge "$1" "$2"
rows
t test "$(grep "^$2" rows | cut -d'|' -f2,5)" = '2|1'
status 0 groups ignore "$1"
status 0 groups
has out '1 ignored'
hasnt out LeaseError
rows
t test "$(grep "^$2" rows | cut -d'|' -f6)" = True
status 0 groups unignore "$2"
status 0 groups
has out LeaseError
status 2 groups merge "$1" "$2"
has err 'one group already'

begin 'the report has them, in every format'
status 0 "$JT" report --store s.db --since 2024-05-01 --until 2024-05-04 \
	--timezone UTC
has out 'Failures nobody has named yet' 'acme.QuotaTrouble'
status 0 "$JT" report --store s.db --since 2024-05-01 --until 2024-05-04 \
	--timezone UTC --format html
has out 'Failures nobody has named yet' "$id"
status 0 "$JT" report --store s.db --since 2024-05-01 --until 2024-05-04 \
	--timezone UTC --format csv
has out "\"unnamed\",\"$id\","
status 0 "$JT" report --store s.db --since 2024-05-01 --until 2024-05-04 \
	--timezone UTC --format json
has out '"unnamed": [' "\"id\": \"$id\""

begin 'a job whose log tells nothing is known by its last words'
mkdir quiet
printf 'step 1 loss 0.5\nwaiting for shard 17 of /data/x\n' >quiet/8.log
sed 's/^1,/8,/' jobs.csv >8.csv
status 0 "$JT" scan -q --jobs 8.csv --records joined --store q.db quiet
status 0 "$JT" groups --store q.db
has out 'waiting for shard <num>'

begin 'what is wrong is told'
status 2 "$JT" groups
has err '--store URL is missing'
status 2 groups wobble
has err 'expected list, show'
status 2 groups show
status 2 groups show ffff
has err 'there is no group ffff'
status 4 "$JT" groups --store none.db
status 2 groups --format csv
chmod 444 s.db
status 0 groups
done_cases
