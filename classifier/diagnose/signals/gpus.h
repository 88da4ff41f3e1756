/*
 * How many GPUs a job has, as far as its logs tell. Sizes of the world, of a
 * node and of the devices seen come from single lines; they count as GPUs only
 * when the logs tell that GPUs are in use at all.
 */
#ifndef DIAGNOSE_GPUS_H
#define DIAGNOSE_GPUS_H

#include "diagnose/findings.h"

struct diagnosis;

#define GPUS_MAX 1000000 /* more is a misreading */

/* Texts on whose lines gpus_line has something to read. Ends with NULL. */
extern const char *const gpus_triggers[];

void gpus_line(struct gpu_clues *c, struct span line);

/* Read a piece of the log for words that tell whether GPUs are in use; the
 * first line that says so decides. */
void gpus_words(struct gpu_clues *c, struct span text);

/* The log has ended: sets f->gpus. */
void gpus_end(struct findings *f);

/* GPUs of the whole job from all its logs; 0: not known. */
int gpus_of_job(const struct diagnosis *d);

#endif
