/*
 * What good runs print, kept in the store: for each of the last good runs of a
 * job's name the templates of its lines (base/template.h), without secrets. A
 * line that one's own good runs of that name print is noise, and so is one that
 * BASELINE_SEVERAL owners' runs print, or runs of as many names of one's own: a
 * good run of one user hides nothing of another's.
 *
 * A run is a row of its own: shards that learn at once, or one twice, spoil
 * nothing. It is bounded: of a run BASELINE_LINES templates are kept, and of
 * the runs those learned last, so many of a name, of an owner and in all.
 */
#ifndef REPORTS_BASELINE_H
#define REPORTS_BASELINE_H

#include "base/buf.h"
#include "base/span.h"

struct arena;
struct diagnosis;
struct err;
struct store;

#define BASELINE_LINES ((size_t)512)
#define BASELINE_TEXT ((size_t)160) /* bytes of a template */
#define BASELINE_NAME ((size_t)200) /* bytes of a job's name */
#define BASELINE_RUNS ((size_t)4)   /* of a name */
#define BASELINE_OWNER_RUNS ((size_t)256)
#define BASELINE_ALL_RUNS ((size_t)4096)
#define BASELINE_ALL_LINES ((size_t)1 << 19)
#define BASELINE_SEVERAL 3

/* Whose runs they are; none is NULL, "" is not known. */
struct baseline_whose {
	const char *cluster, *owner, *name;
};

/* The name by which the runs of a diagnosis's job are found again: its
 * record's, else its path with the digits hidden. Strings are borrowed of the
 * diagnosis and of *text, which is released by the caller. -1: out of memory.
 */
int baseline_whose(
    const struct diagnosis *d, struct buf *text, struct baseline_whose *out);

/* Append the template of a line without its envelope and secrets, and its hash;
 * 0: it tells nothing, and nothing is appended. -1: out of memory. */
int baseline_template(struct buf *out, struct span line, uint64_t *hash);

/* One learned run. */
struct baseline_run {
	struct baseline_whose whose;
	const char *job, *account; /* account: or NULL */
	int64_t attempt;
	int64_t at;            /* it was learned; microseconds UTC */
	const char *templates; /* a line each; NULL: baseline_read keeps none */
	size_t lines;          /* of them */
	uint64_t *hashes;      /* sorted; of those that are read */
};

/* Those that the store has, in order of cluster, owner, name, job, attempt. */
struct baseline {
	struct baseline_run *v;
	size_t n, cap;
	struct arena *arena; /* of the strings and hashes */
	struct baseline_common *common;
	size_t n_common;
	bool texts; /* keep the templates, too; set before it is read */
};

/* -1 with e set. Release in every case. */
int baseline_read(struct baseline *b, struct store *s, struct err *e);
void baseline_release(struct baseline *b);

/* Whether a line with this hash is noise in a job of theirs. Any thread. */
bool baseline_knows(
    const struct baseline *b, const struct baseline_whose *w, uint64_t hash);
/* How many learned runs of that name there are, and when the newest of them was
 * learned (INT64_MIN: there is none). */
size_t baseline_runs(
    const struct baseline *b, const struct baseline_whose *w, int64_t *newest);

/* Written at once, in the place of the same run. -1 with e set. */
int baseline_put(struct store *s, const struct baseline_run *r, struct err *e);
/* -1 with e set. */
int baseline_remove(
    struct store *s, const struct baseline_run *r, struct err *e);
/* Forget the runs that are over the bounds. -1 with e set. */
int baseline_bound(struct store *s, struct err *e);

#endif
