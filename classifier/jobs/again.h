/*
 * The lines of a log read once more, as a person would see them: without their
 * envelopes and without secrets.
 */
#ifndef JOBS_AGAIN_H
#define JOBS_AGAIN_H

#include "base/limits.h"
#include "input/envelope.h"
#include "input/input.h"

struct err;
struct redactor;
struct taxonomy;

struct again {
	const struct taxonomy *taxonomy;
	const struct limits *limits;
	const struct redactor *redact; /* or NULL */
	bool only; /* the log that is called so, not what is in an archive */
	/* What the user named, in which the path lies: links below it are
	 * followed as far as input/below.h lets them; NULL: he named the path.
	 */
	const char *const *given;
	size_t n_given;
	bool follow;
	void *ctx;
	/* Optional: whether a raw line need not be told, since one like it was.
	 * Those beside one that is told are told, too: some secrets have
	 * several lines. */
	bool (*seen)(void *ctx, struct span raw);
	uint64_t most; /* lines of a log that are read, about; 0: all */
	/* A line, borrowed; several may have one number. 0; 1: it is enough;
	 * -1: out of memory. */
	int (*line)(void *ctx, const struct envelope *env, uint64_t number);
	/* Or NULL. */
	void (*note)(void *ctx, const char *path, enum input_note kind,
	    const char *text);
};

/* -1 with e set: out of memory. What cannot be read is noted. */
int again_read(const struct again *a, const char *path, struct err *e);

#endif
