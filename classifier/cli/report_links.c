#define _DEFAULT_SOURCE /* realpath */
#include "cli/report_links.h"

#include "base/buf.h"
#include "base/err.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void report_links_release(struct report_links *l)
{
	for (size_t i = 0; i < sizeof l->own / sizeof *l->own; i++)
		free(l->own[i]);
	*l = (struct report_links){ 0 };
}

/* before, path, "/", for l to own; encoded: as a part of a link. NULL: out of
 * memory. */
static const char *keep(
    struct report_links *l, const char *before, const char *path, bool encoded)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = buf_adds(&b, before);
	size_t at = 0;

	for (; *path && !rc; path++) {
		unsigned char c = (unsigned char)*path;

		rc = !encoded || isalnum(c) || strchr("-._~/", c)
		    ? buf_addc(&b, (char)c)
		    : buf_addf(&b, "%%%02X", c);
	}
	rc = rc || (b.len && b.p[b.len - 1] != '/' && buf_addc(&b, '/'));
	if (rc) {
		buf_release(&b);
		return NULL;
	}
	while (l->own[at])
		at++;
	return l->own[at] = buf_take(&b);
}

static int add(struct report_links *l, const char *strip, const char *to)
{
	if (!strip || !to)
		return -1;
	l->v[l->n++] = (struct log_link){ strip, to };
	return 0;
}

/* What stands in path behind the folder; NULL: it does not lie there. */
static const char *below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	while (n && folder[n - 1] == '/')
		n--;
	if (strncmp(path, folder, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path[n] ? path + n + 1 : path + n;
}

/* here: where paths that do not begin with '/' begin; at: the report's folder.
 */
static int link_below(struct report_links *l, const char *here, const char *at)
{
	const char *down = below(at, here), *up = below(here, at);

	if (add(l, keep(l, "", at, false), "./"))
		return -1;
	if (down && *down)
		return add(l, keep(l, "", down, false), "./");
	return up ? add(l, "", *up ? keep(l, "./", up, true) : "./") : 0;
}

static bool is_link(const char *s)
{
	static const char *const begins[] = { "https://", "http://", "file://",
		"/", "./", "../" };

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(s, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

int report_links_make(
    struct report_links *l, const struct settings *s, struct err *e)
{
	const char *slash = s->output ? strrchr(s->output, '/') : NULL;
	char *folder, *at, here[PATH_MAX];
	int rc = 0;

	if (s->link_logs) {
		const char *to;

		if (!is_link(s->link_logs))
			return err_set(e,
			    "--link-logs %s: expected https://..., file://... "
			    "or a path",
			    s->link_logs);
		to = keep(l, s->link_logs, "", false);
		return add(l, "/", to) || add(l, "", to) ? err_nomem(e) : 0;
	}
	if (!s->output || strcmp(s->output, "-") == 0)
		return 0;
	folder = span_dup(slash
		? (struct span){ s->output, (size_t)(slash - s->output) + 1 }
		: span_of("."));
	if (!folder)
		return err_nomem(e);
	at = realpath(folder, NULL);
	/* no such folder: writing will tell */
	if (at && getcwd(here, sizeof here))
		rc = link_below(l, here, at);
	free(at);
	free(folder);
	return rc ? err_nomem(e) : 0;
}
