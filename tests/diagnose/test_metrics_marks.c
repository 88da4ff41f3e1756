/*
 * What the marks of a text leave out is never a name, on any processor; and a
 * report is found wherever it lies in what is marked at once.
 */
#include "tests/diagnose/trend_lab.h"

#include "base/cpu.h"
#include "diagnose/signals/metrics_marks.h"
#include "diagnose/signals/metrics_names.h"

#include <stdlib.h>

static struct lab lab;
static struct metric_names *names;

static int setup(void **state)
{
	(void)state;
	trend_lab_open(&lab);
	names = metric_names_new(lab.tax);
	return names ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	metric_names_free(names);
	lab_close(&lab);
	return 0;
}

static uint32_t any(uint32_t *x, uint32_t below)
{
	*x = *x * 1664525u + 1013904223u;
	return (*x >> 8) % below;
}

/* One of the taxonomy's names, or nearly. */
static void add_word(struct buf *b, uint32_t *x)
{
	const struct metric *m =
	    &lab.tax->metrics[any(x, (uint32_t)lab.tax->n_metrics)];
	const char *name = m->names.v[any(x, (uint32_t)m->names.n)];
	size_t n = strlen(name);

	if (any(x, 4) == 0)
		n = any(x, (uint32_t)n + 1);
	for (size_t i = 0; i < n; i++) {
		char c = name[i];

		if (c == ' ')
			c = METRIC_JOINS[any(x, sizeof METRIC_JOINS - 1)];
		else if (c >= 'a' && c <= 'z' && any(x, 3) == 0)
			c = (char)(c - 'a' + 'A');
		else if (any(x, 40) == 0)
			c = (char)any(x, 256);
		assert_int_equal(buf_add(b, &c, 1), 0);
	}
}

static bool marked(const uint64_t *row, size_t i)
{
	return row[i / 64] >> i % 64 & 1;
}

static void look_at(struct span s)
{
	static struct metric_marks marks;

	metric_marks_set(&marks, metric_names_marker(names), s);
	assert_int_equal(marks.n, s.n);
	for (size_t i = 0; i < s.n; i++) {
		bool begins =
		    metric_word(s.p[i]) && (i == 0 || !metric_word(s.p[i - 1]));
		bool name = marked(marks.names, i);

		if (!begins)
			assert_false(name);
		else if (metric_names_at(names, s, i))
			assert_true(name);
		assert_int_equal(marked(marks.stops, i), name || s.p[i] == '/');
		assert_int_equal(marked(marks.newlines, i), s.p[i] == '\n');
		assert_int_equal(
		    marked(marks.ends, i), s.p[i] == '\n' || s.p[i] == '\r');
	}
}

static void no_name_is_left_out(void **state)
{
	static const char *const between[] = { " ", "=", ": ", "\n", "\r", "/",
		"_", "", "1.5", "\xff", "'", "x" };
	uint32_t x = 1;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct buf b = BUF_INIT(BUF_MAX);
		size_t n = any(&x, 300);
		char *exact;

		while (b.len < n) {
			add_word(&b, &x);
			assert_int_equal(
			    buf_adds(&b,
				between[any(
				    &x, sizeof between / sizeof *between)]),
			    0);
		}
		/* no byte behind it may be read */
		exact = malloc(b.len + 1);
		assert_non_null(exact);
		memcpy(exact + 1, b.p ? b.p : "", b.len);
		for (int plain = 0; plain < 2; plain++) {
			cpu_plain(plain);
			look_at((struct span){ exact + 1, b.len });
		}
		cpu_plain(false);
		free(exact);
		buf_release(&b);
	}
}

/* A line of n bytes, then a report: on both, and on the line behind. */
static void report_behind(size_t n, char end)
{
	static char text[4 * METRIC_MARKS_BYTES];
	const char *report = "step 3 loss: 2.5\nstep 4 loss: 1.5";
	const struct metric_series *s;
	struct findings *log;

	memset(text, 'x', n);
	memcpy(text, "it's ", n < 5 ? n : 5);
	text[n] = end;
	memcpy(text + n + 1, report, strlen(report) + 1);
	log =
	    lab_scan(&lab, text, n + 1 + strlen(report), sizeof text, "a", -1);
	s = trends_series(log, trend_lab_metric(&lab, "loss"));
	assert_non_null(s);
	assert_int_equal(s->points, 2);
	assert_int_equal(s->v[0].begin.line, end == '\n' ? 2 : 1);
	assert_int_equal(s->last_line, end == '\n' ? 3 : 2);
	findings_free(log);
}

static void a_report_is_found_anywhere(void **state)
{
	static const size_t about[] = { 64, 4096, METRIC_MARKS_BYTES,
		2 * METRIC_MARKS_BYTES };

	(void)state;
	for (size_t i = 0; i < sizeof about / sizeof *about; i++)
		for (size_t n = about[i] - 40; n < about[i] + 4; n++) {
			report_behind(n, '\n');
			report_behind(n, '\r');
		}
}

/* A line's first 4096 bytes are read. */
static void a_long_line_is_read_so_far(void **state)
{
	static char text[3 * METRIC_MARKS_BYTES];

	(void)state;
	for (size_t at = 4060; at < 4100; at++) {
		static const char report[] = " loss=2.5 ";
		struct findings *log;

		memset(text, '.', sizeof text);
		memcpy(text + at, report, sizeof report - 1);
		log = lab_scan(&lab, text, sizeof text, sizeof text, "a", -1);
		/* "loss=2.", and "loss=" without a number */
		assert_int_equal(log->metrics->n, at + 7 <= 4096);
		findings_free(log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_name_is_left_out),
		cmocka_unit_test(a_report_is_found_anywhere),
		cmocka_unit_test(a_long_line_is_read_so_far),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
