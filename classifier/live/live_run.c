/*
 * Threads pass the output on and read it; the calling thread waits for signals,
 * for the command's end and for events, and moves from one state to the next:
 *
 *   the command runs -> what it left behind is ended -> the last bytes are
 *   passed on -> they are read -> the last events are acted on -> the end
 *
 * An event's hook runs first, then its act, so that a hook finds a hanging
 * command as it is.
 */
#define _GNU_SOURCE
#include "live/live.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/findings.h"
#include "live/answer.h"
#include "live/hook.h"
#include "live/listener.h"
#include "live/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECES 256         /* of the queue: 16 MiB */
#define ORPHAN_SECONDS 5.0 /* between SIGTERM and SIGKILL */
#define RESIZE_MS 250
#define TICK_MS 100

static const int caught[] = { SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2,
	SIGQUIT, SIGCONT, SIGTSTP, SIGWINCH, SIGCHLD };

struct run {
	const struct live_options *o;
	const struct live_sink *sink;
	struct live_answer *out;
	struct child child;
	struct pump pumps[CHILD_STREAMS];
	int n_pumps;
	struct listener listener;
	bool listening;
	struct hook hook;
	size_t acted;         /* events that are done with */
	bool told;            /* the next one has been told */
	double kill_at;       /* 0: never */
	double orphans_until; /* 0: the command runs */
	double orphans_next;  /* when to signal them again */
	bool alone;           /* no process is left */
	bool closed;          /* the queue */
	bool give_up;
	int signals, wake[2], quit[2], log;
	sigset_t mask;     /* as it was */
	char *stop_reason; /* owned, or NULL */
	struct answer_end end;
	int64_t oom_kills; /* before the command, or -1 */
};

double live_clock(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int64_t micros_now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

__attribute__((format(printf, 2, 3))) static void note(
    const struct run *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	r->sink->note(r->sink->ctx, text);
}

int live_check(const struct live_options *o, struct err *e)
{
	struct watch *w = watch_new(o, 0, e);

	watch_free(w);
	return w ? 0 : -1;
}

/* ---- processes ---- */

static void on_end(struct run *r, int status)
{
	struct answer_end *end = &r->end;

	end->ended = micros_now();
	end->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : -1;
	r->out->status =
	    WIFSIGNALED(status) ? 128 + end->signal : end->exit_code;
	child_back(&r->child);
	r->out->interrupted = r->child.in_front && end->signal == SIGINT;
	/* what the terminal would have sent to the rest of the shell's job */
	if (r->out->interrupted)
		kill(0, SIGINT);
	child_signal(&r->child, SIGTERM);
	r->orphans_until = live_clock() + ORPHAN_SECONDS;
	r->kill_at = 0;
}

static void on_stop(const struct run *r, int status)
{
	int number = WSTOPSIG(status);

	if (number == SIGTSTP || number == SIGTTIN || number == SIGTTOU)
		child_stop_too(&r->child);
}

static void reap(struct run *r)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
		r->orphans_next = 0; /* it may have left some */
		if (pid == r->child.pid && WIFSTOPPED(status))
			on_stop(r, status);
		else if (pid == r->child.pid)
			on_end(r, status);
		else if (pid == r->hook.pid && !WIFSTOPPED(status))
			r->hook.pid = 0;
	}
	r->alone = r->orphans_until > 0 && pid < 0 && errno == ECHILD;
}

/* The command has ended: nothing of it lives on. */
static void end_orphans(struct run *r)
{
	double now = live_clock();
	bool late = now >= r->orphans_until;

	if (r->orphans_until <= 0 || r->alone || now < r->orphans_next)
		return;
	r->orphans_next = now + 1;
	if (child_signal_orphans(late ? SIGKILL : SIGTERM, r->hook.pid) == 0 &&
	    !r->hook.pid)
		reap(r);
}

/* ---- signals ---- */

static void on_signal(struct run *r, int number)
{
	bool running = r->orphans_until <= 0;

	switch (number) {
	case SIGCHLD:
		break;
	case SIGWINCH:
		child_resize(&r->child);
		break;
	case SIGCONT:
		if (running)
			child_go_on(&r->child);
		break;
	default:
		if (running)
			child_signal(&r->child, number);
		else if (r->alone && number != SIGTSTP && number != SIGINT)
			r->give_up = true;
	}
}

static void read_signals(struct run *r)
{
	struct signalfd_siginfo v[16];
	ssize_t n = read(r->signals, v, sizeof v);

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof *v; i++)
		on_signal(r, (int)v[i].ssi_signo);
}

/* ---- events ---- */

static void stop_command(struct run *r, const struct live_event *ev)
{
	if (r->orphans_until > 0 || r->stop_reason)
		return;
	r->out->stopped = true;
	r->stop_reason = span_dup(span_of(ev->text));
	child_signal(&r->child, SIGTERM);
	child_signal(&r->child, SIGCONT);
	r->kill_at = live_clock() + r->o->grace;
}

/* Act on the next event, its hook first. */
static void act(struct run *r)
{
	while (!r->hook.pid && r->acted < r->listener.n_events) {
		const struct live_event *ev = &r->listener.events[r->acted];

		if (!r->told) {
			r->told = true;
			r->sink->event(r->sink->ctx, ev);
			if (r->o->exec &&
			    hook_start(&r->hook, r->o->exec, ev,
				r->orphans_until > 0 ? 0 : r->child.pid,
				&r->mask))
				note(r, "--exec: no process");
			continue;
		}
		if (ev->stop)
			stop_command(r, ev);
		r->told = false;
		r->acted++;
	}
}

/* What is due now. */
static void check_deadlines(struct run *r)
{
	double now = live_clock();

	if (r->hook.pid && now >= r->hook.until) {
		note(r, "--exec: killed after %d seconds", HOOK_SECONDS);
		hook_kill(&r->hook);
		r->hook.until = now + HOOK_SECONDS;
	}
	if (r->kill_at > 0 && now >= r->kill_at) {
		note(r, "it still runs after %g seconds: SIGKILL", r->o->grace);
		child_signal(&r->child, SIGKILL);
		r->kill_at = 0;
	}
}

/* ---- the loop ---- */

/* Close what is no longer read: where it could not be passed on, the command
 * learns of it as it would without us. Whether all has come to its end. */
static bool end_pumps(struct run *r)
{
	bool all = true;

	for (int i = 0; i < r->n_pumps; i++) {
		struct child_stream *s = &r->child.streams[i];

		all &= r->pumps[i].done;
		if (!r->pumps[i].done || s->from < 0)
			continue;
		close(s->from);
		s->from = -1;
	}
	return all;
}

/* Whether there is nothing more to wait for. */
static bool advance(struct run *r)
{
	bool passed = end_pumps(r);

	reap(r);
	end_orphans(r);
	act(r);
	check_deadlines(r);
	if (r->alone && r->quit[1] >= 0) {
		close(r->quit[1]);
		r->quit[1] = -1;
	}
	if (r->alone && !r->closed && passed) {
		queue_close(r->listener.queue);
		r->closed = true;
	}
	return r->give_up ||
	    (r->closed && r->listener.done && !r->hook.pid &&
		r->acted == r->listener.n_events);
}

static void wait_for_more(const struct run *r)
{
	bool busy = r->hook.pid || r->kill_at > 0 ||
	    (r->orphans_until > 0 && !r->alone);
	bool pty = r->child.streams[0].pty || r->child.streams[1].pty;
	struct pollfd f[] = { { r->signals, POLLIN, 0 },
		{ r->wake[0], POLLIN, 0 } };
	char bytes[64];
	ssize_t n;

	(void)poll(f, 2, busy ? TICK_MS : pty ? RESIZE_MS : -1);
	if (f[1].revents) {
		n = read(r->wake[0], bytes, sizeof bytes);
		(void)n;
	}
	if (pty)
		child_resize(&r->child);
}

/* ---- the whole ---- */

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void release(struct run *r)
{
	sigset_t none;
	struct timespec now = { 0, 0 };

	/* what came at the last moment has nobody to go to */
	sigemptyset(&none);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(&none, caught[i]);
	while (r->signals >= 0 && sigtimedwait(&none, NULL, &now) > 0)
		;
	if (r->signals >= 0)
		sigprocmask(SIG_SETMASK, &r->mask, NULL);
	close_fd(r->signals);
	close_fd(r->log);
	for (int i = 0; i < 2; i++) {
		close_fd(r->wake[i]);
		close_fd(r->quit[i]);
	}
	child_release(&r->child);
	reading_free(r->listener.reading);
	watch_free(r->listener.watch);
	queue_free(r->listener.queue);
	free(r->listener.events);
	free(r->stop_reason);
	free(r);
}

static int prepare(struct run *r, struct err *e)
{
	const struct live_options *o = r->o;
	struct listener *l = &r->listener;
	sigset_t set;

	l->queue = queue_new(PIECES);
	l->events = calloc(o->n_on + 1, sizeof *l->events);
	if (!l->queue || !l->events)
		return err_nomem(e);
	l->watch = o->n_on ? watch_new(o, live_clock(), e) : NULL;
	if (o->n_on && !l->watch)
		return -1;
	l->reading = reading_new(o->triage, o->n_on > 0, e);
	if (!l->reading ||
	    reading_begin(l->reading, o->log ? o->log : "output", e))
		return -1;
	if (o->log) {
		r->log = open(o->log,
		    O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
		if (r->log < 0)
			return err_set(
			    e, "--log %s: %s", o->log, strerror(errno));
	}
	if (pipe2(r->wake, O_CLOEXEC | O_NONBLOCK) || pipe2(r->quit, O_CLOEXEC))
		return err_set(e, "no pipe: %s", strerror(errno));
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
		sigaddset(&set, caught[i]);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signals < 0)
		return err_set(e, "no signals: %s", strerror(errno));
	sigprocmask(SIG_BLOCK, &set, &r->mask);
	return 0;
}

static int start_threads(struct run *r, struct err *e)
{
	struct listener *l = &r->listener;

	l->pumps = r->pumps;
	l->n_pumps = r->child.n_streams;
	l->wake = r->wake[1];
	if (listener_start(l))
		return err_set(e, "no thread");
	r->listening = true;
	while (r->n_pumps < r->child.n_streams) {
		struct pump *p = &r->pumps[r->n_pumps];

		p->way = &r->child.streams[r->n_pumps];
		p->stream = r->n_pumps;
		p->queue = l->queue;
		p->log = r->log;
		p->quit = r->quit[0];
		p->wake = r->wake[1];
		if (pump_start(p))
			return err_set(e, "no thread");
		r->n_pumps++;
	}
	return 0;
}

/* The threads have ended: what was missed, and the diagnosis. */
static int conclude(struct run *r, struct err *e)
{
	struct listener *l = &r->listener;
	uint64_t lost = queue_lost(l->queue);
	struct findings *f;
	char text[LIVE_TEXT + 64];

	for (int i = 0; i < r->n_pumps; i++) {
		if (r->pumps[i].starved)
			return err_nomem(e);
		if (r->pumps[i].failure)
			note(r, "standard %s: %s", i ? "error" : "output",
			    strerror(r->pumps[i].failure));
		if (r->pumps[i].unlogged)
			note(r, "--log %s: %s; it is not whole", r->o->log,
			    strerror(r->pumps[i].unlogged));
	}
	if (lost)
		note(r,
		    "%llu bytes of output came faster than they could be read "
		    "for failures and were left out; all were passed on",
		    (unsigned long long)lost);
	if (l->failed) {
		*e = l->e;
		return -1;
	}
	r->end.out_of_memory = r->oom_kills >= 0 && oom_kills() > r->oom_kills;
	r->end.stopped = r->stop_reason;
	f = reading_end(l->reading, e);
	if (!f)
		return -1;
	if (lost)
		findings_note(f,
		    "output came too fast, some was left out: lines are not "
		    "numbered truly");
	if (f->failed) {
		findings_free(f);
		return err_nomem(e);
	}
	if (answer_make(r->out, r->o, f, &r->end, e))
		return -1;
	if (!r->stop_reason)
		return 0;
	snprintf(text, sizeof text, "stopped by jobtriage: %s", r->stop_reason);
	return diagnosis_note(&r->out->d, text) ? err_nomem(e) : 0;
}

/* Only threads that could not be started: the command must not block. */
static void kill_command(struct run *r)
{
	child_signal(&r->child, SIGKILL);
	(void)waitpid(r->child.pid, NULL, 0);
	child_back(&r->child);
}

int live_run(const struct live_options *o, char *const *argv,
    const struct live_sink *sink, struct live_answer *out, struct err *e)
{
	struct run *r = calloc(1, sizeof *r);
	int rc = -1;

	*out = (struct live_answer){ .status = 125 };
	if (!r)
		return err_nomem(e);
	r->o = o;
	r->sink = sink;
	r->out = out;
	r->signals = r->wake[0] = r->wake[1] = r->quit[0] = r->quit[1] = -1;
	r->log = -1;
	r->child.tty = -1;
	r->end.started = micros_now();
	r->oom_kills = oom_kills();
	if (prepare(r, e) || child_start(&r->child, argv, &r->mask, e))
		goto out;
	if (r->child.failure) {
		out->status = r->child.failure == ENOENT ? 127 : 126;
		note(r, "%s: %s", argv[0], strerror(r->child.failure));
		rc = 0;
		goto out;
	}
	out->started = true;
	if (start_threads(r, e)) {
		kill_command(r);
		return -1; /* what threads may still use stays */
	}
	while (!advance(r)) {
		wait_for_more(r);
		read_signals(r);
	}
	if (r->give_up)
		return err_set(e, "ended by a signal while its output waited");
	for (int i = 0; i < r->n_pumps; i++)
		pthread_join(r->pumps[i].thread, NULL);
	pthread_join(r->listener.thread, NULL);
	rc = conclude(r, e);
out:
	release(r);
	return rc;
}
