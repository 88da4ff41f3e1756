/*
 * Each source of lines in a log (a rank, a host, a Ray actor: whatever the
 * envelope tells apart) is a writer. A writer remembers its last block, so that
 * chains find their prior, and a line that joins two blocks. Open blocks lie
 * in one list; a line goes to the newest one of its writer. Two tracebacks of
 * one writer open at once come from processes that write over each other: the
 * exception lines then close them in the order in which they began.
 */
#include "diagnose/evidence/raised.h"
#include "diagnose/evidence/torn.h"
#include "diagnose/evidence/trace_private.h"
#include "diagnose/signals/signals.h"

#include <stdlib.h>
#include <string.h>

#define STORED 1024     /* bytes of the exception kept with the event */
#define JOIN_MAX 400    /* bytes of a line that joins two blocks */
#define IDLE_LINES 2000 /* lines of other writers before a block is closed */

/* For the lines of a block. */
static struct buf no_text(const struct trace *t)
{
	return (struct buf)BUF_INIT(t->limits->v[LIMIT_BLOCK] + 4096);
}

struct trace *trace_new(
    const struct limits *limits, const struct taxonomy *tax, struct matcher *m)
{
	struct trace *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->limits = limits;
	t->tax = tax;
	t->matcher = m;
	t->spare = no_text(t);
	/* not cleared: most logs touch little of them */
	t->open = malloc(limits->v[LIMIT_OPEN_BLOCKS] * sizeof *t->open);
	t->sources = malloc(SOURCES * sizeof *t->sources);
	if (t->open && t->sources)
		return t;
	trace_free(t);
	return NULL;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_open; i++)
		buf_release(&t->open[i].text);
	buf_release(&t->spare);
	free(t->open);
	free(t->sources);
	free(t);
}

void trace_begin(
    struct trace *t, struct findings *f, const struct trace_sink *sink)
{
	for (size_t i = 0; i < t->n_open; i++)
		buf_release(&t->open[i].text);
	t->n_open = t->n_writers = 0;
	t->chained = false;
	t->recycled = 0;
	t->f = f;
	t->sink = sink;
}

bool trace_busy(const struct trace *t)
{
	return t->n_open > 0;
}

static uint64_t writer_key(const struct envelope *env)
{
	uint64_t h = TRACE_MIX;

	h = (h ^ (uint64_t)(env->rank + 2)) * 0x100000001b3u;
	h = (h ^ (uint64_t)(env->local_rank + 2)) * 0x100000001b3u;
	return trace_mix(trace_mix(h, env->process), env->node);
}

static struct writer *writer_of(struct trace *t, uint64_t key)
{
	struct writer *oldest = t->writers;

	for (size_t i = 0; i < t->n_writers; i++) {
		if (t->writers[i].key == key) {
			t->writers[i].used = ++t->clock;
			return &t->writers[i];
		}
		if (t->writers[i].used < oldest->used)
			oldest = &t->writers[i];
	}
	if (t->n_writers < WRITERS)
		oldest = &t->writers[t->n_writers++];
	*oldest = (struct writer){
		.key = key, .last = EVENT_NONE, .used = ++t->clock
	};
	return oldest;
}

/* How many of the events of a log with very many may be let go: the later half,
 * so that the first are kept. */
static size_t spare_events(const struct trace *t)
{
	size_t max = t->limits->v[LIMIT_EVIDENCE];

	return max - max / 2;
}

static bool is_open(const struct trace *t, uint32_t event)
{
	for (size_t i = 0; i < t->n_open; i++)
		if (t->open[i].event == event)
			return true;
	return false;
}

/* An event to write into: a new one, or one that is let go with its evidence
 * and chains. Fewer are open than may be let go. */
static uint32_t take_event(struct trace *t)
{
	struct findings *f = t->f;
	size_t max = t->limits->v[LIMIT_EVIDENCE], spare = spare_events(t);
	uint32_t i;

	if (f->n_events < max)
		return findings_event(f);
	do
		i = (uint32_t)(max - spare + t->recycled++ % spare);
	while (is_open(t, i));
	for (size_t k = 0; t->chained && k < f->n_events; k++)
		if (f->events[k].prior == i)
			f->events[k].prior = EVENT_NONE;
	for (size_t k = 0; k < f->n_evidence; k++)
		if (f->evidence[k].event == i)
			f->evidence[k].event = EVENT_NONE;
	for (size_t k = 0; k < t->n_writers; k++)
		if (t->writers[k].last == i)
			t->writers[k].last = EVENT_NONE;
	findings_event_release(&f->events[i]);
	f->dropped++;
	return i;
}

void trace_close(struct trace *t, size_t at)
{
	struct open o = t->open[at];
	struct event *e = &t->f->events[o.event];
	struct span exception = { NULL, 0 }, whole;

	if (!o.has_message && o.kind == KIND_PYTHON) {
		o.message = raised_add(&o.text);
		o.has_message = o.message > 0;
	}
	whole = (struct span){ o.text.p, o.text.len };
	if (o.has_message && !o.again) {
		exception = span_trim(span_sub(whole, o.message, whole.n));
		e->complete = true;
		e->exception =
		    findings_dup(t->f, span_sub(exception, 0, STORED));
		e->raisers = frames_last_text(&o.last, t->f);
	}
	if (o.kind == KIND_STACK)
		trace_forms_stand(t, &o);
	t->n_open--;
	memmove(
	    &t->open[at], &t->open[at + 1], (t->n_open - at) * sizeof *t->open);
	writer_of(t, o.writer)->last = o.event;
	t->sink->closed(t->sink->ctx, o.event, exception, whole);
	buf_release(&t->spare);
	t->spare = o.text;
	buf_clear(&t->spare);
}

static struct open *open_block(
    struct trace *t, const struct log_line *l, enum kind kind)
{
	struct writer *writer = writer_of(t, writer_key(&l->env));
	struct event *e;
	struct open *o;
	uint32_t event;

	if (t->n_open == t->limits->v[LIMIT_OPEN_BLOCKS] ||
	    t->n_open == spare_events(t))
		trace_close(t, 0);
	event = take_event(t);
	if (event == EVENT_NONE)
		return NULL;
	e = &t->f->events[event];
	e->kind = kind <= KIND_IPYTHON ? EVENT_TRACE : EVENT_BLOCK;
	e->first_line = e->last_line = l->number;
	e->end = l->offset;
	e->ignored = writer->ignored;
	e->request = writer->request;
	e->thread = writer->thread;
	e->uncaught = writer->ends;
	e->frame.line = -1;
	if (writer->next != CHAIN_NONE && writer->last != EVENT_NONE) {
		e->chain = writer->next;
		e->prior = writer->last;
		t->chained = true;
		e->ignored |= t->f->events[writer->last].ignored;
		e->request |= t->f->events[writer->last].request;
		e->thread |= t->f->events[writer->last].thread;
		e->logged = t->f->events[writer->last].logged;
	}
	writer->next = CHAIN_NONE;
	writer->ignored = writer->request = writer->thread = writer->ends =
	    false;
	o = &t->open[t->n_open++];
	*o = (struct open){ .event = event,
		.writer = writer->key,
		.kind = kind,
		.text = t->spare };
	t->spare = no_text(t);
	t->sink->opened(t->sink->ctx, event);
	return o;
}

/* Who logs each line of a report on its own, and as no trouble, passes on what
 * another program prints: such a level says nothing. A warning does: PyTorch's
 * loggers put it before each line. */
static bool passed_on(
    const struct event *e, const struct open *o, const struct log_line *l)
{
	return !o->has_message && l->number > e->first_line &&
	    l->env.level != LEVEL_UNKNOWN && l->env.level < LEVEL_WARNING;
}

/* Add a line to a block's text. Frames stop being kept at three quarters of
 * the limit, so that there is room for the exception. */
void trace_keep(
    struct trace *t, struct open *o, const struct log_line *l, struct span s)
{
	size_t max = t->limits->v[LIMIT_BLOCK];
	size_t room = o->has_message ? max : max - max / 4;
	struct event *e = &t->f->events[o->event];

	if (passed_on(e, o, l)) {
		e->warning = false;
		t->f->passed_on = true;
	}
	e->last_line = l->number;
	/* what a runtime has written without an end of line comes late */
	if (e->end < l->offset)
		e->end = l->offset;
	o->lines++;
	if (o->text.len + s.n + 1 > room)
		s = span_sub(s, 0, room > o->text.len ? room - o->text.len : 0);
	if (s.n == 0)
		return;
	if ((o->text.len && buf_addc(&o->text, '\n')) ||
	    buf_add(&o->text, s.p, s.n))
		t->f->failed = true;
}

void trace_begin_message(
    struct trace *t, struct open *o, const struct log_line *l, struct span s)
{
	o->message = o->text.len;
	o->has_message = true;
	t->f->events[o->event].message_line = l->number;
	trace_keep(t, o, l, s);
}

/* What a line begins or joins, as its signals tell, and where they found it;
 * what: BLOCK_WORDS: nothing. */
struct told {
	size_t what, from, to;
};

/* The first of those from `least` on. */
static struct told tell(const struct trace *t, struct span s,
    const struct signal_hits *hits, size_t least)
{
	const struct taxonomy *tax = t->tax;
	struct told told = { .what = BLOCK_WORDS };
	struct pattern_match m;

	for (size_t i = tax->signal_from[SIGNAL_BLOCK];
	     i < tax->signal_from[SIGNAL_BLOCK + 1]; i++) {
		size_t what = (size_t)taxonomy_signal_at(tax, i)->tells[0];

		if (what < least || what >= told.what ||
		    !signals_may(tax, i, hits) ||
		    !signals_tell(tax, i, t->matcher, s, &m))
			continue;
		told.what = what;
		told.from = (size_t)(m.group[0].p - s.p);
		told.to = told.from + m.group[0].n;
	}
	return told;
}

bool trace_wraps(struct span exception)
{
	return span_find(exception, "ProcessRaisedException") != SIZE_MAX;
}

/* The last block of a writer, or NULL. */
static const struct event *last_of(
    const struct trace *t, const struct writer *writer)
{
	return writer->last == EVENT_NONE ? NULL : &t->f->events[writer->last];
}

/* Whether the block that ended right before a line does. */
static bool wraps_next(const struct event *last, const struct log_line *l)
{
	return last && last->last_line + 1 >= l->number &&
	    trace_wraps(span_of(last->exception));
}

/* How far a traceback is indented, whose header stands at a place of a line. */
static size_t indent_of(struct span s, size_t at)
{
	struct span before = span_trim(span_sub(s, 0, at)), inner;

	if (!before.n)
		return at;
	/* rich's handler of records puts a box below the message */
	return shape_rich(before, &inner) ? (size_t)(before.p - s.p) : 0;
}

/* A traceback's header line. */
static enum trace_part start_trace(
    struct trace *t, const struct log_line *l, struct span s, size_t at)
{
	struct span type = shape_ipython_type(s, at);
	struct writer *writer = writer_of(t, writer_key(&l->env));
	struct open *o;

	if (span_find(span_sub(s, 0, at), "Original ") != SIZE_MAX ||
	    wraps_next(last_of(t, writer), l))
		writer->next = CHAIN_ORIGINAL;
	o = open_block(t, l, type.n ? KIND_IPYTHON : KIND_PYTHON);
	if (!o)
		return TRACE_INSIDE;
	if (type.n) {
		size_t n =
		    type.n < sizeof o->type ? type.n : sizeof o->type - 1;

		memcpy(o->type, type.p, n);
	}
	o->indented = true;
	/* nbconvert puts four blanks before all of a cell's output */
	if (type.n)
		t->f->events[o->event].cell = true;
	/* nbconvert puts blanks before all that a cell has printed */
	o->indent = type.n ? (size_t)(type.p - s.p) : indent_of(s, at);
	s = span_sub(s, at, s.n);
	if (!type.n && torn_has_lines(s))
		trace_forms_record(t, l, s);
	else
		trace_keep(t, o, l, s);
	return TRACE_INSIDE;
}

/* A line that says how the next block is tied to the last one. */
static void join_line(
    struct trace *t, const struct log_line *l, enum signal_block what)
{
	struct writer *writer = writer_of(t, writer_key(&l->env));

	writer->next = what == BLOCK_CAUSE ? CHAIN_CAUSE
	    : what == BLOCK_HANDLING       ? CHAIN_HANDLING
					   : CHAIN_NONE;
	writer->line = l->number;
	writer->request = what == BLOCK_REQUEST;
	writer->ignored = what == BLOCK_IGNORED || writer->request;
	writer->thread = what == BLOCK_THREAD;
	writer->ends = what == BLOCK_ENDS;
}

/* A report of one of the other kinds begins, which told.what tells. */
static enum trace_part start_block(struct trace *t, const struct log_line *l,
    struct span s, struct told told, uint32_t *event)
{
	static const enum kind kinds[] = { [BLOCK_CPP] = KIND_CPP,
		[BLOCK_RUST] = KIND_RUST,
		[BLOCK_GO] = KIND_GO,
		[BLOCK_JAVA] = KIND_JAVA,
		[BLOCK_FAULT] = KIND_FAULT,
		[BLOCK_BOX] = KIND_BOX,
		[BLOCK_STACK] = KIND_STACK };
	struct open *o = open_block(t, l, kinds[told.what]);

	if (!o)
		return TRACE_OUTSIDE;
	if (told.what == BLOCK_STACK) {
		trace_forms_stack(t, o, l, s);
		return TRACE_INSIDE;
	}
	trace_begin_message(
	    t, o, l, told.what == BLOCK_BOX ? shape_boxed(s) : s);
	o->message = told.what == BLOCK_JAVA ? told.to : 0;
	*event = o->event;
	return TRACE_MESSAGE;
}

/* A line that no open block took. */
static enum trace_part feed_outside(struct trace *t, const struct log_line *l,
    struct span s, struct told told, uint32_t *event)
{
	struct shape_frame sf;
	struct open *o;

	if (told.what == BLOCK_PYTHON && shape_echo(t->tax, s))
		told = tell(t, s, NULL, BLOCK_PYTHON + 1);
	if (told.what == BLOCK_PYTHON) {
		enum trace_part part = start_trace(t, l, s, told.from);

		if (t->n_open)
			*event = t->open[t->n_open - 1].event;
		return part;
	}
	if (told.what <= BLOCK_BOX || told.what == BLOCK_STACK)
		return start_block(t, l, s, told, event);
	if (told.what == BLOCK_ENDS ||
	    (told.what <= BLOCK_THREAD && s.n <= JOIN_MAX)) {
		join_line(t, l, (enum signal_block)told.what);
		return TRACE_INSIDE;
	}
	if (told.what == BLOCK_FRAME && shape_frame(s, &sf)) {
		o = open_block(t, l, KIND_PYTHON);
		if (!o)
			return TRACE_INSIDE;
		trace_forms_frame(t, o, &sf);
		o->indented = true;
		trace_keep(t, o, l, s);
		*event = o->event;
		return TRACE_INSIDE;
	}
	return TRACE_OUTSIDE;
}

/* Whether a line at the margin joins two exceptions: the first one's message is
 * over, though it ends in a colon. */
static bool joins(struct told told, struct span s)
{
	return (told.what == BLOCK_CAUSE || told.what == BLOCK_HANDLING) &&
	    s.n <= JOIN_MAX && *s.p != ' ';
}

bool trace_ignores(struct trace *t, const struct log_line *l)
{
	const struct writer *writer = writer_of(t, writer_key(&l->env));

	return writer->ignored && writer->line + 1 == l->number;
}

enum trace_part trace_feed(struct trace *t, const struct log_line *l,
    const struct signal_hits *hits, uint32_t *event)
{
	struct span s = shape_ungroup(l->env.text);
	uint64_t writer = t->n_open ? writer_key(&l->env) : 0;
	struct told told = { .what = BLOCK_WORDS };
	enum trace_part part;

	*event = EVENT_NONE;
	if (hits->kinds & 1u << SIGNAL_BLOCK)
		told = tell(t, s, hits, BLOCK_PYTHON);
	for (size_t i = t->n_open; i-- > 0;)
		if (t->f->events[t->open[i].event].last_line + IDLE_LINES <
		    l->number)
			trace_close(t, i);
	for (size_t i = t->n_open; i-- > 0;) {
		struct open *o = &t->open[i];

		if (o->writer != writer)
			continue;
		if (told.what == BLOCK_PYTHON || joins(told, s)) {
			if (o->has_message)
				trace_close(t, i);
			continue;
		}
		*event = o->event;
		part = trace_forms_feed(t, i, l, s);
		if (part != TRACE_OUTSIDE)
			return part;
		*event = EVENT_NONE;
	}
	return feed_outside(t, l, s, told, event);
}

bool trace_end_of(struct trace *t, const struct log_line *l, uint64_t last)
{
	uint64_t writer = writer_key(&l->env);
	size_t own = 0, at = 0;

	for (size_t i = 0; i < t->n_open; i++) {
		const struct open *o = &t->open[i];

		if (t->f->events[o->event].last_line + IDLE_LINES < last)
			return false;
		if (o->writer != writer)
			continue;
		if (own++ || !o->has_message)
			return false;
		at = i;
	}
	if (own)
		trace_close(t, at);
	return true;
}

bool trace_stands_alone(struct trace *t, const struct log_line *l)
{
	const struct writer *w = writer_of(t, writer_key(&l->env));
	const struct event *last = last_of(t, w);

	if (w->ignored || w->request || w->thread || w->ends)
		return false;
	if (w->next != CHAIN_NONE && last &&
	    (last->ignored || last->request || last->thread))
		return false;
	return !wraps_next(last, l);
}

uint32_t trace_again(struct trace *t, const struct log_line *l)
{
	struct open *o = open_block(t, l, KIND_PYTHON);

	if (!o)
		return EVENT_NONE;
	o->has_message = o->again = true;
	return o->event;
}

void trace_end(struct trace *t)
{
	while (t->n_open)
		trace_close(t, 0);
}
