/*
 * What a kind of signal may say is a row of a table here; what is done with it
 * is its reader's, in diagnose/signals/. A later layer's entry takes the place
 * of the one with its id, as a rule does.
 */
#include "rules/signal_read.h"

#include "base/err.h"
#include "rules/fields.h"
#include "rules/litset.h"
#include "rules/pattern.h"
#include "rules/pieces.h"
#include "rules/taxonomy_private.h"
#include "rules/yamldoc.h"

#include <stdlib.h>
#include <string.h>

#define WORD_LEAST 2 /* bytes: the prefilter finds no shorter ones */

static const struct signal_kind_info kinds[SIGNAL_KINDS] = {
	[SIGNAL_BLOCK] = { .name = "block",
	    .key = "act",
	    .words = { "python", "cpp", "rust", "go", "java", "fault", "cause",
		"handling", "ignored", "thread", "frame" },
	    .needed = true,
	    .hit = true },
	[SIGNAL_END] = { .name = "end",
	    .key = "act",
	    .words = { "success" },
	    .needed = true,
	    .hit = true },
	[SIGNAL_EXIT] = { .name = "exit", .hit = true, .groups = "code" },
	[SIGNAL_PARALLEL] = { .name = "parallel",
	    .key = "where",
	    .words = { "line", "block" },
	    .hit = true },
	[SIGNAL_PROGRESS] = { .name = "progress",
	    .key = "act",
	    .words = { "foreign" },
	    .needed = true,
	    .words_only = true },
	[SIGNAL_SOURCE] = { .name = "source",
	    .key = "source",
	    .words = { "stdout", "dmesg", "scheduler", "error_file" },
	    .needed = true,
	    .words_only = true },
};

/* The keys that kinds have of their own. */
static const char *const own_keys[] = { "act", "where", "source" };

const struct signal_kind_info *signal_kind_info(enum signal_kind kind)
{
	return &kinds[kind];
}

/* ---- values ---- */

/* enum signal_kind * */
static int read_kind(struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[SIGNAL_KINDS];
	int i;

	for (i = 0; i < SIGNAL_KINDS; i++)
		names[i] = kinds[i].name;
	i = fields_choose(r, n, names, SIGNAL_KINDS);
	if (i < 0)
		return -1;
	*(enum signal_kind *)to = (enum signal_kind)i;
	return 0;
}

/* struct strings *: kept in lower case, since case does not count. */
static int read_words(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct strings *s = to;

	if (n->kind == YAMLDOC_LIST && !n->n)
		return fields_bad(
		    r, n, "'%s' must hold at least one word", fields_name(n));
	if (fields_list(r, n, to))
		return -1;
	for (const struct yamldoc_node *c = n->first; c; c = c->next)
		if (strlen(c->text) < WORD_LEAST)
			return fields_bad(r, c,
			    "a word has at least %d bytes: not '%s'",
			    WORD_LEAST, c->text);
	for (size_t i = 0; i < s->n; i++)
		for (char *p = s->v[i]; *p; p++)
			*p = (char)litset_fold((unsigned char)*p);
	return 0;
}

/* Of a kind's own key, when the kind is known. */
static int read_later(struct reader *r, const struct yamldoc_node *n, void *to)
{
	(void)r;
	(void)n;
	(void)to;
	return 0;
}

static const struct field example_fields[] = {
	{ "match", fields_examples, AT(signal, match), true },
	{ "no_match", fields_examples, AT(signal, no_match), true },
	{ 0 },
};

static int read_examples(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	return fields_map(r, n, example_fields, to, NULL);
}

static const struct field signal_fields[] = {
	{ "id", fields_id, AT(signal, id), true },
	{ "title", fields_text, AT(signal, title), true },
	{ "signal", read_kind, AT(signal, kind), true },
	{ "pattern", pieces_pattern, AT(signal, pattern), false },
	{ "unless", pieces_pattern, AT(signal, unless), false },
	{ "any", read_words, AT(signal, any), false },
	{ "starts", read_words, AT(signal, starts), false },
	{ "ends", read_words, AT(signal, ends), false },
	{ "act", read_later, 0, false },
	{ "where", read_later, 0, false },
	{ "source", read_later, 0, false },
	{ "examples", read_examples, 0, true },
	{ 0 },
};

/* ---- entries ---- */

/* What a signal of this kind tells: its kind's own key, and no other's. */
static int read_tells(
    struct reader *r, const struct yamldoc_node *n, struct signal *s)
{
	const struct signal_kind_info *kind = &kinds[s->kind];
	const struct yamldoc_node *own;
	size_t words = 0;

	s->tells = -1;
	for (size_t i = 0; i < COUNT(own_keys); i++) {
		own = yamldoc_get(n, own_keys[i]);
		if (own && !(kind->key && !strcmp(kind->key, own_keys[i])))
			return fields_bad(r, own->key,
			    "a signal of kind '%s' has no '%s'", kind->name,
			    own_keys[i]);
	}
	own = kind->key ? yamldoc_get(n, kind->key) : NULL;
	if (!own)
		return kind->needed
		    ? fields_bad(r, n, "missing key '%s'", kind->key)
		    : 0;
	while (words < COUNT(kind->words) && kind->words[words])
		words++;
	s->tells = fields_choose(r, own, kind->words, words);
	return s->tells < 0 ? -1 : 0;
}

static int check_texts(
    struct reader *r, const struct yamldoc_node *n, const struct signal *s)
{
	const struct signal_kind_info *kind = &kinds[s->kind];
	const struct yamldoc_node *pattern = yamldoc_get(n, "pattern");
	bool words = s->any.n || s->starts.n || s->ends.n;

	if (words == !!pattern)
		return fields_bad(r, pattern ? pattern : n,
		    "a signal needs either 'pattern' or words ('any', "
		    "'starts', 'ends')");
	if (kind->groups && !pattern)
		return fields_bad(r, n,
		    "a signal of kind '%s' needs a 'pattern' with the group "
		    "'%s'",
		    kind->name, kind->groups);
	if (kind->words_only && (pattern || s->unless))
		return fields_bad(r,
		    pattern ? pattern : yamldoc_get(n, "unless"),
		    "a signal of kind '%s' has words, no pattern", kind->name);
	return 0;
}

/* A list of words, whose lengths are in len. */
static struct literals of_words(const struct strings *words, size_t *len)
{
	struct literals l = { words->v, len, words->n, SIZE_MAX };

	for (size_t i = 0; i < words->n; i++) {
		len[i] = strlen(words->v[i]);
		if (len[i] < l.least)
			l.least = len[i];
	}
	return l;
}

/* Of lists that must all hold, the one whose words are longer. */
int signal_read_literals(const struct signal *s, struct literals *l)
{
	const struct strings *lists[] = { &s->any, &s->starts, &s->ends };
	struct literals best = { 0 };
	size_t *len;
	int rc;

	if (s->pattern)
		return literals_from_pattern(l, s->pattern);
	len = calloc(s->any.n + s->starts.n + s->ends.n + 1, sizeof *len);
	if (!len)
		return -1;
	for (size_t i = 0, at = 0; i < COUNT(lists); at += lists[i++]->n) {
		struct literals one = of_words(lists[i], len + at);

		if (one.n && one.least > best.least)
			best = one;
	}
	rc = literals_copy(l, &best);
	free(len);
	return rc;
}

static int check_patterns(
    struct reader *r, const struct yamldoc_node *n, struct raw_signal *raw)
{
	const struct yamldoc_node *pattern = yamldoc_get(n, "pattern");
	const char *group = kinds[raw->signal.kind].groups;
	int g;

	if (!r->layer)
		return 0;
	if ((pattern &&
		pieces_compile(
		    r, pattern, raw->signal.pattern, &raw->pattern)) ||
	    (raw->signal.unless &&
		pieces_compile(r, yamldoc_get(n, "unless"), raw->signal.unless,
		    &raw->unless)))
		return -1;
	g = group ? pattern_group(raw->pattern, group) : 0;
	if (g < 0 || g >= PATTERN_GROUPS)
		return fields_bad(
		    r, pattern, "the pattern has no group '%s'", group);
	return 0;
}

static int read_signal(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	struct raw_signal *s = fields_more(r, (void **)&raw->signals,
	    &raw->n_signals, &raw->cap_signals, sizeof *s);

	if (!s)
		return -1;
	s->layer = r->layer;
	s->at = fields_id_place(r, n);
	if (fields_map(r, n, signal_fields, &s->signal, NULL) ||
	    read_tells(r, n, &s->signal) || check_texts(r, n, &s->signal))
		return -1;
	s->signal.line = s->at.line;
	s->signal.site = r->layer > 0;
	s->signal.file = span_dup(span_of(r->file));
	if (!s->signal.file)
		return err_nomem(r->e);
	return check_patterns(r, n, s);
}

int signal_read(struct reader *r, const struct yamldoc_node *root)
{
	return fields_each(r, yamldoc_get(root, "signals"), read_signal);
}

/* ---- bringing layers together ---- */

static int by_id(const void *a, const void *b)
{
	const struct raw_signal *x = a, *y = b;
	int c = strcmp(x->signal.id, y->signal.id);

	return c ? c : (x->layer > y->layer) - (x->layer < y->layer);
}

/* Those that are kept first, in the order of struct taxonomy. */
static int by_kind(const void *a, const void *b)
{
	const struct raw_signal *x = a, *y = b;

	if (x->kept != y->kept)
		return x->kept ? -1 : 1;
	if (x->signal.kind != y->signal.kind)
		return x->signal.kind < y->signal.kind ? -1 : 1;
	return strcmp(x->signal.id, y->signal.id);
}

/* Rules, redactions and trends share their ids. */
static bool taken(const struct taxonomy *t, const char *id)
{
	for (size_t i = 0; i < t->n_trends; i++)
		if (!strcmp(t->trends[i].id, id))
			return true;
	return taxonomy_rule(t, id) || taxonomy_redaction(t, id);
}

/* Which are kept, and in their order. */
static int settle(const struct taxonomy *t, struct taxonomy_raw *raw,
    size_t *kept, struct err *e)
{
	struct raw_signal *v = raw->signals;
	size_t n = raw->n_signals;

	*kept = 0;
	if (n)
		qsort(v, n, sizeof *v, by_id);
	for (size_t i = 0; i < n; i++) {
		bool last = i + 1 == n ||
		    strcmp(v[i].signal.id, v[i + 1].signal.id) != 0;

		if (taken(t, v[i].signal.id) ||
		    (!last && v[i].layer == v[i + 1].layer))
			return taxonomy_read_bad(
			    e, v[i + !last].at, "duplicate id", v[i].signal.id);
		v[i].kept = last &&
		    !taxonomy_read_disabled(raw, v[i].signal.id, v[i].layer);
		*kept += v[i].kept;
	}
	if (n)
		qsort(v, n, sizeof *v, by_kind);
	return 0;
}

int signal_settle(
    struct taxonomy_full *full, struct taxonomy_raw *raw, struct err *e)
{
	struct taxonomy *t = &full->t;
	size_t kept;

	if (settle(t, raw, &kept, e))
		return -1;
	t->signals = calloc(kept + 1, sizeof *t->signals);
	full->signal = calloc(kept + 1, sizeof *full->signal);
	full->signal_unless = calloc(kept + 1, sizeof *full->signal_unless);
	if (!t->signals || !full->signal || !full->signal_unless)
		return err_nomem(e);
	while (t->n_signals < kept) {
		struct raw_signal *s = &raw->signals[t->n_signals];

		for (size_t k = s->signal.kind; k < SIGNAL_KINDS; k++)
			t->signal_from[k + 1] = t->n_signals + 1;
		atomic_init(&full->signal[t->n_signals], s->pattern);
		atomic_init(&full->signal_unless[t->n_signals], s->unless);
		t->signals[t->n_signals++] = s->signal;
		s->pattern = s->unless = NULL;
		s->signal = (struct signal){ 0 };
	}
	return 0;
}

/* ---- release ---- */

void signal_read_release(struct taxonomy_raw *raw)
{
	for (size_t i = 0; i < raw->n_signals; i++) {
		taxonomy_signal_release(&raw->signals[i].signal);
		pattern_free(raw->signals[i].pattern);
		pattern_free(raw->signals[i].unless);
	}
	free(raw->signals);
}
