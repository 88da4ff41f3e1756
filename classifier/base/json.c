/*
 * A struct json is a jansson value under another name; nothing is wrapped, so
 * reading costs what jansson costs. Building has one rule that jansson lacks:
 * text from a log is repaired before it becomes a string.
 *
 * jansson is loaded by what makes a value; what takes one needs no look, since
 * there is none before that. Where it is missing nothing is made, which looks
 * like lack of memory and is told with the name of the library.
 */
#include "base/json.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"

/* Its inline functions call this one. */
#define json_delete json_delete_late
#include <jansson.h>
#undef json_delete
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                    \
	X(json_array)                   \
	X(json_array_append_new)        \
	X(json_array_get)               \
	X(json_array_size)              \
	X(json_delete)                  \
	X(json_dump_callback)           \
	X(json_false)                   \
	X(json_integer)                 \
	X(json_integer_value)           \
	X(json_loadb)                   \
	X(json_null)                    \
	X(json_number_value)            \
	X(json_object)                  \
	X(json_object_get)              \
	X(json_object_iter)             \
	X(json_object_iter_key)         \
	X(json_object_iter_key_len)     \
	X(json_object_iter_next)        \
	X(json_object_iter_value)       \
	X(json_object_setn_new_nocheck) \
	X(json_object_size)             \
	X(json_real)                    \
	X(json_string_length)           \
	X(json_string_value)            \
	X(json_stringn_nocheck)         \
	X(json_true)

void json_delete(json_t *v);

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library library =
    LIBRARY_INIT("libjansson.so.4", "libjansson4", rows);

void json_delete_late(json_t *v)
{
	lib.json_delete(v);
}

static bool ready(struct err *e)
{
	struct err why;

	if (library_load(&library, &why) == 0)
		return true;
	err_missing(e, why.text);
	return false;
}

static json_t *raw(struct json *v)
{
	return (json_t *)v;
}

static const json_t *raw_const(const struct json *v)
{
	return (const json_t *)v;
}

static struct json *wrap(json_t *v)
{
	return (struct json *)v;
}

static const struct json *wrap_const(const json_t *v)
{
	return (const struct json *)v;
}

struct json *json_parse(struct span text, enum json_parsing how, struct err *e)
{
	size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL;
	struct buf shown = BUF_INIT(BUF_MAX);
	json_error_t je;
	json_t *v;

	if (!ready(e))
		return NULL;
	if (how == JSON_UNIQUE_KEYS)
		flags |= JSON_REJECT_DUPLICATES;
	v = lib.json_loadb(text.p ? text.p : "", text.n, flags, &je);
	if (v)
		return wrap(v);
	if (json_error_code(&je) == json_error_out_of_memory) {
		err_nomem(e);
		return NULL;
	}
	/* The text quotes what was being parsed. */
	if (text_visible(&shown, span_of(je.text)))
		err_nomem(e);
	else
		err_set(e, "%d:%d: %s", je.line, je.column, shown.p);
	buf_release(&shown);
	return NULL;
}

void json_free(struct json *root)
{
	json_decref(raw(root));
}

enum json_kind json_kind(const struct json *v)
{
	if (!v)
		return JSON_IS_NULL;
	switch (json_typeof(raw_const(v))) {
	case JSON_OBJECT:
		return JSON_IS_OBJECT;
	case JSON_ARRAY:
		return JSON_IS_ARRAY;
	case JSON_STRING:
		return JSON_IS_TEXT;
	case JSON_INTEGER:
		return JSON_IS_INTEGER;
	case JSON_REAL:
		return JSON_IS_REAL;
	case JSON_TRUE:
	case JSON_FALSE:
		return JSON_IS_BOOL;
	case JSON_NULL:
	default:
		return JSON_IS_NULL;
	}
}

bool json_is(const struct json *v, enum json_kind kind)
{
	return json_kind(v) == kind;
}

const struct json *json_get(const struct json *object, const char *key)
{
	return json_is(object, JSON_IS_OBJECT)
	    ? wrap_const(lib.json_object_get(raw_const(object), key))
	    : NULL;
}

const struct json *json_at(const struct json *array, size_t i)
{
	return json_is(array, JSON_IS_ARRAY)
	    ? wrap_const(lib.json_array_get(raw_const(array), i))
	    : NULL;
}

size_t json_count(const struct json *v)
{
	if (json_is(v, JSON_IS_ARRAY))
		return lib.json_array_size(raw_const(v));
	return json_is(v, JSON_IS_OBJECT) ? lib.json_object_size(raw_const(v))
					  : 0;
}

struct span json_text(const struct json *v)
{
	if (!json_is(v, JSON_IS_TEXT))
		return (struct span){ NULL, 0 };
	return (struct span){ lib.json_string_value(raw_const(v)),
		lib.json_string_length(raw_const(v)) };
}

struct span json_get_text(const struct json *object, const char *key)
{
	return json_text(json_get(object, key));
}

bool json_true_value(const struct json *v)
{
	return json_is_true(raw_const(v));
}

bool json_int(const struct json *v, int64_t *out)
{
	if (!json_is(v, JSON_IS_INTEGER))
		return false;
	*out = lib.json_integer_value(raw_const(v));
	return true;
}

bool json_number(const struct json *v, double *out)
{
	if (!json_is(v, JSON_IS_INTEGER) && !json_is(v, JSON_IS_REAL))
		return false;
	*out = lib.json_number_value(raw_const(v));
	return true;
}

bool json_each(const struct json *object, void **at, struct span *key,
    const struct json **value)
{
	/* jansson asks for a writable object but only reads it. */
	union {
		const struct json *borrowed;
		json_t *object;
	} u = { object };

	if (!json_is(object, JSON_IS_OBJECT))
		return false;
	*at = *at ? lib.json_object_iter_next(u.object, *at)
		  : lib.json_object_iter(u.object);
	if (!*at)
		return false;
	key->p = lib.json_object_iter_key(*at);
	key->n = lib.json_object_iter_key_len(*at);
	*value = wrap_const(lib.json_object_iter_value(*at));
	return true;
}

int json_lacking(struct err *e)
{
	return ready(e) ? err_nomem(e) : -1;
}

struct json *json_new_object(void)
{
	return ready(NULL) ? wrap(lib.json_object()) : NULL;
}

struct json *json_new_array(void)
{
	return ready(NULL) ? wrap(lib.json_array()) : NULL;
}

/* Let *s be valid; b holds it then, if it was not. */
static int repair(struct span *s, struct buf *b)
{
	if (!s->p)
		*s = span_of("");
	if (text_is_utf8(*s))
		return 0;
	if (text_utf8(b, *s))
		return -1;
	*s = (struct span){ b->p, b->len };
	return 0;
}

struct json *json_new_text(struct span s)
{
	struct buf b = BUF_INIT(SIZE_MAX / 2);
	json_t *v = NULL;

	if (ready(NULL) && repair(&s, &b) == 0)
		v = lib.json_stringn_nocheck(s.p, s.n);
	buf_release(&b);
	return wrap(v);
}

struct json *json_new_string(const char *s)
{
	return s ? json_new_text(span_of(s)) : json_new_null();
}

struct json *json_new_real(double v)
{
	return ready(NULL) ? wrap(lib.json_real(v)) : NULL;
}

struct json *json_new_int(int64_t v)
{
	return ready(NULL) ? wrap(lib.json_integer(v)) : NULL;
}

struct json *json_new_bool(bool v)
{
	if (!ready(NULL))
		return NULL;
	return wrap(v ? lib.json_true() : lib.json_false());
}

struct json *json_new_null(void)
{
	return ready(NULL) ? wrap(lib.json_null()) : NULL;
}

struct json *json_share(struct json *v)
{
	return wrap(json_incref(raw(v)));
}

int json_set_span(struct json *object, struct span key, struct json *value)
{
	struct buf b = BUF_INIT(SIZE_MAX / 2);
	int rc = -1;

	if (!object || !value || repair(&key, &b)) {
		json_decref(raw(value));
		goto out;
	}
	rc = lib.json_object_setn_new_nocheck(
	    raw(object), key.p, key.n, raw(value));
out:
	buf_release(&b);
	return rc;
}

int json_set(struct json *object, const char *key, struct json *value)
{
	return json_set_span(object, span_of(key), value);
}

int json_append(struct json *array, struct json *value)
{
	if (!array || !value) {
		json_decref(raw(value));
		return -1;
	}
	return lib.json_array_append_new(raw(array), raw(value));
}

/* jansson does not heed every -1 of its callback. */
struct writing {
	struct buf *out;
	bool failed;
};

static int add(const char *p, size_t n, void *ctx)
{
	struct writing *w = ctx;

	w->failed |= text_json(w->out, (struct span){ p, n }) != 0;
	return w->failed ? -1 : 0;
}

static int write_value(const struct json *v, struct buf *out, size_t flags)
{
	struct writing w = { out, false };
	size_t before = out->len;

	if (v &&
	    lib.json_dump_callback(
		raw_const(v), add, &w, flags | JSON_ENCODE_ANY) == 0 &&
	    !w.failed)
		return 0;
	out->len = before;
	if (out->p)
		out->p[before] = '\0';
	return -1;
}

int json_write(const struct json *v, struct buf *out)
{
	return write_value(v, out, JSON_COMPACT);
}

int json_write_indented(const struct json *v, struct buf *out)
{
	return write_value(v, out, JSON_INDENT(2));
}

int json_print(const struct json *v, FILE *f)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = json_write_indented(v, &b);

	if (!rc)
		fprintf(f, "%s\n", b.p);
	buf_release(&b);
	return rc;
}
