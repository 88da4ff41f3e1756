/*
 * Reading the built-in files takes longer than diagnosing a log of usual size,
 * and a site that has one rule of its own should not pay for that. Rules and
 * signals are many and only ever replaced as a whole: they are borrowed. All
 * else may be changed field by field, so it is copied.
 */
#include "rules/taxonomy_known.h"

#include "base/err.h"
#include "rules/parts.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"

#include <stdlib.h>
#include <string.h>

static int add_categories(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->categories = calloc(t->n_categories + 1, sizeof *raw->categories);
	raw->cap_categories = t->n_categories + 1;
	for (size_t i = 0; raw->categories && i < t->n_categories; i++) {
		struct raw_category *c = &raw->categories[raw->n_categories++];

		*c = (struct raw_category){ t->categories[i], .given = ~0u,
			.order = i };
		fine &= parts_own(&parts_category, &c->category);
	}
	return raw->categories && fine ? 0 : -1;
}

static int add_rules(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;

	raw->rules = calloc(t->n_rules + 1, sizeof *raw->rules);
	raw->cap_rules = t->n_rules + 1;
	for (size_t i = 0; raw->rules && i < t->n_rules; i++) {
		struct raw_rule *to = &raw->rules[raw->n_rules++];

		taxonomy_late_take(full->late, i, &to->rule);
		to->rule.raised_bits = 0; /* as signals are settled */
		if (to->rule.category != TAXONOMY_NO_CATEGORY)
			to->category = t->categories[to->rule.category].id;
		to->known = true;
		to->order = i;
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
	raw->declared =
	    (struct raw_budget){ t->declared, .at = { .file = "" } };
	raw->node_window =
	    (struct raw_budget){ t->node_window, .at = { .file = "" } };
	raw->policy = calloc(t->n_policy + 1, sizeof *raw->policy);
	raw->cap_policy = t->n_policy + 1;
	for (size_t i = 0; raw->policy && i < t->n_policy; i++) {
		struct policy_row *p = &raw->policy[raw->n_policy++].row;

		*p = t->policy[i];
		/* as it is before it is settled */
		p->repeats |= !p->own_repeats;
		fine &= parts_own(&parts_policy, p);
	}
	return raw->policy && fine ? 0 : -1;
}

static int add_trends(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->validation = t->validation;
	fine &= parts_own_list(&raw->validation);
	raw->metrics = calloc(t->n_metrics + 1, sizeof *raw->metrics);
	raw->cap_metrics = t->n_metrics + 1;
	for (size_t i = 0; raw->metrics && i < t->n_metrics; i++) {
		struct raw_metric *m = &raw->metrics[raw->n_metrics++];

		*m = (struct raw_metric){ t->metrics[i], .given = ~0u };
		fine &= parts_own(&parts_metric, &m->metric);
	}
	raw->trends = calloc(t->n_trends + 1, sizeof *raw->trends);
	raw->cap_trends = t->n_trends + 1;
	for (size_t i = 0; raw->trends && i < t->n_trends; i++) {
		struct raw_trend *r = &raw->trends[raw->n_trends++];

		*r = (struct raw_trend){ t->trends[i], .given = ~0u };
		fine &= parts_own(&parts_trend, &r->trend);
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
		fine &= parts_own(&parts_redaction, r);
		fine &=
		    !literals_copy(&r->literals, &t->redactions[i].literals);
	}
	return raw->redactions && fine ? 0 : -1;
}

static int add_signals(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	raw->signals = calloc(t->n_signals + 1, sizeof *raw->signals);
	raw->cap_signals = t->n_signals + 1;
	for (size_t i = 0; raw->signals && i < t->n_signals; i++)
		raw->signals[raw->n_signals++] =
		    (struct raw_signal){ *taxonomy_signal_at(t, i),
			    .order = i };
	return raw->signals ? 0 : -1;
}

static int add_pieces(struct taxonomy_raw *raw, const struct taxonomy *t)
{
	bool fine = true;

	raw->pieces = calloc(t->n_pieces + 1, sizeof *raw->pieces);
	raw->cap_pieces = t->n_pieces + 1;
	for (size_t i = 0; raw->pieces && i < t->n_pieces; i++) {
		struct raw_piece *p = &raw->pieces[raw->n_pieces++];

		p->piece = t->pieces[i];
		fine &= parts_own_text(&p->piece.name);
		fine &= parts_own_text(&p->piece.text);
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
