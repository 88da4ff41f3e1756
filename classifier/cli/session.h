/* What scan and eval have in common: rules, engine and layout made ready. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "cli/cli.h"
#include "jobs/triage.h"

struct session {
	struct taxonomy *taxonomy;
	struct redactor *redactor; /* NULL: --no-redact */
	struct engine *engine;
	struct layout *layout;
	struct accounting *records; /* or NULL */
	struct nodes *nodes;        /* or NULL */
	char *base;                 /* see triage_options; or NULL */
	uint64_t lost_records;      /* rows that could not be used */
	struct triage_options options;
};

/* -1 with e set: bad rules, layout or job records. Release in every case. */
int session_open(struct session *x, const struct settings *s, struct err *e);
void session_release(struct session *x);

/* Whether --no-redact, if given, may be: when all goes to a terminal, screen.
 * -1 with e set. */
int session_own_terminal(const struct settings *s, FILE *screen, struct err *e);

/* Tell a note on standard error, unless quiet. */
void session_note(const struct settings *s, const char *path,
    enum input_note kind, const char *text);
/* Diagnose every job under the paths, as `scan --format FORMAT` tells of them,
 * in a session that is open; cmd_scan.c. */
enum exit_status cmd_scan_list(
    const struct settings *s, struct session *x, const char *format);
/* Inputs of which something is missing. */
uint64_t session_unread(const struct triage_counters *c);

#endif
