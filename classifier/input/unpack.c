/*
 * What the formats have in common: parts one after the other, zero bytes that
 * fill a tape block, an end that comes too early. What was made before a fault
 * is given first, the fault is told by the next call.
 */
#include "input/unpack.h"

#include "base/err.h"
#include "base/library.h"
#include "input/source.h"

#include <stdlib.h>

struct unpack {
	struct source s; /* first: the two are one address */
	const struct unpack_codec *codec;
	void *c;
	struct span in; /* not read yet */
	bool between;   /* a part has ended, and none begun */
	bool more;      /* the codec may hold more than there was room for */
	char *data;     /* SOURCE_PIECE bytes, made when they are needed */
};

/* More input. 1, 0 at the end, -1. */
static int refill(struct unpack *u)
{
	const char *p;
	ssize_t n = source_read(u->s.up, &p);

	if (n < 0)
		return source_fail(&u->s, u->s.up->fault, "%s", u->s.up->why);
	if (n == 0 && !u->between)
		return source_fail(&u->s, NOTE_DAMAGED,
		    "the %s data ends too early", u->codec->name);
	if (n == 0)
		return 0;
	u->in = (struct span){ p, (size_t)n };
	return 1;
}

/* After a part: another one, zero bytes that fill a tape block, or nothing. */
static void next_part(struct unpack *u)
{
	if (!*u->in.p) {
		u->in = span_sub(u->in, 1, u->in.n);
		return;
	}
	if (!u->codec->starts(*u->in.p)) {
		source_fail(&u->s, NOTE_DAMAGED,
		    "other bytes follow the %s data", u->codec->name);
		return;
	}
	u->between = false;
	u->codec->begin(u->c);
}

/* Some of a part to out. The bytes that were made. */
static size_t step(struct unpack *u, char *out)
{
	size_t before = u->in.n, made = SOURCE_PIECE;
	int rc = u->codec->read(u->c, &u->in, out, &made);

	u->more = !rc && made == SOURCE_PIECE;
	if (rc > 0)
		u->between = true;
	else if (rc < 0)
		source_fail(&u->s, NOTE_DAMAGED, "bad %s data: %s",
		    u->codec->name, u->codec->why(u->c));
	else if (!made && u->in.n && u->in.n == before)
		source_fail(&u->s, NOTE_DAMAGED,
		    "bad %s data: it leads nowhere", u->codec->name);
	return made;
}

static ssize_t unpack_pull(struct source *s, const char **p)
{
	struct unpack *u = (struct unpack *)s;
	char *out = s->room;
	size_t made = 0;
	int rc;

	if (!out && !u->data)
		u->data = malloc(SOURCE_PIECE);
	if (!out)
		out = u->data;
	if (!out)
		return source_fail(s, NOTE_UNREADABLE, "out of memory");
	while (!made && !s->failed) {
		if (!u->in.n && !u->more) {
			rc = refill(u);
			if (rc <= 0)
				return rc;
		}
		if (u->between)
			next_part(u);
		else
			made = step(u, out);
	}
	*p = out;
	return made ? (ssize_t)made : -1;
}

static void unpack_close(struct source *s)
{
	struct unpack *u = (struct unpack *)s;

	u->codec->close(u->c);
	free(u->data);
	free(u);
}

struct source *unpack_open(
    struct source *up, const struct unpack_codec *codec, struct err *e)
{
	struct unpack *u = calloc(1, sizeof *u);
	struct err why;

	if (!u) {
		err_nomem(e);
		return NULL;
	}
	source_init(&u->s, up->run, up);
	u->s.pull = unpack_pull;
	u->s.close = unpack_close;
	u->codec = codec;
	if (library_load(codec->library, &why)) {
		source_fail(&u->s, NOTE_UNREADABLE, "%s", why.text);
		return &u->s;
	}
	u->c = codec->open();
	if (!u->c) {
		free(u);
		err_nomem(e);
		return NULL;
	}
	codec->begin(u->c);
	return &u->s;
}
