/*
 * What a stream of bytes is, told from its start and never from its name.
 */
#ifndef INPUT_SNIFF_H
#define INPUT_SNIFF_H

#include "base/text.h"

#define SNIFF_BYTES 512 /* as many as a decision can need */

enum sniff {
	SNIFF_PLAIN, /* anything else: a log */
	/* compressed */
	SNIFF_GZIP,
	SNIFF_BZIP2,
	SNIFF_XZ,
	SNIFF_LZMA,
	SNIFF_ZSTD,
	SNIFF_LZ4,
	SNIFF_LZIP,
	SNIFF_COMPRESS, /* .Z */
	/* containers of members */
	SNIFF_TAR,
	SNIFF_ZIP,
	SNIFF_7Z,
	SNIFF_RAR,
	SNIFF_RAR5,
	SNIFF_SEALED /* encrypted: nobody can look into it */
};

/* head: the first SNIFF_BYTES bytes, or all if there are fewer. */
enum sniff sniff_kind(struct span head);

/* Bytes of a frame that carries nothing, which zstd and lz4 let stand anywhere
 * and pzstd begins with; 0: head begins with none. */
uint64_t sniff_skippable(struct span head);

/* Whether it begins with a tar header whose sum is right. */
bool sniff_tar_sum(struct span head);

/* Whether what was found holds members. */
bool sniff_container(enum sniff kind);

#endif
