/*
 * The gzip layer: checks length and CRC of every part.
 */
#ifndef INPUT_GUNZIP_H
#define INPUT_GUNZIP_H

struct err;
struct source;

/* What up holds, decompressed. up is borrowed until source_close. The caller
 * sets the level. NULL with e set: out of memory. */
struct source *gunzip_open(struct source *up, struct err *e);

#endif
