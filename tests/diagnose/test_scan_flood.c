/*
 * Logs of nothing but failures: what is kept of them is bounded, few lines of
 * them are looked at, and what else stands among them is found.
 */
#include "tests/diagnose/labs.h"

#include <stdio.h>

/* A flood keeps the first and the last, and stays within the limits. */
static void floods_are_bounded(void **state)
{
	size_t cap = 8u << 20, n = 0;
	char *p = malloc(cap);
	struct findings *f;
	unsigned i = 0;

	(void)state;
	assert_non_null(p);
	while (n < cap - 512)
		n += (size_t)sprintf(p + n,
		    "Traceback (most recent call last):\n"
		    "  File \"/home/ada/a.py\", line %u, in f\n"
		    "KeyError: 'k%u'\n",
		    i, i),
		    i++;
	f = lab_scan(&lab, p, n, n, "a", -1);
	assert_true(f->n_events <= lab.limits.v[LIMIT_EVIDENCE]);
	assert_true(f->n_evidence <= lab.limits.v[LIMIT_EVIDENCE]);
	assert_true(f->dropped > 0);
	assert_int_equal(f->evidence[0].line, 3);
	assert_true(f->evidence[f->n_evidence - 1].line > f->lines - 3);
	assert_true(f->n_notes > 0);
	findings_free(f);
	free(p);
}

static bool found(const struct findings *f, const char *text, uint64_t line)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].line == line &&
		    strstr(f->evidence[i].text, text))
			return true;
	return false;
}

/* What a rule is run for in vain, or finds all over, does not hide what stands
 * at the end; far fewer runs than lines are made. */
static void floods_are_thinned(void **state)
{
	static const char *const floods[] = {
		/* nominates rules about files, which refuse it */
		"debug: lookup of cache entry: No such file or directory "
		"(ok)\n",
		"ConnectionResetError: [Errno 104] Connection reset by peer\n",
	};
	static const char last[] =
	    "FileNotFoundError: [Errno 2] No such file or directory: '/a/b'\n";

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		size_t lines = 100000, len = strlen(floods[k]);
		char *p = malloc(lines * len + sizeof last);
		struct findings *f;

		assert_non_null(p);
		for (size_t i = 0; i < lines; i++)
			memcpy(p + i * len, floods[k], len);
		memcpy(p + lines * len, last, sizeof last);
		f = lab_scan(
		    &lab, p, lines * len + sizeof last - 1, 65536, "a", -1);
		assert_true(found(f, "/a/b", lines + 1));
		/* but for the first 4096, few of each block */
		for (size_t i = 0; i < f->n_evidence; i++)
			assert_true(f->evidence[i].count < 5000);
		for (uint64_t i = 0; k == 1 && i < 8; i++)
			assert_true(found(f, "Connection reset", lines - i));
		findings_free(f);
		free(p);
	}
}

/* A failure in the midst of a flood is found by words that no other rule goes
 * by, though all the line shares with the flood is that it is an "Error: ". */
static void floods_hide_nothing(void **state)
{
	static const char *const floods[] = {
		"OSError: [Errno 28] No space left on device: '/a/b'\n",
		"ERROR loader: KeyError: 'k'\n",
		"error: the tiles are the same as before\n",
	};
	static const char *const rare[] = {
		"RuntimeError: tiles in this order are NYI\n",
		"ValueError: tile checksum is odd\n",
		"RuntimeError: tiles must be 3-dim, not 4-dim\n",
	};

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		const size_t lines = 60000, each = 4999;
		char *p = malloc(lines * 64);
		struct findings *f;
		size_t n = 0;

		assert_non_null(p);
		for (size_t i = 1; i <= lines; i++)
			n += (size_t)sprintf(p + n, "%s",
			    i % each ? floods[k] : rare[i / each % 3]);
		f = lab_scan(&lab, p, n, 65536, "a", -1);
		for (size_t i = 0; i < f->n_evidence; i++)
			assert_true(f->evidence[i].count < 20000);
		for (size_t i = each; i < lines; i += each)
			assert_true(found(f, "tile", i));
		findings_free(f);
		free(p);
	}
}

/* Of each rule the first and the last matches are kept, however many others
 * lie between them; and when all of it is too much, the last of all. */
static void the_first_and_the_last_are_kept(void **state)
{
	static const char *const said[] = {
		"ConnectionResetError: [Errno 104] Connection reset by peer\n",
		"OSError: [Errno 5] Input/output error: '/a/b'\n",
		"KeyError: 'k'\n",
	};
	const uint64_t keep = 4, rounds = 50;
	struct limits usual = lab.limits;
	char text[16384];
	size_t n = 0;

	(void)state;
	for (uint64_t i = 0; i < rounds; i++)
		for (size_t k = 0; k < 3; k++)
			n += (size_t)sprintf(text + n, "%s", said[k]);
	lab.limits.v[LIMIT_RULE_HITS] = keep;
	for (uint64_t all = 16; all <= 256; all *= 16) {
		struct findings *f;
		size_t seen = 0;

		lab.limits.v[LIMIT_EVIDENCE] = all;
		f = lab_scan(&lab, text, n, n, "a", -1);
		for (size_t i = 0; i < f->n_evidence; i++) {
			if (strcmp(f->evidence[i].rule->id,
				"network_communication.connection_reset") != 0)
				continue;
			seen++;
			assert_int_equal(f->evidence[i].count, rounds);
		}
		assert_true(found(f, "reset by peer", 1));
		assert_true(found(f, "reset by peer", 4));
		assert_true(found(f, "reset by peer", 3 * rounds - 2));
		assert_int_equal(seen, keep);
		findings_free(f);
	}
	lab.limits = usual;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floods_are_bounded),
		cmocka_unit_test(floods_are_thinned),
		cmocka_unit_test(floods_hide_nothing),
		cmocka_unit_test(the_first_and_the_last_are_kept),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
