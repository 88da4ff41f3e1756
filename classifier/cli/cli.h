/*
 * The program: settings, commands, and what they share. Only this folder
 * prints, and only main exits.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/limits.h"
#include "base/text.h"
#include "jobs/triage.h"

#include <stdio.h>

struct err;
struct redactor;

enum exit_status {
	STATUS_OK = 0,
	STATUS_FAIL_ON = 1,  /* it ran, and a --fail-on condition holds */
	STATUS_USAGE = 2,    /* usage, rule or configuration file */
	STATUS_DEGRADED = 3, /* it ran, but some input could not be read */
	STATUS_INTERNAL = 4  /* out of memory, or output failed */
};

enum when_on { ON_AUTO, ON_ALWAYS, ON_NEVER };

/* How much of the sandbox: what the kernel has, all, nothing. */
enum sandbox_mode { SANDBOX_AUTO, SANDBOX_REQUIRE, SANDBOX_OFF };

struct list {
	const char **v; /* owned array of borrowed strings */
	size_t n;
};

/* Every option's value, defaults included. */
struct settings {
	const char *format;
	const char *output; /* file, or NULL: standard output */
	unsigned threads;
	enum when_on colour;
	enum sandbox_mode sandbox;
	bool progress;
	bool prefilter;
	bool list_wrong;
	bool list_rules;
	bool links;   /* follow them wherever they lead */
	bool trends;  /* scan: the numbers of a training, too */
	bool goodput; /* scan: what its time goes into, too */
	bool learn;   /* scan: from good runs, into the store */
	bool quiet;
	const char *layout; /* or NULL */
	const char *redact; /* options of redactions, or NULL */
	bool no_redact;
	struct list taxonomy, fail_on;
	struct list records;     /* files with job records */
	struct list good;        /* logs of good runs */
	struct list node_logs;   /* what nodes log of themselves */
	struct list node_clocks; /* that are off: jobs/node_clock.h */
	const char *record_map;  /* or NULL */
	const char *cluster;     /* of jobs that do not name theirs; or NULL */
	/* whose jobs are told of, or NULL: everybody's */
	const char *of_cluster, *of_user, *of_account;
	enum triage_records unlogged; /* which records without logs to tell */
	const char *store;            /* URL, or NULL */
	struct shard shard;           /* scan: which part */
	const char
	    *spool; /* folder for what the store does not take, or NULL */
	const char *since, *until, *before; /* as given, or NULL */
	const char *zone;  /* as given; TZ is set already; or NULL */
	const char *title; /* of the report, or NULL */
	/* gate: the job that is asked about */
	const char *job;       /* or NULL */
	int64_t attempt;       /* 0: not given */
	int exit_code, signal; /* -1: not given */
	const char *root;      /* where the paths lie as copies, or NULL */
	const char *print, *exit_map, *on_error; /* as given, or NULL */
	double settle;                           /* seconds to wait for a log */
	bool shadow;
	/* explain and run */
	bool why, follow, pager, last;
	const char *diff; /* a log of a good run, or NULL */
	struct list on;   /* "RULE=warn|stop" */
	const char *exec; /* command to run when one fires, or NULL */
	double grace;     /* seconds between SIGTERM and SIGKILL */
	const char *termination_log; /* or NULL */
	const char *log;             /* run: a copy of the output, or NULL */
	const char *study;           /* or NULL */
	const char *digest;          /* user or account, or NULL: no digest */
	unsigned top;                /* rows of a list in the report */
	/* judge: what a person says, and who; or NULL */
	const char *category, *verdict, *note, *by;
	bool list, forget;
	bool judged;           /* eval: what persons said are labels, too */
	const char *link_logs; /* what their links begin with, or NULL */
	double level;          /* report nodes: share of false ones at most */
	int64_t hold;          /* seconds that its list holds */
	unsigned silence;      /* days after which a failure has come back */
	struct limits limits;
	struct list include, exclude; /* globs of files in folders */
	bool all_files;
	struct list arguments; /* what is no option */
	struct list owned;     /* strings from files, freed at the end */
};

/* ---- options.c ---- */

/* One command; bits of these say which options it has. */
enum command_bit {
	COMMAND_SCAN = 1,
	COMMAND_TAXONOMY = 2,
	COMMAND_EVAL = 4,
	COMMAND_STORE = 8,
	COMMAND_REPORT = 16,
	COMMAND_GATE = 32,
	COMMAND_POLICY = 64,
	COMMAND_EXPLAIN = 128,
	COMMAND_RUN = 256,
	COMMAND_COMPLETION = 512,
	COMMAND_HELP = 1024,
	COMMAND_JUDGE = 8192,
	COMMAND_GROUPS = 2048,
	COMMAND_SUGGEST = 4096,
	COMMAND_BASELINE = 16384,
	COMMAND_ALL = 511 | COMMAND_JUDGE | COMMAND_GROUPS | COMMAND_SUGGEST |
	    COMMAND_BASELINE /* know the options all share */
};

struct command {
	const char *name, *synopsis, *help;
	enum command_bit bit;
	enum exit_status (*run)(const struct settings *s);
	const char *words; /* its first argument may be one; or NULL */
};

/* A row of the table of options. Two rows may have one name, for different
 * commands. */
struct option {
	const char *name;
	char letter;       /* 0: none */
	const char *value; /* what its argument is called; NULL: a switch */
	/* What the argument may be, between blanks; "@NAME": a list that
	 * cmd_completion.c takes from another table; or NULL. */
	const char *words;
	unsigned commands;
	enum how { TEXT, SWITCH, SWITCH_OFF, BY_FUNCTION } how;
	union {
		size_t at; /* of a text or bool in struct settings */
		int (*set)(
		    struct settings *s, const char *value, struct err *e);
	} u;
	const char *help; /* ends in ':' when the words are to follow */
};

void options_init(struct settings *s);
void options_release(struct settings *s);
/* Defaults, then the configuration file, the environment and the arguments
 * (after the command's name). 0; 1: help was asked for; -1 with e set. */
int options_read(
    struct settings *s, const struct command *c, char **argv, struct err *e);
/* Append to a list. 0 or -1: out of memory. */
int options_list_add(struct list *l, const char *s);
/* Append "a, b or c" for "a b c". -1: out of memory. */
struct buf;
int options_words(struct buf *out, const char *words);
/* The options of a command, for --help. */
void options_help(const struct command *c, FILE *f);
/* One of them. */
void option_help(const struct option *o, FILE *f);
/* The i-th row of the table, options_table.c; NULL past the end. */
const struct option *option_at(size_t i);

/* ---- main.c ---- */

/* The i-th command; NULL past the end. */
const struct command *main_command(size_t i);
void main_command_help(const struct command *c);

/* ---- cmd_help.c ---- */

/* The command whose name is nearest to word, or NULL. */
const char *cmd_help_nearest(const char *word);

/* ---- screen.c ---- */

/* "jobtriage: text" on standard error, log bytes made visible. */
void screen_complain(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
/* Say what has failed. The status for it: this one, or STATUS_INTERNAL where
 * memory or a library lacks. */
enum exit_status screen_failed(const struct err *e, enum exit_status status);
/* Whether the format is JSON; of commands that print it or text. */
bool screen_json(const struct settings *s);
/* -1 with e set: it is neither. */
int screen_text_or_json(const struct settings *s, struct err *e);
/* What is secret in such talk is hidden from now on; NULL: no longer. */
void screen_redact(const struct redactor *r);
/* Whether to colour what goes to f. */
bool screen_colour(const struct settings *s, FILE *f);
/* Columns of the terminal behind f, or 0. */
unsigned screen_width(FILE *f);
/* Whether it is a terminal whose last line can be written again. */
bool screen_moves(FILE *f);

/* Whether the locale's characters are not UTF-8's. */
bool screen_ascii(void);

/* ---- outfile.c: -o FILE, written aside and renamed ---- */

struct outfile {
	FILE *f;
	char *name, *aside; /* aside is NULL when written directly */
};

/* -1 with e set: the output is a file that is to be read. */
int outfile_check(const struct settings *s, struct err *e);
/* -1 with e set: then there is nothing to close or abandon, though both may be
 * called. */
int outfile_open(struct outfile *o, const char *name, struct err *e);
/* Flush and put in place. -1 with e set when anything could not be written;
 * the old file is untouched then. */
int outfile_close(struct outfile *o, struct err *e);
/* What was printed has arrived: the status; else it is told: STATUS_INTERNAL.
 */
enum exit_status main_printed(enum exit_status status);
/* Throw away what was written. */
void outfile_abandon(struct outfile *o);

/* ---- commands ---- */

enum exit_status cmd_scan(const struct settings *s);
enum exit_status cmd_taxonomy(const struct settings *s);

/* Prints something about the rules: 0, 1: there is something to mend, -1 with
 * e set: not what was asked for. */
typedef int taxonomy_writer(const struct settings *s,
    const struct taxonomy *tax, FILE *f, struct err *e);
/* Load the rules and let what print to the output. (cmd_taxonomy.c) */
enum exit_status cmd_taxonomy_print(
    const struct settings *s, taxonomy_writer *what);

enum exit_status cmd_eval(const struct settings *s);
enum exit_status cmd_store(const struct settings *s);
enum exit_status cmd_judge(const struct settings *s);
enum exit_status cmd_groups(const struct settings *s);
enum exit_status cmd_baseline(const struct settings *s);
enum exit_status cmd_suggest(const struct settings *s);
enum exit_status cmd_report(const struct settings *s);
enum exit_status cmd_gate(const struct settings *s);
enum exit_status cmd_gate_replay(const struct settings *s);
enum exit_status cmd_policy(const struct settings *s);
enum exit_status cmd_explain(const struct settings *s);
enum exit_status cmd_run(const struct settings *s);
enum exit_status cmd_completion(const struct settings *s);
enum exit_status cmd_help(const struct settings *s);

#endif
