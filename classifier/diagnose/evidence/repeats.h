/*
 * Tracebacks that differ in digits only, outside the names of their frames, and
 * what became of the first of them; and lines. Private to diagnose/.
 */
#ifndef DIAGNOSE_REPEATS_H
#define DIAGNOSE_REPEATS_H

#include "diagnose/evidence/engine_tables.h"
#include "diagnose/findings.h"
#include "rules/pattern.h"
#include "rules/prefilter_digits.h"

#define REPEAT_TEXT 8192 /* bytes of one */
#define REPEAT_RUNS 160  /* of rules on one */
#define REPEAT_FOUND 8   /* of them that find something */
#define REPEAT_FIXED 128
#define REPEAT_TOLD 48
#define REPEAT_NOWHERE UINT32_MAX

/* A place in the text of one. */
struct repeat_place {
	uint32_t at, n;
};

/* A rule was run: what that counts as; of one that the hits in a line have
 * nominated the last of these, else NOWHERE, and of a line that is alone the
 * first; what it has found, or -1. Or it was left out, as the flood that it
 * makes is not looked at there. */
struct repeat_run {
	uint32_t rule, count, first, hit;
	int found;
	bool left;
	bool takes; /* it has found that the text is never evidence */
};

/* What a pattern has found, and in what, which begins on a line. */
struct repeat_found {
	uint32_t pattern, line;
	struct repeat_place subject, match;
	int n;
	struct repeat_place group[PATTERN_GROUPS];
};

struct repeat {
	uint64_t hash;
	size_t n;
	char *text;      /* as it first was */
	char *plain;     /* each digit is '0' */
	unsigned passed; /* how often it was not kept; many: it never is */
	bool met;        /* since it is kept */
	uint32_t block;  /* the last one in which it was told again */
	/* what must be the same: names of frames, digits that rules name, and
	 * where digits tell */
	struct repeat_place fixed[REPEAT_FIXED];
	size_t n_fixed;
	struct prefilter_told told[REPEAT_TOLD];
	size_t n_told;
	/* the event, as it was when it was complete, without its texts; its
	 * lines are counted from 0 */
	struct event event;
	struct repeat_place exception;
	uint32_t last, frame, code; /* lines; NOWHERE: there is none */
	size_t code_n;
	char *raisers;
	bool importing;
	bool quiet;       /* it tells neither of progress nor of a stage */
	bool alone;       /* a line: there is no event */
	unsigned sources; /* of what rules ask for; of a line */
	struct repeat_run *runs;
	struct repeat_found *found;
	size_t n_runs, n_found;
};

struct repeats;

/* t is borrowed. NULL: out of memory. */
struct repeats *repeats_new(const struct engine_tables *t);
void repeats_free(struct repeats *t);
/* The one that the text, of at most REPEAT_TEXT bytes, is like, or else where
 * it may be kept, if more may be; its n is then 0. What was told again in this
 * block stays. NULL: it is not kept, or seen for the first time. */
struct repeat *repeats_find(
    struct repeats *t, struct span text, uint32_t block, bool more);
/* Keep a text there, of which these must be the same in others. Whether it may
 * be: it has few places where digits tell; no memory is as if it had not. */
bool repeats_keep(struct repeats *t, struct repeat *r, struct span text,
    const struct repeat_place *fixed, size_t n);
/* Forget it, to be kept anew. */
void repeats_clear(struct repeat *r);
/* Whether a filter's finds in a text depend on its digits. */
bool repeats_digits_tell(const struct repeats *t, struct span text);
/* Forget it; it is not kept if it was often so. */
void repeats_pass(struct repeat *r);

#endif
