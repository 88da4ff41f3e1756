/*
 * Python's pickles, read as data. A pickle is a program, and the usual reader
 * of it imports and calls what it names. This one knows no import and no call:
 * it builds None, booleans, integers, floats, texts, lists, tuples and dicts
 * keyed by text, and refuses all else, so that of a file from a stranger
 * nothing is run.
 */
#ifndef BASE_PICKLE_H
#define BASE_PICKLE_H

#include "base/text.h"

struct err;
struct json;

/* What one pickle may take: values that it makes, the deepest of lists in
 * lists. */
#define PICKLE_VALUES (2u << 20)
#define PICKLE_DEPTH 32

/* Whether text begins as a pickle of protocol 2 to 5 does. */
bool pickle_begins(struct span text);

/* The value that a pickle makes, of protocols 2 to 5: tuples are arrays, and
 * bytes are texts. A value may stand at several places of it, but never inside
 * itself. What comes behind its end is not read. NULL with e set ("byte 17:
 * ..."): it is none, is damaged, or holds more than such values. */
struct json *pickle_parse(struct span text, struct err *e);

#endif
