#!/bin/sh
# Make every log of the corpus again: make.sh [PATTERN]...
# With patterns (shell globs on the file or folder, "none/*") only those. What a missing
# part of the machine makes impossible is said, and the shipped log stays.
# cases*.sh list the jobs; README.md says how to add one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${TMPDIR:-/tmp}/jobtriage-corpus
made=0 skipped=0 wrong=0
patterns=$*
ours=$(hostname 2>/dev/null || uname -n)

has() {
	case $1 in
	-) return 0 ;;
	ns) [ "$namespaces" = yes ] ;;
	mpi) command -v mpirun ;;
	cc) command -v gcc && command -v g++ ;;
	mpi4py | numpy | torch | pandas | h5py | sklearn | PIL | requests)
		/usr/bin/python3 -c "import importlib.util as u, sys
sys.exit(u.find_spec('$1') is None)" ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

wanted() {
	[ -z "$patterns" ] && return 0
	set -f
	for pattern in $patterns; do
		# shellcheck disable=SC2254
		case ${1%/} in $pattern) set +f; return 0 ;; esac
	done
	set +f
	return 1
}

# A clean environment: nothing of the caller's shell reaches a log.
within() {
	home=$1
	shift
	env -i HOME="$home" USER=ada LOGNAME=ada TZ=UTC LC_ALL=C.UTF-8 \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONHASHSEED=0 \
		PYTHONPATH="$home/lib" PYTHONDONTWRITEBYTECODE=1 \
		OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo \
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		LOGS="$home/logs" AS="$as" "$@"
}

# What still tells one machine or one run from another. Ports are given by
# the kernel at random; C++ reads a clock that nobody shifts.
scrub() {
	# namespaces give the host its name; otherwise replace the real one
	[ "$namespaces" = yes ] || sed -i -e "s/\\b$ours\\b/gn0142/g" "$@"
	sed -i -e "s|$top/home|/home/ada|g" -e "s|$here/programs|/home/ada|g" \
		-e 's/\(\[127\.0\.0\.1\]\):[0-9]\{2,5\}/\1:41733/g' \
		-e 's/\([WEIF]\)20[0-9]\{6\} [0-9:.]\{15\} /\120250311 08:00:05.218309 /' \
		"$@"
}

# job TARGET PROJECT NEEDS EXPECTED COMMAND: TARGET ends in .log (stdout and stderr of
# COMMAND) or in / (COMMAND leaves the files in $LOGS). COMMAND is for bash and
# starts in ~/PROJECT, a copy of programs/PROJECT. EXPECTED is a text without
# which the job died of something else than it should.
job() {
	wanted "$1" || return 0
	if ! cut -f1 "$here/labels.tsv" | grep -qxF "${1%/}"; then
		echo "wrong: $1 has no row in labels.tsv" >&2
		wrong=$((wrong + 1))
	fi
	for part in $(echo "$3" | tr , ' '); do
		has "$part" && continue
		echo "skipped $1: this machine lacks $part; the shipped log stays" >&2
		skipped=$((skipped + 1))
		return 0
	done
	rm -rf "${top:?}/home"
	mkdir -p "$top/home/logs"
	cp -r "$here/programs/$2" "$here/programs/lib" "$here/programs/tools" \
		"$top/home/"
	chmod -R u+rwX,go+rX "$top/home"
	chmod 777 "$top/home/logs"
	line="set -o pipefail; cd ~/$2; $5"
	if [ "$namespaces" = yes ]; then
		base=$(($(echo "$1" | cksum | cut -d' ' -f1) % 30000 + 2000))
		within /home/ada unshare --mount --pid --uts --ipc --net --fork \
			--mount-proc sh "$top/sandbox.sh" "$top/home" "$base" "$line"
	else
		within "$top/home" bash -c "$line"
	fi >"$top/out.log" 2>&1 </dev/null
	keep "$1" $? "$4"
}

# keep TARGET STATUS EXPECTED: a job that should have failed and did not (or the other
# way round) must not replace a shipped log.
keep() {
	good=no
	case $1 in
	none/*) [ "$2" -eq 0 ] && good=yes ;;
	*) [ "$2" -ne 0 ] && good=yes ;;
	esac
	case $1 in
	*/) rm -rf "$top/new"; cp -r "$top/home/logs" "$top/new" ;;
	*) rm -rf "$top/new"; mkdir "$top/new"; cp "$top/out.log" "$top/new/x" ;;
	esac
	grep -rqF -e "$3" "$top/new" || good=no
	[ -z "$(find "$top/new" -type f -size +60k)" ] || good=no
	if [ $good = no ]; then
		echo "wrong: $1 ended with $2, see $top/wrong/$1" >&2
		mkdir -p "$top/wrong/$1"
		cp -r "$top/out.log" "$top/new" "$top/wrong/$1/"
		wrong=$((wrong + 1))
		return 0
	fi
	find "$top/new" -type f | while read -r file; do scrub "$file"; done
	mkdir -p "$here/$(dirname "$1")"
	case $1 in
	*/) rm -rf "${here:?}/$1"; mkdir "$here/$1"; cp -r "$top/new/"* "$here/$1" ;;
	*) cp "$top/new/x" "$here/$1" ;;
	esac
	made=$((made + 1))
}

as=
[ "$(id -u)" -ne 0 ] ||
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
namespaces=no
if [ "$(id -u)" -eq 0 ] && unshare --mount --pid --uts --ipc --net --fork \
	--mount-proc true 2>/dev/null; then
	namespaces=yes
else
	echo "no namespaces (not root?): paths and process ids will differ" >&2
fi
if [ ! -x /usr/bin/python3 ] || ! has numpy; then
	echo "nothing can be made without /usr/bin/python3 and NumPy" >&2
	exit 0
fi
rm -rf "$top"
mkdir -p "$top"
cp "$here/programs/tools/sandbox.sh" "$top/sandbox.sh"
for cases in "$here"/cases*.sh; do
	# shellcheck source=cases.sh disable=SC1091
	. "$cases"
done
echo "$made made, $skipped skipped, $wrong wrong"
[ "$wrong" -eq 0 ]
