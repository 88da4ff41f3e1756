/*
 * What a path says, layout by layout, which logs are of one job, and what a
 * user's regex may be.
 */
#include "tests/test.h"

#include "base/err.h"
#include "jobs/layout.h"
#include "rules/taxonomy.h"
#include "tests/rules/overlay_lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UID_OF_POD "0f6f2c1e-5a3b-4c7d-9e10-3b2a1c0d4e5f"
#define ID_OF_CONTAINER                    \
	"00112233445566778899aabbccddeeff" \
	"00112233445566778899aabbccddeeff"

struct row {
	const char *path, *job;
	int attempt, rank;
	const char *node; /* or NULL */
	enum stream stream;
};

#define OUT STREAM_STDOUT
#define ERR STREAM_STDERR
#define ANY STREAM_UNKNOWN

static struct taxonomy *tax;

static struct layout *layout(const char *choice)
{
	struct err e = { 0 };
	struct layout *l = layout_new(tax, choice, &e);

	if (!l)
		fail_msg("%s", e.text);
	return l;
}

static struct log_id id_of(const struct layout *l, const char *path)
{
	struct log_id id;
	struct err e = { 0 };

	assert_int_equal(layout_match(l, path, &id, &e), 0);
	assert_string_equal(e.text, "");
	return id;
}

/* Each row with this choice, and at the end the paths that were wrong. */
static void expect_rows(const char *choice, const struct row *rows, size_t n)
{
	struct layout *l = layout(choice);
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		const struct row *want = &rows[i];
		struct log_id got = id_of(l, want->path);
		bool node = want->node
		    ? got.node && strcmp(got.node, want->node) == 0
		    : !got.node;

		if (strcmp(got.job, want->job) != 0 ||
		    got.attempt != want->attempt || got.rank != want->rank ||
		    got.stream != want->stream || !node) {
			bad++;
			print_error("%s: job %s attempt %d rank %d node %s "
				    "stream %d\n",
			    want->path, got.job, got.attempt, got.rank,
			    got.node ? got.node : "-", got.stream);
		}
		layout_id_release(&got);
	}
	layout_free(l);
	assert_int_equal(bad, 0);
}

#define EXPECT_ROWS(choice, rows) \
	expect_rows(choice, rows, sizeof(rows) / sizeof *(rows))

static void told_by_themselves(void **state)
{
	static const struct row rows[] = {
		/* torchrun --log-dir; attempts from 0 */
		{ "runs/k7/attempt_0/3/stderr.log", "runs/k7", 1, 3, NULL,
		    ERR },
		{ "k7/attempt_2/0/stdout.log", "k7", 3, 0, NULL, OUT },
		{ "k7/attempt_1/12/error.json", "k7", 2, 12, NULL, ANY },
		{ "k7/attempt_1/12/stdout.log.gz", "k7", 2, 12, NULL, OUT },
		/* Kubernetes; restarts from 0 */
		{ "/var/log/pods/ml_bert-worker-2_" UID_OF_POD "/pytorch/0.log",
		    "/var/log/pods/bert", 1, 2, NULL, ANY },
		{ "/var/log/pods/ml_bert_" UID_OF_POD "/main/3.log",
		    "/var/log/pods/bert", 4, -1, NULL, ANY },
		{ "containers/bert-worker-1_ml_pytorch-" ID_OF_CONTAINER ".log",
		    "containers/bert", 1, 1, NULL, ANY },
		/* Slurm */
		{ "slurm-48213.out", "48213", 1, -1, NULL, OUT },
		{ "logs/slurm-77_3.out", "77_3", 1, -1, NULL, OUT },
		{ "logs/train-48213.err", "48213", 1, -1, NULL, ERR },
		{ "logs/out/train_48213.out", "48213", 1, -1, NULL, OUT },
		{ "train_48213_7.out.1.gz", "48213_7", 1, -1, NULL, OUT },
		{ "train-48213-rank3.out", "48213", 1, 3, NULL, OUT },
		{ "train-48213.task12.err", "48213", 1, 12, NULL, ERR },
		{ "train-48213-gpu17.out", "48213", 1, 17, NULL, OUT },
		{ "train-48213_nid0042.out", "48213", 1, -1, "nid0042", OUT },
		/* PBS, Grid Engine */
		{ "solver.o9912", "9912", 1, -1, NULL, OUT },
		{ "a/solver.e9912", "9912", 1, -1, NULL, ERR },
		{ "solver.pe9912.4", "9912.4", 1, -1, NULL, ERR },
		/* attempts */
		{ "day/j5/attempt-2/worker_3.log", "day/j5", 2, 3, NULL, ANY },
		{ "j5/retry1/train.log", "j5", 1, -1, NULL, ANY },
		{ "j5/try_4/logs/rank2/x.log", "j5", 4, 2, NULL, ANY },
		/* parts of one job in its folder or archive */
		{ "a/j6/rank0.log", "a/j6", 1, 0, NULL, ANY },
		{ "a/j6/rank_11/stderr.txt", "a/j6", 1, 11, NULL, ERR },
		{ "a/j6/logs/worker-1.out", "a/j6", 1, 1, NULL, OUT },
		{ "a/j6/stdout", "a/j6", 1, -1, NULL, OUT },
		{ "a/j6/stderr.log", "a/j6", 1, -1, NULL, ERR },
		{ "a/j6/error.json", "a/j6", 1, -1, NULL, ERR },
		{ "a/j6/node-3.log", "a/j6", 1, -1, "node-3", ANY },
		{ "logs.tgz!j6/rank4.log.xz", "logs.tgz!j6", 1, 4, NULL, ANY },
		{ "j6.zip!rank4.log", "j6.zip", 1, 4, NULL, ANY },
		{ "rank4.log", ".", 1, 4, NULL, ANY },
		{ "j6/rank_3.log", "j6", 1, 3, NULL, ANY },
		{ "j6/worker-2.err", "j6", 1, 2, NULL, ERR },
		{ "j6/node_07.log", "j6", 1, -1, "node_07", ANY },
		/* no parts, whatever their names hold */
		{ "j6/node_modules.log", "j6/node_modules", 1, -1, NULL, OUT },
		{ "j6/epoch_07.log", "j6/epoch_07", 1, -1, NULL, OUT },
		{ "j6/node.log", "j6/node", 1, -1, NULL, OUT },
		{ "j6/worker_2_nodes.log", "j6/worker_2_nodes", 1, -1, NULL,
		    OUT },
		{ "j6/ranking_3.log", "j6/ranking_3", 1, -1, NULL, OUT },
		/* one stem */
		{ "a/eval.rank3", "a/eval", 1, 3, NULL, ANY },
		{ "a/eval-rank_3.err", "a/eval", 1, 3, NULL, ERR },
		{ "a/eval_local_rank5.log", "a/eval", 1, 5, NULL, OUT },
		/* all the rest */
		{ "a/eval.log", "a/eval", 1, -1, NULL, OUT },
		{ "a/eval.err", "a/eval", 1, -1, NULL, ERR },
		{ "eval.log.2.gz", "eval", 1, -1, NULL, OUT },
		{ "x.tar!a/eval.stderr", "x.tar!a/eval", 1, -1, NULL, ERR },
		{ "eval", "eval", 1, -1, NULL, ANY },
		{ "odd\nname", "odd\nname", 1, -1, NULL, ANY },
	};

	(void)state;
	EXPECT_ROWS(NULL, rows);
	EXPECT_ROWS("auto", rows);
}

static void asked_for_by_name(void **state)
{
	static const struct row directory[] = {
		{ "day/j1/anything.txt", "day/j1", 1, -1, NULL, ANY },
		{ "day/j1/my_rank2_x.txt", "day/j1", 1, 2, NULL, ANY },
		{ "day.zip!j1/slurm-48213.out", "day.zip!j1", 1, -1, NULL,
		    ANY },
		/* in no folder: a job by itself */
		{ "alone.out", "alone", 1, -1, NULL, OUT },
	};
	static const struct row archive[] = {
		{ "day/j1.tgz!a/b/c.txt", "day/j1.tgz", 1, -1, NULL, ANY },
		{ "j1.zip!a/worker3/c.txt", "j1.zip", 1, 3, NULL, ANY },
		{ "day/c.err", "day/c", 1, -1, NULL, ERR },
	};
	static const struct row file[] = {
		{ "a/rank3.log", "a/rank3", 1, -1, NULL, OUT },
		{ "a/slurm-48213.out", "a/slurm-48213", 1, -1, NULL, OUT },
	};
	static const struct row slurm[] = {
		{ "a/slurm-48213.out", "48213", 1, -1, NULL, OUT },
		{ "a/rank3.log", "a/rank3", 1, -1, NULL, OUT },
	};

	(void)state;
	EXPECT_ROWS("directory", directory);
	EXPECT_ROWS("archive", archive);
	EXPECT_ROWS("file", file);
	EXPECT_ROWS("slurm", slurm);
}

/* Every layout of the table can be asked for, and knows the path that its
 * kind is for. */
static void every_name_is_known(void **state)
{
	const char *name;
	size_t n = 0;

	(void)state;
	for (; (name = layout_name(tax, n)); n++) {
		struct layout *l = layout(name);
		struct log_id id = id_of(l, "a/b.txt");

		assert_true(id.attempt >= 1);
		layout_id_release(&id);
		layout_free(l);
	}
	assert_true(n >= 10);
}

/* ---- one job, or two ---- */

static void same_job(const char *choice, const char *a, const char *b)
{
	struct layout *l = layout(choice);
	struct log_id x = id_of(l, a), y = id_of(l, b);

	if (strcmp(x.key, y.key) != 0)
		fail_msg("%s (%s) and %s (%s)", a, x.key, b, y.key);
	assert_string_equal(x.job, y.job);
	layout_id_release(&x);
	layout_id_release(&y);
	layout_free(l);
}

static void two_jobs(const char *choice, const char *a, const char *b)
{
	struct layout *l = layout(choice);
	struct log_id x = id_of(l, a), y = id_of(l, b);

	if (strcmp(x.key, y.key) == 0)
		fail_msg("%s and %s (%s)", a, b, x.key);
	layout_id_release(&x);
	layout_id_release(&y);
	layout_free(l);
}

static void logs_of_one_job(void **state)
{
	static const char *const pairs[][2] = {
		{ "slurm-48213.out", "slurm-48213.err" },
		{ "logs/out/t_48213.out", "logs/err/t_48213.err" },
		{ "t-48213.0.out", "t-48213.31.err" },
		{ "t-48213_gpu1.out", "t-48213_gpu2.out" },
		{ "a/s.o9912", "a/s.e9912" },
		{ "k7/attempt_0/0/stdout.log", "k7/attempt_0/1/stderr.log" },
		{ "k7/attempt_0/0/stdout.log", "k7/attempt_0/0/error.json" },
		{ "p/ml_b-worker-0_" UID_OF_POD "/main/0.log",
		    "p/ml_b-master-0_" UID_OF_POD "/main/0.log" },
		{ "j5/retry_1/rank0.log", "j5/retry_1/rank7.log" },
		{ "j6/rank0.log", "j6/rank12.log" },
		{ "j6/stdout.log", "j6/stderr.log" },
		{ "j6/logs/out/rank0.log", "j6/logs/out/rank1.log" },
		{ "j6/node-1.log", "j6/node-2.log" },
		{ "j6/node_07.log", "j6/rank_3.log" },
		{ "rank0.log", "rank1.log" },
		{ "d.tgz!j6/rank0.log", "d.tgz!j6/rank1.log.gz" },
		{ "a/eval.rank0", "a/eval.rank1" },
		{ "a/eval.out", "a/eval.err" },
		{ "a/eval.log", "a/eval.log.1.gz" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		same_job(NULL, pairs[i][0], pairs[i][1]);
	same_job("directory", "j1/a.txt", "j1/b.txt");
	same_job("archive", "j1.zip!a/x.txt", "j1.zip!b/y.txt");
}

static void logs_of_two_jobs(void **state)
{
	static const char *const pairs[][2] = {
		{ "slurm-48213.out", "slurm-48214.out" },
		{ "slurm-77_1.out", "slurm-77_2.out" },
		{ "a/slurm-48213.out", "b/slurm-48213.out" },
		{ "x-48213.out", "y-48213.out" },
		{ "a/s.o9912", "a/s.o9913" },
		{ "k7/attempt_0/0/stdout.log", "k7/attempt_1/0/stdout.log" },
		{ "k7/attempt_0/0/stdout.log", "k8/attempt_0/0/stdout.log" },
		{ "p/ml_b_" UID_OF_POD "/main/0.log",
		    "p/ml_b_" UID_OF_POD "/main/1.log" },
		{ "p/ml_b_" UID_OF_POD "/main/0.log",
		    "p/ml_c_" UID_OF_POD "/main/0.log" },
		{ "j5/retry_1/rank0.log", "j5/retry_2/rank0.log" },
		{ "j6/rank0.log", "j7/rank0.log" },
		{ "a/j6/stdout", "b/j6/stdout" },
		{ "j6/epoch_07.log", "j6/epoch_08.log" },
		{ "j6/node_modules.log", "j6/node_07.log" },
		{ "d.tgz!j6/rank0.log", "d.tgz!j7/rank0.log" },
		{ "d.tgz!rank0.log", "e.tgz!rank0.log" },
		{ "a/eval.rank0", "a/test.rank0" },
		{ "a/eval.log", "a/test.log" },
		{ "a/eval.log", "b/eval.log" },
		{ "d.tgz!a.log", "e.tgz!a.log" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		two_jobs(NULL, pairs[i][0], pairs[i][1]);
	two_jobs("directory", "j1/a.txt", "j2/a.txt");
	two_jobs("archive", "j1.zip!x.txt", "j2.zip!x.txt");
	two_jobs("file", "j1/rank0.log", "j1/rank1.log");
}

/* The end of this folder completes the job. */
static void scope(void **state)
{
	static const struct {
		const char *path, *scope;
	} rows[] = {
		{ "a/k7/attempt_0/3/stderr.log", "a/k7/" },
		{ "a/logs/out/t_48213.out", "a/logs/" },
		{ "a/j6/rank_0/stdout.log", "a/j6/" },
		{ "d.tgz!j6/rank0.log", "d.tgz!j6/" },
		{ "a/eval.log", "a/" },
		{ "eval.log", "" },
	};
	struct layout *l = layout(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct log_id id = id_of(l, rows[i].path);

		if (id.scope != strlen(rows[i].scope))
			fail_msg("%s: %zu", rows[i].path, id.scope);
		layout_id_release(&id);
	}
	layout_free(l);
}

/* ---- a user's own ---- */

static void regex(void **state)
{
	static const char choice[] =
	    "^(?<scope>.*/)?run(?<job>[0-9a-f]+)_try(?<attempt>\\d+)_"
	    "(?<node>[a-z]+\\d*)_r(?<rank>\\d+)\\.(?<stream>[a-z]+)$";
	static const struct row rows[] = {
		{ "x/run7f_try2_alpha3_r5.err", "x/7f", 2, 5, "alpha3", ERR },
		{ "run12_try1_beta_r0.out", "12", 1, 0, "beta", OUT },
		/* no attempt 0 */
		{ "run12_try0_beta_r0.out", "12", 1, 0, "beta", OUT },
		/* no match: a job by itself */
		{ "x/rank3.log", "x/rank3", 1, -1, NULL, OUT },
		{ "run12.out", "run12", 1, -1, NULL, OUT },
	};

	(void)state;
	EXPECT_ROWS(choice, rows);
	same_job(choice, "run12_try1_beta_r0.out", "run12_try1_zeta_r1.err");
	two_jobs(choice, "run12_try1_beta_r0.out", "run12_try2_beta_r0.out");
	two_jobs(choice, "run12_try1_beta_r0.out", "run13_try1_beta_r0.out");
}

static void numbers_too_large(void **state)
{
	struct layout *l = layout("(?<job>[a-z]+)-(?<attempt>\\d+)-(?<rank>"
				  "\\d+)$");
	struct log_id id = id_of(l, "abc-99999999999999999999-88888888888");

	(void)state;
	assert_string_equal(id.job, "abc");
	assert_int_equal(id.attempt, 1);
	assert_int_equal(id.rank, -1);
	layout_id_release(&id);
	layout_free(l);
}

static void refused(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_null(layout_new(tax, "(?<job>x", &e));
	assert_non_null(strstr(e.text, "layout '(?<job>x'"));
	assert_non_null(strstr(e.text, "offset"));
	assert_null(layout_new(tax, "run(?<rank>\\d+)", &e));
	assert_non_null(strstr(e.text, "(?<job>"));
	assert_null(layout_new(tax, "slrum", &e));
	assert_non_null(strstr(e.text, "layout 'slrum'"));
	assert_null(layout_new(tax, "", &e));
	assert_non_null(strstr(e.text, "layout ''"));
	layout_free(NULL);
}

/* Each word that a layout's regex names is enough for it to be tried. */
static void test_words(void **state)
{
	static const struct {
		const char *path;
		const char *words[20];
		int rank, attempt;
	} rows[] = {
		{ "J/%s-3.log",
		    { "rank", "worker", "task", "proc", "process", "local_rank",
			"trainer", "master", "launcher", "replica", "actor",
			"pod", "gpu" },
		    3, 1 },
		{ "J/%s_3/train.log",
		    { "rank", "worker", "task", "proc", "trainer", "master",
			"launcher", "replica", "actor", "pod", "gpu" },
		    3, 1 },
		{ "J/%s.txt",
		    { "stdout", "stderr", "std_log", "error", "launcher",
			"torchrun", "agent", "dmesg", "kern", "kernel",
			"syslog", "slurmd", "node1", "host-2" },
		    -1, 1 },
		{ "J/%s_2/x.log", { "attempt", "retry", "restart", "try" }, -1,
		    2 },
		{ "J-4711.%s",
		    { "out", "err", "stdout", "stderr", "output", "error" }, -1,
		    1 },
		{ "J.%s4711", { "o", "e", "po", "pe" }, -1, 1 },
	};
	struct layout *l = layout(NULL), *file = layout("file");

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; rows[i].words[k]; k++) {
			struct log_id a, b;
			char path[80];

			snprintf(
			    path, sizeof path, rows[i].path, rows[i].words[k]);
			a = id_of(l, path);
			b = id_of(file, path);
			if (a.rank != rows[i].rank ||
			    a.attempt != rows[i].attempt ||
			    !strcmp(a.key, b.key))
				fail_msg("%s: job %s rank %d attempt %d", path,
				    a.job, a.rank, a.attempt);
			layout_id_release(&a);
			layout_id_release(&b);
		}
	layout_free(l);
	layout_free(file);
}

/* A site's own come first, and what its pattern fixes is found in either case.
 */
static void sites_own(void **state)
{
	static const struct row rows[] = {
		{ "x/RUN7/part-3.txt", "x/RUN7", 1, 3, NULL, ANY },
		{ "x/run8/part-0.txt", "x/run8", 1, 0, NULL, ANY },
		{ "slurm-48213.out", "slurm-48213", 1, -1, NULL, OUT },
		{ "x/rank3.log", "x", 1, 3, NULL, ANY },
	};
	struct taxonomy *built_in = tax;

	(void)state;
	tax = load_two(
	    "signals:\n"
	    "  - {id: site.layout, title: T, signal: layout, name: ours, "
	    "act: auto, pattern: '(?i)^(?<scope>.*/)(?<job>run\\d+)/"
	    "part-(?<rank>\\d+)', examples: {match: [a/run1/part-2], no_match: "
	    "[x]}}\n"
	    "disable: [layout.slurm]\n",
	    NULL);
	assert_non_null(tax);
	EXPECT_ROWS(NULL, rows);
	assert_string_equal(layout_name(tax, 0), "ours");
	taxonomy_free(tax);
	tax = built_in;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told_by_themselves),
		cmocka_unit_test(asked_for_by_name),
		cmocka_unit_test(every_name_is_known),
		cmocka_unit_test(logs_of_one_job),
		cmocka_unit_test(logs_of_two_jobs),
		cmocka_unit_test(scope),
		cmocka_unit_test(regex),
		cmocka_unit_test(numbers_too_large),
		cmocka_unit_test(refused),
		cmocka_unit_test(test_words),
		cmocka_unit_test(sites_own),
	};
	int rc;

	tax = taxonomy_load(NULL, 0, NULL);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	taxonomy_free(tax);
	return rc;
}
