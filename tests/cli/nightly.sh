# The nightly recipe on a few nights of a made-up cluster, and the figures of
# its report against the true ones.
. "$TOP/tests/lib.sh"
need flock base64 "$PYTHON"

TZ=UTC0
export TZ
month=$PWD/month
nightly=$TOP/reports/nightly/jobtriage-nightly
"$PYTHON" "$TOP/tests/integration/month.py" "$month" --nights 3 --jobs 300 ||
	exit 1

# conf [LINE...]: the configuration, with lines that override it
conf() {
	cat >nightly.conf <<C
LOGS=$month/logs/\$SINCE
JOBS_COMMAND="cat $month/sacct/\$SINCE.txt"
STORE=sqlite:$PWD/jobs.db
OUT=$PWD/reports
TEXTFILE=$PWD
TIMEZONE=UTC0
MAIL_TO="ops@example.org, night@example.org"
MAIL_FROM=jobtriage@example.org
SENDMAIL="tee $PWD/sent"
JOBTRIAGE=$JT
C
	for line in "$@"; do
		printf '%s\n' "$line" >>nightly.conf
	done
}

# night STATUS DAY: one run
night() {
	rm -f sent
	status "$1" "$nightly" -c "$PWD/nightly.conf" "$2"
}

# kept: how many diagnoses the store holds
kept() {
	"$JT" store info --store "sqlite:$PWD/jobs.db" --format json |
		"$PYTHON" -c 'import json, sys
print(json.load(sys.stdin)["diagnoses"])'
}

# mailed SUBJECT WORD HTML: the message that was sent; HTML is the attachment's
# file, or nothing
cat >mailed.py <<'P'
import email, email.policy, sys
m = email.message_from_binary_file(open("sent", "rb"),
                                   policy=email.policy.default)
subject, word, html = sys.argv[1:]
assert not m.defects, m.defects
assert m["Subject"] == subject, m["Subject"]
assert [a.addr_spec for a in m["To"].addresses] == [
    "ops@example.org", "night@example.org"], m["To"]
assert m["From"].addresses[0].addr_spec == "jobtriage@example.org"
assert m["Date"].datetime and m["Message-ID"], m.items()
parts = list(m.iter_parts())
text = parts[0].get_content()
assert parts[0].get_content_type() == "text/plain" and word in text, text
assert len(parts) == (2 if html else 1), len(parts)
if html:
    assert parts[1].get_content_type() == "text/html"
    assert parts[1].get_filename() == html.rsplit("/")[-1].replace(
        "2025", "jobtriage-2025", 1), parts[1].get_filename()
    assert parts[1].get_payload(decode=True) == open(html, "rb").read()
P
mailed() {
	t "$PYTHON" mailed.py "$@"
}

begin 'a night: every report, the metrics, and the mail'
conf
night 0 2025-03-01
night 0 2025-03-02
for kind in html txt md json; do
	t test -s "reports/2025-03-02.$kind"
done
t test "$(readlink reports/latest.html)" = 2025-03-02.html
mailed 'Failed jobs, 2025-03-02' 2025-03-02 reports/2025-03-02.html
has jobtriage.prom jobtriage_failures
has jobtriage_nightly.prom 'jobtriage_nightly_problems 0'
t "$PYTHON" -c 'import json; json.load(open("reports/2025-03-02.json"))'
t test "$(ls -A reports | wc -l)" -eq 10
t test "$(stat -c %a reports/2025-03-02.html jobtriage.prom \
	jobtriage_nightly.prom | tr '\n' ' ')" = '640 644 644 '

begin 'a second run adds nothing'
before=$(kept)
t test "$before" -gt 100
cp reports/2025-03-02.json first.json
night 0 2025-03-02
t test "$(kept)" = "$before"
night 0 2025-03-01
t test "$(kept)" = "$before"

begin 'without job records there is still a report, and it says so'
conf 'JOBS_COMMAND="echo JobID; echo slurmdbd is away >&2; exit 3"'
night 1 2025-03-03
mailed 'Failed jobs, 2025-03-03 (1 step failed)' \
	'fetching job records failed (status 3): slurmdbd is away' \
	reports/2025-03-03.html
has err 'slurmdbd is away'
has jobtriage_nightly.prom 'jobtriage_nightly_problems 1'
conf
night 0 2025-03-03

begin 'the default asks sacct for the fields that it has'
mkdir -p bin
cat >bin/sacct <<S
#!/bin/sh
case \$1 in
--helpformat)
	echo 'Account             AdminComment        AllocCPUS           AllocTRES'
	echo 'Cluster             Elapsed             ElapsedRaw          End'
	echo 'ExitCode            JobID               JobIDRaw            JobName'
	echo 'NNodes              NodeList            Partition           Start'
	echo 'State               Submit              User' ;;
*Restarts* | *Reason*) exit 1 ;;
*)
	[ "\$SLURM_TIME_FORMAT" = %s ] || exit 1
	echo "\$*" >$PWD/asked
	cat $month/sacct/2025-03-03.txt ;;
esac
S
chmod +x bin/sacct
grep -v JOBS_COMMAND nightly.conf >default.conf && mv default.conf nightly.conf
PATH=$PWD/bin:$PATH night 0 2025-03-03
has asked '-S 2025-03-03 -E 2025-03-04 -o JobID,JobIDRaw,Cluster,JobName,User,' \
	',AllocTRES'
hasnt asked Restarts
has err "This Slurm's sacct has no Restarts, Reason."
mailed 'Failed jobs, 2025-03-03' "This Slurm's sacct has no Restarts, Reason." \
	reports/2025-03-03.html
conf

begin 'logs of nodes are joined, and nodes to exclude are written'
cat >caller <<C
#!/bin/sh
echo "\$*" >>$PWD/called
exec $JT "\$@"
C
chmod +x caller
mkdir -p dmesg && : >dmesg/n1.dmesg
conf "JOBTRIAGE=$PWD/caller" "NODE_LOGS='$PWD/dmesg/*'" "LEMONS=$PWD/lemons"
night 0 2025-03-03
has called "--node-logs $PWD/dmesg/n1.dmesg"
has lemons '# holds until 2025-03-11T00:00:00Z' '2025-02-04T00:00:00Z to'
conf

begin 'each user whose jobs failed gets a mail, once a night'
cat >mailer <<S
#!/bin/sh
cat >"\$(mktemp $PWD/mails/XXXXXX)"
S
chmod +x mailer
mkdir mails
conf 'OWNER_MAIL=%u@example.org' "SENDMAIL=$PWD/mailer" MAIL_TO=
night 0 2025-03-02
"$JT" report --store "sqlite:$PWD/jobs.db" --since 2025-03-02 \
	--until 2025-03-03 --timezone UTC0 --digest user -f json >digest.json
t "$PYTHON" - <<'P'
import email, email.policy, glob, json
owners = {o["owner"]: o for o in json.load(open("digest.json"))["owners"]}
got = {}
for path in glob.glob("mails/*"):
    m = email.message_from_binary_file(open(path, "rb"),
                                       policy=email.policy.default)
    assert not m.defects, m.defects
    user = m["To"].addresses[0].username
    got[user] = m.get_content()
assert owners and got.keys() == owners.keys(), (got.keys(), owners.keys())
for user, o in owners.items():
    first = "%s: %d of %d attempts failed" % (user, o["failed"], o["attempts"])
    assert got[user].startswith(first), got[user][:200]
    assert "mostly: " in got[user]
    assert not any(user != other and "\n%s: " % other in got[user]
                   for other in owners), user
P
rm mails/*
night 0 2025-03-02
t test "$(ls mails | wc -l)" -eq 0
rm -f reports/.mailed-*
cat >address <<'S'
#!/bin/sh
printf '%s@x.org, bad@y.org\n' "$1"
S
chmod +x address
conf "OWNER_ADDRESS=$PWD/address" "SENDMAIL=$PWD/mailer" MAIL_TO=
night 0 2025-03-02
t test "$(ls mails | wc -l)" -eq 0
rm -f reports/.mailed-*
conf

begin 'records from files'
conf "JOBS_FILES='$month/sacct/2025-03-0[12].txt'" \
	'STORE=sqlite:files.db' 'MAIL_TO='
night 0 2025-03-01
t test ! -e sent
t test -s files.db

begin 'what the gate has kept is there, without a folder of logs'
mkdir -p own
printf 'step 5\nRuntimeError: mat1 and mat2 shapes cannot be multiplied %s\n' \
	'(32x768 and 512x256)' >own/train.txt
set -- 'JobID|User|State|ExitCode|Start|End|NodeList|Restarts' \
	'7001|ann|FAILED|1:0|2025-03-04T10:00:00|2025-03-04T11:00:00|n1|0' \
	'7001|ann|COMPLETED|0:0|2025-03-04T12:00:00|2025-03-04T13:00:00|n1|1' \
	'7002|ann|CANCELLED|0:0|None|2025-03-04T12:00:00|None assigned|0'
printf '%s\n' "$1" "$2" >first.txt
printf '%s\n' "$@" >all.txt
status 1 "$JT" gate --store sqlite:hook.db --job 7001 --attempt 1 \
	--jobs first.txt "$PWD/own/train.txt"
conf LOGS= JOBS_FILES=all.txt STORE=sqlite:hook.db \
	HOOK_METRICS="$PWD/hook.prom"
printf 'jobtriage_hook_not_kept_%s %s\n' total 000 last_seconds 000 >hook.prom
night 0 2025-03-04
t "$PYTHON" - <<'P'
import json
d = json.load(open("reports/2025-03-04.json"))["now"]
assert (d["attempts"], d["failed"]) == (2, 1), d
P
has reports/2025-03-04.txt 'Tensor Mismatch'

begin 'what the gate could not keep is in the mail'
printf 'jobtriage_hook_not_kept_%s %s\n' total 012 \
	last_seconds "$(date -d 2025-03-04T12:00 +%s)" >hook.prom
night 1 2025-03-04
has err "the gate's store failed" '12 attempts were not kept'
mailed 'Failed jobs, 2025-03-04 (1 step failed)' '12 attempts were not kept' \
	reports/2025-03-04.html
night 0 2025-03-05
rm hook.prom
night 1 2025-03-04
has err "cannot read $PWD/hook.prom"
conf

begin 'a missing folder of logs is told of and the rest goes on'
conf 'LOGS=/nonexistent/logs'
night 1 2025-03-02
mailed 'Failed jobs, 2025-03-02 (1 step failed)' /nonexistent/logs \
	reports/2025-03-02.html

begin 'a night that fails mails a note'
rm -f reports/2025-03-02.*
conf 'JOBTRIAGE=false'
night 1 2025-03-02
has sent 'Failed jobs, 2025-03-02: no report ('
t "$PYTHON" - <<'P'
import email, email.policy
m = email.message_from_binary_file(open("sent", "rb"),
                                   policy=email.policy.default)
parts = list(m.iter_parts())
text = parts[0].get_content()
assert len(parts) == 1, len(parts)
assert "diagnosing the logs failed (status 1)" in text, text
assert "jobtriage-nightly 2025-03-02 2025-03-03" in text, text
P

begin 'a mail that cannot be sent is told of, the reports stay'
conf 'SENDMAIL=false'
night 1 2025-03-02
has err 'sending the mail failed'
t test -s reports/2025-03-02.html

begin 'a report too large to send is named'
conf 'MAIL_MAX=10'
night 0 2025-03-02
mailed 'Failed jobs, 2025-03-02' "$PWD/reports/2025-03-02.html" ''

begin 'old diagnoses are forgotten'
conf 'KEEP_DAYS=1'
night 0 2025-03-01
t test "$(kept)" -lt "$before"

begin 'one run at a time'
conf
(
	flock 9
	status 75 "$nightly" -c nightly.conf 2025-03-02
	has err 'another run is at work'
	echo "$why" >inner
) 9>reports/.lock
t test -z "$(cat inner)"

# ---- where the superuser is nobody, as over NFS with root_squash ----
if [ "$(id -u)" -eq 0 ]; then
	begin 'logs in folders that only their owners may enter'
	# not in TMPDIR, which the owners may not enter
	homes=$(mktemp -d /tmp/jt-homes.XXXXXX)
	trap 'rm -rf "$homes"' EXIT
	chmod 755 "$homes"
	echo 'JobID|User|State|ExitCode|Start|End' >"$homes/jobs.txt"
	id=40
	for owner in nobody bin; do
		id=$((id + 1))
		mkdir -m 700 "$homes/$owner"
		printf 'open("/no/such/file")\n' >"$homes/$owner/train.py"
		"$PYTHON" "$homes/$owner/train.py" >"$homes/$owner/slurm-$id.out" 2>&1
		chown -R "$owner" "$homes/$owner"
		echo "$id|$owner|FAILED|1:0|2025-03-01T10:00:00|2025-03-01T11:00:00" \
			>>"$homes/jobs.txt"
	done
	# jobtriage as those users run it
	install -m 755 "$JT" "$homes/jobtriage"
	mkdir "$homes/logs"
	mkdir -m 1777 "$homes/tmp"
	mv "$homes/nobody" "$homes/bin" "$homes/logs"
	conf "LOGS=$homes/logs" "JOBS_FILES=$homes/jobs.txt" MAIL_TO= TEXTFILE= \
		"STORE=sqlite:$PWD/homes.db" "JOBTRIAGE=$homes/jobtriage"
	squashed() {
		status "$1" env "TMPDIR=$homes/tmp" setpriv --inh-caps=-all \
			--bounding-set=-all,+setuid,+setgid \
			"$nightly" -c "$PWD/nightly.conf" 2025-03-01
	}
	# told WORD: how often the store has it
	told() {
		"$JT" store export --store "sqlite:$PWD/homes.db" | grep -c "$1"
	}
	squashed 1
	has err 'Permission denied'
	t test "$(told path_not_found)" -eq 0
	echo READ_AS=owner >>nightly.conf
	squashed 0
	t test "$(told '"category":"path_not_found"')" -eq 2
	t test "$(told '"state":"FAILED"')" -eq 2
	t test -z "$(ls "$homes/tmp")"
	echo READ_AS=root >>nightly.conf
	squashed 2
	has err "READ_AS='root': expected owner"
	rm -rf "$homes"
else
	echo 'skip nightly: only root may read as other users'
fi

begin 'usage'
status 2 "$nightly" -c nowhere.conf
has err 'cannot read'
status 2 "$nightly" -c nightly.conf ../../etc
has err 'is no day'
status 2 "$nightly" -c nightly.conf 2025-03-02 2025-03-03 more
echo 'STORE=' >>nightly.conf
status 2 "$nightly" -c nightly.conf 2025-03-02
has err 'STORE and OUT'

begin 'over SMTP'
if command -v msmtp >/dev/null && "$PYTHON" -c 'import aiosmtpd' 2>/dev/null
then
	cat >sink.py <<'P'
import sys, time
from aiosmtpd.controller import Controller
class Sink:
    async def handle_DATA(self, server, session, envelope):
        assert envelope.rcpt_tos == ["ops@example.org", "night@example.org"]
        open("sent", "wb").write(envelope.content)
        return "250 kept"
for port in range(20025, 20125):
    try:
        c = Controller(Sink(), hostname="127.0.0.1", port=port)
        c.start()
        break
    except OSError:
        pass
open("port.new", "w").write(str(port))
__import__("os").rename("port.new", "port")
time.sleep(120)
P
	"$PYTHON" sink.py 2>sink.err &
	sink=$!
	trap 'kill "$sink" 2>/dev/null' EXIT
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -e port ] || sleep 1
	done
	conf 'SENDMAIL="msmtp -C /dev/null -t --host=127.0.0.1 --port='"$(
		cat port) --from=jobtriage@example.org\""
	night 0 2025-03-02
	mailed 'Failed jobs, 2025-03-02' 2025-03-02 reports/2025-03-02.html
	kill "$sink"
	trap - EXIT
else
	report
	echo "skip $name: msmtp or python3-aiosmtpd is missing"
	name=
fi

begin 'the figures are the true ones'
MONTH=$TMPDIR/month
export MONTH
t sh "$TOP/tests/bench/month.sh" 3 1000

done_cases
