/*
 * The command that is run: its descriptors, its process group, its signals, and
 * the processes it leaves behind. Private to live/.
 */
#ifndef LIVE_CHILD_H
#define LIVE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct err;

#define CHILD_STREAMS 2

struct child {
	pid_t pid; /* of the command and its group; 0: it is not running */
	struct child_stream {
		int from; /* what it writes, or -1 */
		int to;   /* where that goes */
		bool pty;
	} streams[CHILD_STREAMS];
	int n_streams; /* 1: both go to the same place, in their order */
	int tty;       /* the controlling terminal, or -1 */
	bool in_front; /* it has the terminal, which was ours */
	int failure;   /* errno of exec; 0: it runs */
};

/* mask: the signals that are blocked in it. Call once, before any thread. 0
 * also when exec failed; -1 with e set: no process or no pipe. Release in
 * every case. */
int child_start(
    struct child *c, char *const *argv, const sigset_t *mask, struct err *e);
void child_release(struct child *c);

/* To all of its group. */
void child_signal(const struct child *c, int number);
/* To every process that is a child of this one, but except; how many. */
int child_signal_orphans(int number, pid_t except);
/* The terminal's size, when it is not what it was. */
void child_resize(const struct child *c);
/* It has stopped: give the terminal back and stop, too, until continued. */
void child_stop_too(const struct child *c);
/* After that. */
void child_go_on(const struct child *c);
/* It has ended: the terminal is ours again. */
void child_back(const struct child *c);

#endif
