/*
 * Single files: plain and compressed, damaged, changing, special.
 */
#include "tests/input/record.h"

#include <fcntl.h>
#include <sys/wait.h>

/* The compressors, each as a filter. */
static const struct {
	const char *name, *command;
	bool check; /* it has a sum */
	bool empty; /* libarchive knows it with nothing inside */
} packers[] = {
	{ "gz", "gzip -c", true, true },
	{ "bz2", "bzip2 -c", true, true },
	{ "xz", "xz -0 -c", true, true },
	{ "zst", "zstd -q --check -c", true, true },
	{ "lz4", "lz4 -q -c", true, true },
	{ "lz4-old", "lz4 -q -l -c", false, false },
};
#define PACKERS (sizeof packers / sizeof *packers)

static void pack(const char *command, const char *from, const char *to)
{
	char line[256];

	snprintf(line, sizeof line, "%s <%s >%s", command, from, to);
	sh(line);
}

static void test_plain(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	write_text("a", "one\ntwo");
	write_text("b!c", "three\n");
	write_text("empty", "");
	write_file("binary", "\0PK\3\4\0", 6);
	record_expect("a", NULL, "a=one\ntwo\n");
	record_expect("./a", NULL, "./a=one\ntwo\n");
	record_expect("b!c", NULL, "b!c=three\n\n");
	record_expect("empty", NULL, "empty=\n");
	write_lines("long", 0, 60000);
	record_read(&r, "long", NULL);
	assert_true(r.size > 1000000);
	assert_int_equal(r.read, r.size);
	assert_int_equal(r.logs, 1);
	record_read(&r, "binary", NULL);
	assert_int_equal(r.size, 6);
	record_release(&r);
}

/* The start of a magic number, or a text that only looks like one. */
static void test_almost_magic(void **state)
{
	static const char *const texts[] = { "\x1f\x8b", "\x1f\x8b\x08", "PK",
		"PK\n", "BZh9 is a compressor\n", "\xfd\067zX", "7z x a.7z\n",
		"\x28\xb5\x2f", "BZh", "ustar" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char told[64];

		write_text("x.gz", texts[i]);
		snprintf(told, sizeof told, "x.gz=%s\n", texts[i]);
		record_expect("x.gz", NULL, told);
	}
}

static void test_compressed(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	write_lines("plain", 0, 40000);
	write_text("small", "x\n");
	write_text("empty", "");
	for (size_t i = 0; i < PACKERS; i++) {
		const char *line;

		/* known by content, whatever the name */
		pack(packers[i].command, "plain", "name.txt");
		line = record_line(&r, "plain", "name.txt");
		record_expect("name.txt", NULL, line);
		pack(packers[i].command, "small", "name.txt");
		record_expect("name.txt", NULL, "name.txt=x\n\n");
		if (!packers[i].empty)
			continue;
		pack(packers[i].command, "empty", "name.txt");
		record_expect("name.txt", NULL, "name.txt=\n");
	}
	record_release(&r);
}

/* One part after the other is one log, as the tools themselves see it. */
static void test_parts(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	write_lines("one", 0, 9000);
	write_lines("two", 9000, 30000);
	sh("cat one two >both");
	for (size_t i = 0; i < PACKERS; i++) {
		pack(packers[i].command, "one", "p1");
		pack(packers[i].command, "two", "p2");
		sh("cat p1 p2 >parts");
		record_expect("parts", NULL, record_line(&r, "both", "parts"));
	}
	/* a frame that carries nothing comes first */
	sh("printf '\\120\\052\\115\\030\\3\\0\\0\\0abc' >skip");
	sh("zstd -q -c one | cat skip - >x; lz4 -q -c one | cat skip - >y");
	record_expect("x", NULL, record_line(&r, "one", "x"));
	record_expect("y", NULL, record_line(&r, "one", "y"));
	/* zeros that fill a block are no damage */
	sh("(gzip -c one; head -c 1000 /dev/zero) >padded");
	record_expect("padded", NULL, record_line(&r, "one", "padded"));
	record_release(&r);
}

static void test_double(void **state)
{
	(void)state;
	write_text("a", "twice\n");
	sh("gzip -c a | xz -c | zstd -q -c >b");
	record_expect("b", NULL, "b=twice\n\n");
	record_expect("b", "archive-depth=1",
	    "b limit: not opened: archives inside each other, more than 1 "
	    "(limit archive-depth)\n");
}

/* Cut anywhere, it is one log that is not whole, with a note. */
static void test_cut(void **state)
{
	(void)state;
	write_lines("plain", 0, 40000);
	for (size_t i = 0; i < PACKERS; i++) {
		struct stat st;

		pack(packers[i].command, "plain", "whole");
		assert_int_equal(stat("whole", &st), 0);
		for (int k = 1; k <= 9; k += 2) {
			struct record r = RECORD_INIT;
			const char *told;

			pack("cat", "whole", "c");
			assert_int_equal(truncate("c", st.st_size * k / 10), 0);
			told = record_read(&r, "c", NULL);
			assert_int_equal(r.logs, 1);
			expect_start(told, "c damaged: ");
			assert_non_null(strstr(told, "\nc="));
			assert_non_null(strstr(told, "(cut)\n"));
			record_release(&r);
		}
	}
}

/* What was whole before the cut is given, to the last byte there is. */
static void test_cut_gzip_gives_all(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	write_text("plain", "first\nlast\n");
	sh("gzip -c plain >g; truncate -s -8 g");
	record_expect("g", NULL,
	    "g damaged: the gzip data ends too early\n"
	    "g=first\nlast\n(cut)\n");
	write_lines("plain", 0, 40000);
	sh("gzip -c plain >g; truncate -s -1 g");
	record_read(&r, "plain", NULL);
	assert_true(r.size > 500000);
	{
		uint64_t size = r.size, hash = r.hash;

		record_read(&r, "g", NULL);
		assert_int_equal(r.size, size);
		assert_true(r.hash == hash);
	}
	record_release(&r);
}

static void flip(const char *path, long from_end)
{
	FILE *f = fopen(path, "r+b");
	int c;

	assert_non_null(f);
	assert_int_equal(fseek(f, -from_end, SEEK_END), 0);
	c = fgetc(f);
	assert_int_equal(fseek(f, -from_end, SEEK_END), 0);
	fputc(c ^ 0x10, f);
	assert_int_equal(fclose(f), 0);
}

/* A bit that is not as it was is found through the sum. */
static void test_bad_sum(void **state)
{
	static const long ends[] = { 6, 3 }; /* gzip: the CRC, the length */

	(void)state;
	write_lines("plain", 0, 40000);
	for (size_t i = 0; i < PACKERS; i++) {
		struct record r = RECORD_INIT;
		struct stat st;
		const char *told;

		if (!packers[i].check)
			continue;
		pack(packers[i].command, "plain", "c");
		assert_int_equal(stat("c", &st), 0);
		flip("c", st.st_size / 2);
		told = record_read(&r, "c", NULL);
		expect_start(told, "c damaged: ");
		assert_non_null(strstr(told, "(cut)\n"));
		record_release(&r);
	}
	write_text("plain", "payload\n");
	for (size_t i = 0; i < 2; i++) {
		pack("gzip -c", "plain", "c");
		flip("c", ends[i]);
		record_expect("c", NULL,
		    "c damaged: bad gzip data: incorrect length or checksum\n"
		    "c=payload\n(cut)\n");
	}
	sh("(gzip -c plain; echo more) >c");
	record_expect("c", NULL,
	    "c damaged: other bytes follow the gzip data\n"
	    "c=payload\n(cut)\n");
}

static void test_ratio(void **state)
{
	struct record r = RECORD_INIT;
	const char *told;

	(void)state;
	sh("head -c 100M /dev/zero | gzip -9 >bomb; "
	   "head -c 60M /dev/zero | gzip -9 >below");
	told = record_read(&r, "bomb", "archive-ratio=500");
	expect_start(told,
	    "bomb limit: expands more than 500 times (limit archive-ratio)\n"
	    "bomb=#");
	assert_non_null(strstr(told, "(cut)\n"));
	assert_true(r.size >= 64 << 20 && r.size < 66 << 20);
	told = record_read(&r, "bomb", "archive-ratio=2000");
	expect_start(told, "bomb=#104857600:");
	assert_null(strstr(told, "(cut)"));
	/* small things may be as dense as they like */
	told = record_read(&r, "below", "archive-ratio=10");
	expect_start(told, "below=#62914560:");
	assert_null(strstr(told, "(cut)"));
	told = record_read(&r, "below", "archive-bytes=1M");
	expect_start(told,
	    "below limit: expands to more than 1048576 bytes "
	    "(limit archive-bytes)\n");
	assert_int_equal(r.size, 1 << 20);
	record_release(&r);
}

static void grow(struct record *r)
{
	FILE *f = fopen("live", "ab");

	assert_non_null(f);
	fputs("added while it was read\n", f);
	assert_int_equal(fclose(f), 0);
	(void)r;
}

static void shrink(struct record *r)
{
	if (r->size < 500000)
		assert_int_equal(truncate("live", 1000), 0);
}

static void test_grows(void **state)
{
	struct record r = RECORD_INIT;
	char told[256];
	struct stat st;

	(void)state;
	write_lines("live", 0, 60000);
	assert_int_equal(stat("live", &st), 0);
	r.on_data = grow;
	record_read(&r, "live", NULL);
	assert_int_equal(r.size, st.st_size);
	snprintf(told, sizeof told,
	    "live changed: grew while it was read: what was added is left "
	    "out\nlive=#%lld:%llx\n",
	    (long long)st.st_size, (unsigned long long)r.hash);
	assert_string_equal(r.told.p, told);
	record_release(&r);
}

static void test_shrinks(void **state)
{
	struct record r = RECORD_INIT;
	const char *told;

	(void)state;
	write_lines("live", 0, 60000);
	r.on_data = shrink;
	told = record_read(&r, "live", NULL);
	expect_start(told, "live damaged: shrank while it was read\nlive=#");
	assert_non_null(strstr(told, "(cut)\n"));
	record_release(&r);
	/* so does what is compressed */
	write_lines("plain", 0, 400000);
	sh("gzip -c plain >live");
	r = (struct record)RECORD_INIT;
	r.on_data = shrink;
	told = record_read(&r, "live", NULL);
	expect_start(told, "live damaged: shrank while it was read\nlive=#");
	assert_non_null(strstr(told, "(cut)\n"));
	record_release(&r);
}

static void test_unreadable(void **state)
{
	uid_t was = geteuid();

	(void)state;
	write_text("secret", "x");
	sh("chmod 755 .; chmod 0 secret; mkdir dir; ln -s loop loop");
	if (was == 0)
		assert_int_equal(seteuid(65534), 0);
	record_expect("secret", NULL, "secret unreadable: Permission denied\n");
	if (was == 0)
		assert_int_equal(seteuid(was), 0);
	record_expect("dir", NULL, "dir unreadable: is a directory\n");
	record_expect(
	    "gone", NULL, "gone unreadable: No such file or directory\n");
	record_expect("", NULL, " unreadable: No such file or directory\n");
	record_expect("loop", NULL,
	    "loop unreadable: Too many levels of symbolic links\n");
	record_expect("/dev/null", NULL, "/dev/null skipped: a device\n");
}

/* Files without a size that have bytes all the same, and one that cannot be
 * read where it begins. */
static void test_proc(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	if (access("/proc/self/status", R_OK))
		skip();
	record_read(&r, "/proc/self/status", NULL);
	assert_int_equal(r.logs, 1);
	assert_true(r.size > 100);
	assert_null(strstr(r.told.p, "changed"));
	record_release(&r);
	record_expect("/proc/self/mem", NULL,
	    "/proc/self/mem unreadable: Input/output error\n");
}

static void test_stdin(void **state)
{
	(void)state;
	write_text("a", "from a pipe\n");
	record_expect_stdin("cat a", "-", "-=from a pipe\n\n");
	record_expect_stdin("gzip -c a", "-", "-=from a pipe\n\n");
	record_expect_stdin("zstd -q -c a", "-", "-=from a pipe\n\n");
	record_expect_stdin("true", "-", "-=\n");
	/* in small pieces: the first bytes come late */
	record_expect_stdin(
	    "gzip -c a | (dd bs=1 2>/dev/null)", "-", "-=from a pipe\n\n");
}

/* A standard input that is a file, and was read in part before. */
static void test_stdin_file(void **state)
{
	struct record r = RECORD_INIT;
	int keep = dup(0), fd;

	(void)state;
	write_text("a", "read before|the rest");
	fd = open("a", O_RDONLY);
	assert_int_equal(lseek(fd, 12, SEEK_SET), 12);
	assert_int_equal(dup2(fd, 0), 0);
	assert_string_equal(record_read(&r, "-", NULL), "-=the rest\n");
	assert_int_equal(dup2(keep, 0), 0);
	close(keep);
	close(fd);
	record_release(&r);
}

static void test_fifo(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open("pipe", O_WRONLY);

		_exit(write(fd, "through\n", 8) != 8);
	}
	record_expect("pipe", NULL, "pipe=through\n\n");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_sink_decides(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	write_lines("a", 0, 60000);
	r.answer = 1;
	assert_string_equal(record_read(&r, "a", NULL), "a?\n");
	r.answer = -1;
	assert_string_equal(record_read(&r, "a", NULL), "a?\n");
	r.answer = 0;
	r.stop_after = 1;
	record_read(&r, "a", NULL);
	assert_true(r.size > 0 && r.size < 500000);
	assert_non_null(strstr(r.told.p, "(cut)\n"));
	assert_null(strstr(r.told.p, "a "));
	record_release(&r);
}

static void test_note_names(void **state)
{
	(void)state;
	for (int i = 0; i < NOTE_COUNT; i++) {
		const char *name = input_note_name((enum input_note)i);

		assert_non_null(name);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(
			    name, input_note_name((enum input_note)k));
	}
	assert_string_equal(input_note_name(NOTE_UNREADABLE), "unreadable");
	assert_string_equal(input_note_name(NOTE_CHANGED), "changed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_plain),
		IN_FOLDER(test_almost_magic),
		IN_FOLDER(test_compressed),
		IN_FOLDER(test_parts),
		IN_FOLDER(test_double),
		IN_FOLDER(test_cut),
		IN_FOLDER(test_cut_gzip_gives_all),
		IN_FOLDER(test_bad_sum),
		IN_FOLDER(test_ratio),
		IN_FOLDER(test_grows),
		IN_FOLDER(test_shrinks),
		IN_FOLDER(test_unreadable),
		IN_FOLDER(test_proc),
		IN_FOLDER(test_stdin),
		IN_FOLDER(test_stdin_file),
		IN_FOLDER(test_fifo),
		IN_FOLDER(test_sink_decides),
		cmocka_unit_test(test_note_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
