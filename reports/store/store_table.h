/*
 * Small tables beside the diagnoses, of what people and later readings have
 * said about them: a row for each key, which a newer one replaces. A table is
 * described once, by whom it belongs to; the schemas (store_sql.c,
 * store_postgres_sql.c) make it. A role of PostgreSQL writes to those that
 * postgres_roles.sql lets it.
 */
#ifndef REPORTS_STORE_TABLE_H
#define REPORTS_STORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct store;

#define STORE_TABLE_MOST 16 /* columns */

struct store_table {
	const char *name;
	size_t n_key, n; /* columns; the key's are the first */
	struct {
		const char *name;
		bool number; /* else a text */
	} columns[STORE_TABLE_MOST];
};

/* A value; borrowed. */
struct store_cell {
	const char *text; /* NULL: null */
	int64_t number;
};

/* Put one row, of t->n cells, in the place of the one with its key. Written at
 * once. -1 with e set. */
int store_table_put(struct store *s, const struct store_table *t,
    const struct store_cell *row, struct err *e);
/* Take out the row with this key; there may be none. The other cells of row are
 * not looked at. -1 with e set. */
int store_table_remove(struct store *s, const struct store_table *t,
    const struct store_cell *row, struct err *e);
/* Each row in the order of the key. each: 0, or -1 to stop (then this is -1,
 * too). */
int store_table_each(struct store *s, const struct store_table *t,
    int (*each)(void *ctx, const struct store_cell *row, struct err *e),
    void *ctx, struct err *e);

#endif
