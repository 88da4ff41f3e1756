/* Building the shared nomination tables. */
#include "diagnose/evidence/engine_tables.h"

#include "base/err.h"

#include <stdlib.h>

struct engine_made {
	struct prefilter *prefilter, *raised;
	struct literals *sets;     /* the patterns', then signals' */
	struct literals *messages; /* the patterns' for exceptions */
	size_t n_sets, n_patterns;
	unsigned *extra;
	size_t *uncovered, *last;
};

/* number: of the patterns of the built-in filter, or NULL: there is none. */
static int add_patterns(
    struct engine_made *m, const struct taxonomy *tax, uint32_t *number)
{
	for (size_t i = 0; i < tax->n_patterns; i++) {
		const struct rule *r =
		    taxonomy_rule_at(tax, tax->pattern_rule[i]);
		size_t k = i - r->first;

		if (number && r->built_in != TAXONOMY_SITE)
			number[r->built_in + k] = (uint32_t)i;
		else if (r->where != WHERE_LAST &&
		    (literals_from_pattern(&m->sets[i], r->pattern.v[k]) ||
			(r->where == WHERE_EXCEPTION &&
			    literals_from_exception(
				&m->messages[i], r->pattern.v[k]))))
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
	for (size_t i = 0; i < tax->n_signals; i++) {
		const struct signal *s = &tax->signals[i];
		size_t at = m->n_sets++;

		m->extra[i] = s->kind;
		if (number && s->built_in != TAXONOMY_SITE)
			number[s->built_in] = (uint32_t)at;
		else if (signal_hit(s) && signal_read_literals(s, &m->sets[at]))
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

	m->sets = calloc(n + tax->n_signals + 1, sizeof *m->sets);
	m->messages = calloc(n + 1, sizeof *m->messages);
	m->extra = calloc(tax->n_signals + 1, sizeof *m->extra);
	m->uncovered = calloc(n + 1, sizeof *m->uncovered);
	m->last = calloc(n + 1, sizeof *m->last);
	if (!m->sets || !m->messages || !m->extra || !m->uncovered || !m->last)
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
	    number, m->sets, m->n_sets, e);
	if (!m->prefilter)
		goto out;
	m->raised = prefilter_derive(built_in ? built_in->raised : NULL, number,
	    m->messages, m->n_patterns, e);
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
		if (signal_hit(&tax->signals[i]) &&
		    !prefilter_covers(t->prefilter, t->n_patterns + i))
			t->always |= 1u << tax->signals[i].kind;
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
	for (size_t i = 0; m->messages && i < m->n_patterns; i++)
		literals_release(&m->messages[i]);
	free(m->messages);
	for (size_t i = 0; i < m->n_sets; i++)
		literals_release(&m->sets[i]);
	free(m->sets);
	free(m->extra);
	free(m->uncovered);
	free(m->last);
	free(m);
}
