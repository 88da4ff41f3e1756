#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define FIRST ((size_t)8)

int array_grow(void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : FIRST;
	void *old, *v;

	if (n < *cap)
		return 0;
	memcpy(&old, array, sizeof old);
	v = realloc(old, more * size);
	if (!v)
		return -1;
	memcpy(array, &v, sizeof v);
	*cap = more;
	return 0; /* cppcheck-suppress memleak ; *array holds it */
}
