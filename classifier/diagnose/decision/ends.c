/*
 * A process ends once. A line that it printed before, and an exception that it
 * caught, explain that end only if the one can follow from the other, and stand
 * right before it; else it has lived through them. An end that says nothing by
 * itself (no rule knows it, or only its class) is looked at with more patience.
 */
#include "diagnose/decision/ends.h"

#include <string.h>

/* Bytes of a name that two lines do not share by chance. */
#define NAME_LEAST 5
#define NAME_MOST 255

static const struct strings *followed_by(
    const struct taxonomy *tax, const struct rule *r)
{
	if (r->follows.n || r->category == TAXONOMY_NO_CATEGORY)
		return &r->follows;
	return &tax->categories[r->category].follows;
}

static bool follows_word(
    const struct taxonomy *tax, const struct rule *r, const char *word)
{
	const struct strings *s = followed_by(tax, r);
	size_t i = 0;

	while (i < s->n && strcmp(s->v[i], word) != 0)
		i++;
	return i < s->n;
}

/* Whether it can follow from any end; step: of a program that ran before. */
static bool follows_any(
    const struct taxonomy *tax, const struct rule *r, bool step)
{
	return !r || r->role == ROLE_CONSEQUENCE ||
	    follows_word(tax, r, FOLLOWS_ANYTHING) ||
	    (step && follows_word(tax, r, FOLLOWS_STEP));
}

bool ends_follows_from(const struct taxonomy *tax,
    const struct candidate *later, const struct candidate *first)
{
	size_t of = first->evidence ? first->evidence->rule->category
				    : TAXONOMY_NO_CATEGORY;

	return later->evidence && of != TAXONOMY_NO_CATEGORY &&
	    follows_word(tax, later->evidence->rule, tax->categories[of].id);
}

bool ends_follows(const struct taxonomy *tax, const struct candidate *later,
    const struct candidate *first, bool other_step)
{
	const struct rule *r = later->evidence ? later->evidence->rule : NULL;

	return follows_any(tax, r, other_step) ||
	    ends_follows_from(tax, later, first);
}

bool ends_follows_step(const struct taxonomy *tax, const struct candidate *c)
{
	return follows_any(tax, c->evidence ? c->evidence->rule : NULL, true);
}

/* Whether both may be of one process. */
static bool same_process(const struct candidate *a, const struct candidate *b)
{
	return a->log_at == b->log_at &&
	    (a->rank == b->rank || a->rank < 0 || b->rank < 0);
}

static bool lasting(const struct candidate *c)
{
	return c->evidence && c->evidence->rule->lasting;
}

/* Whether a process ended with it: as a cause, or as what has one. */
static bool ended(const struct candidate *c)
{
	return c->died && c->speaker == SPEAKER_JOB &&
	    (c->claim <= CLAIM_UNCAUGHT ||
		(c->claim == CLAIM_FALLBACK && c->evidence &&
		    c->evidence->rule->unexplained));
}

/* The end of the process that comes next after candidate i; or NULL. */
static const struct candidate *end_after(const struct ranking *r, size_t i)
{
	for (size_t k = i + 1; k < r->n && r->v[k].log_at == r->v[i].log_at;
	     k++) {
		const struct candidate *c = &r->v[k];

		if (ended(c) && c->first_line > r->v[i].last_line &&
		    same_process(c, &r->v[i]))
			return c;
	}
	return NULL;
}

bool ends_explains(const struct taxonomy *tax, const struct candidate *first,
    const struct candidate *later)
{
	uint64_t between = candidates_between(first, later);
	bool trace = first->event && first->event->kind == EVENT_TRACE;
	/* an exception can have ended a step before the program that died */
	bool step = later->event ? first->event && later->event->uncaught &&
		!later->event->thread && !candidates_importing(first)
				 : trace;

	if (trace && between <= NEAR && !candidates_specific(later))
		return true;
	return between <= (candidates_specific(later) ? NEAR : EPISODE_GAP) &&
	    ends_follows(tax, later, first, step);
}

/* What the candidate has to explain: the end, or what explains that already. */
static const struct candidate *nearest(const struct candidate *last,
    const struct candidate *c, const struct candidate *end)
{
	return last && last->log_at == c->log_at && last->line < end->line
	    ? last
	    : end;
}

/* What the process printed and went on after, until it ended; from the end of
 * each log to its start. */
static void settle_lines(struct ranking *r)
{
	const struct candidate *last = NULL; /* that explains an end */

	for (size_t i = r->n; i-- > 0;) {
		struct candidate *c = &r->v[i];
		const struct candidate *end;

		if (c->why || c->died || c->claim > CLAIM_UNCAUGHT ||
		    lasting(c))
			continue;
		end = end_after(r, i);
		if (!end)
			continue;
		if (candidates_told_twice(c, end))
			candidates_lose(c,
			    "the same failure, told right before its process "
			    "ended of it");
		else if (ends_explains(r->tax, c, nearest(last, c, end)))
			last = c;
		else
			candidates_lose(c,
			    "its process lived through it, and ended of "
			    "another failure");
	}
}

/* Whether the main program of a job of one process ended, and the job's script
 * went on to something else, which the scheduler ended. */
static bool went_on(const struct candidate *c, const struct candidate *word)
{
	return c->log_at == word->log_at && !c->log->peers && c->rank < 0 &&
	    candidates_between(c, word) > 0 &&
	    word->speaker == SPEAKER_SCHEDULER && c->event &&
	    c->event->kind == EVENT_TRACE && c->event->uncaught &&
	    !c->event->thread;
}

/* Whether a candidate had ended its process, and the job with it, before the
 * word of those who ended the job. */
static bool dead_before(const struct candidate *c, const struct candidate *word)
{
	uint64_t gap = EPISODE_GAP;

	if (went_on(c, word))
		return false;
	if (!c->died && (!c->event || c->event->kind != EVENT_TRACE))
		return false;
	/* an exception that is not known to be the end, but is the last word */
	if (!c->died)
		gap = NEAR;
	return c->log_at != word->log_at || c->log->parallel || c->rank >= 0 ||
	    candidates_between(c, word) <= gap;
}

static bool came_before(const struct candidate *c, const struct candidate *word)
{
	if (c->log_at == word->log_at)
		return c->line < word->line;
	return c->time == ENVELOPE_NO_TIME || word->time == ENVELOPE_NO_TIME ||
	    c->time <= word->time;
}

/* The word of those who ended the job beats what the job had printed before,
 * unless it was dead by then. */
static void settle_words(struct ranking *r)
{
	static const char *const why[SPEAKER_COUNT] = {
		[SPEAKER_SCHEDULER] = "the job lived through it: the scheduler "
				      "says what ended the job",
		[SPEAKER_KERNEL] =
		    "the job lived through it: the kernel says what it ended",
		[SPEAKER_RUNTIME] = "the job lived through it: the container's "
				    "runtime says what failed",
	};
	const struct candidate *word = NULL;

	for (size_t i = r->n; i-- > 0 && !word;)
		if (r->v[i].speaker != SPEAKER_JOB && !r->v[i].why &&
		    (r->v[i].claim == CLAIM_ROOT ||
			(r->v[i].speaker == SPEAKER_RUNTIME &&
			    r->v[i].claim == CLAIM_FALLBACK)) &&
		    !r->v[i].log->of_record)
			word = &r->v[i];
	if (!word)
		return;
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c->why || c->speaker != SPEAKER_JOB ||
		    c->claim > CLAIM_UNCAUGHT || c->log->of_record ||
		    !came_before(c, word) || dead_before(c, word))
			continue;
		candidates_lose(c, why[word->speaker]);
	}
}

/* Whether it was ended from outside, and not for what it does. */
static bool interrupted(const struct taxonomy *tax, const struct candidate *c)
{
	const struct rule *r = c->evidence ? c->evidence->rule : NULL;

	return r && r->category != TAXONOMY_NO_CATEGORY &&
	    !strcmp(tax->categories[r->category].family, FAMILY_EXTERNAL);
}

/* A failed cell of a notebook leaves undone what the cells behind it need, and
 * these are run all the same. */
static void settle_cells(struct ranking *r)
{
	struct candidate *first = NULL;

	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c->why || c->claim > CLAIM_UNCAUGHT || !c->event ||
		    !c->event->cell)
			continue;
		if (first && first->log_at == c->log_at && c->evidence &&
		    follows_word(r->tax, c->evidence->rule, FOLLOWS_CELL)) {
			candidates_lose(
			    c, "an earlier cell of the notebook had failed");
			if (!candidates_same_category(first, c))
				first->doubt = "less sure: a later cell says "
					       "something else";
		} else {
			first = interrupted(r->tax, c) ? NULL : c;
		}
	}
}

/* Bytes of a name up to what can stand behind one; 0: none begins here. */
static size_t name_at(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && (unsigned char)p[n] > ' ' &&
	    (unsigned char)p[n] < 0x7f && !strchr("'\"`:,;()[]", p[n]))
		n++;
	return n;
}

/* Whether c names a path, or another word with a mark in it, that the other
 * names, too. */
static bool names_same(const struct candidate *aside, const struct candidate *c)
{
	const struct evidence *a = aside->evidence, *b = c->evidence;
	const char *p = a ? a->text : NULL, *end = a ? p + a->text_len : NULL;
	char name[NAME_MOST + 1];

	for (size_t n; b && p < end; p += n + 1) {
		n = name_at(p, end);
		if (n < NAME_LEAST || n > NAME_MOST ||
		    !(memchr(p, '/', n) || memchr(p, '.', n)))
			continue;
		memcpy(name, p, n);
		name[n] = '\0';
		if (strstr(b->text, name))
			return true;
	}
	return false;
}

/* Whether c can follow from what was said aside before it: it misses the same
 * thing, or what should have been brought, or only tells that the script ended.
 */
static bool follows_aside(const struct taxonomy *tax, const struct candidate *c,
    const struct candidate *aside)
{
	if (aside->handled && candidates_between(aside, c) <= NEAR)
		return true;
	return candidates_same_category(c, aside) || names_same(aside, c) ||
	    (aside->handled &&
		(aside->handled == HANDLED_PERHAPS
			? ends_follows(tax, c, aside, true)
			: ends_follows_from(tax, c, aside))) ||
	    (c->evidence &&
		((aside->aside == ASIDE_BRINGS &&
		     follows_word(tax, c->evidence->rule, FOLLOWS_STEP)) ||
		    (c->evidence->rule->unexplained &&
			candidates_between(aside, c) <= NEAR)));
}

/* A script goes on behind a command that failed, unless it is told not to, and
 * a program without what is optional, or behind what it caught: what came to
 * an end behind it is the answer, if that cannot follow from it. */
static void settle_asides(struct ranking *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];
		bool other = false, follows = false;

		if ((c->aside == ASIDE_NONE && !c->handled) || c->why ||
		    c->claim > CLAIM_UNKNOWN)
			continue;
		for (size_t k = i + 1;
		     k < r->n && r->v[k].log_at == c->log_at && !follows; k++) {
			const struct candidate *o = &r->v[k];

			if (o->why || o->aside != ASIDE_NONE ||
			    (c->handled && o->handled) || !o->evidence ||
			    o->claim > CLAIM_UNKNOWN ||
			    (o->event && o->event->thread))
				continue;
			other = true;
			follows = follows_aside(r->tax, o, c);
		}
		if (other && !follows)
			candidates_lose(c,
			    c->handled
				? "it was caught, and the job went on to "
				  "another end"
				: "said by what need not end a job, which went "
				  "on to another end");
	}
}

void ends_settle(struct ranking *r)
{
	settle_asides(r);
	settle_cells(r);
	settle_lines(r);
	settle_words(r);
}
