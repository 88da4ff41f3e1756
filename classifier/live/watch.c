/*
 * Rules and categories are looked for in the findings, and count once they are
 * seen: unless the line was logged as a warning or its block is known not to
 * matter.
 *
 * hang has three signs. Nothing at all comes for TIME. A rank that has talked
 * without such a pause for as long falls silent for TIME, while another one
 * goes on; ranks that only greet do not count. Or: a root failure was seen TIME
 * ago, nothing shows that the training went on since, and the command still
 * runs.
 */
#include "live/watch.h"

#include "base/buf.h"
#include "base/err.h"
#include "input/envelope.h"
#include "rules/redact.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 4096 /* that are watched */

enum kind { ON_RULE, ON_CATEGORY, ON_STALLED, ON_HANG };

struct act {
	enum kind kind;
	size_t index;   /* of the rule or category */
	double seconds; /* of stalled and hang */
	bool fired, taken;
	struct live_event event;
	char *on; /* owned: what event.on points to */
};

/* Since when a rank has talked without a long pause, and until when. */
struct talk {
	double since, last;
};

struct watch {
	const struct taxonomy *tax;
	const struct redactor *redact; /* or NULL */
	struct act *acts;
	size_t n_acts;
	double output;        /* when some came last */
	double hang;          /* the shortest TIME of a hang, or 0 */
	struct talk *ranks;   /* by number; last 0: never seen */
	size_t n_ranks;       /* highest seen, plus one */
	double failed;        /* when a root failure was seen, or 0 */
	uint64_t failed_line; /* of it, or of the last that was excused */
	struct progress before;
	char failure[LIVE_TEXT / 2];
	const struct rule *failure_rule;
};

/* "90s", "10m", "2h", "1d"; seconds without a letter. 0: it is none. */
static double read_time(const char *s)
{
	static const char letters[] = "smhd";
	static const double sizes[] = { 1, 60, 3600, 86400 };
	char *end;
	double n = strtod(s, &end);
	const char *unit = *end ? strchr(letters, *end) : letters;

	if (end == s || !unit || (*end && end[1]))
		return 0;
	n *= sizes[unit - letters];
	return n > 0 && n <= 30 * 86400.0 ? n : 0;
}

static int read_act(
    struct act *a, const struct taxonomy *tax, const char *spec, struct err *e)
{
	const char *eq = strrchr(spec, '=');
	const struct category *c;
	const struct rule *r;

	if (!eq || (strcmp(eq, "=warn") != 0 && strcmp(eq, "=stop") != 0))
		return err_set(
		    e, "--on %s: expected RULE=warn or RULE=stop", spec);
	a->on = span_dup((struct span){ spec, (size_t)(eq - spec) });
	if (!a->on)
		return err_nomem(e);
	a->event = (struct live_event){ .on = a->on,
		.stop = strcmp(eq, "=stop") == 0,
		.rule = "",
		.category = "",
		.verdict = "" };
	if (strncmp(a->on, "stalled:", 8) == 0 ||
	    strncmp(a->on, "hang:", 5) == 0) {
		a->kind = a->on[0] == 's' ? ON_STALLED : ON_HANG;
		a->seconds = read_time(strchr(a->on, ':') + 1);
		return a->seconds > 0
		    ? 0
		    : err_set(e, "--on %s: expected a time, as 90s, 10m or 2h",
			  spec);
	}
	r = taxonomy_rule(tax, a->on);
	c = taxonomy_category(tax, a->on);
	if (!r && !c)
		return err_set(e,
		    "--on %s: no such rule or category, and not stalled:TIME "
		    "or hang:TIME",
		    spec);
	a->kind = r ? ON_RULE : ON_CATEGORY;
	a->index = r ? r->number : (size_t)(c - tax->categories);
	return 0;
}

struct watch *watch_new(const struct live_options *o, double now, struct err *e)
{
	struct watch *w = calloc(1, sizeof *w);

	if (!w)
		goto nomem;
	w->tax = o->triage->taxonomy;
	w->redact = o->triage->redact;
	w->output = now;
	w->acts = calloc(o->n_on + 1, sizeof *w->acts);
	if (!w->acts)
		goto nomem;
	for (size_t i = 0; i < o->n_on; i++) {
		struct act *a = &w->acts[w->n_acts++];

		if (read_act(a, w->tax, o->on[i], e)) {
			watch_free(w);
			return NULL;
		}
		if (a->kind == ON_HANG &&
		    (w->hang <= 0 || a->seconds < w->hang))
			w->hang = a->seconds;
	}
	w->ranks = w->hang > 0 ? calloc(RANKS_MAX, sizeof *w->ranks) : NULL;
	if (w->hang <= 0 || w->ranks)
		return w;
nomem:
	watch_free(w);
	err_nomem(e);
	return NULL;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_acts; i++)
		free(w->acts[i].on);
	free(w->acts);
	free(w->ranks);
	free(w);
}

double watch_shortest(const struct watch *w)
{
	double least = 0;

	for (size_t i = 0; i < w->n_acts; i++)
		if (w->acts[i].seconds > 0 &&
		    (least <= 0 || w->acts[i].seconds < least))
			least = w->acts[i].seconds;
	return least;
}

bool watch_take(struct watch *w, struct live_event *ev)
{
	for (size_t i = 0; i < w->n_acts; i++) {
		struct act *a = &w->acts[i];

		if (!a->fired || a->taken)
			continue;
		a->taken = true;
		*ev = a->event;
		return true;
	}
	return false;
}

/* "10 minutes": whole units where it comes out even. */
static const char *duration(double seconds, char *out, size_t n)
{
	long s = (long)seconds;

	if ((double)s < seconds || s < 1)
		snprintf(out, n, "%g seconds", seconds);
	else if (s % 3600 == 0)
		snprintf(out, n, "%ld hour%s", s / 3600, s > 3600 ? "s" : "");
	else if (s % 60 == 0)
		snprintf(out, n, "%ld minute%s", s / 60, s > 60 ? "s" : "");
	else
		snprintf(out, n, "%ld second%s", s, s > 1 ? "s" : "");
	return out;
}

/* ---- what is found ---- */

static void name_rule(
    struct live_event *ev, const struct rule *r, const struct taxonomy *tax)
{
	int verdict = r->verdict;

	ev->rule = r->id;
	if (r->category == TAXONOMY_NO_CATEGORY)
		return;
	ev->category = tax->categories[r->category].id;
	if (verdict < 0)
		verdict = (int)tax->categories[r->category].verdict;
	ev->verdict = taxonomy_verdict_name((enum verdict)verdict);
}

/* "line 12, rank 3: CUDA out of memory ...", fit for a terminal. */
static void describe(const struct watch *w, const struct evidence *ev,
    const struct findings *f, char *out, size_t n)
{
	int rank = ev->rank >= 0 ? ev->rank : f->rank;
	struct buf text = BUF_INIT(BUF_MAX), clean = BUF_INIT(BUF_MAX);
	struct redact_marks at = { ev->match_from, ev->match_to };
	struct span said = { ev->text, ev->text_len };
	struct redact *x = w->redact ? redact_new(w->redact) : NULL;
	int rc = x ? redact_text(x, said, &clean, &at) : w->redact ? -1 : 0;
	char who[32] = "";

	if (rank >= 0)
		snprintf(who, sizeof who, ", rank %d", rank);
	if (rc == 1)
		said = (struct span){ clean.p, clean.len };
	at.from = at.from > 80 ? at.from - 80 : 0;
	said = span_trim(span_sub(said, at.from, at.from + 200));
	if (rc < 0 || text_visible(&text, said))
		buf_clear(&text);
	if (text.len + 64 > n)
		text.len = n - 64;
	while (text.len && (text.p[text.len] & 0xc0) == 0x80)
		text.len--;
	snprintf(out, n, "line %llu%s: %.*s", (unsigned long long)ev->line, who,
	    (int)text.len, text.len ? text.p : "");
	redact_free(x);
	buf_release(&clean);
	buf_release(&text);
}

static bool counts(const struct findings *f, const struct evidence *ev)
{
	return ev->rule && !ev->warning &&
	    (ev->event == EVENT_NONE || !f->events[ev->event].ignored);
}

static bool fits(const struct act *a, const struct evidence *ev)
{
	if (a->kind == ON_RULE)
		return ev->rule->number == a->index;
	return a->kind == ON_CATEGORY && ev->rule->category == a->index &&
	    (ev->rule->role == ROLE_ROOT || ev->rule->role == ROLE_FALLBACK);
}

/* The first root failure after the last one that was excused. */
static void see_failure(struct watch *w, const struct findings *f, double now)
{
	for (size_t i = 0; w->hang > 0 && w->failed <= 0 && i < f->n_evidence;
	     i++) {
		const struct evidence *ev = &f->evidence[i];

		if (!counts(f, ev) || ev->rule->role != ROLE_ROOT ||
		    ev->line <= w->failed_line)
			continue;
		w->failed = now;
		w->failed_line = ev->line;
		w->before = ev->before;
		w->failure_rule = ev->rule;
		describe(w, ev, f, w->failure, sizeof w->failure);
	}
}

void watch_findings(struct watch *w, const struct findings *f, double now)
{
	for (size_t i = 0; i < w->n_acts; i++) {
		struct act *a = &w->acts[i];

		for (size_t k = 0; !a->fired && k < f->n_evidence; k++) {
			const struct evidence *ev = &f->evidence[k];

			if (!counts(f, ev) || !fits(a, ev))
				continue;
			a->fired = true;
			name_rule(&a->event, ev->rule, w->tax);
			describe(w, ev, f, a->event.text, sizeof a->event.text);
		}
	}
	see_failure(w, f, now);
}

void watch_peeked(struct watch *w, const struct findings *f, double now)
{
	watch_findings(w, f, now);
	/* it went on: that was no end; later failures count */
	if (w->failed > 0 && findings_progress_after(f->last, w->before))
		w->failed = 0;
}

/* ---- time ---- */

static void rank_talks(struct watch *w, int rank, double now)
{
	struct talk *t;

	if (rank < 0 || rank >= RANKS_MAX)
		return;
	t = &w->ranks[rank];
	if (t->last <= 0 || now - t->last >= w->hang)
		t->since = now;
	t->last = now;
	if ((size_t)rank >= w->n_ranks)
		w->n_ranks = (size_t)rank + 1;
}

void watch_output(struct watch *w, struct span bytes, double now)
{
	struct span line;
	struct envelope env;

	w->output = now;
	while (w->hang > 0 && span_line(&bytes, &line)) {
		envelope_peel(w->tax->prefixes, line, &env);
		rank_talks(w, env.rank >= 0 ? env.rank : env.local_rank, now);
	}
}

/* A rank that has fallen silent for so long while another goes on, or -1. */
static int silent_rank(const struct watch *w, double seconds, double now)
{
	double latest = 0;
	int silent = -1;

	for (size_t i = 0; i < w->n_ranks; i++) {
		const struct talk *t = &w->ranks[i];

		if (t->last > latest)
			latest = t->last;
		if (t->last > 0 && silent < 0 && now - t->last >= seconds &&
		    t->last - t->since >= seconds)
			silent = (int)i;
	}
	return now - latest < seconds ? silent : -1;
}

static void look_for_hang(struct watch *w, struct act *a, double now)
{
	int rank = silent_rank(w, a->seconds, now);
	bool silent = now - w->output >= a->seconds;
	struct live_event *ev = &a->event;
	char time[40];

	duration(a->seconds, time, sizeof time);
	if (w->failed > 0 && (silent || now - w->failed >= a->seconds)) {
		name_rule(ev, w->failure_rule, w->tax);
		snprintf(ev->text, sizeof ev->text,
		    "a failure %s ago, and the job still runs without any "
		    "progress: %s",
		    time, w->failure);
	} else if (rank >= 0) {
		snprintf(ev->text, sizeof ev->text,
		    "rank %d has been silent for %s while others go on", rank,
		    time);
	} else if (silent) {
		snprintf(ev->text, sizeof ev->text, "no output for %s", time);
	} else {
		return;
	}
	a->fired = true;
}

void watch_tick(struct watch *w, double now)
{
	char time[40];

	for (size_t i = 0; i < w->n_acts; i++) {
		struct act *a = &w->acts[i];

		if (a->fired)
			continue;
		if (a->kind == ON_HANG)
			look_for_hang(w, a, now);
		if (a->kind != ON_STALLED || now - w->output < a->seconds)
			continue;
		a->fired = true;
		snprintf(a->event.text, sizeof a->event.text,
		    "no output for %s",
		    duration(a->seconds, time, sizeof time));
	}
}
