/*
 * jobtriage report: a period's diagnoses added up, from the store or from the
 * JSON lines of scan.
 */
#include "base/arena.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/lines.h"
#include "cli/period.h"
#include "cli/report_links.h"
#include "cli/sandbox.h"
#include "reports/judge/judgement.h"
#include "reports/nodes/lemons.h"
#include "reports/period/digest.h"
#include "reports/groups/decision.h"
#include "reports/period/report.h"
#include "reports/period/report_recent.h"
#include "reports/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DAY (INT64_C(86400) * 1000000)
#define NODES_DAYS 28    /* without a word; a failure of a node is rare */
#define REFUSED_SHOWN 10 /* lines of a file that are told one by one */
#define INCIDENT_WINDOW (6 * 3600) /* seconds without a failure end one */
#define INCIDENT_JOBS 3

struct report_run {
	const struct settings *s;
	const struct report_format *format;
	const struct lemons_format *nodes; /* report nodes; else NULL */
	struct list files;                 /* borrowed; none: from the store */
	struct taxonomy *taxonomy;
	struct report_options options;
	struct store *store;   /* NULL: from files */
	struct decisions said; /* in the store of groups of failures */
	struct arena *arena;
	struct report_builder *builder;
	struct judgements judgements; /* of the store or the files */
	struct report *report;
	struct report_links links;
	uint64_t unread;  /* files, and lines that are no diagnosis */
	uint64_t refused; /* of these, those told of; in this file */
	struct err why;   /* what lacks, and ends the reading; or none */
};

/* ---- what is counted ---- */

static void refuse(struct report_run *r, const char *place, const char *why)
{
	report_refuse(r->builder);
	r->unread++;
	if (!r->s->quiet && r->refused++ < REFUSED_SHOWN)
		screen_complain("%s: no diagnosis: %s", place, why);
}

static void tell_refused(struct report_run *r)
{
	if (r->refused > REFUSED_SHOWN)
		screen_complain("%llu more are no diagnosis",
		    (unsigned long long)(r->refused - REFUSED_SHOWN));
	r->refused = 0;
}

static void read_lines(struct report_run *r, FILE *f, const char *name)
{
	struct lines l = { .f = f,
		.most = (size_t)r->s->limits.v[LIMIT_RECORD] };
	struct span line;
	char *place;
	struct err e;

	while (lines_next(&l, &line)) {
		struct span text = store_line_record(span_trim(line));

		if (l.too_long)
			err_set(&e, "too long (limit record)");
		else if (judgement_is_line(text) &&
		    judgements_add_line(&r->judgements, text, &e) == 0)
			continue;
		else if (text.n == 0 ||
		    report_add(r->builder, text, ENVELOPE_NO_TIME, &e) == 0)
			continue;
		if (e.lack) {
			r->why = e;
			break;
		}
		place = malloc(strlen(name) + 32);
		if (place)
			sprintf(place, "%s:%llu", name, l.number);
		refuse(r, place ? place : name, e.text);
		free(place);
	}
	if (l.failed)
		err_nomem(&r->why);
	if (!feof(f) && !r->why.lack) {
		screen_complain("%s: %s", name, strerror(errno));
		r->unread++;
	}
	tell_refused(r);
	lines_release(&l);
}

static int read_files(struct report_run *r, struct err *e)
{
	const struct list *files = &r->files;

	for (size_t i = 0; i < files->n && !r->why.lack; i++) {
		FILE *f;

		if (strcmp(files->v[i], "-") == 0) {
			read_lines(r, stdin, "standard input");
			continue;
		}
		f = fopen(files->v[i], "r");
		if (!f) {
			screen_complain("%s: %s", files->v[i], strerror(errno));
			r->unread++;
			continue;
		}
		read_lines(r, f, files->v[i]);
		fclose(f);
	}
	return r->why.lack ? err_pass(e, &r->why) : 0;
}

/* rc: whether it was counted; if not, why. */
static int counted(
    struct report_run *r, int rc, const struct err *why, struct err *e)
{
	if (rc == 0)
		return 0;
	if (why->lack)
		return err_pass(e, why);
	refuse(r, r->s->store, why->text);
	return 0;
}

static int on_record(void *ctx, struct span record, int64_t seen, struct err *e)
{
	struct report_run *r = ctx;
	struct err why;
	int rc = report_add(r->builder, record, seen, &why);

	return counted(r, rc, &why, e);
}

static int on_brief(void *ctx, struct span brief, struct span record,
    int64_t seen, struct err *e)
{
	struct report_run *r = ctx;
	struct err why;
	int rc;

	if (!brief.n)
		return on_record(r, record, seen, e);
	rc = report_add_brief(r->builder, brief, seen, &why);
	return counted(r, rc, &why, e);
}

/* The period, and the one of equal length before it, to compare it with. */
static int read_store(struct report_run *r, struct err *e)
{
	const struct report_options *o = &r->options;
	int64_t from = r->nodes ? o->since : o->since - (o->until - o->since);

	if (judgements_read(&r->judgements, r->store, e))
		return -1;
	if (r->format && r->format->whole)
		return store_each(r->store, from, o->until, on_record, r, e);
	return store_each_brief(r->store, from, o->until, on_brief, r, e);
}

static int ask_past(
    void *ctx, const char *fingerprint, int64_t when[2], struct err *e)
{
	struct report_run *r = ctx;
	struct store_past past;
	int rc = store_past(r->store, fingerprint, r->options.since, &past, e);

	if (rc > 0) {
		when[0] = past.first;
		when[1] = past.last;
	}
	return rc < 0 ? -1 : 0;
}

static int on_begin(void *ctx, const struct store_sum *sum, struct err *e)
{
	(void)e;
	if (!sum->category)
		*(int64_t *)ctx = sum->since;
	return 0;
}

static int read_past(
    struct report_run *r, struct report_past *past, struct err *e)
{
	const int64_t none[2] = { r->options.since, r->options.since };
	int64_t begins = ENVELOPE_NO_TIME;

	if (store_sums(r->store, none, NULL, on_begin, &begins, e))
		return -1;
	past->any = begins != ENVELOPE_NO_TIME && begins < r->options.since;
	return 0;
}

/* ---- the period ---- */

static int set_period(struct report_run *r, struct err *e)
{
	const struct settings *s = r->s;
	struct report_options *o = &r->options;

	o->now = period_now();
	o->since = o->until = ENVELOPE_NO_TIME;
	if (s->since && period_time(s->since, o->now, &o->since, e))
		return err_prefix(e, "--since %s", s->since);
	if (s->until && period_time(s->until, o->now, &o->until, e))
		return err_prefix(e, "--until %s", s->until);
	/* the store knows all nights: without a word, the last one */
	if (r->files.n == 0 && o->until == ENVELOPE_NO_TIME)
		o->until = o->now;
	if (r->files.n == 0 && o->since == ENVELOPE_NO_TIME)
		o->since = o->until - (r->nodes ? NODES_DAYS : 1) * DAY;
	if (o->since != ENVELOPE_NO_TIME && o->until != ENVELOPE_NO_TIME &&
	    o->since >= o->until)
		return err_set(e, "the period ends before it begins");
	o->incident_window = INCIDENT_WINDOW;
	o->incident_jobs = INCIDENT_JOBS;
	o->silence = (int64_t)s->silence * 86400;
	o->whose =
	    (struct entry_whose){ s->of_cluster, s->of_user, s->of_account };
	o->zone = period_zone_name();
	o->local = period_local;
	return 0;
}

/* ---- the command ---- */

static int write_digest(const struct report_run *r, FILE *f, struct err *e)
{
	const struct settings *s = r->s;
	enum breakdown_id by =
	    strcmp(s->digest, "user") == 0 ? BY_USER : BY_GROUP;

	return strcmp(s->format, "json") == 0
	    ? digest_json(r->report, by, f, e)
	    : digest_text(r->report, by, s->top, f, e);
}

static int write_nodes(const struct report_run *r,
    const struct report_style *style, FILE *f, struct err *e)
{
	const struct lemons_options o = {
		.since = r->options.since,
		.until = r->options.until,
		.level = r->s->level,
		.hold = r->s->hold * 1000000,
	};
	struct lemons *l = lemons_find(r->report, &o, e);
	int rc = l ? r->nodes->write(l, style, f, e) : -1;

	lemons_free(l);
	return rc;
}

static int write_to(const struct report_run *r,
    const struct report_style *style, FILE *f, struct err *e)
{
	if (r->nodes)
		return write_nodes(r, style, f, e);
	return r->s->digest ? write_digest(r, f, e)
			    : r->format->write(r->report, style, f, e);
}

static enum exit_status write_report(struct report_run *r)
{
	const struct settings *s = r->s;
	struct outfile out;
	struct err e;
	struct report_style style = {
		.top = s->top,
		.study = s->study,
		.title = s->title,
		.links = r->links.v,
		.n_links = r->links.n,
	};
	int rc = outfile_open(&out, s->output, &e);

	if (!rc) {
		style.colour = screen_colour(s, out.f);
		style.width = screen_width(out.f);
		rc = write_to(r, &style, out.f, &e);
	}
	if (rc)
		outfile_abandon(&out);
	else
		rc = outfile_close(&out, &e);
	if (rc)
		return screen_failed(&e, STATUS_INTERNAL);
	return r->unread ? STATUS_DEGRADED : STATUS_OK;
}

static int read_decisions(struct report_run *r, struct err *e)
{
	if (!r->store)
		return 0;
	r->arena = arena_new();
	if (!r->arena)
		return err_nomem(e);
	r->options.said = &r->said;
	return decisions_read(&r->said, r->store, r->arena, e);
}

static enum exit_status run(struct report_run *r)
{
	struct report_past past = { ask_past, r, false };
	struct err e;
	int rc;

	if (read_decisions(r, &e))
		return screen_failed(&e, STATUS_INTERNAL);
	r->builder = report_begin(r->taxonomy, &r->options, &e);
	if (!r->builder)
		return screen_failed(&e, STATUS_INTERNAL);
	report_judge(r->builder, &r->judgements);
	rc = r->store ? read_store(r, &e) : read_files(r, &e);
	if (r->store && !rc)
		rc = read_past(r, &past, &e);
	/* ended in every case: nothing else frees a builder */
	r->report = report_end(
	    r->builder, r->store && !rc ? &past : NULL, rc ? NULL : &e);
	if (!rc && r->report && r->store)
		rc = report_recent(r->report, r->store, &e);
	if (rc || !r->report) {
		screen_complain("%s", e.text);
		return rc && !e.lack ? STATUS_DEGRADED : STATUS_INTERNAL;
	}
	return write_report(r);
}

static int find_format(struct report_run *r, struct err *e)
{
	const struct settings *s = r->s;
	bool nodes = s->arguments.n && strcmp(s->arguments.v[0], "nodes") == 0;

	if (nodes) {
		r->files.v++;
		r->files.n--;
		r->nodes = lemons_format_find(s->format);
	} else {
		r->format = report_format_find(s->format);
	}
	if (!r->format && !r->nodes)
		return err_set(e,
		    "--format %s: no such format; see jobtriage report --help",
		    s->format);
	if (s->study && (nodes || !r->format->study))
		return err_set(e, "--study: the format %s does not have it",
		    nodes ? "of nodes" : s->format);
	if (!s->digest)
		return 0;
	if (strcmp(s->digest, "user") != 0 && strcmp(s->digest, "account") != 0)
		return err_set(
		    e, "--digest %s: expected user or account", s->digest);
	if (nodes ||
	    (strcmp(s->format, "text") != 0 && strcmp(s->format, "json") != 0))
		return err_set(e, "--digest: it is text or json");
	return 0;
}

static enum exit_status check(struct report_run *r)
{
	const struct settings *s = r->s;
	struct err e;

	if (find_format(r, &e))
		goto bad;
	if (r->files.n == 0 && !s->store) {
		screen_complain(
		    "report: neither --store nor a file with diagnoses; "
		    "see jobtriage report --help");
		return STATUS_USAGE;
	}
	if (set_period(r, &e) || report_links_make(&r->links, s, &e))
		goto bad;
	r->taxonomy = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!r->taxonomy)
		goto bad;
	return STATUS_OK;
bad:
	return screen_failed(&e, STATUS_USAGE);
}

enum exit_status cmd_report(const struct settings *s)
{
	struct report_run r = { .s = s, .files = s->arguments };
	enum exit_status status = check(&r);
	struct err e;

	if (status == STATUS_OK && r.files.n == 0) {
		r.store = store_open(s->store, STORE_READ, &e);
		if (!r.store) {
			screen_complain("%s", e.text);
			status = STATUS_DEGRADED;
		}
	}
	if (status == STATUS_OK && sandbox_enter(s, SANDBOX_STORE_OPEN, &e)) {
		screen_complain("%s", e.text);
		status = STATUS_INTERNAL;
	}
	if (status == STATUS_OK)
		status = run(&r);
	report_free(r.report);
	report_links_release(&r.links);
	judgements_release(&r.judgements);
	decisions_release(&r.said);
	arena_free(r.arena);
	taxonomy_free(r.taxonomy);
	if (r.store && store_close(r.store, &e)) {
		screen_complain("%s", e.text);
		status = status == STATUS_OK ? STATUS_DEGRADED : status;
	}
	return status;
}
