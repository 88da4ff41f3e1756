/*
 * Tracebacks that were printed before with other numbers: what scan_again.c,
 * which tells them again, and scan_record.c, which keeps what is told, share.
 */
#ifndef DIAGNOSE_SCAN_AGAIN_H
#define DIAGNOSE_SCAN_AGAIN_H

#include "diagnose/evidence/repeats.h"
#include "diagnose/evidence/scan_private.h"

/* One that was told again in this block. */
struct told {
	const struct repeat *r;
	size_t from; /* in the block */
	uint64_t number;
	uint32_t event;
};

/* Evidence of it, or of a line. */
struct told_found {
	const struct repeat *r;
	size_t from, found;
	uint64_t line;
	uint32_t evidence;
	bool of_event;
};

/* One that is read to be kept. */
struct record {
	struct repeat *r; /* NULL: there is none */
	uint64_t hash;    /* of which it was then */
	bool begun;       /* it is the block at hand */
	bool passed;      /* it will not be */
	struct span text; /* in the block */
	size_t from;      /* there */
	uint64_t number;
	struct span whole; /* the same, when it has been closed */
	struct repeat_run runs[REPEAT_RUNS];
	struct repeat_found found[REPEAT_FOUND];
	size_t n_runs, n_found;
	struct repeat_place fixed[REPEAT_FIXED];
	size_t n_fixed;
	struct { /* rules for lines, and their hits */
		uint32_t rule, first, last;
	} lines[REPEAT_RUNS];
	size_t n_lines;
};

struct again {
	struct repeats *repeats;
	uint32_t block;
	struct told *told;
	struct told_found *found;
	size_t n_told, cap_told, n_found, cap_found;
	/* of the line at hand, and of the block that it may end; of the one
	 * that is being closed; of a line that is no traceback's */
	struct record record[3], *now, *closing, *line;
	struct prefilter_hits hits;
	struct again_count {
		size_t kept, told; /* to be kept, told again */
	} traces, lines;           /* of the log */
};

/* Whether a line has no prefix that tells of its writer. */
static inline bool again_plain(const struct envelope *env)
{
	return env->rank < 0 && env->local_rank < 0 && !env->node.n &&
	    !env->process.n;
}

/* What is known of such texts, or NULL: it is not asked of this log. */
struct again *scan_again_of(struct scan *s);
/* Whether its rule is not looked for there. */
bool scan_again_cut(
    const struct scan *s, const struct repeat_run *run, size_t from);
/* Whether time is left for its rules, none is put aside, and it is known what
 * those find that are looked for. */
bool scan_again_may_run(
    const struct scan *s, const struct repeat *r, size_t from);
/* Keep evidence of a run on what begins at a place of the block; its texts are
 * for later. NULL: there is none. */
struct evidence *scan_again_keep(struct scan *s, const struct repeat *r,
    size_t from, size_t found, uint32_t event);

/* Keep what is done of the traceback at hand, which becomes r, from now on. The
 * one before may not be closed yet. */
void scan_record_begin(struct again *a, struct repeat *r, struct span text,
    size_t from, uint64_t number);
/* The same of the line at hand; all of it has been done. */
void scan_record_begin_line(struct scan *s, struct repeat *r, struct span text);
void scan_record_keep_line(struct scan *s);

#endif
