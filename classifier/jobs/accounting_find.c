/*
 * Records by the name that a log's path gives the job, and what is told of
 * them. Only reads what accounting_settle made, but for the marks.
 */
#include "base/buf.h"
#include "jobs/accounting_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t accounting_count(const struct accounting *a)
{
	return a->n;
}

const struct job_record *accounting_at(const struct accounting *a, size_t i)
{
	return i < a->n ? &a->v[i] : NULL;
}

int accounting_qualified(
    const char *cluster, struct span name, char out[ACCOUNTING_QUALIFIED])
{
	if (strlen(cluster) + 1 + name.n >= ACCOUNTING_QUALIFIED)
		return -1;
	return snprintf(out, ACCOUNTING_QUALIFIED, "%s\n%.*s", cluster,
	    (int)name.n, name.p);
}

static uint32_t plainly_named(const struct accounting *a, struct span name)
{
	size_t i = a->named ? arena_place(a->pool.arena, name) : SIZE_MAX;

	return i != SIZE_MAX && a->named[i] < a->n ? a->named[i]
						   : ACCOUNTING_NO_RECORD;
}

uint32_t accounting_named(
    const struct accounting *a, const char *cluster, struct span name)
{
	char text[ACCOUNTING_QUALIFIED];
	uint32_t i = ACCOUNTING_NO_RECORD;
	int n;

	if (cluster && a->several &&
	    (n = accounting_qualified(cluster, name, text)) >= 0)
		i = plainly_named(a, (struct span){ text, (size_t)n });
	if (i == ACCOUNTING_NO_RECORD)
		i = plainly_named(a, name);
	if (i != ACCOUNTING_NO_RECORD && cluster && a->v[i].cluster &&
	    strcmp(cluster, a->v[i].cluster) != 0)
		return ACCOUNTING_NO_RECORD;
	return i;
}

static size_t digits(struct span s, size_t i)
{
	size_t n = i;

	while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9')
		n++;
	return n - i;
}

/* The one record that the numbers in s name: "123_4" and "123+1" as they are,
 * or else their parts. */
static uint32_t numbered(
    const struct accounting *a, const char *cluster, struct span s)
{
	uint32_t found = ACCOUNTING_NO_RECORD;

	for (size_t i = 0; i < s.n;) {
		size_t n = digits(s, i), m = 0;
		uint32_t record = ACCOUNTING_NO_RECORD;

		if (!n) {
			i++;
			continue;
		}
		if (i + n < s.n && (s.p[i + n] == '_' || s.p[i + n] == '+'))
			m = digits(s, i + n + 1);
		if (m)
			record = accounting_named(
			    a, cluster, span_sub(s, i, i + n + 1 + m));
		if (record != ACCOUNTING_NO_RECORD)
			n += 1 + m;
		else
			record =
			    accounting_named(a, cluster, span_sub(s, i, i + n));
		if (record != ACCOUNTING_NO_RECORD &&
		    found != ACCOUNTING_NO_RECORD && record != found)
			return ACCOUNTING_NO_RECORD;
		if (record != ACCOUNTING_NO_RECORD)
			found = record;
		i += n;
	}
	return found;
}

const struct job_record *accounting_find(const struct accounting *a,
    const char *cluster, const char *job, int attempt)
{
	struct span whole = span_of(job), last = whole;
	const struct job_record *found = NULL;
	uint32_t i;

	for (size_t k = 0; k < whole.n; k++)
		if (whole.p[k] == '/' || whole.p[k] == '!')
			last = span_sub(whole, k + 1, whole.n);
	i = accounting_named(a, cluster, whole);
	if (i == ACCOUNTING_NO_RECORD)
		i = accounting_named(a, cluster, last);
	if (i == ACCOUNTING_NO_RECORD)
		i = numbered(a, cluster, last);
	if (i == ACCOUNTING_NO_RECORD)
		return NULL;
	for (const struct job_record *r = &a->v[i]; r < a->v + a->n &&
	     r->id == a->v[i].id && r->cluster == a->v[i].cluster;
	     r++)
		if (attempt <= 0 || r->attempt == attempt)
			found = r;
	return found;
}

int accounting_lookup_text(
    const char *cluster, const char *job, int attempt, struct buf *out)
{
	if (buf_addf(out, "%d %s", attempt, job))
		return -1;
	/* a name may hold a newline, too: then it is not the last */
	return cluster || strchr(job, '\n')
	    ? buf_addf(out, "\n%s", cluster ? cluster : "")
	    : 0;
}

const struct job_record *accounting_lookup(
    const struct accounting *a, const char *lookup)
{
	struct span attempt = span_of(lookup);
	size_t blank = span_find(attempt, " ");
	int64_t n = span_number(span_sub(attempt, 0, blank));
	const char *end = strrchr(lookup, '\n');
	const struct job_record *r;
	char *job;

	if (blank == SIZE_MAX || n < 0 || n > INT32_MAX)
		return NULL;
	lookup += blank + 1;
	if (!end || end < lookup)
		return accounting_find(a, NULL, lookup, (int)n);
	job = span_dup((struct span){ lookup, (size_t)(end - lookup) });
	r = job ? accounting_find(a, end[1] ? end + 1 : NULL, job, (int)n)
		: NULL;
	free(job);
	return r;
}

void accounting_use(const struct accounting *a, const struct job_record *r)
{
	atomic_store(&a->used[r - a->v], true);
}

bool accounting_used(const struct accounting *a, const struct job_record *r)
{
	return atomic_load(&a->used[r - a->v]);
}

/* On one line: a reason may be anything. */
static int add_flat(struct buf *out, const char *s)
{
	for (; *s; s++)
		if (buf_addc(out, (unsigned char)*s < ' ' ? ' ' : *s))
			return -1;
	return 0;
}

/* As Slurm spells it, when it is a word of Slurm's; a word in mixed case is
 * somebody else's. */
static const char *spelt(const struct taxonomy *tax, const char *state)
{
	struct accounting_state s = { 0 };
	bool upper = false, lower = false;

	for (const char *p = state; *p; p++) {
		upper |= *p >= 'A' && *p <= 'Z';
		lower |= *p >= 'a' && *p <= 'z';
	}
	(void)accounting_state(tax, span_of(state), &s);
	return s.slurm && !(upper && lower) ? s.slurm : state;
}

int accounting_words(
    const struct taxonomy *tax, const struct job_record *r, struct buf *out)
{
	const char *gap = "";

	if (r->state) {
		if (buf_adds(out, "JobState=") ||
		    add_flat(out, spelt(tax, r->state)))
			return -1;
		gap = " ";
	}
	if (r->reason) {
		if (buf_addf(out, "%sReason=", gap) || add_flat(out, r->reason))
			return -1;
		gap = " ";
	}
	if (r->exit_code < 0 && r->signal <= 0)
		return 0;
	if (buf_addf(
		out, "%sExitCode=%d", gap, r->exit_code < 0 ? 0 : r->exit_code))
		return -1;
	return r->signal >= 0 ? buf_addf(out, ":%d", r->signal) : 0;
}
