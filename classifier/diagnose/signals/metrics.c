/*
 * What may be a name is marked in a few KiB of text at a time (metrics_marks);
 * lines without such a mark are passed over, and of the others only the marks
 * and each '/' are looked at. All names with the first two letters there are
 * compared, the longest first. What was found on a line is put into the curves
 * at its end, since the step may stand behind the loss.
 */
#include "diagnose/signals/metrics.h"

#include "base/number.h"
#include "diagnose/findings.h"
#include "diagnose/signals/metrics_curve.h"
#include "diagnose/signals/metrics_marks.h"
#include "diagnose/signals/metrics_names.h"
#include "diagnose/signals/metrics_ranks.h"
#include "diagnose/signals/metrics_table.h"
#include "input/decode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HITS 32        /* numbers of one line */
#define LINE_MAX 4096  /* bytes of a line that are looked at */
#define PEELED 4096    /* lines with numbers of which the prefix is read; */
#define PEEL_EVERY 16  /* then of one in so many, if none told a rank */
#define BACK_SHARE 0.1 /* of the run: steps from there are its start */

/* A number of the line at hand. */
struct hit {
	const struct metric_name *name;
	size_t metric;
	uint64_t key;
	double value;
};

struct metric_reader {
	const struct taxonomy *tax;
	struct metric_names *names;
	bool *validates; /* for each metric: one of validation */
	struct metrics *m;
	struct metrics_table table;
	struct metric_marks marks;   /* of the text at hand */
	struct metric_at now, start; /* of the rank that is read */
	uint32_t segment;
	uint64_t lines; /* with numbers */
	int rank;       /* -1: no line told one */
	int log_rank;   /* of the whole log; or -1 */
	bool *paced;    /* for each metric: ranks are compared by it */
	/* the line at hand */
	struct hit hits[HITS];
	size_t n_hits, n_names;
	bool measured; /* one of them by its name */
	bool validation;
	double epoch;
	int64_t step, bar;
};

struct metric_reader *metric_reader_new(const struct taxonomy *tax)
{
	struct metric_reader *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->tax = tax;
	r->names = metric_names_new(tax);
	r->validates = calloc(tax->n_metrics + 1, sizeof *r->validates);
	r->paced = calloc(tax->n_metrics + 1, sizeof *r->paced);
	if (!r->names || !r->validates || !r->paced) {
		metric_reader_free(r);
		return NULL;
	}
	for (size_t i = 0; i < tax->n_metrics; i++) {
		r->paced[i] = metrics_ranks_wanted(tax, i);
		if (tax->metrics[i].validation)
			r->validates[tax->metrics[i].validation_metric] = true;
	}
	return r;
}

void metric_reader_free(struct metric_reader *r)
{
	if (!r)
		return;
	metric_names_free(r->names);
	free(r->validates);
	free(r->paced);
	free(r);
}

/* Forget the curves: a lower rank has come. */
static void start_over(struct metric_reader *r)
{
	metrics_clear(r->m);
	r->now = r->start = (struct metric_at){ -1, -1 };
	r->segment = 0;
}

int metric_reader_begin(struct metric_reader *r, struct findings *f)
{
	r->m = f->metrics = calloc(1, sizeof *f->metrics);
	if (!r->m)
		return -1;
	r->lines = 0;
	r->rank = -1;
	r->log_rank = f->rank;
	r->table = (struct metrics_table){ 0 };
	start_over(r);
	return 0;
}

/* ---- numbers of a line ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What stands between a name and its number, from i on: quotes and brackets
 * that close, blanks, ':' or '='. Sets *sure when it is more than blanks. */
static size_t between(struct span s, size_t i, bool place, bool *sure)
{
	size_t from = i;

	*sure = false;
	/* "Epoch(train) [1]" */
	if (place && i < s.n && s.p[i] == '(') {
		while (i < s.n && i < from + 12 && s.p[i] != ')')
			i++;
		i++;
	}
	for (; i < s.n && i < from + 24; i++) {
		char c = s.p[i];

		if (c == ':' || c == '=')
			*sure = true;
		else if (place && (c == '[' || c == '#' || c == '('))
			*sure = true;
		else if (c != ' ' && c != '\t' && c != '\'' && c != '"')
			break;
	}
	return i > from ? i : s.n;
}

/* A factor for what is written right behind a number; *n its bytes. NAN: the
 * number is a part of a word. */
static double unit_factor(struct span s, size_t i, bool ratio, size_t *n)
{
	static const char letters[] = "kmgt";
	const char *at;
	bool binary;
	double f = 1;

	*n = 0;
	if (i >= s.n)
		return 1;
	if (s.p[i] == '%') {
		*n = 1;
		return ratio ? 0.01 : 1;
	}
	if (!metric_word(s.p[i]))
		return 1;
	if (s.p[i] == 'm' && i + 1 < s.n && s.p[i + 1] == 's' &&
	    (i + 2 == s.n || !metric_word(s.p[i + 2]))) {
		*n = 2;
		return 1e-3;
	}
	at = strchr(letters, s.p[i] | 0x20);
	if (!at || !*at) {
		*n = 1;
		return i + 1 == s.n || !metric_word(s.p[i + 1]) ? 1 : NAN;
	}
	binary = i + 1 < s.n && s.p[i + 1] == 'i';
	for (const char *l = letters; l <= at; l++)
		f *= binary ? 1024 : 1000;
	*n = 1 + binary;
	if (i + *n < s.n && s.p[i + *n] == 'B')
		++*n;
	return i + *n == s.n || !metric_word(s.p[i + *n]) ? f : NAN;
}

/* "9858/10000" after its first number. */
static double share_of(struct span s, size_t i, double v)
{
	double whole;

	if (i + 1 < s.n && s.p[i] == '/' &&
	    number_read(span_sub(s, i + 1, s.n), &whole) && whole > 0)
		return v / whole;
	return v;
}

/* The number of a name whose last byte is before s[i]. Returns where it ends,
 * or 0: there is none. */
static size_t value_after(
    struct span s, size_t i, enum metric_kind kind, double *out)
{
	bool place = kind == METRIC_STEP || kind == METRIC_EPOCH, sure;
	size_t from = between(s, i, place, &sure), n, unit;
	double factor;

	if (from >= s.n || s.p[from] == '+')
		return 0;
	n = number_read(span_sub(s, from, s.n), out);
	if (!n)
		return 0;
	/* "loss 10 times": a number that is no measurement */
	if (!sure && !place && isfinite(*out) && *out == number_floor(*out) &&
	    !memchr(s.p + from, '.', n))
		return 0;
	/* a time of day, a date, a version */
	if (from + n + 1 < s.n && strchr(":-.", s.p[from + n]) &&
	    is_digit(s.p[from + n + 1]))
		return 0;
	factor = unit_factor(s, from + n, kind == METRIC_RATIO, &unit);
	if (isnan(factor))
		return 0;
	*out *= factor;
	if (kind == METRIC_RATIO && unit == 0)
		*out = share_of(s, from + n, *out);
	return from + n + unit;
}

/* What stands before a name and makes it another curve: the word before it,
 * if nothing but a blank or '/' is between. */
static uint64_t qualifier(struct span s, size_t at)
{
	size_t to = at, from;
	uint64_t h = 0;

	if (to < 2 || (s.p[to - 1] != ' ' && s.p[to - 1] != '/'))
		return 0;
	from = --to;
	while (from > 0 && metric_word(s.p[from - 1]))
		from--;
	if (from == to || is_digit(s.p[from]))
		return 0;
	for (size_t i = from; i < to; i++)
		h = h * 131 + metric_fold(s.p[i]);
	return h;
}

static void add_hit(struct metric_reader *r, const struct metric_name *name,
    uint64_t before, double v)
{
	size_t metric = name->metric;
	const struct metric *m = &r->tax->metrics[metric];
	struct hit *h = &r->hits[r->n_hits];

	if (m->kind == METRIC_STEP || m->kind == METRIC_EPOCH) {
		if (!isfinite(v) || v < 0 || v > 1e15)
			return;
		if (m->kind == METRIC_EPOCH && r->epoch < 0)
			r->epoch = v;
		if (m->kind == METRIC_STEP && r->step < 0)
			r->step = (int64_t)v;
		return;
	}
	if (r->n_hits == HITS)
		return;
	if (r->validation && m->validation)
		metric = m->validation_metric;
	*h = (struct hit){ .name = name,
		.metric = metric,
		.key = (before * 1021 + metric) * 1021 + name->number,
		.value = v };
	r->n_hits++;
	r->measured |= !name->slash;
}

/* A bar: "123/456 [00:12<", " 12/100 [===", "[ 120/ 500]", "[640/60000 (". */
static void look_at_bar(struct metric_reader *r, struct span s, size_t slash)
{
	size_t from = slash, to = slash + 1;
	bool ends;

	while (from > 0 && s.p[from - 1] == ' ')
		from--;
	slash = from;
	while (from > 0 && is_digit(s.p[from - 1]))
		from--;
	while (to < s.n && s.p[to] == ' ')
		to++;
	if (from == slash || to >= s.n || !is_digit(s.p[to]))
		return;
	while (to < s.n && is_digit(s.p[to]))
		to++;
	ends = to < s.n &&
	    (s.p[to] == ']' ||
		(to + 1 < s.n && s.p[to] == ' ' &&
		    (s.p[to + 1] == '[' || s.p[to + 1] == '(' ||
			s.p[to + 1] == '\xe2')));
	if (ends)
		r->bar = span_number(span_sub(s, from, slash));
}

/* "3.2it/s", "12 ms/step": slash is that of the unit. */
static void look_at_unit(struct metric_reader *r, struct span s, size_t slash)
{
	const struct metric_name *unit = metric_names_unit(r->names, s, slash);
	size_t from, to;
	double v;

	if (!unit)
		return;
	to = slash - unit->slash;
	while (to > 0 && s.p[to - 1] == ' ')
		to--;
	from = to;
	while (from > 0 && (is_digit(s.p[from - 1]) || s.p[from - 1] == '.'))
		from--;
	if (from == to || number_read(span_sub(s, from, to), &v) != to - from)
		return;
	add_hit(r, unit, 0, v);
}

/* The name at s[i], if there is one; returns where to go on. */
static size_t look_at_name(struct metric_reader *r, struct span s, size_t i)
{
	const struct metric_name *name = metric_names_at(r->names, s, i);
	size_t end;
	double v;

	if (!name)
		return i + 1;
	if (name->metric == METRIC_NAME_VALIDATION) {
		r->validation = true;
		return i + name->n;
	}
	r->n_names++;
	end =
	    value_after(s, i + name->n, r->tax->metrics[name->metric].kind, &v);
	if (end)
		add_hit(r, name, qualifier(s, i), v);
	else if (r->validates[name->metric])
		r->validation = true; /* "validation loss at ..." */
	return end ? end : i + name->n;
}

/* s begins at `from` of what is marked. */
static void read_line(struct metric_reader *r, struct span s, size_t from)
{
	const uint64_t *stops = r->marks.stops;
	size_t end = from + s.n;

	r->n_hits = r->n_names = 0;
	r->measured = r->validation = false;
	r->epoch = -1;
	r->step = r->bar = -1;
	for (size_t at = metric_marks_next(stops, from, end); at < end;
	     at = metric_marks_next(stops, at, end)) {
		size_t i = at - from;

		if (s.p[i] != '/') {
			at = from + look_at_name(r, s, i);
			continue;
		}
		if (r->bar < 0)
			look_at_bar(r, s, i);
		look_at_unit(r, s, i);
		at++;
	}
}

/* ---- where in the run ---- */

static bool back(struct metric_at a, struct metric_at b)
{
	/* most lines are of the epoch of the line before */
	bool other = a.epoch >= 0 && b.epoch >= 0 && a.epoch != b.epoch;

	if (other && number_floor(a.epoch) != number_floor(b.epoch))
		return a.epoch < b.epoch;
	return a.step >= 0 && b.step >= 0 && a.step < b.step;
}

/* Go on to the line's place. Steps that go back to the start are the next
 * epoch's, or those of another bar; steps that go back to the middle are a
 * run that was resumed, as is an earlier epoch. */
static void move(struct metric_reader *r)
{
	struct metric_at next = r->now;

	if (r->epoch >= 0)
		next.epoch = r->epoch;
	if (r->step < 0)
		r->step = r->bar;
	if (r->step >= 0 && !r->validation)
		next.step = r->step;
	if (back(next, r->now)) {
		bool earlier = next.epoch >= 0 &&
		    number_floor(next.epoch) < number_floor(r->now.epoch);
		double least =
		    (double)r->start.step + BACK_SHARE * (double)r->now.step;

		if (earlier || (double)next.step > least) {
			r->segment++;
			r->start = next;
		}
	} else if (r->start.step < 0) {
		r->start = next;
	}
	r->now = next;
}

/* What the line at hand tells of its rank's pace. */
static void keep_pace(struct metric_reader *r, int rank, struct span node)
{
	if (rank < 0)
		rank = r->log_rank;
	if (rank < 0 || r->validation)
		return;
	for (size_t i = 0; i < r->n_hits; i++)
		if (r->paced[r->hits[i].metric])
			metrics_ranks_add(r->m, rank, node, r->hits[i].metric,
			    r->hits[i].value);
}

/* The prefix of a line tells the rank and the time. A long log without ranks
 * is asked less often. -1: the line is another rank's. */
static int look_at_prefix(
    struct metric_reader *r, struct span line, int64_t *time)
{
	struct envelope env = { .time = ENVELOPE_NO_TIME, .rank = -1 };
	int rank;

	*time = ENVELOPE_NO_TIME;
	r->lines++;
	if (r->rank < 0 && r->lines > PEELED && r->lines % PEEL_EVERY) {
		keep_pace(r, -1, env.node);
		return 0;
	}
	envelope_peel(r->tax->prefixes, line, &env);
	keep_pace(r, env.rank, env.node);
	*time = env.time;
	if (env.rank > r->rank)
		r->rank = env.rank;
	rank = env.rank > 0 ? env.rank : 0;
	if (r->m->n == 0)
		r->m->rank = rank;
	if (rank > r->m->rank)
		return -1;
	if (rank < r->m->rank) {
		start_over(r);
		r->m->rank = rank;
	}
	return 0;
}

static void keep_line(
    struct metric_reader *r, struct span line, uint64_t number)
{
	bool placed = r->step >= 0 || r->bar >= 0;
	struct metric_place here;
	int64_t time;

	/* bars of downloads and evaluations tell a rate, too */
	if (!r->measured)
		r->n_hits = 0;
	if (r->n_hits == 0 && r->epoch < 0)
		return;
	if (look_at_prefix(r, line, &time))
		return;
	move(r);
	here = (struct metric_place){ r->now, number };
	for (size_t i = 0; i < r->n_hits; i++) {
		const struct hit *h = &r->hits[i];
		const struct metrics_point p = { h->value, here, r->segment,
			placed && !r->validation };

		metrics_add(r->m, &p, h->metric, h->key, h->name->text);
	}
	if (r->n_hits && !r->validation)
		metrics_time(&r->m->pace, time, &here);
}

/* ---- tables ---- */

static void keep_row(struct metric_reader *r, struct span line, uint64_t number)
{
	const struct metric_name *names[METRICS_COLUMNS];
	double v[METRICS_COLUMNS];
	size_t n = metrics_table_row(&r->table, line, names, v);

	if (n == 0)
		return;
	r->n_hits = 0;
	for (size_t i = 0; i < n; i++)
		add_hit(r, names[i], 0, v[i]);
	keep_line(r, line, number);
}

/* ---- blocks ---- */

/* At most LINE_MAX bytes, which begin at `from` of what is marked. */
static void do_line(
    struct metric_reader *r, struct span line, size_t from, uint64_t number)
{
	read_line(r, line, from);
	if (r->measured || r->epoch >= 0)
		keep_line(r, line, number);
	else if (r->n_names > 1)
		metrics_table_head(&r->table, r->names, line);
	else if (r->table.n)
		keep_row(r, line, number);
}

/* Mark a text, and look at the lines that end in what is marked and that a
 * name may be in, or all of them below the head of a table. Returns the bytes
 * of all that need no other look: 0 before a line that is too long. */
static size_t do_lines(
    struct metric_reader *r, struct span text, uint64_t *number)
{
	const struct metric_marks *m = &r->marks;
	size_t start = 0, at, end;

	metric_marks_set(&r->marks, metric_names_marker(r->names), text);
	for (; start < m->n; start = end + 1) {
		at = start;
		if (!r->table.n) {
			at = metric_marks_next(m->names, start, m->n);
			end = metric_marks_behind(m->ends, start, at);
			*number += metric_marks_count(m->newlines, start, end);
			start = end;
		}
		if (at == m->n && m->n == text.n)
			return text.n;
		end = metric_marks_next(m->ends, at, m->n);
		if ((end == m->n && m->n < text.n) || end - start > LINE_MAX)
			return start;
		if (end > start)
			do_line(r, span_sub(text, start, end), start, *number);
		*number += end < m->n && text.p[end] == '\n';
	}
	return m->n;
}

/* Of a longer line only so much is looked at. */
static size_t do_long(
    struct metric_reader *r, struct span text, uint64_t *number)
{
	const char *nl = memchr(text.p, '\n', text.n);
	size_t n = nl ? (size_t)(nl - text.p) : text.n;
	const char *cr = memchr(text.p, '\r', n);
	struct span line = span_sub(text, 0, LINE_MAX);

	n = cr ? (size_t)(cr - text.p) : n;
	metric_marks_set(&r->marks, metric_names_marker(r->names), line);
	do_line(r, line, 0, *number);
	*number += nl && !cr;
	return n + 1;
}

void metric_reader_block(struct metric_reader *r, const struct decode_block *b)
{
	struct span rest = b->text;
	uint64_t number = b->line;

	while (rest.n) {
		size_t n = do_lines(r, rest, &number);

		if (!n)
			n = do_long(r, rest, &number);
		rest = n < rest.n ? span_sub(rest, n, rest.n)
				  : (struct span){ NULL, 0 };
	}
}
