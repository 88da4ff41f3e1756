/*
 * A path of data is told by how it ends. What is written (checkpoints,
 * results), run, or quoted from a traceback is no input.
 */
#include "diagnose/evidence/inputs.h"

#include "diagnose/diagnosis.h"
#include "diagnose/evidence/excerpt.h"
#include "diagnose/signals/facts.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/metrics_names.h"
#include "diagnose/signals/signals.h"

#include <stdlib.h>
#include <string.h>

#define PATH_MAX_BYTES 300

void inputs_release(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		free(in->v[i]);
	in->n = 0;
}

int inputs_copy(struct inputs *to, const struct inputs *from)
{
	*to = (struct inputs){ .n = 0 };
	for (size_t i = 0; i < from->n; i++) {
		to->v[i] = span_dup(span_of(from->v[i]));
		if (!to->v[i]) {
			inputs_release(to);
			return -1;
		}
		to->n++;
	}
	return 0;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "part-00012-of-01024" */
static bool numbered(struct span s)
{
	size_t of = span_find(s, "-of-");

	return of != SIZE_MAX && of > 0 && digit(s.p[of - 1]) && of + 4 < s.n &&
	    digit(s.p[of + 4]);
}

/* Whether a signal tells of s that it is, or is of, data or something else. */
static bool told(const struct taxonomy *tax, enum signal_inputs act,
    enum signal_inputs_where where, struct span s)
{
	for (size_t i = tax->signal_from[SIGNAL_INPUTS];
	     i < tax->signal_from[SIGNAL_INPUTS + 1]; i++)
		if (taxonomy_signal_at(tax, i)->tells[0] == (int)act &&
		    taxonomy_signal_at(tax, i)->tells[1] == (int)where &&
		    signals_tell(tax, i, NULL, s, NULL))
			return true;
	return false;
}

static bool data_path(const struct taxonomy *tax, struct span s)
{
	size_t dot = s.n;

	if (s.n < 4 || s.n > PATH_MAX_BYTES || s.p[0] == '-' || s.p[0] == '*' ||
	    told(tax, INPUTS_OTHER, INPUTS_IN_PATH, s))
		return false;
	if (numbered(s))
		return true;
	while (dot > 0 && s.p[dot - 1] != '.' && s.p[dot - 1] != '/')
		dot--;
	return dot > 1 && s.p[dot - 1] == '.' && s.p[dot - 2] != '/' &&
	    told(tax, INPUTS_DATA, INPUTS_IN_PATH, s);
}

static bool separates(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`,;=()[]{}<>|", c);
}

/* The path in a token: without what stands behind it ("x.csv:12:", "x.csv.").
 */
static struct span without_tail(struct span s)
{
	while (s.n && (strchr(":.!?", s.p[s.n - 1]) || digit(s.p[s.n - 1]))) {
		size_t colon = s.n;

		if (!digit(s.p[s.n - 1])) {
			s.n--;
			continue;
		}
		while (colon > 0 && digit(s.p[colon - 1]))
			colon--;
		if (colon < 2 || s.p[colon - 1] != ':')
			break;
		s.n = colon - 1;
	}
	return s;
}

/* The same without a level or a name before it, "ERROR:data:x.csv". */
static struct span path_in(struct span token)
{
	struct span s = without_tail(token);
	size_t i = s.n;

	if (span_find(s, "://") != SIZE_MAX)
		return s;
	while (i > 0 && s.p[i - 1] != ':')
		i--;
	return span_sub(s, i, s.n);
}

/* Whether a line can tell of an input at all. */
static bool tells(const struct taxonomy *tax, struct span line)
{
	struct shape_frame frame;
	size_t from, to;

	if (shape_echo(tax, line) || shape_frame(line, &frame))
		return false;
	for (from = 0; from < line.n; from = to + 1) {
		for (to = from; to < line.n && metric_word(line.p[to]);)
			to++;
		if (to > from &&
		    told(tax, INPUTS_OTHER, INPUTS_IN_WORD,
			span_sub(line, from, to)))
			return false;
	}
	return true;
}

/* Whether what stands at to is the code of a frame: its names are no paths. */
static bool is_code(struct span text, size_t from, size_t to)
{
	struct shape_frame frame;
	struct span above;

	return facts_line_before(text, from, &to, &above) &&
	    shape_frame(above, &frame);
}

static bool known(const struct inputs *in, struct span path)
{
	for (size_t i = 0; i < in->n; i++)
		if (span_is(path, in->v[i]))
			return true;
	return false;
}

static int add(struct inputs *in, struct span path)
{
	if (in->n == INPUTS_MAX || known(in, path))
		return 0;
	in->v[in->n] = span_dup(path);
	return in->v[in->n] ? (in->n++, 0) : -1;
}

/* The tokens of a line from the last to the first. */
static int search_line(
    const struct taxonomy *tax, struct inputs *in, struct span line)
{
	size_t end = line.n, start;

	while (end > 0) {
		while (end > 0 && separates(line.p[end - 1]))
			end--;
		start = end;
		while (start > 0 && !separates(line.p[start - 1]))
			start--;
		if (start < end) {
			struct span s = path_in(span_sub(line, start, end));

			if (data_path(tax, s) && add(in, s))
				return -1;
		}
		end = start;
	}
	return 0;
}

int inputs_search(const struct taxonomy *tax, struct inputs *in,
    struct span text, size_t from, size_t to)
{
	struct inputs found = { .n = 0 };
	struct span line;
	int rc = 0;

	while (!rc && found.n < INPUTS_MAX &&
	    facts_line_before(text, from, &to, &line))
		if (memchr(line.p, '.', line.n) || numbered(line))
			if (tells(tax, line) && !is_code(text, from, to))
				rc = search_line(tax, &found, line);
	for (size_t i = 0; i < in->n && !rc; i++)
		rc = add(&found, span_of(in->v[i]));
	if (rc) {
		inputs_release(&found);
		return -1;
	}
	inputs_release(in);
	*in = found;
	return 0;
}

const struct inputs *inputs_of(const struct diagnosis *d)
{
	const struct proof *root = d->evidence.n ? &d->evidence.v[0] : NULL;
	const struct excerpt *x = excerpt_of(root);

	if (x && x->inputs.n)
		return &x->inputs;
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->tail && f->tail->inputs.n && !(root && f == root->log) &&
		    (!root || f->rank == root->log->rank))
			return &f->tail->inputs;
	}
	return NULL;
}
