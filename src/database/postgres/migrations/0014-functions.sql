-- Who may execute the functions of this schema, which names they read, and in which order writers lock. The program revokes EXECUTE from
-- PUBLIC after every migration.

-- A transition table hides all other relations of its name, but only in a trigger that declares one. Otherwise these are found, before
-- any that a caller creates; they have no column, so a function that expects one fails.
CREATE TABLE vitrine.new_rows ();
CREATE TABLE vitrine.old_rows ();
ALTER FUNCTION vitrine.bound_callers SET search_path = pg_catalog, vitrine, pg_temp;
ALTER FUNCTION vitrine.follow SET search_path = pg_catalog, vitrine, pg_temp;

-- These had the search_path of their callers.
ALTER FUNCTION vitrine.refuse SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.workspaces_fault SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.own_workspaces_fault SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.own_workspaces SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.take_turns SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.refresh_rows SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.remove_workspaces SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.refresh_workspaces SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION vitrine.keep_views SET search_path = pg_catalog, pg_temp;

-- What docs/sql/server-writes.sql and docs/sql/settings-writes.sql grant, for the roles that they were run for already.
DO $$
DECLARE
  given record;
BEGIN
  FOR given IN
    SELECT DISTINCT CASE relname WHEN 'key_use' THEN 'vitrine.day_in_zone, vitrine.left_out' ELSE 'vitrine.refuse' END AS functions, grantee::regrole AS role
    FROM pg_class CROSS JOIN aclexplode(relacl)
    WHERE relnamespace = 'vitrine'::regnamespace AND relname IN ('key_use', 'api_keys', 'members') AND privilege_type = 'INSERT'
      AND grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', given.functions, given.role);
  END LOOP;
END $$;

-- Every writer locks workspaces, then revisions, each in the order of their ids; and a workspace at once as strongly as it will need it.
-- A row that refers to a workspace locks it so anyway; here one that is changed or deleted does, too.
CREATE FUNCTION vitrine.move_revisions(workspaces text[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM vitrine.workspaces AS w WHERE w.id = ANY (workspaces) ORDER BY w.id FOR KEY SHARE;
  IF cardinality(workspaces) > 1 THEN
    PERFORM FROM vitrine.revisions WHERE workspace_id = ANY (workspaces) ORDER BY workspace_id FOR UPDATE;
  END IF;
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number) WHERE workspace_id = ANY (workspaces);
END $$;
CREATE OR REPLACE FUNCTION vitrine.move_revisions_new() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, vitrine, pg_temp AS $$
BEGIN
  PERFORM vitrine.move_revisions(ARRAY(SELECT DISTINCT workspace_id FROM new_rows));
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION vitrine.move_revisions_old() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, vitrine, pg_temp AS $$
BEGIN
  PERFORM vitrine.move_revisions(ARRAY(SELECT DISTINCT workspace_id FROM old_rows));
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION vitrine.move_revisions_both() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, vitrine, pg_temp AS $$
BEGIN
  PERFORM vitrine.move_revisions(ARRAY(SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows));
  RETURN NULL;
END $$;

-- Writers of own tables hold this lock together; whoever shows everything anew holds it alone. Any role could hold an advisory lock, and
-- keep an application from committing: own_lock() is left for transactions that are committing now.
CREATE TABLE vitrine.own_turns ();

CREATE OR REPLACE FUNCTION vitrine.show(changes vitrine.own_changes[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  change vitrine.own_changes;
  workspaces text[];
BEGIN
  PERFORM vitrine.keep_views(from_source) FROM (SELECT DISTINCT from_source FROM unnest(changes) ORDER BY 1) AS sources;
  -- A row of another table may concern rows that others are about to commit, in workspaces that nobody can know: it waits for them all.
  IF EXISTS (SELECT FROM unnest(changes) WHERE by_column <> 'id') THEN LOCK TABLE vitrine.own_turns IN EXCLUSIVE MODE;
  ELSE LOCK TABLE vitrine.own_turns IN ROW EXCLUSIVE MODE;
  END IF;
  -- All rows, where the keys say nothing of what is shown.
  changes := ARRAY(SELECT ROW(transaction, of_table, from_source,
      CASE WHEN keys IS NOT NULL AND quote_ident(by_column) IN (SELECT vitrine.own_columns(of_table, from_source)) THEN by_column END, keys)::vitrine.own_changes
    FROM unnest(changes) WITH ORDINALITY ORDER BY ordinality);
  FOREACH change IN ARRAY changes LOOP
    workspaces := workspaces || vitrine.own_workspaces(change.of_table, change.from_source, change.by_column, change.keys);
  END LOOP;
  -- A workspace may be renamed or deleted, if it is one of those that changed.
  IF EXISTS (SELECT FROM unnest(changes) WHERE of_table = 'workspaces') THEN PERFORM FROM vitrine.workspaces AS w WHERE w.id = ANY (workspaces) ORDER BY w.id FOR UPDATE;
  ELSE PERFORM FROM vitrine.workspaces AS w WHERE w.id = ANY (workspaces) ORDER BY w.id FOR KEY SHARE;
  END IF;
  PERFORM vitrine.take_turns(workspaces);
  FOREACH change IN ARRAY changes LOOP
    PERFORM vitrine.refresh(change.of_table, change.from_source, change.by_column, change.keys);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION vitrine.show_all(from_source text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown text;
  workspaces text[];
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'show_all must see what others commit while it waits for them: run it in a READ COMMITTED transaction' USING ERRCODE = 'active_sql_transaction';
  END IF;
  PERFORM vitrine.keep_views(from_source);
  LOCK TABLE vitrine.own_turns IN EXCLUSIVE MODE;
  FOR shown IN SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables LOOP
    workspaces := workspaces || vitrine.own_workspaces(shown, from_source, NULL, NULL);
  END LOOP;
  PERFORM FROM vitrine.workspaces AS w WHERE w.id = ANY (workspaces) ORDER BY w.id FOR UPDATE;
  PERFORM vitrine.take_turns(workspaces);
  FOR shown IN SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables LOOP
    PERFORM vitrine.refresh(shown, from_source);
  END LOOP;
END $$;
