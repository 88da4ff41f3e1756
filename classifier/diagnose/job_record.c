/* What is done with all the texts of a record is done by a list of them. */
#include "diagnose/job_record.h"

#include "base/text.h"

#include <stdlib.h>

const size_t job_record_texts[JOB_RECORD_TEXTS] = {
	offsetof(struct job_record, path),
	offsetof(struct job_record, id),
	offsetof(struct job_record, raw_id),
	offsetof(struct job_record, cluster),
	offsetof(struct job_record, name),
	offsetof(struct job_record, user),
	offsetof(struct job_record, group),
	offsetof(struct job_record, partition),
	offsetof(struct job_record, image),
	offsetof(struct job_record, state),
	offsetof(struct job_record, reason),
};

static char **text_at(struct job_record *r, size_t i)
{
	return (char **)(void *)((char *)r + job_record_texts[i]);
}

void job_record_free(struct job_record *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_nodes; i++)
		free(r->nodes[i]);
	free(r->nodes);
	for (size_t i = 0; i < JOB_RECORD_TEXTS; i++)
		free(*text_at(r, i));
	free(r);
}

/* -1: no memory. */
static int own(char **s)
{
	if (!*s)
		return 0;
	*s = span_dup(span_of(*s));
	return *s ? 0 : -1;
}

struct job_record *job_record_copy(const struct job_record *of)
{
	struct job_record *r = malloc(sizeof *r);
	int rc = 0;

	if (!r)
		return NULL;
	*r = *of;
	r->nodes = calloc(r->n_nodes + 1, sizeof *r->nodes);
	if (!r->nodes)
		r->n_nodes = 0;
	for (size_t i = 0; i < r->n_nodes; i++) {
		r->nodes[i] = of->nodes[i];
		rc |= own(&r->nodes[i]);
	}
	for (size_t i = 0; i < JOB_RECORD_TEXTS; i++)
		rc |= own(text_at(r, i));
	if (!rc && r->nodes)
		return r;
	job_record_free(r);
	return NULL;
}
