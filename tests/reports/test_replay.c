/* Past attempts judged again, against what then happened. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "diagnose/findings.h"
#include "diagnose/decision/usage.h"
#include "reports/gate/replay.h"
#include "reports/gate/replay_past.h"
#include "reports/period/report.h"

#include <stdlib.h>
#include <string.h>

#define HOUR INT64_C(3600)

static struct taxonomy *tax;

/* One attempt; what is 0 or NULL is not known, unless it says so. */
struct made {
	const char *job;
	int attempt; /* 0: 1 */
	const char *user, *category, *print, *verdict;
	int good;     /* 1: ended well, -1: cannot be told */
	int hours;    /* of one GPU; -1: not known */
	int step;     /* 0: none printed */
	int saved;    /* a checkpoint of this step; 0: none */
	int day;      /* of November 2026 on which it ended; 0: not known */
	int log_less; /* known by its record alone */
	const char *cluster, *place;
};

static void put(struct buf *b, const char *key, const char *s)
{
	if (s)
		buf_addf(b, ",\"%s\":\"%s\"", key, s);
	else
		buf_addf(b, ",\"%s\":null", key);
}

static void make(struct buf *b, const struct made *m)
{
	buf_clear(b);
	buf_addf(b,
	    "{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"%s\","
	    "\"attempt\":%d,\"failed\":%s,\"confidence\":\"high\","
	    "\"reason\":\"%s %s\",\"paths\":[%s]",
	    m->job, m->attempt ? m->attempt : 1,
	    m->good < 0   ? "null"
		: m->good ? "false"
			  : "true",
	    m->job, m->category ? m->category : "none",
	    m->log_less ? "" : "\"a.log\"");
	put(b, "user", m->user);
	put(b, "cluster", m->cluster);
	put(b, "place", m->place);
	put(b, "category", m->category ? m->category : "none");
	put(b, "fingerprint", m->print);
	put(b, "verdict", m->verdict ? m->verdict : "none");
	if (m->day)
		buf_addf(b, ",\"ended\":\"2026-11-%02dT12:00:00Z\"", m->day);
	buf_adds(b, ",\"facts\":{\"stage\":null");
	if (m->step)
		buf_addf(b, ",\"last_step\":%d", m->step);
	if (m->saved)
		buf_addf(
		    b, ",\"last_checkpoint\":\"ckpt/step_%d.pt\"", m->saved);
	buf_adds(b, "}");
	if (m->hours >= 0)
		buf_addf(
		    b, ",\"usage\":{\"gpu_seconds\":%d}", m->hours * (int)HOUR);
	buf_adds(b, "}");
}

static struct replay *begin(void)
{
	struct err e;
	struct replay *r =
	    replay_new(tax, ENVELOPE_NO_TIME, ENVELOPE_NO_TIME, &e);

	assert_non_null(r);
	return r;
}

static void add(struct replay *r, const struct made *v, size_t n)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct err e;

	for (size_t i = 0; i < n; i++) {
		make(&b, &v[i]);
		if (replay_add(
			r, (struct span){ b.p, b.len }, ENVELOPE_NO_TIME, &e))
			fail_msg("%s", e.text);
	}
	buf_release(&b);
}

#define ADD(r, v) add(r, v, sizeof(v) / sizeof *(v))

static const struct replay_result *run(struct replay *r)
{
	struct err e;
	const struct replay_result *x = replay_run(r, &e);

	if (!x)
		fail_msg("%s", e.text);
	return x;
}

/* What a script reads of the sums, zeros left out. */
static void check(const struct replay_sums *n, const char *want)
{
	const struct {
		const char *name;
		int64_t v;
	} v[] = {
		{ "n", (int64_t)n->attempts },
		{ "stop+", (int64_t)n->right_stops },
		{ "stop-", (int64_t)n->wrong_stops },
		{ "retry+", (int64_t)n->right_retries },
		{ "retry-", (int64_t)n->wrong_retries },
		{ "stop?", (int64_t)n->otherwise_stops },
		{ "retry?", (int64_t)n->otherwise_retries },
		{ "undecided", (int64_t)n->undecided },
		{ "untold", (int64_t)n->untold },
		{ "later", (int64_t)n->later },
		{ "saved", n->saved / HOUR },
		{ "lost", n->lost / HOUR },
		{ "burnt", n->burnt / HOUR },
		{ "unmeasured", (int64_t)n->unmeasured },
	};
	struct buf b = BUF_INIT(BUF_MAX);

	buf_adds(&b, "");
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		if (v[i].v)
			buf_addf(&b, "%s%s %lld", b.len ? ", " : "", v[i].name,
			    (long long)v[i].v);
	assert_string_equal(b.p, want);
	buf_release(&b);
}

static void check_made(const struct made *v, size_t n, const char *want)
{
	struct replay *r = begin();

	add(r, v, n);
	check(&run(r)->all, want);
	replay_free(r);
}

#define CHECK(v, want) check_made(v, sizeof(v) / sizeof *(v), want)

#define PATH .category = "path_not_found", .verdict = "stop"
#define NET .category = "network_communication", .verdict = "retry"
#define ONE .print = "00000000000000a1"
#define TWO .print = "00000000000000a2"
#define WELL .good = 1

/* ---- one pair ---- */

static void test_pairs(void **state)
{
	static const struct made again[] = { { "j", 1, PATH, ONE, .hours = 1 },
		{ "j", 2, PATH, ONE, .hours = 2 } };
	static const struct made repaired[] = {
		{ "j", 1, PATH, ONE, .hours = 1 }, { "j", 2, WELL, .hours = 2 }
	};
	static const struct made lived[] = { { "j", 1, NET, ONE, .hours = 1 },
		{ "j", 2, WELL, .hours = 2 } };
	static const struct made burnt[] = { { "j", 1, NET, ONE, .hours = 1 },
		{ "j", 2, NET, ONE, .hours = 2 } };
	static const struct made other[] = { { "j", 1, PATH, ONE, .hours = 1 },
		{ "j", 2, NET, TWO, .hours = 2 } };
	static const struct made nameless[] = { { "j", 1, .category = "unknown",
						    .verdict = "retry" },
		{ "j", 2, .category = "unknown", .verdict = "retry" } };
	static const struct made untold[] = { { "j", 1, PATH, ONE },
		{ "j", 2, .good = -1, .verdict = "undecided" } };
	static const struct made unmeasured[] = { { "j", 1, PATH, ONE },
		{ "j", 2, PATH, ONE, .hours = -1 } };
	static const struct made doubt[] = { { "j", 1, .category = "unknown",
						 .verdict = "undecided" },
		{ "j", 2, WELL } };

	(void)state;
	CHECK(again, "n 1, stop+ 1, saved 2");
	CHECK(repaired, "n 1, stop- 1, lost 2");
	CHECK(lived, "n 1, retry+ 1");
	CHECK(burnt, "n 1, retry- 1, burnt 2");
	CHECK(other, "n 1, stop? 1");
	CHECK(nameless, "n 1, retry? 1");
	CHECK(untold, "n 1, untold 1");
	CHECK(unmeasured, "n 1, stop+ 1, unmeasured 1");
	CHECK(doubt, "n 1, undecided 1");
}

static void test_progress(void **state)
{
	static const struct made step[] = { { "j", 1, NET, ONE, .step = 100 },
		{ "j", 2, NET, ONE, .step = 101 } };
	static const struct made saved[] = { { "j", 1, PATH, ONE, .step = 100 },
		{ "j", 2, PATH, ONE, .step = 100, .saved = 90, .hours = 4 } };
	static const struct made back[] = { { "j", 1, NET, ONE, .step = 100 },
		{ "j", 2, NET, ONE, .step = 99, .hours = 4 } };

	(void)state;
	CHECK(step, "n 1, retry+ 1");
	CHECK(saved, "n 1, stop- 1, lost 4");
	CHECK(back, "n 1, retry- 1, burnt 4");
}

static void test_not_judged(void **state)
{
	static const struct made well[] = { { "j", 1, WELL },
		{ "j", 2, WELL } };
	static const struct made alone[] = { { "j", 1, PATH, ONE },
		{ "k", 1, PATH, ONE } };
	static const struct made gap[] = { { "j", 1, PATH, ONE },
		{ "j", 3, WELL } };

	(void)state;
	CHECK(well, "");
	CHECK(alone, "");
	CHECK(gap, "n 1, untold 1");
	check_made(NULL, 0, "");
}

/* ---- chains ---- */

/* What a stop spares is counted once, and until something changes. */
static void test_hours(void **state)
{
	static const struct made steady[] = { { "j", 1, PATH, ONE, .hours = 1 },
		{ "j", 2, PATH, ONE, .hours = 10 },
		{ "j", 3, PATH, ONE, .hours = 20 },
		{ "j", 4, PATH, ONE, .hours = 40 } };
	static const struct made mended[] = { { "j", 1, PATH, ONE, .hours = 1 },
		{ "j", 2, PATH, ONE, .hours = 10 },
		{ "j", 3, WELL, .hours = 20 } };
	static const struct made changed[] = { { "j", 1, PATH, ONE,
						   .hours = 1 },
		{ "j", 2, PATH, ONE, .hours = 10 },
		{ "j", 3, PATH, TWO, .hours = 20 },
		{ "j", 4, PATH, TWO, .hours = 40 } };
	/* the second would not have run: it burns nothing any more */
	static const struct made mixed[] = { { "j", 1, PATH, ONE, .hours = 1 },
		{ "j", 2, NET, ONE, .hours = 10 },
		{ "j", 3, NET, ONE, .hours = 20 } };

	(void)state;
	CHECK(steady, "n 3, stop+ 3, saved 70");
	CHECK(mended, "n 2, stop+ 1, stop- 1, later 1, saved 10, lost 20");
	CHECK(changed, "n 3, stop+ 2, stop? 1, saved 50");
	CHECK(mixed, "n 2, stop+ 1, retry- 1, saved 30");
}

/* The attempts before are looked at, in whatever order they come. */
static void test_history(void **state)
{
	static const struct made v[] = {
		{ "j", 3, WELL, .hours = 4 },
		{ "j", 1, .category = "uncaught_exception", .verdict = "retry",
		    ONE, .step = 50, .hours = 1 },
		{ "j", 2, .category = "uncaught_exception", .verdict = "retry",
		    ONE, .step = 50, .hours = 2 },
	};
	struct replay *r = begin();
	const struct replay_result *x;

	(void)state;
	ADD(r, v);
	x = run(r);
	check(&x->all, "n 2, stop- 1, retry- 1, lost 4, burnt 2");
	assert_int_equal(x->jobs, 1);
	assert_int_equal(x->n_categories, 1);
	assert_string_equal(x->categories[0].id, "uncaught_exception");
	check(
	    &x->categories[0].sums, "n 2, stop- 1, retry- 1, lost 4, burnt 2");
	assert_int_equal(x->wrong.n, 1);
	assert_string_equal(x->wrong.v[0].job, "j");
	assert_int_equal(x->wrong.v[0].attempt, 2);
	assert_int_equal(x->wrong.v[0].outcome, REPLAY_RECOVERED);
	assert_int_equal(x->wrong.v[0].gpu_seconds, 4 * HOUR);
	/* its own words, then what the history says */
	assert_non_null(strstr(x->wrong.v[0].reason, "j uncaught_exception"));
	assert_non_null(strstr(x->wrong.v[0].reason, "attempt 1"));
	replay_free(r);
}

static void test_users(void **state)
{
	static const struct made v[] = {
		{ "7", 1, "ann", PATH, ONE },
		{ "7", 2, "ann", PATH, ONE, .hours = 1 },
		{ "7", 1, "bob", NET, ONE }, { "7", 2, "bob", WELL },
		{ "7", 1, NULL, NET, TWO }, /* whose? */
		{ "8", 1, NULL, PATH, ONE },
		{ "8", 2, "ann", WELL, .hours = 2 }, /* hers alone */
	};
	struct replay *r = begin();
	const struct replay_result *x;

	(void)state;
	ADD(r, v);
	x = run(r);
	check(&x->all, "n 3, stop+ 1, stop- 1, retry+ 1, saved 1, lost 2");
	assert_int_equal(x->jobs, 3);
	assert_int_equal(x->unclear, 1);
	replay_free(r);
}

/* An answer is to the job that it was given for, too. */
static void test_same_names(void **state)
{
	static const struct made v[] = {
		{ "7", 1, NULL, PATH, ONE, .cluster = "x" },
		{ "7", 2, NULL, PATH, ONE, .cluster = "x", .hours = 1 },
		{ "7", 1, NULL, NET, TWO, .cluster = "y" },
		{ "7", 2, NULL, WELL, .cluster = "y" },
		{ "7", 2, NULL, WELL }, /* whose? */
		{ "8", 1, NULL, NET, TWO, .place = "/a/" },
		{ "8", 2, NULL, WELL, .place = "/a/" },
		{ "8", 1, NULL, PATH, ONE, .place = "/b/" },
		{ "8", 1, NULL, PATH, ONE }, /* a record's, by itself */
		{ "8", 2, NULL, PATH, ONE, .hours = 2 },
	};
	static const struct replay_given given[] = {
		{ "7", "x", NULL, 1, "stop", "" },
		{ "7", "y", "", 1, "stop", "" },
		{ "8", "", "/a/", 1, "retry", "" },
		{ "8", NULL, "/c/", 1, "retry", "" },
	};
	struct replay *r = begin();
	const struct replay_result *x;

	(void)state;
	ADD(r, v);
	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		assert_int_equal(replay_answer(r, &given[i]), 0);
	x = run(r);
	assert_int_equal(x->jobs, 4);
	assert_int_equal(x->unclear, 1);
	check(&x->all, "n 4, stop+ 2, retry+ 2, saved 3");
	assert_int_equal(x->given.attempts, 3);
	assert_int_equal(x->given.right_stops, 1);
	assert_int_equal(x->given.wrong_stops, 1);
	assert_int_equal(x->given.right_retries, 1);
	replay_free(r);
}

/* An attempt that is there twice counts once, as its log says. */
static void test_twice(void **state)
{
	static const struct made v[] = {
		{ "j", 1, PATH, ONE, .day = 1 },
		{ "j", 1, .category = "unknown", .verdict = "undecided",
		    .day = 2, .log_less = 1 },
		{ "j", 2, PATH, ONE, .day = 3, .hours = 1 },
		{ "j", 2, WELL, .day = 2 },
	};

	(void)state;
	CHECK(v, "n 1, stop+ 1, saved 1");
}

static void test_period(void **state)
{
	static const struct made v[] = {
		{ "j", 1, PATH, ONE, .day = 1 },
		{ "j", 2, PATH, ONE, .day = 10, .hours = 1 },
		{ "j", 3, PATH, ONE, .day = 20, .hours = 2 },
		{ "k", 1, NET, ONE }, /* no time: in no period */
		{ "k", 2, WELL },
	};
	const int64_t day = 86400 * INT64_C(1000000);
	const int64_t november = INT64_C(20758) * day;
	struct replay *r;
	struct err e;

	(void)state;
	r = replay_new(tax, november + 5 * day, november + 15 * day, &e);
	ADD(r, v);
	check(&run(r)->all, "n 1, stop+ 1, saved 2");
	replay_free(r);
	r = replay_new(tax, ENVELOPE_NO_TIME, november + 5 * day, &e);
	ADD(r, v);
	check(&run(r)->all, "n 1, stop+ 1, saved 3");
	replay_free(r);
	r = replay_new(tax, november + 5 * day, ENVELOPE_NO_TIME, &e);
	ADD(r, v);
	check(&run(r)->all, "n 1, stop+ 1, saved 2");
	replay_free(r);
}

static void test_answers(void **state)
{
	static const struct made v[] = {
		{ "a", 1, PATH, ONE },
		{ "a", 2, WELL, .hours = 3 },
		{ "b", 1, PATH, ONE },
		{ "b", 2, PATH, ONE, .hours = 5 },
		{ "c", 1, NET, ONE },
		{ "c", 2, WELL },
		{ "d", 1, NET, ONE },
		{ "d", 2, WELL },
	};
	struct replay *r = begin();
	const struct replay_result *x;

	(void)state;
	ADD(r, v);
	assert_int_equal(
	    replay_answer(r,
		&(struct replay_given){ "b", NULL, "", 1, "retry", "why not" }),
	    0);
	assert_int_equal(replay_answer(r,
			     &(struct replay_given){
				 "a", NULL, "", 1, "stop", "so it was" }),
	    0);
	assert_int_equal(
	    replay_answer(
		r, &(struct replay_given){ "c", NULL, "", 1, "error", NULL }),
	    0);
	assert_int_equal(
	    replay_answer(
		r, &(struct replay_given){ "d", NULL, "", 2, "retry", "" }),
	    0);
	assert_int_equal(
	    replay_answer(
		r, &(struct replay_given){ "none", NULL, "", 1, "stop", "" }),
	    0);
	x = run(r);
	assert_int_equal(x->answers, 5);
	check(&x->given, "n 2, stop- 1, retry- 1, lost 3, burnt 5");
	assert_int_equal(x->given_wrong.n, 1);
	assert_string_equal(x->given_wrong.v[0].reason, "so it was");
	check(&x->all, "n 4, stop+ 1, stop- 1, retry+ 2, saved 5, lost 3");
	replay_free(r);
}

/* ---- bad input ---- */

static void test_bad(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{}",
		"{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"x\"}",
		"{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"x\","
		"\"attempt\":3000000000,\"failed\":true,\"verdict\":\"stop\","
		"\"confidence\":\"high\",\"category\":\"hang\"}" };
	static const struct made v[] = { { "j", 1, PATH, ONE },
		{ "j", 2, PATH, ONE, .hours = 1 } };
	struct replay *r = begin();
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		e.text[0] = '\0';
		assert_int_equal(replay_add(r, span_of(bad[i]), 0, &e), 1);
		assert_true(e.text[0] != '\0');
	}
	ADD(r, v);
	check(&run(r)->all, "n 1, stop+ 1, saved 1");
	replay_free(r);
	replay_free(NULL);
}

/* ---- what is put together again ---- */

static void test_past(void **state)
{
	static const char text[] =
	    "{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"j\","
	    "\"attempt\":2,\"failed\":true,\"confidence\":\"low\","
	    "\"category\":\"path_not_found\",\"verdict\":\"retry\","
	    "\"reason\":\"as it was\",\"rule\":\"%s\",\"paths\":[\"a\"],"
	    "\"fingerprint\":\"0123456789abcdef\",\"user\":\"ann\","
	    "\"facts\":{\"last_epoch\":3,\"last_step\":9,\"stage\":\"data\","
	    "\"last_checkpoint\":\"c/9.pt\"},"
	    "\"evidence\":[{\"rule\":\"x\",\"text\":\"No such file: /d/x "
	    "while training\",\"captures\":{\"path\":\"/d/x\"}}]}";
	struct arena *users = arena_new();
	const struct rule *rule = NULL;
	struct buf b = BUF_INIT(BUF_MAX);
	struct attempt a;
	struct json *o;
	struct past p;
	struct err e;

	(void)state;
	for (size_t i = 0; i < tax->n_rules && !rule; i++)
		for (size_t k = 0; k < taxonomy_rule_at(tax, i)->extract.n; k++)
			if (strcmp(taxonomy_rule_at(tax, i)->extract.v[k],
				"path") == 0)
				rule = taxonomy_rule_at(tax, i);
	assert_non_null(rule);
	buf_addf(&b, text, rule->id);
	o = json_parse((struct span){ b.p, b.len }, JSON_PARSE, &e);
	assert_non_null(o);
	assert_int_equal(replay_past_read(&p, o, tax, users, &e), 0);
	history_attempt(&p.d, &a);
	assert_int_equal(a.attempt, 2);
	assert_int_equal(a.failed, 1);
	assert_int_equal(a.verdict, VERDICT_RETRY);
	assert_string_equal(a.rule, rule->id);
	assert_string_equal(a.category, "path_not_found");
	assert_string_equal(a.fingerprint, "0123456789abcdef");
	assert_string_equal(a.artefact, "/d/x");
	assert_string_equal(a.checkpoint, "c/9.pt");
	assert_string_equal(a.stage, "data");
	assert_int_equal(a.last.epoch, 3);
	assert_int_equal(a.last.step, 9);
	assert_string_equal(p.d.reason, "as it was");
	assert_string_equal(p.owner.user, "ann");
	replay_past_release(&p);
	json_free(o);
	buf_release(&b);
	arena_free(users);
}

/* ---- output ---- */

static char *text_of(struct replay *r, bool as_json)
{
	const struct replay_result *x = run(r);
	struct report_style style = { .top = 10 };
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	struct err e;

	assert_non_null(f);
	assert_int_equal(
	    as_json ? replay_json(x, f, &e) : replay_text(x, &style, f, &e), 0);
	assert_int_equal(fclose(f), 0);
	return out;
}

static void test_output(void **state)
{
	static const struct made v[] = {
		{ "a\\u001b[31m", 1, PATH, ONE },
		{ "a\\u001b[31m", 2, WELL, .hours = 3 },
		{ "b", 1, NET, ONE },
		{ "b", 2, NET, ONE, .hours = 5 },
	};
	struct replay *r = begin();
	char *text;

	(void)state;
	ADD(r, v);
	text = text_of(r, false);
	assert_non_null(strstr(
	    text, "2 failed attempts of 2 jobs that another attempt followed"));
	assert_non_null(strstr(text, "path_not_found"));
	assert_non_null(strstr(text, "network_communication"));
	assert_non_null(strstr(text, "recovered"));
	assert_null(strchr(text, '\033'));
	free(text);
	replay_free(r);
	r = begin();
	text = text_of(r, false);
	assert_non_null(strstr(text, "0 failed attempts of 0 jobs"));
	assert_null(strstr(text, "GPU-hours"));
	free(text);
	replay_free(r);
}

static void test_json(void **state)
{
	static const struct made v[] = {
		{ "a", 1, "ann", PATH, ONE },
		{ "a", 2, "ann", WELL, .hours = 3 },
	};
	const struct json *wrong, *sums;
	struct replay *r = begin();
	struct json *o;
	struct err e;
	int64_t n = 0;
	char *text;

	(void)state;
	ADD(r, v);
	text = text_of(r, true);
	o = json_parse(span_of(text), JSON_UNIQUE_KEYS, &e);
	assert_non_null(o);
	assert_true(span_is(json_get_text(o, "schema"), "jobtriage.replay/1"));
	assert_true(json_is(json_get(o, "since"), JSON_IS_NULL));
	assert_true(json_is(json_get(o, "given"), JSON_IS_NULL));
	sums = json_get(json_get(o, "categories"), "path_not_found");
	assert_true(json_int(json_get(sums, "wrong_stops"), &n) && n == 1);
	assert_true(
	    json_int(json_get(json_get(o, "sums"), "gpu_seconds_lost"), &n) &&
	    n == 3 * HOUR);
	wrong = json_at(json_get(o, "wrong_stops"), 0);
	assert_true(span_is(json_get_text(wrong, "job"), "a"));
	assert_true(span_is(json_get_text(wrong, "user"), "ann"));
	assert_true(span_is(json_get_text(wrong, "then"), "recovered"));
	assert_true(
	    json_int(json_get(wrong, "gpu_seconds"), &n) && n == 3 * HOUR);
	json_free(o);
	free(text);
	replay_free(r);
}

static int setup(void **state)
{
	struct err e;

	(void)state;
	tax = taxonomy_load(NULL, 0, &e);
	return tax ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	taxonomy_free(tax);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_not_judged),
		cmocka_unit_test(test_hours),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_same_names),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_output),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
