/*
 * strtod needs a NUL at the end, follows the locale and is slow; a log has
 * millions of numbers.
 */
#include "base/number.h"

#include "base/library.h"

#include <math.h>

#define FUNCTIONS(X) X(log)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library libm = LIBRARY_INIT("libm.so.6", "libc6", rows);

#define EXPONENT 9999 /* more is as good as this */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static size_t word(struct span s, size_t at, const char *w)
{
	size_t n = 0;

	while (w[n]) {
		if (at + n >= s.n || (s.p[at + n] | 0x20) != w[n])
			return 0;
		n++;
	}
	if (at + n < s.n && (is_letter(s.p[at + n]) || is_digit(s.p[at + n])))
		return 0;
	return n;
}

static size_t not_finite(struct span s, size_t at, bool minus, double *out)
{
	size_t n = word(s, at, "nan");

	if (n) {
		*out = NAN;
		return at + n;
	}
	n = word(s, at, "inf");
	if (!n)
		n = word(s, at, "infinity");
	*out = minus ? -INFINITY : INFINITY;
	return n ? at + n : 0;
}

/* A comma between thousands: three digits follow, and no fourth. */
static bool thousands(struct span s, size_t comma, size_t digits)
{
	if (digits == 0 || digits > 3 || comma + 3 >= s.n)
		return false;
	for (size_t i = comma + 1; i <= comma + 3; i++)
		if (!is_digit(s.p[i]))
			return false;
	return comma + 4 == s.n || !is_digit(s.p[comma + 4]);
}

/* The exponent at s[at], if there is one; returns where it ends. */
static size_t exponent(struct span s, size_t at, int *out)
{
	size_t i = at + 1;
	bool minus = false;
	int v = 0;

	if (at >= s.n || (s.p[at] | 0x20) != 'e')
		return at;
	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		minus = s.p[i++] == '-';
	if (i >= s.n || !is_digit(s.p[i]))
		return at;
	for (; i < s.n && is_digit(s.p[i]); i++)
		if (v < EXPONENT)
			v = v * 10 + (s.p[i] - '0');
	*out += minus ? -v : v;
	return i;
}

/* long double: the many roundings do not reach the last digit. */
static double ten_to(int power)
{
	long double v = 1, square = 10;

	for (int n = power < 0 ? -power : power; n; n >>= 1) {
		if (n & 1)
			v *= square;
		square *= square;
	}
	return (double)(power < 0 ? 1 / v : v);
}

static double scaled(uint64_t mantissa, int by)
{
	static const double tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };

	if (by < -22 || by > 22)
		return (double)mantissa * ten_to(by);
	return by < 0 ? (double)mantissa / tens[-by]
		      : (double)mantissa * tens[by];
}

size_t number_read(struct span s, double *out)
{
	size_t i = 0, group = 0, digits = 0;
	uint64_t mantissa = 0;
	bool minus = false, point = false;
	int by = 0;

	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		minus = s.p[i++] == '-';
	if (i < s.n && is_letter(s.p[i]))
		return not_finite(s, i, minus, out);
	for (; i < s.n; i++) {
		char c = s.p[i];

		if (is_digit(c)) {
			digits++;
			group++;
			if (mantissa < 100000000000000000u) {
				mantissa = mantissa * 10 + (uint64_t)(c - '0');
				by -= point;
			} else {
				by += !point;
			}
		} else if (c == '.' && !point) {
			point = true;
		} else if (c == ',' && !point && thousands(s, i, group)) {
			group = 0;
		} else {
			break;
		}
	}
	if (!digits)
		return 0;
	if (s.p[i - 1] == '.') /* the end of a sentence */
		i--;
	i = exponent(s, i, &by);
	*out = mantissa ? scaled(mantissa, by) : 0;
	if (minus)
		*out = -*out;
	return i;
}

double number_floor(double v)
{
	const double all = 4503599627370496.0; /* from here on all are whole */
	double whole;

	if (!(v > -all && v < all))
		return v;
	whole = (double)(int64_t)v;
	return whole > v ? whole - 1 : whole;
}

double number_log(double v)
{
	return library_load(&libm, NULL) ? v : lib.log(v);
}
