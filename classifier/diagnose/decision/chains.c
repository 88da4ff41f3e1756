/* Pair by pair, from the first of a chain to its last. */
#include "diagnose/decision/chains.h"

static struct candidate *of_event(struct ranking *r, const struct event *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].event == e)
			return &r->v[i];
	return NULL;
}

/* Of two exceptions of one chain, keep the one that states the cause. */
static void settle_pair(
    struct candidate *first, struct candidate *later, enum chain chain)
{
	bool later_wins;

	switch (chain) {
	case CHAIN_ORIGINAL: /* later is what first wraps */
		later_wins =
		    later->claim <= first->claim || !candidates_specific(first);
		break;
	case CHAIN_CAUSE:
	case CHAIN_HANDLING:
		/* look-ups that fail and are turned into something else are
		 * everyday Python: the exception that ended the process says
		 * more, unless the first is known for certain, or it says
		 * itself that it only follows */
		later_wins = later->claim < first->claim ||
		    (later->claim == first->claim &&
			later->claim != CLAIM_CONSEQUENCE &&
			!candidates_specific(first));
		break;
	case CHAIN_NONE:
	default:
		return;
	}
	if (later_wins) {
		candidates_lose(first,
		    chain == CHAIN_ORIGINAL
			? "the wrapper of the original exception"
			: "a later exception of its chain says more");
		return;
	}
	first->doubted |= chain == CHAIN_HANDLING;
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
			settle_pair(first, later, later->event->chain);
	}
}

/* ---- episodes ---- */
