/*
 * That a store lacks a reading is known without asking it, and never said of
 * one that it has.
 */
#include "tests/reports/store_lab.h"

#include "reports/store/store_private.h"

#include <stdio.h>

#define READINGS 200

static const char *name(size_t i)
{
	static char text[32];

	snprintf(text, sizeof text, "log %zu", i);
	return text;
}

static bool has(struct lab *l, struct store *s, const char *stamp)
{
	struct store_recalled *rows;
	size_t n;
	int rc = store_recall(s, lab_hash(stamp), &rows, &n, &l->e);

	assert_true(rc >= 0);
	store_recalled_free(rows, n);
	return rc == 1;
}

static struct store *filled(struct lab *l)
{
	struct store *s = lab_store(l, STORE_WRITE);

	for (size_t i = 0; i < READINGS; i++)
		assert_int_equal(
		    store_put(s, lab_hash(name(i)), NULL, 0, 1, &l->e), 0);
	assert_int_equal(store_flush(s, &l->e), 0);
	return s;
}

/* Of a store with readings after some questions, of one without at once. */
static void test_learned(void **state)
{
	struct lab *l = *state;
	struct store *s = filled(l);
	size_t vain = 0;

	while (!s->known.bits && vain < READINGS)
		assert_false(has(l, s, name(READINGS + vain++)));
	assert_true(vain > 1);
	assert_true(vain < READINGS / 4);
	for (size_t i = 0; i < READINGS; i++)
		assert_true(has(l, s, name(i)));
	for (size_t i = 0; i < READINGS; i++)
		assert_false(has(l, s, name(READINGS + i)));
	assert_int_equal(store_put(s, lab_hash("new"), NULL, 0, 1, &l->e), 0);
	assert_int_equal(store_flush(s, &l->e), 0);
	assert_true(has(l, s, "new"));
	lab_end(l, s);
}

static void test_pending(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	assert_int_equal(store_put(s, lab_hash("new"), NULL, 0, 1, &l->e), 0);
	assert_false(has(l, s, "other"));
	assert_non_null(s->known.bits);
	assert_int_equal(store_flush(s, &l->e), 0);
	assert_true(has(l, s, "new"));
	lab_end(l, s);
}

/* More than there is room for: it is learned anew. */
static void test_full(void **state)
{
	struct lab *l = *state;
	struct store *s = filled(l);
	uint64_t room;

	for (size_t i = 0; !s->known.bits; i++)
		assert_false(has(l, s, name(READINGS + i)));
	room = s->known.room;
	for (uint64_t i = 0; i <= room; i++)
		store_known_add(&s->known, hash_of(&i, sizeof i));
	assert_null(s->known.bits);
	for (size_t i = 0; i < READINGS; i++) {
		assert_true(has(l, s, name(i)));
		assert_false(has(l, s, name(READINGS + i)));
	}
	assert_non_null(s->known.bits);
	lab_end(l, s);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_learned),
		TEST(test_pending),
		TEST(test_full),
	};

	return cmocka_run_group_tests_name("store_known", tests, NULL, NULL);
}
