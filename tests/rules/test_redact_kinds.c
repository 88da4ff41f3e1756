/*
 * How much of what is secret is hidden: every kind of redact_kinds.h in every
 * shape, with random letters; and how much of what is not: redact_ordinary.h.
 *
 * usage: test_redact_kinds            as a test
 *        test_redact_kinds -v         print what is missed, and what is hidden
 *                                     though it is ordinary
 *        test_redact_kinds FILE...    print the lines of logs in which
 *                                     something is hidden, and how many
 */
#define _GNU_SOURCE /* memmem */
#include "tests/test.h"

#include "tests/rules/redact_kinds.h"
#include "tests/rules/redact_ordinary.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/redact.h"
#include "reports/rules/rules_redaction.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define PARTS 8 /* random ones in one text */
#define RUN 8   /* as many bytes of a secret must not be shown in a row */
#define EACH_ORDINARY 100
#define AROUND 4 /* lines of a log that are looked at together */

/* What people think up; a number follows. */
static const char *const words[] = { "Tr0ub4dor", "hunter", "s3cr3t!", "Winter",
	"correct-horse", "P$ss", "a_b.c", "Zug#" };

/* What has been made up for a text. */
struct made {
	char v[PARTS][512];
	size_t n;
};

static uint32_t seed = 7;

static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 10) % sides;
}

/* Some of the alphabet's last, first and middle letters are always among them,
 * so that none is an ordinary word by accident. */
static void letters(char *p, const char *of, size_t n)
{
	size_t k = strlen(of);

	for (size_t i = 0; i < n; i++)
		p[i] = of[dice((uint32_t)k)];
	if (n > 4) {
		p[n / 3] = of[k - 1];
		p[n / 2] = of[0];
		p[n - 2] = of[k / 2];
	}
	p[n] = 0;
}

/* "hex*32", "word": made up, and remembered. */
static void put_random(struct buf *b, struct span what, struct made *made)
{
	size_t star = span_find(what, "*");
	char *p = made->v[made->n++];

	assert_true(made->n <= PARTS);
	if (star == SIZE_MAX) {
		snprintf(p, sizeof *made->v, "%s%u", words[dice(COUNT(words))],
		    1000 + dice(9000));
	} else {
		struct span name = span_sub(what, 0, star);
		const char *of = rules_redaction_letters(name);

		assert_non_null(of);
		letters(p, of,
		    (size_t)span_number(span_sub(what, star + 1, what.n)));
	}
	assert_int_equal(buf_add(b, p, strlen(p)), 0);
}

/* A template with its braces filled in; others stay as they are. */
static void fill(struct buf *b, const char *template, const char *name,
    const char *secret, struct made *made)
{
	size_t half = secret ? strlen(secret) / 2 : 0;

	for (struct span rest = span_of(template); rest.n;) {
		size_t close = span_find(rest, "}");
		struct span in = rest.p[0] == '{' && close != SIZE_MAX
		    ? span_sub(rest, 1, close)
		    : (struct span){ NULL, 0 };
		int rc = 0;

		if (in.n == 1 && in.p[0] == 'N')
			rc = buf_add(b, name, strlen(name));
		else if (in.n == 1 && in.p[0] == 'S')
			rc = buf_add(b, secret, strlen(secret));
		else if (in.n == 1 && in.p[0] == 'A')
			rc = buf_add(b, secret, half);
		else if (in.n == 1 && in.p[0] == 'B')
			rc = buf_add(b, secret + half, strlen(secret + half));
		else if (made && in.n &&
		    (span_is(in, "word") ||
			(span_find(in, "*") != SIZE_MAX && in.n < 12)))
			put_random(b, in, made);
		else {
			rc = buf_addc(b, *rest.p);
			close = 0;
		}
		assert_int_equal(rc, 0);
		rest = span_sub(rest, close + 1, rest.n);
	}
}

/* Whether RUN bytes of s, or all of a shorter one, stand in out. */
static bool shows(const struct buf *out, const char *s)
{
	size_t n = strlen(s), run = n < RUN ? n : RUN;

	for (size_t i = 0; i + run <= n; i++)
		if (out->len && memmem(out->p, out->len, s + i, run))
			return true;
	return false;
}

struct tally {
	size_t n, bad;
};

static struct redactor *redactor;
static bool verbose;

static void count(struct tally *t, bool bad, const char *what, const char *text)
{
	t->n++;
	t->bad += bad;
	if (bad && verbose)
		printf("%s\t%s\n", what, text);
}

static void try_secret(struct tally *t, const char *text,
    const struct made *made, const char *what)
{
	struct redact *x = redact_new(redactor);
	struct buf out = BUF_INIT(BUF_MAX);
	bool bad = redact_text(x, span_of(text), &out, NULL) != 1;

	for (size_t i = 0; i < made->n; i++)
		bad |= strlen(made->v[i]) >= 6 && shows(&out, made->v[i]);
	count(t, bad, what, text);
	buf_release(&out);
	redact_free(x);
}

static void test_forms(void **state)
{
	struct tally t = { 0 };

	(void)state;
	for (size_t k = 0; k < COUNT(forms); k++) {
		for (size_t s = 0; s < COUNT(around_forms); s++) {
			struct buf secret = BUF_INIT(BUF_MAX),
				   b = BUF_INIT(BUF_MAX);
			struct made made = { .n = 0 };

			fill(&secret, forms[k], NULL, NULL, &made);
			fill(&b, around_forms[s], NULL, secret.p, NULL);
			try_secret(&t, b.p, &made, forms[k]);
			buf_release(&secret);
			buf_release(&b);
		}
	}
	print_message("# forms: %zu of %zu shown\n", t.bad, t.n);
	assert_true(t.bad * 100 <= t.n * 2);
}

static void test_names(void **state)
{
	static const char *const values[] = { "{hex*32}", "{alnum*24}",
		"{base64*43}=" };
	struct tally t = { 0 };

	(void)state;
	for (size_t k = 0; k < COUNT(names); k++) {
		for (size_t s = 0; s < COUNT(around_names); s++) {
			struct buf secret = BUF_INIT(BUF_MAX),
				   b = BUF_INIT(BUF_MAX);
			struct made made = { .n = 0 };

			fill(&secret, values[(k + s) % COUNT(values)], NULL,
			    NULL, &made);
			fill(&b, around_names[s], names[k], secret.p, NULL);
			try_secret(&t, b.p, &made, around_names[s]);
			buf_release(&secret);
			buf_release(&b);
		}
	}
	print_message("# names: %zu of %zu shown\n", t.bad, t.n);
	assert_true(t.bad * 100 <= t.n * 2);
}

static void test_wholes(void **state)
{
	struct tally t = { 0 };

	(void)state;
	for (size_t k = 0; k < COUNT(wholes); k++) {
		for (size_t i = 0; i < 10; i++) {
			struct buf b = BUF_INIT(BUF_MAX);
			struct made made = { .n = 0 };

			fill(&b, wholes[k], NULL, NULL, &made);
			try_secret(&t, b.p, &made, wholes[k]);
			buf_release(&b);
		}
	}
	print_message("# wholes: %zu of %zu shown\n", t.bad, t.n);
	assert_true(t.bad * 100 <= t.n * 2);
}

static void test_ordinary(void **state)
{
	struct tally t = { 0 };

	(void)state;
	for (size_t k = 0; k < COUNT(ordinary); k++) {
		for (size_t i = 0; i < EACH_ORDINARY; i++) {
			struct redact *x = redact_new(redactor);
			struct buf b = BUF_INIT(BUF_MAX),
				   out = BUF_INIT(BUF_MAX);
			struct made made = { .n = 0 };

			fill(&b, ordinary[k], NULL, NULL, &made);
			count(&t, redact_text(x, span_of(b.p), &out, NULL) != 0,
			    "ordinary", b.p);
			buf_release(&out);
			buf_release(&b);
			redact_free(x);
		}
	}
	print_message("# ordinary: %zu of %zu hidden\n", t.bad, t.n);
	assert_true(t.bad * 1000 <= t.n);
}

/* The lines of a log in which something is hidden, alone or with the ones
 * around them. */
static void look(FILE *f, const char *name, struct tally *t)
{
	char lines[AROUND][2048];
	size_t n = 0;

	while (fgets(lines[n % AROUND], sizeof *lines, f)) {
		struct redact *x = redact_new(redactor);
		struct buf in = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);
		size_t first = ++n < AROUND ? 0 : n - AROUND;

		for (size_t i = first; i < n; i++)
			buf_addf(&in, "%s", lines[i % AROUND]);
		t->n++;
		if (redact_text(x, (struct span){ in.p, in.len }, &out, NULL)) {
			t->bad++;
			printf("%s:%zu: %s\n", name, n, out.p);
		}
		buf_release(&in);
		buf_release(&out);
		redact_free(x);
	}
}

static int look_at(char **files)
{
	struct tally t = { 0 };

	for (; *files; files++) {
		FILE *f = fopen(*files, "r");

		if (f)
			look(f, *files, &t);
		if (f)
			fclose(f);
	}
	printf("%zu of %zu lines\n", t.bad, t.n);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_wholes),
		cmocka_unit_test(test_ordinary),
	};
	struct taxonomy *tax;
	struct err e = { 0 };
	int rc;

	verbose = argc == 2 && !strcmp(argv[1], "-v");
	tax = taxonomy_load(NULL, 0, &e);
	redactor = tax ? redact_rules_new(tax, NULL, 200000, &e) : NULL;
	if (!redactor) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	rc = argc > 1 && !verbose ? look_at(argv + 1)
				  : cmocka_run_group_tests(tests, NULL, NULL);
	redact_rules_free(redactor);
	taxonomy_free(tax);
	return rc;
}
