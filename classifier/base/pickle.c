/*
 * A stack machine with few instructions. Every value that is made has a number;
 * the stack and the memo hold numbers. A list or dict grows only until it
 * stands in another value or was fetched from the memo: so none can come to
 * hold itself, and what is built is no deeper than what was counted.
 */
#include "base/pickle.h"

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum form { SCALAR, TEXT, LIST, DICT, TUPLE };

struct value {
	struct json *json; /* owned, one share */
	enum form form;
	bool closed; /* it grows no more */
	int depth;   /* of lists in it, itself included */
};

struct machine {
	struct span text;
	size_t at;       /* the next byte */
	size_t from;     /* of the instruction at hand */
	const char *why; /* what is wrong with it; static */
	bool lack;       /* no memory, or no library */
	struct value *values;
	size_t n_values, cap_values;
	uint32_t *stack;
	size_t n_stack, cap_stack;
	size_t pushed; /* values, made or fetched */
	size_t *marks;
	size_t n_marks, cap_marks;
	uint32_t *memo; /* by its index: the number of a value, from 1 */
	size_t n_memo, cap_memo, next_memo;
	bool stopped;
};

static int bad(struct machine *m, const char *why)
{
	m->why = why;
	return -1;
}

static int lacks(struct machine *m)
{
	m->lack = true;
	return -1;
}

/* ---- operands ---- */

static int take(struct machine *m, uint64_t n, struct span *out)
{
	if (n > m->text.n - m->at)
		return bad(m, "it ends too early");
	*out = span_sub(m->text, m->at, m->at + (size_t)n);
	m->at += (size_t)n;
	return 0;
}

/* An unsigned number of n bytes, the lowest first. */
static int take_number(struct machine *m, unsigned n, uint64_t *out)
{
	struct span s;

	if (take(m, n, &s))
		return -1;
	*out = 0;
	for (unsigned i = 0; i < n; i++)
		*out |= (uint64_t)(unsigned char)s.p[i] << 8 * i;
	return 0;
}

/* ---- values ---- */

static struct value *value_at(struct machine *m, size_t k)
{
	return &m->values[m->stack[k]];
}

static int push_number(struct machine *m, uint32_t number)
{
	if (m->pushed++ == 4 * PICKLE_VALUES)
		return bad(m, "it holds too many values");
	if (array_grow(&m->stack, m->n_stack, &m->cap_stack, sizeof *m->stack))
		return lacks(m);
	m->stack[m->n_stack++] = number;
	return 0;
}

/* Takes json over. */
static int push(struct machine *m, enum form form, struct json *json)
{
	if (!json)
		return lacks(m);
	if (m->n_values == PICKLE_VALUES) {
		json_free(json);
		return bad(m, "it holds too many values");
	}
	if (array_grow(
		&m->values, m->n_values, &m->cap_values, sizeof *m->values)) {
		json_free(json);
		return lacks(m);
	}
	m->values[m->n_values] =
	    (struct value){ .json = json, .form = form, .depth = form > TEXT };
	return push_number(m, (uint32_t)m->n_values++);
}

/* How many values stand above the last mark, or above nothing. */
static size_t above_mark(const struct machine *m)
{
	return m->n_stack - (m->n_marks ? m->marks[m->n_marks - 1] : 0);
}

static int pop_mark(struct machine *m, size_t *at)
{
	if (!m->n_marks)
		return bad(m, "a mark is missing");
	*at = m->marks[--m->n_marks];
	return 0;
}

/* Let the value at `to` have the one of that number inside it. */
static int goes_into(struct machine *m, struct value *to, struct value *v)
{
	v->closed = true;
	if (v->depth + 1 > to->depth)
		to->depth = v->depth + 1;
	return to->depth > PICKLE_DEPTH ? bad(m, "its lists are too deep") : 0;
}

/* Whether a list or dict may still grow. */
static int open_of(struct machine *m, size_t at, enum form form)
{
	struct value *v = value_at(m, at);

	if (v->form != form)
		return bad(m, "a value is added to what is no list or dict");
	return v->closed ? bad(m, "a list or dict grows after its end") : 0;
}

/* What stands on the stack from `from` on goes into the list before it. */
static int append(struct machine *m, size_t from)
{
	if (!from || open_of(m, from - 1, LIST))
		return bad(m, m->why ? m->why : "a list is missing");
	for (size_t i = from; i < m->n_stack; i++) {
		if (goes_into(m, value_at(m, from - 1), value_at(m, i)))
			return -1;
		if (json_append(value_at(m, from - 1)->json,
			json_share(value_at(m, i)->json)))
			return lacks(m);
	}
	m->n_stack = from;
	return 0;
}

/* The same of a dict, whose keys and values take turns. */
static int set_items(struct machine *m, size_t from)
{
	if (!from || (m->n_stack - from) % 2 || open_of(m, from - 1, DICT))
		return bad(m, m->why ? m->why : "a dict is missing");
	for (size_t i = from; i < m->n_stack; i += 2) {
		if (value_at(m, i)->form != TEXT)
			return bad(m, "a key of a dict is no text");
		if (goes_into(m, value_at(m, from - 1), value_at(m, i + 1)))
			return -1;
		if (json_set_span(value_at(m, from - 1)->json,
			json_text(value_at(m, i)->json),
			json_share(value_at(m, i + 1)->json)))
			return lacks(m);
	}
	m->n_stack = from;
	return 0;
}

/* A list of form LIST or TUPLE of what stands from `from` on. */
static int gather(struct machine *m, enum form form, size_t from)
{
	size_t n = m->n_stack - from;

	if (push(m, form, json_new_array()))
		return -1;
	/* the new list goes before what it takes */
	memmove(m->stack + from + 1, m->stack + from, n * sizeof *m->stack);
	m->stack[from] = (uint32_t)(m->n_values - 1);
	value_at(m, from)->form = LIST;
	if (append(m, from + 1))
		return -1;
	value_at(m, from)->form = form;
	value_at(m, from)->closed = form == TUPLE;
	return 0;
}

static int gather_last(struct machine *m, size_t n)
{
	if (above_mark(m) < n)
		return bad(m, "a value is missing");
	return gather(m, TUPLE, m->n_stack - n);
}

/* ---- the memo ---- */

static int put(struct machine *m, uint64_t at)
{
	if (!above_mark(m))
		return bad(m, "a value is missing");
	if (at >= PICKLE_VALUES)
		return bad(m, "its memo is too large");
	while (m->n_memo <= at) {
		if (array_grow(
			&m->memo, m->n_memo, &m->cap_memo, sizeof *m->memo))
			return lacks(m);
		m->memo[m->n_memo++] = 0;
	}
	if (!m->memo)
		return lacks(m);
	m->memo[at] = m->stack[m->n_stack - 1] + 1;
	return 0;
}

static int get(struct machine *m, uint64_t at)
{
	if (!m->memo || at >= m->n_memo || !m->memo[at])
		return bad(m, "it asks for what is not in its memo");
	m->values[m->memo[at] - 1].closed = true;
	return push_number(m, m->memo[at] - 1);
}

/* ---- instructions ---- */

static int push_text(struct machine *m, unsigned length_bytes)
{
	uint64_t n;
	struct span s;

	if (take_number(m, length_bytes, &n) || take(m, n, &s))
		return -1;
	return push(m, TEXT, json_new_text(s));
}

/* A number in two's complement; of the larger ones only the size is kept. */
static int push_long(struct machine *m, unsigned length_bytes)
{
	uint64_t n, v = 0;
	struct span s;

	if (take_number(m, length_bytes, &n) || take(m, n, &s))
		return -1;
	if (n > 8)
		return bad(m, "a number has more than 64 bits");
	for (size_t i = 0; i < s.n; i++)
		v |= (uint64_t)(unsigned char)s.p[i] << 8 * i;
	if (s.n && s.n < 8 && (unsigned char)s.p[s.n - 1] & 0x80)
		v |= ~UINT64_C(0) << 8 * s.n;
	return push(m, SCALAR, json_new_int((int64_t)v));
}

/* Bytes of a number without a sign, or 4 with one. */
static int push_int(struct machine *m, unsigned bytes)
{
	uint64_t v;

	if (take_number(m, bytes, &v))
		return -1;
	return push(m, SCALAR,
	    json_new_int(
		bytes == 4 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v));
}

static int push_double(struct machine *m)
{
	uint64_t bits = 0;
	struct span s;
	double v;

	if (take(m, 8, &s))
		return -1;
	for (size_t i = 0; i < 8; i++)
		bits = bits << 8 | (unsigned char)s.p[i];
	memcpy(&v, &bits, sizeof v);
	/* JSON has no words for infinity and NaN */
	return push(m, SCALAR, v - v == 0 ? json_new_real(v) : json_new_null());
}

static int memo(struct machine *m, unsigned bytes, bool fetch)
{
	uint64_t at;

	if (take_number(m, bytes, &at))
		return -1;
	return fetch ? get(m, at) : put(m, at);
}

static int mark(struct machine *m)
{
	if (array_grow(&m->marks, m->n_marks, &m->cap_marks, sizeof *m->marks))
		return lacks(m);
	m->marks[m->n_marks++] = m->n_stack;
	return 0;
}

/* What the values above the last mark become. */
static int from_mark(struct machine *m, char op)
{
	size_t at;

	if (pop_mark(m, &at))
		return -1;
	switch (op) {
	case 'e':
		return append(m, at);
	case 'u':
		return set_items(m, at);
	case 't':
		return gather(m, TUPLE, at);
	case 'l':
		return gather(m, LIST, at);
	default: /* POP_MARK */
		m->n_stack = at;
		return 0;
	}
}

static int skip(struct machine *m, unsigned bytes)
{
	uint64_t ignored;

	return take_number(m, bytes, &ignored);
}

static int add_to(struct machine *m, size_t n, bool dict)
{
	if (above_mark(m) < n + 1)
		return bad(m, "a value is missing");
	return dict ? set_items(m, m->n_stack - n) : append(m, m->n_stack - n);
}

/* Instructions of one byte that need no operand. */
static int plain(struct machine *m, unsigned char op)
{
	switch (op) {
	case 'N':
		return push(m, SCALAR, json_new_null());
	case 0x88:
	case 0x89:
		return push(m, SCALAR, json_new_bool(op == 0x88));
	case ')':
		return gather(m, TUPLE, m->n_stack);
	case ']':
		return push(m, LIST, json_new_array());
	case '}':
		return push(m, DICT, json_new_object());
	case 0x85:
	case 0x86:
	case 0x87:
		return gather_last(m, op - 0x84u);
	case '(':
		return mark(m);
	case 't':
	case 'l':
	case 'e':
	case 'u':
	case '1':
		return from_mark(m, (char)op);
	case 'a':
		return add_to(m, 1, false);
	case 's':
		return add_to(m, 2, true);
	case '0':
		return above_mark(m) ? (m->n_stack--, 0)
				     : bad(m, "a value is missing");
	case 0x94:
		return put(m, m->next_memo++);
	case '.':
		m->stopped = true;
		return 0;
	default: /* a name to import, a call, an object, a stranger's data */
		return bad(m,
		    "it asks for more than texts, numbers, lists and dicts, "
		    "which is not done");
	}
}

static int step(struct machine *m)
{
	uint64_t op;

	m->from = m->at;
	if (take_number(m, 1, &op))
		return -1;
	switch (op) {
	case 0x80: /* PROTO */
		return skip(m, 1);
	case 0x95: /* FRAME */
		return skip(m, 8);
	case 'K':
		return push_int(m, 1);
	case 'M':
		return push_int(m, 2);
	case 'J':
		return push_int(m, 4);
	case 0x8a:
		return push_long(m, 1);
	case 0x8b:
		return push_long(m, 4);
	case 'G':
		return push_double(m);
	case 0x8c: /* texts, then bytes, of shorter and longer lengths */
	case 'U':
	case 'C':
		return push_text(m, 1);
	case 'X':
	case 'T':
	case 'B':
		return push_text(m, 4);
	case 0x8d:
	case 0x8e:
		return push_text(m, 8);
	case 'q':
	case 'h':
		return memo(m, 1, op == 'h');
	case 'r':
	case 'j':
		return memo(m, 4, op == 'j');
	default:
		return plain(m, (unsigned char)op);
	}
}

bool pickle_begins(struct span text)
{
	return text.n >= 2 && (unsigned char)text.p[0] == 0x80 &&
	    text.p[1] >= 2 && text.p[1] <= 5;
}

struct json *pickle_parse(struct span text, struct err *e)
{
	struct machine m = { .text = text };
	struct json *root = NULL;
	int rc = 0;

	while (!rc && !m.stopped)
		rc = step(&m);
	if (!rc && (m.n_stack != 1 || m.n_marks))
		rc = bad(&m, "it leaves no value, or several");
	if (!rc)
		root = json_share(value_at(&m, 0)->json);
	else if (m.lack)
		json_lacking(e);
	else
		err_set(e, "byte %zu: %s", m.from, m.why);
	for (size_t i = 0; i < m.n_values; i++)
		json_free(m.values[i].json);
	free(m.values);
	free(m.stack);
	free(m.marks);
	free(m.memo);
	return root;
}
