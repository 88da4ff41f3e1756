/*
 * JSON, read and written. The only user of jansson, which is loaded when it is
 * first needed.
 *
 * Values of a parsed or built tree are borrowed from it; only the root is
 * freed. Strings are bytes: a parsed string may hold NUL, a built one has its
 * invalid UTF-8 repaired.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/text.h"

#include <stdio.h>

struct buf;
struct err;
struct json;

enum json_kind {
	JSON_IS_NULL,
	JSON_IS_BOOL,
	JSON_IS_INTEGER,
	JSON_IS_REAL,
	JSON_IS_TEXT,
	JSON_IS_ARRAY,
	JSON_IS_OBJECT
};

enum json_parsing {
	JSON_PARSE = 0,
	JSON_UNIQUE_KEYS = 1 /* a key that comes twice is an error */
};

/* The value that text holds, and nothing after it. NULL with e set
 * ("3:14: ..." is line and column); e may be NULL. */
struct json *json_parse(struct span text, enum json_parsing how, struct err *e);
void json_free(struct json *root);

/* ---- reading: every function takes NULL and values of any kind ---- */

/* NULL reads as JSON_IS_NULL. */
enum json_kind json_kind(const struct json *v);
bool json_is(const struct json *v, enum json_kind kind);
/* The member of an object, or NULL. */
const struct json *json_get(const struct json *object, const char *key);
/* The element of an array, or NULL. */
const struct json *json_at(const struct json *array, size_t i);
/* Elements of an array or members of an object; otherwise 0. */
size_t json_count(const struct json *v);
/* The bytes of a string; p is NULL for anything else. */
struct span json_text(const struct json *v);
/* The same of an object's member. */
struct span json_get_text(const struct json *object, const char *key);
bool json_true_value(const struct json *v);
/* false, and *out untouched, when v is no integer. */
bool json_int(const struct json *v, int64_t *out);
/* Integers count as numbers. */
bool json_number(const struct json *v, double *out);

/* The members of an object in their order: start with *at NULL; false when
 * there are no more. */
bool json_each(const struct json *object, void **at, struct span *key,
    const struct json **value);

/* ---- building: NULL means out of memory, or no jansson ---- */

/* The text for either. Always returns -1. */
int json_lacking(struct err *e);

struct json *json_new_object(void);
struct json *json_new_array(void);
struct json *json_new_text(struct span s);
/* NULL gives null. */
struct json *json_new_string(const char *s);
struct json *json_new_int(int64_t v);
/* Finite numbers only: factors, ratios. */
struct json *json_new_real(double v);
struct json *json_new_bool(bool v);
struct json *json_new_null(void);
/* The same value, for one more who frees it or puts it somewhere. */
struct json *json_share(struct json *v);

/*
 * Put value into an object or at the end of an array. It is taken in every
 * case, failure included. 0, or -1 when memory ran out, now or when value
 * (then NULL) was made: `json_set(o, "k", json_new_int(1))` needs one check.
 */
int json_set(struct json *object, const char *key, struct json *value)
    __attribute__((warn_unused_result));
int json_set_span(struct json *object, struct span key, struct json *value)
    __attribute__((warn_unused_result));
int json_append(struct json *array, struct json *value)
    __attribute__((warn_unused_result));

/* Append the text of v to out, members in their order, without a line end.
 * 0, or -1: out of memory or over out's ceiling (out is unchanged). */
int json_write(const struct json *v, struct buf *out);
/* The same, two blanks a level. */
int json_write_indented(const struct json *v, struct buf *out);
/* The same on a line or lines of f, whose own errors it keeps. 0, or -1: there
 * is no v, or no memory. */
int json_print(const struct json *v, FILE *f);

#endif
