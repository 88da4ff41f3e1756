/* The keys of JSON loggers that ship, for tests of the input. */
#ifndef TESTS_INPUT_KEYS_H
#define TESTS_INPUT_KEYS_H

#include "input/jsonkeys.h"
#include "rules/taxonomy.h"

#include <stdlib.h>

static struct taxonomy *keys_taxonomy;

static inline void keys_free(void)
{
	taxonomy_free(keys_taxonomy);
}

/* Borrowed until the program ends. */
static inline const struct jsonkeys *keys(void)
{
	if (!keys_taxonomy) {
		keys_taxonomy = taxonomy_load(NULL, 0, NULL);
		assert_non_null(keys_taxonomy);
		atexit(keys_free);
	}
	return keys_taxonomy->json_keys;
}

#endif
