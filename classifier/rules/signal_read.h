/*
 * The signals of the taxonomy's files: from YAML to entries, and from the
 * entries of all layers to those that hold. Private to rules/.
 */
#ifndef RULES_SIGNAL_READ_H
#define RULES_SIGNAL_READ_H

#include "rules/taxonomy_read.h"

struct reader;
struct yamldoc_node;
struct taxonomy_full;

/* Read the root's `signals`. -1 with the error set. */
int signal_read(struct reader *r, const struct yamldoc_node *root);

/* Move what holds into full->t, when its rules and all else are there, less
 * what a layer has disabled. -1 with e set. */
int signal_settle(
    struct taxonomy_full *full, struct taxonomy_raw *raw, struct err *e);

void signal_read_release(struct taxonomy_raw *raw);

/* What the input looks for: t->prefixes, t->json_keys. -1 with e set. */
int signal_read_tables(struct taxonomy *t, struct err *e);

#endif
