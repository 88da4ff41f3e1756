/*
 * Reading the built-in files takes longer than diagnosing a log of usual size,
 * and their content is known when the program is built: image_make.c writes
 * the loaded taxonomy as C, and loading it without overlays takes that.
 */
#include "base/err.h"
#include "rules/signal_read.h"
#include "rules/taxonomy_private.h"

#include <stdlib.h>

static struct taxonomy *load_image(struct err *e)
{
	struct taxonomy_full *full = calloc(1, sizeof *full);
	size_t n = taxonomy_image.n_rules;

	if (!full) {
		err_nomem(e);
		return NULL;
	}
	full->t = taxonomy_image;
	full->image = true;
	full->late = taxonomy_late_new(&taxonomy_image_rules);
	full->pattern =
	    calloc(taxonomy_image.n_patterns + 1, sizeof *full->pattern);
	full->unless = calloc(n + 1, sizeof *full->unless);
	full->redaction =
	    calloc(taxonomy_image.n_redactions + 1, sizeof *full->redaction);
	full->signal =
	    calloc(taxonomy_image.n_signals + 1, sizeof *full->signal);
	full->signal_unless =
	    calloc(taxonomy_image.n_signals + 1, sizeof *full->signal_unless);
	if (!full->late || !full->pattern || !full->unless ||
	    !full->redaction || !full->signal || !full->signal_unless) {
		err_nomem(e);
		taxonomy_free(&full->t);
		return NULL;
	}
	taxonomy_late_fill(full->late, &full->t);
	if (signal_read_tables(&full->t, e)) {
		taxonomy_free(&full->t);
		return NULL;
	}
	return &full->t;
}

struct taxonomy *taxonomy_load(
    const char *const *overlays, size_t n, struct err *e)
{
	struct taxonomy *image = load_image(e), *t;

	if (!n || !image)
		return image;
	t = taxonomy_load_files(overlays, n, image, NULL);
	if (t) {
		/* its rules are some of t's */
		((struct taxonomy_full *)t)->late =
		    ((struct taxonomy_full *)image)->late;
		((struct taxonomy_full *)image)->late = NULL;
	}
	taxonomy_free(image);
	/* an error tells the places of built-in rules, too */
	return t ? t : taxonomy_load_files(overlays, n, NULL, e);
}

bool taxonomy_built_in(const struct taxonomy *t)
{
	return ((const struct taxonomy_full *)t)->image;
}
