/*
 * Job records: Slurm's accounting as text, from its rows to what is found by
 * the name of a log.
 */
#include "tests/jobs/accounting_lab.h"

#include <pthread.h>
#include <time.h>

static void test_any_columns(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "State|JobID|AllocTRES|Start|End|ElapsedRaw|ExitCode|NodeList|"
	    "User|Account|Partition|JobName|Reason|Submit|JobIDRaw|Restarts\n"
	    "CANCELLED by 1234|7_3|cpu=8,gres/gpu:a100=4,gres/gpu=4|"
	    "2024-06-24T12:00:00|2024-06-24T13:00:00|3600|0:15|n[01-02]|alice|"
	    "ml|gpu|train|None|2024-06-24T11:00:00|9|2\r\n");
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 1);
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "7_3");
	assert_string_equal(r->raw_id, "9");
	assert_string_equal(r->state, "CANCELLED");
	assert_int_equal(r->end, JOB_END_FAILED);
	assert_int_equal(r->gpus, 4);
	assert_int_equal(r->seconds, 3600);
	assert_int_equal(r->gpu_seconds, 14400);
	assert_int_equal(r->exit_code, 0);
	assert_int_equal(r->signal, 15);
	assert_int_equal(r->started, 1719230400000000);
	assert_int_equal(r->ended, 1719234000000000);
	assert_int_equal(r->submitted, 1719226800000000);
	assert_int_equal(r->requeues, 2);
	assert_int_equal(r->attempt, 3);
	assert_int_equal(r->line, 2);
	assert_int_equal(r->n_nodes, 2);
	assert_string_equal(r->nodes[1], "n02");
	assert_string_equal(r->user, "alice");
	assert_string_equal(r->group, "ml");
	assert_string_equal(r->partition, "gpu");
	assert_string_equal(r->name, "train");
	assert_null(r->reason);
	assert_null(r->image);
	assert_true(r->digest.low || r->digest.high);
	lab_words(r, "JobState=CANCELLED ExitCode=0:15");
	lab_free(&lab);
}

static void test_parsable_and_delimiters(void **state)
{
	static const char *const texts[] = {
		"JobID|State|Elapsed|\n5|TIMEOUT|1-00:00:00|\n",
		"JobID|#State|#Elapsed\n5|#TIMEOUT|#1-00:00:00\n",
		"JobID,State,Elapsed\n5,TIMEOUT,1-00:00:00",
		"\xef\xbb\xbfJobIDRaw|State|Elapsed\n\n5|TO|1-00:00:00\n\n",
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct lab lab;

		lab_read(&lab, texts[i]);
		lab_quiet(&lab);
		assert_int_equal(accounting_count(lab.a), 1);
		assert_string_equal(lab_at(&lab, 0)->id, "5");
		assert_string_equal(lab_at(&lab, 0)->state, "TIMEOUT");
		assert_int_equal(lab_at(&lab, 0)->seconds, 86400);
		assert_int_equal(accounting_lost(lab.a), 0);
		lab_free(&lab);
	}
}

static void test_rows_over_lines(void **state)
{
	struct lab lab;

	(void)state;
	lab_read(&lab,
	    "JobID|Comment|State|ElapsedRaw\n"
	    "1|one\n"
	    "two | 3 is no row\n"
	    "|FAILED|10\n"
	    "2|a | b || c|COMPLETED|20\n"
	    "3|bytes \xff\xfe|FAILED|30\n"
	    "4|broken\n"
	    "5||FAILED|50\n"
	    "x|y|z|t\n"
	    "6|cut off");
	assert_int_equal(accounting_count(lab.a), 4);
	assert_string_equal(lab_at(&lab, 0)->id, "1");
	assert_string_equal(lab_at(&lab, 0)->state, "FAILED");
	assert_int_equal(lab_at(&lab, 0)->seconds, 10);
	assert_int_equal(lab_at(&lab, 1)->seconds, 20);
	assert_int_equal(lab_at(&lab, 2)->line, 6);
	assert_string_equal(lab_at(&lab, 3)->id, "5");
	assert_int_equal(accounting_lost(lab.a), 3);
	lab_noted(&lab, "7: row lost: 2 fields, the header has 4");
	lab_noted(&lab, "9: row lost: its fields do not fit the header");
	lab_noted(&lab, "10: row lost: 2 fields");
	lab_free(&lab);
}

static void test_steps(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "JobID|State|AllocTRES|ReqTRES|Start|End|ElapsedRaw|ExitCode\n"
	    "1.extern|COMPLETED|gres/gpu=16|||||0:0\n"
	    "1|FAILED||gres/gpu=99|2024-06-24T12:00:00|2024-06-24T13:00:00|"
	    "3600|0:0\n"
	    "1.batch|OUT_OF_MEMORY|gres/gpu=8||2024-06-24T12:00:01|"
	    "2024-06-24T13:00:00|3599|0:9\n"
	    "2|FAILED||gres/gpu=4|2024-06-24T12:00:00|2024-06-24T12:00:10|10|"
	    "1:0\n"
	    "3.0|FAILED|gres/gpu=8|||||1:0\n"
	    "4|PENDING||gres/gpu=4|Unknown|Unknown|0|0:0\n");
	assert_int_equal(accounting_count(lab.a), 3);
	r = lab_at(&lab, 0);
	assert_int_equal(r->gpus, 16);
	assert_int_equal(r->gpu_seconds, 57600);
	assert_int_equal(r->signal, 9);
	assert_string_equal(r->reason, "OUT_OF_MEMORY (step)");
	lab_words(
	    r, "JobState=FAILED Reason=OUT_OF_MEMORY (step) ExitCode=0:9");
	r = lab_at(&lab, 1);
	assert_int_equal(r->gpus, 4);
	lab_noted(&lab, "5: GPUs as requested");
	lab_noted(&lab, "6: a step of job 3, whose own row is not there");
	r = lab_at(&lab, 2);
	assert_int_equal(r->gpus, NONE);
	assert_int_equal(r->gpu_seconds, 0);
	assert_int_equal(r->end, JOB_END_PENDING);
	assert_int_equal(accounting_lost(lab.a), 0);
	lab_free(&lab);
}

/* What never ran is no attempt: cancelled while it waited, or was held. */
static void test_never_ran(void **state)
{
	struct lab lab;

	(void)state;
	lab_read(&lab,
	    "JobID|State|Start|End|Elapsed|NodeList\n"
	    "8|CANCELLED by 1000|None|2024-06-24T12:00:00|00:00:00|"
	    "None assigned\n"
	    "9|FAILED|2024-06-24T12:00:00|2024-06-24T13:00:00|01:00:00|n1\n"
	    "9|CANCELLED|Unknown|2024-06-24T14:00:00|00:00:00|None assigned\n"
	    "10|DEADLINE|2024-06-24T12:00:00|2024-06-24T12:00:00|00:00:00|"
	    "None assigned\n"
	    "11|CANCELLED|2024-06-24T12:00:00|2024-06-24T12:00:00|00:00:00|"
	    "n2\n");
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 2);
	assert_string_equal(lab_at(&lab, 0)->id, "9");
	assert_string_equal(lab_at(&lab, 0)->state, "FAILED");
	assert_string_equal(lab_at(&lab, 1)->id, "11");
	lab_free(&lab);
}

static void test_attempts(void **state)
{
	struct lab lab;

	(void)state;
	lab_read(&lab,
	    "JobID|State|Start|End\n"
	    "10|RUNNING|2024-06-24T14:00:00|Unknown\n"
	    "9|REQUEUED|2024-06-24T12:00:00|2024-06-24T13:00:00\n"
	    "9|PENDING|Unknown|Unknown\n"
	    "9|NODE_FAIL|2024-06-24T13:10:00|2024-06-24T13:20:00\n"
	    "10|FAILED|2024-06-24T14:00:00|2024-06-24T14:00:07\n"
	    "10|RUNNING|2024-06-24T14:00:00|Unknown\n");
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 3);
	assert_string_equal(lab_at(&lab, 0)->id, "9");
	assert_string_equal(lab_at(&lab, 0)->state, "REQUEUED");
	assert_int_equal(lab_at(&lab, 0)->attempt, 1);
	assert_string_equal(lab_at(&lab, 1)->state, "NODE_FAIL");
	assert_int_equal(lab_at(&lab, 1)->attempt, 2);
	/* the row that knows the end wins over a later one that does not */
	assert_string_equal(lab_at(&lab, 2)->state, "FAILED");
	assert_int_equal(lab_at(&lab, 2)->seconds, 7);
	assert_ptr_equal(accounting_find(lab.a, NULL, "9", 0), lab_at(&lab, 1));
	assert_ptr_equal(accounting_find(lab.a, NULL, "9", 1), lab_at(&lab, 0));
	assert_null(accounting_find(lab.a, NULL, "9", 3));
	lab_free(&lab);
}

static void test_het(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "JobID|JobIDRaw|State|AllocTRES|ElapsedRaw|NodeList|Start|End\n"
	    "123+0|123|COMPLETED|gres/gpu=4|100|a[1-2]|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:40\n"
	    "123+1|124|FAILED|gres/gpu=2|50|a2,b1|2024-06-24T12:00:00|"
	    "2024-06-24T12:00:50\n"
	    "130|130|COMPLETED|cpu=1|5|c1|2024-06-24T12:00:00|"
	    "2024-06-24T12:00:05\n");
	assert_int_equal(accounting_count(lab.a), 2);
	r = lab_at(&lab, 0);
	assert_string_equal(r->id, "123");
	assert_string_equal(r->state, "FAILED");
	assert_int_equal(r->gpus, 6);
	assert_int_equal(r->gpu_seconds, 500);
	assert_int_equal(r->seconds, 100);
	assert_int_equal(r->n_nodes, 3);
	assert_string_equal(r->nodes[2], "b1");
	assert_ptr_equal(accounting_find(lab.a, NULL, "123+0", 0), r);
	assert_ptr_equal(accounting_find(lab.a, NULL, "123+1", 0), r);
	assert_ptr_equal(accounting_find(lab.a, NULL, "124", 0), r);
	assert_ptr_equal(accounting_find(lab.a, NULL, "slurm-123+1.out", 0), r);
	assert_int_equal(lab_at(&lab, 1)->gpus, 0);
	lab_free(&lab);
}

static void test_find(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "JobID|JobIDRaw|State\n"
	    "123|123|FAILED\n"
	    "200_4|207|FAILED\n"
	    "200_12|201|FAILED\n"
	    "9_[5-9%2]|9|PENDING\n"
	    "300|123|FAILED\n");
	/* in the order of their numbers */
	assert_string_equal(lab_at(&lab, 0)->id, "9_[5-9%2]");
	assert_string_equal(lab_at(&lab, 2)->id, "200_4");
	r = lab_at(&lab, 1);
	assert_ptr_equal(accounting_find(lab.a, NULL, "123", 0), r);
	assert_ptr_equal(accounting_find(lab.a, NULL, "logs/job-123", 0), r);
	assert_ptr_equal(
	    accounting_find(lab.a, NULL, "x.tar!train_123_rank0", 0), r);
	assert_ptr_equal(accounting_lookup(lab.a, "0 logs/job-123"), r);
	assert_ptr_equal(accounting_lookup(lab.a, "1 123"), r);
	assert_null(accounting_lookup(lab.a, "2 123"));
	assert_null(accounting_lookup(lab.a, "123"));
	assert_ptr_equal(
	    accounting_find(lab.a, NULL, "207", 0), lab_at(&lab, 2));
	assert_ptr_equal(
	    accounting_find(lab.a, NULL, "slurm-200_4", 0), lab_at(&lab, 2));
	assert_null(accounting_find(lab.a, NULL, "job-123-300", 0));
	assert_null(accounting_find(lab.a, NULL, "job-1234", 0));
	assert_null(accounting_find(lab.a, NULL, "123/job", 0));
	assert_null(accounting_find(lab.a, NULL, "", 0));
	lab_free(&lab);
}

static const char *state_of(
    const struct lab *lab, const char *cluster, const char *job, int attempt)
{
	const struct job_record *r =
	    accounting_find(lab->a, cluster, job, attempt);

	return r ? r->state : "none";
}

/* An id is its cluster's: equal ones of two are two jobs. */
static void test_clusters(void **state)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct lab lab;

	(void)state;
	lab_read(&lab,
	    "JobID|JobIDRaw|Cluster|State|ExitCode|Start|End\n"
	    "7000|7000|alpha|FAILED|1:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "7000.batch|7000.batch|alpha|OUT_OF_MEMORY|0:125|"
	    "2024-06-24T12:00:00|2024-06-24T12:01:00\n"
	    "7000|7000|beta|TIMEOUT|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "7000|7000|beta|COMPLETED|0:0|2024-06-24T13:00:00|"
	    "2024-06-24T13:01:00\n"
	    "7001|7001|alpha|CANCELLED|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "80_4|7001|beta|NODE_FAIL|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "9000+0|9000|alpha|FAILED|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "9000+1|9001|alpha|COMPLETED|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "9000+0|9000|beta|PREEMPTED|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "9100||alpha|BOOT_FAIL|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n"
	    "9100|9100||BOOT_FAIL|0:0|2024-06-24T12:00:00|"
	    "2024-06-24T12:01:00\n");
	assert_int_equal(accounting_count(lab.a), 9);
	assert_string_equal(state_of(&lab, NULL, "7000", 0), "none");
	assert_string_equal(state_of(&lab, "alpha", "7000", 0), "FAILED");
	assert_string_equal(state_of(&lab, "alpha", "7000", 2), "none");
	assert_string_equal(state_of(&lab, "beta", "7000", 1), "TIMEOUT");
	assert_string_equal(state_of(&lab, "beta", "7000", 0), "COMPLETED");
	assert_string_equal(state_of(&lab, "gamma", "7000", 0), "none");
	assert_string_equal(
	    state_of(&lab, "beta", "logs/slurm-7000.out", 1), "TIMEOUT");
	/* the step was alpha's */
	assert_string_equal(accounting_find(lab.a, "alpha", "7000", 0)->reason,
	    "OUT_OF_MEMORY (step)");
	/* a raw id of one is an id of the other */
	assert_string_equal(state_of(&lab, NULL, "7001", 0), "CANCELLED");
	assert_string_equal(state_of(&lab, "alpha", "7001", 0), "CANCELLED");
	assert_string_equal(state_of(&lab, "beta", "7001", 0), "NODE_FAIL");
	assert_string_equal(state_of(&lab, NULL, "80_4", 0), "NODE_FAIL");
	assert_string_equal(state_of(&lab, "beta", "9000+0", 0), "PREEMPTED");
	assert_string_equal(state_of(&lab, "alpha", "9001", 0), "FAILED");
	/* only alpha has it: what names none is an attempt of its job */
	assert_string_equal(state_of(&lab, NULL, "9100", 1), "BOOT_FAIL");
	assert_string_equal(state_of(&lab, NULL, "9100", 2), "BOOT_FAIL");

	assert_int_equal(accounting_lookup_text("beta", "7000", 1, &text), 0);
	assert_string_equal(text.p, "1 7000\nbeta");
	assert_string_equal(accounting_lookup(lab.a, text.p)->state, "TIMEOUT");
	buf_clear(&text);
	assert_int_equal(accounting_lookup_text(NULL, "a\n7001", 0, &text), 0);
	assert_string_equal(text.p, "0 a\n7001\n");
	buf_release(&text);
	lab_free(&lab);
}

static void test_clock_change(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	/* 27 October 2024: 02:00 to 03:00 comes twice */
	lab_read(&lab,
	    "JobID|State|Start|End|ElapsedRaw\n"
	    "1|FAILED|2024-10-27T01:30:00|2024-10-27T02:30:00|7200\n"
	    "2|FAILED|2024-10-27T01:30:00|2024-10-27T02:30:00|3600\n"
	    "3|FAILED|2024-10-27T02:50:00|2024-10-27T02:10:00|1200\n");
	lab_quiet(&lab);
	for (size_t i = 0; i < 3; i++) {
		r = lab_at(&lab, i);
		assert_int_equal(r->ended - r->started, r->seconds * 1000000);
	}
	assert_int_equal(lab_at(&lab, 0)->started, 1729985400000000);
	assert_int_equal(lab_at(&lab, 0)->seconds, 7200);
	lab_free(&lab);
	lab_utc(NULL);
	tzset();
}

static void test_senseless(void **state)
{
	struct lab lab;
	const struct job_record *r;

	(void)state;
	lab_read(&lab,
	    "JobID|State|Start|End|Elapsed|AllocTRES|ExitCode\n"
	    "1|FAILED|2024-06-24T12:00:00|2024-06-24T20:00:00|00:10:00||1:0\n"
	    "2|FAILED|2024-06-24T12:00:00|2024-06-24T11:00:00||x|1:0\n"
	    "3|EXPLODED|1998-01-01T00:00:00|2999-01-01T00:00:00|-5|"
	    "gres/gpu=-4|?\n"
	    "4|RUNNING|2024-06-24T12:00:00|Unknown|01:00:00|gres/gpu=2|0:0\n");
	r = lab_at(&lab, 0);
	assert_int_equal(r->seconds, 600);
	lab_noted(&lab, "2: ran 600 s, but end - start is 28800 s");
	r = lab_at(&lab, 1);
	assert_int_equal(r->seconds, NONE);
	assert_int_equal(r->ended, NO_TIME);
	lab_noted(&lab, "3: ends before it starts");
	r = lab_at(&lab, 2);
	assert_int_equal(r->end, JOB_END_UNKNOWN);
	assert_int_equal(r->started, NO_TIME);
	assert_int_equal(r->ended, NO_TIME);
	assert_int_equal(r->gpus, NONE);
	assert_int_equal(r->exit_code, -1);
	lab_noted(&lab, "4: unknown state 'EXPLODED'");
	lab_noted(&lab, "4: a time before 2000");
	lab_noted(&lab, "4: a time in the future");
	lab_noted(&lab, "4: no run time '-5'");
	lab_noted(&lab, "4: no number of GPUs 'gres/gpu=-4'");
	lab_noted(&lab, "4: no exit code '?'");
	r = lab_at(&lab, 3);
	assert_int_equal(r->gpu_seconds, 7200);
	assert_int_equal(r->ended, NO_TIME);
	assert_int_equal(accounting_lost(lab.a), 0);
	lab_free(&lab);
}

static void test_no_id(void **state)
{
	struct lab lab;
	const char *place;

	(void)state;
	lab_read(&lab,
	    "CPUTimeRAW|Submit|Partition|State\n"
	    "5|2024-06-24T12:33:26|nu|FAILED\n"
	    "6|2024-06-24T12:33:26|nu|TIMEOUT\n");
	assert_int_equal(accounting_count(lab.a), 2);
	place = strrchr(lab_at(&lab, 1)->id, ':');
	assert_string_equal(place, ":3");
	assert_string_equal(
	    lab.notes.p, "4: 2 rows without an id, called by their place\n");
	lab_free(&lab);
}

static void test_counted_notes(void **state)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct lab lab;

	(void)state;
	buf_adds(&text, "JobID|State\n");
	for (int i = 1; i <= 9; i++)
		buf_addf(&text, "%d|NONSENSE\n", i);
	lab_read(&lab, text.p);
	lab_noted(&lab, "6: unknown state 'NONSENSE'");
	assert_null(strstr(lab.notes.p, "7: unknown state"));
	lab_noted(&lab, "4 more unknown states");
	lab_free(&lab);
	buf_release(&text);
}

static void test_refused(void **state)
{
	(void)state;
	lab_refuse(NULL, "1|FAILED|2024-06-24T12:00:00|gpu\n",
	    "sacct output without its header");
	lab_refuse(NULL, "hello\nworld\n",
	    "not a job record file that I know (sacct --parsable2, sacct "
	    "--json, ");
	lab_refuse(NULL, "", "not a job record file that I know");
	lab_refuse(NULL, "a,b\n1,2\n", "give a column map");
}

static void test_unreadable(void **state)
{
	struct err e = { 0 };
	struct accounting *a = accounting_new(lab_taxonomy());

	(void)state;
	assert_int_equal(accounting_load(a, "/nowhere/at/all", NULL, &e), -1);
	assert_non_null(strstr(e.text, "/nowhere/at/all: "));
	accounting_free(a);
	accounting_free(NULL);
}

static void test_digest(void **state)
{
	static const char head[] = "JobID|State|ElapsedRaw|NodeList\n";
	struct lab a, b, c;
	char text[128];

	(void)state;
	snprintf(text, sizeof text, "%s1|FAILED|5|n1\n", head);
	lab_read(&a, text);
	snprintf(text, sizeof text, "%s\n1|FAILED|5|n1\n", head);
	lab_read(&b, text);
	snprintf(text, sizeof text, "%s1|FAILED|5|n2\n", head);
	lab_read(&c, text);
	/* the same on another line of another file */
	assert_memory_equal(&lab_at(&a, 0)->digest, &lab_at(&b, 0)->digest,
	    sizeof(struct hash_value));
	assert_memory_not_equal(&lab_at(&a, 0)->digest, &lab_at(&c, 0)->digest,
	    sizeof(struct hash_value));
	lab_free(&a);
	lab_free(&b);
	lab_free(&c);
}

static void *use_some(void *ctx)
{
	const struct accounting *a = ctx;

	for (size_t i = 0; i < accounting_count(a); i++) {
		const struct job_record *r = accounting_at(a, i);

		if (accounting_find(a, r->cluster, r->id, 0) == r &&
		    r->exit_code == 1)
			accounting_use(a, r);
	}
	return NULL;
}

/* Many records, in both orders of size; marked by two threads at once. */
static void test_many(void **state)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct lab lab;
	pthread_t threads[2];
	size_t used = 0;

	(void)state;
	buf_adds(&text, "JobID|State|ExitCode|Start|ElapsedRaw|NodeList\n");
	for (int i = 20000; i > 0; i--)
		buf_addf(&text,
		    "%d|FAILED|%d:0|2024-06-24T12:00:00|%d|n[1-%d]\n", i, i % 2,
		    i, i % 9 + 1);
	lab_read(&lab, text.p);
	lab_quiet(&lab);
	assert_int_equal(accounting_count(lab.a), 20000);
	assert_string_equal(lab_at(&lab, 99)->id, "100");
	for (int i = 0; i < 2; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, use_some, lab.a), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < 20000; i++)
		used += accounting_used(lab.a, lab_at(&lab, i));
	assert_int_equal(used, 10000);
	lab_free(&lab);
	buf_release(&text);
}

/* What comes in several reads is what comes in one. */
static void test_two_files(void **state)
{
	struct lab lab;
	struct err e = { 0 };

	(void)state;
	lab_init(&lab);
	assert_int_equal(lab_load(&lab, "JobID|State\n1|RUNNING\n", &e), 0);
	assert_int_equal(
	    lab_load(&lab, "JobID|State|ExitCode\n1|FAILED|1:0\n2|CD|\n", &e),
	    0);
	assert_int_equal(lab_load(&lab, "nothing\n", &e), -1);
	assert_int_equal(accounting_settle(lab.a, &e), 0);
	assert_int_equal(accounting_count(lab.a), 2);
	assert_string_equal(lab_at(&lab, 0)->state, "FAILED");
	lab_free(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_columns),
		cmocka_unit_test(test_parsable_and_delimiters),
		cmocka_unit_test(test_rows_over_lines),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_never_ran),
		cmocka_unit_test(test_attempts),
		cmocka_unit_test(test_het),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_clock_change),
		cmocka_unit_test(test_senseless),
		cmocka_unit_test(test_no_id),
		cmocka_unit_test(test_counted_notes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_digest),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_two_files),
	};

	return cmocka_run_group_tests(tests, lab_utc, NULL);
}
