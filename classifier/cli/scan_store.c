/*
 * A reading is known by a stamp: the state of its files, mixed with everything
 * else that the answers depend on (rules, version, limits, layout). Records
 * are looked up again: if one has changed, or has come, the reading is made
 * anew.
 */
#include "cli/scan_store.h"

#include "base/array.h"
#include "base/err.h"
#include "base/buf.h"
#include "cli/learning.h"
#include "cli/period.h"
#include "cli/unusual.h"
#include "jobs/accounting.h"
#include "jobs/stamp.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct scan_store {
	struct store *store;
	struct hash_value salt;
	const struct accounting *records; /* or NULL */
	struct triage_memory memory;
	struct store_item **items; /* of the reading in progress */
	size_t n, cap;
	struct unusual unusual;    /* as it was when the scan began */
	struct learning *learning; /* or NULL */
	_Atomic uint64_t recalled;
};

struct answer {
	struct store_recalled *rows;
	size_t n;
};

static struct hash_value mixed(struct hash_value salt, struct hash_value v)
{
	const struct hash_value both[] = { salt, v };
	struct hash_value all = hash_of(both, sizeof both);

	all.high = (all.high & STAMP_HASH) | (v.high & ~STAMP_HASH);
	return all;
}

/* Whether each job's record is what it was. */
static bool records_agree(const struct scan_store *k, const struct answer *a)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct store_recalled *r = &a->rows[i];
		const struct job_record *rec = k->records
		    ? accounting_lookup(k->records, r->lookup)
		    : NULL;
		struct hash_value now = { 0, 0 };

		if (rec)
			now = rec->digest;
		if (now.low != r->joined.low || now.high != r->joined.high)
			return false;
	}
	for (size_t i = 0; k->records && i < a->n; i++) {
		const struct job_record *rec =
		    accounting_lookup(k->records, a->rows[i].lookup);

		if (rec)
			accounting_use(k->records, rec);
	}
	return true;
}

static void drop(void *answer)
{
	struct answer *a = answer;

	store_recalled_free(a->rows, a->n);
	free(a);
}

static int recall(
    void *ctx, struct hash_value stamp, void **answer, struct err *e)
{
	struct scan_store *k = ctx;
	struct answer *a = calloc(1, sizeof *a);
	int rc;

	if (!a)
		return err_nomem(e);
	rc = store_recall(k->store, mixed(k->salt, stamp), &a->rows, &a->n, e);
	if (rc == 1 && records_agree(k, a)) {
		k->recalled += a->n;
		*answer = a;
		return 1;
	}
	drop(a);
	return rc < 0 ? -1 : 0;
}

static struct hash_value salt_of(
    const struct settings *s, const struct session *x)
{
	struct hash *h = hash_new();
	struct hash_value v = { 1, 1 };

	if (!h)
		return v;
	hash_add(h, x->taxonomy->hash, sizeof x->taxonomy->hash);
	hash_add(h, JOBTRIAGE_VERSION, sizeof JOBTRIAGE_VERSION);
	hash_add(h, &s->limits, sizeof s->limits);
	hash_add(h, &s->trends, sizeof s->trends);
	if (s->goodput)
		hash_add(h, &s->goodput, sizeof s->goodput);
	hash_add(
	    h, s->layout ? s->layout : "", s->layout ? strlen(s->layout) : 0);
	hash_add(
	    h, s->redact ? s->redact : "", s->redact ? strlen(s->redact) : 0);
	if (s->cluster)
		hash_add(h, s->cluster, strlen(s->cluster) + 1);
	v = hash_end(h);
	hash_free(h);
	return v;
}

struct scan_store *scan_store_open(
    const struct settings *s, struct session *x, struct err *e)
{
	struct scan_store *k = calloc(1, sizeof *k);
	unsigned wide;

	if (!k) {
		err_nomem(e);
		return NULL;
	}
	k->store = store_open(s->store, STORE_WRITE, e);
	if (!k->store || unusual_read(&k->unusual, s, x, k->store, e) ||
	    (s->learn &&
		!(k->learning =
			learning_new(s, x, &k->unusual.known, false, e)))) {
		scan_store_close(k, NULL);
		return NULL;
	}
	wide = store_open_to_all(k->store);
	if (wide && !s->quiet)
		screen_complain(
		    "%s: everybody on this machine may read what users' logs "
		    "say there (mode %04o): chmod 0640",
		    s->store, wide);
	k->records = x->options.records;
	k->salt = salt_of(s, x);
	k->memory = (struct triage_memory){ k, recall, drop };
	x->options.memory = &k->memory;
	return k;
}

int scan_store_close(struct scan_store *k, struct err *e)
{
	int rc;

	if (!k)
		return 0;
	rc = store_close(k->store, e);
	for (size_t i = 0; i < k->n; i++)
		store_item_free(k->items[i]);
	free(k->items);
	learning_free(k->learning);
	unusual_release(&k->unusual);
	free(k);
	return rc;
}

/* Of all logs, whatever their order; of the record alone when there are none.
 */
static struct hash_value content_of(const struct diagnosis *d)
{
	struct hash_value sum = { 0, 0 };
	bool any = false;

	/* equal logs of two clusters are two */
	if (d->cluster)
		sum = hash_of(d->cluster, strlen(d->cluster));
	for (size_t i = 0; i < d->n_logs; i++) {
		if (d->logs[i]->of_record)
			continue;
		hash_join(&sum, d->logs[i]->content);
		any = true;
	}
	return any || !d->record ? sum : d->record->digest;
}

static struct store_row row_of(
    const struct diagnosis *d, struct span record, const struct entry *en)
{
	return (struct store_row){ .entry = en,
		.record = record,
		.content = content_of(d),
		.key = d->key ? d->key : d->job,
		.lookup = d->lookup,
		.joined = d->record ? d->record->digest
				    : (struct hash_value){ 0, 0 } };
}

int scan_store_text(const struct diagnosis *d, struct span record,
    struct buf *out, struct err *e)
{
	const struct store_row row = row_of(d, record, NULL);

	return store_line(&row, period_now(), out) ? err_nomem(e) : 0;
}

static struct store_item *pack(struct store *s, const struct diagnosis *d,
    const struct entry *en, struct span record, struct err *e)
{
	const struct store_row row = row_of(d, record, en);

	return store_pack(s, &row, e);
}

int scan_store_add(struct scan_store *k, const struct diagnosis *d,
    const struct entry *en, struct span record, struct err *e)
{
	if (array_grow(&k->items, k->n, &k->cap, sizeof *k->items))
		return err_nomem(e);
	k->items[k->n] = pack(k->store, d, en, record, e);
	if (!k->items[k->n])
		return -1;
	k->n++;
	return k->learning ? learning_add(k->learning, d, e) : 0;
}

int scan_store_learn(struct scan_store *k, struct err *e)
{
	struct learning_done done;

	return k && k->learning ? learning_run(k->learning, k->store, &done, e)
				: 0;
}

/* What was kept of these archives themselves goes. */
static int add_opened(
    struct scan_store *k, char *const *opened, size_t n_opened, struct err *e)
{
	size_t n = k->n;

	for (size_t i = 0; i < n_opened; i++) {
		if (array_grow(&k->items, k->n, &k->cap, sizeof *k->items) ||
		    store_pack_opened(
			k->store, opened[i], k->items, n, &k->items[k->n]))
			return err_nomem(e);
		k->n += k->items[k->n] != NULL;
	}
	return 0;
}

int scan_store_reading(struct scan_store *k, struct hash_value stamp,
    char *const *opened, size_t n_opened, struct err *e)
{
	bool known = stamp.low || stamp.high;
	size_t n;

	if (add_opened(k, opened, n_opened, e))
		return -1;
	n = k->n;
	k->n = 0;
	return store_put(k->store, known ? mixed(k->salt, stamp) : stamp,
	    k->items, n, period_now(), e);
}

int scan_store_tell(const void *answer, scan_store_line *line, void *ctx)
{
	const struct answer *a = answer;

	for (size_t i = 0; i < a->n; i++)
		if (line(ctx, span_of(a->rows[i].record)))
			return -1;
	return 0;
}

uint64_t scan_store_recalled(const struct scan_store *k)
{
	return k ? k->recalled : 0;
}
