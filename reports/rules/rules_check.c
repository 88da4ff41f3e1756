/*
 * Advice on rules that load and pass their examples, but cost time, blur
 * fingerprints, or claim what another category claims. Who wins an example is
 * not guessed: it is scanned and ranked as a job of its own.
 */
#include "reports/rules/rules.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/decision/rank.h"
#include "diagnose/diagnosis.h"
#include "reports/output/object.h"
#include "reports/rules/rules_attack.h"
#include "reports/rules/rules_example.h"
#include "reports/rules/rules_regex.h"
#include "rules/pattern.h"
#include "rules/rarity.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 5   /* a literal under this many bytes needs a slower pass */
#define HOT 12    /* bits of surprise under which a literal is everywhere */
#define RIVALS 16 /* rules that are seen in one rule's examples */
#define LONG 240  /* bytes of an expression that nobody reads */
#define QUOTE 100 /* bytes shown of an example */
#define CODE 3    /* digits of a number that is a code, not a count */
#define HEX 8     /* hexadecimal digits that are an address or a hash */

struct check {
	const struct taxonomy *tax;
	bool site; /* only the rules of overlays */
	struct rarity rarity;
	struct scan *scan;
	struct matcher *matcher;
	bool json;
	FILE *f;            /* where warnings go, */
	struct object list; /* with json: where they are put */
	const struct rule *rule;
	struct rule
	    as_rule; /* a redaction or signal, as far as warnings name it */
	size_t warnings;
};

/* Another category's rule that an example of this one shows too. */
struct rival {
	const struct rule *rule;
	size_t wins, seen;
	const char *text; /* the first example it wins, or shows in */
	const char *last; /* the last one counted */
};

struct rivals {
	struct rival v[RIVALS];
	size_t n;
};

/* ---- telling ---- */

static struct json *warning_json(
    const struct rule *r, const char *kind, const char *text)
{
	struct object o = object_new();

	object_string(&o, "rule", r->id);
	object_string(&o, "kind", kind);
	object_string(&o, "file", r->file);
	object_int(&o, "line", r->line);
	object_string(&o, "text", text);
	return object_done(&o);
}

static int warn(struct check *c, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int warn(struct check *c, const char *kind, const char *fmt, ...)
{
	struct buf shown = BUF_INIT(BUF_MAX);
	char text[1024];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->warnings++;
	rc = text_visible(&shown, span_of(text));
	if (!rc && c->json)
		object_add(&c->list, warning_json(c->rule, kind, shown.p));
	else if (!rc)
		fprintf(c->f, "%s:%u: rule %s: %s\n", c->rule->file,
		    c->rule->line, c->rule->id, shown.p);
	buf_release(&shown);
	return rc;
}

/* ---- cost ---- */

/* The literal of a rule that other lines hold most often, or NULL. */
static const char *commonest(
    const struct rarity *rarity, const struct literals *l, int *bits)
{
	const char *worst = NULL;

	*bits = 0;
	for (size_t i = 0; i < l->n; i++) {
		int b = 0;

		if (l->len[i] >= 2)
			(void)rarity_window(rarity, l->text[i], l->len[i], &b);
		if (!worst || b < *bits) {
			worst = l->text[i];
			*bits = b;
		}
	}
	return worst;
}

/* How a warning names one of a rule's patterns: not, where it is the only one.
 */
struct about {
	char text[32];
};

static struct about about(const struct rule *r, size_t k)
{
	struct about a = { "" };

	if (r->pattern.n > 1)
		snprintf(a.text, sizeof a.text, "pattern %zu: ", k + 1);
	return a;
}

static int tell_literals(
    struct check *c, const struct literals *l, const char *about)
{
	int bits;
	const char *literal = commonest(&c->rarity, l, &bits);

	if (!literal)
		return warn(c, "no_literal",
		    "%sno fixed text that every match contains: it is run on "
		    "every line",
		    about);
	if (l->least < SHORT)
		return warn(c, "short_literal",
		    "%sthe fixed text '%s' is under %d bytes: it is run on "
		    "very many lines",
		    about, literal, SHORT);
	if (bits < HOT)
		return warn(c, "hot_literal",
		    "%sthe fixed text '%s' stands in many lines (%d bits)",
		    about, literal, bits);
	return 0;
}

static int check_literals(struct check *c, size_t k)
{
	const struct rule *r = c->rule;
	struct literals l;
	int rc;

	if (r->where == WHERE_LAST)
		return 0;
	if (literals_from_pattern(&l, r->pattern.v[k]))
		return -1;
	rc = tell_literals(c, &l, about(r, k).text);
	literals_release(&l);
	return rc;
}

static int check_shape(struct check *c)
{
	const struct rule *r = c->rule;
	struct rules_regex shape = { false, false };

	for (size_t k = 0; k < r->pattern.n; k++) {
		struct rules_regex one = rules_regex_read(r->pattern.v[k]);

		shape.nested |= one.nested;
		shape.skips |= one.skips;
	}
	for (size_t k = 0; k < r->unless.n; k++)
		shape.nested |= rules_regex_read(r->unless.v[k]).nested;
	if (shape.nested &&
	    warn(c, "nested_quantifier",
		"a quantifier over a quantifier can take very long"))
		return -1;
	if (shape.skips &&
	    warn(c, "leading_skip",
		"it begins with an unbounded skip, which is tried from "
		"every place of a line"))
		return -1;
	if (r->longest > LONG)
		return warn(c, "long_pattern",
		    "an expression of %zu bytes, over %d, is hard to read: "
		    "give a list of shorter ones",
		    r->longest, LONG);
	return 0;
}

static int check_cost(struct check *c)
{
	for (size_t k = 0; k < c->rule->pattern.n; k++)
		if (check_literals(c, k))
			return -1;
	return check_shape(c);
}

/* ---- what enters the fingerprint ---- */

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool is_hex(char ch)
{
	return is_digit(ch) || (ch >= 'a' && ch <= 'f') ||
	    (ch >= 'A' && ch <= 'F');
}

static bool is_word(char ch)
{
	return is_digit(ch) || (ch >= 'a' && ch <= 'z') ||
	    (ch >= 'A' && ch <= 'Z');
}

/* What in a value differs between two runs of one failure, or NULL. */
static const char *noise(struct span v)
{
	if (v.n && v.p[0] == '/')
		return "a path";
	for (size_t i = 0; i < v.n;) {
		size_t from = i, digits = 0, hex = 0;

		for (; i < v.n && is_word(v.p[i]); i++) {
			digits += is_digit(v.p[i]);
			hex += is_hex(v.p[i]);
		}
		if (i - from > 2 && v.p[from] == '0' && v.p[from + 1] == 'x' &&
		    hex + 1 == i - from)
			return "an address";
		if (digits > CODE && digits == i - from)
			return "a number";
		if (hex >= HEX && hex == i - from && digits)
			return "a hash";
		i += i == from;
	}
	return NULL;
}

/* Warn when what a pattern takes for a key from an example is noise: 1. */
static int check_key(
    struct check *c, const char *key, const struct pattern *p, const char *text)
{
	int g = pattern_group(p, key);
	struct pattern_match m;
	const char *what;
	struct span v;

	if (g < 0 || pattern_find(p, c->matcher, span_of(text), &m) != 1 ||
	    g >= m.n || !m.group[g].p)
		return 0;
	v = span_sub(m.group[g], 0, QUOTE);
	what = noise(v);
	if (!what)
		return 0;
	return warn(c, "key_noise",
		   "key '%s' takes %s into the fingerprint: '%.*s'", key, what,
		   (int)v.n, v.p)
	    ? -1
	    : 1;
}

static int check_keys(struct check *c)
{
	const struct rule *r = c->rule;
	size_t n = r->pattern.n * r->match.n;

	for (size_t k = 0; k < r->key.n; k++) {
		int rc = 0;

		for (size_t i = 0; i < n && !rc; i++)
			rc = check_key(c, r->key.v[k],
			    taxonomy_pattern(
				c->tax, r->first + i % r->pattern.n),
			    r->match.v[i / r->pattern.n]);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* ---- whose example it is ---- */

static bool specific_root(const struct rule *r)
{
	return r->role == ROLE_ROOT && !r->generic;
}

static struct rival *rival_for(
    struct rivals *rivals, const struct rule *r, const char *text)
{
	size_t i = 0;

	while (i < rivals->n && rivals->v[i].rule != r)
		i++;
	if (i == RIVALS)
		return NULL;
	if (i == rivals->n)
		rivals->v[rivals->n++] =
		    (struct rival){ .rule = r, .text = text };
	return &rivals->v[i];
}

/* Scan and rank one example, and note the rules of other categories. */
static int meet(
    struct check *c, const char *text, struct rivals *rivals, struct err *e)
{
	struct findings **logs = calloc(1, sizeof *logs), *f;
	struct diagnosis d;
	struct rival *rival;
	int rc;

	if (!logs)
		return err_nomem(e);
	f = rules_example_scan(c->scan, c->rule, text, e);
	if (!f) {
		free(logs);
		return -1;
	}
	logs[0] = f;
	if (diagnosis_init(&d, "example", 1, logs, 1, e))
		return -1;
	rc = rank_job(&d, c->tax, e);
	for (size_t i = 0; i < f->n_evidence && !rc; i++) {
		const struct rule *b = f->evidence[i].rule;

		if (b->category == c->rule->category ||
		    (b != d.rule && !specific_root(b)))
			continue;
		rival = rival_for(rivals, b, text);
		if (!rival || rival->last == text)
			continue;
		if (b == d.rule && rival->wins == 0)
			rival->text = text;
		rival->last = text;
		rival->seen++;
		rival->wins += b == d.rule;
	}
	diagnosis_release(&d);
	return rc;
}

static int tell_rival(struct check *c, const struct rival *rival)
{
	const struct rule *a = c->rule, *b = rival->rule;
	const char *category = c->tax->categories[b->category].id;
	struct span quote = span_sub(span_of(rival->text), 0, QUOTE);

	if (rival->wins == a->match.n)
		return warn(c, "shadowed",
		    "%s (%s) wins every one of its match examples", b->id,
		    category);
	/* that others beat it is what generic means */
	if (a->generic)
		return 0;
	if (rival->wins)
		return warn(c, "beaten",
		    "%s (%s) wins %zu of its %zu match examples: '%.*s'", b->id,
		    category, rival->wins, a->match.n, (int)quote.n, quote.p);
	return warn(c, "overlap",
	    "%s (%s) matches %zu of its %zu match examples: '%.*s'", b->id,
	    category, rival->seen, a->match.n, (int)quote.n, quote.p);
}

static int check_rivals(struct check *c, struct err *e)
{
	const struct rule *r = c->rule;
	struct rivals rivals = { .n = 0 };

	if (!rules_example_alone(r) || r->role == ROLE_FALLBACK)
		return 0;
	for (size_t i = 0; i < r->match.n; i++)
		if (meet(c, r->match.v[i], &rivals, e))
			return -1;
	for (size_t i = 0; i < rivals.n; i++)
		if (tell_rival(c, &rivals.v[i]))
			return err_nomem(e);
	return 0;
}

/* ---- patterns without an example ---- */

static int tell_unreached(struct check *c, const bool *reached)
{
	const struct rule *r = c->rule;
	struct buf list = BUF_INIT(BUF_MAX);
	size_t n = 0;
	int rc = 0;

	for (size_t k = 0; k < r->pattern.n && !rc; k++)
		if (!reached[k])
			rc = buf_addf(&list, n++ ? ", %zu" : "%zu", k + 1);
	if (!rc && n)
		rc = warn(c, "unreached",
		    "no match example shows %zu of its %zu patterns: %s", n,
		    r->pattern.n, list.p);
	buf_release(&list);
	return rc;
}

static int check_reached(struct check *c, struct err *e)
{
	const struct rule *r = c->rule;
	bool *reached;
	int rc = 0;

	if (r->pattern.n < 2)
		return 0;
	reached = calloc(r->pattern.n, sizeof *reached);
	if (!reached)
		return err_nomem(e);
	for (size_t i = 0; i < r->match.n && rc >= 0; i++)
		rc = rules_example_seen(
		    c->scan, c->matcher, c->tax, r, r->match.v[i], reached, e);
	rc = rc < 0 ? -1 : 0;
	if (!rc && tell_unreached(c, reached))
		rc = err_nomem(e);
	free(reached);
	return rc;
}

/* ---- work that a line can make ---- */

struct target {
	const struct pattern *p;
	const char *front;              /* what it is not run without */
	const struct strings *examples; /* whose near misses are tried */
	unsigned runs; /* of expressions on a line that it is run on */
};

/* who: of several expressions which. */
static int attack(struct check *c, const struct target *t,
    const char *expression, const char *who)
{
	struct rules_regex shape = rules_regex_read(expression);
	struct rules_attack worst = { .times = 0 };
	unsigned times;

	if (shape.nested || shape.skips)
		return 0; /* told already */
	if (!t->p ||
	    rules_attack_find(
		t->p, expression, t->front, t->examples, c->matcher, &worst))
		return -1;
	times = (unsigned)(worst.times / 10 / t->runs);
	if (times <= RULES_ATTACK_MOST)
		return 0;
	return warn(c, "attack",
	    "%sa line that repeats '%s' takes %u times as long as an ordinary "
	    "one",
	    who, worst.text, times);
}

/* What must not match is run where the pattern has matched: on an example with
 * more behind it, which the pattern was run on, too. */
static int attack_unless(struct check *c, const struct pattern *p)
{
	const struct rule *r = c->rule;
	const struct target t = { p, r->match.n ? r->match.v[0] : "",
		&r->no_match, 2 };
	int rc = 0;

	for (size_t i = 0; i < r->unless.n && !rc; i++)
		rc = attack(c, &t, r->unless.v[i], "unless: ");
	return rc;
}

static int check_attack(struct check *c)
{
	const struct rule *r = c->rule;

	for (size_t i = 0; i < r->pattern.n; i++) {
		struct literals l = { 0 };
		int rc = literals_from_pattern(&l, r->pattern.v[i]);
		const struct target t = { taxonomy_pattern(
					      c->tax, r->first + i),
			l.n ? l.text[0] : "", &r->match, 1 };

		rc = rc || attack(c, &t, r->pattern.v[i], about(r, i).text);
		literals_release(&l);
		if (rc)
			return -1;
	}
	return attack_unless(c, taxonomy_unless(c->tax, r->number));
}

/* A signal that lines are looked through for, of any length. */
static int attack_signal(
    struct check *c, size_t i, const struct literals *literals)
{
	const struct signal *s = taxonomy_signal_at(c->tax, i);
	const struct target t = { taxonomy_signal_pattern(c->tax, i),
		literals->n ? literals->text[0] : "", &s->match, 1 };

	if (s->pattern && attack(c, &t, s->pattern, ""))
		return -1;
	c->as_rule.match = s->match;
	c->as_rule.no_match = s->no_match;
	return attack_unless(c, taxonomy_signal_unless(c->tax, i));
}

/* ---- all of it ---- */

/* They cost less than rules: they see only what is shown. */
static int check_redactions(struct check *c, struct err *e)
{
	for (size_t i = 0; i < c->tax->n_redactions; i++) {
		const struct redaction *r = &c->tax->redactions[i];
		int rc = 0;

		c->as_rule = (struct rule){
			.id = r->id, .file = r->file, .line = r->line
		};
		c->rule = &c->as_rule;
		if (!taxonomy_redaction_pattern(c->tax, i))
			return err_set(e, "%s:%u: redaction %s: bad pattern",
			    r->file, r->line, r->id);
		if (c->site && !r->site)
			continue;
		if (!r->literals.n && !r->word)
			rc = warn(c, "no_literal",
			    "no fixed text that every match contains: it is "
			    "run on every text that is shown");
		if (!rc && rules_regex_read(r->pattern).nested)
			rc = warn(c, "nested_quantifier",
			    "a quantifier over a quantifier can take very "
			    "long");
		if (rc)
			return err_nomem(e);
	}
	return 0;
}

/* Those that lines are looked through for cost as much as a rule. */
static int check_signals(struct check *c, struct err *e)
{
	for (size_t i = 0; i < c->tax->n_signals; i++) {
		const struct signal *s = taxonomy_signal_at(c->tax, i);
		struct literals l = { 0 };
		int rc = 0;

		c->as_rule = (struct rule){ .id = s->id,
			.file = s->file,
			.line = s->line,
			.pattern = { (char **)&s->pattern, s->pattern != NULL },
			.unless = { (char **)&s->unless, s->unless != NULL } };
		c->rule = &c->as_rule;
		if ((s->pattern && !taxonomy_signal_pattern(c->tax, i)) ||
		    (s->unless && !taxonomy_signal_unless(c->tax, i)))
			return err_set(e, "%s:%u: signal %s: bad pattern",
			    s->file, s->line, s->id);
		if (c->site && !s->site)
			continue;
		if (signal_hit(s))
			rc = signal_read_literals(s, &l) ||
			    tell_literals(c, &l, "") || attack_signal(c, i, &l);
		literals_release(&l);
		/* a path is short */
		if (rc || (s->kind != SIGNAL_LAYOUT && check_shape(c)))
			return err_nomem(e);
	}
	return 0;
}

static bool compiles(const struct taxonomy *tax, const struct rule *r)
{
	for (size_t k = 0; k < r->pattern.n; k++)
		if (!taxonomy_pattern(tax, r->first + k))
			return false;
	return !r->unless.n || taxonomy_unless(tax, r->number);
}

static int check_rules(struct check *c, struct err *e)
{
	for (size_t i = 0; i < c->tax->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(c->tax, i);

		c->rule = r;
		if (!compiles(c->tax, r))
			return err_set(e, "%s:%u: rule %s: bad pattern",
			    r->file, r->line, r->id);
		if (c->site && !r->site)
			continue;
		if (check_cost(c) || check_keys(c) || check_attack(c))
			return err_nomem(e);
		if (check_rivals(c, e) || check_reached(c, e))
			return -1;
	}
	return 0;
}

/* The literal of all of a rule's patterns that other lines hold most often. */
static void put_rarity(
    struct object *o, const struct check *c, const struct rule *r)
{
	struct json *text = NULL;
	int least = 0;

	for (size_t k = 0; k < r->pattern.n; k++) {
		struct literals l;
		const char *one;
		int bits;

		if (literals_from_pattern(&l, r->pattern.v[k]))
			break;
		one = commonest(&c->rarity, &l, &bits);
		if (!text || !one || bits < least) {
			json_free(text);
			text = json_new_string(one);
			least = bits;
		}
		literals_release(&l);
		if (!one)
			break;
	}
	object_put(o, "bits", r->least ? json_new_int(least) : json_new_null());
	object_put(o, "literal", text);
}

static int write_json(struct check *c, FILE *f, struct err *e)
{
	struct object o = object_new(), rare = object_new_array();

	object_total(&o, "categories", c->tax->n_categories);
	object_total(&o, "rules", c->tax->n_rules);
	object_put(&o, "warnings", object_done(&c->list));
	for (size_t i = 0; i < c->tax->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(c->tax, i);
		struct object one = object_new();

		object_string(&one, "rule", r->id);
		put_rarity(&one, c, r);
		object_add(&rare, object_done(&one));
	}
	object_put(&o, "literals", object_done(&rare));
	return object_print(&o, f, e);
}

int rules_check(const struct taxonomy *tax, const struct limits *limits,
    bool site, bool json, FILE *f, struct err *e)
{
	struct engine *en = engine_new(tax, limits, true, e);
	struct check c = { .tax = tax, .site = site, .json = json, .f = f };
	int rc = -1;

	if (!en)
		return -1;
	rarity_init(&c.rarity);
	c.scan = scan_new(en, e);
	c.matcher = pattern_matcher_new(limits->v[LIMIT_MATCH]);
	if (json)
		c.list = object_new_array();
	if (!c.scan)
		goto out;
	if (!c.matcher) {
		err_nomem(e);
		goto out;
	}
	if (check_rules(&c, e) || check_redactions(&c, e) ||
	    check_signals(&c, e))
		goto out;
	rc = c.warnings ? 1 : 0;
	if (!json)
		fprintf(f,
		    "%zu categories, %zu rules, %zu redactions, "
		    "%zu signals, %zu warnings\n",
		    tax->n_categories, tax->n_rules, tax->n_redactions,
		    tax->n_signals, c.warnings);
	else if (write_json(&c, f, e))
		rc = -1;
out:
	json_free(object_done(&c.list));
	pattern_matcher_free(c.matcher);
	scan_free(c.scan);
	engine_free(en);
	return rc;
}
