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
/* After so many only those at the end of a block are looked at: as with rules,
 * what is found of a flood before would not be kept. */
#define FLOOD 4096
#define END_OF_BLOCK 8192

/* Run the rules for exceptions on a message in a line, which is the line at
 * hand, or becomes it for that. */
static void say(struct scan *s, const struct log_line *l, struct span message)
{
	const size_t class = strlen(CLASS);
	char text[SCAN_TEXT_MAX];
	struct span type, subject = { text, 0 };
	uint32_t event;

	if (shape_exception(message, &type) == SHAPE_SURE) {
		subject = message;
	} else {
		message = span_sub(message, 0, sizeof text - class);
		memcpy(text, CLASS, class);
		memcpy(text + class, message.p, message.n);
		subject.n = class + message.n;
	}
	s->inner.n = 0;
	if (s->en->prefilter &&
	    prefilter_find(s->en->prefilter, subject, &s->inner))
		return;
	event = scan_bare_event(s, l);
	if (event == EVENT_NONE)
		return;
	scan_nominate(s, s->inner.v, s->inner.n);
	s->said.line = l->env.text;
	s->said.at = (size_t)(message.p - l->env.text.p);
	s->said.class = subject.n - message.n;
	if (scan_rules(s, WHERE_EXCEPTION, subject, event) > 0)
		s->f->events[event].exception = findings_dup(s->f, message);
	else
		scan_no_event(s, event);
	s->said.line = (struct span){ NULL, 0 };
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
	if (message.n >= SAID_LEAST) {
		l.offset = decode_offset(s->block, from);
		s->line = &l;
		s->pos = from;
		say(s, &l, message);
		s->line = at;
		s->pos = pos;
	}
	return message.n > 0;
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

void scan_said(struct scan *s, const struct log_line *l)
{
	const struct taxonomy *tax = s->en->tax;
	struct pattern_match m;
	size_t i = tax->signal_from[SIGNAL_MESSAGE];
	struct span message;
	int group;

	if (s->said.count++ >= FLOOD &&
	    s->block->text.n - s->pos > END_OF_BLOCK)
		return;
	while (i < tax->signal_from[SIGNAL_MESSAGE + 1] &&
	    !signals_tell(tax, i, s->matcher, l->env.text, &m))
		i++;
	if (i == tax->signal_from[SIGNAL_MESSAGE + 1])
		return;
	group = pattern_group(taxonomy_signal_pattern(tax, i), "message");
	message = span_trim(m.group[group]);
	if (message.n >= SAID_LEAST) {
		say(s, l, message);
	} else if (tax->signals[i].tells[0] == MESSAGE_NEXT) {
		s->said.lines = NEXT_LINES;
		s->said.number = l->number;
		look_on(s, s->pos + l->raw.n + 1);
	}
}

void scan_said_on(struct scan *s)
{
	look_on(s, 0);
}
