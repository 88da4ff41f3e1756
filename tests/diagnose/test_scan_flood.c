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

/* Nor is one hidden that differs from the flood in its digits only. */
static void digits_hide_nothing(void **state)
{
	const unsigned lines = 60000, each = 4999;
	char *p = malloc(lines * 64);
	struct findings *f;
	size_t n = 0;

	(void)state;
	assert_non_null(p);
	for (unsigned i = 1; i <= lines; i++)
		n += (size_t)sprintf(p + n,
		    "OSError: [Errno %u] Invalid argument: '/a/%05u'\n",
		    i % each ? 22 : 28, i);
	f = lab_scan(&lab, p, n, 65536, "a", -1);
	for (size_t i = 0; i < f->n_evidence; i++)
		assert_true(f->evidence[i].count < 20000);
	for (unsigned i = each; i < lines; i += each)
		assert_true(found(f, "[Errno 28]", i));
	findings_free(f);
	free(p);
}

/* That both matched the same part of their texts. */
static void same_match(const struct evidence *x, const struct evidence *y)
{
	assert_int_equal(x->match_from, y->match_from);
	assert_int_equal(x->match_to, y->match_to);
	assert_int_equal(x->n_captures, y->n_captures);
	for (size_t k = 0; k < x->n_captures; k++)
		assert_string_equal(x->captures[k].value, y->captures[k].value);
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

/* Lines that a flood holds again and again, each digit of a number another
 * time; some say another thing by their digits alone. */
static size_t like_line(char to[256], unsigned i)
{
	static const char *const forms[] = {
		"OSError: [Errno %u] of a device: '/a/%03u'\n",
		"KeyError: 'field_%u_%03u'\n",
		"srun: error: gn%u: task %03u: Exited with exit code 1\n",
		"RuntimeError: The size of tensor a (%u) must match the size "
		"of tensor b (%03u) at non-singleton dimension 1\n",
		"RuntimeError: Found %u images in subfolders of: /a/%03u\n",
		"RuntimeError: tile has %u channels, but layer has 0%02u "
		"channels\n",
		"ValueError: could not convert string to float: 'x%u%03u'\n",
		"IndexError: index %u is out of bounds for axis 0 with size "
		"%03u\n",
	};

	return (size_t)snprintf(
	    to, 256, forms[i % 8], i / 8 % 40, i * 7919 % 1000);
}

/* Whether the same is found in a line alone, with lines behind it that are no
 * end. */
static void as_alone(const struct evidence *of, char line[256], size_t n)
{
	char text[4096];
	struct findings *f;
	bool seen = false;

	memcpy(text, line, n);
	for (int i = 0; i < 50; i++)
		n += (size_t)sprintf(text + n, "step %d, all is well\n", i);
	f = lab_scan(&lab, text, n, n, "a", -1);
	for (size_t i = 0; i < f->n_evidence && !seen; i++) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->rule != of->rule)
			continue;
		seen = true;
		assert_string_equal(ev->text, of->text);
		assert_int_equal(ev->pattern, of->pattern);
		same_match(ev, of);
	}
	assert_true(seen);
	findings_free(f);
}

/* What is known of a line like it does not change what is found in one: all
 * that is found in a flood is found in its line alone, and no less. */
static void like_lines_are_judged_alike(void **state)
{
	const unsigned lines = 2400;
	struct limits usual = lab.limits;
	char *text = malloc(lines * 256), line[256];
	size_t n = 0, found = 0, alone = 0;
	struct findings *f, *one;

	(void)state;
	assert_non_null(text);
	lab.limits.v[LIMIT_RULE_HITS] = lines;
	lab.limits.v[LIMIT_EVIDENCE] = 8 * lines;
	for (unsigned i = 0; i < lines; i++) {
		size_t k = like_line(line, i);

		memcpy(text + n, line, k);
		n += k;
	}
	f = lab_scan(&lab, text, n, n, "a", -1);
	for (size_t i = 0; i < f->n_evidence; i++)
		as_alone(&f->evidence[i], line,
		    like_line(line, (unsigned)f->evidence[i].line - 1));
	/* all but the last lines, which are looked at once more */
	for (size_t i = 0; i < f->n_evidence; i++)
		found += f->evidence[i].line <= lines - 80;
	for (unsigned i = 0; i < lines - 80; i++) {
		size_t k = like_line(line, i);

		k += (size_t)sprintf(line + k, "%s", "step 1, all is well\n");
		one = lab_scan(&lab, line, k, k, "a", -1);
		for (size_t e = 0; e < one->n_evidence; e++)
			alone += one->evidence[e].line == 1;
		findings_free(one);
	}
	assert_int_equal(found, alone);
	findings_free(f);
	lab.limits = usual;
	free(text);
}

/* The i-th of many tracebacks that differ in their numbers only, or hardly: one
 * has more of its message, one another writer's lines behind it, one is
 * chained, one indented, one in Jupyter's colours, one of a rank. */
static size_t like_trace(char to[1024], unsigned i)
{
	static const char *const ends[] = {
		"KeyError: 'field_%03u'\n",
		"FileNotFoundError: [Errno 2] No such file or directory: "
		"'/data/part-%03u.tar'\n",
		"OSError: [Errno %u] of a device\n",
		"RuntimeError: The size of tensor a (%03u) must match the size "
		"of tensor b (4) at non-singleton dimension 1\n"
		"  and more of it\n",
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate "
		"%03u.00 MiB. GPU 0 has a total capacity of 79.15 GiB\n"
		"srun: error: gn001: task 3: Exited with exit code 1\n"
		"step 12 of all, epoch %u\n",
		"requests.exceptions.HTTPError: %u Client Error: Not Found for "
		"url: http://a/b\n\n"
		"During handling of the above exception, another exception "
		"occurred:\n\n",
		"ValueError: x%03u\n\n    more of it behind a blank line\n",
		"mine.Odd: the port %03u is taken: Address already in use\n",
		"UserWarning: %03u%%|####| 404 Client Error\n",
		"ValueError: y%03u\n\r  50%%|#####     | %u/10\n",
	};
	size_t n = (size_t)sprintf(to,
	    "%sTraceback (most recent call last):\n"
	    "  File \"/home/ada/train%u.py\", line %u, in <module>\n"
	    "    main(%u)\n"
	    "  File \"/usr/lib/python3.1%u/site-packages/torch/nn.py\", line "
	    "3%02u, in call%s\n"
	    "    return call(%03u)\n",
	    i % 61 == 60 ? "[rank1]: " : "", i / 97 % 2, i % 10, i % 7,
	    i / 89 % 3, i % 83, i % 53 == 52 ? "_2" : "", i % 101);

	return n +
	    (size_t)sprintf(to + n, ends[i / 3 % 10], i * 7919 % 1000, i);
}

/* That two have the same captures and counts. */
static void same_captures(const struct findings *a, const struct findings *b)
{
	for (size_t i = 0; i < a->n_evidence; i++) {
		const struct evidence *x = &a->evidence[i];
		const struct evidence *y = &b->evidence[i];

		assert_int_equal(x->count, y->count);
		assert_int_equal(x->stage, y->stage);
		same_match(x, y);
	}
	for (size_t i = 0; i < a->n_events; i++) {
		const struct event *x = &a->events[i], *y = &b->events[i];

		assert_int_equal(x->message_line, y->message_line);
		assert_int_equal(x->frame.line, y->frame.line);
		assert_int_equal(x->offset, y->offset);
		assert_int_equal(x->end, y->end);
		assert_int_equal(x->frames, y->frames);
		assert_int_equal(x->ignored, y->ignored);
		assert_int_equal(x->explained, y->explained);
		assert_int_equal(x->stage, y->stage);
		lab_same_string(x->frame.function, y->frame.function);
		lab_same_string(x->frame.code, y->frame.code);
		lab_same_string(x->raisers, y->raisers);
	}
}

/* What is told of a traceback by one that was like it is what is told of it by
 * itself: without the filter each line is read. */
static void like_tracebacks_are_told_again(void **state)
{
	const unsigned traces = 1200;
	char *text = malloc(traces * 1024);
	struct findings *a, *b;
	size_t n = 0;

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < traces; i++)
		n += like_trace(text + n, i);
	a = lab_scan(&lab, text, n, n, "a", -1);
	b = lab_scan(&without, text, n, n, "a", -1);
	lab_same(a, b);
	same_captures(a, b);
	assert_true(a->dropped > traces / 2);
	findings_free(a);
	findings_free(b);
	free(text);
}

/* What is told of a line by one that was like it is what is told of it by
 * itself, whoever wrote it and when: without the filter each line is read. */
static void like_lines_are_told_again(void **state)
{
	static const char *const prefixes[] = {
		"",
		"2026-03-01 09:12:%02u,123 - trainer - ERROR - ",
		"[rank%u]: ",
		"gn0%02u: ",
		"[2026-03-01 09:00:%02u] WARNING: ",
		"DEBUG:root:",
	};
	static const char *const others[] = {
		"epoch %u: saved a checkpoint to /a/%u.pt\n",
		("Traceback (most recent call last):\n"
		 "  File \"/home/ada/a.py\", line %u, in f\n"
		 "KeyError: 'field_%u'\n"),
		("Exception ignored in: <function Odd.__del__ at %u>\n"
		 "OSError: [Errno 5] of a device: '/a/%u'\n"),
	};
	const unsigned lines = 1600;
	char *text = malloc(lines * 320), line[256];
	struct findings *a, *b;
	size_t n = 0;

	(void)state;
	assert_non_null(text);
	for (unsigned i = 0; i < lines; i++) {
		size_t k = like_line(line, i);

		n += (size_t)sprintf(text + n, prefixes[i / 11 % 6], i % 40);
		memcpy(text + n, line, k);
		n += k;
		if (i % 97 == 96)
			n +=
			    (size_t)sprintf(text + n, others[i / 97 % 3], i, i);
	}
	a = lab_scan(&lab, text, n, n, "a", -1);
	b = lab_scan(&without, text, n, n, "a", -1);
	lab_same(a, b);
	same_captures(a, b);
	for (size_t i = 0; i < a->n_evidence; i++) {
		const struct evidence *x = &a->evidence[i];
		const struct evidence *y = &b->evidence[i];

		assert_int_equal(x->time, y->time);
		assert_int_equal(x->warning, y->warning);
		assert_int_equal(x->information, y->information);
		assert_int_equal(x->aside, y->aside);
		lab_same_string(x->node, y->node);
	}
	assert_true(a->dropped > lines / 2);
	findings_free(a);
	findings_free(b);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floods_are_bounded),
		cmocka_unit_test(floods_are_thinned),
		cmocka_unit_test(floods_hide_nothing),
		cmocka_unit_test(digits_hide_nothing),
		cmocka_unit_test(the_first_and_the_last_are_kept),
		cmocka_unit_test(like_lines_are_judged_alike),
		cmocka_unit_test(like_lines_are_told_again),
		cmocka_unit_test(like_tracebacks_are_told_again),
	};

	return cmocka_run_group_tests(tests, labs_setup, labs_teardown);
}
