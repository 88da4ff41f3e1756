/* Arrays that grow. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/* Make room for one more element in an array with n of *cap in use; array is
 * the address of the pointer to it. -1: out of memory, and nothing has changed:
 * `array_grow(&v->items, v->n, &v->cap, sizeof *v->items)`. */
int array_grow(void *array, size_t n, size_t *cap, size_t size);

#endif
