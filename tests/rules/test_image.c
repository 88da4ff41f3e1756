/*
 * The taxonomy that the build put into the program against the one that its
 * files make: each field of each entry, so that a field which the image leaves
 * out, mixes up or cannot spell is found.
 */
#include "tests/test.h"

#include "base/err.h"
#include "rules/pattern.h"
#include "rules/taxonomy_private.h"
#include "tests/rules/overlay_lab.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, TEXTS, FLAG, INT, LONG, SIZE, FACTOR, LITERALS };

struct field {
	enum kind kind;
	size_t at;
	const char *name; /* NULL ends the table */
};

#define F(type, kind, field)                               \
	{                                                  \
		kind, offsetof(struct type, field), #field \
	}

static const struct field category_fields[] = {
	F(category, TEXT, id),
	F(category, TEXT, name),
	F(category, TEXT, dimension),
	F(category, TEXT, family),
	F(category, TEXT, description),
	F(category, FLAG, in_study),
	F(category, INT, verdict),
	F(category, TEXTS, remedies),
	F(category, TEXTS, when),
	F(category, TEXTS, references),
	F(category, TEXTS, follows),
	{ 0 },
};

static const struct field rule_fields[] = {
	F(rule, TEXT, id),
	F(rule, TEXT, title),
	F(rule, SIZE, number),
	F(rule, SIZE, category),
	F(rule, INT, role),
	F(rule, INT, where),
	F(rule, FLAG, generic),
	F(rule, INT, weight),
	F(rule, FLAG, unexplained),
	F(rule, FLAG, lasting),
	F(rule, FLAG, alone),
	F(rule, FLAG, ends_process),
	F(rule, INT, confidence),
	F(rule, INT, word_of),
	F(rule, TEXTS, pattern),
	F(rule, TEXTS, unless),
	F(rule, SIZE, first),
	F(rule, SIZE, least),
	F(rule, SIZE, longest),
	F(rule, TEXT, within),
	F(rule, INT, within_lines),
	F(rule, SIZE, within_rule),
	F(rule, TEXT, until),
	F(rule, INT, sources),
	F(rule, TEXTS, extract),
	F(rule, TEXTS, key),
	F(rule, TEXTS, follows),
	F(rule, INT, verdict),
	F(rule, TEXTS, meanings),
	F(rule, TEXTS, remedies),
	F(rule, TEXTS, references),
	F(rule, TEXT, since),
	F(rule, TEXTS, match),
	F(rule, TEXTS, no_match),
	F(rule, TEXT, file),
	F(rule, INT, line),
	F(rule, FLAG, site),
	{ 0 },
};

static const struct field policy_fields[] = {
	F(policy_row, TEXT, category),
	F(policy_row, TEXT, rule),
	F(policy_row, TEXT, seen_with),
	F(policy_row, INT, verdict),
	F(policy_row, TEXT, reason),
	F(policy_row, FACTOR, memory_factor),
	F(policy_row, FACTOR, time_factor),
	F(policy_row, FLAG, at_start),
	F(policy_row, FLAG, held_by_others),
	F(policy_row, FLAG, after_success),
	F(policy_row, FLAG, exclude_nodes),
	F(policy_row, FLAG, from_checkpoint),
	F(policy_row, INT, stop_needs),
	F(policy_row, LONG, delay_seconds),
	F(policy_row, FACTOR, backoff),
	F(policy_row, LONG, max_delay_seconds),
	F(policy_row, FLAG, own_retries),
	F(policy_row, FLAG, own_repeats),
	F(policy_row, INT, retries),
	F(policy_row, FLAG, repeats),
	F(policy_row, TEXT, file),
	F(policy_row, INT, line),
	F(policy_row, INT, layer),
	{ 0 },
};

static const struct field redaction_fields[] = {
	F(redaction, TEXT, id),
	F(redaction, TEXT, title),
	F(redaction, TEXT, option),
	F(redaction, TEXT, pattern),
	F(redaction, SIZE, word),
	F(redaction, TEXTS, secret),
	F(redaction, TEXTS, clean),
	F(redaction, TEXT, file),
	F(redaction, INT, line),
	F(redaction, FLAG, site),
	F(redaction, LITERALS, literals),
	{ 0 },
};

static const struct field signal_fields[] = {
	F(signal, TEXT, id),
	F(signal, TEXT, title),
	F(signal, INT, kind),
	F(signal, TEXT, pattern),
	F(signal, TEXT, unless),
	F(signal, TEXTS, any),
	F(signal, TEXTS, starts),
	F(signal, TEXTS, ends),
	F(signal, INT, tells),
	F(signal, TEXTS, fixed),
	F(signal, TEXTS, match),
	F(signal, TEXTS, no_match),
	F(signal, TEXT, file),
	F(signal, INT, line),
	F(signal, FLAG, site),
	{ 0 },
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_texts(const struct strings *a, const struct strings *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_text(a->v[i], b->v[i]))
			return false;
	return true;
}

static bool same_literals(const struct literals *a, const struct literals *b)
{
	if (a->n != b->n || a->least != b->least)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->len[i] != b->len[i] ||
		    memcmp(a->text[i], b->text[i], a->len[i] + 1) != 0)
			return false;
	return true;
}

static bool same(const struct field *f, const void *a, const void *b)
{
	const void *x = (const char *)a + f->at, *y = (const char *)b + f->at;

	switch (f->kind) {
	case TEXT:
		return same_text(*(char *const *)x, *(char *const *)y);
	case TEXTS:
		return same_texts(x, y);
	case LITERALS:
		return same_literals(x, y);
	case FLAG:
		return !memcmp(x, y, sizeof(bool));
	case INT:
		return !memcmp(x, y, sizeof(int));
	case LONG:
		return !memcmp(x, y, sizeof(long));
	case SIZE:
		return !memcmp(x, y, sizeof(size_t));
	case FACTOR:
		return !memcmp(x, y, sizeof(double));
	}
	return false;
}

static void compare(
    const struct field *fields, const void *a, const void *b, const char *id)
{
	for (; fields->name; fields++)
		if (!same(fields, a, b))
			fail_msg("%s: the image has another %s than the files",
			    id, fields->name);
}

static void same_taxonomy(
    const struct taxonomy *t, const struct taxonomy *files)
{
	assert_true(t->n_categories && t->n_rules && t->n_policy);
	assert_int_equal(t->n_categories, files->n_categories);
	assert_int_equal(t->n_rules, files->n_rules);
	assert_int_equal(t->n_policy, files->n_policy);
	assert_int_equal(t->n_patterns, files->n_patterns);
	assert_memory_equal(t->pattern_rule, files->pattern_rule,
	    t->n_patterns * sizeof *t->pattern_rule);
	for (size_t i = 0; i < t->n_categories; i++)
		compare(category_fields, &t->categories[i],
		    &files->categories[i], t->categories[i].id);
	for (size_t i = 0; i < t->n_rules; i++)
		compare(rule_fields, taxonomy_rule_at(t, i),
		    taxonomy_rule_at(files, i), taxonomy_rule_at(t, i)->id);
	for (size_t i = 0; i < t->n_policy; i++)
		compare(policy_fields, &t->policy[i], &files->policy[i],
		    t->policy[i].reason);
	assert_true(t->n_redactions > 0);
	assert_int_equal(t->n_redactions, files->n_redactions);
	for (size_t i = 0; i < t->n_redactions; i++)
		compare(redaction_fields, &t->redactions[i],
		    &files->redactions[i], t->redactions[i].id);
	assert_true(t->n_signals > 0);
	assert_int_equal(t->n_signals, files->n_signals);
	for (size_t i = 0; i < t->n_signals; i++)
		compare(signal_fields, taxonomy_signal_at(t, i),
		    taxonomy_signal_at(files, i), taxonomy_signal_at(t, i)->id);
	assert_memory_equal(
	    t->signal_from, files->signal_from, sizeof t->signal_from);
	assert_memory_equal(
	    t->step_letters, files->step_letters, sizeof t->step_letters);
	assert_int_equal(t->stop_needs, files->stop_needs);
	assert_int_equal(t->node_window, files->node_window);
	assert_memory_equal(&t->budgets, &files->budgets, sizeof t->budgets);
	assert_string_equal(t->hash, files->hash);
}

static void test_image(void **state)
{
	struct err e = { 0 };
	struct taxonomy *t = taxonomy_load(NULL, 0, &e);
	struct taxonomy *files = taxonomy_load_files(NULL, 0, NULL, &e);

	(void)state;
	assert_string_equal(e.text, "");
	assert_true(taxonomy_built_in(t));
	assert_false(taxonomy_built_in(files));
	same_taxonomy(t, files);
	/* What is written down is also what the content hashes to. */
	memset(t->hash, 0, sizeof t->hash);
	assert_int_equal(taxonomy_set_hash(t), 0);
	assert_string_equal(t->hash, files->hash);
	taxonomy_free(files);
	taxonomy_free(t);
}

/* Each load has patterns of its own, and leaves the image as it was. */
static void test_loaded_twice(void **state)
{
	struct taxonomy *a = taxonomy_load(NULL, 0, NULL), *b;
	const struct pattern *p;

	(void)state;
	assert_non_null(a);
	p = taxonomy_pattern(a, 0);
	assert_non_null(p);
	assert_ptr_equal(taxonomy_pattern(a, 0), p);
	b = taxonomy_load(NULL, 0, NULL);
	assert_non_null(b);
	assert_ptr_not_equal(taxonomy_pattern(b, 0), p);
	taxonomy_free(a);
	assert_ptr_equal(taxonomy_rule(b, taxonomy_rule_at(b, 0)->id),
	    taxonomy_rule_at(b, 0));
	taxonomy_free(b);
}

/* What overlays may do: nothing, and then to each kind of entry. */
static const char *const overlays[] = {
	"disable: []\n",
	"rules:\n  - id: context.aa_site\n    title: A\n    role: context\n"
	"    pattern: ['site {{size}} aa', 'site {{brackets}} bb']\n"
	"    unless: [no site, '{{class_of_ours}}: not']\n"
	"    examples: {match: [site 3 MB aa], no_match: [x]}\n"
	"pieces: {class_of_ours: 'Our\\w+', size: '\\d MB'}\n",
	"category: {id: hang, verdict: stop, remedies: [Wait.], name: Hung}\n"
	"rules:\n  - id: hang.rank_monitor\n    title: Other\n"
	"    pattern: the site's monitor says so\n    role: root\n"
	"    examples: {match: [the site's monitor says so], no_match: [x]}\n",
	"disable: [hang.idle, trend.slow_start]\n"
	"signals:\n  - id: frames.site\n    title: Our framework\n"
	"    signal: frames\n    act: framework\n    name: ours\n"
	"    any: [/ours/]\n"
	"    examples: {match: [/a/ours/b.py], no_match: [/a/b.py]}\n",
	"policy:\n  - category: gpu_out_of_memory\n    verdict: stop\n"
	"    reason: We say so.\n  - rule: gpu_out_of_memory.torch\n"
	"    verdict: retry\n    reason: So do we.\nbudgets: {total: 4}\n",
	"metrics:\n  - id: loss\n    names: [my objective]\n"
	"trends:\n  - id: trend.overfit\n    rise: 0.3\n"
	"validation: [holdout]\n",
	"redactions:\n  - id: redact.site_badge\n    title: badge\n"
	"    pattern: 'badge (?<secret>[0-9]{4,})'\n"
	"    examples: {secret: ['badge {{digit*6}}'], clean: [badge]}\n",
	("category:\n  id: aa_site\n  name: First\n  dimension: site\n"
	 "  family: external\n  verdict: stop\n  description: Sorts first.\n"),
};

/* Over the image an overlay gives what it gives over the files. */
static void test_overlays(void **state)
{
	const char *paths[sizeof overlays / sizeof *overlays];
	size_t n = sizeof overlays / sizeof *overlays;

	(void)state;
	for (size_t i = 0; i <= n; i++) {
		struct err e = { 0 };
		struct folder f;
		struct taxonomy *a, *b;
		size_t count = i < n ? 1 : n;

		/* one of them, or all, one after the other */
		folder_open(&f);
		for (size_t k = 0; k < count; k++) {
			char name[16];

			snprintf(name, sizeof name, "%zu.yaml", k);
			paths[k] =
			    folder_add(&f, name, overlays[count == 1 ? i : k]);
		}
		a = taxonomy_load(paths, count, &e);
		assert_string_equal(e.text, "");
		b = taxonomy_load_files(paths, count, NULL, &e);
		assert_string_equal(e.text, "");
		same_taxonomy(a, b);
		taxonomy_free(a);
		taxonomy_free(b);
		folder_close(&f);
	}
}

/* From the last to the first, and what went wrong. */
static void *take_all(void *tax)
{
	const struct taxonomy *t = tax;

	for (size_t i = t->n_rules; i-- > 0;) {
		const struct rule *r = taxonomy_rule_at(t, i);

		if (!r->id || !r->match.n || !r->match.v[r->match.n - 1] ||
		    r->number != i)
			return tax;
	}
	for (size_t i = t->n_signals; i-- > 0;) {
		const struct signal *s = taxonomy_signal_at(t, i);

		if (!s->id || !s->match.n || !s->match.v[s->match.n - 1] ||
		    s->kind >= SIGNAL_KINDS || i < t->signal_from[s->kind] ||
		    i >= t->signal_from[s->kind + 1])
			return tax;
	}
	return NULL;
}

/* Each is made once, whoever asks for it first. */
static void test_threads(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);
	pthread_t threads[4];
	void *bad = NULL;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, take_all, t), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &bad), 0);
		assert_null(bad);
	}
	taxonomy_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_loaded_twice),
		cmocka_unit_test(test_overlays),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
