/* Storage for what a scan of one log keeps. */
#include "diagnose/evidence/excerpt.h"

#include "base/array.h"
#include "diagnose/findings.h"
#include "diagnose/signals/calls.h"
#include "diagnose/signals/metrics.h"
#include "diagnose/signals/phases.h"

#include <stdlib.h>
#include <string.h>

struct findings *findings_new(const char *path, int rank, const char *node)
{
	struct findings *f = calloc(1, sizeof *f);

	if (!f)
		return NULL;
	f->path = span_dup(span_of(path));
	f->node = node ? span_dup(span_of(node)) : NULL;
	f->rank = rank;
	f->last = (struct progress){ -1, -1 };
	f->first_time = f->last_time = f->done_time = ENVELOPE_NO_TIME;
	f->checkpoint_time = f->progress_time = ENVELOPE_NO_TIME;
	f->checkpoint_step = -1;
	f->exit_code = f->signal = -1;
	if (!f->path || (node && !f->node)) {
		findings_free(f);
		return NULL;
	}
	return f;
}

void findings_frame_release(struct frame *frame)
{
	free(frame->file);
	free(frame->function);
	free(frame->code);
	*frame = (struct frame){ .line = -1 };
}

void findings_event_release(struct event *e)
{
	free(e->node);
	free(e->exception);
	findings_frame_release(&e->frame);
	free(e->raisers);
	excerpt_free(e->around);
	*e = (struct event){
		.prior = EVENT_NONE,
		.time = ENVELOPE_NO_TIME,
		.rank = -1,
		.before = { -1, -1 },
	};
}

void findings_evidence_release(struct evidence *e)
{
	for (size_t i = 0; i < e->n_captures; i++)
		free(e->captures[i].value);
	free(e->captures);
	free(e->text);
	free(e->node);
	excerpt_free(e->around);
	*e = (struct evidence){ 0 };
}

int findings_evidence_copy(struct evidence *to, const struct evidence *of)
{
	*to = *of;
	to->n_captures = 0;
	to->around = NULL;
	to->node = NULL;
	to->event = EVENT_NONE;
	to->text = span_dup((struct span){ of->text, of->text_len });
	to->captures = calloc(of->n_captures + 1, sizeof *to->captures);
	if (!to->text || !to->captures)
		return -1;
	for (size_t i = 0; i < of->n_captures; i++) {
		to->captures[i].name = of->captures[i].name;
		to->captures[i].value =
		    span_dup(span_of(of->captures[i].value));
		to->n_captures++;
		if (!to->captures[i].value)
			return -1;
	}
	return 0;
}

void findings_free(struct findings *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n_events; i++)
		findings_event_release(&f->events[i]);
	for (size_t i = 0; i < f->n_evidence; i++)
		findings_evidence_release(&f->evidence[i]);
	for (size_t i = 0; i < f->n_notes; i++)
		free(f->notes[i]);
	free(f->events);
	free(f->evidence);
	free(f->notes);
	free(f->checkpoint);
	free(f->last_words);
	free(f->declared.reason);
	free(f->declared.category);
	if (f->pending)
		free(f->pending->what);
	free(f->pending);
	free(f->waits);
	calls_free(f->calls);
	free(f->launches);
	free(f->recurring);
	excerpt_free(f->tail);
	metrics_free(f->metrics);
	phases_free(f->phases);
	free(f->node);
	free(f->path);
	free(f);
}

char *findings_dup(struct findings *f, struct span text)
{
	char *p = span_dup(text);

	f->failed |= !p;
	return p;
}

/* Room for one more element. */
static int grow(
    struct findings *f, void *array, size_t n, size_t *cap, size_t size)
{
	int rc = array_grow(array, n, cap, size);

	f->failed |= rc != 0;
	return rc;
}

uint32_t findings_event(struct findings *f)
{
	if (grow(f, &f->events, f->n_events, &f->cap_events, sizeof *f->events))
		return EVENT_NONE;
	f->events[f->n_events] = (struct event){ 0 };
	findings_event_release(&f->events[f->n_events]);
	return (uint32_t)f->n_events++;
}

struct evidence *findings_evidence(struct findings *f)
{
	if (grow(f, &f->evidence, f->n_evidence, &f->cap_evidence,
		sizeof *f->evidence))
		return NULL;
	f->evidence[f->n_evidence] = (struct evidence){ .event = EVENT_NONE,
		.time = ENVELOPE_NO_TIME,
		.rank = -1,
		.before = { -1, -1 },
		.here = { -1, -1 },
		.count = 1 };
	return &f->evidence[f->n_evidence++];
}

/* The array of n elements of v, in no more memory than that. */
static void *fit(void *v, size_t n, size_t size)
{
	void *less = n ? realloc(v, n * size) : NULL;

	if (n == 0)
		free(v);
	return n && !less ? v : less;
}

void findings_fit(struct findings *f)
{
	f->events = fit(f->events, f->n_events, sizeof *f->events);
	f->cap_events = f->n_events;
	f->evidence = fit(f->evidence, f->n_evidence, sizeof *f->evidence);
	f->cap_evidence = f->n_evidence;
	for (size_t i = 0; i < f->n_evidence; i++) {
		struct evidence *ev = &f->evidence[i];

		ev->captures =
		    fit(ev->captures, ev->n_captures, sizeof *ev->captures);
	}
}

void findings_note(struct findings *f, const char *text)
{
	char **v;

	for (size_t i = 0; i < f->n_notes; i++)
		if (strcmp(f->notes[i], text) == 0)
			return;
	v = realloc(f->notes, (f->n_notes + 1) * sizeof *v);
	if (v) {
		f->notes = v;
		v[f->n_notes] = findings_dup(f, span_of(text));
	}
	if (!v || !v[f->n_notes]) {
		f->failed = true;
		return;
	}
	f->n_notes++;
}

#define WAITS_MAX 4096

void findings_wait(struct findings *f, int rank, int64_t seq, const char *op)
{
	struct wait *v;

	for (size_t i = 0; i < f->n_waits; i++) {
		v = &f->waits[i];
		if (v->rank != rank)
			continue;
		if (seq < v->seq)
			v->seq = seq;
		return;
	}
	if (f->n_waits == WAITS_MAX)
		return;
	v = realloc(f->waits, (f->n_waits + 1) * sizeof *v);
	if (!v) {
		f->failed = true;
		return;
	}
	f->waits = v;
	v += f->n_waits++;
	*v = (struct wait){ .rank = rank, .seq = seq };
	for (size_t i = 0; op && op[i] && i < WAIT_OP - 1; i++)
		v->op[i] = op[i];
}

size_t findings_size(const struct findings *f)
{
	size_t n = sizeof *f + f->cap_events * sizeof *f->events +
	    f->cap_evidence * sizeof *f->evidence +
	    f->n_waits * sizeof *f->waits +
	    2 * f->n_launches * sizeof *f->launches +
	    f->n_recurring * sizeof *f->recurring + 128;

	if (f->calls)
		n += f->calls->cap_callers * sizeof *f->calls->callers + 512;
	if (f->last_words)
		n += strlen(f->last_words);
	for (size_t i = 0; i < f->n_evidence; i++)
		n += f->evidence[i].text_len + 96;
	for (size_t i = 0; i < f->n_events; i++)
		n += f->events[i].exception ? 512 : 32;
	if (f->metrics)
		n += metrics_size(f->metrics);
	if (f->phases)
		n += sizeof *f->phases;
	return n;
}

bool findings_importing(const struct event *e)
{
	const struct frame *fr = &e->frame;

	return fr->function && fr->code && !strcmp(fr->function, "<module>") &&
	    (!strncmp(fr->code, "import ", 7) ||
		!strncmp(fr->code, "from ", 5));
}

bool findings_in_frames(const struct findings *f, uint64_t line)
{
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if (e->kind == EVENT_TRACE && e->first_line <= line &&
		    line <
			(e->message_line ? e->message_line : e->last_line + 1))
			return true;
	}
	return false;
}

const char *findings_capture(const struct evidence *e, const char *name)
{
	for (size_t i = 0; i < e->n_captures; i++)
		if (strcmp(e->captures[i].name, name) == 0)
			return e->captures[i].value;
	return NULL;
}

bool findings_progress_after(struct progress a, struct progress b)
{
	if (a.epoch >= 0 && b.epoch >= 0 && a.epoch != b.epoch)
		return a.epoch > b.epoch;
	return a.step >= 0 && b.step >= 0 && a.step > b.step;
}

size_t findings_launch_of(const struct findings *f, uint64_t line)
{
	size_t i = f->n_launches;

	while (i > 1 && line < f->launches[i - 1].first_line)
		i--;
	return i ? i - 1 : 0;
}

bool findings_of_sweep(const struct findings *f, uint64_t line)
{
	size_t i = findings_launch_of(f, line) + 1;

	return i < f->n_launches && f->launches[i].trial;
}

struct launch *findings_launch(struct findings *f)
{
	struct launch *v = f->launches;

	if ((f->n_launches & (f->n_launches + 1)) == 0) {
		v = realloc(v, (f->n_launches + 1) * 2 * sizeof *v);
		if (!v)
			return NULL;
		f->launches = v;
	}
	v += f->n_launches;
	*v = (struct launch){ .first_time = ENVELOPE_NO_TIME,
		.last_time = ENVELOPE_NO_TIME };
	if (f->n_launches++ == 0) {
		v->first_line = 1;
		v->first_time = f->first_time;
	}
	return v;
}

size_t findings_last_launch(const struct findings *f)
{
	size_t i = f->n_launches;

	while (i > 1 && f->launches[i - 1].stub)
		i--;
	return i ? i - 1 : 0;
}

bool findings_superseded(const struct findings *f, uint64_t line)
{
	size_t i = findings_last_launch(f);

	return i > 0 && line < f->launches[i].first_line;
}
