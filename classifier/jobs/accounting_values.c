/*
 * Times, durations, numbers. What a value does not say for certain is not
 * guessed: the caller makes a note and leaves it unknown.
 */
#include "jobs/accounting_values.h"

#include "base/when.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)
#define QUARTER (900 * SECOND)

bool accounting_same(struct span a, const char *b)
{
	size_t i;

	for (i = 0; i < a.n && b[i]; i++) {
		char x = a.p[i], y = b[i];

		x = (char)(x >= 'A' && x <= 'Z' ? x + 32 : x);
		y = (char)(y >= 'A' && y <= 'Z' ? y + 32 : y);
		if (x != y)
			return false;
	}
	return i == a.n && !b[i];
}

bool accounting_absent(struct span v)
{
	static const char *const words[] = { "", "none", "(null)", "null",
		"n/a", "nan", "nat", "\\n", "unknown", "none assigned" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (accounting_same(v, words[i]))
			return true;
	return false;
}

/* A decimal number, all of v. */
static bool decimal(struct span v, double *out)
{
	char text[40], *end;

	if (!v.n || v.n >= sizeof text)
		return false;
	memcpy(text, v.p, v.n);
	text[v.n] = '\0';
	if (strspn(text, "0123456789+-.eE") < v.n)
		return false;
	*out = strtod(text, &end);
	return end == text + v.n && isfinite(*out);
}

bool accounting_integer(struct span v, int64_t *out)
{
	double d;

	if (v.n && v.n < 19 && span_number(v) >= 0) {
		*out = span_number(v);
		return true;
	}
	if (!decimal(v, &d) || fabs(d) > 1e15 || d != (double)(int64_t)d)
		return false;
	*out = (int64_t)d;
	return true;
}

/* Seconds, milliseconds or microseconds since 1970, told by the size: each
 * unit's range begins where the one below would be past the year 5000. */
static bool epoch(struct span v, int64_t *micros)
{
	int64_t whole;
	double d;

	if (!decimal(v, &d) || d < 0 || d > 1e17)
		return false;
	whole = (int64_t)d;
	if (d >= 1e14)
		*micros = whole;
	else if (d >= 1e11)
		*micros = (int64_t)(d * 1e3);
	else
		*micros =
		    whole * SECOND + (int64_t)((d - (double)whole) * 1e6 + 0.5);
	return true;
}

/* The time at which the wall clock of the process's zone shows what it shows
 * in UTC at `wall`. */
static bool from_local(int64_t wall, int64_t *micros)
{
	int64_t part = wall % SECOND;
	time_t t = (time_t)((wall - part) / SECOND);
	struct tm tm;

	if (!gmtime_r(&t, &tm))
		return false;
	tm.tm_isdst = -1;
	t = mktime(&tm);
	if (t == (time_t)-1)
		return false;
	*micros = (int64_t)t * SECOND + part;
	return true;
}

/* The same: clocks are set at full quarters of an hour, so one answer holds
 * for a quarter. */
static bool from_local_cached(
    int64_t wall, int64_t *micros, struct accounting_clock *clock)
{
	int64_t part = wall % QUARTER;
	size_t i = (size_t)((wall - part) / QUARTER) %
	    (sizeof clock->slots / sizeof *clock->slots);

	if (part < 0)
		return from_local(wall, micros);
	if (clock->slots[i].wall != wall - part || !clock->slots[i].wall) {
		if (!from_local(wall - part, micros))
			return false;
		clock->slots[i].wall = wall - part;
		clock->slots[i].micros = *micros;
	}
	*micros = clock->slots[i].micros + part;
	return true;
}

bool accounting_time(struct span v, int32_t offset, int64_t *micros,
    bool *local, struct accounting_clock *clock)
{
	struct when w;
	size_t n;

	*local = false;
	v = span_trim(v);
	if (epoch(v, micros))
		return true;
	n = when_scan(v, &w);
	if (!n || n != v.n || !w.year)
		return false;
	*micros = w.micros;
	if (w.zone)
		return true;
	*local = offset == ACCOUNTING_LOCAL;
	if (*local)
		return clock ? from_local_cached(w.micros, micros, clock)
			     : from_local(w.micros, micros);
	*micros = w.micros - offset * SECOND;
	return true;
}

/* "1-", "1 day, ", "2 days " in front; what is left in *v. */
static bool take_days(struct span *v, double *days)
{
	size_t i = 0;

	*days = 0;
	while (i < v->n && v->p[i] >= '0' && v->p[i] <= '9')
		i++;
	if (!i || i == v->n || (v->p[i] != '-' && v->p[i] != ' '))
		return true;
	if (!decimal(span_sub(*v, 0, i), days))
		return false;
	if (v->p[i] == '-') {
		*v = span_sub(*v, i + 1, v->n);
		return v->n > 0;
	}
	*v = span_sub(*v, i + 1, v->n);
	if (!span_starts(*v, "day"))
		return false;
	for (i = 0; i < v->n && v->p[i] != ' '; i++)
		;
	*v = span_trim(span_sub(*v, i, v->n));
	return v->n > 0;
}

bool accounting_duration(struct span v, int64_t *seconds)
{
	double total, part = 0, sum = 0;
	size_t from = 0, colons = 0;

	v = span_trim(v);
	if (!take_days(&v, &total))
		return false;
	for (size_t i = 0; i <= v.n; i++) {
		if (i < v.n && v.p[i] != ':')
			continue;
		if (!decimal(span_sub(v, from, i), &part) || part < 0)
			return false;
		sum = sum * 60 + part;
		colons += i < v.n;
		from = i + 1;
	}
	/* "2-05" is days and hours */
	if (total > 0 && colons == 0)
		sum *= 3600;
	else if (total > 0 && colons == 1)
		sum *= 60;
	total = total * 86400 + sum;
	if (colons > 2 || !(total < 1e12))
		return false;
	*seconds = (int64_t)(total + 0.5);
	return true;
}

bool accounting_exit(struct span v, int *code, int *signal)
{
	size_t colon = span_find(v, ":");
	int64_t a, b = 0;

	if (!accounting_integer(
		span_sub(v, 0, colon == SIZE_MAX ? v.n : colon), &a))
		return false;
	if (colon != SIZE_MAX &&
	    !accounting_integer(span_sub(v, colon + 1, v.n), &b))
		return false;
	/* -1 is written where nothing is known */
	if (a < -1 || a > INT32_MAX || b < 0 || b > 255)
		return false;
	*code = (int)a;
	if (colon != SIZE_MAX)
		*signal = (int)b;
	return true;
}
