/*
 * A log that was changed as a whole on its way: its lines were numbered
 * (cat -n, less -N, grep -n), cut at the width of a terminal (PowerShell's
 * redirection, with its own words on errors; tmux), written for a browser, its
 * quotes made typographic, exported as a table, or laid out in columns
 * (Python's rich). It is read as the job wrote it. What it is, is told once, by
 * its first bytes, so that other logs pay nothing for it.
 */
#ifndef INPUT_SHAPE_H
#define INPUT_SHAPE_H

#include "base/buf.h"
#include "input/blocks.h"

#include <stdbool.h>

#define SHAPE_LOOK (8u << 10) /* bytes that tell; fewer at a log's end */

enum {
	SHAPE_PAGE = 1 << 0,     /* of HTML, or a part of one */
	SHAPE_QUOTES = 1 << 1,   /* typographic ones, and no others */
	SHAPE_NUMBERED = 1 << 2, /* each line, upwards */
	SHAPE_WRAPPED = 1 << 3,  /* at one width */
	SHAPE_CSV = 1 << 4,      /* rows of a table; nothing else then */
	SHAPE_RICH = 1 << 5,     /* records in columns; nothing else then */
	SHAPE_FOLDED = 1 << 6    /* as PowerShell does; nothing else then */
};

#define SHAPE_CSV_MOST 64   /* columns */
#define SHAPE_STAMP_MOST 48 /* bytes of a time in brackets */

struct jsonkeys;

struct shape_csv {
	char delimiter;
	unsigned n, message;
	struct {
		const char *name; /* as the key of a record; NULL: no matter */
		bool first;
	} column[SHAPE_CSV_MOST];
	bool named; /* the row of names is behind */
	/* the row at hand, of which so many bytes were looked at */
	size_t at;
	bool start, quoted; /* a field begins there; or is in quote marks */
};

struct shape_rich {
	size_t message; /* the column where messages begin */
	char stamp[SHAPE_STAMP_MOST];
	size_t stamp_n; /* the last time that was written */
	bool open;      /* a record, which may go on below: */
	size_t part;    /* columns of its message; */
	size_t used;    /* of the last line of that; */
	bool one_word;  /* which fills it */
};

struct shape_fold {
	bool words;        /* between them, where they have room */
	uint64_t line;     /* lines so far; */
	uint64_t said;     /* of those, where a program's name stands */
	size_t name;       /* in so many bytes, and where */
	uint64_t from, to; /* PowerShell speaks, up to there; 0, 0: nowhere */
	bool before;       /* the line at hand is output before that */
	size_t left_out;   /* columns of the name in the line at hand */
	size_t columns;    /* of the last part of a line, */
	size_t word;       /* of its last word, */
	bool blank;        /* and what stands behind that */
};

struct shape {
	unsigned is; /* SHAPE_... */
	const struct jsonkeys *keys;
	/* the line at hand */
	struct buf line, out;
	uint64_t raw; /* where it begins */
	bool begun;
	/* of a page */
	bool tags;       /* it has some, and is not only escaped */
	bool in_tag;     /* the line before ended in one */
	bool in_program; /* what stands there is for the browser */
	/* of numbers */
	char sign;       /* behind each */
	bool blank;      /* and a blank behind that */
	uint64_t number; /* of the line before */
	/* of a width */
	size_t width;
	bool open;      /* the line before may go on in this one */
	char start[32]; /* of the line that was cut, its first bytes, */
	size_t start_n; /* so many; */
	char last;      /* of its last part, the last byte; */
	uint64_t end;   /* and where that ends */
	uint64_t owed;  /* ends of lines that were left out */
	struct shape_csv csv;
	struct shape_rich rich;
	struct shape_fold fold;
};

/* Where text goes; 0 or -1, as of decode_feed. */
struct shape_next {
	int (*add)(void *ctx, struct piece t, struct err *e);
	void *ctx;
};

/* A new log. keys: what columns are called; or NULL. */
void shape_begin(struct shape *s, const struct jsonkeys *keys);
void shape_release(struct shape *s);
/* Clean text of the first bytes of a new log, of which whole lines tell. -1:
 * out of memory. */
int shape_tell(struct shape *s, struct span head, bool all, struct err *e);
/* Whether text goes on as it is. */
static inline bool shape_none(const struct shape *s)
{
	return !s->is;
}
/* Clean text of a log that is one, in order, goes on to next. */
int shape_feed(struct shape *s, struct piece t, const struct shape_next *next,
    struct err *e);
/* The log's end: what is held goes on. */
int shape_end(struct shape *s, const struct shape_next *next, struct err *e);

#endif
