/*
 * Building JSON without a check at each member: a lack of memory is remembered,
 * and told once at the end.
 */
#ifndef REPORTS_OBJECT_H
#define REPORTS_OBJECT_H

#include "base/json.h"

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
/* A negative number is an unknown one: null. */
void object_count(struct object *to, const char *key, int64_t v);
/* One that is always known. */
void object_total(struct object *to, const char *key, uint64_t n);
/* ISO 8601; ENVELOPE_NO_TIME gives null. */
void object_time(struct object *to, const char *key, int64_t t);
/* Put a value at the end of an array; it is taken in every case. */
void object_add(struct object *to, struct json *v);
/* What was built; NULL when anything failed. */
struct json *object_done(struct object *o);

#endif
