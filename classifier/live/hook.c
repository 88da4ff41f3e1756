/* Other threads run: all is made ready before the fork. */
#include "live/hook.h"

#include "base/buf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

#define N_VARIABLES 6

struct surroundings {
	char *own[N_VARIABLES];
	size_t n;
	char **all; /* with a NULL at the end */
};

static void release(struct surroundings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->own[i]);
	free(s->all);
}

static int add(struct surroundings *s, const char *name, const char *value)
{
	struct buf b = BUF_INIT(BUF_MAX);

	if (buf_addf(&b, "JOBTRIAGE_%s=%s", name, value)) {
		buf_release(&b);
		return -1;
	}
	s->own[s->n++] = buf_take(&b);
	return 0;
}

/* Ours, and of what was there the rest. */
static int put_together(struct surroundings *s)
{
	size_t n = 0, at = 0;

	while (environ[n])
		n++;
	s->all = calloc(n + N_VARIABLES + 1, sizeof *s->all);
	if (!s->all)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		s->all[at++] = s->own[i];
	for (size_t i = 0; i < n; i++) {
		bool ours = false;

		for (size_t k = 0; k < s->n && !ours; k++)
			ours = strncmp(environ[i], s->own[k],
				   strcspn(s->own[k], "=") + 1) == 0;
		if (!ours)
			s->all[at++] = environ[i];
	}
	return 0;
}

static void become(
    const char *command, char **surroundings, const sigset_t *mask)
{
	char *argv[] = { "sh", "-c", (char *)(uintptr_t)command, NULL };
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	sigaction(SIGPIPE, &usual, NULL);
	sigaction(SIGXFSZ, &usual, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execve("/bin/sh", argv, surroundings);
	_exit(127);
}

int hook_start(struct hook *h, const char *command, const struct live_event *ev,
    pid_t job, const sigset_t *mask)
{
	struct surroundings s = { .n = 0 };
	struct buf pid = BUF_INIT(BUF_MAX);
	int rc = -1;

	if ((job > 0 && buf_addf(&pid, "%ld", (long)job)) ||
	    add(&s, "ON", ev->on) || add(&s, "RULE", ev->rule) ||
	    add(&s, "CATEGORY", ev->category) ||
	    add(&s, "VERDICT", ev->verdict) || add(&s, "TEXT", ev->text) ||
	    add(&s, "PID", pid.len ? pid.p : "") || put_together(&s))
		goto out;
	h->pid = fork();
	if (h->pid == 0)
		become(command, s.all, mask);
	if (h->pid < 0)
		h->pid = 0;
	else
		rc = 0;
	if (h->pid)
		setpgid(h->pid, h->pid);
	h->until = live_clock() + HOOK_SECONDS;
out:
	buf_release(&pid);
	release(&s);
	return rc;
}

void hook_kill(const struct hook *h)
{
	if (h->pid > 0)
		kill(-h->pid, SIGKILL);
}
