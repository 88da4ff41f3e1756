/* Where in the raw log the bytes of a clean text came from. */
#ifndef INPUT_ANCHORS_H
#define INPUT_ANCHORS_H

#include <stddef.h>
#include <stdint.h>

/* From pos on, each clean byte stands for step raw bytes, the first of them
 * at raw. step 0: all of them stand for the place raw. */
struct anchor {
	uint32_t pos, step;
	uint64_t raw;
};

struct anchors {
	struct anchor *v;
	size_t n, cap;
};

static inline uint64_t anchor_raw(const struct anchor *a, size_t pos)
{
	return a->raw + (uint64_t)a->step * (pos - a->pos);
}

/* The place of bytes that begin at pos. -1: no memory. */
int anchors_add(struct anchors *a, uint32_t pos, uint64_t raw, uint32_t step);
/* The anchor that holds for pos; a is not empty. */
size_t anchors_find(const struct anchors *a, size_t pos);
/* The place in the raw log of what is at pos. */
uint64_t anchors_raw(const struct anchors *a, size_t pos);
/* Make to the same. -1: no memory. */
int anchors_copy(struct anchors *to, const struct anchors *a);

#endif
