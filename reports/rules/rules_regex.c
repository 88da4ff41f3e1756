/*
 * A recursive descent over the pattern. Of each sequence it keeps whether it
 * has a part that must stand there once (fixed) and one that repeats (loose):
 * a loose sequence without anything fixed must not be repeated itself.
 */
#include "reports/rules/rules_regex.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define MANY 16 /* repeats that are as bad as no bound */

struct reader {
	const char *p;
	bool extended; /* (?x): blanks and comments do not count */
	int depth;
	struct rules_regex found;
};

struct atom {
	bool consumes; /* false: an assertion */
	bool wide;     /* matches almost any byte */
	bool any;      /* the dot, or its like */
	bool open;     /* a group with an alternative that is all loose */
	bool atomic;
};

/* Where in the pattern a sequence stands. */
struct place {
	bool start, anchored;
};

struct repeat {
	unsigned long least, most; /* most: ULONG_MAX for no bound */
	bool possessive;
};

static bool alternatives(struct reader *r, struct place at);

/* [...]; p is behind the bracket. */
static void read_class(struct reader *r, struct atom *a)
{
	bool blank = false, other = false;

	a->consumes = true;
	if (*r->p == '^') {
		a->wide = true;
		r->p++;
	}
	for (bool first = true; *r->p && (first || *r->p != ']');
	     first = false) {
		if (r->p[0] == '\\' && r->p[1]) {
			blank |=
			    r->p[1] == 's' || r->p[1] == 'd' || r->p[1] == 'w';
			other |=
			    r->p[1] == 'S' || r->p[1] == 'D' || r->p[1] == 'W';
			r->p += 2;
		} else if (r->p[0] == '[' && r->p[1] == ':') {
			const char *end = strstr(r->p, ":]");

			r->p = end ? end + 2 : r->p + 1;
		} else {
			r->p++;
		}
	}
	if (*r->p)
		r->p++;
	if (blank && other)
		a->wide = a->any = true;
}

/* After a backslash. */
static void read_escape(struct reader *r, struct atom *a)
{
	char c = *r->p;
	const char *end;

	if (!c)
		return;
	r->p++;
	a->consumes = !strchr("bBAzZGKE", c);
	a->wide = strchr("SDWNXHV", c) != NULL;
	a->any = c == 'N' || c == 'X';
	if (c == 'Q') {
		end = strstr(r->p, "\\E");
		r->p = end ? end + 2 : r->p + strlen(r->p);
	} else if (strchr("xopPgk", c) &&
	    (*r->p == '{' || *r->p == '<' || *r->p == '\'')) {
		r->p += strcspn(r->p + 1, "}>'") + 1;
		if (*r->p)
			r->p++;
	} else if (strchr("pPc", c) && *r->p) {
		r->p++;
	}
}

/* The letters of (?ims-x) or (?i: ; p is at the first one. True: a group
 * follows; false: the setting ended with ')'. */
static bool read_flags(struct reader *r)
{
	bool on = true;

	for (; *r->p && *r->p != ')' && *r->p != ':'; r->p++) {
		if (*r->p == '-')
			on = false;
		else if (*r->p == 'x')
			r->extended = on;
	}
	if (!*r->p)
		return false;
	return *r->p++ == ':';
}

/* After "(": its kind and content. */
static void read_group(struct reader *r, struct atom *a, struct place at)
{
	bool look = false, extended = r->extended;

	a->consumes = true;
	if (r->p[0] == '*') {
		r->p += strcspn(r->p, ")");
		r->p += *r->p == ')';
		a->consumes = false;
		return;
	}
	if (r->p[0] == '?') {
		char c = *++r->p;

		if (c == '#') {
			r->p += strcspn(r->p, ")");
			r->p += *r->p == ')';
			a->consumes = false;
			return;
		}
		if (c == '=' || c == '!' ||
		    (c == '<' && (r->p[1] == '=' || r->p[1] == '!'))) {
			look = true;
			r->p += c == '<' ? 2 : 1;
		} else if (c == '<' || c == '\'' || c == 'P') {
			r->p += strcspn(r->p + 1 + (c == 'P'), ">')") + 1 +
			    (c == 'P');
			r->p += *r->p == '>' || *r->p == '\'';
		} else if (c == '>' || c == '|') {
			a->atomic = c == '>';
			r->p++;
		} else if (!read_flags(r)) {
			a->consumes = false;
			return;
		}
	}
	if (look)
		at.start = false;
	a->open = alternatives(r, at) && !look;
	a->consumes = !look;
	r->extended = extended;
	if (*r->p == ')')
		r->p++;
}

static struct atom read_atom(struct reader *r, struct place *at)
{
	struct atom a = { 0 };
	char c = *r->p++;

	if (c == '\\') {
		read_escape(r, &a);
		at->anchored |= r->p[-1] == 'A' && !a.consumes;
	} else if (c == '[') {
		read_class(r, &a);
	} else if (c == '(') {
		read_group(r, &a, *at);
	} else if (c == '^' || c == '$') {
		at->anchored |= c == '^';
	} else if (r->extended && strchr(" \t\n", c)) {
		;
	} else if (r->extended && c == '#') {
		r->p += strcspn(r->p, "\n");
	} else {
		a.consumes = true;
		a.wide = a.any = c == '.';
	}
	return a;
}

static struct repeat read_repeat(struct reader *r)
{
	struct repeat q = { 1, 1, false };
	char *end;

	if (*r->p == '*' || *r->p == '+' || *r->p == '?') {
		q.least = *r->p == '+';
		q.most = *r->p == '?' ? 1 : (unsigned long)-1;
		r->p++;
	} else if (*r->p == '{' && r->p[1] >= '0' && r->p[1] <= '9') {
		q.least = q.most = strtoul(r->p + 1, &end, 10);
		if (*end == ',' && end[1] == '}') {
			q.most = (unsigned long)-1;
			end++;
		} else if (*end == ',') {
			q.most = strtoul(end + 1, &end, 10);
		}
		if (*end != '}')
			return (struct repeat){ 1, 1, false };
		r->p = end + 1;
	} else {
		return q;
	}
	q.possessive = *r->p == '+';
	if (*r->p == '+' || *r->p == '?')
		r->p++;
	return q;
}

/* Up to '|', ')' or the end. Whether it repeats and has nothing fixed. */
static bool sequence(struct reader *r, struct place at)
{
	bool loose = false, fixed = false;

	while (*r->p && *r->p != '|' && *r->p != ')') {
		struct atom a = read_atom(r, &at);
		struct repeat q = read_repeat(r);
		bool endless = q.most == (unsigned long)-1;

		if (!a.consumes)
			continue;
		if (at.start && endless && !q.possessive &&
		    (at.anchored ? a.any : a.wide))
			r->found.skips = true;
		at.start = false;
		if (a.open && q.most > MANY && !q.possessive && !a.atomic)
			r->found.nested = true;
		if (q.possessive || a.atomic)
			fixed |= q.least > 0;
		else if (q.most > MANY && q.most != q.least)
			loose = true;
		else if (a.open)
			loose = true;
		else
			fixed |= q.least > 0;
	}
	return loose && !fixed;
}

static bool alternatives(struct reader *r, struct place at)
{
	bool open = false;

	if (++r->depth > DEPTH_MAX) {
		r->p += strlen(r->p);
		return false;
	}
	for (;;) {
		open |= sequence(r, at);
		if (*r->p != '|')
			break;
		r->p++;
	}
	r->depth--;
	return open;
}

struct rules_regex rules_regex_read(const char *pattern)
{
	struct reader r = { .p = pattern };

	while (*r.p) {
		(void)alternatives(&r, (struct place){ .start = true });
		/* a ')' too many: not for us to judge */
		if (*r.p == ')')
			r.p++;
	}
	return r.found;
}
