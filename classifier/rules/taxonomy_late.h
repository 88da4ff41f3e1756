/* The rules and signals of the image, each made when it is first asked for, and
 * what else of it has places for pointers. */
#ifndef RULES_TAXONOMY_LATE_H
#define RULES_TAXONOMY_LATE_H

#include <stddef.h>
#include <stdint.h>

struct rule;
struct signal;
struct category;
struct policy_row;
struct taxonomy;
struct taxonomy_late;

/* As the build writes it: pointers to texts are places in texts (0: NULL),
 * those to lists are places in lists, which has places in texts. */
struct rules_image {
	const struct rule *rules;
	const struct signal *signals;
	const struct category *categories;
	const struct policy_row *policy;
	size_t n_rules, n_signals, n_categories, n_policy;
	const char *texts;
	const uint32_t *lists;
	size_t n_lists;
};

/* NULL: out of memory. */
struct taxonomy_late *taxonomy_late_new(const struct rules_image *image);
void taxonomy_late_free(struct taxonomy_late *l);
/* Rule or signal i; from any thread. */
const struct rule *taxonomy_late_rule(struct taxonomy_late *l, size_t i);
const struct signal *taxonomy_late_signal(struct taxonomy_late *l, size_t i);
/* The same, made in a place of the caller's; instead, since there is room for
 * the lists of each rule once. They stay l's. */
void taxonomy_late_take(struct taxonomy_late *l, size_t i, struct rule *to);
/* All the rest: that is little, and every run needs most of it. Filled in in t,
 * which borrows it. */
void taxonomy_late_fill(struct taxonomy_late *l, struct taxonomy *t);

#endif
