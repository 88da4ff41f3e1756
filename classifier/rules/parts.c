#include "rules/parts.h"

#include "base/text.h"
#include "rules/taxonomy_private.h"

#include <stdlib.h>
#include <string.h>

#define RULE(f) offsetof(struct rule, f)
#define CATEGORY(f) offsetof(struct category, f)
#define POLICY(f) offsetof(struct policy_row, f)
#define METRIC(f) offsetof(struct metric, f)
#define TREND(f) offsetof(struct trend, f)
#define REDACTION(f) offsetof(struct redaction, f)
#define SIGNAL(f) offsetof(struct signal, f)

const struct parts parts_rule = { sizeof(struct rule), RULE(id),
	{ RULE(title), RULE(within), RULE(until), RULE(since), RULE(file) },
	{ RULE(pattern), RULE(unless), RULE(needs), RULE(extract), RULE(key),
	    RULE(follows), RULE(raised_in), RULE(meanings), RULE(remedies),
	    RULE(references), RULE(match), RULE(no_match) } };
const struct parts parts_category = { sizeof(struct category), CATEGORY(id),
	{ CATEGORY(name), CATEGORY(dimension), CATEGORY(family),
	    CATEGORY(description) },
	{ CATEGORY(remedies), CATEGORY(when), CATEGORY(references),
	    CATEGORY(follows) } };
const struct parts parts_policy = { sizeof(struct policy_row), POLICY(category),
	{ POLICY(rule), POLICY(seen_with), POLICY(reason), POLICY(file) },
	{ 0 } };
const struct parts parts_metric = { sizeof(struct metric), METRIC(id),
	{ METRIC(title), METRIC(validation) },
	{ METRIC(names), METRIC(units) } };
const struct parts parts_trend = { sizeof(struct trend), TREND(id),
	{ TREND(title), TREND(metric), TREND(beside), TREND(unless),
	    TREND(file) },
	{ TREND(advice), TREND(references) } };
const struct parts parts_redaction = { sizeof(struct redaction), REDACTION(id),
	{ REDACTION(title), REDACTION(option), REDACTION(pattern),
	    REDACTION(file) },
	{ REDACTION(secret), REDACTION(clean) } };
const struct parts parts_signal = { sizeof(struct signal), SIGNAL(id),
	{ SIGNAL(title), SIGNAL(name), SIGNAL(pattern), SIGNAL(unless),
	    SIGNAL(file) },
	{ SIGNAL(is), SIGNAL(any), SIGNAL(starts), SIGNAL(ends), SIGNAL(fixed),
	    SIGNAL(match), SIGNAL(no_match) } };

bool parts_own_text(char **text)
{
	*text = *text ? span_dup(span_of(*text)) : NULL;
	return *text;
}

bool parts_own_list(struct strings *s)
{
	struct strings from = *s;

	*s = (struct strings){ calloc(from.n + 1, sizeof *s->v), 0 };
	while (s->v && s->n < from.n) {
		s->v[s->n] = from.v[s->n];
		if (!parts_own_text(&s->v[s->n++]))
			return false;
	}
	return s->v;
}

bool parts_own(const struct parts *p, void *entry)
{
	char *at = entry;
	bool fine = true;

	for (size_t i = 0, f = p->id; !i || f; f = p->texts[i++]) {
		char **text = (char **)(void *)(at + f);
		bool given = *text;

		fine &= parts_own_text(text) == given;
	}
	for (size_t i = 0; p->lists[i]; i++)
		fine &= parts_own_list(
		    (struct strings *)(void *)(at + p->lists[i]));
	return fine;
}

static char *text_at(const char *texts, size_t place)
{
	return place ? (char *)texts + place : NULL;
}

void parts_place(const struct parts *p, void *entry, const char *texts,
    const uint32_t *lists, char ***room)
{
	char *at = entry;

	for (size_t i = 0, f = p->id; !i || f; f = p->texts[i++]) {
		char **text = (char **)(void *)(at + f);

		*text = text_at(texts, (size_t)(uintptr_t)*text);
	}
	for (size_t i = 0; p->lists[i]; i++) {
		struct strings *s =
		    (struct strings *)(void *)(at + p->lists[i]);
		const uint32_t *from = lists + (size_t)(uintptr_t)s->v;

		s->v = s->n ? *room : NULL;
		for (size_t k = 0; k < s->n; k++)
			*(*room)++ = text_at(texts, from[k]);
	}
}

void parts_release(const struct parts *p, void *entry)
{
	char *at = entry;

	for (size_t i = 0, f = p->id; !i || f; f = p->texts[i++])
		free(*(char **)(void *)(at + f));
	for (size_t i = 0; p->lists[i]; i++)
		taxonomy_strings_release(
		    (struct strings *)(void *)(at + p->lists[i]));
	memset(entry, 0, p->size);
}
