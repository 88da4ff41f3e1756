/*
 * Signals give sizes, and say whether GPUs are in use. What the sizes are taken
 * for is decided once, at the end: the largest of the job's
 * own sizes, else what a program saw on its node, else one GPU.
 */
#include "diagnose/signals/gpus.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/signals.h"

#include <stddef.h>
#include <string.h>

#define RANKS_MAX 65536 /* no job has had more */

#define LINE_MAX 4000 /* bytes of a line that are read */

/* Where what a signal counts goes. */
static const size_t counts[GPUS_COUNTS] = {
	[GPUS_RANKS] = offsetof(struct gpu_clues, world),
	[GPUS_WORLD] = offsetof(struct gpu_clues, world),
	[GPUS_PROCESSES] = offsetof(struct gpu_clues, processes),
	[GPUS_NODES] = offsetof(struct gpu_clues, nodes),
	[GPUS_GRANTED] = offsetof(struct gpu_clues, granted),
	[GPUS_LIST] = offsetof(struct gpu_clues, granted),
	[GPUS_VISIBLE] = offsetof(struct gpu_clues, visible),
	[GPUS_TOTAL] = offsetof(struct gpu_clues, total),
	[GPUS_BATCH] = offsetof(struct gpu_clues, batch),
	[GPUS_MICRO_BATCH] = offsetof(struct gpu_clues, micro_batch),
	[GPUS_ACCUMULATE] = offsetof(struct gpu_clues, accumulate),
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* A number, or -1 when it cannot be one of GPUs. */
static int count_at(struct span s, size_t at)
{
	int64_t v = facts_number(s, at);

	return v <= GPUS_MAX ? (int)v : -1;
}

/* The items of a list: "=0,1,2,3", ": [0,1]", "=GPU-5f3e,MIG-77aa"; none:
 * "=-1". */
static int list_at(struct span s, size_t i)
{
	int n = 0;

	while (i < s.n && strchr(" :=['\"", s.p[i]))
		i++;
	if (i + 1 < s.n && s.p[i] == '-' && s.p[i + 1] == '1')
		return 0;
	while (i < s.n && n < 64) {
		size_t from = i;
		bool uuid = span_starts(span_sub(s, i, s.n), "GPU-") ||
		    span_starts(span_sub(s, i, s.n), "MIG-");

		while (i < s.n &&
		    ((s.p[i] >= '0' && s.p[i] <= '9') ||
			(uuid && !strchr(", ]'\"", s.p[i]))))
			i++;
		if (i == from)
			break;
		n++;
		if (i < s.n && s.p[i] == ',')
			i++;
		while (i < s.n && s.p[i] == ' ' && s.p[i - 1] == ',')
			i++;
	}
	return n > 0 ? n : -1;
}

/* What a signal says with a number, or without one, -1. */
static void say(struct gpu_clues *c, int says, int v)
{
	c->used |= says == GPUS_USED || (says == GPUS_NUMBER && v > 0);
	c->sure |= says == GPUS_SURE && v != 0;
	c->denied |= says == GPUS_NONE ||
	    ((says == GPUS_NUMBER || says == GPUS_SURE) && v == 0);
}

static void count(struct gpu_clues *c, int what, int v)
{
	int *to;

	if (what == GPUS_DEVICE && v >= 0 && v < 64) {
		c->listed |= UINT64_C(1) << v;
		c->used = true;
	} else if (what >= 0 && what != GPUS_DEVICE) {
		to = (int *)(void *)((char *)c + counts[what]);
		*to = larger(*to, v);
	}
}

/* A signal's number where its word ends, or its pattern has matched. */
static void take(struct gpu_clues *c, const struct signal *s, int v)
{
	if (v < 0 && s->tells[0] >= 0)
		return;
	count(c, s->tells[0], v);
	say(c, s->tells[1], v);
}

static void read_words(
    struct gpu_clues *c, const struct signal *s, struct span line)
{
	for (size_t i = 0; i < s->any.n; i++) {
		size_t at = span_find(line, s->any.v[i]);

		if (at == SIZE_MAX)
			continue;
		at += strlen(s->any.v[i]);
		take(c, s,
		    s->tells[0] == GPUS_LIST ? list_at(line, at)
					     : count_at(line, at));
	}
}

/* Without the group n, or where that matches nothing, it is one. */
static void read_pattern(struct gpu_clues *c, const struct taxonomy *tax,
    size_t i, struct matcher *m, struct span line)
{
	const struct signal *s = taxonomy_signal_at(tax, i);
	struct pattern_match found;
	int g, v = 1;

	if (!signals_tell(tax, i, m, line, &found))
		return;
	g = pattern_group(taxonomy_signal_pattern(tax, i), "n");
	if (g > 0 && g < found.n && found.group[g].p)
		v = count_at(line, (size_t)(found.group[g].p - line.p));
	take(c, s, v);
}

int gpus_line(struct gpu_clues *c, const struct taxonomy *tax,
    struct matcher *m, struct span line, const struct signal_hits *hits)
{
	struct gpu_clues ranks = { 0 };

	line = span_sub(line, 0, LINE_MAX);
	for (size_t i = tax->signal_from[SIGNAL_GPUS];
	     i < tax->signal_from[SIGNAL_GPUS + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);

		if (!signals_may(tax, i, hits))
			continue;
		if (s->pattern)
			read_pattern(c, tax, i, m, line);
		else
			read_words(c, s, line);
		if (s->tells[0] == GPUS_RANKS && !s->pattern)
			read_words(&ranks, s, line);
	}
	return ranks.world;
}

/* ---- whether GPUs are in use at all ---- */

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether a word that means a GPU stands there. */
static bool gpu_word_at(struct span s, size_t i)
{
	static const char *const named[] = { "cuda", "gpu", "nccl", "nvidia" };
	char c = fold(s.p[i]);

	if (c != 'c' && c != 'g' && c != 'n')
		return false;
	/* a package's name or a path is no GPU */
	if (i > 0 &&
	    (strchr("-_/@", s.p[i - 1]) ||
		(fold(s.p[i - 1]) >= 'a' && fold(s.p[i - 1]) <= 'z')))
		return false;
	for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
		size_t n = strlen(named[k]), j = 0;

		while (j < n && i + j < s.n && fold(s.p[i + j]) == named[k][j])
			j++;
		if (j == n && (i + n == s.n || s.p[i + n] != '-'))
			return true;
	}
	return false;
}

/* Whether two letters that such words have, and few others, stand in the 64
 * bytes from their first to their third byte on. Written for vectorizers, as
 * span_newlines is. */
#define WINDOW 64
static bool maybe_gpu(const char *p)
{
	unsigned char any = 0;

	for (size_t i = 0; i < WINDOW; i++) {
		unsigned char a = (unsigned char)p[i] | 0x20;
		unsigned char b = (unsigned char)p[i + 1] | 0x20;
		unsigned char c = (unsigned char)p[i + 2] | 0x20;

		any |= ((a == 'g') & (b == 'p')) | ((a == 'n') & (b == 'v')) |
		    ((b == 'u') & (c == 'd')) | ((b == 'c') & (c == 'c'));
	}
	return any;
}

/* Offset of a word that means a GPU, from i on, or SIZE_MAX. */
static size_t gpu_word(struct span s, size_t i)
{
	while (i + 2 < s.n) {
		size_t to = i + WINDOW + 2 <= s.n ? i + WINDOW : s.n - 2;

		if (to == i + WINDOW && !maybe_gpu(s.p + i))
			i = to;
		for (; i < to; i++)
			if (gpu_word_at(s, i))
				return i;
	}
	return SIZE_MAX;
}

static bool takes_back(struct span s)
{
	static const char *const said[] = { "no", "not", "false", "none",
		"without", "cannot", "unable", "unavailable", "could", "if",
		"requires", "cpu", "failed" };

	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (facts_word(s, said[i]))
			return true;
	return false;
}

/* Whether a line says that GPUs are in use (1), that none is (-1), or
 * nothing (0). */
static int line_says(struct span s)
{
	size_t at = gpu_word(s, 0), end;
	bool vendor =
	    at != SIZE_MAX && fold(s.p[at]) == 'n' && fold(s.p[at + 1]) == 'v';

	if (at == SIZE_MAX)
		return 0;
	/* the sentence that holds the word */
	end = span_find(span_sub(s, at, s.n), ". ");
	if (end != SIZE_MAX)
		s = span_sub(s, 0, at + end);
	if (takes_back(s))
		return -1;
	return vendor ? 0 : 1;
}

void gpus_words(struct gpu_clues *c, struct span text)
{
	size_t at = 0;

	while (!c->used && !c->denied && !c->sure &&
	    (at = gpu_word(text, at)) != SIZE_MAX) {
		size_t from = at, to = at;
		int said;

		while (from > 0 && text.p[from - 1] != '\n' &&
		    text.p[from - 1] != '\r')
			from--;
		while (to < text.n && text.p[to] != '\n' && text.p[to] != '\r')
			to++;
		said = line_says(span_sub(text, from, to));
		c->used |= said > 0;
		c->denied |= said < 0;
		at = to;
	}
}

/* ---- the number ---- */

static int product(int a, int b)
{
	int64_t v = (int64_t)a * b;

	return v <= GPUS_MAX ? (int)v : 0;
}

static int bits_in(uint64_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

static int estimate(const struct gpu_clues *c)
{
	int nodes = larger(c->nodes, 1);
	int n = larger(c->world, product(c->processes, nodes));
	int seen = larger(c->visible, bits_in(c->listed));
	int64_t step = (int64_t)c->micro_batch * larger(c->accumulate, 1);

	if (!c->sure && (!c->used || c->denied))
		return 0;
	if (step > 0 && c->batch > 0 && c->batch % step == 0)
		n = larger(n, (int)(c->batch / step));
	n = larger(n, c->total);
	n = larger(n, product(c->granted, nodes));
	if (n == 0)
		n = product(seen, nodes);
	return n ? n : 1;
}

/* The ranks that a log speaks of: so many processes there are at least. A
 * number that stands alone may be anything: "436276: line 14: ...". */
static int ranks_of(const struct findings *f)
{
	int top = f->rank, first = f->rank;

	for (size_t i = 0; i < f->n_events + f->n_evidence; i++) {
		int rank = i < f->n_events ? f->events[i].rank
					   : f->evidence[i - f->n_events].rank;

		if (rank < 0 || rank >= RANKS_MAX)
			continue;
		if (first < 0)
			first = rank;
		top = larger(top, rank);
	}
	return f->rank >= 0 || top != first ? top + 1 : 0;
}

void gpus_end(struct findings *f)
{
	struct gpu_clues *c = &f->clues;

	/* what a rule found is no advice */
	for (size_t i = 0; i < f->n_evidence && !c->sure; i++) {
		const struct evidence *ev = &f->evidence[i];

		c->sure =
		    line_says((struct span){ ev->text, ev->text_len }) > 0;
	}
	c->world = larger(c->world, ranks_of(f));
	f->gpus = estimate(c);
}

/* What two logs of a job tell together. */
static void join(struct gpu_clues *to, const struct gpu_clues *c)
{
	to->used |= c->used;
	to->denied |= c->denied;
	to->sure |= c->sure || (c->used && !c->denied);
	to->total = larger(to->total, c->total);
	to->world = larger(to->world, c->world);
	to->nodes = larger(to->nodes, c->nodes);
	to->processes = larger(to->processes, c->processes);
	to->granted = larger(to->granted, c->granted);
	to->visible = larger(to->visible, c->visible);
	to->listed |= c->listed;
	to->batch = larger(to->batch, c->batch);
	to->micro_batch = larger(to->micro_batch, c->micro_batch);
	to->accumulate = larger(to->accumulate, c->accumulate);
}

static int nodes_of(const struct diagnosis *d)
{
	int n = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		bool known = !d->logs[i]->node;

		for (size_t k = 0; k < i && !known; k++)
			known = d->logs[k]->node &&
			    strcmp(d->logs[k]->node, d->logs[i]->node) == 0;
		n += !known;
	}
	return n;
}

int gpus_of_job(const struct diagnosis *d)
{
	struct gpu_clues all = { 0 };

	for (size_t i = 0; i < d->n_logs; i++)
		if (!d->logs[i]->of_record)
			join(&all, &d->logs[i]->clues);
	all.nodes = larger(all.nodes, nodes_of(d));
	return estimate(&all);
}
