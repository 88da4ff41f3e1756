/*
 * A thread that reads what the pumps passed on for failures, and watches for
 * events. Private to live/.
 */
#ifndef LIVE_LISTENER_H
#define LIVE_LISTENER_H

#include "base/err.h"
#include "live/pump.h"
#include "live/reading.h"
#include "live/watch.h"

struct listener {
	/* set before listener_start; borrowed */
	struct reading *reading;
	struct watch *watch; /* or NULL: nothing is watched for */
	struct queue *queue;
	const struct pump *pumps;
	int n_pumps;
	int wake; /* a byte is written there for each event and at the end */
	struct live_event *events; /* room for each act */
	/* its own */
	pthread_t thread;
	_Atomic size_t n_events; /* of events, that can be read */
	_Atomic bool done;
	bool failed; /* once done: out of memory, e is set */
	struct err e;
};

int listener_start(struct listener *l);

#endif
