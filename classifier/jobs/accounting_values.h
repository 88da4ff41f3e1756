/*
 * What the single values of job records mean: times, durations, exit codes,
 * states, GPUs, nodes.
 */
#ifndef JOBS_ACCOUNTING_VALUES_H
#define JOBS_ACCOUNTING_VALUES_H

#include "base/text.h"
#include "diagnose/job_record.h"

struct accounting_pool;
struct taxonomy;

/* Whether a value says that there is none: "", "None", "(null)", "N/A", ... */
bool accounting_absent(struct span v);
/* Equal but for the case of ASCII letters. */
bool accounting_same(struct span a, const char *b);

/* Seconds east of UTC for times that name no zone, or the process's zone. */
#define ACCOUNTING_LOCAL INT32_MIN

/* What local times came out as, since asking the system is slow. {0}: nothing
 * yet; for one time zone. */
struct accounting_clock {
	struct {
		int64_t wall, micros; /* the same quarter of an hour */
	} slots[4096];
};

/*
 * A time: any form of when_scan, or a number since 1970 (seconds, milli- or
 * microseconds, told by its size; with a fraction). *local: it went through
 * the process's time zone. clock may be NULL. false: it is no time.
 */
bool accounting_time(struct span v, int32_t offset, int64_t *micros,
    bool *local, struct accounting_clock *clock);
/* [DD-]HH:MM:SS[.mmm], MM:SS[.mmm], "N day[s][,] HH:MM:SS", or seconds, also
 * with a fraction (rounded). false: none of these, or negative. */
bool accounting_duration(struct span v, int64_t *seconds);
/* A whole number, also written "4.0"; may be negative. */
bool accounting_integer(struct span v, int64_t *out);
/* "1:9" is code and signal, "1" a code alone (*signal is untouched). */
bool accounting_exit(struct span v, int *code, int *signal);

/* ---- accounting_states.c ---- */

struct accounting_state {
	enum job_end end;
	const char *slurm; /* as Slurm spells it, a word of Slurm's; or NULL */
};

/* A word without "by UID", in any case, short, or cut short with '+'. false:
 * no signal knows it. */
bool accounting_state(
    const struct taxonomy *tax, struct span word, struct accounting_state *out);
/* The word without " by UID". */
struct span accounting_state_word(struct span v);

/* ---- accounting_gpus.c ---- */

#define ACCOUNTING_GPUS_MAX INT64_C(1000000)
#define ACCOUNTING_CPUS_MAX INT64_C(100000000)

/*
 * The GPUs that a TRES or GRES list allocates. nodes: by how much to multiply
 * counts that Slurm writes per node (those without '=', as "gpu:a100:8").
 * *out is USAGE_UNKNOWN when the text says nothing, 0 when it lists other
 * things only. false: negative or absurd, *out is USAGE_UNKNOWN.
 */
bool accounting_gpus(struct span tres, int64_t nodes, int64_t *out);
/* The CPUs that a TRES list allocates ("cpu=8"), or USAGE_UNKNOWN. */
int64_t accounting_cpus(struct span tres);

/* ---- accounting_hosts.c ---- */

#define ACCOUNTING_HOSTS_MAX ((size_t)100000)

struct accounting_hosts {
	char **v; /* in the pool */
	size_t n;
	bool cut; /* there were more than ACCOUNTING_HOSTS_MAX */
};

/* The nodes of a Slurm hostlist, "n[001-003,7],solo"; with a separator other
 * than "," brackets have no meaning. A list that is not well formed is kept as
 * one name each part. -1: out of memory. */
int accounting_hosts(struct accounting_pool *pool, struct span list,
    const char *separator, struct accounting_hosts *out);

#endif
