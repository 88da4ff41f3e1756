# The health of rules: what speaks against them, by GPU-hours.
. "$TOP/tests/lib.sh"

# past JOB ATTEMPT RULE VERDICT FINGERPRINT GPU-SECONDS [STEP]
# "-": it ended well
past() {
	failed=true category=hang rule="\"$3\"" print="\"$5\""
	[ "$3" != - ] || failed=false category=none rule=null print=null
	printf '{"schema":"jobtriage.diagnosis/1","job":"%s","attempt":%d,' \
	    "$1" "$2"
	printf '"paths":["/l/%s.%d"],"failed":%s,"category":"%s","rule":%s,' \
	    "$1" "$2" "$failed" "$category" "$rule"
	printf '"confidence":"high","verdict":"%s","fingerprint":%s,' \
	    "$4" "$print"
	printf '"reason":"why","ended":"2026-%02d-%02dT12:00:00Z",' \
	    "${8:-11}" "$2"
	printf '"evidence":[{"rule":%s,"path":"/l/a","line":1,"text":"t"}],' \
	    "$rule"
	printf '"facts":{"last_step":%s},"usage":{"gpu_seconds":%s}}\n' \
	    "${7:-null}" "$6"
}
A=00000000000000aa
stop=gpu_out_of_memory.torch retry=key_not_found.python
{
	# stopped, and it went on
	past made 1 $stop stop $A 3600
	past made 2 - none - 36000
	past step 1 $stop stop $A 3600 100
	past step 2 $stop stop $A 7200 200
	# a right one
	past dead 1 $stop stop $A 3600 10
	past dead 2 $stop stop $A 3600 10 10
	# retried in vain
	for n in 1 2 3 4; do
		past vain $n $retry retry $A 1800
	done
	# and one that helped, of another rule
	past net 1 hang.nccl_watchdog retry $A 60
	past net 2 - none - 60
} | sed 's/\("rule":null,"path"\)/"rule":"x","path"/' >lines.jsonl
status 0 "$JT" store import --store s.db lines.jsonl
has out '12 imported, 0 bad'
all='--since 2026-01-01 --until 2026-12-01 --timezone UTC'

begin 'usage'
status 2 "$JT" taxonomy health
has err '--store URL is missing'
status 2 "$JT" taxonomy health --store s.db nosuch.rule
has err 'no such rule'

begin 'what happened next speaks for or against an answer'
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store s.db $all -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
mend = [(m["rule"], m["health"]) for m in d["rules_to_mend"]]
assert [m[0] for m in mend] == ["gpu_out_of_memory.torch",
    "key_not_found.python"], mend
h = mend[0][1]
assert (h["answered"], h["stops"], h["stops_refuted"]) == (5, 3, 2), h
assert h["gpu_seconds"] == 43200 and not h["retries_vain"], h
h = mend[1][1]
assert (h["retries"], h["retries_helped"]) == (3, 0), h
assert h["retries_vain"] and h["gpu_seconds"] == 5400, h
r = {x["rule"]: x["health"] for x in d["rules"]}
assert r["hang.nccl_watchdog"]["retries_helped"] == 1
P

begin 'persons speak, too: their word beats what happened'
status 0 "$JT" judge --store s.db --by eva made --attempt 1 --verdict stop
status 0 "$JT" judge --store s.db --by eva dead --attempt 1 --category hang \
	--verdict stop
status 0 "$JT" judge --store s.db --by eva net --attempt 1 --category none
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store s.db $all -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
mend = {m["rule"]: m["health"] for m in d["rules_to_mend"]}
h = mend["gpu_out_of_memory.torch"]
assert (h["right"], h["wrong"], h["stops_refuted"]) == (2, 0, 1), h
assert h["gpu_seconds"] == 7200, h
h = mend["hang.nccl_watchdog"]
assert (h["right"], h["wrong"], h["gpu_seconds"]) == (0, 1, 60), h
assert [m["rule"] for m in d["rules_to_mend"]] == ["gpu_out_of_memory.torch",
    "key_not_found.python", "hang.nccl_watchdog"]
P

begin 'the list of rules to mend in every format'
for form in text markdown html; do
	# shellcheck disable=SC2086 # options
	status 0 "$JT" report --store s.db $all -f $form
	has out 'Rules to mend'
done
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store s.db $all -f csv
has out '"rule_to_mend","gpu_out_of_memory.torch"' '"rule_stops_refuted",' \
	'"rule_judged_wrong","hang.nccl_watchdog"'

begin 'the health of all of a store, and of one rule by month'
status 0 "$JT" taxonomy health --store s.db
t test "$(awk '/^RULE/ { getline; print $1 }' out)" = $stop
status 0 env TZ=UTC "$JT" taxonomy health --store s.db $stop
has out 'By month' '2026-10' '2026-11' '100.0 %'
hasnt out 'key_not_found'
status 0 "$JT" taxonomy health --store s.db -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
h = [x for x in d if x["rule"] == "gpu_out_of_memory.torch"][0]["health"]
assert [(m["month"], m["answered"], m["right"]) for m in h["months"]] == [
    ("2026-10", 1, 0), ("2026-11", 4, 2)], h
P

done_cases
