/*
 * A form is read from left to right, and each field takes as much as it can:
 * no form is tried twice at one place. Which forms a line's first byte may
 * begin is known for each byte, so most lines meet none.
 */
#include "input/prefixes.h"

#include "base/array.h"
#include "base/err.h"
#include "base/when.h"
#include "input/peel.h"

#include <stdlib.h>

#define FORMS_MAX 128 /* bits of a set */
#define STEPS_MAX 16  /* fixed texts and fields of a form */
#define TEXT_MAX 200  /* bytes of a field that is any text */

/* Forms, each a bit. */
__extension__ typedef unsigned __int128 set;

/* What was read before it is known that all of a form fits. */
struct taken {
	struct when when;
	bool has_time, clock;
	enum level level;
	int rank, local_rank;
	struct span node, program, writer;
	size_t bytes; /* of the prefix, which may end before its form */
};

/* One fixed text or field; take moves the cursor, or says false. */
struct step {
	bool (*take)(const struct step *s, struct cursor *c, struct taken *t);
	struct span fixed; /* the text; of <text> what it ends before */
};

struct form {
	struct prefix p;
	struct step steps[STEPS_MAX];
	size_t n;
	size_t same; /* steps at its start that the form before it has, too */
};

struct prefixes {
	struct form *forms;
	size_t n;
	set begin[256];             /* which may begin with a byte, */
	struct peel_some rows[256]; /* and which of those that C knows */
	set first;                  /* which are tried before what C knows, */
	set later;                  /* and which behind that */
	set tags;                   /* which are none, but tags */
	bool some_first;            /* there are some */
	set after[3];               /* by enum prefix_after */
	set collectors;             /* all that a line of the kernel may have */
	set phase_from[3];          /* which may stand in a phase */
	const char **nodes;         /* how their names begin */
	size_t n_nodes, cap_nodes;
};

/* ---- fields ---- */

static bool take_fixed(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)t;
	if (c->n - c->i < s->fixed.n ||
	    memcmp(c->p + c->i, s->fixed.p, s->fixed.n) != 0)
		return false;
	c->i += s->fixed.n;
	return true;
}

static bool take_time(const struct step *s, struct cursor *c, struct taken *t)
{
	size_t n = when_scan(cursor_rest(c), &t->when);

	(void)s;
	c->i += n;
	t->has_time = n;
	return n;
}

/* "12:00:00", with a fraction: not enough for a time */
static bool take_clock(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	if (cursor_number(c) < 0 || !cursor_eat(c, ":") ||
	    cursor_number(c) < 0 || !cursor_eat(c, ":") || cursor_number(c) < 0)
		return false;
	if (cursor_eat(c, ".") || cursor_eat(c, ","))
		cursor_run(c, peel_digit);
	t->clock = true;
	return true;
}

static bool is_alpha(char c)
{
	return peel_upper(c) || (c >= 'a' && c <= 'z');
}

static bool take_level(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->level = peel_level(cursor_run(c, is_alpha));
	return t->level;
}

static bool take_upper(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->level = peel_level_upper(cursor_run(c, peel_upper));
	return t->level;
}

static bool take_letter(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->level = peel_level_letter(cursor_peek(c));
	c->i += t->level != LEVEL_UNKNOWN;
	return t->level;
}

static bool take_number(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	return cursor_run(c, peel_digit).n;
}

static bool take_rank(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->rank = cursor_number(c);
	return t->rank >= 0;
}

static bool take_local(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->local_rank = cursor_number(c);
	return t->local_rank >= 0;
}

static bool take_word(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	return cursor_run(c, peel_word).n;
}

static bool take_numbered(
    const struct step *s, struct cursor *c, struct taken *t)
{
	struct span word = cursor_run(c, peel_word);

	(void)s;
	(void)t;
	for (size_t i = 0; i < word.n; i++)
		if (peel_digit(word.p[i]))
			return true;
	return false;
}

static bool is_hex(char c)
{
	return peel_digit(c) || (c >= 'a' && c <= 'f');
}

static bool take_hex(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	return cursor_run(c, is_hex).n;
}

static bool take_hash(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	return cursor_run(c, is_hex).n >= 8;
}

static bool is_program(char c)
{
	return peel_word(c) || c == '/';
}

static bool take_program(
    const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->program = cursor_run(c, is_program);
	return t->program.n && !peel_digit(*t->program.p);
}

static bool take_writer(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->writer = cursor_run(c, is_program);
	return t->writer.n;
}

static bool take_logger(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->program = cursor_run(c, peel_nospace);
	return t->program.n;
}

static bool take_node(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->node = cursor_run(c, peel_word);
	return t->node.n;
}

static bool take_source(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	return peel_source(cursor_run(c, peel_nospace));
}

static bool take_text(const struct step *s, struct cursor *c, struct taken *t)
{
	size_t n = c->n - c->i < TEXT_MAX ? c->n - c->i : TEXT_MAX;
	const char *end = memchr(c->p + c->i, *s->fixed.p, n);

	(void)t;
	c->i = end ? (size_t)(end - c->p) : c->i;
	return end;
}

static bool take_blank(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	c->i += cursor_peek(c) == ' ';
	return true;
}

static bool take_blanks(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	cursor_blanks(c);
	return true;
}

static bool take_gap(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	(void)t;
	return cursor_end(c) || cursor_eat(c, " ");
}

/* Who puts two blanks behind a prefix is told from one by what they stand
 * before: text is indented by an even number of them. */
static bool take_gaps(const struct step *s, struct cursor *c, struct taken *t)
{
	struct cursor more = *c;
	size_t blanks = cursor_blanks(&more);

	(void)s;
	(void)t;
	c->i += !blanks ? 0 : blanks % 2 ? 1 : 2;
	return blanks || cursor_end(c);
}

static bool take_keep(const struct step *s, struct cursor *c, struct taken *t)
{
	(void)s;
	t->bytes = c->i;
	return true;
}

#define DIGITS "0123456789"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define WORD UPPER LOWER DIGITS "_.-"

/* begins: what the first byte can be; NULL: it may be of no bytes. */
static const struct field {
	const char *name;
	bool (*take)(const struct step *s, struct cursor *c, struct taken *t);
	const char *begins;
} fields[] = {
	{ "time", take_time, DIGITS UPPER "[" },
	{ "clock", take_clock, DIGITS },
	{ "level", take_level, UPPER LOWER },
	{ "LEVEL", take_upper, UPPER },
	{ "letter", take_letter, "DVIWECF" },
	{ "source", take_source, WORD "/" },
	{ "number", take_number, DIGITS },
	{ "rank", take_rank, DIGITS },
	{ "local_rank", take_local, DIGITS },
	{ "node", take_node, WORD },
	{ "program", take_program, WORD "/" },
	{ "writer", take_writer, WORD "/" },
	{ "logger", take_logger, WORD "/<" },
	{ "word", take_word, WORD },
	{ "numbered", take_numbered, WORD },
	{ "hash", take_hash, DIGITS "abcdef" },
	{ "hex", take_hex, DIGITS "abcdef" },
	{ "text", take_text, NULL },
	{ "blank", take_blank, NULL },
	{ "blanks", take_blanks, NULL },
	{ "gap", take_gap, NULL },
	{ "gaps", take_gaps, NULL },
	{ "keep", take_keep, NULL },
};

/* ---- reading a form ---- */

static const struct field *field_of(struct span name)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (*name.p == *fields[i].name && span_is(name, fields[i].name))
			return &fields[i];
	return NULL;
}

/* The next step of what is left, with what it can begin with. */
static int read_step(
    struct span *left, struct step *s, struct span *begins, struct err *e)
{
	const char *open = memchr(left->p, '<', left->n), *close;
	const struct field *f;

	if (open != left->p) {
		size_t n = open ? (size_t)(open - left->p) : left->n;

		*s = (struct step){ take_fixed, { left->p, n } };
		*begins = (struct span){ left->p, 1 };
		*left = span_sub(*left, n, left->n);
		return 0;
	}
	close = memchr(open, '>', left->n);
	f = close
	    ? field_of((struct span){ open + 1, (size_t)(close - open - 1) })
	    : NULL;
	if (!f)
		return err_set(e, "unknown field '%.*s'", (int)left->n, open);
	*left = span_sub(*left, (size_t)(close + 1 - open), left->n);
	*s = (struct step){ f->take, span_sub(*left, 0, 1) };
	*begins = f->begins ? span_of(f->begins) : (struct span){ NULL, 0 };
	if (f->take == take_text && (!left->n || *left->p == '<'))
		return err_set(e, "no fixed text behind <text>");
	return 0;
}

static int read_form(struct form *form, struct span *begins, struct err *e)
{
	struct span left = span_of(form->p.form), any;

	*begins = (struct span){ NULL, 0 };
	while (left.n) {
		if (form->n == STEPS_MAX)
			return err_set(e, "more than %d parts", STEPS_MAX);
		if (read_step(&left, &form->steps[form->n],
			form->n ? &any : begins, e))
			return -1;
		form->n++;
	}
	if (!form->n || !begins->n)
		return err_set(e,
		    "does not begin with a text or a field that "
		    "has one");
	return 0;
}

int prefixes_check(const char *form, struct err *e)
{
	struct form f = { .p.form = form };
	struct span begins;

	return read_form(&f, &begins, e);
}

struct prefixes *prefixes_new(void)
{
	struct prefixes *all = calloc(1, sizeof *all);

	for (unsigned c = 0; all && c < 256; c++)
		all->rows[c] = peel_some((char)c);
	return all;
}

void prefixes_free(struct prefixes *all)
{
	if (!all)
		return;
	free(all->forms);
	free(all->nodes);
	free(all);
}

static bool same_step(const struct step *a, const struct step *b)
{
	return a->take == b->take && a->fixed.n == b->fixed.n &&
	    memcmp(a->fixed.p, b->fixed.p, a->fixed.n) == 0;
}

static void note(struct prefixes *all, struct form *f, struct span begins)
{
	set bit = (set)1 << all->n;

	for (size_t i = 0; i < begins.n; i++)
		all->begin[(unsigned char)begins.p[i]] |= bit;
	all->tags |= f->p.tag ? bit : 0;
	all->first |= f->p.first && !f->p.tag ? bit : 0;
	all->later |= f->p.first || f->p.tag ? 0 : bit;
	all->some_first |= f->p.first && !f->p.tag;
	all->after[f->p.after] |= bit;
	all->collectors |= f->p.phase == 0 ? bit : 0;
	for (int i = 0; i < 3; i++)
		all->phase_from[i] |=
		    f->p.phase < 0 || f->p.phase >= i ? bit : 0;
	while (all->n && f->same < f->n && f->same < f[-1].n &&
	    same_step(&f->steps[f->same], &f[-1].steps[f->same]))
		f->same++;
}

int prefixes_add(
    struct prefixes *all, const struct prefix *prefix, struct err *e)
{
	struct span begins;
	struct form *f;

	if (all->n == FORMS_MAX)
		return err_set(e, "more than %d forms of prefixes", FORMS_MAX);
	if (!all->forms)
		all->forms = malloc(FORMS_MAX * sizeof *all->forms);
	if (!all->forms)
		return err_nomem(e);
	f = &all->forms[all->n];
	*f = (struct form){ .p = *prefix };
	if (read_form(f, &begins, e))
		return -1;
	note(all, f, begins);
	all->n++;
	return 0;
}

/* ---- peeling ---- */

struct peel_some prefixes_rows(const struct prefixes *all, char first)
{
	return all ? all->rows[(unsigned char)first] : peel_some(first);
}

/* How many steps of a form the start of s fits; all: t has what it tells. */
static size_t fit(const struct form *f, struct span s, struct taken *t)
{
	struct cursor c = cursor_of(s);
	size_t i = 0;

	t->has_time = t->clock = false;
	t->level = LEVEL_UNKNOWN;
	t->rank = t->local_rank = -1;
	t->node.n = t->program.n = t->writer.n = t->bytes = 0;
	while (i < f->n && f->steps[i].take(&f->steps[i], &c, t))
		i++;
	if (!t->bytes)
		t->bytes = c.i;
	return i;
}

/* Which forms may stand at p, first or not. */
static set which(
    const struct prefixes *all, const struct peel *p, int phase, bool first)
{
	set some = all->begin[(unsigned char)p->s.p[0]] &
	    (first ? all->first : all->later);

	if (!some)
		return 0;
	if (!p->after_time)
		some &= ~all->after[PREFIX_AFTER_TIME];
	if (!p->after_time && !p->after_log)
		some &= ~all->after[PREFIX_AFTER_PREFIX];
	if (p->out->kernel)
		some &= all->collectors;
	return some & all->phase_from[phase];
}

/* The lowest bit of a set that is not empty. */
static size_t lowest(set s)
{
	uint64_t low = (uint64_t)s;

	return (size_t)(low ? __builtin_ctzll(low)
			    : 64 + __builtin_ctzll((uint64_t)(s >> 64)));
}

static void fill(struct peel *p, const struct form *f, const struct taken *t)
{
	if (t->has_time)
		peel_time(p, &t->when);
	if (f->p.level || t->level)
		p->out->level = f->p.level ? f->p.level : t->level;
	if (t->rank >= 0)
		p->out->rank = t->rank;
	if (t->local_rank >= 0)
		p->out->local_rank = t->local_rank;
	if (t->node.n)
		p->out->node = t->node;
	if (t->program.n)
		p->out->program = t->program;
	if (t->writer.n)
		p->out->process = t->writer;
	p->after_time |= t->has_time || t->clock;
	p->after_rank |= t->rank >= 0 || t->local_rank >= 0;
	p->after_log |= f->p.phase == 2;
}

bool prefixes_peel(
    const struct prefixes *all, struct peel *p, int *phase, bool first)
{
	set left;
	size_t tried = FORMS_MAX, fits = 0; /* the last one, and how far */
	struct taken t;

	/* mostly there are none of a site's */
	if (!all || (first && !all->some_first))
		return false;
	left = which(all, p, *phase, first);
	for (; left; left &= left - 1) {
		size_t i = lowest(left);
		const struct form *f = &all->forms[i];

		if (i == tried + 1 && fits < f->same) {
			tried = i;
			continue;
		}
		tried = i;
		fits = fit(f, p->s, &t);
		if (fits < f->n)
			continue;
		fill(p, f, &t);
		if (f->p.phase > *phase)
			*phase = f->p.phase;
		p->s = span_sub(p->s, t.bytes, p->s.n);
		return true;
	}
	return false;
}

size_t prefixes_tag(const struct prefixes *all, struct span s)
{
	set left = all && s.n ? all->begin[(unsigned char)*s.p] & all->tags : 0;
	struct taken t;

	for (; left; left &= left - 1) {
		const struct form *f = &all->forms[lowest(left)];

		if (fit(f, s, &t) == f->n)
			return t.bytes;
	}
	return 0;
}

bool prefixes_tell(const struct prefixes *all, size_t id, struct span text)
{
	struct taken t;

	for (size_t i = 0; i < all->n; i++)
		if (all->forms[i].p.id == id &&
		    fit(&all->forms[i], text, &t) == all->forms[i].n)
			return true;
	return false;
}

/* ---- names of nodes ---- */

int prefixes_add_node(struct prefixes *all, const char *start)
{
	if (array_grow(
		&all->nodes, all->n_nodes, &all->cap_nodes, sizeof *all->nodes))
		return -1;
	all->nodes[all->n_nodes++] = start;
	return 0;
}

bool prefixes_node(const struct prefixes *all, struct span name)
{
	for (size_t i = 0; all && i < all->n_nodes; i++)
		if (span_starts(name, all->nodes[i]))
			return true;
	return false;
}
