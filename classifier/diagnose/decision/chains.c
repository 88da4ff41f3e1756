/* Pair by pair, from the first of a chain to its last. */
#include "diagnose/decision/chains.h"

#include "diagnose/decision/ends.h"
#include "diagnose/signals/chained.h"

static struct candidate *of_event(struct ranking *r, const struct event *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].event == e)
			return &r->v[i];
	return NULL;
}

static struct span message(const struct candidate *c)
{
	return span_of(c->event->exception);
}

static bool is(
    const struct ranking *r, const struct candidate *c, enum signal_chained act)
{
	return chained_tells(r->tax, act, message(c));
}

/* Frames from the handler to where the exception came up that make a look
 * whether something is there, which a program does not expect to go deep. */
#define LOOK 4

/* Two exceptions of one chain, and what is known of the later one. */
struct pair {
	struct candidate *first, *later;
	enum chain chain;
	/* the first is raised where a program looks, or to leave */
	bool probe;
	/* it came up in what tidies up; in the handler itself, which made a
	 * mistake; in what the handler called instead; for the first one */
	bool told_tidying, own_fault, fallback, wrapped;
};

/* Whether it came up in what tidies up. A library's exception that became
 * another in it did, too. */
static void find_tidying(struct ranking *r)
{
	for (size_t i = r->n; i-- > 0;) {
		struct candidate *c = &r->v[i], *prior;
		const struct event *e = c->event;

		if (!e || e->chain == CHAIN_NONE || e->prior == EVENT_NONE)
			continue;
		c->tidying |= e->arose.tidying ||
		    chained_tells(r->tax, CHAINED_CODE, span_of(e->frame.code));
		prior = of_event(r, &c->log->events[e->prior]);
		if (c->tidying && prior && prior->event->chain != CHAIN_NONE &&
		    !prior->event->user_frame)
			prior->tidying = true;
	}
}

/* What the frames tell of a pair. */
static struct pair look_at(const struct ranking *r, struct candidate *first,
    struct candidate *later, enum chain chain)
{
	const struct arose *from = &first->event->arose;
	const struct arose *to = &later->event->arose;
	struct pair p = { .first = first, .later = later, .chain = chain };
	bool leaving = is(r, first, CHAINED_LEAVING), known, here, look;

	p.probe = leaving || is(r, first, CHAINED_PROBE);
	if (chain != CHAIN_HANDLING || !first->event->complete)
		return p;
	known = from->outer && to->inner && to->how != RAISED_UNKNOWN;
	here = known && from->outer == to->inner;
	look = p.probe && (leaving || from->frames <= LOOK);
	/* it fails since the first one did, and would have had what it needs,
	 * or not have been reached, without that */
	p.told_tidying =
	    later->tidying && !leaving && first->claim <= CLAIM_CONSEQUENCE;
	/* the handler itself fails, and does not raise it for the first one */
	p.own_fault = here && to->how == RAISED_OTHERWISE && !look;
	/* the handler raises what no rule knows, for the first one */
	p.wrapped = here && to->how == RAISED_BY_STATEMENT && !p.probe &&
	    (later->claim == CLAIM_UNCAUGHT || later->claim == CLAIM_UNKNOWN);
	/* what the handler calls instead fails */
	p.fallback = known && !here && look && later->claim == CLAIM_ROOT &&
	    (candidates_specific(later) ||
		!ends_follows(r->tax, later, first, false));
	return p;
}

/* Whether a rule states what failed. */
static bool states(const struct candidate *c)
{
	return c->claim == CLAIM_ROOT || c->claim == CLAIM_CONSEQUENCE;
}

/* Whether the later one says more. Look-ups that fail and are turned into
 * something else are everyday Python: the exception that ended the process
 * does, unless the first is known for certain, or it says itself that it only
 * follows, or says nothing at all. */
static bool says_more(const struct pair *p)
{
	const struct candidate *first = p->first, *later = p->later;

	if (p->told_tidying || (p->own_fault && states(first)) ||
	    (first->claim == CLAIM_CONSEQUENCE &&
		later->claim == CLAIM_UNCAUGHT))
		return false;
	if (p->fallback)
		return true;
	return later->claim < first->claim ||
	    (later->claim == first->claim &&
		later->claim != CLAIM_CONSEQUENCE &&
		!candidates_specific(first));
}

/* Where one came up while the other was handled, frames and classes tell which
 * one is the cause, or nothing does. */
static void doubt_pair(const struct pair *p, bool later_wins)
{
	struct candidate *first = p->first, *later = p->later;
	bool same = candidates_same_category(first, later);

	if (later_wins && first->doubt)
		later->doubt = first->doubt;
	if (p->chain != CHAIN_HANDLING || (same && later_wins))
		return;
	if (same && !first->event->user_frame)
		first->doubt = "less sure: a library raised it, and handled it";
	if (same)
		return;
	if (!later_wins && !p->wrapped && (p->probe || !p->told_tidying))
		first->doubt = "less sure: the last exception of its chain "
			       "says something else";
	if (later_wins &&
	    (p->own_fault ||
		(first->claim == CLAIM_ROOT &&
		    (!p->probe || candidates_specific(first)))))
		later->doubt = "less sure: another failure was handled when "
			       "it came up, which may be the cause";
}

/* Of two exceptions of one chain, keep the one that states the cause. */
static void settle_pair(const struct ranking *r, struct candidate *first,
    struct candidate *later, enum chain chain)
{
	struct pair p = look_at(r, first, later, chain);

	if (chain == CHAIN_ORIGINAL) { /* later is what first wraps */
		if (later->claim > first->claim && candidates_specific(first))
			candidates_lose(
			    later, "raised from the root exception");
		else
			candidates_lose(
			    first, "the wrapper of the original exception");
		return;
	}
	if (says_more(&p)) {
		doubt_pair(&p, true);
		candidates_lose(
		    first, "a later exception of its chain says more");
		return;
	}
	doubt_pair(&p, false);
	candidates_lose(later,
	    chain == CHAIN_HANDLING
		? "raised while the root exception was handled"
		: "raised from the root exception");
}

/* What became of the last of a chain became of all of it. */
static void settle_handled(struct ranking *r)
{
	for (size_t i = r->n; i-- > 0;) {
		const struct candidate *c = &r->v[i];
		const struct event *e = c->event;
		struct candidate *prior;

		if (!e || e->chain == CHAIN_NONE || e->prior == EVENT_NONE ||
		    c->handled == HANDLED_SURELY)
			continue;
		prior = of_event(r, &c->log->events[e->prior]);
		if (prior && prior->handled > c->handled)
			prior->handled = c->handled;
	}
}

/* The head of a chain so far, without those that lost; *chain: how it is tied
 * to the one that e is of. NULL: there is none. */
static struct candidate *head_of(
    struct ranking *r, const struct candidate *later, enum chain *chain)
{
	const struct event *e = later->event;
	struct candidate *first;

	*chain = e->chain;
	for (;;) {
		const struct event *prior = &later->log->events[e->prior];

		/* what was caused by what came up in a handler did so, too */
		if (e->chain == CHAIN_HANDLING && *chain == CHAIN_CAUSE)
			*chain = CHAIN_HANDLING;
		first = of_event(r, prior);
		e = prior;
		if (!first || !first->why || e->chain == CHAIN_NONE ||
		    e->prior == EVENT_NONE)
			return first && first->why ? NULL : first;
	}
}

void chains_settle(struct ranking *r)
{
	settle_handled(r);
	find_tidying(r);
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *later = &r->v[i], *first;
		enum chain chain;

		if (!later->event || later->event->chain == CHAIN_NONE ||
		    later->event->prior == EVENT_NONE)
			continue;
		first = head_of(r, later, &chain);
		if (first && !later->why)
			settle_pair(r, first, later, chain);
	}
}
