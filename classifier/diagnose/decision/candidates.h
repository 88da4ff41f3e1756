/*
 * What may be the answer of one job, while rank.c looks for it. Private to the
 * files that decide: candidates.c gathers, survival.c and chains.c judge,
 * rank.c chooses, conclusion.c writes down.
 */
#ifndef DIAGNOSE_CANDIDATES_H
#define DIAGNOSE_CANDIDATES_H

#include "diagnose/diagnosis.h"

/* Ordinary lines between two faults of one log that make them two episodes:
 * another launch, or a fault that was survived. */
#define EPISODE_GAP 80

/* Ordinary lines between what belongs together: the last words of a process, a
 * line and the end that it explains. */
#define NEAR 10

/* From the strongest claim to be the root to the weakest. */
enum claim {
	CLAIM_NODE, /* a fault of a node, told by its log before the job died */
	CLAIM_ROOT,
	CLAIM_UNCAUGHT, /* a traceback that only a fallback rule knows, or the
			 * state in the job's record */
	CLAIM_CONSEQUENCE,
	CLAIM_FALLBACK,
	CLAIM_UNKNOWN, /* a traceback that no rule knows */
	CLAIM_WARNED,  /* a root that was logged below the error level */
	CLAIM_CONFIRMATION,
	CLAIM_BACKGROUND /* never the answer */
};

/* Whether something caught an exception: that need not end a job. */
enum handled {
	HANDLED_NOT,
	HANDLED_PERHAPS, /* the main program's, or one that shows no frames of
			  * that, which was logged: or it ended */
	HANDLED_SURELY
};

struct candidate {
	const struct findings *log;
	const struct evidence *evidence; /* NULL: a block no rule knows */
	const struct event *event;       /* or NULL */
	enum claim claim;
	uint64_t first_line, line, last_line;
	int64_t time;
	int rank;
	size_t log_at;     /* order of its log in the job */
	bool died;         /* a process ends with it, see candidates.c */
	bool tidying;      /* it came up in what tidies up */
	const char *doubt; /* what of its chain makes it less sure, or NULL */
	enum handled handled;
	enum signal_aside aside; /* said by what the job is not for */
	enum speaker speaker;    /* who says so */
	/* Lines of the log that are no part of any candidate: before it, up
	 * to its end, and behind it. */
	uint64_t ordinary_before, ordinary_to, ordinary_after;
	unsigned episode; /* in its log */
	const char *why;  /* why it lost; NULL while it may win */
};

struct ranking {
	struct diagnosis *d;
	const struct taxonomy *tax;
	struct candidate *v; /* by log and line */
	size_t n;
};

/* All events and lines of the job's logs, each with its best rule and what it
 * claims to be. 0, or -1: no memory. */
int candidates_gather(struct ranking *r);

/* That of an event, or of NULL; be it of one of several processes. */
enum handled candidates_caught(const struct event *e);
/* It can no longer win; the first reason stays. why: static. */
void candidates_lose(struct candidate *c, const char *why);
/* Whether its rule states a cause, and more than the class of an error. */
bool candidates_specific(const struct candidate *c);
/* Whether its program read its modules. One that dies of that has neither
 * children nor anything to say later: what else it does tells that the import
 * was caught, or another was started. Not where handling it failed, too. */
bool candidates_importing(const struct candidate *c);
/* Ordinary lines between two of one log; 0 where they overlap. */
uint64_t candidates_between(
    const struct candidate *a, const struct candidate *b);
/* Whether rules of one category know both. */
bool candidates_same_category(
    const struct candidate *a, const struct candidate *b);
/* Whether both are of one program, as far as it is known. */
bool candidates_same_program(
    const struct candidate *a, const struct candidate *b);
/* Whether both ended different programs, as far as it is known. */
bool candidates_other_program(
    const struct candidate *a, const struct candidate *b);
/* Whether the second one of the same log tells of the same failure again. */
bool candidates_told_twice(
    const struct candidate *a, const struct candidate *b);
/* The progress printed before it. */
struct progress candidates_before(const struct candidate *c);

#endif
