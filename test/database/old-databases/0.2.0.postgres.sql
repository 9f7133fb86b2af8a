SET check_function_bodies = off;
--
CREATE SCHEMA vitrine;
CREATE FUNCTION vitrine.bound_callers() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM vitrine.key_callers WHERE ctid IN (
    SELECT c.ctid FROM vitrine.key_callers AS c JOIN (
      SELECT key_id, address, agent, row_number() OVER (PARTITION BY key_id ORDER BY last_at DESC, address, agent) AS place
      FROM vitrine.key_callers WHERE key_id IN (SELECT key_id FROM new_rows)
    ) AS ranked USING (key_id, address, agent)
    WHERE ranked.place > 20
    FOR UPDATE OF c SKIP LOCKED
  );
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.check_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  fault text := CASE
    WHEN TG_OP = 'INSERT' AND NEW.hash !~ '^[0-9a-f]{64}$'
      THEN 'api_keys_hash_form: hash must be the SHA-256 of a key, in lower-case hexadecimal'
    WHEN NEW.label IS DISTINCT FROM OLD.label AND NEW.label = ''
      THEN 'api_keys_label_not_empty: label must not be empty'
    WHEN NEW.label IS DISTINCT FROM OLD.label AND char_length(NEW.label) > 100
      THEN 'api_keys_label_at_most_100_characters: label must be at most 100 characters'
    WHEN NEW.permissions IS DISTINCT FROM OLD.permissions AND NEW.permissions !~ '^[^, |]+:read(,[^, |]+:read)*$'
      THEN 'api_keys_permissions_form: permissions must be comma-separated, each such as workspace:read'
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS DISTINCT FROM (OLD.rate_limit, OLD.rate_window_seconds) AND (NEW.rate_limit IS NULL) <> (NEW.rate_window_seconds IS NULL)
      THEN 'api_keys_rate_limit_whole: rate_limit and rate_window_seconds are both set, or neither'
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS DISTINCT FROM (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_limit NOT BETWEEN 1 AND 1000000000
      THEN 'api_keys_rate_limit_in_range: rate_limit must be from 1 to 1000000000'
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS DISTINCT FROM (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_window_seconds NOT BETWEEN 1 AND 86400
      THEN 'api_keys_rate_window_seconds_in_range: rate_window_seconds must be from 1 to 86400'
    WHEN TG_OP = 'INSERT' AND (NEW.created_at < '0001-01-01 00:00:00+00' OR NEW.created_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999'
    WHEN NEW.expires_at IS DISTINCT FROM OLD.expires_at AND (NEW.expires_at < '0001-01-01 00:00:00+00' OR NEW.expires_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_expires_at_in_years_1_to_9999: expires_at must be a time in the years 1 to 9999'
    WHEN NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND (NEW.revoked_at < '0001-01-01 00:00:00+00' OR NEW.revoked_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_revoked_at_in_years_1_to_9999: revoked_at must be a time in the years 1 to 9999'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('api_keys', fault); END IF;
  RETURN NEW;
END $_$;
CREATE FUNCTION vitrine.check_key_times() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  fault text := CASE
    WHEN NEW.paused_at IS DISTINCT FROM OLD.paused_at AND (NEW.paused_at < '0001-01-01 00:00:00+00' OR NEW.paused_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_paused_at_in_years_1_to_9999: paused_at must be a time in the years 1 to 9999'
    WHEN NEW.retires_at IS DISTINCT FROM OLD.retires_at AND (NEW.retires_at < '0001-01-01 00:00:00+00' OR NEW.retires_at >= '10000-01-01 00:00:00+00')
      THEN 'api_keys_retires_at_in_years_1_to_9999: retires_at must be a time in the years 1 to 9999'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('api_keys', fault); END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION vitrine.check_member() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
DECLARE
  fault text := CASE
    WHEN NEW.email IS DISTINCT FROM OLD.email AND char_length(NEW.email) > 254
      THEN 'members_email_at_most_254_characters: email must be at most 254 characters'
    WHEN NEW.email IS DISTINCT FROM OLD.email AND (NEW.email !~
      '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*@[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*$'
      OR (char_length(NEW.email) > 65 AND split_part(NEW.email, '@', 2) ~ '[^.]{64}'))
      THEN 'members_email_is_an_address: email must be an email address'
    WHEN NEW.email IS DISTINCT FROM OLD.email AND NEW.email <> lower(NEW.email COLLATE "C")
      THEN 'members_email_in_lower_case: email must be in lower case'
    WHEN NEW.role IS DISTINCT FROM OLD.role AND NEW.role NOT IN ('owner', 'admin', 'member')
      THEN 'members_role_is_known: role must be one of owner, admin, member'
    WHEN NEW.added_at IS DISTINCT FROM OLD.added_at AND (NEW.added_at < '0001-01-01 00:00:00+00' OR NEW.added_at >= '10000-01-01 00:00:00+00')
      THEN 'members_added_at_in_years_1_to_9999: added_at must be a time in the years 1 to 9999'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('members', fault); END IF;
  RETURN NEW;
END $_$;
CREATE FUNCTION vitrine.check_member_sign_in() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF NEW.signed_in_at < '0001-01-01 00:00:00+00' OR NEW.signed_in_at >= '10000-01-01 00:00:00+00' THEN
    PERFORM vitrine.refuse('members', 'members_signed_in_at_in_years_1_to_9999: signed_in_at must be a time in the years 1 to 9999');
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION vitrine.check_workspace() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  fault text := vitrine.workspaces_fault(NEW, CASE WHEN TG_OP = 'UPDATE' THEN OLD END);
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('workspaces', fault); END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION vitrine.day_in_zone(moment timestamp with time zone, zone text) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  RETURN to_char(moment AT TIME ZONE coalesce(zone, 'UTC'), 'YYYY-MM-DD');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD');
END $$;
CREATE FUNCTION vitrine.follow() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
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
END $_$;
CREATE FUNCTION vitrine.keep_key() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.hash, NEW.prefix, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.hash, OLD.prefix, OLD.created_at) THEN
    RAISE EXCEPTION 'a key keeps its id, workspace, hash, prefix and time of creation; create another key instead'
      USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked key stays revoked; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  -- By the time of day, not of the transaction's beginning: that may be before the key expired.
  IF OLD.expires_at <= clock_timestamp() AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at) THEN
    RAISE EXCEPTION 'an expired key stays expired; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.retires_at <= clock_timestamp() AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at) THEN
    RAISE EXCEPTION 'a retired key stays retired; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION vitrine.keep_views(from_source text) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION vitrine.left_out(of_table text, from_source text, at_most integer) RETURNS TABLE(id text, fault text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET work_mem TO '256MB'
    SET enable_nestloop TO 'off'
    AS $_$
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
END $_$;
CREATE FUNCTION vitrine.move_all_revisions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number);
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revision_of_workspace() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO vitrine.revisions AS r VALUES (coalesce(NEW.id, OLD.id), vitrine.next_revision(0))
  ON CONFLICT (workspace_id) DO UPDATE SET number = vitrine.next_revision(r.number);
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revisions_both() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id IN (SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows);
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revisions_new() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number) WHERE workspace_id IN (SELECT workspace_id FROM new_rows);
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revisions_old() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number) WHERE workspace_id IN (SELECT workspace_id FROM old_rows);
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revisions_replicated() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.next_revision(number bigint) RETURNS bigint
    LANGUAGE sql
    RETURN GREATEST((number + 1), ((EXTRACT(epoch FROM clock_timestamp()) * (1000000)::numeric))::bigint);
CREATE FUNCTION vitrine.own_columns(of_table text, from_source text) RETURNS SETOF text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
  SELECT quote_ident(a.attname) FROM pg_attribute AS a JOIN pg_attribute AS v USING (attname)
  WHERE a.attrelid = format('vitrine.%I', of_table)::regclass AND v.attrelid = vitrine.own_view(of_table, from_source)
    AND a.attnum > 0 AND a.attname NOT IN ('seq', 'source')
  ORDER BY a.attnum
$$;
CREATE FUNCTION vitrine.own_fault(of_table text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN CASE of_table WHEN 'workspaces'::text THEN 'own_workspaces_fault'::text ELSE (of_table || '_fault'::text) END;
CREATE FUNCTION vitrine.own_filter(of_table text, from_source text, by_column text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT CASE WHEN by_column IS NULL THEN 'true' ELSE (
    SELECT format('v.%I = ANY ($1::%s[])', attname, format_type(atttypid, atttypmod))
    FROM pg_attribute WHERE attrelid = vitrine.own_view(of_table, from_source) AND attname = by_column) END
$_$;
CREATE FUNCTION vitrine.own_lock(from_source text) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    RETURN hashtextextended(('vitrine own tables '::text || from_source), (0)::bigint);
CREATE FUNCTION vitrine.own_row(of_table text, from_source text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION vitrine.own_rows(of_table text, from_source text, by_column text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT format('WITH found AS MATERIALIZED (SELECT %1$s AS r FROM %2$s AS v WHERE %3$s),
    wanted AS MATERIALIZED (SELECT (r).* FROM found WHERE vitrine.%4$I(r) IS NULL AND %5$s)',
    vitrine.own_row(of_table, from_source), vitrine.own_view(of_table, from_source),
    vitrine.own_filter(of_table, from_source, by_column), vitrine.own_fault(of_table),
    vitrine.own_workspace(of_table, from_source))
$_$;
CREATE FUNCTION vitrine.own_shown(of_table text, from_source text, by_column text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
  SELECT format('FROM vitrine.%I AS t WHERE t.source = $2 AND ', of_table) || CASE
    WHEN by_column IS NULL THEN 'true'
    WHEN by_column = 'id' THEN $q$t.id = ANY ($1) AND t.source LIKE 'own:%'$q$
    WHEN by_column = 'workspace_id' THEN 't.workspace_id = ANY ($1)'
    ELSE format('(t.%1$I::text = ANY ($1) OR (t.%2$I, t.id) IN (SELECT v.%2$I::text, v.id::text FROM %3$s AS v WHERE %4$s))',
      by_column, CASE of_table WHEN 'workspaces' THEN 'id' ELSE 'workspace_id' END,
      vitrine.own_view(of_table, from_source), vitrine.own_filter(of_table, from_source, by_column)) END
$_$;
CREATE FUNCTION vitrine.own_source(from_source text) RETURNS text
    LANGUAGE sql IMMUTABLE
    RETURN ('own:'::text || from_source);
CREATE FUNCTION vitrine.own_view(of_table text, from_source text) RETURNS regclass
    LANGUAGE sql STABLE
    RETURN to_regclass(format('vitrine.%I'::text, ((of_table || '_from_'::text) || from_source)));
CREATE FUNCTION vitrine.own_workspace(of_table text, from_source text) RETURNS text
    LANGUAGE sql STABLE
    RETURN CASE WHEN (of_table = 'workspaces'::text) THEN 'true'::text ELSE format('EXISTS (SELECT FROM vitrine.workspaces AS w WHERE w.id = (r).workspace_id AND %s)'::text, CASE WHEN (vitrine.own_view('workspaces'::text, from_source) IS NULL) THEN 'true'::text ELSE format('w.source = %L'::text, vitrine.own_source(from_source)) END) END;
CREATE FUNCTION vitrine.own_workspaces(of_table text, from_source text, by_column text, keys text[]) RETURNS text[]
    LANGUAGE plpgsql
    AS $_$
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
END $_$;
CREATE TABLE vitrine.workspaces (
    id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    timezone text,
    currency_code text,
    country_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    archived_at timestamp with time zone,
    source text
);
CREATE FUNCTION vitrine.own_workspaces_fault(shown vitrine.workspaces) RETURNS text
    LANGUAGE sql STABLE
    AS $$
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
CREATE FUNCTION vitrine.refresh(of_table text, from_source text, by_column text DEFAULT NULL::text, keys text[] DEFAULT NULL::text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET work_mem TO '256MB'
    AS $_$
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
END $_$;
CREATE FUNCTION vitrine.refresh_rows(of_table text, from_source text, by_column text, keys text[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
END $_$;
CREATE FUNCTION vitrine.refresh_workspaces(from_source text, by_column text, keys text[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
END $_$;
CREATE FUNCTION vitrine.refuse(relation text, fault text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION '%', fault USING ERRCODE = 'check_violation', SCHEMA = 'vitrine', TABLE = relation,
    CONSTRAINT = split_part(fault, ':', 1);
END $$;
CREATE FUNCTION vitrine.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.number <= (SELECT trimmed_number FROM vitrine.audit_heads WHERE workspace_id = OLD.workspace_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit entries are never changed, nor removed before their chain is trimmed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE FUNCTION vitrine.remove_workspaces(from_source text, ids text[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  resource text;
BEGIN
  ids := ARRAY(SELECT id FROM vitrine.workspaces WHERE id = ANY (ids) AND source = vitrine.own_source(from_source));
  IF cardinality(ids) = 0 THEN RETURN; END IF;
  FOR resource IN SELECT name FROM vitrine.resource_tables LOOP
    EXECUTE format('DELETE FROM vitrine.%I WHERE workspace_id = ANY ($1)', resource) USING ids;
  END LOOP;
  DELETE FROM vitrine.workspaces WHERE id = ANY (ids);
END $_$;
CREATE UNLOGGED TABLE vitrine.own_changes (
    transaction xid8 DEFAULT pg_current_xact_id() NOT NULL,
    of_table text NOT NULL,
    from_source text NOT NULL,
    by_column text NOT NULL,
    keys text[]
);
CREATE FUNCTION vitrine.show(changes vitrine.own_changes[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION vitrine.show_all(from_source text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION vitrine.show_changes() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
CREATE FUNCTION vitrine.take_turns(workspaces text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  INSERT INTO vitrine.revisions SELECT DISTINCT id, vitrine.next_revision(0) FROM unnest(workspaces) AS id ORDER BY id ON CONFLICT DO NOTHING;
  PERFORM FROM vitrine.revisions WHERE workspace_id = ANY (workspaces) ORDER BY workspace_id FOR UPDATE;
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id = ANY (workspaces) AND NOT EXISTS (SELECT FROM vitrine.workspaces AS w WHERE w.id = workspace_id);
END $$;
CREATE FUNCTION vitrine.tasks_check() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
DECLARE
  fault text := CASE
    WHEN NEW."id" = '' THEN 'tasks_id_not_empty: id must not be empty'
    WHEN NEW."title" = '' THEN 'tasks_title_not_empty: title must not be empty'
    WHEN char_length(NEW."id") > 200 THEN 'tasks_id_at_most_200_characters: id must be at most 200 characters'
    WHEN char_length(NEW."title") > 500 THEN 'tasks_title_at_most_500_characters: title must be at most 500 characters'
    WHEN char_length(NEW."details") > 10000 THEN 'tasks_details_at_most_10000_characters: details must be at most 10000 characters'
    WHEN char_length(NEW."book_key") > 200 THEN 'tasks_book_key_at_most_200_characters: bookKey must be at most 200 characters'
    WHEN char_length(NEW."assignee_name") > 200 THEN 'tasks_assignee_name_at_most_200_characters: assigneeName must be at most 200 characters'
    WHEN char_length(NEW."assignee_email") > 320 THEN 'tasks_assignee_email_at_most_320_characters: assigneeEmail must be at most 320 characters'
    WHEN char_length(NEW."source_session_id") > 200 THEN 'tasks_source_session_id_at_most_200_characters: sourceSessionId must be at most 200 characters'
    WHEN char_length(NEW."source_title") > 500 THEN 'tasks_source_title_at_most_500_characters: sourceTitle must be at most 500 characters'
    WHEN char_length(NEW."source_summary") > 10000 THEN 'tasks_source_summary_at_most_10000_characters: sourceSummary must be at most 10000 characters'
    WHEN char_length(NEW."source_kind") > 100 THEN 'tasks_source_kind_at_most_100_characters: sourceKind must be at most 100 characters'
    WHEN NEW."assignee_email" !~
      '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*@[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*$'
      OR (char_length(NEW."assignee_email") > 65 AND split_part(NEW."assignee_email", '@', 2) ~ '[^.]{64}') THEN 'tasks_assignee_email_is_an_address: assigneeEmail must be an email address'
    WHEN NEW."due_at" < '0001-01-01 00:00:00+00' OR NEW."due_at" >= '10000-01-01 00:00:00+00' THEN 'tasks_due_at_in_years_1_to_9999: dueAt must be a time in the years 1 to 9999'
    WHEN NEW."snoozed_until" < '0001-01-01 00:00:00+00' OR NEW."snoozed_until" >= '10000-01-01 00:00:00+00' THEN 'tasks_snoozed_until_in_years_1_to_9999: snoozedUntil must be a time in the years 1 to 9999'
    WHEN NEW."created_at" < '0001-01-01 00:00:00+00' OR NEW."created_at" >= '10000-01-01 00:00:00+00' THEN 'tasks_created_at_in_years_1_to_9999: createdAt must be a time in the years 1 to 9999'
    WHEN NEW.source !~ '^(own:)?[a-z0-9][a-z0-9._-]{0,63}$' THEN 'tasks_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('tasks', fault); END IF;
  RETURN NEW;
END $_$;
CREATE FUNCTION vitrine.tasks_check_choices() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  fault text := CASE
    WHEN NEW."status" NOT IN ('open', 'completed', 'cancelled') THEN 'tasks_status_is_known: status must be one of open, completed, cancelled'
  END;
BEGIN
  IF fault IS NOT NULL THEN PERFORM vitrine.refuse('tasks', fault); END IF;
  RETURN NEW;
END $$;
CREATE TABLE vitrine.tasks (
    seq bigint NOT NULL,
    workspace_id text NOT NULL,
    source text,
    id text NOT NULL,
    title text NOT NULL,
    details text,
    due_at timestamp with time zone,
    book_key text,
    assignee_name text,
    assignee_email text,
    source_session_id text,
    source_title text,
    source_summary text,
    source_kind text,
    status text DEFAULT 'open'::text NOT NULL,
    snoozed_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    snooze_expired boolean DEFAULT false NOT NULL
);
CREATE FUNCTION vitrine.tasks_fault(shown vitrine.tasks) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  SELECT CASE
    WHEN shown."id" IS NULL THEN 'tasks_id_not_null: id must not be null'
    WHEN shown."title" IS NULL THEN 'tasks_title_not_null: title must not be null'
    WHEN shown."status" IS NULL THEN 'tasks_status_not_null: status must not be null'
    WHEN shown."created_at" IS NULL THEN 'tasks_created_at_not_null: createdAt must not be null'
    WHEN shown."id" = '' THEN 'tasks_id_not_empty: id must not be empty'
    WHEN shown."title" = '' THEN 'tasks_title_not_empty: title must not be empty'
    WHEN char_length(shown."id") > 200 THEN 'tasks_id_at_most_200_characters: id must be at most 200 characters'
    WHEN char_length(shown."title") > 500 THEN 'tasks_title_at_most_500_characters: title must be at most 500 characters'
    WHEN char_length(shown."details") > 10000 THEN 'tasks_details_at_most_10000_characters: details must be at most 10000 characters'
    WHEN char_length(shown."book_key") > 200 THEN 'tasks_book_key_at_most_200_characters: bookKey must be at most 200 characters'
    WHEN char_length(shown."assignee_name") > 200 THEN 'tasks_assignee_name_at_most_200_characters: assigneeName must be at most 200 characters'
    WHEN char_length(shown."assignee_email") > 320 THEN 'tasks_assignee_email_at_most_320_characters: assigneeEmail must be at most 320 characters'
    WHEN char_length(shown."source_session_id") > 200 THEN 'tasks_source_session_id_at_most_200_characters: sourceSessionId must be at most 200 characters'
    WHEN char_length(shown."source_title") > 500 THEN 'tasks_source_title_at_most_500_characters: sourceTitle must be at most 500 characters'
    WHEN char_length(shown."source_summary") > 10000 THEN 'tasks_source_summary_at_most_10000_characters: sourceSummary must be at most 10000 characters'
    WHEN char_length(shown."source_kind") > 100 THEN 'tasks_source_kind_at_most_100_characters: sourceKind must be at most 100 characters'
    WHEN shown."assignee_email" !~
      '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*@[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*$'
      OR (char_length(shown."assignee_email") > 65 AND split_part(shown."assignee_email", '@', 2) ~ '[^.]{64}') THEN 'tasks_assignee_email_is_an_address: assigneeEmail must be an email address'
    WHEN shown."due_at" < '0001-01-01 00:00:00+00' OR shown."due_at" >= '10000-01-01 00:00:00+00' THEN 'tasks_due_at_in_years_1_to_9999: dueAt must be a time in the years 1 to 9999'
    WHEN shown."snoozed_until" < '0001-01-01 00:00:00+00' OR shown."snoozed_until" >= '10000-01-01 00:00:00+00' THEN 'tasks_snoozed_until_in_years_1_to_9999: snoozedUntil must be a time in the years 1 to 9999'
    WHEN shown."created_at" < '0001-01-01 00:00:00+00' OR shown."created_at" >= '10000-01-01 00:00:00+00' THEN 'tasks_created_at_in_years_1_to_9999: createdAt must be a time in the years 1 to 9999'
    WHEN shown."status" NOT IN ('open', 'completed', 'cancelled') THEN 'tasks_status_is_known: status must be one of open, completed, cancelled'
  END
$_$;
CREATE FUNCTION vitrine.tasks_mark_snooze() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.snooze_expired := NEW.snoozed_until <= clock_timestamp();
  RETURN NEW;
END $$;
CREATE FUNCTION vitrine.tasks_move_revisions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (SELECT FROM new_rows WHERE new_rows."snooze_expired") THEN
    UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
    WHERE workspace_id IN (
      SELECT unnest(ARRAY[o.workspace_id, n.workspace_id]) FROM old_rows o FULL JOIN new_rows n ON n.seq = o.seq
      WHERE (o."seq", o."workspace_id", o."source", o."id", o."title", o."details", o."due_at", o."book_key", o."assignee_name", o."assignee_email", o."source_session_id", o."source_title", o."source_summary", o."source_kind", o."status", o."snoozed_until", o."created_at")
        IS DISTINCT FROM
            (n."seq", n."workspace_id", n."source", n."id", n."title", n."details", n."due_at", n."book_key", n."assignee_name", n."assignee_email", n."source_session_id", n."source_title", n."source_summary", n."source_kind", n."status", n."snoozed_until", n."created_at"));
  ELSE
    UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
    WHERE workspace_id IN (SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows);
  END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.workspaces_fault(shown vitrine.workspaces, former vitrine.workspaces DEFAULT NULL::vitrine.workspaces) RETURNS text
    LANGUAGE sql STABLE
    AS $_$
  SELECT CASE
    WHEN shown.id <> former.id
      THEN 'workspaces_id_kept: a workspace keeps its id; create another workspace instead'
    WHEN shown.id IS DISTINCT FROM former.id AND shown.id = ''
      THEN 'workspaces_id_not_empty: id must not be empty'
    WHEN shown.id IS DISTINCT FROM former.id AND char_length(shown.id) > 200
      THEN 'workspaces_id_at_most_200_characters: id must be at most 200 characters'
    WHEN shown.slug IS DISTINCT FROM former.slug AND shown.slug !~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
      THEN 'workspaces_slug_form: slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end'
    WHEN shown.name IS DISTINCT FROM former.name AND shown.name = ''
      THEN 'workspaces_name_not_empty: name must not be empty'
    WHEN shown.name IS DISTINCT FROM former.name AND char_length(shown.name) > 200
      THEN 'workspaces_name_at_most_200_characters: name must be at most 200 characters'
    WHEN shown.timezone IS DISTINCT FROM former.timezone AND shown.timezone IS NOT NULL AND NOT EXISTS (SELECT FROM vitrine.timezones AS z WHERE z.name = shown.timezone)
      THEN 'workspaces_timezone_known: timezone must be a name of the IANA database, as it is spelled there'
    WHEN shown.currency_code IS DISTINCT FROM former.currency_code AND shown.currency_code IS NOT NULL AND NOT EXISTS (SELECT FROM vitrine.currency_codes AS c WHERE c.code = shown.currency_code)
      THEN 'workspaces_currency_code_known: currency_code must be an ISO 4217 code in capitals, such as GBP'
    WHEN shown.country_code IS DISTINCT FROM former.country_code AND shown.country_code IS NOT NULL AND NOT EXISTS (SELECT FROM vitrine.country_codes AS c WHERE c.code = shown.country_code)
      THEN 'workspaces_country_code_known: country_code must be an ISO 3166-1 alpha-2 code in capitals, such as GB'
    WHEN shown.created_at IS DISTINCT FROM former.created_at AND (shown.created_at < '0001-01-01 00:00:00+00' OR shown.created_at >= '10000-01-01 00:00:00+00')
      THEN 'workspaces_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999'
    WHEN shown.archived_at IS DISTINCT FROM former.archived_at AND (shown.archived_at < '0001-01-01 00:00:00+00' OR shown.archived_at >= '10000-01-01 00:00:00+00')
      THEN 'workspaces_archived_at_in_years_1_to_9999: archived_at must be a time in the years 1 to 9999'
  END
$_$;
CREATE TABLE vitrine.api_keys (
    id text NOT NULL,
    workspace_id text NOT NULL,
    hash text NOT NULL,
    prefix text NOT NULL,
    label text NOT NULL,
    permissions text NOT NULL,
    rate_limit integer,
    rate_window_seconds integer,
    created_by text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    replaces text,
    paused_at timestamp with time zone,
    retires_at timestamp with time zone
);
CREATE TABLE vitrine.audit (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    workspace_id text NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    number bigint NOT NULL,
    previous_hash text NOT NULL,
    hash text NOT NULL,
    CONSTRAINT audit_at_milliseconds CHECK ((at = date_trunc('milliseconds'::text, at)))
);
CREATE TABLE vitrine.audit_heads (
    workspace_id text NOT NULL,
    number bigint NOT NULL,
    hash text NOT NULL,
    trimmed_number bigint DEFAULT 0 NOT NULL,
    trimmed_hash text DEFAULT repeat('0'::text, 64) NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE vitrine.audit ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
CREATE TABLE vitrine.country_codes (
    code text NOT NULL
);
CREATE TABLE vitrine.currency_codes (
    code text NOT NULL
);
CREATE TABLE vitrine.key_callers (
    key_id text NOT NULL,
    address text NOT NULL,
    agent text NOT NULL,
    count bigint NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL
);
CREATE TABLE vitrine.key_incidents (
    id bigint NOT NULL,
    key_id text NOT NULL,
    day text NOT NULL,
    kind text NOT NULL,
    count bigint NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    client text
);
ALTER TABLE vitrine.key_incidents ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
CREATE TABLE vitrine.key_use (
    key_id text NOT NULL,
    day text NOT NULL,
    count bigint NOT NULL,
    last_at timestamp with time zone NOT NULL,
    first_at timestamp with time zone,
    first_client text,
    last_client text,
    refused bigint DEFAULT 0 NOT NULL
);
CREATE TABLE vitrine.members (
    workspace_id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    added_at timestamp with time zone NOT NULL,
    signed_in_at timestamp with time zone,
    CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text])))
);
CREATE TABLE vitrine.migrations (
    number integer NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE UNLOGGED TABLE vitrine.quota_windows (
    key_id text NOT NULL,
    resets_at timestamp with time zone NOT NULL,
    used integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE vitrine.resource_tables (
    name text NOT NULL,
    version integer NOT NULL,
    columns text NOT NULL,
    objects text NOT NULL
);
CREATE TABLE vitrine.revisions (
    workspace_id text NOT NULL,
    number bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE vitrine.sessions (
    hash text NOT NULL,
    email text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    workspace_id text
);
CREATE TABLE vitrine.sources (
    workspace_id text NOT NULL,
    table_name text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    synced_at timestamp with time zone,
    attempted_at timestamp with time zone,
    failing_since timestamp with time zone,
    failure text,
    failures integer DEFAULT 0 NOT NULL,
    every_seconds integer,
    location text,
    etag text,
    last_modified text,
    question text,
    revision bigint,
    row_count bigint,
    CONSTRAINT sources_failure_check CHECK ((char_length(failure) <= 500)),
    CONSTRAINT sources_location_check CHECK ((char_length(location) <= 500)),
    CONSTRAINT sources_name_check CHECK ((name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'::text))
);
ALTER TABLE vitrine.tasks ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY;
CREATE TABLE vitrine.tickets (
    hash text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE vitrine.timezones (
    name text NOT NULL
);
INSERT INTO vitrine.api_keys VALUES
	('key_34fe42154110d04fb4', 'ws_e65b5806e70d0f085e', 'a3ef97447007ab5dee457e25107f10ee51c5bf6c98be0f59f27271a039e5d568', 'vtr_iPP2nj', 'old', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19 12:59:37.715+00', NULL, NULL, NULL, NULL, NULL),
	('key_5fb75e02539011002c', 'ws_e65b5806e70d0f085e', '8821a7afff70590b0cb1add28706d623ce2d3e362a13695e9cf703d7441839d7', 'vtr_xd2HHv', 'nightly report', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19 12:59:35.346+00', NULL, NULL, NULL, NULL, NULL),
	('key_d9a05f16617d6b4834', 'ws_e65b5806e70d0f085e', 'f4c781535186591db985213e42a877aceaf5bd3f4ea7eb48ae493a740133f3e9', 'vtr_BI9BpS', 'revoked', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19 12:59:36.772+00', NULL, '2026-11-19 12:59:40.302+00', NULL, NULL, NULL);
INSERT INTO vitrine.audit VALUES
	(1, '2026-11-19 12:59:25.386+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'workspace.created', 'ws_e65b5806e70d0f085e', '{"name":"Northwind Buying","slug":"northwind"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '3c73407d8d47a0f2a0c7cc4588556cacff7fdc4b560eebffb40c88ed1f91e123'),
	(2, '2026-11-19 12:59:26.648+00', 'ws_477d7505d1b34d925c', 'cli:root', 'workspace.created', 'ws_477d7505d1b34d925c', '{"name":"Old","slug":"old"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '9b79b8d73f89d33b6737a2278a0ddcc8cf6cb4100cae13460dde82d0959e645c'),
	(3, '2026-11-19 12:59:28.424+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'tasks.imported', 'ws_e65b5806e70d0f085e', '{"created":5,"replaced":0,"deleted":0,"unchanged":0}', 2, '3c73407d8d47a0f2a0c7cc4588556cacff7fdc4b560eebffb40c88ed1f91e123', '99d98108b76d74adb11f77e1dc55d079935a7ebb9955b22f8156f07d7bd74237'),
	(4, '2026-11-19 12:59:29.838+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'tasks.synced', 'ws_e65b5806e70d0f085e', '{"source":"tracker","created":1,"changed":0,"gone":0,"unchanged":0}', 3, '99d98108b76d74adb11f77e1dc55d079935a7ebb9955b22f8156f07d7bd74237', 'a63760b88e19e060f67ef22c1473926edd1c5dd4ed970e447dadf92f3dd865c9'),
	(5, '2026-11-19 12:59:30.587+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'member.added', 'ines@northwind.example', '{"role":"owner"}', 4, 'a63760b88e19e060f67ef22c1473926edd1c5dd4ed970e447dadf92f3dd865c9', '99bff846993620b95d4f0e2b536e3910715525cc8d7df14c1ebb6410e614bf22'),
	(6, '2026-11-19 12:59:34.046+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'member.added', 'bo@northwind.example', '{"role":"member"}', 5, '99bff846993620b95d4f0e2b536e3910715525cc8d7df14c1ebb6410e614bf22', '4cb9787d4da64085d3af55deeadd9489da27500d6f61d4e1269eb89585ac7b71'),
	(7, '2026-11-19 12:59:35.346+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.created', 'key_5fb75e02539011002c', '{"label":"nightly report"}', 6, '4cb9787d4da64085d3af55deeadd9489da27500d6f61d4e1269eb89585ac7b71', 'afebdf3cd68aacc5cd7f61dda0b96d5dcb1fb86dfb465af84e416ee8a522ec77'),
	(8, '2026-11-19 12:59:36.772+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.created', 'key_d9a05f16617d6b4834', '{"label":"revoked"}', 7, 'afebdf3cd68aacc5cd7f61dda0b96d5dcb1fb86dfb465af84e416ee8a522ec77', '9e3bbefa910ae08019840135992326bf244fd0d0ae6fcec06dad790b3c51041e'),
	(9, '2026-11-19 12:59:37.715+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.created', 'key_34fe42154110d04fb4', '{"label":"old"}', 8, '9e3bbefa910ae08019840135992326bf244fd0d0ae6fcec06dad790b3c51041e', '742e9ae78da07e3f76603a63ed2bb5e994c703adf7d9ad458f650ca9ef4060da'),
	(10, '2026-11-19 12:59:38.996+00', 'ws_477d7505d1b34d925c', 'cli:root', 'workspace.archived', 'ws_477d7505d1b34d925c', '{"slug":"old"}', 2, '9b79b8d73f89d33b6737a2278a0ddcc8cf6cb4100cae13460dde82d0959e645c', '7f377e9da2262868959e75a4d04201f745157caf416ea9c6e0966055d2b256a9'),
	(11, '2026-11-19 12:59:40.302+00', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.revoked', 'key_d9a05f16617d6b4834', '{"label":"revoked"}', 9, '742e9ae78da07e3f76603a63ed2bb5e994c703adf7d9ad458f650ca9ef4060da', 'e95481574456541843f562a05ddba4f8a6757584fcc89190b167e28ecbbe257f'),
	(12, '2026-11-16 09:00:00+00', 'ws_e65b5806e70d0f085e', 'ines@northwind.example', 'session.started', 'bo@northwind.example', '{"createdBy":"ines@northwind.example"}', 10, 'e95481574456541843f562a05ddba4f8a6757584fcc89190b167e28ecbbe257f', 'da4b4934fce42900f2690505914f0e16affbbaa54df186bb507667e9f1b436f6');
INSERT INTO vitrine.audit_heads VALUES
	('ws_477d7505d1b34d925c', 2, '7f377e9da2262868959e75a4d04201f745157caf416ea9c6e0966055d2b256a9', 0, '0000000000000000000000000000000000000000000000000000000000000000'),
	('ws_e65b5806e70d0f085e', 10, 'da4b4934fce42900f2690505914f0e16affbbaa54df186bb507667e9f1b436f6', 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO vitrine.country_codes VALUES
	('AD'),
	('AE');
INSERT INTO vitrine.currency_codes VALUES
	('AED'),
	('AFN');
INSERT INTO vitrine.key_callers VALUES
	('key_5fb75e02539011002c', '192.0.2.1', 'agent', 5, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00'),
	('key_d9a05f16617d6b4834', '192.0.2.1', 'agent', 5, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00'),
	('key_34fe42154110d04fb4', '192.0.2.1', 'agent', 5, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00');
INSERT INTO vitrine.key_incidents VALUES
	(1, 'key_5fb75e02539011002c', '2026-11-16', 'unknown', 2, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL),
	(2, 'key_5fb75e02539011002c', '2026-11-16', 'url', 1, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL),
	(3, 'key_d9a05f16617d6b4834', '2026-11-16', 'unknown', 2, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL),
	(4, 'key_d9a05f16617d6b4834', '2026-11-16', 'url', 1, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL),
	(5, 'key_34fe42154110d04fb4', '2026-11-16', 'unknown', 2, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL),
	(6, 'key_34fe42154110d04fb4', '2026-11-16', 'url', 1, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL);
INSERT INTO vitrine.key_use VALUES
	('key_5fb75e02539011002c', '2026-11-16', 5, '2026-11-16 09:00:00+00', NULL, NULL, NULL, 2),
	('key_d9a05f16617d6b4834', '2026-11-16', 5, '2026-11-16 09:00:00+00', NULL, NULL, NULL, 2),
	('key_34fe42154110d04fb4', '2026-11-16', 5, '2026-11-16 09:00:00+00', NULL, NULL, NULL, 2);
INSERT INTO vitrine.members VALUES
	('ws_e65b5806e70d0f085e', 'ines@northwind.example', 'owner', '2026-11-19 12:59:30.587+00', NULL),
	('ws_e65b5806e70d0f085e', 'bo@northwind.example', 'member', '2026-11-19 12:59:34.046+00', '2026-11-16 09:00:00+00');
INSERT INTO vitrine.migrations VALUES
	(8, '2026-11-19 12:59:42.681937+00'),
	(9, '2026-11-19 12:59:42.681937+00'),
	(10, '2026-11-19 12:59:42.681937+00'),
	(11, '2026-11-19 12:59:42.681937+00'),
	(12, '2026-11-19 12:59:42.681937+00'),
	(13, '2026-11-19 12:59:42.681937+00');
INSERT INTO vitrine.resource_tables VALUES
	('tasks', 2, '{"seq":"key: bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY","workspace_id":"key: text NOT NULL","source":"source: text","id":"text: text NOT NULL","title":"text: text NOT NULL","details":"text: text","due_at":"instant: timestamptz","book_key":"text: text","assignee_name":"text: text","assignee_email":"email: text","source_session_id":"text: text","source_title":"text: text","source_summary":"text: text","source_kind":"text: text","status":"choice: text NOT NULL DEFAULT ''open''","snoozed_until":"instant: timestamptz","created_at":"instant: timestamptz NOT NULL DEFAULT now()","snooze_expired":"mark: boolean NOT NULL DEFAULT false"}', '[["function","tasks_move_revisions","86bda60f8348191387ada9487fe8de8b3505a3dd7f0f6a5bccf03ea912333bd3"],["trigger","tasks_inserted","7469faf2245c558145db1664a9d9c3823b998a23d746cdee534a54fbd9c60686"],["trigger","tasks_updated","653d5e75f2448940b1d49d057504e0c971543549c486bf3ce47ba6f374ae7b4e"],["trigger","tasks_deleted","fbd269cb311415ec0fb0bc042d4a9bfc96b121f2c56648a6de7407de3a4abbe8"],["trigger","tasks_truncated","5272497851373a042aed119d7ab8747cbaded10a4288d70a9586cf140aee04a9","always"],["trigger","tasks_replicated","9ad2b047d4f2f9074d009443bc5a924b4883ef2a70d86d8cf8b3347dae589158","replica"],["function","tasks_check","0486a1cd189e34ba2f675ae5f662bd4db97674203e4fb89a940e12dd27cc5df1"],["trigger","tasks_checked","fc35beb5c8e618b52746d629f3826c1ad63e2fd830764b1438611503bfec3c89"],["function","tasks_check_choices","8d4d1e523f90cbf5388f4e27802accbc5ba11edd1be415b288cdd31772444cc0"],["trigger","tasks_choices_checked","d59eeac0af1c7ed38511e7247c993c91944be8f6cef253aa6a1406cef33976c6"],["function","tasks_fault","d182a31a80cfab8bf2b6f61dd6cca40982d2349e3f21fa5255d0d0cef6d8af0a"],["constraint","tasks_workspace_exists","916cbea4297e601bb92ff6ecc3866c69968027423362f9d17136055e0448c536"],["index","tasks_of_source","f0b338d07552dcb9e917909efeadaa3ef96615dbee3bffd3e3b8cc02bd8b1e7b"],["index","tasks_of_own","8239e3bab88045abed0f69c2946f81fe966826046240392291c6643142b6b9aa"],["index","tasks_unsnoozed","434487c2272a6aad1ea29089656919b7286c126854623e15e43cb7cc1b15f642"],["index","tasks_of_book","307a94d46dd7e4eaf941d513d82f21e6340fa128266eadc85e3be46c5e73e006"],["index","tasks_of_assignee","ab7c3fbfee829cc051bae661b88ba899a0ebdacd6e35666b6f199dde7931a1fe"],["index","tasks_of_book_and_assignee","59ca2954025c383fe56369f58346b6ef2ff191c0fa6ba043514802bd84a70351"],["index","tasks_snoozed","6910dc92aab9d7d219a56b4d1bbf581a27a2a3254b02e55a7627435a088886f7"],["function","tasks_mark_snooze","2b90b5bac5df3b0e50d0d1493cd24888b8014ac0199b9f113bee6397fa138f12"],["trigger","tasks_inserted_snoozed","efe32ddeaee86dcb4d4171d2a7de4c647525ca83d901cb0d72e1a681545a8936","always"],["trigger","tasks_snooze_written","9dfd289429a1f7c8d1f036490590462b5dc9dbc6036bb2b51885551f11e39199","always"]]');
INSERT INTO vitrine.revisions VALUES
	('ws_477d7505d1b34d925c', 1795093183285884),
	('ws_e65b5806e70d0f085e', 1795093183298162);
INSERT INTO vitrine.sessions VALUES
	('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'ines@northwind.example', '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL),
	('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'bo@northwind.example', '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', 'ws_e65b5806e70d0f085e'),
	('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'ana@northwind.example', '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', 'ws_e65b5806e70d0f085e');
INSERT INTO vitrine.sources VALUES
	('ws_e65b5806e70d0f085e', 'tasks', 'tracker', '2026-11-19 12:59:29.838+00', '2026-11-19 12:59:29.838+00', '2026-11-19 12:59:29.838+00', NULL, NULL, 0, NULL, 'stdin', NULL, NULL, NULL, NULL, 1);
INSERT INTO vitrine.tasks VALUES
	(1, 'ws_e65b5806e70d0f085e', NULL, 't-1', 'Confirm the linen order', NULL, '2026-12-01 16:00:00+00', 'home-textiles', 'Ana Lima', 'ana@acme.example', NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 12:59:28.424+00', false),
	(2, 'ws_e65b5806e70d0f085e', NULL, 't-2', 'Chase the signed terms', 'They hold the price until Friday.
"Größe" 🙂', '2026-11-20 12:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 12:59:28.424+00', false),
	(3, 'ws_e65b5806e70d0f085e', NULL, 't-3', 'Tidy the supplier list', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 12:59:28.424+00', false),
	(4, 'ws_e65b5806e70d0f085e', NULL, 't-4', 'Review the carrier rates', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', '2099-01-01 00:00:00+00', '2026-11-19 12:59:28.424+00', false),
	(5, 'ws_e65b5806e70d0f085e', NULL, 't-5', 'Pay the deposit', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'completed', NULL, '2026-11-19 12:59:28.424+00', false),
	(6, 'ws_e65b5806e70d0f085e', 'tracker', 's-1', 'Synced from the tracker', NULL, '2026-12-24 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 12:59:29.838+00', false);
INSERT INTO vitrine.tickets VALUES
	('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'link', 'bo@northwind.example', '{}', '2099-01-01 00:00:00+00');
INSERT INTO vitrine.timezones VALUES
	('Africa/Abidjan'),
	('Africa/Accra');
INSERT INTO vitrine.workspaces VALUES
	('ws_477d7505d1b34d925c', 'old', 'Old', NULL, NULL, NULL, '2026-11-19 12:59:26.648+00', '2026-11-19 12:59:38.996+00', NULL),
	('ws_e65b5806e70d0f085e', 'northwind', 'Northwind Buying', 'Europe/London', 'GBP', 'GB', '2026-11-19 12:59:25.386+00', NULL, NULL);
SELECT pg_catalog.setval('vitrine.audit_id_seq', 12, true);
SELECT pg_catalog.setval('vitrine.key_incidents_id_seq', 6, true);
SELECT pg_catalog.setval('vitrine.tasks_seq_seq', 7, false);
ALTER TABLE ONLY vitrine.api_keys ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY vitrine.api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.audit_heads ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (workspace_id);
ALTER TABLE ONLY vitrine.audit ADD CONSTRAINT audit_number UNIQUE (workspace_id, number);
ALTER TABLE ONLY vitrine.audit ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.country_codes ADD CONSTRAINT country_codes_pkey PRIMARY KEY (code);
ALTER TABLE ONLY vitrine.currency_codes ADD CONSTRAINT currency_codes_pkey PRIMARY KEY (code);
ALTER TABLE ONLY vitrine.key_callers ADD CONSTRAINT key_callers_pkey PRIMARY KEY (key_id, address, agent);
ALTER TABLE ONLY vitrine.key_incidents ADD CONSTRAINT key_incidents_key_id_day_kind_key UNIQUE (key_id, day, kind);
ALTER TABLE ONLY vitrine.key_incidents ADD CONSTRAINT key_incidents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.key_use ADD CONSTRAINT key_use_pkey PRIMARY KEY (key_id, day);
ALTER TABLE ONLY vitrine.members ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, email);
ALTER TABLE ONLY vitrine.migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY vitrine.quota_windows ADD CONSTRAINT quota_windows_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY vitrine.resource_tables ADD CONSTRAINT resource_tables_pkey PRIMARY KEY (name);
ALTER TABLE ONLY vitrine.revisions ADD CONSTRAINT revisions_pkey PRIMARY KEY (workspace_id);
ALTER TABLE ONLY vitrine.sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY vitrine.sources ADD CONSTRAINT sources_pkey PRIMARY KEY (workspace_id, table_name, name);
ALTER TABLE ONLY vitrine.tasks ADD CONSTRAINT tasks_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY vitrine.tasks ADD CONSTRAINT tasks_workspace_id_id_key UNIQUE (workspace_id, id);
ALTER TABLE ONLY vitrine.tickets ADD CONSTRAINT tickets_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY vitrine.timezones ADD CONSTRAINT timezones_pkey PRIMARY KEY (name);
ALTER TABLE ONLY vitrine.workspaces ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.workspaces ADD CONSTRAINT workspaces_slug_key UNIQUE (slug);
CREATE INDEX api_keys_by_prefix ON vitrine.api_keys USING btree (prefix);
CREATE INDEX api_keys_of_workspace ON vitrine.api_keys USING btree (workspace_id, created_at);
CREATE INDEX audit_by_time ON vitrine.audit USING btree (workspace_id, at, number);
CREATE INDEX members_by_email ON vitrine.members USING btree (email);
CREATE INDEX own_changes_of_transaction ON vitrine.own_changes USING btree (transaction);
CREATE INDEX sessions_of_email ON vitrine.sessions USING btree (email);
CREATE INDEX tasks_of_assignee ON vitrine.tasks USING btree (workspace_id, lower((assignee_email COLLATE "C")), due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (assignee_email IS NOT NULL));
CREATE INDEX tasks_of_book ON vitrine.tasks USING btree (workspace_id, book_key, due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (book_key IS NOT NULL));
CREATE INDEX tasks_of_book_and_assignee ON vitrine.tasks USING btree (workspace_id, book_key, lower((assignee_email COLLATE "C")), due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (book_key IS NOT NULL) AND (assignee_email IS NOT NULL));
CREATE INDEX tasks_of_own ON vitrine.tasks USING btree (id) WHERE (source ~~ 'own:%'::text);
CREATE INDEX tasks_of_source ON vitrine.tasks USING btree (workspace_id, source, id) WHERE (source IS NOT NULL);
CREATE INDEX tasks_snoozed ON vitrine.tasks USING btree (workspace_id, snooze_expired, snoozed_until) INCLUDE (due_at, seq) WHERE ((status = 'open'::text) AND (snoozed_until IS NOT NULL));
CREATE INDEX tasks_unsnoozed ON vitrine.tasks USING btree (workspace_id, due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired));
CREATE INDEX tickets_by_end ON vitrine.tickets USING btree (expires_at);
CREATE TRIGGER audit_unchanging BEFORE DELETE OR UPDATE ON vitrine.audit FOR EACH ROW EXECUTE FUNCTION vitrine.refuse_audit_change();
CREATE TRIGGER audit_untruncated BEFORE TRUNCATE ON vitrine.audit FOR EACH STATEMENT EXECUTE FUNCTION vitrine.refuse_audit_change();
CREATE TRIGGER key_callers_bounded AFTER INSERT ON vitrine.key_callers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.bound_callers();
CREATE TRIGGER key_kept BEFORE UPDATE ON vitrine.api_keys FOR EACH ROW EXECUTE FUNCTION vitrine.keep_key();
CREATE TRIGGER key_rules_checked BEFORE INSERT OR UPDATE OF label, permissions, rate_limit, rate_window_seconds, expires_at, revoked_at ON vitrine.api_keys FOR EACH ROW EXECUTE FUNCTION vitrine.check_key();
CREATE TRIGGER key_times_checked BEFORE INSERT OR UPDATE OF paused_at, retires_at ON vitrine.api_keys FOR EACH ROW EXECUTE FUNCTION vitrine.check_key_times();
CREATE TRIGGER member_checked BEFORE INSERT OR UPDATE OF email, role, added_at ON vitrine.members FOR EACH ROW EXECUTE FUNCTION vitrine.check_member();
CREATE TRIGGER member_sign_in_checked BEFORE INSERT OR UPDATE OF signed_in_at ON vitrine.members FOR EACH ROW EXECUTE FUNCTION vitrine.check_member_sign_in();
CREATE CONSTRAINT TRIGGER own_changes_shown AFTER INSERT ON vitrine.own_changes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION vitrine.show_changes();
CREATE TRIGGER tasks_checked BEFORE INSERT OR UPDATE OF id, title, details, book_key, assignee_name, assignee_email, source_session_id, source_title, source_summary, source_kind, due_at, snoozed_until, created_at, source ON vitrine.tasks FOR EACH ROW EXECUTE FUNCTION vitrine.tasks_check();
CREATE TRIGGER tasks_choices_checked BEFORE INSERT OR UPDATE OF status ON vitrine.tasks FOR EACH ROW EXECUTE FUNCTION vitrine.tasks_check_choices();
CREATE TRIGGER tasks_deleted AFTER DELETE ON vitrine.tasks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_old();
CREATE TRIGGER tasks_inserted AFTER INSERT ON vitrine.tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_new();
CREATE TRIGGER tasks_inserted_snoozed BEFORE INSERT ON vitrine.tasks FOR EACH ROW WHEN ((new.snoozed_until IS NOT NULL)) EXECUTE FUNCTION vitrine.tasks_mark_snooze();
ALTER TABLE vitrine.tasks ENABLE ALWAYS TRIGGER tasks_inserted_snoozed;
CREATE TRIGGER tasks_replicated AFTER INSERT OR DELETE OR UPDATE ON vitrine.tasks FOR EACH ROW EXECUTE FUNCTION vitrine.move_revisions_replicated();
ALTER TABLE vitrine.tasks ENABLE REPLICA TRIGGER tasks_replicated;
CREATE TRIGGER tasks_snooze_written BEFORE UPDATE OF snoozed_until ON vitrine.tasks FOR EACH ROW WHEN (((new.snoozed_until IS DISTINCT FROM old.snoozed_until) AND (new.snoozed_until IS NOT NULL))) EXECUTE FUNCTION vitrine.tasks_mark_snooze();
ALTER TABLE vitrine.tasks ENABLE ALWAYS TRIGGER tasks_snooze_written;
CREATE TRIGGER tasks_truncated AFTER TRUNCATE ON vitrine.tasks FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_all_revisions();
ALTER TABLE vitrine.tasks ENABLE ALWAYS TRIGGER tasks_truncated;
CREATE TRIGGER tasks_updated AFTER UPDATE ON vitrine.tasks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.tasks_move_revisions();
CREATE TRIGGER workspace_changed AFTER INSERT OR DELETE OR UPDATE ON vitrine.workspaces FOR EACH ROW EXECUTE FUNCTION vitrine.move_revision_of_workspace();
ALTER TABLE vitrine.workspaces ENABLE ALWAYS TRIGGER workspace_changed;
CREATE TRIGGER workspace_checked BEFORE INSERT OR UPDATE OF id, slug, name, timezone, currency_code, country_code, created_at, archived_at ON vitrine.workspaces FOR EACH ROW EXECUTE FUNCTION vitrine.check_workspace();
CREATE TRIGGER workspaces_truncated AFTER TRUNCATE ON vitrine.workspaces FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_all_revisions();
ALTER TABLE vitrine.workspaces ENABLE ALWAYS TRIGGER workspaces_truncated;
ALTER TABLE ONLY vitrine.members ADD CONSTRAINT members_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
ALTER TABLE ONLY vitrine.sources ADD CONSTRAINT sources_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
ALTER TABLE ONLY vitrine.tasks ADD CONSTRAINT tasks_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
