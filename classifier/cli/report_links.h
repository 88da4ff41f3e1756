/* What the links of an HTML report to logs begin with. */
#ifndef CLI_REPORT_LINKS_H
#define CLI_REPORT_LINKS_H

#include "cli/cli.h"
#include "reports/period/report.h"

struct report_links {
	struct log_link v[2]; /* borrows from own */
	size_t n;
	char *own[3];
};

/* As --link-logs says; else those below the folder of the output's file. Asks
 * for folders, so it comes before the sandbox. -1 with e set. Release it in any
 * case; {0} may be released. */
int report_links_make(
    struct report_links *l, const struct settings *s, struct err *e);
void report_links_release(struct report_links *l);

#endif
