/*
 * An entry that is filled from a diagnosis is the one that is read from the
 * diagnosis' JSON: for the whole corpus, for job records without logs, and for
 * texts that are hard to write. And its brief form is that entry, too.
 */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "diagnose/evidence/scan.h"
#include "jobs/accounting.h"
#include "jobs/layout.h"
#include "jobs/triage.h"
#include "reports/output/diagnosis_json.h"
#include "reports/store/entry_brief.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
	const struct taxonomy *tax;
	size_t jobs, proofs, curves, phases, frames, remedies, records;
};

/* Lists are compared by what they hold, and are one then. Strings of one arena
 * are one when they are equal. */
#define SAME_LIST(a, b, v, n)                                         \
	do {                                                          \
		assert_int_equal((a)->n, (b)->n);                     \
		if ((a)->n)                                           \
			assert_memory_equal(                          \
			    (a)->v, (b)->v, (a)->n * sizeof *(a)->v); \
		(a)->v = (b)->v;                                      \
	} while (0)

static void same_entry(struct entry *a, struct entry *b)
{
	SAME_LIST(a, b, nodes, n_nodes);
	SAME_LIST(a, b, rules, n_rules);
	SAME_LIST(a, b, evidence, n_evidence);
	SAME_LIST(a, b, consequences, n_consequences);
	SAME_LIST(a, b, remedies, n_remedies);
	SAME_LIST(a, b, notes, n_notes);
	SAME_LIST(a, b, trends, n_trends);
	SAME_LIST(a, b, curves, n_curves);
	assert_memory_equal(a, b, sizeof *a);
}

/* The brief form has all but what it says it lacks. */
static void same_brief(struct entry *en, struct arena *arena)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct err e = { 0 };
	struct entry back, less = *en;

	less.remedies = less.notes = NULL;
	less.consequences = NULL;
	less.curves = NULL;
	less.n_remedies = less.n_notes = less.n_consequences = less.n_curves =
	    0;
	less.frame = less.checkpoint = NULL;
	if (less.n_evidence > 1)
		less.n_evidence = 1;
	assert_int_equal(entry_brief_write(en, &b), 0);
	if (entry_brief_read(&back, (struct span){ b.p, b.len }, arena, &e))
		fail_msg("%s: %s", en->job, e.text);
	same_entry(&back, &less);
	buf_release(&b);
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct seen *s = ctx;
	struct buf text = BUF_INIT(BUF_MAX);
	struct arena *arena = arena_new();
	struct entry filled, read;
	struct err e = { 0 };
	struct json *o;

	assert_int_equal(diagnosis_json_text(d, s->tax, &text, &e), 0);
	o = json_parse((struct span){ text.p, text.len }, JSON_PARSE, &e);
	assert_non_null(o);
	if (entry_read(&read, o, arena, &e))
		fail_msg("%s: %s", d->job, e.text);
	assert_int_equal(entry_fill(&filled, d, s->tax, arena, &e), 0);
	same_entry(&filled, &read);
	same_brief(&filled, arena);
	s->jobs++;
	s->proofs += filled.n_evidence + filled.n_consequences;
	s->curves += filled.n_curves;
	s->phases += filled.goodput.spent[PHASE_TRAINING] > 0;
	s->frames += filled.frame != NULL;
	s->remedies += filled.n_remedies;
	s->records += filled.has_record;
	json_free(o);
	arena_free(arena);
	buf_release(&text);
	return 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	(void)ctx;
	(void)path;
	(void)kind;
	(void)text;
}

/* All jobs under a path, and those of a file of records. */
static struct seen look(const char *path, const char *jobs)
{
	struct err e = { 0 };
	struct limits limits;
	struct taxonomy *tax = taxonomy_load(NULL, 0, &e);
	struct accounting *records = accounting_new(tax);
	struct triage_counters counters = { 0 };
	struct seen s = { .tax = tax };
	const struct triage_sink sink = {
		.ctx = &s, .job = on_job, .note = on_note
	};
	struct triage_options o = { .taxonomy = tax,
		.limits = &limits,
		.threads = 1,
		.records = records };
	struct engine *engine;
	struct layout *layout = layout_new(tax, NULL, &e);

	limits_init(&limits);
	assert_non_null(tax);
	assert_non_null(layout);
	engine = engine_new(tax, &limits, true, &e);
	assert_non_null(engine);
	engine_excerpts(engine);
	engine_trends(engine);
	engine_goodput(engine);
	if (jobs)
		assert_int_equal(accounting_load(records, jobs, NULL, &e), 0);
	assert_int_equal(accounting_settle(records, &e), 0);
	o.engine = engine;
	o.layout = layout;
	if (triage_run(&o, &path, path != NULL, &sink, &counters, &e))
		fail_msg("%s", e.text);
	layout_free(layout);
	engine_free(engine);
	accounting_free(records);
	taxonomy_free(tax);
	return s;
}

/* A file in the test's folder. */
static const char *make(const char *name, const char *text, size_t n)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return name;
}

static void test_corpus(void **state)
{
	const char *top = getenv("TOP");
	char path[512];
	struct seen s;

	(void)state;
	snprintf(path, sizeof path, "%s/corpus", top ? top : ".");
	s = look(path, NULL);
	assert_true(s.jobs > 300);
	assert_true(s.proofs > 300 && s.frames > 50 && s.remedies > 300);
}

static void test_records(void **state)
{
	static const char text[] =
	    "JobID|JobName|User|Account|Partition|Submit|Start|End|State|"
	    "ExitCode|NodeList|AllocTRES\n"
	    "1|a\xff|u|g|p|2024-04-01T09:50:00|2024-04-01T09:50:10|"
	    "2024-04-01T20:49:34|FAILED|1:0|gpu[042-049]|gres/gpu=16\n"
	    "2|b|u|g|p|Unknown|Unknown|Unknown|PENDING|0:0|None assigned|\n"
	    "3|c|||p|2024-04-01T09:50:00|2024-04-01T09:50:10|"
	    "2024-04-01T20:49:34|OUT_OF_MEMORY|0:125|gpu042|gres/gpu=8\n"
	    "4|d|||p|2024-04-01T09:50:00|2024-04-01T09:50:10|"
	    "2024-04-01T20:49:34|COMPLETED|0:0|gpu042|gres/gpu=8\n";
	struct seen s;

	(void)state;
	s = look(NULL, make("records.txt", text, sizeof text - 1));
	assert_int_equal(s.jobs, 4);
	assert_int_equal(s.records, 4);
}

/* Texts that are no UTF-8, long, with control characters; curves, and phases.
 */
static void test_hard(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct seen s;

	(void)state;
	buf_adds(&b,
	    "Traceback (most recent call last):\n"
	    "  File \"/u/tr\xff"
	    "ain.py\", line 9, in m\x01in\n"
	    "    loss.back\"ward()\\\n"
	    "KeyError: '\xe2\x82\xac \xc3 ");
	for (int i = 0; i < 300; i++)
		buf_adds(&b, "\xe2\x82\xac");
	buf_adds(&b, "'\n");
	make("hard.log", b.p, b.len);
	s = look("hard.log", NULL);
	assert_int_equal(s.frames, 1);
	buf_clear(&b);
	for (int i = 1; i < 400; i++)
		buf_addf(&b, "step %d loss: %s%d.%d lr: 0.1\n", i * 10,
		    i > 380 ? "nan " : "", i > 200 ? i * 7 : 2, i % 10);
	make("curve.log", b.p, b.len);
	s = look("curve.log", NULL);
	assert_true(s.curves > 0);
	buf_clear(&b);
	for (int i = 10; i < 60; i++)
		buf_addf(&b, "2026-03-09 10:%d:00 INFO step %d\n", i, i);
	make("phases.log", b.p, b.len);
	s = look("phases.log", NULL);
	assert_int_equal(s.phases, 1);
	buf_release(&b);
}

int main(void)
{
	const char *folder = getenv("TMPDIR");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_corpus),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_hard),
	};

	if (!getenv("TOP")) {
		char here[256];

		if (getcwd(here, sizeof here))
			setenv("TOP", here, 1);
	}
	if (folder && chdir(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
