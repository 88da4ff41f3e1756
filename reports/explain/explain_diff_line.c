/*
 * A word with a digit in it is a number for this purpose: steps, ranks, nodes,
 * hashes and temporary names all differ between runs.
 */
#include "reports/explain/explain_diff_line.h"

#include "base/buf.h"

#include <string.h>

#define KEY_MAX 48
#define VALUE_MAX 80

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

/* "2.1.0+cu118", "v12.4": digits with a dot in them. */
static bool version(struct span s)
{
	size_t dots = 0, i = s.n && s.p[0] == 'v';

	if (i >= s.n || !digit(s.p[i]))
		return false;
	for (; i + 1 < s.n; i++) {
		if (!digit(s.p[i]) && s.p[i] != '.')
			break;
		dots += s.p[i] == '.' && digit(s.p[i + 1]);
	}
	return dots > 0;
}

static bool mentions_version(struct span line)
{
	static const char *const words[] = { "ersion", "==", "CUDA", "cuda",
		"driver", "Driver", "cuDNN", "NCCL version", NULL };

	for (size_t i = 0; words[i]; i++)
		if (span_find(line, words[i]) != SIZE_MAX)
			return true;
	return false;
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

/* "key: value", the whole line. */
static bool yaml_pair(struct span line, struct span *key, struct span *value)
{
	size_t colon;

	line = span_trim(line);
	colon = span_find(line, ": ");
	if (colon == SIZE_MAX)
		return false;
	*key = unquoted(span_sub(line, 0, colon));
	*value = unquoted(span_trim(span_sub(line, colon + 2, line.n)));
	return good_key(*key) && value->n && value->n <= VALUE_MAX &&
	    span_find(*value, " ") == SIZE_MAX;
}

/* The words right before a version: "CUDA version". */
static struct span words_before(struct span line, size_t from, size_t at)
{
	struct span s = span_trim(span_sub(line, from, at));

	while (s.n && strchr(":=,(| ", s.p[s.n - 1]))
		s.n--;
	for (size_t i = s.n; i-- > 0;)
		if (strchr(",;|()[]", s.p[i]))
			return span_trim(span_sub(s, i + 1, s.n));
	return s;
}

bool explain_diff_pair(struct span line, size_t *at, enum explain_pair *kind,
    struct span *key, struct span *value)
{
	bool versions = mentions_version(line);
	size_t from = *at, eq;

	if (*at == 0 && !versions && yaml_pair(line, key, value)) {
		*at = line.n;
		*kind = PAIR_SETTING;
		return true;
	}
	while (*at < line.n) {
		size_t start = *at, end;
		struct span token;

		while (start < line.n && ends_token(line.p[start]))
			start++;
		end = start;
		while (end < line.n && !ends_token(line.p[end]))
			end++;
		*at = end + (end < line.n);
		token = span_sub(line, start, end);
		eq = span_find(token, "=");
		if (eq != SIZE_MAX) {
			bool pin = eq + 1 < token.n && token.p[eq + 1] == '=';

			*kind = pin ? PAIR_VERSION : PAIR_SETTING;
			*key = unquoted(span_sub(token, 0, eq));
			while (key->n && key->p[0] == '-')
				*key = span_sub(*key, 1, key->n);
			*value =
			    unquoted(span_sub(token, eq + 1 + pin, token.n));
			if (good_key(*key) && value->n && value->n <= VALUE_MAX)
				return true;
		} else if (versions && version(unquoted(token))) {
			*kind = PAIR_VERSION;
			*key = words_before(line, from, start);
			*value = unquoted(token);
			from = end;
			if (key->n && key->n <= KEY_MAX)
				return true;
		}
	}
	return false;
}
