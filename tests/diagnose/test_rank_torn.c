/*
 * Ends whose words stand in pieces: torn by other processes, told before their
 * traceback, or boxed. The answer, and the line that a person is shown first.
 */
#include "tests/diagnose/labs.h"

struct said {
	const char *text, *category, *head;
};

static void each(const struct said *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct diagnosis d;
		struct span head = { 0 };

		lab_job(&lab, &v[i].text, 1, &d);
		if (strcmp(diagnosis_category(&d), v[i].category) != 0)
			fail_msg("%s, not %s:\n%s", diagnosis_category(&d),
			    v[i].category, v[i].text);
		if (d.evidence.n)
			head = proof_text(&d.evidence.v[0]);
		if (v[i].head && span_find(head, v[i].head) == SIZE_MAX)
			fail_msg("\"%.*s\", not \"%s\":\n%s", (int)head.n,
			    head.p, v[i].head, v[i].text);
		diagnosis_release(&d);
	}
}

#define EACH(v) each(v, sizeof(v) / sizeof *(v))

/* A frame of another process stands between the class and the message. */
static void torn_by_a_frame(void **state)
{
	static const struct said v[] = {
		{ "Traceback (most recent call last):\n"
		  "AssertionError:   File \"/m/sync.py\", line 4, in check\n"
		  "Rank 2: found NaN in local grad norm in backward pass "
		  "before "
		  "data-parallel communication collective.\n",
		    "loss_nan", "found NaN" },
		{ "Traceback (most recent call last):\n"
		  "  File \"/m/t.py\", line 9, in <module>\n"
		  "RuntimeError:   File \"/m/t.py\", line 9, in <module>\n"
		  "CUDA out of memory. Tried to allocate 2.00 GiB.\n",
		    "gpu_out_of_memory", "2.00 GiB" },
		/* whole: the message names a place */
		{ "Traceback (most recent call last):\n"
		  "  File \"/m/t.py\", line 9, in <module>\n"
		  "KeyError: ' File \"a\", line 3'\n",
		    "key_not_found", "line 3" },
	};

	(void)state;
	EACH(v);
}

/* A launcher or a hook says that the next traceback is the end. */
static void told_before(void **state)
{
#define CALL                                    \
	"Traceback (most recent call last):\n"  \
	"  File \"/m/t.py\", line 9, in main\n" \
	"    run(cfg)\n"
#define SCRIPT                                      \
	"Traceback (most recent call last):\n"      \
	"  File \"/m/t.py\", line 9, in <module>\n" \
	"    main()\n"
	static const struct said v[] = {
		{ "Error executing job with overrides: ['lr=0.1']\n" CALL
		  "KeyError: 'tiles'\n\n" SCRIPT "KeyboardInterrupt\n",
		    "killed_by_user", NULL },
		{ "Original exception was:\n" CALL "KeyError: 'tiles'\n" SCRIPT
		  "IndexError: list index out of "
		  "range\n",
		    "illegal_index", NULL },
	};

	(void)state;
	EACH(v);
#undef CALL
#undef SCRIPT
}

/* Ranks work on while one of them dies, and its launcher says so later. */
static void others_work_on(void **state)
{
	static const struct said v[] = {
		{ "WARNING:torch.distributed.run: Setting OMP_NUM_THREADS\n"
		  "steps:  10%|#         | 10/100 [00:10<01:30,  1.0it/s]\n"
		  "terminate called after throwing an instance of "
		  "'std::runtime_error'\n"
		  "  what():  [Rank 1] Watchdog caught collective operation "
		  "timeout: WorkNCCL(SeqNum=2, OpType=ALLREDUCE, "
		  "Timeout(ms)=1800000) ran for 1807295 milliseconds before "
		  "timing out.\n"
		  "steps:  20%|##        | 20/100 [00:20<01:20,  1.0it/s]\n"
		  "ERROR:torch.distributed.elastic.multiprocessing.api:failed "
		  "(exitcode: -6) local_rank: 1 (pid: 77) of binary: python\n",
		    "network_communication", "Watchdog" },
	};

	(void)state;
	EACH(v);
}

/* The header of a box, and the reason on the lines behind it. */
static void boxed(void **state)
{
	static const struct said v[] = {
		{ "Program:     gmx grompp, version 2022\n"
		  "Source file: src/tiles.cpp (line 14)\n\n"
		  "Fatal error:\nThe tiles of the grid do not\nfit "
		  "together\n\n"
		  "For more information see the website\n",
		    "uncaught_exception", "Fatal error: The tiles" },
		{ "--> FOAM FATAL IO ERROR: (openfoam-2206)\n"
		  "the tiles of the grid are odd\n\n"
		  "file: /m/case/0/p at line 0.\n\nFOAM exiting\n",
		    "uncaught_exception", "the tiles" },
		{ "--> FOAM FATAL ERROR:\ncannot find file\n\n"
		  "file: /m/case/0/p at line 0.\n\nFOAM exiting\n",
		    "path_not_found", "cannot find file" },
		{ " %%%%%%%%%%%%%%%%%%%%\n"
		  "     Error in routine tiles (4):\n"
		  "     the grid has no tiles\n"
		  " %%%%%%%%%%%%%%%%%%%%\n",
		    "uncaught_exception", "the grid has no tiles" },
		{ " *********************************\n"
		  " *   ___                         *\n"
		  " * [ABORT]                       *\n"
		  " *  \\___/  The tiles are odd.    *\n"
		  " *    |    Take others.          *\n"
		  " *  O/|                          *\n"
		  " * / \\              tiles.F:61   *\n"
		  " *********************************\n",
		    "uncaught_exception", "The tiles are odd" },
		/* no box: the reason stands on the line, or nothing is said */
		{ "Fatal error: the tiles are gone\nbye\n", "none", NULL },
	};

	(void)state;
	EACH(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(torn_by_a_frame),
		cmocka_unit_test(told_before),
		cmocka_unit_test(others_work_on),
		cmocka_unit_test(boxed),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
