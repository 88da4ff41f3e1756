/*
 * Prefixes are rows of two tables and the taxonomy's own, tried in order until
 * one matches, over and over. Collectors come before launchers and launchers
 * before loggers, so a row of an earlier phase is not looked for behind a later
 * one: "12: " after "ERROR:root:" belongs to the message.
 */
#include "input/envelope.h"

#include "input/peel.h"
#include "input/prefixes.h"

#include <string.h>

#define PREFIXES_MAX 8

/* Rows recognised by what follows them, or by very little. */
static bool is_weak(const char *name)
{
	return strcmp(name, "pdsh") == 0 || strcmp(name, "srun --label") == 0;
}

/* Peel the first of some rows, each a bit, that matches; false when none does.
 */
static bool try_rows(struct peel *p, const struct peel_row *rows, uint32_t some,
    int *phase, bool shallow)
{
	for (; some; some &= some - 1) {
		const struct peel_row *r = &rows[__builtin_ctz(some)];
		size_t peeled;

		if ((r->phase >= 0 && r->phase < *phase) ||
		    (shallow && is_weak(r->name)) ||
		    (p->out->kernel && r->phase != 0))
			continue;
		peeled = r->peel(p);
		if (!peeled)
			continue;
		if (r->phase > *phase)
			*phase = r->phase;
		p->after_log |= r->phase == 2;
		p->s = span_sub(p->s, peeled, p->s.n);
		return true;
	}
	return false;
}

bool envelope_step(struct peel *p, int *phase, bool shallow)
{
	struct peel_some some;

	if (p->s.n == 0)
		return false;
	some = prefixes_rows(p->more, *p->s.p);
	return prefixes_peel(p->more, p, phase, true) ||
	    try_rows(p, origin_rows, some.origin, phase, shallow) ||
	    try_rows(p, logger_rows, some.logger, phase, shallow) ||
	    prefixes_peel(p->more, p, phase, false);
}

/* What the text itself says in its first words, which rules need to see. */
static void note_start(struct envelope *out)
{
	struct cursor c = cursor_of(out->text);
	struct span word = cursor_run(&c, peel_word);
	int rank;

	if (cursor_eat(&c, ": ") && word.n) {
		enum level level = peel_level_upper(word);

		if (!level && span_is(word, "error"))
			level = LEVEL_ERROR;
		if (!level && cursor_eat(&c, "error: "))
			level = LEVEL_ERROR;
		if (!level && cursor_eat(&c, "fatal: "))
			level = LEVEL_FATAL;
		if (level)
			out->level = level;
	}
	c = cursor_of(out->text);
	if (out->rank < 0 && cursor_eat(&c, "[Rank ")) {
		rank = cursor_number(&c);
		if (rank >= 0 && cursor_peek(&c) == ']')
			out->rank = rank;
	}
}

void envelope_peel(
    const struct prefixes *more, struct span line, struct envelope *out)
{
	struct peel p = { .s = line, .more = more, .out = out };
	int phase = 0;

	*out = (struct envelope){
		.time = ENVELOPE_NO_TIME,
		.uptime = -1,
		.rank = -1,
		.local_rank = -1,
	};
	/* Megatron-LM begins its lines with a blank */
	if (line.n > 2 && line.p[0] == ' ' && line.p[1] == '[' &&
	    peel_digit(line.p[2]))
		p.s = span_sub(line, 1, line.n);
	for (int i = 0; i < PREFIXES_MAX; i++) {
		if (!envelope_step(&p, &phase, false))
			break;
		if (!out->outer)
			out->outer = out->level;
	}
	out->text = p.s.n + 1 == line.n ? line : p.s;
	note_start(out);
}
