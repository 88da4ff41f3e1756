/*
 * Three things tell that a log was cut, all of them from its last line: a bar
 * that is not full, and was neither closed nor followed by a word; a line
 * without an end that is the beginning of what its neighbours are; and a
 * length that is a number of buffers, which a process that died between two of
 * its writes leaves behind.
 */
#include "diagnose/signals/cut.h"

#include "base/wide.h"
#include "diagnose/evidence/around.h"

#define NEIGHBOURS 20
/* Programs that write to a file do so in buffers of a multiple of this. */
#define BUFFER 4096u

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number that ends before at, or -1. */
static int64_t number_before(struct span s, size_t at)
{
	size_t from = at;

	while (from > 0 && at - from < 15 && is_digit(s.p[from - 1]))
		from--;
	return from < at ? span_number(span_sub(s, from, at)) : -1;
}

/* The number that begins at `at`, or -1. */
static int64_t number_from(struct span s, size_t at)
{
	size_t to = at;

	while (to < s.n && to - at < 15 && is_digit(s.p[to]))
		to++;
	return to > at ? span_number(span_sub(s, at, to)) : -1;
}

/* Whether the bar "3/10 [==>....]" begins at the bracket: what it is drawn of
 * stands in it. */
static bool drawn(struct span s, size_t bracket)
{
	return bracket + 1 < s.n &&
	    (s.p[bracket + 1] == '=' || s.p[bracket + 1] == '>' ||
		s.p[bracket + 1] == '.');
}

bool cut_bar(struct span line)
{
	for (size_t i = 1; i + 1 < line.n && i < 2000; i++) {
		int64_t n = number_before(line, i), of;
		size_t at = i + 1;

		if (n < 0)
			continue;
		if (line.p[i] == '%' && line.p[i + 1] == '|')
			return n < 100;
		if (line.p[i] != '/' || (of = number_from(line, at)) < 0)
			continue;
		while (at < line.n && is_digit(line.p[at]))
			at++;
		if (at + 1 < line.n && line.p[at] == ' ' &&
		    line.p[at + 1] == '[' && drawn(line, at + 1))
			return n < of;
	}
	return false;
}

/* The line before *end, which is moved to its start. */
static bool line_back(struct span all, size_t *end, struct span *line)
{
	size_t at;

	while (*end > 0 && around_end(all.p[*end - 1]))
		--*end;
	if (*end == 0)
		return false;
	at = span_line_start(all, 0, *end);
	*line = span_sub(all, at, *end);
	*end = at;
	return true;
}

/* The end of the run of digits at i, or i. */
static size_t past_digits(struct span s, size_t i)
{
	while (i < s.n && is_digit(s.p[i]))
		i++;
	return i;
}

/* How a and b compare, whatever their numbers are: 0: they differ, 1: a is the
 * beginning of b, 2: they are the same. */
static int begins(struct span a, struct span b)
{
	size_t i = 0, k = 0;

	while (i < a.n) {
		if (k == b.n)
			return 0;
		if (is_digit(a.p[i]) && is_digit(b.p[k])) {
			i = past_digits(a, i);
			k = past_digits(b, k);
		} else if (a.p[i++] != b.p[k++]) {
			return 0;
		}
	}
	return k < b.n ? 1 : 2;
}

/* Whether the last line is the beginning of what a neighbour is. */
static bool torn(struct span all, size_t end, struct span last)
{
	struct span line;
	bool longer = false;

	for (int i = 0; i < NEIGHBOURS && line_back(all, &end, &line); i++) {
		int how = begins(last, line);

		if (how == 2)
			return false;
		longer |= how == 1;
	}
	return longer;
}

enum cut cut_of_end(struct span all)
{
	size_t end = all.n, at;
	struct span last, before;
	bool closed = all.n && all.p[all.n - 1] == '\n';

	if (!line_back(all, &end, &last))
		return CUT_NO;
	at = end;
	if (cut_bar(last)) {
		/* a bar that is drawn over itself is closed by a new line; one
		 * on lines of its own never is */
		if (closed && at > 0 && all.p[at - 1] == '\n' &&
		    line_back(all, &end, &before))
			closed = !cut_bar(before);
		return closed ? CUT_NO : CUT_BAR;
	}
	if (around_end(all.p[all.n - 1]))
		return CUT_NO;
	return torn(all, end, last) ? CUT_LINE : CUT_OPEN;
}

enum cut cut_by_length(enum cut cut, uint64_t bytes)
{
	if (cut != CUT_OPEN)
		return cut;
	return bytes % BUFFER ? CUT_NO : CUT_LINE;
}

/* 255 for each byte that is none of a text's: a control character other than
 * those from \a to \r and ESC. */
static wide odd(wide v)
{
	wide low = (wide)(v < 0x20) & ~(wide)(v - '\a' <= '\r' - '\a');

	return (low & ~wide_is(v, 0x1b)) | wide_is(v, 0x7f);
}

size_t cut_odd_bytes(struct span s)
{
	size_t all = 0;

	while (s.n >= sizeof(wide)) {
		size_t n = s.n / sizeof(wide) < 255 ? s.n / sizeof(wide) : 255;
		wide sum = { 0 };

		s.n -= n * sizeof(wide);
		for (; n; n--, s.p += sizeof(wide))
			sum -= odd(wide_load(s.p));
		all += wide_sum(sum);
	}
	if (s.n) {
		char rest[sizeof(wide)] = { 0 };

		memcpy(rest, s.p, s.n);
		all += wide_sum(-odd(wide_load(rest))) - (sizeof rest - s.n);
	}
	return all;
}

/* One byte in so many is none of a text's, and more than a few are; of few
 * bytes more must be. */
#define ODD_SHARE 50
#define ODD_LEAST 8
#define ODD_SHARE_FEW 16
#define ODD_LEAST_FEW 3
/* In a log too short for these, bytes count that are no UTF-8, too: of other
 * encodings few words hold so many. In one of a few bytes each counts. */
#define ODD_SHARE_SHORT 6
#define TINY_LOG 16

bool cut_no_text(
    const struct cut_bytes *b, size_t most, uint64_t bytes, uint64_t nul)
{
	size_t seen = b->seen < most ? b->seen : most;
	size_t odd = b->odd;

	if ((odd >= ODD_LEAST && odd > seen / ODD_SHARE) ||
	    (odd >= ODD_LEAST_FEW && odd > seen / ODD_SHARE_FEW))
		return true;
	/* nothing but NUL: what was to be written never was */
	if (!seen || bytes > CUT_SHORT)
		return nul && nul == bytes;
	odd += b->bad + (size_t)nul;
	return odd &&
	    (bytes <= TINY_LOG || odd > (size_t)bytes / ODD_SHARE_SHORT);
}
