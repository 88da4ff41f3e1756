/*
 * A rule of the image has the places of its texts where its pointers go, so
 * that the dynamic linker has nothing to write: it would touch every page of
 * every rule at each start, and a run needs but a few of them. Those get their
 * pointers here.
 */
#include "rules/taxonomy_late.h"

#include "rules/taxonomy_private.h"

#include <pthread.h>
#include <stdlib.h>

struct taxonomy_late {
	const struct rules_image *image;
	_Atomic(struct rule *) *made; /* by number; NULL: not yet */
	char *room;                   /* for all; what is used is its start */
	size_t used;
	pthread_mutex_t lock;
};

struct taxonomy_late *taxonomy_late_new(
    const struct rules_image *image, size_t n)
{
	struct taxonomy_late *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->image = image;
	pthread_mutex_init(&l->lock, NULL);
	l->made = calloc(n + 1, sizeof *l->made);
	/* so that none can fail to be made; pages that nobody touches cost
	 * nothing */
	l->room = malloc(
	    (n + 1) * sizeof(struct rule) + image->n_lists * sizeof(char *));
	if (!l->made || !l->room) {
		taxonomy_late_free(l);
		return NULL;
	}
	return l;
}

void taxonomy_late_free(struct taxonomy_late *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	free(l->made);
	free(l->room);
	free(l);
}

static void *take_room(struct taxonomy_late *l, size_t n)
{
	l->used += n;
	return l->room + l->used - n;
}

static char *text_at(const struct rules_image *image, size_t at)
{
	return at ? (char *)image->texts + at : NULL;
}

/* The list whose place stands where its pointer goes. */
static char **take_list(struct taxonomy_late *l, char **place, size_t n)
{
	const uint32_t *from = l->image->lists + (size_t)(uintptr_t)place;
	char **list = n ? take_room(l, n * sizeof *list) : NULL;

	for (size_t i = 0; i < n; i++)
		list[i] = text_at(l->image, from[i]);
	return list;
}

static struct rule *make(struct taxonomy_late *l, size_t i)
{
	struct rule *r = take_room(l, sizeof *r);

	*r = l->image->rules[i];
	for (size_t k = 0; k < RULE_TEXTS; k++) {
		char **text = taxonomy_rule_text(r, k);

		*text = text_at(l->image, (size_t)(uintptr_t)*text);
	}
	for (size_t k = 0; k < RULE_LISTS; k++) {
		struct strings *s = taxonomy_rule_list(r, k);

		s->v = take_list(l, s->v, s->n);
	}
	return r;
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
		r = make(l, i);
		atomic_store(&l->made[i], r);
	}
	pthread_mutex_unlock(&l->lock);
	return r;
}
