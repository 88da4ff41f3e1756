/*
 * The formats in which scan prints diagnoses: a table, one file a format. What
 * a format writes is checked by the caller through the stream's error flag.
 */
#ifndef REPORTS_OUTPUT_H
#define REPORTS_OUTPUT_H

#include "base/buf.h"
#include "reports/store/entry.h"
#include "reports/output/totals.h"

#include <stdio.h>

struct err;

struct writer {
	FILE *f;
	const struct taxonomy *tax;
	bool colour;
	unsigned width;       /* columns of the terminal, or 0: no limit */
	struct totals totals; /* kept by output_job */
	uint64_t logs, bytes; /* read; set before output_end */
	uint64_t unread;      /* inputs that could not be read; likewise */
	uint64_t others;      /* files of folders that are no logs */
	uint64_t recalled;    /* jobs from the store, unread; likewise */
	struct buf line;      /* scratch */
	uint64_t rows;        /* written so far */
};

struct output {
	const char *name;
	int (*begin)(struct writer *w, struct err *e); /* or NULL */
	/* One of these two: from the JSON object's text, or from the entry. */
	int (*record)(struct writer *w, struct span record, struct err *e);
	int (*entry)(struct writer *w, const struct entry *en, struct err *e);
	int (*end)(struct writer *w, struct err *e); /* or NULL */
};

extern const struct output output_text, output_jsonl, output_json, output_csv;

/* Borrowed, or NULL: no such format. */
const struct output *output_find(const char *name);

/* 0, or -1 with e set. */
int output_begin(const struct output *o, struct writer *w, struct err *e);
/* en and record: what the format needs of the two. */
int output_job(const struct output *o, struct writer *w, const struct entry *en,
    struct span record, struct err *e);
int output_end(const struct output *o, struct writer *w, struct err *e);

#endif
