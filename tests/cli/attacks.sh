# Text that attacks whoever looks at it: escapes for terminals, bidi overrides,
# markup, formulas, in every place that is not ours (log text, path and member
# names, job ids, users, nodes, accounts), read back from every output with a
# parser for it.
. "$TOP/tests/lib.sh"

cat >attacks.py <<'P'
import csv, html.parser, io, json, os, re, sqlite3, sys, zipfile

ATTACKS = [
    b"\x1b[2J\x1b[31mred", b"\x1b]8;;http://evil/\x1b\\link\x1b]8;;\x1b\\",
    b"\x1b]52;c;ZXZpbA==\x07", b"\x1bP+q544e\x1b\\", b"\xc2\x9b31mC1",
    b"\x9b31mraw", b"\xc2\x9d8;;x\xc2\x9c", b"over\rwrite", b"back\b\b\bspace",
    "a\u202eb\u2066c\u2069\u202c".encode(), "zero\u200bwidth\ufeff".encode(),
    "line\u2028sep".encode(), "tag\U000e0041".encode(),
    b"<script>alert(1)</script>", b"<img src=x onerror=alert(1)>",
    b"</script><svg onload=alert(1)>", b"\"' onmouseover=alert(1) x='",
    b"]]>--><!--", b"javascript:alert(1)", b"=cmd|' /C calc'!A0",
    b"+1+1", b"-1+1", b"@SUM(1)", b"\t=1+1", b"\r=1+1",
    b"![i](http://evil/i.png)", b"[l](javascript:alert(1))", b"`code` **b**",
    b"a|b|c", b"<details open>", b"# head", b'x"} 1\nevil{l="', b"back\\slash\\",
    b"'; DROP TABLE diagnosis; --", b'","verdict":"retry","x":"',
    b"\xed\xa0\x80 lone", b"\xff\xfe bad", b"nul\0byte", b"$(id) `id`",
    b"%s%n%x", b"&amp; &lt;b&gt;",
]

def make():
    os.makedirs(b"in/names")
    rows = ["JobID|State|ExitCode|User|Account|Partition|NodeList|Start|End"]
    with zipfile.ZipFile("in/members.zip", "w") as z:
        for i, a in enumerate(ATTACKS):
            log = (b"node " + a + b" " + a + b"\n"
                b'Traceback (most recent call last):\n  File "' + a +
                b'", line 3, in f\n    ' + a + b"\nKeyError: '" + a + b"'\n")
            with open("in/slurm-%d.out" % (1000 + i), "wb") as f:
                f.write(log)
            name = a.replace(b"/", b"_").replace(b"\0", b"_")
            with open(b"in/names/" + name + b".log", "wb") as f:
                f.write(log)
            z.writestr(a.decode("utf-8", "replace").replace("\0", "_") +
                ".log", log)
            t = re.sub("[|\n\r\0]", "_", a.decode("utf-8", "surrogateescape"))
            rows.append("|".join(["%d" % (1000 + i), "FAILED", "1:0", t, t, t,
                t, "2024-05-01T00:00:00", "2024-05-01T01:00:00"]))
            rows.append("|".join([t, "FAILED", "1:0", t, t, t, t,
                "2024-05-01T00:00:00", "2024-05-01T01:00:00"]))
    with open("sacct.txt", "wb") as f:
        f.write("\n".join(rows).encode("utf-8", "surrogateescape") + b"\n")

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\U000e0000-\U000e007f]")

def clean(text, what):
    m = HIDDEN.search(text)
    assert not m, "%s: U+%04X in %r" % (what, ord(m.group()),
        text[max(0, m.start() - 60):m.end() + 20])

def load(name):
    data = open(name, "rb").read()
    assert data, name + " is empty"
    return data.decode("utf-8")     # raises where it is not UTF-8

def text(name):
    clean(load(name), name)

def lines(name):
    n = 0
    for l in load(name).split("\n"):
        if l:
            d = json.loads(l)
            if d["schema"] == "jobtriage.store/1":
                d = d.get("record", {})
            assert d.get("verdict", "none") in ("retry", "adjust", "stop",
                "undecided", "none"), d["verdict"]
            l.encode("utf-8")
            assert not re.search("[\x00-\x1f\x7f]", l), name
            json.dumps(d).encode("ascii")
            n += 1
    assert n > len(ATTACKS)

def whole(name):
    s = load(name)
    json.loads(s)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f]", s), name

def table(name):
    s = load(name)
    clean(s.replace("\r\n", "\n"), name)
    rows = list(csv.reader(io.StringIO(s, newline=""), strict=True))
    width = len(rows[0])
    for r in rows:
        assert len(r) == width, r
        for cell in r:
            assert not re.match("[=+@\t\r]|-(?![0-9.]+$)", cell), repr(cell)

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.script = set(), 0
    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for k, v in attrs:
            assert not k.startswith("on"), (tag, k, v)
            assert not (v or "").lower().strip().startswith("javascript:"), v
            assert k not in ("src",), (tag, k, v)
            if k == "href":
                assert v.startswith("#") or v.startswith("data:") or \
                    v.startswith("https://"), v
    def handle_comment(self, data):
        assert "]]>" not in data

def page(name):
    s = load(name)
    clean(re.sub("(?s)<script.*?</script>", "", s).replace("\r", ""), name)
    p = Page()
    p.feed(s)
    assert not p.tags & {"img", "iframe", "object", "embed", "base"}, p.tags
    assert s.count("<script") == s.count("</script>")
    assert "alert(1)</script>" not in s and "<svg onload" not in s
    for block in re.findall('(?s)<script[^>]*json[^>]*>(.*?)</script>', s):
        json.loads(block)

def markdown(name):
    # ours: no @name and no #1 becomes a link
    s = re.sub("(?<=[@#])\u200b", "", load(name))
    clean(s, name)
    # outside code, no attack may be markup
    s = re.sub(r"(?m)(?<=\n\n)(?: {4}.*\n|\n(?= {4}))+", "", s)
    s = re.sub(r"(?ms)^( *)(`{3,}|~{3,}).*?^\1\2`*$", "", s)
    s = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", s)
    s = re.sub(r"\\[!-/:-@\[-`{-~]", "E", s)
    for bad in ("<script", "<img", "<svg", "<details", "![i](", "[l](",
            "**b**", "](javascript"):
        assert bad not in s, "%s: %s: %r" % (name, bad,
            s[max(0, s.index(bad) - 80):s.index(bad) + 60])

def metrics(name):
    s = load(name)
    clean(s, name)
    line = re.compile(r'^jobtriage_[a-z_]+(\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"'
        r'(,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? -?[0-9.]+$')
    for l in s.split("\n"):
        assert not l or l.startswith("# ") or line.match(l), l

def store(name):
    db = sqlite3.connect(name)
    db.text_factory = bytes
    assert db.execute("pragma integrity_check").fetchone()[0] == b"ok"
    tables = [t.decode() for (t,) in db.execute(
        "select name from sqlite_master where type='table'")]
    assert "diagnosis" in tables, tables
    n = 0
    for t in tables:
        rows = db.execute('select * from "%s"' % t)
        names = [c[0] for c in rows.description]
        for row in rows:
            n += 1
            for k, v in zip(names, row):
                # paths are bytes, records are compressed, the brief form is
                # binary
                if isinstance(v, bytes) and k not in ("key", "lookup",
                        "record", "brief"):
                    v.decode("utf-8")
    assert n > len(ATTACKS), n

globals()[sys.argv[1]](*sys.argv[2:])
P

"$PYTHON" attacks.py make
base='--jobs sacct.txt --no-progress'

# keep COMMAND...: what it prints into got, what it says into said
keep() {
	timeout 100 "$JT" "$@" >got 2>said </dev/null
	got=$?
	[ "$got" -lt 4 ] || [ -n "$why" ] || why="$*: status $got"
}

for f in text:text jsonl:lines json:whole csv:table; do
	begin "scan as ${f%:*}"
	# shellcheck disable=SC2086
	keep scan $base -f "${f%:*}" in
	t "$PYTHON" attacks.py "${f#*:}" got
	[ ! -s said ] || t "$PYTHON" attacks.py text said
done
begin 'scan in colour'
# shellcheck disable=SC2086
keep scan $base --color always in
sed 's/\x1b\[[0-9;]*m//g' got >plain
t "$PYTHON" attacks.py text plain

begin 'the store'
# shellcheck disable=SC2086
keep scan $base --store sqlite:s.db -f jsonl in
t "$PYTHON" attacks.py store s.db
keep store export --store sqlite:s.db
t "$PYTHON" attacks.py lines got

since='--since 2024-04-30 --until 2024-05-03'
for f in text:text json:whole csv:table markdown:markdown prometheus:metrics \
	html:page; do
	begin "report as ${f%:*}"
	# shellcheck disable=SC2086
	keep report --store sqlite:s.db $since -f "${f%:*}"
	t "$PYTHON" attacks.py "${f#*:}" got
	if command -v promtool >/dev/null && [ "${f%:*}" = prometheus ]; then
		t promtool check metrics <got
	fi
done

# all COMMAND...: on each log, one after the other
all() {
	for log in in/slurm-10*.out in/names/*; do
		timeout 20 "$JT" "$@" --jobs sacct.txt "$log" 2>>said
	done >got </dev/null
}

for f in text:text json:lines markdown:markdown; do
	begin "explain as ${f%:*}"
	: >said
	all explain -f "${f%:*}"
	t "$PYTHON" attacks.py "${f#*:}" got
	[ ! -s said ] || t "$PYTHON" attacks.py text said
done

for f in line:text json:lines; do
	begin "gate as ${f%:*}"
	: >said
	all gate --print "${f%:*}"
	t "$PYTHON" attacks.py "${f#*:}" got
	[ ! -s said ] || t "$PYTHON" attacks.py text said
done

done_cases
