#!/bin/sh
# How the program is built: hardened, and with a bill of materials that names
# what it is linked with.
. "$(dirname "$0")/../lib.sh"

dynamic() {
	readelf -Wd "$JOBTRIAGE" >dynamic
	readelf -Wlh "$JOBTRIAGE" >headers
	readelf -Ws "$JOBTRIAGE" >symbols
}

if [ -z "${SANITIZE:-}" ]; then
	begin hardened
	t dynamic
	t grep -q 'Type: *DYN' headers
	t grep -q 'PIE' dynamic
	t grep -q 'BIND_NOW\|Flags: NOW' dynamic
	t grep -q 'GNU_RELRO' headers
	t grep -q '__stack_chk_fail' symbols
	t grep -q '__[a-z]*_chk@' symbols
	grep 'GNU_STACK' headers >stack
	t grep -q ' RW ' stack
	hasnt stack RWE
	hasnt dynamic RPATH
	hasnt dynamic RUNPATH
	hasnt dynamic TEXTREL

	# A gate takes two milliseconds: each library that is linked is 50 us of
	# that, and each page with pointers for the dynamic linker 2 us.
	begin light_start
	grep 'NEEDED' dynamic | grep -v 'libpcre2-8\.\|libc\.\|ld-' >more
	t test ! -s more
	relocations=$(awk '/RELACOUNT/ { print $3 }' dynamic)
	t test "${relocations:-0}" -lt 6000
fi

begin no_path_of_the_build
t sh -c '! grep -aF -q "$TOP/" "$JOBTRIAGE"'

begin bill_of_materials
status 0 make -s -C "$TOP" BUILD="$TMPDIR/sbom" sbom
t "$PYTHON" - "$TMPDIR/sbom/jobtriage.cdx.json" <<'END'
import json, sys
bom = json.load(open(sys.argv[1]))
assert bom["bomFormat"] == "CycloneDX" and bom["specVersion"] == "1.5"
names = {c["name"] for c in bom["components"]}
assert {"libpcre2-8", "libarchive", "chart.js"} <= names, names
for c in bom["components"]:
    assert c["version"] and c["licenses"][0]["license"]["id"], c
refs = {c["bom-ref"] for c in bom["components"]}
assert refs == set(bom["dependencies"][0]["dependsOn"])
END
done_cases
