/*
 * Logs that were numbered, cut at a width, written for a browser or given other
 * quotes as a whole come out as they were, with their lines' numbers and
 * places; and what only looks so stays.
 */
#include "tests/input/seen.h"

#include "input/shape.h"

#include <stdio.h>

/* As check(), but for flushes: what they let go tells nothing later. */
static void check_all(struct decode *d, struct span in, struct span want)
{
	static const enum split ways[] = { WHOLE, BYTES, RANDOM };

	for (size_t i = 0; i < 3; i++) {
		struct seen s;

		begin(&s, d);
		feed(&s, in, ways[i], 7);
		if (s.text.len != want.n ||
		    (want.n && memcmp(s.text.p, want.p, want.n) != 0))
			fail_msg("way %d of '%.*s': '%s'", (int)i, (int)in.n,
			    in.p, s.text.p ? s.text.p : "");
		end(&s);
	}
}

static void check_text(struct decode *d, const char *in, const char *want)
{
	check_all(d, span_of(in), span_of(want));
}

static void check_same(struct decode *d, const char *in)
{
	check_text(d, in, in);
}

/* ---- numbers ---- */

static const char plain[] = "start\n"
			    "Traceback (most recent call last):\n"
			    "  File \"a.py\", line 3, in <module>\n"
			    "    f()\n"
			    "KeyError: 'a'\n"
			    "\n"
			    "12 of 13\n"
			    "end\n"
			    "last\n";

/* plain, each line behind its number in that form; step: from line to line. */
static void check_numbers(struct decode *d, const char *form, int step)
{
	struct buf in = BUF_INIT(BUF_MAX);
	struct span rest = span_of(plain);

	for (int i = 1; rest.n; i += step) {
		size_t n = span_find(rest, "\n") + 1;
		char number[32];

		/* the form is one of this test's own */
		snprintf(number, sizeof number, "%*d%s", form[0] == 'w' ? 7 : 1,
		    i, form + 1);
		assert_int_equal(buf_adds(&in, number), 0);
		assert_int_equal(buf_add(&in, rest.p, n), 0);
		rest = span_sub(rest, n, rest.n);
	}
	check_text(d, in.p, plain);
	buf_release(&in);
}

static void test_numbers(void **state)
{
	check_numbers(*state, "w\t", 1); /* cat -n */
	check_numbers(*state, "w ", 1);  /* less -N */
	check_numbers(*state, "-:", 1);  /* grep -n */
	check_numbers(*state, "-:", 3);
	check_numbers(*state, "-: ", 1);
	check_numbers(*state, "-|", 1);
	/* only grep leaves lines out, and writes others with '-' */
	check_text(*state, "3:a\n4-  b\n7:c\n8:d\n9:e\n--\n12:f\n13-g\n14:h\n",
	    "3:a\n4-  b\n"
	    "7:c\n8:d\n9:e\n--\n12:f\n13-g\n14:h\n");
	check_text(*state, "3:a\n4-  b\n7:c\n8:d\n9:e\n12:f\n13-g\n14:h\n",
	    "a\n  b\nc\nd\ne\nf\ng\nh\n");
	/* all of a log that is short */
	check_text(*state, "     1\ta\n     2\t  b\n     3\tc", "a\n  b\nc");
}

static void test_no_numbers(void **state)
{
	/* what stands behind them is always the same: a program's own */
	check_same(*state,
	    "1\tloss 3\n2\tloss 3\n3\tloss 2\n4\tloss 2\n5\tloss 1\n"
	    "6\tloss 1\n7\tloss 1\n8\tloss 1\n9\tloss 1\n");
	/* they do not rise by one */
	check_same(
	    *state, "1\ta\n3\tb\n5\t  c\n7\td\n9\te\n11\tf\n13\tg\n15\th\n");
	/* labels of a launcher */
	check_same(*state, "1: a\n2:   b\n3: C\n1: d\n");
	/* not the first line */
	check_same(*state, "x\n1\ta\n2\t  b\n3\tc\n4\td\n5\te\n6\tf\n7\tg\n");
}

/* ---- widths ---- */

#define W10 "abcdefghij"
#define W50 W10 W10 W10 W10 W10
/* a line of 70 columns that ends in a word, and one that goes on with it */
#define CUT(first) first W50 "cdefghi sto"

static void test_widths(void **state)
{
	/* the end of each part stands behind the line */
	check_text(*state,
	    "begin\n" CUT("aaaaaaaaa") "\npped\n" CUT(
		"bbbbbbbbb") "\npped so\n"
			     "x\n" CUT("ccccccccc") "\npped\nend\n",
	    "begin\n" CUT("aaaaaaaaa") "pped\n\n" CUT(
		"bbbbbbbbb") "pped so\n\n"
			     "x\n" CUT("ccccccccc") "pped\n\nend\n");
	/* more than two parts, and a log that ends in one */
	check_text(*state,
	    CUT("aaaaaaaaa") "\n" CUT("ccccccccc") "\npped\n" CUT(
		"bbbbbbbbb") "\npped so\nx\n" CUT("ddddddddd") "\npped\nx"
							       "\n" CUT("eeeeee"
									"eee"),
	    CUT("aaaaaaaaa") CUT("ccccccccc") "pped\n\n\n" CUT(
		"bbbbbbbbb") "pped so\n\nx\n" CUT("ddddddddd") "pped\n\nx"
							       "\n" CUT("eeeeee"
									"eee"));
	/* columns, not bytes; and CR LF */
	check_text(*state,
	    CUT("\xc3\xa4"
		"aaaaaaaa") "\r\npped\r\n" CUT("bbbbbbbbb") "\r\npped "
							    "so\r\n" CUT(
								"ccccc"
								"cccc") "\r\npp"
									"ed\r"
									"\n",
	    CUT("\xc3\xa4"
		"aaaaaaaa") "pped\n\n" CUT("bbbbbbbbb") "pped so\n\n" CUT("cccc"
									  "cccc"
									  "c") "pped\n\n");
}

static void test_usual_width(void **state)
{
	/* a narrow window, at which PowerShell cuts what it redirects */
	check_text(*state,
	    "a" W10 W10 W10 "cdefgh sto\npped\n"
	    "b" W10 W10 W10 "cdefgh sto\npped so\n"
	    "c" W10 W10 W10 "cdefgh sto\npped\nend\n",
	    "a" W10 W10 W10 "cdefgh stopped\n\n"
	    "b" W10 W10 W10 "cdefgh stopped so\n\n"
	    "c" W10 W10 W10 "cdefgh stopped\n\nend\n");
	/* one is enough in a short log of a window's usual width */
	check_text(*state, "a\n" CUT("aaaaaaaaa" W10) "\npped\nb\n",
	    "a\n" CUT("aaaaaaaaa" W10) "pped\n\nb\n");
	check_same(*state, "a\n" CUT("aaaaaaaaa") "\npped\nb\n");
	/* an exception below is none of it */
	check_same(*state, "a\n" CUT("aaaaaaaaa" W10) "\npped.E: so\nb\n");
}

static void test_no_widths(void **state)
{
	/* lines that are alike, of a table or of steps */
	check_same(*state,
	    CUT("aaaaaaaaa") "\n" CUT("aaaaaaaaa") "\n" CUT(
		"aaaaaaaaa") "\n" CUT("aaaaaaaaa") "\n" CUT("aaaaaaaaa") "\n");
	/* wider ones, once */
	check_same(*state,
	    CUT("aaaaaaaaa") "\npped\n" CUT("bbbbbbbbb") "\npped so\n" CUT(
		"ccccccccc") "\npped\n" CUT("dddddddddd") "\n");
	/* none ends in a shorter part: a text of equal lines */
	check_same(*state,
	    CUT("aaaaaaaaa") "\n" CUT("bbbbbbbbb") "\n" CUT(
		"ccccccccc") "\n" CUT("ddddddddd") "\n" CUT("eeeeeeeee") "\n");
	/* a bar that is drawn again */
	check_same(*state, "a\nb\rc" CUT("aaaaaaa") W10 "\npped\nb\n");
	/* nothing goes on: blanks, times, capitals */
	check_same(*state,
	    CUT("aaaaaaaaa") "\n  in\n" CUT("bbbbbbbbb") "\nEnd\n" CUT(
		"ccccccccc") "\n09:00:00 x\n" CUT("ddddddddd") "\n\nx\n");
}

/* ---- PowerShell ---- */

#define T10 "~~~~~~~~~~"
/* what it says of an error, at 25 columns */
#define SAYS                                                             \
	"At line:1 char:1\n+ train > log 2>&1\n+ " T10 T10 "~~~\n~~~~\n" \
	"    + CategoryInfo      \n     : NotSpe...\n"                   \
	"    + FullyQualifiedEr  \n   rorId : NativeCom\n  mandError\n \n"
#define SAYS_EMPTY "\n\n\n\n\n\n\n\n\n\n"

static void test_powershell(void **state)
{
	/* between words that had no room, in one that is wider than all, and
	 * where a blank ends a line; output before it is not cut */
	check_text(*state,
	    "a line of 25 columns abcd\nor of more columns than that \nout\n"
	    "python : Traceback (most \nrecent call last):\n" SAYS
	    "  File \"C:\\my_long_path\\f\nile.py\", line 12, in f\n    x = 1 "
	    "\n"
	    "    y = 2\nTypeError: f() got an \nunexpected argument\n"
	    "Did you mean this other \nkeyword?\n"
	    "a line of 25 columns abcd\nend\nx",
	    "a line of 25 columns abcd\nor of more columns than that \nout\n"
	    "Traceback (most recent call last):\n\n" SAYS_EMPTY
	    "  File \"C:\\my_long_path\\file.py\", line 12, in f\n\n    x = 1 "
	    "\n    y = 2\nTypeError: f() got an unexpected argument\n\n"
	    "Did you mean this other keyword?\n\n"
	    "a line of 25 columns abcd\nend\nx");
	/* without regard to words, as where a language has no blanks; the
	 * name in several parts, CR LF */
	check_text(*state,
	    "C:\\venv\\Scripts\\python.ex\r\ne : Traceback (most recen\r\n"
	    "t call last):\r\n" SAYS
	    "  File \"a.py\", line 123, \r\nin f\r\nTypeError: f() got an une"
	    "\r\nxpected argument\r\n",
	    "Traceback (most recent call last):\n\n\n" SAYS_EMPTY
	    "  File \"a.py\", line 123, in f\n\n"
	    "TypeError: f() got an unexpected argument\n\n");
}

/* A wide console, which only what stands behind tells. */
static void test_wide_powershell(void **state)
{
#define WIDE                                                   \
	"python : start\nAt line:1 char:1\n+ train\n+ ~~~~~\n" \
	"    + CategoryInfo          : NotSpecified\n"         \
	"    + FullyQualifiedErrorId : NativeCommandError\n \n"
	check_text(*state,
	    WIDE CUT("aaaaaaaaa") "\n" W50 " the \n" W10 W10 "\nend\n",
	    "start\n\n\n\n\n\n\n" CUT("aaaaaaaaa") "\n" W50 " the " W10 W10
						   "\n\nend\n");
	/* a blank at an end that had room */
	check_text(*state,
	    WIDE CUT("aaaaaaaaa") "\n" W50 " the \n" W10 W10 "\na \nb\nc\n",
	    "start\n\n\n\n\n\n\n" CUT("aaaaaaaaa") "\n" W50 " the \n" W10 W10
						   "\na \nb\nc\n");
}

static void test_no_powershell(void **state)
{
	/* an error of its own: only joined */
	check_text(*state,
	    "trian : The term 'trian' \nunknown.\nAt line:1 char:1\n+ trian\n"
	    "+ ~~~~~\n    + CategoryInfo          : \n   ObjectNotFound\n"
	    "    + FullyQualifiedErrorId\n   CommandNotFound\n \nx\n",
	    "trian : The term 'trian' unknown.\n\nAt line:1 char:1\n+ trian\n"
	    "+ ~~~~~\n    + CategoryInfo          :    ObjectNotFound\n\n"
	    "    + FullyQualifiedErrorId\n   CommandNotFound\n \nx\n");
	/* no rule, no call, no end of it */
	check_same(*state, "a\n    + CategoryInfo : x\nb\n");
	check_same(*state, "+ ~~~~\n    + CategoryInfo : x\nb\n");
	check_same(*state, "+ x\n+ ~~~~\ny\n    + CategoryInfo : x\nb\n");
}

/* ---- pages and quotes ---- */

static void test_pages(void **state)
{
	check_text(*state,
	    "File &quot;a.py&quot;, in &lt;module&gt;\nKeyError: &#39;a&#x27;"
	    " &amp;amp; &apos;b&apos;\n",
	    "File \"a.py\", in <module>\nKeyError: 'a' &amp; 'b'\n");
	check_text(*state,
	    "<!DOCTYPE html>\n<html><head><style>\na { b: c }\n</style>\n"
	    "<script>if (a < b) &quot;\n</script></head><body\n class=x><pre>\n"
	    "<span class=\"t\">File</span> &lt;module&gt; x < 3\n"
	    "a<br/>b<br><div>c</div>&nbsp;d &unknown; &#0;"
	    "&#27;[1m&#10;&#xd800;&#9;&#x2502;\n</pre></body>",
	    "\n\n\n\n\n\n\nFile <module> x < 3\na\rb\rc\r d &unknown; &#0;"
	    "&#27;[1m&#10;&#xd800;\t\xe2\x94\x82\n");
	/* numbers in it */
	check_text(*state,
	    "<pre>1\ta\n2\t  &lt;b&gt;\n3\tc\n4\td\n5\te\n6\tf\n7\tg\n8\th\n",
	    "a\n  <b>\nc\nd\ne\nf\ng\nh\n");
	/* one alone, or other text that was not escaped */
	check_same(*state, "a &amp;&amp b\n");
	check_same(*state, "a &lt; b <x> &gt;\n");
	check_same(*state, "{\"cells\": 1, \"a\": \"&lt;b&gt; &quot;\"}\n");
}

static void test_quotes(void **state)
{
	check_text(*state,
	    "KeyError: \xe2\x80\x99"
	    "a\xe2\x80\x99\n",
	    "KeyError: 'a'\n");
	check_text(*state,
	    "File \xe2\x80\x9c"
	    "a\xe2\x80\x9d \xe2\x80\x98x\n",
	    "File \"a\" 'x\n");
	check_text(*state,
	    "don\x92t \x93"
	    "a\x94 \xc3\x92\n",
	    "don't \"a\" \xc3\x92\n");
	/* GNU's own pairs; a log that has plain ones, too */
	check_same(*state, "cannot stat \xe2\x80\x98x\xe2\x80\x99: y\n");
	check_same(*state, "a 'b' don\xe2\x80\x99t\n");
}

/* ---- places ---- */

static void test_places(void **state)
{
	static const char in[] = "     1\ta\n     2\t  b\n     3\tc\n";
	struct seen s;

	begin(&s, *state);
	feed(&s, span_of(in), WHOLE, 7);
	/* each line is where its number was */
	assert_non_null(strstr(s.account.p, "1:0 3:9 1:20 0:29"));
	end(&s);
}

static void test_utf16(void **state)
{
	static const char text[] = CUT("aaaaaaaaa") "\npped\n" CUT(
	    "bbbbbbbbb") "\npped so\nx\n" CUT("ccccccccc") "\npped\n";
	struct buf in = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_add(&in, "\xff\xfe", 2), 0);
	for (size_t i = 0; i + 1 < sizeof text; i++)
		assert_int_equal(buf_addc(&in, text[i]) | buf_addc(&in, 0), 0);
	check_all(*state, (struct span){ in.p, in.len },
	    span_of(CUT("aaaaaaaaa") "pped\n\n" CUT(
		"bbbbbbbbb") "pped so\n\n"
			     "x\n" CUT("ccccccccc") "pped\n\n"));
	buf_release(&in);
}

/* What the first bytes do not tell, nothing does. */
static void test_first_bytes(void **state)
{
	struct buf in = BUF_INIT(BUF_MAX);

	while (in.len < SHAPE_LOOK)
		assert_int_equal(buf_adds(&in, "an ordinary line\n"), 0);
	assert_int_equal(
	    buf_adds(&in, "a &lt;b&gt; &quot;\n1\ta\n2\t  b\n3\tc\n"), 0);
	check_all(*state, (struct span){ in.p, in.len },
	    (struct span){ in.p, in.len });
	buf_release(&in);
}

/* A line that has no end is not held. */
static void test_long_line(void **state)
{
	struct buf in = BUF_INIT(BUF_MAX);
	struct seen s;

	assert_int_equal(buf_adds(&in, "&lt;a&gt;\n"), 0);
	while (in.len < 3u << 20)
		assert_int_equal(buf_adds(&in, "&amp;&amp;&amp;&amp; "), 0);
	begin(&s, *state);
	feed(&s, (struct span){ in.p, in.len }, RANDOM, 7);
	assert_memory_equal(s.text.p, "<a>\n&&&& &&&& ", 14);
	end(&s);
	buf_release(&in);
}

/* ---- tables ---- */

static void test_tables(void **state)
{
	/* the names leave an empty line; lines of one row are one line, and as
	 * many empty ones follow */
	check_text(*state,
	    "timestamp,message\n2026-03-09T03:12:44Z,start\n"
	    "2026-03-09T03:12:45Z,\"a \"\"b\"\", c\nd\"\n"
	    "2026-03-09T03:12:46Z,\n2026-03-09T03:12:47Z,end",
	    "\n2026-03-09T03:12:44Z start\n"
	    "2026-03-09T03:12:45Z a \"b\", c\r2026-03-09T03:12:45Z d\n\n"
	    "2026-03-09T03:12:46Z \n2026-03-09T03:12:47Z end");
	/* other columns, delimiters, capitals and times */
	check_text(*state,
	    "\"Time\";\"_id\";\"Message\"\r\n"
	    "\"Mar 9, 2026 @ 03:12:44.000\";\"x\";\"a\"\r\n"
	    "\"Mar 10, 2026 @ 03:12:44.000\";\"y\";\"b\"\r\n",
	    "\n2026-03-09T03:12:44Z a\n2026-03-10T03:12:44Z b\n");
	/* a record in a row, and a mark that nothing ends */
	check_text(*state,
	    "\"message\"\n\"{\"\"msg\"\":\"\"a\"\"}\"\n\"b\\n\"\n\"c\nd\n",
	    "\na\nb\\n\nc\rd\n\n");
}

static void test_no_tables(void **state)
{
	/* no time and no marks; no message; rows of another length */
	check_same(*state, "step,loss,event\n1,0.5,start\n2,0.4,end\n");
	check_same(*state,
	    "time,loss\n2026-03-09T03:12:44Z,1\n"
	    "2026-03-09T03:12:45Z,2\n");
	check_same(*state,
	    "time,message\n2026-03-09T03:12:44Z,a,b\n"
	    "2026-03-09T03:12:45Z,c\n");
	check_same(*state, "time, message\n");
	check_same(*state, "\"message\n");
}

/* Of a row that does not end no more is held than of a line. */
static void test_long_row(void **state)
{
	static const char head[] = "\"message\"\n\"a\"\n\"b\"\n\"";
	struct buf in = BUF_INIT(BUF_MAX);
	struct seen s;

	assert_int_equal(buf_adds(&in, head), 0);
	for (int i = 0; i < 1 << 20; i++)
		assert_int_equal(buf_adds(&in, "x\n\"\""), 0);
	begin(&s, *state);
	feed(&s, (struct span){ in.p, in.len }, RANDOM, 7);
	assert_true(s.line == (1 << 20) + 4);
	end(&s);
	buf_release(&in);
}

/* Columns of 60: what did not fit stands below, and the time only where it is
 * another one. */
#define RICH                                                               \
	"start\n"                                                          \
	"[03/04/25 09:10:11] INFO     step 12                   a.py:8\n"  \
	"                    WARNING  no file there, the       bb.py:12\n" \
	"                             default one is used              \n" \
	"[03/04/25 09:10:12] ERROR    /scratch/ada/runs/12/cfg  a.py:9\n"  \
	"                             .yaml is                         \n" \
	"                             empty                            \n"

static void test_columns(void **state)
{
	check_text(*state,
	    RICH "print\n"
		 "                             print\n",
	    "start\n"
	    "[03/04/25 09:10:11] INFO     step 12\n"
	    "[03/04/25 09:10:11] WARNING  no file there, the default one is "
	    "used\n\n"
	    "[03/04/25 09:10:12] ERROR    /scratch/ada/runs/12/cfg.yaml is\n\n"
	    "empty\n"
	    "print\n"
	    "                             print\n");
	/* a box, and what stands behind it */
	check_text(*state,
	    "[09:10:12] ERROR    it failed                         a.py:9\n"
	    "                    \xe2\x95\xad\xe2\x94\x80 Traceback "
	    "\xe2\x94\x80\xe2\x95\xae\n"
	    "                    \xe2\x94\x82 a.py:9 in f \xe2\x94\x82\n"
	    "                    KeyError: 'a'",
	    "[09:10:12] ERROR    it failed\n"
	    "\xe2\x95\xad\xe2\x94\x80 Traceback "
	    "\xe2\x94\x80\xe2\x95\xae\n"
	    "\xe2\x94\x82 a.py:9 in f \xe2\x94\x82\n"
	    "KeyError: 'a'");
	/* no places: filled up with blanks */
	check_text(*state,
	    "[09:10:12] INFO     a b c  \n"
	    "[09:10:12] INFO     a b    \n"
	    "                    cccc   \n",
	    "[09:10:12] INFO     a b c\n[09:10:12] INFO     a b cccc\n\n");
}

static void test_no_columns(void **state)
{
	/* of other widths; no place, and not filled up; another level */
	check_same(*state,
	    "[09:10:12] INFO     step 12  a.py:9\n"
	    "[09:10:12] INFO     step 13    a.py:9\n");
	check_same(*state,
	    "[09:10:12] INFO     step 12\n"
	    "[09:10:12] INFO     step 13\n"
	    "                    step 14\n");
	check_same(*state, "[09:10:12] INFO step 12           a.py:9\n");
	check_same(*state, "[main] INFO     step 12           a.py:9\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DECODER(test_columns),
		WITH_DECODER(test_no_columns),
		WITH_DECODER(test_tables),
		WITH_DECODER(test_no_tables),
		WITH_DECODER(test_long_row),
		WITH_DECODER(test_numbers),
		WITH_DECODER(test_no_numbers),
		WITH_DECODER(test_widths),
		WITH_DECODER(test_usual_width),
		WITH_DECODER(test_no_widths),
		WITH_DECODER(test_powershell),
		WITH_DECODER(test_wide_powershell),
		WITH_DECODER(test_no_powershell),
		WITH_DECODER(test_pages),
		WITH_DECODER(test_quotes),
		WITH_DECODER(test_places),
		WITH_DECODER(test_utf16),
		WITH_DECODER(test_first_bytes),
		WITH_DECODER(test_long_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
