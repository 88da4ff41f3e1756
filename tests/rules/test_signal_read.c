/*
 * The signals of the files: what ships, what an overlay may change, and what is
 * refused, with its place.
 */
#include "tests/rules/overlay_lab.h"

#include "rules/pattern.h"

/* They lie by kind, and each kind's are where signal_from says. */
static void signals_lie_by_kind(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);

	(void)state;
	assert_non_null(t);
	assert_int_equal(t->signal_from[0], 0);
	assert_int_equal(t->signal_from[SIGNAL_KINDS], t->n_signals);
	for (size_t kind = 0; kind < SIGNAL_KINDS; kind++) {
		if (t->signal_from[kind] == t->signal_from[kind + 1])
			fail_msg("no signal of kind %s",
			    signal_kind_info((enum signal_kind)kind)->name);
		for (size_t i = t->signal_from[kind];
		     i < t->signal_from[kind + 1]; i++) {
			const struct signal *s = taxonomy_signal_at(t, i);

			assert_int_equal(s->kind, kind);
			assert_ptr_equal(taxonomy_signal(t, s->id), s);
			assert_int_equal(
			    !s->pattern, !taxonomy_signal_pattern(t, i));
		}
	}
	taxonomy_free(t);
}

#define SIGNAL_EXAMPLES ", examples: {match: [xx], no_match: [yy]}}\n"
#define END(id, words) \
	"  - {id: " id \
	", title: T, signal: end, act: success, " words SIGNAL_EXAMPLES

static void an_overlay_adds_changes_and_disables(void **state)
{
	struct taxonomy *own = taxonomy_load(NULL, 0, NULL), *t;
	const struct signal *s;

	(void)state;
	t = load_two(
	    "signals:\n" END("site.end", "any: [Lauf Erfolgreich]")
		END("end.training", "starts: [ours]") "disable: [end.pytest]\n",
	    NULL);
	assert_non_null(t);
	assert_int_equal(t->n_signals, own->n_signals);
	s = taxonomy_signal(t, "site.end");
	assert_non_null(s);
	assert_true(s->site);
	assert_int_equal(s->line, 2);
	/* case does not count */
	assert_string_equal(s->any.v[0], "lauf erfolgreich");
	s = taxonomy_signal(t, "end.training");
	assert_true(s->site);
	assert_int_equal(s->any.n, 0);
	assert_string_equal(s->starts.v[0], "ours");
	assert_null(taxonomy_signal(t, "end.pytest"));
	assert_non_null(taxonomy_signal(own, "end.pytest"));
	assert_string_not_equal(t->hash, own->hash);
	taxonomy_free(t);
	taxonomy_free(own);
}

static void every_mistake_has_its_place(void **state)
{
	(void)state;
	refuse("signals: {}\n", "1:10: 'signals' must be a list");
	refuse("signals:\n  - {id: a, title: T, signal: ending" SIGNAL_EXAMPLES,
	    "2:31: bad signal 'ending': must be one of block, end, exit, "
	    "parallel, progress, source, frames, echo, stage, checkpoint, "
	    "gpus, inputs, report, launch, done, layout, state, prefix, "
	    "file, node, json_key, json_level, message, compare, "
	    "declared, phase, collective, "
	    "aside, chained");
	refuse("signals:\n" END("a", "anny: [xx]"), "2:50: unknown key 'anny'");
	refuse("signals:\n" END("a", "any: []"),
	    "2:55: 'any' must hold at least one word");
	refuse("signals:\n" END("a", "any: [x]"),
	    "2:56: a word has at least 2 bytes: not 'x'");
	refuse("signals:\n" END("a", "any: [xx], pattern: xx"),
	    "2:70: a signal needs either 'pattern' or words ('any', 'starts', "
	    "'ends')");
	refuse(
	    "signals:\n"
	    "  - {id: a, title: T, signal: end, act: success" SIGNAL_EXAMPLES,
	    "2:5: a signal needs either 'pattern' or words ('any', 'starts', "
	    "'ends')");
	refuse("signals:\n" END("a", "pattern: '(xx'"),
	    "2:59: bad regular expression in 'pattern', at offset 3: missing "
	    "closing parenthesis");
	refuse("signals:\n" END("a", "any: [xx], source: dmesg"),
	    "2:61: a signal of kind 'end' has no 'source'");
	refuse("signals:\n  - {id: a, title: T, signal: end, any: "
	       "[xx]" SIGNAL_EXAMPLES,
	    "2:5: missing key 'act'");
	refuse("signals:\n"
	       "  - {id: a, title: T, signal: end, any: [xx], act: "
	       "win" SIGNAL_EXAMPLES,
	    "2:52: bad act 'win': must be one of success, script, stop, "
	    "failed");
	refuse("signals:\n  - {id: a, title: T, signal: exit, any: "
	       "[xx]" SIGNAL_EXAMPLES,
	    "2:5: a signal of kind 'exit' needs a 'pattern' with the group "
	    "'code'");
	refuse(
	    "signals:\n"
	    "  - {id: a, title: T, signal: exit, pattern: xx" SIGNAL_EXAMPLES,
	    "2:46: the pattern has no group 'code'");
	refuse("signals:\n"
	       "  - {id: a, title: T, signal: progress, act: foreign, "
	       "pattern: xx" SIGNAL_EXAMPLES,
	    "2:64: a signal of kind 'progress' has words, no pattern");
	refuse("signals:\n  - {id: a, title: T, signal: layout, act: auto, "
	       "pattern: '(?<job>x)'" SIGNAL_EXAMPLES,
	    "2:5: missing key 'name'");
	refuse("signals:\n  - {id: a, title: T, signal: layout, act: auto, "
	       "name: n, any: [xx]" SIGNAL_EXAMPLES,
	    "2:5: a signal of kind 'layout' needs a 'pattern' with the group "
	    "'job'");
	refuse("signals:\n  - {id: a, title: T, signal: state, act: well, "
	       "from: zero, is: [xx]" SIGNAL_EXAMPLES,
	    "2:49: a signal of kind 'state' has no 'from'");
	refuse("signals:\n  - {id: a, title: T, signal: end, act: success, "
	       "any: [xx]}\n",
	    "2:5: missing key 'examples'");
	refuse("signals:\n" END("a", "any: [xx]") END("a", "any: [xx]"),
	    "3:10: duplicate id 'a'");
	/* one space of ids */
	refuse("signals:\n" END("trend.overfit", "any: [xx]"),
	    "2:10: duplicate id 'trend.overfit'");
	refuse("signals:\n" END("gpu_out_of_memory.torch", "any: [xx]"),
	    "2:10: duplicate id 'gpu_out_of_memory.torch'");
	refuse("disable: [end.nonsense]\n", "1:11: no rule 'end.nonsense'");
}

static void words_that_are_forms_or_keys_are_looked_at(void **state)
{
	(void)state;
#define KEY "  - {id: a, title: T, signal: json_key, act: message, "
	refuse("signals:\n" KEY "any: [xx]" SIGNAL_EXAMPLES,
	    "2:5: words of a signal of kind 'json_key' are given by 'is'");
	refuse("signals:\n" KEY "is: [msg, m]" SIGNAL_EXAMPLES,
	    "2:65: the key of a message has at least 3 bytes, 4 before a '.': "
	    "not 'm'");
	refuse("signals:\n" KEY "is: [log.msg]" SIGNAL_EXAMPLES,
	    "2:60: the key of a message has at least 3 bytes, 4 before a '.': "
	    "not 'log.msg'");
#undef KEY
#define PREFIX "  - {id: a, title: T, signal: prefix, act: logger, "
	refuse("signals:\n" PREFIX "any: [xx]" SIGNAL_EXAMPLES,
	    "2:5: words of a signal of kind 'prefix' are given by 'starts'");
	refuse("signals:\n" PREFIX "starts: ['[<tme>] ']" SIGNAL_EXAMPLES,
	    "2:61: bad prefix: unknown field '<tme>] '");
	refuse("signals:\n" PREFIX "starts: ['<text>']" SIGNAL_EXAMPLES,
	    "2:61: bad prefix: no fixed text behind <text>");
	refuse("signals:\n" PREFIX "starts: ['<gap>x']" SIGNAL_EXAMPLES,
	    "2:61: bad prefix: does not begin with a text or a field that "
	    "has one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_lie_by_kind),
		cmocka_unit_test(an_overlay_adds_changes_and_disables),
		cmocka_unit_test(every_mistake_has_its_place),
		cmocka_unit_test(words_that_are_forms_or_keys_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
