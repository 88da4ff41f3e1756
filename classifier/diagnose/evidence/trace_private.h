/*
 * What the blocks that are open are made of: trace.c opens and closes them,
 * trace_forms.c knows how each form goes on.
 */
#ifndef DIAGNOSE_TRACE_PRIVATE_H
#define DIAGNOSE_TRACE_PRIVATE_H

#include "base/buf.h"
#include "diagnose/evidence/frames.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/evidence/trace.h"
#include "diagnose/signals/stage.h"

#define WRITERS 64
#define SOURCES 256 /* a power of two */

enum kind {
	KIND_PYTHON,
	KIND_IPYTHON,
	KIND_CPP,
	KIND_RUST,
	KIND_GO,
	KIND_JAVA,
	KIND_FAULT,
	KIND_STACK,
	KIND_BOX
};

struct open {
	uint32_t event;
	uint64_t writer;
	enum kind kind;
	struct buf text;
	size_t message; /* where in text the exception begins */
	bool has_message;
	bool code_next;  /* the line after a frame is its code */
	bool indented;   /* the last line of the block was indented */
	bool flat;       /* its lines have lost what they were indented by, */
	bool flat_frame; /* and the last one was a frame */
	bool user_frame; /* the event's frame is the user's own */
	size_t indent;   /* blanks that a parent put before each line */
	bool again;      /* it is known, and not fed: it has no text */
	bool main;       /* of a stack: it is that of the main thread */
	unsigned lines, foreign, message_lines, blank;
	size_t box;    /* columns of the box around its frames, or 0: */
	size_t used;   /* the message fits; of its last line, */
	bool one_word; /* which has no blank */
	char type[96]; /* IPython: the class its header names */
	struct frames_last last;
};

struct writer {
	uint64_t key;
	uint32_t last;   /* its last block, or EVENT_NONE */
	enum chain next; /* how the next block is tied to it */
	bool ignored, request, thread, ends;
	uint64_t line; /* that says so of the next block */
	uint64_t used; /* when, for replacing the oldest */
};

/* A source file that frames stand in. */
struct source {
	bool user, starter;
	struct stage_file stage;
	uint64_t told; /* as rule.raised_bits */
	size_t n;
	char file[200];
};

struct trace {
	const struct limits *limits;
	const struct taxonomy *tax;
	struct matcher *matcher;
	struct findings *f;
	const struct trace_sink *sink;
	struct open *open; /* in the order in which they began */
	struct buf spare;  /* the text of the next one; empty */
	size_t n_open;
	struct writer writers[WRITERS];
	size_t n_writers;
	bool chained; /* some event has a prior */
	uint64_t clock;
	bool known[SOURCES];    /* which of these there are, */
	struct source *sources; /* by a hash of their names */
	size_t recycled; /* the next event to reuse once all are in use */
};

/* A hash; begun with TRACE_MIX. */
#define TRACE_MIX 0xcbf29ce484222325u
static inline uint64_t trace_mix(uint64_t h, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

/* ---- trace.c ---- */

void trace_close(struct trace *t, size_t at);
/* Add a line to a block's text. */
void trace_keep(
    struct trace *t, struct open *o, const struct log_line *l, struct span s);
/* The same of the line with which the exception begins. */
void trace_begin_message(
    struct trace *t, struct open *o, const struct log_line *l, struct span s);

/* ---- trace_forms.c ---- */

/* A line of its writer for the block at; OUTSIDE: it is none of it, and the
 * block may be closed. */
enum trace_part trace_forms_feed(
    struct trace *t, size_t at, const struct log_line *l, struct span s);
/* A frame of the block, which becomes the event's if it is the innermost or the
 * user's own. */
void trace_forms_frame(
    struct trace *t, struct open *o, const struct shape_frame *sf);
/* A stack that somebody asked for has been opened by that line, and ends. */
void trace_forms_stack(
    struct trace *t, struct open *o, const struct log_line *l, struct span s);
void trace_forms_stand(struct trace *t, struct open *o);
/* The last traceback that one record holds, with its ends of lines written as
 * "\\n"; it has been opened last. */
void trace_forms_record(
    struct trace *t, const struct log_line *l, struct span s);

#endif
