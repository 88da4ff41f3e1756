/*
 * What a kind of signal may say is a row of a table here; what is done with it
 * is its reader's, in diagnose/signals/. A later layer's entry takes the place
 * of the one with its id, as a rule does.
 */
#include "rules/signal_read.h"

#include "base/err.h"
#include "input/jsonkeys.h"
#include "input/prefixes.h"
#include "rules/fields.h"
#include "rules/litset.h"
#include "rules/parts.h"
#include "rules/pattern.h"
#include "rules/pieces.h"
#include "rules/taxonomy_private.h"
#include "rules/yamldoc.h"

#include <stdlib.h>
#include <string.h>

#define WORD_LEAST 2 /* bytes: the prefilter finds no shorter ones */

static const struct signal_kind_info kinds[SIGNAL_KINDS] = {
	[SIGNAL_BLOCK] = { .name = "block",
	    .keys = { { "act",
		{ "python", "cpp", "rust", "go", "java", "fault", "box",
		    "cause", "handling", "ignored", "request", "thread", "ends",
		    "frame", "stack", "quote" },
		true } },
	    .hit = SIGNAL_HIT },
	[SIGNAL_END] = { .name = "end",
	    .keys = { { "act", { "success", "script", "stop", "failed" },
		true } },
	    .hit = SIGNAL_HIT },
	[SIGNAL_EXIT] = { .name = "exit", .hit = SIGNAL_HIT, .groups = "code" },
	[SIGNAL_PARALLEL] = { .name = "parallel",
	    .keys = { { "where", { "line", "block" }, false },
		{ "act", { "children" }, false } },
	    .hit = SIGNAL_HIT },
	[SIGNAL_PROGRESS] = { .name = "progress",
	    .keys = { { "act", { "foreign" }, true } },
	    .words_only = true },
	[SIGNAL_SOURCE] = { .name = "source",
	    .keys = { { "source",
		{ "stdout", "dmesg", "scheduler", "error_file" }, true } },
	    .words_only = true },
	[SIGNAL_FRAMES] = { .name = "frames",
	    .keys = { { "act",
		{ "library", "framework", "protocol", "arguments", "reader",
		    "starter" },
		true } },
	    .words_only = true,
	    .exact = true,
	    .named = true },
	[SIGNAL_ECHO] = { .name = "echo",
	    .keys = { { "act", { "code", "message" }, true } },
	    .words_only = true,
	    .exact = true },
	[SIGNAL_STAGE] = { .name = "stage",
	    .keys = { { "stage",
			  { "initialization", "data", "training", "evaluation",
			      "step", "validation", "model" },
			  true },
		{ "where", { "text", "failure", "path", "file", "function" },
		    true } },
	    .words_only = true },
	[SIGNAL_CHECKPOINT] = { .name = "checkpoint",
	    .keys = { { "act",
		{ "about", "checkpoint", "model", "saved", "saving",
		    "announced", "finished", "background", "staged", "part",
		    "failed", "trouble", "other", "weights", "no_weights" },
		true } },
	    .hit = 1u << CHECKPOINT_ABOUT,
	    .words_only = true },
	[SIGNAL_GPUS] = { .name = "gpus",
	    .keys = { { "count",
			  { "ranks", "world", "processes", "nodes", "granted",
			      "list", "visible", "total", "device", "batch",
			      "micro_batch", "accumulate" },
			  false },
		{ "says", { "used", "none", "sure", "number" }, false } },
	    .hit = SIGNAL_HIT,
	    .exact = true },
	[SIGNAL_INPUTS] = { .name = "inputs",
	    .keys = { { "act", { "data", "other" }, true },
		{ "where", { "path", "word" }, true } },
	    .words_only = true },
	[SIGNAL_REPORT] = { .name = "report",
	    .keys = { { "act", { "begins", "well", "first" }, true } },
	    .hit = SIGNAL_HIT },
	[SIGNAL_LAUNCH] = { .name = "launch",
	    .keys = { { "act",
		{ "job", "program", "command", "trial", "result" }, true } },
	    .hit = SIGNAL_HIT },
	[SIGNAL_DONE] = { .name = "done",
	    .keys = { { "act", { "served" }, false } },
	    .hit = SIGNAL_HIT },
	[SIGNAL_LAYOUT] = { .name = "layout",
	    .keys = { { "act", { "auto", "chosen" }, true },
		{ "from", { "zero" }, false } },
	    .exact = true,
	    .named = true,
	    .groups = "job" },
	[SIGNAL_STATE] = { .name = "state",
	    .keys = { { "act",
			  { "unknown", "pending", "running", "well", "failed" },
			  true },
		{ "where", { "slurm" }, false } },
	    .words_only = true,
	    .exact = true },
	[SIGNAL_MESSAGE] = { .name = "message",
	    .keys = { { "act", { "here", "next", "last" }, true } },
	    .hit = 1u << MESSAGE_HERE | 1u << MESSAGE_NEXT,
	    .groups = "message" },
	[SIGNAL_DECLARED] = { .name = "declared",
	    .hit = SIGNAL_HIT,
	    .groups = "reason" },
	[SIGNAL_PHASE] = { .name = "phase",
	    .keys = { { "act",
		{ "resumed", "training", "starting", "result", "evaluating" },
		true } } },
	[SIGNAL_PREFIX] = { .name = "prefix",
	    .keys = { { "act",
			  { "collector", "launcher", "logger", "anywhere",
			      "tag" },
			  true },
		{ "where", { "after_time", "after_prefix" }, false },
		{ "says", { "debug", "info", "warning", "error", "fatal" },
		    false } },
	    .words_only = true,
	    .exact = true },
	[SIGNAL_COLLECTIVE] = { .name = "collective",
	    .keys = { { "act",
		{ "call", "p2p", "group", "comm", "about", "count", "any_input",
		    "any_output" },
		true } },
	    .hit = (1u << COLLECTIVE_ANY_INPUT) - 1 },
	[SIGNAL_ASIDE] = { .name = "aside",
	    .keys = { { "act", { "names", "brings", "looks", "handled" },
		true } },
	    .exact = true },
	[SIGNAL_CHAINED] = { .name = "chained",
	    .keys = { { "act", { "function", "code", "probe", "leaving" },
		true } },
	    .words_only = true,
	    .exact = true },
	[SIGNAL_NODE] = { .name = "node", .words_only = true, .exact = true },
	[SIGNAL_JSON_KEY] = { .name = "json_key",
	    .keys = { { "act",
		{ "message", "time", "level", "logger", "host", "stack",
		    "error", "rank", "no_stack", "writer" },
		true } },
	    .words_only = true,
	    .exact = true },
	[SIGNAL_JSON_LEVEL] = { .name = "json_level",
	    .keys = { { "says",
		{ "debug", "info", "warning", "error", "fatal" }, true } },
	    .words_only = true },
	[SIGNAL_FILE] = { .name = "file",
	    .keys = { { "act", { "other", "maybe", "log", "script" }, true },
		{ "where", { "path" }, false } } },
	[SIGNAL_COMPARE] = { .name = "compare",
	    .keys = { { "act",
		{ "varies", "last", "failing", "warning", "version" }, true } },
	    .words_only = true },
};

/* The keys that kinds have of their own. */
static const char *const own_keys[] = { "act", "where", "source", "stage",
	"count", "says", "from" };

const struct signal_kind_info *signal_kind_info(enum signal_kind kind)
{
	return &kinds[kind];
}

bool signal_hit(const struct signal *s)
{
	unsigned hit = kinds[s->kind].hit;

	return hit == SIGNAL_HIT ||
	    (s->tells[0] >= 0 && hit >> s->tells[0] & 1);
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

/* struct strings * */
static int read_words(struct reader *r, const struct yamldoc_node *n, void *to)
{
	if (n->kind == YAMLDOC_LIST && !n->n)
		return fields_bad(
		    r, n, "'%s' must hold at least one word", fields_name(n));
	return fields_list(r, n, to);
}

/* Words are kept in lower case where case does not count. */
static void fold(const struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (char *p = s->v[i]; *p; p++)
			*p = (char)litset_fold((unsigned char)*p);
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
	{ "is", read_words, AT(signal, is), false },
	{ "any", read_words, AT(signal, any), false },
	{ "starts", read_words, AT(signal, starts), false },
	{ "ends", read_words, AT(signal, ends), false },
	{ "act", read_later, 0, false },
	{ "where", read_later, 0, false },
	{ "source", read_later, 0, false },
	{ "stage", read_later, 0, false },
	{ "count", read_later, 0, false },
	{ "says", read_later, 0, false },
	{ "from", read_later, 0, false },
	{ "name", fields_text, AT(signal, name), false },
	{ "examples", read_examples, 0, true },
	{ 0 },
};

/* ---- entries ---- */

static int has_no(struct reader *r, const struct yamldoc_node *n,
    const struct signal *s, const char *key)
{
	const struct yamldoc_node *own = yamldoc_get(n, key);

	return own
	    ? fields_bad(r, own->key, "a signal of kind '%s' has no '%s'",
		  kinds[s->kind].name, key)
	    : 0;
}

static int read_key(struct reader *r, const struct yamldoc_node *n,
    const struct signal_key *key, int *to)
{
	const struct yamldoc_node *own = yamldoc_get(n, key->name);
	size_t words = 0;

	if (!own)
		return key->needed
		    ? fields_bad(r, n, "missing key '%s'", key->name)
		    : 0;
	while (words < COUNT(key->words) && key->words[words])
		words++;
	*to = fields_choose(r, own, key->words, words);
	return *to < 0 ? -1 : 0;
}

/* What a signal of this kind tells: its kind's own keys, and no other's. */
static int read_tells(
    struct reader *r, const struct yamldoc_node *n, struct signal *s)
{
	const struct signal_kind_info *kind = &kinds[s->kind];
	unsigned own = 0;

	for (size_t k = 0; k < SIGNAL_KEYS; k++) {
		s->tells[k] = -1;
		for (size_t i = 0; kind->keys[k].name && i < COUNT(own_keys);
		     i++)
			own |=
			    (unsigned)!strcmp(kind->keys[k].name, own_keys[i])
			    << i;
	}
	for (size_t i = 0; i < COUNT(own_keys); i++)
		if (!(own >> i & 1) && has_no(r, n, s, own_keys[i]))
			return -1;
	if (!kind->named && has_no(r, n, s, "name"))
		return -1;
	for (size_t k = 0; k < SIGNAL_KEYS && kind->keys[k].name; k++)
		if (read_key(r, n, &kind->keys[k], &s->tells[k]))
			return -1;
	return 0;
}

static int check_texts(
    struct reader *r, const struct yamldoc_node *n, const struct signal *s)
{
	const struct signal_kind_info *kind = &kinds[s->kind];
	const struct yamldoc_node *pattern = yamldoc_get(n, "pattern");
	bool words = s->is.n || s->any.n || s->starts.n || s->ends.n;

	if (s->kind == SIGNAL_LAYOUT && !s->name)
		return fields_bad(r, n, "missing key 'name'");
	if (words == !!pattern && s->kind != SIGNAL_LAYOUT)
		return fields_bad(r, pattern ? pattern : n,
		    "a signal needs either 'pattern' or words ('any', "
		    "'starts', 'ends')");
	if (kind->groups && !pattern)
		return fields_bad(r, n,
		    "a signal of kind '%s' needs a 'pattern' with the group "
		    "'%s'",
		    kind->name, kind->groups);
	/* a word there is where something begins or ends */
	if (((s->kind == SIGNAL_STAGE && s->tells[1] == STAGE_IN_TEXT) ||
		s->kind == SIGNAL_GPUS) &&
	    !pattern && !s->any.n)
		return fields_bad(r, n,
		    "words of a signal of kind '%s' are "
		    "given by 'any'",
		    kind->name);
	if (s->kind == SIGNAL_FILE &&
	    (pattern || (s->unless && s->tells[1] != FILE_IN_PATH)))
		return fields_bad(r,
		    pattern ? pattern : yamldoc_get(n, "unless"),
		    "a signal of kind '%s' has words; 'unless' only with "
		    "'where: path'",
		    kind->name);
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
	const struct strings *lists[] = { &s->is, &s->any, &s->starts,
		&s->ends };
	struct literals best = { 0 };
	size_t *len;
	int rc;

	if (s->pattern)
		return literals_from_pattern(l, s->pattern);
	len = calloc(
	    s->is.n + s->any.n + s->starts.n + s->ends.n + 1, sizeof *len);
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

/* Words of these kinds begin something; those of a prefix are forms. */
static int check_forms(
    struct reader *r, const struct yamldoc_node *n, const struct signal *s)
{
	const struct yamldoc_node *c = yamldoc_get(n, "starts");
	struct err why;

	if (s->kind != SIGNAL_PREFIX && s->kind != SIGNAL_NODE)
		return 0;
	if (!c || s->is.n || s->any.n || s->ends.n)
		return fields_bad(r, n,
		    "words of a signal of kind '%s' are given by 'starts'",
		    kinds[s->kind].name);
	for (c = s->kind == SIGNAL_PREFIX ? c->first : NULL; c; c = c->next)
		if (prefixes_check(c->text, &why))
			return fields_bad(r, c, "bad prefix: %s", why.text);
	return 0;
}

/* Keys are told by how they begin, whatever an object they are in. */
static int check_keys(
    struct reader *r, const struct yamldoc_node *n, const struct signal *s)
{
	const struct yamldoc_node *c = yamldoc_get(n, "is");

	if (s->kind != SIGNAL_JSON_KEY && s->kind != SIGNAL_JSON_LEVEL)
		return 0;
	if (!c || s->any.n || s->starts.n || s->ends.n)
		return fields_bad(r, n,
		    "words of a signal of kind '%s' are given by 'is'",
		    kinds[s->kind].name);
	for (c = c->first; c; c = c->next) {
		size_t outer = strcspn(c->text, ".");

		if (s->kind == SIGNAL_JSON_KEY &&
		    s->tells[0] == JSONKEYS_MESSAGE &&
		    outer + !c->text[outer] < JSONKEYS_HEAD)
			return fields_bad(r, c,
			    "the key of a message has at least %d bytes, %d "
			    "before a '.': not '%s'",
			    JSONKEYS_HEAD - 1, JSONKEYS_HEAD, c->text);
	}
	return 0;
}

static int check_words(
    struct reader *r, const struct yamldoc_node *n, const struct signal *s)
{
	static const char *const keys[] = { "is", "any", "starts", "ends" };

	for (size_t i = 0; i < COUNT(keys) && signal_hit(s); i++) {
		const struct yamldoc_node *c = yamldoc_get(n, keys[i]);

		for (c = c ? c->first : NULL; c; c = c->next)
			if (strlen(c->text) < WORD_LEAST)
				return fields_bad(r, c,
				    "a word has at least %d bytes: not '%s'",
				    WORD_LEAST, c->text);
	}
	return 0;
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
	s->layer = s->first_layer = r->layer;
	s->signal.built_in = TAXONOMY_SITE;
	s->order = raw->n_signals;
	s->at = fields_id_place(r, n);
	if (fields_map(r, n, signal_fields, &s->signal, NULL) ||
	    read_tells(r, n, &s->signal) || check_texts(r, n, &s->signal) ||
	    check_forms(r, n, &s->signal) || check_keys(r, n, &s->signal) ||
	    check_words(r, n, &s->signal))
		return -1;
	if (!kinds[s->signal.kind].exact) {
		fold(&s->signal.is);
		fold(&s->signal.any);
		fold(&s->signal.starts);
		fold(&s->signal.ends);
	}
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

/* Those that are kept first, in the order of struct taxonomy: a site's own
 * before what they add to, and what takes a place in that place. */
static int by_kind(const void *a, const void *b)
{
	const struct raw_signal *x = a, *y = b;

	if (x->kept != y->kept)
		return x->kept ? -1 : 1;
	if (x->signal.kind != y->signal.kind)
		return x->signal.kind < y->signal.kind ? -1 : 1;
	if (x->first_layer != y->first_layer)
		return x->first_layer > y->first_layer ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
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
		if (!last) {
			v[i + 1].first_layer = v[i].first_layer;
			v[i + 1].order = v[i].order;
		}
	}
	if (n)
		qsort(v, n, sizeof *v, by_kind);
	return 0;
}

/* Of words that are looked for where they may begin. */
static void note_letters(struct taxonomy *t)
{
	for (size_t i = t->signal_from[SIGNAL_STAGE];
	     i < t->signal_from[SIGNAL_STAGE + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(t, i);

		for (size_t k = 0; k < s->any.n && !s->tells[1]; k++) {
			const char *w = s->any.v[k];

			t->stage_letters[0][w[0] & 31] |= 1u << (w[1] & 31);
			t->stage_letters[1][w[0] & 31] |=
			    w[2] ? 1u << (w[2] & 31) : UINT32_MAX;
		}
	}
	for (size_t i = t->signal_from[SIGNAL_ECHO];
	     i < t->signal_from[SIGNAL_ECHO + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(t, i);
		uint32_t bit = taxonomy_echo_bit(t, i);

		for (size_t c = 0; c < 256 && !s->starts.n; c++)
			t->echo_letters[c] |= bit;
		for (size_t k = 0; k < s->starts.n; k++)
			t->echo_letters[(unsigned char)*s->starts.v[k]] |= bit;
	}
}

/* What a path is looked through for before a layout's pattern is tried: its own
 * words, or else what every match holds. */
static int note_fixed(struct signal *s)
{
	struct literals l = { 0 };
	int rc = -1;

	if (s->kind != SIGNAL_LAYOUT || s->fixed.n ||
	    s->built_in != TAXONOMY_SITE)
		return 0;
	if (!s->any.n && literals_from_pattern(&l, s->pattern))
		goto out;
	taxonomy_strings_release(&s->fixed);
	s->fixed = s->any.n ? s->any : (struct strings){ l.text, l.n };
	rc = parts_own_list(&s->fixed) ? 0 : -1;
	if (!rc)
		fold(&s->fixed);
out:
	literals_release(&l);
	return rc;
}

static int read_prefixes(struct taxonomy *t, struct err *e)
{
	t->prefixes = prefixes_new();
	if (!t->prefixes)
		return err_nomem(e);
	for (size_t i = t->signal_from[SIGNAL_PREFIX];
	     i < t->signal_from[SIGNAL_PREFIX + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(t, i);
		int phase = s->tells[0];
		struct prefix p = { .id = i,
			.phase = phase < SIGNAL_PREFIX_ANYWHERE ? phase : -1,
			.after = (enum prefix_after)(s->tells[1] + 1),
			.level = (enum level)(s->tells[2] + 1),
			.first = s->site,
			.tag = phase == SIGNAL_PREFIX_TAG };

		for (size_t k = 0; k < s->starts.n; k++) {
			p.form = s->starts.v[k];
			if (prefixes_add(t->prefixes, &p, e))
				return -1;
		}
	}
	return 0;
}

static int read_nodes(struct taxonomy *t, struct err *e)
{
	for (size_t i = t->signal_from[SIGNAL_NODE];
	     i < t->signal_from[SIGNAL_NODE + 1]; i++)
		for (size_t k = 0; k < taxonomy_signal_at(t, i)->starts.n; k++)
			if (prefixes_add_node(t->prefixes,
				taxonomy_signal_at(t, i)->starts.v[k]))
				return err_nomem(e);
	return 0;
}

static int read_json_keys(struct taxonomy *t, struct err *e)
{
	size_t i = t->signal_from[SIGNAL_JSON_KEY];

	t->json_keys = jsonkeys_new();
	if (!t->json_keys)
		return err_nomem(e);
	for (; i < t->signal_from[SIGNAL_JSON_LEVEL + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(t, i);
		int tells = s->tells[0];

		for (size_t k = 0; k < s->is.n; k++)
			if (s->kind == SIGNAL_JSON_KEY
				? jsonkeys_add(t->json_keys,
				      (enum jsonkeys_field)tells, s->is.v[k])
				: jsonkeys_add_level(t->json_keys, s->is.v[k],
				      (enum level)(tells + 1)))
				return err_nomem(e);
	}
	return 0;
}

int signal_read_tables(struct taxonomy *t, struct err *e)
{
	return read_prefixes(t, e) || read_nodes(t, e) || read_json_keys(t, e)
	    ? -1
	    : 0;
}

/* Which signals `frames` a word of raised_in means, as bits from the first. */
static uint64_t frames_of(const struct taxonomy *t, const char *word)
{
	size_t from = t->signal_from[SIGNAL_FRAMES];
	size_t n = t->signal_from[SIGNAL_FRAMES + 1] - from;
	const char *const *acts = kinds[SIGNAL_FRAMES].keys[0].words;
	uint64_t bits = 0;

	for (size_t i = 0; i < n; i++) {
		const struct signal *s = taxonomy_signal_at(t, from + i);

		if (!strcmp(word, s->id) ||
		    (s->name && !strcmp(word, s->name)) ||
		    !strcmp(word, acts[s->tells[0]]))
			bits |= UINT64_C(1) << i;
	}
	return bits;
}

static int settle_raised(struct taxonomy_full *full, struct err *e)
{
	const struct taxonomy *t = &full->t;

	if (t->signal_from[SIGNAL_FRAMES + 1] - t->signal_from[SIGNAL_FRAMES] >
	    SIGNAL_FRAMES_MAX)
		return err_set(e, "more than %d signals of kind 'frames'",
		    SIGNAL_FRAMES_MAX);
	for (size_t i = 0; i < t->n_rules; i++) {
		struct rule *r = &full->rules[i].rule;

		for (size_t k = 0; k < r->raised_in.n; k++) {
			uint64_t bits = frames_of(t, r->raised_in.v[k]);

			if (!bits)
				return taxonomy_read_bad(e, full->rules[i].at,
				    "no frames to be raised in:",
				    r->raised_in.v[k]);
			r->raised_bits |= bits;
		}
	}
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
	full->signals = calloc(kept + 1, sizeof *full->signals);
	full->signal = calloc(kept + 1, sizeof *full->signal);
	full->signal_unless = calloc(kept + 1, sizeof *full->signal_unless);
	if (!t->signals || !full->signals || !full->signal ||
	    !full->signal_unless)
		return err_nomem(e);
	while (t->n_signals < kept) {
		struct raw_signal *s = &raw->signals[t->n_signals];

		if (note_fixed(&s->signal))
			return err_nomem(e);
		for (size_t k = s->signal.kind; k < SIGNAL_KINDS; k++)
			t->signal_from[k + 1] = t->n_signals + 1;
		atomic_init(&full->signal[t->n_signals], s->pattern);
		atomic_init(&full->signal_unless[t->n_signals], s->unless);
		full->signals[t->n_signals] = s->signal;
		atomic_init(
		    &t->signals[t->n_signals], &full->signals[t->n_signals]);
		t->n_signals++;
		s->pattern = s->unless = NULL;
		s->signal = (struct signal){ .built_in = TAXONOMY_SITE };
	}
	note_letters(t);
	return signal_read_tables(t, e) ? -1 : settle_raised(full, e);
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
