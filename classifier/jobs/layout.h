/*
 * Which log belongs to which job, attempt and rank: told by its path alone,
 * by the layouts of the taxonomy. The first that fits wins; the last fits
 * nearly everything.
 */
#ifndef JOBS_LAYOUT_H
#define JOBS_LAYOUT_H

#include "base/text.h"
#include "input/envelope.h"

struct err;
struct layout;
struct taxonomy;

/* What a path says. Logs of one job and attempt have equal keys. */
struct log_id {
	char *key;          /* owned; job and attempt, within its folder */
	char *job;          /* owned; as shown */
	int attempt;        /* from 1 */
	bool attempt_named; /* the path names it; otherwise it is 1 */
	int rank;           /* or -1 */
	char *node;         /* owned, or NULL */
	char *cluster;      /* owned: whose id it is; or NULL */
	enum stream stream;
	size_t scope; /* bytes of the path up to and with the '/' or '!' of
		       * the folder whose end completes the job */
};

/* The i-th layout's name; NULL past the end. Some have the same. */
const char *layout_name(const struct taxonomy *tax, size_t i);

/*
 * choice, borrowed, as tax: NULL or "auto" for all that need not be asked for;
 * a name for the layouts of that name; anything else is a PCRE2 regex over the
 * path with a named group `job`, and optionally `attempt`, `rank`, `node`,
 * `cluster`; paths that it does not match fall to one job a file. NULL with e
 * set: bad regex.
 */
struct layout *layout_new(
    const struct taxonomy *tax, const char *choice, struct err *e);
void layout_free(struct layout *l);

/* Safe from several threads. 0, or -1: out of memory. */
int layout_match(
    const struct layout *l, const char *path, struct log_id *id, struct err *e);
void layout_id_release(struct log_id *id);
/* A key with its folder made absolute: "1|logs/|12" -> "1|/night/logs/|12";
 * with base NULL as it is. Owned; NULL: out of memory. */
char *layout_absolute(const char *key, const char *base);
/* Whether a job's name is a number that a scheduler gave, without a folder. */
bool layout_is_number(struct span job);

#endif
