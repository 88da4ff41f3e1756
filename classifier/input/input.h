/*
 * Where logs come from: files, directories, archives in each other, standard
 * input. A reader pushes the bytes of each log, decompressed and otherwise
 * untouched, into a sink. Nothing is ever written to disk.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct below;
struct err;
struct pool;

/* Damage and omissions. Each is told once per place, never fatal, and makes
 * the exit status 3. */
enum input_note {
	NOTE_UNREADABLE, /* could not be opened or read at all */
	NOTE_DAMAGED,   /* truncated, bad checksum, corrupt: read up to there */
	NOTE_ENCRYPTED, /* an archive member needs a passphrase */
	NOTE_SKIPPED,   /* a device, socket, or link loop */
	NOTE_LIMIT,     /* a row of the limit table was reached */
	NOTE_CHANGED,   /* the file grew while it was read */
	NOTE_COUNT
};

/* "unreadable", "damaged", ... */
const char *input_note_name(enum input_note n);

struct input_sink {
	void *ctx;
	/* A log begins. path: as printed and accepted back as input, with
	 * "outer!inner" for members. 0: send its bytes; 1: skip this log;
	 * -1: stop reading everything (input_read returns 0). */
	int (*begin)(void *ctx, const char *path);
	/* Its bytes, in pieces of any size. 0, or -1: stop this log. */
	int (*data)(void *ctx, const char *p, size_t n);
	/* It ends; whole is false when its end was not reached. */
	void (*end)(void *ctx, bool whole);
	/* About the log in progress, or about a path that gave none. */
	void (*note)(void *ctx, const char *path, enum input_note kind,
	    const char *text);
	/* Optional (may be NULL): raw bytes read from the outer file. Comes
	 * from one thread at a time, not always the caller's. */
	void (*progress)(void *ctx, uint64_t bytes);
	/* Optional: when the member of an archive that comes next was written,
	 * in seconds since 1970; 0: the archive does not tell. */
	void (*written)(void *ctx, int64_t seconds);
	/* Optional: milliseconds that a pipe may still be waited for. */
	int (*patience)(void *ctx);
	/* Optional: threads that decompress while the sink works. All else is
	 * told on the caller's thread, and is the same without. */
	struct pool *pool;
};

/*
 * Read one thing: a file (plain, compressed, or an archive: recognised by
 * content), "-" for standard input, or an address "outer!member" inside an
 * archive (where the file named by the whole string does not exist). A
 * compressed plain file is one log under its own path; an archive is one log a
 * member, in archive order. 0 when it ran, whatever notes it made; -1 with e
 * set when memory ran out.
 */
int input_read(const char *path, const struct limits *limits,
    const struct input_sink *sink, struct err *e);

/* As input_read, of a file that walk_path told, which links may not lead out
 * of the folder given. */
int input_read_below(const struct below *at, const struct limits *limits,
    const struct input_sink *sink, struct err *e);

/* ---- walk.c: which files lie under the paths ---- */

/* Each may be NULL: nobody is told. */
struct walk_sink {
	void *ctx;
	/* A file to read. size in bytes, or -1: a pipe, or sizes were not asked
	 * for. 0, or -1: stop. */
	int (*file)(void *ctx, const char *path, int64_t size);
	/* All entries of a directory, sub-directories included, were told. */
	int (*leave)(void *ctx, const char *dir);
	void (*note)(void *ctx, const char *path, enum input_note kind,
	    const char *text);
	bool sizes; /* they cost a look at each file */
	/*
	 * Groups that files belong to by their path, so that a
	 * directory of very many files does not have to be kept until it is
	 * left. group: a hash, equal for files of one group; asked for all
	 * files of a directory before the first is told. 0, or -1: stop. last:
	 * the file that was told last is the last of its group in its
	 * directory, which holds nothing but files. Not told of small
	 * directories.
	 */
	int (*group)(void *ctx, const char *path, uint64_t *group);
	int (*last)(void *ctx, const char *path);
	/* A link that is followed, to what is open at fd (O_PATH). */
	void (*link)(void *ctx, int fd);
	bool follow; /* links wherever they lead; see below.h */
};

/*
 * Tell the files under path in name order (bytes, '/' lowest), directories
 * recursively. Links are followed as below.h says, but never into a directory
 * that is already open above, nor by two of them into one; how many were not
 * is a note about their directory. Devices and sockets are noted; FIFOs are
 * told only when path itself names one. "-" and archive addresses are told as
 * they are. 0, or -1 with e set: path does not exist (or memory ran out);
 * nothing was told then.
 */
int walk_path(const char *path, const struct walk_sink *sink, struct err *e);

#endif
