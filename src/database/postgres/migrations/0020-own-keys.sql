-- An application's own tables as any resource: ids with a prefix, business dates, and tables without a time of creation. All functions
-- keep their arguments, so that a transaction that commits meanwhile can call the old and the new ones.

-- Immutable, so that the planner sees the keys.
CREATE FUNCTION vitrine.without_prefix(keys text[], prefix text) RETURNS text[] LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT array_agg(substr(k, length(prefix) + 1)) FROM unnest(keys) AS k WHERE starts_with(k, prefix)
$$;

-- A view whose ids are a prefix and the table's key has that key as the column "id:<prefix>", which the table's index finds.
CREATE OR REPLACE FUNCTION vitrine.own_filter(of_table text, from_source text, by_column text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN by_column IS NULL THEN 'true' ELSE (
    SELECT string_agg(found, ' AND ') FROM (
      SELECT format('v.%I = ANY ($1::%s[])', attname, format_type(atttypid, atttypmod))
      FROM pg_attribute WHERE attrelid = vitrine.own_view(of_table, from_source) AND attname = by_column
      UNION ALL
      SELECT '(' || string_agg(format('v.%I = ANY (vitrine.without_prefix($1, %L)::%s[])',
          attname, substr(attname, 4), format_type(atttypid, atttypmod)), ' OR ') || ')'
      FROM pg_attribute WHERE attrelid = vitrine.own_view(of_table, from_source) AND attname LIKE 'id:%' AND by_column = 'id'
      HAVING count(*) > 0
    ) AS filters (found)) END
$$;

-- The trigger on an application's table: follow(table, source [, its column with the key [, the view's column with that key]]). If the
-- view's column is "id:<prefix>", the ids are that prefix and the key.
CREATE OR REPLACE FUNCTION vitrine.follow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, vitrine, pg_temp AS $$
DECLARE
  key text := coalesce(TG_ARGV[2], 'id');
  by_column text := coalesce(TG_ARGV[3], 'id');
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
  IF by_column LIKE 'id:%' THEN
    IF keys IS NOT NULL THEN keys := ARRAY(SELECT substr(by_column, 4) || k FROM unnest(keys) AS k); END IF;
    by_column := 'id';
  END IF;
  -- Where replication applies a row with the rights of the table's owner, PostgreSQL defers nothing.
  IF current_setting('session_replication_role') = 'replica' THEN
    PERFORM vitrine.show(ARRAY[ROW(NULL, TG_ARGV[0], TG_ARGV[1], by_column, keys)::vitrine.own_changes]);
  ELSE
    INSERT INTO vitrine.own_changes (of_table, from_source, by_column, keys) VALUES (TG_ARGV[0], TG_ARGV[1], by_column, keys);
  END IF;
  RETURN NULL;
END $$;

-- The timezone of a workspace. PostgreSQL may not know one that is newer than itself.
CREATE FUNCTION vitrine.zone_of(workspace text) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  zone text := (SELECT w.timezone FROM vitrine.workspaces AS w WHERE w.id = workspace);
BEGIN
  PERFORM now() AT TIME ZONE zone;
  RETURN coalesce(zone, 'UTC');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END $$;

-- Of two midnights, when clocks are set back, the first.
CREATE FUNCTION vitrine.start_of_day(day date, zone text) RETURNS timestamptz LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN first AT TIME ZONE zone = day::timestamp THEN first ELSE day::timestamp AT TIME ZONE zone END
  FROM (SELECT (day - 1)::timestamp AT TIME ZONE zone + interval '24 hours') AS midnight (first)
$$;

-- A date that is shown as an instant: as in an import, the last second of that day in the workspace's timezone, or the first for the
-- time of creation.
CREATE FUNCTION vitrine.own_instant(day date, workspace text, is_creation boolean) RETURNS timestamptz LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE WHEN is_creation THEN vitrine.start_of_day(day, vitrine.zone_of(workspace))
    ELSE vitrine.start_of_day(day + 1, vitrine.zone_of(workspace)) - interval '1 second' END
  WHERE day IS NOT NULL
$$;

-- An instant that is shown as a date: the workspace's local date.
CREATE FUNCTION vitrine.own_date(moment timestamptz, workspace text) RETURNS date LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT (moment AT TIME ZONE vitrine.zone_of(workspace))::date WHERE moment IS NOT NULL
$$;

-- The row of a view, v, as one of its table. What the view lacks has its default.
CREATE OR REPLACE FUNCTION vitrine.own_row(of_table text, from_source text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT format('ROW(%s)::vitrine.%I', string_agg(
    CASE
      WHEN a.attname = 'source' THEN quote_literal(vitrine.own_source(from_source))
      WHEN v.attname IS NULL THEN coalesce(pg_get_expr(d.adbin, d.adrelid), 'NULL')
      WHEN of_table <> 'workspaces' AND v.atttypid = 'date'::regtype AND a.atttypid = 'timestamptz'::regtype
        THEN format('vitrine.own_instant(v.%I, v.workspace_id::text, %L)', v.attname, coalesce(pg_get_expr(d.adbin, d.adrelid) = 'now()', false))
      WHEN of_table <> 'workspaces' AND v.atttypid = 'timestamptz'::regtype AND a.atttypid = 'date'::regtype
        THEN format('vitrine.own_date(v.%I, v.workspace_id::text)', v.attname)
      ELSE format('v.%I::%s', v.attname, format_type(a.atttypid, a.atttypmod))
    END, ', ' ORDER BY a.attnum), of_table)
  FROM pg_attribute AS a
  LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  LEFT JOIN pg_attribute AS v ON v.attrelid = vitrine.own_view(of_table, from_source) AND v.attname = a.attname AND v.attname <> 'seq'
  WHERE a.attrelid = format('vitrine.%I', of_table)::regclass AND a.attnum > 0 AND NOT a.attisdropped
$$;

-- New rows are created in the order of their creation; without that, in the order of their keys, in which 9 comes before 10. Decimals
-- are compared digit for digit: 1.5 and 1.50 are shown differently.
CREATE OR REPLACE FUNCTION vitrine.refresh_rows(of_table text, from_source text, by_column text, keys text[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own text := vitrine.own_source(from_source);
  columns text[] := ARRAY(SELECT vitrine.own_columns(of_table, from_source));
  compared text[] := ARRAY(SELECT name || CASE WHEN atttypid = 'numeric'::regtype THEN '::text' ELSE '' END
    FROM unnest(columns) WITH ORDINALITY AS c (name, n) JOIN pg_attribute ON quote_ident(attname) = name AND attrelid = format('vitrine.%I', of_table)::regclass
    ORDER BY n);
  is_dated boolean := EXISTS (SELECT FROM pg_attribute WHERE attrelid = format('vitrine.%I', of_table)::regclass AND attname = 'created_at' AND NOT attisdropped);
BEGIN
  EXECUTE vitrine.own_rows(of_table, from_source, by_column)
    || ', gone AS (DELETE ' || vitrine.own_shown(of_table, from_source, by_column) || ' AND (t.workspace_id, t.id) NOT IN (SELECT workspace_id, id FROM wanted))'
    || format(', changed AS (UPDATE vitrine.%1$I AS t SET (%2$s) = ROW (%4$s) FROM wanted
        WHERE t.workspace_id = wanted.workspace_id AND t.id = wanted.id AND t.source = $2 AND (%3$s) IS DISTINCT FROM (%6$s))
      INSERT INTO vitrine.%1$I (source, %2$s) SELECT source, %2$s FROM wanted
      WHERE NOT EXISTS (SELECT FROM vitrine.%1$I AS t WHERE t.workspace_id = wanted.workspace_id AND t.id = wanted.id)
      ORDER BY %5$s, id ON CONFLICT DO NOTHING',
      of_table, array_to_string(columns, ', '), 't.' || array_to_string(compared, ', t.'), 'wanted.' || array_to_string(columns, ', wanted.'),
      CASE WHEN is_dated THEN 'created_at' ELSE 'length(id)' END, 'wanted.' || array_to_string(compared, ', wanted.'))
    USING keys, own;
END $$;

-- A workspace that gets another timezone has its rows shown again, since their dates may be shown as instants.
CREATE OR REPLACE FUNCTION vitrine.refresh_workspaces(from_source text, by_column text, keys text[]) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own text := vitrine.own_source(from_source);
  own_rows text := vitrine.own_rows('workspaces', from_source, by_column);
  columns text[] := ARRAY(SELECT vitrine.own_columns('workspaces', from_source));
  -- A view cannot remember when a workspace was archived: the first moment stays.
  changed text[] := ARRAY(SELECT CASE name WHEN 'archived_at' THEN
      'CASE WHEN (t.archived_at IS NULL) = (wanted.archived_at IS NULL) THEN t.archived_at ELSE wanted.archived_at END'
    ELSE 'wanted.' || name END FROM unnest(columns) AS name);
  gone text[];
  shown_again text[];
  resource text;
BEGIN
  EXECUTE own_rows || ' SELECT
      (SELECT array_agg(t.id) ' || vitrine.own_shown('workspaces', from_source, by_column) || ' AND t.id NOT IN (SELECT id FROM wanted)),
      (SELECT array_agg(id) FROM wanted WHERE NOT EXISTS (SELECT FROM vitrine.workspaces AS t WHERE t.id = wanted.id'
      || CASE WHEN 'timezone' = ANY (columns) THEN ' AND t.timezone IS NOT DISTINCT FROM wanted.timezone' ELSE '' END || '))'
    INTO gone, shown_again USING keys, own;
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
  FOR resource IN SELECT name FROM vitrine.resource_tables WHERE shown_again IS NOT NULL LOOP
    PERFORM vitrine.refresh(resource, from_source, 'workspace_id', shown_again);
  END LOOP;
END $$;

-- The tables whose triggers follow a view's rows by id, each with its key's column and the ids' prefix. PostgreSQL stores the arguments
-- of a trigger as bytes, with a zero after each.
CREATE FUNCTION vitrine.own_keys(of_table text, from_source text) RETURNS TABLE (followed regclass, key text, prefix text) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT DISTINCT tgrelid::regclass, coalesce(nullif(given[3], ''), 'id'), coalesce(substr(nullif(given[4], ''), 4), '')
  FROM pg_trigger, LATERAL (
    SELECT array_agg(convert_from(decode(part, 'escape'), getdatabaseencoding()) ORDER BY n)
    FROM string_to_table(replace(encode(tgargs, 'escape'), '\\', '\134'), '\000') WITH ORDINALITY AS parts (part, n)
  ) AS arguments (given)
  WHERE tgfoid = 'vitrine.follow'::regproc AND given[1] = of_table AND given[2] = from_source AND coalesce(nullif(given[4], ''), 'id') ~ '^id(:|$)'
$$;

-- Why a view's rows cannot be followed; null if they can. Without triggers nothing is followed, and nothing is wrong.
CREATE FUNCTION vitrine.own_untraced(of_table text, from_source text) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown regclass := vitrine.own_view(of_table, from_source);
  tables text := (SELECT string_agg(DISTINCT followed::text, ', ') FROM vitrine.own_keys(of_table, from_source));
  prefixed text := (SELECT string_agg(format('v.id::text = %L || v.%I::text', substr(attname, 4), attname), ' OR ')
    FROM pg_attribute WHERE attrelid = shown AND attname LIKE 'id:%');
  missing text := (SELECT string_agg(name, ' and ') FROM unnest(ARRAY['id', CASE WHEN of_table <> 'workspaces' THEN 'workspace_id' END]) AS name
    WHERE NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = shown AND attname = name));
  untraced text;
BEGIN
  IF shown IS NULL THEN RETURN NULL; END IF;
  IF missing IS NOT NULL THEN RETURN format('%s lacks the column %s', shown, missing); END IF;
  IF prefixed IS NOT NULL THEN
    EXECUTE format('SELECT v.id::text FROM %s AS v WHERE v.id IS NOT NULL AND (%s) IS NOT TRUE LIMIT 1', shown, prefixed) INTO untraced;
    IF untraced IS NOT NULL THEN
      RETURN format('the id %s of %s is not the prefix that a column "id:<prefix>" names, and the key in that column', to_json(untraced), shown);
    END IF;
  END IF;
  IF tables IS NULL THEN RETURN NULL; END IF;
  EXECUTE format('SELECT id FROM (SELECT v.id::text FROM %s AS v WHERE v.id IS NOT NULL EXCEPT (%s)) AS untraced (id) LIMIT 1', shown,
    (SELECT string_agg(format('SELECT %L || %I::text FROM %s', prefix, key, followed), ' UNION ALL ') FROM vitrine.own_keys(of_table, from_source)))
    INTO untraced;
  IF untraced IS NULL THEN RETURN NULL; END IF;
  RETURN format('the id %s of %s cannot be traced back to a key of %s, so its changes would not be followed; for ids with a prefix, the view needs '
    'the key as a column "id:<prefix>", and the triggers need the arguments (%L, %L, ''<key>'', ''id:<prefix>'')', to_json(untraced), shown, tables, of_table, from_source);
EXCEPTION WHEN data_exception OR cardinality_violation OR raise_exception OR program_limit_exceeded THEN
  -- A row that cannot be read is left out and named, as any other.
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION vitrine.show_all(from_source text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  shown text;
  untraced text;
  workspaces text[];
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'show_all must see what others commit while it waits for them: run it in a READ COMMITTED transaction' USING ERRCODE = 'active_sql_transaction';
  END IF;
  PERFORM vitrine.keep_views(from_source);
  FOR shown IN SELECT 'workspaces' UNION ALL SELECT name FROM vitrine.resource_tables LOOP
    untraced := vitrine.own_untraced(shown, from_source);
    IF untraced IS NOT NULL THEN RAISE EXCEPTION '%', untraced USING ERRCODE = 'object_not_in_prerequisite_state'; END IF;
  END LOOP;
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

-- doctor also names a view whose rows are not followed. The roles that may execute left_out() still may.
ALTER FUNCTION vitrine.left_out RENAME TO own_left_out;
CREATE FUNCTION vitrine.left_out(of_table text, from_source text, at_most integer) RETURNS TABLE (id text, fault text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT NULL, untraced FROM vitrine.own_untraced(of_table, from_source) AS untraced WHERE untraced IS NOT NULL
  UNION ALL SELECT * FROM vitrine.own_left_out(of_table, from_source, at_most)
$$;
DO $$
DECLARE
  role regrole;
BEGIN
  FOR role IN SELECT grantee FROM pg_proc, aclexplode(proacl) WHERE oid = 'vitrine.own_left_out'::regproc AND grantee NOT IN (0, proowner) LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION vitrine.left_out TO %s', role);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION vitrine.own_left_out FROM %s', role);
  END LOOP;
END $$;
