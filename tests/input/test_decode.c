/*
 * What comes out of the decoder for each kind of input, that it is the same
 * however the bytes are split, and that every line knows its number and its
 * place.
 */
#include "tests/input/seen.h"

#include "base/cpu.h"
#include "base/err.h"

#include <sys/resource.h>

static void test_plain(void **state)
{
	check(*state, "", "");
	check(*state, "a", "a");
	check(*state, "a\nb\r\nc\rd", "a\nb\r\nc\rd");
	check(*state, "\n\n\r\r", "\n\n\r\r");
	check(*state, "\xfa\xfe\xfd bytes stay \x80",
	    "\xfa\xfe\xfd bytes stay \x80");
}

static void test_escapes(void **state)
{
	static const char *const cases[][2] = {
		{ "\x1b[31mred\x1b[0m\n", "red\n" },
		{ "a\x1b[1;38;5;12mb\x1b[Kc", "abc" },
		{ "\x1b]0;title\x07text", "text" },
		{ "\x1b]8;;http://h/\x1b\\link\x1b]8;;\x1b\\!", "link!" },
		{ "\x1b(B\x1b[mx\x1b=y\x1bMz", "xyz" },
		{ "\x1bPq#0\x1b\\x", "x" },
		{ "a\x1b", "a" },
		{ "a\x1b[12", "a" },
		{ "a\x1b[12\nb", "a\nb" },
		{ "a\x1b\nb", "a\nb" },
		{ "a\x1b]never ended\nb", "a\nb" },
		{ "a\x1b]never ended\rb", "a\rb" },
		{ "a\x1b]x\x1b[31mb", "ab" },
		{ "a\x1b\x1b[31mb", "ab" },
		{ "a\x1b[3\tb", "a\tb" },
		{ "a\bb\b\b\bc", "abc" },
		{ "tab\tbell\x07 stay", "tab\tbell\x07 stay" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(*state, cases[i][0], cases[i][1]);
}

static void test_nul_and_marks(void **state)
{
	struct decode *d = *state;
	struct seen s;

	check_span(d, (struct span){ "a\0b\0\0c, all in ASCII\n", 21 },
	    "abc, all in ASCII\n");
	check(d, "\xef\xbb\xbftext\n", "text\n");
	begin(&s, d);
	feed(&s, (struct span){ "\xef\xbb\xbf\x1b[1ma\0\0b\bc def", 17 }, WHOLE,
	    0);
	assert_int_equal(decode_stats(d)->nul_bytes, 2);
	assert_int_equal(decode_stats(d)->escapes, 2);
	assert_false(decode_stats(d)->utf16);
	end(&s);
}

/* An OSC string of more than 4 KiB is text again. */
static void test_escape_bound(void **state)
{
	size_t n = 10000;
	char *in = malloc(n + 3);
	struct seen s;

	assert_non_null(in);
	memset(in, 'x', n + 3);
	in[0] = '\x1b';
	in[1] = ']';
	begin(&s, *state);
	feed(&s, (struct span){ in, n }, BYTES, 0);
	assert_in_range(s.text.len, n - 4200, n - 4000);
	end(&s);
	free(in);
}

/* ASCII text and some beyond as UTF-16. */
static size_t to_utf16(const char *text, bool big, bool mark, char *out)
{
	static const uint16_t beyond[] = { 0x00e9, 0x4e16, 0xd83d, 0xde00,
		0xd800, 'x', 0xdc00 };
	size_t n = 0;
	uint16_t u = 0xfeff;

	for (size_t i = 0; i < strlen(text) + mark; i++) {
		if (!mark || i)
			u = (uint16_t)text[i - mark];
		if (u >= '1' && u <= '7')
			u = beyond[u - '1'];
		out[n++] = (char)(big ? u >> 8 : u & 0xff);
		out[n++] = (char)(big ? u & 0xff : u >> 8);
	}
	return n;
}

static void test_utf16(void **state)
{
	static const char text[] =
	    "first line here, plain and long enough\r\nand 1 2 34\nbad 567 end";
	static const char want[] =
	    "first line here, plain and long enough\r\nand \xc3\xa9 "
	    "\xe4\xb8\x96 \xf0\x9f\x98\x80\n"
	    "bad \xef\xbf\xbdx\xef\xbf\xbd end";
	char in[200];

	for (int i = 0; i < 4; i++) {
		struct span s = { in, to_utf16(text, i & 1, i & 2, in) };
		struct seen seen;

		check_span(*state, s, want);
		begin(&seen, *state);
		feed(&seen, s, RANDOM, 3);
		assert_true(decode_stats(*state)->utf16);
		/* the three line starts after '\r', '\n', '\n' */
		assert_non_null(strstr(
		    seen.account.p, i & 2 ? " 0:80 15:82 " : " 0:78 15:80 "));
		assert_non_null(
		    strstr(seen.account.p, i & 2 ? " 15:104 " : " 15:102 "));
		end(&seen);
	}
	/* an odd byte and half a pair at the end */
	check_span(*state,
	    (struct span){ "\xff\xfe"
			   "a\0\x3d\xd8",
		6 },
	    "a\xef\xbf\xbd");
	check_span(*state,
	    (struct span){ "\xff\xfe"
			   "a\0b",
		5 },
	    "a\xef\xbf\xbd");
	check_span(*state, (struct span){ "\xff\xfe", 2 }, "");
}

/* ---- everything at once ---- */

static void add_line(struct buf *in, unsigned i, uint32_t *seed)
{
	static const char *const keys[] = { "loss", "log", "l\033[0mog",
		"lo\\u0067", "l\bog", "lr\\\"" };
	unsigned n = next_random(seed) % 200;
	int rc = 0;

	switch (next_random(seed) % 24) {
	case 0:
		rc = buf_addf(
		    in, "L%07u \x1b[3%um%0*u\x1b[0m\r\n", i, n % 8, (int)n, n);
		break;
	case 1:
		rc = buf_addf(in, "L%07u %u%%|##  | \r", i, n);
		break;
	case 2:
		rc = buf_addf(
		    in, "L%07u \x1b]0;t%ux\x07%0*u\b\b\n", i, n, (int)n, n);
		break;
	case 3:
		rc = buf_addf(in,
		    "{\"message\": \"m%u\\nmore\", \"level\": "
		    "\"error\"}\n",
		    i);
		break;
	case 4:
		rc = buf_addf(in,
		    "{\"log\":\"part%u%s\",\"stream\":\"stdout\","
		    "\"time\":\"2024-03-04T05:06:07Z\"}\n",
		    i, n & 1 ? "" : "\\n");
		break;
	case 5:
		rc = buf_addf(in, "{\"unfinished%u\": \n", i);
		break;
	case 6:
		rc = buf_addf(in, "{'loss': %u}\n", i);
		break;
	case 7:
		rc = buf_addf(in, "L%07u zero", i) | buf_add(in, "\0\0x\n", 4);
		break;
	case 8:
		if (n < 4)
			for (rc = buf_addf(in, "L%07u ", i); n < 60000; n++)
				rc |= buf_adds(in, n % 97 ? "ab" : "\x1b[1m-");
		rc |= buf_adds(in, "\n");
		break;
	case 9:
		rc = buf_adds(in, "\n\r\r\n");
		break;
	case 10:
	case 11:
		/* measurements, and records that look like these */
		rc = buf_addf(in, "{\"step\": %u, \"%s\": \"%0*u\"}%s", i,
		    keys[n % 6], (int)n, n, n % 7 ? "\n" : "\r");
		break;
	default:
		rc = buf_addf(in, "L%07u %0*u\n", i, (int)n, n);
		break;
	}
	assert_int_equal(rc, 0);
}

static void make_everything(struct buf *in, uint32_t seed)
{
	*in = (struct buf)BUF_INIT(BUF_MAX);
	for (unsigned i = 0; in->len < 1500000; i++)
		add_line(in, i, &seed);
}

static void test_splits(void **state)
{
	for (uint32_t k = 0; k < 3; k++) {
		struct seen whole, other;
		struct buf in;

		make_everything(&in, 100 + k);
		begin(&whole, *state);
		feed(&whole, (struct span){ in.p, in.len }, WHOLE, 0);
		assert_true(whole.blocks > 4);
		assert_true(whole.block_max >= DECODE_BLOCK);
		assert_true(whole.block_max <= DECODE_BLOCK + 65536 + 2);
		assert_true(decode_stats(*state)->long_lines > 0);
		for (uint32_t j = 0; j < 6; j++) {
			begin(&other, *state);
			feed(&other, (struct span){ in.p, in.len },
			    j ? RANDOM : BYTES, j);
			assert_int_equal(other.account.len, whole.account.len);
			assert_memory_equal(other.account.p, whole.account.p,
			    whole.account.len);
			assert_memory_equal(
			    other.text.p, whole.text.p, whole.text.len);
			end(&other);
		}
		/* flushes move the seams, not the text */
		begin(&other, *state);
		feed(&other, (struct span){ in.p, in.len }, RANDOM_FLUSHED, k);
		assert_true(other.blocks > whole.blocks);
		assert_int_equal(other.text.len, whole.text.len);
		assert_memory_equal(other.text.p, whole.text.p, whole.text.len);
		end(&other);
		end(&whole);
		buf_release(&in);
	}
}

/* The same with and without what only some processors have. */
static void test_portable(void **state)
{
	struct decode *d = new_decoder();
	struct seen fast, portable;
	struct buf in;

	make_everything(&in, 5);
	begin(&fast, *state);
	feed(&fast, (struct span){ in.p, in.len }, WHOLE, 0);
	cpu_plain(true);
	begin(&portable, d);
	feed(&portable, (struct span){ in.p, in.len }, WHOLE, 0);
	cpu_plain(false);
	assert_int_equal(fast.account.len, portable.account.len);
	assert_memory_equal(
	    fast.account.p, portable.account.p, fast.account.len);
	assert_memory_equal(fast.text.p, portable.text.p, fast.text.len);
	end(&fast);
	end(&portable);
	buf_release(&in);
	decode_free(d);
}

/* A sink that looks up, for each line that says who it is, where the raw log
 * has it and on which line. */
struct placed {
	struct decode *d;
	struct span raw;
	size_t checked;
};

static int check_places(void *ctx, const struct decode_block *b)
{
	struct placed *s = ctx;
	uint64_t line = b->line;

	for (size_t i = 0; i < b->text.n; i++) {
		const char *p = b->text.p + i;
		uint64_t at, n = 1;

		if ((i == 0 || is_end(p[-1])) && *p == 'L' &&
		    b->text.n - i > 8) {
			at = decode_offset(b, i);
			assert_true(at + 8 <= s->raw.n);
			assert_memory_equal(s->raw.p + at, p, 8);
			/* counting from the start is slow: now and then */
			if (s->checked++ % 64 == 0) {
				for (uint64_t k = 0; k < at; k++)
					n += s->raw.p[k] == '\n';
				assert_true(n == line);
			}
		}
		line += *p == '\n';
	}
	return 0;
}

static void test_places(void **state)
{
	struct placed s = { *state, { NULL, 0 }, 0 };
	struct decode_sink sink = { &s, check_places, NULL };
	struct buf in;

	make_everything(&in, 9);
	s.raw = (struct span){ in.p, in.len };
	decode_begin(*state, &sink);
	assert_int_equal(decode_feed(*state, in.p, in.len, NULL), 0);
	assert_int_equal(decode_end(*state, NULL), 0);
	assert_true(s.checked > 2000);
	buf_release(&in);
}

/* Each byte of a cut line knows its place, the repeated ones too. */
static int check_bytes(void *ctx, const struct decode_block *b)
{
	struct placed *s = ctx;

	for (size_t i = 0; i < b->text.n; i++)
		if (b->text.p[i] != '\r') {
			assert_int_equal(
			    s->raw.p[decode_offset(b, i)], b->text.p[i]);
			s->checked++;
		}
	return 0;
}

static void test_cut_lines(void **state)
{
	struct placed s = { *state, { NULL, 0 }, 0 };
	struct decode_sink sink = { &s, check_bytes, NULL };
	struct buf in = BUF_INIT(BUF_MAX);
	uint32_t seed = 4;

	while (in.len < 1000000) {
		assert_int_equal(
		    buf_addc(&in, (char)('a' + next_random(&seed) % 26)), 0);
		if (next_random(&seed) % 50 == 0)
			assert_int_equal(buf_adds(&in, "\x1b[0m"), 0);
	}
	s.raw = (struct span){ in.p, in.len };
	decode_begin(*state, &sink);
	assert_int_equal(decode_feed(*state, in.p, in.len, NULL), 0);
	assert_int_equal(decode_end(*state, NULL), 0);
	assert_true(s.checked > 900000);
	assert_int_equal(decode_stats(*state)->long_lines, 1);
	buf_release(&in);
}

/* ---- bounds ---- */

struct counted {
	uint64_t bytes, ends;
	size_t longest, line;
};

static int count(void *ctx, const struct decode_block *b)
{
	struct counted *c = ctx;

	c->bytes += b->text.n;
	for (size_t i = 0; i < b->text.n; i++) {
		c->line = b->text.p[i] == '\r' ? 0 : c->line + 1;
		c->ends += b->text.p[i] == '\r';
		if (c->line > c->longest)
			c->longest = c->line;
	}
	return 0;
}

static long peak_kib(void)
{
	struct rusage ru;

	assert_int_equal(getrusage(RUSAGE_SELF, &ru), 0);
	return ru.ru_maxrss;
}

/* 100 MB without a line end, as text and as what could be a record. */
static void test_long_line(void **state)
{
	static const char *const starts[] = { "x", "{\"message\": \"",
		"{\"log\"", "2024-03-04T05:06:01.5Z stdout P " };
	size_t total = 100000000, chunk = 1u << 16;
	char *p = malloc(chunk);
	long before;

	assert_non_null(p);
	memset(p, 'y', chunk);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		struct counted c = { 0 };
		struct decode_sink sink = { &c, count, NULL };
		size_t left = total;

		before = peak_kib();
		decode_begin(*state, &sink);
		assert_int_equal(
		    decode_feed(*state, starts[i], strlen(starts[i]), NULL), 0);
		for (; left; left -= left < chunk ? left : chunk)
			assert_int_equal(decode_feed(*state, p,
					     left < chunk ? left : chunk, NULL),
			    0);
		assert_int_equal(decode_end(*state, NULL), 0);
		assert_true(peak_kib() - before < 8 << 10);
		assert_int_equal(decode_stats(*state)->long_lines, 1);
		assert_int_equal(c.longest, 65536);
		assert_true(c.bytes ==
		    total + strlen(starts[i]) + c.ends * (DECODE_OVERLAP + 1));
	}
	free(p);
}

/* ---- the rest of the contract ---- */

static void test_sink_stops(void **state)
{
	struct err e = { .text = "untouched" };
	struct buf in;
	struct seen s;

	make_everything(&in, 1);
	begin(&s, *state);
	s.stop_after = 2;
	assert_int_equal(decode_feed(*state, in.p, in.len, &e), -1);
	assert_int_equal(s.blocks, 2);
	assert_string_equal(e.text, "untouched");
	end(&s);
	/* and the decoder is good for the next log */
	check(*state, "next\n", "next\n");
	buf_release(&in);
}

static void test_flush(void **state)
{
	struct decode *d = *state;
	struct seen s;

	begin(&s, d);
	assert_int_equal(decode_flush(d, NULL), 0);
	assert_int_equal(s.blocks, 0);
	assert_int_equal(decode_feed(d, "one\ntw", 6, NULL), 0);
	assert_int_equal(decode_flush(d, NULL), 0);
	assert_int_equal(s.blocks, 1);
	assert_string_equal(s.text.p, "one\n");
	assert_int_equal(decode_flush(d, NULL), 0);
	assert_int_equal(s.blocks, 1);
	assert_int_equal(decode_feed(d, "o\r50%", 5, NULL), 0);
	assert_int_equal(decode_flush(d, NULL), 0);
	assert_string_equal(s.text.p, "one\ntwo\r");
	assert_int_equal(decode_end(d, NULL), 0);
	assert_string_equal(s.text.p, "one\ntwo\r50%");
	assert_int_equal(s.lasts, 1);
	end(&s);
}

/* A block is at least as long as it should be, and never ends between the two
 * bytes of one line end. */
static void test_seam(void **state)
{
	struct buf in = BUF_INIT(BUF_MAX);
	struct seen s;

	/* the first '\r' past the block's length is its last byte */
	assert_int_equal(buf_adds(&in, "x"), 0);
	while (in.len < 2 * DECODE_BLOCK)
		assert_int_equal(buf_adds(&in, "01234567890123\r\n"), 0);
	begin(&s, *state);
	feed(&s, (struct span){ in.p, in.len }, RANDOM, 2);
	assert_int_equal(in.p[DECODE_BLOCK - 1], '\r');
	assert_int_equal(s.block_max, DECODE_BLOCK + 1);
	assert_int_equal(s.text.len, in.len);
	end(&s);
	buf_release(&in);
}

static void test_limits(void **state)
{
	struct limits l;
	struct decode *d;
	struct counted c = { 0 };
	struct decode_sink sink = { &c, count, NULL };

	(void)state;
	limits_init(&l);
	assert_int_equal(limits_set(&l, "line=8K", NULL), 0);
	d = decode_new(&l, keys(), NULL);
	assert_non_null(d);
	decode_begin(d, &sink);
	for (int i = 0; i < 20000; i++)
		assert_int_equal(decode_feed(d, "yyyyyyyyyy", 10, NULL), 0);
	assert_int_equal(decode_end(d, NULL), 0);
	assert_int_equal(c.longest, 8192);
	decode_free(d);
	decode_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DECODER(test_plain),
		WITH_DECODER(test_escapes),
		WITH_DECODER(test_nul_and_marks),
		WITH_DECODER(test_escape_bound),
		WITH_DECODER(test_utf16),
		WITH_DECODER(test_splits),
		WITH_DECODER(test_portable),
		WITH_DECODER(test_places),
		WITH_DECODER(test_cut_lines),
		WITH_DECODER(test_long_line),
		WITH_DECODER(test_sink_stops),
		WITH_DECODER(test_seam),
		WITH_DECODER(test_flush),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
