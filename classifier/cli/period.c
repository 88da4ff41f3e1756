#include "cli/period.h"

#include "base/err.h"
#include "base/text.h"
#include "base/when.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000)

int64_t period_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec / 1000;
}

/* Midnight, days before the day of now. */
static int64_t midnight(int64_t now, int days)
{
	time_t t = (time_t)(now / SECOND);
	struct tm tm;

	localtime_r(&t, &tm);
	tm.tm_mday -= days;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * SECOND;
}

/* Take a time that names no zone as the local one. */
static int64_t localised(int64_t micros)
{
	time_t t = (time_t)(micros / SECOND);
	struct tm tm;

	gmtime_r(&t, &tm);
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * SECOND + micros % SECOND;
}

int period_length(const char *text, int64_t *seconds)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = { { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 },
		{ 'w', INT64_C(7) * 86400 } };
	struct span s = span_of(text);
	int64_t n = s.n ? span_number(span_sub(s, 0, s.n - 1)) : -1;

	for (size_t i = 0; n >= 0 && n < 1000000 && i < 4; i++)
		if (s.p[s.n - 1] == units[i].unit) {
			*seconds = n * units[i].seconds;
			return 0;
		}
	return -1;
}

int period_time(const char *text, int64_t now, int64_t *out, struct err *e)
{
	struct span s = span_of(text);
	int64_t ago;
	struct when w;
	size_t took;
	char day[40];

	if (period_length(text, &ago) == 0) {
		*out = now - ago * SECOND;
		return 0;
	}
	if (span_is(s, "now")) {
		*out = now;
		return 0;
	}
	if (span_is(s, "today") || span_is(s, "yesterday")) {
		*out = midnight(now, span_is(s, "yesterday"));
		return 0;
	}
	took = when_scan(s, &w);
	if (s.n == strlen("2026-11-20") && !took) {
		snprintf(day, sizeof day, "%sT00:00:00", text);
		took = when_scan(span_of(day), &w) ? s.n : 0;
	} else if (s.n == strlen("2026-11-20T08:30") && took != s.n) {
		snprintf(day, sizeof day, "%s:00", text);
		took = when_scan(span_of(day), &w) ? s.n : 0;
	}
	if (took == 0 || took != s.n || !w.year)
		return err_set(e,
		    "'%s' is no time: expected 2026-11-20, "
		    "2026-11-20T08:30:00Z, now, today, yesterday, or 24h, 7d, "
		    "2w ago",
		    text);
	*out = w.zone ? w.micros : localised(w.micros);
	return 0;
}

int64_t period_local(int64_t micros)
{
	/* towards the past, also before 1970 */
	int64_t part = (micros % SECOND + SECOND) % SECOND, local;
	time_t t = (time_t)((micros - part) / SECOND);
	char text[64];
	struct tm tm;

	if (!localtime_r(&t, &tm) ||
	    !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) ||
	    !when_parse(span_of(text), &local))
		return micros;
	return local + part;
}

int period_zone(const char *zone, struct err *e)
{
	const char *dir = getenv("TZDIR");
	char path[512];

	/* glibc takes what it does not know for UTC, without a word */
	snprintf(path, sizeof path, "%s/%s",
	    dir && *dir ? dir : "/usr/share/zoneinfo", zone);
	if (*zone == '\0' || strstr(zone, "..") ||
	    (strcmp(zone, "UTC") != 0 && access(path, R_OK) != 0 &&
		strpbrk(zone, "0123456789") == NULL))
		return err_set(e,
		    "--timezone %s: no such zone (expected Europe/Berlin, UTC, "
		    "...; the package tzdata has them)",
		    zone);
	if (setenv("TZ", zone, 1))
		return err_nomem(e);
	tzset();
	return 0;
}

const char *period_zone_name(void)
{
	static char name[16];
	time_t t = time(NULL);
	struct tm tm;

	if (!localtime_r(&t, &tm) || !strftime(name, sizeof name, "%Z", &tm))
		return "local time";
	return name;
}
