/*
 * The meaning is that of store_sql.c. The rules of replacing are functions of
 * the database, which act with the rights of its owner: who may call them may
 * add diagnoses and needs no right to any table. Names of files are bytes.
 */
#include "reports/store/store_postgres_sql.h"

#include "reports/store/entry_brief.h"
#include "reports/store/store_private.h"

#include <string.h>

#define TEXT_C "text COLLATE \"C\""
#define DROP_FUNCTIONS(names)                                           \
	"DO $$ DECLARE f regprocedure; BEGIN FOR f IN SELECT oid FROM"  \
	" pg_proc WHERE proname IN (" names                             \
	") AND pronamespace = '" STORE_POSTGRES_SCHEMA                  \
	"'::regnamespace LOOP EXECUTE 'DROP FUNCTION ' || f; END LOOP;" \
	" END $$;"

const char *const store_postgres_steps[STORE_POSTGRES_VERSION] = {
	"DO $$ BEGIN IF to_regnamespace('" STORE_POSTGRES_SCHEMA "') IS NULL"
	" THEN CREATE SCHEMA " STORE_POSTGRES_SCHEMA "; END IF; END $$;"
	"CREATE TABLE store (schema integer NOT NULL);"
	"INSERT INTO store VALUES (0);"
	"CREATE TABLE diagnosis ("
	" id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
	" job " TEXT_C " NOT NULL, attempt bigint NOT NULL,"
	" content " TEXT_C " NOT NULL, key bytea, lookup bytea,"
	" joined " TEXT_C ", seen bigint NOT NULL, started bigint,"
	" ended bigint, at bigint"
	" GENERATED ALWAYS AS (coalesce(ended, started, seen)) STORED,"
	" failed bigint, category " TEXT_C " NOT NULL, dimension " TEXT_C ","
	" verdict " TEXT_C ", confidence " TEXT_C ", rule " TEXT_C ","
	" fingerprint " TEXT_C ", stage " TEXT_C ", \"user\" " TEXT_C ","
	" grp " TEXT_C ", node " TEXT_C ", gpus bigint, seconds bigint,"
	" gpu_seconds bigint, gpu_seconds_lost bigint, estimated bigint,"
	" has_log bigint NOT NULL, taxonomy " TEXT_C ","
	" record bytea NOT NULL, UNIQUE (job, attempt, content));"
	/* packed already */
	"ALTER TABLE diagnosis ALTER record SET STORAGE EXTERNAL;"
	"CREATE INDEX diagnosis_at ON diagnosis (at, job, attempt, content);"
	"CREATE INDEX diagnosis_key ON diagnosis USING hash (key);"
	"CREATE INDEX diagnosis_fingerprint ON diagnosis (fingerprint, at)"
	" WHERE fingerprint IS NOT NULL;"
	"CREATE TABLE reading ("
	" id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
	" stamp " TEXT_C " NOT NULL UNIQUE, seen bigint NOT NULL);"
	"CREATE TABLE reading_row ("
	" reading bigint NOT NULL REFERENCES reading ON DELETE CASCADE,"
	" seq bigint NOT NULL, diagnosis bigint NOT NULL,"
	" PRIMARY KEY (reading, seq));"
	"CREATE INDEX reading_row_diagnosis ON reading_row (diagnosis);"
	"CREATE FUNCTION forget_readings() RETURNS trigger LANGUAGE plpgsql"
	" SECURITY DEFINER SET search_path = " STORE_POSTGRES_SCHEMA
	", pg_temp AS $$ BEGIN DELETE FROM reading WHERE id IN"
	" (SELECT reading FROM reading_row WHERE diagnosis = old.id);"
	" RETURN NULL; END $$;"
	"CREATE TRIGGER diagnosis_gone AFTER DELETE ON diagnosis"
	" FOR EACH ROW EXECUTE FUNCTION forget_readings();"
	"CREATE TRIGGER diagnosis_changed"
	" AFTER UPDATE OF record, lookup, joined ON diagnosis FOR EACH ROW"
	" WHEN ((old.record, old.lookup, old.joined)"
	" IS DISTINCT FROM (new.record, new.lookup, new.joined))"
	" EXECUTE FUNCTION forget_readings();"
	"CREATE TABLE answer ("
	" job " TEXT_C " NOT NULL, attempt bigint NOT NULL,"
	" verdict text NOT NULL, given text NOT NULL, reason text NOT NULL,"
	" shadow bigint NOT NULL, at bigint NOT NULL,"
	" PRIMARY KEY (job, attempt));" STORE_POSTGRES_JOBS_VIEW("CREATE", "")
	/* who asks counts, not who made the view: rows may be hidden from him
	 */
	"DO $$ BEGIN IF current_setting('server_version_num')::int >= 150000"
	" THEN ALTER VIEW jobs SET (security_invoker = true);"
	" END IF; END $$;",

	"ALTER TABLE diagnosis ADD COLUMN brief bytea;"
	/* its parameters are others; functions come after */
	DROP_FUNCTIONS("'put'"),

	store_postgres_views,

	"ALTER TABLE diagnosis ADD COLUMN cluster " TEXT_C ","
	" ADD COLUMN place " TEXT_C ";"
	"ALTER TABLE answer ADD COLUMN cluster " TEXT_C " NOT NULL DEFAULT '',"
	" ADD COLUMN place " TEXT_C " NOT NULL DEFAULT '',"
	" DROP CONSTRAINT answer_pkey,"
	" ADD PRIMARY KEY (job, attempt, cluster, "
	"place);" STORE_POSTGRES_JOBS_VIEW("CREATE OR REPLACE", ", cluster")
	    DROP_FUNCTIONS("'put', 'put_answer'"),

	store_postgres_views_of_clusters,

	"CREATE TABLE failure_group (id " TEXT_C " PRIMARY KEY,"
	" merged_into " TEXT_C ", name text, ignored bigint NOT NULL,"
	" said_by text, at bigint NOT NULL);"
	"CREATE TABLE judgement (job " TEXT_C " NOT NULL,"
	" attempt bigint NOT NULL, cluster " TEXT_C " NOT NULL,"
	" place " TEXT_C " NOT NULL, at bigint NOT NULL, owner " TEXT_C ","
	" account " TEXT_C ", category text, verdict text, note text,"
	" said_by text, rule text, answer text, answer_verdict text,"
	" PRIMARY KEY (job, attempt, cluster, place, at));",

	"CREATE TABLE good_run (cluster " TEXT_C " NOT NULL,"
	" owner " TEXT_C " NOT NULL, name " TEXT_C " NOT NULL,"
	" job " TEXT_C " NOT NULL, attempt bigint NOT NULL,"
	" account " TEXT_C ", at bigint NOT NULL, lines bigint NOT NULL,"
	" templates text NOT NULL,"
	" PRIMARY KEY (cluster, owner, name, job, attempt));",

	/* put takes what store_pack_opened makes */
	DROP_FUNCTIONS("'put'"),
};

#define OF_OWNER                                                     \
	" SECURITY DEFINER SET search_path = " STORE_POSTGRES_SCHEMA \
	", pg_temp AS $$"

static const char *type_of(size_t i)
{
	if (i == STORE_KEY || i == STORE_LOOKUP || i == STORE_RECORD ||
	    i == STORE_BRIEF)
		return "bytea";
	return store_column_counts(i) ? "bigint" : "text";
}

/* A list of what stands for each column from first on; of %s its name. */
static int columns(struct buf *b, size_t first, const char *before,
    const char *after, bool set)
{
	int rc = 0;

	for (size_t i = first; i < STORE_COLUMNS; i++) {
		const char *name = store_column_name(i);

		if (set && i == STORE_SEEN)
			continue;
		rc |= buf_addf(b, "%s", i > first ? ", " : "");
		if (set)
			rc |=
			    buf_addf(b, "\"%s\" = excluded.\"%s\"", name, name);
		else
			rc |= buf_addf(b, "%s%s%s", before, name, after);
	}
	return rc;
}

static int parameters(struct buf *b)
{
	int rc = 0;

	for (size_t i = 0; i < STORE_COLUMNS; i++)
		rc |=
		    buf_addf(b, "p_%s %s, ", store_column_name(i), type_of(i));
	return rc | buf_adds(b, "p_stamp text, p_seq bigint");
}

/* As SQL_OPENED, SQL_BLOCKED, SQL_SUPERSEDE_*, SQL_PUT and SQL_ADD_ROW in turn.
 */
static int put_function(struct buf *b)
{
	static const char same[] = "job = p_job AND attempt = p_attempt";
	int rc = buf_adds(b, "CREATE OR REPLACE FUNCTION put(");

	rc |= parameters(b);
	rc |= buf_addf(b,
	    ") RETURNS void LANGUAGE plpgsql" OF_OWNER
	    " BEGIN IF p_record IS NULL THEN DELETE FROM diagnosis"
	    " WHERE key = p_key AND failed IS NULL AND seen < p_seen; RETURN;"
	    " END IF; IF EXISTS (SELECT 1 FROM diagnosis WHERE %s AND"
	    " (p_has_log = 0 AND cluster IS NOT DISTINCT FROM p_cluster"
	    " AND (has_log = 1"
	    " OR (content <> p_content AND seen > p_seen))"
	    " OR key = p_key AND content <> p_content AND seen > p_seen"
	    " AND (cluster IS NOT DISTINCT FROM p_cluster"
	    " OR p_cluster IS NULL)))"
	    " THEN DELETE FROM reading WHERE stamp = p_stamp; RETURN;"
	    " END IF;"
	    " DELETE FROM diagnosis WHERE %s AND content <> p_content"
	    " AND (has_log = 0 AND cluster IS NOT DISTINCT FROM p_cluster"
	    " OR key = p_key"
	    " AND (cluster IS NOT DISTINCT FROM p_cluster OR cluster IS NULL));"
	    " INSERT INTO diagnosis AS d (",
	    same, same);
	rc |= columns(b, 0, "\"", "\"", false);
	rc |= buf_adds(b, ") VALUES (");
	rc |= columns(b, 0, "p_", "", false);
	rc |= buf_adds(b,
	    ") ON CONFLICT (job, attempt, content) DO UPDATE SET"
	    " seen = least(d.seen, excluded.seen), ");
	rc |= columns(b, STORE_KEY, "", "", true);
	return rc |
	    buf_addf(b,
		" WHERE excluded.seen < d.seen OR"
		" (d.record, d.key, d.lookup, d.joined, d.brief)"
		" IS DISTINCT FROM (excluded.record, excluded.key,"
		" excluded.lookup, excluded.joined, excluded.brief);"
		" IF p_stamp IS NOT NULL THEN INSERT INTO reading_row"
		" SELECT r.id, p_seq, d.id FROM reading r, diagnosis d"
		" WHERE r.stamp = p_stamp AND d.job = p_job"
		" AND d.attempt = p_attempt AND d.content = p_content;"
		" END IF; END $$;");
}

int store_postgres_functions(struct buf *out)
{
	return buf_adds(out,
		   /* in one order for all, so that nobody waits in a circle */
		   "CREATE OR REPLACE FUNCTION lock_jobs(p_jobs bigint[])"
		   " RETURNS void LANGUAGE sql" OF_OWNER
		   " SELECT pg_advisory_xact_lock(j) FROM (SELECT DISTINCT j"
		   " FROM unnest(p_jobs) j ORDER BY j) s $$;"
		   "CREATE OR REPLACE FUNCTION"
		   " add_reading(p_stamp text, p_seen bigint)"
		   " RETURNS void LANGUAGE sql" OF_OWNER
		   " DELETE FROM reading WHERE stamp = p_stamp;"
		   " INSERT INTO reading (stamp, seen)"
		   " VALUES (p_stamp, p_seen) ON CONFLICT DO NOTHING $$;"
		   "CREATE OR REPLACE FUNCTION put_answer(p_job text,"
		   " p_attempt bigint, p_verdict text, p_given text,"
		   " p_reason text, p_shadow bigint, p_at bigint,"
		   " p_cluster text, p_place text)"
		   " RETURNS void LANGUAGE sql" OF_OWNER
		   " INSERT INTO answer VALUES (p_job, p_attempt, p_verdict,"
		   " p_given, p_reason, p_shadow, p_at,"
		   " coalesce(p_cluster, ''), coalesce(p_place, ''))"
		   " ON CONFLICT (job, attempt, cluster, place)"
		   " DO UPDATE SET"
		   " verdict = excluded.verdict, given = excluded.given,"
		   " reason = excluded.reason, shadow = excluded.shadow,"
		   " at = excluded.at WHERE excluded.at >= answer.at $$;") |
	    put_function(out) |
	    buf_adds(out,
		"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA " STORE_POSTGRES_SCHEMA
		" FROM PUBLIC;");
}

int store_postgres_put(struct buf *out)
{
	int rc = buf_adds(out, "SELECT put(");

	for (size_t i = 0; i < STORE_COLUMNS; i++)
		rc |= buf_addf(out, "$%zu::%s, ", i + 1, type_of(i));
	return rc |
	    buf_addf(out, "$%zu::text, $%zu::bigint)", STORE_COLUMNS + 1,
		STORE_COLUMNS + 2);
}

#define ROW "SELECT d.content, d.key, d.lookup, d.joined, d.record, d.seen "

const char *const store_postgres_select[] = {
	[STORE_BY_TIME] =
	    ROW "FROM diagnosis d WHERE at >= $1::bigint AND at < $2::bigint"
		" ORDER BY at, job, attempt, content",
	[STORE_BRIEFS] =
	    "SELECT d.content, NULL, NULL, NULL, CASE WHEN substr(brief, 1, 1)"
	    " BETWEEN '\\x" ENTRY_BRIEF_OLDEST
	    "'::bytea AND '\\x" ENTRY_BRIEF_FIRST
	    "'::bytea THEN NULL ELSE record END,"
	    " seen, brief FROM diagnosis d"
	    " WHERE at >= $1::bigint AND at < $2::bigint"
	    " ORDER BY at, job, attempt, content",
	[STORE_BY_JOB] = ROW "FROM diagnosis d ORDER BY job, attempt, content",
	[STORE_OF_READING] =
	    ROW "FROM reading r LEFT JOIN reading_row w ON w.reading = r.id"
		" LEFT JOIN diagnosis d ON d.id = w.diagnosis"
		" WHERE r.stamp = $1::text ORDER BY w.seq",
	[STORE_OF_JOB] =
	    ROW "FROM diagnosis d WHERE job = $1::text"
		" AND NOT (coalesce(substr(lookup, 1, 2), '') = '0 '::bytea"
		" AND (joined IS NULL OR EXISTS (SELECT 1 FROM diagnosis o"
		" WHERE o.job = d.job AND o.content = d.content"
		" AND o.attempt <> d.attempt)))"
		" ORDER BY attempt, seen, content",
	[STORE_NAMED] = ROW "FROM diagnosis d WHERE job = $1::text"
			    " ORDER BY attempt, seen, content",
};

#define END_OF_PAST(way)                                          \
	" (SELECT at FROM diagnosis WHERE fingerprint = $2::text" \
	" AND at < $1::bigint AND failed = 1 ORDER BY at " way " LIMIT 1)"

const char *const store_postgres_ask[] = {
	[STORE_PAST] = "SELECT '', a, z FROM (SELECT" END_OF_PAST(
	    "ASC") " AS a," END_OF_PAST("DESC") " AS z) p"
						" WHERE a IS NOT NULL",
	[STORE_SUMS] =
	    "WITH f AS (SELECT CASE WHEN category = 'unknown'"
	    " AND has_log = 0 THEN '" ENTRY_NO_LOG "' ELSE category END AS c,"
	    " (job, coalesce(cluster, ''), coalesce(place, '')) AS j,"
	    " gpu_seconds_lost AS lost FROM diagnosis"
	    " WHERE at >= $1::bigint AND at < $2::bigint AND failed = 1"
	    " AND ($3::text IS NULL OR cluster = $3::text)"
	    " AND ($4::text IS NULL OR \"user\" = $4::text)"
	    " AND ($5::text IS NULL OR grp = $5::text))"
	    " SELECT '' AS name, count(*), count(DISTINCT j),"
	    " coalesce(sum(lost), 0)::bigint,"
	    " (SELECT count(*) FROM (SELECT 1 FROM diagnosis LIMIT 1) o),"
	    " (SELECT coalesce(min(at), 0) FROM diagnosis) FROM f"
	    " UNION ALL SELECT c, count(*), count(DISTINCT j),"
	    " coalesce(sum(lost), 0)::bigint, 0, 0 FROM f GROUP BY c"
	    " ORDER BY name",
};

/* A CTE that changes rows is always run. */
#define GONE ") SELECT count(*), count(*), $2::bigint FROM gone"

const char *const store_postgres_prune[] = {
	"WITH old AS (SELECT id, at FROM diagnosis WHERE at < $1::bigint"
	" AND at >= $2::bigint ORDER BY at LIMIT 1000), gone AS (DELETE"
	" FROM diagnosis d USING old WHERE d.id = old.id RETURNING 1)"
	" SELECT (SELECT count(*) FROM gone), count(*), max(at) FROM old",
	"WITH gone AS (DELETE FROM reading WHERE id IN (SELECT id"
	" FROM reading r WHERE seen < $1::bigint AND NOT EXISTS (SELECT 1"
	" FROM reading_row WHERE reading = r.id) LIMIT 1000) RETURNING 1" GONE,
	"WITH gone AS (DELETE FROM answer WHERE (job, attempt, cluster, place) "
	"IN (SELECT job,"
	" attempt, cluster, place FROM answer WHERE at < $1::bigint LIMIT 1000)"
	" RETURNING 1" GONE,
	"WITH gone AS (DELETE FROM good_run WHERE at < $1::bigint"
	" RETURNING 1) SELECT count(*), 0, $2::bigint FROM gone",
	NULL,
};

static const struct store_postgres_fault faults[] = {
	{ "40", true, NULL }, /* a deadlock, or it could not be serialized */
	{ "53100", false, "no space is left for the store" },
	{ "53", true, NULL }, /* too many connections, locks */
	{ "55P03", true, "locked by another process" },
	{ "57P0", true, NULL }, /* it stops, or starts */
	{ "08", true, NULL },   /* the connection */
	{ "42501", false, "this role may not do that" },
	{ "25006", false, "it may not be written" },
};

const struct store_postgres_fault *store_postgres_fault(const char *state)
{
	for (size_t i = 0; state && i < sizeof faults / sizeof *faults; i++)
		if (strncmp(state, faults[i].state, strlen(faults[i].state)) ==
		    0)
			return &faults[i];
	return NULL;
}
