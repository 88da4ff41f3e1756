/*
 * The exception stands right below its record, and its first frame right below
 * it; each cause stands below the frames of the one before it.
 */
#include "diagnose/evidence/thrown.h"

#include "diagnose/evidence/around.h"
#include "diagnose/evidence/shape.h"

#include <string.h>

#define CAUSE "Caused by: "
#define FRAME "\tat "
/* Bytes of a stack that are looked through for its record. */
#define STACK_MAX (16u << 10)

/* The line before *pos, where it begins goes to *pos; none is empty. */
static struct span line_before(struct span block, size_t *pos)
{
	size_t end = *pos;

	if (!end)
		return span_sub(block, 0, 0);
	*pos = span_line_start(block, 0, end - 1);
	return span_sub(block, *pos, end - 1);
}

/* Whether a class is named with its package: java.io.IOException. */
static bool is_packaged(struct span type)
{
	return type.n && type.p[0] >= 'a' && type.p[0] <= 'z' &&
	    memchr(type.p, '.', type.n);
}

/* Where the exception begins whose cause stands at pos; pos itself where it
 * is no cause. */
static size_t first_of_stack(struct span block, size_t pos, struct span line)
{
	size_t at = pos;

	while (span_starts(line, CAUSE) ||
	    (line.n && line.p[0] == '\t' && pos - at < STACK_MAX)) {
		line = line_before(block, &at);
		if (!line.n)
			return pos;
	}
	return at;
}

/* Whether a line that begins at pos is a record: a container's "WARNING: ..."
 * is none. Java's own logger writes the time in the line before. */
static bool is_record(const struct prefixes *prefixes, struct span block,
    size_t pos, const struct envelope *env)
{
	struct envelope before;

	if (env->time != ENVELOPE_NO_TIME || env->program.n)
		return true;
	envelope_peel(prefixes, line_before(block, &pos), &before);
	return before.time != ENVELOPE_NO_TIME;
}

enum level thrown_level(const struct prefixes *prefixes, struct span block,
    size_t pos, struct span line)
{
	size_t at = first_of_stack(block, pos, line);
	size_t next = around_newline(block, at);
	struct envelope env;
	struct span type;

	line = span_sub(block, at, next);
	if (shape_exception(line, &type) != SHAPE_SURE || !is_packaged(type) ||
	    !span_starts(span_sub(block, next + 1, block.n), FRAME))
		return LEVEL_UNKNOWN;
	envelope_peel(prefixes, line_before(block, &at), &env);
	return is_record(prefixes, block, at, &env) ? env.level : LEVEL_UNKNOWN;
}
