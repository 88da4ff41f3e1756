/*
 * All files are read first, each as a layer: the built-in ones are layer 0, an
 * overlay is one layer each. Then what has the same id is brought together by
 * sorting, the later layer wins, and only then are names looked up, so that
 * the order of files within a layer never matters.
 */
#include "rules/taxonomy.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/embedded.h"
#include "rules/pattern.h"
#include "rules/signal_read.h"
#include "rules/taxonomy_known.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"
#include "rules/trend_read.h"
#include "rules/yamldoc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER_DEPTH_MAX 8
#define DELAY_GROWN 3600 /* what a delay grows to where no row says it */

/* Reading files. */

/* By errno. */
static int cannot(const char *what, const char *path, struct err *e)
{
	return errno == ENOMEM
	    ? err_nomem(e)
	    : err_set(e, "%s: cannot %s: %s", path, what, strerror(errno));
}

static int read_whole(struct buf *b, const char *path, struct err *e)
{
	FILE *f = fopen(path, "rb");
	size_t n = 1;

	if (!f)
		return cannot("open", path, e);
	while (n) {
		if (buf_reserve(b, 1 << 16)) {
			fclose(f);
			return err_set(
			    e, "%s: too large for a rule file", path);
		}
		n = fread(b->p + b->len, 1, 1 << 16, f);
		b->len += n;
	}
	if (ferror(f)) {
		cannot("read", path, e);
		fclose(f);
		return -1;
	}
	fclose(f);
	return 0;
}

static int load_file(
    struct taxonomy_raw *raw, const char *path, unsigned layer, struct err *e)
{
	struct buf b = BUF_INIT(YAMLDOC_BYTES_MAX + (1 << 17));
	int rc = read_whole(&b, path, e);

	if (!rc)
		rc = taxonomy_read_file(
		    raw, (struct span){ b.p, b.len }, path, layer, e);
	buf_release(&b);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool yaml_name(const char *name)
{
	struct span s = span_of(name);

	return span_ends(s, ".yaml") || span_ends(s, ".yml");
}

/* Paths of the visible entries of a folder, in name order. */
static int list_folder(struct strings *out, const char *folder, struct err *e)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int rc = -1;

	if (!dir)
		return cannot("open", folder, e);
	while ((entry = readdir(dir))) {
		struct buf path = BUF_INIT(BUF_MAX);
		char **v;

		if (entry->d_name[0] == '.')
			continue;
		v = realloc(out->v, (out->n + 1) * sizeof *v);
		if (v)
			out->v = v;
		if (!v || buf_addf(&path, "%s/%s", folder, entry->d_name)) {
			buf_release(&path);
			err_nomem(e);
			goto out;
		}
		out->v[out->n++] = path.p;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, by_name);
	rc = 0;
out:
	closedir(dir);
	return rc;
}

static int load_folder(struct taxonomy_raw *raw, const char *folder,
    unsigned layer, int depth, struct err *e)
{
	struct strings paths = { 0 };
	int rc = -1;

	if (depth > FOLDER_DEPTH_MAX) {
		err_set(e, "%s: folders nested too deeply", folder);
		goto out;
	}
	if (list_folder(&paths, folder, e))
		goto out;
	for (size_t i = 0; i < paths.n; i++) {
		struct stat st;

		if (stat(paths.v[i], &st)) {
			cannot("read", paths.v[i], e);
			goto out;
		}
		if (S_ISDIR(st.st_mode)) {
			if (load_folder(raw, paths.v[i], layer, depth + 1, e))
				goto out;
		} else if (yaml_name(paths.v[i])) {
			if (load_file(raw, paths.v[i], layer, e))
				goto out;
		}
	}
	rc = 0;
out:
	taxonomy_strings_release(&paths);
	return rc;
}

static int load_overlay(
    struct taxonomy_raw *raw, const char *path, unsigned layer, struct err *e)
{
	size_t files = raw->files.n;
	struct stat st;
	int rc;

	if (stat(path, &st))
		return cannot("read", path, e);
	rc = S_ISDIR(st.st_mode) ? load_folder(raw, path, layer, 1, e)
				 : load_file(raw, path, layer, e);
	if (rc)
		return -1;
	if (raw->files.n == files)
		return err_set(e, "%s: no .yaml file in this folder", path);
	return taxonomy_read_entries(raw, layer, e);
}

static int load_embedded(struct taxonomy_raw *raw, struct err *e)
{
	for (size_t i = 0; i < embedded_count; i++) {
		const struct embedded *f = &embedded_files[i];
		struct span text = { (const char *)f->data, f->len };

		if (taxonomy_read_file(raw, text, f->path, 0, e))
			return -1;
	}
	return taxonomy_read_entries(raw, 0, e);
}

/* Bringing entries with the same id together. */

static int fail_twice(
    struct err *e, struct place at, const char *id, struct place first)
{
	return err_set(e, "%s:%u:%u: duplicate id '%s', also at %s:%u", at.file,
	    at.line, at.column, id, first.file, first.line);
}

static int by_number(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_category(const void *a, const void *b)
{
	const struct raw_category *x = a, *y = b;
	int c = strcmp(x->category.id, y->category.id);

	if (!c)
		c = by_number(x->layer, y->layer);
	return c ? c : by_number(x->order, y->order);
}

static int by_rule(const void *a, const void *b)
{
	const struct raw_rule *x = a, *y = b;
	int c = strcmp(x->rule.id, y->rule.id);

	if (!c)
		c = by_number(x->layer, y->layer);
	return c ? c : by_number(x->order, y->order);
}

static int settle_categories(
    struct taxonomy *t, struct taxonomy_raw *raw, struct err *e)
{
	struct raw_category *v = raw->categories, *base;
	size_t n = raw->n_categories;

	t->categories = calloc(n + 1, sizeof *t->categories);
	if (!t->categories)
		return err_nomem(e);
	if (n)
		qsort(v, n, sizeof *v, by_category);
	for (size_t i = 0; i < n; i++) {
		const char *missing = taxonomy_read_missing(&v[i]);

		base = &v[i];
		if (missing)
			return taxonomy_read_bad(
			    e, base->at, "missing key", missing);
		while (i + 1 < n &&
		    !strcmp(v[i + 1].category.id, base->category.id)) {
			i++;
			if (v[i].layer == v[i - 1].layer)
				return fail_twice(
				    e, v[i].at, base->category.id, v[i - 1].at);
			taxonomy_read_override(base, &v[i]);
		}
		t->categories[t->n_categories++] = base->category;
		memset(&base->category, 0, sizeof base->category);
	}
	return 0;
}

static int check_disable(const struct taxonomy_raw *raw, struct err *e)
{
	for (size_t i = 0; i < raw->n_disable; i++) {
		const struct raw_disable *d = &raw->disable[i];
		bool found = false;

		for (size_t j = 0; j < raw->n_rules && !found; j++)
			found = raw->rules[j].layer <= d->layer &&
			    !strcmp(raw->rules[j].rule.id, d->rule);
		for (size_t j = 0; j < raw->n_trends && !found; j++)
			found = raw->trends[j].layer <= d->layer &&
			    !strcmp(raw->trends[j].trend.id, d->rule);
		for (size_t j = 0; j < raw->n_redactions && !found; j++)
			found = raw->redactions[j].layer <= d->layer &&
			    !strcmp(raw->redactions[j].redaction.id, d->rule);
		for (size_t j = 0; j < raw->n_signals && !found; j++)
			found = raw->signals[j].layer <= d->layer &&
			    !strcmp(raw->signals[j].signal.id, d->rule);
		if (!found)
			return taxonomy_read_bad(e, d->at, "no rule", d->rule);
	}
	return 0;
}

/* Sort the rules; the last layer's of each id, less the disabled, come first:
 * *kept of them. The others stay behind them, to be released. */
static int settle_rules(struct taxonomy_raw *raw, size_t *kept, struct err *e)
{
	struct raw_rule *v = raw->rules;
	size_t n = raw->n_rules;

	*kept = 0;
	if (n)
		qsort(v, n, sizeof *v, by_rule);
	if (check_disable(raw, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		bool last =
		    i + 1 == n || strcmp(v[i].rule.id, v[i + 1].rule.id) != 0;
		struct raw_rule held = v[*kept];

		if (!last && v[i].layer == v[i + 1].layer)
			return fail_twice(
			    e, v[i + 1].at, v[i].rule.id, v[i].at);
		if (!last ||
		    taxonomy_read_disabled(raw, v[i].rule.id, v[i].layer))
			continue;
		v[(*kept)++] = v[i];
		v[i] = held;
	}
	return 0;
}

static int take_rule(
    struct taxonomy_full *full, struct raw_rule *raw, struct err *e)
{
	struct taxonomy *t = &full->t;
	const struct category *c = NULL;

	if (raw->category) {
		c = taxonomy_category(t, raw->category);
		if (!c)
			return taxonomy_read_bad(
			    e, raw->category_at, "no category", raw->category);
		raw->rule.category = (size_t)(c - t->categories);
	}
	raw->rule.number = t->n_rules;
	raw->rule.first = t->n_patterns;
	for (size_t i = 0; i < raw->rule.pattern.n; i++) {
		t->pattern_rule[t->n_patterns] = (uint32_t)t->n_rules;
		atomic_init(&full->pattern[t->n_patterns++],
		    raw->pattern ? raw->pattern[i] : NULL);
	}
	free(raw->pattern);
	atomic_init(&full->unless[t->n_rules], raw->unless);
	raw->pattern = NULL;
	raw->unless = NULL;
	t->n_rules++;
	return 0;
}

/* Each word that a failure follows is a category, or stands for several. */
static int check_follows(const struct taxonomy *t, const struct strings *s,
    struct place at, struct err *e)
{
	static const char *const words[] = { FOLLOWS_ANYTHING, FOLLOWS_NOTHING,
		FOLLOWS_STEP, FOLLOWS_CELL, NULL };

	for (size_t i = 0; i < s->n; i++) {
		size_t k = 0;

		while (words[k] && strcmp(words[k], s->v[i]) != 0)
			k++;
		if (!words[k] && !taxonomy_category(t, s->v[i]))
			return taxonomy_read_bad(
			    e, at, "no category to follow:", s->v[i]);
	}
	return 0;
}

static int take_rules(
    struct taxonomy_full *full, struct taxonomy_raw *raw, struct err *e)
{
	struct taxonomy *t = &full->t;
	size_t kept, patterns = 0;

	/* what was taken has no id left, and lies in the order of t's */
	for (size_t i = 0, k = 0; i < raw->n_categories; i++)
		if (!raw->categories[i].category.id &&
		    check_follows(t, &t->categories[k++].follows,
			raw->categories[i].at, e))
			return -1;
	if (settle_rules(raw, &kept, e))
		return -1;
	for (size_t i = 0; i < kept; i++)
		patterns += raw->rules[i].rule.pattern.n;
	full->pattern = calloc(patterns + 1, sizeof *full->pattern);
	full->unless = calloc(kept + 1, sizeof *full->unless);
	t->pattern_rule = calloc(patterns + 1, sizeof *t->pattern_rule);
	if (!full->pattern || !full->unless || !t->pattern_rule)
		return err_nomem(e);
	full->rules = raw->rules;
	full->n_read = raw->n_rules;
	raw->rules = NULL;
	raw->n_rules = 0;
	for (size_t i = 0; i < kept; i++)
		if (take_rule(full, &full->rules[i], e))
			return -1;
	for (size_t i = 0; i < kept; i++) {
		const struct raw_rule *from = &full->rules[i];
		struct rule *r = &full->rules[i].rule;
		const struct rule *other;

		if (check_follows(t, &r->follows, from->at, e))
			return -1;
		if (r->until && !taxonomy_rule(t, r->until))
			return taxonomy_read_bad(
			    e, from->at, "no rule", r->until);
		if (!r->within)
			continue;
		other = taxonomy_rule(t, r->within);
		if (!other)
			return taxonomy_read_bad(
			    e, from->within_at, "no rule", r->within);
		r->within_rule = other->number;
	}
	return 0;
}

/* A row must name something that exists; one for a rule that an overlay has
 * disabled goes with it. */
static int take_row(struct taxonomy *t, const struct taxonomy_raw *raw,
    struct raw_policy *p, struct err *e)
{
	const char *category = p->row.category, *rule = p->row.rule;

	if (category && strcmp(category, "unknown") != 0 &&
	    !(p->row.after_success && !strcmp(category, POLICY_ANY)) &&
	    !taxonomy_category(t, category))
		return taxonomy_read_bad(e, p->at, "no category", category);
	if (p->row.seen_with && !taxonomy_category(t, p->row.seen_with))
		return taxonomy_read_bad(
		    e, p->at, "no category", p->row.seen_with);
	if (rule && !taxonomy_rule(t, rule)) {
		if (taxonomy_read_disabled(raw, rule, 0))
			return 0;
		return taxonomy_read_bad(e, p->at, "no rule", rule);
	}
	t->policy[t->n_policy++] = p->row;
	memset(&p->row, 0, sizeof p->row);
	return 0;
}

/* The row that would apply without the one at `at`. */
static const struct policy_row *row_behind(const struct taxonomy *t, size_t at)
{
	const struct policy_row *p = &t->policy[at], *q = NULL;
	const struct rule *r = p->rule ? taxonomy_rule(t, p->rule) : NULL;

	if (!r)
		return taxonomy_policy_from(t, at + 1, NULL, p->category);
	q = taxonomy_policy_from(t, at + 1, p->rule, NULL);
	if (!q && r->category != TAXONOMY_NO_CATEGORY)
		q = taxonomy_policy_from(
		    t, 0, NULL, t->categories[r->category].id);
	return q;
}

/* A row that stops says nothing of how often to try. */
static void settle_row(struct taxonomy *t, size_t at)
{
	struct policy_row *p = &t->policy[at];
	const struct policy_row *q = row_behind(t, at);

	if (q && q->verdict == VERDICT_STOP && p->verdict != VERDICT_STOP)
		q = NULL;
	if (!p->own_retries)
		p->retries = q ? q->retries : t->budgets.same_cause;
	if (!p->own_repeats && q)
		p->repeats = q->repeats;
	if (!p->max_delay_seconds)
		p->max_delay_seconds = p->delay_seconds > DELAY_GROWN
		    ? p->delay_seconds
		    : DELAY_GROWN;
}

/* From the last row to the first, those of categories before those of rules,
 * so that what a row takes over is settled. */
static void settle_policy(struct taxonomy *t, const struct taxonomy_raw *raw)
{
	int v[BUDGETS];

	for (size_t i = 0; i < BUDGETS; i++)
		v[i] = raw->budgets[i].at.file ? raw->budgets[i].value
					       : RETRIES_ANY;
	t->budgets = (struct budgets){ v[BUDGET_SAME_CAUSE],
		v[BUDGET_SAME_PLACE], v[BUDGET_TOTAL] };
	t->stop_needs = raw->stop_needs.value;
	t->declared = raw->declared.value;
	t->node_window = raw->node_window.value;
	for (size_t i = t->n_policy; i-- > 0;)
		if (t->policy[i].category)
			settle_row(t, i);
	for (size_t i = t->n_policy; i-- > 0;)
		if (t->policy[i].rule)
			settle_row(t, i);
}

/* The first row that fits wins, so later layers come first. */
static int take_policy(struct taxonomy *t, struct taxonomy_raw *raw,
    unsigned last_layer, struct err *e)
{
	t->policy = calloc(raw->n_policy + 1, sizeof *t->policy);
	if (!t->policy)
		return err_nomem(e);
	for (unsigned layer = last_layer + 1; layer-- > 0;)
		for (size_t i = 0; i < raw->n_policy; i++)
			if (raw->policy[i].layer == layer &&
			    take_row(t, raw, &raw->policy[i], e))
				return -1;
	settle_policy(t, raw);
	return 0;
}

/* The place of an id among the first n, or n. */
static size_t find_redaction(const struct taxonomy *t, const char *id, size_t n)
{
	size_t i = 0;

	while (
	    i < n && !(t->redactions[i].id && !strcmp(t->redactions[i].id, id)))
		i++;
	return i;
}

static int check_redactions(const struct taxonomy_raw *raw, struct err *e)
{
	for (size_t i = 0; i < raw->n_redactions; i++)
		for (size_t k = 0; k < i; k++) {
			const struct raw_redaction *a = &raw->redactions[k];
			const struct raw_redaction *b = &raw->redactions[i];

			if (a->layer == b->layer &&
			    !strcmp(a->redaction.id, b->redaction.id))
				return fail_twice(
				    e, b->at, a->redaction.id, a->at);
		}
	return 0;
}

/* They keep their order; a later layer's takes the place of the one with its
 * id. */
static int take_redactions(
    struct taxonomy_full *full, struct taxonomy_raw *raw, struct err *e)
{
	struct taxonomy *t = &full->t;

	t->redactions = calloc(raw->n_redactions + 1, sizeof *t->redactions);
	full->redaction =
	    calloc(raw->n_redactions + 1, sizeof *full->redaction);
	if (!t->redactions || !full->redaction)
		return err_nomem(e);
	if (check_redactions(raw, e))
		return -1;
	for (size_t i = 0; i < raw->n_redactions; i++) {
		struct raw_redaction *r = &raw->redactions[i];
		size_t at = find_redaction(t, r->redaction.id, t->n_redactions);

		if (taxonomy_read_disabled(raw, r->redaction.id, r->layer))
			continue;
		t->n_redactions += at == t->n_redactions;
		taxonomy_redaction_release(&t->redactions[at]);
		pattern_free(atomic_load(&full->redaction[at]));
		t->redactions[at] = r->redaction;
		atomic_store(&full->redaction[at], r->pattern);
		memset(&r->redaction, 0, sizeof r->redaction);
		r->pattern = NULL;
	}
	return 0;
}

/* The built-in ones, for overlays of the image. */
static int take_pieces(
    struct taxonomy *t, struct taxonomy_raw *raw, struct err *e)
{
	t->pieces = calloc(raw->n_pieces + 1, sizeof *t->pieces);
	if (!t->pieces)
		return err_nomem(e);
	for (size_t i = 0; i < raw->n_pieces; i++) {
		struct raw_piece *p = &raw->pieces[i];

		if (p->layer > 0)
			continue;
		t->pieces[t->n_pieces++] = p->piece;
		p->piece = (struct rule_piece){ NULL, NULL };
	}
	return 0;
}

struct taxonomy *taxonomy_settle(
    struct taxonomy_raw *raw, unsigned last_layer, struct err *e)
{
	struct taxonomy_full *full = calloc(1, sizeof *full);
	int rc = -1;

	if (!full) {
		err_nomem(e);
		return NULL;
	}
	if (!settle_categories(&full->t, raw, e) &&
	    !take_pieces(&full->t, raw, e) && !take_rules(full, raw, e) &&
	    !take_policy(&full->t, raw, last_layer, e) &&
	    !trend_settle(&full->t, raw, e) && !take_redactions(full, raw, e) &&
	    !signal_settle(full, raw, e))
		rc = taxonomy_set_hash(&full->t) ? err_nomem(e) : 0;
	if (rc) {
		taxonomy_free(&full->t);
		return NULL;
	}
	return &full->t;
}

struct taxonomy *taxonomy_load_files(const char *const *overlays, size_t n,
    const struct taxonomy *known, struct err *e)
{
	struct taxonomy_raw raw = { 0 };
	struct taxonomy *t = NULL;
	int rc =
	    known ? taxonomy_known_add(&raw, known, e) : load_embedded(&raw, e);

	for (size_t i = 0; i < n && !rc; i++)
		rc = load_overlay(&raw, overlays[i], (unsigned)i + 1, e);
	if (!rc)
		t = taxonomy_settle(&raw, (unsigned)n, e);
	taxonomy_read_release(&raw);
	return t;
}
