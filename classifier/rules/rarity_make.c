/*
 * Not a part of the program: reads logs on standard input and writes
 * rarity_table.c. `make rarity` runs it; its argument names the logs. Only
 * counts of four bytes leave a log, no text.
 */
#include "rules/rarity.h"

#include <stdio.h>
#include <string.h>

static uint64_t counts[1 << RARITY_BITS];

static uint64_t count(FILE *f)
{
	static unsigned char block[1 << 16];
	uint64_t all = 0;
	size_t kept = 0, n;

	while ((n = fread(block + kept, 1, sizeof block - kept, f)) > 0) {
		n += kept;
		if (n < RARITY_FOUR) {
			kept = n;
			continue;
		}
		for (size_t i = 0; i + RARITY_FOUR <= n; i++, all++)
			counts[rarity_slot(block + i)]++;
		kept = RARITY_FOUR - 1;
		memmove(block, block + n - kept, kept);
	}
	return all;
}

/* 'a' for less than one of 2^RARITY_MOST places, a letter for each doubling. */
static char letter(uint64_t n, uint64_t all)
{
	int level = 0;

	for (uint64_t of = n << RARITY_MOST;
	     of > all && level < RARITY_LEVELS - 1; of /= 2)
		level++;
	return (char)('a' + level);
}

int main(int argc, char **argv)
{
	uint64_t all = count(stdin);

	if (!all || argc != 2)
		return 1;
	printf("/*\n * Made by rarity_make.c: see `make rarity`. Counted in:\n"
	       " * %s.\n */\n"
	       "#include \"rules/rarity.h\"\n\n"
	       "const char rarity_table[RARITY_ROWS][RARITY_ROW + 1] = {\n",
	    argv[1]);
	for (size_t i = 0; i < RARITY_ROWS; i++) {
		printf("\t\"");
		for (size_t k = 0; k < RARITY_ROW; k++)
			putchar(letter(counts[i * RARITY_ROW + k], all));
		printf("\",\n");
	}
	printf("};\n");
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
