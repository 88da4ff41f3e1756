# The rules: shown, checked, tested, and overlaid by a site's own.
. "$TOP/tests/lib.sh"

begin 'list'
status 0 "$JT" taxonomy list
has out gpu_out_of_memory path_not_found hang '34 categories'
status 0 "$JT" taxonomy list --format json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))["categories"]
assert sum(c["in_study"] for c in d) == 20, [c["id"] for c in d if c["in_study"]]
assert len(d) == 34
assert sum(len(c["rules"]) for c in d) >= 120
for c in d:
    assert c["id"] and c["dimension"] and c["rules"], c["id"]
    for r in c["rules"]:
        assert r["role"] in ("root", "consequence", "confirmation", "context", "fallback")
P

begin 'show'
status 0 "$JT" taxonomy show gpu_out_of_memory
has out 'GPU Out of Memory' remedies
status 0 "$JT" taxonomy show path_not_found.python_errno
has out pattern match
status 2 "$JT" taxonomy show nonsense
has err "no category, rule, redaction or signal 'nonsense'"

begin 'check and test'
"$JT" taxonomy check >out 2>err
t test $? -le 1
has out '34 categories'
status 0 "$JT" taxonomy test
has out ' 0 wrong'
# an expression that no example meets was never tried
hasnt out 'no match example shows'
status 0 "$JT" taxonomy test --no-prefilter
status 2 "$JT" taxonomy
status 2 "$JT" taxonomy frobnicate

begin 'check: no shipped rule is shadowed, or slow by its shape'
"$JT" taxonomy check --format json >out 2>err
t test $? -le 1
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert len(d["literals"]) == d["rules"]
never = ("no_literal", "nested_quantifier", "leading_skip", "beaten",
    "attack")
bad = [w for w in d["warnings"] if w["kind"] in never]
assert not bad, bad
P

begin 'check: warnings, and the status that goes with them'
cat >slow.yaml <<'Y'
category: storage_fault
rules:
  - id: storage_fault.slow
    title: Slow
    pattern: '.*(?:\w+)+ frobnicator (?<part>\S{1,40}) lost'
    role: root
    key: [part]
    examples:
      match: ['x frobnicator /tmp/ada/x lost']
      no_match: ['x']
Y
status 1 "$JT" taxonomy check -t slow.yaml
has out 'slow.yaml:3: rule storage_fault.slow: a quantifier over a quantifier' \
	'it begins with an unbounded skip' "key 'part' takes a path"

cat >site.yaml <<'Y'
category: storage_fault
rules:
  - id: storage_fault.site_cache
    title: The site's cache is out of order
    pattern: 'site cache \w+ is out of order'
    role: root
    verdict: retry
    examples:
      match: ['site cache alpha is out of order']
      no_match: ['site cache alpha is in order']
Y
echo 'site cache beta is out of order' >site.log

begin 'an overlay adds a rule'
status 0 "$JT" scan --format jsonl site.log
hasnt out storage_fault
status 0 "$JT" scan --taxonomy site.yaml --format jsonl site.log
has out storage_fault.site_cache '"verdict":"retry"'
status 0 "$JT" taxonomy test --taxonomy site.yaml

begin 'a rule of several expressions: the earliest match counts, by its number'
cat >list.yaml <<'Y'
pieces:
  unit: '(?<unit>[a-z]+\d)'
category: storage_fault
rules:
  - id: storage_fault.site_list
    title: A unit of the site is out of order
    pattern:
      - 'site fan {{unit}} stands still'
      - 'stands still: site fan {{unit}}'
      - 'site pump {{unit}} is (?<how>dry|hot)'
      - 'site pump {{unit}} is hot'
    unless: ['site test run', 'site drill \d']
    role: root
    extract: [unit, how]
    examples:
      match:
        - 'site fan a1 stands still'
        - 'all stands still: site fan b2 stands still'
        - 'site pump c3 is hot, site fan d4 stands still'
      no_match: ['site fan a1 stands still, site drill 4']
Y
cat >list.py <<'P'
import json, sys
for line in open("out"):
    e = json.loads(line)["evidence"][0]
    print(e["pattern"], *e["captures"].values(), file=open("list.out", "a"))
P
status 0 "$JT" taxonomy test -t list.yaml
has out 'list.yaml:5: rule storage_fault.site_list: no match example shows pattern 4: site pump (?:(?<unit>[a-z]+\d)) is hot'
"$JT" taxonomy check -t list.yaml >out 2>err
has out 'list.yaml:5: rule storage_fault.site_list: no match example shows 1 of its 4 patterns: 4'
for line in 'site fan a1 stands still' \
	'all stands still: site fan b2 stands still' \
	'site pump c3 is hot, site fan d4 stands still'; do
	echo "$line" >list.log
	status 0 "$JT" scan -t list.yaml --format jsonl list.log
	t "$PYTHON" list.py
done
printf '1 a1\n2 b2\n3 c3 hot\n' >list.want
t cmp list.want list.out
echo 'site fan a1 stands still in this site test run' >list.log
status 0 "$JT" scan -t list.yaml --format jsonl list.log
hasnt out site_list
status 0 "$JT" taxonomy show -t list.yaml storage_fault.site_list
has out 'site fan (?:(?<unit>[a-z]+\d)) stands still' 'site drill \d'

begin 'an overlay changes the policy'
cat >policy.yaml <<'Y'
policy:
  - rule: storage_fault.site_cache
    verdict: stop
    reason: the cache is mended by hand
Y
status 0 "$JT" scan -t site.yaml -t policy.yaml --format jsonl site.log
has out '"verdict":"stop"' 'the cache is mended by hand'

begin 'an overlay switches a rule off'
printf 'disable: [storage_fault.site_cache]\n' >off.yaml
status 0 "$JT" scan -t site.yaml -t off.yaml --format jsonl site.log
hasnt out storage_fault.site_cache

# bad PLACE TEXT: the overlay bad.yaml is refused with both in the message
bad() {
	status 2 "$JT" scan -t bad.yaml site.log
	has err "bad.yaml:$1" "$2"
	t test ! -s out
}

begin 'a bad overlay is an error with its place'
sed 's/pattern:/patern:/' site.yaml >bad.yaml
bad 5:5 patern
sed "5s/'site cache .*/'site (cache'/" site.yaml >bad.yaml
bad 5: 'at offset'
sed 's/role: root/role: boss/' site.yaml >bad.yaml
bad 6: boss
sed 's/verdict: retry/verdict: maybe/' site.yaml >bad.yaml
bad 7: maybe
sed 's/^category: .*/category: nonsense/' site.yaml >bad.yaml
bad 1: nonsense
printf 'rules: [\n' >bad.yaml
bad 2: ''
status 2 "$JT" scan -t missing.yaml site.log
has err missing.yaml

done_cases
