/*
 * Views for people and for Grafana. What a report counts is `attempts`: each
 * attempt of a job once, by the diagnosis that was seen last. The time and the
 * day of a row are expressions that an index knows: rows come about in order
 * of time, so that a block range index finds a period at hardly any cost.
 */
#include "reports/store/store_postgres_sql.h"

#define TIME STORE_POSTGRES_TIME("at")
#define DAY "to_timestamp(floor(at / 86400000000.0) * 86400)"

/* One row at a time, by the index: a join would read all of the table. */
#define ATTEMPTS(create, more, same, first)                                    \
	create                                                                 \
	    " VIEW attempts AS SELECT " TIME " AS time, " DAY " AS day,"       \
	    " job, attempt, \"user\", grp AS account, node,"                   \
	    " CASE failed WHEN 1 THEN 'failed' WHEN 0 THEN 'well'"             \
	    " ELSE 'unknown' END AS outcome,"                                  \
	    " CASE WHEN failed = 1 AND has_log = 0 AND category = 'unknown'"   \
	    " THEN 'no_log' ELSE category END AS category,"                    \
	    " dimension, stage, verdict, confidence, rule, fingerprint, gpus," \
	    " seconds, gpu_seconds / 3600.0 AS gpu_hours,"                     \
	    " CASE WHEN failed = 1 THEN gpu_seconds_lost / 3600.0 END"         \
	    " AS gpu_hours_lost, estimated = 1 AS estimated" more              \
	    " FROM diagnosis d WHERE id = (SELECT o.id FROM diagnosis o"       \
	    " WHERE o.job = d.job AND o.attempt = d.attempt"                   \
	    " AND coalesce(o.\"user\" = d.\"user\", true)" same                \
	    " ORDER BY" first                                                  \
	    " o.seen DESC, o.at DESC, o.content DESC LIMIT 1);"

/* A view that adds up the attempts of a day by something. */
#define BY_DAY(create, name, key, which, job)                                  \
	create " VIEW " name " AS SELECT day, " key ","                        \
	       " count(*) AS attempts,"                                        \
	       " count(*) FILTER (WHERE outcome = 'failed') AS failed,"        \
	       " count(DISTINCT " job ") AS jobs, coalesce(sum(gpu_hours), 0)" \
	       " AS gpu_hours, coalesce(sum(gpu_hours)"                        \
	       " FILTER (WHERE outcome = 'failed'), 0) AS gpu_hours_failed,"   \
	       " coalesce(sum(gpu_hours_lost), 0) AS gpu_hours_lost FROM "     \
	       "attempts " which " GROUP BY day, " key ";"
#define FAILED "WHERE outcome = 'failed'"
#define ALL_BY_DAY(create, job)                                               \
	BY_DAY(create, "failures_by_day", "category, dimension", FAILED, job) \
	BY_DAY(create, "verdicts_by_day", "verdict", FAILED, job)             \
	BY_DAY(create, "users_by_day", "\"user\"", "", job)                   \
	BY_DAY(create, "accounts_by_day", "account", "", job)                 \
	BY_DAY(create, "nodes_by_day", "node", FAILED, job)

/* Who asks counts, not who made the view. */
#define FOR_WHO_ASKS(names)                                             \
	"DO $$ DECLARE v text; BEGIN"                                   \
	" IF current_setting('server_version_num')::int >= 150000 THEN" \
	" FOREACH v IN ARRAY ARRAY['attempts', 'failures_by_day',"      \
	" 'verdicts_by_day', 'users_by_day', 'accounts_by_day',"        \
	" 'nodes_by_day'" names "] LOOP EXECUTE 'ALTER VIEW ' || v ||"  \
	" ' SET (security_invoker = true)'; END LOOP; END IF; END $$;"

const char store_postgres_views[] =
    /* of a table that only grows, a fifth is much to wait for */
    "ALTER TABLE diagnosis SET (autovacuum_vacuum_scale_factor = 0.02,"
    " autovacuum_vacuum_insert_scale_factor = 0.05,"
    " autovacuum_analyze_scale_factor = 0.02);"
    "CREATE INDEX diagnosis_time ON diagnosis USING brin"
    " ((" TIME "), (" DAY
    ")) WITH (autosummarize = on, pages_per_range = 64);" ATTEMPTS(
	"CREATE", "", "", "")
    /* clang-format off */
    ALL_BY_DAY("CREATE", "job")
    /* clang-format on */
    FOR_WHO_ASKS("");

/* The same with the cluster at the end, which the place of a log and the
 * cluster tell apart, and whether any time is known: a report counts what has
 * none on no day. */
const char store_postgres_views_of_clusters[] = ATTEMPTS("CREATE OR REPLACE",
    ", cluster, started IS NULL AND ended IS NULL AS undated",
    " AND coalesce(o.cluster = d.cluster, true)"
    " AND coalesce(o.place = d.place, true)",
    " o.has_log DESC,")
    /* clang-format off */
    ALL_BY_DAY("CREATE OR REPLACE", "(cluster, job)")
    BY_DAY("CREATE", "clusters_by_day", "cluster", "", "job")
    /* clang-format on */
    FOR_WHO_ASKS(", 'clusters_by_day', 'jobs'");
