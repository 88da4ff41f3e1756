/*
 * Prefixes of lines that are plain: fixed text and fields in turn, such as
 * "[NeMo <letter> <time> <text>]<blank>". What a prefix can be made of is a
 * table in prefixes.c, described in taxonomy/README.md, kind `prefix`.
 */
#ifndef INPUT_PREFIXES_H
#define INPUT_PREFIXES_H

#include "input/envelope.h"

struct err;
struct peel;
struct peel_some;
struct prefixes;

/* What a line must have begun with before. */
enum prefix_after { PREFIX_ANYWHERE, PREFIX_AFTER_TIME, PREFIX_AFTER_PREFIX };

struct prefix {
	const char *form; /* borrowed */
	size_t id;        /* the caller's; of forms that belong together */
	int phase;        /* as that of struct peel_row */
	enum prefix_after after;
	enum level level; /* that it tells; LEVEL_UNKNOWN: by its fields */
	bool first;       /* tried before the ones that C knows */
	bool tag;         /* never peeled: what a margin may be made of */
};

/* NULL: out of memory. */
struct prefixes *prefixes_new(void);
void prefixes_free(struct prefixes *all);
/* Of those with the same `first` in the order in which they are added. -1 with
 * e set: bad form, or too many. */
int prefixes_add(
    struct prefixes *all, const struct prefix *prefix, struct err *e);
/* Bytes of the tag that s begins with, or 0. */
size_t prefixes_tag(const struct prefixes *all, struct span s);
/* The name of a node begins so; borrowed. -1: out of memory. */
int prefixes_add_node(struct prefixes *all, const char *start);
/* 0, or -1 with e set: what is wrong with a form. */
int prefixes_check(const char *form, struct err *e);

/* What C knows that may begin with a byte. all may be NULL. */
struct peel_some prefixes_rows(const struct prefixes *all, char first);
/* Peel the first that p->s begins with; false: there is none. all may be NULL.
 */
bool prefixes_peel(
    const struct prefixes *all, struct peel *p, int *phase, bool first);
/* Whether a name begins as those of nodes do. */
bool prefixes_node(const struct prefixes *all, struct span name);
/* Whether text begins with a prefix of this id, wherever it may stand. */
bool prefixes_tell(const struct prefixes *all, size_t id, struct span text);

#endif
