/*
 * A rule or signal of the image has the places of its texts where its pointers
 * go, so that the dynamic linker has nothing to write: it would touch every
 * page of every one at each start, and a run needs but a few of them. Those get
 * their pointers here.
 */
#include "rules/taxonomy_late.h"

#include "rules/parts.h"
#include "rules/taxonomy_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct taxonomy_late {
	const struct rules_image *image;
	taxonomy_slot *rules, *signals; /* by number; NULL: not yet */
	struct category *categories;
	struct policy_row *policy;
	/* for all, so that none can fail to be made, and used from their start
	 * on: pages that nobody touches cost nothing */
	char *made, *next_made;
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
	l->rules = calloc(image->n_rules + 1, sizeof *l->rules);
	l->signals = calloc(image->n_signals + 1, sizeof *l->signals);
	l->made = l->next_made = malloc(image->n_rules * sizeof(struct rule) +
	    image->n_signals * sizeof(struct signal) + 1);
	l->lists = l->next = malloc((image->n_lists + 1) * sizeof *l->lists);
	if (!l->rules || !l->signals || !l->made || !l->lists)
		goto bad;
	l->categories = make_all(
	    l, &parts_category, image->categories, image->n_categories);
	l->policy = make_all(l, &parts_policy, image->policy, image->n_policy);
	if (l->categories && l->policy)
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
	free(l->rules);
	free(l->signals);
	free(l->made);
	free(l->categories);
	free(l->policy);
	free(l->lists);
	free(l);
}

/* Under the lock. */
static void *place(struct taxonomy_late *l, const struct parts *parts,
    const void *from, void *to)
{
	memcpy(to, from, parts->size);
	parts_place(parts, to, l->image->texts, l->image->lists, &l->next);
	return to;
}

void taxonomy_late_take(struct taxonomy_late *l, size_t i, struct rule *to)
{
	pthread_mutex_lock(&l->lock);
	place(l, &parts_rule, &l->image->rules[i], to);
	pthread_mutex_unlock(&l->lock);
}

/* What the slot is for, whose entry in the image is from. */
static const void *make(struct taxonomy_late *l, const struct parts *parts,
    taxonomy_slot *slot, const void *from)
{
	void *made = atomic_load_explicit(slot, memory_order_acquire);

	if (made)
		return made;
	pthread_mutex_lock(&l->lock);
	made = atomic_load(slot);
	if (!made) {
		made = place(l, parts, from, l->next_made);
		l->next_made += parts->size;
		atomic_store(slot, made);
	}
	pthread_mutex_unlock(&l->lock);
	return made;
}

const struct rule *taxonomy_late_rule(struct taxonomy_late *l, size_t i)
{
	return make(l, &parts_rule, &l->rules[i], &l->image->rules[i]);
}

const struct signal *taxonomy_late_signal(struct taxonomy_late *l, size_t i)
{
	return make(l, &parts_signal, &l->signals[i], &l->image->signals[i]);
}

void taxonomy_late_fill(struct taxonomy_late *l, struct taxonomy *t)
{
	t->signals = l->signals;
	t->categories = l->categories;
	t->policy = l->policy;
}
