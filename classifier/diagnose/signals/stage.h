/*
 * In which part of its life a job failed: the four stages of Zhang et al.
 * (ICSE 2020, figure 10). From the frames of the traceback, the words printed
 * before it, and whether training had made progress.
 */
#ifndef DIAGNOSE_STAGE_H
#define DIAGNOSE_STAGE_H

#include "diagnose/findings.h"

struct diagnosis;
struct taxonomy;

/* What the name of a source file tells of the frames in it. */
struct stage_file {
	bool library;
	unsigned name, part; /* of what it is named after, and is part of */
};
struct stage_file stage_file(
    const struct taxonomy *tax, struct span file, bool library);
/* What a stack frame tells, as bits to be joined in event.frames. */
unsigned stage_frame(const struct taxonomy *tax, const struct stage_file *file,
    struct span function);

/* In which part all the frames of a stack are. */
enum stage stage_of_frames(unsigned bits);

/* What the last of the words in text that name a stage say. */
enum stage stage_words(const struct taxonomy *tax, struct span text);

/* Where the root failure came; unknown without one. */
enum stage stage_find(const struct diagnosis *d, const struct taxonomy *tax);
/* "initialization", "data", "training", "evaluation", or NULL. Static. */
const char *stage_name(enum stage stage);
/* The other way round; unknown for any other word. */
enum stage stage_named(const char *name);

#endif
