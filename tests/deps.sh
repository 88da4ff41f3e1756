#!/bin/sh
# Installs the Debian or Ubuntu packages of the named sets that are missing,
# and says nothing when none is. Without the right to install it prints the
# line to run and ends with status 1.
#
# usage: tests/deps.sh SET...
set -u

# One row for each set.
packages() {
	case $1 in
	build)
		echo gcc make pkg-config libpcre2-dev libyaml-dev \
		    libarchive-dev libisal-dev liblzma-dev libzstd-dev \
		    libjansson-dev libxxhash-dev libsqlite3-dev \
		    libpq-dev libjs-chart.js ;;
	demo)
		echo tar gzip zip ;;
	test)
		echo libcmocka-dev zlib1g-dev python3 python3-jsonschema \
		    python3-yaml tar gzip bzip2 xz-utils zstd lz4 zip p7zip-full mandoc \
		    msmtp python3-aiosmtpd util-linux bash zsh fish \
		    binutils ;;
	heavy)
		echo chromium chromium-driver python3-selenium prometheus \
		    systemd tzdata slurmctld slurmd \
		    slurm-client munge slurmdbd mariadb-server-core \
		    mariadb-client-core procps util-linux postgresql \
		    debhelper dpkg-dev lintian mmdebstrap python3-botocore \
		    gridengine-master gridengine-exec gridengine-client ;;
	deb)
		echo debhelper dpkg-dev ;;
	fuzz)
		echo clang libclang-rt-dev python3 gzip bzip2 xz-utils zstd \
		    lz4 p7zip-full ;;
	lint)
		echo clang clang-format clang-tidy cppcheck mandoc \
		    valgrind ;;
	bench)
		echo coreutils findutils grep gzip isal libarchive-dev \
		    pkg-config python3 ripgrep tar ugrep zip zstd ;;
	corpus)
		echo python3-numpy python3-torch openmpi-bin python3-mpi4py \
		    python3-pandas python3-h5py python3-sklearn python3-pil \
		    python3-requests python3-ipython python3-nbclient \
		    python3-ipykernel g++ gfortran rustc default-jdk-headless \
		    nodejs tcl locales slurmctld slurmd slurm-client munge \
		    iproute2 openssh-client git curl ;;
	*)
		echo "deps.sh: no set '$1'" \
		    "(build, demo, test, heavy, deb, fuzz, lint, bench, corpus)" >&2
		return 1 ;;
	esac
}

installed() {
	status=$(dpkg-query -W -f='${db:Status-Status} ' "$1" 2>/dev/null) ||
		return 1
	case " $status" in
	*" installed "*) return 0 ;;
	esac
	return 1
}

[ $# -gt 0 ] || { echo 'usage: tests/deps.sh SET...' >&2; exit 2; }

wanted=
for set in "$@"; do
	names=$(packages "$set") || exit 2
	wanted="$wanted $names"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "deps.sh: no apt-get here; taking these as installed:$wanted" >&2
	exit 0
fi

missing=
for name in $wanted; do
	case " $missing " in
	*" $name "*) continue ;;
	esac
	installed "$name" || missing="${missing:+$missing }$name"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
	as_root=
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }
then
	as_root=sudo
else
	echo "apt-get install -y --no-install-recommends $missing"
	echo 'deps.sh: packages are missing; run the line above as root' >&2
	exit 1
fi

echo "deps.sh: installing $missing" >&2
apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q "$@" \
	    </dev/null >&2
}
# An update that fails may still leave lists that are good enough.
apt update || echo 'deps.sh: apt-get update failed; going on' >&2
# shellcheck disable=SC2086 # a list of words
apt install --no-install-recommends $missing || {
	echo "deps.sh: could not install: $missing" >&2
	exit 1
}
