/* Curves and warnings of texts in memory, for tests. */
#ifndef TESTS_DIAGNOSE_TREND_LAB_H
#define TESTS_DIAGNOSE_TREND_LAB_H

#include "tests/diagnose/lab.h"

#include "base/buf.h"
#include "diagnose/decision/trends.h"

#include <stdio.h>

static inline void trend_lab_open(struct lab *l)
{
	struct err e = { 0 };

	lab_open(l, true);
	scan_free(l->scan);
	engine_trends(l->engine);
	l->scan = scan_new(l->engine, &e);
	assert_non_null(l->scan);
}

static inline size_t trend_lab_metric(struct lab *l, const char *id)
{
	for (size_t i = 0; i < l->tax->n_metrics; i++)
		if (strcmp(l->tax->metrics[i].id, id) == 0)
			return i;
	fail_msg("no metric %s", id);
	return 0;
}

/* The ids of the warnings about a text, with a blank after each. */
static inline void trend_lab_warnings(
    struct lab *l, const char *text, char out[400])
{
	struct diagnosis d;
	struct trends t;
	size_t n = 0;

	lab_text(l, text, &d);
	assert_int_equal(trends_find(&d, l->tax, &t), 0);
	out[0] = '\0';
	for (size_t i = 0; i < t.n; i++) {
		assert_true(
		    t.v[i].text[0] && strlen(t.v[i].text) < TRENDS_TEXT - 1);
		n += (size_t)snprintf(out + n, 400 - n, "%s ",
		    t.v[i].rule->id + strlen("trend."));
	}
	trends_release(&t);
	diagnosis_release(&d);
}

#endif
