# A PostgreSQL server with a data folder of its own, as a user who is not root,
# and on a socket only. Sourced by the tests that need one.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # JT and PYTHON: of lib.sh and run
BIN=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
PATH=$PATH:$BIN


# As the server's user, who must get to its folder, which TMPDIR may not let him.
server() (
	[ "$(id -u)" -eq 0 ] || exec "$@"
	cd "$base" && exec setpriv --reuid postgres --regid postgres \
	    --clear-groups "$@"
)
start() {
	server pg_ctl -D "$base/data" -w -t 60 -l "$base/log" -o "-k $base \
	    -c listen_addresses='' -c fsync=off -c max_connections=40" \
	    start >/dev/null
}
finish() {
	[ -n "${base:-}" ] || return
	server pg_ctl -D "$base/data" -m immediate stop >/dev/null 2>&1
	rm -rf "$base"
}
make_server() {
	base=$(mktemp -d /tmp/jobtriage-pg.XXXXXX) || return 1
	[ "$(id -u)" -ne 0 ] || chown postgres "$base"
	URL="postgresql://owner@/postgres?host=$base"
	server initdb -D "$base/data" -A trust -U owner -E UTF8 --no-locale \
		>initdb.out 2>&1 && start && return
	cat initdb.out "$base/log" >&2
	return 1
}
sql() {
	psql -qAtX -v ON_ERROR_STOP=1 "$URL" -c "$1"
}
empty() {
	sql 'DROP SCHEMA IF EXISTS jobtriage CASCADE' 2>/dev/null
}
since='--since 2000-01-01 --until 2040-01-01'
# reports FILE URL: as people and programs read it; but for when it was made, and
# when logs without a date were seen
reports() {
	for form in text json csv; do
		# shellcheck disable=SC2086 # options
		"$JT" report --store "$2" $since --timezone UTC -f "$form" |
			sed "s/\"$(date +%Y-%m-)[^\"]*Z\"/now/;
			    s/$(date +%Y-%m-)[-0-9T:.]*Z/now/g
			    s/$(date +%m-)[0-9][0-9] [0-9][0-9]:[0-9][0-9]/now/g"
		# shellcheck disable=SC2086
		"$JT" report nodes --store "$2" $since -f csv
	done >"$1"
}
