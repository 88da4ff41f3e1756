/*
 * The text is looked at in every second place only. There, four bytes (case
 * dropped by |0x20, which errs on the side of too much) are hashed into a
 * table that stays in the first-level cache; its entry says which of eight
 * buckets have a literal whose chosen window starts with such bytes, and which
 * have one whose window goes on with them four bytes later. Only where both
 * agree is a literal looked up and compared.
 *
 *   text    ...| C U D A   e r r o r |...      window: 9 bytes at a literal's
 *   place 0      [first]  [next ]              rarest spot, so that both an
 *   place 1        [first]  [next ]            even and an odd start are seen
 *
 * Literals of 5 to 8 bytes have no "next": their bucket's bit is set in every
 * entry. Those of 2 to 4 bytes take a second pass over pairs of bytes.
 */
#include "rules/prefilter.h"

#include "base/err.h"
#include "rules/rarity.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BITS 16 /* 128 KiB; 14 and 15 were slower with 4,000 literals */
#define TABLE_SIZE (1 << TABLE_BITS)
#define HEADS_SIZE 4096
#define NO_ENTRY UINT32_MAX

#define FOUR RARITY_FOUR /* bytes hashed at a time */
#define SHORT_BUCKET 1u

/* A literal, its letters in lower case in prefilter.text. */
struct literal {
	uint32_t at, len, id;
};

/* Where to compare a literal: its bytes at `off` are `gram`. */
struct entry {
	uint32_t gram, next, literal, off;
};

struct chains {
	uint32_t head[HEADS_SIZE];
	struct entry *v;
	size_t n;
};

struct prefilter {
	uint16_t table[TABLE_SIZE]; /* low byte: first, high byte: next */
	uint64_t pairs[1024];       /* bits: pairs of short literals */
	struct chains fours, twos;
	struct literal *literals;
	unsigned char *text;
	bool *covers;
	size_t n_sets;
	unsigned pair_step; /* 0: there are no short literals */
};

struct finder {
	const struct prefilter *pf;
	struct span text;
	struct prefilter_hits *hits;
	bool nomem;
};

static unsigned char fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* Four bytes without their case. The byte order does not matter: literals and
 * texts are read on the same machine. */
static inline uint32_t load_four(const void *p)
{
	uint32_t v;

	memcpy(&v, p, FOUR);
	return v | 0x20202020u;
}

static inline uint32_t load_two(const void *p)
{
	uint16_t v;

	memcpy(&v, p, 2);
	return v | 0x2020u;
}

static inline unsigned slot(uint32_t four)
{
	return four * 0x9e3779b1u >> (32 - TABLE_BITS);
}

static unsigned head_of(uint32_t gram)
{
	return (gram * 0x85ebca6bu >> 16) % HEADS_SIZE;
}

/* Building. */

static void chains_init(struct chains *c)
{
	for (size_t i = 0; i < HEADS_SIZE; i++)
		c->head[i] = NO_ENTRY;
}

static void chains_add(struct chains *c, struct entry e)
{
	uint32_t *head = &c->head[head_of(e.gram)];

	e.next = *head;
	*head = (uint32_t)c->n;
	c->v[c->n++] = e;
}

static bool usable(const struct literals *l)
{
	return l->n && l->least >= 2;
}

/* Count what the sets hold, and make room for it. */
static int reserve(struct prefilter *pf, const struct literals *sets)
{
	size_t count = 0, bytes = 0;

	for (size_t i = 0; i < pf->n_sets; i++) {
		pf->covers[i] = usable(&sets[i]);
		if (!pf->covers[i])
			continue;
		count += sets[i].n;
		for (size_t j = 0; j < sets[i].n; j++)
			bytes += sets[i].len[j];
	}
	pf->literals = calloc(count + 1, sizeof *pf->literals);
	pf->text = malloc(bytes + 1);
	/* Each literal has two entries, one for each parity. */
	pf->fours.v = calloc(2 * count + 1, sizeof *pf->fours.v);
	pf->twos.v = calloc(2 * count + 1, sizeof *pf->twos.v);
	if (!pf->literals || !pf->text || !pf->fours.v || !pf->twos.v)
		return -1;
	return 0;
}

static void add_long(struct prefilter *pf, const struct rarity *r, uint32_t i)
{
	const struct literal *l = &pf->literals[i];
	const unsigned char *s = pf->text + l->at;
	uint32_t window;
	int bits;

	window = (uint32_t)rarity_window(r, (const char *)s, l->len, &bits);

	for (uint32_t off = window; off <= window + 1; off++) {
		uint32_t first = load_four(s + off);
		unsigned bucket = SHORT_BUCKET;

		/* Literals that start alike share a bucket, others rarely. */
		if (l->len >= RARITY_LONG) {
			bucket = 2u << (first * 0xc2b2ae35u >> 8) % 7;
			pf->table[slot(load_four(s + off + FOUR))] |=
			    (uint16_t)(bucket << 8);
		}
		pf->table[slot(first)] |= (uint16_t)bucket;
		chains_add(&pf->fours, (struct entry){ first, 0, i, off });
	}
}

static void add_pair(struct prefilter *pf, uint32_t i, uint32_t off)
{
	const unsigned char *s = pf->text + pf->literals[i].at + off;
	uint32_t pair = load_two(s);

	pf->pairs[pair / 64] |= (uint64_t)1 << pair % 64;
	chains_add(&pf->twos, (struct entry){ pair, 0, i, off });
}

/* Literals of 2 to 4 bytes. With 3 there is a pair at either parity. */
static void add_short(struct prefilter *pf, const struct rarity *r, uint32_t i)
{
	const struct literal *l = &pf->literals[i];
	const char *s = (const char *)pf->text + l->at;
	uint32_t off;
	int bits;

	if (l->len == 2) {
		pf->pair_step = 1;
		add_pair(pf, i, 0);
		return;
	}
	if (!pf->pair_step)
		pf->pair_step = 2;
	off = (uint32_t)rarity_window(r, s, l->len, &bits);
	add_pair(pf, i, off);
	add_pair(pf, i, off + 1);
}

static void add_sets(
    struct prefilter *pf, const struct literals *sets, const struct rarity *r)
{
	uint32_t at = 0, n = 0;

	for (size_t i = 0; i < pf->n_sets; i++) {
		if (!pf->covers[i])
			continue;
		for (size_t j = 0; j < sets[i].n; j++) {
			uint32_t len = (uint32_t)sets[i].len[j];
			const char *s = sets[i].text[j];

			for (uint32_t k = 0; k < len; k++)
				pf->text[at + k] = fold((unsigned char)s[k]);
			pf->literals[n] =
			    (struct literal){ at, len, (uint32_t)i };
			if (len < RARITY_SHORT)
				add_short(pf, r, n);
			else
				add_long(pf, r, n);
			at += len;
			n++;
		}
	}
}

struct prefilter *prefilter_new(
    const struct literals *sets, size_t n, struct err *e)
{
	struct prefilter *pf = calloc(1, sizeof *pf);
	struct rarity *r = malloc(sizeof *r);
	int rc = -1;

	if (!pf || !r)
		goto out;
	pf->n_sets = n;
	pf->covers = calloc(n + 1, sizeof *pf->covers);
	if (!pf->covers || reserve(pf, sets))
		goto out;
	rarity_init(r);
	chains_init(&pf->fours);
	chains_init(&pf->twos);
	for (size_t i = 0; i < TABLE_SIZE; i++)
		pf->table[i] = SHORT_BUCKET << 8;
	add_sets(pf, sets, r);
	rc = 0;
out:
	free(r);
	if (rc) {
		prefilter_free(pf);
		err_nomem(e);
		return NULL;
	}
	return pf;
}

void prefilter_free(struct prefilter *pf)
{
	if (!pf)
		return;
	free(pf->literals);
	free(pf->text);
	free(pf->covers);
	free(pf->fours.v);
	free(pf->twos.v);
	free(pf);
}

bool prefilter_covers(const struct prefilter *pf, size_t id)
{
	return id < pf->n_sets && pf->covers[id];
}

/* Finding. */

static void report(struct finder *f, size_t pos, uint32_t id)
{
	struct prefilter_hits *h = f->hits;

	if (h->n == h->cap) {
		size_t cap = h->cap ? h->cap * 2 : 256;
		struct prefilter_hit *v = realloc(h->v, cap * sizeof *v);

		if (!v) {
			f->nomem = true;
			return;
		}
		h->v = v;
		h->cap = cap;
	}
	h->v[h->n++] = (struct prefilter_hit){ (uint32_t)pos, id };
}

static bool equal(const unsigned char *literal, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (literal[i] != fold((unsigned char)text[i]))
			return false;
	return true;
}

/* Compare the literals that may have `gram` at place p of the text. */
static void confirm(
    struct finder *f, const struct chains *c, uint32_t gram, size_t p)
{
	const struct prefilter *pf = f->pf;
	uint32_t next = c->head[head_of(gram)];

	while (next != NO_ENTRY) {
		const struct entry *e = &c->v[next];
		const struct literal *l = &pf->literals[e->literal];

		next = e->next;
		if (e->gram != gram || e->off > p ||
		    l->len > f->text.n - (p - e->off))
			continue;
		if (equal(pf->text + l->at, f->text.p + (p - e->off), l->len))
			report(f, p - e->off, l->id);
	}
}

static void confirm_four(struct finder *f, size_t p)
{
	confirm(f, &f->pf->fours, load_four(f->text.p + p), p);
}

static void find_long(struct finder *f)
{
	const uint16_t *table = f->pf->table;
	const char *s = f->text.p;
	size_t n = f->text.n, p = 0;
	unsigned a, b;

	if (n >= 8) {
		a = table[slot(load_four(s))];
		b = table[slot(load_four(s + 2))];
		/* Four places at a time: one branch for all of them. */
		for (; p + 14 <= n; p += 8) {
			unsigned c = table[slot(load_four(s + p + 4))];
			unsigned d = table[slot(load_four(s + p + 6))];
			unsigned g = table[slot(load_four(s + p + 8))];
			unsigned h = table[slot(load_four(s + p + 10))];
			unsigned m0 = a & c >> 8, m1 = b & d >> 8;
			unsigned m2 = c & g >> 8, m3 = d & h >> 8;

			a = g;
			b = h;
			if (!(m0 | m1 | m2 | m3))
				continue;
			if (m0)
				confirm_four(f, p);
			if (m1)
				confirm_four(f, p + 2);
			if (m2)
				confirm_four(f, p + 4);
			if (m3)
				confirm_four(f, p + 6);
		}
	}
	for (; p + FOUR <= n; p += 2)
		if (table[slot(load_four(s + p))] & 0xff)
			confirm_four(f, p);
}

static void find_short(struct finder *f)
{
	const uint64_t *pairs = f->pf->pairs;
	const char *s = f->text.p;

	for (size_t p = 0; p + 2 <= f->text.n; p += f->pf->pair_step) {
		uint32_t pair = load_two(s + p);

		if (pairs[pair / 64] >> pair % 64 & 1)
			confirm(f, &f->pf->twos, pair, p);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct prefilter_hit *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Windows lie anywhere in their literals, so hits come out of order. */
static void sort_hits(struct prefilter_hits *h)
{
	size_t kept = 0, i;

	for (i = 1; i < h->n; i++)
		if (by_place(&h->v[i - 1], &h->v[i]) >= 0)
			break;
	if (i >= h->n)
		return;
	qsort(h->v, h->n, sizeof *h->v, by_place);
	for (i = 0; i < h->n; i++)
		if (!kept || by_place(&h->v[kept - 1], &h->v[i]))
			h->v[kept++] = h->v[i];
	h->n = kept;
}

int prefilter_find(
    const struct prefilter *pf, struct span text, struct prefilter_hits *hits)
{
	struct finder f = { .pf = pf, .text = text, .hits = hits };

	hits->n = 0;
	if (pf->fours.n)
		find_long(&f);
	if (pf->pair_step)
		find_short(&f);
	if (f.nomem)
		return -1;
	sort_hits(hits);
	return 0;
}

void prefilter_hits_release(struct prefilter_hits *hits)
{
	free(hits->v);
	memset(hits, 0, sizeof *hits);
}
