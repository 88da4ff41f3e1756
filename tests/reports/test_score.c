/* The figures of an evaluation, on cases made up for them. */
#include "tests/diagnose/lab.h"

#include "base/json.h"
#include "reports/evaluate/score.h"

#include <math.h>
#include <stdio.h>

struct made {
	const char *category, *got; /* got NULL: no answer came */
	const char *accept;
	enum verdict verdict, got_verdict;
	enum confidence confidence;
	const char *difficulty;
};

#define NO VERDICT_COUNT
#define STOP VERDICT_STOP
#define RETRY VERDICT_RETRY
#define ADJUST VERDICT_ADJUST
#define NONE VERDICT_NONE
#define LOW CONFIDENCE_LOW
#define MEDIUM CONFIDENCE_MEDIUM
#define HIGH CONFIDENCE_HIGH

/*
 * a: 4 labelled, 2 right (one by an accepted answer); b: 2 labelled, 1 right;
 * none: 2 labelled, 1 right; c: answered, never labelled.
 */
static const struct made cases[] = {
	{ "a", "a", "", STOP, STOP, HIGH, "plain" },
	{ "a", "b", "x, b", STOP, RETRY, HIGH, "hard" },
	{ "a", "b", "", RETRY, STOP, MEDIUM, "hard" },
	{ "a", "c", "bb,ab", ADJUST, STOP, HIGH, "plain" },
	{ "b", "b", "", RETRY, RETRY, MEDIUM, "" },
	{ "b", NULL, "", STOP, NONE, LOW, "" },
	{ "none", "none", "", NO, NONE, LOW, "plain" },
	{ "none", "c", "", NO, STOP, LOW, "plain" },
};

static char *copy(const char *s)
{
	char *c = s ? strdup(s) : NULL;

	if (s)
		assert_non_null(c);
	return c;
}

static void fill(struct score *s, const struct made *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct score_case *c = score_add(s);
		char path[32];

		assert_non_null(c);
		assert_int_equal(c->verdict, VERDICT_COUNT);
		snprintf(path, sizeof path, "logs/%zu.log", i);
		c->path = copy(path);
		c->category = copy(v[i].category);
		c->accept = copy(v[i].accept);
		c->difficulty = copy(v[i].difficulty);
		c->verdict = v[i].verdict;
		c->answered = v[i].got != NULL;
		c->got = copy(v[i].got);
		c->rule = copy(v[i].got ? "some.rule" : NULL);
		c->got_verdict = v[i].got_verdict;
		c->confidence = (int)v[i].confidence;
	}
}

static void fill_all(struct score *s, struct score_sums *sums)
{
	struct err e = { 0 };

	*s = (struct score){ 0 };
	fill(s, cases, sizeof cases / sizeof *cases);
	assert_int_equal(score_sum(s, sums, &e), 0);
	assert_string_equal(e.text, "");
}

static void close_to(double got, double want)
{
	if (fabs(got - want) > 1e-12)
		fail_msg("%.17g instead of %.17g", got, want);
}

static const struct score_class *class(
    const struct score_sums *sums, const char *id)
{
	for (size_t i = 0; i < sums->n_classes; i++)
		if (strcmp(sums->classes[i].id, id) == 0)
			return &sums->classes[i];
	fail_msg("no class %s", id);
	return NULL;
}

static uint64_t cell(
    const struct score_sums *sums, const char *labelled, const char *answered)
{
	size_t a = (size_t)(class(sums, labelled) - sums->classes);
	size_t b = (size_t)(class(sums, answered) - sums->classes);

	return sums->matrix[a * sums->n_classes + b];
}

static void accuracy(void **state)
{
	static const bool right[] = { true, true, false, false, true, false,
		true, false };
	struct score s;
	struct score_sums sums;

	(void)state;
	fill_all(&s, &sums);
	for (size_t i = 0; i < s.n; i++)
		assert_int_equal(score_right(&s.v[i]), right[i]);
	assert_int_equal(sums.jobs, 8);
	assert_int_equal(sums.right, 4);
	close_to(sums.accuracy, 0.5);
	assert_int_equal(sums.plain, 4);
	assert_int_equal(sums.plain_right, 2);
	assert_int_equal(sums.hard, 2);
	assert_int_equal(sums.hard_right, 1);
	score_sums_release(&sums);
	score_release(&s);
}

/* What a label accepts: whole ids, blanks around them, nothing else. */
static void accepted(void **state)
{
	static const struct {
		const char *got, *accept;
		bool right;
	} rows[] = {
		{ "a", "", true },
		{ "b", "", false },
		{ "b", "b", true },
		{ "b", "x,b", true },
		{ "b", " b ,x", true },
		{ "b", "bb", false },
		{ "b", "x, ,y", false },
		{ "none", "none", true },
		{ NULL, "none", true }, /* no log: it is said to be well */
		{ NULL, "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct made m = { .category = "a",
			.got = rows[i].got,
			.accept = rows[i].accept,
			.difficulty = "" };
		struct score s = { 0 };

		fill(&s, &m, 1);
		assert_int_equal(score_right(&s.v[0]), rows[i].right);
		score_release(&s);
	}
}

static void classes(void **state)
{
	struct score s;
	struct score_sums sums;

	(void)state;
	fill_all(&s, &sums);
	assert_int_equal(sums.n_classes, 4);
	for (size_t i = 1; i < sums.n_classes; i++)
		assert_true(
		    strcmp(sums.classes[i - 1].id, sums.classes[i].id) < 0);
	/* the accepted answer b of the second case counts as a */
	assert_int_equal(class(&sums, "a")->labelled, 4);
	assert_int_equal(class(&sums, "a")->answered, 2);
	close_to(class(&sums, "a")->precision, 1);
	close_to(class(&sums, "a")->recall, 0.5);
	close_to(class(&sums, "a")->f1, 2.0 / 3);
	assert_int_equal(class(&sums, "b")->answered, 2);
	close_to(class(&sums, "b")->precision, 0.5);
	close_to(class(&sums, "b")->recall, 0.5);
	close_to(class(&sums, "b")->f1, 0.5);
	close_to(class(&sums, "none")->precision, 0.5);
	/* never labelled: nothing to recall, and not in the mean */
	assert_int_equal(class(&sums, "c")->answered, 2);
	close_to(class(&sums, "c")->recall, 0);
	close_to(sums.macro_f1, (2.0 / 3 + 0.5 + 0.5) / 3);
	score_sums_release(&sums);
	score_release(&s);
}

static void matrix(void **state)
{
	struct score s;
	struct score_sums sums;
	uint64_t all = 0;

	(void)state;
	fill_all(&s, &sums);
	assert_int_equal(cell(&sums, "a", "a"), 2);
	assert_int_equal(cell(&sums, "a", "b"), 1);
	assert_int_equal(cell(&sums, "a", "c"), 1);
	assert_int_equal(cell(&sums, "b", "b"), 1);
	assert_int_equal(cell(&sums, "b", "none"), 1);
	assert_int_equal(cell(&sums, "none", "none"), 1);
	assert_int_equal(cell(&sums, "none", "c"), 1);
	for (size_t i = 0; i < sums.n_classes * sums.n_classes; i++)
		all += sums.matrix[i];
	assert_int_equal(all, 8);
	score_sums_release(&sums);
	score_release(&s);
}

static void bands(void **state)
{
	struct score s;
	struct score_sums sums;

	(void)state;
	fill_all(&s, &sums);
	assert_int_equal(sums.band[HIGH], 3);
	assert_int_equal(sums.band_right[HIGH], 2);
	assert_int_equal(sums.band[MEDIUM], 2);
	assert_int_equal(sums.band_right[MEDIUM], 1);
	assert_int_equal(sums.band[LOW], 3);
	assert_int_equal(sums.band_right[LOW], 1);
	score_sums_release(&sums);
	score_release(&s);
}

/* Of the six labelled verdicts two are right, and two are a stop where a
 * retry, plain or changed, had a chance. */
static void wrong_stops(void **state)
{
	struct score s;
	struct score_sums sums;

	(void)state;
	fill_all(&s, &sums);
	assert_int_equal(sums.verdicts, 6);
	assert_int_equal(sums.verdicts_right, 2);
	close_to(sums.verdict_accuracy, 2.0 / 6);
	assert_int_equal(sums.wrong_stops, 2);
	close_to(sums.wrong_stop_rate, 2.0 / 6);
	score_sums_release(&sums);
	score_release(&s);
}

static void nothing(void **state)
{
	struct score s = { 0 };
	struct score_sums sums;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(score_sum(&s, &sums, &e), 0);
	assert_int_equal(sums.jobs, 0);
	close_to(sums.accuracy, 0);
	close_to(sums.macro_f1, 0);
	score_sums_release(&sums);
	score_release(&s);
}

/* ---- what is written ---- */

static char *written(struct score *s, bool json, bool list_wrong)
{
	struct score_sums sums;
	struct err e = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(score_sum(s, &sums, &e), 0);
	assert_int_equal(
	    (json ? score_json : score_text)(s, &sums, list_wrong, f, &e), 0);
	assert_int_equal(fclose(f), 0);
	score_sums_release(&sums);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in\n%s", part, text);
}

static void as_text(void **state)
{
	struct score s = { 0 };
	char *text;

	(void)state;
	fill(&s, cases, sizeof cases / sizeof *cases);
	text = written(&s, false, true);
	has(text, "logs/2.log: a taken for b, verdict stop instead of retry");
	has(text, "logs/5.log: b taken for none (no log)");
	assert_null(strstr(text, "logs/0.log"));
	/* the category is right, the verdict not */
	has(text, "logs/1.log: a, verdict retry instead of stop");
	has(text, "accuracy           0.5000  (4 of 8)");
	has(text, "  said high        0.6667  (2 of 3)");
	has(text, "wrong stops        0.3333  (2 of 6)");
	assert_null(strstr(text, "RULE"));
	free(text);
	text = written(&s, false, false);
	assert_null(strstr(text, "logs/"));
	free(text);
	score_release(&s);
}

static void as_json(void **state)
{
	struct score s = { 0 };
	struct err e = { 0 };
	struct json *o;
	char *text;
	int64_t n = 0;
	double x = 0;

	(void)state;
	fill(&s, cases, sizeof cases / sizeof *cases);
	text = written(&s, true, true);
	o = json_parse(span_of(text), JSON_UNIQUE_KEYS, &e);
	assert_non_null(o);
	assert_true(json_int(json_get(o, "wrong_stops"), &n));
	assert_int_equal(n, 2);
	assert_true(json_number(json_get(o, "accuracy_high"), &x));
	close_to(x, 2.0 / 3);
	/* the category of one, the verdict of one, both of three */
	assert_int_equal(json_count(json_get(o, "wrong")), 5);
	assert_null(json_get(o, "rules"));
	json_free(o);
	free(text);
	score_release(&s);
}

/* ---- what rules did ---- */

static void tell_rule(const struct score_rules *rules, const char *id,
    uint64_t hits, uint64_t right, uint64_t wrong)
{
	for (size_t i = 0; i < rules->n; i++) {
		const struct score_rule *r = &rules->v[i];

		if (strcmp(r->rule->id, id) != 0)
			continue;
		assert_int_equal(r->hits, hits);
		assert_int_equal(r->right, right);
		assert_int_equal(r->wrong, wrong);
		return;
	}
	fail_msg("no rule %s", id);
}

#define KEY "KeyError: 'lr'\n"
#define OOM                                                          \
	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to " \
	"allocate 6.00 GiB\n"

static void rules(void **state)
{
	/* one job a row; its logs, and whether the answer was right */
	static const struct {
		const char *logs[2];
		bool right;
	} jobs[] = {
		{ { KEY, NULL }, true },
		{ { KEY KEY KEY, NULL }, false },
		{ { KEY, OOM }, true },
		{ { OOM, OOM }, true },
		{ { "all is well\n", NULL }, true },
	};
	struct lab lab;
	struct score s = { 0 };
	struct err e = { 0 };
	struct json *o;
	char *text;

	(void)state;
	lab_open(&lab, true);
	assert_int_equal(score_rules_init(&s.rules, lab.tax, &e), 0);
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct diagnosis d;

		lab_job(&lab, jobs[i].logs, jobs[i].logs[1] ? 2 : 1, &d);
		score_rules_add(&s.rules, &d, jobs[i].right);
		diagnosis_release(&d);
	}
	tell_rule(&s.rules, "key_not_found.key_error", 3, 1, 1);
	tell_rule(&s.rules, "gpu_out_of_memory.torch", 2, 2, 0);
	tell_rule(&s.rules, "hang.faulthandler", 0, 0, 0);
	text = written(&s, false, false);
	has(text,
	    "key_not_found.key_error                             3      "
	    "1      1      1\n");
	has(text, "\n  hang.faulthandler\n");
	assert_null(strstr(text, "context."));
	free(text);
	text = written(&s, true, false);
	o = json_parse(span_of(text), JSON_UNIQUE_KEYS, &e);
	assert_non_null(o);
	assert_true(json_count(json_get(o, "rules")) > 100);
	assert_true(json_count(json_get(o, "rules")) < lab.tax->n_rules);
	assert_null(json_get(o, "wrong"));
	json_free(o);
	free(text);
	score_release(&s);
	lab_close(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accuracy),
		cmocka_unit_test(accepted),
		cmocka_unit_test(classes),
		cmocka_unit_test(matrix),
		cmocka_unit_test(bands),
		cmocka_unit_test(wrong_stops),
		cmocka_unit_test(nothing),
		cmocka_unit_test(as_text),
		cmocka_unit_test(as_json),
		cmocka_unit_test(rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
