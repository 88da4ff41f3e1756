#include "reports/rules/rules.h"

#include "base/buf.h"
#include "base/err.h"
#include "reports/output/object.h"
#include "reports/rules/rules_signal.h"

#include <string.h>

static size_t rules_of(const struct taxonomy *tax, size_t category)
{
	size_t n = 0;

	for (size_t i = 0; i < tax->n_rules; i++)
		n += taxonomy_rule_at(tax, i)->category == category;
	return n;
}

int rules_list_text(const struct taxonomy *tax, FILE *f)
{
	fprintf(f, "%-24s %-23s %-6s %-10s %5s  %s\n", "CATEGORY", "DIMENSION",
	    "STUDY", "VERDICT", "RULES", "NAME");
	for (size_t i = 0; i < tax->n_categories; i++) {
		const struct category *c = &tax->categories[i];

		fprintf(f, "%-24s %-23s %-6s %-10s %5zu  %s\n", c->id,
		    c->dimension, c->in_study ? "yes" : "no",
		    taxonomy_verdict_name(c->verdict), rules_of(tax, i),
		    c->name);
	}
	fprintf(f, "\n%-32s %-10s %s\n", "REDACTION", "OPTION", "HIDES");
	for (size_t i = 0; i < tax->n_redactions; i++) {
		const struct redaction *r = &tax->redactions[i];

		fprintf(f, "%-32s %-10s %s\n", r->id,
		    r->option ? r->option : "", r->title);
	}
	rules_signal_list(tax, f);
	fprintf(f,
	    "\n%zu categories, %zu rules, %zu redactions, %zu signals, "
	    "content %s\n",
	    tax->n_categories, tax->n_rules, tax->n_redactions, tax->n_signals,
	    tax->hash);
	return 0;
}

/* A list of expressions as one, and as they are. */
static void put_patterns(
    struct object *o, const char *one, const char *all, const struct strings *s)
{
	struct buf b = BUF_INIT(BUF_MAX);

	object_strings(o, all, s);
	for (size_t i = 0; s->n > 1 && i < s->n; i++)
		if (buf_addf(&b, i ? "|(?:%s)" : "(?:%s)", s->v[i]))
			o->failed = true;
	object_string(o, one, s->n == 1 ? s->v[0] : b.p);
	buf_release(&b);
}

static struct json *rule_json(const struct rule *r)
{
	struct object o = object_new();

	object_string(&o, "id", r->id);
	object_string(&o, "title", r->title);
	object_string(&o, "role", taxonomy_role_name(r->role));
	object_string(&o, "where", taxonomy_where_name(r->where));
	object_bool(&o, "generic", r->generic);
	put_patterns(&o, "pattern", "patterns", &r->pattern);
	put_patterns(&o, "unless", "unless_patterns", &r->unless);
	object_string(&o, "verdict",
	    r->verdict < 0 ? NULL
			   : taxonomy_verdict_name((enum verdict)r->verdict));
	return object_done(&o);
}

static struct json *category_json(const struct taxonomy *tax, size_t at)
{
	const struct category *c = &tax->categories[at];
	struct object o = object_new(), rules = object_new_array();

	object_string(&o, "id", c->id);
	object_string(&o, "name", c->name);
	object_string(&o, "dimension", c->dimension);
	object_bool(&o, "in_study", c->in_study);
	object_string(&o, "family", c->family);
	object_string(&o, "verdict", taxonomy_verdict_name(c->verdict));
	object_string(&o, "description", c->description);
	for (size_t i = 0; i < tax->n_rules; i++)
		if (taxonomy_rule_at(tax, i)->category == at)
			object_add(&rules, rule_json(taxonomy_rule_at(tax, i)));
	object_put(&o, "rules", object_done(&rules));
	return object_done(&o);
}

static struct json *redaction_json(const struct redaction *r)
{
	struct object o = object_new();

	object_string(&o, "id", r->id);
	object_string(&o, "title", r->title);
	object_string(&o, "option", r->option);
	object_string(&o, "pattern", r->pattern);
	return object_done(&o);
}

int rules_list_json(const struct taxonomy *tax, FILE *f, struct err *e)
{
	struct object o = object_new(), list = object_new_array(),
		      hidden = object_new_array();

	for (size_t i = 0; i < tax->n_categories; i++)
		object_add(&list, category_json(tax, i));
	object_put(&o, "categories", object_done(&list));
	for (size_t i = 0; i < tax->n_redactions; i++)
		object_add(&hidden, redaction_json(&tax->redactions[i]));
	object_put(&o, "redactions", object_done(&hidden));
	object_put(&o, "signals", rules_signal_json(tax));
	object_string(&o, "taxonomy", tax->hash);
	return object_print(&o, f, e);
}

/* ---- show ---- */

static void show_strings(FILE *f, const char *name, const struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		fprintf(f, "%-12s %s\n", i ? "" : name, s->v[i]);
}

/* What the prefilter looks for, a line for each of the expressions. */
static int show_literals(FILE *f, const struct strings *patterns, struct err *e)
{
	for (size_t i = 0; i < patterns->n; i++) {
		struct literals l;

		if (literals_from_pattern(&l, patterns->v[i]))
			return err_nomem(e);
		fprintf(f, "%-12s", i ? "" : "literals");
		for (size_t k = 0; k < l.n; k++)
			fprintf(f, k ? " | %s" : " %s", l.text[k]);
		fprintf(f, l.n ? "\n" : " (none)\n");
		literals_release(&l);
	}
	return 0;
}

static int show_rule(
    const struct taxonomy *tax, const struct rule *r, FILE *f, struct err *e)
{
	fprintf(f, "rule         %s\ntitle        %s\n", r->id, r->title);
	if (r->category != TAXONOMY_NO_CATEGORY)
		fprintf(
		    f, "category     %s\n", tax->categories[r->category].id);
	fprintf(f, "role         %s%s%s%s\nwhere        %s\n",
	    taxonomy_role_name(r->role), r->generic ? ", generic" : "",
	    r->unexplained   ? ", unexplained"
		: r->lasting ? ", lasting"
		: r->alone   ? ", also alone"
			     : "",
	    r->ends_process ? ", ends its process" : "",
	    taxonomy_where_name(r->where));
	show_strings(f, "pattern", &r->pattern);
	if (r->weight)
		fprintf(f, "weight       %u\n", r->weight);
	show_strings(f, "unless", &r->unless);
	if (r->within)
		fprintf(f, "within       %u lines of %s\n", r->within_lines,
		    r->within);
	if (r->until)
		fprintf(f, "until        %s\n", r->until);
	if (r->verdict >= 0)
		fprintf(f, "verdict      %s\n",
		    taxonomy_verdict_name((enum verdict)r->verdict));
	show_strings(f, "extract", &r->extract);
	show_strings(f, "meanings", &r->meanings);
	show_strings(f, "key", &r->key);
	if (r->word_of)
		fprintf(
		    f, "word of      %s\n", taxonomy_speaker_name(r->word_of));
	show_strings(f, "follows", &r->follows);
	show_strings(f, "raised in", &r->raised_in);
	show_strings(f, "remedies", &r->remedies);
	show_strings(f, "references", &r->references);
	if (show_literals(f, &r->pattern, e))
		return -1;
	show_strings(f, "match", &r->match);
	show_strings(f, "no_match", &r->no_match);
	fprintf(f, "place        %s:%u\n", r->file, r->line);
	return 0;
}

static void show_redaction(const struct redaction *r, FILE *f)
{
	fprintf(f, "redaction    %s\ntitle        %s\n", r->id, r->title);
	if (r->option)
		fprintf(f, "option       %s\n", r->option);
	fprintf(f, "pattern      %s\n", r->pattern);
	if (r->word)
		fprintf(f, "word         %zu\n", r->word);
	for (size_t i = 0; i < r->literals.n; i++)
		fprintf(
		    f, "%-12s %s\n", i ? "" : "literals", r->literals.text[i]);
	show_strings(f, "secret", &r->secret);
	show_strings(f, "clean", &r->clean);
	fprintf(f, "place        %s:%u\n", r->file, r->line);
}

int rules_show(
    const struct taxonomy *tax, const char *id, FILE *f, struct err *e)
{
	const struct category *c = taxonomy_category(tax, id);
	const struct rule *r = taxonomy_rule(tax, id);

	if (r)
		return show_rule(tax, r, f, e);
	if (taxonomy_redaction(tax, id)) {
		show_redaction(taxonomy_redaction(tax, id), f);
		return 0;
	}
	if (taxonomy_signal(tax, id)) {
		rules_signal_show(taxonomy_signal(tax, id), f);
		return 0;
	}
	if (!c)
		return err_set(
		    e, "no category, rule, redaction or signal '%s'", id);
	fprintf(f,
	    "category     %s\nname         %s\ndimension    %s\n"
	    "in study     %s\nfamily       %s\nverdict      %s\n"
	    "description  %s\n",
	    c->id, c->name, c->dimension, c->in_study ? "yes" : "no", c->family,
	    taxonomy_verdict_name(c->verdict), c->description);
	for (size_t i = 0; i < c->remedies.n; i++)
		fprintf(f,
		    *c->when.v[i] ? "remedies     %s (when: %s)\n"
				  : "remedies     %s\n",
		    c->remedies.v[i], c->when.v[i]);
	show_strings(f, "references", &c->references);
	for (size_t i = 0; i < tax->n_rules; i++)
		if (&tax->categories[taxonomy_rule_at(tax, i)->category] == c)
			fprintf(f, "rule         %-44s %s\n",
			    taxonomy_rule_at(tax, i)->id,
			    taxonomy_rule_at(tax, i)->title);
	return 0;
}
