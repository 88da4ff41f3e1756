#include "reports/baseline/leads.h"

#include "base/template.h"
#include "base/text.h"
#include "diagnose/diagnosis.h"
#include "reports/baseline/learn.h"

#include <stdlib.h>
#include <string.h>

#define SEEN 16384 /* templates that are known to have been; a power of two */

struct leads {
	const struct baseline *known;
	const struct baseline_whose *whose;
	struct learn_recent recent;
	struct buf text;
	uint64_t seen[SEEN]; /* of those that fall on one the last */
	struct lead first[LEADS_FIRST];
	struct lead last[LEADS_LAST]; /* a ring */
	uint64_t n;
};

struct leads *leads_new(
    const struct baseline *known, const struct baseline_whose *whose)
{
	struct leads *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->known = known;
	l->whose = whose;
	l->text = (struct buf)BUF_INIT(BUF_MAX);
	return l;
}

void leads_free(struct leads *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < LEADS_FIRST; i++)
		free(l->first[i].text);
	for (size_t i = 0; i < LEADS_LAST; i++)
		free(l->last[i].text);
	buf_release(&l->text);
	free(l);
}

/* Its text as it may be shown. */
static char *shown(struct leads *l, struct span line)
{
	buf_clear(&l->text);
	line = span_trim(line);
	if (line.n > LEADS_TEXT)
		for (line.n = LEADS_TEXT;
		     line.n && ((unsigned char)line.p[line.n] & 0xc0) == 0x80;)
			line.n--;
	return text_utf8(&l->text, line) ? NULL : buf_take(&l->text);
}

static int keep(struct leads *l, const struct findings *log, struct span line,
    uint64_t number, int rank)
{
	struct lead *to = l->n < LEADS_FIRST
	    ? &l->first[l->n]
	    : &l->last[(l->n - LEADS_FIRST) % LEADS_LAST];

	free(to->text);
	*to = (struct lead){ log->path, number, rank, shown(l, line) };
	l->n++;
	return to->text ? 0 : -1;
}

bool leads_seen(struct leads *l, struct span raw)
{
	return learn_again(&l->recent, raw);
}

int leads_line(struct leads *l, const struct findings *log, struct span line,
    uint64_t number, int rank)
{
	uint64_t hash, *place;

	buf_clear(&l->text);
	if (baseline_template(&l->text, line, &hash))
		return -1;
	place = &l->seen[hash & (SEEN - 1)];
	if (!hash || *place == hash)
		return 0;
	*place = hash;
	return baseline_knows(l->known, l->whose, hash)
	    ? 0
	    : keep(l, log, line, number, rank);
}

int leads_take(struct leads *l, struct diagnosis *d)
{
	size_t first = l->n < LEADS_FIRST ? (size_t)l->n : LEADS_FIRST;
	uint64_t rest = l->n - first;
	size_t last = rest < LEADS_LAST ? (size_t)rest : LEADS_LAST;
	int64_t newest;

	d->leads.v = calloc(first + last + 1, sizeof *d->leads.v);
	if (!d->leads.v)
		return -1;
	for (size_t i = 0; i < first; i++) {
		d->leads.v[d->leads.n++] = l->first[i];
		l->first[i].text = NULL;
	}
	for (size_t i = 0; i < last; i++) {
		struct lead *from = &l->last[(rest - last + i) % LEADS_LAST];

		d->leads.v[d->leads.n++] = *from;
		from->text = NULL;
	}
	d->leads.lines = l->n;
	d->leads.runs = baseline_runs(l->known, l->whose, &newest);
	return 0;
}
