/*
 * Magic numbers, long enough that no text log has them by chance. A tar header
 * has none in its oldest form; what it always has is a checksum.
 */
#include "input/sniff.h"

#include <string.h>

struct magic {
	enum sniff kind;
	size_t n;
	const char *bytes;
};

#define MAGIC(kind, text)                    \
	{                                    \
		kind, sizeof(text) - 1, text \
	}

static const struct magic magics[] = {
	MAGIC(SNIFF_XZ, "\xfd\067zXZ\0"),
	MAGIC(SNIFF_ZSTD, "\x28\xb5\x2f\xfd"),
	MAGIC(SNIFF_LZ4, "\x04\x22\x4d\x18"),
	MAGIC(SNIFF_LZ4, "\x02\x21\x4c\x18"), /* before frames: lz4 -l */
	MAGIC(SNIFF_ZIP, "PK\3\4"),
	MAGIC(SNIFF_ZIP, "PK\5\6"),    /* no members */
	MAGIC(SNIFF_ZIP, "PK\7\10PK"), /* split over volumes */
	MAGIC(SNIFF_ZIP, "PK00PK"),    /* was to be split, but fitted in one */
	MAGIC(SNIFF_7Z, "7z\xbc\xaf\x27\x1c"),
};

static bool has(struct span s, size_t at, const char *bytes, size_t n)
{
	return s.n >= n && at <= s.n - n && !memcmp(s.p + at, bytes, n);
}

static uint32_t le32(const char *p)
{
	uint32_t v = 0;

	for (int i = 3; i >= 0; i--)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

/* zstd and lz4 let frames that carry nothing stand anywhere, and pzstd starts
 * with one; libarchive does not know a stream by them. */
static size_t skippable(struct span s)
{
	size_t at = 0;

	while (s.n - at >= 8 && (le32(s.p + at) & 0xfffffff0u) == 0x184d2a50u) {
		uint64_t frame = 8 + (uint64_t)le32(s.p + at + 4);

		if (frame > s.n - at)
			return 0;
		at += (size_t)frame;
	}
	return at;
}

/* "BZh", a level, then the mark of a block or of the end. */
static bool is_bzip2(struct span s)
{
	return has(s, 0, "BZh", 3) && s.n >= 10 && s.p[3] >= '1' &&
	    s.p[3] <= '9' &&
	    (has(s, 4, "\x31\x41\x59\x26\x53\x59", 6) ||
		has(s, 4, "\x17\x72\x45\x38\x50\x90", 6));
}

/* Deflate is the only method there is, and three flag bits are not in use. */
static bool is_gzip(struct span s)
{
	return has(s, 0, "\x1f\x8b\x08", 3) && s.n >= 4 && !(s.p[3] & 0xe0);
}

/* The sum of all bytes, with the sum's own field read as blanks. Some old
 * programs took the bytes as signed. */
bool sniff_tar_sum(struct span s)
{
	int64_t want = 0, plain = 0, with_sign = 0;
	size_t i = 148;

	if (s.n < 512 || !s.p[0])
		return false;
	while (i < 156 && s.p[i] == ' ')
		i++;
	if (i == 156 || s.p[i] < '0' || s.p[i] > '7')
		return false;
	for (; i < 156 && s.p[i] >= '0' && s.p[i] <= '7'; i++)
		want = want * 8 + (s.p[i] - '0');
	if (i < 156 && s.p[i] != ' ' && s.p[i])
		return false;
	for (i = 0; i < 512; i++) {
		char c = i >= 148 && i < 156 ? ' ' : s.p[i];

		plain += (unsigned char)c;
		with_sign += (signed char)c;
	}
	return want == plain || want == with_sign;
}

/* A bad sum is for the reader to tell. */
static bool is_tar(struct span s)
{
	return has(s, 257, "ustar", 5) || sniff_tar_sum(s);
}

enum sniff sniff_kind(struct span head, size_t *skip)
{
	struct span rest;

	*skip = skippable(head);
	rest = span_sub(head, *skip, head.n);
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		const struct magic *m = &magics[i];

		if (!has(rest, 0, m->bytes, m->n))
			continue;
		if (!*skip || m->kind == SNIFF_ZSTD || m->kind == SNIFF_LZ4)
			return m->kind;
	}
	*skip = 0;
	if (is_gzip(head))
		return SNIFF_GZIP;
	if (is_bzip2(head))
		return SNIFF_BZIP2;
	return is_tar(head) ? SNIFF_TAR : SNIFF_PLAIN;
}

bool sniff_container(enum sniff kind)
{
	return kind >= SNIFF_TAR;
}
