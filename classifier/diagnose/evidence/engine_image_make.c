/*
 * engine_image_make: make the tables of the built-in taxonomy and write them to
 * the standard output as C initialisers, for engine.c. A program of the build,
 * not a part of jobtriage.
 */
#include "base/err.h"
#include "diagnose/evidence/engine_tables.h"
#include "rules/prefilter_private.h"

#include <inttypes.h>
#include <stdio.h>

static const char head[] =
    "/* Made by classifier/diagnose/evidence/engine_image_make.c. */\n"
    "#include \"diagnose/evidence/engine_tables.h\"\n"
    "#include \"rules/prefilter_private.h\"\n\n"
    "#pragma GCC diagnostic error \"-Wmissing-field-initializers\"\n";

/* An array has an element even where the C of an empty one would not do. */
static void begin(const char *type, const char *name)
{
	printf("\nstatic const %s %s[] = {", type, name);
}

static void end(size_t n)
{
	printf(n ? "\n};\n" : " 0 };\n");
}

static void number(size_t i, uint64_t v)
{
	printf(i % 8 ? " %" PRIu64 "u," : "\n\t%" PRIu64 "u,", v);
}

#define WRITE_NUMBERS(type, name, v, n)                \
	do {                                           \
		begin(type, name);                     \
		for (size_t i_ = 0; i_ < (n); i_++)    \
			number(i_, (uint64_t)(v)[i_]); \
		end(n);                                \
	} while (0)

static void write_entries(
    const char *name, const struct prefilter_entry *v, size_t n)
{
	begin("struct prefilter_entry", name);
	for (size_t i = 0; i < n; i++)
		printf("\n\t{ %" PRIu64 "u, %" PRIu64 "u, %" PRIu32
		       "u, %" PRId32 " },",
		    v[i].seen, v[i].mask, v[i].literal, v[i].off);
	if (!n)
		printf(" { 0, 0, 0, 0 }");
	printf("\n};\n");
}

static void write_lists(const char *name, const struct prefilter_lists *c)
{
	char entries[40];

	snprintf(entries, sizeof entries, "%s_entries", name);
	write_entries(entries, c->v, c->start[PREFILTER_LISTS]);
	printf("\nstatic const struct prefilter_lists %s = { {", name);
	for (size_t i = 0; i <= PREFILTER_LISTS; i++)
		number(i, c->start[i]);
	printf(" },\n\t%s };\n", entries);
}

static void in(char name[40], const char *part, const char *of)
{
	snprintf(name, 40, "%s_%s", of, part);
}

static void write_literals(const struct prefilter *pf, const char *of)
{
	char name[40];

	in(name, "literals", of);
	begin("struct prefilter_literal", name);
	for (uint32_t i = 0; i < pf->n_literals; i++) {
		const struct prefilter_literal *l = &pf->literals[i];

		printf("\n\t{ %" PRIu32 "u, %" PRIu32 "u, %" PRIu32
		       "u, %" PRIu32 "u },",
		    l->at, l->len, l->id, l->id_end);
	}
	printf("\n};\n");
	in(name, "text", of);
	WRITE_NUMBERS("unsigned char", name, pf->text, pf->n_text);
	in(name, "ids", of);
	WRITE_NUMBERS("uint32_t", name, pf->ids, pf->n_ids);
}

static void write_filter(const struct prefilter *pf, const char *of)
{
	char name[40];

	in(name, "table", of);
	WRITE_NUMBERS("uint32_t", name, pf->table, PREFILTER_TABLE);
	in(name, "rough", of);
	WRITE_NUMBERS("unsigned char", name, pf->rough, PREFILTER_TABLE);
	in(name, "pairs", of);
	WRITE_NUMBERS("uint64_t", name, pf->pairs, PREFILTER_PAIRS);
	in(name, "fours", of);
	write_lists(name, pf->fours);
	in(name, "twos", of);
	write_lists(name, pf->twos);
	write_literals(pf, of);
	in(name, "covers", of);
	WRITE_NUMBERS("unsigned char", name, pf->covers, pf->n_sets);
	printf("\nstatic const struct prefilter %s = {\n\t%s_table, %s_rough, "
	       "%s_pairs, &%s_fours, &%s_twos, NULL, NULL,\n\t%s_literals, "
	       "%s_text, "
	       "%s_ids, %s_covers, %" PRIu32 "u, %" PRIu32 "u, %" PRIu32
	       "u, %" PRIu32 "u, %" PRIu32 "u, NULL\n};\n",
	    of, of, of, of, of, of, of, of, of, of, pf->n_sets, pf->n_literals,
	    pf->n_text, pf->n_ids, pf->pair_step);
}

static void write_tables(const struct engine_tables *t)
{
	printf("%s", head);
	write_filter(t->prefilter, "lines");
	write_filter(t->raised, "raised");
	WRITE_NUMBERS("unsigned", "extra", t->extra, t->n_extra);
	WRITE_NUMBERS("size_t", "uncovered", t->uncovered, t->n_uncovered);
	WRITE_NUMBERS("size_t", "last", t->last, t->n_last);
	printf(
	    "\nconst struct engine_tables engine_image = {\n\t&lines, "
	    "&raised, %zuu, extra, %zuu, uncovered, %zuu, last, %zuu, %uu, %d, "
	    "NULL\n};\n",
	    t->n_patterns, t->n_extra, t->n_uncovered, t->n_last, t->always,
	    t->every_line);
}

int main(void)
{
	struct err e = { 0 };
	struct taxonomy *tax = taxonomy_load(NULL, 0, &e);
	struct engine_tables t;

	if (!tax || engine_tables_make(&t, tax, NULL, &e)) {
		fprintf(stderr, "engine_image_make: %s\n", e.text);
		return 1;
	}
	write_tables(&t);
	engine_tables_release(&t);
	taxonomy_free(tax);
	if (fflush(stdout) || ferror(stdout)) {
		perror("engine_image_make: cannot write");
		return 1;
	}
	return 0;
}
