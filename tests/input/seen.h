/*
 * A sink that writes down all it is given and checks what every block must
 * keep to, and ways to feed a decoder. Shared by the tests of decode.h.
 */
#ifndef TESTS_INPUT_SEEN_H
#define TESTS_INPUT_SEEN_H

#include "tests/test.h"

#include "tests/input/keys.h"

#include "base/buf.h"
#include "input/decode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Everything a sink was given, in one text. */
struct seen {
	struct decode *d;
	struct buf text;    /* all blocks joined */
	struct buf account; /* each block and line, written out */
	size_t blocks, lasts;
	size_t stop_after; /* blocks; 0: never */
	uint64_t line;     /* that the next block should begin with */
	size_t block_max;
};

static inline bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

static inline void account_lines(struct seen *s, const struct decode_block *b)
{
	size_t from = 0;

	for (size_t i = 0; i <= b->text.n; i++) {
		if (i < b->text.n && !is_end(b->text.p[i]))
			continue;
		assert_int_equal(buf_addf(&s->account, "%zu:%" PRIu64 " ",
				     i - from, decode_offset(b, from)),
		    0);
		from = i + 1;
	}
}

static inline int take(void *ctx, const struct decode_block *b)
{
	struct seen *s = ctx;
	size_t h = b->history.n;

	assert_true(b->line == s->line);
	assert_true(b->clean == s->text.len);
	if (h) {
		/* in one piece with the text, and what came before it */
		assert_ptr_equal(b->history.p + h, b->text.p);
		assert_true(h <= DECODE_HISTORY && h <= s->text.len);
		assert_memory_equal(
		    b->history.p, s->text.p + s->text.len - h, h);
		assert_true(
		    h == s->text.len || is_end(s->text.p[s->text.len - h - 1]));
	}
	assert_int_equal(
	    buf_addf(&s->account,
		"\nblock %zu history %zu last %d: ", b->text.n, h, b->last),
	    0);
	account_lines(s, b);
	assert_int_equal(buf_add(&s->text, b->text.p, b->text.n), 0);
	for (size_t i = 0; i < b->text.n; i++)
		s->line += b->text.p[i] == '\n';
	if (b->text.n > s->block_max)
		s->block_max = b->text.n;
	if (!b->last)
		assert_true(is_end(b->text.p[b->text.n - 1]));
	assert_int_equal(s->lasts, 0);
	s->lasts += b->last;
	s->blocks++;
	return s->stop_after && s->blocks >= s->stop_after ? -1 : 0;
}

/* How the bytes are split over feeds. */
enum split { WHOLE, BYTES, RANDOM, RANDOM_FLUSHED };

static inline uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static inline void begin(struct seen *s, struct decode *d)
{
	struct decode_sink sink = { s, take, NULL };

	*s = (struct seen){ .d = d, .line = 1 };
	s->text.max = s->account.max = BUF_MAX;
	decode_begin(d, &sink);
}

static inline void feed(
    struct seen *s, struct span in, enum split split, uint32_t seed)
{
	size_t i = 0, n;

	while (i < in.n) {
		n = split == WHOLE   ? in.n
		    : split == BYTES ? 1
				     : next_random(&seed) %
			(next_random(&seed) % 8 ? 200 : 300000);
		if (n > in.n - i)
			n = in.n - i;
		assert_int_equal(decode_feed(s->d, in.p + i, n, NULL), 0);
		i += n;
		if (split == RANDOM_FLUSHED && next_random(&seed) % 4 == 0)
			assert_int_equal(decode_flush(s->d, NULL), 0);
	}
	assert_int_equal(decode_end(s->d, NULL), 0);
	assert_int_equal(s->lasts, 1);
	assert_true(decode_stats(s->d)->raw_bytes == in.n);
	assert_true(decode_stats(s->d)->clean_bytes == s->text.len);
}

static inline void end(struct seen *s)
{
	buf_release(&s->text);
	buf_release(&s->account);
}

static inline struct decode *new_decoder(void)
{
	struct limits l;
	struct decode *d;

	limits_init(&l);
	d = decode_new(&l, keys(), NULL);
	assert_non_null(d);
	return d;
}

static inline int setup(void **state)
{
	*state = new_decoder();
	return 0;
}

static inline int teardown(void **state)
{
	decode_free(*state);
	return 0;
}

/* Decode in three ways and compare with what is wanted. */
static inline void check_span(
    struct decode *d, struct span in, const char *want)
{
	static const enum split ways[] = { WHOLE, BYTES, RANDOM_FLUSHED };

	for (size_t i = 0; i < 3; i++) {
		struct seen s;

		begin(&s, d);
		feed(&s, in, ways[i], 7);
		if (s.text.len != strlen(want) ||
		    (s.text.len && memcmp(s.text.p, want, s.text.len) != 0))
			fail_msg("way %d of '%.*s': '%s'", (int)i, (int)in.n,
			    in.p, s.text.p ? s.text.p : "");
		end(&s);
	}
}

static inline void check(struct decode *d, const char *in, const char *want)
{
	check_span(d, span_of(in), want);
}

#define WITH_DECODER(test) \
	cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
