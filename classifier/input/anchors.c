#include "input/anchors.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>

int anchors_add(struct anchors *a, uint32_t pos, uint64_t raw, uint32_t step)
{
	struct anchor *last = a->n ? &a->v[a->n - 1] : NULL;

	if (last && last->step == step &&
	    last->raw + (uint64_t)step * (pos - last->pos) == raw)
		return 0;
	if (!last || last->pos != pos) {
		if (!a->v || a->n == a->cap) {
			size_t cap = a->cap ? 2 * a->cap : 64;
			struct anchor *v = realloc(a->v, cap * sizeof *v);

			if (!v)
				return -1;
			a->v = v;
			a->cap = cap;
		}
		last = &a->v[a->n++];
	}
	*last = (struct anchor){ pos, step, raw };
	return 0;
}

size_t anchors_find(const struct anchors *a, size_t pos)
{
	size_t low = 0, high = a->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (a->v[mid].pos <= pos)
			low = mid;
		else
			high = mid;
	}
	return low;
}

int anchors_copy(struct anchors *to, const struct anchors *a)
{
	if (to->cap < a->n) {
		struct anchor *v = realloc(to->v, a->n * sizeof *v);

		if (!v)
			return -1;
		to->v = v;
		to->cap = a->n;
	}
	if (a->n)
		memcpy(to->v, a->v, a->n * sizeof *a->v);
	to->n = a->n;
	return 0;
}

uint64_t anchors_raw(const struct anchors *a, size_t pos)
{
	return anchor_raw(&a->v[anchors_find(a, pos)], pos);
}
