#include "reports/rules/rules.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
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
static int put_patterns(
    struct json *o, const char *one, const char *all, const struct strings *s)
{
	struct json *list = json_new_array();
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = !list || json_set(o, all, list);

	for (size_t i = 0; i < s->n && !rc; i++)
		rc = json_append(list, json_new_string(s->v[i])) ||
		    (s->n > 1 &&
			buf_addf(&b, i ? "|(?:%s)" : "(?:%s)", s->v[i]));
	if (!rc)
		rc = json_set(
		    o, one, json_new_string(s->n == 1 ? s->v[0] : b.p));
	buf_release(&b);
	return rc;
}

static int rule_json(const struct rule *r, struct json *to)
{
	struct json *o = json_new_object();
	int rc;

	if (!o)
		return -1;
	rc = json_set(o, "id", json_new_string(r->id)) ||
	    json_set(o, "title", json_new_string(r->title)) ||
	    json_set(o, "role", json_new_string(taxonomy_role_name(r->role))) ||
	    json_set(
		o, "where", json_new_string(taxonomy_where_name(r->where))) ||
	    json_set(o, "generic", json_new_bool(r->generic)) ||
	    put_patterns(o, "pattern", "patterns", &r->pattern) ||
	    put_patterns(o, "unless", "unless_patterns", &r->unless) ||
	    json_set(o, "verdict",
		r->verdict < 0 ? json_new_null()
			       : json_new_string(taxonomy_verdict_name(
				     (enum verdict)r->verdict)));
	if (rc) {
		json_free(o);
		return -1;
	}
	return json_append(to, o);
}

static int category_json(const struct taxonomy *tax, size_t at, struct json *to)
{
	const struct category *c = &tax->categories[at];
	struct json *o = json_new_object(), *rules = json_new_array();
	int rc = !o || !rules || json_set(o, "id", json_new_string(c->id)) ||
	    json_set(o, "name", json_new_string(c->name)) ||
	    json_set(o, "dimension", json_new_string(c->dimension)) ||
	    json_set(o, "in_study", json_new_bool(c->in_study)) ||
	    json_set(o, "family", json_new_string(c->family)) ||
	    json_set(o, "verdict",
		json_new_string(taxonomy_verdict_name(c->verdict))) ||
	    json_set(o, "description", json_new_string(c->description));

	for (size_t i = 0; i < tax->n_rules && !rc; i++)
		if (taxonomy_rule_at(tax, i)->category == at)
			rc = rule_json(taxonomy_rule_at(tax, i), rules);
	if (!rc) {
		rc = json_set(o, "rules", rules);
		rules = NULL;
	}
	if (!rc) {
		rc = json_append(to, o);
		o = NULL;
	}
	json_free(rules);
	json_free(o);
	return rc;
}

static int redaction_json(const struct redaction *r, struct json *to)
{
	struct json *o = json_new_object();

	if (!o)
		return -1;
	if (json_set(o, "id", json_new_string(r->id)) ||
	    json_set(o, "title", json_new_string(r->title)) ||
	    json_set(o, "option", json_new_string(r->option)) ||
	    json_set(o, "pattern", json_new_string(r->pattern))) {
		json_free(o);
		return -1;
	}
	return json_append(to, o);
}

int rules_list_json(const struct taxonomy *tax, FILE *f, struct err *e)
{
	struct json *o = json_new_object(), *list = json_new_array();
	struct json *hidden = json_new_array(), *signals = json_new_array();
	int rc = !o || !list || !hidden || !signals ||
	    rules_signal_json(tax, signals);

	for (size_t i = 0; i < tax->n_categories && !rc; i++)
		rc = category_json(tax, i, list);
	for (size_t i = 0; i < tax->n_redactions && !rc; i++)
		rc = redaction_json(&tax->redactions[i], hidden);
	if (!rc) {
		rc = json_set(o, "categories", list);
		list = NULL;
	}
	if (!rc) {
		rc = json_set(o, "redactions", hidden);
		hidden = NULL;
	}
	if (!rc) {
		rc = json_set(o, "signals", signals) ||
		    json_set(o, "taxonomy", json_new_string(tax->hash));
		signals = NULL;
	}
	if (!rc)
		rc = json_print(o, f);
	json_free(signals);
	json_free(hidden);
	json_free(list);
	json_free(o);
	return rc ? json_lacking(e) : 0;
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
