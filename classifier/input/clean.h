/*
 * What a terminal would obey and a reader must not see: ANSI escapes, NUL and
 * backspace bytes. And UTF-16, told and turned to UTF-8.
 */
#ifndef INPUT_CLEAN_H
#define INPUT_CLEAN_H

#include "base/text.h"

struct buf;
struct jsonkeys;

/* Where in an escape the bytes so far ended. {0} before the first byte. */
struct clean {
	enum clean_state {
		CLEAN_TEXT,
		CLEAN_ESC,       /* after ESC */
		CLEAN_SHORT,     /* after ESC and an intermediate byte */
		CLEAN_CSI,       /* after ESC [ */
		CLEAN_STRING,    /* after ESC ] and the like */
		CLEAN_STRING_ESC /* ESC inside such a string */
	} state;
	unsigned length;             /* bytes of the escape so far */
	uint64_t nul_bytes, escapes; /* escapes: backspaces too */
};

/*
 * Cut the next run of text off the front of *rest. false when *rest held
 * none (it is empty then). An escape may go on in the next call's bytes; one
 * that is not ended is dropped up to the line end or 4 KiB at most.
 */
bool clean_next(struct clean *c, struct span *rest, struct span *text);

/* Bytes at the front of s that are no text. The next one is, or s is at its
 * end. */
size_t clean_skip(struct clean *c, struct span s);

/*
 * Copy text from the front of s to out, which has room for all of s, and count
 * its '\n'. Stops before a byte that is no text and before a '{' that begins a
 * line which may be a JSON record; one whose end is not in s may be. out[-1] is
 * the text before s.
 */
size_t clean_copy(
    const struct jsonkeys *keys, struct span s, char *out, uint64_t *newlines);

/* Whether s is text, all of it. */
bool clean_is(struct span s);

/* Append the text of all of s to out. -1: no memory. */
int clean_add(struct clean *c, struct buf *out, struct span s);

/* UTF-16, little or big end first. */
enum utf16 { UTF16_NO, UTF16_LITTLE, UTF16_BIG };

#define CLEAN_LOOK 512 /* bytes that decide; fewer at the end of a log */

/* What the first bytes of a log say. *mark: bytes of its byte order mark,
 * also UTF-8's. */
enum utf16 clean_utf16(struct span head, size_t *mark);

/* One UTF-16 unit may have been half read, or be the first of a pair. */
struct clean_unit {
	unsigned char half;
	bool has_half;
	uint16_t high; /* a high surrogate, or 0 */
	bool big;
};

/* The next byte. Writes UTF-8 to out, returns how many bytes it wrote: 0 in
 * the middle of a character, up to 6 after a broken pair. */
size_t clean_utf16_byte(struct clean_unit *u, unsigned char c, char out[6]);
/* At the end of the log: what was left half read becomes U+FFFD. */
size_t clean_utf16_end(struct clean_unit *u, char out[6]);

#endif
