/* What a process lived through: each candidate judged by what comes after. */
#ifndef DIAGNOSE_SURVIVAL_H
#define DIAGNOSE_SURVIVAL_H

#include "diagnose/decision/candidates.h"

/* Let those lose that the run went on after, that were ignored, or that were
 * only warnings. */
void survival_judge(struct ranking *r);
/* A line that states only the class of an error need not have ended anything,
 * nor an exception that never touched the user's code; one that nobody caught
 * there has. */
bool survival_passing(const struct candidate *c);
/* Whether a script ends right behind it, which says so whatever became of the
 * program that it ran. */
bool survival_script_ended(const struct candidate *c);

#endif
