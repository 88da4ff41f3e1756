/*
 * A chain of chunks that are never moved, and a hash table of the strings in
 * them.
 */
#include "base/arena.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_MIN ((size_t)8 << 10)   /* the first; each is twice as big... */
#define CHUNK_MAX ((size_t)512 << 10) /* ... up to this */
#define SLOTS_MIN 256
#define ALIGNMENT 16 /* of what arena_memory gives */

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(ALIGNMENT) char bytes[];
};

struct slot {
	const char *s; /* NULL: free */
	uint32_t hash, len;
};

struct arena {
	struct chunk *chunks; /* the one in use first */
	struct slot *slots;   /* open addressing; a power of two */
	size_t n_slots, n;
	size_t size; /* bytes of the chunks */
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *p)
{
	if (!p)
		return;
	while (p->chunks) {
		struct chunk *next = p->chunks->next;

		free(p->chunks);
		p->chunks = next;
	}
	free(p->slots);
	free(p);
}

static void *take(struct arena *p, size_t n, size_t align)
{
	struct chunk *b = p->chunks;
	size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;

	if (!b || at > b->size || n > b->size - at) {
		size_t size = !b           ? CHUNK_MIN
		    : b->size >= CHUNK_MAX ? CHUNK_MAX
					   : b->size * 2;

		if (size < n)
			size = n;

		b = size < SIZE_MAX / 2 ? malloc(sizeof *b + size) : NULL;
		if (!b)
			return NULL;
		*b = (struct chunk){ .next = p->chunks, .size = size };
		p->chunks = b;
		p->size += size;
		at = 0;
	}
	b->used = at + n;
	return b->bytes + at;
}

void *arena_memory(struct arena *p, size_t n)
{
	void *v = take(p, n, ALIGNMENT);

	return v ? memset(v, 0, n) : NULL;
}

static int grow(struct arena *p)
{
	size_t n = p->n_slots ? p->n_slots * 2 : SLOTS_MIN;
	struct slot *v = calloc(n, sizeof *v);

	if (!v)
		return -1;
	for (size_t i = 0; i < p->n_slots; i++) {
		size_t k = p->slots[i].hash & (n - 1);

		if (!p->slots[i].s)
			continue;
		while (v[k].s)
			k = (k + 1) & (n - 1);
		v[k] = p->slots[i];
	}
	free(p->slots);
	p->slots = v;
	p->n_slots = n;
	return 0;
}

/* The place of s, or the free one where it belongs. There are some. */
static size_t place(const struct arena *p, struct span s, uint32_t hash)
{
	size_t k = hash & (p->n_slots - 1);

	while (p->slots[k].s &&
	    (p->slots[k].hash != hash || p->slots[k].len != s.n ||
		memcmp(p->slots[k].s, s.p, s.n) != 0))
		k = (k + 1) & (p->n_slots - 1);
	return k;
}

const char *arena_string(struct arena *p, struct span s)
{
	uint32_t hash;
	char *copy;
	size_t k;

	if (!s.p || s.n >= UINT32_MAX)
		return NULL;
	if (p->n * 2 >= p->n_slots && grow(p))
		return NULL;
	hash = (uint32_t)hash_of(s.p, s.n).low;
	k = place(p, s, hash);
	if (p->slots[k].s)
		return p->slots[k].s;
	copy = take(p, s.n + 1, 1);
	if (!copy)
		return NULL;
	memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	p->slots[k] = (struct slot){ copy, hash, (uint32_t)s.n };
	p->n++;
	return copy;
}

size_t arena_place(const struct arena *p, struct span s)
{
	size_t k;

	if (!p || !p->n || !s.n)
		return SIZE_MAX;
	k = place(p, s, (uint32_t)hash_of(s.p, s.n).low);
	return p->slots[k].s ? k : SIZE_MAX;
}

size_t arena_places(const struct arena *p)
{
	return p ? p->n_slots : 0;
}

size_t arena_size(const struct arena *p)
{
	return p ? p->size + p->n_slots * sizeof *p->slots : 0;
}
