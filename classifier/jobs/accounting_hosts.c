/*
 * Slurm's hostlists: names separated by commas, with ranges in brackets, of
 * which a name may have several: "rack[1-2]n[01-10]". The ranges are counted
 * like the digits of a number, the last one fastest.
 */
#include "jobs/accounting_values.h"

#include "base/array.h"
#include "base/buf.h"
#include "jobs/accounting_pool.h"

#include <stdlib.h>
#include <string.h>

struct maker {
	struct accounting_pool *pool;
	struct buf name;
	char **v;
	size_t n, cap;
	bool cut;
};

static int give(struct maker *m)
{
	if (m->n == ACCOUNTING_HOSTS_MAX) {
		m->cut = true;
		return 0;
	}
	if (array_grow(&m->v, m->n, &m->cap, sizeof *m->v))
		return -1;
	m->v[m->n] = accounting_pool_string(
	    m->pool, (struct span){ m->name.p, m->name.len });
	return m->v[m->n++] ? 0 : -1;
}

static int expand(struct maker *m, struct span rest);

/* One range "a-b" or "a" of a bracket, with what follows the bracket. */
static int expand_range(struct maker *m, struct span range, struct span after)
{
	size_t dash = span_find(range, "-"), len = m->name.len;
	struct span low = span_sub(range, 0, dash);
	int64_t a = span_number(low), b = a;

	if (dash != SIZE_MAX)
		b = span_number(span_sub(range, dash + 1, range.n));
	for (; a <= b && !m->cut; a++) {
		m->name.len = len;
		if (buf_addf(&m->name, "%0*lld", low.n > 18 ? 18 : (int)low.n,
			(long long)a) ||
		    expand(m, after))
			return -1;
	}
	m->name.len = len;
	return 0;
}

/* All that the name so far and the rest make. */
static int expand(struct maker *m, struct span rest)
{
	size_t open = span_find(rest, "["), close = span_find(rest, "]");
	size_t len = m->name.len;
	struct span inside, after;
	size_t from = 0;
	int rc = 0;

	if (buf_add(&m->name, rest.p, open == SIZE_MAX ? rest.n : open))
		return -1;
	if (open == SIZE_MAX) {
		rc = give(m);
		m->name.len = len;
		return rc;
	}
	inside = span_sub(rest, open + 1, close);
	after = span_sub(rest, close + 1, rest.n);
	for (size_t i = 0; i <= inside.n && rc == 0; i++) {
		if (i < inside.n && inside.p[i] != ',')
			continue;
		rc = expand_range(m, span_sub(inside, from, i), after);
		from = i + 1;
	}
	m->name.len = len;
	return rc;
}

/* Brackets in pairs, not in each other, with numbers in them that are not too
 * long; few enough of
 * them that expand does not go deep. */
static bool well_formed(struct span s)
{
	bool inside = false;
	size_t pairs = 0, digit = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '[' && !inside) {
			inside = true;
			digit = 0;
		} else if (c == ']' && inside && digit) {
			inside = false;
			pairs++;
		} else if (c == '[' || c == ']') {
			return false;
		} else if (inside && c >= '0' && c <= '9' && digit < 18) {
			digit++;
		} else if (inside && (c == '-' || c == ',') && digit) {
			digit = 0;
		} else if (inside) {
			return false;
		}
	}
	return !inside && pairs <= 8;
}

static int add_part(struct maker *m, struct span part, bool plain)
{
	part = span_trim(part);
	if (!part.n)
		return 0;
	m->name.len = 0;
	if (!plain && well_formed(part))
		return expand(m, part);
	if (buf_add(&m->name, part.p, part.n))
		return -1;
	return give(m);
}

int accounting_hosts(struct accounting_pool *pool, struct span list,
    const char *separator, struct accounting_hosts *out)
{
	struct maker m = { .pool = pool, .name = BUF_INIT(BUF_MAX) };
	bool plain = separator[0] != ',';
	size_t from = 0, depth = 0;
	int rc = -1;

	memset(out, 0, sizeof *out);
	list = span_trim(list);
	if (accounting_absent(list))
		return 0;
	for (size_t i = 0; i <= list.n; i++) {
		char c = i < list.n ? list.p[i] : separator[0];

		depth += c == '[' && !plain;
		depth -= c == ']' && depth > 0;
		if (c != separator[0] || (depth > 0 && i < list.n))
			continue;
		if (add_part(&m, span_sub(list, from, i), plain))
			goto out;
		from = i + 1;
	}
	out->v = accounting_pool_alloc(pool, m.n * sizeof *m.v);
	if (!out->v)
		goto out;
	if (m.n)
		memcpy(out->v, m.v, m.n * sizeof *m.v);
	out->n = m.n;
	out->cut = m.cut;
	rc = 0;
out:
	free(m.v);
	buf_release(&m.name);
	return rc;
}
