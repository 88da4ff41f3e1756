/*
 * The directories that are open above are a stack on the heap: of each only
 * its sorted names are kept, no descriptor but that of the innermost one. A
 * tree can be as deep as memory allows and paths longer than the kernel takes.
 */
#include "input/input.h"

#include "base/buf.h"
#include "base/err.h"
#include "input/longpath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dir {
	dev_t dev;
	ino_t ino;
	size_t path_len; /* of the directory's own path */
	struct buf text; /* its names, each with a NUL */
	char **names;    /* into text, sorted */
	size_t count, next;
};

struct walk {
	const struct walk_sink *sink;
	struct buf path; /* of what is being looked at */
	struct dir *dirs;
	size_t depth, cap;
	int fd; /* of the innermost directory, or -1: open it when needed */
	bool stop;
	struct err *e;
};

static void tell(struct walk *w, enum input_note kind, const char *text)
{
	w->sink->note(w->sink->ctx, w->path.p, kind, text);
}

static void tell_errno(struct walk *w, int number)
{
	char text[160];

	if (strerror_r(number, text, sizeof text))
		strcpy(text, "cannot be read");
	tell(w, NOTE_UNREADABLE, text);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void dir_release(struct dir *d)
{
	buf_release(&d->text);
	free(d->names);
}

/* The names in an open directory. A read error is told, and what was read
 * until then is kept. */
static int read_names(struct walk *w, DIR *dp, struct dir *d)
{
	struct dirent *ent;
	char *p;

	for (errno = 0; (ent = readdir(dp)); errno = 0) {
		if (!strcmp(ent->d_name, ".") || !strcmp(ent->d_name, ".."))
			continue;
		if (buf_add(&d->text, ent->d_name, strlen(ent->d_name) + 1))
			return err_nomem(w->e);
		d->count++;
	}
	if (errno)
		tell_errno(w, errno);
	if (!d->count)
		return 0;
	d->names = calloc(d->count, sizeof *d->names);
	if (!d->names)
		return err_nomem(w->e);
	p = d->text.p;
	for (size_t i = 0; i < d->count; i++) {
		d->names[i] = p;
		p += strlen(p) + 1;
	}
	qsort(d->names, d->count, sizeof *d->names, by_name);
	return 0;
}

static bool open_above(const struct walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->depth; i++)
		if (w->dirs[i].ino == st->st_ino &&
		    w->dirs[i].dev == st->st_dev)
			return true;
	return false;
}

static int push(struct walk *w, const struct dir *d)
{
	if (w->depth == w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 16;
		struct dir *p = realloc(w->dirs, cap * sizeof *p);

		if (!p)
			return err_nomem(w->e);
		w->dirs = p;
		w->cap = cap;
	}
	w->dirs[w->depth++] = *d;
	return 0;
}

static void close_fd(struct walk *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

/* A second descriptor, since the first one goes with the DIR. */
static DIR *open_dir(int fd, int *kept)
{
	DIR *dp;

	*kept = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (*kept < 0)
		return NULL;
	dp = fdopendir(fd);
	if (!dp)
		close(*kept);
	return dp;
}

/* Go into the directory at path, unless that cannot be or leads in a loop. It
 * is name in the innermost directory, or the first one (NULL). */
static int enter(struct walk *w, const struct stat *st, const char *name)
{
	struct dir d = {
		.dev = st->st_dev,
		.ino = st->st_ino,
		.path_len = w->path.len,
		.text = BUF_INIT(SIZE_MAX / 2),
	};
	DIR *dp = NULL;
	int fd, kept, rc;

	if (open_above(w, st)) {
		tell(w, NOTE_SKIPPED, "link loop");
		return 0;
	}
	fd = name ? longpath_open_at(w->fd, name, O_DIRECTORY)
		  : longpath_open(w->path.p, O_DIRECTORY);
	if (fd >= 0)
		dp = open_dir(fd, &kept);
	if (!dp) {
		tell_errno(w, errno);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	rc = read_names(w, dp, &d);
	closedir(dp);
	close_fd(w);
	w->fd = kept;
	if (!rc)
		rc = push(w, &d);
	if (rc)
		dir_release(&d);
	return rc;
}

static void tell_file(struct walk *w, int64_t size)
{
	if (w->sink->file(w->sink->ctx, w->path.p, size))
		w->stop = true;
}

/* What is at path: name in the innermost directory, or NULL when the user
 * named it. */
static int visit(struct walk *w, const struct stat *st, const char *name)
{
	if (S_ISDIR(st->st_mode))
		return enter(w, st, name);
	if (S_ISREG(st->st_mode))
		tell_file(w, st->st_size);
	else if (S_ISFIFO(st->st_mode) && !name)
		tell_file(w, -1);
	else if (S_ISFIFO(st->st_mode))
		tell(w, NOTE_SKIPPED, "a named pipe");
	else if (S_ISSOCK(st->st_mode))
		tell(w, NOTE_SKIPPED, "a socket");
	else
		tell(w, NOTE_SKIPPED, "a device");
	return 0;
}

static void path_cut(struct walk *w, size_t len)
{
	w->path.len = len;
	w->path.p[len] = '\0';
}

/* The next name of the innermost directory, or its end. */
static int step(struct walk *w)
{
	struct dir *d = &w->dirs[w->depth - 1];
	struct stat st;
	const char *name;
	int number;

	path_cut(w, d->path_len);
	if (d->next == d->count) {
		dir_release(d);
		w->depth--;
		close_fd(w);
		if (w->sink->leave(w->sink->ctx, w->path.p))
			w->stop = true;
		return 0;
	}
	if (w->fd < 0)
		w->fd = longpath_open(w->path.p, O_DIRECTORY);
	number = w->fd < 0 ? errno : 0;
	name = d->names[d->next++];
	if ((w->path.p[w->path.len - 1] != '/' && buf_addc(&w->path, '/')) ||
	    buf_adds(&w->path, name))
		return err_nomem(w->e);
	if (!number && fstatat(w->fd, name, &st, 0))
		number = errno;
	if (number) {
		tell_errno(w, number);
		return 0;
	}
	return visit(w, &st, name);
}

/* Whether path is an address in an archive: *size is that of the archive, or
 * -1 when it comes from a pipe. */
static bool is_address(struct walk *w, const char *path, int64_t *size)
{
	struct stat st;

	*size = -1;
	if (!strcmp(path, "-") || !strncmp(path, "-!", 2))
		return true;
	for (size_t i = 1; path[0] && path[i]; i++) {
		if (path[i] != '!')
			continue;
		path_cut(w, i);
		if (!longpath_stat(w->path.p, &st) && !S_ISDIR(st.st_mode)) {
			*size = S_ISREG(st.st_mode) ? st.st_size : -1;
			w->path.p[i] = '!';
			w->path.len = strlen(path);
			return true;
		}
		w->path.p[i] = '!';
		w->path.len = strlen(path);
	}
	return false;
}

static int start(struct walk *w, const char *path)
{
	struct stat st;
	int64_t size;
	int number;

	if (strcmp(path, "-") != 0 && !longpath_stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			while (w->path.len > 1 &&
			    w->path.p[w->path.len - 1] == '/')
				path_cut(w, w->path.len - 1);
		return visit(w, &st, NULL);
	}
	number = strcmp(path, "-") != 0 ? errno : 0;
	if (number && number != ENOENT && number != ENOTDIR) {
		tell_errno(w, number);
		return 0;
	}
	if (is_address(w, path, &size)) {
		tell_file(w, size);
		return 0;
	}
	return err_set(w->e, "%s: %s", path,
	    number == ENOTDIR ? "Not a directory"
			      : "No such file or directory");
}

int walk_path(const char *path, const struct walk_sink *sink, struct err *e)
{
	struct walk w = {
		.sink = sink,
		.path = BUF_INIT(BUF_MAX),
		.fd = -1,
		.e = e,
	};
	int rc;

	if (buf_adds(&w.path, path)) {
		rc = err_nomem(e);
		goto out;
	}
	rc = start(&w, path);
	while (!rc && !w.stop && w.depth)
		rc = step(&w);
out:
	while (w.depth)
		dir_release(&w.dirs[--w.depth]);
	free(w.dirs);
	close_fd(&w);
	buf_release(&w.path);
	return rc;
}
