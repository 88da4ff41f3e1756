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

const char *diagnosis_confidence_name(enum confidence c)
{
	static const char *const names[] = { "low", "medium", "high" };

	return names[c];
}

bool diagnosis_by_node(const struct diagnosis *d)
{
	return d->evidence.n && d->evidence.v[0].log->of_node;
}

struct span diagnosis_place(const struct diagnosis *d)
{
	struct span key = span_of(d->key);
	const char *bar, *last;

	if (!d->placed || !key.p)
		return (struct span){ NULL, 0 };
	bar = strchr(key.p, '|');
	last = strrchr(key.p, '|');
	return bar == last ? key
			   : (struct span){ bar + 1, (size_t)(last - bar - 1) };
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
		.usage = usage_unknown,
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
	free(d->cluster);
	free(d->lookup);
	job_record_free(d->own_record);
	job_facts_release(&d->facts);
	free(d->reason);
	free(d->evidence.v);
	free(d->consequences.v);
	free(d->rejected.v);
	for (size_t i = 0; i < d->leads.n; i++)
		free(d->leads.v[i].text);
	free(d->leads.v);
	*d = (struct diagnosis){ 0 };
}

bool diagnosis_open_rule(const struct rule *r)
{
	return r->role == ROLE_FALLBACK || r->unexplained ||
	    (r->generic && !r->weight && r->confidence < CONFIDENCE_HIGH);
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
