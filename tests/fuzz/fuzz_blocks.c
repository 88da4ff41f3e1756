/*
 * From bytes to a diagnosis by the built-in rules: with the prefilter, in two
 * pieces, and (some of them) without it the answer is the same, and what stands
 * in it is valid.
 *
 * Input: two bytes say where the bytes behind them are split.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "diagnose/decision/rank.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/diagnosis.h"
#include "diagnose/evidence/scan.h"
#include "reports/store/entry.h"
#include "reports/output/diagnosis_json.h"

#include <stdlib.h>

/* Every rule on every line: for a few only. */
#define SLOW_BYTES 1024
#define SLOW_ONE_IN 4

static struct taxonomy *tax;

static struct scan *scan_made(const struct limits *limits, bool prefilter)
{
	struct err e;
	struct engine *en = engine_new(tax, limits, prefilter, &e);
	struct scan *s = en ? scan_new(en, &e) : NULL;

	FUZZ_CHECK(s);
	return s;
}

static void check_findings(const struct findings *f, size_t bytes)
{
	FUZZ_CHECK(f->bytes == bytes && f->lines <= bytes + 1);
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *ev = &f->events[i];

		FUZZ_CHECK(
		    ev->first_line >= 1 && ev->first_line <= ev->last_line);
		FUZZ_CHECK(ev->prior == EVENT_NONE || ev->prior < f->n_events);
		FUZZ_CHECK(ev->offset <= ev->end && ev->end <= bytes);
	}
	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *ev = &f->evidence[i];

		FUZZ_CHECK(ev->event == EVENT_NONE || ev->event < f->n_events);
		FUZZ_CHECK(ev->match_from <= ev->match_to &&
		    ev->match_to <= ev->text_len);
		FUZZ_CHECK(ev->offset <= bytes && ev->count >= 1);
	}
}

static void read_back(const struct json *o)
{
	struct arena *arena = arena_new();
	struct entry en;
	struct err e;

	FUZZ_CHECK(arena);
	fuzz_ok(entry_read(&en, o, arena, &e), &e);
	arena_free(arena);
}

/* The whole answer as JSON. */
static void diagnose(
    struct scan *s, struct span data, size_t split, struct buf *out)
{
	struct findings **logs = malloc(sizeof *logs);
	struct diagnosis d;
	struct json *o;
	struct err e = { 0 };

	FUZZ_CHECK(logs);
	fuzz_ok(scan_begin(s, "x.log", -1, NULL, &e), &e);
	fuzz_ok(scan_feed(s, data.p, split, &e), &e);
	fuzz_ok(scan_feed(s, data.p + split, data.n - split, &e), &e);
	logs[0] = scan_end(s, true, &e);
	FUZZ_CHECK(logs[0]);
	check_findings(logs[0], data.n);
	fuzz_ok(diagnosis_init(&d, "job", 1, logs, 1, &e), &e);
	fuzz_ok(rank_job(&d, tax, &e), &e);
	fuzz_ok(job_facts_find(&d, tax, &e), &e);
	usage_find(&d);
	fuzz_ok(verdict_job(&d, tax, &e), &e);
	fuzz_ok(diagnosis_json_text(&d, tax, out, &e), &e);
	FUZZ_CHECK(fuzz_utf8((struct span){ out->p, out->len }));
	o = json_parse((struct span){ out->p, out->len }, JSON_PARSE, &e);
	FUZZ_CHECK(o);
	read_back(o);
	json_free(o);
	diagnosis_release(&d);
}

static void run(struct span data)
{
	static struct scan *fast, *slow;
	static struct limits limits;
	struct buf whole = BUF_INIT(BUF_MAX), other = BUF_INIT(BUF_MAX);
	size_t at = fuzz_number(&data, 2);
	struct err e;

	if (!tax) {
		limits_init(&limits);
		limits.v[LIMIT_LINE] = limit_table[LIMIT_LINE].min;
		limits.v[LIMIT_BLOCK] = limit_table[LIMIT_BLOCK].min;
		limits.v[LIMIT_OPEN_BLOCKS] = 3;
		limits.v[LIMIT_EVIDENCE] = limit_table[LIMIT_EVIDENCE].min;
		limits.v[LIMIT_RULE_HITS] = 3;
		tax = taxonomy_load(NULL, 0, &e);
		FUZZ_CHECK(tax);
		fast = scan_made(&limits, true);
		slow = scan_made(&limits, false);
	}
	diagnose(fast, data, data.n, &whole);
	diagnose(fast, data, at % (data.n + 1), &other);
	fuzz_same(&whole, &other);
	if (data.n <= SLOW_BYTES &&
	    hash_of(data.p, data.n).low % SLOW_ONE_IN == 0) {
		buf_clear(&other);
		diagnose(slow, data, data.n, &other);
		fuzz_same(&whole, &other);
	}
	buf_release(&whole);
	buf_release(&other);
}

const struct fuzz_target fuzz_blocks = { "blocks", 16 << 10, run };
