/* Searching backwards, never twice over the same bytes. */
#define _GNU_SOURCE /* memrchr */
#include "diagnose/evidence/before.h"

#include "diagnose/evidence/around.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/stage.h"
#include "rules/taxonomy.h"

#include <string.h>

#define RECORD_LINES 8 /* of others, and blank ones, behind a record */

/* What is to be searched: all[from, end), where the line begins at end. */
struct stretch {
	struct span all;
	uint64_t base; /* clean bytes before all */
	size_t from, end;
};

static struct stretch stretch_of(
    const struct decode_block *b, size_t pos, uint64_t done)
{
	struct stretch s = {
		.all = { b->history.n ? b->history.p : b->text.p,
		    b->history.n + b->text.n },
		.base = b->clean - b->history.n,
		.end = b->history.n + pos,
	};

	s.from = s.end > BEFORE_REACH ? s.end - BEFORE_REACH : 0;
	if (done > s.base + s.from && done <= s.base + s.end)
		s.from = (size_t)(done - s.base);
	return s;
}

void before_begin(struct before *k, const struct taxonomy *tax)
{
	*k = (struct before){ .tax = tax, .time = ENVELOPE_NO_TIME };
}

/* Whether two lines are of one writer. */
static bool same_writer(const struct envelope *a, const struct envelope *b)
{
	return a->rank == b->rank && a->local_rank == b->local_rank &&
	    span_eq(a->process, b->process) && span_eq(a->node, b->node);
}

bool before_logged(const struct before *k, const struct decode_block *b,
    size_t pos, const struct envelope *env)
{
	struct stretch s = stretch_of(b, pos, 0);
	struct envelope of;
	size_t at;

	for (int n = 0; n < RECORD_LINES && s.end > s.from; n++) {
		s.end -= s.all.p[s.end - 1] == '\n';
		at = span_line_start(s.all, s.from, s.end);
		envelope_peel(
		    k->tax->prefixes, span_sub(s.all, at, s.end), &of);
		if (span_trim(of.text).n && same_writer(&of, env))
			return of.level == LEVEL_ERROR;
		s.end = at;
	}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct progress before_progress(
    struct before *k, const struct decode_block *b, size_t pos)
{
	struct stretch s = stretch_of(b, pos, k->searched_to);
	struct progress p;
	enum stage stage;
	size_t at = s.end;

	k->searched_to = s.base + s.end;
	if (facts_progress_before(k->tax, s.all, s.from, &at, &p)) {
		k->progress = p;
		k->at = s.base + at;
		k->known = true;
		k->stage = STAGE_UNKNOWN;
		s.from = at;
	} else if (k->known && k->searched_to - k->at > BEFORE_REACH) {
		k->known = false;
	}
	stage = stage_words(k->tax, span_sub(s.all, s.from, s.end));
	if (stage != STAGE_UNKNOWN)
		k->stage = stage;
	return k->known ? k->progress : (struct progress){ -1, -1 };
}

/* Whether the colon at i is the first of a "12:30:00": no prefix of a line says
 * a time without one. */
static bool clock_at(struct span text, size_t i)
{
	const char *p = text.p + i;

	return i > 0 && text.n - i > 4 && p[3] == ':' && is_digit(p[-1]) &&
	    is_digit(p[1]) && is_digit(p[2]) && is_digit(p[4]);
}

/* The last one before end, or SIZE_MAX. */
static size_t clock_before(struct span text, size_t from, size_t end)
{
	const char *p = text.p + end;

	while ((p = memrchr(text.p + from, ':', (size_t)(p - text.p) - from)) !=
	    NULL) {
		size_t at = (size_t)(p - text.p);

		if (at > from && clock_at(span_sub(text, 0, end), at))
			return at;
	}
	return SIZE_MAX;
}

int64_t before_first_time(const struct taxonomy *tax, struct span text)
{
	struct envelope env;
	size_t i = 0, at, to;

	while (i < text.n) {
		const char *p = memchr(text.p + i, ':', text.n - i);

		if (!p)
			break;
		i = (size_t)(p - text.p);
		if (!clock_at(text, i++))
			continue;
		around_line(text, 0, i, &at, &to);
		envelope_peel(tax->prefixes, span_sub(text, at, to), &env);
		if (env.time != ENVELOPE_NO_TIME)
			return env.time;
		i = to;
	}
	return ENVELOPE_NO_TIME;
}

int64_t before_last_time(const struct taxonomy *tax, struct span text)
{
	struct envelope env;
	size_t end = text.n, at, to;

	while ((at = clock_before(text, 0, end)) != SIZE_MAX) {
		around_line(text, 0, at, &end, &to);
		envelope_peel(tax->prefixes, span_sub(text, end, to), &env);
		if (env.time != ENVELOPE_NO_TIME)
			return env.time;
	}
	return ENVELOPE_NO_TIME;
}

int64_t before_time(struct before *k, const struct decode_block *b, size_t pos)
{
	struct stretch s = stretch_of(b, pos, 0);
	uint64_t first = s.base + s.from;
	struct envelope env;
	size_t at, to;

	s = stretch_of(b, pos, k->timed_to);
	k->timed_to = s.base + s.end;
	while ((at = clock_before(s.all, s.from, s.end)) != SIZE_MAX) {
		around_line(s.all, 0, at, &s.end, &to);
		if (s.end < s.from)
			break;
		envelope_peel(
		    k->tax->prefixes, span_sub(s.all, s.end, to), &env);
		if (env.time == ENVELOPE_NO_TIME)
			continue;
		k->time = env.time;
		k->time_at = s.base + s.end;
		return k->time;
	}
	if (k->time_at < first)
		k->time = ENVELOPE_NO_TIME;
	return k->time;
}
