/*
 * What a log says beside its failure: how far the run was, the checkpoints it
 * wrote, how its processes ended. Read from single lines, on demand.
 */
#ifndef DIAGNOSE_FACTS_H
#define DIAGNOSE_FACTS_H

#include "diagnose/findings.h"

struct log_line;
struct matcher;
struct signal_hits;
struct taxonomy;

/* The position a training line prints (step, iteration, epoch, progress bar):
 * false when it prints none. */
bool facts_progress(
    const struct taxonomy *tax, struct span line, struct progress *out);

/* The last position printed in text before offset *end, looking back at most
 * as far as from; *end is moved to its line, or to where the search ended. */
bool facts_progress_before(const struct taxonomy *tax, struct span text,
    size_t from, size_t *end, struct progress *out);

/* Whether a line says that the run came to its end, or that a script did,
 * which says so whatever became of what it ran. */
enum facts_end {
	FACTS_NO_END,
	FACTS_SCRIPT_ENDED,
	FACTS_ENDED_WELL,
	FACTS_FAILED /* it ended, and some of it had failed */
};
enum facts_end facts_end(
    const struct taxonomy *tax, struct matcher *m, const struct envelope *line);

/* The log has ended: what the last of a batch system's reports tells of it. */
void facts_report(struct findings *f);
/* The same of a script that says so right behind a command that failed: then
 * it has not ended well. */
void facts_script_failed(struct findings *f);

/* What a line, or the block of a traceback, tells of several processes that run
 * side by side. hits: as in signals.h; so below. */
void facts_parallel(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span text, const struct signal_hits *hits,
    bool block);

/* The signals of one peeled line; hits is not NULL. */
void facts_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, const struct log_line *l,
    const struct signal_hits *hits);
/* The number of ranks and of GPUs in one line. */
void facts_gpus(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span text, const struct signal_hits *hits);

/* A line that only shows a script: the sizes in the commands of a shell trace
 * and in a batch script's directives. */
void facts_script(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span line, const struct signal_hits *hits);

/* Cut the last line off what lies before *end, but not before from, and move
 * *end to it. False: there is none, or its start is out of reach. */
bool facts_line_before(
    struct span text, size_t from, size_t *end, struct span *line);

/* The number that follows a key before offset at, past "=", ": ", " [" and the
 * like, or -1. */
int64_t facts_number(struct span line, size_t at);

/* Whether a word stands in a line, in either case; word is in lower case. */
bool facts_word(struct span line, const char *word);

/* The framework whose files a traceback names, or NULL. Borrowed of tax. */
const char *facts_framework(const struct taxonomy *tax, struct span trace);

/* Whose a source file is. */
struct facts_file {
	bool library; /* not the user's own */
	bool starter; /* only runs the user's program */
};

/* Which signals `frames` tell of a source file, as rule.raised_bits. */
uint64_t facts_file(
    const struct taxonomy *tax, struct span file, struct facts_file *is);

#endif
