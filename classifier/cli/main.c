/* The table of commands. */
#include "base/err.h"
#include "base/library.h"
#include "cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef JOBTRIAGE_VERSION
#define JOBTRIAGE_VERSION "unknown"
#endif

static const struct command commands[] = {
	{ "scan", "scan [OPTION]... PATH...",
	    "diagnose every job under the paths: files, folders, archives, - "
	    "for standard input",
	    COMMAND_SCAN, cmd_scan, NULL },
	{ "gate", "gate [OPTION]... PATH... | replay",
	    "whether to run one job again: retry, stop, adjust or undecided; "
	    "replay: what it would have said, against what happened",
	    COMMAND_GATE, cmd_gate, "replay" },
	{ "policy", "policy [OPTION]... check|show",
	    "the verdicts and budgets that the gate goes by", COMMAND_POLICY,
	    cmd_policy, "check show" },
	{ "taxonomy", "taxonomy [OPTION]... list|show ID|check|test|health",
	    "the categories and rules: list or show them, check a rule file, "
	    "run the examples; health: how they fared in a store",
	    COMMAND_TAXONOMY, cmd_taxonomy, "list show check test health" },
	{ "eval", "eval [OPTION]... DIR...",
	    "accuracy against labelled logs (labels.tsv or folder names)",
	    COMMAND_EVAL, cmd_eval, NULL },
	{ "explain", "explain [OPTION]... PATH...",
	    "why one job failed, on one screen: cause, proof, what to do; - "
	    "for standard input",
	    COMMAND_EXPLAIN, cmd_explain, NULL },
	{ "run", "run [OPTION]... -- COMMAND [ARGUMENT]...",
	    "run a command, pass its output through, and tell why it failed",
	    COMMAND_RUN, cmd_run, NULL },
	{ "report", "report [OPTION]... [nodes] [FILE|-]...",
	    "the report of a period, from a store or from scan's JSON lines; "
	    "nodes: those that fail more often than others do",
	    COMMAND_REPORT, cmd_report, "nodes" },
	{ "judge", "judge [OPTION]... JOB | --list [JOB]",
	    "say what a job of a store really died of, or whether to run it "
	    "again; what was said stays, and is counted",
	    COMMAND_JUDGE, cmd_judge, NULL },
	{ "groups",
	    "groups [OPTION]... [list|show ID|name ID NAME|merge ID INTO|"
	    "ignore ID|unignore ID]",
	    "failures that no rule names, by what they print: list or show "
	    "them, and say what they are",
	    COMMAND_GROUPS, cmd_groups,
	    "list show name merge ignore unignore" },
	{ "suggest", "suggest [OPTION]... GROUP",
	    "draft a rule for failures that no rule names: its pattern, what "
	    "is near, examples, and what it would have matched",
	    COMMAND_SUGGEST, cmd_suggest, NULL },
	{ "baseline", "baseline [OPTION]... learn PATH...|show|forget",
	    "what good runs print, so that what only a failing one prints is "
	    "a lead: learn it from their logs, show it, forget it",
	    COMMAND_BASELINE, cmd_baseline, "learn show forget" },
	{ "store", "store [OPTION]... info|prune|export|import [FILE]...|send",
	    "look after a store: what it holds, forget, copy out and in, send "
	    "what was put aside for it",
	    COMMAND_STORE, cmd_store, "info prune export import send" },
	{ "completion", "completion bash|zsh|fish",
	    "a script for the shell that completes command lines",
	    COMMAND_COMPLETION, cmd_completion, "bash zsh fish" },
	{ "help", "help [WORD]...",
	    "about a command, an option, a category, a rule, a verdict, an "
	    "exit status, or limits",
	    COMMAND_HELP, cmd_help, "@topics" },
};

#define N_COMMANDS (sizeof commands / sizeof *commands)

static void help(FILE *f)
{
	fputs("usage: jobtriage COMMAND [OPTION]... [ARGUMENT]...\n"
	      "Find the root failure of deep-learning and GPU-cluster jobs in "
	      "their logs.\n\n",
	    f);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(f, "  %-10s  %s\n", commands[i].name, commands[i].help);
	fputs("\n  jobtriage LOG means jobtriage explain LOG\n"
	      "  jobtriage COMMAND --help, jobtriage help WORD, "
	      "jobtriage --version\n"
	      "\nExit status: 0 it ran; 1 a --fail-on condition holds; 2 bad "
	      "usage or rule file;\n3 some input could not be read; 4 "
	      "internal or output failure.\n",
	    f);
}

const struct command *main_command(size_t i)
{
	return i < N_COMMANDS ? &commands[i] : NULL;
}

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

void main_command_help(const struct command *c)
{
	printf("usage: jobtriage %s\n%s\n\n", c->synopsis, c->help);
	options_help(c, stdout);
}

enum exit_status main_printed(enum exit_status status)
{
	struct outfile o;
	struct err e;

	if (!outfile_open(&o, NULL, &e) && !outfile_close(&o, &e))
		return status;
	return screen_failed(&e, STATUS_INTERNAL);
}

static enum exit_status run(const struct command *c, char **argv)
{
	enum exit_status status = STATUS_USAGE;
	struct settings s;
	struct err e;
	int rc;

	options_init(&s);
	rc = options_read(&s, c, argv, &e);
	if (!rc && outfile_check(&s, &e))
		rc = -1;
	if (rc < 0) {
		/* the gate has statuses of its own */
		status = screen_failed(&e, STATUS_USAGE);
		if (c->run == cmd_gate)
			status = STATUS_USAGE;
	} else if (rc > 0) {
		main_command_help(c);
		status = main_printed(STATUS_OK);
	} else {
		status = c->run(&s);
	}
	options_release(&s);
	return status;
}

/* A library that gives up calls exit(1), which would read as --fail-on. */
static bool returned;

static void on_exit_of_others(void)
{
	if (!returned)
		_exit(STATUS_INTERNAL);
}

int main(int argc, char **argv)
{
	const struct command *c;
	enum exit_status status;
	const char *near;

	if (argc < 2) {
		help(stderr);
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("jobtriage " JOBTRIAGE_VERSION);
		return (int)main_printed(STATUS_OK);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    (strcmp(argv[1], "help") == 0 && argc == 2)) {
		help(stdout);
		return (int)main_printed(STATUS_OK);
	}
	c = find(argv[1]);
	/* a log alone is to be explained */
	if (!c && access(argv[1], F_OK) == 0) {
		c = find("explain");
		argv--;
	}
	if (!c) {
		near = cmd_help_nearest(argv[1]);
		if (near)
			screen_complain("no command '%s'; did you mean '%s'?",
			    argv[1], near);
		else
			screen_complain(
			    "no command '%s'; see jobtriage --help", argv[1]);
		return STATUS_USAGE;
	}
	if (atexit(on_exit_of_others)) {
		screen_complain("out of memory");
		return STATUS_INTERNAL;
	}
	/* A file that may not grow is an error like a full disk. run sees to
	 * this itself, since its command must not. */
	if (c->run != cmd_run)
		signal(SIGXFSZ, SIG_IGN);
	status = run(c, argv + 2);
	returned = true;
	if (library_broken()) {
		fflush(NULL);
		_exit((int)status);
	}
	return (int)status;
}
