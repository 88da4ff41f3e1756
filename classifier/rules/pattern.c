/*
 * PCRE2 behind a small door. Patterns are bytes: no UTF mode, so any log is
 * legal input and a match never fails on bad encoding. Every run is bounded:
 * by steps (match limit), by nesting and heap for the interpreter, and by the
 * stack handed to JIT code. A machine that forbids executable memory runs the
 * same patterns in the interpreter, only slower.
 *
 * PCRE2's own match limit does not count what a single item does: on a line of
 * 64 KiB `(?=.*[bc])a` takes seconds within it. So a pattern has a callout
 * before each item, which counts the items and the bytes they went over. The
 * program's own patterns have none on short lines: there they have no time to
 * do harm.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "rules/pattern.h"

#include "base/err.h"

#include <pcre2.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* No real rule comes near it, and compiling stays cheap. */
#define PATTERN_LENGTH_MAX 16384

/* Groups in each other; each has its price in every step. */
#define NEST_MAX 50

#define JIT_STACK_START ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)1 << 20)
#define HEAP_LIMIT_KIB 16384
#define DEPTH_LIMIT 10000

/* Subjects up to here are short. */
#define SHORT ((size_t)4096)
/* Steps for one of PCRE2's own, and bytes for one step. */
#define STEPS_EACH 10
#define STEP_BYTES 32
#define GROUPS_EACH 8 /* whose contents are kept for the price of a step */

struct pattern {
	char *text;                 /* of an own pattern */
	pcre2_code *own;            /* without callouts, or NULL */
	_Atomic(pcre2_code *) code; /* with them; of an own one when needed */
	int groups;
};

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* NULL where there is no JIT */
	uint64_t most;          /* steps of one run */
	uint64_t each;          /* what an item costs */
	uint64_t steps, at;     /* of this run; where the last one was */
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
	/* Without JIT, pcre2_match interprets: no error to report. */
	if (code)
		(void)pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	if (code)
		goto out;
	if (pcre2_get_error_message(error, reason, sizeof reason) > 0)
		why = (const char *)reason;
	err_set(e, "at offset %zu: %s", (size_t)offset, why);
	if (where)
		*where = offset;
out:
	pcre2_compile_context_free(context);
	return code;
}

static struct pattern *make(
    const char *text, bool own, size_t *where, struct err *e)
{
	struct pattern *p = calloc(1, sizeof *p);
	pcre2_code *code;
	uint32_t groups = 0;

	if (!p || (own && !(p->text = span_dup(span_of(text))))) {
		free(p);
		err_nomem(e);
		return NULL;
	}
	code = compile(text, own ? 0 : PCRE2_AUTO_CALLOUT, where, e);
	if (!code) {
		pattern_free(p);
		return NULL;
	}
	if (!pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups))
		p->groups = (int)groups;
	if (own)
		p->own = code;
	else
		p->code = code;
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

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_code_free(p->own);
	free(p->text);
	free(p);
}

/* What to run on a subject of n bytes; NULL: out of memory. */
static const pcre2_code *code_for(struct pattern *p, size_t n)
{
	pcre2_code *code = p->code, *none = NULL;

	if (p->own && n <= SHORT)
		return p->own;
	if (code)
		return code;
	code = compile(p->text, PCRE2_AUTO_CALLOUT, NULL, NULL);
	if (code && !atomic_compare_exchange_strong(&p->code, &none, code)) {
		pcre2_code_free(code);
		code = none;
	}
	return code;
}

int pattern_group(const struct pattern *p, const char *name)
{
	int n = pcre2_substring_number_from_name(
	    p->own ? p->own : p->code, (PCRE2_SPTR)name);

	return n > 0 ? n : -1;
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

struct matcher *matcher_new(uint64_t match_limit)
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
		matcher_free(m);
		return NULL;
	}
	m->most = STEPS_EACH * (uint64_t)limit;
	pcre2_set_callout(m->context, count, m);
	pcre2_set_match_limit(m->context, limit);
	pcre2_set_depth_limit(m->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(m->context, HEAP_LIMIT_KIB);
	m->stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MAX, NULL);
	if (m->stack)
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return m;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	pcre2_match_data_free(m->data);
	pcre2_match_context_free(m->context);
	pcre2_jit_stack_free(m->stack);
	free(m);
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

int pattern_find(const struct pattern *p, struct matcher *scratch,
    struct span subject, struct pattern_match *m)
{
	const pcre2_code *code =
	    code_for((struct pattern *)(uintptr_t)p, subject.n);
	int rc;

	if (!subject.p)
		subject = (struct span){ "", 0 };
	if (!code)
		return -1;
	scratch->steps = scratch->at = 0;
	scratch->each = 1 + (uint64_t)p->groups / GROUPS_EACH;
	rc = pcre2_match(code, (PCRE2_SPTR)subject.p, subject.n, 0, 0,
	    scratch->data, scratch->context);
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc < 0)
		return -1;
	if (m)
		copy_groups(p, scratch, subject, m);
	return 1;
}
