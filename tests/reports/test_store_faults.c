/*
 * A store that cannot be opened, read or written says why, loses nothing in
 * silence, and stays whole whatever ends its writers.
 */
#include "tests/reports/store_lab.h"

#include "reports/store/store_sql.h"
#include "reports/store/store_private.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define NOW (INT64_C(1700000000) * 1000000)
#define KILLS 50
#define WRITERS 4
#define ROWS 500
#define ROUNDS 10

static const struct told one = { "1", "c", "k", .reason = "x" };

static void sql(struct lab *l, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static int64_t sql_number(struct lab *l, const char *text)
{
	sqlite3_stmt *st;
	sqlite3 *db;
	int64_t n;

	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void write_file(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static struct hash_value hash_file(const char *path)
{
	static char text[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof text, f);
	fclose(f);
	return hash_of(text, n);
}

/* It is refused in every mode, with these words, and not changed. */
static void refused(struct lab *l, const char *words)
{
	struct hash_value before = hash_file(l->path), after;

	for (int mode = STORE_READ; mode <= STORE_CHANGE; mode++) {
		struct err e = { 0 };

		assert_null(store_open(l->url, (enum store_mode)mode, &e));
		assert_non_null(strstr(e.text, words));
		assert_int_equal(strncmp(e.text, l->url, strlen(l->url)), 0);
	}
	after = hash_file(l->path);
	assert_true(before.low == after.low && before.high == after.high);
}

/* ---- opening ---- */

static void test_urls(void **state)
{
	static const char *const bad[] = { "", "x", "sqlite",
		"sqlite:", "mysql:host", "sqlite3:x.db", "sqlitex:", ":x" };
	struct lab *l = *state;
	char url[400];

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = { 0 };

		assert_null(store_open(bad[i], STORE_WRITE, &e));
		assert_non_null(strstr(e.text, "expected sqlite:PATH"));
	}
	assert_null(store_open(l->url, STORE_READ, &l->e));
	assert_non_null(strstr(l->e.text, "No such file"));
	assert_null(store_open(l->url, STORE_CHANGE, &l->e));
	assert_int_equal(access(l->path, F_OK), -1);
	snprintf(url, sizeof url, "sqlite:%s", l->folder);
	assert_null(store_open(url, STORE_WRITE, &l->e));
	assert_non_null(strstr(l->e.text, "not a file"));
	snprintf(url, sizeof url, "sqlite:%s/none/s.db", l->folder);
	assert_null(store_open(url, STORE_WRITE, &l->e));
	assert_non_null(strstr(l->e.text, "No such file"));
}

/* Names that SQLite would take for something else are names. */
static void test_names(void **state)
{
	static const char *const names[] = { ":memory:", "file:x?mode=memory" };
	struct lab *l = *state;
	char *here = getcwd(NULL, 0);

	assert_int_equal(chdir(l->folder), 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct store *s;
		char url[64];

		snprintf(url, sizeof url, "sqlite:%s", names[i]);
		s = store_open(url, STORE_WRITE, &l->e);
		assert_non_null(s);
		lab_put(l, s, NULL, one, NOW);
		lab_end(l, s);
		s = store_open(url, STORE_READ, &l->e);
		assert_non_null(s);
		assert_int_equal(lab_count(l, s), 1);
		lab_end(l, s);
		assert_int_equal(unlink(names[i]), 0);
	}
	assert_int_equal(chdir(here), 0);
	free(here);
}

static void test_strangers(void **state)
{
	struct lab *l = *state;
	struct store *s;
	char text[5000];

	memset(text, 'x', sizeof text);
	write_file(l->path, text, sizeof text);
	refused(l, "not an SQLite file");
	write_file(l->path, text, 5);
	refused(l, "not an SQLite file");
	unlink(l->path);
	sql(l, "CREATE TABLE t (a); INSERT INTO t VALUES (1)");
	refused(l, "another program");
	unlink(l->path);
	sql(l, "PRAGMA application_id = 7; PRAGMA journal_mode = WAL");
	refused(l, "another program");
	unlink(l->path);
	lab_end(l, lab_store(l, STORE_WRITE));
	sql(l, "PRAGMA user_version = 99");
	refused(l, "newer version of jobtriage: it has schema 99");
	/* an empty file is a fresh store, but only for a writer */
	unlink(l->path);
	write_file(l->path, "", 0);
	assert_null(store_open(l->url, STORE_READ, &l->e));
	s = lab_store(l, STORE_WRITE);
	lab_put(l, s, NULL, one, NOW);
	lab_end(l, s);
}

static void test_migration(void **state)
{
	struct lab *l = *state;
	struct store *s;

	/* a store without a schema yet is brought up to date, by a reader too
	 */
	sql(l, "PRAGMA application_id = 1247040074");
	s = lab_store(l, STORE_READ);
	assert_int_equal(lab_count(l, s), 0);
	lab_end(l, s);
	assert_int_equal(
	    sql_number(l, "PRAGMA user_version"), STORE_SQL_SCHEMA);
	/* a step that fails changes nothing */
	unlink(l->path);
	sql(l,
	    "PRAGMA application_id = 1247040074; CREATE TABLE reading_row (a)");
	refused(l, "cannot be brought to schema 1");
	assert_int_equal(sql_number(l, "PRAGMA user_version"), 0);
	assert_int_equal(
	    sql_number(l, "SELECT count(*) FROM sqlite_master"), 1);
}

/* ---- what happens to it ---- */

static void test_locked(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct err e = { 0 };
	sqlite3 *db;

	lab_put(l, s, NULL, one, NOW);
	assert_int_equal(store_flush(s, &l->e), 0);
	assert_int_equal(sqlite3_open(l->path, &db), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	store_sqlite_patience(s, 100);
	/* readers do not wait */
	assert_int_equal(lab_count(l, s), 1);
	lab_put(l, s, NULL, (struct told){ "2", "c", "l", .reason = "" }, NOW);
	assert_int_equal(store_flush(s, &e), -1);
	assert_non_null(strstr(e.text, "locked by another process"));
	assert_non_null(strstr(e.text, "0.1 seconds"));
	/* the fault stays, even when the lock is gone */
	assert_int_equal(
	    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	e.text[0] = '\0';
	assert_int_equal(lab_try(s, NULL, &one, 1, NOW, &e), -1);
	assert_non_null(strstr(e.text, "locked"));
	e.text[0] = '\0';
	assert_int_equal(store_close(s, &e), -1);
	assert_non_null(strstr(e.text, "locked"));
	assert_int_equal(sql_number(l, "SELECT count(*) FROM diagnosis"), 1);
}

static void fill(struct lab *l, int n)
{
	struct store *s = lab_store(l, STORE_WRITE);

	for (int i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof name, "%d", i);
		lab_put(l, s, name,
		    (struct told){ name, name, name, .reason = "x" }, NOW + i);
	}
	lab_end(l, s);
}

static int ignore(void *ctx, struct span r, int64_t seen, struct err *e)
{
	(void)r;
	(void)seen;
	(void)e;
	++*(int *)ctx;
	return 0;
}

static void test_damaged(void **state)
{
	struct lab *l = *state;
	struct err e = { 0 };
	struct store *s;
	char noise[4096];
	int fd, n = 0;

	fill(l, 300);
	sql(l, "UPDATE diagnosis SET record = x'0100000099aabb' WHERE job = 7");
	s = lab_store(l, STORE_READ);
	assert_int_equal(store_each(s, 0, INT64_MAX, ignore, &n, &e), -1);
	assert_non_null(strstr(e.text, "damaged: the record"));
	assert_int_equal(n, 7);
	lab_end(l, s);
	/* pages overwritten from the fifth on */
	memset(noise, 0x5a, sizeof noise);
	fd = open(l->path, O_WRONLY);
	assert_true(fd >= 0);
	for (off_t at = 4 * 4096; at < 40 * 4096; at += 4096)
		assert_int_equal(
		    pwrite(fd, noise, sizeof noise, at), sizeof noise);
	close(fd);
	s = store_open(l->url, STORE_READ, &e);
	n = s ? store_each(s, 0, INT64_MAX, ignore, &n, &e) : -1;
	assert_int_equal(n, -1);
	assert_non_null(strstr(e.text, "damaged"));
	store_close(s, &e);
}

/* In a process whose files may not grow: 0 if it was told so. */
static int write_into_limit(struct lab *l)
{
	struct rlimit tight = { 200 << 10, 200 << 10 };
	struct store *s;
	struct err e = { 0 };
	int rc = 0;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &tight))
		return 1;
	s = store_open(l->url, STORE_WRITE, &e);
	if (!s)
		return 2;
	for (int i = 0; i < 5000 && !rc; i++) {
		char name[16];

		snprintf(name, sizeof name, "n%d", i);
		rc = lab_try(s, name,
		    &(struct told){ name, name, name, .reason = "x" }, 1, NOW,
		    &e);
	}
	if (!rc || !(strstr(e.text, "I/O") || strstr(e.text, "too large")))
		return 3;
	return store_close(s, &e) == -1 ? 0 : 4;
}

static void test_full(void **state)
{
	struct lab *l = *state;
	struct store *s;
	int status;
	pid_t child;

	fill(l, 100);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit(write_into_limit(l));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	s = lab_store(l, STORE_WRITE);
	assert_true(lab_count(l, s) >= 100);
	lab_put(l, s, NULL, one, NOW);
	lab_end(l, s);
	assert_int_equal(sql_number(l,
			     "SELECT count(*) FROM pragma_integrity_check"
			     " WHERE integrity_check = 'ok'"),
	    1);
}

/* Read by somebody who may not write there. */
static void test_reader(void **state)
{
	struct lab *l = *state;
	int status;
	pid_t child;

	fill(l, 10);
	assert_int_equal(chmod(l->path, 0444), 0);
	assert_int_equal(chmod(l->folder, 0555), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct err e = { 0 };
		struct store_info i;
		struct store *s;
		int bad = 0;

		if (getuid() == 0 && setuid(65534))
			_exit(9);
		s = store_open(l->url, STORE_READ, &e);
		bad |= !s || store_info(s, &i, &e) || i.diagnoses != 10;
		store_close(s, &e);
		bad |= store_open(l->url, STORE_WRITE, &e) != NULL;
		bad |= !strstr(e.text, "may not be written") &&
		    !strstr(e.text, "ermission denied");
		if (bad)
			fprintf(stderr, "%s\n", e.text);
		_exit(bad);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod(l->folder, 0755), 0);
	assert_int_equal(status, 0);
}

/* ---- several processes ---- */

/* The same rows as the others, in an order of its own. */
static void write_rows(struct lab *l, unsigned start)
{
	struct store *s = store_open(l->url, STORE_WRITE, &l->e);
	int rc = s ? 0 : -1;

	for (unsigned i = 0; i < ROWS && !rc; i++) {
		unsigned k = (start + i * 7) % ROWS;
		char name[16];

		snprintf(name, sizeof name, "%u", k);
		rc = lab_try(s, name,
		    &(struct told){ name, name, name, .reason = "x" }, 1, NOW,
		    &l->e);
		if (!rc && i % 50 == 0)
			rc = store_flush(s, &l->e);
	}
	if (store_close(s, &l->e) || rc) {
		fprintf(stderr, "%s\n", l->e.text);
		_exit(1);
	}
	_exit(0);
}

/* All at once from the making of the store on. */
static void write_at_once(struct lab *l)
{
	pid_t child[WRITERS];
	struct store_info i;
	struct store *s;
	int status;

	for (unsigned w = 0; w < WRITERS; w++) {
		child[w] = fork();
		assert_true(child[w] >= 0);
		if (child[w] == 0)
			write_rows(l, w * 100);
	}
	for (unsigned w = 0; w < WRITERS; w++) {
		assert_int_equal(waitpid(child[w], &status, 0), child[w]);
		assert_int_equal(status, 0);
	}
	s = lab_store(l, STORE_READ);
	assert_int_equal(store_info(s, &i, &l->e), 0);
	assert_int_equal(i.diagnoses, ROWS);
	assert_int_equal(i.readings, ROWS);
	lab_end(l, s);
}

static void test_writers(void **state)
{
	struct lab *l = *state;

	for (int round = 0; round < ROUNDS; round++) {
		write_at_once(l);
		assert_int_equal(unlink(l->path), 0);
	}
}

/* Several threads of one process share one store. */
struct threads {
	struct lab *l;
	struct store *s;
	pthread_mutex_t lock;
	int next;
};

static void *put_some(void *ctx)
{
	struct threads *t = ctx;
	intptr_t bad = 0;

	for (;;) {
		struct err e;
		char name[16];
		int k;

		pthread_mutex_lock(&t->lock);
		k = t->next++;
		pthread_mutex_unlock(&t->lock);
		if (k >= 4 * ROWS)
			return (void *)bad;
		snprintf(name, sizeof name, "%d", k % ROWS);
		bad |= lab_try(t->s, name,
			   &(struct told){ name, name, name, .reason = "x" }, 1,
			   NOW, &e) != 0;
		if (k % 100 == 0)
			bad |= store_flush(t->s, &e) != 0;
	}
}

static void test_threads(void **state)
{
	struct threads t = { .l = *state };
	pthread_t id[WRITERS];
	void *bad;

	t.s = lab_store(t.l, STORE_WRITE);
	pthread_mutex_init(&t.lock, NULL);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&id[i], NULL, put_some, &t), 0);
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(pthread_join(id[i], &bad), 0);
		assert_null(bad);
	}
	assert_int_equal(lab_count(t.l, t.s), ROWS);
	lab_end(t.l, t.s);
	pthread_mutex_destroy(&t.lock);
}

/* Readings of three diagnoses, again and again, until it is killed. */
static void write_on(struct lab *l, int round)
{
	struct store *s = store_open(l->url, STORE_WRITE, &l->e);
	int rc = s ? 0 : -1;

	for (int i = 0; !rc; i++) {
		struct told t[3];
		char name[3][32], stamp[32];

		snprintf(stamp, sizeof stamp, "s%d", i % 400);
		for (int k = 0; k < 3; k++) {
			snprintf(name[k], sizeof name[k], "%d.%d", i % 400, k);
			/* some change their content, some their answer */
			t[k] = (struct told){ name[k], i % 5 ? name[k] : stamp,
				name[k], .reason = round % 2 ? "x" : "y" };
		}
		rc = lab_try(s, stamp, t, 3, NOW + round, &l->e);
		if (!rc && i % 20 == 0)
			rc = store_flush(s, &l->e);
	}
	fprintf(stderr, "%s\n", l->e.text);
	_exit(1);
}

static void check_whole(struct lab *l)
{
	assert_int_equal(sql_number(l,
			     "SELECT count(*) FROM pragma_integrity_check"
			     " WHERE integrity_check <> 'ok'"),
	    0);
	assert_int_equal(
	    sql_number(l, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
	assert_int_equal(sql_number(l,
			     "SELECT count(*) FROM reading r WHERE 3 <>"
			     " (SELECT count(*) FROM reading_row"
			     " JOIN diagnosis d ON d.id = diagnosis"
			     " WHERE reading = r.id)"),
	    0);
	assert_int_equal(sql_number(l,
			     "SELECT count(*) - count(DISTINCT job)"
			     " FROM diagnosis"),
	    0);
}

static void test_killed(void **state)
{
	struct lab *l = *state;
	int64_t rows = 0;
	unsigned seed = 20;

	for (int round = 0; round < KILLS; round++) {
		struct timespec wait = { 0, 0 };
		struct store *s;
		int status;
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			write_on(l, round);
		seed = seed * 1103515245 + 12345;
		wait.tv_nsec = (long)(seed >> 8 & 0x3f) * 1000000 + 500000;
		nanosleep(&wait, NULL);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		if (access(l->path, F_OK))
			continue; /* it had not begun */
		s = lab_store(l, STORE_WRITE);
		rows = (int64_t)lab_count(l, s);
		lab_end(l, s);
		check_whole(l);
	}
	assert_true(rows > 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_urls),
		TEST(test_names),
		TEST(test_strangers),
		TEST(test_migration),
		TEST(test_locked),
		TEST(test_damaged),
		TEST(test_full),
		TEST(test_reader),
		TEST(test_writers),
		TEST(test_threads),
		TEST(test_killed),
	};

	return cmocka_run_group_tests_name("store_faults", tests, NULL, NULL);
}
