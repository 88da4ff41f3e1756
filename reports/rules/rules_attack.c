/*
 * A line is LINE bytes of one text over and over. Texts are the runs of plain
 * letters in the expression, each by itself and some of them in a row, and the
 * examples without their end: what nearly matches is what costs.
 */
#include "reports/rules/rules_attack.h"

#include "base/buf.h"
#include "rules/pattern.h"
#include "rules/taxonomy.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LINE 8192 /* work on lines as long as that is counted */
#define RUN_LEAST 2
#define RUNS 64
#define RUN_MOST 64
#define TENTHS 10

/* What lines are that nobody made. One may hold what ends a search at once, so
 * there are two. */
static const char *const ordinary[] = {
	"step 1200 of 90000: loss 2.3145, the next batch of data is from "
	"node 7 ",
	"12:04:31 INFO worker 3 reads shard 0812 in 7.4 s, 41 of 96 are done "
};

struct runs {
	char v[RUNS][RUN_MOST];
	size_t n;
};

struct attack {
	const struct pattern *p;
	const char *front;
	struct matcher *m;
	struct buf line;
	uint64_t ordinary; /* tenths of a step for a byte, at least one step */
	struct rules_attack *worst;
};

/* ---- the plain texts of an expression ---- */

static const char *after_class(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	if (*p == ']')
		p++;
	while (*p && *p != ']')
		p += *p == '\\' && p[1] ? 2 : 1;
	return *p ? p + 1 : p;
}

/* Behind what follows a '(': "?:", "?<name>", "?i:" and the like. */
static const char *after_open(const char *p)
{
	if (*p != '?')
		return p;
	p++;
	if (*p == '<' && p[1] != '=' && p[1] != '!') {
		while (*p && *p != '>')
			p++;
		return *p ? p + 1 : p;
	}
	while (*p && strchr("<=!:|>imsx-", *p))
		p++;
	return p;
}

static void end_run(struct runs *r, size_t *length)
{
	if (*length >= RUN_LEAST && r->n < RUNS) {
		r->v[r->n][*length] = 0;
		r->n++;
	}
	*length = 0;
}

static void find_runs(struct runs *r, const char *p)
{
	size_t length = 0;

	r->n = 0;
	while (*p && r->n < RUNS) {
		char c = *p;

		if (c == '[') {
			p = after_class(p);
			end_run(r, &length);
			continue;
		}
		p++;
		if (c == '(') {
			p = after_open(p);
		} else if (c == '\\' && *p) {
			c = *p++;
			if (!strchr("bBdDsSwWnrtAzZQEGkKRhHvVx0123456789", c)) {
				if (length < RUN_MOST - 1)
					r->v[r->n][length++] = c;
				continue;
			}
		} else if (!strchr("|)^$.*+?{", c)) {
			if (length < RUN_MOST - 1)
				r->v[r->n][length++] = c;
			continue;
		} else if (c == '*' || c == '?' || c == '{') {
			length -= length > 0; /* it may be left out */
			while (c == '{' && *p && *p++ != '}')
				;
		}
		end_run(r, &length);
	}
	end_run(r, &length);
}

/* ---- lines ---- */

/* Tenths of a step for a byte of a line that repeats the first n bytes of text,
 * with between after each; -1: out of memory. */
static int64_t cost_of(
    struct attack *a, const char *text, size_t n, const char *between)
{
	buf_clear(&a->line);
	if (buf_addf(&a->line, "%s ", a->front))
		return -1;
	while (a->line.len < LINE)
		if (buf_addf(&a->line, "%.*s%s", (int)n, text, between))
			return -1;
	(void)pattern_find(
	    a->p, a->m, (struct span){ a->line.p, a->line.len }, NULL);
	return (int64_t)(TENTHS * pattern_steps(a->m) / a->line.len);
}

static int attack(
    struct attack *a, const char *text, size_t n, const char *between)
{
	int64_t cost = n ? cost_of(a, text, n, between) : 0;
	uint64_t times;

	if (cost < 0)
		return -1;
	times = TENTHS * (uint64_t)cost / a->ordinary;
	if (times > a->worst->times) {
		a->worst->times = times;
		snprintf(a->worst->text, sizeof a->worst->text, "%.*s%s",
		    (int)n, text, between);
	}
	return 0;
}

static int attack_by_runs(struct attack *a, const struct runs *r)
{
	struct buf row = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++)
		rc = attack(a, r->v[i], strlen(r->v[i]), "") ||
		    attack(a, r->v[i], strlen(r->v[i]), " ") ||
		    attack(a, r->v[i], strlen(r->v[i]), " 1") ||
		    buf_addf(&row, "%s", r->v[i]) ||
		    attack(a, row.p, row.len, "") ||
		    attack(a, row.p, row.len - 1, "");
	buf_release(&row);
	return rc ? -1 : 0;
}

static int attack_by_example(struct attack *a, const char *example)
{
	size_t n = strlen(example);

	return attack(a, example, n - (n > 0), "") ||
		attack(a, example, 3 * n / 4, "") ||
		attack(a, example, n / 2, " ")
	    ? -1
	    : 0;
}

int rules_attack_find(const struct pattern *p, const char *expression,
    const char *front, const struct strings *examples, struct matcher *m,
    struct rules_attack *worst)
{
	struct attack a = { p, front, m, BUF_INIT(BUF_MAX), TENTHS, worst };
	struct runs runs;
	int rc = 0;

	*worst = (struct rules_attack){ .times = 0 };
	for (size_t i = 0; i < sizeof ordinary / sizeof *ordinary && !rc; i++) {
		int64_t cost =
		    cost_of(&a, ordinary[i], strlen(ordinary[i]), "");

		if (cost > (int64_t)a.ordinary)
			a.ordinary = (uint64_t)cost;
		rc = cost < 0 ? -1 : 0;
	}
	find_runs(&runs, expression);
	if (!rc)
		rc = attack_by_runs(&a, &runs);
	for (size_t i = 0; i < examples->n && !rc; i++)
		rc = attack_by_example(&a, examples->v[i]);
	buf_release(&a.line);
	return rc;
}
