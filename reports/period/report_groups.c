/*
 * The breakdowns: a table of what they go by. Items come in the order of their
 * jobs, so that a job is new to a group when it is not the group's last one.
 */
#include "reports/period/report_private.h"

#include "base/when.h"
#include "base/buf.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DAYS_MAX 1000 /* more days than this are not filled up */
#define HALF_DAY INT64_C(43200000000)

/* What is not known; keys are compared by their pointers. */
static const char not_known[] = "";

static const char *key_or_unknown(const char *s)
{
	return s && *s ? s : not_known;
}

/* ---- keys that are no texts of an entry ---- */

static const char *key_verdict(const struct entry *en)
{
	return taxonomy_verdict_name(en->verdict);
}

static const char *key_confidence(const struct entry *en)
{
	return diagnosis_confidence_name(en->confidence);
}

/* ---- labels ---- */

const char *report_words(struct arena *p, const char *id)
{
	struct buf b = BUF_INIT(BUF_MAX);
	size_t first = id[strcspn(id, "_")] ? strcspn(id, "_") : 0;
	const char *words = NULL;
	int rc = buf_adds(&b, id);

	for (size_t i = 0; i < b.len && !rc; i++) {
		if (b.p[i] == '_')
			b.p[i] = ' ';
		else if (i == 0 || (first <= 3 && i < first))
			b.p[i] = (char)toupper((unsigned char)b.p[i]);
	}
	if (!rc)
		words = arena_string(p, (struct span){ b.p, b.len });
	buf_release(&b);
	return words;
}

static const char *label_words(
    struct report *r, const struct entry *en, const char *key)
{
	(void)en;
	return report_words(r->arena, key);
}

static const char *label_category(
    struct report *r, const struct entry *en, const char *key)
{
	return en->category_name ? en->category_name : label_words(r, en, key);
}

static const char *label_rule(
    struct report *r, const struct entry *en, const char *key)
{
	const struct rule *rule = taxonomy_rule(r->tax, key);

	(void)en;
	return rule ? rule->title : key;
}

#define TEXT(member) offsetof(struct entry, member), NULL

static const struct row {
	const char *id, *title;
	bool all; /* every attempt, not the failed ones alone */
	/* The key is a text of the entry, or what key makes of it. */
	size_t text;
	const char *(*key)(const struct entry *en);
	/* NULL: the key itself */
	const char *(*label)(
	    struct report *r, const struct entry *en, const char *key);
} rows[BREAKDOWN_COUNT] = {
	[BY_DAY] = { "day", "Days", true, 0, NULL, NULL },
	[BY_CATEGORY] = { "category", "Categories", false, TEXT(category),
	    label_category },
	[BY_DIMENSION] = { "dimension", "Dimensions", false, TEXT(dimension),
	    label_words },
	[BY_FAMILY] = { "family", "Root-cause families", false, TEXT(family),
	    label_words },
	[BY_STAGE] = { "stage", "Stages", false, TEXT(stage), label_words },
	[BY_VERDICT] = { "verdict", "Verdicts", false, 0, key_verdict, NULL },
	[BY_RULE] = { "rule", "Rules", false, TEXT(rule), label_rule },
	[BY_CONFIDENCE] = { "confidence", "Confidence", false, 0,
	    key_confidence, NULL },
	[BY_STATE] = { "state", "Scheduler states", true, TEXT(state), NULL },
	[BY_USER] = { "user", "Users", true, TEXT(user), NULL },
	[BY_GROUP] = { "group", "Groups", true, TEXT(group), NULL },
	[BY_IMAGE] = { "image", "Images", true, TEXT(image), NULL },
	[BY_PARTITION] = { "partition", "Partitions", true, TEXT(partition),
	    NULL },
	[BY_CLUSTER] = { "cluster", "Clusters", true, TEXT(cluster), NULL },
	[BY_NODE] = { "node", "Nodes", true, 0, NULL, NULL },
};

/* May be NULL. */
static const char *key_of(const struct row *row, const struct entry *en)
{
	const char *text;

	if (row->key)
		return row->key(en);
	memcpy(&text, (const char *)en + row->text, sizeof text);
	return text;
}

/* ---- counting ---- */

struct tally {
	struct group g;
	size_t last_now, last_before; /* job, plus 1 */
};

struct tallies {
	struct report_builder *b;
	const struct row *row;
	struct numbers keys;
	struct tally *v; /* by number */
	size_t cap;
};

static struct tally *tally_of(
    struct tallies *t, const struct entry *en, const char *key)
{
	const char *label = key;
	size_t i;

	key = key_or_unknown(key);
	i = report_number_row(&t->keys, key, &t->v, &t->cap, sizeof *t->v);
	if (i == SIZE_MAX)
		return NULL;
	if (t->v[i].g.key)
		return &t->v[i];
	if (key == not_known)
		label = "not known";
	else if (t->row->label && en)
		label = t->row->label(t->b->r, en, key);
	if (!label)
		return NULL;
	t->v[i].g.key = key;
	t->v[i].g.label = label;
	return &t->v[i];
}

static int count(
    struct tallies *t, const struct item *it, const char *key, bool failed)
{
	struct tally *y = tally_of(t, it->en, key);
	size_t *last;
	struct sums *s;

	if (!y)
		return -1;
	s = it->now ? &y->g.now : &y->g.before;
	last = it->now ? &y->last_now : &y->last_before;
	report_sum(s, it, failed);
	s->jobs += *last != it->job + 1;
	*last = it->job + 1;
	return 0;
}

static int count_nodes(struct tallies *t, const struct item *it)
{
	const struct entry *en = it->en;
	bool failed = en->failed == 1, on_it = false;

	for (size_t i = 0; i < en->n_nodes; i++) {
		bool here = en->nodes[i] == en->node;

		if (here && on_it)
			continue; /* named twice */
		on_it |= here;
		if (count(t, it, en->nodes[i], failed && here))
			return -1;
	}
	return en->node && !on_it ? count(t, it, en->node, failed) : 0;
}

static const char *day_of(struct report *r, int64_t when)
{
	char text[32];

	when_format(report_local(r, when), text);
	return arena_string(
	    r->arena, (struct span){ text, strlen("2026-11-20") });
}

static int count_day(struct tallies *t, const struct item *it)
{
	const char *day;

	/* a day of the period before is no day of this one */
	if (!it->now || it->when == ENVELOPE_NO_TIME)
		return 0;
	day = day_of(t->b->r, it->when);
	return day ? count(t, it, day, it->en->failed == 1) : -1;
}

/* Days on which nothing happened are days as well. */
static int fill_days(struct tallies *t)
{
	struct report *r = t->b->r;
	const struct report_options *o = &r->options;
	int64_t from = o->since != ENVELOPE_NO_TIME ? o->since : r->first;
	int64_t to = o->until != ENVELOPE_NO_TIME ? o->until - 1 : r->last;

	if (from == ENVELOPE_NO_TIME || to == ENVELOPE_NO_TIME || to < from ||
	    (uint64_t)to - (uint64_t)from > DAYS_MAX * 2 * (uint64_t)HALF_DAY)
		return 0;
	for (int64_t at = from; at < to; at += HALF_DAY) {
		const char *day = day_of(r, at);

		if (!day || !tally_of(t, NULL, day))
			return -1;
	}
	return tally_of(t, NULL, day_of(r, to)) ? 0 : -1;
}

/* ---- order ---- */

static int by_failed(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->now.failed != y->now.failed)
		return x->now.failed < y->now.failed ? 1 : -1;
	if (x->now.attempts != y->now.attempts)
		return x->now.attempts < y->now.attempts ? 1 : -1;
	return strcmp(x->key, y->key);
}

static int by_key(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static int finish(struct tallies *t, struct breakdown *out, bool days)
{
	size_t n = t->keys.n;

	out->v = arena_memory(t->b->arena, (n + 1) * sizeof *out->v);
	if (!out->v)
		return -1;
	for (size_t i = 0; i < n; i++)
		out->v[i] = t->v[i].g;
	out->n = n;
	qsort(out->v, n, sizeof *out->v, days ? by_key : by_failed);
	return 0;
}

int report_groups(struct report_builder *b)
{
	int rc = 0;

	for (size_t k = 0; k < BREAKDOWN_COUNT && !rc; k++) {
		struct breakdown *out = &b->r->breakdowns[k];
		const struct row *row = &rows[k];
		struct tallies t = { .b = b, .row = row };

		out->id = row->id;
		out->title = row->title;
		for (size_t i = 0; i < b->n && !rc; i++) {
			const struct item *it = &b->items[i];
			bool failed = it->en->failed == 1;

			if (!row->all && !failed)
				continue;
			if (k == BY_DAY)
				rc = count_day(&t, it);
			else if (k == BY_NODE)
				rc = count_nodes(&t, it);
			else
				rc = count(&t, it, key_of(row, it->en), failed);
		}
		if (!rc && k == BY_DAY)
			rc = fill_days(&t);
		if (!rc)
			rc = finish(&t, out, k == BY_DAY);
		report_numbers_release(&t.keys);
		free(t.v);
	}
	return rc;
}
