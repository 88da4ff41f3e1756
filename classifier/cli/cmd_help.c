/*
 * jobtriage help WORD: what a word of the command line or of an answer means.
 * A word is looked up in each kind of thing in turn; an option is tried as
 * such first when it begins with '-'.
 */
#define _GNU_SOURCE /* strcasestr */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/gate_map.h"
#include "cli/nearest.h"
#include "reports/rules/rules.h"

#include <stdlib.h>
#include <string.h>

#define ABOUT_MAX 20 /* rows about a word */

static const struct {
	const char *word, *text;
} words[] = {
	{ "retry", "a verdict: a plain retry has a real chance" },
	{ "adjust",
	    "a verdict: worth a retry with a change that the scheduler can "
	    "make: another node, more memory or time, a checkpoint, a pause" },
	{ "stop",
	    "a verdict: the failure is deterministic; a retry would burn GPU "
	    "time" },
	{ "undecided", "a verdict: the logs do not tell" },
	{ "none", "a verdict, and a category: the job did not fail" },
	{ "unknown", "a category: the job failed, and no rule explains it" },
};

static const struct {
	int first, last;
	const char *text;
} statuses[] = {
	{ 0, 0, "it ran, whatever it found" },
	{ 1, 1,
	    "it ran; a --fail-on condition holds, or taxonomy or policy check "
	    "has found something" },
	{ 2, 2, "the command line, a rule or a configuration file is wrong" },
	{ 3, 3, "it ran, but some input could not be read" },
	{ 4, 4, "internal failure, or the output could not be written" },
	{ 125, 125, "run: wrong usage, or the command could not be started" },
	{ 126, 126, "run: the command is no program" },
	{ 127, 127, "run: there is no such command" },
	{ 129, 192, "run: a signal ended the command; the status less 128" },
};

#define N_OF(table) (sizeof(table) / sizeof *(table))

/* ---- the nearest word ---- */

static void offer_commands(struct nearest *n)
{
	for (size_t i = 0; main_command(i); i++)
		nearest_offer(n, main_command(i)->name);
}

const char *cmd_help_nearest(const char *word)
{
	struct nearest n = nearest_to(word);

	offer_commands(&n);
	return n.found;
}

static void offer_words(struct nearest *n, const struct taxonomy *tax)
{
	for (size_t i = 0; i < N_OF(words); i++)
		nearest_offer(n, words[i].word);
	for (int i = 0; i < LIMIT_COUNT; i++)
		nearest_offer(n, limit_table[i].name);
	nearest_offer(n, "limits");
	for (size_t i = 0; i < tax->n_categories; i++)
		nearest_offer(n, tax->categories[i].id);
	for (size_t i = 0; i < tax->n_rules; i++)
		nearest_offer(n, taxonomy_rule_at(tax, i)->id);
}

static void unknown(const char *word, const struct taxonomy *tax)
{
	struct nearest n = nearest_to(word + strspn(word, "-"));

	for (size_t i = 0; option_at(i); i++)
		nearest_offer(&n, option_at(i)->name);
	if (*word != '-') {
		offer_commands(&n);
		offer_words(&n, tax);
	}
	if (n.found)
		screen_complain("no help on '%s'; did you mean '%s%s'?", word,
		    *word == '-' ? "--" : "", n.found);
	else
		screen_complain("no help on '%s'; see jobtriage --help", word);
}

/* ---- the kinds of words; true: it is one, and was told ---- */

static bool tell_command(const char *word)
{
	for (size_t i = 0; main_command(i); i++) {
		if (strcmp(word, main_command(i)->name) != 0)
			continue;
		main_command_help(main_command(i));
		return true;
	}
	return false;
}

static void tell_limit(const struct limit_row *l)
{
	printf("%-16s %-18llu %s%s\n", l->name, (unsigned long long)l->standard,
	    l->help, l->loses ? " (status 3)" : "");
}

static bool tell_limits(const char *word)
{
	bool all = strcmp(word, "limits") == 0, told = all;

	for (int i = 0; i < LIMIT_COUNT; i++) {
		if (!all && strcmp(word, limit_table[i].name) != 0)
			continue;
		tell_limit(&limit_table[i]);
		told = true;
	}
	return told;
}

static bool is_option(const struct option *o, const char *word)
{
	if (*word != '-')
		return strcmp(word, o->name) == 0;
	if (word[1] != '-')
		return o->letter && word[1] == o->letter && !word[2];
	return strcmp(word + 2, o->name) == 0;
}

/* Which commands have it, and its text; more than one text if they differ. */
static bool tell_option(const char *word)
{
	bool told = false;

	for (size_t i = 0; option_at(i); i++) {
		const struct option *o = option_at(i);
		const char *before = "";

		if (!is_option(o, word))
			continue;
		for (size_t k = 0; main_command(k); k++) {
			if (!(o->commands & main_command(k)->bit))
				continue;
			printf("%s%s", before, main_command(k)->name);
			before = ", ";
		}
		puts(":");
		option_help(o, stdout);
		told = true;
	}
	return told;
}

static bool tell_word(const char *word)
{
	for (size_t i = 0; i < N_OF(words); i++) {
		if (strcmp(word, words[i].word) != 0)
			continue;
		printf("%s: %s\n", word, words[i].text);
		return true;
	}
	return false;
}

static bool tell_status(const char *word)
{
	int64_t n = span_number(span_of(word));
	int map[GATE_WORDS];
	const char *preset;
	bool told = false;

	for (size_t i = 0; n >= 0 && i < N_OF(statuses); i++) {
		if (n < statuses[i].first || n > statuses[i].last)
			continue;
		printf("%s: %s\n", word, statuses[i].text);
		told = true;
	}
	for (size_t i = 0; n >= 0 && (preset = gate_map_preset(i)); i++) {
		if (gate_map_read(preset, map, NULL))
			continue;
		for (int k = 0; k < GATE_WORDS; k++) {
			if (map[k] != n)
				continue;
			printf("%s: gate%s%s: %s\n", word,
			    i ? " --exit-map " : "", i ? preset : "",
			    gate_word(k));
			told = true;
		}
	}
	return told;
}

static bool tell_rule(const char *word, const struct taxonomy *tax)
{
	return (taxonomy_category(tax, word) || taxonomy_rule(tax, word)) &&
	    rules_show(tax, word, stdout, NULL) == 0;
}

/* Whether the first letters of some words of an id make the word, as oom those
 * of gpu_out_of_memory. */
static bool initials(const char *id, const char *word)
{
	for (; *id; id += *id != '\0') {
		const char *c = word;

		for (const char *p = id; *c && p && *p == *c; c++) {
			p = strpbrk(p, "_.");
			p = p ? p + 1 : NULL;
		}
		if (!*c)
			return true;
		id += strcspn(id, "_.");
	}
	return false;
}

/* Whether a title or an id is about a word. */
static bool about(const char *id, const char *title, const char *word)
{
	return initials(id, word) || strcasestr(id, word) ||
	    strcasestr(title, word);
}

/* The categories and rules that are about a word. */
static bool tell_about(const char *word, const struct taxonomy *tax)
{
	unsigned told = 0;

	if (*word == '-' || strlen(word) < 3)
		return false;
	for (size_t i = 0; i < tax->n_categories; i++) {
		const struct category *c = &tax->categories[i];

		if (about(c->id, c->name, word) && ++told <= ABOUT_MAX)
			printf("%-44s %s\n", c->id, c->name);
	}
	for (size_t i = 0; i < tax->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(tax, i);

		if (about(r->id, r->title, word) && ++told <= ABOUT_MAX)
			printf("%-44s %s\n", r->id, r->title);
	}
	if (told > ABOUT_MAX)
		printf("[%u more]\n", told - ABOUT_MAX);
	if (told)
		puts("\njobtriage help ID tells more of one of them.");
	return told;
}

enum exit_status cmd_help(const struct settings *s)
{
	enum exit_status status = STATUS_OK;
	struct taxonomy *tax;
	struct err e;

	tax = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!tax)
		return screen_failed(&e, STATUS_USAGE);
	for (size_t i = 0; i < s->arguments.n; i++) {
		const char *word = s->arguments.v[i];

		if (tell_command(word) || tell_limits(word) ||
		    tell_word(word) || tell_status(word) ||
		    tell_rule(word, tax) || tell_option(word) ||
		    tell_about(word, tax))
			continue;
		unknown(word, tax);
		status = STATUS_USAGE;
	}
	taxonomy_free(tax);
	return main_printed(status);
}
