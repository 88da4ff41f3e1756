#include "cli/unusual.h"

#include "base/err.h"
#include "jobs/again.h"
#include "reports/baseline/leads.h"

#include <string.h>
#include <sys/stat.h>

#define LINES_MOST 20000000 /* of a log that are looked through */

static bool prints(void *ctx, const struct diagnosis *d, struct span line)
{
	const struct unusual *u = ctx;
	struct buf name = BUF_INIT(BUF_MAX), text = BUF_INIT(BUF_MAX);
	struct baseline_whose w;
	uint64_t hash;
	bool yes = !baseline_whose(d, &name, &w) &&
	    !baseline_template(&text, line, &hash) &&
	    baseline_knows(&u->known, &w, hash);

	buf_release(&name);
	buf_release(&text);
	return yes;
}

/* ---- leads ---- */

struct looking {
	struct leads *leads;
	const struct findings *log;
};

static int on_line(void *ctx, const struct envelope *env, uint64_t number)
{
	struct looking *l = ctx;

	return leads_line(l->leads, l->log, env->text, number,
	    env->rank >= 0 ? env->rank : l->log->rank);
}

static bool on_seen(void *ctx, struct span raw)
{
	struct looking *l = ctx;

	return leads_seen(l->leads, raw);
}

static bool regular(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int look_through(const struct unusual *u, struct diagnosis *d,
    struct looking *l, struct err *e)
{
	struct again again = { .taxonomy = u->x->taxonomy,
		.limits = &u->s->limits,
		.redact = u->x->redactor,
		.only = true,
		.n_given = u->s->arguments.n,
		.follow = u->s->links,
		.ctx = l,
		.most = LINES_MOST,
		.seen = on_seen,
		.line = on_line };

	bool any = false;

	for (size_t i = 0; i < d->n_logs; i++) {
		l->log = d->logs[i];
		if (l->log->of_record || l->log->of_node || l->log->no_text)
			continue;
		again.given = NULL;
		if (regular(l->log->path))
			again.given = (const char *const *)u->s->arguments.v;
		else if (!u->person || !strchr(l->log->path, '!'))
			continue;
		any = true;
		if (again_read(&again, l->log->path, e))
			return -1;
	}
	return any && leads_take(l->leads, d) ? err_nomem(e) : 0;
}

static int look(void *ctx, struct diagnosis *d, struct err *e)
{
	struct buf name = BUF_INIT(BUF_MAX);
	struct unusual *u = ctx;
	struct looking l = { NULL, NULL };
	struct baseline_whose w;
	int64_t newest;
	int rc = 0;

	if (d->failed != 1)
		return 0;
	if (baseline_whose(d, &name, &w)) {
		rc = err_nomem(e);
	} else if (!d->rule || diagnosis_open_rule(d->rule) ||
	    (u->person && baseline_runs(&u->known, &w, &newest))) {
		l.leads = leads_new(&u->known, &w);
		rc = l.leads ? look_through(u, d, &l, e) : err_nomem(e);
	}
	leads_free(l.leads);
	buf_release(&name);
	return rc;
}

/* ---- the baseline ---- */

int unusual_read(struct unusual *u, const struct settings *s, struct session *x,
    struct store *st, struct err *e)
{
	u->usual = (struct usual){ u, prints, look };
	u->s = s;
	u->x = x;
	if (baseline_read(&u->known, st, e))
		return -1;
	if (u->known.n)
		x->options.usual = &u->usual;
	return 0;
}

void unusual_release(struct unusual *u)
{
	baseline_release(&u->known);
}
