/*
 * What made it the answer, and what speaks against it, in words. How much each
 * doubt weighs held on logs of other sources than it was found on:
 * tests/accuracy/calibrate.py.
 */
#include "diagnose/decision/certainty.h"
#include "diagnose/decision/ends.h"

/* Lines that an epilog and the last commands of a script write. */
#define TRAILER 10

static void say(struct ranking *r, const char *text)
{
	struct diagnosis *d = r->d;

	if (d->n_because < BECAUSE_MAX)
		d->because[d->n_because++] = text;
}

/* ---- what made it the answer ---- */

static const char *how_it_ended(const struct candidate *c)
{
	static const char *const said[SPEAKER_COUNT] = {
		[SPEAKER_SCHEDULER] = "the scheduler says what ended the job",
		[SPEAKER_KERNEL] = "the kernel says what it ended",
		[SPEAKER_RUNTIME] = "the container's runtime says what failed",
	};
	const struct event *e = c->event;

	if (c->claim == CLAIM_NODE)
		return "the log of a node of the job tells of it, right before "
		       "the job died";
	if (said[c->speaker])
		return said[c->speaker];
	if (e && e->request)
		return "a server's request ended of it, which was its last "
		       "one, and nothing else speaks";
	if (c->claim == CLAIM_WARNED)
		return "it was logged as a warning, and nothing else speaks";
	if (e && e->kind == EVENT_BLOCK)
		return "a process ended itself here";
	if (e && e->kind == EVENT_TRACE && e->uncaught)
		return "the program ended on this exception, which nothing "
		       "caught";
	if (e && e->kind == EVENT_TRACE)
		return c->ordinary_after
		    ? "an exception that nothing shows to have been handled"
		    : "an exception, and no ordinary output comes behind it";
	if (c->died)
		return "this is printed when a process ends";
	return c->ordinary_after ? "a line that names a cause"
				 : "the last words of the log";
}

/* The end in the same log that the answer explains, or NULL. */
static const struct candidate *explained(
    const struct ranking *r, const struct candidate *win)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct candidate *c = &r->v[i];

		if (c->log_at == win->log_at && c->line > win->last_line &&
		    c->died && !c->why && c->claim <= CLAIM_UNKNOWN &&
		    !candidates_same_category(c, win) &&
		    ends_explains(r->tax, win, c))
			return c;
	}
	return NULL;
}

static void say_why(struct ranking *r, const struct candidate *win)
{
	bool others = false, wrapped = false;

	for (size_t i = 0; i < r->n; i++) {
		const struct candidate *c = &r->v[i];

		others |= c != win && !c->why &&
		    c->claim <= CLAIM_CONSEQUENCE &&
		    (c->log_at != win->log_at || c->rank != win->rank);
		wrapped |= c->event && win->event && c->why &&
		    win->event->prior != EVENT_NONE && c->log == win->log &&
		    c->event == &win->log->events[win->event->prior];
	}
	say(r, how_it_ended(win));
	if (wrapped)
		say(r, "what it was raised from, or wrapped in, says less");
	if (explained(r, win))
		say(r,
		    "what ended the process comes right behind it, and can "
		    "follow from it");
	if (others)
		say(r,
		    "no other process ended of a cause of its own before it");
}

/* ---- what speaks against it ---- */

static bool confirmed(const struct ranking *r, const struct candidate *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].claim == CLAIM_CONFIRMATION &&
		    c->claim != CLAIM_CONFIRMATION &&
		    candidates_same_category(&r->v[i], c))
			return true;
	return false;
}

/* Whether a runtime reports an end: its stack follows. */
static bool dumped(const struct candidate *c)
{
	return c->event && c->event->kind == EVENT_BLOCK;
}

static bool main_ended(const struct candidate *c)
{
	return c->event && c->event->kind == EVENT_TRACE && c->event->uncaught;
}

/* Whether the log goes on to the end of another program, which may be the one
 * that counts. */
static bool ended_again(
    const struct candidate *c, const struct candidate *later)
{
	return c->died && later->claim <= CLAIM_UNCAUGHT && main_ended(later) &&
	    later->log_at == c->log_at && later->line > c->last_line &&
	    candidates_between(c, later) > 0;
}

/* Whether another cause is told that could not be set aside. That a later step
 * of the script can miss what this one should have written sets none aside: it
 * may have failed of its own. */
static bool disputed(const struct ranking *r, const struct candidate *c)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct candidate *o = &r->v[i];

		if (o == c || o->why || candidates_same_category(o, c))
			continue;
		/* ranks die of their own, but of one program */
		if (c->log->parallel && !candidates_importing(c) &&
		    !candidates_other_program(o, c))
			continue;
		if ((o->claim == CLAIM_ROOT &&
			!ends_follows(r->tax, o, c, false)) ||
		    ended_again(c, o))
			return true;
	}
	return false;
}

/* Whether an end that can follow from it comes behind it in the same log. */
static bool ends_on(const struct ranking *r, const struct candidate *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].log_at == c->log_at &&
		    r->v[i].line > c->last_line && !r->v[i].why &&
		    r->v[i].claim <= CLAIM_UNKNOWN)
			return true;
	return false;
}

/* Whether the class of the exception says the same as the words of its
 * message. */
static bool class_agrees(const struct candidate *c)
{
	const struct rule *said = c->evidence->rule;

	for (size_t i = 0; c->event && i < c->log->n_evidence; i++) {
		const struct evidence *ev = &c->log->evidence[i];

		if (ev->event == c->evidence->event && ev->rule->generic &&
		    ev->rule->weight < said->weight &&
		    ev->rule->category == said->category)
			return true;
	}
	return false;
}

/* Lower it by so many steps, and say why. */
static void doubt(struct ranking *r, int *sure, int steps, const char *why)
{
	if (*sure <= CONFIDENCE_LOW || steps <= 0)
		return;
	*sure -= steps;
	say(r, why);
}

static int root_confidence(struct ranking *r, const struct candidate *c)
{
	bool alone = !c->log->parallel;
	int sure = CONFIDENCE_HIGH;

	if (!candidates_specific(c))
		doubt(r, &sure, 1, "less sure: it names only a class of error");
	if (!c->event && !c->died && c->ordinary_after > 0)
		doubt(r, &sure, sure - CONFIDENCE_MEDIUM,
		    "less sure: such a line need not end a process");
	if (c->aside != ASIDE_NONE && c->ordinary_after > 0 && !ends_on(r, c))
		doubt(r, &sure, sure - CONFIDENCE_LOW,
		    "less sure: it need not end a job, and output comes behind "
		    "it");
	if (candidates_importing(c) && c->ordinary_after > TRAILER)
		doubt(r, &sure, sure - CONFIDENCE_LOW,
		    "less sure: a program that misses a module may go on "
		    "without, and output comes behind it");
	/* other processes of a log go on for a while */
	else if (c->ordinary_after > (alone ? EPISODE_GAP / 2 : EPISODE_GAP))
		doubt(r, &sure, alone ? 2 : 1,
		    "less sure: much output comes behind it");
	else if (c->ordinary_after > TRAILER && alone && !dumped(c))
		doubt(r, &sure, sure - CONFIDENCE_MEDIUM,
		    "less sure: output comes behind it");
	if (candidates_caught(c->event) && c->ordinary_after > NEAR / 2 &&
	    !ends_on(r, c))
		doubt(r, &sure, sure - CONFIDENCE_MEDIUM,
		    "less sure: it was caught, and output comes behind it");
	if (c->event && c->event->last)
		doubt(r, &sure, sure - CONFIDENCE_LOW,
		    "less sure: only the last words of the log, or of a "
		    "program that it quotes, say so");
	if (c->doubt)
		doubt(r, &sure, 1, c->doubt);
	else if (disputed(r, c))
		doubt(r, &sure, 1,
		    "less sure: the log tells another failure, which need not "
		    "follow from it");
	return sure;
}

void certainty_judge(struct ranking *r, const struct candidate *win)
{
	int most =
	    win->evidence ? win->evidence->rule->confidence : CONFIDENCE_LOW;
	int sure = CONFIDENCE_LOW;

	/* what only its words tell is told twice where its class agrees */
	if (most < CONFIDENCE_HIGH && win->evidence && class_agrees(win))
		most++;
	say_why(r, win);
	if (confirmed(r, win)) {
		sure = CONFIDENCE_HIGH;
		say(r, "other lines confirm it");
	} else if (win->claim == CLAIM_NODE) {
		sure = win->log->of_node == NODE_SURE ? CONFIDENCE_HIGH
						      : CONFIDENCE_MEDIUM;
	} else if (win->claim == CLAIM_ROOT) {
		sure = root_confidence(r, win);
	} else if (win->claim == CLAIM_UNCAUGHT && win->log->of_record) {
		sure = CONFIDENCE_MEDIUM;
	} else {
		say(r, "less sure: nothing states the cause outright");
	}
	if (sure > most)
		doubt(r, &sure, sure - most,
		    "less sure: what this rule matches is often something "
		    "else");
	r->d->confidence =
	    sure > CONFIDENCE_LOW ? (enum confidence)sure : CONFIDENCE_LOW;
}
