/*
 * Only what was kept by its absolute path can be found again from anywhere;
 * what a scan of a folder here has kept is found from here.
 */
#include "cli/explain_named.h"

#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "reports/store/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget(struct list *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free((char *)(uintptr_t)paths->v[i]);
	free(paths->v);
	*paths = (struct list){ NULL, 0 };
}

/* Of whom the record is: 1: of somebody else than was asked for. -1: out of
 * memory. */
static int whose(struct explain_named *n, const struct json *o)
{
	const char *const keys[] = { "cluster", "user", "place" };
	const struct entry_owner wanted = { .cluster = n->as.cluster,
		.user = n->as.of_user };
	struct entry_owner is = { NULL, NULL, NULL };
	const char **const to[] = { &is.cluster, &is.user, &is.place };
	const char **const all[] = { &n->owner.cluster, &n->owner.user,
		&n->owner.place };

	for (size_t i = 0; i < 3; i++) {
		struct span s = json_get_text(o, keys[i]);

		if (s.p && !(*to[i] = arena_string(n->arena, s)))
			return -1;
	}
	if (!entry_same(&wanted, &is))
		return 1;
	n->several |= !entry_same(&n->owner, &is);
	for (size_t i = 0; i < 3; i++)
		*all[i] = *all[i] ? *all[i] : *to[i];
	return 0;
}

/* Attempts come in order: those of the last one with a log stay. */
static int on_attempt(void *ctx, struct span record, struct err *e)
{
	struct explain_named *n = ctx;
	struct err why;
	struct json *o = json_parse(record, JSON_PARSE, &why);
	const struct json *paths = json_get(o, "paths");
	int64_t attempt = 0;
	int rc;

	if (!o)
		return why.lack ? err_pass(e, &why) : 0;
	rc = whose(n, o);
	if (rc) {
		json_free(o);
		return rc < 0 ? err_nomem(e) : 0;
	}
	if (json_count(paths) && json_int(json_get(o, "attempt"), &attempt)) {
		forget(&n->paths);
		n->as.attempt = attempt;
	}
	for (size_t i = 0; !rc && attempt && i < json_count(paths); i++) {
		char *path = span_dup(json_text(json_at(paths, i)));

		if (!path || options_list_add(&n->paths, path)) {
			free(path);
			rc = err_nomem(e);
		}
	}
	json_free(o);
	return rc;
}

const struct settings *explain_named(
    struct explain_named *n, const struct settings *s, struct err *e)
{
	const char *job = s->arguments.n == 1 ? s->arguments.v[0] : "-";
	struct store *st;
	int rc;

	n->as = *s;
	n->paths = (struct list){ NULL, 0 };
	n->owner = (struct entry_owner){ NULL, NULL, NULL };
	n->several = false;
	n->arena = NULL;
	if (!s->store || strcmp(job, "-") == 0 || strchr(job, '/') ||
	    access(job, F_OK) == 0)
		return s;
	n->arena = arena_new();
	if (!n->arena) {
		err_nomem(e);
		return NULL;
	}
	st = store_open(s->store, STORE_READ, e);
	if (!st)
		return NULL;
	rc = store_named(st, job, on_attempt, n, e);
	store_close(st, NULL);
	if (rc)
		return NULL;
	if (n->several) {
		err_set(e,
		    "%s: several jobs in %s have this number: say whose by "
		    "--cluster or --user, or name a log",
		    job, s->store);
		return NULL;
	}
	if (!n->paths.n && strspn(job, "0123456789_+") == strlen(job)) {
		err_set(
		    e, "%s: it is no file, and no job in %s", job, s->store);
		return NULL;
	}
	if (!n->paths.n)
		return s;
	n->as.job = job;
	n->as.arguments = n->paths;
	return &n->as;
}

void explain_named_release(struct explain_named *n)
{
	arena_free(n->arena);
	forget(&n->paths);
}
