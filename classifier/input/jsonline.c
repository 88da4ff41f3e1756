/*
 * A key can only begin after a quote mark, and its first four bytes (a short
 * one's closing quote mark is the fourth) tell it from nearly all others. So
 * 16 bytes are looked over at once for the few that matter, and the four bytes
 * after each quote mark are compared with all keys at once.
 */
#include "input/jsonline.h"

#include "base/wide.h"

#include <string.h>

#define ESC '\033'
#define HEAD 4

const char *const jsonline_keys[] = { "log", "message", "msg", "event", "text",
	"body", "MESSAGE", NULL };

/* How each of them begins, with room for eight. */
static const char heads[] = "log\""
			    "mess"
			    "msg\""
			    "even"
			    "text"
			    "body"
			    "MESS"
			    "MESS";

static bool head_at(const char *p)
{
	typedef uint32_t fours __attribute__((vector_size(16)));
	uint32_t four;
	fours head[2];

	memcpy(&four, p, sizeof four);
	memcpy(head, heads, sizeof head);
	return wide_any((wide)((head[0] == four) | (head[1] == four)));
}

/* Bytes to look at; all others are plain wherever they stand. */
static wide which_marked(wide v)
{
	return (wide)(v <= '\b') | wide_is(v, '\n') | wide_is(v, '\r') |
	    wide_is(v, ESC) | wide_is(v, '"') | wide_is(v, '\\');
}

static bool plain(const char *marked)
{
	if (*marked == '"')
		return !head_at(marked + 1);
	return *marked == '\\' && marked[1] != 'u';
}

/* Bytes before the first that is not plain, as far as whole chunks go with
 * HEAD bytes behind each. */
static size_t plain_chunks(struct span s)
{
	size_t i = 0;

	for (; i + sizeof(wide) + HEAD <= s.n; i += sizeof(wide)) {
		unsigned seen = wide_bits(which_marked(wide_load(s.p + i)));

		for (; seen; seen &= seen - 1) {
			size_t at = i + (unsigned)__builtin_ctz(seen);

			if (!plain(s.p + at))
				return at;
		}
	}
	return i;
}

size_t jsonline_plain(struct span s)
{
	char end[2 * sizeof(wide) + HEAD];
	size_t i = plain_chunks(s);
	struct span rest = span_sub(s, i, s.n);

	/* the end once more, as if blanks came behind it */
	if (rest.n < sizeof(wide) + HEAD) {
		memset(end, ' ', sizeof end);
		memcpy(end, rest.p, rest.n);
		i += plain_chunks((struct span){ end, sizeof end });
	}
	return i < s.n ? i : s.n;
}

bool jsonline_may_be_record(struct span s)
{
	return span_starts(s, "{\"") && jsonline_plain(s) < s.n;
}

bool jsonline_is_none(struct span s)
{
	size_t n = span_starts(s, "{\"") ? jsonline_plain(s) : s.n;

	return n < s.n && (s.p[n] == '\n' || s.p[n] == '\r');
}
