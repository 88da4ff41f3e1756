/*
 * How much work a line can make for an expression. Who writes a log need not
 * wait for one: the fixed texts that the expression looks for, again and again,
 * never the whole of it.
 */
#ifndef REPORTS_RULES_ATTACK_H
#define REPORTS_RULES_ATTACK_H

#include <stddef.h>
#include <stdint.h>

struct matcher;
struct pattern;
struct strings;

/* As many times the steps of an ordinary line may a line cost. */
#define RULES_ATTACK_MOST 10

/* The worst line: how many tenths of an ordinary line's steps it takes, and
 * what it repeats. Steps are counted, not timed: they are the same on every
 * machine. */
struct rules_attack {
	uint64_t times;
	char text[256];
};

/* Try lines of the texts in the expression and of the examples. front stands
 * before them: what it is not run without. 0, or -1 when out of memory. */
int rules_attack_find(const struct pattern *p, const char *expression,
    const char *front, const struct strings *examples, struct matcher *m,
    struct rules_attack *worst);

#endif
