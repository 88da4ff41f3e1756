/*
 * What the nodes of a cluster log of themselves: dmesg, journalctl, syslog, the
 * BMC's event list, fabric logs. Read once; then a job that died is joined with
 * what its nodes told right before.
 */
#ifndef JOBS_NODES_H
#define JOBS_NODES_H

#include "jobs/triage.h"

struct accounting;
struct nodes;

/* Borrowed for the call. */
struct nodes_from {
	const char *const *paths;
	size_t n;
	const char *const *clocks; /* that are off: node_clock.h */
	size_t n_clocks;
};

/* Reads all logs under the paths, with what o has; what cannot be read is told
 * to the note of the sink. NULL with e set: no such clock, out of memory or
 * threads. */
struct nodes *nodes_new(const struct triage_options *o,
    const struct nodes_from *from, const struct triage_sink *sink,
    struct err *e);
void nodes_free(struct nodes *n);

/* Of what may be joined: other node logs, other answers. */
struct hash_value nodes_stamp(const struct nodes *n);

/* Lines of no date, of nodes whose time of boot nothing tells: they are joined
 * with no job. */
size_t nodes_undated(const struct nodes *n);

/* Give d the log of each of its nodes that tells of a fault of that node before
 * d died: rank_job then knows what to make of it. To be called before that. A
 * job that ended well gets nothing. records: who else was there; or NULL. -1
 * with e set: out of memory. Safe from several threads. */
int nodes_join(const struct nodes *n, struct diagnosis *d,
    const struct accounting *records, struct err *e);

#endif
