#include "reports/period/goodput_write.h"

#include "reports/output/object.h"
#include "reports/period/figure.h"
#include "reports/period/mttf.h"

#include <math.h>

/* ---- for people ---- */

static const char *share(char out[FIGURE], int64_t hundredths)
{
	return figure_share(out, hundredths < 0 ? 0 : (double)hundredths / 100,
	    hundredths < 0 ? 0 : 100);
}

static void headline(struct sheet *s, const struct report_goodput *g)
{
	char one[FIGURE], two[FIGURE], three[FIGURE];

	sheet_line(s,
	    "%s GPU-hours of %s attempt%s whose logs tell it, %s that nothing "
	    "is known of",
	    figure_hours(one, g->all.given), figure_count(two, g->all.attempts),
	    figure_plural(g->all.attempts), figure_count(three, g->unmeasured));
	sheet_line(s, "goodput %s: training that was kept",
	    share(one, goodput_share(&g->all)));
	sheet_line(s,
	    "ETTR %s: productive, of the time queued or running (Meta's)",
	    share(one, goodput_ettr(&g->all)));
}

static void losses(
    struct sheet *s, const struct report *r, const struct report_goodput *g)
{
	static const struct column columns[] = { { "INTO", COLUMN_WORD },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "SHARE", COLUMN_NUMBER },
		{ "MOST OF IT", COLUMN_NAME }, { "GPU-HOURS", COLUMN_NUMBER } };
	int parts[GOODPUT_PARTS];
	size_t n = goodput_losses(&g->all, parts);
	char text[FIGURE];

	sheet_table(s, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n; i++) {
		const struct goodput_row *most = g->most[parts[i]];
		const char *cluster = report_cluster(r, most->sample);
		int64_t spent = g->all.spent[parts[i]];

		sheet_text(s, goodput_part_words(parts[i]));
		sheet_text(s, figure_hours(text, spent));
		sheet_text(s,
		    parts[i] == GOODPUT_QUEUED
			? "-"
			: figure_share(
			      text, (double)spent, (double)g->all.given));
		sheet_cell(s, "%s%s%s", most->key, cluster ? "@" : "",
		    cluster ? cluster : "");
		sheet_text(s, figure_hours(text, most->sums.spent[parts[i]]));
	}
	sheet_table_end(s);
}

static void rows(struct sheet *s, const struct report *r, enum goodput_by by,
    const char *title, size_t top)
{
	const struct column columns[] = { { title, COLUMN_NAME },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "GOODPUT", COLUMN_NUMBER },
		{ "ETTR", COLUMN_NUMBER }, { "START", COLUMN_NUMBER },
		{ "AGAIN", COLUMN_NUMBER }, { "LOST", COLUMN_NUMBER },
		{ "HUNG", COLUMN_NUMBER } };
	static const int parts[] = { PHASE_INITIALIZING, PHASE_RECOMPUTING,
		GOODPUT_LOST, PHASE_HANGING };
	const struct report_goodput *g = r->goodput;
	char text[FIGURE];

	if (!g->n[by])
		return;
	sheet_line(s, "%s", "");
	sheet_table(s, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < g->n[by] && i < top; i++) {
		const struct goodput_row *row = &g->rows[by][i];
		const char *cluster = by == GOODPUT_BY_JOB
		    ? report_cluster(r, row->sample)
		    : NULL;

		sheet_cell(s, "%s%s%s", row->key, cluster ? "@" : "",
		    cluster ? cluster : "");
		sheet_text(s, figure_hours(text, row->sums.given));
		sheet_text(s, share(text, goodput_share(&row->sums)));
		sheet_text(s, share(text, goodput_ettr(&row->sums)));
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			sheet_text(
			    s, figure_hours(text, row->sums.spent[parts[k]]));
	}
	sheet_table_end(s);
	if (g->n[by] > top)
		sheet_line(
		    s, "and %s more", figure_count(text, g->n[by] - top));
}

/* Seconds as hours. */
static const char *hours(char out[FIGURE], double seconds)
{
	if (seconds >= HUGE_VAL)
		snprintf(out, FIGURE, "-");
	else
		snprintf(out, FIGURE, "%.1f", seconds / 3600);
	return out;
}

static void sizes(struct sheet *s, const struct report *r)
{
	static const struct column columns[] = { { "GPUS", COLUMN_NUMBER },
		{ "ATTEMPTS", COLUMN_NUMBER }, { "FAILURES", COLUMN_NUMBER },
		{ "HOURS RUN", COLUMN_NUMBER }, { "MTTF", COLUMN_NUMBER },
		{ "90 %", COLUMN_NUMBER }, { "MODEL", COLUMN_NUMBER } };
	char one[FIGURE], two[FIGURE];
	struct mttf m;

	mttf_find(&m, r);
	if (!m.n)
		return;
	sheet_heading(s, "MTTF by job size");
	sheet_line(s,
	    "hours run for each failure of the infrastructure; the model: one "
	    "rate for each");
	sheet_line(s, "GPU, %s failure%s in %s GPU-hours, as Meta's has it",
	    figure_count(one, m.failures), figure_plural(m.failures),
	    figure_hours(two, m.gpu_seconds));
	sheet_table(s, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < m.n; i++) {
		const struct mttf_size *v = &m.v[i];

		if (v->gpus > 2)
			sheet_cell(s, "%lld-%lld", (long long)v->gpus / 2 + 1,
			    (long long)v->gpus);
		else
			sheet_cell(s, "%lld", (long long)v->gpus);
		sheet_text(s, figure_count(one, v->attempts));
		sheet_text(s, figure_count(one, v->failures));
		sheet_text(s, figure_hours(one, v->seconds));
		sheet_text(s, hours(one, v->observed));
		if (v->failures)
			sheet_cell(s, "%s to %s", hours(one, v->low),
			    hours(two, v->high));
		else
			sheet_cell(s, "over %s", hours(one, v->low));
		sheet_text(s, hours(one, v->modelled));
	}
	sheet_table_end(s);
}

void goodput_sheet(struct sheet *s, const struct report *r, size_t top)
{
	const struct report_goodput *g = r->goodput;

	if (!g)
		return;
	sheet_heading(s, "Goodput");
	headline(s, g);
	losses(s, r, g);
	rows(s, r, GOODPUT_BY_JOB, "JOB", top);
	rows(s, r, GOODPUT_BY_USER, "USER", top);
	if (g->n[GOODPUT_BY_CLUSTER] > 1)
		rows(s, r, GOODPUT_BY_CLUSTER, "CLUSTER", top);
	sizes(s, r);
}

/* ---- JSON ---- */

static void put_sums(struct object *o, const struct goodput_sums *s)
{
	object_total(o, "attempts", s->attempts);
	object_total(o, "jobs", s->jobs);
	object_int(o, "gpu_seconds", s->given);
	for (int k = 0; k < GOODPUT_PARTS; k++)
		object_int(o, goodput_part_name(k), s->spent[k]);
	object_count(o, "goodput", goodput_share(s));
	object_count(o, "ettr", goodput_ettr(s));
}

static struct json *row_json(enum goodput_by by, const struct goodput_row *row)
{
	struct object o = object_new();

	object_string(&o, goodput_by_name(by), row->key);
	if (by == GOODPUT_BY_JOB) {
		object_string(&o, "cluster", row->sample->cluster);
		object_string(&o, "user", row->sample->user);
	}
	put_sums(&o, &row->sums);
	return object_done(&o);
}

static void put_seconds(struct object *o, const char *key, double seconds)
{
	object_put(o, key,
	    seconds < 1e15 ? json_new_int((int64_t)(seconds + 0.5))
			   : json_new_null());
}

static struct json *sizes_json(const struct report *r)
{
	struct object a = object_new_array();
	struct mttf m;

	mttf_find(&m, r);
	for (size_t i = 0; i < m.n; i++) {
		const struct mttf_size *v = &m.v[i];
		struct object o = object_new();

		object_count(&o, "gpus_up_to", v->gpus);
		object_total(&o, "attempts", v->attempts);
		object_total(&o, "failures", v->failures);
		object_count(&o, "seconds", v->seconds);
		put_seconds(&o, "mttf_seconds", v->observed);
		put_seconds(&o, "mttf_low", v->low);
		put_seconds(&o, "mttf_high", v->high);
		put_seconds(&o, "mttf_model", v->modelled);
		object_add(&a, object_done(&o));
	}
	return object_done(&a);
}

struct json *goodput_json(const struct report *r)
{
	static const char *const keys[] = { "by_job", "by_user", "by_cluster" };
	const struct report_goodput *g = r->goodput;
	struct object o;

	if (!g)
		return json_new_null();
	o = object_new();
	put_sums(&o, &g->all);
	object_total(&o, "unmeasured", g->unmeasured);
	object_int(&o, "unmeasured_gpu_seconds", g->unmeasured_given);
	for (int by = 0; by < GOODPUT_BY_COUNT; by++) {
		struct object a = object_new_array();

		for (size_t i = 0; i < g->n[by]; i++)
			object_add(
			    &a, row_json((enum goodput_by)by, &g->rows[by][i]));
		object_put(&o, keys[by], object_done(&a));
	}
	object_put(&o, "mttf_by_size", sizes_json(r));
	return object_done(&o);
}
