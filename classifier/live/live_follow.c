/*
 * Read to the end, look, wait. inotify only shortens the waiting: a file on a
 * network's file system, or one that another machine writes, is looked at once
 * a second all the same.
 *
 * A file that is renamed is read to its end, then the one that has taken its
 * name goes on with the same log. A file that has become shorter than what was
 * read of it is another log.
 */
#define _GNU_SOURCE
#include "live/live.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/findings.h"
#include "live/answer.h"
#include "live/hook.h"
#include "live/reading.h"
#include "live/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLL_MS 1000
#define GATHER_MS 100 /* of changes that come together */
#define PEEK_SECONDS 1.0
#define SETTLE_SECONDS 10.0
#define BAR_TAIL 256 /* in which a progress bar says what is left */
#define PIECE ((size_t)256 << 10)

struct follow {
	const struct live_options *o;
	const struct live_sink *sink;
	const char *path;
	struct reading *reading;
	struct watch *watch;
	struct hook hook;
	char *piece;
	int fd;         /* of the file, or -1: the next one is not there yet */
	struct stat st; /* of fd when it was opened */
	uint64_t pos;
	double output; /* when the last bytes came */
	double peeked; /* when */
	bool fresh;    /* they were not peeked at yet */
	bool final;    /* the end of the log is that of a job */
	struct live_status status;
	char tail[BAR_TAIL]; /* the last bytes */
	size_t n_tail;
	int changes, signals;
	sigset_t mask; /* as it was */
	bool stop, ended;
};

static void note(const struct follow *f, const char *what)
{
	f->sink->note(f->sink->ctx, what);
}

/* ---- the file ---- */

static int begin(struct follow *f, struct err *e)
{
	f->pos = 0;
	f->fresh = f->final = false;
	f->n_tail = 0;
	f->status.state = LIVE_RUNS;
	return reading_begin(f->reading, f->path, e);
}

/* -1 with errno: it cannot be opened, or is no file. */
static int open_file(struct follow *f)
{
	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (f->fd < 0)
		return -1;
	if (fstat(f->fd, &f->st) == 0 && S_ISREG(f->st.st_mode))
		return 0;
	close(f->fd);
	f->fd = -1;
	errno = EINVAL;
	return -1;
}

static void keep_tail(struct follow *f, struct span bytes)
{
	size_t n = bytes.n < BAR_TAIL ? bytes.n : BAR_TAIL;
	size_t keep = f->n_tail < BAR_TAIL - n ? f->n_tail : BAR_TAIL - n;

	memmove(f->tail, f->tail + f->n_tail - keep, keep);
	memcpy(f->tail + keep, bytes.p + bytes.n - n, n);
	f->n_tail = keep + n;
}

/* Read what is there. -1 with e set: out of memory; a file that can no longer
 * be read has ended. */
static int read_more(struct follow *f, struct err *e)
{
	ssize_t n;

	while (f->fd >= 0 && (n = read(f->fd, f->piece, PIECE)) > 0) {
		struct span bytes = { f->piece, (size_t)n };

		f->pos += (uint64_t)n;
		f->output = live_clock();
		f->fresh = true;
		f->final = false;
		f->status.state = LIVE_RUNS;
		keep_tail(f, bytes);
		watch_output(f->watch, bytes, f->output);
		if (reading_add(f->reading, 0, bytes, e))
			return -1;
	}
	return 0;
}

/* Whether the file is shorter than what was read of it: start anew. */
static int check_length(struct follow *f, struct err *e)
{
	struct stat now;

	if (f->fd < 0 || fstat(f->fd, &now) || (uint64_t)now.st_size >= f->pos)
		return 0;
	note(f, "the file was truncated: its new content is a new log");
	if (lseek(f->fd, 0, SEEK_SET) < 0)
		return err_set(e, "%s: %s", f->path, strerror(errno));
	return begin(f, e);
}

/* Whether another file has taken the name: the old one is read to its end. */
static int check_name(struct follow *f, struct err *e)
{
	struct stat now;

	if (stat(f->path, &now) ||
	    (f->fd >= 0 && now.st_dev == f->st.st_dev &&
		now.st_ino == f->st.st_ino))
		return 0;
	if (read_more(f, e))
		return -1;
	if (f->fd >= 0)
		close(f->fd);
	if (open_file(f))
		return 0;
	note(f, "the file was rotated: going on with the new one");
	f->pos = 0;
	return read_more(f, e);
}

/* ---- what is seen ---- */

static void on_event(struct follow *f, const struct live_event *ev)
{
	f->sink->event(f->sink->ctx, ev);
	if (f->o->exec && hook_start(&f->hook, f->o->exec, ev, 0, &f->mask))
		note(f, "--exec: no process");
	while (f->hook.pid > 0) {
		struct timespec nap = { 0, 20000000 };

		if (waitpid(f->hook.pid, NULL, WNOHANG) == f->hook.pid)
			break;
		if (live_clock() >= f->hook.until) {
			hook_kill(&f->hook);
			note(f, "--exec: killed, it took too long");
		}
		(void)nanosleep(&nap, NULL);
	}
	f->hook.pid = 0;
	f->stop |= ev->stop;
}

/* Whether the log, if it ended here, would be that of a job that has ended. */
static int peek(struct follow *f, struct err *e)
{
	struct live_answer a = { .status = 0 };
	struct findings *found = reading_peek(f->reading, e);

	f->fresh = false;
	f->peeked = live_clock();
	if (!found)
		return -1;
	watch_peeked(f->watch, found, live_clock());
	f->final = found->ended_well;
	f->status.last = found->last;
	f->status.state = found->ended_well ? LIVE_ENDED_WELL : LIVE_RUNS;
	if (answer_make(&a, f->o, found, NULL, e))
		return -1;
	if (a.d.failed == 1) {
		f->final = true;
		f->status.state = LIVE_FAILED;
	}
	answer_release(&a);
	return 0;
}

static int look(struct follow *f, struct err *e)
{
	const struct findings *found = reading_look(f->reading, e);
	struct live_event ev;

	if (!found)
		return -1;
	watch_findings(f->watch, found, live_clock());
	if (f->fresh && live_clock() - f->peeked >= PEEK_SECONDS && peek(f, e))
		return -1;
	watch_tick(f->watch, live_clock());
	while (!f->stop && watch_take(f->watch, &ev))
		on_event(f, &ev);
	return 0;
}

/* "[00:59<1:02:00, 2.1it/s]": the seconds between '<' and ',', as tqdm's
 * format_meter writes them; -1: the last bytes have none. */
static int64_t seconds_left(const struct follow *f)
{
	struct span tail = { f->tail, f->n_tail };
	int64_t total = -1, part = 0;

	for (size_t at = tail.n; at-- > 0 && total < 0;) {
		if (tail.p[at] == '\n' && at + 1 < tail.n)
			break;
		if (tail.p[at] != '<')
			continue;
		for (size_t i = at + 1; i < tail.n; i++) {
			char c = tail.p[i];

			if (c >= '0' && c <= '9' && part < 1000000)
				part = 10 * part + (c - '0');
			else if (c == ':' || (c == ',' && i > at + 1))
				total = 60 * (total < 0 ? 0 : total) + part;
			else
				break;
			if (c == ',')
				return total;
			if (c == ':')
				part = 0;
		}
		total = -1;
		part = 0;
	}
	return -1;
}

static void tell_status(struct follow *f, double settle)
{
	struct live_status *st = &f->status;

	if (!f->sink->status)
		return;
	st->silent = live_clock() - f->output;
	st->final = settle - st->silent;
	st->left = seconds_left(f);
	f->sink->status(f->sink->ctx, st);
}

/* ---- waiting ---- */

static void wait_for_more(struct follow *f, double settle)
{
	struct pollfd p[] = { { f->signals, POLLIN, 0 },
		{ f->changes, POLLIN, 0 } };
	double left = f->final ? f->output + settle - live_clock() : 1;
	struct signalfd_siginfo info;
	char changes[4096];
	ssize_t n;

	(void)poll(p, f->changes >= 0 ? 2 : 1,
	    left < 0       ? 0
		: left < 1 ? (int)(left * 1000) + 1
			   : POLL_MS);
	if (p[1].revents) {
		(void)poll(p, 1, GATHER_MS);
		n = read(f->changes, changes, sizeof changes);
		(void)n;
	}
	if (read(f->signals, &info, sizeof info) > 0)
		f->ended = true;
}

/* The folder tells of every change in it, new names too. */
static int watch_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct span folder = { path, slash ? (size_t)(slash - path) : 0 };
	char *name = folder.n ? span_dup(folder)
	    : path[0] == '/'  ? span_dup(span_of("/"))
			      : span_dup(span_of("."));
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

	if (fd >= 0 && name)
		(void)inotify_add_watch(fd, name,
		    IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM |
			IN_CLOSE_WRITE);
	free(name);
	return fd;
}

static int go_on(struct follow *f, struct err *e)
{
	double settle = f->o->settle > 0 ? f->o->settle : SETTLE_SECONDS;

	for (;;) {
		if (check_length(f, e) || read_more(f, e) || check_name(f, e) ||
		    look(f, e))
			return -1;
		if (f->stop || f->ended ||
		    (f->final && !f->fresh &&
			live_clock() - f->output >= settle))
			return 0;
		tell_status(f, settle);
		wait_for_more(f, settle);
	}
}

/* ---- the whole ---- */

static int prepare(struct follow *f, struct err *e)
{
	sigset_t set;

	f->watch = watch_new(f->o, live_clock(), e);
	if (!f->watch)
		return -1;
	f->reading = reading_new(f->o->triage, true, e);
	if (!f->reading)
		return -1;
	f->piece = malloc(PIECE);
	if (!f->piece)
		return err_nomem(e);
	if (open_file(f))
		return err_set(e, "%s: %s", f->path,
		    errno == EINVAL ? "only a file can be followed"
				    : strerror(errno));
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &f->mask);
	f->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (f->signals < 0)
		return err_set(e, "no signals: %s", strerror(errno));
	f->changes = watch_folder(f->path);
	return begin(f, e);
}

static void release(struct follow *f)
{
	int fds[] = { f->fd, f->signals, f->changes };

	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (f->signals >= 0)
		sigprocmask(SIG_SETMASK, &f->mask, NULL);
	reading_free(f->reading);
	watch_free(f->watch);
	free(f->piece);
}

int live_follow(const struct live_options *o, const char *path,
    const struct live_sink *sink, struct live_answer *out, struct err *e)
{
	struct follow f = { .o = o,
		.sink = sink,
		.path = path,
		.fd = -1,
		.signals = -1,
		.changes = -1,
		.output = live_clock() };
	struct findings *found;
	int rc = -1;

	*out = (struct live_answer){ .status = 0 };
	if (prepare(&f, e) || go_on(&f, e))
		goto out;
	found = reading_end(f.reading, e);
	if (found)
		found->growing = !f.final;
	if (found && !answer_make(out, o, found, NULL, e))
		rc = 0;
	out->stopped = f.stop;
out:
	release(&f);
	return rc;
}
