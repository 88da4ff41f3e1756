/*
 * Blocks: lines that together report one event. Python tracebacks (chained,
 * grouped, prefixed by rank, interleaved, cut at either end), IPython ones,
 * and the reports of C++, Java, Go, Rust and faulthandler.
 */
#ifndef DIAGNOSE_TRACE_H
#define DIAGNOSE_TRACE_H

#include "base/limits.h"
#include "diagnose/findings.h"

struct matcher;
struct signal_hits;
struct taxonomy;
struct trace;

/* A clean line with its envelope peeled. */
struct log_line {
	struct span raw;
	struct envelope env;
	uint64_t number, offset;
};

/* What a line is to the blocks. */
enum trace_part {
	TRACE_OUTSIDE, /* an ordinary line */
	TRACE_INSIDE,  /* a frame, code, or a line that joins blocks */
	TRACE_MESSAGE  /* the exception itself or more of its message */
};

struct trace_sink {
	void *ctx;
	/* A block begins: fill in what only the scanner knows. */
	void (*opened)(void *ctx, uint32_t event);
	/* A block is complete. exception: "Type: message" with continuation
	 * lines, or empty when it was cut off. whole: all its lines. Spans are
	 * borrowed until the call returns. */
	void (*closed)(void *ctx, uint32_t event, struct span exception,
	    struct span whole);
};

/* Signals of kind block begin blocks or join two: a line that has none of them
 * and comes while trace_busy is false need not be fed. m: scratch memory for
 * them; all must outlive the trace. NULL: out of memory. */
struct trace *trace_new(
    const struct limits *limits, const struct taxonomy *tax, struct matcher *m);
void trace_free(struct trace *t);

/* A new log; events are appended to f. */
void trace_begin(
    struct trace *t, struct findings *f, const struct trace_sink *sink);
/* Whether a block is open, so that every line must be fed. */
bool trace_busy(const struct trace *t);
/* hits: as in signals.h, of this line. event: set to the block the line belongs
 * to, or EVENT_NONE. */
enum trace_part trace_feed(struct trace *t, const struct log_line *l,
    const struct signal_hits *hits, uint32_t *event);
/* Whether the line before said that what is raised next ends nothing. */
bool trace_ignores(struct trace *t, const struct log_line *l);
/* Before a line that begins a traceback, whose last line is that: close what it
 * ends. Whether its writer has none open then, and others' go on behind it. */
bool trace_end_of(struct trace *t, const struct log_line *l, uint64_t last);
/* Whether what becomes of a traceback that begins with a line at the margin
 * depends on nothing that was printed before it. */
bool trace_stands_alone(struct trace *t, const struct log_line *l);
/* Whether the next traceback tells more of this exception. */
bool trace_wraps(struct span exception);
/* An event for such a traceback, which is known, whole, and not fed;
 * EVENT_NONE: no memory. */
uint32_t trace_again(struct trace *t, const struct log_line *l);
/* The log ends: closes what is open. */
void trace_end(struct trace *t);

#endif
