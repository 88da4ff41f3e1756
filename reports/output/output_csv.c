/* CSV for spreadsheets, one line a job. */
#include "base/err.h"
#include "base/when.h"
#include "reports/output/csv.h"
#include "reports/output/output.h"

static int add_string(struct buf *b, const char *s)
{
	return csv_field(b, span_of(s), ",");
}

static int add_number(struct buf *b, int64_t n)
{
	return n < 0 ? buf_adds(b, ",") : buf_addf(b, "%lld,", (long long)n);
}

static int add_time(struct buf *b, int64_t t)
{
	char text[32] = "";

	if (t != ENVELOPE_NO_TIME)
		when_format(t, text);
	return add_string(b, text);
}

static int csv_begin(struct writer *w, struct err *e)
{
	(void)e;
	fputs("job,attempt,failed,category,dimension,verdict,confidence,rule,"
	      "fingerprint,path,line,rank,node,time,reason,user,group,gpus,"
	      "runtime_seconds,gpu_seconds,gpu_seconds_lost,started,ended,"
	      "text,ending\r\n",
	    w->f);
	return 0;
}

static int csv_entry(struct writer *w, const struct entry *en, struct err *e)
{
	const struct entry_proof *root = en->n_evidence ? en->evidence : NULL;
	struct buf *b = &w->line;
	int rc;

	rc = add_string(b, en->job) || add_number(b, en->attempt) ||
	    buf_adds(b,
		en->failed < 0   ? ","
		    : en->failed ? "true,"
				 : "false,") ||
	    add_string(b, en->category) || add_string(b, en->dimension) ||
	    add_string(b, taxonomy_verdict_name(en->verdict)) ||
	    add_string(b, diagnosis_confidence_name(en->confidence)) ||
	    add_string(b, en->rule) || add_string(b, en->fingerprint) ||
	    add_string(b, root ? root->path : en->path) ||
	    add_number(b, root ? root->line : -1) ||
	    add_number(b, root ? root->rank : -1) ||
	    add_string(b, root ? root->node : NULL) ||
	    add_time(b, root ? root->time : ENVELOPE_NO_TIME) ||
	    add_string(b, en->reason) || add_string(b, en->user) ||
	    add_string(b, en->group) || add_number(b, en->gpus) ||
	    add_number(b, en->seconds) || add_number(b, en->gpu_seconds) ||
	    add_number(b, en->lost) || add_time(b, en->started) ||
	    add_time(b, en->ended) || add_string(b, root ? root->text : NULL) ||
	    csv_field(b, span_of(en->ending), "\r\n");
	return rc ? err_nomem(e) : 0;
}

const struct output output_csv = {
	.name = "csv", .begin = csv_begin, .entry = csv_entry
};
