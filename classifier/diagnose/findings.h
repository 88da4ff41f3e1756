/*
 * What was found in one log: events (tracebacks and other blocks), the evidence
 * that rules saw in them or in single lines, and facts. Bounded by the limit
 * table, and small: findings outlive the log they come from.
 */
#ifndef DIAGNOSE_FINDINGS_H
#define DIAGNOSE_FINDINGS_H

#include "base/hash.h"
#include "base/text.h"
#include "input/envelope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calls;
struct excerpt;
struct metrics;
struct phases;
struct rule;

enum event_kind {
	EVENT_TRACE, /* a Python traceback */
	EVENT_BARE,  /* a line that has the shape of an exception */
	EVENT_BLOCK  /* another multi-line report: C++, Java, Go, Rust, ... */
};

/* How an exception is tied to the one before it. */
enum chain {
	CHAIN_NONE,
	CHAIN_CAUSE,    /* "direct cause": the earlier one is the cause */
	CHAIN_HANDLING, /* "during handling": came up while handling it */
	CHAIN_ORIGINAL  /* this one is the original of the earlier wrapper */
};

struct frame {
	char *file, *function, *code; /* owned, or NULL */
	int64_t line;
};

/* Where a Python exception came up, as far as its traceback shows it. */
struct arose {
	/* hashes of the names of the outermost and the innermost frame, which
	 * of an exception that was handled are that of the handler and that of
	 * what failed; 0: not known */
	uint64_t outer, inner;
	unsigned frames;
	bool tidying; /* a frame is of a function that tidies up */
	/* by a statement of the innermost frame that raises it, or otherwise */
	enum { RAISED_UNKNOWN, RAISED_BY_STATEMENT, RAISED_OTHERWISE } how;
};

/* The parts of a job's life that the study tells apart. */
enum stage {
	STAGE_UNKNOWN,
	STAGE_INITIALIZATION,
	STAGE_DATA,
	STAGE_TRAINING, /* validation too */
	STAGE_EVALUATION
};

/* Position in a training run; -1: not known. Compared by
 * findings_progress_after. */
struct progress {
	int64_t epoch, step;
};

/* What a log stops in the middle of. */
enum cut {
	CUT_NO,
	CUT_BAR,   /* a progress bar that is not full */
	CUT_TRACE, /* a traceback without its exception */
	CUT_LINE,
	CUT_OPEN /* while the log is read: a line without an end */
};

/* Whether the findings are of the log of a node that the job ran on: what it
 * tells of faults of the node in the time before the job died. */
enum of_node {
	NODE_NOT,
	NODE_LIKELY, /* such a fault need not end a job, or it may have come
		      * up after it */
	NODE_SURE
};

#define EVENT_NONE UINT32_MAX

struct event {
	enum event_kind kind;
	enum chain chain;
	uint32_t prior; /* the event it is chained to, or EVENT_NONE */
	uint64_t first_line, last_line;
	uint64_t message_line; /* of the exception itself; 0: none */
	uint64_t offset;       /* raw bytes before its first line */
	uint64_t end;          /* raw bytes before its last line */
	int64_t time;          /* or ENVELOPE_NO_TIME */
	int rank;              /* or -1 */
	char *node;            /* owned, or NULL */
	char *exception;       /* "Type: message", cut to 1 KiB, or NULL */
	struct frame frame;    /* the user's own, innermost */
	char *raisers;         /* owned: the innermost frames, or NULL */
	uint64_t program; /* a hash of the file of its outermost frame; 0: not
			   * known */
	struct progress before; /* progress printed before it */
	enum stage stage;       /* that words printed since then name */
	bool warning;           /* logged at a level below error */
	bool information;       /* even below warning */
	bool ignored;    /* "Exception ignored in" and its like, see trace.c */
	bool request;    /* ended a server's request, but it goes on: ignored */
	bool uncaught;   /* its outermost frame is the main program */
	bool handled;    /* its outermost frame is a function of the user's: who
			  * called that one caught it, and printed it */
	bool logged;     /* below a record of its program's logger, that of an
			  * error: by who caught it, or who ended of it */
	bool joined;     /* its exception stands on no line: it was broken to
			  * fit, or written with its ends escaped */
	bool user_frame; /* frame is the user's, not a library's */
	bool thread;     /* raised in a secondary thread */
	bool last;       /* a program's last words, which no form marks */
	bool cell;      /* raised in a notebook's cell, whose kernel lives on */
	bool explained; /* a rule has matched it, kept or not */
	bool complete;  /* a traceback that has its exception */
	unsigned frames; /* what stage_frame says of all its frames */
	uint64_t raised; /* what facts_file tells of the innermost one */
	struct arose arose;
	struct excerpt *around; /* owned; NULL: not kept */
};

struct capture {
	const char *name; /* borrowed from the rule */
	char *value;      /* owned */
};

struct evidence {
	const struct rule *rule;
	uint32_t pattern; /* which of the rule's, from 0 */
	uint32_t least;   /* bytes that every match of it has at least */
	uint32_t event;   /* the block it stands in, or EVENT_NONE */
	int rank;         /* or -1 */
	enum stage stage; /* that words printed after before name */
	bool warning;     /* logged at a level below error */
	bool information; /* even below warning */
	int aside;        /* enum signal_aside: of what the job is not for */
	uint64_t line, offset;
	int64_t time;           /* or ENVELOPE_NO_TIME */
	int64_t uptime;         /* microseconds since its machine's boot, -1 */
	char *node;             /* owned, or NULL */
	struct progress before; /* progress printed before it */
	char *text;             /* owned; the matched text, at most 1 KiB */
	size_t text_len;
	size_t match_from, match_to; /* the match in text */
	struct capture *captures;    /* owned */
	size_t n_captures;
	uint32_t count;       /* matches of the rule that this one stands for */
	struct progress here; /* that its text prints */
	uint32_t next;        /* while the log is read: as rule_state.first */
	struct excerpt *around; /* owned; NULL: not kept, or in the event */
};

/* One run of a program, of several that a log holds. */
struct launch {
	uint64_t first_line, last_line;
	uint64_t first_step; /* the line of its first step; before it, steps
			      * that were printed are of the one before */
	int64_t first_time, last_time; /* or ENVELOPE_NO_TIME */
	bool stub;       /* the log ends a few lines after it has begun */
	bool ended_well; /* its last lines say so */
	bool trial;      /* one run of many that are meant to differ, not a
			  * new attempt at the same */
	bool result;     /* it begins behind the result of one of these */
	bool likely;     /* what tells of it, another program prints, too */
	bool recalled;   /* told only by what was printed before */
	bool work;       /* that is told to go on, not only to begin */
	const struct rule *rule; /* what it tells of its end; or NULL */
};

/* A rank that waits in a collective operation, as its watchdog tells. */
#define WAIT_OP 24
struct wait {
	int rank;
	int64_t seq;
	char op[WAIT_OP]; /* cut to fit */
};

/* A checkpoint that is being written; checkpoint.c decides whether it was. */
struct pending {
	char *what;    /* owned: its path, or the line */
	uint64_t line; /* of the last word about it */
	int64_t time;  /* or ENVELOPE_NO_TIME */
	struct progress at;
	int rank;
	bool path;  /* what is a path */
	bool later; /* the run goes on while it is written */
};

/* What a log tells of GPUs; 0: nothing. gpus.c makes a number of it. */
struct gpu_clues {
	bool used, denied; /* it says that GPUs are in use, that none is */
	bool sure;         /* in use, whatever else it says */
	int total;         /* of the job */
	int world;         /* processes of the job, one a GPU if any */
	int nodes;         /* of the job */
	int processes;     /* of a node */
	int granted;       /* to the job on a node */
	int visible;       /* to a program on a node */
	int batch, micro_batch, accumulate; /* their quotient is the total */
	uint64_t listed; /* bits: the numbers of a node's GPUs */
};

/* One of a log's last lines, and the first of these that is of its kind. */
struct recurring {
	uint64_t line, first;
};

/* What the job itself says of its end; of several words the last. */
struct declared {
	char *reason;   /* owned; NULL: it says nothing */
	char *category; /* as it calls it, or NULL */
	enum { DECLARED_UNSAID, DECLARED_YES, DECLARED_NO } retry;
	uint64_t line; /* 0: in no log */
};

/* Those of all the logs of an archive are held at once: its size counts. */
struct findings {
	char *path;      /* as printed */
	char *node;      /* from its path, or NULL */
	int rank;        /* of the whole log, from its path, or -1 */
	bool whole;      /* its end was reached */
	bool ended_well; /* its last lines say so */
	bool growing;    /* it is still written */
	bool failed;     /* memory ran out: something of it is missing */
	bool no_text;    /* it is something else than text */
	bool torn_file;  /* it begins as an error.json and is no JSON */
	enum cut cut;
	bool parallel;  /* several processes may have written it */
	bool peers;     /* and a launcher started them, no program of its own */
	bool of_record; /* no log: the words of a job record */
	enum of_node of_node;
	struct event *events;
	size_t n_events, cap_events;
	struct evidence *evidence; /* in order of lines */
	size_t n_evidence, cap_evidence;
	char **notes; /* damage, limits */
	size_t n_notes;
	uint64_t dropped; /* evidence over the limits */
	size_t limited;   /* notes about limits that left rules out */
	/* facts */
	uint64_t lines, bytes;
	uint64_t ended_line; /* where they do; 0: nowhere */
	bool ended_script;   /* only a script does, which says so always */
	bool ended_failed;   /* they say that some of the work failed */
	/* its lines are another program's, and their level that of who logs */
	bool passed_on;
	/* the last line that says that the work is done; 0: none does */
	uint64_t done_line;
	int64_t done_time; /* or ENVELOPE_NO_TIME */
	/* the last line that says that a server did what it was asked for */
	uint64_t served_line;
	/* a batch system's reports of the jobs of a log: where the last one
	 * begins (0: there is none), and the last line of what is output of a
	 * job that ended well, or older (UINT64_MAX: to the log's end) */
	uint64_t report_line, reported_to;
	bool reported_well;             /* the last report says so */
	struct progress last;           /* the last progress printed */
	uint64_t last_line_of_progress; /* 0: none */
	int64_t progress_time; /* of the last time printed up to there, or
				* ENVELOPE_NO_TIME */
	char *checkpoint;      /* the last checkpoint proved written, or NULL */
	uint64_t checkpoint_line;
	int64_t checkpoint_time;       /* or ENVELOPE_NO_TIME */
	int64_t checkpoint_step;       /* or -1 */
	struct pending *pending;       /* owned, or NULL: none */
	int64_t first_time, last_time; /* or ENVELOPE_NO_TIME */
	const char *framework;         /* static, or NULL */
	int exit_code,
	    signal;         /* that a launcher or the scheduler told, or -1 */
	uint64_t exit_line; /* where exit_code stands */
	int world_size;     /* ranks of the job, or 0 */
	int gpus;           /* GPUs of the job that the log tells of, or 0 */
	struct gpu_clues clues;
	struct declared declared;
	struct hash_value content; /* of its bytes, when that was asked for */
	struct wait *waits;        /* one a rank, the earliest it waits in */
	size_t n_waits;
	struct calls *calls;     /* owned; NULL: it tells of none */
	struct launch *launches; /* owned, in order; none where it is one */
	size_t n_launches;
	char *last_words; /* owned: what it says last, unless it ended well;
			   * or NULL */
	struct recurring *recurring; /* owned, in order */
	size_t n_recurring;
	struct excerpt *tail;    /* its last lines; NULL: not kept */
	struct metrics *metrics; /* owned; NULL: not kept */
	struct phases *phases;   /* likewise */
};

struct findings *findings_new(const char *path, int rank, const char *node);
void findings_free(struct findings *f);

/* Append a zeroed event; its number, or EVENT_NONE: no memory, which is kept
 * in failed, here and below. */
uint32_t findings_event(struct findings *f);
/* Free what an event owns; it is as new then. */
void findings_event_release(struct event *e);
/* Free the texts of a frame; it is empty then. */
void findings_frame_release(struct frame *frame);
/* A copy for f to own. */
char *findings_dup(struct findings *f, struct span text);
/* Append a zeroed piece of evidence; NULL: no memory. Borrowed until the next
 * call. */
struct evidence *findings_evidence(struct findings *f);
void findings_evidence_release(struct evidence *e);
/* Make *to the same with texts of its own, of no event and no node, and without
 * the lines around. 0, or -1: no memory; then, too, to be released. */
int findings_evidence_copy(struct evidence *to, const struct evidence *of);
/* The log has ended: give back the room for more. */
void findings_fit(struct findings *f);
/* Append a note once (the same text is not repeated). */
void findings_note(struct findings *f, const char *text);
/* Keep that a rank waits in a collective. */
void findings_wait(struct findings *f, int rank, int64_t seq, const char *op);
/* About how many bytes the findings hold. */
size_t findings_size(const struct findings *f);

/* The launch that a line belongs to; 0 where the log is one. */
size_t findings_launch_of(const struct findings *f, uint64_t line);
/* A new launch; the first begins with the log. NULL: out of memory. */
struct launch *findings_launch(struct findings *f);
/* The last launch that is no stub: one that has only begun tells nothing. 0
 * where the log is one. */
size_t findings_last_launch(const struct findings *f);
/* Whether a line belongs to a launch before the last one that is no stub: what
 * it tells is not how the job ended. */
bool findings_superseded(const struct findings *f, uint64_t line);
/* Whether the launch of a line was followed by one that is a trial. */
bool findings_of_sweep(const struct findings *f, uint64_t line);

/* Whether a line is one of a traceback's frames or of the source they show. */
bool findings_in_frames(const struct findings *f, uint64_t line);

/* Whether an exception came up while the modules of a program were read, when
 * it had hardly printed anything. */
bool findings_importing(const struct event *e);

/* The value of a capture, or NULL. */
const char *findings_capture(const struct evidence *e, const char *name);

/* Whether a is certainly later in a run than b. Unknown is never later. */
bool findings_progress_after(struct progress a, struct progress b);

#endif
