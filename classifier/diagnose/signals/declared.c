#include "diagnose/signals/declared.h"

#include "base/buf.h"
#include "base/err.h"

#include <stdlib.h>

#define MATCHES 100000  /* steps of the matcher */
#define REASON_MOST 400 /* bytes that are kept */

static struct span group(const struct taxonomy *tax,
    const struct signal_told *told, const char *name)
{
	int i = pattern_group(taxonomy_signal_pattern(tax, told->signal), name);

	return i >= 0 && i < PATTERN_GROUPS ? span_trim(told->match.group[i])
					    : span_of("");
}

void declared_told(struct findings *f, const struct taxonomy *tax,
    const struct signal_told *told, uint64_t number)
{
	struct span reason =
	    span_sub(group(tax, told, "reason"), 0, REASON_MOST);
	struct span category = group(tax, told, "category");
	struct span retry = group(tax, told, "retry");
	struct declared *d = &f->declared;

	if (!reason.n)
		return;
	free(d->reason);
	free(d->category);
	*d = (struct declared){ .reason = findings_dup(f, reason),
		.category = category.n ? findings_dup(f, category) : NULL,
		.retry = span_is(retry, "yes") ? DECLARED_YES
		    : span_is(retry, "no")     ? DECLARED_NO
					       : DECLARED_UNSAID,
		.line = number };
}

static void read_line(struct findings *f, const struct taxonomy *tax,
    struct matcher *m, struct span line)
{
	struct signal_told told;

	for (size_t i = tax->signal_from[SIGNAL_DECLARED];
	     i < tax->signal_from[SIGNAL_DECLARED + 1]; i++) {
		told.signal = i;
		if (signals_tell(tax, i, m, line, &told.match)) {
			declared_told(f, tax, &told, 0);
			return;
		}
	}
}

int declared_read(struct findings *f, const struct taxonomy *tax,
    struct span text, struct err *e)
{
	struct matcher *m = pattern_matcher_new(MATCHES);
	struct buf b = BUF_INIT(BUF_MAX);
	struct span line;
	int rc = m ? 0 : -1;

	while (!rc && span_line(&text, &line)) {
		line = span_trim(line);
		buf_clear(&b);
		rc = buf_adds(&b,
			 span_starts(line, "jobtriage: ") ? ""
							  : "jobtriage: ") ||
		    buf_add(&b, line.p, line.n);
		if (!rc)
			read_line(f, tax, m, (struct span){ b.p, b.len });
	}
	pattern_matcher_free(m);
	buf_release(&b);
	return rc || f->failed ? err_nomem(e) : 0;
}
