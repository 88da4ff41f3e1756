/*
 * What is taken off a log that was indented or quoted as a whole, what is not,
 * and that each line still knows its place.
 */
#include "tests/input/seen.h"

#include "input/margin.h"
#include "input/prefixes.h"

static void test_margins(void **state)
{
	static const char *const cases[][2] = {
		/* blanks at the ends of lines may have been cut off */
		{ "    a\n\n      b\n    c\n  \n", "a\n\n  b\nc\n\n" },
		{ "\ta\n\tb", "a\nb" },
		{ "\t  a\n\t  \tb\n", "a\n\tb\n" },
		{ "> a\n>   b\n>\n> c\n", "a\n  b\n\nc\n" },
		{ "| a\n| b\n", "a\nb\n" },
		{ "\xe2\x94\x82 a\n\xe2\x94\x82   b\n", "a\n  b\n" },
		{ "    > a\r\n\r\n    > b\r\n", "a\r\n\r\nb\r\n" },
		{ "\n\n  a\n  b\n", "\n\na\nb\n" },
		/* a part of a line that is drawn again has its own start */
		{ "  1%\r  2%\r3%\n  b\n", "1%\r2%\r3%\nb\n" },
		{ "  {\"message\": \"m\"}\n  b", "m\nb" },
		{ "| a\n| | b |\n", "a\n| b |\n" },
		/* none */
		{ "|  0  a  |\n|  1  b  |\n\n", "|  0  a  |\n|  1  b  |\n\n" },
		{ " a\n b\n", " a\n b\n" },
		{ "  a\nb\n  c\n", "  a\nb\n  c\n" },
		{ "> a\n\tb\n", "> a\n\tb\n" },
		{ "\xe2\x94\x82 a\n\xe2\x94\x83 b\n",
		    "\xe2\x94\x82 a\n\xe2\x94\x83 b\n" },
		{ "  \n   \n", "  \n   \n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(*state, cases[i][0], cases[i][1]);
}

/* So many lines with the same margin, and what comes behind them. */
static void check_behind(void **state, const char *rest, const char *want)
{
	struct buf in = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);

	for (int i = 0; i < 70; i++) {
		assert_int_equal(buf_adds(&in, "    line\n"), 0);
		assert_int_equal(buf_adds(&out, "line\n"), 0);
	}
	assert_int_equal(buf_adds(&in, rest), 0);
	assert_int_equal(buf_adds(&out, want), 0);
	check(*state, in.p, out.p);
	buf_release(&in);
	buf_release(&out);
}

static void test_ends(void **state)
{
	/* a few lines without it are those of others */
	check_behind(state, "a\n  b\n    c\nd\n    e\n", "a\n  b\nc\nd\ne\n");
	/* more of them end it */
	check_behind(state, "a\nb\nc\n    d\n", "a\nb\nc\n    d\n");
	/* a shorter one is that of all */
	check_behind(state, "  a\nb\n    c\n", "a\nb\n  c\n");
}

/* ---- tags ---- */

static struct prefixes *tags;

static int set_tags(void **state)
{
	static const struct prefix forms[] = {
		{ .form = "[<text>] ", .tag = true },
		{ .form = "<numbered>: ", .tag = true },
		{ .form = "<logger>\t", .tag = true },
		{ .form = "[rank <rank>] " },
	};

	tags = prefixes_new();
	assert_non_null(tags);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		assert_int_equal(prefixes_add(tags, &forms[i], NULL), 0);
	setup(state);
	decode_prefixes(*state, tags);
	return 0;
}

static int free_tags(void **state)
{
	prefixes_free(tags);
	return teardown(state);
}

static void test_tags(void **state)
{
	static const char *const cases[][2] = {
		{ "[t] a\n[t]   b\n[t] c", "a\n  b\nc" },
		{ "[t] a\n[t] \n[t] b\n", "a\n\nb\n" },
		/* blanks at the ends of lines may have been cut off */
		{ "[t] a\n[t]\n[t] b\n", "a\n\nb\n" },
		{ "[t] a\n[t]   b\n[t] [\n", "a\n  b\n[\n" },
		{ "[t] a\r\n[t]\r\n[t] b\r\n", "a\r\n\r\nb\r\n" },
		{ "[t] 1%\r2%\r3%\n[t]   b\n", "1%\r2%\r3%\n  b\n" },
		{ "x=1\ta\nx=1\t\tb\n", "a\n\tb\n" },
		{ "t1: a\nt1:   b\n", "a\n  b\n" },
		{ "[t] {\"message\": \"m\"}\n[t] b", "m\nb" },
		/* several of them, as far as all have them */
		{ "[a] [b] c\n[a] [b]   d\n", "c\n  d\n" },
		{ "[a] [b] c\n[a] d\n[a]   e\n", "[b] c\nd\n  e\n" },
		{ "  [t] a\n  [t]   b\n", "a\n  b\n" },
		/* one line of four may be of another program */
		{ "[t] a\n[t]   b\n[t] c\nd\n", "a\n  b\nc\nd\n" },
		{ "[rank 1] a\n[rank 1]   b\n[rank 1] c\nd\n",
		    "[rank 1] a\n[rank 1]   b\n[rank 1] c\nd\n" },
		{ "[t] a\n[t]   b\n[t] c\nd\ne\n",
		    "[t] a\n[t]   b\n[t] c\nd\ne\n" },
		/* no text of these kinds behind it, or too few lines */
		{ "[t] a\n[t] b\n[t] a\n", "[t] a\n[t] b\n[t] a\n" },
		{ "[t] a\n[t] b\n[t] c\n[t] d\n",
		    "[t] a\n[t] b\n[t] c\n[t] d\n" },
		{ "[t] 10:00:00 a\n[t] 2025-03-04 10:00:00 b\n",
		    "[t] 10:00:00 a\n[t] 2025-03-04 10:00:00 b\n" },
		{ "[t]   a\n", "[t]   a\n" },
		/* a level, no words, a prefix that is known, no such form */
		{ "[ERROR] a\n[ERROR]   b\n", "[ERROR] a\n[ERROR]   b\n" },
		{ "[+] a\n[+]   b\n", "[+] a\n[+]   b\n" },
		{ "[rank 1] a\n[rank 1]   b\n", "[rank 1] a\n[rank 1]   b\n" },
		{ "make: a\nmake:   b\n", "make: a\nmake:   b\n" },
		/* not all lines have it */
		{ "[t] a\nb\n[t]   c\n", "[t] a\nb\n[t]   c\n" },
		{ "[t] a\n[\n[t]   c\n", "[t] a\n[\n[t]   c\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(*state, cases[i][0], cases[i][1]);
}

/* So many lines with a tag, and what comes behind them: what only begins like
 * one is text. */
static void test_behind_tag(void **state)
{
	static const char rest[] = "[\n[t\n[t]\n[t] a\n  b\n";
	struct buf in = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);

	for (int i = 0; i < 20; i++) {
		assert_int_equal(buf_addf(&in, "[t] %c\n", 'a' + i), 0);
		assert_int_equal(buf_addf(&out, "%c\n", 'a' + i), 0);
	}
	assert_int_equal(buf_adds(&in, rest), 0);
	assert_int_equal(buf_adds(&out, "[\n[t\n\na\n  b\n"), 0);
	check(*state, in.p, out.p);
	buf_release(&in);
	buf_release(&out);
}

/* What a log of many lines has behind a tag, and whether that makes it one. */
static void test_many(void **state)
{
	static const struct {
		const char *a, *b;
		bool tag;
	} cases[] = {
		{ "2025-03-04 10:00:00 a", "b", true },
		{ "1", "2", false },
		{ "a", "b", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf in = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);
		const char *tag = cases[i].tag ? "" : "[t] ";

		for (int k = 0; k < 20; k++) {
			const char *line = k % 2 ? cases[i].a : cases[i].b;

			assert_int_equal(buf_addf(&in, "[t] %s\n", line), 0);
			assert_int_equal(
			    buf_addf(&out, "%s%s\n", tag, line), 0);
		}
		check(*state, in.p, out.p);
		buf_release(&in);
		buf_release(&out);
	}
}

/* Nobody waits for more than so many lines. */
static void test_tags_bound(void **state)
{
	struct seen s;

	begin(&s, *state);
	for (int i = 0; i < MARGIN_TAGGED; i++) {
		assert_int_equal(s.text.len, 0);
		assert_int_equal(decode_feed(*state, "[t] 1\n", 6, NULL), 0);
		assert_int_equal(decode_flush(*state, NULL), 0);
	}
	assert_int_equal(s.text.len, MARGIN_TAGGED * 6);
	assert_int_equal(decode_end(*state, NULL), 0);
	end(&s);
}

/* Nobody waits for the end of what will not end. */
static void test_bound(void **state)
{
	size_t n = 1000000;
	char *in = malloc(n);
	struct seen s;

	assert_non_null(in);
	memset(in, 'x', n);
	memset(in, ' ', 2);
	begin(&s, *state);
	assert_int_equal(decode_feed(*state, in, n, NULL), 0);
	assert_true(s.text.len > n / 2);
	assert_int_equal(s.text.p[0], 'x');
	assert_int_equal(decode_end(*state, NULL), 0);
	end(&s);
	free(in);
}

/* Each line that is told begins where it stands in the file. */
static int check_line(void *ctx, const struct decode_block *b)
{
	const char *raw = ctx;

	for (size_t i = 0; i < b->text.n; i++)
		assert_int_equal(raw[decode_offset(b, i)], b->text.p[i]);
	return 0;
}

static void test_places(void **state)
{
	static const char text[] =
	    "  one\n\n  two\nthree\n   four\n five\n  six";
	char in[8 + 9 * 64 + sizeof text];
	struct decode_sink sink = { in, check_line, NULL };
	size_t n = 0;

	while (n < 9 * 64) {
		memcpy(in + n, "  before\n", 9);
		n += 9;
	}
	memcpy(in + n, text, sizeof text);
	n += sizeof text - 1;
	decode_begin(*state, &sink);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(decode_feed(*state, in + i, 1, NULL), 0);
	assert_int_equal(decode_end(*state, NULL), 0);
	assert_true(decode_stats(*state)->clean_bytes < n - 130);
}

#define WITH_TAGS(test) \
	cmocka_unit_test_setup_teardown(test, set_tags, free_tags)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DECODER(test_margins),
		WITH_DECODER(test_ends),
		WITH_DECODER(test_bound),
		WITH_DECODER(test_places),
		WITH_TAGS(test_tags),
		WITH_TAGS(test_behind_tag),
		WITH_TAGS(test_many),
		WITH_TAGS(test_tags_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
