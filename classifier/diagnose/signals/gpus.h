/*
 * How many GPUs a job has, as far as its logs tell. Sizes of the world, of a
 * node and of the devices seen come from single lines; they count as GPUs only
 * when the logs tell that GPUs are in use at all.
 */
#ifndef DIAGNOSE_GPUS_H
#define DIAGNOSE_GPUS_H

#include "diagnose/findings.h"

struct diagnosis;
struct matcher;
struct signal_hits;
struct taxonomy;

#define GPUS_MAX 1000000 /* more is a misreading */

/* Read a line, which may tell these signals (NULL: any). The ranks that it
 * gives by that name, or 0. */
int gpus_line(struct gpu_clues *c, const struct taxonomy *tax,
    struct matcher *m, struct span line, const struct signal_hits *hits);

/* Read a piece of the log for words that tell whether GPUs are in use; the
 * first line that says so decides. */
void gpus_words(struct gpu_clues *c, struct span text);

/* The log has ended: sets f->gpus. */
void gpus_end(struct findings *f);

/* GPUs of the whole job from all its logs; 0: not known. */
int gpus_of_job(const struct diagnosis *d);

#endif
