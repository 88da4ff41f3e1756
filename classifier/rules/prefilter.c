/*
 * The text is looked at in every fourth place only. There, four bytes (case
 * dropped by |0x20, which errs on the side of too much) are hashed into a
 * table that stays in the nearest caches; its entry has a bit for each way in
 * which the text may go on behind them, told by the next two bytes. Only where
 * that bit is set is a literal looked up and compared.
 *
 *   text    |CUDA| err|or: |...      a literal can lie in four ways under the
 *           [four][2]                places, and has a window for each of them
 *
 * A window of a literal of 5 or 6 bytes may begin before it, with bytes that
 * may be any. Literals of 2 to 4 bytes take a second pass over pairs.
 */
#include "rules/prefilter_private.h"

#include "base/cpu.h"
#include "base/err.h"

#include <stdlib.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAVE_AVX2 1
#else
#define HAVE_AVX2 0
#endif

struct finder {
	const struct prefilter *pf;
	struct span text;
	struct prefilter_hits *hits;
	bool nomem;
};

static void report(struct finder *f, size_t pos, const uint32_t *id, size_t n)
{
	struct prefilter_hits *h = f->hits;

	if (h->cap - h->n < n) {
		size_t cap = (h->cap ? h->cap * 2 : 256) + n;
		struct prefilter_hit *v = realloc(h->v, cap * sizeof *v);

		if (!v) {
			f->nomem = true;
			err_nomem(NULL);
			return;
		}
		h->v = v;
		h->cap = cap;
	}
	for (size_t i = 0; i < n; i++)
		h->v[h->n++] = (struct prefilter_hit){ (uint32_t)pos, id[i] };
}

static bool equal(const unsigned char *literal, const char *text, size_t n)
{
	uint64_t a, b;
	size_t i = 0;

	/* Eight at a time: as they are, or not even without their case. */
	while (i + sizeof a <= n) {
		memcpy(&a, literal + i, sizeof a);
		memcpy(&b, text + i, sizeof b);
		if ((a ^ b) & ~UINT64_C(0x2020202020202020))
			return false;
		if (a != b)
			break;
		i += sizeof a;
	}
	for (; i < n; i++)
		if (literal[i] != prefilter_fold((unsigned char)text[i]))
			return false;
	return true;
}

/* Compare the literals that may be seen at place p of the text. */
static void confirm(
    struct finder *f, const struct prefilter_chains *c, uint32_t key, size_t p)
{
	const struct prefilter *pf = f->pf;
	uint32_t next = c->head[prefilter_head(key)];

	while (next != PREFILTER_NONE) {
		const struct prefilter_entry *e = &c->v[next];
		const struct prefilter_literal *l;
		size_t start = p - (size_t)(ptrdiff_t)e->off;

		next = e->next;
		if (e->key != key || (e->off > 0 && (size_t)e->off > p))
			continue;
		l = &pf->literals[e->literal];
		if (start > f->text.n || l->len > f->text.n - start)
			continue;
		if (equal(pf->text + l->at, f->text.p + start, l->len))
			report(f, start, pf->ids + l->id, l->id_end - l->id);
	}
}

/* The windows that a literal may have of what is seen at place p. */
static void confirm_window(struct finder *f, const void *seen, size_t p)
{
	uint32_t four = prefilter_four(seen);
	uint32_t two = prefilter_two((const char *)seen + PREFILTER_FOUR);
	const uint32_t keys[] = {
		prefilter_key(four, two),
		prefilter_key(four, 0),
		prefilter_key(prefilter_without(four, 1), two),
		prefilter_key(prefilter_without(four, 2), two),
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		uint32_t known = prefilter_known(keys[i]);

		if (f->pf->known[known / 64] >> known % 64 & 1)
			confirm(f, f->pf->fours, keys[i], p);
	}
}

static inline uint32_t seen_at(const uint32_t *table, const char *p)
{
	return table[prefilter_slot(prefilter_four(p))] >>
	    prefilter_sign(prefilter_two(p + PREFILTER_FOUR)) &
	    1;
}

/* As far as all that is looked at lies in the text. Returns the place it came
 * to. */
static size_t find_portable(struct finder *f)
{
	const uint32_t *table = f->pf->table;
	const char *s = f->text.p;
	size_t n = f->text.n, p = 0;

	/* Four places at a time: one branch for all of them. */
	for (; p + 18 <= n; p += 16) {
		uint32_t a = seen_at(table, s + p);
		uint32_t b = seen_at(table, s + p + 4);
		uint32_t c = seen_at(table, s + p + 8);
		uint32_t d = seen_at(table, s + p + 12);

		if (!(a | b | c | d))
			continue;
		if (a)
			confirm_window(f, s + p, p);
		if (b)
			confirm_window(f, s + p + 4, p + 4);
		if (c)
			confirm_window(f, s + p + 8, p + 8);
		if (d)
			confirm_window(f, s + p + 12, p + 12);
	}
	return p;
}

#if HAVE_AVX2
#define AVX2 __attribute__((target("avx2")))

/* A bit for each of the eight places in 32 bytes. */
AVX2 static inline unsigned seen_at_eight(const uint32_t *table, const char *p)
{
	__m256i four = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i two = _mm256_loadu_si256(
	    (const __m256i *)(const void *)(p + PREFILTER_FOUR));
	__m256i slot, sign, entry;

	slot = _mm256_mullo_epi32(
	    _mm256_and_si256(four, _mm256_set1_epi32((int)PREFILTER_MASK)),
	    _mm256_set1_epi32((int)PREFILTER_HASH));
	sign =
	    _mm256_mullo_epi32(_mm256_and_si256(two, _mm256_set1_epi32(0x1f1f)),
		_mm256_set1_epi32((int)PREFILTER_SIGN));
	entry = _mm256_i32gather_epi32((const int *)(const void *)table,
	    _mm256_srli_epi32(slot, 32 - PREFILTER_BITS), 4);
	entry = _mm256_srlv_epi32(entry, _mm256_srli_epi32(sign, 27));
	entry = _mm256_slli_epi32(entry, 31);
	return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(entry));
}

AVX2 static size_t find_avx2(struct finder *f)
{
	const uint32_t *table = f->pf->table;
	const char *s = f->text.p;
	size_t n = f->text.n, p = 0;

	for (; p + 68 <= n; p += 64) {
		unsigned seen = seen_at_eight(table, s + p) |
		    seen_at_eight(table, s + p + 32) << 8;

		for (; seen; seen &= seen - 1) {
			size_t at =
			    p + PREFILTER_FOUR * (size_t)__builtin_ctz(seen);

			confirm_window(f, s + at, at);
		}
	}
	return p;
}
#endif

static size_t find_most(struct finder *f)
{
#if HAVE_AVX2
	if (!f->hits->portable && cpu_avx2())
		return find_avx2(f);
#endif
	return find_portable(f);
}

/* The last places, where not all that is looked at lies in the text. */
static void find_rest(struct finder *f, size_t p)
{
	for (; p < f->text.n; p += PREFILTER_FOUR) {
		unsigned char seen[PREFILTER_FOUR + 2] = { 0 };
		size_t left = f->text.n - p;

		memcpy(seen, f->text.p + p,
		    left < sizeof seen ? left : sizeof seen);
		if (f->pf->table[prefilter_slot(prefilter_four(seen))])
			confirm_window(f, seen, p);
	}
}

static void find_short(struct finder *f)
{
	const uint64_t *pairs = f->pf->pairs;
	const char *s = f->text.p;

	for (size_t p = 0; p + 2 <= f->text.n; p += f->pf->pair_step) {
		uint32_t pair = prefilter_two(s + p);

		if (pairs[pair / 64] >> pair % 64 & 1)
			confirm(f, f->pf->twos, pair, p);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct prefilter_hit *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Windows lie anywhere in their literals, so hits come a little out of order:
 * by less than a literal, unless there was a second pass. */
static void sort_hits(struct prefilter_hits *h, bool passes)
{
	size_t kept = 0;

	if (passes)
		qsort(h->v, h->n, sizeof *h->v, by_place);
	for (size_t i = 1; i < h->n; i++) {
		struct prefilter_hit hit = h->v[i];
		size_t k = i;

		for (; k > 0 && by_place(&h->v[k - 1], &hit) > 0; k--)
			h->v[k] = h->v[k - 1];
		h->v[k] = hit;
	}
	for (size_t i = 0; i < h->n; i++)
		if (!kept || by_place(&h->v[kept - 1], &h->v[i]))
			h->v[kept++] = h->v[i];
	h->n = kept;
}

int prefilter_find(
    const struct prefilter *pf, struct span text, struct prefilter_hits *hits)
{
	struct finder f = { .pf = pf, .text = text, .hits = hits };

	hits->n = 0;
	if (pf->fours->n)
		find_rest(&f, find_most(&f));
	if (pf->pair_step)
		find_short(&f);
	if (f.nomem)
		return -1;
	sort_hits(hits, pf->pair_step > 0 && hits->n > 0);
	return 0;
}

bool prefilter_covers(const struct prefilter *pf, size_t id)
{
	return id < pf->n_sets && pf->covers[id];
}

void prefilter_hits_release(struct prefilter_hits *hits)
{
	free(hits->v);
	hits->v = NULL;
	hits->n = hits->cap = 0;
}
