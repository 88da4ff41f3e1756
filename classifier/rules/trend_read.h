/*
 * The metrics and trend rules of the taxonomy's files: from YAML to entries,
 * and from the entries of all layers to those that hold. Private to rules/.
 */
#ifndef RULES_TREND_READ_H
#define RULES_TREND_READ_H

#include "rules/taxonomy_read.h"

struct reader;
struct yamldoc_node;

/* Read the root's `metrics`, `trends` and `validation`. -1 with the error set.
 */
int trend_read(struct reader *r, const struct yamldoc_node *root);

/* Move what holds into t, less the rules that a layer has disabled. -1 with e
 * set. */
int trend_settle(struct taxonomy *t, struct taxonomy_raw *raw, struct err *e);

void trend_read_release(struct taxonomy_raw *raw);

#endif
