/*
 * Bytes as a policy over a few fixed rules: refused with their place, or every
 * failure gets a verdict that keeps to it, whatever the job's history is.
 *
 * Input: the policy; behind a form feed the job's earlier attempts, four
 * bytes each.
 */
#include "tests/fuzz/fuzz.h"

#include "base/err.h"
#include "diagnose/decision/rank.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/decision/history.h"
#include "diagnose/evidence/scan.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"

#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 16

#define CATEGORY(id, verdict)                                        \
	"category:\n  id: " id "\n  name: N\n  dimension: data\n"    \
	"  in_study: false\n  family: external\n  verdict: " verdict \
	"\n  description: D\nrules:\n"
#define RULE(id, words)                                           \
	"  - id: " id "\n    title: T\n    pattern: '" words      \
	"'\n    role: root\n    examples:\n      match: ['" words \
	"']\n      no_match: ['y']\n"

static const char *const base[] = {
	CATEGORY("gpu_out_of_memory", "adjust")
	    RULE("gpu_out_of_memory.cuda", "CUDA out of memory"),
	CATEGORY("storage_fault", "retry")
	    RULE("storage_fault.enospc", "No space left on device")
		RULE("storage_fault.eio", "Input/output error"),
	CATEGORY("key_not_found", "stop")
	    RULE("key_not_found.python", "KeyError:"),
};

static const char *const logs[] = {
	"step 1 loss 3\nRuntimeError: CUDA out of memory. Tried to allocate "
	"2.00 GiB (GPU 0; 39.59 GiB total capacity; 1.00 GiB already "
	"allocated; 0 bytes free; 1.00 GiB reserved)\n",
	"OSError: [Errno 28] No space left on device\n",
	"step 7 loss 2\nSaved checkpoint ck/7.pt\nOSError: [Errno 5] "
	"Input/output error: 'a/b.bin'\n",
	"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n"
	"    g()\nKeyError: 'k'\n",
	"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n"
	"    g()\nOddError: k\n",
	"step 1\nTraining finished\n",
	"",
};

static struct taxonomy *load(struct span policy, struct err *e)
{
	struct taxonomy_raw raw = { 0 };
	struct taxonomy *t = NULL;
	int rc = 0;

	for (size_t i = 0; i < sizeof base / sizeof *base && !rc; i++)
		rc = taxonomy_read_file(
		    &raw, span_of(base[i]), "base.yaml", 0, e);
	fuzz_ok(rc, e);
	rc = taxonomy_read_file(&raw, policy, "x.yaml", 1, e);
	if (!rc)
		t = taxonomy_settle(&raw, 1, e);
	taxonomy_read_release(&raw);
	return t;
}

static size_t read_attempts(
    struct span data, const struct attempt *now, struct attempt v[ATTEMPTS])
{
	static const char *const other = "0123456789abcdef";
	size_t n = 0;

	while (data.n && n < ATTEMPTS) {
		unsigned number = fuzz_number(&data, 1);
		unsigned bits = fuzz_number(&data, 1);
		struct attempt *a = &v[n++];

		*a = *now;
		a->attempt = 1 + number % 32;
		a->failed = bits % 4 == 3 ? -1 : bits % 4 != 2;
		if (bits & 4)
			a->fingerprint = other;
		if (bits & 8)
			a->checkpoint = bits & 16 ? "ck/1.pt" : "ck/2.pt";
		if (bits & 32)
			a->artefact = "a/b.bin";
		if (bits & 64)
			a->category = a->rule = NULL;
		a->last.step = (int64_t)fuzz_number(&data, 1) - 1;
		a->verdict =
		    (enum verdict)(fuzz_number(&data, 1) % VERDICT_COUNT);
	}
	return n;
}

static void check_answer(const struct diagnosis *d, const struct taxonomy *t)
{
	const struct history *h = &d->history;

	FUZZ_CHECK(d->verdict < VERDICT_COUNT && d->reason && d->reason[0]);
	FUZZ_CHECK((d->failed == 0) == (d->verdict == VERDICT_NONE));
	FUZZ_CHECK(d->adjust.delay_seconds >= 0);
	FUZZ_CHECK(d->adjust.memory_factor >= 0 && d->adjust.time_factor >= 0);
	FUZZ_CHECK(!d->policy ||
	    (d->policy >= t->policy && d->policy < t->policy + t->n_policy));
	FUZZ_CHECK(h->retries_left >= -1 && h->attempts >= 0);
	FUZZ_CHECK(h->same_place <= h->same_cause || d->failed != 1);
	if (d->policy)
		FUZZ_CHECK(
		    d->adjust.delay_seconds <= d->policy->max_delay_seconds ||
		    d->adjust.delay_seconds <= d->policy->delay_seconds);
	if (h->known && d->verdict == VERDICT_RETRY)
		FUZZ_CHECK(h->retries_left != 0);
}

static void judge(const struct taxonomy *t, struct scan *s, const char *text,
    struct span past)
{
	struct findings **log = malloc(sizeof *log);
	struct attempt v[ATTEMPTS], now;
	struct err e = { 0 };
	struct diagnosis d;
	size_t n;

	FUZZ_CHECK(log);
	fuzz_ok(scan_begin(s, "x.log", -1, NULL, &e), &e);
	fuzz_ok(scan_feed(s, text, strlen(text), &e), &e);
	log[0] = scan_end(s, true, &e);
	FUZZ_CHECK(log[0]);
	fuzz_ok(diagnosis_init(&d, "job", 17, log, 1, &e), &e);
	fuzz_ok(rank_job(&d, t, &e), &e);
	fuzz_ok(job_facts_find(&d, t, &e), &e);
	fuzz_ok(verdict_job(&d, t, &e), &e);
	check_answer(&d, t);
	history_attempt(&d, &now);
	n = read_attempts(past, &now, v);
	fuzz_ok(history_apply(&d, t, v, n, &e), &e);
	check_answer(&d, t);
	diagnosis_release(&d);
}

static void run(struct span data)
{
	struct span policy = fuzz_part(&data, '\f');
	struct err e = { 0 };
	struct taxonomy *t = load(policy, &e);
	struct limits limits;
	struct engine *en;
	struct scan *s;

	if (!t) {
		FUZZ_CHECK(strstr(e.text, ".yaml:"));
		return;
	}
	limits_init(&limits);
	en = engine_new(t, &limits, true, &e);
	s = en ? scan_new(en, &e) : NULL;
	fuzz_ok(!s, &e);
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
		judge(t, s, logs[i], data);
	scan_free(s);
	engine_free(en);
	taxonomy_free(t);
}

const struct fuzz_target fuzz_policy = { "policy", 4 << 10, run };
