/*
 * Faults on demand, preloaded in front of the C library. FAULT is a list with
 * commas of CALL:WHEN[=WHAT]:
 *
 *   alloc:N            malloc, calloc and realloc; those inside libraries too
 *   open:N=ERRNO       open, openat, fopen, mkstemp, opendir
 *   read:N=ERRNO       read, pread; =short: 1 to 7 bytes; =run: first FAULT_RUN
 *                      is run by sh, then the call is made
 *   write:N=ERRNO      write, pwrite; =short: half of it
 *   sync, rename, truncate:N=ERRNO
 *   clock:N=SECONDS    what the time of day is off by; the monotonic clock
 *                      never jumps, here as in the kernel
 *
 * WHEN counts the calls from 1: N is the Nth alone, N+ it and all later ones,
 * N/M it and every Mth later one. With FAULT_PATH only files whose name holds
 * it count. The file FAULT_LOG gets "fired CALL" when it first happens and
 * "total CALL COUNT" at the end; with FAULT_PLACES also "place alloc N" for the
 * first allocation of each chain of callers. What the C library calls inside
 * itself (fwrite's write) is out of reach: RLIMIT_FSIZE, a small tmpfs,
 * /dev/full and /proc/self/mem are real. Children run without faults.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum call {
	CALL_ALLOC,
	CALL_OPEN,
	CALL_READ,
	CALL_WRITE,
	CALL_SYNC,
	CALL_RENAME,
	CALL_TRUNCATE,
	CALL_CLOCK,
	N_CALLS
};

enum what { FAIL, SHORT, RUN };

static const char *const names[N_CALLS] = { "alloc", "open", "read", "write",
	"sync", "rename", "truncate", "clock" };

static const struct {
	const char *name;
	int number;
} errors[] = { { "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EINTR", EINTR },
	{ "EMFILE", EMFILE }, { "EACCES", EACCES }, { "EDQUOT", EDQUOT },
	{ "ESTALE", ESTALE } };

static struct fault {
	unsigned long first, every; /* every 0: once; 1: always */
	enum what what;
	long value; /* an errno, or seconds */
	_Atomic unsigned long count;
	_Atomic bool fired;
} faults[N_CALLS];

#define FRAMES 24
#define PLACES (1u << 16)

static bool armed, by_place;
static _Atomic uintptr_t places[PLACES];
static const char *only, *command;
static int log_fd = -1;

/* The next definition of a function; ISO C has no cast from void *. */
#define REAL(f)                     \
	static __typeof__(f) *real; \
	if (!real)                  \
	*(void **)&real = dlsym(RTLD_NEXT, #f)

/* ---- the plan ---- */

static void read_fault(char *text)
{
	char *when = strchr(text, ':'), *what;
	struct fault *f = NULL;

	if (!when)
		return;
	*when++ = '\0';
	for (int i = 0; i < N_CALLS; i++)
		if (strcmp(text, names[i]) == 0)
			f = &faults[i];
	if (!f) {
		dprintf(2, "inject: no call '%s'\n", text);
		_exit(99);
	}
	f->first = strtoul(when, &what, 10);
	if (*what == '+') {
		f->every = 1;
		what++;
	} else if (*what == '/') {
		f->every = strtoul(what + 1, &what, 10);
	}
	f->value = ENOMEM;
	if (*what++ != '=')
		return;
	f->what = strcmp(what, "short") == 0 ? SHORT
	    : strcmp(what, "run") == 0       ? RUN
					     : FAIL;
	f->value = strtol(what, NULL, 10);
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (strcmp(what, errors[i].name) == 0)
			f->value = errors[i].number;
}

/* Out of the way of the program's own, and before it may open nothing more. */
static int open_log(const char *name)
{
	long fd = syscall(
	    SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND, 0666);
	int high = fcntl((int)fd, F_DUPFD_CLOEXEC, 500);

	syscall(SYS_close, fd);
	return high;
}

__attribute__((constructor)) static void plan(void)
{
	const char *given = getenv("FAULT");
	char text[512], *save, *p;

	only = getenv("FAULT_PATH");
	if (getenv("FAULT_LOG"))
		log_fd = open_log(getenv("FAULT_LOG"));
	command = getenv("FAULT_RUN");
	snprintf(text, sizeof text, "%s", given ? given : "");
	for (p = strtok_r(text, ",", &save); p; p = strtok_r(NULL, ",", &save))
		read_fault(p);
	unsetenv("LD_PRELOAD");
	by_place = getenv("FAULT_PLACES") != NULL;
	if (by_place) {
		void *frames[FRAMES];

		/* the first call loads a library */
		(void)backtrace(frames, FRAMES);
	}
	armed = true;
}

/* Past every function that this library replaces. */
static void note(const char *word, const char *name, unsigned long n)
{
	char line[64];

	snprintf(line, sizeof line, "%s %s %lu\n", word, name, n);
	if (log_fd >= 0)
		syscall(SYS_write, log_fd, line, strlen(line));
}

__attribute__((destructor)) static void totals(void)
{
	if (!armed)
		return;
	armed = false;
	for (int i = 0; i < N_CALLS; i++)
		note("total", names[i], faults[i].count);
}

/* Whether no allocation before came by the same chain of callers. */
static bool new_place(void)
{
	void *frames[FRAMES];
	uintptr_t sum = 1;
	int n = backtrace(frames, FRAMES);

	for (int i = 0; i < n; i++)
		sum = (sum ^ (uintptr_t)frames[i]) * 1099511628211u;
	for (uintptr_t i = sum >> 16, end = i + PLACES; i < end; i++) {
		uintptr_t free_slot = 0;

		if (atomic_compare_exchange_strong(
			&places[i % PLACES], &free_slot, sum))
			return true;
		if (free_slot == sum)
			return false;
	}
	return false;
}

static struct fault *hit(enum call call)
{
	struct fault *f = &faults[call];
	unsigned long n;

	if (!armed)
		return NULL;
	n = ++f->count;
	if (by_place && call == CALL_ALLOC && new_place())
		note("place", names[call], n);
	if (!f->first || n < f->first ||
	    (f->every ? (n - f->first) % f->every != 0 : n != f->first))
		return NULL;
	if (!f->fired) {
		f->fired = true;
		note("fired", names[call], n);
		if (getenv("FAULT_TRACE")) {
			void *frames[FRAMES];

			armed = false;
			backtrace_symbols_fd(
			    frames, backtrace(frames, FRAMES), 2);
			armed = true;
		}
	}
	if (call != CALL_CLOCK && f->what == FAIL)
		errno = (int)f->value;
	return f;
}

static struct fault *hit_path(enum call call, const char *path)
{
	return only && !strstr(path, only) ? NULL : hit(call);
}

static struct fault *hit_fd(enum call call, int fd)
{
	char link[64], path[4096];
	ssize_t n;

	if (!armed)
		return NULL;
	if (!only)
		return hit(call);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	return hit_path(call, path);
}

/* ---- memory ---- */

void *malloc(size_t n)
{
	REAL(malloc);
	return hit(CALL_ALLOC) ? NULL : real(n);
}

void *calloc(size_t n, size_t size)
{
	REAL(calloc);
	return hit(CALL_ALLOC) ? NULL : real(n, size);
}

void *realloc(void *p, size_t n)
{
	REAL(realloc);
	return hit(CALL_ALLOC) ? NULL : real(p, n);
}

/* ---- files ---- */

#define OPEN(function)                                                      \
	int function(const char *path, int flags, ...)                      \
	{                                                                   \
		mode_t mode;                                                \
		va_list ap;                                                 \
		REAL(function);                                             \
		va_start(ap, flags);                                        \
		mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;            \
		va_end(ap);                                                 \
		return hit_path(CALL_OPEN, path) ? -1                       \
						 : real(path, flags, mode); \
	}

#define OPENAT(function)                                         \
	int function(int dir, const char *path, int flags, ...)  \
	{                                                        \
		mode_t mode;                                     \
		va_list ap;                                      \
		REAL(function);                                  \
		va_start(ap, flags);                             \
		mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0; \
		va_end(ap);                                      \
		return hit_path(CALL_OPEN, path)                 \
		    ? -1                                         \
		    : real(dir, path, flags, mode);              \
	}

#define FOPEN(function)                                                     \
	FILE *function(const char *path, const char *mode)                  \
	{                                                                   \
		REAL(function);                                             \
		return hit_path(CALL_OPEN, path) ? NULL : real(path, mode); \
	}

#define MKSTEMP(function)                                           \
	int function(char *path)                                    \
	{                                                           \
		REAL(function);                                     \
		return hit_path(CALL_OPEN, path) ? -1 : real(path); \
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

/* The C library has no function for openat2. */
long syscall(long number, ...)
{
	long a[6];
	va_list ap;
	REAL(syscall);

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_openat2 &&
	    hit_path(CALL_OPEN, (const char *)a[1])) /* its path */
		return -1;
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* What _FORTIFY_SOURCE makes of them. */
int __open_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
ssize_t __read_chk(int fd, void *p, size_t n, size_t size);

int __open_2(const char *path, int flags)
{
	return open(path, flags);
}

int __openat_2(int dir, const char *path, int flags)
{
	return openat(dir, path, flags);
}

DIR *opendir(const char *path)
{
	REAL(opendir);
	return hit_path(CALL_OPEN, path) ? NULL : real(path);
}

/* How much of n to read; -1: fail. */
static ssize_t to_read(int fd, size_t n)
{
	struct fault *f = hit_fd(CALL_READ, fd);

	if (!f)
		return (ssize_t)n;
	if (f->what == FAIL)
		return -1;
	if (f->what == SHORT)
		return n > 7 ? (ssize_t)(1 + f->count % 7) : (ssize_t)n;
	if (system(command))
		dprintf(2, "inject: '%s' failed\n", command);
	return (ssize_t)n;
}

ssize_t read(int fd, void *p, size_t n)
{
	ssize_t most = to_read(fd, n);

	REAL(read);
	return most < 0 ? -1 : real(fd, p, (size_t)most);
}

ssize_t __read_chk(int fd, void *p, size_t n, size_t size)
{
	if (n > size)
		abort();
	return read(fd, p, n);
}

static ssize_t to_write(int fd, size_t n)
{
	struct fault *f = hit_fd(CALL_WRITE, fd);

	if (!f)
		return (ssize_t)n;
	return f->what == FAIL ? -1 : (ssize_t)((n + 1) / 2);
}

ssize_t write(int fd, const void *p, size_t n)
{
	ssize_t most = to_write(fd, n);

	REAL(write);
	return most < 0 ? -1 : real(fd, p, (size_t)most);
}

#define PREAD(function)                                               \
	ssize_t function(int fd, void *p, size_t n, off_t at)         \
	{                                                             \
		ssize_t most = to_read(fd, n);                        \
		REAL(function);                                       \
		return most < 0 ? -1 : real(fd, p, (size_t)most, at); \
	}

#define PWRITE(function)                                              \
	ssize_t function(int fd, const void *p, size_t n, off_t at)   \
	{                                                             \
		ssize_t most = to_write(fd, n);                       \
		REAL(function);                                       \
		return most < 0 ? -1 : real(fd, p, (size_t)most, at); \
	}

#define WITH_FD(function, call)                          \
	int function(int fd)                             \
	{                                                \
		REAL(function);                          \
		return hit_fd(call, fd) ? -1 : real(fd); \
	}

#define TRUNCATE(function)                                           \
	int function(int fd, off_t n)                                \
	{                                                            \
		REAL(function);                                      \
		return hit_fd(CALL_TRUNCATE, fd) ? -1 : real(fd, n); \
	}

PREAD(pread)
PREAD(pread64)
PWRITE(pwrite)
PWRITE(pwrite64)
WITH_FD(fsync, CALL_SYNC)
WITH_FD(fdatasync, CALL_SYNC)
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

int rename(const char *from, const char *to)
{
	REAL(rename);
	return hit_path(CALL_RENAME, to) ? -1 : real(from, to);
}

/* ---- time ---- */

int clock_gettime(clockid_t id, struct timespec *t)
{
	struct fault *f = id == CLOCK_REALTIME ? hit(CALL_CLOCK) : NULL;
	int rc;

	REAL(clock_gettime);
	rc = real(id, t);
	if (f)
		t->tv_sec += f->value;
	return rc;
}

time_t time(time_t *to)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (to)
		*to = t.tv_sec;
	return t.tv_sec;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	tv->tv_sec = t.tv_sec;
	tv->tv_usec = t.tv_nsec / 1000;
	return 0;
}
