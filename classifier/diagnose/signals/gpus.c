/*
 * A table of keys, each with the size that the number after it gives. What the
 * sizes are taken for is decided once, at the end: the largest of the job's
 * own sizes, else what a program saw on its node, else one GPU.
 */
#include "diagnose/signals/gpus.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/facts.h"

#include <stddef.h>
#include <string.h>

const char *const gpus_triggers[] = {
	"world_size",
	"world size",
	"nranks ",
	"MEMBER: ",
	"distributed processes registered",
	"Num processes",
	"nproc_per_node",
	"nproc-per-node",
	"num_local_procs",
	"nnodes",
	"num_nodes",
	"SLURM_JOB_NUM_NODES",
	"mpirun",
	"mpiexec",
	"horovod",
	"CUDA_VISIBLE_DEVICES",
	"SLURM_GPUS",
	"gres=gpu",
	"gres/gpu",
	"gpus-per-node",
	"n_gpu",
	"num_gpus",
	"device_count",
	"Num GPUs",
	"of GPUs",
	" GPUs",
	"GPU available",
	"NCCL version",
	"distributed_backend",
	"  NVIDIA ",
	"  Tesla ",
	"  GeForce ",
	"  Quadro ",
	"(UUID: GPU-",
	"/device:GPU:",
	"Total train batch size",
	"batch size per device",
	"Gradient Accumulation steps",
	NULL,
};

#define RANKS_MAX 65536 /* no job has had more */

#define SURE 1     /* only GPUs are counted so */
#define ZERO_NOT 2 /* a zero says that there is none */

static const struct {
	const char *key;
	size_t to;
	unsigned flags;
} keys[] = {
	{ "world_size", offsetof(struct gpu_clues, world), 0 },
	{ "WORLD_SIZE", offsetof(struct gpu_clues, world), 0 },
	{ "world size", offsetof(struct gpu_clues, world), 0 },
	{ "nranks ", offsetof(struct gpu_clues, world), SURE },
	{ "Starting with ", offsetof(struct gpu_clues, world), 0 },
	{ "Num processes", offsetof(struct gpu_clues, world), 0 },
	{ "nproc_per_node", offsetof(struct gpu_clues, processes), 0 },
	{ "nproc-per-node", offsetof(struct gpu_clues, processes), 0 },
	{ "num_local_procs", offsetof(struct gpu_clues, processes), 0 },
	{ "nnodes", offsetof(struct gpu_clues, nodes), 0 },
	{ "num_nodes", offsetof(struct gpu_clues, nodes), 0 },
	{ "SLURM_NNODES", offsetof(struct gpu_clues, nodes), 0 },
	{ "SLURM_JOB_NUM_NODES", offsetof(struct gpu_clues, nodes), 0 },
	{ "SLURM_GPUS_ON_NODE", offsetof(struct gpu_clues, granted),
	    SURE | ZERO_NOT },
	{ "SLURM_GPUS_PER_NODE", offsetof(struct gpu_clues, granted),
	    SURE | ZERO_NOT },
	{ "gpus-per-node", offsetof(struct gpu_clues, granted),
	    SURE | ZERO_NOT },
	{ "num_gpus", offsetof(struct gpu_clues, total), ZERO_NOT },
	{ "of GPUs", offsetof(struct gpu_clues, visible), ZERO_NOT },
	{ "Num GPUs Available", offsetof(struct gpu_clues, visible), ZERO_NOT },
	{ "Num GPUs", offsetof(struct gpu_clues, visible), ZERO_NOT },
	{ "local_device_count", offsetof(struct gpu_clues, visible), 0 },
	{ " device_count", offsetof(struct gpu_clues, total), 0 },
	{ ".device_count()", offsetof(struct gpu_clues, total), 0 },
	{ "Total train batch size (w. parallel, distributed & accumulation)",
	    offsetof(struct gpu_clues, batch), 0 },
	{ "Instantaneous batch size per device",
	    offsetof(struct gpu_clues, micro_batch), 0 },
	{ "Gradient Accumulation steps", offsetof(struct gpu_clues, accumulate),
	    0 },
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* A number, or -1 when it cannot be one of GPUs. */
static int count_at(struct span s, size_t at)
{
	int64_t v = facts_number(s, at);

	return v <= GPUS_MAX ? (int)v : -1;
}

static void take(struct gpu_clues *c, int *to, int v, unsigned flags)
{
	*to = larger(*to, v);
	c->sure |= v > 0 && flags & SURE;
	c->used |= v > 0 && flags & ZERO_NOT;
	c->denied |= v == 0 && flags & ZERO_NOT;
}

static void read_keys(struct gpu_clues *c, struct span s)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		size_t at = span_find(s, keys[i].key);

		if (at != SIZE_MAX)
			take(c, (int *)(void *)((char *)c + keys[i].to),
			    count_at(s, at + strlen(keys[i].key)),
			    keys[i].flags);
	}
}

/* "MEMBER: 1/16" (Lightning), " -np 16". */
static void read_launcher(struct gpu_clues *c, struct span s)
{
	static const char *const flags[] = { " -np ", " -n ", NULL };
	size_t at = span_find(s, "MEMBER: ");

	if (at != SIZE_MAX) {
		struct span rest = span_sub(s, at, s.n);
		size_t slash = span_find(rest, "/");

		if (slash != SIZE_MAX)
			c->world = larger(c->world, count_at(rest, slash + 1));
	}
	if (span_find(s, "mpirun") == SIZE_MAX &&
	    span_find(s, "mpiexec") == SIZE_MAX &&
	    span_find(s, "horovodrun") == SIZE_MAX)
		return;
	for (size_t i = 0; flags[i]; i++) {
		at = span_find(s, flags[i]);
		if (at != SIZE_MAX)
			c->world = larger(
			    c->world, count_at(s, at + strlen(flags[i])));
	}
}

/* "CUDA_VISIBLE_DEVICES=0,1,2,3", ": [0,1]", "=GPU-5f3e,MIG-77aa", "=-1". */
static void read_visible(struct gpu_clues *c, struct span s)
{
	size_t i = span_find(s, "CUDA_VISIBLE_DEVICES");
	int n = 0;

	if (i == SIZE_MAX)
		return;
	i += strlen("CUDA_VISIBLE_DEVICES");
	while (i < s.n && strchr(" :=['\"", s.p[i]))
		i++;
	if (i + 1 < s.n && s.p[i] == '-' && s.p[i + 1] == '1') {
		c->denied = true;
		return;
	}
	while (i < s.n && n < 64) {
		size_t from = i;
		bool uuid = span_starts(span_sub(s, i, s.n), "GPU-") ||
		    span_starts(span_sub(s, i, s.n), "MIG-");

		while (i < s.n &&
		    ((s.p[i] >= '0' && s.p[i] <= '9') ||
			(uuid && !strchr(", ]'\"", s.p[i]))))
			i++;
		if (i == from)
			break;
		n++;
		if (i < s.n && s.p[i] == ',')
			i++;
		while (i < s.n && s.p[i] == ' ' && s.p[i - 1] == ',')
			i++;
	}
	take(c, &c->granted, n, SURE);
}

/* "gres=gpu:8", "gres/gpu:a100=8": the last number of the item. */
static void read_gres(struct gpu_clues *c, struct span s)
{
	size_t at = span_find(s, "gres=gpu");
	int last = -1;

	if (at == SIZE_MAX)
		at = span_find(s, "gres/gpu");
	if (at == SIZE_MAX)
		return;
	for (size_t i = at + strlen("gres=gpu"); i < s.n; i++) {
		if (strchr(" ,\t'\"", s.p[i]))
			break;
		if (s.p[i] == ':' || s.p[i] == '=')
			last = count_at(s, i + 1);
	}
	/* "gpu" alone is one of them */
	take(c, &c->granted, last < 0 ? 1 : last, SURE);
}

/* "Using 4 GPUs", "Let's use 4 GPUs!", "Found 8 GPUs". */
static void read_sentence(struct gpu_clues *c, struct span s)
{
	static const char *const in_use[] = { "use", "using", "Using", "on",
		"with", "across", "over", NULL };
	static const char *const seen[] = { "Found", "found", "available",
		"Detected", "detected", "have", "has", NULL };
	size_t to = span_find(s, " GPUs"), from = to, word;
	struct span w;
	int v;

	if (to == SIZE_MAX)
		return;
	while (from > 0 && s.p[from - 1] >= '0' && s.p[from - 1] <= '9')
		from--;
	if (from == to || from < 2 || s.p[from - 1] != ' ')
		return;
	v = count_at(s, from);
	for (word = from - 1; word > 0 && s.p[word - 1] != ' '; word--) {
	}
	w = span_sub(s, word, from - 1);
	for (size_t i = 0; in_use[i]; i++)
		if (span_is(w, in_use[i]))
			take(c, &c->total, v, ZERO_NOT);
	for (size_t i = 0; seen[i]; i++)
		if (span_is(w, seen[i]))
			take(c, &c->visible, v, ZERO_NOT);
}

/* Numbers of devices: rows of nvidia-smi, nvidia-smi -L, TensorFlow's. */
static void read_device(struct gpu_clues *c, struct span s)
{
	static const char *const names[] = { "  NVIDIA ", "  Tesla ",
		"  GeForce ", "  Quadro ", NULL };
	struct span t = span_trim(s);
	size_t at = span_find(t, "/device:GPU:");
	int n = -1;

	if (at != SIZE_MAX) {
		n = count_at(t, at + strlen("/device:GPU:"));
	} else if (span_starts(t, "GPU ") &&
	    span_find(t, "(UUID: GPU-") != SIZE_MAX) {
		n = count_at(t, 4);
	} else if (span_starts(t, "| ")) {
		for (size_t i = 0; names[i] && n < 0; i++)
			if (span_find(t, names[i]) < 8)
				n = count_at(t, 1);
	}
	if (n < 0 || n >= 64)
		return;
	c->listed |= UINT64_C(1) << n;
	c->used = true;
}

/* transformers: "n_gpu: 1distributed training: True"; Lightning: "GPU
 * available: True (cuda), used: True". */
static void read_framework(struct gpu_clues *c, struct span s)
{
	size_t at = span_find(s, "n_gpu");
	int v = at == SIZE_MAX ? -1 : count_at(s, at + 5);

	c->denied |= v == 0;
	c->used |= v > 0;
	if (v > 0 &&
	    (span_find(s, "training: False") != SIZE_MAX ||
		span_find(s, "training: True") == SIZE_MAX))
		c->total = larger(c->total, v);
	if (span_find(s, "GPU available") != SIZE_MAX) {
		bool used = span_find(s, "available: True") != SIZE_MAX &&
		    span_find(s, "used: False") == SIZE_MAX;

		c->used |= used;
		c->denied |= !used;
	}
	c->sure |= span_find(s, "NCCL version") != SIZE_MAX ||
	    span_find(s, "distributed_backend=nccl") != SIZE_MAX;
}

void gpus_line(struct gpu_clues *c, struct span line)
{
	if (line.n > 4000)
		line.n = 4000;
	read_keys(c, line);
	read_launcher(c, line);
	read_visible(c, line);
	read_gres(c, line);
	read_sentence(c, line);
	read_device(c, line);
	read_framework(c, line);
}

/* ---- whether GPUs are in use at all ---- */

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether a word that means a GPU stands there. */
static bool gpu_word_at(struct span s, size_t i)
{
	static const char *const named[] = { "cuda", "gpu", "nccl", "nvidia" };
	char c = fold(s.p[i]);

	if (c != 'c' && c != 'g' && c != 'n')
		return false;
	/* a package's name or a path is no GPU */
	if (i > 0 &&
	    (strchr("-_/@", s.p[i - 1]) ||
		(fold(s.p[i - 1]) >= 'a' && fold(s.p[i - 1]) <= 'z')))
		return false;
	for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
		size_t n = strlen(named[k]), j = 0;

		while (j < n && i + j < s.n && fold(s.p[i + j]) == named[k][j])
			j++;
		if (j == n && (i + n == s.n || s.p[i + n] != '-'))
			return true;
	}
	return false;
}

/* Whether two letters that such words have, and few others, stand in the 64
 * bytes from their first to their third byte on. Written for vectorizers, as
 * span_newlines is. */
#define WINDOW 64
static bool maybe_gpu(const char *p)
{
	unsigned char any = 0;

	for (size_t i = 0; i < WINDOW; i++) {
		unsigned char a = (unsigned char)p[i] | 0x20;
		unsigned char b = (unsigned char)p[i + 1] | 0x20;
		unsigned char c = (unsigned char)p[i + 2] | 0x20;

		any |= ((a == 'g') & (b == 'p')) | ((a == 'n') & (b == 'v')) |
		    ((b == 'u') & (c == 'd')) | ((b == 'c') & (c == 'c'));
	}
	return any;
}

/* Offset of a word that means a GPU, from i on, or SIZE_MAX. */
static size_t gpu_word(struct span s, size_t i)
{
	while (i + 2 < s.n) {
		size_t to = i + WINDOW + 2 <= s.n ? i + WINDOW : s.n - 2;

		if (to == i + WINDOW && !maybe_gpu(s.p + i))
			i = to;
		for (; i < to; i++)
			if (gpu_word_at(s, i))
				return i;
	}
	return SIZE_MAX;
}

static bool takes_back(struct span s)
{
	static const char *const said[] = { "no", "not", "false", "none",
		"without", "cannot", "unable", "unavailable", "could", "if",
		"requires", "cpu", "failed" };

	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (facts_word(s, said[i]))
			return true;
	return false;
}

/* Whether a line says that GPUs are in use (1), that none is (-1), or
 * nothing (0). */
static int line_says(struct span s)
{
	size_t at = gpu_word(s, 0), end;
	bool vendor =
	    at != SIZE_MAX && fold(s.p[at]) == 'n' && fold(s.p[at + 1]) == 'v';

	if (at == SIZE_MAX)
		return 0;
	/* the sentence that holds the word */
	end = span_find(span_sub(s, at, s.n), ". ");
	if (end != SIZE_MAX)
		s = span_sub(s, 0, at + end);
	if (takes_back(s))
		return -1;
	return vendor ? 0 : 1;
}

void gpus_words(struct gpu_clues *c, struct span text)
{
	size_t at = 0;

	while (!c->used && !c->denied && !c->sure &&
	    (at = gpu_word(text, at)) != SIZE_MAX) {
		size_t from = at, to = at;
		int said;

		while (from > 0 && text.p[from - 1] != '\n' &&
		    text.p[from - 1] != '\r')
			from--;
		while (to < text.n && text.p[to] != '\n' && text.p[to] != '\r')
			to++;
		said = line_says(span_sub(text, from, to));
		c->used |= said > 0;
		c->denied |= said < 0;
		at = to;
	}
}

/* ---- the number ---- */

static int product(int a, int b)
{
	int64_t v = (int64_t)a * b;

	return v <= GPUS_MAX ? (int)v : 0;
}

static int bits_in(uint64_t v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

static int estimate(const struct gpu_clues *c)
{
	int nodes = larger(c->nodes, 1);
	int n = larger(c->world, product(c->processes, nodes));
	int seen = larger(c->visible, bits_in(c->listed));
	int64_t step = (int64_t)c->micro_batch * larger(c->accumulate, 1);

	if (!c->sure && (!c->used || c->denied))
		return 0;
	if (step > 0 && c->batch > 0 && c->batch % step == 0)
		n = larger(n, (int)(c->batch / step));
	n = larger(n, c->total);
	n = larger(n, product(c->granted, nodes));
	if (n == 0)
		n = product(seen, nodes);
	return n ? n : 1;
}

/* The ranks that a log speaks of: so many processes there are at least. A
 * number that stands alone may be anything: "436276: line 14: ...". */
static int ranks_of(const struct findings *f)
{
	int top = f->rank, first = f->rank;

	for (size_t i = 0; i < f->n_events + f->n_evidence; i++) {
		int rank = i < f->n_events ? f->events[i].rank
					   : f->evidence[i - f->n_events].rank;

		if (rank < 0 || rank >= RANKS_MAX)
			continue;
		if (first < 0)
			first = rank;
		top = larger(top, rank);
	}
	return f->rank >= 0 || top != first ? top + 1 : 0;
}

void gpus_end(struct findings *f)
{
	struct gpu_clues *c = &f->clues;

	/* what a rule found is no advice */
	for (size_t i = 0; i < f->n_evidence && !c->sure; i++) {
		const struct evidence *ev = &f->evidence[i];

		c->sure =
		    line_says((struct span){ ev->text, ev->text_len }) > 0;
	}
	c->world = larger(c->world, ranks_of(f));
	f->gpus = estimate(c);
}

/* What two logs of a job tell together. */
static void join(struct gpu_clues *to, const struct gpu_clues *c)
{
	to->used |= c->used;
	to->denied |= c->denied;
	to->sure |= c->sure || (c->used && !c->denied);
	to->total = larger(to->total, c->total);
	to->world = larger(to->world, c->world);
	to->nodes = larger(to->nodes, c->nodes);
	to->processes = larger(to->processes, c->processes);
	to->granted = larger(to->granted, c->granted);
	to->visible = larger(to->visible, c->visible);
	to->listed |= c->listed;
	to->batch = larger(to->batch, c->batch);
	to->micro_batch = larger(to->micro_batch, c->micro_batch);
	to->accumulate = larger(to->accumulate, c->accumulate);
}

static int nodes_of(const struct diagnosis *d)
{
	int n = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		bool known = !d->logs[i]->node;

		for (size_t k = 0; k < i && !known; k++)
			known = d->logs[k]->node &&
			    strcmp(d->logs[k]->node, d->logs[i]->node) == 0;
		n += !known;
	}
	return n;
}

int gpus_of_job(const struct diagnosis *d)
{
	struct gpu_clues all = { 0 };

	for (size_t i = 0; i < d->n_logs; i++)
		if (!d->logs[i]->of_record)
			join(&all, &d->logs[i]->clues);
	all.nodes = larger(all.nodes, nodes_of(d));
	return estimate(&all);
}
