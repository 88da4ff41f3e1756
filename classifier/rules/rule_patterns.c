/* Each expression is compiled on its own, so that an error has its place. */
#include "rules/rule_patterns.h"

#include "base/err.h"
#include "rules/fields.h"
#include "rules/literals.h"
#include "rules/pattern.h"
#include "rules/pieces.h"
#include "rules/taxonomy_private.h"
#include "rules/yamldoc.h"

#include <stdlib.h>
#include <string.h>

/* Each of a rule's expressions, which node n gives. */
static int compile_each(struct reader *r, const struct yamldoc_node *n,
    const struct strings *text, struct pattern **to)
{
	const struct yamldoc_node *c = n->kind == YAMLDOC_LIST ? n->first : n;

	for (size_t i = 0; i < text->n; i++, c = c->next)
		if (pieces_compile(r, c, text->v[i], &to[i]))
			return -1;
	return 0;
}

static int compile_patterns(
    struct reader *r, const struct yamldoc_node *n, struct raw_rule *raw)
{
	const struct strings *text = &raw->rule.pattern;

	raw->pattern = calloc(text->n, sizeof *raw->pattern);
	return raw->pattern ? compile_each(r, n, text, raw->pattern)
			    : err_nomem(r->e);
}

/* Each on its own, for the place of an error, then all as one. */
static int compile_unless(
    struct reader *r, const struct yamldoc_node *n, struct raw_rule *raw)
{
	const struct strings *text = &raw->rule.unless;
	struct pattern **each;
	char *all;
	int rc;

	if (!n)
		return 0;
	each = calloc(text->n, sizeof *each);
	all = taxonomy_unless_text(&raw->rule);
	rc = each && all ? compile_each(r, n, text, each) : err_nomem(r->e);
	if (!rc) {
		raw->unless = pattern_new(all, NULL, r->e);
		rc = raw->unless ? 0 : -1;
	}
	for (size_t i = 0; each && i < text->n; i++)
		pattern_free(each[i]);
	free(each);
	free(all);
	return rc;
}

/* The names in `extract` and `key` are groups of a pattern. */
static int check_groups(struct reader *r, const struct yamldoc_node *list,
    const struct raw_rule *raw)
{
	const struct yamldoc_node *c = list ? list->first : NULL;

	for (; c; c = c->next) {
		int most = -1;

		for (size_t i = 0; i < raw->rule.pattern.n; i++) {
			int group = pattern_group(raw->pattern[i], c->text);

			most = group > most ? group : most;
		}
		if (most < 0)
			return fields_bad(
			    r, c, "the pattern has no group '%s'", c->text);
		if (most >= PATTERN_GROUPS)
			return fields_bad(r, c,
			    "group '%s' is not one of the first "
			    "%d",
			    c->text, PATTERN_GROUPS - 1);
	}
	return 0;
}

int rule_patterns_compile(
    struct reader *r, const struct yamldoc_node *n, struct raw_rule *raw)
{
	if (compile_patterns(r, yamldoc_get(n, "pattern"), raw) ||
	    compile_unless(r, yamldoc_get(n, "unless"), raw) ||
	    check_groups(r, yamldoc_get(n, "extract"), raw) ||
	    check_groups(r, yamldoc_get(n, "key"), raw))
		return -1;
	return 0;
}

/* Of the expressions that n gives, if it does. */
static void measure_texts(struct rule *r, const struct yamldoc_node *n)
{
	const struct yamldoc_node *c =
	    n && n->kind == YAMLDOC_LIST ? n->first : n;

	for (; c; c = n->kind == YAMLDOC_LIST ? c->next : NULL) {
		size_t bytes = strlen(c->text);

		r->longest = bytes > r->longest ? bytes : r->longest;
	}
}

int rule_patterns_measure(struct rule *r, const struct yamldoc_node *n)
{
	measure_texts(r, yamldoc_get(n, "pattern"));
	measure_texts(r, yamldoc_get(n, "unless"));
	for (size_t i = 0; i < r->pattern.n; i++) {
		struct literals l;

		if (literals_from_pattern(&l, r->pattern.v[i]))
			return -1;
		if (!i || l.least < r->least)
			r->least = l.least;
		literals_release(&l);
	}
	return 0;
}
