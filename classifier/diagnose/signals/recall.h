/*
 * What a log printed before, known when it comes again behind a death: the
 * program that died, or the script around it, is at work anew.
 *
 * A process that died can still leave behind what its buffers held, which is
 * like what it printed before, too. So lines that come again count only where
 * they cannot be that: those of the log's start, in their order, from no later
 * place than the dead one had come to; what came behind an earlier death, and
 * then once more without one; or any, where the dead one had no buffers to
 * leave.
 */
#ifndef DIAGNOSE_RECALL_H
#define DIAGNOSE_RECALL_H

#include "diagnose/findings.h"

struct taxonomy;

#define RECALL_TEXT 60           /* bytes of a line that count */
#define RECALL_REACH (16u << 10) /* bytes that are looked at on each side */
#define RECALL_HEAD 48           /* lines of the log's start */
#define RECALL_NEAR 64           /* lines before a death */
#define RECALL_BEHIND 16         /* lines that stood right behind one */

/* A process ended. */
struct death {
	uint64_t pos;        /* clean bytes of the log up to right behind it */
	uint64_t line;       /* the one there */
	uint64_t first_line; /* of what tells of it */
	bool silent;         /* it had nothing to leave behind */
	bool main;           /* it was the main program */
};

struct recall {
	const struct taxonomy *tax; /* borrowed */
	struct death *deaths;       /* owned: not judged yet, in order */
	size_t n_deaths, cap_deaths;
	bool no_memory;
	char start[RECALL_REACH]; /* of the log, clean */
	size_t n_start;
	bool known;                 /* what follows, of it */
	uint64_t head[RECALL_HEAD]; /* its lines up to the first death */
	uint64_t line[RECALL_HEAD]; /* their numbers */
	bool often[RECALL_HEAD];    /* it is there more than once */
	size_t n_head;
	size_t at; /* the place in it that the log came to last */
	uint64_t behind[RECALL_BEHIND]; /* a ring */
	size_t n_behind;
	uint64_t last_line; /* of the death before */
};

enum recall_found {
	RECALL_NOTHING,
	RECALL_START, /* the log's start comes again */
	RECALL_WORK   /* and work of the same kind goes on */
};

/* What is known of a death: the text at hand, whose first byte is base in the
 * log; what lies before from belongs to others, as what lies behind to does. */
struct recall_text {
	struct span all;
	uint64_t base;
	size_t from, to;
};

/* A reader of a new log is zeroed but for tax, and the room for deaths. */
void recall_release(struct recall *r);
/* Keep the log's start: all is its first RECALL_REACH bytes, or the log. */
void recall_keep(struct recall *r, struct span all);
/* Deaths are told in their order. */
void recall_died(struct recall *r, struct death d);
/* Whether something begins anew behind a death: in begins its pos and line.
 * Deaths are asked in their order. */
enum recall_found recall_behind(struct recall *r, const struct findings *f,
    const struct recall_text *t, const struct death *d, struct death *begins);

/* The next line from *at on, which is moved behind it; false: there is none. */
bool recall_next_line(struct span all, size_t *at, struct span *line);
/* The start of a line with one zero for each number, and one space for many;
 * its length. */
size_t recall_mask(struct span s, char out[RECALL_TEXT]);
/* Whether a line has words by which it can be known again. */
bool recall_telling(struct span text);

#endif
