/*
 * What a single line looks like: an exception, a stack frame, source code.
 */
#ifndef DIAGNOSE_SHAPE_H
#define DIAGNOSE_SHAPE_H

#include "base/text.h"

#include <stdbool.h>

struct taxonomy;

enum shape_exception {
	SHAPE_NO,
	SHAPE_WEAK,  /* "Name" or "Name: text": could be anything */
	SHAPE_CLASS, /* a name written like an exception class, or dotted */
	SHAPE_SURE   /* it ends in Error, Exception, Interrupt or Exit */
};

/* Whether a line may be SHAPE_SURE, behind whatever prefix. Cheap. */
bool shape_may_raise(struct span line);
/* How much s looks like "Type" or "Type: message"; *type is its Type. */
enum shape_exception shape_exception(struct span s, struct span *type);

/* A Python frame, `  File "x.py", line 3, in f`, or IPython's forms of it.
 * Missing parts are empty, line -1. */
struct shape_frame {
	struct span file, function;
	int64_t line;
};
bool shape_frame(struct span s, struct shape_frame *out);
bool shape_ipython_frame(struct span s, struct shape_frame *out);
/* "    step (/w/train.py:88)", as py-spy writes a frame; of a native one, whose
 * line is not known, .line is -1. */
bool shape_spy_frame(struct span s, struct shape_frame *out);
/* A line of a box that Python's rich draws around a traceback, without the
 * bars at its sides; false: it is none. */
bool shape_rich(struct span s, struct span *inner);
/* "path/train.py:12 in main" in it. */
bool shape_rich_frame(struct span inner, struct shape_frame *out);
/* The class in "KeyError          Traceback (most recent call last)", whose
 * header begins at `at`; or empty. */
struct span shape_ipython_type(struct span s, size_t at);

/* A line of an exception group without the "  | " that it stands behind. */
struct span shape_ungroup(struct span s);

/* The words of a line in a box that is drawn of |, * or %; or empty. */
struct span shape_boxed(struct span s);

/* Whether a line is a shell trace (set -x), a piece of a text, or what a signal
 * `echo` tells: such lines only quote a message and are never evidence. */
bool shape_echo(const struct taxonomy *tax, struct span s);

/* A line of pytest's report without its mark: "E   KeyError: 'x'". */
struct span shape_pytest(struct span s);

/* Whether a line is a row of a table, whose cells quote all kinds of things. */
bool shape_table_row(struct span s);

/* Whether a progress bar is drawn on a line, as tqdm does. */
bool shape_bar(struct span s);

/* What a program's file is known by, however it was called: by its path from
 * the root, from where it was started, or its name alone. In file. */
struct span shape_program(struct span file);

#endif
