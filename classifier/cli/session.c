#include "cli/session.h"

#include "base/cpu.h"
#include "base/err.h"
#include "diagnose/evidence/scan.h"
#include "jobs/accounting.h"
#include "jobs/layout.h"
#include "jobs/nodes.h"
#include "rules/redact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void record_note(
    void *ctx, const char *path, uint64_t line, const char *text)
{
	const struct settings *s = ctx;

	if (s->quiet)
		return;
	if (line)
		screen_complain(
		    "%s:%llu: %s", path, (unsigned long long)line, text);
	else
		screen_complain("%s: %s", path, text);
}

static int open_records(
    struct session *x, const struct settings *s, struct err *e)
{
	const struct accounting_options o = {
		.map = s->record_map,
		.cluster = s->cluster,
		.note = record_note,
		.ctx = (void *)(uintptr_t)s,
		.limits = &s->limits,
	};

	if (s->records.n == 0)
		return 0;
	x->records = accounting_new(x->taxonomy);
	if (!x->records)
		return err_nomem(e);
	for (size_t i = 0; i < s->records.n; i++)
		if (accounting_load(x->records, s->records.v[i], &o, e))
			return -1;
	if (accounting_settle(x->records, e))
		return -1;
	x->lost_records = accounting_lost(x->records);
	return 0;
}

static void node_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	session_note(ctx, path, kind, text);
}

static int open_nodes(
    struct session *x, const struct settings *s, struct err *e)
{
	const struct triage_sink sink = { .ctx = (void *)(uintptr_t)s,
		.note = node_note };
	const struct nodes_from from = { s->node_logs.v, s->node_logs.n,
		s->node_clocks.v, s->node_clocks.n };

	if (s->node_logs.n == 0)
		return 0;
	x->nodes = nodes_new(&x->options, &from, &sink, e);
	if (!x->nodes)
		return -1;
	if (nodes_undated(x->nodes) && !s->quiet)
		screen_complain("--node-logs: %zu faults have no date, only "
				"seconds since a boot whose time nothing "
				"tells: they are joined with no job (dmesg -T, "
				"journalctl)",
		    nodes_undated(x->nodes));
	x->options.nodes = x->nodes;
	return 0;
}

int session_open(struct session *x, const struct settings *s, struct err *e)
{
	const char *portable = getenv("JOBTRIAGE_PORTABLE");

	cpu_plain(portable && *portable && strcmp(portable, "0") != 0);
	*x = (struct session){ 0 };
	x->taxonomy = taxonomy_load(s->taxonomy.v, s->taxonomy.n, e);
	if (!x->taxonomy)
		return -1;
	if (!s->no_redact) {
		x->redactor = redact_rules_new(
		    x->taxonomy, s->redact, s->limits.v[LIMIT_MATCH], e);
		if (!x->redactor)
			return -1;
	}
	screen_redact(x->redactor);
	x->engine = engine_new(x->taxonomy, &s->limits, s->prefilter, e);
	if (!x->engine)
		return -1;
	x->layout = layout_new(x->taxonomy, s->layout, e);
	if (!x->layout)
		return -1;
	if (open_records(x, s, e))
		return -1;
	/* a folder that is gone has no name */
	x->base = getcwd(NULL, 0);
	if (!x->base && errno != ENOMEM)
		x->base = span_dup(span_of(""));
	if (!x->base)
		return err_nomem(e);
	x->options = (struct triage_options){
		.records = x->records,
		.cluster = s->cluster,
		.base = x->base,
		.which_records = s->unlogged,
		.taxonomy = x->taxonomy,
		.limits = &s->limits,
		.engine = x->engine,
		.layout = x->layout,
		.redact = x->redactor,
		.threads = s->threads,
		.follow = s->links,
		.shard = s->shard,
		.files = { s->include.v, s->include.n, s->exclude.v,
		    s->exclude.n, s->all_files },
	};
	return open_nodes(x, s, e);
}

void session_release(struct session *x)
{
	nodes_free(x->nodes);
	accounting_free(x->records);
	layout_free(x->layout);
	free(x->base);
	engine_free(x->engine);
	screen_redact(NULL);
	redact_rules_free(x->redactor);
	taxonomy_free(x->taxonomy);
	*x = (struct session){ 0 };
}

/* What is kept or passed on is read by others, later. */
int session_own_terminal(const struct settings *s, FILE *screen, struct err *e)
{
	const char *goes = s->output ? "--output"
	    : s->store               ? "--store"
	    : s->exec                ? "--exec"
	    : s->termination_log     ? "--termination-log"
				     : NULL;

	if (!s->no_redact)
		return 0;
	if (goes)
		return err_set(e,
		    "--no-redact is for one's own terminal only, not with %s",
		    goes);
	if (isatty(fileno(screen)) != 1)
		return err_set(e,
		    "--no-redact is for one's own terminal only, and the "
		    "output goes elsewhere");
	return 0;
}

void session_note(const struct settings *s, const char *path,
    enum input_note kind, const char *text)
{
	if (!s->quiet)
		screen_complain(
		    "%s: %s: %s", path, input_note_name(kind), text);
}

uint64_t session_unread(const struct triage_counters *c)
{
	return c->notes[NOTE_UNREADABLE] + c->notes[NOTE_DAMAGED] +
	    c->notes[NOTE_ENCRYPTED] + c->notes[NOTE_LIMIT];
}
