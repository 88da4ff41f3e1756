/* Logs are read twice: for the diagnosis, and line by line for this. */
#include "cli/explain_lines.h"

#include "base/err.h"
#include "cli/session.h"
#include "jobs/again.h"
#include "reports/explain/explain_diff.h"

struct reading {
	const struct settings *s;
	struct explain_diff *df;
	const struct findings *log; /* NULL: the good one */
	bool degraded;
	bool any;  /* line of the good log */
	bool told; /* of a log that is not whole, when it was diagnosed */
};

static int on_line(void *ctx, const struct envelope *env, uint64_t number)
{
	struct reading *r = ctx;

	r->any = true;
	if (!r->log)
		return explain_diff_good(r->df, env->text);
	return explain_diff_bad(
	    r->df, env->text, number, r->log, env->level == LEVEL_WARNING);
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct reading *r = ctx;

	if (!r->log || !r->told)
		session_note(r->s, path, kind, text);
	r->degraded = true;
}

int explain_lines_diff(const struct settings *s, const struct explain *x,
    bool *degraded, FILE *out, struct err *e)
{
	struct reading r = {
		.s = s, .df = explain_diff_new(x->tax), .told = *degraded
	};
	struct again again = { .taxonomy = x->tax,
		.limits = &s->limits,
		.redact = x->redact,
		.ctx = &r,
		.line = on_line,
		.note = on_note };
	int rc = r.df ? again_read(&again, s->diff, e) : err_nomem(e);

	*degraded |= r.degraded;
	if (rc || !r.any) {
		if (!rc && !r.degraded)
			screen_complain("explain --diff: %s: there is no line "
					"to compare with",
			    s->diff);
		*degraded = true;
		goto out;
	}
	again.only = true;
	for (size_t i = 0; i < x->d->n_logs && !rc; i++) {
		r.log = x->d->logs[i];
		if (!r.log->of_record && !r.log->of_node)
			rc = again_read(&again, r.log->path, e);
	}
	*degraded |= r.degraded;
	rc = rc ? -1 : explain_diff_write(r.df, x, out, e);
out:
	explain_diff_free(r.df);
	return rc;
}
