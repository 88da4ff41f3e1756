#include "diagnose/evidence/engine.h"

#include "base/err.h"
#include "diagnose/evidence/scan.h"

#include <stdlib.h>

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
	if (taxonomy_built_in(tax)) {
		en->tables = engine_image;
	} else if (engine_tables_make(&en->tables, tax, &engine_image, e)) {
		engine_free(en);
		return NULL;
	}
	en->prefilter = prefilter ? en->tables.prefilter : NULL;
	en->every_line = !prefilter || en->tables.every_line;
	return en;
}

void engine_excerpts(struct engine *en)
{
	en->excerpts = true;
}

void engine_trends(struct engine *en)
{
	en->trends = true;
}

void engine_goodput(struct engine *en)
{
	en->goodput = true;
}

void engine_free(struct engine *en)
{
	if (!en)
		return;
	engine_tables_release(&en->tables);
	free(en);
}
