/*
 * A key can only begin after a quote mark, and its first four bytes (a short
 * one's closing quote mark is the fourth) tell it from nearly all others. So
 * 16 bytes are looked over at once for the few that matter, and what the four
 * bytes after each quote mark hash to is a bit.
 */
#include "input/jsonline.h"

#include "base/wide.h"
#include "input/jsonkeys.h"

#include <string.h>

#define ESC '\033'
#define HEAD JSONKEYS_HEAD

static bool head_at(const struct jsonkeys *keys, const char *p)
{
	uint32_t head;
	unsigned bit;

	memcpy(&head, p, sizeof head);
	bit = jsonkeys_hash(head);
	if (!(keys->maybe[bit / 32] >> bit % 32 & 1))
		return false;
	for (size_t i = 0; i < keys->n_heads; i++)
		if (keys->heads[i] == head)
			return true;
	return false;
}

/* Bytes to look at; all others are plain wherever they stand. */
static wide which_marked(wide v)
{
	return (wide)(v <= '\b') | wide_is(v, '\n') | wide_is(v, '\r') |
	    wide_is(v, ESC) | wide_is(v, '"') | wide_is(v, '\\');
}

static bool plain(const struct jsonkeys *keys, const char *marked)
{
	if (*marked == '"')
		return !head_at(keys, marked + 1);
	return *marked == '\\' && marked[1] != 'u';
}

/* Bytes before the first that is not plain, as far as whole chunks go with
 * HEAD bytes behind each. */
static size_t plain_chunks(const struct jsonkeys *keys, struct span s)
{
	size_t i = 0;

	for (; i + sizeof(wide) + HEAD <= s.n; i += sizeof(wide)) {
		unsigned seen = wide_bits(which_marked(wide_load(s.p + i)));

		for (; seen; seen &= seen - 1) {
			size_t at = i + (unsigned)__builtin_ctz(seen);

			if (!plain(keys, s.p + at))
				return at;
		}
	}
	return i;
}

size_t jsonline_plain(const struct jsonkeys *keys, struct span s)
{
	char end[2 * sizeof(wide) + HEAD];
	size_t i = plain_chunks(keys, s);
	struct span rest = span_sub(s, i, s.n);

	/* the end once more, as if blanks came behind it */
	if (rest.n < sizeof(wide) + HEAD) {
		memset(end, ' ', sizeof end);
		memcpy(end, rest.p, rest.n);
		i += plain_chunks(keys, (struct span){ end, sizeof end });
	}
	return i < s.n ? i : s.n;
}

bool jsonline_may_be_record(const struct jsonkeys *keys, struct span s)
{
	return span_starts(s, "{\"") && jsonline_plain(keys, s) < s.n;
}

bool jsonline_is_none(const struct jsonkeys *keys, struct span s)
{
	size_t n = span_starts(s, "{\"") ? jsonline_plain(keys, s) : s.n;

	return n < s.n && (s.p[n] == '\n' || s.p[n] == '\r');
}

size_t jsonline_behind(struct span s)
{
	const char *open;
	size_t from, at = 0;

	while (at < s.n && (open = memchr(s.p + at, '{', s.n - at)) != NULL) {
		at = (size_t)(open - s.p) + 1;
		/* what cleaning drops may stand in between */
		if (at < s.n && s.p[at] != '"' && s.p[at] >= ' ')
			continue;
		from = span_line_start(s, 0, at - 1);
		if (from < at - 1)
			return from;
		while (at < s.n && s.p[at] != '\n' && s.p[at] != '\r')
			at++;
	}
	return s.n;
}
