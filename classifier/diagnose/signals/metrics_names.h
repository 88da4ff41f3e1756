/* The names of all metrics, made ready to be found in text. Private to
 * metrics*.c. */
#ifndef DIAGNOSE_METRICS_NAMES_H
#define DIAGNOSE_METRICS_NAMES_H

#include "base/text.h"
#include "rules/taxonomy.h"

#define METRIC_NAME_VALIDATION ((size_t)-1)

struct metric_name {
	const char *text; /* of the taxonomy */
	size_t n;
	uint64_t begin, mask; /* its first bytes, and which of them must be */
	size_t letters;       /* of these the first, which need no other look */
	size_t slash;         /* of a unit: bytes before its '/'; 0: no unit */
	size_t metric;        /* index, or METRIC_NAME_VALIDATION */
	size_t number;        /* its own */
};

struct metric_names;
struct metric_marker;

/* NULL: out of memory. */
struct metric_names *metric_names_new(const struct taxonomy *tax);
void metric_names_free(struct metric_names *names);

const struct metric_marker *metric_names_marker(
    const struct metric_names *names);

/* The longest name at s[i], where a word begins; or NULL. */
const struct metric_name *metric_names_at(
    const struct metric_names *names, struct span s, size_t i);
/* The unit whose '/' is s[slash], or NULL. */
const struct metric_name *metric_names_unit(
    const struct metric_names *names, struct span s, size_t slash);

/* Not 0: a letter (1 to 26, in either case), a digit (27) or '_' (28). */
extern const unsigned char metric_words[256];

static inline bool metric_word(char c)
{
	return metric_words[(unsigned char)c];
}

/* What a blank of a name stands for. */
#define METRIC_JOINS " _-/"

/* In lower case. */
static inline unsigned char metric_fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

#endif
