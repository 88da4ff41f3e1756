/*
 * A large log gives the same answers with the help of a thread as without,
 * whatever kind of log it is and however busy the threads are, and no thread
 * works on it any more when it has ended.
 */
#include "tests/diagnose/lab.h"

#include "base/buf.h"
#include "base/pool.h"
#include "diagnose/evidence/scan_pipe.h"

#include <stdio.h>
#include <time.h>

#define SIZE (SCAN_PIPE_FROM + (4u << 20)) /* half of it by several */

static const char traceback[] =
    "Traceback (most recent call last):\n"
    "  File \"/home/u/train.py\", line 10, in <module>\n"
    "    loss.backward()\n"
    "ValueError: bad batch\n";
static const char *const failures[] = {
	"RuntimeError: CUDA error: an illegal memory access was encountered\n",
	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate "
	"20.00 MiB\n",
	"saved checkpoint to /ckpt/step_4000\n",
	traceback,
};

enum kind {
	PLAIN,
	ESCAPES,
	RETURNS, /* no '\n' */
	RECORDS, /* JSON */
	CRI,
	LONG, /* lines over the limit */
	FAILING,
	ERRORS, /* each line; a flood that rules for exceptions share */
	CRLF,
	UTF8, /* characters of several bytes */
	UTF16,
	KINDS
};

static void add(struct buf *out, enum kind kind, const char *line, unsigned i)
{
	int rc = 0;

	switch (kind) {
	case ESCAPES:
		rc = buf_addf(out, "\033[32m2024-01-02 03:04:%02u\033[0m %s",
		    i % 60, line);
		break;
	case RETURNS:
		for (; *line && !rc; line++)
			rc = buf_addc(out, *line == '\n' ? '\r' : *line);
		break;
	case RECORDS:
		if (i % 4)
			rc = buf_addf(out,
			    "{\"level\":\"INFO\",\"message\":\"m %u\"}\n", i);
		rc |= buf_adds(out, line);
		break;
	case CRI:
		rc = buf_addf(out, "2024-01-02T03:04:05.%09uZ stderr %s %s", i,
		    i % 9 ? "F" : "P", line);
		break;
	case LONG:
		for (unsigned k = 0; i % 5000 == 0 && k < 30000 && !rc; k++)
			rc = buf_addf(out, "%u and ", k);
		rc |= buf_adds(out, line);
		break;
	case CRLF:
		for (; *line && !rc; line++)
			rc = buf_adds(
			    out, *line == '\n' ? "\r\n" : (char[]){ *line, 0 });
		break;
	case UTF8:
	case ERRORS:
		rc = buf_addf(out, "%s%s",
		    *line != 's'       ? ""
			: kind == UTF8 ? "\xe6\x90\x8d\xe5\xa4\xb1 \xce\xb8 "
				       : "Error: ",
		    line);
		break;
	case UTF16:
		for (; *line && !rc; line++)
			rc = buf_addc(out, *line) | buf_addc(out, '\0');
		break;
	default:
		rc = buf_adds(out, line);
	}
	assert_int_equal(rc, 0);
}

static void make(struct buf *out, enum kind kind)
{
	uint32_t seed = 7;

	for (unsigned i = 0; out->len < SIZE * (kind == UTF16 ? 2 : 1); i++) {
		char line[200];
		unsigned every = kind == FAILING ? 2 : 9000;

		seed = seed * 1664525u + 1013904223u;
		snprintf(line, sizeof line, "step %u | loss 0.%u | %.*s\n", i,
		    seed >> 12, (int)(seed >> 26),
		    "tokens/s 1000, tokens/s 1000, tokens/s 1000, tokens");
		add(out, kind, line, i);
		if ((seed >> 8) % every == 0)
			add(out, kind, failures[seed >> 30], i);
	}
}

/* *seen: what is known of the evidence now and then, since notes about the file
 * must find the same there. */
static struct findings *scan(struct lab *l, struct span s, struct pool *pool,
    struct pool_task *other, uint64_t *seen)
{
	struct err e = { 0 };
	struct findings *f;

	scan_use_pool(l->scan, pool);
	assert_int_equal(scan_begin(l->scan, "a", -1, NULL, &e), 0);
	for (size_t i = 0; i < s.n; i += 100000) {
		struct span part = span_sub(s, i, i + 100000);

		assert_int_equal(scan_feed(l->scan, part.p, part.n, &e), 0);
		if (i % 700000 == 0)
			*seen = *seen * 31 + scan_findings(l->scan)->n_evidence;
		if (other && i % 300000 == 0)
			assert_int_equal(pool_call(pool, other, &e), 0);
	}
	f = scan_end(l->scan, true, &e);
	assert_non_null(f);
	scan_use_pool(l->scan, NULL);
	return f;
}

/* Takes the thread away from whoever has it now and then. */
static void other_work(void *ctx, unsigned thread)
{
	const struct timespec t = { 0, 300000 };

	(void)ctx;
	(void)thread;
	nanosleep(&t, NULL);
}

/* The same with so many threads, which have other work to do or not. */
static void with_threads(struct lab *l, struct span log, unsigned threads,
    struct pool_task *other, const struct findings *a, uint64_t seen_a)
{
	struct err e;
	struct pool *pool = pool_new(threads, &e);
	uint64_t seen = 0;
	struct findings *b = scan(l, log, pool, other, &seen);

	assert_true(pool_started(pool) >= 1);
	if (other)
		pool_cancel(pool, other);
	else
		assert_int_equal(pool_spare(pool), threads);
	lab_same(a, b);
	assert_int_equal(seen_a, seen);
	findings_free(b);
	pool_free(pool);
}

static void answers_are_equal(void **state)
{
	struct pool_task other = { .run = other_work };
	struct lab *l = *state;

	for (enum kind kind = PLAIN; kind < KINDS; kind++) {
		struct buf text = BUF_INIT(SIZE_MAX / 2);
		struct findings *a;
		uint64_t seen = 0;
		struct span log;

		make(&text, kind);
		log = (struct span){ text.p, text.len };
		a = scan(l, log, NULL, NULL, &seen);
		assert_true(a->n_evidence > 10 && a->n_events > 5);
		with_threads(l, log, 1, NULL, a, seen);
		with_threads(l, log, 3, &other, a, seen);
		findings_free(a);
		buf_release(&text);
	}
}

/* A log that is not read to its end. */
static void a_log_is_left(void **state)
{
	struct lab *l = *state;
	struct buf log = BUF_INIT(SIZE_MAX / 2);
	struct err e;
	struct pool *pool = pool_new(1, &e);

	make(&log, FAILING);
	scan_use_pool(l->scan, pool);
	for (int again = 0; again < 3; again++) {
		assert_int_equal(scan_begin(l->scan, "a", -1, NULL, &e), 0);
		assert_int_equal(pool_spare(pool), 1);
		assert_int_equal(scan_feed(l->scan, log.p, log.len, &e), 0);
		assert_int_equal(pool_started(pool), 1);
	}
	scan_leave(l->scan);
	assert_int_equal(pool_spare(pool), 1);
	scan_use_pool(l->scan, NULL);
	pool_free(pool);
	buf_release(&log);
}

/* No thread is taken that is not there. */
static void none_is_spare(void **state)
{
	struct lab *l = *state;
	struct buf log = BUF_INIT(SIZE_MAX / 2);
	struct err e;
	struct pool *pool = pool_new(0, &e);

	make(&log, PLAIN);
	scan_use_pool(l->scan, pool);
	assert_int_equal(scan_begin(l->scan, "a", -1, NULL, &e), 0);
	assert_int_equal(scan_feed(l->scan, log.p, log.len, &e), 0);
	scan_leave(l->scan);
	scan_use_pool(l->scan, NULL);
	pool_free(pool);
	buf_release(&log);
}

static int setup(void **state)
{
	static struct lab l;

	lab_open(&l, true);
	*state = &l;
	return 0;
}

static int teardown(void **state)
{
	lab_close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_equal),
		cmocka_unit_test(a_log_is_left),
		cmocka_unit_test(none_is_spare),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
