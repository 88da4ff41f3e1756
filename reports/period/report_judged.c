/*
 * What persons said stands in the place of the answer: the attempt counts under
 * their category and verdict, and its reason says so. What the program had
 * answered is kept beside it.
 */
#include "reports/period/report_private.h"

#include "base/buf.h"
#include "reports/judge/judgement.h"
#include "reports/store/entry_private.h"

#include <string.h>

/* "By a person (anna): the node was sick. The answer was hang, retry: ..." */
static const char *reason_of(struct arena *p, const struct judged *said,
    const struct entry_judged *was, const char *reason)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *text = NULL;
	int rc = buf_adds(&b, "By a person");

	if (said->by)
		rc |= buf_addf(&b, " (%s)", said->by);
	if (said->note)
		rc |= buf_addf(&b, ": %s", said->note);
	rc |= buf_addf(&b, ". The answer was %s, %s%s%s", was->category,
	    taxonomy_verdict_name(was->verdict), reason && *reason ? ": " : "",
	    reason ? reason : "");
	if (!rc)
		text = entry_cut(p, (struct span){ b.p, b.len });
	buf_release(&b);
	return text;
}

static void set_category(
    struct entry *en, const char *id, const struct taxonomy *tax)
{
	const struct category *c = taxonomy_category(tax, id);

	en->category = c ? c->id : id;
	en->category_name = c ? c->name : NULL;
	en->dimension = c ? c->dimension : NULL;
	en->family = c ? c->family : NULL;
	en->failed = strcmp(id, "none") != 0;
	if (!en->failed)
		en->verdict = VERDICT_NONE;
}

static int apply(
    struct report_builder *b, struct entry *en, const struct judged *said)
{
	struct entry_judged *was = arena_memory(b->arena, sizeof *was);
	const char *reason;

	if (!was)
		return -1;
	*was = (struct entry_judged){
		.by = arena_string(b->arena, span_of(said->by)),
		.note = arena_string(b->arena, span_of(said->note)),
		.at = said->at,
		.category = en->category,
		.verdict = en->verdict,
		.of_category = said->category != NULL,
		.of_verdict = said->verdict != NULL,
	};
	reason = reason_of(b->arena, said, was, en->reason);
	if ((said->by && !was->by) || (said->note && !was->note) || !reason)
		return -1;
	en->reason = reason;
	en->judged = was;
	if (said->category)
		set_category(en,
		    arena_string(b->arena, span_of(said->category)), b->r->tax);
	if (said->verdict)
		en->verdict = (enum verdict)taxonomy_verdict(said->verdict);
	return en->category ? 0 : -1;
}

int report_judged(struct report_builder *b)
{
	struct judged said;

	for (size_t i = 0; i < b->n; i++) {
		struct entry *en = b->items[i].en;
		const struct entry_owner owner = { en->cluster, en->user,
			en->place };

		if (!judgements_find(
			b->judgements, en->job, en->attempt, &owner, &said) ||
		    (said.verdict && taxonomy_verdict(said.verdict) < 0))
			continue;
		if (apply(b, en, &said))
			return -1;
	}
	return 0;
}
