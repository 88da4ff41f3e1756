# The administrator's guide, man/jobtriage-site.7, followed by its text: each
# command of it runs, on a scratch prefix, with a Slurm and a systemd that only
# answer.
. "$TOP/tests/lib.sh"
need make flock setsid
case $JT in
"$TOP"/build/jobtriage) ;;
*)
	echo 'skip site: what is installed is the plain build'
	exit 0 ;;
esac
unset BUILD MAKEFLAGS MAKELEVEL MFLAGS
# Other tests run the program meanwhile: it is not built anew under them.
make -q -C "$TOP" all >/dev/null 2>&1 || {
	echo 'skip site: the build is not the latest'
	exit 0
}
root=$PWD/root
guide=$TOP/man/jobtriage-site.7
mkdir -p bin "$root/etc/systemd/system" "$root/logs"

# What it says, with the paths below the scratch folder
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$guide" |
	sed "s,/usr/local/,$root/usr/local/,g; s,=/usr/local$,=$root/usr/local,
	    s, /etc, $root/etc,g; s, /var/lib/, $root/var/lib/,g
	    s,-o slurm -g slurm ,," >shown
sed -n 's/^# //p' shown >commands

# ---- a Slurm and a systemd that answer ----
cp "$TOP/corpus/path_not_found"/*.log "$root/logs"
log=$(find "$root/logs" -name '*.log' | sort | head -n 1)
: >slurm.conf
cat >job <<J
JobId=4711 JobName=train
   UserId=$(id -un)($(id -u)) GroupId=$(id -gn)($(id -g)) MCS_label=N/A
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0
   StartTime=2026-05-01T00:00:00 EndTime=2026-05-01T01:00:00
   Partition=main AllocNode:Sid=login:1
   NodeList=n1
   StdErr=$log
   StdOut=$log
J
cat >bin/scontrol <<S
#!/bin/sh
case \$1\$2 in
showjob) cat $PWD/job ;;
showhostnames) echo n1 ;;
showconfig)
	hook=\$(sed -n 's/^EpilogSlurmctld=//p' $PWD/running)
	echo "EpilogSlurmctld = \${hook:-(null)}"
	echo "SlurmUser = $(id -un)(0)"
	echo SLURM_VERSION = 22.05.8 ;;
*) echo "\$*" >>$PWD/touched ;;
esac
S
cat >bin/runuser <<'S'
#!/bin/sh
[ "$1/$2/$3" = -u/slurm/-- ] || exit 2
shift 3
exec "$@"
S
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >bin/as_user
# What is in slurm.conf counts from the restart on.
cat >bin/systemctl <<S
#!/bin/sh
echo "\$*" >>$PWD/systemctl.txt
[ "\$*" != 'restart slurmctld' ] || cp $PWD/slurm.conf $PWD/running
S
printf '#!/bin/sh\n' | tee bin/squeue bin/sinfo bin/useradd >/dev/null
chmod +x bin/*
: >running
PATH=$PWD/bin:$root/usr/local/bin:$root/usr/local/sbin:$PATH
JOBTRIAGE_GATE_CONF=$root/etc/jobtriage/gate.conf
export PATH JOBTRIAGE_GATE_CONF

# settle FILE: the settings of the example, on the scratch folder
settle() {
	sed -i "s,/var/lib/,$root/var/lib/,; s,^READ_AS=.*,READ_AS=," "$1"
	printf '%s\n' "PATH=$PWD/bin:\$PATH" "READ_AS=$PWD/bin/as_user" >>"$1"
}

n=0 checks=0
while read -r command <&3; do
	n=$((n + 1))
	begin "$n: $(echo "$command" | sed "s,$root,,g")"
	want=0
	case $command in
	*check)
		checks=$((checks + 1))
		[ "$checks" -gt 1 ] || want=1 ;;
	esac
	status "$want" sh -c "cd $TOP && $command"
	case $command in
	*gate.conf*) settle "$root/etc/jobtriage/gate.conf" ;;
	*check)
		[ "$want" = 0 ] || {
			has err 'slurmctld has no EpilogSlurmctld' '1 wrong'
			sed -n '/^EpilogSlurmctld=/p' shown >slurm.conf
			t test -s slurm.conf
		} ;;
	*' test 4711')
		has out 'jobtriage: ' 'would run: scontrol' path_not_found
		t test ! -e touched ;;
	esac
done 3<commands
begin 'all of it was followed'
t test "$n" -ge 12
t test "$checks" = 2
has systemctl.txt 'enable --now jobtriage-nightly.timer'

begin 'what is installed is found below its prefix'
t test -x "$(sed -n 's/^EpilogSlurmctld=//p' slurm.conf)"
t test -x "$(sed -n 's/^ExecStart=//p' \
    "$root/etc/systemd/system/jobtriage-nightly.service")"
cat >>"$root/etc/jobtriage/nightly.conf" <<C
LOGS=$root/logs STORE=sqlite:$PWD/night.db OUT=$PWD/reports JOBS_COMMAND=
TEXTFILE= KEEP_DAYS=
C
bare=$(echo "$PATH" | sed "s,$root/usr/local/s*bin:,,g")
status 0 env PATH="$bare" "$root/usr/local/bin/jobtriage-nightly" \
    -c "$root/etc/jobtriage/nightly.conf" 2026-05-01
t test -s reports/2026-05-01.html
status 0 jobtriage-epilogslurmctld check
has out "ok: $root/usr/local/bin/jobtriage: "

begin 'pages, and nothing is left when it is removed'
for page in man7/jobtriage-site.7 man8/jobtriage-nightly.8 \
	man8/jobtriage-epilogslurmctld.8 man1/jobtriage-retry.1; do
	t test -s "$root/usr/local/share/man/$page"
done
t make -s -C "$TOP" uninstall PREFIX="$root/usr/local"
t test -z "$(find "$root/usr/local" ! -type d)"
done_cases
