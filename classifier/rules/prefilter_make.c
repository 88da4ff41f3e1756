/*
 * Building the filter that prefilter.c searches with. Equal literals of several
 * sets become one; for each of the four ways in which it can lie under the
 * windows, the one window over it is chosen that logs hold least often.
 */
#include "base/err.h"
#include "rules/prefilter_private.h"
#include "rules/rarity.h"

#include <limits.h>
#include <stdlib.h>

/* All that is allocated, as one piece. */
struct built {
	struct prefilter pf;
	struct prefilter_lists fours, twos;
	uint32_t table[PREFILTER_TABLE];
	unsigned char rough[PREFILTER_TABLE];
	uint64_t pairs[PREFILTER_PAIRS];
};

/* A literal of a set, before equal ones are put together. */
struct draft {
	const unsigned char *text;
	uint32_t at, len, id;
};

/* An entry, and the list that it is to stand in. */
struct window {
	uint32_t list;
	struct prefilter_entry entry;
};

struct maker {
	struct built *b;
	struct draft *drafts;
	struct window *windows;
	struct prefilter_literal *literals;
	struct prefilter_entry *entries; /* room for those of both lists */
	unsigned char *text, *covers;
	uint32_t *ids;
	uint32_t n_drafts, n_literals, n_text, n_ids, n_windows;
	const struct literals *sets;
	const uint32_t *set_ids; /* NULL: 0, 1, ... */
	size_t n_new;
	bool same; /* no literal is new: the tables are those of the base */
};

/* What a filter that is made from nothing begins with. */
static const struct prefilter_lists no_lists;
static const struct prefilter nothing = { .fours = &no_lists,
	.twos = &no_lists };

#define SURE 7   /* bytes of a literal with four to hash however it lies */
#define BYTES 32 /* ways in which a byte counts for a slot */

static bool usable(const struct literals *l)
{
	return l->n && l->least >= 2;
}

/* How many entries a literal has at most: one for each way in which it can lie
 * under the places; in two of them the shortest lack one of the four. */
static size_t most_entries(size_t len)
{
	return len < SURE ? 2 + 2 * BYTES : PREFILTER_STEP;
}

static uint32_t entries_of(const struct prefilter_lists *c)
{
	return c ? c->start[PREFILTER_LISTS] : 0;
}

/* Room for all parts behind struct built, in the order of their alignment. */
static int reserve(struct maker *m, const struct prefilter *base, size_t n)
{
	const struct literals *sets = m->sets;
	size_t count = 0, bytes = 0, entries = 0;
	size_t kept =
	    entries_of(base->more_fours) + entries_of(base->more_twos);
	char *p;

	for (size_t i = 0; i < m->n_new; i++) {
		if (!usable(&sets[i]))
			continue;
		count += sets[i].n;
		for (size_t j = 0; j < sets[i].n; j++) {
			bytes += sets[i].len[j];
			entries += most_entries(sets[i].len[j]);
		}
	}
	m->same = !count && base->n_sets;
	m->drafts = calloc(count + 1, sizeof *m->drafts);
	m->windows = calloc(entries + 1, sizeof *m->windows);
	entries += kept;
	bytes += base->n_text;
	m->b = calloc(1,
	    sizeof *m->b + (base->n_literals + count) * sizeof *m->literals +
		(base->n_ids + count) * sizeof *m->ids +
		entries * sizeof *m->entries + bytes + n);
	if (!m->drafts || !m->windows || !m->b)
		return -1;
	p = (char *)(m->b + 1);
	m->literals = (struct prefilter_literal *)(void *)p;
	p += (base->n_literals + count) * sizeof *m->literals;
	m->entries = (struct prefilter_entry *)(void *)p;
	p += entries * sizeof *m->entries;
	m->ids = (uint32_t *)(void *)p;
	p += (base->n_ids + count) * sizeof *m->ids;
	m->text = (unsigned char *)p;
	m->covers = m->text + bytes;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	const struct draft *x = a, *y = b;
	int rc;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	rc = memcmp(x->text, y->text, x->len);
	if (rc)
		return rc;
	return (x->id > y->id) - (x->id < y->id);
}

/* Take over what a filter looks for, less the sets that are gone. */
static void take_over(
    struct maker *m, const struct prefilter *base, const uint32_t *number)
{
	struct prefilter *pf = &m->b->pf;

	if (!number || !base->n_sets)
		return;
	if (!m->same) {
		memcpy(m->b->table, base->table, sizeof m->b->table);
		memcpy(m->b->rough, base->rough, sizeof m->b->rough);
		memcpy(m->b->pairs, base->pairs, sizeof m->b->pairs);
		memcpy(m->text, base->text, base->n_text);
	}
	for (uint32_t i = 0; i < base->n_literals; i++) {
		const struct prefilter_literal *l = &base->literals[i];
		struct prefilter_literal *to = &m->literals[i];

		*to = (struct prefilter_literal){ l->at, l->len, m->n_ids,
			m->n_ids };
		for (uint32_t k = l->id; k < l->id_end; k++)
			if (number[base->ids[k]] != PREFILTER_GONE)
				m->ids[to->id_end++] = number[base->ids[k]];
		m->n_ids = to->id_end;
	}
	m->n_literals = base->n_literals;
	m->n_text = base->n_text;
	for (uint32_t i = 0; i < base->n_sets; i++)
		if (number[i] != PREFILTER_GONE)
			m->covers[number[i]] = base->covers[i];
	pf->pair_step = base->pair_step;
}

/* Gather the literals of all sets, equal ones once. */
static void gather(struct maker *m)
{
	const struct literals *sets = m->sets;
	struct prefilter_literal *last = NULL;
	uint32_t at = m->n_text;

	for (size_t i = 0; i < m->n_new; i++) {
		uint32_t id = m->set_ids ? m->set_ids[i] : (uint32_t)i;

		if (!usable(&sets[i]))
			continue;
		m->covers[id] = 1;
		for (size_t j = 0; j < sets[i].n; j++) {
			uint32_t len = (uint32_t)sets[i].len[j];
			const char *s = sets[i].text[j];

			for (uint32_t k = 0; k < len; k++)
				m->text[at + k] =
				    prefilter_fold((unsigned char)s[k]);
			m->drafts[m->n_drafts++] =
			    (struct draft){ m->text + at, at, len, id };
			at += len;
		}
	}
	qsort(m->drafts, m->n_drafts, sizeof *m->drafts, by_text);
	for (uint32_t i = 0; i < m->n_drafts; i++) {
		const struct draft *d = &m->drafts[i];

		if (!last || last->len != d->len ||
		    memcmp(m->text + last->at, d->text, d->len) != 0) {
			last = &m->literals[m->n_literals++];
			*last = (struct prefilter_literal){ d->at, d->len,
				m->n_ids, m->n_ids };
		}
		m->ids[last->id_end++] = d->id;
		m->n_ids++;
	}
	m->n_text = at;
}

static void add_entry(struct maker *m, uint32_t list, struct prefilter_entry e)
{
	m->windows[m->n_windows++] = (struct window){ list, e };
}

/* What is seen from place off of a literal on; bit k of the result is set when
 * byte k lies outside of it and may be any. */
static unsigned look(const unsigned char *s, uint32_t len, int32_t off,
    unsigned char seen[PREFILTER_SEEN])
{
	unsigned any = 0;

	for (int32_t k = 0; k < PREFILTER_SEEN; k++) {
		bool inside = off + k >= 0 && off + k < (int32_t)len;

		seen[k] = inside ? s[off + k] : 0;
		any |= (unsigned)!inside << k;
	}
	return any;
}

#define SIGN_BITS 3 /* what one of the 16 bits around the four tells */
#define MORE_BITS 4 /* eight bytes tell more than the rarest four in them */

/* Bits of look: bytes before the four in the middle, these, those behind. */
#define BEFORE 0x03u
#define FOUR 0x3cu
#define BEHIND 0xc0u

/* Set the bits in a slot for what is seen around its four bytes. */
static void set_bits(
    struct built *b, uint32_t slot, const unsigned char *seen, unsigned any)
{
	uint32_t before = 1u << prefilter_sign(seen);
	uint32_t behind = 1u << prefilter_sign(seen + PREFILTER_BEHIND);
	unsigned rough = 1u << prefilter_rough(seen);

	if (any & BEFORE)
		before = 0xffff;
	if (any & BEHIND) {
		behind = 0xffff;
		rough = 0xff;
	}
	b->table[slot] |= before | behind << 16;
	b->rough[slot] |= (unsigned char)rough;
}

/* Let e be found by what is seen. Where one of the four may be any, by each
 * byte that there is. */
static void add_window(struct maker *m, unsigned char *seen, unsigned any,
    struct prefilter_entry e)
{
	uint32_t slot, list, last = PREFILTER_LISTS;
	unsigned char mask[PREFILTER_SEEN], *open = NULL;

	for (int k = 0; k < PREFILTER_SEEN; k++) {
		mask[k] = any >> k & 1 ? 0 : 0xff;
		if (any & FOUR & 1u << k)
			open = &seen[k];
	}
	memcpy(&e.mask, mask, sizeof e.mask);
	e.seen = prefilter_eight(seen) & e.mask;
	for (unsigned c = 0; c < (open ? BYTES : 1); c++) {
		if (open)
			*open = (unsigned char)c;
		slot = prefilter_slot(prefilter_four(seen + PREFILTER_MIDDLE));
		set_bits(m->b, slot, seen, any);
		list = prefilter_list(slot);
		if (list != last)
			add_entry(m, list, e);
		last = list;
	}
}

/*
 * How good it is to look for a literal from off on: about how many bits of
 * surprise it takes to be looked up, by what is like it, or by others in the
 * same slot; of equals, the slot that is met least often. -1: not possible.
 */
static int worth(const unsigned char *s, uint32_t len, int32_t off)
{
	unsigned char seen[PREFILTER_SEEN];
	unsigned any = look(s, len, off, seen);
	unsigned open = (any & FOUR) >> PREFILTER_MIDDLE;
	int slot, bits = 0;

	if (open)
		return open & (open - 1) ? -1 : 0;
	slot = rarity_four(seen + PREFILTER_MIDDLE);
	slot += any & BEFORE ? 0 : SIGN_BITS;
	slot += any & BEHIND ? 0 : SIGN_BITS;
	for (int k = 0; k <= PREFILTER_SEEN - RARITY_FOUR; k++) {
		int four = any >> k & 15 ? 0 : rarity_four(seen + k);

		bits = four > bits ? four : bits;
	}
	bits += MORE_BITS;
	return (slot < bits ? slot : bits) * 64 + slot;
}

/* The best of the places in a literal from off on, a step apart. */
static int32_t best_place(const unsigned char *s, uint32_t len, int32_t off)
{
	int32_t best = off;
	int most = -1;

	for (; off < (int32_t)len; off += PREFILTER_STEP) {
		int is = worth(s, len, off);

		if (is > most) {
			most = is;
			best = off;
		}
	}
	return best;
}

static void add_long(struct maker *m, uint32_t i)
{
	const struct prefilter_literal *l = &m->literals[i];
	const unsigned char *s = m->text + l->at;
	unsigned char seen[PREFILTER_SEEN];

	for (int32_t k = 0; k < PREFILTER_STEP; k++) {
		int32_t off = best_place(s, l->len, k - (PREFILTER_STEP - 1));

		add_window(m, seen, look(s, l->len, off, seen),
		    (struct prefilter_entry){ .literal = i, .off = off });
	}
}

static void add_pair(struct maker *m, uint32_t i, uint32_t off)
{
	const struct prefilter_literal *l = &m->literals[i];
	const unsigned char *s = m->text + l->at;
	unsigned char seen[PREFILTER_SEEN] = { 0 },
		      mask[PREFILTER_SEEN] = { 0 };
	struct prefilter_entry e = { .literal = i, .off = (int32_t)off };
	uint32_t pair = prefilter_two(s + off);

	m->b->pairs[pair / 64] |= (uint64_t)1 << pair % 64;
	memcpy(seen + 1 - off, s, l->len);
	memset(mask + 1 - off, 0xff, l->len);
	memcpy(&e.mask, mask, sizeof e.mask);
	e.seen = prefilter_eight(seen) & e.mask;
	add_entry(m, pair % PREFILTER_LISTS, e);
}

/* Literals of 2 to 4 bytes. With 3 there is a pair at either parity. */
static void add_short(struct maker *m, uint32_t i)
{
	struct prefilter *pf = &m->b->pf;

	add_pair(m, i, 0);
	if (m->literals[i].len == 2) {
		pf->pair_step = 1;
		return;
	}
	add_pair(m, i, 1);
	if (!pf->pair_step)
		pf->pair_step = 2;
}

/* Lists of the windows that there are, behind those of base, which may be
 * NULL: in c, or base itself where there are none. */
static const struct prefilter_lists *list_windows(struct maker *m,
    struct prefilter_lists *c, const struct prefilter_lists *base)
{
	const struct window *w = m->windows;
	uint32_t *next = c->start + 1, n = 0;

	if (!m->n_windows)
		return base;
	c->v = m->entries;
	for (uint32_t i = 0; base && i < PREFILTER_LISTS; i++)
		next[i] = base->start[i + 1] - base->start[i];
	for (uint32_t i = 0; i < m->n_windows; i++)
		next[w[i].list]++;
	for (uint32_t i = 0; i < PREFILTER_LISTS; i++) {
		uint32_t of = next[i];

		next[i] = n;
		n += of;
	}
	for (uint32_t i = 0; base && i < PREFILTER_LISTS; i++)
		for (uint32_t k = base->start[i]; k < base->start[i + 1]; k++)
			m->entries[next[i]++] = base->v[k];
	/* where the next one goes is, in the end, where the next list starts */
	for (uint32_t i = 0; i < m->n_windows; i++)
		m->entries[next[w[i].list]++] = w[i].entry;
	m->entries += n;
	m->n_windows = 0;
	return c;
}

/* The first lists are borrowed, which takes less time than a copy of some
 * forty thousand entries; what comes to them has lists of its own. */
static void connect_lists(struct maker *m, const struct prefilter_lists **first,
    const struct prefilter_lists **more, struct prefilter_lists *own)
{
	if (entries_of(*first))
		*more = list_windows(m, own, *more);
	else
		*first = list_windows(m, own, *first);
}

static void connect(struct maker *m, const struct prefilter *base, size_t n)
{
	struct built *b = m->b;

	b->pf.table = m->same ? base->table : b->table;
	b->pf.rough = m->same ? base->rough : b->rough;
	b->pf.pairs = m->same ? base->pairs : b->pairs;
	b->pf.text = m->same ? base->text : m->text;
	b->pf.literals = m->literals;
	b->pf.ids = m->ids;
	b->pf.covers = m->covers;
	b->pf.n_sets = (uint32_t)n;
	b->pf.n_literals = m->n_literals;
	b->pf.n_text = m->n_text;
	b->pf.n_ids = m->n_ids;
	b->pf.owned = b;
}

struct prefilter *prefilter_derive(const struct prefilter *base,
    const uint32_t *number, const struct literals *sets, const uint32_t *ids,
    size_t n_new, size_t n, struct err *e)
{
	struct maker m = { .sets = sets, .set_ids = ids, .n_new = n_new };
	struct prefilter *pf = NULL;

	if (!base)
		base = &nothing;
	if (reserve(&m, base, n)) {
		free(m.b);
		err_nomem(e);
		goto out;
	}
	m.b->pf.fours = base->fours;
	m.b->pf.twos = base->twos;
	m.b->pf.more_fours = base->more_fours;
	m.b->pf.more_twos = base->more_twos;
	take_over(&m, base, number);
	gather(&m);
	for (uint32_t i = base->n_literals; i < m.n_literals; i++)
		if (m.literals[i].len >= PREFILTER_LEAST)
			add_long(&m, i);
	connect_lists(&m, &m.b->pf.fours, &m.b->pf.more_fours, &m.b->fours);
	for (uint32_t i = base->n_literals; i < m.n_literals; i++)
		if (m.literals[i].len < PREFILTER_LEAST)
			add_short(&m, i);
	connect_lists(&m, &m.b->pf.twos, &m.b->pf.more_twos, &m.b->twos);
	connect(&m, base, n);
	pf = &m.b->pf;
out:
	free(m.drafts);
	free(m.windows);
	return pf;
}

struct prefilter *prefilter_new(
    const struct literals *sets, size_t n, struct err *e)
{
	return prefilter_derive(NULL, NULL, sets, NULL, n, n, e);
}

void prefilter_free(struct prefilter *pf)
{
	if (pf)
		free(pf->owned);
}
