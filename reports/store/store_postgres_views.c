/*
 * Views for people and for Grafana. What a report counts is `attempts`: each
 * attempt of a job once, by the diagnosis that was seen last. The time and the
 * day of a row are expressions that an index knows: rows come about in order
 * of time, so that a block range index finds a period at hardly any cost.
 */
#include "reports/store/store_postgres_sql.h"

#define TIME "to_timestamp(at / 1000000.0)"
#define DAY "to_timestamp(floor(at / 86400000000.0) * 86400)"

/* A view that adds up the attempts of a day by something. */
#define BY_DAY(name, key, which)                                      \
	"CREATE VIEW " name " AS SELECT day, " key ","                \
	" count(*) AS attempts,"                                      \
	" count(*) FILTER (WHERE outcome = 'failed') AS failed,"      \
	" count(DISTINCT job) AS jobs, coalesce(sum(gpu_hours), 0)"   \
	" AS gpu_hours, coalesce(sum(gpu_hours)"                      \
	" FILTER (WHERE outcome = 'failed'), 0) AS gpu_hours_failed," \
	" coalesce(sum(gpu_hours_lost), 0) AS gpu_hours_lost FROM "   \
	"attempts " which " GROUP BY day, " key ";"
#define FAILED "WHERE outcome = 'failed'"

const char store_postgres_views[] =
    /* of a table that only grows, a fifth is much to wait for */
    "ALTER TABLE diagnosis SET (autovacuum_vacuum_scale_factor = 0.02,"
    " autovacuum_vacuum_insert_scale_factor = 0.05,"
    " autovacuum_analyze_scale_factor = 0.02);"
    "CREATE INDEX diagnosis_time ON diagnosis USING brin"
    " ((" TIME "), (" DAY ")) WITH (autosummarize = on, pages_per_range = 64);"
    "CREATE VIEW attempts AS SELECT " TIME " AS time, " DAY " AS day,"
    " job, attempt, \"user\", grp AS account, node,"
    " CASE failed WHEN 1 THEN 'failed' WHEN 0 THEN 'well'"
    " ELSE 'unknown' END AS outcome,"
    " CASE WHEN failed = 1 AND has_log = 0 AND category = 'unknown'"
    " THEN 'no_log' ELSE category END AS category,"
    " dimension, stage, verdict, confidence, rule, fingerprint, gpus, seconds,"
    " gpu_seconds / 3600.0 AS gpu_hours,"
    " CASE WHEN failed = 1 THEN gpu_seconds_lost / 3600.0 END"
    " AS gpu_hours_lost, estimated = 1 AS estimated FROM diagnosis d"
    /* one row at a time, by the index: a join would read all of the table */
    " WHERE id = (SELECT o.id FROM diagnosis o WHERE o.job = d.job"
    " AND o.attempt = d.attempt"
    " AND coalesce(o.\"user\" = d.\"user\", true)"
    " ORDER BY o.seen DESC, o.at DESC, o.content DESC LIMIT 1);"
    /* clang-format off */
    BY_DAY("failures_by_day", "category, dimension", FAILED)
    BY_DAY("verdicts_by_day", "verdict", FAILED)
    BY_DAY("users_by_day", "\"user\"", "")
    BY_DAY("accounts_by_day", "account", "")
    BY_DAY("nodes_by_day", "node", FAILED)
    /* clang-format on */
    "DO $$ DECLARE v text; BEGIN"
    " IF current_setting('server_version_num')::int >= 150000 THEN"
    " FOREACH v IN ARRAY ARRAY['attempts', 'failures_by_day',"
    " 'verdicts_by_day', 'users_by_day', 'accounts_by_day', 'nodes_by_day']"
    " LOOP EXECUTE 'ALTER VIEW ' || v || ' SET (security_invoker = true)';"
    " END LOOP; END IF; END $$;";
