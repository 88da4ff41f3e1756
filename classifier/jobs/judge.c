#include "jobs/judge.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/decision/rank.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/decision/dates.h"
#include "diagnose/decision/hide.h"
#include "diagnose/job_record.h"
#include "diagnose/evidence/scan.h"
#include "jobs/accounting.h"

struct findings *judge_record(
    const struct job_record *r, const char *more, struct scan *s, struct err *e)
{
	struct buf words = BUF_INIT(BUF_MAX);
	struct findings *f = NULL;

	if (accounting_words(r, &words) || (more && buf_adds(&words, more))) {
		err_nomem(e);
		goto out;
	}
	if (scan_begin(s, r->path, -1, NULL, e))
		goto out;
	scan_findings(s)->of_record = true;
	if (!scan_feed(s, words.p, words.len, e))
		f = scan_end(s, true, e);
	for (size_t i = 0; f && i < f->n_evidence; i++)
		f->evidence[i].line = r->line;
out:
	buf_release(&words);
	return f;
}

/* Words are hidden when the root is found, and before the verdict puts some of
 * them into a sentence. */
int judge_job(struct diagnosis *d, const struct taxonomy *tax,
    const struct redactor *redact, struct err *e)
{
	dates_settle(d);
	if (rank_job(d, tax, e) || ending_find(d, e) ||
	    job_facts_find(d, tax, e))
		return -1;
	usage_find(d);
	if (redact && hide_secrets(d, redact, e))
		return -1;
	return verdict_job(d, tax, e);
}
