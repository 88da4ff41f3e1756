/*
 * What is known of a line from another one that differs from it in digits: it
 * is what the filters find in it, whichever digits their literals have.
 */
#include "tests/diagnose/labs.h"

#include "diagnose/evidence/engine.h"
#include "diagnose/evidence/lines.h"
#include "rules/prefilter_private.h"

#include <stdio.h>

static void same_hits(struct span line, const struct prefilter *pf,
    const struct prefilter_hit *v, size_t n)
{
	struct prefilter_hits want = { .n = 0 };

	assert_int_equal(prefilter_find(pf, line, &want), 0);
	if (want.n != n)
		fail_msg(
		    "%zu hits, not %zu: %.*s", n, want.n, (int)line.n, line.p);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(v[i].pos, want.v[i].pos);
		assert_int_equal(v[i].literal, want.v[i].literal);
	}
	prefilter_hits_release(&want);
}

/* Whether something was known of a line; what is found in it is right. */
static bool look(struct lines *t, struct span line)
{
	const struct engine_tables *tables = &lab.engine->tables;
	const struct line_found *f;
	bool known;

	f = lines_find(t, line, &known);
	assert_non_null(f);
	same_hits(line, tables->prefilter, f->hits, f->n_hits);
	same_hits(line, tables->raised, f->raised, f->n_raised);
	return known;
}

/* The same with other digits; also the ones that a literal has, at last. */
static size_t look_on(struct lines *t, const char *text, size_t n)
{
	char other[512];
	size_t known = 0;

	assert_true(n <= sizeof other);
	for (unsigned round = 1; round <= 10; round++) {
		for (size_t i = 0; i < n; i++)
			other[i] = text[i] >= '0' && text[i] <= '9'
			    ? "0123456789"[((unsigned)text[i] - '0' + round) %
				  10]
			    : text[i];
		known += look(t, (struct span){ other, n });
	}
	return known;
}

static void literals_with_digits(void **state)
{
	const struct prefilter *filters[] = { lab.engine->tables.prefilter,
		lab.engine->tables.raised };
	struct lines *t = lines_new(&lab.engine->tables);
	size_t lines = 0, known = 0;

	(void)state;
	assert_non_null(t);
	for (size_t k = 0; k < 2; k++) {
		const struct prefilter *pf = filters[k];

		for (uint32_t i = 0; i < pf->n_literals; i++) {
			const struct prefilter_literal *l = &pf->literals[i];
			char line[512];
			size_t n = (size_t)snprintf(line, sizeof line,
			    "12 7%.*s6 at 0x3f", (int)l->len,
			    (const char *)pf->text + l->at);

			if (l->len > 200 || memchr(line, '\n', n))
				continue;
			lines += 10;
			known += look_on(t, line, n);
		}
	}
	/* where no literal has a digit, nine of ten */
	assert_true(known > lines * 3 / 4);
	assert_true(known < lines);
	lines_free(t);
}

/* Lines of the same digits and other words, of all lengths; of more digits that
 * tell than are kept. */
static void others_are_told_apart(void **state)
{
	struct lines *t = lines_new(&lab.engine->tables);
	char line[4096];

	(void)state;
	assert_non_null(t);
	for (size_t n = 0; n < sizeof line; n = n * 5 / 4 + 1) {
		for (size_t i = 0; i < n; i++)
			line[i] = "Error: 12, "[i % 11];
		(void)look(t, (struct span){ line, n });
		if (!n)
			continue;
		line[n - 1] = 'x';
		assert_false(look(t, (struct span){ line, n }));
		line[0] = '7';
		assert_false(look(t, (struct span){ line, n }));
		line[0] = '8';
		assert_int_equal(look(t, (struct span){ line, n }), n <= 2048);
	}
	for (size_t i = 0; i + 8 <= 2000; i += 8)
		memcpy(line + i, "run 1 py", 8);
	for (int i = 0; i < 3; i++)
		assert_false(look(t, (struct span){ line, 2000 }));
	lines_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_with_digits),
		cmocka_unit_test(others_are_told_apart),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
