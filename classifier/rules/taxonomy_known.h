/* What is built in, as if its files had been read. Private to rules/. */
#ifndef RULES_TAXONOMY_KNOWN_H
#define RULES_TAXONOMY_KNOWN_H

struct err;
struct taxonomy;
struct taxonomy_raw;

/* Add all of known, which is the image, as layer 0; its rules still belong to
 * it. Nothing has a place, so that an error cannot tell any. 0, or -1: out of
 * memory. */
int taxonomy_known_add(
    struct taxonomy_raw *raw, const struct taxonomy *known, struct err *e);

#endif
