#include "tests/diagnose/lab.h"

#include "base/buf.h"
#include "diagnose/evidence/excerpt.h"
#include "diagnose/evidence/inputs.h"
#include "reports/explain/explain.h"
#include "reports/explain/explain_diff.h"
#include "reports/explain/explain_diff_line.h"

#include <stdio.h>

static const char log_text[] =
    "2024-05-01 10:00:00 INFO reading data/a.tar\n"
    "2024-05-01 10:00:01 INFO saved checkpoint to out/model.npz\n"
    "2024-05-01 10:00:02 INFO reading data/b-00003-of-00010, 12 rows\r"
    "step 4\rstep 5\n"
    "\n"
    "no file in this one\n"
    "before one\n"
    "before two\n"
    "ValueError: could not convert string to float: 'x' in data/c.csv:12\n"
    "after one\n"
    "\n"
    "after two\n"
    "after three\n"
    "reading data/d.tar\n";

static int open_lab(void **state)
{
	struct lab *l = calloc(1, sizeof *l);

	assert_non_null(l);
	lab_open(l, true);
	engine_excerpts(l->engine);
	*state = l;
	return 0;
}

static int close_lab(void **state)
{
	lab_close(*state);
	free(*state);
	return 0;
}

/* ---- what is kept ---- */

/* However the bytes come, the same is kept. */
static void test_excerpt(void **state)
{
	struct findings *f;
	const struct excerpt *x;

	for (size_t step = 1; step < sizeof log_text; step += 13) {
		f = lab_scan(
		    *state, log_text, sizeof log_text - 1, step, "x.log", -1);
		assert_true(f->n_evidence > 0);
		x = f->evidence[0].around;
		assert_non_null(x);
		assert_int_equal(x->n_before, 2);
		assert_string_equal(x->before[0].text, "before two");
		assert_string_equal(x->before[1].text, "before one");
		assert_int_equal(x->before[1].number, 6);
		assert_int_equal(x->n_after, 2);
		assert_string_equal(x->after[0].text, "after one");
		assert_string_equal(x->after[1].text, "after two");
		assert_int_equal(x->after[1].number, 11);
		assert_false(x->open);
		assert_int_equal(x->inputs.n, 3);
		assert_string_equal(x->inputs.v[0], "data/c.csv");
		assert_string_equal(x->inputs.v[1], "data/b-00003-of-00010");
		assert_string_equal(x->inputs.v[2], "data/a.tar");
		assert_int_equal(f->tail->before[0].number, 13);
		assert_string_equal(
		    f->tail->before[0].text, "reading data/d.tar");
		assert_string_equal(f->tail->inputs.v[0], "data/d.tar");
		findings_free(f);
	}
}

/* What comes after stands in a later block of the decoder. */
static void test_excerpt_flushed(void **state)
{
	struct lab *l = *state;
	const char *half = strstr(log_text, "after one");
	size_t n = (size_t)(half - log_text);
	struct findings *f;
	struct err e;

	assert_int_equal(scan_begin(l->scan, "x.log", -1, NULL, &e), 0);
	assert_int_equal(scan_feed(l->scan, log_text, n, &e), 0);
	assert_int_equal(scan_flush(l->scan, &e), 0);
	assert_true(scan_findings(l->scan)->evidence[0].around->open);
	assert_int_equal(scan_feed(l->scan, half, 10, &e), 0);
	assert_int_equal(scan_flush(l->scan, &e), 0);
	assert_int_equal(
	    scan_findings(l->scan)->evidence[0].around->n_after, 1);
	assert_int_equal(
	    scan_feed(l->scan, half + 10, sizeof log_text - 1 - n - 10, &e), 0);
	f = scan_end(l->scan, true, &e);
	assert_non_null(f);
	assert_int_equal(f->evidence[0].around->n_after, 2);
	assert_string_equal(f->evidence[0].around->after[1].text, "after two");
	findings_free(f);
}

/* Without engine_excerpts nothing is kept, and the answer is the same. */
static void test_not_kept(void **state)
{
	struct lab plain;
	struct diagnosis a, b;

	lab_open(&plain, true);
	lab_text(&plain, log_text, &a);
	lab_text(*state, log_text, &b);
	assert_null(a.logs[0]->tail);
	assert_null(excerpt_of(&a.evidence.v[0]));
	assert_null(inputs_of(&a));
	assert_int_equal(inputs_of(&b)->n, 3);
	assert_string_equal(a.fingerprint, b.fingerprint);
	assert_string_equal(a.reason, b.reason);
	diagnosis_release(&a);
	diagnosis_release(&b);
	lab_close(&plain);
}

/* A flood keeps what the limits say. */
static void test_flood(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct findings *f;
	size_t kept = 0;

	for (int i = 0; i < 5000; i++)
		assert_int_equal(
		    buf_addf(&b, "line %d\nKeyError: 'k%d'\n", i, i), 0);
	f = lab_scan(*state, b.p, b.len, 4096, "x.log", -1);
	for (size_t i = 0; i < f->n_evidence; i++)
		kept += f->evidence[i].around != NULL;
	assert_true(kept > 0 && kept <= 256);
	findings_free(f);
	buf_release(&b);
}

static void test_inputs(void **state)
{
	const struct lab *l = *state;
	static const struct {
		const char *line, *input; /* NULL: none */
	} cases[] = {
		{ "loading /data/train/shard-000123.tar",
		    "/data/train/shard-000123.tar" },
		{ "open(path='s3://bucket/key/part.parquet')",
		    "s3://bucket/key/part.parquet" },
		{ "ERROR:data:img.png: truncated", "img.png" },
		{ "reading b.csv.", "b.csv" },
		{ "x.tfrecord-00001-of-00100", "x.tfrecord-00001-of-00100" },
		{ "wrote results.csv", NULL },
		{ "resuming from checkpoint last.npz", NULL },
		{ "running train.py", NULL },
		{ "loss 0.5 acc 1.json2", NULL },
		{ "cat .json", NULL },
		{ "  File \"/a/data.json\", line 2, in f", NULL },
		{ "glob data/*.csv", NULL },
		{ "", NULL },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct inputs in = { .n = 0 };
		struct span s = span_of(cases[i].line);

		assert_int_equal(inputs_search(l->tax, &in, s, 0, s.n), 0);
		assert_int_equal(in.n, cases[i].input ? 1 : 0);
		if (in.n)
			assert_string_equal(in.v[0], cases[i].input);
		inputs_release(&in);
	}
}

/* ---- the screen ---- */

static char *screen(const struct explain *x)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct err e;

	assert_non_null(f);
	assert_int_equal(explain_write(x, f, &e), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* Whatever the log has, no row is wider than asked for, and nothing in it is a
 * control character. */
static void test_widths(void **state)
{
	struct lab *l = *state;
	struct buf b = BUF_INIT(BUF_MAX);
	struct diagnosis d;
	struct explain x = { .d = &d, .tax = l->tax, .why = true };

	for (int i = 0; i < 40; i++)
		assert_int_equal(
		    buf_addf(&b, "\xe6\x97\xa5\xe6\x9c\xac%d", i), 0);
	assert_int_equal(buf_adds(&b,
			     "\n\x1b[31mred\x07 \xff\xfe\nTraceback (most "
			     "recent call last):\n  File \"/home/ada/"
			     "a_very_long_name_of_a_file_that_nobody_would_"
			     "ever_choose_for_himself_0123456789.py\", line 3, "
			     "in f\n    raise KeyError(x)\nKeyError: '"),
	    0);
	for (int i = 0; i < 300; i++)
		assert_int_equal(buf_adds(&b, i % 7 ? "\xc3\xa9" : "w "), 0);
	assert_int_equal(buf_adds(&b, "'\n"), 0);
	lab_text(l, b.p, &d);
	assert_int_equal(d.failed, 1);
	for (unsigned width = 60; width <= 120; width++) {
		char *text;
		struct span rest, row;

		x.style.width = width;
		text = screen(&x);
		rest = span_of(text);
		assert_true(rest.n > 200);
		while (span_line(&rest, &row)) {
			assert_true(text_width(row) <= width);
			for (size_t i = 0; i < row.n; i++)
				assert_true((unsigned char)row.p[i] >= ' ');
		}
		free(text);
	}
	diagnosis_release(&d);
	buf_release(&b);
}

/* Marks of the page can come from nowhere but the page. */
static void test_looks(void **state)
{
	struct lab *l = *state;
	struct diagnosis d;
	struct explain x = { .d = &d,
		.tax = l->tax,
		.style = { .colour = true, .links = true } };
	char *text;

	lab_text(l,
	    "KeyError: 'a\x02"
	    "b\x0e"
	    "http://e\x0f"
	    "c\x10\x1b]8;;x'\n",
	    &d);
	text = screen(&x);
	assert_non_null(strstr(text, "\033[1;31mstop\033[0m"));
	assert_non_null(strstr(text, "\033[1;31mKeyError"));
	assert_null(strstr(text, "\033]8;;http://e"));
	assert_null(strstr(text, "\033]8;;x"));
	free(text);
	diagnosis_release(&d);
}

static void test_ends(void **state)
{
	struct lab *l = *state;
	struct diagnosis d;
	struct explain x = { .d = &d, .tax = l->tax };
	char *text;

	lab_text(l, "step 1\nstep 2\nTraining finished\n", &d);
	text = screen(&x);
	assert_int_equal(strncmp(text, "Ended well: job job, ", 21), 0);
	assert_non_null(strstr(text, "step 2"));
	free(text);
	diagnosis_release(&d);
	lab_text(l, "", &d);
	text = screen(&x);
	assert_int_equal(strncmp(text, "Cannot tell: ", 13), 0);
	free(text);
	diagnosis_release(&d);
	lab_text(l,
	    "one\ntwo\nsrun: error: n1: task 0: Exited with exit code 3\n", &d);
	text = screen(&x);
	assert_int_equal(strncmp(text, "Unknown failure: ", 17), 0);
	assert_non_null(strstr(text, "1 one"));
	assert_non_null(strstr(text, "exit code 3"));
	assert_non_null(strstr(text, "jobtriage explain -f markdown x.log"));
	free(text);
	diagnosis_release(&d);
}

static void test_memory(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "torch.OutOfMemoryError: CUDA out of memory. Tried to "
		  "allocate 2.00 GiB. GPU 0 has a total capacity of 31.74 GiB "
		  "of which 1.00 GiB is free. Including non-PyTorch memory, "
		  "this process has 30.74 GiB memory in use. Of the allocated "
		  "memory 21.00 GiB is allocated by PyTorch, and 9.00 GiB is "
		  "reserved by PyTorch but unallocated.\n",
		    "expandable_segments" },
		{ "torch.OutOfMemoryError: CUDA out of memory. Tried to "
		  "allocate 2.00 GiB. GPU 0 has a total capacity of 31.74 GiB "
		  "of which 0.80 GiB is free. Including non-PyTorch memory, "
		  "this process has 30.94 GiB memory in use. Of the allocated "
		  "memory 30.00 GiB is allocated by PyTorch, and 0.50 GiB is "
		  "reserved by PyTorch but unallocated.\n",
		    "95 % of the memory is really in use" },
		{ "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
		  "allocate 512.00 MiB. GPU 0 has a total capacity of 31.74 "
		  "GiB of which 105.38 MiB is free. Process 7711 has 24.90 GiB "
		  "memory in use. Including non-PyTorch memory, this process "
		  "has 6.72 GiB memory in use. Of the allocated memory 6.01 "
		  "GiB is allocated by PyTorch, and 220.10 MiB is reserved by "
		  "PyTorch but unallocated.\n",
		    "another process (pid 7711)" },
	};
	struct lab *l = *state;

	for (size_t i = 0; i < 3; i++) {
		struct diagnosis d;
		struct explain x = { .d = &d, .tax = l->tax };
		char *text, *facts;

		lab_text(l, cases[i].text, &d);
		text = screen(&x);
		facts = strstr(text, "\nFacts");
		assert_non_null(facts);
		*strstr(facts, "\nWhat to do") = '\0';
		assert_non_null(strstr(facts, cases[i].says));
		for (size_t k = 0; k < 3; k++)
			if (k != i)
				assert_null(strstr(facts, cases[k].says));
		free(text);
		diagnosis_release(&d);
	}
}

/* ---- the diff ---- */

static void test_shape(void **state)
{
	static const struct {
		const char *a, *b;
		bool same;
	} cases[] = {
		{ "step 10 loss 0.5", "step 2000 loss 1.5e-3", true },
		{ "at 10:00:01 on gpu7", "at 23:59:59 on gpu12", true },
		{ "open /tmp/tmpab12xyz/x", "open /tmp/tmpqwertyuiop/x", true },
		{ "at 0x7ffe12", "at 0xdeadbeef01", true },
		{ "train 50%|\xe2\x96\x88\xe2\x96\x88  |",
		    "train 7%|\xe2\x96\x88 |", true },
		{ "a  b", "a b", true },
		{ "reading a.csv", "reading b.csv", false },
		{ "loss nan", "loss 0.5", false },
	};
	struct buf a = BUF_INIT(BUF_MAX), b = BUF_INIT(BUF_MAX);
	bool words;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		buf_clear(&a);
		buf_clear(&b);
		assert_int_equal(
		    explain_diff_shape(&a, span_of(cases[i].a), &words), 0);
		assert_true(words);
		assert_int_equal(
		    explain_diff_shape(&b, span_of(cases[i].b), &words), 0);
		assert_int_equal(strcmp(a.p, b.p) == 0, cases[i].same);
	}
	buf_clear(&a);
	assert_int_equal(
	    explain_diff_shape(&a, span_of("1 2.5 0x3f | 12:00"), &words), 0);
	assert_false(words);
	buf_release(&a);
	buf_release(&b);
}

/* Append "kind key=value;" for each pair. */
static void pairs_of(struct buf *out, const char *line)
{
	/* as the signals of the kind compare tell */
	bool versions = strstr(line, "ersion") || strstr(line, "==");
	struct explain_setting s;

	buf_clear(out);
	assert_int_equal(buf_adds(out, ""), 0);
	for (size_t at = 0;
	     explain_diff_pair(span_of(line), versions, &at, &s);)
		assert_int_equal(
		    buf_addf(out, "%c %.*s=%.*s;",
			s.kind == PAIR_VERSION ? 'v' : 's', (int)s.key.n,
			s.key.p, (int)s.value.n, s.value.p),
		    0);
}

static void test_pairs(void **state)
{
	static const struct {
		const char *line, *pairs;
	} cases[] = {
		{ "Namespace(lr=0.1, name='a b', --x=2)",
		    "s lr=0.1;s name=a;s x=2;" },
		{ "  learning_rate: 0.001", "s learning_rate=0.001;" },
		{ "a: b c", "" },
		{ "batch size: 32, lr = 0.1", "s batch size=32;s lr=0.1;" },
		{ "{'lr': 0.1, 'opt': 'adam'}", "s lr=0.1;s opt=adam;" },
		{ "num-layers ......... 24", "s num-layers=24;" },
		{ "one two three four five: 1", "" },
		{ "torch 2.0.1", "v torch=2.0.1;" },
		{ "torch: 2.0.1", "v torch=2.0.1;" },
		{ "listening on 10.0.0.1", "" },
		{ "torch==2.1.0+cu118", "v torch=2.1.0+cu118;" },
		{ "Driver Version: 535.54.03   CUDA Version: 12.2",
		    "v Driver Version=535.54.03;v CUDA Version=12.2;" },
		{ "took 1.5 s", "" },
		{ "==", "" },
		{ "a=", "" },
		{ "", "" },
	};
	struct buf out = BUF_INIT(BUF_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		pairs_of(&out, cases[i].line);
		assert_string_equal(out.p ? out.p : "", cases[i].pairs);
	}
	buf_release(&out);
}

static void test_counts(void **state)
{
	static const struct {
		const char *line, *value; /* NULL: none */
	} cases[] = {
		{ "Using 8 GPUs", "8" },
		{ "Loaded 50000 images.", "50000" },
		{ "took 3.5 s", NULL },
		{ "at 10:00", NULL },
		{ "50% done", NULL },
		{ "2 of 3", NULL },
		{ "node12 is up", NULL },
		{ "v2 is up", NULL },
		{ "no number", NULL },
		{ "", NULL },
	};
	struct span value;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool is = explain_diff_count(span_of(cases[i].line), &value);

		assert_int_equal(is, cases[i].value != NULL);
		if (is)
			assert_true(span_is(value, cases[i].value));
	}
}

/* Memory stays bounded, and it is told that lines were forgotten. */
static void test_diff_full(void **state)
{
	struct lab *l = *state;
	struct explain_diff *df = explain_diff_new(l->tax);
	struct diagnosis d;
	struct explain x = { .d = &d, .tax = l->tax };
	char line[64], *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct err e;

	assert_non_null(df);
	assert_non_null(f);
	lab_text(l, "KeyError: 'x'\n", &d);
	for (unsigned i = 0; i < (1u << 20) + 1000; i++) {
		unsigned v = i;

		for (int k = 0; k < 6; k++, v >>= 4)
			line[k] = (char)('a' + (v & 15));
		line[6] = '\0';
		assert_int_equal(explain_diff_good(df, span_of(line)), 0);
	}
	assert_int_equal(
	    explain_diff_bad(df, span_of("aaaaaa"), 1, NULL, false), 0);
	assert_int_equal(
	    explain_diff_bad(df, span_of("zzzzzz"), 2, NULL, false), 0);
	assert_int_equal(explain_diff_write(df, &x, f, &e), 0);
	fclose(f);
	assert_non_null(strstr(text, "zzzzzz"));
	assert_null(strstr(text, "aaaaaa"));
	assert_non_null(strstr(text, "more kinds of lines than are"));
	free(text);
	explain_diff_free(df);
	diagnosis_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_excerpt),
		cmocka_unit_test(test_excerpt_flushed),
		cmocka_unit_test(test_not_kept),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_inputs),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_diff_full),
	};

	return cmocka_run_group_tests(tests, open_lab, close_lab);
}
