/*
 * Memory that goes all at once, and strings in it, equal ones once: two strings
 * of one arena are equal if their pointers are.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/text.h"

struct arena;

struct arena *arena_new(void); /* NULL: out of memory */
void arena_free(struct arena *p);
/* NULL for NULL, and when out of memory. */
const char *arena_string(struct arena *p, struct span s);
/* The place of a string that is there: less than arena_places, and its own
 * until the next string comes. SIZE_MAX: it is not there. p may be NULL. */
size_t arena_place(const struct arena *p, struct span s);
size_t arena_places(const struct arena *p);
/* Bytes that it takes. p may be NULL. */
size_t arena_size(const struct arena *p);
/* n bytes that live as long as the arena, aligned for any type, zero. NULL: out
 * of memory. */
void *arena_memory(struct arena *p, size_t n);

#endif
