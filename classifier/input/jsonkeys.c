#include "input/jsonkeys.h"

#include "base/array.h"
#include <stdlib.h>
#include <string.h>

void jsonkeys_free(struct jsonkeys *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < JSONKEYS_FIELDS; i++)
		free(k->keys[i].v);
	free(k->levels);
	free(k->names);
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

static size_t bucket_of(struct span word)
{
	unsigned char first = word.n ? (unsigned char)word.p[0] : 0;
	unsigned char last = word.n ? (unsigned char)word.p[word.n - 1] : 0;

	return (first + 3u * last + 7 * word.n) % JSONKEYS_BUCKETS;
}

size_t jsonkeys_name(const struct jsonkeys *k, struct span word)
{
	size_t id = k->first[bucket_of(word)];

	while (id &&
	    (k->names[id - 1].word.n != word.n ||
		memcmp(k->names[id - 1].word.p, word.p, word.n) != 0))
		id = k->names[id - 1].next;
	return id;
}

/* As that; new, if it is. 0: out of memory. */
static size_t add_name(struct jsonkeys *k, struct span word)
{
	size_t id = jsonkeys_name(k, word), *first = &k->first[bucket_of(word)];

	if (id)
		return id;
	if (array_grow(&k->names, k->n_names, &k->cap_names, sizeof *k->names))
		return 0;
	k->names[k->n_names] = (struct jsonkeys_name){ word, *first, false };
	return *first = ++k->n_names;
}

static const char *const fixed[JSONKEYS_FIXED] = {
	[JSONKEYS_LOG] = "log",
	[JSONKEYS_STREAM] = "stream",
	[JSONKEYS_WHEN] = "time",
	[JSONKEYS_ATTRS] = "attrs",
	[JSONKEYS_TEXT] = "message",
	[JSONKEYS_ERROR_CODE] = "errorCode",
	[JSONKEYS_EXTRA_INFO] = "extraInfo",
	[JSONKEYS_TIMESTAMP] = "timestamp",
	[JSONKEYS_IDENTIFIER] = "SYSLOG_IDENTIFIER",
};

const char *jsonkeys_word(enum jsonkeys_fixed id)
{
	return fixed[id];
}

struct jsonkeys *jsonkeys_new(void)
{
	struct jsonkeys *k = calloc(1, sizeof *k);

	for (size_t id = 1; k && id < JSONKEYS_FIXED; id++)
		if (add_name(k, span_of(fixed[id])) != id) {
			jsonkeys_free(k);
			k = NULL;
		}
	return k;
}

int jsonkeys_add(
    struct jsonkeys *k, enum jsonkeys_field field, const char *word)
{
	struct jsonkeys_list *list = &k->keys[field];
	size_t id = add_name(k, span_of(word)), outer;

	for (const char *dot = word; (dot = strchr(dot, '.')); dot++) {
		outer =
		    add_name(k, (struct span){ word, (size_t)(dot - word) });
		if (!outer)
			return -1;
		k->names[outer - 1].outer = true;
	}
	if (!id || array_grow(&list->v, list->n, &list->cap, sizeof *list->v))
		return -1;
	list->ids |= jsonkeys_bit(id);
	list->v[list->n++] =
	    (struct jsonkeys_key){ word, strchr(word, '.'), id };
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

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

enum level jsonkeys_level(const struct jsonkeys *k, struct span word)
{
	char first = word.n ? lower(word.p[0]) : '\0';

	for (size_t i = 0; i < k->n_levels; i++) {
		const char *w = k->levels[i].word;
		size_t n = 0;

		/* which nearly always decides */
		if (*w != first)
			continue;
		while (n < word.n && w[n] && lower(word.p[n]) == w[n])
			n++;
		if (n == word.n && !w[n])
			return k->levels[i].level;
	}
	return LEVEL_UNKNOWN;
}
