#!/bin/sh
# The parts that a built jobtriage consists of or loads, as a software bill of
# materials (CycloneDX 1.5, JSON), to the standard output. It tells the
# versions of this machine, and nothing of the time: the same machine gives the
# same bytes.
#
# usage: tests/sbom.sh VERSION LIBRARY...    LIBRARY: a name of pkg-config
set -eu

# What pkg-config does not know: licence, Debian's package, and how it is used:
# linked, loaded when it is needed, or a part of the program.
row() {
	case $1 in
	libpcre2-8) echo 'BSD-3-Clause libpcre2-8-0 linked' ;;
	yaml-0.1) echo 'MIT libyaml-0-2 loaded' ;;
	libarchive) echo 'BSD-2-Clause libarchive13 loaded' ;;
	jansson) echo 'MIT libjansson4 loaded' ;;
	libisal) echo 'BSD-3-Clause libisal2 loaded' ;;
	liblzma) echo '0BSD liblzma5 loaded' ;;
	libzstd) echo 'BSD-3-Clause libzstd1 loaded' ;;
	libseccomp) echo 'LGPL-2.1-only libseccomp2 loaded' ;;
	libxxhash) echo 'BSD-2-Clause libxxhash-dev embedded' ;;
	libpq) echo 'PostgreSQL libpq5 loaded' ;;
	sqlite3) echo 'blessing libsqlite3-0 loaded' ;;
	chart.js) echo 'MIT libjs-chart.js embedded' ;;
	*)
		echo "sbom.sh: no row for '$1'" >&2
		return 1 ;;
	esac
}

package_version() {
	dpkg-query -W -f='${Version}' "$1" 2>/dev/null || true
}

# component NAME
component() {
	row=$(row "$1")
	# shellcheck disable=SC2086
	set -- "$1" $row
	full=$(package_version "$3")
	version=$(pkg-config --modversion "$1" 2>/dev/null || echo "${full%-*}")
	purl=
	[ -z "$full" ] || purl="
      \"purl\": \"pkg:deb/debian/$3@$(printf %s "$full" |
		sed 's/+/%2B/g; s/:/%3A/g')\","
	cat <<END
    {
      "type": "library",
      "bom-ref": "$1",
      "name": "$1",
      "version": "$version",$purl
      "licenses": [ { "license": { "id": "$2" } } ],
      "properties": [
        { "name": "jobtriage:linkage", "value": "$4" }
      ]
    }
END
}

[ $# -ge 1 ] || { echo 'usage: tests/sbom.sh VERSION LIBRARY...' >&2; exit 2; }
version=$1
shift
set -- "$@" chart.js
cat <<END
{
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "version": 1,
  "metadata": {
    "component": {
      "type": "application",
      "bom-ref": "jobtriage",
      "name": "jobtriage",
      "version": "$version",
      "licenses": [ { "license": { "id": "MIT" } } ]
    }
  },
  "components": [
END
refs= comma=
for name in "$@"; do
	part=$(component "$name") || exit 1
	printf '%s%s' "$comma" "$part"
	refs="$refs${comma:+, }\"$name\""
	comma=',
'
done
cat <<END

  ],
  "dependencies": [
    { "ref": "jobtriage", "dependsOn": [ $refs ] }
  ]
}
END
