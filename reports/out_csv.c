/*
 * CSV (RFC 4180) for spreadsheets: every field from a log is quoted, made
 * visible, and kept from being read as a formula.
 */
#include "base/err.h"
#include "base/when.h"
#include "reports/output.h"
#include "reports/record.h"

#include <string.h>

static int add_field(struct buf *b, struct span s, bool last)
{
	struct buf clean = BUF_INIT(BUF_MAX);
	int rc = text_visible(&clean, s);

	if (!rc)
		rc = buf_addc(b, '"');
	/* a spreadsheet runs what begins with one of these */
	if (!rc && clean.len && strchr("=+-@", clean.p[0]))
		rc = buf_addc(b, '\'');
	for (size_t i = 0; i < clean.len && !rc; i++)
		rc = clean.p[i] == '"' ? buf_adds(b, "\"\"")
				       : buf_addc(b, clean.p[i]);
	if (!rc)
		rc = buf_adds(b, last ? "\"\r\n" : "\",");
	buf_release(&clean);
	return rc;
}

static int add_string(struct buf *b, const char *s)
{
	return add_field(b, span_of(s), false);
}

static int csv_begin(struct writer *w, struct err *e)
{
	(void)e;
	fputs("job,attempt,failed,category,dimension,verdict,confidence,rule,"
	      "fingerprint,path,line,rank,node,time,reason,text\r\n",
	    w->f);
	return 0;
}

static int csv_job(struct writer *w, const struct diagnosis *d, struct err *e)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;
	int64_t when = root ? record_time(root) : ENVELOPE_NO_TIME;
	int rank = root ? record_rank(root) : -1;
	struct buf *b = &w->line;
	char time[32] = "";
	int rc;

	if (when != ENVELOPE_NO_TIME)
		when_format(when, time);
	rc = add_string(b, d->job) || buf_addf(b, "%d,", d->attempt) ||
	    buf_adds(b,
		d->failed < 0   ? ","
		    : d->failed ? "true,"
				: "false,") ||
	    add_string(b, diagnosis_category(d)) ||
	    add_string(b, d->category ? d->category->dimension : "") ||
	    add_string(b, verdict_name(d->verdict)) ||
	    add_string(b, confidence_name(d->confidence)) ||
	    add_string(b, d->rule ? d->rule->id : "") ||
	    add_string(b, d->fingerprint) ||
	    add_string(b,
		root            ? root->log->path
		    : d->n_logs ? d->logs[0]->path
				: "") ||
	    buf_addf(b, root ? "%llu," : ",",
		(unsigned long long)(root ? record_line(root) : 0)) ||
	    buf_addf(b, rank >= 0 ? "%d," : ",", rank) ||
	    add_string(b, root ? proof_node(root) : "") ||
	    add_string(b, time) || add_string(b, d->reason) ||
	    add_field(b, root ? record_text(root) : span_of(""), true);
	return rc ? err_nomem(e) : 0;
}

const struct output output_csv = { "csv", csv_begin, csv_job, NULL };
