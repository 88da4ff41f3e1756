/* The rules of the image, each made when it is first asked for, and its
 * signals. */
#ifndef RULES_TAXONOMY_LATE_H
#define RULES_TAXONOMY_LATE_H

#include <stddef.h>
#include <stdint.h>

struct rule;
struct signal;
struct taxonomy_late;

/* As the build writes it: pointers to texts are places in texts (0: NULL),
 * those to lists are places in lists, which has places in texts. */
struct rules_image {
	const struct rule *rules;
	const struct signal *signals;
	size_t n_rules, n_signals;
	const char *texts;
	const uint32_t *lists;
	size_t n_lists;
};

/* NULL: out of memory. */
struct taxonomy_late *taxonomy_late_new(const struct rules_image *image);
void taxonomy_late_free(struct taxonomy_late *l);
/* Rule i; from any thread. */
const struct rule *taxonomy_late_rule(struct taxonomy_late *l, size_t i);
/* All of them: they are few, and every run needs most. */
struct signal *taxonomy_late_signals(struct taxonomy_late *l);

#endif
