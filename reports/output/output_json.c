/* JSON lines, one diagnosis each, and the same as one JSON array. */
#include "base/err.h"
#include "reports/output/output.h"

static int jsonl_record(struct writer *w, struct span record, struct err *e)
{
	return buf_add(&w->line, record.p, record.n) || buf_addc(&w->line, '\n')
	    ? err_nomem(e)
	    : 0;
}

static int json_record(struct writer *w, struct span record, struct err *e)
{
	return buf_adds(&w->line, w->rows ? ",\n" : "[\n") ||
		buf_add(&w->line, record.p, record.n)
	    ? err_nomem(e)
	    : 0;
}

static int json_end(struct writer *w, struct err *e)
{
	return buf_adds(&w->line, w->rows ? "\n]\n" : "[]\n") ? err_nomem(e)
							      : 0;
}

const struct output output_jsonl = { .name = "jsonl", .record = jsonl_record };
const struct output output_json = {
	.name = "json", .record = json_record, .end = json_end
};
