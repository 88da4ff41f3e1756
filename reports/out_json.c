/* JSON lines, one diagnosis each, and the same as one JSON array. */
#include "base/err.h"
#include "base/json.h"
#include "reports/output.h"
#include "reports/record.h"

static int add_record(
    struct writer *w, const struct diagnosis *d, struct err *e)
{
	struct json *o = record_json(d, w->tax, e);
	int rc;

	if (!o)
		return -1;
	rc = json_write(o, &w->line) ? err_nomem(e) : 0;
	json_free(o);
	return rc;
}

static int jsonl_job(struct writer *w, const struct diagnosis *d, struct err *e)
{
	if (add_record(w, d, e))
		return -1;
	return buf_addc(&w->line, '\n') ? err_nomem(e) : 0;
}

static int json_job(struct writer *w, const struct diagnosis *d, struct err *e)
{
	if (buf_adds(&w->line, w->rows ? ",\n" : "[\n"))
		return err_nomem(e);
	return add_record(w, d, e);
}

static int json_end(struct writer *w, struct err *e)
{
	return buf_adds(&w->line, w->rows ? "\n]\n" : "[]\n") ? err_nomem(e)
							      : 0;
}

const struct output output_jsonl = { "jsonl", NULL, jsonl_job, NULL };
const struct output output_json = { "json", NULL, json_job, json_end };
