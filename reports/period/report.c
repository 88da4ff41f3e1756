/*
 * Entries are collected as they come and added up at the end: first they are
 * brought into the order of jobs and attempts, which tells the versions of one
 * attempt, the retries that were pointless and the jobs that recovered; then
 * each part of the report makes one pass over them.
 */
#include "reports/period/report_private.h"

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/period/goodput.h"
#include "reports/period/unnamed.h"
#include "reports/store/entry_brief.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct report_builder *report_begin(
    const struct taxonomy *tax, const struct report_options *o, struct err *e)
{
	struct report_builder *b = calloc(1, sizeof *b);
	struct report *r = calloc(1, sizeof *r);
	struct arena *arena = arena_new();

	if (!b || !r || !arena) {
		free(b);
		free(r);
		arena_free(arena);
		err_nomem(e);
		return NULL;
	}
	*r = (struct report){
		.tax = tax,
		.options = *o,
		.first = ENVELOPE_NO_TIME,
		.last = ENVELOPE_NO_TIME,
		.arena = arena,
	};
	b->r = r;
	b->arena = arena;
	return b;
}

void report_free(struct report *r)
{
	if (!r)
		return;
	arena_free(r->arena);
	free(r);
}

static void builder_free(struct report_builder *b)
{
	report_free(b->r);
	free(b->items);
	free(b->failures);
	free(b);
}

/* ---- which entries count ---- */

/* 1: in the period, 0: in the one before, -1: in neither. */
static int period_of(const struct report_options *o, int64_t when)
{
	bool since = o->since != ENVELOPE_NO_TIME;
	bool until = o->until != ENVELOPE_NO_TIME;

	if (when == ENVELOPE_NO_TIME)
		return 1;
	if (until && when >= o->until)
		return -1;
	if (!since || when >= o->since)
		return 1;
	/* as long as the period itself */
	return until && o->until > o->since &&
		(uint64_t)(o->since - when) <= (uint64_t)(o->until - o->since)
	    ? 0
	    : -1;
}

/* What an older line does not say, the taxonomy may. */
static void complete(struct entry *en, const struct taxonomy *tax)
{
	const struct category *c = taxonomy_category(tax, en->category);

	if (strcmp(entry_category(en), ENTRY_NO_LOG) == 0) {
		en->category = ENTRY_NO_LOG;
		en->category_name = ENTRY_NO_LOG_WORDS;
	}
	if (!c)
		return;
	if (!en->family)
		en->family = c->family;
	if (!en->dimension)
		en->dimension = c->dimension;
	if (!en->category_name)
		en->category_name = c->name;
}

static int keep(struct report_builder *b, const struct entry *en, int now)
{
	struct item it = {
		.position = b->n, .when = entry_when(en), .now = now == 1
	};

	if (array_grow(&b->items, b->n, &b->cap, sizeof *b->items))
		return -1;
	it.en = arena_memory(b->arena, sizeof *it.en);
	if (!it.en)
		return -1;
	*it.en = *en;
	b->items[b->n++] = it;
	return 0;
}

static int count_entry(
    struct report_builder *b, struct entry *en, int64_t seen, struct err *e)
{
	int now;

	if (!entry_wanted(en, &b->r->options.whose))
		return 0;
	en->seen = seen;
	complete(en, b->r->tax);
	now = period_of(&b->r->options, entry_counted(en));
	if (now < 0)
		return 0;
	return keep(b, en, now) ? err_nomem(e) : 0;
}

int report_add(
    struct report_builder *b, struct span record, int64_t seen, struct err *e)
{
	struct json *o = json_parse(record, JSON_PARSE, e);
	struct entry en;
	int rc;

	if (!o)
		return -1;
	rc = entry_read(&en, o, b->arena, e);
	json_free(o);
	return rc ? -1 : count_entry(b, &en, seen, e);
}

int report_add_brief(
    struct report_builder *b, struct span brief, int64_t seen, struct err *e)
{
	struct entry en;

	return entry_brief_read(&en, brief, b->arena, e)
	    ? -1
	    : count_entry(b, &en, seen, e);
}

void report_judge(struct report_builder *b, struct judgements *all)
{
	b->judgements = all;
}

void report_refuse(struct report_builder *b)
{
	b->r->refused++;
}

/* ---- jobs and attempts ---- */

int report_in_time(const struct item *a, const struct item *b)
{
	if (a->when == b->when)
		return 0;
	if (a->when == ENVELOPE_NO_TIME || b->when == ENVELOPE_NO_TIME)
		return a->when == ENVELOPE_NO_TIME ? 1 : -1;
	return a->when < b->when ? -1 : 1;
}

int report_compare(const char *a, const char *b)
{
	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	return strcmp(a, b);
}

static int by_version(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->en->attempt != y->en->attempt)
		return x->en->attempt < y->en->attempt ? -1 : 1;
	/* a record alone says less than a log, whenever it came */
	if (x->en->has_log != y->en->has_log)
		return x->en->has_log ? 1 : -1;
	if (x->en->seen != y->en->seen)
		return x->en->seen < y->en->seen ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = report_compare(x->en->job, y->en->job);

	return c ? c : x->position < y->position ? -1 : 1;
}

static int by_cluster(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = report_compare(x->en->cluster, y->en->cluster);

	return c ? c : x->position < y->position ? -1 : 1;
}

static int by_user(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = report_compare(x->en->user, y->en->user);

	return c ? c : x->position < y->position ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = report_compare(x->en->place, y->en->place);

	return c ? c : x->position < y->position ? -1 : 1;
}

/* What tells jobs of one name apart, one after the other. */
static const struct part {
	size_t at; /* in the entry */
	int (*order)(const void *a, const void *b);
} parts[] = {
	{ offsetof(struct entry, cluster), by_cluster },
	{ offsetof(struct entry, user), by_user },
	{ offsetof(struct entry, place), by_place },
};
#define PARTS (sizeof parts / sizeof *parts)

static const char *part_of(const struct item *it, const struct part *p)
{
	return *(
	    const char *const *)(const void *)((const char *)it->en + p->at);
}

/* Whether two are known of it. */
static bool several(const struct item *v, size_t n, const struct part *p)
{
	const char *one = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *s = part_of(&v[i], p);

		if (s && one && strcmp(s, one) != 0)
			return true;
		one = s ? s : one;
	}
	return false;
}

/* Number the jobs among items of one name that no part before k tells apart: as
 * long as only one cluster, user or place is known, they are one job. */
static void number_parts(struct item *v, size_t n, size_t k, size_t *number)
{
	size_t end;

	while (k < PARTS && !several(v, n, &parts[k]))
		k++;
	if (k == PARTS) {
		for (size_t i = 0; i < n; i++)
			v[i].job = *number;
		++*number;
		return;
	}
	qsort(v, n, sizeof *v, parts[k].order);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n &&
		     !report_compare(part_of(&v[end], &parts[k]),
			 part_of(&v[i], &parts[k]));)
			end++;
		number_parts(v + i, end - i, k + 1, number);
	}
}

static void number_jobs(struct report_builder *b)
{
	size_t number = 0, end;

	for (size_t i = 0; i < b->n; i = end) {
		for (end = i + 1; end < b->n &&
		     !report_compare(
			 b->items[end].en->job, b->items[i].en->job);)
			end++;
		number_parts(b->items + i, end - i, 0, &number);
	}
}

static bool same_attempt(const struct item *a, const struct item *b)
{
	return a->job == b->job && a->en->attempt == b->en->attempt;
}

/* Of several versions of an attempt, the last remains. */
static void drop_versions(struct report_builder *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (i + 1 == b->n ||
		    !same_attempt(&b->items[i], &b->items[i + 1]))
			b->items[n++] = b->items[i];
	b->n = n;
}

/*
 * Attempts after one with the same fingerprint and the verdict stop. stopped
 * has, for each fingerprint, the job in which it was last stopped, plus 1.
 */
static void find_avoidable(struct report_builder *b, size_t *stopped)
{
	for (size_t i = 0; i < b->n; i++) {
		struct item *it = &b->items[i];

		if (!it->failure)
			continue;
		if (stopped[it->failure] == it->job + 1 &&
		    it->en->gpu_seconds > 0)
			it->avoidable = it->en->gpu_seconds;
		if (it->en->verdict == VERDICT_STOP)
			stopped[it->failure] = it->job + 1;
	}
}

static void count_job(struct report *r, const struct item *v, size_t n)
{
	const struct item *last = NULL;
	bool failed_before = false;

	for (size_t i = 0; i < n; i++) {
		if (last)
			failed_before |= last->en->failed == 1;
		last = &v[i];
	}
	if (!last || !last->now)
		return;
	if (last->en->failed == 1)
		r->jobs_failed++;
	else if (last->en->failed == 0 && failed_before)
		r->jobs_recovered++;
}

/* ---- sums ---- */

void report_sum(struct sums *s, const struct item *it, bool failed)
{
	const struct entry *en = it->en;
	int64_t used = en->gpu_seconds;

	s->attempts++;
	s->failed += failed;
	s->unmeasured += used < 0;
	s->estimated += used >= 0 && en->estimated;
	if (used > 0)
		s->gpu_seconds += used;
	if (!failed)
		return;
	if (used > 0)
		s->failed_gpu_seconds += used;
	if (en->lost > 0)
		s->lost += en->lost;
	s->avoidable += it->avoidable;
	if (en->cpu_seconds > 0)
		s->failed_cpu_seconds += en->cpu_seconds;
	if (en->cpu_lost > 0)
		s->cpu_lost += en->cpu_lost;
}

static void count_item(struct report *r, const struct item *it)
{
	const struct entry *en = it->en;
	enum ending ending = entry_ending(en);

	report_sum(it->now ? &r->now : &r->before, it, en->failed == 1);
	if (!it->now) {
		r->has_before = true;
		return;
	}
	r->ended_well += en->failed == 0;
	r->cannot_tell += en->failed < 0;
	r->launched += en->launches > 0;
	r->launches += en->launches > 0 ? (uint64_t)en->launches : 0;
	r->unproven += en->failed < 0 && ending == ENDING_UNPROVEN;
	r->cut += en->failed < 0 && ending == ENDING_CUT;
	r->running += en->failed < 0 && ending == ENDING_RUNNING;
	r->judged += en->judged != NULL;
	r->node_log += en->failed == 1 && en->node_log;
	r->no_log += !en->has_log;
	r->no_record += !en->has_record;
	if (it->when == ENVELOPE_NO_TIME) {
		r->undated++;
		return;
	}
	if (r->first == ENVELOPE_NO_TIME || it->when < r->first)
		r->first = it->when;
	if (r->last == ENVELOPE_NO_TIME || it->when > r->last)
		r->last = it->when;
}

static void count_all(struct report_builder *b)
{
	struct report *r = b->r;
	size_t end;

	for (size_t i = 0; i < b->n; i = end) {
		bool now = false, before = false;

		for (end = i;
		     end < b->n && b->items[end].job == b->items[i].job;
		     end++) {
			count_item(r, &b->items[end]);
			now |= b->items[end].now;
			before |= !b->items[end].now;
		}
		r->now.jobs += now;
		r->before.jobs += before;
		count_job(r, &b->items[i], end - i);
	}
}

/* ---- failures, by fingerprint ---- */

static int by_fingerprint(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a;
	const struct item *y = *(struct item *const *)b;
	int c = report_compare(x->en->fingerprint, y->en->fingerprint);

	c = c ? c : report_in_time(x, y);
	return c ? c : x < y ? -1 : x > y; /* by job and attempt */
}

static int number_categories(struct report_builder *b)
{
	struct numbers set = { 0 };
	int rc = 0;

	for (size_t i = 0; i < b->n_failures && !rc; i++) {
		struct item *it = b->failures[i];

		it->category = report_number_of(&set, it->en->category);
		rc = it->category == SIZE_MAX ? -1 : 0;
	}
	b->n_categories = set.n;
	report_numbers_release(&set);
	return rc;
}

static int find_failures(struct report_builder *b)
{
	size_t n = 0;

	b->failures = calloc(b->n + 1, sizeof(struct item *));
	if (!b->failures)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].en->failed == 1)
			b->failures[n++] = &b->items[i];
	qsort(b->failures, n, sizeof(struct item *), by_fingerprint);
	for (size_t i = 0; i < n; i++) {
		const char *print = b->failures[i]->en->fingerprint;

		if (!print)
			continue;
		if (i == 0 ||
		    report_compare(print, b->failures[i - 1]->en->fingerprint))
			b->n_fingerprints++;
		b->failures[i]->failure = b->n_fingerprints;
	}
	b->n_failures = n;
	return number_categories(b);
}

/* ---- the list ---- */

static int by_time(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a;
	const struct item *y = *(struct item *const *)b;
	int c = report_in_time(x, y);

	c = c ? c : report_compare(x->en->job, y->en->job);
	return c ? c : x < y ? -1 : x > y;
}

static int list_entries(struct report_builder *b)
{
	struct item **v = malloc((b->n + 1) * sizeof *v);
	struct report *r = b->r;
	size_t n = 0;

	if (!v)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].now)
			v[n++] = &b->items[i];
	qsort(v, n, sizeof *v, by_time);
	r->entries = arena_memory(b->arena, (n + 1) * sizeof *r->entries);
	r->avoidable = arena_memory(b->arena, (n + 1) * sizeof *r->avoidable);
	r->is_last = arena_memory(b->arena, (n + 1) * sizeof *r->is_last);
	if (r->entries && r->avoidable && r->is_last) {
		for (size_t i = 0; i < n; i++) {
			r->entries[i] = v[i]->en;
			r->avoidable[i] = v[i]->avoidable;
			r->is_last[i] = v[i] + 1 == b->items + b->n ||
			    v[i][1].job != v[i]->job;
		}
		r->n_entries = n;
	}
	free(v);
	return r->entries && r->avoidable && r->is_last ? 0 : -1;
}

static int order_jobs(struct report_builder *b)
{
	size_t *stopped;

	if (b->n == 0)
		return find_failures(b);
	qsort(b->items, b->n, sizeof *b->items, by_name);
	number_jobs(b);
	qsort(b->items, b->n, sizeof *b->items, by_version);
	drop_versions(b);
	if (find_failures(b))
		return -1;
	stopped = calloc(b->n_fingerprints + 1, sizeof *stopped);
	if (!stopped)
		return -1;
	find_avoidable(b, stopped);
	free(stopped);
	count_all(b);
	return 0;
}

const char *report_cluster(const struct report *r, const struct entry *en)
{
	return r->several_clusters ? en->cluster : NULL;
}

/* Whether jobs of the period are of more than one that is known. */
static bool has_several_clusters(const struct report *r)
{
	const char *first = NULL;

	for (size_t i = 0; i < r->n_entries; i++) {
		const char *cluster = r->entries[i]->cluster;

		if (cluster && first && report_compare(cluster, first))
			return true;
		first = cluster ? cluster : first;
	}
	return false;
}

struct report *report_end(
    struct report_builder *b, const struct report_past *past, struct err *e)
{
	struct report *r = NULL;

	if (report_judged(b) || order_jobs(b) || list_entries(b) ||
	    report_groups(b) || report_incidents(b) || report_nodes(b) ||
	    report_rules(b) || report_months(b) || report_unknown(b) ||
	    goodput_sum(b) || unnamed_find(b)) {
		err_nomem(e);
		goto out;
	}
	if (report_failures(b, past, e))
		goto out;
	r = b->r;
	r->several_clusters = has_several_clusters(r);
	b->r = NULL;
out:
	builder_free(b);
	return r;
}

void report_counts(
    const struct report *r, struct report_count out[REPORT_COUNTS])
{
	const struct report_count counts[REPORT_COUNTS] = {
		{ "jobs_failed", r->jobs_failed },
		{ "jobs_recovered", r->jobs_recovered },
		{ "ended_well", r->ended_well },
		{ "cannot_tell", r->cannot_tell },
		{ "unproven", r->unproven },
		{ "cut", r->cut },
		{ "running", r->running },
		{ "with_launches", r->launched },
		{ "launches", r->launches },
		{ "no_log", r->no_log },
		{ "no_record", r->no_record },
		{ "undated", r->undated },
		{ "refused", r->refused },
		{ "judged", r->judged },
		{ "node_log", r->node_log },
	};

	memcpy(out, counts, sizeof counts);
}
