/*
 * Most lines of a good run are those of its progress, and differ in digits
 * only: a line whose other bytes were seen a moment ago is not looked at again.
 */
#include "reports/baseline/learn.h"

#include "base/template.h"
#include "reports/baseline/baseline.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS (4 * BASELINE_LINES) /* a power of two */

struct learn {
	struct buf text;
	size_t n;
	uint64_t seen[SLOTS]; /* hashes of templates; 0: free */
	struct learn_recent recent;
};

struct learn *learn_new(void)
{
	struct learn *l = calloc(1, sizeof *l);

	if (l)
		l->text = (struct buf)BUF_INIT(BUF_MAX);
	return l;
}

void learn_free(struct learn *l)
{
	if (l)
		buf_release(&l->text);
	free(l);
}

void learn_begin(struct learn *l)
{
	buf_clear(&l->text);
	l->n = 0;
	memset(l->seen, 0, sizeof l->seen);
	l->recent = (struct learn_recent){ { 0 } };
}

/* Of what is no digit (FNV-1a). */
static uint64_t likeness(struct span line)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] < '0' || line.p[i] > '9')
			h = (h ^ (unsigned char)line.p[i]) *
			    UINT64_C(0x100000001b3);
	return h;
}

bool learn_again(struct learn_recent *r, struct span line)
{
	uint64_t like = likeness(span_sub(line, 0, TEMPLATE_LINE));
	uint64_t *place = &r->v[like & (LEARN_RECENT - 1)];
	bool again = *place == like;

	*place = like;
	return again;
}

bool learn_seen(struct learn *l, struct span raw)
{
	return learn_again(&l->recent, raw);
}

int learn_line(struct learn *l, struct span line)
{
	uint64_t hash;
	size_t start = l->text.len, at;

	if (baseline_template(&l->text, line, &hash))
		return -1;
	if (!hash)
		return 0;
	at = (size_t)hash & (SLOTS - 1);
	while (l->seen[at] && l->seen[at] != hash)
		at = (at + 1) & (SLOTS - 1);
	if (l->seen[at]) {
		l->text.len = start;
		return 0;
	}
	l->seen[at] = hash;
	if (buf_addc(&l->text, '\n'))
		return -1;
	return ++l->n >= BASELINE_LINES;
}

const char *learn_templates(const struct learn *l, size_t *n)
{
	*n = l->n;
	return l->n ? l->text.p : "";
}
