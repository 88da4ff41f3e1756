/*
 * The state of files, to tell whether they are still what they were: path,
 * size, times, inode. Nothing is read.
 */
#ifndef JOBS_STAMP_H
#define JOBS_STAMP_H

#include "base/hash.h"

#include <stdint.h>

/* Of files and archives, in their order; a path may name a member of an
 * archive. Zero when the state proves nothing: standard input, a file that is
 * gone, or one that changed so recently that it may change again without a
 * new time. */
struct hash_value stamp_files(char *const *paths, size_t n);
/* The part of a stamp's high half that is by chance. What is above it is alike
 * for files of one folder and one day, so that a store finds those near each
 * other that are read one after the other. */
#define STAMP_HASH UINT64_C(0xffffffff)

struct stat;
/* The state of the file at path, or of the archive that it lies in. -1: it is
 * no regular file, or there is none. */
int stamp_stat(const char *path, struct stat *st);

#endif
