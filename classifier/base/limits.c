#include "base/limits.h"

#include "base/err.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define K ((uint64_t)1 << 10)
#define M ((uint64_t)1 << 20)
#define G ((uint64_t)1 << 30)
#define T ((uint64_t)1 << 40)

const struct limit_row limit_table[LIMIT_COUNT] = {
	[LIMIT_ARCHIVE_DEPTH] = { "archive-depth", 8, 1, 64, true,
	    "archives inside each other; deeper ones are not opened" },
	[LIMIT_ARCHIVE_MEMBERS] = { "archive-members", 10 * M, 1, G, true,
	    "members of one archive; the rest is not read" },
	[LIMIT_ARCHIVE_BYTES] = { "archive-bytes", 16 * T, M, 1024 * T, true,
	    "bytes expanded from one archive; the rest is not read" },
	[LIMIT_ARCHIVE_RATIO] = { "archive-ratio", 1000, 10, M, true,
	    "expansion of one archive once past 64 MiB; the rest is not "
	    "read" },
	[LIMIT_NESTED_SEEK] = { "nested-seek", 64 * M, M, 4 * G, true,
	    "bytes held for a 7z inside another archive; larger ones are not "
	    "read" },
	[LIMIT_PATH] = { "path", 16 * K, 256, M, true,
	    "bytes of a path, with the archives around it; what has a longer "
	    "one is not read" },
	[LIMIT_RECORD] = { "record", 64 * M, 64 * K, G, true,
	    "bytes of a job record, or of a line of JSON that is read; a "
	    "longer line is left out, a longer record ends its file" },
	[LIMIT_RECORDS] = { "records", G, 64 * K, T, true,
	    "bytes of memory for the job records, of which one takes about "
	    "250; the rest of their files is not read" },
	[LIMIT_LINE] = { "line", 64 * K, 8 * K, M, false,
	    "bytes of a line; longer ones are read in overlapping pieces" },
	[LIMIT_BLOCK] = { "block", 64 * K, 4 * K, M, false,
	    "bytes kept of a traceback; its middle is dropped beyond that" },
	[LIMIT_OPEN_BLOCKS] = { "open-blocks", 64, 1, 4096, false,
	    "tracebacks open at once in one log; the oldest is closed" },
	[LIMIT_EVIDENCE] = { "evidence", 256, 16, 64 * K, false,
	    "pieces of evidence kept from one log; later ones are counted" },
	[LIMIT_RULE_HITS] = { "rule-hits", 16, 2, K, false,
	    "pieces of evidence kept for one rule and log: the first and the "
	    "last ones; the others are counted" },
	[LIMIT_CONFIRM] = { "confirm", 100000, 100, G, true,
	    "regular expression runs for one rule and log; then the rule is "
	    "put aside" },
	[LIMIT_MATCH] = { "match", 200000, K, 100 * M, true,
	    "steps of one regular expression run; the rule gives up on that "
	    "line" },
	[LIMIT_GIVE_UPS] = { "give-ups", 100, 1, G, true,
	    "times a rule may give up in one log; then it is put aside" },
	[LIMIT_MATCH_TIME] = { "match-time", 60000, 10, 1000 * M, true,
	    "milliseconds of regular expressions for one job; then no rule is "
	    "run any more" },
	[LIMIT_JOB_TIME] = { "job-time", 1000 * M, 1, 1000 * M, true,
	    "milliseconds to read the logs of one job, as --timeout sets in "
	    "seconds; the rest is not read" },
	[LIMIT_OWNER_TIME] = { "owner-time", 1000 * M, 1, 1000 * M, true,
	    "milliseconds to read the files of one owner in a scan, of all "
	    "threads together; the rest is not read" },
	[LIMIT_RUN_TIME] = { "run-time", 1000 * M, 1, 1000 * M, true,
	    "milliseconds that a scan reads; the rest is not read" },
	[LIMIT_PENDING] = { "pending", 64 * M, M, 64 * G, true,
	    "bytes of findings held for the jobs of one archive; the oldest "
	    "jobs are reported early" },
	[LIMIT_SPOOL] = { "spool", 64 * M, 1, 1024 * G, false,
	    "bytes put aside for a store that cannot be reached; what comes "
	    "then is not kept" },
};

void limits_init(struct limits *l)
{
	for (int i = 0; i < LIMIT_COUNT; i++)
		l->v[i] = limit_table[i].standard;
}

static int parse_size(const char *s, uint64_t *out)
{
	unsigned long long n;
	uint64_t unit = 1;
	char *end;

	if (*s < '0' || *s > '9')
		return -1;
	errno = 0;
	n = strtoull(s, &end, 10);
	switch (*end) {
	case 'K':
		unit = K;
		end++;
		break;
	case 'M':
		unit = M;
		end++;
		break;
	case 'G':
		unit = G;
		end++;
		break;
	default:
		break;
	}
	if (errno || *end || n > UINT64_MAX / unit)
		return -1;
	*out = n * unit;
	return 0;
}

int limits_set(struct limits *l, const char *text, struct err *e)
{
	const char *eq = strchr(text, '=');
	uint64_t n;

	if (!eq)
		return err_set(e, "limit '%s': expected NAME=VALUE", text);
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *r = &limit_table[i];

		if (strlen(r->name) != (size_t)(eq - text) ||
		    strncmp(r->name, text, (size_t)(eq - text)) != 0)
			continue;
		if (parse_size(eq + 1, &n))
			return err_set(e, "limit '%s': not a number", text);
		if (n < r->min || n > r->max)
			return err_set(e,
			    "limit '%s': out of range %llu to %llu", text,
			    (unsigned long long)r->min,
			    (unsigned long long)r->max);
		l->v[i] = n;
		return 0;
	}
	return err_set(e, "limit '%s': no such limit", text);
}
