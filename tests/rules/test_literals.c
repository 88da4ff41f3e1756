/*
 * Required literals: known answers, and the promise itself, that a text which
 * PCRE2 matches always holds one of them, over patterns made at random and
 * over all rules of the taxonomy.
 */
#include "tests/test.h"

#include "base/buf.h"
#include "rules/literals.h"
#include "rules/needs.h"
#include "rules/pattern.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <string.h>

/* The set as "one|two", "" when it is not known. */
static void expect_of(int (*from)(struct literals *l, const char *pattern),
    const char *pattern, const char *want)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct literals l;

	assert_int_equal(from(&l, pattern), 0);
	assert_int_equal(buf_adds(&b, ""), 0);
	for (size_t i = 0; i < l.n; i++) {
		assert_int_equal(buf_adds(&b, i ? "|" : ""), 0);
		assert_int_equal(buf_add(&b, l.text[i], l.len[i]), 0);
	}
	if (strcmp(b.p, want) != 0)
		print_error("pattern: %s\n", pattern);
	assert_string_equal(b.p, want);
	buf_release(&b);
	literals_release(&l);
}

static void expect(const char *pattern, const char *want)
{
	expect_of(literals_from_pattern, pattern, want);
}

static void test_sequences(void **state)
{
	(void)state;
	expect("out of memory", "out of memory");
	expect("^KeyError: ", "KeyError: ");
	expect("(?i)Killed\\b", "Killed");
	expect("a\\.b\\x41\\x{42}\\n\\t\\[", "a.bAB\n\t[");
	expect("\\d+ bytes left", " bytes left");
	expect("rank (?<rank>\\d+) failed to connect", " failed to connect");
	expect("one.two_three.four", "two_three");
	expect("exit[ed]* with +status", " status");
	expect("Exited  +with code", " with code");
	expect("\\Qa.b\\E\\.c", "a.b.c");
	expect("ab(?#comment)cd", "abcd");
	expect("\\w{3}", "");
	expect("", "");
	expect("x|", "");
}

static void test_choices(void **state)
{
	(void)state;
	expect("first thing|other", "first thing|other");
	expect("[Ee]rror [dm]ade", "Error dade|Error made");
	expect("(?:Torch|torch)vision", "Torchvision");
	expect("(?:a|b)?cdef", "cdef");
	expect("errors?", "error");
	expect("(?:foo|ba+r)baz", "baz");
	expect("(?:longer text|\\d)xyz", "xyz");
	expect(
	    "fatal: (?:one|two|three|four) of many things", " of many things");
	expect("[^a]bcd[a-z]", "bcd");
	expect("[]x]yz1[^]]", "]yz1|xyz1");
	expect("[[:digit:]]abc", "abc");
	expect("[\\d-]abc[\\]\\\\]", "abc\\|abc]");
}

static void test_quantifiers(void **state)
{
	(void)state;
	expect("ab{3}c", "abbbc");
	expect("ab{2,}c", "bbc");
	expect("ab*cde", "cde");
	expect("ab?c", "abc|ac");
	expect("(?:ab){0}cd", "cd");
	expect("(?:abc)++de", "abcde");
	expect("(?:abc)+?de", "abcde");
	expect("x{,3}", "");
	expect("a{b}c{", "a{b}c{");
	expect("\\Qab\\E+c", "bc");
	expect("a(?#b)+cde", "acde");
	expect("(?:b+)?acd", "acd");
	expect("xb+{0,1}acd", "acd");
}

static void test_groups(void **state)
{
	(void)state;
	expect("foo(?=bar)", "foo");
	expect("\\w(?=.*bar)", "bar");
	expect("\\w(?=.*(?:foo|bar))\\d", "foo|bar");
	expect("\\w(?!.*bar)(?<=foo)", "");
	expect("\\w(?:(?=.*bar)x|y)", "bar|y");
	expect("(?<!foo)bar(?!baz)", "bar");
	expect("(?<=foo)bar", "bar");
	expect("(?>foo)(?P<x>bar)(?'y'baz)", "foobarbaz");
	expect("(?|foo|bar)baz", "foobaz|barbaz");
	expect("(?s-i:foo)(?m)bar", "foobar");
	expect("(foo)\\1bar", "foo");
	expect("(?<n>foo)\\k<n>\\g{n}(?P=n)(?&n)(?1)(?R)barbaz", "barbaz");
	expect("(a)?(?(1)foo|bar)bazz", "bazz");
	expect("(?(DEFINE)(?<n>foo))bar", "bar");
	expect("foo\\Kbar", "foobar");
}

/* Not understood, or read differently with other options: no answer. */
/* In an exception its class tells nothing. */
static void test_exceptions(void **state)
{
	static const char words[] =
	    "^\\w*(?:Error: |Exception: )(?=.*\\bis\\b)";

	(void)state;
	expect(words, "Error: |Exception: ");
	expect_of(literals_from_exception, words, "is");
	expect_of(literals_from_exception, "^\\w*Error: .*dim", "dim");
	expect_of(literals_from_exception, "^KeyError: ", "KeyError: ");
}

static int beside(struct literals *l, const char *pattern)
{
	return literals_beside(l, pattern, false);
}

static int beside_raised(struct literals *l, const char *pattern)
{
	return literals_beside(l, pattern, true);
}

static void test_beside(void **state)
{
	(void)state;
	expect_of(beside, "unable to .* segment xyzzy", "unable to ");
	expect_of(beside, "xyzzy.*plugh|quux.*frotz", "plugh|quux");
	expect_of(beside, "^E {3,12}FileNotFoundError", "E   ");
	expect_of(beside_raised, "^\\w*Error: .*plugh.*xyzzy", "plugh");
	/* what the first one tells already is nothing new, */
	expect_of(beside, "only one text", "");
	expect_of(beside, "xyzzy (?:plugh )?.*xyzzy", "");
	expect_of(beside, "one.*(?:two)?", "");
	/* unless of some of its texts only */
	expect_of(
	    beside, "cannot.*(?:xyzzy plugh|system cannot quux)", "cannot");
}

static void test_unknown(void **state)
{
	(void)state;
	expect("(?x) foo # bar", "");
	expect("(?x: foo )bar", "");
	expect("(*UTF)foo", "");
	expect("foo(*ACCEPT)bar", "");
	expect("foo(?C1)bar", "");
	expect("foo\\o{101}", "");
	expect("foo[\\Q]\\E]", "");
	expect("foo(", "");
	expect("foo)", "");
	expect("foo[", "");
	expect("foo\\", "");
	expect(
	    "((((((((((((((((((((((((((((foo))))))))))))))))))))))))))))", "");
}

static void test_limits(void **state)
{
	struct literals l;
	char text[200];

	(void)state;
	memset(text, 'k', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_int_equal(literals_from_pattern(&l, text), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.least, 64);
	literals_release(&l);
	assert_int_equal(
	    literals_from_pattern(&l, "[ab][ab][ab][ab][ab][ab][ab]"), 0);
	assert_in_range(l.n, 1, 64);
	assert_true(l.least >= 2);
	literals_release(&l);
	assert_int_equal(literals_one(&l, "one text"), 0);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.text[0], "one text");
	literals_release(&l);
	assert_int_equal(literals_one(&l, ""), 0);
	assert_int_equal(l.n, 0);
	literals_release(&l);
	literals_release(&l);
}

/* The promise. */

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

static bool holds(struct span text, const char *literal, size_t n)
{
	for (size_t at = 0; at + n <= text.n; at++) {
		size_t i = 0;

		while (i < n &&
		    fold((unsigned char)text.p[at + i]) ==
			fold((unsigned char)literal[i]))
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static bool holds_any(struct span text, const struct literals *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (holds(text, l->text[i], l->len[i]))
			return true;
	return false;
}

/* A pattern under construction, with a text that it may well match. */
struct maker {
	uint32_t seed;
	struct buf pattern, sample;
	int groups;
};

static void put(struct maker *m, const char *pattern, const char *sample)
{
	assert_int_equal(buf_adds(&m->pattern, pattern), 0);
	assert_int_equal(buf_adds(&m->sample, sample), 0);
}

static void make_leaf(struct maker *m)
{
	static const char *const leaves[][2] = { { "a", "a" }, { "b", "b" },
		{ "C", "C" }, { "d", "d" }, { " ", " " }, { "ab", "ab" },
		{ "Cd", "Cd" }, { "[ab]", "b" }, { "[Cc]", "c" },
		{ "[^a]", "d" }, { "[a-d ]", "c" }, { "[]a-]", "-" },
		{ "[\\w.]", "." }, { "[[:alpha:]]", "d" }, { ".", "b" },
		{ "\\w", "a" }, { "\\d", "1" }, { "\\x61", "a" },
		{ "\\x{42}", "B" }, { "\\Qab\\E", "ab" }, { "\\Q*+\\E", "*+" },
		{ "\\.", "." }, { "\\b", "" }, { "^", "" }, { "$", "" },
		{ "(?i)", "" }, { "(?-i)", "" }, { "(?#a)", "" }, { "\\E", "" },
		{ "\\Q\\E", "" }, { "{", "{" }, { "a{b", "a{b" },
		{ "\\061", "1" }, { "\\R", "\n" }, { "\\n", "\n" },
		{ "\\K", "" } };
	uint32_t n = sizeof leaves / sizeof leaves[0];
	/* Plain letters as often as all the rest together. */
	uint32_t i = pick(&m->seed, 2) ? pick(&m->seed, 7) : pick(&m->seed, n);

	put(m, leaves[i][0], leaves[i][1]);
}

static void make_choice(struct maker *m, int depth);

/* A group whose body leaves no trace in the sample when it is looked at only,
 * or belongs to the branch not taken. */
static void make_silent(struct maker *m, int depth)
{
	size_t len = m->sample.len;

	make_choice(m, depth);
	m->sample.len = len;
	m->sample.p[len] = '\0';
}

static void make_group(struct maker *m, int depth)
{
	static const char *const opens[] = { "(?:", "(?>", "(?i:", "(?|",
		"(?s-m:", "(?^i:" };
	static const char *const looks[] = { "(?=", "(?!", "(?<=", "(?<!" };
	static const char *const calls[] = { "\\1", "\\g{1}", "\\g-1", "(?1)",
		"(?R)?" };
	char name[32];

	switch (pick(&m->seed, 8)) {
	case 0:
		put(m, looks[pick(&m->seed, 4)], "");
		make_silent(m, depth);
		break;
	case 1:
		snprintf(name, sizeof name, "(?<g%d>", ++m->groups);
		put(m, name, "");
		make_choice(m, depth);
		break;
	case 2:
		put(m, calls[pick(&m->seed, 5)], "");
		return;
	case 3:
		put(m, "(?(1)", "");
		make_silent(m, 1);
		put(m, "|", "");
		make_silent(m, 1);
		break;
	case 4:
		m->groups++;
		put(m, "(", "");
		make_choice(m, depth);
		break;
	default:
		put(m, opens[pick(&m->seed, 6)], "");
		make_choice(m, depth);
	}
	put(m, ")", "");
}

static void make_atom(struct maker *m, int depth)
{
	static const char *const many[] = { "*", "+", "?", "{2}", "{1,3}",
		"{2,}", "{0}", "{1,}", "*?", "+?", "??", "*+", "++", "?+",
		"{0,2}", "{2}{2}" };
	size_t from = m->sample.len, n;
	uint32_t i;

	if (depth > 0 && !pick(&m->seed, 3))
		make_group(m, depth - 1);
	else
		make_leaf(m);
	if (pick(&m->seed, 3))
		return;
	i = pick(&m->seed, 16);
	n = m->sample.len - from;
	put(m, many[i], "");
	/* Once more, or not at all, where the quantifier allows it. */
	if (many[i][0] == '{' && many[i][1] == '2') {
		assert_int_equal(buf_reserve(&m->sample, n), 0);
		assert_int_equal(buf_add(&m->sample, m->sample.p + from, n), 0);
	} else if (many[i][0] != '+' && many[i][1] != '1' &&
	    pick(&m->seed, 2)) {
		m->sample.len = from;
		if (m->sample.p)
			m->sample.p[from] = '\0';
	}
}

static void make_sequence(struct maker *m, int depth)
{
	for (uint32_t n = pick(&m->seed, 5) + (depth > 1); n; n--)
		make_atom(m, depth);
}

static void make_choice(struct maker *m, int depth)
{
	size_t from = m->sample.len;

	make_sequence(m, depth);
	while (!pick(&m->seed, 3)) {
		put(m, "|", "");
		if (pick(&m->seed, 2)) {
			make_silent(m, depth - 1);
		} else {
			m->sample.len = from;
			put(m, "", "");
			make_sequence(m, depth - 1);
		}
	}
}

/* Change a text a little: case, bytes lost, doubled, swapped, cut. */
static void mutate(uint32_t *seed, struct buf *b)
{
	static const char alphabet[] = "abCd ";
	uint32_t at;

	if (!b->len)
		return;
	at = pick(seed, (uint32_t)b->len);
	switch (pick(seed, 5)) {
	case 0:
		for (size_t i = 0; i < b->len; i++)
			if (fold((unsigned char)b->p[i]) >= 'a' &&
			    fold((unsigned char)b->p[i]) <= 'z')
				b->p[i] = (char)(b->p[i] ^ 0x20);
		break;
	case 1:
		memmove(b->p + at, b->p + at + 1, b->len - at);
		b->len--;
		break;
	case 2:
		b->p[at] = alphabet[pick(seed, 5)];
		break;
	case 3:
		b->len = at;
		b->p[at] = '\0';
		break;
	default:
		b->p[at] = (char)(b->p[at] ^ 0x20);
	}
}

struct tally {
	size_t tries, matches, proven; /* proven: with a set to look for */
};

static void check(const struct pattern *p, struct matcher *scratch,
    const struct literals *l, struct span text, struct tally *t)
{
	t->tries++;
	if (pattern_find(p, scratch, text, NULL) != 1)
		return;
	t->matches++;
	if (!l->n)
		return;
	t->proven++;
	if (!holds_any(text, l))
		fail_msg("'%.*s' matches but holds none of '%s' ...",
		    (int)text.n, text.p, l->text[0]);
}

static void check_pattern(
    struct maker *m, struct matcher *scratch, struct tally *t)
{
	struct pattern *p = pattern_new(m->pattern.p, NULL, NULL);
	struct buf text = BUF_INIT(BUF_MAX);
	struct literals l[3];

	assert_int_equal(literals_from_pattern(&l[0], m->pattern.p), 0);
	assert_int_equal(literals_from_exception(&l[1], m->pattern.p), 0);
	assert_int_equal(literals_beside(&l[2], m->pattern.p, false), 0);
	for (int i = 0; p && i < 8; i++) {
		buf_clear(&text);
		if (pick(&m->seed, 2))
			assert_int_equal(buf_adds(&text, "dCb a"), 0);
		assert_int_equal(buf_add(&text, m->sample.p, m->sample.len), 0);
		if (pick(&m->seed, 2))
			assert_int_equal(buf_adds(&text, "acB"), 0);
		for (int k = i / 2; k > 0; k--)
			mutate(&m->seed, &text);
		check(p, scratch, &l[i % 3], (struct span){ text.p, text.len },
		    t);
	}
	for (size_t i = 0; i < 3; i++)
		literals_release(&l[i]);
	pattern_free(p);
	buf_release(&text);
}

static void test_random_patterns(void **state)
{
	struct maker m = { .seed = 77,
		.pattern = BUF_INIT(BUF_MAX),
		.sample = BUF_INIT(BUF_MAX) };
	struct matcher *scratch = pattern_matcher_new(20000);
	struct tally t = { 0 };

	(void)state;
	assert_non_null(scratch);
	while (t.tries < 60000) {
		buf_clear(&m.pattern);
		buf_clear(&m.sample);
		m.groups = 0;
		make_choice(&m, 3);
		put(&m, "", "");
		check_pattern(&m, scratch, &t);
	}
	print_message("%zu tries, %zu matches, %zu with literals\n", t.tries,
	    t.matches, t.proven);
	assert_true(t.matches > 20000);
	assert_true(t.proven > 5000);
	pattern_matcher_free(scratch);
	buf_release(&m.pattern);
	buf_release(&m.sample);
}

struct check {
	struct matcher *scratch;
	struct tally tally;
};

/* A pattern, or the unless, that matches what it does not seem to may match. */
static void check_needs(const struct rule *r, size_t k, const struct pattern *p,
    struct matcher *scratch, struct span text)
{
	struct needs_seen seen;

	if (!p || pattern_find(p, scratch, text, NULL) != 1)
		return;
	needs_look(&seen, text);
	if (!needs_met(r, k, &seen))
		fail_msg("'%.*s' matches expression %zu of %s and lacks what "
			 "it needs",
		    (int)text.n, text.p, k, r->id);
}

/* Pattern k of a rule on each of the texts, and on what becomes of them. */
static void check_examples(const struct taxonomy *t, const struct rule *r,
    size_t k, const struct strings *texts, struct check *c)
{
	const struct pattern *p = taxonomy_pattern(t, r->first + k);
	struct buf b = BUF_INIT(BUF_MAX);
	uint32_t seed = (uint32_t)(r->first + k);
	struct literals l;

	assert_non_null(p);
	assert_int_equal(r->where == WHERE_EXCEPTION
		? literals_from_exception(&l, r->pattern.v[k])
		: literals_from_pattern(&l, r->pattern.v[k]),
	    0);
	for (size_t i = 0; i < texts->n; i++) {
		for (int round = 0; round < 12; round++) {
			buf_clear(&b);
			assert_int_equal(buf_adds(&b, texts->v[i]), 0);
			for (int n = round; n > 0; n -= 2)
				mutate(&seed, &b);
			check(p, c->scratch, &l, (struct span){ b.p, b.len },
			    &c->tally);
			check_needs(
			    r, k, p, c->scratch, (struct span){ b.p, b.len });
			check_needs(r, r->pattern.n,
			    taxonomy_unless(t, r->number), c->scratch,
			    (struct span){ b.p, b.len });
		}
	}
	literals_release(&l);
	buf_release(&b);
}

static void test_taxonomy(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);
	struct check c = { pattern_matcher_new(20000), { 0 } };

	(void)state;
	assert_non_null(t);
	assert_non_null(c.scratch);
	assert_true(t->n_rules > 0);
	for (size_t i = 0; i < t->n_patterns; i++) {
		const struct rule *r = taxonomy_rule_at(t, t->pattern_rule[i]);

		check_examples(t, r, i - r->first, &r->match, &c);
		check_examples(t, r, i - r->first, &r->no_match, &c);
	}
	print_message("%zu tries, %zu matches, %zu with literals\n",
	    c.tally.tries, c.tally.matches, c.tally.proven);
	assert_true(c.tally.matches > t->n_rules);
	pattern_matcher_free(c.scratch);
	taxonomy_free(t);
}

/* All parts of "error " stand in the first text, and the word does not. */
static void a_word_is_needed_as_it_is(void **state)
{
	char *words[] = { "\006error " };
	const struct rule r = { .needs = { .v = words, .n = 1 } };
	struct needs_seen seen;

	(void)state;
	needs_look(&seen, span_of("OSError: no such file or directory"));
	assert_false(needs_met(&r, 0, &seen));
	needs_look(&seen, span_of("ERROR or not"));
	assert_true(needs_met(&r, 0, &seen));
	/* its unless, of which nothing is known */
	assert_true(needs_met(&r, 1, &seen));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequences),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_quantifiers),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_random_patterns),
		cmocka_unit_test(test_taxonomy),
		cmocka_unit_test(a_word_is_needed_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
