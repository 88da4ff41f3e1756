/*
 * Nodes on which jobs die first, and whether that is more than chance: the same
 * failures on other nodes are what to compare with. Ranks that died because
 * another one did are no witnesses; only the root failure's node counts.
 */
#include "base/chance.h"
#include "reports/period/report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUSPECT_LEAST 3   /* jobs */
#define SUSPECT_RATIO 3.0 /* failure rate here / elsewhere */
#define SUSPECT_CHANCE 0.01

/* What is compared: failures of one fingerprint, and of one category, since a
 * node that is going bad fails in many ways. */
enum likeness { BY_FINGERPRINT, BY_CATEGORY_ID };

/* Of the failures of a kind whose node is known. */
struct everywhere {
	uint64_t failures, jobs; /* jobs: on each node */
};

struct nodes {
	struct report_builder *b;
	enum likeness level;
	struct item **v; /* by node, kind, job */
	size_t n;
	struct everywhere *all; /* by the number of the kind */
	size_t comparisons;     /* nodes x kinds that occur */
	struct node_row *rows;
	double *chance; /* of each row's most telling kind */
	size_t n_rows;
	uint64_t ran_all;
};

static size_t kind_of(const struct item *it, enum likeness level)
{
	return level == BY_FINGERPRINT ? it->failure : it->category;
}

static int compare(
    const struct item *x, const struct item *y, enum likeness level)
{
	size_t k = kind_of(x, level), m = kind_of(y, level);
	int c = report_compare(x->en->node, y->en->node);

	if (c)
		return c;
	if (k != m)
		return k < m ? -1 : 1;
	return x < y ? -1 : x > y; /* by job */
}

static int by_fingerprint(const void *a, const void *b)
{
	return compare(
	    *(struct item *const *)a, *(struct item *const *)b, BY_FINGERPRINT);
}

static int by_category(const void *a, const void *b)
{
	return compare(
	    *(struct item *const *)a, *(struct item *const *)b, BY_CATEGORY_ID);
}

/* The end of the items on the node of v[i]. */
static size_t node_end(const struct nodes *all, size_t i)
{
	size_t end = i + 1;

	while (end < all->n && all->v[end]->en->node == all->v[i]->en->node)
		end++;
	return end;
}

/* The end of those of its kind as well; *jobs: distinct. */
static size_t kind_end(const struct nodes *all, size_t i, uint64_t *jobs)
{
	struct item **v = all->v;
	size_t kind = kind_of(v[i], all->level), end = i;

	*jobs = 0;
	while (end < all->n && v[end]->en->node == v[i]->en->node &&
	    kind_of(v[end], all->level) == kind) {
		*jobs += end == i || v[end]->job != v[end - 1]->job;
		end++;
	}
	return end;
}

static int collect(struct nodes *all)
{
	struct report_builder *b = all->b;

	all->v = malloc((b->n_failures + 1) * sizeof(struct item *));
	all->all = malloc(
	    (b->n_fingerprints + b->n_categories + 1) * sizeof *all->all);
	if (!all->v || !all->all)
		return -1;
	for (size_t i = 0; i < b->n_failures; i++)
		if (b->failures[i]->now && b->failures[i]->en->node)
			all->v[all->n++] = b->failures[i];
	qsort(all->v, all->n, sizeof(struct item *), by_fingerprint);
	for (size_t i = 0; i < all->n; i = node_end(all, i))
		all->n_rows++;
	all->rows =
	    arena_memory(b->arena, (all->n_rows + 1) * sizeof *all->rows);
	all->chance = malloc((all->n_rows + 1) * sizeof *all->chance);
	if (!all->rows || !all->chance)
		return -1;
	for (size_t i = 0, k = 0; i < all->n; i = node_end(all, i), k++) {
		all->rows[k].node = all->v[i]->en->node;
		all->rows[k].sample = all->v[i]->en;
		all->chance[k] = 1;
	}
	return 0;
}

/* Attempts on each node; the breakdown's groups are numbered in their order. */
static int find_ran(struct nodes *all)
{
	const struct breakdown *ran = &all->b->r->breakdowns[BY_NODE];
	const struct report_builder *b = all->b;
	struct numbers set = { 0 };
	bool known = false;
	int rc = 0;

	for (size_t i = 0; i < b->n && !known; i++)
		known = b->items[i].now && b->items[i].en->n_nodes;
	if (!known)
		return 0;
	for (size_t i = 0; i < ran->n && !rc; i++) {
		rc = report_number_of(&set, ran->v[i].key) == SIZE_MAX ? -1 : 0;
		all->ran_all += ran->v[i].now.attempts;
	}
	for (size_t i = 0; i < all->n_rows && !rc; i++) {
		size_t at = report_number_of(&set, all->rows[i].node);

		if (at == SIZE_MAX) {
			rc = -1;
		} else if (at < ran->n) {
			all->rows[i].ran = ran->v[at].now.attempts;
			all->rows[i].ran_elsewhere =
			    all->ran_all - all->rows[i].ran;
		}
	}
	report_numbers_release(&set);
	return rc;
}

static void count_everywhere(struct nodes *all)
{
	const struct report_builder *b = all->b;
	uint64_t jobs;
	size_t end;

	memset(all->all, 0,
	    (b->n_fingerprints + b->n_categories + 1) * sizeof *all->all);
	all->comparisons = 0;
	for (size_t i = 0; i < all->n; i = end) {
		struct everywhere *x =
		    &all->all[kind_of(all->v[i], all->level)];

		end = kind_end(all, i, &jobs);
		x->failures += end - i;
		x->jobs += jobs;
		all->comparisons++;
	}
}

static const struct entry *earliest(struct item *const *v, size_t n)
{
	const struct item *first = v[0];

	for (size_t i = 1; i < n; i++)
		if (report_in_time(v[i], first) < 0)
			first = v[i];
	return first->en;
}

/*
 * One kind of failure on the node of row k. The first job that fails like that
 * is what brings the kind into the comparison, so it proves nothing: only the
 * ones after it are weighed.
 */
static void weigh(
    struct nodes *all, size_t k, size_t i, size_t end, uint64_t jobs)
{
	struct node_row *row = &all->rows[k];
	uint64_t again = jobs - 1;
	uint64_t elsewhere =
	    all->all[kind_of(all->v[i], all->level)].jobs - jobs;
	double here = (double)row->ran, there = (double)row->ran_elsewhere;
	double mean, chance, ratio;

	if (here <= 0 || there <= 0 || again == 0)
		return;
	mean = (double)(again + elsewhere) * here / (here + there);
	chance = chance_poisson(again, mean) * (double)all->comparisons;
	ratio = elsewhere ? (double)again * there / ((double)elsewhere * here)
			  : HUGE_VAL;
	if (chance >= all->chance[k])
		return;
	all->chance[k] = chance;
	row->ratio = ratio;
	row->kind = jobs;
	row->kind_elsewhere = elsewhere;
	row->sample = earliest(all->v + i, end - i);
	row->category = row->sample->category;
	row->suspect = jobs >= SUSPECT_LEAST && ratio >= SUSPECT_RATIO &&
	    chance < SUSPECT_CHANCE;
}

static const char *category_of(const struct entry *en)
{
	return en->category;
}

/* The figures that do not depend on a kind. */
static int count_row(struct nodes *all, size_t k, size_t i, size_t end)
{
	struct node_row *row = &all->rows[k];
	struct spread categories;

	row->first = end - i;
	for (size_t m = i; m < end; m++)
		row->node_log += all->v[m]->en->node_log;
	if (report_count_jobs(all->v + i, end - i, &row->jobs) ||
	    report_spread(all->v + i, end - i, category_of, &categories))
		return -1;
	row->category = categories.value;
	return 0;
}

static int judge(struct nodes *all)
{
	uint64_t jobs;
	size_t end, next;

	count_everywhere(all);
	for (size_t i = 0, k = 0; i < all->n; i = end, k++) {
		end = node_end(all, i);
		if (all->level == BY_FINGERPRINT && count_row(all, k, i, end))
			return -1;
		for (size_t m = i; m < end; m = next) {
			size_t kind = kind_of(all->v[m], all->level);

			next = kind_end(all, m, &jobs);
			if (all->level == BY_FINGERPRINT)
				all->rows[k].elsewhere +=
				    all->all[kind].failures - (next - m);
			/* no fingerprint is no kind */
			if (all->level != BY_FINGERPRINT || kind)
				weigh(all, k, m, next, jobs);
		}
	}
	return 0;
}

static int by_suspicion(const void *a, const void *b)
{
	const struct node_row *x = a, *y = b;

	if (x->suspect != y->suspect)
		return x->suspect ? -1 : 1;
	if (x->first != y->first)
		return x->first < y->first ? 1 : -1;
	return strcmp(x->node, y->node);
}

int report_nodes(struct report_builder *b)
{
	struct nodes all = { .b = b };
	int rc = collect(&all) || find_ran(&all) || judge(&all) ? -1 : 0;

	if (!rc && all.n) {
		all.level = BY_CATEGORY_ID;
		qsort(all.v, all.n, sizeof(struct item *), by_category);
		rc = judge(&all);
	}
	if (!rc && all.n_rows)
		qsort(all.rows, all.n_rows, sizeof *all.rows, by_suspicion);
	b->r->nodes = all.rows;
	b->r->n_nodes = rc ? 0 : all.n_rows;
	free(all.v);
	free(all.all);
	free(all.chance);
	return rc;
}
