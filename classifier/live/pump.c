/*
 * What was read is written at once, then handed to the queue. When it cannot be
 * written, this is the end, too.
 */
#include "live/pump.h"

#include "live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

static int write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w >= 0) {
			p += w;
			n -= (size_t)w;
		} else if (errno == EAGAIN) {
			struct pollfd f = { fd, POLLOUT, 0 };

			(void)poll(&f, 1, -1);
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}

/* The next bytes; 0 at the end. */
static size_t read_some(const struct pump *p, char *to, size_t n)
{
	for (;;) {
		ssize_t r = read(p->way->from, to, n);
		struct pollfd f[] = { { p->way->from, POLLIN, 0 },
			{ p->quit, POLLIN, 0 } };

		if (r >= 0)
			return (size_t)r;
		if (errno == EINTR)
			continue;
		/* a pseudo terminal that nobody has open any more: EIO */
		if (errno != EAGAIN || poll(f, 2, -1) < 0)
			return 0;
		if (!f[0].revents && f[1].revents)
			return 0;
	}
}

static void *run(void *arg)
{
	struct pump *p = arg;
	char spare[4096] = ""; /* without memory nothing is diagnosed */
	int rc = 0;
	ssize_t w;

	while (!rc) {
		struct piece *piece = queue_take(p->queue);
		char *to = piece ? piece->data : spare;
		size_t n =
		    read_some(p, to, piece ? sizeof piece->data : sizeof spare);

		p->writing = true;
		rc = n ? write_all(p->way->to, to, n) : 1;
		p->writing = false;
		if (rc < 0 && errno != EPIPE)
			p->failure = errno;
		if (n && p->log >= 0 && !p->unlogged &&
		    write_all(p->log, to, n))
			p->unlogged = errno;
		if (!piece) {
			p->starved = true;
			continue;
		}
		piece->n = n;
		piece->stream = p->stream;
		piece->at = live_clock();
		queue_put(p->queue, piece);
	}
	p->done = true;
	w = write(p->wake, "p", 1);
	(void)w;
	return NULL;
}

int pump_start(struct pump *p)
{
	int flags = fcntl(p->way->from, F_GETFL);

	if (flags < 0 || fcntl(p->way->from, F_SETFL, flags | O_NONBLOCK) < 0)
		return -1;
	return pthread_create(&p->thread, NULL, run, p) ? -1 : 0;
}
