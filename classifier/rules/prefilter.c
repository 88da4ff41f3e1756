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
	size_t base; /* where it begins in what hits are told of */
	struct prefilter_hits *hits;
	void (*words)(const struct prefilter *pf, const char *s, uint64_t *word,
	    size_t n);
	struct prefilter_memo *memo; /* or NULL: of a short text */
	bool nomem;
};

#define MEMO_FROM (16u << 10) /* bytes of a text that makes it worth while */
#define MEMO_BITS 8
#define MEMO_FIT 5
#define MEMO_HASH UINT64_C(0x9e3779b97f4a7c15)

/* Room for n hits in all. */
static int reserve(struct prefilter_hits *h, size_t n)
{
	size_t cap = h->cap ? h->cap * 2 : 256;
	struct prefilter_hit *v;

	if (n <= h->cap)
		return 0;
	cap = cap > n ? cap : n;
	v = realloc(h->v, cap * sizeof *v);
	if (!v)
		return -1;
	h->v = v;
	h->cap = cap;
	return 0;
}

int prefilter_hits_add(struct prefilter_hits *h, struct prefilter_hit hit)
{
	if (reserve(h, h->n + 1))
		return -1;
	h->v[h->n++] = hit;
	return 0;
}

static void report(struct finder *f, size_t pos, uint32_t literal)
{
	const struct prefilter_hit hit = { (uint32_t)(f->base + pos), literal };

	f->nomem |= prefilter_hits_add(f->hits, hit) != 0;
}

/* Eight bytes of a text, the letters in lower case. */
static inline uint64_t folded(const char *p)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t v, low, upper;

	memcpy(&v, p, sizeof v);
	low = v & each * 0x7f;
	/* its highest bit: of bytes from 'A' on, less those behind 'Z' */
	upper = (low + each * (0x80 - 'A')) ^ (low + each * (0x7f - 'Z'));
	return v | (upper & ~v & each * 0x80) >> 2;
}

static bool equal(const unsigned char *literal, const char *text, size_t n)
{
	uint64_t v;
	size_t i = 0;

	if (n < sizeof v) {
		for (; i < n; i++)
			if (literal[i] !=
			    prefilter_fold((unsigned char)text[i]))
				return false;
		return true;
	}
	for (;;) {
		memcpy(&v, literal + i, sizeof v);
		if (v != folded(text + i))
			return false;
		if (i == n - sizeof v)
			return true;
		i += sizeof v;
		i = i < n - sizeof v ? i : n - sizeof v;
	}
}

/* Compare the literal of an entry, which what is seen at place p may be of. */
static void compare(struct finder *f, const struct prefilter_entry *e, size_t p)
{
	const struct prefilter *pf = f->pf;
	const struct prefilter_literal *l = &pf->literals[e->literal];
	size_t start = p - (size_t)(ptrdiff_t)e->off;

	if ((e->off > 0 && (size_t)e->off > p) || start > f->text.n ||
	    l->len > f->text.n - start || l->id_end == l->id)
		return;
	if (equal(pf->text + l->at, f->text.p + start, l->len))
		report(f, start, e->literal);
}

/* Compare the literals of a list that what is seen at place p may be of. c:
 * may be NULL. */
static void confirm(struct finder *f, const struct prefilter_lists *c,
    uint32_t list, uint64_t seen, size_t p)
{
	const struct prefilter_entry *e = c ? c->v + c->start[list] : NULL;
	const struct prefilter_entry *end =
	    c ? c->v + c->start[list + 1] : NULL;

	for (; e < end; e++)
		if ((seen & e->mask) == e->seen)
			compare(f, e, p);
}

/*
 * What a long text shows it shows again and again, and the list of a place in
 * "Error: " has two hundred entries: those that fit what was seen are kept.
 */
struct prefilter_memo {
	uint64_t seen; /* 0: nothing yet */
	size_t n;      /* entries that fit; only so many are kept */
	const struct prefilter_entry *fit[MEMO_FIT];
};

static void remember(struct prefilter_memo *m, const struct prefilter_lists *c,
    uint32_t list, uint64_t seen)
{
	for (uint32_t i = c ? c->start[list] : 0; c && i < c->start[list + 1];
	     i++) {
		if ((seen & c->v[i].mask) != c->v[i].seen)
			continue;
		if (m->n < MEMO_FIT)
			m->fit[m->n] = &c->v[i];
		m->n++;
	}
}

static void confirm_long(
    struct finder *f, uint32_t list, uint64_t seen, size_t p)
{
	const struct prefilter *pf = f->pf;
	struct prefilter_memo *m = NULL;

	if (f->memo) {
		m = &f->memo[(seen * MEMO_HASH) >> (64 - MEMO_BITS)];
		if (m->seen != seen) {
			m->seen = seen;
			m->n = 0;
			remember(m, pf->fours, list, seen);
			remember(m, pf->more_fours, list, seen);
		}
	}
	if (!m || m->n > MEMO_FIT) {
		confirm(f, pf->fours, list, seen, p);
		confirm(f, pf->more_fours, list, seen, p);
		return;
	}
	for (size_t i = 0; i < m->n; i++)
		compare(f, m->fit[i], p);
}

/* What stands at place p of the text, unless the table has no such thing. */
static void confirm_window(struct finder *f, const char *s, size_t p)
{
	uint32_t slot = prefilter_slot(prefilter_four(s + PREFILTER_MIDDLE));
	uint32_t entry = f->pf->table[slot];

	if (entry >> prefilter_sign(s) &
	    entry >> 16 >> prefilter_sign(s + PREFILTER_BEHIND) & 1)
		confirm_long(f, prefilter_list(slot), prefilter_eight(s), p);
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

/* What is seen at a pair: eight bytes from the one before it on. */
static uint64_t around_pair(struct span text, size_t p)
{
	char seen[PREFILTER_SEEN] = { 0 };
	size_t from = p > 0 ? p - 1 : 0, n = text.n - from;

	if (p > 0 && n >= sizeof seen)
		return prefilter_eight(text.p + from);
	memcpy(seen + (p == 0), text.p + from,
	    n < sizeof seen - 1 ? n : sizeof seen - 1);
	return prefilter_eight(seen);
}

static void find_short(struct finder *f)
{
	const uint64_t *pairs = f->pf->pairs;
	const char *s = f->text.p;

	for (size_t p = 0; p + 2 <= f->text.n; p += f->pf->pair_step) {
		uint32_t pair = prefilter_two(s + p);
		uint64_t seen;

		if (!(pairs[pair / 64] >> pair % 64 & 1))
			continue;
		seen = around_pair(f->text, p);
		confirm(f, f->pf->twos, pair % PREFILTER_LISTS, seen, p);
		confirm(f, f->pf->more_twos, pair % PREFILTER_LISTS, seen, p);
	}
}

/* Their order, and what equal ones have in common. */
static inline uint64_t key_of(const struct prefilter_hit *h)
{
	return (uint64_t)h->pos << 32 | h->literal;
}

/* Windows lie anywhere in their literals, so hits come a little out of order:
 * by less than a literal. From v[from] on; returns the end of what is left. */
static size_t sort_run(struct prefilter_hit *v, size_t from, size_t n)
{
	size_t kept = from;

	for (size_t i = from; i < n; i++) {
		struct prefilter_hit hit = v[i];
		uint64_t key = key_of(&hit);
		size_t k = kept;

		while (k > from && key_of(&v[k - 1]) > key)
			k--;
		if (k > from && key_of(&v[k - 1]) == key)
			continue;
		memmove(&v[k + 1], &v[k], (kept - k) * sizeof *v);
		v[k] = hit;
		kept++;
	}
	return kept;
}

/* Sort the hits from `first` on, of which those from `second` on are of a
 * second pass. */
static int sort_hits(struct prefilter_hits *h, size_t first, size_t second)
{
	size_t a = sort_run(h->v, first, second) - first;
	size_t b = sort_run(h->v, second, h->n) - second;
	struct prefilter_hit *v, *late;

	if (reserve(h, second + 2 * b))
		return -1;
	late = memcpy(h->v + second + b, h->v + second, b * sizeof *v);
	v = h->v + first;
	h->n = first + a + b;
	/* from behind: where one of them goes no other is left */
	while (b > 0) {
		bool early = a > 0 && key_of(&v[a - 1]) > key_of(&late[b - 1]);

		v[a + b - 1] = early ? v[a - 1] : late[b - 1];
		a -= early;
		b -= !early;
	}
	return 0;
}

int prefilter_find_on(const struct prefilter *pf, struct span text, size_t from,
    size_t to, struct prefilter_hits *hits)
{
	struct finder f = { .pf = pf,
		.text = span_sub(text, from, to),
		.base = from,
		.hits = hits,
		.words = words_portable };
	struct prefilter_memo memo[1 << MEMO_BITS];
	size_t first = hits->n, second;

#if CPU_AVX2
	if (cpu_avx2())
		f.words = words_avx2;
#endif
	if (f.text.n >= MEMO_FROM)
		f.memo = memset(memo, 0, sizeof memo);
	if (pf->fours->start[PREFILTER_LISTS])
		find_long(&f);
	second = hits->n;
	if (pf->pair_step)
		find_short(&f);
	return f.nomem || (hits->n > first && sort_hits(hits, first, second))
	    ? -1
	    : 0;
}

int prefilter_find(
    const struct prefilter *pf, struct span text, struct prefilter_hits *hits)
{
	hits->n = 0;
	return prefilter_find_on(pf, text, 0, text.n, hits);
}

const uint32_t *prefilter_ids(
    const struct prefilter *pf, const struct prefilter_hit *h, size_t *n)
{
	const struct prefilter_literal *l = &pf->literals[h->literal];

	*n = l->id_end - l->id;
	return pf->ids + l->id;
}

size_t prefilter_sets(const struct prefilter *pf)
{
	return pf->n_sets;
}

size_t prefilter_length(
    const struct prefilter *pf, const struct prefilter_hit *h)
{
	return pf->literals[h->literal].len;
}

size_t prefilter_literals(const struct prefilter *pf)
{
	return pf->n_literals;
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
