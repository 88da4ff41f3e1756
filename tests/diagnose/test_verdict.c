/*
 * What is of the place or the moment is no stop, what is of the program is
 * one: the same kind of failure, told apart by what its message says.
 */
#include "tests/diagnose/labs.h"

#include "base/buf.h"

#define N(table) (sizeof(table) / sizeof *(table))

#define STEPS                                                                  \
	"epoch 1 step 10 loss 0.9\nepoch 1 step 20 loss 0.8\nepoch 1 step 30 " \
	"loss 0.7\n"

struct told {
	const char *text; /* the exception of a traceback, or a line */
	const char *category;
	enum verdict verdict;
};

static void tell(const struct told *t, const char *before, const char *trace)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct diagnosis d;

	assert_int_equal(buf_addf(&b, "%s%s%s\n", before, trace, t->text), 0);
	lab_text(&lab, b.p, &d);
	if (strcmp(diagnosis_category(&d), t->category) != 0 ||
	    d.verdict != t->verdict)
		fail_msg("%s: %s, %s by %s", t->text, diagnosis_category(&d),
		    taxonomy_verdict_name(d.verdict),
		    d.rule ? d.rule->id : "-");
	diagnosis_release(&d);
	buf_release(&b);
}

static void raised(const struct told *t, size_t n, const char *before)
{
	for (size_t i = 0; i < n; i++)
		tell(&t[i], before,
		    "Traceback (most recent call last):\n"
		    "  File \"/home/ada/train.py\", line 30, in <module>\n"
		    "    out = run(x)\n");
}

static void lines(const struct told *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tell(&t[i], "Loading run.yaml\n", "");
}

static void devices_of_the_node(void **state)
{
	static const struct told start[] = {
		{ "RuntimeError: Attempting to deserialize object on a CUDA "
		  "device but torch.cuda.is_available() is False. If you are "
		  "running on a CPU-only machine",
		    "framework_api_misuse", VERDICT_ADJUST },
		{ "RuntimeError: Attempting to deserialize object on CUDA "
		  "device 3 but torch.cuda.device_count() is 1.",
		    "framework_api_misuse", VERDICT_STOP },
		{ "RuntimeError: The NVIDIA driver on your system is too old "
		  "(found version 11020).",
		    "version_mismatch", VERDICT_ADJUST },
		{ "RuntimeError: CUDA error: invalid device ordinal",
		    "illegal_argument", VERDICT_STOP },
		{ "ImportError: libcuda.so.1: cannot open shared object file: "
		  "No such file or directory",
		    "library_not_found", VERDICT_ADJUST },
		{ "ImportError: libcudart.so.11.0: cannot open shared object "
		  "file: No such file or directory",
		    "library_not_found", VERDICT_STOP },
		{ "FileNotFoundError: [Errno 2] No such file or directory: "
		  "'/dev/nvidia0'",
		    "path_not_found", VERDICT_ADJUST },
		{ "PermissionError: [Errno 13] Permission denied: "
		  "'/dev/nvidia0'",
		    "permission_denied", VERDICT_ADJUST },
		{ "lightning.fabric.utilities.exceptions."
		  "MisconfigurationException: No supported gpu backend found!",
		    "accelerator_error", VERDICT_ADJUST },
	};
	static const struct told later[] = {
		{ "RuntimeError: CUDA error: invalid device ordinal",
		    "illegal_argument", VERDICT_ADJUST },
	};

	(void)state;
	raised(start, N(start), "");
	raised(later, N(later), STEPS);
}

/* A transfer or an answer comes anew, a file does not. */
static void answers_and_downloads(void **state)
{
	static const struct told cases[] = {
		{ "urllib.error.ContentTooShortError: <urlopen error retrieval "
		  "incomplete: got only 8 out of 90 bytes>",
		    "corrupt_data", VERDICT_RETRY },
		{ "OSError: Consistency check failed: file should be of size "
		  "90 but has size 8 (model.safetensors).",
		    "corrupt_data", VERDICT_RETRY },
		{ "RuntimeError: invalid hash value (expected \"06\", got "
		  "\"ab\")",
		    "corrupt_data", VERDICT_RETRY },
		{ "ValueError: md5 mismatch for tiles_07.tar", "corrupt_data",
		    VERDICT_STOP },
		{ "requests.exceptions.JSONDecodeError: Expecting value: line "
		  "1 column 1 (char 0)",
		    "corrupt_data", VERDICT_RETRY },
		{ "  File \"/opt/env/lib/python3.9/site-packages/requests/"
		  "models.py\", line 900, in json\n    return loads()\n"
		  "json.decoder.JSONDecodeError: Expecting value: line 1 "
		  "column 1 (char 0)",
		    "corrupt_data", VERDICT_RETRY },
		{ "json.decoder.JSONDecodeError: Expecting value: line 1 "
		  "column 1 (char 0)",
		    "corrupt_data", VERDICT_STOP },
		{ "langchain_core.exceptions.OutputParserException: Failed to "
		  "parse Plan from completion {}. Got: 1 validation error for "
		  "Plan",
		    "corrupt_data", VERDICT_RETRY },
		{ "  File \"/opt/env/lib/python3.9/site-packages/langgraph/"
		  "pregel.py\", line 90, in tick\n    go()\n"
		  "pydantic_core._pydantic_core.ValidationError: 1 validation "
		  "error for Plan",
		    "corrupt_data", VERDICT_RETRY },
		{ "pydantic_core._pydantic_core.ValidationError: 1 validation "
		  "error for Plan",
		    "illegal_argument", VERDICT_STOP },
	};

	(void)state;
	raised(cases, N(cases), "");
}

static void images_of_containers(void **state)
{
	static const struct told cases[] = {
		{ "FATAL:   container creation failed: mount error: can't "
		  "mount image /proc/self/fd/9: kernel reported a bad "
		  "superblock for squashfs image partition, possible causes",
		    "corrupt_data", VERDICT_ADJUST },
		{ "FATAL:   could not open image a.sif: image format not "
		  "recognized",
		    "corrupt_data", VERDICT_STOP },
	};

	(void)state;
	lines(cases, N(cases));
}

/* Others hold it, left it behind, or were there at the same time. */
static void what_others_do(void **state)
{
	static const struct told cases[] = {
		{ "PermissionError: [Errno 13] Permission denied: "
		  "'/tmp/torch_extensions/a'",
		    "permission_denied", VERDICT_ADJUST },
		{ "PermissionError: [Errno 13] Permission denied: "
		  "'/home/ada/tmp/a'",
		    "permission_denied", VERDICT_STOP },
		{ "PermissionError: [WinError 32] The process cannot access "
		  "the file because it is being used by another process: "
		  "'a.log'",
		    "permission_denied", VERDICT_RETRY },
		{ "FileNotFoundError: [Errno 2] No such file or directory: "
		  "'/home/ada/.triton/cache/k.ptx.tmp.pid_7_1' -> "
		  "'/home/ada/.triton/cache/k.ptx'",
		    "path_not_found", VERDICT_RETRY },
		{ "FileNotFoundError: [Errno 2] No such file or directory: "
		  "'/home/ada/tmp/k.ptx'",
		    "path_not_found", VERDICT_STOP },
		{ "FileExistsError: [Errno 17] File exists: '/home/ada/a.tmp' "
		  "-> '/home/ada/a'",
		    "illegal_argument", VERDICT_RETRY },
		{ "FileExistsError: [Errno 17] File exists: '/home/ada/run7'",
		    "illegal_argument", VERDICT_STOP },
	};

	(void)state;
	raised(cases, N(cases), "");
}

/* There is none now, or not here. */
static void what_is_lacking_now(void **state)
{
	static const struct told cases[] = {
		{ "License Manager Error -4", "authentication_failure",
		    VERDICT_RETRY },
		{ "License Manager Error -8", "authentication_failure",
		    VERDICT_STOP },
		{ "sbatch: error: QOSMaxSubmitJobPerUserLimit", "node_failure",
		    VERDICT_RETRY },
		{ "sbatch: error: Batch job submission failed: Invalid account "
		  "or account/partition combination specified",
		    "permission_denied", VERDICT_STOP },
		{ "Process requirement exceeds available memory -- req: 32 GB; "
		  "avail: 31.3 GB",
		    "illegal_argument", VERDICT_ADJUST },
		{ "docker: Error response from daemon: driver failed "
		  "programming external connectivity on endpoint a: Bind for "
		  "0.0.0.0:80 failed: port is already allocated.",
		    "network_communication", VERDICT_ADJUST },
		{ "An error occurred (InsufficientInstanceCapacity) when "
		  "calling the RunInstances operation: We currently do not "
		  "have sufficient capacity",
		    "node_failure", VERDICT_RETRY },
		{ "botocore.exceptions.CredentialRetrievalError: Error when "
		  "retrieving credentials from iam-role: timed out",
		    "authentication_failure", VERDICT_RETRY },
		{ "botocore.exceptions.NoCredentialsError: Unable to locate "
		  "credentials",
		    "authentication_failure", VERDICT_STOP },
		{ "slurm_script: line 4: cannot create temp file for "
		  "here-document: No space left on device",
		    "storage_fault", VERDICT_ADJUST },
		{ "cp: error writing '/work/a': No space left on device",
		    "storage_fault", VERDICT_STOP },
	};

	(void)state;
	lines(cases, N(cases));
}

/* What should have been fetched before. */
static void what_follows_from_the_network(void **state)
{
	static const struct told cases[] = {
		{ "KeyError: 'rows'", "key_not_found", VERDICT_STOP },
		{ "zipfile.BadZipFile: File is not a zip file", "corrupt_data",
		    VERDICT_STOP },
		{ "AttributeError: 'Answer' object has no attribute 'rows'",
		    "attribute_not_found", VERDICT_STOP },
		{ "RuntimeError: mat1 and mat2 shapes cannot be multiplied "
		  "(4x8 and 16x2)",
		    "tensor_mismatch", VERDICT_STOP },
	};
	static const char cut[] = "WARNING: could not fetch tiles: [Errno 111] "
				  "Connection refused, trying the next\n" STEPS;

	(void)state;
	raised(cases, N(cases), "fetched 4 of 4\nsorting\nlaying\n");
	for (size_t i = 0; i < N(cases); i++) {
		struct told t = cases[i];

		/* what does not depend on what was fetched stays one */
		if (strcmp(t.category, "tensor_mismatch") != 0)
			t.verdict = VERDICT_RETRY;
		raised(&t, 1, cut);
	}
}

/* Peers lose the one that died: no reason to try it again. */
static void what_the_peers_lost(void **state)
{
	static const char lost[] =
	    "Traceback (most recent call last):\n"
	    "  File \"/home/ada/train.py\", line 30, in <module>\n"
	    "    out = run(x)\n"
	    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:"
	    "598] Connection closed by peer [10.0.0.7]:22011\n";
	const char *const ranks[] = {
		"Traceback (most recent call last):\n"
		"  File \"/home/ada/train.py\", line 30, in <module>\n"
		"    out = run(x)\n"
		"KeyError: 'rows'\n",
		lost, lost
	};
	struct diagnosis d;

	(void)state;
	lab_job(&lab, ranks, N(ranks), &d);
	assert_string_equal(diagnosis_category(&d), "key_not_found");
	assert_int_equal(d.verdict, VERDICT_STOP);
	diagnosis_release(&d);
}

/* Checks of a program's own, of a class that says nothing. */
static void words_of_the_moment(void **state)
{
	static const struct told cases[] = {
		{ "AssertionError: timed out waiting for rank 0",
		    "assertion_failure", VERDICT_RETRY },
		{ "AssertionError: timeout must be positive",
		    "assertion_failure", VERDICT_STOP },
		{ "ValueError: the cache is in use by another process",
		    "illegal_argument", VERDICT_RETRY },
		{ "ValueError: name tiles already in use",
		    "framework_api_misuse", VERDICT_STOP },
		{ "ValueError: download of the tiles was interrupted",
		    "illegal_argument", VERDICT_RETRY },
		{ "ValueError: the tiles were not accepted", "illegal_argument",
		    VERDICT_STOP },
	};

	(void)state;
	raised(cases, N(cases), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_of_the_node),
		cmocka_unit_test(answers_and_downloads),
		cmocka_unit_test(images_of_containers),
		cmocka_unit_test(what_others_do),
		cmocka_unit_test(what_is_lacking_now),
		cmocka_unit_test(what_follows_from_the_network),
		cmocka_unit_test(what_the_peers_lost),
		cmocka_unit_test(words_of_the_moment),
	};

	return cmocka_run_group_tests(tests, labs_setup_one, labs_teardown);
}
