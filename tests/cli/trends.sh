# Trainings that really go wrong, by a program of the standard library, and
# what is said of them: in explain, run, scan, the store and the reports.
. "$TOP/tests/lib.sh"

# Logistic regression: on enough data it goes well; uphill it diverges; with more inputs than samples it learns their noise.
cat >train.py <<'P'
import math, random, sys
random.seed(7)
kind = sys.argv[1]
inputs, samples, rate, steps = {
    "well": (5, 200, 0.3, 400), "diverge": (5, 200, 0.3, 400),
    "overfit": (40, 30, 0.5, 800)}[kind]

def data(n):
    xs = [[random.gauss(0, 1) for _ in range(inputs)] for _ in range(n)]
    return xs, [int(x[0] + x[1] + random.gauss(0, 1) > 0) for x in xs]

xs, ys = data(samples)
tests = data(200)
w = [0.0] * inputs

def chance(x):
    z = sum(a * b for a, b in zip(w, x))
    return 1 / (1 + math.exp(-max(-500, min(500, z))))

def loss(xs, ys):
    return -sum(math.log(max(1e-12, p if y else 1 - p))
                for p, y in zip(map(chance, xs), ys)) / len(ys)

every = 20 if kind == "overfit" else 1
for step in range(1, steps + 1):
    # from step 201 on the sign is wrong: uphill
    now = -3 * rate if kind == "diverge" and step > 200 else rate
    errors = [chance(x) - y for x, y in zip(xs, ys)]
    g = [sum(e * x[k] for e, x in zip(errors, xs)) / len(ys)
         for k in range(inputs)]
    w = [a - now * b for a, b in zip(w, g)]
    if step % every == 0:
        print(f"step {step} loss: {loss(xs, ys):.4f} grad_norm: "
              f"{math.sqrt(sum(b * b for b in g)):.4f}" +
              (f" val_loss: {loss(*tests):.4f}" if every > 1 else ""))
if len(sys.argv) > 2:
    raise ValueError("the data ended early")
print("Training finished")
P
for kind in well diverge overfit; do
	"$PYTHON" train.py $kind >$kind.log || echo "not ok train $kind"
done
"$PYTHON" train.py diverge dies >dies.log 2>&1

# rules FILE: the trend rules that scan's JSON lines name
rules() {
	grep -o '"rule":"trend[.][a-z_]*"' "$1" | cut -d'"' -f4 | sort -u |
		tr '\n' ' '
}

begin 'a run that goes well has no warning, but a curve'
status 0 "$JT" scan --trends -f jsonl well.log
t test "$(rules out)" = ''
has out '"trends":[]' '"metric":"loss"'

begin 'a run that diverges'
status 0 "$JT" scan --trends -f jsonl diverge.log
t test "$(rules out)" = 'trend.loss_diverging '
has out '"category":"none"'

begin 'a run that overfits'
status 0 "$JT" scan --trends -f jsonl overfit.log
t test "$(rules out)" = 'trend.overfit '
has out '"metric":"val_loss"' '"metric":"loss"'

begin 'nothing of it without --trends'
status 0 "$JT" scan -f jsonl overfit.log
hasnt out '"trends"'
hasnt out '"metrics"'
has out '"first_nan_metric":null'

begin 'the same from a pipe, in pieces, and with more threads'
status 0 "$JT" scan --trends -j 1 -f jsonl well.log diverge.log overfit.log
cp out one
status 0 "$JT" scan --trends -j 4 -f jsonl well.log diverge.log overfit.log
t cmp one out
t "$JT" scan --trends -f jsonl -o out - <overfit.log
t test "$(rules out)" = 'trend.overfit '

begin 'a site changes thresholds and switches rules off'
cat >site.yaml <<'Y'
trends:
  - id: trend.overfit
    rise: 1000
Y
status 0 "$JT" scan --trends -f jsonl -t site.yaml overfit.log
t test "$(rules out)" = ''
echo 'disable: [trend.loss_diverging]' >off.yaml
status 0 "$JT" scan --trends -f jsonl -t off.yaml diverge.log
t test "$(rules out)" = ''
echo 'trends: [{id: trend.overfit, rise: -1}]' >bad.yaml
status 2 "$JT" scan --trends -t bad.yaml overfit.log
has err "bad.yaml:1:36: 'rise' must be a number over 0"

begin 'a plot that fits, at 80 and at 60 columns'
status 0 "$JT" explain dies.log
has out 'ValueError' 'Trends (warnings' 'The loss diverges.' 'dies.log:' '█'
t "$PYTHON" - 80 <<'P'
import sys
rows = [l.rstrip("\n") for l in open("out", encoding="utf-8")]
assert all(len(l) <= int(sys.argv[1]) for l in rows)
assert sum(" |" in l for l in rows) >= 4
P
status 0 "$JT" explain -f markdown overfit.log
has out '### Trends' '**The model overfits.**' '    validation loss'
status 0 "$JT" explain overfit.log
has out 'Ended well' 'The model overfits.' 'validation loss (val loss)'

begin 'plain characters where the locale is not UTF-8'
LC_ALL=C status 0 "$JT" explain dies.log
has out '#' 'The loss diverges.'
hasnt out '█'

begin 'run tells it, too'
status 1 "$JT" run -- "$PYTHON" train.py diverge dies
has err 'The loss diverges.' 'ValueError'

begin 'a store does not mix up what was asked for'
status 0 "$JT" scan --store sqlite:s.db -f jsonl overfit.log
hasnt out '"trends"'
status 0 "$JT" scan --trends --store sqlite:s.db -f jsonl overfit.log
t test "$(rules out)" = 'trend.overfit '
status 0 "$JT" scan --trends --store sqlite:s.db -f jsonl overfit.log
t test "$(rules out)" = 'trend.overfit '

begin 'the report counts them, and draws them'
status 0 "$JT" scan --trends -f jsonl *.log
cp out night
status 0 "$JT" report night
has out 'Trends (warnings)' 'trend.loss_diverging' 'trend.overfit'
status 0 "$JT" report -f html night
has out 'Trends (warnings, no part of the verdict)'
status 0 "$JT" scan -f jsonl *.log
cp out night
status 0 "$JT" report night
hasnt out 'Trends'

done_cases
