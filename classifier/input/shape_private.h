/*
 * What shape.c, which changes lines back, and shape_tell.c, which finds out how
 * they were changed, share. Private to them.
 */
#ifndef INPUT_SHAPE_PRIVATE_H
#define INPUT_SHAPE_PRIVATE_H

#include "input/shape.h"

/* A line without its end, as it was before; borrowed from s or from line. p is
 * NULL: out of memory. */
struct span shape_plain(struct shape *s, struct span line);

/* The number that a line begins with: bytes up to its end, or 0. */
size_t shape_number(struct span line, uint64_t *number);

/* The next line of text that ends, without its end, taken from it. */
bool shape_take_line(struct span *text, struct span *line);

/* Whether a line is as wide as all of a log that was cut, and has words. */
bool shape_is_full(struct span line, size_t width);

/* Whether next goes on with a line of which the first bytes and the last one
 * are given. */
bool shape_goes_on(struct span start, char last, struct span next);

/* Whether a byte is none of ASCII. */
bool shape_has_high(struct span s);

/* Whether lines of text, the widest ones, go on in the next: s->width tells.
 * all: it is all of a log. */
bool shape_is_wrapped(struct shape *s, struct span text, bool all);

/* Columns of a line. */
size_t shape_width(struct span line);

/* ---- shape_page.c ---- */

/* Whether text begins a page, or is escaped for one. */
bool shape_is_page(struct span head, bool *tags);
/* Append a line's text to out. -1: no memory. */
int shape_page_line(struct shape *s, struct span line, struct buf *out);

/* ---- shape_csv.c ---- */

/* Whether text begins a table, of which s->csv tells then. */
bool shape_is_csv(struct shape *s, struct span head, bool all);
void shape_csv_begin_row(struct shape_csv *c);
/* Whether a row, of which more lines may have come since it was last asked,
 * goes on behind them. */
bool shape_csv_is_open(struct shape_csv *c, struct span row);
/* A row without its end, in out as an object: 1; 0: it is none; -1: no memory.
 */
int shape_csv_object(
    const struct shape_csv *c, struct span row, struct buf *out);

/* ---- shape_rich.c ---- */

/* Whether a log holds records of rich's logger, of which s->rich tells then. */
bool shape_is_rich(struct shape *s, struct span head);
/* Append what takes the place of a line to out; on: it goes on with the one
 * before. -1: no memory. */
int shape_rich_line(
    struct shape *s, struct span line, struct buf *out, bool *on);

/* ---- shape_fold.c ---- */

/* Whether PowerShell's words on an error tell that and how a log was cut, of
 * which s->width and s->fold tell then. */
bool shape_is_folded(struct shape *s, struct span head, bool all);
/* A line without what PowerShell says; borrowed from it. */
struct span shape_fold_line(struct shape *s, struct span line);
/* Whether next goes on with the part before, which was noted; and note the part
 * of a line that goes on with the one before, or does not. */
bool shape_fold_goes_on(const struct shape *s, struct span next);
void shape_fold_part(struct shape *s, struct span line, bool on);

#endif
