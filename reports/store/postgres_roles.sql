-- Roles for a shared store in PostgreSQL, and what each may do. The owner runs
-- this once, after the first `jobtriage store info|scan` has made the store:
--
--	psql -f postgres_roles.sql 'postgresql://host/jobtriage'
--
-- Then give them to people and machines: GRANT jobtriage_writer TO scanner;
-- It may be run again, also after a new version of jobtriage.
DO $$ BEGIN
	IF to_regrole('jobtriage_reader') IS NULL THEN
		CREATE ROLE jobtriage_reader NOLOGIN;
	END IF;
	IF to_regrole('jobtriage_writer') IS NULL THEN
		CREATE ROLE jobtriage_writer NOLOGIN;
	END IF;
	IF to_regrole('jobtriage_node') IS NULL THEN
		CREATE ROLE jobtriage_node NOLOGIN;
	END IF;
END $$;
REVOKE ALL ON ALL TABLES IN SCHEMA jobtriage FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA jobtriage FROM PUBLIC;
GRANT USAGE ON SCHEMA jobtriage
	TO jobtriage_reader, jobtriage_writer, jobtriage_node;

-- report, explain, gate replay, store info|export, Grafana
GRANT SELECT ON ALL TABLES IN SCHEMA jobtriage TO jobtriage_reader;
-- and what a newer version adds
ALTER DEFAULT PRIVILEGES IN SCHEMA jobtriage
	GRANT SELECT ON TABLES TO jobtriage_reader;

-- a node: it adds diagnoses and answers, and sees nothing of what is there
GRANT SELECT ON jobtriage.store TO jobtriage_node;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA jobtriage TO jobtriage_node;
ALTER DEFAULT PRIVILEGES IN SCHEMA jobtriage
	GRANT EXECUTE ON FUNCTIONS TO jobtriage_node;

-- scan and gate: the same, and it reads what it has read before
GRANT jobtriage_reader, jobtriage_node TO jobtriage_writer;

-- and what a person says of the failures: groups name|merge|ignore
GRANT INSERT, UPDATE ON jobtriage.failure_group TO jobtriage_writer;
-- and of a job: judge
GRANT INSERT, UPDATE, DELETE ON jobtriage.judgement TO jobtriage_writer;

-- and what good runs print: scan --learn, baseline learn|forget
GRANT INSERT, UPDATE, DELETE ON jobtriage.good_run TO jobtriage_writer;

-- Rows by account, for readers who may not see all. Off until somebody says
--	ALTER TABLE jobtriage.diagnosis ENABLE ROW LEVEL SECURITY;
--	ALTER TABLE jobtriage.judgement ENABLE ROW LEVEL SECURITY;
--	ALTER TABLE jobtriage.good_run ENABLE ROW LEVEL SECURITY;
-- From then on a role sees the jobs of its own name, of the accounts that
-- jobtriage.account lists for it, and, as jobtriage_writer, all.
CREATE TABLE IF NOT EXISTS jobtriage.account (
	role name NOT NULL,
	account text NOT NULL,
	PRIMARY KEY (role, account)
);
GRANT SELECT ON jobtriage.account TO jobtriage_reader;
DROP POLICY IF EXISTS own ON jobtriage.diagnosis;
CREATE POLICY own ON jobtriage.diagnosis FOR SELECT TO jobtriage_reader
	USING ("user" = current_user
		OR grp IN (SELECT account FROM jobtriage.account
			WHERE role = current_user));
DROP POLICY IF EXISTS everything ON jobtriage.diagnosis;
CREATE POLICY everything ON jobtriage.diagnosis FOR SELECT
	TO jobtriage_writer USING (true);
DROP POLICY IF EXISTS own ON jobtriage.judgement;
CREATE POLICY own ON jobtriage.judgement FOR SELECT TO jobtriage_reader
	USING (owner = current_user
		OR account IN (SELECT a.account FROM jobtriage.account a
			WHERE a.role = current_user));
DROP POLICY IF EXISTS everything ON jobtriage.judgement;
CREATE POLICY everything ON jobtriage.judgement TO jobtriage_writer
	USING (true);
DROP POLICY IF EXISTS own ON jobtriage.good_run;
CREATE POLICY own ON jobtriage.good_run FOR SELECT TO jobtriage_reader
	USING (owner = current_user
		OR account IN (SELECT a.account FROM jobtriage.account a
			WHERE a.role = current_user));
DROP POLICY IF EXISTS everything ON jobtriage.good_run;
CREATE POLICY everything ON jobtriage.good_run TO jobtriage_writer
	USING (true);
