/*
 * The front: it finds the kind of store by the URL's scheme, takes records
 * apart while no lock on the store is held, and writes them in batches, so
 * that the store is locked only for as long as writing takes.
 */
#include "reports/store/store.h"

#include "base/array.h"
#include "base/json.h"
#include "base/when.h"
#include "reports/store/entry.h"
#include "reports/store/store_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define BATCH_MS 1000 /* no diagnosis waits for longer */
#define FAST_MS 50    /* what comes within may be more than STORE_BATCH */
#define POSTGRES_PORT 5432
#define PATIENCE 30000 /* milliseconds to wait for others */

/* url: the backend wants all of it, else what stands behind the name. */
static const struct scheme {
	const char *name;
	const struct store_backend *backend;
	bool url;
} schemes[] = {
	{ "sqlite:", &store_sqlite, false },
	{ "postgresql://", &store_postgres, true },
	{ "postgres://", &store_postgres, true },
};

/* ---- opening ---- */

static const struct scheme *scheme_of(const char *url)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (strncmp(url, schemes[i].name, strlen(schemes[i].name)) == 0)
			return &schemes[i];
	return NULL;
}

/* The URL as it may be printed: without a password. Owned; NULL: no memory. */
static char *url_to_show(const char *url)
{
	static const char hidden[] = "***";
	struct buf b = BUF_INIT(BUF_MAX);
	const char *from = strstr(url, "://"), *p = url;
	const char *at, *word, *colon;
	int rc = 0;

	if (from) {
		from += 3;
		at = memchr(from, '@', strcspn(from, "/?"));
		colon = at ? memchr(from, ':', (size_t)(at - from)) : NULL;
		if (colon) {
			rc |= buf_add(&b, p, (size_t)(colon + 1 - p));
			rc |= buf_adds(&b, hidden);
			p = at;
		}
		word = strstr(p, "password=");
		if (word) {
			word += strlen("password=");
			rc |= buf_add(&b, p, (size_t)(word - p));
			rc |= buf_adds(&b, hidden);
			p = word + strcspn(word, "&");
		}
	}
	rc |= buf_adds(&b, p);
	if (rc) {
		buf_release(&b);
		return NULL;
	}
	return buf_take(&b);
}

static int init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t a;
	int rc;

	if (pthread_mutexattr_init(&a))
		return -1;
	rc = pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE) ||
	    pthread_mutex_init(lock, &a);
	pthread_mutexattr_destroy(&a);
	return rc ? -1 : 0;
}

/* Which file it is. -1: no memory. */
static int note_file(struct store *s, const char *place)
{
	struct stat st;

	if (stat(place, &st) || !S_ISREG(st.st_mode))
		return 0;
	s->dev = st.st_dev;
	s->ino = st.st_ino;
	s->file = span_dup(span_of(place));
	return s->file ? 0 : -1;
}

unsigned store_open_to_all(const struct store *s)
{
	struct stat st;

	return s->file && stat(s->file, &st) == 0 && (st.st_mode & 06)
	    ? st.st_mode & 07777
	    : 0;
}

/* What was written goes nowhere when the file has no name any more. */
static int still_there(const struct store *s, struct err *e)
{
	struct stat st;

	if (!s->file ||
	    (!stat(s->file, &st) && st.st_dev == s->dev && st.st_ino == s->ino))
		return 0;
	return err_set(e,
	    "%s: it was deleted or replaced meanwhile: what was to be kept is "
	    "lost",
	    s->url);
}

struct store *store_open_within(
    const char *url, enum store_mode mode, int milliseconds, struct err *e)
{
	const struct scheme *c = scheme_of(url);
	const char *place = c ? url + strlen(c->name) : "";
	char *shown = url_to_show(url);
	struct store *s = NULL;

	if (!shown) {
		err_nomem(e);
		return NULL;
	}
	if (*place)
		s = c->backend->open(
		    c->url ? url : place, mode, milliseconds, e);
	else
		err_set(e,
		    "no store's URL: expected sqlite:PATH or postgresql://...");
	if (!s) {
		err_prefix(e, "%s", shown);
		free(shown);
		return NULL;
	}
	s->backend = c->backend;
	s->url = shown;
	s->scratch = (struct buf)BUF_INIT(BUF_MAX);
	s->block = deflate_block_new(span_of(store_dictionary), e);
	if (s->block &&
	    (c->url || mode == STORE_READ || !note_file(s, place)) &&
	    init_lock(&s->lock) == 0 && store_known_init(&s->known) == 0)
		return s;
	if (s->block)
		err_nomem(e);
	deflate_block_free(s->block);
	free(s->file);
	free(s->url);
	c->backend->close(s);
	return NULL;
}

const char *store_path(const char *url)
{
	const struct scheme *c = scheme_of(url);

	return c ? url + strlen(c->name) : url;
}

int store_port(const char *url)
{
	const struct scheme *c = scheme_of(url);
	const char *host, *p, *end, *given = getenv("PGPORT");
	long port = given ? strtol(given, NULL, 10) : 0;

	if (!c || !c->url)
		return -1;
	host = url + strlen(c->name);
	end = host + strcspn(host, "/?");
	for (p = host; p < end; p++)
		if (*p == '@')
			host = p + 1;
	/* "[::1]:5433" */
	p = *host == '[' ? memchr(host, ']', (size_t)(end - host)) : host;
	p = p ? memchr(p, ':', (size_t)(end - p)) : NULL;
	if (!p && (p = strstr(end, "port=")))
		p += strlen("port=") - 1;
	if (p)
		port = strtol(p + 1, NULL, 10);
	return port > 0 && port < 65536 ? (int)port : POSTGRES_PORT;
}

struct store *store_open(const char *url, enum store_mode mode, struct err *e)
{
	return store_open_within(url, mode, PATIENCE, e);
}

/* ---- what is pending ---- */

static void reading_release(struct store_reading *r)
{
	for (size_t i = 0; i < r->n; i++)
		store_item_free(r->items[i]);
	free(r->items);
}

static void forget_pending(struct store *s)
{
	for (size_t i = 0; i < s->n_pending; i++)
		reading_release(&s->pending[i]);
	s->n_pending = s->rows = 0;
}

int64_t store_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int flush(struct store *s, struct err *e)
{
	if (!s->failed && s->n_pending &&
	    s->backend->write(s, s->pending, s->n_pending, &s->why)) {
		s->failed = true;
		err_prefix(&s->why, "%s", s->url);
	}
	forget_pending(s);
	return s->failed ? err_pass(e, &s->why) : 0;
}

static int flush_if_due(struct store *s, struct err *e)
{
	int64_t age = s->n_pending ? store_clock_ms() - s->since : 0;

	if (s->failed || s->rows >= s->backend->batch || age >= BATCH_MS ||
	    (s->rows >= STORE_BATCH && age >= FAST_MS))
		return flush(s, e);
	return 0;
}

static int add_pending(struct store *s, const struct store_reading *r)
{
	if (array_grow(
		&s->pending, s->n_pending, &s->cap_pending, sizeof *s->pending))
		return -1;
	if (!s->n_pending)
		s->since = store_clock_ms();
	s->pending[s->n_pending++] = *r;
	s->rows += r->n ? r->n : 1;
	return 0;
}

/* Takes the items. */
static int add(struct store *s, struct hash_value stamp,
    struct store_item *const *items, size_t n, int64_t now)
{
	struct store_reading r = { .seen = now, .n = n };

	if (stamp.low || stamp.high) {
		hash_hex(stamp, r.stamp);
		store_known_add(&s->known, stamp);
	}
	r.items = calloc(n + 1, sizeof *r.items);
	for (size_t i = 0; i < n; i++) {
		store_item_seen(items[i], now);
		if (r.items)
			r.items[i] = items[i];
		else
			store_item_free(items[i]);
	}
	if (!r.items)
		return -1;
	if (!add_pending(s, &r))
		return 0;
	reading_release(&r);
	return -1;
}

int store_put(struct store *s, struct hash_value stamp,
    struct store_item *const *items, size_t n, int64_t now, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = add(s, stamp, items, n, now) ? err_nomem(e) : flush_if_due(s, e);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int store_flush(struct store *s, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = flush(s, e);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int store_close(struct store *s, struct err *e)
{
	int rc;

	if (!s)
		return 0;
	rc = flush(s, e);
	if (!rc && e)
		rc = still_there(s, e);
	free(s->pending);
	free(s->file);
	free(s->url);
	deflate_block_free(s->block);
	buf_release(&s->scratch);
	store_known_release(&s->known);
	pthread_mutex_destroy(&s->lock);
	s->backend->close(s);
	return rc;
}

/* ---- reading ---- */

/* What the rows of a query are for. */
struct reader {
	struct store *s;
	struct buf text, line; /* of this row */
	int (*each)(void *ctx, struct span record, int64_t seen, struct err *e);
	int (*each_line)(void *ctx, struct span text, struct err *e);
	int (*each_brief)(void *ctx, struct span brief, struct span record,
	    int64_t seen, struct err *e);
	void *ctx;
	const struct entry_whose *whose; /* or NULL */
	bool stopped; /* by the caller's function, which has said why */
	struct store_recalled *rows;
	size_t n, cap;
	bool found;
};

static int unpack(struct reader *r, const struct store_kept *k, struct err *e)
{
	int rc;

	/* SQLite tells empty bytes as it tells none */
	if (!k)
		return err_set(e, "damaged: a record is empty");
	buf_clear(&r->text);
	rc = deflate_unpack(r->s->block, k->record, &r->text);
	if (rc > 0)
		return err_set(e, "damaged: the record with content %.*s",
		    (int)k->content.n, k->content.p);
	return rc ? err_nomem(e) : 0;
}

/* Run a query under the lock. */
static int read_rows(struct reader *r, struct store_query *q, struct err *e)
{
	struct store *s = r->s;
	int rc;

	q->ctx = r;
	r->text = r->line = (struct buf)BUF_INIT(BUF_MAX);
	pthread_mutex_lock(&s->lock);
	rc = q->order == STORE_OF_READING ? flush_if_due(s, e) : flush(s, e);
	if (!rc &&
	    (s->backend->select(s, q, e) ||
		(q->order == STORE_OF_READING && !r->found &&
		    store_known_vain(s, e))))
		rc = r->stopped ? -1 : err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	buf_release(&r->text);
	buf_release(&r->line);
	return rc;
}

static int each_row(void *ctx, const struct store_kept *k, struct err *e)
{
	struct reader *r = ctx;

	if (unpack(r, k, e))
		return -1;
	r->stopped = r->each(r->ctx, (struct span){ r->text.p, r->text.len },
			 k->seen, e) != 0;
	return r->stopped ? -1 : 0;
}

int store_each(struct store *s, int64_t since, int64_t until,
    int (*each)(void *ctx, struct span record, int64_t seen, struct err *e),
    void *ctx, struct err *e)
{
	struct reader r = { .s = s, .each = each, .ctx = ctx };
	struct store_query q = { .order = STORE_BY_TIME,
		.since = since,
		.until = until,
		.row = each_row };

	return read_rows(&r, &q, e);
}

static int brief_row(void *ctx, const struct store_kept *k, struct err *e)
{
	struct span brief = { NULL, 0 }, record = { NULL, 0 };
	struct reader *r = ctx;

	if (!k)
		return unpack(r, k, e);
	if (!k->record.p) {
		brief = k->brief;
	} else if (!unpack(r, k, e)) {
		record = (struct span){ r->text.p, r->text.len };
	} else {
		return -1;
	}
	r->stopped = r->each_brief(r->ctx, brief, record, k->seen, e) != 0;
	return r->stopped ? -1 : 0;
}

int store_each_brief(struct store *s, int64_t since, int64_t until,
    int (*each)(void *ctx, struct span brief, struct span record, int64_t seen,
	struct err *e),
    void *ctx, struct err *e)
{
	struct reader r = { .s = s, .each_brief = each, .ctx = ctx };
	struct store_query q = { .order = STORE_BRIEFS,
		.since = since,
		.until = until,
		.row = brief_row };

	return read_rows(&r, &q, e);
}

static int attempt_row(void *ctx, const struct store_kept *k, struct err *e)
{
	struct reader *r = ctx;

	if (unpack(r, k, e))
		return -1;
	r->stopped = r->each_line(r->ctx,
			 (struct span){ r->text.p, r->text.len }, e) != 0;
	return r->stopped ? -1 : 0;
}

static int read_job(struct store *s, enum store_order which, const char *job,
    int (*each)(void *ctx, struct span record, struct err *e), void *ctx,
    struct err *e)
{
	struct reader r = { .s = s, .each_line = each, .ctx = ctx };
	struct store_query q = {
		.order = which, .name = job, .row = attempt_row
	};

	return read_rows(&r, &q, e);
}

int store_attempts(struct store *s, const char *job,
    int (*each)(void *ctx, struct span record, struct err *e), void *ctx,
    struct err *e)
{
	return read_job(s, STORE_OF_JOB, job, each, ctx, e);
}

int store_named(struct store *s, const char *job,
    int (*each)(void *ctx, struct span record, struct err *e), void *ctx,
    struct err *e)
{
	return read_job(s, STORE_NAMED, job, each, ctx, e);
}

static int recall_row(void *ctx, const struct store_kept *k, struct err *e)
{
	struct reader *r = ctx;
	struct store_recalled *v;

	r->found = true;
	if (!k)
		return 0;
	if (array_grow(&r->rows, r->n, &r->cap, sizeof *v))
		return err_nomem(e);
	if (unpack(r, k, e))
		return -1;
	v = &r->rows[r->n++];
	*v = (struct store_recalled){ .record = buf_take(&r->text),
		.lookup = span_dup(k->lookup) };
	(void)store_hash_read(k->joined, &v->joined); /* null: none */
	return v->record && v->lookup ? 0 : err_nomem(e);
}

int store_recall(struct store *s, struct hash_value stamp,
    struct store_recalled **rows, size_t *n, struct err *e)
{
	struct reader r = { .s = s };
	char text[HASH_HEX];
	struct store_query q = {
		.order = STORE_OF_READING, .name = text, .row = recall_row
	};

	*rows = NULL;
	*n = 0;
	if ((!stamp.low && !stamp.high) || store_known_lacks(&s->known, stamp))
		return 0;
	hash_hex(stamp, text);
	if (read_rows(&r, &q, e)) {
		store_recalled_free(r.rows, r.n);
		return -1;
	}
	*rows = r.rows;
	*n = r.n;
	return r.found;
}

void store_recalled_free(struct store_recalled *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(rows[i].record);
		free(rows[i].lookup);
	}
	free(rows);
}

static int ask(struct store *s, const struct store_ask *a, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = flush(s, e);
	if (!rc && s->backend->ask(s, a, e))
		rc = err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

struct past {
	struct store_past *out;
	bool any;
};

static int past_row(
    void *ctx, const char *name, const int64_t *v, struct err *e)
{
	struct past *p = ctx;

	(void)name;
	(void)e;
	*p->out = (struct store_past){ v[0], v[1] };
	p->any = true;
	return 0;
}

int store_past(struct store *s, const char *fingerprint, int64_t before,
    struct store_past *out, struct err *e)
{
	struct past p = { out, false };
	const struct store_ask a = { .what = STORE_PAST,
		.number = { before },
		.n_numbers = 1,
		.text = { fingerprint },
		.n_texts = 1,
		.n = 2,
		.row = past_row,
		.ctx = &p };

	return ask(s, &a, e) ? -1 : p.any;
}

struct sums {
	int (*each)(void *ctx, const struct store_sum *sum, struct err *e);
	void *ctx;
};

static int sums_row(
    void *ctx, const char *name, const int64_t *v, struct err *e)
{
	const struct sums *s = ctx;
	const struct store_sum sum = { *name ? name : NULL, v[0], v[1], v[2],
		v[3] ? v[4] : ENVELOPE_NO_TIME };

	return s->each(s->ctx, &sum, e);
}

int store_sums(struct store *s, const int64_t period[2],
    const struct entry_whose *whose,
    int (*each)(void *ctx, const struct store_sum *sum, struct err *e),
    void *ctx, struct err *e)
{
	static const struct entry_whose all;
	const struct entry_whose *w = whose ? whose : &all;
	struct sums to = { each, ctx };
	const struct store_ask a = { .what = STORE_SUMS,
		.number = { period[0], period[1] },
		.n_numbers = 2,
		.text = { w->cluster, w->user, w->account },
		.n_texts = 3,
		.n = STORE_NUMBERS,
		.row = sums_row,
		.ctx = &to };

	return ask(s, &a, e);
}

/* ---- what was answered ---- */

int store_put_answer(
    struct store *s, const struct store_answer *a, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = flush(s, e);
	if (!rc && s->backend->put_answer(s, a, e))
		rc = err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* As it is read; what puts it goes by the time, too. */
static const struct store_table answers = {
	"answer",
	4,
	9,
	{
	    { "job", false },
	    { "attempt", true },
	    { "cluster", false },
	    { "place", false },
	    { "verdict", false },
	    { "given", false },
	    { "reason", false },
	    { "shadow", true },
	    { "at", true },
	},
};

struct answer_reader {
	int (*each)(void *ctx, const struct store_answer *a, struct err *e);
	void *ctx;
};

static const char *known_text(const struct store_cell *c)
{
	return c->text ? c->text : "";
}

static int answer_row(void *ctx, const struct store_cell *c, struct err *e)
{
	const struct answer_reader *r = ctx;
	const struct store_answer a = {
		.job = known_text(&c[0]),
		.attempt = c[1].number,
		.cluster = known_text(&c[2]),
		.place = known_text(&c[3]),
		.verdict = known_text(&c[4]),
		.given = known_text(&c[5]),
		.reason = known_text(&c[6]),
		.shadow = c[7].number != 0,
		.at = c[8].number,
	};

	return r->each(r->ctx, &a, e);
}

int store_answers(struct store *s,
    int (*each)(void *ctx, const struct store_answer *a, struct err *e),
    void *ctx, struct err *e)
{
	struct answer_reader r = { each, ctx };

	return store_table_each(s, &answers, answer_row, &r, e);
}

/* ---- keeping house ---- */

int store_info(struct store *s, struct store_info *out, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = flush(s, e);
	if (!rc && s->backend->info(s, out, e))
		rc = err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

int store_prune(struct store *s, int64_t before, uint64_t *n, struct err *e)
{
	int rc;

	pthread_mutex_lock(&s->lock);
	rc = flush(s, e);
	if (!rc && s->backend->prune(s, before, n, e))
		rc = err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	return rc;
}

/* ---- out; in: store_lines.c ---- */

static bool of(const struct json *o, const char *key, const char *wanted)
{
	return !wanted || span_is(json_get_text(o, key), wanted);
}

/* What was unpacked need not be what was packed. 1: not wanted. */
static int check_record(
    const struct reader *r, const struct store_kept *k, struct err *e)
{
	const struct entry_whose *w = r->whose;
	struct err why = { 0 };
	struct json *o = json_parse(
	    (struct span){ r->text.p, r->text.len }, JSON_PARSE, &why);
	bool fine = json_is(o, JSON_IS_OBJECT);
	bool wanted = !w ||
	    (of(o, "cluster", w->cluster) && of(o, "user", w->user) &&
		of(o, "group", w->account));

	json_free(o);
	if (fine)
		return !wanted;
	return why.lack ? err_pass(e, &why)
			: err_set(e, "damaged: the record with content %.*s",
			      (int)k->content.n, k->content.p);
}

static int export_row(void *ctx, const struct store_kept *k, struct err *e)
{
	struct reader *r = ctx;
	int rc = unpack(r, k, e) ? -1 : check_record(r, k, e);

	if (rc)
		return rc < 0 ? -1 : 0;
	buf_clear(&r->line);
	if (store_line_write(
		k, (struct span){ r->text.p, r->text.len }, &r->line))
		return err_nomem(e);
	r->stopped = r->each_line(r->ctx,
			 (struct span){ r->line.p, r->line.len }, e) != 0;
	return r->stopped ? -1 : 0;
}

int store_export(struct store *s, const struct entry_whose *whose,
    int (*line)(void *ctx, struct span text, struct err *e), void *ctx,
    struct err *e)
{
	struct reader r = {
		.s = s, .each_line = line, .ctx = ctx, .whose = whose
	};
	struct store_query q = { .order = STORE_BY_JOB, .row = export_row };

	return read_rows(&r, &q, e);
}
