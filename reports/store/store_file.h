/*
 * What is to be known of the file that a store is kept in, beside what is in
 * it.
 */
#ifndef REPORTS_STORE_FILE_H
#define REPORTS_STORE_FILE_H

#include <stdbool.h>

/* Whether processes of several machines may have the file open: what a
 * write-ahead log cannot bear. */
bool store_file_shared(const char *path);

#endif
