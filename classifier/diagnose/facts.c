/* Small hand-written readers: they run on lines that no rule nominates. */
#include "diagnose/facts.h"

#include <stdlib.h>
#include <string.h>

const char *const facts_triggers[] = {
	"heckpoint",
	"xit code",
	"exitcode",
	"xit status",
	"with status",
	"state_dict",
	"world_size",
	"world size",
	"nranks ",
	NULL,
};

const char *const facts_parallel_triggers[] = {
	"OMP_NUM_THREADS environment variable for each process",
	"torch.distributed.",
	"torch/distributed/",
	"local_rank",
	"nproc_per_node",
	"mpirun",
	"MPI_",
	"horovod",
	"deepspeed",
	"srun: error",
	NULL,
};

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_word(char c)
{
	c = fold(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool word_at(struct span s, size_t at, const char *w)
{
	size_t n = strlen(w);

	if (at + n > s.n || (at > 0 && is_word(s.p[at - 1])))
		return false;
	for (size_t i = 0; i < n; i++)
		if (fold(s.p[at + i]) != w[i])
			return false;
	return at + n == s.n || !is_word(s.p[at + n]);
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

bool facts_progress(struct span line, struct progress *out)
{
	static const char *const steps[] = { "step", "global_step", "iter",
		"iteration", "iterations", "batch", "num_updates", "update",
		"it", NULL };
	int64_t micro = 0, frac = 0, bar = -1;

	*out = (struct progress){ -1, -1 };
	/* a tracker's summary comes after the end, however that was; Slurm's
	 * steps and those of a script are not the training's */
	if (span_starts(line, "wandb:") || span_starts(line, "slurm") ||
	    span_starts(line, "srun") ||
	    span_find(line, "exit status") != SIZE_MAX ||
	    span_find(line, "CANCELLED") != SIZE_MAX)
		return false;
	if (line.n > 2000)
		line.n = 2000;
	for (size_t i = 0; i < line.n; i++) {
		char c = fold(line.p[i]);

		if (c == '/' && bar < 0) {
			bar = bar_at(line, i);
		} else if (c == 'e' && out->epoch < 0 &&
		    word_at(line, i, "epoch") &&
		    !(i >= 4 && fold(line.p[i - 2]) == 'r' &&
			fold(line.p[i - 4]) == 'p')) {
			out->epoch = number_after(line, i + 5, &frac);
		} else if ((c == 's' || c == 'g' || c == 'i' || c == 'b' ||
			       c == 'n' || c == 'u') &&
		    out->step < 0) {
			for (size_t k = 0; steps[k] && out->step < 0; k++)
				if (word_at(line, i, steps[k]))
					out->step = number_after(
					    line, i + strlen(steps[k]), &micro);
		}
	}
	if (out->step < 0)
		out->step = bar >= 0 ? bar : frac ? frac : -1;
	return out->epoch >= 0 || out->step >= 0;
}

bool facts_progress_before(
    struct span text, size_t from, size_t end, struct progress *out, size_t *at)
{
	while (end > from) {
		size_t to = end;

		while (to > from &&
		    (text.p[to - 1] == '\n' || text.p[to - 1] == '\r'))
			to--;
		end = to;
		while (end > 0 && text.p[end - 1] != '\n' &&
		    text.p[end - 1] != '\r') {
			if (end == from)
				return false; /* its start is out of reach */
			end--;
		}
		if (to == end)
			break;
		if (facts_progress(span_sub(text, end, to), out)) {
			*at = end;
			return true;
		}
	}
	return false;
}

static bool has_any(struct span s, const char *const *words)
{
	for (; *words; words++)
		for (size_t i = 0; i < s.n; i++)
			if (word_at(s, i, *words))
				return true;
	return false;
}

/* The last word of a line that looks like a path. */
static struct span path_in(struct span s)
{
	struct span best = { NULL, 0 };
	size_t i = 0;

	while (i < s.n) {
		size_t from = i;
		bool slash = false;

		while (i < s.n && !strchr(" \t'\"`,()[]{}=", s.p[i]))
			slash |= s.p[i++] == '/';
		if (slash && i - from > 2)
			best = span_sub(s, from, i);
		i++;
	}
	while (best.n && strchr(".:;", best.p[best.n - 1]))
		best.n--;
	return best;
}

static void checkpoint_line(struct findings *f, uint64_t number, struct span s)
{
	static const char *const wrote[] = { "saved", "saving", "save", "wrote",
		"written", "writing", "stored", "dumped", NULL };
	static const char *const failed[] = { "error", "failed", "cannot",
		"could not", "unable", "no", "loading", "loaded", "load",
		"resume", "resuming", "restoring", NULL };
	struct span path = path_in(s);
	struct progress p;
	char *value;

	if (s.n > 1000 || !has_any(s, wrote) || has_any(s, failed))
		return;
	if (!path.n && facts_progress(s, &p))
		path = span_trim(s);
	if (!path.n)
		return;
	value = span_dup(span_sub(path, 0, 300));
	if (!value)
		return;
	free(f->checkpoint);
	f->checkpoint = value;
	f->checkpoint_line = number;
}

bool facts_parallel(struct span text)
{
	for (size_t i = 0; facts_parallel_triggers[i]; i++)
		if (span_find(text, facts_parallel_triggers[i]) != SIZE_MAX)
			return true;
	return span_find(text, "multiprocessing/") != SIZE_MAX;
}

void facts_line(struct findings *f, uint64_t number, struct span text)
{
	static const char *const keys[] = { "exit code", "exitcode",
		"Exit code", "exit status", "Exit status", "with status",
		NULL };
	static const char *const worlds[] = { "world_size", "WORLD_SIZE",
		"world size", "nranks ", NULL };
	int64_t micro, code;

	for (size_t i = 0; keys[i]; i++) {
		size_t at = span_find(text, keys[i]);

		if (at == SIZE_MAX)
			continue;
		code = number_after(text, at + strlen(keys[i]), &micro);
		if (code >= 0 && code <= 255) {
			f->exit_code = (int)code;
			f->exit_line = number;
		}
		if (code > 128 && code < 128 + 65)
			f->signal = (int)code - 128;
	}
	f->parallel |= facts_parallel(text);
	for (size_t i = 0; worlds[i]; i++) {
		size_t at = span_find(text, worlds[i]);

		if (at == SIZE_MAX)
			continue;
		code = number_after(text, at + strlen(worlds[i]), &micro);
		if (code > f->world_size && code <= 1000000)
			f->world_size = (int)code;
		f->parallel |= code > 1;
	}
	if (span_find(text, "heckpoint") != SIZE_MAX ||
	    span_find(text, "state_dict") != SIZE_MAX)
		checkpoint_line(f, number, text);
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
