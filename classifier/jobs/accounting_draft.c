/*
 * A record in the making: values come in one by one, in any order, as text;
 * at the end they are held against each other. What the scheduler measured
 * (elapsed seconds) beats what follows from its clock times: these may be
 * local times of a night when the clocks changed.
 */
#include "jobs/accounting_load.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)
#define NO_TIME ENVELOPE_NO_TIME
#define YEAR_2000 (INT64_C(946684800) * SECOND)
#define DAY (INT64_C(86400) * SECOND)

void accounting_draft_init(struct draft *d, const struct load *l,
    const struct accounting_map *map, uint64_t line)
{
	memset(d, 0, sizeof *d);
	d->map = map;
	d->r.path = l->path;
	d->r.line = line;
	d->r.requeues = d->r.exit_code = d->r.signal = -1;
	d->r.submitted = d->r.started = d->r.ended = NO_TIME;
	d->r.seconds = d->r.gpus = d->r.gpu_seconds = USAGE_UNKNOWN;
	d->r.cpus = USAGE_UNKNOWN;
	d->elapsed = d->requested = d->gpu_milli = USAGE_UNKNOWN;
	d->node_count = -1;
	d->array_job = d->array_task = d->het_job = d->het_offset = -1;
}

/* ---- values ------------------------------------------------------------ */

typedef int setter(struct load *l, struct draft *d, void *to, struct span v);

static int set_text(struct load *l, struct draft *d, void *to, struct span v)
{
	char **s = to;

	(void)d;
	if (accounting_absent(v))
		return 0;
	*s = accounting_pool_string(&l->a->pool, v);
	return *s ? 0 : -1;
}

/* Slurm's UserId and GroupId: "alice(1001)". */
static int set_user(struct load *l, struct draft *d, void *to, struct span v)
{
	if (v.n && v.p[v.n - 1] == ')' && span_find(v, "(") != SIZE_MAX)
		v = span_sub(v, 0, span_find(v, "("));
	return set_text(l, d, to, v);
}

static int set_id(struct load *l, struct draft *d, void *to, struct span v)
{
	char **s = to;

	(void)d;
	if (!v.n)
		return 0;
	*s = accounting_pool_string(&l->a->pool, v);
	return *s ? 0 : -1;
}

static int set_state(struct load *l, struct draft *d, void *to, struct span v)
{
	struct accounting_state s;
	struct span word = accounting_state_word(v);
	char **state = to;

	if (!word.n)
		return 0;
	if (d->map && accounting_map_state(d->map, word, &d->r.end)) {
		d->state_known = true;
		return set_id(l, d, to, word);
	}
	if (accounting_state(l->a->tax, word, &s)) {
		d->r.end = s.end;
		d->state_known = true;
		/* short and cut words are written out */
		if (s.slurm && word.n != strlen(s.slurm))
			word = span_of(s.slurm);
	}
	*state = accounting_pool_string(&l->a->pool, word);
	return *state ? 0 : -1;
}

static void unusable(struct load *l, struct draft *d, enum trouble kind,
    struct span v, const char *what)
{
	accounting_note(l, kind, d->r.line, "%s '%.*s': left unknown", what,
	    (int)(v.n < 60 ? v.n : 60), v.p);
}

static int set_time(struct load *l, struct draft *d, void *to, struct span v)
{
	int64_t *t = to;
	bool local;

	if (accounting_absent(v))
		return 0;
	if (!accounting_time(v, d->map ? d->map->offset : ACCOUNTING_LOCAL, t,
		&local, &l->clock))
		unusable(l, d, TROUBLE_TIME, v, "no time");
	d->local |= local;
	return 0;
}

static int set_seconds(struct load *l, struct draft *d, void *to, struct span v)
{
	if (!accounting_absent(v) && !accounting_duration(v, to))
		unusable(l, d, TROUBLE_SECONDS, v, "no run time");
	return 0;
}

static int set_count(struct load *l, struct draft *d, void *to, struct span v)
{
	int64_t n;

	if (accounting_absent(v))
		return 0;
	if (!accounting_integer(v, &n) || n < 0 || n > UINT32_MAX)
		unusable(l, d, TROUBLE_NUMBER, v, "no count");
	else if (n < UINT32_MAX - 1) /* Slurm's NO_VAL */
		*(int64_t *)to = n;
	return 0;
}

static int set_small(struct load *l, struct draft *d, void *to, struct span v)
{
	int64_t n = -1;

	if (set_count(l, d, &n, v))
		return -1;
	if (n >= 0 && n <= INT32_MAX)
		*(int *)to = (int)n;
	return 0;
}

static int set_code(struct load *l, struct draft *d, void *to, struct span v)
{
	int64_t n;

	if (accounting_absent(v))
		return 0;
	if (accounting_integer(v, &n) && n >= -255 && n <= INT32_MAX)
		*(int *)to = (int)n;
	else
		unusable(l, d, TROUBLE_NUMBER, v, "no exit code");
	return 0;
}

static int set_exit(struct load *l, struct draft *d, void *to, struct span v)
{
	(void)to;
	if (!accounting_absent(v) &&
	    !accounting_exit(v, &d->r.exit_code, &d->r.signal))
		unusable(l, d, TROUBLE_NUMBER, v, "no exit code");
	return 0;
}

/* A count of GPUs, or a resource list: files have both under this name. */
static int set_gpus(struct load *l, struct draft *d, void *to, struct span v)
{
	double most = (double)ACCOUNTING_GPUS_MAX;
	int64_t n;

	if (accounting_absent(v))
		return 0;
	if (accounting_integer(v, &n)) {
		if (n >= 0 && (double)n <= most) {
			*(int64_t *)to = n;
			return 0;
		}
	} else if ((span_find(v, "gpu") != SIZE_MAX ||
		       span_find(v, "=") != SIZE_MAX) &&
	    accounting_gpus(v, 1, to) && *(int64_t *)to >= 0) {
		return 0;
	}
	unusable(l, d, TROUBLE_GPUS, v, "no number of GPUs");
	return 0;
}

/* What is no number tells nothing. */
static int set_cpus(struct load *l, struct draft *d, void *to, struct span v)
{
	int64_t n;

	(void)l;
	(void)d;
	if (accounting_integer(v, &n) && n >= 0 && n <= ACCOUNTING_CPUS_MAX)
		*(int64_t *)to = n;
	return 0;
}

static int set_tres(struct load *l, struct draft *d, void *to, struct span v)
{
	int64_t n;

	if (!accounting_gpus(v, 1, &n))
		unusable(l, d, TROUBLE_GPUS, v, "no number of GPUs");
	else if (n != USAGE_UNKNOWN)
		*(int64_t *)to = n;
	return 0;
}

/* A column of its own comes first. */
static int set_allocated(
    struct load *l, struct draft *d, void *to, struct span v)
{
	if (d->r.cpus == USAGE_UNKNOWN)
		d->r.cpus = accounting_cpus(v);
	return set_tres(l, d, to, v);
}

static int set_nodes(struct load *l, struct draft *d, void *to, struct span v)
{
	struct accounting_hosts h;

	(void)to;
	if (accounting_hosts(
		&l->a->pool, v, d->map ? d->map->node_separator : ",", &h))
		return -1;
	if (h.cut)
		accounting_note(l, TROUBLE_NODES, d->r.line,
		    "more than %zu nodes: the first are kept", h.n);
	d->r.nodes = h.n ? h.v : NULL;
	d->r.n_nodes = h.n;
	return 0;
}

#define TO(field) offsetof(struct draft, field)

static const struct {
	setter *set;
	size_t to;
} columns[COLUMN_COUNT] = {
	[COLUMN_ID] = { set_id, TO(r.id) },
	[COLUMN_RAW_ID] = { set_text, TO(r.raw_id) },
	[COLUMN_CLUSTER] = { set_text, TO(r.cluster) },
	[COLUMN_NAME] = { set_id, TO(r.name) },
	[COLUMN_USER] = { set_user, TO(r.user) },
	[COLUMN_GROUP] = { set_user, TO(r.group) },
	[COLUMN_PARTITION] = { set_text, TO(r.partition) },
	[COLUMN_IMAGE] = { set_text, TO(r.image) },
	[COLUMN_STATE] = { set_state, TO(r.state) },
	[COLUMN_REASON] = { set_text, TO(r.reason) },
	[COLUMN_ATTEMPT] = { set_small, TO(r.attempt) },
	[COLUMN_REQUEUES] = { set_small, TO(r.requeues) },
	[COLUMN_EXIT] = { set_exit, 0 },
	[COLUMN_EXIT_CODE] = { set_code, TO(r.exit_code) },
	[COLUMN_SIGNAL] = { set_small, TO(r.signal) },
	[COLUMN_SUBMIT] = { set_time, TO(r.submitted) },
	[COLUMN_START] = { set_time, TO(r.started) },
	[COLUMN_END] = { set_time, TO(r.ended) },
	[COLUMN_SECONDS] = { set_seconds, TO(elapsed) },
	[COLUMN_CPUS] = { set_cpus, TO(r.cpus) },
	[COLUMN_GPUS] = { set_gpus, TO(r.gpus) },
	[COLUMN_GPU_MILLI] = { set_count, TO(gpu_milli) },
	[COLUMN_GPU_SECONDS] = { set_seconds, TO(r.gpu_seconds) },
	[COLUMN_TRES] = { set_allocated, TO(r.gpus) },
	[COLUMN_GRES] = { set_text, TO(gres) },
	[COLUMN_REQUESTED_TRES] = { set_tres, TO(requested) },
	[COLUMN_NODES] = { set_nodes, 0 },
	[COLUMN_NODE_COUNT] = { set_count, TO(node_count) },
	[COLUMN_ARRAY_JOB] = { set_count, TO(array_job) },
	[COLUMN_ARRAY_TASK] = { set_count, TO(array_task) },
	[COLUMN_HET_JOB] = { set_count, TO(het_job) },
	[COLUMN_HET_OFFSET] = { set_count, TO(het_offset) },
};

int accounting_draft_set(
    struct load *l, struct draft *d, enum accounting_column c, struct span v)
{
	return columns[c].set(l, d, (char *)d + columns[c].to, span_trim(v));
}

/* ---- the whole --------------------------------------------------------- */

/* "ARRAY_TASK", "HET+OFFSET", or where the row stands. */
static int settle_id(struct load *l, struct draft *d)
{
	struct buf text = BUF_INIT(BUF_MAX);
	bool none = !d->r.id || !d->r.id[0]; /* empty: it began with a NUL */
	int rc = 0;

	if (d->array_job > 0 && d->array_task >= 0)
		rc = buf_addf(
		    &text, "%" PRId64 "_%" PRId64, d->array_job, d->array_task);
	else if (d->het_job > 0 && d->het_offset >= 0)
		rc = buf_addf(
		    &text, "%" PRId64 "+%" PRId64, d->het_job, d->het_offset);
	else if (none)
		rc = buf_addf(&text, "%s:%" PRIu64, l->path, d->r.line);
	if (!rc && text.len) {
		if (none)
			accounting_note(l, TROUBLE_ID, d->r.line, "no id");
		d->r.id = accounting_pool_string(
		    &l->a->pool, (struct span){ text.p, text.len });
		rc = d->r.id ? 0 : -1;
	}
	buf_release(&text);
	return rc;
}

/* Whether local clocks showed the same at both times: the hour that comes
 * twice when they are set back. */
static bool same_wall(int64_t a, int64_t b)
{
	time_t ta = (time_t)(a / SECOND), tb = (time_t)(b / SECOND);
	struct tm x, y;

	return localtime_r(&ta, &x) && localtime_r(&tb, &y) &&
	    x.tm_mday == y.tm_mday && x.tm_hour == y.tm_hour &&
	    x.tm_min == y.tm_min && x.tm_sec == y.tm_sec;
}

static void drop_senseless(struct load *l, struct draft *d, int64_t *t)
{
	if (*t == NO_TIME)
		return;
	/* 1970 itself is how a missing time is written */
	if (*t >= YEAR_2000 && *t <= l->now + DAY)
		return;
	if (*t != 0)
		accounting_note(l, TROUBLE_TIME, d->r.line,
		    *t < YEAR_2000 ? "a time before 2000: left unknown"
				   : "a time in the future: left unknown");
	*t = NO_TIME;
}

static void settle_times(struct load *l, struct draft *d)
{
	struct job_record *r = &d->r;
	int64_t more;

	if (!d->map || !d->map->relative) {
		/* of what has not run, it is when it may */
		if (r->end == JOB_END_PENDING)
			r->started = r->ended = NO_TIME;
		if (r->end == JOB_END_RUNNING && r->ended > l->now)
			r->ended = NO_TIME;
		drop_senseless(l, d, &r->submitted);
		drop_senseless(l, d, &r->started);
		drop_senseless(l, d, &r->ended);
	}
	r->seconds = d->elapsed;
	if (r->started == NO_TIME || r->ended == NO_TIME)
		return;
	more = r->ended - r->started -
	    (d->elapsed == USAGE_UNKNOWN ? 0 : d->elapsed * SECOND);
	if (d->elapsed == USAGE_UNKNOWN) {
		if (more >= 0)
			r->seconds = (more + SECOND / 2) / SECOND;
	} else if (d->local &&
	    (llabs(more) == 3600 * SECOND || llabs(more) == 1800 * SECOND)) {
		if (same_wall(r->ended, r->ended - more))
			r->ended -= more;
		else if (same_wall(r->started, r->started + more))
			r->started += more;
	} else if (llabs(more) > 3600 * SECOND) {
		accounting_note(l, TROUBLE_SECONDS, r->line,
		    "ran %" PRId64 " s, but end - start is %" PRId64
		    " s: the run time holds",
		    d->elapsed, d->elapsed + more / SECOND);
	}
	if (r->ended >= r->started)
		return;
	if (d->elapsed != USAGE_UNKNOWN) {
		r->ended = r->started + d->elapsed * SECOND;
		return;
	}
	accounting_note(l, TROUBLE_TIME, r->line,
	    "ends before it starts: end left unknown");
	r->ended = NO_TIME;
}

/* shares: thousandths of each GPU. */
static void settle_gpu_seconds(struct job_record *r, int64_t shares)
{
	if (r->gpu_seconds != USAGE_UNKNOWN)
		return;
	if (r->seconds == 0)
		r->gpu_seconds = 0;
	else if (r->gpus != USAGE_UNKNOWN && r->seconds != USAGE_UNKNOWN &&
	    (r->gpus == 0 || r->seconds < INT64_MAX / 2000 / r->gpus))
		r->gpu_seconds = (r->gpus * shares * r->seconds + 500) / 1000;
}

void accounting_draft_requested(
    struct load *l, struct job_record *r, int64_t gpus)
{
	if (gpus == USAGE_UNKNOWN || r->gpus != USAGE_UNKNOWN ||
	    r->end == JOB_END_PENDING || r->started == NO_TIME)
		return;
	r->gpus = gpus;
	settle_gpu_seconds(r, 1000);
	if (gpus)
		accounting_note(l, TROUBLE_REQUESTED, r->line,
		    "GPUs as requested: what was allocated is not there");
}

static void settle_gpus(struct load *l, struct draft *d)
{
	struct job_record *r = &d->r;
	int64_t nodes = d->node_count, shares = 1000;

	if (nodes < 1)
		nodes = (int64_t)r->n_nodes;
	if (r->gpus == USAGE_UNKNOWN && d->gres &&
	    !accounting_gpus(span_of(d->gres), nodes, &r->gpus))
		unusable(
		    l, d, TROUBLE_GPUS, span_of(d->gres), "no number of GPUs");
	if (!d->steps_follow)
		accounting_draft_requested(l, r, d->requested);
	if (r->seconds == USAGE_UNKNOWN && r->started == NO_TIME &&
	    r->end == JOB_END_PENDING)
		r->seconds = 0;
	if (d->gpu_milli != USAGE_UNKNOWN && d->gpu_milli <= 1000)
		shares = d->gpu_milli;
	settle_gpu_seconds(r, shares);
}

/* Of a record that does not tell, it is what the caller has said. */
static int settle_cluster(struct load *l, struct job_record *r)
{
	if (r->cluster || !l->o || !l->o->cluster)
		return 0;
	r->cluster =
	    accounting_pool_string(&l->a->pool, span_of(l->o->cluster));
	return r->cluster ? 0 : -1;
}

static int append(struct accounting *a, const struct job_record *r)
{
	if (array_grow(&a->v, a->n, &a->cap, sizeof *a->v))
		return -1;
	a->v[a->n++] = *r;
	return 0;
}

int accounting_draft_add(struct load *l, struct draft *d)
{
	struct job_record *r = &d->r;

	if (settle_id(l, d) || settle_cluster(l, r))
		return -1;
	if (!d->state_known && r->state)
		accounting_note(
		    l, TROUBLE_STATE, r->line, "unknown state '%s'", r->state);
	if (!r->state && r->end == JOB_END_UNKNOWN && r->exit_code >= 0)
		r->end = r->exit_code || r->signal > 0 ? JOB_END_FAILED
						       : JOB_END_WELL;
	/* parts of a heterogeneous job are told by their ids alone */
	if (r->raw_id && strcmp(r->raw_id, r->id) == 0)
		r->raw_id = NULL;
	settle_times(l, d);
	settle_gpus(l, d);
	if (d->map && d->map->relative)
		r->submitted = r->started = r->ended = NO_TIME;
	return append(l->a, r);
}

void accounting_draft_step(
    struct load *l, struct job_record *r, const struct accounting_step *s)
{
	static const char words[] = "OUT_OF_MEMORY (step)";

	if (r->gpus == USAGE_UNKNOWN && s->gpus != USAGE_UNKNOWN) {
		r->gpus = s->gpus;
		settle_gpu_seconds(r, 1000);
	}
	if (r->end != JOB_END_FAILED)
		return;
	if (r->exit_code <= 0 && r->signal <= 0 &&
	    (s->exit_code > 0 || s->signal > 0)) {
		r->exit_code = s->exit_code;
		r->signal = s->signal;
	}
	if (s->out_of_memory && r->state && strcmp(r->state, "FAILED") == 0) {
		char *reason =
		    accounting_pool_string(&l->a->pool, span_of(words));

		if (reason)
			r->reason = reason;
	}
}
