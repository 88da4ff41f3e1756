/*
 * One dead job on one screen, for a tired person: the cause, the lines that
 * prove it, what only follows from it, what to do.
 *
 * The lines around a proof and the last input files are there when the scan
 * kept them: engine_excerpts of diagnose/evidence/scan.h.
 */
#ifndef REPORTS_EXPLAIN_H
#define REPORTS_EXPLAIN_H

#include "base/text.h"
#include "diagnose/diagnosis.h"

#include <stdio.h>

struct buf;
struct err;
struct judged;
struct jsontext;
struct redactor;

#define EXPLAIN_WIDTH 80 /* columns when it is no terminal */
#define EXPLAIN_WIDTH_MIN 60
#define EXPLAIN_WIDTH_MAX 120

struct explain_style {
	unsigned width; /* columns, or 0: EXPLAIN_WIDTH */
	bool colour;
	bool ascii;    /* plots without block characters */
	bool links;    /* the terminal shows OSC 8 hyperlinks */
	bool markdown; /* for a ticket; nothing of the above counts */
};

/* An earlier attempt of the job; strings are borrowed, or NULL. */
struct explain_attempt {
	int64_t attempt; /* from 1 */
	int failed;      /* 1, 0, or -1: cannot tell */
	const char *category, *fingerprint;
	struct progress last;
	const char *const *inputs; /* the last ones, the last named first */
	size_t n_inputs;
};

struct explain {
	const struct diagnosis *d;
	const struct taxonomy *tax;
	const struct redactor *redact; /* for lines that are read again; d
					* holds no secrets; or NULL */
	struct explain_style style;
	bool why;      /* what else was considered, too */
	bool unlogged; /* the log is in no file */
	/* In order; d->history says what follows from them for the verdict. */
	const struct explain_attempt *past;
	size_t n_past;
	const struct judged *judged; /* a person's word of it; or NULL */
};

/* Write the screen. -1 with e set: out of memory; whether f took it all is the
 * caller's to ask. */
int explain_write(const struct explain *x, FILE *f, struct err *e);

/* The person's word as the member "judged", if there is one. */
void explain_judged_json(struct jsontext *t, const struct judged *j);

/* Append text that comes from outside (a log, a record, a path) for a person's
 * eyes: everything of that kind that explain shows passes through here. -1: out
 * of memory. */
int explain_visible(struct buf *out, struct span text);

#endif
