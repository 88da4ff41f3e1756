/*
 * A record as unwrap.c reads and writes it out, for what finds records in
 * other places than on a line of their own.
 */
#ifndef INPUT_UNWRAP_PRIVATE_H
#define INPUT_UNWRAP_PRIVATE_H

#include "input/envelope.h"

struct buf;
struct json;
struct unwrap;

/* All borrowed from the JSON that it was read from. */
struct record {
	struct span message;
	struct span stack;
	const struct json *stack_list;
	struct span error; /* a cause beside the message */
	struct span name, host;
	enum level level;
	int64_t time;
	bool has_time;
	int stream;
	int64_t rank; /* or -1 */
	bool kernel;
	bool partial; /* a docker record whose line goes on in the next */
};

/* False when o is no log record. Fields that o lacks stay as they are. */
bool unwrap_read_record(
    const struct unwrap *u, const struct json *o, struct record *r);
/* A time in words, or seconds, milli-, micro- or nanoseconds since 1970. */
bool unwrap_read_time(const struct json *v, int64_t *micros);
/* Written behind what out holds, its lines ended by '\r'. 0, or -1. */
int unwrap_add_record(
    struct unwrap *u, struct buf *out, const struct record *r);

#endif
