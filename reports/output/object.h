/*
 * Building JSON without a check at each member: a lack of memory, or of
 * jansson, is remembered, and told once at the end.
 */
#ifndef REPORTS_OBJECT_H
#define REPORTS_OBJECT_H

#include "base/json.h"

struct strings;

/* An object or array in the making. */
struct object {
	struct json *o;
	bool failed;
};

struct object object_new(void);
struct object object_new_array(void);
/* Put a member into an object; v is taken in every case. */
void object_put(struct object *to, const char *key, struct json *v);
/* NULL gives null. */
void object_string(struct object *to, const char *key, const char *s);
/* An array. */
void object_strings(
    struct object *to, const char *key, const struct strings *s);
void object_bool(struct object *to, const char *key, bool v);
void object_int(struct object *to, const char *key, int64_t v);
/* Finite numbers only. */
void object_real(struct object *to, const char *key, double v);
/* A negative number is an unknown one: null. */
void object_count(struct object *to, const char *key, int64_t v);
/* One that is always known. */
void object_total(struct object *to, const char *key, uint64_t n);
/* ISO 8601; ENVELOPE_NO_TIME gives null. */
void object_time(struct object *to, const char *key, int64_t t);
/* Put a value at the end of an array; it is taken in every case. */
void object_add(struct object *to, struct json *v);

/* Each of these ends it, in every case. */

/* What was built; NULL when anything failed. */
struct json *object_done(struct object *o);
/* Print it on f, as json_print does. 0, or -1 with e set. */
int object_print(struct object *o, FILE *f, struct err *e);
/* Append it to out, as json_write does. 0, or -1. */
int object_write(struct object *o, struct buf *out);

#endif
