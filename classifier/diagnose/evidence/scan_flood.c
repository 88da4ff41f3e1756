/*
 * A rule that has matched so often, or was run so often in vain, is looked for
 * at the end of each block only: what it finds before would not be kept, or is
 * not to be expected. So are messages (scan_said). In such a log most lines go
 * by words that many rules share, and most by "Error: " alone: literals are
 * judged, once a block, not their rules in each line; and a line in which
 * nobody goes by one speaks for all before it that are like it (lines.h).
 */
#define _GNU_SOURCE /* memrchr */
#include "diagnose/evidence/scan_private.h"

#include "diagnose/evidence/around.h"
#include "input/decode.h"

#include <stdlib.h>
#include <string.h>

/* More than any job has ranks that each tell of the same failure once. */
#define FLOOD 4096
#define VAIN 16384
/* Hits that only rules for exceptions go by: the mark of one, and for how many
 * bytes of the block one must stand that these rules' filter is asked. */
#define MARK (UINT32_C(1) << 31)
#define MARKED_EACH 1024
/* Lines that are so near to each other are searched with what is between. */
#define NEAR 256
#define APART 16 /* blocks after one that was walked line by line in vain */

/* Who still goes by a literal in a block, when the last hits of those that
 * flood have been seen. */
enum {
	BY_RULE = 1,      /* a rule or a signal: wherever it stands */
	BY_EXCEPTION = 2, /* rules that the filter for exceptions knows */
	BY_MESSAGE = 4,   /* at the end of the block, in a flood of them */
	BY_REPORT = 8     /* what begins a report of several lines, too */
};

struct flood_literal {
	uint32_t block; /* the last one in which the others are right */
	uint8_t by;
	bool vain; /* of a rule that was run in vain */
};

bool scan_floods(const struct rule_state *r)
{
	return r->hits >= FLOOD || r->confirms >= VAIN;
}

/* Count a hit of a rule that floods, from behind. Whether it is among the last
 * of the block; several of its literals may stand at one place. */
static bool is_late(const struct scan *s, struct rule_state *r, size_t pos)
{
	if (r->late && r->cut == pos)
		return true;
	if (r->late == s->en->limits->v[LIMIT_RULE_HITS])
		return false;
	r->late++;
	r->cut = (uint32_t)pos;
	return true;
}

/* Whether a rule for exceptions goes by set id that their filter knows. */
static bool raises(const struct scan *s, uint32_t id)
{
	const struct rule_state *r;

	if (id >= s->en->tables.n_patterns)
		return false;
	r = scan_state(s, s->en->tax->pattern_rule[id]);
	return r->where == WHERE_EXCEPTION && !r->context &&
	    prefilter_covers(s->en->tables.raised, id);
}

/* Who goes by set id: added to *l, unless it is a rule that floods. Whether a
 * hit there is among its last. */
static bool judge_set(
    struct scan *s, struct flood_literal *l, uint32_t id, size_t pos)
{
	const struct engine *en = s->en;
	struct rule_state *r;

	if (id >= en->tables.n_patterns) {
		unsigned kind = en->tables.extra[id - en->tables.n_patterns];

		l->by |= kind == SIGNAL_MESSAGE ? BY_MESSAGE
		    : kind == SIGNAL_BLOCK      ? BY_REPORT
						: BY_RULE;
		return false;
	}
	r = scan_state(s, en->tax->pattern_rule[id]);
	if (scan_floods(r) && !r->context) {
		if (is_late(s, r, pos))
			return true;
		l->vain |= r->hits < FLOOD;
	} else if (!scan_for_blocks(r)) {
		l->by |= raises(s, id) ? BY_EXCEPTION : BY_RULE;
	}
	return false;
}

/* Who goes by a hit, in a walk from behind. */
static unsigned judge(struct scan *s, const struct prefilter_hit *h)
{
	struct flood_literal *l = &s->flood.literals[h->literal];
	struct flood_literal now = { .block = s->flood.block };
	bool late = false;
	const uint32_t *id;
	size_t n;

	if (l->block != now.block) {
		id = prefilter_ids(s->en->prefilter, h, &n);
		for (size_t i = 0; i < n; i++)
			late |= judge_set(s, &now, id[i], h->pos);
		s->flood.vain |= now.vain;
		if (late)
			return BY_RULE;
		*l = now;
	}
	s->flood.vain |= l->vain;
	return l->by;
}

/* Who goes by a hit now. */
static unsigned judge_now(struct scan *s, const struct prefilter_hit *h)
{
	unsigned by = judge(s, h);

	return h->pos < s->said.from ? by & ~(unsigned)BY_MESSAGE : by;
}

/* Stamp the rules that a hit nominates. */
static void stamp_hit(struct scan *s, struct prefilter_hit hit)
{
	const uint32_t *id;
	size_t n;

	hit.literal &= ~MARK;
	id = prefilter_ids(s->en->prefilter, &hit, &n);
	for (size_t i = 0; i < n; i++)
		if (id[i] < s->en->tables.n_patterns)
			s->stamps[id[i]] = s->stamp;
}

/* The same for those in [from, to) of the block; from *k on, which is moved
 * behind them. */
static void stamp(struct scan *s, size_t *k, size_t from, size_t to)
{
	const struct prefilter_hits *h = &s->hits;

	s->stamp++;
	for (; *k < h->n && h->v[*k].pos < to; ++*k)
		if (h->v[*k].pos >= from)
			stamp_hit(s, h->v[*k]);
}

/* Whether a hit of the filter for exceptions is of a rule that is nominated in
 * its line, which ends at `to`, and does not flood or is among its last. */
static bool is_live(
    const struct scan *s, const struct prefilter_hit *h, size_t to)
{
	size_t n;
	const uint32_t *id = prefilter_ids(s->en->tables.raised, h, &n);

	for (size_t i = 0; i < n; i++)
		if (s->stamps[id[i]] == s->stamp &&
		    to > s->rules[s->en->tax->pattern_rule[id[i]]].cut)
			return true;
	return false;
}

/* Search for exceptions the lines that have a hit of those that raises tells;
 * NULL: that is marked. */
static int search(const struct scan *s, struct span text,
    const struct prefilter_hits *h, const bool *raises,
    struct prefilter_hits *found)
{
	const struct prefilter *raised = s->en->tables.raised;
	size_t from = 0, to = 0, nl = 0, begin = 0, end = 0;

	found->n = 0;
	for (size_t i = 0; i < h->n; i++) {
		struct prefilter_hit hit = h->v[i];

		if (hit.pos < to ||
		    !(raises ? raises[hit.literal] : hit.literal & MARK))
			continue;
		around_near(text, hit.pos, &nl, &from, &to);
		if (from > end + NEAR) {
			if (prefilter_find_on(raised, text, begin, end, found))
				return -1;
			begin = from;
		}
		end = to;
	}
	return prefilter_find_on(raised, text, begin, end, found);
}

int scan_find_raised(
    const struct scan *s, struct span text, struct scan_found *found)
{
	const struct prefilter_hits *h = &found->hits;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += s->flood.raises[h->v[i].literal];
	found->has_raised = n > text.n / MARKED_EACH;
	return found->has_raised
	    ? search(s, text, h, s->flood.raises, &found->raised)
	    : 0;
}

/* Leave only those hits of the filter for exceptions. */
static int find_raised(struct scan *s)
{
	struct span text = s->block->text;
	size_t from = 0, to = 0, nl = 0, kept = 0, k = 0;

	if (!s->flood.known && search(s, text, &s->hits, NULL, &s->raised))
		return -1;
	for (size_t i = 0; i < s->raised.n; i++) {
		struct prefilter_hit h = s->raised.v[i];

		if (h.pos >= to) {
			around_near(text, h.pos, &nl, &from, &to);
			stamp(s, &k, from, to);
		}
		/* in no line, and whether it is seen depends on the next */
		if (h.pos + prefilter_length(s->en->tables.raised, &h) > to)
			continue;
		if (is_live(s, &h, to))
			s->raised.v[kept++] = h;
	}
	s->raised.n = kept;
	return 0;
}

/* A line where a rule for exceptions may find one. */
struct place {
	size_t hit, from, to, nl;
};

/* Whether pos, which is not before the last one, is in such a line. */
static bool in_place(const struct scan *s, struct place *p, size_t pos)
{
	for (; p->to <= pos && p->hit < s->raised.n; p->hit++) {
		size_t at = s->raised.v[p->hit].pos;

		if (at >= p->to)
			around_near(
			    s->block->text, at, &p->nl, &p->from, &p->to);
	}
	return p->from <= pos && pos < p->to;
}

/* Who goes by a hit now; one that only rules for exceptions go by is marked,
 * and counted, as is one that begins a report. */
static unsigned mark_hit(struct scan *s, struct prefilter_hit *hit,
    uint32_t *marked, uint32_t *reports)
{
	unsigned by = judge_now(s, hit);

	if (by == BY_EXCEPTION) {
		hit->literal |= MARK;
		++*marked;
	}
	*reports += by & BY_REPORT ? 1 : 0;
	return by;
}

/* Mark the hits that only rules for exceptions go by, and drop what nobody goes
 * by. Whether many are marked, and in lines of their own: all of a report is
 * looked at as it is. */
static bool mark(struct scan *s, struct prefilter_hits *h)
{
	size_t n = s->block->text.n, to = h->n;
	uint32_t marked = 0, reports = 0;

	for (size_t i = h->n; i-- > 0;) {
		struct prefilter_hit hit = h->v[i];

		if (mark_hit(s, &hit, &marked, &reports))
			h->v[--to] = hit;
	}
	h->n -= to;
	memmove(h->v, h->v + to, h->n * sizeof *h->v);
	return marked > n / MARKED_EACH + reports;
}

/* Drop marked hits where no rule for exceptions would find one. */
static void drop_marked(struct scan *s, struct prefilter_hits *h, bool all)
{
	struct place place = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct prefilter_hit hit = h->v[i];
		bool marked = hit.literal & MARK;

		hit.literal &= ~MARK;
		if (all || !marked || in_place(s, &place, hit.pos))
			h->v[kept++] = hit;
	}
	h->n = kept;
}

/* What is so of a literal whatever the log. */
static int know_literals(struct scan *s)
{
	const struct prefilter *pf = s->en->prefilter;
	size_t n = prefilter_literals(pf), n_ids;

	if (!s->flood.literals)
		s->flood.literals = calloc(n, sizeof *s->flood.literals);
	s->flood.raises = calloc(n, sizeof *s->flood.raises);
	if (!s->flood.literals || !s->flood.raises)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		const struct prefilter_hit any = { .literal = i };
		const uint32_t *id = prefilter_ids(pf, &any, &n_ids);

		while (n_ids-- > 0)
			s->flood.raises[i] |= raises(s, id[n_ids]);
	}
	return 0;
}

/* Each block anew. */
static int begin(struct scan *s)
{
	if (!s->flood.raises && know_literals(s))
		return -1;
	s->flood.block++;
	s->flood.vain = false;
	for (size_t i = 0; i < s->en->tax->n_rules; i++)
		s->rules[i].late = s->rules[i].cut = 0;
	return 0;
}

/* The last hits of rules have been seen. */
static void cut_late(struct scan *s)
{
	uint64_t keep = s->en->limits->v[LIMIT_RULE_HITS];

	for (size_t i = 0; i < s->en->tax->n_rules; i++)
		if (s->rules[i].late < keep)
			s->rules[i].cut = 0;
}

static void tell_vain(struct scan *s)
{
	if (s->flood.vain)
		findings_note(s->f,
		    "limit confirm: some rules were run on parts of the log "
		    "only");
}

int scan_thin(struct scan *s)
{
	bool many;

	s->flood.raised = false;
	s->flood.apart -= s->flood.apart > 0;
	if (!s->flooded || !s->hits.n)
		return 0;
	if (begin(s))
		return -1;
	many = mark(s, &s->hits);
	cut_late(s);
	s->flood.raised = many;
	if (many && find_raised(s))
		return -1;
	drop_marked(s, &s->hits, !many);
	tell_vain(s);
	return 0;
}

/* ---- line by line ---- */

/* A walk over the lines of a block, from behind. */
struct walk {
	size_t marked, reports; /* as in mark */
	size_t lines, known;
};

/* Whether a rule for exceptions that the hits nominate in a line, which ends at
 * `to`, would find one. */
static bool lives(struct scan *s, const struct line_found *f,
    const struct prefilter_hit *hits, size_t n, size_t to)
{
	s->stamp++;
	for (size_t i = 0; i < n; i++)
		stamp_hit(s, hits[i]);
	for (size_t i = 0; i < f->n_raised; i++)
		if (is_live(s, &f->raised[i], to))
			return true;
	return false;
}

/* Put the hits of a line, which is at [from, to), that somebody goes by behind
 * s->hits; when there are none, there will be none of those before it that are
 * like it. 0, or -1: no memory. */
static int thin_line(
    struct scan *s, struct line_found *f, size_t from, size_t to)
{
	struct prefilter_hits *h = &s->hits;
	size_t first = h->n, kept = first;
	bool all;

	f->marked = f->reports = 0;
	for (size_t i = f->n_hits; i-- > 0;) {
		struct prefilter_hit hit = f->hits[i];

		hit.pos += (uint32_t)from;
		if (mark_hit(s, &hit, &f->marked, &f->reports) &&
		    prefilter_hits_add(h, hit))
			return -1;
	}
	all = !f->marked || lives(s, f, h->v + first, h->n - first, to);
	for (size_t i = first; i < h->n; i++) {
		struct prefilter_hit hit = h->v[i];

		if (!all && hit.literal & MARK)
			continue;
		hit.literal &= ~MARK;
		h->v[kept++] = hit;
	}
	h->n = kept;
	if (kept == first)
		f->block = s->flood.block;
	return 0;
}

static int walk(struct scan *s, struct walk *w)
{
	struct span text = s->block->text;
	size_t from, to = text.n;

	for (; to > 0; to = from ? from - 1 : 0) {
		const char *nl = memrchr(text.p, '\n', to);
		struct line_found *f;
		bool known;

		from = nl ? (size_t)(nl - text.p) + 1 : 0;
		if (from == to)
			continue;
		f = lines_find(
		    s->flood.lines, span_sub(text, from, to), &known);
		if (!f)
			return -1;
		w->lines++;
		w->known += known;
		if (f->block != s->flood.block && thin_line(s, f, from, to))
			return -1;
		w->marked += f->marked;
		w->reports += f->reports;
	}
	return 0;
}

static void reverse(struct prefilter_hits *h)
{
	for (size_t i = 0, k = h->n; i + 1 < k; i++) {
		struct prefilter_hit hit = h->v[i];

		h->v[i] = h->v[--k];
		h->v[k] = hit;
	}
}

bool scan_goes_by_lines(const struct scan *s)
{
	return s->flooded && s->en->prefilter && !s->en->every_line &&
	    !s->flood.apart;
}

int scan_thin_lines(struct scan *s)
{
	struct span text = s->block->text;
	struct walk w = { .lines = 0 };

	if (!scan_goes_by_lines(s))
		return 0;
	s->flood.apart = APART;
	if (memchr(text.p, '\r', text.n))
		return 0;
	if (!s->flood.lines)
		s->flood.lines = lines_new(&s->en->tables);
	s->hits.n = 0;
	if (!s->flood.lines || begin(s) || walk(s, &w))
		return -1;
	/* else all that is marked is to be looked at */
	if (w.marked <= text.n / MARKED_EACH + w.reports)
		return 0;
	if (w.known >= w.lines / 2)
		s->flood.apart = 0;
	reverse(&s->hits);
	cut_late(s);
	s->flood.raised = true;
	tell_vain(s);
	return 1;
}
