#include "diagnose/decision/usual.h"

#include "diagnose/diagnosis.h"

static bool open(const struct candidate *c, enum claim claim)
{
	return c->claim == claim &&
	    (!c->evidence || diagnosis_open_rule(c->evidence->rule));
}

static bool prints(const struct ranking *r, const struct candidate *c)
{
	const struct usual *u = r->d->usual;
	struct span text, line;

	if (c->event && c->event->exception)
		text = span_of(c->event->exception);
	else if (c->evidence)
		text =
		    (struct span){ c->evidence->text, c->evidence->text_len };
	else
		return false;
	return span_line(&text, &line) && u->prints(u->ctx, r->d, line);
}

void usual_settle(struct ranking *r, enum claim claim)
{
	size_t n = 0, other = 0;

	for (size_t i = 0; i < r->n; i++)
		n += open(&r->v[i], claim);
	if (!r->d->usual || n < 2)
		return;
	for (size_t i = 0; i < r->n; i++)
		other += open(&r->v[i], claim) && !prints(r, &r->v[i]);
	for (size_t i = 0; i < r->n && other && other < n; i++)
		if (open(&r->v[i], claim) && prints(r, &r->v[i]))
			candidates_lose(&r->v[i], "good runs print it, too");
}
