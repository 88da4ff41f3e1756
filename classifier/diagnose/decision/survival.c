/*
 * A fault that need not have ended anything is over when the run goes on: it
 * makes progress, trains, or comes to a normal end.
 */
#include "diagnose/decision/survival.h"
#include "diagnose/decision/ends.h"
#include "diagnose/decision/success.h"

#include <string.h>

/* A rule that lasts is seen again at most this many lines before the last
 * step that was printed. */
#define LASTING_GAP 30
/* Ordinary lines after a fault that need not have ended anything, which tell
 * that it has not. */
#define AT_LENGTH 160
/* Lines of a launch behind what it lived through. */
#define LAUNCH_ON 20
/* Lines that the message of an exception can go on for: TensorFlow quotes the
 * frames that built the graph in it. */
#define LONGEST_MESSAGE 600
/* Lines of a script behind those of what it ran: blank ones, rules, a date. */
#define SCRIPT_WORDS 8
/* times as many where other processes write into the same log */
#define OTHERS 10
/* Lines and bytes of a bar that is drawn once more. */
#define REDRAWN_LINES 1
#define REDRAWN_BYTES 512
/* Bytes of a log that a dying process can still write out. */
#define FLUSHED (9u << 10)

/* Whether the rule is still seen where the run last made a step. */
static bool lasts(const struct candidate *c)
{
	const struct findings *f = c->log;
	size_t i = f->n_evidence;

	while (i-- > 0) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->rule != c->evidence->rule)
			continue;
		/* the last tenth of the steps, where steps are counted */
		if (findings_progress_after(f->last, ev->before) &&
		    ev->before.epoch == f->last.epoch)
			return ev->before.step >= f->last.step / 10 * 9 - 1;
		return ev->line + LASTING_GAP >= f->last_line_of_progress;
	}
	return false;
}

/* The scheduler says that it ends the job or step. */
static bool step_ended(const struct candidate *c)
{
	return c->evidence && !c->event &&
	    c->evidence->rule->word_of == SPEAKER_SCHEDULER;
}

static uint64_t bytes_after(const struct candidate *c)
{
	return c->log->bytes - (c->event ? c->event->end : c->evidence->offset);
}

/* A process that dies writes out what its buffers held, so a little of its
 * earlier output can follow its last words; so can that of the other ranks. */
static bool last_words(const struct candidate *c)
{
	const struct findings *f = c->log;

	return !f->ended_well && bytes_after(c) < FLUSHED &&
	    (f->parallel || (c->event && c->event->uncaught) || step_ended(c) ||
		(f->exit_code > 0 && f->exit_line > c->last_line));
}

bool survival_passing(const struct candidate *c)
{
	const struct event *e = c->event;

	if (!c->evidence || c->evidence->rule->lasting ||
	    (!c->evidence->rule->generic &&
		c->evidence->rule->role != ROLE_FALLBACK))
		return false;
	return !e || e->kind != EVENT_TRACE ||
	    (e->frame.file && !e->user_frame);
}

/* A fault that need not have ended a process: a line that says so, or an
 * exception that was caught before the main program. */
static bool may_be_harmless(const struct candidate *c)
{
	return !c->event || c->event->kind == EVENT_BARE ||
	    (c->event->kind == EVENT_TRACE && !c->event->uncaught &&
		!c->log->parallel);
}

/* The main program's uncaught exception ends its process, and its children
 * with it: where no launcher started others, what goes on at length is another
 * launch. */
static bool died_alone(const struct candidate *c)
{
	return c->event && c->event->kind == EVENT_TRACE &&
	    c->event->uncaught && !c->event->thread && !c->log->peers;
}

/* Whether an exception says no more than stands in its line: it has no words,
 * or ends in what it quotes. */
static bool said_all(const char *words)
{
	return words &&
	    (!strpbrk(words, ": ") || words[strlen(words) - 1] == '\'');
}

/* Whether the log goes on behind it at length, and not with its message. */
static bool at_length(const struct candidate *c)
{
	return c->ordinary_after >
	    (candidates_importing(c) || said_all(c->event->exception)
		    ? AT_LENGTH
		    : LONGEST_MESSAGE);
}

/* Whether the log takes it back: it tells of the same thing's return. */
static bool taken_back(const struct candidate *c)
{
	const struct rule *r = c->evidence ? c->evidence->rule : NULL;
	const struct findings *f = c->log;

	for (size_t i = f->n_evidence; r && r->until && i-- > 0;) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->line <= c->last_line)
			return false;
		if (!strcmp(ev->rule->id, r->until) &&
		    (!ev->n_captures || !c->evidence->n_captures ||
			!strcmp(ev->captures[0].value,
			    c->evidence->captures[0].value)))
			return true;
	}
	return false;
}

/* The main program of one of several processes died, and their launcher ended
 * the others for it: these make steps until it does. */
static bool ended_the_others(const struct candidate *c)
{
	const struct findings *f = c->log;

	return f->parallel && c->event && c->event->kind == EVENT_TRACE &&
	    c->event->uncaught && c->event->complete && !c->event->thread &&
	    f->exit_code > 0 && f->exit_line >= f->last_line_of_progress;
}

/* A summary that says at any level that it is over: the level is of the
 * telling, not of what is told. */
static bool gives_up(const struct candidate *c)
{
	return c->died && c->evidence && c->evidence->rule->unexplained;
}

bool survival_script_ended(const struct candidate *c)
{
	const struct findings *f = c->log;

	return f->ended_script &&
	    c->ordinary_after <= SCRIPT_WORDS + f->lines - f->ended_line;
}

/* Whether steps were made behind it. A bar is drawn once more when its program
 * ends. */
static bool trained_after(const struct candidate *c)
{
	return c->log->last_line_of_progress > c->last_line &&
	    (c->ordinary_after > REDRAWN_LINES ||
		bytes_after(c) > REDRAWN_BYTES);
}

/* Why the run went on after this, or NULL. */
static const char *survived(const struct candidate *c, bool elsewhere)
{
	const struct findings *f = c->log;
	struct progress before = candidates_before(c);
	bool trained = trained_after(c);
	/* a bar that is drawn over itself is few lines and many bytes */
	bool long_after =
	    f->last_line_of_progress > c->last_line + EPISODE_GAP ||
	    (trained && died_alone(c) && bytes_after(c) >= FLUSHED);
	bool known = before.step >= 0 || before.epoch >= 0;

	if (taken_back(c))
		return "the log says that it was over before the end";
	if (f->served_line > c->last_line && c->speaker == SPEAKER_JOB)
		return "the server did what it was asked for after it";
	if (trained && !f->parallel && candidates_importing(c) &&
	    (f->last.step >= 0 || f->last.epoch >= 0))
		return "the run trained after it";
	/* what a program has hardly printed before it may be written late */
	if (trained && (!known || findings_progress_after(f->last, before)) &&
	    (c->aside != ASIDE_NONE ||
		(c->handled == HANDLED_SURELY &&
		    c->ordinary_before > NEAR / 2)))
		return "it ended nothing, and the run made progress after it";
	if ((c->evidence && c->evidence->rule->lasting && lasts(c)) ||
	    (last_words(c) && !(died_alone(c) && at_length(c))) ||
	    ended_the_others(c))
		return NULL;
	if (trained && findings_progress_after(f->last, before))
		return "the run made progress after it";
	if (trained &&
	    (survival_passing(c) || (!c->event && long_after) ||
		(may_be_harmless(c) && !c->died && !f->parallel &&
		    bytes_after(c) >= FLUSHED)))
		return "the run trained after it";
	if (f->done_line > c->last_line && bytes_after(c) >= FLUSHED)
		return "the log goes on to say that the work was done";
	if (long_after && f->parallel && c->event &&
	    c->ordinary_after > 2 * AT_LENGTH)
		return "the others of the run trained on at length";
	if (died_alone(c) && (long_after || at_length(c)))
		return "it ended an earlier launch: another went on at length";
	if (elsewhere && !f->ended_well && may_be_harmless(c))
		return "the other stream of the process ends well";
	/* a shell that says only that its child was killed goes on */
	if (may_be_harmless(c) && (!c->died || c->claim == CLAIM_FALLBACK) &&
	    c->ordinary_after > (f->parallel ? OTHERS : 1) * AT_LENGTH)
		return "the log goes on at length after it";
	if (f->ended_line <= c->last_line || gives_up(c) ||
	    survival_script_ended(c))
		return NULL;
	if (trained &&
	    (known || long_after || may_be_harmless(c) ||
		bytes_after(c) >= FLUSHED))
		return "the run trained after it and ended well";
	/* an indented line is mostly part of a listing */
	if (may_be_harmless(c) &&
	    (survival_passing(c) || c->event ||
		f->lines > c->last_line + EPISODE_GAP ||
		(!f->ended_script && c->ordinary_after > NEAR / 2) ||
		(c->evidence->text_len && c->evidence->text[0] == ' ')))
		return "the log goes on to a normal end";
	return NULL;
}

/* Whether the launch that c came before is but the next step of its script: it
 * is only likely to be one, and ends of what a step that died can have left
 * undone. */
static bool next_step(const struct ranking *r, const struct candidate *c)
{
	const struct findings *f = c->log;
	size_t at = findings_last_launch(f);

	if (!f->launches[at].likely || findings_launch_of(f, c->line) + 1 != at)
		return false;
	for (const struct candidate *k = c + 1;
	     k < r->v + r->n && k->log_at == c->log_at; k++)
		if (k->died && k->line >= f->launches[at].first_line &&
		    k->claim <= CLAIM_UNCAUGHT &&
		    (!k->event || candidates_other_program(c, k)) &&
		    ends_follows(r->tax, k, c, true))
			return true;
	return false;
}

static bool superseded(const struct ranking *r, const struct candidate *c)
{
	return findings_superseded(c->log, c->line) && !next_step(r, c);
}

/* Whether a workflow says behind it, where a stack may stand between, that it
 * gives up because of it; or before it, and shows what its step printed; or
 * whether c says so itself. */
static bool given_up(const struct ranking *r, const struct candidate *c)
{
	const struct candidate *end = r->v + r->n;

	for (const struct candidate *k = c; k < end && k->log_at == c->log_at &&
	     candidates_between(c, k) <= EPISODE_GAP;
	     k++)
		if (gives_up(k))
			return true;
	for (const struct candidate *k = c; k-- > r->v &&
	     k->log_at == c->log_at && candidates_between(k, c) <= AT_LENGTH;)
		if (gives_up(k))
			return true;
	return false;
}

static void judge(const struct ranking *r, struct candidate *c, bool elsewhere)
{
	bool warning = c->event ? c->event->warning
				: c->evidence->warning &&
		!(c->log->passed_on && c->evidence->information);

	/* its last word, but for the answer that the server gave */
	if (c->event && c->event->request && c->claim <= CLAIM_UNCAUGHT &&
	    c->ordinary_after <= 1) {
		c->claim = CLAIM_WARNED;
		return;
	}
	if (c->event && c->event->ignored) {
		c->claim = CLAIM_BACKGROUND;
		c->why = "raised where it ends nothing, and ignored";
		return;
	}
	if (c->handled && given_up(r, c))
		c->handled = HANDLED_NOT;
	c->why = superseded(r, c) ? findings_of_sweep(c->log, c->line)
		? "it ended one run of several that are meant to differ, and "
		  "others came after it"
		: "it ended an earlier launch"
	    : c->line <= c->log->reported_to
	    ? "the batch system reports that this job, or a later one of the "
	      "log, ended well"
	    : given_up(r, c) ? NULL
			     : survived(c, elsewhere);
	if (!c->why)
		c->why = success_torn_down(c);
	if (c->why)
		c->claim = CLAIM_BACKGROUND;
	else if (warning && c->claim != CLAIM_CONFIRMATION &&
	    !(c->evidence && c->evidence->rule->lasting))
		c->claim = (candidates_specific(c) ||
			       c->speaker != SPEAKER_JOB || gives_up(c)) &&
			(c->died || !(c->evidence && c->evidence->information))
		    ? CLAIM_WARNED
		    : CLAIM_BACKGROUND;
	if (c->claim == CLAIM_BACKGROUND && !c->why)
		c->why = "logged as a warning, not as an error";
}

/* Whether the other stream of the same process ends well. */
static bool ends_well_elsewhere(
    const struct diagnosis *d, const struct candidate *c)
{
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i] != c->log && d->logs[i]->rank == c->log->rank &&
		    d->logs[i]->ended_well)
			return true;
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether two lines tell the same, whatever their numbers are. */
static bool same_words(const struct evidence *a, const struct evidence *b)
{
	const char *x = a->text, *y = b->text;

	if (a->rule != b->rule)
		return false;
	for (;; x++, y++) {
		while (*x && !is_letter(*x))
			x++;
		while (*y && !is_letter(*y))
			y++;
		if (*x != *y || !*x)
			return *x == *y;
	}
}

/* A line that need not end anything. */
static bool only_tells(const struct candidate *c)
{
	return c->evidence && !c->died && !c->evidence->rule->lasting &&
	    (!c->event || c->event->kind == EVENT_BARE);
}

/* Whether the launch of a candidate went on behind it. */
static bool launch_went_on(const struct candidate *c)
{
	const struct findings *f = c->log;
	size_t k = findings_launch_of(f, c->line);

	return f->n_launches &&
	    f->launches[k].last_line >= c->last_line + LAUNCH_ON;
}

/* Whether the log told the same before, and the run went on; *other: it was an
 * earlier launch. */
static bool lived_through_before(const struct ranking *r, size_t i, bool *other)
{
	for (size_t k = i; k-- > 0 && r->v[k].log_at == r->v[i].log_at;) {
		const struct candidate *c = &r->v[k];

		*other = findings_superseded(c->log, c->line);
		if (c->why && only_tells(c) && (!*other || launch_went_on(c)) &&
		    same_words(c->evidence, r->v[i].evidence))
			return true;
	}
	return false;
}

/* Whether what comes behind it can be the answer in its stead. */
static bool other_behind(const struct ranking *r, size_t i)
{
	for (size_t k = i + 1; k < r->n && r->v[k].log_at == r->v[i].log_at;
	     k++)
		if (!r->v[k].why && r->v[k].claim <= CLAIM_CONSEQUENCE &&
		    (r->v[k].died || r->v[k].claim == CLAIM_ROOT) &&
		    !candidates_same_category(&r->v[k], &r->v[i]))
			return true;
	return false;
}

/* What looks like an exception, and names only a class of error. */
static bool says_little(const struct candidate *c)
{
	return c->evidence->rule->generic &&
	    c->evidence->rule->where != WHERE_LINE;
}

/* What a run has lived through is no reason to end, when it comes again and
 * something else can be, or when it says little. */
static void settle_habits(struct ranking *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];
		bool other = false;

		if (!c->why && only_tells(c) && c->claim <= CLAIM_FALLBACK &&
		    lived_through_before(r, i, &other) &&
		    ((says_little(c) && (!other || c->ordinary_after)) ||
			other_behind(r, i) || (other && c->ordinary_after)))
			candidates_lose(
			    c, "the run had lived through the same before");
	}
}

void survival_judge(struct ranking *r)
{
	for (size_t i = 0; i < r->n; i++)
		judge(r, &r->v[i], ends_well_elsewhere(r->d, &r->v[i]));
	settle_habits(r);
}
