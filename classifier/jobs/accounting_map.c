/*
 * A column map says which column of a CSV file, or which key of a JSON lines
 * file, is what. As YAML:
 *
 *   name: our queue         what notes call it (optional)
 *   format: csv             csv, tsv or jsonl (optional: it is recognised)
 *   delimiter: ";"          one character, or tab (optional: it is recognised)
 *   time_zone: "+08:00"     of times that name none: local (the machine's,
 *                           the default), UTC, or an offset
 *   times: absolute         or relative: seconds since some start, of which
 *                           only the differences are used
 *   columns:                ours: theirs. A list of names: the first that the
 *     id: job_id            file has. In JSON, a.b is key b of object a
 *     state: status
 *     exit: exit_code       "code:signal" or a code
 *     node_separator: ";"   between the names of nodes; ",": a Slurm hostlist
 *   states:                 words for states beyond those that are known
 *     well: [SUCCESS]
 *     failed: [KILLED]
 *     running: []
 *     pending: []
 *
 * Columns: id raw_id cluster name user group partition image state reason
 * attempt requeues exit exit_code signal submit start end seconds cpus gpus
 * gpu_milli gpu_seconds tres gres requested_tres nodes node_count array_job
 * array_task het_job het_offset. Seconds may also be written DD-HH:MM:SS.
 * gpu_milli are thousandths of each GPU; tres is Slurm's AllocTRES; gres counts
 * per node.
 *
 * Only for the built-in maps there are: recognised_by, columns that a file
 * must have for the map to be taken; optional, whether columns may be missing.
 */
#include "jobs/accounting_map.h"

#include "base/buf.h"
#include "base/err.h"
#include "jobs/accounting_values.h"
#include "rules/yamldoc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const column_names[COLUMN_COUNT] = {
	[COLUMN_ID] = "id",
	[COLUMN_RAW_ID] = "raw_id",
	[COLUMN_CLUSTER] = "cluster",
	[COLUMN_NAME] = "name",
	[COLUMN_USER] = "user",
	[COLUMN_GROUP] = "group",
	[COLUMN_PARTITION] = "partition",
	[COLUMN_IMAGE] = "image",
	[COLUMN_STATE] = "state",
	[COLUMN_REASON] = "reason",
	[COLUMN_ATTEMPT] = "attempt",
	[COLUMN_REQUEUES] = "requeues",
	[COLUMN_EXIT] = "exit",
	[COLUMN_EXIT_CODE] = "exit_code",
	[COLUMN_SIGNAL] = "signal",
	[COLUMN_SUBMIT] = "submit",
	[COLUMN_START] = "start",
	[COLUMN_END] = "end",
	[COLUMN_SECONDS] = "seconds",
	[COLUMN_CPUS] = "cpus",
	[COLUMN_GPUS] = "gpus",
	[COLUMN_GPU_MILLI] = "gpu_milli",
	[COLUMN_GPU_SECONDS] = "gpu_seconds",
	[COLUMN_TRES] = "tres",
	[COLUMN_GRES] = "gres",
	[COLUMN_REQUESTED_TRES] = "requested_tres",
	[COLUMN_NODES] = "nodes",
	[COLUMN_NODE_COUNT] = "node_count",
	[COLUMN_ARRAY_JOB] = "array_job",
	[COLUMN_ARRAY_TASK] = "array_task",
	[COLUMN_HET_JOB] = "het_job",
	[COLUMN_HET_OFFSET] = "het_offset",
};

const char *accounting_map_column(enum accounting_column c)
{
	return column_names[c];
}

static int bad(const struct accounting_map *m, const struct yamldoc_node *n,
    const char *what, struct err *e)
{
	return err_set(
	    e, "%s:%u:%u: %s", yamldoc_name(m->doc), n->line, n->column, what);
}

static int read_delimiter(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	if (strcmp(n->text, "tab") == 0 || strcmp(n->text, "\\t") == 0)
		m->delimiter = '\t';
	else if (strlen(n->text) == 1 && n->text[0] != '"')
		m->delimiter = n->text[0];
	else
		return bad(m, n, "delimiter: one character, or tab", e);
	return 0;
}

static int read_zone(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	struct span s = span_of(n->text);
	int64_t h = span_number(span_sub(s, 1, 3));
	int64_t min = span_number(span_sub(s, 4, s.n));

	if (span_is(s, "local"))
		m->offset = ACCOUNTING_LOCAL;
	else if (span_is(s, "UTC") || span_is(s, "Z"))
		m->offset = 0;
	else if (s.n == 6 && (s.p[0] == '+' || s.p[0] == '-') &&
	    s.p[3] == ':' && h >= 0 && h <= 14 && min >= 0 && min <= 59)
		m->offset =
		    (int32_t)(h * 3600 + min * 60) * (s.p[0] == '-' ? -1 : 1);
	else
		return bad(m, n,
		    "time_zone: local, UTC or an offset such as \"+08:00\"", e);
	return 0;
}

static int read_name(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	(void)e;
	m->name = n->text;
	return 0;
}

static int read_format(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	if (strcmp(n->text, "tsv") == 0)
		m->delimiter = '\t';
	else if (strcmp(n->text, "csv") != 0 && strcmp(n->text, "jsonl") != 0)
		return bad(m, n, "format: csv, tsv or jsonl", e);
	return 0;
}

static int read_times(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	m->relative = strcmp(n->text, "relative") == 0;
	if (!m->relative && strcmp(n->text, "absolute") != 0)
		return bad(m, n, "times: absolute or relative", e);
	return 0;
}

static int read_optional(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	m->optional = strcmp(n->text, "true") == 0;
	if (!m->optional && strcmp(n->text, "false") != 0)
		return bad(m, n, "optional: true or false", e);
	return 0;
}

/* A list of texts, or one text. */
static int check_texts(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	if (n->kind == YAMLDOC_SCALAR && n->text[0])
		return 0;
	if (n->kind != YAMLDOC_LIST)
		return bad(m, n, "a text or a list of texts is wanted", e);
	for (const struct yamldoc_node *c = n->first; c; c = c->next)
		if (c->kind != YAMLDOC_SCALAR || !c->text[0])
			return bad(m, c, "a text is wanted", e);
	return 0;
}

static int read_recognised_by(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	m->recognised_by = n;
	return check_texts(m, n, e);
}

static int read_columns(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		const char *key = c->key->text;
		size_t i = 0;

		if (check_texts(m, c, e))
			return -1;
		if (strcmp(key, "node_separator") == 0) {
			if (c->kind != YAMLDOC_SCALAR || strlen(c->text) != 1)
				return bad(
				    m, c, "node_separator: one character", e);
			m->node_separator[0] = c->text[0];
			continue;
		}
		while (i < COLUMN_COUNT && strcmp(key, column_names[i]) != 0)
			i++;
		if (i == COLUMN_COUNT)
			return err_set(e, "%s:%u:%u: unknown column '%s'",
			    yamldoc_name(m->doc), c->key->line, c->key->column,
			    key);
		m->columns[i] = c;
	}
	return 0;
}

static int read_states(
    struct accounting_map *m, const struct yamldoc_node *n, struct err *e)
{
	static const char *const names[] = {
		[JOB_END_PENDING] = "pending",
		[JOB_END_RUNNING] = "running",
		[JOB_END_WELL] = "well",
		[JOB_END_FAILED] = "failed",
	};

	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		size_t i = JOB_END_PENDING;

		if (check_texts(m, c, e))
			return -1;
		while (
		    i <= JOB_END_FAILED && strcmp(c->key->text, names[i]) != 0)
			i++;
		if (i > JOB_END_FAILED)
			return bad(m, c->key,
			    "states: well, failed, running, pending", e);
		m->states[i] = c;
	}
	return 0;
}

static const struct {
	const char *key;
	enum yamldoc_kind kind;
	bool any; /* kind */
	int (*read)(struct accounting_map *m, const struct yamldoc_node *n,
	    struct err *e);
} keys[] = {
	{ "name", YAMLDOC_SCALAR, false, read_name },
	{ "format", YAMLDOC_SCALAR, false, read_format },
	{ "delimiter", YAMLDOC_SCALAR, false, read_delimiter },
	{ "time_zone", YAMLDOC_SCALAR, false, read_zone },
	{ "times", YAMLDOC_SCALAR, false, read_times },
	{ "optional", YAMLDOC_SCALAR, false, read_optional },
	{ "recognised_by", YAMLDOC_LIST, true, read_recognised_by },
	{ "columns", YAMLDOC_MAP, false, read_columns },
	{ "states", YAMLDOC_MAP, false, read_states },
};

static int read_map(struct accounting_map *m, struct err *e)
{
	const struct yamldoc_node *root = yamldoc_root(m->doc);

	if (root->kind != YAMLDOC_MAP)
		return bad(m, root, "a column map is a map", e);
	for (const struct yamldoc_node *n = root->first; n; n = n->next) {
		size_t i = 0, count = sizeof keys / sizeof *keys;

		while (i < count && strcmp(n->key->text, keys[i].key) != 0)
			i++;
		if (i == count)
			return err_set(e, "%s:%u:%u: unknown key '%s'",
			    yamldoc_name(m->doc), n->key->line, n->key->column,
			    n->key->text);
		if (!keys[i].any && n->kind != keys[i].kind)
			return bad(m, n,
			    keys[i].kind == YAMLDOC_MAP ? "a map is wanted"
							: "a text is wanted",
			    e);
		if (keys[i].read(m, n, e))
			return -1;
	}
	if (!m->columns[COLUMN_STATE] && !m->columns[COLUMN_EXIT] &&
	    !m->columns[COLUMN_EXIT_CODE] && !m->columns[COLUMN_ID])
		return bad(
		    m, root, "columns: at least id or state is needed", e);
	return 0;
}

struct accounting_map *accounting_map_new(
    struct span yaml, const char *name, struct err *e)
{
	struct accounting_map *m = calloc(1, sizeof *m);

	if (!m) {
		err_nomem(e);
		return NULL;
	}
	m->offset = ACCOUNTING_LOCAL;
	m->node_separator[0] = ',';
	m->doc = yamldoc_new(yaml.p, yaml.n, name, e);
	if (!m->doc)
		goto fail;
	m->name = yamldoc_name(m->doc);
	if (read_map(m, e))
		goto fail;
	return m;
fail:
	accounting_map_free(m);
	return NULL;
}

struct accounting_map *accounting_map_open(const char *path, struct err *e)
{
	struct accounting_map *m = NULL;
	struct buf text = BUF_INIT(YAMLDOC_BYTES_MAX);
	FILE *f = fopen(path, "rb");
	char piece[4096];
	size_t n;

	if (!f) {
		err_errno(e, path);
		return NULL;
	}
	while ((n = fread(piece, 1, sizeof piece, f)) > 0)
		if (buf_add(&text, piece, n)) {
			err_set(e, "%s: too big for a column map", path);
			goto out;
		}
	if (ferror(f)) {
		err_set(e, "%s: cannot be read", path);
		goto out;
	}
	if (buf_reserve(&text, 0))
		err_nomem(e);
	else
		m = accounting_map_new(
		    (struct span){ text.p, text.len }, path, e);
out:
	fclose(f);
	buf_release(&text);
	return m;
}

void accounting_map_free(struct accounting_map *m)
{
	if (m)
		yamldoc_free(m->doc);
	free(m);
}

/* The texts of a node: itself, or its children. */
static const struct yamldoc_node *first_text(const struct yamldoc_node *n)
{
	return n && n->kind == YAMLDOC_LIST ? n->first : n;
}

static const struct yamldoc_node *next_text(
    const struct yamldoc_node *n, const struct yamldoc_node *at)
{
	return n->kind == YAMLDOC_LIST ? at->next : NULL;
}

const char *accounting_map_name(const struct accounting_map *m,
    enum accounting_column c, const struct accounting_names *names)
{
	const struct yamldoc_node *n = m->columns[c];

	for (const struct yamldoc_node *t = first_text(n); t;
	     t = next_text(n, t))
		if (names->has(names->ctx, t->text))
			return t->text;
	return NULL;
}

int accounting_map_check(const struct accounting_map *m,
    const struct accounting_names *names, const char *path, struct err *e)
{
	for (size_t c = 0; c < COLUMN_COUNT && !m->optional; c++) {
		const struct yamldoc_node *n = first_text(m->columns[c]);

		if (n &&
		    !accounting_map_name(m, (enum accounting_column)c, names))
			return err_set(e,
			    "%s: has no column '%s', which %s:%u:%u names for "
			    "%s",
			    path, n->text, yamldoc_name(m->doc), n->line,
			    n->column, column_names[c]);
	}
	return 0;
}

bool accounting_map_fits(
    const struct accounting_map *m, const struct accounting_names *names)
{
	const struct yamldoc_node *r = m->recognised_by;

	/* without a signature: what makes a row a job */
	if (!r)
		return accounting_map_name(m, COLUMN_STATE, names) &&
		    (accounting_map_name(m, COLUMN_ID, names) ||
			accounting_map_name(m, COLUMN_START, names));
	for (const struct yamldoc_node *t = first_text(r); t;
	     t = next_text(r, t))
		if (!names->has(names->ctx, t->text))
			return false;
	return accounting_map_check(m, names, "", NULL) == 0;
}

bool accounting_map_state(
    const struct accounting_map *m, struct span word, enum job_end *end)
{
	for (size_t i = 0; i <= JOB_END_FAILED; i++) {
		const struct yamldoc_node *n = m->states[i];

		for (const struct yamldoc_node *t = first_text(n); t;
		     t = next_text(n, t))
			if (accounting_same(word, t->text)) {
				*end = (enum job_end)i;
				return true;
			}
	}
	return false;
}
