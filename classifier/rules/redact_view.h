/*
 * A text as a person reads it: without letters of no width, and with words put
 * together again that a screen, a box around the text or a diff has broken over
 * lines. Secrets are looked for in this, too.
 */
#ifndef RULES_REDACT_VIEW_H
#define RULES_REDACT_VIEW_H

#include "base/span.h"

struct redact_view {
	char *p;
	size_t *at; /* of each byte: where it is in the text */
	size_t n, cap;
};

/* 1: v is the text as it is read; 0: that is the text itself; -1: out of
 * memory. v is used again by the next call. */
int redact_view_make(struct redact_view *v, struct span text);
void redact_view_release(struct redact_view *v);

#endif
