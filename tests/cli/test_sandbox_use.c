/*
 * What the program, and the libraries it uses, do inside the sandbox: none of
 * it may be refused. And a store opens its own files, not its folder.
 */
#define _GNU_SOURCE /* syscall */
#include "tests/test.h"

#include "base/err.h"
#include "cli/sandbox.h"
#include "reports/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char top[] = "/tmp/jobtriage-sandbox.XXXXXX";

static int make_place(void **state)
{
	(void)state;
	return !mkdtemp(top) || chdir(top) || mkdir("logs", 0755) ||
	    mkdir("out", 0755);
}

static int remove_place(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", top);
	return chdir("/") || system(command);
}

/* ---- each in a child of its own: 0 it worked ---- */

/* The C library loads a module for it. */
static int character_sets(void)
{
	char in[] = "\xa4\xa2", out[8], *from = in, *to = out;
	size_t n = 2, room = sizeof out;
	iconv_t c = iconv_open("UTF-8", "EUC-JP");

	if (c == (iconv_t)-1)
		return errno == EINVAL ? 0 : errno; /* none installed */
	return iconv(c, &from, &n, &to, &room) == (size_t)-1 ? errno : 0;
}

static int time_zones(void)
{
	time_t summer = 1750000000;
	struct tm tm;

	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK))
		return 0; /* none installed */
	return localtime_r(&summer, &tm) && tm.tm_isdst > 0 ? 0 : 1;
}

static int locales(void)
{
	return setlocale(LC_ALL, "C.UTF-8") || setlocale(LC_ALL, "") ? 0 : 1;
}

static void *use_memory(void *arg)
{
	for (size_t n = 1; n < (size_t)64 << 20; n *= 3) {
		char *p = malloc(n), *q = p ? realloc(p, 2 * n) : NULL;

		if (!q) {
			free(p);
			return arg;
		}
		q[n] = 1;
		free(q);
	}
	return NULL;
}

static int memory_of_threads(void)
{
	pthread_t t[8];
	int bad = 0;
	void *result;

	for (size_t i = 0; i < 8; i++)
		if (pthread_create(&t[i], NULL, use_memory, top))
			return errno ? errno : 1;
	for (size_t i = 0; i < 8; i++)
		bad |= pthread_join(t[i], &result) || result;
	return bad;
}

static int made_code(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

static int pipes(void)
{
	int ends[2];
	struct pollfd p = { .events = POLLIN };
	char c = 0;

	if (pipe(ends) || fcntl(ends[0], F_SETFL, O_NONBLOCK) ||
	    fcntl(ends[0], F_SETFD, FD_CLOEXEC) || write(ends[1], &c, 1) != 1)
		return errno;
	p.fd = dup(ends[0]);
	return poll(&p, 1, -1) == 1 && read(p.fd, &c, 1) == 1 ? 0 : errno;
}

static int clocks_and_limits(void)
{
	struct timespec nap = { 0, 1 };
	struct rlimit limit;
	struct rusage usage;

	return nanosleep(&nap, NULL) || clock_gettime(CLOCK_REALTIME, &nap) ||
		getrlimit(RLIMIT_STACK, &limit) ||
		setrlimit(RLIMIT_STACK, &limit) ||
		getrusage(RUSAGE_SELF, &usage) ||
		sysconf(_SC_NPROCESSORS_ONLN) < 1
	    ? errno
	    : 0;
}

static volatile sig_atomic_t told;

static void tell(int number)
{
	told = number;
}

static int signals(void)
{
	signal(SIGUSR1, tell);
	raise(SIGUSR1);
	return told == SIGUSR1 ? 0 : 1;
}

static int files_that_are_made(void)
{
	char name[] = "out/report.XXXXXX";
	int fd = mkstemp(name);
	FILE *f = fd < 0 || fchmod(fd, 0644) ? NULL : fdopen(fd, "w");

	return !f || fputs("text", f) < 0 || fflush(f) || fsync(fd) ||
		fclose(f) || rename(name, "out/report") || unlink("out/report")
	    ? errno
	    : 0;
}

static const struct {
	const char *name;
	int (*act)(void);
} uses[] = {
	{ "character sets", character_sets },
	{ "time zones", time_zones },
	{ "locales", locales },
	{ "memory of threads", memory_of_threads },
	{ "made code", made_code },
	{ "pipes", pipes },
	{ "clocks and limits", clocks_and_limits },
	{ "signals", signals },
	{ "files that are made", files_that_are_made },
};

/* ---- running them ---- */

static const char *inputs[] = { "logs" };

static struct settings settings_for(const char *output, const char *store)
{
	struct settings s;

	options_init(&s);
	s.sandbox = SANDBOX_REQUIRE;
	s.arguments.v = inputs;
	s.arguments.n = 1;
	s.output = output;
	s.store = store;
	return s;
}

/* The answer of what a child does inside; 255: there is no sandbox. */
static int inside(const struct settings *s, int (*act)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(sandbox_enter(s, SANDBOX_THREADS, NULL) ? 255
							      : act() & 127);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

static int nothing(void)
{
	return 0;
}

static void need_sandbox(void)
{
	struct settings s = settings_for(NULL, NULL);

	if (inside(&s, nothing) == 0)
		return;
	print_message("skip sandbox: this machine or build has none\n");
	skip();
}

static void nothing_needed_is_refused(void **state)
{
	struct settings s = settings_for("out/report", NULL);
	int bad = 0;

	(void)state;
	need_sandbox();
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
		int rc = inside(&s, uses[i].act);

		if (!rc)
			continue;
		print_error("%s: %d %s\n", uses[i].name, rc, strerror(rc));
		bad++;
	}
	assert_int_equal(bad, 0);
}

/* ---- the store ---- */

static int try_open(const char *path, int flags)
{
	int fd = open(path, flags, 0644);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* In a child; what does not hold, as its exit status. */
static int use_store(const struct settings *s)
{
	struct store *st = store_open(s->store, STORE_WRITE, NULL);
	bool log;

	if (!st)
		return 1;
	/* new as it is, the store has its log already */
	log = !access("out/s.db-wal", F_OK);
	if (sandbox_enter(s, SANDBOX_STORE_OPEN, NULL))
		return 2;
	if (try_open("out/s.db", O_RDWR))
		return 3;
	if (log && try_open("out/s.db-wal", O_RDWR | O_CREAT))
		return 4;
	/* a journal, where there is no log, may be made and removed */
	if (!log &&
	    (try_open("out/s.db-journal", O_RDWR | O_CREAT) ||
		unlink("out/s.db-journal")))
		return 5;
	if (log && try_open("out/other", O_WRONLY) != EACCES)
		return 6;
	if (log && try_open("out/new", O_WRONLY | O_CREAT) != EACCES)
		return 7;
	if (rename("out/other", "out/s.db") == 0)
		return 8;
	if (try_open("out/suid", O_WRONLY | O_CREAT) == 0 &&
	    chmod("out/suid", 04755) == 0)
		return 9;
	return store_close(st, NULL) ? 10 : 0;
}

static void a_store_opens_its_own_files(void **state)
{
	struct settings s = settings_for(NULL, "sqlite:link.db");
	int status;
	pid_t pid;

	(void)state;
	need_sandbox();
	close(open("out/other", O_WRONLY | O_CREAT, 0644));
	/* a store lies where a link to it leads, and so does its log */
	assert_int_equal(symlink("out/s.db", "link.db"), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(use_store(&s));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(access("out/s.db", F_OK), 0);
	assert_int_not_equal(access("out/s.db-wal", F_OK), 0);
	assert_int_not_equal(access("out/s.db-shm", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_needed_is_refused),
		cmocka_unit_test(a_store_opens_its_own_files),
	};

	return cmocka_run_group_tests(tests, make_place, remove_place);
}
