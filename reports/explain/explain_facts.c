/*
 * Numbers that the log or the scheduler gave, put to use: what they mean for
 * the one who has to repair it.
 */
#include "diagnose/job_record.h"
#include "diagnose/signals/calls.h"
#include "reports/explain/explain_parts.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#include <string.h>

#define RUNS 12 /* of ranks that are told one by one */

void explain_ranks(struct page *p, const int *v, size_t n)
{
	size_t runs = 0, i = 0;

	page_add(p, n == 1 ? "rank " : "ranks ");
	while (i < n) {
		size_t k = i;

		while (k + 1 < n && v[k + 1] == v[k] + 1)
			k++;
		if (runs++ == RUNS) {
			page_add(p, " and %zu more", n - i);
			return;
		}
		page_add(p, i ? ", %d" : "%d", v[i]);
		if (k > i)
			page_add(p, k == i + 1 ? ", %d" : "-%d", v[k]);
		i = k + 1;
	}
}

bool explain_position(struct page *p, struct progress at)
{
	char n[FIGURE];

	if (at.epoch >= 0)
		page_add(p, "epoch %s%s", figure_count(n, (uint64_t)at.epoch),
		    at.step >= 0 ? ", " : "");
	if (at.step >= 0)
		page_add(p, "step %s", figure_count(n, (uint64_t)at.step));
	return at.epoch >= 0 || at.step >= 0;
}

/* ---- memory ---- */

static void add_bytes(struct page *p, int64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB",
		"TiB" };
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 1000 && u < 4) {
		v /= 1024;
		u++;
	}
	page_add(p,
	    u == 0       ? "%.0f %s"
		: v < 10 ? "%.2f %s"
			 : "%.1f %s",
	    v, units[u]);
}

/* "wanted 2.0 GiB; 0.4 GiB of 79.1 GiB were free; this process held ..." */
static void add_figures(struct page *p, const struct memory *m)
{
	const char *between = "";

	if (m->requested >= 0) {
		page_add(p, "wanted ");
		add_bytes(p, m->requested);
		between = "; ";
	}
	if (m->total > 0 && m->free >= 0) {
		page_add(p, "%s", between);
		add_bytes(p, m->free);
		page_add(p, " of ");
		add_bytes(p, m->total);
		page_add(p, " free");
		between = "; ";
	}
	if (m->allocated >= 0) {
		page_add(p, "%sthis process uses ", between);
		add_bytes(p, m->allocated);
		if (m->unallocated > 0) {
			page_add(p, " and holds ");
			add_bytes(p, m->unallocated);
			page_add(p, " unused");
		}
	}
}

static void write_memory(struct page *p, const struct diagnosis *d)
{
	const struct memory *m = &d->facts.memory;
	const struct evidence *ev;
	const char *other, *pid;

	if (!d->facts.out_of_memory)
		return;
	ev = d->evidence.v[0].evidence;
	add_figures(p, m);
	page_fact(p, "memory");
	other = findings_capture(ev, "other");
	pid = findings_capture(ev, "pid");
	if (other) {
		page_add(p, "another process%s", pid ? " (pid " : "");
		if (pid) {
			page_string(p, pid);
			page_add(p, ")");
		}
		page_add(p, " holds ");
		page_string(p, other);
		page_add(p, " of this GPU: find out who, or use a free one");
	} else if (m->held_by_others) {
		page_add(p, "other processes hold ");
		add_bytes(p, m->others);
		page_add(p, " of this GPU: find out who, or use a free one");
	} else if (m->fragmented) {
		/* PyTorch's own hint tells which of them it has */
		page_add(p,
		    "enough was reserved but in pieces (fragmentation): set "
		    "PYTORCH_CUDA_ALLOC_CONF=%s",
		    span_find((struct span){ ev->text, ev->text_len },
			"max_split_size_mb") == SIZE_MAX
			? "expandable_segments:True"
			: "max_split_size_mb:128");
	} else if (m->total > 0 && m->allocated > m->total / 10 * 7) {
		page_add(p,
		    "%.0f %% of the memory is really in use: less must be "
		    "asked for (a smaller batch, shorter sequences)",
		    100.0 * (double)m->allocated / (double)m->total);
	} else {
		return;
	}
	page_fact(p, "");
}

/* ---- ranks ---- */

#define LATE_SHOWN 8

static void add_frame(struct page *p, const struct frame *f)
{
	page_add(p, STRONG);
	page_string(p, f->function ? f->function : "?");
	page_add(p, PLAIN " (");
	page_string(p, f->file);
	page_add(p, ":%lld)", (long long)f->line);
}

static void add_call(struct page *p, const struct call *c)
{
	char n[FIGURE];

	page_string(p, c->op[0] ? c->op : "operation");
	page_add(p, " %s", figure_count(n, (uint64_t)c->seq));
}

/* What a rank came with, where others came with something else. */
static void add_difference(
    struct page *p, const struct collective *c, const struct late_rank *l)
{
	bool op = strcmp(l->what, "operation") == 0;
	bool in = strcmp(c->call->in, l->call->in) != 0;

	page_add(p, "came with another %s: ", l->what);
	page_string(p, op ? l->call->op : in ? l->call->in : l->call->out);
	page_add(p, ", others with ");
	page_string(p, op ? c->call->op : in ? c->call->in : c->call->out);
}

/* Where a rank that the others wait for is, and what it did; false: that is not
 * known. */
static bool write_late(
    struct page *p, const struct collective *c, const struct late_rank *l)
{
	const struct stand *s = l->stand;

	if (c->by == BY_WATCHDOG && !s && !l->node)
		return false;
	page_add(p, "%d", l->rank);
	if (l->node) {
		page_add(p, " on ");
		page_string(p, *l->node);
	}
	page_add(p, " ");
	if (l->how == LATE_DIFFERS) {
		add_difference(p, c, l);
	} else if (l->call) {
		page_add(p, "called ");
		add_call(p, l->call);
		page_add(p, " last");
	} else {
		page_add(p, "%s",
		    c->by == BY_WATCHDOG ? "did not come"
			: l->how == LATE_SILENT
			? "left no word of what it called"
			: "has called nothing in this group");
	}
	if (l->call && l->call->frame.file) {
		page_add(p, ", at ");
		add_frame(p, &l->call->frame);
	}
	if (s && s->frame.file) {
		page_add(p, "; it stood at ");
		add_frame(p, &s->frame);
		if (s->inner) {
			page_add(p, " in ");
			page_string(p, s->inner);
		}
	}
	if (s && s->stage == STAGE_DATA)
		page_add(p, ", waiting for data");
	return true;
}

static void write_collective(struct page *p, const struct collective *c)
{
	char n[FIGURE];

	if (c->seq < 0)
		return;
	explain_ranks(p, c->waiting, c->n_waiting);
	page_add(p, " wait%s in ", c->n_waiting == 1 ? "s" : "");
	page_string(p, c->op[0] ? c->op : "a collective");
	page_add(p, " %s", figure_count(n, (uint64_t)c->seq));
	if (c->group) {
		page_add(p, " of group ");
		page_string(p, *c->group);
	}
	if (c->n_missing) {
		page_add(p, "; " STRONG);
		explain_ranks(p, c->missing, c->n_missing);
		page_add(p, PLAIN " never came: %s",
		    c->deadlock ? "each waits for others elsewhere"
				: "look there first");
	}
	page_fact(p, "collective");
	for (size_t i = 0; i < c->n_late && i < LATE_SHOWN; i++)
		if (write_late(p, c, &c->late[i]))
			page_fact(p, "rank");
}

/* ---- how far, and what is lost ---- */

static void add_gpu_time(struct page *p, int64_t seconds)
{
	char n[FIGURE];

	if (seconds < 120)
		page_add(p, "%lld GPU-second%s", (long long)seconds,
		    seconds == 1 ? "" : "s");
	else if (seconds < 3600)
		page_add(p, "%lld GPU-minutes", (long long)(seconds + 30) / 60);
	else
		page_add(p, "%s GPU-hours", figure_hours(n, seconds));
}

static void add_length(struct page *p, int64_t seconds)
{
	long long s = seconds;

	if (s < 120)
		page_add(p, "%lld s", s);
	else if (s < 3600)
		page_add(p, "%lld min", s / 60);
	else if (s < 48 * 3600)
		page_add(p, "%lld h %lld min", s / 3600, s / 60 % 60);
	else
		page_add(p, "%lld d %lld h", s / 86400, s / 3600 % 24);
}

static void add_place(struct page *p, const struct metric_place *at)
{
	struct progress here = { -1, at->at.step };
	char n[FIGURE];

	if (at->at.step < 0 && at->at.epoch >= 0)
		page_add(p, "epoch %.6g", at->at.epoch);
	else if (!explain_position(p, here))
		page_add(p, "line %s", figure_count(n, at->line));
}

/* "the training loss became NaN at step 1,234 (the gradient norm was already
 * infinite at step 1,230)"; false: the curves do not tell. */
static bool write_nan(struct page *p, const struct explain *x)
{
	const struct trend_nan *nan = &x->d->facts.nan;

	if (!nan->series)
		return false;
	page_add(p, "the ");
	page_string(p, x->tax->metrics[nan->series->metric].title);
	page_add(
	    p, " became %s at " STRONG, nan->infinite ? "infinite" : "NaN");
	add_place(p, &nan->at);
	page_add(p, PLAIN);
	if (nan->before) {
		page_add(p, " (the ");
		page_string(p, x->tax->metrics[nan->before->metric].title);
		page_add(p, " was already %s at ",
		    nan->before_infinite ? "infinite" : "NaN");
		add_place(p, &nan->before_at);
		page_add(p, ")");
	}
	page_fact(p, "not finite");
	return true;
}

static void write_progress(struct page *p, const struct explain *x)
{
	int64_t bad = x->d->facts.first_nan_step;
	char n[FIGURE];

	if (!write_nan(p, x) && bad >= 0) {
		page_add(p, "first seen at step " STRONG "%s" PLAIN,
		    figure_count(n, (uint64_t)bad));
		page_fact(p, "not finite");
	}
	if (explain_position(p, x->d->facts.last))
		page_fact(p, "reached");
}

static void write_checkpoint(struct page *p, const struct diagnosis *d)
{
	const struct findings *f = d->facts.saved;
	int64_t lost = d->usage.gpu_seconds_lost;
	char n[FIGURE];

	if (d->facts.done) {
		page_add(p, "before the end, as line %s of ",
		    figure_count(n, d->facts.done->done_line));
		page_string(p, d->facts.done->path);
		page_add(p, " says: nothing is lost but what came after it");
		page_fact(p, "work done");
		return;
	}
	if (f) {
		page_string(p, f->checkpoint);
		if (f->checkpoint_step >= 0)
			page_add(p, " (step %s)",
			    figure_count(n, (uint64_t)f->checkpoint_step));
	}
	if (lost > 0) {
		page_add(
		    p, f ? "; lost since then: " : "none in the logs; lost: ");
		add_gpu_time(p, lost);
	}
	if (f || lost > 0)
		page_fact(p, "checkpoint");
}

static void write_usage(struct page *p, const struct usage *u)
{
	bool gpus = u->gpus != USAGE_UNKNOWN && u->gpus > 0;

	if (u->runtime_seconds <= 0)
		return;
	if (gpus)
		page_add(p, "%lld GPU%s x ", (long long)u->gpus,
		    u->gpus == 1 ? "" : "s");
	add_length(p, u->runtime_seconds);
	if (gpus && u->gpu_seconds != USAGE_UNKNOWN) {
		page_add(p, " = ");
		add_gpu_time(p, u->gpu_seconds);
	}
	if (u->estimated)
		page_add(p, " (estimated from the log)");
	page_fact(p, "cost");
}

/* ---- how it ended ---- */

struct words {
	int number;
	const char *text;
};

static const struct words signals[] = {
	{ 1, "SIGHUP: its session was closed" },
	{ 2, "SIGINT: interrupted, as by Ctrl-C" },
	{ 4, "SIGILL: an instruction this processor does not know" },
	{ 6, "SIGABRT: it aborted itself" },
	{ 7, "SIGBUS: memory that is not there, often a full /dev/shm" },
	{ 8, "SIGFPE: an arithmetic error" },
	{ 9, "SIGKILL: killed from outside, often for its memory" },
	{ 10, "SIGUSR1: often a warning before the time limit" },
	{ 11, "SIGSEGV: an access to memory that is not its own" },
	{ 13, "SIGPIPE: nobody read its output any more" },
	{ 15, "SIGTERM: it was told to end" },
	{ 24, "SIGXCPU: over its processor time" },
};

static const struct words codes[] = {
	{ 1, "the program's own error" },
	{ 2, "wrong usage, or the program's own error" },
	{ 126, "found, but not executable" },
	{ 127, "the command was not found" },
};

static const char *word_for(const struct words *v, size_t n, int64_t number)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].number == number)
			return v[i].text;
	return NULL;
}

static void add_signal(struct page *p, int64_t signal)
{
	const char *word =
	    word_for(signals, sizeof signals / sizeof *signals, signal);

	page_add(p, "signal %lld", (long long)signal);
	if (word)
		page_add(p, ", %s", word);
}

static void write_exit(struct page *p, const struct job_facts *f)
{
	int code = f->exit_code, signal = f->signal;
	const char *word = word_for(codes, sizeof codes / sizeof *codes, code);

	if (code <= 0 && signal <= 0)
		return;
	if (code > 0)
		page_add(p, "exit code %lld", (long long)code);
	if (code > 128 && code <= 128 + 64 && signal <= 0)
		signal = code - 128;
	if (signal > 0) {
		page_add(p, code > 0 ? ": " : "");
		add_signal(p, signal);
	} else if (word) {
		page_add(p, ": %s", word);
	}
	page_fact(p, "ended with");
}

static void write_record(struct page *p, const struct job_record *r)
{
	if (!r || !r->state)
		return;
	page_string(p, r->state);
	if (r->reason) {
		page_add(p, " (");
		page_string(p, r->reason);
		page_add(p, ")");
	}
	if (r->n_nodes) {
		page_add(p, " on ");
		page_string(p, r->nodes[0]);
		if (r->n_nodes > 1)
			page_add(p, " and %zu more nodes", r->n_nodes - 1);
	}
	page_fact(p, "scheduler");
}

static void write_inputs(struct page *p, const struct inputs *in)
{
	for (size_t i = 0; in && i < in->n; i++) {
		page_string(p, in->v[i]);
		page_fact(p, i ? "" : "last inputs");
	}
}

/* What the job itself said, where it is not the answer already. */
static void write_declared(struct page *p, const struct job_facts *f)
{
	const struct declared *said =
	    f->declared ? &f->declared->declared : NULL;

	if (!said || f->declared_decides)
		return;
	page_string(p, said->reason);
	if (said->category) {
		page_add(p, ", ");
		page_string(p, said->category);
	}
	if (said->retry != DECLARED_UNSAID)
		page_add(p,
		    said->retry == DECLARED_YES ? "; a retry would help"
						: "; no retry would help");
	page_fact(p, "the job says");
}

void explain_facts(struct page *p, const struct explain *x)
{
	const struct diagnosis *d = x->d;
	const struct job_facts *f = &d->facts;

	page_heading(p, "Facts");
	write_memory(p, d);
	write_collective(p, &f->collective);
	write_progress(p, x);
	write_checkpoint(p, d);
	write_usage(p, &d->usage);
	write_exit(p, f);
	write_declared(p, f);
	write_record(p, d->record);
	write_inputs(p, f->inputs);
	if (f->framework) {
		page_string(p, f->framework);
		page_fact(p, "framework");
	}
}
