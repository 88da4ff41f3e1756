# The Debian packages, in a fresh root of this machine's release: built, looked
# at by lintian, installed as the Containerfile does it, upgraded, removed and
# purged.
. "$TOP/tests/lib.sh"
need dpkg-buildpackage dh lintian mmdebstrap
if [ "$(id -u)" -ne 0 ]; then
	echo 'skip packages: a root of its own takes root'
	exit 0
fi
unset MAKEFLAGS MAKELEVEL
packaging=$TOP/classifier/packaging
version=$("$JT" --version | sed 's/^jobtriage //')
debs=$BUILD/deb
root=$PWD/root

in_root() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
	    DEBIAN_FRONTEND=noninteractive "$@"
}

# as USER COMMAND...
as() {
	user=$1
	shift
	in_root setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
}

# put FILE...: into the root's /tmp; it is there for all to read
put() { cp "$@" "$root/tmp/"; }

# every file that is named after the program; what dpkg remembers is its own
left() {
	(cd "$root" && find . -name '*jobtriage*' ! -path './var/lib/dpkg/*' \
	    ! -path './var/log/*' ! -path './tmp/*' ! -path './proc/*')
}

begin 'the packages are built'
t sh "$packaging/deb.sh" "$BUILD" "$version"
[ -z "$why" ] || done_cases
deb=$(echo "$debs"/jobtriage_*.deb)
site=$(echo "$debs"/jobtriage-site_*.deb)
for file in "$deb" "$site"; do
	t test "$(dpkg-deb -f "$file" Version)" = "$version-0.1"
done

begin 'lintian'
t lintian --allow-root --fail-on error "$debs"/*.changes
sed 's/^/# /' t.out

begin 'nothing names another prefix, and no cron runs beside the timer'
dpkg-deb -x "$site" units
dpkg-deb -x "$deb" units
t test -z "$(grep -rlE '/usr/local/[a-z]*/jobtriage' units)"
t test ! -e units/etc/cron.d

# ---- a fresh root ----------------------------------------------------------
begin 'a fresh root'
# shellcheck disable=SC1091
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016 # apt's words
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' \
    'Created-By: Packages' | awk -v c="$codename" '$2 == c { print $1; exit }')
t timeout 200 mmdebstrap --mode=root --variant=apt --include=systemd \
    --skip=cleanup/apt/lists --aptopt='Acquire::Languages "none"' \
    --aptopt='Acquire::Retries "5"' --dpkgopt=force-unsafe-io "$codename" "$root" \
    "${mirror:-http://deb.debian.org/debian}"
[ -z "$why" ] || done_cases
# as an image would have it, which has no network of its own to know
cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null

begin 'the Containerfile: its steps install the program'
sed -n '/^RUN/,/[^\\]$/p' "$packaging/Containerfile" | sed '1s/^RUN //' >step
t test "$(grep -c '^RUN' "$packaging/Containerfile")" -eq 1
t grep -qx 'COPY jobtriage_\*.deb /tmp/' "$packaging/Containerfile"
put "$deb"
t in_root sh -ec "$(cat step)"
has "$packaging/Containerfile" 'ENTRYPOINT ["jobtriage"]'
user=$(sed -n 's/^USER \([0-9]*\):.*/\1/p' "$packaging/Containerfile")
t test "$(as "$user" jobtriage --version)" = "jobtriage $version"
t test ! -e "$root/etc/jobtriage"
t test -z "$(find "$root/usr/local" -type f)"

begin 'the program works there'
printf 'open("/no/such/file")\n' >dead.py
"$PYTHON" dead.py >"$root/tmp/slurm-7.out" 2>&1
gzip -k "$root/tmp/slurm-7.out"
status 0 as "$user" jobtriage scan --format jsonl --store /tmp/first.db /tmp
has out '"category":"path_not_found"'
status 1 as "$user" jobtriage gate --exit-code 1 /tmp/slurm-7.out.gz
# the wrapper, with the program and a log of its own
status 93 as "$user" jobtriage-retry -- ./no-such-command
has err verdict=stop
for link in usr/share/man/man1/jobtriage.1.gz \
    usr/share/doc/jobtriage/examples/kubernetes-job.yaml \
    usr/share/jobtriage/taxonomy/README.md; do
	t test -e "$root/$link"
done

begin 'the night and the hook: there, and off'
put "$site"
t in_root dpkg -i "/tmp/${site##*/}"
t in_root sh -c 'getent passwd jobtriage | grep -q /nologin$'
t test "$(in_root stat -c '%a %U %G' /var/lib/jobtriage)" = \
    '750 jobtriage jobtriage'
status 1 in_root systemctl is-enabled jobtriage-nightly.timer
has out disabled
t test -x "$root/usr/libexec/jobtriage/epilogslurmctld"
t test -r "$root/etc/jobtriage/gate.conf"
in_root dpkg-query -W -f '${Conffiles}' jobtriage-site >conffiles
has conffiles /etc/jobtriage/gate.conf /etc/jobtriage/nightly.conf
t in_root systemd-analyze verify /lib/systemd/system/jobtriage-nightly.timer

begin 'the user of the night makes a report'
cat >"$root/etc/jobtriage/nightly.conf" <<'C'
LOGS=/tmp/slurm-7.out
STORE=sqlite:/var/lib/jobtriage/jobs.db
OUT=/var/lib/jobtriage/reports
JOBS_COMMAND=
C
status 0 as jobtriage jobtriage-nightly
t test -s "$root/var/lib/jobtriage/reports/latest.html"
# the hook leaves at once, whatever it is told
status 0 in_root env SLURM_JOB_ID=1 /usr/libexec/jobtriage/epilogslurmctld

# ---- the next version ------------------------------------------------------
# again FILE: the same package, of a higher version and with other settings
again() {
	rm -rf new
	dpkg-deb -R "$1" new
	sed -i "s/^Version:.*/Version: $version+next-0.1/
		s/(>= $version-0.1)/(>= $version+next-0.1)/" new/DEBIAN/control
	for conf in new/etc/jobtriage/*; do
		[ ! -e "$conf" ] || echo '# next' >>"$conf"
	done
	dpkg-deb -b new "$root/tmp/next-${1##*/}"
}

begin 'an upgrade keeps what was set'
t again "$deb"
t again "$site"
in_root systemctl enable jobtriage-nightly.timer >/dev/null 2>&1
t in_root sh -c 'dpkg --force-confdef --force-confold -i /tmp/next-*.deb'
for package in jobtriage jobtriage-site; do
	t test "$(in_root dpkg-query -W -f '${Status} ${Version}' "$package")" = \
	    "install ok installed $version+next-0.1"
done
has "$root/etc/jobtriage/nightly.conf" LOGS=/tmp/slurm-7.out
hasnt "$root/etc/jobtriage/nightly.conf" '# next'
has "$root/etc/jobtriage/gate.conf" '# next'
status 0 in_root systemctl is-enabled jobtriage-nightly.timer
t test -s "$root/var/lib/jobtriage/jobs.db"
status 0 as jobtriage jobtriage-nightly

begin 'removed: the settings and the stores stay'
t in_root dpkg -r jobtriage-site jobtriage
t test ! -e "$root/usr/bin/jobtriage"
t test ! -e "$root/usr/libexec/jobtriage"
t test ! -e "$root/usr/share/jobtriage"
has "$root/etc/jobtriage/nightly.conf" LOGS=
t test -s "$root/var/lib/jobtriage/jobs.db"

begin 'purged: nothing stays'
t in_root dpkg -P jobtriage-site jobtriage
t test ! -e "$root/etc/jobtriage"
t test "$(left)" = ''
t in_root dpkg --audit

done_cases
