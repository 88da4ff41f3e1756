/*
 * What all streams have in common: looking ahead, failing once for good, and
 * the count of what they expand to. And the two streams at the bottom: a file
 * and a piece of memory.
 */
#include "input/source.h"

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Below that much, no ratio is suspicious. */
#define RATIO_FROM ((uint64_t)64 << 20)

static uint64_t pending(const struct source *s)
{
	return s->rest.n + (s->head_n - s->head_at);
}

void source_init(struct source *s, struct source_run *run, struct source *up)
{
	memset(s, 0, sizeof *s);
	s->run = run;
	s->up = up;
	if (up)
		s->base = up->out - pending(up);
}

void source_close(struct source *s)
{
	if (s)
		s->close(s);
}

int source_fail(struct source *s, enum input_note fault, const char *fmt, ...)
{
	va_list ap;

	s->failed = true;
	s->fault = fault;
	va_start(ap, fmt);
	vsnprintf(s->why, sizeof s->why, fmt, ap);
	va_end(ap);
	return -1;
}

const char *source_errno(int number, char *out, size_t n)
{
	if (strerror_r(number, out, n))
		snprintf(out, n, "error %d", number);
	return out;
}

int source_fail_errno(struct source *s, enum input_note fault, int number)
{
	char text[160];

	return source_fail(
	    s, fault, "%s", source_errno(number, text, sizeof text));
}

static bool too_dense(uint64_t out, uint64_t in, uint64_t ratio)
{
	return out > RATIO_FROM && out / ratio > in;
}

/* Count n bytes that s made. A layer that expands too much fails alone; when
 * all of a level do, the whole file is over. */
static int spend(struct source *s, size_t n)
{
	struct source_run *r = s->run;
	uint64_t ratio = r->limits->v[LIMIT_ARCHIVE_RATIO];
	uint64_t bytes = r->limits->v[LIMIT_ARCHIVE_BYTES];
	uint64_t *level = &r->expanded[s->level];
	uint64_t in = s->up->out - s->base;

	if (s->up->seek && in > s->up->size)
		in = s->up->size; /* some of it was read twice */
	*level += n;
	if (*level > bytes) {
		r->over = true;
		return source_fail(s, NOTE_LIMIT,
		    "expands to more than %llu bytes (limit archive-bytes)",
		    (unsigned long long)bytes);
	}
	if (!too_dense(s->out, in, ratio)) {
		if (!too_dense(*level, r->raw, ratio))
			return 0;
		r->over = true;
	}
	return source_fail(s, NOTE_LIMIT,
	    "expands more than %llu times (limit archive-ratio)",
	    (unsigned long long)ratio);
}

static ssize_t pull(struct source *s, const char **p)
{
	ssize_t n;

	if (s->failed)
		return -1;
	if (s->ended)
		return 0;
	n = s->pull(s, p);
	if (n == 0)
		s->ended = true;
	if (n <= 0)
		return n;
	s->out += (uint64_t)n;
	if (s->level && spend(s, (size_t)n))
		return -1;
	return n;
}

ssize_t source_read(struct source *s, const char **p)
{
	ssize_t n;

	if (s->head_at < s->head_n) {
		*p = s->head + s->head_at;
		n = (ssize_t)(s->head_n - s->head_at);
		s->head_at = s->head_n;
	} else if (s->rest.n) {
		*p = s->rest.p;
		n = (ssize_t)s->rest.n;
		s->rest.n = 0;
	} else {
		n = pull(s, p);
	}
	if (n > 0)
		s->pos += (uint64_t)n;
	return n;
}

int source_peek(struct source *s, struct span *head)
{
	size_t take = s->head_n - s->head_at;
	const char *p;
	ssize_t n;

	memmove(s->head, s->head + s->head_at, take);
	s->head_n = take;
	s->head_at = 0;
	for (;;) {
		if (!s->head_n && s->rest.n >= SNIFF_BYTES) {
			/* the usual case: nothing to copy */
			*head = span_sub(s->rest, 0, SNIFF_BYTES);
			return 0;
		}
		take = SNIFF_BYTES - s->head_n;
		if (take > s->rest.n)
			take = s->rest.n;
		if (take)
			memcpy(s->head + s->head_n, s->rest.p, take);
		s->head_n += take;
		s->rest = span_sub(s->rest, take, s->rest.n);
		if (s->head_n == SNIFF_BYTES)
			break;
		n = pull(s, &p);
		if (n < 0 && !s->head_n)
			return -1;
		if (n <= 0)
			break;
		s->rest = (struct span){ p, (size_t)n };
	}
	*head = (struct span){ s->head, s->head_n };
	return 0;
}

int source_skip(struct source *s, uint64_t n)
{
	while (n) {
		bool of_head = s->head_at < s->head_n;
		const char *p;
		ssize_t got = source_read(s, &p);
		size_t left;

		if (got <= 0)
			return -1;
		left = (uint64_t)got > n ? (size_t)got - (size_t)n : 0;
		/* which is given again */
		if (of_head)
			s->head_at -= left;
		else
			s->rest = (struct span){ p + got - left, left };
		s->pos -= left;
		n -= (uint64_t)got - left;
	}
	return 0;
}

int source_seek(struct source *s, uint64_t pos)
{
	if (pos == s->pos)
		return 0;
	if (s->failed || s->seek(s, pos))
		return -1;
	s->pos = pos;
	s->ended = false;
	s->head_at = s->head_n;
	s->rest.n = 0;
	return 0;
}

/* ---- a file ---- */

struct file {
	struct source s; /* first: the two are one address */
	int fd;
	off_t start;      /* of the stream in the file */
	uint64_t left;    /* bytes to read up to the size at the start */
	bool sized, told; /* told: that it changed */
	char data[];      /* SOURCE_PIECE, or the size if that is less */
};

const char *source_file_changed(struct source *s, enum input_note *kind)
{
	struct file *f = (struct file *)s;
	struct stat st;
	uint64_t size;

	if (!f->sized || f->told || fstat(f->fd, &st))
		return NULL;
	size = st.st_size < f->start ? 0 : (uint64_t)(st.st_size - f->start);
	f->told = size != s->size;
	*kind = size < s->size ? NOTE_DAMAGED : NOTE_CHANGED;
	return size < s->size ? "shrank while it was read"
	    : size > s->size
	    ? "grew while it was read: what was added is left out"
	    : NULL;
}

/* No more bytes came. */
static ssize_t file_end(struct file *f)
{
	struct stat st;

	/* Files of sysfs are shorter than they say, and no shorter after. */
	if (!f->sized || !f->left || fstat(f->fd, &st) ||
	    (st.st_size >= f->start &&
		(uint64_t)(st.st_size - f->start) >= f->s.size))
		return 0;
	f->told = true;
	return source_fail(&f->s, NOTE_DAMAGED, "shrank while it was read");
}

/* What comes from a pipe may never come. */
static int wait_for(struct file *f)
{
	const struct input_sink *sink = f->s.run->sink;
	struct pollfd wait = { .fd = f->fd, .events = POLLIN };
	int rc;

	if (f->sized || !sink->patience)
		return 0;
	do
		rc = poll(&wait, 1, sink->patience(sink->ctx));
	while (rc < 0 && errno == EINTR);
	return rc ? 0
		  : source_fail(&f->s, NOTE_LIMIT,
			"waited too long for more (limit job-time)");
}

static ssize_t file_pull(struct source *s, const char **p)
{
	struct file *f = (struct file *)s;
	const struct input_sink *sink = s->run->sink;
	size_t want = SOURCE_PIECE;
	ssize_t n;

	if (f->sized && want > f->left)
		want = (size_t)f->left;
	if (!want)
		return 0;
	if (wait_for(f))
		return -1;
	while ((n = read(f->fd, f->data, want)) < 0) {
		struct pollfd wait = { .fd = f->fd, .events = POLLIN };

		if (errno == EAGAIN || errno == EWOULDBLOCK)
			poll(&wait, 1, -1);
		else if (errno != EINTR)
			return source_fail_errno(
			    s, s->out ? NOTE_DAMAGED : NOTE_UNREADABLE, errno);
	}
	if (n == 0)
		return file_end(f);
	if (f->sized)
		f->left -= (uint64_t)n;
	s->run->raw += (uint64_t)n;
	if (f->sized && s->run->raw > s->size)
		s->run->raw = s->size; /* some of it was read twice */
	if (sink->progress)
		sink->progress(sink->ctx, (uint64_t)n);
	*p = f->data;
	return n;
}

static int file_seek(struct source *s, uint64_t pos)
{
	struct file *f = (struct file *)s;

	if (pos > s->size || lseek(f->fd, f->start + (off_t)pos, SEEK_SET) < 0)
		return -1;
	f->left = s->size - pos;
	return 0;
}

static void file_close(struct source *s)
{
	struct file *f = (struct file *)s;

	close(f->fd);
	free(f);
}

/* How much there is from *start on; 0: not known, as for a pipe and the files
 * of /proc. */
static uint64_t size_from(const struct stat *st, off_t *start)
{
	if (S_ISREG(st->st_mode) && *start >= 0 && *start < st->st_size)
		return (uint64_t)(st->st_size - *start);
	*start = 0;
	return 0;
}

struct source *source_file(struct source_run *run, int fd,
    const struct stat *st, bool fresh, struct err *e)
{
	off_t start = fresh ? 0 : lseek(fd, 0, SEEK_CUR);
	uint64_t size = size_from(st, &start);
	size_t room = size && size < SOURCE_PIECE ? (size_t)size : SOURCE_PIECE;
	struct file *f;

	f = malloc(sizeof *f + room);
	if (!f) {
		close(fd);
		err_nomem(e);
		return NULL;
	}
	source_init(&f->s, run, NULL);
	f->fd = fd;
	f->start = start;
	f->sized = size != 0;
	run->piped = !f->sized;
	f->told = false;
	f->left = f->s.size = size;
	f->s.pull = file_pull;
	f->s.seek = size ? file_seek : NULL;
	f->s.close = file_close;
	return &f->s;
}

/* ---- memory ---- */

struct held {
	struct source s;
	struct buf data;
};

static ssize_t held_pull(struct source *s, const char **p)
{
	struct held *h = (struct held *)s;
	size_t n = h->data.len - (size_t)s->pos;

	if (n > SOURCE_PIECE)
		n = SOURCE_PIECE;
	*p = h->data.p + s->pos;
	return (ssize_t)n;
}

static int held_seek(struct source *s, uint64_t pos)
{
	return pos > s->size ? -1 : 0;
}

static void held_close(struct source *s)
{
	struct held *h = (struct held *)s;

	s->run->held -= h->data.len;
	buf_release(&h->data);
	free(h);
}

struct source *source_hold(struct source *s, struct err *e, bool *full)
{
	uint64_t max = s->run->limits->v[LIMIT_NESTED_SEEK] - s->run->held;
	struct held *h = malloc(sizeof *h);
	const char *p;
	ssize_t n;

	*full = false;
	if (!h) {
		err_nomem(e);
		return NULL;
	}
	source_init(&h->s, s->run, NULL);
	h->data = (struct buf)BUF_INIT(SIZE_MAX / 2);
	h->s.pull = held_pull;
	h->s.seek = held_seek;
	h->s.close = held_close;
	while ((n = source_read(s, &p)) > 0) {
		*full = (uint64_t)n > max - h->data.len;
		if (*full)
			goto out;
		if (buf_add(&h->data, p, (size_t)n)) {
			err_nomem(e);
			goto out;
		}
	}
	if (n < 0) {
		*full = true;
		goto out;
	}
	s->run->held += h->data.len;
	h->s.size = h->data.len;
	return &h->s;
out:
	buf_release(&h->data);
	free(h);
	return NULL;
}
