/*
 * Sequences of attempts and the verdict on the last. A sequence is written as
 * words: [NUMBER:]KIND[%EPOCH][@STEP][#CHECKPOINT][=FILE][/STAGE], where the
 * kind is F (the failure that is asked about), G (another one), P (preempted),
 * U (one that nothing names), + (ended well) or - (cannot be told). Without
 * numbers they count from 1. What is asked about is the last word.
 */
#include "tests/diagnose/lab.h"

#include "diagnose/decision/verdict.h"
#include "diagnose/decision/history.h"
#include "rules/taxonomy_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS_MAX 32

static struct taxonomy *tax;

/* A failure as the table names it. */
struct cause {
	const char *rule, *category; /* rule: or NULL */
};

struct word {
	struct attempt as;
	char kind, checkpoint[64], artefact[64], stage[32];
};

static void read_part(const char **s, char *to, size_t size)
{
	size_t n = strcspn(*s, "@%#=/ ");

	assert_true(n < size);
	memcpy(to, *s, n);
	to[n] = '\0';
	*s += n;
}

static void read_word(const char **s, struct word *w, int64_t number)
{
	char step[32];

	memset(w, 0, sizeof *w);
	w->as.attempt = number;
	w->as.last = (struct progress){ -1, -1 };
	if (**s >= '0' && **s <= '9') {
		w->as.attempt = strtol(*s, (char **)(uintptr_t)s, 10);
		assert_int_equal(*(*s)++, ':');
	}
	w->kind = *(*s)++;
	while (**s && **s != ' ') {
		char mark = *(*s)++;

		if (mark == '@') {
			read_part(s, step, sizeof step);
			w->as.last.step = strtol(step, NULL, 10);
		} else if (mark == '%') {
			read_part(s, step, sizeof step);
			w->as.last.epoch = strtol(step, NULL, 10);
		} else if (mark == '#') {
			read_part(s, w->checkpoint, sizeof w->checkpoint);
			w->as.checkpoint = w->checkpoint;
		} else if (mark == '=') {
			read_part(s, w->artefact, sizeof w->artefact);
			w->as.artefact = w->artefact;
		} else if (mark == '/') {
			read_part(s, w->stage, sizeof w->stage);
			w->as.stage = w->stage;
		} else {
			fail_msg("bad mark %c", mark);
		}
	}
	*s += strspn(*s, " ");
}

static void set_cause(struct attempt *a, char kind, const struct cause *c)
{
	a->failed = kind == '+' ? 0 : kind == '-' ? -1 : 1;
	if (kind == 'F') {
		a->rule = c->rule;
		a->category = c->category;
		a->fingerprint = "00000000000000f1";
	} else if (kind == 'G') {
		a->category = "network_communication";
		a->fingerprint = "00000000000000f2";
	} else if (kind == 'P') {
		a->category = "preempted";
		a->fingerprint = "00000000000000f3";
	} else if (kind == 'U') {
		a->category = "unknown";
	}
}

/* What scan would have made of the attempt. */
static void diagnose(struct diagnosis *d, const struct word *w)
{
	struct findings **logs = calloc(1, sizeof *logs);
	struct err e = { 0 };

	assert_non_null(logs);
	logs[0] = findings_new("x.log", -1, NULL);
	assert_non_null(logs[0]);
	logs[0]->last = w->as.last;
	if (w->as.checkpoint)
		logs[0]->checkpoint = span_dup(span_of(w->as.checkpoint));
	assert_int_equal(
	    diagnosis_init(d, "job", (int)w->as.attempt, logs, 1, &e), 0);
	d->failed = w->as.failed;
	d->confidence = CONFIDENCE_HIGH;
	if (w->as.category)
		d->category = taxonomy_category(tax, w->as.category);
	if (w->as.rule) {
		d->rule = taxonomy_rule(tax, w->as.rule);
		assert_non_null(d->rule);
	}
	if (w->as.fingerprint)
		snprintf(d->fingerprint, sizeof d->fingerprint, "%s",
		    w->as.fingerprint);
	if (w->as.artefact) {
		struct evidence *ev = findings_evidence(logs[0]);

		assert_non_null(ev);
		assert_non_null(d->rule);
		ev->rule = d->rule;
		ev->event = EVENT_NONE;
		ev->before = w->as.last;
		ev->text = span_dup(span_of("text"));
		ev->text_len = 4;
		ev->captures = calloc(1, sizeof *ev->captures);
		assert_non_null(ev->captures);
		ev->captures[0].name = "path2";
		ev->captures[0].value = span_dup(span_of(w->as.artefact));
		ev->n_captures = 1;
		assert_int_equal(
		    proofs_add(&d->evidence,
			(struct proof){ .log = logs[0], .evidence = ev }),
		    0);
	}
	assert_int_equal(job_facts_find(d, tax, &e), 0);
	assert_int_equal(verdict_job(d, tax, &e), 0);
}

/* Judge the last attempt of a sequence. */
static void judge(
    struct diagnosis *d, const char *sequence, const struct cause *c)
{
	struct word w[ATTEMPTS_MAX];
	struct attempt v[ATTEMPTS_MAX];
	struct err e = { 0 };
	size_t n = 0;

	for (const char *s = sequence; *s; n++) {
		assert_true(n < ATTEMPTS_MAX);
		read_word(&s, &w[n], (int64_t)n + 1);
		set_cause(&w[n].as, w[n].kind, c);
		v[n] = w[n].as;
	}
	assert_true(n > 0);
	diagnose(d, &w[n - 1]);
	/* its own attempt among them: it is passed over */
	assert_int_equal(history_apply(d, tax, v, n, &e), 0);
}

static const struct cause crash = { NULL, "native_crash" }; /* retry 3 */
static const struct cause network = { NULL, "network_communication" };
static const struct cause limit = { NULL, "time_limit_exceeded" };
static const struct cause preempted = { NULL, "preempted" };
static const struct cause hardware = { NULL, "gpu_hardware_fault" };
static const struct cause missing = { NULL, "path_not_found" }; /* stop */
static const struct cause person = { NULL, "killed_by_user" };  /* stop, 0 */
static const struct cause sigterm = { "killed_by_user.sigterm",
	"killed_by_user" };
static const struct cause algebra = { "uncaught_exception.linear_algebra",
	"uncaught_exception" }; /* undecided */
static const struct cause licence = { "authentication_failure.licence",
	"authentication_failure" }; /* undecided */
static const struct cause unnamed = { NULL, "unknown" };
static const struct cause nothing = { NULL, NULL };

static const struct {
	const struct cause *cause;
	const char *sequence;
	enum verdict verdict;
	int same_cause, same_place, left;
	const char *reason; /* a part of it, or NULL: as the logs alone say */
} cases[] = {
	/* nothing came before */
	{ &crash, "F@1200", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &missing, "F", VERDICT_STOP, 1, 1, 0, NULL },
	{ &crash, "+", VERDICT_NONE, 0, 0, 0, NULL },
	{ &crash, "-", VERDICT_UNDECIDED, 0, 0, 2, NULL },
	/* the same step, and no checkpoint since */
	{ &crash, "F@1200 F@1200", VERDICT_STOP, 2, 2, 0,
	    "but attempt 2 ends in the same failure at step 1200 as attempt "
	    "1, and no checkpoint was written since" },
	{ &crash, "F@1200#ckpt-1000 F@1200#ckpt-1000", VERDICT_STOP, 2, 2, 0,
	    "at step 1200" },
	{ &crash, "F@1200#ckpt-1000 F@1200", VERDICT_STOP, 2, 2, 0, "at step" },
	/* a later step, a new checkpoint */
	{ &crash, "F@1200 F@1300", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "F@1200#ckpt-1000 F@1200#ckpt-1200", VERDICT_RETRY, 1, 1, 3,
	    NULL },
	{ &crash, "F@1200 F@1200#ckpt-1000", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "F@1200 F@1200#ckpt-1000 F@1200#ckpt-1000", VERDICT_STOP, 2,
	    2, 0, "as attempt 2" },
	/* the same checkpoint in another folder is no new one */
	{ &crash, "F@1200#run1-step1000.ckpt F@1200#run2-step1000.ckpt",
	    VERDICT_STOP, 2, 2, 0, "at step 1200" },
	{ &crash, "F@1200#a.pt F@1200#b.pt", VERDICT_RETRY, 1, 1, 3, NULL },
	/* once more from the beginning: further than the last, not than all */
	{ &crash, "F@1200 F@400 F@1000", VERDICT_RETRY, 3, 1, 1, NULL },
	{ &crash, "F@1200 F@400 F@1000 F@900", VERDICT_STOP, 4, 1, 0,
	    "3 retries for this cause made no progress, and its budget is 3" },
	{ &crash, "F@1200 F@400 F@1000 F@1250", VERDICT_RETRY, 1, 1, 3, NULL },
	/* steps that are not known */
	{ &crash, "F F", VERDICT_STOP, 2, 2, 0,
	    "the same failure as attempt 1" },
	{ &crash, "F@1200 F", VERDICT_RETRY, 2, 1, 2, NULL },
	{ &crash, "F F@0", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "F%2@9 F%2@9", VERDICT_STOP, 2, 2, 0, "step 9" },
	{ &crash, "F%3@9 F%2@9", VERDICT_RETRY, 2, 1, 2, NULL },
	{ &crash, "F%2 F%2", VERDICT_RETRY, 2, 1, 2, NULL },
	/* a file that is the same, or is not */
	{ &algebra, "F@50=a.npz F@40=a.npz", VERDICT_STOP, 2, 2, 0,
	    "the same failure with a.npz as attempt 1" },
	{ &algebra, "F=a.npz F=b.npz", VERDICT_UNDECIDED, 2, 1, 0, NULL },
	{ &algebra, "F@50=a.npz F@50=b.npz", VERDICT_STOP, 2, 2, 0, "step 50" },
	/* doubt stays, unless it was seen to be deterministic */
	{ &algebra, "F@50 F@40", VERDICT_UNDECIDED, 2, 1, 0, NULL },
	{ &algebra, "F@50 F@50", VERDICT_STOP, 2, 2, 0, "step 50" },
	{ &licence, "F F F F F F", VERDICT_UNDECIDED, 6, 6, 0, NULL },
	/* the other cause between ends the run, and total counts on */
	{ &crash, "F@9 G@9 F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "F@9 F@9 G@9 F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "F@9 G@9 F@9 G@9 F@9 G@9 F@9 G@9 F@9 G@9 F@9", VERDICT_STOP,
	    1, 1, 0,
	    "the job was tried again 10 times without progress, and its "
	    "budget is 10" },
	{ &crash, "F@9 - F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "F@9 + F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	/* whoever gets further each time may go on */
	{ &crash, "F@1 F@2 F@3 F@4 F@5 F@6 F@7 F@8 F@9 F@10 F@11 F@12",
	    VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "G@1 F@2 G@2 F@2 G@2 F@2 G@2 F@2 G@2 F@2 G@2 F@2",
	    VERDICT_STOP, 1, 1, 0, "its budget is 10" },
	/* numbers with gaps, out of order, twice, and later ones */
	{ &crash, "2:F@9 7:F@9", VERDICT_STOP, 2, 2, 0, "attempt 7" },
	{ &crash, "3:F@9 1:F@5 4:F@9", VERDICT_STOP, 2, 2, 0, "as attempt 3" },
	{ &crash, "3:F@9 1:F@5 2:F@7", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "1:F@9 1:G@9 2:F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	{ &crash, "1:F@9 1:F@9 2:F@5", VERDICT_RETRY, 2, 1, 2, NULL },
	{ &crash, "2:F@9 3:F@9 1:F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	/* a repeat proves nothing, only the number counts */
	{ &network, "F@9 F@9", VERDICT_RETRY, 2, 2, 2, NULL },
	{ &network, "F@9 F@9 F@9 F@9", VERDICT_STOP, 4, 4, 0, "3 retries" },
	{ &hardware, "F@9 F@9 F@9", VERDICT_ADJUST, 3, 3, 1, NULL },
	{ &sigterm, "F@9 F@9", VERDICT_RETRY, 2, 2, 2, NULL },
	{ &limit, "F@9", VERDICT_ADJUST, 1, 1, 1, NULL },
	{ &limit, "F@9 F@9", VERDICT_STOP, 2, 2, 0,
	    "1 retry for this cause made no progress, and its budget is 1" },
	{ &limit, "F@9 F@19", VERDICT_ADJUST, 1, 1, 1, NULL },
	/* no failure of the job: no budget, neither its own nor the job's */
	{ &preempted, "F F F F F F F F F F F F F F", VERDICT_RETRY, 14, 14, -1,
	    NULL },
	{ &crash, "P P P P P P P P P P P P F@9", VERDICT_RETRY, 1, 1, 3, NULL },
	/* failures that nothing names: never the same place */
	{ &unnamed, "F@9 F@9", VERDICT_STOP, 2, 2, 0, "step 9" },
	{ &nothing, "U@9 U@9", VERDICT_RETRY, 2, 1, 1, NULL },
	{ &nothing, "U@9 U@9 U@9", VERDICT_STOP, 3, 1, 0, "2 retries" },
	{ &unnamed, "U@9 F@9", VERDICT_RETRY, 1, 1, 2, NULL },
	/* what a retry has passed once is not deterministic */
	{ &missing, "F@9 F@9", VERDICT_STOP, 2, 2, 0, NULL },
	{ &missing, "F F", VERDICT_STOP, 2, 2, 0, NULL },
	{ &missing, "F F@9", VERDICT_STOP, 1, 1, 0, NULL },
	{ &missing, "F@9 F@5", VERDICT_STOP, 2, 1, 0, NULL },
	{ &missing, "F@9 F@19", VERDICT_RETRY, 1, 1, 3,
	    "but attempt 1 ended in the same failure and a later one came "
	    "past it" },
	{ &missing, "F@9 G@19 F", VERDICT_RETRY, 1, 1, 3, "attempt 1" },
	{ &missing, "F@9 + F@9", VERDICT_RETRY, 1, 1, 3, "attempt 1" },
	{ &missing, "F@9 F@19 F@19", VERDICT_STOP, 2, 2, 0, NULL },
	{ &missing, "F@9 F@19 F@29", VERDICT_RETRY, 1, 1, 3, "attempt 2" },
	{ &missing, "F@9 F@19 F@29 F@39", VERDICT_STOP, 1, 1, 0, NULL },
	{ &person, "F@9 F@19", VERDICT_STOP, 1, 1, 0, NULL },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *want = cases[i].reason;
		struct diagnosis d;
		const char *but;

		judge(&d, cases[i].sequence, cases[i].cause);
		but = strstr(d.reason, "; but ");
		if (d.verdict != cases[i].verdict ||
		    d.history.same_cause != cases[i].same_cause ||
		    d.history.same_place != cases[i].same_place ||
		    d.history.retries_left != cases[i].left || !but != !want ||
		    (want && !strstr(but, want)))
			fail_msg("%s '%s': %s, cause %d, place %d, left %d: %s",
			    cases[i].cause->category, cases[i].sequence,
			    taxonomy_verdict_name(d.verdict),
			    d.history.same_cause, d.history.same_place,
			    d.history.retries_left, d.reason);
		assert_true(d.history.known);
		diagnosis_release(&d);
	}
}

static void test_numbers(void **state)
{
	struct diagnosis d;

	(void)state;
	judge(&d, "2:F@9 5:F@5 6:F@7", &crash);
	assert_int_equal(d.history.attempts, 2);
	assert_int_equal(d.history.retries, 2);
	assert_true(d.history.progress);
	diagnosis_release(&d);
	judge(&d, "F@9 F@9", &crash);
	assert_false(d.history.progress);
	assert_int_equal(d.history.delay_seconds, 0);
	diagnosis_release(&d);
}

/* 60 seconds, twice as long each time, an hour at most; progress starts anew.
 */
static void test_delay(void **state)
{
	static const struct {
		const char *sequence;
		long delay;
	} rows[] = {
		{ "F@9", 60 },
		{ "F@9 F@9", 120 },
		{ "F@9 F@9 F@9", 240 },
		{ "F@9 F@9 F@10", 60 },
		{ "F@9 F@9 F@9 F@9", 0 },
	};
	struct diagnosis d;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		judge(&d, rows[i].sequence, &network);
		assert_int_equal(d.history.delay_seconds, rows[i].delay);
		assert_int_equal(d.adjust.delay_seconds, rows[i].delay);
		diagnosis_release(&d);
	}
	judge(&d, "F@9 F@9", &limit);
	assert_true(d.adjust.time_factor < 0.1);
	diagnosis_release(&d);
	judge(&d, "F@9", &limit);
	assert_true(d.adjust.time_factor > 1);
	diagnosis_release(&d);
}

/* What a site may set: no retry at one place, and rows that stop. */
static void test_site(void **state)
{
	static const struct cause expired = {
		"authentication_failure.aws_expired", "authentication_failure"
	};
	struct policy_row *row =
	    (struct policy_row *)(uintptr_t)taxonomy_policy(
		tax, NULL, "authentication_failure");
	int place = tax->budgets.same_place, retries = row->retries;
	struct diagnosis d;

	(void)state;
	tax->budgets.same_place = 0;
	judge(&d, "F@9", &crash);
	assert_int_equal(d.verdict, VERDICT_STOP);
	assert_non_null(strstr(d.reason, "; but this failure is not to be"));
	diagnosis_release(&d);
	judge(&d, "F@9", &algebra);
	assert_int_equal(d.verdict, VERDICT_UNDECIDED);
	diagnosis_release(&d);
	tax->budgets.same_place = place;
	/* the budget of a row that stops is not that of a rule that does not */
	row->retries = 0;
	judge(&d, "F@9", &expired);
	assert_int_equal(d.verdict, VERDICT_ADJUST);
	assert_int_equal(d.history.retries_left, 3);
	diagnosis_release(&d);
	row->retries = retries;
}

/* A long backoff neither overflows nor passes its bound. */
static void test_thousand(void **state)
{
	struct attempt v[1000];
	struct word w;
	struct diagnosis d;
	struct err e = { 0 };
	const char *last = "1000:F@9";
	struct policy_row *row =
	    (struct policy_row *)(uintptr_t)taxonomy_policy(
		tax, NULL, "network_communication");
	int retries = row->retries;

	(void)state;
	read_word(&last, &w, 1000);
	set_cause(&w.as, 'F', &network);
	for (int i = 0; i < 1000; i++) {
		v[i] = w.as;
		/* every number once, in no order */
		v[i].attempt = i * 7919 % 1000 + 1;
	}
	row->retries = RETRIES_ANY;
	diagnose(&d, &w);
	assert_int_equal(history_apply(&d, tax, v, 1000, &e), 0);
	assert_int_equal(d.verdict, VERDICT_RETRY);
	assert_int_equal(d.history.attempts, 999);
	assert_int_equal(d.history.same_cause, 1000);
	assert_int_equal(d.history.same_place, 1000);
	assert_int_equal(d.history.retries_left, -1);
	assert_int_equal(d.history.delay_seconds, 3600);
	diagnosis_release(&d);
	row->retries = retries;
	diagnose(&d, &w);
	assert_int_equal(history_apply(&d, tax, v, 1000, &e), 0);
	assert_int_equal(d.verdict, VERDICT_STOP);
	assert_non_null(strstr(d.reason, "999 retries"));
	diagnosis_release(&d);
}

/* A launcher's word says the same of every cause: only a step makes it a
 * repeat. */
static void test_vague(void **state)
{
	struct cause c = { NULL, NULL };
	struct diagnosis d;

	(void)state;
	for (size_t i = 0; i < tax->n_rules && !c.rule; i++) {
		const struct rule *r = taxonomy_rule_at(tax, i);

		if (r->role != ROLE_CONSEQUENCE ||
		    strncmp(r->id, "native_crash.", 13) != 0)
			continue;
		c.rule = r->id;
		c.category = "native_crash";
	}
	assert_non_null(c.rule);
	judge(&d, "F@70 F@70", &c);
	assert_int_equal(d.verdict, VERDICT_STOP);
	diagnosis_release(&d);
	judge(&d, "F F F", &c);
	assert_int_equal(d.verdict, VERDICT_RETRY);
	assert_int_equal(d.history.retries_left, 1);
	diagnosis_release(&d);
}

static void test_progress(void **state)
{
	static const struct {
		struct attempt a, b;
		bool further;
	} rows[] = {
		{ { .last = { -1, 5 } }, { .last = { -1, 6 } }, true },
		{ { .last = { -1, 6 } }, { .last = { -1, 6 } }, false },
		{ { .last = { -1, 6 } }, { .last = { -1, -1 } }, false },
		{ { .last = { -1, -1 } }, { .last = { -1, 1 } }, true },
		{ { .last = { 2, 10 } }, { .last = { 3, 1 } }, true },
		{ { .last = { 3, 1 } }, { .last = { 2, 10 } }, false },
		{ { .last = { -1, -1 }, .checkpoint = "checkpoint-20" },
		    { .last = { -1, -1 }, .checkpoint = "checkpoint-30" },
		    true },
		{ { .last = { -1, -1 }, .checkpoint = "checkpoint-30" },
		    { .last = { -1, -1 }, .checkpoint = "checkpoint-20" },
		    false },
		{ { .last = { -1, -1 }, .checkpoint = "" },
		    { .last = { -1, -1 }, .checkpoint = "x.pt" }, true },
		{ { .last = { -1, -1 }, .checkpoint = "x.pt" },
		    { .last = { -1, -1 }, .checkpoint = "" }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(history_progress(tax, &rows[i].a, &rows[i].b),
		    rows[i].further);
}

static void test_attempt(void **state)
{
	struct diagnosis d;
	struct attempt a;

	(void)state;
	judge(&d, "4:F@50#ckpt-40=a.npz", &algebra);
	history_attempt(&d, &a);
	assert_int_equal(a.attempt, 4);
	assert_int_equal(a.failed, 1);
	assert_int_equal(a.last.step, 50);
	assert_string_equal(a.checkpoint, "ckpt-40");
	assert_string_equal(a.artefact, "a.npz");
	assert_string_equal(a.rule, algebra.rule);
	assert_string_equal(a.category, algebra.category);
	assert_string_equal(a.fingerprint, "00000000000000f1");
	assert_int_equal(a.verdict, VERDICT_UNDECIDED);
	diagnosis_release(&d);
}

/* Another rank, node, time, path or figure is no other failure. */
static void test_noise(void **state)
{
	static const char *const texts[] = {
		"2024-05-01 12:00:00,123 n1 INFO step 120 loss 0.5\n"
		"[rank0]: Traceback (most recent call last):\n"
		"[rank0]:   File \"/home/ada/a/train.py\", line 7, in step\n"
		"[rank0]:     lease()\n"
		"[rank0]: RuntimeError: worker 4711 lost its lease\n",
		"2024-06-11 03:10:40,001 n9 INFO step 120 loss 0.4\n"
		"[rank5]: Traceback (most recent call last):\n"
		"[rank5]:   File \"/scratch/7/train.py\", line 7, in step\n"
		"[rank5]:     lease()\n"
		"[rank5]: RuntimeError: worker 12 lost its lease\n",
	};
	struct diagnosis first, second;
	struct err e = { 0 };
	struct attempt a;
	struct lab lab;

	(void)state;
	lab_open(&lab, true);
	lab_text(&lab, texts[0], &first);
	lab_text(&lab, texts[1], &second);
	assert_int_equal(second.verdict, VERDICT_RETRY);
	second.attempt = 2;
	history_attempt(&first, &a);
	assert_int_equal(history_apply(&second, lab.tax, &a, 1, &e), 0);
	assert_int_equal(second.verdict, VERDICT_STOP);
	assert_non_null(strstr(second.reason, "at step 120 as attempt 1"));
	diagnosis_release(&first);
	diagnosis_release(&second);
	lab_close(&lab);
}

/* An answer that is not sure enough for a stop is tried again, once. */
static void test_unsure(void **state)
{
	static const char text[] =
	    "/job/run.sh: line 4: module: command not found\n"
	    "cp: cannot stat 'a.bin': No such file or directory\n";
	struct diagnosis d;
	struct err e = { 0 };
	struct attempt a;
	struct lab lab;

	(void)state;
	lab_open(&lab, true);
	lab_text(&lab, text, &d);
	assert_int_equal(d.confidence, CONFIDENCE_LOW);
	assert_true(d.unsure_stop);
	assert_int_equal(d.verdict, VERDICT_RETRY);
	assert_non_null(strstr(d.reason, "not sure enough for a stop"));
	history_attempt(&d, &a);
	d.attempt = 2;
	assert_int_equal(history_apply(&d, lab.tax, &a, 1, &e), 0);
	assert_int_equal(d.verdict, VERDICT_STOP);
	assert_non_null(strstr(d.reason, "its budget is 1"));
	diagnosis_release(&d);
	lab_close(&lab);
}

/* Before the first step, another stage of the job is another place. */
static void test_stage(void **state)
{
	struct diagnosis d;
	struct err e = { 0 };
	struct attempt a;
	struct lab lab;

	(void)state;
	lab_open(&lab, true);
	for (int other = 0; other < 2; other++) {
		lab_text(&lab,
		    "Running evaluation\nSegmentation fault (core dumped)\n",
		    &d);
		assert_int_equal(d.verdict, VERDICT_RETRY);
		history_attempt(&d, &a);
		assert_non_null(a.stage);
		d.attempt = 2;
		if (other)
			a.stage = "initialization";
		assert_int_equal(history_apply(&d, lab.tax, &a, 1, &e), 0);
		assert_int_equal(d.history.same_place, other ? 1 : 2);
		assert_int_equal(
		    d.verdict, other ? VERDICT_RETRY : VERDICT_STOP);
		diagnosis_release(&d);
	}
	lab_close(&lab);
}

static int open_taxonomy(void **state)
{
	struct err e = { 0 };

	(void)state;
	/* Not the image: some tests change a row for a while. */
	tax = taxonomy_load_files(NULL, 0, NULL, &e);
	return tax ? 0 : -1;
}

static int close_taxonomy(void **state)
{
	(void)state;
	taxonomy_free(tax);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_site),
		cmocka_unit_test(test_thousand),
		cmocka_unit_test(test_vague),
		cmocka_unit_test(test_progress),
		cmocka_unit_test(test_attempt),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_unsure),
		cmocka_unit_test(test_stage),
	};

	return cmocka_run_group_tests(tests, open_taxonomy, close_taxonomy);
}
