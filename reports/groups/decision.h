/*
 * What people have said of groups of failures: a name, that two are one, that
 * one is of no interest. Kept in the store under the id of a template, so that
 * it stays over nights.
 */
#ifndef REPORTS_GROUPS_DECISION_H
#define REPORTS_GROUPS_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct store;

/* Bytes of a name. */
#define DECISION_NAME ((size_t)80)

struct decision {
	const char *id;   /* of a template */
	const char *into; /* the one it is a part of, or NULL */
	const char *name; /* or NULL */
	bool ignored;
	const char *by; /* who said so last, or NULL */
	int64_t at;     /* when, microseconds UTC */
};

/* Those of a store, in the order of their ids. */
struct decisions {
	struct decision *v;
	size_t n, cap;
	struct arena *arena; /* borrowed: the strings lie there */
};

/* Read all. -1 with e set; release in every case. */
int decisions_read(
    struct decisions *d, struct store *s, struct arena *p, struct err *e);
void decisions_release(struct decisions *d);
/* Of one id, or NULL. d may be NULL. */
const struct decision *decisions_find(
    const struct decisions *d, const char *id);
/* The id it has been merged into, over any number of steps; else id. */
const char *decisions_root(const struct decisions *d, const char *id);

/* Keep one in the place of what was said before. -1 with e set. */
int decision_put(struct store *s, const struct decision *d, struct err *e);

#endif
