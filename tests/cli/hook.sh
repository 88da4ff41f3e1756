# The Slurm hook's parts that need no Slurm: what it writes where users look,
# its mails, its settings and `check`. With Slurm: tests/integration/slurm*.sh.
. "$TOP/tests/lib.sh"
need flock setsid
LIB=$TOP/classifier/slurm
hook=$LIB/jobtriage-epilogslurmctld
cat >parts.sh <<P
work=$PWD/work
mkdir -p $PWD/work
. $LIB/epilog_conf.sh
. $LIB/epilog_job.sh
. $LIB/epilog_dependents.sh
. $LIB/epilog_act.sh
. $LIB/epilog_check.sh
P
# part COMMAND...: in a shell that has the hook's functions
part() {
	sh -c '. ./parts.sh; . ./set.sh; "$@"' sh "$@"
}
: >set.sh

# kept OLD NEW: what is in the field then
kept() {
	t test "$(part beside "$1" "$2")" = "$3"
}
begin 'the reason is put beside what others have written, in place of ours'
one='jobtriage: retry: loss_nan: a | b; attempt 1, requeued'
two='jobtriage: stop: loss_nan: c; attempt 12'
kept '(null)' "$one" "$one"
kept '' "$one" "$one"
kept "$one " "$two" "$two"
kept 'JS1:H4sI/A==' "$one" "JS1:H4sI/A== | $one"
kept "JS1:H4sI/A== | $one" "$two" "JS1:H4sI/A== | $two"
kept "$one | JS1:x  y" "$two" "JS1:x  y | $two"
kept "mine | $one | $one | theirs" "$two" "mine | theirs | $two"
kept "$two;$one" "$two" "; | $two"
kept 'jobtriage: written by hand' "$two" "jobtriage: written by hand | $two"

begin 'it has the text and the line that prove it, and no more than fits'
mkdir -p work
cat >set.sh <<'S'
verdict=stop attempt=3
S
echo key_not_found >work/line.category
echo 'A key is missing' >work/line.reason
echo train.py:27 >work/line.place
printf 'KeyError: \033[1mjobtriage: lr; attempt 9\n' >work/line.evidence
t test "$(part about '')" = "jobtriage: stop: key_not_found: A key is missing \
(train.py:27) | KeyError: ?[1mjobtriage lr, attempt 9; attempt 3"
head -c 3000 /dev/zero | tr '\0' x >work/line.evidence
t test "$(part about '' | wc -c)" -eq 511

begin 'what waits for an array waits for its tasks, or no longer'
cat >set.sh <<'S'
target=4711_2
S
# again TASKS OLD NEW
again() {
	t test "$(echo "$2" | part rearmed "$1")" = "$3"
}
again 4711_2:4711_7 'afterok:4711_*(failed)' 'afterok:4711_2:4711_7'
again 4711_2 'afterok:4711_*(failed),afterany:9(unfulfilled)' \
    'afterok:4711_2,afterany:9'
again 4711_2:4711_7 'afternotok:4711_*(unfulfilled)' \
    'afternotok:4711_2?afternotok:4711_7'
again none 'afterok:4711_*(failed)' ''
again none 'afterok:4711_*(failed),afterany:9(unfulfilled)' afterany:9
again none 'afterany:9(unfulfilled),afterok:4711_*(failed)' afterany:9
again none 'afterok:4711_*(failed)?afterok:9(unfulfilled)' ''
again none 'afterany:4711_*(unfulfilled)' afterany:4711

begin 'what is submitted for an array later, by what has become of its tasks'
mkdir -p later
cat >later/squeue <<'S'
#!/bin/sh
case "$*" in
*'-t PD'*) echo '60|60|afterok:4711_*(unfulfilled)' ;;
esac
S
printf '#!/bin/sh\necho "$*" >>%s/asked\n' "$PWD" >later/scontrol
chmod +x later/*
cat >set.sh <<S
PATH=$PWD/later:\$PATH SHADOW=no DIR=$PWD/arrays LOG=$PWD/log state=COMPLETED
target=4711_\${task:-2}
S
asked() {
	t test "$(cat asked 2>/dev/null | wc -l)" = "$1"
}
part remember well
asked 0
part remember requeued
part remember well
asked 1
has asked 'update JobId=60 Dependency='
# Slurm may have forgotten the one that failed
task=3 part remember failed
part remember well
asked 1
task=3 part remember well
asked 2
sed -i 's/SHADOW=no/SHADOW=yes/' set.sh
task=4 part remember failed
t test "$(ls -R arrays | grep -c failed)" = 0

begin 'mails: a bounded number an hour, to users alone'
cat >set.sh <<S
verdict=stop attempt=3 target=4711 MAIL=yes MAIL_HOUR=2 DIR=$PWD/dir
MAIL_DOMAIN=example.org MAIL_FROM=jobtriage@example.org LOG=$PWD/log
SENDMAIL='tee -a $PWD/sent' SLURM_JOB_ID=4711 SLURM_JOB_NAME='a
Bcc: all' SLURM_JOB_STDOUT=/home/ada/a.out
\${who:+:} false || SLURM_JOB_USER=\${who:-ada}
S
for _ in 1 2 3; do
	t part mail_user 'jobtriage: stop: why; attempt 3'
done
t test "$(grep -c '^To: ada@example.org$' sent)" = 2
t test "$(grep -c '^Subject: Job 4711: stop, key_not_found$' sent)" = 2
t test "$(grep -c 'No more mails' sent)" = 1
has sent 'jobtriage: stop: why; attempt 3' 'Logs: /home/ada/a.out'
head -n 6 sent >head
hasnt head Bcc
for who in -oQ 'a b' 'x@y' '../x'; do
	t env "who=$who" sh -c '. ./parts.sh; . ./set.sh; mail_user text'
done
t test "$(grep -c ^To: sent)" = 2
cat >>set.sh <<'S'
SENDMAIL=false SLURM_JOB_USER=bob
S
t part mail_user text
has log 'no mail to bob: false failed'

begin 'wrong settings are told, right ones are not'
: >set.sh
t test -z "$(part validate)"
cat >set.sh <<'S'
STOP=specail SHADOW=No WORKERS=0 LIMIT=1m STATES='FAILED DEAD' DIR=here
MAIL= DEPENDENTS=rearm REASON_FIELD=Remark
S
part validate >told
has told "STOP='specail': expected leave, special or hold" \
    "SHADOW='No': expected yes or no" "WORKERS='0': expected a number from 1" \
    "LIMIT='1m'" "STATES: 'DEAD'" "DIR='here'" "MAIL=''" "DEPENDENTS='rearm'" \
    "REASON_FIELD='Remark'"
t test "$(wc -l <told)" -eq 9

# ---- check, with a Slurm that answers what it is told to ----
mkdir -p bin state
cat >bin/scontrol <<S
#!/bin/sh
cat $PWD/slurm.txt
S
printf '#!/bin/sh\n' >bin/squeue
cp bin/squeue bin/sinfo
chmod +x bin/*
cat >slurm.txt <<S
ClusterName             = alpha
EpilogSlurmctld         = $hook
MinJobAge               = 300 sec
PrologEpilogTimeout     = 65534
JobRequeue              = 1
JobFileAppend           = 1
AccountingStorageType   = accounting_storage/slurmdbd
SlurmUser               = $(id -un)($(id -u))
SLURM_VERSION           = 22.05.8
S
conf() {
	cp "$LIB/gate.conf" gate.conf
	printf '%s\n' "PATH=$PWD/bin:\$PATH" "JOBTRIAGE=$JT" \
	    "DIR=$PWD/state" "STORE=sqlite:$PWD/state/gate.db" "LOG=$PWD/log" \
	    READ_AS=true "$@" >>gate.conf
}
JOBTRIAGE_GATE_CONF=$PWD/gate.conf
export JOBTRIAGE_GATE_CONF

begin 'check: all is well'
conf 'case $SLURM_JOB_PARTITION in debug) SHADOW=yes ;; *) SHADOW=no ;; esac'
status 0 "$hook" check
has out 'ok: slurmctld 22.05.8 of cluster alpha' "ok: EpilogSlurmctld=$hook" \
    'ok: nothing is wrong' 'gate.db is going to be made'
hasnt out note:

begin 'check: what is wrong'
conf STOP=specail SHADOW=No JOBTRIAGE=/nonexistent STORE=sqlite:/nonexistent/a \
    REASON_FIELD=Extra MAIL=yes SENDMAIL=/nonexistent/sendmail
sed -i 's/^EpilogSlurmctld.*/EpilogSlurmctld = (null)/; s/300/5/' slurm.txt
status 1 "$hook" check
has err "STOP='specail'" "SHADOW='No'" 'until it is right nothing is done' \
    'no program /nonexistent' 'slurmctld has no EpilogSlurmctld' \
    'this Slurm has no such field' 'no program /nonexistent/sendmail'
has out 'MinJobAge=5'
conf 'STORE=sqlite:/nonexistent/a'
status 1 "$hook" check
has err 'may not write to /nonexistent'
echo 'case x in' >>gate.conf
status 1 "$hook" check
has err 'is not accepted'
JOBTRIAGE_GATE_CONF=/nonexistent/gate.conf status 1 "$hook" check
has err 'cannot read /nonexistent/gate.conf'

begin 'usage'
status 2 "$hook" chekc
has err 'usage: '
status 2 "$hook" test '1 2'
done_cases
