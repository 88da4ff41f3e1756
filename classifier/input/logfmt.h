/*
 * Records of logfmt, as logrus and slog write them where nobody looks on:
 * `time="2024-05-01T12:00:00Z" level=info msg="step 3"`.
 */
#ifndef INPUT_LOGFMT_H
#define INPUT_LOGFMT_H

#include "base/span.h"

struct buf;
struct jsonkeys;

enum logfmt { LOGFMT_NO, LOGFMT_MORE, LOGFMT_YES };

/* Whether a line that begins so is one: its first key is a time's. */
enum logfmt logfmt_look(const struct jsonkeys *keys, struct span start);

/* Write a line as the object that says the same. 1; 0: it is no such record;
 * -1: out of memory. */
int logfmt_object(struct span line, struct buf *out);

#endif
