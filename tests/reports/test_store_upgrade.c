/*
 * A store of each earlier schema, filled, is brought up to date: its tables are
 * made by the steps that made them then, its rows are those of a store of
 * today, without the columns that came later.
 */
#include "tests/reports/store_lab.h"

#include "reports/store/store_postgres_sql.h"
#include "reports/store/store_sql.h"

#include <sqlite3.h>

#define NOW (INT64_C(1700000000) * 1000000)
#define SINCE_ANSWERS 2 /* the schema of an SQLite store that has them */

static const char *const tables[] = { "diagnosis", "reading", "reading_row",
	"answer" };

static void fill(struct lab *l, struct store *s)
{
	const struct told both[] = {
		{ "7", "a", "k", "it's one", .attempt = 1 },
		{ "7", "b", "k", "two", .attempt = 2, .well = true },
	};

	assert_int_equal(lab_try(s, "r1", both, 2, NOW, &l->e), 0);
	lab_put(l, s, "r2", (struct told){ "8_1", "c", "m", "c", .attempt = 1 },
	    NOW + 1);
	lab_put(l, s, NULL,
	    (struct told){ "9", "d", NULL, "d", .record_only = true,
		.ended = "2023-01-02T03:04:05Z" },
	    NOW + 2);
	assert_int_equal(store_put_answer(s,
			     &(struct store_answer){ "7", 1, "retry", "retry",
				 "why", false, NOW, NULL, NULL },
			     &l->e),
	    0);
}

static int on_answer(void *ctx, const struct store_answer *a, struct err *e)
{
	(void)e;
	return buf_addf(ctx, "%s %lld %s %s %s\n", a->job,
	    (long long)a->attempt, a->verdict, a->given, a->reason);
}

/* All that is kept; free it. */
static char *all(struct lab *l, struct store *s)
{
	struct buf b = BUF_INIT(BUF_MAX);

	assert_int_equal(store_export(s, NULL, lab_add_line, &b, &l->e), 0);
	assert_int_equal(store_answers(s, on_answer, &b, &l->e), 0);
	assert_int_equal(buf_adds(&b, ""), 0);
	return buf_take(&b);
}

/* It has all that it had, and takes more. */
static void check(struct lab *l, const char *before)
{
	struct store *s = lab_store(l, STORE_WRITE);
	struct store_info i;
	char *after = all(l, s);

	assert_string_equal(after, before);
	free(after);
	assert_int_equal(store_info(s, &i, &l->e), 0);
	assert_int_equal(
	    i.schema, l->server ? STORE_POSTGRES_VERSION : STORE_SQL_SCHEMA);
	assert_int_equal(i.diagnoses, 4);
	assert_int_equal(i.readings, 2);
	/* the same changes nothing, another log of it takes its place */
	lab_put(l, s, "r2", (struct told){ "8_1", "c", "m", "c", .attempt = 1 },
	    NOW + 1);
	assert_int_equal(lab_count(l, s), 4);
	lab_put(l, s, "r2", (struct told){ "8_1", "e", "m", "e", .attempt = 1 },
	    NOW + 3);
	assert_int_equal(lab_count(l, s), 4);
	lab_put(l, s, NULL, (struct told){ "9", "f", "n", "f", .cluster = "x" },
	    NOW + 3);
	assert_int_equal(lab_count(l, s), 5);
	assert_int_equal(store_put_answer(s,
			     &(struct store_answer){ "7", 1, "stop", "stop", "",
				 false, NOW + 1, "x", "/a/" },
			     &l->e),
	    0);
	lab_end(l, s);
}

/* ---- SQLite ---- */

static void run(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
}

/* The text that a statement gives; free it. */
static char *text_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *q;
	char *text;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(q), SQLITE_ROW);
	text = strdup((const char *)sqlite3_column_text(q, 0));
	assert_non_null(text);
	sqlite3_finalize(q);
	return text;
}

/* The file `path` becomes a store of that schema with the rows of another. */
static void old_file(const char *path, const char *filled, int schema)
{
	char sql[2000], *id;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (int i = 0; i < schema; i++)
		run(db, store_sql_steps[i]);
	snprintf(sql, sizeof sql, "ATTACH '%s' AS filled", filled);
	run(db, sql);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		char *columns;

		snprintf(sql, sizeof sql,
		    "SELECT group_concat('\"' || name || '\"') FROM"
		    " pragma_table_info('%s', 'main') WHERE name IN (SELECT"
		    " name FROM pragma_table_info('%s', 'filled'))",
		    tables[i], tables[i]);
		columns = text_of(db, sql);
		snprintf(sql, sizeof sql,
		    "INSERT INTO %s (%s) SELECT %s FROM filled.%s", tables[i],
		    columns, columns, tables[i]);
		run(db, sql);
		free(columns);
	}
	id = text_of(db, "PRAGMA filled.application_id");
	snprintf(sql, sizeof sql,
	    "PRAGMA user_version = %d; PRAGMA application_id = %s", schema, id);
	run(db, sql);
	free(id);
	sqlite3_close(db);
}

static void files(struct lab *l, const char *before)
{
	char path[300], *said;
	sqlite3 *db;

	snprintf(path, sizeof path, "%s/t.db", l->folder);
	for (int v = SINCE_ANSWERS; v < STORE_SQL_SCHEMA; v++) {
		old_file(path, l->path, v);
		snprintf(l->url, sizeof l->url, "sqlite:%s", path);
		check(l, before);
		assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
		said = text_of(db, "PRAGMA integrity_check");
		assert_string_equal(said, "ok");
		free(said);
		said = text_of(db, "SELECT count(*) FROM jobs");
		assert_string_equal(said, "5");
		free(said);
		sqlite3_close(db);
		assert_int_equal(unlink(path), 0);
	}
}

/* ---- PostgreSQL ---- */

#define COPY                                                                   \
	"DO $$ DECLARE t text; c text; BEGIN FOREACH t IN ARRAY"               \
	" ARRAY['diagnosis', 'reading', 'reading_row', 'answer'] LOOP"         \
	" SELECT string_agg(quote_ident(a.column_name), ', ') INTO c"          \
	" FROM information_schema.columns a JOIN information_schema.columns b" \
	" USING (table_name, column_name) WHERE a.table_schema = 'jobtriage'"  \
	" AND b.table_schema = 'filled' AND a.table_name = t"                  \
	" AND a.is_generated = 'NEVER';"                                       \
	" EXECUTE format('INSERT INTO jobtriage.%I (%s) OVERRIDING SYSTEM"     \
	" VALUE SELECT %s FROM filled.%I', t, c, c, t); END LOOP; END $$;"     \
	"SELECT setval(pg_get_serial_sequence('jobtriage.diagnosis', 'id'),"   \
	" 1000), setval(pg_get_serial_sequence('jobtriage.reading', 'id'),"    \
	" 1000);"

/* Let psql run a file of statements. */
static void run_file(struct lab *l, const struct buf *sql)
{
	char line[1024], path[300];
	FILE *f;

	snprintf(path, sizeof path, "%s/go", l->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(sql->p, 1, sql->len, f), sql->len);
	assert_int_equal(fclose(f), 0);
	snprintf(line, sizeof line,
	    "psql -qX -v ON_ERROR_STOP=1 '%s' -f '%s' >/dev/null", l->url,
	    path);
	assert_int_equal(system(line), 0);
}

static void old_server(struct lab *l, int schema)
{
	struct buf sql = BUF_INIT(BUF_MAX);
	int rc = buf_adds(&sql,
	    "SET client_min_messages = warning;"
	    "DROP SCHEMA IF EXISTS jobtriage CASCADE;"
	    "SET search_path = jobtriage;");

	for (int i = 0; i < schema; i++)
		rc |= buf_adds(&sql, store_postgres_steps[i]);
	rc |= buf_addf(&sql, "%s UPDATE store SET schema = %d;", COPY, schema);
	/* those of then had other parameters */
	if (schema < 4)
		rc |= buf_adds(&sql,
		    "CREATE FUNCTION put(p_job text) RETURNS void"
		    " LANGUAGE sql AS 'SELECT';");
	assert_int_equal(rc, 0);
	run_file(l, &sql);
	buf_release(&sql);
}

static void servers(struct lab *l, const char *before)
{
	lab_sql(l, "DROP SCHEMA IF EXISTS filled CASCADE");
	lab_sql(l, "ALTER SCHEMA jobtriage RENAME TO filled");
	for (int v = 1; v < STORE_POSTGRES_VERSION; v++) {
		old_server(l, v);
		check(l, before);
		lab_sql(l,
		    "SELECT 1 / (count(*) = 5)::int FROM jobtriage.jobs;"
		    /* a cluster that is not known may be x */
		    " SELECT 1 / (count(*) = 4)::int FROM jobtriage.attempts;"
		    " SELECT 1 / (count(*) = 1)::int FROM pg_proc"
		    " WHERE proname = 'put'"
		    " AND pronamespace = 'jobtriage'::regnamespace");
	}
	lab_sql(l, "DROP SCHEMA filled CASCADE");
}

static void test_upgrade(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	char *before;

	fill(l, s);
	before = all(l, s);
	lab_end(l, s);
	assert_non_null(strstr(before, "retry retry why"));
	if (l->server)
		servers(l, before);
	else
		files(l, before);
	free(before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    test_upgrade, lab_open, lab_close),
	};

	return cmocka_run_group_tests_name("store_upgrade", tests, NULL, NULL);
}
