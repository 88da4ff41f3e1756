/*
 * What the recognisers of prefixes share: the state of one line being peeled,
 * and what bytes are. Private to input/.
 */
#ifndef INPUT_PEEL_H
#define INPUT_PEEL_H

#include "input/cursor.h"
#include "input/envelope.h"

#include <string.h>

struct peel {
	struct span s;               /* what is left */
	const struct prefixes *more; /* beside the rows; or NULL */
	struct envelope *out;
	bool after_time; /* a time was peeled before */
	bool after_log;  /* a logger's prefix was peeled before */
	bool after_rank; /* a launcher's label was peeled before */
	int time_worth;  /* how much of out->time was said: peel_time */
};

/* A recogniser: the bytes of its prefix at the start of p->s, or 0. It fills
 * in p->out, and only then. */
typedef size_t peel_fn(struct peel *p);

/* The first byte of a line, as a bit: most lines begin like few prefixes. */
enum {
	PEEL_DIGIT = 1 << 0,
	PEEL_UPPER = 1 << 1,
	PEEL_LOWER = 1 << 2,
	PEEL_BLANK = 1 << 3,
	PEEL_SQUARE = 1 << 4,
	PEEL_ROUND = 1 << 5,
	PEEL_ANGLE = 1 << 6,
	PEEL_DASH = 1 << 7,
	PEEL_BAR = 1 << 8,
	PEEL_SLASH = 1 << 9,
	PEEL_UNDER = 1 << 10,
	PEEL_HASH = 1 << 11
};

/* A prefix as one row. Rows of a lower phase do not follow a higher one. */
struct peel_row {
	const char *name;
	peel_fn *peel;
	unsigned first; /* what it can begin with: PEEL_... */
	int phase;      /* 0 collector, 1 launcher, 2 logger, -1 any */
};

/* Inline, since each line is tried with most of the recognisers. */

static inline bool peel_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool peel_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool peel_letter(char c)
{
	return (c >= 'a' && c <= 'z') || peel_upper(c);
}

/* [A-Za-z0-9_.-] */
static inline bool peel_word(char c)
{
	return peel_letter(c) || peel_digit(c) || c == '_' || c == '.' ||
	    c == '-';
}

/* no blank, no bracket */
static inline bool peel_nospace(char c)
{
	return c != ' ' && c != '\t' && c != '[' && c != ']';
}

/* The bit of a line's first byte, or 0. */
unsigned peel_first(char c);

/* Rows that may match what begins with a byte, each a bit. */
struct peel_some {
	uint32_t origin, logger;
};
struct peel_some peel_some(char first);

/* A level's name, in any case. */
enum level peel_level(struct span word);
/* The same, but only in capitals. */
enum level peel_level_upper(struct span word);
/* glog's letter. */
enum level peel_level_letter(char c);

/* A time at the cursor; notes it in p if that says at least as much as what
 * is there. For use once the rest of the prefix is known to match: find its
 * length with when_scan first. */
struct when;
void peel_time(struct peel *p, const struct when *w);

/* "dir/file.py:12", maybe with ":function" after it. */
bool peel_source(struct span s);

/* ---- origin.c: collectors and launchers ---- */
extern const struct peel_row origin_rows[];
extern const size_t origin_rows_n;

/* ---- logger.c ---- */
extern const struct peel_row logger_rows[];
extern const size_t logger_rows_n;

/* ---- envelope.c ---- */
/* Peel one prefix; false when there is none. shallow: not the ones that are
 * recognised only by what follows them. */
bool envelope_step(struct peel *p, int *phase, bool shallow);

#endif
