/*
 * What entries of the taxonomy own: one table says it for all who copy or
 * release one. Private to rules/.
 */
#ifndef RULES_PARTS_H
#define RULES_PARTS_H

#include "rules/taxonomy.h"

#define PARTS_TEXTS 6
#define PARTS_LISTS 12

/* Where its texts and lists are; 0 ends them, and no entry begins with a list.
 */
struct parts {
	size_t size;
	size_t id; /* the first text, which may be at 0 */
	size_t texts[PARTS_TEXTS + 1], lists[PARTS_LISTS + 1];
};

extern const struct parts parts_rule, parts_category, parts_policy,
    parts_metric, parts_trend, parts_redaction, parts_signal;

/* Let an entry that is a plain copy of another own what it has: false when out
 * of memory, and then it may still be released. */
bool parts_own(const struct parts *p, void *entry);
bool parts_own_text(char **text);
bool parts_own_list(struct strings *s);
/* Let an entry of the image, whose pointers are places, have pointers; those
 * of its lists are put at *room, which moves behind them. */
void parts_place(const struct parts *p, void *entry, const char *texts,
    const uint32_t *lists, char ***room);
/* Free it all, and clear the entry. */
void parts_release(const struct parts *p, void *entry);

#endif
