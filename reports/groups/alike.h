/*
 * Which templates are alike: of one class, of equally many words, and equal in
 * all but a few of them.
 */
#ifndef REPORTS_GROUPS_ALIKE_H
#define REPORTS_GROUPS_ALIKE_H

struct alike;

struct alike *alike_new(void); /* NULL: out of memory */
void alike_free(struct alike *a);
/* *found: what was given with the first template that is alike; NULL: none was,
 * and this one is added with what. Strings are borrowed. -1: out of memory. */
int alike_find(struct alike *a, const char *text, void *what, void **found);

#endif
