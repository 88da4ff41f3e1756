/* What the records of collectors and loggers become. */
#include "tests/input/seen.h"

#include "input/unwrap.h"

#include <stdio.h>

static void test_docker(void **state)
{
	struct decode *d = *state;

	check(d,
	    "{\"log\":\"one\\n\",\"stream\":\"stdout\",\"time\":"
	    "\"2024-03-04T05:06:07.123456789Z\"}\n"
	    "{\"log\":\"\\u001b[31mtwo\\u001b[0m\\ra\\u0000b\\r\\n\","
	    "\"stream\":\"stderr\",\"time\":\"2024-03-04T05:06:08Z\"}\n",
	    "2024-03-04T05:06:07.123456Z stdout F one\n"
	    "2024-03-04T05:06:08Z stderr F two\r"
	    "2024-03-04T05:06:08Z stderr F ab\n");
	/* partial lines of two streams, interleaved, the last never ended */
	check(d,
	    "{\"log\":\"ab\",\"stream\":\"stdout\",\"time\":"
	    "\"2024-03-04T05:06:01Z\"}\n"
	    "{\"log\":\"xy\",\"stream\":\"stderr\",\"time\":"
	    "\"2024-03-04T05:06:02Z\"}\n"
	    "{\"log\":\"cd\\n\",\"stream\":\"stdout\",\"time\":"
	    "\"2024-03-04T05:06:03Z\"}\n"
	    "{\"log\":\"z\",\"stream\":\"stderr\",\"time\":"
	    "\"2024-03-04T05:06:04Z\"}",
	    "\n\n2024-03-04T05:06:03Z stdout F abcd\n"
	    "2024-03-04T05:06:04Z stderr F xyz");
	/* a JSON logger in a container */
	check(d,
	    "{\"log\":\"{\\\"level\\\":\\\"error\\\",\\\"msg\\\":\\\"boom\\\","
	    "\\\"logger\\\":\\\"train\\\"}\\n\",\"stream\":\"stderr\","
	    "\"time\":\"2024-03-04T05:06:07Z\"}\n",
	    "2024-03-04T05:06:07Z stderr F ERROR:train:boom\n");
}

/* More lines than those of which one tells that a log is a CRI log. */
#define NINE "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

#define AT "time=\"2024-03-04T05:06:07Z\" level=info "
#define OUT "2024-03-04T05:06:07Z INFO:root:"

static void test_logfmt(void **state)
{
	static const char *const cases[][2] = {
		{ AT "msg=\"  File \\\"a.py\\\"\"\n" AT "msg=b\n",
		    OUT "  File \"a.py\"\n" OUT "b\n" },
		/* Go's escapes, one that is an escape of a terminal, too */
		{ AT "msg=\"\\x1b[31mone\\x1b[0m\\ttwo\\v\" n=3",
		    OUT "one\ttwo\v" },
		{ "ts=2024-03-04T05:06:07Z msg=\"a b\"",
		    "2024-03-04T05:06:07Z a b" },
		{ "one\n" AT "msg=b\ntwo\n12\n", "one\n" OUT "b\ntwo\n12\n" },
		/* what warns is known by its own form */
		{ "time=\"1\" level=warning msg=\"a b\"",
		    "time=\"1\" level=warning msg=\"a b\"" },
		{ "time=\"1\" level=fatal msg=\"a b\"",
		    "time=\"1\" level=fatal msg=\"a b\"" },
		/* no logfmt, no message, no end of a value */
		{ "time=3 s", "time=3 s" },
		{ "time=3", "time=3" },
		{ "time", "time" },
		{ "step=3 msg=a", "step=3 msg=a" },
		{ "time=3 msg=\"a", "time=3 msg=\"a" },
		{ "time=3 msg=\"a\\", "time=3 msg=\"a\\" },
		{ "time=3 msg=\"a\"b", "time=3 msg=\"a\"b" },
		/* not so late */
		{ NINE AT "msg=a", NINE AT "msg=a" },
		{ NINE, NINE },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(*state, cases[i][0], cases[i][1]);
}

static void test_records_of_stacks(void **state)
{
	static const char *const cases[][2] = {
		/* structlog's, the cause last */
		{ "{\"event\": \"boom\", \"exception\": [{\"exc_type\": "
		  "\"RuntimeError\", \"exc_value\": \"\", \"is_cause\": false, "
		  "\"frames\": []}, {\"exc_type\": \"KeyError\", "
		  "\"exc_value\": \"'k'\", \"is_cause\": true, \"frames\": "
		  "[{\"filename\": \"a.py\", \"lineno\": 3, \"name\": "
		  "\"f\", \"line\": \" g() \"}]}]}",
		    "boom\rTraceback (most recent call last):\r"
		    "  File \"a.py\", line 3, in f\r    g()\rKeyError: 'k'\r"
		    "\rThe above exception was the direct cause of the "
		    "following exception:\r\r"
		    "Traceback (most recent call last):\rRuntimeError" },
		{ "{\"event\": \"boom\", \"exception\": [{\"exc_type\": "
		  "\"RuntimeError\"}]}",
		    "boom" },
		/* GELF */
		{ "{\"version\": \"1.1\", \"short_message\": \"boom\", "
		  "\"full_message\": \"Traceback\\nwhy\", \"level\": 3}",
		    "boom\rTraceback\rwhy" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(*state, cases[i][0], cases[i][1]);
}

static void test_records(void **state)
{
	static const char *const cases[][2] = {
		{ "{\"message\": \"boom\", \"level\": \"warning\"}",
		    "WARNING:root:boom" },
		{ "{\"msg\": \"boom\", \"rank\": 3, \"time\": 1709528767123}",
		    "2024-03-04T05:06:07.123000Z [rank3]: boom" },
		{ "{\"event\": \"boom\", \"timestamp\": "
		  "\"2024-03-04T05:06:07Z\", \"logger\": \"a b\", \"level\": "
		  "\"critical\"}",
		    "2024-03-04T05:06:07Z CRITICAL:a_b:boom" },
		{ "{\"level\":50,\"time\":1709528767123,\"hostname\":\"gn3\","
		  "\"name\":\"app\",\"msg\":\"boom\",\"err\":{\"message\":"
		  "\"why\",\"stack\":\"Error: why\\n    at f\"}}",
		    "2024-03-04T05:06:07.123000Z gn3 app[0]: ERROR:app:boom\r"
		    "2024-03-04T05:06:07.123000Z gn3 app[0]: ERROR:app:"
		    "Error: why\r"
		    "2024-03-04T05:06:07.123000Z gn3 app[0]: ERROR:app:"
		    "    at f" },
		{ "{\"severity\": \"ERROR\", \"message\": \"boom\", "
		  "\"exc_info\": \"Traceback (most recent call last):\\n  "
		  "File \\\"a.py\\\", line 1\\nKeyError: 'k'\"}",
		    "ERROR:root:boom\r"
		    "ERROR:root:Traceback (most recent call last):\r"
		    "ERROR:root:  File \"a.py\", line 1\r"
		    "ERROR:root:KeyError: 'k'" },
		{ "{\"level\":\"error\",\"msg\":\"step failed\",\"error\":"
		  "\"disk full\"}",
		    "ERROR:root:step failed\rERROR:root:disk full" },
		{ "{\"MESSAGE\":\"NVRM: boom\",\"_HOSTNAME\":\"gn3\","
		  "\"SYSLOG_IDENTIFIER\":\"kernel\",\"PRIORITY\":\"3\","
		  "\"__REALTIME_TIMESTAMP\":\"1709528767000000\"}",
		    "2024-03-04T05:06:07Z gn3 kernel: ERROR:kernel:NVRM: "
		    "boom" },
		{ "{\"text\": \"a | b\\n\", \"record\": {\"level\": {\"name\": "
		  "\"ERROR\"}}}",
		    "ERROR:root:a | b" },
		{ "{\"log\": \"plain\", \"kubernetes\": {\"host\": \"gn1\"}}",
		    "plain" },
		/* invalid UTF-8 is repaired */
		{ "{\"message\": \"a\xff\"}", "a\xef\xbf\xbd" },
	};
	static const char *const kept[] = {
		"{'message': 'a'}",
		"{\"loss\": 1.5, \"step\": 7}",
		"{\"message\": 7}",
		"{\"message\": \"a\"",
		"{\"message\": \"a\"} x",
		"{\"message\": \"a\",}",
		"{\"message\": NaN}",
		" {\"message\": \"a\"}",
		":::MLLOG {\"message\": \"a\"}",
		"{",
		"{\"",
		"{\"}",
		"{}",
	};

	char in[900], want[900];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		check(*state, cases[i][0], cases[i][1]);
		/* the same between other lines */
		snprintf(in, sizeof in, "a\n%s\r\nb", cases[i][0]);
		snprintf(want, sizeof want, "a\n%s\r\nb", cases[i][1]);
		check(*state, in, want);
		/* and where no CRI line is looked for any more */
		snprintf(in, sizeof in, NINE "%s\n%s\r\nb", cases[i][0],
		    cases[i][0]);
		snprintf(want, sizeof want, NINE "%s\n%s\r\nb", cases[i][1],
		    cases[i][1]);
		check(*state, in, want);
	}
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		check(*state, kept[i], kept[i]);
		snprintf(in, sizeof in, NINE "%s\nb", kept[i]);
		check(*state, in, in);
		assert_int_equal(decode_stats(*state)->json_lines, 0);
	}
}

static void test_cri(void **state)
{
	struct decode *d = *state;
	const char *in =
	    "2024-03-04T05:06:01.5Z stdout P ab\n"
	    "2024-03-04T05:06:02.5Z stderr F other\n"
	    "2024-03-04T05:06:03.5Z stdout P cd\n"
	    "2024-03-04T05:06:04.5Z stdout F ef\n"
	    "2024-03-04T05:06:05.123456789Z stdout F a line that stays it is\n"
	    "2024-03-04T05:06:06.5Z stdout F {\"msg\":\"boom\"}\n"
	    "2024-03-04T05:06:07.5Z stdout P never ended\n";
	const char *want =
	    "\n2024-03-04T05:06:02.5Z stderr F other\n\n"
	    "2024-03-04T05:06:04.500000Z stdout F abcdef\n"
	    "2024-03-04T05:06:05.123456789Z stdout F a line that stays it is\n"
	    "2024-03-04T05:06:06.500000Z stdout F boom\n"
	    "\n2024-03-04T05:06:07.500000Z stdout F never ended";
	struct seen s;

	check(d, in, want);
	begin(&s, d);
	feed(&s, span_of(in), RANDOM, 5);
	/* an untouched line knows its place */
	assert_non_null(strstr(s.account.p, " 63:143 "));
	end(&s);
	/* a CRI log is one from its first lines on, or not at all */
	check(d, "1\n2\n3\n4\n5\n6\n7\n8\n2024-03-04T05:06:01.5Z stdout P ab\n",
	    "1\n2\n3\n4\n5\n6\n7\n8\n2024-03-04T05:06:01.5Z stdout P ab\n");
}

/* Joined lines are given out in pieces when they get too long. */
static void test_partial_bound(void **state)
{
	struct buf in = BUF_INIT(BUF_MAX);
	struct seen s;
	size_t line = 0, longest = 0;

	for (int i = 0; i < 100; i++) {
		assert_int_equal(
		    buf_adds(&in, "2024-03-04T05:06:01.5Z stdout P "), 0);
		for (int k = 0; k < 1000; k++)
			assert_int_equal(buf_adds(&in, "0123456789"), 0);
		assert_int_equal(buf_addc(&in, '\n'), 0);
	}
	begin(&s, *state);
	feed(&s, (struct span){ in.p, in.len }, RANDOM, 1);
	for (size_t i = 0; i < s.text.len; i++) {
		line = is_end(s.text.p[i]) ? 0 : line + 1;
		longest = line > longest ? line : longest;
		/* behind the prefix, the text goes on without a gap */
		if (line > 60)
			assert_int_equal(s.text.p[i],
			    '0' + (s.text.p[i - 1] - '0' + 1) % 10);
	}
	assert_int_equal(longest, 65536);
	assert_in_range(s.text.len, 1000000, 1100000);
	assert_true(s.line == 101);
	end(&s);
	buf_release(&in);
}

static void check_error_file(
    struct decode *d, const char *in, const char *want, bool error_file)
{
	check(d, in, want);
	assert_int_equal(decode_stats(d)->error_file, error_file);
}

static void test_error_file(void **state)
{
	struct decode *d = *state;

	check_error_file(d,
	    "{\"message\": {\"message\": \"ValueError: no\", \"extraInfo\": "
	    "{\"py_callstack\": \"Traceback (most recent call last):\\n  "
	    "File \\\"a.py\\\", line 1\\nValueError: no\\n\", \"timestamp\": "
	    "\"1709528767\"}}}",
	    "2024-03-04T05:06:07Z stderr F Traceback (most recent call last):\r"
	    "2024-03-04T05:06:07Z stderr F   File \"a.py\", line 1\r"
	    "2024-03-04T05:06:07Z stderr F ValueError: no",
	    true);
	check_error_file(d,
	    "\n {\n \"message\": {\n  \"message\": \"ValueError: no\",\n  "
	    "\"errorCode\": 1\n }\n}\n",
	    "ValueError: no\n\n\n\n\n\n\n", true);
	check_error_file(
	    d, "{\n \"message\": \"killed\"\n}\n", "killed\n\n\n", true);
	check_error_file(d, "{\"message\": \"killed\"}\n", "killed\n", true);
	check_error_file(
	    d, "{\"message\": \"a\"}\n{\"message\": \"b\"}\n", "a\nb\n", false);
	check_error_file(d, "{\"message\": \"a\"}\nb\n", "a\nb\n", false);
	/* begins like one, but is none */
	check_error_file(d, "{\"message\": {\"a\": 1}}\nnext\n",
	    "{\"message\": {\"a\": 1}}\nnext\n", false);
	check_error_file(
	    d, "{\n \"message\": {\n", "{\n \"message\": {\n", false);
	check_error_file(d, "{\n \"lr\": 1\n}\n{\"message\": \"a\"}\n",
	    "{\n \"lr\": 1\n}\na\n", false);
	check_error_file(d, "{", "{", false);
}

/* One that never ends is let go at 1 MiB. */
static void test_error_file_bound(void **state)
{
	struct buf in = BUF_INIT(BUF_MAX);
	struct seen s;

	assert_int_equal(buf_adds(&in, "{\"message\": {\n"), 0);
	while (in.len < 3u << 20)
		assert_int_equal(buf_adds(&in, "some text of a line\n"), 0);
	begin(&s, *state);
	assert_int_equal(
	    decode_feed(*state, in.p, (1u << 20) + (600u << 10), NULL), 0);
	assert_true(s.blocks >= 4);
	end(&s);
	check_span(*state, (struct span){ in.p, in.len }, in.p);
	buf_release(&in);
}

/* Lines of all kinds, drawn by the seed; now and then a long one. */
static void many_lines(uint32_t seed, struct buf *in)
{
	static const char *const lines[] = { "plain {\"msg\": 1}\n", "\n", "\r",
		"{\"msg\":\"a record\"}\n", "{\"msg\":\"two\\nlines\"}\r\n",
		"{\"msg\":\"ended otherwise\"}\r", "{\"msg\":7}\n",
		"{\"loss\":2.5}\n",
		"{\"msg\":\"escaped \033[1mhere\033[0m\"}\n",
		"{\"msg\":7,\"x\":\"\033[0m\"}\n", "{\"msg\":\"\"}\n",
		"{\"log\":\"part\",\"stream\":\"stdout\",\"time\":"
		"\"2024-03-04T05:06:01Z\"}\n",
		"{\"log\":\"end\\n\",\"stream\":\"stdout\",\"time\":"
		"\"2024-03-04T05:06:01Z\"}\n" };

	while (in->len < 900000) {
		uint32_t n = next_random(&seed) % 4000;

		assert_int_equal(buf_adds(in,
				     lines[next_random(&seed) %
					 (sizeof lines / sizeof *lines)]),
		    0);
		if (n)
			continue;
		assert_int_equal(buf_adds(in, "{\"msg\":\""), 0);
		for (n = next_random(&seed) % 20000; n; n--)
			assert_int_equal(buf_adds(in, "long \\n"), 0);
		for (n = next_random(&seed) % 20000; n; n--)
			assert_int_equal(buf_adds(in, "longer "), 0);
		assert_int_equal(buf_adds(in, "\"}\n"), 0);
	}
}

/* A line that is all there is taken at once, any other piece by piece: to the
 * same text in the same blocks, from the same places. */
static void test_many_records(void **state)
{
	for (uint32_t seed = 1; seed < 6; seed++) {
		struct buf in = BUF_INIT(BUF_MAX);
		struct seen whole, other;

		many_lines(seed, &in);
		begin(&whole, *state);
		feed(&whole, (struct span){ in.p, in.len }, WHOLE, 1);
		begin(&other, *state);
		feed(&other, (struct span){ in.p, in.len },
		    seed % 2 ? BYTES : RANDOM, seed);
		assert_string_equal(whole.text.p, other.text.p);
		assert_string_equal(whole.account.p, other.account.p);
		assert_in_range(whole.blocks, 2, 20);
		assert_true(decode_stats(*state)->long_lines > 0);
		end(&whole);
		end(&other);
		buf_release(&in);
	}
}

/* What a log becomes. */
static struct buf read_as(struct decode *d, const struct buf *in)
{
	struct buf text;
	struct seen s;

	begin(&s, d);
	feed(&s, (struct span){ in->p, in->len }, WHOLE, 1);
	text = s.text;
	s.text = (struct buf)BUF_INIT(BUF_MAX);
	end(&s);
	return text;
}

/* A key as it is, and with an escape that makes the line one for the JSON
 * parser. */
#define KEY_PLAIN "{\"log\":\""
#define KEY_ESCAPED "{\"\\u006cog\":\""

/* A record with parts drawn by the seed, seldom whole; and its twin. */
static void twin_lines(uint32_t *seed, struct buf *line, struct buf *twin)
{
	static const char *const words[] = { "step 7 loss 2.5", "x", "\\n",
		"\\r\\n", "\\t", "\\\"", "\\\\", "\\/", "\\b\\f", "\\u001b[31m",
		"\\u003c\\u003E", "\\u0000", "\\u00e9", "\\u20aC", "\xc3\xa9",
		"\xf0\x9f\x98\x80",
		"a text that is longer than the bytes looked at at once",
		"{\\\"level\\\": \\\"error\\\", \\\"msg\\\": \\\"m\\\"}",
		/* what that parser joins, repairs or refuses */
		"\\ud83d\\ude00", "\\ud800", "\\udc00x", "\\u12", "\\uG000",
		"\\x", "\\'", "\"", "\\", "\xff", "\xc3", "\xed\xa0\x80",
		"\x01", "\t" };
	static const char *const ends[] = { "\\n\",\"stream\":\"stdout\",",
		"\",\"stream\":\"stderr\",", "\",\"stream\":\"stdlog\",",
		"\",\"stream\":\"\",", "\"," };
	static const char *const times[] = {
		"\"time\":\"2024-03-04T05:06:07.123456789Z\"}",
		"\"time\":\"2024-03-04T05:06:07.5+02:00\"}",
		"\"time\":\"1709528767\"}", "\"time\":\"soon\"}",
		"\"time\":\"2024-03-04T05:06:07\\u005a\"}", "\"time\":\"\"}",
		"\"time\":7}", "\"time\":\"2024-03-04T05:06:07Z\"",
		"\"time\":\"2024-03-04T05:06:07Z\",\"attrs\":{\"a\":\"b\"}}",
		"\"time\":\"2024-03-04T05:06:07Z\",\"time\":\"x\"}",
		"\"time\":\"2024-03-04T05:06:07Z\",\"level\":\"error\"}",
		"\"time\":\"2024-03-04T05:06:07Z\"} ",
		/* other loggers */
		"\"time\" : 1709528767.1234567, \"level\": 50, \"rank\": 3 }",
		"\"ts\":1.7095287675e9,\"level\":\"warn\",\"rank\":\"12\"}",
		"\"ts\":1709528767123,\"logger\":\"a.b\",\"host\":\"n1\"}",
		"\"level\":\"info\",\"level\":\"error\",\"error\":\"why\"}",
		"\"rank\":-0,\"x\":1.5E+3,\"ok\":true,\"no\":null,\"\":false}",
		"\"rank\":3.0,\"exc_info\":\"a\\nb\",\"pod\":\"p-1\"}",
		"\"rank\":7,\"exc_info\":[\"a\"],\"err\":{\"stack\":\"s\"}}",
		"\"err.stack\":\"s\",\"SYSLOG_IDENTIFIER\":\"kernel\"}",
		/* objects and lists, asked for or not */
		"\"kubernetes\":{\"host\":\"n1\",\"labels\":{\"a\":[{},[]]}}}",
		"\"err\":{\"message\":\"why\"},\"err.message\":\"x\"}",
		"\"err.message\":\"x\",\"err\":{\"message\":\"why\"}}",
		"\"err\":{\"message\":\"why\"},\"err\":{\"stack\":\"s\"}}",
		"\"err\":{\"message\":\"a\",\"message\":\"b\"},\"x\":{}}",
		"\"err\":{\"message\":\"why\"},\"err\":\"x\"}",
		"\"record\":{\"level\":{\"name\":\"ERROR\"}}}",
		"\"record\":{\"level\":{\"name\":\"ERROR\"},\"level.name\":"
		"\"DEBUG\"}}",
		"\"record.level\":{\"name\":\"ERROR\"},\"level\":{\"rank\":7}}",
		"\"record\":{\"record.level\":{\"name\":\"ERROR\"},\"rank\":3}"
		"}",
		"\"err\":{\"stack\":[\"s\"]},\"tags\":[\"a\",{\"rank\":3}]}",
		"\"x\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}",
		/* no JSON */
		"\"rank\":01}", "\"rank\":1.}", "\"rank\":-}", "\"rank\":.5}",
		"\"x\":1e999}", "\"x\":123456789012345678901}", "\"x\":1e}",
		"\"rank\":truely}", "\"rank\":5,}", "\"rank\" 5}", "\"rank}"
	};
	struct buf rest = BUF_INIT(BUF_MAX);
	size_t count = sizeof words / sizeof *words, n;

	/* odd ones seldom, lest every line is */
	for (n = next_random(seed) % 9; n; n--)
		assert_int_equal(buf_adds(&rest,
				     words[next_random(seed) %
					 (next_random(seed) % 8 ? 18 : count)]),
		    0);
	n = next_random(seed) % 4 ? 2 : sizeof ends / sizeof *ends;
	assert_int_equal(buf_adds(&rest, ends[next_random(seed) % n]), 0);
	n = next_random(seed) % 4 ? 2 : sizeof times / sizeof *times;
	assert_int_equal(buf_adds(&rest, times[next_random(seed) % n]), 0);
	n = next_random(seed) % 8 ? rest.len : next_random(seed) % rest.len;
	assert_int_equal(buf_adds(line, KEY_PLAIN) ||
		buf_add(line, rest.p, n) || buf_addc(line, '\n'),
	    0);
	assert_int_equal(buf_adds(twin, KEY_ESCAPED) ||
		buf_add(twin, rest.p, n) || buf_addc(twin, '\n'),
	    0);
	buf_release(&rest);
}

/* Lines and their twins are read in two ways, to the same end. How many are
 * records. */
static uint64_t check_twins(struct decode *d, struct buf in[2])
{
	struct buf out[2];
	uint64_t taken[2];
	const char *key;

	for (int i = 0; i < 2; i++) {
		out[i] = read_as(d, &in[i]);
		taken[i] = decode_stats(d)->json_lines;
	}
	assert_int_equal(taken[0], taken[1]);
	/* what is none stays as it is */
	while ((key = strstr(out[1].p, KEY_ESCAPED))) {
		size_t at = (size_t)(key - out[1].p);
		size_t less = strlen(KEY_ESCAPED) - strlen(KEY_PLAIN);

		memmove(out[1].p + at, out[1].p + at + less,
		    out[1].len - at - less + 1);
		memcpy(out[1].p + at, KEY_PLAIN, strlen(KEY_PLAIN));
		out[1].len -= less;
	}
	assert_int_equal(out[0].len, out[1].len);
	assert_memory_equal(out[0].p, out[1].p, out[0].len);
	for (int i = 0; i < 2; i++) {
		buf_release(&in[i]);
		buf_release(&out[i]);
	}
	return taken[0];
}

/* Before some of them. */
static void nine_lines(int round, struct buf in[2])
{
	for (int i = 0; i < 2 && round % 2; i++)
		assert_int_equal(buf_adds(&in[i], NINE), 0);
}

static void test_flat_parsed(void **state)
{
	uint32_t seed = 11;
	uint64_t records = 0;

	for (int round = 0; round < 4000; round++) {
		struct buf in[2] = { BUF_INIT(BUF_MAX), BUF_INIT(BUF_MAX) };

		nine_lines(round, in);
		for (uint32_t n = 1 + next_random(&seed) % 3; n; n--)
			twin_lines(&seed, &in[0], &in[1]);
		records += check_twins(*state, in);
	}
	assert_in_range(records, 4000, 7000);
}

/* Real shapes with bytes that are lost, doubled, or another. */
static void test_damaged_parsed(void **state)
{
	static const char *const ends[] = {
		"a\",\"kubernetes\":{\"pod_name\":\"p-0\",\"labels\":{\"app\":"
		"\"train\"},\"host\":\"n1\"},\"stream\":\"stderr\"}",
		"a\", \"record\": {\"elapsed\": {\"seconds\": 1.25}, "
		"\"exception\": null, \"extra\": {}, \"level\": {\"name\": "
		"\"ERROR\", \"no\": 40}, \"name\": \"m\", \"time\": "
		"{\"timestamp\": 1709528767.5}}}",
		"a\",\"@timestamp\":\"2024-03-04T05:06:07.5Z\",\"error\":"
		"{\"message\":\"w\",\"stack_trace\":\"s\\n "
		"t\"},\"n\":[1,-2e3]}",
		"a\",\"time\":\"2024-03-04T05:06:07.123456789Z\",\"host\":"
		"{\"name\":\"n1\",\"ip\":[\"::1\",true]},\"rank\":12}",
	};
	static const char bytes[] = "{}[]\",:\\. 07-eZ\x01\xc3";
	uint32_t seed = 5;
	uint64_t records = 0;

	for (int round = 0; round < 6000; round++) {
		struct buf in[2] = { BUF_INIT(BUF_MAX), BUF_INIT(BUF_MAX) };
		char end[300];
		size_t n;

		snprintf(end, sizeof end, "%s", ends[round % 4]);
		n = strlen(end);
		for (uint32_t k = next_random(&seed) % 3; k; k--) {
			size_t at = next_random(&seed) % n;
			uint32_t how = next_random(&seed) % 3;

			if (how == 0)
				end[at] = bytes[next_random(&seed) %
				    (sizeof bytes - 1)];
			else if (how == 1)
				memmove(end + at, end + at + 1, n-- - at);
			else
				memmove(end + at + 1, end + at, ++n - at);
		}
		nine_lines(round / 4, in);
		assert_int_equal(buf_adds(&in[0], KEY_PLAIN) ||
			buf_add(&in[0], end, n) ||
			buf_adds(&in[1], KEY_ESCAPED) ||
			buf_add(&in[1], end, n) || buf_addc(&in[0], '\n') ||
			buf_addc(&in[1], '\n'),
		    0);
		records += check_twins(*state, in);
	}
	assert_in_range(records, 3000, 5000);
}

/* What the keys mean is the taxonomy's to say: here none is a time. */
static void test_docker_keys(void **state)
{
	struct jsonkeys *other = jsonkeys_new();
	struct limits l;
	struct decode *d;

	(void)state;
	limits_init(&l);
	assert_non_null(other);
	assert_int_equal(jsonkeys_add(other, JSONKEYS_MESSAGE, "log"), 0);
	d = decode_new(&l, other, NULL);
	assert_non_null(d);
	check(d,
	    "{\"log\":\"one\\n\",\"stream\":\"stdout\",\"time\":"
	    "\"2024-03-04T05:06:07Z\"}\n",
	    "one\n");
	decode_free(d);
	jsonkeys_free(other);
}

/* The first bytes of a notebook in any order of its members, and those of a
 * record that begins as some do. */
static void test_notebooks_begin(void **state)
{
	static const struct {
		const char *text;
		enum unwrap_look look;
	} cases[] = {
		{ "{\"cells\": [{\"cell_type\"", UNWRAP_LINE },
		{ "{\"nbformat\":4,", UNWRAP_LINE },
		{ "{\n \"metadata\": {\n  \"kernelspec\": {", UNWRAP_LINE },
		{ "{\"metadata\":{\"language_info\":{", UNWRAP_LINE },
		{ "{\"metadata\": {}, \"nbformat\": 4", UNWRAP_LINE },
		{ "{\"metadata\":{\"k", UNWRAP_MORE },
		{ "{\"metadata\":{\"pod\":\"a-1\"},\"msg\":\"b\"}\n",
		    UNWRAP_NO },
		{ "{\"metadata\":{},\"msg\":\"b\"}\n", UNWRAP_NO },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (unwrap_look_export(span_of(cases[i].text)) != cases[i].look)
			fail_msg("%s", cases[i].text);
}

/* The cell that was run last stands last where it failed, and nothing else is
 * moved. */
static void test_notebook_cells(void **state)
{
#define CELL(count, text)                                    \
	"{\"cell_type\":\"code\",\"execution_count\":" count \
	",\"outputs\":[{\"output_type\":\"stream\",\"text\":[\"" text "\"]}]}"
#define FAILED(count, text)                                          \
	"{\"cell_type\":\"code\",\"execution_count\":" count         \
	",\"outputs\":[{\"output_type\":\"error\",\"ename\":\"" text \
	"\",\"evalue\":\"no\",\"traceback\":[]}]}"
#define NOTEBOOK(cells) "{\"cells\":[" cells "],\"nbformat\":4}\n"
	check(
	    *state, NOTEBOOK(FAILED("7", "A") "," CELL("3", "b")), "b\nA: no");
	check(
	    *state, NOTEBOOK(FAILED("7", "A") "," CELL("8", "b")), "A: no\nb");
	check(
	    *state, NOTEBOOK(CELL("7", "a") "," FAILED("3", "B")), "a\nB: no");
	/* one that has no number may have been run later */
	check(*state, NOTEBOOK(FAILED("7", "A") "," FAILED("null", "B")),
	    "A: no\nB: no");
	check(*state, NOTEBOOK(FAILED("7", "A") "," CELL("null", "b")),
	    "b\nA: no");
#undef CELL
#undef FAILED
#undef NOTEBOOK
}

/* Records behind what a collector or a launcher puts before each line. */
static void test_behind(void **state)
{
	static const char *const prefixes[] = {
		"2025-03-04T09:00:00.123456789Z ", "trainer-1  | ",
		"trainer-7d9f8b6c5d-x2x9z trainer ",
		"Mar 04 09:00:00 node042 train[4711]: ", "0: ", "[rank0]: ",
		"2025-03-04T09:00:00Z [rank0]: "
	};
	static const char *const cases[][2] = {
		{ "x\n%{\"message\": \"a\"}\n%b\n", "x\n%a\n%b\n" },
		{ "%{\"level\": \"error\", \"msg\": \"a\\nb\"}",
		    "%ERROR:root:a\r%ERROR:root:b" },
		/* what it is in is told by what stands before it */
		{ "%{\"msg\": \"a\", \"hostname\": \"h\", \"time\": "
		  "1709528761}",
		    "%2024-03-04T05:06:01Z a" },
		{ "%{\"msg\": "
		  "\"{\\\"level\\\":\\\"warn\\\",\\\"msg\\\":\\\"a\\\"}\"}",
		    "%WARNING:root:a" },
		{ "%{\"msg\": \"{\\\"host\\\":\\\"h\\\",\\\"stream\\\":"
		  "\\\"stderr\\\",\\\"msg\\\":\\\"a\\\",\\\"time\\\":"
		  "1709528761}\"}",
		    "%2024-03-04T05:06:01Z a" },
		/* none */
		{ "%x {\"message\": \"a\"}", "%x {\"message\": \"a\"}" },
		{ "%{\"step\": 1}\n", "%{\"step\": 1}\n" },
		{ "%{\"message\": \"a\"} x\n", "%{\"message\": \"a\"} x\n" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes;
		     k++) {
			struct buf b[2] = { BUF_INIT(BUF_MAX),
				BUF_INIT(BUF_MAX) };

			for (int n = 0; n < 2; n++)
				for (const char *p = cases[i][n]; *p; p++)
					assert_int_equal(*p == '%'
						? buf_adds(&b[n], prefixes[k])
						: buf_addc(&b[n], *p),
					    0);
			check(*state, b[0].p, b[1].p);
			buf_release(&b[0]);
			buf_release(&b[1]);
		}
}

/* Where all records are errors that is said of a stream they came over. */
static void test_all_errors(void **state)
{
	static const char error[] = "{\"level\": \"error\", \"msg\": \"a\"}\n";
	static const char info[] = "{\"level\": \"info\", \"msg\": \"a\"}\n";
	struct buf b = BUF_INIT(BUF_MAX), want = BUF_INIT(BUF_MAX);

	for (int i = 0; i < 11; i++) {
		assert_int_equal(buf_adds(&b, i == 9 ? info : error), 0);
		assert_int_equal(buf_adds(&want,
				     i == 8       ? "a\n"
					 : i == 9 ? "INFO:root:a\n"
						  : "ERROR:root:a\n"),
		    0);
	}
	check(*state, b.p, want.p);
	buf_release(&b);
	buf_release(&want);
}

/* What only looks so is not looked for for ever, nor where a log goes on. */
static void test_behind_bound(void **state)
{
	static const char none[] = "settings {\"message\": \"a\"}\n";
	static const char one[] = "0: {\"message\": \"a\"}\n";
	struct buf b = BUF_INIT(BUF_MAX);

	for (int i = 0; i < 4; i++)
		assert_int_equal(buf_adds(&b, none), 0);
	assert_int_equal(buf_adds(&b, one), 0);
	check(*state, b.p, b.p);
	buf_clear(&b);
	while (b.len < 17000)
		assert_int_equal(buf_adds(&b, "a line\n"), 0);
	assert_int_equal(buf_adds(&b, one), 0);
	check(*state, b.p, b.p);
	buf_release(&b);
}

/* A text or a list of lines that is all of a log, or most of it. */
static void test_text_values(void **state)
{
	static const char *const same[] = {
		"{\"id\":1,\"logs\":\"a\\nb\\nc\\nd\"}\n{\"id\":2}\n",
		"\"a\\nb\\nc\\nd\" is what it said\n",
		"{\"logs\":\"a\\nb\\nc\\nd", "{\"logs\":\"a\\nb\"}\n",
		"[\"a\", \"b\", \"c\", \"d\"]\nTraceback\n",
		"{\"args\":[\"a\",\"b\",\"c\",\"d\"],\"step\":1000000000000}\n"
	};

	check(*state, "{\"id\":1,\"logs\":\"a\\nb\\nc\\n\\u001b[1md\\n\"}",
	    "a\nb\nc\nd\n");
	check(*state, "\"a\\nb\\nc\\nd\"\n", "a\nb\nc\nd\n");
	check(*state, "[\"aaaa\",\"bbbb\",\"cc\\n\",\"dddddddd\"]\n",
	    "aaaa\nbbbb\ncc\ndddddddd\n");
	check(*state,
	    "{\n  \"data\": {\n    \"log\": \"a\\nb\\nc\\nd\"\n  }\n}\n",
	    "a\nb\nc\nd\n");
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		check(*state, same[i], same[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DECODER(test_text_values),
		WITH_DECODER(test_docker),
		WITH_DECODER(test_flat_parsed),
		WITH_DECODER(test_damaged_parsed),
		cmocka_unit_test(test_docker_keys),
		cmocka_unit_test(test_notebooks_begin),
		WITH_DECODER(test_notebook_cells),
		WITH_DECODER(test_logfmt),
		WITH_DECODER(test_records),
		WITH_DECODER(test_records_of_stacks),
		WITH_DECODER(test_many_records),
		WITH_DECODER(test_behind),
		WITH_DECODER(test_behind_bound),
		WITH_DECODER(test_all_errors),
		WITH_DECODER(test_cri),
		WITH_DECODER(test_partial_bound),
		WITH_DECODER(test_error_file),
		WITH_DECODER(test_error_file_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
