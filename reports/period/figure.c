#include "reports/period/figure.h"

#include "base/when.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *figure_count(char out[FIGURE], uint64_t n)
{
	char digits[24];
	int len =
	    snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
	size_t k = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = '\0';
	return out;
}

const char *figure_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

const char *figure_hours(char out[FIGURE], int64_t seconds)
{
	uint64_t s = seconds > 0 ? (uint64_t)seconds : 0;
	uint64_t tenths = s / 360 + (s % 360 >= 180);
	size_t n;

	n = strlen(figure_count(out, tenths / 10));
	snprintf(
	    out + n, FIGURE - n, ".%llu", (unsigned long long)(tenths % 10));
	return out;
}

const char *figure_used(char out[FIGURE], const struct sums *s, int64_t seconds)
{
	char hours[FIGURE];

	if (s->attempts && s->unmeasured == s->attempts)
		return "unknown";
	figure_hours(hours, seconds);
	snprintf(
	    out, FIGURE, "%s%.*s", s->estimated ? "~" : "", FIGURE - 2, hours);
	return out;
}

const char *figure_share(char out[FIGURE], double part, double all)
{
	if (all <= 0)
		return "-";
	snprintf(out, FIGURE, "%.1f %%", 100.0 * part / all);
	return out;
}

const char *figure_change(char out[FIGURE], double now, double before)
{
	if (now <= 0 && before <= 0)
		return "";
	if (before <= 0)
		return "new";
	snprintf(out, FIGURE, "%+.0f %%", 100.0 * (now - before) / before);
	return out;
}

const char *figure_time(char out[FIGURE], int64_t micros)
{
	char text[32];

	if (micros == ENVELOPE_NO_TIME)
		return "-";
	when_format(micros, text);
	text[10] = ' ';
	snprintf(out, FIGURE, "%.16s", text);
	return out;
}

const char *figure_moment(char out[FIGURE], int64_t micros)
{
	char text[FIGURE];
	const char *t = figure_time(text, micros);

	snprintf(out, FIGURE, "%s", t == text ? t + 5 : t);
	return out;
}

double figure_days(const struct report *r, const struct recent *v)
{
	int64_t since = v->begins > v->since ? v->begins : v->since;
	double days = (double)(r->options.until - since) / 86400e6;

	return days > 1 ? days : 1;
}

const char *figure_day(char out[FIGURE], int64_t micros, int64_t of)
{
	char text[FIGURE], other[FIGURE];
	const char *t = figure_time(text, micros);
	bool same = t == text && strncmp(t, figure_time(other, of), 4) == 0;

	snprintf(out, FIGURE, "%.*s", same ? 5 : 10, same ? t + 5 : t);
	return out;
}

const char *figure_month(char out[FIGURE], int64_t month)
{
	if (month < 0)
		snprintf(out, FIGURE, "-");
	else
		snprintf(out, FIGURE, "%04lld-%02lld", (long long)(month / 12),
		    (long long)(month % 12 + 1));
	return out;
}

const char *figure_length(char out[FIGURE], int64_t micros)
{
	long long minutes = (long long)(micros / 60000000);

	if (minutes < 120)
		snprintf(out, FIGURE, "%lld min", minutes);
	else if (minutes < 2880)
		snprintf(out, FIGURE, "%lld h", minutes / 60);
	else
		snprintf(out, FIGURE, "%lld d", minutes / 1440);
	return out;
}

void figure_notes(const struct report *r, struct figure_note out[FIGURE_NOTES])
{
	const struct figure_note notes[FIGURE_NOTES] = {
		{ r->unproven,
		    "without a failure, and without a proof of a good end" },
		{ r->cut, "with a log that stops in the middle of something" },
		{ r->running, "that had not ended" },
		{ r->cannot_tell - r->unproven - r->cut - r->running,
		    "that may have failed or not: nothing tells" },
		{ r->launched,
		    "with a log of several launches: the last one is the "
		    "answer, their times add up" },
		{ r->now.estimated,
		    "without a job record: GPU time is estimated from the "
		    "log, and sums that hold such an estimate bear a ~" },
		{ r->now.unmeasured,
		    "of unknown GPU time: sums of GPU-hours leave them out" },
		{ r->no_record, "without a job record" },
		{ r->no_log, "without a log: known from the job record alone" },
		{ r->judged, "counted as a person judged them" },
		{ r->node_log,
		    "whose root failure the log of a node tells, not their "
		    "own" },
		{ r->undated,
		    "without any date: counted by when they were first seen, "
		    "and on no day" },
	};

	memcpy(out, notes, sizeof notes);
}
