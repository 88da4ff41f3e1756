/*
 * Runs one command and tells what it took, from the operating system's own
 * books. A small process must do this: Linux counts to a child's peak memory
 * that of the process that started it, and an interpreter's is larger than
 * that of most of what is measured.
 *
 * usage: speed_run FILE COMMAND [ARG...]
 *   FILE  gets: nanoseconds, microseconds of processor, peak KiB, status
 * The status is the command's, or 128 and the signal; standard output of the
 * command is what it is here.
 */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static int64_t nanoseconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t microseconds(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int64_t begin, end;
	int status, bad;
	pid_t child;
	FILE *f;

	if (argc < 3)
		return 2;
	begin = nanoseconds();
	bad = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
	if (bad) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(bad));
		return 127;
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	end = nanoseconds();
	status =
	    WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	getrusage(RUSAGE_CHILDREN, &used);
	f = fopen(argv[1], "w");
	if (!f ||
	    fprintf(f, "%" PRId64 " %" PRId64 " %ld %d\n", end - begin,
		microseconds(used.ru_utime) + microseconds(used.ru_stime),
		used.ru_maxrss, status) < 0 ||
	    fclose(f))
		return 127;
	return status;
}
