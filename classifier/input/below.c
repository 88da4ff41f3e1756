/*
 * openat2 opens what stays below a folder in one call. What it refuses, or all
 * where the kernel has it not, is walked name by name without following; a
 * link is then looked at before and after it is followed, so that nothing is
 * gained by changing it in between.
 */
#define _GNU_SOURCE /* O_PATH, syscall, fstatfs */
#include "input/below.h"

#include "base/text.h"
#include "input/longpath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PIECE 4000 /* below PATH_MAX */
#define NAME_MOST 4097

/* One opening. */
struct way {
	const struct below *b;
	int root;
	bool path_only;  /* O_PATH */
	struct stat *st; /* of what was opened */
	enum below_why why;
};

/* What the headers of an older kernel may lack; it is its interface. */
struct how {
	uint64_t flags, mode, resolve;
};
#define NO_MAGICLINKS 2
#define BENEATH 8

static void shut(int fd)
{
	int keep = errno;

	if (fd >= 0)
		close(fd);
	errno = keep;
}

/* ---- file systems ---- */

/* Those that the kernel makes up. Not pstore: a dead machine's last words. */
static const uint32_t made_up[] = {
	0x9fa0,     /* proc */
	0x62656572, /* sysfs */
	0x1cd1,     /* devpts */
	0x64626720, /* debugfs */
	0x74726163, /* tracefs */
	0x73636673, /* securityfs */
	0xf97cff8c, /* selinuxfs */
	0x27e0eb,   /* cgroup */
	0x63677270, /* cgroup2 */
	0xcafe4a11, /* bpf */
	0x62656570, /* configfs */
	0x65735543, /* fusectl */
	0xde5e81e4, /* efivarfs */
	0x42494e4d, /* binfmt_misc */
	0x19800202, /* mqueue */
	0x958458f6, /* hugetlbfs */
	0x6e736673, /* namespaces */
	0x67596969, /* rpc_pipefs */
};

bool below_machine(int fd, const struct stat *st)
{
	struct stat dev, top;
	struct statfs fs;

	if (!fstatfs(fd, &fs))
		for (size_t i = 0; i < sizeof made_up / sizeof *made_up; i++)
			if ((uint32_t)fs.f_type == made_up[i])
				return true;
	/* of the same type as a tmpfs, which may hold logs */
	return !stat("/dev", &dev) && !stat("/", &top) &&
	    dev.st_dev != top.st_dev && st->st_dev == dev.st_dev;
}

/* The name that the kernel has for what is open; NULL: it tells none. Owned. */
static char *name_of(int fd)
{
	char link[32], *name = malloc(NAME_MOST);
	ssize_t n;

	if (!name)
		return NULL;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, name, NAME_MOST);
	if (n <= 0 || n >= NAME_MOST || name[0] != '/') {
		free(name);
		return NULL;
	}
	name[n] = '\0';
	return name;
}

static bool holds(const char *folder, const char *path)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 &&
	    (n == 1 || !path[n] || path[n] == '/');
}

/* ---- links ---- */

/* Whether a link of that owner may be followed to what is open at fd. */
static bool may_follow(
    struct way *w, uid_t owner, int fd, const struct stat *st)
{
	char *root, *target;

	/* read by nobody */
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return true;
	if (below_machine(fd, st)) {
		w->why = BELOW_MACHINE;
		return false;
	}
	root = name_of(w->root);
	target = name_of(fd);
	if (root && target && S_ISDIR(st->st_mode) && holds(target, root))
		w->why = BELOW_LOOP;
	else if (!w->b->follow && owner != st->st_uid &&
	    !(root && target && holds(root, target)))
		w->why = BELOW_OTHERS;
	free(root);
	free(target);
	return w->why == BELOW_ERROR;
}

/* The same file, opened as asked for. */
static int reopen(int dir, const char *name, const struct stat *st, int flags)
{
	int fd = longpath_open_at(dir, name, flags);
	struct stat now;

	if (fd >= 0 &&
	    (fstat(fd, &now) || now.st_dev != st->st_dev ||
		now.st_ino != st->st_ino)) {
		errno = ESTALE;
		shut(fd);
		fd = -1;
	}
	return fd;
}

/* What the link leads to. */
static int follow(
    struct way *w, int dir, const char *name, uid_t owner, int flags)
{
	int to = longpath_open_at(dir, name, O_PATH), fd = -1;
	struct stat st;

	if (to < 0 || fstat(to, &st) || !may_follow(w, owner, to, &st))
		goto out;
	if (flags & O_PATH && (!(flags & O_DIRECTORY) || S_ISDIR(st.st_mode)))
		return to;
	fd = S_ISDIR(st.st_mode) ? longpath_open_at(to, ".", flags)
				 : reopen(dir, name, &st, flags);
out:
	shut(to);
	return fd;
}

/* One name in dir. */
static int open_name(struct way *w, int dir, const char *name, int flags)
{
	struct stat st;
	int fd, got;

	/* most are no link */
	if (!(flags & O_PATH) || flags & O_DIRECTORY) {
		fd = longpath_open_at(dir, name, flags | O_NOFOLLOW);
		if (fd >= 0 || (errno != ELOOP && errno != ENOTDIR))
			return fd;
	}
	fd = longpath_open_at(dir, name, O_PATH | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st)) {
		shut(fd);
		return -1;
	}
	got = S_ISLNK(st.st_mode)
	    ? follow(w, dir, name, st.st_uid, flags)
	    : longpath_open_at(dir, name, flags | O_NOFOLLOW);
	shut(fd);
	return got;
}

/* ---- paths ---- */

/* Name by name. */
static int open_names(struct way *w, int dir, char *path, int flags)
{
	int at = dir, next;

	for (;;) {
		size_t n = strcspn(path, "/");
		bool last = !path[n + strspn(path + n, "/")];

		path[n] = '\0';
		next =
		    open_name(w, at, path, last ? flags : O_PATH | O_DIRECTORY);
		if (at != dir)
			shut(at);
		if (next < 0 || last)
			return next;
		at = next;
		path += n + 1;
		path += strspn(path, "/");
	}
}

/* A piece of a path, no longer than the kernel takes. */
static int open_piece(struct way *w, int dir, struct span piece, int flags)
{
	struct how how = { .resolve = BENEATH | NO_MAGICLINKS };
	char path[PIECE + 1];
	int fd;

	memcpy(path, piece.p, piece.n);
	path[piece.n] = '\0';
	how.flags = (uint64_t)(unsigned)(O_CLOEXEC | flags);
	if (!(flags & O_PATH))
		how.flags |= O_NOCTTY;
	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0 || errno == ENOENT || errno == EACCES || errno == ENOTDIR ||
	    errno == EMFILE || errno == ENFILE)
		return fd;
	return open_names(w, dir, path, flags);
}

/* Whether a file of several names may be read by this one: piece, in dir. */
static bool own_name(
    struct way *w, int dir, struct span piece, const struct stat *st)
{
	struct stat in;
	size_t n = piece.n;
	int folder = dir;
	bool well;

	while (n && piece.p[n - 1] != '/')
		n--;
	if (n)
		folder = open_piece(w, dir, (struct span){ piece.p, n - 1 },
		    O_PATH | O_DIRECTORY);
	well = folder >= 0 && !fstat(folder, &in) && !(in.st_mode & S_IWOTH) &&
	    (in.st_uid == st->st_uid || in.st_uid == 0);
	if (folder != dir)
		shut(folder);
	return well;
}

/* fd, at piece in dir; -1: with other names than this one it is not read. */
static int named(struct way *w, int dir, struct span piece, int fd)
{
	if (fd < 0 || fstat(fd, w->st)) {
		shut(fd);
		return -1;
	}
	if (w->b->follow || w->path_only || !S_ISREG(w->st->st_mode) ||
	    w->st->st_nlink < 2 || own_name(w, dir, piece, w->st))
		return fd;
	w->why = BELOW_NAMES;
	shut(fd);
	return -1;
}

/* What lies at rest below dir, which is given up. */
static int open_rest(struct way *w, int dir, const char *rest, int flags)
{
	struct span piece;
	int fd;

	while (strlen(rest) > PIECE) {
		size_t n = PIECE;

		while (n && rest[n] != '/')
			n--;
		piece = (struct span){ rest, n };
		errno = ENAMETOOLONG;
		fd = n ? open_piece(w, dir, piece, O_PATH | O_DIRECTORY) : -1;
		if (dir != w->root)
			shut(dir);
		if (fd < 0)
			return -1;
		dir = fd;
		rest += n;
		rest += strspn(rest, "/");
	}
	piece = *rest ? span_of(rest) : span_of(".");
	fd = named(w, dir, piece, open_piece(w, dir, piece, flags));
	if (dir != w->root)
		shut(dir);
	return fd;
}

size_t below_given(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* From the folder that the user named. */
static int open_all(struct way *w, int flags)
{
	const struct below *b = w->b;
	const char *rest = b->path + b->given;
	char *root = span_dup((struct span){ b->path, b->given });
	int fd;

	if (!root) {
		errno = ENOMEM;
		return -1;
	}
	w->root = longpath_open(root, O_PATH | O_DIRECTORY);
	free(root);
	if (w->root < 0)
		return -1;
	fd = open_rest(w, w->root, rest + strspn(rest, "/"), flags);
	shut(w->root);
	return fd;
}

void below_folder_release(struct below_folder *f)
{
	if (f->path)
		shut(f->fd);
	free(f->path);
	f->path = NULL;
}

/* Make f the folder of b's file, the first n bytes of its path. */
static bool keep_folder(struct below_folder *f, const struct below *b, size_t n)
{
	struct below in = { .given = b->given, .follow = b->follow };
	enum below_why why;
	struct stat st;

	if (f->path && f->given == b->given && strlen(f->path) == n &&
	    strncmp(f->path, b->path, n) == 0)
		return true;
	below_folder_release(f);
	in.path = f->path = span_dup((struct span){ b->path, n });
	if (!in.path)
		return false;
	f->given = b->given;
	f->fd = below_open(&in, O_PATH | O_DIRECTORY, &st, &why);
	if (f->fd >= 0)
		return true;
	below_folder_release(f);
	return false;
}

/* In the folder that is kept, unless it is a link. */
static int open_in_folder(struct way *w, int flags)
{
	const char *name = strrchr(w->b->path + w->b->given, '/');
	struct below_folder *f = w->b->folder;
	size_t n = name ? (size_t)(name - w->b->path) : 0;

	if (!name || !f ||
	    !keep_folder(f, w->b, n > w->b->given ? n : w->b->given))
		return -1;
	name++;
	return named(w, f->fd, span_of(name),
	    longpath_open_at(f->fd, name, flags | O_NOFOLLOW));
}

int below_open(
    const struct below *b, int flags, struct stat *st, enum below_why *why)
{
	struct way w = { .b = b, .root = -1, .st = st };
	int fd = -1;

	*why = BELOW_ERROR;
	w.path_only = flags & O_PATH;
	if (b->given >= strlen(b->path)) {
		fd = longpath_open(b->path, flags);
		if (fd >= 0 && fstat(fd, st)) {
			shut(fd);
			fd = -1;
		}
		return fd;
	}
	fd = open_in_folder(&w, flags);
	if (fd < 0 && w.why == BELOW_ERROR)
		fd = open_all(&w, flags);
	*why = w.why;
	return fd;
}

int below_look(const struct below *b, struct stat *st, enum below_why *why)
{
	return below_open(b, O_PATH, st, why);
}

bool below_within(const struct below *b, int fd)
{
	char *path = span_dup((struct span){ b->path, b->given });
	int dir = path ? longpath_open(path, O_PATH | O_DIRECTORY) : -1;
	char *root = dir < 0 ? NULL : name_of(dir), *target = name_of(fd);
	bool within = root && target && holds(root, target);

	if (dir >= 0)
		shut(dir);
	free(root);
	free(target);
	free(path);
	return within;
}
