# slurmdbd and MariaDB for the laboratory, with folders, a socket and ports of
# their own. Sourced behind lab.sh.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2154 # of lab.sh
# shellcheck disable=SC2046 # a list of numbers
set -- $(ports 2)
dbd_port=$1 sql_port=$2
accounting="AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=127.0.0.1
	AccountingStoragePort=$dbd_port
	AccountingStoragePass=$lab/munge.socket
	AccountingStoreFlags=job_comment"

# database STATEMENT: as its superuser
database() {
	mariadb --no-defaults -u root -S "$lab/sql/socket" -e "$1"
}

# A server that keeps little and syncs nothing: it is gone in a minute.
sql_up() {
	mkdir -m 700 "$lab/sql"
	chown nobody "$lab/sql"
	TMPDIR=$lab/sql mariadb-install-db --no-defaults --user=nobody \
	    --datadir="$lab/sql/data" --innodb-log-file-size=8M \
	    --auth-root-authentication-method=normal --skip-test-db \
	    >"$lab/sql.log" 2>&1 || return 1
	TMPDIR=$lab/sql setsid mariadbd --no-defaults --user=nobody \
	    --datadir="$lab/sql/data" \
	    --bind-address=127.0.0.1 --port="$sql_port" \
	    --socket="$lab/sql/socket" --pid-file="$lab/sql/pid" \
	    --innodb-buffer-pool-size=32M --innodb-log-file-size=8M \
	    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 \
	    >>"$lab/sql.log" 2>&1 &
	until_true 30 database 'SELECT 1' >/dev/null 2>&1 || return 1
	ln -s sql/pid "$lab/mariadbd.pid"
	database "CREATE USER slurm@'127.0.0.1' IDENTIFIED BY 'laboratory';
	    GRANT ALL ON accounting.* TO slurm@'127.0.0.1'"
}

accounting_up() {
	sql_up || return 1
	# slurmdbd takes no settings that others may read.
	(
		umask 077
		cat >"$lab/slurmdbd.conf" <<-C
		DbdHost=localhost
		DbdAddr=127.0.0.1
		DbdPort=$dbd_port
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$lab/munge.socket
		StorageType=accounting_storage/mysql
		StorageHost=127.0.0.1
		StoragePort=$sql_port
		StorageUser=slurm
		StoragePass=laboratory
		StorageLoc=accounting
		LogFile=$lab/slurmdbd.log
		PidFile=$lab/slurmdbd.pid
		C
	)
	slurmdbd || return 1
	until_true 10 timeout 10 sacctmgr -i -Q add cluster jt >/dev/null 2>&1
}

accounting_down() {
	stop slurmdbd mariadbd
}

# accounted NAME FIELD [OPTION...]: what sacct says of the job
accounted() {
	of=$1 field=$2
	shift 2
	timeout 20 sacct -n -X -P -j "$(id_of "$of")" -o "$field" "$@"
}
