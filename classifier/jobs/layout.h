/*
 * Which log belongs to which job, attempt and rank: told by its path alone,
 * by a table of layouts. The first that fits wins; the last fits everything.
 */
#ifndef JOBS_LAYOUT_H
#define JOBS_LAYOUT_H

#include "base/text.h"
#include "input/envelope.h"

struct err;
struct layout;

/* What a path says. Logs of one job and attempt have equal keys. */
struct log_id {
	char *key;          /* owned; job and attempt, within its folder */
	char *job;          /* owned; as shown */
	int attempt;        /* from 1 */
	bool attempt_named; /* the path names it; otherwise it is 1 */
	int rank;           /* or -1 */
	char *node;         /* owned, or NULL */
	enum stream stream;
	size_t scope; /* bytes of the path up to and with the '/' or '!' of
		       * the folder whose end completes the job */
};

/* The i-th built-in layout's name and what it is for; NULL past the end. A
 * name may come twice (then with an empty help the second time). */
const char *layout_help(size_t i, const char **help);

/*
 * choice: NULL or "auto" for the whole table; one of the names of layout_help
 * for that layout alone; anything else is a PCRE2 regex over the path with a
 * named group `job`, and optionally `attempt`, `rank`, `node`; paths that it
 * does not match fall to one job a file. NULL with e set: bad regex.
 */
struct layout *layout_new(const char *choice, struct err *e);
void layout_free(struct layout *l);

/* Safe from several threads. 0, or -1: out of memory. */
int layout_match(
    const struct layout *l, const char *path, struct log_id *id, struct err *e);
void layout_id_release(struct log_id *id);

#endif
