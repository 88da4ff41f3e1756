#!/bin/sh
# The HTML report in a real browser: Chromium, driven by browser.py. BIG is the
# number of jobs with which it is measured.
set -u

if ! "$PYTHON" -c 'import selenium' 2>/dev/null; then
	echo 'skip browser: no python3-selenium'
	exit 0
fi
for tool in chromium chromedriver; do
	command -v "$tool" >/dev/null && continue
	echo "skip browser: no $tool"
	exit 0
done

cd "$TMPDIR" || exit 1
# page JOBS SINCE FILE
page() {
	if ! "$PYTHON" "$TOP/tests/integration/jobs.py" "$1" >jobs.jsonl ||
		! "$JOBTRIAGE" report -q --since "$2" --until 2026-11-21 \
		    --timezone UTC -f html -o "$3" jobs.jsonl
	then
		echo "not ok report of $1 jobs"
		exit 1
	fi
}

# Two weeks of the month, so that there are two weeks before them.
page 3000 2026-11-07 small.html
page "${BIG:-100000}" 2026-10-22 large.html
# One run that diverges.
awk 'BEGIN { for (i = 1; i <= 400; i++) printf "step %d loss: %.4f\n", i,
    i < 300 ? 1 + 3 * exp(-i / 50) : 5 + (i - 300) / 10 }' >diverges.log
if ! "$JOBTRIAGE" scan -q --no-progress --trends -f jsonl -o one.jsonl \
	diverges.log ||
	! "$JOBTRIAGE" report -q -f html -o trends.html one.jsonl
then
	echo 'not ok report of trends'
	exit 1
fi
HOME=$TMPDIR exec "$PYTHON" "$TOP/tests/integration/browser.py" \
    small.html large.html trends.html
