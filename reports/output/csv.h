/* A field of a CSV file (RFC 4180) that a spreadsheet will open. */
#ifndef REPORTS_CSV_H
#define REPORTS_CSV_H

#include "base/text.h"

struct buf;

/* Append s in quotes, made visible, and kept from being run as a formula;
 * then what ends the field: "," or "\r\n". -1: out of memory. */
int csv_field(struct buf *b, struct span s, const char *end);

#endif
