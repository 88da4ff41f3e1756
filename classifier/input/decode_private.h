/*
 * The state of a decoder, which decode.c and decode_probe.c share: the latter
 * holds logs that may be one file of another form as a whole. Private to them.
 */
#ifndef INPUT_DECODE_PRIVATE_H
#define INPUT_DECODE_PRIVATE_H

#include "input/blocks.h"
#include "input/clean.h"
#include "input/decode.h"
#include "input/held.h"
#include "input/margin.h"
#include "input/newest.h"
#include "input/shape.h"
#include "input/unwrap.h"

struct decode {
	struct blocks blocks;
	struct unwrap *unwrap;
	const struct prefixes *prefixes;
	struct decode_stats stats;

	/* encoding */
	bool known; /* which it is */
	enum utf16 utf16;
	char head[SHAPE_LOOK]; /* bytes seen while it is not known */
	size_t head_n;
	struct clean_unit unit;
	uint64_t unit_raw; /* where the character being read began */
	uint64_t raw;      /* raw bytes taken so far */

	struct clean clean;

	/* lines */
	struct shape shape;
	struct newest newest;
	struct margin margin;
	bool probing;  /* the log may be an error file: hold all */
	bool probed;   /* ... and looks like one */
	bool exported; /* ... or like an export */
	bool text;     /* ... or like a value that holds a log's text */
	bool dump;     /* ... or like a dump of a flight recorder */
	bool binary;   /* which is held as it is in the file */
	struct held probe;
	bool objects; /* the log may hold objects on lines of their own */
	bool opened;  /* ... and one is held, up to the line that ends it */
	bool holding; /* the line may be a record: hold it */
	bool sure;    /* ... and must be seen whole */
	struct held hold;
	bool line_start;     /* the next byte begins a line */
	bool cri;            /* the log is one of CRI lines, or of logfmt */
	unsigned tries;      /* line starts left to find that out */
	bool behind;         /* records stand behind prefixes */
	bool only_behind;    /* nowhere else may the held line have one */
	unsigned vain;       /* lines that only looked so */
	bool ordinary;       /* a line that is no record was met */
	struct buf out;      /* what takes a record's place */
	uint64_t record_raw; /* where the last record began */
};

/* ---- decode.c ---- */

/* Text that is no such file, in order. */
int decode_lines(struct decode *d, struct piece t, struct err *e);
/* Give out what unwrap wrote, all of it from one place of the raw log. */
int decode_replacement(struct decode *d, uint64_t raw, struct err *e);

/* ---- decode_probe.c ---- */

/* Clean text of a log, in order. */
int decode_probe_add(struct decode *d, struct piece t, struct err *e);
/* Put the words of a held dump in its place: 1; 0: it is none. -1. */
int decode_probe_dump(struct decode *d, struct err *e);
/* The log's end, of which all is held. */
int decode_probe_end(struct decode *d, struct err *e);

#endif
