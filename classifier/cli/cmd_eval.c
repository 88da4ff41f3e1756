/*
 * jobtriage eval: each labelled file (or folder of one job's files) is scanned
 * as a job of its own, and the answers are compared with the labels.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/eval_judged.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "reports/evaluate/score.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum column { FILE_, CATEGORY, RETRY, DIFFICULTY, ACCEPT, COLUMNS };

static const char *const column_names[COLUMNS] = { "file", "category", "retry",
	"difficulty", "accept" };

struct eval_run {
	const struct settings *s;
	struct score score;
	struct progress_bar *bar;
	bool failed;
};

/* ---- labels ---- */

static char *join(const char *dir, struct span name)
{
	struct buf b = BUF_INIT(BUF_MAX);
	size_t n = strlen(dir);

	if (buf_addf(&b, "%s%s", dir, n && dir[n - 1] == '/' ? "" : "/") ||
	    buf_add(&b, name.p, name.n)) {
		buf_release(&b);
		return NULL;
	}
	return buf_take(&b);
}

static enum verdict verdict_of(struct span retry)
{
	if (span_is(retry, "yes"))
		return VERDICT_RETRY;
	if (span_is(retry, "no"))
		return VERDICT_STOP;
	if (span_is(retry, "conditional"))
		return VERDICT_ADJUST;
	return VERDICT_COUNT;
}

static int add_case(struct score *score, char *path, struct span category,
    struct span retry, struct span difficulty, struct span accept)
{
	struct score_case *c = path ? score_add(score) : NULL;

	if (!c) {
		free(path);
		return -1;
	}
	c->path = path;
	c->category = span_dup(category);
	c->accept = span_dup(accept);
	c->difficulty = span_dup(difficulty);
	c->verdict = verdict_of(retry);
	return c->category && c->accept && c->difficulty ? 0 : -1;
}

/* The fields of one line, by the header's columns. */
static void split(
    struct span line, const int at[COLUMNS], struct span out[COLUMNS])
{
	struct span rest = line;

	for (int c = 0; c < COLUMNS; c++)
		out[c] = (struct span){ NULL, 0 };
	for (int field = 0;; field++) {
		size_t tab = span_find(rest, "\t");

		for (int c = 0; c < COLUMNS; c++)
			if (at[c] == field)
				out[c] = span_trim(span_sub(rest, 0, tab));
		if (tab == SIZE_MAX)
			break;
		rest = span_sub(rest, tab + 1, rest.n);
	}
}

static int read_header(
    struct span line, int at[COLUMNS], const char *path, struct err *e)
{
	struct span rest = line;

	for (int c = 0; c < COLUMNS; c++)
		at[c] = -1;
	for (int field = 0;; field++) {
		size_t tab = span_find(rest, "\t");
		struct span name = span_trim(span_sub(rest, 0, tab));

		for (int c = 0; c < COLUMNS; c++)
			if (span_is(name, column_names[c]))
				at[c] = field;
		if (tab == SIZE_MAX)
			break;
		rest = span_sub(rest, tab + 1, rest.n);
	}
	if (at[FILE_] < 0 || at[CATEGORY] < 0)
		return err_set(e,
		    "%s:1: the header must name the columns file and "
		    "category",
		    path);
	return 0;
}

static bool known_label(const struct taxonomy *tax, struct span id)
{
	if (span_is(id, "none") || span_is(id, "unknown"))
		return true;
	for (size_t i = 0; i < tax->n_categories; i++)
		if (span_is(id, tax->categories[i].id))
			return true;
	return false;
}

static int label_line(struct score *score, const struct taxonomy *tax,
    const char *dir, const char *path, unsigned number, struct span line,
    const int at[COLUMNS], struct err *e)
{
	struct span v[COLUMNS];

	if (span_trim(line).n == 0)
		return 0;
	split(line, at, v);
	if (!known_label(tax, v[CATEGORY]))
		return err_set(e, "%s:%u: no category '%.*s'", path, number,
		    (int)v[CATEGORY].n, v[CATEGORY].p);
	if (add_case(score, join(dir, v[FILE_]), v[CATEGORY], v[RETRY],
		v[DIFFICULTY], v[ACCEPT]))
		return err_nomem(e);
	return 0;
}

static int read_labels(struct score *score, const struct taxonomy *tax,
    const char *dir, const char *path, FILE *f, struct err *e)
{
	int at[COLUMNS];
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	unsigned number = 0;
	int rc = 0;

	while (!rc && (n = getline(&line, &cap, f)) >= 0) {
		struct span s = { line, (size_t)n };

		while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
			s.n--;
		rc = ++number == 1
		    ? read_header(s, at, path, e)
		    : label_line(score, tax, dir, path, number, s, at, e);
	}
	if (!rc && !feof(f))
		rc = err_errno(e, path);
	free(line);
	if (!rc && number == 0)
		return err_set(e, "%s: empty", path);
	return rc;
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder but the hidden ones, sorted; none in what is no folder. */
static int names_in(const char *dir, struct list *l, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int rc = 0;

	if (!d && errno == ENOTDIR)
		return 0;
	if (!d)
		return err_errno(e, dir);
	while (!rc && (entry = readdir(d))) {
		char *copy;

		if (entry->d_name[0] == '.')
			continue;
		copy = span_dup(span_of(entry->d_name));
		if (!copy || options_list_add(l, copy)) {
			rc = err_nomem(e);
			free(copy);
		}
	}
	closedir(d);
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_string);
	return rc;
}

static void release_names(struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free((char *)(uintptr_t)l->v[i]);
	free(l->v);
}

/* DIR/<category>/<job>: the folder's name is the label. */
static int label_folder(
    struct score *score, const char *dir, const char *category, struct err *e)
{
	char *folder = join(dir, span_of(category));
	struct list names = { 0 };
	int rc = folder ? names_in(folder, &names, e) : err_nomem(e);

	for (size_t i = 0; i < names.n && !rc; i++)
		if (add_case(score, join(folder, span_of(names.v[i])),
			span_of(category), span_of(""), span_of(""),
			span_of("")))
			rc = err_nomem(e);
	release_names(&names);
	free(folder);
	return rc;
}

static int read_folders(struct score *score, const struct taxonomy *tax,
    const char *dir, struct err *e)
{
	struct list names = { 0 };
	size_t before = score->n;
	int rc = names_in(dir, &names, e);

	for (size_t i = 0; i < names.n && !rc; i++)
		if (known_label(tax, span_of(names.v[i])))
			rc = label_folder(score, dir, names.v[i], e);
	release_names(&names);
	if (!rc && score->n == before)
		return err_set(e,
		    "%s: neither labels.tsv nor a folder named after a "
		    "category",
		    dir);
	return rc;
}

static int read_dir(struct score *score, const struct taxonomy *tax,
    const char *dir, struct err *e)
{
	char *path = join(dir, span_of("labels.tsv"));
	struct stat st;
	FILE *f;
	int rc;

	if (!path)
		return err_nomem(e);
	if (stat(dir, &st)) {
		rc = err_errno(e, dir);
	} else if ((f = fopen(path, "r"))) {
		rc = read_labels(score, tax, dir, path, f, e);
		fclose(f);
	} else if (errno == ENOENT || errno == ENOTDIR) {
		rc = read_folders(score, tax, dir, e);
	} else {
		rc = err_errno(e, path);
	}
	free(path);
	return rc;
}

/* ---- running ---- */

static int by_path(const void *a, const void *b)
{
	const struct score_case *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int answered(
    struct eval_run *r, struct score_case *c, const struct diagnosis *d)
{
	c->answered = true;
	c->got = span_dup(span_of(diagnosis_category(d)));
	c->rule = span_dup(span_of(d->rule ? d->rule->id : ""));
	c->reason = span_dup(span_of(d->reason));
	c->got_verdict = d->verdict;
	c->confidence = (int)d->confidence;
	c->stops = d->verdict == VERDICT_STOP || d->unsure_stop;
	c->sure = d->policy && d->policy->stop_needs >= 0 ? CONFIDENCE_HIGH
							  : (int)d->confidence;
	r->failed |= !c->got || !c->rule || !c->reason;
	if (r->failed)
		return -1;
	if (r->s->list_rules)
		score_rules_add(&r->score.rules, d, score_right(c));
	return 0;
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct eval_run *r = ctx;
	struct score_case want = { .path = d->job };
	struct score_case *c =
	    bsearch(&want, r->score.v, r->score.n, sizeof *r->score.v, by_path);

	return !c || c->answered ? 0 : answered(r, c, d);
}

/* A job of the store whose label is a person's word. */
static int on_judged(
    void *ctx, const struct judged *said, const struct diagnosis *d)
{
	struct eval_run *r = ctx;
	const struct span none = span_of("");

	if (add_case(&r->score, span_dup(span_of(d->job)),
		span_of(said->category), none, none, none))
		return -1;
	if (said->verdict && taxonomy_verdict(said->verdict) >= 0)
		r->score.v[r->score.n - 1].verdict =
		    (enum verdict)taxonomy_verdict(said->verdict);
	return answered(r, &r->score.v[r->score.n - 1], d);
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct eval_run *r = ctx;

	progress_clear(r->bar);
	session_note(r->s, path, kind, text);
}

static int scan_cases(struct eval_run *r, struct session *x,
    struct triage_counters *counters, struct err *e)
{
	const struct triage_sink sink = {
		.ctx = r, .job = on_job, .note = on_note
	};
	struct list paths = { 0 };
	int rc = 0;

	if (r->score.n)
		qsort(r->score.v, r->score.n, sizeof *r->score.v, by_path);
	for (size_t i = 0; i < r->score.n && !rc; i++)
		rc = options_list_add(&paths, r->score.v[i].path);
	if (rc) {
		free(paths.v);
		return err_nomem(e);
	}
	x->options.job_per_path = true;
	if (r->s->progress)
		r->bar =
		    progress_start(&x->options, counters, paths.v, paths.n);
	rc = triage_run(&x->options, paths.v, paths.n, &sink, counters, e);
	progress_stop(r->bar);
	free(paths.v);
	return !rc && r->failed ? err_nomem(e) : rc;
}

static int read_judged(struct eval_run *r, struct session *x, struct err *e)
{
	struct eval_labels to = { on_judged, on_note, r, 0 };

	if (!r->s->judged)
		return 0;
	if (eval_judged(r->s, x, &to, e))
		return -1;
	if (to.left_out && !r->s->quiet)
		screen_complain("eval: %llu judged jobs are left out: their "
				"logs are gone",
		    (unsigned long long)to.left_out);
	return 0;
}

static int report(struct eval_run *r, struct err *e)
{
	struct score_sums sums;
	struct outfile out;
	int rc;

	if (score_sum(&r->score, &sums, e))
		return -1;
	if (outfile_open(&out, r->s->output, e)) {
		score_sums_release(&sums);
		return -1;
	}
	rc = (screen_json(r->s) ? score_json : score_text)(
	    &r->score, &sums, r->s->list_wrong, out.f, e);
	if (rc)
		outfile_abandon(&out);
	else
		rc = outfile_close(&out, e);
	score_sums_release(&sums);
	return rc;
}

enum exit_status cmd_eval(const struct settings *s)
{
	struct eval_run r = { .s = s };
	struct triage_counters counters = { 0 };
	struct session x = { 0 };
	struct err e = { 0 };
	enum exit_status status = STATUS_USAGE;

	if (screen_text_or_json(s, &e))
		return screen_failed(&e, STATUS_USAGE);
	if (s->judged && !s->store) {
		screen_complain("eval --judged: --store URL is missing");
		return STATUS_USAGE;
	}
	if (s->arguments.n == 0 && !s->judged) {
		screen_complain(
		    "eval: no folder given; see jobtriage eval --help");
		return STATUS_USAGE;
	}
	if (session_open(&x, s, &e))
		goto out;
	for (size_t i = 0; i < s->arguments.n; i++)
		if (read_dir(&r.score, x.taxonomy, s->arguments.v[i], &e))
			goto out;
	status = STATUS_INTERNAL;
	if (s->list_rules && score_rules_init(&r.score.rules, x.taxonomy, &e))
		goto out;
	if ((r.score.n && scan_cases(&r, &x, &counters, &e)) ||
	    read_judged(&r, &x, &e) || report(&r, &e))
		goto out;
	status = session_unread(&counters) ? STATUS_DEGRADED : STATUS_OK;
out:
	if (e.text[0])
		status = screen_failed(&e, status);
	score_release(&r.score);
	session_release(&x);
	return status;
}
