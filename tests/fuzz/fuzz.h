/*
 * Fuzz targets: each reads bytes as some part of the program would, and checks
 * what must hold for any bytes. The same targets are linked with libFuzzer
 * (libfuzzer.c) and with a main that runs files (replay.c).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/text.h"

struct buf;
struct err;
struct json;

struct fuzz_target {
	const char *name;
	size_t size; /* longer inputs are cut */
	void (*run)(struct span data);
};

extern const struct fuzz_target fuzz_taxonomy, fuzz_policy, fuzz_archive,
    fuzz_lines, fuzz_blocks, fuzz_records, fuzz_jsonlines, fuzz_store,
    fuzz_scan, fuzz_overlay, fuzz_diff, fuzz_history, fuzz_export, fuzz_dump;

/* Of that name, or NULL. */
const struct fuzz_target *fuzz_find(struct span name);
/* Run a target over bytes, cut to its size. */
void fuzz_run(const struct fuzz_target *t, struct span data);

/* What must hold. Works in every build, unlike assert(). */
#define FUZZ_CHECK(condition)                                           \
	do {                                                            \
		if (!(condition))                                       \
			fuzz_broken(__FILE__, __LINE__, "" #condition); \
	} while (0)

/* Says what does not hold, and aborts. */
void fuzz_broken(const char *file, int line, const char *what)
    __attribute__((noreturn));
/* The two texts are equal. */
void fuzz_same(const struct buf *a, const struct buf *b);
/* A call that can fail only when memory runs out has not. */
void fuzz_ok(int rc, const struct err *e);
bool fuzz_utf8(struct span s);

/* The bytes as a file; its path is good until the next call with that slot. */
#define FUZZ_FILES 2
const char *fuzz_file(unsigned slot, struct span data);

/* An unsigned number of n bytes (up to 4) cut off the front of *data; bytes
 * that are not there are zero. */
uint32_t fuzz_number(struct span *data, size_t n);
/* The part before the first c, which is cut off *data with it; all of it when
 * there is none. */
struct span fuzz_part(struct span *data, char c);

#endif
