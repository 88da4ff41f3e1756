/*
 * Live is as after the fact: a log that comes in pieces, looked at and peeked
 * at on the way, gives the findings that the whole log gives. And the parts
 * that this rests on: two streams, the queue, what is watched for.
 */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/evidence/scan.h"
#include "jobs/layout.h"
#include "live/answer.h"
#include "live/queue.h"
#include "live/reading.h"
#include "live/watch.h"
#include "reports/output/diagnosis_json.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct lab {
	struct limits limits;
	struct taxonomy *tax;
	struct engine *engine;
	struct layout *layout;
	struct triage_options triage;
	struct live_options o;
};

static struct lab lab;

static int open_lab(void **state)
{
	struct err e = { 0 };

	(void)state;
	limits_init(&lab.limits);
	lab.tax = taxonomy_load(NULL, 0, &e);
	assert_non_null(lab.tax);
	lab.engine = engine_new(lab.tax, &lab.limits, true, &e);
	lab.layout = layout_new(lab.tax, NULL, &e);
	assert_true(lab.engine && lab.layout);
	lab.triage = (struct triage_options){ .taxonomy = lab.tax,
		.limits = &lab.limits,
		.engine = lab.engine,
		.layout = lab.layout,
		.threads = 1 };
	lab.o = (struct live_options){ .triage = &lab.triage };
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	layout_free(lab.layout);
	engine_free(lab.engine);
	taxonomy_free(lab.tax);
	return 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	(void)ctx;
	fail_msg("%s: %s: %s", path, input_note_name(kind), text);
}

static void to_json(const struct diagnosis *d, struct buf *out)
{
	struct err e = { 0 };

	assert_int_equal(diagnosis_json_text(d, lab.tax, out, &e), 0);
}

/* As scan and gate have it. */
static void after_the_fact(const char *path, struct buf *out)
{
	struct triage_job job = {
		.paths = &path, .n_paths = 1, .exit_code = -1, .signal = -1
	};
	const struct triage_sink sink = { .note = on_note };
	struct diagnosis d;
	struct err e = { 0 };

	assert_int_equal(triage_one(&lab.triage, &job, &sink, &d, &e), 0);
	to_json(&d, out);
	diagnosis_release(&d);
}

/* Pieces of random lengths, small ones and long ones. */
static size_t some(size_t left)
{
	size_t n = (size_t)rand();

	n = n % 4 ? n % 200 + 1 : n % 9000 + 1;
	return n < left ? n : left;
}

static void live(const char *path, struct span log, struct buf *out)
{
	struct err e = { 0 };
	struct reading *r = reading_new(&lab.triage, true, &e);
	struct live_answer a = { 0 };
	size_t n;

	assert_non_null(r);
	assert_int_equal(reading_begin(r, path, &e), 0);
	for (size_t at = 0; at < log.n; at += n) {
		n = some(log.n - at);
		assert_int_equal(
		    reading_add(r, 0, span_sub(log, at, at + n), &e), 0);
		if (rand() % 3 == 0)
			assert_non_null(reading_look(r, &e));
		if (rand() % 40 == 0) {
			struct findings *f = reading_peek(r, &e);

			assert_non_null(f);
			findings_free(f);
		}
	}
	assert_int_equal(
	    answer_make(&a, &lab.o, reading_end(r, &e), NULL, &e), 0);
	to_json(&a.d, out);
	answer_release(&a);
	reading_free(r);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size >= 0);
	rewind(f);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	*n = fread(text, 1, (size_t)size, f);
	fclose(f);
	return text;
}

/* Every plain log of the corpus; the others are of several files. */
static size_t compare_folder(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	size_t compared = 0;

	while (d && (entry = readdir(d))) {
		struct buf want = BUF_INIT(BUF_MAX), got = BUF_INIT(BUF_MAX);
		struct span name = span_of(entry->d_name);
		char path[1024];
		size_t n;
		char *text;

		if (!span_ends(name, ".log") && !span_ends(name, ".out") &&
		    !span_ends(name, ".txt"))
			continue;
		assert_true(snprintf(path, sizeof path, "%s/%s", folder,
				entry->d_name) < (int)sizeof path);
		text = read_file(path, &n);
		after_the_fact(path, &want);
		for (int turn = 0; turn < 3; turn++) {
			buf_clear(&got);
			live(path, (struct span){ text, n }, &got);
			assert_string_equal(got.p, want.p);
		}
		free(text);
		buf_release(&want);
		buf_release(&got);
		compared++;
	}
	if (d)
		closedir(d);
	return compared;
}

static void test_corpus(void **state)
{
	const char *top = getenv("TOP");
	char path[512];
	DIR *d;
	struct dirent *entry;
	size_t compared = 0;

	(void)state;
	srand(6);
	snprintf(path, sizeof path, "%s/corpus", top ? top : ".");
	d = opendir(path);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		char folder[1024];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(folder, sizeof folder, "%s/%s", path, entry->d_name);
		compared += compare_folder(folder);
	}
	closedir(d);
	assert_true(compared > 100);
}

/* The start of a log that is flushed line by line, where times and words for
 * GPUs are looked for; and a long one. */
static void test_long(void **state)
{
	struct buf log = BUF_INIT(BUF_MAX), want = BUF_INIT(BUF_MAX),
		   got = BUF_INIT(BUF_MAX);
	char path[] = "/tmp/jobtriage-live-XXXXXX";
	int fd = mkstemp(path);
	FILE *f;

	(void)state;
	srand(7);
	assert_true(fd >= 0);
	for (int i = 0; i < 12; i++)
		assert_int_equal(buf_adds(&log, "loading\r\n"), 0);
	for (int i = 0; i < 9000; i++)
		assert_int_equal(buf_addf(&log,
				     "2026-11-20 10:%02d:%02d step %d loss "
				     "0.%d on 8 GPUs\n",
				     i / 60 % 60, i % 60, i, i % 97),
		    0);
	assert_int_equal(buf_adds(&log,
			     "Traceback (most recent call last):\n"
			     "  File \"train.py\", line 3, in <module>\n"
			     "    x = d['lr']\nKeyError: 'lr'\n"),
	    0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(log.p, 1, log.len, f), log.len);
	assert_int_equal(fclose(f), 0);
	after_the_fact(path, &want);
	live(path, (struct span){ log.p, log.len }, &got);
	assert_string_equal(got.p, want.p);
	unlink(path);
	buf_release(&log);
	buf_release(&want);
	buf_release(&got);
}

/* ---- two streams ---- */

static void add(struct reading *r, int stream, const char *text)
{
	struct err e = { 0 };

	assert_int_equal(reading_add(r, stream, span_of(text), &e), 0);
}

/* All evidence is of one line. */
static void only_line(const struct findings *f, uint64_t line, const char *text)
{
	assert_non_null(f);
	assert_true(f->n_evidence > 0);
	for (size_t i = 0; i < f->n_evidence; i++) {
		assert_int_equal(f->evidence[i].line, line);
		assert_string_equal(f->evidence[i].text, text);
	}
}

/* A line of one stream does not stand inside one of the other. */
static void test_streams(void **state)
{
	struct err e = { 0 };
	struct reading *r = reading_new(&lab.triage, true, &e);
	struct findings *f;

	(void)state;
	assert_int_equal(reading_begin(r, "output", &e), 0);
	add(r, 0, "loading data ... ");
	add(r, 1, "KeyError: 'lr'\n");
	add(r, 0, "done\n");
	add(r, 0, "last words");
	add(r, 1, "and others");
	f = reading_peek(r, &e);
	only_line(f, 1, "KeyError: 'lr'");
	findings_free(f);
	f = reading_end(r, &e);
	only_line(f, 1, "KeyError: 'lr'");
	assert_int_equal(f->lines, 4);
	findings_free(f);
	reading_free(r);
}

/* After a gap the rest of a line is no line. */
static void test_gap(void **state)
{
	struct err e = { 0 };
	struct reading *r = reading_new(&lab.triage, false, &e);
	struct findings *f;

	(void)state;
	assert_int_equal(reading_begin(r, "output", &e), 0);
	add(r, 0, "one\ntw");
	assert_int_equal(reading_gap(r, 0, &e), 0);
	add(r, 0, "KeyError: 'cut off'\nTypeError: unhashable type: 'list'\n");
	f = reading_end(r, &e);
	only_line(f, 3, "TypeError: unhashable type: 'list'");
	assert_int_equal(f->lines, 3);
	findings_free(f);
	reading_free(r);
}

/* ---- the queue ---- */

static void put(struct queue *q, int stream, const char *text, size_t n)
{
	struct piece *p = queue_take(q);

	assert_non_null(p);
	memcpy(p->data, text, strlen(text));
	p->n = n;
	p->stream = stream;
	queue_put(q, p);
}

static void test_queue(void **state)
{
	struct queue *q = queue_new(4);
	struct piece *p;
	bool closed;

	(void)state;
	assert_non_null(q);
	put(q, 0, "a", 1);
	put(q, 0, "b", 1);
	p = queue_get(q, 0, &closed);
	assert_non_null(p);
	assert_int_equal(p->n, 2); /* put together */
	assert_memory_equal(p->data, "ab", 2);
	queue_return(q, p);
	assert_null(queue_get(q, 0.01, &closed));
	assert_false(closed);
	/* the oldest are left out, the newest stay */
	put(q, 1, "e", QUEUE_PIECE);
	for (char c = '0'; c < '6'; c++)
		put(q, 0, (char[]){ c, '\0' }, QUEUE_PIECE);
	assert_int_equal(queue_lost(q), 3 * QUEUE_PIECE);
	for (char c = '2'; c < '6'; c++) {
		p = queue_get(q, 0, &closed);
		assert_non_null(p);
		assert_int_equal(p->data[0], c);
		assert_int_equal(p->gap, c == '2');
		queue_return(q, p);
	}
	/* nothing of the other stream was left to tell of its gap */
	put(q, 1, "x", 1);
	p = queue_get(q, 0, &closed);
	assert_non_null(p);
	assert_true(p->gap);
	queue_return(q, p);
	queue_close(q);
	assert_null(queue_get(q, 10, &closed));
	assert_true(closed);
	queue_free(q);
}

/* ---- what is watched for ---- */

static struct watch *watch_of(const char *on)
{
	struct live_options o = { .triage = &lab.triage, .on = &on, .n_on = 1 };
	struct err e = { 0 };
	struct watch *w = watch_new(&o, 1, &e);

	assert_non_null(w);
	return w;
}

/* What has fired, or NULL. */
static const char *fired(struct watch *w)
{
	static struct live_event ev;

	return watch_take(w, &ev) ? ev.text : NULL;
}

static void test_specs(void **state)
{
	static const char *const bad[] = { "nosuch=warn", "stalled=stop",
		"stalled:=warn", "stalled:x=warn", "stalled:0s=warn",
		"stalled:5mm=warn", "hang:-1m=warn", "loss_nan", "loss_nan=x" };
	struct live_options o = { .triage = &lab.triage, .n_on = 1 };
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		o.on = &bad[i];
		e.text[0] = '\0';
		assert_int_equal(live_check(&o, &e), -1);
		assert_non_null(strstr(e.text, "--on "));
	}
	watch_free(watch_of("hang=warn"));
	watch_free(watch_of("native_crash.segfault=stop"));
}

static void test_stalled(void **state)
{
	struct watch *w = watch_of("stalled:2m=warn");

	(void)state;
	watch_tick(w, 120);
	assert_null(fired(w));
	watch_output(w, span_of("."), 100);
	watch_tick(w, 219);
	assert_null(fired(w));
	watch_tick(w, 221);
	assert_string_equal(fired(w), "no output for 2 minutes");
	watch_tick(w, 900);
	assert_null(fired(w)); /* once */
	watch_free(w);
}

/* A rank that has talked all the time falls silent; one that only greets does
 * not count. */
static void test_silent_rank(void **state)
{
	struct watch *w = watch_of("hang:60s=stop");
	const char *text;

	(void)state;
	watch_output(w, span_of("[rank3]: hello\n"), 1);
	for (int t = 1; t < 100; t += 5)
		watch_output(w, span_of("[rank0]: a\n[rank1]: b\n"), t);
	for (int t = 100; t < 150; t += 5)
		watch_output(w, span_of("[rank0]: a\n"), t);
	watch_tick(w, 150);
	assert_null(fired(w));
	watch_output(w, span_of("[rank0]: a\n"), 158);
	watch_tick(w, 158);
	text = fired(w);
	assert_non_null(text);
	assert_non_null(strstr(text, "rank 1 has been silent for 1 minute"));
	watch_free(w);
}

static struct findings *peeked(const char *text)
{
	struct err e = { 0 };
	struct reading *r = reading_new(&lab.triage, true, &e);
	struct findings *f;

	assert_int_equal(reading_begin(r, "output", &e), 0);
	add(r, 0, text);
	f = reading_peek(r, &e);
	assert_non_null(f);
	reading_free(r);
	return f;
}

/* A failure after which the training does not go on, and one after which it
 * does. */
static void test_failed_hang(void **state)
{
	struct watch *w = watch_of("hang:60s=warn");
	struct findings *f =
	    peeked("step 10 loss 1.0\n[rank3]: KeyError: 'lr'\n");
	struct findings *more = peeked("step 10 loss 1.0\n"
				       "[rank3]: KeyError: 'lr'\n"
				       "step 30 loss 1.0\n");

	(void)state;
	watch_peeked(w, f, 10);
	watch_peeked(w, more, 30);
	watch_output(w, span_of("step 30"), 50);
	watch_tick(w, 100);
	assert_null(fired(w));
	watch_tick(w, 110);
	assert_string_equal(fired(w), "no output for 1 minute");
	watch_free(w);
	w = watch_of("hang:60s=warn");
	watch_output(w, span_of("step 10"), 10);
	watch_peeked(w, f, 11);
	watch_tick(w, 69);
	assert_null(fired(w));
	watch_tick(w, 71);
	assert_non_null(strstr(fired(w), "line 2, rank 3: KeyError"));
	watch_free(w);
	findings_free(f);
	findings_free(more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_specs),
		cmocka_unit_test(test_stalled),
		cmocka_unit_test(test_silent_rank),
		cmocka_unit_test(test_failed_hang),
	};

	return cmocka_run_group_tests(tests, open_lab, close_lab);
}
