/* The two forms of an evaluation: for a person and for a script. */
#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "diagnose/diagnosis.h"
#include "reports/evaluate/score.h"
#include "reports/output/object.h"

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

static struct json *classes_json(const struct score_sums *sums)
{
	struct object all = object_new();

	for (size_t i = 0; i < sums->n_classes; i++) {
		const struct score_class *c = &sums->classes[i];
		struct object o = object_new();

		object_total(&o, "labelled", c->labelled);
		object_total(&o, "answered", c->answered);
		object_total(&o, "right", c->right);
		object_real(&o, "precision", c->precision);
		object_real(&o, "recall", c->recall);
		object_real(&o, "f1", c->f1);
		object_put(&all, c->id, object_done(&o));
	}
	return object_done(&all);
}

static struct json *confusion_json(const struct score_sums *s)
{
	struct object all = object_new();

	for (size_t i = 0; i < s->n_classes; i++) {
		struct object o = object_new();
		uint64_t answered = 0;

		for (size_t k = 0; k < s->n_classes; k++) {
			uint64_t n = s->matrix[i * s->n_classes + k];

			if (n)
				object_total(&o, s->classes[k].id, n);
			answered += n;
		}
		if (answered)
			object_put(&all, s->classes[i].id, object_done(&o));
		else
			json_free(object_done(&o));
	}
	return object_done(&all);
}

static struct json *wrong_json(const struct score *s)
{
	struct object all = object_new_array();

	for (size_t i = 0; i < s->n; i++) {
		const struct score_case *c = &s->v[i];
		struct object o;

		if (!wrong(c))
			continue;
		o = object_new();
		object_string(&o, "path", c->path);
		object_string(&o, "category", c->category);
		object_string(&o, "got", c->got);
		object_string(&o, "rule", c->rule);
		object_string(&o, "verdict",
		    c->verdict == VERDICT_COUNT
			? NULL
			: taxonomy_verdict_name(c->verdict));
		object_string(&o, "got_verdict",
		    c->answered ? taxonomy_verdict_name(c->got_verdict) : NULL);
		object_add(&all, object_done(&o));
	}
	return object_done(&all);
}

static void put_sums(struct object *o, const struct score_sums *s)
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

	object_total(o, "jobs", s->jobs);
	object_real(o, "accuracy", s->accuracy);
	object_real(o, "macro_f1", s->macro_f1);
	object_real(o, "verdict_accuracy", s->verdict_accuracy);
	object_real(o, "wrong_stop_rate", s->wrong_stop_rate);
	object_total(o, "wrong_stops", s->wrong_stops);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		object_put(o, parts[i].name,
		    parts[i].all ? json_new_real((double)parts[i].part /
				       (double)parts[i].all)
				 : json_new_null());
}

/* {"high": {"wrong_stops": N, "retried_once": N}, ...} */
static struct json *stops_json(const struct score_sums *s)
{
	struct object all = object_new();

	for (int k = 2; k >= 0; k--) {
		struct object o = object_new();

		object_total(&o, "wrong_stops", s->stop_wrong[k]);
		object_total(&o, "retried_once", s->stop_spared[k]);
		object_put(&all, diagnosis_confidence_name((enum confidence)k),
		    object_done(&o));
	}
	return object_done(&all);
}

int score_json(const struct score *s, const struct score_sums *sums,
    bool list_wrong, FILE *f, struct err *e)
{
	struct object o = object_new();

	put_sums(&o, sums);
	object_put(&o, "stop_needs", stops_json(sums));
	object_put(&o, "categories", classes_json(sums));
	object_put(&o, "confusion", confusion_json(sums));
	if (list_wrong)
		object_put(&o, "wrong", wrong_json(s));
	if (s->rules.n)
		object_put(&o, "rules", score_rules_json(&s->rules));
	return object_print(&o, f, e);
}
