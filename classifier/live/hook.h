/* The command of --exec, one at a time. Private to live/. */
#ifndef LIVE_HOOK_H
#define LIVE_HOOK_H

#include "live/live.h"

#include <signal.h>
#include <sys/types.h>

#define HOOK_SECONDS 30

struct hook {
	pid_t pid;    /* 0: none runs */
	double until; /* it is killed then */
};

/*
 * Run `sh -c command`, its output on standard error, with JOBTRIAGE_ON, _RULE,
 * _CATEGORY, _VERDICT, _TEXT, and _PID (of the job's command; empty: none).
 * mask: the signals that are blocked in it. -1: it could not be run.
 */
int hook_start(struct hook *h, const char *command, const struct live_event *ev,
    pid_t job, const sigset_t *mask);
/* Its time is over. */
void hook_kill(const struct hook *h);

#endif
