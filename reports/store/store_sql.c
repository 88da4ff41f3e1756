/*
 * A reading points to its diagnoses; triggers forget a reading as soon as one
 * of them is changed or gone, so that what is recalled is what was put.
 */
#include "reports/store/store_sql.h"

#include "reports/store/entry_brief.h"
#include "reports/store/store_private.h"

/* more: columns that came later, which stand at the end. */
#define JOBS_VIEW(more)                                                        \
	"CREATE VIEW jobs AS SELECT"                                           \
	" job, attempt, user, grp AS \"group\", node,"                         \
	" CASE failed WHEN 1 THEN 'failed' WHEN 0 THEN 'well'"                 \
	" ELSE 'unknown' END AS outcome,"                                      \
	" category, dimension, stage, verdict, confidence, rule, fingerprint," \
	" gpus, seconds, gpu_seconds / 3600.0 AS gpu_hours,"                   \
	" gpu_seconds_lost / 3600.0 AS gpu_hours_lost, estimated, has_log,"    \
	" strftime('%Y-%m-%dT%H:%M:%SZ', at / 1000000, 'unixepoch')"           \
	" AS counted_at,"                                                      \
	" strftime('%Y-%m-%dT%H:%M:%SZ', started / 1000000, 'unixepoch')"      \
	" AS started_at,"                                                      \
	" strftime('%Y-%m-%dT%H:%M:%SZ', ended / 1000000, 'unixepoch')"        \
	" AS ended_at,"                                                        \
	" strftime('%Y-%m-%dT%H:%M:%SZ', seen / 1000000, 'unixepoch')"         \
	" AS first_seen_at, key AS place" more " FROM diagnosis;"

const char *const store_sql_steps[STORE_SQL_SCHEMA] = {
	"CREATE TABLE diagnosis ("
	" id INTEGER PRIMARY KEY, job TEXT NOT NULL, attempt INTEGER NOT NULL,"
	" content TEXT NOT NULL, key TEXT, lookup TEXT, joined TEXT,"
	" seen INTEGER NOT NULL, started INTEGER, ended INTEGER,"
	" at INTEGER AS (coalesce(ended, started, seen)),"
	" failed INTEGER, category TEXT NOT NULL, dimension TEXT,"
	" verdict TEXT, confidence TEXT, rule TEXT, fingerprint TEXT,"
	" stage TEXT, user TEXT, grp TEXT, node TEXT, gpus INTEGER,"
	" seconds INTEGER, gpu_seconds INTEGER, gpu_seconds_lost INTEGER,"
	" estimated INTEGER, has_log INTEGER NOT NULL, taxonomy TEXT,"
	" record BLOB NOT NULL, UNIQUE (job, attempt, content));"
	"CREATE INDEX diagnosis_at ON diagnosis (at, job, attempt);"
	"CREATE INDEX diagnosis_key ON diagnosis (key);"
	"CREATE INDEX diagnosis_fingerprint ON diagnosis (fingerprint, at)"
	" WHERE fingerprint IS NOT NULL;"
	"CREATE INDEX diagnosis_without_log ON diagnosis (job, attempt)"
	" WHERE has_log = 0;"
	"CREATE TABLE reading ("
	" id INTEGER PRIMARY KEY, stamp TEXT NOT NULL UNIQUE,"
	" seen INTEGER NOT NULL);"
	"CREATE TABLE reading_row ("
	" reading INTEGER NOT NULL REFERENCES reading ON DELETE CASCADE,"
	" seq INTEGER NOT NULL,"
	" diagnosis INTEGER NOT NULL REFERENCES diagnosis,"
	" PRIMARY KEY (reading, seq)) WITHOUT ROWID;"
	"CREATE INDEX reading_row_diagnosis ON reading_row (diagnosis);"
	"CREATE TRIGGER diagnosis_gone BEFORE DELETE ON diagnosis BEGIN"
	" DELETE FROM reading WHERE id IN"
	" (SELECT reading FROM reading_row WHERE diagnosis = old.id); END;"
	"CREATE TRIGGER diagnosis_changed"
	" AFTER UPDATE OF record, lookup, joined ON diagnosis"
	" WHEN (old.record, old.lookup, old.joined)"
	" IS NOT (new.record, new.lookup, new.joined) BEGIN"
	" DELETE FROM reading WHERE id IN"
	" (SELECT reading FROM reading_row WHERE diagnosis = old.id); "
	"END;" JOBS_VIEW(""),

	"CREATE TABLE answer ("
	" job TEXT NOT NULL, attempt INTEGER NOT NULL,"
	" verdict TEXT NOT NULL, given TEXT NOT NULL, reason TEXT NOT NULL,"
	" shadow INTEGER NOT NULL, at INTEGER NOT NULL,"
	" PRIMARY KEY (job, attempt)) WITHOUT ROWID;",

	/* records may be packed with store_dictionary */
	"",

	"ALTER TABLE diagnosis ADD COLUMN brief BLOB;",

	"ALTER TABLE diagnosis ADD COLUMN cluster TEXT;"
	"ALTER TABLE diagnosis ADD COLUMN place TEXT;"
	/* the key first: SQLite 3.40 checks others wrongly */
	"CREATE TABLE answers ("
	" job TEXT NOT NULL, attempt INTEGER NOT NULL,"
	" cluster TEXT NOT NULL DEFAULT '', place TEXT NOT NULL DEFAULT '',"
	" verdict TEXT NOT NULL, given TEXT NOT NULL, reason TEXT NOT NULL,"
	" shadow INTEGER NOT NULL, at INTEGER NOT NULL,"
	" PRIMARY KEY (job, attempt, cluster, place)) WITHOUT ROWID;"
	"INSERT INTO answers (job, attempt, verdict, given, reason, shadow, at)"
	" SELECT job, attempt, verdict, given, reason, shadow, at FROM answer;"
	"DROP TABLE answer;"
	"ALTER TABLE answers RENAME TO answer;"
	"DROP VIEW jobs;" JOBS_VIEW(", cluster"),

	/* what people have said of groups of failures */
	"CREATE TABLE failure_group ("
	" id TEXT NOT NULL PRIMARY KEY, merged_into TEXT, name TEXT,"
	" ignored INTEGER NOT NULL, said_by TEXT, at INTEGER NOT NULL)"
	" WITHOUT ROWID;"
	/* and of attempts */
	"CREATE TABLE judgement ("
	" job TEXT NOT NULL, attempt INTEGER NOT NULL, cluster TEXT NOT NULL,"
	" place TEXT NOT NULL, at INTEGER NOT NULL, owner TEXT, account TEXT,"
	" category TEXT, verdict TEXT, note TEXT, said_by TEXT, rule TEXT,"
	" answer TEXT, answer_verdict TEXT,"
	" PRIMARY KEY (job, attempt, cluster, place, at)) WITHOUT ROWID;",

	/* what runs that ended well have printed */
	"CREATE TABLE good_run ("
	" cluster TEXT NOT NULL, owner TEXT NOT NULL, name TEXT NOT NULL,"
	" job TEXT NOT NULL, attempt INTEGER NOT NULL, account TEXT,"
	" at INTEGER NOT NULL, lines INTEGER NOT NULL, templates TEXT NOT NULL,"
	" PRIMARY KEY (cluster, owner, name, job, attempt)) WITHOUT ROWID;",
};

#define ROW "SELECT d.content, d.key, d.lookup, d.joined, d.record, d.seen "

static const char *const statements[SQL_COUNT] = {
	/* what stands against another is of the same attempt */
	[SQL_MET] = "SELECT 1 FROM diagnosis WHERE job = ?1 AND attempt = ?2"
		    " LIMIT 1",
	/* a log stands against a record alone, and later against earlier, all
	 * of one cluster; what told none gives way to what does;
	 * + keeps the planner from an index that one name may fill */
	[SQL_BLOCKED] = "SELECT 1 FROM diagnosis WHERE ?8 = 0 AND job = ?1"
			" AND attempt = ?2 AND cluster IS ?11"
			" AND has_log = 1 UNION ALL "
			"SELECT 1 FROM diagnosis WHERE ?8 = 0 AND job = ?1"
			" AND attempt = ?2 AND cluster IS ?11"
			" AND has_log = 0 AND content <> ?3"
			" AND seen > ?7 UNION ALL "
			"SELECT 1 FROM diagnosis WHERE key = ?4 AND +job = ?1"
			" AND +attempt = ?2 AND content <> ?3 AND seen > ?7"
			" AND (cluster IS ?11 OR ?11 IS NULL)"
			" LIMIT 1",
	[SQL_SUPERSEDE_KEY] = "DELETE FROM diagnosis WHERE key = ?4"
			      " AND +job = ?1 AND +attempt = ?2"
			      " AND content <> ?3"
			      " AND (cluster IS ?11 OR cluster IS NULL)",
	[SQL_SUPERSEDE_RECORD] = "DELETE FROM diagnosis WHERE job = ?1"
				 " AND attempt = ?2 AND has_log = 0"
				 " AND content <> ?3 AND cluster IS ?11",
	[SQL_OPENED] = "DELETE FROM diagnosis WHERE key = ?4"
		       " AND failed IS NULL AND seen < ?7",
	[SQL_ADD_ROW] = "INSERT INTO reading_row SELECT r.id, ?102, d.id"
			" FROM reading r, diagnosis d WHERE r.id = ?101"
			" AND d.job = ?1 AND d.attempt = ?2 AND d.content = ?3",
	[SQL_ADD_ADDED] = "INSERT INTO reading_row"
			  " VALUES (?, ?, last_insert_rowid())",
	[SQL_FORGET_READING] = "DELETE FROM reading WHERE id = ?",
	[SQL_ADD_READING] = "INSERT OR REPLACE INTO reading (stamp, seen)"
			    " VALUES (?, ?)",
	[SQL_BY_TIME] = ROW "FROM diagnosis d WHERE at >= ? AND at < ?"
			    " ORDER BY at, job, attempt, content",
	[SQL_BRIEFS] =
	    "SELECT d.content, NULL, NULL, NULL, CASE WHEN substr(brief, 1, 1)"
	    " BETWEEN x'" ENTRY_BRIEF_OLDEST "' AND x'" ENTRY_BRIEF_FIRST
	    "' THEN NULL ELSE record END, seen,"
	    " brief FROM diagnosis d WHERE at >= ? AND at < ?"
	    " ORDER BY at, job, attempt, content",
	[SQL_BY_JOB] = ROW "FROM diagnosis d ORDER BY job, attempt, content",
	[SQL_OF_READING] = ROW "FROM reading r"
			       " LEFT JOIN reading_row w ON w.reading = r.id"
			       " LEFT JOIN diagnosis d ON d.id = w.diagnosis"
			       " WHERE r.stamp = ? ORDER BY w.seq",
	/* a lookup of attempt 0: its number was only assumed, and the log may
	 * be a later attempt's */
	[SQL_OF_JOB] = ROW "FROM diagnosis d WHERE job = ?"
			   " AND NOT (coalesce(lookup, '') LIKE '0 %'"
			   " AND (joined IS NULL OR EXISTS (SELECT 1"
			   " FROM diagnosis o WHERE o.job = d.job"
			   " AND o.content = d.content"
			   " AND o.attempt <> d.attempt)))"
			   " ORDER BY attempt, seen, content",
	[SQL_NAMED] = ROW "FROM diagnosis d WHERE job = ?"
			  " ORDER BY attempt, seen, content",
	[SQL_PUT_ANSWER] = "INSERT INTO answer (job, attempt, verdict, given,"
			   " reason, shadow, at, cluster, place)"
			   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,"
			   " coalesce(?8, ''), coalesce(?9, ''))"
			   " ON CONFLICT (job, attempt, cluster, place)"
			   " DO UPDATE SET"
			   " verdict = excluded.verdict,"
			   " given = excluded.given, reason = excluded.reason,"
			   " shadow = excluded.shadow, at = excluded.at"
			   " WHERE excluded.at >= answer.at",
	/* each end by the index, however many there are */
	[SQL_PAST] =
	    "SELECT '', first, last FROM (SELECT"
	    " (SELECT at FROM diagnosis WHERE fingerprint = ?2"
	    " AND at < ?1 AND failed = 1 ORDER BY at LIMIT 1) AS first,"
	    " (SELECT at FROM diagnosis WHERE fingerprint = ?2"
	    " AND at < ?1 AND failed = 1 ORDER BY at DESC LIMIT 1)"
	    " AS last) WHERE first IS NOT NULL",
	[SQL_SUMS] =
	    "WITH f AS (SELECT CASE WHEN category = 'unknown'"
	    " AND has_log = 0 THEN '" ENTRY_NO_LOG "'"
	    " ELSE category END AS c, job || char(10) ||"
	    " coalesce(cluster, '') || char(10) ||"
	    " coalesce(place, '') AS j, gpu_seconds_lost AS lost"
	    " FROM diagnosis WHERE at >= ?1 AND at < ?2"
	    " AND failed = 1 AND (?3 IS NULL OR cluster = ?3)"
	    " AND (?4 IS NULL OR user = ?4)"
	    " AND (?5 IS NULL OR grp = ?5))"
	    " SELECT '' AS name, count(*), count(DISTINCT j),"
	    " coalesce(sum(lost), 0),"
	    " (SELECT count(*) FROM (SELECT 1 FROM diagnosis LIMIT 1)),"
	    " (SELECT coalesce(min(at), 0) FROM diagnosis) FROM f"
	    " UNION ALL SELECT c, count(*), count(DISTINCT j),"
	    " coalesce(sum(lost), 0), 0, 0 FROM f GROUP BY c"
	    " ORDER BY name",
	[SQL_INFO] = "SELECT count(*), count(DISTINCT CASE"
		     " WHEN cluster IS NULL AND place IS NULL THEN job"
		     " ELSE job || char(10) || coalesce(cluster, '') ||"
		     " char(10) || coalesce(place, '') END),"
		     " coalesce(sum(failed = 1), 0), min(at), max(at),"
		     " (SELECT count(*) FROM reading),"
		     " (SELECT page_count FROM pragma_page_count) *"
		     " (SELECT page_size FROM pragma_page_size) FROM diagnosis",
	/* in parts, between which others may write */
	[SQL_PRUNE] = "DELETE FROM diagnosis WHERE id IN"
		      " (SELECT id FROM diagnosis WHERE at < ? LIMIT 1000)",
	[SQL_PRUNE_READINGS] =
	    "DELETE FROM reading WHERE seen < ? AND NOT EXISTS"
	    " (SELECT 1 FROM reading_row"
	    " WHERE reading = reading.id)",
	[SQL_PRUNE_ANSWERS] = "DELETE FROM answer WHERE at < ?",
	[SQL_PRUNE_GOOD_RUNS] = "DELETE FROM good_run WHERE at < ?",
};

static int add(struct buf *b)
{
	int rc = buf_adds(b, "INSERT INTO diagnosis (");

	for (size_t i = 0; i < STORE_COLUMNS; i++)
		rc |= buf_addf(b, "%s%s", i ? ", " : "", store_column_name(i));
	rc |= buf_adds(b, ") VALUES (");
	for (size_t i = 1; i <= STORE_COLUMNS; i++)
		rc |= buf_addf(b, "%s?%zu", i > 1 ? ", " : "", i);
	return rc | buf_adds(b, ")");
}

/* The same diagnosis of another reading is brought up to date. */
static int put(struct buf *b)
{
	int rc = add(b) |
	    buf_adds(b,
		" ON CONFLICT (job, attempt, content) DO UPDATE SET"
		" seen = min(seen, excluded.seen)");

	for (size_t i = STORE_KEY; i < STORE_COLUMNS; i++)
		if (i != STORE_SEEN)
			rc |= buf_addf(b, ", %s = excluded.%s",
			    store_column_name(i), store_column_name(i));
	return rc |
	    buf_adds(b,
		" WHERE excluded.seen < seen"
		" OR (record, key, lookup, joined, brief)"
		" IS NOT (excluded.record, excluded.key, excluded.lookup,"
		" excluded.joined, excluded.brief)");
}

int store_sql(enum store_sql which, struct buf *out)
{
	switch (which) {
	case SQL_ADD:
		return add(out);
	case SQL_PUT:
		return put(out);
	default:
		return buf_adds(out, statements[which]);
	}
}
