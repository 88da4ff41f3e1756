/*
 * Made-up logs, by what they have in common: which of several failures is the
 * cause, and where a program that raises nothing says it. Each with the answer
 * that a person would give, and the line that proves it.
 */
#include "tests/diagnose/labs.h"

#include "base/buf.h"

struct made {
	const char *category;
	uint64_t line; /* of the evidence; 0: there is none */
	const char *log;
};

static void all(const struct made *m, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct diagnosis d;
		uint64_t line;

		lab_text(&lab, m[i].log, &d);
		line = d.evidence.n ? proof_line(&d.evidence.v[0]) : 0;
		if (strcmp(diagnosis_category(&d), m[i].category) != 0 ||
		    line != m[i].line)
			fail_msg("%s by line %d, not %s by %d:\n%.900s",
			    diagnosis_category(&d), (int)line, m[i].category,
			    (int)m[i].line, m[i].log);
		diagnosis_release(&d);
	}
}

#define ALL(m) all(m, sizeof m / sizeof *m)

/* A cell as a notebook prints it. */
#define CELL(class, n, code, message)                                        \
	"--------------------------------------------------------------"     \
	"\n" class "                    Traceback (most recent call last)\n" \
		   "Cell In[" n "], line 2\n      1 # tiles\n----> 2 " code  \
		   "\n\n" class ": " message "\n"
/* The same as nbconvert writes it to text. */
#define TEXT(class, n, code, message)                                      \
	"\n    ----------------------------------------------------\n\n"   \
	"    " class "                Traceback (most recent call last)\n" \
		     "\n    Cell In [" n "], line 1\n    ----> 1 " code    \
		     "\n          2 lay()\n\n\n    " class ": " message    \
							   "\n\n\n"
#define NO_NAME(n) \
	CELL("NameError", n, "cut(tiles)", "name 'tiles' is not defined")

static void cells_of_a_notebook(void **state)
{
	static const struct made made[] = {
		{ "gpu_out_of_memory", 8,
		    "step 1 loss 0.5\n" CELL("OutOfMemoryError", "3", "lay()",
			"CUDA out of memory. Tried to allocate 2.00 GiB.")
			NO_NAME("4") },
		{ "division_by_zero", 7,
		    CELL("ZeroDivisionError", "1", "tiles = 3 / n",
			"division by zero") NO_NAME("2") NO_NAME("3") },
		/* a class that no rule knows is the cause all the same */
		{ "uncaught_exception", 7,
		    CELL("TileError", "1", "tiles = lay()", "out of glue")
			NO_NAME("2") },
		/* what a person stopped was over */
		{ "undefined_variable", 14,
		    CELL("KeyboardInterrupt", "1", "lay()", "") NO_NAME("2") },
		/* and so is a name that was missing before other work */
		{ "key_not_found", 14,
		    NO_NAME("1") CELL("KeyError", "2", "tiles['a']", "'a'") },
		/* what a frame shows is no word of a good end */
		{ "type_mismatch", 7,
		    CELL("TypeError", "1", "tiles = 1 + 'a'",
			"unsupported operand type(s) for +: 'int' and 'str'")
			CELL("NameError", "2", "print('training finished')",
			    "name 'tiles' is not defined") },
		{ "library_not_found", 11,
		    TEXT("ModuleNotFoundError", "1", "import tilerx",
			"No module named 'tilerx'") TEXT("NameError", "2",
			"tilerx.lay()", "name 'tilerx' is not defined") },
		{ "illegal_index", 14,
		    "```python\ntiles[9]\n```\n" TEXT("IndexError", "1",
			"tiles[9]", "list index out of range") },
		{ "undefined_variable", 11,
		    TEXT("NameError", "1", "lay(tile)",
			"name 'tile' is not defined") },
	};

	(void)state;
	ALL(made);
}

/* What any rule knows of an exception comes before that it was one. */
static void more_than_its_class(void **state)
{
	static const struct made made[] = {
		{ "cpu_out_of_memory", 6,
		    "step 1 loss 0.5\nTraceback (most recent call last):\n"
		    "  File \"/home/ada/lay.py\", line 9, in <module>\n"
		    "    lay()\n\n"
		    "pool.errors.WorkerLostError: Worker exited prematurely: "
		    "signal 9 (SIGKILL) Job: 3.\n" },
		{ "path_not_found", 4,
		    "Traceback (most recent call last):\n"
		    "  File \"/home/ada/lay.py\", line 9, in <module>\n"
		    "    lay()\n"
		    "ftplib.error_perm: 550 Failed to open file.\n" },
		{ "uncaught_exception", 4,
		    "Traceback (most recent call last):\n"
		    "  File \"/home/ada/lay.py\", line 9, in <module>\n"
		    "    lay()\n"
		    "pool.errors.TileError: out of glue\n" },
	};

	(void)state;
	ALL(made);
}

#define STEP(name, n)                                                    \
	"[Fri Jan  2 03:04:05 2026]\nrule " name ":\n    input: a.til\n" \
	"    output: " name ".til\n    jobid: " n "\n\n"
#define FAILED(name, n)                                                  \
	"[Fri Jan  2 03:04:09 2026]\nError in rule " name ":\n"          \
	"    jobid: " n "\n    output: " name ".til\n    shell:\n"       \
	"        (one of the commands exited with non-zero exit code)\n" \
	"\nShutting down, this might take some time.\n"                  \
	"Exiting because a job execution failed. Look above for error "  \
	"message\n"
#define DAG "Building DAG of jobs...\nProvided cores: 1\n"

static void steps_of_a_workflow(void **state)
{
	static const struct made made[] = {
		{ "path_not_found", 16,
		    DAG STEP("cut", "3") "1 of 3 steps (33%) done\n" STEP(
			"lay", "2") "/bin/bash: line 1: tiler: command not "
				    "found\n" FAILED("lay", "2") },
		{ "key_not_found", 18,
		    DAG STEP("cut", "3") STEP(
			"lay", "2") "Traceback (most recent call last):\n"
				    "  File \"lay.py\", line 2, in <module>\n"
				    "    tiles['a']\nKeyError: 'a'\n" FAILED(
					"lay", "2") },
		/* begun anew, and another step fails */
		{ "library_not_found", 30,
		    DAG STEP("cut",
			"3") "gzip: a.til: not in gzip format\n" FAILED("cut",
			"3") DAG STEP("cut",
			"3") "Traceback (most recent call last):\n"
			     "  File \"cut.py\", line 1, in <module>\n"
			     "    import tiler\n"
			     "ModuleNotFoundError: No module named "
			     "'tiler'\n" FAILED("cut", "3") },
	};

	(void)state;
	ALL(made);
}

#define WORKFLOW(words)                                                       \
	"Jan-02 03:04:05.100 [Task monitor] ERROR "                           \
	"nextflow.processor.TaskProcessor - Error executing process > 'LAY "  \
	"(1)'\n\nCaused by:\n  Process `LAY (1)` terminated with an error "   \
	"exit status (1)\n\nCommand executed:\n\n  tiler lay a.til\n\n"       \
	"Command exit status:\n  1\n\nCommand error:\n" words "\nWork dir:\n" \
	"  /w/aa/bb\n\nJan-02 03:04:06.100 [main] DEBUG "                     \
	"nextflow.script.ScriptRunner - > Execution complete -- Goodbye\n"

static void last_words(void **state)
{
	static const struct made made[] = {
		{ "corrupt_data", 2,
		    "[io] opening a.til\n"
		    "[io] unexpected end of file while reading header\n"
		    "[main] aborting\n" },
		{ "path_not_found", 1,
		    "[ERROR] tiler: Unable to locate checkpoint directory "
		    "/t/12\nshutting down 3 layers\nbye\n" },
		{ "illegal_argument", 2,
		    "laying with 6 ranks\n"
		    "Stop: number of ranks (6) is not divisible by rows "
		    "(4)\n" },
		{ "illegal_argument", 2,
		    "usage: lay [-h]\n"
		    "Invalid value for --rows: 0 (must be at least 1)\n" },
		{ "not_implemented", 2,
		    " %%%%%%%%%%%%\n   round tiles are not implemented\n"
		    " %%%%%%%%%%%%\n" },
		{ "corrupt_data", 15,
		    WORKFLOW("  reading a.til\n  [E::tiler] unexpected end of "
			     "file in a.til\n") },
		{ "illegal_argument", 14,
		    WORKFLOW("  Error: unknown order 'zigzag'\n"
			     "  Execution halted\n") },
		/* a complaint that was lived through, or that is none */
		{ "none", 0,
		    "unable to find tiles in /t, cutting new ones\n"
		    "laid 1\nlaid 2\nlaid 3\nlaid 4\nlaid 5\nlaid 6\n"
		    "laid 7\nlaid 8\nlaid 9\n" },
		{ "none", 0,
		    "missing values: 3\nunknown cells were left out\n"
		    "[INFO] failed to get flag value for GLUE\n" },
		{ "none", 0, "cannot find file a.til\ntraining finished\n" },
		{ "none", 0,
		    "ERROR request 7 failed: tile too long (9 > 4)\n"
		    "laid 1\nlaid 2\nlaid 3\nshutting down\n" },
	};

	(void)state;
	ALL(made);
}

static const char *const classes[] = { "Exception", "RuntimeError",
	"ValueError", "TypeError", "OSError", "AssertionError",
	"tiles.TileError", "tiles.errors.LayFailed", "__main__.Stop",
	"UserWarning" };
static const char *const carried[][2] = {
	{ "path_not_found", "tiles.rec; No such file or directory" },
	{ "path_not_found", "[Errno 21] Is a directory: '/tiles'" },
	{ "path_not_found", "HTTP Error 404: Not Found" },
	{ "permission_denied", "[Errno 13] Permission denied: '/t'" },
	{ "library_not_found", "No module named 'tilelib'" },
	{ "version_mismatch", "cannot import name 'a' from 'b'" },
	{ "network_communication", "Connection refused" },
	{ "network_communication", "timed out" },
	{ "network_communication", "502 Bad Gateway" },
	{ "storage_fault", "[Errno 28] No space left on device" },
	{ "cpu_out_of_memory", "std::bad_alloc" },
	{ "gpu_out_of_memory", "CUDA out of memory" },
	{ "corrupt_data", "Ran out of input" },
	{ "illegal_index", "list index out of range" },
	{ "division_by_zero", "float division by zero" },
	{ "undefined_variable", "name 'tile' is not defined" },
	{ "type_mismatch", "unhashable type: 'list'" },
	{ "null_reference", "'NoneType' object has no attribute 'a'" },
	{ "syntax_error", "invalid syntax (tiles.py, line 3)" },
	{ "storage_fault", "disk I/O error" },
	{ "storage_fault", "database is locked" },
	{ "storage_fault", "[Errno 122] Disk quota exceeded" },
	{ "corrupt_data", "database disk image is malformed" },
	{ "corrupt_data", "Unable to open file (truncated file: eof = 9)" },
	{ "corrupt_data",
	    "Error tokenizing data. C error: Expected 5 "
	    "fields in line 12, saw 7" },
	{ "corrupt_data", "Expecting value: line 1 column 1 (char 0)" },
	{ "corrupt_data", "Input X contains NaN." },
	{ "key_not_found", "no such column: order" },
	{ "key_not_found",
	    "Unable to open object (object 'tiles' "
	    "doesn't exist)" },
	{ "path_not_found", "404 Client Error: Not Found for url: x" },
	{ "path_not_found",
	    "An error occurred (NoSuchKey) when calling "
	    "the GetObject operation: no such key" },
	{ "permission_denied", "access denied" },
	{ "authentication_failure", "Unable to locate credentials" },
	{ "authentication_failure",
	    "An error occurred (ExpiredToken) when calling the "
	    "PutObject operation: it has expired" },
	{ "network_communication",
	    "HTTPSConnectionPool(host='t', port=443): Read timed out. "
	    "(read timeout=10)" },
	{ "network_communication",
	    "<urlopen error [Errno -3] Temporary failure in name "
	    "resolution>" },
	{ "accelerator_error",
	    "CUDA error: an illegal memory access was encountered" },
	{ "gpu_out_of_memory",
	    "XPU out of memory. Tried to allocate 2.00 GiB." },
	{ "cpu_out_of_memory",
	    "Unable to allocate 5.20 GiB for an array with shape "
	    "(9,)" },
	{ "tensor_mismatch",
	    "operands could not be broadcast together "
	    "with shapes (3,4) (5,)" },
	{ "tensor_mismatch",
	    "cannot reshape array of size 12 into shape (5,3)" },
	{ "unexpected_encoding",
	    "'utf-8' codec can't decode byte 0xe9 in position 3: "
	    "invalid continuation byte" },
};

/* What a message says is the cause, whichever exception carries it: programs
 * raise what they caught again as a class of their own. */
static void carried_by_any_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof carried / sizeof *carried; i++)
		for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
			struct buf log = BUF_INIT(BUF_MAX);
			struct diagnosis d;

			assert_int_equal(
			    buf_addf(&log,
				"Traceback (most recent call last):\n"
				"  File \"lay.py\", line 7, in <module>\n"
				"    lay()\n%s: %s\n",
				classes[k], carried[i][1]),
			    0);
			lab_text(&lab, log.p, &d);
			if (strcmp(diagnosis_category(&d), carried[i][0]) != 0)
				fail_msg("%s, not %s: %s",
				    diagnosis_category(&d), carried[i][0],
				    log.p);
			diagnosis_release(&d);
			buf_release(&log);
		}
}

#define LAZY(module)                     \
	"Failed to import tiles." module \
	" because of the following error (look up to see its traceback):\n"
#define IMPORT                                                            \
	"Traceback (most recent call last):\n  File \"lay.py\", line 7, " \
	"in <module>\n    import tiles\nRuntimeError: "

#define TRACE(code, message)                       \
	"Traceback (most recent call last):\n"     \
	"  File \"/home/ada/lay.py\", line 4, in " \
	"<module>\n    " code "\n" message "\n"
#define SIX "tile 1\ntile 2\ntile 3\ntile 4\ntile 5\ntile 6\n"
#define DENIED "mkdir: cannot create directory '/srv/out': Permission denied\n"
#define SKIPPED "Map of tiles skipped: name 'lay' is not defined\n"

/* A script goes on behind a command that failed, and a program behind what it
 * skipped. */
static void said_aside(void **state)
{
	static const struct made made[] = {
		{ "none", 0, DENIED SIX SIX },
		{ "none", 0, SIX SKIPPED },
		{ "path_not_found", 11,
		    SIX SKIPPED TRACE("open('/data/t.txt')",
			"FileNotFoundError: [Errno 2] No such file or "
			"directory: '/data/t.txt'") },
		{ "permission_denied", 1, DENIED },
		{ "permission_denied", 1,
		    DENIED "make: *** [Makefile:3: lay] Error 1\n" },
		{ "illegal_index", 5,
		    DENIED TRACE(
			"tiles[9]", "IndexError: list index out of range") },
		{ "permission_denied", 1,
		    DENIED TRACE("open('/srv/out/t.txt', 'w')",
			"FileNotFoundError: [Errno 2] No such file or "
			"directory: '/srv/out/t.txt'") },
		{ "path_not_found", 5,
		    DENIED TRACE("open('/data/t.txt')",
			"FileNotFoundError: [Errno 2] No such file or "
			"directory: '/data/t.txt'") },
		{ "path_not_found", 5,
		    "unzip:  cannot find or open t.zip, t.zip.zip or "
		    "t.zip.ZIP.\n" TRACE("open('t/1.txt')",
			"FileNotFoundError: [Errno 2] No such file or "
			"directory: 't/1.txt'") },
		{ "division_by_zero", 5,
		    "unzip:  cannot find or open t.zip, t.zip.zip or "
		    "t.zip.ZIP.\n" TRACE(
			"1 / n", "ZeroDivisionError: division by zero") },
		{ "loss_nan", 3,
		    "./run.sh: line 9: ulimit: open files: cannot modify "
		    "limit: Operation not permitted\nstep 1 loss 0.5\n"
		    "Loss is nan, stopping training\n" },
		{ "cpu_out_of_memory", 2,
		    "fatal: destination path 'lay' already exists and is not "
		    "an empty directory.\n./run.sh: line 9: 4711 Killed "
		    "                 python lay.py\n" },
	};

	(void)state;
	ALL(made);
}

#define THREAD(message)                                                \
	"Exception in thread Thread-1:\n"                              \
	"Traceback (most recent call last):\n"                         \
	"  File \"/usr/lib/python3.9/threading.py\", line 9, in run\n" \
	"    self.f()\n"                                               \
	"  File \"/home/ada/lay.py\", line 4, in read\n    g()\n" message "\n"
#define MISSES "cannot open '/srv/t.txt': No such file or directory\n"

/* A thread's exception ends no process, a bar that is drawn once more is no
 * progress, and the last words outlive what ended nothing. */
static void went_on(void **state)
{
	static const struct made made[] = {
		{ "permission_denied", 1, DENIED THREAD("KeyError: 'a'") },
		{ "unknown", 8,
		    THREAD(
			"TileError: out of glue") "ERROR: cannot lay tiles\n" },
		{ "path_not_found", 2,
		    "step 400/4000 loss 0.5\nlay: " MISSES
		    "step 401/4000 loss 0.5\n" },
		{ "none", 0,
		    "step 400/4000 loss 0.5\nlay: " MISSES
		    "step 401/4000 loss 0.5\nstep 402/4000 loss 0.5\n" },
		{ "storage_fault", 26,
		    "[rank0]: lay: " MISSES SIX SIX SIX SIX
		    "[rank1]: lay: No space left on device\n" },
		/* done before it, or said how it goes on */
		{ "none", 0,
		    "step 400/4000 loss 0.5\nrm: cannot remove 't.tmp': No "
		    "such "
		    "file or directory\n" },
		{ "path_not_found", 2,
		    "start\nrm: cannot remove 't.tmp': No such file or "
		    "directory\n" },
		{ "none", 0,
		    "start\nCould not import tilelib, falling back to slow "
		    "tiles\n" },
		{ "none", 0,
		    "./lay.sh: line 3: git: command not found\nreading tiles\n"
		    "laid 12 tiles\n" },
		{ "path_not_found", 1,
		    "./lay.sh: line 3: git: command not found\nreading "
		    "tiles\n" },
		/* caught before the first step */
		{ "none", 0,
		    SIX
		    "Traceback (most recent call last):\n"
		    "  File \"/home/ada/lay.py\", line 9, in cut\n    lay()\n"
		    "ValueError: no tile\nstep 1/40 loss 0.5\n"
		    "step 2/40 loss 0.5\nstep 3/40 loss 0.5\n" },
		{ "illegal_argument", 5,
		    "start\nTraceback (most recent call last):\n"
		    "  File \"/home/ada/lay.py\", line 9, in <module>\n    "
		    "lay()\nValueError: tiles must be one of 3, 4\n"
		    "step 1/40 loss 0.5\nstep 2/40 loss 0.5\n" },
	};

	(void)state;
	ALL(made);
}

/* Who calls a compiler knows only that it failed. */
static void what_a_compiler_printed(void **state)
{
#define NO_HEADER                                                              \
	"lay.c:5:10: fatal error: Python.h: No such file or directory\n    5 " \
	"| #include <Python.h>\n      |          ^~~~~~~~~~\ncompilation "     \
	"terminated.\n"
#define BUILD                                  \
	"Traceback (most recent call last):\n" \
	"  File \"/m/lay.py\", line 9, in <module>\n    main()\n"
	static const struct made made[] = {
		{ "library_not_found", 1,
		    NO_HEADER BUILD
		    "InductorError: CalledProcessError: Command '['/usr/bin/"
		    "gcc', '/tmp/t9/main.c', '-o', '/tmp/t9/cuda_utils.so']' "
		    "returned non-zero exit status 1.\n" },
		{ "library_not_found", 1,
		    NO_HEADER "ninja: build stopped: subcommand failed.\n" BUILD
			      "RuntimeError: Error building extension "
			      "'tiles'\n" },
		{ "version_mismatch", 4,
		    BUILD "RuntimeError: Error building extension "
			  "'tiles'\n" },
	};

	(void)state;
	ALL(made);
#undef NO_HEADER
#undef BUILD
}

/* What lazy imports raise in each other, the reason behind all of them. */
static void imports_in_each_other(void **state)
{
	static const struct made made[] = {
		{ "library_not_found", 4,
		    IMPORT LAZY("lay") "No module named 'gluex'\n" },
		{ "library_not_found", 4,
		    IMPORT LAZY("lay")
			LAZY("cut") "No module named 'gluex'\n" },
		{ "version_mismatch", 4,
		    IMPORT LAZY("lay") LAZY("cut") LAZY(
			"glue") "Requires gluex version >=2.1 but got 1.4.\n" },
		/* a list of the message's own is over with its last line */
		{ "library_not_found", 6,
		    "Traceback (most recent call last):\n  File \"lay.py\", "
		    "line "
		    "7, in <module>\n    lay()\nTileError: laid so far:\n  "
		    "row:\nModuleNotFoundError: No module named 'gluex'\n" },
	};

	(void)state;
	ALL(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_of_a_notebook),
		cmocka_unit_test(more_than_its_class),
		cmocka_unit_test(carried_by_any_class),
		cmocka_unit_test(steps_of_a_workflow),
		cmocka_unit_test(last_words),
		cmocka_unit_test(what_a_compiler_printed),
		cmocka_unit_test(imports_in_each_other),
		cmocka_unit_test(said_aside),
		cmocka_unit_test(went_on),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
