/*
 * Which rank never came. When a collective times out, the watchdog of every
 * rank that waits in it prints its rank, the operation and its sequence
 * number; the rank that has not entered it prints nothing of the kind. Where
 * the ranks' flight recorders or NCCL's own lines are there (calls.h), they
 * tell it of each group of ranks, and who came with something else.
 */
#ifndef DIAGNOSE_COLLECTIVE_H
#define DIAGNOSE_COLLECTIVE_H

#include "diagnose/findings.h"

struct call;
struct caller;
struct diagnosis;
struct stand;
struct taxonomy;

#define COLLECTIVE_RANKS 4096

/* A rank that the others wait for. */
struct late_rank {
	int rank;
	enum late {
		LATE_ABSENT, /* it never entered the operation */
		LATE_SILENT, /* and nothing tells what it called at all */
		LATE_DIFFERS /* it came with another operation, size or type */
	} how;
	const char *what;          /* of the latter, as calls_differ; or NULL */
	const struct call *call;   /* what it called last, or instead; or NULL:
				    * not known */
	const struct stand *stand; /* where its main thread stood; or NULL */
	char *const *node; /* who owns its name, which may be hidden later; or
			    * NULL: not known */
};

/* Who tells it. */
enum collective_by { BY_WATCHDOG, BY_RECORDER, BY_NCCL };

struct collective {
	enum collective_by by;
	char op[WAIT_OP];   /* "ALLREDUCE", or "" */
	int64_t seq;        /* the earliest that ranks wait in, or -1 */
	char *const *group; /* of ranks: likewise */
	int *waiting;       /* owned, ascending */
	size_t n_waiting;
	int *missing; /* owned, ascending: of a known world size, those
		       * that do not wait; none when that is most */
	size_t n_missing;
	/* owned, ascending: those to look at. Of the missing ones those that
	 * wait for nobody themselves, if there are such; or those that came
	 * with something else than most. */
	struct late_rank *late;
	size_t n_late;
	bool deadlock;           /* all that are missing wait in other groups */
	const struct call *call; /* what most of them called; or NULL */
};

/* 1 when ranks wait in a collective, 0 when not, -1: out of memory. */
int collective_find(const struct diagnosis *d, const struct taxonomy *tax,
    struct collective *out);
void collective_release(struct collective *c);
/* "watchdog", "flight_recorder", "nccl"; "absent", "silent", "differs". */
const char *collective_by_name(enum collective_by by);
const char *collective_late_name(enum late how);

#endif
