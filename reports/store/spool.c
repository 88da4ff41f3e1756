/*
 * Written beside its place under a name that begins with a dot, put on disk,
 * renamed. The names begin with the time, so that what was first goes first.
 */
#include "reports/store/spool.h"

#include "base/array.h"
#include "reports/store/store_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK ((uint64_t)4096)
#define END ".jsonl"
#define BATCH 256 /* files between two looks at whether they are written */
#define LEFT_SECONDS 3600 /* an unfinished file is nobody's any more */
#define FILE_MAX (64 << 20)
#define PIECE ((size_t)64 << 10)

struct names {
	char **v;
	size_t n, cap;
};

static void names_free(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
}

static bool is_whole(const char *name)
{
	size_t n = strlen(name), end = sizeof END - 1;

	return name[0] != '.' && n > end && !strcmp(name + n - end, END);
}

int spool_make(const char *folder, struct err *e)
{
	if (!mkdir(folder, 0700) || errno == EEXIST)
		return 0;
	return err_errno(e, folder);
}

/* ---- putting there ---- */

/* What a file of n bytes takes. */
static uint64_t on_disk(uint64_t n)
{
	return (n + BLOCK - 1) / BLOCK * BLOCK;
}

/* The bytes that its files take. -1 with e set. */
static int used(const char *folder, uint64_t *bytes, struct err *e)
{
	DIR *d = opendir(folder);
	const struct dirent *ent;
	struct stat st;

	*bytes = 0;
	if (!d)
		return err_errno(e, folder);
	while ((ent = readdir(d)))
		if (!fstatat(dirfd(d), ent->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode))
			*bytes += on_disk((uint64_t)st.st_size);
	closedir(d);
	return 0;
}

static int write_all(int fd, struct span s)
{
	while (s.n) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		s = span_sub(s, (size_t)n, s.n);
	}
	return 0;
}

/* The name is on disk only when its folder is. */
static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

/* FOLDER/TIME-XXXXXX.jsonl for FOLDER/.XXXXXX */
static int whole_name(
    struct buf *out, const char *folder, const char *aside, struct err *e)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return buf_addf(out, "%s/%011lld.%09ld-%s" END, folder,
		   (long long)t.tv_sec, t.tv_nsec, strrchr(aside, '.') + 1)
	    ? err_nomem(e)
	    : 0;
}

/* Also when the disk is full: what is there is whole. */
static int put(const char *folder, char *aside, struct span text, struct err *e)
{
	struct buf name = BUF_INIT(BUF_MAX);
	int fd = mkstemp(aside), rc = -1;

	if (fd < 0)
		return err_errno(e, folder);
	if (write_all(fd, text) || fdatasync(fd))
		err_errno(e, folder);
	else if (!whole_name(&name, folder, aside, e) &&
	    (rc = rename(aside, name.p)))
		err_errno(e, folder);
	close(fd);
	if (rc)
		(void)unlink(aside);
	else
		sync_folder(folder);
	buf_release(&name);
	return rc;
}

int spool_put(
    const char *folder, uint64_t most, struct span text, struct err *e)
{
	struct buf aside = BUF_INIT(BUF_MAX);
	uint64_t bytes;
	int rc = -1;

	if (used(folder, &bytes, e))
		return -1;
	if (bytes + on_disk(text.n) > most)
		return err_set(e, "%s: full: %llu of %llu bytes (limit spool)",
		    folder, (unsigned long long)bytes,
		    (unsigned long long)most);
	if (buf_addf(&aside, "%s/.XXXXXX", folder))
		err_nomem(e);
	else
		rc = put(folder, aside.p, text, e);
	buf_release(&aside);
	return rc;
}

/* ---- sending ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What a killed process has left goes. */
static void remove_left(int dir, const char *name)
{
	struct stat st;

	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_mtime < time(NULL) - LEFT_SECONDS)
		(void)unlinkat(dir, name, 0);
}

/* What lies there whole, in order. */
static int list(int dir, DIR *d, struct names *l, struct err *e)
{
	const struct dirent *ent;

	while ((ent = readdir(d))) {
		if (ent->d_name[0] == '.' && strlen(ent->d_name) == 7)
			remove_left(dir, ent->d_name);
		if (!is_whole(ent->d_name))
			continue;
		if (array_grow(&l->v, l->n, &l->cap, sizeof *l->v) ||
		    !(l->v[l->n] = span_dup(span_of(ent->d_name))))
			return err_nomem(e);
		l->n++;
	}
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_name);
	return 0;
}

/* All of a file of one's own. 1 with e set: it is left there. */
static int read_whole(int dir, const char *name, struct buf *out, struct err *e)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	char *p;
	ssize_t n = -1;

	buf_clear(out);
	if (fd < 0 || fstat(fd, &st)) {
		err_errno(e, name);
	} else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_size > FILE_MAX) {
		err_set(e, "%s: no file of this user's", name);
	} else {
		p = malloc(PIECE);
		while (p && (n = read(fd, p, PIECE)) > 0)
			if (buf_add(out, p, (size_t)n))
				break;
		if (!p || n > 0)
			err_nomem(e);
		else if (n < 0)
			err_errno(e, name);
		free(p);
	}
	if (fd >= 0)
		close(fd);
	return n == 0 ? 0 : 1;
}

/* 0; 1 with e set: it is not what it should be; -1: the store failed. */
static int import(struct store *s, struct span text, struct err *e)
{
	while (text.n) {
		size_t n = span_find(text, "\n");
		struct span line =
		    span_sub(text, 0, n == SIZE_MAX ? text.n : n);
		int rc = store_import(s, line, 0, e);

		if (rc)
			return rc;
		text = span_sub(text, n == SIZE_MAX ? text.n : n + 1, text.n);
	}
	return 0;
}

/* A batch of files, from the first on. */
static int send_some(int dir, struct names *l, size_t first, struct store *s,
    struct spool_sent *n, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	size_t end = first + BATCH < l->n ? first + BATCH : l->n;
	bool done[BATCH] = { false };
	struct err why;
	int rc = 0;

	for (size_t i = first; i < end && rc >= 0; i++) {
		rc = read_whole(dir, l->v[i], &text, &why);
		if (!rc)
			rc = import(s, (struct span){ text.p, text.len }, &why);
		done[i - first] = !rc;
		if (rc > 0)
			n->bad(n->ctx, l->v[i], why.text);
		n->left += rc > 0;
	}
	if (rc < 0)
		err_pass(e, &why);
	else
		rc = store_flush(s, e);
	for (size_t i = first; i < end && !rc; i++) {
		n->sent += done[i - first];
		if (done[i - first])
			(void)unlinkat(dir, l->v[i], 0);
	}
	buf_release(&text);
	return rc;
}

int spool_send(const char *folder, struct store *s, int milliseconds,
    struct spool_sent *n, struct err *e)
{
	DIR *d = opendir(folder);
	struct names l = { NULL, 0, 0 };
	int64_t until = store_clock_ms() + milliseconds;
	int rc;

	if (!d)
		return errno == ENOENT ? 0 : err_errno(e, folder);
	rc = list(dirfd(d), d, &l, e);
	for (size_t i = 0; i < l.n && !rc; i += BATCH) {
		if (milliseconds && store_clock_ms() >= until)
			break;
		rc = send_some(dirfd(d), &l, i, s, n, e);
	}
	names_free(&l);
	closedir(d);
	return rc;
}
