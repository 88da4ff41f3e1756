/*
 * What a log says beside its failure: how far the run was, the checkpoints it
 * wrote, how its processes ended. Read from single lines, on demand.
 */
#ifndef DIAGNOSE_FACTS_H
#define DIAGNOSE_FACTS_H

#include "diagnose/findings.h"

struct log_line;

/* Lists of texts on whose lines facts_line, or checkpoint_line, has something
 * to read. Each of the lists, and they as a whole, end with NULL. */
extern const char *const *const facts_triggers[];
/* Their bits, in that order. */
enum {
	FACTS_EXIT = 1 << 0,
	FACTS_PARALLEL = 1 << 1,
	FACTS_CHECKPOINT = 1 << 2,
	FACTS_GPUS = 1 << 3
};
/* Likewise, and each by itself tells that several processes run side by side.
 */
extern const char *const facts_parallel_triggers[];

/* The position a training line prints (step, iteration, epoch, progress bar):
 * false when it prints none. */
bool facts_progress(struct span line, struct progress *out);

/* The last position printed in text before offset end, looking back at most
 * as far as from; *at is set to the offset of its line. */
bool facts_progress_before(struct span text, size_t from, size_t end,
    struct progress *out, size_t *at);

/* Whether a line or traceback tells that several processes run side by side. */
bool facts_parallel(struct span text);

/* Which lists of facts_triggers have a text in the line, as bits. */
unsigned facts_kinds(struct span line);

/* Exit codes, the number of ranks and of GPUs in one peeled line, whose
 * facts_kinds are given. */
void facts_line(struct findings *f, const struct log_line *l, unsigned kinds);

/* A line that only shows a script: the sizes in the commands of a shell trace
 * and in a batch script's directives. */
void facts_script(struct findings *f, struct span line);

/* Cut the last line off what lies before *end, but not before from, and move
 * *end to it. False: there is none, or its start is out of reach. */
bool facts_line_before(
    struct span text, size_t from, size_t *end, struct span *line);

/* The number that follows a key before offset at, past "=", ": ", " [" and the
 * like, or -1. */
int64_t facts_number(struct span line, size_t at);

/* Whether a word stands in a line, in either case; word is in lower case. */
bool facts_word(struct span line, const char *word);

/* The framework whose files a traceback names, or NULL. Static. */
const char *facts_framework(struct span trace);

#endif
