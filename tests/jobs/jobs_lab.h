/* What is made once for all jobs, for the tests that read some. */
#ifndef TESTS_JOBS_LAB_H
#define TESTS_JOBS_LAB_H

#include "tests/test.h"

#include "base/err.h"
#include "base/limits.h"
#include "diagnose/evidence/scan.h"
#include "jobs/layout.h"
#include "rules/taxonomy.h"

struct made {
	struct limits limits;
	struct taxonomy *tax;
	struct engine *engine;
	struct layout *layout;
};

/* limit: "NAME=VALUE", or NULL. */
static inline void made_open(struct made *m, const char *limit)
{
	struct err e = { 0 };

	limits_init(&m->limits);
	if (limit)
		assert_int_equal(limits_set(&m->limits, limit, &e), 0);
	m->tax = taxonomy_load(NULL, 0, &e);
	assert_non_null(m->tax);
	m->engine = engine_new(m->tax, &m->limits, true, &e);
	assert_non_null(m->engine);
	m->layout = layout_new(m->tax, NULL, &e);
	assert_non_null(m->layout);
}

static inline void made_close(struct made *m)
{
	layout_free(m->layout);
	engine_free(m->engine);
	taxonomy_free(m->tax);
}

#endif
