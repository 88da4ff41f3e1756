/*
 * Options are rows of one table: parsing, help, environment variables and the
 * configuration file all go over it. A value comes from the first that has
 * it: flag, JOBTRIAGE_NAME, configuration file, default.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GATE_MILLISECONDS 5000

/* Switches are on unless a file or variable says 0, no or false. */
static bool on(const char *v)
{
	return !v ||
	    (strcmp(v, "0") != 0 && strcmp(v, "no") != 0 &&
		strcmp(v, "false") != 0);
}

int options_words(struct buf *out, const char *words)
{
	for (const char *w = words; *w; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");
		const char *before = w == words ? "" : w[n] ? ", " : " or ";

		if (buf_adds(out, before) || buf_add(out, w, n))
			return -1;
		w += n;
	}
	return 0;
}

int options_list_add(struct list *l, const char *s)
{
	const char **v = realloc(l->v, (l->n + 1) * sizeof *v);

	if (!v)
		return -1;
	l->v = v;
	v[l->n++] = s;
	return 0;
}

void options_init(struct settings *s)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	*s = (struct settings){
		.format = "text",
		.threads = n > 0 && n < 1024 ? (unsigned)n : 1,
		.progress = true,
		.prefilter = true,
		.top = 10,
		.silence = 14,
		.level = 0.05,
		.hold = 7 * 86400,
		.pager = true,
		.grace = 30,
		.exit_code = -1,
		.signal = -1,
	};
	limits_init(&s->limits);
}

void options_release(struct settings *s)
{
	for (size_t i = 0; i < s->owned.n; i++)
		free((char *)(uintptr_t)s->owned.v[i]);
	free(s->owned.v);
	free(s->taxonomy.v);
	free(s->fail_on.v);
	free(s->include.v);
	free(s->exclude.v);
	free(s->records.v);
	free(s->good.v);
	free(s->node_logs.v);
	free(s->node_clocks.v);
	free(s->on.v);
	free(s->arguments.v);
}

/* Give an option its value; NULL: a switch on the command line. */
static int set_option(struct settings *s, const struct option *o,
    const char *value, struct err *e)
{
	char *member = (char *)s + o->u.at;

	switch (o->how) {
	case TEXT:
		*(const char **)(void *)member = value;
		return 0;
	case SWITCH:
	case SWITCH_OFF:
		*(bool *)member = on(value) == (o->how == SWITCH);
		return 0;
	case BY_FUNCTION:
		break;
	}
	return o->u.set(s, value, e);
}

/* ---- the configuration file and the environment ---- */

static const struct option *by_name(struct span name)
{
	const struct option *o;

	for (size_t i = 0; (o = option_at(i)); i++)
		if (span_is(name, o->name))
			return o;
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
	if (!value || options_list_add(&s->owned, value)) {
		free(value);
		return err_nomem(e);
	}
	return set_option(s, o, value, e) ? err_prefix(e, "%s:%u", path, number)
					  : 0;
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

	/* HOME is often inherited from somebody else */
	if (!f && !must && (errno == EACCES || errno == EPERM)) {
		screen_complain("%s: %s: left out", path, strerror(errno));
		return 0;
	}
	if (!f)
		return must || (errno != ENOENT && errno != ENOTDIR)
		    ? err_errno(e, path)
		    : 0;
	while (!rc && (n = getline(&line, &cap, f)) >= 0)
		rc = config_line(
		    s, (struct span){ line, (size_t)n }, path, ++number, e);
	if (!rc && !feof(f))
		rc = err_errno(e, path);
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
	const struct option *o;

	for (size_t i = 0; (o = option_at(i)); i++) {
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
		if (v && *v && (o->commands & c->bit) && set_option(s, o, v, e))
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
	const struct option *o;
	size_t eq;

	*value = NULL;
	for (size_t i = 0; arg[1] != '-' && (o = option_at(i)); i++) {
		if (!o->letter || o->letter != arg[1] || !(o->commands & bit))
			continue;
		if (arg[2])
			*value = arg + 2;
		return o;
	}
	if (arg[1] != '-')
		return NULL;
	eq = span_find(name, "=");
	if (eq != SIZE_MAX)
		*value = arg + eq + 1;
	name = span_sub(name, 2, eq == SIZE_MAX ? name.n : eq);
	for (size_t i = 0; (o = option_at(i)); i++)
		if (span_is(name, o->name) && (o->commands & bit))
			return o;
	return NULL;
}

static int no_option(const struct command *c, const char *arg, struct err *e)
{
	const struct option *o;
	char word[32];
	struct nearest n;

	snprintf(
	    word, sizeof word, "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	n = nearest_to(word);
	for (size_t i = 0; arg[1] == '-' && (o = option_at(i)); i++)
		if (o->commands & c->bit)
			nearest_offer(&n, o->name);
	if (n.found)
		return err_set(e, "%s: no option '%s'; did you mean '--%s'?",
		    c->name, arg, n.found);
	return err_set(e, "%s: no option '%s'; see jobtriage %s --help",
	    c->name, arg, c->name);
}

static int read_arguments(
    struct settings *s, const struct command *c, char **argv, struct err *e)
{
	for (; *argv; argv++) {
		const char *arg = *argv, *value;
		const struct option *o;

		if (strcmp(arg, "--") == 0) {
			while (*++argv)
				if (options_list_add(&s->arguments, *argv))
					return err_nomem(e);
			break;
		}
		if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
			return 1;
		/* help takes the options of others for words */
		if (arg[0] != '-' || arg[1] == '\0' || c->bit == COMMAND_HELP) {
			if (options_list_add(&s->arguments, arg))
				return err_nomem(e);
			continue;
		}
		o = match(arg, c->bit, &value);
		if (!o)
			return no_option(c, arg, e);
		if (!o->value && value)
			return err_set(e, "--%s takes no value", o->name);
		if (o->value && !value) {
			value = *++argv;
			if (!value)
				return err_set(e, "--%s: %s is missing",
				    o->name, o->value);
		}
		if (set_option(s, o, value, e))
			return -1;
	}
	return 0;
}

int options_read(
    struct settings *s, const struct command *c, char **argv, struct err *e)
{
	/* a scheduler waits for it */
	if (c->bit == COMMAND_GATE)
		s->limits.v[LIMIT_JOB_TIME] = GATE_MILLISECONDS;
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

void option_help(const struct option *o, FILE *f)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int n =
	    o->letter ? fprintf(f, "  -%c, ", o->letter) : fprintf(f, "      ");

	n += fprintf(f, "--%s%s%s", o->name, o->value ? " " : "",
	    o->value ? o->value : "");
	if (n > 28) {
		fputc('\n', f);
		n = 0;
	}
	fprintf(f, "%*s", 30 - n, "");
	if (buf_adds(&text, o->help) == 0 && text.p[text.len - 1] == ':' &&
	    buf_addc(&text, ' ') == 0)
		(void)options_words(&text, o->words);
	wrapped(f, text.p ? text.p : o->help, 30);
	buf_release(&text);
}

void options_help(const struct command *c, FILE *f)
{
	const struct option *o;

	for (size_t i = 0; (o = option_at(i)); i++)
		if (o->commands & c->bit)
			option_help(o, f);
	fprintf(f, "  -h, --help                  this text\n");
}
