/* What a job has cost, from its record, from its logs, and from both. */
#include "tests/diagnose/labs.h"

#include "diagnose/decision/dates.h"
#include "diagnose/job_record.h"

#define SECOND INT64_C(1000000)
#define HOUR (3600 * SECOND)
/* 2024-05-01 08:00:00 UTC */
#define START (INT64_C(1714550400) * SECOND)

/* Ran from START for an hour, on 4 GPUs. */
static const struct job_record hour = {
	.started = START,
	.ended = START + HOUR,
	.seconds = 3600,
	.gpus = 4,
	.gpu_seconds = 14400,
};

/* A failed job: an hour, and a checkpoint in the middle. */
#define LOG(H0, H1)                                                          \
	"2024-05-01 " H0 ":05:00,000 INFO step 1 loss 2 on cuda:0\n"         \
	"2024-05-01 " H0 ":35:00,000 INFO Saved checkpoint to /r/c-100.pt\n" \
	"2024-05-01 " H0 ":55:00,000 INFO step 200 loss 2\n"                 \
	"2024-05-01 " H1 ":00:00,000 ERROR RuntimeError: CUDA out of "       \
	"memory. Tried to allocate 2.00 GiB\n"

static const char *const no_checkpoint =
    "2024-05-01 08:00:00,000 INFO step 1 loss 2 on cuda:0\n"
    "2024-05-01 08:10:00,000 ERROR RuntimeError: CUDA out of memory. Tried to "
    "allocate 2.00 GiB\n";

static struct usage usage_of(
    const struct job_record *r, const char *const *texts, size_t n, int failed)
{
	struct diagnosis d;
	struct err e = { 0 };
	struct usage u;

	lab_job(&lab, texts, n, &d);
	d.record = r;
	if (failed < 2)
		d.failed = failed;
	dates_settle(&d);
	assert_int_equal(job_facts_find(&d, lab.tax, &e), 0);
	usage_find(&d);
	u = d.usage;
	diagnosis_release(&d);
	return u;
}

static struct usage usage_of_text(const struct job_record *r, const char *text)
{
	return usage_of(r, &text, 1, 2);
}

static void a_record_alone(void **state)
{
	struct usage u = usage_of(&hour, NULL, 0, 1);

	(void)state;
	assert_true(u.started == START && u.ended == START + HOUR);
	assert_int_equal(u.gpus, 4);
	assert_int_equal(u.runtime_seconds, 3600);
	assert_int_equal(u.gpu_seconds, 14400);
	assert_int_equal(u.gpu_seconds_lost, 14400);
	assert_false(u.estimated);
	u = usage_of(&hour, NULL, 0, 0);
	assert_int_equal(u.gpu_seconds_lost, 0);
	u = usage_of(&hour, NULL, 0, -1);
	assert_int_equal(u.gpu_seconds, 14400);
	assert_int_equal(u.gpu_seconds_lost, USAGE_UNKNOWN);
}

/* Without GPUs it is told of CPUs, and only then. */
static void cpus(void **state)
{
	struct job_record r = hour;
	struct usage u;

	(void)state;
	r.cpus = 8;
	u = usage_of(&r, NULL, 0, 1);
	assert_int_equal(u.cpus, USAGE_UNKNOWN);
	assert_int_equal(u.cpu_seconds, USAGE_UNKNOWN);
	r.gpus = r.gpu_seconds = 0;
	u = usage_of(&r, NULL, 0, 1);
	assert_int_equal(u.gpu_seconds_lost, 0);
	assert_int_equal(u.cpus, 8);
	assert_int_equal(u.cpu_seconds, 28800);
	assert_int_equal(u.cpu_seconds_lost, 28800);
	u = usage_of(&r, NULL, 0, 0);
	assert_int_equal(u.cpu_seconds_lost, 0);
	u = usage_of_text(&r, LOG("08", "09")); /* 25 minutes after it */
	assert_int_equal(u.cpu_seconds_lost, 12000);
	r.cpus = USAGE_UNKNOWN;
	u = usage_of(&r, NULL, 0, 1);
	assert_int_equal(u.cpu_seconds_lost, USAGE_UNKNOWN);
}

static void logs_alone(void **state)
{
	struct usage u = usage_of_text(NULL, no_checkpoint);

	(void)state;
	assert_true(u.estimated);
	assert_true(u.started == START && u.ended == START + 600 * SECOND);
	assert_int_equal(u.gpus, 1);
	assert_int_equal(u.gpu_seconds, 600);
	assert_int_equal(u.gpu_seconds_lost, 600);
	u = usage_of_text(NULL, LOG("08", "09"));
	assert_int_equal(u.gpu_seconds, 55 * 60);
	assert_int_equal(u.gpu_seconds_lost, 25 * 60);
	u = usage_of_text(NULL, "");
	assert_true(u.started == ENVELOPE_NO_TIME);
	assert_int_equal(u.gpus, USAGE_UNKNOWN);
	assert_int_equal(u.runtime_seconds, USAGE_UNKNOWN);
	assert_int_equal(u.gpu_seconds, USAGE_UNKNOWN);
	assert_int_equal(u.gpu_seconds_lost, USAGE_UNKNOWN);
	/* a clock that went back */
	u = usage_of_text(NULL,
	    "2024-05-01 09:00:00,000 INFO step 1\n"
	    "2024-05-01 08:00:00,000 INFO step 2\n");
	assert_int_equal(u.runtime_seconds, USAGE_UNKNOWN);
}

/* Local time of any zone gives the same answer. */
static void zones_are_aligned(void **state)
{
	static const char *const logs[] = {
		LOG("08", "09"), /* UTC */
		LOG("10", "11"), /* Paris */
		LOG("01", "02"), /* Los Angeles */
	};
	struct usage u;

	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		u = usage_of_text(&hour, logs[i]);
		assert_false(u.estimated);
		assert_int_equal(u.gpu_seconds, 14400);
		assert_int_equal(u.gpu_seconds_lost, 4 * 25 * 60);
	}
}

static void what_cannot_be_aligned(void **state)
{
	struct job_record r = hour;
	struct usage u;

	(void)state;
	/* the record's run is shorter than the log: from the log's start on */
	r.ended = START + 45 * 60 * SECOND;
	r.seconds = 45 * 60;
	r.gpu_seconds = USAGE_UNKNOWN;
	u = usage_of_text(&r, LOG("08", "09"));
	assert_int_equal(u.gpu_seconds, 4 * 45 * 60);
	assert_int_equal(u.gpu_seconds_lost, 4 * 15 * 60);
	/* another day: 30 minutes were kept */
	r = hour;
	r.started += 72 * HOUR;
	r.ended += 72 * HOUR;
	u = usage_of_text(&r, LOG("08", "09"));
	assert_int_equal(u.gpu_seconds_lost, 4 * 30 * 60);
	/* never more than the run, never less than nothing */
	r.ended = r.started + 60 * SECOND;
	r.seconds = 60;
	r.gpu_seconds = 240;
	u = usage_of_text(&r, LOG("08", "09"));
	assert_int_equal(u.gpu_seconds_lost, 0);
	/* a checkpoint, but when? */
	u = usage_of_text(&hour,
	    "Saved checkpoint to /r/c-100.pt\nRuntimeError: CUDA out of "
	    "memory. Tried to allocate 2.00 GiB\n");
	assert_int_equal(u.gpu_seconds, 14400);
	assert_int_equal(u.gpu_seconds_lost, USAGE_UNKNOWN);
}

/* The record wins field by field. */
static void a_record_with_gaps(void **state)
{
	struct job_record r = hour;
	struct usage u;

	(void)state;
	r.gpus = r.gpu_seconds = USAGE_UNKNOWN;
	u = usage_of_text(&r, no_checkpoint);
	assert_true(u.estimated);
	assert_int_equal(u.gpus, 1);
	assert_int_equal(u.gpu_seconds, 3600);
	r = hour;
	r.seconds = r.gpu_seconds = USAGE_UNKNOWN;
	u = usage_of_text(&r, no_checkpoint);
	assert_false(u.estimated);
	assert_int_equal(u.gpu_seconds, 14400);
	r.started = r.ended = ENVELOPE_NO_TIME;
	u = usage_of_text(&r, no_checkpoint);
	assert_true(u.estimated);
	assert_int_equal(u.gpu_seconds, 2400);
	/* shares of GPUs: their sum is the record's, not a product */
	r = hour;
	r.gpus = USAGE_UNKNOWN;
	r.gpu_seconds = 1800;
	u = usage_of_text(&r, LOG("08", "09"));
	assert_int_equal(u.gpus, USAGE_UNKNOWN);
	assert_int_equal(u.gpu_seconds, 1800);
	assert_int_equal(u.gpu_seconds_lost, 1800 * 25 / 60);
	/* no GPU at all */
	r.gpus = 0;
	r.gpu_seconds = USAGE_UNKNOWN;
	u = usage_of_text(&r, no_checkpoint);
	assert_int_equal(u.gpu_seconds, 0);
	assert_int_equal(u.gpu_seconds_lost, 0);
}

static void large_figures(void **state)
{
	struct job_record r = hour;
	struct usage u;

	(void)state;
	r.gpus = INT64_MAX / 10;
	r.gpu_seconds = USAGE_UNKNOWN;
	u = usage_of_text(&r, no_checkpoint);
	assert_int_equal(u.gpu_seconds, USAGE_UNKNOWN);
	assert_int_equal(u.gpu_seconds_lost, USAGE_UNKNOWN);
	/* as large as a reader of the answers takes, and not larger */
	r.gpu_seconds = USAGE_SECONDS_END / 3600 * 3600;
	u = usage_of_text(&r, LOG("08", "09"));
	assert_true(u.gpu_seconds_lost == USAGE_SECONDS_END / 3600 * 1500);
	r.gpu_seconds = USAGE_SECONDS_END;
	u = usage_of_text(&r, LOG("08", "09"));
	assert_int_equal(u.gpu_seconds, USAGE_UNKNOWN);
	assert_int_equal(u.gpu_seconds_lost, USAGE_UNKNOWN);
}

/* The latest checkpoint of any log counts, and any log's sizes. */
static void many_logs(void **state)
{
	static const char *const texts[] = {
		"2024-05-01 08:00:00,000 INFO world_size=2 on cuda:0\n"
		"2024-05-01 08:20:00,000 INFO Saved checkpoint to /r/c-1.pt\n"
		"2024-05-01 08:55:00,000 INFO step 200 loss 2\n",
		"2024-05-01 08:01:00,000 INFO step 1 loss 2\n"
		"2024-05-01 08:40:00,000 INFO Saved checkpoint to /r/c-2.pt\n"
		"2024-05-01 08:50:00,000 ERROR RuntimeError: CUDA out of "
		"memory. Tried to allocate 2.00 GiB\n",
		"2024-05-01 08:20:00,000 INFO step 1 loss 2\n",
	};
	struct usage u = usage_of(NULL, texts, 2, 1);

	(void)state;
	assert_int_equal(u.gpus, 2);
	assert_int_equal(u.runtime_seconds, 55 * 60);
	assert_int_equal(u.gpu_seconds_lost, 2 * 15 * 60);
	u = usage_of(&hour, texts, 2, 1);
	assert_int_equal(u.gpu_seconds_lost, 4 * 20 * 60);
	/* three ranks are at least three GPUs */
	u = usage_of(NULL, texts, 3, 1);
	assert_int_equal(u.gpus, 3);
}

/* glog and syslog name no year: it is that of the other lines, of the job's
 * other logs, or of its record. */
static void dates_without_a_year(void **state)
{
	static const char glog[] =
	    "[rank0]:[E501 08:50:00.118204402 Group.cpp:616] dead\n";
	static const char dated[] = "2024-05-01 08:10:00,000 INFO step 1\n";
	static const struct {
		const char *texts[2];
		int64_t seconds;
	} rows[] = {
		{ { "I0501 08:00:00.000000 12 a.cc:1] up\n"
		    "2024-05-01 08:40:00,000 INFO step 1\n" },
		    2400 },
		{ { "2024-05-01 08:10:00,000 INFO step 1\n"
		    "[rank0]:[E501 08:50:00.118204402 Group.cpp:616] x\n" },
		    2400 },
		{ { dated, glog }, 2400 },
		{ { glog, dated }, 2400 },
		{ { glog, "May  1 08:00:00 gn1 kernel: x\n" }, 3000 },
		/* a year ends */
		{ { "2023-12-31 23:50:00,000 INFO step 1\n"
		    "I0101 00:10:00.000000 12 a.cc:1] down\n" },
		    1200 },
		{ { "I1231 23:50:00.000000 12 a.cc:1] up\n"
		    "2024-01-01 00:10:00,000 INFO step 1\n" },
		    1200 },
	};
	struct usage u;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		u = usage_of(NULL, rows[i].texts, rows[i].texts[1] ? 2 : 1, 1);
		assert_int_equal(u.runtime_seconds, rows[i].seconds);
	}
	u = usage_of(NULL, rows[0].texts, 1, 1);
	assert_true(u.started == START);
	/* a checkpoint by the one, a failure by the other */
	u = usage_of_text(&hour,
	    "I0501 08:01:00.000000 12 a.cc:1] up\n"
	    "2024-05-01 08:35:00,000 INFO Saved checkpoint to /r/c-100.pt\n"
	    "2024-05-01 08:36:00,000 INFO step 101 loss 2\n"
	    "E0501 08:55:00.000000 12 a.cc:1] CUDA out of memory. Tried to "
	    "allocate 2.00 GiB\n");
	assert_int_equal(u.gpu_seconds_lost, 4 * 1500);
	/* without a year anywhere: differences only */
	u = usage_of(NULL, (const char *const[]){ glog }, 1, 1);
	assert_true(
	    u.started == ENVELOPE_NO_TIME && u.ended == ENVELOPE_NO_TIME);
}

/* A log that was appended to for months ran as long as its launches did. */
static void launches_alone_have_cost(void **state)
{
	struct usage u = usage_of_text(NULL,
	    "2024-05-01 08:00:00,000 INFO starting with its settings\n"
	    "2024-05-01 08:00:01,000 INFO 8 GPUs: cuda:0 to cuda:7\n"
	    "2024-05-01 08:30:00,000 INFO shards are sorted\n"
	    "2024-11-03 17:00:00,000 INFO starting with its settings\n"
	    "2024-11-03 17:00:01,000 INFO 8 GPUs: cuda:0 to cuda:7\n"
	    "2024-11-03 17:10:00,000 INFO shards are sorted\n");

	(void)state;
	assert_int_equal(u.runtime_seconds, 2400);
	assert_int_equal(u.started, START);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_alone_have_cost),
		cmocka_unit_test(a_record_alone),
		cmocka_unit_test(cpus),
		cmocka_unit_test(logs_alone),
		cmocka_unit_test(zones_are_aligned),
		cmocka_unit_test(what_cannot_be_aligned),
		cmocka_unit_test(a_record_with_gaps),
		cmocka_unit_test(large_figures),
		cmocka_unit_test(many_logs),
		cmocka_unit_test(dates_without_a_year),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
