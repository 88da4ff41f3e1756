/* The HTML report: what a log can do to it, and whether its data is whole. */
#include "base/buf.h"
#include "base/deflate.h"
#include "base/err.h"
#include "base/json.h"
#include "input/envelope.h"
#include "reports/period/report.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOUR INT64_C(3600000000)
#define NOON (INT64_C(1795176000) * 1000000) /* 2026-11-20T12:00:00Z */
#define ROWS 2100 /* more than one block of details */

static struct taxonomy *tax;

static int load(void **state)
{
	struct err e;

	(void)state;
	tax = taxonomy_load(NULL, 0, &e);
	return tax ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	taxonomy_free(tax);
	return 0;
}

/* A zone two hours east. */
static int64_t local_east(int64_t micros)
{
	return micros + INT64_C(7200) * 1000000;
}

static struct json *text_of(const char *s)
{
	return json_new_string(s);
}

/* A failed attempt of the job; every text of it is `text`. */
static void add(struct report_builder *b, const char *job, const char *text)
{
	struct json *o = json_parse(
	    span_of("{\"schema\":\"jobtriage.diagnosis/1\",\"attempt\":1,"
		    "\"paths\":[\"x.log\"],\"failed\":true,"
		    "\"category\":\"unknown\",\"dimension\":null,"
		    "\"category_name\":null,\"family\":null,"
		    "\"confidence\":\"low\",\"verdict\":\"undecided\","
		    "\"rule\":null,\"fingerprint\":\"0123456789abcdef\","
		    "\"consequences\":[],\"rejected\":[],\"facts\":{},"
		    "\"started\":\"2026-11-20T12:00:00Z\","
		    "\"ended\":\"2026-11-20T23:30:00Z\",\"record\":null,"
		    "\"usage\":{\"gpus\":8,\"runtime_seconds\":41400,"
		    "\"gpu_seconds\":331200,\"gpu_seconds_lost\":331200,"
		    "\"estimated\":true}}"),
	    JSON_PARSE, NULL);
	struct json *proof = json_new_object(), *proofs = json_new_array(),
		    *texts = json_new_array();
	struct buf line = BUF_INIT(BUF_MAX);
	struct err e;

	assert_int_equal(json_set(proof, "path", text_of(text)), 0);
	assert_int_equal(json_set(proof, "text", text_of(text)), 0);
	assert_int_equal(json_set(proof, "line", json_new_int(7)), 0);
	assert_int_equal(json_set(proof, "count", json_new_int(1)), 0);
	assert_int_equal(json_append(proofs, proof), 0);
	assert_int_equal(json_append(texts, text_of(text)), 0);
	assert_int_equal(json_set(o, "job", text_of(job)), 0);
	assert_int_equal(json_set(o, "user", text_of(text)), 0);
	assert_int_equal(json_set(o, "group", text_of(text)), 0);
	assert_int_equal(json_set(o, "reason", text_of(text)), 0);
	assert_int_equal(json_set(o, "evidence", proofs), 0);
	assert_int_equal(json_set(o, "remedies", texts), 0);
	assert_int_equal(json_write(o, &line), 0);
	json_free(o);
	if (report_add(
		b, (struct span){ line.p, line.len }, ENVELOPE_NO_TIME, &e))
		fail_msg("%s", e.text);
	buf_release(&line);
}

static struct report_builder *begin(void)
{
	const struct report_options o = { .since = NOON - 14 * HOUR,
		.until = NOON + 34 * HOUR,
		.now = NOON + 24 * HOUR,
		.incident_window = 21600,
		.incident_jobs = 3,
		.zone = "EET",
		.local = local_east };
	struct err e;
	struct report_builder *b = report_begin(tax, &o, &e);

	assert_non_null(b);
	return b;
}

static char *page(struct report_builder *b, const char *title, size_t *n)
{
	const struct report_style style = { .title = title, .top = 10 };
	struct err e;
	struct report *r = report_end(b, NULL, &e);
	char *text = NULL;
	FILE *f = open_memstream(&text, n);

	assert_non_null(r);
	assert_non_null(f);
	if (report_html.write(r, &style, f, &e))
		fail_msg("%s", e.text);
	assert_int_equal(fclose(f), 0);
	report_free(r);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text += strlen(what))
		n++;
	return n;
}

static void escapes(void **state)
{
	static const char evil[] = "</title><script>alert(1)</script>"
				   "\"'><img src=x onerror=alert(1)> & "
				   "@@BODY@@ \x1b[31m";
	struct report_builder *b = begin();
	size_t n, scripts;
	char *text;

	(void)state;
	text = page(begin(), "plain", &n);
	scripts = count(text, "<script");
	free(text);
	add(b, evil, evil);
	text = page(b, evil, &n);
	/* one block of details more than the empty report has */
	assert_int_equal(count(text, "<script"), scripts + 1);
	assert_null(strstr(text, "<img"));
	assert_int_equal(count(text, "<main"), 1);
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text,
	    "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img"));
	assert_non_null(strstr(text, "&amp; @@BODY@@ \\x1b[31m"));
	/* in a link, everything but letters is percent-encoded */
	assert_non_null(strstr(text, "#jobs?user=%3C%2Ftitle%3E%3Cscript"));
	free(text);
}

static void empty(void **state)
{
	size_t n;
	char *text = page(begin(), NULL, &n);

	(void)state;
	assert_int_equal(strncmp(text, "<!doctype html>", 15), 0);
	assert_non_null(strstr(text, "</html>"));
	assert_non_null(strstr(text, "There are no attempts in this period"));
	assert_null(strstr(text, "@@STYLE@@"));
	free(text);
}

/* Times, and the days of the period, are those of the report's zone. */
static void zone(void **state)
{
	struct report_builder *b = begin();
	size_t n;
	char *text;

	(void)state;
	add(b, "1", "boom");
	text = page(b, "x", &n);
	assert_non_null(strstr(text, "times in EET"));
	assert_non_null(strstr(text, "<time>2026-11-21&nbsp;01:30</time>"));
	assert_non_null(strstr(text,
	    "<strong>2026-11-20</strong> to <strong>2026-11-21</strong>"));
	assert_non_null(strstr(text, "<time>2026-11-21&nbsp;14:00</time>"));
	free(text);
}

/* ---- the packed jobs ---- */

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

/* The JSON of the block with the id; NULL: there is none. */
static struct json *block(const char *text, const char *id)
{
	struct deflate_block *d =
	    deflate_block_new((struct span){ NULL, 0 }, NULL);
	struct buf packed = BUF_INIT(BUF_MAX), plain = BUF_INIT(BUF_MAX);
	struct json *data;
	char start[64];
	const char *p;
	uint32_t v = 0;
	int bits = 0;

	snprintf(start, sizeof start, "id=\"%s\">", id);
	p = strstr(text, start);
	if (p) {
		for (p += strlen(start); digit(*p) >= 0; p++) {
			v = v << 6 | (uint32_t)digit(*p);
			bits += 6;
			if (bits < 8)
				continue;
			bits -= 8;
			assert_int_equal(
			    buf_addc(&packed, (char)(v >> bits & 255)), 0);
		}
		assert_int_equal(
		    deflate_unpack(
			d, (struct span){ packed.p, packed.len }, &plain),
		    0);
	}
	data = p
	    ? json_parse((struct span){ plain.p, plain.len }, JSON_PARSE, NULL)
	    : NULL;
	deflate_block_free(d);
	buf_release(&packed);
	buf_release(&plain);
	return data;
}

static int64_t number(const struct json *v)
{
	int64_t n = -99;

	assert_true(json_int(v, &n));
	return n;
}

static void data_is_whole(void **state)
{
	struct report_builder *b = begin();
	const struct json *columns, *strings, *row;
	struct json *table, *first, *second;
	char name[32];
	size_t n;
	char *text;

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		snprintf(name, sizeof name, "job%04d", i);
		add(b, name, i % 2 ? "odd" : "even");
	}
	text = page(b, "x", &n);
	table = block(text, "data-jobs");
	first = block(text, "data-detail-0");
	second = block(text, "data-detail-1");
	assert_null(block(text, "data-detail-2"));
	columns = json_get(table, "columns");
	strings = json_get(table, "strings");
	assert_int_equal(number(json_get(table, "n")), ROWS);
	for (size_t i = 0; i < ROWS; i += 299) {
		int64_t job = number(json_at(json_get(columns, "job"), i));
		int64_t line = number(json_at(json_get(columns, "text"), i));

		snprintf(name, sizeof name, "job%04zu", i);
		assert_true(
		    span_is(json_text(json_at(strings, (size_t)job)), name));
		assert_true(span_is(json_text(json_at(strings, (size_t)line)),
		    i % 2 ? "odd" : "even"));
		/* 23:30 UTC, two hours east */
		assert_int_equal(number(json_at(json_get(columns, "ended"), i)),
		    NOON / 1000000 + 41400 + 7200);
		assert_int_equal(
		    number(json_at(json_get(columns, "lost"), i)), 331200);
	}
	assert_int_equal(json_count(json_get(first, "rows")), 2000);
	assert_int_equal(json_count(json_get(second, "rows")), ROWS - 2000);
	row = json_at(json_at(json_at(json_get(second, "rows"), 1), 0), 0);
	assert_true(span_is(json_text(json_at(json_get(second, "strings"),
				(size_t)number(json_at(row, 6)))),
	    "odd"));
	assert_int_equal(number(json_at(row, 1)), 7);
	json_free(table);
	json_free(first);
	json_free(second);
	free(text);
}

static void same_input_same_page(void **state)
{
	size_t n[2];
	char *text[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct report_builder *b = begin();

		add(b, "1", "boom");
		add(b, "2", "bang");
		text[i] = page(b, "x", &n[i]);
	}
	assert_int_equal(n[0], n[1]);
	assert_memory_equal(text[0], text[1], n[0]);
	free(text[0]);
	free(text[1]);
}

/* A full disk is the caller's to see, in the stream's error flag. */
static void full_disk(void **state)
{
	const struct report_style style = { .title = "x" };
	struct report_builder *b = begin();
	FILE *f = fopen("/dev/full", "w");
	struct report *r;
	struct err e;

	(void)state;
	if (!f) {
		skip();
		return;
	}
	add(b, "1", "boom");
	r = report_end(b, NULL, &e);
	assert_non_null(r);
	(void)report_html.write(r, &style, f, &e);
	assert_true(fflush(f) || ferror(f));
	fclose(f);
	report_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(empty),
		cmocka_unit_test(zone),
		cmocka_unit_test(data_is_whole),
		cmocka_unit_test(same_input_same_page),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
