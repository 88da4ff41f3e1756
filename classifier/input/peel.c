/* What a recogniser reads: levels, times, places in a source. */
#include "input/peel.h"

#include "base/when.h"

#include <string.h>

unsigned peel_first(char c)
{
	if (peel_digit(c))
		return PEEL_DIGIT;
	if (peel_upper(c))
		return PEEL_UPPER;
	if (c >= 'a' && c <= 'z')
		return PEEL_LOWER;
	switch (c) {
	case ' ':
		return PEEL_BLANK;
	case '[':
		return PEEL_SQUARE;
	case '(':
		return PEEL_ROUND;
	case '<':
		return PEEL_ANGLE;
	case '-':
		return PEEL_DASH;
	case '|':
		return PEEL_BAR;
	case '/':
		return PEEL_SLASH;
	case '_':
		return PEEL_UNDER;
	case '#':
		return PEEL_HASH;
	default:
		return 0;
	}
}

static uint32_t rows_of(const struct peel_row *rows, size_t n, unsigned first)
{
	uint32_t some = 0;

	for (size_t i = 0; i < n; i++)
		some |= rows[i].first & first ? UINT32_C(1) << i : 0;
	return some;
}

struct peel_some peel_some(char first)
{
	unsigned bit = peel_first(first);

	return (struct peel_some){
		.origin = rows_of(origin_rows, origin_rows_n, bit),
		.logger = rows_of(logger_rows, logger_rows_n, bit),
	};
}

static const struct {
	const char *word;
	enum level level;
} levels[] = {
	{ "INFO", LEVEL_INFO },
	{ "ERROR", LEVEL_ERROR },
	{ "WARNING", LEVEL_WARNING },
	{ "WARN", LEVEL_WARNING },
	{ "DEBUG", LEVEL_DEBUG },
	{ "CRITICAL", LEVEL_FATAL },
	{ "FATAL", LEVEL_FATAL },
	{ "TRACE", LEVEL_DEBUG },
	{ "NOTICE", LEVEL_INFO },
	{ "SUCCESS", LEVEL_INFO },
	{ "SEVERE", LEVEL_ERROR },
	{ "ERR", LEVEL_ERROR },
	{ "CRIT", LEVEL_FATAL },
	{ "PANIC", LEVEL_FATAL },
	{ "ALERT", LEVEL_FATAL },
	{ "EMERG", LEVEL_FATAL },
};

static enum level find_level(struct span word, bool any_case)
{
	/* from "ERR" to "CRITICAL" */
	if (word.n < 3 || word.n > 8)
		return LEVEL_UNKNOWN;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
		const char *w = levels[i].word;
		size_t k = 0;

		for (; k < word.n && w[k]; k++)
			if (word.p[k] != w[k] &&
			    !(any_case && word.p[k] == w[k] + 32))
				break;
		if (k == word.n && !w[k])
			return levels[i].level;
	}
	return LEVEL_UNKNOWN;
}

enum level peel_level(struct span word)
{
	return find_level(word, true);
}

enum level peel_level_upper(struct span word)
{
	return find_level(word, false);
}

enum level peel_level_letter(char c)
{
	switch (c) {
	case 'D':
	case 'V':
		return LEVEL_DEBUG;
	case 'I':
		return LEVEL_INFO;
	case 'W':
		return LEVEL_WARNING;
	case 'E':
		return LEVEL_ERROR;
	case 'C':
	case 'F':
		return LEVEL_FATAL;
	default:
		return LEVEL_UNKNOWN;
	}
}

void peel_time(struct peel *p, const struct when *w)
{
	int worth = 1 + w->year + (w->year && w->zone);

	if (worth < p->time_worth)
		return;
	p->out->time = w->micros;
	p->time_worth = worth;
}

bool peel_source(struct span s)
{
	struct cursor c = cursor_of(s);
	struct span file;

	while (cursor_until(&c, ':', 160, &file)) {
		if (file.n && memchr(file.p, '.', file.n) &&
		    peel_digit(cursor_peek(&c)))
			return true;
	}
	return false;
}
