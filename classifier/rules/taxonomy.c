/*
 * What the rest of the program asks of a loaded taxonomy. It never changes
 * after loading, but for the compiled patterns: each is made on first use and
 * put in place by compare-and-swap, so that threads need no lock and a loser
 * throws its copy away.
 */
#include "rules/taxonomy.h"

#include "base/buf.h"
#include "base/hash.h"
#include "input/jsonkeys.h"
#include "input/prefixes.h"
#include "rules/parts.h"
#include "rules/pattern.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"

#include <stdlib.h>
#include <string.h>

static const char *const role_names[ROLE_COUNT] = {
	[ROLE_ROOT] = "root",
	[ROLE_CONSEQUENCE] = "consequence",
	[ROLE_CONFIRMATION] = "confirmation",
	[ROLE_CONTEXT] = "context",
	[ROLE_FALLBACK] = "fallback",
};

static const char *const where_names[WHERE_COUNT] = {
	[WHERE_LINE] = "line",
	[WHERE_EXCEPTION] = "exception",
	[WHERE_BLOCK] = "block",
	[WHERE_LAST] = "last",
};

static const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_RETRY] = "retry",
	[VERDICT_ADJUST] = "adjust",
	[VERDICT_STOP] = "stop",
	[VERDICT_UNDECIDED] = "undecided",
	[VERDICT_NONE] = "none",
};

const char *taxonomy_role_name(enum role r)
{
	return role_names[r];
}

const char *taxonomy_speaker_name(enum speaker s)
{
	static const char *const names[SPEAKER_COUNT] = {
		[SPEAKER_JOB] = "job",
		[SPEAKER_SCHEDULER] = "scheduler",
		[SPEAKER_KERNEL] = "kernel",
		[SPEAKER_RUNTIME] = "runtime",
	};

	return names[s];
}

const char *taxonomy_where_name(enum where w)
{
	return where_names[w];
}

const char *taxonomy_trust_name(enum declared_trust t)
{
	static const char *const names[DECLARED_TRUSTS] = {
		[DECLARED_HINT] = "hint",
		[DECLARED_TRUST] = "trust",
		[DECLARED_IGNORE] = "ignore",
	};

	return names[t];
}

const char *taxonomy_verdict_name(enum verdict v)
{
	return verdict_names[v];
}

int taxonomy_verdict(const char *s)
{
	for (int i = 0; i < VERDICT_COUNT; i++)
		if (!strcmp(verdict_names[i], s))
			return i;
	return -1;
}

void taxonomy_strings_release(struct strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	memset(s, 0, sizeof *s);
}

void taxonomy_category_release(struct category *c)
{
	parts_release(&parts_category, c);
}

void taxonomy_rule_release(struct rule *r)
{
	if (r->built_in == TAXONOMY_SITE)
		parts_release(&parts_rule, r);
}

void taxonomy_policy_release(struct policy_row *p)
{
	parts_release(&parts_policy, p);
}

void taxonomy_redaction_release(struct redaction *r)
{
	literals_release(&r->literals);
	parts_release(&parts_redaction, r);
}

void taxonomy_signal_release(struct signal *s)
{
	if (s->built_in == TAXONOMY_SITE)
		parts_release(&parts_signal, s);
}

static void free_slots(pattern_slot *slots, size_t n)
{
	if (!slots)
		return;
	for (size_t i = 0; i < n; i++)
		pattern_free(atomic_load(&slots[i]));
	free(slots);
}

static void free_content(struct taxonomy_full *full)
{
	struct taxonomy *t = &full->t;

	for (size_t i = 0; i < t->n_categories; i++)
		taxonomy_category_release(&t->categories[i]);
	for (size_t i = 0; i < full->n_read; i++)
		taxonomy_read_rule_release(&full->rules[i]);
	for (size_t i = 0; i < t->n_policy; i++)
		taxonomy_policy_release(&t->policy[i]);
	for (size_t i = 0; i < t->n_metrics; i++)
		trend_metric_release(&t->metrics[i]);
	for (size_t i = 0; i < t->n_trends; i++)
		trend_release(&t->trends[i]);
	taxonomy_strings_release(&t->validation);
	free(t->metrics);
	free(t->trends);
	for (size_t i = 0; i < t->n_redactions; i++)
		taxonomy_redaction_release(&t->redactions[i]);
	for (size_t i = 0; i < t->n_signals; i++)
		taxonomy_signal_release(&full->signals[i]);
	free(full->signals);
	free(t->signals);
	free(t->categories);
	free(full->rules);
	for (size_t i = 0; i < t->n_pieces; i++) {
		free(t->pieces[i].name);
		free(t->pieces[i].text);
	}
	free(t->pieces);
	free(t->pattern_rule);
	free(t->redactions);
	free(t->policy);
}

void taxonomy_free(struct taxonomy *t)
{
	struct taxonomy_full *full = (struct taxonomy_full *)t;

	if (!t)
		return;
	free_slots(full->pattern, t->n_patterns);
	free_slots(full->unless, t->n_rules);
	free_slots(full->redaction, t->n_redactions);
	free_slots(full->signal, t->n_signals);
	free_slots(full->signal_unless, t->n_signals);
	if (!full->image)
		free_content(full);
	prefixes_free(t->prefixes);
	jsonkeys_free(t->json_keys);
	taxonomy_late_free(full->late);
	free(full);
}

static int by_category_id(const void *id, const void *c)
{
	return strcmp(id, ((const struct category *)c)->id);
}

const struct category *taxonomy_category(
    const struct taxonomy *t, const char *id)
{
	if (!t->n_categories)
		return NULL;
	return bsearch(id, t->categories, t->n_categories,
	    sizeof *t->categories, by_category_id);
}

const struct rule *taxonomy_rule(const struct taxonomy *t, const char *id)
{
	size_t from = 0, to = t->n_rules;

	while (from < to) {
		size_t i = from + (to - from) / 2;
		const struct rule *r = taxonomy_rule_at(t, i);
		int order = strcmp(id, r->id);

		if (order == 0)
			return r;
		if (order < 0)
			to = i;
		else
			from = i + 1;
	}
	return NULL;
}

const struct rule *taxonomy_rule_at(const struct taxonomy *t, size_t i)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;

	return full->rules ? &full->rules[i].rule
			   : taxonomy_late_rule(full->late, i);
}

const struct signal *taxonomy_signal_make(const struct taxonomy *t, size_t i)
{
	return taxonomy_late_signal(((const struct taxonomy_full *)t)->late, i);
}

bool taxonomy_policy_conditional(const struct policy_row *p)
{
	return p->at_start || p->held_by_others || p->after_success ||
	    p->seen_with;
}

const struct policy_row *taxonomy_policy_from(
    const struct taxonomy *t, size_t i, const char *rule, const char *category)
{
	const char *want = rule ? rule : category;

	for (; want && i < t->n_policy; i++) {
		const struct policy_row *p = &t->policy[i];
		const char *id = rule ? p->rule : p->category;

		if (id && !taxonomy_policy_conditional(p) && !strcmp(id, want))
			return p;
	}
	return NULL;
}

const struct policy_row *taxonomy_policy(
    const struct taxonomy *t, const char *rule, const char *category)
{
	const struct policy_row *p =
	    rule ? taxonomy_policy_from(t, 0, rule, NULL) : NULL;

	return p ? p : taxonomy_policy_from(t, 0, NULL, category);
}

const struct pattern *taxonomy_pattern(const struct taxonomy *t, size_t i)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;
	const struct pattern *p = atomic_load(&full->pattern[i]);
	const struct rule *r;

	if (p)
		return p;
	r = taxonomy_rule_at(t, t->pattern_rule[i]);
	return pattern_late(&full->pattern[i], r->pattern.v[i - r->first]);
}

char *taxonomy_unless_text(const struct rule *r)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < r->unless.n && !rc; i++)
		rc = buf_addf(&b, i ? "|(?:%s)" : "(?:%s)", r->unless.v[i]);
	if (!rc)
		return b.p;
	buf_release(&b);
	return NULL;
}

const struct pattern *taxonomy_unless(const struct taxonomy *t, size_t i)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;
	const struct rule *r = taxonomy_rule_at(t, i);
	const struct pattern *p = atomic_load(&full->unless[i]);
	char *text;

	if (p || !r->unless.n)
		return p;
	text = taxonomy_unless_text(r);
	if (text)
		p = pattern_late(&full->unless[i], text);
	free(text);
	return p;
}

const struct pattern *taxonomy_redaction_pattern(
    const struct taxonomy *t, size_t i)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;

	return pattern_late(&full->redaction[i], t->redactions[i].pattern);
}

const struct pattern *taxonomy_signal_pattern(
    const struct taxonomy *t, size_t i)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;

	if (!taxonomy_signal_at(t, i)->pattern)
		return NULL;
	return pattern_late(
	    &full->signal[i], taxonomy_signal_at(t, i)->pattern);
}

const struct pattern *taxonomy_signal_unless(const struct taxonomy *t, size_t i)
{
	const struct taxonomy_full *full = (const struct taxonomy_full *)t;

	if (!taxonomy_signal_at(t, i)->unless)
		return NULL;
	return pattern_late(
	    &full->signal_unless[i], taxonomy_signal_at(t, i)->unless);
}

const struct signal *taxonomy_signal(const struct taxonomy *t, const char *id)
{
	for (size_t i = 0; i < t->n_signals; i++)
		if (!strcmp(taxonomy_signal_at(t, i)->id, id))
			return taxonomy_signal_at(t, i);
	return NULL;
}

/* They are few, and in the order in which they were written. */
const struct redaction *taxonomy_redaction(
    const struct taxonomy *t, const char *id)
{
	for (size_t i = 0; i < t->n_redactions; i++)
		if (!strcmp(t->redactions[i].id, id))
			return &t->redactions[i];
	return NULL;
}

/*
 * The hash of every field that can change an answer, each with its length
 * before it, so that no two contents run together. Examples and places are
 * left out.
 */
static void hash_number(struct hash *h, uint64_t n)
{
	unsigned char s[8];

	for (int i = 0; i < 8; i++)
		s[i] = (unsigned char)(n >> 8 * i);
	hash_add(h, s, sizeof s);
}

static void hash_text(struct hash *h, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	hash_number(h, s ? n : UINT64_MAX);
	hash_add(h, s ? s : "", n);
}

static void hash_digest(struct hash *h, struct hash_value v)
{
	hash_number(h, v.low);
	hash_number(h, v.high);
}

static void hash_strings(struct hash *h, const struct strings *s)
{
	hash_number(h, s->n);
	for (size_t i = 0; i < s->n; i++)
		hash_text(h, s->v[i]);
}

static void hash_category(struct hash *h, const struct category *c)
{
	hash_text(h, c->id);
	hash_text(h, c->name);
	hash_text(h, c->dimension);
	hash_text(h, c->family);
	hash_text(h, c->description);
	hash_number(h, c->in_study);
	hash_number(h, c->verdict);
	hash_strings(h, &c->remedies);
	hash_strings(h, &c->when);
	hash_strings(h, &c->references);
	hash_strings(h, &c->follows);
}

static void hash_rule(
    struct hash *h, const struct taxonomy *t, const struct rule *r)
{
	hash_text(h, r->id);
	hash_text(h, r->title);
	hash_text(h,
	    r->category == TAXONOMY_NO_CATEGORY
		? NULL
		: t->categories[r->category].id);
	hash_number(h, r->role);
	hash_number(h, r->where);
	hash_number(h, r->generic);
	hash_number(h, r->weight);
	hash_number(h, r->unexplained);
	hash_number(h, r->lasting);
	hash_number(h, r->alone);
	hash_number(h, r->ends_process);
	hash_number(h, (uint64_t)r->confidence);
	hash_number(h, r->word_of);
	hash_strings(h, &r->pattern);
	hash_strings(h, &r->unless);
	hash_text(h, r->within);
	hash_number(h, r->within_lines);
	hash_text(h, r->until);
	hash_number(h, r->sources);
	hash_strings(h, &r->extract);
	hash_strings(h, &r->key);
	hash_strings(h, &r->follows);
	hash_strings(h, &r->raised_in);
	hash_number(h, (uint64_t)(int64_t)r->verdict);
	hash_strings(h, &r->remedies);
	hash_strings(h, &r->meanings);
	hash_strings(h, &r->references);
	hash_text(h, r->since);
}

static void hash_factor(struct hash *h, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof bits);
	hash_number(h, bits);
}

static void hash_policy(struct hash *h, const struct policy_row *p)
{
	hash_text(h, p->category);
	hash_text(h, p->rule);
	hash_text(h, p->seen_with);
	hash_number(h, p->verdict);
	hash_text(h, p->reason);
	hash_factor(h, p->memory_factor);
	hash_factor(h, p->time_factor);
	hash_factor(h, p->backoff);
	hash_number(h, p->at_start);
	hash_number(h, p->held_by_others);
	hash_number(h, p->after_success);
	hash_number(h, p->exclude_nodes);
	hash_number(h, p->from_checkpoint);
	hash_number(h, (uint64_t)(int64_t)p->stop_needs);
	hash_number(h, (uint64_t)p->delay_seconds);
	hash_number(h, (uint64_t)p->max_delay_seconds);
	hash_number(h, (uint64_t)p->retries);
	hash_number(h, p->repeats);
}

static void hash_trends(struct hash *h, const struct taxonomy *t)
{
	for (size_t i = 0; i < t->n_metrics; i++) {
		const struct metric *m = &t->metrics[i];

		hash_text(h, m->id);
		hash_text(h, m->title);
		hash_number(h, m->kind);
		hash_text(h, m->validation);
		hash_strings(h, &m->names);
		hash_strings(h, &m->units);
	}
	for (size_t i = 0; i < t->n_trends; i++) {
		const struct trend *r = &t->trends[i];

		hash_text(h, r->id);
		hash_text(h, r->title);
		hash_text(h, r->metric);
		hash_number(h, r->test);
		hash_text(h, r->beside);
		hash_text(h, r->unless);
		for (size_t k = 0; k < TREND_VALUES; k++)
			hash_factor(h, r->v[k]);
		hash_strings(h, &r->advice);
		hash_strings(h, &r->references);
	}
	hash_strings(h, &t->validation);
}

static void hash_redaction(struct hash *h, const struct redaction *r)
{
	hash_text(h, r->id);
	hash_text(h, r->title);
	hash_text(h, r->option);
	hash_text(h, r->pattern);
	hash_number(h, r->word);
}

static void hash_signal(struct hash *h, const struct signal *s)
{
	hash_text(h, s->id);
	hash_number(h, s->kind);
	hash_text(h, s->pattern);
	hash_text(h, s->unless);
	hash_text(h, s->name);
	hash_strings(h, &s->is);
	hash_strings(h, &s->any);
	hash_strings(h, &s->starts);
	hash_strings(h, &s->ends);
	for (size_t i = 0; i < SIGNAL_KEYS; i++)
		hash_number(h, (uint64_t)(int64_t)s->tells[i]);
}

/* Rules and signals are nearly all there is to hash. Those that are built in
 * bring their digests along. */
static void set_digests(struct taxonomy_full *full, struct hash *h)
{
	struct taxonomy *t = &full->t;

	for (size_t i = 0; full->rules && i < t->n_rules; i++) {
		struct rule *r = &full->rules[i].rule;

		if (r->built_in != TAXONOMY_SITE)
			continue;
		hash_reset(h);
		hash_rule(h, t, r);
		r->digest = hash_end(h);
	}
	for (size_t i = 0; full->signals && i < t->n_signals; i++) {
		struct signal *s = &full->signals[i];

		if (s->built_in != TAXONOMY_SITE)
			continue;
		hash_reset(h);
		hash_signal(h, s);
		s->digest = hash_end(h);
	}
	hash_reset(h);
}

int taxonomy_set_hash(struct taxonomy *t)
{
	struct hash *h = hash_new();

	if (!h)
		return -1;
	set_digests((struct taxonomy_full *)t, h);
	hash_number(h, t->n_categories);
	for (size_t i = 0; i < t->n_categories; i++)
		hash_category(h, &t->categories[i]);
	hash_number(h, t->n_rules);
	for (size_t i = 0; i < t->n_rules; i++)
		hash_digest(h, taxonomy_rule_at(t, i)->digest);
	hash_number(h, t->n_policy);
	for (size_t i = 0; i < t->n_policy; i++)
		hash_policy(h, &t->policy[i]);
	hash_number(h, (uint64_t)t->budgets.same_cause);
	hash_number(h, (uint64_t)t->budgets.same_place);
	hash_number(h, (uint64_t)t->budgets.total);
	hash_number(h, (uint64_t)t->node_window);
	hash_number(h, (uint64_t)t->stop_needs);
	hash_number(h, (uint64_t)t->declared);
	hash_trends(h, t);
	hash_number(h, t->n_redactions);
	for (size_t i = 0; i < t->n_redactions; i++)
		hash_redaction(h, &t->redactions[i]);
	hash_number(h, t->n_signals);
	for (size_t i = 0; i < t->n_signals; i++)
		hash_digest(h, taxonomy_signal_at(t, i)->digest);
	hash_hex(hash_end(h), t->hash);
	hash_free(h);
	return 0;
}
