#include "base/hash.h"

/* All of xxHash is in its header: no library to load at each start. */
#define XXH_INLINE_ALL
#include <xxhash.h>

struct hash *hash_new(void)
{
	XXH3_state_t *h = XXH3_createState();

	if (h)
		XXH3_128bits_reset(h);
	return (struct hash *)h;
}

void hash_free(struct hash *h)
{
	if (h)
		XXH3_freeState((XXH3_state_t *)h);
}

void hash_reset(struct hash *h)
{
	XXH3_128bits_reset((XXH3_state_t *)h);
}

void hash_add(struct hash *h, const void *p, size_t n)
{
	XXH3_128bits_update((XXH3_state_t *)h, p, n);
}

static struct hash_value value(XXH128_hash_t v)
{
	return (struct hash_value){ v.low64, v.high64 };
}

struct hash_value hash_end(const struct hash *h)
{
	return value(XXH3_128bits_digest((const XXH3_state_t *)h));
}

struct hash_value hash_of(const void *p, size_t n)
{
	return value(XXH3_128bits(p, n));
}

void hash_join(struct hash_value *sum, struct hash_value b)
{
	uint64_t low = sum->low + b.low;

	sum->high += b.high + (low < b.low);
	sum->low = low;
}

void hash_hex(struct hash_value v, char out[HASH_HEX])
{
	for (size_t i = 0; i < HASH_HEX - 1; i++) {
		uint64_t half = i < 16 ? v.high : v.low;

		out[i] = "0123456789abcdef"[half >> (60 - i % 16 * 4) & 15];
	}
	out[HASH_HEX - 1] = '\0';
}
