/*
 * Reading the built-in files takes longer than diagnosing a log of usual size,
 * and a site that has one rule of its own should not pay for that. Rules are
 * many and only ever replaced as a whole: they are borrowed. All else may be
 * changed field by field, so it is copied.
 */
#include "rules/taxonomy_known.h"

#include "base/err.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS_MAX 6
#define LISTS_MAX 5

/* Where the texts and lists are that an entry owns; 0 ends them, and no entry
 * begins with a list. */
struct parts {
	size_t id; /* the first text, which may be at 0 */
	size_t texts[TEXTS_MAX + 1], lists[LISTS_MAX + 1];
};

#define CATEGORY(f) offsetof(struct category, f)
#define POLICY(f) offsetof(struct policy_row, f)
#define METRIC(f) offsetof(struct metric, f)
#define TREND(f) offsetof(struct trend, f)
#define REDACTION(f) offsetof(struct redaction, f)
#define SIGNAL(f) offsetof(struct signal, f)

static const struct parts category_parts = { CATEGORY(id),
	{ CATEGORY(name), CATEGORY(dimension), CATEGORY(family),
	    CATEGORY(description) },
	{ CATEGORY(remedies), CATEGORY(references), CATEGORY(follows) } };
static const struct parts policy_parts = { POLICY(category),
	{ POLICY(rule), POLICY(seen_with), POLICY(reason), POLICY(file) },
	{ 0 } };
static const struct parts metric_parts = { METRIC(id),
	{ METRIC(title), METRIC(validation) },
	{ METRIC(names), METRIC(units) } };
static const struct parts trend_parts = { TREND(id),
	{ TREND(title), TREND(metric), TREND(beside), TREND(unless),
	    TREND(file) },
	{ TREND(advice), TREND(references) } };
static const struct parts redaction_parts = { REDACTION(id),
	{ REDACTION(title), REDACTION(option), REDACTION(pattern),
	    REDACTION(file) },
	{ REDACTION(secret), REDACTION(clean) } };
static const struct parts signal_parts = { SIGNAL(id),
	{ SIGNAL(title), SIGNAL(pattern), SIGNAL(unless), SIGNAL(file) },
	{ SIGNAL(any), SIGNAL(starts), SIGNAL(ends), SIGNAL(match),
	    SIGNAL(no_match) } };

static bool own_text(char **text)
{
	*text = *text ? span_dup(span_of(*text)) : NULL;
	return *text;
}

static bool own_list(struct strings *s)
{
	struct strings from = *s;

	*s = (struct strings){ calloc(from.n + 1, sizeof *s->v), 0 };
	while (s->v && s->n < from.n) {
		s->v[s->n] = from.v[s->n];
		if (!own_text(&s->v[s->n++]))
			return false;
	}
	return s->v;
}

/* Let an entry that is a plain copy own what it has: false when out of memory,
 * and then it may still be released. */
static bool own(void *entry, const struct parts *p)
{
	char *at = entry;
	bool fine = true;

	for (size_t i = 0, f = p->id; !i || f; f = p->texts[i++]) {
		char **text = (char **)(void *)(at + f);
		bool given = *text;

		fine &= own_text(text) == given;
	}
	for (size_t i = 0; p->lists[i]; i++)
		fine &= own_list((struct strings *)(void *)(at + p->lists[i]));
	return fine;
}

static int add_categories(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->categories = calloc(t->n_categories + 1, sizeof *raw->categories);
	raw->cap_categories = t->n_categories + 1;
	for (size_t i = 0; raw->categories && i < t->n_categories; i++) {
		struct raw_category *c = &raw->categories[raw->n_categories++];

		*c = (struct raw_category){ t->categories[i], .given = ~0u,
			.order = i };
		fine &= own(&c->category, &category_parts);
	}
	return raw->categories && fine ? 0 : -1;
}

static int add_rules(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	raw->rules = calloc(t->n_rules + 1, sizeof *raw->rules);
	raw->cap_rules = t->n_rules + 1;
	for (size_t i = 0; raw->rules && i < t->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(t, i);

		raw->rules[raw->n_rules++] = (struct raw_rule){
			.rule = *r,
			.category = r->category == TAXONOMY_NO_CATEGORY
			    ? NULL
			    : t->categories[r->category].id,
			.known = true,
			.order = i,
		};
	}
	return raw->rules ? 0 : -1;
}

static int add_policy(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	const int budgets[BUDGETS] = { t->budgets.same_cause,
		t->budgets.same_place, t->budgets.total };
	bool fine = true;

	for (size_t i = 0; i < BUDGETS; i++)
		raw->budgets[i] =
		    (struct raw_budget){ budgets[i], .at = { .file = "" } };
	raw->stop_needs =
	    (struct raw_budget){ t->stop_needs, .at = { .file = "" } };
	raw->policy = calloc(t->n_policy + 1, sizeof *raw->policy);
	raw->cap_policy = t->n_policy + 1;
	for (size_t i = 0; raw->policy && i < t->n_policy; i++) {
		struct policy_row *p = &raw->policy[raw->n_policy++].row;

		*p = t->policy[i];
		/* as it is before it is settled */
		p->repeats |= !p->own_repeats;
		fine &= own(p, &policy_parts);
	}
	return raw->policy && fine ? 0 : -1;
}

static int add_trends(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->validation = t->validation;
	fine &= own_list(&raw->validation);
	raw->metrics = calloc(t->n_metrics + 1, sizeof *raw->metrics);
	raw->cap_metrics = t->n_metrics + 1;
	for (size_t i = 0; raw->metrics && i < t->n_metrics; i++) {
		struct raw_metric *m = &raw->metrics[raw->n_metrics++];

		*m = (struct raw_metric){ t->metrics[i], .given = ~0u };
		fine &= own(&m->metric, &metric_parts);
	}
	raw->trends = calloc(t->n_trends + 1, sizeof *raw->trends);
	raw->cap_trends = t->n_trends + 1;
	for (size_t i = 0; raw->trends && i < t->n_trends; i++) {
		struct raw_trend *r = &raw->trends[raw->n_trends++];

		*r = (struct raw_trend){ t->trends[i], .given = ~0u };
		fine &= own(&r->trend, &trend_parts);
	}
	return raw->metrics && raw->trends && fine ? 0 : -1;
}

static int add_redactions(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->redactions = calloc(t->n_redactions + 1, sizeof *raw->redactions);
	raw->cap_redactions = t->n_redactions + 1;
	for (size_t i = 0; raw->redactions && i < t->n_redactions; i++) {
		struct redaction *r =
		    &raw->redactions[raw->n_redactions++].redaction;

		*r = t->redactions[i];
		fine &= own(r, &redaction_parts);
		fine &=
		    !literals_copy(&r->literals, &t->redactions[i].literals);
	}
	return raw->redactions && fine ? 0 : -1;
}

static int add_signals(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->signals = calloc(t->n_signals + 1, sizeof *raw->signals);
	raw->cap_signals = t->n_signals + 1;
	for (size_t i = 0; raw->signals && i < t->n_signals; i++) {
		struct signal *s = &raw->signals[raw->n_signals++].signal;

		*s = t->signals[i];
		fine &= own(s, &signal_parts);
	}
	return raw->signals && fine ? 0 : -1;
}

static int add_pieces(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->pieces = calloc(t->n_pieces + 1, sizeof *raw->pieces);
	raw->cap_pieces = t->n_pieces + 1;
	for (size_t i = 0; raw->pieces && i < t->n_pieces; i++) {
		struct raw_piece *p = &raw->pieces[raw->n_pieces++];

		p->piece = t->pieces[i];
		fine &= own_text(&p->piece.name);
		fine &= own_text(&p->piece.text);
	}
	return raw->pieces && fine ? 0 : -1;
}

int taxonomy_known_add(
    struct taxonomy_raw *raw, const struct taxonomy *known, struct err *e)
{
	if (add_pieces(raw, known) || add_categories(raw, known) ||
	    add_rules(raw, known) || add_policy(raw, known) ||
	    add_trends(raw, known) || add_redactions(raw, known) ||
	    add_signals(raw, known))
		return err_nomem(e);
	return 0;
}
