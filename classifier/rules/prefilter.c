/*
 * The text is looked at in every fourth place only, at eight bytes. The four
 * in their middle (case dropped by |0x20, which errs on the side of too much)
 * are hashed into a table that stays in the near caches; its entry has 16 bits
 * for what may stand before them, and 16 for what may stand behind. Only where
 * both bits are set is a literal looked up and compared.
 *
 *   text    runtime|Erro|r: CUDA     a literal can lie in four ways under the
 *               [2][four][2]         places, and has a window for each of them
 *
 * The windows of a short literal have bytes outside of it, which may be any.
 * Literals of 2 to 4 bytes take a second pass over pairs.
 */
#include "rules/prefilter_private.h"

#include "base/cpu.h"

#include <stdlib.h>

struct finder {
	const struct prefilter *pf;
	struct span text;
	struct prefilter_hits *hits;
	void (*words)(const struct prefilter *pf, const char *s, uint64_t *word,
	    size_t n);
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

/* Compare the literals of a list that what is seen at place p may be of. c:
 * may be NULL. */
static void confirm(struct finder *f, const struct prefilter_lists *c,
    uint32_t list, uint64_t seen, size_t p)
{
	const struct prefilter *pf = f->pf;
	const struct prefilter_entry *e = c ? c->v + c->start[list] : NULL;
	const struct prefilter_entry *end =
	    c ? c->v + c->start[list + 1] : NULL;

	for (; e < end; e++) {
		const struct prefilter_literal *l;
		size_t start = p - (size_t)(ptrdiff_t)e->off;

		if ((seen & e->mask) != e->seen ||
		    (e->off > 0 && (size_t)e->off > p))
			continue;
		l = &pf->literals[e->literal];
		if (start > f->text.n || l->len > f->text.n - start)
			continue;
		if (equal(pf->text + l->at, f->text.p + start, l->len))
			report(f, start, pf->ids + l->id, l->id_end - l->id);
	}
}

/* What stands at place p of the text, unless the table has no such thing. */
static void confirm_window(struct finder *f, const char *s, size_t p)
{
	uint32_t slot = prefilter_slot(prefilter_four(s + PREFILTER_MIDDLE));
	uint32_t entry = f->pf->table[slot];

	if (entry >> prefilter_sign(s) &
	    entry >> 16 >> prefilter_sign(s + PREFILTER_BEHIND) & 1) {
		confirm(f, f->pf->fours, prefilter_list(slot),
		    prefilter_eight(s), p);
		confirm(f, f->pf->more_fours, prefilter_list(slot),
		    prefilter_eight(s), p);
	}
}

/*
 * Places are looked at by the word, a bit for each: set where something may
 * stand. Many words are made, without a branch, before any is looked into: to
 * be wrong about a branch would cost more than several places do.
 */
#define WORD_BYTES (64 * PREFILTER_STEP)
#define WORD_MORE (PREFILTER_SEEN - PREFILTER_STEP) /* read behind the last */
#define WORDS 64

static inline uint64_t seen_at(const unsigned char *rough, const char *p)
{
	uint32_t slot = prefilter_slot(prefilter_four(p + PREFILTER_MIDDLE));

	return rough[slot] >> prefilter_rough(p) & 1;
}

static void words_portable(
    const struct prefilter *pf, const char *s, uint64_t *word, size_t n)
{
	const unsigned char *rough = pf->rough;

	for (size_t i = 0; i < n; i++, s += WORD_BYTES) {
		uint64_t w = 0;

		/* four places at a time: the compiler does not do it */
		for (const char *p = s + WORD_BYTES; p > s;) {
			p -= 4 * PREFILTER_STEP;
			w = w * 2 + seen_at(rough, p + 3 * PREFILTER_STEP);
			w = w * 2 + seen_at(rough, p + 2 * PREFILTER_STEP);
			w = w * 2 + seen_at(rough, p + PREFILTER_STEP);
			w = w * 2 + seen_at(rough, p);
		}
		word[i] = w;
	}
}

#if CPU_AVX2
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i load(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* As prefilter_sign: of the bytes before and behind each four. */
AVX2 static inline __m256i signs_of_eight(const char *p)
{
	__m256i v = _mm256_blend_epi16(load(p), load(p + WORD_MORE), 0xaa);

	v = _mm256_and_si256(v, _mm256_set1_epi32((int)PREFILTER_MASK));
	v = _mm256_xor_si256(v, _mm256_srli_epi32(v, 7));
	v = _mm256_xor_si256(v, _mm256_srli_epi32(v, 4));
	return _mm256_and_si256(v, _mm256_set1_epi32(0x000f000f));
}

/* One after the other: that is faster than to let the processor gather them,
 * by far where it has to guard against what gathering may leak. */
AVX2 static inline __m256i entries_of(const uint32_t *table, __m256i slot)
{
	uint64_t a = (uint64_t)_mm256_extract_epi64(slot, 0);
	uint64_t b = (uint64_t)_mm256_extract_epi64(slot, 1);
	uint64_t c = (uint64_t)_mm256_extract_epi64(slot, 2);
	uint64_t d = (uint64_t)_mm256_extract_epi64(slot, 3);

	return _mm256_setr_epi32((int)table[(uint32_t)a], (int)table[a >> 32],
	    (int)table[(uint32_t)b], (int)table[b >> 32],
	    (int)table[(uint32_t)c], (int)table[c >> 32],
	    (int)table[(uint32_t)d], (int)table[d >> 32]);
}

/* A bit for each of the eight places in 32 bytes. */
AVX2 static inline uint32_t seen_at_eight(const uint32_t *table, const char *p)
{
	__m256i slot =
	    _mm256_mullo_epi32(_mm256_and_si256(load(p + PREFILTER_MIDDLE),
				   _mm256_set1_epi32((int)PREFILTER_MASK)),
		_mm256_set1_epi32((int)PREFILTER_HASH));
	__m256i entry =
	    entries_of(table, _mm256_srli_epi32(slot, 32 - PREFILTER_BITS));
	__m256i signs = signs_of_eight(p);
	__m256i before = _mm256_srlv_epi32(
	    entry, _mm256_and_si256(signs, _mm256_set1_epi32(15)));
	__m256i behind = _mm256_srlv_epi32(
	    _mm256_srli_epi32(entry, 16), _mm256_srli_epi32(signs, 16));

	/* the lowest bit of each to where movemask takes it from */
	entry = _mm256_slli_epi32(_mm256_and_si256(before, behind), 31);
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(entry));
}

AVX2 static void words_avx2(
    const struct prefilter *pf, const char *s, uint64_t *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t w = 0;

		for (int k = 0; k < 64; k += 8, s += 32)
			w |= (uint64_t)seen_at_eight(pf->table, s) << k;
		word[i] = w;
	}
}
#endif

static inline size_t first_bit(uint64_t w)
{
#ifdef __GNUC__
	return (size_t)__builtin_ctzll(w);
#else
	size_t n = 0;

	while (!(w >> n & 1))
		n++;
	return n;
#endif
}

/* n words; s is what stands at place p of the text, and WORD_MORE bytes more
 * than the words can be read. */
static void find_words(struct finder *f, const char *s, size_t p, size_t n)
{
	uint64_t word[WORDS];

	for (size_t i = 0; i < n; i++, s += WORD_BYTES, p += WORD_BYTES) {
		if (i % WORDS == 0)
			f->words(f->pf, s, word, n - i < WORDS ? n - i : WORDS);
		for (uint64_t w = word[i % WORDS]; w; w &= w - 1) {
			size_t at = PREFILTER_STEP * first_bit(w);

			confirm_window(f, s + at, p + at);
		}
	}
}

static void find_long(struct finder *f)
{
	char rest[WORD_BYTES + WORD_MORE] = { 0 };
	size_t n = f->text.n, words, p;

	words = n < WORD_MORE ? 0 : (n - WORD_MORE) / WORD_BYTES;
	p = words * WORD_BYTES;
	find_words(f, f->text.p, 0, words);
	if (p == n)
		return;
	/* a word and at most 3 bytes, in which no window lies */
	memcpy(rest, f->text.p + p, n - p);
	find_words(f, rest, p, 1);
}

static void find_short(struct finder *f)
{
	const uint64_t *pairs = f->pf->pairs;
	const char *s = f->text.p;

	for (size_t p = 0; p + 2 <= f->text.n; p += f->pf->pair_step) {
		uint32_t pair = prefilter_two(s + p);

		if (!(pairs[pair / 64] >> pair % 64 & 1))
			continue;
		confirm(f, f->pf->twos, pair % PREFILTER_LISTS, pair, p);
		confirm(f, f->pf->more_twos, pair % PREFILTER_LISTS, pair, p);
	}
}

/* Their order, and what equal ones have in common. */
static inline uint64_t key_of(const struct prefilter_hit *h)
{
	return (uint64_t)h->pos << 32 | h->id;
}

static int by_place(const void *a, const void *b)
{
	uint64_t x = key_of(a), y = key_of(b);

	return (x > y) - (x < y);
}

/* Windows lie anywhere in their literals, so hits come a little out of order:
 * by less than a literal, unless there was a second pass. */
static void sort_hits(struct prefilter_hits *h, bool passes)
{
	struct prefilter_hit *v = h->v;
	size_t kept = 0;

	if (passes)
		qsort(v, h->n, sizeof *v, by_place);
	for (size_t i = 0; i < h->n; i++) {
		struct prefilter_hit hit = v[i];
		uint64_t key = key_of(&hit);
		size_t k = kept;

		while (k > 0 && key_of(&v[k - 1]) > key)
			k--;
		if (k > 0 && key_of(&v[k - 1]) == key)
			continue;
		memmove(&v[k + 1], &v[k], (kept - k) * sizeof *v);
		v[k] = hit;
		kept++;
	}
	h->n = kept;
}

int prefilter_find(
    const struct prefilter *pf, struct span text, struct prefilter_hits *hits)
{
	struct finder f = {
		.pf = pf, .text = text, .hits = hits, .words = words_portable
	};

#if CPU_AVX2
	if (cpu_avx2())
		f.words = words_avx2;
#endif
	hits->n = 0;
	if (pf->fours->start[PREFILTER_LISTS])
		find_long(&f);
	if (pf->pair_step)
		find_short(&f);
	if (f.nomem)
		return -1;
	sort_hits(hits, pf->pair_step > 0 && hits->n > 0);
	return 0;
}

size_t prefilter_sets(const struct prefilter *pf)
{
	return pf->n_sets;
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
