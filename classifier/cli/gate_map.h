/* The words that gate answers, and the exit status of each. */
#ifndef CLI_GATE_MAP_H
#define CLI_GATE_MAP_H

#include "rules/taxonomy.h"

struct err;

/* The verdicts, and one word more. */
#define GATE_ERROR VERDICT_COUNT
#define GATE_WORDS (VERDICT_COUNT + 1)

/* "retry", ..., "error". */
const char *gate_word(int word);

/* The name of the i-th preset; NULL past the end. */
const char *gate_map_preset(size_t i);

/* The map that text describes: a preset, changed by name=number pairs, or
 * pairs alone; NULL: the standard map. -1 with e set: it describes none. */
int gate_map_read(const char *text, int map[GATE_WORDS], struct err *e);

#endif
