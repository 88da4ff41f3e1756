/* Groups of entries: what is joined, what they add up to, how one is found. */
#include "tests/test.h"

#include "base/arena.h"
#include "reports/groups/decision.h"
#include "reports/groups/group.h"

#define MOST 8

struct lab {
	struct arena *p;
	struct entry en[MOST];
	struct group_item items[MOST];
	size_t n;
	struct groups g;
};

static void begin(struct lab *l)
{
	*l = (struct lab){ .p = arena_new() };
	assert_non_null(l->p);
}

static void add(struct lab *l, const char *id, const char *text, int64_t when)
{
	struct entry *en = &l->en[l->n];

	*en = (struct entry){ .job = id,
		.attempt = 1,
		.category = "unknown",
		.failed = 1,
		.gpu_seconds = 10,
		.template_id = id,
		.template_text = text };
	l->items[l->n] = (struct group_item){ en, when, l->n, true };
	l->n++;
}

static void make(struct lab *l, const struct decisions *said)
{
	assert_int_equal(groups_make(&l->g, l->p, l->items, l->n, said), 0);
}

static const char *root(struct lab *l, const char *id)
{
	bool several;
	const struct failure_group *g = groups_find(&l->g, id, &several);

	assert_false(several);
	return g ? g->id : "";
}

static void test_alike(void **state)
{
	struct lab l;

	(void)state;
	begin(&l);
	add(&l, "aaaa", "Trouble: the shard <num> of red is gone", 30);
	add(&l, "bbbb", "Trouble: the shard <num> of blue is gone", 20);
	/* two of eight words, another class, another length, another frame */
	add(&l, "cccc", "Trouble: no shard <num> of blue is there", 1);
	add(&l, "dddd", "OtherError: the shard <num> of red is gone", 1);
	add(&l, "eeee", "Trouble: the shard <num> of red is gone now", 1);
	add(&l, "ffff", "Trouble: is gone in <path> [a.py:f]", 1);
	add(&l, "gggg", "Trouble: is gone in <path> [a.py:g]", 1);
	make(&l, NULL);
	assert_int_equal(l.g.n, 6);
	assert_string_equal(root(&l, "aaaa"), "bbbb"); /* the older one */
	assert_string_equal(root(&l, "bbbb"), "bbbb");
	assert_string_equal(root(&l, "cccc"), "cccc");
	assert_string_equal(root(&l, "nope"), "");
	arena_free(l.p);
}

static void test_said(void **state)
{
	struct decision v[] = { { .id = "aaaa", .name = "A" },
		{ .id = "cccc", .into = "zzzz" },
		{ .id = "dddd", .into = "cccc", .ignored = true } };
	struct decisions said = { .v = v, .n = 3 };
	struct lab l;

	(void)state;
	begin(&l);
	add(&l, "aaaa", "Trouble: the shard <num> of red is gone", 30);
	add(&l, "bbbb", "Trouble: the shard <num> of blue is gone", 20);
	add(&l, "cccc", "one", 1);
	add(&l, "dddd", "two", 1);
	make(&l, &said);
	assert_int_equal(l.g.n, 2);
	/* that somebody has spoken of it comes before its age */
	assert_string_equal(root(&l, "bbbb"), "aaaa");
	/* what both were merged into has not failed here */
	assert_string_equal(root(&l, "dddd"), "zzzz");
	assert_string_equal(root(&l, "cccc"), "zzzz");
	for (size_t i = 0; i < 2; i++) {
		const struct failure_group *g = &l.g.v[i];

		assert_int_equal(g->now.jobs, 2);
		assert_int_equal(g->now.gpu_seconds, 20);
		assert_int_equal(g->n_others, g->name ? 1 : 2);
		assert_int_equal(g->n_samples, 2);
		assert_int_equal(g->ignored, g->name == NULL);
	}
	arena_free(l.p);
}

static void test_beginnings(void **state)
{
	bool several;
	struct lab l;

	(void)state;
	begin(&l);
	add(&l, "abcdef", "one", 1);
	add(&l, "abcdxx", "two", 1);
	make(&l, NULL);
	assert_null(groups_find(&l.g, "abcd", &several));
	assert_true(several);
	assert_string_equal(root(&l, "abcde"), "abcdef");
	assert_string_equal(root(&l, "abc"), "");
	arena_free(l.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alike),
		cmocka_unit_test(test_said),
		cmocka_unit_test(test_beginnings),
	};

	return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
