/*
 * From rows to records that can be found. Equal ids are one string, so they
 * are told by their address; the pool that holds them is the index as well.
 */
#include "base/array.h"
#include "base/buf.h"
#include "jobs/accounting_load.h"

#include <stdlib.h>
#include <string.h>

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes, but numbers by their value. */
static int compare_ids(const char *a, const char *b)
{
	while (*a && *b) {
		size_t m, n;
		int order;

		if (!digit(*a) || !digit(*b)) {
			if (*a != *b)
				return (unsigned char)*a < (unsigned char)*b
				    ? -1
				    : 1;
			a++;
			b++;
			continue;
		}
		while (*a == '0' && digit(a[1]))
			a++;
		while (*b == '0' && digit(b[1]))
			b++;
		m = strspn(a, "0123456789");
		n = strspn(b, "0123456789");
		if (m != n)
			return m < n ? -1 : 1;
		order = memcmp(a, b, m);
		if (order)
			return order;
		a += m;
		b += n;
	}
	return *a ? 1 : *b ? -1 : 0;
}

/* By id, cluster, attempt as far as the file names it, start, and place in the
 * files: the records lie in one array in that order. */
static int compare(const void *a, const void *b)
{
	const struct job_record *x = *(struct job_record *const *)a;
	const struct job_record *y = *(struct job_record *const *)b;
	int order;

	if (x->id != y->id) {
		order = compare_ids(x->id, y->id);
		/* "007" and "7" */
		return order ? order : strcmp(x->id, y->id);
	}
	if (x->cluster != y->cluster)
		return !x->cluster ? -1
		    : !y->cluster  ? 1
				   : strcmp(x->cluster, y->cluster);
	if (x->attempt != y->attempt)
		return x->attempt < y->attempt ? -1 : 1;
	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool in_order(const struct accounting *a)
{
	for (size_t i = 1; i < a->n; i++) {
		const struct job_record *x = &a->v[i - 1], *y = &a->v[i];

		if (compare(&x, &y) > 0)
			return false;
	}
	return true;
}

/* Put the records into order, where they lie: they are what takes memory. */
static int sort(struct accounting *a)
{
	struct job_record **order, *v = a->v;

	if (in_order(a))
		return 0;
	order = malloc(a->n * sizeof(void *));
	if (!order)
		return -1;
	for (size_t i = 0; i < a->n; i++)
		order[i] = &v[i];
	qsort(order, a->n, sizeof *order, compare);
	/* a round of records, of which each takes the place of the next */
	for (size_t i = 0; i < a->n; i++) {
		const struct job_record first = v[i];
		size_t at = i, next;

		for (; (next = (size_t)(order[at] - v)) != i; at = next) {
			v[at] = v[next];
			order[at] = &v[at];
		}
		v[at] = first;
		order[at] = &v[at];
	}
	free(order);
	return 0;
}

static bool same_job(const struct job_record *a, const struct job_record *b)
{
	return a->id == b->id && a->cluster == b->cluster;
}

/* Records that name no cluster, first of those with their id: they are of the
 * only one that has it. */
static int adopt(struct accounting *a)
{
	bool any = false;

	for (size_t i = 0, end; i < a->n; i = end) {
		const char *last;

		for (end = i + 1; end < a->n && a->v[end].id == a->v[i].id;)
			end++;
		last = a->v[end - 1].cluster;
		if (a->v[i].cluster || !last)
			continue;
		for (size_t k = i; k < end && last; k++)
			if (a->v[k].cluster && a->v[k].cluster != last)
				last = NULL;
		for (size_t k = i; k < end && last; k++)
			a->v[k].cluster = a->v[end - 1].cluster;
		any |= last != NULL;
	}
	return any ? sort(a) : 0;
}

static bool same_start(const struct job_record *a, const struct job_record *b)
{
	return same_job(a, b) && a->attempt == b->attempt &&
	    a->started == b->started;
}

static bool has_ended(const struct job_record *r)
{
	return r->ended != ENVELOPE_NO_TIME;
}

/*
 * Files overlap: of several with rows of one id and start, the latest that
 * knows the end counts. Rows of one file that have all ended are what they say
 * they are: attempts, as a requeue within the second makes them.
 */
static void merge(struct accounting *a)
{
	size_t n = 0;

	for (size_t i = 0, end; i < a->n; i = end) {
		size_t best = i;

		for (end = i; end < a->n && same_start(&a->v[i], &a->v[end]);
		     end++)
			if (has_ended(&a->v[end]) || !has_ended(&a->v[best]))
				best = end;
		const struct job_record last = a->v[best];

		for (size_t k = i; k < end; k++)
			if (k == best ||
			    (has_ended(&a->v[k]) && has_ended(&last) &&
				a->v[k].path == last.path))
				a->v[n++] = a->v[k];
	}
	a->n = n;
}

/* The end of the run of records of one job. */
static size_t run_end(const struct accounting *a, size_t i)
{
	size_t k = i;

	while (k < a->n && same_job(&a->v[k], &a->v[i]))
		k++;
	return k;
}

/* What the scheduler counts is right even when a file lacks the earlier
 * attempts: those of another night. */
static void number_by_requeues(struct job_record *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].attempt > 0 || v[i].requeues < 0 ||
		    (i > 0 && v[i].requeues <= v[i - 1].requeues))
			return;
	for (size_t i = 0; i < n; i++)
		v[i].attempt = v[i].requeues + 1;
}

/*
 * Number the attempts by their start. A row that waits while another has run
 * is that one before it ran, or tells of a requeue that has used nothing yet:
 * it is no attempt.
 */
static void number(struct accounting *a)
{
	size_t n = 0;

	for (size_t i = 0, end; i < a->n; i = end) {
		size_t first = n;
		bool named = true;

		end = run_end(a, i);
		for (size_t k = i; k < end; k++) {
			const struct job_record *r = &a->v[k];

			named &= r->attempt > 0;
			if (r->attempt == 0 && end - i > 1 &&
			    r->started == ENVELOPE_NO_TIME &&
			    r->end == JOB_END_PENDING)
				continue;
			a->v[n++] = *r;
		}
		number_by_requeues(&a->v[first], n - first);
		named |= n > first && a->v[first].attempt > 0;
		for (size_t k = first; k < n && !named; k++)
			a->v[k].attempt = (int)(k - first) + 1;
	}
	a->n = n;
}

/* ---- heterogeneous jobs ------------------------------------------------ */

struct alias {
	char *name, *id, *cluster;
};

struct aliases {
	struct alias *v;
	size_t n, cap;
};

static int add_alias(struct aliases *s, char *name, char *id, char *cluster)
{
	if (!name)
		return 0;
	if (array_grow(&s->v, s->n, &s->cap, sizeof *s->v))
		return -1;
	s->v[s->n++] = (struct alias){ name, id, cluster };
	return 0;
}

/* "123+4": the length of "123"; 0 when it is no such id. */
static size_t component(const char *id)
{
	size_t n = strspn(id, "0123456789"), m;

	if (!n || id[n] != '+')
		return 0;
	m = strspn(id + n + 1, "0123456789");
	return m && !id[n + 1 + m] ? n : 0;
}

static void add_known(int64_t *sum, int64_t v)
{
	if (*sum == USAGE_UNKNOWN || v == USAGE_UNKNOWN)
		*sum = USAGE_UNKNOWN;
	else
		*sum += v;
}

/* Nodes of r that `to` lacks. */
static int unite_nodes(
    struct accounting *a, struct job_record *to, const struct job_record *r)
{
	char **v = accounting_pool_alloc(
	    &a->pool, (to->n_nodes + r->n_nodes + 1) * sizeof *v);
	size_t n = to->n_nodes;

	if (!v)
		return -1;
	for (size_t i = 0; i < to->n_nodes; i++)
		v[i] = to->nodes[i];
	for (size_t i = 0; i < r->n_nodes; i++) {
		size_t k = 0;

		while (k < to->n_nodes && v[k] != r->nodes[i])
			k++;
		if (k == to->n_nodes)
			v[n++] = r->nodes[i];
	}
	to->nodes = n ? v : NULL;
	to->n_nodes = n;
	return 0;
}

/* Which of two ends says more of the whole job: that of a part that failed,
 * then of one that still runs or waits. */
static int weight(enum job_end end)
{
	static const int weights[] = {
		[JOB_END_UNKNOWN] = 0,
		[JOB_END_WELL] = 1,
		[JOB_END_PENDING] = 2,
		[JOB_END_RUNNING] = 3,
		[JOB_END_FAILED] = 4,
	};

	return weights[end];
}

static int join_part(
    struct accounting *a, struct job_record *to, const struct job_record *r)
{
	if (weight(r->end) > weight(to->end)) {
		to->end = r->end;
		to->state = r->state;
		to->reason = r->reason;
		to->exit_code = r->exit_code;
		to->signal = r->signal;
	}
	if (to->started == ENVELOPE_NO_TIME ||
	    (r->started != ENVELOPE_NO_TIME && r->started < to->started))
		to->started = r->started;
	if (to->ended == ENVELOPE_NO_TIME || r->ended == ENVELOPE_NO_TIME)
		to->ended = ENVELOPE_NO_TIME;
	else if (r->ended > to->ended)
		to->ended = r->ended;
	if (r->seconds > to->seconds)
		to->seconds = r->seconds;
	if (r->requeues > to->requeues)
		to->requeues = r->requeues;
	add_known(&to->gpus, r->gpus);
	add_known(&to->cpus, r->cpus);
	add_known(&to->gpu_seconds, r->gpu_seconds);
	return unite_nodes(a, to, r);
}

/* The parts of the job at i become one record each attempt. *end: of the
 * parts. *n: where the records go. */
static int join_parts(struct accounting *a, struct aliases *aliases, size_t i,
    size_t *end, size_t *n)
{
	size_t len = component(a->v[i].id), first = *n, k = i;
	struct span base = { a->v[i].id, len };
	char *id = accounting_pool_string(&a->pool, base);

	if (!id)
		return -1;
	for (; k < a->n && component(a->v[k].id) == len &&
	     memcmp(a->v[k].id, base.p, len) == 0;
	     k++) {
		struct job_record r = a->v[k];
		size_t to = first;

		if (add_alias(aliases, r.id, id, r.cluster) ||
		    add_alias(aliases, r.raw_id, id, r.cluster))
			return -1;
		r.id = id;
		if (r.raw_id == id)
			r.raw_id = NULL;
		while (to < *n &&
		    (a->v[to].attempt != r.attempt ||
			a->v[to].cluster != r.cluster))
			to++;
		if (to == *n)
			a->v[(*n)++] = r;
		else if (join_part(a, &a->v[to], &r))
			return -1;
	}
	*end = k;
	return 0;
}

static int join(struct accounting *a, struct aliases *aliases)
{
	size_t n = 0, end;

	for (size_t i = 0; i < a->n; i = end) {
		end = i + 1;
		if (!component(a->v[i].id))
			a->v[n++] = a->v[i];
		else if (join_parts(a, aliases, i, &end, &n))
			return -1;
	}
	a->n = n;
	return aliases->n ? sort(a) : 0;
}

/* ---- digests ----------------------------------------------------------- */

static void hash_string(struct hash *h, const char *s)
{
	/* a NULL and a "" are told apart */
	hash_add(h, s ? "+" : "-", 1);
	if (s)
		hash_add(h, s, strlen(s) + 1);
}

static struct hash_value digest(struct hash *h, const struct job_record *r)
{
	const char *const texts[] = { r->id, r->raw_id, r->name, r->user,
		r->group, r->partition, r->image, r->state, r->reason };
	const int64_t numbers[] = { (int64_t)r->end, r->attempt, r->requeues,
		r->exit_code, r->signal, r->submitted, r->started, r->ended,
		r->seconds, r->gpus, r->gpu_seconds, r->cpus,
		(int64_t)r->n_nodes };

	hash_reset(h);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		hash_string(h, texts[i]);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		unsigned char bytes[8];

		for (int k = 0; k < 8; k++)
			bytes[k] =
			    (unsigned char)((uint64_t)numbers[i] >> (8 * k));
		hash_add(h, bytes, sizeof bytes);
	}
	for (size_t i = 0; i < r->n_nodes; i++)
		hash_string(h, r->nodes[i]);
	if (r->cluster)
		hash_string(h, r->cluster);
	return hash_end(h);
}

/* ---- index ------------------------------------------------------------- */

/* key: the name, or with its cluster. */
static void name_record(
    struct accounting *a, struct span key, const char *name, uint32_t record)
{
	size_t i = arena_place(a->pool.arena, key);
	uint32_t *named = i == SIZE_MAX ? NULL : &a->named[i];
	const struct job_record *was, *now = &a->v[record];

	if (!named || *named == record || *named == ACCOUNTING_SEVERAL)
		return;
	was = *named == ACCOUNTING_NO_RECORD ? NULL : &a->v[*named];
	if (!was)
		*named = record;
	else if (strcmp(was->id, name) != 0 ||
	    (was->id == now->id && was->cluster != now->cluster))
		*named = ACCOUNTING_SEVERAL;
}

/* keep: only have room for it. Where several clusters are, a name is known with
 * its own, too. -1: out of memory. */
static int name_it(
    struct accounting *a, const char *name, uint32_t record, bool keep)
{
	const char *cluster = a->v[record].cluster;
	char text[ACCOUNTING_QUALIFIED];
	struct span s = { text, 0 };
	int n = -1;

	if (!name)
		return 0;
	if (!keep)
		name_record(a, span_of(name), name, record);
	if (cluster && a->several)
		n = accounting_qualified(cluster, span_of(name), text);
	if (n < 0)
		return 0;
	s.n = (size_t)n;
	if (keep)
		return accounting_pool_string(&a->pool, s) ? 0 : -1;
	name_record(a, s, name, record);
	return 0;
}

/* The first record of a job that has an alias; in the order of ids. */
static size_t of_alias(const struct accounting *a, const struct alias *v)
{
	size_t low = 0, high = a->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct job_record want = {
			.id = v->id, .cluster = v->cluster, .started = INT64_MIN
		};
		const struct job_record *x = &a->v[mid], *y = &want;

		if (compare(&x, &y) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Ids come before other names, so that these cannot hide them. */
static int name_all(
    struct accounting *a, const struct aliases *aliases, bool keep)
{
	int rc = 0;

	for (size_t i = 0; i < a->n && !rc; i = run_end(a, i))
		rc = name_it(a, a->v[i].id, (uint32_t)i, keep);
	for (size_t i = 0, end; i < a->n; i = end) {
		end = run_end(a, i);
		for (size_t k = i; k < end && !rc; k++)
			rc = name_it(a, a->v[k].raw_id, (uint32_t)i, keep);
	}
	for (size_t i = 0; i < aliases->n && !rc; i++) {
		const struct alias *v = &aliases->v[i];
		size_t k = of_alias(a, v);

		if (k < a->n && a->v[k].id == v->id)
			rc = name_it(a, v->name, (uint32_t)k, keep);
	}
	return rc;
}

/* Whether the records are of more than one cluster. */
static bool several(const struct accounting *a)
{
	const char *one = NULL;

	for (size_t i = 0; i < a->n; i++) {
		const char *c = a->v[i].cluster;

		if (c && one && c != one)
			return true;
		one = c ? c : one;
	}
	return false;
}

static int make_index(struct accounting *a, const struct aliases *aliases)
{
	size_t n;

	a->several = several(a);
	if (a->several && name_all(a, aliases, true))
		return -1;
	n = arena_places(a->pool.arena);
	free(a->named);
	a->named = malloc((n + 1) * sizeof *a->named);
	if (!a->named)
		return -1;
	for (size_t i = 0; i < n; i++)
		a->named[i] = ACCOUNTING_NO_RECORD;
	return name_all(a, aliases, false);
}

int accounting_settle(struct accounting *a, struct err *e)
{
	struct aliases aliases = { 0 };
	struct hash *h = hash_new();
	int rc = -1;

	if (!h || a->n >= ACCOUNTING_SEVERAL || sort(a) || adopt(a))
		goto out;
	merge(a);
	number(a);
	if (join(a, &aliases))
		goto out;
	for (size_t i = 0; i < a->n; i++)
		a->v[i].digest = digest(h, &a->v[i]);
	if (make_index(a, &aliases))
		goto out;
	free(a->used);
	a->used = calloc(a->n + 1, sizeof *a->used);
	if (a->used)
		rc = 0;
out:
	hash_free(h);
	free(aliases.v);
	return rc ? err_nomem(e) : 0;
}
