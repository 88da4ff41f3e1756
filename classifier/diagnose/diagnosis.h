/*
 * The answer for one job. It owns the findings of the job's logs; what it
 * points to lies in them or in the taxonomy.
 */
#ifndef DIAGNOSE_DIAGNOSIS_H
#define DIAGNOSE_DIAGNOSIS_H

#include "diagnose/decision/ending.h"
#include "diagnose/decision/goodput.h"
#include "diagnose/decision/proof.h"
#include "diagnose/decision/usage.h"
#include "diagnose/findings.h"
#include "diagnose/job_facts.h"
#include "rules/taxonomy.h"

struct job_record;
struct usual;

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* What is asked of the scheduler when the verdict is adjust. */
struct adjust {
	const char *exclude_node;          /* or NULL */
	double memory_factor, time_factor; /* 0: not asked for */
	const char *from_checkpoint;       /* or NULL */
	long delay_seconds;                /* 0: none */
};

/* What the job's earlier attempts tell; history.c fills it in. */
struct history {
	bool known;         /* earlier attempts were looked for */
	int attempts;       /* earlier ones that are known */
	int same_cause;     /* failures with this fingerprint in a row without
			     * progress, this one included */
	int same_place;     /* of these, at this step or with this artefact */
	int retries;        /* of the job so far, as far as known */
	int retries_left;   /* before a budget is used up; -1: no bound */
	bool progress;      /* since the last failure of this kind */
	long delay_seconds; /* before the next attempt, backoff included */
};

/* Sentences about one answer. */
#define BECAUSE_MAX 8

/* A line that no known good run prints; see decision/usual.h. */
struct lead {
	const char *path; /* of its log; borrowed */
	uint64_t line;
	int rank;   /* or -1 */
	char *text; /* owned */
};

/* In order; v NULL: nobody looked for them. */
struct lead_list {
	struct lead *v; /* owned: the first and the last of them */
	size_t n;
	uint64_t lines; /* how many there are, each template once */
	size_t runs;    /* good runs of the job's name that are known */
};

struct diagnosis {
	char *job;     /* owned: the record's id, or as the path calls it */
	int attempt;   /* from 1 */
	char *cluster; /* owned: whose id it is; or NULL: not told */
	char *key;     /* owned: what tells it from other jobs, its folder
			* included; or NULL */
	bool placed;   /* no record, cluster or user told its id, but a path: an
			* equal id elsewhere is another job's */
	char *lookup;  /* owned: by which its record was looked for; or NULL */
	const struct job_record *record; /* borrowed, or NULL: none known */
	struct job_record *own_record; /* owned: record is this copy; or NULL */
	struct job_facts facts;
	struct usage usage;
	struct goodput goodput;
	struct findings **logs; /* owned, in the order in which they came */
	size_t n_logs;
	int failed; /* 1, 0, or -1: cannot tell */
	enum ending ending;
	const struct category *category; /* NULL: none or unknown */
	enum confidence confidence;
	const char *because[BECAUSE_MAX]; /* static: why it is the answer, and
					   * what makes it less sure */
	size_t n_because;
	enum verdict verdict;
	bool unsure_stop; /* the policy stops it, but the answer is not sure
			   * enough: the verdict is one retry */
	struct adjust adjust;
	const struct policy_row *policy; /* which gave the verdict, or NULL */
	struct history history;
	char *reason;            /* owned, one sentence */
	const struct rule *rule; /* or NULL */
	char fingerprint[17];    /* hex, "" for none */
	struct proofs evidence, consequences, rejected;
	const struct usual *usual; /* what good runs print; or NULL */
	struct lead_list leads;
	char **notes; /* owned strings */
	size_t n_notes;
};

/* Whether an answer by it leaves open what failed: it is a fallback,
 * `unexplained`, or knows the class of an error only and is known to be wrong
 * more often (`generic` without weight, `confidence` below high). */
bool diagnosis_open_rule(const struct rule *r);
/* "none", "unknown", or the category's id. */
const char *diagnosis_category(const struct diagnosis *d);
const char *diagnosis_confidence_name(enum confidence c);
/* Where its logs lie, as a part of its identity: the key but for attempt and
 * job. .p NULL: its id is enough. */
struct span diagnosis_place(const struct diagnosis *d);

/* Whether the log of a node (jobs/nodes.h) tells the root failure. */
bool diagnosis_by_node(const struct diagnosis *d);

/* Takes over the job's logs (the array and what it holds). job is copied. -1
 * with e set: out of memory; the logs are freed then. */
int diagnosis_init(struct diagnosis *d, const char *job, int attempt,
    struct findings **logs, size_t n_logs, struct err *e);
void diagnosis_release(struct diagnosis *d);
/* Once for equal texts. -1: out of memory. */
int diagnosis_note(struct diagnosis *d, const char *text);
#endif
