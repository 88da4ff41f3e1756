#include "rules/digits.h"

#include <stddef.h>
#include <string.h>

#define DIGITS "0123456789"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* What stands behind a backslash and is no digit, nor what a group has found:
 * signs, and these letters. NULL: it may be. */
static const char *escape(const char *p)
{
	bool known = *p && !digits_is(*p) &&
	    (!is_letter(*p) || strchr("dDwWsSbBAzZhHvVnrtfe", *p));

	return known ? p + 1 : NULL;
}

/* Behind what stands in a class and begins at p; *digit: it is that one, or 0.
 * NULL: it cannot be told. */
static const char *member(const char *p, char *digit)
{
	*digit = digits_is(*p) ? *p : 0;
	if (p[0] == '[' && p[1] == ':') {
		p = strstr(p, ":]");
		return p ? p + 2 : NULL;
	}
	if (*p == '\\')
		return escape(p + 1);
	return *p ? p + 1 : NULL;
}

/* Behind the class whose "[" stands before p. NULL: it has some digits. */
static const char *class(const char *p)
{
	char from, to;

	p += *p == '^';
	do {
		p = member(p, &from);
		to = from;
		if (p && p[0] == '-' && p[1] != ']')
			p = member(p + 1, &to);
		if (!p || ((from || to) && (from != '0' || to != '9')))
			return NULL;
	} while (*p != ']');
	return p + 1;
}

/* Behind the repeat whose "{" stands before p; or p: it is none. */
static const char *repeat(const char *p)
{
	size_t n = strspn(p, DIGITS);

	if (n && p[n] == ',')
		n += 1 + strspn(p + n + 1, DIGITS);
	return n && p[n] == '}' ? p + n + 1 : p;
}

/* Behind what says of which kind a group is, whose "(" stands before p. NULL:
 * one that asks for another. */
static const char *group(const char *p)
{
	if (*p == '*')
		return NULL;
	if (*p != '?')
		return p;
	p++;
	p += p[0] == 'P' && p[1] == '<';
	if (p[0] == '<' && p[1] != '=' && p[1] != '!') {
		p = strchr(p, '>');
		return p ? p + 1 : NULL;
	}
	return *p && strchr(":=!<>|imsx^", *p) ? p + 1 : NULL;
}

bool digits_alike(const char *expression)
{
	const char *p = expression;

	while (p && *p) {
		char c = *p++;

		if (digits_is(c))
			return false;
		if (c == '\\')
			p = escape(p);
		else if (c == '[')
			p = class(p);
		else if (c == '{')
			p = repeat(p);
		else if (c == '(')
			p = group(p);
	}
	return p != NULL;
}

/* The highest bit of those of eight bytes that are digits. */
static uint64_t digits_of(uint64_t v)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t x = v ^ each * '0';

	return ~(((x & each * 0x7f) + each * (0x80 - 10)) | x) & each * 0x80;
}

uint64_t digits_drop(struct span text, char *to, bool *digits)
{
	const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t h = text.n * mix, v, found, any = 0;

	for (size_t i = 0; i < text.n; i += sizeof v) {
		size_t n = text.n - i;

		v = 0;
		memcpy(&v, text.p + i, n < sizeof v ? n : sizeof v);
		found = digits_of(v);
		any |= found;
		/* all that tells a digit from '0' is in its lowest four bits */
		v &= ~((found >> 7) * 0x0f);
		memcpy(to + i, &v, sizeof v);
		h = (h ^ v) * mix;
		h ^= h >> 32;
	}
	*digits = any != 0;
	return h;
}
