/* Counting what is distinct: by sorting, and by the pointers of the arena. */
#include "reports/period/report_private.h"

#include "base/array.h"
#include <stdlib.h>

static int by_string(const void *a, const void *b)
{
	return report_compare(*(const char *const *)a, *(const char *const *)b);
}

int report_spread(struct item *const *v, size_t n,
    const char *(*of)(const struct entry *en), struct spread *out)
{
	const char **s = malloc((n + 1) * sizeof *s);
	size_t known = 0, end;

	*out = (struct spread){ 0 };
	if (!s)
		return -1;
	for (size_t i = 0; i < n; i++) {
		s[known] = of(v[i]->en);
		known += s[known] != NULL;
	}
	if (known)
		qsort(s, known, sizeof *s, by_string);
	for (size_t i = 0; i < known; i = end) {
		for (end = i; end < known && !report_compare(s[end], s[i]);)
			end++;
		out->distinct++;
		if (end - i > out->most) {
			out->most = end - i;
			out->value = s[i];
		}
	}
	free(s);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int report_count_jobs(struct item *const *v, size_t n, uint64_t *out)
{
	size_t *jobs = malloc((n + 1) * sizeof *jobs);

	*out = 0;
	if (!jobs)
		return -1;
	for (size_t i = 0; i < n; i++)
		jobs[i] = v[i]->job;
	if (n)
		qsort(jobs, n, sizeof *jobs, by_number);
	for (size_t i = 0; i < n; i++)
		*out += i == 0 || jobs[i] != jobs[i - 1];
	free(jobs);
	return 0;
}

/* ---- numbered strings ---- */

static size_t slot_of(const struct numbers *set, const char *s)
{
	size_t mask = set->n_slots - 1;
	size_t k =
	    (size_t)(((uintptr_t)s * UINT64_C(0x9e3779b97f4a7c15)) >> 20);

	for (k &= mask; set->slots[k].s && set->slots[k].s != s;)
		k = (k + 1) & mask;
	return k;
}

size_t report_number_of(struct numbers *set, const char *s)
{
	struct numbers old = *set;
	size_t k;

	if (set->n * 2 >= set->n_slots) {
		set->n_slots = old.n_slots ? old.n_slots * 2 : 64;
		set->slots = calloc(set->n_slots, sizeof *set->slots);
		if (!set->slots) {
			*set = old;
			return SIZE_MAX;
		}
		for (size_t i = 0; i < old.n_slots; i++)
			if (old.slots[i].s)
				set->slots[slot_of(set, old.slots[i].s)] =
				    old.slots[i];
		free(old.slots);
	}
	k = slot_of(set, s);
	if (!set->slots[k].s) {
		set->slots[k].s = s;
		set->slots[k].number = set->n++;
	}
	return set->slots[k].number;
}

size_t report_number_row(
    struct numbers *set, const char *s, void *array, size_t *cap, size_t size)
{
	size_t i = report_number_of(set, s), had = *cap;
	char *rows;

	if (i == SIZE_MAX || array_grow(array, i, cap, size))
		return SIZE_MAX;
	memcpy(&rows, array, sizeof rows);
	memset(rows + had * size, 0, (*cap - had) * size);
	return i;
}

void report_numbers_release(struct numbers *set)
{
	free(set->slots);
	*set = (struct numbers){ 0 };
}

int64_t report_local(const struct report *r, int64_t micros)
{
	return r->options.local && micros != ENVELOPE_NO_TIME
	    ? r->options.local(micros)
	    : micros;
}
