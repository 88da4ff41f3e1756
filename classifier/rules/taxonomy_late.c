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
	struct rule *rules;
	char **lists;
	atomic_bool *here; /* which rules have their pointers */
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
	/* pages that nobody touches cost nothing */
	l->rules = calloc(1,
	    (n + 1) * sizeof *l->rules + image->n_lists * sizeof *l->lists +
		n * sizeof *l->here);
	if (!l->rules) {
		taxonomy_late_free(l);
		return NULL;
	}
	l->lists = (char **)(l->rules + n + 1);
	l->here = (atomic_bool *)(l->lists + image->n_lists);
	return l;
}

void taxonomy_late_free(struct taxonomy_late *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	free(l->rules);
	free(l);
}

struct rule *taxonomy_late_rules(const struct taxonomy_late *l)
{
	return l->rules;
}

static char *text_at(const struct rules_image *image, size_t at)
{
	return at ? (char *)image->texts + at : NULL;
}

/* The list whose place stands where its pointer goes. */
static char **take_list(struct taxonomy_late *l, char **place, size_t n)
{
	size_t at = (size_t)(uintptr_t)place;

	for (size_t i = at; i < at + n; i++)
		l->lists[i] = text_at(l->image, l->image->lists[i]);
	return n ? l->lists + at : NULL;
}

static void take(struct taxonomy_late *l, size_t i)
{
	struct rule *r = &l->rules[i];
	struct literals *literals = &r->literals;

	*r = l->image->rules[i];
	for (size_t k = 0; k < RULE_TEXTS; k++) {
		char **text = taxonomy_rule_text(r, k);

		*text = text_at(l->image, (size_t)(uintptr_t)*text);
	}
	for (size_t k = 0; k < RULE_LISTS; k++) {
		struct strings *s = taxonomy_rule_list(r, k);

		s->v = take_list(l, s->v, s->n);
	}
	literals->text = take_list(l, literals->text, literals->n);
	literals->len = literals->n
	    ? (size_t *)l->image->sizes + (size_t)(uintptr_t)literals->len
	    : NULL;
}

void taxonomy_late_take(struct taxonomy_late *l, size_t i)
{
	if (atomic_load_explicit(&l->here[i], memory_order_acquire))
		return;
	pthread_mutex_lock(&l->lock);
	if (!atomic_load(&l->here[i])) {
		take(l, i);
		atomic_store(&l->here[i], true);
	}
	pthread_mutex_unlock(&l->lock);
}
