#!/bin/sh
# Every diagnosis of the corpus is what diagnosis.schema.json promises, and the
# schema refuses what it should.
set -u

if ! "$PYTHON" -c 'from jsonschema import Draft202012Validator' 2>/dev/null
then
	echo 'skip schema: no python3-jsonschema'
	exit 0
fi

"$JOBTRIAGE" scan --no-progress --trends --goodput -f jsonl -o "$TMPDIR/d.jsonl" "$TOP/corpus" ||
	echo "not ok scan of the corpus: exit status $?"

"$PYTHON" - "$TOP/reports/diagnosis.schema.json" "$TMPDIR/d.jsonl" <<'END'
import copy
import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
with open(sys.argv[2], encoding="utf-8") as f:
    diagnoses = [json.loads(line) for line in f]

wrong = [f"{d['job']}: {list(e.absolute_path)} {e.message[:100]}"
         for d in diagnoses for e in validator.iter_errors(d)]
if not diagnoses:
    wrong = ["no diagnosis at all"]
print("not ok every diagnosis fits: " + "; ".join(wrong[:5]) if wrong
      else "ok every diagnosis fits")

# Keys that the schema does not describe have been forgotten in it.
known, proof = schema["properties"], schema["$defs"]["proof"]["properties"]
facts = known["facts"]["properties"]
record = known["record"]["properties"]
forgotten = set()
for d in diagnoses:
    forgotten |= set(d) - set(known)
    forgotten |= set(d["facts"]) - set(facts)
    forgotten |= set(d["record"] or ()) - set(record)
    for e in d["evidence"] + d["consequences"]:
        forgotten |= set(e) - set(proof)
    for key in "trends", "metrics":
        for e in d[key]:
            forgotten |= set(e) - set(known[key]["items"]["properties"])
if not any(d["trends"] for d in diagnoses):
    print("not ok some diagnosis has a trend")
print("not ok every key is described: " + " ".join(sorted(forgotten))
      if forgotten else "ok every key is described")

# One that has evidence, broken in each way, must be refused.
sound = next((d for d in diagnoses if d["evidence"]
              and validator.is_valid(d)), None)
breaks = {"a missing " + key: lambda d, key=key: d.pop(key)
          for key in schema["required"]}
breaks.update({
    "another verdict": lambda d: d.update(verdict="maybe"),
    "another confidence": lambda d: d.update(confidence="sure"),
    "another schema": lambda d: d.update(schema="jobtriage.diagnosis/2"),
    "a category with a blank": lambda d: d.update(category="out of memory"),
    "attempt 0": lambda d: d.update(attempt=0),
    "failed as text": lambda d: d.update(failed="yes"),
    "adjust without what": lambda d: d.update(verdict="adjust", adjust=None),
    "another role": lambda d: d["evidence"][0].update(role="cause"),
    "line 0": lambda d: d["evidence"][0].update(line=0),
    "a time in words": lambda d: d["evidence"][0].update(time="at noon"),
})
taken = ["no sound diagnosis to break"] if sound is None else []
for name, spoil in breaks.items() if sound else ():
    d = copy.deepcopy(sound)
    spoil(d)
    if validator.is_valid(d):
        taken.append(name)
print("not ok the schema refuses: " + "; ".join(taken) if taken
      else "ok the schema refuses")
END
