/* Diagnoses that are made up, and the report of them. */
#ifndef TESTS_REPORTS_MADE_H
#define TESTS_REPORTS_MADE_H

#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "reports/period/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MICROS INT64_C(1000000)
#define HOUR (3600 * MICROS)
#define DAY (24 * HOUR)
#define T0 (INT64_C(20000) * DAY) /* 2024-10-04 */

static struct taxonomy *tax;

/* One diagnosis; what is 0 or NULL is not known, unless it says so. */
struct made {
	const char *job;
	int attempt;  /* 0: 1 */
	int ended_at; /* hours after T0; 0: no time */
	const char *user, *node, *print, *category, *text;
	int gpu_hours;   /* -1: not known */
	int good;        /* 1: ended well, -1: cannot be told */
	int retry;       /* the verdict is retry, not stop */
	int nodes_shown; /* the record names the node */
	const char *stage, *cluster, *place;
	bool log_less; /* known by its record alone */
};

static inline void add_string(struct buf *b, const char *key, const char *s)
{
	buf_addf(b, ",\"%s\":", key);
	if (s)
		buf_addf(b, "\"%s\"", s);
	else
		buf_adds(b, "null");
}

static inline void make_line(struct buf *b, const struct made *m)
{
	const char *category = m->category ? m->category : "key_not_found";

	buf_clear(b);
	buf_addf(b,
	    "{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"%s\","
	    "\"attempt\":%d,\"failed\":%s,\"paths\":[%s],"
	    "\"confidence\":\"high\"",
	    m->job, m->attempt ? m->attempt : 1,
	    m->good < 0   ? "null"
		: m->good ? "false"
			  : "true",
	    m->log_less ? "" : "\"x.log\"");
	add_string(b, "cluster", m->cluster);
	add_string(b, "place", m->place);
	add_string(b, "category", m->good ? "none" : category);
	add_string(b, "verdict",
	    m->good        ? "none"
		: m->retry ? "retry"
			   : "stop");
	add_string(b, "user", m->user);
	add_string(b, "fingerprint", m->print);
	if (m->ended_at)
		buf_addf(b, ",\"ended\":\"2024-10-%02dT%02d:00:00Z\"",
		    4 + m->ended_at / 24, m->ended_at % 24);
	if (m->nodes_shown)
		buf_addf(b, ",\"nodes\":[\"%s\"],\"record\":{}", m->node);
	buf_addf(b, ",\"facts\":{\"stage\":%s%s%s}", m->stage ? "\"" : "",
	    m->stage ? m->stage : "null", m->stage ? "\"" : "");
	if (!m->good) {
		buf_adds(
		    b, ",\"evidence\":[{\"rule\":\"key_not_found.key_error\"");
		add_string(b, "node", m->node);
		add_string(b, "text", m->text ? m->text : "KeyError");
		buf_adds(b, "}]");
	}
	if (m->gpu_hours >= 0)
		buf_addf(b,
		    ",\"usage\":{\"gpu_seconds\":%d,\"gpu_seconds_lost\":%d}",
		    m->gpu_hours * 3600, m->gpu_hours * 1800);
	buf_addc(b, '}');
}

static inline struct report_builder *begin(int64_t since, int64_t until)
{
	const struct report_options o = { .since = since,
		.until = until,
		.now = T0,
		.incident_window = 6 * 3600,
		.incident_jobs = 3,
		.silence = 5 * 86400,
		.zone = "UTC" };
	struct err e = { 0 };
	struct report_builder *b = report_begin(tax, &o, &e);

	assert_non_null(b);
	return b;
}

static inline void add(
    struct report_builder *b, const struct made *m, int64_t seen)
{
	struct buf line = BUF_INIT(BUF_MAX);
	struct err e = { 0 };

	make_line(&line, m);
	if (report_add(b, (struct span){ line.p, line.len }, seen, &e))
		fail_msg("%s: %s", e.text, line.p);
	buf_release(&line);
}

static inline struct report *end(struct report_builder *b)
{
	struct err e = { 0 };
	struct report *r = report_end(b, NULL, &e);

	assert_string_equal(e.text, "");
	assert_non_null(r);
	return r;
}

static inline struct report *of(const struct made *v, size_t n)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);

	for (size_t i = 0; i < n; i++)
		add(b, &v[i], ENVELOPE_NO_TIME);
	return end(b);
}

#define OF(v) of(v, sizeof(v) / sizeof *(v))

/* Around the whole group of tests. */
static inline int load(void **state)
{
	struct err e = { 0 };

	(void)state;
	tax = taxonomy_load(NULL, 0, &e);
	return tax ? 0 : -1;
}

static inline int unload(void **state)
{
	(void)state;
	taxonomy_free(tax);
	return 0;
}

#endif
