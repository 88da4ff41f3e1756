/*
 * From paths to answers: their order, which logs make one job, and how a run
 * ends early.
 */
#include "tests/input/record.h"
#include "tests/jobs/jobs_lab.h"

#include "base/text.h"
#include "jobs/triage.h"

#include <stdbool.h>

#define KEY "KeyError: 'lr'\n"
#define OOM                                                                   \
	"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
	"6.00 GiB\n"
#define WELL "epoch 3 done\nTraining finished successfully.\n"
#define MANY 300

/* What is told, a line each: "JOB attempt CATEGORY logs" or "! PATH: note". */
struct run {
	struct made made;
	struct triage_counters counters;
	struct buf told;
	unsigned jobs, stop_at; /* 0: never */
	bool job_per_path;
};

static void run_open(struct run *r, const char *limit)
{
	*r = (struct run){ .told = BUF_INIT(BUF_MAX) };
	made_open(&r->made, limit);
}

static void run_close(struct run *r)
{
	made_close(&r->made);
	buf_release(&r->told);
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct run *r = ctx;

	assert_int_equal(buf_addf(&r->told, "%s %d %s %zu\n", d->job,
			     d->attempt, diagnosis_category(d), d->n_logs),
	    0);
	return ++r->jobs == r->stop_at ? -1 : 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct run *r = ctx;

	(void)text;
	assert_int_equal(
	    buf_addf(&r->told, "! %s: %s\n", path, input_note_name(kind)), 0);
}

static const char *run_paths(
    struct run *r, unsigned threads, const char *const *paths, size_t n)
{
	const struct triage_options options = {
		.taxonomy = r->made.tax,
		.limits = &r->made.limits,
		.engine = r->made.engine,
		.layout = r->made.layout,
		.threads = threads,
		.job_per_path = r->job_per_path,
	};
	const struct triage_sink sink = {
		.ctx = r, .job = on_job, .note = on_note
	};
	struct err e = { 0 };

	buf_clear(&r->told);
	r->jobs = 0;
	r->counters = (struct triage_counters){ 0 };
	assert_int_equal(
	    triage_run(&options, paths, n, &sink, &r->counters, &e), 0);
	assert_string_equal(e.text, "");
	return r->told.p ? r->told.p : "";
}

static const char *run_path(struct run *r, unsigned threads, const char *path)
{
	return run_paths(r, threads, &path, 1);
}

static void expect(const char *path, const char *told)
{
	struct run r;

	run_open(&r, NULL);
	for (unsigned threads = 1; threads <= 8; threads *= 2)
		assert_string_equal(run_path(&r, threads, path), told);
	run_close(&r);
}

/* ---- order ---- */

/* t/0/0/m000.log ... of several sizes, each third a failure. */
static void make_tree(void)
{
	static const char *const texts[] = { WELL, KEY, OOM };

	sh("mkdir t");
	for (int i = 0; i < MANY; i++) {
		char dir[64], path[96];
		FILE *f;

		snprintf(dir, sizeof dir, "mkdir -p t/%d/%d", i % 7, i % 3);
		if (i < 21)
			sh(dir);
		snprintf(
		    path, sizeof path, "t/%d/%d/m%03d.log", i % 7, i % 3, i);
		f = fopen(path, "w");
		assert_non_null(f);
		for (int k = 0; k < i * 31 % 400; k++)
			fprintf(f, "epoch %d loss 0.5\n", k);
		fputs(texts[i % 3], f);
		assert_int_equal(fclose(f), 0);
	}
}

static void same_for_any_number_of_threads(void **state)
{
	static const char *const category[] = { "none", "key_not_found",
		"gpu_out_of_memory" };
	struct run r;
	char *first;
	struct span rest, line;
	int n = 0, last = -1;

	(void)state;
	make_tree();
	run_open(&r, NULL);
	first = strdup(run_path(&r, 1, "t"));
	assert_non_null(first);
	assert_int_equal(r.counters.jobs, MANY);
	assert_int_equal(r.counters.logs, MANY);
	assert_int_equal(r.counters.files, MANY);
	rest = span_of(first);
	while (span_line(&rest, &line)) {
		char want[96];
		int dir, sub, i;

		assert_int_equal(
		    sscanf(line.p, "t/%d/%d/m%3d", &dir, &sub, &i), 3);
		snprintf(want, sizeof want, "t/%d/%d/m%03d 1 %s 1", i % 7,
		    i % 3, i, category[i % 3]);
		assert_true(span_is(line, want));
		/* in the order of the walk */
		assert_true((dir * 10 + sub) * 1000 + i > last);
		last = (dir * 10 + sub) * 1000 + i;
		n++;
	}
	assert_int_equal(n, MANY);
	for (int again = 0; again < 3; again++) {
		assert_string_equal(run_path(&r, 2, "t"), first);
		assert_string_equal(run_path(&r, 8, "t"), first);
	}
	free(first);
	run_close(&r);
}

/* Notes keep their place among the answers. */
static void notes_in_order(void **state)
{
	static const char *const paths[] = { "a.log", "missing", "b.log",
		"absent", "c.log" };
	struct run r;

	(void)state;
	write_text("a.log", KEY);
	write_text("b.log", OOM);
	write_text("c.log", WELL);
	run_open(&r, NULL);
	for (unsigned threads = 1; threads <= 8; threads *= 2)
		/* the logs wait for others of their job, notes do not */
		assert_string_equal(run_paths(&r, threads, paths, 5),
		    "! missing: unreadable\n"
		    "! absent: unreadable\n"
		    "a 1 key_not_found 1\n"
		    "b 1 gpu_out_of_memory 1\n"
		    "c 1 none 1\n");
	assert_int_equal(r.counters.notes[NOTE_UNREADABLE], 2);
	run_close(&r);
}

/* ---- which logs make one job ---- */

static void ranks_and_streams(void **state)
{
	(void)state;
	sh("mkdir -p d/j1 d/j2/rank_0 d/j2/rank_1 d/k/attempt_0/0 "
	   "d/k/attempt_1/0 d/s/out d/s/err");
	write_text("d/j1/rank0.log", WELL);
	write_text("d/j1/rank1.log", KEY);
	write_text("d/j2/rank_0/stdout.log", WELL);
	write_text("d/j2/rank_1/stdout.log", "step 3\n");
	write_text("d/j2/rank_1/stderr.log", OOM);
	write_text("d/k/attempt_0/0/stderr.log", OOM);
	write_text("d/k/attempt_1/0/stderr.log", KEY);
	write_text("d/s/out/m_48213.out", "step 3\n");
	write_text("d/s/err/m_48213.err", KEY);
	write_text("d/s/err/m_48214.err", OOM);
	expect("d",
	    "d/j1 1 key_not_found 2\n"
	    "d/j2 1 gpu_out_of_memory 3\n"
	    "d/k 1 gpu_out_of_memory 1\n"
	    "d/k 2 key_not_found 1\n"
	    "48213 1 key_not_found 2\n"
	    "48214 1 gpu_out_of_memory 1\n");
}

static void the_same_in_an_archive(void **state)
{
	ranks_and_streams(state);
	sh("tar czf x.tgz --sort=name d && mkdir in && mv x.tgz in");
	expect("in/x.tgz",
	    "in/x.tgz!d/j1 1 key_not_found 2\n"
	    "in/x.tgz!d/j2 1 gpu_out_of_memory 3\n"
	    "in/x.tgz!d/k 1 gpu_out_of_memory 1\n"
	    "in/x.tgz!d/k 2 key_not_found 1\n"
	    "48213 1 key_not_found 2\n"
	    "48214 1 gpu_out_of_memory 1\n");
	/* archives in a folder, one job each */
	sh("mkdir z && cd d/j1 && tar cf ../../z/a.tar rank0.log rank1.log && "
	   "tar cf ../../z/b.tar rank0.log");
	expect("z",
	    "z/a.tar 1 key_not_found 2\n"
	    "z/b.tar 1 none 1\n");
}

static void job_per_path(void **state)
{
	static const char *const paths[] = { "d/s", "x.tar", "d/j1/rank0.log",
		"missing" };
	struct run r;

	ranks_and_streams(state);
	sh("tar cf x.tar --sort=name d/j1 d/j2");
	run_open(&r, NULL);
	r.job_per_path = true;
	for (unsigned threads = 1; threads <= 8; threads *= 2)
		assert_string_equal(run_paths(&r, threads, paths, 4),
		    "d/s 1 gpu_out_of_memory 3\n"
		    "x.tar 1 gpu_out_of_memory 5\n"
		    "d/j1/rank0.log 1 none 1\n"
		    "! missing: unreadable\n");
	run_close(&r);
}

/* ---- ending early ---- */

static void sink_stops(void **state)
{
	struct run r;
	char *all;

	(void)state;
	make_tree();
	run_open(&r, NULL);
	all = strdup(run_path(&r, 1, "t"));
	assert_non_null(all);
	for (unsigned threads = 1; threads <= 8; threads *= 2) {
		static const unsigned stops[] = { 1, 100, MANY };

		for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
			r.stop_at = stops[i];
			(void)run_path(&r, threads, "t");
			assert_int_equal(r.jobs, stops[i]);
			assert_memory_equal(r.told.p, all, r.told.len);
		}
	}
	free(all);
	run_close(&r);
}

/* One archive with many jobs, of which a thread keeps only some. */
static void sink_stops_in_an_archive(void **state)
{
	struct run r;
	char *all;

	(void)state;
	make_tree();
	sh("tar cf t.tar --sort=name t");
	run_open(&r, NULL);
	all = strdup(run_path(&r, 1, "t.tar"));
	assert_non_null(all);
	assert_int_equal(r.jobs, MANY);
	assert_string_equal(run_path(&r, 8, "t.tar"), all);
	for (unsigned stop = 1; stop <= MANY; stop += 73) {
		r.stop_at = stop;
		(void)run_path(&r, 2, "t.tar");
		assert_int_equal(r.jobs, stop);
		assert_memory_equal(r.told.p, all, r.told.len);
	}
	free(all);
	run_close(&r);
}

/* The jobs of an archive whose findings do not fit are reported early: each
 * log of theirs that comes later makes a job again, and a note says why. */
static void limit_pending(void **state)
{
	struct run r;
	const char *told;
	unsigned early = 0;

	(void)state;
	sh("mkdir a");
	for (int rank = 0; rank < 2; rank++) {
		for (int job = 0; job < 40; job++) {
			char path[64];

			snprintf(
			    path, sizeof path, "a/j%02d.rank%d", job, rank);
			write_text(path, rank ? WELL : KEY);
		}
	}
	/* all ranks 0, then all ranks 1 */
	sh("tar cf a.tar a/*.rank0 a/*.rank1");
	run_open(&r, NULL);
	(void)run_path(&r, 2, "a.tar");
	assert_int_equal(r.jobs, 40);
	assert_int_equal(r.counters.notes[NOTE_LIMIT], 0);
	/* smaller than any the option takes */
	r.made.limits.v[LIMIT_PENDING] = 2000;
	told = run_path(&r, 2, "a.tar");
	assert_true(r.jobs > 40);
	for (const char *p = told; (p = strstr(p, "! ")); p++)
		early++;
	assert_true(early > 0);
	assert_non_null(strstr(told, "! a.tar!a/j00: limit\n"));
	assert_non_null(strstr(told, "a.tar!a/j00 1 key_not_found 1\n"));
	assert_non_null(strstr(told, "a.tar!a/j00 1 none 1\n"));
	run_close(&r);
}

/* A folder of very many files gives what one of few gives: parts far from
 * each other are one job, in the place of its first. */
static void test_large_folder(void **state)
{
	struct run r;
	const char *p;

	(void)state;
	sh("mkdir t; cd t; "
	   "for i in $(seq 1000 5500); do : >slurm-$i.out; done; "
	   "for i in $(seq 1000 7 5500); do : >slurm-$i.err; done; "
	   "echo \"KeyError: 'lr'\" >rank0.log; : >worker1.log");
	run_open(&r, NULL);
	for (unsigned threads = 1; threads <= 4; threads *= 2) {
		p = run_path(&r, threads, "t");
		expect_start(p, "t 1 key_not_found 2\n");
		p += strlen("t 1 key_not_found 2\n");
		for (int i = 1000; i <= 5500; i++) {
			char line[40];

			snprintf(line, sizeof line, "%d 1 unknown %d\n", i,
			    i % 7 == 1000 % 7 ? 2 : 1);
			expect_start(p, line);
			p += strlen(line);
		}
		assert_string_equal(p, "");
	}
	run_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_large_folder),
		IN_FOLDER(same_for_any_number_of_threads),
		IN_FOLDER(notes_in_order),
		IN_FOLDER(ranks_and_streams),
		IN_FOLDER(the_same_in_an_archive),
		IN_FOLDER(job_per_path),
		IN_FOLDER(sink_stops),
		IN_FOLDER(sink_stops_in_an_archive),
		IN_FOLDER(limit_pending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
