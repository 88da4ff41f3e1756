/*
 * Bytes as a pickle, and as a dump of a flight recorder. A pickle is a value or
 * an error with a place in it; what a dump becomes is lines of one form,
 * whatever its texts hold, and the same for the value written as JSON, where no
 * NUL is in it: JSON's keys can have none.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/pickle.h"
#include "input/unwrap.h"

#include <string.h>

static void check_lines(struct span text)
{
	struct span line;

	while (span_line(&text, &line)) {
		FUZZ_CHECK(span_starts(line, "flight recorder: "));
		for (size_t i = 0; i < line.n; i++)
			FUZZ_CHECK((unsigned char)line.p[i] >= ' ');
	}
}

static int dump(struct span data, struct buf *out)
{
	struct err e = { 0 };
	int rc = unwrap_dump(data, out, &e);

	FUZZ_CHECK(
	    rc >= 0 && (rc != 2 || span_starts(span_of(e.text), "byte")));
	check_lines((struct span){ out->p, out->len });
	return rc;
}

static void run(struct span data)
{
	struct buf direct = BUF_INIT(BUF_MAX), again = BUF_INIT(BUF_MAX);
	struct buf json = BUF_INIT(BUF_MAX);
	struct span written;
	struct err e = { 0 };
	struct json *v = pickle_parse(data, &e);

	FUZZ_CHECK(v || (!e.lack && span_starts(span_of(e.text), "byte ")));
	(void)unwrap_look_dump(data);
	FUZZ_CHECK(!buf_adds(&direct, "") && !buf_adds(&again, ""));
	if (dump(data, &direct) == 1 && v && pickle_begins(data)) {
		FUZZ_CHECK(!json_write(v, &json));
		written = (struct span){ json.p, json.len };
		if (span_find(written, "\\u0000") == SIZE_MAX) {
			(void)dump(written, &again);
			fuzz_same(&direct, &again);
		}
	}
	json_free(v);
	buf_release(&direct);
	buf_release(&again);
	buf_release(&json);
}

const struct fuzz_target fuzz_dump = { "dump", 64 << 10, run };
