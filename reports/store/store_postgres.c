/*
 * The store in a PostgreSQL database that many machines share. What is written
 * goes through functions of the database (store_postgres_sql.c), so that a
 * role can be allowed to add diagnoses and nothing else; a batch is sent as one
 * pipeline. What fails for a while (a lost connection, a server that starts
 * anew, a deadlock) is tried again until the patience is over: to write the
 * same twice changes nothing. libpq is loaded with the first such store.
 */
#include "base/library.h"
#include "diagnose/findings.h"
#include "reports/store/store_postgres_sql.h"
#include "reports/store/store_postgres_values.h"
#include "reports/store/store_private.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FUNCTIONS(X)            \
	X(PQclear)              \
	X(PQcmdTuples)          \
	X(PQconnectdbParams)    \
	X(PQenterPipelineMode)  \
	X(PQerrorMessage)       \
	X(PQexec)               \
	X(PQexecParams)         \
	X(PQexitPipelineMode)   \
	X(PQfinish)             \
	X(PQgetisnull)          \
	X(PQgetlength)          \
	X(PQgetResult)          \
	X(PQgetvalue)           \
	X(PQntuples)            \
	X(PQpass)               \
	X(PQparameterStatus)    \
	X(PQpipelineSync)       \
	X(PQprepare)            \
	X(PQresultErrorField)   \
	X(PQresultStatus)       \
	X(PQsendQueryParams)    \
	X(PQsendQueryPrepared)  \
	X(PQsetNoticeProcessor) \
	X(PQstatus)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library library = LIBRARY_INIT("libpq.so.5", "libpq5", rows);

#define FIRST_PAUSE_MS 50
#define LAST_PAUSE_MS 2000
#define FETCH_ROWS 500

struct postgres {
	struct store s; /* first: the two are one address */
	PGconn *db;
	char *url;
	char *password; /* as it was found; in the sandbox it is not */
	int patience;   /* milliseconds */
	unsigned depth; /* selects in progress, one within the other */
	bool reader;    /* nothing may be written */
	bool again;     /* a select was cut off before its first row */
	bool prepared;  /* the statement that puts an item */
	char kind[48];  /* "": it was never reached */
};

static struct postgres *of(struct store *s)
{
	return (struct postgres *)s;
}

/* ---- faults ---- */

/* The first line of what libpq says. */
static int fail_text(const char *text, struct err *e)
{
	size_t n = strcspn(text, "\n");

	return err_set(e, "%.*s", (int)(n > 400 ? 400 : n), text);
}

/* Why a result is none, or the connection is lost: passes says whether to try
 * again. */
static int fail(
    struct postgres *q, const PGresult *r, bool *passes, struct err *e)
{
	const char *state =
	    r ? lib.PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;
	const char *text =
	    r ? lib.PQresultErrorField(r, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	const struct store_postgres_fault *f = store_postgres_fault(state);
	/* what has no state was said by libpq: it could not send, say */
	bool lost = !state || lib.PQstatus(q->db) != CONNECTION_OK;

	if (passes)
		*passes = lost || (f && f->passes);
	if (f && f->means)
		return err_set(
		    e, "%s%s%s", f->means, text ? ": " : "", text ? text : "");
	if (text)
		return fail_text(text, e);
	return fail_text(lib.PQerrorMessage(q->db), e);
}

/* ---- one statement ---- */

static int64_t to_number(const PGresult *r, int row, int column)
{
	const unsigned char *p =
	    (const unsigned char *)lib.PQgetvalue(r, row, column);
	uint64_t v = 0;

	for (int i = 0; i < lib.PQgetlength(r, row, column); i++)
		v = v << 8 | p[i];
	return (int64_t)v;
}

static struct span to_span(const PGresult *r, int row, int column)
{
	if (lib.PQgetisnull(r, row, column))
		return (struct span){ NULL, 0 };
	return (struct span){ lib.PQgetvalue(r, row, column),
		(size_t)lib.PQgetlength(r, row, column) };
}

static bool is_good(const PGresult *r)
{
	ExecStatusType is = lib.PQresultStatus(r);

	return is == PGRES_TUPLES_OK || is == PGRES_COMMAND_OK;
}

/* Text, or with p the values of one statement; the result in binary. NULL with
 * e set. */
static PGresult *ask(struct postgres *q, const char *sql,
    const struct params *p, bool *passes, struct err *e)
{
	PGresult *r = p ? lib.PQexecParams(q->db, sql, p->n, NULL, p->v, p->len,
			      p->format, 1)
			: lib.PQexec(q->db, sql);

	if (is_good(r))
		return r;
	fail(q, r, passes, e);
	lib.PQclear(r);
	return NULL;
}

static int exec(
    struct postgres *q, const char *sql, bool *passes, struct err *e)
{
	PGresult *r = ask(q, sql, NULL, passes, e);

	lib.PQclear(r);
	return r ? 0 : -1;
}

/* ---- opening ---- */

/* The server's notices are not for people who scan logs. */
static void on_notice(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
}

/* What the server is to do for each connection. */
static int set_up(struct postgres *q, bool *passes, struct err *e)
{
	char text[200];

	snprintf(text, sizeof text,
	    "SET search_path = " STORE_POSTGRES_SCHEMA
	    ", pg_temp; SET lock_timeout = %d; SET timezone = 'UTC';"
	    " SET default_transaction_read_only = %s",
	    q->patience > 0 ? q->patience : 1, q->reader ? "on" : "off");
	return exec(q, text, passes, e);
}

static void disconnect(struct postgres *q)
{
	lib.PQfinish(q->db);
	q->db = NULL;
}

static int connect_once(struct postgres *q, bool *passes, struct err *e)
{
	/* what the URL says stands against what is before it */
	const char *const keys[] = { "application_name", "connect_timeout",
		"password", "dbname", "client_encoding", NULL };
	const char *const values[] = { "jobtriage",
		q->patience < 5000 ? "2" : "10", /* for each address */
		q->password, q->url, "UTF8", NULL };
	const char *password, *version;

	disconnect(q);
	q->prepared = false;
	q->db = lib.PQconnectdbParams(keys, values, 1);
	if (!q->db)
		return err_nomem(e);
	if (lib.PQstatus(q->db) != CONNECTION_OK)
		return fail(q, NULL, passes, e);
	password = lib.PQpass(q->db);
	if (!q->password && password && *password)
		q->password = span_dup(span_of(password));
	version = lib.PQparameterStatus(q->db, "server_version");
	snprintf(q->kind, sizeof q->kind, "PostgreSQL %.*s",
	    version ? (int)strcspn(version, " ") : 1, version ? version : "?");
	lib.PQsetNoticeProcessor(q->db, on_notice, NULL);
	return set_up(q, passes, e);
}

/* The schema's version, 0: there is none yet; -1 with e set. */
static int version_of(struct postgres *q, bool *passes, struct err *e)
{
	PGresult *r = ask(q, STORE_POSTGRES_THERE, NULL, passes, e);
	int version = 0;

	if (!r)
		return -1;
	if (*lib.PQgetvalue(r, 0, 0) == 't') {
		lib.PQclear(r);
		r = ask(q, "SELECT schema FROM store", NULL, passes, e);
		if (!r)
			return -1;
		version = lib.PQntuples(r)
		    ? (int)strtol(lib.PQgetvalue(r, 0, 0), NULL, 10)
		    : 0;
	}
	lib.PQclear(r);
	if (version > STORE_POSTGRES_VERSION)
		return err_set(e,
		    "made by a newer version of jobtriage: it has schema %d,"
		    " this version knows %d",
		    version, STORE_POSTGRES_VERSION);
	return version;
}

/* All that is missing, in one transaction, by one process at a time. */
static int migrate(struct postgres *q, bool *passes, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int rc, version;

	/* first the lock: a transaction may see tables as they were when it
	 * began */
	if (exec(q, STORE_POSTGRES_LOCK, passes, e) ||
	    exec(q, "BEGIN", passes, e))
		return -1;
	version = version_of(q, passes, e);
	rc = version < 0 ? -1 : 0;
	for (int i = version; !rc && i < STORE_POSTGRES_VERSION; i++) {
		rc = exec(q, store_postgres_steps[i], passes, e);
		if (rc)
			err_prefix(e, "cannot be brought to schema %d", i + 1);
	}
	if (!rc && version < STORE_POSTGRES_VERSION)
		rc = store_postgres_functions(&text) ||
			buf_addf(&text, "UPDATE store SET schema = %d",
			    STORE_POSTGRES_VERSION)
		    ? err_nomem(e)
		    : exec(q, text.p, passes, e);
	buf_release(&text);
	if (!rc)
		return exec(q, "COMMIT; " STORE_POSTGRES_UNLOCK, passes, e);
	lib.PQclear(lib.PQexec(q->db, "ROLLBACK; " STORE_POSTGRES_UNLOCK));
	return -1;
}

/* what: an enum store_mode */
static int open_database(
    struct postgres *q, void *what, bool *passes, struct err *e)
{
	const enum store_mode mode = *(const enum store_mode *)what;
	int version = version_of(q, passes, e);

	if (version < 0)
		return -1;
	if (version == 0 && mode != STORE_WRITE)
		return err_set(e, "no store: nothing was put there yet");
	if (version < STORE_POSTGRES_VERSION && migrate(q, passes, e))
		return -1;
	q->reader = mode == STORE_READ;
	return q->reader ? set_up(q, passes, e) : 0;
}

/* Do it until it is done, or will not be, or the patience is over. A server
 * that has never been reached is not waited for. */
static int persist(struct postgres *q,
    int (*act)(struct postgres *q, void *what, bool *passes, struct err *e),
    void *what, struct err *e)
{
	int64_t until = store_clock_ms() + q->patience;
	int pause = FIRST_PAUSE_MS;

	for (;;) {
		bool passes = false;

		if (lib.PQstatus(q->db) == CONNECTION_OK ||
		    !connect_once(q, &passes, e)) {
			if (!act(q, what, &passes, e))
				return 0;
		}
		if (!passes || q->depth || !q->kind[0])
			return -1;
		if (store_clock_ms() + pause > until) {
			q->patience = 0; /* it is waited for once */
			return -1;
		}
		nanosleep(
		    &(struct timespec){ pause / 1000, pause % 1000 * 1000000L },
		    NULL);
		pause = pause * 2 < LAST_PAUSE_MS ? pause * 2 : LAST_PAUSE_MS;
	}
}

static void postgres_close(struct store *s)
{
	struct postgres *q = of(s);

	disconnect(q);
	free(q->url);
	free(q->password);
	free(q);
}

static struct store *postgres_open(
    const char *url, enum store_mode mode, int patience, struct err *e)
{
	struct postgres *q;

	if (library_load(&library, e))
		return NULL;
	q = calloc(1, sizeof *q);
	if (q)
		q->url = span_dup(span_of(url));
	if (!q || !q->url) {
		err_nomem(e);
		free(q);
		return NULL;
	}
	q->patience = patience;
	if (!persist(q, open_database, &mode, e))
		return &q->s;
	postgres_close(&q->s);
	return NULL;
}

/* ---- writing ---- */

struct batch {
	const struct store_reading *r;
	size_t n;
	struct buf jobs; /* '{1,2}': the locks of their jobs */
};

static int prepare_put(struct postgres *q, bool *passes, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	PGresult *r = NULL;
	int rc;

	if (q->prepared)
		return 0;
	rc = store_postgres_put(&text) ? err_nomem(e) : 0;
	if (!rc) {
		r = lib.PQprepare(q->db, "put", text.p, 0, NULL);
		rc = is_good(r) ? 0 : fail(q, r, passes, e);
	}
	lib.PQclear(r);
	buf_release(&text);
	q->prepared = !rc;
	return rc;
}

static bool send(struct postgres *q, const char *sql, const struct params *p)
{
	static const struct params none;

	p = p ? p : &none;
	return lib.PQsendQueryParams(
	    q->db, sql, p->n, NULL, p->v, p->len, p->format, 1);
}

static bool send_reading(struct postgres *q, const struct store_reading *r)
{
	const char *stamp = r->stamp[0] ? r->stamp : NULL;
	struct params p = { .n = 0 };
	bool sent = true;

	if (stamp) {
		params_text(&p, stamp);
		params_number(&p, r->seen);
		sent = send(q, STORE_POSTGRES_READING, &p);
	}
	for (size_t i = 0; i < r->n && sent; i++) {
		p.n = 0;
		for (size_t k = 0; k < STORE_COLUMNS; k++)
			params_value(&p, r->items[i], (enum store_column)k);
		params_text(&p, stamp);
		params_number(&p, (int64_t)i);
		sent = lib.PQsendQueryPrepared(
		    q->db, "put", p.n, p.v, p.len, p.format, 1);
	}
	return sent;
}

/* Read all that the pipeline gives; the first fault counts. */
static int drain(struct postgres *q, bool *passes, struct err *e)
{
	int rc = 0, ends = 0;

	for (;;) {
		PGresult *r = lib.PQgetResult(q->db);
		ExecStatusType is;

		if (!r) {
			/* one ends each statement, two in turn nothing */
			if (++ends < 2 && lib.PQstatus(q->db) == CONNECTION_OK)
				continue;
			return rc ? rc : fail(q, NULL, passes, e);
		}
		ends = 0;
		is = lib.PQresultStatus(r);
		if (is == PGRES_PIPELINE_SYNC) {
			lib.PQclear(r);
			return rc;
		}
		if (!rc && !is_good(r))
			rc = fail(q, r, passes, e);
		lib.PQclear(r);
	}
}

static int write_batch(
    struct postgres *q, void *what, bool *passes, struct err *e)
{
	const struct batch *b = what;
	struct params p = { .n = 0 };
	bool sent;
	int rc;

	*passes = false;
	if (prepare_put(q, passes, e))
		return -1;
	params_text(&p, b->jobs.p);
	p.format[0] = 0;
	if (!lib.PQenterPipelineMode(q->db))
		return fail(q, NULL, passes, e);
	sent = send(q, "BEGIN", NULL) && send(q, STORE_POSTGRES_JOBS, &p);
	for (size_t i = 0; i < b->n && sent; i++)
		sent = send_reading(q, &b->r[i]);
	sent = sent && send(q, "COMMIT", NULL) && lib.PQpipelineSync(q->db);
	rc = sent ? drain(q, passes, e) : fail(q, NULL, passes, e);
	if (lib.PQstatus(q->db) != CONNECTION_OK) {
		*passes = true;
		return rc;
	}
	if (!sent || !lib.PQexitPipelineMode(q->db)) {
		disconnect(q); /* nobody knows what is still under way */
		*passes = true;
		return rc ? rc : err_set(e, "the connection is out of step");
	}
	if (rc)
		lib.PQclear(lib.PQexec(q->db, "ROLLBACK"));
	return rc;
}

static int postgres_write(
    struct store *s, const struct store_reading *r, size_t n, struct err *e)
{
	struct batch b = { r, n, BUF_INIT(BUF_MAX) };
	int rc = buf_addc(&b.jobs, '{');

	if (of(s)->depth)
		return err_set(e, "it is being read");
	for (size_t i = 0, k = 0; i < n; i++)
		for (size_t j = 0; j < r[i].n; j++, k++) {
			const struct store_item *it = r[i].items[j];
			const struct store_value *v = &it->v[STORE_JOB];
			struct hash_value h = hash_of(it->bytes + v->at, v->n);

			rc |= buf_addf(&b.jobs, "%s%" PRId64, k ? "," : "",
			    (int64_t)h.low);
		}
	rc |= buf_addc(&b.jobs, '}') | buf_addc(&b.jobs, '\0');
	rc = rc ? err_nomem(e) : persist(of(s), write_batch, &b, e);
	buf_release(&b.jobs);
	return rc;
}

/* ---- reading ---- */

static int give(
    const PGresult *r, int row, const struct store_query *query, struct err *e)
{
	struct store_kept k = {
		.content = to_span(r, row, 0),
		.key = to_span(r, row, 1),
		.lookup = to_span(r, row, 2),
		.joined = to_span(r, row, 3),
		.record = to_span(r, row, 4),
		.seen = to_number(r, row, 5),
	};

	if (query->order == STORE_BRIEFS)
		k.brief = to_span(r, row, 6);
	return query->row(query->ctx, k.record.p || k.brief.p ? &k : NULL, e);
}

/* A transaction that sees the store as it is now. */
static int begin_reading(
    struct postgres *q, void *what, bool *passes, struct err *e)
{
	(void)what;
	return exec(
	    q, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", passes, e);
}

static int enter(struct postgres *q, struct err *e)
{
	if (!q->depth && persist(q, begin_reading, NULL, e))
		return -1;
	q->depth++;
	return 0;
}

/* All rows have been given: whether the end arrives is all the same. */
static int leave(struct postgres *q, int rc)
{
	if (!--q->depth)
		lib.PQclear(lib.PQexec(q->db, rc ? "ROLLBACK" : "COMMIT"));
	return rc;
}

/* Give each row of a statement; by a cursor, since there may be many. */
static int each_row(struct postgres *q, const char *sql, const struct params *p,
    int (*row)(void *ctx, const PGresult *r, int i, struct err *e), void *ctx,
    struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	char name[40], fetch[80];
	PGresult *r = NULL;
	int rc = enter(q, e), n = FETCH_ROWS;
	bool given = q->again = false;
	if (rc)
		return -1;
	snprintf(name, sizeof name, "rows_%u", q->depth);
	snprintf(fetch, sizeof fetch, "FETCH %d FROM %s", FETCH_ROWS, name);
	if (buf_addf(
		&text, "DECLARE %s BINARY NO SCROLL CURSOR FOR %s", name, sql))
		rc = err_nomem(e);
	else if (!(r = ask(q, text.p, p, &q->again, e)))
		rc = -1;
	while (!rc && n == FETCH_ROWS) {
		lib.PQclear(r);
		r = ask(q, fetch, NULL, &q->again, e);
		rc = r ? 0 : -1;
		n = r ? lib.PQntuples(r) : 0;
		given |= n > 0;
		for (int i = 0; i < n && !rc; i++)
			rc = row(ctx, r, i, e);
	}
	lib.PQclear(r);
	if (!rc && q->depth > 1) {
		snprintf(fetch, sizeof fetch, "CLOSE %s", name);
		rc = exec(q, fetch, NULL, e);
	}
	buf_release(&text);
	q->again &= rc && !given && q->depth == 1;
	return leave(q, rc);
}

static int give_row(void *ctx, const PGresult *r, int i, struct err *e)
{
	return give(r, i, ctx, e);
}

static int postgres_select(
    struct store *s, const struct store_query *query, struct err *e)
{
	struct params p = { .n = 0 };
	int rc = -1;

	if (query->order <= STORE_BRIEFS) {
		params_number(&p, query->since);
		params_number(&p, query->until);
	} else if (query->name) {
		params_text(&p, query->name);
	}
	for (int i = 0; i == 0 || (rc && of(s)->again && i < 100); i++)
		rc = each_row(of(s), store_postgres_select[query->order], &p,
		    give_row, (void *)(uintptr_t)query, e);
	return rc;
}

/* One statement with a result of one row. */
struct question {
	const char *sql;
	const struct params *p;
	PGresult *r;
};

static int answer_question(
    struct postgres *q, void *what, bool *passes, struct err *e)
{
	struct question *w = what;

	w->r = ask(q, w->sql, w->p, passes, e);
	return w->r ? 0 : -1;
}

static PGresult *ask_again(
    struct postgres *q, const char *sql, const struct params *p, struct err *e)
{
	struct question w = { sql, p, NULL };

	return persist(q, answer_question, &w, e) ? NULL : w.r;
}

static int postgres_ask(
    struct store *s, const struct store_ask *a, struct err *e)
{
	int64_t v[STORE_NUMBERS] = { 0 };
	struct params p = { .n = 0 };
	PGresult *r;
	int rc;

	for (size_t i = 0; i < a->n_numbers; i++)
		params_number(&p, a->number[i]);
	for (size_t i = 0; i < a->n_texts; i++)
		params_text(&p, a->text[i]);
	r = ask_again(of(s), store_postgres_ask[a->what], &p, e);
	rc = r ? 0 : -1;
	for (int row = 0; !rc && row < lib.PQntuples(r); row++) {
		for (size_t i = 0; i < a->n; i++)
			v[i] = to_number(r, row, (int)i + 1);
		rc = a->row(a->ctx, lib.PQgetvalue(r, row, 0), v, e);
	}
	lib.PQclear(r);
	return rc;
}

/* ---- answers ---- */

static int postgres_put_answer(
    struct store *s, const struct store_answer *a, struct err *e)
{
	struct params p = { .n = 0 };
	PGresult *r;

	params_text(&p, a->job);
	params_number(&p, a->attempt);
	params_text(&p, a->verdict);
	params_text(&p, a->given);
	params_text(&p, a->reason);
	params_number(&p, a->shadow);
	params_number(&p, a->at);
	params_text(&p, a->cluster);
	params_text(&p, a->place);
	r = ask_again(of(s), STORE_POSTGRES_ANSWER, &p, e);
	lib.PQclear(r);
	return r ? 0 : -1;
}

/* ---- tables ---- */

static int postgres_change(struct store *s, const char *sql,
    const struct store_table *t, const struct store_cell *row, struct err *e)
{
	struct params p = { .n = 0 };
	PGresult *r;

	for (size_t i = 0; i < t->n; i++)
		if (t->columns[i].number)
			params_number(&p, row[i].number);
		else
			params_text(&p, row[i].text);
	r = ask_again(of(s), sql, &p, e);
	lib.PQclear(r);
	return r ? 0 : -1;
}

struct table_reader {
	const struct store_table *t;
	struct store_rows *to;
};

static int give_cells(void *ctx, const PGresult *r, int i, struct err *e)
{
	const struct table_reader *w = ctx;
	struct store_cell row[STORE_TABLE_MOST] = { 0 };

	for (int k = 0; k < (int)w->t->n; k++)
		if (w->t->columns[k].number)
			row[k].number = to_number(r, i, k);
		else if (!lib.PQgetisnull(r, i, k))
			/* libpq ends each value with a NUL */
			row[k].text = lib.PQgetvalue(r, i, k);
	w->to->stopped = w->to->each(w->to->ctx, row, e) != 0;
	return w->to->stopped ? -1 : 0;
}

static int postgres_rows(struct store *s, const char *sql,
    const struct store_table *t, struct store_rows *to, struct err *e)
{
	struct table_reader w = { t, to };
	struct params p = { .n = 0 };

	return each_row(of(s), sql, &p, give_cells, &w, e);
}

/* ---- keeping house ---- */

static int postgres_info(struct store *s, struct store_info *out, struct err *e)
{
	struct params p = { .n = 0 };
	PGresult *r = ask_again(of(s), STORE_POSTGRES_INFO, &p, e);

	if (!r)
		return -1;
	*out = (struct store_info){
		.kind = of(s)->kind,
		.schema = STORE_POSTGRES_VERSION,
		.diagnoses = (uint64_t)to_number(r, 0, 0),
		.jobs = (uint64_t)to_number(r, 0, 1),
		.failed = (uint64_t)to_number(r, 0, 2),
		.first = to_number(r, 0, 3),
		.last = to_number(r, 0, 4),
		.readings = (uint64_t)to_number(r, 0, 5),
		.bytes = (uint64_t)to_number(r, 0, 6),
	};
	if (!out->diagnoses)
		out->first = out->last = ENVELOPE_NO_TIME;
	lib.PQclear(r);
	return 0;
}

/* In parts, between which others may write. A part begins where the last one
 * ended: what lies before it is gone, but as long as others still see it each
 * part would read it again. At last once more from the start, for what came
 * meanwhile. */
static int prune(struct postgres *q, const char *sql, int64_t before,
    uint64_t *n, struct err *e)
{
	int64_t from = INT64_MIN, found;

	do {
		struct params p = { .n = 0 };
		PGresult *r;

		params_number(&p, before);
		params_number(&p, from);
		r = ask_again(q, sql, &p, e);
		if (!r)
			return -1;
		*n += (uint64_t)to_number(r, 0, 0);
		found = to_number(r, 0, 1);
		if (!found && from != INT64_MIN)
			found = from = INT64_MIN;
		else if (found)
			from = to_number(r, 0, 2);
		lib.PQclear(r);
	} while (found);
	return 0;
}

static int postgres_prune(
    struct store *s, int64_t before, uint64_t *n, struct err *e)
{
	uint64_t others = 0;
	int rc = 0;

	*n = 0;
	for (size_t i = 0; store_postgres_prune[i] && !rc; i++)
		rc = prune(of(s), store_postgres_prune[i], before,
		    i == 0 ? n : &others, e);
	return rc;
}

const struct store_backend store_postgres = {
	postgres_open,
	postgres_close,
	postgres_write,
	postgres_select,
	postgres_put_answer,
	postgres_change,
	postgres_rows,
	postgres_ask,
	postgres_info,
	postgres_prune,
	STORE_BATCH,
};
