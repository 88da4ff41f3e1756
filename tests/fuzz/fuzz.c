/*
 * The table of targets, and what they share.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct fuzz_target *const targets[] = { &fuzz_taxonomy,
	&fuzz_policy, &fuzz_archive, &fuzz_lines, &fuzz_blocks, &fuzz_records,
	&fuzz_jsonlines, &fuzz_store, &fuzz_scan, &fuzz_overlay, &fuzz_diff,
	&fuzz_history, &fuzz_export, &fuzz_dump };

const struct fuzz_target *fuzz_find(struct span name)
{
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (span_is(name, targets[i]->name))
			return targets[i];
	return NULL;
}

void fuzz_run(const struct fuzz_target *t, struct span data)
{
	char *copy;

	/* at the end of a block of its own, so that one byte too far shows */
	data = span_sub(data, 0, data.n < t->size ? data.n : t->size);
	copy = malloc(data.n ? data.n : 1);
	FUZZ_CHECK(copy);
	if (data.n)
		memcpy(copy, data.p, data.n);
	t->run((struct span){ copy, data.n });
	free(copy);
}

void fuzz_broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
	abort();
}

void fuzz_same(const struct buf *a, const struct buf *b)
{
	size_t i = 0;

	while (i < a->len && i < b->len && a->p[i] == b->p[i])
		i++;
	if (i == a->len && i == b->len)
		return;
	fprintf(stderr, "differs at byte %zu:\n%.*s\n---\n%.*s\n", i,
	    (int)a->len, a->p ? a->p : "", (int)b->len, b->p ? b->p : "");
	fuzz_broken(__FILE__, __LINE__, "the two texts are equal");
}

void fuzz_ok(int rc, const struct err *e)
{
	if (rc)
		fuzz_broken(__FILE__, __LINE__, e->text);
}

/* Not by text_utf8, which is under test. */
bool fuzz_utf8(struct span s)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	size_t i = 0, more;

	while (i < s.n) {
		unsigned char c = (unsigned char)s.p[i++];
		uint32_t v;

		if (c < 0x80)
			continue;
		more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
		if (c < 0xc2 || c > 0xf4 || s.n - i < more)
			return false;
		v = c & (0x3fu >> more);
		for (size_t k = 0; k < more; k++) {
			c = (unsigned char)s.p[i++];
			if ((c & 0xc0) != 0x80)
				return false;
			v = v << 6 | (c & 0x3f);
		}
		if (v < least[more] || v > 0x10ffff || (v >> 11) == 0x1b)
			return false;
	}
	return true;
}

const char *fuzz_file(unsigned slot, struct span data)
{
	static struct {
		int fd;
		char path[64];
	} files[FUZZ_FILES];
	char name[64];

	FUZZ_CHECK(slot < FUZZ_FILES);
	if (!files[slot].fd) {
		snprintf(name, sizeof name, "/jobtriage-fuzz-%ld-%u",
		    (long)getpid(), slot);
		files[slot].fd =
		    shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		FUZZ_CHECK(files[slot].fd > 0);
		shm_unlink(name);
		snprintf(files[slot].path, sizeof files[slot].path,
		    "/proc/self/fd/%d", files[slot].fd);
	}
	FUZZ_CHECK(!ftruncate(files[slot].fd, 0));
	FUZZ_CHECK(
	    pwrite(files[slot].fd, data.p, data.n, 0) == (ssize_t)data.n);
	return files[slot].path;
}

uint32_t fuzz_number(struct span *data, size_t n)
{
	uint32_t v = 0;

	for (size_t i = 0; i < n; i++) {
		v = v << 8 | (data->n ? (unsigned char)*data->p : 0);
		*data = span_sub(*data, data->n ? 1 : 0, data->n);
	}
	return v;
}

struct span fuzz_part(struct span *data, char c)
{
	const char *at = data->n ? memchr(data->p, c, data->n) : NULL;
	size_t n = at ? (size_t)(at - data->p) : data->n;
	struct span part = span_sub(*data, 0, n);

	*data = span_sub(*data, at ? n + 1 : n, data->n);
	return part;
}
