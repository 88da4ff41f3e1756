/* The rules of the image, each made when it is first asked for. */
#ifndef RULES_TAXONOMY_LATE_H
#define RULES_TAXONOMY_LATE_H

#include <stddef.h>
#include <stdint.h>

struct rule;
struct taxonomy_late;

/* As the build writes it: pointers to texts are places in texts (0: NULL),
 * those to lists are places in lists, which has places in texts. */
struct rules_image {
	const struct rule *rules;
	const char *texts;
	const uint32_t *lists;
	size_t n_lists;
};

/* n rules; NULL: out of memory. */
struct taxonomy_late *taxonomy_late_new(
    const struct rules_image *image, size_t n);
void taxonomy_late_free(struct taxonomy_late *l);
/* Rule i; from any thread. */
const struct rule *taxonomy_late_rule(struct taxonomy_late *l, size_t i);

#endif
