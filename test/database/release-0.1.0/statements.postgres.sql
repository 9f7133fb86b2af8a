-- What a server of release 0.1.0 asks of PostgreSQL: recorded while it answered requests, agents and the settings pages.
DELETE FROM sessions WHERE email = $1 AND hash NOT IN
       (SELECT hash FROM sessions WHERE email = $2 ORDER BY seen_at DESC, hash LIMIT $3)
;

DELETE FROM sessions WHERE started_at <= $1 OR seen_at <= $2
;

DELETE FROM tickets WHERE expires_at <= $1
;

DELETE FROM tickets WHERE hash = $1 AND kind = $2 RETURNING hash, kind, subject, detail, expires_at AS "expiresAt"
;

INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, rate_limit, rate_window_seconds,
                           created_by, created_at, expires_at, revoked_at, replaces)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
;

INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
;

INSERT INTO audit_heads (workspace_id, number, hash) VALUES ($1, 1, $2)
     ON CONFLICT (workspace_id) DO UPDATE SET number = audit_heads.number + 1 RETURNING number, hash
;

INSERT INTO sessions (hash, email, started_at, seen_at) VALUES ($1, $2, $3, $4)
;

INSERT INTO tickets (hash, kind, subject, detail, expires_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (hash) DO NOTHING
;

INSERT INTO vitrine.key_use AS u (key_id, day, count, first_at, first_client, last_at, last_client)
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::text[])
          AS used (key_id, day, count, first_at, first_client, last_at, last_client)
        ORDER BY key_id -- replicas that write the same keys lock them in the same order
        ON CONFLICT (key_id, day) DO UPDATE SET
          count = u.count + excluded.count,
          first_at = least(u.first_at, excluded.first_at),
          first_client = CASE WHEN u.first_at <= excluded.first_at THEN u.first_client ELSE excluded.first_client END,
          last_at = greatest(u.last_at, excluded.last_at),
          last_client = CASE WHEN excluded.last_at >= u.last_at THEN excluded.last_client ELSE u.last_client END
;

SELECT 
  id, slug, name, timezone, currency_code AS "currencyCode", country_code AS "countryCode",
  created_at AS "createdAt", archived_at AS "archivedAt" FROM vitrine.workspaces WHERE id = $1
;

SELECT 
  id, slug, name, timezone, currency_code AS "currencyCode", country_code AS "countryCode",
  created_at AS "createdAt", archived_at AS "archivedAt" FROM workspaces WHERE slug = $1
;

SELECT * FROM (SELECT * FROM (SELECT at, 0 AS source, number AS id, workspace_id AS "workspaceId", actor, action, subject, detail,
                    '' AS kind, 1 AS count, at AS "firstAt", previous_hash AS "previousHash", hash FROM audit WHERE workspace_id = $1
            ORDER BY at DESC, number DESC LIMIT $2) AS branch_0 UNION ALL SELECT * FROM (SELECT i.last_at AS at, 1 AS source, i.id, k.workspace_id AS "workspaceId", coalesce(i.client, '') AS actor,
                    '' AS action, i.key_id AS subject, k.label AS detail, i.kind, i.count, i.first_at AS "firstAt",
                    '' AS "previousHash", '' AS hash
             FROM api_keys k JOIN key_incidents i ON i.key_id = k.id WHERE k.workspace_id = $3
            ORDER BY i.last_at DESC, i.id DESC LIMIT $4) AS branch_1) AS trail ORDER BY at DESC, source DESC, id DESC LIMIT $5
;

SELECT 1 FROM pg_tables WHERE schemaname = 'vitrine' AND tablename = 'migrations'
;

SELECT coalesce(max(number), 0) AS number FROM vitrine.migrations
;

SELECT has_table_privilege('vitrine.api_keys', 'INSERT') AND has_column_privilege('vitrine.api_keys', 'revoked_at', 'UPDATE')
     AND has_column_privilege('vitrine.api_keys', 'expires_at', 'UPDATE') AND has_table_privilege('vitrine.audit', 'INSERT')
     AND has_column_privilege('vitrine.audit_heads', 'number', 'INSERT') AND has_column_privilege('vitrine.audit_heads', 'hash', 'UPDATE')
     AND has_table_privilege('vitrine.sessions', 'INSERT') AND has_table_privilege('vitrine.sessions', 'UPDATE')
     AND has_table_privilege('vitrine.sessions', 'DELETE') AND has_table_privilege('vitrine.tickets', 'INSERT')
     AND has_table_privilege('vitrine.tickets', 'DELETE') AS may
;

SELECT hash, email, started_at AS "startedAt", seen_at AS "seenAt" FROM sessions WHERE hash = $1
;

SELECT hash, email, started_at AS "startedAt", seen_at AS "seenAt", clock_timestamp() AS now
           FROM vitrine.sessions WHERE hash = ANY ($1::text[])
;

SELECT hash, kind, subject, detail, expires_at AS "expiresAt" FROM tickets WHERE hash = $1 AND kind = $2
;

SELECT i.key_id AS "keyId", i.kind, max(i.last_at) AS at FROM api_keys k JOIN key_incidents i ON i.key_id = k.id
     WHERE k.workspace_id = $1 AND i.kind IN ($2, $3)
     GROUP BY i.key_id, i.kind
;

SELECT id, workspace_id, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at,
         expires_at, revoked_at, replaces,
         (SELECT max(last_at) FROM key_use WHERE key_id = api_keys.id) AS last_used_at,
         (SELECT coalesce(sum(count), 0) FROM key_use WHERE key_id = api_keys.id) AS use_count
  FROM api_keys WHERE id = $1
;

SELECT id, workspace_id, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at,
         expires_at, revoked_at, replaces,
         (SELECT max(last_at) FROM key_use WHERE key_id = api_keys.id) AS last_used_at,
         (SELECT coalesce(sum(count), 0) FROM key_use WHERE key_id = api_keys.id) AS use_count
  FROM api_keys WHERE workspace_id = $1 ORDER BY created_at, id
;

SELECT name, version, columns, objects FROM vitrine.resource_tables
;

SELECT pg_backend_pid() AS pid, pg_is_in_recovery() AS standby,
                    current_setting('default_transaction_read_only') = 'on' AS "readOnly"
;

SELECT table_name AS "tableName", name, created_at AS "createdAt", synced_at AS "syncedAt",
  attempted_at AS "attemptedAt", failing_since AS "failingSince", failure, failures, every_seconds AS "everySeconds",
  location, etag, last_modified AS "lastModified", question, revision, row_count AS "rowCount" FROM sources WHERE workspace_id = $1 ORDER BY table_name, name
;

SELECT u.key_id AS "keyId", u.day, u.count FROM api_keys k JOIN key_use u ON u.key_id = k.id
     WHERE k.workspace_id = $1 AND u.day >= $2
;

SELECT w.id AS "workspaceId", w.slug, w.name, m.role FROM members m JOIN workspaces w ON w.id = m.workspace_id
     WHERE m.email = $1 AND w.archived_at IS NULL ORDER BY w.name, w.id
;

UPDATE api_keys SET expires_at = $1 WHERE id = $2
;

UPDATE api_keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL
;

UPDATE audit_heads SET hash = $1 WHERE workspace_id = $2
;

WITH moment AS MATERIALIZED (
    SELECT coalesce($5::timestamptz, clock_timestamp()) AS now
  ), live AS MATERIALIZED (
    SELECT asked.hash, asked.requests, k.id, k.workspace_id, k.permissions,
           coalesce(k.rate_limit, $3::int) AS quota_limit, coalesce(k.rate_window_seconds, $4::int) AS quota_seconds,
           w.id IS NOT NULL AND w.archived_at IS NULL AS available, coalesce(r.number, 0) AS revision, moment.now
    FROM unnest($1::text[], $2::int[]) AS asked (hash, requests)
    CROSS JOIN moment
    JOIN vitrine.api_keys k ON k.hash = asked.hash AND k.revoked_at IS NULL
                           AND (k.expires_at IS NULL OR k.expires_at > moment.now)
    LEFT JOIN vitrine.workspaces w ON w.id = k.workspace_id
    LEFT JOIN vitrine.revisions r ON r.workspace_id = k.workspace_id
  ), counted AS (
    INSERT INTO vitrine.quota_windows AS q (key_id, resets_at, used)
    SELECT id, now + quota_seconds * interval '1 second', requests FROM live
    ORDER BY id -- two statements that lock the same keys do so in the same order
    ON CONFLICT (key_id) DO UPDATE SET (used, resets_at) = (
      SELECT CASE WHEN has_ended THEN excluded.used ELSE q.used + excluded.used END,
             CASE WHEN has_ended THEN excluded.resets_at ELSE q.resets_at END
      -- Not merely later: while this statement waited for the row, another may have opened the window just after this
      -- one's moment.
      FROM (SELECT now >= q.resets_at OR q.resets_at > excluded.resets_at + interval '1 day' AS has_ended FROM moment) AS w
    )
    RETURNING key_id, used, resets_at
  )
  SELECT live.*, counted.used, counted.resets_at FROM live JOIN counted ON counted.key_id = live.id
;

WITH picked AS (
    (SELECT seq, due_at FROM vitrine.tasks
     WHERE workspace_id = $1 AND status = 'open' AND (snoozed_until IS NULL OR snooze_expired) AND (snoozed_until IS NULL OR snoozed_until <= $2::timestamptz) AND book_key IS NOT NULL AND book_key = $5 AND due_at < $6::timestamptz ORDER BY due_at, seq LIMIT 101)
    UNION ALL
    (SELECT seq, due_at FROM (SELECT seq, due_at 
  FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz AND book_key IS NOT NULL AND book_key = $5 OFFSET 0) AS unmarked WHERE true AND due_at < $6::timestamptz ORDER BY due_at, seq LIMIT 101))
  SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place) FILTER (WHERE place <= $3::int), '') AS json,
         count(*) AS count, max(to_char(tasks."due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) FILTER (WHERE place = $3::int) AS _0, max(tasks.seq::text) FILTER (WHERE place = $3::int) AS _1,
         least((SELECT min(snoozed_until) FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz AND NOT snooze_expired),
               (SELECT min(snoozed_until) FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz AND snooze_expired)) AS until,
         (SELECT count(*) FROM (SELECT 
  FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz LIMIT 101) AS seen) AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place FROM picked
        ORDER BY due_at, seq LIMIT $4::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT "id" AS "id", "title" AS "title", "details" AS "details", to_char("due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "dueAt", "book_key" AS "bookKey", "assignee_name" AS "assigneeName", "assignee_email" AS "assigneeEmail", "source_session_id" AS "sourceSessionId", "source_title" AS "sourceTitle", "source_summary" AS "sourceSummary", "source_kind" AS "sourceKind") AS one
;

WITH picked AS (
    (SELECT seq, due_at FROM vitrine.tasks
     WHERE workspace_id = $1 AND status = 'open' AND (snoozed_until IS NULL OR snooze_expired) AND (snoozed_until IS NULL OR snoozed_until <= $2::timestamptz) AND due_at >= $5::timestamptz ORDER BY due_at, seq LIMIT 101)
    UNION ALL
    (SELECT seq, due_at FROM (SELECT seq, due_at 
  FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz OFFSET 0) AS unmarked WHERE true AND due_at >= $5::timestamptz ORDER BY due_at, seq LIMIT 101))
  SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place) FILTER (WHERE place <= $3::int), '') AS json,
         count(*) AS count, max(to_char(tasks."due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) FILTER (WHERE place = $3::int) AS _0, max(tasks.seq::text) FILTER (WHERE place = $3::int) AS _1,
         least((SELECT min(snoozed_until) FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz AND NOT snooze_expired),
               (SELECT min(snoozed_until) FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz AND snooze_expired)) AS until,
         (SELECT count(*) FROM (SELECT 
  FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz LIMIT 101) AS seen) AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place FROM picked
        ORDER BY due_at, seq LIMIT $4::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT "id" AS "id", "title" AS "title", "details" AS "details", to_char("due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "dueAt", "book_key" AS "bookKey", "assignee_name" AS "assigneeName", "assignee_email" AS "assigneeEmail", "source_session_id" AS "sourceSessionId", "source_title" AS "sourceTitle", "source_summary" AS "sourceSummary", "source_kind" AS "sourceKind") AS one
;

WITH picked AS (
    (SELECT seq, due_at FROM vitrine.tasks
     WHERE workspace_id = $1 AND status = 'open' AND (snoozed_until IS NULL OR snooze_expired) AND (snoozed_until IS NULL OR snoozed_until <= $2::timestamptz) ORDER BY due_at, seq LIMIT 101)
    UNION ALL
    (SELECT seq, due_at FROM (SELECT seq, due_at 
  FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz OFFSET 0) AS unmarked WHERE true ORDER BY due_at, seq LIMIT 101))
  SELECT coalesce(string_agg(row_to_json(one)::text, ',' ORDER BY place) FILTER (WHERE place <= $3::int), '') AS json,
         count(*) AS count, max(to_char(tasks."due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) FILTER (WHERE place = $3::int) AS _0, max(tasks.seq::text) FILTER (WHERE place = $3::int) AS _1,
         least((SELECT min(snoozed_until) FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz AND NOT snooze_expired),
               (SELECT min(snoozed_until) FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND snoozed_until > $2::timestamptz AND snooze_expired)) AS until,
         (SELECT count(*) FROM (SELECT 
  FROM vitrine.tasks WHERE workspace_id = $1 AND status = 'open' AND snoozed_until IS NOT NULL AND NOT snooze_expired AND snoozed_until <= $2::timestamptz LIMIT 101) AS seen) AS unmarked
  FROM (SELECT seq, row_number() OVER (ORDER BY due_at, seq) AS place FROM picked
        ORDER BY due_at, seq LIMIT $4::int) AS chosen
  JOIN vitrine.tasks USING (seq)
  CROSS JOIN LATERAL (SELECT "id" AS "id", "title" AS "title", "details" AS "details", to_char("due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "dueAt", "book_key" AS "bookKey", "assignee_name" AS "assigneeName", "assignee_email" AS "assigneeEmail", "source_session_id" AS "sourceSessionId", "source_title" AS "sourceTitle", "source_summary" AS "sourceSummary", "source_kind" AS "sourceKind") AS one
;

WITH seen AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[],
                         $8::timestamptz[], $9::text[])
      AS s (key_id, hash, prefix, kind, day, count, first_at, last_at, client)
  ), named AS (
    SELECT coalesce(seen.key_id, exact.id, alike.id) AS key_id, seen.day, seen.count, seen.first_at, seen.last_at,
           seen.client,
           CASE WHEN seen.kind <> 'unauthorized' THEN seen.kind
                WHEN exact.id IS NULL THEN 'unknown'
                WHEN exact.revoked_at IS NOT NULL THEN 'revoked'
                WHEN exact.expires_at <= seen.last_at THEN 'expired' END AS kind
    FROM seen
    LEFT JOIN vitrine.api_keys exact ON exact.hash = seen.hash
    LEFT JOIN LATERAL (
      SELECT id FROM vitrine.api_keys
      WHERE prefix = seen.prefix AND seen.key_id IS NULL AND exact.id IS NULL LIMIT 1
    ) alike ON true
  )
  INSERT INTO vitrine.key_incidents AS i (key_id, day, kind, count, first_at, last_at, client)
  SELECT key_id, day, kind, sum(count), min(first_at), max(last_at), (array_agg(client ORDER BY last_at DESC))[1]
  FROM named
  WHERE key_id IS NOT NULL AND kind IS NOT NULL
  GROUP BY key_id, day, kind
  ORDER BY key_id, day, kind -- replicas that write the same keys lock them in the same order
  ON CONFLICT (key_id, day, kind) DO UPDATE SET
    count = i.count + excluded.count,
    last_at = greatest(i.last_at, excluded.last_at),
    client = CASE WHEN excluded.last_at >= i.last_at THEN excluded.client ELSE i.client END
;
