/*
 * A path that is too long is walked in pieces: each piece but the last is
 * opened as a directory relative to the one before, so that never more than
 * two descriptors are in use.
 */
#include "input/longpath.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE 4000 /* below PATH_MAX, which is 4096 where it is known */

int longpath_open_at(int dir, const char *path, int flags)
{
	int fd;

	do
		fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	while (fd < 0 && errno == EINTR);
	return fd;
}

static void close_dir(int dir)
{
	int keep = errno;

	if (dir != AT_FDCWD)
		close(dir);
	errno = keep;
}

/* The directory that *path, cut to its last piece, is relative to; -1 with
 * errno set. */
static int reach(const char **path)
{
	char piece[PIECE + 1];
	int dir = AT_FDCWD, next;

	while (strlen(*path) > PIECE) {
		size_t n = PIECE;

		while (n && (*path)[n] != '/')
			n--;
		if (!n) {
			errno = ENAMETOOLONG;
			close_dir(dir);
			return -1;
		}
		memcpy(piece, *path, n);
		piece[n] = '\0';
		next = longpath_open_at(dir, piece, O_DIRECTORY);
		close_dir(dir);
		if (next < 0)
			return -1;
		dir = next;
		*path += n;
		*path += strspn(*path, "/");
	}
	if (!**path)
		*path = ".";
	return dir;
}

int longpath_open(const char *path, int flags)
{
	int dir, fd;

	if (strlen(path) <= PIECE)
		return longpath_open_at(AT_FDCWD, path, flags);
	dir = reach(&path);
	if (dir == -1)
		return -1;
	fd = longpath_open_at(dir, path, flags);
	close_dir(dir);
	return fd;
}

int longpath_stat(const char *path, struct stat *st)
{
	int dir, rc;

	if (strlen(path) <= PIECE)
		return stat(path, st);
	dir = reach(&path);
	if (dir == -1)
		return -1;
	rc = fstatat(dir, path, st, 0);
	close_dir(dir);
	return rc;
}
