/*
 * PCRE2 behind a small door. Patterns are bytes: no UTF mode, so any log is
 * legal input and a match never fails on bad encoding. Every run is bounded:
 * by steps (match limit), by nesting and heap for the interpreter, and by the
 * stack handed to JIT code. A machine that forbids executable memory runs the
 * same patterns in the interpreter, only slower.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "rules/pattern.h"

#include "base/err.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

/* No real rule comes near it, and compiling stays cheap. */
#define PATTERN_LENGTH_MAX 16384

#define JIT_STACK_START ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)1 << 20)
#define HEAP_LIMIT_KIB 16384
#define DEPTH_LIMIT 10000

struct pattern {
	pcre2_code *code;
	int groups;
};

struct matcher {
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack; /* NULL where there is no JIT */
};

static pcre2_code *compile(const char *text, size_t *where, struct err *e)
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
	code = pcre2_compile((PCRE2_SPTR)text, strlen(text),
	    PCRE2_NEVER_BACKSLASH_C, &error, &offset, context);
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

struct pattern *pattern_new(const char *text, size_t *where, struct err *e)
{
	struct pattern *p = calloc(1, sizeof *p);
	uint32_t groups = 0;

	if (!p) {
		err_nomem(e);
		return NULL;
	}
	p->code = compile(text, where, e);
	if (!p->code) {
		free(p);
		return NULL;
	}
	/* Without JIT, pcre2_match interprets: no error to report. */
	(void)pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	if (!pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &groups))
		p->groups = (int)groups;
	return p;
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	free(p);
}

int pattern_group(const struct pattern *p, const char *name)
{
	int n = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);

	return n > 0 ? n : -1;
}

int pattern_groups(const struct pattern *p)
{
	return p->groups;
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
	return pattern_find_from(p, scratch, subject, 0, m);
}

int pattern_find_from(const struct pattern *p, struct matcher *scratch,
    struct span subject, size_t from, struct pattern_match *m)
{
	int rc;

	if (!subject.p)
		subject = (struct span){ "", 0 };
	rc = pcre2_match(p->code, (PCRE2_SPTR)subject.p, subject.n, from, 0,
	    scratch->data, scratch->context);
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc < 0)
		return -1;
	if (m)
		copy_groups(p, scratch, subject, m);
	return 1;
}
