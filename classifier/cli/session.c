#include "cli/session.h"

#include "diagnose/scan.h"
#include "jobs/layout.h"

int session_open(struct session *x, const struct settings *s, struct err *e)
{
	*x = (struct session){ 0 };
	x->taxonomy = taxonomy_load(s->taxonomy.v, s->taxonomy.n, e);
	if (!x->taxonomy)
		return -1;
	x->engine = engine_new(x->taxonomy, &s->limits, s->prefilter, e);
	if (!x->engine)
		return -1;
	x->layout = layout_new(s->layout, e);
	if (!x->layout)
		return -1;
	x->options = (struct triage_options){
		.taxonomy = x->taxonomy,
		.limits = &s->limits,
		.engine = x->engine,
		.layout = x->layout,
		.threads = s->threads,
	};
	return 0;
}

void session_release(struct session *x)
{
	layout_free(x->layout);
	engine_free(x->engine);
	taxonomy_free(x->taxonomy);
	*x = (struct session){ 0 };
}

void session_note(const struct settings *s, const char *path,
    enum input_note kind, const char *text)
{
	if (!s->quiet)
		complain("%s: %s: %s", path, input_note_name(kind), text);
}

uint64_t session_unread(const struct triage_counters *c)
{
	return c->notes[NOTE_UNREADABLE] + c->notes[NOTE_DAMAGED] +
	    c->notes[NOTE_ENCRYPTED] + c->notes[NOTE_LIMIT];
}
