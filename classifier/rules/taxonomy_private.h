/*
 * What taxonomy*.c share: the taxonomy with its compiled patterns, and the
 * release of its pieces.
 */
#ifndef RULES_TAXONOMY_PRIVATE_H
#define RULES_TAXONOMY_PRIVATE_H

#include "rules/pattern.h"
#include "rules/taxonomy.h"
#include "rules/taxonomy_late.h"

/* What taxonomy_load returns the first member of. */
struct taxonomy_full {
	struct taxonomy t;
	bool image; /* all in t is a part of the program */
	/* As they were read: n_rules, behind them those that do not count.
	 * NULL: they are made when asked for, by late, which may have lists of
	 * some of rules, too. */
	struct raw_rule *rules;
	size_t n_read;
	struct signal *signals; /* as they were read; or NULL, as rules */
	struct taxonomy_late *late;
	pattern_slot *pattern;                /* one a pattern */
	pattern_slot *unless;                 /* one a rule */
	pattern_slot *redaction;              /* one a redaction */
	pattern_slot *signal, *signal_unless; /* one a signal */
};

/* The built-in taxonomy as the build put it into the program. */
extern const struct taxonomy taxonomy_image;
extern const struct rules_image taxonomy_image_rules;

/* The taxonomy of all that was read (taxonomy_read.h), whose entries are taken
 * out of raw; the caller releases what is left of it. NULL with e set. */
struct taxonomy_raw;
struct taxonomy *taxonomy_settle(
    struct taxonomy_raw *raw, unsigned last_layer, struct err *e);

/* taxonomy_load, from the files even where the image would do. known: what has
 * the rules of the built-in files, which then are not read, and of which an
 * error cannot tell the places; or NULL. */
struct taxonomy *taxonomy_load_files(const char *const *overlays, size_t n,
    const struct taxonomy *known, struct err *e);

void taxonomy_strings_release(struct strings *s);
void taxonomy_category_release(struct category *c);
void taxonomy_rule_release(struct rule *r);
void taxonomy_policy_release(struct policy_row *p);
void trend_metric_release(struct metric *m);
void trend_release(struct trend *t);
void taxonomy_redaction_release(struct redaction *r);
void taxonomy_signal_release(struct signal *s);

/* The first policy row without a condition, from row i on, for the rule or
 * else the category that is not NULL; or NULL. */
const struct policy_row *taxonomy_policy_from(
    const struct taxonomy *t, size_t i, const char *rule, const char *category);

/* The expressions of `unless` as one. NULL: out of memory. */
char *taxonomy_unless_text(const struct rule *r);

/* Fill in t->hash. 0 or -1: out of memory. */
int taxonomy_set_hash(struct taxonomy *t);

#endif
