/*
 * From the YAML of one file to entries that know their place. Nothing is
 * looked up between files here: taxonomy_load.c settles what replaces what.
 */
#ifndef RULES_TAXONOMY_READ_H
#define RULES_TAXONOMY_READ_H

#include "base/text.h"
#include "rules/taxonomy.h"

struct err;
struct pattern;
struct yamldoc;

/* Where something is written. file is borrowed from the taxonomy_raw. */
struct place {
	const char *file;
	unsigned line, column;
};

/* layer: 0 for the built-in files, then 1 for the first overlay, ... */
struct raw_category {
	struct category category;
	unsigned given; /* bits of the fields that the file gives */
	struct place at;
	unsigned layer;
	size_t order; /* place in the reading order */
};

/* What {{name}} in an expression stands for. */
struct raw_piece {
	struct rule_piece piece;
	struct place at;
	unsigned layer;
};

struct raw_rule {
	struct rule rule; /* first, category and within_rule are not set yet */
	char *category;   /* id, or NULL */
	bool known;       /* it, and what rule has, is not owned */
	/* Compiled, of overlays only: one for each of the rule's patterns, and
	 * all of its unless. */
	struct pattern **pattern, *unless;
	struct place at, category_at, within_at;
	unsigned layer;
	size_t order;
};

struct raw_policy {
	struct policy_row row;
	struct place at;
	unsigned layer;
};

struct raw_redaction {
	struct redaction redaction;
	struct pattern *pattern; /* compiled, of overlays only */
	struct place at;
	unsigned layer;
};

struct raw_signal {
	struct signal signal;
	struct pattern *pattern, *unless; /* compiled, of overlays only */
	struct place at;
	unsigned layer;
	/* while they are settled: of the first that had its id, and that no
	 * later layer has it */
	unsigned first_layer;
	size_t order;
	bool kept;
};

struct raw_budget {
	int value; /* as struct budgets has it */
	struct place at;
	unsigned layer;
};

/* given: bits of the fields that the file gives. */
struct raw_metric {
	struct metric metric; /* validation_metric is not set yet */
	unsigned given;
	struct place at;
	unsigned layer;
};

struct raw_trend {
	struct trend trend; /* on, beside_on and unless_on are not set yet */
	unsigned given;
	struct place at;
	unsigned layer;
};

struct raw_disable {
	char *rule;
	struct place at;
	unsigned layer;
};

/* The order of struct budgets. */
enum raw_budgets {
	BUDGET_SAME_CAUSE,
	BUDGET_SAME_PLACE,
	BUDGET_TOTAL,
	BUDGETS
};

/* All entries in the order they were read. */
struct taxonomy_raw {
	struct raw_piece *pieces;
	struct raw_category *categories;
	struct raw_rule *rules;
	struct raw_policy *policy;
	struct raw_disable *disable;
	struct raw_metric *metrics;
	struct raw_trend *trends;
	struct strings validation;
	struct raw_redaction *redactions;
	struct raw_signal *signals;
	struct raw_budget budgets[BUDGETS]; /* at.file NULL: not given */
	struct raw_budget node_window;      /* likewise; seconds */
	struct raw_budget stop_needs;       /* likewise; enum confidence */
	struct raw_budget declared;         /* likewise; enum declared_trust */
	size_t n_categories, n_rules, n_policy, n_disable;
	size_t n_metrics, n_trends, cap_metrics, cap_trends;
	size_t n_redactions, cap_redactions, n_signals, cap_signals;
	size_t cap_categories, cap_rules, cap_policy, cap_disable;
	size_t n_pieces, cap_pieces;
	struct yamldoc **unread; /* files of which only the pieces were taken */
	size_t n_unread, cap_unread;
	struct strings files; /* names of the files read */
};

/* Parse a file and add its pieces. When that is done for all files of a layer,
 * taxonomy_read_entries adds what else is in them. -1 with e set:
 * "name:line:column: text". */
int taxonomy_read_file(struct taxonomy_raw *raw, struct span text,
    const char *name, unsigned layer, struct err *e);
int taxonomy_read_entries(
    struct taxonomy_raw *raw, unsigned layer, struct err *e);

/* The name of the first field that a category lacks, or NULL. */
const char *taxonomy_read_missing(const struct raw_category *c);
/* Take over in `to` the fields that `from` gives. */
void taxonomy_read_override(struct raw_category *to, struct raw_category *from);

void taxonomy_read_release(struct taxonomy_raw *raw);
void taxonomy_read_rule_release(struct raw_rule *r);

/* Whether an entry of a layer up to this one has been switched off by it or a
 * later one. */
bool taxonomy_read_disabled(
    const struct taxonomy_raw *raw, const char *id, unsigned layer);

/* Set the error: what of which id, with the place before it; -1. */
int taxonomy_read_bad(
    struct err *e, struct place at, const char *what, const char *id);

#endif
