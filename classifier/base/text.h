/*
 * The ways out of the program for log bytes: what leaves it passes one function
 * for its target.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/span.h"

struct buf;

/* Append s as valid UTF-8: each bad byte becomes U+FFFD. -1: no memory. */
int text_utf8(struct buf *out, struct span s);

/* Whether text_utf8 would leave s as it is. */
bool text_is_utf8(struct span s);

/* Write a code point as UTF-8; its bytes. */
size_t text_code_point(uint32_t c, char out[4]);

/* How many bytes of s text_utf8 would replace. */
size_t text_bad_bytes(struct span s);

/* Append s for a person's eyes on one line: valid UTF-8; control characters,
 * bidi overrides and line ends shown as visible escapes. -1: no memory. */
int text_visible(struct buf *out, struct span s);

/* Append JSON text with what text_visible would show escaped, and is no ASCII,
 * as \u: it stands in strings only. s is valid UTF-8 and whole code points. -1:
 * no memory. */
int text_json(struct buf *out, struct span s);

/* Columns that valid UTF-8 takes in a terminal, near enough: one for each
 * code point, two for wide East Asian ones, none for combining marks. */
size_t text_width(struct span s);

/* The longest start of s that takes at most columns. */
struct span text_fit(struct span s, size_t columns);
/* The same of its end. */
struct span text_tail(struct span s, size_t columns);

#endif
