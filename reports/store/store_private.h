/*
 * Between the store's front (store.c, store_item.c) and what
 * keeps its rows: one table of functions a kind of database.
 */
#ifndef REPORTS_STORE_PRIVATE_H
#define REPORTS_STORE_PRIVATE_H

#include "base/buf.h"
#include "base/deflate.h"
#include "base/err.h"
#include "reports/store/store.h"
#include "reports/store/store_known.h"
#include "reports/store/store_table.h"

#include <sys/types.h>
#include <pthread.h>

/* ---- a diagnosis as columns ---- */

enum store_kind { STORE_NULL, STORE_INTEGER, STORE_TEXT, STORE_BYTES };

struct store_value {
	enum store_kind kind;
	union {
		int64_t i;
		struct {
			uint32_t at, n; /* of text and bytes: in the item's */
		};
	};
};

/* Those that the rules of replacing need, in the table's order. */
enum store_column {
	STORE_JOB,
	STORE_ATTEMPT,
	STORE_CONTENT,
	STORE_KEY,
	STORE_LOOKUP,
	STORE_JOINED,
	STORE_SEEN,
	STORE_HAS_LOG,
	STORE_NODE,
	STORE_RECORD,
	STORE_CLUSTER,
	STORE_OTHERS /* the first of those that are only copied */
};
#define STORE_COLUMNS ((size_t)31)
#define STORE_BRIEF (STORE_COLUMNS - 1)

const char *store_column_name(size_t i);
bool store_column_counts(size_t i); /* it holds integers */
/* That records are packed with. */
extern const char store_dictionary[];

/* Of many until they are written: no larger than it must be. Without a record
 * it is store_pack_opened's. */
struct store_item {
	struct store_value v[STORE_COLUMNS];
	char bytes[];
};

/* When it was first seen. */
void store_item_seen(struct store_item *it, int64_t seen);
/* false: no 32 hexadecimal digits. */
bool store_hash_read(struct span s, struct hash_value *out);

/* ---- what keeps them ---- */

/* The diagnoses of one store_put. */
struct store_reading {
	char stamp[HASH_HEX]; /* "": not remembered */
	int64_t seen;
	struct store_item **items;
	size_t n;
};

/* A row as it is read; borrowed for the call. Its record is packed. */
struct store_kept {
	struct span content, key, lookup, joined, record;
	struct span brief; /* of STORE_BRIEFS, which have it or the record */
	int64_t seen;
};

enum store_order {
	STORE_BY_TIME,
	STORE_BRIEFS, /* by time, too */
	STORE_BY_JOB,
	STORE_OF_READING,
	STORE_OF_JOB,
	STORE_NAMED /* of the job, too: all of them */
};

struct store_query {
	enum store_order order;
	int64_t since, until; /* by time */
	const char *name;     /* a reading's stamp, or the job */
	/* 0, or -1 to stop with e set; it may read the store, not write. A
	 * reading without diagnoses gives one
	 * call, with NULL. */
	int (*row)(void *ctx, const struct store_kept *k, struct err *e);
	void *ctx;
};

/* What is answered by rows of a name and some numbers. */
enum store_question { STORE_PAST, STORE_SUMS };
#define STORE_NUMBERS 5

struct store_ask {
	enum store_question what;
	int64_t number[2]; /* these come first in the statement */
	size_t n_numbers;
	const char *text[3]; /* borrowed; may be NULL */
	size_t n_texts;
	size_t n; /* numbers of a row, at most STORE_NUMBERS */
	/* Borrowed. 0, or -1 to stop with e set. */
	int (*row)(
	    void *ctx, const char *name, const int64_t *v, struct err *e);
	void *ctx;
};

/* A line of store_export, without its end, appended. -1: out of memory. */
int store_line_write(
    const struct store_kept *k, struct span record, struct buf *out);

/* Milliseconds of a clock that only goes forward. */
int64_t store_clock_ms(void);

/* Who gets the rows of a table. */
struct store_rows {
	int (*each)(void *ctx, const struct store_cell *row, struct err *e);
	void *ctx;
	bool stopped; /* by each, which has said why */
};

struct store;

#define STORE_BATCH 256 /* diagnoses are written at once */
/* that come fast: each batch writes most of the pages of an index */
#define STORE_BATCH_FAST 1024

/* All give 0 or -1 with e set, without the URL before it. */
struct store_backend {
	/* place: what stands behind "sqlite:", or the URL. Others that are busy
	 * with it are waited for so many milliseconds. The front fills in the
	 * rest of struct store. */
	struct store *(*open)(const char *place, enum store_mode mode,
	    int patience, struct err *e);
	void (*close)(struct store *s); /* frees s */
	/* All of them or nothing. */
	int (*write)(struct store *s, const struct store_reading *r, size_t n,
	    struct err *e);
	int (*select)(
	    struct store *s, const struct store_query *q, struct err *e);
	int (*put_answer)(
	    struct store *s, const struct store_answer *a, struct err *e);
	/* A statement of store_table.c: a row's values are $1, $2, ... */
	int (*change)(struct store *s, const char *sql,
	    const struct store_table *t, const struct store_cell *row,
	    struct err *e);
	int (*rows)(struct store *s, const char *sql,
	    const struct store_table *t, struct store_rows *to, struct err *e);
	int (*ask)(struct store *s, const struct store_ask *a, struct err *e);
	int (*info)(struct store *s, struct store_info *out, struct err *e);
	int (*prune)(
	    struct store *s, int64_t before, uint64_t *n, struct err *e);
	size_t batch; /* diagnoses that come fast are written at once, most */
};

extern const struct store_backend store_sqlite, store_postgres;

/* What every kind of store begins with. */
struct store {
	const struct store_backend *backend;
	char *url;
	char *file; /* it is, when it is written; or NULL */
	dev_t dev;
	ino_t ino;
	pthread_mutex_t lock; /* recursive: store_each calls back */
	struct deflate_block *block;
	struct buf scratch; /* of an item as it is made */
	struct store_known known;
	struct store_reading *pending;
	size_t n_pending, cap_pending;
	size_t rows;   /* pending diagnoses */
	int64_t since; /* when the first came, monotonic milliseconds */
	bool failed;   /* for ever, why says how */
	struct err why;
};

/* For tests: how long to wait for another writer. */
void store_sqlite_patience(struct store *s, int milliseconds);

#endif
