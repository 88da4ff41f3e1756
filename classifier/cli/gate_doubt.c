/*
 * What the scheduler's own record proves (a node that failed, a time limit)
 * needs no log: then the doubts about logs do not stand against another
 * attempt. They always stand against a stop.
 */
#include "cli/gate_doubt.h"

#include "base/buf.h"
#include "base/err.h"
#include "jobs/triage.h"
#include "rules/redact.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOUBTS_MAX 20

void gate_doubts_release(struct doubts *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->v[i]);
	free(b->v);
	*b = (struct doubts){ .redact = b->redact };
}

void gate_doubts_add(struct doubts *b, const char *fmt, ...)
{
	char text[512];
	va_list args;
	char **v;

	if (b->n == DOUBTS_MAX)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	v = realloc(b->v, (b->n + 1) * sizeof *v);
	if (v) {
		b->v = v;
		v[b->n] = redact_string(b->redact, text);
	}
	if (!v || !v[b->n])
		b->failed = true;
	else
		b->n++;
}

/* A doubt against any answer comes first. */
static void add_firm(struct doubts *b, const char *text)
{
	char *last;

	if (b->n == DOUBTS_MAX)
		free(b->v[--b->n]);
	gate_doubts_add(b, "%s", text);
	if (b->failed)
		return;
	last = b->v[b->n - 1];
	memmove(&b->v[b->firm + 1], &b->v[b->firm],
	    (b->n - 1 - b->firm) * sizeof *b->v);
	b->v[b->firm++] = last;
}

void gate_doubts_note(
    struct doubts *b, const char *path, enum input_note kind, const char *text)
{
	if (kind == NOTE_CHANGED)
		gate_doubts_add(b, "%s: it %s", path, text);
	else if (kind != NOTE_SKIPPED)
		gate_doubts_add(
		    b, "%s: %s: %s", path, input_note_name(kind), text);
}

/* ---- ranks ---- */

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* The ranks that have logs of their own, each once, in order. */
static size_t ranks_of(const struct diagnosis *d, int *v)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < d->n_logs; i++)
		if (!d->logs[i]->of_record && d->logs[i]->rank >= 0)
			v[n++] = d->logs[i]->rank;
	if (n)
		qsort(v, n, sizeof *v, by_number);
	for (size_t i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

/* Whether they are 0, k, 2k, ... */
static bool even_steps(const int *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] != (int)i * (n > 1 ? v[1] : 1))
			return false;
	return true;
}

static void find_ranks(
    struct doubts *b, const struct diagnosis *d, const struct triage_job *job)
{
	int *v = calloc(d->n_logs + 1, sizeof *v);
	size_t nodes = d->record ? job->record.n_nodes : 0, want = 0, n, i = 0;

	if (!v) {
		b->failed = true;
		return;
	}
	n = ranks_of(d, v);
	for (size_t k = 0; k < d->n_logs; k++) {
		const struct findings *f = d->logs[k];

		if (f->world_size > 0 && (size_t)f->world_size > want)
			want = (size_t)f->world_size;
		if (f->clues.nodes > 0 && (size_t)f->clues.nodes > nodes)
			nodes = (size_t)f->clues.nodes;
	}
	/* one log a node is whole, too */
	if (!n || (nodes > 1 && n == nodes && even_steps(v, n)))
		goto out;
	if ((size_t)v[n - 1] >= want)
		want = (size_t)v[n - 1] + 1;
	while (i < n && v[i] == (int)i)
		i++;
	if (n < want)
		gate_doubts_add(b,
		    "%zu of %zu ranks have no log, the first is rank %zu",
		    want - n, want, i);
out:
	free(v);
}

/* ---- ends ---- */

static void find_ends(
    struct doubts *b, const struct diagnosis *d, const struct triage_job *job)
{
	const struct job_record *r = &job->record;
	bool from_log = d->evidence.n && !d->evidence.v[0].log->of_record;
	bool well = false;

	for (size_t i = 0; i < d->n_logs; i++)
		well |= !d->logs[i]->of_record && d->logs[i]->ended_well;
	if (!d->record)
		return;
	if (r->end == JOB_END_RUNNING || r->end == JOB_END_PENDING)
		add_firm(b, "by its record the job has not ended");
	else if (r->end == JOB_END_FAILED && well && !from_log)
		add_firm(b,
		    "the log says that the job ended well, the "
		    "scheduler that it failed");
	else if (r->end == JOB_END_WELL && d->failed == 1)
		add_firm(b,
		    "the scheduler says that the job ended well, the "
		    "log that it failed");
}

void gate_doubts_find(
    struct doubts *b, const struct diagnosis *d, const struct triage_job *job)
{
	size_t logs = 0;
	uint64_t bytes = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		if (d->logs[i]->of_record || d->logs[i]->of_node)
			continue;
		logs++;
		bytes += d->logs[i]->bytes;
	}
	if (logs && !bytes)
		gate_doubts_add(
		    b, logs > 1 ? "the logs are empty" : "the log is empty");
	else if (!logs && !b->n && (job->n_paths || !job->recorded))
		gate_doubts_add(b, "there is no log");
	find_ranks(b, d, job);
	find_ends(b, d, job);
}

/* ---- what becomes of the verdict ---- */

int gate_doubts_apply(const struct doubts *b, const struct triage_job *job,
    struct diagnosis *d, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	bool proved = job->recorded && d->evidence.n &&
	    d->evidence.v[0].log->of_record &&
	    (d->verdict == VERDICT_RETRY || d->verdict == VERDICT_ADJUST);
	int rc;

	if (b->failed)
		return err_nomem(e);
	if (!b->n || (proved && !b->firm))
		return 0;
	rc = buf_adds(&text, b->v[0]);
	if (b->n > 1)
		rc = rc || buf_addf(&text, " (and %zu more)", b->n - 1);
	if (d->evidence.n)
		rc = rc ||
		    buf_addf(&text, "; as far as is known: %s", d->reason);
	free(d->reason);
	d->reason = rc ? NULL : buf_take(&text);
	buf_release(&text);
	d->verdict = VERDICT_UNDECIDED;
	d->adjust = (struct adjust){ 0 };
	return d->reason ? 0 : err_nomem(e);
}
