#include "reports/output/csv.h"

#include "base/buf.h"

#include <string.h>

int csv_field(struct buf *b, struct span s, const char *end)
{
	struct buf clean = BUF_INIT(BUF_MAX);
	int rc = text_visible(&clean, s);

	if (!rc)
		rc = buf_addc(b, '"');
	/* a spreadsheet runs what begins with one of these */
	if (!rc && clean.len && strchr("=+-@", clean.p[0]))
		rc = buf_addc(b, '\'');
	for (size_t i = 0; i < clean.len && !rc; i++)
		rc = clean.p[i] == '"' ? buf_adds(b, "\"\"")
				       : buf_addc(b, clean.p[i]);
	if (!rc)
		rc = buf_addc(b, '"');
	buf_release(&clean);
	return rc ? rc : buf_adds(b, end);
}
