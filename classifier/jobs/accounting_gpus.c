/*
 * GPUs out of a list of trackable or generic resources. Slurm writes the same
 * GPUs up to twice, once with their type and once without, so the two sums are
 * taken apart and the greater one holds.
 */
#include "jobs/accounting_values.h"

struct counts {
	int64_t typed, plain;
	bool other; /* something that is no GPU */
	bool absurd;
};

/* "4", "1K": a count, with Slurm's suffixes of 1024. */
static bool count_of(struct span v, int64_t *out)
{
	int64_t unit = 1;

	if (v.n && (v.p[v.n - 1] == 'K' || v.p[v.n - 1] == 'k'))
		unit = 1024;
	else if (v.n && (v.p[v.n - 1] == 'M' || v.p[v.n - 1] == 'm'))
		unit = 1024 * 1024;
	if (unit > 1)
		v.n--;
	if (!accounting_integer(v, out))
		return false;
	*out =
	    *out > ACCOUNTING_GPUS_MAX ? ACCOUNTING_GPUS_MAX + 1 : *out * unit;
	return true;
}

static struct span without(struct span s, const char *prefix)
{
	return span_starts(s, prefix) ? span_sub(s, span_of(prefix).n, s.n) : s;
}

static bool name_is_gpu(struct span item)
{
	return span_starts(item, "gpu") &&
	    (item.n == 3 || item.p[3] == ':' || item.p[3] == '=' ||
		item.p[3] == '(');
}

static void add_item(struct counts *c, struct span item, int64_t nodes)
{
	size_t equal;
	struct span count, type = { 0 };
	int64_t n;

	item = span_trim(item);
	if (!item.n)
		return;
	item = without(without(item, "PER_NODE:"), "PER_JOB:");
	item = without(without(item, "gres/"), "gres:");
	if (!name_is_gpu(item)) {
		c->other = true;
		return;
	}
	item = span_trim(span_sub(item, 0, span_find(item, "(")));
	equal = span_find(item, "=");
	if (equal != SIZE_MAX) {
		type = span_sub(item, 4, equal);
		count = span_sub(item, equal + 1, item.n);
		nodes = 1;
	} else {
		size_t colon = item.n;

		while (colon > 3 && item.p[colon - 1] != ':')
			colon--;
		count =
		    colon > 3 ? span_sub(item, colon, item.n) : span_of("1");
		type = colon > 4 ? span_sub(item, 4, colon - 1) : type;
		/* "gpu:a100": a type without a count is one of it */
		if (!count_of(count, &n)) {
			type = count;
			count = span_of("1");
		}
	}
	if (!count_of(count, &n) || n < 0 || n > ACCOUNTING_GPUS_MAX)
		c->absurd = true;
	else if (type.n)
		c->typed += n * nodes;
	else
		c->plain += n * nodes;
}

bool accounting_gpus(struct span tres, int64_t nodes, int64_t *out)
{
	struct counts c = { 0 };
	size_t from = 0, depth = 0;

	*out = USAGE_UNKNOWN;
	tres = span_trim(tres);
	if (accounting_absent(tres))
		return true;
	if (nodes < 1 || nodes > ACCOUNTING_GPUS_MAX)
		nodes = 1;
	for (size_t i = 0; i <= tres.n; i++) {
		char ch = i < tres.n ? tres.p[i] : ',';

		depth += ch == '(';
		depth -= ch == ')' && depth > 0;
		if (ch != ',' || (depth > 0 && i < tres.n))
			continue;
		add_item(&c, span_sub(tres, from, i), nodes);
		from = i + 1;
		if (c.typed > ACCOUNTING_GPUS_MAX ||
		    c.plain > ACCOUNTING_GPUS_MAX || c.absurd)
			return false;
	}
	*out = c.typed > c.plain ? c.typed : c.plain;
	/* "1=8,1001=4": only the site's database knows what 1001 is */
	if (*out == 0 && tres.p[0] >= '0' && tres.p[0] <= '9')
		*out = USAGE_UNKNOWN;
	return true;
}

int64_t accounting_cpus(struct span tres)
{
	int64_t n;

	while (tres.n) {
		size_t end = span_find(tres, ",");
		struct span item =
		    span_trim(span_sub(tres, 0, end < tres.n ? end : tres.n));

		struct span count = without(item, "cpu=");

		if (count.n < item.n)
			return accounting_integer(count, &n) && n >= 0 &&
				n <= ACCOUNTING_CPUS_MAX
			    ? n
			    : USAGE_UNKNOWN;
		tres = span_sub(tres, end < tres.n ? end + 1 : tres.n, tres.n);
	}
	return USAGE_UNKNOWN;
}
