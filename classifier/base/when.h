/*
 * Points in time as logs write them. Pure: no locale, no time zone of the
 * machine, no clock. A time is microseconds since 1970 UTC.
 */
#ifndef BASE_WHEN_H
#define BASE_WHEN_H

#include "base/text.h"

/* What a text said about a time. What it left out is taken as 1970 and UTC. */
struct when {
	int64_t micros;
	bool zone; /* it named its offset from UTC */
	bool year; /* it named a year */
};

/*
 * The time at the start of s: ISO 8601 (with 'T' or a blank, a fraction of 1
 * to 9 digits after '.' or ',', 'Z' or an offset), YYYY/MM/DD, MM/DD/YYYY
 * (with '-' or " | ", too), [MM/DD/YY], YY/MM/DD, MM/DD and MM-DD with
 * HH:MM:SS, syslog (Jan  2 03:04:05), the same with a year before the clock,
 * glog (0102 03:04:05.000006, 20240102 ...), asctime and date(1) (Tue Jan  2
 * 03:04:05 2024), each also in square brackets. Returns the bytes it took, or
 * 0 with out untouched.
 */
size_t when_scan(struct span s, struct when *out);

/* The same, for callers that only want the time. */
size_t when_parse(struct span s, int64_t *micros);

/* Whether a time has a year: one without was taken as 1970. */
bool when_has_year(int64_t micros);

/* A time without one, in the year that brings it nearest to another that has
 * one. 29 February comes out as 1 March. */
int64_t when_near(int64_t micros, int64_t dated);

/* ISO 8601 in UTC, with six digits of fraction when there is one. */
void when_format(int64_t micros, char out[32]);

#endif
