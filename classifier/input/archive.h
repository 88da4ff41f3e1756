/*
 * libarchive behind two doors: the one stream in a compressed one, and the
 * members of a container.
 */
#ifndef INPUT_ARCHIVE_H
#define INPUT_ARCHIVE_H

#include "input/sniff.h"

struct archive_box;
struct err;
struct source;

/* The streams below (up) are borrowed until the close. level: of what comes
 * out. NULL with e set: out of memory. */
struct source *archive_expand(
    struct source *up, enum sniff kind, unsigned level, struct err *e);

struct archive_box *archive_box_open(
    struct source *up, enum sniff kind, unsigned level, struct err *e);
void archive_box_close(struct archive_box *b);

enum archive_next {
	ARCHIVE_NEXT_END,
	ARCHIVE_NEXT_LOG, /* data waits to be read */
	ARCHIVE_NEXT_DIRECTORY,
	ARCHIVE_NEXT_SKIPPED,   /* not a file: why says what */
	ARCHIVE_NEXT_ENCRYPTED, /* without a name: all that follows */
	ARCHIVE_NEXT_DAMAGED,   /* a member without a name was passed over */
	ARCHIVE_NEXT_BROKEN     /* nothing more can be read */
};

struct archive_member {
	const char *name; /* as stored, without "./"; NULL when not known */
	int64_t written;  /* when it was written, in seconds; 0: not told */
	const char *why;  /* SKIPPED, DAMAGED, BROKEN: one phrase */
	int fault;        /* BROKEN: an enum input_note */
};

/* The next member; strings are borrowed until the next call. */
enum archive_next archive_box_next(
    struct archive_box *b, struct archive_member *m);

/* The bytes of the member told last; belongs to b. */
struct source *archive_box_data(struct archive_box *b);

#endif
