# A job says itself why it ends: how far that goes, and that budgets bind it.
. "$TOP/tests/lib.sh"

said='jobtriage: reason="the licence server is away" category=network_communication retry=yes'
printf 'step 1\nworking\n%s\n' "$said" >said.log
printf 'working\nKeyError: "lr"\n%s\n' "$said" >known.log
for word in trust hint ignore; do
	echo "declared: $word" >$word.yaml
done

# answer STATUS CATEGORY DECIDES [OPTION...]: of the gate, by its JSON
answer() {
	want=$1 category=$2 decides=$3
	shift 3
	status "$want" "$JT" gate --print json "$@"
	t "$PYTHON" - "$category" "$decides" <<'P'
import json, sys
d = json.load(open("out"))
f = d["facts"]["declared"]
assert d["category"] == sys.argv[1], d["category"]
assert f["decides"] == (sys.argv[2] == "yes"), f
assert f["reason"] and f["category"] and f["retry"] is not None, f
P
}

begin 'it decides where no rule states a cause'
answer 0 network_communication yes --exit-code 1 said.log
has out 'the job itself says: the licence server is away' '"path":"said.log"'
answer 1 key_not_found no --exit-code 1 known.log
status 0 "$JT" explain known.log
has out 'the job says the licence server is away, network_communication' \
	'a retry would'

begin 'without a record or an exit code it tells that the job failed'
status 0 "$JT" scan --format jsonl said.log
has out '"failed":true,"category":"network_communication"' \
	'"verdict":"retry"' 'the job itself says: the licence server is away'
status 0 "$JT" scan --format jsonl -t ignore.yaml said.log
has out '"failed":null,"category":"none"' '"verdict":"undecided"'
printf 'working\n%s\nstep 1\nTraining complete\n' "$said" >went_on.log
status 0 "$JT" scan --format jsonl went_on.log
has out '"failed":false,"category":"none"'

begin 'trust: before every rule; ignore: never'
answer 0 network_communication yes --exit-code 1 -t trust.yaml known.log
answer 1 key_not_found no --exit-code 1 -t ignore.yaml known.log
answer 0 unknown no --exit-code 1 -t ignore.yaml said.log
answer 0 network_communication yes --exit-code 1 -t hint.yaml said.log
echo 'declared: perhaps' >bad.yaml
status 2 "$JT" policy check -t bad.yaml
has err "bad.yaml:1:" "'declared' must be trust, hint or ignore"
status 0 "$JT" policy show -t trust.yaml
has out "a job's own word about its end: trust"

begin 'a job that ended well stays so'
answer 1 none no --exit-code 0 said.log

begin 'no rule sees the line, secrets are hidden, unknown words do nothing'
printf 'working\njobtriage: reason=CUDA out of memory. Tried to allocate 2.00 GiB\n' \
	>words.log
status 0 "$JT" gate --exit-code 1 --print json words.log
has out '"category":"unknown"' '"reason":"CUDA out of memory.' \
	'"category":null,"retry":null'
printf 'jobtriage: reason=token ghp_%s is old category=nosuch retry=no\n' \
	A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 >secret.log
answer 1 unknown yes --exit-code 1 secret.log
hasnt out ghp_A1
has out redacted

begin 'the last word of the last launch counts'
printf '%s\njobtriage: reason=a second thought category=hang retry=no\n' \
	"$said" >two.log
answer 1 hang yes --exit-code 1 two.log
has out 'a second thought'

begin 'a file that the environment names'
printf 'step 1\nworking\n' >plain.log
echo 'reason=out of quota category=storage_fault retry=no' >why
JOBTRIAGE_REASON_FILE=why
export JOBTRIAGE_REASON_FILE
answer 1 storage_fault yes --exit-code 1 plain.log
has out '"path":null'
ln -s why link
JOBTRIAGE_REASON_FILE=link
status 0 "$JT" gate --exit-code 1 --print json plain.log
has out '"declared":null'
mkfifo pipe
JOBTRIAGE_REASON_FILE=pipe
status 0 "$JT" gate --exit-code 1 --print json plain.log
has out '"declared":null'

begin 'run: the command finds the name and writes the file'
JOBTRIAGE_REASON_FILE=$PWD/new
# shellcheck disable=SC2016 # expanded by the inner shell
status 3 "$JT" run -f json -o run.json -- sh -c \
	'echo "reason=a bad shard category=corrupt_data" >"$JOBTRIAGE_REASON_FILE"
	exit 3'
t grep -q '"category":"corrupt_data"' run.json
# what was written before it began is another job's
touch -d 2020-01-01 new
status 3 "$JT" run -f json -o run.json -- sh -c 'exit 3'
t grep -q '"declared":null' run.json
unset JOBTRIAGE_REASON_FILE

begin 'budgets bind it, whatever it asks for'
printf 'working\njobtriage: reason=ended from outside category=preempted retry=yes\n' \
	>greedy.log
for rules in hint trust; do
	n=1 retries=0
	while [ $n -le 12 ]; do
		"$JT" gate --exit-code 1 --job 9 --attempt $n -t $rules.yaml \
			--store $rules.db --print verdict greedy.log \
			>out 2>err && retries=$((retries + 1))
		n=$((n + 1))
	done
	t test $retries -le 3
	has out stop
done
status 0 "$JT" gate replay --store hint.db
has out 'preempted'

done_cases
