/*
 * Tracebacks that are a list of objects, as structlog's dict_tracebacks writes
 * them: an object for each exception, from the last one to its cause. They are
 * written out as Python does.
 */
#include "input/unwrap.h"

#include "base/buf.h"
#include "base/json.h"
#include "input/unwrap_private.h"

#define FRAMES "frames"
#define TYPE "exc_type"
#define VALUE "exc_value"
#define CAUSE "is_cause"

/* The last frames of a deep recursion tell as much as all. */
#define FRAMES_MOST 64

bool unwrap_is_stacks(const struct json *list)
{
	const struct json *first = json_at(list, 0);

	return json_is(json_get(first, FRAMES), JSON_IS_ARRAY) &&
	    json_get_text(first, TYPE).n;
}

static int add_frame(struct buf *out, const struct json *frame)
{
	struct span file = json_get_text(frame, "filename");
	struct span name = json_get_text(frame, "name");
	struct span code = span_trim(json_get_text(frame, "line"));
	int64_t line = 0;

	(void)json_int(json_get(frame, "lineno"), &line);
	if (buf_addf(out, "  File \"%.*s\", line %lld, in %.*s\n", (int)file.n,
		file.n ? file.p : "", (long long)line, (int)name.n,
		name.n ? name.p : ""))
		return -1;
	return code.n ? buf_addf(out, "    %.*s\n", (int)code.n, code.p) : 0;
}

static int add_stack(struct buf *out, const struct json *stack)
{
	const struct json *frames = json_get(stack, FRAMES);
	struct span type = json_get_text(stack, TYPE);
	struct span value = json_get_text(stack, VALUE);
	size_t n = json_count(frames), from = 0;

	if (buf_adds(out, "Traceback (most recent call last):\n"))
		return -1;
	from = n > FRAMES_MOST ? n - FRAMES_MOST : 0;
	for (size_t i = from; i < n; i++)
		if (add_frame(out, json_at(frames, i)))
			return -1;
	return buf_addf(out, "%.*s%s%.*s\n", (int)type.n, type.n ? type.p : "",
	    value.n ? ": " : "", (int)value.n, value.n ? value.p : "");
}

int unwrap_add_stacks(struct buf *out, const struct json *list)
{
	for (size_t i = json_count(list); i-- > 0;) {
		const struct json *stack = json_at(list, i);
		bool cause = json_true_value(json_get(stack, CAUSE));

		if (add_stack(out, stack) ||
		    (i > 0 &&
			buf_adds(out,
			    cause ? "\nThe above exception was the direct "
				    "cause of the following exception:\n\n"
				  : "\nDuring handling of the above "
				    "exception, another exception "
				    "occurred:\n\n")))
			return -1;
	}
	return 0;
}
