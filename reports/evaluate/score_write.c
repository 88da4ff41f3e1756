/* The two forms of an evaluation: for a person and for a script. */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "diagnose/diagnosis.h"
#include "reports/evaluate/score.h"

#include <stdlib.h>
#include <string.h>

static bool verdict_wrong(const struct score_case *c)
{
	return c->verdict != VERDICT_COUNT && c->verdict != c->got_verdict;
}

static bool wrong(const struct score_case *c)
{
	return !score_right(c) || verdict_wrong(c);
}

static int print_wrong(const struct score *s, FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct score_case *c = &s->v[i];

		if (!wrong(c))
			continue;
		buf_clear(&b);
		rc = text_visible(&b, span_of(c->path));
		if (!rc)
			fprintf(f, "%s: %s", b.p, c->category);
		if (!rc && !score_right(c))
			fprintf(f, " taken for %s",
			    c->answered ? c->got : "none (no log)");
		if (!rc && verdict_wrong(c))
			fprintf(f, ", verdict %s instead of %s",
			    c->answered ? taxonomy_verdict_name(c->got_verdict)
					: "none",
			    taxonomy_verdict_name(c->verdict));
		if (!rc)
			fprintf(f, " [%s]\n", c->rule ? c->rule : "");
	}
	buf_release(&b);
	return rc ? json_lacking(e) : 0;
}

static void print_share(FILE *f, const char *name, uint64_t part, uint64_t all)
{
	if (all)
		fprintf(f, "%-18s %.4f  (%llu of %llu)\n", name,
		    (double)part / (double)all, (unsigned long long)part,
		    (unsigned long long)all);
}

static void print_matrix(const struct score_sums *s, FILE *f)
{
	fputs("\nconfusion (labelled -> answered)\n", f);
	for (size_t i = 0; i < s->n_classes; i++)
		for (size_t k = 0; k < s->n_classes; k++) {
			uint64_t n = s->matrix[i * s->n_classes + k];

			if (n && i != k)
				fprintf(f, "  %-24s -> %-24s %llu\n",
				    s->classes[i].id, s->classes[k].id,
				    (unsigned long long)n);
		}
}

/* What stop_needs would have done. */
static void print_stops(const struct score_sums *s, FILE *f)
{
	for (int k = 2; k >= 0; k--)
		fprintf(f,
		    "  stop_needs %-6s %llu wrong stops, %llu dead jobs "
		    "retried once\n",
		    diagnosis_confidence_name((enum confidence)k),
		    (unsigned long long)s->stop_wrong[k],
		    (unsigned long long)s->stop_spared[k]);
}

int score_text(const struct score *s, const struct score_sums *sums,
    bool list_wrong, FILE *f, struct err *e)
{
	if (list_wrong && print_wrong(s, f, e))
		return -1;
	fprintf(f, "%-24s %6s %6s %9s %9s %9s\n", "CATEGORY", "LABEL", "ANSWER",
	    "PRECISION", "RECALL", "F1");
	for (size_t i = 0; i < sums->n_classes; i++) {
		const struct score_class *c = &sums->classes[i];

		fprintf(f, "%-24s %6llu %6llu %9.3f %9.3f %9.3f\n", c->id,
		    (unsigned long long)c->labelled,
		    (unsigned long long)c->answered, c->precision, c->recall,
		    c->f1);
	}
	if (sums->right < sums->jobs)
		print_matrix(sums, f);
	fprintf(f, "\n%-18s %llu\n", "jobs", (unsigned long long)sums->jobs);
	print_share(f, "accuracy", sums->right, sums->jobs);
	print_share(f, "  plain", sums->plain_right, sums->plain);
	print_share(f, "  hard", sums->hard_right, sums->hard);
	for (int k = 2; k >= 0; k--) {
		char name[32];

		snprintf(name, sizeof name, "  said %s",
		    diagnosis_confidence_name((enum confidence)k));
		print_share(f, name, sums->band_right[k], sums->band[k]);
	}
	fprintf(f, "%-18s %.4f\n", "macro-F1", sums->macro_f1);
	print_share(
	    f, "verdict accuracy", sums->verdicts_right, sums->verdicts);
	print_share(f, "wrong stops", sums->wrong_stops, sums->verdicts);
	if (sums->verdicts)
		print_stops(sums, f);
	return s->rules.n ? score_rules_text(&s->rules, f, e) : 0;
}

/* ---- JSON ---- */

static int classes_json(const struct score_sums *sums, struct json *to)
{
	int rc = 0;

	for (size_t i = 0; i < sums->n_classes && !rc; i++) {
		const struct score_class *c = &sums->classes[i];
		struct json *o = json_new_object();

		if (!o)
			return -1;
		rc = json_set(
			 o, "labelled", json_new_int((int64_t)c->labelled)) ||
		    json_set(
			o, "answered", json_new_int((int64_t)c->answered)) ||
		    json_set(o, "right", json_new_int((int64_t)c->right)) ||
		    json_set(o, "precision", json_new_real(c->precision)) ||
		    json_set(o, "recall", json_new_real(c->recall)) ||
		    json_set(o, "f1", json_new_real(c->f1));
		if (rc)
			json_free(o);
		else
			rc = json_set(to, c->id, o);
	}
	return rc;
}

static int confusion_json(const struct score_sums *s, struct json *to)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_classes && !rc; i++) {
		struct json *o = NULL;

		for (size_t k = 0; k < s->n_classes && !rc; k++) {
			uint64_t n = s->matrix[i * s->n_classes + k];

			if (n == 0)
				continue;
			if (!o)
				o = json_new_object();
			rc = !o ||
			    json_set(
				o, s->classes[k].id, json_new_int((int64_t)n));
		}
		if (o && !rc)
			rc = json_set(to, s->classes[i].id, o);
		else
			json_free(o);
	}
	return rc;
}

static int wrong_json(const struct score *s, struct json *to)
{
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct score_case *c = &s->v[i];
		struct json *o;

		if (!wrong(c))
			continue;
		o = json_new_object();
		if (!o)
			return -1;
		rc = json_set(o, "path", json_new_string(c->path)) ||
		    json_set(o, "category", json_new_string(c->category)) ||
		    json_set(o, "got", json_new_string(c->got)) ||
		    json_set(o, "rule", json_new_string(c->rule)) ||
		    json_set(o, "verdict",
			c->verdict == VERDICT_COUNT
			    ? json_new_null()
			    : json_new_string(
				  taxonomy_verdict_name(c->verdict))) ||
		    json_set(o, "got_verdict",
			c->answered ? json_new_string(
					  taxonomy_verdict_name(c->got_verdict))
				    : json_new_null());
		if (rc)
			json_free(o);
		else
			rc = json_append(to, o);
	}
	return rc;
}

static int sums_json(const struct score_sums *s, struct json *o)
{
	const struct {
		const char *name;
		uint64_t part, all;
	} parts[] = {
		{ "accuracy_plain", s->plain_right, s->plain },
		{ "accuracy_hard", s->hard_right, s->hard },
		{ "accuracy_high", s->band_right[2], s->band[2] },
		{ "accuracy_medium", s->band_right[1], s->band[1] },
		{ "accuracy_low", s->band_right[0], s->band[0] },
	};
	int rc = json_set(o, "jobs", json_new_int((int64_t)s->jobs)) ||
	    json_set(o, "accuracy", json_new_real(s->accuracy)) ||
	    json_set(o, "macro_f1", json_new_real(s->macro_f1)) ||
	    json_set(
		o, "verdict_accuracy", json_new_real(s->verdict_accuracy)) ||
	    json_set(o, "wrong_stop_rate", json_new_real(s->wrong_stop_rate)) ||
	    json_set(o, "wrong_stops", json_new_int((int64_t)s->wrong_stops));

	for (size_t i = 0; i < sizeof parts / sizeof *parts && !rc; i++)
		rc = json_set(o, parts[i].name,
		    parts[i].all ? json_new_real((double)parts[i].part /
				       (double)parts[i].all)
				 : json_new_null());
	return rc;
}

/* Into o: {"high": {"wrong_stops": N, "retried_once": N}, ...}. */
static int stops_json(const struct score_sums *s, struct json *o)
{
	struct json *all = json_new_object();
	int rc = all ? 0 : -1;

	for (int k = 2; k >= 0 && !rc; k--) {
		struct json *one = json_new_object();

		rc = !one ||
		    json_set(one, "wrong_stops",
			json_new_int((int64_t)s->stop_wrong[k])) ||
		    json_set(one, "retried_once",
			json_new_int((int64_t)s->stop_spared[k]));
		if (rc)
			json_free(one);
		else
			rc = json_set(all,
			    diagnosis_confidence_name((enum confidence)k), one);
	}
	if (rc) {
		json_free(all);
		return -1;
	}
	return json_set(o, "stop_needs", all);
}

int score_json(const struct score *s, const struct score_sums *sums,
    bool list_wrong, FILE *f, struct err *e)
{
	struct json *o = json_new_object(), *c = json_new_object();
	struct json *m = json_new_object(), *w = json_new_array();
	struct json *r = json_new_array();
	int rc = !o || !c || !m || !w || !r || sums_json(sums, o) ||
	    stops_json(sums, o) || classes_json(sums, c) ||
	    confusion_json(sums, m) || wrong_json(s, w) ||
	    score_rules_json(&s->rules, r);

	if (!rc) {
		rc = json_set(o, "categories", c);
		c = NULL;
	}
	if (!rc) {
		rc = json_set(o, "confusion", m);
		m = NULL;
	}
	if (!rc && list_wrong) {
		rc = json_set(o, "wrong", w);
		w = NULL;
	}
	if (!rc && s->rules.n) {
		rc = json_set(o, "rules", r);
		r = NULL;
	}
	if (!rc)
		rc = json_print(o, f);
	json_free(o);
	json_free(c);
	json_free(m);
	json_free(w);
	json_free(r);
	return rc ? json_lacking(e) : 0;
}
