/*
 * Bytes as lines to import: each is kept or refused, what is kept can be read
 * and reported, and its export makes an equal store.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/store/entry.h"
#include "reports/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW (INT64_C(1700000000) * 1000000)

static char folder[] = "/dev/shm/jobtriage-fuzz-XXXXXX";
static const char *const names[] = { "a.db", "b.db" };

static void clean_up(void)
{
	static const char *const ends[] = { "", "-wal", "-shm", "-journal" };
	char path[128];

	for (size_t i = 0; i < 8; i++) {
		snprintf(path, sizeof path, "%s/%s%s", folder, names[i / 4],
		    ends[i % 4]);
		unlink(path);
	}
	rmdir(folder);
}

static struct store *open_store(const char *name)
{
	char url[128];
	struct err e = { 0 };
	struct store *s;

	snprintf(url, sizeof url, "sqlite:%s/%s", folder, name);
	s = store_open(url, STORE_WRITE, &e);
	fuzz_ok(!s, &e);
	return s;
}

static uint64_t diagnoses(struct store *s)
{
	struct store_info info;
	struct err e = { 0 };

	fuzz_ok(store_info(s, &info, &e), &e);
	FUZZ_CHECK(info.jobs <= info.diagnoses);
	FUZZ_CHECK(info.failed <= info.diagnoses);
	return info.diagnoses;
}

static uint64_t import(struct store *s, struct span data)
{
	uint64_t kept = 0;
	struct span line;
	struct err e;

	while (span_line(&data, &line)) {
		int rc;

		e.text[0] = '\0';
		rc = store_import(s, line, NOW, &e);
		FUZZ_CHECK(rc >= 0 && !rc == !e.text[0]);
		kept += !rc;
	}
	FUZZ_CHECK(diagnoses(s) <= kept);
	return kept;
}

static int add_line(void *ctx, struct span text, struct err *e)
{
	(void)e;
	return buf_add(ctx, text.p, text.n) || buf_addc(ctx, '\n') ? -1 : 0;
}

static void export(struct store *s, struct buf *out)
{
	struct err e = { 0 };

	buf_clear(out);
	fuzz_ok(store_export(s, NULL, add_line, out, &e), &e);
	FUZZ_CHECK(fuzz_utf8((struct span){ out->p, out->len }));
}

static int on_record(void *ctx, struct span record, int64_t seen, struct err *e)
{
	struct arena *arena = arena_new();
	struct json *o = json_parse(record, JSON_PARSE, e);
	struct entry en;

	(void)seen;
	FUZZ_CHECK(arena);
	fuzz_ok(!o, e);
	fuzz_ok(entry_read(&en, o, arena, e), e);
	++*(uint64_t *)ctx;
	json_free(o);
	arena_free(arena);
	return 0;
}

static void empty(struct store *s)
{
	struct err e = { 0 };
	uint64_t n;

	fuzz_ok(store_prune(s, INT64_MAX, &n, &e), &e);
	FUZZ_CHECK(!diagnoses(s));
}

static void run(struct span data)
{
	static struct store *a, *b;
	struct buf once = BUF_INIT(BUF_MAX), again = BUF_INIT(BUF_MAX);
	struct err e = { 0 };
	uint64_t n = 0;

	if (!a) {
		FUZZ_CHECK(mkdtemp(folder));
		atexit(clean_up);
		a = open_store(names[0]);
		b = open_store(names[1]);
	}
	import(a, data);
	fuzz_ok(store_each(a, INT64_MIN, INT64_MAX, on_record, &n, &e), &e);
	FUZZ_CHECK(n == diagnoses(a));
	export(a, &once);
	FUZZ_CHECK(import(b, (struct span){ once.p, once.len }) == n);
	export(b, &again);
	fuzz_same(&once, &again);
	/* the same again adds nothing */
	import(a, (struct span){ once.p, once.len });
	export(a, &again);
	fuzz_same(&once, &again);
	empty(a);
	empty(b);
	buf_release(&once);
	buf_release(&again);
}

const struct fuzz_target fuzz_store = { "store", 16 << 10, run };
