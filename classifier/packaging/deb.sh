#!/bin/sh
# Makes the Debian packages of what has been built: `make deb` runs this.
#
# usage: deb.sh BUILD VERSION    the packages lie in BUILD/deb then
#   MAINTAINER  'Name <address>' that answers for them
set -eu
unset CDPATH MAKEFLAGS MAKELEVEL
top=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
: "${MAINTAINER:=The jobtriage authors <jobtriage@packages.invalid>}"
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null ||
	date -r "$top/CHANGELOG.md" +%s)}"
export SOURCE_DATE_EPOCH

# Below the revision that a distribution would begin with.
version=$2-0.1
tree=$build/deb/jobtriage
rm -rf "$build/deb"
mkdir -p "$tree"
cp -R "$top/classifier/packaging/debian" "$tree/debian"
quoted=$(printf %s "$MAINTAINER" | sed 's/[&|\\]/\\&/g')
sed -i "s|@MAINTAINER@|$quoted|" "$tree/debian/control"
cat >"$tree/debian/changelog" <<C
jobtriage ($version) unstable; urgency=medium

  * What has changed is in CHANGELOG.md.

 -- $MAINTAINER  $(date -R -u -d "@$SOURCE_DATE_EPOCH")
C
cd "$tree"
# As the Makefile knows it, which else would compile everything anew. -d: what
# is needed is there, since the program has been built.
TOP=$top BUILD=${build#"$top/"} dpkg-buildpackage -b -d -uc -us \
	>"$build/deb/log" 2>&1 || {
	tail -n 30 "$build/deb/log" >&2
	exit 1
}
cd ..
rm -rf "$tree"
ls ./*.deb
