/*
 * Programs that raise no exception: what they say in forms of their own is read
 * by the rules of meaning, and shown as it stands in the log.
 */
#include "tests/diagnose/lab.h"

struct said {
	const char *log, *category;
	const char *text; /* of the evidence */
	uint64_t line;
};

static const struct said cases[] = {
	{ "laying tiles\nfatal: unknown tile order: zigzag\n",
	    "illegal_argument", "fatal: unknown tile order: zigzag", 2 },
	{ "FATAL:   tile order must be one of rows, columns\n",
	    "illegal_argument",
	    "FATAL:   tile order must be one of rows, columns", 1 },
	{ "Error in lay(tiles, order = \"rows\",  : \n"
	  "  interleaved tiles are not yet implemented\n"
	  "Calls: main -> lay\nExecution halted\n",
	    "not_implemented", "  interleaved tiles are not yet implemented",
	    2 },
	{ "--> FOAM FATAL ERROR: \n\nlay() must be called before cut()\n\n"
	  "    From function void Foam::tiles::cut()\n",
	    "framework_api_misuse",
	    "--> FOAM FATAL ERROR: lay() must be called before cut()", 3 },
	{ " %%%%%%%%%%%%%%%%\n     Error in routine lay_tiles (1):\n"
	  "     wrong tile order\n %%%%%%%%%%%%%%%%\n     stopping ...\n",
	    "illegal_argument", NULL, 3 },
	/* what is drawn between says nothing */
	{ "*** Fatal Error (description follows)\n"
	  "*--------------------\n* wrong tile order\n",
	    "illegal_argument", "* wrong tile order", 3 },
	/* what has a class keeps it */
	{ "ERROR: LoadError: KeyError: key \"tile\" not found\n",
	    "key_not_found", NULL, 1 },
};

/* No cause is known, or none is told. */
static const char *const nothing[] = {
	"fatal: not a git repository (or any of the parent directories): "
	".git\n",
	"ERROR: pip's dependency resolver does not currently take into account "
	"all the packages that are installed.\n",
	"error: 0.125 must be one of the last\n",
	"Error in lay(tiles) : \n\n\n\n\n  the order must be one of rows\n",
};

static const struct evidence *root(const struct findings *f)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].rule->role == ROLE_ROOT)
			return &f->evidence[i];
	return NULL;
}

static void messages_are_read(void **state)
{
	struct lab l;

	for (int step = 1; step < 200; step *= 7) {
		lab_open(&l, step > 1);
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			const struct said *c = &cases[i];
			struct findings *f = lab_scan(
			    &l, c->log, strlen(c->log), (size_t)step, "a", -1);
			const struct evidence *ev = root(f);

			assert_non_null(ev);
			assert_string_equal(
			    l.tax->categories[ev->rule->category].id,
			    c->category);
			assert_int_equal(ev->line, c->line);
			if (c->text)
				assert_string_equal(ev->text, c->text);
			assert_true(ev->match_from < ev->match_to);
			assert_true(ev->match_to <= ev->text_len);
			findings_free(f);
		}
		lab_close(&l);
	}
	(void)state;
}

static void others_are_not(void **state)
{
	struct lab l;

	lab_open(&l, true);
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
		struct findings *f =
		    lab_scan(&l, nothing[i], strlen(nothing[i]), 4096, "a", -1);

		for (size_t k = 0; k < f->n_evidence; k++)
			assert_int_not_equal(
			    f->evidence[k].rule->where, WHERE_EXCEPTION);
		findings_free(f);
	}
	lab_close(&l);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_are_read),
		cmocka_unit_test(others_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
