/* jobtriage policy check|show. */
#include "base/err.h"
#include "cli/cli.h"
#include "reports/rules.h"

#include <string.h>

static const struct {
	const char *name;
	int (*run)(const struct taxonomy *tax, FILE *f);
} actions[] = {
	{ "check", rules_policy_check },
	{ "show", rules_policy_show },
};

static enum exit_status run(
    const struct settings *s, int (*what)(const struct taxonomy *tax, FILE *f))
{
	struct outfile out = { 0 };
	struct taxonomy *tax;
	struct err e = { "" };
	int rc;

	tax = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!tax) {
		complain("%s", e.text);
		return STATUS_USAGE;
	}
	if (outfile_open(&out, s->output, &e)) {
		outfile_abandon(&out);
		complain("%s", e.text);
		taxonomy_free(tax);
		return STATUS_INTERNAL;
	}
	rc = what(tax, out.f);
	taxonomy_free(tax);
	if (outfile_close(&out, &e)) {
		complain("%s", e.text);
		return STATUS_INTERNAL;
	}
	return rc ? STATUS_FAIL_ON : STATUS_OK;
}

enum exit_status cmd_policy(const struct settings *s)
{
	const char *word = s->arguments.n == 1 ? s->arguments.v[0] : "";

	if (strcmp(s->format, "text") != 0) {
		complain("--format %s: policy prints text", s->format);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(word, actions[i].name) == 0)
			return run(s, actions[i].run);
	complain("policy: expected check or show");
	return STATUS_USAGE;
}
