/*
 * A store in a fresh folder, and diagnoses to put there; or in the database
 * that STORE_SERVER is the URL of, and that is emptied first.
 */
#ifndef TESTS_REPORTS_STORE_LAB_H
#define TESTS_REPORTS_STORE_LAB_H

#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/store/entry.h"
#include "reports/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY (INT64_C(86400) * 1000000)

struct lab {
	char folder[256], path[300], url[320];
	bool server;
	struct err e;
};

/* Let psql run a statement on the server. */
static inline void lab_sql(const struct lab *l, const char *sql)
{
	char line[1024];

	snprintf(line, sizeof line,
	    "psql -qX -v ON_ERROR_STOP=1 '%s' -c \"%s\""
	    " >/dev/null 2>&1",
	    l->url, sql);
	assert_int_equal(system(line), 0);
}

static inline int lab_open(void **state)
{
	struct lab *l = calloc(1, sizeof *l);
	const char *server = getenv("STORE_SERVER");

	assert_non_null(l);
	/* not in TMPDIR: other users must be able to get there */
	snprintf(l->folder, sizeof l->folder, "/tmp/store.XXXXXX");
	assert_non_null(mkdtemp(l->folder));
	snprintf(l->path, sizeof l->path, "%s/s.db", l->folder);
	snprintf(l->url, sizeof l->url, "sqlite:%s", l->path);
	*state = l;
	if (server) {
		l->server = true;
		snprintf(l->url, sizeof l->url, "%s", server);
		lab_sql(l, "DROP SCHEMA IF EXISTS jobtriage CASCADE");
	}
	return 0;
}

static inline int lab_close(void **state)
{
	static const char *const names[] = { "s.db", "s.db-wal", "s.db-shm",
		"s.db-journal", "t.db", "go" };
	struct lab *l = *state;
	char path[320];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", l->folder, names[i]);
		unlink(path);
	}
	rmdir(l->folder);
	free(l);
	return 0;
}

static inline struct store *lab_store(struct lab *l, enum store_mode mode)
{
	struct store *s = store_open(l->url, mode, &l->e);

	if (!s)
		fail_msg("%s", l->e.text);
	return s;
}

static inline void lab_end(struct lab *l, struct store *s)
{
	if (store_close(s, &l->e))
		fail_msg("%s", l->e.text);
}

static inline struct hash_value lab_hash(const char *text)
{
	return hash_of(text, strlen(text));
}

/* What a test says of a diagnosis; the rest is the same for all. */
struct told {
	const char *job, *content, *key, *reason;
	int attempt;
	const char *ended; /* or NULL */
	bool record_only, well;
	const char *cluster; /* or NULL */
	bool cut;            /* nothing is known of its end */
};

/* Its JSON; free it. */
static inline char *lab_json(const struct told *t)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(
	    buf_addf(&b,
		"{\"schema\":\"jobtriage.diagnosis/1\","
		"\"job\":\"%s\",\"attempt\":%d,\"cluster\":%s%s%s,"
		"\"paths\":[%s],"
		"\"failed\":%s,\"category\":\"%s\","
		"\"verdict\":\"retry\",\"confidence\":\"high\","
		"\"fingerprint\":\"00000000deadbeef\","
		"\"reason\":\"%s\",\"ended\":%s%s%s}",
		t->job, t->attempt ? t->attempt : 1, t->cluster ? "\"" : "",
		t->cluster ? t->cluster : "null", t->cluster ? "\"" : "",
		t->record_only ? "" : "\"/logs/a.out\"",
		t->cut        ? "null"
		    : t->well ? "false"
			      : "true",
		t->cut        ? "unknown"
		    : t->well ? "none"
			      : "hang",
		t->reason ? t->reason : "", t->ended ? "\"" : "",
		t->ended ? t->ended : "null", t->ended ? "\"" : ""),
	    0);
	return buf_take(&b);
}

/* What the store keeps of it, and of what else row says. */
static inline struct store_item *lab_item(
    struct store *s, const char *json, struct store_row row)
{
	struct arena *arena = arena_new();
	struct err e = { 0 };
	struct json *o = json_parse(span_of(json), JSON_PARSE, &e);
	struct store_item *it;
	struct entry en;

	if (entry_read(&en, o, arena, &e))
		fail_msg("%s", e.text);
	row.entry = &en;
	row.record = span_of(json);
	it = store_pack(s, &row, &e);
	assert_non_null(it);
	json_free(o);
	arena_free(arena);
	return it;
}

static inline int lab_try(struct store *s, const char *stamp,
    const struct told *t, size_t n, int64_t now, struct err *e)
{
	struct store_item **items = calloc(n + 1, sizeof *items);
	int rc;

	assert_non_null(items);
	for (size_t i = 0; i < n; i++) {
		char *json = lab_json(&t[i]);

		items[i] = lab_item(s, json,
		    (struct store_row){ .content = lab_hash(t[i].content),
			.key = t[i].key,
			.lookup = t[i].job });
		free(json);
	}
	rc = store_put(s, stamp ? lab_hash(stamp) : (struct hash_value){ 0, 0 },
	    items, n, now, e);
	free(items);
	return rc;
}

static inline void lab_put(struct lab *l, struct store *s, const char *stamp,
    struct told t, int64_t now)
{
	if (lab_try(s, stamp, &t, 1, now, &l->e))
		fail_msg("%s", l->e.text);
}

static inline int lab_add_line(void *ctx, struct span text, struct err *e)
{
	(void)e;
	return buf_add(ctx, text.p, text.n) || buf_addc(ctx, '\n') ? -1 : 0;
}

/* All lines of the export; free it. */
static inline char *lab_export(struct lab *l, struct store *s)
{
	struct buf b = BUF_INIT(BUF_MAX);

	if (store_export(s, NULL, lab_add_line, &b, &l->e))
		fail_msg("%s", l->e.text);
	assert_int_equal(buf_adds(&b, ""), 0);
	return buf_take(&b);
}

static inline uint64_t lab_count(struct lab *l, struct store *s)
{
	struct store_info i;

	if (store_info(s, &i, &l->e))
		fail_msg("%s", l->e.text);
	return i.diagnoses;
}

#endif
