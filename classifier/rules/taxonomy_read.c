/*
 * What the keys of a file mean, as tables for fields.c, and the entries they
 * make.
 */
#include "rules/taxonomy_read.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/fields.h"
#include "rules/pattern.h"
#include "rules/pieces.h"
#include "rules/policy_read.h"
#include "rules/rule_patterns.h"
#include "rules/signal_read.h"
#include "rules/taxonomy_private.h"
#include "rules/trend_read.h"
#include "rules/yamldoc.h"

#include <stdlib.h>
#include <string.h>

#define WITHIN_LINES_MAX 1000000
#define WORD_MAX 1000
#define WEIGHT_MAX 9

/* Values. `to` points at what the comment of each says. */

/* unsigned * */
static int read_lines(struct reader *r, const struct yamldoc_node *n, void *to)
{
	long v = fields_number(r, n, 1, WITHIN_LINES_MAX);

	if (v < 0)
		return -1;
	*(unsigned *)to = (unsigned)v;
	return 0;
}

/* size_t * */
static int read_word(struct reader *r, const struct yamldoc_node *n, void *to)
{
	long v = fields_number(r, n, 1, WORD_MAX);

	if (v < 0)
		return -1;
	*(size_t *)to = (size_t)v;
	return 0;
}

/* enum role * */
static int read_role(struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[ROLE_COUNT];
	int i;

	for (i = 0; i < ROLE_COUNT; i++)
		names[i] = taxonomy_role_name((enum role)i);
	i = fields_choose(r, n, names, COUNT(names));
	if (i < 0)
		return -1;
	*(enum role *)to = (enum role)i;
	return 0;
}

/* enum where * */
static int read_where(struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[WHERE_COUNT];
	int i;

	for (i = 0; i < WHERE_COUNT; i++)
		names[i] = taxonomy_where_name((enum where)i);
	i = fields_choose(r, n, names, COUNT(names));
	if (i < 0)
		return -1;
	*(enum where *)to = (enum where)i;
	return 0;
}

/* enum speaker * */
static int read_speaker(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[SPEAKER_COUNT];
	int i;

	for (i = 0; i < SPEAKER_COUNT; i++)
		names[i] = taxonomy_speaker_name((enum speaker)i);
	i = fields_choose(r, n, names, COUNT(names));
	if (i < 0)
		return -1;
	*(enum speaker *)to = (enum speaker)i;
	return 0;
}

/* char **: a root-cause family. */
static int read_family(struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char *const names[] = { "environment_difference",
		"inappropriate_model", "api_misunderstanding",
		"exceptional_data", "programming_error", "infrastructure",
		FAMILY_EXTERNAL };

	if (fields_choose(r, n, names, COUNT(names)) < 0)
		return -1;
	return fields_text(r, n, to);
}

/* unsigned *: bits of enum source_kind. */
static int read_sources(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char *const names[] = { "stdout", "dmesg", "scheduler",
		"error_file" };

	if (n->kind != YAMLDOC_LIST || !n->n)
		return fields_bad(r, n, "'%s' must be a list", fields_name(n));
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		int i = fields_choose(r, c, names, COUNT(names));

		if (i < 0)
			return -1;
		*(unsigned *)to |= 1u << i;
	}
	return 0;
}

/* ---- remedies of a category: texts, or {when: [word], do: [text]} ---- */

struct raw_remedy {
	struct strings when, what;
};

/* A text, or a list of them. */
static int read_texts(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct strings *s = to;

	if (n->kind == YAMLDOC_LIST)
		return fields_list(r, n, to);
	s->v = calloc(2, sizeof *s->v);
	return s->v ? fields_text(r, n, &s->v[s->n++]) : err_nomem(r->e);
}

static const struct field remedy_fields[] = {
	{ "when", fields_list, AT(raw_remedy, when), true },
	{ "do", read_texts, AT(raw_remedy, what), true },
	{ 0 },
};

/* "a|b|c" of the words, which have no TAXONOMY_OR themselves. */
static int join_words(struct reader *r, const struct yamldoc_node *n,
    const struct strings *words, struct buf *out)
{
	for (size_t i = 0; i < words->n; i++) {
		if (!*words->v[i] || strchr(words->v[i], TAXONOMY_OR))
			return fields_bad(r, n, "'when' must hold words");
		if ((i && buf_addc(out, TAXONOMY_OR)) ||
		    buf_adds(out, words->v[i]))
			return err_nomem(r->e);
	}
	return 0;
}

/* Append a remedy and its condition; the text is taken over. */
static int add_remedy(
    struct reader *r, struct category *c, char **text, const char *when)
{
	char **v = realloc(
		 c->remedies.v, (c->remedies.n + 1) * sizeof *c->remedies.v),
	     **w;

	if (!v)
		return err_nomem(r->e);
	c->remedies.v = v;
	w = realloc(c->when.v, (c->when.n + 1) * sizeof *c->when.v);
	if (!w)
		return err_nomem(r->e);
	c->when.v = w;
	w[c->when.n] = span_dup(span_of(when));
	if (!w[c->when.n])
		return err_nomem(r->e);
	c->when.n++;
	v[c->remedies.n++] = *text;
	*text = NULL;
	return 0;
}

static int read_remedy(
    struct reader *r, const struct yamldoc_node *n, struct category *c)
{
	struct raw_remedy raw = { 0 };
	struct buf when = BUF_INIT(BUF_MAX);
	unsigned given = 3;
	int rc = n->kind == YAMLDOC_MAP
	    ? fields_map(r, n, remedy_fields, &raw, &given)
	    : read_texts(r, n, &raw.what);

	if (!rc && given != 3)
		rc = fields_bad(
		    r, n, "a remedy with a condition has 'when' and 'do'");
	if (!rc && buf_adds(&when, ""))
		rc = err_nomem(r->e);
	rc = rc || join_words(r, n, &raw.when, &when);
	for (size_t i = 0; i < raw.what.n && !rc; i++)
		rc = add_remedy(r, c, &raw.what.v[i], when.p);
	buf_release(&when);
	taxonomy_strings_release(&raw.when);
	taxonomy_strings_release(&raw.what);
	return rc ? -1 : 0;
}

static int read_remedies(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct category *c = to;

	if (n->kind != YAMLDOC_LIST)
		return fields_bad(r, n, "'%s' must be a list", fields_name(n));
	/* an empty list is given, too */
	c->remedies.v = calloc(1, sizeof *c->remedies.v);
	c->when.v = calloc(1, sizeof *c->when.v);
	if (!c->remedies.v || !c->when.v)
		return err_nomem(r->e);
	for (const struct yamldoc_node *m = n->first; m; m = m->next)
		if (read_remedy(r, m, c))
			return -1;
	return 0;
}

/* Category: the fields in the order of raw_category.given. */

static const struct field category_fields[] = {
	{ "id", fields_id, AT(category, id), true },
	{ "name", fields_text, AT(category, name), true },
	{ "dimension", fields_id, AT(category, dimension), true },
	{ "in_study", fields_bool, AT(category, in_study), false },
	{ "family", read_family, AT(category, family), true },
	{ "verdict", fields_verdict, AT(category, verdict), true },
	{ "description", fields_text, AT(category, description), true },
	{ "remedies", read_remedies, 0, false },
	{ "references", fields_list, AT(category, references), false },
	{ "follows", fields_list, AT(category, follows), false },
	{ 0 },
};

const char *taxonomy_read_missing(const struct raw_category *c)
{
	for (size_t i = 0; category_fields[i].name; i++)
		if (category_fields[i].required && !(c->given & 1u << i))
			return category_fields[i].name;
	return NULL;
}

static void swap_text(char **a, char **b)
{
	char *t = *a;

	*a = *b;
	*b = t;
}

static void swap_strings(struct strings *a, struct strings *b)
{
	struct strings t = *a;

	*a = *b;
	*b = t;
}

void taxonomy_read_override(struct raw_category *to, struct raw_category *from)
{
	struct category *a = &to->category, *b = &from->category;

	if (b->name)
		swap_text(&a->name, &b->name);
	if (b->dimension)
		swap_text(&a->dimension, &b->dimension);
	if (b->family)
		swap_text(&a->family, &b->family);
	if (b->description)
		swap_text(&a->description, &b->description);
	if (b->remedies.v) {
		swap_strings(&a->remedies, &b->remedies);
		swap_strings(&a->when, &b->when);
	}
	if (b->references.v)
		swap_strings(&a->references, &b->references);
	if (b->follows.v)
		swap_strings(&a->follows, &b->follows);
	for (unsigned i = 0; category_fields[i].name; i++) {
		if (!(from->given & 1u << i))
			continue;
		if (category_fields[i].read == fields_bool)
			a->in_study = b->in_study;
		if (category_fields[i].read == fields_verdict)
			a->verdict = b->verdict;
	}
	to->given |= from->given;
}

/* "category: ID" names one that is defined elsewhere; a map defines it. */
static int read_category(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	const struct yamldoc_node *id = yamldoc_get(n, "id");
	struct raw_category *c;

	r->category_at = fields_place(r, n);
	if (n->kind == YAMLDOC_SCALAR) {
		if (yamldoc_null(n) || !n->text[0])
			return fields_bad(r, n, "'category' must not be empty");
		r->category = n->text;
		return 0;
	}
	if (n->kind == YAMLDOC_MAP && !id)
		return fields_bad(r, n, "missing key 'id'");
	c = fields_more(r, (void **)&raw->categories, &raw->n_categories,
	    &raw->cap_categories, sizeof *c);
	if (!c)
		return -1;
	c->layer = r->layer;
	c->order = raw->n_categories;
	c->at = fields_id_place(r, n);
	if (fields_map(r, n, category_fields, &c->category, &c->given))
		return -1;
	r->category = id ? id->text : NULL;
	return 0;
}

/* Rules. */

static const struct field within_fields[] = {
	{ "rule", fields_id, AT(raw_rule, rule.within), true },
	{ "lines", read_lines, AT(raw_rule, rule.within_lines), true },
	{ 0 },
};

static int read_within(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct raw_rule *raw = to;
	const struct yamldoc_node *rule = yamldoc_get(n, "rule");

	raw->within_at = fields_place(r, rule ? rule : n);
	return fields_map(r, n, within_fields, raw, NULL);
}

static const struct field example_fields[] = {
	{ "match", fields_examples, AT(rule, match), true },
	{ "no_match", fields_examples, AT(rule, no_match), true },
	{ 0 },
};

static int read_examples(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	return fields_map(r, n, example_fields, to, NULL);
}

static int read_weight(struct reader *r, const struct yamldoc_node *n, void *to)
{
	long weight = fields_number(r, n, 0, WEIGHT_MAX);

	*(unsigned *)to = weight < 0 ? 0 : (unsigned)weight;
	return weight < 0 ? -1 : 0;
}

static const struct field rule_fields[] = {
	{ "id", fields_id, AT(raw_rule, rule.id), true },
	{ "title", fields_text, AT(raw_rule, rule.title), true },
	{ "where", read_where, AT(raw_rule, rule.where), false },
	{ "pattern", pieces_patterns, AT(raw_rule, rule.pattern), true },
	{ "role", read_role, AT(raw_rule, rule.role), true },
	{ "generic", fields_bool, AT(raw_rule, rule.generic), false },
	{ "weight", read_weight, AT(raw_rule, rule.weight), false },
	{ "unexplained", fields_bool, AT(raw_rule, rule.unexplained), false },
	{ "lasting", fields_bool, AT(raw_rule, rule.lasting), false },
	{ "alone", fields_bool, AT(raw_rule, rule.alone), false },
	{ "ends_process", fields_bool, AT(raw_rule, rule.ends_process), false },
	{ "confidence", fields_confidence, AT(raw_rule, rule.confidence),
	    false },
	{ "word_of", read_speaker, AT(raw_rule, rule.word_of), false },
	{ "unless", pieces_patterns, AT(raw_rule, rule.unless), false },
	{ "within", read_within, 0, false },
	{ "until", fields_id, AT(raw_rule, rule.until), false },
	{ "source", read_sources, AT(raw_rule, rule.sources), false },
	{ "extract", fields_list, AT(raw_rule, rule.extract), false },
	{ "key", fields_list, AT(raw_rule, rule.key), false },
	{ "follows", fields_list, AT(raw_rule, rule.follows), false },
	{ "raised_in", fields_list, AT(raw_rule, rule.raised_in), false },
	{ "verdict", fields_verdict_number, AT(raw_rule, rule.verdict), false },
	{ "meanings", fields_list, AT(raw_rule, rule.meanings), false },
	{ "remedies", fields_list, AT(raw_rule, rule.remedies), false },
	{ "since", fields_text, AT(raw_rule, rule.since), false },
	{ "references", fields_list, AT(raw_rule, rule.references), false },
	{ "examples", read_examples, AT(raw_rule, rule), true },
	{ 0 },
};

static int read_rule(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	struct raw_rule *rule;

	rule = fields_more(r, (void **)&raw->rules, &raw->n_rules,
	    &raw->cap_rules, sizeof *rule);
	if (!rule)
		return -1;
	rule->layer = r->layer;
	rule->rule.site = r->layer > 0;
	rule->order = raw->n_rules;
	rule->rule.verdict = -1;
	rule->rule.built_in = TAXONOMY_SITE;
	rule->rule.confidence = CONFIDENCE_MOST;
	rule->rule.category = TAXONOMY_NO_CATEGORY;
	rule->at = fields_id_place(r, n);
	rule->category_at = r->category_at;
	if (fields_map(r, n, rule_fields, rule, NULL))
		return -1;
	if (!r->category && rule->rule.role != ROLE_CONTEXT)
		return fields_bad(r, yamldoc_get(n, "role"),
		    "a rule without a category must have role context");
	rule->rule.file = span_dup(span_of(r->file));
	rule->rule.line = rule->at.line;
	if (!rule->rule.since)
		rule->rule.since = span_dup(span_of(""));
	if (r->category)
		rule->category = span_dup(span_of(r->category));
	if (!rule->rule.file || !rule->rule.since ||
	    (r->category && !rule->category) ||
	    rule_patterns_measure(&rule->rule, n))
		return err_nomem(r->e);
	/* Built-in ones are compiled when first used: starting must be fast,
	 * and the tests load them as an overlay once. */
	return r->layer ? rule_patterns_compile(r, n, rule) : 0;
}

static int read_disable(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	struct raw_disable *d;

	d = fields_more(r, (void **)&raw->disable, &raw->n_disable,
	    &raw->cap_disable, sizeof *d);
	if (!d)
		return -1;
	d->at = fields_place(r, n);
	d->layer = r->layer;
	return fields_id(r, n, &d->rule);
}

/* Redactions. */

static const struct field secret_fields[] = {
	{ "secret", fields_examples, AT(redaction, secret), true },
	{ "clean", fields_examples, AT(redaction, clean), true },
	{ 0 },
};

static int read_secrets(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	return fields_map(r, n, secret_fields, to, NULL);
}

static const struct field redaction_fields[] = {
	{ "id", fields_id, AT(redaction, id), true },
	{ "title", fields_text, AT(redaction, title), true },
	{ "option", fields_id, AT(redaction, option), false },
	{ "pattern", pieces_pattern, AT(redaction, pattern), true },
	{ "word", read_word, AT(redaction, word), false },
	{ "examples", read_secrets, 0, true },
	{ 0 },
};

static int read_redaction(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	const struct yamldoc_node *text = yamldoc_get(n, "pattern");
	struct raw_redaction *it;

	it = fields_more(r, (void **)&raw->redactions, &raw->n_redactions,
	    &raw->cap_redactions, sizeof *it);
	if (!it)
		return -1;
	it->layer = r->layer;
	it->at = fields_id_place(r, n);
	it->redaction.site = r->layer > 0;
	it->redaction.line = it->at.line;
	if (fields_map(r, n, redaction_fields, &it->redaction, NULL))
		return -1;
	it->redaction.file = span_dup(span_of(r->file));
	if (!it->redaction.file ||
	    literals_from_pattern(
		&it->redaction.literals, it->redaction.pattern))
		return err_nomem(r->e);
	if (!r->layer)
		return 0;
	if (pieces_compile(r, text, it->redaction.pattern, &it->pattern))
		return -1;
	if (pattern_group(it->pattern, "secret") >= PATTERN_GROUPS)
		return fields_bad(r, text,
		    "group 'secret' is not one of the first %d",
		    PATTERN_GROUPS - 1);
	return 0;
}

/* A file. */

static int read_root(struct reader *r, const struct yamldoc_node *root)
{
	static const char *const known[] = { "category", "rules", "policy",
		"budgets", "stop_needs", "node_window", "declared", "disable",
		"redactions", "signals", "metrics", "trends", "validation",
		"pieces" };
	const struct yamldoc_node *category = yamldoc_get(root, "category");

	if (root->kind != YAMLDOC_MAP)
		return fields_bad(r, root, "expected a map of keys");
	for (const struct yamldoc_node *c = root->first; c; c = c->next) {
		size_t i = 0;

		while (i < COUNT(known) && strcmp(known[i], c->key->text) != 0)
			i++;
		if (i == COUNT(known))
			return fields_bad(
			    r, c->key, "unknown key '%s'", c->key->text);
	}
	if ((category && read_category(r, category)) ||
	    fields_each(r, yamldoc_get(root, "rules"), read_rule) ||
	    policy_read(r, root) ||
	    fields_each(r, yamldoc_get(root, "redactions"), read_redaction) ||
	    fields_each(r, yamldoc_get(root, "disable"), read_disable))
		return -1;
	return signal_read(r, root) ? -1 : trend_read(r, root);
}

/* Keep the name for as long as places point at it. */
static const char *keep_name(struct taxonomy_raw *raw, const char *name)
{
	struct strings *f = &raw->files;
	char **v = realloc(f->v, (f->n + 1) * sizeof *v);
	char *copy;

	if (!v)
		return NULL;
	f->v = v;
	copy = span_dup(span_of(name));
	if (copy)
		f->v[f->n++] = copy;
	return copy;
}

int taxonomy_read_file(struct taxonomy_raw *raw, struct span text,
    const char *name, unsigned layer, struct err *e)
{
	struct reader r = { .raw = raw, .layer = layer, .e = e };
	const struct yamldoc_node *pieces;
	struct yamldoc **doc;

	r.file = keep_name(raw, name);
	if (!r.file)
		return err_nomem(e);
	doc = fields_more(&r, (void **)&raw->unread, &raw->n_unread,
	    &raw->cap_unread, sizeof *doc);
	if (!doc)
		return -1;
	*doc = yamldoc_new(text.p, text.n, r.file, e);
	if (!*doc)
		return -1;
	/* of job records: jobs/accounting_map.h */
	if (yamldoc_get(yamldoc_root(*doc), "columns")) {
		yamldoc_free(*doc);
		raw->n_unread--;
		free(raw->files.v[--raw->files.n]);
		return 0;
	}
	pieces = yamldoc_get(yamldoc_root(*doc), "pieces");
	return pieces ? pieces_read(&r, pieces) : 0;
}

static void free_unread(struct taxonomy_raw *raw)
{
	while (raw->n_unread > 0)
		yamldoc_free(raw->unread[--raw->n_unread]);
}

int taxonomy_read_entries(
    struct taxonomy_raw *raw, unsigned layer, struct err *e)
{
	size_t first = raw->files.n - raw->n_unread;
	int rc = layer ? pieces_check(raw, layer, e) : 0;

	for (size_t i = 0; i < raw->n_unread && !rc; i++) {
		struct reader r = { .raw = raw, .layer = layer, .e = e };

		r.file = raw->files.v[first + i];
		rc = read_root(&r, yamldoc_root(raw->unread[i]));
	}
	free_unread(raw);
	return rc;
}

void taxonomy_read_rule_release(struct raw_rule *r)
{
	for (size_t i = 0; r->pattern && i < r->rule.pattern.n; i++)
		pattern_free(r->pattern[i]);
	free(r->pattern);
	pattern_free(r->unless);
	if (!r->known)
		free(r->category);
	taxonomy_rule_release(&r->rule);
}

void taxonomy_read_release(struct taxonomy_raw *raw)
{
	for (size_t i = 0; i < raw->n_categories; i++)
		taxonomy_category_release(&raw->categories[i].category);
	for (size_t i = 0; i < raw->n_rules; i++)
		taxonomy_read_rule_release(&raw->rules[i]);
	for (size_t i = 0; i < raw->n_pieces; i++) {
		free(raw->pieces[i].piece.name);
		free(raw->pieces[i].piece.text);
	}
	free_unread(raw);
	free(raw->unread);
	free(raw->pieces);
	for (size_t i = 0; i < raw->n_policy; i++)
		taxonomy_policy_release(&raw->policy[i].row);
	for (size_t i = 0; i < raw->n_disable; i++)
		free(raw->disable[i].rule);
	trend_read_release(raw);
	signal_read_release(raw);
	for (size_t i = 0; i < raw->n_redactions; i++) {
		taxonomy_redaction_release(&raw->redactions[i].redaction);
		pattern_free(raw->redactions[i].pattern);
	}
	free(raw->redactions);
	free(raw->categories);
	free(raw->rules);
	free(raw->policy);
	free(raw->disable);
	taxonomy_strings_release(&raw->files);
	memset(raw, 0, sizeof *raw);
}

bool taxonomy_read_disabled(
    const struct taxonomy_raw *raw, const char *id, unsigned layer)
{
	for (size_t i = 0; i < raw->n_disable; i++)
		if (raw->disable[i].layer >= layer &&
		    !strcmp(raw->disable[i].rule, id))
			return true;
	return false;
}

int taxonomy_read_bad(
    struct err *e, struct place at, const char *what, const char *id)
{
	return err_set(
	    e, "%s:%u:%u: %s '%s'", at.file, at.line, at.column, what, id);
}
