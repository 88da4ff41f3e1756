/* A piece ends where the next anchor says that other raw bytes begin. */
#include "input/held.h"

#include "base/err.h"

#include <stdlib.h>

void held_release(struct held *h)
{
	buf_release(&h->text);
	free(h->at.v);
	h->at = (struct anchors){ NULL, 0, 0 };
}

void held_clear(struct held *h)
{
	buf_clear(&h->text);
	h->at.n = 0;
}

int held_add(struct held *h, struct piece t, struct err *e)
{
	if (anchors_add(&h->at, (uint32_t)h->text.len, t.raw, t.step) ||
	    buf_add(&h->text, t.text.p, t.text.n))
		return err_nomem(e);
	return 0;
}

struct piece held_piece(const struct held *h, size_t k)
{
	const struct anchor *a = &h->at.v[k];
	size_t end = k + 1 < h->at.n ? a[1].pos : h->text.len;

	return (struct piece){ { h->text.p + a->pos, end - a->pos }, a->raw,
		a->step };
}
