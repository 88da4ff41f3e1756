/*
 * Bytes as job records of whichever format they look like: refused with a
 * reason, or records whose values make sense, in order, that are found by
 * their id, and the same when they are read again.
 *
 * Input: a column map, a form feed, and the records; or records alone.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "jobs/accounting.h"
#include "rules/taxonomy.h"

#include <stdlib.h>
#include <string.h>

/* The built-in one, for all inputs. */
static struct taxonomy *tax;

static void on_note(
    void *ctx, const char *path, uint64_t line, const char *text)
{
	struct buf *b = ctx;

	FUZZ_CHECK(path[0] && text[0]);
	FUZZ_CHECK(!buf_addf(b, "%llu: %s\n", (unsigned long long)line, text));
}

static void check_text(const char *s)
{
	FUZZ_CHECK(!s || fuzz_utf8(span_of(s)));
}

static void check_record(const struct accounting *a, const struct job_record *r)
{
	const struct job_record *same;

	FUZZ_CHECK(r->id && r->id[0] && r->attempt >= 1);
	check_text(r->id);
	check_text(r->raw_id);
	check_text(r->name);
	check_text(r->user);
	check_text(r->group);
	check_text(r->partition);
	check_text(r->image);
	check_text(r->state);
	check_text(r->reason);
	for (size_t i = 0; i < r->n_nodes; i++)
		check_text(r->nodes[i]);
	FUZZ_CHECK(r->end <= JOB_END_FAILED && r->requeues >= -1);
	FUZZ_CHECK(r->exit_code >= -1 && r->signal >= -1);
	FUZZ_CHECK(r->gpus >= USAGE_UNKNOWN && r->seconds >= USAGE_UNKNOWN);
	FUZZ_CHECK(r->gpu_seconds >= USAGE_UNKNOWN);
	same = accounting_find(a, r->cluster, r->id, r->attempt);
	FUZZ_CHECK(same && same->attempt == r->attempt);
	FUZZ_CHECK(!strcmp(same->id, r->id));
}

/* What was read, written out; empty when it was refused. */
static void read_records(const char *path, const char *map, struct buf *out)
{
	struct accounting_options o = { map, on_note, out, NULL, NULL };
	struct accounting *a = accounting_new(tax);
	const struct job_record *r;
	struct err e = { 0 };
	char hex[HASH_HEX];

	FUZZ_CHECK(a);
	if (accounting_load(a, path, &o, &e)) {
		FUZZ_CHECK(e.text[0] && !accounting_count(a));
		accounting_free(a);
		buf_clear(out);
		return;
	}
	fuzz_ok(accounting_settle(a, &e), &e);
	for (size_t i = 0; i < accounting_count(a); i++) {
		r = accounting_at(a, i);
		check_record(a, r);
		hash_hex(r->digest, hex);
		FUZZ_CHECK(!buf_addf(out, "%s %s ", r->id, hex));
		FUZZ_CHECK(!accounting_words(tax, r, out));
		FUZZ_CHECK(!memchr(out->p, '\0', out->len));
		FUZZ_CHECK(!buf_addc(out, '\n'));
	}
	accounting_free(a);
}

static void run(struct span data)
{
	struct buf once = BUF_INIT(BUF_MAX), again = BUF_INIT(BUF_MAX);
	const char *map = NULL, *path;

	setenv("TZ", "UTC", 1);
	if (!tax)
		tax = taxonomy_load(NULL, 0, NULL);
	FUZZ_CHECK(tax);
	if (data.n && memchr(data.p, '\f', data.n))
		map = fuzz_file(1, fuzz_part(&data, '\f'));
	path = fuzz_file(0, data);
	read_records(path, map, &once);
	read_records(path, map, &again);
	fuzz_same(&once, &again);
	buf_release(&once);
	buf_release(&again);
}

const struct fuzz_target fuzz_records = { "records", 16 << 10, run };
