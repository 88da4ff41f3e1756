/* What a person said of this attempt, whatever the answer is. */
#include "base/jsontext.h"
#include "base/when.h"
#include "reports/explain/explain_parts.h"
#include "reports/judge/judgement.h"

void explain_judged(struct page *p, const struct explain *x)
{
	const struct judged *j = x->judged;
	const struct category *c;
	char at[32];

	if (!j || !j->words)
		return;
	when_format(j->at / 1000000 * 1000000, at);
	page_add(p, STRONG);
	page_string(p, j->by ? j->by : "A person");
	page_add(p, PLAIN " said (%s)", at);
	if (j->category) {
		c = taxonomy_category(x->tax, j->category);
		page_add(p, ": " STRONG);
		page_string(p, c ? c->name : j->category);
		page_add(p, PLAIN);
	}
	if (j->verdict) {
		page_add(p, j->category ? ", verdict " : ": verdict ");
		page_string(p, j->verdict);
	}
	if (j->note) {
		page_add(p, ": ");
		page_string(p, j->note);
	}
	page_paragraph(p);
}

void explain_judged_json(struct jsontext *t, const struct judged *j)
{
	char at[32];

	if (!j || !j->words)
		return;
	when_format(j->at, at);
	jsontext_open(t, "judged", '{');
	jsontext_string(t, "category", j->category);
	jsontext_string(t, "verdict", j->verdict);
	jsontext_string(t, "note", j->note);
	jsontext_string(t, "by", j->by);
	jsontext_string(t, "at", at);
	jsontext_close(t, '}');
}
