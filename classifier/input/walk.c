/*
 * The directories that are open above are a stack on the heap: of each only
 * its sorted names are kept, no descriptor but that of the innermost one. A
 * tree can be as deep as memory allows and paths longer than the kernel takes.
 *
 * Links are for below.h to judge. A folder is entered by one link at most, so
 * that links among folders make the tree no larger than its square.
 */
#include "input/input.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "input/below.h"
#include "input/longpath.h"
#include "input/names.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names from which on it matters that the groups of a directory's files are
 * told to be complete. */
#define MANY 4096

struct dir {
	dev_t dev;
	ino_t ino;
	size_t path_len; /* of the directory's own path */
	struct names names;
	size_t next;
	size_t refused[BELOW_WHYS]; /* links in it that are not followed */
};

struct led {
	dev_t dev;
	ino_t ino;
};

struct walk {
	const struct walk_sink *sink;
	struct buf path; /* of what is being looked at */
	size_t given;    /* bytes of it that the user named */
	void *led;       /* folders that a link has led to */
	struct dir *dirs;
	size_t depth, cap;
	int fd; /* of the innermost directory, or -1: open it when needed */
	bool stop;
	struct err *e;
};

static void tell(struct walk *w, enum input_note kind, const char *text)
{
	if (w->sink->note)
		w->sink->note(w->sink->ctx, w->path.p, kind, text);
}

static void tell_errno(struct walk *w, int number)
{
	char text[160];

	if (strerror_r(number, text, sizeof text))
		strcpy(text, "cannot be read");
	tell(w, NOTE_UNREADABLE, text);
}

static void path_cut(struct walk *w, size_t len)
{
	w->path.len = len;
	w->path.p[len] = '\0';
}

/* The path of a name in the directory that w->path is. */
static int path_enter(struct walk *w, const char *name)
{
	if ((w->path.p[w->path.len - 1] != '/' && buf_addc(&w->path, '/')) ||
	    buf_adds(&w->path, name))
		return err_nomem(w->e);
	return 0;
}

/* Whether v is new to the set of size slots, into which it is put; 0 is a free
 * slot. A slot keeps half of v, and its place most of the rest. */
static bool set_add(uint32_t *set, size_t size, uint64_t v)
{
	uint32_t half = (uint32_t)v ? (uint32_t)v : 1;
	size_t i = (size_t)((v >> 32) * size >> 32);

	for (; set[i]; i = i + 1 < size ? i + 1 : 0)
		if (set[i] == half)
			return false;
	set[i] = half;
	return true;
}

/* Mark of each group the last name. */
static int mark_last(struct walk *w, struct names *n)
{
	size_t size = n->count + n->count / 4 + 1, len = w->path.len;
	uint32_t *set;
	uint64_t group;
	int rc = 0;

	if (!w->sink->group || n->count < MANY || n->files < n->count)
		return 0;
	set = calloc(size, sizeof *set);
	if (!set)
		return err_nomem(w->e);
	for (size_t i = n->count; i > 0 && !rc; i--) {
		rc = path_enter(w, names_get(n, i - 1));
		if (rc)
			break;
		rc = w->sink->group(w->sink->ctx, w->path.p, &group);
		if (rc)
			w->stop = true;
		else if (set_add(set, size, group))
			names_mark(n, i - 1);
		path_cut(w, len);
	}
	free(set);
	return w->stop ? 0 : rc;
}

/* The names in an open directory. A read error is told, and what was read
 * until then is kept. */
static int read_names(struct walk *w, DIR *dp, struct names *n)
{
	int rc = names_read(n, dp);

	if (rc < 0)
		return err_nomem(w->e);
	if (rc)
		tell_errno(w, errno);
	return mark_last(w, n);
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
	if (array_grow(&w->dirs, w->depth, &w->cap, sizeof *w->dirs))
		return err_nomem(w->e);
	w->dirs[w->depth++] = *d;
	return 0;
}

static void close_fd(struct walk *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

static int by_place(const void *a, const void *b)
{
	const struct led *x = a, *y = b;

	return x->dev != y->dev ? (x->dev < y->dev ? -1 : 1)
	    : x->ino != y->ino  ? (x->ino < y->ino ? -1 : 1)
				: 0;
}

/* Whether no link has led to the folder before. 1, 0, or -1: no memory. */
static int first_link_to(struct walk *w, const struct stat *st)
{
	struct led *p = malloc(sizeof *p), **at;

	if (!p)
		return err_nomem(w->e);
	*p = (struct led){ st->st_dev, st->st_ino };
	at = tsearch(p, &w->led, by_place);
	if (at && *at == p)
		return 1;
	free(p);
	return at ? 0 : err_nomem(w->e);
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
 * is name in the one open at at, or the first one (NULL). */
static int enter(
    struct walk *w, const struct stat *st, int at, const char *name)
{
	struct dir d = {
		.dev = st->st_dev,
		.ino = st->st_ino,
		.path_len = w->path.len,
		.names = NAMES_INIT,
	};
	DIR *dp = NULL;
	int fd, kept, rc;

	if (open_above(w, st)) {
		tell(w, NOTE_SKIPPED, "link loop");
		return 0;
	}
	fd = name ? longpath_open_at(at, name, O_DIRECTORY | O_NOFOLLOW)
		  : longpath_open(w->path.p, O_DIRECTORY);
	if (fd >= 0 && below_machine(fd, st)) {
		tell(w, NOTE_SKIPPED, "a file system of the kernel's");
		close(fd);
		return 0;
	}
	if (fd >= 0)
		dp = open_dir(fd, &kept);
	if (!dp) {
		tell_errno(w, errno);
		if (fd >= 0)
			close(fd);
		return 0;
	}
	rc = read_names(w, dp, &d.names);
	closedir(dp);
	close_fd(w);
	w->fd = kept;
	if (!rc)
		rc = push(w, &d);
	if (rc)
		names_release(&d.names);
	return rc;
}

static void tell_file(struct walk *w, int64_t size)
{
	if (w->sink->file && w->sink->file(w->sink->ctx, w->path.p, size))
		w->stop = true;
}

/* What is at path: name in the directory open at at, or NULL when the user
 * named it. */
static int visit(
    struct walk *w, const struct stat *st, int at, const char *name)
{
	if (S_ISDIR(st->st_mode))
		return enter(w, st, at, name);
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

/* A link that is not followed. */
static void refuse(struct walk *w, enum below_why why)
{
	if (why == BELOW_ERROR)
		tell_errno(w, errno);
	else if (why == BELOW_LOOP)
		tell(w, NOTE_SKIPPED, "link loop");
	else
		w->dirs[w->depth - 1].refused[why]++;
}

/* w->path is a link. */
static int visit_link(struct walk *w)
{
	enum below_why why;
	const struct below b = { w->path.p, w->given, w->sink->follow, NULL };
	struct stat st;
	int fd = below_look(&b, &st, &why), rc = 1;

	if (fd < 0) {
		refuse(w, why);
		return 0;
	}
	/* it is read under its own name */
	if (below_within(&b, fd)) {
		close(fd);
		return 0;
	}
	if (S_ISDIR(st.st_mode) && !open_above(w, &st))
		rc = first_link_to(w, &st);
	if (rc == 0)
		tell(w, NOTE_SKIPPED, "a folder that another link led to");
	if (rc > 0 && w->sink->link)
		w->sink->link(w->sink->ctx, fd);
	if (rc > 0)
		rc = visit(w, &st, fd, ".");
	close(fd);
	return rc;
}

static void tell_refused(struct walk *w, const size_t refused[BELOW_WHYS])
{
	static const char *const whys[BELOW_WHYS] = {
		[BELOW_OTHERS] = "lead to what others own: not followed",
		[BELOW_MACHINE] = "lead to files of the kernel's",
	};
	char text[120];

	for (int i = 0; i < BELOW_WHYS; i++) {
		if (!refused[i] || !whys[i])
			continue;
		snprintf(text, sizeof text, "links, %zu, that %s", refused[i],
		    whys[i]);
		tell(w, NOTE_SKIPPED, text);
	}
}

static int step_out(struct walk *w)
{
	struct dir d = w->dirs[--w->depth];

	names_release(&d.names);
	tell_refused(w, d.refused);
	close_fd(w);
	if (w->sink->leave && w->sink->leave(w->sink->ctx, w->path.p))
		w->stop = true;
	return 0;
}

/* The next name of the innermost directory, or its end. */
static int step(struct walk *w)
{
	struct dir *d = &w->dirs[w->depth - 1];
	size_t i = d->next++;
	struct stat st;
	enum below_why why = BELOW_ERROR;
	const char *name;
	int number = 0;

	path_cut(w, d->path_len);
	if (i == d->names.count)
		return step_out(w);
	name = names_get(&d->names, i);
	if (names_type(&d->names, i) == NAME_FILE && !w->sink->sizes) {
		if (path_enter(w, name))
			return -1;
		tell_file(w, -1);
		if (names_marked(&d->names, i) && !w->stop &&
		    w->sink->last(w->sink->ctx, w->path.p))
			w->stop = true;
		return 0;
	}
	if (w->fd < 0) {
		const struct below b = { w->path.p, w->given, w->sink->follow,
			NULL };

		w->fd = below_open(&b, O_DIRECTORY, &st, &why);
		number = w->fd >= 0 ? 0 : why == BELOW_ERROR ? errno : EACCES;
	}
	if (path_enter(w, name))
		return -1;
	if (!number && fstatat(w->fd, name, &st, AT_SYMLINK_NOFOLLOW))
		number = errno;
	if (number) {
		tell_errno(w, number);
		return 0;
	}
	if (S_ISLNK(st.st_mode))
		return visit_link(w);
	return visit(w, &st, w->fd, name);
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
		return visit(w, &st, -1, NULL);
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
		.given = below_given(path),
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
		names_release(&w.dirs[--w.depth].names);
	free(w.dirs);
	while (w.led) {
		struct led *p = *(struct led **)w.led;

		tdelete(p, &w.led, by_place);
		free(p);
	}
	close_fd(&w);
	buf_release(&w.path);
	return rc;
}
