/*
 * The standard map is for scripts that ask. The presets are for a program that
 * stands between a job and its scheduler and ends with the gate's status, which
 * the scheduler then takes for the job's: `none` is 0 there, since the job
 * ended well, and everything else is a failure.
 */
#include "cli/gate_map.h"

#include "base/err.h"
#include "base/text.h"

#include <stdbool.h>
#include <string.h>

static const struct preset {
	const char *name;
	int map[GATE_WORDS]; /* retry, adjust, stop, undecided, none, error */
} presets[] = {
	{ "standard", { 0, 4, 1, 3, 1, 2 } },
	/* RequeueExit=75 in slurm.conf requeues; RequeueExitHold=76 requeues
	 * and holds, so that somebody changes what the job asks for. Nothing
	 * is done about 93; sites add 77 and 78 to RequeueExit, or not. */
	{ "slurm", { 75, 76, 93, 77, 0, 78 } },
	/* NVIDIA's resiliency launcher restarts after any failure but 93. */
	{ "nvrx", { 1, 1, 93, 1, 0, 1 } },
	/* Metaflow's @retry retries after any failure but 202. */
	{ "metaflow", { 1, 1, 202, 1, 0, 1 } },
	/* EX_TEMPFAIL, twice; EX_SOFTWARE; EX_UNAVAILABLE; EX_OSERR */
	{ "sysexits", { 75, 75, 70, 69, 0, 71 } },
	/* For podFailurePolicy: FailJob on 93, Count on the others. */
	{ "kubernetes", { 75, 76, 93, 77, 0, 78 } },
};

#define N_PRESETS (sizeof presets / sizeof *presets)

const char *gate_word(int word)
{
	return word == GATE_ERROR ? "error"
				  : taxonomy_verdict_name((enum verdict)word);
}

const char *gate_map_preset(size_t i)
{
	return i < N_PRESETS ? presets[i].name : NULL;
}

static int use_preset(struct span name, int map[GATE_WORDS], struct err *e)
{
	for (size_t i = 0; i < N_PRESETS; i++) {
		if (!span_is(name, presets[i].name))
			continue;
		memcpy(map, presets[i].map, sizeof presets[i].map);
		return 0;
	}
	return err_set(e,
	    "--exit-map %.*s: expected NAME=NUMBER or one of standard, slurm, "
	    "nvrx, metaflow, sysexits, kubernetes",
	    (int)name.n, name.p);
}

static int use_pair(struct span name, struct span number, int map[GATE_WORDS],
    bool seen[GATE_WORDS], struct err *e)
{
	int64_t n = span_number(number);
	int word = 0;

	while (word < GATE_WORDS && !span_is(name, gate_word(word)))
		word++;
	if (word == GATE_WORDS)
		return err_set(e,
		    "--exit-map %.*s: expected retry, stop, adjust, undecided, "
		    "none or error",
		    (int)name.n, name.p);
	if (n < 0 || n > 255)
		return err_set(e, "--exit-map %.*s=%.*s: expected 0 to 255",
		    (int)name.n, name.p, (int)number.n, number.p);
	if (seen[word])
		return err_set(
		    e, "--exit-map %.*s: given twice", (int)name.n, name.p);
	seen[word] = true;
	map[word] = (int)n;
	return 0;
}

int gate_map_read(const char *text, int map[GATE_WORDS], struct err *e)
{
	struct span rest = span_of(text ? text : presets[0].name), part;
	bool seen[GATE_WORDS] = { false };
	size_t comma, equals;
	bool first = true;

	memcpy(map, presets[0].map, sizeof presets[0].map);
	do {
		comma = span_find(rest, ",");
		part = span_sub(rest, 0, comma == SIZE_MAX ? rest.n : comma);
		equals = span_find(part, "=");
		if (equals == SIZE_MAX && !first)
			return err_set(e,
			    "--exit-map %s: a preset stands first, alone",
			    text);
		if (equals == SIZE_MAX
			? use_preset(part, map, e)
			: use_pair(span_sub(part, 0, equals),
			      span_sub(part, equals + 1, part.n), map, seen, e))
			return -1;
		first = false;
		if (comma != SIZE_MAX)
			rest = span_sub(rest, comma + 1, rest.n);
	} while (comma != SIZE_MAX);
	return 0;
}
