/*
 * Lines of JSON, told apart before any is parsed: a log record has a message,
 * measurements (a step and its loss) have none. Only the first go through a
 * JSON parser.
 */
#ifndef INPUT_JSONLINE_H
#define INPUT_JSONLINE_H

#include "base/text.h"

/* The keys under which a record has its message, NULL after the last. Which
 * of two counts: the first. */
extern const char *const jsonline_keys[];

/*
 * Bytes at the front of s before the first that ends the line, is none of text
 * (a control character, or the start of an escape), or begins what may be one
 * of the keys, as it stands or spelt with \u. s.n when there is none.
 */
size_t jsonline_plain(struct span s);

/* Whether s looks like an object that may have one of the keys. */
bool jsonline_may_be_record(struct span s);

/* Whether s begins with a whole line that looks like an object and is text
 * that has none of the keys. */
bool jsonline_is_none(struct span s);

#endif
