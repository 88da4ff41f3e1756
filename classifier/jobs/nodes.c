/*
 * Of each log what states a cause, and is the infrastructure's, is kept as an
 * event, under every name that its node may have: the host that the line names,
 * else each word of the log's path (`n17.dmesg`, `n17/messages`), since only
 * the jobs tell which words are nodes.
 *
 * A line without a date (seconds since boot) is dated by a line of the same
 * words that has one: two logs of a node tell of the same thing. Where a job's
 * own log has the very line of its node, the difference is that node's clock.
 */
#include "jobs/nodes.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/when.h"
#include "diagnose/decision/dates.h"
#include "diagnose/evidence/scan.h"
#include "jobs/accounting.h"
#include "jobs/node_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND ((int64_t)1000000)
#define MOST_OF_NODE 8     /* events of one node that a job is given */
#define MOST_SHARED 8      /* other jobs that are named */
#define MOST_PAIRS 2000    /* of lines that may tell when a node was booted */
#define MOST_EVIDENCE 4096 /* of a node's log */
#define DRIFT (2 * SECOND)
#define FAR (26 * 3600 * SECOND) /* two clocks differ by no more */

struct event_of {
	char *path, *host;        /* owned; host NULL: the line names none */
	struct evidence evidence; /* its time by the right clock */
	int64_t ahead; /* that the node's clock is told to be fast by */
};

/* A name that the node of an event may have; the name is borrowed. */
struct named {
	const char *name;
	size_t n, event;
};

struct nodes {
	const struct taxonomy *tax;
	struct event_of *v;
	size_t n, cap;
	struct named *names;
	size_t n_names, cap_names;
	size_t undated;
	struct hash_value stamp; /* of all that may be joined */
	bool failed;
};

/* ---- reading ---- */

static bool infrastructure(
    const struct taxonomy *tax, const struct evidence *ev)
{
	const struct rule *r = ev->rule;

	return r->role == ROLE_ROOT && r->category != TAXONOMY_NO_CATEGORY &&
	    !strcmp(tax->categories[r->category].family, "infrastructure");
}

static int add_event(
    struct nodes *n, const struct findings *f, const struct evidence *ev)
{
	const char *host = ev->node ? ev->node : f->node;
	struct event_of *e;

	if (array_grow(&n->v, n->n, &n->cap, sizeof *n->v))
		return -1;
	e = &n->v[n->n++];
	*e = (struct event_of){ 0 };
	e->path = span_dup(span_of(f->path));
	e->host = host ? span_dup(span_of(host)) : NULL;
	if (findings_evidence_copy(&e->evidence, ev) || !e->path ||
	    !e->host != !host)
		return -1;
	hash_join(&n->stamp, hash_of(e->path, strlen(e->path)));
	hash_join(&n->stamp, hash_of(e->evidence.text, e->evidence.text_len));
	return 0;
}

struct reading {
	struct nodes *n;
	const struct triage_sink *sink; /* for notes */
};

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	const struct reading *r = ctx;

	r->sink->note(r->sink->ctx, path, kind, text);
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct nodes *n = ((struct reading *)ctx)->n;

	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_evidence; k++)
			if (infrastructure(n->tax, &d->logs[i]->evidence[k]) &&
			    add_event(
				n, d->logs[i], &d->logs[i]->evidence[k])) {
				n->failed = true;
				return -1;
			}
	return 0;
}

/* ---- names ---- */

static int add_name(struct nodes *n, struct span name, size_t event)
{
	if (array_grow(&n->names, n->n_names, &n->cap_names, sizeof *n->names))
		return -1;
	n->names[n->n_names++] = (struct named){ name.p, name.n, event };
	return 0;
}

/* The words of a path: an address has points, a name has none. */
static size_t word_length(const char *p)
{
	size_t n = strspn(p, "0123456789.");

	while (n > 0 && p[n - 1] == '.')
		n--;
	return memchr(p, '.', n) && strchr("/._!,: ", p[n])
	    ? n
	    : strcspn(p, "/._!,: ");
}

/* Each of them, and what is left of it behind its first '-' and before its last
 * one: dmesg-n17, n17-dmesg. */
static int add_words(struct nodes *n, const char *path, size_t event)
{
	for (const char *p = path; *p;) {
		struct span word = { p, word_length(p) };
		const char *dash = memchr(p, '-', word.n);
		size_t last = word.n;

		while (last > 0 && p[last - 1] != '-')
			last--;
		if ((word.n && add_name(n, word, event)) ||
		    (dash && dash + 1 < p + word.n &&
			add_name(n,
			    span_sub(word, (size_t)(dash + 1 - p), word.n),
			    event)) ||
		    (last > 1 &&
			add_name(n, span_sub(word, 0, last - 1), event)))
			return -1;
		p += word.n + (p[word.n] != '\0');
	}
	return 0;
}

static int compare(const char *a, size_t na, const char *b, size_t nb)
{
	int order = memcmp(a, b, na < nb ? na : nb);

	return order ? order : na < nb ? -1 : na > nb;
}

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = compare(x->name, x->n, y->name, y->n);

	return order ? order : (x->event > y->event) - (x->event < y->event);
}

static int make_names(struct nodes *n)
{
	for (size_t i = 0; i < n->n; i++) {
		const char *host = n->v[i].host;

		if (host ? add_name(n, span_host(span_of(host)), i)
			 : add_words(n, n->v[i].path, i))
			return -1;
	}
	if (n->n_names)
		qsort(n->names, n->n_names, sizeof *n->names, by_name);
	return 0;
}

/* The first of a node's names in the list, or n_names. */
static size_t find_name(const struct nodes *n, const char *node, size_t len)
{
	size_t from = 0, to = n->n_names;

	while (from < to) {
		size_t mid = from + (to - from) / 2;
		const struct named *at = &n->names[mid];

		if (compare(at->name, at->n, node, len) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool is_name(
    const struct nodes *n, size_t at, const char *node, size_t len)
{
	return at < n->n_names &&
	    compare(n->names[at].name, n->names[at].n, node, len) == 0;
}

/* ---- dates ---- */

static bool known(int64_t t)
{
	return t != ENVELOPE_NO_TIME;
}

static bool same_words(const struct evidence *a, const struct evidence *b)
{
	return a->rule == b->rule && a->text_len == b->text_len &&
	    memcmp(a->text, b->text, a->text_len) == 0;
}

/* A boot that two lines of the same words tell, one with a date and one with
 * the time since then. */
struct boot {
	size_t event; /* with the time since boot */
	int64_t at;
};

static int64_t gap(int64_t a, int64_t b)
{
	return a > b ? a - b : b - a;
}

static bool of_boot(const struct event_of *e)
{
	return e->evidence.time == ENVELOPE_NO_TIME && e->evidence.uptime >= 0;
}

/* The boot that most pairs of lines of one log agree on. */
static int64_t most_told(const struct nodes *n, const struct boot *v,
    size_t n_boots, const char *path)
{
	int64_t best = ENVELOPE_NO_TIME;
	size_t most = 0;

	for (size_t i = 0; i < n_boots; i++) {
		size_t votes = 0;

		if (strcmp(n->v[v[i].event].path, path) != 0)
			continue;
		for (size_t k = 0; k < n_boots; k++)
			votes += gap(v[i].at, v[k].at) <= DRIFT &&
			    !strcmp(n->v[v[k].event].path, path);
		if (votes > most) {
			most = votes;
			best = v[i].at;
		}
	}
	return best;
}

/* Date what one node (its names stand from `from` to `to`) logged without. */
static int date_node(struct nodes *n, size_t from, size_t to)
{
	struct boot *v = NULL;
	size_t n_boots = 0, cap = 0;
	int rc = 0;

	for (size_t i = from; i < to && !rc; i++) {
		const struct event_of *e = &n->v[n->names[i].event];

		for (size_t k = from;
		     of_boot(e) && k < to && n_boots < MOST_PAIRS && !rc; k++) {
			const struct event_of *dated = &n->v[n->names[k].event];
			const struct evidence *d = &dated->evidence;

			/* only a host is surely a node's name */
			if (!dated->host || !known(d->time) ||
			    !same_words(&e->evidence, d))
				continue;
			rc = array_grow(&v, n_boots, &cap, sizeof *v);
			if (!rc)
				v[n_boots++] = (struct boot){ n->names[i].event,
					d->time - e->evidence.uptime };
		}
	}
	for (size_t i = from; i < to && n_boots && !rc; i++) {
		struct event_of *e = &n->v[n->names[i].event];
		int64_t boot;

		if (!of_boot(e))
			continue;
		boot = most_told(n, v, n_boots, e->path);
		if (known(boot))
			e->evidence.time = boot + e->evidence.uptime;
	}
	free(v);
	return rc;
}

static int date_events(struct nodes *n)
{
	for (size_t i = 0, to; i < n->n_names; i = to) {
		const struct named *name = &n->names[i];

		for (to = i; is_name(n, to, name->name, name->n); to++)
			;
		if (date_node(n, i, to))
			return -1;
	}
	for (size_t i = 0; i < n->n; i++)
		n->undated += !known(n->v[i].evidence.time);
	return 0;
}

/* ---- clocks that are told to be off ---- */

static void set_clock(struct event_of *e, const struct node_clock *c)
{
	e->ahead = c->ahead;
	if (known(e->evidence.time))
		e->evidence.time -= c->ahead;
}

/* The first that names an event's node or log counts. */
static int set_clocks(
    struct nodes *n, const struct nodes_from *from, struct err *e)
{
	struct node_clock c;

	for (size_t i = 0; i < from->n_clocks; i++) {
		if (node_clock_read(from->clocks[i], &c, e))
			return -1;
		hash_join(&n->stamp,
		    hash_of(from->clocks[i], strlen(from->clocks[i])));
		for (size_t k = 0; k < n->n_names; k++) {
			const struct named *name = &n->names[k];
			struct event_of *ev = &n->v[name->event];

			if (!ev->ahead &&
			    (node_clock_is_of(
				 &c, (struct span){ name->name, name->n }) ||
				node_clock_is_of(&c, span_of(ev->host)) ||
				node_clock_is_of(&c, span_of(ev->path))))
				set_clock(ev, &c);
		}
	}
	return 0;
}

/* ---- a job's end ---- */

/* What is known of when a job died. */
struct death {
	int64_t from, to; /* in between a node's fault can be its cause */
	bool ordered;     /* it is known that nothing of it died before `to` */
};

static void earliest(int64_t *t, int64_t than)
{
	if (known(than) && (!known(*t) || than < *t))
		*t = than;
}

/* Whether a process may have ended of it. */
static bool ends(const struct findings *f, const struct evidence *ev)
{
	return !ev->warning && !f->of_record &&
	    (ev->rule->role == ROLE_ROOT || ev->rule->role == ROLE_CONSEQUENCE);
}

/* The first of what a log tells of an end, behind its last progress. */
static int64_t first_end(const struct findings *f, bool *undated)
{
	int64_t t = ENVELOPE_NO_TIME, worked = f->progress_time;

	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *ev = &f->evidence[i];

		if (!ends(f, ev) || ev->line < f->last_line_of_progress)
			continue;
		*undated |= !known(ev->time);
		if (!known(worked) || ev->time >= worked)
			earliest(&t, ev->time);
	}
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if (e->warning || e->ignored || e->kind == EVENT_BARE ||
		    e->last_line < f->last_line_of_progress)
			continue;
		*undated |= !known(e->time);
		if (!known(worked) || e->time >= worked)
			earliest(&t, e->time);
	}
	return t;
}

/* 0: it ended well, or nothing dates its end. */
static int find_death(
    const struct nodes *n, const struct diagnosis *d, struct death *out)
{
	const struct job_record *r = d->record;
	int64_t died = ENVELOPE_NO_TIME, last = ENVELOPE_NO_TIME,
		worked = ENVELOPE_NO_TIME;
	int64_t window = (int64_t)n->tax->node_window * SECOND;
	bool undated = false;

	if (r && r->end != JOB_END_FAILED && r->end != JOB_END_UNKNOWN)
		return 0;
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->ended_well && (!r || r->end != JOB_END_FAILED))
			return 0;
		earliest(&died, first_end(f, &undated));
		if (known(f->last_time) &&
		    (!known(last) || f->last_time > last))
			last = f->last_time;
		if (known(f->progress_time) &&
		    (!known(worked) || f->progress_time > worked))
			worked = f->progress_time;
	}
	out->ordered = known(died) || !undated;
	if (known(died))
		out->to = died + DRIFT;
	else if (r && known(r->ended))
		out->to = r->ended + DRIFT;
	else if (known(last)) /* a log that stops: its node may have */
		out->to = last + (undated ? DRIFT : 120 * SECOND);
	else
		return 0;
	if (!known(worked))
		window /= 4;
	out->from = out->to - window;
	if (known(worked) && worked - 30 * SECOND > out->from)
		out->from = worked - 30 * SECOND;
	if (r && known(r->started) && r->started > out->from)
		out->from = r->started;
	return 1;
}

/* ---- clocks ---- */

static int64_t dated_near(int64_t t, int64_t near)
{
	return known(t) && !when_has_year(t) && when_has_year(near)
	    ? when_near(t, near)
	    : t;
}

static bool holds(struct span text, const char *word, size_t n)
{
	for (size_t i = 0; i + n <= text.n; i++)
		if (memcmp(text.p + i, word, n) == 0)
			return true;
	return false;
}

/* Whether the job's log has that line of the node, behind its name. */
static bool shown(const struct evidence *own, const struct evidence *ev,
    const char *node, size_t len)
{
	struct span before;

	if (own->rule != ev->rule || own->text_len < ev->text_len ||
	    memcmp(own->text + own->text_len - ev->text_len, ev->text,
		ev->text_len) != 0)
		return false;
	before = (struct span){ own->text, own->text_len - ev->text_len };
	return holds(before, node, len) ||
	    (own->node &&
		span_eq(
		    span_host(span_of(own->node)), (struct span){ node, len }));
}

/* How much later it is by the job's clock than by the node's: both logs have
 * the same line. 0 where they do not. */
static int64_t clock_offset(const struct nodes *n, size_t first,
    const char *node, size_t len, const struct diagnosis *d, size_t own_logs)
{
	int64_t best = FAR + 1;

	for (size_t i = 0; i < own_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_evidence; k++) {
			const struct evidence *own = &d->logs[i]->evidence[k];

			for (size_t at = first;
			     known(own->time) && is_name(n, at, node, len);
			     at++) {
				const struct evidence *ev =
				    &n->v[n->names[at].event].evidence;
				int64_t by =
				    own->time - dated_near(ev->time, own->time);

				if (known(ev->time) &&
				    shown(own, ev, node, len) &&
				    gap(by, 0) < gap(best, 0))
					best = by;
			}
		}
	return gap(best, 0) > DRIFT && gap(best, 0) <= FAR ? best : 0;
}

/* ---- joining ---- */

static int give(struct diagnosis *d, struct findings *f)
{
	struct findings **v = realloc(d->logs, (d->n_logs + 1) * sizeof(*v));

	if (!v)
		return -1;
	d->logs = v;
	v[d->n_logs++] = f;
	return 0;
}

/* The job's copy of the log of a node, made where it is new. */
static struct findings *log_of(
    struct diagnosis *d, size_t own, const char *path, const char *node)
{
	struct findings *f;

	for (size_t i = own; i < d->n_logs; i++)
		if (!strcmp(d->logs[i]->path, path) &&
		    !strcmp(d->logs[i]->node, node))
			return d->logs[i];
	f = findings_new(path, -1, node);
	if (!f)
		return NULL;
	f->whole = true;
	if (give(d, f)) {
		findings_free(f);
		return NULL;
	}
	return f;
}

static bool runs_there(
    const struct job_record *r, const char *node, size_t len, int64_t when)
{
	if (!known(r->started) || r->started > when ||
	    (known(r->ended) && r->ended < when))
		return false;
	for (size_t i = 0; i < r->n_nodes; i++)
		if (span_eq(span_host(span_of(r->nodes[i])),
			(struct span){ node, len }))
			return true;
	return false;
}

/* Who else ran on the node at that time. */
static int tell_shared(struct diagnosis *d, const struct accounting *records,
    const char *node, size_t len, int64_t when)
{
	struct buf b = BUF_INIT(BUF_MAX);
	size_t found = 0;
	int rc = 0;

	for (size_t i = 0; records && i < accounting_count(records); i++) {
		const struct job_record *r = accounting_at(records, i);

		if (!strcmp(r->id, d->job) || !runs_there(r, node, len, when))
			continue;
		found++;
		if (found <= MOST_SHARED && !rc)
			rc = found == 1
			    ? buf_addf(&b,
				  "node %.*s was shared at that time with "
				  "job %s",
				  (int)len, node, r->id)
			    : buf_addf(&b, ", %s", r->id);
	}
	if (!rc && found > MOST_SHARED)
		rc = buf_addf(&b, " and %zu more", found - MOST_SHARED);
	if (!rc && found)
		rc = diagnosis_note(d, b.p);
	buf_release(&b);
	return rc;
}

/* by: how much later it is by the right clock; 0: nothing is told. */
static int tell_clock(
    struct diagnosis *d, struct span node, int64_t by, const char *why)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = by
	    ? buf_addf(&b,
		  "the clock of node %.*s is %lld s %s: %s, and its times are "
		  "read so",
		  (int)node.n, node.p, (long long)(gap(by, 0) / SECOND),
		  by > 0 ? "slow" : "fast", why)
	    : 0;

	if (!rc && by)
		rc = diagnosis_note(d, b.p);
	buf_release(&b);
	return rc;
}

/* How far the job had come. */
static struct progress reached(const struct diagnosis *d, size_t own)
{
	struct progress p = { -1, -1 };

	for (size_t i = 0; i < own; i++)
		if (p.step < 0 || findings_progress_after(d->logs[i]->last, p))
			p = d->logs[i]->last;
	return p;
}

static int join_node(const struct nodes *n, struct diagnosis *d, size_t own,
    const struct death *death, const char *name,
    const struct accounting *records)
{
	const size_t len = span_host(span_of(name)).n;
	const size_t first = find_name(n, name, len);
	size_t given = 0;
	int64_t by;

	if (!is_name(n, first, name, len))
		return 0;
	by = clock_offset(n, first, name, len, d, own);
	for (size_t at = first;
	     is_name(n, at, name, len) && given < MOST_OF_NODE; at++) {
		const struct event_of *e = &n->v[n->names[at].event];
		int64_t when = dated_near(e->evidence.time, death->to);
		struct findings *f;
		struct evidence *ev;

		if (!known(when) || when + by < death->from ||
		    when + by > death->to)
			continue;
		f = log_of(d, own, e->path, name);
		ev = f ? findings_evidence(f) : NULL;
		if (!ev || findings_evidence_copy(ev, &e->evidence))
			return -1;
		ev->time = when + by;
		ev->before = reached(d, own);
		hash_join(&f->content, hash_of(ev->text, ev->text_len));
		f->of_node = death->ordered && !ev->rule->generic ? NODE_SURE
		    : f->of_node == NODE_SURE                     ? NODE_SURE
								  : NODE_LIKELY;
		if (f->lines < ev->line)
			f->lines = ev->line;
		if (!given++ &&
		    (tell_clock(d, (struct span){ name, len }, -e->ahead,
			 "--node-clock says so") ||
			tell_clock(d, (struct span){ name, len }, by,
			    "its log has a line that the job's has, too") ||
			tell_shared(d, records, name, len, when + by)))
			return -1;
	}
	return 0;
}

/* The nodes that a job's logs name. -1: out of memory. */
static int join_named(const struct nodes *n, struct diagnosis *d,
    const struct death *death, const struct accounting *records)
{
	const size_t own = d->n_logs;
	size_t named = 0;

	for (size_t i = 0; i < own; i++) {
		const struct findings *f = d->logs[i];

		named += f->node != NULL;
		if (f->node && join_node(n, d, own, death, f->node, records))
			return -1;
		for (size_t k = 0; k < f->n_evidence; k++) {
			const char *node = f->evidence[k].node;

			named += node != NULL;
			if (node && join_node(n, d, own, death, node, records))
				return -1;
		}
	}
	return named ? 0
		     : diagnosis_note(d,
			   "neither a job record nor its log tells its nodes: "
			   "no log of a node was joined with it");
}

int nodes_join(const struct nodes *n, struct diagnosis *d,
    const struct accounting *records, struct err *e)
{
	const struct job_record *r = d->record;
	const size_t own = d->n_logs;
	struct death death;

	dates_settle(d);
	if (!find_death(n, d, &death))
		return 0;
	for (size_t i = 0; r && i < r->n_nodes; i++)
		if (join_node(n, d, own, &death, r->nodes[i], records))
			return err_nomem(e);
	if ((!r || !r->n_nodes) && join_named(n, d, &death, records))
		return err_nomem(e);
	return 0;
}

/* ---- new and free ---- */

void nodes_free(struct nodes *n)
{
	for (size_t i = 0; n && i < n->n; i++) {
		free(n->v[i].path);
		free(n->v[i].host);
		findings_evidence_release(&n->v[i].evidence);
	}
	if (n) {
		free(n->v);
		free(n->names);
	}
	free(n);
}

struct hash_value nodes_stamp(const struct nodes *n)
{
	return n->stamp;
}

size_t nodes_undated(const struct nodes *n)
{
	return n->undated;
}

struct nodes *nodes_new(const struct triage_options *o,
    const struct nodes_from *from, const struct triage_sink *sink,
    struct err *e)
{
	struct triage_options mine = *o;
	struct triage_counters counters = { 0 };
	struct nodes *out = calloc(1, sizeof *out);
	struct reading reading = { out, sink };
	struct limits limits = *o->limits;
	struct engine *engine = NULL;
	const struct triage_sink to = {
		.ctx = &reading, .job = on_job, .note = on_note
	};

	if (!out) {
		err_nomem(e);
		return NULL;
	}
	out->tax = o->taxonomy;
	limits.v[LIMIT_EVIDENCE] = MOST_EVIDENCE;
	limits.v[LIMIT_RULE_HITS] = MOST_EVIDENCE / 4;
	mine.limits = &limits;
	engine = engine_new(o->taxonomy, &limits, true, e);
	mine.engine = engine;
	mine.records = NULL;
	mine.redact = NULL;
	mine.memory = NULL;
	mine.nodes = NULL;
	mine.shard = (struct shard){ 0 };
	mine.files = (struct files){ .all = true };
	if (!engine ||
	    triage_run(&mine, from->paths, from->n, &to, &counters, e))
		goto bad;
	if (out->failed || make_names(out)) {
		err_nomem(e);
		goto bad;
	}
	if (set_clocks(out, from, e))
		goto bad;
	if (date_events(out)) {
		err_nomem(e);
		goto bad;
	}
	engine_free(engine);
	return out;
bad:
	engine_free(engine);
	nodes_free(out);
	return NULL;
}
