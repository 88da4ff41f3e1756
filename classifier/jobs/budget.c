/*
 * Owners are few and files many: a tree of them, and sums that threads add to
 * without a lock. The run's time is by the clock; an owner's is what threads
 * took for the files, so that it does not depend on how many there are.
 */
#include "jobs/budget.h"

#include "diagnose/evidence/scan.h"
#include "jobs/stamp.h"

#include <inttypes.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct budget_owner {
	uid_t uid; /* -1: not known */
	_Atomic int64_t left;
	_Atomic uint64_t out, late; /* files left out: for it, for the run */
	struct budget_owner *next;
};

struct budget {
	int64_t each;  /* what an owner begins with; microseconds */
	int64_t until; /* by scan_clock */
	char why_owner[80], why_run[80];
	pthread_mutex_t lock;
	/* under lock: */
	void *tree;
	struct budget_owner *owners;
};

static void words(char to[80], const char *whose, uint64_t ms, enum limit which)
{
	snprintf(to, 80, "%g seconds of %s are over (limit %s)",
	    (double)ms / 1e3, whose, limit_table[which].name);
}

bool budget_bounds(const struct limits *limits)
{
	return limits->v[LIMIT_OWNER_TIME] <
	    limit_table[LIMIT_OWNER_TIME].max ||
	    limits->v[LIMIT_RUN_TIME] < limit_table[LIMIT_RUN_TIME].max;
}

struct budget *budget_new(const struct limits *limits)
{
	const uint64_t owner = limits->v[LIMIT_OWNER_TIME];
	const uint64_t run = limits->v[LIMIT_RUN_TIME];
	struct budget *b = calloc(1, sizeof *b);

	if (!b)
		return NULL;
	b->each = (int64_t)owner * 1000;
	b->until = scan_clock() + (int64_t)run * 1000;
	words(b->why_owner, "its owner", owner, LIMIT_OWNER_TIME);
	words(b->why_run, "the run", run, LIMIT_RUN_TIME);
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

static int by_uid(const void *a, const void *b)
{
	const struct budget_owner *x = a, *y = b;

	return x->uid < y->uid ? -1 : x->uid > y->uid;
}

void budget_free(struct budget *b)
{
	if (!b)
		return;
	while (b->owners) {
		struct budget_owner *o = b->owners;

		b->owners = o->next;
		tdelete(o, &b->tree, by_uid);
		free(o);
	}
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* The lock is held. */
static struct budget_owner *owner_for(struct budget *b, uid_t uid)
{
	struct budget_owner want = { .uid = uid }, *o;
	void *at = tfind(&want, &b->tree, by_uid);

	if (at)
		return *(struct budget_owner **)at;
	o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->uid = uid;
	o->left = b->each;
	if (!tsearch(o, &b->tree, by_uid)) {
		free(o);
		return NULL;
	}
	o->next = b->owners;
	b->owners = o;
	return o;
}

struct budget_owner *budget_owner(struct budget *b, const char *path)
{
	struct budget_owner *o;
	struct stat st = { 0 };

	if (stamp_stat(path, &st) && !S_ISFIFO(st.st_mode))
		st.st_uid = (uid_t)-1;
	pthread_mutex_lock(&b->lock);
	o = owner_for(b, st.st_uid);
	pthread_mutex_unlock(&b->lock);
	return o;
}

static int64_t run_left(const struct budget *b)
{
	return b->until - scan_clock();
}

int64_t budget_left(const struct budget *b, const struct budget_owner *o)
{
	int64_t run = run_left(b), own = o->left;

	return own < run ? own : run;
}

void budget_spend(struct budget_owner *o, int64_t microseconds)
{
	o->left -= microseconds;
}

const char *budget_why(const struct budget *b, const struct budget_owner *o)
{
	return o->left > 0 ? b->why_run : b->why_owner;
}

void budget_leave(struct budget_owner *o)
{
	if (o->left > 0)
		o->late++;
	else
		o->out++;
}

static void count(char text[160], uint64_t n, const char *why)
{
	snprintf(text, 160, "%" PRIu64 " %s not read: %s", n,
	    n == 1 ? "file is" : "files are", why);
}

void budget_each(const struct budget *b,
    void (*tell)(void *ctx, const char *who, const char *text), void *ctx)
{
	char who[40], text[160];
	uint64_t late = 0;

	for (const struct budget_owner *o = b->owners; o; o = o->next) {
		late += o->late;
		if (!o->out)
			continue;
		snprintf(who, sizeof who,
		    o->uid == (uid_t)-1 ? "owner unknown" : "owner %ju",
		    (uintmax_t)o->uid);
		count(text, o->out, b->why_owner);
		tell(ctx, who, text);
	}
	if (!late)
		return;
	count(text, late, b->why_run);
	tell(ctx, "run", text);
}
