/* Building the shared nomination tables. */
#include "diagnose/engine.h"

#include "base/err.h"
#include "diagnose/facts.h"
#include "diagnose/scan.h"
#include "diagnose/trace.h"

#include <stdlib.h>

static size_t count(const char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static int add_extras(struct engine *en, const char *const *list, unsigned kind)
{
	for (; *list; list++) {
		en->extra[en->n_sets - en->n_borrowed] = kind;
		if (literals_one(&en->sets[en->n_sets], *list))
			return -1;
		en->n_sets++;
	}
	return 0;
}

static int build(struct engine *en, struct err *e)
{
	size_t n = en->tax->n_rules;
	size_t extras = count(trace_triggers);

	for (size_t i = 0; facts_triggers[i]; i++)
		extras += count(facts_triggers[i]);
	en->sets = calloc(n + extras + 1, sizeof *en->sets);
	en->extra = calloc(extras + 1, sizeof *en->extra);
	en->uncovered = calloc(n + 1, sizeof *en->uncovered);
	if (!en->sets || !en->extra || !en->uncovered)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++)
		en->sets[i] = en->tax->rules[i].literals;
	en->n_sets = en->n_borrowed = n;
	if (add_extras(en, trace_triggers, ENGINE_TRACE))
		return err_nomem(e);
	for (unsigned i = 0; facts_triggers[i]; i++)
		if (add_extras(en, facts_triggers[i], ENGINE_FACTS + i))
			return err_nomem(e);
	en->prefilter = prefilter_new(en->sets, en->n_sets, e);
	if (!en->prefilter)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (prefilter_covers(en->prefilter, i))
			continue;
		en->uncovered[en->n_uncovered++] = i;
		en->every_line |= en->tax->rules[i].where != WHERE_BLOCK;
	}
	return 0;
}

struct engine *engine_new(const struct taxonomy *tax,
    const struct limits *limits, bool prefilter, struct err *e)
{
	struct engine *en = calloc(1, sizeof *en);

	if (!en) {
		err_nomem(e);
		return NULL;
	}
	en->tax = tax;
	en->limits = limits;
	if (build(en, e)) {
		engine_free(en);
		return NULL;
	}
	if (!prefilter) {
		prefilter_free(en->prefilter);
		en->prefilter = NULL;
		en->every_line = true;
	}
	return en;
}

void engine_keep(struct engine *en)
{
	en->keep = true;
}

void engine_free(struct engine *en)
{
	if (!en)
		return;
	prefilter_free(en->prefilter);
	for (size_t i = en->n_borrowed; i < en->n_sets; i++)
		literals_release(&en->sets[i]);
	free(en->sets);
	free(en->extra);
	free(en->uncovered);
	free(en);
}
