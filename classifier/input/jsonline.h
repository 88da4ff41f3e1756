/*
 * Lines of JSON, told apart before any is parsed: a log record has a message,
 * measurements (a step and its loss) have none. Only the first go through a
 * JSON parser.
 */
#ifndef INPUT_JSONLINE_H
#define INPUT_JSONLINE_H

#include "base/text.h"

struct jsonkeys;

/*
 * Bytes at the front of s before the first that ends the line, is none of text
 * (a control character, or the start of an escape), or begins what may be
 * the key of a message, as it stands or spelt with \u. s.n when there is none.
 */
size_t jsonline_plain(const struct jsonkeys *keys, struct span s);

/* Whether s looks like an object that may have a message. */
bool jsonline_may_be_record(const struct jsonkeys *keys, struct span s);

/* Whether s begins with a whole line that looks like an object and is text
 * that has no key of a message. */
bool jsonline_is_none(const struct jsonkeys *keys, struct span s);

/* Bytes of s, which begins a line and has not been cleaned, before a line that
 * may have a record behind something else; or all. */
size_t jsonline_behind(struct span s);

#endif
