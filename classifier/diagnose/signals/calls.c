/*
 * Of each rank and group two operations are kept, the last one and the first
 * that has not ended: a rank that hangs does so in the latter, and one that
 * never came is told by the former. So it does not matter how many a log has.
 */
#include "diagnose/signals/calls.h"

#include "base/array.h"
#include "base/hash.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/evidence/trace.h"
#include "diagnose/signals/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST                                                            \
	4096 /* of each list; a log that tells of more is none of these \
	      */
#define RANKS_MOST (1 << 20)

void calls_free(struct calls *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_callers; i++) {
		findings_frame_release(&c->callers[i].last.frame);
		findings_frame_release(&c->callers[i].waits.frame);
		free(c->callers[i].group);
		free(c->callers[i].node);
	}
	for (size_t i = 0; i < c->n_groups; i++) {
		free(c->groups[i].name);
		free(c->groups[i].ranks);
	}
	for (size_t i = 0; i < c->n_stands; i++) {
		findings_frame_release(&c->stands[i].frame);
		free(c->stands[i].inner);
	}
	for (size_t i = 0; i < c->n_comms; i++)
		free(c->comms[i].group);
	free(c->callers);
	free(c->groups);
	free(c->stands);
	free(c->comms);
	free(c->about);
	free(c);
}

static struct calls *calls_of(struct findings *f)
{
	if (!f->calls)
		f->calls = calloc(1, sizeof *f->calls);
	f->failed |= !f->calls;
	return f->calls;
}

/* Room for one more of a list; false: there is none. */
static bool room(
    struct findings *f, void *array, size_t n, size_t *cap, size_t size)
{
	int rc = n < MOST ? array_grow(array, n, cap, size) : -1;

	f->failed |= rc != 0 && n < MOST;
	return rc == 0;
}

/* ---- the words of a line ---- */

struct words {
	struct findings *f;
	const struct taxonomy *tax;
	const struct log_line *l;
	const struct pattern *p;
	const struct pattern_match *m;
};

static struct span word(const struct words *w, const char *name)
{
	char second[16];
	int i = pattern_group(w->p, name);

	if (i >= 0 && i < w->m->n && w->m->group[i].p)
		return w->m->group[i];
	snprintf(second, sizeof second, "%s2", name);
	i = pattern_group(w->p, second);
	return i >= 0 && i < w->m->n ? w->m->group[i] : span_of(NULL);
}

static int small(struct span s)
{
	int64_t n = span_number(s);

	return n >= 0 && n < RANKS_MOST ? (int)n : -1;
}

/* The sequence number, which NCCL writes in hexadecimal digits. */
static int64_t seq_of(const struct words *w)
{
	struct span s = word(w, "hex");
	int64_t n = 0;

	if (!s.n)
		return span_number(word(w, "seq"));
	for (size_t i = 0; i < s.n && i < 15; i++)
		n = (n << 4) + (s.p[i] & 15) + (s.p[i] > '9' ? 9 : 0);
	return n;
}

/* The letters of a word that such texts are made of. */
static void letters(char *to, size_t most, struct span s, const char *also)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n && n + 1 < most; i++)
		if ((s.p[i] >= '0' && s.p[i] <= '9') ||
		    (s.p[i] >= 'a' && s.p[i] <= 'z') ||
		    (s.p[i] >= 'A' && s.p[i] <= 'Z') || strchr(also, s.p[i]))
			to[n++] = s.p[i];
	to[n] = '\0';
}

/* "step (/w/train.py:88)" */
static bool read_frame(struct span s, struct shape_frame *out)
{
	*out = (struct shape_frame){ .line = -1 };
	return shape_spy_frame(s, out) && out->line >= 0;
}

/* Of a stack, the innermost frame that is the user's own, or the first. */
static void set_frame(const struct words *w, struct frame *to)
{
	struct span rest = word(w, "stack");
	struct shape_frame sf, best = { .line = -1 };
	struct facts_file is;

	while (rest.n) {
		size_t n = span_find(rest, " < ");
		struct span one = span_sub(rest, 0, n);

		rest = n == SIZE_MAX ? span_of(NULL)
				     : span_sub(rest, n + 3, rest.n);
		if (!read_frame(one, &sf))
			continue;
		(void)facts_file(w->tax, sf.file, &is);
		if (!best.file.n || !is.library)
			best = sf;
		if (!is.library)
			break;
	}
	if (!best.file.n)
		return;
	to->file = findings_dup(w->f, best.file);
	to->function = findings_dup(w->f, best.function);
	to->line = best.line;
}

static void set_call(const struct words *w, struct call *c, int64_t seq)
{
	findings_frame_release(&c->frame);
	c->seq = seq;
	letters(c->op, sizeof c->op, word(w, "op"), "_");
	letters(c->in, sizeof c->in, word(w, "in"), "[], _");
	letters(c->out, sizeof c->out, word(w, "out"), "[], _");
	set_frame(w, &c->frame);
}

/* ---- callers ---- */

static struct caller *caller_of(
    struct findings *f, int rank, struct span group, bool p2p)
{
	struct calls *c = calls_of(f);

	for (size_t i = c ? c->n_callers : 0; i-- > 0;) {
		struct caller *v = &c->callers[i];

		if (v->rank == rank && (v->peer >= 0) == p2p &&
		    span_is(group, v->group))
			return v;
	}
	if (!c ||
	    !room(f, &c->callers, c->n_callers, &c->cap_callers,
		sizeof *c->callers))
		return NULL;
	c->callers[c->n_callers] = (struct caller){ .rank = rank,
		.group = findings_dup(f, group),
		.peer = p2p ? 0 : -1,
		.last = { .seq = -1 },
		.waits = { .seq = -1 } };
	if (!c->callers[c->n_callers].group)
		return NULL;
	return &c->callers[c->n_callers++];
}

static uint64_t comm_key(const struct words *w)
{
	uint64_t h = hash_of(&w->l->env.rank, sizeof w->l->env.rank).low;
	struct span part[] = { word(w, "comm"), word(w, "process"),
		w->l->env.node };

	for (size_t i = 0; i < 3; i++)
		if (part[i].n)
			h = h * 31 + hash_of(part[i].p, part[i].n).low;
	return h;
}

static struct comm *comm_of(struct calls *c, uint64_t key)
{
	for (size_t i = c ? c->n_comms : 0; i-- > 0;)
		if (c->comms[i].key == key)
			return &c->comms[i];
	return NULL;
}

/* "... comm 0x5 rank 3 nranks 8 ... commId 0x7": by which name the rank's own
 * lines call a group from now on. */
static void comm_line(const struct words *w)
{
	struct calls *c = calls_of(w->f);
	uint64_t key = comm_key(w);
	struct comm *v = comm_of(c, key);
	struct span group = word(w, "group");

	if (!c)
		return;
	if (!v &&
	    room(w->f, &c->comms, c->n_comms, &c->cap_comms, sizeof *c->comms))
		v = &c->comms[c->n_comms++];
	else if (v)
		free(v->group);
	if (v)
		*v = (struct comm){ key, small(word(w, "rank")),
			findings_dup(w->f, group.n ? group : word(w, "size")) };
}

/* The rank and group of a line that names its communicator by its address. */
static bool by_comm(const struct words *w, int *rank, struct span *group)
{
	const struct comm *v = comm_of(w->f->calls, comm_key(w));

	*group = v ? span_of(v->group) : word(w, "size");
	*rank = v ? v->rank : w->l->env.rank >= 0 ? w->l->env.rank : w->f->rank;
	return group->n > 0;
}

static void call_line(const struct words *w, bool p2p)
{
	int64_t seq = seq_of(w);
	struct span group = word(w, "group"), state = word(w, "state");
	int rank = w->l->env.rank >= 0 ? w->l->env.rank : w->f->rank;
	struct caller *c;

	if (seq < 0 || (word(w, "comm").n && !by_comm(w, &rank, &group)))
		return;
	c = rank < 0 ? NULL : caller_of(w->f, rank, group, p2p);
	if (!c)
		return;
	c->states |= state.n > 0;
	if (seq >= c->last.seq)
		set_call(w, &c->last, seq);
	if (!state.n || span_is(state, "completed") ||
	    (c->waits.seq >= 0 && c->waits.seq <= seq))
		return;
	set_call(w, &c->waits, seq);
	if (p2p)
		c->peer = span_is(word(w, "op"), "send")
		    ? small(word(w, "to"))
		    : small(word(w, "from"));
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* "... group 0 (default_pg) of ranks 0,1,2" */
static void group_line(const struct words *w)
{
	struct calls *c = calls_of(w->f);
	struct span ranks = word(w, "ranks");
	struct call_group g = { .name = NULL };

	if (!c ||
	    !room(w->f, &c->groups, c->n_groups, &c->cap_groups,
		sizeof *c->groups))
		return;
	g.ranks = calloc(ranks.n / 2 + 1, sizeof *g.ranks);
	g.name = findings_dup(w->f, word(w, "group"));
	w->f->failed |= !g.ranks;
	while (g.ranks && ranks.n) {
		size_t n = span_find(ranks, ",");
		int rank = small(span_sub(ranks, 0, n));

		if (rank >= 0)
			g.ranks[g.n++] = rank;
		ranks = n == SIZE_MAX ? span_of(NULL)
				      : span_sub(ranks, n + 1, ranks.n);
	}
	if (g.n)
		qsort(g.ranks, g.n, sizeof *g.ranks, by_number);
	c->groups[c->n_groups++] = g;
}

/* ---- reports about ranks by others ---- */

/* Lines about one communicator follow. */
static void about_line(const struct words *w)
{
	struct calls *c = calls_of(w->f);

	if (!c)
		return;
	free(c->about);
	c->about = findings_dup(w->f, word(w, "group"));
	c->about_seq = -1;
}

/* "7 ranks have launched up to operation 64", and those that are listed. */
static void count_line(const struct words *w)
{
	struct calls *c = w->f->calls;
	struct span rank = word(w, "rank"), node = word(w, "node");
	struct caller *v;
	int64_t seq = seq_of(w);

	if (!c || !c->about)
		return;
	if (!rank.n) {
		c->about_seq = seq < 0 ? 0 : seq;
		seq = c->about_seq;
	}
	v = caller_of(
	    w->f, rank.n ? small(rank) : -1, span_of(c->about), false);
	if (seq < 0)
		seq = c->about_seq;
	if (!v || seq < v->last.seq)
		return;
	v->last.seq = seq;
	if (node.n && !v->node)
		v->node = findings_dup(w->f, node);
}

void calls_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l, const struct signal_hits *hits)
{
	struct pattern_match found;
	struct words w = { f, tax, l, NULL, &found };

	for (size_t i = tax->signal_from[SIGNAL_COLLECTIVE];
	     i < tax->signal_from[SIGNAL_COLLECTIVE + 1]; i++) {
		if (taxonomy_signal_at(tax, i)->tells[0] >=
			COLLECTIVE_ANY_INPUT ||
		    !signals_may(tax, i, hits) ||
		    !signals_tell(tax, i, m, l->env.text, &found))
			continue;
		w.p = taxonomy_signal_pattern(tax, i);
		switch ((enum signal_collective)taxonomy_signal_at(tax, i)
			    ->tells[0]) {
		case COLLECTIVE_CALL:
		case COLLECTIVE_P2P:
			call_line(&w,
			    taxonomy_signal_at(tax, i)->tells[0] ==
				COLLECTIVE_P2P);
			break;
		case COLLECTIVE_GROUP:
			group_line(&w);
			break;
		case COLLECTIVE_COMM:
			comm_line(&w);
			break;
		case COLLECTIVE_ABOUT:
			about_line(&w);
			break;
		case COLLECTIVE_COUNT:
			count_line(&w);
			break;
		default: /* words about operations */
			break;
		}
		return;
	}
}

void calls_stand(struct findings *f, struct stand s)
{
	struct calls *c = calls_of(f);
	struct stand *v = NULL;

	for (size_t i = 0; c && i < c->n_stands && !v; i++)
		if (c->stands[i].rank == s.rank)
			v = &c->stands[i];
	if (v && !s.main && v->main)
		goto drop;
	if (!v && c &&
	    room(f, &c->stands, c->n_stands, &c->cap_stands,
		sizeof *c->stands)) {
		v = &c->stands[c->n_stands++];
		*v = (struct stand){ .rank = -1 };
	}
	if (!v)
		goto drop;
	findings_frame_release(&v->frame);
	free(v->inner);
	*v = s;
	return;
drop:
	findings_frame_release(&s.frame);
	free(s.inner);
}

/* ---- two ranks ---- */

static bool may_vary(
    const struct taxonomy *tax, const char *op, enum signal_collective act)
{
	for (size_t i = tax->signal_from[SIGNAL_COLLECTIVE];
	     i < tax->signal_from[SIGNAL_COLLECTIVE + 1]; i++)
		if (taxonomy_signal_at(tax, i)->tells[0] == (int)act &&
		    signals_tell(tax, i, NULL, span_of(op), NULL))
			return true;
	return false;
}

/* The sizes in "[[8, 4]] Float", and what stands behind them. */
static struct span sizes_of(const char *s)
{
	const char *end = strrchr(s, ']');

	return span_sub(span_of(s), 0, end ? (size_t)(end + 1 - s) : SIZE_MAX);
}

static const char *data_differs(const char *a, const char *b)
{
	struct span x = sizes_of(a), y = sizes_of(b);

	if (!x.n || !y.n || strcmp(a, b) == 0)
		return NULL;
	return span_eq(x, y) ? "type" : "size";
}

const char *calls_differ(
    const struct taxonomy *tax, const struct call *a, const struct call *b)
{
	const char *in, *out;

	if (!a->op[0] || !b->op[0])
		return NULL;
	if (strcmp(a->op, b->op) != 0)
		return "operation";
	in = may_vary(tax, a->op, COLLECTIVE_ANY_INPUT)
	    ? NULL
	    : data_differs(a->in, b->in);
	out = may_vary(tax, a->op, COLLECTIVE_ANY_OUTPUT)
	    ? NULL
	    : data_differs(a->out, b->out);
	if (in && strcmp(in, "size") == 0)
		return in;
	return out ? out : in;
}
