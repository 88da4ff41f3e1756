/*
 * Logs whose paths tell attempts are put together by them: the last attempt is
 * told of, the others are its past. What tells none (a launcher's log beside
 * the attempts) goes with the last. A store adds attempts that no log is
 * given of; one that fails is told of and left aside.
 */
#include "cli/explain_job.h"

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "diagnose/decision/history.h"
#include "jobs/layout.h"
#include "jobs/settle.h"
#include "reports/gate/replay_past.h"
#include "reports/store/store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ATTEMPTS_MAX 100 /* read from logs; the oldest are left out */

/* A file, and what its path tells. */
struct found {
	char *path, *job; /* owned */
	int attempt;      /* 0: the path does not tell */
	bool in_folder;   /* or archive, that was given; else itself was */
	bool member;      /* of an archive, which is read as a whole */
	int64_t written;  /* a member, in seconds; 0: not known */
	bool left_out;
};

/* Logs of one attempt. */
struct part {
	int attempt; /* 0: the paths do not tell */
	struct list paths;
	struct triage_job job;
	struct diagnosis d;
};

struct explain_attempts {
	struct found *found;
	size_t n_found, cap_found;
	const char *argument; /* that is walked */
	int64_t written;      /* the member of it that comes next */
	bool missing;         /* one of them is not there */
	bool no_memory;
	bool kept;          /* one job of several, the others are left out */
	struct part *parts; /* in order */
	size_t n_parts, cap_parts;
	struct entry_owner mine;
	struct past *stored;
	const char ***stored_inputs; /* NULL-terminated, in the arena */
	size_t n_stored, cap_stored;
	struct arena *arena;
	struct explain_attempt *v;
	struct attempt *as;
	size_t n;
	const struct explain_job *j;
};

void explain_job_release(struct explain_job *j)
{
	struct explain_attempts *a = j->earlier;

	diagnosis_release(&j->d);
	judgements_release(&j->judgements);
	unusual_release(&j->unusual);
	j->earlier = NULL;
	if (!a)
		return;
	for (size_t i = 0; i < a->n_parts; i++) {
		diagnosis_release(&a->parts[i].d);
		free(a->parts[i].paths.v);
	}
	for (size_t i = 0; i < a->n_found; i++) {
		free(a->found[i].path);
		free(a->found[i].job);
	}
	for (size_t i = 0; i < a->n_stored; i++)
		replay_past_release(&a->stored[i]);
	free(a->parts);
	free(a->found);
	free(a->stored);
	free(a->stored_inputs);
	arena_free(a->arena);
	free(a->v);
	free(a->as);
	free(a);
}

/* ---- which logs are of which attempt ---- */

static struct part *part_of(struct explain_attempts *a, int attempt)
{
	struct part *v;

	for (size_t i = 0; i < a->n_parts; i++)
		if (a->parts[i].attempt == attempt)
			return &a->parts[i];
	if (array_grow(&a->parts, a->n_parts, &a->cap_parts, sizeof *v))
		return NULL;
	v = &a->parts[a->n_parts++];
	*v = (struct part){ .attempt = attempt };
	return v;
}

static int add_found(struct explain_attempts *a, const char *path, bool member)
{
	struct found *f;
	struct log_id id;

	a->no_memory =
	    array_grow(&a->found, a->n_found, &a->cap_found, sizeof *f) ||
	    layout_match(a->j->x.layout, path, &id, NULL);
	if (a->no_memory)
		return -1;
	f = &a->found[a->n_found++];
	*f = (struct found){
		.path = span_dup(span_of(path)),
		.job = span_dup(span_of(id.job)),
		.attempt = id.attempt_named ? id.attempt : 0,
		.in_folder = strcmp(path, a->argument) != 0,
		.member = member,
		.written = a->written,
		.left_out = member,
	};
	layout_id_release(&id);
	a->no_memory = !f->path || !f->job;
	return a->no_memory ? -1 : 0;
}

/* Of an archive only the names. */
static int on_member(void *ctx, const char *path)
{
	struct explain_attempts *a = ctx;

	if (strcmp(path, a->argument) == 0 ||
	    !files_wanted_member(
		&a->j->x.options.files, a->j->x.taxonomy, path))
		return 1;
	return add_found(a, path, true) ? -1 : 1;
}

static void on_written(void *ctx, int64_t seconds)
{
	struct explain_attempts *a = ctx;

	a->written = seconds;
}

/* What the reading finds wrong it tells by itself. */
static void no_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	(void)ctx;
	(void)path;
	(void)kind;
	(void)text;
}

static int on_file(void *ctx, const char *path, int64_t size)
{
	struct explain_attempts *a = ctx;
	const struct input_sink names = { .ctx = a,
		.begin = on_member,
		.note = no_note,
		.written = on_written };
	struct stat st;
	struct err e;

	(void)size;
	if (!files_wanted(&a->j->x.options.files, a->j->x.taxonomy, path,
		strlen(a->argument)))
		return 0;
	if (add_found(a, path, false))
		return -1;
	/* a pipe can be read only once */
	if (strcmp(path, a->argument) == 0 && stat(path, &st) == 0 &&
	    S_ISREG(st.st_mode) &&
	    input_read(path, &a->j->s->limits, &names, &e))
		a->no_memory = true;
	return a->no_memory ? -1 : 0;
}

static int by_attempt(const void *x, const void *y)
{
	const struct part *a = x, *b = y;

	return (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

static int by_job(const void *x, const void *y)
{
	const struct found *a = x, *b = y;

	return strcmp(a->job, b->job);
}

/* Whether job b is in the folder that job a is named after: then a is what
 * started it, a launcher's log. */
static bool started(const char *a, const char *b)
{
	size_t n = strlen(a);

	return strncmp(a, b, n) == 0 && b[n] == '/';
}

/* How many jobs the files in folders are of; these are in the order of jobs. */
static size_t count_jobs(const struct explain_attempts *a)
{
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < a->n_found; i++) {
		const struct found *f = &a->found[i];

		if (!f->in_folder || (last && strcmp(f->job, last) == 0))
			continue;
		n += !last || !started(last, f->job);
		last = f->job;
	}
	return n;
}

/* When it was written; false: it is gone. */
static bool written_at(const struct found *f, struct timespec *at)
{
	struct stat st;

	*at = (struct timespec){ .tv_sec = (time_t)f->written };
	if (f->member)
		return true;
	if (stat(f->path, &st))
		return false;
	*at = st.st_mtim;
	return true;
}

/* The file in a folder, or member of an archive, that was written last; of
 * equals the last one; or NULL. */
static const struct found *newest(const struct explain_attempts *a)
{
	const struct found *best = NULL;
	struct timespec last = { 0, 0 }, at;

	for (size_t i = 0; i < a->n_found; i++) {
		const struct found *f = &a->found[i];

		if (!f->in_folder || !written_at(f, &at) ||
		    (best &&
			(at.tv_sec < last.tv_sec ||
			    (at.tv_sec == last.tv_sec &&
				at.tv_nsec < last.tv_nsec))))
			continue;
		last = at;
		best = f;
	}
	return best;
}

/* Leave the other jobs of the folders out; and archives, of whose members the
 * job's are read. */
static void keep_job(struct explain_attempts *a, const struct found *last)
{
	for (size_t i = 0; i < a->n_found; i++) {
		struct found *f = &a->found[i];

		f->left_out = f->in_folder ? strcmp(f->job, last->job) != 0
					   : last->member;
	}
	a->kept = true;
}

/* All arguments as one part: when their paths tell no more than one attempt,
 * or one of them is not there (the reading will tell of it). */
static int as_one(struct explain_attempts *a)
{
	const struct settings *s = a->j->s;
	struct part *p;

	for (size_t i = 0; i < a->n_parts; i++)
		free(a->parts[i].paths.v);
	a->n_parts = 0;
	p = part_of(a, 0);
	if (!p)
		return -1;
	for (size_t i = 0; a->kept && i < a->n_found; i++)
		if (!a->found[i].left_out &&
		    options_list_add(&p->paths, a->found[i].path))
			return -1;
	for (size_t i = 0; !a->kept && i < s->arguments.n; i++)
		if (options_list_add(&p->paths, s->arguments.v[i]))
			return -1;
	return 0;
}

/* Put what was found together by attempts. */
static int split(struct explain_attempts *a)
{
	struct part *untold, *last;

	for (size_t i = 0; i < a->n_found; i++) {
		struct part *p = a->found[i].left_out
		    ? NULL
		    : part_of(a, a->found[i].attempt);

		if (!a->found[i].left_out &&
		    (!p || options_list_add(&p->paths, a->found[i].path)))
			return -1;
	}
	if (a->n_parts)
		qsort(a->parts, a->n_parts, sizeof *a->parts, by_attempt);
	untold = a->n_parts && a->parts[0].attempt == 0 ? a->parts : NULL;
	if (a->missing || a->n_parts - (untold != NULL) < 2)
		return as_one(a);
	last = &a->parts[a->n_parts - 1];
	for (size_t i = 0; untold && i < untold->paths.n; i++)
		if (options_list_add(&last->paths, untold->paths.v[i]))
			return -1;
	for (size_t i = 0; i < a->n_parts; i++) {
		struct part *p = &a->parts[i];

		if (p != untold && i + ATTEMPTS_MAX >= a->n_parts)
			continue;
		free(p->paths.v);
		p->paths = (struct list){ NULL, 0 };
	}
	return 0;
}

int explain_job_find(struct explain_job *j, struct err *e)
{
	struct explain_attempts *a = calloc(1, sizeof *a);
	const struct walk_sink sink = {
		.ctx = a,
		.file = on_file,
		.follow = j->s->links,
	};
	const struct found *last;
	struct settle look;

	if (!a)
		return err_nomem(e);
	j->earlier = a;
	a->j = j;
	a->arena = arena_new();
	if (!a->arena)
		return err_nomem(e);
	if (j->s->settle > 0)
		(void)settle_wait(j->s->arguments.v, j->s->arguments.n,
		    j->s->links, j->s->settle, &look);
	for (size_t i = 0; i < j->s->arguments.n; i++) {
		a->argument = j->s->arguments.v[i];
		a->missing |= walk_path(a->argument, &sink, NULL) != 0;
	}
	if (a->no_memory)
		return err_nomem(e);
	if (a->n_found)
		qsort(a->found, a->n_found, sizeof *a->found, by_job);
	j->n_jobs = count_jobs(a);
	/* of one job nobody asks which file is the newest */
	last = j->s->last || j->n_jobs > 1 ? newest(a) : NULL;
	j->newest = last ? last->path : NULL;
	if (j->s->last && last) {
		keep_job(a, last);
		j->n_jobs = 1;
	}
	return 0;
}

/* ---- reading ---- */

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct explain_job *j = ctx;

	session_note(j->s, path, kind, text);
	j->degraded |= kind == NOTE_UNREADABLE || kind == NOTE_DAMAGED ||
	    kind == NOTE_ENCRYPTED || kind == NOTE_LIMIT;
}

static int read_part(struct explain_job *j, struct part *p,
    struct triage_job *job, struct diagnosis *d, struct err *e)
{
	const struct triage_sink sink = { .ctx = j, .note = on_note };

	*job = (struct triage_job){
		.paths = p->paths.v,
		.n_paths = p->paths.n,
		.id = j->s->job,
		.attempt = p->attempt ? p->attempt : (int)j->s->attempt,
		.exit_code = -1,
		.signal = -1,
	};
	return triage_one(&j->x.options, job, &sink, d, e);
}

/* What good runs print, as the store has it; without it the answer is still
 * good. */
static void ask_baseline(struct explain_job *j)
{
	struct store *st;
	struct err e = { 0 };

	if (!j->s->store)
		return;
	j->unusual.person = true;
	st = store_open(j->s->store, STORE_READ, &e);
	if (st && unusual_read(&j->unusual, j->s, &j->x, st, &e) &&
	    !j->s->quiet)
		screen_complain(
		    "explain: what good runs print is not known: %s", e.text);
	store_close(st, NULL);
}

static int read_parts(struct explain_job *j, struct err *e)
{
	struct explain_attempts *a = j->earlier;

	if (split(a))
		return err_nomem(e);
	for (size_t i = 0; i + 1 < a->n_parts; i++) {
		struct part *p = &a->parts[i];

		if (p->paths.n && read_part(j, p, &p->job, &p->d, e))
			return -1;
	}
	ask_baseline(j);
	return read_part(j, &a->parts[a->n_parts - 1], &j->job, &j->d, e);
}

/* ---- the store ---- */

/* The inputs that a stored diagnosis names, ended by NULL. */
static const char **inputs_read(const struct json *record, struct arena *arena)
{
	const struct json *list =
	    json_get(json_get(record, "facts"), "last_inputs");
	size_t n = json_count(list);
	const char **v = arena_memory(arena, (n + 1) * sizeof *v);

	for (size_t i = 0; v && i < n; i++)
		v[i] = arena_string(arena, json_text(json_at(list, i)));
	return v;
}

static int add_stored(
    struct explain_attempts *a, const struct past *p, const char **inputs)
{
	size_t cap = a->cap_stored ? 2 * a->cap_stored : 8;
	struct past *v = a->stored;
	const char ***in = a->stored_inputs;

	if (a->n_stored == a->cap_stored) {
		v = realloc(v, cap * sizeof *v);
		if (v)
			a->stored = v;
		in = realloc(in, cap * sizeof *in);
		if (in)
			a->stored_inputs = in;
		if (!v || !in)
			return -1;
		a->cap_stored = cap;
	}
	in[a->n_stored] = inputs;
	v[a->n_stored++] = *p;
	return 0;
}

/* Whether the logs that were given are of this attempt, too. */
static bool given(const struct explain_attempts *a, int attempt)
{
	for (size_t i = 0; i < a->n_parts; i++)
		if (a->parts[i].d.n_logs && a->parts[i].d.attempt == attempt)
			return true;
	return false;
}

static int on_stored(void *ctx, struct span record, struct err *e)
{
	struct explain_attempts *a = ctx;
	struct err why;
	struct json *o = json_parse(record, JSON_PARSE, &why);
	const char **inputs;
	struct past p;
	int rc;

	if (!o)
		return why.lack ? err_pass(e, &why) : 0;
	rc = replay_past_read(&p, o, a->j->x.taxonomy, a->arena, e);
	if (rc) {
		json_free(o);
		return rc < 0 ? -1 : 0;
	}
	inputs = inputs_read(o, a->arena);
	json_free(o);
	/* job numbers come round: another user's job is another job, as is
	 * that of another cluster or place */
	if (p.d.attempt >= a->j->d.attempt || given(a, p.d.attempt) ||
	    !entry_same(&a->mine, &p.owner)) {
		replay_past_release(&p);
		return 0;
	}
	if (!inputs || add_stored(a, &p, inputs)) {
		replay_past_release(&p);
		return err_nomem(e);
	}
	return 0;
}

/* Whose job it is. -1: out of memory. */
static int set_mine(struct explain_job *j)
{
	struct explain_attempts *a = j->earlier;
	struct span place = diagnosis_place(&j->d);

	a->mine = (struct entry_owner){ .cluster = j->d.cluster,
		.user = j->d.record ? j->d.record->user : j->s->of_user };
	if (place.p)
		a->mine.place = arena_string(a->arena, place);
	return place.p && !a->mine.place ? -1 : 0;
}

/* Earlier attempts that a store knows; without it the answer is still good. */
static void ask_store(struct explain_job *j)
{
	struct store *st;
	struct err e = { 0 };
	bool failed;

	if (!j->s->store)
		return;
	if (!j->job.named && j->earlier->n_parts < 2) {
		if (!j->s->quiet)
			screen_complain(
			    "explain: the path tells no job: the store is "
			    "not asked for earlier attempts");
		return;
	}
	if (set_mine(j)) {
		screen_complain("explain: out of memory");
		return;
	}
	st = store_open(j->s->store, STORE_READ, &e);
	failed = !st ||
	    store_attempts(st, j->d.job, on_stored, j->earlier, &e) ||
	    judgements_read(&j->judgements, st, &e);
	(void)judgements_find(&j->judgements, j->d.job, j->d.attempt,
	    &j->earlier->mine, &j->judged);
	store_close(st, NULL);
	if (failed && !j->s->quiet)
		screen_complain(
		    "explain: earlier attempts are not known: %s", e.text);
}

/* ---- the past ---- */

static int past_by_attempt(const void *x, const void *y)
{
	const struct explain_attempt *a = x, *b = y;

	return (a->attempt > b->attempt) - (a->attempt < b->attempt);
}

static void add_past(struct explain_attempts *a, const struct diagnosis *d,
    const char *const *inputs, size_t n_inputs)
{
	struct attempt *as = &a->as[a->n];

	history_attempt(d, as);
	a->v[a->n++] = (struct explain_attempt){
		.attempt = as->attempt,
		.failed = as->failed,
		.category = as->category,
		.fingerprint = as->fingerprint,
		.last = as->last,
		.inputs = inputs,
		.n_inputs = n_inputs,
	};
}

static int put_together(struct explain_job *j, struct err *e)
{
	struct explain_attempts *a = j->earlier;
	size_t most = a->n_parts + a->n_stored + 1;

	a->v = calloc(most, sizeof *a->v);
	a->as = calloc(most, sizeof *a->as);
	if (!a->v || !a->as)
		return err_nomem(e);
	for (size_t i = 0; i < a->n_stored; i++) {
		size_t n = 0;

		while (a->stored_inputs[i][n])
			n++;
		add_past(a, &a->stored[i].d, a->stored_inputs[i], n);
	}
	for (size_t i = 0; i + 1 < a->n_parts; i++) {
		const struct diagnosis *d = &a->parts[i].d;
		const struct inputs *in;

		if (d->n_logs == 0)
			continue;
		in = d->facts.inputs;
		add_past(a, d, in ? (const char *const *)in->v : NULL,
		    in ? in->n : 0);
	}
	j->past = a->v;
	j->n_past = a->n;
	if (a->n == 0)
		return 0;
	if (history_apply(&j->d, j->x.taxonomy, a->as, a->n, e))
		return -1;
	qsort(a->v, a->n, sizeof *a->v, past_by_attempt);
	return 0;
}

int explain_job_read(struct explain_job *j, struct err *e)
{
	if (read_parts(j, e))
		return -1;
	ask_store(j);
	return put_together(j, e);
}
