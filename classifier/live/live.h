/*
 * Logs that are being written: the output of a command that is run, or a file
 * that grows. What is found at the end is what scan would find in the whole.
 * While it is written, acts can be asked for: to warn, or to stop the command,
 * when something is seen.
 */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "diagnose/job_record.h"
#include "jobs/triage.h"

#define LIVE_TEXT 512

/* An act that has become due. */
struct live_event {
	const char *on; /* what was asked for: "loss_nan", "stalled:10m" */
	bool stop;      /* end the command (run) or the following */
	const char *rule, *category, *verdict; /* ids, or "" */
	char text[LIVE_TEXT]; /* what was seen; valid UTF-8, one line */
};

struct live_options {
	const struct triage_options *triage;
	/* "RULE=warn" or "RULE=stop": the id of a rule or of a category,
	 * stalled:TIME (no output for so long), or hang:TIME (a rank is silent,
	 * or has failed, while the job goes on). TIME: 90s, 10m, 2h. */
	const char *const *on;
	size_t n_on;
	const char *exec; /* a shell command for each event, or NULL */
	double grace;     /* seconds between SIGTERM and SIGKILL */
	const char *log;  /* run: the output goes there, too, and replaces what
			   * is there; or NULL */
	double settle;    /* follow: seconds of silence after which a failure
			   * is final; 0: 10 */
	const char *job;  /* or NULL: the command's name, or as the path says */
	int attempt;      /* from 1; 0: not told */
};

enum live_state { LIVE_RUNS, LIVE_FAILED, LIVE_ENDED_WELL };

/* How a log that is followed stands. */
struct live_status {
	enum live_state state;
	struct progress last;
	double silent; /* seconds since the last bytes came */
	double final;  /* seconds of silence until the state is final */
	int64_t left;  /* seconds, as its progress bar has it, or -1 */
};

/* Told as it happens, on the calling thread. */
struct live_sink {
	void *ctx;
	void (*event)(void *ctx, const struct live_event *ev);
	/* Output that was left out, a file that was truncated, ... */
	void (*note)(void *ctx, const char *text);
	/* follow: once a second or more often; or NULL */
	void (*status)(void *ctx, const struct live_status *st);
};

struct live_answer {
	struct diagnosis d;       /* borrows from the rest */
	struct job_record record; /* of the command's end */
	int status;               /* run: the command's, 128+n for a signal */
	bool started;             /* run: false: it is not there (127) or is no
				   * program (126); no diagnosis */
	bool diagnosed;           /* there is a diagnosis in d */
	bool stopped;             /* by an act */
	bool interrupted;         /* run: at the terminal, which would have
				   * ended this program, too */
};

void answer_release(struct live_answer *a);

/* Whether the acts name something. 0, or -1 with e set: the usage is wrong. */
int live_check(const struct live_options *o, struct err *e);

/*
 * Run argv with its output passed through and diagnosed; once, from a process
 * without other threads. -1 with e set: it could not be run at all, or nothing
 * is known of it. Release *out in both cases.
 */
int live_run(const struct live_options *o, char *const *argv,
    const struct live_sink *sink, struct live_answer *out, struct err *e);

/*
 * Read a file and go on while it grows, through rotation and truncation, until
 * its failure (or good end) is final, an act stops it, or SIGINT or SIGTERM
 * comes; then diagnose it. -1 with e set: it cannot be read. Release *out in
 * both cases.
 */
int live_follow(const struct live_options *o, const char *path,
    const struct live_sink *sink, struct live_answer *out, struct err *e);

/* Seconds of a clock that only goes forward. */
double live_clock(void);

#endif
