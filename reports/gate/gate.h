/*
 * The answer for one job, as a line of key=value pairs or as JSON. The line's
 * keys are always all there and in the same order; a value that is not known
 * is empty, one with blanks, quotes or backslashes stands in double quotes
 * with \" and \\ in it, and no control character gets through.
 */
#ifndef REPORTS_GATE_H
#define REPORTS_GATE_H

#include "diagnose/diagnosis.h"

struct buf;
struct err;

#define GATE_EVIDENCE_MAX 200 /* bytes of its text in the line */

struct gate_answer {
	const struct diagnosis *d; /* or NULL: there was an error */
	const char *given; /* the word that is answered; another one than the
			    * verdict after an error and in shadow */
	const char *reason;
	int exit_status;
	bool shadow;
	char *const *doubts;
	size_t n_doubts;
};

/* Append one line, with its end. -1: out of memory. */
int gate_line(const struct gate_answer *a, struct buf *out);

/* Append the diagnosis with the members history and gate; without one, an
 * object of schema "jobtriage.error/1". One line. -1 with e set: out of
 * memory. */
int gate_json(const struct gate_answer *a, const struct taxonomy *tax,
    struct buf *out, struct err *e);

#endif
