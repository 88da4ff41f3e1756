/* The report of what a store holds, for commands that look into it. */
#ifndef CLI_STORE_REPORT_H
#define CLI_STORE_REPORT_H

#include "cli/cli.h"
#include "reports/period/report.h"

struct store;

struct store_report {
	struct taxonomy *taxonomy;
	struct store *store;
	struct arena *arena;
	struct decisions *said;
	struct judgements *judged;
	struct report *report;
	struct report_options options;
};

/* Load the rules and open the store: of all that it holds, or of the period
 * that --since and --until give. mode: an enum store_mode. A status, told when
 * it is not STATUS_OK. Close in every case. */
enum exit_status store_report_open(
    struct store_report *x, const struct settings *s, int mode);
/* -1 with e set. */
int store_report_read(struct store_report *x, struct err *e);
/* The status, or STATUS_INTERNAL where the store could not be closed. */
enum exit_status store_report_close(
    struct store_report *x, enum exit_status status);

#endif
