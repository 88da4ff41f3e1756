/*
 * The categories, rules and policy, immutable after loading. taxonomy/README.md
 * describes the files. Every string is NUL-terminated, never NULL unless it
 * says so, and lives as long as the taxonomy.
 */
#ifndef RULES_TAXONOMY_H
#define RULES_TAXONOMY_H

#include "base/hash.h"
#include "rules/literals.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct pattern;
struct jsonkeys;
struct prefixes;

enum role {
	ROLE_ROOT,
	ROLE_CONSEQUENCE,
	ROLE_CONFIRMATION,
	ROLE_CONTEXT,
	ROLE_FALLBACK,
	ROLE_COUNT
};

enum where {
	WHERE_LINE,
	WHERE_EXCEPTION,
	WHERE_BLOCK,
	WHERE_LAST, /* the log's last line with words: the prefilter knows
		     * nothing of these */
	WHERE_COUNT
};

enum verdict {
	VERDICT_RETRY,
	VERDICT_ADJUST,
	VERDICT_STOP,
	VERDICT_UNDECIDED,
	VERDICT_NONE,
	VERDICT_COUNT
};

/* Kinds of log a rule may be limited to; bits of rule.sources. */
enum source_kind {
	SOURCE_STDOUT = 1,
	SOURCE_DMESG = 2,
	SOURCE_SCHEDULER = 4,
	SOURCE_ERROR_FILE = 8
};

/* Whose word a line is, when it is not the job's own program that speaks. */
enum speaker {
	SPEAKER_JOB,
	SPEAKER_SCHEDULER,
	SPEAKER_KERNEL,
	SPEAKER_RUNTIME, /* of containers */
	SPEAKER_COUNT
};

/* What a `follows` may hold beside the ids of categories. */
#define FOLLOWS_ANYTHING "anything"
#define FOLLOWS_NOTHING "nothing"
#define FOLLOWS_STEP "earlier_step" /* whatever ended a step before it */
#define FOLLOWS_CELL "earlier_cell" /* or a cell of the same notebook */

/* The family of what a person or the scheduler does. */
#define FAMILY_EXTERNAL "external"

/* The highest of diagnosis.h's enum confidence. */
#define CONFIDENCE_MOST 2

/* Between the words of which one must be there. */
#define TAXONOMY_OR '|'

struct strings {
	char **v;
	size_t n;
};

struct category {
	char *id, *name, *dimension, *family, *description;
	bool in_study;
	enum verdict verdict;
	struct strings remedies;
	struct strings when; /* of each remedy: words with TAXONOMY_OR between,
			      * or "": always */
	struct strings references;
	struct strings follows; /* what its rules' failures may follow from */
};

struct rule {
	char *id, *title;
	size_t number;   /* of n_rules */
	size_t category; /* index; TAXONOMY_NO_CATEGORY for context rules */
	enum role role;
	enum where where;
	bool generic;
	unsigned weight; /* among generic rules on one event the heavier wins */
	bool unexplained; /* tells that something failed, not of what */
	bool lasting;     /* later progress does not excuse it */
	bool alone; /* a confirmation that is the answer where nothing else
		     * speaks */
	bool ends_process; /* what a process says, or what is said of it, as it
			    * ends */
	int confidence; /* the most that an answer by it has: enum confidence */
	enum speaker word_of; /* says that the job ends, unless it is the
			       * job's own */
	/* Expressions: one of pattern must match, none of unless may. */
	struct strings pattern, unless;
	size_t first;    /* number of its first pattern, of n_patterns */
	size_t built_in; /* what first is without overlays, or TAXONOMY_SITE:
			  * the rule is read from a file */
	/* Bytes of fixed text in every match, whichever pattern it is of; 0:
	 * one of them has none. */
	size_t least;
	size_t longest; /* bytes of its longest expression, as it is written */
	struct strings needs; /* of the image only: rules/needs.h */
	char *within;         /* rule id, or NULL */
	unsigned within_lines;
	size_t within_rule; /* index, when within is set */
	char *until;        /* id of the rule that takes it back; or NULL */
	unsigned sources;   /* bits of source_kind; 0: any */
	struct strings extract, key;
	struct strings follows;   /* n 0: as its category */
	struct strings raised_in; /* ids, names, acts of signals `frames` */
	uint64_t raised_bits;     /* these, of signal_from[SIGNAL_FRAMES] on; 0:
				   * wherever it was raised */
	int verdict;              /* enum verdict, or -1: the category's */
	struct strings meanings;  /* "VALUE: text" of the first extract group */
	struct strings remedies, references;
	char *since;                    /* or "" */
	struct strings match, no_match; /* examples */
	char *file;                     /* place of the rule, for messages */
	unsigned line;
	bool site;                /* from an overlay, not built in */
	struct hash_value digest; /* of all that can change an answer */
};

/* What is hidden in all that is shown of a log: rules/redact.h. */
struct redaction {
	char *id;
	char *title;   /* what is shown in the place of the secret */
	char *option;  /* the word of --redact that asks for it; NULL: always */
	char *pattern; /* text; what its group "secret", or all of it, matches
			* is hidden */
	size_t word;   /* least bytes without a blank in a text to try it on */
	struct strings secret, clean; /* examples */
	char *file;                   /* place, for messages */
	unsigned line;
	bool site; /* from an overlay, not built in */
	struct literals literals;
};

/* What the program looks for beside failures. Each kind has one reader in
 * diagnose/signals/, which knows what becomes of it; taxonomy/README.md has
 * what each of them tells. */
enum signal_kind {
	SIGNAL_BLOCK,      /* a report of several lines begins, or is joined */
	SIGNAL_END,        /* the run came to its end */
	SIGNAL_EXIT,       /* how a process ended, as its parent tells */
	SIGNAL_PARALLEL,   /* several processes run side by side */
	SIGNAL_PROGRESS,   /* a position that is not this run's */
	SIGNAL_SOURCE,     /* who wrote a line */
	SIGNAL_FRAMES,     /* what a frame of a traceback tells */
	SIGNAL_ECHO,       /* a line that only shows a program's text */
	SIGNAL_STAGE,      /* which part of its life a program is in */
	SIGNAL_CHECKPOINT, /* what a line says of one that is written */
	SIGNAL_GPUS,       /* how many GPUs, processes, nodes there are */
	SIGNAL_INPUTS,     /* which paths are of data that a run reads */
	SIGNAL_REPORT,     /* a batch system's report of a job */
	SIGNAL_LAUNCH,     /* a program or a job begins */
	SIGNAL_DONE,       /* the work is done: what comes is the tear-down */
	SIGNAL_LAYOUT,     /* the job that a path is of */
	SIGNAL_STATE,      /* how a scheduler says that a job ended */
	SIGNAL_PREFIX,     /* what stands before a message */
	SIGNAL_FILE,       /* which files of a folder are no logs */
	SIGNAL_NODE,       /* how the names of nodes begin */
	SIGNAL_JSON_KEY,   /* what the records of JSON loggers have where */
	SIGNAL_JSON_LEVEL, /* what they call a level */
	SIGNAL_MESSAGE,    /* a program says in its own form why it ends */
	SIGNAL_COMPARE,    /* what tells two runs apart, or does not */
	SIGNAL_DECLARED,   /* a job says to this program why it ends */
	SIGNAL_PHASE,      /* what a program spends its time on */
	SIGNAL_COLLECTIVE, /* which collectives ranks have called */
	SIGNAL_ASIDE,      /* said by what the job is not for */
	SIGNAL_CHAINED,    /* which of two chained exceptions is the cause */
	SIGNAL_KINDS
};

/* What a signal tells, where its kind has a choice: signal.tells, in the order
 * of the keys of its kind. */
/* next: the message stands in the next line that is not empty; last: only what
 * a program says last is one */
enum signal_message { MESSAGE_HERE, MESSAGE_NEXT, MESSAGE_LAST };
enum signal_parallel { PARALLEL_LINE, PARALLEL_BLOCK };
/* what follows from it names the same, or misses what it should have brought;
 * it leaves nothing undone; it tells itself how the program goes on */
enum signal_aside {
	ASIDE_NAMES,
	ASIDE_BRINGS,
	ASIDE_LOOKS,
	ASIDE_HANDLED,
	ASIDE_NONE
};
/* function, code: of what tidies up; probe, leaving: an exception's class */
enum signal_chained {
	CHAINED_FUNCTION,
	CHAINED_CODE,
	CHAINED_PROBE,
	CHAINED_LEAVING
};
enum signal_parallel_act { PARALLEL_CHILDREN };

/* only a part of it: what was asked of a server, which goes on */
enum signal_done { DONE_SERVED };
enum signal_end { END_SUCCESS, END_SCRIPT, END_STOP, END_FAILED };
/* first: the output of the job comes behind the report */
enum signal_report { REPORT_BEGINS, REPORT_WELL, REPORT_FIRST };
enum signal_block { /* of several on a line the first counts */
	BLOCK_PYTHON,
	BLOCK_CPP,
	BLOCK_RUST,
	BLOCK_GO,
	BLOCK_JAVA,
	BLOCK_FAULT,
	BLOCK_BOX,
	BLOCK_CAUSE,
	BLOCK_HANDLING,
	BLOCK_IGNORED,
	BLOCK_REQUEST, /* a server's, which goes on */
	BLOCK_THREAD,
	BLOCK_ENDS,
	BLOCK_FRAME,
	BLOCK_STACK, /* where a thread stands, though nothing failed */
	BLOCK_QUOTE, /* what is indented below was printed by another */
	BLOCK_WORDS
};
enum signal_launch {
	LAUNCH_JOB,
	LAUNCH_PROGRAM,
	LAUNCH_COMMAND, /* its group `same` names the program */
	LAUNCH_TRIAL,   /* one run of many that are meant to differ begins */
	LAUNCH_RESULT   /* one of these has come to its result */
};
/* maybe: what it begins with tells, by the words of log */
enum signal_file { FILE_OTHER, FILE_MAYBE, FILE_LOG, FILE_SCRIPT };
enum signal_file_where { FILE_IN_PATH };
/* varies, last: in a setting's name, or its last word */
enum signal_compare {
	COMPARE_VARIES,
	COMPARE_LAST,
	COMPARE_FAILING,
	COMPARE_WARNING,
	COMPARE_VERSION
};
enum signal_collective {
	COLLECTIVE_CALL,  /* a rank called one */
	COLLECTIVE_P2P,   /* the same of one between two ranks */
	COLLECTIVE_GROUP, /* the ranks of a group */
	COLLECTIVE_COMM,  /* how a rank's lines call a group */
	COLLECTIVE_ABOUT, /* lines about a group follow */
	COLLECTIVE_COUNT, /* how many ranks of it, or which, called so many */
	/* of an operation: what each rank gives to it, or gets from it, may
	 * have another size */
	COLLECTIVE_ANY_INPUT,
	COLLECTIVE_ANY_OUTPUT
};
enum signal_echo { ECHO_CODE, ECHO_MESSAGE };
enum signal_frames {
	FRAMES_LIBRARY, /* not the user's own */
	FRAMES_FRAMEWORK,
	FRAMES_PROTOCOL,  /* the part of one that checks the order of calls */
	FRAMES_ARGUMENTS, /* reads arguments or a configuration */
	FRAMES_READER,    /* reads files */
	FRAMES_STARTER    /* runs the user's program by its name */
};
enum signal_stage {
	STAGES_INITIALIZATION,
	STAGES_DATA,
	STAGES_TRAINING,
	STAGES_EVALUATION,
	STAGES_STEP,       /* inside the loop of training */
	STAGES_VALIDATION, /* evaluation that belongs to training */
	STAGES_MODEL,      /* the model computes, for whatever end */
	STAGES
};
enum signal_stage_where {
	STAGE_IN_TEXT,
	STAGE_IN_FAILURE,
	STAGE_IN_PATH,
	STAGE_IN_FILE,
	STAGE_IN_FUNCTION
};
enum signal_checkpoint {
	CHECKPOINT_ABOUT, /* the line may say something */
	CHECKPOINT_IS,
	CHECKPOINT_MODEL,
	CHECKPOINT_SAVED,
	CHECKPOINT_SAVING,
	CHECKPOINT_ANNOUNCED,
	CHECKPOINT_FINISHED,
	CHECKPOINT_BACKGROUND,
	CHECKPOINT_STAGED,
	CHECKPOINT_PART,
	CHECKPOINT_FAILED,
	CHECKPOINT_TROUBLE,
	CHECKPOINT_OTHER,
	CHECKPOINT_WEIGHTS, /* the end of a path: a file of one */
	CHECKPOINT_NO_WEIGHTS
};
enum signal_phase {          /* of several on a line the first counts */
	PHASE_SAYS_RESUMED,  /* a position that is gone back to */
	PHASE_SAYS_TRAINING, /* it begins */
	PHASE_SAYS_STARTING, /* it has yet to begin */
	PHASE_SAYS_RESULT,   /* of an evaluation */
	PHASE_SAYS_EVALUATING
};
enum signal_gpus {
	GPUS_RANKS, /* processes of the job, by their own word */
	GPUS_WORLD, /* the same by another's */
	GPUS_PROCESSES,
	GPUS_NODES,
	GPUS_GRANTED,
	GPUS_LIST, /* granted, each by its number or name */
	GPUS_VISIBLE,
	GPUS_TOTAL,
	GPUS_DEVICE, /* the number of one of them */
	GPUS_BATCH,
	GPUS_MICRO_BATCH,
	GPUS_ACCUMULATE,
	GPUS_COUNTS
};
enum signal_gpus_says { GPUS_USED, GPUS_NONE, GPUS_SURE, GPUS_NUMBER };
enum signal_inputs { INPUTS_DATA, INPUTS_OTHER };
enum signal_inputs_where { INPUTS_IN_PATH, INPUTS_IN_WORD };
enum signal_layout { LAYOUT_AUTO, LAYOUT_CHOSEN };
enum signal_layout_from { LAYOUT_FROM_ZERO };
enum signal_state {
	STATE_UNKNOWN,
	STATE_PENDING,
	STATE_RUNNING,
	STATE_WELL,
	STATE_FAILED
};
enum signal_state_where { STATE_OF_SLURM };
enum signal_prefix {
	SIGNAL_PREFIX_COLLECTOR, /* as struct peel_row counts phases */
	SIGNAL_PREFIX_LAUNCHER,
	SIGNAL_PREFIX_LOGGER,
	SIGNAL_PREFIX_ANYWHERE,
	SIGNAL_PREFIX_TAG
};

#define SIGNAL_KEYS 3        /* that a kind may have of its own */
#define SIGNAL_FRAMES_MAX 64 /* signals of this kind: bits of a word */

/* A text tells it when the pattern matches, and of each list that is given it
 * is one word, or one stands in it, at its start, at its end; and when unless
 * does not match. Case counts for kinds that say so. Only layouts have both a
 * pattern and words. */
struct signal {
	char *id, *title;
	enum signal_kind kind;
	char *name;             /* of what it tells; or NULL */
	char *pattern, *unless; /* text, or NULL */
	struct strings is, any, starts, ends;
	int tells[SIGNAL_KEYS]; /* by its kind; -1: not given */
	struct strings fixed;   /* of a layout: each path that fits has one of
				 * these, in either case; n 0: any may fit */
	struct strings match, no_match; /* examples */
	char *file;                     /* place, for messages */
	unsigned line;
	bool site;       /* from an overlay, not built in */
	size_t built_in; /* its number without overlays, or TAXONOMY_SITE */
	struct hash_value digest; /* of all that can change an answer */
};

#define TAXONOMY_NO_CATEGORY ((size_t)-1)
#define TAXONOMY_SITE ((size_t)-1)

/* The category of a row that is for all of them: with after_success only. */
#define POLICY_ANY "any"

/* One row of policy.yaml: what to answer for a category or a rule. */
struct policy_row {
	char *category;  /* id, "unknown", POLICY_ANY, or NULL */
	char *rule;      /* rule id, or NULL */
	char *seen_with; /* id: only when the logs show it, too; or NULL */
	enum verdict verdict;
	char *reason;                      /* one sentence */
	double memory_factor, time_factor; /* 0: not given */
	bool at_start;       /* only when no training step came before */
	bool held_by_others; /* only when others hold the memory */
	bool after_success;  /* only when the work was done before */
	bool exclude_nodes, from_checkpoint;
	int stop_needs;         /* enum confidence, or -1: as for all rows */
	long delay_seconds;     /* 0: none */
	double backoff;         /* of the delay, for each repeat; at least 1 */
	long max_delay_seconds; /* of a delay that grows */
	/* What the file does not give is settled when it is loaded: as the
	 * row that would apply without this one has it, then by budgets. */
	bool own_retries, own_repeats; /* the file gives them */
	int retries;  /* in a row without progress, or RETRIES_ANY */
	bool repeats; /* a repeat at the same place proves it deterministic */
	char *file;   /* place of the row, for messages */
	unsigned line;
	unsigned layer; /* 0: built in, then the overlays in turn */
};

/* How often a job may be retried, where a policy row does not say it. */
#define RETRIES_ANY (-1)
struct budgets {
	int same_cause; /* in a row without progress, for one cause */
	int same_place; /* for one cause at one step or with one artefact */
	int total;      /* without progress, whatever failed */
};

/* What a trend rule looks at; taxonomy/README.md has what each of them needs.
 */
enum trend_test {
	TREND_NOT_DECREASING,
	TREND_EXPLODING,
	TREND_VANISHING,
	TREND_OVERFIT,
	TREND_OVERTRAINING,
	TREND_STALLED,
	TREND_OUTLIERS,
	TREND_SLOW_START,
	TREND_GROWTH,
	TREND_AT_CHANCE,
	TREND_SLOW_RANKS, /* one rank beside the others */
	TREND_TESTS
};

/* Its thresholds. */
enum trend_value {
	TREND_POINTS, /* reports that are needed at least */
	TREND_DROP,   /* shares of a value, 0.1 is a tenth */
	TREND_RISE,
	TREND_FACTOR, /* times the usual value */
	TREND_BELOW,  /* values of the metric */
	TREND_SHARE,  /* of the reports or the time */
	TREND_SECONDS,
	TREND_PATIENCE, /* reports in a row */
	TREND_VALUES
};

/* What a number in a training log is. */
enum metric_kind {
	METRIC_VALUE,
	METRIC_RATIO, /* 0 to 1: "85.2%" and "98/100" are such, too */
	METRIC_STEP,  /* these two say where in the run it is */
	METRIC_EPOCH,
	METRIC_KINDS
};

/* A number that training programs print, and how they call it. */
struct metric {
	char *id, *title;
	enum metric_kind kind;
	struct strings names; /* lower case; a blank stands for '_', '-', '/' */
	struct strings units; /* "it/s": written behind the number */
	char *validation;     /* the metric it is on lines of validation; or
			       * NULL */
	size_t validation_metric; /* index, when that is set */
};

/* A rule about how a metric goes; it only ever warns. */
struct trend {
	char *id, *title, *metric;
	size_t on; /* index of the metric */
	enum trend_test test;
	char *beside;     /* a second metric that the test needs; or NULL */
	size_t beside_on; /* its index */
	char *unless;     /* a metric: the rule is off where it is printed; or
			   * NULL */
	size_t unless_on;
	double v[TREND_VALUES];
	struct strings advice, references;
	char *file; /* place of the rule, for messages */
	unsigned line;
};

/* What {{name}} stands for in an expression. */
struct rule_piece {
	char *name, *text; /* as it is written, with other pieces in it */
};

/* What is made when it is first asked for. */
typedef _Atomic(void *) taxonomy_slot;

/* How far a job's own word about its end goes. */
enum declared_trust {
	DECLARED_HINT,  /* where no rule states a cause */
	DECLARED_TRUST, /* before every rule */
	DECLARED_IGNORE,
	DECLARED_TRUSTS
};
const char *taxonomy_trust_name(enum declared_trust t);

struct taxonomy {
	struct category *categories; /* sorted by id */
	size_t n_categories;
	size_t n_rules;            /* taxonomy_rule_at; sorted by id */
	uint32_t *pattern_rule;    /* the number of the rule of each pattern */
	size_t n_patterns;         /* of all rules, in their order */
	struct rule_piece *pieces; /* the built-in ones */
	size_t n_pieces;
	struct policy_row *policy; /* as written; the first that fits wins */
	size_t n_policy;
	struct budgets budgets;
	int node_window; /* seconds before a job's death in which a fault of a
			  * node can be its cause */
	int stop_needs;  /* enum confidence: of an answer that is less sure a
			  * stop becomes one retry */
	int declared;    /* enum declared_trust */
	struct metric *metrics; /* as written */
	size_t n_metrics;
	struct trend *trends; /* as written */
	size_t n_trends;
	struct strings validation;    /* words that mark a line of validation */
	struct redaction *redactions; /* as written; the first one names what
				       * several of them hide */
	size_t n_redactions;
	taxonomy_slot *signals; /* taxonomy_signal_at; by kind, then as
				 * written; NULL: not made yet */
	size_t n_signals;
	size_t signal_from[SIGNAL_KINDS + 1]; /* the first of each kind */
	struct prefixes *prefixes;            /* of signals of that kind */
	struct jsonkeys *json_keys;           /* of those of JSON loggers */
	uint32_t step_letters[32];     /* what names of steps and epochs begin
					* with: by the first letter a bit for
					* each second one */
	uint32_t stage_letters[2][32]; /* the same of the words that name a
					* stage, and for each third one */
	uint32_t echo_letters[256];    /* by what an echo begins with a bit for
					* each of the signals, the last of them
					* for all others, too */
	char hash[HASH_HEX];           /* of the effective content */
};

/* That of signal i in echo_letters. */
static inline uint32_t taxonomy_echo_bit(const struct taxonomy *t, size_t i)
{
	size_t n = i - t->signal_from[SIGNAL_ECHO];

	return 1u << (n < 31 ? n : 31);
}

/* Names of the enums as the files write them, and back (-1: no such name). */
const char *taxonomy_role_name(enum role r);
const char *taxonomy_where_name(enum where w);
const char *taxonomy_verdict_name(enum verdict v);
const char *taxonomy_speaker_name(enum speaker s);
int taxonomy_verdict(const char *s);
const char *trend_test_name(enum trend_test t);
const char *trend_value_name(enum trend_value v);
/* Whether a test uses a threshold. */
bool trend_test_uses(enum trend_test t, enum trend_value v);

/*
 * The built-in taxonomy, then each overlay in turn (file or folder of .yaml
 * files, read in name order). Overlay patterns are compiled here, so that a
 * bad one is an error now; built-in ones on first use. NULL with e set:
 * "file:line:column: text". Frees with taxonomy_free.
 */
struct taxonomy *taxonomy_load(
    const char *const *overlays, size_t n, struct err *e);
void taxonomy_free(struct taxonomy *t);
/* Whether it is the built-in one, without overlays, as the build made it. */
bool taxonomy_built_in(const struct taxonomy *t);

/* Whether a row holds under some condition only. */
bool taxonomy_policy_conditional(const struct policy_row *p);

/* Borrowed, or NULL. */
const struct category *taxonomy_category(
    const struct taxonomy *t, const char *id);
const struct rule *taxonomy_rule(const struct taxonomy *t, const char *id);
/* Rule i of n_rules; from any thread. Rules are ordered by their number, not by
 * where they lie. */
const struct rule *taxonomy_rule_at(const struct taxonomy *t, size_t i);
/* Signal i of n_signals; from any thread. */
const struct signal *taxonomy_signal_make(const struct taxonomy *t, size_t i);
static inline const struct signal *taxonomy_signal_at(
    const struct taxonomy *t, size_t i)
{
	const struct signal *s =
	    atomic_load_explicit(&t->signals[i], memory_order_acquire);

	return s ? s : taxonomy_signal_make(t, i);
}
/* The first policy row without a condition for a rule or, when there is none,
 * for a category. Both may be NULL. */
const struct policy_row *taxonomy_policy(
    const struct taxonomy *t, const char *rule, const char *category);

/* Pattern i of n_patterns, compiled on first use; safe from several threads.
 * NULL only when out of memory or (built-in, tests prevent it) bad. */
const struct pattern *taxonomy_pattern(const struct taxonomy *t, size_t i);
/* The compiled `unless` of rule i, or NULL when it has none. */
const struct pattern *taxonomy_unless(const struct taxonomy *t, size_t i);

/* The compiled pattern of redaction i, as taxonomy_pattern. */
const struct pattern *taxonomy_redaction_pattern(
    const struct taxonomy *t, size_t i);
/* Borrowed, or NULL. */
const struct redaction *taxonomy_redaction(
    const struct taxonomy *t, const char *id);

/* The compiled pattern of signal i, and its `unless`; or NULL, as above. */
const struct pattern *taxonomy_signal_pattern(
    const struct taxonomy *t, size_t i);
const struct pattern *taxonomy_signal_unless(
    const struct taxonomy *t, size_t i);
/* Borrowed, or NULL. */
const struct signal *taxonomy_signal(const struct taxonomy *t, const char *id);

/* What the prefilter looks for, of a kind that has hits; to be released. 0, or
 * -1: out of memory. */
int signal_read_literals(const struct signal *s, struct literals *l);

/* A kind of signal as the files write it: its name, and the keys that say what
 * a signal of it tells, with their words. */
struct signal_kind_info {
	const char *name;
	struct signal_key {
		const char *name; /* NULL: no more of them */
		const char *words[16];
		bool needed; /* must be given */
	} keys[SIGNAL_KEYS];
	unsigned hit;    /* the prefilter looks for it in every line: bits, by
			  * tells[0], or SIGNAL_HIT for whatever that is */
	bool words_only; /* its reader runs no patterns */
	bool exact;      /* case counts for its words */
	bool named;      /* it may have a name */
	const char *groups; /* what a pattern of it must name; or NULL */
};
const struct signal_kind_info *signal_kind_info(enum signal_kind kind);
#define SIGNAL_HIT UINT32_MAX
/* Whether the prefilter looks for a signal in every line. */
bool signal_hit(const struct signal *s);

#endif
