/*
 * What PyTorch's flight recorder leaves when a collective times out: of each
 * rank the last operations that it called, in which state each is, with sizes,
 * types and the stack of who called. It becomes text, a line each, which says
 * to a person what the file says:
 *
 *   flight recorder: version 2.9
 *   flight recorder: group 0 (default_pg) of ranks 0, 1
 *   flight recorder: collective 7 of group 0 (default_pg): all_reduce, started,
 *     [[1024]] Float -> [[1024]] Float, at step (/w/train.py:88) < ...
 *   flight recorder: p2p 3 of group 1 (pp): send 0->1, ...
 *
 * Keys are those of torch/csrc/distributed/c10d/FlightRecorder.hpp, versions
 * 2.0 to 2.10. Stacks are written of what has not ended, and of the last one of
 * each group.
 */
#include "input/unwrap.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/pickle.h"

#include <inttypes.h>
#include <stdlib.h>

#define LOOK_MAX 4096    /* bytes that tell what it is */
#define ENTRIES 65536    /* operations that are read: the last ones */
#define FRAMES 24        /* of a stack */
#define SIZES 16         /* of tensors, and dimensions of each */
#define WORD_MOST 200    /* bytes of a name or path */
#define RANKS_MOST 60000 /* bytes of the list of a group */
#define GROUPS 64        /* whose last operation is known */

/* ---- which it is ---- */

static bool names_keys(struct span s)
{
	return span_find(s, "pg_config") != SIZE_MAX ||
	    span_find(s, "collective_seq_id") != SIZE_MAX;
}

enum unwrap_look unwrap_look_dump(struct span start)
{
	struct span first = span_sub(start, 0, LOOK_MAX);

	if (!first.n)
		return UNWRAP_MORE;
	if (first.p[0] == '{' ? first.n > 1 && !strchr("\" \r\n", first.p[1])
			      : (unsigned char)first.p[0] != 0x80 ||
		    (first.n > 1 && !pickle_begins(first)))
		return UNWRAP_NO;
	if (names_keys(first))
		return UNWRAP_LINE;
	/* a log of records has a whole one on its first line */
	if (first.n == LOOK_MAX || span_find(first, "}\n") != SIZE_MAX)
		return UNWRAP_NO;
	return UNWRAP_MORE;
}

/* ---- words ---- */

/* A word of the dump, which may hold anything, as a part of a line. */
static int add_word(struct buf *out, struct span s)
{
	s = span_sub(s, s.n > WORD_MOST ? s.n - WORD_MOST : 0, s.n);
	for (size_t i = 0; i < s.n; i++)
		if (buf_addc(out, (unsigned char)s.p[i] < ' ' ? '?' : s.p[i]))
			return -1;
	return 0;
}

/* A number, which the JSON form writes as a text here and there. */
static int64_t number_of(const struct json *v)
{
	int64_t n = -1;

	if (!json_int(v, &n) && json_text(v).p)
		n = span_number(json_text(v));
	return n;
}

/* ---- operations ---- */

/* "[[1024, 8], []]" */
static int add_sizes(struct buf *out, const struct json *sizes)
{
	int rc = buf_addc(out, '[');

	for (size_t i = 0; !rc && i < json_count(sizes) && i < SIZES; i++) {
		const struct json *one = json_at(sizes, i);

		rc = buf_adds(out, i ? ", [" : "[");
		for (size_t k = 0; !rc && k < json_count(one) && k < SIZES; k++)
			rc = buf_addf(out, "%s%" PRId64, k ? ", " : "",
			    number_of(json_at(one, k)));
		rc = rc ? rc : buf_addc(out, ']');
	}
	return rc ? rc : buf_addc(out, ']');
}

/* " Float Half", each type once. */
static int add_types(struct buf *out, const struct json *types)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < json_count(types) && i < SIZES; i++) {
		struct span type = json_text(json_at(types, i));
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known |= span_eq(json_text(json_at(types, k)), type);
		if (type.n && !known)
			rc = buf_addc(out, ' ') || add_word(out, type);
	}
	return rc;
}

/* "step (/w/train.py:88) < main (/w/train.py:120)", the innermost first. */
static int add_stack(struct buf *out, const struct json *frames)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < json_count(frames) && i < FRAMES; i++) {
		const struct json *f = json_at(frames, i);

		rc = buf_adds(out, i ? " < " : ", at ") ||
		    add_word(out, json_get_text(f, "name")) ||
		    buf_adds(out, " (") ||
		    add_word(out, json_get_text(f, "filename")) ||
		    buf_addf(
			out, ":%" PRId64 ")", number_of(json_get(f, "line")));
	}
	return rc;
}

/* "0 (default_pg)". Before version 2.3 a group had no words beside its name. */
static int add_group(struct buf *out, struct span name, struct span words)
{
	if (add_word(out, name))
		return -1;
	if (!words.n || span_is(words, "undefined"))
		return 0;
	return buf_adds(out, " (") || add_word(out, words) ||
	    buf_addc(out, ')');
}

static int add_entry(struct buf *out, const struct json *o, bool stack)
{
	const struct json *group = json_get(o, "process_group");
	struct span name = json_get_text(o, "profiling_name");
	bool p2p = json_true_value(json_get(o, "is_p2p"));
	const char *key = p2p ? "p2p_seq_id" : "collective_seq_id";
	int64_t seq = number_of(json_get(o, key));
	size_t colon = span_find(name, ":");

	/* version 1 counted both together */
	if (seq < 0)
		seq = number_of(json_get(o, "seq_id"));
	if (seq < 0)
		return 0;
	/* "nccl:all_reduce": by which library is not asked */
	if (colon < name.n)
		name = span_sub(name, colon + 1, name.n);
	return buf_addf(out, "flight recorder: %s %" PRId64 " of group ",
		   p2p ? "p2p" : "collective", seq) ||
	    add_group(out, json_text(json_at(group, 0)),
		json_text(json_at(group, 1))) ||
	    buf_adds(out, ": ") || add_word(out, name) || buf_adds(out, ", ") ||
	    add_word(out, json_get_text(o, "state")) || buf_adds(out, ", ") ||
	    add_sizes(out, json_get(o, "input_sizes")) ||
	    add_types(out, json_get(o, "input_dtypes")) ||
	    buf_adds(out, " -> ") ||
	    add_sizes(out, json_get(o, "output_sizes")) ||
	    add_types(out, json_get(o, "output_dtypes")) ||
	    (stack && add_stack(out, json_get(o, "frames"))) ||
	    buf_addc(out, '\n');
}

/* Of which operations the stack is written, from the last one back. */
static void choose(const struct json *entries, size_t from, bool *chosen)
{
	struct span groups[GROUPS];
	size_t n = 0;

	for (size_t i = json_count(entries); i-- > from;) {
		const struct json *o = json_at(entries, i);
		struct span group =
		    json_text(json_at(json_get(o, "process_group"), 0));
		size_t k = 0;

		while (k < n && !span_eq(groups[k], group))
			k++;
		chosen[i - from] =
		    !span_is(json_get_text(o, "state"), "completed") ||
		    (k == n && n < GROUPS);
		if (k == n && n < GROUPS)
			groups[n++] = group;
	}
}

static int add_entries(struct buf *out, const struct json *entries)
{
	size_t n = json_count(entries), from = n > ENTRIES ? n - ENTRIES : 0;
	bool *chosen = calloc(n - from + 1, sizeof *chosen);
	int rc = chosen ? 0 : -1;

	if (chosen)
		choose(entries, from, chosen);
	for (size_t i = from; !rc && i < n; i++)
		rc = add_entry(out, json_at(entries, i), chosen[i - from]);
	free(chosen);
	return rc;
}

/* ---- groups ---- */

/* The ranks of a group, which are a text: "[0, 1, 2]". */
static int add_config(struct buf *out, const struct json *config)
{
	const struct json *group;
	void *at = NULL;
	struct span key;
	int rc = 0;

	while (!rc && json_each(config, &at, &key, &group)) {
		struct span ranks = json_get_text(group, "ranks");

		rc = buf_adds(out, "flight recorder: group ") ||
		    add_group(out, key, json_get_text(group, "desc")) ||
		    buf_adds(out, " of ranks ");
		for (size_t i = 0; !rc && i < ranks.n && i < RANKS_MOST; i++)
			if ((ranks.p[i] >= '0' && ranks.p[i] <= '9') ||
			    ranks.p[i] == ',')
				rc = buf_addc(out, ranks.p[i]);
		rc = rc ? rc : buf_addc(out, '\n');
	}
	return rc;
}

int unwrap_dump(struct span log, struct buf *out, struct err *why)
{
	struct json *root = pickle_begins(log)
	    ? pickle_parse(log, why)
	    : json_parse(log, JSON_PARSE, why);
	const struct json *entries = json_get(root, "entries");
	int rc = 0;

	if (!root && why->lack)
		return -1;
	if (!root)
		return pickle_begins(log) ? 2 : 0;
	if (json_is(root, JSON_IS_OBJECT) &&
	    (json_get(root, "pg_config") || json_is(entries, JSON_IS_ARRAY))) {
		rc = buf_adds(out, "flight recorder: version ") ||
		    add_word(out, json_get_text(root, "version")) ||
		    buf_addc(out, '\n') ||
		    add_config(out, json_get(root, "pg_config")) ||
		    add_entries(out, entries);
		rc = rc ? err_nomem(why) : 1;
	}
	json_free(root);
	return rc;
}
