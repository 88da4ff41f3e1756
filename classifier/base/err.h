/*
 * An error is one sentence for a person, complete where it is made, with the
 * place first: "taxonomy/data/x.yaml:12:7: unknown key 'patern'".
 * Functions that can fail take a struct err * last, leave it untouched on
 * success and return -1 (or NULL) after setting it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

struct err {
	char text[1024];
	bool lack; /* of memory, or of a library: no fault of what was given */
};

/* Set the text (cut at the buffer's end). Always returns -1. e may be NULL. */
int err_set(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The text for an allocation that failed. Always returns -1. */
int err_nomem(struct err *e);

/* "path: what errno says", or err_nomem where that is a lack of memory. Always
 * returns -1. */
int err_errno(struct err *e, const char *path);

/* The text for what cannot be made without a library that is missing. Always
 * returns -1. */
int err_missing(struct err *e, const char *text);

/* What another has said. Always returns -1. */
int err_pass(struct err *e, const struct err *why);

/* Put "prefix: " before a text that is already set. Always returns -1. */
int err_prefix(struct err *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
