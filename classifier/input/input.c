/*
 * One step, repeated: look at the first bytes of a stream; if they are a log,
 * push it to the sink; if they are compressed, put a decompressor on the
 * stream and look again; if they are a container, look at each member. What
 * stands where (the path, the layers) is kept in one reader, so that a limit
 * or a sink's "stop" ends all the steps at once.
 */
#include "input/input.h"

#include "base/buf.h"
#include "base/err.h"
#include "input/ahead.h"
#include "input/archive.h"
#include "input/below.h"
#include "input/longpath.h"
#include "input/source.h"
#include "input/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reader {
	struct source_run run;
	struct buf path; /* of what is being looked at */
	size_t outer;    /* how much of it is the outer file */
	struct below at; /* the file as it was asked for */
	struct source *file;
	struct span want; /* the address below outer; empty: everything */
	bool found;       /* something at that address */
	bool container;   /* members were told, and not the file itself */
	bool stop;        /* the sink wants no more */
	struct err *e;
};

struct place {
	unsigned level; /* layers below, the file not counted */
	unsigned nest;  /* of these, those that count as nesting */
	bool expanded;  /* the topmost layer is a decompressor */
	bool packed;    /* in a container that compresses its members */
	bool wanted;    /* at or below the address, not on the way to it */
};

static int read_any(struct reader *r, struct source *s, struct place at);

const char *input_note_name(enum input_note n)
{
	static const char *const names[NOTE_COUNT] = {
		[NOTE_UNREADABLE] = "unreadable",
		[NOTE_DAMAGED] = "damaged",
		[NOTE_ENCRYPTED] = "encrypted",
		[NOTE_SKIPPED] = "skipped",
		[NOTE_LIMIT] = "limit",
		[NOTE_CHANGED] = "changed",
	};

	return names[n];
}

static void tell(struct reader *r, enum input_note kind, const char *text)
{
	r->run.sink->note(r->run.sink->ctx, r->path.p, kind, text);
}

static void tell_limit(struct reader *r, const char *what, enum limit limit)
{
	char text[160];

	snprintf(text, sizeof text, "%s %llu (limit %s)", what,
	    (unsigned long long)r->run.limits->v[limit],
	    limit_table[limit].name);
	tell(r, NOTE_LIMIT, text);
}

/* Whether the path is not too long. The start of it is enough for a note. */
static bool may_be_named(struct reader *r)
{
	char *cut = r->path.p + 200, was;

	if (r->path.len <= r->run.limits->v[LIMIT_PATH])
		return true;
	was = *cut;
	*cut = '\0';
	tell_limit(
	    r, "not read: the bytes of its path are more than", LIMIT_PATH);
	*cut = was;
	return false;
}

/* r->path is that of the outer file. */
static void tell_changed(struct reader *r)
{
	enum input_note kind;
	const char *how = source_file_changed(r->file, &kind);

	if (how)
		tell(r, kind, how);
}

static void give_log(struct reader *r, struct source *s)
{
	const struct input_sink *sink = r->run.sink;
	const char *p;
	ssize_t n;
	int rc;

	rc = sink->begin(sink->ctx, r->path.p);
	if (rc < 0)
		r->stop = true;
	if (rc)
		return;
	do {
		n = source_read(s, &p);
	} while (n > 0 && !sink->data(sink->ctx, p, (size_t)n));
	if (n <= 0 && !r->container)
		tell_changed(r);
	if (n < 0)
		tell(r, s->fault, s->why);
	sink->end(sink->ctx, n == 0);
}

/* A log that cannot be looked into. */
static void give_nothing(
    struct reader *r, enum input_note fault, const char *why)
{
	const struct input_sink *sink = r->run.sink;
	int rc = sink->begin(sink->ctx, r->path.p);

	if (rc < 0)
		r->stop = true;
	if (rc)
		return;
	tell(r, fault, why);
	sink->end(sink->ctx, false);
}

/* Whether more layers may be put on: not when they nest too deep. */
static bool may_nest(struct reader *r, struct place at)
{
	if (at.nest <= r->run.limits->v[LIMIT_ARCHIVE_DEPTH] &&
	    at.level < SOURCE_LEVELS)
		return true;
	tell_limit(r, "not opened: archives inside each other, more than",
	    LIMIT_ARCHIVE_DEPTH);
	return false;
}

/* As read_any, while another thread decompresses. */
static int read_ahead(
    struct reader *r, struct source *s, struct place at, int least)
{
	struct source *ahead;
	int rc;

	if (r->run.ahead)
		return read_any(r, s, at);
	ahead = ahead_open(s, least, r->e);
	if (!ahead)
		return -1;
	rc = read_any(r, ahead, at);
	source_close(ahead);
	return rc;
}

static int read_compressed(
    struct reader *r, struct source *s, enum sniff kind, struct place at)
{
	/* of many logs, a thread that scans some is then worth more than one
	 * that decompresses */
	bool fast = kind == SNIFF_GZIP || kind == SNIFF_ZSTD;
	const struct unpack_codec *codec = kind == SNIFF_GZIP ? &unpack_gzip
	    : kind == SNIFF_ZSTD                              ? &unpack_zstd
	    : kind == SNIFF_XZ                                ? &unpack_xz
	    : kind == SNIFF_LZMA                              ? &unpack_lzma
							      : NULL;
	struct source *inner;
	int rc;

	/* the compression of an archive and the archive nest as one */
	if (at.expanded)
		at.nest++;
	at.expanded = true;
	at.level++;
	if (!may_nest(r, at))
		return 0;
	inner = codec ? unpack_open(s, codec, r->e)
		      : archive_expand(s, kind, at.level, r->e);
	if (!inner)
		return -1;
	inner->level = at.level;
	rc = read_ahead(r, inner, at, fast ? 2 : 1);
	source_close(inner);
	return rc;
}

enum match { MATCH_NONE, MATCH_ABOVE, MATCH_WANTED };

/* Whether the member at path is at the address wanted, or on the way there. */
static enum match match_want(const struct reader *r)
{
	struct span path = { r->path.p, r->path.len };
	struct span member = span_sub(path, r->outer + 1, path.n);
	struct span w = r->want;

	if (!w.n)
		return MATCH_WANTED;
	if (member.n < w.n)
		return w.p[member.n] == '!' &&
			span_eq(member, span_sub(w, 0, member.n))
		    ? MATCH_ABOVE
		    : MATCH_NONE;
	if (!span_eq(w, span_sub(member, 0, w.n)))
		return MATCH_NONE;
	if (member.n == w.n || member.p[w.n] == '/' || member.p[w.n] == '!')
		return MATCH_WANTED;
	return MATCH_NONE;
}

static int read_member(struct reader *r, struct archive_box *box,
    enum archive_next what, const struct archive_member *m, struct place at)
{
	enum match match = match_want(r);

	if (match == MATCH_NONE || what == ARCHIVE_NEXT_DIRECTORY)
		return 0;
	at.wanted = match == MATCH_WANTED;
	if (what == ARCHIVE_NEXT_LOG && at.packed)
		return read_ahead(r, archive_box_data(box), at, 1);
	if (what == ARCHIVE_NEXT_LOG)
		return read_any(r, archive_box_data(box), at);
	if (at.wanted)
		r->found = true;
	if (what == ARCHIVE_NEXT_ENCRYPTED)
		tell(r, NOTE_ENCRYPTED, "needs a passphrase");
	else if (at.wanted)
		tell(r, NOTE_SKIPPED, m->why);
	return 0;
}

static void path_cut(struct reader *r, size_t len)
{
	r->path.len = len;
	r->path.p[len] = '\0';
}

/* One thing that the container told. 1: go on; 0: no more; -1: no memory. */
static int read_next(struct reader *r, struct archive_box *box, struct place at,
    bool *damage_told)
{
	struct source *data = archive_box_data(box);
	size_t len = r->path.len;
	struct archive_member m;
	enum archive_next what = archive_box_next(box, &m);
	int rc;

	switch (what) {
	case ARCHIVE_NEXT_END:
		return 0;
	case ARCHIVE_NEXT_BROKEN:
		if (m.fault != NOTE_DAMAGED || !*damage_told)
			tell(r, (enum input_note)m.fault, m.why);
		return 0;
	case ARCHIVE_NEXT_DAMAGED:
		if (!*damage_told)
			tell(r, NOTE_DAMAGED, m.why);
		*damage_told = true;
		return 1;
	case ARCHIVE_NEXT_ENCRYPTED:
		if (m.name)
			break;
		tell(r, NOTE_ENCRYPTED, "needs a passphrase");
		return 0;
	default:
		break;
	}
	if (++r->run.members > r->run.limits->v[LIMIT_ARCHIVE_MEMBERS]) {
		r->run.over = true;
		tell_limit(r, "the rest is not read: members, more than",
		    LIMIT_ARCHIVE_MEMBERS);
		return 0;
	}
	if (buf_addc(&r->path, '!') ||
	    buf_adds(&r->path, m.name ? m.name : "?"))
		return err_nomem(r->e);
	if (r->run.sink->written)
		r->run.sink->written(r->run.sink->ctx, m.written);
	rc = may_be_named(r) ? read_member(r, box, what, &m, at) : 0;
	path_cut(r, len);
	/* a limit that the container itself reached was told for the member */
	if (!rc && !(data->failed && data->fault == NOTE_LIMIT))
		rc = 1;
	return rc;
}

static int read_container(
    struct reader *r, struct source *s, enum sniff kind, struct place at)
{
	struct archive_box *box = NULL;
	struct source *held = NULL;
	bool damage_told = false, full;
	int rc = 0;

	at.nest++;
	at.level++;
	at.expanded = false;
	at.packed = kind != SNIFF_TAR;
	if (!may_nest(r, at))
		return 0;
	r->container = true;
	if (kind == SNIFF_7Z && !s->seek) {
		held = source_hold(s, r->e, &full);
		if (!held && !full)
			return -1;
		if (!held && s->failed)
			tell(r, s->fault, s->why);
		else if (!held)
			tell_limit(r,
			    "not read: a 7z that is not a file of "
			    "its own is held in memory, bytes, more than",
			    LIMIT_NESTED_SEEK);
		if (!held)
			return 0;
		s = held;
	}
	box = archive_box_open(s, kind, at.level, r->e);
	if (!box) {
		rc = -1;
		goto out;
	}
	do
		rc = read_next(r, box, at, &damage_told);
	while (rc > 0 && !r->stop && !r->run.over);
	if (rc > 0)
		rc = 0;
out:
	archive_box_close(box);
	source_close(held);
	return rc;
}

/* What comes behind frames that carry nothing: zstd or lz4, for libarchive
 * does not know a stream by them; the end; or bytes that are no log. */
static int behind_skippable(
    struct reader *r, struct source *s, struct span head, struct place at)
{
	enum sniff kind;
	uint64_t frame;

	while ((frame = sniff_skippable(head)))
		if (source_skip(s, frame) || source_peek(s, &head))
			head.n = 0;
	kind = sniff_kind(head);
	if (kind == SNIFF_ZSTD || kind == SNIFF_LZ4)
		return read_compressed(r, s, kind, at);
	if (at.wanted)
		give_nothing(r, s->failed ? s->fault : NOTE_DAMAGED,
		    s->failed ? s->why : "compressed data without content");
	return 0;
}

static int read_any(struct reader *r, struct source *s, struct place at)
{
	struct span head = { NULL, 0 };
	enum sniff kind = SNIFF_PLAIN;

	if (at.wanted)
		r->found = true;
	if (!source_peek(s, &head)) {
		if (sniff_skippable(head))
			return behind_skippable(r, s, head, at);
		kind = sniff_kind(head);
	} else if (s->fault == NOTE_UNREADABLE && !at.level) {
		tell(r, s->fault, s->why);
		return 0;
	}
	if (kind == SNIFF_SEALED) {
		if (at.wanted)
			give_nothing(
			    r, NOTE_ENCRYPTED, "needs a passphrase or a key");
		return 0;
	}
	if (sniff_container(kind))
		return read_container(r, s, kind, at);
	if (kind != SNIFF_PLAIN)
		return read_compressed(r, s, kind, at);
	if (at.wanted)
		give_log(r, s);
	return 0;
}

/* ---- the outer file ---- */

static void tell_errno(struct reader *r, int number)
{
	char text[160];

	tell(r, NOTE_UNREADABLE, source_errno(number, text, sizeof text));
}

static bool is_file(struct reader *r, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		tell(r, NOTE_UNREADABLE, "is a directory");
	else if (!S_ISREG(st->st_mode) && !S_ISFIFO(st->st_mode))
		tell(r, NOTE_SKIPPED,
		    S_ISSOCK(st->st_mode) ? "a socket" : "a device");
	else
		return true;
	return false;
}

/* What was found below a folder: a file, unless it was changed since. */
static int open_below(struct reader *r, struct stat *st, bool *there)
{
	const struct below b = { r->path.p, r->at.given, r->at.follow,
		r->at.folder };
	enum below_why why;
	int fd = below_open(&b, O_NONBLOCK, st, &why);

	*there = fd >= 0 || why != BELOW_ERROR ||
	    (errno != ENOENT && errno != ENOTDIR);
	if (fd < 0 && why == BELOW_NAMES)
		tell(r, NOTE_SKIPPED,
		    "a file with other names, to which others than its owner "
		    "may have given this one");
	else if (fd < 0 && why != BELOW_ERROR)
		tell(r, NOTE_SKIPPED, "a link to what others own");
	else if (fd < 0 && *there)
		tell_errno(r, errno);
	if (fd >= 0 && !is_file(r, st)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* fd as it was opened. -1: it could not be. */
static int look_at(struct reader *r, int fd, struct stat *st)
{
	if (fd >= 0 && !fstat(fd, st))
		return fd;
	tell_errno(r, errno);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* -1 when it is not to be read, and that was told. *there: something is. */
static int open_outer(struct reader *r, struct stat *st, bool *there)
{
	int fd;

	*there = true;
	if (!strcmp(r->path.p, "-")) {
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		return look_at(r, fd, st);
	}
	if (r->at.given < r->path.len)
		return open_below(r, st, there);
	/* before it is opened: that does things to devices and pipes */
	if (longpath_stat(r->path.p, st)) {
		*there = errno != ENOENT && errno != ENOTDIR;
		if (*there)
			tell_errno(r, errno);
		return -1;
	}
	if (!is_file(r, st))
		return -1;
	/* with patience nothing blocks, not even a FIFO without a writer */
	fd = longpath_open(r->path.p,
	    S_ISFIFO(st->st_mode) && r->run.sink->patience ? O_NONBLOCK : 0);
	return look_at(r, fd, st);
}

/* The file at path, and in it what is at want. *found: there was something,
 * or a note says why not. */
static int read_outer(
    struct reader *r, struct span path, struct span want, bool *found)
{
	struct place at = { .wanted = !want.n };
	struct stat st;
	int fd, rc;

	buf_clear(&r->path);
	if (buf_add(&r->path, path.p, path.n))
		return err_nomem(r->e);
	r->outer = path.n;
	r->want = want;
	r->found = r->container = false;
	memset(r->run.expanded, 0, sizeof r->run.expanded);
	r->run.raw = r->run.members = 0;
	r->run.over = false;
	fd = open_outer(r, &st, found);
	if (fd < 0)
		return 0;
	if (!may_be_named(r)) {
		close(fd);
		return 0;
	}
	r->file =
	    source_file(&r->run, fd, &st, strcmp(r->path.p, "-") != 0, r->e);
	if (!r->file)
		return -1;
	rc = read_any(r, r->file, at);
	if (r->container && !r->stop)
		tell_changed(r);
	source_close(r->file);
	*found = r->found || r->stop || r->run.over;
	return rc;
}

/* The address below an outer file, as members are named. */
static struct span below(const char *p)
{
	struct span s;

	while (p[0] == '.' && p[1] == '/') {
		p++;
		p += strspn(p, "/");
	}
	s = span_of(p);
	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	return s;
}

/* The next place after from where path can be split: at an '!' behind the
 * name of a file. *split: its place. 0, 1 when there is none, -1. */
static int next_split(struct reader *r, const char *path, size_t *split)
{
	struct stat st;
	size_t i = *split;

	while (path[i]) {
		i++;
		if (path[i] != '!')
			continue;
		buf_clear(&r->path);
		if (buf_add(&r->path, path, i))
			return err_nomem(r->e);
		if (strcmp(r->path.p, "-") != 0 &&
		    (longpath_stat(r->path.p, &st) || S_ISDIR(st.st_mode)))
			continue;
		*split = i;
		return 0;
	}
	return 1;
}

static int read_address(struct reader *r, const char *path)
{
	size_t split = 0, splits = 0;
	bool found = false;
	int rc = 0;

	while (!found) {
		rc = next_split(r, path, &split);
		if (rc)
			break;
		splits++;
		rc = read_outer(r, (struct span){ path, split },
		    below(path + split + 1), &found);
		if (rc)
			return rc;
	}
	if (rc < 0 || found)
		return rc;
	buf_clear(&r->path);
	if (buf_adds(&r->path, path))
		return err_nomem(r->e);
	if (splits)
		tell(r, NOTE_UNREADABLE, "no such member");
	else
		tell_errno(r, ENOENT);
	return 0;
}

int input_read_below(const struct below *at, const struct limits *limits,
    const struct input_sink *sink, struct err *e)
{
	struct reader r = {
		.run = { .limits = limits, .sink = sink },
		.path = BUF_INIT(BUF_MAX),
		.at = *at,
		.e = e,
	};
	bool found = false;
	int rc = read_outer(&r, span_of(at->path), span_of(NULL), &found);

	if (!rc && !found)
		rc = read_address(&r, at->path);
	buf_release(&r.path);
	return rc;
}

int input_read(const char *path, const struct limits *limits,
    const struct input_sink *sink, struct err *e)
{
	const struct below at = { .path = path, .given = strlen(path) };

	return input_read_below(&at, limits, sink, e);
}
