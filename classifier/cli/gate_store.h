/*
 * The gate and its store: earlier attempts of the job, and what is kept of this
 * one. A store that fails is told of on standard error and left aside; the
 * answer comes without it.
 */
#ifndef CLI_GATE_STORE_H
#define CLI_GATE_STORE_H

#include "cli/session.h"

struct gate_store;

/* NULL: none is asked for, or it cannot be had, which was told. */
struct gate_store *gate_store_open(const struct settings *s);
void gate_store_close(struct gate_store *g);

/* Judge d again by the job's earlier attempts, or, where these cannot be had
 * (g may be NULL), by how many there were. -1 with e set: out of memory. */
int gate_store_judge(struct gate_store *g, struct diagnosis *d,
    const struct taxonomy *tax, struct err *e);

/* What was answered. */
struct gate_given {
	const char *verdict, *word, *reason;
	bool shadow;
};

/* Keep d as it is now, by its logs alone; before gate_store_judge. g may be
 * NULL. -1 with e set: out of memory. */
int gate_store_hold(struct gate_store *g, const struct diagnosis *d,
    const struct taxonomy *tax, struct err *e);

/* Keep the answer; both of them in the spool where the store took neither. */
void gate_store_save(struct gate_store *g, const struct diagnosis *d,
    const struct gate_given *given);

#endif
