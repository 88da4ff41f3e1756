/*
 * The words of a line, outside paths, say what it is about: a thing (a
 * checkpoint, a model, weights), an act (saving, saved), and what takes it
 * back (failed, loaded, every 500 steps). The signals hold the words of the
 * frameworks; each adds a bit, and the bits decide.
 */
#include "diagnose/signals/checkpoint.h"

#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/signals.h"
#include "diagnose/evidence/trace.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX 1000 /* longer ones are dumps of a configuration */
#define WHAT_MAX 300

/* What a line tells, by the signals that do. */
enum {
	A_CHECKPOINT = 1 << CHECKPOINT_IS,
	A_MODEL = 1 << CHECKPOINT_MODEL, /* only with a path or a step */
	SAVED = 1 << CHECKPOINT_SAVED,
	SAVING = 1 << CHECKPOINT_SAVING,
	ANNOUNCED = 1 << CHECKPOINT_ANNOUNCED,
	FINISHED = 1 << CHECKPOINT_FINISHED,     /* after "saving" */
	BACKGROUND = 1 << CHECKPOINT_BACKGROUND, /* the run goes on meanwhile */
	STAGED = 1 << CHECKPOINT_STAGED,         /* perhaps only a copy of it */
	PART = 1 << CHECKPOINT_PART,             /* one file of it */
	FAILED = 1 << CHECKPOINT_FAILED,
	TROUBLE = 1 << CHECKPOINT_TROUBLE, /* unless it was saved after all */
	NOT = 1 << CHECKPOINT_OTHER
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What the signals that are words, or those that are phrases, tell of s. */
static unsigned told(const struct taxonomy *tax, struct span s, bool words)
{
	unsigned bits = 0;

	for (size_t i = tax->signal_from[SIGNAL_CHECKPOINT];
	     i < tax->signal_from[SIGNAL_CHECKPOINT + 1]; i++)
		if (words == (taxonomy_signal_at(tax, i)->is.n > 0) &&
		    taxonomy_signal_at(tax, i)->tells[0] < CHECKPOINT_WEIGHTS &&
		    signals_tell(tax, i, NULL, s, NULL))
			bits |= 1u << taxonomy_signal_at(tax, i)->tells[0];
	return bits;
}

bool checkpoint_about(const struct taxonomy *tax, struct span line)
{
	return told(tax, line, false) & 1u << CHECKPOINT_ABOUT;
}

/* ---- paths ---- */

/* Whether a path is of a file of this kind, which its end tells. */
static bool is_file(
    const struct taxonomy *tax, struct span s, enum signal_checkpoint act)
{
	if (!s.n || !memchr(s.p, '.', s.n))
		return false;
	for (size_t i = tax->signal_from[SIGNAL_CHECKPOINT];
	     i < tax->signal_from[SIGNAL_CHECKPOINT + 1]; i++)
		if (taxonomy_signal_at(tax, i)->tells[0] == (int)act &&
		    signals_tell(tax, i, NULL, s, NULL))
			return true;
	return false;
}

/* What stands around words and paths; besides, a NUL. */
static bool separates(char c)
{
	static const char others[] = "\t'\"`,()[]{}<>";

	/* most bytes are letters or digits */
	return c == ' ' ||
	    (!is_word(c) && memchr(others, c, sizeof others) != NULL);
}

/* The next run of characters that may be a path; "key=" before it goes. */
static struct span next_chunk(struct span s, size_t *i)
{
	size_t from, equals = SIZE_MAX, slash = SIZE_MAX;
	struct span w;

	while (*i < s.n && separates(s.p[*i]))
		(*i)++;
	from = *i;
	for (; *i < s.n && !separates(s.p[*i]); (*i)++) {
		if (s.p[*i] == '=' && equals == SIZE_MAX)
			equals = *i;
		if (s.p[*i] == '/' && slash == SIZE_MAX)
			slash = *i;
	}
	if (equals < slash && slash != SIZE_MAX)
		from = equals + 1;
	w = span_sub(s, from, *i);
	while (w.n && strchr(".:;!", w.p[w.n - 1]))
		w.n--;
	return w;
}

static bool is_path(const struct taxonomy *tax, struct span w)
{
	size_t slash = span_find(w, "/");
	bool letter = false;

	for (size_t i = 0; i < w.n; i++)
		letter |= is_word(w.p[i]) && !is_digit(w.p[i]);
	if (!letter || w.n < 3)
		return false;
	/* "2.1it/s", "samples/s" */
	return slash == SIZE_MAX ? is_file(tax, w, CHECKPOINT_WEIGHTS)
				 : !span_ends(w, "/s");
}

/* "Saving model checkpoint to output" */
static struct span last_word_after_to(struct span s)
{
	struct span t = span_trim(s);
	size_t at = t.n;

	while (at > 0 && t.p[at - 1] != ' ')
		at--;
	if (at == 0 || !span_ends(span_sub(t, 0, at), " to "))
		return (struct span){ NULL, 0 };
	for (t = span_sub(t, at, t.n); t.n && strchr(".:;!'\"", t.p[t.n - 1]);)
		t.n--;
	return t;
}

/* The bits of a line, and the path after the act, or else before it. */
static void read_line(
    const struct taxonomy *tax, struct span s, struct checkpoint_reading *r)
{
	bool settled = false;
	size_t i = 0;

	while (i < s.n) {
		struct span w = next_chunk(s, &i);

		if (is_path(tax, w)) {
			if (!settled)
				r->path = w;
			settled |= (r->bits & (SAVED | SAVING)) != 0;
			continue;
		}
		for (size_t k = 0; k < w.n; k++) {
			size_t from = k;
			unsigned bits;

			while (k < w.n && is_word(w.p[k]))
				k++;
			if (k - from < 2 || is_digit(w.p[from]))
				continue;
			bits = told(tax, span_sub(w, from, k), true);
			if (!(r->bits & SAVING))
				bits &= ~(unsigned)FINISHED;
			r->bits |= bits;
		}
	}
	r->bits |= told(tax, s, false);
	if (r->bits & ANNOUNCED)
		r->bits = (r->bits & ~(unsigned)SAVED) | SAVING;
	if (is_file(tax, r->path, CHECKPOINT_WEIGHTS))
		r->bits |= A_MODEL;
	if (!r->path.n)
		r->path = last_word_after_to(s);
	/* files of the ranks: their folder is the checkpoint */
	if (span_find(r->path, "mp_rank_") != SIZE_MAX)
		while (r->path.n > 1 && r->path.p[--r->path.n] != '/') {
		}
}

/* ---- which step ---- */

static int64_t digits_at(struct span s, size_t i)
{
	size_t from = i;

	while (i < s.n && is_digit(s.p[i]))
		i++;
	return span_number(span_sub(s, from, i));
}

/* "checkpoint-500", "global_step500", "iter_0000500", "step=500". */
static int64_t step_of_path(struct span s)
{
	static const char *const keys[] = { "step", "checkpoint", "iter",
		"ckpt", NULL };

	for (size_t k = 0; keys[k]; k++) {
		size_t n = strlen(keys[k]);

		for (size_t i = 0; i + n < s.n; i++) {
			size_t to = i + n;
			int64_t v;

			if (s.p[i] != *keys[k] ||
			    memcmp(s.p + i, keys[k], n) != 0)
				continue;
			to += strchr("-_=", s.p[to]) != NULL;
			v = digits_at(s, to);
			if (v >= 0)
				return v;
		}
	}
	return -1;
}

/* "at 1000 iterations", "at 3 epochs" (mmengine), "checkpoints for 1000". */
static void count_before(struct span s, struct progress *p)
{
	static const struct {
		const char *unit;
		bool epoch;
	} rows[] = { { " iterations", false }, { " iters", false },
		{ " steps", false }, { " updates", false },
		{ " epochs", true } };
	size_t at;

	if (p->step < 0 && (at = span_find(s, "heckpoints for ")) != SIZE_MAX)
		p->step = digits_at(s, at + strlen("heckpoints for "));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t *to = rows[i].epoch ? &p->epoch : &p->step;
		size_t from;

		if (*to >= 0 || (at = span_find(s, rows[i].unit)) == SIZE_MAX)
			continue;
		for (from = at; from > 0 && is_digit(s.p[from - 1]);)
			from--;
		*to = span_number(span_sub(s, from, at));
	}
}

static struct progress position(
    const struct taxonomy *tax, struct span s, struct span path)
{
	struct progress p;

	(void)facts_progress(tax, s, &p);
	count_before(s, &p);
	if (p.step < 0)
		p.step = step_of_path(path.n ? path : s);
	return p;
}

struct progress checkpoint_position(
    const struct taxonomy *tax, const char *what)
{
	return position(tax, span_of(what), (struct span){ 0 });
}

/* ---- what is pending, what is proved ---- */

static void forget(struct findings *f)
{
	if (f->pending)
		free(f->pending->what);
	free(f->pending);
	f->pending = NULL;
}

static void prove(struct findings *f)
{
	struct pending *p = f->pending;

	if (!p)
		return;
	free(f->checkpoint);
	f->checkpoint = p->what;
	f->checkpoint_line = p->line;
	f->checkpoint_time = p->time;
	f->checkpoint_step = p->at.step;
	p->what = NULL;
	forget(f);
}

/* Whether the line speaks of what is pending already. */
static bool of_pending(
    const struct pending *p, struct progress at, struct span path)
{
	if (p->at.step >= 0 && at.step >= 0)
		return p->at.step == at.step;
	if (p->at.epoch >= 0 && at.epoch >= 0 && p->at.epoch != at.epoch)
		return false;
	return !path.n || !p->path || span_is(path, p->what);
}

/* The line is the last word about what is pending from now on. */
static bool announce(struct findings *f, const struct log_line *l,
    const struct checkpoint_reading *r, struct span path)
{
	const struct progress at = r->at;
	struct pending *p = f->pending;
	struct span what = path.n ? path : span_trim(l->env.text);

	if (p && !of_pending(p, at, path)) {
		/* one process writes them one after the other; of others, a
		 * step counts more than none */
		if (l->env.rank == p->rank || (p->at.step >= 0 && at.step >= 0))
			prove(f);
		else if (at.step >= 0)
			forget(f);
		else
			return false;
		p = NULL;
	}
	if (!p) {
		p = f->pending = calloc(1, sizeof *p);
		if (!p) {
			f->failed = true;
			return false;
		}
		p->at.step = -1;
	}
	if (p->at.step < 0 || at.step >= 0)
		p->at = at;
	if (!p->what || (path.n && !p->path)) {
		free(p->what);
		p->path = path.n > 0;
		p->what = findings_dup(f, span_sub(what, 0, WHAT_MAX));
	}
	if (!p->what) {
		forget(f);
		return false;
	}
	p->line = l->number;
	p->time = l->env.time;
	p->rank = l->env.rank;
	p->later |= checkpoint_meanwhile(r);
	return true;
}

static int tells(
    const struct taxonomy *tax, struct span s, struct checkpoint_reading *r)
{
	if (!(r->bits & (A_CHECKPOINT | A_MODEL)) ||
	    !(r->bits & (SAVED | SAVING)))
		return 0;
	if (r->bits & FAILED || (r->bits & TROUBLE && !(r->bits & SAVED)))
		return -1;
	if (r->bits & NOT || is_file(tax, r->path, CHECKPOINT_NO_WEIGHTS))
		return 0;
	r->at = position(tax, s, r->path);
	return r->bits & A_CHECKPOINT || r->path.n || r->at.step >= 0 ||
	    r->at.epoch >= 0;
}

void checkpoint_read(const struct taxonomy *tax, struct span line,
    struct checkpoint_reading *out)
{
	*out = (struct checkpoint_reading){ .at = { -1, -1 } };
	if (line.n > LINE_MAX)
		return;
	read_line(tax, line, out);
	out->told = tells(tax, line, out);
}

bool checkpoint_proves(const struct checkpoint_reading *r)
{
	return !(r->bits & (PART | STAGED)) && r->bits & (SAVED | FINISHED);
}

bool checkpoint_meanwhile(const struct checkpoint_reading *r)
{
	return r->bits & (BACKGROUND | STAGED);
}

bool checkpoint_settled(const struct checkpoint_reading *r)
{
	return r->told == 1 && checkpoint_proves(r) && r->at.step >= 0;
}

bool checkpoint_line(struct findings *f, const struct log_line *l,
    const struct checkpoint_reading *r)
{
	struct span what = r->path;

	if (r->told < 0)
		forget(f);
	if (r->told <= 0)
		return false;
	/* a part of what was announced tells nothing of the other parts */
	if (r->bits & PART && f->pending)
		what.n = 0;
	if (!announce(f, l, r, what))
		return false;
	if (checkpoint_proves(r))
		prove(f);
	return l->env.time == ENVELOPE_NO_TIME;
}

bool checkpoint_undated(const struct findings *f, uint64_t line)
{
	return (f->pending && f->pending->line == line &&
		   f->pending->time == ENVELOPE_NO_TIME) ||
	    (f->checkpoint && f->checkpoint_line == line &&
		f->checkpoint_time == ENVELOPE_NO_TIME);
}

void checkpoint_date(struct findings *f, uint64_t line, int64_t time)
{
	if (f->pending && f->pending->line == line &&
	    f->pending->time == ENVELOPE_NO_TIME)
		f->pending->time = time;
	if (f->checkpoint && f->checkpoint_line == line &&
	    f->checkpoint_time == ENVELOPE_NO_TIME)
		f->checkpoint_time = time;
}

/* Whether p was printed after the run went on from where it saved. A bar that
 * is drawn again at the same step is no progress. */
static bool went_on(const struct pending *p, struct progress now)
{
	return !(p->at.step >= 0 && now.step == p->at.step &&
	    (p->at.epoch < 0 || now.epoch < 0 || p->at.epoch == now.epoch));
}

void checkpoint_end(struct findings *f)
{
	const struct pending *p = f->pending;
	bool proved;

	if (!p)
		return;
	proved = f->ended_well && f->ended_line > p->line;
	if (!p->later && f->last_line_of_progress > p->line)
		proved |= went_on(p, f->last);
	/* progress that lies far before the end, with a dump after it */
	for (size_t i = 0; i < f->n_events && !proved && !p->later; i++)
		proved = f->events[i].first_line > p->line &&
		    findings_progress_after(f->events[i].before, p->at);
	if (proved)
		prove(f);
}

const struct findings *checkpoint_last(const struct diagnosis *d)
{
	const struct findings *best = NULL;

	/* no time is the smallest one */
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i]->checkpoint &&
		    (!best ||
			d->logs[i]->checkpoint_time >= best->checkpoint_time))
			best = d->logs[i];
	return best;
}
