#!/bin/sh
# jobtriage suggest: a rule drafted for a group of failures.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

# log JOB MESSAGE
log() {
	mkdir -p logs
	printf '%s\n' 'step 10 loss 0.5' 'Traceback (most recent call last):' \
		'  File "train.py", line 9, in <module>' '    main()' \
		"$2" >"logs/$1.log"
}
log 1 'acme.QuotaTrouble: plan "small (1)" of [ada] is used up after 31 steps'
log 2 "acme.QuotaTrouble: plan \"it's\" of [ada] is used up after 7 steps"
log 3 'acme.LeaseTrouble: the lease of plan 7 was taken away'
log 4 'acme.Bare: 17'
log 5 'acme.QuotaTrouble: plan "x" of [ada] password=hunter2zz is used up after 9 steps'
status 0 "$JT" scan -q --store s.db logs
# id TEXT: of the group whose template has it
id() {
	"$JT" groups --store s.db --format json | "$PYTHON" -c '
import json, sys
print([g["id"] for g in json.load(sys.stdin)["groups"]
       if sys.argv[1] in g["template"]][0])' "$1"
}
quota=$(id "of [ada] is used")

begin 'the draft'
status 0 "$JT" suggest --store s.db "$quota" -o draft.yaml
has draft.yaml 'category: fill_in_category' '- id: fill_in_category.' \
	'where: exception' 'acme\.QuotaTrouble: plan "(?<text>' \
	'after (?<number>' '# The nearest rules' '- '"'"'acme.LeaseTrouble: ' \
	"plan \"it''s\" of [ada]" '2 of the group' '2 attempts'
hasnt draft.yaml hunter2zz
hasnt draft.yaml WARNING

begin 'it is refused until the category is filled in, then it holds'
status 2 "$JT" taxonomy test --taxonomy draft.yaml
has err "no category 'fill_in_category'"
sed 's/fill_in_category/framework_api_misuse/' draft.yaml >site.yaml
status 0 "$JT" taxonomy test --taxonomy site.yaml
status 0 "$JT" taxonomy check --taxonomy site.yaml
status 0 "$JT" scan -q --taxonomy site.yaml --format jsonl -o a.jsonl logs
t test "$(grep -c '"rule":"framework_api_misuse.of_ada' a.jsonl)" -ge 2
status 0 "$JT" groups --store s.db

begin 'good runs'
mkdir -p good/deep
printf 'plan of the run: 31 steps\nacme is used here\n' >good/deep/1.log
status 0 "$JT" suggest --store s.db --good good "$quota"
has out 'no_match:'
hasnt out WARNING
printf 'acme.QuotaTrouble: plan "x" of [ada] is used up after 3 steps\n' \
	>>good/deep/1.log
status 0 "$JT" suggest --store s.db --good good "$quota" -o bad.yaml
has bad.yaml 'WARNING: runs that ended well print it, too' good/deep/1.log
sed 's/fill_in_category/framework_api_misuse/' bad.yaml >worse.yaml
status 1 "$JT" taxonomy test --taxonomy worse.yaml
status 3 "$JT" suggest --store s.db --good nothing "$quota"

begin 'what is wrong is told'
status 2 "$JT" suggest --store s.db
has err 'expected a group'
status 2 "$JT" suggest --store s.db ffff
has err 'there is no group ffff'
status 2 "$JT" suggest "$quota"
done_cases
