/*
 * The rows of policy.yaml and what holds where they say nothing.
 */
#include "rules/policy_read.h"

#include "base/err.h"
#include "rules/fields.h"
#include "rules/yamldoc.h"

#include <string.h>

#define RETRIES_MAX 1000
#define DELAY_MAX (7 * 24 * 3600)

/* ---- values ---- */

/* long * */
static int read_delay(struct reader *r, const struct yamldoc_node *n, void *to)
{
	long v = fields_number(r, n, 0, DELAY_MAX);

	if (v < 0)
		return -1;
	*(long *)to = v;
	return 0;
}

/* double *: a delay that shrinks helps nobody. */
static int read_backoff(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	if (fields_factor(r, n, to))
		return -1;
	if (*(double *)to < 1)
		return fields_bad(
		    r, n, "'%s' must be at least 1", fields_name(n));
	return 0;
}

/* A number of retries, or the word for no bound. */
static int read_count(struct reader *r, const struct yamldoc_node *n,
    const char *without, int *to)
{
	int64_t v = -1;

	if (n->kind == YAMLDOC_SCALAR && n->plain)
		v = span_number(span_of(n->text));
	if (n->kind == YAMLDOC_SCALAR && !strcmp(n->text, without))
		*to = RETRIES_ANY;
	else if (v >= 0 && v <= RETRIES_MAX)
		*to = (int)v;
	else
		return fields_bad(r, n,
		    "'%s' must be a number from 0 to %d or '%s'",
		    fields_name(n), RETRIES_MAX, without);
	return 0;
}

/* int *: "retries: none" would read as a ban on them. */
static int read_retries(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	return read_count(r, n, "unlimited", to);
}

/* ---- rows ---- */

static const struct field policy_fields[] = {
	{ "category", fields_id, AT(policy_row, category), false },
	{ "rule", fields_id, AT(policy_row, rule), false },
	{ "seen_with", fields_id, AT(policy_row, seen_with), false },
	{ "verdict", fields_verdict, AT(policy_row, verdict), true },
	{ "reason", fields_text, AT(policy_row, reason), true },
	{ "memory_factor", fields_factor, AT(policy_row, memory_factor),
	    false },
	{ "time_factor", fields_factor, AT(policy_row, time_factor), false },
	{ "at_start", fields_bool, AT(policy_row, at_start), false },
	{ "after_success", fields_bool, AT(policy_row, after_success), false },
	{ "held_by_others", fields_bool, AT(policy_row, held_by_others),
	    false },
	{ "exclude_nodes", fields_bool, AT(policy_row, exclude_nodes), false },
	{ "from_checkpoint", fields_bool, AT(policy_row, from_checkpoint),
	    false },
	{ "stop_needs", fields_confidence, AT(policy_row, stop_needs), false },
	{ "delay_seconds", read_delay, AT(policy_row, delay_seconds), false },
	{ "backoff", read_backoff, AT(policy_row, backoff), false },
	{ "max_delay_seconds", read_delay, AT(policy_row, max_delay_seconds),
	    false },
	{ "retries", read_retries, AT(policy_row, retries), false },
	{ "repeats", fields_bool, AT(policy_row, repeats), false },
	{ 0 },
};

/* What a row asks for must be possible. */
static int check_row(
    struct reader *r, const struct yamldoc_node *n, const struct policy_row *p)
{
	const struct yamldoc_node *most = yamldoc_get(n, "max_delay_seconds");

	if (!p->category == !p->rule)
		return fields_bad(
		    r, n, "a row needs either 'category' or 'rule'");
	if (most && p->max_delay_seconds < p->delay_seconds)
		return fields_bad(
		    r, most, "'max_delay_seconds' is under 'delay_seconds'");
	return 0;
}

static int read_policy(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	const struct yamldoc_node *what = yamldoc_get(n, "category");
	struct raw_policy *p;

	p = fields_more(r, (void **)&raw->policy, &raw->n_policy,
	    &raw->cap_policy, sizeof *p);
	if (!p)
		return -1;
	p->layer = r->layer;
	p->row = (struct policy_row){ .stop_needs = -1,
		.backoff = 1,
		.repeats = true,
		.layer = r->layer };
	if (!what)
		what = yamldoc_get(n, "rule");
	p->at = fields_place(r, what ? what : n);
	if (fields_map(r, n, policy_fields, &p->row, NULL) ||
	    check_row(r, n, &p->row))
		return -1;
	p->row.own_retries = yamldoc_get(n, "retries");
	p->row.own_repeats = yamldoc_get(n, "repeats");
	p->row.line = p->at.line;
	p->row.file = span_dup(span_of(r->file));
	return p->row.file ? 0 : err_nomem(r->e);
}

/* ---- budgets: one map a layer at most gives each of them ---- */

static const char *const budget_names[BUDGETS] = {
	[BUDGET_SAME_CAUSE] = "same_cause",
	[BUDGET_SAME_PLACE] = "same_place",
	[BUDGET_TOTAL] = "total",
};

static int read_budgets(struct reader *r, const struct yamldoc_node *n)
{
	if (n->kind != YAMLDOC_MAP)
		return fields_bad(
		    r, n, "'%s' must be a map of keys", fields_name(n));
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		struct raw_budget *b;
		size_t i = 0;

		while (
		    i < BUDGETS && strcmp(budget_names[i], c->key->text) != 0)
			i++;
		if (i == BUDGETS)
			return fields_bad(
			    r, c->key, "unknown key '%s'", c->key->text);
		b = &r->raw->budgets[i];
		if (b->at.file && b->layer == r->layer)
			return fields_bad(r, c->key,
			    "duplicate '%s', also at %s:%u", c->key->text,
			    b->at.file, b->at.line);
		if (read_count(r, c, "none", &b->value))
			return -1;
		b->at = fields_place(r, c->key);
		b->layer = r->layer;
	}
	return 0;
}

static int read_stop_needs(struct reader *r, const struct yamldoc_node *n)
{
	struct raw_budget *b = &r->raw->stop_needs;

	if (b->at.file && b->layer == r->layer)
		return fields_bad(r, n, "duplicate 'stop_needs', also at %s:%u",
		    b->at.file, b->at.line);
	b->at = fields_place(r, n);
	b->layer = r->layer;
	return fields_confidence(r, n, &b->value);
}

static int read_declared(struct reader *r, const struct yamldoc_node *n)
{
	struct raw_budget *b = &r->raw->declared;
	int i = 0;

	if (b->at.file && b->layer == r->layer)
		return fields_bad(r, n, "duplicate 'declared', also at %s:%u",
		    b->at.file, b->at.line);
	b->at = fields_place(r, n);
	b->layer = r->layer;
	while (i < DECLARED_TRUSTS &&
	    (n->kind != YAMLDOC_SCALAR ||
		strcmp(n->text, taxonomy_trust_name((enum declared_trust)i)) !=
		    0))
		i++;
	if (i == DECLARED_TRUSTS)
		return fields_bad(
		    r, n, "'declared' must be trust, hint or ignore");
	b->value = i;
	return 0;
}

static int read_node_window(struct reader *r, const struct yamldoc_node *n)
{
	struct raw_budget *b = &r->raw->node_window;
	long seconds = 0;

	if (b->at.file && b->layer == r->layer)
		return fields_bad(r, n,
		    "duplicate 'node_window', also at %s:%u", b->at.file,
		    b->at.line);
	b->at = fields_place(r, n);
	b->layer = r->layer;
	if (read_delay(r, n, &seconds))
		return -1;
	b->value = (int)seconds;
	return 0;
}

int policy_read(struct reader *r, const struct yamldoc_node *root)
{
	const struct yamldoc_node *budgets = yamldoc_get(root, "budgets");
	const struct yamldoc_node *needs = yamldoc_get(root, "stop_needs");
	const struct yamldoc_node *declared = yamldoc_get(root, "declared");
	const struct yamldoc_node *window = yamldoc_get(root, "node_window");

	if ((budgets && read_budgets(r, budgets)) ||
	    (window && read_node_window(r, window)) ||
	    (needs && read_stop_needs(r, needs)) ||
	    (declared && read_declared(r, declared)))
		return -1;
	return fields_each(r, yamldoc_get(root, "policy"), read_policy);
}
