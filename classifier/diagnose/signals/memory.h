/*
 * The figures of an out-of-memory message, in bytes, and what follows from
 * them: whether memory that is reserved but not used would have been enough
 * (fragmentation), and how much other processes hold.
 */
#ifndef DIAGNOSE_MEMORY_H
#define DIAGNOSE_MEMORY_H

#include "diagnose/findings.h"

/* -1: the message does not tell. */
struct memory {
	int64_t requested, total, free, allocated;
	int64_t unallocated; /* reserved by the allocator, but unused */
	int64_t others;      /* neither free nor this process's */
	bool fragmented;     /* unallocated is at least what was requested */
	bool held_by_others; /* others is over half of total, or would have been
				enough for what was requested */
};

/* From the captures requested, total, free, allocated and reserved of a rule.
 * false: the evidence has no such figures. */
bool memory_read(const struct evidence *ev, struct memory *out);

#endif
