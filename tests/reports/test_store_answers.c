/*
 * What the gate asks of a store and leaves there: the attempts of a job, and
 * the answers given; and a store made before there were any.
 */
#include "tests/reports/store_lab.h"

#include <sqlite3.h>
#include <time.h>

#define NOW (INT64_C(1700000000) * 1000000)

static void sql(struct lab *l, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* "ATTEMPT/REASON " for each. */
static int on_attempt(void *ctx, struct span record, struct err *e)
{
	size_t at = span_find(record, "\"attempt\":");
	size_t from = span_find(record, "\"reason\":\"");
	struct span rest = span_sub(record, from + 10, record.n);

	(void)e;
	return buf_addf(ctx, "%c/%.*s ", record.p[at + 10],
	    (int)span_find(rest, "\""), rest.p);
}

static void test_attempts(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct buf b = BUF_INIT(BUF_MAX);

	lab_put(
	    l, s, NULL, (struct told){ "7", "c", "k", "c", .attempt = 3 }, NOW);
	lab_put(l, s, NULL, (struct told){ "7", "a", "k", "a", .attempt = 1 },
	    NOW + 1);
	lab_put(
	    l, s, NULL, (struct told){ "8", "x", "k", "x", .attempt = 2 }, NOW);
	lab_put(l, s, NULL, (struct told){ "7", "b", "k", "b", .attempt = 2 },
	    NOW + 2);
	lab_put(l, s, NULL,
	    (struct told){ "7", "d", "other", "d", .attempt = 2 }, NOW);
	lab_put(l, s, NULL, (struct told){ "70", "x", "k", "x", .attempt = 1 },
	    NOW);
	/* in order of attempt, then as they were seen; pending ones, too */
	assert_int_equal(store_attempts(s, "7", on_attempt, &b, &l->e), 0);
	assert_string_equal(b.p, "1/a 2/d 2/b 3/c ");
	buf_clear(&b);
	assert_int_equal(store_attempts(s, "none", on_attempt, &b, &l->e), 0);
	assert_int_equal(store_attempts(s, "", on_attempt, &b, &l->e), 0);
	assert_int_equal(b.len, 0);
	buf_release(&b);
	lab_end(l, s);
}

static int stop(void *ctx, struct span record, struct err *e)
{
	(void)record;
	++*(int *)ctx;
	return err_set(e, "enough");
}

static void test_attempts_stop(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	int calls = 0;

	lab_put(
	    l, s, NULL, (struct told){ "7", "a", "k", "a", .attempt = 1 }, NOW);
	lab_put(
	    l, s, NULL, (struct told){ "7", "b", "k", "b", .attempt = 2 }, NOW);
	assert_int_equal(store_attempts(s, "7", stop, &calls, &l->e), -1);
	assert_int_equal(calls, 1);
	assert_string_equal(l->e.text, "enough");
	lab_end(l, s);
}

static int on_answer(void *ctx, const struct store_answer *a, struct err *e)
{
	(void)e;
	return buf_addf(ctx, "%s %d %s %s %s %d %lld%s%s%s%s\n", a->job,
	    (int)a->attempt, a->verdict, a->given, a->reason, a->shadow,
	    (long long)(a->at - NOW), *a->cluster ? " " : "", a->cluster,
	    *a->place ? " " : "", a->place);
}

static int stop_answers(void *ctx, const struct store_answer *a, struct err *e)
{
	(void)a;
	++*(int *)ctx;
	return err_set(e, "enough");
}

static void put(struct lab *l, struct store *s, const struct store_answer *a)
{
	if (store_put_answer(s, a, &l->e))
		fail_msg("%s", l->e.text);
}

static char *answers(struct lab *l, struct store *s)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_adds(&b, ""), 0);
	if (store_answers(s, on_answer, &b, &l->e))
		fail_msg("%s", l->e.text);
	return buf_take(&b);
}

static void test_answers(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct store_answer a = { "b", 2, "stop", "retry", "it's \"so\"", true,
		NOW, NULL, NULL };
	uint64_t forgotten;
	int calls = 0;
	char *told;

	put(l, s, &a);
	put(l, s,
	    &(struct store_answer){
		"a", 10, "stop", "stop", "", false, NOW + 1, NULL, NULL });
	put(l, s,
	    &(struct store_answer){
		"a", 9, "retry", "retry", "r", false, NOW + 2, NULL, NULL });
	told = answers(l, s);
	assert_string_equal(told,
	    "a 9 retry retry r 0 2\n"
	    "a 10 stop stop  0 1\n"
	    "b 2 stop retry it's \"so\" 1 0\n");
	free(told);
	/* the latest of an attempt */
	a.verdict = a.given = "adjust";
	a.shadow = false;
	a.at = NOW + 7;
	put(l, s, &a);
	lab_end(l, s);
	s = lab_store(l, STORE_READ);
	told = answers(l, s);
	assert_non_null(strstr(told, "b 2 adjust adjust it's \"so\" 0 7\n"));
	assert_null(strstr(told, "stop retry"));
	free(told);
	assert_int_equal(store_answers(s, stop_answers, &calls, &l->e), -1);
	assert_int_equal(calls, 1);
	assert_string_equal(l->e.text, "enough");
	assert_int_equal(store_put_answer(s, &a, &l->e), -1);
	lab_end(l, s);
	/* they are forgotten with the diagnoses */
	s = lab_store(l, STORE_CHANGE);
	assert_int_equal(store_prune(s, NOW + 2, &forgotten, &l->e), 0);
	assert_int_equal(forgotten, 0);
	told = answers(l, s);
	assert_string_equal(told,
	    "a 9 retry retry r 0 2\n"
	    "b 2 adjust adjust it's \"so\" 0 7\n");
	free(told);
	lab_end(l, s);
}

/* Schema 1 is schema 2 without answers. */
static void test_from_schema_1(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	char *before, *after;

	lab_put(
	    l, s, "r", (struct told){ "7", "a", "k", "a", .attempt = 1 }, NOW);
	before = lab_export(l, s);
	lab_end(l, s);
	if (l->server) { /* it began with schema 1, which has answers */
		free(before);
		return;
	}
	sql(l,
	    "DROP TABLE failure_group; DROP TABLE judgement;"
	    " DROP TABLE good_run;"
	    " DROP TABLE answer; DROP VIEW jobs; "
	    "CREATE VIEW jobs AS SELECT 1;"
	    " ALTER TABLE diagnosis DROP COLUMN brief;"
	    " ALTER TABLE diagnosis DROP COLUMN cluster;"
	    " ALTER TABLE diagnosis DROP COLUMN place;"
	    " PRAGMA user_version = 1");
	s = lab_store(l, STORE_READ);
	after = lab_export(l, s);
	assert_string_equal(before, after);
	free(before);
	free(after);
	after = answers(l, s);
	assert_string_equal(after, "");
	free(after);
	lab_end(l, s);
	s = lab_store(l, STORE_WRITE);
	put(l, s,
	    &(struct store_answer){
		"7", 1, "stop", "stop", "", false, NOW, NULL, NULL });
	lab_end(l, s);
}

/* What an answer was kept with before there were clusters stays. */
static void test_from_schema_4(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	char *told;

	lab_put(
	    l, s, "r", (struct told){ "7", "a", "k", "a", .attempt = 1 }, NOW);
	lab_end(l, s);
	if (l->server)
		return;
	sql(l,
	    "DROP TABLE failure_group; DROP TABLE judgement;"
	    " DROP TABLE good_run;"
	    " DROP TABLE answer; DROP VIEW jobs; "
	    "CREATE VIEW jobs AS SELECT 1;"
	    " ALTER TABLE diagnosis DROP COLUMN cluster;"
	    " ALTER TABLE diagnosis DROP COLUMN place;"
	    " CREATE TABLE answer ("
	    " job TEXT NOT NULL, attempt INTEGER NOT NULL,"
	    " verdict TEXT NOT NULL, given TEXT NOT NULL,"
	    " reason TEXT NOT NULL, shadow INTEGER NOT NULL,"
	    " at INTEGER NOT NULL, PRIMARY KEY (job, attempt)) WITHOUT ROWID;"
	    " INSERT INTO answer VALUES ('7', 1, 'stop', 'stop', 'r', 0, 5);"
	    " PRAGMA user_version = 4");
	s = lab_store(l, STORE_CHANGE);
	put(l, s,
	    &(struct store_answer){
		"7", 1, "retry", "retry", "", false, NOW, "x", "/a/" });
	lab_end(l, s);
	s = lab_store(l, STORE_READ);
	told = answers(l, s);
	assert_non_null(strstr(told, "7 1 stop stop r 0 "));
	assert_non_null(strstr(told, "7 1 retry retry  0 0 x /a/\n"));
	free(told);
	lab_end(l, s);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void test_patience(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	int64_t begin;
	sqlite3 *db;
	char *told;

	lab_end(l, s);
	if (l->server) /* another who waits: tests/integration/postgres.sh */
		return;
	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	begin = now_ms();
	s = store_open_within(l->url, STORE_WRITE, 200, &l->e);
	if (!s)
		fail_msg("%s", l->e.text);
	assert_int_equal(store_put_answer(s,
			     &(struct store_answer){ "7", 1, "stop", "stop", "",
				 false, 0, NULL, NULL },
			     &l->e),
	    -1);
	assert_non_null(strstr(l->e.text, "more than 0.2 seconds"));
	assert_true(now_ms() - begin < 10000);
	/* what is there can be read all the same */
	told = answers(l, s);
	assert_string_equal(told, "");
	free(told);
	store_close(s, NULL);
	sqlite3_close(db);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_attempts),
		TEST(test_attempts_stop),
		TEST(test_answers),
		TEST(test_from_schema_1),
		TEST(test_from_schema_4),
		TEST(test_patience),
	};

	return cmocka_run_group_tests_name("store_answers", tests, NULL, NULL);
}
