/*
 * What a program spent its time on, by the lines that it printed and when:
 * steps of training, checkpoints, evaluations. Read by a scan whose engine says
 * so (engine_goodput), while the text is at hand. Bounded: PHASES_RUNS
 * stretches, whatever the length of the log.
 *
 * A time is that of a line which tells it; what happened at a line without one
 * happened between the two lines around it that do. What cannot be told apart
 * there is PHASE_UNKNOWN, and is never shared out by a guess: only steps that
 * were made are known to take as long as the others did.
 */
#ifndef DIAGNOSE_PHASES_H
#define DIAGNOSE_PHASES_H

#include "diagnose/findings.h"

struct decode_block;
struct matcher;
struct taxonomy;

#define PHASES_RUNS ((size_t)16384)

/* What the time of an attempt is spent on. */
enum phase {
	PHASE_INITIALIZING,  /* up to the first step, or the words that the
			      * training begins */
	PHASE_TRAINING,      /* steps that were not made before */
	PHASE_RECOMPUTING,   /* steps that were, before a restart */
	PHASE_CHECKPOINTING, /* the run waits until one is written */
	PHASE_EVALUATING,
	PHASE_HANGING,  /* no sign of progress up to a bad end */
	PHASE_STOPPING, /* between the last sign and the end, otherwise */
	PHASE_UNKNOWN,
	PHASE_COUNT
};
/* "initializing", ... Static. */
const char *phase_name(enum phase p);

/* Lines of one kind with none of another between them. */
struct phase_run {
	enum phase kind;  /* training, checkpointing or evaluating */
	int64_t from, to; /* when; from is that of a line which tells it */
	uint64_t first_line, last_line;
	struct progress first, last; /* of steps; of others: that of the last
				      * step, or the one they name */
	uint32_t n;                  /* lines */
	unsigned between; /* kinds of lines without a time before it, as bits */
	bool open;    /* it tells that something begins, and not of its end */
	bool closes;  /* it tells of an end, and not that it begins */
	bool back;    /* its steps are before those of the run before */
	uint32_t lap; /* how often the steps had begun anew by then, where
		       * no line tells the epoch */
};

/* Of one log, in microseconds. */
struct phases {
	int64_t spent[PHASE_COUNT]; /* from `from` to `to` */
	int64_t outside;  /* between them, but of no launch: nobody's time */
	int64_t before;   /* the last time before the first sign, or `from` */
	int64_t from, to; /* the first and the last sign; or ENVELOPE_NO_TIME */
	int64_t usual;    /* between two lines about steps; 0: not known */
	int64_t unsaved;  /* of the training, behind the last checkpoint that
			   * is durable */
	struct progress first, last; /* of steps; last: the furthest */
	int64_t epoch_steps; /* where steps are counted anew in each epoch: how
			      * many it has; 0: they are not, or not known */
	uint64_t steps;      /* lines about steps */
	bool trained;        /* there were steps, or words that they begin */
	int rank;            /* whose lines they are */
	bool full;           /* there were too many: the rest is missing */
	/* while the log is read: */
	struct phase_run *runs; /* owned */
	size_t n_runs, cap_runs;
	int64_t now;          /* the last time, or ENVELOPE_NO_TIME */
	unsigned between;     /* as in a run, since the last one */
	struct progress at;   /* the last one printed */
	struct progress over; /* how far the epoch before had come */
	uint32_t lap;
	bool evaluates; /* an evaluation has begun, without a result */
};

struct phase_reader;

/* Both must outlive it. NULL: out of memory. */
struct phase_reader *phase_reader_new(
    const struct taxonomy *tax, struct matcher *m);
void phase_reader_free(struct phase_reader *r);
/* A new log: what is read goes to f->phases. -1: out of memory. */
int phases_begin(struct findings *f);
/* Go over a block. -1: out of memory. */
int phases_block(
    struct phase_reader *r, struct phases *p, const struct decode_block *b);
/* The log has ended, its launches and checkpoint are known: add up. */
void phases_end(struct findings *f);
void phases_free(struct phases *p);

/* Where in a run a position is, in steps, or in epochs where no step is told;
 * -1: not known. */
double phases_place(struct progress at, int64_t epoch_steps);

/* What a silence before a bad end is: a hang when it lasts three times as long
 * as steps usually do (Unicron, arXiv 2401.00134), and a minute at least. */
bool phases_hangs(int64_t silence, int64_t usual);

#endif
