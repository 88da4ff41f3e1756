/*
 * The fixed texts that a match of a regular expression needs: a set of strings
 * of which at least one, in either case, stands in every text with a match, in
 * it or where it looks ahead. It is conservative: where it cannot tell, the set
 * is empty, which means "unknown".
 */
#ifndef RULES_LITERALS_H
#define RULES_LITERALS_H

#include <stdbool.h>
#include <stddef.h>

struct literals {
	char **
	    text; /* malloced, NUL-terminated copies, bytes as in the pattern */
	size_t *len;  /* may hold NULs */
	size_t n;     /* 0: no required literal is known */
	size_t least; /* length of the shortest, 0 when n is 0 */
};

#define LITERALS_MAX 64 /* strings in one set */

/* Derive the best set from PCRE2 syntax; never fails on odd syntax (n is 0
 * then). 0, or -1 when out of memory. */
int literals_from_pattern(struct literals *l, const char *pattern);
/* The same to look for in texts of exceptions: that it is an "Error: " tells
 * nothing there. */
int literals_from_exception(struct literals *l, const char *pattern);
/* Another set of a match, which holds one of these, too: of other texts than
 * the set above (raised: that for exceptions). n 0: no other is known. */
int literals_beside(struct literals *l, const char *pattern, bool raised);
int literals_copy(struct literals *l, const struct literals *from);
/* A set of one given string. */
int literals_one(struct literals *l, const char *text);
void literals_release(struct literals *l);

#endif
