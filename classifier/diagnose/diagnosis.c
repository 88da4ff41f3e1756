/* Storage of an answer. */
#include "diagnose/diagnosis.h"

#include "base/err.h"
#include "diagnose/job_record.h"

#include <stdlib.h>
#include <string.h>

const char *diagnosis_category(const struct diagnosis *d)
{
	if (d->category)
		return d->category->id;
	return d->failed == 0 || d->ending == ENDING_UNPROVEN ||
		d->ending == ENDING_RUNNING
	    ? "none"
	    : "unknown";
}

const char *ending_name(enum ending e)
{
	static const char *const names[] = {
		[ENDING_UNKNOWN] = NULL,
		[ENDING_PROVEN] = "proven",
		[ENDING_UNPROVEN] = "unproven",
		[ENDING_CUT] = "cut",
		[ENDING_RUNNING] = "running",
	};

	return names[e];
}

const char *confidence_name(enum confidence c)
{
	static const char *const names[] = { "low", "medium", "high" };

	return names[c];
}

int diagnosis_init(struct diagnosis *d, const char *job, int attempt,
    struct findings **logs, size_t n_logs, struct err *e)
{
	*d = (struct diagnosis){
		.job = span_dup(span_of(job)),
		.attempt = attempt,
		.logs = logs,
		.n_logs = n_logs,
		.verdict = VERDICT_NONE,
		.usage = { ENVELOPE_NO_TIME, ENVELOPE_NO_TIME, USAGE_UNKNOWN,
		    USAGE_UNKNOWN, USAGE_UNKNOWN, USAGE_UNKNOWN, true },
	};
	for (size_t i = 0; d->job && i < n_logs; i++)
		for (size_t k = 0; k < logs[i]->n_notes; k++)
			if (diagnosis_note(d, logs[i]->notes[k]))
				goto out;
	if (d->job)
		return 0;
out:
	diagnosis_release(d);
	return err_nomem(e);
}

void diagnosis_release(struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		findings_free(d->logs[i]);
	free(d->logs);
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->notes[i]);
	free(d->notes);
	free(d->job);
	free(d->key);
	free(d->lookup);
	job_record_free(d->own_record);
	job_facts_release(&d->facts);
	free(d->reason);
	free(d->evidence.v);
	free(d->consequences.v);
	free(d->rejected.v);
	*d = (struct diagnosis){ 0 };
}

int diagnosis_note(struct diagnosis *d, const char *text)
{
	char **v;

	for (size_t i = 0; i < d->n_notes; i++)
		if (strcmp(d->notes[i], text) == 0)
			return 0;
	v = realloc(d->notes, (d->n_notes + 1) * sizeof *v);
	if (!v)
		return -1;
	d->notes = v;
	v[d->n_notes] = span_dup(span_of(text));
	if (!v[d->n_notes])
		return -1;
	d->n_notes++;
	return 0;
}

int proofs_add(struct proofs *p, struct proof proof)
{
	if (p->n == p->cap) {
		size_t cap = p->cap ? p->cap * 2 : 8;
		struct proof *v = realloc(p->v, cap * sizeof *v);

		if (!v)
			return -1;
		p->v = v;
		p->cap = cap;
	}
	p->v[p->n++] = proof;
	return 0;
}

const char *proof_node(const struct proof *p)
{
	if (p->evidence && p->evidence->node)
		return p->evidence->node;
	if (p->event && p->event->node)
		return p->event->node;
	return p->log->node;
}

int proof_rank(const struct proof *p)
{
	int rank = p->evidence ? p->evidence->rank : p->event->rank;

	return rank >= 0 ? rank : p->log->rank;
}

uint64_t proof_line(const struct proof *p)
{
	if (p->evidence)
		return p->evidence->line;
	return p->event->message_line ? p->event->message_line
				      : p->event->first_line;
}

int64_t proof_time(const struct proof *p)
{
	return p->evidence ? p->evidence->time : p->event->time;
}

struct span proof_text(const struct proof *p)
{
	const struct evidence *ev = p->evidence;

	if (ev)
		return (struct span){ ev->text, ev->text_len };
	if (p->event->exception)
		return span_of(p->event->exception);
	return span_of("a traceback that was cut off");
}

const char *proof_meaning(const struct proof *p)
{
	const struct rule *r = p->evidence ? p->evidence->rule : NULL;
	const char *value;
	size_t n;

	if (!r || !r->meanings.n || !r->extract.n)
		return NULL;
	value = evidence_capture(p->evidence, r->extract.v[0]);
	n = value ? strlen(value) : 0;
	for (size_t i = 0; n && i < r->meanings.n; i++) {
		const char *m = r->meanings.v[i];

		if (strncmp(m, value, n) == 0 && m[n] == ':')
			return m + n + 1 + strspn(m + n + 1, " ");
	}
	return NULL;
}

struct progress proof_before(const struct proof *p)
{
	return p->event ? p->event->before : p->evidence->before;
}
