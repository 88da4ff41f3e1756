/*
 * A byte that tells the form, then the members in the order of a table. A
 * number is seven bits a byte, the low ones first, with its sign folded in; a
 * string its length plus 1, 0 for none, and its bytes.
 */
#include "reports/store/entry_brief.h"

#include "base/buf.h"
#include "base/err.h"
#include "reports/store/entry_private.h"

#include <stddef.h>
#include <string.h>

#define FORM 0x05 /* ENTRY_BRIEF_FIRST */
/* How many of the last of entry_members each form lacks. */
static const unsigned char lacks[FORM + 1] = { 0, 22, 20, 18, 15, 0 };

enum kind { TEXT, NUMBER, INT, VERDICT, CONFIDENCE, BOOL };

struct member {
	enum kind kind;
	size_t at;
};

#define OF(type, kind, member)               \
	{                                    \
		kind, offsetof(type, member) \
	}

static const struct member entry_members[] = {
	OF(struct entry, TEXT, job),
	OF(struct entry, NUMBER, attempt),
	OF(struct entry, TEXT, user),
	OF(struct entry, TEXT, group),
	OF(struct entry, TEXT, image),
	OF(struct entry, TEXT, name),
	OF(struct entry, TEXT, partition),
	OF(struct entry, TEXT, state),
	OF(struct entry, INT, failed),
	OF(struct entry, TEXT, ending),
	OF(struct entry, NUMBER, launches),
	OF(struct entry, TEXT, category),
	OF(struct entry, TEXT, category_name),
	OF(struct entry, TEXT, dimension),
	OF(struct entry, TEXT, family),
	OF(struct entry, TEXT, rule),
	OF(struct entry, TEXT, fingerprint),
	OF(struct entry, TEXT, stage),
	OF(struct entry, TEXT, framework),
	OF(struct entry, TEXT, reason),
	OF(struct entry, TEXT, taxonomy),
	OF(struct entry, TEXT, path),
	OF(struct entry, TEXT, node),
	OF(struct entry, CONFIDENCE, confidence),
	OF(struct entry, VERDICT, verdict),
	OF(struct entry, NUMBER, submitted),
	OF(struct entry, NUMBER, started),
	OF(struct entry, NUMBER, ended),
	OF(struct entry, NUMBER, gpus),
	OF(struct entry, NUMBER, seconds),
	OF(struct entry, NUMBER, gpu_seconds),
	OF(struct entry, NUMBER, lost),
	OF(struct entry, NUMBER, last_step),
	OF(struct entry, BOOL, estimated),
	OF(struct entry, BOOL, has_record),
	OF(struct entry, BOOL, has_log),
	OF(struct entry, TEXT, cluster),
	OF(struct entry, TEXT, place),
	OF(struct entry, NUMBER, cpu_seconds),
	OF(struct entry, NUMBER, cpu_lost),
	OF(struct entry, TEXT, template_id),
	OF(struct entry, TEXT, template_text),
	OF(struct entry, TEXT, raisers),
	OF(struct entry, BOOL, node_log),
	OF(struct entry, NUMBER, goodput.spent[PHASE_INITIALIZING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_TRAINING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_RECOMPUTING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_CHECKPOINTING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_EVALUATING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_HANGING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_STOPPING]),
	OF(struct entry, NUMBER, goodput.spent[PHASE_UNKNOWN]),
	OF(struct entry, NUMBER, goodput.unsaved),
	OF(struct entry, NUMBER, goodput.first_epoch),
	OF(struct entry, NUMBER, goodput.first_step),
	OF(struct entry, NUMBER, goodput.last_epoch),
	OF(struct entry, NUMBER, goodput.last_step),
	OF(struct entry, NUMBER, goodput.epoch_steps),
};

static const struct member proof_members[] = {
	OF(struct entry_proof, TEXT, path),
	OF(struct entry_proof, TEXT, node),
	OF(struct entry_proof, TEXT, rule),
	OF(struct entry_proof, TEXT, text),
	OF(struct entry_proof, TEXT, why),
	OF(struct entry_proof, NUMBER, line),
	OF(struct entry_proof, NUMBER, rank),
	OF(struct entry_proof, NUMBER, count),
	OF(struct entry_proof, NUMBER, time),
};

static const struct member trend_members[] = {
	OF(struct entry_trend, TEXT, rule),
	OF(struct entry_trend, TEXT, title),
	OF(struct entry_trend, TEXT, text),
	OF(struct entry_trend, TEXT, metric),
};

static const struct member string_member[] = { { TEXT, 0 } };

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* The lists, and how much of each is kept. */
static const struct list {
	size_t v, n; /* offsets of the array and of its length in the entry */
	size_t size, most;
	const struct member *members;
	size_t n_members;
} lists[] = {
	{ offsetof(struct entry, nodes), offsetof(struct entry, n_nodes),
	    sizeof(const char *), ENTRY_NODES, string_member, 1 },
	{ offsetof(struct entry, rules), offsetof(struct entry, n_rules),
	    sizeof(const char *), ENTRY_RULES, string_member, 1 },
	{ offsetof(struct entry, evidence), offsetof(struct entry, n_evidence),
	    sizeof(struct entry_proof), 1, proof_members,
	    COUNT_OF(proof_members) },
	{ offsetof(struct entry, trends), offsetof(struct entry, n_trends),
	    sizeof(struct entry_trend), ENTRY_TRENDS, trend_members,
	    COUNT_OF(trend_members) },
};

/* ---- writing ---- */

static int put_number(struct buf *b, int64_t n)
{
	uint64_t u = (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0);

	for (; u >= 0x80; u >>= 7)
		if (buf_addc(b, (char)(u | 0x80)))
			return -1;
	return buf_addc(b, (char)u);
}

static int put_text(struct buf *b, const char *s)
{
	struct span t = span_of(s);

	return put_number(b, s ? (int64_t)t.n + 1 : 0) ||
	    (s && buf_add(b, t.p, t.n));
}

static int put_members(
    struct buf *b, const void *from, const struct member *m, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const void *at = (const char *)from + m[i].at;

		switch (m[i].kind) {
		case TEXT:
			rc = put_text(b, *(const char *const *)at);
			break;
		case NUMBER:
			rc = put_number(b, *(const int64_t *)at);
			break;
		case INT:
			rc = put_number(b, *(const int *)at);
			break;
		case VERDICT:
			rc = put_number(b, *(const enum verdict *)at);
			break;
		case CONFIDENCE:
			rc = put_number(b, *(const enum confidence *)at);
			break;
		case BOOL:
		default:
			rc = put_number(b, *(const bool *)at);
			break;
		}
	}
	return rc;
}

int entry_brief_write(const struct entry *en, struct buf *out)
{
	int rc = buf_addc(out, FORM) ||
	    put_members(out, en, entry_members, COUNT_OF(entry_members));

	for (size_t k = 0; k < COUNT_OF(lists) && !rc; k++) {
		const struct list *l = &lists[k];
		const char *at = (const char *)en;
		const char *v = *(const char *const *)(at + l->v);
		size_t n = *(const size_t *)(at + l->n);

		if (n > l->most)
			n = l->most;
		rc = put_number(out, (int64_t)n);
		for (size_t i = 0; i < n && !rc; i++)
			rc = put_members(
			    out, v + i * l->size, l->members, l->n_members);
	}
	return rc ? -1 : 0;
}

/* ---- reading ---- */

struct reading {
	const unsigned char *p, *end;
	struct arena *arena;
	bool damaged, no_memory;
};

static int64_t take_number(struct reading *r)
{
	uint64_t u = 0;

	for (unsigned shift = 0; r->p < r->end && shift < 64; shift += 7) {
		unsigned char c = *r->p++;

		u |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return (int64_t)(u >> 1) ^ -(int64_t)(u & 1);
	}
	r->damaged = true;
	return 0;
}

/* From 0 to most. */
static size_t take_count(struct reading *r, int64_t most)
{
	int64_t n = take_number(r);

	if (n >= 0 && n <= most)
		return (size_t)n;
	r->damaged = true;
	return 0;
}

static const char *take_text(struct reading *r)
{
	size_t n = take_count(r, r->end - r->p + 1);
	struct span bytes;
	const char *s;

	/* the bound was that before the length itself was read */
	if (n == 0 || n - 1 > (size_t)(r->end - r->p)) {
		r->damaged |= n > 0;
		return NULL;
	}
	bytes = (struct span){ (const char *)r->p, n - 1 };
	if (!text_is_utf8(bytes) || memchr(bytes.p, '\0', bytes.n)) {
		r->damaged = true;
		return NULL;
	}
	s = arena_string(r->arena, bytes);
	r->no_memory |= s == NULL;
	r->p += n - 1;
	return s;
}

static void take_members(
    struct reading *r, void *to, const struct member *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		void *at = (char *)to + m[i].at;

		switch (m[i].kind) {
		case TEXT:
			*(const char **)at = take_text(r);
			break;
		case NUMBER:
			*(int64_t *)at = take_number(r);
			break;
		case INT:
			*(int *)at = (int)take_number(r);
			break;
		case VERDICT:
			*(enum verdict *)at =
			    (enum verdict)take_count(r, VERDICT_COUNT - 1);
			break;
		case CONFIDENCE:
			*(enum confidence *)at =
			    (enum confidence)take_count(r, CONFIDENCE_HIGH);
			break;
		case BOOL:
		default:
			*(bool *)at = take_count(r, 1) != 0;
			break;
		}
	}
}

static void take_list(struct reading *r, struct entry *en, const struct list *l)
{
	/* an item has a byte for each member at least */
	size_t n = take_count(r, (int64_t)l->most);
	char *v = NULL;

	if (n > (size_t)(r->end - r->p))
		r->damaged = true;
	if (n == 0 || r->damaged)
		return;
	v = arena_memory(r->arena, n * l->size);
	r->no_memory |= v == NULL;
	for (size_t i = 0; i < n && v; i++)
		take_members(r, v + i * l->size, l->members, l->n_members);
	*(char **)((char *)en + l->v) = v;
	*(size_t *)((char *)en + l->n) = v ? n : 0;
}

/* What the rest of the program takes for granted. */
static bool complete(const struct entry *en)
{
	const int64_t sums[] = { en->seconds, en->gpu_seconds, en->lost,
		en->cpu_seconds, en->cpu_lost };

	if (!en->job || !en->category || en->attempt < 1 || en->failed < -1 ||
	    en->failed > 1)
		return false;
	for (size_t i = 0; i < COUNT_OF(sums); i++)
		if (sums[i] < USAGE_UNKNOWN || sums[i] >= USAGE_SECONDS_END)
			return false;
	for (size_t i = 0; i < en->n_nodes; i++)
		if (!en->nodes[i])
			return false;
	for (size_t i = 0; i < en->n_rules; i++)
		if (!en->rules[i])
			return false;
	for (size_t i = 0; i < en->n_trends; i++) {
		const struct entry_trend *t = &en->trends[i];

		if (!t->rule || !t->title || !t->text || !t->metric)
			return false;
	}
	return true;
}

int entry_brief_read(
    struct entry *en, struct span s, struct arena *p, struct err *e)
{
	struct reading r = { .p = (const unsigned char *)s.p, .arena = p };

	*en = entry_empty;
	r.end = r.p + s.n;
	r.damaged = s.n == 0 || *r.p < 1 || *r.p > FORM;
	if (!r.damaged) {
		size_t less = lacks[*r.p++];

		take_members(
		    &r, en, entry_members, COUNT_OF(entry_members) - less);
	}
	for (size_t k = 0; k < COUNT_OF(lists) && !r.damaged; k++)
		take_list(&r, en, &lists[k]);
	if (r.no_memory)
		return err_nomem(e);
	if (r.damaged || r.p != r.end || !complete(en))
		return err_set(e, "damaged: what is kept for reports");
	return 0;
}
