/*
 * A record as unwrap.c reads and writes it out, for what finds records in
 * other places than on a line of their own.
 */
#ifndef INPUT_UNWRAP_PRIVATE_H
#define INPUT_UNWRAP_PRIVATE_H

#include "base/buf.h"
#include "input/clean.h"
#include "input/envelope.h"
#include "input/jsonkeys.h"

struct err;
struct json;

/* Lines of one stream that wait for their end. */
struct part {
	struct buf text;
	struct buf prefix;
};

enum { TO_NOWHERE, TO_STDOUT, TO_STDERR };

/* What a member of an object holds; no text: p is NULL. */
struct value {
	struct span text;
	int64_t whole;
	double number;
	bool is_whole, is_number;
	const struct json *json; /* if the JSON parser has read it */
};

#define FLAT_MAX 64     /* members */
#define FLAT_NAME 128   /* bytes of one, with what it is in */
#define UNWRAP_OUTER 32 /* room for the key of an object looked into */

/* An object; of those in it only what has a name. */
struct flat {
	struct flat_member {
		struct span key; /* nothing below the first level */
		size_t id;       /* see jsonkeys_name */
		struct value value;
		unsigned depth; /* in how many objects it is, from 0 */
	} v[FLAT_MAX];
	size_t n;
	uint64_t ids;      /* jsonkeys_bit of what has a name */
	unsigned char *at; /* by id: which member, from 1; or 0 */
	struct buf text;   /* of what had escapes */
};

/* One of both, or neither: then it has no members. */
struct members {
	const struct flat *flat;
	const struct json *tree;
	struct json *owned; /* the same, for who frees it; or NULL */
};

struct unwrap {
	const struct jsonkeys *keys;
	size_t line, overlap;
	struct part part[3]; /* by stream; the first is not used */
	struct buf prefix;   /* of the record that is written */
	struct buf pairs;    /* a line of logfmt, as an object */
	struct span outer;   /* what stands before it on its line */
	struct clean dropped;
	bool bare_message;
	uint64_t writer;     /* hash of the first that records named; or 0 */
	bool writers;        /* they named others, too */
	bool logged;         /* they are a program's own */
	bool calm;           /* some were of a level below error */
	uint64_t errors;     /* those that were not */
	uint64_t records;    /* looked at for one */
	struct flat flat[2]; /* a record, and one that is its message */
};

/* All borrowed from the object that it was read from. */
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
    const struct jsonkeys *keys, const struct members *o, struct record *r);
/* Only who writes it. */
void unwrap_read_writer(
    const struct jsonkeys *keys, const struct members *o, struct record *r);
/* A message that is a list of its bytes, as journald gives one with control
 * characters in it, becomes a text. False: o has none. */
bool unwrap_join_bytes(const struct jsonkeys *keys, struct json *o);
/* A time in words, or seconds, milli-, micro- or nanoseconds since 1970. */
bool unwrap_read_time(const struct json *v, int64_t *micros);
/* The text of a member, or p is NULL. */
struct span unwrap_text(const struct members *o, enum jsonkeys_fixed key);
/* Whether all keys of o are among some, of which each is a bit. */
bool unwrap_only(
    const struct jsonkeys *keys, const struct members *o, unsigned some);
/* Written behind what out holds, its lines ended by '\r'. 0, or -1. */
int unwrap_add_record(
    struct unwrap *u, struct buf *out, const struct record *r);

int unwrap_flat_init(struct flat *f, const struct jsonkeys *keys);
void unwrap_flat_release(struct flat *f);
/* Read a line without a JSON parser. 1; 0: it may be an object all the same;
 * -1: out of memory. What it holds is borrowed from it and from s. */
int unwrap_flat_read(
    struct flat *f, const struct jsonkeys *keys, struct span s, struct err *e);

/* ---- unwrap_stack.c ---- */

/* Whether a value is a list of exceptions with their frames. */
bool unwrap_is_stacks(const struct json *list);
/* Append such a list as Python prints tracebacks. -1: no memory. */
int unwrap_add_stacks(struct buf *out, const struct json *list);

#endif
