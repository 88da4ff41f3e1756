/*
 * The jobs of the report, for the page's script. Strings are told once, in a
 * dictionary; a column is an array of numbers. The columns that the table
 * shows, sorts and searches are one block; what an opened row adds comes in
 * blocks of DETAIL_ROWS, unpacked when one of them is opened. A block is JSON,
 * packed (base/deflate.c says how) and in base64.
 */
#include "base/deflate.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/period/html.h"

#include <stdlib.h>
#include <string.h>

#define DETAIL_ROWS 2000

/* ---- the dictionary: each string once, numbered from 0 for NULL ---- */

struct words {
	const char **v;
	uint32_t *slots; /* number + 1; open addressing */
	size_t n, cap, n_slots;
	bool failed;
};

static void words_release(struct words *w)
{
	free(w->v);
	free(w->slots);
	*w = (struct words){ 0 };
}

static uint64_t word_hash(const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h ^ h >> 29;
}

/* The slot of s, or the free one where it belongs. */
static uint32_t *word_slot(struct words *w, const char *s)
{
	size_t i = (size_t)word_hash(s) & (w->n_slots - 1);

	while (w->slots[i] && strcmp(w->v[w->slots[i] - 1], s) != 0)
		i = (i + 1) & (w->n_slots - 1);
	return &w->slots[i];
}

static int words_grow(struct words *w)
{
	size_t cap = w->cap ? 2 * w->cap : 1024;
	const char **v = realloc(w->v, cap * sizeof *v);
	uint32_t *slots;

	if (!v)
		return -1;
	w->v = v;
	slots = calloc(2 * cap, sizeof *slots);
	if (!slots)
		return -1;
	free(w->slots);
	w->slots = slots;
	w->n_slots = 2 * cap;
	w->cap = cap;
	for (size_t i = 0; i < w->n; i++)
		*word_slot(w, w->v[i]) = (uint32_t)i + 1;
	return 0;
}

static int64_t word(struct words *w, const char *s)
{
	uint32_t *slot;

	if (w->n == w->cap && words_grow(w)) {
		w->failed = true;
		return 0;
	}
	if (!w->n)
		w->v[w->n++] = "";
	if (!s || !*s)
		return 0;
	slot = word_slot(w, s);
	if (!*slot) {
		w->v[w->n++] = s;
		*slot = (uint32_t)w->n;
	}
	return *slot - 1;
}

static int words_write(const struct words *w, struct buf *b)
{
	int rc = buf_addc(b, '[');

	for (size_t i = 0; i < w->n && !rc; i++) {
		struct json *text = json_new_string(w->v[i]);

		rc = !text || (i && buf_addc(b, ',')) || json_write(text, b);
		json_free(text);
	}
	return rc || buf_addc(b, ']');
}

/* ---- the columns of the table ---- */

struct source {
	struct html *h;
	struct words words;
	size_t row;
};

/* Seconds in the report's zone; -1: not known. */
static int64_t seconds(struct html *h, int64_t t)
{
	return t == ENVELOPE_NO_TIME ? -1 : report_local(h->r, t) / 1000000;
}

#define WORD_COLUMN(name, member)                                              \
	static int64_t column_##name(struct source *s, const struct entry *en) \
	{                                                                      \
		return word(&s->words, en->member);                            \
	}
#define NUMBER_COLUMN(name, member)                                            \
	static int64_t column_##name(struct source *s, const struct entry *en) \
	{                                                                      \
		(void)s;                                                       \
		return (int64_t)(en->member);                                  \
	}

WORD_COLUMN(job, job)
WORD_COLUMN(user, user)
WORD_COLUMN(group, group)
WORD_COLUMN(node, node)
WORD_COLUMN(category, category)
WORD_COLUMN(title, category_name)
WORD_COLUMN(stage, stage)
WORD_COLUMN(rule, rule)
WORD_COLUMN(fingerprint, fingerprint)
WORD_COLUMN(reason, reason)
WORD_COLUMN(name, name)
WORD_COLUMN(state, state)
WORD_COLUMN(partition, partition)
WORD_COLUMN(image, image)
WORD_COLUMN(framework, framework)
NUMBER_COLUMN(attempt, attempt)
NUMBER_COLUMN(failed, failed)
NUMBER_COLUMN(gpus, gpus)
NUMBER_COLUMN(seconds, seconds)
NUMBER_COLUMN(gpu_seconds, gpu_seconds)
NUMBER_COLUMN(lost, lost)
NUMBER_COLUMN(estimated, estimated)

static int64_t column_verdict(struct source *s, const struct entry *en)
{
	return word(&s->words, taxonomy_verdict_name(en->verdict));
}

static int64_t column_confidence(struct source *s, const struct entry *en)
{
	return word(&s->words, diagnosis_confidence_name(en->confidence));
}

static int64_t column_text(struct source *s, const struct entry *en)
{
	const char *text = report_said(en);

	return word(&s->words, text ? text + strspn(text, " \t") : NULL);
}

static int64_t column_avoidable(struct source *s, const struct entry *en)
{
	(void)en;
	return s->h->r->avoidable ? s->h->r->avoidable[s->row] : 0;
}

static int64_t column_started(struct source *s, const struct entry *en)
{
	return seconds(s->h, en->started);
}

static int64_t column_ended(struct source *s, const struct entry *en)
{
	return seconds(s->h, entry_when(en));
}

/* Columns of words come first. */
static const struct column {
	const char *name;
	int64_t (*value)(struct source *s, const struct entry *en);
} columns[] = {
	{ "job", column_job },
	{ "user", column_user },
	{ "group", column_group },
	{ "node", column_node },
	{ "category", column_category },
	{ "title", column_title },
	{ "verdict", column_verdict },
	{ "confidence", column_confidence },
	{ "stage", column_stage },
	{ "rule", column_rule },
	{ "fingerprint", column_fingerprint },
	{ "reason", column_reason },
	{ "text", column_text },
	{ "name", column_name },
	{ "state", column_state },
	{ "partition", column_partition },
	{ "image", column_image },
	{ "framework", column_framework },
	{ "attempt", column_attempt },
	{ "failed", column_failed },
	{ "gpus", column_gpus },
	{ "seconds", column_seconds },
	{ "gpu_seconds", column_gpu_seconds },
	{ "lost", column_lost },
	{ "avoidable", column_avoidable },
	{ "estimated", column_estimated },
	{ "started", column_started },
	{ "ended", column_ended },
};

#define N_COLUMNS (sizeof columns / sizeof columns[0])
#define N_WORD_COLUMNS 18

/* [[strip, add], ...] */
static int links_json(const struct report_style *s, struct buf *b)
{
	struct json *all = json_new_array(), *one;
	int rc = all ? 0 : -1;

	for (size_t i = 0; i < s->n_links && !rc; i++) {
		one = json_new_array();
		rc = !one ||
		    json_append(one, json_new_string(s->links[i].strip)) ||
		    json_append(one, json_new_string(s->links[i].add));
		if (rc)
			json_free(one);
		else
			rc = json_append(all, one);
	}
	rc = rc || json_write(all, b) ? -1 : 0;
	json_free(all);
	return rc;
}

static int table_json(struct html *h, struct buf *b)
{
	const struct report *r = h->r;
	struct source s = { .h = h };
	int rc = buf_addf(b,
		     "{\"n\":%zu,\"detail_rows\":%d,\"links\":", r->n_entries,
		     DETAIL_ROWS) ||
	    links_json(h->style, b) || buf_adds(b, ",\"words\":[");

	for (size_t c = 0; c < N_WORD_COLUMNS && !rc; c++)
		rc = buf_addf(b, c ? ",\"%s\"" : "\"%s\"", columns[c].name);
	rc = rc || buf_adds(b, "],\"columns\":{");
	for (size_t c = 0; c < N_COLUMNS && !rc; c++) {
		rc = buf_addf(b, c ? ",\"%s\":[" : "\"%s\":[", columns[c].name);
		for (s.row = 0; s.row < r->n_entries && !rc; s.row++)
			rc = buf_addf(b, s.row ? ",%lld" : "%lld",
			    (long long)columns[c].value(&s, r->entries[s.row]));
		rc = rc || buf_addc(b, ']');
	}
	word(&s.words, NULL);
	rc = rc || buf_adds(b, "},\"strings\":") || s.words.failed ||
	    words_write(&s.words, b) || buf_addc(b, '}');
	words_release(&s.words);
	return rc;
}

/* ---- what an opened row adds ---- */

static int put_list(
    struct words *w, struct buf *b, const char *const *v, size_t n)
{
	int rc = buf_addc(b, '[');

	for (size_t i = 0; i < n && !rc; i++)
		rc =
		    buf_addf(b, i ? ",%lld" : "%lld", (long long)word(w, v[i]));
	return rc || buf_addc(b, ']');
}

/* [path, line, rank, node, time, rule, text, why, count] each */
static int put_proofs(
    struct source *s, struct buf *b, const struct entry_proof *v, size_t n)
{
	struct words *w = &s->words;
	int rc = buf_addc(b, '[');

	for (size_t i = 0; i < n && !rc; i++)
		rc = buf_addf(b,
		    "%s[%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld]",
		    i ? "," : "", (long long)word(w, v[i].path),
		    (long long)v[i].line, (long long)v[i].rank,
		    (long long)word(w, v[i].node),
		    (long long)seconds(s->h, v[i].time),
		    (long long)word(w, v[i].rule),
		    (long long)word(w, v[i].text), (long long)word(w, v[i].why),
		    (long long)v[i].count);
	return rc || buf_addc(b, ']');
}

/* [title, text, ...] of the warnings, then [title, values, ...] of curves */
static int put_trends(struct source *s, struct buf *b, const struct entry *en)
{
	struct words *w = &s->words;
	int rc = buf_addc(b, '[');

	for (size_t i = 0; i < en->n_trends && !rc; i++)
		rc = buf_addf(b, i ? ",%lld,%lld" : "%lld,%lld",
		    (long long)word(w, en->trends[i].title),
		    (long long)word(w, en->trends[i].text));
	rc = rc || buf_adds(b, "],[");
	for (size_t i = 0; i < en->n_curves && !rc; i++)
		rc = buf_addf(b, i ? ",%lld,%lld" : "%lld,%lld",
		    (long long)word(w, en->curves[i].title),
		    (long long)word(w, en->curves[i].points));
	return rc || buf_addc(b, ']');
}

/* [evidence, consequences, remedies, notes, nodes, frame, checkpoint, step,
 * submitted, record?, log?, trends, curves] */
static int put_detail(struct source *s, struct buf *b, const struct entry *en)
{
	struct words *w = &s->words;

	return buf_addc(b, '[') ||
	    put_proofs(s, b, en->evidence, en->n_evidence) ||
	    buf_addc(b, ',') ||
	    put_proofs(s, b, en->consequences, en->n_consequences) ||
	    buf_addc(b, ',') || put_list(w, b, en->remedies, en->n_remedies) ||
	    buf_addc(b, ',') || put_list(w, b, en->notes, en->n_notes) ||
	    buf_addc(b, ',') || put_list(w, b, en->nodes, en->n_nodes) ||
	    buf_addf(b, ",%lld,%lld,%lld,%lld,%d,%d,",
		(long long)word(w, en->frame),
		(long long)word(w, en->checkpoint), (long long)en->last_step,
		(long long)seconds(s->h, en->submitted), en->has_record,
		en->has_log) ||
	    put_trends(s, b, en) || buf_addc(b, ']');
}

static int details_json(struct html *h, size_t from, size_t to, struct buf *b)
{
	struct source s = { .h = h };
	int rc = buf_adds(b, "{\"rows\":[");

	for (s.row = from; s.row < to && !rc; s.row++)
		rc = (s.row > from && buf_addc(b, ',')) ||
		    put_detail(&s, b, h->r->entries[s.row]);
	word(&s.words, NULL);
	rc = rc || buf_adds(b, "],\"strings\":") || s.words.failed ||
	    words_write(&s.words, b) || buf_addc(b, '}');
	words_release(&s.words);
	return rc;
}

/* ---- a block on the page ---- */

static void put_base64(FILE *f, struct span s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const unsigned char *)s.p;

	for (size_t i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		uint32_t v = (uint32_t)p[i] << 16 |
		    (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
		    (left > 2 ? (uint32_t)p[i + 2] : 0);
		char out[4] = { digits[v >> 18], digits[v >> 12 & 63],
			left > 1 ? digits[v >> 6 & 63] : '=',
			left > 2 ? digits[v & 63] : '=' };

		fwrite(out, 1, sizeof out, f);
	}
}

static int put_block(
    struct html *h, struct deflate_block *d, const char *id, struct span json)
{
	struct buf packed = BUF_INIT(BUF_MAX);
	int rc = deflate_pack(d, json, &packed);

	if (!rc) {
		fprintf(h->f,
		    "<script type=\"application/octet-stream\" id=\"%s\">", id);
		put_base64(h->f, (struct span){ packed.p, packed.len });
		html_raw(h, "</script>\n");
	}
	buf_release(&packed);
	return rc;
}

int html_data(struct html *h, struct err *e)
{
	struct deflate_block *d =
	    deflate_block_new((struct span){ NULL, 0 }, e);
	struct buf json = BUF_INIT(BUF_MAX);
	size_t n = h->r->n_entries;
	char id[40];
	int rc;

	if (!d)
		return -1;
	rc = table_json(h, &json) ||
	    put_block(h, d, "data-jobs", (struct span){ json.p, json.len });
	for (size_t at = 0; at < n && !rc; at += DETAIL_ROWS) {
		buf_clear(&json);
		snprintf(id, sizeof id, "data-detail-%zu", at / DETAIL_ROWS);
		rc = details_json(h, at,
			 at + DETAIL_ROWS < n ? at + DETAIL_ROWS : n, &json) ||
		    put_block(h, d, id, (struct span){ json.p, json.len });
	}
	buf_release(&json);
	deflate_block_free(d);
	return rc ? json_lacking(e) : 0;
}

/*
 * The page trusts scripts that name this value, so what stands in a log must
 * not be able to foretell it: it depends on every attempt of the report.
 */
void html_data_hash(const struct report *r, char out[HASH_HEX])
{
	struct hash_value sum = { 0, 0 };

	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		struct hash_value job = hash_of(en->job, strlen(en->job));
		int64_t own[] = { (int64_t)i, (int64_t)job.low, en->attempt,
			en->started, en->ended, en->lost };

		hash_join(&sum, hash_of(own, sizeof own));
	}
	hash_hex(sum, out);
}
