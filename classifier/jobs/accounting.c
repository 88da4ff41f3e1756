/*
 * A file is pushed in pieces by input_read. The first of them choose the
 * reader; each reader takes the whole records at the start of what is there
 * and leaves the rest, to which the next piece is appended. So a file of rows
 * needs the memory of its records and of a row.
 */
#include "jobs/accounting.h"

#include "base/buf.h"
#include "base/limits.h"
#include "input/input.h"
#include "jobs/accounting_load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEAD ((size_t)64 << 10) /* that a reader is chosen by */
#define PIECE ((size_t)1 << 20) /* gathered between two reads, at least */
#define TEXT_MAX ((size_t)2 << 30)
#define TOLD 5 /* notes of one kind */

/* In this order: the first that fits reads the file. */
static const struct accounting_reader *const readers[] = {
	&accounting_sacct,
	&accounting_slurm_json,
	&accounting_jobcomp,
	&accounting_kubernetes,
	&accounting_philly,
	&accounting_json_lines,
	&accounting_sacct_headless,
	&accounting_csv,
};

#define N_READERS (sizeof readers / sizeof *readers)

/* What the rest of a kind is called in the one note at the file's end. */
static const char *const trouble_words[TROUBLE_COUNT] = {
	[TROUBLE_ROW] = "rows lost",
	[TROUBLE_STEP] = "steps without the row of their job",
	[TROUBLE_ID] = "rows without an id, called by their place",
	[TROUBLE_TIME] = "times that make no sense",
	[TROUBLE_SECONDS] = "run times that make no sense",
	[TROUBLE_STATE] = "unknown states",
	[TROUBLE_GPUS] = "numbers of GPUs that make no sense",
	[TROUBLE_REQUESTED] = "GPUs taken as requested",
	[TROUBLE_NODES] = "lists of nodes that are too long",
	[TROUBLE_NUMBER] = "numbers that make no sense",
	[TROUBLE_FORMAT] = "objects left out",
};

struct accounting *accounting_new(const struct taxonomy *tax)
{
	struct accounting *a = calloc(1, sizeof *a);

	if (a)
		a->tax = tax;
	return a;
}

void accounting_free(struct accounting *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < ACCOUNTING_MAPS; i++)
		accounting_map_free(a->maps[i]);
	accounting_pool_release(&a->pool);
	free(a->named);
	free(a->used);
	free(a->v);
	free(a);
}

uint64_t accounting_lost(const struct accounting *a)
{
	return a->lost;
}

static void tell(struct load *l, uint64_t line, const char *text)
{
	if (l->o && l->o->note)
		l->o->note(l->o->ctx, l->path, line, text);
}

/* How many of a kind are told one by one. A file without ids is one thing to
 * say. */
static uint64_t told(enum trouble kind)
{
	return kind == TROUBLE_ID ? 0 : TOLD;
}

void accounting_note(
    struct load *l, enum trouble kind, uint64_t line, const char *fmt, ...)
{
	char text[320];
	va_list ap;

	if (kind == TROUBLE_ROW)
		l->a->lost++;
	if (l->troubles[kind]++ >= told(kind))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tell(l, line, text);
}

/* The counts of what was not told. */
static void tell_rest(struct load *l)
{
	char text[160];

	for (size_t i = 0; i < TROUBLE_COUNT; i++) {
		uint64_t before = told((enum trouble)i);

		if (l->troubles[i] <= before)
			continue;
		snprintf(text, sizeof text, "%llu %s%s",
		    (unsigned long long)(l->troubles[i] - before),
		    before ? "more " : "", trouble_words[i]);
		tell(l, l->line, text);
	}
}

void accounting_load_lines(struct load *l, struct span text)
{
	const char *nl;

	while ((nl = text.n ? memchr(text.p, '\n', text.n) : NULL)) {
		text = span_sub(text, (size_t)(nl - text.p) + 1, text.n);
		l->line++;
	}
}

/* ---- maps -------------------------------------------------------------- */

const struct accounting_map *accounting_load_map(
    struct load *l, enum accounting_builtin which)
{
	struct accounting_map **m = &l->a->maps[which];

	if (!*m)
		*m = accounting_map_built_in(which, l->e);
	return *m;
}

/* "usual names: id=job_id, state=status" */
static void tell_columns(struct load *l, const struct accounting_map *m,
    const struct accounting_names *names)
{
	char text[1024];
	size_t n = 0;

	n += (size_t)snprintf(text, sizeof text, "read by its usual names:");
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		const char *name =
		    accounting_map_name(m, (enum accounting_column)c, names);

		if (name && n < sizeof text)
			n += (size_t)snprintf(text + n, sizeof text - n,
			    " %s=%s",
			    accounting_map_column((enum accounting_column)c),
			    name);
	}
	tell(l, l->line, text);
}

const struct accounting_map *accounting_load_choose(
    struct load *l, const struct accounting_names *names)
{
	const struct accounting_map *m;

	if (l->map && accounting_map_check(l->map, names, l->path, NULL) == 0)
		return l->map;
	for (size_t i = MAP_OPENB; i < MAP_USUAL; i++) {
		m = accounting_load_map(l, (enum accounting_builtin)i);
		if (!m || accounting_map_fits(m, names))
			return m;
	}
	if (l->map) {
		accounting_map_check(l->map, names, l->path, l->e);
		return NULL;
	}
	m = accounting_load_map(l, MAP_USUAL);
	if (m && !accounting_map_fits(m, names)) {
		err_set(l->e,
		    "%s: no columns that say what a job was called and how it "
		    "ended: give a column map",
		    l->path);
		return NULL;
	}
	if (m)
		tell_columns(l, m, names);
	return m;
}

/* ---- reading ----------------------------------------------------------- */

struct loading {
	struct load l;
	struct buf text;
	size_t at;   /* text before it is used */
	size_t want; /* bytes of text that are worth a read */
	size_t most; /* bytes of one record */
	size_t room; /* bytes for all of them */
	bool failed;
	bool any;           /* a file was there */
	bool ended;         /* by a limit, and told */
	struct err trouble; /* why nothing could be read */
};

/* "not a job record file that I know (sacct --parsable2, ...)" */
static int unknown_format(struct load *l)
{
	struct buf names = BUF_INIT(BUF_MAX);

	for (size_t i = 0; i < N_READERS; i++)
		if (readers[i]->name &&
		    buf_addf(&names, "%s%s", names.len ? ", " : "",
			readers[i]->name))
			break;
	err_set(l->e, "%s: not a job record file that I know (%s)", l->path,
	    names.len ? names.p : "");
	buf_release(&names);
	return -1;
}

static int choose_reader(struct loading *g)
{
	struct span head = { g->text.p, g->text.len };

	if (span_starts(head, "\xef\xbb\xbf")) {
		g->at = 3;
		head = span_sub(head, 3, head.n);
	}
	for (size_t i = 0; i < N_READERS && !g->l.reader; i++)
		if (readers[i]->fits(g->l.a->tax, head))
			g->l.reader = readers[i];
	/* a map is for files that look like nothing, too */
	if (!g->l.reader && g->l.map && span_trim(head).n)
		g->l.reader = &accounting_csv;
	return g->l.reader ? 0 : unknown_format(&g->l);
}

static int read_some(struct loading *g, bool last)
{
	struct span text;
	size_t used = 0;

	if (buf_reserve(&g->text, 0))
		return err_nomem(g->l.e);
	if (!g->l.reader && choose_reader(g))
		return -1;
	text = (struct span){ g->text.p + g->at, g->text.len - g->at };
	if (g->l.reader->read(&g->l, text, last, &used))
		return -1;
	g->at += used;
	memmove(g->text.p, g->text.p + g->at, g->text.len - g->at + 1);
	g->text.len -= g->at;
	g->at = 0;
	/* what is left is part of one record: wait for much more */
	g->want = 2 * g->text.len + PIECE;
	if (g->want > g->most)
		g->want = g->most;
	return 0;
}

static int begin(void *ctx, const char *path)
{
	struct loading *g = ctx;

	if (g->failed)
		return -1;
	g->l.path = accounting_pool_string(&g->l.a->pool, span_of(path));
	if (!g->l.path) {
		g->failed = true;
		return err_nomem(g->l.e);
	}
	g->any = true;
	g->l.reader = NULL;
	g->l.state = NULL;
	g->l.line = 1;
	g->l.first = g->l.a->n;
	g->l.held = 0;
	g->ended = false;
	memset(g->l.troubles, 0, sizeof g->l.troubles);
	buf_clear(&g->text);
	g->at = 0;
	g->want = HEAD;
	return 0;
}

/* A limit ends the file. */
static int stop(
    struct loading *g, const char *what, enum limit which, size_t most)
{
	accounting_note(&g->l, TROUBLE_ROW, g->l.line,
	    "the rest is not read: %s of more than %zu bytes (limit %s)", what,
	    most, limit_table[which].name);
	buf_clear(&g->text);
	g->ended = true;
	return -1;
}

/* Bytes that all records take. */
static size_t taken(const struct load *l)
{
	return l->a->n * sizeof *l->a->v + arena_size(l->a->pool.arena) +
	    l->held;
}

static int data(void *ctx, const char *p, size_t n)
{
	struct loading *g = ctx;

	/* what is left of the text is part of one record */
	if (g->l.reader && g->text.len > g->most)
		return stop(g, "a record", LIMIT_RECORD, g->most);
	if (taken(&g->l) > g->room)
		return stop(g, "job records", LIMIT_RECORDS, g->room);
	if (buf_add(&g->text, p, n)) {
		g->failed = true;
		return err_nomem(g->l.e);
	}
	if (g->text.len < g->want)
		return 0;
	g->failed = read_some(g, false) != 0;
	return g->failed ? -1 : 0;
}

static void end(void *ctx, bool whole)
{
	struct loading *g = ctx;

	(void)whole;
	/* that such a file has no whole record is no more than was told */
	if (!g->failed)
		g->failed = read_some(g, true) && (!g->ended || g->l.e->lack);
	if (g->l.reader && g->l.reader->close)
		g->l.reader->close(g->l.state);
	g->l.state = NULL;
	tell_rest(&g->l);
}

static void note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct loading *g = ctx;

	if (g->l.path && strcmp(g->l.path, path) == 0 && g->any) {
		accounting_note(&g->l, TROUBLE_ROW, g->l.line, "%s: %s",
		    input_note_name(kind), text);
		return;
	}
	if (!g->trouble.text[0])
		err_set(&g->trouble, "%s: %s", path, text);
}

int accounting_load(struct accounting *a, const char *path,
    const struct accounting_options *o, struct err *e)
{
	struct err why = { 0 };
	struct loading g = { .l = { .a = a, .o = o, .e = &why },
		.text = BUF_INIT(TEXT_MAX) };
	const struct input_sink sink = { .ctx = &g,
		.begin = begin,
		.data = data,
		.end = end,
		.note = note };
	struct limits limits;
	size_t before = a->n;
	int rc = -1;

	limits_init(&limits);
	if (o && o->limits)
		limits = *o->limits;
	g.most = (size_t)limits.v[LIMIT_RECORD];
	g.room = (size_t)limits.v[LIMIT_RECORDS];
	g.l.now = (int64_t)time(NULL) * 1000000;
	if (o && o->map) {
		g.l.map = accounting_map_open(o->map, &why);
		if (!g.l.map)
			goto out;
	}
	if (input_read(path, &limits, &sink, &why) || g.failed)
		goto out;
	if (!g.any) {
		if (g.trouble.text[0])
			why = g.trouble;
		else
			err_set(&why, "%s: cannot be read", path);
		goto out;
	}
	rc = 0;
out:
	accounting_map_free(g.l.map);
	buf_release(&g.text);
	if (rc)
		a->n = before;
	if (rc && e)
		*e = why;
	return rc;
}
