/*
 * Which collectives the ranks have called, as flight recorders, NCCL's own
 * debug lines and its RAS tell, and where ranks stood when somebody asked for
 * their stacks. Signals of kind collective say which lines do; what follows of
 * all of them is collective.h's.
 */
#ifndef DIAGNOSE_CALLS_H
#define DIAGNOSE_CALLS_H

#include "diagnose/findings.h"
#include "diagnose/signals/signals.h"

struct log_line;

#define CALL_OP 32
#define CALL_DATA 160

/* An operation that was called: an entry in the order of its group. */
struct call {
	int64_t seq;      /* -1: none */
	char op[CALL_OP]; /* words and digits only, cut to fit, as are these: */
	char in[CALL_DATA], out[CALL_DATA]; /* sizes and types, or "" */
	struct frame frame; /* of who called it, the user's own if there is
			     * one; .file NULL: not known */
};

/* What one rank called in one group. */
struct caller {
	int rank;    /* of the job; -1: others than those that are named */
	char *group; /* owned: the group's name, with what it is for */
	char *node;  /* owned, or NULL */
	int peer;    /* of the point to point operation that waits, in the
		      * group; or -1: it waits in none */
	bool states; /* it is told which operations have ended */
	struct call last, waits; /* the last one, and the first not ended */
};

/* The ranks of a group, ascending. */
struct call_group {
	char *name; /* owned */
	int *ranks; /* owned */
	size_t n;
};

/* A communicator, by the address in its process. */
struct comm {
	uint64_t key;
	int rank;
	char *group; /* owned */
};

/* Where the main thread of a rank stood. */
struct stand {
	int rank;           /* or -1 */
	bool main;          /* certainly that thread */
	struct frame frame; /* the user's own, or the innermost */
	char *inner;        /* owned: the innermost ones; or NULL */
	enum stage stage;
};

struct calls {
	struct caller *callers;
	size_t n_callers, cap_callers;
	struct call_group *groups;
	size_t n_groups, cap_groups;
	struct stand *stands; /* one a rank, the last */
	size_t n_stands, cap_stands;
	/* while the log is read: */
	struct comm *comms;
	size_t n_comms, cap_comms;
	char *about; /* owned: what the lines of a report are about */
	int64_t about_seq;
};

void calls_free(struct calls *c);

/* A line that was hit by a signal of the kind. A lack of memory is kept in f.
 */
void calls_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l,
    const struct signal_hits *hits);

/* Keep a stand of a rank, whose texts are taken over. One of the main thread
 * takes the place of any before it. */
void calls_stand(struct findings *f, struct stand s);

/* Whether two ranks cannot have met in these operations, which are at the same
 * place of their group: "operation", "size", "type"; or NULL. Static. */
const char *calls_differ(
    const struct taxonomy *tax, const struct call *a, const struct call *b);

#endif
