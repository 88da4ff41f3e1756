/* The expressions of a rule that has been read. Private to rules/. */
#ifndef RULES_RULE_PATTERNS_H
#define RULES_RULE_PATTERNS_H

struct raw_rule;
struct reader;
struct rule;
struct yamldoc_node;

/* Compile those of an overlay's rule, which node n gives, and check that the
 * groups it names are there. 0, or -1 with the reader's error set. */
int rule_patterns_compile(
    struct reader *r, const struct yamldoc_node *n, struct raw_rule *raw);

/* Set what rule.least and rule.longest say; n gives the rule. 0, or -1: out of
 * memory. */
int rule_patterns_measure(struct rule *r, const struct yamldoc_node *n);

#endif
