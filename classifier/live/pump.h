/*
 * A thread that passes one stream of a command on, until it has ended or cannot
 * be written any more. Private to live/.
 */
#ifndef LIVE_PUMP_H
#define LIVE_PUMP_H

#include "live/child.h"
#include "live/queue.h"

#include <pthread.h>
#include <stdatomic.h>

struct pump {
	/* set before pump_start */
	struct child_stream *way;
	int stream;
	struct queue *queue;
	int log;  /* what was passed on goes there, too; or -1 */
	int quit; /* when it can be read, nothing new will come */
	int wake; /* a byte is written there at the end */
	/* its own */
	pthread_t thread;
	_Atomic bool writing; /* what reads from us may be slow */
	_Atomic bool done;
	bool starved; /* bytes were left out for lack of memory; once done */
	int failure;  /* errno of a write, EPIPE left out; once done */
	int unlogged; /* errno of the first write to the log; once done */
};

/* 0, or -1: no thread. */
int pump_start(struct pump *p);

#endif
