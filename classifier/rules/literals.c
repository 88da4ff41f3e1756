/*
 * A small reader of PCRE2 syntax that computes, from the inside out, which
 * texts a part of the pattern matches (while they are few: its exact set) and
 * which texts at least stand in whatever it matches (its needed set). Joining
 * parts multiplies exact sets until they grow too large; what was reached is
 * then a candidate for the needed set, and the best candidate wins.
 *
 * Everything that is not understood stands for "any text", or makes the whole
 * pattern unknown where even its end is doubtful. Case is ignored throughout,
 * as the one who looks for the literals ignores it: [Ee] is one letter, and
 * (?i) changes nothing.
 */
#include "rules/literals.h"

#include "rules/litset.h"
#include "rules/rarity.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LATE_FROM 8  /* texts of a run that is large */
#define CLASS_MAX 16 /* bytes of a class that is still spelled out */
#define DEPTH_MAX 24 /* groups inside each other */

/* What is known of a part of the pattern. */
struct part {
	struct litset exact;  /* it matches these texts and no other */
	struct litset needed; /* one of these stands in all it matches */
	bool again;           /* exact may be followed by more of the same */
};

/* A sequence that is being joined, see join(). */
struct joint {
	struct litset run;  /* what the last known parts make, multiplied out */
	struct litset late; /* the same, since run became large, or not known */
	struct litset solo; /* the same, only since the last choice */
	bool whole;         /* run is all of the sequence so far */
	struct part *out;
	struct rarity *rarity;
};

struct reader {
	const unsigned char *p;
	struct rarity *rarity;
	bool quoted;  /* inside \Q...\E */
	bool unknown; /* not understood: the pattern has no literals */
	int depth;
};

/* Parts. */

static void part_any(struct part *p)
{
	p->exact.n = p->needed.n = 0;
	p->exact.score = p->needed.score = 0;
	p->again = false;
}

static void part_nothing(struct part *p)
{
	part_any(p);
	litset_empty_text(&p->exact);
}

static void part_byte(struct part *p, unsigned char c)
{
	part_any(p);
	p->exact.n = 1;
	p->exact.len[0] = 1;
	p->exact.text[0][0] = (char)c;
}

/* Offer what j holds as texts to look for. */
static void offer(struct joint *j)
{
	struct litset *needed = &j->out->needed;

	litset_consider(needed, &j->run, j->rarity);
	if (j->run.n != 1 || j->run.len[0] != j->solo.len[0])
		litset_consider(needed, &j->solo, j->rarity);
}

/* Put p after the run. One that grows too large goes on as its later half: the
 * rarest text may be one that lies across what follows. */
static void lengthen(struct joint *j, const struct part *p)
{
	if (litset_multiply(&j->run, &p->exact)) {
		if (j->late.n ? !litset_multiply(&j->late, &p->exact)
			      : j->run.n > LATE_FROM)
			litset_copy(&j->late, &p->exact);
		return;
	}
	litset_consider(&j->out->needed, &j->run, j->rarity);
	if (j->late.n && litset_multiply(&j->late, &p->exact))
		litset_copy(&j->run, &j->late);
	else
		litset_copy(&j->run, &p->exact);
	j->late.n = 0;
	j->whole = false;
}

/* Put p after what j holds. */
static void join(struct joint *j, struct part *p)
{
	struct litset *needed = &j->out->needed;

	if (p->needed.n)
		litset_consider(needed, &p->needed, j->rarity);
	if (p->exact.n != 1)
		offer(j);
	if (!p->exact.n) {
		litset_empty_text(&j->run);
		litset_empty_text(&j->solo);
		j->late.n = 0;
		j->whole = false;
		return;
	}
	lengthen(j, p);
	if (p->exact.n > 1) {
		litset_empty_text(&j->solo);
	} else if (!litset_multiply(&j->solo, &p->exact)) {
		litset_consider(needed, &j->solo, j->rarity);
		litset_copy(&j->solo, &p->exact);
	}
	/* After "x+" stands an x again, whatever came before it. */
	if (p->again) {
		offer(j);
		litset_copy(&j->run, &p->exact);
		litset_empty_text(&j->solo);
		j->late.n = 0;
		j->whole = false;
	}
}

static void repeat(
    struct part *p, unsigned least, unsigned most, struct rarity *rarity)
{
	struct litset one;

	if (!least) {
		struct litset empty;

		litset_empty_text(&empty);
		if (most > 1 || p->again ||
		    (p->exact.n && !litset_merge(&p->exact, &empty)))
			p->exact.n = 0;
		p->needed.n = 0;
		p->again = false;
		return;
	}
	if (!p->exact.n || (least == 1 && most == 1))
		return;
	litset_copy(&one, &p->exact);
	for (unsigned i = 1; i < least; i++) {
		if (litset_multiply(&p->exact, &one))
			continue;
		litset_consider(&p->needed, &p->exact, rarity);
		p->exact.n = 0;
		return;
	}
	if (most != least)
		p->again = true;
}

/* The pattern's syntax. Each reader function starts behind what its caller
 * has recognised, and sets r->unknown when it is lost. */

static void read_choice(struct reader *r, struct part *out);

static bool digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool letter(unsigned char c)
{
	c = litset_fold(c);
	return c >= 'a' && c <= 'z';
}

static int hex(unsigned char c)
{
	if (digit(c))
		return c - '0';
	c = litset_fold(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Skip to behind the given byte. */
static void skip_past(struct reader *r, unsigned char end)
{
	while (*r->p && *r->p != end)
		r->p++;
	if (*r->p)
		r->p++;
	else
		r->unknown = true;
}

/* \x41, \x{41}, \x: the byte; over 255 is not understood. */
static unsigned char read_hex(struct reader *r)
{
	unsigned n = 0;
	bool brace = *r->p == '{';

	if (brace)
		r->p++;
	for (int i = 0; (brace || i < 2) && hex(*r->p) >= 0; i++) {
		n = n * 16 + (unsigned)hex(*r->p++);
		if (n > 255)
			break;
	}
	if (n > 255 || (brace && *r->p != '}'))
		r->unknown = true;
	else if (brace)
		r->p++;
	return (unsigned char)n;
}

static unsigned char read_octal(struct reader *r)
{
	unsigned n = 0;

	for (int i = 0; i < 2 && *r->p >= '0' && *r->p <= '7'; i++)
		n = n * 8 + (unsigned)(*r->p++ - '0');
	return (unsigned char)n;
}

/* The escapes that mean one byte both inside and outside a class. c is the
 * byte behind the backslash, already read. False: it is not such an escape. */
static bool read_byte_escape(
    struct reader *r, unsigned char c, unsigned char *out)
{
	static const char from[] = "nrtfae", to[] = "\n\r\t\f\a\033";
	const char *at = strchr(from, c);

	if (at)
		*out = (unsigned char)to[at - from];
	else if (c == 'x')
		*out = read_hex(r);
	else if (c == '0')
		*out = read_octal(r);
	else if (!letter(c) && !digit(c))
		*out = c;
	else
		return false;
	return true;
}

/* \g1 \g{-1} \g<name> \k'name' ...: another group's text, whatever it is. */
static void skip_reference(struct reader *r)
{
	switch (*r->p) {
	case '{':
		skip_past(r, '}');
		return;
	case '<':
		skip_past(r, '>');
		return;
	case '\'':
		r->p++;
		skip_past(r, '\'');
		return;
	default:
		if (*r->p == '-' || *r->p == '+')
			r->p++;
		if (!digit(*r->p))
			r->unknown = true;
		while (digit(*r->p))
			r->p++;
	}
}

static void read_escape(struct reader *r, struct part *out)
{
	unsigned char c = *r->p, byte = 0;

	part_any(out);
	if (!c) {
		r->unknown = true;
		return;
	}
	r->p++;
	if (read_byte_escape(r, c, &byte)) {
		part_byte(out, byte);
	} else if (strchr("bBAzZGK", c)) {
		part_nothing(out);
	} else if (digit(c)) {
		while (digit(*r->p))
			r->p++;
	} else if (c == 'g' || c == 'k') {
		skip_reference(r);
	} else if (c == 'p' || c == 'P') {
		if (*r->p == '{')
			skip_past(r, '}');
		else if (*r->p)
			r->p++;
	} else if (c == 'c') {
		if (*r->p)
			r->p++;
	} else if (!strchr("dDwWsShHvVNRX", c) || (c == 'N' && *r->p == '{')) {
		r->unknown = true;
	}
}

/* One member of a class: a byte (true), or a set of them (false). */
static bool read_member(struct reader *r, unsigned char *byte)
{
	unsigned char c = *r->p++;

	*byte = c;
	if (c == '[' && *r->p && strchr(":.=", *r->p)) {
		unsigned char mark = *r->p++;

		while (letter(*r->p) || *r->p == '^')
			r->p++;
		if (r->p[0] != mark || r->p[1] != ']')
			r->unknown = true;
		else
			r->p += 2;
		return false;
	}
	if (c != '\\')
		return true;
	c = *r->p;
	if (!c) {
		r->unknown = true;
		return false;
	}
	r->p++;
	if (c == 'b') {
		*byte = '\b';
		return true;
	}
	if (read_byte_escape(r, c, byte))
		return true;
	if (!strchr("dDwWsShHvV", c))
		r->unknown = true;
	return false;
}

/* Spell a class out: the part matches any one of the marked bytes. */
static void part_class(struct part *out, const bool in[256])
{
	part_any(out);
	for (int c = 0; c < 256; c++) {
		if (!in[c])
			continue;
		litset_add_byte(&out->exact, (unsigned char)c);
		if (out->exact.n > CLASS_MAX) {
			part_any(out);
			return;
		}
	}
}

static void read_class(struct reader *r, struct part *out)
{
	bool in[256] = { false };
	bool listed = *r->p != '^'; /* and each member is a plain byte */

	if (!listed)
		r->p++;
	for (bool first = true; first || *r->p != ']'; first = false) {
		unsigned char low, high;

		if (!*r->p) {
			r->unknown = true;
			return;
		}
		if (!read_member(r, &low))
			listed = false;
		high = low;
		if (r->p[0] == '-' && r->p[1] && r->p[1] != ']') {
			r->p++;
			if (!read_member(r, &high))
				listed = false;
		}
		for (unsigned c = low; c <= high; c++)
			in[c] = true;
		if (r->unknown)
			return;
	}
	r->p++;
	if (listed)
		part_class(out, in);
	else
		part_any(out);
}

/* (?i) (?s-m:...): true when a group's body follows. x changes how all that
 * follows is read, and is not followed. */
static bool read_flags(struct reader *r)
{
	bool off = false;

	while (*r->p && (strchr("imsnJU^-", *r->p) || (off && *r->p == 'x')))
		off = *r->p++ == '-' || off;
	if (*r->p == ':' || *r->p == ')')
		return *r->p++ == ':';
	r->unknown = true;
	return false;
}

/* The rest of a group, to behind its ')'. */
static void read_body(struct reader *r, struct part *out)
{
	if (++r->depth > DEPTH_MAX) {
		r->unknown = true;
		return;
	}
	read_choice(r, out);
	r->depth--;
	if (*r->p != ')')
		r->unknown = true;
	else
		r->p++;
}

/* (?(condition)yes|no): of no use, but its end must be found. */
static void read_conditional(struct reader *r, struct part *out)
{
	if (*r->p == '?' || *r->p == '*') {
		/* An assertion as the condition: read like any group. */
		r->unknown = true;
		return;
	}
	skip_past(r, ')');
	read_body(r, out);
	part_any(out);
}

/* Behind "(?". */
static void read_special_group(struct reader *r, struct part *out)
{
	unsigned char c = *r->p, d = c ? r->p[1] : 0;

	if (c == '|' || c == '>' || c == ':') {
		r->p++;
		read_body(r, out);
	} else if (c == '=' || c == '!' ||
	    (c == '<' && (d == '=' || d == '!'))) {
		r->p += c == '<' ? 2 : 1;
		read_body(r, out);
		if (c == '=')
			litset_consider(&out->needed, &out->exact, r->rarity);
		else
			part_any(out);
		litset_empty_text(&out->exact);
		out->again = false;
	} else if (c == '\'' || (c == '<' && letter(d)) ||
	    (c == '<' && d == '_') || (c == 'P' && d == '<')) {
		r->p += c == 'P' ? 2 : 1;
		skip_past(r, c == '\'' ? '\'' : '>');
		if (!r->unknown)
			read_body(r, out);
	} else if (c == '(') {
		r->p++;
		read_conditional(r, out);
	} else if (c == '&' || c == 'P' || c == 'R' || c == '+' || digit(c) ||
	    (c == '-' && digit(d))) {
		skip_past(r, ')');
		part_any(out);
	} else if (read_flags(r)) {
		read_body(r, out);
	} else {
		part_nothing(out);
	}
}

static void read_atom(struct reader *r, struct part *out)
{
	unsigned char c = *r->p++;

	if (r->quoted) {
		part_byte(out, c);
	} else if (c == '\\') {
		read_escape(r, out);
	} else if (c == '[') {
		read_class(r, out);
	} else if (c == '(' && *r->p == '*') {
		r->unknown = true;
	} else if (c == '(' && *r->p == '?') {
		r->p++;
		read_special_group(r, out);
	} else if (c == '(') {
		read_body(r, out);
	} else if (c == '^' || c == '$') {
		part_nothing(out);
	} else if (c == '.') {
		part_any(out);
	} else {
		part_byte(out, c);
	}
}

/* Skip what stands for nothing: comments, and the marks of quoting. */
static void skip_marks(struct reader *r)
{
	for (;;) {
		if (r->p[0] == '\\' && r->p[1] == 'E') {
			r->quoted = false;
			r->p += 2;
		} else if (r->quoted) {
			return;
		} else if (r->p[0] == '\\' && r->p[1] == 'Q') {
			r->quoted = true;
			r->p += 2;
		} else if (!strncmp((const char *)r->p, "(?#", 3)) {
			skip_past(r, ')');
		} else {
			return;
		}
	}
}

static unsigned read_number(struct reader *r)
{
	unsigned n = 0;

	while (digit(*r->p)) {
		if (n < 100000)
			n = n * 10 + (unsigned)(*r->p - '0');
		r->p++;
	}
	return n;
}

/* {n} {n,} {n,m}; false when the brace is only a brace. Spaces and a missing
 * n are read differently by different versions of PCRE2: not understood. */
static bool read_braces(struct reader *r, unsigned *least, unsigned *most)
{
	const unsigned char *start = r->p++;

	if (*r->p == ' ' || *r->p == ',') {
		r->unknown = true;
		return false;
	}
	if (digit(*r->p)) {
		*least = *most = read_number(r);
		if (*r->p == ',') {
			r->p++;
			*most = digit(*r->p) ? read_number(r) : UINT_MAX;
		}
		if (*r->p == '}') {
			r->p++;
			return true;
		}
		if (*r->p == ' ')
			r->unknown = true;
	}
	r->p = start;
	return false;
}

static void read_quantifiers(struct reader *r, struct part *p)
{
	for (;;) {
		unsigned least = 0, most = UINT_MAX;

		skip_marks(r);
		if (r->quoted || r->unknown)
			return;
		if (*r->p == '{') {
			if (!read_braces(r, &least, &most))
				return;
		} else if (*r->p == '*' || *r->p == '+' || *r->p == '?') {
			least = *r->p == '+';
			most = *r->p == '?' ? 1 : UINT_MAX;
			r->p++;
		} else {
			return;
		}
		/* Lazy or possessive: the texts are the same or fewer. */
		if (*r->p == '?' || *r->p == '+')
			r->p++;
		repeat(p, least, most, r->rarity);
	}
}

/* Parts one after another, up to '|', ')' or the end. */
static void read_sequence(struct reader *r, struct part *out)
{
	struct joint j;
	struct part p;

	part_any(out);
	j.out = out;
	j.rarity = r->rarity;
	j.whole = true;
	j.late.n = 0;
	litset_empty_text(&j.run);
	litset_empty_text(&j.solo);
	for (;;) {
		skip_marks(r);
		if (r->unknown || !*r->p ||
		    (!r->quoted && (*r->p == '|' || *r->p == ')')))
			break;
		part_any(&p);
		read_atom(r, &p);
		if (!r->unknown)
			read_quantifiers(r, &p);
		if (r->unknown)
			return;
		join(&j, &p);
	}
	offer(&j);
	if (j.whole)
		litset_copy(&out->exact, &j.run);
}

static void read_choice(struct reader *r, struct part *out)
{
	struct part branch;
	bool exact, needed;

	read_sequence(r, out);
	exact = out->exact.n > 0;
	needed = out->needed.n > 0;
	while (!r->unknown && *r->p == '|') {
		r->p++;
		read_sequence(r, &branch);
		exact = exact && branch.exact.n &&
		    litset_merge(&out->exact, &branch.exact);
		needed = needed && branch.needed.n &&
		    litset_merge_needed(&out->needed, &branch.needed);
	}
	if (!exact)
		out->exact.n = 0;
	if (!needed)
		out->needed.n = 0;
}

/* The result. */

static int take(struct literals *l, const struct litset *s)
{
	memset(l, 0, sizeof *l);
	if (!s->n || !litset_least(s))
		return 0;
	l->text = calloc(s->n, sizeof *l->text);
	l->len = calloc(s->n, sizeof *l->len);
	if (!l->text || !l->len)
		goto nomem;
	for (unsigned i = 0; i < s->n; i++) {
		char *copy = malloc((size_t)s->len[i] + 1);

		if (!copy)
			goto nomem;
		memcpy(copy, s->text[i], s->len[i]);
		copy[s->len[i]] = '\0';
		l->text[i] = copy;
		l->len[i] = s->len[i];
		l->n++;
	}
	l->least = litset_least(s);
	return 0;
nomem:
	literals_release(l);
	return -1;
}

/* What a whole pattern needs. */
static void read_pattern(
    struct litset *needed, const char *pattern, struct rarity *rarity)
{
	struct reader r = { .p = (const unsigned char *)pattern,
		.rarity = rarity };
	struct part whole;

	read_choice(&r, &whole);
	if (r.unknown || *r.p)
		whole.needed.n = 0;
	else
		litset_reduce(&whole.needed);
	litset_copy(needed, &whole.needed);
}

int literals_from_pattern(struct literals *l, const char *pattern)
{
	struct rarity rarity;
	struct litset needed;

	rarity.ready = rarity.raised = false;
	rarity.known = NULL;
	read_pattern(&needed, pattern, &rarity);
	return take(l, &needed);
}

int literals_from_exception(struct literals *l, const char *pattern)
{
	struct rarity rarity;
	struct litset needed;

	rarity_init(&rarity);
	rarity.raised = true;
	read_pattern(&needed, pattern, &rarity);
	return take(l, &needed);
}

int literals_beside(struct literals *l, const char *pattern, bool raised)
{
	struct rarity rarity;
	struct litset first, other;
	bool news = false;

	rarity_init(&rarity);
	rarity.raised = raised;
	read_pattern(&first, pattern, &rarity);
	rarity.known = &first;
	read_pattern(&other, pattern, &rarity);
	for (unsigned i = 0; i < other.n; i++)
		news |= !litset_implied(&other, i, &first);
	if (!news)
		other.n = 0;
	return take(l, &other);
}

int literals_copy(struct literals *l, const struct literals *from)
{
	memset(l, 0, sizeof *l);
	if (!from->n)
		return 0;
	l->text = calloc(from->n, sizeof *l->text);
	l->len = calloc(from->n, sizeof *l->len);
	while (l->text && l->len && l->n < from->n) {
		size_t n = from->len[l->n];
		char *text = malloc(n + 1);

		if (!text)
			break;
		memcpy(text, from->text[l->n], n + 1);
		l->text[l->n] = text;
		l->len[l->n++] = n;
	}
	if (l->n < from->n) {
		literals_release(l);
		return -1;
	}
	l->least = from->least;
	return 0;
}

int literals_one(struct literals *l, const char *text)
{
	char *one = (char *)text;
	size_t n = strlen(text);

	return literals_copy(l, &(struct literals){ &one, &n, n > 0, n });
}

void literals_release(struct literals *l)
{
	for (size_t i = 0; l->text && i < l->n; i++)
		free(l->text[i]);
	free(l->text);
	free(l->len);
	memset(l, 0, sizeof *l);
}
