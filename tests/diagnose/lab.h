/* Diagnosing texts in memory, for tests. */
#ifndef TESTS_DIAGNOSE_LAB_H
#define TESTS_DIAGNOSE_LAB_H

#include "tests/test.h"

#include "base/err.h"
#include "diagnose/decision/rank.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/diagnosis.h"
#include "diagnose/evidence/scan.h"

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
	struct err e = { 0 };

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
	struct err e = { 0 };
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

static inline void lab_same_string(const char *a, const char *b)
{
	assert_true((a == NULL) == (b == NULL));
	if (a)
		assert_string_equal(a, b);
}

/* That two scans found the same. */
static inline void lab_same(const struct findings *a, const struct findings *b)
{
	assert_int_equal(a->n_evidence, b->n_evidence);
	assert_int_equal(a->n_events, b->n_events);
	assert_int_equal(a->lines, b->lines);
	assert_int_equal(a->last.step, b->last.step);
	assert_int_equal(a->last.epoch, b->last.epoch);
	assert_int_equal(a->last_line_of_progress, b->last_line_of_progress);
	assert_int_equal(a->ended_well, b->ended_well);
	assert_int_equal(a->ended_line, b->ended_line);
	assert_int_equal(a->done_line, b->done_line);
	assert_int_equal(a->cut, b->cut);
	assert_int_equal(a->no_text, b->no_text);
	assert_int_equal(a->n_launches, b->n_launches);
	for (size_t i = 0; i < a->n_launches; i++) {
		assert_int_equal(
		    a->launches[i].first_line, b->launches[i].first_line);
		assert_int_equal(
		    a->launches[i].first_time, b->launches[i].first_time);
		assert_int_equal(
		    a->launches[i].last_time, b->launches[i].last_time);
		assert_int_equal(a->launches[i].stub, b->launches[i].stub);
	}
	assert_int_equal(a->exit_code, b->exit_code);
	lab_same_string(a->checkpoint, b->checkpoint);
	lab_same_string(a->framework, b->framework);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->first_time, b->first_time);
	assert_int_equal(a->last_time, b->last_time);
	assert_int_equal(a->dropped, b->dropped);
	assert_int_equal(a->n_notes, b->n_notes);
	for (size_t i = 0; i < a->n_notes; i++)
		assert_string_equal(a->notes[i], b->notes[i]);
	assert_int_equal(a->n_recurring, b->n_recurring);
	for (size_t i = 0; i < a->n_recurring; i++) {
		assert_int_equal(a->recurring[i].line, b->recurring[i].line);
		assert_int_equal(a->recurring[i].first, b->recurring[i].first);
	}
	for (size_t i = 0; i < a->n_evidence; i++) {
		const struct evidence *x = &a->evidence[i];
		const struct evidence *y = &b->evidence[i];

		assert_string_equal(x->rule->id, y->rule->id);
		assert_int_equal(x->line, y->line);
		assert_int_equal(x->offset, y->offset);
		assert_int_equal(x->event, y->event);
		assert_int_equal(x->rank, y->rank);
		assert_int_equal(x->before.step, y->before.step);
		lab_same_string(x->text, y->text);
	}
	for (size_t i = 0; i < a->n_events; i++) {
		assert_int_equal(
		    a->events[i].first_line, b->events[i].first_line);
		assert_int_equal(
		    a->events[i].last_line, b->events[i].last_line);
		assert_int_equal(a->events[i].chain, b->events[i].chain);
		lab_same_string(a->events[i].exception, b->events[i].exception);
		lab_same_string(
		    a->events[i].frame.file, b->events[i].frame.file);
	}
}

/* Diagnose a job whose logs are these texts, of rank 0, 1, ... */
static inline void lab_job(
    struct lab *l, const char *const *texts, size_t n, struct diagnosis *d)
{
	struct findings **logs = calloc(n + 1, sizeof *logs);
	struct err e = { 0 };

	assert_non_null(logs);
	for (size_t i = 0; i < n; i++)
		logs[i] = lab_scan(l, texts[i], strlen(texts[i]), 4096, "x.log",
		    n > 1 ? (int)i : -1);
	assert_int_equal(diagnosis_init(d, "job", 1, logs, n, &e), 0);
	assert_int_equal(rank_job(d, l->tax, &e), 0);
	assert_int_equal(ending_find(d, &e), 0);
	assert_int_equal(job_facts_find(d, l->tax, &e), 0);
	assert_int_equal(verdict_job(d, l->tax, &e), 0);
}

static inline void lab_text(
    struct lab *l, const char *text, struct diagnosis *d)
{
	lab_job(l, &text, 1, d);
}

#endif
