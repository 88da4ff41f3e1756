#include "jobs/files.h"

#include "diagnose/signals/signals.h"
#include "input/below.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BYTES 4096 /* that are looked at */

static const char *name_of(const char *path)
{
	const char *at = strrchr(path, '/'), *inner = strrchr(path, '!');

	if (inner && (!at || inner > at))
		at = inner;
	return at ? at + 1 : path;
}

static bool fits(const char *const *globs, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (fnmatch(globs[i],
			strchr(globs[i], '/') ? path : name_of(path), 0) == 0)
			return true;
	return false;
}

/* Whether a text tells a signal of this act: a name, the first bytes, or, of
 * those for paths, a path. */
static bool told_where(
    const struct taxonomy *tax, int act, int where, struct span text)
{
	struct matcher *m = NULL;
	bool yes = false;

	for (size_t i = tax->signal_from[SIGNAL_FILE];
	     !yes && i < tax->signal_from[SIGNAL_FILE + 1]; i++) {
		const struct signal *s = taxonomy_signal_at(tax, i);

		if (s->tells[0] != act || s->tells[1] != where)
			continue;
		if (s->unless && !m)
			m = pattern_matcher_new(100000);
		yes = (m || !s->unless) && signals_tell(tax, i, m, text, NULL);
	}
	pattern_matcher_free(m);
	return yes;
}

static bool told(const struct taxonomy *tax, int act, struct span text)
{
	return told_where(tax, act, -1, text);
}

static bool is_other(const struct taxonomy *tax, const char *path)
{
	return told(tax, FILE_OTHER, span_of(name_of(path))) ||
	    told_where(tax, FILE_OTHER, FILE_IN_PATH, span_of(path));
}

/* Whether the user's globs say; else the name is to be asked. */
static bool chosen(const struct files *f, const char *path, bool *wanted)
{
	*wanted = f->all || f->n_include;
	if (fits(f->exclude, f->n_exclude, path) ||
	    (f->n_include && !fits(f->include, f->n_include, path))) {
		*wanted = false;
		return true;
	}
	return *wanted;
}

/* Whether the first bytes of a file tell it; otherwise: of one that cannot be
 * opened, which is for its reader to tell of. */
static bool begins(const struct taxonomy *tax, const char *path, size_t given,
    int act, bool otherwise)
{
	const struct below b = { path, given, false, NULL };
	char first[FIRST_BYTES];
	enum below_why why;
	struct stat st;
	int fd = below_open(&b, O_NONBLOCK, &st, &why);
	ssize_t n;

	if (fd < 0)
		return otherwise;
	n = read(fd, first, sizeof first);
	close(fd);
	return n < 0 ? otherwise
		     : told(tax, act, (struct span){ first, (size_t)n });
}

bool files_wanted(const struct files *f, const struct taxonomy *tax,
    const char *path, size_t given)
{
	struct span name = span_of(name_of(path));
	bool wanted;

	if (strlen(path) <= given || chosen(f, path, &wanted))
		return strlen(path) <= given || wanted;
	if (is_other(tax, path))
		return false;
	if (told(tax, FILE_MAYBE, name))
		return begins(tax, path, given, FILE_LOG, true);
	return memchr(name.p, '.', name.n) ||
	    !begins(tax, path, given, FILE_SCRIPT, false);
}

bool files_wanted_member(
    const struct files *f, const struct taxonomy *tax, const char *path)
{
	bool wanted;

	return chosen(f, path, &wanted) ? wanted : !is_other(tax, path);
}
