/* jobtriage taxonomy list|show ID|check|test|health. */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/taxonomy_health.h"
#include "reports/period/health.h"
#include "reports/rules/rules.h"

#include <stdlib.h>
#include <string.h>

static int do_list(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	return screen_json(s) ? rules_list_json(tax, f, e)
			      : rules_list_text(tax, f);
}

static int do_show(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	for (size_t i = 1; i < s->arguments.n; i++)
		if (rules_show(tax, s->arguments.v[i], f, e))
			return -1;
	return 0;
}

/* How the rules fared, or these. */
static int do_health(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	const struct report_style style = { .colour = screen_colour(s, f),
		.width = screen_width(f) };
	struct report *r;
	int rc = 0;

	if (!s->store)
		return err_set(e, "taxonomy health: --store URL is missing");
	for (size_t i = 1; i < s->arguments.n; i++)
		if (!taxonomy_rule(tax, s->arguments.v[i]))
			return err_set(e,
			    "%s: no such rule; see jobtriage "
			    "taxonomy list",
			    s->arguments.v[i]);
	r = taxonomy_health(s, tax, e);
	if (!r)
		return -1;
	if (screen_json(s))
		rc = health_json(r, f, e);
	else if (s->arguments.n == 1)
		rc = health_text(r, NULL, &style, f, e);
	for (size_t i = 1; !screen_json(s) && !rc && i < s->arguments.n; i++)
		rc = health_text(r, s->arguments.v[i], &style, f, e);
	report_free(r);
	return rc;
}

static int do_check(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	return rules_check(
	    tax, &s->limits, s->taxonomy.n > 0, screen_json(s), f, e);
}

static int do_test(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	return rules_test(tax, &s->limits, s->prefilter, f, e);
}

static const struct {
	const char *name;
	size_t least, most; /* arguments */
	taxonomy_writer *run;
} actions[] = {
	{ "list", 1, 1, do_list },
	{ "show", 2, (size_t)-1, do_show },
	{ "check", 1, 1, do_check },
	{ "test", 1, 1, do_test },
	{ "health", 1, (size_t)-1, do_health },
};

enum exit_status cmd_taxonomy_print(
    const struct settings *s, taxonomy_writer *what)
{
	struct taxonomy *tax;
	struct outfile out;
	struct err e = { 0 };
	int rc;

	tax = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!tax)
		return screen_failed(&e, STATUS_USAGE);
	if (outfile_open(&out, s->output, &e)) {
		taxonomy_free(tax);
		return screen_failed(&e, STATUS_INTERNAL);
	}
	rc = what(s, tax, out.f, &e);
	taxonomy_free(tax);
	if (rc < 0) {
		outfile_abandon(&out);
		return screen_failed(&e, STATUS_USAGE);
	}
	if (outfile_close(&out, &e))
		return screen_failed(&e, STATUS_INTERNAL);
	return rc ? STATUS_FAIL_ON : STATUS_OK;
}

enum exit_status cmd_taxonomy(const struct settings *s)
{
	const char *word = s->arguments.n ? s->arguments.v[0] : "";
	struct err e;

	if (screen_text_or_json(s, &e))
		return screen_failed(&e, STATUS_USAGE);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(word, actions[i].name) != 0)
			continue;
		if (s->arguments.n < actions[i].least ||
		    s->arguments.n > actions[i].most)
			break;
		return cmd_taxonomy_print(s, actions[i].run);
	}
	screen_complain("taxonomy: expected list, show ID..., check, test or "
			"health [RULE]...");
	return STATUS_USAGE;
}
