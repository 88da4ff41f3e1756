/*
 * The order of the screen is the order of the questions: what was it, where
 * does it say so, is it my code, what of the rest matters, what do I do.
 */
#include "reports/explain/explain.h"

#include "base/err.h"
#include "diagnose/decision/remedies.h"
#include "diagnose/signals/stage.h"
#include "reports/explain/explain_parts.h"

#include <stdlib.h>
#include <string.h>

#define REMEDIES 6
#define DOUBTS 5

int explain_visible(struct buf *out, struct span text)
{
	return text_visible(out, text);
}

/* ---- what was it ---- */

static const char *look_of(enum verdict v)
{
	switch (v) {
	case VERDICT_RETRY:
		return GOOD;
	case VERDICT_ADJUST:
		return CARE;
	case VERDICT_STOP:
		return BAD;
	default:
		return STRONG;
	}
}

/* What the reason says of the cause is its first part: the policy's words come
 * after it. */
static struct span cause_of(const struct diagnosis *d)
{
	struct span reason = span_of(d->reason);
	size_t end = reason.n;

	if (d->rule) {
		reason = span_of(d->rule->title);
		end = reason.n;
	} else if (span_find(reason, "; ") != SIZE_MAX) {
		end = span_find(reason, "; ");
	}
	while (end && reason.p[end - 1] == '.')
		end--;
	return span_sub(reason, 0, end);
}

/* "A file" and "The job" go on a sentence; names keep their capital. */
static void add_lowered(struct page *p, struct span s)
{
	if (span_starts(s, "A ") || span_starts(s, "An ") ||
	    span_starts(s, "The ") || span_starts(s, "No ")) {
		page_add(p, "%c", s.p[0] | 0x20);
		s = span_sub(s, 1, s.n);
	}
	page_log(p, s);
}

static void write_cause(struct page *p, const struct explain *x)
{
	const struct diagnosis *d = x->d;
	const char *meaning =
	    d->evidence.n ? proof_meaning(&d->evidence.v[0]) : NULL;

	page_add(p, STRONG);
	page_string(p, d->category ? d->category->name : "Unknown failure");
	page_add(p, ": ");
	add_lowered(p, cause_of(d));
	if (meaning) {
		page_add(p, " (");
		page_string(p, meaning);
		page_add(p, ")");
	}
	page_add(p, "." PLAIN " Verdict: %s%s" PLAIN, look_of(d->verdict),
	    taxonomy_verdict_name(d->verdict));
	page_paragraph(p);
}

/* Which job, and where in its life. */
static void write_job(struct page *p, const struct explain *x)
{
	const struct diagnosis *d = x->d;
	const char *stage = stage_name(d->facts.stage);
	int rank = d->facts.first_error_rank;
	size_t logs = 0;

	for (size_t i = 0; i < d->n_logs; i++)
		logs += !d->logs[i]->of_record;
	page_add(p, FAINT "job ");
	page_string(p, d->job);
	if (d->attempt > 1 || x->n_past)
		page_add(p, ", attempt %d", d->attempt);
	if (stage)
		page_add(p, ", in %s", stage);
	if (rank >= 0)
		page_add(p, ", first on rank %d", rank);
	if (logs > 1)
		page_add(p, ", %zu logs", logs);
	page_add(p, ", confidence %s" PLAIN,
	    diagnosis_confidence_name(d->confidence));
	page_paragraph(p);
}

/* ---- what to do ---- */

/* What the scheduler is asked for comes first: it is all that a retry needs. */
static unsigned add_adjust(struct page *p, const struct diagnosis *d)
{
	const struct adjust *a = &d->adjust;
	unsigned n = 0;

	if (d->verdict != VERDICT_ADJUST && d->verdict != VERDICT_RETRY)
		return 0;
	if (a->exclude_node) {
		page_add(p, "Run it again without node ");
		page_string(p, a->exclude_node);
		page_add(p, ".");
		page_item(p, ++n);
	}
	if (a->memory_factor > 0) {
		page_add(p, "Ask for %.3g times the memory.", a->memory_factor);
		page_item(p, ++n);
	}
	if (a->time_factor > 0) {
		page_add(p, "Ask for %.3g times the time.", a->time_factor);
		page_item(p, ++n);
	}
	if (a->from_checkpoint) {
		page_add(p, "Go on from the checkpoint ");
		page_string(p, a->from_checkpoint);
		page_add(p, ".");
		page_item(p, ++n);
	}
	if (a->delay_seconds) {
		page_add(p, "Wait %ld seconds before the next attempt.",
		    a->delay_seconds);
		page_item(p, ++n);
	}
	return n;
}

static void write_remedies(struct page *p, const struct explain *x)
{
	const struct diagnosis *d = x->d;
	const char *v[REMEDIES_MAX];
	size_t n = remedies_of(d, v);
	unsigned number;

	if (!d->category || d->facts.done)
		return;
	page_heading(p, "What to do");
	number = add_adjust(p, d);
	for (size_t i = 0; i < n && number < REMEDIES; i++) {
		page_string(p, v[i]);
		page_item(p, ++number);
	}
}

/* The policy's part of the reason: what comes after the cause. */
static struct span policy_words(const struct diagnosis *d)
{
	struct span reason = span_of(d->reason), cause = cause_of(d);
	size_t cut;

	if (!span_eq(span_sub(reason, 0, cause.n), cause))
		return reason;
	reason = span_sub(reason, cause.n, reason.n);
	cut = span_find(reason, "; ");
	return cut == SIZE_MAX ? (struct span){ NULL, 0 }
			       : span_sub(reason, cut + 2, reason.n);
}

static void write_verdict(struct page *p, const struct explain *x)
{
	const struct diagnosis *d = x->d;
	struct span words = policy_words(d);

	page_heading(p, "Verdict");
	page_add(p, "%s%s" PLAIN, look_of(d->verdict),
	    taxonomy_verdict_name(d->verdict));
	if (words.n) {
		page_add(p, ": ");
		page_log(p, words);
	}
	page_add(p, ".");
	page_note(p);
}

/* ---- what is doubtful ---- */

static void write_doubts(struct page *p, const struct explain *x)
{
	const struct diagnosis *d = x->d;
	bool guess = d->failed == 1 && d->confidence == CONFIDENCE_LOW;

	if (!d->n_notes && !guess)
		return;
	page_heading(p, "Doubtful");
	if (guess) {
		page_add(p,
		    !d->category ? "Nothing in the logs states the cause."
			: d->rule && d->rule->role == ROLE_CONSEQUENCE
			? "Only consequences were seen: what failed first is "
			  "in none of these logs."
			: "The cause is a guess: nothing states it outright.");
		page_item(p, 0);
	}
	for (size_t i = 0; i < d->n_notes && i < DOUBTS; i++) {
		page_string(p, d->notes[i]);
		page_item(p, 0);
	}
	if (d->n_notes > DOUBTS) {
		page_add(p, "%zu more notes", d->n_notes - DOUBTS);
		page_item(p, 0);
	}
}

/* ---- what no rule knows ---- */

static const char *first_path(const struct diagnosis *d)
{
	if (d->evidence.n)
		return d->evidence.v[0].log->path;
	for (size_t i = 0; i < d->n_logs; i++)
		if (!d->logs[i]->of_record)
			return d->logs[i]->path;
	return "LOG";
}

/* A path as a shell takes it. */
static void add_argument(struct page *p, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/-._+:@%,";

	if (path[strspn(path, plain)] == '\0') {
		page_string(p, path);
		return;
	}
	page_add(p, "'");
	for (const char *c = path; *c; c++) {
		if (*c == '\'')
			page_add(p, "'\\''");
		else
			page_log(p, (struct span){ c, 1 });
	}
	page_add(p, "'");
}

static void write_what_to_send(struct page *p, const struct explain *x)
{
	const char *path = first_path(x->d);

	page_heading(p, "Send this to the platform team");
	if (x->unlogged) {
		page_add(p,
		    "this screen; run it again with --log FILE to have the log "
		    "as well, and then `jobtriage explain -f markdown FILE` "
		    "for a ticket");
		page_item(p, 0);
		return;
	}
	page_add(p, "the log, and a ticket made of it:");
	page_item(p, 0);
	page_code_begin(p);
	page_add(p, "jobtriage explain -f markdown ");
	add_argument(p, path);
	page_code(p, " ", 0);
	page_code_end(p);
	page_add(p,
	    "for a rule, put the line that names the cause into a file of "
	    "rules (man jobtriage), and try it:");
	page_item(p, 0);
	page_code_begin(p);
	page_add(p,
	    "jobtriage taxonomy check -t site.yaml && jobtriage "
	    "explain -t site.yaml ");
	add_argument(p, path);
	page_code(p, " ", 0);
	page_code_end(p);
}

/* ---- the whole ---- */

static void write_failure(struct page *p, const struct explain *x)
{
	write_job(p, x);
	explain_where(p, x);
	explain_frame(p, x);
	explain_leads(p, x);
	if (!x->d->category)
		explain_last_lines(p, x);
	explain_consequences(p, x);
	explain_facts(p, x);
	explain_launches(p, x);
	explain_attempts(p, x);
	explain_trends(p, x);
	write_remedies(p, x);
	write_verdict(p, x);
	write_doubts(p, x);
	if (!x->d->category)
		write_what_to_send(p, x);
	if (x->why)
		explain_why(p, x);
}

static void head_good(struct page *p, const struct explain *x)
{
	page_add(p, GOOD "Ended well" PLAIN ": job ");
	page_string(p, x->d->job);
	page_add(p, ", ");
	page_string(p, x->d->reason);
	page_add(p, " (");
	if (explain_position(p, x->d->facts.last))
		page_add(p, "; ");
	page_add(
	    p, "confidence %s).", diagnosis_confidence_name(x->d->confidence));
	page_paragraph(p);
}

static bool no_text(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i]->no_text)
			return true;
	return false;
}

static void head_untold(struct page *p, const struct explain *x)
{
	static const char *const words[ENDING_COUNT] = {
		[ENDING_UNKNOWN] = "Cannot tell",
		[ENDING_PROVEN] = "Ended well",
		[ENDING_UNPROVEN] = "No failure seen",
		[ENDING_CUT] = "Cut off",
		[ENDING_RUNNING] = "Not ended",
	};

	page_add(p, STRONG "%s:" PLAIN " ", words[x->d->ending]);
	page_string(p, x->d->reason);
	page_add(p, ".");
	page_paragraph(p);
}

void explain_head(struct page *p, const struct explain *x)
{
	if (x->d->failed == 0) {
		head_good(p, x);
	} else if (x->d->failed < 0) {
		head_untold(p, x);
	} else {
		explain_headline(p, x);
		write_cause(p, x);
	}
}

static void write_untold(struct page *p, const struct explain *x)
{
	write_job(p, x);
	if (!no_text(x->d))
		explain_last_lines(p, x);
	explain_facts(p, x);
	explain_launches(p, x);
	explain_trends(p, x);
	write_doubts(p, x);
	if (x->why)
		explain_why(p, x);
}

int explain_write(const struct explain *x, FILE *f, struct err *e)
{
	struct page p;

	page_begin(&p, f, &x->style);
	explain_head(&p, x);
	explain_judged(&p, x);
	if (x->d->failed == 0) {
		explain_launches(&p, x);
		explain_trends(&p, x);
		if (x->why)
			explain_why(&p, x);
	} else if (x->d->failed < 0) {
		write_untold(&p, x);
	} else {
		write_failure(&p, x);
	}
	return page_end(&p) ? err_nomem(e) : 0;
}
