/* jobtriage policy check|show. */
#include "cli/cli.h"
#include "reports/rules/rules.h"

#include <string.h>

static int do_check(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	(void)s;
	(void)e;
	return rules_policy_check(tax, f);
}

static int do_show(const struct settings *s, const struct taxonomy *tax,
    FILE *f, struct err *e)
{
	(void)s;
	(void)e;
	return rules_policy_show(tax, f);
}

static const struct {
	const char *name;
	taxonomy_writer *run;
} actions[] = {
	{ "check", do_check },
	{ "show", do_show },
};

enum exit_status cmd_policy(const struct settings *s)
{
	const char *word = s->arguments.n == 1 ? s->arguments.v[0] : "";

	if (strcmp(s->format, "text") != 0) {
		screen_complain("--format %s: policy prints text", s->format);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(word, actions[i].name) == 0)
			return cmd_taxonomy_print(s, actions[i].run);
	screen_complain("policy: expected check or show");
	return STATUS_USAGE;
}
