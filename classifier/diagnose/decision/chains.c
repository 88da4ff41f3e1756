/* Pair by pair, from the first of a chain to its last. */
#include "diagnose/decision/chains.h"

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

/* Whether the later one arose in what tidies up after the first: it fails since
 * that did, and would not have been reached, or would have had what it needs,
 * without it. */
static bool tidies(const struct ranking *r, const struct candidate *first,
    const struct candidate *later)
{
	const struct event *e = later->event;

	if (e->chain != CHAIN_HANDLING || !first->event->complete ||
	    first->claim > CLAIM_CONSEQUENCE || is(r, first, CHAINED_LEAVING))
		return false;
	return e->tidying ||
	    chained_tells(r->tax, CHAINED_CODE, span_of(e->frame.code));
}

/* Whether the later one of a cause or of a handler says more. Look-ups that
 * fail and are turned into something else are everyday Python: the exception
 * that ended the process does, unless the first is known for certain, or it
 * says itself that it only follows, or says nothing at all. */
static bool says_more(const struct ranking *r, const struct candidate *first,
    const struct candidate *later)
{
	if (tidies(r, first, later) ||
	    (first->claim == CLAIM_CONSEQUENCE &&
		later->claim == CLAIM_UNCAUGHT))
		return false;
	return later->claim < first->claim ||
	    (later->claim == first->claim &&
		later->claim != CLAIM_CONSEQUENCE &&
		!candidates_specific(first));
}

/* Where one came up while the other was handled, frames and classes tell which
 * one is the cause, or nothing does. */
static void doubt_pair(const struct ranking *r, struct candidate *first,
    struct candidate *later, bool later_wins)
{
	bool expected = is(r, first, CHAINED_PROBE);

	if (later_wins && first->doubt)
		later->doubt = first->doubt;
	if (later->event->chain != CHAIN_HANDLING ||
	    candidates_same_category(first, later))
		return;
	if (!later_wins && (expected || !tidies(r, first, later)))
		first->doubt = "less sure: the last exception of its chain "
			       "says something else";
	if (later_wins && !expected && first->claim == CLAIM_ROOT &&
	    !is(r, first, CHAINED_LEAVING))
		later->doubt = "less sure: another failure was handled when "
			       "it came up, which may be the cause";
}

/* Of two exceptions of one chain, keep the one that states the cause. */
static void settle_pair(
    struct ranking *r, struct candidate *first, struct candidate *later)
{
	enum chain chain = later->event->chain;

	if (chain == CHAIN_ORIGINAL) { /* later is what first wraps */
		if (later->claim > first->claim && candidates_specific(first))
			candidates_lose(
			    later, "raised from the root exception");
		else
			candidates_lose(
			    first, "the wrapper of the original exception");
		return;
	}
	if (says_more(r, first, later)) {
		doubt_pair(r, first, later, true);
		candidates_lose(
		    first, "a later exception of its chain says more");
		return;
	}
	doubt_pair(r, first, later, false);
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

void chains_settle(struct ranking *r)
{
	settle_handled(r);
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *later = &r->v[i], *first;
		const struct event *e = later->event;

		if (!e || e->chain == CHAIN_NONE || e->prior == EVENT_NONE)
			continue;
		/* the head of the chain so far: skip those that lost */
		do {
			first = of_event(r, &later->log->events[e->prior]);
			e = &later->log->events[e->prior];
		} while (first && first->why && e->chain != CHAIN_NONE &&
		    e->prior != EVENT_NONE);
		if (first && !first->why && !later->why)
			settle_pair(r, first, later);
	}
}

/* ---- episodes ---- */
