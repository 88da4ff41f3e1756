/*
 * The logs of one unit on several threads: all is told as on one.
 */
#include "tests/input/record.h"
#include "tests/jobs/jobs_lab.h"

#include "base/pool.h"
#include "base/text.h"
#include "jobs/triage.h"
#include "jobs/unit_queue.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define MIB ((size_t)1 << 20)

struct lab {
	struct made made;
	struct triage_counters counters;
	struct buf told;
	bool hash;
	unsigned jobs, stop_at; /* 0: never */
};

static void lab_open(struct lab *l)
{
	*l = (struct lab){ .told = BUF_INIT(BUF_MAX) };
	made_open(&l->made, NULL);
}

static void lab_close(struct lab *l)
{
	made_close(&l->made);
	buf_release(&l->told);
}

/* ---- whole runs ---- */

/* Everything about the logs of a job that their bytes decide. */
static void tell_job(struct lab *l, const struct diagnosis *d)
{
	assert_int_equal(buf_addf(&l->told, "%s %d %s\n", d->job, d->attempt,
			     diagnosis_category(d)),
	    0);
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		buf_addf(&l->told, "  %s %d %llu %llu %d %zu %llx\n", f->path,
		    f->rank, (unsigned long long)f->bytes,
		    (unsigned long long)f->lines, f->whole, f->n_evidence,
		    (unsigned long long)f->content.low);
		for (size_t k = 0; k < f->n_notes; k++)
			buf_addf(&l->told, "    %s\n", f->notes[k]);
	}
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct lab *l = ctx;

	tell_job(l, d);
	return ++l->jobs == l->stop_at ? -1 : 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct lab *l = ctx;

	assert_int_equal(buf_addf(&l->told, "! %s: %s: %s\n", path,
			     input_note_name(kind), text),
	    0);
}

static const char *run(struct lab *l, unsigned threads, const char *path)
{
	const struct triage_options o = {
		.taxonomy = l->made.tax,
		.limits = &l->made.limits,
		.engine = l->made.engine,
		.layout = l->made.layout,
		.threads = threads,
		.hash_content = l->hash,
	};
	const struct triage_sink sink = {
		.ctx = l, .job = on_job, .note = on_note
	};
	struct err e = { 0 };

	buf_clear(&l->told);
	l->jobs = 0;
	l->counters = (struct triage_counters){ 0 };
	assert_int_equal(triage_run(&o, &path, 1, &sink, &l->counters, &e), 0);
	buf_addf(&l->told, "%llu logs %llu jobs\n",
	    (unsigned long long)l->counters.logs,
	    (unsigned long long)l->counters.jobs);
	for (int i = 0; i < NOTE_COUNT; i++)
		buf_addf(&l->told, "%llu ",
		    (unsigned long long)l->counters.notes[i]);
	return l->told.p;
}

/* The same with 2 and 8 threads as with one; must: a word that is told. */
static void same(struct lab *l, const char *path, const char *must)
{
	char *one = strdup(run(l, 1, path));

	assert_non_null(one);
	if (must)
		assert_non_null(strstr(one, must));
	for (int i = 0; i < 2; i++) {
		assert_string_equal(run(l, 2, path), one);
		assert_string_equal(run(l, 8, path), one);
	}
	free(one);
}

/* a/jNNN.log, and the logs of three ranks in b/job1, b/job2, ...: of many
 * sizes, one larger than the queue stores. */
static void make_logs(void)
{
	sh("mkdir -p a b; i=0; while [ $i -lt 150 ]; do "
	   "f=a/j$(printf %03d $i).log; "
	   "seq -f 'epoch 1 step %g loss 0.25 of 0.5' $((i * 53 % 1500)) >$f; "
	   "case $((i % 3)) in "
	   "0) echo \"KeyError: 'lr'\" >>$f;; "
	   "1) echo 'RuntimeError: CUDA error: out of memory' >>$f;; esac; "
	   "i=$((i + 1)); done; "
	   "for i in 1 2 3 4 5 6 7 8; do mkdir b/job$i; for r in 0 1 2; do "
	   "cp a/j$(printf %03d $((i * 9 + r))).log b/job$i/rank$r.log; "
	   "done; done; : >b/job3/rank1.log; "
	   "seq -f 'epoch 2 step %g loss 0.25 of 0.5' 90000 >a/j099x.log; "
	   "echo \"KeyError: 'lr'\" >>a/j099x.log");
}

static void kinds_of_archives(void **state)
{
	struct lab l;

	(void)state;
	make_logs();
	sh("tar czf x.tar.gz --sort=name a b; tar cf x.tar --sort=name b a; "
	   "zip -qr1 x.zip a b; "
	   /* the ranks of all jobs, one after the other */
	   "tar czf y.tar.gz b/*/rank0.log a b/*/rank1.log b/*/rank2.log; "
	   "tar c x.zip a/j00*.log y.tar.gz | zstd -q -c >z.tar.zst; "
	   "mkdir c; cp x.zip y.tar.gz a/j001.log c");
	lab_open(&l);
	l.hash = true;
	same(&l, "x.tar.gz", "x.tar.gz!a/j000.log");
	same(&l, "x.tar", "b/job3/rank1.log 1 0 0 1 0 ");
	same(&l, "x.zip", "key_not_found");
	same(&l, "y.tar.gz", "rank2.log 2 ");
	same(&l, "z.tar.zst", "z.tar.zst!x.zip!a/j000.log");
	same(&l, "c", "c/x.zip!a/j000.log");
	lab_close(&l);
}

static void damage(void **state)
{
	struct lab l;

	(void)state;
	make_logs();
	sh("tar czf x.tar.gz --sort=name a b; zip -qr1 x.zip a b; "
	   "cp x.tar.gz y.tar.gz; truncate -s -100 x.tar.gz; "
	   "truncate -s -30K y.tar.gz; "
	   "for i in 1 2 3; do printf 'abcdefghij' | dd of=x.zip bs=1 "
	   "seek=${i}0000 conv=notrunc 2>/dev/null; done; "
	   "head -c 20K /dev/urandom | gzip -c | head -c 15K >a/j050.log.gz; "
	   "tar cf z.tar --sort=name a y.tar.gz b");
	lab_open(&l);
	same(&l, "x.tar.gz", "damaged");
	same(&l, "y.tar.gz", "damaged");
	same(&l, "x.zip", "damaged");
	same(&l, "z.tar", "j050.log.gz: damaged");
	lab_close(&l);
}

static void limits(void **state)
{
	struct lab l;

	(void)state;
	make_logs();
	sh("tar czf x.tar.gz b/*/rank0.log a b/*/rank1.log b/*/rank2.log; "
	   /* logs that come in one piece: time is asked for after each */
	   "find a b -name '*.log' -size +30k -delete; zip -qr1 x.zip a b");
	lab_open(&l);
	/* smaller than any the option takes */
	for (size_t held = 2000; held < 100000; held *= 7) {
		l.made.limits.v[LIMIT_PENDING] = held;
		same(&l, "x.tar.gz", "(limit pending)");
	}
	limits_init(&l.made.limits);
	l.made.limits.v[LIMIT_JOB_TIME] = 0;
	same(&l, "x.zip", "limit job-time");
	limits_init(&l.made.limits);
	l.made.limits.v[LIMIT_MATCH_TIME] = 0;
	same(&l, "x.zip", "limit match-time");
	limits_init(&l.made.limits);
	l.made.limits.v[LIMIT_ARCHIVE_MEMBERS] = 70;
	same(&l, "x.tar.gz", "limit archive-members");
	lab_close(&l);
}

/* Jobs whose folder has been left need not wait for the archive's end: all is
 * told as if they had, unless it comes back to one. */
static void lets_go(void **state)
{
	struct lab l;
	char *all;

	(void)state;
	make_logs();
	sh("for i in $(seq 100 149); do mkdir -p c/$i/x; "
	   "cp a/j$i.log c/$i/x/rank0.log; cp a/j000.log c/$i/x/rank1.log; "
	   "done; tar czf x.tar.gz --sort=name c; "
	   "tar czf y.tar.gz c/*/x/rank0.log a c/*/x/rank1.log");
	lab_open(&l);
	all = strdup(run(&l, 1, "x.tar.gz"));
	assert_non_null(all);
	assert_non_null(strstr(all, "100 logs 50 jobs"));
	same(&l, "y.tar.gz", " logs 201 jobs");
	/* more than they hold; a few go from a 64th of it on */
	l.made.limits.v[LIMIT_PENDING] = 1 << 20;
	same(&l, "x.tar.gz", NULL);
	assert_string_equal(l.told.p, all);
	same(&l, "y.tar.gz",
	    "limit: the archive comes back to its folder: told of without "
	    "the logs before (limit pending)");
	assert_null(strstr(l.told.p, " logs 201 jobs"));
	free(all);
	lab_close(&l);
}

static void stops(void **state)
{
	struct lab l;
	char *all;

	(void)state;
	make_logs();
	sh("tar czf x.tar.gz --sort=name a b");
	lab_open(&l);
	/* so that it is told while the archive is read */
	l.made.limits.v[LIMIT_PENDING] = 5000;
	all = strdup(run(&l, 1, "x.tar.gz"));
	assert_non_null(all);
	for (unsigned threads = 2; threads <= 8; threads *= 4) {
		for (l.stop_at = 60; l.stop_at < 150; l.stop_at += 11) {
			char *end;

			(void)run(&l, threads, "x.tar.gz");
			assert_int_equal(l.jobs, l.stop_at);
			/* notes follow: of what was read before the end */
			end = strstr(l.told.p, "\n! ");
			assert_non_null(end);
			assert_memory_equal(
			    l.told.p, all, (size_t)(end - l.told.p));
		}
	}
	free(all);
	lab_close(&l);
}

/* One job, with a limit that leaves out the logs after it. */
static void one_job(void **state)
{
	static const char *const paths[] = { "x.tar.gz", "a", "x.zip" };
	char *told[2];
	struct lab l;

	(void)state;
	make_logs();
	sh("tar czf x.tar.gz --sort=name a b; zip -qr1 x.zip b");
	lab_open(&l);
	for (int i = 0; i < 8; i++) {
		const struct triage_options o = { .taxonomy = l.made.tax,
			.limits = &l.made.limits,
			.engine = l.made.engine,
			.layout = l.made.layout,
			.threads = i % 2 ? 8 : 1 };
		const struct triage_sink sink = { .ctx = &l, .note = on_note };
		struct triage_job job = { .paths = paths,
			.n_paths = 3,
			.exit_code = -1,
			.signal = -1 };
		struct diagnosis d;
		struct err e = { 0 };

		limits_init(&l.made.limits);
		if (i / 2)
			l.made.limits.v[LIMIT_PENDING] = 3000u << 2 * (i / 2);
		buf_clear(&l.told);
		assert_int_equal(triage_one(&o, &job, &sink, &d, &e), 0);
		tell_job(&l, &d);
		diagnosis_release(&d);
		told[i % 2] = strdup(l.told.p);
		assert_non_null(told[i % 2]);
		if (i % 2) {
			assert_string_equal(told[0], told[1]);
			assert_int_equal(
			    strstr(told[0], "(limit pending)") != NULL, i > 1);
			free(told[0]);
			free(told[1]);
		}
	}
	lab_close(&l);
}

/* ---- the queue itself ---- */

static struct unit_time plenty = { INT64_MAX / 2, INT64_MAX / 2 };

/* Put a log of n bytes; false: there is no room. */
static bool put(struct unit_queue *q, int rank, size_t n)
{
	static char text[2 * MIB];
	struct unit_log *l = unit_queue_add(q);
	bool full = !l;

	if (!*text)
		memset(text, 'x', sizeof text);
	if (full)
		return false;
	l->path = strdup("a.log");
	l->rank = rank;
	l->time = &plenty;
	l->whole = true;
	for (size_t i = 0; i < n && !full; i += 100000)
		full = unit_queue_store(q, text + i,
			   n - i < 100000 ? n - i : 100000) == UNIT_QUEUE_FULL;
	unit_queue_put(q, false);
	return !full;
}

/* Take back n logs, which begin with that rank. */
static void take(
    struct unit_queue *q, const struct unit_reader *r, int from, int n)
{
	while (n) {
		struct unit_log *l = unit_queue_first(q);

		if (!l) {
			unit_queue_work(q, r);
			continue;
		}
		assert_false(l->failed);
		assert_int_equal(l->f->rank, from);
		assert_true(l->f->whole);
		unit_queue_drop(q);
		from++;
		n--;
	}
}

struct queue_lab {
	struct lab l;
	struct pool *pool;
	struct unit_readers readers; /* the last is the caller's */
	struct unit_reader *r;
	struct unit_queue *q;
};

static void queue_open(struct queue_lab *l, unsigned threads)
{
	struct err e = { 0 };

	lab_open(&l->l);
	l->pool = pool_new(threads, &e);
	assert_non_null(l->pool);
	l->readers = (struct unit_readers){ .engine = l->l.made.engine,
		.limits = &l->l.made.limits };
	assert_int_equal(unit_readers_init(&l->readers, threads + 1, &e), 0);
	l->r = unit_readers_get(&l->readers, threads, &e);
	assert_non_null(l->r);
	assert_ptr_equal(unit_readers_get(&l->readers, threads, &e), l->r);
	l->q = unit_queue_new(l->pool, &l->readers);
	assert_non_null(l->q);
}

static void queue_close(struct queue_lab *l)
{
	unit_queue_free(l->q);
	pool_free(l->pool);
	unit_readers_release(&l->readers);
	lab_close(&l->l);
}

/* Nobody comes: what fits is stored, in order, and scanned by the caller. */
static void alone(void **state)
{
	struct queue_lab l;
	struct unit_queue *q;
	int n = 0;

	(void)state;
	queue_open(&l, 0);
	q = l.q;
	assert_false(unit_queue_helps(q));
	assert_true(unit_queue_empty(q));
	while (put(q, n, MIB / 3))
		n++;
	assert_true(n > 6 && n < 60);
	take(q, l.r, 0, n + 1);
	assert_true(unit_queue_empty(q));
	for (n = 0; put(q, n, (size_t)n % 3); n++)
		;
	assert_true(n > 100);
	take(q, l.r, 0, n);
	/* as large as can be, and larger, which the caller scans itself */
	assert_true(put(q, 0, MIB));
	assert_int_equal(unit_queue_store(q, "y", 0), UNIT_QUEUE_STORED);
	assert_int_equal(unit_queue_store(q, "y", 1), UNIT_QUEUE_TOO_LARGE);
	assert_int_equal(unit_queue_stored(q).n, MIB);
	take(q, l.r, 0, 1);
	queue_close(&l);
}

static void moment(void)
{
	const struct timespec ms = { 0, 1000000 };

	nanosleep(&ms, NULL);
}

static void until_spare(struct pool *p, int n)
{
	for (int i = 0; i < 20000 && pool_spare(p) != n; i++)
		moment();
	assert_int_equal(pool_spare(p), n);
}

/* Work of others. */
static void hold(void *ctx, unsigned thread)
{
	const atomic_bool *on = ctx;

	(void)thread;
	while (*on)
		moment();
}

/* Threads come when there is enough for them, leave when there is not, or when
 * others need them. */
static void threads(void **state)
{
	atomic_bool on = true;
	struct pool_task others = { .run = hold, .ctx = &on };
	struct err e;
	struct queue_lab l;
	struct unit_queue *q;

	(void)state;
	queue_open(&l, 3);
	q = l.q;
	assert_true(unit_queue_helps(q));
	assert_true(put(q, 0, 1000));
	assert_int_equal(pool_started(l.pool), 0);
	assert_true(put(q, 1, MIB / 2));
	assert_int_equal(pool_started(l.pool), 1);
	until_spare(l.pool, 3);
	take(q, l.r, 0, 2);
	/* all threads have other work */
	for (int i = 0; i < 3; i++)
		assert_int_equal(pool_call(l.pool, &others, &e), 0);
	assert_false(unit_queue_helps(q));
	for (int i = 0; i < 5; i++)
		assert_true(put(q, i, MIB / 2));
	assert_int_equal(pool_spare(l.pool), 0);
	take(q, l.r, 0, 5);
	on = false;
	pool_wait(l.pool, &others);
	/* other work comes in the midst */
	on = true;
	for (int i = 0; i < 5; i++)
		assert_true(put(q, i, MIB / 2));
	for (int i = 0; i < 4; i++)
		assert_int_equal(pool_call(l.pool, &others, &e), 0);
	until_spare(l.pool, -1);
	take(q, l.r, 0, 5);
	on = false;
	pool_wait(l.pool, &others);
	for (int i = 0; i < 6; i++)
		assert_true(put(q, i, MIB / 2));
	queue_close(&l); /* in the middle */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(kinds_of_archives),
		IN_FOLDER(damage),
		IN_FOLDER(limits),
		IN_FOLDER(lets_go),
		IN_FOLDER(stops),
		IN_FOLDER(one_job),
		IN_FOLDER(alone),
		IN_FOLDER(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
