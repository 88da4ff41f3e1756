/* The parts of explain's screen, one file each. Private to explain*.c. */
#ifndef REPORTS_EXPLAIN_PARTS_H
#define REPORTS_EXPLAIN_PARTS_H

#include "reports/explain/page.h"

/* ---- explain.c ---- */

/* How the job ended, in one sentence: the program's own words, the cause and
 * the verdict's word of one that failed. */
void explain_head(struct page *p, const struct explain *x);

/* ---- explain_where.c ---- */

/* The failing program's own words, and where in the user's code; nothing when
 * no log has them. */
void explain_headline(struct page *p, const struct explain *x);
void explain_where(struct page *p, const struct explain *x);
/* The user's own frame, if there is one. */
void explain_frame(struct page *p, const struct explain *x);
void explain_consequences(struct page *p, const struct explain *x);
/* What else was considered, and why it lost. */
void explain_why(struct page *p, const struct explain *x);
/* The lines that no known good run prints, where they were looked for. */
void explain_leads(struct page *p, const struct explain *x);
/* The last lines of the log that ended last. */
void explain_last_lines(struct page *p, const struct explain *x);

/* What a proof says, and what of it was matched (to <= from: nothing). */
struct span explain_text(const struct proof *p, size_t *from, size_t *to);

/* ---- explain_facts.c ---- */

void explain_facts(struct page *p, const struct explain *x);

/* Append "ranks 0-2, 5" of ascending numbers. */
void explain_ranks(struct page *p, const int *v, size_t n);
/* Append "epoch 3, step 1,200"; false: nothing is known, nothing appended. */
bool explain_position(struct page *p, struct progress at);

/* ---- explain_launches.c ---- */

void explain_launches(struct page *p, const struct explain *x);

/* ---- explain_trends.c ---- */

/* What the curves of the training warn of. */
void explain_trends(struct page *p, const struct explain *x);

/* ---- explain_past.c ---- */

void explain_attempts(struct page *p, const struct explain *x);
void explain_judged(struct page *p, const struct explain *x);

#endif
