/* The gate's line: which values stand in it, and how they are quoted. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/gate/gate.h"

#include <stdlib.h>
#include <string.h>

struct lab {
	struct taxonomy *tax;
	struct diagnosis d;
	struct gate_answer a;
	struct buf out;
};

static void lab_open(struct lab *l, enum verdict v)
{
	struct err e = { 0 };

	*l = (struct lab){ .out = BUF_INIT(BUF_MAX) };
	l->tax = taxonomy_load(NULL, 0, &e);
	assert_non_null(l->tax);
	assert_int_equal(diagnosis_init(&l->d, "7", 3, NULL, 0, &e), 0);
	l->d.failed = 1;
	l->d.category = &l->tax->categories[0];
	l->d.verdict = v;
	l->d.adjust = (struct adjust){ "n 1", 1.5, 2, "/ck\"pt\\1\n", 60 };
	l->a = (struct gate_answer){
		.d = &l->d, .given = taxonomy_verdict_name(v), .reason = "why"
	};
}

static void lab_close(struct lab *l)
{
	buf_release(&l->out);
	diagnosis_release(&l->d);
	taxonomy_free(l->tax);
}

static void has(struct lab *l, const char *text)
{
	buf_clear(&l->out);
	assert_int_equal(gate_line(&l->a, &l->out), 0);
	if (!strstr(l->out.p, text))
		fail_msg("no '%s' in %s", text, l->out.p);
	/* one line */
	assert_ptr_equal(strchr(l->out.p, '\n'), l->out.p + l->out.len - 1);
}

static void adjust(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, VERDICT_ADJUST);
	has(&l,
	    " delay=60 exclude=\"n 1\" memory_factor=1.5 time_factor=2"
	    " checkpoint=\"/ck\\\"pt\\\\1\\\\n\" confidence=low ");
	/* what was not answered is not to be done */
	l.a.given = "retry";
	has(&l, " delay= exclude= memory_factor= time_factor= checkpoint= ");
	lab_close(&l);
	lab_open(&l, VERDICT_RETRY);
	has(&l, " delay=60 exclude= memory_factor= ");
	lab_close(&l);
	lab_open(&l, VERDICT_STOP);
	has(&l, " delay= exclude= ");
	lab_close(&l);
}

static void history(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, VERDICT_RETRY);
	l.d.history.retries_left = 4;
	has(&l, " attempt=3 retries=2 retries_left= delay=60 ");
	has(&l, " history=unknown ");
	l.d.history = (struct history){
		.known = true,
		.retries = 1,
		.retries_left = 4,
		.delay_seconds = 240,
	};
	has(&l, " attempt=3 retries=1 retries_left=4 delay=240 ");
	has(&l, " history=none ");
	l.d.history.attempts = 2;
	l.d.history.retries_left = -1;
	has(&l, " retries_left= delay=240 ");
	has(&l, " history=known ");
	lab_close(&l);
}

static void error(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, VERDICT_RETRY);
	l.a = (struct gate_answer){ .given = "error", .reason = "a \"b\"\033" };
	has(&l,
	    "verdict=error category= rule= attempt= retries= retries_left= "
	    "delay= exclude= memory_factor= time_factor= checkpoint= "
	    "confidence= history=unknown reason=\"a \\\"b\\\"\\\\x1b\""
	    " place=\"\" evidence=\"\"\n");
	lab_close(&l);
}

static void json(void **state)
{
	char doubt[] = "too short", *doubts[] = { doubt };
	const struct json *history, *gate;
	struct err e = { 0 };
	struct json *root;
	struct lab l;

	(void)state;
	lab_open(&l, VERDICT_UNDECIDED);
	l.d.history.known = true;
	l.d.history.retries_left = -1;
	l.a.doubts = doubts;
	l.a.n_doubts = 1;
	l.a.exit_status = 3;
	assert_int_equal(gate_json(&l.a, l.tax, &l.out, &e), 0);
	root = json_parse(
	    (struct span){ l.out.p, l.out.len }, JSON_UNIQUE_KEYS, &e);
	assert_non_null(root);
	assert_true(span_is(json_get_text(root, "verdict"), "undecided"));
	history = json_get(root, "history");
	assert_true(json_true_value(json_get(history, "known")));
	assert_true(json_is(json_get(history, "retries_left"), JSON_IS_NULL));
	gate = json_get(root, "gate");
	assert_true(span_is(json_get_text(gate, "answer"), "undecided"));
	assert_true(
	    span_is(json_text(json_at(json_get(gate, "doubts"), 0)), doubt));
	json_free(root);
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjust),
		cmocka_unit_test(history),
		cmocka_unit_test(error),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests_name("gate", tests, NULL, NULL);
}
