/*
 * Makes the data of the benchmark of speed. Every log is drawn from its own
 * seed and a length alone, so the same arguments give the same bytes on every
 * machine, a longer `log` begins with the bytes of a shorter one, and the files
 * of `logs` one after the other are the `log` of the same size.
 *
 * usage: speed_make KIND PATH BYTES [SEED [FAILED [ERRORS]]]
 *   KIND    see `kinds`; PATH is a folder for `logs` and `tree`, else a file
 *   BYTES   plain bytes; for `tree` the number of logs
 *   FAILED  percent of the jobs that fail at their end (default 60)
 *   ERRORS  lines in a million that are an error in the midst (default 0)
 */
#include "tests/bench/speed_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define KIB (1u << 10)
#define MIB (1u << 20)
#define LOG_BYTES (512 * KIB) /* one of `logs` */
#define A_FOLDER 100          /* logs of one folder */

struct out {
	FILE *f;
	uint64_t left, written; /* bytes that may still be, that were put */
};

struct job {
	struct out *o;
	uint64_t random;
	unsigned step, steps, shown; /* of training; at the last bar */
	unsigned id, node, user;
	unsigned milliseconds, errors;
	bool colour, bars, ranks;
	const struct failure *failure; /* NULL: it ends well */
};

struct order {
	const char *kind;
	const char *path;
	uint64_t bytes, seed;
	unsigned failed, errors;
};

static void die(const char *what)
{
	fprintf(stderr, "speed_make: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- bytes and chance ---- */

static void put(struct out *o, const char *text, size_t n)
{
	if (n > o->left)
		n = (size_t)o->left;
	if (n && fwrite(text, 1, n, o->f) != n)
		die("write");
	o->left -= n;
	o->written += n;
}

static void open_out(struct out *o, const char *path, uint64_t bytes)
{
	*o = (struct out){ .f = fopen(path, "wb"), .left = bytes };
	if (!o->f || setvbuf(o->f, NULL, _IOFBF, 256 * KIB))
		die(path);
}

static void close_out(struct out *o, const char *path)
{
	if (fclose(o->f))
		die(path);
}

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static unsigned below(struct job *j, unsigned n)
{
	return (unsigned)(draw(&j->random) >> 32) % n;
}

static bool chance(struct job *j, unsigned percent)
{
	return below(j, 100) < percent;
}

__attribute__((format(printf, 2, 3))) static void say(
    struct job *j, const char *form, ...)
{
	char line[2 * KIB];
	va_list v;
	int n;

	va_start(v, form);
	n = vsnprintf(line, sizeof line, form, v);
	va_end(v);
	if (n < 0 || (size_t)n >= sizeof line)
		die("a line is too long");
	put(j->o, line, (size_t)n);
}

struct instant {
	unsigned hour, minute, second, ms;
};

static struct instant now(const struct job *j)
{
	unsigned s = j->milliseconds / 1000;

	return (struct instant){ s / 3600 % 24, s / 60 % 60, s % 60,
		j->milliseconds % 1000 };
}

static void put_path(struct job *j)
{
	static const char *const sets[] = { "wiki", "code", "speech", "video" };

	say(j, "/data/%s/part-%02u/shard-%05u.tar", sets[below(j, 4)],
	    below(j, 64), below(j, 99999));
}

/* The value of the job that the letter stands for. */
static void put_value(struct job *j, char letter)
{
	static const char *const users[] = { "ada", "lin", "omar", "ines" };
	struct instant t = now(j);

	switch (letter) {
	case 'f':
		say(j, "/home/%s/work/train.py", users[j->user]);
		break;
	case 'u':
		say(j, "%s", users[j->user]);
		break;
	case 's':
		say(j, "/opt/conda/lib/python3.10/site-packages");
		break;
	case 'p':
		put_path(j);
		break;
	case 'n':
		say(j, "%u", 100 + below(j, 9000));
		break;
	case 'g':
		say(j, "%u", below(j, 8));
		break;
	case 'x':
		say(j, "%08x%04x", below(j, 1u << 31), below(j, 1u << 16));
		break;
	case 'h':
		say(j, "gn%04u", j->node);
		break;
	case 'j':
		say(j, "%u", j->id);
		break;
	case 'd':
		say(j, "2026-03-01T%02u:%02u:%02u", t.hour, t.minute, t.second);
		break;
	default:
		errno = EINVAL;
		die("no such value in a text");
	}
}

/* Print the text with its values. */
static void fill(struct job *j, const char *text)
{
	for (const char *at; (at = strchr(text, '@')); text = at + 2) {
		put(j->o, text, (size_t)(at - text));
		put_value(j, at[1]);
	}
	put(j->o, text, strlen(text));
}

/* ---- a step of training as each framework prints it ---- */

/* Ten-thousandths; it falls from about 9 to 2 with noise. */
static unsigned loss(struct job *j)
{
	return 20000 + 70000 * 50 / (50 + j->step) + below(j, 900);
}

static void level(struct job *j, const char *word)
{
	say(j, j->colour ? "\033[32m%s\033[0m" : "%s", word);
}

static void step_values(struct job *j)
{
	struct instant t = now(j);
	unsigned l = loss(j);

	say(j, "2026-03-01 %02u:%02u:%02u,%03u ", t.hour, t.minute, t.second,
	    t.ms);
	level(j, "INFO");
	say(j,
	    " trainer: step %u | loss %u.%04u | lr 3.0e-04 | grad_norm "
	    "%u.%03u | tokens/s %u\n",
	    j->step, l / 10000, l % 10000, below(j, 3), below(j, 1000),
	    170000 + below(j, 20000));
}

static void step_transformers(struct job *j)
{
	unsigned l = loss(j);

	if (j->colour)
		say(j, "\033[2K");
	say(j,
	    "{'loss': %u.%04u, 'grad_norm': %u.%06u, 'learning_rate': "
	    "%u.%02ue-05, 'epoch': %u.%02u}\n",
	    l / 10000, l % 10000, below(j, 3), below(j, 1000000),
	    1 + below(j, 4), below(j, 100), j->step / 1000,
	    j->step % 1000 / 10);
}

static void step_megatron(struct job *j)
{
	struct instant t = now(j);
	unsigned l = loss(j);

	say(j, " [2026-03-01 %02u:%02u:%02u] ", t.hour, t.minute, t.second);
	if (j->colour)
		level(j, "[INFO] ");
	say(j,
	    "iteration %8u/%8u | consumed samples: %12u | elapsed time per "
	    "iteration (ms): %u.%u | learning rate: 1.500E-04 | global batch "
	    "size:   256 | lm loss: %u.%04u00E+00 | loss scale: 1.0 | grad "
	    "norm: 0.%03u | number of skipped iterations:   0 | number of nan "
	    "iterations:   0 |\n",
	    j->step, j->steps, j->step * 256, 800 + below(j, 500), below(j, 10),
	    l / 10000, l % 10000, below(j, 1000));
}

static void step_deepspeed(struct job *j)
{
	struct instant t = now(j);
	unsigned l = loss(j);

	for (int i = 0; i < 2; i++) {
		say(j, "[2026-03-01 %02u:%02u:%02u,%03u] [", t.hour, t.minute,
		    t.second, t.ms);
		level(j, "INFO");
		if (!i)
			say(j,
			    "] [logging.py:128:log_dist] [Rank 0] step=%u, "
			    "skipped=%u, lr=[0.0003], mom=[(0.9, 0.95)]\n",
			    j->step, j->step / 900);
		else
			say(j,
			    "] [timer.py:264:stop] epoch=0/micro_step=%u/"
			    "global_step=%u, RunningAvgSamplesPerSec=41.%u, "
			    "CurrSamplesPerSec=42.%u, MemAllocated=31.2GB, "
			    "MaxMemAllocated=66.71GB\n",
			    j->step, j->step, below(j, 9999), below(j, 9999));
	}
	say(j, "steps: %u loss: %u.%04u iter time (s): 6.%03u\n", j->step,
	    l / 10000, l % 10000, below(j, 1000));
}

static void step_mmengine(struct job *j)
{
	struct instant t = now(j);
	unsigned l = loss(j);

	say(j, "03/01 %02u:%02u:%02u - mmengine - ", t.hour, t.minute,
	    t.second);
	level(j, "INFO");
	say(j,
	    " - Epoch(train)  [%u][%4u/1000]  lr: 5.0000e-04  eta: "
	    "%u:%02u:10  time: 0.%04u  data_time: 0.%04u  memory: %u  loss: "
	    "%u.%04u\n",
	    1 + j->step / 1000, j->step % 1000, below(j, 9), below(j, 60),
	    below(j, 10000), below(j, 500), 6402 + below(j, 90), l / 10000,
	    l % 10000);
}

static void step_jax(struct job *j)
{
	struct instant t = now(j);
	unsigned l = loss(j);

	say(j,
	    "I0301 %02u:%02u:%02u.%06u %u metric_writer.py:181] [%u] "
	    "grad_norm=0.%04u, loss=%u.%04u, steps_per_sec=3.%04u\n",
	    t.hour, t.minute, t.second, t.ms * 1000 + below(j, 1000),
	    140 + j->node, j->step, below(j, 10000), l / 10000, l % 10000,
	    below(j, 10000));
}

static void step_json(struct job *j)
{
	unsigned l = loss(j);

	say(j,
	    "{\"step\": %u, \"loss\": %u.%04u, \"lr\": 0.0003, "
	    "\"tokens\": %u, \"mfu\": 0.%04u}\n",
	    j->step, l / 10000, l % 10000, j->step * 524288, below(j, 10000));
}

static void step_keras(struct job *j)
{
	static const char full[] = "==============================";
	static const char rest[] = "..............................";
	unsigned at = j->step % 1000, l = loss(j), n = at * 30 / 1000;

	if (j->step % 1000 < 10)
		say(j, "\nEpoch %u/%u\n", 1 + j->step / 1000,
		    1 + j->steps / 1000);
	say(j,
	    "\r%4u/1000 [%.*s>%.*s] - ETA: %us - loss: %u.%04u - accuracy: "
	    "0.%04u",
	    at, (int)n, full, (int)(29 - n), rest, (1000 - at) / 8, l / 10000,
	    l % 10000, below(j, 10000));
}

/* tqdm's bar; Lightning's is one too. */
static void bar(struct job *j, const char *name)
{
	static const char blocks[] = "\u2588\u2588\u2588\u2588\u2588"
				     "\u2588\u2588\u2588\u2588\u2588";
	unsigned at = j->step % 1000, l = loss(j), n = at / 100;
	unsigned seconds = at / 6, left = (1000 - at) / 6;

	say(j,
	    "\r%s %u: %3u%%|%.*s%*s| %u/1000 [%02u:%02u<%02u:%02u,  "
	    "6.%02uit/s, loss=%u.%03u, v_num=3]",
	    name, j->step / 1000, at / 10, (int)(3 * n), blocks, (int)(10 - n),
	    "", at, seconds / 60, seconds % 60, left / 60, left % 60,
	    below(j, 100), l / 10000, l % 10000 / 10);
	if (j->colour)
		say(j, "\033[A");
}

static void step_lightning(struct job *j)
{
	bar(j, "Epoch");
	if (j->step % 1000 > 989)
		say(j, "\n");
}

static void (*const styles[])(struct job *) = { step_values, step_transformers,
	step_megatron, step_deepspeed, step_mmengine, step_jax, step_json,
	step_keras, step_lightning };

/* ---- a job ---- */

static void checkpoint(struct job *j)
{
	say(j, "\nSaving checkpoint at step %u to /ckpt/run%u/step-%06u\n",
	    j->step, j->id, j->step);
	say(j, "checkpoint saved: /ckpt/run%u/step-%06u (%u.%u s)\n", j->id,
	    j->step, 3 + below(j, 20), below(j, 10));
}

static void start(struct job *j)
{
	for (size_t i = 0; i < COUNT(starts); i++)
		if (chance(j, 40))
			fill(j, starts[i]);
}

static void train(struct job *j, uint64_t end)
{
	void (*step)(struct job *) = styles[below(j, COUNT(styles))];
	unsigned each = 1 + below(j, 20), save = 500 + 100 * below(j, 10);
	unsigned saved = 0;

	while (j->o->left && j->o->written < end) {
		j->step += each;
		j->milliseconds += each * (100 + below(j, 60));
		if (j->ranks)
			say(j, "[rank%u]: ", below(j, 8));
		step(j);
		for (int i = 0; j->bars && i < 2; i++)
			bar(j, "train");
		if (j->bars && chance(j, 40))
			say(j, "\n");
		if (below(j, 1000) < 15) {
			say(j, "\n");
			fill(j, between[below(j, COUNT(between))]);
		}
		if (j->step / save > saved) {
			saved = j->step / save;
			checkpoint(j);
		}
		if (below(j, 1000000) < j->errors) {
			say(j, "\n");
			fill(j, errors[below(j, COUNT(errors))]);
		}
	}
	say(j, "\n");
}

static void fail(struct job *j)
{
	if (j->failure->trace)
		fill(j, trace_start);
	fill(j, j->failure->text);
	for (size_t i = 0; j->failure->trace && i < COUNT(consequences); i++)
		if (chance(j, 30))
			fill(j, consequences[i]);
}

/* One job of about so many bytes; the category of its failure, or none. */
static const char *write_job(
    struct out *o, uint64_t seed, uint64_t bytes, const struct order *order)
{
	struct job j = { .o = o, .random = seed, .errors = order->errors };
	uint64_t end = o->written + bytes * 9 / 10;

	j.id = 400000 + below(&j, 100000);
	j.node = below(&j, 1024);
	j.user = below(&j, 4);
	j.steps = 1000 * (1 + below(&j, 90));
	j.milliseconds = 8 * 3600 * 1000 + below(&j, 3600000);
	j.colour = chance(&j, 20);
	j.bars = chance(&j, 30);
	j.ranks = chance(&j, 15);
	if (chance(&j, order->failed))
		j.failure = &failures[below(&j, COUNT(failures))];
	start(&j);
	train(&j, end);
	if (j.failure)
		fail(&j);
	else
		fill(&j, good_ends[below(&j, COUNT(good_ends))]);
	return j.failure ? j.failure->category : "none";
}

/* ---- what can be made ---- */

static uint64_t seed_of(const struct order *order, uint64_t n)
{
	uint64_t state = order->seed * 1000003 + n;

	return draw(&state);
}

static void make_log(const struct order *order)
{
	struct out o;

	open_out(&o, order->path, order->bytes);
	for (uint64_t i = 0; o.left; i++)
		write_job(&o, seed_of(order, i), LOG_BYTES, order);
	close_out(&o, order->path);
}

/* The length of the n-th small log: 8 KiB in the median, with a long tail. */
static uint64_t small_length(uint64_t seed)
{
	uint64_t length = 6 * KIB, half = draw(&seed);
	/* Each bit that is set in a row makes it half as long again, or as
	 * much shorter. */
	bool longer = half & 1;

	for (half >>= 1; half & 1; half >>= 1)
		length = longer ? length * 3 / 2 : length * 2 / 3;
	length += draw(&seed) % length;
	return length > 2 * MIB ? 2 * MIB : length < 1024 ? 1024 : length;
}

static void make_directory(char path[4096], const char *top, const char *name)
{
	snprintf(path, 4096, "%s%s", top, name);
	if (mkdir(path, 0777))
		die(path);
}

/* PATH/logs/NNN/jobNNNNNN.log, and PATH/labels.tsv with their true
 * categories. */
static void make_folder(const struct order *order, bool small)
{
	char path[4096], name[64];
	struct out labels, o = { 0 };
	uint64_t total = 0;

	make_directory(path, order->path, "");
	make_directory(path, order->path, "/logs");
	snprintf(path, sizeof path, "%s/labels.tsv", order->path);
	open_out(&labels, path, UINT64_MAX);
	put(&labels, "file\tcategory\n", strlen("file\tcategory\n"));
	for (unsigned i = 0; small ? i < order->bytes : total < order->bytes;
	     i++) {
		uint64_t seed = seed_of(order, small ? ~(uint64_t)i : i);
		const char *category;

		snprintf(name, sizeof name, "/logs/%03u", i / A_FOLDER);
		if (i % A_FOLDER == 0)
			make_directory(path, order->path, name);
		snprintf(name, sizeof name, "/logs/%03u/job%06u.log",
		    i / A_FOLDER, i);
		snprintf(path, sizeof path, "%s%s", order->path, name);
		open_out(&o, path, small ? UINT64_MAX : order->bytes - total);
		category = write_job(
		    &o, seed, small ? small_length(seed) : LOG_BYTES, order);
		total += o.written;
		close_out(&o, path);
		put(&labels, name + 1, strlen(name + 1));
		put(&labels, "\t", 1);
		put(&labels, category, strlen(category));
		put(&labels, "\n", 1);
	}
	close_out(&labels, order->path);
}

static void make_logs(const struct order *order)
{
	make_folder(order, false);
}

static void make_tree(const struct order *order)
{
	make_folder(order, true);
}

/* Hostile ones: a text again and again. */
static void repeat(const struct order *order, const char *text)
{
	struct out o;
	struct job j = { .o = &o, .random = order->seed };

	open_out(&o, order->path, order->bytes);
	while (o.left)
		fill(&j, text);
	close_out(&o, order->path);
}

static void make_errors(const struct order *order)
{
	struct out o;
	struct job j = { .o = &o, .random = order->seed };

	open_out(&o, order->path, order->bytes);
	while (o.left)
		fill(&j, errors[below(&j, COUNT(errors))]);
	close_out(&o, order->path);
}

static void make_traces(const struct order *order)
{
	struct out o;
	struct job j = { .o = &o, .random = order->seed };

	open_out(&o, order->path, order->bytes);
	while (o.left) {
		j.failure = &failures[below(&j, COUNT(failures))];
		fail(&j);
	}
	close_out(&o, order->path);
}

/* One of the shapes, which is named as order->kind. */
static void make_shape(const struct order *order)
{
	const struct shape *shape = shapes;
	struct out o;
	struct job j = { .o = &o, .random = order->seed };
	unsigned n = 0;

	while (strcmp(shape->name, order->kind) != 0)
		shape++;
	while (n < COUNT(shape->lines) && shape->lines[n])
		n++;
	open_out(&o, order->path, order->bytes);
	while (o.left)
		fill(&j, shape->lines[below(&j, n)]);
	close_out(&o, order->path);
}

static void make_bars(const struct order *order)
{
	repeat(order, "\r@n/9999 [00:@n<01:31, 6.02it/s, error=0.@n, loss=@n]");
}

static void make_lines(const struct order *order)
{
	repeat(order, "token @n error 0.@n state @x the line goes on and on, ");
}

static void make_escapes(const struct order *order)
{
	repeat(order, "\033[3@gm\033[1m@g\033[0m");
}

static void make_random(const struct order *order)
{
	struct out o;
	uint64_t state = order->seed, word;

	open_out(&o, order->path, order->bytes);
	while (o.left) {
		word = draw(&state);
		put(&o, (const char *)&word, sizeof word);
	}
	close_out(&o, order->path);
}

static const struct {
	const char *name;
	void (*make)(const struct order *order);
} kinds[] = {
	{ "log", make_log },         /* jobs one after the other */
	{ "logs", make_logs },       /* the same, each a file of 512 KiB */
	{ "tree", make_tree },       /* many small logs */
	{ "errors", make_errors },   /* every line is an error */
	{ "traces", make_traces },   /* tracebacks and nothing else */
	{ "bars", make_bars },       /* \r and no \n */
	{ "line", make_lines },      /* one line */
	{ "escapes", make_escapes }, /* colours and little text */
	{ "random", make_random },   /* any bytes */
	/* shapes of lines that real logs have */
	{ "shell", make_shape },
	{ "mllog", make_shape },
	{ "warnings", make_shape },
	{ "tables", make_shape },
	{ "long", make_shape },
	{ "scripts", make_shape },
};

int main(int argc, char **argv)
{
	struct order order = { .failed = 60 };
	size_t i = 0;

	while (
	    argc > 3 && i < COUNT(kinds) && strcmp(kinds[i].name, argv[1]) != 0)
		i++;
	if (argc < 4 || argc > 7 || i == COUNT(kinds)) {
		fputs("usage: speed_make KIND PATH BYTES [SEED [FAILED "
		      "[ERRORS]]]\n",
		    stderr);
		return 2;
	}
	order.kind = argv[1];
	order.path = argv[2];
	order.bytes = strtoull(argv[3], NULL, 10);
	order.seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	if (argc > 5)
		order.failed = (unsigned)strtoul(argv[5], NULL, 10);
	if (argc > 6)
		order.errors = (unsigned)strtoul(argv[6], NULL, 10);
	kinds[i].make(&order);
	return 0;
}
