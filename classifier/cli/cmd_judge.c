/*
 * jobtriage judge JOB: what a person says of an attempt, kept in the store
 * beside what the program had answered. --list: all that was said; --forget:
 * take it out again.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/period.h"
#include "reports/judge/judgement.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"
#include "reports/store/store.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct judging {
	const struct settings *s;
	struct taxonomy *taxonomy;
	struct store *store;
	struct judgements all;
	struct arena *arena;
	/* the attempt that is judged, as the store has it */
	struct judgement j;
	struct entry_owner owner; /* all that is known of whose the job is */
	bool found, several;
};

/* ---- who says what ---- */

static const char *login(void)
{
	const struct passwd *p = getpwuid(getuid());
	const char *name = p && p->pw_name[0] ? p->pw_name : getenv("LOGNAME");

	return name && *name ? name : "?";
}

/* A text of the command line as it may be kept. NULL with e set. */
static const char *kept(struct judging *w, const char *option,
    const char *value, size_t most, struct err *e)
{
	struct span s = span_trim(span_of(value));
	struct buf b = BUF_INIT(BUF_MAX);
	const char *text = NULL;

	if (s.n > most || !s.n)
		err_set(e, "--%s: expected a text of at most %zu bytes", option,
		    most);
	else if (text_utf8(&b, s) ||
	    !(text = arena_string(w->arena, (struct span){ b.p, b.len })))
		err_nomem(e);
	buf_release(&b);
	return text;
}

static int check_words(const struct judging *w, struct err *e)
{
	const struct settings *s = w->s;

	if (s->category && !taxonomy_category(w->taxonomy, s->category) &&
	    strcmp(s->category, "none") != 0 &&
	    strcmp(s->category, "unknown") != 0)
		return err_set(e,
		    "--category %s: no such category; see jobtriage taxonomy "
		    "list",
		    s->category);
	if (s->verdict && taxonomy_verdict(s->verdict) < 0)
		return err_set(e,
		    "--verdict %s: expected retry, adjust, stop, undecided or "
		    "none",
		    s->verdict);
	return 0;
}

/* ---- which attempt ---- */

/* Borrowed from the arena; NULL: it is not told. */
static const char *member(
    struct judging *w, const struct json *o, const char *key)
{
	struct span s = json_get_text(o, key);

	return s.n ? arena_string(w->arena, s) : NULL;
}

/* Attempts come in order, and of one the last that was seen comes last. */
static int on_attempt(void *ctx, struct span record, struct err *e)
{
	struct judging *w = ctx;
	const struct entry_owner wanted = { .cluster = w->s->of_cluster,
		.user = w->s->of_user };
	struct err why;
	struct json *o = json_parse(record, JSON_PARSE, &why);
	struct judgement j = { .job = w->j.job };

	if (!o)
		return why.lack ? err_pass(e, &why) : 0;
	j.owner = (struct entry_owner){ member(w, o, "cluster"),
		member(w, o, "user"), member(w, o, "place") };
	j.account = member(w, o, "group");
	j.rule = member(w, o, "rule");
	j.answer = member(w, o, "category");
	j.answer_verdict = member(w, o, "verdict");
	if (entry_same(&wanted, &j.owner) &&
	    json_int(json_get(o, "attempt"), &j.attempt) &&
	    (!w->s->attempt || w->s->attempt == j.attempt)) {
		w->several |= w->found && !entry_same(&w->owner, &j.owner);
		w->owner.cluster =
		    j.owner.cluster ? j.owner.cluster : w->owner.cluster;
		w->owner.user = j.owner.user ? j.owner.user : w->owner.user;
		w->owner.place = j.owner.place ? j.owner.place : w->owner.place;
		w->found = true;
		w->j = j;
	}
	json_free(o);
	return 0;
}

static int find(struct judging *w, struct err *e)
{
	const char *job = w->s->arguments.v[0];

	w->j.job = job;
	if (store_named(w->store, job, on_attempt, w, e))
		return -1;
	if (!w->found && w->s->attempt)
		return err_set(e, "%s: no attempt %lld of it in %s", job,
		    (long long)w->s->attempt, w->s->store);
	if (!w->found)
		return err_set(e, "%s: no job in %s", job, w->s->store);
	if (w->several)
		return err_set(e,
		    "%s: several jobs in %s have this name: say whose by "
		    "--cluster or --user",
		    job, w->s->store);
	return 0;
}

/* ---- judge ---- */

static int print_lines(const struct judging *w,
    bool (*which)(const struct judging *w, const struct judgement *j), FILE *f,
    struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	size_t n = 0;
	int rc = buf_adds(&b, "{\"judgements\": [");

	for (size_t i = 0; i < w->all.n && !rc; i++)
		if (which(w, &w->all.v[i]))
			rc = buf_adds(&b, n++ ? ",\n" : "\n") ||
			    judgement_line(&w->all.v[i], &b);
	rc = rc || buf_adds(&b, n ? "\n]}\n" : "]}\n");
	if (!rc)
		fwrite(b.p, 1, b.len, f);
	buf_release(&b);
	return rc ? err_nomem(e) : 0;
}

static const char *or_dash(const char *s)
{
	return s ? s : "-";
}

static int tell(const struct judging *w, FILE *f, struct err *e)
{
	const struct judgement *j = &w->j;
	struct buf b = BUF_INIT(BUF_MAX), seen = BUF_INIT(BUF_MAX);
	int rc;

	if (screen_json(w->s)) {
		rc = judgement_line(j, &b) || buf_addc(&b, '\n');
		if (!rc)
			fwrite(b.p, 1, b.len, f);
	} else {
		rc = buf_addf(&b,
			 "%s, attempt %lld: %s, %s, by %s; the answer was %s, "
			 "%s (%s)",
			 j->job, (long long)j->attempt, or_dash(j->category),
			 or_dash(j->verdict), or_dash(j->by),
			 or_dash(j->answer), or_dash(j->answer_verdict),
			 j->rule ? j->rule : "no rule") ||
		    text_visible(&seen, (struct span){ b.p, b.len });
		if (!rc)
			fprintf(f, "%s\n", seen.p);
	}
	buf_release(&b);
	buf_release(&seen);
	return rc ? err_nomem(e) : 0;
}

static enum exit_status do_judge(struct judging *w, FILE *f, struct err *e)
{
	const struct settings *s = w->s;
	const char *note = NULL, *by;

	if (!s->category && !s->verdict && !s->note) {
		screen_complain("judge: --category, --verdict or --note is "
				"missing");
		return STATUS_USAGE;
	}
	by = kept(w, "by", s->by ? s->by : login(), JUDGEMENT_NAME, e);
	if (by && s->note)
		note = kept(w, "note", s->note, JUDGEMENT_NOTE, e);
	if (!by || (s->note && !note))
		return screen_failed(e, STATUS_USAGE);
	if (find(w, e))
		return screen_failed(e, STATUS_DEGRADED);
	w->j.category = s->category;
	w->j.verdict = s->verdict;
	w->j.note = note;
	w->j.by = by;
	w->j.at = period_now();
	if (judgement_put(w->store, &w->j, e) || tell(w, f, e))
		return screen_failed(e, STATUS_INTERNAL);
	return STATUS_OK;
}

/* ---- list and forget ---- */

static bool is_or_any(const char *s, const char *wanted)
{
	return !wanted || (s && strcmp(s, wanted) == 0);
}

static bool meant(const struct judging *w, const struct judgement *j)
{
	const struct settings *s = w->s;

	return is_or_any(j->job, s->arguments.n ? s->arguments.v[0] : NULL) &&
	    is_or_any(j->owner.cluster, s->of_cluster) &&
	    is_or_any(j->owner.user, s->of_user) &&
	    (!s->attempt || j->attempt == s->attempt);
}

static int list_text(const struct judging *w, FILE *f, struct err *e)
{
	static const struct column columns[] = { { "JOB", COLUMN_WORD },
		{ "ATTEMPT", COLUMN_NUMBER }, { "WHEN", COLUMN_WORD },
		{ "BY", COLUMN_WORD }, { "CATEGORY", COLUMN_WORD },
		{ "VERDICT", COLUMN_WORD }, { "ANSWER", COLUMN_WORD },
		{ "NOTE", COLUMN_TEXT } };
	const struct report_style style = { .colour = screen_colour(w->s, f),
		.width = screen_width(f) };
	struct sheet sheet;
	char text[FIGURE];

	sheet_begin(&sheet, f, false, &style);
	sheet_table(&sheet, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < w->all.n; i++) {
		const struct judgement *j = &w->all.v[i];

		if (!meant(w, j))
			continue;
		sheet_text(&sheet, j->job);
		sheet_cell(&sheet, "%lld", (long long)j->attempt);
		sheet_text(&sheet, figure_time(text, j->at));
		sheet_text(&sheet, j->by);
		sheet_text(&sheet, or_dash(j->category));
		sheet_text(&sheet, or_dash(j->verdict));
		sheet_cell(&sheet, "%s, %s", or_dash(j->answer),
		    or_dash(j->answer_verdict));
		sheet_text(&sheet, j->note);
	}
	sheet_table_end(&sheet);
	return sheet_end(&sheet) ? err_nomem(e) : 0;
}

static enum exit_status do_list(struct judging *w, FILE *f, struct err *e)
{
	if (judgements_read(&w->all, w->store, e))
		return screen_failed(e, STATUS_DEGRADED);
	if (screen_json(w->s) ? print_lines(w, meant, f, e)
			      : list_text(w, f, e))
		return screen_failed(e, STATUS_INTERNAL);
	return STATUS_OK;
}

static enum exit_status do_forget(struct judging *w, FILE *f, struct err *e)
{
	unsigned long long n = 0;

	if (judgements_read(&w->all, w->store, e))
		return screen_failed(e, STATUS_DEGRADED);
	for (size_t i = 0; i < w->all.n; i++) {
		if (!meant(w, &w->all.v[i]))
			continue;
		if (judgement_remove(w->store, &w->all.v[i], e))
			return screen_failed(e, STATUS_INTERNAL);
		n++;
	}
	fprintf(f,
	    screen_json(w->s) ? "{\"forgotten\": %llu}\n" : "%llu forgotten\n",
	    n);
	return STATUS_OK;
}

/* ---- the command ---- */

static enum exit_status run(struct judging *w)
{
	const struct settings *s = w->s;
	enum exit_status status;
	struct outfile out;
	struct err e = { 0 };

	if (outfile_open(&out, s->output, &e))
		return screen_failed(&e, STATUS_INTERNAL);
	status = s->list ? do_list(w, out.f, &e)
	    : s->forget  ? do_forget(w, out.f, &e)
			 : do_judge(w, out.f, &e);
	if (status != STATUS_OK) {
		outfile_abandon(&out);
		return status;
	}
	return outfile_close(&out, &e) ? screen_failed(&e, STATUS_INTERNAL)
				       : STATUS_OK;
}

static int check(const struct settings *s, struct err *e)
{
	if (screen_text_or_json(s, e))
		return -1;
	if (!s->store)
		return err_set(e, "judge: --store URL is missing");
	if (s->list && s->forget)
		return err_set(e, "judge: --list or --forget, not both");
	if (s->arguments.n > 1 || (!s->list && s->arguments.n == 0))
		return err_set(e, "judge: one job is expected");
	if ((s->list || s->forget) && (s->category || s->verdict || s->note))
		return err_set(e,
		    "judge: --category, --verdict and --note say something "
		    "new; see --list and --forget");
	return 0;
}

enum exit_status cmd_judge(const struct settings *s)
{
	struct judging w = { .s = s, .arena = arena_new() };
	enum exit_status status = STATUS_USAGE;
	struct err e = { 0 };

	if (check(s, &e))
		goto bad;
	w.taxonomy = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!w.taxonomy || check_words(&w, &e))
		goto bad;
	status = STATUS_INTERNAL;
	if (!w.arena) {
		err_nomem(&e);
		goto bad;
	}
	w.store = store_open(s->store, s->list ? STORE_READ : STORE_CHANGE, &e);
	if (!w.store)
		goto bad;
	status = run(&w);
	goto out;
bad:
	status = screen_failed(&e, status);
out:
	if (store_close(w.store, &e) && status == STATUS_OK)
		status = screen_failed(&e, STATUS_INTERNAL);
	judgements_release(&w.all);
	arena_free(w.arena);
	taxonomy_free(w.taxonomy);
	return status;
}
