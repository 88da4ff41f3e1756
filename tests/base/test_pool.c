/*
 * Threads of one budget: every call is answered once, no more run at once than
 * there are, and what nobody has answered can be taken back.
 */
#include "tests/test.h"

#include "base/err.h"
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

/* What tasks count. */
struct lab {
	struct pool *pool;
	struct pool_task task;
	atomic_int runs, now, most;
	unsigned threads; /* of the pool */
	atomic_bool hold; /* runs last until it is false */
	atomic_int of_thread[8];
};

static void moment(void)
{
	const struct timespec t = { 0, 100000 };

	nanosleep(&t, NULL);
}

static void run(void *ctx, unsigned thread)
{
	struct lab *l = ctx;
	int now = atomic_fetch_add(&l->now, 1) + 1, most = l->most;

	assert_true(thread < l->threads);
	/* one thread is in one run */
	assert_int_equal(atomic_fetch_add(&l->of_thread[thread], 1), 0);
	while (
	    now > most && !atomic_compare_exchange_weak(&l->most, &most, now))
		;
	while (l->hold)
		moment();
	atomic_fetch_sub(&l->of_thread[thread], 1);
	atomic_fetch_sub(&l->now, 1);
	atomic_fetch_add(&l->runs, 1);
}

static void lab_open(struct lab *l, unsigned threads)
{
	struct err e;

	*l = (struct lab){ .pool = pool_new(threads, &e), .threads = threads };
	assert_non_null(l->pool);
	l->task = (struct pool_task){ .run = run, .ctx = l };
}

static void until(const atomic_int *n, int value)
{
	for (int i = 0; i < 100000 && atomic_load(n) != value; i++)
		moment();
	assert_int_equal(atomic_load(n), value);
}

static void every_call_is_answered(void **state)
{
	struct err e = { 0 };
	struct lab l;

	(void)state;
	for (unsigned threads = 1; threads <= 4; threads++) {
		lab_open(&l, threads);
		for (int i = 0; i < 10000; i++)
			assert_int_equal(pool_call(l.pool, &l.task, &e), 0);
		pool_wait(l.pool, &l.task);
		assert_int_equal(l.runs, 10000);
		assert_true(l.most <= (int)threads);
		assert_true(pool_started(l.pool) <= threads);
		assert_int_equal(pool_spare(l.pool), threads);
		pool_free(l.pool);
	}
}

/* Threads are started for calls that none is free for. */
static void threads_come_when_needed(void **state)
{
	struct err e = { 0 };
	struct lab l;

	(void)state;
	lab_open(&l, 3);
	assert_int_equal(pool_started(l.pool), 0);
	assert_int_equal(pool_call(l.pool, &l.task, &e), 0);
	pool_wait(l.pool, &l.task);
	assert_int_equal(pool_call(l.pool, &l.task, &e), 0);
	pool_wait(l.pool, &l.task);
	assert_int_equal(pool_started(l.pool), 1);
	l.hold = true;
	for (int i = 1; i <= 4; i++) {
		assert_int_equal(pool_call(l.pool, &l.task, &e), 0);
		assert_int_equal(pool_spare(l.pool), 3 - i);
	}
	until(&l.now, 3);
	assert_int_equal(pool_started(l.pool), 3);
	l.hold = false;
	pool_wait(l.pool, &l.task);
	assert_int_equal(l.runs, 6);
	assert_int_equal(l.most, 3);
	pool_free(l.pool);
}

/* An offer is taken when there are so many threads, and only then. */
static void offers(void **state)
{
	struct lab l;

	(void)state;
	lab_open(&l, 2);
	assert_false(pool_offer(l.pool, &l.task, 3));
	l.hold = true;
	assert_true(pool_offer(l.pool, &l.task, 2));
	assert_false(pool_offer(l.pool, &l.task, 2));
	assert_true(pool_offer(l.pool, &l.task, 1));
	assert_false(pool_offer(l.pool, &l.task, 1));
	l.hold = false;
	pool_wait(l.pool, &l.task);
	assert_int_equal(l.runs, 2);
	pool_free(l.pool);
}

/* What nobody has answered can be taken back, in the midst of others, too. */
static void calls_are_taken_back(void **state)
{
	struct lab l;
	struct pool_task other[3];
	struct err e = { 0 };

	(void)state;
	lab_open(&l, 1);
	l.hold = true;
	assert_int_equal(pool_call(l.pool, &l.task, &e), 0);
	until(&l.now, 1);
	assert_false(pool_recall(l.pool, &l.task));
	for (int i = 0; i < 3; i++) {
		other[i] = l.task;
		other[i].calls = other[i].runs = 0;
		assert_int_equal(pool_call(l.pool, &other[i], &e), 0);
		assert_int_equal(pool_call(l.pool, &other[i], &e), 0);
	}
	assert_int_equal(pool_spare(l.pool), -6);
	assert_true(pool_recall(l.pool, &other[1]));
	pool_cancel(l.pool, &other[1]);
	assert_false(pool_recall(l.pool, &other[1]));
	pool_cancel(l.pool, &other[2]);
	assert_int_equal(pool_call(l.pool, &other[1], &e), 0);
	assert_int_equal(pool_spare(l.pool), -3);
	l.hold = false;
	pool_wait(l.pool, &other[1]);
	pool_wait(l.pool, &other[0]);
	pool_cancel(l.pool, &l.task);
	assert_int_equal(l.runs, 4);
	pool_free(l.pool);
}

/* Calls from several threads, one of which takes back what it can. */
struct caller {
	struct lab *l;
	pthread_t thread;
	struct pool_task task;
	unsigned taken_back;
};

static void *many_calls(void *ctx)
{
	struct caller *c = ctx;

	for (int i = 0; i < 2000; i++) {
		while (!pool_offer(c->l->pool, &c->task, -100))
			;
		c->taken_back += pool_recall(c->l->pool, &c->task);
	}
	pool_wait(c->l->pool, &c->task);
	return NULL;
}

static void callers_side_by_side(void **state)
{
	struct caller callers[4];
	unsigned back = 0;
	struct lab l;

	(void)state;
	lab_open(&l, 3);
	for (int i = 0; i < 4; i++) {
		callers[i] = (struct caller){ .l = &l, .task = l.task };
		assert_int_equal(pthread_create(&callers[i].thread, NULL,
				     many_calls, &callers[i]),
		    0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(callers[i].thread, NULL);
		back += callers[i].taken_back;
	}
	assert_int_equal(l.runs + (int)back, 4 * 2000);
	assert_true(l.most <= 3);
	assert_int_equal(pool_spare(l.pool), 3);
	pool_free(l.pool);
}

/* A pool without threads, and none at all. */
static void without_threads(void **state)
{
	struct err e = { 0 };
	struct lab l;

	(void)state;
	lab_open(&l, 0);
	assert_int_equal(pool_spare(l.pool), 0);
	assert_false(pool_offer(l.pool, &l.task, 1));
	assert_false(pool_recall(l.pool, &l.task));
	assert_int_equal(pool_call(l.pool, &l.task, &e), -1);
	assert_non_null(strstr(e.text, "cannot start a thread"));
	pool_cancel(l.pool, &l.task);
	pool_free(l.pool);
	assert_int_equal(pool_spare(NULL), 0);
	assert_false(pool_offer(NULL, &l.task, 1));
	assert_false(pool_recall(NULL, &l.task));
	pool_cancel(NULL, &l.task);
	pool_free(NULL);
	assert_int_equal(l.runs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_call_is_answered),
		cmocka_unit_test(threads_come_when_needed),
		cmocka_unit_test(offers),
		cmocka_unit_test(calls_are_taken_back),
		cmocka_unit_test(callers_side_by_side),
		cmocka_unit_test(without_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
