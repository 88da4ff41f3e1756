/*
 * What is secret in a text: the redactions of the taxonomy, applied. A secret
 * is replaced by "[redacted: TITLE]", which keeps nothing of it; line ends stay
 * where they are.
 */
#ifndef RULES_REDACT_H
#define RULES_REDACT_H

#include "base/text.h"
#include "rules/taxonomy.h"

#include <stdint.h>

struct buf;
struct err;
struct redactor;
struct redact;

/*
 * The redactions that are on: those without an option, and those whose option
 * is one of words (between commas, or "all"; NULL: none). Immutable, shared by
 * threads; the taxonomy must outlive it. match_limit: steps of one run of a
 * pattern. NULL with e set: no such option, or out of memory.
 */
struct redactor *redact_rules_new(const struct taxonomy *tax, const char *words,
    uint64_t match_limit, struct err *e);
/* Redaction i alone. */
struct redactor *redact_rules_one(
    const struct taxonomy *tax, size_t i, uint64_t match_limit, struct err *e);
void redact_rules_free(struct redactor *r);

/* A thread's scratch memory; it remembers the secrets it has seen. NULL: out of
 * memory. */
struct redact *redact_new(const struct redactor *r);
void redact_free(struct redact *x);

/* A part of a text, which moves with it. */
struct redact_marks {
	size_t from, to;
};

/*
 * Put `in` without its secrets into out, which is cleared first. 1: something
 * was hidden, and marks (or NULL) are where they belong in out; 0: nothing
 * was, out is empty; -1: out of memory. A pattern that hits its limit hides the
 * whole text.
 */
int redact_text(struct redact *x, struct span in, struct buf *out,
    struct redact_marks *marks);
/* The same for secrets that x has seen before, with nothing around them that
 * tells. Only those count that cannot be an ordinary word. */
int redact_seen(struct redact *x, struct span in, struct buf *out,
    struct redact_marks *marks);
/* The same for a part of what redact_text was given last, cut out of it. */
int redact_part(struct redact *x, struct span part, struct buf *out);
/* A malloced copy of s without its secrets; r NULL: as it is. NULL: out of
 * memory. */
char *redact_string(const struct redactor *r, const char *s);
/* Whether x has seen secrets for redact_seen. */
bool redact_has_seen(const struct redact *x);

#endif
