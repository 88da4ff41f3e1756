/*
 * The policy of the taxonomy's files: from YAML to entries. Private to rules/.
 */
#ifndef RULES_POLICY_READ_H
#define RULES_POLICY_READ_H

#include "rules/taxonomy_read.h"

struct reader;
struct yamldoc_node;

/* Read the root's `policy`, `budgets`, `stop_needs`, `declared`. -1 with the
 * error set.
 */
int policy_read(struct reader *r, const struct yamldoc_node *root);

#endif
