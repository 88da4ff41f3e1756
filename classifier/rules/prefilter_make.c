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
	struct prefilter_chains fours, twos;
	uint32_t table[PREFILTER_TABLE];
	uint64_t known[(1u << PREFILTER_KNOWN) / 64];
	uint64_t pairs[PREFILTER_PAIRS];
};

/* A literal of a set, before equal ones are put together. */
struct draft {
	const unsigned char *text;
	uint32_t at, len, id;
};

struct maker {
	struct built *b;
	struct draft *drafts;
	struct prefilter_literal *literals;
	struct prefilter_entry *fours, *twos;
	unsigned char *text, *covers;
	uint32_t *ids;
	uint32_t n_drafts, n_literals;
};

static bool usable(const struct literals *l)
{
	return l->n && l->least >= 2;
}

/* Room for all parts behind struct built, in the order of their alignment. */
static int reserve(struct maker *m, const struct literals *sets, size_t n)
{
	size_t count = 0, bytes = 0;
	char *p;

	for (size_t i = 0; i < n; i++) {
		if (!usable(&sets[i]))
			continue;
		count += sets[i].n;
		for (size_t j = 0; j < sets[i].n; j++)
			bytes += sets[i].len[j];
	}
	m->drafts = calloc(count + 1, sizeof *m->drafts);
	m->b = calloc(1,
	    sizeof *m->b +
		count *
		    (sizeof *m->literals + sizeof *m->ids +
			2 * PREFILTER_FOUR * sizeof *m->fours) +
		bytes + n);
	if (!m->drafts || !m->b)
		return -1;
	p = (char *)(m->b + 1);
	m->literals = (struct prefilter_literal *)(void *)p;
	p += count * sizeof *m->literals;
	m->fours = (struct prefilter_entry *)(void *)p;
	p += count * PREFILTER_FOUR * sizeof *m->fours;
	m->twos = (struct prefilter_entry *)(void *)p;
	p += count * PREFILTER_FOUR * sizeof *m->twos;
	m->ids = (uint32_t *)(void *)p;
	p += count * sizeof *m->ids;
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

/* Gather the literals of all sets, equal ones once. */
static void gather(struct maker *m, const struct literals *sets, size_t n)
{
	struct prefilter_literal *last = NULL;
	uint32_t at = 0;

	for (size_t i = 0; i < n; i++) {
		m->covers[i] = usable(&sets[i]);
		for (size_t j = 0; m->covers[i] && j < sets[i].n; j++) {
			uint32_t len = (uint32_t)sets[i].len[j];
			const char *s = sets[i].text[j];

			for (uint32_t k = 0; k < len; k++)
				m->text[at + k] =
				    prefilter_fold((unsigned char)s[k]);
			m->drafts[m->n_drafts++] = (struct draft){ m->text + at,
				at, len, (uint32_t)i };
			at += len;
		}
	}
	qsort(m->drafts, m->n_drafts, sizeof *m->drafts, by_text);
	for (uint32_t i = 0; i < m->n_drafts; i++) {
		const struct draft *d = &m->drafts[i];

		if (!last || last->len != d->len ||
		    memcmp(m->text + last->at, d->text, d->len) != 0) {
			last = &m->literals[m->n_literals++];
			*last =
			    (struct prefilter_literal){ d->at, d->len, i, i };
		}
		m->ids[last->id_end++] = d->id;
	}
}

static void add_entry(struct prefilter_chains *c, struct prefilter_entry *v,
    struct prefilter_entry e)
{
	uint32_t *head = &c->head[prefilter_head(e.key)];

	e.next = *head;
	*head = c->n;
	v[c->n++] = e;
}

#define BEHIND 2                       /* bytes behind a window that count */
#define SEEN (PREFILTER_FOUR + BEHIND) /* with the window */
#define ANY_COST 4 /* any bytes behind it: all that begins so is looked at */
#define PARTIAL 20 /* bits of surprise in a window that is not full, about */

/* What is seen from place off of a literal on; bit k of the result is set when
 * byte k lies outside of it and may be any. */
static unsigned look(
    const unsigned char *s, uint32_t len, int32_t off, unsigned char seen[SEEN])
{
	unsigned any = 0;

	for (int32_t k = 0; k < SEEN; k++) {
		bool inside = off + k >= 0 && off + k < (int32_t)len;

		seen[k] = inside ? s[off + k] : 0;
		any |= (unsigned)!inside << k;
	}
	return any;
}

/* Set the bits for what is seen, with each byte where it may be any. */
static void set_bits(struct built *b, unsigned char seen[SEEN], unsigned any)
{
	uint32_t slot;
	int k = 0;

	if (any >> PREFILTER_FOUR) {
		slot = prefilter_slot(prefilter_four(seen));
		b->table[slot] = UINT32_MAX;
		return;
	}
	while (k < PREFILTER_FOUR && !(any >> k & 1))
		k++;
	if (k == PREFILTER_FOUR) {
		slot = prefilter_slot(prefilter_four(seen));
		b->table[slot] |= (uint32_t)1
		    << prefilter_sign(prefilter_two(seen + PREFILTER_FOUR));
		return;
	}
	for (unsigned char c = 0; c < 32; c++) {
		seen[k] = c;
		set_bits(b, seen, any & ~(1u << k));
	}
}

/* How good it is to look for a literal from off on: bits of surprise, less for
 * what fills much of the table. */
static int worth(const unsigned char *s, uint32_t len, int32_t off)
{
	unsigned char seen[SEEN];
	unsigned any = look(s, len, off, seen);
	int first, second;

	if (off < 0)
		return off == -1 && !any ? PARTIAL
		    : off == -1          ? PARTIAL - 4
					 : -1;
	first = rarity_four(seen);
	if (any)
		return 2 * first - ANY_COST;
	/* the bytes that end two behind the window */
	second = rarity_four(seen + BEHIND);
	return first > second ? 2 * first + second / 2 : 2 * second + first / 2;
}

/* Let a literal be found by what is seen from off on. */
static void add_window(
    struct maker *m, uint32_t i, const unsigned char *s, int32_t off)
{
	unsigned char seen[SEEN];
	unsigned any = look(s, m->literals[i].len, off, seen);
	uint32_t four = prefilter_four(seen);
	uint32_t two = prefilter_two(seen + PREFILTER_FOUR), key, known;

	if (off < 0)
		four = prefilter_without(four, (size_t)-off);
	key = prefilter_key(four, any >> PREFILTER_FOUR ? 0 : two);
	known = prefilter_known(key);
	m->b->known[known / 64] |= (uint64_t)1 << known % 64;
	add_entry(
	    &m->b->fours, m->fours, (struct prefilter_entry){ key, 0, i, off });
	set_bits(m->b, seen, any);
}

static void add_long(struct maker *m, uint32_t i)
{
	const struct prefilter_literal *l = &m->literals[i];
	const unsigned char *s = m->text + l->at;

	for (int32_t k = -2; k < PREFILTER_FOUR - 2; k++) {
		int32_t best = k;

		for (int32_t off = k; off + PREFILTER_FOUR <= (int32_t)l->len;
		     off += PREFILTER_FOUR)
			if (worth(s, l->len, off) > worth(s, l->len, best))
				best = off;
		add_window(m, i, s, best);
	}
}

static void add_pair(struct maker *m, uint32_t i, uint32_t off)
{
	uint32_t pair = prefilter_two(m->text + m->literals[i].at + off);

	m->b->pairs[pair / 64] |= (uint64_t)1 << pair % 64;
	add_entry(&m->b->twos, m->twos,
	    (struct prefilter_entry){ pair, 0, i, (int32_t)off });
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

static void connect(struct maker *m, size_t n)
{
	struct built *b = m->b;

	b->fours.v = m->fours;
	b->twos.v = m->twos;
	b->pf.table = b->table;
	b->pf.known = b->known;
	b->pf.pairs = b->pairs;
	b->pf.fours = &b->fours;
	b->pf.twos = &b->twos;
	b->pf.literals = m->literals;
	b->pf.text = m->text;
	b->pf.ids = m->ids;
	b->pf.covers = m->covers;
	b->pf.n_sets = (uint32_t)n;
	b->pf.owned = b;
}

struct prefilter *prefilter_new(
    const struct literals *sets, size_t n, struct err *e)
{
	struct maker m = { 0 };

	if (reserve(&m, sets, n)) {
		free(m.drafts);
		free(m.b);
		err_nomem(e);
		return NULL;
	}
	gather(&m, sets, n);
	free(m.drafts);
	for (size_t i = 0; i < PREFILTER_HEADS; i++)
		m.b->fours.head[i] = m.b->twos.head[i] = PREFILTER_NONE;
	for (uint32_t i = 0; i < m.n_literals; i++) {
		if (m.literals[i].len < PREFILTER_LEAST)
			add_short(&m, i);
		else
			add_long(&m, i);
	}
	connect(&m, n);
	return &m.b->pf;
}

void prefilter_free(struct prefilter *pf)
{
	if (pf)
		free(pf->owned);
}
