/*
 * From bytes to lines: what comes out does not depend on how the bytes came
 * in, every place has one in the raw log, and what is peeled off a line lies
 * in that line.
 *
 * Input: two bytes say where the bytes behind them are split.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "input/clean.h"
#include "input/decode.h"
#include "input/envelope.h"
#include "rules/taxonomy.h"

#include <string.h>

struct told {
	struct decode *d;
	struct buf text, account; /* all blocks; their bounds and places */
	uint64_t line, lines;
	bool last;
};

/* The built-in one, for all inputs. */
static struct taxonomy *tax;

static void check_within(struct span line, struct span part)
{
	FUZZ_CHECK(!part.n ||
	    (part.p >= line.p && part.p + part.n <= line.p + line.n));
}

static void check_line(struct span line)
{
	struct envelope env;

	envelope_peel(tax->prefixes, line, &env);
	check_within(line, env.text);
	check_within(line, env.node);
	check_within(line, env.program);
	FUZZ_CHECK(!env.text.n || env.text.p + env.text.n == line.p + line.n);
	FUZZ_CHECK(env.rank >= -1 && env.local_rank >= -1);
	FUZZ_CHECK(env.stream <= STREAM_STDERR && env.level <= LEVEL_FATAL);
}

static int on_block(void *ctx, const struct decode_block *b)
{
	struct told *t = ctx;
	uint64_t place;
	size_t from = 0;

	FUZZ_CHECK(!t->last && b->line == t->line && b->clean == t->text.len);
	FUZZ_CHECK(b->history.n <= t->text.len);
	if (b->history.n) {
		FUZZ_CHECK(b->history.p + b->history.n == b->text.p);
		FUZZ_CHECK(!memcmp(b->history.p,
		    t->text.p + t->text.len - b->history.n, b->history.n));
	}
	t->last = b->last;
	FUZZ_CHECK(!buf_addf(&t->account, "block %zu\n", b->text.n));
	for (size_t i = 0; i <= b->text.n; i++) {
		if (i < b->text.n && b->text.p[i] != '\n' &&
		    b->text.p[i] != '\r')
			continue;
		place = decode_offset(b, from);
		FUZZ_CHECK(place <= decode_stats(t->d)->raw_bytes);
		FUZZ_CHECK(!buf_addf(&t->account, "%zu at %llu\n", i - from,
		    (unsigned long long)place));
		check_line(span_sub(b->text, from, i));
		t->lines += i < b->text.n && b->text.p[i] == '\n';
		from = i + 1;
	}
	FUZZ_CHECK(b->last || !from || from == b->text.n + 1 ||
	    b->text.p[b->text.n - 1] == '\n' ||
	    b->text.p[b->text.n - 1] == '\r');
	t->line = 1 + t->lines;
	return buf_add(&t->text, b->text.p, b->text.n);
}

static void decode(struct decode *d, struct told *t, struct span data,
    size_t split, bool flush)
{
	struct decode_sink sink = { t, on_block, NULL };
	const struct decode_stats *stats;
	struct err e = { 0 };

	*t = (struct told){ .d = d, .line = 1 };
	t->text.max = t->account.max = BUF_MAX;
	FUZZ_CHECK(!buf_adds(&t->text, "") && !buf_adds(&t->account, ""));
	decode_begin(d, &sink);
	fuzz_ok(decode_feed(d, data.p, split, &e), &e);
	if (flush)
		fuzz_ok(decode_flush(d, &e), &e);
	fuzz_ok(decode_feed(d, data.p + split, data.n - split, &e), &e);
	fuzz_ok(decode_end(d, &e), &e);
	stats = decode_stats(d);
	FUZZ_CHECK(t->last);
	FUZZ_CHECK(stats->raw_bytes == data.n);
	FUZZ_CHECK(stats->clean_bytes == t->text.len);
}

static void run(struct span data)
{
	static struct decode *d;
	struct told whole, split, flushed;
	struct limits limits;
	uint64_t lines = 0;
	struct err e;
	size_t at = fuzz_number(&data, 2);

	if (!d) {
		limits_init(&limits);
		limits.v[LIMIT_LINE] = limit_table[LIMIT_LINE].min;
		tax = taxonomy_load(NULL, 0, NULL);
		FUZZ_CHECK(tax);
		d = decode_new(&limits, tax->json_keys, &e);
		FUZZ_CHECK(d);
		decode_prefixes(d, tax->prefixes);
	}
	at %= data.n + 1;
	decode(d, &whole, data, data.n, false);
	for (size_t i = 0; i < data.n; i++)
		lines += data.p[i] == '\n';
	FUZZ_CHECK(decode_stats(d)->utf16 || decode_stats(d)->error_file ||
	    decode_stats(d)->dump || decode_stats(d)->value ||
	    whole.lines == lines);
	decode(d, &split, data, at, false);
	fuzz_same(&whole.text, &split.text);
	fuzz_same(&whole.account, &split.account);
	/* a flush in the first bytes decides the encoding by these alone */
	decode(d, &flushed, data, at, at >= CLEAN_LOOK);
	fuzz_same(&whole.text, &flushed.text);
	buf_release(&whole.text);
	buf_release(&whole.account);
	buf_release(&split.text);
	buf_release(&split.account);
	buf_release(&flushed.text);
	buf_release(&flushed.account);
}

/* More than the first bytes in which a margin and records behind prefixes are
 * looked for. */
const struct fuzz_target fuzz_lines = { "lines", 24 << 10, run };
