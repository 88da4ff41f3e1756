/*
 * Spans and the two ways out for log bytes. Whatever goes in, text_utf8 gives
 * valid UTF-8 and text_visible gives valid UTF-8 without anything that moves
 * a cursor, ends a line or turns the reading direction: the fuzz rounds check
 * that with a validator of their own.
 */
#include "tests/test.h"

#include "base/buf.h"
#include "base/cpu.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define LIT(s) ((struct span){ (s), sizeof(s) - 1 })
#define BAD "\xef\xbf\xbd" /* U+FFFD */

/* Length of the valid UTF-8 sequence at p, or 0: the table of well-formed
 * sequences in the Unicode standard, written down once more. */
static size_t well_formed(const unsigned char *p, size_t n)
{
	static const struct {
		unsigned char from, to, low, high;
		size_t len;
	} rows[] = {
		{ 0x00, 0x7f, 0, 0, 1 },
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 },
		{ 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 },
		{ 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (p[0] < rows[i].from || p[0] > rows[i].to)
			continue;
		if (rows[i].len > n)
			return 0;
		if (rows[i].len > 1 &&
		    (p[1] < rows[i].low || p[1] > rows[i].high))
			return 0;
		for (size_t k = 2; k < rows[i].len; k++)
			if (p[k] < 0x80 || p[k] > 0xbf)
				return 0;
		return rows[i].len;
	}
	return 0;
}

static bool valid(const struct buf *b)
{
	const unsigned char *p = (const unsigned char *)b->p;
	size_t i = 0;

	while (i < b->len) {
		size_t len = well_formed(p + i, b->len - i);

		if (!len)
			return false;
		i += len;
	}
	return true;
}

static void expect(
    int (*to)(struct buf *, struct span), struct span in, struct span want)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_adds(&b, "<"), 0);
	assert_int_equal(to(&b, in), 0);
	assert_int_equal(b.len, want.n + 1);
	assert_memory_equal(b.p + 1, want.p, want.n);
	buf_release(&b);
}

static void spans_compare(void **state)
{
	struct span none = span_of(NULL);
	struct span s = span_of("RuntimeError: x");

	(void)state;
	assert_int_equal(none.n, 0);
	assert_int_equal(s.n, 15);
	assert_true(span_is(s, "RuntimeError: x"));
	assert_false(span_is(s, "RuntimeError: "));
	assert_false(span_is(s, "RuntimeError: y"));
	assert_false(span_is(s, "RuntimeError: xy"));
	assert_true(span_is(none, ""));
	assert_false(span_is(none, "a"));
	assert_true(span_eq(none, none));
	assert_true(span_eq(none, span_of("")));
	assert_true(span_eq(LIT("a\0b"), LIT("a\0b")));
	assert_false(span_eq(LIT("a\0b"), LIT("a\0c")));
	assert_true(span_starts(s, "Runtime"));
	assert_false(span_starts(s, "runtime"));
	assert_true(span_starts(s, ""));
	assert_false(span_starts(span_of("Run"), "Runtime"));
	assert_true(span_ends(s, ": x"));
	assert_false(span_ends(s, ": "));
	assert_true(span_ends(s, ""));
	assert_false(span_ends(span_of("x"), ": x"));
}

static void spans_are_cut(void **state)
{
	struct span s = span_of("epoch 3");

	(void)state;
	assert_true(span_is(span_sub(s, 0, 5), "epoch"));
	assert_true(span_is(span_sub(s, 6, 7), "3"));
	assert_true(span_is(span_sub(s, 6, 99), "3"));
	assert_true(span_is(span_sub(s, 3, 3), ""));
	assert_true(span_is(span_sub(s, 5, 2), ""));
	assert_true(span_is(span_sub(s, 50, 99), ""));
	assert_true(span_is(span_sub(span_of(NULL), 0, 4), ""));
	assert_true(span_is(span_trim(span_of(" \t a b\r\n")), "a b"));
	assert_true(span_is(span_trim(span_of(" \t\r\n")), ""));
	assert_true(span_is(span_trim(span_of("a")), "a"));
	assert_true(span_is(span_trim(span_of(NULL)), ""));
	assert_true(span_eq(span_trim(LIT(" \0 ")), LIT("\0")));
}

static void spans_are_searched(void **state)
{
	struct span s = span_of("aab aabc");

	(void)state;
	assert_int_equal(span_find(s, "aab"), 0);
	assert_int_equal(span_find(s, "aabc"), 4);
	assert_int_equal(span_find(s, "c"), 7);
	assert_int_equal(span_find(s, "bc"), 6);
	assert_true(span_find(s, "cd") == SIZE_MAX);
	assert_true(span_find(s, "aab aabcd") == SIZE_MAX);
	assert_int_equal(span_find(s, s.p), 0);
	assert_int_equal(span_find(s, ""), 0);
	assert_true(span_find(span_of(""), "a") == SIZE_MAX);
	/* The byte after the span is not looked at. */
	assert_true(span_find(span_sub(s, 0, 7), "c") == SIZE_MAX);
	assert_int_equal(span_find(LIT("\0\0x"), "x"), 2);
}

static void lines_are_cut_off(void **state)
{
	struct span rest = LIT("one\n\ntwo\r\nlast"), line;

	(void)state;
	assert_true(span_line(&rest, &line));
	assert_true(span_is(line, "one"));
	assert_true(span_line(&rest, &line));
	assert_true(span_is(line, ""));
	assert_true(span_line(&rest, &line));
	assert_true(span_is(line, "two\r"));
	assert_true(span_line(&rest, &line));
	assert_true(span_is(line, "last"));
	assert_false(span_line(&rest, &line));

	rest = LIT("end\n");
	assert_true(span_line(&rest, &line));
	assert_true(span_is(line, "end"));
	assert_false(span_line(&rest, &line));
	rest = span_of(NULL);
	assert_false(span_line(&rest, &line));
}

static void hosts_lose_their_domain(void **state)
{
	(void)state;
	assert_true(span_is(span_host(span_of("n17.site.org")), "n17"));
	assert_true(span_is(span_host(span_of("n17")), "n17"));
	assert_true(span_is(span_host(span_of("10.0.0.7")), "10.0.0.7"));
	assert_true(span_is(span_host(span_of("7.site")), "7"));
	assert_true(span_is(span_host(span_of(".x")), ".x"));
	assert_true(span_is(span_host(span_of("")), ""));
}

static void numbers_are_read(void **state)
{
	(void)state;
	assert_true(span_number(span_of("0")) == 0);
	assert_true(span_number(span_of("00042")) == 42);
	assert_true(span_number(span_of("9223372036854775807")) == INT64_MAX);
	assert_true(span_number(span_of("9223372036854775808")) == -1);
	assert_true(span_number(span_of("99999999999999999999")) == -1);
	assert_true(span_number(span_of("")) == -1);
	assert_true(span_number(span_of(NULL)) == -1);
	assert_true(span_number(span_of("-1")) == -1);
	assert_true(span_number(span_of("+1")) == -1);
	assert_true(span_number(span_of(" 1")) == -1);
	assert_true(span_number(span_of("1 ")) == -1);
	assert_true(span_number(span_of("1e3")) == -1);
	assert_true(span_number(LIT("1\0")) == -1);
}

static void copies_end_in_nul(void **state)
{
	char *p = span_dup(span_sub(span_of("rank 12"), 0, 4));
	char *empty = span_dup(span_of(NULL));

	(void)state;
	assert_string_equal(p, "rank");
	assert_string_equal(empty, "");
	free(p);
	free(empty);
}

static void utf8_is_repaired(void **state)
{
	(void)state;
	expect(text_utf8, span_of(NULL), LIT(""));
	expect(text_utf8, LIT("plain\t\x1b[0m\n"), LIT("plain\t\x1b[0m\n"));
	expect(text_utf8, LIT("a\0b"), LIT("a\0b"));
	/* Two, three and four bytes, and the ends of their ranges. */
	expect(text_utf8, LIT("\xc2\x80\xdf\xbf"), LIT("\xc2\x80\xdf\xbf"));
	expect(text_utf8, LIT("\xe2\x82\xac"), LIT("\xe2\x82\xac"));
	expect(text_utf8, LIT("\xef\xbf\xbf"), LIT("\xef\xbf\xbf"));
	expect(text_utf8, LIT("\xf4\x8f\xbf\xbf"), LIT("\xf4\x8f\xbf\xbf"));
	/* Each bad byte is one replacement. */
	expect(text_utf8, LIT("a\xff"), LIT("a" BAD));
	expect(text_utf8, LIT("\x80x"), LIT(BAD "x"));
	expect(text_utf8, LIT("\xc3"), LIT(BAD));
	expect(text_utf8, LIT("\xc3("), LIT(BAD "("));
	expect(text_utf8, LIT("\xe2\x82"), LIT(BAD BAD));
	expect(text_utf8, LIT("\xe2\x82z"), LIT(BAD BAD "z"));
	expect(text_utf8, LIT("\xc0\x80"), LIT(BAD BAD));
	expect(text_utf8, LIT("\xe0\x80\xaf"), LIT(BAD BAD BAD));
	expect(text_utf8, LIT("\xed\xa0\x80"), LIT(BAD BAD BAD));
	expect(text_utf8, LIT("\xf4\x90\x80\x80"), LIT(BAD BAD BAD BAD));
	expect(text_utf8, LIT("\xf0\x8f\xbf\xbf"), LIT(BAD BAD BAD BAD));
	expect(text_utf8, LIT("\xff\xe2\x82\xac"), LIT(BAD "\xe2\x82\xac"));
}

static void controls_become_visible(void **state)
{
	(void)state;
	expect(text_visible, span_of(NULL), LIT(""));
	expect(text_visible, LIT("loss 0.5 \xe2\x82\xac"),
	    LIT("loss 0.5 \xe2\x82\xac"));
	expect(text_visible, LIT("\x1b[31mred"), LIT("\\x1b[31mred"));
	expect(text_visible, LIT("a\rb\nc"), LIT("a\\rb\\nc"));
	expect(text_visible, LIT("a\0b\x7f"), LIT("a\\x00b\\x7f"));
	expect(text_visible, LIT("\xff\xc3"), LIT("\\xff\\xc3"));
	/* C1 control, right-to-left override, line separator. */
	expect(text_visible, LIT("\xc2\x9b"), LIT("\\x9b"));
	expect(text_visible, LIT("\xe2\x80\xae"), LIT("\\u202e"));
	expect(text_visible, LIT("\xe2\x80\xa8"), LIT("\\u2028"));
}

static void width_counts_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width(span_of(NULL)), 0);
	assert_int_equal(text_width(LIT("abc")), 3);
	assert_int_equal(text_width(LIT("\xc3\xa9")), 1);
	assert_int_equal(text_width(LIT("e\xcc\x81")), 1);
	assert_int_equal(text_width(LIT("\xe6\x97\xa5\xe6\x9c\xac")), 4);

	assert_true(span_is(text_fit(LIT("abcdef"), 4), "abcd"));
	assert_true(span_is(text_fit(LIT("abc"), 9), "abc"));
	assert_true(span_is(text_fit(LIT("abc"), 0), ""));
	/* A wide character that would be cut in half is left out. */
	assert_true(span_is(text_fit(LIT("a\xe6\x97\xa5"), 2), "a"));
	assert_true(
	    span_is(text_fit(LIT("a\xe6\x97\xa5"), 3), "a\xe6\x97\xa5"));
	/* A combining mark stays with its letter. */
	assert_true(span_is(text_fit(LIT("e\xcc\x81x"), 1), "e\xcc\x81"));
}

static void full_buffers_are_told(void **state)
{
	struct buf b = BUF_INIT(4);

	(void)state;
	assert_int_equal(text_utf8(&b, LIT("12345")), -1);
	buf_clear(&b);
	assert_int_equal(text_utf8(&b, LIT("\xff\xff")), -1);
	buf_clear(&b);
	assert_int_equal(text_visible(&b, LIT("\x1b\x1b")), -1);
	buf_release(&b);
}

/* No byte under 0x20 or 0x7f, no C1 control, no bidi control, no line end. */
static bool harmless(const struct buf *b)
{
	static const char *const never[] = {
		"\xe2\x80\xa8",
		"\xe2\x80\xa9",
		"\xe2\x80\xaa",
		"\xe2\x80\xab",
		"\xe2\x80\xac",
		"\xe2\x80\xad",
		"\xe2\x80\xae",
		"\xe2\x81\xa6",
		"\xe2\x81\xa7",
		"\xe2\x81\xa8",
		"\xe2\x81\xa9",
		"\xd8\x9c",
		"\xe2\x80\x8e",
		"\xe2\x80\x8f",
	};
	struct span s = { b->p, b->len };

	for (size_t i = 0; i < b->len; i++) {
		unsigned char c = (unsigned char)b->p[i];
		unsigned char d = (unsigned char)b->p[i + 1];

		if (c < 0x20 || c == 0x7f)
			return false;
		if (c == 0xc2 && d >= 0x80 && d <= 0x9f)
			return false;
	}
	for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
		if (span_find(s, never[i]) != SIZE_MAX)
			return false;
	return true;
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Bytes that make and break sequences more often than even ones would. */
static void any_bytes_come_out_clean(void **state)
{
	static const unsigned char likely[] = { 0x00, 0x1b, 0x7f, 0x80, 0x8e,
		0x9b, 0xa8, 0xae, 0xbf, 0xc0, 0xc2, 0xd8, 0x9c, 0xe0, 0xe2,
		0xed, 0xef, 0xf0, 0xf4, 0xff, '\n', '\r', '\t', 'a' };
	struct buf b = BUF_INIT(BUF_MAX);
	uint32_t seed = 20240517;
	char in[24];

	(void)state;
	for (int round = 0; round < 50000; round++) {
		size_t n = next_random(&seed) % sizeof in;
		struct span s = { in, n }, cut;

		for (size_t i = 0; i < n; i++) {
			uint32_t r = next_random(&seed);

			in[i] = (char)(r & 0x100 ? r & 0xff
						 : likely[r % sizeof likely]);
		}
		buf_clear(&b);
		assert_int_equal(text_utf8(&b, s), 0);
		assert_true(n == 0 || valid(&b));
		assert_true(n == 0 || b.len >= n);
		assert_int_equal(text_is_utf8(s), b.len == n);
		assert_int_equal(2 * text_bad_bytes(s), b.len - n);
		buf_clear(&b);
		assert_int_equal(text_visible(&b, s), 0);
		assert_true(n == 0 || (valid(&b) && harmless(&b)));

		cut = text_fit(s, n / 2);
		assert_true(text_width(cut) <= n / 2);
		assert_true(cut.n <= n);
		assert_true(cut.n == n || text_width(s) > n / 2);
	}
	buf_release(&b);
}

/* Of any length, and with more newlines than a byte counts, with and without
 * what only some processors have. */
static void newlines_are_counted(void **state)
{
	static char text[3 * 32 * 300];
	uint64_t want = 0;
	uint32_t seed = 3;

	(void)state;
	for (size_t n = 0; n < sizeof text; n++) {
		seed = seed * 1664525u + 1013904223u;
		text[n] = n > 1000 || seed >> 30 ? '\n' : (char)(seed >> 8);
		want += text[n] == '\n';
		if (n > 1000 && n % 97)
			continue;
		for (int plain = 0; plain < 2; plain++) {
			cpu_plain(plain);
			assert_int_equal(
			    span_newlines((struct span){ text, n + 1 }), want);
		}
	}
}

/* Line ends at any distance before, and none. */
static void line_starts_are_found(void **state)
{
	char text[80];

	(void)state;
	for (size_t at = 0; at < sizeof text; at++)
		for (size_t pos = 0; pos <= sizeof text; pos++)
			for (size_t least = 0; least <= pos; least += 7) {
				struct span s = { text, sizeof text };
				size_t want =
				    at < pos && at >= least ? at + 1 : least;

				memset(text, 'x', sizeof text);
				text[at] = at % 2 ? '\n' : '\r';
				assert_int_equal(
				    span_line_start(s, least, pos), want);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_lose_their_domain),
		cmocka_unit_test(spans_compare),
		cmocka_unit_test(spans_are_cut),
		cmocka_unit_test(spans_are_searched),
		cmocka_unit_test(lines_are_cut_off),
		cmocka_unit_test(numbers_are_read),
		cmocka_unit_test(copies_end_in_nul),
		cmocka_unit_test(utf8_is_repaired),
		cmocka_unit_test(controls_become_visible),
		cmocka_unit_test(width_counts_columns),
		cmocka_unit_test(full_buffers_are_told),
		cmocka_unit_test(any_bytes_come_out_clean),
		cmocka_unit_test(newlines_are_counted),
		cmocka_unit_test(line_starts_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
