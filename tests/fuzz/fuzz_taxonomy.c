/*
 * Bytes as rule files: refused with their place, or a taxonomy in which
 * everything is where it is looked for, that is the same when it is loaded
 * again, and whose rules answer the same with the prefilter and without.
 *
 * Input: files with a form feed between them; each is a layer of its own.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/rules/rules.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LAYERS 4

static struct taxonomy *load(struct span data, struct err *e)
{
	struct taxonomy_raw raw = { 0 };
	struct taxonomy *t = NULL;
	unsigned layer = 0;
	int rc = 0;

	/* from 1 on: what is built in is not compiled when it is loaded */
	while (!rc && data.n && layer < LAYERS)
		rc = taxonomy_read_file(
		    &raw, fuzz_part(&data, '\f'), "x.yaml", ++layer, e);
	if (!rc)
		t = taxonomy_settle(&raw, layer, e);
	taxonomy_read_release(&raw);
	return t;
}

static void check_entries(const struct taxonomy *t)
{
	for (size_t i = 1; i < t->n_categories; i++)
		FUZZ_CHECK(
		    strcmp(t->categories[i - 1].id, t->categories[i].id) < 0);
	for (size_t i = 0; i < t->n_categories; i++)
		FUZZ_CHECK(taxonomy_category(t, t->categories[i].id) ==
		    &t->categories[i]);
	for (size_t i = 0; i < t->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(t, i);

		FUZZ_CHECK(
		    !i || strcmp(taxonomy_rule_at(t, i - 1)->id, r->id) < 0);
		FUZZ_CHECK(taxonomy_rule(t, r->id) == r);
		FUZZ_CHECK(r->category < t->n_categories ||
		    (r->category == TAXONOMY_NO_CATEGORY &&
			r->role == ROLE_CONTEXT));
		FUZZ_CHECK(r->pattern.n > 0);
		for (size_t k = 0; k < r->pattern.n; k++) {
			FUZZ_CHECK(t->pattern_rule[r->first + k] == i);
			FUZZ_CHECK(taxonomy_pattern(t, r->first + k));
		}
		FUZZ_CHECK(!r->unless.n == !taxonomy_unless(t, i));
		FUZZ_CHECK(!r->within ||
		    (r->within_rule < t->n_rules &&
			!strcmp(taxonomy_rule_at(t, r->within_rule)->id,
			    r->within)));
	}
	for (size_t i = 0; i < t->n_policy; i++) {
		const struct policy_row *p = &t->policy[i];

		FUZZ_CHECK(!p->category != !p->rule);
		FUZZ_CHECK(p->verdict < VERDICT_COUNT);
		FUZZ_CHECK(p->retries >= RETRIES_ANY);
		FUZZ_CHECK(p->delay_seconds >= 0 &&
		    p->max_delay_seconds >= p->delay_seconds);
	}
}

/* A memory file to print into. */
struct page {
	char *p;
	size_t n;
	FILE *f;
};

static void page_open(struct page *p)
{
	p->f = open_memstream(&p->p, &p->n);
	FUZZ_CHECK(p->f);
}

static struct buf page_close(struct page *p)
{
	FUZZ_CHECK(!fclose(p->f));
	return (struct buf){ p->p, p->n, p->n, BUF_MAX };
}

static void show(const struct taxonomy *t, const struct limits *limits)
{
	struct page page;
	struct buf text;
	struct json *o;
	struct err e = { 0 };

	page_open(&page);
	rules_list_text(t, page.f);
	rules_policy_show(t, page.f);
	rules_policy_check(t, page.f);
	fuzz_ok(rules_check(t, limits, false, false, page.f, &e) < 0, &e);
	if (t->n_rules)
		fuzz_ok(
		    rules_show(t, taxonomy_rule_at(t, 0)->id, page.f, &e), &e);
	text = page_close(&page);
	buf_release(&text);
	page_open(&page);
	fuzz_ok(rules_check(t, limits, false, true, page.f, &e) < 0, &e);
	text = page_close(&page);
	o = json_parse((struct span){ text.p, text.len }, JSON_UNIQUE_KEYS, &e);
	fuzz_ok(!o, &e);
	json_free(o);
	buf_release(&text);
}

static struct buf try_examples(
    const struct taxonomy *t, const struct limits *limits, bool prefilter)
{
	struct page page;
	struct err e = { 0 };

	page_open(&page);
	fuzz_ok(rules_test(t, limits, prefilter, page.f, &e) < 0, &e);
	return page_close(&page);
}

static void run(struct span data)
{
	struct err e = { 0 };
	struct taxonomy *t = load(data, &e), *again;
	struct limits limits;
	struct buf on, off;

	if (!t) {
		FUZZ_CHECK(!strncmp(e.text, "x.yaml:", 7));
		return;
	}
	FUZZ_CHECK(!e.text[0]);
	check_entries(t);
	again = load(data, &e);
	FUZZ_CHECK(again && !strcmp(again->hash, t->hash));
	taxonomy_free(again);
	limits_init(&limits);
	limits.v[LIMIT_MATCH] = limit_table[LIMIT_MATCH].min;
	show(t, &limits);
	on = try_examples(t, &limits, true);
	off = try_examples(t, &limits, false);
	fuzz_same(&on, &off);
	buf_release(&on);
	buf_release(&off);
	taxonomy_free(t);
}

const struct fuzz_target fuzz_taxonomy = { "taxonomy", 8 << 10, run };
