/*
 * A Bloom filter: a few bits for each stamp, which is a hash already.
 */
#include "reports/store/store_known.h"

#include "reports/store/store_private.h"
#include "reports/store/store_table.h"

#include <stdlib.h>

#define LEAST ((uint64_t)1 << 16) /* stamps that it has room for */
#define MOST ((uint64_t)1 << 21)  /* readings, else it is never learned */
#define BITS 16                   /* for a stamp */
#define PROBES 4
#define DEAR 32 /* readings are looked at in the time of one question */

int store_known_init(struct store_known *k)
{
	*k = (struct store_known){ .size = 0 };
	return pthread_mutex_init(&k->lock, NULL) ? -1 : 0;
}

void store_known_release(struct store_known *k)
{
	free(k->bits);
	pthread_mutex_destroy(&k->lock);
}

static size_t place(const struct store_known *k, struct hash_value v, int i)
{
	return (size_t)(v.low + (uint64_t)i * (v.high | 1)) & (k->size - 1);
}

bool store_known_lacks(struct store_known *k, struct hash_value stamp)
{
	bool lacks = false;

	pthread_mutex_lock(&k->lock);
	for (int i = 0; k->bits && !lacks && i < PROBES; i++) {
		size_t at = place(k, stamp, i);

		lacks = !(k->bits[at / 64] >> at % 64 & 1);
	}
	pthread_mutex_unlock(&k->lock);
	return lacks;
}

/* What it cannot hold any more is learned anew some time. */
static void forget(struct store_known *k)
{
	free(k->bits);
	k->bits = NULL;
	k->asked = false;
	k->vain = 0;
}

void store_known_add(struct store_known *k, struct hash_value stamp)
{
	pthread_mutex_lock(&k->lock);
	if (k->bits && !k->room--)
		forget(k);
	for (int i = 0; k->bits && i < PROBES; i++) {
		size_t at = place(k, stamp, i);

		k->bits[at / 64] |= (uint64_t)1 << at % 64;
	}
	pthread_mutex_unlock(&k->lock);
}

static int count_row(void *ctx, const struct store_cell *row, struct err *e)
{
	uint64_t *n = ctx;

	(void)e;
	*n = (uint64_t)row->number;
	return 0;
}

static void add_text(struct store_known *k, const char *stamp)
{
	struct hash_value v;

	if (store_hash_read(span_of(stamp), &v))
		store_known_add(k, v);
}

static int stamp_row(void *ctx, const struct store_cell *row, struct err *e)
{
	(void)e;
	if (row->text)
		add_text(ctx, row->text);
	return 0;
}

/* About how many readings there are, without counting them. */
static int ask_count(struct store *s, uint64_t *n, struct err *e)
{
	static const struct store_table number = { "", 1, 1,
		{ { "n", true } } };
	struct store_rows to = { .each = count_row, .ctx = n };

	return s->backend->rows(s,
	    "SELECT coalesce((SELECT max(id) FROM reading)"
	    " - (SELECT min(id) FROM reading) + 1, 0)",
	    &number, &to, e);
}

/* Without memory for it nothing is learned. */
static int learn(struct store *s, struct store_known *k, struct err *e)
{
	static const struct store_table stamps = { "", 1, 1,
		{ { "stamp", false } } };
	struct store_known n;
	struct store_rows to = { .each = stamp_row, .ctx = &n };
	int rc = 0;

	if (store_known_init(&n))
		return 0;
	for (n.room = LEAST; n.room < 2 * k->readings;)
		n.room *= 2;
	n.size = (size_t)n.room * BITS;
	n.bits = calloc(n.size / 64, sizeof *n.bits);
	if (n.bits)
		rc = s->backend->rows(
		    s, "SELECT stamp FROM reading", &stamps, &to, e);
	for (size_t i = 0; i < s->n_pending; i++)
		add_text(&n, s->pending[i].stamp);
	pthread_mutex_lock(&k->lock);
	if (!rc && n.bits) {
		k->bits = n.bits;
		k->size = n.size;
		k->room = n.room;
		n.bits = NULL;
	}
	pthread_mutex_unlock(&k->lock);
	store_known_release(&n);
	return rc;
}

int store_known_vain(struct store *s, struct err *e)
{
	struct store_known *k = &s->known;

	if (k->bits)
		return 0;
	if (!k->asked && ask_count(s, &k->readings, e))
		return -1;
	k->asked = true;
	if (k->readings > MOST || ++k->vain < k->readings / DEAR)
		return 0;
	return learn(s, k, e);
}
