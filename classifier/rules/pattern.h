/*
 * One regular expression. The only user of PCRE2: patterns are bytes, compiled
 * with JIT where the machine has it, and run with match, depth and heap limits.
 */
#ifndef RULES_PATTERN_H
#define RULES_PATTERN_H

#include "base/text.h"

#include <stdatomic.h>

struct err;
struct pattern;
struct matcher;

#define PATTERN_GROUPS 24

/* The outcome of a match: spans into the subject; unset groups have p NULL. */
struct pattern_match {
	struct span group[PATTERN_GROUPS]; /* 0 is the whole match */
	int n;                             /* groups filled in */
};

/* Compile text, which may be anybody's, now. NULL with e set: "at offset 12:
 * missing closing )"; then *where, when not NULL, is that offset. Patterns are
 * immutable and may be shared by threads. */
struct pattern *pattern_new(const char *text, size_t *where, struct err *e);
/* As pattern_new, for a pattern of the program's own: on short subjects its
 * work is not counted, which is quicker. */
struct pattern *pattern_new_own(const char *text, struct err *e);
void pattern_free(struct pattern *p);

/* The pattern of a slot that starts as NULL, compiled from text when it is
 * first asked for, by whichever thread; freed through the slot. NULL: bad, or
 * out of memory. */
typedef _Atomic(struct pattern *) pattern_slot;
const struct pattern *pattern_late(pattern_slot *slot, const char *text);

/* Number of the named group, or -1. */
int pattern_group(const struct pattern *p, const char *name);
/* Bytes that every match has at least. */
uint32_t pattern_least(const struct pattern *p);
/* How many groups the pattern has (without group 0). */
int pattern_groups(const struct pattern *p);

/* A thread's scratch memory for running any pattern. match_limit: steps of
 * one run, some 10 nanoseconds each. NULL: out of memory. */
struct matcher *pattern_matcher_new(uint64_t match_limit);
void pattern_matcher_free(struct matcher *m);
/* Whether since pattern_matcher_begin memory ran out, for a run or for the
 * pattern itself: what was then said not to match may. */
void pattern_matcher_begin(struct matcher *m);
bool pattern_lacking(const struct matcher *m);
/* The steps of the last run, where the subject was long enough (over 4 KiB) to
 * be counted: the same on every machine. */
uint64_t pattern_steps(const struct matcher *m);

/* 1 matched (m filled in when not NULL), 0 not, -1 a limit was hit, or memory
 * ran out. p may be NULL: there was none to make it. */
int pattern_find(const struct pattern *p, struct matcher *scratch,
    struct span subject, struct pattern_match *m);
/* The same for a match that begins at offset from or later; what stands before
 * it is seen by lookbehinds and anchors. */
int pattern_find_from(const struct pattern *p, struct matcher *scratch,
    struct span subject, size_t from, struct pattern_match *m);

#endif
