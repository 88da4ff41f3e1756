/*
 * The command gets a process group of its own, so that signals reach all of it
 * and nothing else; where this program has the terminal, the group gets it, as
 * a shell would do. Both streams share one pipe when they go to one place, so
 * that their order stays.
 *
 * A terminal is replaced by a pseudo terminal that changes no byte: the real
 * one makes of a line end what it makes of it without us.
 */
#define _GNU_SOURCE
#include "live/child.h"

#include "base/err.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Ignored here, as before in the command. */
static const int ignored[] = { SIGPIPE, SIGTTOU, SIGTTIN, SIGXFSZ };
#define N_IGNORED ((int)(sizeof ignored / sizeof *ignored))

static bool same_object(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	    x.st_ino == y.st_ino && x.st_rdev == y.st_rdev;
}

/* A pseudo terminal like the one at fd; *end is what the command gets. */
static int open_pty(int fd, int *end)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct termios how;
	struct winsize size;
	char name[64];

	*end = -1;
	if (master < 0)
		return -1;
	if (grantpt(master) || unlockpt(master) ||
	    ptsname_r(master, name, sizeof name))
		goto fail;
	*end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*end < 0)
		goto fail;
	if (tcgetattr(fd, &how) == 0) {
		how.c_oflag &= ~(tcflag_t)OPOST;
		how.c_lflag &= ~(tcflag_t)(ECHO | ECHONL);
		(void)tcsetattr(*end, TCSANOW, &how);
	}
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		(void)ioctl(master, TIOCSWINSZ, &size);
	return master;
fail:
	close(master);
	return -1;
}

/* Make the way for what the command writes to fd; *end is its end of it. */
static int open_stream(struct child_stream *s, int fd, int *end, struct err *e)
{
	int ends[2];

	s->to = fd;
	s->from = isatty(fd) == 1 ? open_pty(fd, end) : -1;
	s->pty = s->from >= 0;
	if (s->pty)
		return 0;
	if (pipe2(ends, O_CLOEXEC))
		return err_set(e, "no pipe: %s", strerror(errno));
	s->from = ends[0];
	*end = ends[1];
	return 0;
}

struct start {
	char *const *argv;
	const sigset_t *mask;
	struct sigaction was[N_IGNORED];
	int ends[CHILD_STREAMS], report[2];
	pid_t parent;
};

/* In the new process; only what may be done after a fork. */
static void become(const struct child *c, const struct start *s)
{
	int number;

	setpgid(0, 0);
	if (c->in_front)
		(void)tcsetpgrp(c->tty, getpid());
	/* what kills this program kills the command */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent)
		_exit(125);
	dup2(s->ends[0], STDOUT_FILENO);
	dup2(s->ends[c->n_streams - 1], STDERR_FILENO);
	for (int i = 0; i < N_IGNORED; i++)
		sigaction(ignored[i], &s->was[i], NULL);
	sigprocmask(SIG_SETMASK, s->mask, NULL);
	execvp(s->argv[0], s->argv);
	number = errno;
	if (write(s->report[1], &number, sizeof number) < 0)
		_exit(125);
	_exit(127);
}

static int launch(struct child *c, struct start *s, struct err *e)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	ssize_t n;

	if (pipe2(s->report, O_CLOEXEC))
		return err_set(e, "no pipe: %s", strerror(errno));
	for (int i = 0; i < N_IGNORED; i++)
		sigaction(ignored[i], &ignore, &s->was[i]);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	s->parent = getpid();
	c->pid = fork();
	if (c->pid == 0)
		become(c, s);
	close(s->report[1]);
	if (c->pid > 0) {
		setpgid(c->pid, c->pid);
		do
			n = read(s->report[0], &c->failure, sizeof c->failure);
		while (n < 0 && errno == EINTR);
	}
	close(s->report[0]);
	if (c->pid < 0) {
		c->pid = 0;
		return err_set(e, "no process: %s", strerror(errno));
	}
	if (c->failure) {
		(void)waitpid(c->pid, NULL, 0);
		child_back(c);
		c->pid = 0;
	}
	return 0;
}

int child_start(
    struct child *c, char *const *argv, const sigset_t *mask, struct err *e)
{
	struct start s = { .argv = argv, .mask = mask, .ends = { -1, -1 } };
	int rc = 0;

	*c = (struct child){ .tty = -1 };
	for (int i = 0; i < CHILD_STREAMS; i++)
		c->streams[i].from = -1;
	c->n_streams = same_object(STDOUT_FILENO, STDERR_FILENO) ? 1 : 2;
	for (int i = 0; i < c->n_streams && !rc; i++)
		rc = open_stream(
		    &c->streams[i], STDOUT_FILENO + i, &s.ends[i], e);
	c->tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	c->in_front = c->tty >= 0 && tcgetpgrp(c->tty) == getpgrp();
	if (!rc)
		rc = launch(c, &s, e);
	for (int i = 0; i < CHILD_STREAMS; i++)
		if (s.ends[i] >= 0)
			close(s.ends[i]);
	return rc;
}

void child_release(struct child *c)
{
	for (int i = 0; i < c->n_streams; i++)
		if (c->streams[i].from >= 0)
			close(c->streams[i].from);
	if (c->tty >= 0)
		close(c->tty);
	*c = (struct child){ .tty = -1 };
}

void child_signal(const struct child *c, int number)
{
	if (c->pid > 0)
		kill(-c->pid, number);
}

/* The parent that /proc/PID/stat tells, or 0. The name before it may hold
 * anything. */
static pid_t parent_of(const char *pid)
{
	char path[64], text[512], *p;
	FILE *f;
	size_t n;
	long parent;

	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || strlen(p) < 4)
		return 0;
	parent = strtol(p + 4, NULL, 10);
	return parent > 0 ? (pid_t)parent : 0;
}

int child_signal_orphans(int number, pid_t except)
{
	DIR *d = opendir("/proc");
	struct dirent *entry;
	pid_t self = getpid();
	int n = 0;

	while (d && (entry = readdir(d))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == except ||
		    parent_of(entry->d_name) != self)
			continue;
		kill((pid_t)pid, number);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

void child_resize(const struct child *c)
{
	bool changed = false;

	for (int i = 0; i < c->n_streams; i++) {
		const struct child_stream *s = &c->streams[i];
		struct winsize now, was;

		if (!s->pty || ioctl(s->to, TIOCGWINSZ, &now) ||
		    ioctl(s->from, TIOCGWINSZ, &was) ||
		    memcmp(&now, &was, sizeof now) == 0)
			continue;
		(void)ioctl(s->from, TIOCSWINSZ, &now);
		changed = true;
	}
	if (changed)
		child_signal(c, SIGWINCH);
}

void child_stop_too(const struct child *c)
{
	if (c->in_front) {
		(void)tcsetpgrp(c->tty, getpgrp());
		kill(0, SIGSTOP); /* as the terminal would have done */
	} else {
		raise(SIGSTOP);
	}
}

void child_go_on(const struct child *c)
{
	if (c->in_front && tcgetpgrp(c->tty) == getpgrp())
		(void)tcsetpgrp(c->tty, c->pid);
	child_signal(c, SIGCONT);
}

void child_back(const struct child *c)
{
	if (c->in_front)
		(void)tcsetpgrp(c->tty, getpgrp());
}
