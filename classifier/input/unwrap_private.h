/*
 * A record as unwrap.c reads and writes it out, for what finds records in
 * other places than on a line of their own.
 */
#ifndef INPUT_UNWRAP_PRIVATE_H
#define INPUT_UNWRAP_PRIVATE_H

#include "base/buf.h"
#include "input/clean.h"
#include "input/envelope.h"

struct err;
struct json;
struct jsonkeys;

/* Lines of one stream that wait for their end. */
struct part {
	struct buf text;
	struct buf prefix;
};

enum { TO_NOWHERE, TO_STDOUT, TO_STDERR };

struct unwrap {
	const struct jsonkeys *keys;
	size_t line, overlap;
	struct part part[3]; /* by stream; the first is not used */
	struct clean dropped;
	bool bare_message;
	uint64_t writer;        /* hash of the first that records named; or 0 */
	bool writers;           /* they named others, too */
	uint64_t records;       /* looked at for one */
	bool docker;            /* see unwrap_docker_keys */
	struct buf docker_text; /* of the last record of docker's */
};

/* All borrowed from the JSON that it was read from. */
struct record {
	struct span message;
	struct span stack;
	const struct json *stack_list;
	struct span error; /* a cause beside the message */
	struct span name, host;
	struct span writer; /* of several into one log */
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
    const struct jsonkeys *keys, const struct json *o, struct record *r);
/* Only who writes it. */
void unwrap_read_writer(
    const struct jsonkeys *keys, const struct json *o, struct record *r);
/* A message that is a list of its bytes, as journald gives one with control
 * characters in it, becomes a text. False: o has none. */
bool unwrap_join_bytes(const struct jsonkeys *keys, struct json *o);
/* A time in words, or seconds, milli-, micro- or nanoseconds since 1970. */
bool unwrap_read_time(const struct json *v, int64_t *micros);
bool unwrap_time_of(struct span text, int64_t *micros);
/* Whether the keys of docker's records mean what docker means by them. */
bool unwrap_docker_keys(const struct jsonkeys *keys);
/* Read one of docker's records, for which the keys mean that, without a JSON
 * parser. 1; 0: it may be one all the same; -1: out of memory. The message is
 * borrowed until the next call. */
int unwrap_read_docker(
    struct unwrap *u, struct span line, struct record *r, struct err *e);
/* Written behind what out holds, its lines ended by '\r'. 0, or -1. */
int unwrap_add_record(
    struct unwrap *u, struct buf *out, const struct record *r);

#endif
