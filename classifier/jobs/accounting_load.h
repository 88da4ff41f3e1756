/*
 * What the readers of job records share: the file being read, notes, and a
 * record in the making. Inside jobs/accounting*.c only.
 */
#ifndef JOBS_ACCOUNTING_LOAD_H
#define JOBS_ACCOUNTING_LOAD_H

#include "base/err.h"
#include "base/text.h"
#include "jobs/accounting.h"
#include "jobs/accounting_map.h"
#include "jobs/accounting_pool.h"
#include "jobs/accounting_values.h"

#include <stdatomic.h>

struct json;

/* Of a string that names no record, and one that names several. */
#define ACCOUNTING_NO_RECORD UINT32_MAX
#define ACCOUNTING_SEVERAL (UINT32_MAX - 1)

struct accounting {
	const struct taxonomy *tax;
	struct accounting_pool pool;
	/* Until accounting_settle in the order of the files, then as
	 * accounting_at gives them. */
	struct job_record *v;
	size_t n, cap;
	uint64_t lost;
	atomic_bool *used;
	uint32_t *named; /* the first record of a name, by arena_place */
	bool several;    /* clusters: then names with theirs are there, too */
	struct accounting_map *maps[ACCOUNTING_MAPS]; /* read when needed */
};

/* Kinds of trouble; each has its words in accounting.c. */
enum trouble {
	TROUBLE_ROW, /* lost */
	TROUBLE_STEP,
	TROUBLE_ID,
	TROUBLE_TIME,
	TROUBLE_SECONDS,
	TROUBLE_STATE,
	TROUBLE_GPUS,
	TROUBLE_REQUESTED,
	TROUBLE_NODES,
	TROUBLE_NUMBER,
	TROUBLE_FORMAT, /* about the file */
	TROUBLE_COUNT
};

struct load {
	struct accounting *a;
	const struct accounting_options *o;
	const struct accounting_reader *reader; /* NULL: not known yet */
	struct accounting_map *map;             /* the user's, or NULL */
	char *path;                             /* in the pool */
	uint64_t line;                          /* of the text that is next */
	size_t first;                           /* the file's first record */
	size_t held; /* bytes of what the reader keeps until the file ends */
	struct accounting_clock clock;
	int64_t now; /* microseconds */
	uint64_t troubles[TROUBLE_COUNT];
	void *state; /* the reader's; freed by its close */
	struct err *e;
};

struct accounting_reader {
	const char *name; /* as the error for an unknown file lists it */
	/* Whether a file that begins so is of this format. */
	bool (*fits)(const struct taxonomy *tax, struct span head);
	/*
	 * Take the whole records at the start of text. *used says how far;
	 * the rest comes again with more behind it. last: there is no more.
	 * -1 with l->e set.
	 */
	int (*read)(struct load *l, struct span text, bool last, size_t *used);
	void (*close)(void *state); /* of no state too; may be NULL */
};

extern const struct accounting_reader accounting_sacct,
    accounting_sacct_headless, accounting_jobcomp, accounting_slurm_json,
    accounting_philly, accounting_kubernetes, accounting_csv,
    accounting_json_lines;

/* Tell of trouble at a line, unless enough was told of its kind. */
void accounting_note(struct load *l, enum trouble kind, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* ---- accounting_draft.c: a record in the making ---- */

struct draft {
	struct job_record r; /* strings in the pool */
	int64_t elapsed;     /* seconds, as told; or USAGE_UNKNOWN */
	int64_t gres_gpus;   /* per node; from AllocGRES */
	int64_t requested;   /* GPUs asked for */
	int64_t gpu_milli;   /* thousandths of a GPU, each */
	int64_t node_count;
	int64_t array_job, array_task, het_job, het_offset; /* or -1 */
	char *gres;        /* read when the number of nodes is known */
	bool local;        /* a time went through the process's zone */
	bool state_known;  /* r.end is settled */
	bool steps_follow; /* they may know the GPUs better than requested */
	const struct accounting_map *map; /* or NULL */
};

void accounting_draft_init(struct draft *d, const struct load *l,
    const struct accounting_map *map, uint64_t line);
/* Put a value into a column. -1: out of memory. */
int accounting_draft_set(
    struct load *l, struct draft *d, enum accounting_column c, struct span v);
/* Check it, and add it to the records. -1: out of memory. */
int accounting_draft_add(struct load *l, struct draft *d);

/* GPUs asked for stand in for those allocated when the job has run. */
void accounting_draft_requested(
    struct load *l, struct job_record *r, int64_t gpus);

/* What a step says that its job's record may lack. */
struct accounting_step {
	char *job;     /* in the pool */
	char *cluster; /* or NULL */
	uint64_t line;
	int64_t gpus, started; /* or unknown */
	int exit_code, signal;
	bool out_of_memory;
};

void accounting_draft_step(
    struct load *l, struct job_record *r, const struct accounting_step *s);

/* ---- accounting_table.c: rows under a header ---- */

struct accounting_table {
	char *header; /* owns the names */
	struct span *names, *fields;
	size_t n, cap; /* of names; of fields */
	const struct accounting_map *map;
	int at[COLUMN_COUNT]; /* index of the field, or -1 */
};

void accounting_table_release(struct accounting_table *t);
struct accounting_names accounting_table_names(struct accounting_table *t);
/* Where the map's columns are. */
void accounting_table_bind(
    struct accounting_table *t, const struct accounting_map *map);
/* Fill in the draft from t->fields. -1: out of memory. */
int accounting_table_draft(
    struct load *l, const struct accounting_table *t, struct draft *d);
/* Room for n fields. -1: out of memory. */
int accounting_table_room(struct accounting_table *t, size_t n);

/* The built-in map; NULL with l->e set: out of memory. */
const struct accounting_map *accounting_load_map(
    struct load *l, enum accounting_builtin which);
/* The map for a file with these columns: the user's, one of the built-in
 * ones, or the usual names, of which a note tells. NULL with l->e set. */
const struct accounting_map *accounting_load_choose(
    struct load *l, const struct accounting_names *names);
/* Count the lines of text that a reader has used. */
void accounting_load_lines(struct load *l, struct span text);

/* ---- accounting_json.c ---- */

/* Where in a JSON text of several records a reader is; {0} at its start. */
struct accounting_walk {
	int place;
	bool lines; /* every record has a line of its own */
	bool any;   /* one was found */
};

/*
 * Give the records in text, one after the other: the elements of a top-level
 * array, of the array that is member `key` of a top-level object, and other
 * top-level objects. key may be NULL. As the read of a reader.
 */
struct accounting_elements {
	const char *key;
	int (*record)(struct load *l, const struct json *v, uint64_t line);
};
int accounting_json_walk(struct load *l, struct accounting_walk *w,
    const struct accounting_elements *what, struct span text, bool last,
    size_t *used);

/* A number, a {"set":true,"number":N}, or digits in a text. */
bool accounting_json_number(const struct json *v, int64_t *out);
/* The member at a path of keys with '.', or NULL. */
const struct json *accounting_json_find(
    const struct json *object, struct span path);
/* A text, or a number or a truth value written out into buf. */
struct span accounting_json_words(const struct json *v, char buf[32]);

/* Whether head begins with c, blanks aside, and holds the key. */
bool accounting_json_head(struct span head, char c, const char *key);

/* Index of the first record that a name names in a cluster (NULL: not told), or
 * ACCOUNTING_NO_RECORD. */
uint32_t accounting_named(
    const struct accounting *a, const char *cluster, struct span name);
/* How a name is known that has its cluster with it. -1: it does not fit. */
#define ACCOUNTING_QUALIFIED 512
int accounting_qualified(
    const char *cluster, struct span name, char out[ACCOUNTING_QUALIFIED]);

#endif
