/*
 * Where in a log one run of a program ends and another begins: an appended
 * nohup.out, a requeued job, a loop in a script.
 *
 * What the first lines of the log are comes again at the start of each launch
 * of the same program, whatever numbers are in it; and after an exception the
 * steps begin anew. Either alone also happens inside one run, so it counts only
 * with what tells the two apart: the steps go back, the run before has ended,
 * or time has passed. What else comes again behind a death is recall.h's.
 */
#ifndef DIAGNOSE_LAUNCHES_H
#define DIAGNOSE_LAUNCHES_H

#include "diagnose/findings.h"
#include "diagnose/signals/recall.h"
#include "diagnose/signals/signals.h"

struct decode_block;
struct log_line;
struct matcher;
struct taxonomy;

#define LAUNCH_LINES 4 /* of a log's first ones */
#define LAUNCH_TEXT RECALL_TEXT
#define LAUNCH_MARKS 512  /* places that wait for what comes after them */
#define LAUNCHES_MAX 4096 /* that are told apart in one log */
#define LAUNCH_SIGNS 16   /* signals that are known again */

/* A place where a launch may begin. */
struct launch_mark {
	uint64_t pos, line; /* clean bytes of the log before it; its number */
	bool failed;        /* right after an exception, else by first lines */
	int told;           /* enum signal_launch: by a signal; or -1 */
	bool other;         /* its command differs from the one before */
	bool first;         /* of those of its kind */
	struct progress before; /* the exception */
};

/* Clean bytes of the log. */
struct launch_span {
	uint64_t from, to;
};

struct launch_reader {
	const struct taxonomy *tax;
	struct matcher *matcher;
	bool known, off; /* the first lines; they are no sign of anything */
	char lines[LAUNCH_LINES][LAUNCH_TEXT];
	size_t n[LAUNCH_LINES], n_lines;
	int rank;                /* that printed them, or -1 */
	char words[LAUNCH_TEXT]; /* a piece of the first without a number */
	size_t n_words;
	size_t rare; /* where in them the byte is that is looked for */
	struct launch_sign {
		uint64_t key;  /* what makes it the same */
		uint64_t text; /* all of it */
		int rank;
	} signs[LAUNCH_SIGNS];
	size_t n_signs;
	size_t trials;     /* signals of such */
	uint64_t searched; /* clean bytes gone over */
	uint64_t start;    /* where the launch in progress begins */
	bool guessed;      /* that: by an exception and its steps */
	unsigned refused;  /* places that were none */
	/* without progress, as was last seen when looking back and ahead */
	struct launch_span quiet_before, quiet_after;
	struct launch_mark marks[LAUNCH_MARKS];
	size_t n_marks;
	struct recall recall;
};

/* A new log. Both are borrowed. The reader is zeroed, or of another log. */
void launches_begin(
    struct launch_reader *r, const struct taxonomy *tax, struct matcher *m);
void launches_release(struct launch_reader *r);
/* An exception, or another block, ended before the line at pos of the block.
 * importing: as findings_importing tells of it. */
void launches_failed(struct launch_reader *r, const struct decode_block *b,
    size_t pos, uint64_t line, const struct event *e, bool importing);
/* The line at pos of the block tells that a process ended; silent: one that
 * could not write out what its buffers held. */
void launches_died(struct launch_reader *r, const struct decode_block *b,
    size_t pos, const struct log_line *l, bool silent);
/* The line at pos of the block says that something begins. */
void launches_told(struct launch_reader *r, const struct decode_block *b,
    size_t pos, const struct log_line *l, const struct signal_told *told);
/* Whether the words of the log's first line are looked for; and the first place
 * where a text has them, or SIZE_MAX, for any thread. */
bool launches_searches(const struct launch_reader *r);
size_t launches_find(const struct launch_reader *r, struct span text);
/* Go over a block whose lines have been looked at. first: as launches_find says
 * of it; NULL: not asked. 0, or -1: no memory. */
int launches_block(struct launch_reader *r, struct findings *f,
    const struct decode_block *b, const size_t *first);
/* The log has ended: let what belongs to one launch not count for another. */
void launches_end(struct findings *f);

#endif
