/*
 * Hashes of content: equal bytes, equal hash; 128 bits, so that different
 * bytes are taken for different. Not for secrets. The only user of xxHash.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash; /* of a stream */

struct hash_value {
	uint64_t low, high; /* both 0: none */
};

/* 32 hexadecimal digits and the NUL. */
#define HASH_HEX 33

/* NULL: out of memory. Free with hash_free. */
struct hash *hash_new(void);
void hash_free(struct hash *h);
/* Begin anew. */
void hash_reset(struct hash *h);
void hash_add(struct hash *h, const void *p, size_t n);
/* Of what was added since the last reset. */
struct hash_value hash_end(const struct hash *h);
/* Of n bytes at once. */
struct hash_value hash_of(const void *p, size_t n);
/* Put b into *sum so that the order of several does not matter. */
void hash_join(struct hash_value *sum, struct hash_value b);
void hash_hex(struct hash_value v, char out[HASH_HEX]);

#endif
