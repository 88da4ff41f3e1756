/* Where in a text a metric's name may begin, so that nothing else of it need
 * be looked at. Private to metrics*.c. */
#ifndef DIAGNOSE_METRICS_MARKS_H
#define DIAGNOSE_METRICS_MARKS_H

#include "base/text.h"

#define METRIC_MARKS_SEEN 3    /* bytes of a name that are looked at */
#define METRIC_MARKS_WORDS 128 /* of 64 bytes each */
#define METRIC_MARKS_BYTES (64 * METRIC_MARKS_WORDS)

/* Which names a byte may belong to, a bit for each group of them: by the place
 * in the name, by each half of the byte; and which three bytes begin one. */
struct metric_marker {
	unsigned char low[METRIC_MARKS_SEEN][16], high[METRIC_MARKS_SEEN][16];
	uint32_t begins[32 * 32]; /* by two bytes; a bit for the third */
};

/* A bit for each byte of a text. */
struct metric_marks {
	uint64_t names[METRIC_MARKS_WORDS];    /* one may begin here */
	uint64_t stops[METRIC_MARKS_WORDS];    /* or it is '/' */
	uint64_t ends[METRIC_MARKS_WORDS];     /* '\n' and '\r' */
	uint64_t newlines[METRIC_MARKS_WORDS]; /* '\n' */
	size_t n;                              /* bytes */
};

/* -1: out of memory. */
int metric_marker_make(
    struct metric_marker *m, const char *const *names, size_t n);

/* Of the first METRIC_MARKS_BYTES of s, before and behind which no word is. */
void metric_marks_set(
    struct metric_marks *marks, const struct metric_marker *m, struct span s);

/* The first of `from` to `to` that is set in a row of marks; or `to`. */
static inline size_t metric_marks_next(
    const uint64_t *row, size_t from, size_t to)
{
	uint64_t w;

	if (from >= to)
		return to;
	w = row[from / 64] >> from % 64;
	if (!w)
		for (from = from / 64 * 64 + 64; from < to; from += 64) {
			w = row[from / 64];
			if (w)
				break;
		}
	from += w ? (size_t)__builtin_ctzll(w) : 0;
	return from < to ? from : to;
}
/* Behind the last one of them; or `from`. */
size_t metric_marks_behind(const uint64_t *row, size_t from, size_t to);
/* How many of them are. */
size_t metric_marks_count(const uint64_t *row, size_t from, size_t to);

#endif
