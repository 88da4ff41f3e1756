/*
 * Loading: the shipped files and all their examples, what overlays may change,
 * and the place and text of every kind of error.
 */
#include "tests/rules/hits.h"
#include "tests/rules/overlay_lab.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/embedded.h"
#include "rules/pattern.h"
#include "rules/prefilter.h"
#include "rules/taxonomy.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(taxonomy_role_name(ROLE_FALLBACK), "fallback");
	assert_string_equal(taxonomy_where_name(WHERE_EXCEPTION), "exception");
	assert_string_equal(
	    taxonomy_verdict_name(VERDICT_UNDECIDED), "undecided");
	assert_int_equal(taxonomy_verdict("stop"), VERDICT_STOP);
	assert_int_equal(taxonomy_verdict("stopped"), -1);
}

/* Everything that ships passes all checks of an overlay, where patterns are
 * compiled and groups looked up, and replaces itself one for one. */
static void test_shipped(void **state)
{
	const char *top = getenv("TOP");
	struct err e = { 0 };
	struct taxonomy *own, *again;
	char path[1000];
	const char *overlay = path;

	(void)state;
	snprintf(path, sizeof path, "%s/taxonomy", top ? top : ".");
	own = taxonomy_load(NULL, 0, &e);
	assert_string_equal(e.text, "");
	again = taxonomy_load(&overlay, 1, &e);
	assert_string_equal(e.text, "");
	assert_true(own->n_rules > 0);
	assert_int_equal(own->n_rules, again->n_rules);
	assert_int_equal(own->n_categories, again->n_categories);
	assert_int_equal(2 * own->n_policy, again->n_policy);
	for (size_t i = 1; i < own->n_rules; i++)
		assert_true(strcmp(taxonomy_rule_at(own, i - 1)->id,
				taxonomy_rule_at(own, i)->id) < 0);
	for (size_t i = 0; i < own->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(own, i);

		assert_ptr_equal(taxonomy_rule(own, r->id), r);
		assert_int_equal(
		    taxonomy_rule_at(again, i)->pattern.n, r->pattern.n);
		for (size_t k = 0; k < r->pattern.n; k++)
			assert_string_equal(
			    taxonomy_rule_at(again, i)->pattern.v[k],
			    r->pattern.v[k]);
		assert_true(r->line > 0);
		assert_true(r->match.n > 0 && r->no_match.n > 0);
		assert_true((r->category == TAXONOMY_NO_CATEGORY) ==
		    !strncmp(r->file, "taxonomy/context.yaml", 21));
	}
	taxonomy_free(own);
	taxonomy_free(again);
}

/* Pattern k of all; its rule's unless counts. */
static bool matches(
    const struct taxonomy *t, size_t k, struct matcher *m, const char *text)
{
	const struct rule *r = taxonomy_rule_at(t, t->pattern_rule[k]);
	struct span s = span_of(text);
	int rc = pattern_find(taxonomy_pattern(t, k), m, s, NULL);

	if (rc < 0)
		fail_msg("%s: limit hit on: %s", r->id, text);
	if (rc == 1 && r->unless.n)
		rc = !pattern_find(taxonomy_unless(t, r->number), m, s, NULL);
	return rc == 1;
}

static bool nominated(
    const struct prefilter *pf, const struct prefilter_hits *hits, size_t i)
{
	return !prefilter_covers(pf, i) || set_hit_in(pf, hits, i, 0, SIZE_MAX);
}

struct bench {
	struct taxonomy *t;
	struct matcher *m;
	struct prefilter *pf;
	struct prefilter_hits hits;
};

static void bench_open(struct bench *b)
{
	struct literals *sets;

	memset(b, 0, sizeof *b);
	b->t = taxonomy_load(NULL, 0, NULL);
	assert_non_null(b->t);
	b->m = pattern_matcher_new(200000);
	assert_non_null(b->m);
	sets = calloc(b->t->n_patterns + 1, sizeof *sets);
	assert_non_null(sets);
	for (size_t i = 0; i < b->t->n_patterns; i++) {
		const struct rule *r =
		    taxonomy_rule_at(b->t, b->t->pattern_rule[i]);

		assert_true(i >= r->first && i < r->first + r->pattern.n);
		assert_int_equal(
		    literals_from_pattern(&sets[i], r->pattern.v[i - r->first]),
		    0);
	}
	b->pf = prefilter_new(sets, b->t->n_patterns, NULL);
	assert_non_null(b->pf);
	for (size_t i = 0; i < b->t->n_patterns; i++)
		literals_release(&sets[i]);
	free(sets);
}

static void bench_close(struct bench *b)
{
	prefilter_hits_release(&b->hits);
	prefilter_free(b->pf);
	pattern_matcher_free(b->m);
	taxonomy_free(b->t);
}

static void run_examples(struct bench *b, size_t i, bool want)
{
	const struct rule *r = taxonomy_rule_at(b->t, i);
	const struct strings *s = want ? &r->match : &r->no_match;

	/* theirs are whole tracebacks and boxes, which `taxonomy test` reads */
	if (r->raised_in.n || strstr(r->id, ".simulation_box"))
		return;
	for (size_t k = 0; k < s->n; k++) {
		bool direct = false;

		/* so are these: of a report only what it says is matched */
		if (r->where == WHERE_EXCEPTION && strchr(s->v[k], '\n'))
			continue;
		assert_int_equal(
		    prefilter_find(b->pf, span_of(s->v[k]), &b->hits), 0);
		for (size_t p = r->first; p < r->first + r->pattern.n; p++) {
			bool one = matches(b->t, p, b->m, s->v[k]);

			if (one && !nominated(b->pf, &b->hits, p))
				fail_msg("%s: not nominated for: %s", r->id,
				    s->v[k]);
			direct |= one;
		}
		if (direct != want)
			fail_msg("%s:%u: %s: example %s: %s", r->file, r->line,
			    r->id, want ? "does not match" : "must not match",
			    s->v[k]);
	}
}

static void test_examples(void **state)
{
	struct bench b;

	(void)state;
	bench_open(&b);
	for (size_t i = 0; i < b.t->n_rules; i++) {
		run_examples(&b, i, true);
		run_examples(&b, i, false);
	}
	bench_close(&b);
}

/* Each pattern on an example of every other: the same answer with and without
 * nomination. */
static void test_nomination(void **state)
{
	struct bench b;
	size_t found = 0;

	(void)state;
	bench_open(&b);
	for (size_t i = 0; i < b.t->n_rules; i++) {
		const char *text = taxonomy_rule_at(b.t, i)->match.v[0];

		assert_int_equal(
		    prefilter_find(b.pf, span_of(text), &b.hits), 0);
		for (size_t k = 0; k < b.t->n_patterns; k++) {
			bool direct = matches(b.t, k, b.m, text);

			found += direct;
			if (direct && !nominated(b.pf, &b.hits, k))
				fail_msg("%s: not nominated for: %s",
				    taxonomy_rule_at(b.t, b.t->pattern_rule[k])
					->id,
				    text);
		}
	}
	assert_true(found >= b.t->n_rules);
	bench_close(&b);
}

static void test_add(void **state)
{
	struct taxonomy *own = taxonomy_load(NULL, 0, NULL);
	struct taxonomy *t = load_two(CATEGORY
	    "  in_study: false\n  remedies: [Call us., Wait.]\n" RULE
	    "    where: exception\n"
	    "    generic: true\n"
	    "    weight: 3\n"
	    "    unless: zz\n"
	    "    within: {rule: site_fault.one, lines: 7}\n"
	    "    follows: [earlier_step, loss_nan]\n"
	    "    ends_process: true\n    word_of: kernel\n"
	    "    source: [dmesg, error_file]\n"
	    "    extract: [code]\n"
	    "    key: [code]\n"
	    "    verdict: stop\n"
	    "    since: '1.2'\n",
	    NULL);
	const struct category *c = taxonomy_category(t, "site_fault");
	const struct rule *r = taxonomy_rule(t, "site_fault.one");
	size_t i = r->number;

	(void)state;
	assert_non_null(own);
	assert_int_equal(t->n_rules, own->n_rules + 1);
	assert_int_equal(t->n_categories, own->n_categories + 1);
	assert_string_not_equal(t->hash, own->hash);
	assert_int_equal(strspn(t->hash, "0123456789abcdef"), 32);
	assert_int_equal(c->verdict, VERDICT_RETRY);
	assert_int_equal(c->remedies.n, 2);
	assert_string_equal(c->remedies.v[1], "Wait.");
	assert_string_equal(c->when.v[1], "");
	assert_ptr_equal(&t->categories[r->category], c);
	assert_int_equal(r->where, WHERE_EXCEPTION);
	assert_true(r->generic);
	assert_int_equal(r->weight, 3);
	assert_int_equal(r->sources, SOURCE_DMESG | SOURCE_ERROR_FILE);
	assert_int_equal(r->verdict, VERDICT_STOP);
	assert_int_equal(r->within_rule, i);
	assert_int_equal(r->within_lines, 7);
	assert_true(r->ends_process);
	assert_int_equal(r->word_of, SPEAKER_KERNEL);
	assert_int_equal(r->follows.n, 2);
	assert_string_equal(r->follows.v[1], "loss_nan");
	assert_string_equal(r->since, "1.2");
	assert_string_equal(r->extract.v[0], "code");
	assert_int_equal(r->least, 2);
	assert_int_equal(r->line, 11);
	assert_non_null(taxonomy_unless(t, i));
	assert_int_equal(
	    pattern_group(taxonomy_pattern(t, r->first), "code"), 1);
	taxonomy_free(t);
	taxonomy_free(own);
}

/* A later overlay: fields of a category, a whole rule, rules for a category
 * that is defined elsewhere, rules switched off. */
static void test_override(void **state)
{
	struct taxonomy *t =
	    load_two(CATEGORY "  in_study: true\n" RULE "    generic: true\n"
			      "  - id: site_fault.two\n"
			      "    title: Two\n"
			      "    pattern: two\n"
			      "    role: consequence\n" EXAMPLES,
		"category: {id: site_fault, verdict: stop,\n"
		"  remedies: [{do: [Stop it., Go.], when: [a, b c]}]}\n"
		"rules:\n"
		"  - id: site_fault.one\n"
		"    title: Other\n"
		"    pattern: other text\n"
		"    role: fallback\n" EXAMPLES "disable: [site_fault.two]\n");
	const struct category *c = taxonomy_category(t, "site_fault");
	const struct rule *r = taxonomy_rule(t, "site_fault.one");

	(void)state;
	assert_string_equal(c->name, "Site Fault");
	assert_int_equal(c->verdict, VERDICT_STOP);
	assert_true(c->in_study);
	assert_int_equal(c->remedies.n, 2);
	assert_string_equal(c->remedies.v[1], "Go.");
	assert_string_equal(c->when.v[1], "a|b c");
	assert_string_equal(r->title, "Other");
	assert_false(r->generic);
	assert_int_equal(r->role, ROLE_FALLBACK);
	assert_null(taxonomy_rule(t, "site_fault.two"));
	taxonomy_free(t);
	t = load_two(CATEGORY RULE,
	    "category: site_fault\n"
	    "rules:\n"
	    "  - id: site_fault.three\n"
	    "    title: Three\n"
	    "    pattern: three\n"
	    "    role: root\n" EXAMPLES);
	r = taxonomy_rule(t, "site_fault.three");
	assert_string_equal(t->categories[r->category].id, "site_fault");
	taxonomy_free(t);
	/* Switched off by the first, given again by the second. */
	t = load_two(CATEGORY RULE "disable: [site_fault.one]\n",
	    "category: site_fault\n" RULE);
	assert_non_null(taxonomy_rule(t, "site_fault.one"));
	taxonomy_free(t);
}

/* The hash knows contents, not places. */
static void test_hash(void **state)
{
	struct taxonomy *a = load_two(CATEGORY RULE, NULL);
	struct taxonomy *b = load_two("# moved\n\n" CATEGORY,
	    "category: "
	    "site_fault\n" RULE);
	struct taxonomy *c = load_two(CATEGORY "  in_study: true\n" RULE, NULL);

	(void)state;
	assert_string_equal(a->hash, b->hash);
	assert_string_not_equal(a->hash, c->hash);
	taxonomy_free(a);
	taxonomy_free(b);
	taxonomy_free(c);
}

static void test_bad_files(void **state)
{
	(void)state;
	refuse("", "1:1: the file is empty");
	refuse("- a\n", "1:1: expected a map of keys");
	refuse("a: [\n", "2:1: did not find expected node content");
	refuse("rule: []\n", "1:1: unknown key 'rule'");
	refuse("rules: {}\n", "1:8: 'rules' must be a list");
	refuse("rules: [a]\n", "1:9: 'item' must be a map of keys");
	refuse("category: []\n", "1:11: 'category' must be a map of keys");
	refuse("category: \n", "1:10: 'category' must not be empty");
	refuse("disable: [none.such]\n", "1:11: no rule 'none.such'");
}

static void test_bad_categories(void **state)
{
	(void)state;
	refuse("category: {id: x_y, nam: X}\n", "1:21: unknown key 'nam'");
	refuse("category: {name: X}\n", "1:11: missing key 'id'");
	refuse(
	    "category: {id: x_y, name: X}\n", "1:16: missing key 'dimension'");
	refuse("category: {id: X-Y}\n",
	    "1:16: 'id' may hold lower case letters, digits, '_' and '.', "
	    "not 'X-Y'");
	refuse("category: {id: x_y, family: other}\n",
	    "1:29: bad family 'other': must be one of environment_difference, "
	    "inappropriate_model, api_misunderstanding, exceptional_data, "
	    "programming_error, infrastructure, external");
	refuse("category: {id: x_y, verdict: none}\n",
	    "1:30: bad verdict 'none': must be one of retry, adjust, stop, "
	    "undecided");
	refuse("category: {id: x_y, in_study: yes}\n",
	    "1:31: 'in_study' must be true or false, not 'yes'");
	refuse("category: {id: x_y, remedies: [{do: this}]}\n",
	    "1:32: a remedy with a condition has 'when' and 'do'");
	refuse("category: {id: x_y, remedies: [{do: a, when: ['a|b']}]}\n",
	    "1:32: 'when' must hold words");
	refuse("category: {id: x_y, remedies: one}\n",
	    "1:31: 'remedies' must be a list");
	refuse("category: none_such\n" RULE, "1:11: no category 'none_such'");
}

#define HEAD "category: site_fault\n"

static void test_bad_rules(void **state)
{
	(void)state;
	refuse(CATEGORY RULE "    patern: x\n", "14:5: unknown key 'patern'");
	refuse(CATEGORY "rules:\n  - id: a.b\n    role: root\n",
	    "9:5: missing key 'title'");
	refuse(CATEGORY RULE "    where: lines\n",
	    "14:12: bad where 'lines': must be one of line, exception, block, "
	    "last");
	refuse(CATEGORY RULE "    generic: 'true'\n",
	    "14:14: 'generic' must be true or false");
	refuse(CATEGORY RULE "    weight: 10\n",
	    "14:13: 'weight' must be a number from 0 to 9");
	refuse(CATEGORY RULE "    source: [stdout, journal]\n",
	    "14:22: bad item 'journal': must be one of stdout, dmesg, "
	    "scheduler, error_file");
	refuse(CATEGORY RULE "    unless: 'a(b'\n",
	    "14:13: bad regular expression in 'unless', at offset 3: missing "
	    "closing parenthesis");
	refuse(CATEGORY RULE "    extract: [code, path]\n",
	    "14:21: the pattern has no group 'path'");
	refuse(CATEGORY RULE "    key: [nope]\n",
	    "14:11: the pattern has no group 'nope'");
	refuse(CATEGORY RULE "    remedies:\n      - Do: this\n",
	    "15:9: 'item' must be a text (quote one with ': ')");
	refuse(
	    CATEGORY RULE "    since: \n", "14:11: 'since' must not be empty");
	refuse(CATEGORY RULE "    within: {rule: no.such, lines: 3}\n",
	    "14:20: no rule 'no.such'");
	refuse(CATEGORY RULE "    within: {rule: no.such}\n",
	    "14:13: missing key 'lines'");
	refuse(CATEGORY RULE "    within: {rule: no.such, lines: 0}\n",
	    "14:36: 'lines' must be a number from 1 to 1000000");
	refuse(CATEGORY RULE "    follows: [no_such]\n",
	    "9:9: no category to follow: 'no_such'");
	refuse(CATEGORY RULE "    word_of: user\n",
	    "14:14: bad word_of 'user': must be one of job, scheduler, kernel, "
	    "runtime");
	refuse(RULE, "5:11: a rule without a category must have role context");
	refuse("rules:\n  - id: a.b\n    title: A\n    pattern: a\n"
	       "    role: context\n    examples: {match: [a], no_match: []}\n",
	    "6:38: 'no_match' must hold at least one example");
}

static void test_duplicates(void **state)
{
	struct err e = { 0 };
	char want[1024];
	struct folder f;
	const char *path = f.path, *a, *b;

	(void)state;
	folder_open(&f);
	a = folder_add(&f, "a.yaml", CATEGORY RULE);
	b = folder_add(&f, "b.yaml", "\n" HEAD RULE);
	assert_null(taxonomy_load(&path, 1, &e));
	snprintf(want, sizeof want,
	    "%s:4:9: duplicate id 'site_fault.one', also at %s:9", b, a);
	assert_string_equal(e.text, want);
	folder_close(&f);
}

static void test_folders(void **state)
{
	struct err e = { 0 };
	struct folder f, sub;
	const char *path = f.path;
	struct taxonomy *t;

	(void)state;
	folder_open(&f);
	assert_null(taxonomy_load(&path, 1, &e));
	assert_non_null(strstr(e.text, ": no .yaml file in this folder"));
	memset(&sub, 0, sizeof sub);
	snprintf(sub.path, sizeof sub.path, "%.200s/sub", f.path);
	assert_int_equal(mkdir(sub.path, 0700), 0);
	folder_add(&f, "README.md", "not: [yaml");
	folder_add(&f, ".hidden.yaml", "not: [yaml");
	folder_add(&f, "z.yml", HEAD RULE);
	folder_add(&sub, "a.yaml", CATEGORY);
	t = taxonomy_load(&path, 1, NULL);
	assert_non_null(t);
	assert_non_null(taxonomy_rule(t, "site_fault.one"));
	taxonomy_free(t);
	folder_close(&sub);
	path = sub.path;
	assert_null(taxonomy_load(&path, 1, &e));
	assert_non_null(strstr(e.text, "/sub: cannot read: No such file"));
	folder_close(&f);
	taxonomy_free(NULL);
}

#define TWO                        \
	"category: site_fault\n"   \
	"rules:\n"                 \
	"  - id: site_fault.two\n" \
	"    title: Two\n"         \
	"    role: root\n" EXAMPLES

/* A rule of several expressions, and pieces by name: its own file's, and those
 * of an earlier one, in each other. */
static void test_pieces(void **state)
{
	struct taxonomy *t = load_two(CATEGORY
	    "pieces: {odd: ['[13579]', none], number: '7'}\n" RULE,
	    "pieces:\n  number: '\\d{1,4}{{odd}}'\n" TWO "    pattern:\n"
	    "      - 'unit (?<code>{{number}})'\n"
	    "      - '{{odd}}+, \\{{number}} {{Odd}} (?<code>x)'\n"
	    "    unless: ['in (?:a )?test', '{{odd}}!']\n"
	    "    extract: [code]\n");
	const struct rule *r = taxonomy_rule(t, "site_fault.two");
	const struct rule *one = taxonomy_rule(t, "site_fault.one");
	struct matcher *m = pattern_matcher_new(1000);
	const struct pattern *unless = taxonomy_unless(t, r->number);

	(void)state;
	assert_int_equal(r->pattern.n, 2);
	assert_string_equal(
	    r->pattern.v[0], "unit (?<code>(?:\\d{1,4}(?:[13579]|none)))");
	assert_string_equal(r->pattern.v[1],
	    "(?:[13579]|none)+, \\{{number}} {{Odd}} (?<code>x)");
	assert_int_equal(r->first, one->first + 1);
	assert_int_equal(t->pattern_rule[r->first + 1], r->number);
	assert_int_equal(r->longest, 40);
	assert_int_equal(r->least, 5);
	for (size_t k = 0; k < 2; k++)
		assert_int_equal(
		    pattern_group(taxonomy_pattern(t, r->first + k), "code"),
		    1);
	assert_int_equal(pattern_find(unless, m, span_of("a test"), NULL), 0);
	assert_int_equal(pattern_find(unless, m, span_of("none!"), NULL), 1);
	pattern_matcher_free(m);
	taxonomy_free(t);
}

static void test_bad_pieces(void **state)
{
	(void)state;
	refuse("pieces: [a]\n", "1:9: 'pieces' must be a map of keys");
	refuse("pieces: {A: x}\n",
	    "1:10: a piece's name is lower case letters, digits and '_', not "
	    "'A'");
	refuse("pieces: {a: 'x{{c}}', c: '{{a}}'}\n",
	    "1:10: pieces nested too deeply, at 'c'");
	refuse("pieces: {a: '{{b}}', c: x}\n",
	    "1:10: no piece 'b' (write \\{\\{ for two braces)");
	refuse(TWO "    pattern: []\n",
	    "7:14: 'pattern' must hold 1 to 1000 expressions");
	refuse(TWO "    pattern: [x, 'a(b', y]\n",
	    "7:18: bad regular expression in 'item', at offset 3: missing "
	    "closing parenthesis");
	refuse("pieces: {a: 'a(b'}\n",
	    "1:10: bad regular expression in piece 'a', at offset 3: missing "
	    "closing parenthesis");
	refuse("pieces: {a: x+}\n" TWO "    pattern: ['{{a}}', 'b({{a}}']\n",
	    "8:24: bad regular expression in 'item', at offset 8: missing "
	    "closing parenthesis of b((?:x+)");
	refuse(TWO "    pattern: [x, '(?<a>y)']\n    key: [b]\n",
	    "8:11: the pattern has no group 'b'");
}

/* Threads that ask for the same patterns at once get the same ones. */
struct asker {
	const struct taxonomy *t;
	uintptr_t sum;
};

static void *ask(void *arg)
{
	struct asker *a = arg;

	for (size_t i = 0; i < a->t->n_patterns; i++)
		a->sum = a->sum * 31 + (uintptr_t)taxonomy_pattern(a->t, i);
	return NULL;
}

static void test_threads(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);
	struct asker askers[5] = { { 0 } };
	pthread_t threads[4];

	(void)state;
	assert_non_null(t);
	for (int i = 0; i < 5; i++)
		askers[i].t = t;
	for (int i = 0; i < 4; i++)
		assert_int_equal(
		    pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	ask(&askers[4]);
	for (int i = 0; i < 4; i++)
		assert_true(askers[i].sum == askers[4].sum);
	taxonomy_free(t);
}

static void test_embedded(void **state)
{
	(void)state;
	assert_true(embedded_count > 0);
	assert_null(embedded_files[embedded_count].path);
	for (size_t i = 0; i < embedded_count; i++)
		assert_int_equal(
		    strncmp(embedded_files[i].path, "taxonomy/", 9), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_embedded),
		cmocka_unit_test(test_shipped),
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_nomination),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_override),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_bad_categories),
		cmocka_unit_test(test_bad_rules),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_bad_pieces),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
