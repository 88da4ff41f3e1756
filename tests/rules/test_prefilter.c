/*
 * The prefilter against a plain search for every literal at every place: the
 * hits must be the same, on texts made to be hard for it.
 */
#include "tests/test.h"

#include "base/cpu.h"
#include "rules/pattern.h"
#include "rules/prefilter.h"
#include "tests/rules/hits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETS 12
#define PER_SET 4

/* A small generator of its own, so that failures repeat everywhere. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static uint32_t pick(uint32_t *state, uint32_t n)
{
	return next_random(state) % n;
}

static unsigned char fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

static bool stands_at(const char *text, const char *literal, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fold((unsigned char)text[i]) !=
		    fold((unsigned char)literal[i]))
			return false;
	return true;
}

static bool in_text_at(const struct literals *set, struct span text, size_t pos)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->len[i] <= text.n - pos &&
		    stands_at(text.p + pos, set->text[i], set->len[i]))
			return true;
	return false;
}

/* Two parts, one after the other, have what each of them has alone. */
static void compare_parts(const struct prefilter *pf, struct span text)
{
	size_t cut = text.n / 3;
	struct prefilter_hits both = { 0 }, part[2] = { { 0 }, { 0 } };

	assert_int_equal(
	    prefilter_find(pf, span_sub(text, 0, cut), &part[0]), 0);
	assert_int_equal(
	    prefilter_find(pf, span_sub(text, cut, text.n), &part[1]), 0);
	assert_int_equal(prefilter_find_on(pf, text, 0, cut, &both), 0);
	assert_int_equal(prefilter_find_on(pf, text, cut, text.n, &both), 0);
	assert_int_equal(both.n, part[0].n + part[1].n);
	for (size_t i = 0; i < both.n; i++) {
		size_t second = i >= part[0].n;
		const struct prefilter_hit *h =
		    &part[second].v[i - second * part[0].n];

		assert_int_equal(both.v[i].pos, h->pos + second * cut);
		assert_int_equal(both.v[i].literal, h->literal);
		assert_true(both.v[i].pos + prefilter_length(pf, &both.v[i]) <=
		    (second ? text.n : cut));
	}
	prefilter_hits_release(&both);
	prefilter_hits_release(&part[0]);
	prefilter_hits_release(&part[1]);
}

static void compare_with(const struct prefilter *pf,
    const struct literals *sets, size_t n, struct span text,
    struct prefilter_hits *hits)
{
	struct set_hit *v;
	size_t at = 0, count;

	assert_int_equal(prefilter_find(pf, text, hits), 0);
	v = set_hits(pf, hits, &count);
	for (size_t pos = 0; pos < text.n; pos++) {
		for (uint32_t id = 0; id < n; id++) {
			if (!prefilter_covers(pf, id) ||
			    !in_text_at(&sets[id], text, pos))
				continue;
			assert_true(at < count);
			assert_int_equal(v[at].pos, pos);
			assert_int_equal(v[at].id, id);
			at++;
		}
	}
	assert_int_equal(at, count);
	free(v);
	compare_parts(pf, text);
}

/* Both ways of finding, where the machine has both. */
static void compare(const struct literals *sets, size_t n, struct span text,
    struct prefilter_hits *hits)
{
	struct prefilter *pf = prefilter_new(sets, n, NULL);

	assert_non_null(pf);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(prefilter_covers(pf, i),
		    sets[i].n > 0 && sets[i].least >= 2);
	cpu_plain(true);
	compare_with(pf, sets, n, text, hits);
	cpu_plain(false);
	compare_with(pf, sets, n, text, hits);
	prefilter_free(pf);
}

/* The same with a filter that a third of the sets makes, then each third adds
 * to. */
static void compare_derived(const struct literals *sets, size_t n,
    struct span text, struct prefilter_hits *hits)
{
	struct prefilter *pf[3] = { NULL };
	uint32_t number[SETS];

	for (uint32_t i = 0; i < SETS; i++)
		number[i] = i;
	for (size_t step = 0, from = 0, to; step < 3; step++, from = to) {
		to = n * (step + 1) / 3;
		pf[step] = prefilter_derive(step ? pf[step - 1] : NULL, number,
		    sets + from, number + from, to - from, to, NULL);
		assert_non_null(pf[step]);
	}
	compare_with(pf[2], sets, n, text, hits);
	for (size_t step = 3; step-- > 0;)
		prefilter_free(pf[step]);
}

/* Bytes that |0x20 takes for each other, letters of both cases, bytes over
 * 0x7f that a locale may call letters, line ends and NUL. */
static const char alphabets[][13] = {
	"ab",
	"aAbB",
	"[{]}@`\x01!",
	"\xe9\xc9\xff\xdfkK",
	"Error: nN\n\r1",
	"_\x7f^~\\|",
};

static void random_text(uint32_t *seed, char *p, size_t n)
{
	const char *from = alphabets[pick(seed, 6)];
	uint32_t count = (uint32_t)strlen(from);

	for (size_t i = 0; i < n; i++) {
		p[i] = from[pick(seed, count)];
		if (!pick(seed, 200))
			p[i] = '\0';
	}
}

/* Mostly a piece of the text with its case changed, so that it is found; at
 * times with another byte in it. */
static void random_literal(uint32_t *seed, struct span text, char *p, size_t n)
{
	random_text(seed, p, n);
	if (n <= text.n && pick(seed, 5)) {
		uint32_t from = pick(seed, (uint32_t)(text.n - n) + 1);

		if (!pick(seed, 4))
			from = pick(seed, 2) ? 0 : (uint32_t)(text.n - n);
		memcpy(p, text.p + from, n);
	}
	for (size_t i = 0; i < n; i++)
		if (pick(seed, 2) && fold((unsigned char)p[i]) >= 'a' &&
		    fold((unsigned char)p[i]) <= 'z')
			p[i] = (char)(p[i] ^ 0x20);
	if (!pick(seed, 8))
		p[pick(seed, (uint32_t)n)] ^= 0x20;
}

static void fill_set(uint32_t *seed, struct span text, struct literals *set)
{
	size_t n = pick(seed, PER_SET + 1);
	size_t shortest = pick(seed, 4) ? 5 : 1;

	memset(set, 0, sizeof *set);
	if (!n)
		return;
	set->text = calloc(n, sizeof *set->text);
	set->len = calloc(n, sizeof *set->len);
	assert_non_null(set->text);
	assert_non_null(set->len);
	for (size_t i = 0; i < n; i++) {
		size_t len = shortest + pick(seed, pick(seed, 6) ? 12 : 90);

		set->text[i] = calloc(1, len + 1);
		assert_non_null(set->text[i]);
		random_literal(seed, text, set->text[i], len);
		set->len[i] = len;
		if (!set->least || len < set->least)
			set->least = len;
		set->n++;
	}
}

static void test_random(void **state)
{
	struct prefilter_hits hits = { 0 };
	uint32_t seed = 20240613;
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		static struct literals sets[SETS];
		size_t n = pick(&seed, SETS) + 1, len = pick(&seed, 180);
		/* Exactly as long as the text: a sanitizer sees any byte
		 * that is read beyond it. */
		char *text = malloc(len ? len : 1);
		struct span s = { text, len };

		assert_non_null(text);
		random_text(&seed, text, len);
		for (size_t i = 0; i < n; i++)
			fill_set(&seed, s, &sets[i]);
		compare(sets, n, s, &hits);
		found += hits.n;
		compare_derived(sets, n, s, &hits);
		for (size_t i = 0; i < n; i++)
			literals_release(&sets[i]);
		free(text);
	}
	assert_true(found > 20000);
	prefilter_hits_release(&hits);
}

/* Each place of a literal in a text, against both parities and every length. */
static void test_places(void **state)
{
	static const char word[] = "CUDA error: out of memory (2)";
	struct prefilter_hits hits = { 0 };

	(void)state;
	for (size_t len = 2; len < sizeof word; len++) {
		struct literals set;
		char literal[sizeof word] = "";

		memcpy(literal, word, len);
		assert_int_equal(literals_one(&set, literal), 0);
		for (size_t before = 0; before < 20; before++) {
			size_t n = before + len + before % 3;
			char *text = malloc(n);

			assert_non_null(text);
			memset(text, '.', n);
			memcpy(text + before, word, len);
			compare(&set, 1, (struct span){ text, n }, &hits);
			assert_int_equal(hits.n, 1);
			assert_int_equal(hits.v[0].pos, before);
			free(text);
		}
		literals_release(&set);
	}
	prefilter_hits_release(&hits);
}

/* A text longer than what is looked at before any of it is confirmed, and each
 * place from which its end may be looked at another way. */
static void test_long_text(void **state)
{
	enum { LONG = 40000, ENDS = 300 };
	static const char *const words[] = { "Fault", "loss is nan",
		"CUDA error: out of memory" };
	struct prefilter_hits hits = { 0 };
	struct literals sets[3];
	uint32_t seed = 7;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(literals_one(&sets[i], words[i]), 0);
	for (size_t n = LONG; n < LONG + ENDS; n++) {
		char *text = malloc(n);
		struct prefilter *pf = prefilter_new(sets, 3, NULL);
		size_t put = 0, at = 0, n_ids;
		uint32_t last;

		assert_non_null(text);
		assert_non_null(pf);
		memset(text, '.', n);
		for (uint32_t i = 0; at < n; i = pick(&seed, 3), put++) {
			size_t len = sets[i].len[0];

			/* the last word ends with the text */
			if (n - at < 600)
				at = n - len;
			memcpy(text + at, words[i], len);
			at += len + pick(&seed, 500) * (at + len < n);
		}
		for (int plain = 0; plain < 2; plain++) {
			cpu_plain(plain);
			assert_int_equal(
			    prefilter_find(pf, (struct span){ text, n }, &hits),
			    0);
			assert_int_equal(hits.n, put);
			assert_int_equal(hits.v[0].pos, 0);
			last = *prefilter_ids(pf, &hits.v[put - 1], &n_ids);
			assert_int_equal(n_ids, 1);
			assert_int_equal(
			    hits.v[put - 1].pos, n - sets[last].len[0]);
		}
		prefilter_free(pf);
		free(text);
	}
	prefilter_hits_release(&hits);
	for (size_t i = 0; i < 3; i++)
		literals_release(&sets[i]);
}

/* A text so long that what was found for a place is kept for the like: words
 * that look alike there, some so many that they are not kept. */
static void test_very_long_text(void **state)
{
	enum { LONG = 140000, WORDS = 10 };
	static const char *const words[WORDS] = { "KeyError: ", "xError: a",
		"Error: ab", "Error: abc", "rror: abcd", "ror: ", "Error: b",
		"error: abcde", "or", "CUDA" };
	static const char *const lines[] = { "KeyError: abcde\n",
		"xERROR: abc\n", "Error: b\n", "an error: \n", "CUDA " };
	struct prefilter_hits hits = { 0 };
	struct literals sets[WORDS];
	char *text = malloc(LONG);
	uint32_t seed = 11;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < WORDS; i++)
		assert_int_equal(literals_one(&sets[i], words[i]), 0);
	for (size_t at = 0; at < LONG;) {
		const char *line = lines[pick(&seed, 5)];

		while (*line && at < LONG)
			text[at++] = *line++;
		if (!pick(&seed, 3) && at < LONG)
			text[at++] = (char)('0' + pick(&seed, 10));
	}
	compare(sets, WORDS, (struct span){ text, LONG }, &hits);
	assert_true(hits.n > LONG / 10);
	free(text);
	prefilter_hits_release(&hits);
	for (size_t i = 0; i < WORDS; i++)
		literals_release(&sets[i]);
}

static void test_many_literals(void **state)
{
	static struct literals sets[3000];
	struct prefilter_hits hits = { 0 };
	struct prefilter *pf;
	char text[64];
	int n;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		snprintf(text, sizeof text, "module%d failed with %x", i,
		    (unsigned)i * 2654435761u);
		assert_int_equal(literals_one(&sets[i], text), 0);
	}
	pf = prefilter_new(sets, 3000, NULL);
	assert_non_null(pf);
	for (int i = 0; i < 3000; i++) {
		n = snprintf(text, sizeof text, "-MODULE%d Failed with %X -", i,
		    (unsigned)i * 2654435761u);
		assert_int_equal(
		    prefilter_find(pf, (struct span){ text, (size_t)n }, &hits),
		    0);
		assert_true(hits.n >= 1);
		assert_int_equal(hits.v[0].pos, 1);
		assert_true(set_hit_in(pf, &hits, (size_t)i, 0, (size_t)n));
	}
	prefilter_free(pf);
	prefilter_hits_release(&hits);
	for (int i = 0; i < 3000; i++)
		literals_release(&sets[i]);
}

static void test_nothing(void **state)
{
	struct literals none = { 0 };
	struct prefilter_hits hits = { 0 };
	struct prefilter *pf = prefilter_new(NULL, 0, NULL);

	(void)state;
	assert_non_null(pf);
	assert_false(prefilter_covers(pf, 0));
	assert_int_equal(prefilter_find(pf, span_of("some text"), &hits), 0);
	assert_int_equal(hits.n, 0);
	prefilter_free(pf);
	compare(&none, 1, span_of("some text"), &hits);
	compare(&none, 1, (struct span){ NULL, 0 }, &hits);
	prefilter_free(NULL);
	prefilter_hits_release(&hits);
}

#define RULES 40
#define WORDS 12

/* Words that rules and lines share, so that many nearly match. */
static const char *const words[WORDS] = { "Error", "error: ", "loss", " nan",
	"CUDA", "out of memory", "rank", "NCCL", "failed", "4", " ", "Xid (" };

static const char *const joints[] = { "", "\\s*", ".*", "[: ]", "(?:x|yz)?",
	"\\d+", "\\b" };

static void random_rule(uint32_t *seed, char *p, size_t size)
{
	size_t n = 0, parts = 1 + pick(seed, 3);

	if (pick(seed, 2))
		n += (size_t)snprintf(p + n, size - n, "(?i)");
	for (size_t i = 0; i < parts; i++) {
		const char *a = words[pick(seed, WORDS - 1)];
		const char *b = words[pick(seed, WORDS - 1)];

		n += (size_t)snprintf(p + n, size - n,
		    "(?:\\Q%s\\E|\\Q%s\\E)%s", a, b, joints[pick(seed, 7)]);
	}
}

static size_t random_log(uint32_t *seed, char *p, size_t size)
{
	size_t n = 0;

	while (n + 32 < size) {
		const char *w = words[pick(seed, WORDS)];

		for (; *w; w++)
			p[n++] = pick(seed, 30) ? *w : (char)(*w ^ 0x20);
		if (!pick(seed, 9))
			p[n++] = '\n';
		if (!pick(seed, 9))
			p[n++] = (char)('a' + pick(seed, 26));
	}
	return n;
}

/* Each line that a rule matches holds a hit of its set, if it has one. */
static size_t nominated(const struct prefilter *pf, struct span text,
    struct pattern *const *rules, const struct prefilter_hits *hits)
{
	struct matcher *scratch = pattern_matcher_new(100000);
	struct span rest = text, line;
	size_t found = 0;

	assert_non_null(scratch);
	while (span_line(&rest, &line)) {
		size_t from = (size_t)(line.p - text.p);

		for (uint32_t id = 0; id < RULES; id++) {
			bool hit = !prefilter_covers(pf, id);

			if (pattern_find(rules[id], scratch, line, NULL) != 1)
				continue;
			assert_true(hit ||
			    set_hit_in(pf, hits, id, from, from + line.n));
			found++;
		}
	}
	pattern_matcher_free(scratch);
	return found;
}

/* Random rules on random lines: what PCRE2 alone finds is nominated. */
static void test_rules(void **state)
{
	uint32_t seed = 77;
	size_t found = 0;

	(void)state;
	for (int round = 0; round < 30; round++) {
		struct prefilter_hits hits = { 0 };
		struct literals sets[RULES];
		struct pattern *rules[RULES];
		struct prefilter *pf;
		char text[8192], pattern[256];
		struct span log = { text,
			random_log(&seed, text, sizeof text) };

		for (size_t i = 0; i < RULES; i++) {
			random_rule(&seed, pattern, sizeof pattern);
			rules[i] = pattern_new(pattern, NULL, NULL);
			assert_non_null(rules[i]);
			assert_int_equal(
			    literals_from_pattern(&sets[i], pattern), 0);
		}
		pf = prefilter_new(sets, RULES, NULL);
		assert_non_null(pf);
		assert_int_equal(prefilter_find(pf, log, &hits), 0);
		found += nominated(pf, log, rules, &hits);
		prefilter_free(pf);
		prefilter_hits_release(&hits);
		for (size_t i = 0; i < RULES; i++) {
			pattern_free(rules[i]);
			literals_release(&sets[i]);
		}
	}
	assert_true(found > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_very_long_text),
		cmocka_unit_test(test_many_literals),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
