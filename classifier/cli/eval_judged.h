/* What persons said of the jobs of a store, as labels for eval. */
#ifndef CLI_EVAL_JUDGED_H
#define CLI_EVAL_JUDGED_H

#include "cli/session.h"
#include "reports/judge/judgement.h"

struct eval_labels {
	/* Each attempt whose category a person named, diagnosed anew from its
	 * logs. 0, or -1 to stop: out of memory. */
	int (*job)(
	    void *ctx, const struct judged *said, const struct diagnosis *d);
	void (*note)(void *ctx, const char *path, enum input_note kind,
	    const char *text);
	void *ctx;
	uint64_t left_out; /* judged, but its logs are gone */
};

/* In the store of x's settings. -1 with e set. */
int eval_judged(const struct settings *s, struct session *x,
    struct eval_labels *to, struct err *e);

#endif
