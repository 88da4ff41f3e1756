/*
 * The store in one SQLite file. Several writers queue for short transactions;
 * readers are not held up where a write-ahead log is possible. SQLite is loaded
 * with the first store: most runs have none.
 */
#include "base/library.h"
#include "diagnose/findings.h"
#include "reports/store/store_file.h"
#include "reports/store/store_private.h"
#include "reports/store/store_sql.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define APPLICATION 0x4a54524a /* "JTRJ" */
#define PRUNE_PAGES 2048       /* pages given back in one */
#define BEGIN "BEGIN IMMEDIATE"

#define FUNCTIONS(X)                     \
	X(sqlite3_bind_blob)             \
	X(sqlite3_bind_int64)            \
	X(sqlite3_bind_parameter_count)  \
	X(sqlite3_bind_text)             \
	X(sqlite3_busy_timeout)          \
	X(sqlite3_changes)               \
	X(sqlite3_clear_bindings)        \
	X(sqlite3_close)                 \
	X(sqlite3_column_blob)           \
	X(sqlite3_column_bytes)          \
	X(sqlite3_column_int64)          \
	X(sqlite3_column_text)           \
	X(sqlite3_config)                \
	X(sqlite3_db_readonly)           \
	X(sqlite3_errmsg)                \
	X(sqlite3_exec)                  \
	X(sqlite3_extended_errcode)      \
	X(sqlite3_extended_result_codes) \
	X(sqlite3_finalize)              \
	X(sqlite3_get_autocommit)        \
	X(sqlite3_last_insert_rowid)     \
	X(sqlite3_open_v2)               \
	X(sqlite3_prepare_v2)            \
	X(sqlite3_prepare_v3)            \
	X(sqlite3_reset)                 \
	X(sqlite3_step)                  \
	X(sqlite3_system_errno)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library library =
    LIBRARY_INIT("libsqlite3.so.0", "libsqlite3-0", rows);

struct sqlite {
	struct store s; /* first: the two are one address */
	sqlite3 *db;
	sqlite3_stmt *st[SQL_COUNT]; /* made when first used */
	char *path;
	int patience;
	bool frozen; /* read as a file that nobody writes */
	struct stat was;
};

static struct sqlite *of(struct store *s)
{
	return (struct sqlite *)s;
}

/* What the last call's fault means to a person. */
static int fail(struct sqlite *q, struct err *e)
{
	int rc = q->db ? lib.sqlite3_extended_errcode(q->db) : SQLITE_NOMEM;
	int number = q->db ? lib.sqlite3_system_errno(q->db) : 0;

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		return err_nomem(e);
	case SQLITE_FULL:
		return err_set(e, "no space is left for the store");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e,
		    "locked by another process for more than %g seconds",
		    q->patience / 1000.0);
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return err_set(e, "it may not be written");
	case SQLITE_NOTADB:
		return err_set(e, "no store: not an SQLite file");
	case SQLITE_CORRUPT:
		return err_set(e, "damaged: %s", lib.sqlite3_errmsg(q->db));
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		if (number)
			return err_set(e, "%s", strerror(number));
		break;
	default:
		break;
	}
	return err_set(e, "%s", lib.sqlite3_errmsg(q->db));
}

/* ---- statements ---- */

static int exec(struct sqlite *q, const char *sql, struct err *e)
{
	return lib.sqlite3_exec(q->db, sql, NULL, NULL, NULL) == SQLITE_OK
	    ? 0
	    : fail(q, e);
}

/* A row of integers that a statement gives. */
static int number(
    struct sqlite *q, const char *sql, int64_t *out, struct err *e)
{
	sqlite3_stmt *st = NULL;
	int rc = 0;

	if (lib.sqlite3_prepare_v2(q->db, sql, -1, &st, NULL) == SQLITE_OK &&
	    lib.sqlite3_step(st) == SQLITE_ROW)
		*out = lib.sqlite3_column_int64(st, 0);
	else
		rc = fail(q, e);
	lib.sqlite3_finalize(st);
	return rc;
}

/* NULL with e set. */
static sqlite3_stmt *prepare(
    struct sqlite *q, enum store_sql which, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	sqlite3_stmt *st = NULL;

	if (store_sql(which, &text))
		err_nomem(e);
	else if (lib.sqlite3_prepare_v3(
		     q->db, text.p, -1, SQLITE_PREPARE_PERSISTENT, &st, NULL))
		fail(q, e);
	buf_release(&text);
	return st;
}

/* One that is kept, ready for new values. */
static sqlite3_stmt *statement(
    struct sqlite *q, enum store_sql which, struct err *e)
{
	sqlite3_stmt *st = q->st[which];

	if (!st)
		return q->st[which] = prepare(q, which, e);
	lib.sqlite3_reset(st);
	lib.sqlite3_clear_bindings(st);
	return st;
}

static int run(struct sqlite *q, sqlite3_stmt *st, struct err *e)
{
	int rc = lib.sqlite3_step(st);

	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		fail(q, e);
	lib.sqlite3_reset(st);
	return rc == SQLITE_DONE ? 0 : rc == SQLITE_ROW ? 1 : -1;
}

/* Bind a text, if any, and a number, if asked for, and run. 1: a row came. */
static int run_with(struct sqlite *q, enum store_sql which, const char *text,
    int64_t i, struct err *e)
{
	sqlite3_stmt *st = statement(q, which, e);
	int at = 1;

	if (!st)
		return -1;
	if (text)
		lib.sqlite3_bind_text(st, at++, text, -1, SQLITE_STATIC);
	if (at <= lib.sqlite3_bind_parameter_count(st))
		lib.sqlite3_bind_int64(st, at, i);
	return run(q, st, e);
}

/* ---- transactions ---- */

/* rc: whether what was to be done was done. Passes it on. */
static int end(struct sqlite *q, int rc, struct err *e)
{
	if (!rc)
		rc = exec(q, "COMMIT", e);
	if (rc && !lib.sqlite3_get_autocommit(q->db))
		lib.sqlite3_exec(q->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

/* ---- opening ---- */

/* The schema's version, 0: an empty file; -1 with e set: not ours. One
 * statement, so that another process can make the store before or after it,
 * but not within. */
static int check(struct sqlite *q, struct err *e)
{
	static const char sql[] =
	    "SELECT (SELECT application_id FROM pragma_application_id),"
	    " (SELECT user_version FROM pragma_user_version), count(*)"
	    " FROM sqlite_master";
	int64_t application = 0, version = 0, tables = 0;
	sqlite3_stmt *st = NULL;
	int rc = lib.sqlite3_prepare_v2(q->db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK && lib.sqlite3_step(st) == SQLITE_ROW) {
		application = lib.sqlite3_column_int64(st, 0);
		version = lib.sqlite3_column_int64(st, 1);
		tables = lib.sqlite3_column_int64(st, 2);
		rc = 0;
	} else {
		rc = fail(q, e);
	}
	lib.sqlite3_finalize(st);
	if (rc)
		return -1;
	if (application != APPLICATION && (application || tables || version))
		return err_set(
		    e, "no store: an SQLite file of another program");
	if (version < 0 || version > STORE_SQL_SCHEMA)
		return err_set(e,
		    "made by a newer version of jobtriage: it has schema %lld,"
		    " this version knows %d",
		    (long long)version, STORE_SQL_SCHEMA);
	return (int)version;
}

/* All that is missing, in one transaction. */
static int migrate(struct sqlite *q, struct err *e)
{
	char text[80];
	int rc, version;

	if (exec(q, BEGIN, e))
		return -1;
	version = check(q, e); /* another process may have been first */
	rc = version < 0 ? -1 : 0;
	for (int i = version; !rc && i < STORE_SQL_SCHEMA; i++) {
		rc = exec(q, store_sql_steps[i], e);
		if (rc)
			err_prefix(e, "cannot be brought to schema %d", i + 1);
	}
	if (!rc && version < STORE_SQL_SCHEMA) {
		snprintf(text, sizeof text,
		    "PRAGMA application_id = %d; PRAGMA user_version = %d",
		    APPLICATION, STORE_SQL_SCHEMA);
		rc = exec(q, text, e);
	}
	return end(q, rc, e);
}

static void disconnect(struct sqlite *q)
{
	for (size_t i = 0; i < SQL_COUNT; i++) {
		lib.sqlite3_finalize(q->st[i]);
		q->st[i] = NULL;
	}
	lib.sqlite3_close(q->db);
	q->db = NULL;
}

static int connect_to(
    struct sqlite *q, const char *name, int flags, struct err *e)
{
	disconnect(q);
	if (lib.sqlite3_open_v2(
		name, &q->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return fail(q, e);
	lib.sqlite3_extended_result_codes(q->db, 1);
	lib.sqlite3_busy_timeout(q->db, q->patience);
	/* No file but the store's own; this reads none of it. */
	lib.sqlite3_exec(q->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	return 0;
}

/* In a folder that may not be written, or on a full disk, there can be no index
 * of the log; but when there is no log either, the file says it all as long as
 * nobody writes it, and still_frozen sees to that. */
static int connect_frozen(struct sqlite *q, struct err *e)
{
	struct buf uri = BUF_INIT(BUF_MAX);
	int rc = store_file_frozen(q->path, &uri, e);

	if (!rc && stat(q->path, &q->was))
		rc = err_set(e, "%s", strerror(errno));
	if (!rc)
		rc = connect_to(
		    q, uri.p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, e);
	q->frozen = !rc;
	buf_release(&uri);
	return rc;
}

static int still_frozen(struct sqlite *q, struct err *e)
{
	struct stat st;

	if (!q->frozen ||
	    (stat(q->path, &st) == 0 && st.st_size == q->was.st_size &&
		st.st_mtim.tv_sec == q->was.st_mtim.tv_sec &&
		st.st_mtim.tv_nsec == q->was.st_mtim.tv_nsec))
		return 0;
	return err_set(e, "it was written while it was read: try again");
}

/* Its version, read without changing a byte. */
static int look(struct sqlite *q, struct err *e)
{
	int version;

	if (connect_to(q, q->path, SQLITE_OPEN_READONLY, e))
		return -1;
	version = check(q, e);
	if (version >= 0)
		return version;
	switch (lib.sqlite3_extended_errcode(q->db)) {
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY_CANTINIT:
	case SQLITE_READONLY_DIRECTORY:
	case SQLITE_IOERR_SHMSIZE: /* the disk is full */
		return connect_frozen(q, e) ? -1 : check(q, e);
	default:
		return -1;
	}
}

/* Whether a killed process has left something for a writer to undo. */
static bool left_behind(struct sqlite *q)
{
	int rc = lib.sqlite3_extended_errcode(q->db);

	return rc == SQLITE_READONLY_ROLLBACK || rc == SQLITE_READONLY_RECOVERY;
}

/* For writing, made and brought up to date from the version it has. */
static int make(
    struct sqlite *q, enum store_mode mode, int version, struct err *e)
{
	bool shared;
	int flags = SQLITE_OPEN_READWRITE |
	    (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);

	q->frozen = false;
	if (connect_to(q, q->path, flags, e))
		return -1;
	/* else its faults would be those of a log that cannot be made */
	if (lib.sqlite3_db_readonly(q->db, "main") == 1)
		return err_set(e, "it may not be written");
	/* two diagnoses hardly fill a page of 4 KiB, and each page that is
	 * written costs two calls */
	if ((version == 0 &&
		exec(q,
		    "PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL",
		    e)) ||
	    (version < STORE_SQL_SCHEMA && migrate(q, e)))
		return -1;
	/* A log only now: the file itself shall say from the first that it is
	 * ours. When others are busy with it, it stays as it is. */
	shared = store_file_shared(q->path);
	lib.sqlite3_exec(q->db,
	    shared ? "PRAGMA journal_mode = DELETE"
		   : "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
		     "SELECT 1 FROM sqlite_master", /* later none is made */
	    NULL, NULL, NULL);
	return exec(q,
	    "PRAGMA foreign_keys = ON; PRAGMA cache_size = -32768; PRAGMA "
	    "wal_autocheckpoint = 4096",
	    e);
}

static int open_file(struct sqlite *q, enum store_mode mode, struct err *e)
{
	int version = 0, there;
	struct stat st;
	struct err why;

	there = stat(q->path, &st) == 0;
	if (!there && (errno != ENOENT || mode != STORE_WRITE))
		return err_set(e, "%s", strerror(errno));
	if (!there && store_file_make(q->path, e))
		return -1;
	if (there && !S_ISREG(st.st_mode))
		return err_set(e, "no store: not a file");
	if (there && st.st_size > 0) {
		version = look(q, &why);
		if (version < 0 && !left_behind(q))
			return err_pass(e, &why);
	} else if (mode != STORE_WRITE) {
		return err_set(e, "no store: an empty file");
	}
	if (mode == STORE_READ && version == STORE_SQL_SCHEMA)
		return 0;
	return make(q, mode, version, e);
}

/* Without a lock and sums for each piece of memory, which nobody asks for. It
 * can be said before the first use only; too late, and nothing is lost. */
static void begin(void)
{
	lib.sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static struct store *sqlite_open(
    const char *place, enum store_mode mode, int patience, struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct buf path = BUF_INIT(BUF_MAX);
	struct sqlite *q;

	if (library_load(&library, e))
		return NULL;
	pthread_once(&once, begin);
	q = calloc(1, sizeof *q);
	/* a name that begins with '/' or '.' is nothing but a name */
	if (!q || (*place != '/' && buf_adds(&path, "./")) ||
	    buf_adds(&path, place)) {
		err_nomem(e);
		buf_release(&path);
		free(q);
		return NULL;
	}
	q->path = buf_take(&path);
	q->patience = patience;
	if (open_file(q, mode, e)) {
		disconnect(q);
		free(q->path);
		free(q);
		return NULL;
	}
	return &q->s;
}

static void sqlite_close(struct store *s)
{
	disconnect(of(s));
	free(of(s)->path);
	free(s);
}

void store_sqlite_patience(struct store *s, int milliseconds)
{
	of(s)->patience = milliseconds;
	lib.sqlite3_busy_timeout(of(s)->db, milliseconds);
}

/* ---- writing ---- */

static void bind_item(sqlite3_stmt *st, const struct store_item *it)
{
	int n = lib.sqlite3_bind_parameter_count(st);

	for (int i = 0; i < n && i < (int)STORE_COLUMNS; i++) {
		const struct store_value *v = &it->v[i];

		if (v->kind == STORE_INTEGER)
			lib.sqlite3_bind_int64(st, i + 1, v->i);
		else if (v->kind == STORE_TEXT)
			lib.sqlite3_bind_text(st, i + 1, it->bytes + v->at,
			    (int)v->n, SQLITE_STATIC);
		else if (v->kind == STORE_BYTES)
			lib.sqlite3_bind_blob(st, i + 1, it->bytes + v->at,
			    (int)v->n, SQLITE_STATIC);
	}
}

static int run_item(struct sqlite *q, enum store_sql which,
    const struct store_item *it, struct err *e)
{
	sqlite3_stmt *st = statement(q, which, e);

	if (!st)
		return -1;
	bind_item(st, it);
	return run(q, st, e);
}

/* 1: another one stands against it; 2: it is none. *first: cleared where there
 * are others of the attempt, which it may replace. */
static int write_item(
    struct sqlite *q, const struct store_item *it, bool *first, struct err *e)
{
	int rc;

	if (it->v[STORE_RECORD].kind == STORE_NULL)
		return run_item(q, SQL_OPENED, it, e) ? -1 : 2;
	rc = run_item(q, SQL_MET, it, e);
	if (!rc)
		return run_item(q, SQL_ADD, it, e);
	*first = false;
	if (rc < 0 || (rc = run_item(q, SQL_BLOCKED, it, e)))
		return rc;
	return run_item(q, SQL_SUPERSEDE_RECORD, it, e) ||
		run_item(q, SQL_SUPERSEDE_KEY, it, e) ||
		run_item(q, SQL_PUT, it, e)
	    ? -1
	    : 0;
}

/* To a reading that a later item may have made untrue: then nothing is added.
 * it: NULL for what was added last, to one that is there. */
static int add_row(struct sqlite *q, const struct store_item *it,
    int64_t reading, size_t seq, struct err *e)
{
	sqlite3_stmt *st = statement(q, it ? SQL_ADD_ROW : SQL_ADD_ADDED, e);
	int at = it ? 101 : 1;

	if (!st)
		return -1;
	if (it)
		bind_item(st, it);
	lib.sqlite3_bind_int64(st, at, reading);
	lib.sqlite3_bind_int64(st, at + 1, (int64_t)seq);
	return run(q, st, e);
}

static int write_reading(
    struct sqlite *q, const struct store_reading *r, struct err *e)
{
	bool first = true; /* all so far: so the reading is there */
	int64_t reading = 0;
	int rc = 0;

	if (r->stamp[0]) {
		if (run_with(q, SQL_ADD_READING, r->stamp, r->seen, e))
			return -1;
		reading = lib.sqlite3_last_insert_rowid(q->db);
	}
	for (size_t i = 0; i < r->n && rc >= 0; i++) {
		rc = write_item(q, r->items[i], &first, e);
		if (!rc && reading)
			rc = add_row(
			    q, first ? NULL : r->items[i], reading, i, e);
		else if (rc == 1 && reading)
			rc = run_with(q, SQL_FORGET_READING, NULL, reading, e);
	}
	return rc < 0 ? -1 : 0;
}

static int sqlite_write(
    struct store *s, const struct store_reading *r, size_t n, struct err *e)
{
	struct sqlite *q = of(s);
	int rc = exec(q, BEGIN, e);

	for (size_t i = 0; i < n && !rc; i++)
		rc = write_reading(q, &r[i], e);
	return end(q, rc, e);
}

/* ---- reading ---- */

static struct span column(sqlite3_stmt *st, int i)
{
	/* in this order: SQLite may move the bytes for the first call */
	const char *p = lib.sqlite3_column_blob(st, i);

	return (struct span){ p, (size_t)lib.sqlite3_column_bytes(st, i) };
}

static int give(
    sqlite3_stmt *st, const struct store_query *query, struct err *e)
{
	struct store_kept k = {
		.content = column(st, 0),
		.key = column(st, 1),
		.lookup = column(st, 2),
		.joined = column(st, 3),
		.record = column(st, 4),
		.seen = lib.sqlite3_column_int64(st, 5),
		.brief = column(st, 6), /* none where there is no such */
	};

	return query->row(query->ctx, k.record.p || k.brief.p ? &k : NULL, e);
}

static int sqlite_select(
    struct store *s, const struct store_query *query, struct err *e)
{
	enum store_sql which = (enum store_sql)(SQL_BY_TIME + query->order);
	struct sqlite *q = of(s);
	sqlite3_stmt *st = statement(q, which, e);
	int rc = 0, step = SQLITE_DONE;

	if (!st)
		return -1;
	/* taken out while it runs: the callback may select, too */
	q->st[which] = NULL;
	if (query->order <= STORE_BRIEFS) {
		lib.sqlite3_bind_int64(st, 1, query->since);
		lib.sqlite3_bind_int64(st, 2, query->until);
	} else if (query->name) {
		lib.sqlite3_bind_text(st, 1, query->name, -1, SQLITE_STATIC);
	}
	while (!rc && (step = lib.sqlite3_step(st)) == SQLITE_ROW)
		rc = give(st, query, e);
	if (!rc && step != SQLITE_DONE)
		rc = fail(q, e);
	lib.sqlite3_reset(st);
	lib.sqlite3_finalize(q->st[which]);
	q->st[which] = st;
	return rc ? rc : still_frozen(q, e);
}

static int sqlite_ask(struct store *s, const struct store_ask *a, struct err *e)
{
	struct sqlite *q = of(s);
	sqlite3_stmt *st =
	    statement(q, (enum store_sql)(SQL_PAST + a->what), e);
	int64_t v[STORE_NUMBERS] = { 0 };
	int rc = 0, step = SQLITE_DONE, at = 1;

	if (!st)
		return -1;
	for (size_t i = 0; i < a->n_numbers; i++)
		lib.sqlite3_bind_int64(st, at++, a->number[i]);
	for (size_t i = 0; i < a->n_texts; i++)
		lib.sqlite3_bind_text(st, at++, a->text[i], -1, SQLITE_STATIC);
	while (!rc && (step = lib.sqlite3_step(st)) == SQLITE_ROW) {
		for (size_t i = 0; i < a->n; i++)
			v[i] = lib.sqlite3_column_int64(st, (int)i + 1);
		rc = a->row(
		    a->ctx, (const char *)lib.sqlite3_column_text(st, 0), v, e);
	}
	if (!rc && step != SQLITE_DONE)
		rc = fail(q, e);
	lib.sqlite3_reset(st);
	return rc ? -1 : still_frozen(q, e);
}

/* ---- answers ---- */

static int sqlite_put_answer(
    struct store *s, const struct store_answer *a, struct err *e)
{
	struct sqlite *q = of(s);
	sqlite3_stmt *st = statement(q, SQL_PUT_ANSWER, e);

	if (!st)
		return -1;
	lib.sqlite3_bind_text(st, 1, a->job, -1, SQLITE_STATIC);
	lib.sqlite3_bind_int64(st, 2, a->attempt);
	lib.sqlite3_bind_text(st, 3, a->verdict, -1, SQLITE_STATIC);
	lib.sqlite3_bind_text(st, 4, a->given, -1, SQLITE_STATIC);
	lib.sqlite3_bind_text(st, 5, a->reason, -1, SQLITE_STATIC);
	lib.sqlite3_bind_int64(st, 6, a->shadow);
	lib.sqlite3_bind_int64(st, 7, a->at);
	lib.sqlite3_bind_text(st, 8, a->cluster, -1, SQLITE_STATIC);
	lib.sqlite3_bind_text(st, 9, a->place, -1, SQLITE_STATIC);
	return run(q, st, e);
}

/* ---- tables ---- */

static int sqlite_change(struct store *s, const char *sql,
    const struct store_table *t, const struct store_cell *row, struct err *e)
{
	struct sqlite *q = of(s);
	sqlite3_stmt *st = NULL;
	int rc;

	if (lib.sqlite3_prepare_v2(q->db, sql, -1, &st, NULL))
		return fail(q, e);
	for (int i = 0; i < (int)t->n; i++)
		if (t->columns[i].number)
			lib.sqlite3_bind_int64(st, i + 1, row[i].number);
		else
			lib.sqlite3_bind_text(
			    st, i + 1, row[i].text, -1, SQLITE_STATIC);
	rc = run(q, st, e);
	lib.sqlite3_finalize(st);
	return rc < 0 ? -1 : 0;
}

static int sqlite_rows(struct store *s, const char *sql,
    const struct store_table *t, struct store_rows *to, struct err *e)
{
	struct store_cell row[STORE_TABLE_MOST];
	struct sqlite *q = of(s);
	sqlite3_stmt *st = NULL;
	int step = SQLITE_DONE;

	if (lib.sqlite3_prepare_v2(q->db, sql, -1, &st, NULL))
		return fail(q, e);
	while (!to->stopped && (step = lib.sqlite3_step(st)) == SQLITE_ROW) {
		for (int i = 0; i < (int)t->n; i++)
			row[i] = (struct store_cell){
				(const char *)lib.sqlite3_column_text(st, i),
				lib.sqlite3_column_int64(st, i)
			};
		to->stopped = to->each(to->ctx, row, e) != 0;
	}
	if (!to->stopped && step != SQLITE_DONE)
		fail(q, e);
	lib.sqlite3_finalize(st);
	return to->stopped || step != SQLITE_DONE ? -1 : still_frozen(q, e);
}

static int sqlite_info(struct store *s, struct store_info *out, struct err *e)
{
	struct sqlite *q = of(s);
	sqlite3_stmt *st = statement(q, SQL_INFO, e);

	if (!st)
		return -1;
	if (lib.sqlite3_step(st) != SQLITE_ROW) {
		fail(q, e);
		lib.sqlite3_reset(st);
		return -1;
	}
	*out = (struct store_info){
		.kind = "SQLite " SQLITE_VERSION,
		.schema = STORE_SQL_SCHEMA,
		.diagnoses = (uint64_t)lib.sqlite3_column_int64(st, 0),
		.jobs = (uint64_t)lib.sqlite3_column_int64(st, 1),
		.failed = (uint64_t)lib.sqlite3_column_int64(st, 2),
		.first = lib.sqlite3_column_int64(st, 3),
		.last = lib.sqlite3_column_int64(st, 4),
		.readings = (uint64_t)lib.sqlite3_column_int64(st, 5),
		.bytes = (uint64_t)lib.sqlite3_column_int64(st, 6),
	};
	if (!out->diagnoses)
		out->first = out->last = ENVELOPE_NO_TIME;
	lib.sqlite3_reset(st);
	return still_frozen(q, e);
}

/* ---- forgetting ---- */

/* Pages that are free go back to the file system, in steps between which
 * others may write. */
static int shrink(struct sqlite *q, struct err *e)
{
	int64_t unused = 0, before = INT64_MAX;
	char text[48];

	snprintf(
	    text, sizeof text, "PRAGMA incremental_vacuum(%d)", PRUNE_PAGES);
	for (;;) {
		if (number(q, "PRAGMA freelist_count", &unused, e))
			return -1;
		if (!unused || unused >= before)
			break;
		before = unused;
		if (exec(q, text, e))
			return -1;
	}
	/* as far as readers let it: the next one goes on */
	lib.sqlite3_exec(
	    q->db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
	return 0;
}

static int sqlite_prune(
    struct store *s, int64_t before, uint64_t *n, struct err *e)
{
	struct sqlite *q = of(s);
	int changed, rc;

	*n = 0;
	do {
		rc = exec(q, BEGIN, e);
		if (!rc)
			rc = run_with(q, SQL_PRUNE, NULL, before, e);
		changed = rc ? 0 : lib.sqlite3_changes(q->db);
		if (end(q, rc, e))
			return -1;
		*n += (uint64_t)changed;
	} while (changed);
	if (exec(q, BEGIN, e))
		return -1;
	rc = 0;
	for (int i = SQL_PRUNE_READINGS; i <= SQL_PRUNE_GOOD_RUNS && !rc; i++)
		rc = run_with(q, (enum store_sql)i, NULL, before, e);
	if (end(q, rc, e))
		return -1;
	return shrink(q, e);
}

const struct store_backend store_sqlite = {
	sqlite_open,
	sqlite_close,
	sqlite_write,
	sqlite_select,
	sqlite_put_answer,
	sqlite_change,
	sqlite_rows,
	sqlite_ask,
	sqlite_info,
	sqlite_prune,
	STORE_BATCH_FAST,
};
