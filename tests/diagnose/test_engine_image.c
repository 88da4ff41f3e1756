/*
 * The tables that the build put into the program against those that the
 * built-in taxonomy makes now: each array of them.
 */
#include "tests/test.h"

#include "base/err.h"
#include "diagnose/evidence/engine_tables.h"
#include "rules/prefilter_private.h"
#include "rules/taxonomy_private.h"
#include "tests/rules/hits.h"
#include "tests/rules/overlay_lab.h"

#include <string.h>

#define SAME(a, b, n) assert_memory_equal(a, b, (n) * sizeof *(a))

static void same_lists(
    const struct prefilter_lists *a, const struct prefilter_lists *b)
{
	SAME(a->start, b->start, PREFILTER_LISTS + 1);
	for (uint32_t i = 0; i < a->start[PREFILTER_LISTS]; i++) {
		assert_true(a->v[i].seen == b->v[i].seen);
		assert_true(a->v[i].mask == b->v[i].mask);
		assert_int_equal(a->v[i].literal, b->v[i].literal);
		assert_int_equal(a->v[i].off, b->v[i].off);
	}
}

/* Literals are known by the entries that lead to them. */
static void same_literals(const struct prefilter *a, const struct prefilter *b)
{
	uint32_t fours = a->fours->start[PREFILTER_LISTS];
	uint32_t twos = a->twos->start[PREFILTER_LISTS];

	assert_true(fours > 0);
	for (uint32_t i = 0; i < fours + twos; i++) {
		uint32_t k = i < fours ? a->fours->v[i].literal
				       : a->twos->v[i - fours].literal;
		const struct prefilter_literal *x = &a->literals[k];
		const struct prefilter_literal *y = &b->literals[k];

		assert_int_equal(x->len, y->len);
		SAME(a->text + x->at, b->text + y->at, x->len);
		assert_int_equal(x->id_end - x->id, y->id_end - y->id);
		SAME(a->ids + x->id, b->ids + y->id, x->id_end - x->id);
	}
}

static void same_filters(const struct prefilter *a, const struct prefilter *b)
{
	assert_ptr_not_equal(a, b);
	assert_int_equal(a->n_sets, b->n_sets);
	assert_int_equal(a->pair_step, b->pair_step);
	SAME(a->table, b->table, PREFILTER_TABLE);
	SAME(a->rough, b->rough, PREFILTER_TABLE);
	SAME(a->pairs, b->pairs, PREFILTER_PAIRS);
	SAME(a->covers, b->covers, b->n_sets);
	same_lists(a->fours, b->fours);
	same_lists(a->twos, b->twos);
	same_literals(a, b);
}

static void test_image(void **state)
{
	struct err e = { 0 };
	struct taxonomy *tax = taxonomy_load(NULL, 0, &e);
	struct engine_tables t;

	(void)state;
	assert_non_null(tax);
	assert_true(taxonomy_built_in(tax));
	assert_int_equal(engine_tables_make(&t, tax, NULL, &e), 0);
	assert_int_equal(engine_image.n_patterns, t.n_patterns);
	assert_int_equal(engine_image.n_extra, t.n_extra);
	assert_true(t.n_extra > 0);
	SAME(engine_image.extra, t.extra, t.n_extra);
	assert_int_equal(engine_image.n_uncovered, t.n_uncovered);
	SAME(engine_image.uncovered, t.uncovered, t.n_uncovered);
	assert_int_equal(engine_image.always, t.always);
	assert_int_equal(engine_image.every_line, t.every_line);
	/* no rule or signal that ships costs a second pass over every text */
	assert_int_equal(engine_image.prefilter->pair_step, 0);
	same_filters(engine_image.prefilter, t.prefilter);
	same_filters(engine_image.raised, t.raised);
	engine_tables_release(&t);
	taxonomy_free(tax);
}

/* What is read from files has tables of its own. */
static void test_files(void **state)
{
	struct taxonomy *tax = taxonomy_load_files(NULL, 0, NULL, NULL);

	(void)state;
	assert_non_null(tax);
	assert_false(taxonomy_built_in(tax));
	taxonomy_free(tax);
}

static void same_hits(
    const struct prefilter *a, const struct prefilter *b, struct span text)
{
	struct prefilter_hits x = { 0 }, y = { 0 };
	struct set_hit *v, *w;
	size_t n, m;

	assert_int_equal(prefilter_find(a, text, &x), 0);
	assert_int_equal(prefilter_find(b, text, &y), 0);
	v = set_hits(a, &x, &n);
	w = set_hits(b, &y, &m);
	assert_int_equal(n, m);
	if (n)
		SAME(v, w, n);
	free(v);
	free(w);
	prefilter_hits_release(&x);
	prefilter_hits_release(&y);
}

/* Tables derived from the built-in ones, after rules came, changed and went:
 * for lines with new literals, for exceptions with none. */
static void test_overlay(void **state)
{
	struct taxonomy *tax = load_two(
	    "rules:\n  - id: context.aa_site\n    title: A\n"
	    "    role: context\n    pattern: [site fault, 'CUDA out of', abc]\n"
	    "    examples: {match: [abc], no_match: [x]}\n"
	    "disable: [hang.idle]\n",
	    "category: path_not_found\nrules:\n"
	    "  - id: path_not_found.words\n    title: Other\n"
	    "    role: root\n    pattern: no way to this file\n"
	    "    examples: {match: [no way to this file], no_match: [x]}\n");
	struct engine_tables a, b;

	(void)state;
	assert_int_equal(engine_tables_make(&a, tax, &engine_image, NULL), 0);
	assert_int_equal(engine_tables_make(&b, tax, NULL, NULL), 0);
	assert_int_equal(a.n_uncovered, b.n_uncovered);
	SAME(a.uncovered, b.uncovered, b.n_uncovered);
	assert_int_equal(a.every_line, b.every_line);
	SAME(a.extra, b.extra, b.n_extra);
	SAME(a.prefilter->covers, b.prefilter->covers, b.prefilter->n_sets);
	assert_int_equal(a.raised->n_sets, b.raised->n_sets);
	SAME(a.raised->covers, b.raised->covers, b.raised->n_sets);
	assert_ptr_equal(a.raised->fours, engine_image.raised->fours);
	for (size_t i = 0; i < tax->n_rules; i++) {
		const struct strings *s = &taxonomy_rule_at(tax, i)->match;

		for (size_t k = 0; k < s->n; k++) {
			struct span text = span_of(s->v[k]);

			same_hits(a.prefilter, b.prefilter, text);
			same_hits(a.raised, b.raised, text);
		}
	}
	engine_tables_release(&a);
	engine_tables_release(&b);
	taxonomy_free(tax);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_overlay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
