/*
 * Opening and looking at paths longer than the kernel takes in one call
 * (PATH_MAX), which deep directory trees have.
 */
#ifndef INPUT_LONGPATH_H
#define INPUT_LONGPATH_H

struct stat;

/* As open() for reading (flags: more open flags) and stat(), with EINTR
 * retried. -1 with errno set. */
int longpath_open(const char *path, int flags);
/* As openat(): path is short. */
int longpath_open_at(int dir, const char *path, int flags);
int longpath_stat(const char *path, struct stat *st);

#endif
