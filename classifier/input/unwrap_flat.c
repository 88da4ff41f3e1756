/*
 * A record is read where it stands, several times as fast as by the JSON
 * parser: its members, and of the objects in it those that a key "a.b" asks
 * for; what else is in braces or brackets is only looked over. What it cannot
 * be sure of (other blanks, keys with escapes, halves of pairs, numbers at the
 * edge, lists that are asked for) is left to that parser: so the answers are
 * the same.
 */
#include "input/unwrap_private.h"

#include "base/err.h"
#include "base/text.h"
#include "base/wide.h"
#include "input/jsonkeys.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS_WHOLE 18 /* that any integer has room for */
#define DEEPEST 16      /* of what is looked over */
#define DIGITS_MOST 100 /* of what no exponent of two digits breaks */

int unwrap_flat_init(struct flat *f, const struct jsonkeys *keys)
{
	f->text.max = BUF_MAX;
	f->at = calloc(keys->n_names + 1, sizeof *f->at);
	return f->at ? 0 : -1;
}

void unwrap_flat_release(struct flat *f)
{
	buf_release(&f->text);
	free(f->at);
}

static bool skip(struct span *s, const char *word)
{
	if (!span_starts(*s, word))
		return false;
	*s = span_sub(*s, strlen(word), s->n);
	return true;
}

static bool quote(struct span *s)
{
	if (s->n == 0 || s->p[0] != '"')
		return false;
	s->p++;
	s->n--;
	return true;
}

/* What stands between values, with blanks on both sides. */
static bool take(struct span *s, char c)
{
	size_t i = 0;

	while (i < s->n && s->p[i] == ' ')
		i++;
	if (i == s->n || s->p[i] != c)
		return false;
	for (i++; i < s->n && s->p[i] == ' ';)
		i++;
	*s = span_sub(*s, i, s->n);
	return true;
}

/* Bytes before the first that no string of JSON has as it is, or its end. */
static size_t plain(struct span s)
{
	size_t i = 0;

	for (; i + sizeof(wide) <= s.n; i += sizeof(wide)) {
		wide v = wide_load(s.p + i);
		unsigned seen = wide_bits(
		    (wide)(v < ' ') | wide_is(v, '"') | wide_is(v, '\\'));

		if (seen)
			return i + (unsigned)__builtin_ctz(seen);
	}
	while (i < s.n && (unsigned char)s.p[i] >= ' ' && s.p[i] != '"' &&
	    s.p[i] != '\\')
		i++;
	return i;
}

/* Four digits; -1: they are none. */
static int32_t hexadecimal(struct span s)
{
	int32_t v = 0;

	if (s.n < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		char c = s.p[i], low = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (low - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* What the escape that s begins with stands for; *used: its bytes. 0: what is
 * none, or half of a pair. */
static size_t escape(struct span s, char out[4], size_t *used)
{
	static const char letters[128] = { ['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t' };
	unsigned char letter = s.n < 2 ? 0 : (unsigned char)s.p[1];
	int32_t code;

	*used = 2;
	*out = letters[letter & 127];
	if (*out && letter < 128)
		return 1;
	*used = 6;
	code = letter == 'u' ? hexadecimal(span_sub(s, 2, s.n)) : -1;
	if (code < 0 || (code & 0xf800) == 0xd800)
		return 0;
	return text_code_point((uint32_t)code, out);
}

/* The text up to the quote mark that ends it: where it stands, or without its
 * escapes in b, which has room for it: they are longer than what they stand
 * for. Without b it is only looked over. */
static bool take_text(struct span *s, struct buf *b, struct span *out)
{
	char meant[4], *from = b ? b->p + b->len : NULL, *to = from;
	size_t n = plain(*s), used, m = 0;

	*out = span_sub(*s, 0, n);
	while (n < s->n && s->p[n] == '\\') {
		m = escape(span_sub(*s, n, s->n), meant, &used);
		if (m == 0)
			return false;
		if (to) {
			memcpy(to, s->p, n);
			memcpy(to + n, meant, m);
			to += n + m;
		}
		*s = span_sub(*s, n + used, s->n);
		n = plain(*s);
	}
	if (n == s->n || s->p[n] != '"')
		return false;
	if (to && m) {
		memcpy(to, s->p, n);
		*out = (struct span){ from, (size_t)(to - from) + n };
		b->len += out->n;
		b->p[b->len] = '\0';
	}
	*s = span_sub(*s, n + 1, s->n);
	return true;
}

/* A key, with the quote marks and the colon. */
static bool take_key(struct span *s, struct span *key)
{
	size_t n;

	if (!quote(s))
		return false;
	n = plain(*s);
	*key = span_sub(*s, 0, n);
	if (n == s->n || s->p[n] != '"')
		return false;
	*s = span_sub(*s, n + 1, s->n);
	return take(s, ':');
}

static size_t digits(struct span s, size_t i)
{
	size_t from = i;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	return i - from;
}

/* A number; it is worth its value where it has a name. */
static bool take_number(struct span *s, bool named, struct value *out)
{
	size_t sign = s->n && s->p[0] == '-', n = digits(*s, sign), more;
	size_t i = sign + n;

	if (n == 0 || (n > 1 && s->p[sign] == '0'))
		return false;
	out->is_number = true;
	out->is_whole = i < s->n && !strchr(".eE", s->p[i]);
	if (i < s->n && s->p[i] == '.') {
		more = digits(*s, i + 1);
		i += 1 + more;
		n += more;
		if (more == 0)
			return false;
	}
	if (i < s->n && (s->p[i] | 0x20) == 'e') {
		i++;
		i += i < s->n && (s->p[i] == '-' || s->p[i] == '+');
		more = digits(*s, i);
		i += more;
		if (more == 0 || more > 2)
			return false;
	}
	/* what follows ends it for strtod, too */
	if (i == s->n || n > (out->is_whole ? DIGITS_WHOLE : DIGITS_MOST))
		return false;
	if (out->is_whole)
		out->whole = strtoll(s->p, NULL, 10);
	if (named)
		out->number =
		    out->is_whole ? (double)out->whole : strtod(s->p, NULL);
	*s = span_sub(*s, i, s->n);
	return true;
}

static bool take_value(
    struct span *s, struct buf *b, bool named, struct value *out)
{
	*out = (struct value){ 0 };
	if (quote(s))
		return take_text(s, b, &out->text);
	return skip(s, "true") || skip(s, "false") || skip(s, "null") ||
	    take_number(s, named, out);
}

static bool skip_value(struct span *s, unsigned depth);

/* What is in brackets or braces, up to the end of it. */
static bool skip_inside(struct span *s, char end, unsigned depth)
{
	struct span key;

	if (take(s, end))
		return true;
	do {
		if (depth == DEEPEST || (end == '}' && !take_key(s, &key)) ||
		    !skip_value(s, depth + 1))
			return false;
	} while (take(s, ','));
	return take(s, end);
}

/* A value that nobody asks for. The parser may refuse it, so it is read. */
static bool skip_value(struct span *s, unsigned depth)
{
	struct value unused;

	if (take(s, '{'))
		return skip_inside(s, '}', depth);
	if (take(s, '['))
		return skip_inside(s, ']', depth);
	return take_value(s, NULL, false, &unused);
}

/* The object whose members are read. */
struct within {
	const struct jsonkeys *keys;
	char name[FLAT_NAME]; /* what the keys are behind: "a.b." */
	size_t n;             /* bytes of that */
	unsigned depth;
};

/* False: it is too long to tell. */
static bool name_of(struct within *w, struct span key, size_t *id)
{
	if (w->n + key.n >= sizeof w->name)
		return false;
	if (w->n) {
		memcpy(w->name + w->n, key.p, key.n);
		key = (struct span){ w->name, w->n + key.n };
	}
	*id = jsonkeys_name(w->keys, key);
	return true;
}

static bool take_members(struct flat *f, struct within *w, struct span *s);

/* An object or a list, of which an object may hold what has a name. */
static bool take_inside(struct flat *f, struct within *w, struct span key,
    size_t id, struct span *s)
{
	const size_t n = w->n;
	bool whole;

	if (!id || !w->keys->names[id - 1].outer || key.n >= UNWRAP_OUTER ||
	    memchr(key.p, '.', key.n))
		return skip_value(s, 0);
	memcpy(w->name + n, key.p, key.n);
	w->name[n + key.n] = '.';
	w->n = n + key.n + 1;
	w->depth++;
	whole = take(s, '{') &&
	    (take(s, '}') || (take_members(f, w, s) && take(s, '}')));
	w->depth--;
	w->n = n;
	return whole;
}

/* Of several with one name the last counts, as for the parser, unless another
 * is further out. */
static void keep(struct flat *f, const struct flat_member *m)
{
	unsigned char *at = &f->at[m->id];

	f->v[f->n++] = *m;
	f->ids |= jsonkeys_bit(m->id);
	if (!*at || m->depth <= f->v[*at - 1].depth)
		*at = (unsigned char)f->n;
}

static bool take_members(struct flat *f, struct within *w, struct span *s)
{
	do {
		struct flat_member m = { .depth = w->depth };
		struct span key;
		bool inside, kept;

		if (f->n == FLAT_MAX || !take_key(s, &key) ||
		    !name_of(w, key, &m.id))
			return false;
		kept = m.id || !w->depth;
		inside = s->n && (s->p[0] == '{' || s->p[0] == '[');
		/* lists that have a name, and what an object that is there
		 * twice loses, are the parser's */
		if (m.id &&
		    ((inside && s->p[0] == '[') ||
			(f->at[m.id] && w->keys->names[m.id - 1].outer)))
			return false;
		if (!w->depth)
			m.key = key;
		if (!inside &&
		    !take_value(s, kept ? &f->text : NULL, m.id > 0, &m.value))
			return false;
		if (kept)
			keep(f, &m);
		if (inside && !take_inside(f, w, key, m.id, s))
			return false;
	} while (take(s, ','));
	return true;
}

int unwrap_flat_read(
    struct flat *f, const struct jsonkeys *keys, struct span s, struct err *e)
{
	struct within w;

	w.keys = keys;
	w.n = w.depth = 0;
	for (size_t i = 0; i < f->n; i++)
		f->at[f->v[i].id] = 0;
	f->n = f->ids = 0;
	if (!span_starts(s, "{\"") || !text_is_utf8(s))
		return 0;
	buf_clear(&f->text);
	if (buf_reserve(&f->text, s.n))
		return err_nomem(e);
	return take(&s, '{') && take_members(f, &w, &s) && take(&s, '}') &&
	    s.n == 0;
}
