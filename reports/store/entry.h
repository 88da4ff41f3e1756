/*
 * One diagnosis as the reports see it: flat, and small enough to hold 100,000
 * of them. It is filled from the diagnosis itself, or read from the JSON object
 * of "jobtriage.diagnosis/1" where that comes from a file or a store; both give
 * the same. Strings are valid UTF-8, may hold anything a log holds, and live in
 * the arena they were put into, so that the report compares pointers before
 * bytes; NULL when not known.
 */
#ifndef REPORTS_ENTRY_H
#define REPORTS_ENTRY_H

#include "base/arena.h"
#include "base/text.h"
#include "diagnose/diagnosis.h"

struct err;
struct json;

/* A line that the answer rests on, or that followed from it. */
struct entry_proof {
	const char *path, *node, *rule, *text, *why;
	int64_t line, rank, count; /* -1: not known */
	int64_t time;              /* or ENVELOPE_NO_TIME */
};

/* A warning about how the training went; nothing of it is NULL. */
struct entry_trend {
	const char *rule, *title, *text, *metric;
};

/* The curve of what is warned of. */
struct entry_curve {
	const char *title, *points; /* values with a blank between */
};

/* What the program had answered where a person said otherwise, and who did;
 * see judge/judgement.h. */
struct entry_judged {
	const char *by, *note; /* or NULL */
	int64_t at;
	const char *category;
	enum verdict verdict;
	bool of_category, of_verdict; /* which the person spoke of */
};

/* What its time went into; see struct goodput. -1: not asked for, or not known.
 */
struct entry_goodput {
	int64_t spent[PHASE_COUNT], unsaved;
	int64_t first_epoch, first_step, last_epoch, last_step, epoch_steps;
};

struct entry {
	const char *job, *cluster, *place; /* together its identity: see struct
					    * diagnosis */
	const char *user, *group, *image, *name, *partition, *state;
	int64_t attempt;      /* from 1 */
	int failed;           /* 1, 0, or -1: cannot tell */
	const char *ending;   /* as ending_name */
	int64_t launches;     /* that its logs hold; 0: one each */
	const char *category; /* "none", "unknown" or an id; never NULL */
	const char *category_name, *dimension, *family, *rule, *fingerprint;
	const char *stage, *framework, *reason, *checkpoint;
	const char *taxonomy; /* hash of the rules */
	const char *path;     /* of its first log */
	const char *node; /* where the root failure was printed; the record's
			   * node when the job had just one; else NULL */
	enum confidence confidence;
	enum verdict verdict;
	int64_t submitted, started, ended; /* or ENVELOPE_NO_TIME */
	int64_t seen; /* when the store first saw it, or ENVELOPE_NO_TIME */
	int64_t gpus, seconds, gpu_seconds, lost; /* or USAGE_UNKNOWN */
	int64_t cpu_seconds, cpu_lost; /* likewise; of one without GPUs */
	int64_t last_step;             /* or -1 */
	struct entry_goodput goodput;
	bool estimated;
	bool node_log; /* the log of a node tells its root failure */
	bool has_record, has_log;
	const char **nodes; /* of the record; in the arena */
	size_t n_nodes;
	const char **rules; /* ids that gave evidence, root or not */
	size_t n_rules;
	struct entry_proof *evidence, *consequences; /* the first few */
	size_t n_evidence, n_consequences;
	const char **remedies, **notes;
	size_t n_remedies, n_notes;
	struct entry_trend *trends;
	struct entry_curve *curves;
	size_t n_trends, n_curves;
	/* a person's word stands in it; NULL as it is read */
	const struct entry_judged *judged;
	/* of a failure that no rule names; reports/groups/headline.h */
	const char *template_id, *template_text, *raisers;
	const char *frame; /* "train.py:12 in main: loss.backward()" or NULL */
};

/* -1 with e set: out of memory. */
int entry_fill(struct entry *en, const struct diagnosis *d,
    const struct taxonomy *tax, struct arena *p, struct err *e);

/* 0; -1 with e set: not such an object, or out of memory. */
int entry_read(struct entry *en, const struct json *record, struct arena *p,
    struct err *e);

/* Whether a job of that cluster, user and place may be the one of b, which has
 * its name. What is not known (NULL) is no difference. */
struct entry_owner {
	const char *cluster, *user, *place;
};
bool entry_same(const struct entry_owner *a, const struct entry_owner *b);

/* Whose jobs are wanted; NULL: everybody's. */
struct entry_whose {
	const char *cluster, *user, *account;
};
bool entry_wanted(const struct entry *en, const struct entry_whose *w);

/* What a failure is listed under: its category, or ENTRY_NO_LOG where its
 * record alone tells of it, and not why. */
#define ENTRY_NO_LOG "no_log"
#define ENTRY_NO_LOG_WORDS "Failed, no log"
const char *entry_category(const struct entry *en);
/* How an entry that did not fail has ended, for those that lack the fact. */
enum ending entry_ending(const struct entry *en);

/* When it was: its end, else its start; ENVELOPE_NO_TIME when its log and its
 * record tell neither. */
int64_t entry_when(const struct entry *en);
/* What decides in which period it counts: when it was, else when the store
 * first saw it; ENVELOPE_NO_TIME when that is not known either. */
int64_t entry_counted(const struct entry *en);
/* Where the root failure was printed, else the first log, or NULL; and the line
 * there, or -1. */
const char *entry_log(const struct entry *en);
int64_t entry_line(const struct entry *en);

#endif
