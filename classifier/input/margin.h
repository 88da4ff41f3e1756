/*
 * What stands before each line of a log that was indented, quoted or tagged as
 * a whole: blanks, tabs, "> ", "| ", a user's own "[train] ". It is no part of
 * what the log says and is taken off.
 */
#ifndef INPUT_MARGIN_H
#define INPUT_MARGIN_H

#include "input/held.h"

#define MARGIN_MOST 64          /* bytes of one */
#define MARGIN_LINES 64         /* that begin with it make it one, */
#define MARGIN_LOOK (16u << 10) /* or so many bytes, or all of a log */
#define MARGIN_TAGGED 16        /* lines that begin with a tag make it one; */
#define MARGIN_KINDS 4          /* how many kinds of text stand behind it */
#define MARGIN_STRAYS 3         /* lines without it in turn end it */

struct prefixes;

struct margin {
	enum { MARGIN_SEEK, MARGIN_ON, MARGIN_OFF } state;
	char text[MARGIN_MOST];
	size_t n;
	size_t at;   /* bytes of it that the line at hand began with */
	bool inside; /* that line is behind it, or has none */
	bool part;   /* it follows a '\r': who indents lines may not know it */
	unsigned strays;
	uint64_t raw;  /* where the line at hand begins; */
	uint32_t step; /* raw bytes for each of its first ones */
	/* while it is looked for */
	struct held held;
	size_t seen; /* bytes of that, of so many */
	unsigned lines;
	bool words; /* not all of them end with a bar */
	const struct prefixes *prefixes;
	size_t tag;      /* bytes of what may be one; or 0 */
	bool told;       /* it is one */
	unsigned misses; /* lines without it */
	unsigned known;  /* others, before any without a known prefix */
	unsigned own;    /* lines that say behind the tag that it is one, */
	unsigned times;  /* or may do so by a time; */
	uint64_t behind; /* the others begin with these bytes there */
};

/* Where text goes; 0 or -1, as of decode_feed. */
struct margin_next {
	int (*add)(void *ctx, struct piece t, struct err *e);
	void *ctx;
};

/* A new log. prefixes: whose tags are known; or NULL. */
void margin_begin(struct margin *m, const struct prefixes *prefixes);
void margin_release(struct margin *m);
/* Whether text goes on as it is. */
static inline bool margin_none(const struct margin *m)
{
	return m->state == MARGIN_OFF;
}
/* Clean text of the log, in order, goes on to next. */
int margin_feed(struct margin *m, struct piece t,
    const struct margin_next *next, struct err *e);
/* The log's end: what is held goes on. */
int margin_end(struct margin *m, const struct margin_next *next, struct err *e);

#endif
