/* What was meant by a word that is none: the nearest of those that are. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

struct nearest {
	const char *word, *found; /* borrowed; found: NULL until one is near */
	unsigned best;
};

struct nearest nearest_to(const char *word);
/* A word that may have been meant; borrowed. */
void nearest_offer(struct nearest *n, const char *candidate);

#endif
