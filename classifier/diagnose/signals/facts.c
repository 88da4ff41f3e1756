/* What single lines tell. What is to be looked for in them are signals. */
#include "diagnose/signals/facts.h"

#include "diagnose/evidence/around.h"
#include "diagnose/signals/calls.h"
#include "diagnose/signals/gpus.h"
#include "diagnose/signals/metrics_names.h"
#include "diagnose/signals/signals.h"
#include "diagnose/evidence/trace.h"

#include <string.h>

#define END_MAX 400     /* bytes of a line that tells a good end */
#define REPORT_LINES 60 /* that a report of a batch system has at most */
#define SCRIPT_LINES 10 /* from a command's exit code to its script's end */

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool word_at(struct span s, size_t at, const char *w)
{
	size_t n = strlen(w);

	if (at + n > s.n || (at > 0 && metric_word(s.p[at - 1])))
		return false;
	for (size_t i = 0; i < n; i++)
		if (fold(s.p[at + i]) != w[i])
			return false;
	return at + n == s.n || !metric_word(s.p[at + n]);
}

/* A time, as in a table of the steps of a job: "batch  00:12:44". */
static bool is_clock(struct span s, size_t at)
{
	return at + 5 <= s.n && is_digit(s.p[at]) && is_digit(s.p[at + 1]) &&
	    s.p[at + 2] == ':' && is_digit(s.p[at + 3]) &&
	    is_digit(s.p[at + 4]);
}

/* The number after a key word: "step: 12", "Epoch [3/10]", "'epoch': 0.53".
 * Digits after a decimal point go to *micro, in millionths. */
static int64_t number_after(struct span s, size_t at, int64_t *micro)
{
	size_t i = at, from;
	int64_t scale = 100000;

	*micro = 0;
	/* columns are filled up with blanks, but there is little else */
	for (size_t other = 0; i < s.n && i < at + 20 &&
	     (s.p[i] == ' ' || (other < 4 && strchr(":=[#(/'\"", s.p[i])));
	     i++)
		other += s.p[i] != ' ';
	from = i;
	while (i < s.n && is_digit(s.p[i]))
		i++;
	if (i == from || i - from > 15 || is_clock(s, from))
		return -1;
	for (size_t k = i + 1;
	     i < s.n && s.p[i] == '.' && k < s.n && is_digit(s.p[k]) && scale;
	     k++, scale /= 10)
		*micro += (s.p[k] - '0') * scale;
	return span_number(span_sub(s, from, i));
}

/* A bar: "123/456 [00:12<..." or " 12/100 [====>" or "[ 120/ 500]". */
static int64_t bar_at(struct span s, size_t slash)
{
	size_t from = slash, to = slash + 1;

	while (from > 0 && is_digit(s.p[from - 1]))
		from--;
	while (to < s.n && s.p[to] == ' ')
		to++;
	if (from == slash || to >= s.n || !is_digit(s.p[to]))
		return -1;
	while (to < s.n && is_digit(s.p[to]))
		to++;
	if (to + 1 < s.n && s.p[to] == ' ' && s.p[to + 1] == '[')
		return span_number(span_sub(s, from, slash));
	if (to < s.n && s.p[to] == ']')
		return span_number(span_sub(s, from, slash));
	return -1;
}

/* Where a name of a step or an epoch ends that begins at s[from]; 0: it is
 * none of m's. A blank of a name stands for what joins words. */
static size_t name_at(struct span s, size_t from, const struct metric *m)
{
	static const char joins[] = { '_', '-', '/' };
	char first = fold(s.p[from]);

	for (size_t i = 0; i < m->names.n; i++) {
		const char *name = m->names.v[i];
		size_t at = from;

		if (*name != first)
			continue;
		while (*name && at < s.n &&
		    (fold(s.p[at]) == *name ||
			(*name == ' ' &&
			    memchr(joins, s.p[at], sizeof joins)))) {
			name++;
			at++;
		}
		if (!*name && (at == s.n || !metric_word(s.p[at])))
			return at;
	}
	return 0;
}

/* Take the number behind the word at s[from] when that is such a name; *micro:
 * of an epoch, what stands behind its point. */
static void count_word(const struct taxonomy *tax, struct span s, size_t from,
    struct progress *out, int64_t *micro)
{
	int64_t ignored;

	for (size_t i = 0; i < tax->n_metrics; i++) {
		const struct metric *m = &tax->metrics[i];
		size_t to;

		if (m->kind != METRIC_STEP && m->kind != METRIC_EPOCH)
			continue;
		to = name_at(s, from, m);
		if (!to)
			continue;
		if (m->kind == METRIC_STEP && out->step < 0)
			out->step = number_after(s, to, &ignored);
		/* not "per epoch" */
		if (m->kind == METRIC_EPOCH && out->epoch < 0 &&
		    !(from >= 4 && fold(s.p[from - 2]) == 'r' &&
			fold(s.p[from - 4]) == 'p'))
			out->epoch = number_after(s, to, micro);
	}
}

bool facts_progress(
    const struct taxonomy *tax, struct span line, struct progress *out)
{
	int64_t micro = 0, bar = -1;
	struct span whole = line;
	size_t end;

	*out = (struct progress){ -1, -1 };
	if (line.n > 2000)
		line.n = 2000;
	for (size_t i = 0; i < line.n; i = end + 1) {
		for (end = i; end < line.n && metric_word(line.p[end]);)
			end++;
		if (end > i + 1 &&
		    tax->step_letters[line.p[i] & 31] >> (line.p[i + 1] & 31) &
			1)
			count_word(tax, line, i, out, &micro);
		if (end < line.n && line.p[end] == '/' && bar < 0)
			bar = bar_at(line, end);
	}
	if (out->step < 0)
		out->step = bar >= 0 ? bar : micro ? micro : -1;
	if (out->epoch < 0 && out->step < 0)
		return false;
	if (!signals_find(tax, SIGNAL_PROGRESS, NULL, whole, NULL))
		return true;
	*out = (struct progress){ -1, -1 };
	return false;
}

bool facts_line_before(
    struct span text, size_t from, size_t *end, struct span *line)
{
	size_t to = *end, at;

	while (to > from && around_end(text.p[to - 1]))
		to--;
	at = span_line_start(text, from, to);
	if (at > 0 && !around_end(text.p[at - 1]))
		return false;
	*line = span_sub(text, at, to);
	*end = at;
	return line->n > 0;
}

bool facts_progress_before(const struct taxonomy *tax, struct span text,
    size_t from, size_t *end, struct progress *out)
{
	struct span line;

	while (facts_line_before(text, from, end, &line))
		if (facts_progress(tax, line, out))
			return true;
	return false;
}

bool facts_word(struct span line, const char *word)
{
	for (size_t i = 0; i < line.n; i++)
		if (fold(line.p[i]) == *word && word_at(line, i, word))
			return true;
	return false;
}

int64_t facts_number(struct span line, size_t at)
{
	int64_t micro;

	return number_after(line, at, &micro);
}

enum facts_end facts_end(
    const struct taxonomy *tax, struct matcher *m, const struct envelope *line)
{
	const struct signal *s;

	if (line->text.n > END_MAX)
		return FACTS_NO_END;
	s = signals_find(tax, SIGNAL_END, m, line->text, NULL);
	if (s && s->tells[0] == END_FAILED)
		return FACTS_FAILED;
	/* a script logs nothing */
	if (s &&
	    (s->tells[0] == END_STOP ||
		(s->tells[0] == END_SCRIPT && line->level == LEVEL_UNKNOWN)))
		return FACTS_SCRIPT_ENDED;
	if (!s)
		s = signals_find(tax, SIGNAL_DONE, m, line->text, NULL);
	return !s || (s->kind == SIGNAL_DONE && s->tells[0] == DONE_SERVED)
	    ? FACTS_NO_END
	    : FACTS_ENDED_WELL;
}

void facts_parallel(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span text, const struct signal_hits *hits,
    bool block)
{
	for (size_t i = tax->signal_from[SIGNAL_PARALLEL];
	     i < tax->signal_from[SIGNAL_PARALLEL + 1] && !f->peers; i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);

		if (s->tells[0] == (block ? PARALLEL_LINE : PARALLEL_BLOCK) ||
		    !signals_may(tax, i, hits) ||
		    !signals_tell(tax, i, m, text, NULL))
			continue;
		f->parallel = true;
		f->peers = s->tells[1] != PARALLEL_CHILDREN;
	}
}

static void exit_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l, const struct signal_hits *hits)
{
	struct span text = l->env.text;
	struct pattern_match found;

	for (size_t i = tax->signal_from[SIGNAL_EXIT];
	     i < tax->signal_from[SIGNAL_EXIT + 1]; i++) {
		const struct pattern *p;
		int64_t code;

		if (!signals_may(tax, i, hits) ||
		    !signals_tell(tax, i, m, text, &found))
			continue;
		/* it is there: it has just matched */
		p = taxonomy_signal_pattern(tax, i);
		code = span_number(found.group[pattern_group(p, "code")]);
		if (code >= 0 && code <= 255) {
			f->exit_code = (int)code;
			f->exit_line = l->number;
		}
		if (code > 128 && code < 128 + 65)
			f->signal = (int)code - 128;
	}
}

/* What a batch system reports of a job. */
static void report_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l, const struct signal_hits *hits)
{
	const struct signal *s =
	    signals_find(tax, SIGNAL_REPORT, m, l->env.text, hits);
	uint64_t number = l->number;

	if (!s)
		return;
	if (s->tells[0] == REPORT_BEGINS) {
		if (f->reported_to == UINT64_MAX)
			f->reported_to = number - 1;
		f->report_line = number;
		f->reported_well = false;
	} else if (!f->report_line || number - f->report_line > REPORT_LINES) {
		return;
	} else if (s->tells[0] == REPORT_WELL) {
		f->reported_well = true;
		f->reported_to = number;
	} else if (f->reported_well) {
		f->reported_to = UINT64_MAX;
	}
}

void facts_report(struct findings *f)
{
	if (!f->reported_well)
		return;
	f->ended_well = true;
	if (f->ended_line < f->report_line)
		f->ended_line = f->report_line;
	if (f->exit_line <= f->reported_to) {
		f->exit_code = f->signal = -1;
		f->exit_line = 0;
	}
}

void facts_script_failed(struct findings *f)
{
	if (!f->ended_script || f->exit_code <= 0 ||
	    f->exit_line > f->ended_line ||
	    f->ended_line - f->exit_line > SCRIPT_LINES)
		return;
	f->ended_well = f->ended_script = false;
	f->ended_line = 0;
}

static void done_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l, const struct signal_hits *hits)
{
	const struct signal *s =
	    signals_find(tax, SIGNAL_DONE, m, l->env.text, hits);

	if (s && s->tells[0] == DONE_SERVED) {
		f->served_line = l->number;
	} else if (s) {
		f->done_line = l->number;
		f->done_time = l->env.time;
	}
}

void facts_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l, const struct signal_hits *hits)
{
	struct span text = l->env.text;
	unsigned kinds = hits->kinds;

	if (kinds & 1u << SIGNAL_EXIT)
		exit_line(f, tax, m, l, hits);
	if (kinds & 1u << SIGNAL_DONE && text.n <= END_MAX)
		done_line(f, tax, m, l, hits);
	if (kinds & 1u << SIGNAL_REPORT)
		report_line(f, tax, m, l, hits);
	if (kinds & 1u << SIGNAL_PARALLEL && !f->peers)
		facts_parallel(f, tax, m, text, hits, false);
	if (kinds & 1u << SIGNAL_COLLECTIVE)
		calls_line(f, tax, m, l, hits);
}

void facts_gpus(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span text, const struct signal_hits *hits)
{
	int ranks = gpus_line(&f->clues, tax, m, text, hits);

	if (ranks > f->world_size)
		f->world_size = ranks;
	if (ranks > 1)
		f->parallel = f->peers = true;
}

void facts_script(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span line, const struct signal_hits *hits)
{
	if (span_starts(line, "+") || span_starts(line, "#SBATCH"))
		(void)gpus_line(&f->clues, tax, m, line, hits);
}

const char *facts_framework(const struct taxonomy *tax, struct span trace)
{
	for (size_t i = tax->signal_from[SIGNAL_FRAMES];
	     i < tax->signal_from[SIGNAL_FRAMES + 1]; i++)
		if (taxonomy_signal_at(tax, i)->name &&
		    signals_tell(tax, i, NULL, trace, NULL))
			return taxonomy_signal_at(tax, i)->name;
	return NULL;
}

uint64_t facts_file(
    const struct taxonomy *tax, struct span file, struct facts_file *is)
{
	size_t from = tax->signal_from[SIGNAL_FRAMES];
	uint64_t told = 0;

	*is = (struct facts_file){ .library = false };
	for (size_t i = from; i < tax->signal_from[SIGNAL_FRAMES + 1]; i++) {
		if (!signals_tell(tax, i, NULL, file, NULL))
			continue;
		told |= UINT64_C(1) << (i - from);
		is->library |=
		    taxonomy_signal_at(tax, i)->tells[0] == FRAMES_LIBRARY;
		is->starter |=
		    taxonomy_signal_at(tax, i)->tells[0] == FRAMES_STARTER;
	}
	return told;
}
