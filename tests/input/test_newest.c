/*
 * Logs whose newest lines are the first come out as they were written, from one
 * place; whatever only looks so stays as it is.
 */
#include "tests/input/seen.h"

#include "input/newest.h"
#include "input/shape.h"

#include <stdio.h>

#define EVENTS 14

/* What is one event, the i-th, at that second. */
typedef void (*event_form)(struct buf *b, int i, int second);

static void add(struct buf *b, const char *form, int second, int i)
{
	/* the forms are of this test's own */
	assert_int_equal(buf_addf(b, form, second / 60, second % 60, i), 0);
}

static void plain(struct buf *b, int i, int second)
{
	add(b, "2025-03-04T09:%02d:%02dZ step %d\n", second, i);
}

static void several(struct buf *b, int i, int second)
{
	plain(b, i, second);
	if (i % 3 == 0)
		assert_int_equal(buf_adds(b, "  File \"a.py\"\n\n"), 0);
}

static void fine(struct buf *b, int i, int second)
{
	add(b, "[2025-03-04 09:00:00,%d%02d] step %d\n", second, i);
}

/* Two of each second. */
static void pairs(struct buf *b, int i, int second)
{
	(void)second;
	plain(b, i, i / 2);
}

/* EVENTS of a form from the first or from the last, behind a head. */
static void fill(struct buf *b, event_form form, bool newest_first)
{
	*b = (struct buf)BUF_INIT(BUF_MAX);
	assert_int_equal(buf_adds(b, "kept\n"), 0);
	for (int k = 0; k < EVENTS; k++) {
		int i = newest_first ? EVENTS - 1 - k : k;

		form(b, i, i);
	}
}

static void check_span_all(struct decode *d, struct span in, const char *want)
{
	static const enum split ways[] = { WHOLE, BYTES, RANDOM };

	for (size_t i = 0; i < 3; i++) {
		struct seen s;

		begin(&s, d);
		feed(&s, in, ways[i], 7);
		if (s.text.len != strlen(want) ||
		    memcmp(s.text.p, want, s.text.len) != 0)
			fail_msg("way %d of '%.*s': '%s'", (int)i, (int)in.n,
			    in.p, s.text.p ? s.text.p : "");
		end(&s);
	}
}

static void check_all(struct decode *d, const char *in, const char *want)
{
	check_span_all(d, span_of(in), want);
}

static void test_turned(void **state)
{
	static const event_form forms[] = { plain, several, fine, pairs };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct buf in, want;

		fill(&in, forms[i], true);
		fill(&want, forms[i], false);
		check_all(*state, in.p, want.p);
		assert_true(decode_stats(*state)->why[0]);
		/* what is in order stays so */
		check_all(*state, want.p, want.p);
		assert_false(decode_stats(*state)->why[0]);
		/* as many ends of lines as there were */
		if (forms[i] != several) {
			want.p[--want.len] = '\0';
			check_span_all(
			    *state, (struct span){ in.p, in.len - 1 }, want.p);
		}
		buf_release(&in);
		buf_release(&want);
	}
}

/* One line that is later than the one before it, wherever it is. */
static void test_up(void **state)
{
	struct buf in;

	for (int at = 0; at < 3; at++) {
		in = (struct buf)BUF_INIT(BUF_MAX);
		for (int i = 600; i > 0; i--) {
			plain(&in, i, i);
			if (i == (at == 0 ? 595 : at == 1 ? 100 : 1))
				plain(&in, i, i + 1);
		}
		assert_true(in.len > 2 * SHAPE_LOOK);
		check_all(*state, in.p, in.p);
		assert_false(decode_stats(*state)->why[0]);
		buf_release(&in);
	}
}

static void test_few(void **state)
{
	static const char *const same[] = { /* too few */
		"2025-03-04T09:00:05Z a\n2025-03-04T09:00:04Z b\n"
		"2025-03-04T09:00:03Z c\n2025-03-04T09:00:02Z d\n"
		"2025-03-04T09:00:01Z e\n",
		/* the clocks of ranks */
		"[rank0]: 2025-03-04 09:00:09 a\n"
		"[rank1]: 2025-03-04 09:00:08 a\n"
		"[rank2]: 2025-03-04 09:00:07 a\n"
		"[rank3]: 2025-03-04 09:00:06 a\n"
		"[rank4]: 2025-03-04 09:00:05 a\n"
		"[rank5]: 2025-03-04 09:00:04 a\n"
		"[rank6]: 2025-03-04 09:00:03 a\n"
		"[rank7]: 2025-03-04 09:00:02 a\n",
		/* and of nodes */
		"Mar  4 09:00:09 n1 train[1]: a\nMar  4 09:00:08 n2 train[1]: "
		"a\n"
		"Mar  4 09:00:07 n3 train[1]: a\nMar  4 09:00:06 n4 train[1]: "
		"a\n"
		"Mar  4 09:00:05 n5 train[1]: a\nMar  4 09:00:04 n6 train[1]: "
		"a\n"
		"Mar  4 09:00:03 n7 train[1]: a\nMar  4 09:00:02 n8 train[1]: "
		"a\n",
		/* one time */
		"2025-03-04T09:00:05Z a\n2025-03-04T09:00:05Z b\n"
		"2025-03-04T09:00:05Z c\n2025-03-04T09:00:05Z d\n"
		"2025-03-04T09:00:05Z e\n2025-03-04T09:00:05Z f\n"
		"2025-03-04T09:00:05Z g\n2025-03-04T09:00:05Z h\n"
		"2025-03-04T09:00:05Z i\n"
	};

	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		check_all(*state, same[i], same[i]);
}

/* Records have their time in themselves, and rows of a table become records. */
static void test_records(void **state)
{
	struct buf json = BUF_INIT(BUF_MAX), csv = BUF_INIT(BUF_MAX);
	struct buf pairs_in = BUF_INIT(BUF_MAX), docker = BUF_INIT(BUF_MAX);
	struct buf *in[] = { &json, &csv, &pairs_in, &docker };

	assert_int_equal(buf_adds(&csv, "message,time\n"), 0);
	for (int i = EVENTS; i > 0; i--) {
		add(&json,
		    "{\"time\":\"2025-03-04T09:%02d:%02dZ\","
		    "\"message\":\"step %d\"}\n",
		    i, i);
		assert_int_equal(
		    buf_addf(&csv, "step %d,2025-03-04T09:00:%02dZ\n", i, i),
		    0);
		add(&pairs_in,
		    "time=2025-03-04T09:%02d:%02dZ level=info "
		    "msg=\"step %d\"\n",
		    i, i);
		assert_int_equal(
		    buf_addf(&docker,
			"{\"log\":\"step %d\\n\",\"stream\":\"stdout\","
			"\"time\":\"2025-03-04T09:00:%02dZ\"}\n",
			i, i),
		    0);
	}
	for (size_t k = 0; k < sizeof in / sizeof *in; k++) {
		struct seen s;
		size_t at = 0;

		begin(&s, *state);
		feed(&s, (struct span){ in[k]->p, in[k]->len }, RANDOM, 7);
		assert_true(decode_stats(*state)->why[0]);
		for (int i = 1; i <= EVENTS; i++) {
			char step[16];
			size_t n;

			snprintf(step, sizeof step, "step %d\n", i);
			n = span_find(
			    (struct span){ s.text.p + at, s.text.len - at },
			    step);
			if (n >= s.text.len - at)
				fail_msg(
				    "%zu: no %s in '%s'", k, step, s.text.p);
			at += n;
		}
		end(&s);
		buf_release(in[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DECODER(test_turned),
		WITH_DECODER(test_up),
		WITH_DECODER(test_few),
		WITH_DECODER(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
