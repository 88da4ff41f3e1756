# Planted secrets: hidden in every output, and the diagnoses as without.
. "$TOP/tests/lib.sh"
need script

# leaks FILE...: no secret stands in it, nor half of a long one, also where the
# screen has broken it into rows
leaks() {
	"$PYTHON" - "$@" <<'P'
import re
import sys
parts = set()
for s in open("planted/secrets", encoding="utf-8").read().split("\n"):
    parts.update([s, s[:len(s) // 2], s[-(len(s) // 2):]] if len(s) >= 24 else [s])
parts.discard("")
for name in sys.argv[1:]:
    text = open(name, "rb").read().decode("latin-1")
    for shape in text, re.sub(r"\n\s*(?:# )?", "", text):
        for s in parts:
            if s in shape:
                at = shape.index(s)
                sys.exit(f"{name}: {shape[max(0, at - 60):at + 60]}")
P
}

begin 'the corpus with secrets in it'
"$JT" scan -q -f jsonl "$TOP/corpus" >clean.jsonl
t "$PYTHON" "$TOP/tests/cli/redact_plant.py" "$TOP/corpus" clean.jsonl planted
t test "$(wc -l <planted/secrets)" -ge 200
logs=planted/logs
# what it is without
script -qec "'$JT' scan --no-redact --no-progress -q -f jsonl $logs" \
	/dev/null </dev/null | tr -d '\r' >off.jsonl

for format in text jsonl json csv; do
	begin "scan: $format"
	status 0 "$JT" scan -q -f $format $logs
	cp out on.$format
	t leaks out err
done

begin 'the diagnoses are the same, and confusers stay'
t test "$(grep -oFf planted/secrets off.jsonl | sort -u | wc -l)" -ge 100
t "$PYTHON" - <<'P'
import json
on, off, clean = ([json.loads(line) for line in open(name, encoding="utf-8")]
                  for name in ("on.jsonl", "off.jsonl", "clean.jsonl"))
assert len(on) == len(off) == len(clean)
moved = 0
for a, b, c in zip(on, off, clean):
    for key in ("job", "failed", "category", "confidence", "verdict", "rule",
                "fingerprint", "adjust", "usage", "reason"):
        assert a[key] == b[key], (a["job"], key)
    # a planted text may change what the line itself says
    moved += any(a[key] != c[key] for key in ("category", "verdict", "rule"))
    for key in ("evidence", "consequences", "rejected"):
        x, y = ([(p["line"], p["rule"], p["why"], p["count"]) for p in d[key]]
                for d in (a, b))
        assert x == y, (a["job"], key)
assert moved <= len(on) // 20, moved
shown = open("on.jsonl", encoding="utf-8").read()
plain = open("off.jsonl", encoding="utf-8").read()
seen = 0
for s in open("planted/confusers", encoding="utf-8").read().split("\n"):
    if s:
        assert shown.count(s) == plain.count(s), s
        seen += plain.count(s) > 0
assert seen >= 30, seen
P

begin 'the store and the reports'
status 0 "$JT" scan -q --store sqlite:s.db $logs
t leaks s.db
for format in text markdown json csv prometheus html; do
	status 0 "$JT" report --store sqlite:s.db --since 2000-01-01 -f $format
	t leaks out err
done
status 0 "$JT" store export --store sqlite:s.db
has out '[redacted: '
t leaks out

begin 'explain: every job, as text, Markdown and JSON'
for format in text markdown json; do
	while read -r path category; do
		"$JT" explain --why -f $format "$path" </dev/null
	done <planted/jobs >screens 2>&1
	has screens '[redacted: '
	t leaks screens
done

begin 'explain --diff'
good=$logs/$(cd "$TOP/corpus" && find none -name '*.log' | sort | head -n 1)
sed -n '1~9p' planted/jobs | while read -r path category; do
	"$JT" explain --diff "$good" "$path" </dev/null
done >screens 2>&1
has screens '[redacted: '
t leaks screens

begin 'gate: the line and the JSON'
sed -n '1~5p' planted/jobs | while read -r path category; do
	"$JT" gate "$path" </dev/null
	"$JT" gate --print json "$path" </dev/null
done >screens 2>&1
has screens '[redacted: '
t leaks screens

begin 'run: screen, termination log, output file and hook'
: >screens
: >hooks
sed -n '1~12p' planted/jobs | while read -r path category; do
	"$JT" run -f json -o run.json --termination-log end.txt \
	    --on "$category=warn" --exec 'env | grep ^JOBTRIAGE >>hooks' -- \
	    sh -c 'cat "$1"; exit 1' sh "$path" 2>>screens >/dev/null </dev/null
	cat end.txt run.json >>screens
done
has screens '[redacted: '
has hooks 'JOBTRIAGE_TEXT=' '[redacted: '
t leaks screens hooks

begin 'explain --follow'
path=$(sed -n '3s/ .*//p' planted/jobs)
"$JT" explain --follow --settle 1 "$path" >screens 2>&1 </dev/null
t test -s screens
t leaks screens

begin 'job records'
secret=$(sed -n '/^.\{40\}$/{p;q;}' planted/secrets)
printf 'JobID|JobName|State|ExitCode|Start|End|NodeList\n' >sacct.txt
printf '%s|train --hf-token %s|FAILED|1:0|2024-05-01T10:00:00|2024-05-01T11:00:00|n1\n' \
	77 "$secret" >>sacct.txt
status 0 "$JT" scan -f json --jobs sacct.txt
has out '"name":"train --hf-token [redacted: secret]"'
t leaks out

begin 'a part of the evidence in a capture, and a path'
printf "RuntimeError: Error(s) in loading state_dict for Net\nFileNotFoundError: [Errno 2] No such file or directory: 'https://u:%s@h/x'\n" \
	"$secret" >capture.log
status 0 "$JT" scan -f json capture.log
has out '"captures"' 'https://u:[redacted: password]@h/x'
t leaks out
mkdir -p "by/token=$secret"
cp capture.log "by/token=$secret/job.log"
status 0 "$JT" scan -f json by
t leaks out
status 3 "$JT" scan "by/token=$secret/none.log"
has err 'by/token=[redacted: token]'
t leaks err
status 3 "$JT" gate --print json "by/token=$secret/none.log"
has out 'by/token=[redacted: token]'
t leaks out err

begin 'a long line is cut between words'
"$PYTHON" - <<'P'
s = open("planted/secrets").read().split("\n")
s = next(x for x in s if len(x) >= 36 and "/" not in x and "+" not in x)
for shift in range(150, 400, 3):
    with open(f"long{shift}.log", "w") as f:
        f.write("x " * 700 + "url https://u:" + s + "@h password = " + s + " " +
                "y" * shift + " RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
P
status 0 "$JT" scan -f json long*.log
has out 'out of memory'
t leaks out

begin 'options: e-mail addresses, addresses, users'
printf 'mail jane.doe@example.org from 10.12.0.7 in /home/jdoe/x\nRuntimeError: jane.doe@example.org at 10.12.0.7 lacks /home/jdoe/x\n' >opt.log
status 0 "$JT" scan -f json opt.log
has out jane.doe@example.org 10.12.0.7 /home/jdoe/x
status 0 "$JT" scan -f json --redact email,ip opt.log
has out '[redacted: e-mail address] at [redacted: IP address] lacks /home/jdoe/x'
status 0 "$JT" scan -f json --redact all opt.log
has out '/home/[redacted: user]/x'
status 2 "$JT" scan --redact phone opt.log
has err '--redact phone: no redaction has this option'

begin '--no-redact: on a terminal of one'"'"'s own only'
status 2 "$JT" scan --no-redact opt.log
has err "one's own terminal"
for more in '-o x' '--store sqlite:x.db'; do
	script -qec "'$JT' scan --no-redact $more opt.log; echo status=\$?" \
		/dev/null >out </dev/null
	has out 'status=2' "one's own terminal"
done
status 2 "$JT" gate --no-redact opt.log
status 2 "$JT" explain --no-redact opt.log
status 125 "$JT" run --no-redact -- true
script -qec "'$JT' explain --no-pager --no-redact capture.log" /dev/null \
	>out </dev/null
t grep -q "$(printf %.20s "$secret")" out

begin 'rules of a site: added, switched off, wrong'
cat >site.yaml <<'Y'
disable: [redact.github_token]
redactions:
  - id: redact.site_badge
    title: badge
    pattern: 'badge (?<secret>[0-9]+)'
    examples: {secret: ['badge {{digit*6}}'], clean: ['badge']}
Y
status 0 "$JT" taxonomy test -t site.yaml
status 0 "$JT" taxonomy check -t site.yaml
token=ghp''_$(printf %.36s "$(sed -n '/^[A-Za-z0-9]\{90\}$/{p;q;}' planted/secrets)")
printf 'RuntimeError: badge 4711 of %s\n' "$token" >site.log
status 0 "$JT" scan -f json -t site.yaml site.log
has out "badge [redacted: badge] of $token"
status 0 "$JT" scan -f json site.log
has out 'badge 4711 of [redacted: GitHub token]'
status 0 "$JT" taxonomy show -t site.yaml redact.site_badge
has out 'badge (?<secret>'
sed 's/secret>/secret>(/' site.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml site.log
has err 'bad.yaml:5:14: bad regular expression'
sed 's/title/titel/' site.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml site.log
has err "bad.yaml:4:5: unknown key 'titel'"
sed 's/badge {{/{{/' site.yaml >bad.yaml
status 1 "$JT" taxonomy test -t bad.yaml
has out 'bad.yaml:3: redaction redact.site_badge: a secret example is not hidden'

begin 'the name of a curve'
cat >curve.yaml <<'Y'
redactions:
  - id: redact.site_curve
    title: curve
    pattern: 'loss'
    examples: {secret: ['{{loss}}'], clean: [run]}
Y
i=0
while [ $((i += 1)) -lt 60 ]; do
	echo "step $i loss: 0.$i lr: 0.1"
done >curve.log
status 0 "$JT" scan -f json --trends -t curve.yaml curve.log
has out '"name":"[redacted: curve]"'

begin 'a hostile pattern hides all: it is never let pass'
cat >hostile.yaml <<'Y'
redactions:
  - id: redact.hostile
    title: x
    pattern: 'memory (a+)+$'
    examples: {secret: ['memory {{aa}}'], clean: [run]}
Y
printf 'RuntimeError: CUDA out of memory %sb\n' \
	"$(printf '%0100d' 0 | tr 0 a)" >hostile.log
status 0 "$JT" scan -f json -t hostile.yaml hostile.log
has out '"text":"[redacted: not checked, it took too long]"' gpu_out_of_memory

begin 'another choice of what is hidden reads the logs anew'
status 0 "$JT" scan --store sqlite:again.db opt.log
status 0 "$JT" scan --store sqlite:again.db --redact email opt.log
hasnt out 'unchanged since'
t sh -c "! grep -q jane.doe again.db"

done_cases
