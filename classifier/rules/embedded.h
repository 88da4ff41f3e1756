/*
 * The taxonomy's files as the build put them into the program (embed.sh makes
 * the source of this table).
 */
#ifndef RULES_EMBEDDED_H
#define RULES_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *path; /* as in the source tree: "taxonomy/data/x.yaml" */
	const unsigned char *data;
	size_t len;
};

extern const struct embedded embedded_files[]; /* the last has path NULL */
extern const size_t embedded_count;            /* without that last one */

#endif
