/*
 * Equal answers: with and without the prefilter, in one piece and one byte at
 * a time, over the shipped corpus and over made-up logs. And what the blocks
 * make of the many ways in which a traceback reaches a log.
 */
#include "tests/diagnose/labs.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

static void check_text(const char *p, size_t n)
{
	struct findings *a = lab_scan(&lab, p, n, n ? n : 1, "a", -1);
	struct findings *b = lab_scan(&lab, p, n, 1, "a", -1);
	struct findings *c = lab_scan(&without, p, n, 977, "a", -1);

	lab_same(a, b);
	lab_same(a, c);
	findings_free(a);
	findings_free(b);
	findings_free(c);
}

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	*n = (size_t)ftell(f);
	rewind(f);
	p = malloc(*n + 1);
	assert_non_null(p);
	assert_int_equal(fread(p, 1, *n, f), *n);
	fclose(f);
	return p;
}

/* Every .log below dir; returns how many. */
static size_t check_tree(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t seen = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char path[4096];
		struct stat st;

		if (e->d_name[0] == '.' || strcmp(e->d_name, "programs") == 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		assert_int_equal(stat(path, &st), 0);
		if (S_ISDIR(st.st_mode)) {
			seen += check_tree(path);
		} else if (strstr(path, ".log") || strstr(path, ".json")) {
			size_t n;
			char *p = read_file(path, &n);

			check_text(p, n);
			free(p);
			seen++;
		}
	}
	closedir(d);
	return seen;
}

static void corpus_gives_equal_answers(void **state)
{
	const char *top = getenv("TOP");
	char path[4096];

	(void)state;
	snprintf(path, sizeof path, "%s/corpus", top ? top : ".");
	assert_true(check_tree(path) >= 60);
}

/* A log over several of the decoder's blocks, with everything in it. */
static void long_log_gives_equal_answers(void **state)
{
	size_t cap = 3u << 20, n = 0;
	char *p = malloc(cap);
	unsigned seed = 12345;

	(void)state;
	assert_non_null(p);
	for (unsigned i = 0; n < cap - 4096; i++) {
		seed = seed * 1103515245u + 12345u;
		n += (size_t)sprintf(p + n,
		    "2024-05-01 12:%02u:%02u INFO step %u loss %u.%u%s",
		    i / 60 % 60, i % 60, i, seed >> 28, seed >> 20 & 99,
		    seed >> 27 & 1 ? "\n" : "\r");
		if (i % 6000 == 1234)
			n += (size_t)sprintf(p + n,
			    "[rank%u]: Traceback (most recent call last):\n"
			    "[rank%u]:   File \"/home/ada/train.py\", line "
			    "%u, in step\n[rank%u]:     x = d[k]\n"
			    "[rank%u]: KeyError: 'k%u'\n",
			    i % 4, i % 4, i, i % 4, i % 4, i);
		if (i % 9000 == 77)
			n += (size_t)sprintf(p + n,
			    "\033[31mRuntimeError: CUDA out of memory. "
			    "Tried to allocate 2.00 GiB\033[0m\n");
	}
	/* no-prefilter is slow: one comparison of the cheap ones */
	struct findings *a = lab_scan(&lab, p, n, n, "a", -1);
	struct findings *b = lab_scan(&lab, p, n, 1, "a", -1);
	struct findings *c = lab_scan(&lab, p, n, 65537, "a", -1);

	assert_true(a->n_evidence > 10);
	lab_same(a, b);
	lab_same(a, c);
	findings_free(a);
	findings_free(b);
	findings_free(c);
	check_text(p, n / 16);
	free(p);
}

static struct findings *scan_text(const char *text)
{
	return lab_scan(&lab, text, strlen(text), 4096, "a", -1);
}

static void chains_are_linked(void **state)
{
	struct findings *f = scan_text(
	    "Traceback (most recent call last):\n"
	    "  File \"/home/ada/a.py\", line 3, in load\n"
	    "    return table[name]\n"
	    "KeyError: 'adamx'\n"
	    "\n"
	    "The above exception was the direct cause of the following "
	    "exception:\n"
	    "\n"
	    "Traceback (most recent call last):\n"
	    "  File \"/home/ada/a.py\", line 9, in <module>\n"
	    "    load()\n"
	    "ValueError: no optimizer adamx\n");

	(void)state;
	assert_int_equal(f->n_events, 2);
	assert_int_equal(f->events[1].chain, CHAIN_CAUSE);
	assert_int_equal(f->events[1].prior, 0);
	assert_string_equal(f->events[0].exception, "KeyError: 'adamx'");
	assert_string_equal(f->events[0].frame.function, "load");
	assert_string_equal(f->events[0].frame.code, "return table[name]");
	assert_int_equal(f->events[0].frame.line, 3);
	findings_free(f);
}

static void ranks_are_kept_apart(void **state)
{
	struct findings *f =
	    scan_text("[rank0]: Traceback (most recent call last):\n"
		      "[rank1]: Traceback (most recent call last):\n"
		      "[rank0]:   File \"/home/ada/a.py\", line 3, in f\n"
		      "[rank1]:   File \"/home/ada/b.py\", line 4, in g\n"
		      "[rank1]:     h()\n"
		      "[rank1]: KeyError: 'one'\n"
		      "[rank0]:     k()\n"
		      "[rank0]: ValueError: zero\n"
		      "done\n");

	(void)state;
	assert_int_equal(f->n_events, 2);
	assert_int_equal(f->events[0].rank, 0);
	assert_string_equal(f->events[0].exception, "ValueError: zero");
	assert_string_equal(f->events[0].frame.code, "k()");
	assert_int_equal(f->events[1].rank, 1);
	assert_string_equal(f->events[1].exception, "KeyError: 'one'");
	findings_free(f);
}

/* Two processes write into one file without saying who is who. */
static void unmarked_interleaving(void **state)
{
	struct findings *f =
	    scan_text("Traceback (most recent call last):\n"
		      "  File \"/home/ada/a.py\", line 3, in f\n"
		      "Traceback (most recent call last):\n"
		      "  File \"/home/ada/b.py\", line 4, in g\n"
		      "    k()\n"
		      "KeyError: 'first'\n"
		      "    h()\n"
		      "KeyError: 'second'\n");

	(void)state;
	assert_int_equal(f->n_events, 2);
	assert_true(f->events[0].complete && f->events[1].complete);
	findings_free(f);
}

static void cut_tracebacks(void **state)
{
	/* the head is missing */
	struct findings *f =
	    scan_text("  File \"/home/ada/a.py\", line 3, in f\n"
		      "    h()\n"
		      "IndexError: list index out of range\n");

	(void)state;
	assert_int_equal(f->n_events, 1);
	assert_true(f->events[0].complete);
	assert_true(f->n_evidence > 0);
	findings_free(f);
	/* the end is missing */
	f = scan_text("Traceback (most recent call last):\n"
		      "  File \"/home/ada/a.py\", line 3, in f\n");
	assert_int_equal(f->n_events, 1);
	assert_false(f->events[0].complete);
	assert_int_equal(f->n_evidence, 0);
	findings_free(f);
}

static void groups_and_messages_of_many_lines(void **state)
{
	struct findings *f =
	    scan_text("  + Exception Group Traceback (most recent call last):\n"
		      "  |   File \"/home/ada/a.py\", line 3, in f\n"
		      "  |     g()\n"
		      "  | ExceptionGroup: two (2 sub-exceptions)\n"
		      "  +-+---------------- 1 ----------------\n"
		      "    | Traceback (most recent call last):\n"
		      "    |   File \"/home/ada/a.py\", line 9, in one\n"
		      "    |     raise KeyError(k)\n"
		      "    | KeyError: 'lost'\n"
		      "    +------------------------------------\n");
	bool lost = false;

	(void)state;
	for (size_t i = 0; i < f->n_events; i++)
		lost |= f->events[i].exception &&
		    strcmp(f->events[i].exception, "KeyError: 'lost'") == 0;
	assert_true(lost);
	findings_free(f);
	f = scan_text("Traceback (most recent call last):\n"
		      "  File \"/home/ada/a.py\", line 3, in f\n"
		      "    m.load_state_dict(s)\n"
		      "RuntimeError: Error(s) in loading state_dict for Net:\n"
		      "\tMissing key(s) in state_dict: \"a.weight\". \n"
		      "\tsize mismatch for b: copying a param with shape "
		      "torch.Size([3]) from checkpoint, the shape in current "
		      "model is torch.Size([4]).\n"
		      "epoch 3\n");
	assert_int_equal(f->n_events, 1);
	assert_non_null(strstr(f->events[0].exception, "size mismatch for b"));
	assert_int_equal(f->events[0].last_line, 6);
	findings_free(f);
}

static void notebook_tracebacks(void **state)
{
	struct findings *f = scan_text(
	    "------------------------------------------------------------\n"
	    "ZeroDivisionError                Traceback (most recent call "
	    "last)\n"
	    "Cell In[4], line 2\n"
	    "      1 n = 0\n"
	    "----> 2 print(total / n)\n"
	    "\n"
	    "ZeroDivisionError: division by zero\n");

	(void)state;
	assert_int_equal(f->n_events, 1);
	assert_string_equal(
	    f->events[0].exception, "ZeroDivisionError: division by zero");
	assert_string_equal(f->events[0].frame.code, "print(total / n)");
	assert_int_equal(f->events[0].frame.line, 2);
	findings_free(f);
}

static void other_languages(void **state)
{
	static const char *const logs[] = {
		"terminate called after throwing an instance of "
		"'std::out_of_range'\n  what():  vector::_M_range_check: __n "
		"(which is 7) >= this->size() (which is 3)\nAborted\n",
		"Exception in thread \"main\" java.lang.IllegalStateException: "
		"no job\n\tat org.example.Main.run(Main.java:12)\n"
		"Caused by: java.lang.NullPointerException: name\n"
		"\tat org.example.Job.name(Job.java:3)\n\t... 3 more\n",
		"thread 'main' panicked at src/main.rs:4:5:\n"
		"index out of bounds: the len is 3 but the index is 9\n"
		"note: run with `RUST_BACKTRACE=1` environment variable\n",
		"panic: runtime error: index out of range [9] with length 3\n"
		"\ngoroutine 1 [running]:\nmain.main()\n"
		"\t/home/ada/main.go:9 +0x1d\nexit status 2\n",
		"Fatal Python error: Segmentation fault\n\n"
		"Current thread 0x00007f1 (most recent call first):\n"
		"  File \"/home/ada/a.py\", line 3 in f\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
		struct findings *f = scan_text(logs[i]);

		assert_int_equal(f->n_events, 1);
		assert_int_equal(f->events[0].kind, EVENT_BLOCK);
		assert_true(f->n_evidence > 0);
		findings_free(f);
	}
}

/* Lines that only show or quote a message are not evidence. */
static void echoes_are_no_evidence(void **state)
{
	static const char *const lines[] = {
		"+ grep -q 'CUDA out of memory. Tried to allocate 2.00 GiB'\n",
		"    raise RuntimeError(\"CUDA out of memory. Tried to "
		"allocate\")\n",
		"  pattern: 'CUDA out of memory. Tried to allocate 2.00 GiB'\n",
		"# RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n",
		"## when it says CUDA out of memory. Tried to allocate 2 GiB\n",
		"// OSError: [Errno 28] No space left on device\n",
		"grep -c \"No space left on device\" train.log\n",
		"if \"CUDA out of memory. Tried to allocate 1 GiB\" in "
		"str(e):\n",
		"logger.error(\"OSError: [Errno 28] No space left on "
		"device\")\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct findings *f = scan_text(lines[i]);

		assert_int_equal(f->n_evidence, 0);
		findings_free(f);
	}
}

/* A log's last line is an error, unless it is known to be none. */
static void last_lines(void **state)
{
	struct findings *f =
	    scan_text("laid 3 tiles\nlay - ERROR - the box is empty\n");

	(void)state;
	assert_int_equal(f->n_evidence, 1);
	findings_free(f);
	f = scan_text("laid 3 tiles\n2024-05-01 10:11:12 - ERROR - "
		      "filestream: error making HTTP request: canceled\n");
	assert_int_equal(f->n_evidence, 0);
	findings_free(f);
}

/* With little room for blocks, more ranks at once than there is room for: no
 * two write into the same one. */
static void open_blocks_have_room(void **state)
{
	const int ranks = 40;
	struct limits usual = lab.limits;
	char text[32768], last[40];
	struct findings *f;
	size_t n = 0, told = 0;

	(void)state;
	for (int k = 0; k < ranks; k++)
		n += (size_t)sprintf(text + n,
		    "[rank%d]: Traceback (most recent call last):\n", k);
	for (int k = 0; k < ranks; k++)
		n += (size_t)sprintf(text + n,
		    "[rank%d]:   File \"/home/ada/a.py\", line %d, "
		    "in f\n",
		    k, k + 1);
	/* 0, 8, 16, ... 1, 9, ...: blocks that may have shared a
	 * place end together */
	for (int j = 0; j < ranks; j++) {
		int k = j * 8 % ranks + j / (ranks / 8);

		n += (size_t)sprintf(
		    text + n, "[rank%d]: KeyError: 'k%d'\n", k, k + 1);
	}
	lab.limits.v[LIMIT_EVIDENCE] = 16;
	f = lab_scan(&lab, text, n, n, "a", -1);
	assert_true(f->n_events <= 16);
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if (!e->exception || e->frame.line < 0)
			continue;
		sprintf(last, "KeyError: 'k%ld'", (long)e->frame.line);
		assert_string_equal(e->exception, last);
	}
	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->event == EVENT_NONE)
			continue;
		assert_non_null(f->events[ev->event].exception);
		assert_non_null(
		    strstr(ev->text, f->events[ev->event].exception));
		told++;
	}
	assert_true(told > 0);
	findings_free(f);
	lab.limits = usual;
}

/* What is known of a file by its name is not taken for another one's. */
static void files_are_told_apart(void **state)
{
	char text[512];

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		/* a very long name is not remembered */
		int wide = i % 50 ? 0 : 300;
		const char *lib = i % 3 ? "" : "/site-packages";
		struct findings *f;

		sprintf(text,
		    "Traceback (most recent call last):\n"
		    "  File \"/home/%0*u%s/f.py\", line 3, in f\n"
		    "KeyError: 'k'\n",
		    wide, i % 100, lib);
		f = scan_text(text);
		assert_int_equal(f->n_events, 1);
		assert_int_equal(f->events[0].user_frame, i % 3 != 0);
		findings_free(f);
	}
}

/* The logs of an archive wait for its end. */
static void nothing_is_held_in_reserve(void **state)
{
	static const char text[] =
	    "Traceback (most recent call last):\n"
	    "  File \"/home/u/train.py\", line 3, in <module>\n"
	    "    main()\n"
	    "KeyError: 'a'\n"
	    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to "
	    "allocate 2.00 GiB\n"
	    "ValueError: an odd one\n";
	struct findings *f = scan_text(text);

	(void)state;
	assert_true(f->n_evidence > 2 && f->n_events > 1);
	assert_int_equal(f->cap_evidence, f->n_evidence);
	assert_int_equal(f->cap_events, f->n_events);
	/* and more may still come */
	assert_non_null(findings_evidence(f));
	assert_int_not_equal(findings_event(f), EVENT_NONE);
	findings_free(f);
	f = scan_text("all is well\n");
	assert_int_equal(f->cap_evidence, 0);
	assert_int_equal(f->cap_events, 0);
	assert_non_null(findings_evidence(f));
	findings_free(f);
}

static void facts_are_read(void **state)
{
	struct findings *f = scan_text(
	    "2024-05-01 10:00:00,000 INFO start\n"
	    "2024-05-01 10:00:05,000 INFO epoch 1 step 100 loss 0.5\n"
	    "2024-05-01 10:00:06,000 INFO Saved checkpoint to "
	    "/data/run/ckpt-100.pt\n"
	    "2024-05-01 10:00:07,000 INFO epoch 1 step 120 loss 0.4\n"
	    "2024-05-01 10:01:00,000 INFO child gone, exit code: 139\n");

	(void)state;
	assert_int_equal(f->last.epoch, 1);
	assert_int_equal(f->last.step, 120);
	assert_int_equal(f->last_line_of_progress, 4);
	assert_string_equal(f->checkpoint, "/data/run/ckpt-100.pt");
	assert_int_equal(f->exit_code, 139);
	assert_int_equal(f->signal, 11);
	assert_int_equal((f->last_time - f->first_time) / 1000000, 60);
	findings_free(f);
}

/* Lines, some of them with words of an end, and the line that counts. */
static uint64_t end_of(const char *text)
{
	struct findings *f = scan_text(text);
	uint64_t line = f->ended_line;

	assert_int_equal(f->ended_well, line > 0);
	findings_free(f);
	check_text(text, strlen(text));
	return line;
}

static void ends_are_found(void **state)
{
	char text[4096], after[1024] = "";

	(void)state;
	assert_int_equal(end_of(""), 0);
	assert_int_equal(end_of("Training FINISHED"), 1);
	assert_int_equal(end_of("a\nall done\nRun completed\nb\n\n"), 3);
	/* in the text of a line, not in what stands before it */
	assert_int_equal(end_of("2024-05-01 10:00:00,000 INFO run finished\n"
				"2024-05-01 10:00:01,000 INFO finished it\n"
				"2024-05-01 10:00:01,000 INFO 3 passed in\n"),
	    1);
	assert_int_equal(
	    end_of("== 5 passed in 2s ==\n== 1 passed, 1 failed"), 1);
	/* among the last 40 */
	for (int i = 0; i < 39; i++)
		strcat(after, "x\n\n");
	snprintf(text, sizeof text, "all done\n%s", after);
	assert_int_equal(end_of(text), 1);
	snprintf(text, sizeof text, "all done\n%sx", after);
	assert_int_equal(end_of(text), 0);
	/* said too much in too long a line */
	memset(text, ' ', 2048);
	for (size_t i = 0; i < 2000; i += 10)
		memcpy(text + i, "succeeded", 9);
	text[2048] = '\0';
	assert_int_equal(end_of(text), 0);
}

/* The last lines may lie in the block before. */
static void ends_are_found_across_blocks(void **state)
{
	size_t cap = 300u << 10, n = 0;
	char *p = malloc(cap);

	(void)state;
	assert_non_null(p);
	while (n < cap - 128)
		n += (size_t)sprintf(p + n, "%060zu\n", n);
	for (size_t to = 4100; to < n / 61; to += 7) {
		struct findings *f;
		char *line = p + 61 * (to - 20);
		char kept[61];

		memcpy(kept, line, 60);
		memcpy(line, "[rank3]: all done", 17);
		f = lab_scan(&lab, p, 61 * to, 4096, "a", -1);
		assert_int_equal(f->ended_line, to - 19);
		findings_free(f);
		memcpy(line, kept, 60);
	}
	free(p);
}

/* The last exception of a text, whatever tore it. */
static void tells(const char *text, const char *exception)
{
	size_t n = strlen(text);
	struct findings *f = lab_scan(&lab, text, n, n, "a", -1);
	struct findings *g = lab_scan(&lab, text, n, 1, "a", -1);
	const char *last = NULL;

	lab_same(f, g);
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].complete)
			last = f->events[i].exception;
	lab_same_string(last, exception);
	findings_free(f);
	findings_free(g);
}

#define TWO                                                \
	"Traceback (most recent call last):\n"             \
	"Traceback (most recent call last):\n"             \
	"  File \"/home/ada/t.py\", line 3, in <module>\n" \
	"  File \"/home/ada/t.py\", line 3, in <module>\n" \
	"    f()\n    f()\n"

static void test_torn_exceptions(void **state)
{
	(void)state;
	tells(TWO "NameErrorNameError: : name 'os' is not definedname 'os' "
		  "is not defined\n",
	    "NameError: name 'os' is not defined");
	tells(TWO ": : KeyErrorKeyError'a''a'\n", "KeyError: 'a'");
	tells(TWO "ValueErrorValueErrorValueError: : : oneoneone\n",
	    "ValueError: one");
	tells(TWO "ValueErrorValueError: : rank 0rank 1\n",
	    "ValueError: rank 0rank 1");
	tells(TWO "KeyboardInterruptKeyboardInterrupt\n", "KeyboardInterrupt");
	/* these are whole */
	tells(TWO "NameError: name 'ErrorError' is not defined\n",
	    "NameError: name 'ErrorError' is not defined");
}

static void test_indented_tracebacks(void **state)
{
	(void)state;
	tells("building\n    Traceback (most recent call last):\n"
	      "      File \"/tmp/x/setup.py\", line 3, in <module>\n"
	      "        f()\n    KeyError: 'name'\n    ----\nfailed\n",
	    "KeyError: 'name'");
	/* a bar was wiped out before the header */
	tells("          Traceback (most recent call last):\n"
	      "  File \"/home/ada/t.py\", line 3, in <module>\n"
	      "    f()\nKeyError: 'name'\nbye\n",
	    "KeyError: 'name'");
}

static void test_tracebacks_in_a_record(void **state)
{
	(void)state;
	tells(
	    "task 3: Traceback (most recent call last):\\n  File \"/a/t.py\", "
	    "line 3, in <module>\\n    f()\\nKeyError: 'name'\nnext\n",
	    "KeyError: 'name'");
	tells("worker: {'trace': \"Traceback (most recent call last):\\n  File "
	      "\\\"/a/t.py\\\", line 3, in f\\n    g()\\nValueError: one\\n\\n"
	      "During handling of the above exception, another exception "
	      "occurred:\\n\\nTraceback (most recent call last):\\n  File "
	      "\\\"/a/t.py\\\", line 9, in h\\n    f()\\nTypeError: "
	      "two\\n\"}\nnext\n",
	    "TypeError: two");
}

/* Programs of one node in one journal are writers of their own. */
static void test_journal(void **state)
{
	static const char text[] =
#define AT "Jan  2 03:04:05 gn7 "
	    AT "train[41]: Traceback (most recent call last):\n" AT
	       "watch[52]: Traceback (most recent call last):\n" AT
	       "train[41]:   File \"/home/ada/t.py\", line 3, in <module>\n" AT
	       "watch[52]:   File \"/opt/w.py\", line 9, in <module>\n" AT
	       "watch[52]:     poll()\n" AT "train[41]:     f()\n" AT
	       "train[41]: KeyError: 'name'\n" AT
	       "watch[52]: OSError: [Errno 5] Input/output error\n";
#undef AT
	struct findings *f =
	    lab_scan(&lab, text, sizeof text - 1, 4096, "a", -1);

	(void)state;
	assert_int_equal(f->n_events, 2);
	assert_string_equal(f->events[0].exception, "KeyError: 'name'");
	assert_string_equal(f->events[0].frame.file, "/home/ada/t.py");
	assert_string_equal(
	    f->events[1].exception, "OSError: [Errno 5] Input/output error");
	assert_string_equal(f->events[1].frame.file, "/opt/w.py");
	findings_free(f);
}

static void test_words_after_a_bar(void **state)
{
	(void)state;
	tells(" 50%|#####     | 5/10 [00:01<00:01,  5.0it/s]KeyError: 'name'\n",
	    "KeyError: 'name'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_torn_exceptions),
		cmocka_unit_test(test_indented_tracebacks),
		cmocka_unit_test(test_tracebacks_in_a_record),
		cmocka_unit_test(test_words_after_a_bar),
		cmocka_unit_test(test_journal),
		cmocka_unit_test(corpus_gives_equal_answers),
		cmocka_unit_test(long_log_gives_equal_answers),
		cmocka_unit_test(chains_are_linked),
		cmocka_unit_test(ranks_are_kept_apart),
		cmocka_unit_test(unmarked_interleaving),
		cmocka_unit_test(cut_tracebacks),
		cmocka_unit_test(groups_and_messages_of_many_lines),
		cmocka_unit_test(notebook_tracebacks),
		cmocka_unit_test(other_languages),
		cmocka_unit_test(echoes_are_no_evidence),
		cmocka_unit_test(last_lines),
		cmocka_unit_test(open_blocks_have_room),
		cmocka_unit_test(files_are_told_apart),
		cmocka_unit_test(nothing_is_held_in_reserve),
		cmocka_unit_test(facts_are_read),
		cmocka_unit_test(ends_are_found),
		cmocka_unit_test(ends_are_found_across_blocks),
	};

	return cmocka_run_group_tests(tests, labs_setup, labs_teardown);
}
