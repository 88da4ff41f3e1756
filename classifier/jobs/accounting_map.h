/*
 * Which column of a file is what. A map is YAML, for the built-in ones too;
 * its keys are described in accounting_map.c.
 */
#ifndef JOBS_ACCOUNTING_MAP_H
#define JOBS_ACCOUNTING_MAP_H

#include "base/text.h"
#include "diagnose/job_record.h"

struct err;
struct yamldoc;
struct yamldoc_node;

enum accounting_column {
	COLUMN_ID,
	COLUMN_RAW_ID,
	COLUMN_CLUSTER,
	COLUMN_NAME,
	COLUMN_USER,
	COLUMN_GROUP,
	COLUMN_PARTITION,
	COLUMN_IMAGE,
	COLUMN_STATE,
	COLUMN_REASON,
	COLUMN_ATTEMPT,
	COLUMN_REQUEUES,
	COLUMN_EXIT,
	COLUMN_EXIT_CODE,
	COLUMN_SIGNAL,
	COLUMN_SUBMIT,
	COLUMN_START,
	COLUMN_END,
	COLUMN_SECONDS,
	COLUMN_CPUS,
	COLUMN_GPUS,
	COLUMN_GPU_MILLI,
	COLUMN_GPU_SECONDS,
	COLUMN_TRES,
	COLUMN_GRES,
	COLUMN_REQUESTED_TRES,
	COLUMN_NODES,
	COLUMN_NODE_COUNT,
	COLUMN_ARRAY_JOB,
	COLUMN_ARRAY_TASK,
	COLUMN_HET_JOB,
	COLUMN_HET_OFFSET,
	COLUMN_COUNT
};

struct accounting_map {
	struct yamldoc *doc; /* owns all that follows */
	const char *name;    /* in notes and errors */
	/* One name or several, of which the first that is there is taken;
	 * NULL: no such column. */
	const struct yamldoc_node *columns[COLUMN_COUNT];
	const struct yamldoc_node *states[JOB_END_FAILED + 1];
	const struct yamldoc_node *recognised_by; /* or NULL */
	char delimiter; /* or '\0': told from the header */
	char node_separator[8];
	int32_t offset; /* of times without zone, as accounting_time */
	bool relative;  /* times count from some start that is not told */
	bool optional;  /* columns that are missing are no error */
};

/* ---- the built-in ones ---- */

enum accounting_builtin {
	MAP_SACCT,
	MAP_JOBCOMP,
	MAP_OPENB,
	MAP_KALOS,
	MAP_SEREN,
	MAP_HELIOS,
	MAP_USUAL, /* any file whose columns have usual names */
	ACCOUNTING_MAPS
};

/* One of taxonomy/records/. NULL with e set. */
struct accounting_map *accounting_map_built_in(
    enum accounting_builtin which, struct err *e);

const char *accounting_map_column(enum accounting_column c);

/* NULL with e set: "name:line:column: text". */
struct accounting_map *accounting_map_new(
    struct span yaml, const char *name, struct err *e);
/* The same of a file. */
struct accounting_map *accounting_map_open(const char *path, struct err *e);
void accounting_map_free(struct accounting_map *m);

/* How a row's columns are found: by name, in the header or the row. */
struct accounting_names {
	void *ctx;
	bool (*has)(void *ctx, const char *name);
};

/* The name to take for column c: the first of the map's that is there. NULL:
 * none. */
const char *accounting_map_name(const struct accounting_map *m,
    enum accounting_column c, const struct accounting_names *names);
/* Whether a built-in map is for a file with these columns. */
bool accounting_map_fits(
    const struct accounting_map *m, const struct accounting_names *names);
/* -1 with e set: a column that the map names is missing; NULL as e: only ask.
 */
int accounting_map_check(const struct accounting_map *m,
    const struct accounting_names *names, const char *path, struct err *e);

/* What the map's own words say of a state. false: nothing. */
bool accounting_map_state(
    const struct accounting_map *m, struct span word, enum job_end *end);

#endif
