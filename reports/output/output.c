/* The table of formats. */
#include "reports/output/output.h"

#include "base/err.h"

#include <string.h>

static const struct output *const outputs[] = { &output_text, &output_jsonl,
	&output_json, &output_csv };

#define N_OUTPUTS (sizeof outputs / sizeof *outputs)

const struct output *output_find(const char *name)
{
	for (size_t i = 0; i < N_OUTPUTS; i++)
		if (strcmp(outputs[i]->name, name) == 0)
			return outputs[i];
	return NULL;
}

int output_begin(const struct output *o, struct writer *w, struct err *e)
{
	w->line = (struct buf)BUF_INIT(BUF_MAX);
	if (totals_init(&w->totals, w->tax))
		return err_nomem(e);
	return o->begin ? o->begin(w, e) : 0;
}

int output_job(const struct output *o, struct writer *w, const struct entry *en,
    struct span record, struct err *e)
{
	int rc;

	buf_clear(&w->line);
	if (o->entry)
		totals_add(&w->totals, en);
	rc = o->entry ? o->entry(w, en, e) : o->record(w, record, e);
	if (rc)
		return -1;
	if (w->line.len)
		fwrite(w->line.p, 1, w->line.len, w->f);
	w->rows++;
	return 0;
}

int output_end(const struct output *o, struct writer *w, struct err *e)
{
	int rc;

	buf_clear(&w->line);
	rc = o->end ? o->end(w, e) : 0;
	if (!rc && w->line.len)
		fwrite(w->line.p, 1, w->line.len, w->f);
	return rc;
}
