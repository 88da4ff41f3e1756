/*
 * From the raw bytes of one log to blocks of clean, whole lines.
 *
 * Clean means: UTF-16 (with or without a byte order mark) turned to UTF-8, a
 * UTF-8 mark and NUL bytes dropped, ANSI escapes and backspaces dropped, what
 * was done to all lines undone, rows of a table read as records (shape.h), what
 * all lines of an indented log begin with dropped (margin.h), lines that are
 * JSON records (docker json-file, JSON-lines loggers) or torchelastic error
 * files replaced by the plain text they carry, also records behind prefixes
 * where a record at the start of the log is, Kubernetes CRI partial lines
 * joined. Other bytes stay as they are.
 *
 * Both '\n' and '\r' end a line; only '\n' counts in line numbers. A line
 * longer than LIMIT_LINE is cut by a '\r' into pieces that overlap by
 * DECODE_OVERLAP bytes. What the blocks are does not depend on how the bytes
 * were split over decode_feed calls, except that decode_flush may end a block
 * early.
 *
 * One '\n' of the raw log is one '\n' here, so that line numbers stay true:
 * the lines that one record holds are separated by '\r', and a partial line
 * leaves an empty line where it stood. What records say of time, stream, host,
 * rank, level and logger is written in forms that envelope_peel reads.
 */
#ifndef INPUT_DECODE_H
#define INPUT_DECODE_H

#include "base/limits.h"
#include "base/text.h"

struct anchors;
struct err;
struct decode;
struct jsonkeys;
struct prefixes;

#define DECODE_BLOCK (256u << 10)  /* bytes of clean text a block, about */
#define DECODE_HISTORY (64u << 10) /* clean bytes kept before a block */
#define DECODE_OVERLAP (4u << 10)

struct decode_block {
	struct span text; /* whole lines; the last of the log may lack '\n' */
	struct span history; /* clean text right before it, contiguous with
			      * text in memory, starting at a line start (or at
			      * the place a long line was cut) */
	uint64_t line;       /* number of the first line of text, from 1 */
	uint64_t clean;      /* clean bytes of the log before text */
	const struct anchors *places; /* for decode_offset */
	bool error_file;              /* the log is a torchelastic error.json */
	bool logged; /* records are of a program's own logger; told at last */
	bool last;   /* the log ends here */
};

struct decode_sink {
	void *ctx;
	/* 0, or -1 to stop. Spans are borrowed until the call returns. */
	int (*block)(void *ctx, const struct decode_block *b);
	/* Optional: blocks that were given are still being read. Take over the
	 * memory that they lie in, of cap bytes, and give other that is as
	 * large; or leave it, when none of them is. -1: no memory. */
	int (*swap)(void *ctx, char **memory, size_t cap);
};

/* One decoder can be used for many logs, one after the other. keys, which are
 * borrowed: what the records of JSON loggers have where. */
struct decode *decode_new(
    const struct limits *limits, const struct jsonkeys *keys, struct err *e);
void decode_free(struct decode *d);
/* The taxonomy's own prefixes, borrowed, which may stand before a record on its
 * line, beside those that are always known. */
void decode_prefixes(struct decode *d, const struct prefixes *prefixes);

/* Forget the last log; the next feed is the first byte of a new one. */
void decode_begin(struct decode *d, const struct decode_sink *sink);
/* 0, or -1: out of memory (e set) or the sink stopped (e untouched). */
int decode_feed(struct decode *d, const char *p, size_t n, struct err *e);
/* Give the whole lines held back so far to the sink: for live logs. */
int decode_flush(struct decode *d, struct err *e);
/* The end of the log: the rest goes to the sink, in a block that has last
 * set (empty text if the log was empty). */
int decode_end(struct decode *d, struct err *e);

/* The raw byte offset in the log of a position in b->text (0 <= pos <=
 * text.n). Exact at line starts of untransformed
 * lines; the start of the raw line for lines that were replaced. */
uint64_t decode_offset(const struct decode_block *b, size_t pos);

/* What was met in this log so far, for notes and facts. */
struct decode_stats {
	uint64_t raw_bytes, clean_bytes;
	uint64_t nul_bytes;
	uint64_t escapes; /* backspaces too */
	uint64_t long_lines;
	uint64_t json_lines; /* lines that were replaced, CRI ones too */
	bool utf16;
	bool error_file; /* the log is a torchelastic error.json */
	bool torn_file; /* it begins as one, and is no JSON that can be read; or
			 * as an export or a dump that is too long */
	bool dump;      /* it is one of a flight recorder */
	bool value;     /* it is a text in JSON: lines are those of that */
	char why[200];  /* "" or a note: why a dump that it begins as is not
			 * read, or that its newest lines were the first */
	bool writers;   /* records of several pods or streams are in it */
};
const struct decode_stats *decode_stats(const struct decode *d);

#endif
