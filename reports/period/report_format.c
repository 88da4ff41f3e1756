/* The table of formats. */
#include "reports/period/report.h"

#include <string.h>

static const struct report_format *const formats[] = { &report_text,
	&report_markdown, &report_json, &report_csv, &report_prometheus,
	&report_html };

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}
