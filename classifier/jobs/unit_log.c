/*
 * What a log does to its job (time spent, notes, findings) is kept with the log
 * until its turn has come, so it does not matter when, or by which thread, it
 * was scanned.
 */
#include "jobs/unit_log.h"

#include "base/err.h"
#include "base/text.h"
#include "jobs/judge.h"

#include <stdio.h>
#include <stdlib.h>

int unit_notes_add(struct unit_notes *t, const char *path, enum input_note kind,
    const char *text)
{
	struct unit_note *v = realloc(t->v, (t->n + 1) * sizeof *v);

	if (!v)
		return -1;
	t->v = v;
	v += t->n++;
	*v = (struct unit_note){ span_dup(span_of(path)),
		span_dup(span_of(text)), kind };
	return v->path && v->text ? 0 : -1;
}

void unit_notes_release(struct unit_notes *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].path);
		free(t->v[i].text);
	}
	free(t->v);
	*t = (struct unit_notes){ NULL, 0 };
}

int unit_readers_init(struct unit_readers *r, unsigned n, struct err *e)
{
	r->v = calloc(n, sizeof *r->v);
	r->n = r->v ? n : 0;
	return r->v ? 0 : err_nomem(e);
}

void unit_readers_release(struct unit_readers *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		below_folder_release(&r->v[i].folder);
		scan_free(r->v[i].scan);
		judge_memory_free(r->v[i].memory);
		hash_free(r->v[i].content);
	}
	free(r->v);
	r->v = NULL;
	r->n = 0;
}

struct unit_reader *unit_readers_get(
    struct unit_readers *r, unsigned thread, struct err *e)
{
	struct unit_reader *v = &r->v[thread];

	v->limits = r->limits;
	if ((r->hash_content && !v->content && !(v->content = hash_new())) ||
	    (!v->memory && !(v->memory = judge_memory_new()))) {
		err_nomem(e);
		return NULL;
	}
	if (!v->scan && !(v->scan = scan_new(r->engine, e)))
		return NULL;
	return v;
}

void unit_log_release(struct unit_log *l)
{
	unit_notes_release(&l->notes);
	findings_free(l->f);
	free(l->path);
	free(l->node);
	*l = (struct unit_log){ .rank = -1 };
}

void unit_log_begin(struct unit_log *l, const struct unit_reader *r)
{
	l->began = scan_clock() - l->took;
	l->left.matching = l->had = l->time->matching;
	l->left.until = l->began + l->time->reading;
	if (scan_begin(r->scan, l->path, l->rank, l->node, NULL))
		l->failed = true;
	scan_within(r->scan, &l->left);
	if (r->content)
		hash_reset(r->content);
}

/* The job's time is over, which ends this log. */
static void too_late(struct unit_log *l, const struct unit_reader *r)
{
	char text[120];

	snprintf(text, sizeof text,
	    "the rest is not read: %g seconds are over (limit job-time)",
	    (double)r->limits->v[LIMIT_JOB_TIME] / 1e3);
	l->whole = false;
	if (unit_notes_add(&l->notes, l->path, NOTE_LIMIT, text))
		l->failed = true;
}

int unit_log_data(
    struct unit_log *l, const struct unit_reader *r, const char *p, size_t n)
{
	if (l->failed)
		return -1;
	if (r->content)
		hash_add(r->content, p, n);
	if (scan_feed(r->scan, p, n, NULL)) {
		l->failed = true;
		return -1;
	}
	if (scan_clock() < l->left.until)
		return 0;
	too_late(l, r);
	return -1;
}

void unit_log_end(struct unit_log *l, const struct unit_reader *r)
{
	struct findings *f = scan_findings(r->scan);
	char line[512];

	if (f && l->unread) {
		snprintf(line, sizeof line, "%s: not read: %s",
		    input_note_name(NOTE_LIMIT), l->unread);
		findings_note(f, line);
	}
	for (size_t i = 0; f && i < l->notes.n; i++) {
		snprintf(line, sizeof line, "%s: %s",
		    input_note_name(l->notes.v[i].kind), l->notes.v[i].text);
		findings_note(f, line);
		f->growing |= l->notes.v[i].kind == NOTE_CHANGED;
	}
	if (l->failed) {
		scan_leave(r->scan);
	} else {
		l->f = scan_end(r->scan, l->whole, NULL);
		l->failed = !l->f;
	}
	scan_within(r->scan, NULL);
	if (l->f && l->f->no_text &&
	    unit_notes_add(
		&l->notes, l->path, NOTE_UNREADABLE, "it is no text"))
		l->failed = true;
	if (l->f && l->f->torn_file &&
	    unit_notes_add(&l->notes, l->path, NOTE_DAMAGED,
		"it begins as an error file, an export or a dump, and is none "
		"that can be read, or too long"))
		l->failed = true;
	l->time->matching -= l->had - l->left.matching;
	l->time->reading -= scan_clock() - l->began;
	if (l->f && r->content)
		l->f->content = hash_end(r->content);
}
