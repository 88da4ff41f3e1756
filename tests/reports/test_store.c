/*
 * What the store keeps, what takes the place of what, what is recalled, and
 * what comes out again.
 */
#include "tests/reports/store_lab.h"

#include "reports/store/store_postgres_sql.h"
#include "reports/store/store_sql.h"

#include "diagnose/findings.h"

#include <sqlite3.h>
#include <sys/stat.h>

#define NOW (INT64_C(1700000000) * 1000000)

struct seen_rows {
	struct buf text; /* jobs and reasons: "1:a 2:b " */
	int64_t seen;    /* of the last */
};

/* The text between before and the next '"'. */
static struct span between(struct span s, const char *before)
{
	size_t at = span_find(s, before);

	assert_true(at != SIZE_MAX);
	s = span_sub(s, at + strlen(before), s.n);
	return span_sub(s, 0, span_find(s, "\""));
}

static int note_row(void *ctx, struct span r, int64_t seen, struct err *e)
{
	struct seen_rows *rows = ctx;
	struct span job = between(r, "\"job\":\"");
	struct span reason = between(r, "\"reason\":\"");

	(void)e;
	rows->seen = seen;
	return buf_addf(&rows->text, "%.*s:%.*s ", (int)job.n, job.p,
	    (int)reason.n, reason.p);
}

static void check_range(struct lab *l, struct store *s, int64_t since,
    int64_t until, const char *want)
{
	struct seen_rows rows = { .text = BUF_INIT(BUF_MAX) };

	if (store_each(s, since, until, note_row, &rows, &l->e))
		fail_msg("%s", l->e.text);
	assert_string_equal(rows.text.p ? rows.text.p : "", want);
	buf_release(&rows.text);
}

static void check_all(struct lab *l, struct store *s, const char *want)
{
	check_range(l, s, INT64_MIN, INT64_MAX, want);
}

/* ---- rules of replacing ---- */

static void test_time(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	int64_t day = INT64_C(1763596800) * 1000000; /* 2025-11-20 */

	lab_put(l, s, NULL,
	    (struct told){ "b", "1", "kb", .reason = "x",
		.ended = "2025-11-20T00:00:00Z" },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){ "a", "1", "ka", .reason = "x",
		.ended = "2025-11-20T00:00:00Z" },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){ "c", "1", "kc", .reason = "x",
		.ended = "2025-11-19T23:59:59Z" },
	    NOW);
	lab_put(
	    l, s, NULL, (struct told){ "d", "1", "kd", .reason = "x" }, NOW);
	check_all(l, s, "d:x c:x a:x b:x ");
	check_range(l, s, day, day + 1, "a:x b:x ");
	check_range(l, s, day - 1, day, "");
	check_range(l, s, day - 1000000, day, "c:x ");
	check_range(l, s, NOW, NOW + 1, "d:x ");
	lab_end(l, s);
}

static void test_replace(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	/* the same again, and a newer answer to it */
	lab_put(
	    l, s, NULL, (struct told){ "1", "c", "k", .reason = "old" }, NOW);
	lab_put(l, s, NULL, (struct told){ "1", "c", "k", .reason = "old" },
	    NOW + DAY);
	check_all(l, s, "1:old ");
	check_range(l, s, NOW, NOW + 1, "1:old "); /* first seen stays */
	lab_put(l, s, NULL, (struct told){ "1", "c", "k", .reason = "new" },
	    NOW + DAY);
	check_all(l, s, "1:new ");
	check_range(l, s, NOW, NOW + 1, "1:new ");
	/* a log that grew */
	lab_put(l, s, NULL, (struct told){ "1", "d", "k", .reason = "grown" },
	    NOW + DAY);
	check_all(l, s, "1:grown ");
	check_range(l, s, NOW + DAY, NOW + DAY + 1, "1:grown ");
	/* seen before: stale */
	lab_put(
	    l, s, NULL, (struct told){ "1", "c", "k", .reason = "stale" }, NOW);
	check_all(l, s, "1:grown ");
	/* others of that name */
	lab_put(l, s, NULL, (struct told){ "1", "c", "k2", .reason = "other" },
	    NOW + DAY);
	lab_put(l, s, NULL,
	    (struct told){ "1", "d", "k", .reason = "again", .attempt = 2 },
	    NOW + DAY);
	check_all(l, s, "1:other 1:grown 1:again ");
	/* without a key nothing is taken for the same log */
	lab_put(l, s, NULL, (struct told){ "2", "c", NULL, .reason = "a" },
	    NOW + DAY);
	lab_put(l, s, NULL, (struct told){ "2", "d", NULL, .reason = "b" },
	    NOW + DAY);
	check_all(l, s, "1:other 1:grown 1:again 2:a 2:b ");
	lab_end(l, s);
}

/* An archive could be opened, which is known by a key, and has these jobs. */
static void open_archive(struct lab *l, struct store *s, const char *key,
    const struct told *t, size_t n, int64_t now)
{
	struct store_item *items[4] = { NULL };

	for (size_t i = 0; i < n; i++) {
		char *json = lab_json(&t[i]);

		items[i] = lab_item(s, json,
		    (struct store_row){ .content = lab_hash(t[i].content),
			.key = t[i].key,
			.lookup = t[i].job });
		free(json);
	}
	assert_int_equal(store_pack_opened(s, key, items, n, &items[n]), 0);
	n += items[n] != NULL;
	if (store_put(s, lab_hash("whole"), items, n, now, &l->e))
		fail_msg("%s", l->e.text);
}

/* One that could not be read is kept as a log, until it can be. */
static void test_opened(void **state)
{
	const struct told jobs[] = {
		{ "a.tgz!1", "c1", "1|/n/a.tgz!|1", .reason = "one" },
		{ "a.tgz!2", "c2", "1|/n/a.tgz!|2", .reason = "two" },
	};
	const struct told itself = { "b.tgz", "e", "1|/n/|b.tgz",
		.reason = "itself", .cut = true };
	struct store_recalled *rows = NULL;
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	size_t n = 0;

	lab_put(l, s, "cut",
	    (struct told){
		"a.tgz", "d", "1|/n/|a.tgz", .reason = "cut", .cut = true },
	    NOW);
	lab_put(l, s, "failed",
	    (struct told){ "c.tgz", "d", "1|/n/|c.tgz", .reason = "failed" },
	    NOW);
	lab_put(l, s, "itself", itself, NOW);
	check_all(l, s, "a.tgz:cut b.tgz:itself c.tgz:failed ");
	open_archive(l, s, "1|/n/|a.tgz", jobs, 2, NOW + DAY);
	check_all(l, s, "b.tgz:itself c.tgz:failed a.tgz!1:one a.tgz!2:two ");
	assert_int_equal(store_recall(s, lab_hash("cut"), &rows, &n, &l->e), 0);
	assert_int_equal(
	    store_recall(s, lab_hash("whole"), &rows, &n, &l->e), 1);
	assert_int_equal(n, 2);
	store_recalled_free(rows, n);
	/* what failed did so; a log of that key in the same reading is one */
	open_archive(l, s, "1|/n/|c.tgz", NULL, 0, NOW + DAY);
	open_archive(l, s, "1|/n/|b.tgz", &itself, 1, NOW + DAY);
	/* nor what was seen later */
	lab_put(l, s, NULL,
	    (struct told){
		"d.tgz", "d", "1|/n/|d.tgz", .reason = "cut", .cut = true },
	    NOW + 2 * DAY);
	open_archive(l, s, "1|/n/|d.tgz", NULL, 0, NOW + DAY);
	check_all(l, s,
	    "b.tgz:itself c.tgz:failed a.tgz!1:one a.tgz!2:two d.tgz:cut ");
	lab_end(l, s);
}

/* What is known by a record alone gives way in its own cluster only. */
static void test_clusters(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	lab_put(l, s, NULL,
	    (struct told){ "7", "a", "record|x|7", "x", .record_only = true,
		.cluster = "x" },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){ "7", "b", "record|y|7", "y", .record_only = true,
		.cluster = "y" },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){ "7", "c", "record|7", "none", .record_only = true },
	    NOW);
	check_all(l, s, "7:none 7:y 7:x ");
	lab_put(l, s, NULL,
	    (struct told){ "7", "d", "1|/log|7", "log", .cluster = "y" }, NOW);
	check_all(l, s, "7:none 7:log 7:x ");
	lab_put(l, s, NULL,
	    (struct told){ "7", "b2", "record|y|7", "y", .record_only = true,
		.cluster = "y" },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){ "7", "a2", "record|x|7", "x2", .record_only = true,
		.cluster = "x" },
	    NOW);
	check_all(l, s, "7:none 7:log 7:x2 ");
	lab_end(l, s);
}

static void test_record_only(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	lab_put(l, s, NULL,
	    (struct told){
		"1", "r", "record|1", .reason = "ran", .record_only = true },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){
		"1", "q", "record|1", .reason = "ended", .record_only = true },
	    NOW + 1);
	check_all(l, s, "1:ended ");
	lab_put(l, s, NULL,
	    (struct told){
		"1", "r", "record|1", .reason = "ran", .record_only = true },
	    NOW);
	check_all(l, s, "1:ended ");
	lab_put(l, s, NULL, (struct told){ "1", "c", "k", .reason = "log" },
	    NOW + 2);
	check_all(l, s, "1:log ");
	lab_put(l, s, NULL,
	    (struct told){
		"1", "q", "record|1", .reason = "ended", .record_only = true },
	    NOW + 3);
	check_all(l, s, "1:log ");
	lab_put(l, s, NULL,
	    (struct told){ "1", "q", "record|1", .reason = "other",
		.attempt = 2, .record_only = true },
	    NOW + 3);
	check_all(l, s, "1:log 1:other ");
	lab_end(l, s);
}

static void test_bad_records(void **state)
{
#define HEAD "{\"schema\":\"jobtriage.diagnosis/1\""
	static const char *const cases[][2] = {
		{ "", "" },
		{ "[]", "schema" },
		{ "{}", "schema" },
		{ "{\"schema\":\"jobtriage.diagnosis/2\"}", "schema" },
		{ HEAD ",\"job\":1}", "job" },
		{ HEAD ",\"job\":\"\"}", "" },
		{ HEAD ",\"job\":\"1\",\"attempt\":0}", "" },
		{ HEAD ",\"job\":\"1\",\"attempt\":1,\"failed\":\"yes\"}",
		    "failed" },
	};
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	lab_put(l, s, NULL, (struct told){ "1", "c", "k", .reason = "" }, NOW);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = { 0 };

		assert_int_equal(
		    store_import(s, span_of(cases[i][0]), NOW, &e), 1);
		assert_non_null(strstr(e.text, cases[i][1]));
	}
	assert_int_equal(lab_count(l, s), 1);
	lab_end(l, s);
}

/* ---- recall ---- */

static void check_recall(
    struct lab *l, struct store *s, const char *stamp, const char *want)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct store_recalled *rows;
	size_t n;
	int rc = store_recall(s, lab_hash(stamp), &rows, &n, &l->e);

	if (rc < 0)
		fail_msg("%s", l->e.text);
	assert_int_equal(rc, want != NULL);
	for (size_t i = 0; i < n; i++) {
		struct span r = span_of(rows[i].record);
		struct span reason = between(r, "\"reason\":\"");

		assert_int_equal(buf_addf(&b, "%s:%.*s ", rows[i].lookup,
				     (int)reason.n, reason.p),
		    0);
	}
	assert_string_equal(b.p ? b.p : "", want ? want : "");
	buf_release(&b);
	store_recalled_free(rows, n);
}

static void test_recall(void **state)
{
	struct told two[] = { { "2", "c2", "k2", .reason = "b" },
		{ "1", "c1", "k1", .reason = "a" } };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	assert_int_equal(lab_try(s, "two", two, 2, NOW, &l->e), 0);
	assert_int_equal(lab_try(s, "none", NULL, 0, NOW, &l->e), 0);
	check_recall(l, s, "two", NULL); /* pending */
	assert_int_equal(store_flush(s, &l->e), 0);
	check_recall(l, s, "two", "2:b 1:a ");
	check_recall(l, s, "none", "");
	check_recall(l, s, "three", NULL);
	/* the same again, and from another place: both are known */
	assert_int_equal(lab_try(s, "two", two, 2, NOW, &l->e), 0);
	assert_int_equal(lab_try(s, "copy", two, 2, NOW, &l->e), 0);
	assert_int_equal(store_flush(s, &l->e), 0);
	check_recall(l, s, "two", "2:b 1:a ");
	check_recall(l, s, "copy", "2:b 1:a ");
	/* another reading gives one of them another answer */
	lab_put(
	    l, s, "one", (struct told){ "1", "c1", "k1", .reason = "z" }, NOW);
	assert_int_equal(store_flush(s, &l->e), 0);
	check_recall(l, s, "two", NULL);
	check_recall(l, s, "copy", NULL);
	check_recall(l, s, "one", "1:z ");
	/* its log has grown */
	lab_put(l, s, "grown", (struct told){ "1", "c3", "k1", .reason = "y" },
	    NOW);
	assert_int_equal(store_flush(s, &l->e), 0);
	check_recall(l, s, "one", NULL);
	check_recall(l, s, "grown", "1:y ");
	lab_end(l, s);
}

/* A reading whose rows stand against each other, or against others. */
static void test_recall_contrary(void **state)
{
	struct told same[] = { { "1", "c", "k1", .reason = "a" },
		{ "1", "c", "k2", .reason = "b" } };
	struct told grown[] = { { "2", "c", "k", .reason = "a" },
		{ "2", "d", "k", .reason = "b" },
		{ "3", "c", "k3", .reason = "c" } };
	struct told alone[] = { { "3", "r", "record|3", .reason = "r",
				    .record_only = true },
		{ "4", "c", "k4", .reason = "d" } };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	assert_int_equal(lab_try(s, "same", same, 2, NOW, &l->e), 0);
	assert_int_equal(lab_try(s, "grown", grown, 3, NOW, &l->e), 0);
	assert_int_equal(lab_try(s, "alone", alone, 2, NOW, &l->e), 0);
	check_all(l, s, "1:b 2:b 3:c 4:d ");
	check_recall(l, s, "same", NULL);
	check_recall(l, s, "grown", NULL);
	check_recall(l, s, "alone", NULL);
	lab_end(l, s);
}

static void test_joined(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	char *json = lab_json(&(struct told){ .job = "1" });
	const struct store_row r = { .content = lab_hash("c"),
		.joined = lab_hash("record") };
	struct store_item *it = lab_item(s, json, r);
	struct store_recalled *rows;
	size_t n;

	assert_int_equal(store_put(s, lab_hash("x"), &it, 1, NOW, &l->e), 0);
	assert_int_equal(store_flush(s, &l->e), 0);
	assert_int_equal(store_recall(s, lab_hash("x"), &rows, &n, &l->e), 1);
	assert_int_equal(n, 1);
	assert_true(rows->joined.low == r.joined.low &&
	    rows->joined.high == r.joined.high);
	assert_string_equal(rows->record, json);
	assert_string_equal(rows->lookup, "");
	store_recalled_free(rows, n);
	free(json);
	lab_end(l, s);
}

/* One that ended well, then two that failed, a day apart. */
static void put_three(struct lab *l, struct store *s)
{
	lab_put(l, s, NULL,
	    (struct told){ "w", "c", "w", .reason = "", .well = true },
	    NOW - DAY);
	lab_put(l, s, NULL, (struct told){ "1", "c", "k", .reason = "" }, NOW);
	lab_put(l, s, NULL, (struct told){ "2", "d", "l", .reason = "" },
	    NOW + DAY);
}

static void test_known(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct store_past past;

	put_three(l, s);
	assert_int_equal(
	    store_past(s, "00000000deadbeef", NOW, &past, &l->e), 0);
	assert_int_equal(
	    store_past(s, "00000000deadbeef", NOW + 1, &past, &l->e), 1);
	assert_true(past.first == NOW && past.last == NOW);
	assert_int_equal(
	    store_past(s, "00000000deadbeef", NOW + 2 * DAY, &past, &l->e), 1);
	assert_true(past.first == NOW && past.last == NOW + DAY);
	assert_int_equal(
	    store_past(s, "00000000deadbeee", NOW + 1, &past, &l->e), 0);
	lab_end(l, s);
}

struct summed {
	struct store_sum v[4];
	size_t n;
};

static int on_sum(void *ctx, const struct store_sum *sum, struct err *e)
{
	struct summed *to = ctx;

	(void)e;
	assert_true(to->n < 4);
	to->v[to->n++] = *sum;
	return 0;
}

static void test_sums(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	const int64_t week[2] = { NOW, NOW + 7 * DAY }, none[2] = { 0, 1 };
	struct summed got = { .n = 0 };

	assert_int_equal(store_sums(s, week, NULL, on_sum, &got, &l->e), 0);
	assert_int_equal(got.n, 1);
	assert_true(got.v[0].since == ENVELOPE_NO_TIME);
	put_three(l, s);
	got.n = 0;
	assert_int_equal(store_sums(s, week, NULL, on_sum, &got, &l->e), 0);
	assert_int_equal(got.n, 2);
	assert_null(got.v[0].category);
	assert_int_equal(got.v[0].attempts, 2);
	assert_int_equal(got.v[0].jobs, 2);
	assert_true(got.v[0].since == NOW - DAY);
	assert_int_equal(got.v[1].attempts, 2);
	got.n = 0;
	assert_int_equal(
	    store_sums(s, week, &(struct entry_whose){ .user = "nobody" },
		on_sum, &got, &l->e),
	    0);
	assert_int_equal(got.n, 1);
	assert_int_equal(got.v[0].attempts, 0);
	got.n = 0;
	assert_int_equal(store_sums(s, none, NULL, on_sum, &got, &l->e), 0);
	assert_int_equal(got.v[0].attempts, 0);
	assert_true(got.v[0].since == NOW - DAY);
	lab_end(l, s);
}

/* ---- keeping house ---- */

static void test_info(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct store_info i;

	assert_int_equal(store_info(s, &i, &l->e), 0);
	assert_int_equal(i.diagnoses, 0);
	assert_true(i.first == ENVELOPE_NO_TIME && i.last == ENVELOPE_NO_TIME);
	lab_put(l, s, "x", (struct told){ "1", "c", "k", .reason = "" }, NOW);
	lab_put(l, s, "y",
	    (struct told){
		"1", "c", "k", .reason = "", .attempt = 2, .well = true },
	    NOW + 5);
	assert_int_equal(store_info(s, &i, &l->e), 0);
	assert_int_equal(i.diagnoses, 2);
	assert_int_equal(i.jobs, 1);
	assert_int_equal(i.failed, 1);
	assert_int_equal(i.readings, 2);
	assert_int_equal(
	    i.schema, l->server ? STORE_POSTGRES_VERSION : STORE_SQL_SCHEMA);
	assert_true(i.first == NOW && i.last == NOW + 5);
	assert_int_equal(
	    strncmp(i.kind, l->server ? "PostgreSQL " : "SQLite 3.", 9), 0);
	lab_end(l, s);
}

static int64_t size_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void test_prune(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct store_info i;
	uint64_t n;
	int64_t full;

	for (int k = 0; k < 3000; k++) {
		char name[16], reason[600];

		snprintf(name, sizeof name, "%d", k);
		for (size_t c = 0; c < sizeof reason; c++)
			reason[c] = (char)('a' + rand() % 26);
		reason[sizeof reason - 1] = '\0';
		lab_put(l, s, name,
		    (struct told){ name, name, name, .reason = reason },
		    NOW + k);
	}
	assert_int_equal(lab_try(s, "empty", NULL, 0, NOW, &l->e), 0);
	assert_int_equal(store_info(s, &i, &l->e), 0);
	assert_int_equal(i.readings, 3001);
	lab_end(l, s);
	full = l->server ? 0 : size_of(l->path);
	s = lab_store(l, STORE_CHANGE);
	assert_int_equal(store_prune(s, NOW + 2900, &n, &l->e), 0);
	assert_int_equal(n, 2900);
	assert_int_equal(store_info(s, &i, &l->e), 0);
	assert_int_equal(i.diagnoses, 100);
	assert_int_equal(i.readings, 100);
	assert_true(i.first == NOW + 2900);
	assert_true(l->server || size_of(l->path) < full / 5);
	assert_int_equal(store_prune(s, NOW + 2900, &n, &l->e), 0);
	assert_int_equal(n, 0);
	lab_end(l, s);
}

static void import_all(struct lab *l, struct store *s, const char *text)
{
	struct span rest = span_of(text), line;

	while (span_line(&rest, &line))
		if (store_import(s, line, NOW + 9 * DAY, &l->e))
			fail_msg("%s", l->e.text);
}

static void test_export(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE), *t;
	char url[320], *first, *second;

	lab_put(l, s, "x",
	    (struct told){
		"10", "c", "k\xc3\xa9", .reason = "\\u0000 \xe4\xb8\x96" },
	    NOW);
	lab_put(l, s, NULL,
	    (struct told){ "1", "c", NULL, .reason = "", .record_only = true },
	    NOW + 1);
	lab_put(l, s, NULL,
	    (struct told){ "1", "d", "k", .reason = "", .attempt = 2 },
	    NOW + 2);
	first = lab_export(l, s);
	lab_end(l, s);
	assert_int_equal(
	    strncmp(first, "{\"schema\":\"jobtriage.store/1\",", 30), 0);
	snprintf(url, sizeof url, "sqlite:%s/t.db", l->folder);
	t = store_open(url, STORE_WRITE, &l->e);
	assert_non_null(t);
	import_all(l, t, first);
	second = lab_export(l, t);
	assert_string_equal(first, second);
	assert_non_null(strstr(first, "2023-11-14T22:13:20.000001Z"));
	free(second);
	/* once more changes nothing */
	import_all(l, t, first);
	second = lab_export(l, t);
	assert_string_equal(first, second);
	check_all(l, t, "10:\\u0000 \xe4\xb8\x96 1: 1: ");
	assert_int_equal(store_close(t, &l->e), 0);
	free(first);
	free(second);
}

static void test_import(void **state)
{
	static const char *const bad[] = {
		"",
		"not JSON",
		"{\"schema\":\"jobtriage.store/1\"}",
		"{\"schema\":\"jobtriage.store/1\",\"content\":\"12\"}",
		"{\"schema\":\"jobtriage.store/1\",\"content\":null,\"key\":7,"
		"\"seen\":\"2023-11-14T22:13:20Z\"}",
		"{\"schema\":\"jobtriage.store/1\",\"content\":null,"
		"\"seen\":\"soon\"}",
		"{\"schema\":\"jobtriage.store/1\",\"content\":null,"
		"\"seen\":\"2023-11-14T22:13:20Z\",\"record\":{}}",
		"{\"schema\":\"jobtriage.store/1\",\"content\":null,"
		"\"seen\":\"2023-11-14T22:13:20Z\",\"record\":3}",
		/* what no report could count */
		"{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"1\","
		"\"attempt\":1,\"failed\":true,\"category\":\"hang\","
		"\"paths\":[],\"confidence\":\"high\",\"verdict\":\"no\"}",
	};
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	char *text;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = { 0 };

		assert_int_equal(store_import(s, span_of(bad[i]), NOW, &e), 1);
		assert_true(e.text[0]);
	}
	assert_int_equal(lab_count(l, s), 0);
	/* bare diagnoses: known by their text and first path */
	for (int i = 0; i < 3; i++) {
		text = lab_json(&(struct told){ "1", .reason = i ? "b" : "a" });
		assert_int_equal(
		    store_import(s, span_of(text), NOW + i, &l->e), 0);
		free(text);
	}
	check_all(l, s, "1:b ");
	text = lab_export(l, s);
	assert_non_null(strstr(text, "\"key\":\"/logs/a.out\""));
	free(text);
	lab_end(l, s);
}

/* ---- what people ask by SQL ---- */

static void test_view(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	sqlite3_stmt *st;
	sqlite3 *db;

	lab_put(l, s, NULL,
	    (struct told){ .job = "1",
		.content = "c",
		.key = "k",
		.ended = "2025-11-20T01:02:03Z" },
	    NOW);
	lab_end(l, s);
	if (l->server) {
		lab_sql(l,
		    "SELECT 1 / (SELECT count(*) FROM jobtriage.jobs"
		    " WHERE outcome || category = 'failedhang' AND counted_at"
		    " = '2025-11-20T01:02:03Z')");
		return;
	}
	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db,
		"SELECT outcome || category || counted_at || first_seen_at"
		" FROM jobs WHERE job = '1'",
		-1, &st, NULL),
	    SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(st, 0),
	    "failedhang2025-11-20T01:02:03Z2023-11-14T22:13:20Z");
	sqlite3_finalize(st);
	sqlite3_close(db);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_time),
		TEST(test_replace),
		TEST(test_opened),
		TEST(test_clusters),
		TEST(test_record_only),
		TEST(test_bad_records),
		TEST(test_recall),
		TEST(test_recall_contrary),
		TEST(test_joined),
		TEST(test_known),
		TEST(test_sums),
		TEST(test_info),
		TEST(test_prune),
		TEST(test_export),
		TEST(test_import),
		TEST(test_view),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
