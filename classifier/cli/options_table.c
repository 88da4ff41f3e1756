/*
 * The rows of the options, and the functions that check what they are given.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/period.h"
#include "jobs/node_clock.h"
#include "reports/period/study.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lists that a function checks, too. */
#define WHEN_WORDS "auto always never"
#define RECORDS_WORDS "all failed joined"
#define SANDBOX_WORDS "auto require off"

#define TO_TEXT(member)                                 \
	TEXT,                                           \
	{                                               \
		.at = offsetof(struct settings, member) \
	}
#define TO_SWITCH(member)                               \
	SWITCH,                                         \
	{                                               \
		.at = offsetof(struct settings, member) \
	}
#define TO_SWITCH_OFF(member)                           \
	SWITCH_OFF,                                     \
	{                                               \
		.at = offsetof(struct settings, member) \
	}
#define BY(function)              \
	BY_FUNCTION,              \
	{                         \
		.set = (function) \
	}

static int set_threads(struct settings *s, const char *v, struct err *e)
{
	int64_t n = span_number(span_of(v));

	if (n < 1 || n > 1024)
		return err_set(e, "-j %s: expected a number from 1 to 1024", v);
	s->threads = (unsigned)n;
	return 0;
}

/* The place of v in words. */
static int choice(
    const char *name, const char *words, const char *v, struct err *e)
{
	struct buf list = BUF_INIT(BUF_MAX);
	size_t length = strlen(v);
	int i = 0;

	for (const char *w = words; *w; w += strspn(w, " "), i++) {
		size_t n = strcspn(w, " ");

		if (n == length && memcmp(w, v, n) == 0)
			return i;
		w += n;
	}
	if (options_words(&list, words))
		err_nomem(e);
	else
		err_set(e, "--%s %s: expected %s", name, v, list.p);
	buf_release(&list);
	return -1;
}

static int set_colour(struct settings *s, const char *v, struct err *e)
{
	int i = choice("color", WHEN_WORDS, v, e);

	if (i >= 0)
		s->colour = (enum when_on)i;
	return i < 0 ? -1 : 0;
}

static int set_sandbox(struct settings *s, const char *v, struct err *e)
{
	int i = choice("sandbox", SANDBOX_WORDS, v, e);

	if (i >= 0)
		s->sandbox = (enum sandbox_mode)i;
	return i < 0 ? -1 : 0;
}

static int set_study(struct settings *s, const char *v, struct err *e)
{
	s->study = v;
	return choice("study", STUDY_NAMES, v, e) < 0 ? -1 : 0;
}

static int set_taxonomy(struct settings *s, const char *v, struct err *e)
{
	return options_list_add(&s->taxonomy, v) ? err_nomem(e) : 0;
}

static int set_node_logs(struct settings *s, const char *v, struct err *e)
{
	return options_list_add(&s->node_logs, v) ? err_nomem(e) : 0;
}

static int set_node_clock(struct settings *s, const char *v, struct err *e)
{
	struct node_clock c;

	if (node_clock_read(v, &c, e))
		return err_prefix(e, "--node-clock");
	return options_list_add(&s->node_clocks, v) ? err_nomem(e) : 0;
}

static int set_fail_on(struct settings *s, const char *v, struct err *e)
{
	return options_list_add(&s->fail_on, v) ? err_nomem(e) : 0;
}

static int set_good(struct settings *s, const char *v, struct err *e)
{
	return options_list_add(&s->good, v) ? err_nomem(e) : 0;
}

static int set_include(struct settings *s, const char *v, struct err *e)
{
	return options_list_add(&s->include, v) ? err_nomem(e) : 0;
}

static int set_exclude(struct settings *s, const char *v, struct err *e)
{
	return options_list_add(&s->exclude, v) ? err_nomem(e) : 0;
}

static int set_jobs(struct settings *s, const char *v, struct err *e)
{
	if (*v && strspn(v, "0123456789") == strlen(v) && access(v, F_OK))
		return err_set(e,
		    "--jobs %s: a file with job records is expected; the "
		    "number of threads is -j",
		    v);
	return options_list_add(&s->records, v) ? err_nomem(e) : 0;
}

static int set_unlogged(struct settings *s, const char *v, struct err *e)
{
	int i = choice("records", RECORDS_WORDS, v, e);

	if (i >= 0)
		s->unlogged = (enum triage_records)i;
	return i < 0 ? -1 : 0;
}

/* A whole number from 0 to most. */
static int number(
    const char *name, const char *v, int64_t most, int64_t *out, struct err *e)
{
	int64_t n = span_number(span_of(v));

	if (n < 0 || n > most)
		return err_set(e, "--%s %s: expected a number up to %lld", name,
		    v, (long long)most);
	*out = n;
	return 0;
}

/* A path alone is a file of SQLite's. */
static int set_store(struct settings *s, const char *v, struct err *e)
{
	struct buf url = BUF_INIT(BUF_MAX);

	s->store = v;
	if (!*v || v[strcspn(v, ":/")] == ':')
		return 0;
	if (buf_addf(&url, "sqlite:%s", v) ||
	    options_list_add(&s->owned, url.p)) {
		buf_release(&url);
		return err_nomem(e);
	}
	s->store = url.p;
	return 0;
}

static int set_attempt(struct settings *s, const char *v, struct err *e)
{
	if (number("attempt", v, 1000000, &s->attempt, e))
		return -1;
	return s->attempt ? 0 : err_set(e, "--attempt 0: they count from 1");
}

static int set_exit_code(struct settings *s, const char *v, struct err *e)
{
	int64_t n = 0;

	if (number("exit-code", v, 255, &n, e))
		return -1;
	s->exit_code = (int)n;
	return 0;
}

static int set_signal(struct settings *s, const char *v, struct err *e)
{
	int64_t n = 0;

	if (number("signal", v, 64, &n, e))
		return -1;
	s->signal = (int)n;
	return 0;
}

/* Seconds, with a fraction if need be. */
static int seconds(const char *name, const char *v, double *out, struct err *e)
{
	char *end;
	double n = strtod(v, &end);

	if (end == v || *end || !(n >= 0 && n <= 86400))
		return err_set(
		    e, "--%s %s: expected seconds, at most 86400", name, v);
	*out = n;
	return 0;
}

static int set_timeout(struct settings *s, const char *v, struct err *e)
{
	double n = 0;

	if (seconds("timeout", v, &n, e))
		return -1;
	s->limits.v[LIMIT_JOB_TIME] = n > 0.001 ? (uint64_t)(n * 1000) : 1;
	return 0;
}

static int set_settle(struct settings *s, const char *v, struct err *e)
{
	return seconds("settle", v, &s->settle, e);
}

static int set_shard(struct settings *s, const char *v, struct err *e)
{
	return shard_read(span_of(v), &s->shard)
	    ? 0
	    : err_set(e, "--shard %s: expected I/N, I from 1 to N", v);
}

static int set_top(struct settings *s, const char *v, struct err *e)
{
	int64_t n = span_number(span_of(v));

	if (n < 1 || n > 100000)
		return err_set(e, "--top %s: expected a number of rows", v);
	s->top = (unsigned)n;
	return 0;
}

static int set_silence(struct settings *s, const char *v, struct err *e)
{
	int64_t n = span_number(span_of(v));

	if (n < 1 || n > 10000)
		return err_set(e, "--silence %s: expected a number of days", v);
	s->silence = (unsigned)n;
	return 0;
}

static int set_on(struct settings *s, const char *v, struct err *e)
{
	const char *eq = strrchr(v, '=');

	if (!eq || eq == v ||
	    (strcmp(eq, "=warn") != 0 && strcmp(eq, "=stop") != 0))
		return err_set(
		    e, "--on %s: expected RULE=warn or RULE=stop", v);
	return options_list_add(&s->on, v) ? err_nomem(e) : 0;
}

static int set_grace(struct settings *s, const char *v, struct err *e)
{
	return seconds("grace", v, &s->grace, e);
}

static int set_level(struct settings *s, const char *v, struct err *e)
{
	char *end;
	double level = strtod(v, &end);

	if (end == v || *end || !(level > 0 && level < 1))
		return err_set(e,
		    "--level %s: expected a share between 0 and 1, as 0.05", v);
	s->level = level;
	return 0;
}

static int set_hold(struct settings *s, const char *v, struct err *e)
{
	if (period_length(v, &s->hold))
		return err_set(
		    e, "--hold %s: expected a time as 12h, 7d or 2w", v);
	return 0;
}

static int set_zone(struct settings *s, const char *v, struct err *e)
{
	s->zone = v;
	return period_zone(v, e);
}

static int set_limit(struct settings *s, const char *v, struct err *e)
{
	return limits_set(&s->limits, v, e);
}

#define FORMAT_HELP TO_TEXT(format), "how to print the result (default: text):"

#define FOLDERS \
	(COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN | COMMAND_BASELINE)

static const struct option options[] = {
	{ "format", 'f', "FORMAT", "text jsonl json csv", COMMAND_SCAN,
	    FORMAT_HELP },
	{ "format", 'f', "FORMAT",
	    "text markdown json csv prometheus html slurm", COMMAND_REPORT,
	    FORMAT_HELP },
	{ "format", 'f', "FORMAT", "text json markdown", COMMAND_EXPLAIN,
	    FORMAT_HELP },
	{ "format", 'f', "FORMAT", "text json jsonl", COMMAND_RUN,
	    FORMAT_HELP },
	{ "format", 'f', "FORMAT", "text json", COMMAND_GATE, TO_TEXT(format),
	    "replay: how to print the result (default: text):" },
	{ "format", 'f', "FORMAT", "text", COMMAND_POLICY, FORMAT_HELP },
	{ "format", 'f', "FORMAT", "text json",
	    COMMAND_STORE | COMMAND_TAXONOMY | COMMAND_EVAL | COMMAND_JUDGE |
		COMMAND_GROUPS | COMMAND_BASELINE,
	    FORMAT_HELP },
	{ "output", 'o', "FILE", NULL, COMMAND_ALL | COMMAND_COMPLETION,
	    TO_TEXT(output),
	    "write to FILE: aside first, then renamed over it" },
	{ "jobs", 0, "FILE", NULL, FOLDERS, BY(set_jobs),
	    "job records that say who ran a job, on how many GPUs and for how "
	    "long: sacct, jobcomp, kubectl, Philly, Helios, Acme, CSV, JSON "
	    "lines; repeatable" },
	{ "jobs-map", 0, "FILE", NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_BASELINE, TO_TEXT(record_map),
	    "YAML that says which columns of a CSV or JSON lines file mean "
	    "what" },
	{ "node-logs", 0, "PATH", NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN, BY(set_node_logs),
	    "logs of nodes (dmesg, journalctl, syslog, BMC, fabric; a file, "
	    "folder or archive): a fault of a job's node right before the job "
	    "died is its root failure; repeatable" },
	{ "node-clock", 0, "NODE=+SECONDS", NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN, BY(set_node_clock),
	    "the clock of the logs of these nodes (or of these paths; a glob) "
	    "is that much fast: +3, -90s, +1h; repeatable" },
	{ "records", 0, "WHICH", RECORDS_WORDS, COMMAND_SCAN, BY(set_unlogged),
	    "which job records without logs are told of, too (default: "
	    "all):" },
	{ "cluster", 0, "NAME", NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN | COMMAND_RUN,
	    TO_TEXT(cluster),
	    "whose ids those are that come without a cluster, of logs and of "
	    "job records" },
	{ "cluster", 0, "NAME", NULL,
	    COMMAND_REPORT | COMMAND_STORE | COMMAND_JUDGE | COMMAND_GROUPS |
		COMMAND_SUGGEST,
	    TO_TEXT(of_cluster),
	    "only jobs of this cluster; with store: of export" },
	{ "cluster", 0, "NAME", NULL, COMMAND_BASELINE, TO_TEXT(of_cluster),
	    "learn: whose ids those are that come without a cluster; show and "
	    "forget: only jobs of this cluster" },
	{ "user", 0, "NAME", NULL, COMMAND_BASELINE, TO_TEXT(of_user),
	    "show and forget: only jobs of this user" },
	{ "user", 0, "NAME", NULL,
	    COMMAND_REPORT | COMMAND_STORE | COMMAND_JUDGE | COMMAND_GROUPS |
		COMMAND_SUGGEST,
	    TO_TEXT(of_user), "only jobs of this user, likewise" },
	{ "user", 0, "NAME", NULL, COMMAND_EXPLAIN, TO_TEXT(of_user),
	    "whose job it is, where no record tells: of the store's only his "
	    "earlier attempts count" },
	{ "account", 0, "NAME", NULL,
	    COMMAND_REPORT | COMMAND_STORE | COMMAND_GROUPS | COMMAND_SUGGEST,
	    TO_TEXT(of_account),
	    "only jobs of this account, or group, likewise" },
	{ "store", 0, "URL", "sqlite:",
	    COMMAND_SCAN | COMMAND_STORE | COMMAND_REPORT | COMMAND_GATE |
		COMMAND_EXPLAIN | COMMAND_RUN | COMMAND_JUDGE | COMMAND_EVAL |
		COMMAND_TAXONOMY | COMMAND_GROUPS | COMMAND_SUGGEST |
		COMMAND_BASELINE,
	    BY(set_store),
	    "where diagnoses are kept: PATH, sqlite:PATH or "
	    "postgresql://HOST/NAME; "
	    "scan puts them there and does not read unchanged logs again" },
	{ "learn", 0, NULL, NULL, COMMAND_SCAN, TO_SWITCH(learn),
	    "learn into the store what the runs that ended well print, some "
	    "of each job's name; see baseline" },
	{ "shard", 0, "I/N", NULL, COMMAND_SCAN, BY(set_shard),
	    "only the I-th of N parts, from 1/N to N/N: each job falls to one "
	    "of them, whoever scans the others" },
	{ "spool", 0, "DIR", NULL, COMMAND_GATE | COMMAND_RUN | COMMAND_STORE,
	    TO_TEXT(spool),
	    "a folder of this machine for what the store cannot take now; "
	    "the next run, and store send, put it into the store" },
	{ "since", 0, "TIME", NULL,
	    COMMAND_REPORT | COMMAND_GATE | COMMAND_GROUPS | COMMAND_SUGGEST,
	    TO_TEXT(since),
	    "the period's start: 2026-11-20, with T08:00 if need be, today, "
	    "yesterday, 24h, 7d (default: 24 hours before its end for a "
	    "report from a store, otherwise everything)" },
	{ "until", 0, "TIME", NULL,
	    COMMAND_REPORT | COMMAND_GATE | COMMAND_GROUPS | COMMAND_SUGGEST,
	    TO_TEXT(until), "the period's end, not included (default: now)" },
	{ "before", 0, "TIME", NULL, COMMAND_STORE, TO_TEXT(before),
	    "prune: forget what ended before" },
	{ "timezone", 0, "ZONE", NULL,
	    COMMAND_SCAN | COMMAND_STORE | COMMAND_REPORT | COMMAND_GROUPS |
		COMMAND_SUGGEST | COMMAND_BASELINE,
	    BY(set_zone),
	    "of records and days that name none (default: the machine's)" },
	{ "policy", 0, "FILE", NULL, COMMAND_GATE | COMMAND_POLICY,
	    BY(set_taxonomy),
	    "verdicts and budgets that come before the built-in ones; "
	    "repeatable" },
	{ "job", 0, "ID", NULL, COMMAND_GATE | COMMAND_RUN, TO_TEXT(job),
	    "the job that is asked about (default: what its path says)" },
	{ "job", 0, "NAME", NULL, COMMAND_BASELINE, TO_TEXT(job),
	    "show and forget: only jobs of this name; show lists what they "
	    "print" },
	{ "attempt", 0, "N", NULL, COMMAND_GATE | COMMAND_RUN, BY(set_attempt),
	    "which attempt of it has ended, from 1" },
	{ "attempt", 0, "N", NULL, COMMAND_JUDGE, BY(set_attempt),
	    "which attempt, from 1 (default: the last)" },
	{ "category", 0, "ID", "@categories", COMMAND_JUDGE, TO_TEXT(category),
	    "what it died of: a category, none or unknown" },
	{ "verdict", 0, "VERDICT", "retry adjust stop undecided none",
	    COMMAND_JUDGE, TO_TEXT(verdict),
	    "what the gate should have said:" },
	{ "note", 0, "TEXT", NULL, COMMAND_JUDGE, TO_TEXT(note),
	    "why, for who reads it" },
	{ "by", 0, "NAME", NULL, COMMAND_JUDGE, TO_TEXT(by),
	    "who says it (default: the login)" },
	{ "list", 0, NULL, NULL, COMMAND_JUDGE, TO_SWITCH(list),
	    "what was said, of this job or of all" },
	{ "forget", 0, NULL, NULL, COMMAND_JUDGE, TO_SWITCH(forget),
	    "take out again what was said of this job" },
	{ "exit-code", 0, "N", NULL, COMMAND_GATE, BY(set_exit_code),
	    "with which exit code it ended" },
	{ "signal", 0, "N", NULL, COMMAND_GATE, BY(set_signal),
	    "which signal ended it" },
	{ "root", 0, "DIR", NULL, COMMAND_GATE, TO_TEXT(root),
	    "where copies of the logs lie: PATH is read at DIR/PATH, and told "
	    "and kept as PATH" },
	{ "print", 0, "WHAT", "verdict line json", COMMAND_GATE, TO_TEXT(print),
	    "one word, a line of key=value, or the diagnosis (default: "
	    "line):" },
	{ "exit-map", 0, "MAP", "@presets", COMMAND_GATE | COMMAND_RUN,
	    TO_TEXT(exit_map),
	    "exit statuses: a preset (slurm, nvrx, metaflow, sysexits, "
	    "kubernetes), retry=0,stop=93,..., or both" },
	{ "on-error", 0, "VERDICT", "retry stop undecided", COMMAND_GATE,
	    TO_TEXT(on_error),
	    "what to answer when the gate itself fails (default: an "
	    "error, status 2):" },
	{ "settle", 0, "SECONDS", NULL, COMMAND_GATE | COMMAND_EXPLAIN,
	    BY(set_settle),
	    "wait at most so long for a log that is missing or still "
	    "grows; --follow: silence until a failure is final (10)" },
	{ "shadow", 0, NULL, NULL, COMMAND_GATE, TO_SWITCH(shadow),
	    "keep the verdict in the store, but always answer retry" },
	{ "why", 0, NULL, NULL, COMMAND_EXPLAIN, TO_SWITCH(why),
	    "what it rests on, what else was considered, why that lost" },
	{ "diff", 0, "GOOD_LOG", NULL, COMMAND_EXPLAIN, TO_TEXT(diff),
	    "what this run printed that the good one did not" },
	{ "follow", 0, NULL, NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EVAL | COMMAND_BASELINE,
	    TO_SWITCH(links),
	    "follow links in folders to what others own, too" },
	{ "follow", 0, NULL, NULL, COMMAND_EXPLAIN, TO_SWITCH(follow),
	    "go on reading a log that is being written" },
	{ "last", 0, NULL, NULL, COMMAND_EXPLAIN, TO_SWITCH(last),
	    "of the jobs in a folder or archive, the one whose log was "
	    "written last" },
	{ "no-pager", 0, NULL, NULL, COMMAND_EXPLAIN, TO_SWITCH_OFF(pager),
	    "no pager on a terminal" },
	{ "on", 0, "RULE=ACT", "@acts", COMMAND_RUN | COMMAND_EXPLAIN,
	    BY(set_on),
	    "warn, or stop the command, when a rule or category is seen, or "
	    "stalled:10m or hang:10m holds; repeatable" },
	{ "exec", 0, "CMD", NULL, COMMAND_RUN | COMMAND_EXPLAIN, TO_TEXT(exec),
	    "run a command when one of these fires" },
	{ "grace", 0, "SECONDS", NULL, COMMAND_RUN, BY(set_grace),
	    "between SIGTERM and SIGKILL (default: 30)" },
	{ "log", 0, "FILE", NULL, COMMAND_RUN, TO_TEXT(log),
	    "write the command's output there, too, in place of what it has" },
	{ "termination-log", 0, "FILE", NULL, COMMAND_RUN,
	    TO_TEXT(termination_log),
	    "write the cause there, as Kubernetes shows it" },
	{ "study", 0, "NAME", STUDY_NAMES, COMMAND_REPORT, BY(set_study),
	    "lay the period out as a study does, beside its figures: Zhang et "
	    "al. (ICSE 2020), or the classes of Philly's, Acme's or Llama 3's "
	    "failures:" },
	{ "digest", 0, "OWNER", "user account", COMMAND_REPORT, TO_TEXT(digest),
	    "instead, for each of them: what failed, mostly of what, what it "
	    "cost, whether to retry, and where the logs lie; text or json:" },
	{ "top", 0, "N", NULL, COMMAND_REPORT | COMMAND_GROUPS, BY(set_top),
	    "rows of a list before the rest is summed up (default: 10)" },
	{ "silence", 0, "DAYS", NULL, COMMAND_REPORT, BY(set_silence),
	    "a failure that was not seen for so long has come back (default: "
	    "14)" },
	{ "level", 0, "SHARE", NULL, COMMAND_REPORT, BY(set_level),
	    "nodes: how large a share of those that are called lemons may be "
	    "false (default: 0.05)" },
	{ "hold", 0, "TIME", NULL, COMMAND_REPORT, BY(set_hold),
	    "nodes: how long they are to be excluded after the period's end: "
	    "12h, 7d, 2w (default: 7d)" },
	{ "link-logs", 0, "URL", NULL, COMMAND_REPORT, TO_TEXT(link_logs),
	    "html: what stands before a log's path in links to it (default: "
	    "those below the report's folder are linked)" },
	{ "title", 0, "TEXT", NULL, COMMAND_REPORT, TO_TEXT(title),
	    "the report's heading" },
	{ "threads", 'j', "N", NULL,
	    COMMAND_SCAN | COMMAND_EVAL | COMMAND_BASELINE, BY(set_threads),
	    "threads (default: the processors)" },
	{ "layout", 0, "NAME|REGEX", "@layouts", FOLDERS, TO_TEXT(layout),
	    "how paths tell jobs apart: auto, slurm, torchelastic, kubernetes, "
	    "pbs, attempt, parts, ranks, directory, archive, file, or a regex "
	    "with groups job, attempt, rank, node, cluster" },
	{ "taxonomy", 't', "PATH", NULL,
	    (COMMAND_ALL & ~COMMAND_STORE) | COMMAND_COMPLETION | COMMAND_HELP,
	    BY(set_taxonomy),
	    "rules that add to or override the built-in ones; repeatable" },
	{ "redact", 0, "WHAT", "email ip user all",
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN | COMMAND_RUN |
		COMMAND_BASELINE,
	    TO_TEXT(redact),
	    "hide this, too, where log text is shown or kept; several with "
	    "commas between:" },
	{ "no-redact", 0, NULL, NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN | COMMAND_RUN,
	    TO_SWITCH(no_redact),
	    "show secrets, too: on one's own terminal only" },
	{ "good", 0, "PATH", NULL, COMMAND_SUGGEST, BY(set_good),
	    "a log of a run that ended well, or a folder of them: lines that "
	    "the rule must not match; repeatable" },
	{ "include", 0, "GLOB", NULL, FOLDERS, BY(set_include),
	    "of the files in folders read only those with such a name, or "
	    "path if it has a '/'; repeatable" },
	{ "exclude", 0, "GLOB", NULL, FOLDERS, BY(set_exclude),
	    "of the files in folders leave these out; repeatable" },
	{ "all-files", 0, NULL, NULL, FOLDERS, TO_SWITCH(all_files),
	    "read also those files in folders that by their names are no "
	    "logs: code, settings, data, models" },
	{ "fail-on", 0, "CONDITION", "@conditions", COMMAND_SCAN,
	    BY(set_fail_on),
	    "exit with 1 when a job fits: failed, unknown, a verdict, a "
	    "dimension or a category; repeatable" },
	{ "trends", 0, NULL, NULL, COMMAND_SCAN, TO_SWITCH(trends),
	    "read losses, gradient norms and the like, too, and warn of what "
	    "looks wrong with them" },
	{ "goodput", 0, NULL, NULL, COMMAND_SCAN, TO_SWITCH(goodput),
	    "read what the time of a training goes into, too: start, steps, "
	    "checkpoints, evaluations, restarts, hangs" },
	{ "limit", 0, "NAME=VALUE", "@limits", COMMAND_ALL, BY(set_limit),
	    "set a limit; see `jobtriage help limits`" },
	{ "sandbox", 0, "WHEN", SANDBOX_WORDS,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN | COMMAND_REPORT |
		COMMAND_BASELINE,
	    BY(set_sandbox),
	    "give up all rights that reading the paths does not need: as far "
	    "as the kernel can, or an error, or not at all (default: auto):" },
	{ "timeout", 0, "SECONDS", NULL,
	    COMMAND_SCAN | COMMAND_GATE | COMMAND_EXPLAIN, BY(set_timeout),
	    "read the logs of one job no longer than that; it is diagnosed "
	    "from what was read (default: 5 for gate, else no bound)" },
	{ "list-wrong", 0, NULL, NULL, COMMAND_EVAL, TO_SWITCH(list_wrong),
	    "list each job whose category or verdict is not the labelled "
	    "one" },
	{ "judged", 0, NULL, NULL, COMMAND_EVAL, TO_SWITCH(judged),
	    "labels are what persons said of the store's jobs, too (see "
	    "judge); their logs are read again" },
	{ "rules", 0, NULL, NULL, COMMAND_EVAL, TO_SWITCH(list_rules),
	    "show what each rule did: answers won, right and wrong, and the "
	    "rules that never gave evidence" },
	{ "color", 0, "WHEN", WHEN_WORDS, COMMAND_ALL, BY(set_colour),
	    "whether to colour text; NO_COLOR is respected (default: "
	    "auto):" },
	{ "no-progress", 0, NULL, NULL, COMMAND_SCAN | COMMAND_EVAL,
	    TO_SWITCH_OFF(progress), "no progress bar on a terminal" },
	{ "no-prefilter", 0, NULL, NULL,
	    COMMAND_SCAN | COMMAND_TAXONOMY | COMMAND_EVAL,
	    TO_SWITCH_OFF(prefilter),
	    "run every rule on every line: slow, the answers are the same" },
	{ "quiet", 'q', NULL, NULL, COMMAND_ALL, TO_SWITCH(quiet),
	    "no notes about inputs on standard error" },
};

#define N_OPTIONS (sizeof options / sizeof *options)

const struct option *option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : NULL;
}
