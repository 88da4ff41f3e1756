/*
 * Each format is a row: a function that reads one date or time from a cursor.
 * The rows differ enough in their first bytes that trying them in turn finds
 * the right one; a value out of range is not a time.
 */
#include "base/when.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)

struct cursor {
	const char *p;
	size_t n, i;
};

struct fields {
	int year, month, day; /* year 0: none was given */
	int hour, minute, second;
	int64_t micros;
	int offset; /* seconds east of UTC */
	bool zone;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char peek(const struct cursor *c)
{
	return c->i < c->n ? c->p[c->i] : '\0';
}

static bool take(struct cursor *c, char want)
{
	if (c->i >= c->n || c->p[c->i] != want)
		return false;
	c->i++;
	return true;
}

/* Exactly width digits. */
static bool number(struct cursor *c, int width, int *out)
{
	int v = 0;

	for (int k = 0; k < width; k++) {
		if (!is_digit(peek(c)))
			return false;
		v = v * 10 + (c->p[c->i++] - '0');
	}
	*out = v;
	return true;
}

/* One of n names of three letters; its index from 1. */
static bool name3(struct cursor *c, const char *names, int *out)
{
	if (c->n - c->i < 3)
		return false;
	for (int k = 0; names[3 * k]; k++)
		if (memcmp(c->p + c->i, names + 3 * k, 3) == 0) {
			c->i += 3;
			*out = k + 1;
			return true;
		}
	return false;
}

static bool month_name(struct cursor *c, int *out)
{
	return name3(c, "JanFebMarAprMayJunJulAugSepOctNovDec", out);
}

/* "%e": two columns, the first may be blank. */
static bool day_column(struct cursor *c, int *out)
{
	if (take(c, ' '))
		return number(c, 1, out);
	return number(c, 2, out);
}

static bool clock_time(struct cursor *c, struct fields *f)
{
	return number(c, 2, &f->hour) && take(c, ':') &&
	    number(c, 2, &f->minute) && take(c, ':') &&
	    number(c, 2, &f->second);
}

/* Optional: 1 to 9 digits after a point or a comma. */
static void fraction(struct cursor *c, struct fields *f)
{
	static const int unit[] = { 1000000, 100000, 10000, 1000, 100, 10, 1 };
	size_t from = c->i + 1, i = from;
	int v = 0;

	if ((peek(c) != '.' && peek(c) != ',') || i >= c->n ||
	    !is_digit(c->p[i]))
		return;
	for (; i < c->n && i < from + 6 && is_digit(c->p[i]); i++)
		v = v * 10 + (c->p[i] - '0');
	f->micros = (int64_t)v * unit[i - from];
	while (i < c->n && i < from + 9 && is_digit(c->p[i]))
		i++;
	c->i = i;
}

/* Optional: Z, +hh:mm, +hhmm, UTC, the last three also after one blank. */
static void zone(struct cursor *c, struct fields *f)
{
	struct cursor t = *c;
	int sign, hours, minutes;

	if (take(&t, 'Z')) {
		f->zone = true;
		*c = t;
		return;
	}
	take(&t, ' ');
	if (t.n - t.i >= 3 &&
	    (memcmp(t.p + t.i, "UTC", 3) == 0 ||
		memcmp(t.p + t.i, "GMT", 3) == 0)) {
		t.i += 3;
		f->zone = true;
		*c = t;
		return;
	}
	sign = peek(&t) == '-' ? -1 : 1;
	if (!take(&t, '+') && !take(&t, '-'))
		return;
	if (!number(&t, 2, &hours))
		return;
	take(&t, ':');
	if (!number(&t, 2, &minutes) || hours > 14 || minutes > 59 ||
	    is_digit(peek(&t)))
		return;
	f->offset = sign * (hours * 3600 + minutes * 60);
	f->zone = true;
	*c = t;
}

static bool two(const char *p, int *out)
{
	*out = (p[0] - '0') * 10 + (p[1] - '0');
	return is_digit(p[0]) && is_digit(p[1]);
}

/* Most times are these, so all of one is looked at where it stands. Airflow has
 * a comma behind the date. */
static bool iso(struct cursor *c, struct fields *f)
{
	const char *p = c->p + c->i, *t;
	char sep = c->n - c->i < 19 ? '\0' : p[4];
	int century, year;

	if ((sep != '-' && sep != '/') || p[7] != sep)
		return false;
	t = p + 10 + (p[10] == ',' && c->n - c->i >= 20);
	if ((*t != ' ' && *t != 'T') || t[3] != ':' || t[6] != ':' ||
	    !two(p, &century) || !two(p + 2, &year) || !two(p + 5, &f->month) ||
	    !two(p + 8, &f->day) || !two(t + 1, &f->hour) ||
	    !two(t + 4, &f->minute) || !two(t + 7, &f->second))
		return false;
	f->year = century * 100 + year;
	c->i += (size_t)(t + 9 - p);
	fraction(c, f);
	zone(c, f);
	return f->year > 0;
}

/* MM/DD/YYYY, as Python examples with datefmt print it, and a BMC's list of
 * events in columns. */
static bool american(struct cursor *c, struct fields *f)
{
	if (!number(c, 2, &f->month) || !take(c, '/') ||
	    !number(c, 2, &f->day) || !take(c, '/') || !number(c, 4, &f->year))
		return false;
	if (!take(c, '-') && !(take(c, ' ') && (!take(c, '|') || take(c, ' '))))
		return false;
	if (!clock_time(c, f))
		return false;
	fraction(c, f);
	return f->year > 0;
}

/* DD.MM.YYYY, as in much of Europe; logs of builds have a comma behind it. */
static bool european(struct cursor *c, struct fields *f)
{
	if (!number(c, 2, &f->day) || !take(c, '.') ||
	    !number(c, 2, &f->month) || !take(c, '.') ||
	    !number(c, 4, &f->year))
		return false;
	take(c, ',');
	if (!take(c, ' ') || !clock_time(c, f))
		return false;
	fraction(c, f);
	return f->year > 0;
}

/* MM/DD/YY in brackets, as Python's rich has it. */
static bool short_american(struct cursor *c, struct fields *f)
{
	if (c->i != 1 || !number(c, 2, &f->month) || !take(c, '/') ||
	    !number(c, 2, &f->day) || !take(c, '/') ||
	    !number(c, 2, &f->year) || !take(c, ' ') || !clock_time(c, f))
		return false;
	f->year += 2000;
	fraction(c, f);
	return true;
}

/* YY/MM/DD, as log4j's default in Hadoop and Spark. */
static bool short_year(struct cursor *c, struct fields *f)
{
	if (!number(c, 2, &f->year) || !take(c, '/') ||
	    !number(c, 2, &f->month) || !take(c, '/') ||
	    !number(c, 2, &f->day) || !take(c, ' ') || !clock_time(c, f))
		return false;
	f->year += 2000;
	fraction(c, f);
	return true;
}

static bool month_day(struct cursor *c, struct fields *f)
{
	if (!number(c, 2, &f->month) || (!take(c, '/') && !take(c, '-')) ||
	    !number(c, 2, &f->day) || !take(c, ' ') || !clock_time(c, f))
		return false;
	fraction(c, f);
	return true;
}

static bool syslog_time(struct cursor *c, struct fields *f)
{
	if (!month_name(c, &f->month) || !take(c, ' ') ||
	    !day_column(c, &f->day) || !take(c, ' ') || !clock_time(c, f))
		return false;
	fraction(c, f);
	return true;
}

/* "Mar 09 2026 03:12:44", as the fabric manager has it. */
static bool month_day_year(struct cursor *c, struct fields *f)
{
	if (!month_name(c, &f->month) || !take(c, ' ') ||
	    !day_column(c, &f->day) || !take(c, ' ') ||
	    !number(c, 4, &f->year) || !take(c, ' ') || !clock_time(c, f))
		return false;
	fraction(c, f);
	return f->year > 0;
}

/* A day or an hour of one digit or two. */
static bool short_number(struct cursor *c, char after, int *out)
{
	return number(
	    c, c->i + 1 < c->n && c->p[c->i + 1] == after ? 1 : 2, out);
}

/* "3:12:44 PM". */
static bool half_day_time(struct cursor *c, struct fields *f)
{
	int half;

	if (!short_number(c, ':', &f->hour) || !take(c, ':') ||
	    !number(c, 2, &f->minute) || !take(c, ':') ||
	    !number(c, 2, &f->second) || !take(c, ' ') || f->hour > 12)
		return false;
	half = peek(c);
	if ((!take(c, 'A') && !take(c, 'P')) || !take(c, 'M'))
		return false;
	f->hour = f->hour % 12 + (half == 'P' ? 12 : 0);
	return true;
}

/* "Mar 9, 2026 @ 03:12:44.123", as Kibana has it, and "Mar 09, 2026 3:12:44
 * PM", as Java's own logger. */
static bool month_day_at(struct cursor *c, struct fields *f)
{
	if (!month_name(c, &f->month) || !take(c, ' ') ||
	    !short_number(c, ',', &f->day) || !take(c, ',') || !take(c, ' ') ||
	    !number(c, 4, &f->year) || !take(c, ' ') || !f->year)
		return false;
	if (!take(c, '@'))
		return half_day_time(c, f);
	if (!take(c, ' ') || !clock_time(c, f))
		return false;
	fraction(c, f);
	return true;
}

/* YYYYMMDD, MMDD or, in torch before October, MDD (c10 prints the number
 * 100 * month + day); only its fraction tells it from other numbers. */
static bool glog(struct cursor *c, struct fields *f)
{
	static const int digits[][2] = { { 4, 2 }, { 0, 2 }, { 0, 1 } };
	const struct cursor start = *c;
	bool found = false;

	for (size_t i = 0; i < 3 && !found; i++) {
		*c = start;
		found = number(c, digits[i][0], &f->year) &&
		    number(c, digits[i][1], &f->month) &&
		    number(c, 2, &f->day) && peek(c) == ' ' &&
		    (f->year > 0) == (digits[i][0] > 0);
	}
	if (!found)
		return false;
	if (!take(c, ' ') || !clock_time(c, f) || peek(c) != '.')
		return false;
	fraction(c, f);
	return true;
}

static bool asctime_time(struct cursor *c, struct fields *f)
{
	int weekday;

	if (!name3(c, "MonTueWedThuFriSatSun", &weekday) || !take(c, ' ') ||
	    !syslog_time(c, f) || !take(c, ' '))
		return false;
	if (c->n - c->i >= 4 && memcmp(c->p + c->i, "UTC ", 4) == 0) {
		c->i += 4;
		f->zone = true;
	}
	return number(c, 4, &f->year) && f->year > 0;
}

/* By where a date has what separates its parts: no other row can fit. */
typedef bool format_fn(struct cursor *, struct fields *);
#define FORMATS 5 /* the last is NULL */
static format_fn *const by_year[FORMATS] = { iso };
static format_fn *const by_month[FORMATS] = { american, short_american,
	short_year, month_day };
static format_fn *const by_day[FORMATS] = { european };
static format_fn *const by_digits[FORMATS] = { glog };
static format_fn *const by_name[FORMATS] = { syslog_time, month_day_year,
	asctime_time, month_day_at };
static format_fn *const by_nothing[FORMATS] = { NULL };

/* The rows that text may be of, which begins with a digit or a capital. */
static format_fn *const *formats_of(const char *p, size_t n)
{
	if (n < 8)
		return by_nothing;
	if (!is_digit(p[0]))
		return p[3] == ' ' ? by_name : by_nothing;
	if (p[2] == '/' || p[2] == '-')
		return by_month;
	if (p[4] == '-' || p[4] == '/')
		return by_year;
	if (p[2] == '.')
		return by_day;
	return p[3] == ' ' || p[4] == ' ' || p[8 < n ? 8 : 0] == ' '
	    ? by_digits
	    : by_nothing;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar, counted from
 * 1 March so that the leap day comes last. */
static int64_t days(int64_t year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t of_era = y - era * 400;
	int64_t of_year =
	    (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 +
	    of_year - 719468;
}

static bool in_range(const struct fields *f)
{
	static const int length[] = { 31, 29, 31, 30, 31, 30, 31, 31, 30, 31,
		30, 31 };
	bool leap =
	    f->year % 4 == 0 && (f->year % 100 != 0 || f->year % 400 == 0);

	if (f->month < 1 || f->month > 12 || f->day < 1 ||
	    f->day > length[f->month - 1])
		return false;
	if (f->year && f->month == 2 && f->day == 29 && !leap)
		return false;
	return f->hour <= 23 && f->minute <= 59 && f->second <= 60;
}

static int64_t micros_of(const struct fields *f)
{
	int64_t seconds =
	    days(f->year ? f->year : 1970, f->month, f->day) * 86400 +
	    f->hour * 3600 + f->minute * 60 + f->second - f->offset;

	return seconds * SECOND + f->micros;
}

#define DAY (86400 * SECOND)
#define YEAR_1990 (7305 * DAY)

bool when_has_year(int64_t micros)
{
	return micros >= YEAR_1990;
}

static int64_t in_year(int64_t micros, int64_t year)
{
	int64_t first = days(year, 1, 1);
	bool leap = days(year + 1, 1, 1) - first == 366;
	bool after_february = micros >= 59 * DAY;

	return micros + (first + (leap && after_february)) * DAY;
}

int64_t when_near(int64_t micros, int64_t dated)
{
	int64_t year = 1970 + dated / (INT64_C(31556952) * SECOND);
	int64_t best = in_year(micros, year);

	for (int k = -1; k <= 1; k += 2) {
		int64_t t = in_year(micros, year + k);

		if (llabs(t - dated) < llabs(best - dated))
			best = t;
	}
	return best;
}

size_t when_scan(struct span s, struct when *out)
{
	size_t open = s.n && s.p[0] == '[';
	char first = s.n > open ? s.p[open] : '\0';
	format_fn *const *format;

	/* Most text is told apart by its first byte. */
	if (!is_digit(first) && (first < 'A' || first > 'W'))
		return 0;
	format = formats_of(s.p + open, s.n - open);
	for (; *format; format++) {
		struct cursor c = { s.p, s.n, open };
		struct fields f = { 0 };
		char next;

		if (!(*format)(&c, &f) || !in_range(&f))
			continue;
		if (open && !take(&c, ']'))
			continue;
		next = open ? '\0' : peek(&c);
		if (is_digit(next) || (next >= 'A' && next <= 'Z') ||
		    (next >= 'a' && next <= 'z'))
			continue;
		out->micros = micros_of(&f);
		out->zone = f.zone;
		out->year = f.year != 0;
		return c.i;
	}
	return 0;
}

size_t when_parse(struct span s, int64_t *micros)
{
	struct when w;
	size_t n = when_scan(s, &w);

	if (n)
		*micros = w.micros;
	return n;
}

/* Two digits of v, and what comes after them. */
static char *put(char *p, unsigned v, char after)
{
	p[0] = (char)('0' + v / 10);
	p[1] = (char)('0' + v % 10);
	p[2] = after;
	return p + 3;
}

void when_format(int64_t micros, char out[32])
{
	int64_t second = micros / SECOND, part = micros % SECOND;
	int64_t day, z, era, of_era, year_of_era, of_year, mp, year;
	char *p;

	if (part < 0) {
		part += SECOND;
		second--;
	}
	day = second / 86400;
	second %= 86400;
	if (second < 0) {
		second += 86400;
		day--;
	}
	z = day + 719468;
	era = (z >= 0 ? z : z - 146096) / 146097;
	of_era = z - era * 146097;
	year_of_era =
	    (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	of_year =
	    of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	mp = (5 * of_year + 2) / 153;
	year = year_of_era + era * 400 + (mp >= 10);
	/* every record has a time: printf only for what needs it */
	p = out + 5;
	if (year >= 0 && year < 10000)
		put(put(out, (unsigned)year / 100, '\0') - 1,
		    (unsigned)year % 100, '-');
	else
		p = out + snprintf(out, 32, "%04" PRId64 "-", year);
	p = put(p, (unsigned)(mp < 10 ? mp + 3 : mp - 9), '-');
	p = put(p, (unsigned)(of_year - (153 * mp + 2) / 5 + 1), 'T');
	p = put(p, (unsigned)second / 3600, ':');
	p = put(p, (unsigned)second / 60 % 60, ':');
	p = put(p, (unsigned)second % 60, part ? '.' : 'Z');
	if (part) {
		p = put(p, (unsigned)part / 10000, '\0') - 1;
		p = put(p, (unsigned)part / 100 % 100, '\0') - 1;
		p = put(p, (unsigned)part % 100, 'Z');
	}
	*p = '\0';
}
