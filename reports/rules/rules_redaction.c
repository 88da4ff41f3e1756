/*
 * {{...}} marks a secret in an example: it must be gone from what is shown, in
 * whole and in its first half. {{hex*40}} is made up here, so that no file
 * holds what looks like a token; the same example always gives the same text.
 */
#include "reports/rules/rules_redaction.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/redact.h"

#include <string.h>

#define SECRETS 16 /* in one example */
#define LENGTH_MAX 4096

static const struct alphabet {
	const char *name, *letters;
} alphabets[] = {
	{ "digit", "0123456789" },
	{ "hex", "0123456789abcdef" },
	{ "lower", "abcdefghijklmnopqrstuvwxyz234567" },
	{ "upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" },
	{ "letter", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" },
	{ "alnum",
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789" },
	{ "base64",
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789+/" },
};

const char *rules_redaction_letters(struct span name)
{
	for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++)
		if (span_is(name, alphabets[i].name))
			return alphabets[i].letters;
	return NULL;
}

/* An example without its marks, and where its secrets are. */
struct example {
	struct buf text;
	size_t from[SECRETS], to[SECRETS];
	size_t n;
	uint32_t seed;
};

static uint32_t next_random(struct example *x)
{
	x->seed = x->seed * 1664525u + 1013904223u;
	return x->seed >> 16;
}

/* "hex*40", or the secret itself. */
static int add_secret(struct example *x, struct span s)
{
	size_t star = span_find(s, "*");
	struct span name = span_sub(s, 0, star == SIZE_MAX ? 0 : star);
	int64_t n =
	    star == SIZE_MAX ? -1 : span_number(span_sub(s, star + 1, s.n));
	const char *letters = rules_redaction_letters(name);
	int rc = 0;

	if (!letters || n < 1 || n > LENGTH_MAX)
		return buf_add(&x->text, s.p, s.n);
	for (int64_t i = 0; i < n && !rc; i++)
		rc = buf_addc(
		    &x->text, letters[next_random(x) % strlen(letters)]);
	return rc;
}

static int expand(struct example *x, const char *example)
{
	struct span rest = span_of(example);
	size_t open, length;

	buf_clear(&x->text);
	x->n = 0;
	x->seed = 1;
	while ((open = span_find(rest, "{{")) != SIZE_MAX && x->n < SECRETS) {
		struct span after = span_sub(rest, open + 2, rest.n);

		length = span_find(after, "}}");
		if (length == SIZE_MAX)
			break;
		if (open && buf_add(&x->text, rest.p, open))
			return -1;
		x->from[x->n] = x->text.len;
		if (add_secret(x, span_sub(after, 0, length)))
			return -1;
		x->to[x->n++] = x->text.len;
		rest = span_sub(after, length + 2, after.n);
	}
	return rest.n ? buf_add(&x->text, rest.p, rest.n) : 0;
}

/* Whether anything of a secret is still there. */
static bool leaks(const struct example *x, const struct buf *out)
{
	struct span shown = { out->p, out->len };

	for (size_t i = 0; i < x->n; i++) {
		size_t n = x->to[i] - x->from[i];
		size_t least = n > 16 ? n / 2 : n;

		for (size_t at = 0; at + least <= shown.n; at++)
			if (memcmp(shown.p + at, x->text.p + x->from[i],
				least) == 0)
				return true;
	}
	return false;
}

/* 0: as it should, 1: not, -1: no memory. */
static int run_example(
    struct redact *x, struct example *example, const char *text, bool secret)
{
	struct buf out = BUF_INIT(BUF_MAX);
	int rc = -1;

	if (expand(example, text))
		goto out;
	rc = redact_text(
	    x, (struct span){ example->text.p, example->text.len }, &out, NULL);
	if (rc >= 0)
		rc = secret ? rc == 0 || leaks(example, &out) : rc == 1;
out:
	buf_release(&out);
	return rc;
}

/* A secret must be hidden by its own redaction, what is clean by none. */
static int run_examples(const struct redaction *r, const struct strings *v,
    const struct redactor *redactor, bool secret, FILE *f, size_t *bad)
{
	struct example example = { .text = BUF_INIT(BUF_MAX) };
	int rc = 0;

	for (size_t i = 0; i < v->n && rc >= 0; i++) {
		struct redact *x = redact_new(redactor);

		rc = x ? run_example(x, &example, v->v[i], secret) : -1;
		redact_free(x);
		if (rc != 1)
			continue;
		++*bad;
		fprintf(f, "%s:%u: redaction %s: %s: %s\n", r->file, r->line,
		    r->id,
		    secret ? "a secret example is not hidden"
			   : "a clean example is hidden",
		    v->v[i]);
	}
	buf_release(&example.text);
	return rc < 0 ? -1 : 0;
}

int rules_redaction_test(const struct taxonomy *tax,
    const struct limits *limits, FILE *f, size_t *bad, struct err *e)
{
	uint64_t limit = limits->v[LIMIT_MATCH];
	int n = 0, rc = 0;

	for (size_t i = 0; i < tax->n_redactions && !rc; i++) {
		const struct redaction *r = &tax->redactions[i];
		struct redactor *own = redact_rules_one(tax, i, limit, e);
		struct redactor *all =
		    redact_rules_new(tax, r->option, limit, e);

		n += (int)(r->secret.n + r->clean.n);
		rc = !own || !all ? -1 : 0;
		if (!rc &&
		    (run_examples(r, &r->secret, own, true, f, bad) ||
			run_examples(r, &r->clean, all, false, f, bad)))
			rc = err_nomem(e);
		redact_rules_free(own);
		redact_rules_free(all);
	}
	return rc ? -1 : n;
}
