/*
 * Frames speak first, since a traceback shows what the program was doing: a
 * loader of data whoever has called it, then a step of training, then an
 * evaluation that no training has called. Where they are silent, the words
 * printed after the last progress decide, then the progress itself.
 */
#include "diagnose/signals/stage.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/signals.h"

#include <string.h>

/* What frames tell, as bits: by their signals, and what a user's program is
 * named after. */
enum {
	F_DATA = 1 << STAGES_DATA,
	F_STEP = 1 << STAGES_STEP,
	F_TRAIN = 1 << STAGES_TRAINING, /* could be all of it */
	F_EVAL = 1 << STAGES_EVALUATION,
	F_VALID = 1 << STAGES_VALIDATION,
	F_INIT = 1 << STAGES_INITIALIZATION,
	F_MODEL = 1 << STAGES_MODEL,
	F_TRAIN_FILE = 1 << STAGES,
	F_EVAL_FILE = 1 << (STAGES + 1)
};

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* The next signal from i on that looks at such a place; SIZE_MAX: none. */
static size_t next_in(
    const struct taxonomy *tax, size_t i, enum signal_stage_where where)
{
	while (i < tax->signal_from[SIGNAL_STAGE + 1]) {
		if (taxonomy_signal_at(tax, i)->tells[1] == (int)where)
			return i;
		i++;
	}
	return SIZE_MAX;
}

/* The first signal that looks at such a place and tells of s, or NULL. */
static const struct signal *first_in(
    const struct taxonomy *tax, enum signal_stage_where where, struct span s)
{
	size_t i = tax->signal_from[SIGNAL_STAGE];

	while ((i = next_in(tax, i, where)) != SIZE_MAX) {
		if (signals_tell(tax, i, NULL, s, NULL))
			return taxonomy_signal_at(tax, i);
		i++;
	}
	return NULL;
}

static unsigned of_user_file(const struct taxonomy *tax, struct span file)
{
	const struct signal *s;
	size_t base = file.n;

	while (base > 0 && file.p[base - 1] != '/')
		base--;
	s = first_in(tax, STAGE_IN_FILE, span_sub(file, base, file.n));
	if (!s)
		return 0;
	if (s->tells[0] == STAGES_TRAINING)
		return F_TRAIN_FILE;
	return s->tells[0] == STAGES_EVALUATION ? F_EVAL_FILE
						: 1u << s->tells[0];
}

struct stage_file stage_file(
    const struct taxonomy *tax, struct span file, bool library)
{
	struct stage_file f = { .library = library };
	size_t i = tax->signal_from[SIGNAL_STAGE];

	if (!library)
		f.name = of_user_file(tax, file);
	for (; (i = next_in(tax, i, STAGE_IN_PATH)) != SIZE_MAX; i++)
		if (signals_tell(tax, i, NULL, file, NULL))
			f.part |= 1u << taxonomy_signal_at(tax, i)->tells[0];
	return f;
}

unsigned stage_frame(const struct taxonomy *tax, const struct stage_file *file,
    struct span function)
{
	unsigned bits = file->name, own;
	const struct signal *s;

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
	s = first_in(tax, STAGE_IN_FUNCTION, function);
	own = s ? 1u << s->tells[0] : 0;
	/* many libraries index and collate other things than data */
	return file->library && own == F_DATA ? bits : bits | own;
}

/* ---- words ---- */

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

/* Few words of a log have the first three letters of one of ours. */
static inline bool may_begin(const struct taxonomy *tax, const char *p)
{
	return tax->stage_letters[0][p[0] & 31] >> (p[1] & 31) & 1 &&
	    tax->stage_letters[1][p[0] & 31] >> (p[2] & 31) & 1 &&
	    is_letter(p[0]);
}

/* What they are in words. */
static const enum stage stages[STAGES] = {
	[STAGES_INITIALIZATION] = STAGE_INITIALIZATION,
	[STAGES_DATA] = STAGE_DATA,
	[STAGES_TRAINING] = STAGE_TRAINING,
	[STAGES_STEP] = STAGE_TRAINING,
	[STAGES_VALIDATION] = STAGE_TRAINING,
	[STAGES_EVALUATION] = STAGE_EVALUATION,
};

/* What the words there name; the first that do, of several. */
static enum stage stage_at(const struct taxonomy *tax, struct span s, size_t at)
{
	size_t i = tax->signal_from[SIGNAL_STAGE];

	for (; (i = next_in(tax, i, STAGE_IN_TEXT)) != SIZE_MAX; i++) {
		const struct strings *words = &taxonomy_signal_at(tax, i)->any;

		for (size_t k = 0; k < words->n; k++)
			if (phrase_at(s, at, words->v[k]) && !is_over(s, at))
				return stages[taxonomy_signal_at(tax, i)
						  ->tells[0]];
	}
	return STAGE_UNKNOWN;
}

enum stage stage_words(const struct taxonomy *tax, struct span s)
{
	enum stage stage = STAGE_UNKNOWN;

	for (size_t at = s.n < 3 ? 0 : s.n - 2; at-- > 0 && !stage;)
		if (may_begin(tax, s.p + at) &&
		    (at == 0 || !is_letter(s.p[at - 1])))
			stage = stage_at(tax, s, at);
	return stage;
}

/* ---- the answer ---- */

/* What a line that tells of the failure says of its own stage. */
static enum stage of_line(
    const struct taxonomy *tax, const struct evidence *ev, struct span text)
{
	enum stage stage = stage_words(tax, text);

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

enum stage stage_of_frames(unsigned bits)
{
	return of_frames(bits, true);
}

enum stage stage_find(const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;
	const struct event *e = root ? root->event : NULL;
	struct span text = { NULL, 0 };
	const struct signal *said;
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
	said = first_in(tax, STAGE_IN_FAILURE, text);
	if (said)
		return stages[said->tells[0]];
	stage = e && e->kind != EVENT_BARE ? of_frames(e->frames, progress)
					   : of_line(tax, root->evidence, text);
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
