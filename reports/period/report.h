/*
 * The report of a period: every diagnosis counted in it, added up, beside the
 * period of equal length before it. Built once, written by any format.
 *
 * A row counts attempts, since an attempt is what burns GPU time; `jobs` counts
 * distinct jobs. GPU time is in whole GPU-seconds everywhere; formats print
 * GPU-hours.
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "reports/groups/group.h"
#include "reports/store/entry.h"
#include "rules/taxonomy.h"

#include <stdio.h>

struct err;
struct json;

struct sums {
	uint64_t attempts, jobs;    /* jobs: distinct ids among the attempts */
	uint64_t failed;            /* attempts */
	uint64_t unmeasured;        /* attempts whose GPU time is not known */
	uint64_t estimated;         /* ... is estimated from the log */
	int64_t gpu_seconds;        /* consumed by all attempts */
	int64_t failed_gpu_seconds; /* consumed by the failed ones */
	int64_t lost;      /* since the last durable checkpoint, failed ones */
	int64_t avoidable; /* by attempts after one with the same fingerprint
			    * and the verdict stop */
	/* Of failed attempts whose records say that they had no GPUs */
	int64_t failed_cpu_seconds, cpu_lost;
};

/* One value of what a breakdown goes by: one category, one user, one day. */
struct group {
	const char *key;   /* id; never NULL */
	const char *label; /* for people; never NULL */
	struct sums now, before;
};

enum breakdown_id {
	BY_DAY, /* every attempt; keys are YYYY-MM-DD, every day of the period
		 */
	BY_CATEGORY, /* failed attempts, as are the next six */
	BY_DIMENSION,
	BY_FAMILY,
	BY_STAGE,
	BY_VERDICT,
	BY_RULE,
	BY_CONFIDENCE,
	BY_STATE, /* every attempt, as are the next six */
	BY_USER,
	BY_GROUP,
	BY_IMAGE,
	BY_PARTITION,
	BY_CLUSTER,
	BY_NODE, /* a node counts each attempt that ran on it; its failed ones
		  * are those whose root failure was printed on it */
	BREAKDOWN_COUNT
};

struct breakdown {
	const char *id, *title; /* "category", "Categories" */
	struct group *v; /* most failed attempts first; days in their order */
	size_t n;
};

/* One cause over many jobs: failures of one kind that came close together, over
 * more users than their rate in the rest of both periods makes likely; the same
 * again within days, and others of its category at the same time. A user's own
 * bug is none, unless it is handed in again and again for days. */
enum incident_scope {
	INCIDENT_PLATFORM, /* several users */
	INCIDENT_NODE,     /* of several users, nearly always on one node */
	INCIDENT_USER,     /* one user, for days */
	INCIDENT_UNKNOWN   /* no user is known */
};

struct incident {
	enum incident_scope scope;
	const char *fingerprint;     /* the most frequent kind's */
	bool kinds;                  /* it has others, too */
	const struct entry *sample;  /* its first failure */
	int64_t first, last;         /* when */
	uint64_t jobs, users, nodes; /* distinct */
	const char *user, *node;     /* the one, or NULL */
	struct sums sums;
};

/* A node where jobs die first, against the same failures elsewhere. */
struct node_row {
	const char *node;
	uint64_t ran;       /* attempts that ran on it; 0: not known */
	uint64_t first;     /* failed attempts whose root was printed on it */
	uint64_t jobs;      /* distinct among them */
	uint64_t node_log;  /* of first: the node's own log told the root */
	uint64_t elsewhere; /* failures with the same fingerprints whose root
			     * was printed on other nodes */
	uint64_t ran_elsewhere;
	/* Of its most telling kind of failure (a fingerprint or a category):
	 * failing jobs here and elsewhere. */
	uint64_t kind, kind_elsewhere;
	/* Failing jobs per attempt that ran, here without the first one, to
	 * elsewhere. HUGE_VAL when none elsewhere; 0: none, or cannot be
	 * told. A job counts once on a node: one that dies ten times there is
	 * one witness. */
	double ratio;
	/* 3 such jobs or more, ratio of at least 3, and unlikely by chance:
	 * were all nodes alike, any kind on any of them would show as much
	 * with a probability of less than 1 % (Poisson). */
	bool suspect;
	const char *category; /* of that kind, else of most of them */
	const struct entry *sample;
};

/* One kind of failure, a fingerprint, that the period has. */
struct failure {
	const char *fingerprint;
	const char *message; /* what its messages have in common, with <*> for
			      * what differs between them; never NULL */
	const struct entry *sample; /* the latest one */
	int64_t first;  /* as far back as is known, or ENVELOPE_NO_TIME */
	int64_t last;   /* in the period, likewise */
	int64_t silent; /* microseconds without one before it came back, the
			 * longest such time; 0: it did not */
	bool fresh;     /* not seen before the period */
	uint64_t users; /* distinct */
	struct sums sums;
};

/* What is known of a failure from before the period. */
struct report_past {
	/* 0: when has its first and its last time, or ENVELOPE_NO_TIME as it
	 * was; -1 with e set. */
	int (*ask)(
	    void *ctx, const char *fingerprint, int64_t when[2], struct err *e);
	void *ctx;
	bool any; /* it knows of anything before the period */
};

/* A fingerprint that was not known before the period, or an unknown failure. */
struct news {
	const char *fingerprint; /* or NULL */
	const struct entry *sample;
	uint64_t attempts, jobs, users;
	int64_t first;
	int64_t failed_gpu_seconds;
};

/* The failed attempts of some days up to the end of the period, as a store adds
 * them up: a log that was read twice may count twice. */
#define RECENT 3
#define RECENT_CATEGORIES 5

struct recent_category {
	const char *category, *label;
	uint64_t failed, jobs;
	int64_t lost;
};

struct recent {
	unsigned days; /* 1 is the period itself */
	int64_t since;
	int64_t begins;        /* when the store does, which may be later */
	uint64_t failed, jobs; /* jobs: distinct, with a failed attempt */
	int64_t lost;          /* GPU-seconds */
	struct recent_category categories[RECENT_CATEGORIES];
	size_t n_categories; /* the most frequent ones */
};

struct rule_row {
	const struct rule *rule; /* NULL: of another taxonomy */
	const char *id;
	uint64_t won;     /* failures it explained */
	uint64_t seen;    /* attempts in which it gave evidence */
	uint64_t on_good; /* ... that ended well */
	/* Its health, of the attempts whose answer it was: */
	uint64_t answered;
	uint64_t right, wrong;    /* as persons say */
	uint64_t stops, refuted;  /* that an attempt followed; got further */
	uint64_t retries, helped; /* likewise, with or without a change */
	int64_t burnt;            /* GPU-seconds of retries that did not help */
	/* GPU-seconds of what speaks against it: attempts that persons say it
	 * was wrong about, those that its stops would have forbidden although
	 * they got further, and burnt ones where no retry ever helped */
	int64_t cost;
};

/* A rule's answers of one month. */
struct rule_month {
	const char *rule;
	int64_t month; /* 12 * year + month - 1; -1: undated */
	uint64_t answered, right, wrong;
};

struct report_options {
	int64_t since, until;    /* microseconds UTC; ENVELOPE_NO_TIME: open */
	int64_t now;             /* when it is made */
	int64_t incident_window; /* seconds without a failure end an incident */
	uint64_t incident_jobs;  /* fewer are no incident */
	int64_t silence; /* seconds after which a failure came back; 0: none */
	struct entry_whose whose;
	const struct decisions *said; /* of groups of failures; or NULL */
	const char *zone; /* its name, for the reader: days are days there */
	/* A time as that zone's clocks show it, taken for UTC; NULL: UTC. */
	int64_t (*local)(int64_t micros);
};

struct report {
	const struct taxonomy *tax;
	struct report_options options;
	int64_t first, last; /* counted at, over all entries */
	struct sums now, before;
	bool has_before;         /* the period before has entries */
	uint64_t jobs_failed;    /* jobs whose last attempt failed */
	uint64_t jobs_recovered; /* failed first, a later attempt did not */
	uint64_t ended_well, cannot_tell; /* attempts; of the latter: */
	uint64_t unproven, cut, running;  /* see enum ending */
	uint64_t launched; /* attempts whose logs hold several launches; */
	uint64_t launches; /* these */
	uint64_t no_log, no_record; /* attempts without one */
	uint64_t undated;  /* counted, but on no day: of no known time */
	uint64_t refused;  /* lines that were no diagnosis */
	uint64_t judged;   /* attempts that count as a person said */
	uint64_t node_log; /* failed attempts whose root a node's log tells */
	struct breakdown breakdowns[BREAKDOWN_COUNT];
	bool several_clusters;      /* a job's number alone does not name it */
	struct incident *incidents; /* most GPU time first */
	size_t n_incidents;
	struct node_row *nodes; /* suspects first, then by first */
	size_t n_nodes;
	struct failure *failures; /* most GPU time lost first */
	size_t n_failures;
	size_t n_back;      /* of these, those that came back */
	struct news *fresh; /* not known before; most GPU time first */
	size_t n_fresh;
	struct recent recent[RECENT]; /* of a day's report */
	size_t n_recent;
	bool history;         /* whether `fresh` rests on a store */
	bool compared;        /* whether anything is known of the time before */
	struct news *unknown; /* failures no rule explains */
	size_t n_unknown;
	struct groups unnamed;  /* failures that no rule names */
	struct rule_row *rules; /* every rule that was seen, by won, then id */
	size_t n_rules;
	/* those that something speaks against, most GPU time first */
	struct rule_row **mend;
	size_t n_mend;
	struct report_goodput *goodput; /* goodput.h; NULL: nothing is known */
	struct rule_month *months;      /* by rule and month */
	size_t n_months;
	const char **never; /* rules of the taxonomy that gave nothing */
	size_t n_never;
	const struct entry **entries; /* of the period, by time, job, attempt */
	size_t n_entries;
	/* per entry, same order: GPU-seconds that a stop would have saved */
	int64_t *avoidable;
	bool *is_last;       /* likewise: the last attempt of its job */
	struct arena *arena; /* all of the above lies in it */
};

/* The cluster by which lists have to name the job, or NULL. */
const char *report_cluster(const struct report *r, const struct entry *en);

/* A time in the report's zone, taken for UTC. */
int64_t report_local(const struct report *r, int64_t micros);

/* Whether it answered three retries or more, of which none helped. */
bool report_rule_vain(const struct rule_row *row);
/* A rule's part of the report's JSON; NULL: out of memory. */
struct json *report_rule_json(
    const struct report *r, const struct rule_row *row);
/* A rule's months, in order; NULL with *n 0: it answered nothing. */
const struct rule_month *report_rule_months(
    const struct report *r, const char *rule, size_t *n);

struct judgements;
struct report_builder;

struct report_builder *report_begin(
    const struct taxonomy *tax, const struct report_options *o, struct err *e);
/* Count one diagnosis; one that lies in neither period is passed over. */
int report_add(
    struct report_builder *b, struct span record, int64_t seen, struct err *e);
/* The same of an entry's brief form. */
int report_add_brief(
    struct report_builder *b, struct span brief, int64_t seen, struct err *e);
/* What persons said counts in the place of the answers; borrowed until
 * report_end. */
void report_judge(struct report_builder *b, struct judgements *all);
/* A line that is no diagnosis. */
void report_refuse(struct report_builder *b);
/*
 * Add everything up. past: of a store, or NULL: then only the period before is
 * looked at. The builder is gone afterwards. NULL with e set: out of memory, or
 * what was asked of the past failed. Free with report_free.
 */
struct report *report_end(
    struct report_builder *b, const struct report_past *past, struct err *e);
void report_free(struct report *r);

/* The counts of a report, by the names that programs know them by. */
#define REPORT_COUNTS 15
struct report_count {
	const char *key;
	uint64_t n;
};
void report_counts(
    const struct report *r, struct report_count out[REPORT_COUNTS]);
const char *report_scope_name(enum incident_scope s);
/* The line that shows what it is about, or NULL: the first piece of evidence,
 * else the template of what its log says last. */
const char *report_said(const struct entry *en);

/* ---- formats: one file each ---- */

/* A log whose path begins with `strip` is at `add` and the rest of its path; a
 * path that begins with '/' needs a strip that does. */
struct log_link {
	const char *strip, *add;
};

struct report_style {
	bool colour;
	unsigned width;    /* of the terminal, or 0 */
	size_t top;        /* rows of a list; the rest is one row "others" */
	const char *study; /* whose view instead, by study.h; or NULL */
	const char *title;
	const struct log_link *links; /* of HTML; none: logs are only named */
	size_t n_links;
};

struct report_format {
	const char *name, *help;
	bool study; /* whether it has the study's view */
	bool whole; /* it shows more of an entry than its brief form has */
	int (*write)(const struct report *r, const struct report_style *s,
	    FILE *f, struct err *e);
};

extern const struct report_format report_text, report_markdown, report_json,
    report_csv, report_prometheus, report_html;

/* Borrowed, or NULL. */
const struct report_format *report_format_find(const char *name);

#endif
