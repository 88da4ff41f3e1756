/* jobtriage store info|prune --before TIME|export|import [FILE]...|send */
#include "base/buf.h"
#include "base/err.h"
#include "base/when.h"
#include "cli/cli.h"
#include "cli/lines.h"
#include "cli/period.h"
#include "cli/store_action.h"
#include "diagnose/findings.h"
#include "reports/judge/judgement.h"
#include "reports/output/object.h"
#include "reports/store/entry.h"
#include "reports/store/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A store that fails is an output that failed. */
static enum exit_status failed(const struct err *e)
{
	return screen_failed(e, STATUS_INTERNAL);
}

static const char *time_text(int64_t t, char out[32])
{
	if (t == ENVELOPE_NO_TIME)
		return "-";
	when_format(t, out);
	return out;
}

static int info_json(const struct settings *s, const struct store_info *i,
    FILE *f, struct err *e)
{
	struct object o = object_new();

	object_string(&o, "store", s->store);
	object_string(&o, "kind", i->kind);
	object_int(&o, "schema", i->schema);
	object_total(&o, "diagnoses", i->diagnoses);
	object_total(&o, "jobs", i->jobs);
	object_total(&o, "failed", i->failed);
	object_total(&o, "readings", i->readings);
	object_total(&o, "bytes", i->bytes);
	object_time(&o, "first", i->first);
	object_time(&o, "last", i->last);
	return object_print(&o, f, e);
}

static enum exit_status do_info(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	char first[32], last[32];
	struct store_info i;

	if (store_info(st, &i, e))
		return failed(e);
	if (screen_json(s))
		return info_json(s, &i, f, e) ? failed(e) : STATUS_OK;
	fprintf(f,
	    "store        %s\nkind         %s, schema %d\n"
	    "diagnoses    %llu of %llu jobs, %llu failed\n"
	    "period       %s to %s\nreadings     %llu\n"
	    "bytes        %llu\n",
	    s->store, i.kind, i.schema, (unsigned long long)i.diagnoses,
	    (unsigned long long)i.jobs, (unsigned long long)i.failed,
	    time_text(i.first, first), time_text(i.last, last),
	    (unsigned long long)i.readings, (unsigned long long)i.bytes);
	return STATUS_OK;
}

static enum exit_status do_prune(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	int64_t before;
	uint64_t n;

	if (!s->before) {
		screen_complain("store prune: --before TIME is missing");
		return STATUS_USAGE;
	}
	if (period_time(s->before, period_now(), &before, e)) {
		screen_complain("--before %s", e->text);
		return STATUS_USAGE;
	}
	if (store_prune(st, before, &n, e))
		return failed(e);
	fprintf(f,
	    screen_json(s) ? "{\"forgotten\": %llu}\n" : "%llu forgotten\n",
	    (unsigned long long)n);
	return STATUS_OK;
}

static int print_line(void *ctx, struct span text, struct err *e)
{
	FILE *f = ctx;

	if (fwrite(text.p, 1, text.n, f) == text.n && putc('\n', f) != EOF)
		return 0;
	return err_set(e, "output: %s", strerror(errno));
}

static bool is_or_any(const char *s, const char *wanted)
{
	return !wanted || (s && strcmp(s, wanted) == 0);
}

/* They come first, so that who reads the diagnoses knows them. */
static int export_judgements(
    struct store *st, const struct entry_whose *whose, FILE *f, struct err *e)
{
	struct judgements all = { 0 };
	struct buf line = BUF_INIT(BUF_MAX);
	int rc = judgements_read(&all, st, e);

	for (size_t i = 0; i < all.n && !rc; i++) {
		const struct judgement *j = &all.v[i];

		if (!is_or_any(j->owner.cluster, whose->cluster) ||
		    !is_or_any(j->owner.user, whose->user) ||
		    !is_or_any(j->account, whose->account))
			continue;
		buf_clear(&line);
		rc = judgement_line(j, &line)
		    ? err_nomem(e)
		    : print_line(f, (struct span){ line.p, line.len }, e);
	}
	buf_release(&line);
	judgements_release(&all);
	return rc;
}

static enum exit_status do_export(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	const struct entry_whose whose = { s->of_cluster, s->of_user,
		s->of_account };

	return export_judgements(st, &whose, f, e) ||
		store_export(st, &whose, print_line, f, e)
	    ? failed(e)
	    : STATUS_OK;
}

/* ---- import ---- */

struct import {
	struct store *st;
	int64_t now;
	uint64_t kept, bad;
	size_t most; /* bytes of a line */
};

static int import_judgement(struct store *st, struct span line, struct err *e)
{
	struct judgements one = { 0 };
	int rc = judgements_add_line(&one, line, e);

	if (!rc)
		rc = judgement_put(st, &one.v[0], e);
	judgements_release(&one);
	return rc;
}

/* Bad lines are told and left out. -1 with e set: the store has failed. */
static int import_stream(
    struct import *im, FILE *f, const char *name, struct err *e)
{
	struct lines l = { .f = f, .most = im->most };
	struct span line;
	struct err why;
	int rc = 0;

	while (rc >= 0 && lines_next(&l, &line)) {
		line = span_trim(line);
		if (!line.n)
			continue;
		if (l.too_long)
			rc = -err_set(&why, "too long (limit record)");
		else if (judgement_is_line(line))
			rc = import_judgement(im->st, line, &why);
		else
			rc = store_import(im->st, line, im->now, &why);
		if (rc < 0) {
			err_pass(e, &why);
		} else if (rc > 0) {
			screen_complain(
			    "%s:%llu: %s", name, l.number, why.text);
			im->bad++;
		} else {
			im->kept++;
		}
	}
	if (l.failed)
		rc = err_nomem(e);
	if (ferror(f)) {
		screen_complain("%s: %s", name, strerror(errno));
		im->bad++;
	}
	lines_release(&l);
	return rc < 0 ? -1 : 0;
}

static int import_file(struct import *im, const char *name, struct err *e)
{
	FILE *f;
	int rc;

	if (strcmp(name, "-") == 0)
		return import_stream(im, stdin, "standard input", e);
	f = fopen(name, "r");
	if (!f) {
		screen_complain("%s: %s", name, strerror(errno));
		im->bad++;
		return 0;
	}
	rc = import_stream(im, f, name, e);
	fclose(f);
	return rc;
}

static enum exit_status do_import(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	struct import im = { .st = st,
		.now = period_now(),
		.most = (size_t)s->limits.v[LIMIT_RECORD] };
	int rc = 0;

	if (s->arguments.n < 2)
		rc = import_file(&im, "-", e);
	for (size_t i = 1; i < s->arguments.n && !rc; i++)
		rc = import_file(&im, s->arguments.v[i], e);
	if (!rc)
		rc = store_flush(st, e);
	if (rc)
		return failed(e);
	fprintf(f,
	    screen_json(s) ? "{\"imported\": %llu, \"bad\": %llu}\n"
			   : "%llu imported, %llu bad\n",
	    (unsigned long long)im.kept, (unsigned long long)im.bad);
	return im.bad ? STATUS_DEGRADED : STATUS_OK;
}

/* ---- send ---- */

static void on_bad(void *ctx, const char *name, const char *why)
{
	const struct settings *s = ctx;

	screen_complain("%s/%s: %s", s->spool, name, why);
}

static enum exit_status do_send(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	struct spool_sent n = { .bad = on_bad, .ctx = (void *)(uintptr_t)s };

	if (!s->spool) {
		screen_complain("store send: --spool DIR is missing");
		return STATUS_USAGE;
	}
	if (spool_send(s->spool, st, 0, &n, e))
		return failed(e);
	fprintf(f,
	    screen_json(s) ? "{\"sent\": %llu, \"left\": %llu}\n"
			   : "%llu sent, %llu left\n",
	    (unsigned long long)n.sent, (unsigned long long)n.left);
	return n.left ? STATUS_DEGRADED : STATUS_OK;
}

/* ---- the command ---- */

static const struct row {
	const char *name;
	enum store_mode mode;
	size_t most; /* arguments */
	store_action *run;
} actions[] = {
	{ "info", STORE_READ, 1, do_info },
	{ "prune", STORE_CHANGE, 1, do_prune },
	{ "export", STORE_READ, 1, do_export },
	{ "import", STORE_WRITE, (size_t)-1, do_import },
	{ "send", STORE_WRITE, 1, do_send },
};

enum exit_status cmd_store(const struct settings *s)
{
	const char *word = s->arguments.n ? s->arguments.v[0] : "";
	struct err e;

	if (screen_text_or_json(s, &e))
		return screen_failed(&e, STATUS_USAGE);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(word, actions[i].name) != 0)
			continue;
		if (s->arguments.n > actions[i].most)
			break;
		if (actions[i].run != do_export &&
		    (s->of_cluster || s->of_user || s->of_account)) {
			screen_complain("store %s: --cluster, --user and "
					"--account are for export",
			    word);
			return STATUS_USAGE;
		}
		if (!s->store) {
			screen_complain(
			    "store %s: --store URL is missing", word);
			return STATUS_USAGE;
		}
		return store_action_run(s, actions[i].mode, actions[i].run);
	}
	screen_complain(
	    "store: expected info, prune, export, import [FILE]... or "
	    "send");
	return STATUS_USAGE;
}
