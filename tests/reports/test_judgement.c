/*
 * What persons said, in a store and as lines: all of it is kept, the newest
 * holds, and of equal job names it is whose it is.
 */
#include "tests/reports/store_lab.h"

#include "reports/judge/judgement.h"

#define NOW (INT64_C(1700000000) * 1000000)

static void put(struct lab *l, struct store *s, struct judgement j)
{
	if (judgement_put(s, &j, &l->e))
		fail_msg("%s", l->e.text);
}

static const struct judgement anna = { .job = "7",
	.attempt = 1,
	.owner = { .user = "eva", .place = "/a/" },
	.category = "hang",
	.note = "it's \"so\"\n",
	.by = "anna",
	.rule = "hang.nccl",
	.answer = "unknown",
	.answer_verdict = "retry",
	.at = NOW };
static const struct judgement bob = { .job = "7",
	.attempt = 1,
	.owner = { .user = "eva", .place = "/a/" },
	.verdict = "stop",
	.by = "bob",
	.at = NOW + 5 };

static void test_newest(void **state)
{
	const struct entry_owner eva = { .user = "eva" };
	const struct entry_owner max = { .user = "max" };
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct judgements all = { 0 };
	struct judged said;

	assert_int_equal(judgements_read(&all, s, &l->e), 0);
	assert_int_equal(all.n, 0);
	assert_false(judgements_find(&all, "7", 1, &eva, &said));
	assert_false(judgements_find(NULL, "7", 1, &eva, &said));
	put(l, s, bob);
	put(l, s, anna);
	put(l, s, anna); /* the same again is the same */
	put(l, s,
	    (struct judgement){ .job = "7",
		.attempt = 2,
		.owner = { .cluster = "c" },
		.category = "none",
		.at = -1 });
	lab_end(l, s);
	s = lab_store(l, STORE_CHANGE);
	assert_int_equal(judgements_read(&all, s, &l->e), 0);
	assert_int_equal(all.n, 3);
	assert_true(judgements_find(&all, "7", 1, &eva, &said));
	assert_string_equal(said.category, "hang");
	assert_string_equal(said.verdict, "stop");
	assert_string_equal(said.note, "it's \"so\"\n");
	assert_string_equal(said.by, "bob");
	assert_true(said.at == NOW + 5);
	assert_int_equal(said.words, 2);
	assert_false(judgements_find(&all, "7", 1, &max, &said));
	assert_false(judgements_find(&all, "8", 1, &eva, &said));
	/* what does not tell whose it is is no difference */
	assert_true(judgements_find(&all, "7", 2, &max, &said));
	assert_string_equal(said.category, "none");
	assert_null(said.verdict);
	judgements_release(&all);
	assert_int_equal(judgement_remove(s, &anna, &l->e), 0);
	assert_int_equal(judgement_remove(s, &anna, &l->e), 0);
	assert_int_equal(judgements_read(&all, s, &l->e), 0);
	assert_int_equal(all.n, 2);
	judgements_release(&all);
	lab_end(l, s);
}

static void test_lines(void **state)
{
	const struct entry_owner eva = { .user = "eva", .place = "/a/" };
	struct lab *l = *state;
	struct judgements all = { 0 };
	struct buf line = BUF_INIT(BUF_MAX), again = BUF_INIT(BUF_MAX);
	struct judged said;
	struct span s;

	assert_int_equal(judgement_line(&anna, &line), 0);
	s = (struct span){ line.p, line.len };
	assert_true(judgement_is_line(s));
	assert_false(judgement_is_line(span_of("{\"schema\":\"x\"}")));
	assert_int_equal(judgements_add_line(&all, s, &l->e), 0);
	assert_int_equal(judgement_line(&all.v[0], &again), 0);
	assert_string_equal(line.p, again.p);
	assert_true(judgements_find(&all, "7", 1, &eva, &said));
	assert_string_equal(said.by, "anna");
	assert_int_equal(
	    judgements_add_line(&all, span_of("{\"schema\":"), &l->e), 1);
	assert_int_equal(
	    judgements_add_line(&all, span_of("{\"schema\":\"x\"}"), &l->e), 1);
	assert_int_equal(all.n, 1);
	judgements_release(&all);
	buf_release(&line);
	buf_release(&again);
}

static void test_reader(void **state)
{
	struct lab *l = *state;

	lab_end(l, lab_store(l, STORE_WRITE));
	struct store *s = lab_store(l, STORE_READ);
	assert_int_equal(judgement_put(s, &anna, &l->e), -1);
	assert_non_null(strstr(l->e.text, "may not be written"));
	store_close(s, NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_newest),
		TEST(test_lines),
		TEST(test_reader),
	};

	return cmocka_run_group_tests_name("judgement", tests, NULL, NULL);
}
