/*
 * A child waits at a pipe. The first byte makes it the pager; the end of the
 * pipe without one ends it.
 */
#include "cli/pager.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(const char *command, int from)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };

	while (poll(&wait, 1, -1) < 0 && errno == EINTR)
		;
	if (!(wait.revents & POLLIN))
		_exit(0);
	setenv("LESS", "FRX", 0);
	if (dup2(from, STDIN_FILENO) == STDIN_FILENO)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

void pager_prepare(struct pager *p, const char *command)
{
	int ends[2];

	*p = (struct pager){ 0, -1 };
	if (pipe(ends))
		return;
	fflush(NULL);
	p->waiting = fork();
	if (p->waiting == 0) {
		close(ends[1]);
		become(command, ends[0]);
	}
	close(ends[0]);
	p->to = ends[1];
	if (p->waiting < 0) {
		p->waiting = 0;
		close(p->to);
	}
}

/* Its status, as of waitpid. */
static int finish(struct pager *p)
{
	int status = 0;

	close(p->to);
	while (waitpid(p->waiting, &status, 0) < 0 && errno == EINTR)
		;
	p->waiting = 0;
	return status;
}

bool pager_show(struct pager *p, const struct buf *text)
{
	size_t at = 0;
	ssize_t n;
	int status;

	if (!p->waiting)
		return false;
	signal(SIGPIPE, SIG_IGN);
	while (at < text->len) {
		n = write(p->to, text->p + at, text->len - at);
		if (n < 0 && errno != EINTR)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	status = finish(p);
	return !WIFEXITED(status) ||
	    (WEXITSTATUS(status) != 127 && WEXITSTATUS(status) != 126);
}

void pager_drop(struct pager *p)
{
	if (p->waiting)
		(void)finish(p);
}
