/*
 * Under which keys the records of JSON loggers have what: every logging library
 * has its own, and the taxonomy's signals `json_key` and `json_level` name
 * them.
 */
#ifndef INPUT_JSONKEYS_H
#define INPUT_JSONKEYS_H

#include "input/envelope.h"

#define JSONKEYS_BUCKETS 64
#define JSONKEYS_HEAD 4 /* bytes that begin a key, told apart at once */

/* What a key holds. */
enum jsonkeys_field {
	JSONKEYS_MESSAGE, /* what makes an object a record */
	JSONKEYS_TIME,
	JSONKEYS_LEVEL,
	JSONKEYS_LOGGER,
	JSONKEYS_HOST,
	JSONKEYS_STACK,
	JSONKEYS_ERROR, /* a cause beside the message */
	JSONKEYS_RANK,
	JSONKEYS_NO_STACK, /* no key: a stack that says that there is none */
	JSONKEYS_WRITER,   /* which pod, container or stream, of several */
	JSONKEYS_FIELDS
};

/* Words that mean something to formats which are no logger's: each is its own
 * number (see jsonkeys_name). */
enum jsonkeys_fixed {
	JSONKEYS_LOG = 1,
	JSONKEYS_STREAM,
	JSONKEYS_WHEN,
	JSONKEYS_ATTRS,
	JSONKEYS_TEXT,
	JSONKEYS_ERROR_CODE,
	JSONKEYS_EXTRA_INFO,
	JSONKEYS_TIMESTAMP,
	JSONKEYS_IDENTIFIER,
	JSONKEYS_FIXED /* the first of the others */
};

/* Of several keys in one record the first in the list counts. */
struct jsonkeys {
	struct jsonkeys_list {
		struct jsonkeys_key {
			const char *name;
			const char *dot; /* its first '.', or NULL */
			size_t id;       /* see jsonkeys_name */
		} * v;
		size_t n, cap;
		uint64_t ids; /* jsonkeys_bit of each */
	} keys[JSONKEYS_FIELDS];
	struct jsonkeys_level {
		const char *word; /* in lower case */
		enum level level;
	} * levels;
	size_t n_levels, cap_levels;
	struct jsonkeys_name {
		struct span word;
		size_t next; /* id of the next in its bucket; or 0 */
		bool outer;  /* other names begin with it and a '.' */
	} * names;
	size_t n_names, cap_names;
	size_t first[JSONKEYS_BUCKETS]; /* id of the first of a bucket; or 0 */
	uint32_t *heads;                /* how the keys of messages begin */
	size_t n_heads, cap_heads;
	uint32_t maybe[32]; /* of these, by jsonkeys_hash, as bits */
};

/* A place among the bits of maybe. */
static inline unsigned jsonkeys_hash(uint32_t head)
{
	return head * UINT32_C(2654435761) >> 22;
}

/* One for each name, or several: what has no bit is not there. */
static inline uint64_t jsonkeys_bit(size_t id)
{
	return UINT64_C(1) << id % 64;
}

/* NULL: out of memory. */
struct jsonkeys *jsonkeys_new(void);
void jsonkeys_free(struct jsonkeys *k);
/* Words are borrowed. A key of a message has at least JSONKEYS_HEAD - 1 bytes.
 * -1: out of memory. */
int jsonkeys_add(
    struct jsonkeys *k, enum jsonkeys_field field, const char *word);
int jsonkeys_add_level(struct jsonkeys *k, const char *word, enum level level);

/* A number from 1 for each word that is a key of anything, or what stands
 * before a '.' in one; or 0. */
size_t jsonkeys_name(const struct jsonkeys *k, struct span word);

/* The word of a number. */
const char *jsonkeys_word(enum jsonkeys_fixed id);

/* What a level is called, in any case. */
enum level jsonkeys_level(const struct jsonkeys *k, struct span word);

#endif
