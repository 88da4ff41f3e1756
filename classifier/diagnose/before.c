/* Searching backwards, never twice over the same bytes. */
#include "diagnose/before.h"

#include "diagnose/facts.h"
#include "diagnose/stage.h"

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

void before_begin(struct before *k)
{
	*k = (struct before){ 0 };
}

struct progress before_progress(
    struct before *k, const struct decode_block *b, size_t pos)
{
	struct stretch s = stretch_of(b, pos, k->searched_to);
	struct progress p;
	enum stage stage;
	size_t at = 0;

	k->searched_to = s.base + s.end;
	if (facts_progress_before(s.all, s.from, s.end, &p, &at)) {
		k->progress = p;
		k->at = s.base + at;
		k->known = true;
		k->stage = STAGE_UNKNOWN;
		s.from = at;
	} else if (k->known && k->searched_to - k->at > BEFORE_REACH) {
		k->known = false;
	}
	stage = stage_words(span_sub(s.all, s.from, s.end));
	if (stage != STAGE_UNKNOWN)
		k->stage = stage;
	return k->known ? k->progress : (struct progress){ -1, -1 };
}

int64_t before_time(const struct decode_block *b, size_t pos)
{
	struct stretch s = stretch_of(b, pos, 0);
	struct span line;
	struct envelope env;

	while (facts_line_before(s.all, s.from, &s.end, &line)) {
		envelope_peel(line, &env);
		if (env.time != ENVELOPE_NO_TIME)
			return env.time;
	}
	return ENVELOPE_NO_TIME;
}
