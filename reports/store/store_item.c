/*
 * An entry taken apart into columns, by one table; and the diagnosis' JSON,
 * packed, on one line.
 */
#include "reports/store/entry.h"
#include "reports/store/entry_brief.h"
#include "reports/store/store_private.h"

#include <stdlib.h>
#include <string.h>

enum form {
	GIVEN, /* in no entry, or not as it is kept */
	TEXT,
	COUNT, /* negative: not known */
	TIME,
	THREE, /* true, false, or -1: not known */
	BOOL,
	VERDICT,
	CONFIDENCE
};

#define OF(name, member, form)                             \
	{                                                  \
		name, form, offsetof(struct entry, member) \
	}

static const struct column {
	const char *name;
	enum form form;
	size_t at; /* in the entry */
} columns[STORE_COLUMNS] = {
	[STORE_JOB] = OF("job", job, TEXT),
	[STORE_ATTEMPT] = OF("attempt", attempt, COUNT),
	[STORE_CONTENT] = { "content", GIVEN, 0 },
	[STORE_KEY] = { "key", GIVEN, 0 },
	[STORE_LOOKUP] = { "lookup", GIVEN, 0 },
	[STORE_JOINED] = { "joined", GIVEN, 0 },
	[STORE_SEEN] = { "seen", GIVEN, 0 },
	[STORE_HAS_LOG] = OF("has_log", has_log, BOOL),
	[STORE_NODE] = OF("node", node, TEXT),
	[STORE_RECORD] = { "record", GIVEN, 0 },
	[STORE_CLUSTER] = OF("cluster", cluster, TEXT),
	OF("place", place, TEXT),
	OF("started", started, TIME),
	OF("ended", ended, TIME),
	OF("failed", failed, THREE),
	OF("category", category, TEXT),
	OF("dimension", dimension, TEXT),
	OF("verdict", verdict, VERDICT),
	OF("confidence", confidence, CONFIDENCE),
	OF("rule", rule, TEXT),
	OF("fingerprint", fingerprint, TEXT),
	OF("stage", stage, TEXT),
	OF("user", user, TEXT),
	OF("grp", group, TEXT),
	OF("gpus", gpus, COUNT),
	OF("seconds", seconds, COUNT),
	OF("gpu_seconds", gpu_seconds, COUNT),
	OF("gpu_seconds_lost", lost, COUNT),
	OF("estimated", estimated, BOOL),
	OF("taxonomy", taxonomy, TEXT),
	[STORE_BRIEF] = { "brief", GIVEN, 0 },
};

const char *store_column_name(size_t i)
{
	return columns[i].name;
}

bool store_column_counts(size_t i)
{
	switch (columns[i].form) {
	case COUNT:
	case TIME:
	case THREE:
	case BOOL:
		return true;
	case GIVEN:
		return i == STORE_SEEN;
	case TEXT:
	case VERDICT:
	case CONFIDENCE:
	default:
		return false;
	}
}

/* An item as it is made. */
struct making {
	struct store_value *v;
	struct buf *bytes;
};

static void set_integer(struct store_value *v, size_t column, int64_t i)
{
	v[column] = (struct store_value){ .kind = STORE_INTEGER, .i = i };
}

/* What was added to the bytes since there were so many. */
static void set_added(
    struct making *m, size_t column, enum store_kind kind, size_t from)
{
	m->v[column] = (struct store_value){ .kind = kind,
		.at = (uint32_t)from,
		.n = (uint32_t)(m->bytes->len - from) };
}

/* The empty text is null. */
static int set_text(struct making *m, size_t column, struct span s)
{
	size_t from = m->bytes->len;

	if (!s.n)
		return 0;
	if (buf_add(m->bytes, s.p, s.n))
		return -1;
	set_added(m, column, STORE_TEXT, from);
	return 0;
}

static int set_hash(struct making *m, size_t column, struct hash_value v)
{
	char text[HASH_HEX];

	if (!v.low && !v.high)
		return 0;
	hash_hex(v, text);
	return set_text(m, column, span_of(text));
}

static int set_member(struct making *m, size_t column, const struct entry *en)
{
	const struct column *c = &columns[column];
	const void *at = (const char *)en + c->at;
	const char *word;
	int64_t n;

	switch (c->form) {
	case GIVEN:
		return 0;
	case TEXT:
		return set_text(m, column, span_of(*(const char *const *)at));
	case BOOL:
		set_integer(m->v, column, *(const bool *)at);
		return 0;
	case VERDICT:
		word = taxonomy_verdict_name(*(const enum verdict *)at);
		return set_text(m, column, span_of(word));
	case CONFIDENCE:
		word = diagnosis_confidence_name(*(const enum confidence *)at);
		return set_text(m, column, span_of(word));
	case THREE:
		n = *(const int *)at;
		break;
	case COUNT:
	case TIME:
	default:
		n = *(const int64_t *)at;
		break;
	}
	if (c->form == TIME ? n != ENVELOPE_NO_TIME : n >= 0)
		set_integer(m->v, column, n);
	return 0;
}

static int set_record(
    struct making *m, struct span text, struct deflate_block *b)
{
	size_t from = m->bytes->len;

	if (deflate_pack(b, text, m->bytes))
		return -1;
	set_added(m, STORE_RECORD, STORE_BYTES, from);
	return 0;
}

static int set_brief(struct making *m, const struct entry *en)
{
	size_t from = m->bytes->len;

	if (entry_brief_write(en, m->bytes))
		return -1;
	set_added(m, STORE_BRIEF, STORE_BYTES, from);
	return 0;
}

static int fill(
    struct making *m, const struct store_row *row, struct deflate_block *b)
{
	const struct entry *en = row->entry;
	struct hash_value content = row->content;
	int rc = 0;

	if (!content.low && !content.high)
		content = hash_of(row->record.p, row->record.n);
	for (size_t i = 0; !rc && i < STORE_COLUMNS; i++)
		rc = set_member(m, i, en);
	return rc || set_hash(m, STORE_CONTENT, content) ||
		set_hash(m, STORE_JOINED, row->joined) ||
		set_text(m, STORE_KEY, span_of(row->key)) ||
		set_text(m, STORE_LOOKUP, span_of(row->lookup)) ||
		set_record(m, row->record, b) || set_brief(m, en)
	    ? -1
	    : 0;
}

/* The lock is held. NULL: out of memory. */
static struct store_item *made(const struct making *m)
{
	struct store_item *it = malloc(sizeof *it + m->bytes->len);

	if (it) {
		memcpy(it->v, m->v, sizeof it->v);
		memcpy(it->bytes, m->bytes->p, m->bytes->len);
	}
	return it;
}

struct store_item *store_pack(
    struct store *s, const struct store_row *row, struct err *e)
{
	struct store_value v[STORE_COLUMNS] = { 0 };
	struct making m = { v, &s->scratch };
	struct store_item *it;

	pthread_mutex_lock(&s->lock);
	buf_clear(&s->scratch);
	it = fill(&m, row, s->block) ? NULL : made(&m);
	pthread_mutex_unlock(&s->lock);
	if (!it)
		err_nomem(e);
	return it;
}

static bool has_key(const struct store_item *it, struct span key)
{
	const struct store_value *v = &it->v[STORE_KEY];

	return v->kind == STORE_TEXT &&
	    span_eq((struct span){ it->bytes + v->at, v->n }, key);
}

int store_pack_opened(struct store *s, const char *key,
    struct store_item *const *items, size_t n, struct store_item **out)
{
	struct store_value v[STORE_COLUMNS] = { 0 };
	struct making m = { v, &s->scratch };
	struct span text = span_of(key);

	*out = NULL;
	for (size_t i = 0; i < n; i++)
		if (has_key(items[i], text))
			return 0;
	pthread_mutex_lock(&s->lock);
	buf_clear(&s->scratch);
	/* the job: what a server tells writers from each other by */
	if (!set_text(&m, STORE_JOB, text) && !set_text(&m, STORE_KEY, text))
		*out = made(&m);
	pthread_mutex_unlock(&s->lock);
	return *out ? 0 : -1;
}

void store_item_free(struct store_item *it)
{
	free(it);
}

void store_item_seen(struct store_item *it, int64_t seen)
{
	set_integer(it->v, STORE_SEEN, seen);
}

bool store_hash_read(struct span s, struct hash_value *out)
{
	uint64_t half[2] = { 0, 0 };

	if (s.n != HASH_HEX - 1)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		const char *digits = "0123456789abcdef";
		const char *d = s.p[i] ? strchr(digits, s.p[i]) : NULL;

		if (!d)
			return false;
		half[i / 16] = half[i / 16] << 4 | (uint64_t)(d - digits);
	}
	*out = (struct hash_value){ .high = half[0], .low = half[1] };
	return true;
}
