/*
 * Everything is streamed through libarchive's callbacks: it pulls from the
 * stream below, and what it makes of a member is pulled from it in turn. A
 * compressed stream is a container of one member without a name (libarchive's
 * "raw" format). Only the one format that was recognised is switched on, so
 * libarchive cannot see another one in the bytes of a log.
 *
 * It brings more than a dozen libraries along (libxml2, ICU, ...), which cost
 * each start more than a small log does; so it is loaded by the first
 * container.
 */
#include "input/archive.h"

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/library.h"
#include "input/source.h"
#include "input/zipend.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Headers in a row that cannot be read, before the rest is given up: a tar is
 * searched for its next header in steps of 512 bytes. */
#define BAD_HEADERS (1 << 20)
#define TAR_BLOCK 512
/* The same of a zip, each of which begins anew behind it. */
#define ZIP_RESUMED 100
#define ZIP_LEAD 32

#define FUNCTIONS(X)                                  \
	X(archive_entry_filetype)                     \
	X(archive_entry_free)                         \
	X(archive_entry_hardlink)                     \
	X(archive_entry_is_data_encrypted)            \
	X(archive_entry_mtime)                        \
	X(archive_entry_new2)                         \
	X(archive_entry_pathname)                     \
	X(archive_entry_pathname_utf8)                \
	X(archive_entry_size)                         \
	X(archive_error_string)                       \
	X(archive_filter_bytes)                       \
	X(archive_filter_count)                       \
	X(archive_read_data_block)                    \
	X(archive_read_free)                          \
	X(archive_read_has_encrypted_entries)         \
	X(archive_read_new)                           \
	X(archive_read_next_header2)                  \
	X(archive_read_open1)                         \
	X(archive_read_set_callback_data)             \
	X(archive_read_set_options)                   \
	X(archive_read_set_read_callback)             \
	X(archive_read_set_seek_callback)             \
	X(archive_read_support_filter_bzip2)          \
	X(archive_read_support_filter_compress)       \
	X(archive_read_support_filter_lz4)            \
	X(archive_read_support_filter_lzip)           \
	X(archive_read_support_format_7zip)           \
	X(archive_read_support_format_empty)          \
	X(archive_read_support_format_rar)            \
	X(archive_read_support_format_rar5)           \
	X(archive_read_support_format_raw)            \
	X(archive_read_support_format_tar)            \
	X(archive_read_support_format_zip)            \
	X(archive_read_support_format_zip_streamable) \
	X(archive_set_error)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library libarchive =
    LIBRARY_INIT("libarchive.so.13", "libarchive13", rows);

/* libarchive turns names in UTF-8 or UTF-16 into the locale's bytes; in the C
 * locale they would be lost. One for all threads, kept to the end; or 0. */
static locale_t utf8;
static pthread_once_t utf8_once = PTHREAD_ONCE_INIT;

static void make_utf8(void)
{
	utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

struct archive_box {
	struct source s; /* the member; first: the two are one address */
	struct archive *a;
	/* its own may be missing, without a word, for want of memory */
	struct archive_entry *entry;
	enum sniff kind;
	size_t zeros; /* at the end of what was read, up to TAR_BLOCK */
	bool begun;
	uint64_t given;    /* bytes, to libarchive */
	struct span last;  /* of them; borrowed from up */
	struct span first; /* read, but it comes behind lead */
	char lead[TAR_BLOCK];
	struct zipend end;
	uint64_t members; /* told */
	uint64_t *told;   /* names of a zip's members, told by its directory */
	size_t n_told, cap_told;
	unsigned bad_headers;
	bool seen_member, end_checked;
	unsigned resumed; /* a zip, without its directory: how often, and */
	uint64_t from;    /* where */
	bool encrypted;   /* the member told last */
	/* the piece of the member that comes next, after a hole */
	uint64_t at, off;
	struct span piece;
	bool at_end, damaged;
	char why[200];
};

static const char zeros[16384];

/* ---- what libarchive calls ---- */

static void count_zeros(struct archive_box *b, const char *p, size_t n)
{
	size_t k = 0;

	while (k < n && k < TAR_BLOCK && !p[n - 1 - k])
		k++;
	b->zeros = k == n ? b->zeros + k : k;
}

/* The header of a folder. libarchive refuses an archive that does not begin
 * with a good header, but passes over a bad one behind another. */
static size_t make_lead(enum sniff kind, char block[TAR_BLOCK])
{
	unsigned sum = 0;

	memset(block, 0, TAR_BLOCK);
	if (kind == SNIFF_ZIP) {
		snprintf(block, 5, "PK\3\4");
		block[26] = 2; /* bytes of the name */
		snprintf(block + 30, 3, "./");
		return ZIP_LEAD;
	}
	snprintf(block, 100, "./");
	snprintf(block + 100, 8, "0000755");
	snprintf(block + 124, 12, "00000000000");
	memset(block + 148, ' ', 8); /* the sum, as it is summed */
	block[156] = '5';
	snprintf(block + 257, 6, "ustar");
	memset(block + 263, '0', 2);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum);
	return TAR_BLOCK;
}

/* Whether it is needed in front of what was read first. */
static bool needs_lead(const struct archive_box *b, struct span first)
{
	if (b->kind == SNIFF_ZIP)
		return b->from > 0;
	return b->kind == SNIFF_TAR && first.n >= TAR_BLOCK &&
	    !sniff_tar_sum(first);
}

static la_ssize_t on_read(struct archive *a, void *ctx, const void **out)
{
	struct archive_box *b = ctx;
	const char *p;
	ssize_t n;

	if (b->first.n) {
		*out = b->first.p;
		n = (ssize_t)b->first.n;
		b->first.n = 0;
		return n;
	}
	n = source_read(b->s.up, &p);
	if (n < 0) {
		lib.archive_set_error(a, EIO, "%s", b->s.up->why);
		return ARCHIVE_FATAL;
	}
	if (n && b->kind == SNIFF_TAR)
		count_zeros(b, p, (size_t)n);
	if (n && b->kind == SNIFF_ZIP && zipend_add(&b->end, p, (size_t)n)) {
		lib.archive_set_error(a, ENOMEM, "out of memory");
		return ARCHIVE_FATAL;
	}
	*out = p;
	b->given += (uint64_t)n;
	if (n)
		b->last = (struct span){ p, (size_t)n };
	if (!b->begun && n && needs_lead(b, (struct span){ p, (size_t)n })) {
		b->first = (struct span){ p, (size_t)n };
		*out = b->lead;
		n = (ssize_t)make_lead(b->kind, b->lead);
	}
	b->begun = true;
	return n;
}

/* Never past the end, where a read would look like a proper end. */
static la_int64_t on_seek(
    struct archive *a, void *ctx, la_int64_t offset, int whence)
{
	struct archive_box *b = ctx;
	struct source *up = b->s.up;
	la_int64_t pos = offset;

	if (whence == SEEK_CUR)
		pos += (la_int64_t)up->pos;
	else if (whence == SEEK_END)
		pos += (la_int64_t)up->size;
	if (pos < 0 || (uint64_t)pos > up->size ||
	    source_seek(up, (uint64_t)pos)) {
		lib.archive_set_error(a, EIO, "it ends too early");
		return ARCHIVE_FATAL;
	}
	b->zeros = 0;
	return pos;
}

/* ---- opening ---- */

static int choose(const struct archive_box *b)
{
	struct archive *a = b->a;
	enum sniff kind = b->kind;

	if (!sniff_container(kind) &&
	    (lib.archive_read_support_format_raw(a) ||
		lib.archive_read_support_format_empty(a)))
		return -1;
	switch (kind) {
	case SNIFF_BZIP2:
		return lib.archive_read_support_filter_bzip2(a);
	case SNIFF_LZ4:
		return lib.archive_read_support_filter_lz4(a);
	case SNIFF_LZIP:
		return lib.archive_read_support_filter_lzip(a);
	case SNIFF_COMPRESS:
		return lib.archive_read_support_filter_compress(a);
	case SNIFF_RAR:
		return lib.archive_read_support_format_rar(a);
	case SNIFF_RAR5:
		return lib.archive_read_support_format_rar5(a);
	case SNIFF_ZIP:
		return b->resumed
		    ? lib.archive_read_support_format_zip_streamable(a)
		    : lib.archive_read_support_format_zip(a);
	case SNIFF_7Z:
		return lib.archive_read_support_format_7zip(a);
	case SNIFF_TAR:
		/* Tars put one after the other are read to the last byte,
		 * which also has the layers below check their sums. */
		if (lib.archive_read_support_format_tar(a))
			return -1;
		return lib.archive_read_set_options(
		    a, "tar:read_concatenated_archives");
	case SNIFF_PLAIN:
	case SNIFF_GZIP:
	case SNIFF_XZ:
	case SNIFF_LZMA:
	case SNIFF_ZSTD: /* unpack.h */
	case SNIFF_SEALED:
		break;
	}
	return -1;
}

static ssize_t member_pull(struct source *s, const char **p);

static void box_close(struct source *s)
{
	archive_box_close((struct archive_box *)s);
}

void archive_box_close(struct archive_box *b)
{
	if (!b)
		return;
	if (b->entry)
		lib.archive_entry_free(b->entry);
	if (b->a)
		lib.archive_read_free(b->a);
	zipend_release(&b->end);
	free(b->told);
	free(b);
}

/* -1: out of memory. What else fails is in the bytes, and is told by the first
 * next(). */
static int start(struct archive_box *b)
{
	bool seek = b->s.up->seek && !b->resumed;

	b->a = lib.archive_read_new();
	if (b->entry)
		lib.archive_entry_free(b->entry);
	b->entry = b->a ? lib.archive_entry_new2(b->a) : NULL;
	if (!b->entry || choose(b) ||
	    lib.archive_read_set_callback_data(b->a, b) ||
	    lib.archive_read_set_read_callback(b->a, on_read) ||
	    (seek && lib.archive_read_set_seek_callback(b->a, on_seek)))
		return -1;
	lib.archive_read_open1(b->a);
	return 0;
}

struct archive_box *archive_box_open(
    struct source *up, enum sniff kind, unsigned level, struct err *e)
{
	struct archive_box *b = calloc(1, sizeof *b);
	struct err why;

	if (!b) {
		err_nomem(e);
		return NULL;
	}
	source_init(&b->s, up->run, up);
	b->s.level = level;
	b->s.pull = member_pull;
	b->s.close = box_close;
	b->kind = kind;
	b->at_end = true;
	if (library_load(&libarchive, &why)) {
		source_fail(&b->s, NOTE_UNREADABLE, "%s", why.text);
		return b;
	}
	pthread_once(&utf8_once, make_utf8);
	if (start(b)) {
		err_nomem(e);
		archive_box_close(b);
		return NULL;
	}
	return b;
}

/* ---- members ---- */

static int read_header(struct archive_box *b, struct archive_entry **entry)
{
	locale_t old = (locale_t)0;
	int rc;

	if (utf8)
		old = uselocale(utf8);
	*entry = b->entry;
	rc = lib.archive_read_next_header2(b->a, b->entry);
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN)
		lib.archive_entry_pathname(*entry); /* converts and keeps */
	if (utf8)
		uselocale(old);
	return rc;
}

static const char *member_name(struct archive_entry *entry)
{
	const char *name = lib.archive_entry_pathname(entry);

	if (!name)
		name = lib.archive_entry_pathname_utf8(entry);
	while (name && name[0] == '.' && name[1] == '/') {
		name++;
		name += strspn(name, "/");
	}
	return name;
}

static uint64_t name_hash(struct archive_entry *entry)
{
	const char *name = member_name(entry);

	return name ? hash_of(name, strlen(name)).low : 0;
}

static int by_hash(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* What the directory told is not told again when the zip is read in turn. That
 * is not done where memory is short. */
static void keep_told(struct archive_box *b, struct archive_entry *entry)
{
	if (b->kind != SNIFF_ZIP || b->resumed)
		return;
	if (array_grow(&b->told, b->n_told, &b->cap_told, sizeof *b->told))
		b->resumed = ZIP_RESUMED;
	else
		b->told[b->n_told++] = name_hash(entry);
}

static bool was_told(const struct archive_box *b, struct archive_entry *entry)
{
	uint64_t hash = b->resumed && b->n_told ? name_hash(entry) : 0;

	return hash && bsearch(&hash, b->told, b->n_told, sizeof hash, by_hash);
}

static enum archive_next member_type(const struct archive_box *b,
    struct archive_entry *entry, struct archive_member *m)
{
	switch (lib.archive_entry_filetype(entry)) {
	case AE_IFDIR:
		/* a zip tells a folder by its name, which may be damaged */
		if (b->kind != SNIFF_ZIP || lib.archive_entry_size(entry) <= 0)
			return ARCHIVE_NEXT_DIRECTORY;
		m->why = "a folder that has content";
		return ARCHIVE_NEXT_DAMAGED;
	case AE_IFLNK:
		m->why = "a symbolic link";
		return ARCHIVE_NEXT_SKIPPED;
	case AE_IFCHR:
	case AE_IFBLK:
		m->why = "a device";
		return ARCHIVE_NEXT_SKIPPED;
	case AE_IFSOCK:
		m->why = "a socket";
		return ARCHIVE_NEXT_SKIPPED;
	case AE_IFIFO:
		m->why = "a named pipe";
		return ARCHIVE_NEXT_SKIPPED;
	default:
		break;
	}
	if (lib.archive_entry_hardlink(entry)) {
		m->why = "a hard link";
		return ARCHIVE_NEXT_SKIPPED;
	}
	if (lib.archive_entry_is_data_encrypted(entry) > 0)
		return ARCHIVE_NEXT_ENCRYPTED;
	return ARCHIVE_NEXT_LOG;
}

static const char *why_of(struct archive *a)
{
	const char *text = a ? lib.archive_error_string(a) : NULL;

	return text ? text : "it cannot be read";
}

static enum archive_next broken(struct archive_box *b, struct archive_member *m)
{
	m->why = why_of(b->a);
	m->fault = NOTE_DAMAGED;
	if (b->s.up->failed) {
		m->why = b->s.up->why;
		m->fault = (int)b->s.up->fault;
	} else if (b->kind == SNIFF_7Z &&
	    (b->encrypted ||
		(!b->seen_member &&
		    lib.archive_read_has_encrypted_entries(b->a) > 0))) {
		/* Even the names, or all after the last member: libarchive
		 * cannot step over it. */
		return ARCHIVE_NEXT_ENCRYPTED;
	}
	return ARCHIVE_NEXT_BROKEN;
}

/* A tar that is cut between two members looks complete to libarchive. */
static enum archive_next end_of_tar(
    struct archive_box *b, struct archive_member *m)
{
	if (b->kind != SNIFF_TAR || b->zeros >= TAR_BLOCK || b->end_checked)
		return ARCHIVE_NEXT_END;
	b->end_checked = true;
	m->why = "the mark at the end of the archive is missing";
	m->fault = NOTE_DAMAGED;
	return ARCHIVE_NEXT_BROKEN;
}

/* By its directory libarchive reads no more of a zip behind a member whose own
 * header or whose place there is damaged; in turn, from the start on, it does.
 */
static bool resume_zip(struct archive_box *b)
{
	uint64_t from = 0;

	if (b->kind != SNIFF_ZIP || !b->s.up->seek || b->s.up->failed ||
	    b->resumed == ZIP_RESUMED)
		return false;
	if (b->resumed) {
		/* behind the header that is damaged */
		from = b->from + (uint64_t)lib.archive_filter_bytes(b->a, 0);
		if (b->from)
			from -= ZIP_LEAD;
		if (from <= b->from)
			return false;
	}
	if (source_seek(b->s.up, from))
		return false;
	if (!b->resumed && b->n_told)
		qsort(b->told, b->n_told, sizeof *b->told, by_hash);
	b->from = from;
	b->resumed++;
	b->begun = false;
	b->first.n = 0;
	snprintf(b->why, sizeof b->why, "%s", why_of(b->a));
	lib.archive_read_free(b->a);
	return start(b) == 0;
}

/* libarchive ends a zip in silence where its directory is damaged, or, without
 * one, where something else stands between the members. The record behind that
 * directory still tells how many there are. */
static enum archive_next end_of_zip(
    struct archive_box *b, struct archive_member *m)
{
	struct source *up = b->s.up;
	ssize_t n = 0;
	int64_t members;
	const char *p;

	if (b->end_checked)
		return ARCHIVE_NEXT_END;
	b->end_checked = true;
	if (up->seek) {
		b->end.n = 0;
		n = source_seek(
		    up, up->size > ZIPEND_BYTES ? up->size - ZIPEND_BYTES : 0);
	}
	while (n >= 0 && (n = source_read(up, &p)) > 0)
		if (zipend_add(&b->end, p, (size_t)n))
			break;
	members = zipend_members(&b->end);
	if (!n && members >= 0 && (uint64_t)members <= b->members)
		return ARCHIVE_NEXT_END;
	m->why = "members are missing";
	if (members < 0)
		m->why = "the directory at its end is missing";
	m->fault = NOTE_DAMAGED;
	if (up->failed) {
		m->why = up->why;
		m->fault = (int)up->fault;
	}
	return members > 0 && resume_zip(b) ? ARCHIVE_NEXT_DAMAGED
					    : ARCHIVE_NEXT_BROKEN;
}

enum archive_next archive_box_next(
    struct archive_box *b, struct archive_member *m)
{
	struct archive_entry *entry = NULL;
	int rc;

	*m = (struct archive_member){ .fault = NOTE_DAMAGED };
	if (!b->a) {
		m->why = b->s.why;
		m->fault = (int)b->s.fault;
		return ARCHIVE_NEXT_BROKEN;
	}
	b->s.failed = b->s.ended = false;
	b->s.head_n = b->s.head_at = 0;
	b->s.rest.n = 0;
	b->at = b->off = 0;
	b->piece.n = 0;
	b->at_end = b->damaged = false;
	do {
		rc = read_header(b, &entry);
	} while (
	    (rc == ARCHIVE_OK || rc == ARCHIVE_WARN) && was_told(b, entry));
	if (rc == ARCHIVE_EOF)
		return b->kind == SNIFF_ZIP ? end_of_zip(b, m)
					    : end_of_tar(b, m);
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN) {
		b->members++;
		keep_told(b, entry);
		b->bad_headers = 0;
		b->seen_member = true;
		b->encrypted = lib.archive_entry_is_data_encrypted(entry) > 0;
		m->name = member_name(entry);
		m->written = lib.archive_entry_mtime(entry);
		return member_type(b, entry, m);
	}
	b->at_end = true;
	if (resume_zip(b)) {
		m->why = b->why;
		return ARCHIVE_NEXT_DAMAGED;
	}
	if (rc == ARCHIVE_FATAL || b->s.up->failed ||
	    b->bad_headers++ > BAD_HEADERS)
		return broken(b, m);
	m->why = why_of(b->a);
	return ARCHIVE_NEXT_DAMAGED;
}

static void keep_why(struct archive_box *b)
{
	if (!b->damaged)
		snprintf(b->why, sizeof b->why, "%s", why_of(b->a));
	b->why[strcspn(b->why, "\n")] = '\0';
	b->damaged = true;
}

/* The next piece. libarchive's warnings come with the data they are about
 * (a bad sum with the last piece) and the end comes after them. */
static void next_piece(struct archive_box *b)
{
	const void *data = NULL;
	size_t n = 0;
	la_int64_t off = (la_int64_t)b->at;
	int rc = lib.archive_read_data_block(b->a, &data, &n, &off);

	if (rc != ARCHIVE_OK && rc != ARCHIVE_EOF)
		keep_why(b);
	if (rc != ARCHIVE_OK && (rc != ARCHIVE_WARN || !n))
		b->at_end = true;
	if (rc == ARCHIVE_OK || rc == ARCHIVE_WARN)
		b->piece = (struct span){ data, n };
	/* A sparse file says where its pieces go, and how long it is. */
	if (rc == ARCHIVE_OK || (rc == ARCHIVE_EOF && b->kind == SNIFF_TAR))
		b->off = off < 0 ? 0 : (uint64_t)off;
}

/* libarchive ends a compressed stream in silence where none of its parts goes
 * on. Zero bytes fill the block of a tape. */
static bool rest_is_zero(struct archive_box *b)
{
	uint64_t taken = (uint64_t)lib.archive_filter_bytes(b->a, -1);
	uint64_t left = taken < b->given ? b->given - taken : 0;
	struct span rest = b->last;
	ssize_t n;

	if (left < rest.n)
		rest = span_sub(rest, rest.n - (size_t)left, rest.n);
	do {
		for (size_t i = 0; i < rest.n; i++)
			if (rest.p[i])
				return false;
		n = source_read(b->s.up, &rest.p);
		rest.n = n > 0 ? (size_t)n : 0;
	} while (rest.n);
	return true;
}

static ssize_t end_of_data(struct archive_box *b)
{
	struct source *s = &b->s;

	if (b->damaged && s->up->failed)
		return source_fail(s, s->up->fault, "%s", s->up->why);
	if (b->damaged)
		return source_fail(s, NOTE_DAMAGED, "%s", b->why);
	if (!sniff_container(b->kind) && !rest_is_zero(b))
		return source_fail(
		    s, NOTE_DAMAGED, "other bytes follow the compressed data");
	return 0;
}

static ssize_t member_pull(struct source *s, const char **p)
{
	struct archive_box *b = (struct archive_box *)s;
	size_t n;

	while (b->off <= b->at && !b->piece.n && !b->at_end)
		next_piece(b);
	if (b->off > b->at) {
		n = b->off - b->at < sizeof zeros ? (size_t)(b->off - b->at)
						  : sizeof zeros;
		*p = zeros;
	} else if (b->piece.n) {
		*p = b->piece.p;
		n = b->piece.n;
		b->piece.n = 0;
	} else {
		return end_of_data(b);
	}
	b->at += n;
	return (ssize_t)n;
}

struct source *archive_box_data(struct archive_box *b)
{
	return &b->s;
}

struct source *archive_expand(
    struct source *up, enum sniff kind, unsigned level, struct err *e)
{
	struct archive_box *b = archive_box_open(up, kind, level, e);
	struct archive_member m;

	if (!b)
		return NULL;
	switch (archive_box_next(b, &m)) {
	case ARCHIVE_NEXT_LOG:
		if (lib.archive_filter_count(b->a) > 1)
			break;
		source_fail(&b->s, NOTE_DAMAGED, "it cannot be decompressed");
		break;
	case ARCHIVE_NEXT_END:
		b->s.ended = true; /* nothing, compressed */
		break;
	default:
		if (!b->s.failed)
			source_fail(&b->s, (enum input_note)m.fault, "%s",
			    m.why ? m.why : "it cannot be decompressed");
		break;
	}
	return &b->s;
}
