/*
 * Decompressors that are used without libarchive: because they are faster, or
 * check more.
 */
#ifndef INPUT_UNPACK_H
#define INPUT_UNPACK_H

#include "base/text.h"

struct err;
struct library;
struct source;

/* A format whose streams are parts, one after the other. */
struct unpack_codec {
	const char *name;
	struct library *library; /* that the functions below need */
	void *(*open)(void);     /* NULL: out of memory */
	void (*close)(void *c);
	/* Whether a part, or what may stand between two, begins with that. */
	bool (*starts)(char first);
	void (*begin)(void *c); /* another part */
	/*
	 * Decompress from *in, from which is cut what was read, to out. *n:
	 * the room there before, what came after. 0: it goes on, with more
	 * input once *in is empty and the room was not filled; 1: the part has
	 * ended, its sums are right; -1: damaged.
	 */
	int (*read)(void *c, struct span *in, char *out, size_t *n);
	const char *(*why)(const void *c); /* how it is damaged; borrowed */
};

/* unpack_gzip.c: ISA-L. Length and CRC of each part are checked, which
 * libarchive does not do. */
extern const struct unpack_codec unpack_gzip;
/* unpack_xz.c: liblzma. What stands before a fault is not lost, as libarchive
 * does it. */
extern const struct unpack_codec unpack_xz;
extern const struct unpack_codec unpack_lzma;
/* unpack_zstd.c: libzstd. */
extern const struct unpack_codec unpack_zstd;

/* What up holds, decompressed. up is borrowed until source_close. The caller
 * sets the level. NULL with e set: out of memory. */
struct source *unpack_open(
    struct source *up, const struct unpack_codec *codec, struct err *e);

#endif
