/*
 * Slurm's jobcomp/filetxt, a job a line: "JobId=1 UserId=alice(1001) Name=a b
 * ...". Values may hold blanks, so a value ends where " Word=" follows and
 * Word is a key that Slurm writes. "scontrol -o show job" is of the same form.
 */
#include "jobs/accounting_load.h"

#include <stdlib.h>
#include <string.h>

#define KEYS_MAX 64

static const char *const keys[] = { "JobId", "UserId", "GroupId", "Name",
	"JobName", "JobState", "Partition", "TimeLimit", "StartTime", "EndTime",
	"NodeList", "NodeCnt", "NumNodes", "ProcCnt", "NumCPUs", "WorkDir",
	"ReservationName", "Tres", "TRES", "AllocTRES", "ReqTRES", "Gres",
	"Account", "QOS", "WcKey", "Cluster", "SubmitTime", "EligibleTime",
	"ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset",
	"DerivedExitCode", "ExitCode", "Reason", "Restarts", "RunTime",
	"Requeue", "Priority", "Nice", "Dependency", "BatchFlag", "Reboot",
	"TimeMin", "AccrueTime", "Deadline", "SuspendTime", "BatchHost",
	"ReqNodeList", "ExcNodeList", "NumTasks", "Command", "Comment",
	"AdminComment", "StdErr", "StdIn", "StdOut", "MinCPUsNode", "Features",
	"OverSubscribe", "Contiguous", "Network", "LastSchedEval",
	"TresPerNode" };

static bool fits(const struct taxonomy *tax, struct span head)
{
	head = span_trim(head);

	(void)tax;
	return span_starts(head, "JobId=") &&
	    span_find(head, " JobState=") != SIZE_MAX;
}

/* Whether a key and '=' stand at the start of s; how long the key is. */
static size_t key_at(struct span s)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t n = strlen(keys[i]);

		if (s.n > n && s.p[n] == '=' && memcmp(s.p, keys[i], n) == 0)
			return n;
	}
	return 0;
}

static int split(struct accounting_table *t, struct span line)
{
	size_t from = 0, n = 0;

	if (accounting_table_room(t, KEYS_MAX))
		return -1;
	t->n = 0;
	for (size_t i = 0; i <= line.n && t->n < KEYS_MAX; i++) {
		struct span value;
		size_t k;

		if (i < line.n && i > 0 && line.p[i - 1] != ' ')
			continue;
		k = key_at(span_sub(line, i, line.n));
		if (!k && i < line.n)
			continue;
		/* an empty value is as good as none */
		value = span_trim(span_sub(line, from, i));
		if (n && value.n)
			t->fields[t->n++] = value;
		if (i == line.n)
			break;
		t->names[t->n] = span_sub(line, i, i + k);
		n = k;
		from = i + k + 1;
	}
	return 0;
}

static int add_line(
    struct load *l, struct accounting_table *t, struct span line)
{
	const struct accounting_map *map = accounting_load_map(l, MAP_JOBCOMP);
	struct draft d;

	if (!map)
		return -1;
	if (split(t, line))
		return err_nomem(l->e);
	accounting_table_bind(t, map);
	if (t->at[COLUMN_ID] < 0 || t->at[COLUMN_STATE] < 0) {
		accounting_note(l, TROUBLE_ROW, l->line,
		    "row lost: no JobId= and JobState=");
		return 0;
	}
	accounting_draft_init(&d, l, map, l->line);
	if (accounting_table_draft(l, t, &d) || accounting_draft_add(l, &d))
		return err_nomem(l->e);
	return 0;
}

static int read_jobcomp(
    struct load *l, struct span text, bool last, size_t *used)
{
	struct accounting_table *t = l->state;
	struct span rest = text, line;

	if (!t) {
		l->state = t = calloc(1, sizeof *t);
		if (!t)
			return err_nomem(l->e);
		t->names = calloc(KEYS_MAX + 1, sizeof *t->names);
		if (!t->names)
			return err_nomem(l->e);
	}
	for (; last || memchr(rest.p, '\n', rest.n); l->line++) {
		if (!span_line(&rest, &line))
			break;
		line = span_trim(line);
		if (line.n && add_line(l, t, line))
			return -1;
	}
	*used = text.n - rest.n;
	return 0;
}

static void close_jobcomp(void *state)
{
	if (state)
		accounting_table_release(state);
	free(state);
}

const struct accounting_reader accounting_jobcomp = {
	"Slurm jobcomp/filetxt",
	fits,
	read_jobcomp,
	close_jobcomp,
};
