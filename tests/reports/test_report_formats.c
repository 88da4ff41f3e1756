/* The study's view, and the formats given the words of a hostile log. */
#include "tests/reports/made.h"

#include "reports/period/figure.h"
#include "reports/period/sheet.h"
#include "reports/period/study.h"

#include <math.h>

/* ---- the study ---- */

static const struct study_row *row(
    const struct study *s, enum study_part part, const char *id)
{
	for (size_t i = 0; i < s->n[part]; i++)
		if (strcmp(s->rows[part][i].id, id) == 0)
			return &s->rows[part][i];
	fail_msg("no row '%s'", id);
	return NULL;
}

static void test_study(void **state)
{
	static const struct made v[] = {
		{ .job = "a", .attempt = 1, .gpu_hours = 4 },
		{ .job = "a",
		    .attempt = 2,
		    .category = "path_not_found",
		    .gpu_hours = 4,
		    .stage = "initialization" },
		{ .job = "b",
		    .category = "gpu_out_of_memory",
		    .gpu_hours = -1 },
		{ .job = "c", .category = "hang", .gpu_hours = 4 },
		{ .job = "d", .category = "unknown", .gpu_hours = 4 },
		{ .job = "e", .good = 1, .gpu_hours = 4 },
	};
	struct report *r = OF(v);
	uint64_t sum = 0;
	struct study s;

	(void)state;
	assert_int_equal(study_init(&s, r, "zhang"), 0);
	assert_int_equal(s.attempts, 6);
	assert_int_equal(s.earlier, 1);
	assert_int_equal(s.not_failed, 1);
	assert_int_equal(s.unexplained, 1);
	assert_int_equal(s.outside, 1);
	assert_int_equal(s.n_left_out, 1);
	assert_string_equal(s.left_out[0].id, "hang");
	assert_int_equal(s.failures, 2);
	assert_int_equal(s.unmeasured, 1);
	assert_int_equal(s.n[STUDY_DIMENSION], 4);
	assert_int_equal(s.n[STUDY_CATEGORY], 20);
	assert_int_equal(s.n[STUDY_FAMILY], 5);
	assert_int_equal(s.n[STUDY_STAGE], 5); /* one of them not known */
	for (size_t i = 0; i < s.n[STUDY_CATEGORY]; i++) {
		sum += s.rows[STUDY_CATEGORY][i].failures;
		assert_true(s.rows[STUDY_CATEGORY][i].share > 0);
	}
	assert_int_equal(sum, 2);
	assert_int_equal(
	    row(&s, STUDY_CATEGORY, "path_not_found")->share, 3940);
	assert_int_equal(
	    row(&s, STUDY_CATEGORY, "permission_denied")->together, 2);
	assert_int_equal(
	    row(&s, STUDY_CATEGORY, "path_not_found")->gpu_seconds, 4 * 3600);
	assert_int_equal(row(&s, STUDY_STAGE, "initialization")->gpu_share, 90);
	assert_int_equal(row(&s, STUDY_STAGE, "data")->share, 3000);
	assert_int_equal(row(&s, STUDY_STAGE, "data")->gpu_together, 2);
	assert_int_equal(row(&s, STUDY_STAGE, "")->failures, 1);
	report_free(r);
}

/* The paper's shares are a whole: of the dimensions, of each dimension's
 * categories, of the families. */
static void test_study_adds_up(void **state)
{
	struct report *r = of(NULL, 0);
	int all = 0, families = 0;
	struct study s;

	(void)state;
	assert_int_equal(study_init(&s, r, "zhang"), 0);
	for (size_t i = 0; i < s.n[STUDY_DIMENSION]; i++) {
		const struct study_row *d = &s.rows[STUDY_DIMENSION][i];
		double sum = 0;

		all += d->share;
		for (size_t k = 0; k < s.n[STUDY_CATEGORY]; k++) {
			const struct study_row *c = &s.rows[STUDY_CATEGORY][k];

			if (strcmp(c->dimension, d->id) == 0)
				sum += (double)c->share / c->together;
		}
		assert_true(fabs(sum - d->share) < 1);
	}
	assert_int_equal(all, 10000);
	for (size_t i = 0; i < s.n[STUDY_FAMILY]; i++)
		families += s.rows[STUDY_FAMILY][i].share;
	assert_int_equal(families, 10000);
	report_free(r);
}

/* ---- formats ---- */

static char *written(const struct report *r, const char *format,
    const struct report_style *style)
{
	const struct report_format *f = report_format_find(format);
	char *text = NULL;
	struct err e = { 0 };
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);

	assert_non_null(f);
	assert_non_null(m);
	assert_int_equal(f->write(r, style, m, &e), 0);
	fclose(m);
	return text;
}

static void has(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no '%s' in:\n%s", what, text);
}

static void hasnt(const char *text, const char *what)
{
	if (strstr(text, what))
		fail_msg("'%s' in:\n%s", what, text);
}

/* A failure whose every word comes from a hostile log. */
static const struct made hostile[] = {
	{ .job = "=1+1",
	    .ended_at = 3,
	    .user = "@all|`x`",
	    .node = "<b>",
	    .print = "f",
	    .category = "unknown",
	    .nodes_shown = 1,
	    .gpu_hours = 1234,
	    .text = "\\u001b[31m<script>alert(1)</script> https://evil.example "
		    "[a](javascript:x) |\\n\\u202e\\\"" },
	{ .job = "=1+1",
	    .attempt = 2,
	    .ended_at = 3,
	    .user = "@all|`x`",
	    .node = "<b>",
	    .print = "f",
	    .category = "unknown",
	    .gpu_hours = 1234 },
};

static void test_text(void **state)
{
	const unsigned widths[] = { 0, 60, 80, 200 };
	struct report *r = OF(hostile);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct report_style style = { .width = widths[i] };
		char *text = written(r, "text", &style);
		size_t most = widths[i] ? widths[i] : 80;
		struct span rest = span_of(text), line;

		has(text, "2,468.0 used");
		has(text, "=1+1");
		has(text, "1,234.0");
		hasnt(text, "\033");
		hasnt(text, "\xe2\x80\xae");
		/* what is in columns keeps to the width; sentences need not */
		while (span_line(&rest, &line))
			if (span_find(line, "  ") != SIZE_MAX && most >= 80 &&
			    text_width(line) > most)
				fail_msg("%zu columns: %.*s", text_width(line),
				    (int)line.n, line.p);
		free(text);
	}
	report_free(r);
}

static void test_markdown(void **state)
{
	struct report *r = OF(hostile);
	const struct report_style style = { .title = "a # b" };
	char *text = written(r, "markdown", &style);

	(void)state;
	has(text, "# a #");
	hasnt(text, "<");
	hasnt(text, "https://");
	hasnt(text, "[a](");
	hasnt(text, "@all");
	hasnt(text, "`x`");
	hasnt(text, "\033");
	has(text, "https\\://evil.example");
	has(text, "\\[a\\](javascript:x)");
	has(text, "&lt;script&gt;");
	free(text);
	report_free(r);
}

static void test_markdown_escape(void **state)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "plain text, 1.5", "plain text, 1.5" },
		{ "a|b", "a\\|b" },
		{ "a\nb", "a\\\\nb" },
		{ "**x** __y__", "\\*\\*x\\*\\* \\_\\_y\\_\\_" },
		{ "www.x.org", "www\\.x.org" },
		{ "http://x", "http\\://x" },
		{ "&amp;", "&amp;amp;" },
		{ "me@x.org", "me@\xe2\x80\x8bx.org" },
		{ "#12",
		    "#\xe2\x80\x8b"
		    "12" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b = BUF_INIT(BUF_MAX);

		assert_int_equal(sheet_markdown(&b, span_of(rows[i].from)), 0);
		assert_string_equal(b.p, rows[i].to);
		buf_release(&b);
	}
}

static void test_csv(void **state)
{
	struct report *r = OF(hostile);
	const struct report_style style = { 0 };
	char *text = written(r, "csv", &style);

	(void)state;
	has(text, "\"'@all|`x`\"");
	has(text, "\"'=1+1\"");
	hasnt(text, ",\"=");
	hasnt(text, "\033");
	has(text, "\"total\",\"all\",,\"now\",2,1,2,0,0,8884800,8884800,");
	free(text);
	report_free(r);
}

static void test_prometheus(void **state)
{
	struct report *r = OF(hostile);
	const struct report_style style = { 0 };
	char *text = written(r, "prometheus", &style);

	(void)state;
	has(text, "\njobtriage_attempts 2\n");
	has(text,
	    "jobtriage_failures{category=\"unknown\",dimension=\"\","
	    "verdict=\"stop\"} 2\n");
	has(text, "jobtriage_gpu_seconds_avoidable 4442400\n");
	hasnt(text, "=1+1");
	hasnt(text, "@all");
	free(text);
	report_free(r);
}

static void test_figures(void **state)
{
	char t[FIGURE];

	(void)state;
	assert_string_equal(figure_count(t, 0), "0");
	assert_string_equal(figure_count(t, 999), "999");
	assert_string_equal(figure_count(t, 1234567), "1,234,567");
	assert_string_equal(
	    figure_count(t, UINT64_MAX), "18,446,744,073,709,551,615");
	assert_string_equal(figure_hours(t, 0), "0.0");
	assert_string_equal(figure_hours(t, 179), "0.0");
	assert_string_equal(figure_hours(t, 180), "0.1");
	assert_string_equal(figure_hours(t, 3600 * 1000), "1,000.0");
	assert_string_equal(figure_share(t, 1, 0), "-");
	assert_string_equal(figure_share(t, 1, 3), "33.3 %");
	assert_string_equal(figure_change(t, 0, 0), "");
	assert_string_equal(figure_change(t, 3, 0), "new");
	assert_string_equal(figure_change(t, 1, 2), "-50 %");
	assert_string_equal(figure_time(t, T0), "2024-10-04 00:00");
	assert_string_equal(figure_moment(t, T0), "10-04 00:00");
	assert_string_equal(figure_time(t, ENVELOPE_NO_TIME), "-");
	assert_string_equal(figure_moment(t, ENVELOPE_NO_TIME), "-");
	assert_string_equal(figure_length(t, HOUR), "60 min");
	assert_string_equal(figure_length(t, 3 * DAY), "3 d");
	assert_string_equal(
	    figure_used(t, &(struct sums){ .attempts = 2, .unmeasured = 2 }, 0),
	    "unknown");
	assert_string_equal(
	    figure_used(
		t, &(struct sums){ .attempts = 2, .estimated = 1 }, 7200),
	    "~2.0");
}

static void test_names(void **state)
{
	(void)state;
	assert_ptr_equal(report_format_find("html"), &report_html);
	assert_null(report_format_find("yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_study),
		cmocka_unit_test(test_study_adds_up),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_markdown_escape),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_prometheus),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
