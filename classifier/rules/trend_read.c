/*
 * A later layer's entry with the id of an earlier one changes what it gives: a
 * site may set one threshold. Lists of names grow instead, since a site adds
 * what its own programs print.
 */
#include "rules/trend_read.h"

#include "base/err.h"
#include "base/number.h"
#include "rules/fields.h"
#include "rules/parts.h"
#include "rules/taxonomy_private.h"
#include "rules/yamldoc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AMOUNT_MAX 1e12

static const char *const test_names[TREND_TESTS] = {
	[TREND_NOT_DECREASING] = "not_decreasing",
	[TREND_EXPLODING] = "exploding",
	[TREND_VANISHING] = "vanishing",
	[TREND_OVERFIT] = "overfit",
	[TREND_OVERTRAINING] = "overtraining",
	[TREND_STALLED] = "stalled",
	[TREND_OUTLIERS] = "outliers",
	[TREND_SLOW_START] = "slow_start",
	[TREND_GROWTH] = "growth",
	[TREND_AT_CHANCE] = "at_chance",
	[TREND_SLOW_RANKS] = "slow_ranks",
};

static const char *const value_names[TREND_VALUES] = {
	[TREND_POINTS] = "points",
	[TREND_DROP] = "drop",
	[TREND_RISE] = "rise",
	[TREND_FACTOR] = "factor",
	[TREND_BELOW] = "below",
	[TREND_SHARE] = "share",
	[TREND_SECONDS] = "seconds",
	[TREND_PATIENCE] = "patience",
};

static const char *const kind_names[METRIC_KINDS] = {
	[METRIC_VALUE] = "value",
	[METRIC_RATIO] = "ratio",
	[METRIC_STEP] = "step",
	[METRIC_EPOCH] = "epoch",
};

#define USES(v) (1u << TREND_##v)

/* Every test uses points. */
static const unsigned test_uses[TREND_TESTS] = {
	[TREND_NOT_DECREASING] = USES(DROP),
	[TREND_EXPLODING] = USES(FACTOR) | USES(SHARE),
	[TREND_VANISHING] =
	    USES(DROP) | USES(BELOW) | USES(FACTOR) | USES(SHARE),
	[TREND_OVERFIT] = USES(RISE) | USES(DROP) | USES(PATIENCE),
	[TREND_OVERTRAINING] =
	    USES(DROP) | USES(RISE) | USES(SHARE) | USES(PATIENCE),
	[TREND_STALLED] = USES(SECONDS) | USES(FACTOR),
	[TREND_OUTLIERS] = USES(FACTOR) | USES(SHARE),
	[TREND_SLOW_START] = USES(SECONDS) | USES(FACTOR),
	[TREND_GROWTH] = USES(RISE),
	[TREND_AT_CHANCE] = USES(BELOW) | USES(SHARE),
	[TREND_SLOW_RANKS] = USES(FACTOR) | USES(RISE),
};

const char *trend_test_name(enum trend_test t)
{
	return test_names[t];
}

const char *trend_value_name(enum trend_value v)
{
	return value_names[v];
}

bool trend_test_uses(enum trend_test t, enum trend_value v)
{
	return v == TREND_POINTS || test_uses[t] & 1u << v;
}

/* ---- values ---- */

/* enum trend_test * */
static int read_test(struct reader *r, const struct yamldoc_node *n, void *to)
{
	int i = fields_choose(r, n, test_names, TREND_TESTS);

	if (i < 0)
		return -1;
	*(enum trend_test *)to = (enum trend_test)i;
	return 0;
}

/* enum metric_kind * */
static int read_kind(struct reader *r, const struct yamldoc_node *n, void *to)
{
	int i = fields_choose(r, n, kind_names, METRIC_KINDS);

	if (i < 0)
		return -1;
	*(enum metric_kind *)to = (enum metric_kind)i;
	return 0;
}

/* double *: over 0, also far below 1. */
static int read_amount(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct span s = { NULL, 0 };
	double v = 0;

	if (n->kind == YAMLDOC_SCALAR && n->plain)
		s = span_of(n->text);
	if (s.n == 0 || number_read(s, &v) != s.n || !isfinite(v) || v <= 0 ||
	    v > AMOUNT_MAX)
		return fields_bad(
		    r, n, "'%s' must be a number over 0", fields_name(n));
	*(double *)to = v;
	return 0;
}

/* struct strings *: names that are looked for, so in lower case. */
static int read_names(struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "0123456789 @()/";

	if (fields_list(r, n, to))
		return -1;
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		size_t len = strlen(c->text);

		if (c->text[0] < 'a' || c->text[0] > 'z' || len < 2 ||
		    len > 60 || strspn(c->text, allowed) != len)
			return fields_bad(r, c,
			    "a name may hold lower case letters, digits, "
			    "blanks, '/', '@' and brackets, and begins with a "
			    "letter: not '%s'",
			    c->text);
	}
	return 0;
}

/* struct strings *: "samples/s" */
static int read_units(struct reader *r, const struct yamldoc_node *n, void *to)
{
	if (read_names(r, n, to))
		return -1;
	for (const struct yamldoc_node *c = n->first; c; c = c->next)
		if (!strchr(c->text, '/'))
			return fields_bad(
			    r, c, "a unit has a '/' in it: not '%s'", c->text);
	return 0;
}

static const struct field metric_fields[] = {
	{ "id", fields_id, AT(metric, id), true },
	{ "title", fields_text, AT(metric, title), true },
	{ "kind", read_kind, AT(metric, kind), false },
	{ "names", read_names, AT(metric, names), false },
	{ "units", read_units, AT(metric, units), false },
	{ "validation", fields_id, AT(metric, validation), false },
	{ NULL, NULL, 0, false },
};
enum { METRIC_HAS_TITLE = 1 << 1, METRIC_HAS_KIND = 1 << 2 };

#define AMOUNT(name, which)                                              \
	{                                                                \
		name, read_amount,                                       \
		    AT(trend, v) + TREND_##which * sizeof(double), false \
	}

/* The thresholds come first, in the order of enum trend_value. */
static const struct field trend_fields[] = {
	AMOUNT("points", POINTS),
	AMOUNT("drop", DROP),
	AMOUNT("rise", RISE),
	AMOUNT("factor", FACTOR),
	AMOUNT("below", BELOW),
	AMOUNT("share", SHARE),
	AMOUNT("seconds", SECONDS),
	AMOUNT("patience", PATIENCE),
	{ "id", fields_id, AT(trend, id), true },
	{ "title", fields_text, AT(trend, title), true },
	{ "metric", fields_id, AT(trend, metric), true },
	{ "test", read_test, AT(trend, test), true },
	{ "beside", fields_id, AT(trend, beside), false },
	{ "unless", fields_id, AT(trend, unless), false },
	{ "advice", fields_list, AT(trend, advice), false },
	{ "references", fields_list, AT(trend, references), false },
	{ NULL, NULL, 0, false },
};
enum trend_has {
	HAS_ID = TREND_VALUES,
	HAS_TITLE,
	HAS_METRIC,
	HAS_TEST,
	HAS_BESIDE,
	HAS_UNLESS,
	HAS_ADVICE,
	HAS_REFERENCES
};

/* ---- entries ---- */

static int read_metric(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	struct raw_metric *m = fields_more(r, (void **)&raw->metrics,
	    &raw->n_metrics, &raw->cap_metrics, sizeof *m);

	if (!m)
		return -1;
	m->layer = r->layer;
	m->at = fields_id_place(r, n);
	if (fields_map(r, n, metric_fields, &m->metric, &m->given))
		return -1;
	return m->metric.id ? 0 : fields_bad(r, n, "missing key 'id'");
}

static int read_trend(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	struct raw_trend *t = fields_more(r, (void **)&raw->trends,
	    &raw->n_trends, &raw->cap_trends, sizeof *t);

	if (!t)
		return -1;
	t->layer = r->layer;
	t->at = fields_id_place(r, n);
	if (fields_map(r, n, trend_fields, &t->trend, &t->given))
		return -1;
	if (!t->trend.id)
		return fields_bad(r, n, "missing key 'id'");
	t->trend.line = t->at.line;
	t->trend.file = span_dup(span_of(r->file));
	return t->trend.file ? 0 : err_nomem(r->e);
}

static int move_strings(struct strings *to, struct strings *from)
{
	char **v = realloc(to->v, (to->n + from->n + 1) * sizeof *v);

	if (!v)
		return -1;
	to->v = v;
	for (size_t i = 0; i < from->n; i++)
		v[to->n++] = from->v[i];
	from->n = 0;
	return 0;
}

static int read_validation(struct reader *r, const struct yamldoc_node *n)
{
	struct strings words = { 0 };
	int rc = read_names(r, n, &words);

	if (!rc && move_strings(&r->raw->validation, &words))
		rc = err_nomem(r->e);
	taxonomy_strings_release(&words);
	return rc;
}

int trend_read(struct reader *r, const struct yamldoc_node *root)
{
	const struct yamldoc_node *words = yamldoc_get(root, "validation");

	if (fields_each(r, yamldoc_get(root, "metrics"), read_metric) ||
	    fields_each(r, yamldoc_get(root, "trends"), read_trend))
		return -1;
	return words ? read_validation(r, words) : 0;
}

/* ---- bringing layers together ---- */

/* The entry that an id was settled from last. */
struct origin {
	unsigned layer;
	struct place at;
};

static void take_text(char **to, char **from)
{
	if (!*from)
		return;
	free(*to);
	*to = *from;
	*from = NULL;
}

static void take_strings(struct strings *to, struct strings *from)
{
	if (!from->v)
		return;
	taxonomy_strings_release(to);
	*to = *from;
	*from = (struct strings){ 0 };
}

static bool same_id(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static int settle_metric(struct taxonomy *t, struct raw_metric *raw,
    struct origin *from, struct err *e)
{
	struct metric *to, *m = &raw->metric;
	size_t i = 0;

	while (i < t->n_metrics && !same_id(t->metrics[i].id, m->id))
		i++;
	to = &t->metrics[i];
	if (i == t->n_metrics) {
		if (!(raw->given & METRIC_HAS_TITLE))
			return taxonomy_read_bad(
			    e, raw->at, "missing key", "title");
		from[t->n_metrics++] = (struct origin){ raw->layer, raw->at };
		*to = *m;
		*m = (struct metric){ 0 };
		return 0;
	}
	if (from[i].layer == raw->layer)
		return taxonomy_read_bad(e, raw->at, "duplicate id", m->id);
	from[i] = (struct origin){ raw->layer, raw->at };
	take_text(&to->title, &m->title);
	take_text(&to->validation, &m->validation);
	if (raw->given & METRIC_HAS_KIND)
		to->kind = m->kind;
	if (move_strings(&to->names, &m->names) ||
	    move_strings(&to->units, &m->units))
		return err_nomem(e);
	return 0;
}

static int check_new_trend(const struct raw_trend *raw, struct err *e)
{
	static const enum trend_has needed[] = { HAS_TITLE, HAS_METRIC,
		HAS_TEST };

	for (size_t i = 0; i < COUNT(needed); i++)
		if (!(raw->given & 1u << needed[i]))
			return taxonomy_read_bad(e, raw->at, "missing key",
			    trend_fields[needed[i]].name);
	return 0;
}

static int settle_trend(struct taxonomy *t, struct raw_trend *raw,
    struct origin *origins, struct err *e)
{
	struct trend *to, *from = &raw->trend;
	size_t i = 0;

	while (i < t->n_trends && !same_id(t->trends[i].id, from->id))
		i++;
	to = &t->trends[i];
	if (i == t->n_trends) {
		if (check_new_trend(raw, e))
			return -1;
		origins[t->n_trends++] = (struct origin){ raw->layer, raw->at };
		*to = *from;
		*from = (struct trend){ 0 };
		return 0;
	}
	if (origins[i].layer == raw->layer)
		return taxonomy_read_bad(e, raw->at, "duplicate id", from->id);
	origins[i] = (struct origin){ raw->layer, raw->at };
	for (size_t k = 0; k < TREND_VALUES; k++)
		if (raw->given & 1u << k)
			to->v[k] = from->v[k];
	if (raw->given & 1u << HAS_TEST)
		to->test = from->test;
	take_text(&to->title, &from->title);
	take_text(&to->metric, &from->metric);
	take_text(&to->beside, &from->beside);
	take_text(&to->unless, &from->unless);
	take_text(&to->file, &from->file);
	to->line = from->line;
	take_strings(&to->advice, &from->advice);
	take_strings(&to->references, &from->references);
	return 0;
}

static int find_metric(const struct taxonomy *t, const char *id, size_t *out)
{
	for (size_t i = 0; id && i < t->n_metrics; i++) {
		if (same_id(t->metrics[i].id, id)) {
			*out = i;
			return 0;
		}
	}
	return id ? -1 : 0;
}

/* The names it uses, and its thresholds: those of its test and no other. */
static int check_trend(
    const struct taxonomy *tax, struct trend *t, struct place at, struct err *e)
{
	if (find_metric(tax, t->metric, &t->on))
		return taxonomy_read_bad(e, at, "no metric", t->metric);
	if (find_metric(tax, t->beside, &t->beside_on))
		return taxonomy_read_bad(e, at, "no metric", t->beside);
	if (find_metric(tax, t->unless, &t->unless_on))
		return taxonomy_read_bad(e, at, "no metric", t->unless);
	if (t->test == TREND_OVERFIT && !t->beside)
		return taxonomy_read_bad(e, at, "missing key", "beside");
	for (size_t v = 0; v < TREND_VALUES; v++) {
		bool used = trend_test_uses(t->test, (enum trend_value)v);

		if (used && t->v[v] <= 0)
			return taxonomy_read_bad(
			    e, at, "missing key", value_names[v]);
		if (!used && t->v[v] > 0)
			return taxonomy_read_bad(
			    e, at, "the test does not use", value_names[v]);
	}
	return 0;
}

static bool disabled(const struct taxonomy_raw *raw, const char *id)
{
	for (size_t i = 0; i < raw->n_disable; i++)
		if (same_id(raw->disable[i].rule, id))
			return true;
	return false;
}

static int settle_metrics(
    struct taxonomy *t, struct taxonomy_raw *raw, struct err *e)
{
	struct origin *from = calloc(raw->n_metrics + 1, sizeof *from);
	int rc = -1;

	t->metrics = calloc(raw->n_metrics + 1, sizeof *t->metrics);
	if (!from || !t->metrics) {
		err_nomem(e);
		goto out;
	}
	for (size_t i = 0; i < raw->n_metrics; i++)
		if (settle_metric(t, &raw->metrics[i], from, e))
			goto out;
	for (size_t i = 0; i < t->n_metrics; i++) {
		struct metric *m = &t->metrics[i];

		if (find_metric(t, m->validation, &m->validation_metric)) {
			taxonomy_read_bad(
			    e, from[i].at, "no metric", m->validation);
			goto out;
		}
	}
	rc = 0;
out:
	free(from);
	return rc;
}

static int settle_trends(
    struct taxonomy *t, struct taxonomy_raw *raw, struct err *e)
{
	struct origin *from = calloc(raw->n_trends + 1, sizeof *from);
	size_t kept = 0;
	int rc = -1;

	t->trends = calloc(raw->n_trends + 1, sizeof *t->trends);
	if (!from || !t->trends) {
		err_nomem(e);
		goto out;
	}
	for (size_t i = 0; i < raw->n_trends; i++)
		if (settle_trend(t, &raw->trends[i], from, e))
			goto out;
	for (size_t i = 0; i < t->n_trends; i++)
		if (check_trend(t, &t->trends[i], from[i].at, e))
			goto out;
	for (size_t i = 0; i < t->n_trends; i++) {
		struct trend one = t->trends[i];

		if (disabled(raw, one.id))
			trend_release(&one);
		else
			t->trends[kept++] = one;
	}
	t->n_trends = kept;
	rc = 0;
out:
	free(from);
	return rc;
}

/* A blank stands for several letters. */
static void note_steps(struct taxonomy *t)
{
	for (size_t i = 0; i < t->n_metrics; i++) {
		const struct metric *m = &t->metrics[i];

		if (m->kind != METRIC_STEP && m->kind != METRIC_EPOCH)
			continue;
		for (size_t k = 0; k < m->names.n; k++) {
			const char *name = m->names.v[k];

			t->step_letters[name[0] & 31] |= name[1] == ' '
			    ? UINT32_MAX
			    : UINT32_C(1) << (name[1] & 31);
		}
	}
}

int trend_settle(struct taxonomy *t, struct taxonomy_raw *raw, struct err *e)
{
	if (settle_metrics(t, raw, e) || settle_trends(t, raw, e))
		return -1;
	note_steps(t);
	t->validation = raw->validation;
	raw->validation = (struct strings){ 0 };
	return 0;
}

/* ---- release ---- */

void trend_metric_release(struct metric *m)
{
	parts_release(&parts_metric, m);
}

void trend_release(struct trend *t)
{
	parts_release(&parts_trend, t);
}

void trend_read_release(struct taxonomy_raw *raw)
{
	for (size_t i = 0; i < raw->n_metrics; i++)
		trend_metric_release(&raw->metrics[i].metric);
	for (size_t i = 0; i < raw->n_trends; i++)
		trend_release(&raw->trends[i].trend);
	free(raw->metrics);
	free(raw->trends);
	taxonomy_strings_release(&raw->validation);
}
