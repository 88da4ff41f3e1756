/*
 * A large log gives the same answers with the help of a thread as without,
 * whatever kind of log it is, and the thread is given back in every case.
 */
#include "tests/diagnose/lab.h"

#include "base/buf.h"
#include "diagnose/evidence/scan_crew.h"

#include <stdatomic.h>
#include <stdio.h>

#define SIZE (CREW_FROM + (CREW_FROM >> 1)) /* a third of it is read by two */

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
		unsigned every = kind == FAILING ? 3 : 9000;

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
static struct findings *scan(
    struct lab *l, struct span s, bool helped, uint64_t *seen)
{
	struct err e = { "" };
	struct findings *f;
	atomic_int spare = 1;

	scan_spare(l->scan, helped ? &spare : NULL);
	assert_int_equal(scan_begin(l->scan, "a", -1, NULL, &e), 0);
	for (size_t i = 0; i < s.n; i += 100000) {
		struct span part = span_sub(s, i, i + 100000);

		assert_int_equal(scan_feed(l->scan, part.p, part.n, &e), 0);
		if (i % 700000 == 0)
			*seen = *seen * 31 + scan_findings(l->scan)->n_evidence;
	}
	assert_int_equal(spare, helped ? 0 : 1);
	f = scan_end(l->scan, true, &e);
	assert_non_null(f);
	assert_int_equal(spare, 1);
	scan_spare(l->scan, NULL);
	return f;
}

static void answers_are_equal(void **state)
{
	struct lab *l = *state;

	for (enum kind kind = PLAIN; kind < KINDS; kind++) {
		struct buf log = BUF_INIT(SIZE_MAX / 2);
		struct findings *a, *b;
		uint64_t seen_a = 0, seen_b = 0;

		make(&log, kind);
		a = scan(l, (struct span){ log.p, log.len }, false, &seen_a);
		b = scan(l, (struct span){ log.p, log.len }, true, &seen_b);
		assert_true(a->n_evidence > 10 && a->n_events > 10);
		lab_same(a, b);
		assert_int_equal(seen_a, seen_b);
		findings_free(a);
		findings_free(b);
		buf_release(&log);
	}
}

/* A log that is not read to its end. */
static void a_log_is_left(void **state)
{
	struct lab *l = *state;
	struct buf log = BUF_INIT(SIZE_MAX / 2);
	atomic_int spare = 1;
	struct err e;

	make(&log, FAILING);
	scan_spare(l->scan, &spare);
	for (int again = 0; again < 3; again++) {
		assert_int_equal(scan_begin(l->scan, "a", -1, NULL, &e), 0);
		assert_int_equal(spare, 1);
		assert_int_equal(scan_feed(l->scan, log.p, log.len, &e), 0);
		assert_int_equal(spare, 0);
	}
	scan_leave(l->scan);
	assert_int_equal(spare, 1);
	scan_spare(l->scan, NULL);
	buf_release(&log);
}

/* No thread is taken that is not there. */
static void none_is_spare(void **state)
{
	struct lab *l = *state;
	struct buf log = BUF_INIT(SIZE_MAX / 2);
	atomic_int spare = 0;
	struct err e;

	make(&log, PLAIN);
	scan_spare(l->scan, &spare);
	assert_int_equal(scan_begin(l->scan, "a", -1, NULL, &e), 0);
	assert_int_equal(scan_feed(l->scan, log.p, log.len, &e), 0);
	assert_int_equal(spare, 0);
	scan_leave(l->scan);
	assert_int_equal(spare, 0);
	scan_spare(l->scan, NULL);
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
