/*
 * How each form of a report goes on, line by line: tracebacks of Python and
 * IPython, what C++, Rust, Go, Java and faulthandler print, and boxes.
 */
#include "diagnose/evidence/trace_private.h"

#include "diagnose/evidence/torn.h"
#include "diagnose/signals/calls.h"
#include "diagnose/signals/chained.h"
#include "diagnose/signals/facts.h"

#include <stdlib.h>
#include <string.h>

#define FOREIGN_LINES 24  /* other lines inside a traceback before it ends */
#define MESSAGE_LINES 400 /* lines of one exception's message */
#define OPEN_LINES 3      /* that end in a colon, one behind the other */
#define LAST_BARS 2       /* that a process draws once more as it dies */
#define BOX_LINES 16      /* between the header of a box and its reason */

/* What is known of a source file; most frames of a log are of few of them. */
static const struct source *source_of(struct trace *t, struct span file)
{
	uint64_t h = trace_mix(TRACE_MIX, file);
	size_t i = h >> 32 & (SOURCES - 1);
	struct source *s = &t->sources[i];
	struct facts_file is;

	if (t->known[i] && span_eq(file, (struct span){ s->file, s->n }))
		return s;
	s->n = file.n < sizeof s->file ? file.n : 0;
	t->known[i] = file.n == s->n;
	if (s->n)
		memcpy(s->file, file.p, s->n);
	s->told = facts_file(t->tax, file, &is);
	s->user = !is.library;
	s->starter = is.starter;
	s->stage = stage_file(t->tax, file, is.library);
	return s;
}

/* How unittest and pytest know a test. What runs it catches what it raises, and
 * fails for it in the end. */
#define TEST "test"

/* The next frame inward; own: of the program. */
static void arose_frame(const struct trace *t, struct arose *p,
    const struct shape_frame *sf, bool own)
{
	p->inner = trace_mix(trace_mix(TRACE_MIX, sf->file), sf->function);
	if (own && !p->outer)
		p->outer = p->inner;
	p->frames++;
	p->how = RAISED_UNKNOWN;
	p->tidying |= chained_tells(t->tax, CHAINED_FUNCTION, sf->function);
}

/* The first line of source below a frame. */
static void arose_code(struct arose *p, struct span code)
{
	code = span_trim(code);
	if (p->how != RAISED_UNKNOWN || !code.n)
		return;
	p->how =
	    span_starts(code, "raise") ? RAISED_BY_STATEMENT : RAISED_OTHERWISE;
}

void trace_forms_frame(
    struct trace *t, struct open *o, const struct shape_frame *sf)
{
	struct frame *fr = &t->f->events[o->event].frame;
	const struct source *source = source_of(t, sf->file);
	bool user = source->user;

	t->f->events[o->event].frames |=
	    stage_frame(t->tax, &source->stage, sf->function);
	if (o->kind != KIND_FAULT && o->kind != KIND_STACK) {
		arose_frame(t, &t->f->events[o->event].arose, sf,
		    fr->file || !source->starter);
		t->f->events[o->event].raised = source->told;
		frames_last_add(&o->last, sf->file, sf->function);
	}
	o->code_next = false;
	/* what runs a module is not the first frame of its program */
	if (!fr->file && source->starter)
		return;
	if (!fr->file) {
		bool module = span_is(sf->function, "<module>");

		t->f->events[o->event].uncaught |= module && user;
		t->f->events[o->event].handled = user && sf->function.n &&
		    !module && !span_starts(sf->function, TEST);
		t->f->events[o->event].program =
		    trace_mix(TRACE_MIX, shape_program(sf->file));
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

/* Whether the message so far ends in a colon: "Graph execution error:". What
 * lazy imports raise in each other does so once for each of them. */
static bool awaits_message(const struct open *o)
{
	struct span m = { o->text.p + o->message, o->text.len - o->message };
	size_t n;

	m = span_trim(m);
	if (o->message_lines >= OPEN_LINES || !m.n || m.p[m.n - 1] != ':')
		return false;
	for (n = m.n; n && m.p[n - 1] != '\n'; n--)
		;
	return o->message_lines == 0 || !strchr(" \t", m.p[n]);
}

/* More lines of a message: indented ones, or those after an open one. */
static bool more_message(const struct open *o, struct span s)
{
	if (!s.n ||
	    o->message_lines > (shape_bar(s) ? LAST_BARS : MESSAGE_LINES))
		return false;
	return strchr(" \t", s.p[0]) ? span_trim(s).n > 0 : awaits_message(o);
}

/* What is as wide as its box may be, and goes on below. */
static void keep_width(struct open *o, struct span s)
{
	o->used = o->box ? text_width(s) : 0;
	o->one_word = span_find(s, " ") == SIZE_MAX;
}

/* Whether a line's first word is there since it had no room in the last one. */
static bool goes_on_below(const struct open *o, struct span s)
{
	struct span word = span_sub(s, 0, span_find(s, " "));

	return o->used && word.n && o->used <= o->box &&
	    o->used + 1 + text_width(word) > o->box;
}

/* Such a line, where the last one ends. */
static void keep_more(
    struct trace *t, struct open *o, const struct log_line *l, struct span s)
{
	size_t end = o->text.len;

	trace_keep(t, o, l, s);
	if (o->text.len == end)
		return;
	o->text.p[end] = ' ';
	if (o->one_word || (end && o->text.p[end - 1] == ' '))
		memmove(
		    o->text.p + end, o->text.p + end + 1, --o->text.len - end);
	keep_width(o, s);
}

/* A line after an exception: more of its message, or the block's end. */
static enum trace_part feed_message(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];

	if (s.n == 0 && awaits_message(o) && o->blank++ < 2)
		return TRACE_INSIDE;
	if (goes_on_below(o, s)) {
		keep_more(t, o, l, s);
		t->f->events[o->event].joined = true;
		return TRACE_MESSAGE;
	}
	if (!more_message(o, s)) {
		trace_close(t, at);
		return TRACE_OUTSIDE;
	}
	o->message_lines++;
	trace_keep(t, o, l, s);
	return TRACE_MESSAGE;
}

/* A line without the blanks that a parent put before all of the traceback. What
 * stands before the header of a program's alone is what is left of a progress
 * bar. */
static struct span unindent(struct open *o, struct span s)
{
	struct span inner;
	size_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	if (o->kind == KIND_PYTHON && o->lines == 1 && n != o->indent + 2 &&
	    !shape_rich(span_sub(s, n, s.n), &inner))
		o->indent = 0;
	return span_sub(s, n < o->indent ? n : o->indent, s.n);
}

/* The source line that a box points at: "> 12 |   f(x)", of rich's signs. */
static struct span rich_code(struct span inner)
{
	static const char arrow[] = "\xe2\x9d\xb1", guide[] = "\xe2\x94\x82";

	if (!span_starts(inner, arrow))
		return (struct span){ NULL, 0 };
	inner = span_trim(span_sub(inner, strlen(arrow), inner.n));
	while (inner.n && inner.p[0] >= '0' && inner.p[0] <= '9')
		inner = span_sub(inner, 1, inner.n);
	inner = span_trim(inner);
	while (span_starts(inner, guide))
		inner = span_trim(span_sub(inner, strlen(guide), inner.n));
	return inner;
}

/* The last line of a block's text. */
static struct span last_line(const struct open *o)
{
	size_t i = o->text.len;

	while (i && o->text.p[i - 1] != '\n')
		i--;
	return (struct span){ o->text.p + i, o->text.len - i };
}

/* The line of the box with what stands above it, of a frame that was too wide;
 * borrowed from the block's text. */
static struct span rich_frame_line(struct trace *t, struct open *o,
    const struct log_line *l, struct span inner)
{
	struct shape_frame sf;
	struct span last = last_line(o);

	if (last.n && inner.n && strchr("/~", *last.p) &&
	    !shape_rich_frame(last, &sf)) {
		o->one_word = span_find(last, " ") == SIZE_MAX &&
		    !span_starts(inner, "in ");
		keep_more(t, o, l, inner);
	} else {
		trace_keep(t, o, l, inner);
	}
	return last_line(o);
}

/* A line of the box around an open Python traceback. */
static void feed_rich(struct trace *t, struct open *o, const struct log_line *l,
    struct span inner)
{
	struct shape_frame sf;
	struct span code = rich_code(inner);

	if (!inner.n)
		o->box = text_width(l->env.text);
	arose_code(&t->f->events[o->event].arose, code);
	if (code.n && o->code_next)
		set_code(t, o, code);
	if (inner.n && shape_rich_frame(rich_frame_line(t, o, l, inner), &sf))
		trace_forms_frame(t, o, &sf);
}

/* Whether a line at the margin stands inside all the same: who passes on what a
 * program prints may trim each line, as Airflow does with Spark's. */
static bool flat_line(struct open *o, struct span s) /* not empty */
{
	struct shape_frame sf;
	struct span type;
	bool frame = !strchr(" \t", s.p[0]) && shape_frame(s, &sf);
	bool code = o->flat_frame;
	size_t i = 0;

	while (i < s.n && strchr("^~ ", s.p[i]))
		i++;
	o->flat |= frame && o->lines == 1;
	o->flat_frame = frame;
	return o->flat &&
	    (frame || i == s.n ||
		(code && shape_exception(s, &type) < SHAPE_CLASS));
}

/* A line for an open Python traceback. */
static enum trace_part feed_python(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];
	enum shape_exception shape;
	struct shape_frame sf;
	struct span type, inner;
	char mended[TORN_MAX];
	size_t n;

	s = unindent(o, s);
	if (o->has_message)
		return feed_message(t, at, l, s);
	if (shape_rich(s, &inner)) {
		feed_rich(t, o, l, inner);
		return TRACE_INSIDE;
	}
	if (s.n && (flat_line(o, s) || s.p[0] == ' ' || s.p[0] == '\t')) {
		if (shape_frame(s, &sf)) {
			trace_forms_frame(t, o, &sf);
		} else {
			arose_code(&t->f->events[o->event].arose, s);
			if (o->code_next)
				set_code(t, o, s);
		}
		o->indented = true;
		trace_keep(t, o, l, s);
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
		trace_begin_message(t, o, l, s);
		keep_width(o, s);
		return TRACE_MESSAGE;
	}
	o->indented = false;
	if (s.n && ++o->foreign > FOREIGN_LINES)
		trace_close(t, at);
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

	s = unindent(o, s);
	if (o->has_message)
		return feed_message(t, at, l, s);
	if (shape_exception(s, &type) != SHAPE_NO &&
	    (span_ends(type, o->type) ||
		shape_exception(s, &type) == SHAPE_SURE)) {
		trace_begin_message(t, o, l, s);
		return TRACE_MESSAGE;
	}
	if (!ipython_body(s)) {
		if (++o->foreign > FOREIGN_LINES)
			trace_close(t, at);
		return TRACE_OUTSIDE;
	}
	if (shape_ipython_frame(s, &sf) || shape_frame(s, &sf)) {
		trace_forms_frame(t, o, &sf);
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
	trace_keep(t, o, l, s);
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
		trace_close(t, at);
		return TRACE_OUTSIDE;
	}
	if (o->kind == KIND_FAULT && !o->user_frame && shape_frame(s, &sf))
		trace_forms_frame(t, o, &sf);
	if (o->kind == KIND_JAVA && span_starts(s, "Caused by: "))
		o->message = o->text.len + strlen("\nCaused by: ");
	trace_keep(t, o, l, s);
	return o->kind == KIND_CPP || o->kind == KIND_RUST ||
		span_starts(span_trim(s), "Caused by: ")
	    ? TRACE_MESSAGE
	    : TRACE_INSIDE;
}

/* ---- stacks of threads that nothing ended ---- */

void trace_forms_stack(
    struct trace *t, struct open *o, const struct log_line *l, struct span s)
{
	t->f->events[o->event].ignored = true;
	/* py-spy names the thread */
	o->main = span_find(s, "\"MainThread\"") != SIZE_MAX;
	trace_keep(t, o, l, s);
}

/* A frame, the innermost first. */
static enum trace_part feed_stack(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	struct open *o = &t->open[at];
	struct shape_frame sf;

	if (!shape_frame(s, &sf) &&
	    (!s.n || s.p[0] != ' ' || !shape_spy_frame(s, &sf))) {
		trace_close(t, at);
		return TRACE_OUTSIDE;
	}
	o->main |= span_is(sf.function, "<module>");
	if (!o->last.n)
		frames_last_add(&o->last, sf.file, sf.function);
	t->f->events[o->event].frames |=
	    stage_frame(t->tax, &source_of(t, sf.file)->stage, sf.function);
	if (!o->user_frame && sf.line >= 0)
		trace_forms_frame(t, o, &sf);
	trace_keep(t, o, l, s);
	return TRACE_INSIDE;
}

void trace_forms_stand(struct trace *t, struct open *o)
{
	struct event *e = &t->f->events[o->event];
	struct stand s = {
		.rank = e->rank >= 0 ? e->rank : t->f->rank,
		.main = o->main,
		.frame = e->frame,
		.inner = frames_last_text(&o->last, t->f),
		.stage = stage_of_frames(e->frames),
	};

	e->frame = (struct frame){ .line = -1 };
	calls_stand(t->f, s);
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
		trace_close(t, at);
		return TRACE_OUTSIDE;
	}
	if (!words.n)
		return TRACE_INSIDE;
	if (!o->message_lines)
		e->message_line = l->number;
	trace_keep(t, o, l, words);
	if (!o->message_lines++ && o->text.len > end)
		o->text.p[end] = ' ';
	return TRACE_MESSAGE;
}

/* The last traceback that one record holds, with its ends of lines written as
 * "\\n"; it has been opened. */
void trace_forms_record(
    struct trace *t, const struct log_line *l, struct span s)
{
	static const char header[] = "Traceback (most recent call last)";
	size_t at = t->n_open - 1, n, next;
	char line[TORN_MAX];

	while ((next = span_find(span_sub(s, 1, s.n), header)) != SIZE_MAX)
		s = span_sub(s, next + 1, s.n);
	if (!torn_line(&s, line, &n))
		return;
	t->f->events[t->open[at].event].joined = true;
	trace_keep(t, &t->open[at], l, (struct span){ line, n });
	while (at < t->n_open && torn_line(&s, line, &n)) {
		if (t->open[at].has_message && n == 0)
			break;
		(void)feed_python(t, at, l, (struct span){ line, n });
	}
	if (at < t->n_open)
		trace_close(t, at);
}

enum trace_part trace_forms_feed(
    struct trace *t, size_t at, const struct log_line *l, struct span s)
{
	switch (t->open[at].kind) {
	case KIND_PYTHON:
		return feed_python(t, at, l, s);
	case KIND_IPYTHON:
		return feed_ipython(t, at, l, s);
	case KIND_BOX:
		return feed_box(t, at, l, s);
	case KIND_STACK:
		return feed_stack(t, at, l, s);
	default:
		return feed_block(t, at, l, s);
	}
}
