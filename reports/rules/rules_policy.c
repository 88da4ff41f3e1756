/*
 * The policy as it is in force, overlays and inherited values included, and
 * advice on rows that load but cannot mean what they say.
 */
#include "diagnose/diagnosis.h"
#include "reports/rules/rules.h"

#include "base/buf.h"

#include <string.h>

#define A_DAY (24 * 3600)

/* ---- show ---- */

static const char *count_text(int n, char text[16])
{
	if (n == RETRIES_ANY)
		return "any";
	snprintf(text, 16, "%d", n);
	return text;
}

/* What must hold for a row, or "". */
static const char *condition(const struct policy_row *p, char text[96])
{
	snprintf(text, 96, "%s%s%s%s%.56s", p->at_start ? " at_start" : "",
	    p->held_by_others ? " held_by_others" : "",
	    p->after_success ? " after_success" : "",
	    p->seen_with ? " with " : "", p->seen_with ? p->seen_with : "");
	return text;
}

static void add_factor(char text[128], const char *name, double v)
{
	size_t n = strlen(text);

	if (v > 0)
		snprintf(text + n, 128 - n, " %s x%g", name, v);
}

static const char *changes(const struct policy_row *p, char text[128])
{
	snprintf(text, 128, "%s%s", p->exclude_nodes ? " other node" : "",
	    p->from_checkpoint ? " checkpoint" : "");
	add_factor(text, "memory", p->memory_factor);
	add_factor(text, "time", p->time_factor);
	return *text ? text + 1 : "-";
}

static const char *delay_text(const struct policy_row *p, char text[64])
{
	if (!p->delay_seconds)
		return "-";
	if (p->backoff > 1)
		snprintf(text, 64, "%ld x%g <%ld", p->delay_seconds, p->backoff,
		    p->max_delay_seconds);
	else
		snprintf(text, 64, "%ld", p->delay_seconds);
	return text;
}

#define ROW "%-58s %-9s %7s %7s %-14s %-22s %s\n"

static void show_row(const struct policy_row *p, FILE *f)
{
	char what[256], cond[96], n[16], wait[64], change[128];
	bool again =
	    p->verdict == VERDICT_RETRY || p->verdict == VERDICT_ADJUST;

	snprintf(what, sizeof what, "%s%.150s%s", p->rule ? "  " : "",
	    p->rule ? p->rule : p->category, condition(p, cond));
	fprintf(f, ROW, what, taxonomy_verdict_name(p->verdict),
	    again ? count_text(p->retries, n) : "-", p->repeats ? "proof" : "-",
	    delay_text(p, wait), changes(p, change), p->reason);
}

/* A row that an earlier one leaves no case for. */
static const struct policy_row *shadow_of(const struct taxonomy *tax, size_t at)
{
	const struct policy_row *p = &tax->policy[at];

	for (size_t i = 0; i < at; i++) {
		const struct policy_row *q = &tax->policy[i];
		const char *a = p->rule ? p->rule : p->category;
		const char *b = p->rule ? q->rule : q->category;

		if (b && strcmp(a, b) == 0 && q->at_start <= p->at_start &&
		    q->held_by_others <= p->held_by_others &&
		    q->after_success <= p->after_success &&
		    (!q->seen_with ||
			(p->seen_with &&
			    strcmp(p->seen_with, q->seen_with) == 0)))
			return q;
	}
	return NULL;
}

/* The verdict that a rule gives itself, where it differs from its category's:
 * then it takes over how often to try, unless that row stops. */
static void show_own(const struct taxonomy *tax, const struct rule *r, FILE *f)
{
	const struct policy_row *c = r->category == TAXONOMY_NO_CATEGORY
	    ? NULL
	    : taxonomy_policy(tax, NULL, tax->categories[r->category].id);
	struct policy_row own = {
		.rule = r->id,
		.verdict = (enum verdict)r->verdict,
		.retries = tax->budgets.same_cause,
		.repeats = true,
		.backoff = 1,
		.reason = (char *)"As the rule itself says.",
	};

	if (c && c->verdict == own.verdict)
		return;
	if (c && (c->verdict != VERDICT_STOP)) {
		own.retries = c->retries;
		own.repeats = c->repeats;
	}
	show_row(&own, f);
}

static void show_rule(const struct taxonomy *tax, const struct rule *r, FILE *f)
{
	bool settled = false;

	for (size_t i = 0; i < tax->n_policy; i++) {
		const struct policy_row *p = &tax->policy[i];

		if (!p->rule || strcmp(p->rule, r->id) != 0 ||
		    shadow_of(tax, i))
			continue;
		show_row(p, f);
		settled |= !taxonomy_policy_conditional(p);
	}
	if (!settled && r->verdict >= 0)
		show_own(tax, r, f);
}

static void show_category(const struct taxonomy *tax, const char *id,
    const struct category *c, FILE *f)
{
	bool settled = false;

	for (size_t i = 0; i < tax->n_policy; i++) {
		const struct policy_row *p = &tax->policy[i];

		if (!p->category || strcmp(p->category, id) != 0 ||
		    shadow_of(tax, i))
			continue;
		show_row(p, f);
		settled |= !taxonomy_policy_conditional(p);
	}
	if (!settled)
		fprintf(f, ROW, id,
		    taxonomy_verdict_name(c ? c->verdict : VERDICT_UNDECIDED),
		    "-", "-", "-", "-", "As the category itself says.");
	for (size_t i = 0; c && i < tax->n_rules; i++)
		if (taxonomy_rule_at(tax, i)->category ==
		    (size_t)(c - tax->categories))
			show_rule(tax, taxonomy_rule_at(tax, i), f);
}

int rules_policy_show(const struct taxonomy *tax, FILE *f)
{
	char a[16], b[16], c[16];

	fprintf(f,
	    "retries: %s for one cause without progress, %s at one place, %s "
	    "of a job\n",
	    count_text(tax->budgets.same_cause, a),
	    count_text(tax->budgets.same_place, b),
	    count_text(tax->budgets.total, c));
	fprintf(f, "a stop needs an answer of %s confidence%s\n",
	    diagnosis_confidence_name((enum confidence)tax->stop_needs),
	    tax->stop_needs ? " or more, else there is one retry" : "");
	fprintf(f, "a job's own word about its end: %s\n\n",
	    taxonomy_trust_name((enum declared_trust)tax->declared));
	fprintf(f, ROW, "CATEGORY, ITS RULES", "VERDICT", "RETRIES", "REPEAT",
	    "DELAY", "CHANGES", "REASON");
	for (size_t i = 0; i < tax->n_policy; i++)
		if (tax->policy[i].category &&
		    strcmp(tax->policy[i].category, POLICY_ANY) == 0)
			show_row(&tax->policy[i], f);
	for (size_t i = 0; i < tax->n_categories; i++)
		show_category(
		    tax, tax->categories[i].id, &tax->categories[i], f);
	show_category(tax, "unknown", NULL, f);
	return 0;
}

/* ---- check ---- */

static int warn(FILE *f, const struct policy_row *p, const char *text)
{
	fprintf(f, "%s:%u: policy of %s: %s\n", p->file, p->line,
	    p->rule ? p->rule : p->category, text);
	return 1;
}

static bool asks_a_change(const struct policy_row *p)
{
	return p->memory_factor > 0 || p->time_factor > 0 || p->exclude_nodes ||
	    p->from_checkpoint || p->delay_seconds;
}

static int check_row(const struct taxonomy *tax, size_t at, FILE *f)
{
	const struct policy_row *p = &tax->policy[at];
	const struct policy_row *shadow = shadow_of(tax, at);
	bool again =
	    p->verdict == VERDICT_RETRY || p->verdict == VERDICT_ADJUST;
	int n = 0;

	/* that an overlay's row hides a built-in one is its purpose */
	if (shadow && shadow->layer == p->layer) {
		fprintf(f,
		    "%s:%u: policy of %s: never applies, %s:%u comes first\n",
		    p->file, p->line, p->rule ? p->rule : p->category,
		    shadow->file, shadow->line);
		n++;
	}
	if (p->verdict == VERDICT_ADJUST && !asks_a_change(p))
		n += warn(f, p, "adjust, but nothing is to be changed");
	if (p->delay_seconds > A_DAY ||
	    (p->backoff > 1 && p->max_delay_seconds > A_DAY))
		n += warn(f, p, "a delay of over a day");
	if (p->backoff > 1 && !p->delay_seconds)
		n += warn(f, p, "backoff, but no delay_seconds to grow");
	if (again && p->retries == 0)
		n += warn(f, p, "a verdict to try again, but 0 retries");
	return n;
}

int rules_policy_check(const struct taxonomy *tax, FILE *f)
{
	int warnings = 0;

	for (size_t i = 0; i < tax->n_policy; i++)
		warnings += check_row(tax, i, f);
	fprintf(f, "%zu policy rows, %d warnings\n", tax->n_policy, warnings);
	return warnings > 0;
}
