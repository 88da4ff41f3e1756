#include "diagnose/evidence/lastwords.h"

#include "diagnose/findings.h"
#include "diagnose/signals/facts.h"

#define LINES 20        /* from the end that are looked at */
#define REACH 16384u    /* bytes that these may have */
#define LONGEST 400u    /* bytes of what is kept */
#define LEAST_LETTERS 3 /* in a row: a word */

static bool has_word(struct span s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n && n < LEAST_LETTERS; i++) {
		char c = s.p[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		n = letter ? n + 1 : 0;
	}
	return n == LEAST_LETTERS;
}

void lastwords_keep(
    struct findings *f, const struct prefixes *prefixes, struct span text)
{
	size_t from = text.n > REACH ? text.n - REACH : 0, end = text.n;
	struct envelope env;
	struct span line;

	for (int i = 0; i < LINES; i++) {
		if (!facts_line_before(text, from, &end, &line))
			return;
		envelope_peel(prefixes, line, &env);
		if (!has_word(env.text))
			continue;
		f->last_words =
		    findings_dup(f, span_sub(span_trim(env.text), 0, LONGEST));
		return;
	}
}
