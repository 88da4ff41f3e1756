/*
 * Options are rows of one table: parsing, help, environment variables and the
 * configuration file all go over it. A value comes from the first that has
 * it: flag, JOBTRIAGE_NAME, configuration file, default.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/period.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct option {
	const char *name;
	char letter;       /* 0: none */
	const char *value; /* what its argument is called; NULL: a switch */
	unsigned commands;
	int (*set)(struct settings *s, const char *value, struct err *e);
	const char *help;
};

static int set_format(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->format = v;
	return 0;
}

static int set_output(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->output = v;
	return 0;
}

static int set_threads(struct settings *s, const char *v, struct err *e)
{
	int64_t n = span_number(span_of(v));

	if (n < 1 || n > 1024)
		return err_set(e, "-j %s: expected a number from 1 to 1024", v);
	s->threads = (unsigned)n;
	return 0;
}

static int set_colour(struct settings *s, const char *v, struct err *e)
{
	static const char *const names[] = { "auto", "always", "never" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(v, names[i]) != 0)
			continue;
		s->colour = (enum when_on)i;
		return 0;
	}
	return err_set(e, "--color %s: expected auto, always or never", v);
}

/* Switches are on unless a file or variable says 0, no or false. */
static bool on(const char *v)
{
	return !v ||
	    (strcmp(v, "0") != 0 && strcmp(v, "no") != 0 &&
		strcmp(v, "false") != 0);
}

static int set_no_progress(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->progress = !on(v);
	return 0;
}

static int set_no_prefilter(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->prefilter = !on(v);
	return 0;
}

static int set_list_wrong(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->list_wrong = on(v);
	return 0;
}

static int set_rules(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->list_rules = on(v);
	return 0;
}

static int set_quiet(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->quiet = on(v);
	return 0;
}

static int set_layout(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->layout = v;
	return 0;
}

static int set_taxonomy(struct settings *s, const char *v, struct err *e)
{
	return list_add(&s->taxonomy, v) ? err_nomem(e) : 0;
}

static int set_fail_on(struct settings *s, const char *v, struct err *e)
{
	return list_add(&s->fail_on, v) ? err_nomem(e) : 0;
}

static int set_record_map(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->record_map = v;
	return 0;
}

static int set_store(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->store = v;
	return 0;
}

static int set_since(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->since = v;
	return 0;
}

static int set_until(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->until = v;
	return 0;
}

static int set_before(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->before = v;
	return 0;
}

static int set_title(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->title = v;
	return 0;
}

static int set_jobs(struct settings *s, const char *v, struct err *e)
{
	if (*v && strspn(v, "0123456789") == strlen(v) && access(v, F_OK))
		return err_set(e,
		    "--jobs %s: a file with job records is expected; the "
		    "number of threads is -j",
		    v);
	return list_add(&s->records, v) ? err_nomem(e) : 0;
}

static int set_unlogged(struct settings *s, const char *v, struct err *e)
{
	static const char *const names[] = { "all", "failed", "joined" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(v, names[i]) != 0)
			continue;
		s->unlogged = (enum triage_records)i;
		return 0;
	}
	return err_set(e, "--records %s: expected all, failed or joined", v);
}

static int set_study(struct settings *s, const char *v, struct err *e)
{
	(void)e;
	s->study = on(v);
	return 0;
}

static int set_top(struct settings *s, const char *v, struct err *e)
{
	int64_t n = span_number(span_of(v));

	if (n < 1 || n > 100000)
		return err_set(e, "--top %s: expected a number of rows", v);
	s->top = (unsigned)n;
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

static const struct option options[] = {
	{ "format", 'f', "FORMAT", COMMAND_ALL, set_format,
	    "text (default), jsonl, json or csv; report: also markdown, "
	    "prometheus and html; taxonomy, eval and store: text or json" },
	{ "output", 'o', "FILE", COMMAND_ALL, set_output,
	    "write to FILE: aside first, then renamed over it" },
	{ "jobs", 0, "FILE", COMMAND_SCAN, set_jobs,
	    "job records that say who ran a job, on how many GPUs and for how "
	    "long: sacct, jobcomp, kubectl, Philly, Helios, Acme, CSV, JSON "
	    "lines; repeatable" },
	{ "jobs-map", 0, "FILE", COMMAND_SCAN, set_record_map,
	    "YAML that says which columns of a CSV or JSON lines file mean "
	    "what" },
	{ "records", 0, "WHICH", COMMAND_SCAN, set_unlogged,
	    "which job records without logs are told of, too: all (default), "
	    "failed, or joined (none)" },
	{ "store", 0, "URL", COMMAND_SCAN | COMMAND_STORE | COMMAND_REPORT,
	    set_store,
	    "where diagnoses are kept: sqlite:PATH; scan puts them there and "
	    "does not read unchanged logs again" },
	{ "since", 0, "TIME", COMMAND_REPORT, set_since,
	    "the period's start: 2026-11-20, with T08:00 if need be, today, "
	    "yesterday, 24h, 7d (default with a store: 24 hours before its "
	    "end)" },
	{ "until", 0, "TIME", COMMAND_REPORT, set_until,
	    "the period's end, not included (default: now)" },
	{ "before", 0, "TIME", COMMAND_STORE, set_before,
	    "prune: forget what ended before" },
	{ "timezone", 0, "ZONE", COMMAND_SCAN | COMMAND_STORE | COMMAND_REPORT,
	    set_zone,
	    "of records and days that name none (default: the machine's)" },
	{ "study", 0, NULL, COMMAND_REPORT, set_study,
	    "lay the period out as Zhang et al. (ICSE 2020) do, beside their "
	    "figures" },
	{ "top", 0, "N", COMMAND_REPORT, set_top,
	    "rows of a list before the rest is summed up (default: 10)" },
	{ "title", 0, "TEXT", COMMAND_REPORT, set_title,
	    "the report's heading" },
	{ "threads", 'j', "N", COMMAND_SCAN | COMMAND_EVAL, set_threads,
	    "threads (default: the processors)" },
	{ "layout", 0, "NAME|REGEX", COMMAND_SCAN, set_layout,
	    "how paths tell jobs apart: auto, slurm, torchelastic, kubernetes, "
	    "pbs, attempt, parts, ranks, directory, archive, file, or a regex "
	    "with groups job, attempt, rank, node" },
	{ "taxonomy", 't', "PATH", COMMAND_ALL & ~COMMAND_STORE, set_taxonomy,
	    "rules that add to or override the built-in ones; repeatable" },
	{ "fail-on", 0, "CONDITION", COMMAND_SCAN, set_fail_on,
	    "exit with 1 when a job fits: failed, unknown, a verdict, a "
	    "dimension or a category; repeatable" },
	{ "limit", 0, "NAME=VALUE", COMMAND_ALL, set_limit,
	    "set a limit; see `jobtriage help limits`" },
	{ "list-wrong", 0, NULL, COMMAND_EVAL, set_list_wrong,
	    "list each job whose category or verdict is not the labelled "
	    "one" },
	{ "rules", 0, NULL, COMMAND_EVAL, set_rules,
	    "show what each rule did: answers won, right and wrong, and the "
	    "rules that never gave evidence" },
	{ "color", 0, "WHEN", COMMAND_ALL, set_colour,
	    "auto (default), always or never; NO_COLOR is respected" },
	{ "no-progress", 0, NULL, COMMAND_SCAN | COMMAND_EVAL, set_no_progress,
	    "no progress bar on a terminal" },
	{ "no-prefilter", 0, NULL,
	    COMMAND_SCAN | COMMAND_TAXONOMY | COMMAND_EVAL, set_no_prefilter,
	    "run every rule on every line: slow, the answers are the same" },
	{ "quiet", 'q', NULL, COMMAND_ALL, set_quiet,
	    "no notes about inputs on standard error" },
};

#define N_OPTIONS (sizeof options / sizeof *options)

int list_add(struct list *l, const char *s)
{
	const char **v = realloc(l->v, (l->n + 1) * sizeof *v);

	if (!v)
		return -1;
	l->v = v;
	v[l->n++] = s;
	return 0;
}

void settings_init(struct settings *s)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	*s = (struct settings){
		.format = "text",
		.threads = n > 0 && n < 1024 ? (unsigned)n : 1,
		.progress = true,
		.prefilter = true,
		.top = 10,
	};
	limits_init(&s->limits);
}

void settings_release(struct settings *s)
{
	for (size_t i = 0; i < s->owned.n; i++)
		free((char *)(uintptr_t)s->owned.v[i]);
	free(s->owned.v);
	free(s->taxonomy.v);
	free(s->fail_on.v);
	free(s->records.v);
	free(s->arguments.v);
}

/* ---- the configuration file and the environment ---- */

static const struct option *by_name(struct span name)
{
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (span_is(name, options[i].name))
			return &options[i];
	return NULL;
}

static int config_line(struct settings *s, struct span line, const char *path,
    unsigned number, struct err *e)
{
	size_t eq;
	const struct option *o;
	char *value;

	line = span_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return 0;
	eq = span_find(line, "=");
	if (eq == SIZE_MAX)
		return err_set(e, "%s:%u: expected NAME = VALUE", path, number);
	o = by_name(span_trim(span_sub(line, 0, eq)));
	if (!o)
		return err_set(e, "%s:%u: no option '%.*s'", path, number,
		    (int)span_trim(span_sub(line, 0, eq)).n, line.p);
	value = span_dup(span_trim(span_sub(line, eq + 1, line.n)));
	if (!value || list_add(&s->owned, value)) {
		free(value);
		return err_nomem(e);
	}
	return o->set(s, value, e) ? err_prefix(e, "%s:%u", path, number) : 0;
}

/* Read the file if it is there. */
static int config_file(
    struct settings *s, const char *path, bool must, struct err *e)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	unsigned number = 0;
	int rc = 0;

	if (!f)
		return must ? err_set(e, "%s: cannot be read", path) : 0;
	while (!rc && (n = getline(&line, &cap, f)) >= 0)
		rc = config_line(
		    s, (struct span){ line, (size_t)n }, path, ++number, e);
	free(line);
	fclose(f);
	return rc;
}

static int read_config(struct settings *s, struct err *e)
{
	const char *named = getenv("JOBTRIAGE_CONFIG");
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct buf path = BUF_INIT(BUF_MAX);
	int rc;

	if (named)
		return *named ? config_file(s, named, true, e) : 0;
	rc = config_file(s, "/etc/jobtriage/config", false, e);
	if (!rc && xdg && *xdg)
		rc = buf_addf(&path, "%s/jobtriage/config", xdg);
	else if (!rc && home && *home)
		rc = buf_addf(&path, "%s/.config/jobtriage/config", home);
	if (!rc && path.len)
		rc = config_file(s, path.p, false, e);
	buf_release(&path);
	return rc;
}

static int read_environment(
    struct settings *s, const struct command *c, struct err *e)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct option *o = &options[i];
		char name[64] = "JOBTRIAGE_";
		const char *v;
		size_t at = strlen(name);

		for (size_t k = 0; o->name[k] && at < sizeof name - 1; k++) {
			char ch = o->name[k];

			name[at++] = ch == '-'       ? '_'
			    : ch >= 'a' && ch <= 'z' ? (char)(ch - 'a' + 'A')
						     : ch;
		}
		name[at] = '\0';
		v = getenv(name);
		if (v && *v && (o->commands & c->bit) && o->set(s, v, e))
			return err_prefix(e, "%s", name);
	}
	return 0;
}

/* ---- arguments ---- */

/* The option that arg is, for this command; *value is what follows '='. */
static const struct option *match(
    const char *arg, unsigned bit, const char **value)
{
	struct span name = span_of(arg);
	size_t eq;

	*value = NULL;
	for (size_t i = 0; arg[1] != '-' && i < N_OPTIONS; i++) {
		if (!options[i].letter || options[i].letter != arg[1] ||
		    !(options[i].commands & bit))
			continue;
		if (arg[2])
			*value = arg + 2;
		return &options[i];
	}
	if (arg[1] != '-')
		return NULL;
	eq = span_find(name, "=");
	if (eq != SIZE_MAX)
		*value = arg + eq + 1;
	name = span_sub(name, 2, eq == SIZE_MAX ? name.n : eq);
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (span_is(name, options[i].name) &&
		    (options[i].commands & bit))
			return &options[i];
	return NULL;
}

static int read_arguments(
    struct settings *s, const struct command *c, char **argv, struct err *e)
{
	for (; *argv; argv++) {
		const char *arg = *argv, *value;
		const struct option *o;

		if (strcmp(arg, "--") == 0) {
			while (*++argv)
				if (list_add(&s->arguments, *argv))
					return err_nomem(e);
			break;
		}
		if (arg[0] != '-' || arg[1] == '\0') {
			if (list_add(&s->arguments, arg))
				return err_nomem(e);
			continue;
		}
		if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
			return 1;
		o = match(arg, c->bit, &value);
		if (!o)
			return err_set(e,
			    "%s: no option '%s'; see jobtriage %s --help",
			    c->name, arg, c->name);
		if (!o->value && value)
			return err_set(e, "--%s takes no value", o->name);
		if (o->value && !value) {
			value = *++argv;
			if (!value)
				return err_set(e, "--%s: %s is missing",
				    o->name, o->value);
		}
		if (o->set(s, value, e))
			return -1;
	}
	return 0;
}

int settings_read(
    struct settings *s, const struct command *c, char **argv, struct err *e)
{
	if (read_config(s, e) || read_environment(s, c, e))
		return -1;
	return read_arguments(s, c, argv, e);
}

/* Print text in columns from indent on. */
static void wrapped(FILE *f, const char *text, unsigned indent)
{
	unsigned at = indent;

	while (*text) {
		size_t n = strcspn(text, " ");

		if (at > indent && at + n + 1 > 79) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			fputc(' ', f);
			at++;
		}
		fprintf(f, "%.*s", (int)n, text);
		at += (unsigned)n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

void options_help(const struct command *c, FILE *f)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct option *o = &options[i];
		int n;

		if (!(o->commands & c->bit))
			continue;
		n = o->letter ? fprintf(f, "  -%c, ", o->letter)
			      : fprintf(f, "      ");
		n += fprintf(f, "--%s%s%s", o->name, o->value ? " " : "",
		    o->value ? o->value : "");
		if (n > 28) {
			fputc('\n', f);
			n = 0;
		}
		fprintf(f, "%*s", 30 - n, "");
		wrapped(f, o->help, 30);
	}
	fprintf(f, "  -h, --help                  this text\n");
}
