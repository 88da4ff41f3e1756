/*
 * jobtriage completion SHELL: a script made from the tables of commands and
 * options, for the shell to source. What a value may be stands in the option's
 * row, or in the table that the row names; the script carries the words, and
 * starts no program to complete. Rules are many, and only stand where nothing
 * but an id is asked for.
 *
 * bash splits words at '=' and ':', so that there `--format=json` is three
 * words, and of `--on RULE=stop` only what follows '=' is completed.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/cli.h"
#include "cli/gate_map.h"
#include "jobs/layout.h"
#include "rules/taxonomy.h"

#include <string.h>

struct script {
	const struct taxonomy *tax;
	struct buf words; /* of the value at hand */
	FILE *f;
	bool failed; /* out of memory */
};

/* ---- what a value may be ---- */

static void add(struct script *s, const char *word, const char *end)
{
	if (buf_addf(&s->words, "%s%s%s", s->words.len ? " " : "", word, end))
		s->failed = true;
}

static void add_presets(struct script *s)
{
	for (size_t i = 0; gate_map_preset(i); i++)
		add(s, gate_map_preset(i), "");
}

static void add_layouts(struct script *s)
{
	const char *name, *last = "";

	add(s, "auto", "");
	for (size_t i = 0; (name = layout_name(s->tax, i)); i++) {
		if (strcmp(name, last) != 0)
			add(s, name, "");
		last = name;
	}
}

static void add_limits(struct script *s)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		add(s, limit_table[i].name, "=");
}

static void add_categories(struct script *s, const char *end)
{
	for (size_t i = 0; i < s->tax->n_categories; i++)
		add(s, s->tax->categories[i].id, end);
}

/* What a job may have died of. */
static void add_answers(struct script *s)
{
	add(s, "none", "");
	add(s, "unknown", "");
	add_categories(s, "");
}

static void add_ids(struct script *s)
{
	add_categories(s, "");
	for (size_t i = 0; i < s->tax->n_rules; i++)
		add(s, taxonomy_rule_at(s->tax, i)->id, "");
}

static void add_acts(struct script *s)
{
	add(s, "stalled:", "");
	add(s, "hang:", "");
	add_categories(s, "=");
}

static void add_verdicts(struct script *s)
{
	for (int i = 0; i < VERDICT_COUNT; i++)
		add(s, taxonomy_verdict_name((enum verdict)i), "");
}

static void add_conditions(struct script *s)
{
	const struct category *c = s->tax->categories;

	add(s, "failed", "");
	add(s, "unknown", "");
	add_verdicts(s);
	for (size_t i = 0; i < s->tax->n_categories; i++) {
		size_t k = 0;

		while (strcmp(c[k].dimension, c[i].dimension) != 0)
			k++;
		if (k == i) /* not named yet */
			add(s, c[i].dimension, "");
	}
	add_categories(s, "");
}

static void add_topics(struct script *s)
{
	for (size_t i = 0; main_command(i); i++)
		add(s, main_command(i)->name, "");
	add(s, "limits", "");
	add_verdicts(s);
	add_categories(s, "");
}

static const struct {
	const char *name;
	void (*add)(struct script *s);
} lists[] = {
	{ "@presets", add_presets },
	{ "@layouts", add_layouts },
	{ "@limits", add_limits },
	{ "@ids", add_ids },
	{ "@categories", add_answers },
	{ "@acts", add_acts },
	{ "@conditions", add_conditions },
	{ "@topics", add_topics },
};

/* Valid until the next call. */
static const char *expand(struct script *s, const char *words)
{
	if (!words || *words != '@')
		return words ? words : "";
	buf_clear(&s->words);
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(words, lists[i].name) == 0)
			lists[i].add(s);
	return s->words.p ? s->words.p : "";
}

static bool takes_file(const struct option *o)
{
	return o->value &&
	    (strcmp(o->value, "FILE") == 0 || strcmp(o->value, "PATH") == 0 ||
		strcmp(o->value, "GOOD_LOG") == 0);
}

/* Its words are starts, to which more is to be typed. */
static bool open_ended(const struct option *o)
{
	return o->words &&
	    (strcmp(o->words, "@limits") == 0 ||
		strcmp(o->words, "@acts") == 0 ||
		o->words[strlen(o->words) - 1] == ':');
}

static bool takes_paths(const struct command *c)
{
	return strstr(c->synopsis, "PATH") || strstr(c->synopsis, "FILE") ||
	    strstr(c->synopsis, "DIR");
}

static bool has(const struct command *c, const struct option *o)
{
	return (o->commands & c->bit) != 0;
}

/* Text inside single quotes; letters of special get a backslash. */
static void quoted(
    struct script *s, const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, s->f);
		else
			fprintf(s->f, "%s%c",
			    strchr(special, *text) ? "\\" : "", *text);
	}
}

/* The first clause of a help text. */
static const char *brief(const char *help, struct buf *out)
{
	size_t n = strcspn(help, ":;(");

	buf_clear(out);
	while (n && help[n - 1] == ' ')
		n--;
	return buf_add(out, help, n) ? "" : out->p;
}

/* ---- bash ---- */

static void bash_command(struct script *s, const struct command *c)
{
	const struct option *o;

	fprintf(s->f, "\t%s)\n\t\toptions='--help", c->name);
	for (size_t i = 0; (o = option_at(i)); i++)
		if (has(c, o))
			fprintf(s->f, " --%s", o->name);
	fprintf(s->f, "'\n\t\twords='%s'\n", expand(s, c->words));
	if (takes_paths(c))
		fputs("\t\tfiles=1\n", s->f);
	fputs("\t\tcase $prev in\n", s->f);
	for (size_t i = 0; (o = option_at(i)); i++) {
		if (!has(c, o) || !o->value)
			continue;
		fprintf(s->f, "\t\t--%s", o->name);
		if (o->letter)
			fprintf(s->f, " | -%c", o->letter);
		fprintf(s->f, ") value=1 files=%s words='%s' ;;\n",
		    takes_file(o) ? "1" : "", expand(s, o->words));
		if (o->words && strcmp(o->words, "@acts") == 0)
			fprintf(s->f,
			    "\t\t--%s=) value=1 files= words='warn stop' ;;\n",
			    o->name);
	}
	fputs("\t\tesac ;;\n", s->f);
}

static void bash(struct script *s)
{
	fputs("# bash completion for jobtriage\n"
	      "_jobtriage()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev= value= files= i\n"
	      "\tlocal options= words= at=$COMP_CWORD\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [[ $cur == [=:] ]]; then\n"
	      "\t\tcur=\n"
	      "\telse\n"
	      "\t\tat=$((at - 1))\n"
	      "\tfi\n"
	      "\tprev=${COMP_WORDS[at]}\n"
	      "\tif [[ $prev == = && ${COMP_WORDS[at - 1]} == -* ]]; then\n"
	      "\t\tprev=${COMP_WORDS[at - 1]}\n"
	      "\telif [[ $prev == = ]]; then\n"
	      "\t\ti=2\n"
	      "\t\t[[ ${COMP_WORDS[at - 2]} != : ]] || i=4\n"
	      "\t\tprev=${COMP_WORDS[at - i]}=\n"
	      "\tfi\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\tCOMPREPLY=($(compgen -W '--help --version",
	    s->f);
	for (size_t i = 0; main_command(i); i++)
		fprintf(s->f, " %s", main_command(i)->name);
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	    s->f);
	for (size_t i = 0; main_command(i); i++)
		bash_command(s, main_command(i));
	fputs("\tesac\n"
	      "\tif [[ ! $value ]]; then\n"
	      "\t\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	      "\t\t\toptions= words= files=1\n"
	      "\t\t\tif [[ ${COMP_WORDS[1]} == run ]] &&\n"
	      "\t\t\t    ((i == COMP_CWORD - 1)); then\n"
	      "\t\t\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	      "\t\t\t\treturn\n"
	      "\t\t\tfi\n"
	      "\t\t\tbreak\n"
	      "\t\tdone\n"
	      "\t\tif [[ $cur == -* ]]; then\n"
	      "\t\t\twords=$options files=\n"
	      "\t\telif [[ ${COMP_WORDS[1]} == taxonomy &&\n"
	      "\t\t    \" ${COMP_WORDS[*]:2:COMP_CWORD-2} \" == "
	      "*' show '* ]]; then\n"
	      "\t\t\twords='",
	    s->f);
	fputs(expand(s, "@ids"), s->f);
	fputs("'\n\t\telif [[ $prev == [=:] || $prev == *= ]]; then\n"
	      "\t\t\twords= files=1\n"
	      "\t\tfi\n"
	      "\tfi\n"
	      "\t[[ ! $words ]] || "
	      "COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	      "\tif [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *[=:] ]]; then\n"
	      "\t\tcompopt -o nospace 2>/dev/null\n"
	      "\tfi\n"
	      "\tif [[ $files ]]; then\n"
	      "\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\tlocal IFS=$'\\n'\n"
	      "\t\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	      "\tfi\n"
	      "}\n"
	      "complete -F _jobtriage jobtriage\n",
	    s->f);
}

/* ---- zsh ---- */

#define ZSH_QUOTE "'\\''"

static void zsh_option(struct script *s, const struct option *o)
{
	struct buf help = BUF_INIT(BUF_MAX);

	fputs("\t\t\t", s->f);
	if (o->letter)
		fprintf(s->f, "'*'{-%c%s,--%s%s}'[", o->letter,
		    o->value ? "+" : "", o->name, o->value ? "=" : "");
	else
		fprintf(s->f, "'*--%s%s[", o->name, o->value ? "=" : "");
	quoted(s, brief(o->help, &help), "[]:\\", ZSH_QUOTE);
	buf_release(&help);
	fputc(']', s->f);
	if (o->value)
		fprintf(s->f, ":%s:", o->value);
	if (takes_file(o))
		fputs("_files", s->f);
	else if (open_ended(o)) {
		fputs("{compadd -S \"\" -- ", s->f);
		quoted(s, expand(s, o->words), ":\\", ZSH_QUOTE);
		fputc('}', s->f);
	} else if (o->words) {
		fputc('(', s->f);
		quoted(s, expand(s, o->words), ":\\", ZSH_QUOTE);
		fputc(')', s->f);
	}
	fputs("' \\\n", s->f);
}

static void zsh_command(struct script *s, const struct command *c)
{
	const struct option *o;

	fprintf(s->f, "\t%s)\n\t\t_arguments -s -S \\\n", c->name);
	fputs("\t\t\t'(- *)'{-h,--help}'[help]' \\\n", s->f);
	for (size_t i = 0; (o = option_at(i)); i++)
		if (has(c, o))
			zsh_option(s, o);
	if (c->bit == COMMAND_RUN)
		fputs("\t\t\t'(-)1:command:_command_names -e' "
		      "'*::argument:_normal'\n",
		    s->f);
	else if (c->bit == COMMAND_TAXONOMY)
		fprintf(s->f, "\t\t\t'1:action:(%s)' '*:id:(%s)'\n", c->words,
		    expand(s, "@ids"));
	else if (takes_paths(c) && c->words)
		fprintf(s->f,
		    "\t\t\t'1: :{_alternative \"words:word:(%s)\" "
		    "\"files:path:_files\"}' '*:path:_files'\n",
		    c->words);
	else if (takes_paths(c))
		fputs("\t\t\t'*:path:_files'\n", s->f);
	else
		fprintf(s->f, "\t\t\t'*:word:(%s)'\n", expand(s, c->words));
	fputs("\t\t;;\n", s->f);
}

static void zsh(struct script *s)
{
	struct buf help = BUF_INIT(BUF_MAX);

	fputs("#compdef jobtriage\n"
	      "_jobtriage()\n{\n"
	      "\tlocal curcontext=$curcontext state line ret=1\n"
	      "\tlocal -a names\n"
	      "\tlocal -A opt_args\n"
	      "\tnames=(\n",
	    s->f);
	for (size_t i = 0; main_command(i); i++) {
		fprintf(s->f, "\t\t'%s:", main_command(i)->name);
		quoted(s, brief(main_command(i)->help, &help), "\\", ZSH_QUOTE);
		fputs("'\n", s->f);
	}
	buf_release(&help);
	fputs("\t)\n"
	      "\t_arguments -C '(- *)'{-h,--help}'[help]' \\\n"
	      "\t\t'(- *)--version[the version]' \\\n"
	      "\t\t'1: :->command' '*:: :->argument' && return 0\n"
	      "\tif [[ $state == command ]]; then\n"
	      "\t\t_describe -t commands command names\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase $words[1] in\n",
	    s->f);
	for (size_t i = 0; main_command(i); i++)
		zsh_command(s, main_command(i));
	fputs("\tesac\n"
	      "}\n"
	      "if [[ $funcstack[1] == _jobtriage ]]; then\n"
	      "\t_jobtriage \"$@\"\n"
	      "else\n"
	      "\tcompdef _jobtriage jobtriage\n"
	      "fi\n",
	    s->f);
}

/* ---- fish ---- */

#define FISH_QUOTE "\\'"

static void fish_command(struct script *s, const struct command *c)
{
	static const char start[] = "complete -c jobtriage -n "
				    "'__jobtriage_is %s'";
	struct buf help = BUF_INIT(BUF_MAX);
	const struct option *o;

	fprintf(s->f, "complete -c jobtriage -n __jobtriage_first -a %s -d '",
	    c->name);
	quoted(s, brief(c->help, &help), "\\", FISH_QUOTE);
	fputs("'\n", s->f);
	for (size_t i = 0; (o = option_at(i)); i++) {
		if (!has(c, o))
			continue;
		fprintf(s->f, start, c->name);
		fprintf(s->f, " -l %s", o->name);
		if (o->letter)
			fprintf(s->f, " -s %c", o->letter);
		if (o->value)
			fputs(takes_file(o) ? " -r -F" : " -x", s->f);
		if (o->words)
			fprintf(s->f, " -a '%s'", expand(s, o->words));
		fputs(" -d '", s->f);
		quoted(s, brief(o->help, &help), "\\", FISH_QUOTE);
		fputs("'\n", s->f);
	}
	buf_release(&help);
	fprintf(s->f, start, c->name);
	fputs(" -s h -l help -d help\n", s->f);
	if (takes_paths(c) || c->bit == COMMAND_RUN) {
		fprintf(s->f, start, c->name);
		fputs(" -F\n", s->f);
	}
	if (c->words) {
		fprintf(s->f, start, c->name);
		fprintf(s->f, " -a '%s'\n", expand(s, c->words));
	}
	if (c->bit == COMMAND_TAXONOMY) {
		fprintf(s->f, start, "taxonomy show");
		fprintf(s->f, " -a '%s'\n", expand(s, "@ids"));
	}
}

static void fish(struct script *s)
{
	fputs("# fish completion for jobtriage\n"
	      "function __jobtriage_first\n"
	      "\ttest (count (commandline -opc)) -eq 1\n"
	      "end\n"
	      "function __jobtriage_is\n"
	      "\tset -l typed (commandline -opc)\n"
	      "\ttest \"$typed[2]\" = \"$argv[1]\"; or return 1\n"
	      "\tnot set -q argv[2]; or contains -- $argv[2] $typed\n"
	      "end\n"
	      "complete -c jobtriage -f\n"
	      "complete -c jobtriage -n __jobtriage_first -s h -l help "
	      "-d help\n"
	      "complete -c jobtriage -n __jobtriage_first -l version "
	      "-d 'the version'\n",
	    s->f);
	for (size_t i = 0; main_command(i); i++)
		fish_command(s, main_command(i));
}

/* ---- the command ---- */

static const struct {
	const char *name;
	void (*write)(struct script *s);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

static enum exit_status print(
    const struct settings *s, void (*write)(struct script *s))
{
	struct script script = { .words = BUF_INIT(BUF_MAX) };
	enum exit_status status = STATUS_INTERNAL;
	struct taxonomy *tax;
	struct outfile out;
	struct err e;

	tax = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!tax)
		return screen_failed(&e, STATUS_USAGE);
	if (outfile_open(&out, s->output, &e))
		goto out;
	script.tax = tax;
	script.f = out.f;
	write(&script);
	if (script.failed) {
		err_nomem(&e);
		outfile_abandon(&out);
	} else if (outfile_close(&out, &e) == 0) {
		status = STATUS_OK;
	}
out:
	if (status)
		status = screen_failed(&e, status);
	buf_release(&script.words);
	taxonomy_free(tax);
	return status;
}

enum exit_status cmd_completion(const struct settings *s)
{
	const char *name = s->arguments.n == 1 ? s->arguments.v[0] : "";

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
		if (strcmp(name, shells[i].name) == 0)
			return print(s, shells[i].write);
	screen_complain("completion: expected bash, zsh or fish");
	return STATUS_USAGE;
}
