/*
 * A word with a digit in it is a number for this purpose: steps, ranks, nodes,
 * hashes and temporary names all differ between runs.
 */
#include "reports/explain/explain_diff_line.h"

#include "base/buf.h"

#include <string.h>

#define KEY_MAX 48
#define VALUE_MAX 80
#define WORDS_MAX 4

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (unsigned char)c >= 0x80;
}

static bool word(char c)
{
	return digit(c) || letter(c) || c == '_';
}

bool explain_diff_between(char c)
{
	return !digit(c) && !letter(c);
}

static size_t word_end(struct span s, size_t at)
{
	while (at < s.n && word(s.p[at]))
		at++;
	return at;
}

/* ---- the shape ---- */

/* A block element of a progress bar, U+2580 to U+259F. */
static bool bar(struct span s, size_t i)
{
	return i + 2 < s.n && memcmp(s.p + i, "\xe2\x96", 2) == 0;
}

static bool differs(struct span w)
{
	for (size_t i = 0; i < w.n; i++)
		if (digit(w.p[i]))
			return true;
	return w.n > 8 && span_starts(w, "tmp");
}

int explain_diff_shape(struct buf *out, struct span line, bool *words)
{
	char last = ' ';
	int rc = 0;

	*words = false;
	for (size_t i = 0; i < line.n && !rc;) {
		size_t end = word_end(line, i);
		char c = line.p[i];

		if (bar(line, i)) {
			i += 3;
		} else if (end > i && differs(span_sub(line, i, end))) {
			/* "12:30:01", "1.5e-3", "a1/b2" are one number */
			if (last != '#')
				rc = buf_addc(out, '#');
			last = '#';
			i = end;
			while (i < line.n && strchr(".,:/-+%", line.p[i]) &&
			    differs(
				span_sub(line, i + 1, word_end(line, i + 1))))
				i = word_end(line, i + 1);
		} else if (end > i) {
			for (size_t k = i; k < end; k++)
				*words |= letter(line.p[k]);
			rc = buf_add(out, line.p + i, end - i);
			last = 'a';
			i = end;
		} else {
			c = c == '\t' ? ' ' : c;
			if (c != last)
				rc = buf_addc(out, c);
			last = c;
			i++;
		}
	}
	return rc;
}

/* ---- settings and versions ---- */

static struct span unquoted(struct span s)
{
	while (s.n && strchr("'\"", s.p[0]))
		s = span_sub(s, 1, s.n);
	while (s.n && strchr("'\",;", s.p[s.n - 1]))
		s.n--;
	return s;
}

static bool ends_token(char c)
{
	return strchr(" \t,;()[]{}<>|", c) != NULL;
}

/* How many dots stand between digits in "2.1.0+cu118" or "v12.4"; 0: it is no
 * version. */
static size_t version_dots(struct span s)
{
	size_t dots = 0, i = s.n && s.p[0] == 'v';

	if (i >= s.n || !digit(s.p[i]))
		return 0;
	for (; i + 1 < s.n; i++) {
		if (!digit(s.p[i]) && s.p[i] != '.')
			break;
		dots += s.p[i] == '.' && digit(s.p[i + 1]);
	}
	return dots;
}

/* Three numbers tell by themselves that they are a version; four are an
 * address. */
static bool version(struct span s, bool line_tells)
{
	size_t dots = version_dots(s);

	return line_tells ? dots > 0 : dots == 2;
}

static bool good_key(struct span k)
{
	if (k.n == 0 || k.n > KEY_MAX || !(letter(k.p[0]) || k.p[0] == '_'))
		return false;
	for (size_t i = 0; i < k.n; i++)
		if (!word(k.p[i]) && k.p[i] != '.' && k.p[i] != '-')
			return false;
	return true;
}

/* Up to WORDS_MAX words, each of which may be a key. */
static bool good_words(struct span k)
{
	size_t words = 0;

	while (k.n) {
		size_t end = span_find(k, " ");

		end = end == SIZE_MAX ? k.n : end;
		if (words++ == WORDS_MAX || !good_key(span_sub(k, 0, end)))
			return false;
		k = span_trim(span_sub(k, end, k.n));
	}
	return words > 0;
}

/* "batch size: 32", "lr = 0.1", "lr ........ 0.1": a whole part of a line. */
static bool whole_pair(struct span part, struct span *key, struct span *value)
{
	static const char *const between[] = { ": ", " = ", " ...", NULL };
	size_t at = SIZE_MAX, i = 0;

	while (part.n && strchr(" \t{[(", part.p[0]))
		part = span_sub(part, 1, part.n);
	while (part.n && strchr(" \t}])", part.p[part.n - 1]))
		part.n--;
	while (between[i] && (at = span_find(part, between[i])) == SIZE_MAX)
		i++;
	if (at == SIZE_MAX)
		return false;
	*key = unquoted(span_trim(span_sub(part, 0, at)));
	at += strlen(between[i]);
	while (between[i][1] == '.' && at < part.n && part.p[at] == '.')
		at++;
	*value = unquoted(span_trim(span_sub(part, at, part.n)));
	return key->n <= KEY_MAX && good_words(*key) && value->n &&
	    value->n <= VALUE_MAX && span_find(*value, " ") == SIZE_MAX;
}

/* The words right before a version: "CUDA version". */
static struct span words_before(struct span part, size_t from, size_t at)
{
	struct span s = span_trim(span_sub(part, from, at));

	while (s.n && strchr(":=,(| ", s.p[s.n - 1]))
		s.n--;
	for (size_t i = s.n; i-- > 0;)
		if (strchr("()[]", s.p[i]))
			return span_trim(span_sub(s, i + 1, s.n));
	return s;
}

/* "--key=value" or "name==version". */
static bool token_pair(struct span token, enum explain_pair *kind,
    struct span *key, struct span *value)
{
	size_t eq = span_find(token, "=");
	bool pin;

	if (eq == SIZE_MAX)
		return false;
	pin = eq + 1 < token.n && token.p[eq + 1] == '=';
	*kind = pin ? PAIR_VERSION : PAIR_SETTING;
	*key = unquoted(span_sub(token, 0, eq));
	while (key->n && key->p[0] == '-')
		*key = span_sub(*key, 1, key->n);
	*value = unquoted(span_sub(token, eq + 1 + pin, token.n));
	return good_key(*key) && value->n && value->n <= VALUE_MAX;
}

bool explain_diff_pair(
    struct span line, bool versions, size_t *at, struct explain_setting *out)
{
	struct span *key = &out->key, *value = &out->value;
	size_t from = *at;

	while (*at < line.n) {
		bool begins =
		    *at == 0 || strchr(",;|", line.p[*at - 1]) != NULL;
		size_t part = *at, start = *at, end;
		struct span token;

		while (part < line.n && !strchr(",;|", line.p[part]))
			part++;
		if (begins && !versions &&
		    whole_pair(span_sub(line, *at, part), key, value)) {
			*at = part + (part < line.n);
			out->kind = version(*value, false) ? PAIR_VERSION
							   : PAIR_SETTING;
			return true;
		}
		while (start < part && ends_token(line.p[start]))
			start++;
		end = start;
		while (end < part && !ends_token(line.p[end]))
			end++;
		from = begins ? *at : from;
		*at = end + (end < line.n);
		token = span_sub(line, start, end);
		if (token_pair(token, &out->kind, key, value))
			return true;
		if (version(unquoted(token), versions)) {
			out->kind = PAIR_VERSION;
			*key = words_before(line, from, start);
			*value = unquoted(token);
			from = end;
			if (key->n && key->n <= KEY_MAX)
				return true;
		}
	}
	return false;
}

bool explain_diff_count(struct span line, struct span *value)
{
	size_t at = 0, numbers = 0;

	if (line.n > VALUE_MAX)
		return false;
	while (at < line.n) {
		size_t end = word_end(line, at);
		struct span w = span_sub(line, at, end);

		if (end > at && differs(w)) {
			for (size_t i = 0; i < w.n; i++)
				if (!digit(w.p[i]))
					return false;
			if (numbers++ ||
			    (at && strchr(".:/-", line.p[at - 1])) ||
			    (end < line.n && strchr(":/-%", line.p[end])) ||
			    (end + 1 < line.n && line.p[end] == '.' &&
				word(line.p[end + 1])))
				return false;
			*value = w;
		}
		at = end + (end == at);
	}
	return numbers == 1;
}
