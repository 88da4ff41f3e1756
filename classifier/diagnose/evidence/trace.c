/*
 * Each source of lines in a log (a rank, a host, a Ray actor: whatever the
 * envelope tells apart) is a writer. A writer remembers its last block, so that
 * chains find their prior, and a line that joins two blocks. Open blocks lie
 * in one list; a line goes to the newest one of its writer. Two tracebacks of
 * one writer open at once come from processes that write over each other: the
 * exception lines then close them in the order in which they began.
 */
#include "diagnose/evidence/trace.h"

#include "base/buf.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/facts.h"
#include "diagnose/evidence/torn.h"
#include "diagnose/signals/signals.h"
#include "diagnose/signals/stage.h"

#include <stdlib.h>
#include <string.h>

#define WRITERS 64
#define SOURCES 32        /* a power of two */
#define FOREIGN_LINES 24  /* other lines inside a traceback before it ends */
#define MESSAGE_LINES 400 /* lines of one exception's message */
#define LAST_BARS 2       /* that a process draws once more as it dies */
#define BOX_LINES 16      /* between the header of a box and its reason */
#define STORED 1024       /* bytes of the exception kept with the event */
#define JOIN_MAX 400      /* bytes of a line that joins two blocks */
#define IDLE_LINES 2000   /* lines of other writers before a block is closed */

enum kind {
	KIND_PYTHON,
	KIND_IPYTHON,
	KIND_CPP,
	KIND_RUST,
	KIND_GO,
	KIND_JAVA,
	KIND_FAULT,
	KIND_BOX
};

struct open {
	uint32_t event;
	uint64_t writer;
	enum kind kind;
	struct buf text;
	size_t message; /* where in text the exception begins */
	bool has_message;
	bool code_next;  /* the line after a frame is its code */
	bool indented;   /* the last line of the block was indented */
	bool user_frame; /* the event's frame is the user's own */
	size_t indent;   /* blanks that a parent put before each line */
	unsigned lines, foreign, message_lines, blank;
	char type[96]; /* IPython: the class its header names */
};

struct writer {
	uint64_t key;
	uint32_t last;   /* its last block, or EVENT_NONE */
	enum chain next; /* how the next block is tied to it */
	bool ignored, thread, ends;
	uint64_t used; /* when, for replacing the oldest */
};

/* A source file that frames stand in. */
struct source {
	bool known, user, starter;
	struct stage_file stage;
	uint64_t told; /* as rule.raised_bits */
	size_t n;
	char file[200];
};

struct trace {
	const struct limits *limits;
	const struct taxonomy *tax;
	struct matcher *matcher;
	struct findings *f;
	const struct trace_sink *sink;
	struct open *open; /* in the order in which they began */
	struct buf spare;  /* the text of the next one; empty */
	size_t n_open;
	struct writer writers[WRITERS];
	size_t n_writers;
	bool chained; /* some event has a prior */
	uint64_t clock;
	struct source sources[SOURCES]; /* by a hash of their names */
	size_t recycled; /* the next event to reuse once all are in use */
};

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
	t->open = calloc(limits->v[LIMIT_OPEN_BLOCKS], sizeof *t->open);
	if (!t->open) {
		free(t);
		return NULL;
	}
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_open; i++)
		buf_release(&t->open[i].text);
	buf_release(&t->spare);
	free(t->open);
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

static uint64_t mix(uint64_t h, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

static uint64_t writer_key(const struct envelope *env)
{
	uint64_t h = 0xcbf29ce484222325u;

	h = (h ^ (uint64_t)(env->rank + 2)) * 0x100000001b3u;
	h = (h ^ (uint64_t)(env->local_rank + 2)) * 0x100000001b3u;
	return mix(mix(h, env->process), env->node);
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

static void close_block(struct trace *t, size_t at)
{
	struct open o = t->open[at];
	struct event *e = &t->f->events[o.event];
	struct span whole = { o.text.p, o.text.len };
	struct span exception = { NULL, 0 };

	if (o.has_message) {
		exception = span_trim(span_sub(whole, o.message, whole.n));
		e->complete = true;
		e->exception =
		    findings_dup(t->f, span_sub(exception, 0, STORED));
	}
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
		close_block(t, 0);
	event = take_event(t);
	if (event == EVENT_NONE)
		return NULL;
	e = &t->f->events[event];
	e->kind = kind <= KIND_IPYTHON ? EVENT_TRACE : EVENT_BLOCK;
	e->first_line = e->last_line = l->number;
	e->end = l->offset;
	e->ignored = writer->ignored;
	e->thread = writer->thread;
	e->uncaught = writer->ends;
	e->frame.line = -1;
	if (writer->next != CHAIN_NONE && writer->last != EVENT_NONE) {
		e->chain = writer->next;
		e->prior = writer->last;
		t->chained = true;
		e->ignored |= t->f->events[writer->last].ignored;
		e->thread |= t->f->events[writer->last].thread;
	}
	writer->next = CHAIN_NONE;
	writer->ignored = writer->thread = writer->ends = false;
	o = &t->open[t->n_open++];
	*o = (struct open){ .event = event,
		.writer = writer->key,
		.kind = kind,
		.text = t->spare };
	t->spare = no_text(t);
	t->sink->opened(t->sink->ctx, event);
	return o;
}

/* Add a line to a block's text. Frames stop being kept at three quarters of
 * the limit, so that there is room for the exception. */
static void keep(
    struct trace *t, struct open *o, const struct log_line *l, struct span s)
{
	size_t max = t->limits->v[LIMIT_BLOCK];
	size_t room = o->has_message ? max : max - max / 4;
	struct event *e = &t->f->events[o->event];

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

/* What is known of a source file; most frames of a log are of few of them. */
static const struct source *source_of(struct trace *t, struct span file)
{
	uint64_t h = mix(0xcbf29ce484222325u, file);
	struct source *s = &t->sources[h >> 32 & (SOURCES - 1)];
	struct facts_file is;

	if (span_eq(file, (struct span){ s->file, s->n }) && s->known)
		return s;
	s->n = file.n < sizeof s->file ? file.n : 0;
	s->known = file.n == s->n;
	if (s->n)
		memcpy(s->file, file.p, s->n);
	s->told = facts_file(t->tax, file, &is);
	s->user = !is.library;
	s->starter = is.starter;
	s->stage = stage_file(t->tax, file, is.library);
	return s;
}

static void set_frame(
    struct trace *t, struct open *o, const struct shape_frame *sf)
{
	struct frame *fr = &t->f->events[o->event].frame;
	const struct source *source = source_of(t, sf->file);
	bool user = source->user;

	t->f->events[o->event].frames |=
	    stage_frame(t->tax, &source->stage, sf->function);
	if (o->kind != KIND_FAULT)
		t->f->events[o->event].raised = source->told;
	o->code_next = false;
	/* what runs a module is not the first frame of its program */
	if (!fr->file && source->starter)
		return;
	if (!fr->file) {
		t->f->events[o->event].uncaught |=
		    span_is(sf->function, "<module>") && user;
		t->f->events[o->event].program =
		    mix(0xcbf29ce484222325u, shape_program(sf->file));
	}
	if (o->user_frame && !user)
		return;
	free(fr->file);
	free(fr->function);
	free(fr->code);
	fr->file = findings_dup(t->f, sf->file);
	fr->function = findings_dup(t->f, sf->function);
	fr->code = NULL;
	fr->line = sf->line;
	o->user_frame = user;
	t->f->events[o->event].user_frame = user;
	o->code_next = true;
}

static void set_code(struct trace *t, struct open *o, struct span s)
{
	struct frame *fr = &t->f->events[o->event].frame;

	o->code_next = false;
	if (!fr->code)
		fr->code = findings_dup(t->f, span_sub(span_trim(s), 0, 400));
}

static void begin_message(
    struct trace *t, struct open *o, const struct log_line *l, struct span s)
{
	o->message = o->text.len;
	o->has_message = true;
	t->f->events[o->event].message_line = l->number;
	keep(t, o, l, s);
}

/* Whether the message so far ends in a colon: "Graph execution error:". */
static bool awaits_message(const struct open *o)
{
	struct span m = { o->text.p + o->message, o->text.len - o->message };

	m = span_trim(m);
	return o->message_lines == 0 && m.n && m.p[m.n - 1] == ':';
}

/* More lines of a message: indented ones, or the first after an open one. */
static bool more_message(const struct open *o, struct span s)
{
	if (!s.n ||
	    o->message_lines > (shape_bar(s) ? LAST_BARS : MESSAGE_LINES))
		return false;
	return strchr(" \t", s.p[0]) ? span_trim(s).n > 0 : awaits_message(o);
}

/* A line after an exception: more of its message, or the block's end. */
static enum trace_part feed_message(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];

	if (s.n == 0 && awaits_message(o) && o->blank++ < 2)
		return TRACE_INSIDE;
	if (!more_message(o, s)) {
		close_block(t, at);
		return TRACE_OUTSIDE;
	}
	o->message_lines++;
	keep(t, o, l, s);
	return TRACE_MESSAGE;
}

/* A line without the blanks that a parent put before all of the traceback. What
 * stands before its header alone is what is left of a progress bar. */
static struct span unindent(struct open *o, struct span s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	if (o->lines == 1 && n != o->indent + 2)
		o->indent = 0;
	return span_sub(s, n < o->indent ? n : o->indent, s.n);
}

/* A line for an open Python traceback. */
static enum trace_part feed_python(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];
	enum shape_exception shape;
	struct shape_frame sf;
	struct span type;
	char mended[TORN_MAX];
	size_t n;

	s = unindent(o, s);
	if (o->has_message)
		return feed_message(t, at, l, s);
	if (s.n && (s.p[0] == ' ' || s.p[0] == '\t')) {
		if (shape_frame(s, &sf))
			set_frame(t, o, &sf);
		else if (o->code_next)
			set_code(t, o, s);
		o->indented = true;
		keep(t, o, l, s);
		return TRACE_INSIDE;
	}
	if (torn_exception(s, mended, &n))
		s = (struct span){ mended, n };
	shape = shape_exception(s, &type);
	if (shape >= SHAPE_CLASS || (shape == SHAPE_WEAK && o->indented)) {
		/* of several open in this writer the eldest gets it */
		for (size_t i = 0; i < at; i++)
			if (t->open[i].writer == o->writer &&
			    t->open[i].kind == KIND_PYTHON &&
			    !t->open[i].has_message) {
				o = &t->open[i];
				break;
			}
		begin_message(t, o, l, s);
		return TRACE_MESSAGE;
	}
	o->indented = false;
	if (s.n && ++o->foreign > FOREIGN_LINES)
		close_block(t, at);
	return TRACE_OUTSIDE;
}

static bool ipython_body(struct span s)
{
	struct shape_frame sf;
	char c = s.n ? s.p[0] : ' ';

	return c == ' ' || c == '\t' || c == '-' || c == '(' || c == '.' ||
	    (c >= '0' && c <= '9') || shape_ipython_frame(s, &sf);
}

static enum trace_part feed_ipython(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];
	struct shape_frame sf;
	struct span type;
	size_t arrow;

	if (o->has_message)
		return feed_message(t, at, l, s);
	if (shape_exception(s, &type) != SHAPE_NO &&
	    (span_ends(type, o->type) ||
		shape_exception(s, &type) == SHAPE_SURE)) {
		begin_message(t, o, l, s);
		return TRACE_MESSAGE;
	}
	if (!ipython_body(s)) {
		if (++o->foreign > FOREIGN_LINES)
			close_block(t, at);
		return TRACE_OUTSIDE;
	}
	if (shape_ipython_frame(s, &sf) || shape_frame(s, &sf)) {
		set_frame(t, o, &sf);
	} else if (o->code_next && (arrow = span_find(s, "-> ")) < 8) {
		struct frame *fr = &t->f->events[o->event].frame;
		struct span rest = span_sub(s, arrow + 3, s.n);
		size_t n = 0;

		while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
			n++;
		if (fr->line < 0)
			fr->line = span_number(span_sub(rest, 0, n));
		set_code(t, o, span_sub(rest, n, rest.n));
	}
	keep(t, o, l, s);
	return TRACE_INSIDE;
}

/* Whether a line goes on with a report of one of the other kinds. */
static bool more_block(const struct open *o, struct span s)
{
	struct span t = span_trim(s);

	switch (o->kind) {
	case KIND_CPP:
		return o->lines < 4 && span_starts(t, "what()");
	case KIND_RUST:
		return o->lines < 6 && t.n &&
		    (o->lines == 1 || span_starts(t, "left:") ||
			span_starts(t, "right:") || span_starts(t, "note:"));
	case KIND_GO:
		return o->lines < 200 &&
		    (t.n == 0 || span_starts(t, "goroutine ") ||
			span_starts(t, "[signal") || s.p[0] == '\t' ||
			span_ends(t, ")"));
	case KIND_JAVA:
		return o->lines < 400 &&
		    (span_starts(t, "at ") || span_starts(t, "... ") ||
			span_starts(t, "Caused by: "));
	case KIND_FAULT:
		return o->lines < 400 &&
		    (t.n == 0 || span_starts(t, "Current thread") ||
			span_starts(t, "Thread 0x") ||
			span_starts(t, "File \"") || span_starts(t, "...") ||
			span_starts(t, "Python runtime state"));
	default: /* fed elsewhere */
		break;
	}
	return false;
}

static enum trace_part feed_block(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];
	struct shape_frame sf;

	if (!more_block(o, s)) {
		close_block(t, at);
		return TRACE_OUTSIDE;
	}
	if (o->kind == KIND_FAULT && !o->user_frame && shape_frame(s, &sf))
		set_frame(t, o, &sf);
	if (o->kind == KIND_JAVA && span_starts(s, "Caused by: "))
		o->message = o->text.len + strlen("\nCaused by: ");
	keep(t, o, l, s);
	return o->kind == KIND_CPP || o->kind == KIND_RUST ||
		span_starts(span_trim(s), "Caused by: ")
	    ? TRACE_MESSAGE
	    : TRACE_INSIDE;
}

/* A line behind the header of a box: the reason, which goes on to the first
 * line without words. It makes one statement with the header. */
static enum trace_part feed_box(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];
	struct event *e = &t->f->events[o->event];
	struct span words = shape_boxed(s);
	bool next = l->number == e->last_line + 1;
	size_t end = o->text.len;

	if (o->message_lines ? !words.n || !next : ++o->foreign > BOX_LINES) {
		close_block(t, at);
		return TRACE_OUTSIDE;
	}
	if (!words.n)
		return TRACE_INSIDE;
	if (!o->message_lines)
		e->message_line = l->number;
	keep(t, o, l, words);
	if (!o->message_lines++ && o->text.len > end)
		o->text.p[end] = ' ';
	return TRACE_MESSAGE;
}

/* What a line begins or joins, as its signals tell, and where they found it;
 * what: BLOCK_WORDS: nothing. */
struct told {
	size_t what, from, to;
};

/* The first of those from `least` on. */
static struct told tell(const struct trace *t, struct span s, size_t least)
{
	const struct taxonomy *tax = t->tax;
	struct told told = { .what = BLOCK_WORDS };
	struct pattern_match m;

	for (size_t i = tax->signal_from[SIGNAL_BLOCK];
	     i < tax->signal_from[SIGNAL_BLOCK + 1]; i++) {
		size_t what = (size_t)tax->signals[i].tells[0];

		if (what < least || what >= told.what ||
		    !signals_tell(tax, i, t->matcher, s, &m))
			continue;
		told.what = what;
		told.from = (size_t)(m.group[0].p - s.p);
		told.to = told.from + m.group[0].n;
	}
	return told;
}

/* The last traceback that one record holds, with its ends of lines written as
 * "\\n"; it has been opened. */
static void feed_record(
    struct trace *t, const struct log_line *l, struct span s)
{
	static const char header[] = "Traceback (most recent call last)";
	size_t at = t->n_open - 1, n, next;
	char line[TORN_MAX];

	while ((next = span_find(span_sub(s, 1, s.n), header)) != SIZE_MAX)
		s = span_sub(s, next + 1, s.n);
	if (!torn_line(&s, line, &n))
		return;
	keep(t, &t->open[at], l, (struct span){ line, n });
	while (at < t->n_open && torn_line(&s, line, &n)) {
		if (t->open[at].has_message && n == 0)
			break;
		(void)feed_python(t, at, l, (struct span){ line, n });
	}
	if (at < t->n_open)
		close_block(t, at);
}

/* A traceback's header line. */
static enum trace_part start_trace(
    struct trace *t, const struct log_line *l, struct span s, size_t at)
{
	struct span type = shape_ipython_type(s, at);
	struct writer *writer = writer_of(t, writer_key(&l->env));
	struct open *o;

	if (span_find(span_sub(s, 0, at), "Original ") != SIZE_MAX ||
	    (writer->last != EVENT_NONE &&
		t->f->events[writer->last].last_line + 1 >= l->number &&
		span_find(span_of(t->f->events[writer->last].exception),
		    "ProcessRaisedException") != SIZE_MAX))
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
	o->indent = span_trim(span_sub(s, 0, at)).n ? 0 : at;
	s = span_sub(s, at, s.n);
	if (!type.n && torn_has_lines(s))
		feed_record(t, l, s);
	else
		keep(t, o, l, s);
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
	writer->ignored = what == BLOCK_IGNORED;
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
		[BLOCK_BOX] = KIND_BOX };
	struct open *o = open_block(t, l, kinds[told.what]);

	if (!o)
		return TRACE_OUTSIDE;
	begin_message(t, o, l, told.what == BLOCK_BOX ? shape_boxed(s) : s);
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
		told = tell(t, s, BLOCK_PYTHON + 1);
	if (told.what == BLOCK_PYTHON) {
		enum trace_part part = start_trace(t, l, s, told.from);

		if (t->n_open)
			*event = t->open[t->n_open - 1].event;
		return part;
	}
	if (told.what <= BLOCK_BOX)
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
		set_frame(t, o, &sf);
		o->indented = true;
		keep(t, o, l, s);
		*event = o->event;
		return TRACE_INSIDE;
	}
	return TRACE_OUTSIDE;
}

enum trace_part trace_feed(
    struct trace *t, const struct log_line *l, bool begins, uint32_t *event)
{
	struct span s = shape_ungroup(l->env.text);
	uint64_t writer = t->n_open ? writer_key(&l->env) : 0;
	struct told told = { .what = BLOCK_WORDS };
	enum trace_part part;

	*event = EVENT_NONE;
	if (begins)
		told = tell(t, s, BLOCK_PYTHON);
	for (size_t i = t->n_open; i-- > 0;)
		if (t->f->events[t->open[i].event].last_line + IDLE_LINES <
		    l->number)
			close_block(t, i);
	for (size_t i = t->n_open; i-- > 0;) {
		struct open *o = &t->open[i];

		if (o->writer != writer)
			continue;
		if (told.what == BLOCK_PYTHON) {
			if (o->has_message)
				close_block(t, i);
			continue;
		}
		*event = o->event;
		if (o->kind == KIND_PYTHON)
			part = feed_python(t, i, l, s);
		else if (o->kind == KIND_IPYTHON)
			part = feed_ipython(t, i, l, s);
		else if (o->kind == KIND_BOX)
			part = feed_box(t, i, l, s);
		else
			part = feed_block(t, i, l, s);
		if (part != TRACE_OUTSIDE)
			return part;
		*event = EVENT_NONE;
	}
	return feed_outside(t, l, s, told, event);
}

void trace_end(struct trace *t)
{
	while (t->n_open)
		close_block(t, 0);
}
