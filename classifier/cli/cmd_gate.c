/*
 * jobtriage gate: whether to run one job again.
 *
 * Whatever happens there is an answer and a status: what goes wrong inside is
 * answered with the word of --on-error; a signal is, too, with a text that was
 * made before anything else; a store or an output that fails changes nothing.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/gate_doubt.h"
#include "cli/gate_map.h"
#include "cli/gate_store.h"
#include "cli/sandbox.h"
#include "jobs/settle.h"
#include "jobs/reason_file.h"
#include "reports/gate/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum print { PRINT_VERDICT, PRINT_LINE, PRINT_JSON };

struct gate {
	const struct settings *s;
	enum print print;
	int map[GATE_WORDS];
	int on_error; /* a word */
	struct session x;
	struct triage_job job;
	struct diagnosis d;
	struct doubts doubts;
	struct list rooted; /* with --root: where the paths lie */
	struct buf out;
	char *declared; /* the job's own word, from its file; or NULL */
};

/* ---- what was asked ---- */

static int find_word(const char *text, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(text, words[i]) == 0)
			return i;
	return -1;
}

/* The paths as they lie under --root. */
static int find_copies(struct gate *g, struct err *e)
{
	for (size_t i = 0; i < g->job.n_paths; i++) {
		struct buf b = BUF_INIT(BUF_MAX);
		const char *path = g->job.paths[i];

		if (*path != '/')
			return err_set(e,
			    "--root: %s: a path from the root is expected",
			    path);
		if (buf_addf(&b, "%s%s", g->s->root, path) ||
		    options_list_add(&g->rooted, b.p)) {
			buf_release(&b);
			return err_nomem(e);
		}
	}
	if (g->rooted.n)
		g->job.paths = g->rooted.v;
	return 0;
}

static int read_settings(struct gate *g, struct err *e)
{
	static const char *const prints[] = { "verdict", "line", "json" };
	const struct settings *s = g->s;
	int i = find_word(s->print ? s->print : "line", prints, 3);

	if (i < 0)
		return err_set(
		    e, "--print %s: expected verdict, line or json", s->print);
	g->print = (enum print)i;
	g->on_error = GATE_ERROR;
	if (s->on_error) {
		g->on_error = taxonomy_verdict(s->on_error);
		if (g->on_error != VERDICT_RETRY &&
		    g->on_error != VERDICT_STOP &&
		    g->on_error != VERDICT_UNDECIDED)
			return err_set(e,
			    "--on-error %s: expected retry, stop or undecided",
			    s->on_error);
	}
	if (s->job && !*s->job)
		return err_set(e, "--job: an id is expected");
	g->job = (struct triage_job){
		.paths = s->arguments.v,
		.n_paths = s->arguments.n,
		.id = s->job,
		.attempt = (int)s->attempt,
		.exit_code = s->exit_code,
		.signal = s->signal,
	};
	if (s->root && find_copies(g, e))
		return -1;
	return gate_map_read(s->exit_map, g->map, e);
}

/* ---- the answer ---- */

/* In shadow a failed job is always tried again. */
static int given_word(const struct gate *g, int word)
{
	return g->s->shadow && word != VERDICT_NONE ? VERDICT_RETRY : word;
}

/* Write it into out. d NULL: an error. */
static int render(struct gate *g, const struct diagnosis *d, int word,
    const char *reason, struct err *e)
{
	int given = given_word(g, word);
	struct buf text = BUF_INIT(BUF_MAX);
	struct gate_answer a = {
		.d = d,
		.given = gate_word(given),
		.reason = reason,
		.exit_status = g->map[given],
		.shadow = g->s->shadow,
		.doubts = g->doubts.v,
		.n_doubts = g->doubts.n,
	};
	int rc = 0;

	buf_clear(&g->out);
	if (g->print == PRINT_JSON) {
		rc = gate_json(&a, g->x.taxonomy, &g->out, e);
	} else if (g->print == PRINT_VERDICT) {
		rc = buf_addf(&g->out, "%s\n", a.given);
	} else {
		if (given != word)
			rc = buf_addf(&text, "shadow, the verdict is %s: %s",
			    gate_word(word), reason);
		if (text.len)
			a.reason = text.p;
		rc = rc || gate_line(&a, &g->out);
	}
	buf_release(&text);
	return rc ? err_nomem(e) : 0;
}

/* Output that fails is told; the status is the answer all the same. */
static void put_out(struct gate *g)
{
	struct outfile o;
	struct err e;

	if (!outfile_open(&o, g->s->output, &e)) {
		if (g->out.len)
			fwrite(g->out.p, 1, g->out.len, o.f);
		if (!outfile_close(&o, &e))
			return;
	}
	screen_complain("%s", e.text);
}

/* ---- signals ---- */

static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU };
#define N_SIGNALS (sizeof signals / sizeof *signals)

static bool answered;

/* What on_signal has; set before it can run. */
static struct {
	const char *out;
	size_t n;
	int status;
} last_words;

static void end_here(const char *told)
{
	ssize_t n = write(STDERR_FILENO, told, strlen(told));

	if (last_words.n)
		n = write(STDOUT_FILENO, last_words.out, last_words.n);
	(void)n;
	_exit(last_words.status);
}

static void on_signal(int number)
{
	(void)number;
	end_here("jobtriage: gate: ended by a signal\n");
}

/* A library may give up by exit(1), which would read as stop. */
static void on_exit_of_others(void)
{
	if (!answered)
		end_here("jobtriage: gate: ended by a library\n");
}

/* The text is made now, since little may be done in a handler. */
static int catch_signals(struct gate *g, struct err *e)
{
	struct sigaction act = { .sa_handler = on_signal }, was;

	if (render(g, NULL, g->on_error,
		"the gate was ended by a signal before it had an answer", e))
		return -1;
	last_words.status = g->map[given_word(g, g->on_error)];
	last_words.n = g->s->output ? 0 : g->out.len;
	last_words.out = buf_take(&g->out);
	if (!last_words.out)
		return err_nomem(e);
	for (size_t i = 0; i < N_SIGNALS; i++) {
		sigaction(signals[i], NULL, &was);
		if (was.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
	}
	signal(SIGPIPE, SIG_IGN);
	if (atexit(on_exit_of_others))
		return err_nomem(e);
	return 0;
}

/* From here on one answer is given, whatever comes. */
static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < N_SIGNALS; i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* A closed descriptor must not become that of a log or a store: then what is
 * printed would go there. */
static void guard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

/* ---- reading ---- */

/* How much of a path is --root. */
static size_t root_of(const struct gate *g, const char *path)
{
	size_t n = g->s->root ? strlen(g->s->root) : 0;

	return n && strncmp(path, g->s->root, n) == 0 ? n : 0;
}

static void cut(char *text, size_t n)
{
	memmove(text, text + n, strlen(text + n) + 1);
}

/* Logs are told of, and kept, by where they were copied from. */
static void forget_root(struct gate *g)
{
	char *folder = g->d.key ? strchr(g->d.key, '|') : NULL;

	for (size_t i = 0; i < g->d.n_logs; i++) {
		char *path = g->d.logs[i]->path;

		cut(path, root_of(g, path));
	}
	if (folder)
		cut(folder + 1, root_of(g, folder + 1));
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct gate *g = ctx;

	path += root_of(g, path);
	session_note(g->s, path, kind, text);
	gate_doubts_note(&g->doubts, path, kind, text);
}

static double seconds_now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool same(struct hash_value a, struct hash_value b)
{
	return a.low == b.low && a.high == b.high;
}

/* Read the logs until they are what they were before the reading, or the time
 * is over. */
static int read_logs(struct gate *g, struct err *e)
{
	const struct triage_sink sink = { .ctx = g, .note = on_note };
	const char *const *paths = g->job.paths;
	size_t n = g->job.n_paths;
	double until = seconds_now() + g->s->settle, left = g->s->settle;
	struct settle before = { .missing = 0 }, after;
	bool settled, changed;

	for (;;) {
		gate_doubts_release(&g->doubts);
		diagnosis_release(&g->d);
		settled = settle_wait(paths, n, g->s->links, left, &before);
		if (triage_one(&g->x.options, &g->job, &sink, &g->d, e))
			return -1;
		forget_root(g);
		settle_look(paths, n, g->s->links, &after);
		changed = !same(before.state, after.state);
		left = until - seconds_now();
		if (!changed || left <= 0)
			break;
	}
	if (!settled && before.missing == n && before.bytes)
		gate_doubts_add(&g->doubts,
		    "the logs were still growing after %g seconds",
		    g->s->settle);
	else if (changed)
		gate_doubts_add(
		    &g->doubts, "the logs changed while they were read");
	else
		return 0;
	if (g->d.failed != 1 && !g->d.record)
		ending_running(&g->d);
	return 0;
}

/* ---- the whole ---- */

/* The verdict is in d. -1 with e set. */
static int judge(struct gate *g, struct gate_store *store, struct err *e)
{
	if (read_logs(g, e) ||
	    (g->d.n_logs && gate_store_hold(store, &g->d, g->x.taxonomy, e)))
		return -1;
	if (store && !g->job.named && !g->s->quiet)
		screen_complain(
		    "gate: without --job the store is not asked for "
		    "earlier attempts");
	if ((g->job.named || !store) &&
	    gate_store_judge(store, &g->d, g->x.taxonomy, e))
		return -1;
	gate_doubts_find(&g->doubts, &g->d, &g->job);
	return gate_doubts_apply(&g->doubts, &g->job, &g->d, e);
}

/* The answer's word; the answer is in out. -1 with e set. */
static int answer(struct gate *g, struct err *e)
{
	struct gate_store *store = NULL;
	struct gate_given given = { .shadow = g->s->shadow };
	int word = -1;

	if (session_open(&g->x, g->s, e))
		return -1;
	g->doubts.redact = g->x.redactor;
	store = gate_store_open(g->s);
	g->x.options.hash_content = store != NULL;
	g->declared = reason_file_read(0);
	g->x.options.declared = g->declared;
	if (sandbox_enter(g->s, SANDBOX_THREADS | SANDBOX_STORE_OPEN, e) ||
	    judge(g, store, e))
		goto out;
	given.reason = g->d.reason;
	given.verdict = taxonomy_verdict_name(g->d.verdict);
	given.word = gate_word(given_word(g, (int)g->d.verdict));
	if (render(g, &g->d, (int)g->d.verdict, given.reason, e))
		goto out;
	word = (int)g->d.verdict;
	if (g->job.named || g->job.n_paths)
		gate_store_save(store, &g->d, &given);
	if (g->s->shadow && !g->s->quiet)
		screen_complain("gate: shadow: job %s attempt %d: %s: %s",
		    g->d.job, g->d.attempt, given.verdict, given.reason);
out:
	gate_store_close(store);
	return word;
}

enum exit_status cmd_gate(const struct settings *s)
{
	/* not on the stack, so that none of it counts as lost */
	static struct gate g;
	struct err e = { 0 };
	int word;

	g = (struct gate){ .s = s, .out = BUF_INIT(BUF_MAX) };
	if (s->arguments.n && strcmp(s->arguments.v[0], "replay") == 0)
		return cmd_gate_replay(s);
	if (read_settings(&g, &e) || session_own_terminal(s, stdout, &e)) {
		screen_complain("%s", e.text);
		return STATUS_USAGE;
	}
	guard_descriptors();
	word = catch_signals(&g, &e) ? -1 : answer(&g, &e);
	hold_signals();
	answered = true;
	if (word < 0) {
		screen_complain("%s", e.text);
		word = g.on_error;
		gate_doubts_release(&g.doubts);
		if (render(&g, NULL, word, e.text, NULL))
			buf_clear(&g.out);
	}
	put_out(&g);
	/* what g holds goes with the process, which is quicker */
	return (enum exit_status)g.map[given_word(&g, word)];
}
