/*
 * A diagnosis taken apart into columns, by one table. The record itself is
 * kept as it is, on one line.
 */
#include "base/json.h"
#include "base/when.h"
#include "reports/store/store_private.h"

#include <string.h>

enum form {
	GIVEN, /* not in the JSON */
	PLAIN, /* text, integer or boolean, as it stands there */
	TIME   /* ISO 8601, kept as microseconds */
};

static const struct column {
	const char *name;
	const char *in;  /* the member it is in, or NULL: at the top */
	const char *key; /* or NULL: the name */
	enum form form;
} columns[STORE_COLUMNS] = {
	[STORE_JOB] = { "job", NULL, NULL, PLAIN },
	[STORE_ATTEMPT] = { "attempt", NULL, NULL, PLAIN },
	[STORE_CONTENT] = { "content", NULL, NULL, GIVEN },
	[STORE_KEY] = { "key", NULL, NULL, GIVEN },
	[STORE_LOOKUP] = { "lookup", NULL, NULL, GIVEN },
	[STORE_JOINED] = { "joined", NULL, NULL, GIVEN },
	[STORE_SEEN] = { "seen", NULL, NULL, GIVEN },
	[STORE_HAS_LOG] = { "has_log", NULL, NULL, GIVEN },
	[STORE_NODE] = { "node", NULL, NULL, GIVEN },
	[STORE_RECORD] = { "record", NULL, NULL, GIVEN },
	{ "started", NULL, NULL, TIME },
	{ "ended", NULL, NULL, TIME },
	{ "failed", NULL, NULL, PLAIN },
	{ "category", NULL, NULL, PLAIN },
	{ "dimension", NULL, NULL, PLAIN },
	{ "verdict", NULL, NULL, PLAIN },
	{ "confidence", NULL, NULL, PLAIN },
	{ "rule", NULL, NULL, PLAIN },
	{ "fingerprint", NULL, NULL, PLAIN },
	{ "stage", "facts", NULL, PLAIN },
	{ "user", NULL, NULL, PLAIN },
	{ "grp", NULL, "group", PLAIN },
	{ "gpus", "usage", NULL, PLAIN },
	{ "seconds", "usage", "runtime_seconds", PLAIN },
	{ "gpu_seconds", "usage", NULL, PLAIN },
	{ "gpu_seconds_lost", "usage", NULL, PLAIN },
	{ "estimated", "usage", NULL, PLAIN },
	{ "taxonomy", NULL, NULL, PLAIN },
};

const char *store_column_name(size_t i)
{
	return columns[i].name;
}

static void set_integer(struct store_item *it, size_t column, int64_t i)
{
	it->v[column] = (struct store_value){ .kind = STORE_INTEGER, .i = i };
}

/* The empty text is null. */
static int set_text(struct store_item *it, size_t column, struct span s)
{
	if (!s.n)
		return 0;
	it->v[column] = (struct store_value){
		.kind = STORE_TEXT, .at = it->bytes.len, .n = s.n
	};
	return buf_add(&it->bytes, s.p, s.n);
}

static int set_hash(struct store_item *it, size_t column, struct hash_value v)
{
	char text[HASH_HEX];

	if (!v.low && !v.high)
		return 0;
	hash_hex(v, text);
	return set_text(it, column, span_of(text));
}

static int set_member(
    struct store_item *it, size_t column, const struct json *record)
{
	const struct column *c = &columns[column];
	const struct json *v =
	    json_get(c->in ? json_get(record, c->in) : record,
		c->key ? c->key : c->name);
	int64_t i;

	switch (json_kind(v)) {
	case JSON_IS_INTEGER:
		if (c->form == PLAIN && json_int(v, &i))
			set_integer(it, column, i);
		return 0;
	case JSON_IS_BOOL:
		if (c->form == PLAIN)
			set_integer(it, column, json_true_value(v));
		return 0;
	case JSON_IS_TEXT:
		if (c->form == PLAIN)
			return set_text(it, column, json_text(v));
		if (when_parse(json_text(v), &i))
			set_integer(it, column, i);
		return 0;
	default:
		return 0;
	}
}

/* Where the root failure was printed; where the job ran, if on one node. */
static struct span node_of(const struct json *record)
{
	const struct json *nodes = json_get(record, "nodes");
	struct span s =
	    json_get_text(json_at(json_get(record, "evidence"), 0), "node");

	return s.p || json_count(nodes) != 1 ? s : json_text(json_at(nodes, 0));
}

/* What every other part relies on. */
static int check(const struct json *record, struct err *e)
{
	const struct json *failed = json_get(record, "failed");
	int64_t attempt;

	if (!span_is(json_get_text(record, "schema"), "jobtriage.diagnosis/1"))
		err_set(e, "its schema is not jobtriage.diagnosis/1");
	else if (!json_get_text(record, "job").n)
		err_set(e, "'job' must be a text");
	else if (!json_int(json_get(record, "attempt"), &attempt) ||
	    attempt < 1)
		err_set(e, "'attempt' must be a number from 1");
	else if (!json_is(failed, JSON_IS_BOOL) &&
	    !json_is(failed, JSON_IS_NULL))
		err_set(e, "'failed' must be true, false or null");
	else if (!json_get_text(record, "category").n)
		err_set(e, "'category' must be a text");
	else if (!json_is(json_get(record, "paths"), JSON_IS_ARRAY))
		err_set(e, "'paths' must be an array");
	else
		return 0;
	return 1;
}

static int set_record(
    struct store_item *it, struct span text, struct deflate_block *b)
{
	size_t at = it->bytes.len;

	if (deflate_pack(b, text, &it->bytes))
		return -1;
	it->v[STORE_RECORD] = (struct store_value){
		.kind = STORE_BYTES, .at = at, .n = it->bytes.len - at
	};
	return 0;
}

static int fill(struct store_item *it, const struct store_row *row,
    const struct json *record, struct deflate_block *b)
{
	struct span text = row->record;
	struct buf line = BUF_INIT(BUF_MAX);
	struct hash_value content = row->content;
	int rc = 0;

	if (text.n && memchr(text.p, '\n', text.n)) {
		rc = json_write(record, &line);
		text = (struct span){ line.p, line.len };
	}
	if (!rc && !content.low && !content.high)
		content = hash_of(text.p, text.n);
	for (size_t i = 0; !rc && i < STORE_COLUMNS; i++)
		if (columns[i].form != GIVEN)
			rc = set_member(it, i, record);
	rc = rc || set_hash(it, STORE_CONTENT, content) ||
	    set_hash(it, STORE_JOINED, row->joined) ||
	    set_text(it, STORE_KEY, span_of(row->key)) ||
	    set_text(it, STORE_LOOKUP, span_of(row->lookup)) ||
	    set_text(it, STORE_NODE, node_of(record)) ||
	    set_record(it, text, b);
	set_integer(
	    it, STORE_HAS_LOG, json_count(json_get(record, "paths")) > 0);
	buf_release(&line);
	return rc ? -1 : 0;
}

int store_item_init(struct store_item *it, const struct store_row *row,
    int64_t seen, struct deflate_block *b, struct err *e)
{
	struct json *record = json_parse(row->record, JSON_PARSE, e);
	int rc = record ? check(record, e) : 1;

	*it = (struct store_item){ .bytes = BUF_INIT(BUF_MAX) };
	if (!rc && fill(it, row, record, b))
		rc = err_nomem(e);
	if (!rc)
		set_integer(it, STORE_SEEN, seen);
	json_free(record);
	if (rc)
		store_item_release(it);
	return rc;
}

void store_item_release(struct store_item *it)
{
	buf_release(&it->bytes);
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
