/*
 * A rule of the image has the places of its texts where its pointers go, so
 * that the dynamic linker has nothing to write: it would touch every page of
 * every rule at each start, and a run needs but a few of them. Those get their
 * pointers here.
 */
#include "rules/taxonomy_late.h"

#include "rules/parts.h"
#include "rules/taxonomy_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct taxonomy_late {
	const struct rules_image *image;
	_Atomic(struct rule *) *made; /* by number; NULL: not yet */
	struct signal *signals;
	struct category *categories;
	struct policy_row *policy;
	/* for all, so that none can fail to be made, and used from their start
	 * on: pages that nobody touches cost nothing */
	struct rule *rules, *next_rule;
	char **lists, **next;
	pthread_mutex_t lock;
};

/* n entries with pointers. NULL: out of memory. */
static void *make_all(struct taxonomy_late *l, const struct parts *parts,
    const void *from, size_t n)
{
	char *all = malloc((n + 1) * parts->size);

	if (!all)
		return NULL;
	memcpy(all, from, n * parts->size);
	for (size_t i = 0; i < n; i++)
		parts_place(parts, all + i * parts->size, l->image->texts,
		    l->image->lists, &l->next);
	return all;
}

struct taxonomy_late *taxonomy_late_new(const struct rules_image *image)
{
	struct taxonomy_late *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->image = image;
	pthread_mutex_init(&l->lock, NULL);
	l->made = calloc(image->n_rules + 1, sizeof *l->made);
	l->rules = l->next_rule =
	    malloc((image->n_rules + 1) * sizeof *l->rules);
	l->lists = l->next = malloc((image->n_lists + 1) * sizeof *l->lists);
	if (!l->made || !l->rules || !l->lists)
		goto bad;
	l->signals =
	    make_all(l, &parts_signal, image->signals, image->n_signals);
	l->categories = make_all(
	    l, &parts_category, image->categories, image->n_categories);
	l->policy = make_all(l, &parts_policy, image->policy, image->n_policy);
	if (l->signals && l->categories && l->policy)
		return l;
bad:
	taxonomy_late_free(l);
	return NULL;
}

void taxonomy_late_free(struct taxonomy_late *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	free(l->made);
	free(l->rules);
	free(l->signals);
	free(l->categories);
	free(l->policy);
	free(l->lists);
	free(l);
}

/* Under the lock. */
static void place_rule(struct taxonomy_late *l, size_t i, struct rule *r)
{
	*r = l->image->rules[i];
	parts_place(&parts_rule, r, l->image->texts, l->image->lists, &l->next);
}

void taxonomy_late_take(struct taxonomy_late *l, size_t i, struct rule *to)
{
	pthread_mutex_lock(&l->lock);
	place_rule(l, i, to);
	pthread_mutex_unlock(&l->lock);
}

const struct rule *taxonomy_late_rule(struct taxonomy_late *l, size_t i)
{
	struct rule *r =
	    atomic_load_explicit(&l->made[i], memory_order_acquire);

	if (r)
		return r;
	pthread_mutex_lock(&l->lock);
	r = atomic_load(&l->made[i]);
	if (!r) {
		r = l->next_rule++;
		place_rule(l, i, r);
		atomic_store(&l->made[i], r);
	}
	pthread_mutex_unlock(&l->lock);
	return r;
}

void taxonomy_late_fill(struct taxonomy_late *l, struct taxonomy *t)
{
	t->signals = l->signals;
	t->categories = l->categories;
	t->policy = l->policy;
}
