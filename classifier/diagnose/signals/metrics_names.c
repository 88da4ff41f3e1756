#include "diagnose/signals/metrics_names.h"

#include "diagnose/signals/metrics_marks.h"

#include <stdlib.h>
#include <string.h>

#define HEADS 1024u /* two letters of five bits */
#define UNITS 32    /* the letter before '/' */
#define LISTS (HEADS + UNITS)

struct metric_names {
	/* those of list i are v[start[i]] up to v[start[i + 1]] */
	uint16_t start[LISTS + 1];
	struct metric_name *v; /* of a list the longest first */
	size_t n;
	struct metric_marker marker; /* of those that are no units */
};

const unsigned char metric_words[256] = {
	['0'] = 27,
	['1'] = 27,
	['2'] = 27,
	['3'] = 27,
	['4'] = 27,
	['5'] = 27,
	['6'] = 27,
	['7'] = 27,
	['8'] = 27,
	['9'] = 27,
	['_'] = 28,
	['a'] = 1,
	['b'] = 2,
	['c'] = 3,
	['d'] = 4,
	['e'] = 5,
	['f'] = 6,
	['g'] = 7,
	['h'] = 8,
	['i'] = 9,
	['j'] = 10,
	['k'] = 11,
	['l'] = 12,
	['m'] = 13,
	['n'] = 14,
	['o'] = 15,
	['p'] = 16,
	['q'] = 17,
	['r'] = 18,
	['s'] = 19,
	['t'] = 20,
	['u'] = 21,
	['v'] = 22,
	['w'] = 23,
	['x'] = 24,
	['y'] = 25,
	['z'] = 26,
	['A'] = 1,
	['B'] = 2,
	['C'] = 3,
	['D'] = 4,
	['E'] = 5,
	['F'] = 6,
	['G'] = 7,
	['H'] = 8,
	['I'] = 9,
	['J'] = 10,
	['K'] = 11,
	['L'] = 12,
	['M'] = 13,
	['N'] = 14,
	['O'] = 15,
	['P'] = 16,
	['Q'] = 17,
	['R'] = 18,
	['S'] = 19,
	['T'] = 20,
	['U'] = 21,
	['V'] = 22,
	['W'] = 23,
	['X'] = 24,
	['Y'] = 25,
	['Z'] = 26,
};

static bool joins(char c)
{
	return c == ' ' || c == '_' || c == '-' || c == '/';
}

/* Whether c of a text is a name's. */
static bool same(char name, char c)
{
	return name == ' ' ? joins(c) : metric_fold(c) == (unsigned char)name;
}

/* Up to eight bytes, capitals and small letters the same. */
static uint64_t eight(const char *p, size_t n)
{
	uint64_t v = 0;

	if (n < sizeof v)
		memcpy(&v, p, n);
	else
		memcpy(&v, p, sizeof v);
	return v | UINT64_C(0x2020202020202020);
}

/* Which of its first eight bytes can only be what they are. */
static uint64_t mask_of(const char *name, size_t n)
{
	unsigned char fixed[8] = { 0 };
	uint64_t mask;

	for (size_t i = 0; i < n && i < sizeof fixed; i++)
		fixed[i] = name[i] == ' ' ? 0 : 0xff;
	memcpy(&mask, fixed, sizeof mask);
	return mask;
}

/* Capitals and small letters give the same. */
static unsigned head_of(const char *p)
{
	return (unsigned)(p[0] & 31) << 5 |
	    (joins(p[1]) ? 0 : (unsigned)(p[1] & 31));
}

/* Its first letters, as far as eight bytes tell them in either case. */
static size_t letters_of(const char *name, size_t n)
{
	size_t k = 0;

	while (k < n && k < 8 && name[k] >= 'a' && name[k] <= 'z')
		k++;
	return k;
}

static unsigned list_of(const struct metric_name *m)
{
	return m->slash ? HEADS + (m->text[m->slash - 1] & 31)
			: head_of(m->text);
}

/* Whether m stands at s[i], of which the first bytes are seen. */
static bool stands(
    const struct metric_name *m, uint64_t seen, struct span s, size_t i)
{
	size_t at = m->letters;

	if ((seen ^ m->begin) & m->mask || m->n > s.n - i ||
	    (m->n < s.n - i && metric_word(s.p[i + m->n]) &&
		metric_word(m->text[m->n - 1])))
		return false;
	while (at < m->n && same(m->text[at], s.p[i + at]))
		at++;
	return at == m->n;
}

const struct metric_name *metric_names_at(
    const struct metric_names *names, struct span s, size_t i)
{
	const struct metric_name *m, *end;
	uint64_t seen;

	if (i + 1 >= s.n)
		return NULL;
	m = names->v + names->start[head_of(s.p + i)];
	end = names->v + names->start[head_of(s.p + i) + 1];
	seen = eight(s.p + i, s.n - i);
	for (; m < end; m++)
		/* not an argument of a command, a variable, a file */
		if (stands(m, seen, s, i))
			return i && strchr("-.$<", s.p[i - 1]) ? NULL : m;
	return NULL;
}

const struct metric_name *metric_names_unit(
    const struct metric_names *names, struct span s, size_t slash)
{
	unsigned list = slash ? HEADS + (s.p[slash - 1] & 31) : LISTS;

	for (size_t k = names->start[list];
	     list < LISTS && k < names->start[list + 1]; k++) {
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

static int by_list(const void *a, const void *b)
{
	const struct metric_name *x = a, *y = b;
	unsigned i = list_of(x), k = list_of(y);

	if (i != k)
		return i < k ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void add_all(struct metric_names *names, const struct strings *s,
    size_t metric, bool units)
{
	for (size_t i = 0; i < s->n; i++) {
		const char *slash = strchr(s->v[i], '/');

		size_t n = strlen(s->v[i]);

		names->v[names->n] = (struct metric_name){ .text = s->v[i],
			.n = n,
			.begin = eight(s->v[i], n),
			.mask = mask_of(s->v[i], n),
			.letters = letters_of(s->v[i], n),
			.slash = units ? (size_t)(slash - s->v[i]) : 0,
			.metric = metric,
			.number = names->n };
		names->n++;
	}
}

static int make_marker(struct metric_names *names)
{
	const char **text = malloc((names->n + 1) * sizeof *text);
	size_t n = 0;
	int rc;

	if (!text)
		return -1;
	for (size_t i = 0; i < names->n; i++)
		if (!names->v[i].slash)
			text[n++] = names->v[i].text;
	rc = metric_marker_make(&names->marker, text, n);
	free(text);
	return rc;
}

const struct metric_marker *metric_names_marker(
    const struct metric_names *names)
{
	return &names->marker;
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
	if (!names->v || n > UINT16_MAX) {
		metric_names_free(names);
		return NULL;
	}
	for (size_t i = 0; i < tax->n_metrics; i++) {
		add_all(names, &tax->metrics[i].names, i, false);
		add_all(names, &tax->metrics[i].units, i, true);
	}
	add_all(names, &tax->validation, METRIC_NAME_VALIDATION, false);
	qsort(names->v, names->n, sizeof *names->v, by_list);
	for (size_t i = 0, list = 0; list < LISTS; list++) {
		while (i < names->n && list_of(&names->v[i]) == list)
			i++;
		names->start[list + 1] = (uint16_t)i;
	}
	if (make_marker(names)) {
		metric_names_free(names);
		return NULL;
	}
	return names;
}

void metric_names_free(struct metric_names *names)
{
	if (!names)
		return;
	free(names->v);
	free(names);
}
