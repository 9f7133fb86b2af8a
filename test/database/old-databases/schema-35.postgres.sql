SET check_function_bodies = off;
--
CREATE SCHEMA vitrine;
CREATE FUNCTION vitrine.bound_requests() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  added record;
  full_key text;
  large record;
BEGIN
  SELECT count(*) AS rows, min(id) AS first, max(id) AS last, max(at) AS at INTO added FROM new_rows;
  FOR full_key IN SELECT DISTINCT key_id FROM new_rows WHERE number % 50 = 0 LOOP
    DELETE FROM vitrine.request_log WHERE id IN (SELECT id FROM vitrine.request_log WHERE id IN (
      SELECT id FROM vitrine.request_log WHERE key_id = full_key ORDER BY id DESC OFFSET 1000
    ) FOR UPDATE SKIP LOCKED);
  END LOOP;
  DELETE FROM vitrine.request_log WHERE id IN (SELECT id FROM vitrine.request_log WHERE id IN (
    SELECT id FROM (SELECT id, at FROM vitrine.request_log ORDER BY id LIMIT 2 * added.rows) AS oldest
    WHERE oldest.at < added.at - interval '7 days'
  ) FOR UPDATE SKIP LOCKED);
  IF added.last / 10000 > (added.first - 1) / 10000 AND (SELECT count(*) FROM vitrine.request_log) > 500000 THEN
    FOR large IN
      WITH sizes AS (
        SELECT workspace_id, count(*) AS size FROM vitrine.request_log GROUP BY workspace_id
      ), numbered AS (
        SELECT size, count(*) OVER () AS workspaces, row_number() OVER smaller - 1 AS number, sum(size) OVER smaller - size AS taken
        FROM sizes WINDOW smaller AS (ORDER BY size ROWS UNBOUNDED PRECEDING)
      ), shares AS (
        SELECT max(floor((500000 - taken) / (workspaces - number))) AS share FROM numbered
      )
      SELECT workspace_id, share FROM sizes, shares WHERE size > share
    LOOP
      DELETE FROM vitrine.request_log WHERE id IN (SELECT id FROM vitrine.request_log WHERE id IN (
        SELECT id FROM vitrine.request_log WHERE workspace_id = large.workspace_id ORDER BY at DESC, id DESC OFFSET large.share
      ) FOR UPDATE SKIP LOCKED);
    END LOOP;
  END IF;
  RETURN NULL;
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
CREATE FUNCTION vitrine.move_revisions(workspaces text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
  PERFORM FROM vitrine.workspaces AS w WHERE w.id = ANY (workspaces) ORDER BY w.id FOR KEY SHARE;
  IF cardinality(workspaces) > 1 THEN
    PERFORM FROM vitrine.revisions WHERE workspace_id = ANY (workspaces) ORDER BY workspace_id FOR UPDATE;
  END IF;
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number) WHERE workspace_id = ANY (workspaces);
END $$;
CREATE FUNCTION vitrine.move_revisions_both() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'vitrine', 'pg_temp'
    AS $$
BEGIN
  PERFORM vitrine.move_revisions(ARRAY(SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows));
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revisions_new() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'vitrine', 'pg_temp'
    AS $$
BEGIN
  PERFORM vitrine.move_revisions(ARRAY(SELECT DISTINCT workspace_id FROM new_rows));
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.move_revisions_old() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'vitrine', 'pg_temp'
    AS $$
BEGIN
  PERFORM vitrine.move_revisions(ARRAY(SELECT DISTINCT workspace_id FROM old_rows));
  RETURN NULL;
END $$;
CREATE FUNCTION vitrine.next_revision(number bigint) RETURNS bigint
    LANGUAGE sql
    RETURN GREATEST((number + 1), ((EXTRACT(epoch FROM clock_timestamp()) * (1000000)::numeric))::bigint);
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
CREATE FUNCTION vitrine.tasks_mark_snooze() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'vitrine', 'pg_temp'
    AS $$
BEGIN
  NEW.snooze_expired := NEW.snoozed_until <= clock_timestamp();
  RETURN NEW;
END $$;
CREATE FUNCTION vitrine.tasks_move_revisions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'vitrine', 'pg_temp'
    AS $$
BEGIN
  IF EXISTS (SELECT FROM new_rows WHERE new_rows."snooze_expired") THEN
    PERFORM vitrine.move_revisions(ARRAY(
      SELECT DISTINCT unnest(ARRAY[o.workspace_id, n.workspace_id]) FROM old_rows o FULL JOIN new_rows n ON n.seq = o.seq
      WHERE (o."seq", o."workspace_id", o."source", o."id", o."title", o."details", o."due_at", o."book_key", o."assignee_name", o."assignee_email", o."source_session_id", o."source_title", o."source_summary", o."source_kind", o."status", o."snoozed_until", o."created_at")
        IS DISTINCT FROM
            (n."seq", n."workspace_id", n."source", n."id", n."title", n."details", n."due_at", n."book_key", n."assignee_name", n."assignee_email", n."source_session_id", n."source_title", n."source_summary", n."source_kind", n."status", n."snoozed_until", n."created_at")));
  ELSE
    PERFORM vitrine.move_revisions(ARRAY(SELECT workspace_id FROM old_rows UNION SELECT workspace_id FROM new_rows));
  END IF;
  RETURN NULL;
END $$;
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
    retires_at timestamp with time zone,
    client_id text,
    client_host text,
    networks text,
    last_used_at timestamp with time zone,
    last_refused_at timestamp with time zone,
    last_refusal text,
    leaked_at timestamp with time zone,
    leaked_in text,
    CONSTRAINT api_keys_leaked_in_check CHECK ((leaked_in = ANY (ARRAY['url'::text, 'browser'::text])))
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
CREATE TABLE vitrine.connection_tokens (
    hash text NOT NULL,
    key_id text NOT NULL,
    kind text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    replaced_at timestamp with time zone,
    salt text,
    CONSTRAINT connection_tokens_kind_check CHECK ((kind = ANY (ARRAY['code'::text, 'access'::text, 'refresh'::text])))
);
CREATE TABLE vitrine.declared_resources (
    name text NOT NULL,
    state text NOT NULL,
    definition text NOT NULL,
    sunset text,
    CONSTRAINT declared_resources_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'published'::text])))
);
CREATE TABLE vitrine.key_use (
    key_id text NOT NULL,
    day text NOT NULL,
    count bigint NOT NULL,
    refused text NOT NULL
);
CREATE TABLE vitrine.list_items (
    workspace_id text NOT NULL,
    list text NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    seq bigint NOT NULL,
    source text,
    revision bigint NOT NULL,
    sort_key text COLLATE pg_catalog."C",
    shown_from bigint,
    words text COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    rest text
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
CREATE TABLE vitrine.new_rows (
);
CREATE TABLE vitrine.notice_deliveries (
    id text NOT NULL,
    message_id text NOT NULL,
    workspace_id text NOT NULL,
    recipient text,
    created_at timestamp with time zone NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    reason text,
    CONSTRAINT notice_deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'failed'::text, 'dropped'::text])))
);
CREATE TABLE vitrine.notice_events (
    workspace_id text NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    text text NOT NULL,
    path text NOT NULL,
    message_id text
);
CREATE TABLE vitrine.notice_recipients (
    workspace_id text NOT NULL,
    email text NOT NULL,
    token_hash text NOT NULL
);
CREATE TABLE vitrine.notice_settings (
    workspace_id text NOT NULL,
    kinds text NOT NULL,
    webhook_url text,
    webhook_secret text,
    unsubscribe_key text NOT NULL,
    audit_seen bigint NOT NULL,
    refusals_seen timestamp with time zone NOT NULL,
    expiries_seen timestamp with time zone NOT NULL
);
CREATE TABLE vitrine.old_rows (
);
CREATE TABLE vitrine.orders (
    seq bigint NOT NULL,
    workspace_id text NOT NULL,
    source text,
    id text NOT NULL,
    supplier text NOT NULL,
    link text,
    total numeric,
    pieces bigint,
    tags text[],
    delivery_at timestamp with time zone,
    urgent boolean DEFAULT false NOT NULL,
    status text NOT NULL,
    day date
);
ALTER TABLE vitrine.orders ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY;
CREATE TABLE vitrine.passkeys (
    id text NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    public_key text NOT NULL,
    counter bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
CREATE UNLOGGED TABLE vitrine.quota_windows (
    key_id text NOT NULL,
    resets_at timestamp with time zone NOT NULL,
    used integer NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE vitrine.request_log (
    id bigint NOT NULL,
    workspace_id text NOT NULL,
    key_id text NOT NULL,
    number bigint DEFAULT 0 NOT NULL,
    at timestamp with time zone NOT NULL,
    request_id text NOT NULL,
    operation text NOT NULL,
    tool text,
    arguments text,
    status integer,
    code text,
    refused text,
    outcome text NOT NULL,
    ms double precision NOT NULL,
    bytes bigint NOT NULL,
    address text,
    agent text,
    omitted bigint DEFAULT 0 NOT NULL,
    CONSTRAINT request_log_outcome_check CHECK ((outcome = ANY (ARRAY['ok'::text, 'refused'::text, 'failed'::text])))
);
ALTER TABLE vitrine.request_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY;
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
    workspace_id text,
    link_by text
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
CREATE TABLE vitrine.stored_lists (
    workspace_id text NOT NULL,
    list text NOT NULL,
    shape text NOT NULL,
    last_seq bigint NOT NULL
);
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
CREATE TABLE vitrine.workspaces (
    id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    timezone text,
    currency_code text,
    country_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    archived_at timestamp with time zone
);
INSERT INTO vitrine.api_keys VALUES
	('key_7fd26081bc01c61e99', 'ws_1580742df9c78e7be5', '404c3339990785da52d92e9d26fba6d24567e13d871574a0db64a2b2fb2aa7ce', 'vtr_lidxTt', 'revoked', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19 13:00:43.076+00', NULL, '2026-11-19 13:00:44.8+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('key_b4b1058b2d0806f213', 'ws_1580742df9c78e7be5', '0123879a91bdf3f75466db2e3fe17d6837a737062605d0dfc68df124f4ac9f7e', 'vtr_cqk4yY', 'old', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19 13:00:43.681+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('key_5f9c48d0a24dcd321f', 'ws_1580742df9c78e7be5', '8821a7afff70590b0cb1add28706d623ce2d3e362a13695e9cf703d7441839d7', 'vtr_xd2HHv', 'nightly report', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19 13:00:42.591+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', 'damaged', '2026-11-16 09:00:00+00', 'url');
INSERT INTO vitrine.audit VALUES
	(1, '2026-11-19 13:00:38.231+00', 'ws_1580742df9c78e7be5', 'cli:root', 'workspace.created', 'ws_1580742df9c78e7be5', '{"name":"Northwind Buying","slug":"northwind"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '608ce72736dae78721dc27e7a74cd3af172295c2e1739e6e2d89a5123ea3864c'),
	(2, '2026-11-19 13:00:39.129+00', 'ws_9b8f70483210130a6b', 'cli:root', 'workspace.created', 'ws_9b8f70483210130a6b', '{"name":"Old","slug":"old"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '4daaa0e8d31fe80edcb19eeb5c43958fe3a03c93c8c007909ac1d5d8ad71f80e'),
	(3, '2026-11-19 13:00:39.748+00', 'ws_1580742df9c78e7be5', 'cli:root', 'tasks.imported', 'ws_1580742df9c78e7be5', '{"created":5,"replaced":0,"deleted":0,"unchanged":0}', 2, '608ce72736dae78721dc27e7a74cd3af172295c2e1739e6e2d89a5123ea3864c', '2b9625ecb4bf9b6846b295676691224f48bb855ce22f9094f433b4d9c03b86db'),
	(4, '2026-11-19 13:00:40.439+00', 'ws_1580742df9c78e7be5', 'cli:root', 'tasks.synced', 'ws_1580742df9c78e7be5', '{"source":"tracker","created":1,"changed":0,"gone":0,"unchanged":0}', 3, '2b9625ecb4bf9b6846b295676691224f48bb855ce22f9094f433b4d9c03b86db', '07b936bac955fa2ba6a6fe55245b0402da9624f954258f1f18a9f5a7e9928a6d'),
	(5, '2026-11-19 13:00:41.084+00', 'ws_1580742df9c78e7be5', 'cli:root', 'orders.imported', 'ws_1580742df9c78e7be5', '{"created":3,"replaced":0,"deleted":0,"unchanged":0}', 4, '07b936bac955fa2ba6a6fe55245b0402da9624f954258f1f18a9f5a7e9928a6d', '96215bf948942bf5a3dad9b072ad38c4cc4758237c2f68eaf2378f524418d2f3'),
	(6, '2026-11-19 13:00:41.556+00', 'ws_1580742df9c78e7be5', 'cli:root', 'member.added', 'ines@northwind.example', '{"role":"owner"}', 5, '96215bf948942bf5a3dad9b072ad38c4cc4758237c2f68eaf2378f524418d2f3', '5f2fd99abf5e03c67846503ed29e5c95bc607366765153caecaada0ac8d142d5'),
	(7, '2026-11-19 13:00:42.048+00', 'ws_1580742df9c78e7be5', 'cli:root', 'member.added', 'bo@northwind.example', '{"role":"member"}', 6, '5f2fd99abf5e03c67846503ed29e5c95bc607366765153caecaada0ac8d142d5', '68ff7e23de57bfb74b18120977b2835eb7fba1e72731ab7818db90a883c0d960'),
	(8, '2026-11-19 13:00:42.591+00', 'ws_1580742df9c78e7be5', 'cli:root', 'key.created', 'key_5f9c48d0a24dcd321f', '{"label":"nightly report"}', 7, '68ff7e23de57bfb74b18120977b2835eb7fba1e72731ab7818db90a883c0d960', '0f37d071f4f0c9c67f7f56d4a010b1df4a12b1a0e6780af3b0e128de1a6467d3'),
	(9, '2026-11-19 13:00:43.076+00', 'ws_1580742df9c78e7be5', 'cli:root', 'key.created', 'key_7fd26081bc01c61e99', '{"label":"revoked"}', 8, '0f37d071f4f0c9c67f7f56d4a010b1df4a12b1a0e6780af3b0e128de1a6467d3', 'bd2798d8eb64453ebd7f567d2b88d247f5fb856c44a4b09b94ffd663beae11b4'),
	(10, '2026-11-19 13:00:43.681+00', 'ws_1580742df9c78e7be5', 'cli:root', 'key.created', 'key_b4b1058b2d0806f213', '{"label":"old"}', 9, 'bd2798d8eb64453ebd7f567d2b88d247f5fb856c44a4b09b94ffd663beae11b4', 'bd1a8c72dc03efc58aa93c156a471005865de9a6a144de1996c6039b84cd3928'),
	(11, '2026-11-19 13:00:44.27+00', 'ws_9b8f70483210130a6b', 'cli:root', 'workspace.archived', 'ws_9b8f70483210130a6b', '{"slug":"old"}', 2, '4daaa0e8d31fe80edcb19eeb5c43958fe3a03c93c8c007909ac1d5d8ad71f80e', '1f48c1327efe2f45e8e3fc84e0b14037477b8d49070a89175ac50a95c3c00494'),
	(12, '2026-11-19 13:00:44.8+00', 'ws_1580742df9c78e7be5', 'cli:root', 'key.revoked', 'key_7fd26081bc01c61e99', '{"label":"revoked"}', 10, 'bd1a8c72dc03efc58aa93c156a471005865de9a6a144de1996c6039b84cd3928', 'de8592626bc0aec3c22272a3a68088633e748ea7e1b8b9cc8568ecbf48dac877'),
	(13, '2026-11-16 09:00:00+00', 'ws_1580742df9c78e7be5', 'ines@northwind.example', 'session.started', 'bo@northwind.example', '{}', 11, 'de8592626bc0aec3c22272a3a68088633e748ea7e1b8b9cc8568ecbf48dac877', 'cfc25e1f5635692c9b2f8f96c2b6b8dbbfb950fec64b389a81cb7559871d8237');
INSERT INTO vitrine.audit_heads VALUES
	('ws_9b8f70483210130a6b', 2, '1f48c1327efe2f45e8e3fc84e0b14037477b8d49070a89175ac50a95c3c00494', 0, '0000000000000000000000000000000000000000000000000000000000000000'),
	('ws_1580742df9c78e7be5', 11, 'cfc25e1f5635692c9b2f8f96c2b6b8dbbfb950fec64b389a81cb7559871d8237', 0, '0000000000000000000000000000000000000000000000000000000000000000');
INSERT INTO vitrine.connection_tokens VALUES
	('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'key_5f9c48d0a24dcd321f', 'access', '2099-01-01 00:00:00+00', NULL, NULL);
INSERT INTO vitrine.declared_resources VALUES
	('orders', 'published', '{"name":"orders","singular":"order","state":"published","description":"Purchase orders that are not closed yet.","fields":{"id":{"type":"text","description":"Stable order identifier.","nullable":false,"maxLength":100},"supplier":{"type":"text","description":"Name of the supplier.","nullable":false,"maxLength":200},"link":{"type":"url","description":"The order in the shop.","nullable":true,"maxLength":2048},"total":{"type":"money","description":"Order value.","nullable":true},"pieces":{"type":"integer","description":"How many pieces.","nullable":true,"minimum":1},"tags":{"type":"texts","description":"Labels.","nullable":true,"maxLength":50,"maxItems":20},"deliveryAt":{"type":"instant","description":"Agreed delivery time.","nullable":true},"urgent":{"type":"boolean","description":"Whether it must be expedited.","nullable":false,"default":false},"status":{"type":"choice","description":"State of the order.","nullable":false,"values":["draft","sent","closed"]},"day":{"type":"date","description":"A day.","nullable":true}},"order":["deliveryAt","supplier"],"filters":["supplier","status"],"search":["supplier"],"limit":50,"tool":{"description":"List open purchase orders, earliest delivery first."},"example":{"id":"PO-1","supplier":"Alvés","link":null,"total":"1240.50","pieces":3,"tags":null,"deliveryAt":null,"urgent":false,"status":"sent","day":null},"current":{"status":["draft","sent"]},"label":"supplier"}', NULL);
INSERT INTO vitrine.key_use VALUES
	('key_5f9c48d0a24dcd321f', '2026-11-16', 3, ''),
	('key_5f9c48d0a24dcd321f', '2026-11-16', 2, 'damaged');
INSERT INTO vitrine.members VALUES
	('ws_1580742df9c78e7be5', 'ines@northwind.example', 'owner', '2026-11-19 13:00:41.556+00', NULL),
	('ws_1580742df9c78e7be5', 'bo@northwind.example', 'member', '2026-11-19 13:00:42.048+00', '2026-11-16 09:00:00+00');
INSERT INTO vitrine.migrations VALUES
	(8, '2026-11-19 13:00:45.520515+00'),
	(9, '2026-11-19 13:00:45.520515+00'),
	(10, '2026-11-19 13:00:45.520515+00'),
	(11, '2026-11-19 13:00:45.520515+00'),
	(12, '2026-11-19 13:00:45.520515+00'),
	(13, '2026-11-19 13:00:45.520515+00'),
	(14, '2026-11-19 13:00:45.520515+00'),
	(16, '2026-11-19 13:00:45.520515+00'),
	(17, '2026-11-19 13:00:45.520515+00'),
	(19, '2026-11-19 13:00:45.520515+00'),
	(20, '2026-11-19 13:00:45.520515+00'),
	(21, '2026-11-19 13:00:45.520515+00'),
	(22, '2026-11-19 13:00:45.520515+00'),
	(23, '2026-11-19 13:00:45.520515+00'),
	(24, '2026-11-19 13:00:45.520515+00'),
	(25, '2026-11-19 13:00:45.520515+00'),
	(26, '2026-11-19 13:00:45.520515+00'),
	(27, '2026-11-19 13:00:45.520515+00'),
	(28, '2026-11-19 13:00:45.520515+00'),
	(29, '2026-11-19 13:00:45.520515+00'),
	(30, '2026-11-19 13:00:45.520515+00'),
	(31, '2026-11-19 13:00:45.520515+00'),
	(32, '2026-11-19 13:00:45.520515+00'),
	(35, '2026-11-19 13:00:45.520515+00');
INSERT INTO vitrine.notice_deliveries VALUES
	('dl-1', 'm-1', 'ws_1580742df9c78e7be5', 'bo@northwind.example', '2026-11-16 09:00:00+00', 'waiting', 0, '2026-11-16 09:00:00+00', NULL, NULL);
INSERT INTO vitrine.notice_events VALUES
	('ws_1580742df9c78e7be5', 'ev-1', 'leaked', '2026-11-16 09:00:00+00', 'Seen in a URL.', '/keys', 'm-1');
INSERT INTO vitrine.notice_recipients VALUES
	('ws_1580742df9c78e7be5', 'bo@northwind.example', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff');
INSERT INTO vitrine.notice_settings VALUES
	('ws_1580742df9c78e7be5', 'leaked', 'https://hooks.example/x', 's', 'u', 2, '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00');
INSERT INTO vitrine.orders VALUES
	(1, 'ws_1580742df9c78e7be5', NULL, 'PO-1', 'Alvés', 'https://shop.example/1', 1240.50, 3, '{linen,"50 % \"off\" 🙂"}', '2026-12-01 08:00:00+00', true, 'sent', '2026-12-01'),
	(2, 'ws_1580742df9c78e7be5', NULL, 'PO-2', 'Berg', NULL, NULL, NULL, '{}', NULL, false, 'draft', NULL),
	(3, 'ws_1580742df9c78e7be5', NULL, 'PO-3', 'Closed', NULL, NULL, NULL, NULL, NULL, false, 'closed', NULL);
INSERT INTO vitrine.passkeys VALUES
	('cred', 'bo@northwind.example', 'Laptop', 'pQ', 7, '2026-11-16 09:00:00+00', NULL);
INSERT INTO vitrine.request_log VALUES
	(1, 'ws_1580742df9c78e7be5', 'key_5f9c48d0a24dcd321f', 1, '2026-11-16 09:00:00+00', 'r-1', 'GET /tasks', NULL, NULL, 200, NULL, NULL, 'ok', 1.5, 812, '192.0.2.1', 'agent', 0);
INSERT INTO vitrine.resource_tables VALUES
	('tasks', 5, '{"seq":"key: bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY","workspace_id":"key: text NOT NULL","source":"source: text","id":"text: text NOT NULL","title":"text: text NOT NULL","details":"text: text","due_at":"instant: timestamptz","book_key":"text: text","assignee_name":"text: text","assignee_email":"email: text","source_session_id":"text: text","source_title":"text: text","source_summary":"text: text","source_kind":"text: text","status":"choice: text NOT NULL DEFAULT ''open''","snoozed_until":"instant: timestamptz","created_at":"instant: timestamptz NOT NULL DEFAULT now()","snooze_expired":"mark: boolean NOT NULL DEFAULT false"}', '[["function","tasks_move_revisions","5ea2a6d657e9d3fe51712b818fb782a78d3967ca81997a80c1134fbdd3959d11"],["trigger","tasks_inserted","7469faf2245c558145db1664a9d9c3823b998a23d746cdee534a54fbd9c60686"],["trigger","tasks_updated","653d5e75f2448940b1d49d057504e0c971543549c486bf3ce47ba6f374ae7b4e"],["trigger","tasks_deleted","fbd269cb311415ec0fb0bc042d4a9bfc96b121f2c56648a6de7407de3a4abbe8"],["constraint","tasks_workspace_exists","916cbea4297e601bb92ff6ecc3866c69968027423362f9d17136055e0448c536"],["index","tasks_of_source","f0b338d07552dcb9e917909efeadaa3ef96615dbee3bffd3e3b8cc02bd8b1e7b"],["index","tasks_unsnoozed","434487c2272a6aad1ea29089656919b7286c126854623e15e43cb7cc1b15f642"],["index","tasks_of_book","307a94d46dd7e4eaf941d513d82f21e6340fa128266eadc85e3be46c5e73e006"],["index","tasks_of_assignee","ab7c3fbfee829cc051bae661b88ba899a0ebdacd6e35666b6f199dde7931a1fe"],["index","tasks_of_book_and_assignee","59ca2954025c383fe56369f58346b6ef2ff191c0fa6ba043514802bd84a70351"],["index","tasks_of_session","9777c61e6492de29bc821a4db68868da39bde612ce000218a2bbe032509bfe1d"],["index","tasks_unassigned","9f011e509a2dadd10e285a6f834d09c62fe658be897696b2451894ba1f0bed3a"],["index","tasks_snoozed","6910dc92aab9d7d219a56b4d1bbf581a27a2a3254b02e55a7627435a088886f7"],["function","tasks_mark_snooze","3729cd6e1757d98b6c04e0218c0d58dfb269b7d36aea0ef262c96e5349b2afa1"],["trigger","tasks_inserted_snoozed","f12ce4d94e739c8080eb295cbce263c63266e7d406da479440f00f727e671434"],["trigger","tasks_snooze_written","4ea0a66d22fac04be80e92662efc9a246ef2bf10b558b64f3128f1e178477420"]]'),
	('orders', 1, '{"seq":"key: bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY","workspace_id":"key: text NOT NULL","source":"source: text","id":"text: text NOT NULL","supplier":"text: text NOT NULL","link":"url: text","total":"money: numeric","pieces":"integer: bigint","tags":"texts: text[]","delivery_at":"instant: timestamptz","urgent":"boolean: boolean NOT NULL DEFAULT false","status":"choice: text NOT NULL","day":"date: date"}', '[["trigger","orders_inserted","eea3065a7f21900e82f2a01f0a2b53a3ea7947906b06e17d0c4202b2aa44fdbb"],["trigger","orders_updated","67c230899dba1b08d86e5bc40e0fd66e6210c8b7d6037ca75bf8ce6fb403a281"],["trigger","orders_deleted","8855115cc509296f1c9eb0dde95b6a456486e49d30562de935b68b53f94f01a9"],["constraint","orders_workspace_exists","773d29cd19598b5a9dd4eeb6e7d1e0c627cf725b7e4376c0a9a14d3cb6c534ae"],["index","orders_of_source","987ff609a7051b1bf2474e55a0405a82a508a4f8be7045a6e72c4671d012dbce"],["index","orders_in_order","ff598426c43c197f5d02a1dba8cf8d80f24966a8e8090bea7318adc92ff1d853"],["index","orders_by_supplier","afcfea9eaceb8720777ea8ea46f30122f35bad2d56d6f03a771cc46cd2a443bd"],["index","orders_by_status","a79041cd86a79f6a2111fa01a5e29e5032f54e721611dd6e28ac04fd955f3cd5"]]');
INSERT INTO vitrine.revisions VALUES
	('ws_9b8f70483210130a6b', 1795093244270000),
	('ws_1580742df9c78e7be5', 1795093246761622);
INSERT INTO vitrine.sessions VALUES
	('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'ines@northwind.example', '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', NULL, NULL),
	('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'bo@northwind.example', '2026-11-16 09:00:00+00', '2026-11-16 09:00:00+00', 'ws_1580742df9c78e7be5', 'ines@northwind.example');
INSERT INTO vitrine.sources VALUES
	('ws_1580742df9c78e7be5', 'tasks', 'tracker', '2026-11-19 13:00:40.439+00', '2026-11-19 13:00:40.439+00', '2026-11-19 13:00:40.439+00', NULL, NULL, 0, NULL, 'stdin', NULL, NULL, NULL, NULL, 1);
INSERT INTO vitrine.tasks VALUES
	(1, 'ws_1580742df9c78e7be5', NULL, 't-1', 'Confirm the linen order', NULL, '2026-12-01 16:00:00+00', 'home-textiles', 'Ana Lima', 'ana@acme.example', NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 13:00:39.748+00', false),
	(2, 'ws_1580742df9c78e7be5', NULL, 't-2', 'Chase the signed terms', 'They hold the price until Friday.
"Größe" 🙂', '2026-11-20 12:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 13:00:39.748+00', false),
	(3, 'ws_1580742df9c78e7be5', NULL, 't-3', 'Tidy the supplier list', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 13:00:39.748+00', false),
	(4, 'ws_1580742df9c78e7be5', NULL, 't-4', 'Review the carrier rates', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', '2099-01-01 00:00:00+00', '2026-11-19 13:00:39.748+00', false),
	(5, 'ws_1580742df9c78e7be5', NULL, 't-5', 'Pay the deposit', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'completed', NULL, '2026-11-19 13:00:39.748+00', false),
	(6, 'ws_1580742df9c78e7be5', 'tracker', 's-1', 'Synced from the tracker', NULL, '2026-12-24 08:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19 13:00:40.439+00', false);
INSERT INTO vitrine.tickets VALUES
	('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'link', 'bo@northwind.example', '{}', '2099-01-01 00:00:00+00');
INSERT INTO vitrine.timezones VALUES
	('Africa/Abidjan'),
	('Africa/Accra');
INSERT INTO vitrine.workspaces VALUES
	('ws_1580742df9c78e7be5', 'northwind', 'Northwind Buying', 'Europe/London', 'GBP', 'GB', '2026-11-19 13:00:38.231+00', NULL),
	('ws_9b8f70483210130a6b', 'old', 'Old', NULL, NULL, NULL, '2026-11-19 13:00:39.129+00', '2026-11-19 13:00:44.27+00');
SELECT pg_catalog.setval('vitrine.audit_id_seq', 13, true);
SELECT pg_catalog.setval('vitrine.orders_seq_seq', 4, false);
SELECT pg_catalog.setval('vitrine.request_log_id_seq', 1, true);
SELECT pg_catalog.setval('vitrine.tasks_seq_seq', 7, false);
ALTER TABLE ONLY vitrine.api_keys ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY vitrine.api_keys ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.audit_heads ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (workspace_id);
ALTER TABLE ONLY vitrine.audit ADD CONSTRAINT audit_number UNIQUE (workspace_id, number);
ALTER TABLE ONLY vitrine.audit ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.connection_tokens ADD CONSTRAINT connection_tokens_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY vitrine.declared_resources ADD CONSTRAINT declared_resources_pkey PRIMARY KEY (name);
ALTER TABLE ONLY vitrine.key_use ADD CONSTRAINT key_use_pkey PRIMARY KEY (key_id, day, refused);
ALTER TABLE ONLY vitrine.list_items ADD CONSTRAINT list_items_pkey PRIMARY KEY (workspace_id, list, id);
ALTER TABLE ONLY vitrine.members ADD CONSTRAINT members_pkey PRIMARY KEY (workspace_id, email);
ALTER TABLE ONLY vitrine.migrations ADD CONSTRAINT migrations_pkey PRIMARY KEY (number);
ALTER TABLE ONLY vitrine.notice_deliveries ADD CONSTRAINT notice_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.notice_events ADD CONSTRAINT notice_events_pkey PRIMARY KEY (workspace_id, id);
ALTER TABLE ONLY vitrine.notice_recipients ADD CONSTRAINT notice_recipients_pkey PRIMARY KEY (workspace_id, email);
ALTER TABLE ONLY vitrine.notice_recipients ADD CONSTRAINT notice_recipients_token_hash_key UNIQUE (token_hash);
ALTER TABLE ONLY vitrine.notice_settings ADD CONSTRAINT notice_settings_pkey PRIMARY KEY (workspace_id);
ALTER TABLE ONLY vitrine.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY vitrine.orders ADD CONSTRAINT orders_workspace_id_id_key UNIQUE (workspace_id, id);
ALTER TABLE ONLY vitrine.passkeys ADD CONSTRAINT passkeys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.quota_windows ADD CONSTRAINT quota_windows_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY vitrine.request_log ADD CONSTRAINT request_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.resource_tables ADD CONSTRAINT resource_tables_pkey PRIMARY KEY (name);
ALTER TABLE ONLY vitrine.revisions ADD CONSTRAINT revisions_pkey PRIMARY KEY (workspace_id);
ALTER TABLE ONLY vitrine.sessions ADD CONSTRAINT sessions_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY vitrine.sources ADD CONSTRAINT sources_pkey PRIMARY KEY (workspace_id, table_name, name);
ALTER TABLE ONLY vitrine.stored_lists ADD CONSTRAINT stored_lists_pkey PRIMARY KEY (workspace_id, list);
ALTER TABLE ONLY vitrine.tasks ADD CONSTRAINT tasks_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY vitrine.tasks ADD CONSTRAINT tasks_workspace_id_id_key UNIQUE (workspace_id, id);
ALTER TABLE ONLY vitrine.tickets ADD CONSTRAINT tickets_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY vitrine.timezones ADD CONSTRAINT timezones_pkey PRIMARY KEY (name);
ALTER TABLE ONLY vitrine.workspaces ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);
ALTER TABLE ONLY vitrine.workspaces ADD CONSTRAINT workspaces_slug_key UNIQUE (slug);
CREATE INDEX api_keys_by_expiry ON vitrine.api_keys USING btree (workspace_id, expires_at) WHERE ((expires_at IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX api_keys_by_prefix ON vitrine.api_keys USING btree (prefix);
CREATE INDEX api_keys_leaked ON vitrine.api_keys USING btree (workspace_id, leaked_at) WHERE (leaked_at IS NOT NULL);
CREATE INDEX api_keys_listed ON vitrine.api_keys USING btree (workspace_id, created_at, id, revoked_at, expires_at, retires_at, paused_at);
CREATE INDEX api_keys_of_workspace ON vitrine.api_keys USING btree (workspace_id, created_at);
CREATE INDEX api_keys_refused ON vitrine.api_keys USING btree (workspace_id, last_refused_at) WHERE (last_refused_at IS NOT NULL);
CREATE INDEX api_keys_replacing ON vitrine.api_keys USING btree (replaces, workspace_id) WHERE (replaces IS NOT NULL);
CREATE INDEX audit_by_subject ON vitrine.audit USING btree (workspace_id, subject, at, number);
CREATE INDEX audit_by_time ON vitrine.audit USING btree (workspace_id, at, number);
CREATE INDEX connection_tokens_by_end ON vitrine.connection_tokens USING btree (expires_at);
CREATE INDEX connection_tokens_by_key ON vitrine.connection_tokens USING btree (key_id, expires_at);
CREATE INDEX key_use_by_day ON vitrine.key_use USING btree (day);
CREATE INDEX list_items_in_order ON vitrine.list_items USING btree (workspace_id, list, sort_key, seq, shown_from) WHERE (sort_key IS NOT NULL);
CREATE INDEX list_items_shown_later ON vitrine.list_items USING btree (workspace_id, list, shown_from) WHERE (shown_from IS NOT NULL);
CREATE INDEX members_by_email ON vitrine.members USING btree (email);
CREATE INDEX notice_deliveries_by_time ON vitrine.notice_deliveries USING btree (workspace_id, created_at);
CREATE INDEX notice_deliveries_due ON vitrine.notice_deliveries USING btree (next_at) WHERE (state = 'waiting'::text);
CREATE INDEX notice_events_by_message ON vitrine.notice_events USING btree (message_id, workspace_id);
CREATE INDEX notice_events_by_time ON vitrine.notice_events USING btree (workspace_id, at);
CREATE INDEX orders_by_status ON vitrine.orders USING btree (workspace_id, status, delivery_at, supplier COLLATE "C", seq) WHERE (status = ANY (ARRAY['draft'::text, 'sent'::text]));
CREATE INDEX orders_by_supplier ON vitrine.orders USING btree (workspace_id, supplier, delivery_at, seq) WHERE (status = ANY (ARRAY['draft'::text, 'sent'::text]));
CREATE INDEX orders_in_order ON vitrine.orders USING btree (workspace_id, delivery_at, supplier COLLATE "C", seq) WHERE (status = ANY (ARRAY['draft'::text, 'sent'::text]));
CREATE INDEX orders_of_source ON vitrine.orders USING btree (workspace_id, source, id) WHERE (source IS NOT NULL);
CREATE INDEX passkeys_of_email ON vitrine.passkeys USING btree (email);
CREATE INDEX request_log_by_key ON vitrine.request_log USING btree (key_id, id);
CREATE INDEX request_log_by_time ON vitrine.request_log USING btree (workspace_id, at, id);
CREATE INDEX request_log_not_ok ON vitrine.request_log USING btree (workspace_id, outcome, at, id) WHERE (outcome <> 'ok'::text);
CREATE INDEX sessions_of_email ON vitrine.sessions USING btree (email);
CREATE INDEX tasks_of_assignee ON vitrine.tasks USING btree (workspace_id, lower((assignee_email COLLATE "C")), due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (assignee_email IS NOT NULL));
CREATE INDEX tasks_of_book ON vitrine.tasks USING btree (workspace_id, book_key, due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (book_key IS NOT NULL));
CREATE INDEX tasks_of_book_and_assignee ON vitrine.tasks USING btree (workspace_id, book_key, lower((assignee_email COLLATE "C")), due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (book_key IS NOT NULL) AND (assignee_email IS NOT NULL));
CREATE INDEX tasks_of_session ON vitrine.tasks USING btree (workspace_id, source_session_id, due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (source_session_id IS NOT NULL));
CREATE INDEX tasks_of_source ON vitrine.tasks USING btree (workspace_id, source, id) WHERE (source IS NOT NULL);
CREATE INDEX tasks_snoozed ON vitrine.tasks USING btree (workspace_id, snooze_expired, snoozed_until) INCLUDE (due_at, seq) WHERE ((status = 'open'::text) AND (snoozed_until IS NOT NULL));
CREATE INDEX tasks_unassigned ON vitrine.tasks USING btree (workspace_id, due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired) AND (assignee_name IS NULL) AND (assignee_email IS NULL));
CREATE INDEX tasks_unsnoozed ON vitrine.tasks USING btree (workspace_id, due_at, seq) INCLUDE (snoozed_until, snooze_expired) WHERE ((status = 'open'::text) AND ((snoozed_until IS NULL) OR snooze_expired));
CREATE INDEX tickets_by_end ON vitrine.tickets USING btree (expires_at);
CREATE TRIGGER audit_unchanging BEFORE DELETE OR UPDATE ON vitrine.audit FOR EACH ROW EXECUTE FUNCTION vitrine.refuse_audit_change();
CREATE TRIGGER audit_untruncated BEFORE TRUNCATE ON vitrine.audit FOR EACH STATEMENT EXECUTE FUNCTION vitrine.refuse_audit_change();
CREATE TRIGGER key_kept BEFORE UPDATE ON vitrine.api_keys FOR EACH ROW EXECUTE FUNCTION vitrine.keep_key();
CREATE TRIGGER orders_deleted AFTER DELETE ON vitrine.orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_old();
CREATE TRIGGER orders_inserted AFTER INSERT ON vitrine.orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_new();
CREATE TRIGGER orders_updated AFTER UPDATE ON vitrine.orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_both();
CREATE TRIGGER request_log_bounded AFTER INSERT ON vitrine.request_log REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.bound_requests();
CREATE TRIGGER tasks_deleted AFTER DELETE ON vitrine.tasks REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_old();
CREATE TRIGGER tasks_inserted AFTER INSERT ON vitrine.tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.move_revisions_new();
CREATE TRIGGER tasks_inserted_snoozed BEFORE INSERT ON vitrine.tasks FOR EACH ROW WHEN ((new.snoozed_until IS NOT NULL)) EXECUTE FUNCTION vitrine.tasks_mark_snooze();
CREATE TRIGGER tasks_snooze_written BEFORE UPDATE OF snoozed_until ON vitrine.tasks FOR EACH ROW WHEN (((new.snoozed_until IS DISTINCT FROM old.snoozed_until) AND (new.snoozed_until IS NOT NULL))) EXECUTE FUNCTION vitrine.tasks_mark_snooze();
CREATE TRIGGER tasks_updated AFTER UPDATE ON vitrine.tasks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.tasks_move_revisions();
ALTER TABLE ONLY vitrine.list_items ADD CONSTRAINT list_items_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.members ADD CONSTRAINT members_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
ALTER TABLE ONLY vitrine.notice_deliveries ADD CONSTRAINT notice_deliveries_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.notice_deliveries ADD CONSTRAINT notice_deliveries_workspace_id_recipient_fkey FOREIGN KEY (workspace_id, recipient) REFERENCES vitrine.members(workspace_id, email) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.notice_events ADD CONSTRAINT notice_events_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.notice_recipients ADD CONSTRAINT notice_recipients_workspace_id_email_fkey FOREIGN KEY (workspace_id, email) REFERENCES vitrine.members(workspace_id, email) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.notice_settings ADD CONSTRAINT notice_settings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.orders ADD CONSTRAINT orders_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
ALTER TABLE ONLY vitrine.sources ADD CONSTRAINT sources_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
ALTER TABLE ONLY vitrine.stored_lists ADD CONSTRAINT stored_lists_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE;
ALTER TABLE ONLY vitrine.tasks ADD CONSTRAINT tasks_workspace_exists FOREIGN KEY (workspace_id) REFERENCES vitrine.workspaces(id) ON DELETE CASCADE NOT VALID;
