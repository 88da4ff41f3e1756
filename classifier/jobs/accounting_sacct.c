/*
 * sacct --parsable2 or --parsable, with any columns and any delimiter, both
 * told from the header. Values are not quoted: a comment may hold line ends
 * and delimiters. So lines are joined until the row has as many fields as the
 * header, and a row with too many is tried with the excess in each of the free
 * text columns in turn. Steps are rows of their own; at the end of the file
 * they complete the records of their jobs.
 */
#include "jobs/accounting_load.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define LINES_MAX 10000 /* of one row */

struct wish { /* GPUs asked for by a record */
	size_t record;
	int64_t gpus;
};

struct sacct {
	struct accounting_table t;
	char delimiter[16];
	struct accounting_step *steps;
	struct wish *wishes;
	size_t n_steps, cap_steps, n_wishes, cap_wishes;
};

/* The run of bytes between the first two names: names are alphanumeric. */
static bool find_delimiter(struct span header, char out[16])
{
	size_t from = strcspn(header.p, "\r\n|#,;:\t~^!@&/ ");
	size_t n;

	if (from == 0 || from >= header.n)
		return false;
	n = strspn(header.p + from, "|#,;:\t~^!@&/ ");
	if (n == 0 || n > 15 || from + n > header.n)
		return false;
	memcpy(out, header.p + from, n);
	out[n] = '\0';
	return true;
}

static struct span first_line(struct span head)
{
	struct span line = { "", 0 };

	span_line(&head, &line);
	return span_trim(line);
}

/* head and everything else that is read ends with a NUL. */
static bool fits(const struct taxonomy *tax, struct span head)
{
	(void)tax;
	static const char *const known[] = { "JobID", "JobIDRaw", "State",
		"Start", "End", "Submit", "ExitCode", "Elapsed", "ElapsedRaw",
		"NodeList", "AllocTRES", "User", "Partition", "CPUTimeRAW",
		"Account", "JobName", "ReqTRES", "QOS" };
	struct span line = first_line(head);
	char delimiter[16];
	size_t n = 0, at;
	bool id = false;

	if (!find_delimiter(line, delimiter))
		return false;
	while (line.n) {
		struct span name;

		at = span_find(line, delimiter);
		name = span_sub(line, 0, at);
		for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
			n += span_is(name, known[i]);
			id |= i < 2 && span_is(name, known[i]);
		}
		line = at == SIZE_MAX
		    ? span_of("")
		    : span_sub(line, at + strlen(delimiter), line.n);
	}
	return n >= 2 && (id || strchr(delimiter, '|'));
}

static size_t count_fields(struct span s, const char *delimiter)
{
	size_t n = 1, len = strlen(delimiter), at;

	while ((at = span_find(s, delimiter)) != SIZE_MAX) {
		s = span_sub(s, at + len, s.n);
		n++;
	}
	return n;
}

static void split(struct span s, const char *delimiter, struct span *out)
{
	size_t len = strlen(delimiter), at;

	while ((at = span_find(s, delimiter)) != SIZE_MAX) {
		*out++ = span_sub(s, 0, at);
		s = span_sub(s, at + len, s.n);
	}
	*out = s;
}

static int read_header(struct load *l, struct sacct *s, struct span line)
{
	const struct accounting_map *map = accounting_load_map(l, MAP_SACCT);

	if (!map)
		return -1;
	line = span_trim(line);
	s->t.header = span_dup(line);
	if (!s->t.header)
		return err_nomem(l->e);
	line.p = s->t.header;
	if (!find_delimiter(line, s->delimiter))
		return err_set(l->e, "%s: no sacct header", l->path);
	s->t.n = count_fields(line, s->delimiter);
	s->t.names = calloc(s->t.n, sizeof *s->t.names);
	if (!s->t.names)
		return err_nomem(l->e);
	split(line, s->delimiter, s->t.names);
	accounting_table_bind(&s->t, map);
	return 0;
}

/* ---- rows -------------------------------------------------------------- */

enum gathered {
	ROW,
	LONG, /* more fields than the header: maybe a row */
	MORE,
	BROKEN
};

/* The row at the start of text, over as many lines as it takes. *next: where
 * the one after it begins. *cut: where its last line begins. */
static enum gathered gather(const struct sacct *s, struct span text, bool last,
    struct span *row, size_t *next, size_t *cut)
{
	size_t pos = 0, total = 0;

	for (size_t lines = 0; lines < LINES_MAX; lines++) {
		struct span rest = span_sub(text, pos, text.n), line;
		size_t n;

		if (!span_line(&rest, &line) ||
		    (!last && line.n == text.n - pos)) {
			*row = text;
			*next = text.n;
			return last ? BROKEN : MORE;
		}
		n = count_fields(line, s->delimiter);
		/* a whole row of its own: what came before is not its part */
		if (lines && n >= s->t.n) {
			*row = span_sub(text, 0, pos);
			*next = pos;
			return BROKEN;
		}
		*cut = pos;
		total = lines ? total + n - 1 : n;
		pos = text.n - rest.n;
		*row = span_sub(text, 0, (size_t)(line.p - text.p) + line.n);
		*next = pos;
		if (total >= s->t.n)
			return lines && total > s->t.n ? LONG : ROW;
	}
	return BROKEN;
}

static bool free_text(struct span name)
{
	static const char *const names[] = { "Comment", "AdminComment",
		"SystemComment", "SubmitLine", "JobName", "Reason", "WorkDir",
		"Constraints", "Container", "Extra", "FailedNode", "StdOut",
		"StdErr", "StdIn" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_is(name, names[i]))
			return true;
	return false;
}

/* Whether the fields that have a form have it. */
static bool plausible(const struct sacct *s)
{
	const int *at = s->t.at;
	bool ok = true;

	if (at[COLUMN_ID] >= 0) {
		struct span id = span_trim(s->t.fields[at[COLUMN_ID]]);
		size_t digits = 0;

		while (
		    digits < id.n && id.p[digits] >= '0' && id.p[digits] <= '9')
			digits++;
		ok = digits > 0 &&
		    (digits == id.n || strchr("._+[", id.p[digits]));
	}
	return ok;
}

static bool plausible_all(const struct taxonomy *tax, const struct sacct *s)
{
	static const enum accounting_column times[] = { COLUMN_START,
		COLUMN_END, COLUMN_SUBMIT };
	struct accounting_state state;
	const int *at = s->t.at;
	int64_t t;
	bool local;

	if (!plausible(s))
		return false;
	if (at[COLUMN_STATE] >= 0 &&
	    !accounting_state(tax,
		accounting_state_word(s->t.fields[at[COLUMN_STATE]]), &state))
		return false;
	for (size_t i = 0; i < 3; i++) {
		int k = at[times[i]];

		if (k >= 0 && !accounting_absent(s->t.fields[k]) &&
		    !accounting_time(
			s->t.fields[k], ACCOUNTING_LOCAL, &t, &local, NULL))
			return false;
	}
	return at[COLUMN_SECONDS] < 0 ||
	    accounting_absent(s->t.fields[at[COLUMN_SECONDS]]) ||
	    accounting_duration(s->t.fields[at[COLUMN_SECONDS]], &t);
}

/* Split a row into fields; too many go into a free text column where the row
 * makes sense then. 1: done; 0: it never does; -1: out of memory. */
static int split_row(
    const struct taxonomy *tax, struct sacct *s, struct span row)
{
	size_t n = count_fields(row, s->delimiter), extra = n - s->t.n;

	if (n < s->t.n)
		return 0;
	if (accounting_table_room(&s->t, n))
		return -1;
	split(row, s->delimiter, s->t.fields);
	if (!extra)
		return plausible(s);
	for (size_t c = 0; c < s->t.n; c++) {
		struct span *f = s->t.fields;
		const char *end;

		if (!free_text(s->t.names[c]))
			continue;
		end = f[c + extra].p + f[c + extra].n;
		f[c].n = (size_t)(end - f[c].p);
		memmove(
		    &f[c + 1], &f[c + 1 + extra], (s->t.n - c - 1) * sizeof *f);
		if (plausible_all(tax, s))
			return 1;
		split(row, s->delimiter, f);
	}
	return 0;
}

static int add_step(struct load *l, struct sacct *s, const struct draft *d)
{
	struct accounting_step *step;
	struct span job = span_of(d->r.id);

	if (array_grow(&s->steps, s->n_steps, &s->cap_steps, sizeof *step))
		return err_nomem(l->e);
	job = span_sub(job, 0, span_find(job, "."));
	l->held += sizeof *step;
	step = &s->steps[s->n_steps++];
	*step = (struct accounting_step){
		.job = accounting_pool_string(&l->a->pool, job),
		.cluster = d->r.cluster,
		.line = d->r.line,
		.gpus = d->r.gpus,
		.started = d->r.started,
		.exit_code = d->r.exit_code,
		.signal = d->r.signal,
		.out_of_memory =
		    d->r.state && strcmp(d->r.state, "OUT_OF_MEMORY") == 0,
	};
	return step->job ? 0 : err_nomem(l->e);
}

static int add_wish(struct load *l, struct sacct *s, int64_t gpus)
{
	if (array_grow(
		&s->wishes, s->n_wishes, &s->cap_wishes, sizeof *s->wishes))
		return err_nomem(l->e);
	l->held += sizeof *s->wishes;
	s->wishes[s->n_wishes++] = (struct wish){ l->a->n - 1, gpus };
	return 0;
}

/* Whether a job ended without a start: cancelled while it waited, say. Older
 * versions give its end for its start; but no node was assigned. */
static bool never_ran(const struct sacct *s, const struct draft *d)
{
	const int start = s->t.at[COLUMN_START], nodes = s->t.at[COLUMN_NODES];
	struct span word = { "", 0 };

	if (d->r.end != JOB_END_FAILED || d->elapsed > 0)
		return false;
	if (start >= 0 && d->r.started == ENVELOPE_NO_TIME)
		word = span_trim(s->t.fields[start]);
	else if (nodes >= 0 && d->elapsed == 0 && !d->r.n_nodes)
		word = span_trim(s->t.fields[nodes]);
	return word.n && accounting_absent(word);
}

static int add_row(struct load *l, struct sacct *s, struct span row)
{
	struct draft d;
	int rc = split_row(l->a->tax, s, row);

	if (rc < 0)
		return err_nomem(l->e);
	if (rc == 0) {
		accounting_note(l, TROUBLE_ROW, l->line,
		    "row lost: its fields do not fit the header");
		return 0;
	}
	accounting_draft_init(&d, l, s->t.map, l->line);
	d.steps_follow = true;
	if (accounting_table_draft(l, &s->t, &d))
		return err_nomem(l->e);
	if (d.r.id && strchr(d.r.id, '.'))
		return add_step(l, s, &d);
	/* it is no attempt */
	if (never_ran(s, &d))
		return 0;
	if (accounting_draft_add(l, &d))
		return err_nomem(l->e);
	if (l->a->v[l->a->n - 1].gpus == USAGE_UNKNOWN &&
	    d.requested != USAGE_UNKNOWN)
		return add_wish(l, s, d.requested);
	return 0;
}

static void tell_broken(struct load *l, const struct sacct *s, struct span row)
{
	size_t n = count_fields(row, s->delimiter);

	if (!span_trim(row).n)
		return;
	/* the rest of a comment that stands last in its row */
	if (n == 1 && l->a->n > l->first && free_text(s->t.names[s->t.n - 1]))
		return;
	accounting_note(l, TROUBLE_ROW, l->line,
	    "row lost: %zu fields, the header has %zu", n, s->t.n);
}

/* ---- steps ------------------------------------------------------------- */

static int by_job(const void *a, const void *b)
{
	const struct accounting_step *x = a, *y = b;

	if (x->job != y->job)
		return (uintptr_t)x->job < (uintptr_t)y->job ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* What all steps of one attempt say together. */
static void join_step(
    struct accounting_step *sum, const struct accounting_step *s)
{
	if (sum->gpus < s->gpus)
		sum->gpus = s->gpus;
	if (sum->exit_code <= 0 && sum->signal <= 0) {
		sum->exit_code = s->exit_code;
		sum->signal = s->signal;
	}
	sum->out_of_memory |= s->out_of_memory;
}

/* A step belongs to the attempt in whose time it began. */
static bool within(const struct job_record *r, const struct accounting_step *s)
{
	if (s->started == ENVELOPE_NO_TIME || r->started == ENVELOPE_NO_TIME)
		return true;
	return s->started >= r->started &&
	    (r->ended == ENVELOPE_NO_TIME || s->started <= r->ended);
}

/* The first step of a job in the sorted steps, or n_steps. */
static size_t find_steps(const struct sacct *s, const char *job)
{
	size_t low = 0, high = s->n_steps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if ((uintptr_t)s->steps[mid].job < (uintptr_t)job)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void finish(struct load *l, struct sacct *s)
{
	if (s->n_steps)
		qsort(s->steps, s->n_steps, sizeof *s->steps, by_job);
	for (size_t i = l->first; i < l->a->n; i++) {
		struct job_record *r = &l->a->v[i];
		struct accounting_step sum = {
			.gpus = USAGE_UNKNOWN, .exit_code = -1, .signal = -1
		};

		for (size_t k = find_steps(s, r->id);
		     k < s->n_steps && s->steps[k].job == r->id; k++) {
			if (s->steps[k].cluster != r->cluster)
				continue;
			s->steps[k].line = 0; /* it has a parent */
			if (within(r, &s->steps[k]))
				join_step(&sum, &s->steps[k]);
		}
		accounting_draft_step(l, r, &sum);
	}
	for (size_t i = 0; i < s->n_wishes; i++)
		accounting_draft_requested(
		    l, &l->a->v[s->wishes[i].record], s->wishes[i].gpus);
	for (size_t i = 0; i < s->n_steps; i++)
		if (s->steps[i].line)
			accounting_note(l, TROUBLE_STEP, s->steps[i].line,
			    "a step of job %s, whose own row is not there",
			    s->steps[i].job);
}

/* ---- the reader -------------------------------------------------------- */

static int read_sacct(struct load *l, struct span text, bool last, size_t *used)
{
	struct sacct *s = l->state;
	struct span rest = text, row;
	size_t next, cut;

	*used = 0;
	if (!s) {
		struct span line;

		if (!memchr(text.p, '\n', text.n) && !last)
			return 0;
		l->state = s = calloc(1, sizeof *s);
		if (!s)
			return err_nomem(l->e);
		span_line(&rest, &line);
		if (read_header(l, s, line))
			return -1;
		l->line++;
	}
	while (rest.n) {
		enum gathered g = gather(s, rest, last, &row, &next, &cut);

		if (g == MORE)
			break;
		row = span_sub(
		    row, 0, row.n - (row.n && row.p[row.n - 1] == '\r'));
		if (g == LONG && split_row(l->a->tax, s, row) <= 0) {
			g = BROKEN;
			row = span_sub(row, 0, cut);
			next = cut;
		}
		if (g == BROKEN)
			tell_broken(l, s, row);
		else if (span_trim(row).n && add_row(l, s, row))
			return -1;
		accounting_load_lines(l, span_sub(rest, 0, next));
		rest = span_sub(rest, next, rest.n);
	}
	*used = text.n - rest.n;
	if (last)
		finish(l, s);
	return 0;
}

static void close_sacct(void *state)
{
	struct sacct *s = state;

	if (!s)
		return;
	accounting_table_release(&s->t);
	free(s->steps);
	free(s->wishes);
	free(s);
}

const struct accounting_reader accounting_sacct = {
	"sacct --parsable2",
	fits,
	read_sacct,
	close_sacct,
};

/* ---- without a header -------------------------------------------------- */

static bool fits_headless(const struct taxonomy *tax, struct span head)
{
	struct span line = first_line(head);
	size_t at, fields = 0;
	bool state = false;

	while (line.n) {
		struct span field;
		struct accounting_state s;

		at = span_find(line, "|");
		field = accounting_state_word(span_sub(line, 0, at));
		state |=
		    accounting_state(tax, field, &s) && s.slurm && field.n > 3;
		fields++;
		line = at == SIZE_MAX ? span_of("")
				      : span_sub(line, at + 1, line.n);
	}
	return state && fields >= 2;
}

static int read_headless(
    struct load *l, struct span text, bool last, size_t *used)
{
	(void)text;
	(void)last;
	*used = 0;
	return err_set(l->e,
	    "%s: sacct output without its header: run sacct again without "
	    "--noheader",
	    l->path);
}

const struct accounting_reader accounting_sacct_headless = {
	NULL,
	fits_headless,
	read_headless,
	NULL,
};
