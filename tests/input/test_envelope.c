/* Every prefix that is known, alone and in stacks, and what must stay. */
#include "tests/test.h"

#include "base/when.h"
#include "input/envelope.h"
#include "input/peel.h"
#include "input/prefixes.h"
#include "tests/rules/overlay_lab.h"

#include <stdio.h>
#include <string.h>

static struct taxonomy *tax;

struct expected {
	const char *line, *text;
	int rank; /* -1: none */
	enum level level;
	const char *time;    /* NULL: none */
	const char *node;    /* NULL: not looked at */
	const char *program; /* the same */
};

#define NO_RANK (-1)

static const struct expected cases[] = {
	/* nothing to peel */
	{ "", "", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "RuntimeError: boom", "RuntimeError: boom", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "  File \"a.py\", line 3, in f", "  File \"a.py\", line 3, in f",
	    NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "python3: can't open file 'a.py'", "python3: can't open file 'a.py'",
	    NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "a.py:12: UserWarning: old", "a.py:12: UserWarning: old", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "   0: core::panicking::panic", "   0: core::panicking::panic",
	    NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "  12: main", "  12: main", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "Rank 3: hello", "Rank 3: hello", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "(most recent call first):", "(most recent call first):", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "[1, 2, 3]", "[1, 2, 3]", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "cuda0: ready", "cuda0: ready", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "g++-12: error: nope", "g++-12: error: nope", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "" },
	/* a level that stays */
	{ "ERROR: no such model", "ERROR: no such model", NO_RANK, LEVEL_ERROR,
	    NULL, "", "" },
	{ "WARNING: slow", "WARNING: slow", NO_RANK, LEVEL_WARNING, NULL, "",
	    "" },
	{ "##[error]The step failed", "The step failed", NO_RANK, LEVEL_ERROR,
	    NULL, "", "" },
	{ "2024-05-07T10:11:12.0000000Z ##[warning]slow", "slow", NO_RANK,
	    LEVEL_WARNING, "2024-05-07T10:11:12Z", "", "" },
	{ "Unit tests (linux)\tUNKNOWN STEP\t2024-05-07T10:11:12.0000000Z "
	  "make: "
	  "stopped",
	    "make: stopped", NO_RANK, LEVEL_UNKNOWN, "2024-05-07T10:11:12Z", "",
	    "Unit tests (linux)" },
	{ "train-7d9f8b6c5d-x2x9z trainer make: stopped", "make: stopped",
	    NO_RANK, LEVEL_UNKNOWN, NULL, "", "trainer" },
	{ "pre-train loop starts", "pre-train loop starts", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "a\tb\tmake: stopped", "a\tb\tmake: stopped", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "#12 34.567 make: stopped", "make: stopped", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "#12 ERROR: no such step", "ERROR: no such step", NO_RANK,
	    LEVEL_ERROR, NULL, "", "" },
	{ "#12 [2/3] RUN make", "#12 [2/3] RUN make", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "##[group]Run make", "##[group]Run make", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "error: no such model", "error: no such model", NO_RANK, LEVEL_ERROR,
	    NULL, "", "" },
	{ "slurmstepd: error: over the limit",
	    "slurmstepd: error: over the limit", NO_RANK, LEVEL_ERROR, NULL, "",
	    "" },
	{ "slurmstepd-gpu07: error: over the limit",
	    "slurmstepd-gpu07: error: over the limit", NO_RANK, LEVEL_ERROR,
	    NULL, "", "" },
	{ "srun: error: cn7: task 3: Killed",
	    "srun: error: cn7: task 3: Killed", NO_RANK, LEVEL_ERROR, NULL, "",
	    "" },
	{ "[Rank 5] watchdog woke", "[Rank 5] watchdog woke", 5, LEVEL_UNKNOWN,
	    NULL, "", "" },
	/* collectors */
	{ "train_1  | hello", "hello", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "train_1" },
	{ "my-web-2      |   indented", "  indented", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "", "my-web-2" },
	{ "layer | 12 | x", "layer | 12 | x", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "2024-03-04T05:06:07.123456789Z stderr F   File \"a.py\"",
	    "  File \"a.py\"", NO_RANK, LEVEL_UNKNOWN,
	    "2024-03-04T05:06:07.123456Z", "", "" },
	{ "2024-03-04T05:06:07.1+02:00 stdout P:t half", "half", NO_RANK,
	    LEVEL_UNKNOWN, "2024-03-04T03:06:07.100000Z", "", "" },
	{ "[pod/train-0/main] hello", "hello", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "Mar  4 05:06:07 gn03 kernel: [  81.000123] NVRM: text", "NVRM: text",
	    NO_RANK, LEVEL_UNKNOWN, "1970-03-04T05:06:07Z", "gn03", "kernel" },
	{ "Mar 14 05:06:07 gn03 slurmd[881]: launched", "launched", NO_RANK,
	    LEVEL_UNKNOWN, "1970-03-14T05:06:07Z", "gn03", "slurmd" },
	{ "2024-03-04T05:06:07+0000 gn03 kernel: oops", "oops", NO_RANK,
	    LEVEL_UNKNOWN, "2024-03-04T05:06:07Z", "gn03", "kernel" },
	{ "2024-03-04T05:06:07+0100 gn03 sshd[12]: bye", "bye", NO_RANK,
	    LEVEL_UNKNOWN, "2024-03-04T04:06:07Z", "gn03", "sshd" },
	{ "2024-03-04T05:06:07Z Training epoch: 3", "Training epoch: 3",
	    NO_RANK, LEVEL_UNKNOWN, "2024-03-04T05:06:07Z", "", "" },
	{ "[12345.678901] Out of memory", "Out of memory", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "[    1.678901][ T1234] nvidia: hi", "nvidia: hi", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "[ 1234.567890] gn03 train[4711]:   text", "  text", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "gn03", "train" },
	{ "[ 1234.567890] gn03 kernel: NVRM: Xid", "NVRM: Xid", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "gn03", "kernel" },
	{ "[ 1234.567890] usb 1-1: reset", "usb 1-1: reset", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	/* one blank behind the clock, or two */
	{ "10:11:12   text", "  text", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "10:11:12    text", "  text", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "10:11:12", "", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "<3>[  12.000001] I/O error", "I/O error", NO_RANK, LEVEL_ERROR, NULL,
	    "", "" },
	{ "kern  :err   : [  12.000001] I/O error", "I/O error", NO_RANK,
	    LEVEL_ERROR, NULL, "", "" },
	{ "[Tue May  7 10:11:12 2024] NVRM: Xid", "NVRM: Xid", NO_RANK,
	    LEVEL_UNKNOWN, "2024-05-07T10:11:12Z", "", "" },
	/* launchers */
	{ "12: text", "text", 12, LEVEL_UNKNOWN, NULL, "", "" },
	{ " 3:   File \"a.py\"", "  File \"a.py\"", 3, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "  7: step 3", "step 3", 7, LEVEL_UNKNOWN, NULL, "", "" },
	{ "   7: step 3 of 9", "step 3 of 9", 7, LEVEL_UNKNOWN, NULL, "", "" },
	{ "ERROR:root:12: text", "12: text", NO_RANK, LEVEL_ERROR, NULL, "",
	    "root" },
	{ "3: 4: text", "4: text", 3, LEVEL_UNKNOWN, NULL, "", "" },
	{ "[1,3]<stdout>:text", "text", 3, LEVEL_UNKNOWN, NULL, "", "" },
	{ "[1,3]<stderr>:  File \"a.py\"", "  File \"a.py\"", 3, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "[1,3]<stderr>:   File \"a.py\"", "  File \"a.py\"", 3, LEVEL_UNKNOWN,
	    NULL, "", "" },
	{ "[prterun-gn1-77@1,3]<stderr>: text", "text", 3, LEVEL_UNKNOWN, NULL,
	    "", "" },
	{ "[1,3][gn4:991]<stdout>: text", "text", 3, LEVEL_UNKNOWN, NULL, "gn4",
	    "" },
	{ "[1,mpirank:9,algo-2]<stderr>:text", "text", 9, LEVEL_UNKNOWN, NULL,
	    "algo-2", "" },
	{ "[6]<stderr>:Traceback", "Traceback", 6, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "Tue May  7 10:11:12 2024[6]<stderr>:boom", "boom", 6, LEVEL_UNKNOWN,
	    "2024-05-07T10:11:12Z", "", "" },
	{ "Tue May  7 10:11:12 2024<stdout>:boom", "boom", NO_RANK,
	    LEVEL_UNKNOWN, "2024-05-07T10:11:12Z", "", "" },
	{ "[rank3]:   File \"a.py\"", "  File \"a.py\"", 3, LEVEL_UNKNOWN, NULL,
	    "", "" },
	{ "[rank3]:[E1212 10:11:12.131415926 Group.cpp:61] dead", "dead", 3,
	    LEVEL_ERROR, "1970-12-12T10:11:12.131415Z", "", "" },
	{ "[rank3]:[E212 10:11:12.131415926 Group.cpp:61] dead", "dead", 3,
	    LEVEL_ERROR, "1970-02-12T10:11:12.131415Z", "", "" },
	{ "[rank3]:[W1212 10:11:12.131415926 Group.cpp:61] [Rank 3] dead",
	    "[Rank 3] dead", 3, LEVEL_WARNING, "1970-12-12T10:11:12.131415Z",
	    "", "" },
	{ "[E Group.cpp:737] dead", "dead", NO_RANK, LEVEL_ERROR, NULL, "",
	    "" },
	{ "[default3]:  File \"a.py\"", "  File \"a.py\"", NO_RANK,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "[default3]:[rank11]: ValueError: x", "ValueError: x", 11,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "gpu-node12: text", "text", NO_RANK, LEVEL_UNKNOWN, NULL,
	    "gpu-node12", "" },
	{ "10.1.2.3: text", "text", NO_RANK, LEVEL_UNKNOWN, NULL, "10.1.2.3",
	    "" },
	{ "abc7: [rank3]: text", "text", 3, LEVEL_UNKNOWN, NULL, "abc7", "" },
	{ "(Actor pid=11, ip=10.0.0.8) text", "text", NO_RANK, LEVEL_UNKNOWN,
	    NULL, "10.0.0.8", "Actor" },
	{ "(raylet) text [repeated 3x across cluster]",
	    "text [repeated 3x across cluster]", NO_RANK, LEVEL_UNKNOWN, NULL,
	    "", "raylet" },
	{ "(autoscaler +12s) text", "text", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "autoscaler" },
	{ "(EngineCore_0 pid=12) ERROR 05-06 07:08:09 [core.py:70] boom",
	    "boom", NO_RANK, LEVEL_ERROR, "1970-05-06T07:08:09Z", "",
	    "EngineCore_0" },
	{ "(APIServer pid=1) text", "text", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "APIServer" },
	{ "(WorkerProc rank=3 pid=1) text", "text", 3, LEVEL_UNKNOWN, NULL, "",
	    "WorkerProc" },
	{ "[2024-05-06 07:08:09,123 E 11 22] (raylet) node.cc:9: lost",
	    "node.cc:9: lost", NO_RANK, LEVEL_ERROR,
	    "2024-05-06T07:08:09.123000Z", "", "raylet" },
	{ "[2024-05-06T07:08:09.123456Z] 1a2b3c4d [rank=2] || boom", "boom", 2,
	    LEVEL_UNKNOWN, "2024-05-06T07:08:09.123456Z", "", "" },
	/* loggers */
	{ "2024-05-06 07:08:09,123 - train - ERROR - boom", "boom", NO_RANK,
	    LEVEL_ERROR, "2024-05-06T07:08:09.123000Z", "", "train" },
	{ "05/06/2024 07:08:09 - INFO - __main__ -   boom", "boom", NO_RANK,
	    LEVEL_INFO, "2024-05-06T07:08:09Z", "", "__main__" },
	{ "05/06 07:08:09 - mmengine - INFO - boom", "boom", NO_RANK,
	    LEVEL_INFO, "1970-05-06T07:08:09Z", "", "mmengine" },
	{ "2024-05-06 07:08:09 - WARNING - boom - bang", "boom - bang", NO_RANK,
	    LEVEL_WARNING, "2024-05-06T07:08:09Z", "", "" },
	{ "ERROR:root:boom", "boom", NO_RANK, LEVEL_ERROR, NULL, "", "root" },
	{ "INFO:2024-03-04 05:06:07,123:jax._src.xla_bridge:925: no backend",
	    "no backend", NO_RANK, LEVEL_INFO, "2024-03-04T05:06:07.123000Z",
	    "", "jax._src.xla_bridge" },
	{ "[2024-03-04 05:06:07.123456: W /tmp/h/stall_inspector.cc:105] slow",
	    "slow", NO_RANK, LEVEL_WARNING, "2024-03-04T05:06:07.123456Z", "",
	    "" },
	{ "WARNING:torch.distributed.run:", "", NO_RANK, LEVEL_WARNING, NULL,
	    "", "torch.distributed.run" },
	{ "[2024-05-06 07:08:09,123][__main__][ERROR] - boom", "boom", NO_RANK,
	    LEVEL_ERROR, "2024-05-06T07:08:09.123000Z", "", "__main__" },
	{ "ERROR 2024-05-06 07:08:09,123 launch.py:12] boom", "boom", NO_RANK,
	    LEVEL_ERROR, "2024-05-06T07:08:09.123000Z", "", "" },
	{ "INFO 05-06 07:08:09 [loader.py:12] boom", "boom", NO_RANK,
	    LEVEL_INFO, "1970-05-06T07:08:09Z", "", "" },
	{ "INFO 05-06 07:08:09 engine.py:12] boom", "boom", NO_RANK, LEVEL_INFO,
	    "1970-05-06T07:08:09Z", "", "" },
	{ "2024-05-06 07:08:09.123 | ERROR    | a.b:main:12 - boom", "boom",
	    NO_RANK, LEVEL_ERROR, "2024-05-06T07:08:09.123000Z", "",
	    "a.b:main:12" },
	{ "2024-05-06 07:08:09 | INFO | fairseq.tasks | boom", "boom", NO_RANK,
	    LEVEL_INFO, "2024-05-06T07:08:09Z", "", "fairseq.tasks" },
	{ "[ERROR] boom", "boom", NO_RANK, LEVEL_ERROR, NULL, "", "" },
	{ "[error] boom", "[error] boom", NO_RANK, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "E0506 07:08:09.123456 1234 file.cc:123] boom", "boom", NO_RANK,
	    LEVEL_ERROR, "1970-05-06T07:08:09.123456Z", "", "" },
	{ "I0506 07:08:09.123456 139872100 a/b.py:3]   indented", "  indented",
	    NO_RANK, LEVEL_INFO, "1970-05-06T07:08:09.123456Z", "", "" },
	{ "F20240506 07:08:09.123456  1234 file.cc:123] boom", "boom", NO_RANK,
	    LEVEL_FATAL, "2024-05-06T07:08:09.123456Z", "", "" },
	{ "W0000 00:00:1714979289.123456    1234 file.cc:123] boom", "boom",
	    NO_RANK, LEVEL_WARNING, "2024-05-06T07:08:09Z", "", "" },
	{ "2024-05-06 07:08:09.123456: E tensorflow/a/b.cc:12] boom", "boom",
	    NO_RANK, LEVEL_ERROR, "2024-05-06T07:08:09.123456Z", "", "" },
	{ "[07:08:09] boom", "boom", NO_RANK, LEVEL_UNKNOWN, NULL, "", "" },
	{ "[07:08:09] ERROR    boom", "boom", NO_RANK, LEVEL_ERROR, NULL, "",
	    "" },
	{ "[2024-05-06 07:08:09] [INFO] boom", "boom", NO_RANK, LEVEL_INFO,
	    "2024-05-06T07:08:09Z", "", "" },
	{ "[2024-05-06 07:08:09,123] [INFO] [logging.py:96:log_dist] [Rank 0] "
	  "boom",
	    "[Rank 0] boom", 0, LEVEL_INFO, "2024-05-06T07:08:09.123000Z", "",
	    "" },
	{ "[WARNING|trainer.py:803] 2024-05-06 07:08:09,123 >> boom", "boom",
	    NO_RANK, LEVEL_WARNING, "2024-05-06T07:08:09.123000Z", "", "" },
	{ "[NeMo W 2024-05-06 07:08:09 a_logging:349] boom", "boom", NO_RANK,
	    LEVEL_WARNING, "2024-05-06T07:08:09Z", "", "" },
	{ "[2024-05-06 07:08:09,123] torch.elastic.api: [ERROR] boom", "boom",
	    NO_RANK, LEVEL_ERROR, "2024-05-06T07:08:09.123000Z", "",
	    "torch.elastic.api" },
	{ "[05/06/2024-07:08:09] [E] boom", "boom", NO_RANK, LEVEL_ERROR,
	    "2024-05-06T07:08:09Z", "", "" },
	{ "24/05/06 07:08:09 ERROR Executor: boom", "Executor: boom", NO_RANK,
	    LEVEL_ERROR, "2024-05-06T07:08:09Z", "", "" },
	{ "2024-05-06 07:08:09 ERROR: boom", "ERROR: boom", NO_RANK,
	    LEVEL_ERROR, "2024-05-06T07:08:09Z", "", "" },
	{ "[2024-05-06T07:08:09.123] error: boom", "error: boom", NO_RANK,
	    LEVEL_ERROR, "2024-05-06T07:08:09.123000Z", "", "" },
	{ "gn1:1234:5678 [0] NCCL INFO Ring 00", "NCCL INFO Ring 00", NO_RANK,
	    LEVEL_INFO, NULL, "gn1", "" },
	{ "[2024-05-06 07:08:09] gn1:1234:5678 [0] net/ib.cc:7 NCCL WARN boom",
	    "NCCL WARN boom", NO_RANK, LEVEL_ERROR, "2024-05-06T07:08:09Z",
	    "gn1", "" },
	/* only a prefix */
	{ "2024-05-06 07:08:09", "", NO_RANK, LEVEL_UNKNOWN,
	    "2024-05-06T07:08:09Z", "", "" },
	{ "[3]   File \"a.py\"", "  File \"a.py\"", 3, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "[1]    4711 killed     ./a", "[1]    4711 killed     ./a", -1,
	    LEVEL_UNKNOWN, NULL, "", "" },
	{ "[1]  + 4711 done", "[1]  + 4711 done", -1, LEVEL_UNKNOWN, NULL, "",
	    "" },
	{ "ab12-algo-1-cd34  | text", "text", -1, LEVEL_UNKNOWN, NULL, "",
	    "ab12-algo-1-cd34" },
	{ "ab-c1d  | text", "ab-c1d  | text", -1, LEVEL_UNKNOWN, NULL, "", "" },
	{ "[rank3]: ", "", 3, LEVEL_UNKNOWN, NULL, "", "" },
	{ "[rank3]:", "", 3, LEVEL_UNKNOWN, NULL, "", "" },
	/* stacks; the time that says most wins */
	{ "2024-05-06T07:08:09.5Z stderr F [rank3]:[E0506 07:08:09.123456 "
	  "G.cpp:6] x",
	    "x", 3, LEVEL_ERROR, "2024-05-06T07:08:09.500000Z", "", "" },
	{ "train-1  | 2: 2024-05-06 07:08:09,5 - t - ERROR - x", "x", 2,
	    LEVEL_ERROR, "2024-05-06T07:08:09.500000Z", "", "t" },
	{ "gn12: [rank1]: Traceback (most recent call last):",
	    "Traceback (most recent call last):", 1, LEVEL_UNKNOWN, NULL,
	    "gn12", "" },
};

static void check_time(const struct envelope *e, const char *want)
{
	char text[32];

	if (!want) {
		assert_true(e->time == ENVELOPE_NO_TIME);
		return;
	}
	assert_true(e->time != ENVELOPE_NO_TIME);
	when_format(e->time, text);
	assert_string_equal(text, want);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct expected *x = &cases[i];
		struct envelope e;

		envelope_peel(tax->prefixes, span_of(x->line), &e);
		if (!span_is(e.text, x->text) || e.rank != x->rank ||
		    e.level != x->level ||
		    (x->node && !span_is(e.node, x->node)) ||
		    (x->program && !span_is(e.program, x->program)))
			fail_msg("'%s': text '%.*s' rank %d level %d node "
				 "'%.*s' program '%.*s'",
			    x->line, (int)e.text.n, e.text.p, e.rank,
			    (int)e.level, (int)e.node.n, e.node.p,
			    (int)e.program.n, e.program.p);
		check_time(&e, x->time);
	}
}

static void test_streams(void **state)
{
	struct envelope e;

	(void)state;
	envelope_peel(tax->prefixes, span_of("[1,0]<stderr>:x"), &e);
	assert_int_equal(e.stream, STREAM_STDERR);
	envelope_peel(tax->prefixes, span_of("[1,0]<stdout>:x"), &e);
	assert_int_equal(e.stream, STREAM_STDOUT);
	envelope_peel(
	    tax->prefixes, span_of("2024-05-06T07:08:09Z stdout F x"), &e);
	assert_int_equal(e.stream, STREAM_STDOUT);
	envelope_peel(tax->prefixes, span_of("x"), &e);
	assert_int_equal(e.stream, STREAM_UNKNOWN);
}

static void test_kernel_and_local_rank(void **state)
{
	struct envelope e;

	(void)state;
	envelope_peel(tax->prefixes, span_of("[12345.678901] x"), &e);
	assert_true(e.kernel);
	envelope_peel(
	    tax->prefixes, span_of("[Tue May  7 10:11:12 2024] x"), &e);
	assert_true(e.kernel);
	envelope_peel(
	    tax->prefixes, span_of("Mar  4 05:06:07 gn3 kernel: x"), &e);
	assert_true(e.kernel);
	envelope_peel(tax->prefixes, span_of("[12345.678901] gpu0: x"), &e);
	assert_true(span_is(e.text, "gpu0: x"));
	envelope_peel(
	    tax->prefixes, span_of("[12345.678901] gn3 train[4711]: x"), &e);
	assert_false(e.kernel);
	assert_true(e.uptime == 12345678901);
	envelope_peel(
	    tax->prefixes, span_of("[12345.678901] gn3 kernel: x"), &e);
	assert_true(e.kernel);
	envelope_peel(tax->prefixes, span_of("[2024-05-06 07:08:09] x"), &e);
	assert_false(e.kernel);
	envelope_peel(tax->prefixes, span_of("[default3]:x"), &e);
	assert_int_equal(e.local_rank, 3);
	assert_int_equal(e.rank, -1);
}

/* No start of a line, and no line with a byte changed, is read past its end
 * (the sanitizers see that), and the text is always the line's tail. */
static void test_damage(void **state)
{
	char line[256];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n = strlen(cases[i].line);

		assert_true(n < sizeof line);
		for (size_t k = 0; k <= n; k++) {
			struct span s = { line + sizeof line - k, k };
			struct envelope e;

			/* at the end of the array, so that a read past it
			 * is seen */
			memcpy(line + sizeof line - k, cases[i].line, k);
			envelope_peel(tax->prefixes, s, &e);
			assert_true(e.text.n <= k);
			assert_ptr_equal(e.text.p + e.text.n, s.p + k);
			if (k == 0)
				continue;
			line[sizeof line - 1 - k / 2] = (char)(0x80 | k);
			envelope_peel(tax->prefixes, s, &e);
			assert_ptr_equal(e.text.p + e.text.n, s.p + k);
		}
	}
}

/* At most eight prefixes: a line of nothing else ends somewhere. */
static void test_bound(void **state)
{
	static const char line[] = "[rank1]: [rank1]: [rank1]: [rank1]: "
				   "[rank1]: [rank1]: [rank1]: [rank1]: "
				   "[rank1]: x";
	struct envelope e;

	(void)state;
	envelope_peel(tax->prefixes, span_of(line), &e);
	assert_true(span_is(e.text, "[rank1]: x"));
}

/* Whether each of the rows that knows the start of a line is tried on it: one
 * whose mask lacks the line's first byte would never be. */
static void check_masks(
    const struct peel_row *rows, size_t n, const struct peel *at, bool *seen)
{
	for (size_t i = 0; i < n; i++) {
		struct envelope out = *at->out;
		struct peel p = *at;

		p.out = &out;
		if (!rows[i].peel(&p))
			continue;
		seen[i] = true;
		if (!(rows[i].first & peel_first(at->s.p[0])))
			fail_msg("%s is not tried on \"%.*s\"", rows[i].name,
			    (int)at->s.n, at->s.p);
	}
}

static void test_masks(void **state)
{
	bool origins[64] = { false }, loggers[64] = { false };

	(void)state;
	assert_in_range(origin_rows_n, 1, 64);
	assert_in_range(logger_rows_n, 1, 64);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct envelope out = { .rank = -1, .local_rank = -1 };
		struct peel p = { .s = span_of(cases[i].line),
			.more = tax->prefixes,
			.out = &out };
		int phase = 0;

		do {
			if (!p.s.n)
				break;
			check_masks(origin_rows, origin_rows_n, &p, origins);
			check_masks(logger_rows, logger_rows_n, &p, loggers);
		} while (envelope_step(&p, &phase, false));
	}
	/* a row without a case is not tested at all */
	for (size_t i = 0; i < origin_rows_n; i++)
		if (!origins[i])
			fail_msg("no case has \"%s\"", origin_rows[i].name);
	for (size_t i = 0; i < logger_rows_n; i++)
		if (!loggers[i])
			fail_msg("no case has \"%s\"", logger_rows[i].name);
}

/* A prefix of a site comes before all others, whatever byte it begins with;
 * what it switches off stays. */
static void test_sites_own(void **state)
{
	struct taxonomy *own = load_two(
	    "signals:\n"
	    "  - {id: site.prefix, title: T, signal: prefix, act: launcher, "
	    "says: warning, starts: ['@<node>/<rank>@ <time> (<text>) ', "
	    "'@<node>@ ', '[ERROR] '], "
	    "examples: {match: ['@a/3@ 2024-05-06 07:08:09 (x y) z', '@a@ z'], "
	    "no_match: ['@a z']}}\ndisable: [prefix.nemo]\n",
	    NULL);
	struct envelope e;

	(void)state;
	assert_non_null(own);
	envelope_peel(own->prefixes,
	    span_of("@gn7/12@ 2024-05-06 07:08:09 (a b) [rank3]: text"), &e);
	assert_true(span_is(e.text, "text"));
	assert_true(span_is(e.node, "gn7"));
	assert_int_equal(e.level, LEVEL_WARNING);
	assert_int_equal(e.rank, 3);
	check_time(&e, "2024-05-06T07:08:09Z");
	/* the second form, of which the first only has the start */
	envelope_peel(own->prefixes, span_of("@gn7@ text"), &e);
	assert_true(span_is(e.text, "text"));
	assert_int_equal(e.rank, -1);
	envelope_peel(own->prefixes, span_of("@gn7 text"), &e);
	assert_true(span_is(e.text, "@gn7 text"));
	envelope_peel(own->prefixes, span_of("[ERROR] text"), &e);
	assert_int_equal(e.level, LEVEL_WARNING);
	envelope_peel(tax->prefixes, span_of("[ERROR] text"), &e);
	assert_int_equal(e.level, LEVEL_ERROR);
	envelope_peel(
	    own->prefixes, span_of("[NeMo W 2024-05-06 07:08:09 a:1] x"), &e);
	assert_false(span_is(e.text, "x"));
	taxonomy_free(own);
}

/* As many as there is room for, and not one more. */
static void test_too_many(void **state)
{
	const struct prefix p = { .form = "<word>|" };
	struct prefixes *all = prefixes_new();
	struct err e = { 0 };
	int n = 0;

	(void)state;
	assert_non_null(all);
	while (!prefixes_add(all, &p, &e))
		n++;
	assert_int_equal(n, 128);
	assert_string_equal(e.text, "more than 128 forms of prefixes");
	prefixes_free(all);
	prefixes_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_kernel_and_local_rank),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_sites_own),
		cmocka_unit_test(test_too_many),
	};
	int rc;

	tax = taxonomy_load(NULL, 0, NULL);
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	taxonomy_free(tax);
	return rc;
}
