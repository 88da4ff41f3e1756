"""How fast a store is: diagnoses written by several processes, reports over
many, pruning beside writers, rows that are hidden.  Prints Markdown.

usage: [BUILD=DIR] [NAME=VALUE...] store.py
  ROWS=10000000         diagnoses in PostgreSQL, of DAYS=365 days
  SQLITE_ROWS=1000000   diagnoses in SQLite
  PUT=20000             diagnoses that each writer puts
  WRITERS='1 2 4 8'  ROUNDS=3 (of which the median counts)
  PARTS='insert sqlite postgres prune'
  TMPDIR=DIR            where it all lies: 2.5 GB for a million rows
  SERVER=URL            a PostgreSQL of one's own, as its superuser; it is
                        filled where it lacks the rows; its store changes
A PostgreSQL of the machine's package is started with a folder of its own; root
gives it to the user postgres.  It ends with this program, and all goes.
Status 1: a figure of the table LIMITS was missed.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ENV = os.environ.get
BUILD = os.path.join(TOP, ENV("BUILD") or "build")
ROWS = int(ENV("ROWS") or 10000000)
SQLITE_ROWS = int(ENV("SQLITE_ROWS") or 1000000)
DAYS = int(ENV("DAYS") or 365)
PUT = int(ENV("PUT") or 20000)
ROUNDS = int(ENV("ROUNDS") or 3)
WRITERS = [int(n) for n in (ENV("WRITERS") or "1 2 4 8").split()]
PARTS = (ENV("PARTS") or "insert sqlite postgres prune").split()
PROGRAM = BUILD + "/jobtriage"
MAKE = BUILD + "/bench/store_rows"
DAY = ["--since", "2026-10-15", "--until", "2026-10-16"]
MONTH = ["--since", "2026-10-01", "--until", "2026-10-31"]
# What was promised: at least (inserts a second) or at most (seconds).
LIMITS = {"postgresql 4 writers": 5000, "sqlite day": -2,
          "postgresql day": -3, "postgresql month": -20}
SETTINGS = """
shared_buffers = 1GB
maintenance_work_mem = 1GB
max_wal_size = 8GB
wal_level = minimal
max_wal_senders = 0
listen_addresses = ''
unix_socket_directories = '%s'
"""
missed = []


def judge(what, value):
    limit = LIMITS.get(what)
    if limit and (value < limit if limit > 0 else value > -limit):
        missed.append("%s: %.1f, the limit is %d" % (what, value, abs(limit)))


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def head(title, *cells):
    print("\n### %s\n" % title)
    row(*cells)
    row(*["---"] * len(cells))


def seconds(args, **how):
    begin = time.monotonic()
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, **how)
    return time.monotonic() - begin


def measure(args):
    """Median seconds, and MB of the last run."""
    took = []
    for _ in range(ROUNDS):
        begin = time.monotonic()
        child = subprocess.Popen(args, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit("status %d: %s" % (child.returncode, " ".join(args)))
        took.append(time.monotonic() - begin)
    return statistics.median(took), usage.ru_maxrss / 1024


# ---- a server ----
class Server:
    def __init__(self, folder):
        self.folder, self.url = None, ENV("SERVER")
        if self.url:
            return
        self.folder = folder + "/pg"
        os.mkdir(self.folder)
        self.user = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
            self.user = ["setpriv", "--reuid", "postgres", "--regid",
                         "postgres", "--clear-groups"]
        found = "/usr/lib/postgresql"
        bins = sorted(os.listdir(found), key=int) if os.path.isdir(
            found) else []
        self.bin = os.path.join(found, bins[-1], "bin", "") if bins else ""
        self.run("initdb", "-A", "trust", "-U", "owner", "-E", "UTF8",
                 "--no-locale")
        with open(self.folder + "/data/postgresql.conf", "a") as f:
            f.write(SETTINGS % self.folder)
        self.run("pg_ctl", "-w", "-l", self.folder + "/log", "start")
        self.url = "postgresql://owner@/postgres?host=" + self.folder

    def run(self, program, *args):
        subprocess.run(
            self.user + [self.bin + program, "-D", self.folder + "/data",
                         *args],
            check=True, cwd=self.folder, stdout=subprocess.DEVNULL)

    def stop(self):
        if self.folder:
            self.run("pg_ctl", "-m", "immediate", "stop")

    def sql(self, *statements, url=None):
        args = ["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", url or self.url]
        for s in statements:
            args += ["-c", s]
        out = subprocess.run(args, check=True, encoding="utf-8",
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
        return out.strip()


def fill(server, lines):
    """Rows by COPY, without indexes; they come after. Minutes."""
    count = 0
    if server.sql("SELECT to_regclass('jobtriage.diagnosis')"):
        count = int(server.sql("SELECT count(*) FROM jobtriage.diagnosis"))
    if count >= ROWS:
        return
    if count:
        sys.exit("SERVER has a store with other rows")
    make_store(server.url)
    indexes = server.sql(
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'jobtriage'"
        " AND tablename = 'diagnosis' AND indexname IN ('diagnosis_at',"
        " 'diagnosis_key', 'diagnosis_fingerprint', 'diagnosis_time')"
    ).splitlines()
    server.sql("DROP INDEX jobtriage.diagnosis_at, jobtriage.diagnosis_key,"
               " jobtriage.diagnosis_fingerprint, jobtriage.diagnosis_time",
               "ALTER TABLE jobtriage.diagnosis DROP CONSTRAINT"
               " diagnosis_pkey, DROP CONSTRAINT"
               " diagnosis_job_attempt_content_key")
    columns = subprocess.run([MAKE, "columns"], check=True, encoding="utf-8",
                             stdout=subprocess.PIPE).stdout.strip()
    rows = subprocess.Popen([MAKE, "copy", "-", lines, "0", str(ROWS),
                             str(ROWS), str(DAYS)], stdout=subprocess.PIPE)
    subprocess.run(
        ["psql", "-qX", "-v", "ON_ERROR_STOP=1", "--single-transaction",
         server.url, "-c", "TRUNCATE jobtriage.diagnosis", "-c",
         "COPY jobtriage.diagnosis (%s) FROM STDIN (FORMAT binary)" % columns],
        check=True, stdin=rows.stdout)
    if rows.wait():
        sys.exit("store_rows: status %d" % rows.returncode)
    server.sql("ALTER TABLE jobtriage.diagnosis ADD PRIMARY KEY (id),"
               " ADD UNIQUE (job, attempt, content)", *indexes)
    server.sql("VACUUM ANALYZE jobtriage.diagnosis")


def make_store(url):
    """One without diagnoses."""
    subprocess.run([PROGRAM, "store", "import", "-q", "--store", url],
                   check=True, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL)


# ---- the parts ----
def writers(url, lines, n, first):
    """Seconds that n processes take to put PUT diagnoses each."""
    begin = time.monotonic()
    running = [subprocess.Popen(
        [MAKE, "put", url, lines, str(first + i * PUT), str(PUT),
         str(max(ROWS, first + n * PUT)), str(DAYS)]) for i in range(n)]
    if any([p.wait() for p in running]):
        sys.exit("a writer failed")
    return time.monotonic() - begin


def insert(server, folder, lines):
    head("Inserts a second, %d diagnoses a writer" % PUT,
         "writers", "PostgreSQL", "SQLite")
    for n in WRITERS:
        rates = {"postgresql": [], "sqlite": []}
        for _ in range(ROUNDS):
            server.sql("DROP DATABASE IF EXISTS jobtriage_put",
                       "CREATE DATABASE jobtriage_put")
            files = folder + "/put.db"
            for kind, url in (
                    ("postgresql", re.sub(r"/postgres\?", "/jobtriage_put?",
                                          server.url)),
                    ("sqlite", "sqlite:" + files)):
                make_store(url)
                rates[kind].append(n * PUT / writers(url, lines, n, 0))
            for end in "", "-wal", "-shm":
                if os.path.exists(files + end):
                    os.unlink(files + end)
        both = {k: statistics.median(v) for k, v in rates.items()}
        judge("postgresql %d writers" % n, both["postgresql"])
        row(n, "%.0f" % both["postgresql"], "%.0f" % both["sqlite"])
    server.sql("DROP DATABASE jobtriage_put")


def reports(kind, url):
    for name, period in ("day", DAY), ("month", MONTH):
        took, mb = measure([PROGRAM, "report", "--store", url, *period])
        judge("%s %s" % (kind, name), took)
        row("report of a " + name, "%.2f s" % took, "%.0f MB" % mb)


def sqlite(folder, lines):
    url = "sqlite:%s/million.db" % folder
    took = seconds([MAKE, "put", url, lines, "0", str(SQLITE_ROWS),
                    str(SQLITE_ROWS), str(DAYS)])
    head("SQLite, %d diagnoses of %d days" % (SQLITE_ROWS, DAYS),
         "what", "time", "memory")
    row("written by one process", "%.0f s" % took, "")
    reports("sqlite", url)


PANELS = {
    "failures a day and category":
        "SELECT floor(extract(epoch from time)/86400), category, count(*)"
        " FROM jobtriage.attempts WHERE time BETWEEN '2026-10-01' AND"
        " '2026-10-31' AND outcome = 'failed' GROUP BY 1, 2",
    "users_by_day":
        "SELECT * FROM jobtriage.users_by_day WHERE day BETWEEN '2026-10-01'"
        " AND '2026-10-30'",
}


def postgres(server, lines):
    begin = time.monotonic()
    fill(server, lines)
    head("PostgreSQL, %d diagnoses of %d days" % (ROWS, DAYS),
         "what", "time", "memory")
    row("filled by COPY", "%.0f s" % (time.monotonic() - begin), "")
    rate = 4 * PUT / writers(server.url, lines, 4, ROWS)
    row("4 writers into it", "%.0f a second" % rate, "")
    reports("postgresql", server.url)
    for name, sql in PANELS.items():
        took = statistics.median(
            seconds(["psql", "-qX", server.url, "-c", sql])
            for _ in range(ROUNDS))
        row("a month of the view: " + name, "%.2f s" % took, "")
    subprocess.run(["psql", "-qX", server.url, "-f",
                    TOP + "/reports/store/postgres_roles.sql"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server.sql("DO $$ BEGIN IF to_regrole('account_reader') IS NULL THEN"
               " CREATE ROLE account_reader LOGIN IN ROLE jobtriage_reader;"
               " END IF; END $$",
               "ALTER TABLE jobtriage.diagnosis ENABLE ROW LEVEL SECURITY",
               "INSERT INTO jobtriage.account SELECT 'account_reader',"
               " 'account' || lpad(n::text, 2, '0')"
               " FROM generate_series(0, 19) n ON CONFLICT DO NOTHING")
    reader = re.sub("//[^@]*@", "//account_reader@", server.url)
    for name, period in ("day", DAY), ("month", MONTH):
        took, _ = measure([PROGRAM, "report", "--store", reader, *period])
        row("report of a %s, half of the accounts seen" % name,
            "%.2f s" % took, "")
    server.sql("ALTER TABLE jobtriage.diagnosis DISABLE ROW LEVEL SECURITY")


def prune(server, lines):
    """A month goes while two processes write."""
    fill(server, lines)
    first = server.sql("SELECT to_timestamp(min(at) / 1e6)::date"
                       " FROM jobtriage.diagnosis")
    before = server.sql("SELECT date '%s' + 30" % first)
    count = "SELECT count(*) FROM jobtriage.diagnosis WHERE at < extract(" \
        "epoch from timestamptz '%s UTC') * 1000000" % before
    n = int(server.sql(count))
    head("A month forgotten, PostgreSQL", "what", "figure")
    begin = time.monotonic()
    pruning = subprocess.Popen(
        [PROGRAM, "store", "prune", "--store", server.url, "--timezone",
         "UTC", "--before", before], stdout=subprocess.DEVNULL)
    took = writers(server.url, lines, 2, ROWS + 4 * PUT)
    if pruning.wait():
        sys.exit("prune failed")
    pruned = time.monotonic() - begin
    row("diagnoses", n)
    row("prune beside 2 writers", "%.0f s, %.0f a second" % (
        pruned, n / pruned))
    row("the writers beside it", "%.0f a second" % (2 * PUT / took))
    took = seconds(["psql", "-qX", server.url, "-c",
                    "VACUUM jobtriage.diagnosis"])
    row("the VACUUM after it", "%.0f s" % took)
    if int(server.sql(count)):
        sys.exit("prune left rows")


def main():
    for path in PROGRAM, MAKE:
        if not os.access(path, os.X_OK):
            sys.exit("no %s: run make bench-store" % path)
    os.environ.update(JOBTRIAGE_CONFIG="", TZ="UTC0")
    folder = tempfile.mkdtemp(prefix="bench-store.")
    os.chmod(folder, 0o755)
    need = (ROWS * 2500 if {"postgres", "prune"} & set(PARTS)
            and not ENV("SERVER") else 0) + SQLITE_ROWS * 2500
    server = None
    try:
        if shutil.disk_usage(folder).free < need:
            sys.exit("%s: %.0f GB of room are needed: TMPDIR=, ROWS=" % (
                folder, need / 1e9))
        lines = folder + "/lines"
        subprocess.run([PROGRAM, "scan", "-q", "--format", "jsonl", "-o",
                        lines, TOP + "/corpus"], check=True)
        if set(PARTS) - {"sqlite"}:
            server = Server(folder)
        if "insert" in PARTS:
            insert(server, folder, lines)
        if "sqlite" in PARTS:
            sqlite(folder, lines)
        if "postgres" in PARTS:
            postgres(server, lines)
        if "prune" in PARTS:
            prune(server, lines)
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    for line in missed:
        print("missed: " + line, file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
