/*
 * PCRE2 behind a small door. Patterns are bytes: no UTF mode, so any log is
 * legal input and a match never fails on bad encoding. Every run is bounded:
 * by steps (match limit), by nesting and heap for the interpreter, and by the
 * stack handed to JIT code. A machine that forbids executable memory runs the
 * same patterns in the interpreter, only slower.
 *
 * Making JIT code takes as long as interpreting some hundred lines, and most
 * patterns of a run never see that many: it is made when enough text has been
 * seen. The answer must not depend on that moment, which threads decide. On
 * short text the two differ only where the interpreter, which counts more
 * steps, gives up; such text, like all long text, is left to JIT code.
 *
 * PCRE2's own match limit does not count what a single item does: on a line of
 * 64 KiB `(?=.*[bc])a` takes seconds within it. So a pattern has a callout
 * before each item, which counts the items and the bytes they went over. The
 * program's own patterns have none on short text: there they have no time to
 * do harm.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "rules/pattern.h"

#include "base/err.h"

#include <pcre2.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* No real rule comes near it, and compiling stays cheap. */
#define PATTERN_LENGTH_MAX 16384

#define JIT_STACK_START ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)1 << 20)
#define HEAP_LIMIT_KIB 16384
#define DEPTH_LIMIT 10000

/* Text is interpreted up to this length, and up to so much of it in all. */
#define SHORT_TEXT 4096
#define COLD_BYTES 4096

/* Steps for one of PCRE2's own; bytes, and groups that are kept, for a step. */
#define STEPS_EACH 10
#define STEP_BYTES 32
#define GROUPS_EACH 8
/* Groups in each other; each has its price in every step. */
#define NEST_MAX 50

/* What changes in a pattern that threads share. */
struct jit {
	_Atomic(pcre2_code *) code; /* a copy, as no one may be running it */
	atomic_size_t seen;         /* bytes, until there is one */
	pattern_slot counted;       /* for long text, of an own pattern */
};

struct pattern {
	char *text; /* of an own pattern; NULL: its work is counted */
	pcre2_code *code;
	struct jit *jit;
	int groups;
};

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* for JIT code, when it first runs */
	uint64_t most;          /* steps of one run */
	uint64_t each;          /* what an item costs */
	uint64_t steps, at;     /* of this run; where the last one was */
	bool lacking;           /* memory ran out */
};

static pcre2_code *compile(
    const char *text, uint32_t options, size_t *where, struct err *e)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *code = NULL;
	const char *why = "unknown error";
	PCRE2_UCHAR reason[256];
	PCRE2_SIZE offset = 0;
	int error = 0;

	if (!context) {
		err_nomem(e);
		goto out;
	}
	/* Fixed here, so that the distribution's build of PCRE2 does not
	 * decide what `.` and `$` mean. */
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_bsr(context, PCRE2_BSR_UNICODE);
	pcre2_set_max_pattern_length(context, PATTERN_LENGTH_MAX);
	pcre2_set_parens_nest_limit(context, NEST_MAX);
	code = pcre2_compile((PCRE2_SPTR)text, strlen(text),
	    PCRE2_NEVER_BACKSLASH_C | PCRE2_NEVER_UTF | options, &error,
	    &offset, context);
	if (code)
		goto out;
	if (error == PCRE2_ERROR_HEAP_FAILED) {
		err_nomem(e);
		goto out;
	}
	if (pcre2_get_error_message(error, reason, sizeof reason) > 0)
		why = (const char *)reason;
	err_set(e, "at offset %zu: %s", (size_t)offset, why);
	if (where)
		*where = offset;
out:
	pcre2_compile_context_free(context);
	return code;
}

/* own: as pattern_new_own. PCRE2's search for repeats that need no way back
 * is half of what compiling takes; it is left to the code that JIT makes. */
static struct pattern *make(
    const char *text, bool own, size_t *where, struct err *e)
{
	struct pattern *p = calloc(1, sizeof *p);
	uint32_t groups = 0;

	if (p)
		p->jit = calloc(1, sizeof *p->jit);
	if (p && own)
		p->text = span_dup(span_of(text));
	if (!p || !p->jit || (own && !p->text)) {
		err_nomem(e);
		pattern_free(p);
		return NULL;
	}
	p->code = compile(
	    text, own ? PCRE2_NO_AUTO_POSSESS : PCRE2_AUTO_CALLOUT, where, e);
	if (!p->code) {
		pattern_free(p);
		return NULL;
	}
	if (!pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &groups))
		p->groups = (int)groups;
	return p;
}

struct pattern *pattern_new(const char *text, size_t *where, struct err *e)
{
	return make(text, false, where, e);
}

struct pattern *pattern_new_own(const char *text, struct err *e)
{
	return make(text, true, NULL, e);
}

static void release(struct pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	if (p->jit)
		pcre2_code_free(atomic_load(&p->jit->code));
	free(p->text);
	free(p->jit);
	free(p);
}

void pattern_free(struct pattern *p)
{
	/* which has none of its own */
	if (p && p->jit)
		release(atomic_load(&p->jit->counted));
	release(p);
}

static const struct pattern *late(
    pattern_slot *slot, const char *text, bool own)
{
	struct pattern *p = atomic_load(slot), *there = NULL;

	if (p)
		return p;
	p = make(text, own, NULL, NULL);
	if (!p || atomic_compare_exchange_strong(slot, &there, p))
		return p;
	pattern_free(p);
	return there;
}

const struct pattern *pattern_late(pattern_slot *slot, const char *text)
{
	return late(slot, text, true);
}

int pattern_group(const struct pattern *p, const char *name)
{
	int n = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);

	return n > 0 ? n : -1;
}

uint32_t pattern_least(const struct pattern *p)
{
	uint32_t least = 0;

	(void)pcre2_pattern_info(p->code, PCRE2_INFO_MINLENGTH, &least);
	return least;
}

int pattern_groups(const struct pattern *p)
{
	return p->groups;
}

/* Called before each item: a step, and one for every few bytes between here
 * and the item before. */
static int count(pcre2_callout_block *at, void *ctx)
{
	struct matcher *m = ctx;
	uint64_t now = at->current_position;

	m->steps +=
	    m->each + (now > m->at ? now - m->at : m->at - now) / STEP_BYTES;
	m->at = now;
	return m->steps > m->most ? PCRE2_ERROR_MATCHLIMIT : 0;
}

struct matcher *pattern_matcher_new(uint64_t match_limit)
{
	struct matcher *m = calloc(1, sizeof *m);
	uint32_t limit = UINT32_MAX;

	if (!m)
		return NULL;
	if (match_limit < limit)
		limit = (uint32_t)match_limit;
	m->data = pcre2_match_data_create(PATTERN_GROUPS, NULL);
	m->context = pcre2_match_context_create(NULL);
	if (!m->data || !m->context) {
		pattern_matcher_free(m);
		return NULL;
	}
	m->most = STEPS_EACH * (uint64_t)limit;
	pcre2_set_callout(m->context, count, m);
	pcre2_set_match_limit(m->context, limit);
	pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(m->context, HEAP_LIMIT_KIB);
	return m;
}

void pattern_matcher_free(struct matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	pcre2_jit_stack_free(m->stack);
	free(m);
}

void pattern_matcher_begin(struct matcher *m)
{
	m->lacking = false;
}

bool pattern_lacking(const struct matcher *m)
{
	return m->lacking;
}

uint64_t pattern_steps(const struct matcher *m)
{
	return m->steps;
}

static void copy_groups(const struct pattern *p, struct matcher *scratch,
    struct span subject, struct pattern_match *m)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(scratch->data);

	m->n = p->groups < PATTERN_GROUPS ? p->groups + 1 : PATTERN_GROUPS;
	for (int i = 0; i < PATTERN_GROUPS; i++) {
		PCRE2_SIZE from = at[2 * i], to = at[2 * i + 1];

		m->group[i] = (struct span){ NULL, 0 };
		if (i >= m->n || from == PCRE2_UNSET || to < from)
			continue;
		m->group[i] = (struct span){ subject.p + from, to - from };
	}
}

/* The code for JIT, made now if there is none. Most patterns of a run never
 * come here. */
static const pcre2_code *jit_code(const struct pattern *p)
{
	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	pcre2_code *code = atomic_load(&p->jit->code);

	if (code)
		return code;
	pthread_mutex_lock(&one_at_a_time);
	code = atomic_load(&p->jit->code);
	if (!code) {
		code = p->text ? compile(p->text, 0, NULL, NULL)
			       : pcre2_code_copy(p->code);
		/* Without JIT, pcre2_match interprets: no error to report. */
		(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
		atomic_store(&p->jit->code, code);
	}
	pthread_mutex_unlock(&one_at_a_time);
	return code ? code : p->code;
}

static int run(const pcre2_code *code, struct matcher *scratch,
    struct span subject, size_t from)
{
	scratch->steps = scratch->at = 0;
	return pcre2_match(code, (PCRE2_SPTR)subject.p, subject.n, from, 0,
	    scratch->data, scratch->context);
}

static bool cold(const struct pattern *p, struct span subject)
{
	return subject.n <= SHORT_TEXT && !atomic_load(&p->jit->code) &&
	    atomic_fetch_add(&p->jit->seen, subject.n) < COLD_BYTES;
}

static int run_jit(const struct pattern *p, struct matcher *scratch,
    struct span subject, size_t from)
{
	if (!scratch->stack) {
		scratch->stack = pcre2_jit_stack_create(
		    JIT_STACK_START, JIT_STACK_MAX, NULL);
		if (scratch->stack)
			pcre2_jit_stack_assign(
			    scratch->context, NULL, scratch->stack);
	}
	return run(jit_code(p), scratch, subject, from);
}

int pattern_find(const struct pattern *p, struct matcher *scratch,
    struct span subject, struct pattern_match *m)
{
	return pattern_find_from(p, scratch, subject, 0, m);
}

int pattern_find_from(const struct pattern *p, struct matcher *scratch,
    struct span subject, size_t from, struct pattern_match *m)
{
	int rc = PCRE2_ERROR_MATCHLIMIT;

	if (!subject.p)
		subject = (struct span){ "", 0 };
	if (p && p->text && subject.n > SHORT_TEXT)
		p = late(&p->jit->counted, p->text, false);
	if (!p) {
		scratch->lacking = true;
		return -1;
	}
	scratch->each = 1 + (uint64_t)p->groups / GROUPS_EACH;
	if (cold(p, subject))
		rc = run(p->code, scratch, subject, from);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
		rc = run_jit(p, scratch, subject, from);
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc < 0) {
		scratch->lacking |= rc == PCRE2_ERROR_NOMEMORY;
		return -1;
	}
	if (m)
		copy_groups(p, scratch, subject, m);
	return 1;
}
