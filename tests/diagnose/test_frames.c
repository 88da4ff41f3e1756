/* What the frames of a traceback tell: whose code it is, and who raised. */
#include "tests/diagnose/labs.h"

#include "base/buf.h"
#include "diagnose/signals/facts.h"

#include <stdio.h>

static void a_library_is_never_the_users(void **state)
{
	static const char *const libraries[] = {
		"/home/ada/env/lib/python3.11/site-packages/numpy/core/x.py",
		"/usr/lib/python3/dist-packages/yaml/loader.py",
		"/usr/lib/python3.11/json/decoder.py",
		"/usr/lib64/python3.9/codecs.py",
		"/sw/python/3.7/x86_64/lib64/python3.7/ctypes/__init__.py",
		"lib/python3.10/contextlib.py",
		"site-packages/torch/nn/modules/module.py",
		"C:\\env\\Lib\\site-packages\\numpy\\x.py",
		"/opt/conda/bin/hydra-launch",
		"/opt/venv/bin/vllm",
		"<frozen importlib._bootstrap>",
		"<frozen runpy>",
		"<string>",
		"<__array_function__ internals>",
		"pandas/_libs/index.pyx",
		"pandas/_libs/hashtable_class_helper.pxi",
		"/home/ada/.local/bin/torchrun",
	};
	static const char *const own[] = {
		"/home/ada/train.py",
		"train.py",
		"/workspace/python/main.py",
		"/opt/ml/code/train.py",
		"<ipython-input-3-0a1b>",
		"<stdin>",
		"/srv/site/packages/train.py",
	};
	struct facts_file is;

	(void)state;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		(void)facts_file(lab.tax, span_of(libraries[i]), &is);
		if (!is.library)
			fail_msg("%s is the user's", libraries[i]);
	}
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		(void)facts_file(lab.tax, span_of(own[i]), &is);
		if (is.library)
			fail_msg("%s is a library's", own[i]);
	}
}

#define LIB "/env/lib/python3.11/site-packages/"

/* What is found when a file raises an exception. */
static void raised(const char *file, const char *exception, const char *rule)
{
	char text[1024];
	struct diagnosis d;

	snprintf(text, sizeof text,
	    "Traceback (most recent call last):\n"
	    "  File \"/home/ada/main.py\", line 7, in <module>\n"
	    "    main()\n"
	    "  File \"%s\", line 12, in check\n"
	    "    raise x\n"
	    "%s\n",
	    file, exception);
	lab_text(&lab, text, &d);
	assert_non_null(d.rule);
	if (strcmp(d.rule->id, rule) != 0)
		fail_msg(
		    "%s: %s: %s, not %s", file, exception, d.rule->id, rule);
	assert_non_null(d.facts.frame);
	if (strstr(file, "packages/"))
		assert_string_equal(d.facts.frame->file, "/home/ada/main.py");
	diagnosis_release(&d);
}

static void is_of_main(const char *text)
{
	struct diagnosis d;

	lab_text(&lab, text, &d);
	assert_non_null(d.rule);
	assert_string_equal(d.category->id, "key_not_found");
	assert_non_null(d.facts.frame);
	assert_string_equal(d.facts.frame->file, "/home/ada/train.py");
	assert_int_equal(d.facts.frame->line, 31);
	assert_string_equal(d.facts.frame->code, "main()");
	diagnosis_release(&d);
}

/* A box that Python's rich draws is one traceback, however long it is. */
static void a_box_of_rich_is_a_traceback(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	buf_adds(&b,
	    "step 1 loss 2.0\n"
	    "╭────── Traceback (most recent call last) ──────╮\n"
	    "│ /home/ada/train.py:31 in <module>             │\n"
	    "│                                               │\n"
	    "│   30 if __name__ == \"__main__\":               │\n"
	    "│ ❱ 31 │   main()                               │\n");
	for (int i = 0; i < 40; i++)
		buf_adds(&b,
		    "│ /env/lib/python3.11/site-packages/a/b.py:9 in call │\n"
		    "│ ❱ 9 │   return f()                          │\n");
	buf_adds(&b,
	    "╰───────────────────────────────────────────────╯\n"
	    "KeyError: 'width'\n");
	is_of_main(b.p);
	buf_release(&b);
}

/* Its handler of records puts the box below the message, and blanks behind. */
static void a_box_below_a_record(void **state)
{
	(void)state;
	is_of_main("step 1 loss 2.0\n"
		   "[09:10:11] ERROR    tile 12 was left out\n"
		   "           ╭─ Traceback (most recent call last) ─╮ \n"
		   "           │ /home/ada/train.py:31 in <module> │ \n"
		   "           │ ❱ 31 │   main()                  │ \n"
		   "           ╰────────────────────────────────────╯ \n"
		   "           KeyError: 'width' \n");
}

/* What is too wide for it goes on below: a path in it, the message behind. */
static void what_rich_breaks_is_joined(void **state)
{
	struct diagnosis d;

	(void)state;
	lab_text(&lab,
	    "step 1 loss 2.0\n"
	    "╭───── Traceback (most recent call last) ─────╮\n"
	    "│ /home/ada/projects/segmentation/train.py:31 │\n"
	    "│ in <module>                                 │\n"
	    "│                                             │\n"
	    "│ /home/ada/env/lib/python3.11/site-packages/ │\n"
	    "│ torch/nn/functional.py:2 in f               │\n"
	    "╰─────────────────────────────────────────────╯\n"
	    "RuntimeError: User specified an unsupported \n"
	    "autocast device_type 'gpu'\n"
	    "Exit.\n",
	    &d);
	assert_non_null(d.rule);
	assert_string_equal(d.rule->id, "framework_api_misuse.autocast");
	assert_string_equal(d.evidence.v[0].evidence->text,
	    "RuntimeError: User specified an unsupported autocast device_type "
	    "'gpu'");
	assert_string_equal(
	    d.facts.frame->file, "/home/ada/projects/segmentation/train.py");
	assert_int_equal(d.facts.frame->line, 31);
	diagnosis_release(&d);
	/* a word that has room is another line's */
	lab_text(&lab,
	    "step 1 loss 2.0\n"
	    "╭───── Traceback (most recent call last) ─────╮\n"
	    "│ /home/ada/train.py:31 in <module>           │\n"
	    "╰─────────────────────────────────────────────╯\n"
	    "RuntimeError: User specified an\n"
	    "unsupported autocast device_type 'gpu'\n",
	    &d);
	assert_string_equal(d.evidence.v[0].event->exception,
	    "RuntimeError: User specified an");
	diagnosis_release(&d);
}

static void who_raised_it_tells_more_than_its_class(void **state)
{
	(void)state;
	raised(LIB "tensorflow/python/training/saver.py",
	    "AssertionError: nothing to restore",
	    "framework_api_misuse.raised");
	raised(LIB "torch/amp/grad_scaler.py", "AssertionError",
	    "framework_api_misuse.raised");
	raised(LIB "accelerate/accelerator.py", "AssertionError: odd order",
	    "framework_api_misuse.raised");
	raised(LIB "transformers/hf_argparser.py", "ValueError: lr, seeed",
	    "illegal_argument.refused");
	raised("/usr/lib/python3.11/argparse.py", "ValueError: lr, seeed",
	    "illegal_argument.refused");
	raised(LIB "omegaconf/_impl.py", "AssertionError",
	    "illegal_argument.refused");
	raised(LIB "PIL/PngImagePlugin.py", "SyntaxError: odd chunk",
	    "corrupt_data.raised");
	raised("/usr/lib/python3.11/csv.py", "ValueError: odd row",
	    "corrupt_data.raised");
	raised(LIB "pandas/io/parsers/readers.py", "pandas.ReadError: here",
	    "corrupt_data.raised");
	/* out of the user's own files, and of other parts of a library */
	raised("/home/ada/csv_tools.py", "ValueError: odd row",
	    "illegal_argument.value_error");
	raised(
	    "/home/ada/amp.py", "AssertionError", "assertion_failure.python");
	raised(LIB "torch/nn/functional.py", "AssertionError",
	    "assertion_failure.python");
}

static void words_of_the_message_tell_more(void **state)
{
	(void)state;
	raised(LIB "torch/amp/grad_scaler.py",
	    "AssertionError: boxes and scores must have the same shape",
	    "tensor_mismatch.words");
	raised(LIB "transformers/hf_argparser.py",
	    "ValueError: there is no file a.json", "illegal_argument.refused");
	raised("/usr/lib/python3.11/csv.py",
	    "FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'",
	    "path_not_found.python_errno");
}

/* What only libraries raised has no frame of the user's. */
static void no_frame_of_a_library(void **state)
{
	static const char *const text[] = {
		"Traceback (most recent call last):\n"
		"  File \"/opt/conda/bin/tile\", line 8, in <module>\n"
		"    sys.exit(main())\n"
		"  File \"" LIB "tile/cli.py\", line 9, in main\n"
		"    run()\nKeyError: 'a'\n",
		"Traceback (most recent call last):\n"
		"  File \"/home/ada/t.py\", line 8, in <module>\n"
		"    main()\n"
		"  File \"" LIB "tile/cli.py\", line 9, in main\n"
		"    run()\nKeyError: 'a'\n",
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct diagnosis d;

		lab_job(&lab, &text[i], 1, &d);
		assert_int_equal(d.failed, 1);
		assert_int_equal(d.facts.frame != NULL, i);
		diagnosis_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_is_never_the_users),
		cmocka_unit_test(a_box_of_rich_is_a_traceback),
		cmocka_unit_test(a_box_below_a_record),
		cmocka_unit_test(what_rich_breaks_is_joined),
		cmocka_unit_test(who_raised_it_tells_more_than_its_class),
		cmocka_unit_test(words_of_the_message_tell_more),
		cmocka_unit_test(no_frame_of_a_library),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
