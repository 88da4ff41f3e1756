/*
 * A pattern is compiled and run only when one of the fixed texts that its
 * matches contain stands in the text; one pass looks for those of all
 * redactions, by their first three bytes. What several of them hide is hidden
 * once, under the title of the one that is written first.
 */
#include "rules/redact.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "rules/litset.h"
#include "rules/pattern.h"
#include "rules/redact_view.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define GRAM 3       /* bytes of a literal that are looked up */
#define BUCKETS 4096 /* four bits for each of them */
#define SEEN_MAX 64  /* secrets that are remembered */
#define SEEN_LEAST 8 /* bytes of one */
#define PART_LEAST 4 /* bytes of a secret that is looked for in a part */
#define NOWHERE UINT16_MAX
#define LITERALS_ALL 8192 /* under NOWHERE */
#define UNCHECKED "not checked, it took too long"

/* A fixed text of a redaction. */
struct known_text {
	const char *p; /* borrowed from the taxonomy */
	size_t n;
	size_t redaction;
	uint16_t next; /* in its bucket */
};

struct redactor {
	const struct taxonomy *tax;
	uint64_t match_limit;
	bool *on, *always; /* one a redaction; always: no literal leads to it */
	bool any_always;
	struct known_text *texts;
	size_t n_texts;
	uint16_t head[BUCKETS];
	/* of who is done, for who comes next: its stack is dear to map */
	_Atomic(struct matcher *) *spare;
};

/* A part that is to be hidden. */
struct range {
	size_t from, to;
	size_t redaction; /* tax->n_redactions: a limit was hit */
};

/* A secret, or a copy of one. */
struct secret {
	char *p;
	size_t n;
	size_t redaction;
};

struct redact {
	const struct redactor *r;
	struct matcher *matcher; /* made when first needed */
	bool *nominated;         /* one a redaction */
	struct range *v;
	size_t n, cap;
	struct secret seen[SEEN_MAX];
	size_t n_seen;
	struct redact_view view;
	struct span last; /* what redact_text was given last */
};

/* ---- which are on ---- */

/* Whether words, between commas, has the word. */
static bool listed(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (; words && *words; words += *words == ',') {
		size_t n = strcspn(words, ",");

		if (n == length && memcmp(words, word, n) == 0)
			return true;
		words += n;
	}
	return false;
}

/* Each of words must be the option of some redaction. */
static int check_words(
    const struct taxonomy *tax, const char *words, struct err *e)
{
	for (; words && *words; words += *words == ',') {
		struct span word = { words, strcspn(words, ",") };
		bool found = span_is(word, "all");

		for (size_t i = 0; i < tax->n_redactions && !found; i++)
			found = tax->redactions[i].option &&
			    span_is(word, tax->redactions[i].option);
		if (!found)
			return err_set(e,
			    "--redact %.*s: no redaction has this option",
			    (int)word.n, word.p);
		words += word.n;
	}
	return 0;
}

/* ---- the pass over the fixed texts ---- */

/* The bucket of the last GRAM bytes, from that of those one before. Letters of
 * either case go into one; what else does, does no harm. */
static size_t next_bucket(size_t bucket, char c)
{
	return (bucket << 4 ^ ((unsigned char)c | 0x20u)) & (BUCKETS - 1);
}

static size_t bucket_of(const char *p)
{
	return next_bucket(next_bucket(next_bucket(0, p[0]), p[1]), p[2]);
}

static int add_texts(struct redactor *r, size_t redaction)
{
	const struct literals *l = &r->tax->redactions[redaction].literals;
	struct known_text *v =
	    realloc(r->texts, (r->n_texts + l->n + 1) * sizeof *v);

	if (!v)
		return -1;
	r->texts = v;
	if (l->least < GRAM || r->n_texts + l->n > LITERALS_ALL) {
		r->always[redaction] = r->any_always = true;
		return 0;
	}
	for (size_t i = 0; i < l->n; i++) {
		size_t b = bucket_of(l->text[i]);

		v[r->n_texts] = (struct known_text){ l->text[i], l->len[i],
			redaction, r->head[b] };
		r->head[b] = (uint16_t)r->n_texts++;
	}
	return 0;
}

static struct redactor *redactor_empty(
    const struct taxonomy *tax, uint64_t match_limit)
{
	struct redactor *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->tax = tax;
	r->match_limit = match_limit;
	r->on = calloc(tax->n_redactions + 1, sizeof *r->on);
	r->always = calloc(tax->n_redactions + 1, sizeof *r->always);
	r->spare = calloc(1, sizeof *r->spare);
	memset(r->head, 0xff, sizeof r->head);
	if (!r->on || !r->always || !r->spare) {
		redact_rules_free(r);
		return NULL;
	}
	return r;
}

struct redactor *redact_rules_new(const struct taxonomy *tax, const char *words,
    uint64_t match_limit, struct err *e)
{
	bool all = listed(words, "all");
	struct redactor *r;

	if (check_words(tax, words, e))
		return NULL;
	r = redactor_empty(tax, match_limit);
	for (size_t i = 0; r && i < tax->n_redactions; i++) {
		const char *option = tax->redactions[i].option;

		r->on[i] = !option || all || listed(words, option);
		if (r->on[i] && add_texts(r, i)) {
			redact_rules_free(r);
			r = NULL;
		}
	}
	if (!r)
		err_nomem(e);
	return r;
}

struct redactor *redact_rules_one(
    const struct taxonomy *tax, size_t i, uint64_t match_limit, struct err *e)
{
	struct redactor *r = redactor_empty(tax, match_limit);

	if (!r || add_texts(r, i)) {
		redact_rules_free(r);
		err_nomem(e);
		return NULL;
	}
	r->on[i] = true;
	return r;
}

void redact_rules_free(struct redactor *r)
{
	if (!r)
		return;
	free(r->on);
	free(r->always);
	free(r->texts);
	if (r->spare)
		pattern_matcher_free(atomic_load(r->spare));
	free(r->spare);
	free(r);
}

struct redact *redact_new(const struct redactor *r)
{
	struct redact *x = calloc(1, sizeof *x);

	if (!x)
		return NULL;
	x->r = r;
	x->nominated = calloc(r->tax->n_redactions + 1, sizeof *x->nominated);
	if (!x->nominated) {
		redact_free(x);
		return NULL;
	}
	return x;
}

void redact_free(struct redact *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->n_seen; i++)
		free(x->seen[i].p);
	if (x->matcher)
		pattern_matcher_free(atomic_exchange(x->r->spare, x->matcher));
	redact_view_release(&x->view);
	free(x->nominated);
	free(x->v);
	free(x);
}

static bool same_folded(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (litset_fold((unsigned char)a[i]) !=
		    litset_fold((unsigned char)b[i]))
			return false;
	return true;
}

static size_t longest_word(struct span in)
{
	size_t longest = 0, from = 0;

	for (size_t i = 0; i <= in.n; i++) {
		if (i < in.n && (unsigned char)in.p[i] > ' ')
			continue;
		longest = i - from > longest ? i - from : longest;
		from = i + 1;
	}
	return longest;
}

/* The redactions of which a text begins at p. */
static bool nominate_at(struct redact *x, uint16_t k, struct span p)
{
	bool any = false;

	for (; k != NOWHERE; k = x->r->texts[k].next) {
		const struct known_text *t = &x->r->texts[k];

		if (t->n <= p.n && same_folded(t->p, p.p, t->n))
			any = x->nominated[t->redaction] = true;
	}
	return any;
}

/* Which redactions may find something; false: none. */
static bool nominate(struct redact *x, struct span in)
{
	const struct redactor *r = x->r;
	size_t n = r->tax->n_redactions, bucket = 0, word;
	bool any = r->any_always;

	if (n)
		memcpy(x->nominated, r->always, n * sizeof *r->always);
	for (size_t i = 0; i < in.n; i++) {
		bucket = next_bucket(bucket, in.p[i]);
		if (r->head[bucket] != NOWHERE && i + 1 >= GRAM)
			any |= nominate_at(x, r->head[bucket],
			    span_sub(in, i + 1 - GRAM, in.n));
	}
	if (!any)
		return false;
	word = longest_word(in);
	for (size_t i = 0; i < n; i++)
		if (word < r->tax->redactions[i].word)
			x->nominated[i] = false;
	return true;
}

/* ---- what is to be hidden ---- */

static int add_range(struct redact *x, struct range range)
{
	if (array_grow(&x->v, x->n, &x->cap, sizeof *x->v))
		return -1;
	x->v[x->n++] = range;
	return 0;
}

static struct matcher *matcher_of(const struct redactor *r)
{
	struct matcher *m = atomic_exchange(r->spare, NULL);

	if (!m)
		return pattern_matcher_new(r->match_limit);
	pattern_matcher_begin(m);
	return m;
}

/* All that one redaction finds. 1: a limit was hit; -1: no memory. */
static int find_all(struct redact *x, size_t redaction, struct span in)
{
	const struct pattern *p =
	    taxonomy_redaction_pattern(x->r->tax, redaction);
	struct pattern_match m;
	size_t at = 0, from, to;
	int group, rc;

	if (!x->matcher)
		x->matcher = matcher_of(x->r);
	if (!p || !x->matcher)
		return -1;
	group = pattern_group(p, "secret");
	while (at < in.n &&
	    (rc = pattern_find_from(p, x->matcher, in, at, &m)) != 0) {
		struct span hit = m.group[0];

		if (rc < 0)
			return pattern_lacking(x->matcher) ? -1 : 1;
		if (group > 0 && group < m.n && m.group[group].p)
			hit = m.group[group];
		from = (size_t)(hit.p - in.p);
		to = from + hit.n;
		if (hit.n &&
		    add_range(x, (struct range){ from, to, redaction }))
			return -1;
		at = to > at ? to : at + 1;
	}
	return 0;
}

/* All that is found in a text; what is in a view of it, where it is in the text
 * itself. 1: a limit was hit; -1: no memory. */
static int find_each(
    struct redact *x, struct span in, const struct redact_view *view)
{
	const struct redactor *r = x->r;
	size_t first = x->n;
	bool limit = false;

	if (!nominate(x, in))
		return 0;
	for (size_t i = 0; i < r->tax->n_redactions; i++) {
		int rc = r->on[i] && x->nominated[i] ? find_all(x, i, in) : 0;

		if (rc < 0)
			return -1;
		limit |= rc == 1;
	}
	for (size_t i = first; view && i < x->n; i++) {
		x->v[i].from = view->at[x->v[i].from];
		x->v[i].to = view->at[x->v[i].to - 1] + 1;
	}
	return limit;
}

static int by_place(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->redaction > y->redaction) - (x->redaction < y->redaction);
}

/* Sorted, and none touches another. */
static void merge(struct redact *x)
{
	size_t n = 0;

	if (x->n)
		qsort(x->v, x->n, sizeof *x->v, by_place);
	for (size_t i = 0; i < x->n; i++) {
		struct range *last = n ? &x->v[n - 1] : NULL, r = x->v[i];

		if (!last || r.from >= last->to) {
			x->v[n++] = r;
			continue;
		}
		last->to = r.to > last->to ? r.to : last->to;
		if (r.redaction < last->redaction)
			last->redaction = r.redaction;
	}
	x->n = n;
}

/* ---- putting it together ---- */

/* Copy a part that stays. */
static int put_clean(struct buf *out, struct span in, size_t from, size_t to,
    const struct redact_marks *old, struct redact_marks *marks)
{
	if (old->from >= from && old->from <= to)
		marks->from = out->len + old->from - from;
	if (old->to >= from && old->to <= to)
		marks->to = out->len + old->to - from;
	return to > from ? buf_add(out, in.p + from, to - from) : 0;
}

/* The title in the place of a part of one line. */
static int put_title(struct redact *x, struct buf *out, struct range r,
    const struct redact_marks *old, struct redact_marks *marks)
{
	const struct taxonomy *tax = x->r->tax;
	const char *title = r.redaction < tax->n_redactions
	    ? tax->redactions[r.redaction].title
	    : UNCHECKED;
	size_t start = out->len;

	if (buf_addf(out, "[redacted: %s]", title))
		return -1;
	if (old->from >= r.from && old->from < r.to)
		marks->from = start;
	if (old->to > r.from && old->to <= r.to)
		marks->to = out->len;
	return 0;
}

/* A part, line by line: the lines after it keep their numbers. */
static int put_hidden(struct redact *x, struct buf *out, struct span in,
    struct range r, const struct redact_marks *old, struct redact_marks *marks)
{
	size_t at = r.from;
	int rc = 0;

	while (at < r.to && !rc) {
		size_t end = at;

		while (end < r.to && in.p[end] != '\n')
			end++;
		if (span_trim(span_sub(in, at, end)).n == 0)
			rc = put_clean(out, in, at, end, old, marks);
		else
			rc = put_title(x, out,
			    (struct range){ at, end, r.redaction }, old, marks);
		if (!rc && end < r.to)
			rc = put_clean(out, in, end, end + 1, old, marks);
		at = end + 1;
	}
	return rc;
}

static int put_all(struct redact *x, struct span in, struct buf *out,
    struct redact_marks *marks)
{
	struct redact_marks old = { 0, 0 }, moved = { 0, 0 };
	size_t at = 0;
	int rc = 0;

	if (marks)
		old = moved = *marks;
	for (size_t i = 0; i < x->n && !rc; i++) {
		rc = put_clean(out, in, at, x->v[i].from, &old, &moved) ||
		    put_hidden(x, out, in, x->v[i], &old, &moved);
		at = x->v[i].to;
	}
	rc = rc || put_clean(out, in, at, in.n, &old, &moved);
	if (marks)
		*marks = moved;
	return rc ? -1 : 1;
}

/* ---- secrets that come again ---- */

/* Hiding an ordinary word wherever it stands would hide the cause: a secret
 * that may be one has letters only, or digits. */
static bool telling(struct span s)
{
	bool digit = false, letter = false;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		digit |= c >= '0' && c <= '9';
		letter |= (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
		if (c <= ' ')
			return false;
	}
	return s.n >= SEEN_LEAST && digit && letter;
}

static int remember(struct redact *x, struct span in)
{
	for (size_t i = 0; i < x->n && x->n_seen < SEEN_MAX; i++) {
		struct range r = x->v[i];
		struct span s = span_sub(in, r.from, r.to);
		bool there = !telling(s);

		for (size_t k = 0; k < x->n_seen && !there; k++)
			there = span_eq(
			    s, (struct span){ x->seen[k].p, x->seen[k].n });
		if (there)
			continue;
		x->seen[x->n_seen] =
		    (struct secret){ span_dup(s), s.n, r.redaction };
		if (!x->seen[x->n_seen].p)
			return -1;
		x->n_seen++;
	}
	return 0;
}

bool redact_has_seen(const struct redact *x)
{
	return x->n_seen > 0;
}

int redact_text(struct redact *x, struct span in, struct buf *out,
    struct redact_marks *marks)
{
	int limit, viewed = redact_view_make(&x->view, in);

	buf_clear(out);
	x->n = 0;
	x->last = in;
	limit = viewed < 0 ? -1 : find_each(x, in, NULL);
	if (limit >= 0 && viewed > 0) {
		struct span view = { x->view.p, x->view.n };
		int rc = find_each(x, view, &x->view);

		limit = rc < 0 ? -1 : limit | rc;
	}
	if (limit < 0)
		return -1;
	if (limit == 0 && x->n == 0)
		return 0;
	merge(x);
	if (remember(x, in))
		return -1;
	if (limit) {
		x->n = 0;
		if (add_range(
			x, (struct range){ 0, in.n, x->r->tax->n_redactions }))
			return -1;
	}
	return x->n ? put_all(x, in, out, marks) : 0;
}

int redact_seen(struct redact *x, struct span in, struct buf *out,
    struct redact_marks *marks)
{
	buf_clear(out);
	x->n = 0;
	for (size_t k = 0; k < x->n_seen; k++) {
		const struct secret *s = &x->seen[k];

		for (size_t at = 0; at + s->n <= in.n; at++) {
			if (in.p[at] != s->p[0] ||
			    memcmp(in.p + at, s->p, s->n) != 0)
				continue;
			if (add_range(x,
				(struct range){ at, at + s->n, s->redaction }))
				return -1;
			at += s->n - 1;
		}
	}
	if (x->n == 0)
		return 0;
	merge(x);
	return put_all(x, in, out, marks);
}

/* Whether a part is made of a secret, or has it in it. */
static bool shared(struct span part, struct span secret)
{
	bool whole = part.n >= secret.n;
	struct span big = whole ? part : secret, small = whole ? secret : part;

	if (small.n < PART_LEAST || (!whole && small.n < secret.n / 2))
		return span_eq(part, secret) && part.n;
	for (size_t at = 0; at + small.n <= big.n; at++)
		if (memcmp(big.p + at, small.p, small.n) == 0)
			return true;
	return false;
}

int redact_part(struct redact *x, struct span part, struct buf *out)
{
	struct redact_marks none = { 0, 0 };
	size_t i = 0;

	buf_clear(out);
	while (i < x->n && x->v[i].redaction < x->r->tax->n_redactions &&
	    !shared(part, span_sub(x->last, x->v[i].from, x->v[i].to)))
		i++;
	if (i == x->n)
		return 0;
	return put_title(x, out, (struct range){ 0, part.n, x->v[i].redaction },
		   &none, &none)
	    ? -1
	    : 1;
}

char *redact_string(const struct redactor *r, const char *s)
{
	struct buf out = BUF_INIT(BUF_MAX);
	struct redact *x = r ? redact_new(r) : NULL;
	char *copy = NULL;
	int rc = x ? redact_text(x, span_of(s), &out, NULL) : r ? -1 : 0;

	if (rc == 1)
		copy = buf_take(&out);
	else if (rc == 0)
		copy = span_dup(span_of(s));
	buf_release(&out);
	redact_free(x);
	return copy;
}
