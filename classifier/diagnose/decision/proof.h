/*
 * What a diagnosis rests on: a piece of evidence or a block, and what it was
 * taken for.
 */
#ifndef DIAGNOSE_PROOF_H
#define DIAGNOSE_PROOF_H

#include "diagnose/findings.h"

struct proof {
	const struct findings *log;
	const struct evidence *evidence; /* NULL: a block that no rule knows */
	const struct event *event;       /* NULL: a single line */
	const char *why;                 /* static */
	uint64_t count;                  /* how often, over the whole job */
};

struct proofs {
	struct proof *v;
	size_t n, cap;
};

/* What the rule says of the code that its first group read (an Xid, an exit
 * status); borrowed, or NULL. */
const char *proof_meaning(const struct proof *p);
/* The progress printed before it. */
struct progress proof_before(const struct proof *p);
/* The rank that printed it, or -1. */
int proof_rank(const struct proof *p);
/* Of the exception itself, where it has a line of its own. */
uint64_t proof_line(const struct proof *p);
int64_t proof_time(const struct proof *p);
/* What it says. */
struct span proof_text(const struct proof *p);
/* The node a proof was printed on; borrowed, or NULL. */
const char *proof_node(const struct proof *p);
/* -1: out of memory. */
int proofs_add(struct proofs *p, struct proof proof);

#endif
