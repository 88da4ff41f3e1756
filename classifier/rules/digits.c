#include "rules/digits.h"

#include <stddef.h>
#include <string.h>

#define DIGITS "0123456789"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Behind "x1b", a byte that is no digit; or NULL. */
static const char *byte(const char *p)
{
	static const char hex[] = "0123456789abcdefABCDEF";

	return strspn(p + 1, hex) < 2 || p[1] == '3' ? NULL : p + 3;
}

/* What stands behind a backslash and is no digit, nor what a group has found:
 * signs, and these letters. NULL: it may be. */
static const char *escape(const char *p)
{
	if (*p == 'x')
		return byte(p);
	return *p && !digits_is(*p) &&
		(!is_letter(*p) || strchr("dDwWsSbBAzZhHvVnrtfe", *p))
	    ? p + 1
	    : NULL;
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

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static void add(struct digits_set *set, char c)
{
	c = fold(c);
	set->bits[(c >> 6) & 1] |= (uint64_t)1 << (c & 63);
}

static bool holds(const struct digits_set *set, char c)
{
	c = fold(c);
	return c >= 0 && set->bits[c >> 6] >> (c & 63) & 1;
}

/* A class of signs. */
struct signs {
	struct digits_set set;
	bool some;  /* it has some digits, not all, */
	bool other; /* and something else */
	bool vague; /* the set is not all of it */
};

/* Members from p to the one that ends before `end`. */
static void add_range(struct signs *c, const char *p, char from, char to)
{
	c->vague |= *p == '[' || *p == '\\' || from < 0 || to < 0;
	for (int i = from; i <= to && !c->vague; i++)
		add(&c->set, (char)i);
}

#define ALL_DIGITS (UINT64_C(0x3ff) << '0')

static bool any_digits(const struct digits_set *set)
{
	return set->bits[0] & ALL_DIGITS;
}

static bool only_digits(const struct digits_set *set)
{
	return !(set->bits[0] & ~ALL_DIGITS) && !set->bits[1];
}

/* Behind the class whose "[" stands before p. NULL: it cannot be told. */
static const char *class(const char *p, struct signs *c)
{
	*c = (struct signs){ .vague = *p == '^' };
	p += *p == '^';
	do {
		const char *first = p;
		char from, to, last = *p;

		p = member(p, &from);
		to = from;
		if (p && p[0] == '-' && p[1] != ']') {
			last = p[1];
			c->vague |= last == '\\';
			p = member(p + 1, &to);
		}
		if (!p)
			return NULL;
		c->some |= (from || to) && (from != '0' || to != '9');
		c->other |= !from || !to;
		add_range(c, first, *first, last);
	} while (*p != ']');
	c->vague |= !c->some || c->other ? any_digits(&c->set) : false;
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

#define DEEP 16 /* groups in each other */

/* A group that is open: what stood before it, how many digits were named
 * there, and what its branches ended with. */
struct branches {
	struct digits_row before, end;
	struct span word;
	size_t n;
	bool several, zero; /* it takes nothing of the text */
};

/* An expression being read. */
struct reading {
	const char *p;
	/* what was read, and what before the last sign or group */
	struct digits_row now, was;
	enum { OTHER, SIGN, GROUP } last;
	/* letters that must have stood: a word, those read last */
	struct span word, letters;
	struct branches group[DEEP];
	unsigned depth;
	bool blank; /* blanks may say nothing */
	/* the last group that captures: how deep it is, whether it takes no
	 * digit */
	unsigned captures;
	bool plain;
	struct digits_row *v;
	size_t n, max;
};

/* Something that may be anything. */
static void vague(struct reading *r)
{
	r->was = r->now = (struct digits_row){ .n = 0 };
	r->last = OTHER;
}

static struct digits_row with(struct digits_row b, const struct digits_set *set)
{
	memmove(b.before + 1, b.before, sizeof b.before - sizeof *b.before);
	b.before[0] = *set;
	if (b.n < DIGITS_BEFORE)
		b.n++;
	else
		b.edge = false;
	return b;
}

/* The one or the other. */
static struct digits_row either(struct digits_row a, struct digits_row b)
{
	a.edge = a.edge && b.edge && a.n == b.n;
	a.n = a.n < b.n ? a.n : b.n;
	for (size_t i = 0; i < a.n; i++)
		for (size_t k = 0; k < 2; k++)
			a.before[i].bits[k] |= b.before[i].bits[k];
	return a;
}

static void sign(struct reading *r, const struct digits_set *set)
{
	r->was = r->now;
	r->now = with(r->now, set);
	r->last = SIGN;
}

/* Rows of which is not known yet what stands behind them (NEXT), or behind the
 * group that they end (LAST), become something else. */
static void become(
    struct reading *r, size_t from, enum digits_end was, enum digits_end now)
{
	for (; from < r->n && from < r->max; from++)
		if (r->v[from].end == was)
			r->v[from].end = now;
}

/* A digit may be read. */
static void no_longer_plain(struct reading *r)
{
	if (r->depth >= r->captures)
		r->plain = false;
}

/* All of another branch, or anything. */
static void anew(struct reading *r)
{
	no_longer_plain(r);
	become(r, 0, DIGITS_NEXT, DIGITS_OPEN);
	vague(r);
}

/* ---- letters ---- */

#define WORD 4 /* letters that tell enough */

/* The last is the nearest to what is read: what an expression begins with, most
 * texts that it is run on have. */
static struct span last_word(const struct reading *r)
{
	size_t least = r->word.n < WORD ? r->word.n + 1 : WORD;

	return r->letters.n >= least ? r->letters : r->word;
}

/* What is read next stands beside none of those before. */
static void end_letters(struct reading *r)
{
	r->word = last_word(r);
	r->letters = (struct span){ NULL, 0 };
}

/* The letter at p is one that must stand there. */
static void must_stand(struct reading *r, const char *p)
{
	if (r->letters.n && r->letters.p + r->letters.n != p)
		end_letters(r);
	if (r->blank)
		return;
	if (!r->letters.n)
		r->letters.p = p;
	r->letters.n++;
}

/* The letter before p need not stand there, or does so more often. */
static void need_not_stand(struct reading *r, const char *p)
{
	if (r->letters.n && r->letters.p + r->letters.n == p) {
		r->letters.n--;
		end_letters(r);
	}
}

/* One of these signs is read, or may be. */
static void behind(struct reading *r, const struct digits_set *set)
{
	bool maybe = (*r->p && strchr("?*{", *r->p)) || r->blank;

	for (size_t i = 0; i < r->n && i < r->max; i++) {
		struct digits_row *row = &r->v[i];

		if (row->end != DIGITS_NEXT)
			continue;
		row->behind.bits[0] |= set->bits[0];
		row->behind.bits[1] |= set->bits[1];
		row->end = maybe ? DIGITS_NEXT : DIGITS_CLOSED;
	}
}

#define NO_SIGN '\0' /* the end of a text, or what is not ASCII */

/* What is read next is a word's end or begin: behind a digit no word goes on.
 */
static void word_ends(struct reading *r)
{
	struct digits_set set = { { 0 } };

	add(&set, NO_SIGN);
	for (int c = 1; c < 128; c++)
		if (!is_letter((char)c) && !digits_is(c) && c != '_')
			add(&set, (char)c);
	behind(r, &set);
}

static void letter(struct reading *r, char c)
{
	struct digits_set set = { { 0 } };

	if (c < 0) {
		anew(r);
		return;
	}
	add(&set, c);
	if (!digits_is(c))
		behind(r, &set);
	sign(r, &set);
}

/* Whether a digit has been read last. */
static bool in_row(const struct reading *r)
{
	return r->now.n && only_digits(r->now.before);
}

/* One more of the digits that have been read last. */
static void longer(struct reading *r)
{
	for (size_t i = 0; i < r->n && i < r->max; i++)
		if (r->v[i].end == DIGITS_NEXT && r->v[i].length > 0)
			r->v[i].length++;
}

/* One digit or some may stand here. */
static void named(struct reading *r)
{
	struct digits_row row = r->now;

	no_longer_plain(r);
	/* all in a row begin where the first does */
	if (in_row(r)) {
		longer(r);
		return;
	}
	if (r->blank)
		row = (struct digits_row){ .n = 0 };
	row.length = row.n ? !any_digits(row.before) : row.edge;
	row.end = DIGITS_NEXT;
	row.word = last_word(r);
	if (r->n < r->max)
		r->v[r->n] = row;
	r->n += r->n <= r->max;
}

/* What says how often the last one stands there has been read. */
static void times(struct reading *r, bool none, bool many)
{
	struct digits_row one = r->now, all = one;

	r->p += *r->p == '?' || *r->p == '+';
	if (r->last != SIGN || in_row(r))
		become(r, 0, DIGITS_NEXT, DIGITS_OPEN);
	if (many && r->last != SIGN) {
		vague(r);
		return;
	}
	for (int i = 1; many && i < DIGITS_BEFORE; i++) {
		struct digits_set set = one.before[0];

		one = with(one, &set);
		all = either(all, one);
	}
	r->now = none ? either(all, r->was) : all;
	r->last = OTHER;
}

static bool open_group(struct reading *r)
{
	const char *p = r->p, *q = group(p);
	bool named_group = p[0] == '?' && (p[1] == 'P' || p[1] == '<');
	bool behind = named_group && (p[2] == '=' || p[2] == '!');
	bool ahead = p[0] == '?' && (p[1] == '=' || p[1] == '!');

	if (!q || r->depth == DEEP)
		return false;
	if (behind)
		q = p + 3;
	if (p[0] == '?' && strchr("imsx^", p[1])) {
		for (q = p + 1; *q && strchr("imsxn^-", *q); q++)
			r->blank |= *q == 'x';
		if (*q != ')' && *q != ':')
			return false;
		if (*q++ == ')') {
			r->p = q;
			return true;
		}
	}
	become(r, 0, DIGITS_NEXT, DIGITS_OPEN);
	end_letters(r);
	r->group[r->depth++] = (struct branches){ .before = r->now,
		.word = r->word,
		.n = r->n,
		.zero = behind || ahead };
	if (*p != '?' || (named_group && !behind)) {
		r->captures = r->depth;
		r->plain = true;
	}
	if (behind)
		vague(r);
	r->p = q;
	return true;
}

static void end_branch(struct reading *r, struct branches *g)
{
	become(r, g->n, DIGITS_NEXT, DIGITS_LAST);
	g->end = g->several ? either(g->end, r->now) : r->now;
	g->several = true;
	r->letters = (struct span){ NULL, 0 };
	r->word = g->word;
	r->now = g->before;
	r->last = OTHER;
}

static void close_group(struct reading *r)
{
	struct branches *g = &r->group[--r->depth];

	end_branch(r, g);
	become(r, g->n, DIGITS_LAST, g->zero ? DIGITS_OPEN : DIGITS_NEXT);
	r->was = g->before;
	r->last = GROUP;
	if (!g->zero)
		r->now = g->end;
	/* where it repeats, its own end may stand before what it names */
	for (size_t i = g->n;
	     *r->p && strchr("*+{", *r->p) && i < r->n && i < r->max; i++)
		r->v[i] = (struct digits_row){ .n = 0 };
}

static void any_digit(struct reading *r)
{
	const struct digits_set digits = { { ALL_DIGITS } };

	no_longer_plain(r);
	longer(r);
	sign(r, &digits);
}

static void edge(struct reading *r)
{
	word_ends(r);
	r->now.edge |= !r->now.n;
}

/* What the last group has found, which takes no digit. */
static bool again(struct reading *r)
{
	static const char last[] = "g{-1}";

	if (!r->plain || r->depth >= r->captures ||
	    strncmp(r->p, last, sizeof last - 1) != 0)
		return false;
	r->p += sizeof last - 1;
	anew(r);
	return true;
}

static bool escaped(struct reading *r)
{
	char c = *r->p;

	if (c == 'g')
		return again(r);
	r->p = escape(r->p);
	if (!r->p)
		return false;
	if (!is_letter(c))
		letter(r, c);
	else if (c == 'b')
		edge(r);
	else if (c == 'd' && in_row(r))
		any_digit(r);
	else if (!strchr("bBAzZ", c))
		anew(r);
	return true;
}

static bool in_class(struct reading *r)
{
	struct signs c;

	r->p = class(r->p, &c);
	if (!r->p)
		return false;
	if (c.some)
		named(r);
	if (c.vague) {
		anew(r);
		return true;
	}
	if (any_digits(&c.set))
		no_longer_plain(r);
	if (!only_digits(&c.set))
		behind(r, &c.set);
	sign(r, &c.set);
	return true;
}

/* A repeat of what was read last, or a brace. */
static void braces(struct reading *r)
{
	const char *p = r->p;

	r->p = repeat(p);
	if (r->p != p)
		need_not_stand(r, p - 1);
	if (r->p == p)
		letter(r, '{');
	else
		times(r, *p == '0', true);
}

/* What may be anything, or another branch of the whole. */
static void anew_at(struct reading *r, char c)
{
	if (c == '|')
		r->word = r->letters = (struct span){ NULL, 0 };
	anew(r);
}

/* Whether it can be told. */
static bool read_on(struct reading *r)
{
	char c = *r->p++;

	if (is_letter(c))
		must_stand(r, r->p - 1);
	if (c == '?' || c == '*' || c == '+')
		need_not_stand(r, r->p - 1);
	if (digits_is(c))
		named(r);
	if (c == '\\')
		return escaped(r);
	if (c == '[')
		return in_class(r);
	if (c == '(')
		return open_group(r);
	if (c == '{')
		braces(r);
	else if (c == '?' || c == '*' || c == '+')
		times(r, c != '+', c != '?');
	else if (c == ')' && r->depth)
		close_group(r);
	else if (c == '|' && r->depth)
		end_branch(r, &r->group[r->depth - 1]);
	else if (strchr("|)^$.", c))
		anew_at(r, c);
	else
		letter(r, c);
	return true;
}

size_t digits_named(const char *expression, struct digits_row *v, size_t max)
{
	struct reading r = { .p = expression, .v = v, .max = max };

	while (*r.p)
		if (!read_on(&r))
			return max + 1;
	become(&r, 0, DIGITS_NEXT, DIGITS_OPEN);
	become(&r, 0, DIGITS_LAST, DIGITS_OPEN);
	return r.n;
}

bool digits_alike(const char *expression)
{
	return digits_named(expression, NULL, 0) == 0;
}

static bool is_word(struct span text, size_t at)
{
	char c = at < text.n ? text.p[at] : ' ';

	return is_letter(c) || digits_is(c) || c == '_';
}

/* Whether what stands behind a row, and its length, are as one has it. */
static bool ends_as(
    struct span text, size_t at, size_t end, const struct digits_row *row)
{
	char c = end < text.n && text.p[end] >= 0 ? text.p[end] : NO_SIGN;

	return row->end != DIGITS_CLOSED ||
	    (holds(&row->behind, c) &&
		(!row->length || end - at == row->length));
}

/* Whether a text has these letters, in any case. */
static bool has(struct span text, struct span word)
{
	for (size_t at = 0; at + word.n <= text.n; at++) {
		size_t i = 0;

		while (i < word.n && fold(text.p[at + i]) == fold(word.p[i]))
			i++;
		if (i == word.n)
			return true;
	}
	return false;
}

bool digits_are(
    struct span text, size_t at, size_t end, const struct digits_row *row)
{
	size_t from = at - row->n;

	if (at < row->n || !ends_as(text, at, end, row))
		return false;
	for (size_t i = 0; i < row->n; i++)
		if (!holds(&row->before[i], text.p[at - 1 - i]))
			return false;
	if (row->edge && from && is_word(text, from) == is_word(text, from - 1))
		return false;
	return has(text, row->word);
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
