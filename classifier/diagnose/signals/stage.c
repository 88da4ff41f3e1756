/*
 * Frames speak first, since a traceback shows what the program was doing: a
 * loader of data whoever has called it, then a step of training, then an
 * evaluation that no training has called. Where they are silent, the words
 * printed after the last progress decide, then the progress itself.
 */
#include "diagnose/signals/stage.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/facts.h"

#include <pthread.h>
#include <string.h>

enum {
	F_DATA = 1 << 0,  /* loads or prepares data */
	F_STEP = 1 << 1,  /* inside the loop of training */
	F_TRAIN = 1 << 2, /* named after training: could be all of it */
	F_EVAL = 1 << 3,
	F_VALID = 1 << 4, /* evaluation that belongs to training */
	F_INIT = 1 << 5,
	F_MODEL = 1 << 6,      /* the model computes, for whatever end */
	F_TRAIN_FILE = 1 << 7, /* a program named after training ... */
	F_EVAL_FILE = 1 << 8   /* ... or evaluation */
};

/* Functions, by their whole name or, with a final '*', its start. */
static const struct {
	const char *name;
	unsigned bits;
} functions[] = {
	{ "__getitem__", F_DATA }, /* of the user's, see stage_frame */
	{ "__getitems__", F_DATA },
	{ "collate*", F_DATA },
	{ "default_collate", F_DATA },
	{ "_next_data", F_DATA },
	{ "load_data*", F_DATA },
	{ "load_dataset*", F_DATA },
	{ "read_data*", F_DATA },
	{ "read_csv", F_DATA },
	{ "get_data*", F_DATA },
	{ "prepare_data*", F_DATA },
	{ "preprocess*", F_DATA },
	{ "process_data*", F_DATA },
	{ "make_dataset*", F_DATA },
	{ "build_dataset*", F_DATA },
	{ "create_dataset*", F_DATA },
	{ "tokenize*", F_DATA },
	{ "train_dataloader", F_DATA },
	{ "val_dataloader", F_DATA },
	{ "training_step", F_STEP },
	{ "train_step", F_STEP },
	{ "train_batch", F_STEP },
	{ "train_one_epoch", F_STEP },
	{ "train_epoch", F_STEP },
	{ "train_function", F_STEP },
	{ "_inner_training_loop", F_STEP },
	{ "backward", F_STEP },
	{ "optimizer_step", F_STEP },
	{ "run_training_batch", F_STEP },
	{ "run_step", F_STEP },
	{ "train*", F_TRAIN },
	{ "do_train", F_TRAIN },
	{ "run_train*", F_TRAIN },
	{ "fit*", F_TRAIN },
	{ "_fit*", F_TRAIN },
	{ "finetune*", F_TRAIN },
	{ "pretrain", F_TRAIN },
	{ "learn", F_TRAIN },
	{ "validat*", F_VALID },
	{ "valid*", F_VALID },
	{ "_validate*", F_VALID },
	{ "val_*", F_VALID },
	{ "run_sanity_check", F_STEP },
	{ "_run_sanity_check", F_STEP },
	{ "evaluat*", F_EVAL },
	{ "eval", F_EVAL },
	{ "eval_*", F_EVAL },
	{ "do_eval*", F_EVAL },
	{ "run_eval*", F_EVAL },
	{ "test", F_EVAL },
	{ "test_step", F_EVAL },
	{ "test_epoch*", F_EVAL },
	{ "test_loop*", F_EVAL },
	{ "test_model*", F_EVAL },
	{ "run_test*", F_EVAL },
	{ "predict*", F_EVAL },
	{ "infer*", F_EVAL },
	{ "run_infer*", F_EVAL },
	{ "generate*", F_EVAL },
	{ "from_pretrained", F_INIT },
	{ "load_state_dict", F_INIT },
	{ "load_checkpoint*", F_INIT },
	{ "load_model*", F_INIT },
	{ "load_weights*", F_INIT },
	{ "build_model*", F_INIT },
	{ "create_model*", F_INIT },
	{ "get_model*", F_INIT },
	{ "init_process_group", F_INIT },
	{ "init_distributed*", F_INIT },
	{ "parse_args*", F_INIT },
	{ "_find_and_load*", F_INIT },
	{ "forward", F_MODEL },
	{ "_call_impl", F_MODEL },
};

/* Parts of a file's path: libraries. */
static const struct {
	const char *part;
	unsigned bits;
} libraries[] = {
	{ "torch/utils/data/", F_DATA },
	{ "-packages/datasets/", F_DATA },
	{ "-packages/torchvision/datasets/", F_DATA },
	{ "-packages/webdataset/", F_DATA },
	{ "-packages/nvidia/dali/", F_DATA },
	{ "tensorflow/python/data/", F_DATA },
	{ "/data_adapter.py", F_DATA },
	{ "/data_loader.py", F_DATA },
	{ "/dataloader.py", F_DATA },
	{ "torch/autograd/", F_STEP },
	{ "torch/optim/", F_STEP },
	{ "/loops/fit_loop.py", F_STEP },
	{ "/loops/epoch/training_epoch_loop.py", F_STEP },
	{ "/loops/training_epoch_loop.py", F_STEP },
};

/* Starts of the name of a user's file, and of the folder it lies in. */
static const struct {
	const char *start;
	unsigned bits;
} files[] = {
	{ "dataset", F_DATA },
	{ "data_", F_DATA },
	{ "data.", F_DATA },
	{ "dataloader", F_DATA },
	{ "preprocess", F_DATA },
	{ "prepare_", F_DATA },
	{ "tokenize", F_DATA },
	{ "train", F_TRAIN_FILE },
	{ "main_train", F_TRAIN_FILE },
	{ "finetun", F_TRAIN_FILE },
	{ "pretrain", F_TRAIN_FILE },
	{ "run_train", F_TRAIN_FILE },
	{ "eval", F_EVAL_FILE },
	{ "test", F_EVAL_FILE },
	{ "infer", F_EVAL_FILE },
	{ "predict", F_EVAL_FILE },
	{ "generat", F_EVAL_FILE },
	{ "run_eval", F_EVAL_FILE },
	{ "demo", F_EVAL_FILE },
};

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool named(struct span function, const char *name)
{
	size_t n;

	if (function.n == 0 || function.p[0] != name[0])
		return false;
	n = strlen(name);
	if (name[n - 1] != '*')
		return span_is(function, name);
	return function.n >= n - 1 && memcmp(function.p, name, n - 1) == 0;
}

static bool in_library(struct span file)
{
	return span_find(file, "-packages/") != SIZE_MAX ||
	    span_find(file, "/lib/python") != SIZE_MAX ||
	    span_starts(file, "<frozen");
}

static unsigned of_user_file(struct span file)
{
	size_t base = file.n;
	struct span name;

	while (base > 0 && file.p[base - 1] != '/')
		base--;
	name = span_sub(file, base, file.n);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (span_starts(name, files[i].start))
			return files[i].bits;
	return 0;
}

struct stage_file stage_file(struct span file)
{
	struct stage_file f = { .library = in_library(file) };

	if (!f.library)
		f.name = of_user_file(file);
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (span_find(file, libraries[i].part) != SIZE_MAX)
			f.part |= libraries[i].bits;
	return f;
}

unsigned stage_frame(const struct stage_file *file, struct span function)
{
	unsigned bits = file->name;

	/* a module that is imported does not load data yet */
	if (span_is(function, "<module>"))
		bits &= ~(unsigned)F_DATA;

	/* <lambda>, <module> and a class before the name tell nothing */
	for (size_t i = function.n; i-- > 0;)
		if (function.p[i] == '.') {
			function = span_sub(function, i + 1, function.n);
			break;
		}
	bits |= file->part;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		if (!named(function, functions[i].name))
			continue;
		/* many libraries index and collate other things than data */
		if (!(file->library && functions[i].bits == F_DATA))
			bits |= functions[i].bits;
		break;
	}
	return bits;
}

/* ---- words ---- */

/* In lower case, in the order in which they are tried. */
static const struct {
	const char *text;
	enum stage stage;
} phrases[] = {
	{ "running evaluation", STAGE_EVALUATION },
	{ "running prediction", STAGE_EVALUATION },
	{ "running test", STAGE_EVALUATION },
	{ "running inference", STAGE_EVALUATION },
	{ "evaluating", STAGE_EVALUATION },
	{ "start evaluation", STAGE_EVALUATION },
	{ "testing", STAGE_EVALUATION },
	{ "predicting", STAGE_EVALUATION },
	{ "generating train split", STAGE_DATA },
	{ "generating test split", STAGE_DATA },
	{ "generating validation split", STAGE_DATA },
	{ "map:", STAGE_DATA },
	{ "map (num_proc", STAGE_DATA },
	{ "filter:", STAGE_DATA },
	{ "tokenizing", STAGE_DATA },
	{ "running tokenizer on", STAGE_DATA },
	{ "preprocessing", STAGE_DATA },
	{ "preparing data", STAGE_DATA },
	{ "loading data", STAGE_DATA },
	{ "loading train", STAGE_DATA },
	{ "load dataset", STAGE_DATA },
	{ "reading data", STAGE_DATA },
	{ "building dataset", STAGE_DATA },
	{ "processing data", STAGE_DATA },
	{ "grouping texts", STAGE_DATA },
	{ "downloading and preparing dataset", STAGE_DATA },
	{ "downloading data", STAGE_DATA },
	{ "converting examples to features", STAGE_DATA },
	{ "loading checkpoint shards", STAGE_INITIALIZATION },
	{ "loading safetensors checkpoint", STAGE_INITIALIZATION },
	{ "loading pipeline components", STAGE_INITIALIZATION },
	{ "loading weights", STAGE_INITIALIZATION },
	{ "loading model", STAGE_INITIALIZATION },
	{ "loading extension module", STAGE_INITIALIZATION },
	{ "downloading", STAGE_INITIALIZATION },
	{ "fetching", STAGE_INITIALIZATION },
	{ "running training", STAGE_TRAINING },
	{ "start training", STAGE_TRAINING },
	{ "starting training", STAGE_TRAINING },
	{ "begin training", STAGE_TRAINING },
	{ "training:", STAGE_TRAINING },
	{ "sanity checking", STAGE_TRAINING },
	{ "running validation", STAGE_TRAINING },
	{ "validating", STAGE_TRAINING },
	{ "validation:", STAGE_TRAINING },
	{ "validation dataloader", STAGE_TRAINING },
};

#define PHRASES (sizeof phrases / sizeof *phrases)

static bool is_letter(char c)
{
	c = fold(c);
	return (c >= 'a' && c <= 'z') || c == '_';
}

/* A bar at its end: what it counted is over. */
static bool is_over(struct span s, size_t at)
{
	size_t end = at;

	while (end < s.n && s.p[end] != '\n' && s.p[end] != '\r')
		end++;
	return span_find(span_sub(s, at, end), "100%") != SIZE_MAX;
}

static bool phrase_at(struct span s, size_t at, const char *t)
{
	for (; *t; t++, at++)
		if (at >= s.n || fold(s.p[at]) != *t)
			return false;
	return true;
}

/* Which letters are the second and the third of a phrase that begins with a
 * letter, as bits: few other words of a log get past both. Then the phrases of
 * that letter: the first, and the next of each, from 1. */
struct begins {
	uint32_t second[32], third[32];
	uint8_t first[32], next[PHRASES + 1];
};

static struct begins begins;
static pthread_once_t begins_once = PTHREAD_ONCE_INIT;

static void note_begins(void)
{
	for (size_t i = PHRASES; i > 0; i--) {
		const char *t = phrases[i - 1].text;

		begins.second[t[0] & 31] |= 1u << (t[1] & 31);
		begins.third[t[0] & 31] |= 1u << (t[2] & 31);
		begins.next[i] = begins.first[t[0] & 31];
		begins.first[t[0] & 31] = (uint8_t)i;
	}
}

static inline bool may_begin(const char *p)
{
	return begins.second[p[0] & 31] >> (p[1] & 31) & 1 &&
	    begins.third[p[0] & 31] >> (p[2] & 31) & 1 && is_letter(p[0]);
}

enum stage stage_words(struct span s)
{
	pthread_once(&begins_once, note_begins);
	for (size_t at = s.n < 3 ? 0 : s.n - 2; at-- > 0;) {
		if (!may_begin(s.p + at) || (at > 0 && is_letter(s.p[at - 1])))
			continue;
		for (size_t i = begins.first[s.p[at] & 31]; i > 0;
		     i = begins.next[i])
			if (phrase_at(s, at, phrases[i - 1].text) &&
			    !is_over(s, at))
				return phrases[i - 1].stage;
	}
	return STAGE_UNKNOWN;
}

/* ---- the answer ---- */

/* What a line that tells of the failure says of its own stage. */
static enum stage of_line(const struct evidence *ev, struct span text)
{
	enum stage stage = stage_words(text);

	if (stage == STAGE_UNKNOWN && ev &&
	    (ev->here.step >= 0 || ev->here.epoch >= 0))
		stage = STAGE_TRAINING;
	return stage;
}

static enum stage of_frames(unsigned bits, bool progress)
{
	bool in_training = bits & (F_TRAIN | F_STEP);

	if (bits & F_DATA)
		return STAGE_DATA;
	if (bits & F_STEP)
		return STAGE_TRAINING;
	if (bits & F_INIT && !progress)
		return STAGE_INITIALIZATION;
	if (bits & (F_EVAL | F_VALID))
		return in_training || (bits & F_VALID && progress)
		    ? STAGE_TRAINING
		    : STAGE_EVALUATION;
	if (bits & F_TRAIN)
		return STAGE_TRAINING;
	if (bits & F_MODEL && bits & F_EVAL_FILE)
		return STAGE_EVALUATION;
	if (bits & F_MODEL && bits & F_TRAIN_FILE)
		return STAGE_TRAINING;
	return STAGE_UNKNOWN;
}

enum stage stage_find(const struct diagnosis *d)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;
	const struct event *e = root ? root->event : NULL;
	struct span text = { NULL, 0 };
	enum stage stage;
	struct progress at;
	bool progress;

	if (!root || root->log->of_record)
		return STAGE_UNKNOWN;
	at = proof_before(root);
	progress = at.step > 0 || at.epoch >= 0;
	if (root->evidence)
		text = (struct span){ root->evidence->text,
			root->evidence->text_len };
	if (span_find(text, "DataLoader worker") != SIZE_MAX)
		return STAGE_DATA;
	stage = e && e->kind != EVENT_BARE ? of_frames(e->frames, progress)
					   : of_line(root->evidence, text);
	if (stage == STAGE_UNKNOWN && e)
		stage = e->stage;
	else if (stage == STAGE_UNKNOWN && root->evidence)
		stage = root->evidence->stage;
	if (stage == STAGE_UNKNOWN && (at.step >= 0 || at.epoch >= 0))
		stage = STAGE_TRAINING;
	/* a program that dies before it prints anything has just begun */
	if (stage == STAGE_UNKNOWN && e && e->kind == EVENT_TRACE)
		stage = STAGE_INITIALIZATION;
	return stage;
}

static const char *const names[] = {
	[STAGE_UNKNOWN] = NULL,
	[STAGE_INITIALIZATION] = "initialization",
	[STAGE_DATA] = "data",
	[STAGE_TRAINING] = "training",
	[STAGE_EVALUATION] = "evaluation",
};

const char *stage_name(enum stage stage)
{
	return names[stage];
}

enum stage stage_named(const char *name)
{
	int k = STAGE_EVALUATION;

	while (k > STAGE_UNKNOWN && strcmp(names[k], name) != 0)
		k--;
	return (enum stage)k;
}
