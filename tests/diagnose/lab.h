/* Diagnosing texts in memory, for tests. */
#ifndef TESTS_DIAGNOSE_LAB_H
#define TESTS_DIAGNOSE_LAB_H

#include "tests/test.h"

#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "diagnose/scan.h"

#include <stdlib.h>
#include <string.h>

struct lab {
	struct limits limits;
	struct taxonomy *tax;
	struct engine *engine;
	struct scan *scan;
};

static inline void lab_open(struct lab *l, bool prefilter)
{
	struct err e = { "" };

	limits_init(&l->limits);
	l->tax = taxonomy_load(NULL, 0, &e);
	if (!l->tax)
		fail_msg("%s", e.text);
	l->engine = engine_new(l->tax, &l->limits, prefilter, &e);
	assert_non_null(l->engine);
	l->scan = scan_new(l->engine, &e);
	assert_non_null(l->scan);
}

static inline void lab_close(struct lab *l)
{
	scan_free(l->scan);
	engine_free(l->engine);
	taxonomy_free(l->tax);
}

/* Scan n bytes given in pieces of step bytes. */
static inline struct findings *lab_scan(struct lab *l, const char *p, size_t n,
    size_t step, const char *path, int rank)
{
	struct err e = { "" };
	struct findings *f;

	assert_int_equal(scan_begin(l->scan, path, rank, NULL, &e), 0);
	for (size_t i = 0; i < n; i += step)
		assert_int_equal(
		    scan_feed(l->scan, p + i, n - i < step ? n - i : step, &e),
		    0);
	f = scan_end(l->scan, true, &e);
	assert_non_null(f);
	return f;
}

/* Diagnose a job whose logs are these texts, of rank 0, 1, ... */
static inline void lab_job(
    struct lab *l, const char *const *texts, size_t n, struct diagnosis *d)
{
	struct findings **logs = calloc(n + 1, sizeof *logs);
	struct err e = { "" };

	assert_non_null(logs);
	for (size_t i = 0; i < n; i++)
		logs[i] = lab_scan(l, texts[i], strlen(texts[i]), 4096, "x.log",
		    n > 1 ? (int)i : -1);
	assert_int_equal(diagnosis_init(d, "job", 1, logs, n, &e), 0);
	assert_int_equal(rank_job(d, l->tax, &e), 0);
	assert_int_equal(verdict_job(d, l->tax, &e), 0);
}

static inline void lab_text(
    struct lab *l, const char *text, struct diagnosis *d)
{
	lab_job(l, &text, 1, d);
}

#endif
