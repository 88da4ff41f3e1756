/*
 * Both kinds of database understand the statements that are made here.
 */
#include "reports/store/store_table.h"

#include "base/buf.h"
#include "reports/store/store_private.h"

/* "a, b, c" of the columns [from, to); after: what follows each name. */
static int names(struct buf *b, const struct store_table *t, size_t from,
    size_t to, const char *after)
{
	int rc = 0;

	for (size_t i = from; i < to; i++) {
		const char *name = t->columns[i].name;

		rc |= buf_addf(b, "%s%s", i > from ? ", " : "", name);
		if (after)
			rc |= buf_addf(b, "%s%s", after, name);
	}
	return rc;
}

static int put_text(struct buf *b, const struct store_table *t)
{
	int rc = buf_addf(b, "INSERT INTO %s (", t->name);

	rc |= names(b, t, 0, t->n, NULL) | buf_adds(b, ") VALUES (");
	for (size_t i = 1; i <= t->n; i++)
		rc |= buf_addf(b, "%s$%zu", i > 1 ? ", " : "", i);
	rc |= buf_adds(b, ") ON CONFLICT (") | names(b, t, 0, t->n_key, NULL);
	if (t->n == t->n_key)
		return rc | buf_adds(b, ") DO NOTHING");
	return rc | buf_adds(b, ") DO UPDATE SET ") |
	    names(b, t, t->n_key, t->n, " = excluded.");
}

static int each_text(struct buf *b, const struct store_table *t)
{
	return buf_adds(b, "SELECT ") | names(b, t, 0, t->n, NULL) |
	    buf_addf(b, " FROM %s ORDER BY ", t->name) |
	    names(b, t, 0, t->n_key, NULL);
}

static int remove_text(struct buf *b, const struct store_table *t)
{
	int rc = buf_addf(b, "DELETE FROM %s WHERE ", t->name);

	for (size_t i = 0; i < t->n_key; i++)
		rc |= buf_addf(b, "%s%s = $%zu", i ? " AND " : "",
		    t->columns[i].name, i + 1);
	return rc;
}

/* One statement of a row's first t->n values. */
static int change(struct store *s, const struct store_table *t,
    int (*make)(struct buf *b, const struct store_table *t),
    const struct store_cell *row, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int rc = make(&text, t) ? err_nomem(e) : 0;

	pthread_mutex_lock(&s->lock);
	rc = rc ? rc : store_flush(s, e);
	if (!rc && s->backend->change(s, text.p, t, row, e))
		rc = err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	buf_release(&text);
	return rc;
}

int store_table_put(struct store *s, const struct store_table *t,
    const struct store_cell *row, struct err *e)
{
	return change(s, t, put_text, row, e);
}

int store_table_remove(struct store *s, const struct store_table *t,
    const struct store_cell *row, struct err *e)
{
	struct store_table key = *t;

	key.n = t->n_key;
	return change(s, &key, remove_text, row, e);
}

int store_table_each(struct store *s, const struct store_table *t,
    int (*each)(void *ctx, const struct store_cell *row, struct err *e),
    void *ctx, struct err *e)
{
	struct store_rows to = { .each = each, .ctx = ctx };
	struct buf text = BUF_INIT(BUF_MAX);
	int rc = each_text(&text, t) ? err_nomem(e) : 0;

	pthread_mutex_lock(&s->lock);
	rc = rc ? rc : store_flush(s, e);
	if (!rc && s->backend->rows(s, text.p, t, &to, e))
		rc = to.stopped ? -1 : err_prefix(e, "%s", s->url);
	pthread_mutex_unlock(&s->lock);
	buf_release(&text);
	return rc;
}
