/*
 * What good runs print, in a store: whose runs make a line noise for whom, and
 * what is kept of it.
 */
#include "tests/reports/store_lab.h"

#include "base/array.h"
#include "reports/baseline/baseline.h"
#include "reports/baseline/leads.h"
#include "reports/baseline/learn.h"

#define NOW (INT64_C(1700000000) * 1000000)

static uint64_t hash_of_line(const char *line)
{
	struct buf b = BUF_INIT(BUF_MAX);
	uint64_t hash;

	assert_int_equal(baseline_template(&b, span_of(line), &hash), 0);
	buf_release(&b);
	return hash;
}

/* Learn that a run of theirs printed the lines, up to NULL. */
static void put(struct lab *l, struct store *s, struct baseline_run r,
    const char *const *lines)
{
	struct learn *learn = learn_new();

	assert_non_null(learn);
	for (; *lines; lines++)
		assert_int_equal(learn_line(learn, span_of(*lines)), 0);
	r.templates = learn_templates(learn, &r.lines);
	if (baseline_put(s, &r, &l->e))
		fail_msg("%s", l->e.text);
	learn_free(learn);
}

static struct baseline_run run(
    const char *owner, const char *name, const char *job, int64_t at)
{
	return (struct baseline_run){ .whose = { "", owner, name },
		.job = job,
		.attempt = 1,
		.at = NOW + at };
}

static struct store *again(struct lab *l, struct store *s, struct baseline *b)
{
	lab_end(l, s);
	s = lab_store(l, STORE_CHANGE);
	baseline_release(b);
	assert_int_equal(baseline_read(b, s, &l->e), 0);
	return s;
}

static bool knows(
    const struct baseline *b, const char *owner, const char *name, uint64_t h)
{
	const struct baseline_whose w = { "", owner, name };

	return baseline_knows(b, &w, h);
}

static void test_lines(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	char line[400];
	uint64_t hash;

	(void)state;
	assert_int_equal(hash_of_line("== 12 =="), 0);
	assert_int_not_equal(hash_of_line("loading shard 12 of 90"), 0);
	assert_int_equal(hash_of_line("loading shard 12 of 90"),
	    hash_of_line("loading shard 3 of 11"));
	assert_int_not_equal(
	    hash_of_line("loading shard 1"), hash_of_line("loading share 1"));
	/* bad bytes and long lines are kept as text that fits */
	assert_int_equal(
	    baseline_template(&b, span_of("broken \xff pipe"), &hash), 0);
	assert_string_equal(b.p, "broken \xef\xbf\xbd pipe");
	buf_clear(&b);
	memset(line, 'x', sizeof line - 1);
	line[sizeof line - 1] = '\0';
	memcpy(line + BASELINE_TEXT - 1, "\xc3\xa9", 2);
	assert_int_equal(baseline_template(&b, span_of(line), &hash), 0);
	assert_int_equal(b.len, BASELINE_TEXT - 1);
	buf_release(&b);
}

static void test_learning(void **state)
{
	struct learn *l = learn_new();
	char line[32];
	size_t n;
	int rc = 0;

	(void)state;
	assert_non_null(l);
	for (int i = 0; i < 5000; i++) {
		snprintf(line, sizeof line, "epoch %d loss 0.%d", i, i);
		assert_int_equal(learn_line(l, span_of(line)), 0);
	}
	assert_int_equal(learn_line(l, span_of("saved")), 0);
	assert_string_equal(
	    learn_templates(l, &n), "epoch <num> loss <num>\nsaved\n");
	assert_int_equal(n, 2);
	learn_begin(l);
	assert_string_equal(learn_templates(l, &n), "");
	assert_int_equal(n, 0);
	for (int i = 0; i < 100000 && !rc; i++) {
		snprintf(line, sizeof line, "word %c%c%c%c", 'a' + i % 26,
		    'a' + i / 26 % 26, 'a' + i / 676 % 26,
		    'a' + i / 17576 % 26);
		rc = learn_line(l, span_of(line));
	}
	assert_int_equal(rc, 1);
	learn_templates(l, &n);
	assert_int_equal(n, BASELINE_LINES);
	learn_free(l);
}

/* One's own good runs of the name count, and what three owners print. */
static void test_whose(void **state)
{
	static const char *const lines[] = { "cannot open cache", NULL };
	uint64_t h = hash_of_line("cannot open cache");
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct baseline b = { .v = NULL };
	int64_t newest;

	assert_int_equal(baseline_read(&b, s, &l->e), 0);
	assert_int_equal(b.n, 0);
	assert_false(knows(&b, "eva", "train", h));
	put(l, s, run("mallory", "train", "1", 1), lines);
	put(l, s, run("mallory", "eval", "2", 2), lines);
	put(l, s, run("mallory", "test", "3", 3), lines);
	s = again(l, s, &b);
	/* whatever he prints, it hides nothing of hers */
	assert_false(knows(&b, "eva", "train", h));
	assert_false(knows(&b, "", "train", h));
	assert_true(knows(&b, "mallory", "train", h));
	/* three names of his own */
	assert_true(knows(&b, "mallory", "other", h));
	put(l, s, run("bob", "train", "4", 4), lines);
	s = again(l, s, &b);
	assert_false(knows(&b, "eva", "train", h));
	assert_false(knows(&b, "bob", "other", h));
	put(l, s, run("", "train", "5", 5), lines);
	s = again(l, s, &b);
	assert_true(knows(&b, "eva", "train", h));
	assert_false(knows(&b, "eva", "train", hash_of_line("another line")));
	assert_int_equal(baseline_runs(&b, &b.v[0].whose, &newest), 1);
	assert_int_equal(newest, NOW + 5);
	baseline_release(&b);
	lab_end(l, s);
}

/* The first and the last of those that nobody's good run prints. */
static void test_leads(void **state)
{
	static const char *const lines[] = { "opening shard 1 of 4", NULL };
	static const char end[] = "tilt, and what the board says of it: ";
	const struct baseline_whose eva = { "", "eva", "train" };
	struct findings log = { .path = (char *)(uintptr_t) "a.log" };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct baseline b = { .v = NULL };
	struct diagnosis d = { .failed = 1 };
	struct leads *leads;
	char line[400];
	uint64_t number = 0;

	put(l, s, run("eva", "train", "1", 1), lines);
	s = again(l, s, &b);
	leads = leads_new(&b, &eva);
	assert_non_null(leads);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(
		    leads_line(leads, &log, span_of("opening shard 2 of 4"),
			++number, 0),
		    0);
		snprintf(line, sizeof line, "board %c%c tilts", 'a' + i, 'a');
		assert_int_equal(
		    leads_line(leads, &log, span_of(line), ++number, -1), 0);
		snprintf(line, sizeof line, "again %d", i);
		assert_int_equal(
		    leads_line(leads, &log, span_of(line), ++number, -1), 0);
	}
	memcpy(line, end, sizeof end - 1);
	memset(line + sizeof end - 1, 'x', sizeof line - sizeof end);
	line[sizeof line - 1] = '\0';
	assert_int_equal(
	    leads_line(leads, &log, span_of(line), ++number, 3), 0);
	assert_int_equal(leads_take(leads, &d), 0);
	leads_free(leads);
	assert_int_equal(d.leads.lines, 22);
	assert_int_equal(d.leads.runs, 1);
	assert_int_equal(d.leads.n, LEADS_FIRST + LEADS_LAST);
	assert_string_equal(d.leads.v[0].text, "board aa tilts");
	assert_string_equal(d.leads.v[1].text, "again 0");
	assert_string_equal(d.leads.v[LEADS_FIRST].text, "board qa tilts");
	assert_int_equal(d.leads.v[0].line, 2);
	assert_int_equal(strlen(d.leads.v[7].text), LEADS_TEXT);
	assert_int_equal(d.leads.v[7].rank, 3);
	diagnosis_release(&d);
	baseline_release(&b);
	lab_end(l, s);
}

static void test_same_run(void **state)
{
	static const char *const first[] = { "first", "second", NULL };
	static const char *const then[] = { "third", NULL };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct baseline b = { .texts = true };

	put(l, s, run("eva", "it's \"x\"", "1", 1), first);
	put(l, s, run("eva", "it's \"x\"", "1", 2), then);
	assert_int_equal(baseline_read(&b, s, &l->e), 0);
	assert_int_equal(b.n, 1);
	assert_string_equal(b.v[0].templates, "third\n");
	assert_string_equal(b.v[0].whose.name, "it's \"x\"");
	assert_int_equal(b.v[0].lines, 1);
	assert_int_equal(baseline_remove(s, &b.v[0], &l->e), 0);
	baseline_release(&b);
	assert_int_equal(baseline_read(&b, s, &l->e), 0);
	assert_int_equal(b.n, 0);
	baseline_release(&b);
	lab_end(l, s);
}

/* The newest stay: so many of a name, and so many of an owner. */
static void test_bounds(void **state)
{
	static const char *const lines[] = { "ready", NULL };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct baseline b = { .v = NULL };
	const size_t names = BASELINE_OWNER_RUNS / BASELINE_RUNS + 2;
	char name[16], job[16];
	size_t eva = 0;

	put(l, s, run("bob", "old", "1", -5), lines);
	for (size_t i = 0; i < names; i++)
		for (size_t k = 0; k < BASELINE_RUNS + 1; k++) {
			snprintf(name, sizeof name, "n%03zu", i);
			snprintf(job, sizeof job, "%zu", k);
			put(l, s, run("eva", name, job, (int64_t)(i * 10 + k)),
			    lines);
		}
	assert_int_equal(baseline_bound(s, &l->e), 0);
	assert_int_equal(baseline_read(&b, s, &l->e), 0);
	assert_string_equal(b.v[0].whose.name, "old");
	for (size_t i = 0; i < b.n; i++) {
		eva += strcmp(b.v[i].whose.owner, "eva") == 0;
		assert_string_not_equal(b.v[i].whose.name, "n000");
		assert_string_not_equal(b.v[i].whose.name, "n001");
		assert_true(i == 0 || strcmp(b.v[i].job, "0") != 0);
	}
	assert_int_equal(eva, BASELINE_OWNER_RUNS);
	baseline_release(&b);
	lab_end(l, s);
}

static void test_prune(void **state)
{
	static const char *const lines[] = { "ready", NULL };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct baseline b = { .v = NULL };
	uint64_t n;

	put(l, s, run("eva", "a", "1", -1), lines);
	put(l, s, run("eva", "a", "2", 1), lines);
	assert_int_equal(store_prune(s, NOW, &n, &l->e), 0);
	assert_int_equal(n, 0);
	assert_int_equal(baseline_read(&b, s, &l->e), 0);
	assert_int_equal(b.n, 1);
	assert_string_equal(b.v[0].job, "2");
	baseline_release(&b);
	lab_end(l, s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lines),
		TEST(test_learning),
		TEST(test_whose),
		TEST(test_leads),
		TEST(test_same_run),
		TEST(test_bounds),
		TEST(test_prune),
	};

	return cmocka_run_group_tests_name("baseline", tests, NULL, NULL);
}
