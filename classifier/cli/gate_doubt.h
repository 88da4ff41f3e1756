/*
 * Why an answer would be a guess: logs that are not whole, and what contradicts
 * what they say. One sentence each.
 */
#ifndef CLI_GATE_DOUBT_H
#define CLI_GATE_DOUBT_H

#include "diagnose/diagnosis.h"
#include "input/input.h"

struct err;
struct triage_job;

struct doubts {
	char **v; /* owned, owned strings */
	size_t n;
	size_t firm; /* how many of them stand against any answer; the others
		      * only against one that comes from the logs */
	bool failed; /* out of memory */
	const struct redactor *redact; /* hides what is secret; or NULL */
};

void gate_doubts_release(struct doubts *b);
/* About the logs. */
void gate_doubts_add(struct doubts *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A note about an input; not every kind is a doubt. */
void gate_doubts_note(
    struct doubts *b, const char *path, enum input_note kind, const char *text);
/* What the diagnosis itself tells: empty logs, ranks without a log, an end
 * that the scheduler tells otherwise. */
void gate_doubts_find(
    struct doubts *b, const struct diagnosis *d, const struct triage_job *job);

/* Make the verdict undecided if there is a doubt that stands against it. -1
 * with e set: out of memory, here or in one of the above. */
int gate_doubts_apply(const struct doubts *b, const struct triage_job *job,
    struct diagnosis *d, struct err *e);

#endif
