-- For whoever writes besides Vitrine: logical replication, and applications with tables of their own.

-- Statement triggers do not fire where logical replication applies rows. The revision moves once a transaction, however many rows it
-- has: were it to move with each, every move would have to step over all those before it.
CREATE FUNCTION vitrine.move_revisions_replicated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
ALTER TABLE vitrine.workspaces ENABLE ALWAYS TRIGGER workspace_changed;
ALTER TABLE vitrine.workspaces ENABLE ALWAYS TRIGGER workspaces_truncated;

-- An application's own tables. The operator maps them with views: vitrine.<table>_from_<source> has id, and each column that is to be
-- shown under its name here. Triggers on the application's tables call follow(), which brings what is shown of the changed rows to what
-- the view has of them. They are read again, not passed on: so it does not matter how they came to be as they are.
ALTER TABLE vitrine.workspaces ADD COLUMN source text;

CREATE FUNCTION vitrine.own_view(of_table text, from_source text) RETURNS regclass LANGUAGE sql STABLE
  RETURN to_regclass(format('vitrine.%I', of_table || '_from_' || from_source));

-- No name that a sync accepts, so that it takes no such row for its own.
CREATE FUNCTION vitrine.own_source(from_source text) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'own:' || from_source;

-- Writers hold this lock together; whoever shows everything anew holds it alone, so that no write falls between reading and showing.
CREATE FUNCTION vitrine.own_lock(from_source text) RETURNS bigint LANGUAGE sql IMMUTABLE
  RETURN hashtextextended('vitrine own tables ' || from_source, 0);

-- What a workspace of an application must have besides.
CREATE FUNCTION vitrine.own_workspaces_fault(shown vitrine.workspaces) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN shown.id IS NULL THEN 'workspaces_id_not_null: id must not be null'
    WHEN shown.slug IS NULL THEN 'workspaces_slug_not_null: slug must not be null'
    WHEN shown.name IS NULL THEN 'workspaces_name_not_null: name must not be null'
    WHEN shown.created_at IS NULL THEN 'workspaces_created_at_not_null: created_at must not be null'
    WHEN EXISTS (SELECT FROM vitrine.workspaces AS w WHERE w.slug = shown.slug AND w.source IS DISTINCT FROM shown.source)
      THEN 'workspaces_slug_free: another workspace has this slug'
    ELSE vitrine.workspaces_fault(shown)
  END
$$;

-- The row of a view, v, as one of its table. What the view lacks has its default.
CREATE FUNCTION vitrine.own_row(of_table text, from_source text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('ROW(%s)::vitrine.%I', string_agg(
    CASE
      WHEN a.attname = 'source' THEN quote_literal(vitrine.own_source(from_source))
      WHEN v.attname IS NOT NULL THEN format('v.%I::%s', v.attname, format_type(a.atttypid, a.atttypmod))
      ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), 'NULL')
    END, ', ' ORDER BY a.attnum), of_table)
  FROM pg_attribute AS a
  LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN pg_attribute AS v ON v.attrelid = vitrine.own_view(of_table, from_source) AND v.attname = a.attname AND v.attname <> 'seq'
  WHERE a.attrelid = format('vitrine.%I', of_table)::regclass AND a.attnum > 0 AND NOT a.attisdropped
$$;

-- The columns that both the view and its table have.
CREATE FUNCTION vitrine.own_columns(of_table text, from_source text) RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT quote_ident(a.attname) FROM pg_attribute AS a JOIN pg_attribute AS v USING (attname)
  WHERE a.attrelid = format('vitrine.%I', of_table)::regclass AND v.attrelid = vitrine.own_view(of_table, from_source)
    AND a.attnum > 0 AND a.attname NOT IN ('seq', 'source')
  ORDER BY a.attnum
$$;

-- Which rows of a view, v, have one of the keys $1 in a column; all without one.
CREATE FUNCTION vitrine.own_filter(of_table text, from_source text, by_column text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN by_column IS NULL THEN 'true' ELSE (
    SELECT format('v.%I = ANY ($1::%s[])', attname, format_type(atttypid, atttypmod))
    FROM pg_attribute WHERE attrelid = vitrine.own_view(of_table, from_source) AND attname = by_column) END
$$;

CREATE FUNCTION vitrine.own_fault(of_table text) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN CASE of_table WHEN 'workspaces' THEN 'own_workspaces_fault' ELSE of_table || '_fault' END;

-- Whether the workspace of a row, r, is shown. Where the source has workspaces of its own, its rows come into no others: an
-- application may take any text for the id of a team.
CREATE FUNCTION vitrine.own_workspace(of_table text, from_source text) RETURNS text LANGUAGE sql STABLE
  RETURN CASE WHEN of_table = 'workspaces' THEN 'true' ELSE format('EXISTS (SELECT FROM vitrine.workspaces AS w WHERE w.id = (r).workspace_id AND %s)',
    CASE WHEN vitrine.own_view('workspaces', from_source) IS NULL THEN 'true' ELSE format('w.source = %L', vitrine.own_source(from_source)) END) END;

-- found: the rows of the view; wanted: those of them that can be shown.
CREATE FUNCTION vitrine.own_rows(of_table text, from_source text, by_column text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('WITH found AS MATERIALIZED (SELECT %1$s AS r FROM %2$s AS v WHERE %3$s),
    wanted AS MATERIALIZED (SELECT (r).* FROM found WHERE vitrine.%4$I(r) IS NULL AND %5$s)',
    vitrine.own_row(of_table, from_source), vitrine.own_view(of_table, from_source),
    vitrine.own_filter(of_table, from_source, by_column), vitrine.own_fault(of_table),
    vitrine.own_workspace(of_table, from_source))
$$;

-- What is shown of the rows, t, that have one of the keys $1 in a column, there or in the view: the view may no longer have them.
CREATE FUNCTION vitrine.own_shown(of_table text, from_source text, by_column text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('FROM vitrine.%I AS t WHERE t.source = $2 AND ', of_table) || CASE
    WHEN by_column IS NULL THEN 'true'
    WHEN by_column = 'id' THEN $q$t.id = ANY ($1) AND t.source LIKE 'own:%'$q$
    WHEN by_column = 'workspace_id' THEN 't.workspace_id = ANY ($1)'
    ELSE format('(t.%1$I::text = ANY ($1) OR (t.%2$I, t.id) IN (SELECT v.%2$I::text, v.id::text FROM %3$s AS v WHERE %4$s))',
      by_column, CASE of_table WHEN 'workspaces' THEN 'id' ELSE 'workspace_id' END,
      vitrine.own_view(of_table, from_source), vitrine.own_filter(of_table, from_source, by_column)) END
$$;

-- The workspaces of these rows, as they are shown and as they will be; all of them if the view cannot read its rows.
CREATE FUNCTION vitrine.own_workspaces(of_table text, from_source text, by_column text, keys text[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  workspaces text[];
BEGIN
  IF vitrine.own_view(of_table, from_source) IS NULL THEN RETURN '{}'; END IF;
  EXECUTE format('SELECT array_agg(id) FROM (SELECT v.%1$I::text FROM %2$s AS v WHERE %3$s UNION SELECT t.%1$I %4$s) AS concerned (id) WHERE id IS NOT NULL',
      CASE of_table WHEN 'workspaces' THEN 'id' ELSE 'workspace_id' END, vitrine.own_view(of_table, from_source),
      vitrine.own_filter(of_table, from_source, by_column), vitrine.own_shown(of_table, from_source, by_column))
    INTO workspaces USING keys, vitrine.own_source(from_source);
  RETURN workspaces;
EXCEPTION WHEN data_exception OR cardinality_violation OR raise_exception OR program_limit_exceeded THEN
  RETURN ARRAY(SELECT id FROM vitrine.workspaces);
END $$;

-- Writers take the turns of their workspaces before anything else, and in the same order. One that writes to a workspace which is not shown waits for whoever
-- is about to show it; if that one reads an older snapshot, it fails to serialize and is retried.
CREATE FUNCTION vitrine.take_turns(workspaces text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO vitrine.revisions SELECT DISTINCT id, vitrine.next_revision(0) FROM unnest(workspaces) AS id ORDER BY id ON CONFLICT DO NOTHING;
  PERFORM FROM vitrine.revisions WHERE workspace_id = ANY (workspaces) ORDER BY workspace_id FOR UPDATE;
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id = ANY (workspaces) AND NOT EXISTS (SELECT FROM vitrine.workspaces AS w WHERE w.id = workspace_id);
END $$;

CREATE FUNCTION vitrine.refresh_rows(of_table text, from_source text, by_column text, keys text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own text := vitrine.own_source(from_source);
  columns text[] := ARRAY(SELECT vitrine.own_columns(of_table, from_source));
BEGIN
  EXECUTE vitrine.own_rows(of_table, from_source, by_column)
    || ', gone AS (DELETE ' || vitrine.own_shown(of_table, from_source, by_column) || ' AND (t.workspace_id, t.id) NOT IN (SELECT workspace_id, id FROM wanted))'
    || format(', changed AS (UPDATE vitrine.%1$I AS t SET (%2$s) = ROW (%4$s) FROM wanted
        WHERE t.workspace_id = wanted.workspace_id AND t.id = wanted.id AND t.source = $2 AND (%3$s) IS DISTINCT FROM (%4$s))
      INSERT INTO vitrine.%1$I (source, %2$s) SELECT source, %2$s FROM wanted
      WHERE NOT EXISTS (SELECT FROM vitrine.%1$I AS t WHERE t.workspace_id = wanted.workspace_id AND t.id = wanted.id)
      ORDER BY created_at, id ON CONFLICT DO NOTHING',
      of_table, array_to_string(columns, ', '), 't.' || array_to_string(columns, ', t.'), 'wanted.' || array_to_string(columns, ', wanted.'))
    USING keys, own;
END $$;

CREATE FUNCTION vitrine.remove_workspaces(from_source text, ids text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  resource text;
BEGIN
  ids := ARRAY(SELECT id FROM vitrine.workspaces WHERE id = ANY (ids) AND source = vitrine.own_source(from_source));
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  FOR resource IN SELECT name FROM vitrine.resource_tables LOOP
    EXECUTE format('DELETE FROM vitrine.%I WHERE workspace_id = ANY ($1)', resource) USING ids;
  END LOOP;
  DELETE FROM vitrine.workspaces WHERE id = ANY (ids);
END $$;

CREATE FUNCTION vitrine.refresh_workspaces(from_source text, by_column text, keys text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  own text := vitrine.own_source(from_source);
  own_rows text := vitrine.own_rows('workspaces', from_source, by_column);
  columns text[] := ARRAY(SELECT vitrine.own_columns('workspaces', from_source));
  -- A view cannot remember when a workspace was archived: the first moment stays.
  changed text[] := ARRAY(SELECT CASE name WHEN 'archived_at' THEN
      'CASE WHEN (t.archived_at IS NULL) = (wanted.archived_at IS NULL) THEN t.archived_at ELSE wanted.archived_at END'
    ELSE 'wanted.' || name END FROM unnest(columns) AS name);
  gone text[];
  added text[];
  resource text;
BEGIN
  EXECUTE own_rows || ' SELECT
      (SELECT array_agg(t.id) ' || vitrine.own_shown('workspaces', from_source, by_column) || ' AND t.id NOT IN (SELECT id FROM wanted)),
      (SELECT array_agg(id) FROM wanted WHERE NOT EXISTS (SELECT FROM vitrine.workspaces AS t WHERE t.id = wanted.id))'
    INTO gone, added USING keys, own;
  PERFORM vitrine.remove_workspaces(from_source, gone);
  -- Two that exchange their slugs in one statement would stand in each other's way.
  EXECUTE own_rows || ' UPDATE vitrine.workspaces AS t SET slug = ''renamed-'' || md5(t.id) FROM wanted
      WHERE t.id = wanted.id AND t.source = $2 AND t.slug <> wanted.slug' USING keys, own;
  EXECUTE own_rows || format(', changed AS (UPDATE vitrine.workspaces AS t SET (%1$s) = ROW (%3$s) FROM wanted
        WHERE t.id = wanted.id AND t.source = $2 AND (%2$s) IS DISTINCT FROM (%3$s))
      INSERT INTO vitrine.workspaces (source, %1$s) SELECT source, %1$s FROM wanted
      WHERE NOT EXISTS (SELECT FROM vitrine.workspaces AS t WHERE t.id = wanted.id) ORDER BY id ON CONFLICT DO NOTHING',
      array_to_string(columns, ', '), 't.' || array_to_string(columns, ', t.'), array_to_string(changed, ', '))
    USING keys, own;
  FOR resource IN SELECT name FROM vitrine.resource_tables WHERE added IS NOT NULL LOOP
    PERFORM vitrine.refresh(resource, from_source, 'workspace_id', added);
  END LOOP;
END $$;

-- Brings what is shown to what the view has: of the rows that have one of the keys in a column of the view, or of all. A row that the
-- database refuses for any further reason is left out: every half is tried without the other, down to that row. With this much
-- memory NOT IN looks up a hash table, whatever the planner expects of rows that nobody has counted yet.
CREATE FUNCTION vitrine.refresh(of_table text, from_source text, by_column text DEFAULT NULL, keys text[] DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET work_mem = '256MB' AS $$
DECLARE
  ids text[] := keys;
  half integer;
BEGIN
  IF vitrine.own_view(of_table, from_source) IS NULL THEN RETURN; END IF;
  BEGIN
    IF of_table = 'workspaces' THEN PERFORM vitrine.refresh_workspaces(from_source, by_column, keys);
    ELSE PERFORM vitrine.refresh_rows(of_table, from_source, by_column, keys);
    END IF;
    RETURN;
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR cardinality_violation OR raise_exception OR program_limit_exceeded THEN
    IF by_column = 'id' AND cardinality(keys) = 1 THEN
      IF of_table = 'workspaces' THEN PERFORM vitrine.remove_workspaces(from_source, keys);
      ELSE EXECUTE format($q$DELETE FROM vitrine.%I WHERE id = $1 AND source = $2 AND source LIKE 'own:%%'$q$, of_table)
        USING keys[1], vitrine.own_source(from_source);
      END IF;
      RETURN;
    END IF;
  END;
  IF by_column IS DISTINCT FROM 'id' THEN
    EXECUTE format('SELECT array_agg(id) FROM (SELECT v.id::text FROM %s AS v WHERE %s UNION SELECT t.id %s) AS concerned (id) WHERE id IS NOT NULL',
        vitrine.own_view(of_table, from_source), vitrine.own_filter(of_table, from_source, by_column), vitrine.own_shown(of_table, from_source, by_column))
      INTO ids USING keys, vitrine.own_source(from_source);
  END IF;
  half := cardinality(ids) / 2;
  IF half > 0 THEN PERFORM vitrine.refresh(of_table, from_source, 'id', ids[:half]); END IF;
  IF half < cardinality(ids) THEN PERFORM vitrine.refresh(of_table, from_source, 'id', ids[half + 1:]); END IF;
END $$;

-- What a transaction has changed, until it commits: no entry outlives its transaction, so nobody else sees one.
CREATE UNLOGGED TABLE vitrine.own_changes (
  transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
  of_table    text NOT NULL,
  from_source text NOT NULL,
  by_column   text NOT NULL,
  -- Null for all.
  keys        text[]
);
CREATE INDEX own_changes_of_transaction ON vitrine.own_changes (transaction);

-- The trigger on an application's table: follow(table, source [, its column with the key [, the view's column with that key]]).
CREATE FUNCTION vitrine.follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  key text := coalesce(TG_ARGV[2], 'id');
  keys text[];
BEGIN
  IF TG_LEVEL = 'ROW' THEN
    keys := ARRAY(SELECT DISTINCT k FROM unnest(ARRAY[to_jsonb(OLD) ->> key, to_jsonb(NEW) ->> key]) AS k WHERE k IS NOT NULL);
  ELSIF TG_OP <> 'TRUNCATE' THEN
    EXECUTE format(CASE TG_OP
        WHEN 'INSERT' THEN 'SELECT array_agg(DISTINCT %1$I::text) FROM new_rows'
        WHEN 'DELETE' THEN 'SELECT array_agg(DISTINCT %1$I::text) FROM old_rows'
        ELSE 'SELECT array_agg(DISTINCT k) FROM (SELECT %1$I::text FROM old_rows UNION ALL SELECT %1$I::text FROM new_rows) AS changed (k)'
      END, key) INTO keys;
    IF keys IS NULL THEN RETURN NULL; END IF;
  END IF;
  -- Where replication applies a row with the rights of the table's owner, PostgreSQL defers nothing.
  IF current_setting('session_replication_role') = 'replica' THEN
    PERFORM vitrine.show(ARRAY[ROW(NULL, TG_ARGV[0], TG_ARGV[1], coalesce(TG_ARGV[3], 'id'), keys)::vitrine.own_changes]);
  ELSE
    INSERT INTO vitrine.own_changes (of_table, from_source, by_column, keys) VALUES (TG_ARGV[0], TG_ARGV[1], coalesce(TG_ARGV[3], 'id'), keys);
  END IF;
  RETURN NULL;
END $$;

-- A view that is there when its rows are about to be shown stays until they are: whoever drops or replaces it waits.
CREATE FUNCTION vitrine.keep_views(from_source text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  shown text;
BEGIN
  FOR shown IN SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables LOOP
    CONTINUE WHEN vitrine.own_view(shown, from_source) IS NULL;
    BEGIN
      EXECUTE format('LOCK TABLE vitrine.%I IN ACCESS SHARE MODE', shown || '_from_' || from_source);
    EXCEPTION WHEN undefined_table THEN NULL;
    END;
  END LOOP;
END $$;

CREATE FUNCTION vitrine.show(changes vitrine.own_changes[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  change vitrine.own_changes;
  workspaces text[];
BEGIN
  PERFORM vitrine.keep_views(from_source) FROM (SELECT DISTINCT from_source FROM unnest(changes) ORDER BY 1) AS sources;
  -- A row of another table may concern rows that others are about to commit, in workspaces that nobody can know: it waits for them all.
  PERFORM CASE WHEN by_others THEN pg_advisory_xact_lock(vitrine.own_lock(from_source)) ELSE pg_advisory_xact_lock_shared(vitrine.own_lock(from_source)) END
  FROM (SELECT from_source, bool_or(by_column <> 'id') AS by_others FROM unnest(changes) GROUP BY from_source ORDER BY from_source) AS sources;
  -- All rows, where the keys say nothing of what is shown.
  changes := ARRAY(SELECT ROW(transaction, of_table, from_source,
      CASE WHEN keys IS NOT NULL AND quote_ident(by_column) IN (SELECT vitrine.own_columns(of_table, from_source)) THEN by_column END, keys)::vitrine.own_changes
    FROM unnest(changes) WITH ORDINALITY ORDER BY ordinality);
  FOREACH change IN ARRAY changes LOOP
    workspaces := workspaces || vitrine.own_workspaces(change.of_table, change.from_source, change.by_column, change.keys);
  END LOOP;
  PERFORM vitrine.take_turns(workspaces);
  FOREACH change IN ARRAY changes LOOP
    PERFORM vitrine.refresh(change.of_table, change.from_source, change.by_column, change.keys);
  END LOOP;
END $$;

-- At the commit, so that the turns of all workspaces are taken at once and in order, and nobody waits for a transaction that takes long.
-- The first of its entries shows them all; keys that are null stand for all rows.
CREATE FUNCTION vitrine.show_changes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changes vitrine.own_changes[];
BEGIN
  WITH mine AS (DELETE FROM vitrine.own_changes WHERE transaction = NEW.transaction RETURNING *),
  grouped AS (
    SELECT NEW.transaction, of_table, from_source, by_column, CASE WHEN NOT bool_or(keys IS NULL) THEN array_agg(DISTINCT key) END
    FROM mine LEFT JOIN LATERAL unnest(keys) AS key ON true GROUP BY of_table, from_source, by_column
  )
  -- Workspaces before what is in them.
  SELECT array_agg(grouped::vitrine.own_changes ORDER BY of_table <> 'workspaces', of_table, from_source) INTO changes FROM grouped;
  IF changes IS NOT NULL THEN PERFORM vitrine.show(changes); END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER own_changes_shown AFTER INSERT ON vitrine.own_changes DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION vitrine.show_changes();

-- Everything that the views of a source have: when they are new or were changed, or triggers were off. It can be run at any time.
CREATE FUNCTION vitrine.show_all(from_source text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown text;
  workspaces text[];
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'show_all must see what others commit while it waits for them: run it in a READ COMMITTED transaction' USING ERRCODE = 'active_sql_transaction';
  END IF;
  PERFORM vitrine.keep_views(from_source);
  PERFORM pg_advisory_xact_lock(vitrine.own_lock(from_source));
  FOR shown IN SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables LOOP
    workspaces := workspaces || vitrine.own_workspaces(shown, from_source, NULL, NULL);
  END LOOP;
  PERFORM vitrine.take_turns(workspaces);
  FOR shown IN SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables LOOP
    PERFORM vitrine.refresh(shown, from_source);
  END LOOP;
END $$;

-- For doctor: the rows of a view that are not shown, and those that are shown as they no longer are; with the reason, and not all of them.
CREATE FUNCTION vitrine.left_out(of_table text, from_source text, at_most integer) RETURNS TABLE (id text, fault text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET work_mem = '256MB' SET enable_nestloop = off AS $q$
DECLARE
  own text := vitrine.own_source(from_source);
  workspace text := CASE WHEN of_table <> 'workspaces' THEN 'workspace_id' ELSE 'id' END;
  again text := format($$run SELECT vitrine.show_all('%s')$$, from_source);
  lost text;
  named boolean := false;
BEGIN
  FOR lost IN EXECUTE format('SELECT v.id::text FROM %s AS v WHERE ((v.%I::text, v.id::text) IN (SELECT %2$I, id FROM vitrine.%I WHERE source = $1)) IS NOT TRUE
      ORDER BY 1 LIMIT $2', vitrine.own_view(of_table, from_source), workspace, of_table) USING own, at_most
  LOOP
    id := lost;
    BEGIN
      EXECUTE vitrine.own_rows(of_table, from_source, 'id') || format(' SELECT coalesce(vitrine.%I(r), CASE
          WHEN NOT %s THEN ''its workspace is not shown''
          WHEN EXISTS (SELECT FROM vitrine.%I AS t WHERE t.%4$I = (r).%4$I AND t.id = (r).id) THEN ''its id is in use: imported, or of another source''
          ELSE $2 END) FROM found',
        vitrine.own_fault(of_table), vitrine.own_workspace(of_table, from_source), of_table, workspace) INTO fault USING ARRAY[lost], 'not shown yet; ' || again;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR cardinality_violation OR raise_exception OR program_limit_exceeded THEN
      fault := SQLERRM;
    END;
    named := true;
    RETURN NEXT;
  END LOOP;
  fault := 'shown as it no longer is; ' || again;
  FOR id IN EXECUTE vitrine.own_rows(of_table, from_source, NULL) || format(' SELECT t.id FROM vitrine.%I AS t LEFT JOIN wanted ON wanted.id = t.id AND wanted.%I = t.%2$I
      WHERE t.source = $2 AND (wanted.id IS NULL OR (%s) IS DISTINCT FROM (%s)) ORDER BY 1 LIMIT $3', of_table, workspace,
      (SELECT string_agg(CASE name WHEN 'archived_at' THEN 't.archived_at IS NULL' ELSE 't.' || name END, ', ') FROM vitrine.own_columns(of_table, from_source) AS name),
      (SELECT string_agg(CASE name WHEN 'archived_at' THEN 'wanted.archived_at IS NULL' ELSE 'wanted.' || name END, ', ') FROM vitrine.own_columns(of_table, from_source) AS name))
    USING NULL::text[], own, at_most
  LOOP
    RETURN NEXT;
  END LOOP;
EXCEPTION WHEN data_exception OR cardinality_violation OR raise_exception OR program_limit_exceeded THEN
  -- Named above, unless not even its id can be read without the rest.
  IF named THEN RETURN; END IF;
  id := NULL;
  fault := 'a row cannot be read: ' || SQLERRM;
  RETURN NEXT;
END $q$;

-- They act with the rights of their owner, on what their caller names.
REVOKE EXECUTE ON FUNCTION vitrine.refresh, vitrine.follow, vitrine.show_all FROM PUBLIC;
