/*
 * A report appears whole or not at all: it is written beside its place, put on
 * disk, and renamed; then the folder is put on disk. Devices and pipes are
 * written directly. What is read is never written over.
 *
 * What is written is locked: so what a killed run has left is told from what
 * is being written, and the next run to the same place removes it.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "base/err.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".jobtriage."
#define RANDOM_CHARS 6

/* Whether nobody else has it locked; -1: that cannot be told. */
static int lock(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (!fcntl(fd, F_OFD_SETLK, &l))
		return 1;
	return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

/* The folder of name, with the slash. NULL: out of memory. */
static char *folder_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return span_dup(slash
		? (struct span){ name, (size_t)(slash - name) + 1 }
		: span_of("./"));
}

static void remove_left(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    lock(fd) == 1)
		(void)unlinkat(dir, name, 0);
	close(fd);
}

/* What runs that were killed have left beside name. */
static void clean_up(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	size_t n = strlen(base), mark = sizeof MARK - 1;
	char *folder = folder_of(name);
	DIR *d = folder ? opendir(folder) : NULL;
	const struct dirent *ent;

	while (d && (ent = readdir(d)))
		if (strncmp(ent->d_name, base, n) == 0 &&
		    strncmp(ent->d_name + n, MARK, mark) == 0 &&
		    strlen(ent->d_name + n + mark) == RANDOM_CHARS)
			remove_left(dirfd(d), ent->d_name);
	if (d)
		closedir(d);
	free(folder);
}

/* A new file beside name, whose name is put into aside. -1 with errno set. */
static int make_aside(const char *name, char *aside)
{
	struct stat st;
	int fd;

	for (;;) {
		sprintf(aside, "%s" MARK "XXXXXX", name);
		fd = mkstemp(aside);
		if (fd >= 0)
			(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
		/* another run may have taken it for one that was left */
		if (fd < 0 || (lock(fd) && !fstat(fd, &st) && st.st_nlink))
			return fd;
		close(fd);
	}
}

static int open_file(struct outfile *o, const char *name, struct err *e)
{
	struct stat st;
	mode_t mask;
	int fd;

	*o = (struct outfile){ .f = stdout };
	if (!name || strcmp(name, "-") == 0)
		return 0;
	o->name = span_dup(span_of(name));
	if (!o->name)
		return err_nomem(e);
	if (stat(name, &st) == 0 && !S_ISREG(st.st_mode)) {
		/* neither made nor cut, should it have become a file */
		fd = open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		o->f = fd < 0 ? NULL : fdopen(fd, "w");
		return o->f ? 0 : err_set(e, "%s: %s", name, strerror(errno));
	}
	o->aside = malloc(strlen(name) + sizeof MARK + RANDOM_CHARS);
	if (!o->aside)
		return err_nomem(e);
	clean_up(name);
	fd = make_aside(name, o->aside);
	if (fd < 0) {
		err_set(
		    e, "%s: cannot write beside it: %s", name, strerror(errno));
		free(o->aside);
		o->aside = NULL;
		return -1;
	}
	mask = umask(0);
	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
	o->f = fdopen(fd, "w");
	if (!o->f) {
		close(fd);
		return err_set(e, "%s: %s", name, strerror(errno));
	}
	return 0;
}

static void release(struct outfile *o)
{
	free(o->name);
	free(o->aside);
	*o = (struct outfile){ 0 };
}

void outfile_abandon(struct outfile *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	if (o->aside)
		unlink(o->aside);
	release(o);
}

int outfile_open(struct outfile *o, const char *name, struct err *e)
{
	int rc = open_file(o, name, e);

	if (rc)
		outfile_abandon(o);
	return rc;
}

static bool same_file(const char *name, const struct stat *st)
{
	struct stat other;

	return stat(name, &other) == 0 && S_ISREG(other.st_mode) &&
	    other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

int outfile_check(const struct settings *s, struct err *e)
{
	const struct list *const lists[] = { &s->arguments, &s->taxonomy,
		&s->records };
	const char *store = s->store ? strchr(s->store, ':') : NULL;
	const char *const names[] = { s->diff, s->record_map,
		store ? store + 1 : NULL };
	struct stat st;

	if (!s->output || stat(s->output, &st) || !S_ISREG(st.st_mode))
		return 0;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (size_t k = 0; k < lists[i]->n; k++)
			if (same_file(lists[i]->v[k], &st))
				goto same;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i] && same_file(names[i], &st))
			goto same;
	return 0;
same:
	return err_set(
	    e, "-o %s: it is read, too: writing would destroy it", s->output);
}

/* A rename is on disk when its folder is. Not every file system can do it,
 * and the file is in place already. */
static void sync_folder(const char *name)
{
	char *folder = folder_of(name);
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		(void)fsync(fd);
		close(fd);
	}
	free(folder);
}

/* Why a stream has failed, when the call that did so is long over: one more
 * byte fails alike. */
static const char *reason(FILE *f)
{
	if (!errno && write(fileno(f), "\n", 1) >= 0)
		return "could not be written";
	return strerror(errno);
}

int outfile_close(struct outfile *o, struct err *e)
{
	const char *name = o->name ? o->name : "standard output";
	int rc = 0;

	if (!o->f)
		return 0;
	errno = 0;
	if (fflush(o->f) || ferror(o->f) || (o->aside && fsync(fileno(o->f))))
		rc = err_set(e, "%s: %s", name, reason(o->f));
	if (!rc && o->f == stdout) {
		/* a full disk may show only now */
		if (fclose(stdout))
			rc = err_set(e, "%s: %s", name, strerror(errno));
	} else if (o->f != stdout) {
		if (fclose(o->f) && !rc)
			rc = err_set(e, "%s: %s", name, strerror(errno));
		o->f = NULL;
	}
	if (!rc && o->aside && rename(o->aside, o->name))
		rc = err_set(e, "%s: %s", name, strerror(errno));
	if (rc && o->aside)
		unlink(o->aside);
	else if (o->aside && o->name)
		sync_folder(o->name);
	release(o);
	return rc;
}
