/*
 * A shared library that is loaded when it is first needed, so that a run that
 * does not need it does not wait for it (and for what it loads in turn).
 *
 * The user lists the functions once and calls them through the table lib:
 *
 *	#define FUNCTIONS(X) X(foo_open) X(foo_close)
 *
 *	static struct {
 *		FUNCTIONS(LIBRARY_SLOT)
 *	} lib;
 *	static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
 *	static struct library foo = LIBRARY_INIT("libfoo.so.1", "libfoo1",
 *rows);
 *
 * after library_load(&foo, e) as lib.foo_open(...).
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct err;

struct library_row {
	const char *name;
	void *slot; /* the address of a pointer to a function */
};

#define LIBRARY_SLOT(f) __typeof__(f) *(f);
#define LIBRARY_ROW(f) { #f, &lib.f },

struct library {
	const char *file;    /* its name for the dynamic linker */
	const char *package; /* what Debian and Ubuntu install it with */
	const struct library_row *rows;
	size_t n;
	pthread_mutex_t lock;
	atomic_bool loaded;
};

#define LIBRARY_INIT(file, package, rows)                              \
	{                                                              \
		file, package, rows, sizeof(rows) / sizeof((rows)[0]), \
		    PTHREAD_MUTEX_INITIALIZER, false                   \
	}

/* Fill the table, if that has not been done: 0, or -1 with e set and the
 * table as it was. Any thread may call it, at any time. It stays loaded. */
int library_load(struct library *l, struct err *e);

/* Whether one could not be loaded. When memory ran out in it, the dynamic
 * loader may keep its lock, for which exit would wait for ever. */
bool library_broken(void);

#endif
