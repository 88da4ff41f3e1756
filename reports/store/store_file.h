/*
 * What is to be known of the file that a store is kept in, beside what is in
 * it.
 */
#ifndef REPORTS_STORE_FILE_H
#define REPORTS_STORE_FILE_H

#include <stdbool.h>

struct buf;
struct err;

/* Whether processes of several machines may have the file open: what a
 * write-ahead log cannot bear. */
bool store_file_shared(const char *path);

/* Make an empty file that its owner and its group may read, as far as the umask
 * lets them; what SQLite puts beside it gets the same mode. One that is there
 * stays as it is. -1 with e set. */
int store_file_make(const char *path, struct err *e);

/* The URI by which SQLite reads the file as one that nobody writes, appended.
 * -1 with e set: somebody does, or no memory. */
int store_file_frozen(const char *path, struct buf *uri, struct err *e);

#endif
