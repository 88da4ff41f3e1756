#include "input/jsonkeys.h"

#include "base/array.h"
#include <stdlib.h>
#include <string.h>

struct jsonkeys *jsonkeys_new(void)
{
	return calloc(1, sizeof(struct jsonkeys));
}

void jsonkeys_free(struct jsonkeys *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < JSONKEYS_FIELDS; i++)
		free(k->keys[i].v);
	free(k->levels);
	free(k->heads);
	free(k);
}

/* A short key's closing quote mark is the last byte. */
static int add_head(struct jsonkeys *k, const char *word)
{
	char text[JSONKEYS_HEAD] = { word[0], word[1], word[2],
		word[3] ? word[3] : '"' };
	uint32_t head;
	unsigned bit;

	if (array_grow(&k->heads, k->n_heads, &k->cap_heads, sizeof *k->heads))
		return -1;
	memcpy(&head, text, sizeof head);
	bit = jsonkeys_hash(head);
	k->maybe[bit / 32] |= UINT32_C(1) << bit % 32;
	k->heads[k->n_heads++] = head;
	return 0;
}

int jsonkeys_add(
    struct jsonkeys *k, enum jsonkeys_field field, const char *word)
{
	struct jsonkeys_list *list = &k->keys[field];

	if (array_grow(&list->v, list->n, &list->cap, sizeof *list->v))
		return -1;
	list->v[list->n++] = (struct jsonkeys_key){ word, strchr(word, '.') };
	return field == JSONKEYS_MESSAGE ? add_head(k, word) : 0;
}

int jsonkeys_add_level(struct jsonkeys *k, const char *word, enum level level)
{
	if (array_grow(
		&k->levels, k->n_levels, &k->cap_levels, sizeof *k->levels))
		return -1;
	k->levels[k->n_levels++] = (struct jsonkeys_level){ word, level };
	return 0;
}

bool jsonkeys_has(
    const struct jsonkeys *k, enum jsonkeys_field field, const char *word)
{
	for (size_t i = 0; i < k->keys[field].n; i++)
		if (strcmp(k->keys[field].v[i].name, word) == 0)
			return true;
	return false;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

enum level jsonkeys_level(const struct jsonkeys *k, struct span word)
{
	for (size_t i = 0; i < k->n_levels; i++) {
		const char *w = k->levels[i].word;
		size_t n = 0;

		while (n < word.n && w[n] && lower(word.p[n]) == w[n])
			n++;
		if (n == word.n && !w[n])
			return k->levels[i].level;
	}
	return LEVEL_UNKNOWN;
}
