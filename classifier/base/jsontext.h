/*
 * JSON written as it is told, without a tree in between: for what is written
 * once for each log. The text is compact, and its strings are valid UTF-8
 * whatever they are made from.
 */
#ifndef BASE_JSONTEXT_H
#define BASE_JSONTEXT_H

#include "base/text.h"

struct buf;

/* Where it goes; failed: there was no memory, or no room, for all of it. */
struct jsontext {
	struct buf *out;
	bool failed;
};

/* Each of these puts a value: the member `key` of an object, or with key NULL
 * the next element of an array, or the whole. Keys are names: there is nothing
 * in them to escape. */
void jsontext_open(struct jsontext *t, const char *key, char bracket);
void jsontext_close(struct jsontext *t, char bracket);
/* NULL gives null. */
void jsontext_string(struct jsontext *t, const char *key, const char *s);
void jsontext_span(struct jsontext *t, const char *key, struct span s);
void jsontext_int(struct jsontext *t, const char *key, int64_t v);
/* A negative number is an unknown one: null. */
void jsontext_count(struct jsontext *t, const char *key, int64_t v);
/* A finite one. */
void jsontext_real(struct jsontext *t, const char *key, double v);
void jsontext_bool(struct jsontext *t, const char *key, bool v);
void jsontext_null(struct jsontext *t, const char *key);

#endif
