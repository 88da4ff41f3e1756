/*
 * Exceptions that were raised while others were handled: which one is the
 * answer, and how sure it is.
 */
#include "tests/diagnose/labs.h"

#define HEAD "Traceback (most recent call last):\n"
#define MAIN                                                       \
	HEAD "  File \"/home/ada/lay.py\", line 30, in <module>\n" \
	     "    main()\n"
#define HANDLING                                                       \
	"\nDuring handling of the above exception, another exception " \
	"occurred:\n\n"
#define FROM                                                           \
	"\nThe above exception was the direct cause of the following " \
	"exception:\n\n"
/* a failure whose class says most of what is known, and one that is certain */
#define REFUSED MAIN "ValueError: tiles must be square\n"
#define MEMORY                                                                \
	MAIN "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate " \
	     "2.00 GiB.\n"
#define NONE "AttributeError: 'NoneType' object has no attribute 'rows'\n"

struct chained {
	const char *text, *category;
	enum confidence sure;
};

static void each(const struct chained *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct diagnosis d;

		lab_job(&lab, &v[i].text, 1, &d);
		if (strcmp(diagnosis_category(&d), v[i].category) != 0 ||
		    d.confidence != v[i].sure)
			fail_msg("%s (%s), not %s:\n%s", diagnosis_category(&d),
			    diagnosis_confidence_name(d.confidence),
			    v[i].category, v[i].text);
		diagnosis_release(&d);
	}
}

#define EACH(v) each(v, sizeof(v) / sizeof *(v))

/* What tidies up fails since the first one came. */
static void while_tidying_up(void **state)
{
	static const struct chained v[] = {
		{ REFUSED HANDLING MAIN
		    "  File \"/home/ada/log.py\", line 9, in close\n"
		    "    self.sheet.rows.end()\n" NONE,
		    "illegal_argument", CONFIDENCE_MEDIUM },
		{ MEMORY HANDLING MAIN
		    "  File \"/home/ada/log.py\", line 9, in __exit__\n"
		    "    self.sheet.rows.end()\n" NONE,
		    "gpu_out_of_memory", CONFIDENCE_HIGH },
		/* the source tells, where no frame does */
		{ MEMORY HANDLING HEAD
		    "  File \"/home/ada/lay.py\", line 33, in <module>\n"
		    "    sheet.rows.close()\n" NONE,
		    "gpu_out_of_memory", CONFIDENCE_HIGH },
		/* the message above goes on, it seems */
		{ MAIN
		    "ValueError: Data cardinality is ambiguous:\n" HANDLING MAIN
		    "  File \"/home/ada/log.py\", line 9, in close\n"
		    "    self.sheet.rows.end()\n" NONE,
		    "tensor_mismatch", CONFIDENCE_HIGH },
		/* a loop that is left did not fail before it */
		{ MAIN "StopIteration\n" HANDLING MAIN
		       "  File \"/home/ada/log.py\", line 9, in close\n"
		       "    self.sheet.rows.end()\n" NONE,
		    "null_reference", CONFIDENCE_HIGH },
		/* what is caused by the first one is raised there for it */
		{ REFUSED FROM MAIN
		    "  File \"/home/ada/log.py\", line 9, in close\n"
		    "    self.sheet.rows.end()\n" NONE,
		    "null_reference", CONFIDENCE_HIGH },
	};

	(void)state;
	EACH(v);
}

/* What a program expects is no failure; what it does not may be. */
static void while_another_was_handled(void **state)
{
#define ELSEWHERE                                              \
	MAIN "  File \"/home/ada/mail.py\", line 9, in tell\n" \
	     "    post(sheet.rows)\n"
	static const struct chained v[] = {
		{ MAIN "KeyError: 'tile'\n" HANDLING MAIN NONE,
		    "null_reference", CONFIDENCE_HIGH },
		{ REFUSED HANDLING ELSEWHERE NONE, "null_reference",
		    CONFIDENCE_MEDIUM },
		{ MEMORY HANDLING ELSEWHERE NONE, "gpu_out_of_memory",
		    CONFIDENCE_MEDIUM },
		/* both say the same */
		{ MEMORY HANDLING MAIN
		    "RuntimeError: CUDA error: out of memory\n",
		    "gpu_out_of_memory", CONFIDENCE_HIGH },
		/* a library says it twice of what it tried */
		{ HEAD "  File \"/usr/lib/python3/dist-packages/lock/pid.py\", "
		       "line 8, in take\n    new(path)\n"
		       "FileExistsError: [Errno 17] File exists: "
		       "'/m/a.pid'\n" HANDLING MAIN
		       "FileExistsError: [Errno 17] File exists: '/m/a.pid'\n",
		    "storage_fault", CONFIDENCE_MEDIUM },
	};

	(void)state;
	EACH(v);
#undef ELSEWHERE
}

/* Which frame it came up in tells what was done when it did. */
static void in_the_handler(void **state)
{
#define TRY(code)                                             \
	HEAD "  File \"/home/ada/lay.py\", line 12, in lay\n" \
	     "    " code "\n"
#define THEN(code)                                                     \
	HANDLING MAIN "  File \"/home/ada/lay.py\", line 14, in lay\n" \
		      "    " code "\n"
#define FRAME                                             \
	"  File \"/home/ada/grid.py\", line 5, in cell\n" \
	"    return self.at(i)\n"
#define DEEP FRAME FRAME FRAME FRAME
	static const struct chained v[] = {
		/* what it says of the failure is wrong */
		{ TRY("place(tiles)") "ValueError: tiles must be square\n" THEN(
		      "print(sheet.rows)") NONE,
		    "illegal_argument", CONFIDENCE_LOW },
		/* it says what the failure means */
		{ TRY("place(tiles)") "ValueError: tiles must be square\n" THEN(
		      "raise Refused(sheet)") NONE,
		    "null_reference", CONFIDENCE_MEDIUM },
		/* it names it otherwise */
		{ TRY("place(tiles)") "torch.OutOfMemoryError: CUDA out of "
				      "memory. Tried to allocate 2.00 "
				      "GiB.\n" THEN(
					  "raise LayError(sheet)") "LayError: "
								   "no sheet\n",
		    "gpu_out_of_memory", CONFIDENCE_HIGH },
		/* no program looks that deep */
		{ TRY("place(tiles)") DEEP
		    "KeyError: 'tile'\n" THEN("print(sheet.rows)") NONE,
		    "key_not_found", CONFIDENCE_LOW },
		/* what is done instead needs what is not there */
		{ TRY("import fasttiles") "ModuleNotFoundError: No module "
					  "named "
					  "'fasttiles'\n" THEN(
					      "build(tiles)") "  File "
							      "\"/home/ada/"
							      "slow.py\", line "
							      "3, in build\n"
							      "    "
							      "run(command)\n"
							      "RuntimeError: "
							      "Error building "
							      "extension "
							      "'tiles'\n",
		    "library_not_found", CONFIDENCE_MEDIUM },
		/* it does something else instead, which fails */
		{ TRY("import fasttiles") "ModuleNotFoundError: No module "
					  "named "
					  "'fasttiles'\n" THEN(
					      "slow_lay(tiles)") "  File "
								 "\"/home/ada/"
								 "slow.py\", "
								 "line 3, in "
								 "slow_lay\n"
								 "    return "
								 "sheet."
								 "rows\n" NONE,
		    "null_reference", CONFIDENCE_MEDIUM },
		{ TRY("import fasttiles") "ModuleNotFoundError: No module "
					  "named "
					  "'fasttiles'\n" THEN(
					      "raise Refused(sheet)") NONE,
		    "library_not_found", CONFIDENCE_MEDIUM },
	};

	(void)state;
	EACH(v);
#undef DEEP
#undef FRAME
#undef THEN
#undef TRY
}

/* What tidies up fails in a library, which makes other exceptions of it: only
 * the last one shows that it tidied up. */
static void a_chain_while_tidying_up(void **state)
{
#define LIB(call)                                                              \
	HEAD "  File \"/usr/lib/python3/dist-packages/net/pool.py\", line 8, " \
	     "in " call "\n    conn = new()\n"
	static const struct chained v[] = {
		{ REFUSED HANDLING LIB(
		      "connect") "ConnectionRefusedError: [Errno 111] "
				 "Connection refused\n" FROM LIB(
				     "urlopen") "urllib3.exceptions."
						"MaxRetryError: "
						"HTTPSConnectionPool("
						"host='t.lab', port=443): "
						"Max retries exceeded with "
						"url: "
						"/run\n" HANDLING MAIN "  File "
						"\"/usr/lib/python3/"
						"dist-packages/net/"
						"run.py\", line "
						"8, in finish\n    send()\n"
						"requests.exceptions."
						"ConnectionError: "
						"HTTPSConnectionPool("
						"host='t.lab', port=443): "
						"Max retries exceeded with "
						"url: "
						"/run\n",
		    "illegal_argument", CONFIDENCE_MEDIUM },
	};

	(void)state;
	EACH(v);
#undef LIB
}

/* A failure that only follows from others' says more than one that nothing is
 * known of. */
static void raised_from_a_consequence(void **state)
{
	static const struct chained v[] = {
		{ MAIN "ConnectionResetError: Connection lost\n" FROM MAIN
		       "TrainingError: tiles\n",
		    "network_communication", CONFIDENCE_LOW },
	};

	(void)state;
	EACH(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(while_tidying_up),
		cmocka_unit_test(while_another_was_handled),
		cmocka_unit_test(in_the_handler),
		cmocka_unit_test(a_chain_while_tidying_up),
		cmocka_unit_test(raised_from_a_consequence),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
