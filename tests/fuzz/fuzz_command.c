/*
 * Whole commands, in this process: files are made of the input, a command line
 * is run over them as main does, and whatever the bytes were, the status is
 * one of the contract, and what is written is whole, valid and harmless.
 *
 * Input: the files of the target, in its order, with a form feed between them.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The program's table of commands, and how it runs one. */
#define main fuzz_not_main
int fuzz_not_main(int argc, char **argv);
#include "cli/main.c" /* NOLINT(bugprone-suspicious-include) */
#undef main

#define WORDS 24

static char folder[] = "/dev/shm/jobtriage-fuzz-XXXXXX";
/* All that the targets make there. */
static const char *const files[] = { "out", "records", "overlay.yaml",
	"slurm-1.out", "good.log", "bad.log", "lines", "again", "a.db", "b.db",
	"77/attempt_1/x.log", "77/attempt_2/x.log" };
static const char *const folders[] = { "77/attempt_1", "77/attempt_2", "77" };

static void forget(const char *name)
{
	unlink(name);
}

/* Into the folder, made when it is first needed, or out of it. */
static void enter(bool in)
{
	static int there = -1, home = -1;

	if (there < 0) {
		home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		FUZZ_CHECK(home >= 0 && mkdtemp(folder));
		there = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		FUZZ_CHECK(there >= 0);
	}
	FUZZ_CHECK(!fchdir(in ? there : home));
}

static void clean_up(void)
{
	enter(true);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		forget(files[i]);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		rmdir(folders[i]);
	enter(false);
	rmdir(folder);
}

static void begin(void)
{
	static bool ready;

	enter(true);
	if (ready)
		return;
	ready = true;
	FUZZ_CHECK(!mkdir("77", 0700) && !mkdir("77/attempt_1", 0700) &&
	    !mkdir("77/attempt_2", 0700));
	atexit(clean_up);
	setenv("TZ", "UTC", 1);
	setenv("JOBTRIAGE_CONFIG", "", 1);
}

static void put(const char *name, struct span data)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, data.p, data.n) == (ssize_t)data.n);
	close(fd);
}

/* Empty when it is not there. */
static struct buf get(const char *name)
{
	struct buf b = BUF_INIT(BUF_MAX);
	FILE *f = fopen(name, "r");

	while (f && !feof(f)) {
		FUZZ_CHECK(!buf_reserve(&b, 1 << 16));
		b.len += fread(b.p + b.len, 1, 1 << 16, f);
		FUZZ_CHECK(!ferror(f));
	}
	if (f)
		fclose(f);
	return b;
}

/* What a person or a terminal gets. */
static void check_text(struct span text)
{
	FUZZ_CHECK(fuzz_utf8(text));
	for (size_t i = 0; i < text.n; i++)
		FUZZ_CHECK((unsigned char)text.p[i] >= ' ' ||
		    text.p[i] == '\n' || text.p[i] == '\r' ||
		    text.p[i] == '\t');
}

static void check_json(struct span text)
{
	struct json *o;
	struct err e;

	check_text(text);
	if (!text.n)
		return;
	o = json_parse(text, JSON_UNIQUE_KEYS, &e);
	fuzz_ok(!o, &e);
	json_free(o);
}

static void check_lines(struct span text)
{
	struct span line;
	struct json *o;
	struct err e;

	FUZZ_CHECK(!text.n || text.p[text.n - 1] == '\n');
	while (span_line(&text, &line)) {
		o = json_parse(line, JSON_UNIQUE_KEYS, &e);
		fuzz_ok(!o, &e);
		json_free(o);
	}
}

/* Run a command line, words between blanks; its output is the file "out",
 * which is there when it ended well. */
static enum exit_status command(const char *line)
{
	char words[512], *argv[WORDS], *save = NULL;
	const struct command *c;
	enum exit_status status;
	FILE *before = stderr;
	char *told = NULL;
	size_t n = 0, n_told = 0;

	FUZZ_CHECK(
	    (size_t)snprintf(words, sizeof words, "%s", line) < sizeof words);
	for (char *p = strtok_r(words, " ", &save); p;
	     p = strtok_r(NULL, " ", &save)) {
		FUZZ_CHECK(n < WORDS - 1);
		argv[n++] = p;
	}
	argv[n] = NULL;
	c = n ? find(argv[0]) : NULL;
	FUZZ_CHECK(c);
	forget("out");
	stderr = open_memstream(&told, &n_told);
	FUZZ_CHECK(stderr);
	status = run(c, argv + 1);
	FUZZ_CHECK(!fclose(stderr));
	stderr = before;
	check_text((struct span){ told, n_told });
	/* 1 is for --fail-on, 4 for what no input can do */
	if (status != STATUS_OK && status != STATUS_USAGE &&
	    status != STATUS_DEGRADED) {
		fprintf(stderr, "%s: status %d: %s\n", line, (int)status, told);
		fuzz_broken(__FILE__, __LINE__, "a status of the contract");
	}
	FUZZ_CHECK(status == STATUS_OK || n_told);
	free(told);
	return status;
}

/* The same, and look at its output. */
static enum exit_status checked(
    const char *line, void (*check)(struct span text))
{
	enum exit_status status = command(line);
	struct buf out = get("out");

	check((struct span){ out.p, out.len });
	buf_release(&out);
	return status;
}

#define SCAN "scan --sandbox=off --no-progress -j 1 -f jsonl -o out "
#define EXPLAIN "explain --sandbox=off -o out "

/* ---- the targets ---- */

/* Job records, and the log of job 1. */
static void run_scan(struct span data)
{
	begin();
	put("records", fuzz_part(&data, '\f'));
	put("slurm-1.out", data);
	checked(SCAN "--jobs records slurm-1.out", check_lines);
	enter(false);
}

const struct fuzz_target fuzz_scan = { "scan", 16 << 10, run_scan };

/* A site's rules, policy or signals, and a log. */
static void run_overlay(struct span data)
{
	begin();
	put("overlay.yaml", fuzz_part(&data, '\f'));
	put("slurm-1.out", data);
	checked(SCAN "--taxonomy overlay.yaml --limit match-time=100 "
		     "slurm-1.out",
	    check_lines);
	enter(false);
}

const struct fuzz_target fuzz_overlay = { "overlay", 8 << 10, run_overlay };

/* The log of a good run, and that of a bad one. */
static void run_diff(struct span data)
{
	begin();
	put("good.log", fuzz_part(&data, '\f'));
	put("bad.log", data);
	checked(EXPLAIN "--diff good.log bad.log", check_text);
	checked(EXPLAIN "-f markdown --diff good.log bad.log", check_text);
	enter(false);
}

const struct fuzz_target fuzz_diff = { "diff", 16 << 10, run_diff };

/* Diagnoses of the past, and the logs of two attempts. */
static void run_history(struct span data)
{
	begin();
	forget("a.db");
	put("lines", fuzz_part(&data, '\f'));
	put("77/attempt_1/x.log", fuzz_part(&data, '\f'));
	put("77/attempt_2/x.log", data);
	command("store import -o out --store sqlite:a.db lines");
	checked(EXPLAIN "--store sqlite:a.db 77/attempt_1 77/attempt_2",
	    check_text);
	checked("gate replay --sandbox=off -f json -o out --store sqlite:a.db",
	    check_json);
	enter(false);
}

const struct fuzz_target fuzz_history = { "history", 16 << 10, run_history };

/* Diagnoses to keep, and to give away in every format. */
static void run_export(struct span data)
{
	static const char *const reports[] = { "text", "markdown", "csv",
		"prometheus", "html" };
	struct buf once, again;
	char line[128];

	begin();
	forget("a.db");
	forget("b.db");
	put("lines", data);
	command("store import -o out --store sqlite:a.db lines");
	if (checked("store export -o out --store sqlite:a.db", check_lines) ==
	    STATUS_OK) {
		once = get("out");
		put("again", (struct span){ once.p, once.len });
		FUZZ_CHECK(
		    !command("store import -o out --store sqlite:b.db again"));
		FUZZ_CHECK(!command("store export -o out --store sqlite:b.db"));
		again = get("out");
		fuzz_same(&once, &again);
		buf_release(&once);
		buf_release(&again);
	}
	snprintf(line, sizeof line,
	    "report --sandbox=off --since 1970-01-01 -o out "
	    "--store sqlite:a.db -f %s",
	    reports[hash_of(data.p, data.n).low %
		(sizeof reports / sizeof *reports)]);
	checked(line, check_text);
	enter(false);
}

const struct fuzz_target fuzz_export = { "export", 16 << 10, run_export };
