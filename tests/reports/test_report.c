/* What a report makes of diagnoses. */
#include "tests/reports/made.h"

static const struct group *group(
    const struct report *r, enum breakdown_id id, const char *key)
{
	const struct breakdown *b = &r->breakdowns[id];

	for (size_t i = 0; i < b->n; i++)
		if (strcmp(b->v[i].key, key) == 0)
			return &b->v[i];
	fail_msg("no group '%s' in %s", key, b->id);
	return NULL;
}

static void test_sums(void **state)
{
	static const struct made v[] = {
		{ .job = "a",
		    .ended_at = 30,
		    .user = "u",
		    .print = "1",
		    .gpu_hours = 10,
		    .stage = "data" },
		{ .job = "a",
		    .attempt = 2,
		    .ended_at = 40,
		    .user = "u",
		    .good = 1,
		    .gpu_hours = 5 },
		{ .job = "b",
		    .ended_at = 50,
		    .user = "w",
		    .print = "2",
		    .category = "path_not_found",
		    .gpu_hours = -1 },
		{ .job = "c", .good = -1, .gpu_hours = 1 },
	};
	struct report *r = OF(v);
	const struct group *g;

	(void)state;
	assert_int_equal(r->now.attempts, 4);
	assert_int_equal(r->now.jobs, 3);
	assert_int_equal(r->now.failed, 2);
	assert_int_equal(r->now.unmeasured, 1);
	assert_int_equal(r->now.gpu_seconds, 16 * 3600);
	assert_int_equal(r->now.failed_gpu_seconds, 10 * 3600);
	assert_int_equal(r->now.lost, 5 * 3600);
	assert_int_equal(r->jobs_failed, 1);
	assert_int_equal(r->jobs_recovered, 1);
	assert_int_equal(r->ended_well, 1);
	assert_int_equal(r->cannot_tell, 1);
	assert_int_equal(r->undated, 1);
	assert_int_equal(r->no_record, 4);
	assert_false(r->has_before);
	assert_int_equal(r->breakdowns[BY_CATEGORY].n, 2);
	g = group(r, BY_CATEGORY, "path_not_found");
	assert_string_equal(g->label, "Path Not Found");
	assert_int_equal(g->now.unmeasured, 1);
	/* what the line does not say comes from the taxonomy */
	g = group(r, BY_DIMENSION, "execution_environment");
	assert_string_equal(g->label, "Execution environment");
	g = group(r, BY_USER, "u");
	assert_int_equal(g->now.attempts, 2);
	assert_int_equal(g->now.failed, 1);
	assert_int_equal(g->now.jobs, 1);
	g = group(r, BY_USER, "");
	assert_string_equal(g->label, "not known");
	assert_int_equal(group(r, BY_STAGE, "data")->now.failed, 1);
	assert_int_equal(group(r, BY_STAGE, "")->now.failed, 1);
	assert_int_equal(r->breakdowns[BY_DAY].n, 2);
	assert_int_equal(group(r, BY_DAY, "2024-10-05")->now.attempts, 2);
	assert_int_equal(r->n_entries, 4);
	assert_string_equal(r->entries[3]->job, "c"); /* no time: last */
	assert_true(r->is_last[1] && !r->is_last[0]);
	report_free(r);
}

static void test_period(void **state)
{
	struct report_builder *b = begin(T0 + 2 * DAY, T0 + 5 * DAY);
	static const struct made v[] = {
		{ .job = "long ago", .ended_at = -1, .print = "1" },
		{ .job = "before", .ended_at = 26, .print = "old" },
		{ .job = "edge", .ended_at = 48, .print = "old" },
		{ .job = "in", .ended_at = 100, .print = "new" },
		{ .job = "after", .ended_at = 120, .print = "1" },
		{ .job = "undated", .print = "undated" },
	};
	struct report *r;

	(void)state;
	for (size_t i = 1; i < 6; i++)
		add(b, &v[i], ENVELOPE_NO_TIME);
	/* counted when it was seen: not before, since that is too long ago */
	add(b, &(struct made){ .job = "seen" }, T0 - 2 * DAY);
	r = end(b);
	assert_int_equal(r->now.attempts, 3);
	assert_int_equal(r->before.attempts, 1);
	assert_true(r->has_before);
	assert_int_equal(r->undated, 1);
	assert_int_equal(r->breakdowns[BY_DAY].n, 3); /* also the empty one */
	assert_int_equal(group(r, BY_DAY, "2024-10-07")->now.attempts, 0);
	/* only "old" was known before */
	assert_int_equal(r->n_fresh, 2);
	assert_false(r->history);
	assert_int_equal(
	    group(r, BY_CATEGORY, "key_not_found")->before.failed, 1);
	report_free(r);
}

/* What the store first saw in the period counts, and is no spike of a day. */
static void test_undated(void **state)
{
	struct report_builder *b = begin(T0 + 2 * DAY, T0 + 5 * DAY);
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	struct report *r;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		add(b,
		    &(struct made){
			.job = names[i], .user = names[i], .print = "1" },
		    T0 + 3 * DAY);
	add(b, &(struct made){ .job = "g", .ended_at = 80, .print = "1" },
	    T0 + 4 * DAY);
	add(b, &(struct made){ .job = "before", .ended_at = 26, .print = "2" },
	    T0);
	r = end(b);
	assert_int_equal(r->now.attempts, 7);
	assert_int_equal(r->undated, 6);
	assert_int_equal(group(r, BY_DAY, "2024-10-07")->now.attempts, 1);
	assert_int_equal(r->n_incidents, 0);
	assert_string_equal(r->entries[0]->job, "g"); /* the others: last */
	assert_int_equal(r->n_fresh, 1);
	assert_true(r->fresh[0].first == T0 + 80 * HOUR);
	report_free(r);
}

static void test_versions(void **state)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	struct report *r;

	(void)state;
	/* the later seen one wins, and the later one of equals */
	add(b, &(struct made){ .job = "a", .gpu_hours = 7 }, 20);
	add(b, &(struct made){ .job = "a", .gpu_hours = 9 }, 10);
	add(b, &(struct made){ .job = "b", .gpu_hours = 1 }, 10);
	add(b, &(struct made){ .job = "b", .good = 1, .gpu_hours = 2 }, 10);
	/* the same name, two users: two jobs */
	add(b, &(struct made){ .job = "c", .user = "u", .gpu_hours = 1 }, 1);
	add(b, &(struct made){ .job = "c", .user = "w", .gpu_hours = 1 }, 1);
	/* one user known: one job */
	add(b, &(struct made){ .job = "d", .gpu_hours = 50 }, 1);
	add(b, &(struct made){ .job = "d", .user = "w", .gpu_hours = 1 }, 2);
	/* a log says more than a record alone, whenever that came */
	add(b, &(struct made){ .job = "e", .gpu_hours = 3 }, 10);
	add(b, &(struct made){ .job = "e", .log_less = true }, 20);
	r = end(b);
	assert_int_equal(r->now.attempts, 6);
	assert_int_equal(r->now.jobs, 6);
	assert_int_equal(r->now.gpu_seconds, (7 + 2 + 1 + 1 + 1 + 3) * 3600);
	assert_int_equal(r->ended_well, 1);
	report_free(r);
}

/* Equal names in several clusters or folders are several jobs; what does not
 * tell is of the only one there is. */
static void test_same_names(void **state)
{
	static const struct made v[] = {
		/* two folders, and one that a record told of */
		{ .job = "114", .place = "/a/slurm-", .gpu_hours = 1 },
		{ .job = "114", .place = "/b/slurm-", .gpu_hours = 2 },
		{ .job = "114", .gpu_hours = 4 },
		/* one folder, in two nights */
		{ .job = "115", .place = "/a/slurm-", .gpu_hours = 8 },
		{ .job = "115", .attempt = 2, .gpu_hours = 16 },
		/* two clusters with two users, of which one reuses its ids */
		{ .job = "7", .cluster = "x", .user = "u", .gpu_hours = 32 },
		{ .job = "7", .cluster = "y", .user = "u", .gpu_hours = 64 },
		{ .job = "7", .cluster = "y", .user = "v", .gpu_hours = 128 },
		{ .job = "7", .cluster = "y", .user = "v", .attempt = 2 },
		/* one cluster */
		{ .job = "8", .cluster = "x", .log_less = true },
		{ .job = "8", .place = "/c/", .gpu_hours = 256 },
	};
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	struct report *r;

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		add(b, &v[i], 1);
	r = end(b);
	assert_int_equal(r->now.attempts, 10);
	assert_int_equal(r->now.jobs, 3 + 1 + 3 + 1);
	assert_int_equal(r->now.gpu_seconds, 511 * 3600);
	report_free(r);
}

static void test_avoidable(void **state)
{
	struct report_builder *b = begin(T0 + 2 * DAY, T0 + 4 * DAY);
	static const struct made v[] = {
		/* the stop lies in the period before */
		{ "a", 1, 47, "u", NULL, "1", .gpu_hours = 3 },
		{ "a", 2, 49, "u", NULL, "1", .gpu_hours = 4 },
		{ "a", 3, 50, "u", NULL, "2", .gpu_hours = 5 },
		{ "a", 4, 51, "u", NULL, "1", .gpu_hours = -1 },
		/* no stop came before */
		{ "b", 1, 49, "u", NULL, "1", .gpu_hours = 6, .retry = 1 },
		{ "b", 2, 50, "u", NULL, "1", .gpu_hours = 7 },
		{ "b", 3, 51, "u", NULL, "1", .gpu_hours = 8, .retry = 1 },
		/* another job */
		{ "c", 1, 52, "u", NULL, "1", .gpu_hours = 9 },
		/* no fingerprint is not the same fingerprint */
		{ "d", 1, 52, "u", NULL, NULL, .gpu_hours = 9 },
		{ "d", 2, 53, "u", NULL, NULL, .gpu_hours = 9 },
	};
	struct report *r;
	int64_t sum = 0;

	(void)state;
	for (size_t i = sizeof v / sizeof *v; i-- > 0;)
		add(b, &v[i], ENVELOPE_NO_TIME);
	r = end(b);
	assert_int_equal(r->now.avoidable, (4 + 8) * 3600);
	assert_int_equal(r->before.avoidable, 0);
	for (size_t i = 0; i < r->n_entries; i++)
		sum += r->avoidable[i];
	assert_int_equal(sum, r->now.avoidable);
	assert_int_equal(group(r, BY_USER, "u")->now.avoidable, (4 + 8) * 3600);
	report_free(r);
}

static void test_incidents(void **state)
{
	static const struct made v[] = {
		/* three users at once: the platform; one of them, later */
		{ "a", 1, 10, "u", "n1", "p", .gpu_hours = 1 },
		{ "b", 1, 10, "v", "n2", "p", .gpu_hours = 1 },
		{ "c", 1, 10, "w", "n3", "p", .gpu_hours = 1 },
		{ "d", 1, 25, "w", "n3", "p", .gpu_hours = 1 },
		/* one user's own bug is none */
		{ "e", 1, 10, "u", NULL, "q", .gpu_hours = 9 },
		{ "f", 1, 11, "u", NULL, "q", .gpu_hours = 9 },
		{ "g", 1, 12, "u", NULL, "q", .gpu_hours = 9 },
		/* one node, whoever it was */
		{ "h", 1, 10, "u", "bad", "r", .gpu_hours = 2 },
		{ "i", 1, 11, "w", "bad", "r", .gpu_hours = 2 },
		{ "j", 1, 12, "x", "bad", "r", .gpu_hours = 2 },
		/* three attempts of two jobs are none */
		{ "k", 1, 10, "u", NULL, "s", .gpu_hours = 0 },
		{ "k", 2, 11, "u", NULL, "s", .gpu_hours = 0 },
		{ "l", 1, 12, "u", NULL, "s", .gpu_hours = 0 },
		/* nobody is known */
		{ "m", 1, 10, NULL, NULL, "t", .gpu_hours = 0 },
		{ "n", 1, 10, NULL, NULL, "t", .gpu_hours = 0 },
		{ "o", 1, 10, NULL, NULL, "t", .gpu_hours = 0 },
	};
	struct report *r = OF(v);

	(void)state;
	assert_int_equal(r->n_incidents, 3);
	assert_string_equal(r->incidents[0].fingerprint, "r");
	assert_int_equal(r->incidents[0].scope, INCIDENT_NODE);
	assert_string_equal(r->incidents[0].node, "bad");
	assert_int_equal(r->incidents[0].users, 3);
	assert_int_equal(r->incidents[0].sums.failed_gpu_seconds, 6 * 3600);
	assert_string_equal(r->incidents[1].fingerprint, "p");
	assert_int_equal(r->incidents[1].scope, INCIDENT_PLATFORM);
	assert_int_equal(r->incidents[1].jobs, 3);
	assert_int_equal(r->incidents[1].nodes, 3);
	assert_null(r->incidents[1].node);
	assert_string_equal(r->incidents[1].sample->job, "a");
	assert_int_equal(r->incidents[1].last, r->incidents[1].first);
	assert_int_equal(r->incidents[2].scope, INCIDENT_UNKNOWN);
	report_free(r);
}

/* What fails all the time is no incident, but a burst of it is one. */
static void test_bursts(void **state)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	char job[32];
	struct report *r;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct made m = { job, 1, 1 + i, "u", NULL, "p",
			.gpu_hours = 1 };

		snprintf(job, sizeof job, "j%d", i);
		add(b, &m, ENVELOPE_NO_TIME);
	}
	for (int i = 0; i < 30; i++) {
		struct made m = { job, 1, 150, job, NULL, "p", .gpu_hours = 1 };

		snprintf(job, sizeof job, "k%d", i);
		add(b, &m, ENVELOPE_NO_TIME);
	}
	r = end(b);
	assert_int_equal(r->n_incidents, 1);
	assert_int_equal(r->incidents[0].jobs, 30);
	assert_int_equal(r->incidents[0].first, r->incidents[0].last);
	report_free(r);
}

/* One cause is one incident: other failures of its category at the same time,
 * the same again two days later; a week later it is another. */
static void test_joined(void **state)
{
	static const struct {
		int hour;
		const char *print;
	} bursts[] = { { 100, "p" }, { 101, "q" }, { 150, "p" }, { 500, "p" } };
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	char job[32];
	struct report *r;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (int k = 0; k < 8; k++) {
			struct made m = { job, 1, bursts[i].hour, job, NULL,
				bursts[i].print, .gpu_hours = i == 3 ? 1 : 2 };

			snprintf(job, sizeof job, "j%zu.%d", i, k);
			add(b, &m, ENVELOPE_NO_TIME);
		}
	r = end(b);
	assert_int_equal(r->n_incidents, 2);
	assert_int_equal(r->incidents[0].jobs, 24);
	assert_int_equal(
	    r->incidents[0].last - r->incidents[0].first, 50 * HOUR);
	assert_int_equal(r->incidents[1].jobs, 8);
	report_free(r);
}

/* One user who hands in the same bug for days is one; an array is none. */
static void test_stubborn(void **state)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	char job[32];
	struct report *r;

	(void)state;
	for (int i = 0; i < 40; i++) {
		struct made m = { job, 1, 1 + 4 * i, "u", NULL, "p",
			.gpu_hours = 1 };
		struct made n = { job, 1, 50, "w", NULL, "q", .gpu_hours = 1 };

		snprintf(job, sizeof job, "s%d", i);
		add(b, &m, ENVELOPE_NO_TIME);
		snprintf(job, sizeof job, "a%d", i);
		add(b, &n, ENVELOPE_NO_TIME);
	}
	r = end(b);
	assert_int_equal(r->n_incidents, 1);
	assert_int_equal(r->incidents[0].scope, INCIDENT_USER);
	assert_string_equal(r->incidents[0].user, "u");
	report_free(r);
}

/* 40 nodes; every failure is as frequent on each, but one on "n7". */
static void test_nodes(void **state)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	char job[32], node[16], print[16];
	struct report *r;
	int n = 0;

	(void)state;
	for (int i = 0; i < 40; i++)
		for (int k = 0; k < 30; k++) {
			struct made m = { .job = job,
				.node = node,
				.ended_at = 1 + n % 300,
				.nodes_shown = 1,
				.print = print,
				.good = k > 3,
				.gpu_hours = 1 };

			snprintf(job, sizeof job, "j%d", n++);
			snprintf(node, sizeof node, "n%d", i);
			snprintf(print, sizeof print, "%d", (i * 5 + k) % 50);
			if (i == 7 && k >= 10 && k < 20) {
				m.good = 0;
				m.print = "hw";
			}
			if (i == 9 && k == 10) {
				m.good = 0;
				m.print = "hw";
			}
			add(b, &m, ENVELOPE_NO_TIME);
		}
	/* one job that dies ten times on its node is one witness */
	for (int k = 1; k <= 10; k++)
		add(b,
		    &(struct made){ .job = "again",
			.attempt = k,
			.node = "n3",
			.ended_at = 5,
			.nodes_shown = 1,
			.print = "own" },
		    ENVELOPE_NO_TIME);
	r = end(b);
	assert_int_equal(r->n_nodes, 40);
	assert_string_equal(r->nodes[0].node, "n7");
	assert_true(r->nodes[0].suspect);
	assert_int_equal(r->nodes[0].ran, 30);
	assert_int_equal(r->nodes[0].first, 14);
	assert_int_equal(r->nodes[0].ran_elsewhere, 39 * 30 + 10);
	assert_true(r->nodes[0].ratio > 3);
	for (size_t i = 1; i < r->n_nodes; i++)
		if (r->nodes[i].suspect)
			fail_msg("%s is suspect", r->nodes[i].node);
	assert_int_equal(group(r, BY_NODE, "n7")->now.attempts, 30);
	assert_int_equal(group(r, BY_NODE, "n7")->now.failed, 14);
	report_free(r);
}

/* Without records it is not known what ran there: nothing is suspect. */
static void test_nodes_unknown(void **state)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	char job[32];
	struct report *r;

	(void)state;
	for (int i = 0; i < 20; i++) {
		snprintf(job, sizeof job, "j%d", i);
		add(b, &(struct made){ .job = job, .node = "n1", .print = "p" },
		    ENVELOPE_NO_TIME);
	}
	r = end(b);
	assert_int_equal(r->n_nodes, 1);
	assert_int_equal(r->nodes[0].ran, 0);
	assert_true(r->nodes[0].ratio == 0 && !r->nodes[0].suspect);
	report_free(r);
}

static int ask(
    void *ctx, const char *fingerprint, int64_t when[2], struct err *e)
{
	if (strcmp(fingerprint, "bad") == 0)
		return err_set(e, "the store is gone");
	++*(int *)ctx;
	if (strcmp(fingerprint, "old") == 0) {
		when[0] = T0 - 30 * DAY;
		when[1] = T0 - 2 * DAY;
	}
	return 0;
}

static void test_news(void **state)
{
	struct report_builder *b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	struct err e = { 0 };
	struct report *r;
	int asked = 0;
	const struct report_past past = { ask, &asked, true };

	(void)state;
	add(b, &(struct made){ "a", 1, 9, "u", NULL, "new", .gpu_hours = 0 },
	    0);
	add(b, &(struct made){ "b", 1, 8, "w", NULL, "new", .gpu_hours = 0 },
	    0);
	add(b, &(struct made){ "c", 1, 8, "w", NULL, "old", .gpu_hours = 0 },
	    0);
	add(b, &(struct made){ "d", 1, 8, "w", NULL, NULL, .gpu_hours = 0 }, 0);
	r = report_end(b, &past, &e);
	assert_non_null(r);
	assert_int_equal(asked, 2); /* once for each fingerprint */
	assert_true(r->history);
	assert_int_equal(r->n_fresh, 1);
	assert_string_equal(r->fresh[0].fingerprint, "new");
	assert_int_equal(r->fresh[0].jobs, 2);
	assert_int_equal(r->fresh[0].users, 2);
	assert_string_equal(r->fresh[0].sample->job, "b");
	report_free(r);

	b = begin(ENVELOPE_NO_TIME, ENVELOPE_NO_TIME);
	add(b, &(struct made){ "a", 1, 9, "u", NULL, "bad", .gpu_hours = 0 },
	    0);
	assert_null(report_end(b, &past, &e));
	assert_string_equal(e.text, "the store is gone");
}

static void test_failures(void **state)
{
	static const struct made alone[] = {
		{ .job = "a", .print = "x", .ended_at = 1 },
	};
	struct report_builder *b = begin(T0 + 4 * DAY, T0 + 8 * DAY);
	struct err e = { 0 };
	struct report *r;
	int asked = 0;
	const struct report_past past = { ask, &asked, true };

	(void)state;
	/* new, and its messages differ in a word */
	add(b,
	    &(struct made){ "a", 1, 100, "u", NULL, "new", NULL,
		"KeyError: 'left' in step 3", .gpu_hours = 2 },
	    0);
	add(b,
	    &(struct made){ "b", 1, 110, "w", NULL, "new", NULL,
		"KeyError: 'right' in step 3", .gpu_hours = 2 },
	    0);
	/* its last time before was 2 days before T0 */
	add(b,
	    &(struct made){
		"c", 1, 97, "w", NULL, "old", NULL, "gone", .gpu_hours = 1 },
	    0);
	/* not in the store, but in the period before */
	add(b, &(struct made){ "d", 1, 90, "w", NULL, "seen", .gpu_hours = 0 },
	    0);
	add(b,
	    &(struct made){ "e", 1, 100, "w", NULL, "seen", NULL,
		"one, two, three", .gpu_hours = 0 },
	    0);
	add(b,
	    &(struct made){
		"f", 1, 101, "w", NULL, "seen", NULL, "1: 2", .gpu_hours = 0 },
	    0);
	r = report_end(b, &past, &e);
	assert_non_null(r);
	assert_int_equal(r->n_failures, 3);
	assert_string_equal(r->failures[0].fingerprint, "new");
	assert_string_equal(
	    r->failures[0].message, "KeyError: '<*>' in step 3");
	assert_true(r->failures[0].fresh && !r->failures[0].silent);
	assert_int_equal(r->failures[0].users, 2);
	assert_int_equal(r->failures[0].sums.jobs, 2);
	assert_string_equal(r->failures[0].sample->job, "b");
	assert_true(r->failures[0].first == T0 + 100 * HOUR &&
	    r->failures[0].last == T0 + 110 * HOUR);
	assert_string_equal(r->failures[1].fingerprint, "old");
	assert_true(!r->failures[1].fresh &&
	    r->failures[1].silent == 2 * DAY + 97 * HOUR);
	assert_true(r->failures[1].first == T0 - 30 * DAY);
	assert_string_equal(r->failures[2].fingerprint, "seen");
	assert_true(!r->failures[2].fresh && !r->failures[2].silent);
	assert_int_equal(r->failures[2].sums.attempts, 2);
	/* nothing in common: the latest */
	assert_string_equal(r->failures[2].message, "1: 2");
	assert_int_equal(r->n_back, 1);
	assert_int_equal(r->n_fresh, 1);
	report_free(r);

	/* with nothing before, nothing is new */
	r = OF(alone);
	assert_int_equal(r->n_failures, 1);
	assert_false(r->compared || r->failures[0].fresh);
	report_free(r);
}

static void test_unknown(void **state)
{
	static const struct made v[] = {
		{ .job = "a",
		    .ended_at = 1,
		    .category = "unknown",
		    .text = "step 17 at 0x7fff went wrong" },
		{ .job = "b",
		    .ended_at = 2,
		    .category = "unknown",
		    .text = "step 4 at 0x12 went wrong" },
		{ .job = "c",
		    .ended_at = 3,
		    .category = "unknown",
		    .text = "something else" },
		{ .job = "d", .ended_at = 3, .text = "something else" },
	};
	struct report *r = OF(v);

	(void)state;
	assert_int_equal(r->n_unknown, 2);
	assert_int_equal(r->unknown[0].jobs, 2);
	assert_string_equal(r->unknown[0].sample->job, "a");
	assert_int_equal(r->unknown[1].jobs, 1);
	assert_string_equal(group(r, BY_CATEGORY, "unknown")->label, "Unknown");
	report_free(r);
}

static void test_rules(void **state)
{
	static const struct made v[] = {
		{ .job = "a", .print = "1" },
		{ .job = "b", .print = "1" },
	};
	struct report *r = OF(v);
	size_t rules = 0;

	(void)state;
	for (size_t i = 0; i < tax->n_rules; i++)
		rules += taxonomy_rule_at(tax, i)->role != ROLE_CONTEXT;
	assert_int_equal(r->n_rules, 1);
	assert_int_equal(r->rules[0].seen, 2);
	assert_int_equal(r->rules[0].won, 0); /* the line names no winner */
	assert_non_null(r->rules[0].rule);
	assert_int_equal(r->n_never, rules - 1);
	report_free(r);
}

static void test_empty(void **state)
{
	struct report_builder *b = begin(T0, T0 + DAY);
	struct err e = { 0 };
	struct report *r;

	(void)state;
	assert_int_equal(report_add(b, span_of("{}"), 0, &e), -1);
	assert_int_equal(report_add(b, span_of("nonsense"), 0, &e), -1);
	report_refuse(b);
	r = end(b);
	assert_int_equal(r->now.attempts, 0);
	assert_int_equal(r->refused, 1);
	assert_int_equal(r->breakdowns[BY_DAY].n, 1);
	assert_true(r->first == ENVELOPE_NO_TIME);
	report_free(r);
	report_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_period),
		cmocka_unit_test(test_undated),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_same_names),
		cmocka_unit_test(test_avoidable),
		cmocka_unit_test(test_incidents),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_joined),
		cmocka_unit_test(test_stubborn),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_nodes_unknown),
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
