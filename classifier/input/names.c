/*
 * One run of bytes and one array of places in it; sorting merges, since that
 * takes the same time for any names.
 */
#define _DEFAULT_SOURCE /* d_type and its values */
#include "input/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TYPE 3
#define MARK 4

void names_release(struct names *n)
{
	buf_release(&n->text);
	free(n->at);
	*n = (struct names)NAMES_INIT;
}

/* Sort v with room for half as many in spare. */
static void sort(const char *text, uint32_t *v, size_t n, uint32_t *spare)
{
	size_t half = n / 2, a = 0, b = half, out = 0;

	if (n < 2)
		return;
	sort(text, v, half, spare);
	sort(text, v + half, n - half, spare);
	memcpy(spare, v, half * sizeof *v);
	while (a < half && b < n)
		v[out++] = strcmp(text + spare[a] + 1, text + v[b] + 1) <= 0
		    ? spare[a++]
		    : v[b++];
	memcpy(v + out, spare + a, (half - a) * sizeof *v);
}

static int sorted(struct names *n)
{
	uint32_t *spare = malloc((n->count / 2 + 1) * sizeof *spare);
	size_t at = 0;

	n->at = malloc((n->count + 1) * sizeof *n->at);
	if (!spare || !n->at) {
		free(spare);
		return -1;
	}
	for (size_t i = 0; i < n->count; i++) {
		n->at[i] = (uint32_t)at;
		at += strlen(n->text.p + at + 1) + 2;
	}
	sort(n->text.p, n->at, n->count, spare);
	free(spare);
	return 0;
}

static int add(struct names *n, const struct dirent *ent)
{
	enum name_type type = ent->d_type == DT_REG ? NAME_FILE
	    : ent->d_type == DT_DIR                 ? NAME_DIRECTORY
						    : NAME_UNKNOWN;
	size_t len = n->text.len;

	if (buf_addc(&n->text, (char)type) ||
	    buf_add(&n->text, ent->d_name, strlen(ent->d_name) + 1)) {
		n->text.len = len;
		return -1;
	}
	n->files += type == NAME_FILE;
	n->count++;
	return 0;
}

int names_read(struct names *n, DIR *dp)
{
	struct dirent *ent;
	int number;

	for (errno = 0; (ent = readdir(dp)); errno = 0)
		if (strcmp(ent->d_name, ".") != 0 &&
		    strcmp(ent->d_name, "..") != 0 && add(n, ent))
			return -1;
	number = errno;
	if (sorted(n))
		return -1;
	errno = number;
	return number ? 1 : 0;
}

const char *names_get(const struct names *n, size_t i)
{
	return n->text.p + n->at[i] + 1;
}

enum name_type names_type(const struct names *n, size_t i)
{
	return (enum name_type)(n->text.p[n->at[i]] & TYPE);
}

void names_mark(struct names *n, size_t i)
{
	n->text.p[n->at[i]] |= MARK;
}

bool names_marked(const struct names *n, size_t i)
{
	return n->text.p[n->at[i]] & MARK;
}
