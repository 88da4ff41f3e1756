/* jobtriage suggest GROUP: a rule drafted for failures that no rule names. */
#include "base/buf.h"
#include "base/err.h"
#include "cli/lines.h"
#include "cli/store_report.h"
#include "reports/groups/draft.h"
#include "reports/store/store.h"
#include "rules/redact.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH 8           /* of folders with good runs */
#define LINES_MOST 200000 /* of one of their logs */

struct suggest {
	const struct settings *s;
	struct store_report x;
	struct draft *draft;
	struct redactor *redactor;
	uint64_t unread;
};

/* ---- good runs ---- */

static int read_log(struct suggest *g, const char *path)
{
	struct lines l = { .f = fopen(path, "r"),
		.most = (size_t)g->s->limits.v[LIMIT_LINE] };
	struct span line;
	int rc = 0;

	if (!l.f) {
		screen_complain("%s: %s", path, strerror(errno));
		g->unread++;
		return 0;
	}
	while (!rc && l.number < LINES_MOST && lines_next(&l, &line)) {
		char *text = l.too_long ? NULL : span_dup(line);
		char *clean = text ? redact_string(g->redactor, text) : NULL;

		if (!l.too_long)
			rc = clean ? draft_good(g->draft, span_of(clean), path)
				   : -1;
		free(clean);
		free(text);
	}
	rc = l.failed ? -1 : rc;
	fclose(l.f);
	lines_release(&l);
	return rc;
}

static int read_good(struct suggest *g, const char *path, int depth)
{
	struct buf inner = BUF_INIT(BUF_MAX);
	struct dirent **v = NULL;
	struct stat st;
	int n, rc = 0;

	if (stat(path, &st)) {
		screen_complain("%s: %s", path, strerror(errno));
		g->unread++;
		return 0;
	}
	if (S_ISREG(st.st_mode))
		return read_log(g, path);
	n = S_ISDIR(st.st_mode) && depth < DEPTH
	    ? scandir(path, &v, NULL, alphasort)
	    : 0;
	for (int i = 0; i < n; i++) {
		buf_clear(&inner);
		if (!rc && v[i]->d_name[0] != '.')
			rc = buf_addf(&inner, "%s/%s", path, v[i]->d_name) ||
			    read_good(g, inner.p, depth + 1);
		free(v[i]);
	}
	free(v);
	buf_release(&inner);
	return rc ? -1 : 0;
}

/* ---- the command ---- */

static enum exit_status print(struct suggest *g)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct outfile out;
	struct err e = { 0 };
	int rc = draft_write(g->draft, &b, &e);

	rc = rc || outfile_open(&out, g->s->output, &e);
	if (!rc) {
		fwrite(b.p, 1, b.len, out.f);
		rc = outfile_close(&out, &e);
	}
	buf_release(&b);
	if (rc)
		return screen_failed(&e, STATUS_INTERNAL);
	return g->unread ? STATUS_DEGRADED : STATUS_OK;
}

static enum exit_status run(struct suggest *g)
{
	const char *id = g->s->arguments.v[0];
	const struct failure_group *group;
	struct err e = { 0 };
	bool several;

	if (store_report_read(&g->x, &e))
		return screen_failed(&e, STATUS_INTERNAL);
	group = groups_find(&g->x.report->unnamed, id, &several);
	if (!group) {
		screen_complain(several
			? "suggest: several groups begin with %s"
			: "suggest: there is no group %s; see jobtriage groups",
		    id);
		return STATUS_USAGE;
	}
	g->redactor = redact_rules_new(
	    g->x.taxonomy, NULL, g->s->limits.v[LIMIT_MATCH], &e);
	g->draft = g->redactor ? draft_new(g->x.report, group, &e) : NULL;
	if (!g->draft)
		return screen_failed(&e, STATUS_USAGE);
	for (size_t i = 0; i < g->s->good.n; i++)
		if (read_good(g, g->s->good.v[i], 0)) {
			err_nomem(&e);
			return screen_failed(&e, STATUS_INTERNAL);
		}
	return print(g);
}

enum exit_status cmd_suggest(const struct settings *s)
{
	struct suggest g = { .s = s };
	enum exit_status status;

	if (s->arguments.n != 1) {
		screen_complain("suggest: expected a group; see jobtriage "
				"groups");
		return STATUS_USAGE;
	}
	status = store_report_open(&g.x, s, STORE_READ);
	if (status == STATUS_OK)
		status = run(&g);
	draft_free(g.draft);
	redact_rules_free(g.redactor);
	return store_report_close(&g.x, status);
}
