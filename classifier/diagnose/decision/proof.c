/* What a piece of evidence and a block have in common. */
#include "diagnose/decision/proof.h"

#include "rules/taxonomy.h"

#include "base/array.h"

#include <string.h>

int proofs_add(struct proofs *p, struct proof proof)
{
	if (array_grow(&p->v, p->n, &p->cap, sizeof *p->v))
		return -1;
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
	value = findings_capture(p->evidence, r->extract.v[0]);
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
