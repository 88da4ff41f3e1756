/*
 * A stream of bytes that is pulled: a file, a decompressor, a member of an
 * archive. Streams stand on each other: each pulls from the one below (up is
 * towards the outer file). Inside the input module only.
 */
#ifndef INPUT_SOURCE_H
#define INPUT_SOURCE_H

#include "base/limits.h"
#include "base/text.h"
#include "input/input.h"
#include "input/sniff.h"

#include <sys/types.h>

/* Layers that can stand on each other: a decompressor and a container for
 * each of the most containers allowed, and the file. */
#define SOURCE_LEVELS 132
#define SOURCE_PIECE ((size_t)256 << 10)

/* What all streams of one input_read share. */
struct source_run {
	const struct limits *limits;
	const struct input_sink *sink;
	uint64_t raw;                     /* how much of it was read */
	uint64_t expanded[SOURCE_LEVELS]; /* bytes made by each level */
	uint64_t members;
	uint64_t held; /* bytes in memory for 7z */
	bool over;     /* a limit of the whole outer file was reached */
	bool ahead;    /* a stream that is read ahead is among them */
	bool piped;    /* it may be waited for, as long as the sink says */
};

struct source {
	struct source_run *run;
	struct source *up; /* borrowed; NULL when it reads a file or memory */
	unsigned level;    /* > 0: what it gives counts as expanded */
	/* n > 0 bytes at *p, borrowed until the next call; 0 at the end; -1
	 * with source_fail called. */
	ssize_t (*pull)(struct source *s, const char **p);
	/* Go to a place; 0 or -1. NULL: cannot. */
	int (*seek)(struct source *s, uint64_t pos);
	void (*close)(struct source *s);
	char *room;    /* SOURCE_PIECE bytes where pull may put what it gives,
			* or NULL: it has its own */
	uint64_t size; /* known where seek is */
	uint64_t pos;  /* of the next byte that source_read gives */
	uint64_t out;  /* bytes pulled in all */
	uint64_t base; /* up->out when this one began */
	bool ended, failed;
	enum input_note fault; /* when failed: what to tell, and */
	char why[200];
	struct span rest; /* pulled but not yet given, after head */
	size_t head_n, head_at;
	char head[SNIFF_BYTES];
};

/* Zero *s and put it on up (NULL for none). */
void source_init(struct source *s, struct source_run *run, struct source *up);

/* Calls s->close. NULL is fine. */
void source_close(struct source *s);

/* The next bytes: as pull. After the end or a failure, the same again. */
ssize_t source_read(struct source *s, const char **p);

/* The next SNIFF_BYTES bytes, fewer if there are no more, without taking
 * them. Only before the first read and after source_skip. -1: it failed before
 * the first of them. */
int source_peek(struct source *s, struct span *head);

/* Go past n bytes, after which there can be a peek again. 0; -1: it has fewer,
 * or failed. */
int source_skip(struct source *s, uint64_t n);

int source_seek(struct source *s, uint64_t pos);

/* Mark as failed. Always -1. */
int source_fail(struct source *s, enum input_note fault, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* With the words for errno, and optionally a prefix ("%s: "). */
int source_fail_errno(struct source *s, enum input_note fault, int number);

/* The words for errno, safe with threads. */
const char *source_errno(int number, char *out, size_t n);

struct err;

struct stat;
/* The file open at fd, of which st tells. fresh: nothing was read from it yet.
 * The stream owns fd from now on, also when this fails. NULL with e set. */
struct source *source_file(struct source_run *run, int fd,
    const struct stat *st, bool fresh, struct err *e);

/* How the file is not as long as it was, or NULL; told at most once. *kind:
 * of the note: what is gone is damage. */
const char *source_file_changed(struct source *s, enum input_note *kind);

/* All bytes of s, read into memory, which can seek. NULL with e set when
 * memory ran out; NULL with *full and e untouched if s failed or it is more
 * than the limit for nested 7z; s tells which. */
struct source *source_hold(struct source *s, struct err *e, bool *full);

#endif
