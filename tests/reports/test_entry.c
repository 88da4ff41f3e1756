/* A diagnosis read back from its JSON. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/store/entry_brief.h"

#include <stdio.h>
#include <string.h>

#define HEAD                                                                 \
	"{\"schema\":\"jobtriage.diagnosis/1\",\"job\":\"j\",\"attempt\":2," \
	"\"failed\":true,\"category\":\"c\",\"verdict\":\"stop\","           \
	"\"confidence\":\"high\""

static int read_text(
    struct entry *en, const char *text, struct arena *p, struct err *e)
{
	struct json *o = json_parse(span_of(text), JSON_PARSE, e);
	int rc;

	assert_non_null(o);
	rc = entry_read(en, o, p, e);
	json_free(o);
	return rc;
}

static void test_whole(void **state)
{
	struct arena *p = arena_new();
	struct err e = { 0 };
	struct entry en;

	(void)state;
	assert_int_equal(
	    read_text(&en,
		HEAD
		",\"user\":\"u\",\"nodes\":[\"n1\",\"n2\"],\"paths\":[\"a."
		"log\"],"
		"\"fingerprint\":\"00ff\",\"rule\":\"c.r\",\"reason\":\"why\","
		"\"started\":\"2026-11-20T00:00:00Z\","
		"\"ended\":\"2026-11-20T01:00:00Z\","
		"\"evidence\":[{\"path\":\"a.log\",\"line\":7,\"rank\":3,"
		"\"node\":\"n2.example.org\",\"time\":null,\"rule\":\"c.r\","
		"\"text\":\"boom\"}],\"consequences\":[{\"rule\":\"c.s\","
		"\"count\":9}],\"rejected\":[{\"rule\":\"c.r\"},"
		"{\"rule\":\"c.t\"}],\"facts\":{\"stage\":\"data\","
		"\"last_step\":5,\"user_frame\":{\"file\":\"t.py\",\"line\":12,"
		"\"function\":\"main\",\"code\":\"f()\"}},"
		"\"remedies\":[\"one\",\"two\"],"
		"\"record\":{\"state\":\"FAILED\",\"image\":\"i\"},"
		"\"usage\":{\"gpus\":8,\"runtime_seconds\":3600,"
		"\"gpu_seconds\":28800,\"gpu_seconds_lost\":100,"
		"\"estimated\":true}}",
		p, &e),
	    0);
	assert_string_equal(en.job, "j");
	assert_int_equal(en.attempt, 2);
	assert_int_equal(en.failed, 1);
	assert_int_equal(en.verdict, VERDICT_STOP);
	assert_int_equal(en.confidence, CONFIDENCE_HIGH);
	assert_string_equal(en.user, "u");
	assert_null(en.group);
	assert_string_equal(en.node, "n2"); /* as the record calls it */
	assert_ptr_equal(en.node, en.nodes[1]);
	assert_string_equal(en.path, "a.log");
	assert_string_equal(en.state, "FAILED");
	assert_string_equal(en.image, "i");
	assert_string_equal(en.stage, "data");
	assert_string_equal(en.frame, "t.py:12 in main: f()");
	assert_int_equal(en.gpu_seconds, 28800);
	assert_int_equal(en.lost, 100);
	assert_true(en.estimated && en.has_record && en.has_log);
	assert_int_equal(en.n_evidence, 1);
	assert_int_equal(en.evidence[0].line, 7);
	assert_int_equal(en.evidence[0].count, -1);
	assert_true(en.evidence[0].time == ENVELOPE_NO_TIME);
	assert_int_equal(en.consequences[0].count, 9);
	assert_int_equal(en.n_rules, 3); /* c.r once */
	assert_int_equal(en.n_remedies, 2);
	assert_true(entry_when(&en) == en.ended);
	assert_int_equal(en.ended - en.started, INT64_C(3600000000));
	arena_free(p);
}

static void test_little(void **state)
{
	struct arena *p = arena_new();
	struct err e = { 0 };
	struct entry en;

	(void)state;
	assert_int_equal(read_text(&en, HEAD ",\"usage\":null}", p, &e), 0);
	assert_null(en.user);
	assert_null(en.node);
	assert_null(en.path);
	assert_int_equal(en.gpu_seconds, USAGE_UNKNOWN);
	assert_int_equal(en.last_step, -1);
	assert_false(en.has_record || en.has_log || en.estimated);
	assert_true(entry_when(&en) == ENVELOPE_NO_TIME);
	assert_true(entry_counted(&en) == ENVELOPE_NO_TIME);
	en.seen = 5;
	assert_true(entry_when(&en) == ENVELOPE_NO_TIME);
	assert_true(entry_counted(&en) == 5);
	en.started = 3;
	assert_true(entry_when(&en) == 3 && entry_counted(&en) == 3);
	arena_free(p);
}

/* Every way in which a line is refused names the key. */
static void test_wrong(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "[]", "schema: " },
		{ "{\"schema\":\"jobtriage.report/1\"}", "schema: " },
		{ "{\"schema\":\"jobtriage.diagnosis/1\"}", "verdict: " },
		{ HEAD ",\"user\":7}", "user: expected a string" },
		{ HEAD ",\"usage\":7}", "usage: expected an object" },
		{ HEAD ",\"usage\":{\"gpus\":\"8\"}}", "usage.gpus: expected" },
		{ HEAD ",\"usage\":{\"gpus\":-1}}", "usage.gpus: expected" },
		{ HEAD ",\"usage\":{\"gpu_seconds\":9000000000000000000}}",
		    "usage.gpu_seconds: expected seconds" },
		{ HEAD ",\"usage\":{\"gpu_seconds\":1e9}}",
		    "usage.gpu_seconds: expected" },
		{ HEAD ",\"usage\":{\"estimated\":1}}",
		    "usage.estimated: expected true" },
		{ HEAD ",\"ended\":\"noon\"}", "ended: expected a time" },
		{ HEAD ",\"evidence\":{}}", "evidence: expected a list" },
		{ HEAD ",\"evidence\":[7]}", "evidence[0]: expected" },
		{ HEAD ",\"evidence\":[{},{\"line\":\"x\"}]}",
		    "evidence[1].line: expected" },
		{ HEAD ",\"remedies\":[null]}", "remedies[0]: expected" },
		{ HEAD ",\"paths\":[1]}", "paths[0]: expected" },
		{ HEAD ",\"record\":[]}", "record: expected an object" },
		{ HEAD ",\"facts\":{\"user_frame\":1}}", "facts.user_frame: " },
		{ HEAD ",\"verdict\":\"maybe\"}", "verdict: " },
		{ HEAD ",\"confidence\":\"sure\"}", "confidence: " },
		{ HEAD ",\"failed\":\"yes\"}", "failed: " },
		{ HEAD ",\"job\":\"\"}", "job: " },
		{ HEAD ",\"category\":null}", "category: " },
		{ HEAD ",\"attempt\":0}", "attempt: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena *p = arena_new();
		struct err e = { 0 };
		struct entry en;

		assert_int_equal(read_text(&en, rows[i].text, p, &e), -1);
		if (strstr(e.text, rows[i].says) != e.text)
			fail_msg("'%s' instead of '%s'", e.text, rows[i].says);
		arena_free(p);
	}
}

static void test_bounds(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct arena *p = arena_new();
	struct err e = { 0 };
	struct entry en;

	(void)state;
	/* 399 bytes, then a character of three: it goes as a whole */
	assert_int_equal(buf_adds(&b, HEAD ",\"reason\":\""), 0);
	for (int i = 0; i < 399; i++)
		buf_addc(&b, 'x');
	buf_adds(&b, "\xe2\x82\xac\",\"notes\":[\"a\\u0000b\"],\"evidence\":[");
	for (int i = 0; i < 9; i++)
		buf_adds(&b, i ? ",{}" : "{}");
	buf_adds(&b, "],\"fingerprint\":\"");
	for (int i = 0; i < 500; i++)
		buf_addc(&b, 'f');
	buf_adds(&b, "\"}");
	assert_int_equal(read_text(&en, b.p, p, &e), 0);
	assert_int_equal(strlen(en.reason), 399);
	assert_string_equal(en.notes[0],
	    "a\xef\xbf\xbd"
	    "b");
	assert_int_equal(en.n_evidence, 4);
	assert_int_equal(strlen(en.fingerprint), 500); /* an id is whole */
	buf_release(&b);
	arena_free(p);
}

/* However the brief form is cut or changed: an error, or an entry. */
static void test_brief_damaged(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX), bad = BUF_INIT(BUF_MAX);
	struct arena *p = arena_new();
	struct err e = { 0 };
	struct entry en;

	(void)state;
	assert_int_equal(
	    read_text(&en,
		HEAD ",\"user\":\"u\",\"nodes\":[\"n1\",\"n2\"],"
		     "\"evidence\":[{\"text\":\"boom\",\"rule\":\"c.r\","
		     "\"line\":300}],\"usage\":{\"gpu_seconds\":28800}}",
		p, &e),
	    0);
	assert_int_equal(entry_brief_write(&en, &b), 0);
	for (size_t n = 0; n < b.len; n++)
		assert_int_equal(
		    entry_brief_read(&en, (struct span){ b.p, n }, p, &e), -1);
	for (size_t i = 0; i < b.len * 256; i++) {
		buf_clear(&bad);
		assert_int_equal(buf_add(&bad, b.p, b.len), 0);
		bad.p[i / 256] = (char)(i % 256);
		if (entry_brief_read(
			&en, (struct span){ bad.p, bad.len }, p, &e))
			assert_string_equal(
			    e.text, "damaged: what is kept for reports");
		else
			assert_true(en.job && en.category && en.attempt > 0 &&
			    en.gpu_seconds < USAGE_SECONDS_END);
	}
	assert_int_equal(buf_addc(&b, 0), 0);
	assert_int_equal(
	    entry_brief_read(&en, (struct span){ b.p, b.len }, p, &e), -1);
	buf_release(&b);
	buf_release(&bad);
	arena_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_brief_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
