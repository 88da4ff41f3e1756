/*
 * The answer for one job. It owns the findings of the job's logs; what it
 * points to lies in them or in the taxonomy.
 */
#ifndef DIAGNOSE_DIAGNOSIS_H
#define DIAGNOSE_DIAGNOSIS_H

#include "diagnose/decision/usage.h"
#include "diagnose/findings.h"
#include "diagnose/job_facts.h"
#include "rules/taxonomy.h"

struct job_record;

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* How a job that is not known to have failed has ended; ending.c finds it. */
enum ending {
	ENDING_UNKNOWN, /* it failed, or there is nothing to tell it by */
	ENDING_PROVEN,  /* well: its record, its exit status or a log says so */
	ENDING_UNPROVEN, /* no failure is seen, nor a proof that there is none
			  */
	ENDING_CUT,      /* a log stops in the middle of something */
	ENDING_RUNNING,  /* not yet */
	ENDING_COUNT
};

/* A thing seen, and what it was taken for. */
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

struct diagnosis {
	char *job;    /* owned: the record's id, or as the path calls it */
	int attempt;  /* from 1 */
	char *key;    /* owned: what tells it from other jobs, its folder
		       * included; or NULL */
	char *lookup; /* owned: by which its record was looked for; or NULL */
	const struct job_record *record; /* borrowed, or NULL: none known */
	struct job_record *own_record; /* owned: record is this copy; or NULL */
	struct job_facts facts;
	struct usage usage;
	struct findings **logs; /* owned, in the order in which they came */
	size_t n_logs;
	int failed; /* 1, 0, or -1: cannot tell */
	enum ending ending;
	const struct category *category; /* NULL: none or unknown */
	enum confidence confidence;
	enum verdict verdict;
	struct adjust adjust;
	const struct policy_row *policy; /* which gave the verdict, or NULL */
	struct history history;
	char *reason;            /* owned, one sentence */
	const struct rule *rule; /* or NULL */
	char fingerprint[17];    /* hex, "" for none */
	struct proofs evidence, consequences, rejected;
	char **notes; /* owned strings */
	size_t n_notes;
};

/* "none", "unknown", or the category's id. */
const char *diagnosis_category(const struct diagnosis *d);
const char *confidence_name(enum confidence c);
/* "proven", ...; NULL for ENDING_UNKNOWN. */
const char *ending_name(enum ending e);

/* Takes over the job's logs (the array and what it holds). job is copied. -1
 * with e set: out of memory; the logs are freed then. */
int diagnosis_init(struct diagnosis *d, const char *job, int attempt,
    struct findings **logs, size_t n_logs, struct err *e);
void diagnosis_release(struct diagnosis *d);
int diagnosis_note(struct diagnosis *d, const char *text);
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
int proofs_add(struct proofs *p, struct proof proof);

/* rank.c: find the root failure: fills in everything but the verdict. */
int rank_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e);

/* ending.c: how sure it is that it did not fail: ending, and of a job that
 * rank_job did not find to have failed, failed and confidence. */
int ending_find(struct diagnosis *d, struct err *e);
/* The job is known to go on, whatever its logs say. */
void ending_running(struct diagnosis *d);
/* What a log stops in the middle of, for a sentence; "" for CUT_NO. */
const char *ending_cut_words(enum cut cut);
/* The first log that stops so, or NULL. */
const struct findings *ending_cut_log(const struct diagnosis *d);

/* verdict.c: what to do about it: verdict, adjust and reason, by the policy.
 * history.c judges it again when earlier attempts are known. */
int verdict_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e);

#endif
