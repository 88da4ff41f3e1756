/*
 * Which rank never came. When a collective times out, the watchdog of every
 * rank that waits in it prints its rank, the operation and its sequence
 * number; the rank that has not entered it prints nothing of the kind.
 */
#ifndef DIAGNOSE_COLLECTIVE_H
#define DIAGNOSE_COLLECTIVE_H

#include "diagnose/findings.h"

struct diagnosis;

#define COLLECTIVE_RANKS 4096

struct collective {
	char op[WAIT_OP]; /* "ALLREDUCE", or "" */
	int64_t seq;      /* the earliest that ranks wait in, or -1 */
	int *waiting;     /* owned, ascending */
	size_t n_waiting;
	int *missing; /* owned, ascending: of a known world size, those
		       * that do not wait; none when that is most */
	size_t n_missing;
};

/* 1 when ranks wait in a collective, 0 when not, -1: out of memory. */
int collective_find(const struct diagnosis *d, struct collective *out);
void collective_release(struct collective *c);

#endif
