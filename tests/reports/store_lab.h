/*
 * A store in a fresh folder, and diagnoses to put there.
 */
#ifndef TESTS_REPORTS_STORE_LAB_H
#define TESTS_REPORTS_STORE_LAB_H

#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "reports/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAY (INT64_C(86400) * 1000000)

struct lab {
	char folder[256], path[300], url[320];
	struct err e;
};

static inline int lab_open(void **state)
{
	struct lab *l = calloc(1, sizeof *l);

	assert_non_null(l);
	/* not in TMPDIR: other users must be able to get there */
	snprintf(l->folder, sizeof l->folder, "/tmp/store.XXXXXX");
	assert_non_null(mkdtemp(l->folder));
	snprintf(l->path, sizeof l->path, "%s/s.db", l->folder);
	snprintf(l->url, sizeof l->url, "sqlite:%s", l->path);
	*state = l;
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
};

/* Its JSON; free it. */
static inline char *lab_json(const struct told *t)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(
	    buf_addf(&b,
		"{\"schema\":\"jobtriage.diagnosis/1\","
		"\"job\":\"%s\",\"attempt\":%d,\"paths\":[%s],"
		"\"failed\":%s,\"category\":\"%s\","
		"\"verdict\":\"retry\",\"confidence\":\"high\","
		"\"fingerprint\":\"00000000deadbeef\","
		"\"reason\":\"%s\",\"ended\":%s%s%s}",
		t->job, t->attempt ? t->attempt : 1,
		t->record_only ? "" : "\"/logs/a.out\"",
		t->well ? "false" : "true", t->well ? "none" : "hang",
		t->reason ? t->reason : "", t->ended ? "\"" : "",
		t->ended ? t->ended : "null", t->ended ? "\"" : ""),
	    0);
	return buf_take(&b);
}

static inline int lab_try(struct store *s, const char *stamp,
    const struct told *t, size_t n, int64_t now, struct err *e)
{
	struct store_row *rows = calloc(n + 1, sizeof *rows);
	int rc;

	assert_non_null(rows);
	for (size_t i = 0; i < n; i++) {
		rows[i].record = span_of(lab_json(&t[i]));
		rows[i].content = lab_hash(t[i].content);
		rows[i].key = t[i].key;
		rows[i].lookup = t[i].job;
	}
	rc = store_put(s, stamp ? lab_hash(stamp) : (struct hash_value){ 0, 0 },
	    rows, n, now, e);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)rows[i].record.p);
	free(rows);
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

	if (store_export(s, lab_add_line, &b, &l->e))
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
