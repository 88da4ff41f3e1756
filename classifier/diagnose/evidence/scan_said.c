/*
 * Programs that raise no exception have forms of their own to say why they end
 * ("fatal: ", "Error in f(x) : "); signals know them. What such a line says is
 * shown to the rules for exceptions, most of which go by the words.
 */
#include "diagnose/evidence/scan_private.h"

#include "diagnose/evidence/around.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/signals.h"
#include "input/decode.h"

#include <string.h>

#define CLASS "ProgramError: " /* what rules take for the class */
#define NEXT_LINES 4           /* after which a message is no longer expected */
#define SAID_LEAST 5           /* bytes */
#define JOINED 8               /* lines of an exception */
/* After so many messages only those in the last bytes of a block are looked at:
 * as with rules, what is found of a flood before would not be kept. */
#define FLOOD 4096
#define LATE 8192

/* Run the rules for exceptions on a message that stands in text, which is of
 * the event. How many matched. */
static int run(
    struct scan *s, struct span text, struct span message, uint32_t event)
{
	const size_t class = strlen(CLASS);
	char raised[SCAN_TEXT_MAX];
	struct span type, subject = { raised, 0 };
	int found;

	if (shape_exception(message, &type) == SHAPE_SURE) {
		subject = message;
	} else {
		message = span_sub(message, 0, sizeof raised - class);
		memcpy(raised, CLASS, sizeof CLASS);
		memcpy(raised + class, message.p, message.n);
		subject.n = class + message.n;
	}
	s->inner.n = 0;
	if (s->en->prefilter &&
	    prefilter_find(s->en->prefilter, subject, &s->inner))
		return 0;
	scan_nominate(s, s->inner.v, s->inner.n);
	s->said.line = text;
	s->said.at = (size_t)(message.p - text.p);
	s->said.class = subject.n - message.n;
	found = scan_rules(s, WHERE_EXCEPTION, subject, event);
	s->said.line = (struct span){ NULL, 0 };
	return found;
}

static bool say(struct scan *s, const struct log_line *l, struct span message)
{
	uint32_t event = scan_bare_event(s, l);

	if (event == EVENT_NONE)
		return false;
	if (run(s, l->env.text, message, event) > 0) {
		s->f->events[event].exception =
		    findings_dup(s->f, span_sub(message, 0, SCAN_TEXT_MAX));
		return true;
	}
	scan_no_event(s, event);
	return false;
}

/* A line that is drawn ("-----", "* ====") has no words. */
static bool has_words(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!strchr("-=*+#_~| ", text.p[i]))
			return true;
	return false;
}

/* A line that a signal was about. Whether it has words. */
static bool say_line(struct scan *s, size_t from, size_t to)
{
	const struct log_line *at = s->line;
	size_t pos = s->pos;
	struct log_line l = { .raw = span_sub(s->block->text, from, to),
		.number = s->said.number };
	struct span message;

	envelope_peel(s->en->tax->prefixes, l.raw, &l.env);
	message = span_trim(l.env.text);
	if (!has_words(message))
		return false;
	if (message.n >= SAID_LEAST) {
		l.offset = decode_offset(s->block, from);
		s->line = &l;
		s->pos = from;
		(void)say(s, &l, message);
		s->line = at;
		s->pos = pos;
	}
	return true;
}

/* Go on where a message is expected, from a position in the block. */
static void look_on(struct scan *s, size_t at)
{
	struct span text = s->block->text;

	while (s->said.lines && at < text.n) {
		size_t to = around_newline(text, at);

		s->said.number++;
		s->said.lines--;
		if (say_line(s, at, to))
			s->said.lines = 0;
		at = to + 1;
	}
}

/* The first signal that finds a message in a text, which goes to *message; or
 * NULL. last: of those for what is said last. */
static const struct signal *find(
    struct scan *s, struct span text, bool last, struct span *message)
{
	const struct taxonomy *tax = s->en->tax;
	struct pattern_match m;

	for (size_t i = tax->signal_from[SIGNAL_MESSAGE];
	     i < tax->signal_from[SIGNAL_MESSAGE + 1]; i++)
		if ((taxonomy_signal_at(tax, i)->tells[0] == MESSAGE_LAST) ==
			last &&
		    signals_may(tax, i, last ? NULL : &s->signals) &&
		    signals_tell(tax, i, s->matcher, text, &m)) {
			*message = span_trim(m.group[pattern_group(
			    taxonomy_signal_pattern(tax, i), "message")]);
			return taxonomy_signal_at(tax, i);
		}
	return NULL;
}

void scan_said(struct scan *s, const struct log_line *l)
{
	const struct signal *by;
	struct span message;

	if (s->said.count++ >= FLOOD && s->block->text.n - s->pos > LATE)
		return;
	by = find(s, l->env.text, false, &message);
	if (by && message.n >= SAID_LEAST) {
		(void)say(s, l, message);
	} else if (by && by->tells[0] == MESSAGE_NEXT) {
		s->said.lines = NEXT_LINES;
		s->said.number = l->number;
		look_on(s, s->pos + l->raw.n + 1);
	}
}

void scan_said_block(struct scan *s, struct span text, uint32_t event)
{
	struct span type, message;

	text = span_sub(text, 0, SCAN_TEXT_MAX);
	if (shape_exception(text, &type) != SHAPE_SURE &&
	    find(s, text, false, &message) && message.n >= SAID_LEAST)
		(void)run(s, text, message, event);
}

void scan_said_class(struct scan *s, struct span text, uint32_t event)
{
	enum shape_exception shape;
	struct span type;
	size_t at;

	text = span_sub(text, 0, SCAN_TEXT_MAX);
	shape = shape_exception(text, &type);
	at = span_find(text, ": ");
	if (shape == SHAPE_NO || shape == SHAPE_SURE || at == SIZE_MAX ||
	    at + 2 + SAID_LEAST > text.n)
		return;
	(void)run(s, text, span_sub(text, at + 2, text.n), event);
}

void scan_said_joined(struct scan *s, struct span exception, uint32_t event)
{
	struct span line;

	for (unsigned i = 0; i < JOINED && span_line(&exception, &line); i++)
		(void)scan_rules(s, WHERE_LINE, line, event);
}

void scan_said_on(struct scan *s)
{
	size_t n = s->block->text.n;

	s->said.from = s->said.count >= FLOOD && n > LATE ? n - LATE : 0;
	look_on(s, 0);
}

/* Whether a logger tells of an error: "error: ..." is a compiler's word, and
 * Git's; "[ERROR] ..." is not. */
static bool is_error_record(struct scan *s, const struct log_line *l)
{
	return l->env.level >= LEVEL_ERROR &&
	    (l->env.time != ENVELOPE_NO_TIME || l->env.program.n ||
		*l->raw.p == '[') &&
	    !signals_find(
		s->en->tax, SIGNAL_ASIDE, s->matcher, l->env.text, NULL);
}

bool scan_said_last(struct scan *s, const struct log_line *l, bool end)
{
	struct span message;

	if (!find(s, shape_boxed(l->env.text), true, &message))
		message = end && is_error_record(s, l) ? span_trim(l->env.text)
						       : (struct span){ 0 };
	if (message.n < SAID_LEAST || !say(s, l, message))
		return false;
	s->f->events[s->f->n_events - 1].last = true;
	return true;
}
