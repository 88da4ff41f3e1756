#include "diagnose/evidence/frames.h"

#include "base/buf.h"
#include "diagnose/findings.h"

/* The name of a file; of a package's __init__.py its folder's, too. */
static struct span short_name(struct span file)
{
	size_t parts = span_ends(file, "__init__.py") ? 2 : 1, i = file.n;

	while (i > 0)
		if (file.p[i - 1] != '/' || --parts)
			i--;
		else
			break;
	return span_sub(file, i, file.n);
}

void frames_last_add(
    struct frames_last *l, struct span file, struct span function)
{
	char *to = l->v[l->n % FRAMES_LAST].text;
	size_t most = sizeof l->v[0].text, n;

	file = short_name(file);
	n = file.n < most / 2 ? file.n : most / 2;
	if (n)
		memcpy(to, file.p, n);
	if (function.n) {
		to[n++] = ':';
		function = span_sub(function, 0, most - n);
		memcpy(to + n, function.p, function.n);
	}
	l->v[l->n++ % FRAMES_LAST].n = (unsigned char)(n + function.n);
}

char *frames_last_text(const struct frames_last *l, struct findings *f)
{
	struct buf b = BUF_INIT(BUF_MAX);
	unsigned n = l->n < FRAMES_LAST ? l->n : FRAMES_LAST;
	int rc = 0;

	for (unsigned i = 1; i <= n; i++) {
		unsigned at = (l->n - i) % FRAMES_LAST;

		rc |= buf_adds(&b, i > 1 ? " < " : "") |
		    buf_add(&b, l->v[at].text, l->v[at].n);
	}
	f->failed |= rc != 0;
	if (!n || rc) {
		buf_release(&b);
		return NULL;
	}
	return buf_take(&b);
}
