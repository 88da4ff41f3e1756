#include "diagnose/signals/metrics_names.h"

#include <stdlib.h>
#include <string.h>

#define HEADS 1024 /* two letters of five bits */
#define NONE UINT16_MAX

struct metric_names {
	uint16_t head[HEADS]; /* first of v whose name begins so; or NONE */
	uint16_t unit[32];    /* of units, by the letter before '/' */
	uint16_t *next;
	struct metric_name *v; /* the longest first */
	size_t n;
};

const unsigned char metric_words[256] = {
	['0'] = 1,
	['1'] = 1,
	['2'] = 1,
	['3'] = 1,
	['4'] = 1,
	['5'] = 1,
	['6'] = 1,
	['7'] = 1,
	['8'] = 1,
	['9'] = 1,
	['_'] = 1,
	['a'] = 1,
	['b'] = 1,
	['c'] = 1,
	['d'] = 1,
	['e'] = 1,
	['f'] = 1,
	['g'] = 1,
	['h'] = 1,
	['i'] = 1,
	['j'] = 1,
	['k'] = 1,
	['l'] = 1,
	['m'] = 1,
	['n'] = 1,
	['o'] = 1,
	['p'] = 1,
	['q'] = 1,
	['r'] = 1,
	['s'] = 1,
	['t'] = 1,
	['u'] = 1,
	['v'] = 1,
	['w'] = 1,
	['x'] = 1,
	['y'] = 1,
	['z'] = 1,
	['A'] = 1,
	['B'] = 1,
	['C'] = 1,
	['D'] = 1,
	['E'] = 1,
	['F'] = 1,
	['G'] = 1,
	['H'] = 1,
	['I'] = 1,
	['J'] = 1,
	['K'] = 1,
	['L'] = 1,
	['M'] = 1,
	['N'] = 1,
	['O'] = 1,
	['P'] = 1,
	['Q'] = 1,
	['R'] = 1,
	['S'] = 1,
	['T'] = 1,
	['U'] = 1,
	['V'] = 1,
	['W'] = 1,
	['X'] = 1,
	['Y'] = 1,
	['Z'] = 1,
};

/* What a blank of a name stands for. */
static bool joins(char c)
{
	return c == ' ' || c == '_' || c == '-' || c == '/';
}

/* Capitals and small letters give the same. */
static unsigned head_of(const char *p)
{
	return (unsigned)(p[0] & 31) << 5 |
	    (joins(p[1]) ? 0 : (unsigned)(p[1] & 31));
}

static bool same(char name, char c)
{
	if (name == ' ')
		return joins(c);
	return metric_fold(c) == (unsigned char)name;
}

const struct metric_name *metric_names_at(
    const struct metric_names *names, struct span s, size_t i)
{
	uint16_t k;

	if (i + 1 >= s.n)
		return NULL;
	k = names->head[head_of(s.p + i)];
	if (k == NONE)
		return NULL;
	for (; k != NONE; k = names->next[k]) {
		const struct metric_name *m = &names->v[k];
		size_t at = 0;

		if (m->n > s.n - i ||
		    (m->n < s.n - i && metric_word(s.p[i + m->n]) &&
			metric_word(m->text[m->n - 1])))
			continue;
		while (at < m->n && same(m->text[at], s.p[i + at]))
			at++;
		/* not an argument of a command, a variable, a file */
		if (at == m->n)
			return i && strchr("-.$<", s.p[i - 1]) ? NULL : m;
	}
	return NULL;
}

const struct metric_name *metric_names_unit(
    const struct metric_names *names, struct span s, size_t slash)
{
	uint16_t k = slash ? names->unit[s.p[slash - 1] & 31] : NONE;

	for (; k != NONE; k = names->next[k]) {
		const struct metric_name *m = &names->v[k];
		size_t from = slash - m->slash, at = 0;

		if (m->slash > slash || m->n > s.n - from)
			continue;
		while (at < m->n &&
		    metric_fold(s.p[from + at]) == (unsigned char)m->text[at])
			at++;
		if (at == m->n &&
		    (from + at == s.n || !metric_word(s.p[from + at])))
			return m;
	}
	return NULL;
}

static int longest_first(const void *a, const void *b)
{
	const struct metric_name *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void add_all(struct metric_names *names, const struct strings *s,
    size_t metric, bool units)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *slash = strchr(s->v[i], '/');

		names->v[names->n] = (struct metric_name){ .text = s->v[i],
			.n = strlen(s->v[i]),
			.slash = units ? (size_t)(slash - s->v[i]) : 0,
			.metric = metric,
			.number = names->n };
		names->n++;
	}
}

struct metric_names *metric_names_new(const struct taxonomy *tax)
{
	struct metric_names *names = calloc(1, sizeof *names);
	size_t n = tax->validation.n + 1;

	if (!names)
		return NULL;
	for (size_t i = 0; i < tax->n_metrics; i++)
		n += tax->metrics[i].names.n + tax->metrics[i].units.n;
	names->v = calloc(n, sizeof *names->v);
	names->next = calloc(n, sizeof *names->next);
	if (!names->v || !names->next || n >= NONE) {
		metric_names_free(names);
		return NULL;
	}
	for (size_t i = 0; i < tax->n_metrics; i++) {
		add_all(names, &tax->metrics[i].names, i, false);
		add_all(names, &tax->metrics[i].units, i, true);
	}
	add_all(names, &tax->validation, METRIC_NAME_VALIDATION, false);
	qsort(names->v, names->n, sizeof *names->v, longest_first);
	memset(names->head, 0xff, sizeof names->head);
	memset(names->unit, 0xff, sizeof names->unit);
	for (size_t i = names->n; i-- > 0;) {
		const struct metric_name *m = &names->v[i];
		uint16_t *head = m->slash
		    ? &names->unit[m->text[m->slash - 1] & 31]
		    : &names->head[head_of(m->text)];

		names->next[i] = *head;
		*head = (uint16_t)i;
	}
	return names;
}

void metric_names_free(struct metric_names *names)
{
	if (!names)
		return;
	free(names->v);
	free(names->next);
	free(names);
}
