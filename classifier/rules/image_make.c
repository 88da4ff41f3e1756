/*
 * image_make: read the built-in taxonomy from its YAML and write it to the
 * standard output as C initialisers, for taxonomy_built_in.c. A program of the
 * build, not a part of jobtriage.
 *
 * Every field is written, in the order of its struct and without its name, so
 * that one which is added there and not here is an error of the compiler. The
 * pointers of what is many are places (taxonomy_late.h).
 */
#include "base/buf.h"
#include "base/err.h"
#include "rules/needs.h"
#include "rules/taxonomy_private.h"
#include "rules/taxonomy_read.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists are of const pointers, so that they stay shared and read only; the
 * structs were made for lists that somebody frees. */
static const char head[] =
    "/* Made by classifier/rules/image_make.c. */\n"
    "#include \"rules/taxonomy_private.h\"\n\n"
    "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n"
    "#pragma GCC diagnostic error \"-Wmissing-field-initializers\"\n\n"
    "#define TEXTS (char **)(char *const[])\n"
    "#define SIZES (size_t *)(const size_t[])\n"
    "#define PLACE(at) (char *)(at)\n"
    "#define LIST(at) (char **)(at)\n";

/* What is no plain letter goes by its number: always three digits, so that
 * what follows cannot join it. */
static void put_bytes(const char *s, size_t n)
{
	putchar('"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?')
			printf("\\%03o", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void write_bytes(const char *s, size_t n)
{
	put_bytes(s, n);
	printf(", ");
}

static void write_text(const char *s)
{
	if (s)
		write_bytes(s, strlen(s));
	else
		printf("NULL, ");
}

static void write_flag(bool b)
{
	printf(b ? "true, " : "false, ");
}

static void write_size(size_t n)
{
	printf("%zuU, ", n);
}

static void write_digest(struct hash_value v)
{
	printf("{ 0x%" PRIx64 "U, 0x%" PRIx64 "U }, ", v.low, v.high);
}

static void write_number(long n)
{
	printf("%ld, ", n);
}

/* Hexadecimal: what is read is what was written. */
static void write_factor(double d)
{
	printf("%a, ", d);
}

static void write_strings(const struct strings *s)
{
	if (!s->n) {
		printf("{ NULL, 0 }, ");
		return;
	}
	printf("\n\t{ TEXTS{ ");
	for (size_t i = 0; i < s->n; i++)
		write_text(s->v[i]);
	printf("}, %zuU }, ", s->n);
}

/* What places stand for: all texts, one after the other, each once; place 0 is
 * none. */
static struct buf texts = BUF_INIT(BUF_MAX), lists = BUF_INIT(BUF_MAX);
static size_t n_lists;

struct seen {
	const char *text;
	size_t n, at;
};

static int by_text(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return memcmp(x->text, y->text, x->n);
}

static void die(void)
{
	fprintf(stderr, "image_make: out of memory\n");
	exit(1);
}

/* Bytes and the NUL behind them. */
static size_t place_of(const char *s, size_t n)
{
	static void *all;
	struct seen *own = malloc(sizeof *own), **at;
	size_t place;

	if (!own || (!texts.len && buf_addc(&texts, 0)))
		die();
	*own = (struct seen){ s, n, texts.len };
	at = tsearch(own, &all, by_text);
	if (!at || (*at == own && buf_add(&texts, s, n + 1)))
		die();
	place = (*at)->at;
	if (*at != own)
		free(own);
	return place;
}

static void place_text(const char *s)
{
	printf("PLACE(%zu), ", s ? place_of(s, strlen(s)) : 0);
}

/* The place of one more list; what it holds follows. */
static void place_list(void)
{
	printf("LIST(%zu), ", n_lists);
}

static void add_to_list(const char *s, size_t n)
{
	if (buf_addf(&lists, "%zu,\n", place_of(s, n)))
		die();
	n_lists++;
}

static void place_strings(const struct strings *s)
{
	printf("{ ");
	place_list();
	printf("%zuU }, ", s->n);
	for (size_t i = 0; i < s->n; i++)
		add_to_list(s->v[i], strlen(s->v[i]));
}

static void write_places(const struct taxonomy *t)
{
	printf("\nstatic const char texts[] =");
	for (size_t i = 0; i < texts.len; i++) {
		size_t n = strlen(texts.p + i);

		printf("\n\t");
		put_bytes(texts.p + i, n);
		printf(" \"\\000\"");
		i += n;
	}
	printf(";\n\nstatic const uint32_t lists[] = {\n%s0 };\n"
	       "\nconst struct rules_image taxonomy_image_rules = {\n"
	       "\trules, signals, categories, policy,\n"
	       "\t%zuU, %zuU, %zuU, %zuU,\n\ttexts, lists, %zuU\n};\n",
	    lists.len ? lists.p : "", t->n_rules, t->n_signals, t->n_categories,
	    t->n_policy, n_lists);
}

static void write_literals(const struct literals *l)
{
	if (!l->n) {
		printf("{ NULL, NULL, 0, 0 }, ");
		return;
	}
	printf("\n\t{ TEXTS{ ");
	for (size_t i = 0; i < l->n; i++)
		write_bytes(l->text[i], l->len[i]);
	printf("}, SIZES{ ");
	for (size_t i = 0; i < l->n; i++)
		write_size(l->len[i]);
	printf("}, %zuU, %zuU }, ", l->n, l->least);
}

static void write_category(const struct category *c)
{
	printf("{ ");
	place_text(c->id);
	place_text(c->name);
	place_text(c->dimension);
	place_text(c->family);
	place_text(c->description);
	write_flag(c->in_study);
	write_number(c->verdict);
	place_strings(&c->remedies);
	place_strings(&c->when);
	place_strings(&c->references);
	place_strings(&c->follows);
	printf("},\n");
}

static void write_rule(const struct rule *r)
{
	printf("{ ");
	place_text(r->id);
	place_text(r->title);
	write_size(r->number);
	write_size(r->category);
	write_number(r->role);
	write_number(r->where);
	write_flag(r->generic);
	write_size(r->weight);
	write_flag(r->unexplained);
	write_flag(r->lasting);
	write_flag(r->alone);
	write_flag(r->ends_process);
	write_number(r->confidence);
	write_number(r->word_of);
	place_strings(&r->pattern);
	place_strings(&r->unless);
	write_size(r->first);
	write_size(r->first);
	write_size(r->least);
	write_size(r->longest);
	place_strings(&r->needs);
	place_text(r->within);
	write_size(r->within_lines);
	write_size(r->within_rule);
	place_text(r->until);
	write_size(r->sources);
	place_strings(&r->extract);
	place_strings(&r->key);
	place_strings(&r->follows);
	place_strings(&r->raised_in);
	printf("0x%" PRIx64 "U, ", r->raised_bits);
	write_number(r->verdict);
	place_strings(&r->meanings);
	place_strings(&r->remedies);
	place_strings(&r->references);
	place_text(r->since);
	place_strings(&r->match);
	place_strings(&r->no_match);
	place_text(r->file);
	write_size(r->line);
	write_flag(r->site);
	write_digest(r->digest);
	printf("},\n");
}

static void write_row(const struct policy_row *p)
{
	printf("{ ");
	place_text(p->category);
	place_text(p->rule);
	place_text(p->seen_with);
	write_number(p->verdict);
	place_text(p->reason);
	write_factor(p->memory_factor);
	write_factor(p->time_factor);
	write_flag(p->at_start);
	write_flag(p->held_by_others);
	write_flag(p->after_success);
	write_flag(p->exclude_nodes);
	write_flag(p->from_checkpoint);
	write_number(p->stop_needs);
	write_number(p->delay_seconds);
	write_factor(p->backoff);
	write_number(p->max_delay_seconds);
	write_flag(p->own_retries);
	write_flag(p->own_repeats);
	write_number(p->retries);
	write_flag(p->repeats);
	place_text(p->file);
	write_size(p->line);
	write_size(p->layer);
	printf("},\n");
}

static void write_metric(const struct metric *m)
{
	printf("{ ");
	write_text(m->id);
	write_text(m->title);
	write_number(m->kind);
	write_strings(&m->names);
	write_strings(&m->units);
	write_text(m->validation);
	write_size(m->validation_metric);
	printf("},\n");
}

static void write_trend(const struct trend *t)
{
	printf("{ ");
	write_text(t->id);
	write_text(t->title);
	write_text(t->metric);
	write_size(t->on);
	write_number(t->test);
	write_text(t->beside);
	write_size(t->beside_on);
	write_text(t->unless);
	write_size(t->unless_on);
	printf("{ ");
	for (size_t i = 0; i < TREND_VALUES; i++)
		write_factor(t->v[i]);
	printf("}, ");
	write_strings(&t->advice);
	write_strings(&t->references);
	write_text(t->file);
	write_size(t->line);
	printf("},\n");
}

static void write_redaction(const struct redaction *r)
{
	printf("{ ");
	write_text(r->id);
	write_text(r->title);
	write_text(r->option);
	write_text(r->pattern);
	write_size(r->word);
	write_strings(&r->secret);
	write_strings(&r->clean);
	write_text(r->file);
	write_size(r->line);
	write_flag(r->site);
	write_literals(&r->literals);
	printf("},\n");
}

static void write_signal(const struct signal *s, size_t number)
{
	printf("{ ");
	place_text(s->id);
	place_text(s->title);
	write_number(s->kind);
	place_text(s->name);
	place_text(s->pattern);
	place_text(s->unless);
	place_strings(&s->is);
	place_strings(&s->any);
	place_strings(&s->starts);
	place_strings(&s->ends);
	printf("{ ");
	for (size_t i = 0; i < SIGNAL_KEYS; i++)
		write_number(s->tells[i]);
	printf("}, ");
	place_strings(&s->fixed);
	place_strings(&s->match);
	place_strings(&s->no_match);
	place_text(s->file);
	write_size(s->line);
	write_flag(s->site);
	write_size(number);
	write_digest(s->digest);
	printf("},\n");
}

static void write_taxonomy(const struct taxonomy *t)
{
	printf("%s\nstatic const struct category categories[] = {\n", head);
	for (size_t i = 0; i < t->n_categories; i++)
		write_category(&t->categories[i]);
	printf("};\n\nstatic const struct rule rules[] = {\n");
	for (size_t i = 0; i < t->n_rules; i++)
		write_rule(taxonomy_rule_at(t, i));
	printf("};\n\nstatic const struct signal signals[] = {\n");
	for (size_t i = 0; i < t->n_signals; i++)
		write_signal(taxonomy_signal_at(t, i), i);
	printf("};\n\nstatic const struct policy_row policy[] = {\n");
	for (size_t i = 0; i < t->n_policy; i++)
		write_row(&t->policy[i]);
	printf("};\n");
	write_places(t);
	printf("\nstatic const uint32_t pattern_rule[] = {\n");
	for (size_t i = 0; i < t->n_patterns; i++)
		write_size(t->pattern_rule[i]);
	printf("};\n\nstatic const struct rule_piece pieces[] = {\n");
	for (size_t i = 0; i < t->n_pieces; i++) {
		printf("{ ");
		write_text(t->pieces[i].name);
		write_text(t->pieces[i].text);
		printf("},\n");
	}
	printf("};\n\nstatic const struct metric metrics[] = {\n");
	for (size_t i = 0; i < t->n_metrics; i++)
		write_metric(&t->metrics[i]);
	printf("};\n\nstatic const struct trend trends[] = {\n");
	for (size_t i = 0; i < t->n_trends; i++)
		write_trend(&t->trends[i]);
	printf("};\n\nstatic const struct redaction redactions[] = {\n");
	for (size_t i = 0; i < t->n_redactions; i++)
		write_redaction(&t->redactions[i]);
	printf("};\n\nconst struct taxonomy taxonomy_image = {\n"
	       "\tNULL, %zuU,\n"
	       "\t%zuU,\n"
	       "\t(uint32_t *)pattern_rule, %zuU,\n"
	       "\t(struct rule_piece *)pieces, %zuU,\n"
	       "\tNULL, %zuU,\n"
	       "\t{ %d, %d, %d },\n\t%d, %d,\n\t%d,\n"
	       "\t(struct metric *)metrics, %zuU,\n"
	       "\t(struct trend *)trends, %zuU,\n\t",
	    t->n_categories, t->n_rules, t->n_patterns, t->n_pieces,
	    t->n_policy, t->budgets.same_cause, t->budgets.same_place,
	    t->budgets.total, t->node_window, t->stop_needs, t->declared,
	    t->n_metrics, t->n_trends);
	write_strings(&t->validation);
	printf("\n\t(struct redaction *)redactions, %zuU,\n"
	       "\tNULL, %zuU,\n\t{ ",
	    t->n_redactions, t->n_signals);
	for (size_t i = 0; i <= SIGNAL_KINDS; i++)
		write_size(t->signal_from[i]);
	printf("},\n\tNULL,\n\tNULL,\n\t{ ");
	for (size_t i = 0; i < 32; i++)
		printf("%" PRIu32 "U, ", t->step_letters[i]);
	printf("},\n\t{ { ");
	for (size_t i = 0; i < 64; i++)
		printf("%" PRIu32 "U, %s", t->stage_letters[i / 32][i % 32],
		    i == 31 ? "}, { " : "");
	printf("} },\n\t{ ");
	for (size_t i = 0; i < 256; i++)
		printf("%" PRIu32 "U, ", t->echo_letters[i]);
	printf("},\n\t\"%s\"\n};\n", t->hash);
}

/* What takes as long as all of the loading, so that others do without. */
static int set_needs(struct taxonomy *t, struct err *e)
{
	struct taxonomy_full *full = (struct taxonomy_full *)t;

	for (size_t i = 0; i < t->n_rules; i++)
		if (needs_set(&full->rules[i].rule))
			return err_nomem(e);
	return 0;
}

int main(void)
{
	struct err e = { 0 };
	struct taxonomy *t = taxonomy_load_files(NULL, 0, NULL, &e);

	if (!t || set_needs(t, &e)) {
		fprintf(stderr, "image_make: %s\n", e.text);
		return 1;
	}
	write_taxonomy(t);
	taxonomy_free(t);
	if (fflush(stdout) || ferror(stdout)) {
		perror("image_make: cannot write");
		return 1;
	}
	return 0;
}
