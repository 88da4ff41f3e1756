/* Small hand-written readers: they run on lines that no rule nominates. */
#include "diagnose/signals/facts.h"

#include "diagnose/evidence/around.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/gpus.h"
#include "diagnose/signals/metrics_names.h"
#include "diagnose/evidence/trace.h"

#include <string.h>

static const char *const exit_triggers[] = {
	"xit code",
	"exitcode",
	"xit status",
	"xit Status",
	"with status",
	"] Error ",
	"a non-zero code",
	"return code = ",
	"EXIT CODE: ",
	"termination (return value ",
	NULL,
};

const char *const facts_parallel_triggers[] = {
	"OMP_NUM_THREADS environment variable for each process",
	"torch.distributed.",
	"torch/distributed/",
	"local_rank",
	"nproc_per_node",
	"mpirun",
	/* five bytes, which is what the prefilter finds for free */
	"MPI_A",
	"MPI_B",
	"MPI_C",
	"MPI_E",
	"MPI_F",
	"MPI_I",
	"MPI_M",
	"MPI_R",
	"MPI_S",
	"MPI_T",
	"horovod",
	"deepspeed",
	"srun: error",
	NULL,
};

const char *const *const facts_triggers[] = { exit_triggers,
	facts_parallel_triggers, checkpoint_triggers, gpus_triggers, NULL };

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool word_at(struct span s, size_t at, const char *w)
{
	size_t n = strlen(w);

	if (at + n > s.n || (at > 0 && metric_word(s.p[at - 1])))
		return false;
	for (size_t i = 0; i < n; i++)
		if (fold(s.p[at + i]) != w[i])
			return false;
	return at + n == s.n || !metric_word(s.p[at + n]);
}

/* The number after a key word: "step: 12", "Epoch [3/10]", "'epoch': 0.53".
 * Digits after a decimal point go to *micro, in millionths. */
static int64_t number_after(struct span s, size_t at, int64_t *micro)
{
	size_t i = at, from;
	int64_t scale = 100000;

	*micro = 0;
	/* columns are filled up with blanks, but there is little else */
	for (size_t other = 0; i < s.n && i < at + 20 &&
	     (s.p[i] == ' ' || (other < 4 && strchr(":=[#(/'\"", s.p[i])));
	     i++)
		other += s.p[i] != ' ';
	from = i;
	while (i < s.n && is_digit(s.p[i]))
		i++;
	if (i == from || i - from > 15)
		return -1;
	for (size_t k = i + 1;
	     i < s.n && s.p[i] == '.' && k < s.n && is_digit(s.p[k]) && scale;
	     k++, scale /= 10)
		*micro += (s.p[k] - '0') * scale;
	return span_number(span_sub(s, from, i));
}

/* A bar: "123/456 [00:12<..." or " 12/100 [====>" or "[ 120/ 500]". */
static int64_t bar_at(struct span s, size_t slash)
{
	size_t from = slash, to = slash + 1;

	while (from > 0 && is_digit(s.p[from - 1]))
		from--;
	while (to < s.n && s.p[to] == ' ')
		to++;
	if (from == slash || to >= s.n || !is_digit(s.p[to]))
		return -1;
	while (to < s.n && is_digit(s.p[to]))
		to++;
	if (to + 1 < s.n && s.p[to] == ' ' && s.p[to + 1] == '[')
		return span_number(span_sub(s, from, slash));
	if (to < s.n && s.p[to] == ']')
		return span_number(span_sub(s, from, slash));
	return -1;
}

/* Words before the number of a step or an epoch. */
static const struct {
	char word[12];
	uint8_t n;
	bool epoch;
} counted[] = {
	{ "step", 4, false },
	{ "epoch", 5, true },
	{ "iter", 4, false },
	{ "it", 2, false },
	{ "iteration", 9, false },
	{ "iterations", 10, false },
	{ "global_step", 11, false },
	{ "batch", 5, false },
	{ "num_updates", 11, false },
	{ "update", 6, false },
};

/* What they begin with: most words of a log are not looked up. */
#define LETTER(c) (UINT32_C(1) << ((c)&31))
static const uint32_t counted_begins = LETTER('s') | LETTER('e') | LETTER('i') |
    LETTER('g') | LETTER('b') | LETTER('n') | LETTER('u');

/* Take the number behind the word s[from, to) when that is one of them; *micro:
 * of an epoch, what stands behind its point. */
static void count_word(
    struct span s, size_t from, size_t to, struct progress *out, int64_t *micro)
{
	int64_t ignored;

	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		if (counted[i].n != to - from ||
		    counted[i].word[0] != fold(s.p[from]) ||
		    !word_at(s, from, counted[i].word))
			continue;
		if (!counted[i].epoch && out->step < 0)
			out->step = number_after(s, to, &ignored);
		/* not "per epoch" */
		if (counted[i].epoch && out->epoch < 0 &&
		    !(from >= 4 && fold(s.p[from - 2]) == 'r' &&
			fold(s.p[from - 4]) == 'p'))
			out->epoch = number_after(s, to, micro);
	}
}

/* A tracker's summary comes after the end, however that was; Slurm's steps
 * and those of a script are not the training's. */
static bool of_others(struct span line)
{
	return span_starts(line, "wandb:") || span_starts(line, "slurm") ||
	    span_starts(line, "srun") ||
	    span_find(line, "exit status") != SIZE_MAX ||
	    span_find(line, "CANCELLED") != SIZE_MAX;
}

bool facts_progress(struct span line, struct progress *out)
{
	int64_t micro = 0, bar = -1;
	struct span whole = line;
	size_t end;

	*out = (struct progress){ -1, -1 };
	if (line.n > 2000)
		line.n = 2000;
	for (size_t i = 0; i < line.n; i = end + 1) {
		for (end = i; end < line.n && metric_word(line.p[end]);)
			end++;
		if (end > i + 1 && counted_begins & LETTER(line.p[i]))
			count_word(line, i, end, out, &micro);
		if (end < line.n && line.p[end] == '/' && bar < 0)
			bar = bar_at(line, end);
	}
	if (out->step < 0)
		out->step = bar >= 0 ? bar : micro ? micro : -1;
	if (out->epoch < 0 && out->step < 0)
		return false;
	if (!of_others(whole))
		return true;
	*out = (struct progress){ -1, -1 };
	return false;
}

bool facts_line_before(
    struct span text, size_t from, size_t *end, struct span *line)
{
	size_t to = *end, at;

	while (to > from && around_end(text.p[to - 1]))
		to--;
	at = span_line_start(text, from, to);
	if (at > 0 && !around_end(text.p[at - 1]))
		return false;
	*line = span_sub(text, at, to);
	*end = at;
	return line->n > 0;
}

bool facts_progress_before(
    struct span text, size_t from, size_t end, struct progress *out, size_t *at)
{
	struct span line;

	while (facts_line_before(text, from, &end, &line)) {
		if (facts_progress(line, out)) {
			*at = end;
			return true;
		}
	}
	return false;
}

bool facts_word(struct span line, const char *word)
{
	for (size_t i = 0; i < line.n; i++)
		if (fold(line.p[i]) == *word && word_at(line, i, word))
			return true;
	return false;
}

int64_t facts_number(struct span line, size_t at)
{
	int64_t micro;

	return number_after(line, at, &micro);
}

bool facts_parallel(struct span text)
{
	for (size_t i = 0; facts_parallel_triggers[i]; i++)
		if (span_find(text, facts_parallel_triggers[i]) != SIZE_MAX)
			return true;
	return span_find(text, "multiprocessing/") != SIZE_MAX;
}

static bool has_any(struct span s, const char *const *texts)
{
	for (; *texts; texts++) {
		const char *t = *texts;
		size_t n = strlen(t), k;

		for (size_t i = 0; i + n <= s.n; i++) {
			for (k = 0; k < n && fold(s.p[i + k]) == fold(t[k]);)
				k++;
			if (k == n)
				return true;
		}
	}
	return false;
}

static void exit_line(struct findings *f, uint64_t number, struct span text)
{
	/* "with status=12" is a transfer's, not a process's */
	static const struct {
		const char *key, *line; /* which begins with that */
	} rows[] = {
		{ "exit code", "" },
		{ "exitcode", "" },
		{ "Exit code", "" },
		{ "exit status", "" },
		{ "Exit status", "" },
		{ "Exit Status", "" },
		{ "with status ", "" },
		{ "with status:", "" },
		{ "a non-zero code", "" },
		{ "] Error ", "make" },
		{ "return code = ", "" },
		{ "EXIT CODE: ", "" },
		{ "termination (return value ", "" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t at = span_find(text, rows[i].key);
		int64_t code;

		if (at == SIZE_MAX || !span_starts(text, rows[i].line))
			continue;
		code = facts_number(text, at + strlen(rows[i].key));
		if (code >= 0 && code <= 255) {
			f->exit_code = (int)code;
			f->exit_line = number;
		}
		if (code > 128 && code < 128 + 65)
			f->signal = (int)code - 128;
	}
}

static void world_line(struct findings *f, struct span text)
{
	static const char *const keys[] = { "world_size", "WORLD_SIZE",
		"world size", "nranks ", NULL };

	for (size_t i = 0; keys[i]; i++) {
		size_t at = span_find(text, keys[i]);
		int64_t n;

		if (at == SIZE_MAX)
			continue;
		n = facts_number(text, at + strlen(keys[i]));
		if (n > f->world_size && n <= GPUS_MAX)
			f->world_size = (int)n;
		f->parallel |= n > 1;
	}
}

unsigned facts_kinds(struct span line)
{
	unsigned kinds = 0;

	for (unsigned i = 0; facts_triggers[i]; i++)
		kinds |= (unsigned)has_any(line, facts_triggers[i]) << i;
	return kinds;
}

void facts_line(struct findings *f, const struct log_line *l, unsigned kinds)
{
	struct span text = l->env.text;

	if (kinds & FACTS_EXIT)
		exit_line(f, l->number, text);
	if (kinds & FACTS_PARALLEL)
		f->parallel |= facts_parallel(text);
	if (kinds & FACTS_GPUS) {
		world_line(f, text);
		gpus_line(&f->clues, text);
	}
}

void facts_script(struct findings *f, struct span line)
{
	if ((span_starts(line, "+") || span_starts(line, "#SBATCH")) &&
	    has_any(line, gpus_triggers))
		gpus_line(&f->clues, line);
}

const char *facts_framework(struct span trace)
{
	static const struct {
		const char *text, *name;
	} rows[] = {
		{ "-packages/torch/", "pytorch" },
		{ "-packages/tensorflow", "tensorflow" },
		{ "-packages/keras/", "keras" },
		{ "-packages/jax/", "jax" },
		{ "-packages/mxnet/", "mxnet" },
		{ "-packages/paddle/", "paddle" },
		{ "import torch", "pytorch" },
		{ "import tensorflow", "tensorflow" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (span_find(trace, rows[i].text) != SIZE_MAX)
			return rows[i].name;
	return NULL;
}
