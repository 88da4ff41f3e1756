/*
 * Diagnoses and answers as lines of JSON, out of a store, into one, and to be
 * put aside in the place of one (spool.h).
 */
#include "base/when.h"
#include "reports/output/object.h"
#include "reports/store/entry.h"
#include "reports/store/store_private.h"

#include <stdlib.h>

#define SCHEMA "jobtriage.store/1"
#define ANSWER "jobtriage.answer/1"

/* ---- out ---- */

static struct json *text_or_null(struct span s)
{
	return s.n ? json_new_text(s) : json_new_null();
}

/* The head is built, the record is set in as it is. */
int store_line_write(
    const struct store_kept *k, struct span record, struct buf *out)
{
	struct object o = object_new();

	object_string(&o, "schema", SCHEMA);
	object_put(&o, "content", json_new_text(k->content));
	object_put(&o, "key", text_or_null(k->key));
	object_put(&o, "lookup", text_or_null(k->lookup));
	object_put(&o, "joined", text_or_null(k->joined));
	object_time(&o, "seen", k->seen);
	if (object_write(&o, out))
		return -1;
	out->len--; /* the brace that ends it */
	return buf_adds(out, ",\"record\":") ||
		buf_add(out, record.p, record.n) || buf_addc(out, '}')
	    ? -1
	    : 0;
}

int store_line(const struct store_row *row, int64_t seen, struct buf *out)
{
	char content[HASH_HEX], joined[HASH_HEX];
	struct hash_value c = row->content;
	struct store_kept k = { .key = span_of(row->key),
		.lookup = span_of(row->lookup),
		.seen = seen };

	if (!c.low && !c.high)
		c = hash_of(row->record.p, row->record.n);
	hash_hex(c, content);
	k.content = span_of(content);
	if (row->joined.low || row->joined.high) {
		hash_hex(row->joined, joined);
		k.joined = span_of(joined);
	}
	return store_line_write(&k, row->record, out);
}

int store_answer_line(const struct store_answer *a, struct buf *out)
{
	struct object o = object_new();

	object_string(&o, "schema", ANSWER);
	object_string(&o, "job", a->job);
	object_int(&o, "attempt", a->attempt);
	object_put(&o, "cluster", text_or_null(span_of(a->cluster)));
	object_put(&o, "place", text_or_null(span_of(a->place)));
	object_string(&o, "verdict", a->verdict);
	object_string(&o, "given", a->given);
	object_string(&o, "reason", a->reason);
	object_bool(&o, "shadow", a->shadow);
	object_time(&o, "at", a->at);
	return object_write(&o, out);
}

struct span store_line_record(struct span line)
{
	static const char head[] = "{\"schema\":\"" SCHEMA "\"";
	static const char answer[] = "{\"schema\":\"" ANSWER "\"";
	static const char member[] = ",\"record\":";
	size_t at;

	if (span_starts(line, answer))
		return span_sub(line, 0, 0);
	if (!span_starts(line, head) || !span_ends(line, "}"))
		return line;
	/* quotes in what stands before it are escaped */
	at = span_find(line, member);
	return at == SIZE_MAX
	    ? line
	    : span_sub(line, at + sizeof member - 1, line.n - 1);
}

/* ---- in ---- */

/* A member that is a text or null; 1 with e set: it is something else. */
static int member(
    const struct json *o, const char *key, char **out, struct err *e)
{
	const struct json *v = json_get(o, key);

	if (json_is(v, JSON_IS_NULL))
		return 0;
	if (!json_is(v, JSON_IS_TEXT)) {
		err_set(e, "'%s' must be a text or null", key);
		return 1;
	}
	*out = span_dup(json_text(v));
	return *out ? 0 : err_nomem(e);
}

/* The same, 32 digits. */
static int member_hash(const struct json *o, const char *key,
    struct hash_value *out, struct err *e)
{
	const struct json *v = json_get(o, key);

	if (json_is(v, JSON_IS_NULL) || store_hash_read(json_text(v), out))
		return 0;
	err_set(e, "'%s' must be 32 hexadecimal digits or null", key);
	return 1;
}

/* A line of store_export. *key and *lookup are owned by the caller. */
static int read_line(const struct json *o, struct store_row *row, char **key,
    char **lookup, struct err *e)
{
	int rc = member_hash(o, "content", &row->content, e);

	if (!rc)
		rc = member_hash(o, "joined", &row->joined, e);
	if (!rc)
		rc = member(o, "key", key, e);
	if (!rc)
		rc = member(o, "lookup", lookup, e);
	row->key = *key;
	row->lookup = *lookup;
	return rc;
}

/* A text that must be there. Owned by the caller. */
static int text(
    const struct json *o, const char *key, char **out, struct err *e)
{
	int rc = member(o, key, out, e);

	if (rc || *out)
		return rc;
	err_set(e, "'%s' must be a text", key);
	return 1;
}

static int import_answer(struct store *s, const struct json *o, struct err *e)
{
	/* the first four must be there */
	char *texts[6] = { NULL };
	static const char *const keys[] = { "job", "verdict", "given", "reason",
		"cluster", "place" };
	struct store_answer a = {
		.shadow = json_true_value(json_get(o, "shadow")),
	};
	int rc = 0;

	if (!json_int(json_get(o, "attempt"), &a.attempt)) {
		err_set(e, "'attempt' must be a number");
		return 1;
	}

	for (size_t i = 0; i < 6 && !rc; i++)
		rc = i < 4 ? text(o, keys[i], &texts[i], e)
			   : member(o, keys[i], &texts[i], e);
	if (!rc && !when_parse(json_get_text(o, "at"), &a.at)) {
		err_set(e, "'at' must be a time");
		rc = 1;
	}
	a.job = texts[0];
	a.verdict = texts[1];
	a.given = texts[2];
	a.reason = texts[3];
	a.cluster = texts[4];
	a.place = texts[5];
	if (!rc)
		rc = store_put_answer(s, &a, e);
	for (size_t i = 0; i < 6; i++)
		free(texts[i]);
	return rc;
}

int store_import(struct store *s, struct span line, int64_t now, struct err *e)
{
	struct json *o = json_parse(line, JSON_PARSE, e);
	const struct json *record = o;
	struct buf text = BUF_INIT(BUF_MAX);
	struct arena *arena = arena_new();
	struct entry en;
	struct store_row row = { .entry = &en };
	struct store_item *it = NULL;
	char *key = NULL, *lookup = NULL;
	int rc = o ? 0 : e->lack ? -1 : 1;

	if (!rc && !arena)
		rc = err_nomem(e);
	if (rc)
		goto out;
	if (span_is(json_get_text(o, "schema"), ANSWER)) {
		rc = import_answer(s, o, e);
		goto out;
	}
	if (span_is(json_get_text(o, "schema"), SCHEMA)) {
		record = json_get(o, "record");
		rc = read_line(o, &row, &key, &lookup, e);
		if (!rc && !when_parse(json_get_text(o, "seen"), &now)) {
			err_set(e, "'seen' must be a time");
			rc = 1;
		}
	} else if (json_count(json_get(o, "paths"))) {
		key = span_dup(json_text(json_at(json_get(o, "paths"), 0)));
		row.key = key;
		rc = key ? 0 : err_nomem(e);
	}
	if (!rc)
		rc = entry_read(&en, record, arena, e) ? 1 : 0;
	/* as scan writes it, however it came */
	if (!rc && json_write(record, &text))
		rc = err_nomem(e);
	row.record = (struct span){ text.p, text.len };
	if (!rc)
		it = store_pack(s, &row, e);
	if (!rc)
		rc = it
		    ? store_put(s, (struct hash_value){ 0, 0 }, &it, 1, now, e)
		    : -1;
out:
	arena_free(arena);
	json_free(o);
	buf_release(&text);
	free(key);
	free(lookup);
	return rc;
}
