/* One job from all paths: what it is called, and which record is its own. */
#include "tests/input/record.h"
#include "tests/jobs/jobs_lab.h"

#include "jobs/accounting.h"
#include "jobs/triage.h"

#define KEY "KeyError: 'lr'\n"

struct lab {
	struct made made;
	struct accounting *records; /* or NULL */
	struct triage_job job;
	struct diagnosis d;
	unsigned notes;
};

static void lab_open(struct lab *l, const char *records)
{
	const struct accounting_options o = { .map = NULL };
	struct err e = { 0 };

	*l = (struct lab){ .job = { .exit_code = -1, .signal = -1 } };
	made_open(&l->made, NULL);
	if (!records)
		return;
	write_text("sacct.txt", records);
	l->records = accounting_new(l->made.tax);
	assert_non_null(l->records);
	assert_int_equal(accounting_load(l->records, "sacct.txt", &o, &e), 0);
	assert_int_equal(accounting_settle(l->records, &e), 0);
}

static void lab_close(struct lab *l)
{
	diagnosis_release(&l->d);
	accounting_free(l->records);
	made_close(&l->made);
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct lab *l = ctx;

	(void)path;
	(void)kind;
	(void)text;
	l->notes++;
}

static const struct diagnosis *ask(
    struct lab *l, const char *const *paths, size_t n)
{
	const struct triage_options o = { .taxonomy = l->made.tax,
		.limits = &l->made.limits,
		.engine = l->made.engine,
		.layout = l->made.layout,
		.records = l->records };
	const struct triage_sink sink = { .ctx = l, .note = on_note };
	struct err e = { 0 };

	diagnosis_release(&l->d);
	l->notes = 0;
	l->job.paths = paths;
	l->job.n_paths = n;
	if (triage_one(&o, &l->job, &sink, &l->d, &e))
		fail_msg("%s", e.text);
	return &l->d;
}

static void all_paths(void **state)
{
	static const char *const paths[] = { "x/b.log", "a", "c.tar", "gone" };
	const struct diagnosis *d;
	struct lab l;

	(void)state;
	sh("mkdir x a && echo step 1 >x/b.log && cp x/b.log a/1.log && "
	   "printf \"KeyError: 'lr'\\n\" >a/2.log && tar cf c.tar a");
	lab_open(&l, NULL);
	d = ask(&l, paths, 4);
	assert_int_equal(d->n_logs, 5);
	assert_string_equal(d->job, "x/b");
	assert_string_equal(diagnosis_category(d), "key_not_found");
	assert_int_equal(d->attempt, 1);
	assert_int_equal(l.notes, 1);
	assert_false(l.job.named);
	/* however many archives, and at the limit the rest is left out */
	l.made.limits.v[LIMIT_PENDING] = 2000;
	d = ask(&l, paths, 4);
	assert_true(d->n_logs < 5 && d->n_logs > 0);
	assert_int_equal(l.notes, 2);
	lab_close(&l);
}

static void no_log(void **state)
{
	static const char *const gone[] = { "slurm-12.out" };
	const struct diagnosis *d;
	struct lab l;

	(void)state;
	lab_open(&l, NULL);
	d = ask(&l, gone, 1);
	assert_string_equal(d->job, "12");
	assert_int_equal(d->failed, -1);
	assert_int_equal(d->verdict, VERDICT_UNDECIDED);
	d = ask(&l, NULL, 0);
	assert_string_equal(d->job, "unknown");
	assert_int_equal(d->verdict, VERDICT_UNDECIDED);
	assert_null(d->record);
	lab_close(&l);
}

static void names(void **state)
{
	static const char *const path[] = { "slurm-12.out" };
	static const char *const torch[] = { "run/attempt_2/0/stdout.log" };
	const struct diagnosis *d;
	struct lab l;

	(void)state;
	write_text("slurm-12.out", KEY);
	sh("mkdir -p run/attempt_2/0");
	write_text("run/attempt_2/0/stdout.log", KEY);
	lab_open(&l, NULL);
	l.job.id = "7";
	l.job.attempt = 4;
	d = ask(&l, path, 1);
	assert_string_equal(d->job, "7");
	assert_int_equal(d->attempt, 4);
	assert_true(l.job.named);
	l.job = (struct triage_job){ .exit_code = -1, .signal = -1 };
	d = ask(&l, path, 1);
	assert_string_equal(d->job, "12");
	assert_string_equal(d->key, "1|slurm-|12");
	d = ask(&l, torch, 1);
	assert_int_equal(d->attempt, 3);
	assert_true(l.job.named);
	lab_close(&l);
}

#define HEAD "JobID|State|ExitCode|Start|End|Elapsed|Restarts|AllocTRES\n"

static void records(void **state)
{
	static const char *const path[] = { "slurm-12.out" };
	const struct diagnosis *d;
	struct lab l;

	(void)state;
	write_text("slurm-12.out", "step 1\n");
	lab_open(&l,
	    HEAD "12|TIMEOUT|0:0|2026-11-20T10:00:00|2026-11-20T11:00:00|"
		 "01:00:00||billing=4,gres/gpu=4\n"
		 "13|RUNNING|0:0|2026-11-20T10:00:00|Unknown|01:00:00||\n");
	d = ask(&l, path, 1);
	assert_true(l.job.recorded && l.job.named);
	assert_ptr_equal(d->record, &l.job.record);
	assert_string_equal(diagnosis_category(d), "time_limit_exceeded");
	/* the one record is the last attempt's, whatever its number */
	l.job.attempt = 3;
	d = ask(&l, path, 1);
	assert_true(l.job.recorded);
	assert_int_equal(d->attempt, 3);
	assert_int_equal(d->record->attempt, 3);
	/* what is told stands behind what the record says */
	l.job.exit_code = 7;
	d = ask(&l, path, 1);
	assert_string_equal(d->record->state, "TIMEOUT");
	assert_int_equal(d->record->exit_code, 0);
	/* but not behind a record that is older */
	l.job.id = "13";
	l.job.attempt = 0;
	d = ask(&l, path, 1);
	assert_string_equal(d->record->state, "FAILED");
	assert_int_equal(d->record->end, JOB_END_FAILED);
	/* of an unknown job nothing but the exit code is known */
	l.job.id = "99";
	d = ask(&l, path, 1);
	assert_false(l.job.recorded);
	assert_string_equal(d->record->id, "99");
	assert_string_equal(d->record->state, "FAILED");
	assert_int_equal(d->record->exit_code, 7);
	l.job.exit_code = 0;
	d = ask(&l, path, 1);
	assert_string_equal(d->record->state, "COMPLETED");
	assert_int_equal(d->failed, 0);
	l.job.exit_code = -1;
	l.job.signal = 11;
	d = ask(&l, path, 1);
	assert_string_equal(diagnosis_category(d), "native_crash");
	lab_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(all_paths),
		IN_FOLDER(no_log),
		IN_FOLDER(names),
		IN_FOLDER(records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
