/*
 * A place is judged when LOOK_AHEAD bytes after it are known, or the log has
 * ended, so that it does not matter how the log was split into blocks.
 */
#include "diagnose/signals/launches.h"

#include "diagnose/evidence/around.h"
#include "diagnose/evidence/before.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/evidence/trace.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/signals.h"
#include "input/decode.h"
#include "rules/pattern.h"
#include "rules/taxonomy.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_AHEAD RECALL_REACH
#define LOOK_BACK (32u << 10)
#define FIRST_LINES 30    /* among which the log's first lines are */
#define WORDS_LEAST 10    /* bytes of words without a number */
#define NEAR_LINES 12     /* in which the others of the first lines follow */
#define DEAD_LINES 60     /* in which the end of a run comes before */
#define REFUSED_MAX 200   /* more than launches: the first lines are no sign */
#define CROWD 64          /* of them within LOOK_AHEAD are none, either */
#define SAMPLE (2u << 10) /* bytes that tell how often each byte is met */
#define PAUSE INT64_C(600000000) /* of 10 minutes */

/* The clean text that is at hand, and how many bytes lie before it. */
static struct span text_of(const struct decode_block *b, uint64_t *base)
{
	*base = b->clean - b->history.n;
	return (struct span){ b->history.n ? b->history.p : b->text.p,
		b->history.n + b->text.n };
}

/* ---- the first lines ---- */

/* Whether the run is under way at a line: a step, or an exception. */
static bool under_way(const struct launch_reader *r, const struct findings *f,
    struct span text, uint64_t number)
{
	struct progress p;

	if (shape_bar(text) || facts_progress(r->tax, text, &p))
		return true;
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].first_line <= number &&
		    f->events[i].last_line >= number)
			return true;
	return false;
}

/* Ranks that fail tell the same, too. */
static bool is_evidence(const struct findings *f, uint64_t number)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].line == number)
			return true;
	return false;
}

/* Its longest piece without a number. */
static void take_words(struct launch_reader *r, struct span text)
{
	size_t from = 0, best = 0;

	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && (text.p[i] < '0' || text.p[i] > '9'))
			continue;
		if (i - from > r->n_words) {
			best = from;
			r->n_words = i - from;
		}
		from = i + 1;
	}
	if (r->n_words > LAUNCH_TEXT)
		r->n_words = LAUNCH_TEXT;
	memcpy(r->words, text.p + best, r->n_words);
}

/* The byte of the words that the log holds least often, as far as it is known:
 * they are looked for by it. */
static void take_rare(struct launch_reader *r, struct span all)
{
	unsigned count[256] = { 0 };

	for (size_t i = all.n > SAMPLE ? all.n - SAMPLE : 0; i < all.n; i++)
		count[(unsigned char)all.p[i]]++;
	r->rare = 0;
	for (size_t i = 1; i < r->n_words; i++)
		if (count[(unsigned char)r->words[i]] <
		    count[(unsigned char)r->words[r->rare]])
			r->rare = i;
}

/* The words in s, or NULL. */
static const char *find_words(const struct launch_reader *r, struct span s)
{
	const char *p = s.p + r->rare, *end;

	if (s.n < r->n_words)
		return NULL;
	end = p + (s.n - r->n_words + 1);
	while ((p = memchr(p, r->words[r->rare], (size_t)(end - p)))) {
		if (memcmp(p - r->rare, r->words, r->n_words) == 0)
			return p - r->rare;
		p++;
	}
	return NULL;
}

/* Which of the first lines this one is like, or as many as there are. */
static size_t like(const struct launch_reader *r, const char *text, size_t n)
{
	size_t k = 0;

	while (k < r->n_lines &&
	    (r->n[k] != n || memcmp(r->lines[k], text, n) != 0))
		k++;
	return k;
}

/* Those at the start of a log, until the run is under way. Where the first one
 * comes again among them it is ordinary output. */
static void take_lines(
    struct launch_reader *r, const struct findings *f, struct span all)
{
	struct span line;
	uint64_t number, last = 0;
	size_t at = 0;
	bool again = false;

	for (int i = 0; i < FIRST_LINES && at < LOOK_AHEAD &&
	     recall_next_line(all, &at, &line);
	     i++) {
		char text[LAUNCH_TEXT];
		struct envelope env;
		size_t n, k;

		envelope_peel(r->tax->prefixes, line, &env);
		number = 1 + span_newlines(span_sub(all, 0, at));
		if (under_way(r, f, env.text, number))
			break;
		if (!recall_telling(env.text) || is_evidence(f, number))
			continue;
		n = recall_mask(env.text, text);
		k = like(r, text, n);
		again |= k == 0 && r->n_lines && number > last + 1;
		last = number;
		if (k < r->n_lines || r->n_lines == LAUNCH_LINES)
			continue;
		if (r->n_lines == 0) {
			take_words(r, span_sub(env.text, 0, LAUNCH_TEXT));
			r->searched = at;
			r->rank = env.rank;
		}
		memcpy(r->lines[r->n_lines], text, n);
		r->n[r->n_lines++] = n;
	}
	r->off = again || r->n_lines < 2 || r->n_words < WORDS_LEAST;
	if (!r->off)
		take_rare(r, all);
}

static bool is_line(
    const struct launch_reader *r, size_t k, const struct envelope *env)
{
	char text[LAUNCH_TEXT];
	size_t n = recall_mask(env->text, text);

	return env->rank == r->rank && n == r->n[k] &&
	    memcmp(text, r->lines[k], n) == 0;
}

/* How many of the first lines begin at a place. */
static size_t lines_at(
    const struct launch_reader *r, struct span all, size_t at)
{
	struct span line;
	size_t k = 0;

	for (int i = 0; i < NEAR_LINES && k < r->n_lines &&
	     recall_next_line(all, &at, &line);
	     i++) {
		struct envelope env;

		envelope_peel(r->tax->prefixes, line, &env);
		k += is_line(r, k, &env);
		if (k == 0)
			break;
	}
	return k;
}

/* ---- places ---- */

static void add_mark(struct launch_reader *r, struct launch_mark m)
{
	size_t at;

	if (r->n_marks == LAUNCH_MARKS)
		return;
	for (at = r->n_marks++; at > 0 && r->marks[at - 1].pos > m.pos; at--)
		r->marks[at] = r->marks[at - 1];
	r->marks[at] = m;
}

void launches_begin(
    struct launch_reader *r, const struct taxonomy *tax, struct matcher *m)
{
	struct death *deaths = r->recall.deaths;
	size_t cap = r->recall.cap_deaths;

	*r = (struct launch_reader){ .tax = tax,
		.matcher = m,
		.rank = -1,
		.recall = { .tax = tax, .deaths = deaths, .cap_deaths = cap } };
}

void launches_release(struct launch_reader *r)
{
	recall_release(&r->recall);
}

/* Whether nobody caught it, and a process is gone. */
static bool ends_process(const struct event *e)
{
	return !e->ignored && !e->warning && !e->thread &&
	    (e->uncaught || e->kind == EVENT_BLOCK);
}

void launches_failed(struct launch_reader *r, const struct decode_block *b,
    size_t pos, uint64_t line, const struct event *e, bool importing)
{
	if (e->complete && !e->ignored && !e->warning &&
	    (e->before.step >= 0 || e->before.epoch >= 0))
		add_mark(r,
		    (struct launch_mark){ .pos = b->clean + pos,
			.line = line,
			.failed = true,
			.told = -1,
			.before = e->before });
	if (ends_process(e) && e->rank < 0)
		recall_died(&r->recall,
		    (struct death){ .pos = b->clean + pos,
			.line = line,
			.first_line = e->first_line,
			.silent = importing,
			.main = e->kind == EVENT_TRACE });
}

void launches_died(struct launch_reader *r, const struct decode_block *b,
    size_t pos, const struct log_line *l, bool silent)
{
	size_t to = pos + l->raw.n;

	if (l->env.rank < 0)
		recall_died(&r->recall,
		    (struct death){
			.pos = b->clean + (to < b->text.n ? to + 1 : to),
			.line = l->number + 1,
			.first_line = l->number,
			.silent = silent });
}

static uint64_t fold_in(uint64_t h, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

/* By what a signal is known again: a job's by itself, a program's by how its
 * line begins, a command's by the program. */
static uint64_t key_of(
    struct launch_reader *r, const struct signal_told *told, struct span text)
{
	const struct signal *s = taxonomy_signal_at(r->tax, told->signal);
	const struct pattern_match *m = &told->match;
	uint64_t h = fold_in(0xcbf29ce484222325u, span_of(s->id));
	char words[LAUNCH_TEXT] = "";
	int g;

	if (s->tells[0] == LAUNCH_PROGRAM)
		return fold_in(
		    h, (struct span){ words, recall_mask(text, words) });
	g = s->tells[0] == LAUNCH_COMMAND && s->pattern
	    ? pattern_group(
		  taxonomy_signal_pattern(r->tax, told->signal), "same")
	    : -1;
	return g >= 0 && g < m->n ? fold_in(h, m->group[g]) : h;
}

/* The one that is known by a key; a new one has no text. NULL: too many. */
static struct launch_sign *sign_of(
    struct launch_reader *r, uint64_t key, int rank)
{
	size_t i = 0;

	while (i < r->n_signs && r->signs[i].key != key)
		i++;
	if (i == LAUNCH_SIGNS)
		return NULL;
	if (i == r->n_signs)
		r->signs[r->n_signs++] =
		    (struct launch_sign){ .key = key, .rank = rank };
	return &r->signs[i];
}

/* Whether a signal tells of one run of many. */
static bool tries(int told)
{
	return told == LAUNCH_TRIAL || told == LAUNCH_RESULT;
}

void launches_told(struct launch_reader *r, const struct decode_block *b,
    size_t pos, const struct log_line *l, const struct signal_told *told)
{
	struct span text = l->env.text;
	struct launch_mark mark = {
		.pos = b->clean + pos, .line = l->number, .before = { -1, -1 }
	};
	struct launch_sign *sign;
	uint64_t all = fold_in(0xcbf29ce484222325u, text);
	bool known;

	mark.told = taxonomy_signal_at(r->tax, told->signal)->tells[0];
	sign = sign_of(r, key_of(r, told, text), l->env.rank);
	if (!sign || sign->rank != l->env.rank)
		return;
	known = sign->text != 0;
	mark.other = mark.told == LAUNCH_COMMAND && known && sign->text != all;
	if (tries(mark.told) && sign->text == all)
		return;
	sign->text = all;
	mark.first = tries(mark.told) && r->trials++ == 0;
	if (known || tries(mark.told))
		add_mark(r, mark);
}

bool launches_searches(const struct launch_reader *r)
{
	return r->known && !r->off;
}

size_t launches_find(const struct launch_reader *r, struct span text)
{
	const char *p = find_words(r, text);

	return p ? (size_t)(p - text.p) : SIZE_MAX;
}

/* Look for the words of the first line. first: as in launches_block. Whether
 * there are more of them than can wait. */
static bool search(
    struct launch_reader *r, const struct decode_block *b, const size_t *first)
{
	uint64_t base, number = b->line;
	struct span all = text_of(b, &base);
	size_t at = r->searched > base ? (size_t)(r->searched - base) : 0;
	size_t counted = b->history.n;
	const char *p;

	r->searched = base + all.n;
	if (first && at == b->history.n) {
		if (*first == SIZE_MAX)
			return false;
		at += *first;
	}
	while (!r->off && (p = find_words(r, span_sub(all, at, all.n)))) {
		size_t hit = (size_t)(p - all.p), from, to;

		around_line(all, 0, hit, &from, &to);
		at = to;
		if (from < counted)
			number -= span_newlines(span_sub(all, from, counted));
		else
			number += span_newlines(span_sub(all, counted, from));
		counted = from;
		r->off = r->n_marks >= CROWD &&
		    base + from - r->marks[r->n_marks - CROWD].pos < LOOK_AHEAD;
		if (r->n_marks == LAUNCH_MARKS) {
			r->searched = base + from;
			return true;
		}
		add_mark(r,
		    (struct launch_mark){ .pos = base + from,
			.line = number,
			.told = -1,
			.before = { -1, -1 } });
	}
	return false;
}

/* ---- what tells that a run had ended and another has begun ---- */

/* What is known of a place. */
struct look {
	struct progress before, after;
	bool has_before, has_after;
	size_t after_at; /* where after stands, or the end of what was read */
	int64_t last, first; /* the times around it, or NO_TIME */
};

/* The last progress before a place, not before from. What was gone over in vain
 * once is passed over: places stand close. */
static bool progress_before(struct launch_reader *r, struct span all,
    uint64_t base, struct launch_span range, struct progress *out)
{
	struct launch_span *quiet = &r->quiet_before;
	size_t from = (size_t)(range.from - base);
	size_t where = (size_t)(range.to - base), vain = where;
	struct span line;
	bool found = false;

	while (!found) {
		if (base + where <= quiet->to && base + where > quiet->from) {
			where = quiet->from > range.from
			    ? (size_t)(quiet->from - base)
			    : from;
			vain = where;
		}
		if (!facts_line_before(all, from, &where, &line))
			break;
		found = facts_progress(r->tax, line, out);
		vain = found ? vain : where;
	}
	*quiet = (struct launch_span){ base + vain, range.to };
	return found;
}

/* The first progress in a range; where the looking has ended is after_at. */
static void progress_after(struct launch_reader *r, struct span all,
    uint64_t base, struct launch_span range, struct look *l)
{
	struct launch_span *quiet = &r->quiet_after;
	struct span ahead = span_sub(all, 0, (size_t)(range.to - base)), line;
	size_t pos = (size_t)(range.from - base), before = pos;

	if (range.from >= quiet->from && range.from < quiet->to) {
		pos =
		    quiet->to < range.to ? (size_t)(quiet->to - base) : ahead.n;
		before = pos;
	}
	while (!l->has_after && recall_next_line(ahead, &pos, &line)) {
		l->has_after = facts_progress(r->tax, line, &l->after);
		before = pos - line.n;
	}
	/* the last line may be cut */
	*quiet = (struct launch_span){ range.from, base + before };
	l->after_at = pos;
}

static struct look look_at(struct launch_reader *r, struct span all,
    uint64_t base, const struct launch_mark *m)
{
	size_t at = (size_t)(m->pos - base), from, end;
	struct look l = { .has_after = false };

	from = at > LOOK_BACK ? at - LOOK_BACK : 0;
	if (r->start > base + from)
		from = (size_t)(r->start - base);
	end = all.n - at > LOOK_AHEAD ? at + LOOK_AHEAD : all.n;
	l.has_before = progress_before(r, all, base,
	    (struct launch_span){ base + from, m->pos }, &l.before);
	l.last = before_last_time(r->tax, span_sub(all, from, at));
	l.first = before_first_time(r->tax, span_sub(all, at, end));
	progress_after(
	    r, all, base, (struct launch_span){ m->pos, base + end }, &l);
	return l;
}

/* Whether the launch in progress showed its end shortly before a line. */
static bool died_before(const struct findings *f, uint64_t since, uint64_t line)
{
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if ((e->complete || e->uncaught) && !e->ignored &&
		    !e->warning && e->kind != EVENT_BARE &&
		    e->first_line >= since && e->last_line < line &&
		    line - e->last_line <= DEAD_LINES)
			return true;
	}
	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->rule && !ev->warning &&
		    ev->rule->role != ROLE_CONFIRMATION && ev->line >= since &&
		    ev->line < line && line - ev->line <= DEAD_LINES)
			return true;
	}
	return false;
}

static bool ended_before(
    const struct launch_reader *r, struct span all, size_t from, size_t at)
{
	struct span line;
	struct envelope env;
	enum facts_end end;

	for (int i = 0; i < NEAR_LINES; i++) {
		if (!facts_line_before(all, from, &at, &line))
			return false;
		envelope_peel(r->tax->prefixes, line, &env);
		if ((end = facts_end(r->tax, r->matcher, &env)) != FACTS_NO_END)
			return end != FACTS_FAILED;
	}
	return false;
}

/* Whether what nobody caught ended a program in the lines before. */
static bool raised_before(
    const struct findings *f, uint64_t since, uint64_t line)
{
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if (e->complete && ends_process(e) && e->first_line >= since &&
		    e->last_line < line && line - e->last_line <= DEAD_LINES)
			return true;
	}
	return false;
}

/* Where the launch in progress begins. */
static uint64_t since_of(const struct findings *f)
{
	return f->n_launches ? f->launches[f->n_launches - 1].first_line : 1;
}

/* Whether another launch begins, by the positions around a place: 1, 0, or -1
 * when they do not tell. */
static int begins_by_position(const struct look *l)
{
	if (!l->has_before || !l->has_after)
		return -1;
	if (findings_progress_after(l->after, l->before))
		return 0;
	return findings_progress_after(l->before, l->after) ? 1 : -1;
}

/* A signal says so again. What a program prints when it starts may come again
 * in the same one, where nothing ended it. */
static bool begins_as_told(
    const struct findings *f, const struct launch_mark *m, const struct look *l)
{
	uint64_t since = since_of(f);
	int by_position = begins_by_position(l);

	if (tries(m->told))
		return !m->first || died_before(f, since, m->line);
	if (f->peers && m->told != LAUNCH_JOB)
		return false;
	if (by_position >= 0)
		return by_position;
	if (m->told == LAUNCH_JOB && l->has_before)
		return true;
	if (l->last != ENVELOPE_NO_TIME && l->first != ENVELOPE_NO_TIME &&
	    l->first - l->last >= PAUSE)
		return m->told != LAUNCH_PROGRAM;
	return m->told == LAUNCH_JOB ? died_before(f, since, m->line)
				     : raised_before(f, since, m->line);
}

/* The first lines come again. */
static bool begins_again(const struct launch_reader *r,
    const struct findings *f, struct span all, size_t at,
    const struct launch_mark *m, const struct look *l)
{
	size_t k = lines_at(r, all, at);
	uint64_t since = since_of(f);
	int by_position = begins_by_position(l);

	if (k < 2)
		return false;
	if (by_position >= 0)
		return by_position;
	if (l->has_before && !l->has_after && k > 2)
		return true;
	if (l->last != ENVELOPE_NO_TIME && l->first != ENVELOPE_NO_TIME &&
	    l->first - l->last >= PAUSE)
		return true;
	return died_before(f, since, m->line) ||
	    ended_before(r, all,
		r->start > m->pos - at ? (size_t)(r->start - (m->pos - at)) : 0,
		at);
}

/* The steps begin anew after an exception: at the first, or at that of the
 * first epoch that is printed. A bar that stood there before the exception,
 * too, is only redrawn. */
static bool starts_over(
    const struct findings *f, const struct launch_mark *m, const struct look *l)
{
	return !f->peers && l->has_after &&
	    findings_progress_after(m->before, l->after) &&
	    (!l->has_before || findings_progress_after(l->before, l->after)) &&
	    l->after.epoch <= 1 && (l->after.step <= 1 || l->after.epoch >= 0);
}

static void note_trial(struct launch *l, const struct launch_mark *m)
{
	l->trial = tries(m->told) || m->other;
	l->result = m->told == LAUNCH_RESULT;
}

/* Whether a signal tells of the launch that has begun just before, by what the
 * exception of the last one and the steps said. */
static bool tells_of_start(const struct launch_reader *r,
    const struct findings *f, const struct launch_mark *m)
{
	return !m->failed && r->guessed && f->n_launches &&
	    m->pos >= r->start &&
	    m->line - f->launches[f->n_launches - 1].first_line <= NEAR_LINES;
}

static int split(struct launch_reader *r, struct findings *f, struct span all,
    size_t at, const struct launch_mark *m, const struct look *l)
{
	struct launch *v;
	size_t from =
	    r->start > m->pos - at ? (size_t)(r->start - (m->pos - at)) : 0;
	uint64_t after;

	if (f->n_launches == 0 && !findings_launch(f))
		return -1;
	v = &f->launches[f->n_launches - 1];
	v->last_line = m->line - 1;
	v->last_time = l->last;
	v->ended_well = ended_before(r, all, from, at);
	v = findings_launch(f);
	if (!v)
		return -1;
	after = span_newlines(span_sub(all, at, l->after_at));
	v->first_line = m->line;
	v->first_time = l->first;
	note_trial(v, m);
	v->likely = !m->failed && (m->told < 0 || m->told == LAUNCH_PROGRAM);
	v->first_step = m->line + after;
	r->start = m->pos;
	r->guessed = m->failed;
	return 0;
}

/* Whether none begins there, whatever stands around it. */
static bool begins_none(const struct launch_reader *r, const struct findings *f,
    struct span all, size_t at, const struct launch_mark *m)
{
	if (m->failed)
		return f->peers;
	if (m->told < 0)
		return lines_at(r, all, at) < 2;
	return f->peers && m->told != LAUNCH_JOB && !tries(m->told) &&
	    !tells_of_start(r, f, m);
}

static int judge(struct launch_reader *r, struct findings *f, struct span all,
    uint64_t base, const struct launch_mark *m)
{
	size_t at;
	struct look l;

	if (m->told >= 0 && tells_of_start(r, f, m) &&
	    !f->launches[f->n_launches - 1].recalled) {
		note_trial(&f->launches[f->n_launches - 1], m);
		r->guessed = false;
		return 0;
	}
	if (m->pos < base || m->pos <= r->start ||
	    (r->off && !m->failed && m->told < 0))
		return 0;
	at = (size_t)(m->pos - base);
	if (begins_none(r, f, all, at, m))
		goto none;
	l = look_at(r, all, base, m);
	/* it is known better where the launch begins */
	if (tells_of_start(r, f, m) &&
	    f->launches[f->n_launches - 1].recalled &&
	    (m->told >= 0 || lines_at(r, all, at) > 1)) {
		f->n_launches--;
		return split(r, f, all, at, m, &l);
	}
	if (m->failed          ? starts_over(f, m, &l)
		: m->told >= 0 ? begins_as_told(f, m, &l)
			       : begins_again(r, f, all, at, m, &l))
		return split(r, f, all, at, m, &l);
none:
	if (!m->failed && m->told < 0)
		r->off = ++r->refused > REFUSED_MAX + f->n_launches;
	return 0;
}

/* What is printed behind a death tells that something begins anew. */
static int judge_death(struct launch_reader *r, struct findings *f,
    struct span all, uint64_t base, size_t i)
{
	const struct death *d = &r->recall.deaths[i];
	struct recall_text t = { .all = all, .base = base };
	struct launch_mark m = { .told = -1, .before = { -1, -1 } };
	struct death begins;
	enum recall_found found;
	struct launch *v;
	struct look l;

	if (f->peers || (f->parallel && !d->main) || d->pos < base ||
	    d->pos < r->start)
		return 0;
	t.from = r->start > base ? (size_t)(r->start - base) : 0;
	t.to = (size_t)(d->pos - base) + LOOK_AHEAD;
	if (i + 1 < r->recall.n_deaths && d[1].pos - base < t.to)
		t.to = (size_t)(d[1].pos - base);
	t.to = t.to < all.n ? t.to : all.n;
	found = recall_behind(&r->recall, f, &t, d, &begins);
	if (found == RECALL_NOTHING)
		return 0;
	m.pos = begins.pos;
	m.line = begins.line;
	l = look_at(r, all, base, &m);
	if (m.pos <= r->start ||
	    (l.has_before && l.has_after &&
		findings_progress_after(l.after, l.before)))
		return 0;
	if (split(r, f, all, (size_t)(m.pos - base), &m, &l))
		return -1;
	r->guessed = true;
	v = &f->launches[f->n_launches - 1];
	v->recalled = true;
	v->work = found == RECALL_WORK;
	return 0;
}

/* Judge all before a position that RECALL_REACH bytes are known behind, in
 * their order. */
static int judge_all(struct launch_reader *r, struct findings *f,
    struct span all, uint64_t base, bool last, uint64_t to)
{
	struct recall *k = &r->recall;
	size_t marks = 0, deaths = 0;
	int rc = 0;

	while (!rc) {
		bool mark = marks < r->n_marks, death = deaths < k->n_deaths;
		uint64_t pos;

		if (mark && death)
			death = k->deaths[deaths].pos < r->marks[marks].pos;
		if (!mark && !death)
			break;
		pos = death ? k->deaths[deaths].pos : r->marks[marks].pos;
		if (pos >= to || (!last && base + all.n - pos < LOOK_AHEAD))
			break;
		if (f->n_launches < LAUNCHES_MAX)
			rc = death ? judge_death(r, f, all, base, deaths)
				   : judge(r, f, all, base, &r->marks[marks]);
		deaths += death;
		marks += !death;
	}
	r->n_marks -= marks;
	memmove(r->marks, r->marks + marks, r->n_marks * sizeof *r->marks);
	k->n_deaths -= deaths;
	if (k->n_deaths)
		memmove(k->deaths, k->deaths + deaths,
		    k->n_deaths * sizeof *k->deaths);
	return k->no_memory ? -1 : rc;
}

int launches_block(struct launch_reader *r, struct findings *f,
    const struct decode_block *b, const size_t *first)
{
	uint64_t base;
	struct span all = text_of(b, &base);
	size_t waiting;
	bool more;
	int rc;

	if (!r->known && (b->last || base + all.n >= LOOK_AHEAD)) {
		r->known = true;
		recall_keep(&r->recall, all);
		take_lines(r, f, all);
	}
	if (!r->known)
		return 0;
	do {
		more = !r->off && search(r, b, first);
		waiting = r->n_marks;
		rc = judge_all(
		    r, f, all, base, b->last, more ? r->searched : UINT64_MAX);
		r->off |= more && r->n_marks == waiting;
		first = NULL;
	} while (more && !rc);
	return rc;
}
