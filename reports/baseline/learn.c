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
#define RECENT 1024                /* likewise */

struct learn {
	struct buf text;
	size_t n;
	uint64_t seen[SLOTS];    /* hashes of templates; 0: free */
	uint64_t recent[RECENT]; /* of lines without their digits */
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
	memset(l->recent, 0, sizeof l->recent);
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

int learn_line(struct learn *l, struct span line)
{
	uint64_t like, hash;
	size_t start = l->text.len, at;

	line = span_sub(line, 0, TEMPLATE_LINE);
	like = likeness(line);
	if (l->recent[like & (RECENT - 1)] == like)
		return 0;
	l->recent[like & (RECENT - 1)] = like;
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
