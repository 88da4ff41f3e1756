/* The templates of base/template.h: what they hide, and what they keep. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/template.h"

#include <stdlib.h>

static void check(const char *line, const char *wanted, bool words)
{
	struct buf b = BUF_INIT(BUF_MAX);
	bool got;

	assert_int_equal(template_mask(&b, span_of(line), &got), 0);
	if (!b.p)
		assert_string_equal("", wanted);
	else
		assert_string_equal(b.p, wanted);
	if (got != words)
		fail_msg("%s: words: %d", line, got);
	buf_release(&b);
}

static void test_placeholders(void **state)
{
	static const struct {
		const char *line, *wanted;
	} rows[] = {
		{ "epoch 3/90, loss 0.25, [12, 3, 224] on node017:29500",
		    "epoch <num>/<num>, loss <num>, [<num>] on "
		    "node<num>:<num>" },
		{ "loss -0.5 at 1e-5 of 1,234 seen, +3.2% (-1)",
		    "loss <num> at <num> of <num> seen, <num>% (<num>)" },
		{ "took 12ms, 2.00 GiB, a2b",
		    "took <num>ms, <num> GiB, "
		    "a<num>b" },
		{ "at 0x7f00dead in thread 8f14e45fceea167a",
		    "at <hex> in thread <hex>" },
		{ "request 123e4567-e89b-12d3-a456-426614174000 lost",
		    "request <uuid> lost" },
		{ "since 2031-05-01T12:00:00.123Z, 2031-05-01 12:00:00,5",
		    "since <time>, <time>" },
		{ "from Thu May  1 12:00:07 2031 or 01/05/2031 or 0:12:34",
		    "from <time> or <time> or <time>" },
		{ "cannot open /srv/data/a-1.bin: it is gone.",
		    "cannot open <path>: it is gone." },
		{ "in ./train.py, ~/x, data/a.bin and a/b/c/d.",
		    "in <path>, <path>, <path> and <path>." },
		{ "--out=/srv/a/b/c -I /usr/include",
		    "--out=<path> -I <path>" },
		{ "GET https://a.example/x?y=1, then", "GET <url>, then" },
		{ "no file 'a b.txt' for \"x\" and `y`",
		    "no file '<text>' for \"<text>\" and `<text>`" },
		{ "peer 10.0.0.7:80, fe80::1:2:3 or login.site.internal",
		    "peer <host>:<num>, <host> or <host>" },
		{ "made tmpk2x_9a1b and x7k2qf81", "made <id> and <id>" },
		{ "sizes [4x1024x1024] and 1 2 3; 4",
		    "sizes [<num>] and <num>" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		check(rows[i].line, rows[i].wanted, true);
}

/* What looks so, and is what the line says. */
static void test_kept(void **state)
{
	static const char *const lines[] = {
		"the users' and the dogs' don't",
		"read/write and/or I/O at it/s, n/a",
		"torch.nn.functional has no attribute",
		"a facade of a beef, deadbeef",
		"loss nan, then inf - again",
		"March and Maybe, Sun",
		"'this is a whole sentence of its own'",
		"std::vector::at, add::bad",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		check(lines[i], lines[i], true);
}

static void test_signs(void **state)
{
	(void)state;
	check("  [=====>....]  \t 7 ", "[===>...] <num>", false);
	check("\xe2\x96\x88\xe2\x96\x8c| 12/40 [00:03<00:07]",
	    "| <num>/<num> [<num>:<num><<num>:<num>]", false);
	check("", "", false);
	check("12 it/s", "<num> it/s", false);
	check("\xc3\xa4ra \xe2\x96\x88"
	      "abc",
	    "\xc3\xa4ra abc", true);
}

/* As many bytes as are looked at; none of it takes long. */
static void test_long(void **state)
{
	static const char *const parts[] = { "a-", "a/", "'", "1:", "ab:", "0x",
		"a.", "://", "\xe2\x96", "tmp", "Mon " };
	struct buf line = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);
	bool words;

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		buf_clear(&line);
		buf_clear(&out);
		while (line.len < 3 * TEMPLATE_LINE)
			assert_int_equal(buf_adds(&line, parts[i]), 0);
		assert_int_equal(template_mask(&out,
				     (struct span){ line.p, line.len }, &words),
		    0);
		assert_true(out.len <= 3 * TEMPLATE_LINE);
	}
	buf_release(&line);
	buf_release(&out);
}

/* It is appended, and numbers of what stands before do not belong to it. */
static void test_appended(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	bool words;

	(void)state;
	assert_int_equal(template_mask(&b, span_of("rank 1"), &words), 0);
	assert_int_equal(template_mask(&b, span_of(" 2"), &words), 0);
	assert_string_equal(b.p, "rank <num><num>");
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_placeholders),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_appended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
