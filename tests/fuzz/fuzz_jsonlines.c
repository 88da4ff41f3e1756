/*
 * Bytes as the diagnoses of a report: each line counts or is refused, the
 * sums agree, and in no format a text of a line becomes something else: a
 * terminal's command, a script, another metric.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "reports/period/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW (INT64_C(1700000000) * 1000000)

static const struct report_format *const formats[] = { &report_text,
	&report_markdown, &report_json, &report_csv, &report_prometheus,
	&report_html };

static struct report *build(const struct taxonomy *tax, struct span data)
{
	struct report_options o = { .since = ENVELOPE_NO_TIME,
		.until = ENVELOPE_NO_TIME,
		.now = NOW,
		.incident_window = 3600,
		.incident_jobs = 2,
		.zone = "UTC" };
	struct err e = { 0 };
	struct report_builder *b = report_begin(tax, &o, &e);
	uint64_t lines = 0, refused = 0;
	struct report *r;
	struct span line;

	fuzz_ok(!b, &e);
	while (span_line(&data, &line)) {
		line = span_trim(line);
		if (!line.n)
			continue;
		lines++;
		if (!report_add(b, line, ENVELOPE_NO_TIME, &e))
			continue;
		FUZZ_CHECK(e.text[0]);
		refused++;
		report_refuse(b);
	}
	r = report_end(b, NULL, &e);
	fuzz_ok(!r, &e);
	FUZZ_CHECK(r->refused == refused && r->n_entries <= lines);
	FUZZ_CHECK(r->now.attempts == r->n_entries);
	FUZZ_CHECK(r->now.jobs <= r->now.attempts);
	FUZZ_CHECK(r->now.failed <= r->now.attempts);
	FUZZ_CHECK(r->now.lost >= 0 && r->now.avoidable >= 0);
	return r;
}

static size_t count(struct span text, const char *word)
{
	size_t n = 0, at;

	while ((at = span_find(text, word)) != SIZE_MAX) {
		text = span_sub(text, at + 1, text.n);
		n++;
	}
	return n;
}

static void check_control(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		FUZZ_CHECK((unsigned char)text.p[i] >= ' ' ||
		    text.p[i] == '\n' || text.p[i] == '\r' ||
		    text.p[i] == '\t');
}

static void check_metrics(struct span text)
{
	struct span line;

	while (span_line(&text, &line))
		FUZZ_CHECK(
		    span_starts(line, "# ") || span_starts(line, "jobtriage_"));
}

/* The page's own scripts and its blocks of data, each ended once. */
static void check_page(struct span text)
{
	size_t scripts = count(text, "<script nonce=");
	size_t blocks =
	    count(text, "<script type=\"application/octet-stream\" id=");

	FUZZ_CHECK(scripts == 2);
	FUZZ_CHECK(count(text, "<script") == scripts + blocks);
	FUZZ_CHECK(count(text, "</script") == scripts + blocks);
	FUZZ_CHECK(!count(text, "<!--") && !count(text, "<img"));
}

static void write_one(
    const struct report *r, const struct report_format *f, bool study)
{
	struct report_style style = {
		.top = 5, .study = study ? "zhang" : NULL, .title = "t"
	};
	struct err e = { 0 };
	struct span text;
	struct json *o;
	char *p = NULL;
	size_t n = 0;
	FILE *page = open_memstream(&p, &n);

	FUZZ_CHECK(page);
	fuzz_ok(f->write(r, &style, page, &e), &e);
	FUZZ_CHECK(!fclose(page));
	text = (struct span){ p, n };
	FUZZ_CHECK(fuzz_utf8(text));
	check_control(text);
	if (f == &report_prometheus)
		check_metrics(text);
	if (f == &report_html && !study)
		check_page(text);
	if (f == &report_json) {
		o = json_parse(text, JSON_UNIQUE_KEYS, &e);
		fuzz_ok(!o, &e);
		json_free(o);
	}
	free(p);
}

static void write_all(const struct report *r, bool page)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (formats[i] == &report_html && !page)
			continue;
		write_one(r, formats[i], false);
		if (formats[i]->study)
			write_one(r, formats[i], true);
	}
}

static void run(struct span data)
{
	static struct taxonomy *tax;
	struct report *r;
	struct err e;

	if (!tax)
		tax = taxonomy_load(NULL, 0, &e);
	FUZZ_CHECK(tax);
	r = build(tax, data);
	/* a page is large: for a few only */
	write_all(r, hash_of(data.p, data.n).low % 16 == 0);
	report_free(r);
}

const struct fuzz_target fuzz_jsonlines = { "jsonlines", 16 << 10, run };
