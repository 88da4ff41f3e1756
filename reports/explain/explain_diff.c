/*
 * Shapes of lines are kept as 64-bit hashes, settings with their values. A
 * setting that has several values within one run is a measurement.
 */
#include "reports/explain/explain_diff.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "diagnose/signals/facts.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/signals.h"
#include "reports/explain/explain_diff_line.h"
#include "reports/explain/explain_parts.h"

#include <stdlib.h>
#include <string.h>

#define SHAPES_MAX ((size_t)1 << 20) /* of each run: 16 MiB at most */
#define SETTINGS_MAX ((size_t)20000)
#define LINE_BYTES 4096 /* of a line that are looked at */
#define LOOKS 3         /* at lines of one shape for settings */
#define SHOWN 40        /* lines in all */
#define SHOWN_BYTES 300

/* ---- sets ---- */

/* Hashes with their two lowest bits off, which count how often they came, up
 * to 3. */
struct shapes {
	uint64_t *v; /* 0: free */
	size_t n, cap;
	bool full;
};

/* Where h is, or the free place for it. */
static uint64_t *shapes_slot(const struct shapes *s, uint64_t h)
{
	size_t i = (h >> 2) & (s->cap - 1);

	while (s->v[i] && (s->v[i] ^ h) >> 2)
		i = (i + 1) & (s->cap - 1);
	return &s->v[i];
}

static int shapes_grow(struct shapes *s)
{
	struct shapes old = *s;

	s->cap = old.cap ? 2 * old.cap : 1024;
	s->v = calloc(s->cap, sizeof *s->v);
	if (!s->v) {
		*s = old;
		return -1;
	}
	for (size_t i = 0; i < old.cap; i++)
		if (old.v[i])
			*shapes_slot(s, old.v[i]) = old.v[i];
	free(old.v);
	return 0;
}

/* Count h: how often it came before, up to 3; 3, too, when there is no more
 * room. -1: no memory. */
static int shapes_add(struct shapes *s, uint64_t h)
{
	uint64_t *slot, before;

	if (2 * s->n >= s->cap && shapes_grow(s))
		return -1;
	slot = shapes_slot(s, h);
	if (*slot) {
		before = *slot & 3;
		*slot += before < 3;
		return (int)before;
	}
	if (s->n >= SHAPES_MAX) {
		s->full = true;
		return 3;
	}
	*slot = (h & ~UINT64_C(3)) | 1;
	s->n++;
	return 0;
}

static bool shapes_have(const struct shapes *s, uint64_t h)
{
	return s->cap && *shapes_slot(s, h);
}

struct setting {
	char *key, *value; /* owned */
	bool varies, version;
};

struct settings_seen {
	struct setting *v; /* in the order in which they came */
	size_t n;
	uint32_t *slots; /* index + 1; hash table of SLOTS */
};

#define SLOTS ((size_t)65536)

/* The slot of a key: its own, or the free one where it belongs. */
static uint32_t *slot_of(const struct settings_seen *s, struct span key)
{
	size_t i = hash_of(key.p, key.n).low & (SLOTS - 1);

	while (s->slots[i] && !span_is(key, s->v[s->slots[i] - 1].key))
		i = (i + 1) & (SLOTS - 1);
	return &s->slots[i];
}

static int settings_note(
    struct settings_seen *s, const struct explain_setting *pair)
{
	uint32_t *slot = slot_of(s, pair->key);
	struct setting *v;

	if (*slot) {
		v = &s->v[*slot - 1];
		v->varies |= !span_is(pair->value, v->value);
		return 0;
	}
	if (s->n == SETTINGS_MAX)
		return 0;
	if ((s->n & (s->n + 1)) == 0) {
		v = realloc(s->v, 2 * (s->n + 1) * sizeof *v);
		if (!v)
			return -1;
		s->v = v;
	}
	v = &s->v[s->n];
	*v = (struct setting){ .key = span_dup(pair->key),
		.value = span_dup(pair->value),
		.version = pair->kind == PAIR_VERSION };
	if (!v->key || !v->value) {
		free(v->key);
		free(v->value);
		return -1;
	}
	*slot = (uint32_t)++s->n;
	return 0;
}

/* ---- the news ---- */

enum group { VALUES, SETTINGS, WARNINGS, FAILURES, OTHERS, GROUPS };

static const struct {
	const char *title;
	size_t quota; /* of SHOWN, if all groups have many */
} groups[GROUPS] = {
	{ "Values that changed", 12 },
	{ "Configuration", 4 },
	{ "Warnings", 8 },
	{ "Failing lines", 10 },
	{ "Other lines", 6 },
};

struct news {
	char *text;
	uint64_t number;
};

struct explain_diff {
	const struct taxonomy *tax;
	struct shapes good, seen;
	struct settings_seen was, is;
	struct news v[GROUPS][SHOWN];
	size_t n[GROUPS]; /* all of them, also those not kept */
	struct buf shape; /* scratch */
};

struct explain_diff *explain_diff_new(const struct taxonomy *tax)
{
	struct explain_diff *df = calloc(1, sizeof *df);

	if (!df)
		return NULL;
	df->tax = tax;
	df->shape = (struct buf)BUF_INIT(BUF_MAX);
	df->was.slots = calloc(SLOTS, sizeof *df->was.slots);
	df->is.slots = calloc(SLOTS, sizeof *df->is.slots);
	if (df->was.slots && df->is.slots)
		return df;
	explain_diff_free(df);
	return NULL;
}

static void settings_release(struct settings_seen *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].key);
		free(s->v[i].value);
	}
	free(s->v);
	free(s->slots);
}

void explain_diff_free(struct explain_diff *df)
{
	if (!df)
		return;
	for (size_t g = 0; g < GROUPS; g++)
		for (size_t i = 0; i < df->n[g] && i < SHOWN; i++)
			free(df->v[g][i].text);
	settings_release(&df->was);
	settings_release(&df->is);
	free(df->good.v);
	free(df->seen.v);
	buf_release(&df->shape);
	free(df);
}

/* ---- lines ---- */

static bool tells(
    const struct explain_diff *df, enum signal_compare act, struct span text)
{
	for (size_t i = df->tax->signal_from[SIGNAL_COMPARE];
	     i < df->tax->signal_from[SIGNAL_COMPARE + 1]; i++)
		if (taxonomy_signal_at(df->tax, i)->tells[0] == (int)act &&
		    signals_tell(df->tax, i, NULL, text, NULL))
			return true;
	return false;
}

/* The last word of s, which goes off its end; an empty one: there is none. */
static struct span take_word(struct span *s)
{
	size_t end = s->n, start;

	while (end && explain_diff_between(s->p[end - 1]))
		end--;
	start = end;
	while (start && !explain_diff_between(s->p[start - 1]))
		start--;
	s->n = start;
	return (struct span){ s->p + start, end - start };
}

static bool word_tells(
    const struct explain_diff *df, enum signal_compare act, struct span s)
{
	struct span word;

	while ((word = take_word(&s)).n)
		if (tells(df, act, word))
			return true;
	return false;
}

/* Whether a name is of what differs between any two runs. */
static bool measured(const struct explain_diff *df, struct span name)
{
	struct span rest = name;

	return tells(df, COMPARE_LAST, take_word(&rest)) ||
	    word_tells(df, COMPARE_VARIES, name);
}

/* The settings of a line, or its count; df->shape: the line's. *n: how many
 * settings. */
static int note_settings(struct explain_diff *df, struct settings_seen *s,
    struct span line, size_t *n)
{
	struct span shape = { df->shape.p, df->shape.len };
	struct explain_setting pair;
	struct span value, type;
	struct progress at;
	bool versions = tells(df, COMPARE_VERSION, line);

	*n = 0;
	if (facts_progress(df->tax, line, &at) ||
	    shape_exception(span_trim(line), &type) >= SHAPE_CLASS)
		return 0;
	for (size_t i = 0; explain_diff_pair(line, versions, &i, &pair);) {
		if (measured(df, pair.key))
			continue;
		++*n;
		if (settings_note(s, &pair))
			return -1;
	}
	pair = (struct explain_setting){ PAIR_SETTING, shape, { NULL, 0 } };
	if (*n == 0 && explain_diff_count(line, &value) &&
	    !measured(df, shape)) {
		pair.value = value;
		return settings_note(s, &pair);
	}
	return 0;
}

/* The hash of what is the same in every run. false: nothing to compare. */
static bool shape_of(
    struct explain_diff *df, struct span line, uint64_t *h, int *rc)
{
	bool words;

	buf_clear(&df->shape);
	*rc = explain_diff_shape(&df->shape, line, &words);
	*h = hash_of(df->shape.p, df->shape.len).low;
	return !*rc && words;
}

int explain_diff_good(struct explain_diff *df, struct span line)
{
	uint64_t h;
	size_t n;
	int rc;

	line = span_trim(span_sub(line, 0, LINE_BYTES));
	if (!shape_of(df, line, &h, &rc))
		return rc;
	rc = shapes_add(&df->good, h);
	if (rc < 0 || rc >= LOOKS)
		return rc < 0 ? -1 : 0;
	return note_settings(df, &df->was, line, &n);
}

/* Of a traceback only the exception itself is told. */
static bool within_traceback(const struct findings *f, uint64_t number)
{
	for (size_t i = 0; f && i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if (e->kind != EVENT_BARE && number >= e->first_line &&
		    number <= e->last_line && number != e->message_line)
			return true;
	}
	return false;
}

static bool failing(const struct explain_diff *df, struct span line,
    uint64_t number, const struct findings *f)
{
	struct span type;

	for (size_t i = 0; f && i < f->n_evidence; i++)
		if (f->evidence[i].line == number)
			return true;
	return word_tells(df, COMPARE_FAILING, line) ||
	    shape_exception(line, &type) == SHAPE_SURE;
}

static int add_news(
    struct explain_diff *df, enum group g, struct span text, uint64_t number)
{
	size_t i = df->n[g]++;

	if (i >= SHOWN)
		return 0;
	df->v[g][i] =
	    (struct news){ span_dup(span_sub(text, 0, SHOWN_BYTES)), number };
	return df->v[g][i].text ? 0 : (df->n[g]--, -1);
}

int explain_diff_bad(struct explain_diff *df, struct span line, uint64_t number,
    const struct findings *f, bool warning)
{
	enum group g = OTHERS;
	size_t pairs;
	uint64_t h;
	int rc;

	line = span_trim(span_sub(line, 0, LINE_BYTES));
	if (within_traceback(f, number))
		return 0;
	if (!shape_of(df, line, &h, &rc))
		return rc;
	rc = shapes_add(&df->seen, h);
	if (rc < 0 || rc >= LOOKS)
		return rc < 0 ? -1 : 0;
	if (note_settings(df, &df->is, line, &pairs))
		return -1;
	if (rc || shapes_have(&df->good, h))
		return 0;
	if (warning || word_tells(df, COMPARE_WARNING, line))
		g = WARNINGS;
	else if (failing(df, line, number, f))
		g = FAILURES;
	else if (pairs)
		g = SETTINGS;
	return add_news(df, g, line, number);
}

/* ---- the answer ---- */

/* Values that differ only in what differs between any two runs. */
static bool same_shape(struct explain_diff *df, const char *a, const char *b)
{
	uint64_t x, y;
	int rc;

	if (!strpbrk(a, "/:"))
		return false;
	(void)shape_of(df, span_of(a), &x, &rc);
	(void)shape_of(df, span_of(b), &y, &rc);
	return x == y;
}

static int compare_settings(struct explain_diff *df, bool versions)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < df->is.n && !rc; i++) {
		const struct setting *s = &df->is.v[i], *old;
		uint32_t slot = *slot_of(&df->was, span_of(s->key));

		old = slot ? &df->was.v[slot - 1] : NULL;
		if (s->version != versions || !old || old->varies ||
		    s->varies || strcmp(old->value, s->value) == 0 ||
		    same_shape(df, old->value, s->value))
			continue;
		buf_clear(&text);
		rc = buf_addf(
			 &text, "%s: %s -> %s", s->key, old->value, s->value) ||
		    add_news(df, VALUES, (struct span){ text.p, text.len }, 0);
	}
	buf_release(&text);
	return rc;
}

/* How many of each group are shown. Returns how many are not. */
static size_t share(const struct explain_diff *df, size_t shown[GROUPS])
{
	size_t left = SHOWN, all = 0;

	for (size_t g = 0; g < GROUPS; g++) {
		shown[g] =
		    df->n[g] < groups[g].quota ? df->n[g] : groups[g].quota;
		left -= shown[g];
		all += df->n[g];
	}
	for (size_t g = 0; g < GROUPS; g++) {
		size_t more = df->n[g] - shown[g];

		if (more > left)
			more = left;
		shown[g] += more;
		left -= more;
	}
	return all - (SHOWN - left);
}

static void write_group(struct page *p, const struct news *v, size_t n)
{
	char gutter[32];

	page_code_begin(p);
	for (size_t i = 0; i < n; i++) {
		gutter[0] = '\0';
		if (v[i].number)
			snprintf(gutter, sizeof gutter, " %6llu",
			    (unsigned long long)v[i].number);
		page_string(p, v[i].text);
		page_code(p, gutter, 2);
	}
	page_code_end(p);
}

int explain_diff_write(
    struct explain_diff *df, const struct explain *x, FILE *f, struct err *e)
{
	size_t shown[GROUPS], more;
	struct page p;
	char title[64];

	if (compare_settings(df, true) || compare_settings(df, false))
		return err_nomem(e);
	more = share(df, shown);
	page_begin(&p, f, &x->style);
	explain_head(&p, x);
	page_add(&p,
	    more == 0 && df->n[OTHERS] == 0 && shown[FAILURES] == 0 &&
		    shown[VALUES] == 0
		? "Little that the good run did not print, too."
		: "What the good run did not print:");
	page_paragraph(&p);
	for (size_t g = 0; g < GROUPS; g++) {
		if (shown[g] == 0)
			continue;
		snprintf(title, sizeof title,
		    shown[g] < df->n[g] ? "%s (%zu of %zu)" : "%s",
		    groups[g].title, shown[g], df->n[g]);
		page_heading(&p, title);
		write_group(&p, df->v[g], shown[g]);
	}
	page_heading(&p, "Not shown");
	if (more) {
		page_add(&p, "%zu more lines", more);
		page_item(&p, 0);
	}
	if (df->good.full || df->seen.full) {
		page_add(&p,
		    "there are more kinds of lines than are "
		    "kept: some of these may be in the good log");
		page_item(&p, 0);
	}
	return page_end(&p) ? err_nomem(e) : 0;
}
