/*
 * A map of the file is read by a table of its keys: name, what to do with the
 * value, where it goes, whether it must be there. Whatever a table does not
 * know is an error, with the place of the key.
 */
#include "rules/taxonomy_read.h"

#include "base/err.h"
#include "rules/pattern.h"
#include "rules/taxonomy_private.h"
#include "rules/yamldoc.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define WITHIN_LINES_MAX 1000000
#define FACTOR_MAX 100
#define DELAY_MAX (7 * 24 * 3600)

struct reader {
	struct taxonomy_raw *raw;
	const char *file; /* the copy in raw->files */
	unsigned layer;
	const char *category; /* of the file's rules, or NULL */
	struct place category_at;
	struct err *e;
};

struct field {
	const char *name;
	int (*read)(struct reader *r, const struct yamldoc_node *n, void *to);
	size_t offset;
	bool required;
};

static int bad(struct reader *r, const struct yamldoc_node *n, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

static int bad(
    struct reader *r, const struct yamldoc_node *n, const char *fmt, ...)
{
	char text[sizeof r->e->text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(r->e, "%s:%u:%u: %s", r->file, n->line, n->column, text);
}

static struct place place_of(
    const struct reader *r, const struct yamldoc_node *n)
{
	return (struct place){ r->file, n->line, n->column };
}

/* How a message names a value: by its key, or as an item of a list. */
static const char *name_of(const struct yamldoc_node *n)
{
	return n->key ? n->key->text : "item";
}

/* Values. `to` points at what the comment of each says. */

/* char **: any text but none at all. */
static int read_text(struct reader *r, const struct yamldoc_node *n, void *to)
{
	char *copy;

	if (n->kind == YAMLDOC_MAP)
		return bad(r, n, "'%s' must be a text (quote one with ': ')",
		    name_of(n));
	if (n->kind != YAMLDOC_SCALAR)
		return bad(r, n, "'%s' must be a text", name_of(n));
	if (yamldoc_null(n) || (!n->text[0] && n->key))
		return bad(r, n, "'%s' must not be empty", name_of(n));
	copy = span_dup(span_of(n->text));
	if (!copy)
		return err_nomem(r->e);
	free(*(char **)to);
	*(char **)to = copy;
	return 0;
}

/* char **: lower case letters, digits, '_' and '.'. */
static int read_id(struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

	if (read_text(r, n, to))
		return -1;
	if (strspn(n->text, allowed) != strlen(n->text))
		return bad(r, n,
		    "'%s' may hold lower case letters, digits, '_' and '.', "
		    "not '%s'",
		    name_of(n), n->text);
	return 0;
}

/* bool * */
static int read_bool(struct reader *r, const struct yamldoc_node *n, void *to)
{
	bool yes;

	if (n->kind != YAMLDOC_SCALAR || !n->plain)
		return bad(r, n, "'%s' must be true or false", name_of(n));
	yes = !strcmp(n->text, "true");
	if (!yes && strcmp(n->text, "false") != 0)
		return bad(r, n, "'%s' must be true or false, not '%s'",
		    name_of(n), n->text);
	*(bool *)to = yes;
	return 0;
}

/* A whole number of a range, or -1 with the error set. */
static long read_number(
    struct reader *r, const struct yamldoc_node *n, long least, long most)
{
	int64_t v = -1;

	if (n->kind == YAMLDOC_SCALAR && n->plain)
		v = span_number(span_of(n->text));
	if (v < least || v > most)
		return bad(r, n, "'%s' must be a number from %ld to %ld",
		    name_of(n), least, most);
	return (long)v;
}

/* unsigned * */
static int read_lines(struct reader *r, const struct yamldoc_node *n, void *to)
{
	long v = read_number(r, n, 1, WITHIN_LINES_MAX);

	if (v < 0)
		return -1;
	*(unsigned *)to = (unsigned)v;
	return 0;
}

/* long * */
static int read_delay(struct reader *r, const struct yamldoc_node *n, void *to)
{
	long v = read_number(r, n, 0, DELAY_MAX);

	if (v < 0)
		return -1;
	*(long *)to = v;
	return 0;
}

/* double *: digits with a decimal point, which is '.' in any locale. */
static int read_factor(struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *s = n->kind == YAMLDOC_SCALAR && n->plain ? n->text : "";
	double v = 0, unit = 1;
	size_t digits = strspn(s, "0123456789");
	bool fine = digits > 0 && digits < 6;

	for (size_t i = 0; i < digits; i++)
		v = v * 10 + (s[i] - '0');
	if (fine && s[digits] == '.') {
		const char *p = s + digits + 1;

		fine = *p != '\0';
		for (; *p >= '0' && *p <= '9'; p++)
			v += (*p - '0') * (unit /= 10);
		fine = fine && !*p;
	} else {
		fine = fine && !s[digits];
	}
	if (!fine || v < 0.01 || v > FACTOR_MAX)
		return bad(r, n, "'%s' must be a number from 0.01 to %d",
		    name_of(n), FACTOR_MAX);
	*(double *)to = v;
	return 0;
}

/* struct strings * */
static int read_list(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct strings *s = to;

	if (n->kind != YAMLDOC_LIST)
		return bad(r, n, "'%s' must be a list", name_of(n));
	s->v = calloc(n->n + 1, sizeof *s->v);
	if (!s->v)
		return err_nomem(r->e);
	for (const struct yamldoc_node *c = n->first; c; c = c->next)
		if (read_text(r, c, &s->v[s->n++]))
			return -1;
	return 0;
}

/* Index of a name in a table, or -1 with an error that lists the table. */
static int choose(struct reader *r, const struct yamldoc_node *n,
    const char *const *names, size_t count)
{
	char list[256] = "";
	size_t used = 0;

	if (n->kind == YAMLDOC_SCALAR)
		for (size_t i = 0; i < count; i++)
			if (!strcmp(n->text, names[i]))
				return (int)i;
	for (size_t i = 0; i < count && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used,
		    "%s%s", i ? ", " : "", names[i]);
	return bad(r, n, "bad %s '%s': must be one of %s", name_of(n),
	    n->kind == YAMLDOC_SCALAR ? n->text : "(not a text)", list);
}

/* enum role * */
static int read_role(struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[ROLE_COUNT];
	int i;

	for (i = 0; i < ROLE_COUNT; i++)
		names[i] = role_name((enum role)i);
	i = choose(r, n, names, COUNT(names));
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
		names[i] = where_name((enum where)i);
	i = choose(r, n, names, COUNT(names));
	if (i < 0)
		return -1;
	*(enum where *)to = (enum where)i;
	return 0;
}

/* int *: a verdict that a file may give, which "none" is not. */
static int read_rule_verdict(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[VERDICT_NONE];
	int i;

	for (i = 0; i < VERDICT_NONE; i++)
		names[i] = verdict_name((enum verdict)i);
	i = choose(r, n, names, COUNT(names));
	if (i < 0)
		return -1;
	*(int *)to = i;
	return 0;
}

/* enum verdict * */
static int read_verdict(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	int i;

	if (read_rule_verdict(r, n, &i))
		return -1;
	*(enum verdict *)to = (enum verdict)i;
	return 0;
}

/* char **: a root-cause family. */
static int read_family(struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char *const names[] = { "environment_difference",
		"inappropriate_model", "api_misunderstanding",
		"exceptional_data", "programming_error", "infrastructure",
		"external" };

	if (choose(r, n, names, COUNT(names)) < 0)
		return -1;
	return read_text(r, n, to);
}

/* unsigned *: bits of enum source_kind. */
static int read_sources(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char *const names[] = { "stdout", "dmesg", "scheduler",
		"error_file" };

	if (n->kind != YAMLDOC_LIST || !n->n)
		return bad(r, n, "'%s' must be a list", name_of(n));
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		int i = choose(r, c, names, COUNT(names));

		if (i < 0)
			return -1;
		*(unsigned *)to |= 1u << i;
	}
	return 0;
}

/* Maps. */

/* Read the keys of a map into the struct at base. given, when not NULL, gets
 * a bit for each field that was there; then none is required. */
static int read_map(struct reader *r, const struct yamldoc_node *n,
    const struct field *fields, void *base, unsigned *given)
{
	unsigned seen = 0;

	if (n->kind != YAMLDOC_MAP)
		return bad(r, n, "'%s' must be a map of keys", name_of(n));
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		size_t i = 0;

		while (
		    fields[i].name && strcmp(fields[i].name, c->key->text) != 0)
			i++;
		if (!fields[i].name)
			return bad(r, c->key, "unknown key '%s'", c->key->text);
		if (fields[i].read(r, c, (char *)base + fields[i].offset))
			return -1;
		seen |= 1u << i;
	}
	if (given) {
		*given = seen;
		return 0;
	}
	for (size_t i = 0; fields[i].name; i++)
		if (fields[i].required && !(seen & 1u << i))
			return bad(r, n, "missing key '%s'", fields[i].name);
	return 0;
}

static int grow(struct reader *r, void **v, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap * 2 : 16;
	void *p;

	if (n < *cap)
		return 0;
	p = realloc(*v, want * size);
	if (!p)
		return err_nomem(r->e);
	*v = p;
	*cap = want;
	return 0;
}

/* Category: the fields in the order of raw_category.given. */

#define AT(type, member) offsetof(struct type, member)

static const struct field category_fields[] = {
	{ "id", read_id, AT(category, id), true },
	{ "name", read_text, AT(category, name), true },
	{ "dimension", read_id, AT(category, dimension), true },
	{ "in_study", read_bool, AT(category, in_study), false },
	{ "family", read_family, AT(category, family), true },
	{ "verdict", read_verdict, AT(category, verdict), true },
	{ "description", read_text, AT(category, description), true },
	{ "remedies", read_list, AT(category, remedies), false },
	{ "references", read_list, AT(category, references), false },
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
	if (b->remedies.v)
		swap_strings(&a->remedies, &b->remedies);
	if (b->references.v)
		swap_strings(&a->references, &b->references);
	for (unsigned i = 0; category_fields[i].name; i++) {
		if (!(from->given & 1u << i))
			continue;
		if (category_fields[i].read == read_bool)
			a->in_study = b->in_study;
		if (category_fields[i].read == read_verdict)
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

	r->category_at = place_of(r, n);
	if (n->kind == YAMLDOC_SCALAR) {
		if (yamldoc_null(n) || !n->text[0])
			return bad(r, n, "'category' must not be empty");
		r->category = n->text;
		return 0;
	}
	if (n->kind == YAMLDOC_MAP && !id)
		return bad(r, n, "missing key 'id'");
	if (grow(r, (void **)&raw->categories, &raw->cap_categories,
		raw->n_categories, sizeof *raw->categories))
		return -1;
	c = &raw->categories[raw->n_categories++];
	*c = (struct raw_category){ .layer = r->layer };
	c->order = raw->n_categories;
	c->at = place_of(r, id ? id : n);
	if (read_map(r, n, category_fields, &c->category, &c->given))
		return -1;
	r->category = id ? id->text : NULL;
	return 0;
}

/* Rules. */

static const struct field within_fields[] = {
	{ "rule", read_id, AT(raw_rule, rule.within), true },
	{ "lines", read_lines, AT(raw_rule, rule.within_lines), true },
	{ 0 },
};

static int read_within(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct raw_rule *raw = to;
	const struct yamldoc_node *rule = yamldoc_get(n, "rule");

	raw->within_at = place_of(r, rule ? rule : n);
	return read_map(r, n, within_fields, raw, NULL);
}

static int read_examples_list(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	if (n->kind == YAMLDOC_LIST && !n->n)
		return bad(
		    r, n, "'%s' must hold at least one example", name_of(n));
	return read_list(r, n, to);
}

static const struct field example_fields[] = {
	{ "match", read_examples_list, AT(rule, match), true },
	{ "no_match", read_examples_list, AT(rule, no_match), true },
	{ 0 },
};

static int read_examples(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	return read_map(r, n, example_fields, to, NULL);
}

static const struct field rule_fields[] = {
	{ "id", read_id, AT(raw_rule, rule.id), true },
	{ "title", read_text, AT(raw_rule, rule.title), true },
	{ "where", read_where, AT(raw_rule, rule.where), false },
	{ "pattern", read_text, AT(raw_rule, rule.pattern), true },
	{ "role", read_role, AT(raw_rule, rule.role), true },
	{ "generic", read_bool, AT(raw_rule, rule.generic), false },
	{ "lasting", read_bool, AT(raw_rule, rule.lasting), false },
	{ "unless", read_text, AT(raw_rule, rule.unless), false },
	{ "within", read_within, 0, false },
	{ "source", read_sources, AT(raw_rule, rule.sources), false },
	{ "extract", read_list, AT(raw_rule, rule.extract), false },
	{ "key", read_list, AT(raw_rule, rule.key), false },
	{ "verdict", read_rule_verdict, AT(raw_rule, rule.verdict), false },
	{ "meanings", read_list, AT(raw_rule, rule.meanings), false },
	{ "remedies", read_list, AT(raw_rule, rule.remedies), false },
	{ "since", read_text, AT(raw_rule, rule.since), false },
	{ "references", read_list, AT(raw_rule, rule.references), false },
	{ "examples", read_examples, AT(raw_rule, rule), true },
	{ 0 },
};

static int compile(
    struct reader *r, const struct yamldoc_node *n, struct pattern **to)
{
	struct err reason;

	if (!n)
		return 0;
	*to = pattern_new(n->text, NULL, &reason);
	if (!*to)
		return bad(r, n, "bad regular expression in '%s', %s",
		    name_of(n), reason.text);
	return 0;
}

/* The names in `extract` and `key` are groups of the pattern. */
static int check_groups(
    struct reader *r, const struct yamldoc_node *list, const struct pattern *p)
{
	const struct yamldoc_node *c = list ? list->first : NULL;

	for (; c; c = c->next) {
		int group = pattern_group(p, c->text);

		if (group < 0)
			return bad(
			    r, c, "the pattern has no group '%s'", c->text);
		if (group >= PATTERN_GROUPS)
			return bad(r, c,
			    "group '%s' is not one of the first "
			    "%d",
			    c->text, PATTERN_GROUPS - 1);
	}
	return 0;
}

/* Built-in rules are compiled when first used: starting must be fast, and the
 * tests load them as an overlay once. */
static int check_patterns(
    struct reader *r, const struct yamldoc_node *n, struct raw_rule *raw)
{
	if (!r->layer)
		return 0;
	if (compile(r, yamldoc_get(n, "pattern"), &raw->pattern) ||
	    compile(r, yamldoc_get(n, "unless"), &raw->unless) ||
	    check_groups(r, yamldoc_get(n, "extract"), raw->pattern) ||
	    check_groups(r, yamldoc_get(n, "key"), raw->pattern))
		return -1;
	return 0;
}

static int read_rule(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	const struct yamldoc_node *id = yamldoc_get(n, "id");
	struct raw_rule *rule;

	if (grow(r, (void **)&raw->rules, &raw->cap_rules, raw->n_rules,
		sizeof *raw->rules))
		return -1;
	rule = &raw->rules[raw->n_rules++];
	*rule = (struct raw_rule){ .layer = r->layer };
	rule->rule.site = r->layer > 0;
	rule->order = raw->n_rules;
	rule->rule.verdict = -1;
	rule->rule.category = TAXONOMY_NO_CATEGORY;
	rule->at = place_of(r, id ? id : n);
	rule->category_at = r->category_at;
	if (read_map(r, n, rule_fields, rule, NULL))
		return -1;
	if (!r->category && rule->rule.role != ROLE_CONTEXT)
		return bad(r, yamldoc_get(n, "role"),
		    "a rule without a category must have role context");
	rule->rule.file = span_dup(span_of(r->file));
	rule->rule.line = rule->at.line;
	if (!rule->rule.since)
		rule->rule.since = span_dup(span_of(""));
	if (r->category)
		rule->category = span_dup(span_of(r->category));
	if (!rule->rule.file || !rule->rule.since ||
	    (r->category && !rule->category) ||
	    literals_from_pattern(&rule->rule.literals, rule->rule.pattern))
		return err_nomem(r->e);
	return check_patterns(r, n, rule);
}

/* Policy. */

static const struct field policy_fields[] = {
	{ "category", read_id, AT(policy_row, category), false },
	{ "rule", read_id, AT(policy_row, rule), false },
	{ "seen_with", read_id, AT(policy_row, seen_with), false },
	{ "verdict", read_verdict, AT(policy_row, verdict), true },
	{ "reason", read_text, AT(policy_row, reason), true },
	{ "memory_factor", read_factor, AT(policy_row, memory_factor), false },
	{ "time_factor", read_factor, AT(policy_row, time_factor), false },
	{ "at_start", read_bool, AT(policy_row, at_start), false },
	{ "held_by_others", read_bool, AT(policy_row, held_by_others), false },
	{ "exclude_nodes", read_bool, AT(policy_row, exclude_nodes), false },
	{ "from_checkpoint", read_bool, AT(policy_row, from_checkpoint),
	    false },
	{ "delay_seconds", read_delay, AT(policy_row, delay_seconds), false },
	{ 0 },
};

static int read_policy(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	const struct yamldoc_node *what = yamldoc_get(n, "category");
	struct raw_policy *p;

	if (grow(r, (void **)&raw->policy, &raw->cap_policy, raw->n_policy,
		sizeof *raw->policy))
		return -1;
	p = &raw->policy[raw->n_policy++];
	*p = (struct raw_policy){ .layer = r->layer };
	if (!what)
		what = yamldoc_get(n, "rule");
	p->at = place_of(r, what ? what : n);
	if (read_map(r, n, policy_fields, &p->row, NULL))
		return -1;
	if (!p->row.category == !p->row.rule)
		return bad(r, n, "a row needs either 'category' or 'rule'");
	return 0;
}

static int read_disable(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	struct raw_disable *d;

	if (grow(r, (void **)&raw->disable, &raw->cap_disable, raw->n_disable,
		sizeof *raw->disable))
		return -1;
	d = &raw->disable[raw->n_disable++];
	*d = (struct raw_disable){ .at = place_of(r, n), .layer = r->layer };
	return read_id(r, n, &d->rule);
}

/* A file. */

static int read_each(struct reader *r, const struct yamldoc_node *list,
    int (*read)(struct reader *r, const struct yamldoc_node *n))
{
	if (!list)
		return 0;
	if (list->kind != YAMLDOC_LIST)
		return bad(r, list, "'%s' must be a list", name_of(list));
	for (const struct yamldoc_node *c = list->first; c; c = c->next)
		if (read(r, c))
			return -1;
	return 0;
}

static int read_root(struct reader *r, const struct yamldoc_node *root)
{
	static const char *const known[] = { "category", "rules", "policy",
		"disable" };
	const struct yamldoc_node *category = yamldoc_get(root, "category");

	if (root->kind != YAMLDOC_MAP)
		return bad(r, root, "expected a map of keys");
	for (const struct yamldoc_node *c = root->first; c; c = c->next) {
		size_t i = 0;

		while (i < COUNT(known) && strcmp(known[i], c->key->text) != 0)
			i++;
		if (i == COUNT(known))
			return bad(r, c->key, "unknown key '%s'", c->key->text);
	}
	if (category && read_category(r, category))
		return -1;
	if (read_each(r, yamldoc_get(root, "rules"), read_rule) ||
	    read_each(r, yamldoc_get(root, "policy"), read_policy) ||
	    read_each(r, yamldoc_get(root, "disable"), read_disable))
		return -1;
	return 0;
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
	struct yamldoc *doc;
	int rc;

	r.file = keep_name(raw, name);
	if (!r.file)
		return err_nomem(e);
	doc = yamldoc_new(text.p, text.n, name, e);
	if (!doc)
		return -1;
	rc = read_root(&r, yamldoc_root(doc));
	yamldoc_free(doc);
	return rc;
}

void taxonomy_read_release(struct taxonomy_raw *raw)
{
	for (size_t i = 0; i < raw->n_categories; i++)
		taxonomy_category_release(&raw->categories[i].category);
	for (size_t i = 0; i < raw->n_rules; i++) {
		struct raw_rule *r = &raw->rules[i];

		taxonomy_rule_release(&r->rule);
		free(r->category);
		pattern_free(r->pattern);
		pattern_free(r->unless);
	}
	for (size_t i = 0; i < raw->n_policy; i++)
		taxonomy_policy_release(&raw->policy[i].row);
	for (size_t i = 0; i < raw->n_disable; i++)
		free(raw->disable[i].rule);
	free(raw->categories);
	free(raw->rules);
	free(raw->policy);
	free(raw->disable);
	taxonomy_strings_release(&raw->files);
	memset(raw, 0, sizeof *raw);
}
