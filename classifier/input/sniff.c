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
	MAGIC(SNIFF_RAR, "Rar!\x1a\7\0"),
	MAGIC(SNIFF_RAR5, "Rar!\x1a\7\1\0"),
	MAGIC(SNIFF_LZIP, "LZIP\0"),
	MAGIC(SNIFF_LZIP, "LZIP\1"),
	MAGIC(SNIFF_SEALED, "Salted__"),   /* openssl enc */
	MAGIC(SNIFF_SEALED, "U2FsdGVkX1"), /* the same in base64 */
	MAGIC(SNIFF_SEALED, "age-encryption.org/"),
	MAGIC(SNIFF_SEALED, "-----BEGIN AGE ENCRYPTED FILE-----"),
	MAGIC(SNIFF_SEALED, "-----BEGIN PGP MESSAGE-----"),
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

uint64_t sniff_skippable(struct span head)
{
	if (head.n < 8 || (le32(head.p) & 0xfffffff0u) != 0x184d2a50u)
		return 0;
	return 8 + (uint64_t)le32(head.p + 4);
}

/* It has no mark; so all fields must be as every program writes them: the
 * usual properties, a dictionary of 2^n or 3 * 2^n bytes, and a length that is
 * unknown or below 256 GiB. */
static bool is_lzma(struct span s)
{
	uint32_t dictionary, high;

	if (s.n < 14 || s.p[0] != 0x5d)
		return false;
	dictionary = le32(s.p + 1);
	high = le32(s.p + 9);
	while (dictionary > 3 && !(dictionary & 1))
		dictionary >>= 1;
	return (dictionary == 3 || dictionary == 1 || dictionary == 2) &&
	    le32(s.p + 1) >= 4096 &&
	    (high < 64 || (high == UINT32_MAX && le32(s.p + 5) == high));
}

/* compress: its mark, and 9 to 16 bits a code. */
static bool is_compress(struct span s)
{
	return has(s, 0, "\x1f\x9d", 2) && s.n >= 4 && !(s.p[2] & 0x60) &&
	    (s.p[2] & 0x1f) >= 9 && (s.p[2] & 0x1f) <= 16;
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

enum sniff sniff_kind(struct span head)
{
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (has(head, 0, magics[i].bytes, magics[i].n))
			return magics[i].kind;
	if (is_lzma(head))
		return SNIFF_LZMA;
	if (is_compress(head))
		return SNIFF_COMPRESS;
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
