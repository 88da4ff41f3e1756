/*
 * What stands around the lines that matter, for a person to read: a few lines
 * before and after a piece of evidence, the last lines of a log, and the input
 * files named before. Kept by a scan whose engine says so (engine_excerpts),
 * while the text is at hand: so it is the same for files, members of archives
 * and live pipes, and nothing is read twice. At most LIMIT_EVIDENCE of them a
 * log, of a few KiB.
 */
#ifndef DIAGNOSE_EXCERPT_H
#define DIAGNOSE_EXCERPT_H

#include "base/text.h"
#include "diagnose/evidence/inputs.h"

struct decode_block;
struct findings;
struct proof;

#define EXCERPT_AROUND 2 /* lines before and after */
#define EXCERPT_TAIL 10  /* last lines of a log */
#define EXCERPT_LINE 400 /* bytes of a line */

struct excerpt_line {
	char *text; /* owned; as the log has it, maybe cut */
	uint64_t number;
};

struct excerpt {
	struct excerpt_line before[EXCERPT_TAIL]; /* the nearest first */
	struct excerpt_line after[EXCERPT_AROUND];
	size_t n_before, n_after;
	bool open;   /* what is after it has not come yet */
	bool failed; /* memory ran out: it is shorter than it should be */
	struct inputs inputs;
};

/* NULL: out of memory. Free with excerpt_free, which takes NULL. */
struct excerpt *excerpt_new(void);
void excerpt_free(struct excerpt *x);

/*
 * Blank lines are passed over. number: of the line that begins at offset at of
 * text.
 */
/* Up to so many lines before offset at. */
void excerpt_before(struct excerpt *x, struct span text, size_t at,
    uint64_t number, size_t most);
/* The lines from offset at on; it stays open while there are too few. */
void excerpt_after(
    struct excerpt *x, struct span text, size_t at, uint64_t number);

/* What a scan keeps while it reads one log. {0} begins one. */
struct excerpt_reader {
	const struct taxonomy *tax;
	struct inputs inputs; /* named last */
	uint64_t searched_to; /* for them; clean bytes */
	bool open;            /* some excerpt is */
	bool failed;          /* memory ran out: something is missing */
};

void excerpt_reader_release(struct excerpt_reader *r);

/*
 * What is around the line at pos of b's text, which has this number; or, with
 * a message, around the last text before pos that begins so, of which number
 * is the line. pos SIZE_MAX: around the line of this number. NULL: it is not
 * there, or out of memory.
 */
struct excerpt *excerpt_take(struct excerpt_reader *r,
    const struct decode_block *b, size_t pos, uint64_t number,
    struct span message);
/* A new block has come: what is open goes on with it. */
void excerpt_go_on(
    struct excerpt_reader *r, struct findings *f, const struct decode_block *b);
/* The last lines of a log; f->lines is known. */
void excerpt_end(
    struct excerpt_reader *r, struct findings *f, const struct decode_block *b);

/* What is known of a proof's surroundings; borrowed, or NULL. */
const struct excerpt *excerpt_of(const struct proof *p);

#endif
