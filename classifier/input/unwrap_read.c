/*
 * What the members of a JSON object say of a record: message, time, stream,
 * level, name, host, rank, stack. Which keys mean what is the taxonomy's.
 */
#include "input/unwrap_private.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/when.h"
#include "input/jsonkeys.h"

#include <string.h>

static struct value value_of(const struct json *v)
{
	struct value out = { .text = json_text(v), .json = v };

	out.is_whole = json_int(v, &out.whole);
	out.is_number = json_number(v, &out.number);
	return out;
}

/* A member of a tree by its key; "a.b" is also the member b of the member a. */
static const struct json *member_of_tree(
    const struct json *o, const struct jsonkeys_key *key)
{
	const struct json *v = json_get(o, key->name);
	const char *name = key->name, *dot = key->dot;
	char outer[UNWRAP_OUTER];

	for (; !v && dot; dot = strchr(name, '.')) {
		if ((size_t)(dot - name) >= sizeof outer)
			return NULL;
		memcpy(outer, name, (size_t)(dot - name));
		outer[dot - name] = '\0';
		o = json_get(o, outer);
		if (!o)
			return NULL;
		name = dot + 1;
		v = json_get(o, name);
	}
	return v;
}

static struct value member(
    const struct members *o, const struct jsonkeys_key *key)
{
	size_t at;

	if (!o->flat)
		return value_of(member_of_tree(o->tree, key));
	at = o->flat->at[key->id];
	return at ? o->flat->v[at - 1].value : (struct value){ 0 };
}

/* How many of the keys are to be looked for: all, or none. */
static size_t keys_in(const struct members *o, const struct jsonkeys_list *keys)
{
	return o->flat && !(o->flat->ids & keys->ids) ? 0 : keys->n;
}

struct span unwrap_text(const struct members *o, enum jsonkeys_fixed key)
{
	size_t at;

	if (!o->flat)
		return json_get_text(o->tree, jsonkeys_word(key));
	at = o->flat->at[key];
	return at ? o->flat->v[at - 1].value.text : (struct span){ NULL, 0 };
}

bool unwrap_only(
    const struct jsonkeys *keys, const struct members *o, unsigned some)
{
	const struct json *v;
	void *at = NULL;
	struct span key;
	size_t id;

	for (size_t i = 0; o->flat && i < o->flat->n; i++) {
		id = o->flat->v[i].id;
		if (!o->flat->v[i].depth &&
		    (id >= JSONKEYS_FIXED || !(some >> id & 1)))
			return false;
	}
	while (json_each(o->tree, &at, &key, &v)) {
		id = jsonkeys_name(keys, key);
		if (id >= JSONKEYS_FIXED || !(some >> id & 1))
			return false;
	}
	return true;
}

/* The first of the keys that holds a string with something in it. */
static struct span first_text(
    const struct members *o, const struct jsonkeys_list *keys)
{
	struct span s = { NULL, 0 };

	for (size_t i = 0, n = keys_in(o, keys); i < n && !s.n; i++)
		s = member(o, &keys->v[i]).text;
	return s.n ? s : (struct span){ NULL, 0 };
}

/* Seconds, milli-, micro- or nanoseconds since 1970, told by their size. */
static bool epoch(double v, int64_t *micros)
{
	if (!(v >= 1e8 && v < 1e20))
		return false;
	if (v < 1e11)
		v *= 1e6;
	else if (v < 1e14)
		v *= 1e3;
	else if (v >= 1e17)
		v /= 1e3;
	*micros = (int64_t)v;
	return true;
}

static bool time_of(struct span text, int64_t *micros)
{
	struct when w;
	int64_t whole;

	if (!text.n)
		return false;
	whole = span_number(text);
	if (whole >= 0)
		return epoch((double)whole, micros);
	if (when_scan(text, &w) == 0 || !w.year)
		return false;
	*micros = w.micros;
	return true;
}

static bool value_time(struct value v, int64_t *micros)
{
	return v.is_number ? epoch(v.number, micros) : time_of(v.text, micros);
}

bool unwrap_read_time(const struct json *v, int64_t *micros)
{
	return value_time(value_of(v), micros);
}

/* pino and bunyan: 10 trace to 60 fatal. */
static enum level level_number(int64_t n)
{
	if (n < 10 || n > 60)
		return LEVEL_UNKNOWN;
	return n < 30 ? LEVEL_DEBUG
	    : n < 40  ? LEVEL_INFO
	    : n < 50  ? LEVEL_WARNING
	    : n < 60  ? LEVEL_ERROR
		      : LEVEL_FATAL;
}

static void read_time(
    const struct jsonkeys *keys, const struct members *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_TIME];

	for (size_t i = 0, n = keys_in(o, list); i < n; i++)
		if (value_time(member(o, &list->v[i]), &r->time)) {
			r->has_time = true;
			return;
		}
}

static void read_level(
    const struct jsonkeys *keys, const struct members *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_LEVEL];
	enum level level = LEVEL_UNKNOWN;

	for (size_t i = 0, n = keys_in(o, list); i < n && !level; i++) {
		struct value v = member(o, &list->v[i]);

		level = v.is_whole ? level_number(v.whole)
				   : jsonkeys_level(keys, v.text);
	}
	if (level)
		r->level = level;
}

static void read_rank(
    const struct jsonkeys *keys, const struct members *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_RANK];

	for (size_t i = 0, n = keys_in(o, list); i < n; i++) {
		struct value v = member(o, &list->v[i]);
		int64_t rank = v.is_whole ? v.whole : span_number(v.text);

		if (rank >= 0 && rank < 10000000) {
			r->rank = rank;
			return;
		}
	}
}

/* Whether text holds part, told by part's first bytes. */
static bool has(struct span text, struct span part)
{
	part = span_sub(part, 0, 80);
	for (size_t i = 0; part.n && i + part.n <= text.n; i++) {
		const char *p =
		    memchr(text.p + i, part.p[0], text.n - part.n - i + 1);

		if (!p)
			return false;
		i = (size_t)(p - text.p);
		if (memcmp(p, part.p, part.n) == 0)
			return true;
	}
	return false;
}

static bool says_no_stack(const struct jsonkeys *keys, struct span stack)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_NO_STACK];

	for (size_t i = 0; i < list->n; i++)
		if (span_is(stack, list->v[i].name))
			return true;
	return false;
}

/* The stack and the error, unless the message already says them. */
static void read_stack(
    const struct jsonkeys *keys, const struct members *o, struct record *r)
{
	const struct jsonkeys_list *list = &keys->keys[JSONKEYS_STACK];

	r->stack = first_text(o, list);
	if (says_no_stack(keys, r->stack))
		r->stack.n = 0;
	if (r->stack.n == 0)
		for (size_t i = 0, n = keys_in(o, list);
		     i < n && !r->stack_list; i++) {
			const struct json *v = member(o, &list->v[i]).json;

			if (json_text(json_at(v, 0)).p || unwrap_is_stacks(v))
				r->stack_list = v;
		}
	if (has(r->message, span_trim(r->stack)))
		r->stack.n = 0;
	r->error = first_text(o, &keys->keys[JSONKEYS_ERROR]);
	if (has(r->message, r->error) || has(r->stack, r->error))
		r->error.n = 0;
}

/* Whether every key of o is one that docker's json-file driver writes. */
static bool is_docker(const struct jsonkeys *keys, const struct members *o)
{
	return unwrap_text(o, JSONKEYS_LOG).p &&
	    unwrap_text(o, JSONKEYS_WHEN).n &&
	    unwrap_only(keys, o,
		1u << JSONKEYS_LOG | 1u << JSONKEYS_STREAM |
		    1u << JSONKEYS_WHEN | 1u << JSONKEYS_ATTRS);
}

static int stream_of(const struct members *o)
{
	struct span s = unwrap_text(o, JSONKEYS_STREAM);

	return span_is(s, "stdout") ? TO_STDOUT
	    : span_is(s, "stderr")  ? TO_STDERR
				    : TO_NOWHERE;
}

bool unwrap_read_record(
    const struct jsonkeys *keys, const struct members *o, struct record *r)
{
	const struct jsonkeys_list *messages = &keys->keys[JSONKEYS_MESSAGE];
	struct span s = { NULL, 0 };
	int stream = stream_of(o);

	for (size_t i = 0; i < messages->n && !s.p; i++)
		s = member(o, &messages->v[i]).text;
	if (!s.p)
		return false;
	r->message = s;
	if (stream != TO_NOWHERE)
		r->stream = stream;
	read_time(keys, o, r);
	if (stream != TO_NOWHERE && is_docker(keys, o)) {
		/* The common case, and it has nothing else. */
		r->partial = !span_ends(s, "\n");
		return true;
	}
	read_level(keys, o, r);
	read_rank(keys, o, r);
	read_stack(keys, o, r);
	s = first_text(o, &keys->keys[JSONKEYS_LOGGER]);
	if (s.n)
		r->name = s;
	s = first_text(o, &keys->keys[JSONKEYS_HOST]);
	if (s.n)
		r->host = s;
	r->kernel = span_is(unwrap_text(o, JSONKEYS_IDENTIFIER), "kernel");
	return true;
}

/* The bytes of a list of numbers; false: it is none. */
static bool bytes_of(const struct json *list, struct buf *b)
{
	for (size_t i = 0; i < json_count(list); i++) {
		int64_t n;

		if (!json_int(json_at(list, i), &n) || n < 0 || n > 255 ||
		    buf_addc(b, (char)n))
			return false;
	}
	return b->len > 0;
}

bool unwrap_join_bytes(const struct jsonkeys *keys, struct json *o)
{
	const struct jsonkeys_list *messages = &keys->keys[JSONKEYS_MESSAGE];
	struct buf b = BUF_INIT(BUF_MAX);
	bool joined = false;

	for (size_t i = 0; i < messages->n && !joined; i++) {
		const char *key = messages->v[i].name;
		const struct json *list = json_get(o, key);

		if (!json_is(list, JSON_IS_ARRAY))
			continue;
		buf_clear(&b);
		joined = bytes_of(list, &b) &&
		    json_set(o, key,
			json_new_text((struct span){ b.p, b.len })) == 0;
	}
	buf_release(&b);
	return joined;
}

void unwrap_read_writer(
    const struct jsonkeys *keys, const struct members *o, struct record *r)
{
	r->writer = first_text(o, &keys->keys[JSONKEYS_WRITER]);
}
