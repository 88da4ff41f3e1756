/* Building the shared nomination tables. */
#include "diagnose/evidence/engine_tables.h"

#include "base/err.h"

#include <stdlib.h>

/* The sets of a filter that are not taken over, and their ids in it. */
struct sets {
	struct literals *v;
	uint32_t *ids;
	size_t n;
};

struct engine_made {
	struct prefilter *prefilter, *raised;
	struct sets sets;     /* the patterns', then signals' */
	struct sets messages; /* the patterns' for exceptions */
	size_t n_sets, n_patterns;
	unsigned *extra;
	size_t *uncovered, *last;
};

/* Pages that nobody touches cost nothing: few of n are filled in, if any. */
static int sets_init(struct sets *s, size_t n)
{
	s->v = malloc((n + 1) * sizeof *s->v);
	s->ids = malloc((n + 1) * sizeof *s->ids);
	return s->v && s->ids ? 0 : -1;
}

static void sets_release(struct sets *s)
{
	for (size_t i = 0; i < s->n; i++)
		literals_release(&s->v[i]);
	free(s->v);
	free(s->ids);
}

/* The place for set id, once it is filled in: rc is 0. */
static int sets_add(struct sets *s, size_t id, int rc)
{
	if (rc)
		return -1;
	s->ids[s->n++] = (uint32_t)id;
	return 0;
}

/* number: of the patterns of the built-in filter, or NULL: there is none. */
static int add_patterns(
    struct engine_made *m, const struct taxonomy *tax, uint32_t *number)
{
	struct sets *lines = &m->sets, *raised = &m->messages;

	for (size_t i = 0; i < tax->n_patterns; i++) {
		const struct rule *r =
		    taxonomy_rule_at(tax, tax->pattern_rule[i]);
		const char *p = r->pattern.v[i - r->first];

		if (number && r->built_in != TAXONOMY_SITE)
			number[r->built_in + i - r->first] = (uint32_t)i;
		else if (r->where != WHERE_LAST &&
		    (sets_add(lines, i,
			 literals_from_pattern(&lines->v[lines->n], p)) ||
			(r->where == WHERE_EXCEPTION &&
			    sets_add(raised, i,
				literals_from_exception(
				    &raised->v[raised->n], p)))))
			return -1;
		m->n_sets++;
	}
	m->n_patterns = m->n_sets;
	return 0;
}

/* One that is not looked for in lines has none. number: of those of the
 * built-in filter, behind its patterns; or NULL. */
static int add_signals(
    struct engine_made *m, const struct taxonomy *tax, uint32_t *number)
{
	struct sets *to = &m->sets;

	for (size_t i = 0; i < tax->n_signals; i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);
		size_t at = m->n_sets++;

		m->extra[i] = s->kind;
		if (number && s->built_in != TAXONOMY_SITE)
			number[s->built_in] = (uint32_t)at;
		else if (signal_hit(s) &&
		    sets_add(to, at, signal_read_literals(s, &to->v[to->n])))
			return -1;
	}
	return 0;
}

/* The literals of all that may be nominated, by id. number: by id in the
 * built-in filter, which has n_patterns; or NULL. */
static int gather(struct engine_made *m, const struct taxonomy *tax,
    uint32_t *number, size_t n_patterns)
{
	size_t n = tax->n_patterns;

	m->extra = calloc(tax->n_signals + 1, sizeof *m->extra);
	m->uncovered = malloc((n + 1) * sizeof *m->uncovered);
	m->last = malloc((n + 1) * sizeof *m->last);
	if (sets_init(&m->sets, n + tax->n_signals) ||
	    sets_init(&m->messages, n) || !m->extra || !m->uncovered ||
	    !m->last)
		return -1;
	return add_patterns(m, tax, number) ||
		add_signals(m, tax, number ? number + n_patterns : NULL)
	    ? -1
	    : 0;
}

static int make_filters(struct engine_made *m, const struct taxonomy *tax,
    const struct engine_tables *built_in, struct err *e)
{
	size_t n = built_in ? prefilter_sets(built_in->prefilter) : 0;
	uint32_t *number = malloc((n + 1) * sizeof *number);
	int rc = -1;

	if (!number) {
		err_nomem(e);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		number[i] = PREFILTER_GONE;
	if (built_in ? gather(m, tax, number, built_in->n_patterns)
		     : gather(m, tax, NULL, 0)) {
		err_nomem(e);
		goto out;
	}
	m->prefilter = prefilter_derive(built_in ? built_in->prefilter : NULL,
	    number, m->sets.v, m->sets.ids, m->sets.n, m->n_sets, e);
	if (!m->prefilter)
		goto out;
	m->raised = prefilter_derive(built_in ? built_in->raised : NULL, number,
	    m->messages.v, m->messages.ids, m->messages.n, m->n_patterns, e);
	rc = m->raised ? 0 : -1;
out:
	free(number);
	return rc;
}

int engine_tables_make(struct engine_tables *t, const struct taxonomy *tax,
    const struct engine_tables *built_in, struct err *e)
{
	struct engine_made *m = calloc(1, sizeof *m);

	*t = (struct engine_tables){ .n_patterns = tax->n_patterns, .made = m };
	if (!m)
		return err_nomem(e);
	if (make_filters(m, tax, built_in, e))
		return -1;
	t->prefilter = m->prefilter;
	t->raised = m->raised;
	t->extra = m->extra;
	t->n_extra = m->n_sets - m->n_patterns;
	t->uncovered = m->uncovered;
	t->last = m->last;
	for (size_t i = 0; i < t->n_patterns; i++) {
		enum where where =
		    taxonomy_rule_at(tax, tax->pattern_rule[i])->where;

		if (where == WHERE_LAST)
			m->last[t->n_last++] = i;
		if (where == WHERE_LAST || prefilter_covers(t->prefilter, i))
			continue;
		m->uncovered[t->n_uncovered++] = i;
		t->every_line |= where != WHERE_BLOCK;
	}
	for (size_t i = 0; i < tax->n_signals; i++)
		if (signal_hit(taxonomy_signal_at(tax, i)) &&
		    !prefilter_covers(t->prefilter, t->n_patterns + i))
			t->always |= 1u << taxonomy_signal_at(tax, i)->kind;
	t->every_line |= (t->always & ~(1u << SIGNAL_END)) != 0;
	return 0;
}

void engine_tables_release(struct engine_tables *t)
{
	struct engine_made *m = t->made;

	if (!m)
		return;
	prefilter_free(m->prefilter);
	prefilter_free(m->raised);
	sets_release(&m->messages);
	sets_release(&m->sets);
	free(m->extra);
	free(m->uncovered);
	free(m->last);
	free(m);
}
