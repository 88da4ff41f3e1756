/*
 * The pattern is the template written as a regular expression; whether it is
 * right is tried on the samples, not assumed. Which rules are near is told by
 * the words they have in common, each weighed by how few rules have it.
 */
#include "reports/groups/draft.h"

#include "base/buf.h"
#include "base/err.h"
#include "reports/groups/draft_near.h"
#include "rules/pattern.h"

#include <stdlib.h>
#include <string.h>

#define PATTERN_MOST 200 /* bytes of a template that become a pattern */
#define STEPS 100000     /* of one match */
#define NO_MATCH 3       /* examples */
#define TALLY 12         /* rules that are counted */

struct draft {
	const struct report *r;
	const struct failure_group *g;
	struct buf text; /* of the pattern */
	char *literal;   /* the longest fixed text in it */
	bool exception;
	struct pattern *pattern;
	struct matcher *matcher;
	struct draft_near words;
	char *good[NO_MATCH]; /* owned */
	size_t n_good;
	uint64_t printed; /* lines of good runs that it matches */
	char *where;      /* the first of them; owned, or NULL */
};

/* ---- the pattern ---- */

static const struct part {
	const char *mark, *name, *pattern;
} parts[] = {
	{ "<num>", "number", "[-+]?\\d[\\d.,;x eE+-]{0,60}?" },
	{ "<hex>", "hex", "[0-9a-fA-Fx]{1,64}" },
	{ "<id>", "name", "\\w{1,80}?" },
	{ "<uuid>", "uuid", "[0-9a-fA-F-]{36}" },
	{ "<time>", "time", "[\\w:., /+-]{3,40}?" },
	{ "<path>", "path", "[^\\s'\",;]{1,300}?" },
	{ "<url>", "url", "[^\\s'\",;]{1,300}?" },
	{ "<host>", "host", "[\\w.:-]{1,120}?" },
	{ "<text>", "text", "[^\\n]{1,200}?" },
};
#define PARTS (sizeof parts / sizeof *parts)

/* Add a character that stands for itself. */
static int add_plain(struct buf *b, char c)
{
	return (strchr("\\^$.|?*+()[]{}#", c) && buf_addc(b, '\\')) ||
		buf_addc(b, c)
	    ? -1
	    : 0;
}

/* The template without the frame behind it. */
static struct span message_of(const char *template)
{
	struct span s = span_of(template);
	size_t at = s.n;

	if (span_ends(s, "]"))
		for (at = s.n; at > 1 && s.p[at - 1] != '[';)
			at--;
	if (at > 2 && at < s.n && s.p[at - 2] == ' ')
		s.n = at - 2;
	return s;
}

static int keep_literal(struct draft *d, struct span s)
{
	char *copy;

	if (d->literal && strlen(d->literal) >= s.n)
		return 0;
	copy = span_dup(s);
	free(d->literal);
	d->literal = copy;
	return copy ? 0 : -1;
}

static int make_text(struct draft *d)
{
	struct span s = message_of(d->g->template);
	unsigned seen[PARTS] = { 0 };
	size_t from = 0;
	int rc = d->exception ? buf_addc(&d->text, '^') : 0;

	for (size_t i = 0; i < s.n && i < PATTERN_MOST && !rc;) {
		struct span rest = span_sub(s, i, s.n);
		size_t k = 0;

		while (k < PARTS && !span_starts(rest, parts[k].mark))
			k++;
		if (k == PARTS) {
			rc = add_plain(&d->text, s.p[i++]);
			continue;
		}
		rc = keep_literal(d, span_sub(s, from, i));
		if (!rc)
			rc = seen[k]++
			    ? buf_addf(&d->text, "(?<%s_%u>%s)", parts[k].name,
				  seen[k], parts[k].pattern)
			    : buf_addf(&d->text, "(?<%s>%s)", parts[k].name,
				  parts[k].pattern);
		i += strlen(parts[k].mark);
		from = i;
	}
	return rc ||
		keep_literal(d,
		    span_sub(s, from, s.n < PATTERN_MOST ? s.n : PATTERN_MOST))
	    ? -1
	    : 0;
}

/* ---- matching ---- */

static bool matches(const struct draft *d, struct span line)
{
	return pattern_find(d->pattern, d->matcher, line, NULL) == 1;
}

/* The line of what an entry rests on that it matches, else the last one, which
 * of a traceback is the exception. */
static struct span line_of(
    const struct draft *d, const struct entry *en, bool *match)
{
	struct span rest, line, last = span_of(NULL);

	*match = false;
	rest = span_of(en->n_evidence ? en->evidence[0].text : NULL);
	while (span_line(&rest, &line)) {
		line = span_trim(line);
		if (line.n)
			last = line;
		if (line.n && matches(d, line)) {
			*match = true;
			return line;
		}
	}
	return last;
}

static bool of_group(const struct failure_group *g, const struct entry *en)
{
	if (!en->template_id)
		return false;
	if (!strcmp(en->template_id, g->id))
		return true;
	for (size_t i = 0; i < g->n_others; i++)
		if (!strcmp(en->template_id, g->others[i]))
			return true;
	return false;
}

/* ---- making it ---- */

struct draft *draft_new(
    const struct report *r, const struct failure_group *g, struct err *e)
{
	struct draft *d = calloc(1, sizeof *d);

	if (!d) {
		err_nomem(e);
		return NULL;
	}
	d->r = r;
	d->g = g;
	d->exception = g->frames != NULL;
	d->text = (struct buf)BUF_INIT(BUF_MAX);
	d->matcher = pattern_matcher_new(STEPS);
	draft_near_add(&d->words, message_of(g->template));
	draft_near_add(&d->words, span_of(g->frames));
	if (!d->matcher || make_text(d))
		err_nomem(e);
	else if (d->literal && *d->literal)
		d->pattern = pattern_new(d->text.p, NULL, e);
	else
		err_set(e,
		    "the group has no words in common: a rule needs "
		    "some");
	if (d->pattern)
		return d;
	draft_free(d);
	return NULL;
}

void draft_free(struct draft *d)
{
	if (!d)
		return;
	buf_release(&d->text);
	pattern_free(d->pattern);
	pattern_matcher_free(d->matcher);
	free(d->literal);
	free(d->where);
	for (size_t i = 0; i < d->n_good; i++)
		free(d->good[i]);
	free(d);
}

int draft_good(struct draft *d, struct span line, const char *place)
{
	line = span_trim(line);
	if (!line.n || line.n > 400 || !text_is_utf8(line))
		return 0;
	if (matches(d, line)) {
		if (!d->printed++)
			d->where = span_dup(span_of(place));
		if (d->printed == 1 && !d->where)
			return -1;
	} else if (d->n_good == NO_MATCH - 1 ||
	    draft_near_in(&d->words, line) < 2) {
		return 0;
	}
	for (size_t i = 0; i < d->n_good; i++)
		if (span_eq(span_of(d->good[i]), line))
			return 0;
	if (d->n_good == NO_MATCH || d->printed > 1)
		return 0;
	d->good[d->n_good] = span_dup(line);
	return d->good[d->n_good++] ? 0 : -1;
}

/* ---- writing ---- */

/* A scalar between single quotes. */
static int quoted(struct buf *out, struct span s)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = text_visible(&b, s) || buf_addc(out, '\'');

	for (size_t i = 0; i < b.len && !rc; i++)
		rc = (b.p[i] == '\'' && buf_addc(out, '\'')) ||
		    buf_addc(out, b.p[i]);
	rc = rc || buf_addc(out, '\'');
	buf_release(&b);
	return rc ? -1 : 0;
}

static int item(struct buf *out, struct span s)
{
	return buf_adds(out, "        - ") || quoted(out, s) ||
		buf_addc(out, '\n')
	    ? -1
	    : 0;
}

static int comment(struct buf *out, const char *label, const char *text)
{
	int rc =
	    buf_addf(out, "# %s", label) || text_visible(out, span_of(text));

	return rc || buf_addc(out, '\n') ? -1 : 0;
}

static int write_head(const struct draft *d, struct buf *out)
{
	const struct failure_group *g = d->g;
	int rc = buf_addf(out,
	    "# Drafted from group %s: %llu attempts of %llu jobs.\n", g->id,
	    (unsigned long long)g->now.attempts,
	    (unsigned long long)g->now.jobs);

	rc = rc || comment(out, "template: ", g->template);
	if (!rc && g->frames)
		rc = comment(out, "raised in: ", g->frames);
	return rc ||
		buf_adds(out,
		    "# Open for a person: the category, in both places, and "
		    "whether the role and\n# the title are right. "
		    "`jobtriage taxonomy test --taxonomy FILE` refuses the "
		    "file\n# until then.\n") ||
		draft_near_rules(&d->words, d->r->tax, out)
	    ? -1
	    : 0;
}

static int write_rule(const struct draft *d, struct buf *out)
{
	const char *name = d->g->name ? d->g->name : d->literal;
	const char *title = d->g->name ? d->g->name : d->g->template;
	int rc = buf_adds(
	    out, "category: " DRAFT_OPEN "\nrules:\n  - id: " DRAFT_OPEN ".");

	for (size_t i = 0, n = 0; name[i] && n < 32 && !rc; i++) {
		char c = name[i];

		c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
		if (c >= 'a' && c <= 'z')
			rc = buf_addc(out, c);
		else if (n && out->p[out->len - 1] != '_')
			rc = buf_addc(out, '_');
		else
			continue;
		n++;
	}
	while (!rc && out->p[out->len - 1] == '_')
		out->p[--out->len] = '\0';
	if (!rc && out->p[out->len - 1] == '.')
		rc = buf_adds(out, "unnamed");
	rc = rc || buf_adds(out, "\n    title: ") ||
	    quoted(out, span_of(title)) ||
	    buf_addf(out, "\n    where: %s\n",
		d->exception ? "exception" : "line") ||
	    comment(out, "   fixed text: ", d->literal) ||
	    buf_adds(out, "    pattern: ") ||
	    quoted(out, (struct span){ d->text.p, d->text.len });
	return rc ||
		buf_adds(out,
		    "\n    role: root # it was the answer, or nothing else "
		    "was\n")
	    ? -1
	    : 0;
}

static bool said(const struct span *v, size_t n, struct span s)
{
	for (size_t i = 0; i < n; i++)
		if (span_eq(v[i], s))
			return true;
	return false;
}

/* Lines of different jobs; *missed: samples that it does not match. */
static int write_match(const struct draft *d, struct buf *out, unsigned *missed)
{
	struct span v[GROUP_SAMPLES];
	size_t n = 0;
	bool match;
	int rc = buf_adds(out, "    examples:\n      match:\n");

	*missed = 0;
	for (size_t i = 0; i < d->g->n_samples && !rc; i++) {
		struct span s = line_of(d, d->g->samples[i], &match);

		*missed += !match;
		if (!match || said(v, n, s))
			continue;
		v[n++] = s;
		rc = item(out, s);
	}
	return rc;
}

/* Lines of the groups whose words are the nearest. */
static int write_neighbours(const struct draft *d, struct buf *out, size_t *n)
{
	const struct groups *all = &d->r->unnamed;
	int rc = 0;

	for (unsigned least = 3; least > 0 && !rc; least--)
		for (size_t i = 0; i < all->n && *n < NO_MATCH && !rc; i++) {
			const struct failure_group *g = &all->v[i];
			unsigned near =
			    draft_near_in(&d->words, span_of(g->template));
			struct span s;
			bool match;

			if (g == d->g || !g->n_samples ||
			    (near > 3 ? 3 : near) != least)
				continue;
			s = line_of(d, g->samples[0], &match);
			if (match || !s.n)
				continue;
			rc = item(out, s);
			++*n;
		}
	return rc;
}

static int write_no_match(const struct draft *d, struct buf *out)
{
	size_t n = 0;
	int rc = buf_adds(out, "      no_match:\n");

	for (size_t i = 0; i < d->n_good && !rc; i++, n++)
		rc = item(out, span_of(d->good[i]));
	rc = rc || write_neighbours(d, out, &n);
	if (!rc && !n)
		rc = item(out, span_of("step 10 loss 0.5"));
	return rc;
}

/* What it would have matched among what the store keeps. */
static int write_check(const struct draft *d, struct buf *out, unsigned missed)
{
	struct {
		const char *rule;
		uint64_t n;
	} v[TALLY];
	uint64_t own = 0, others = 0, good = 0, taken = 0;
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < d->r->n_entries; i++) {
		const struct entry *en = d->r->entries[i];
		size_t k = 0;
		bool match;

		(void)line_of(d, en, &match);
		if (!match)
			continue;
		if (of_group(d->g, en)) {
			own++;
		} else if (en->failed == 0) {
			good++;
		} else if (en->template_id) {
			others++;
		} else {
			taken++;
			while (k < n && v[k].rule != en->rule)
				k++;
			if (k == n && n < TALLY) {
				v[n].n = 0;
				v[n++].rule = en->rule;
			}
			if (k < n)
				v[k].n++;
		}
	}
	rc = buf_addf(out,
	    "# Tried on what the store keeps: it matches %llu of the group's "
	    "%llu attempts,\n# %llu of other groups, %llu that ended well, "
	    "%llu that other rules answer.\n",
	    (unsigned long long)own, (unsigned long long)d->g->now.attempts,
	    (unsigned long long)others, (unsigned long long)good,
	    (unsigned long long)taken);
	for (size_t k = 0; k < n && !rc; k++)
		rc = buf_addf(out, "#   %s: %llu\n",
		    v[k].rule ? v[k].rule : "no rule",
		    (unsigned long long)v[k].n);
	if (!rc && others + taken > own)
		rc = buf_adds(out,
		    "# WARNING: most of what it matches is something else: it "
		    "has too few words.\n");
	if (!rc && missed)
		rc = buf_addf(out,
		    "# WARNING: %u of the samples it does not match: mend the "
		    "pattern.\n",
		    missed);
	if (!rc && d->printed)
		rc = buf_addf(out,
			 "# WARNING: runs that ended well print it, too: %llu "
			 "lines.\n",
			 (unsigned long long)d->printed) ||
		    comment(out, "  ", d->where);
	return rc;
}

int draft_write(const struct draft *d, struct buf *out, struct err *e)
{
	unsigned missed;

	return write_head(d, out) || write_rule(d, out) ||
		write_match(d, out, &missed) || write_no_match(d, out) ||
		write_check(d, out, missed)
	    ? err_nomem(e)
	    : 0;
}
