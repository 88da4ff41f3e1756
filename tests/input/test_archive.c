/*
 * Containers: their members, in each other, damaged, encrypted, too large, and
 * addressed.
 */
#include "tests/input/record.h"

#include <sys/resource.h>

/* Small logs in a folder named in. */
static void make_logs(void)
{
	sh("mkdir -p in/sub");
	write_text("in/a.log", "alpha\n");
	write_text("in/b.log", "");
	write_text("in/sub/c.log", "gamma\n");
}

static void test_containers(void **state)
{
	static const struct {
		const char *command, *told;
	} rows[] = {
		/* the name says nothing */
		{ "tar cf X in/a.log ./in/b.log in/sub",
		    "X!in/a.log=alpha\n\nX!in/b.log=\nX!in/sub/c.log=gamma\n"
		    "\n" },
		{ "tar c --format=v7 -f X in/a.log in/sub",
		    "X!in/a.log=alpha\n\nX!in/sub/c.log=gamma\n\n" },
		{ "tar c --format=ustar -f X in/a.log",
		    "X!in/a.log=alpha\n\n" },
		{ "tar c --format=posix -f X in/a.log",
		    "X!in/a.log=alpha\n\n" },
		{ "tar cjf X in/a.log", "X!in/a.log=alpha\n\n" },
		{ "tar cJf X in/a.log", "X!in/a.log=alpha\n\n" },
		{ "tar czf X in/a.log", "X!in/a.log=alpha\n\n" },
		{ "tar c in/a.log | zstd -q -c >X", "X!in/a.log=alpha\n\n" },
		{ "tar c in/a.log | lz4 -q -c >X", "X!in/a.log=alpha\n\n" },
		{ "zip -q - in/a.log in/b.log in/sub/c.log >X",
		    "X!in/a.log=alpha\n\nX!in/b.log=\nX!in/sub/c.log=gamma\n"
		    "\n" },
		{ "zip -q -0 X.zip in/a.log && mv X.zip X",
		    "X!in/a.log=alpha\n\n" },
		{ "7z a -bd X.7z in/sub >/dev/null && mv X.7z X",
		    "X!in/sub/c.log=gamma\n\n" },
		/* no members */
		{ "(printf 'PK\\5\\6'; head -c 18 /dev/zero) >X", "" },
	};

	(void)state;
	make_logs();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		sh("rm -f X");
		sh(rows[i].command);
		record_expect("X", NULL, rows[i].told);
	}
}

static void test_from_pipe(void **state)
{
	(void)state;
	make_logs();
	sh("tar cf a.tar in/a.log; tar czf a.tgz in/sub; "
	   "zip -q a.zip in/a.log in/sub/c.log; 7z a -bd a.7z in >/dev/null");
	record_expect_stdin("cat a.tar", "-", "-!in/a.log=alpha\n\n");
	record_expect_stdin("cat a.tgz", "-", "-!in/sub/c.log=gamma\n\n");
	record_expect_stdin(
	    "cat a.zip", "-", "-!in/a.log=alpha\n\n-!in/sub/c.log=gamma\n\n");
	record_expect_stdin(
	    "cat a.zip", "-!in/sub", "-!in/sub/c.log=gamma\n\n");
	record_expect_stdin("cat a.7z", "-!in/a.log", "-!in/a.log=alpha\n\n");
}

/* The bytes of a member are those of the file, whatever it came through. */
static void test_same_bytes(void **state)
{
	static const char *const commands[] = {
		"tar cf X big",
		"tar czf X big",
		"tar cJf X big",
		"zip -q X.zip big && mv X.zip X",
		"zip -q -0 - big | cat >X",
		"7z a -bd -mx=1 X.7z big >/dev/null && mv X.7z X",
	};
	struct record r = RECORD_INIT;

	(void)state;
	write_lines("big", 0, 100000);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		sh("rm -f X");
		sh(commands[i]);
		record_expect("X", NULL, record_line(&r, "big", "X!big"));
	}
	/* compressed inside: one log under the name it has there */
	sh("gzip -c big >big.gz; xz -0 -c big >big.xz; tar cf X big.gz "
	   "big.xz");
	record_expect("X!big.gz", NULL, record_line(&r, "big", "X!big.gz"));
	record_expect("X!big.xz", NULL, record_line(&r, "big", "X!big.xz"));
	record_release(&r);
}

static void test_sparse(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	sh("echo start >s; truncate -s 3M s; echo middle >>s; "
	   "truncate -s 5M s; tar cSf s.tar s");
	record_expect("s.tar", NULL, record_line(&r, "s", "s.tar!s"));
	record_release(&r);
}

static void test_names(void **state)
{
	char told[1200], name[256], command[1200];

	(void)state;
	memset(name, 'n', 200);
	name[200] = '\0';
	snprintf(command, sizeof command,
	    "mkdir -p %s/%s && echo deep >%s/%s/x && "
	    "tar c --format=gnu -f g.tar nnn* && "
	    "tar c --format=pax -f p.tar nnn* && zip -qr z.zip nnn*",
	    name, name, name, name);
	sh(command);
	for (int i = 0; i < 3; i++) {
		static const char *const files[] = { "g.tar", "p.tar",
			"z.zip" };

		snprintf(told, sizeof told, "%s!%s/%s/x=deep\n\n", files[i],
		    name, name);
		record_expect(files[i], NULL, told);
	}
	/* UTF-8, and bytes that are none */
	sh("mkdir u");
	write_text("u/\xc3\xbc\xe6\x97\xa5!\n.log", "3");
	sh("cd u; tar c --format=gnu -f ../u.gnu *; "
	   "tar c --format=pax -f ../u.pax *; zip -q ../u.zip *; "
	   "LC_ALL=C.UTF-8 7z a -bd ../u.7z * >/dev/null");
	for (int i = 0; i < 4; i++) {
		static const char *const files[] = { "u.gnu", "u.pax", "u.zip",
			"u.7z" };

		snprintf(told, sizeof told,
		    "%s!\xc3\xbc\xe6\x97\xa5!\n.log=3\n", files[i]);
		record_expect(files[i], NULL, told);
	}
	sh("mkdir l");
	write_text("l/\xe9t\xe9", "2");
	sh("tar c --format=gnu -f l.gnu -C l .; "
	   "tar c --format=pax -f l.pax -C l .");
	record_expect("l.gnu", NULL, "l.gnu!\xe9t\xe9=2\n");
	record_expect("l.pax", NULL, "l.pax!\xe9t\xe9=2\n");
}

/* Only files are logs; links are told, directories are not. */
static void test_not_files(void **state)
{
	(void)state;
	make_logs();
	sh("cd in; ln -s a.log link; ln a.log second; mkfifo pipe; "
	   "tar cf ../a.tar a.log link second pipe sub; rm pipe second; "
	   "zip -q -y ../a.zip a.log link; 7z a -bd -snl ../a.7z a.log link "
	   ">/dev/null");
	record_expect("a.tar", NULL,
	    "a.tar!a.log=alpha\n\n"
	    "a.tar!link skipped: a symbolic link\n"
	    "a.tar!second skipped: a hard link\n"
	    "a.tar!pipe skipped: a named pipe\n"
	    "a.tar!sub/c.log=gamma\n\n");
	record_expect("a.zip", NULL,
	    "a.zip!a.log=alpha\n\n"
	    "a.zip!link skipped: a symbolic link\n");
	record_expect("a.7z", NULL,
	    "a.7z!a.log=alpha\n\n"
	    "a.7z!link skipped: a symbolic link\n");
	record_expect("a.tar!sub", NULL, "a.tar!sub/c.log=gamma\n\n");
}

static void make_nest(void)
{
	make_logs();
	sh("cd in && gzip -c a.log >d.log.gz && "
	   "zip -q ../n.zip a.log d.log.gz && tar czf ../n.tgz sub && "
	   "7z a -bd ../n.7z a.log sub >/dev/null && cd .. && "
	   "tar c n.zip n.tgz n.7z | gzip -c | zstd -q -c >out");
}

static void test_nested(void **state)
{
	(void)state;
	make_nest();
	record_expect("out", NULL,
	    "out!n.zip!a.log=alpha\n\n"
	    "out!n.zip!d.log.gz=alpha\n\n"
	    "out!n.tgz!sub/c.log=gamma\n\n"
	    "out!n.7z!a.log=alpha\n\n"
	    "out!n.7z!sub/c.log=gamma\n\n");
	sh("tar cf out n.zip n.tgz n.7z");
	record_expect("out", "archive-depth=1",
	    "out!n.zip limit: not opened: archives inside each other, more "
	    "than 1 (limit archive-depth)\n"
	    "out!n.tgz limit: not opened: archives inside each other, more "
	    "than 1 (limit archive-depth)\n"
	    "out!n.7z limit: not opened: archives inside each other, more "
	    "than 1 (limit archive-depth)\n");
}

/* As deep as may be, and one deeper. */
static void test_depth(void **state)
{
	(void)state;
	write_text("x", "inside\n");
	sh("f=x; for i in 1 2 3 4 5 6 7 8; do tar czf $i $f; f=$i; done; "
	   "tar cf 9 8");
	record_expect("8", NULL, "8!7!6!5!4!3!2!1!x=inside\n\n");
	record_expect("9", NULL,
	    "9!8!7!6!5!4!3!2!1 limit: not opened: archives inside each "
	    "other, more than 8 (limit archive-depth)\n");
	record_expect(
	    "9", "archive-depth=64", "9!8!7!6!5!4!3!2!1!x=inside\n\n");
	sh("f=x; for i in $(seq 1 70); do gzip -1 -c $f >z$i; f=z$i; done");
	record_expect("z65", "archive-depth=64", "z65=inside\n\n");
	record_expect("z66", "archive-depth=64",
	    "z66 limit: not opened: archives inside each other, more than "
	    "64 (limit archive-depth)\n");
}

static void test_address(void **state)
{
	(void)state;
	make_nest();
	record_expect("out!n.zip", NULL,
	    "out!n.zip!a.log=alpha\n\nout!n.zip!d.log.gz=alpha\n\n");
	record_expect("out!n.zip!a.log", NULL, "out!n.zip!a.log=alpha\n\n");
	record_expect("out!n.7z!sub", NULL, "out!n.7z!sub/c.log=gamma\n\n");
	record_expect("out!./n.7z!sub/", NULL, "out!n.7z!sub/c.log=gamma\n\n");
	record_expect(
	    "out!n.tgz!sub/c.log", NULL, "out!n.tgz!sub/c.log=gamma\n\n");
	record_expect("out!n.z", NULL, "out!n.z unreadable: no such member\n");
	record_expect("out!n.zip!a.log!x", NULL,
	    "out!n.zip!a.log!x unreadable: no such member\n");
	record_expect(
	    "out!n.zip!a", NULL, "out!n.zip!a unreadable: no such member\n");
	record_expect(
	    "in/a.log!x", NULL, "in/a.log!x unreadable: no such member\n");
	record_expect(
	    "gone!x", NULL, "gone!x unreadable: No such file or directory\n");
	record_expect("in!a.log", NULL,
	    "in!a.log unreadable: No such file or directory\n");
}

/* An '!' in a name may stand for itself. */
static void test_address_marks(void **state)
{
	(void)state;
	make_logs();
	sh("mkdir 'd!r'; echo odd >'d!r/x!y'; tar cf 'a!b' 'd!r'; "
	   "tar cf a in/a.log");
	record_expect("a!b", NULL, "a!b!d!r/x!y=odd\n\n");
	record_expect("a!b!d!r", NULL, "a!b!d!r/x!y=odd\n\n");
	record_expect("a!b!d!r/x!y", NULL, "a!b!d!r/x!y=odd\n\n");
	record_expect("a!in", NULL, "a!in/a.log=alpha\n\n");
	record_expect("d!r/x!y", NULL, "d!r/x!y=odd\n\n");
}

static void test_encrypted(void **state)
{
	(void)state;
	make_logs();
	sh("cd in; zip -q -P word ../a.zip a.log; zip -q ../a.zip sub/c.log; "
	   "7z a -bd -tzip -mem=AES256 -pword ../b.zip a.log >/dev/null; "
	   "zip -q ../b.zip sub/c.log; "
	   "7z a -bd -pword ../a.7z a.log >/dev/null; "
	   "7z a -bd -pword -mhe=on ../b.7z a.log >/dev/null; cd ..; "
	   "tar cf o.tar a.zip b.7z in/a.log");
	record_expect("a.zip", NULL,
	    "a.zip!a.log encrypted: needs a passphrase\n"
	    "a.zip!sub/c.log=gamma\n\n");
	record_expect("b.zip", NULL,
	    "b.zip!a.log encrypted: needs a passphrase\n"
	    "b.zip!sub/c.log=gamma\n\n");
	record_expect("b.7z", NULL, "b.7z encrypted: needs a passphrase\n");
	record_expect("o.tar", NULL,
	    "o.tar!a.zip!a.log encrypted: needs a passphrase\n"
	    "o.tar!a.zip!sub/c.log=gamma\n\n"
	    "o.tar!b.7z encrypted: needs a passphrase\n"
	    "o.tar!in/a.log=alpha\n\n");
	{
		struct record r = RECORD_INIT;

		/* after the member libarchive may or may not go on */
		expect_start(record_read(&r, "a.7z", NULL),
		    "a.7z!a.log encrypted: needs a passphrase\n");
		assert_int_equal(r.logs, 0);
		record_release(&r);
	}
}

/* A tar of one.log, two.log and three.log of 18 to 80 KiB. */
static void make_three(void)
{
	write_lines("one", 0, 1000);
	write_lines("two", 1000, 5000);
	write_lines("three", 5000, 6000);
	sh("tar cf t.tar one two three");
}

static void test_cut_tar(void **state)
{
	struct record r = RECORD_INIT, one = RECORD_INIT;
	const char *line, *told;
	struct stat st;

	(void)state;
	make_three();
	/* in the middle of the second member */
	assert_int_equal(stat("one", &st), 0);
	sh("cp t.tar c.tar");
	assert_int_equal(truncate("c.tar", st.st_size + 30000), 0);
	line = record_line(&one, "one", "c.tar!one");
	told = record_read(&r, "c.tar", NULL);
	assert_memory_equal(told, line, strlen(line));
	told += strlen(line);
	expect_start(told, "c.tar!two damaged: ");
	assert_non_null(strstr(told, "\nc.tar!two=#"));
	assert_non_null(strstr(told, "(cut)\nc.tar damaged: "));
	assert_null(strstr(told, "three"));
	assert_true(r.size > 25000);
	/* and of the compressed stream */
	sh("gzip -c t.tar >c.tar; truncate -s -9000 c.tar");
	told = record_read(&r, "c.tar", NULL);
	assert_memory_equal(told, line, strlen(line));
	assert_non_null(
	    strstr(told, "damaged: the gzip data ends too early\nc.tar!"));
	assert_non_null(strstr(
	    told, "(cut)\nc.tar damaged: the gzip data ends too early\n"));
	record_release(&r);
	record_release(&one);
}

/* Cut between two members, only the mark at the end is missing. */
static void test_cut_between(void **state)
{
	(void)state;
	make_logs();
	sh("tar cf a.tar in/a.log in/sub/c.log; "
	   "tar cf b.tar -b 1 in/a.log; truncate -s 1024 a.tar");
	record_expect("a.tar", NULL,
	    "a.tar!in/a.log=alpha\n\n"
	    "a.tar damaged: the mark at the end of the archive is missing\n");
	record_expect("b.tar", NULL, "b.tar!in/a.log=alpha\n\n");
	sh("gzip a.tar b.tar");
	record_expect("a.tar.gz", NULL,
	    "a.tar.gz!in/a.log=alpha\n\n"
	    "a.tar.gz damaged: the mark at the end of the archive is "
	    "missing\n");
	record_expect("b.tar.gz", NULL, "b.tar.gz!in/a.log=alpha\n\n");
}

static void test_joined_tars(void **state)
{
	(void)state;
	make_logs();
	sh("tar cf a in/a.log; tar cf b in/sub; cat a b >both; "
	   "cat a in/a.log >more");
	record_expect(
	    "both", NULL, "both!in/a.log=alpha\n\nboth!in/sub/c.log=gamma\n\n");
	record_expect("more", NULL,
	    "more!in/a.log=alpha\n\nmore damaged: Truncated tar archive\n");
}

static void flip(const char *path, long at)
{
	FILE *f = fopen(path, "r+b");
	int c;

	assert_non_null(f);
	assert_int_equal(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
	c = fgetc(f);
	assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
	fputc(c ^ 0x10, f);
	assert_int_equal(fclose(f), 0);
}

/* A header that is damaged costs its own member only. */
static void test_bad_header(void **state)
{
	(void)state;
	make_logs();
	sh("tar cf a.tar in/a.log in/b.log in/sub/c.log");
	flip("a.tar", 1024 + 3); /* the second one */
	record_expect("a.tar", NULL,
	    "a.tar!in/a.log=alpha\n\n"
	    "a.tar damaged: Damaged tar archive\n"
	    "a.tar!in/sub/c.log=gamma\n\n");
	/* the first one, too */
	flip("a.tar", 3);
	record_expect("a.tar", NULL,
	    "a.tar damaged: Damaged tar archive\n"
	    "a.tar!in/sub/c.log=gamma\n\n");
	flip("a.tar", 1024 + 3);
	sh("gzip -c a.tar >a.tgz");
	record_expect("a.tgz", NULL,
	    "a.tgz damaged: Damaged tar archive\n"
	    "a.tgz!in/b.log=\na.tgz!in/sub/c.log=gamma\n\n");
}

/* A zip whose directory cannot be found by what its end says. */
static void test_lost_directory(void **state)
{
	(void)state;
	make_logs();
	sh("cd in; zip -q -0 -X -D ../z.zip a.log sub/c.log");
	/* 16 bytes are gone before the second member, with a part of it */
	sh("head -c 41 z.zip >cut.zip; tail -c +58 z.zip >>cut.zip");
	record_expect("cut.zip", NULL,
	    "cut.zip!a.log=alpha\n\n"
	    "cut.zip damaged: members are missing\n");
	record_expect_stdin("cat cut.zip", "-",
	    "-!a.log=alpha\n\n- damaged: members are missing\n");
	/* no members, it says */
	sh("head -c -14 z.zip >none.zip; head -c 14 /dev/zero >>none.zip");
	record_expect("none.zip", NULL,
	    "none.zip damaged: members are missing\n"
	    "none.zip!a.log=alpha\n\nnone.zip!sub/c.log=gamma\n\n");
	/* a header that is damaged costs its own member only */
	sh("cd in; zip -q -0 -X -D ../y.zip a.log b.log sub/c.log");
	flip("y.zip", 41 + 1);
	record_expect("y.zip", NULL,
	    "y.zip!a.log=alpha\n\n"
	    "y.zip damaged: Damaged Zip archive\n"
	    "y.zip!sub/c.log=gamma\n\n");
	/* where the directory has another place for one it is found, too */
	sh("cd in; zip -q -0 -X -D ../w.zip a.log b.log sub/c.log");
	flip("w.zip", 121 + 45);
	record_expect("w.zip", NULL,
	    "w.zip!b.log=\nw.zip!sub/c.log=gamma\n\n"
	    "w.zip damaged: Truncated ZIP file header\n"
	    "w.zip!a.log=alpha\n\n");
	/* a true end may have a comment, and an empty zip is no damage */
	sh("printf 'PK\\5\\6' >empty.zip; head -c 18 /dev/zero >>empty.zip; "
	   "echo 'PK' | zip -q -z z.zip");
	record_expect("empty.zip", NULL, "");
	record_expect(
	    "z.zip", NULL, "z.zip!a.log=alpha\n\nz.zip!sub/c.log=gamma\n\n");
}

static void test_bad_sums(void **state)
{
	struct record r = RECORD_INIT;
	const char *told;

	(void)state;
	make_three();
	make_logs();
	/* the CRC of a layer below, after the last member */
	sh("tar czf c in/a.log");
	flip("c", -6);
	record_expect("c", NULL,
	    "c!in/a.log=alpha\n\n"
	    "c damaged: bad gzip data: incorrect length or checksum\n");
	/* stored, so that the damage is in the log itself */
	sh("cd in; zip -q -0 ../z.zip a.log sub/c.log");
	flip("z.zip", 30 + 5 + 28 + 2); /* header, name, extra field */
	told = record_read(&r, "z.zip", NULL);
	expect_start(told, "z.zip!a.log damaged: ZIP bad CRC");
	assert_non_null(strstr(told, "\nz.zip!a.log=al"));
	assert_non_null(strstr(told, "\n(cut)\nz.zip!sub/c.log=gamma\n\n"));
	/* a compressed log in a container: the others are read */
	sh("gzip -c one >one.gz; gzip -c in/a.log >a.gz; truncate -s -20 "
	   "one.gz; tar cf t.tar one.gz a.gz");
	told = record_read(&r, "t.tar", NULL);
	expect_start(
	    told, "t.tar!one.gz damaged: the gzip data ends too early\n");
	assert_non_null(strstr(told, "(cut)\nt.tar!a.gz=alpha\n\n"));
	record_release(&r);
}

static void test_cut_zip_7z(void **state)
{
	struct record r = RECORD_INIT, one = RECORD_INIT;
	const char *line, *told;

	(void)state;
	make_three();
	sh("zip -q a.zip one two three; truncate -s -9000 a.zip; "
	   "7z a -bd a.7z one two >/dev/null; truncate -s -5000 a.7z");
	/* without its directory a zip is read as it comes */
	line = record_line(&one, "one", "a.zip!one");
	told = record_read(&r, "a.zip", NULL);
	assert_memory_equal(told, line, strlen(line));
	assert_non_null(strstr(told, "(cut)\na.zip damaged: "));
	/* a 7z has its directory at the end */
	told = record_read(&r, "a.7z", NULL);
	expect_start(told, "a.7z damaged: ");
	assert_int_equal(r.logs, 0);
	record_release(&r);
	record_release(&one);
}

static void test_limits(void **state)
{
	struct record r = RECORD_INIT;
	const char *told;

	(void)state;
	make_nest();
	record_expect("out", "archive-members=3",
	    "out!n.zip!a.log=alpha\n\nout!n.zip!d.log.gz=alpha\n\n"
	    "out limit: the rest is not read: members, more than 3 "
	    "(limit archive-members)\n");
	sh("head -c 2M /dev/urandom >noise; "
	   "7z a -bd -mx=0 big.7z noise in/a.log >/dev/null; "
	   "tar cf o.tar big.7z in/a.log");
	record_expect("o.tar", "nested-seek=1M",
	    "o.tar!big.7z limit: not read: a 7z that is not a file of its "
	    "own is held in memory, bytes, more than 1048576 "
	    "(limit nested-seek)\n"
	    "o.tar!in/a.log=alpha\n\n");
	told = record_read(&r, "o.tar!big.7z!in", NULL);
	assert_string_equal(told, "o.tar!big.7z!in/a.log=alpha\n\n");
	record_release(&r);
}

/* A bomb costs itself, and is told once; the total stops everything. */
static void test_bombs(void **state)
{
	struct record r = RECORD_INIT;
	const char *told;

	(void)state;
	make_logs();
	sh("head -c 150M /dev/zero | gzip -9 >bomb.gz; "
	   "head -c 150M /dev/zero >zero; zip -q -9 bomb.zip zero in/a.log; "
	   "rm zero; head -c 2M /dev/urandom >noise; "
	   "tar cf a.tar noise bomb.gz in/a.log; "
	   "tar c bomb.gz in/a.log | gzip >b.tgz");
	told = record_read(&r, "a.tar!bomb.gz", "archive-ratio=500");
	expect_start(told,
	    "a.tar!bomb.gz limit: expands more than 500 times "
	    "(limit archive-ratio)\na.tar!bomb.gz=#");
	assert_non_null(strstr(told, "(cut)\n"));
	told = record_read(&r, "a.tar", "archive-ratio=500");
	assert_non_null(strstr(told, "(cut)\na.tar!in/a.log=alpha\n\n"));
	told = record_read(&r, "bomb.zip", "archive-ratio=500");
	expect_start(told,
	    "bomb.zip!zero limit: expands more than 500 times "
	    "(limit archive-ratio)\nbomb.zip!zero=#");
	assert_string_equal(strstr(told, "(cut)\n"), "(cut)\n");
	told = record_read(&r, "b.tgz", "archive-bytes=1M");
	assert_string_equal(strstr(told, "(cut)\n"), "(cut)\n");
	assert_int_equal(r.logs, 1);
	record_release(&r);
}

static void test_sink_stops(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	make_nest();
	r.answer = -1;
	assert_string_equal(record_read(&r, "out", NULL), "out!n.zip!a.log?\n");
	r.answer = 1;
	assert_string_equal(record_read(&r, "out!n.7z", NULL),
	    "out!n.7z!a.log?\nout!n.7z!sub/c.log?\n");
	r.answer = 0;
	r.stop_after = 3; /* ends one log, not the others */
	assert_string_equal(record_read(&r, "out!n.7z", NULL),
	    "out!n.7z!a.log=alpha\n(cut)\nout!n.7z!sub/c.log=gamma\n"
	    "(cut)\n");
	record_release(&r);
}

/* Skipping the members of a plain tar goes past their bytes. */
static void test_skip_seeks(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	sh("head -c 20M /dev/urandom >noise; echo hello >z; "
	   "tar cf a.tar noise z");
	assert_string_equal(
	    record_read(&r, "a.tar!z", NULL), "a.tar!z=hello\n\n");
	assert_true(r.read > 0 && r.read < 2 << 20);
	record_release(&r);
}

static void append(struct record *r)
{
	FILE *f = fopen("live.zip", "ab");

	assert_non_null(f);
	fputc('x', f);
	assert_int_equal(fclose(f), 0);
	r->on_data = NULL;
}

static void test_grows(void **state)
{
	struct record r = RECORD_INIT;

	(void)state;
	make_logs();
	sh("cd in; zip -q ../live.zip a.log sub/c.log");
	r.on_data = append;
	assert_string_equal(record_read(&r, "live.zip", NULL),
	    "live.zip!a.log=alpha\n\nlive.zip!sub/c.log=gamma\n\n"
	    "live.zip changed: grew while it was read: what was added is "
	    "left out\n");
	record_release(&r);
}

/* 20,000 members and 1 GiB of zeros, in a few MiB. */
static void test_memory(void **state)
{
	struct record r = RECORD_INIT;
	struct rusage before, after;
	long most = 20 << 10; /* KiB */

	(void)state;
#if defined(__SANITIZE_ADDRESS__)
	most = 400 << 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
	most = 400 << 10;
#endif
#endif
	sh("mkdir many; cd many; seq 1 20000 | split -l 1 -a 4 - m; cd ..; "
	   "tar cf many.tar many; head -c 1G /dev/zero | gzip -1 >z.gz");
	getrusage(RUSAGE_SELF, &before);
	record_read(&r, "many.tar!many/zzzz", NULL);
	assert_int_equal(r.logs, 0);
	record_read(&r, "many.tar", NULL);
	assert_int_equal(r.logs, 20000);
	record_read(&r, "z.gz", NULL);
	assert_true(r.size == (uint64_t)1 << 30);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < most);
	record_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_memory),
		IN_FOLDER(test_containers),
		IN_FOLDER(test_from_pipe),
		IN_FOLDER(test_same_bytes),
		IN_FOLDER(test_sparse),
		IN_FOLDER(test_names),
		IN_FOLDER(test_not_files),
		IN_FOLDER(test_nested),
		IN_FOLDER(test_depth),
		IN_FOLDER(test_address),
		IN_FOLDER(test_address_marks),
		IN_FOLDER(test_encrypted),
		IN_FOLDER(test_cut_tar),
		IN_FOLDER(test_cut_between),
		IN_FOLDER(test_joined_tars),
		IN_FOLDER(test_bad_header),
		IN_FOLDER(test_lost_directory),
		IN_FOLDER(test_bad_sums),
		IN_FOLDER(test_cut_zip_7z),
		IN_FOLDER(test_limits),
		IN_FOLDER(test_bombs),
		IN_FOLDER(test_sink_stops),
		IN_FOLDER(test_skip_seeks),
		IN_FOLDER(test_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
