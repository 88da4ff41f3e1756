/*
 * What a search of a block finds without a look at what came before it. The
 * look that takes it finds the same by itself where it was not asked for.
 */
#include "diagnose/evidence/scan_private.h"

/* What was so of a few blocks is so of the next, more often than not. */
#define ASK_ON 16

void scan_ask(const struct scan *s, struct scan_ask *ask)
{
	if (s->flood.raised)
		ask->raised = ASK_ON;
	else if (ask->raised)
		ask->raised--;
	ask->words = launches_searches(&s->launches);
	ask->lines = scan_goes_by_lines(s);
}

int scan_find(const struct scan *s, struct span text, struct scan_ask ask,
    struct scan_found *found)
{
	const struct engine *en = s->en;

	found->hits.n = 0;
	found->has_words = ask.words;
	if (ask.words)
		found->words = launches_find(&s->launches, text);
	found->has_raised = false;
	found->unsearched = ask.lines;
	if (ask.lines)
		return 0;
	if (en->prefilter && prefilter_find(en->prefilter, text, &found->hits))
		return -1;
	return en->prefilter && ask.raised ? scan_find_raised(s, text, found)
					   : 0;
}

static void swap_hits(struct prefilter_hits *a, struct prefilter_hits *b)
{
	struct prefilter_hits was = *a;

	*a = *b;
	*b = was;
}

static void take(struct scan *s, struct scan_found *found)
{
	swap_hits(&s->hits, &found->hits);
	if (found->has_raised)
		swap_hits(&s->raised, &found->raised);
	s->flood.known = found->has_raised;
}

int scan_take_hits(struct scan *s, struct scan_found *found)
{
	struct scan_found here = { .unsearched = true };
	int rc = 0;

	found = found ? found : &here;
	if (found->unsearched) {
		rc = scan_thin_lines(s);
		if (rc)
			return rc < 0 ? -1 : 0;
		swap_hits(&s->hits, &found->hits);
		rc =
		    scan_find(s, s->block->text, (struct scan_ask){ 0 }, found);
	}
	take(s, found);
	return rc ? -1 : scan_thin(s);
}
