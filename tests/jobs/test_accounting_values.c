/*
 * Single values of job records: GPUs in every form that Slurm writes, nodes,
 * times, durations, exit codes, states.
 */
#include "tests/test.h"

#include "jobs/accounting_pool.h"
#include "jobs/accounting_values.h"
#include "tests/rules/overlay_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define NONE USAGE_UNKNOWN

static void test_gpus(void **state)
{
	static const struct {
		const char *text;
		int64_t nodes, gpus;
		bool ok;
	} rows[] = {
		{ "gres/gpu=4", 1, 4, true },
		{ "gres/gpu:a100=4", 1, 4, true },
		{ "gres/gpu:a100=4,gres/gpu=4", 1, 4, true },
		{ "gres/gpu=4,gres/gpu:a100=4", 1, 4, true },
		{ "gres/gpu=6,gres/gpu:a100=4,gres/gpu:v100=2", 1, 6, true },
		{ "gres/gpu:a100=4,gres/gpu:v100=2", 1, 6, true },
		{ "billing=9,cpu=8,gres/gpu=8,mem=64G,node=1", 1, 8, true },
		{ "billing=9,cpu=8,gres/gpu=8,mem=64G,node=4", 4, 8, true },
		{ "cpu=8,mem=64G,node=1", 1, 0, true },
		{ "cpu=8,gres/gpumem=16G,gres/gpuutil=90", 1, 0, true },
		{ "gpu:8", 1, 8, true },
		{ "gpu:8", 4, 32, true },
		{ "gpu:a100:8", 2, 16, true },
		{ "gpu:a100:4(S:0-1)", 1, 4, true },
		{ "gpu:a100:4(S:0-1),gpu:v100:2(S:1)", 1, 6, true },
		{ "gpu:tesla:2(IDX:0,3)", 1, 2, true },
		{ "gpu(IDX:0)", 1, 1, true },
		{ "gres:gpu:2", 1, 2, true },
		{ "PER_NODE:gpu:8", 4, 32, true },
		{ "PER_NODE:gres:gpu:a100:8", 4, 32, true },
		{ "gres/gpu:1g.10gb=2", 1, 2, true },
		{ "gres/shard=7", 1, 0, true },
		{ "gres/gpu=1,gres/shard=7", 1, 1, true },
		{ "gpu:no_consume:2", 1, 2, true },
		{ "gpu", 1, 1, true },
		{ "gpu:a100", 1, 1, true },
		{ "gpu", 3, 3, true },
		{ "gres/gpu=1K", 1, 1024, true },
		{ "gres/gpu=0", 1, 0, true },
		{ "gres/gpu", 1, 1, true },
		{ " gres/gpu=2 , cpu=1 ", 1, 2, true },
		{ "craynetwork:2", 1, 0, true },
		{ "", 1, NONE, true },
		{ "(null)", 1, NONE, true },
		{ "N/A", 1, NONE, true },
		{ "1=8,2=64,1001=4", 1, NONE, true },
		{ "gres/gpu=-1", 1, NONE, false },
		{ "gres/gpu=1000001", 1, NONE, false },
		{ "gres/gpu=1M,gres/gpu=1M", 1, NONE, false },
		{ "gres/gpu=99999999999999999999", 1, NONE, false },
		{ "gres/gpu=x", 1, NONE, false },
		{ "gpu:1000000", 1000, NONE, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t gpus = 77;
		bool ok = accounting_gpus(
		    span_of(rows[i].text), rows[i].nodes, &gpus);

		if (ok != rows[i].ok || gpus != rows[i].gpus)
			fail_msg(
			    "%s: %d %lld", rows[i].text, ok, (long long)gpus);
	}
}

static void test_cpus(void **state)
{
	static const struct {
		const char *text;
		int64_t cpus;
	} rows[] = {
		{ "billing=8,cpu=8,mem=16G,node=1", 8 },
		{ "cpu=64", 64 },
		{ "mem=3G, cpu=2 ,node=1", 2 },
		{ "gres/gpu=2,mem=3G", NONE },
		{ "cpu=", NONE },
		{ "cpu=-1", NONE },
		{ "cpu=100000001", NONE },
		{ "", NONE },
		{ ",,", NONE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
		    accounting_cpus(span_of(rows[i].text)), rows[i].cpus);
}

static void test_hosts(void **state)
{
	static const struct {
		const char *list, *separator, *want;
	} rows[] = {
		{ "n[001-003,7],gpu-[1-2]-ib,solo", ",",
		    "n001 n002 n003 n7 gpu-1-ib gpu-2-ib solo " },
		{ "n[9-11]", ",", "n9 n10 n11 " },
		{ "n[09-11]", ",", "n09 n10 n11 " },
		{ "r[1-2]n[1-2]", ",", "r1n1 r1n2 r2n1 r2n2 " },
		{ "solo", ",", "solo " },
		{ " a, b ,", ",", "a b " },
		{ "a;b;c[1-2]", ";", "a b c[1-2] " },
		{ "a b", " ", "a b " },
		{ "None assigned", ",", "" },
		{ "(null)", ",", "" },
		{ "", ",", "" },
		{ "n[1-", ",", "n[1- " },
		{ "n[a-b]", ",", "n[a-b] " },
		{ "n[]", ",", "n[] " },
		{ "n[1[2]]", ",", "n[1[2]] " },
		{ "n[99999999999999999999]", ",", "n[99999999999999999999] " },
	};
	struct accounting_pool pool = { 0 };
	struct accounting_hosts h;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char got[256] = "";

		assert_int_equal(accounting_hosts(&pool, span_of(rows[i].list),
				     rows[i].separator, &h),
		    0);
		for (size_t k = 0; k < h.n; k++) {
			strcat(got, h.v[k]);
			strcat(got, " ");
		}
		assert_string_equal(got, rows[i].want);
		assert_false(h.cut);
	}
	assert_int_equal(
	    accounting_hosts(&pool, span_of("n[1-200000000]"), ",", &h), 0);
	assert_true(h.cut);
	assert_int_equal(h.n, ACCOUNTING_HOSTS_MAX);
	assert_string_equal(h.v[99999], "n100000");
	accounting_pool_release(&pool);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		int64_t micros; /* -1: no time */
		bool local;
	} rows[] = {
		{ "2024-06-24T12:33:26", 1719232406000000, true },
		{ "2024-06-24 12:33:26", 1719232406000000, true },
		{ "2024-06-24T12:33:26+02:00", 1719225206000000, false },
		{ "2024-06-24T12:33:26+0200", 1719225206000000, false },
		{ "2024-06-24T12:33:26Z", 1719232406000000, false },
		{ "1719232406", 1719232406000000, false },
		{ "1719232406.5", 1719232406500000, false },
		{ "1719232406123", 1719232406123000, false },
		{ "1719232406123456", 1719232406123456, false },
		{ "0", 0, false },
		{ "-5", -1, false },
		{ "12:33:26", -1, false },
		{ "06-24 12:33:26", -1, false },
		{ "yesterday", -1, false },
		{ "2024-06-24T12:33:26 or so", -1, false },
		{ "2024-13-24T12:33:26", -1, false },
	};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t t = -1;
		bool local = false;
		bool ok = accounting_time(
		    span_of(rows[i].text), ACCOUNTING_LOCAL, &t, &local, NULL);

		if (ok != (rows[i].micros >= 0) ||
		    (ok && (t != rows[i].micros || local != rows[i].local)))
			fail_msg("%s: %d %lld %d", rows[i].text, ok,
			    (long long)t, local);
	}
}

static void test_zones(void **state)
{
	int64_t t;
	bool local;

	(void)state;
	assert_true(accounting_time(
	    span_of("2024-06-24T12:33:26"), 8 * 3600, &t, &local, NULL));
	assert_int_equal(t, 1719203606000000);
	assert_false(local);
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	assert_true(accounting_time(span_of("2024-06-24T12:33:26"),
	    ACCOUNTING_LOCAL, &t, &local, NULL));
	assert_int_equal(t, 1719225206000000);
	assert_true(accounting_time(span_of("2024-01-24T12:33:26"),
	    ACCOUNTING_LOCAL, &t, &local, NULL));
	assert_int_equal(t, 1706096006000000);
	setenv("TZ", "UTC", 1);
	tzset();
}

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: none */
	} rows[] = {
		{ "00:01:39", 99 },
		{ "02:00:12", 7212 },
		{ "1-00:15:56", 87356 },
		{ "5:01", 301 },
		{ "00:00.275", 0 },
		{ "01:00:00.900", 3601 },
		{ "7212", 7212 },
		{ "7212.0", 7212 },
		{ "2-05", 190800 },
		{ "1 day, 2:03:04", 93784 },
		{ "0 days 01:02:03", 3723 },
		{ "-5", -1 },
		{ "1:2:3:4", -1 },
		{ "1-", -1 },
		{ "", -1 },
		{ "an hour", -1 },
		{ "1::2", -1 },
		{ "9e30", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int64_t s = -1;
		bool ok = accounting_duration(span_of(rows[i].text), &s);

		if (ok != (rows[i].seconds >= 0) || s != rows[i].seconds)
			fail_msg("%s: %d %lld", rows[i].text, ok, (long long)s);
	}
}

static void test_exits(void **state)
{
	static const struct {
		const char *text;
		int code, signal;
		bool ok;
	} rows[] = {
		{ "1:0", 1, 0, true },
		{ "0:9", 0, 9, true },
		{ "137:0", 137, 0, true },
		{ "137", 137, -1, true },
		{ "1.0", 1, -1, true },
		{ "", -1, -1, false },
		{ "1:", -1, -1, false },
		{ "a:b", -1, -1, false },
		{ "1:999", -1, -1, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int code = -1, signal = -1;
		bool ok =
		    accounting_exit(span_of(rows[i].text), &code, &signal);

		if (ok != rows[i].ok || code != rows[i].code ||
		    signal != rows[i].signal)
			fail_msg(
			    "%s: %d %d:%d", rows[i].text, ok, code, signal);
	}
}

static void test_states(void **state)
{
	static const struct {
		const char *text, *slurm; /* NULL: another's word */
		enum job_end end;
		bool known;
	} rows[] = {
		{ "CANCELLED by 1234", "CANCELLED", JOB_END_FAILED, true },
		{ "CANCELLED+", "CANCELLED", JOB_END_FAILED, true },
		{ "OUT_OF_ME+", "OUT_OF_MEMORY", JOB_END_FAILED, true },
		{ "COMPLETI+", "COMPLETING", JOB_END_RUNNING, true },
		{ "NODE_FAIL", "NODE_FAIL", JOB_END_FAILED, true },
		{ "CA", "CANCELLED", JOB_END_FAILED, true },
		{ "CD", "COMPLETED", JOB_END_WELL, true },
		{ "F", "FAILED", JOB_END_FAILED, true },
		{ "TO", "TIMEOUT", JOB_END_FAILED, true },
		{ "NF", "NODE_FAIL", JOB_END_FAILED, true },
		{ "OOM", "OUT_OF_MEMORY", JOB_END_FAILED, true },
		{ "PR", "PREEMPTED", JOB_END_FAILED, true },
		{ "R", "RUNNING", JOB_END_RUNNING, true },
		{ "PD", "PENDING", JOB_END_PENDING, true },
		{ "Pass", NULL, JOB_END_WELL, true },
		{ "Killed", NULL, JOB_END_FAILED, true },
		{ "Succeeded", NULL, JOB_END_WELL, true },
		{ "Failed", "FAILED", JOB_END_FAILED, true },
		{ "success", NULL, JOB_END_WELL, true },
		{ "FINISHED", NULL, JOB_END_WELL, true },
		{ "EXPLODED", NULL, JOB_END_UNKNOWN, false },
		{ "EXPL+", NULL, JOB_END_UNKNOWN, false },
		{ "", NULL, JOB_END_UNKNOWN, false },
	};

	struct taxonomy *tax = taxonomy_load(NULL, 0, NULL);

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct accounting_state s = { 0 };
		bool known = accounting_state(
		    tax, accounting_state_word(span_of(rows[i].text)), &s);

		if (known != rows[i].known)
			fail_msg("%s: %d", rows[i].text, known);
		assert_int_equal(s.end, rows[i].end);
		assert_true(s.slurm && rows[i].slurm
			? !strcmp(s.slurm, rows[i].slurm)
			: s.slurm == rows[i].slurm);
	}
	taxonomy_free(tax);
}

static void test_states_of_a_site(void **state)
{
	struct taxonomy *tax =
	    load_two("signals:\n"
		     "  - {id: site.state, title: T, signal: state, act: well, "
		     "is: [erledigt, timeout], examples: {match: [erledigt], "
		     "no_match: [x]}}\ndisable: [state.usual_well]\n",
		NULL);
	struct accounting_state s = { 0 };

	(void)state;
	assert_non_null(tax);
	assert_true(accounting_state(tax, span_of("ERLEDIGT"), &s));
	assert_int_equal(s.end, JOB_END_WELL);
	/* its own come before Slurm's */
	assert_true(accounting_state(tax, span_of("TIMEOUT"), &s));
	assert_int_equal(s.end, JOB_END_WELL);
	assert_null(s.slurm);
	assert_false(accounting_state(tax, span_of("finished"), &s));
	taxonomy_free(tax);
}

static void test_pool(void **state)
{
	struct accounting_pool pool = { 0 };
	char name[32], *first;

	(void)state;
	first = accounting_pool_string(&pool, span_of("a"));
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "n%d", i);
		assert_non_null(accounting_pool_string(&pool, span_of(name)));
	}
	assert_ptr_equal(accounting_pool_string(&pool, span_of("a")), first);
	assert_string_equal(
	    accounting_pool_string(&pool, span_of("x\xff")), "x\xef\xbf\xbd");
	accounting_pool_release(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gpus),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_states_of_a_site),
		cmocka_unit_test(test_pool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
