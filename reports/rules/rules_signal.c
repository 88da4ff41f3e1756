/* What a signal tells are words of its kind's own keys, which are shown by
 * their names. */
#include "reports/rules/rules_signal.h"

#include "base/err.h"
#include "diagnose/signals/signals.h"
#include "reports/output/object.h"

/* The word of key k of its kind, or NULL. */
static const char *tells(const struct signal *s, size_t k)
{
	return s->tells[k] < 0
	    ? NULL
	    : signal_kind_info(s->kind)->keys[k].words[s->tells[k]];
}

void rules_signal_list(const struct taxonomy *tax, FILE *f)
{
	fprintf(
	    f, "\n%-32s %-10s %-10s %s\n", "SIGNAL", "KIND", "TELLS", "TITLE");
	for (size_t i = 0; i < tax->n_signals; i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);

		fprintf(f, "%-32s %-10s %-10s %s\n", s->id,
		    signal_kind_info(s->kind)->name,
		    tells(s, 0) ? tells(s, 0) : "", s->title);
	}
}

static struct json *signal_json(const struct signal *s)
{
	const struct signal_kind_info *kind = signal_kind_info(s->kind);
	struct object o = object_new();

	object_string(&o, "id", s->id);
	object_string(&o, "title", s->title);
	object_string(&o, "signal", kind->name);
	for (size_t k = 0; k < SIGNAL_KEYS; k++)
		if (tells(s, k))
			object_string(&o, kind->keys[k].name, tells(s, k));
	if (s->name)
		object_string(&o, "name", s->name);
	object_string(&o, "pattern", s->pattern);
	object_strings(&o, "is", &s->is);
	object_strings(&o, "any", &s->any);
	object_strings(&o, "starts", &s->starts);
	object_strings(&o, "ends", &s->ends);
	object_string(&o, "unless", s->unless);
	return object_done(&o);
}

struct json *rules_signal_json(const struct taxonomy *tax)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < tax->n_signals; i++)
		object_add(&a, signal_json(taxonomy_signal_at(tax, i)));
	return object_done(&a);
}

static void show(FILE *f, const char *name, const struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		fprintf(f, "%-12s %s\n", i ? "" : name, s->v[i]);
}

void rules_signal_show(const struct signal *s, FILE *f)
{
	const struct signal_kind_info *kind = signal_kind_info(s->kind);

	fprintf(f, "signal       %s\ntitle        %s\nkind         %s\n", s->id,
	    s->title, kind->name);
	for (size_t k = 0; k < SIGNAL_KEYS; k++)
		if (tells(s, k))
			fprintf(
			    f, "%-12s %s\n", kind->keys[k].name, tells(s, k));
	if (s->name)
		fprintf(f, "name         %s\n", s->name);
	if (s->pattern)
		fprintf(f, "pattern      %s\n", s->pattern);
	show(f, "is", &s->is);
	show(f, "starts", &s->starts);
	show(f, "any", &s->any);
	show(f, "ends", &s->ends);
	if (s->unless)
		fprintf(f, "unless       %s\n", s->unless);
	show(f, "match", &s->match);
	show(f, "no_match", &s->no_match);
	fprintf(f, "place        %s:%u\n", s->file, s->line);
}

/* ---- test ---- */

static size_t run_examples(
    const struct taxonomy *tax, size_t i, struct matcher *m, bool want, FILE *f)
{
	const struct signal *s = taxonomy_signal_at(tax, i);
	const struct strings *v = want ? &s->match : &s->no_match;
	size_t bad = 0;

	for (size_t k = 0; k < v->n; k++) {
		if (signals_tell(tax, i, m, span_of(v->v[k]), NULL) == want)
			continue;
		bad++;
		fprintf(f, "%s:%u: signal %s: %s: %s\n", s->file, s->line,
		    s->id,
		    want ? "a match example does not match"
			 : "a no_match example matches",
		    v->v[k]);
	}
	return bad;
}

int rules_signal_test(const struct taxonomy *tax, const struct limits *limits,
    FILE *f, size_t *bad, struct err *e)
{
	struct matcher *m = pattern_matcher_new(limits->v[LIMIT_MATCH]);
	size_t n = 0;

	if (!m)
		return err_nomem(e);
	for (size_t i = 0; i < tax->n_signals; i++) {
		n += taxonomy_signal_at(tax, i)->match.n +
		    taxonomy_signal_at(tax, i)->no_match.n;
		*bad += run_examples(tax, i, m, true, f) +
		    run_examples(tax, i, m, false, f);
	}
	pattern_matcher_free(m);
	return (int)n;
}
