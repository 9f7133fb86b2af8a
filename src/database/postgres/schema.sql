-- The schema of a new database.
--
-- Only Vitrine's own commands write here, and they check every value. Triggers keep ended keys ended and audit entries unchanged.
-- Functions have a fixed search_path, so that a caller's own objects are never found instead. A role that may not create schemas needs
-- one that exists: see docs/sql/roles.sql.
DO $$ BEGIN IF to_regnamespace('vitrine') IS NULL THEN CREATE SCHEMA vitrine; END IF; END $$;

CREATE TABLE vitrine.migrations (
  number integer PRIMARY KEY,
  run_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO vitrine.migrations (number) VALUES (100);

CREATE TABLE vitrine.workspaces (
  id            text PRIMARY KEY,
  slug          text NOT NULL UNIQUE,
  name          text NOT NULL,
  timezone      text,
  currency_code text,
  country_code  text,
  created_at    timestamptz NOT NULL,
  archived_at   timestamptz
);

-- Every write to a workspace or its lists moves its revision: see moveRevision in src/database/statements.ts. It outlives its workspace,
-- so a workspace that is deleted and created again is never mistaken for its former self.
CREATE TABLE vitrine.revisions (
  workspace_id text PRIMARY KEY,
  number       bigint NOT NULL,
  -- What changed after this revision is known.
  known_from   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Members and what they sign in with.

CREATE TABLE vitrine.members (
  workspace_id text NOT NULL CONSTRAINT members_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  email        text NOT NULL,
  role         text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  added_at     timestamptz NOT NULL,
  signed_in_at timestamptz,
  PRIMARY KEY (workspace_id, email)
);
CREATE INDEX members_by_email ON vitrine.members (email);

CREATE TABLE vitrine.sessions (
  hash         text PRIMARY KEY,
  email        text NOT NULL,
  started_at   timestamptz NOT NULL,
  seen_at      timestamptz NOT NULL,
  -- The only workspace that the session reaches. Null: all of the person's.
  workspace_id text,
  -- Who created the link that opened the session, and those through whose links its creator was signed in, separated by spaces.
  link_by      text,
  -- For its person, such as `Firefox on Linux, 203.0.113.0/24`.
  device       text
);
CREATE INDEX sessions_of_email ON vitrine.sessions (email);

-- What works once: sign-in links, visits to an identity provider, and forms that must not be sent twice.
CREATE TABLE vitrine.tickets (
  hash       text PRIMARY KEY,
  kind       text NOT NULL,
  subject    text NOT NULL,
  detail     text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX tickets_by_end ON vitrine.tickets (expires_at);

-- A person's passkeys (WebAuthn). They reach what the session reached in which they were added.
CREATE TABLE vitrine.passkeys (
  -- The credential's id, chosen by the authenticator, in base64url.
  id           text PRIMARY KEY,
  email        text NOT NULL,
  name         text NOT NULL,
  -- A COSE key in base64url.
  public_key   text NOT NULL,
  -- The authenticator's count of signatures, which never falls unless the key was copied. 0 if it does not count.
  counter      bigint NOT NULL,
  created_at   timestamptz NOT NULL,
  used_at      timestamptz,
  workspace_id text,
  link_by      text
);
CREATE INDEX passkeys_of_email ON vitrine.passkeys (email);

-- Keys. They outlive their workspace.

CREATE TABLE vitrine.api_keys (
  id                  text PRIMARY KEY,
  workspace_id        text NOT NULL,
  hash                text NOT NULL UNIQUE,
  prefix              text NOT NULL,
  label               text NOT NULL,
  permissions         text NOT NULL,
  rate_limit          integer,
  rate_window_seconds integer,
  -- In CIDR notation, separated by commas. Null: all.
  networks            text,
  -- The rows that the key is limited to, as JSON: see src/lists/only.ts. Null: all.
  only_rows           text,
  created_by          text NOT NULL,
  created_at          timestamptz NOT NULL,
  expires_at          timestamptz,
  paused_at           timestamptz,
  -- The end of the overlap while the key is rotated.
  retires_at          timestamptz,
  revoked_at          timestamptz,
  replaces            text,
  -- Set if a person gave the key to a program by signing in. Its tokens are in connection_tokens, and the host receives them.
  client_id           text,
  client_host         text,
  -- What outlives the request log: the last request that was not refused, the last refusal, and where the key leaked.
  last_used_at        timestamptz,
  last_refused_at     timestamptz,
  last_refusal        text,
  leaked_at           timestamptz,
  leaked_in           text CHECK (leaked_in IN ('url', 'browser'))
);
CREATE INDEX api_keys_by_prefix ON vitrine.api_keys (prefix);
-- The list of keys is counted, filtered and paged by statements that read this index instead of the keys.
CREATE INDEX api_keys_listed ON vitrine.api_keys (workspace_id, created_at, id, revoked_at, expires_at, retires_at, paused_at);
CREATE INDEX api_keys_by_expiry ON vitrine.api_keys (workspace_id, expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_replacing ON vitrine.api_keys (replaces, workspace_id) WHERE replaces IS NOT NULL;
CREATE INDEX api_keys_leaked ON vitrine.api_keys (workspace_id, leaked_at) WHERE leaked_at IS NOT NULL;
CREATE INDEX api_keys_refused ON vitrine.api_keys (workspace_id, last_refused_at) WHERE last_refused_at IS NOT NULL;

-- A key that has ended stays ended, and stays the key that it is. The server's role may set revoked_at and expires_at
-- (docs/sql/settings-writes.sql), but cannot reactivate a key by clearing them.
CREATE FUNCTION vitrine.keep_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF (NEW.id, NEW.workspace_id, NEW.hash, NEW.prefix, NEW.created_at)
     IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.hash, OLD.prefix, OLD.created_at) THEN
    RAISE EXCEPTION 'a key keeps its id, workspace, hash, prefix and time of creation; create another key instead'
      USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
    RAISE EXCEPTION 'a revoked key stays revoked; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  -- By the time of day: the transaction may have begun before the key expired.
  IF OLD.expires_at <= clock_timestamp() AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at) THEN
    RAISE EXCEPTION 'an expired key stays expired; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.retires_at <= clock_timestamp() AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at) THEN
    RAISE EXCEPTION 'a retired key stays retired; create another key instead' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER key_kept BEFORE UPDATE ON vitrine.api_keys FOR EACH ROW EXECUTE FUNCTION vitrine.keep_key();

-- Counters that a restart keeps. After a crash of the database, all windows start over.
CREATE UNLOGGED TABLE vitrine.quota_windows (
  key_id    text PRIMARY KEY,
  resets_at timestamptz NOT NULL,
  used      integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE vitrine.connection_tokens (
  hash        text PRIMARY KEY,
  key_id      text NOT NULL,
  -- A code is stored only after its use, to notice a second one.
  kind        text NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  expires_at  timestamptz NOT NULL,
  -- When a refresh token was exchanged for the next, and the salt from which, with the token itself, the next can be derived again.
  replaced_at timestamptz,
  salt        text
);
CREATE INDEX connection_tokens_by_key ON vitrine.connection_tokens (key_id, expires_at);
CREATE INDEX connection_tokens_by_end ON vitrine.connection_tokens (expires_at);

-- The daily sums of the request log. `refused` is the reason, empty for requests that were not refused.
CREATE TABLE vitrine.key_use (
  key_id  text NOT NULL,
  day     text NOT NULL,
  refused text NOT NULL,
  count   bigint NOT NULL,
  PRIMARY KEY (key_id, day, refused)
);
-- The last day on which any key was used: a time that the database has seen.
CREATE INDEX key_use_by_day ON vitrine.key_use (day);

-- Uses are counted by the days of their workspace. A zone that this server does not know is no reason to lose them.
CREATE FUNCTION vitrine.day_in_zone(moment timestamptz, zone text) RETURNS text LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN to_char(moment AT TIME ZONE coalesce(zone, 'UTC'), 'YYYY-MM-DD');
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD');
END $$;

-- What each key requested and how it ended, never values of arguments or bodies. Its writer numbers a key's requests, and names their
-- workspace.
CREATE TABLE vitrine.request_log (
  id           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  workspace_id text NOT NULL,
  key_id       text NOT NULL,
  number       bigint NOT NULL DEFAULT 0,
  at           timestamptz NOT NULL,
  request_id   text NOT NULL,
  operation    text NOT NULL,
  tool         text,
  arguments    text,
  -- Null if the client disconnected.
  status       integer,
  code         text,
  refused      text,
  outcome      text NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
  ms           double precision NOT NULL,
  bytes        bigint NOT NULL,
  address      text,
  agent        text,
  -- How many requests of the key after this one were left out.
  omitted      bigint NOT NULL DEFAULT 0
);
CREATE INDEX request_log_by_key ON vitrine.request_log (key_id, id);
CREATE INDEX request_log_by_time ON vitrine.request_log (workspace_id, at, id);
CREATE INDEX request_log_not_ok ON vitrine.request_log (workspace_id, outcome, at, id) WHERE outcome <> 'ok';

-- A key keeps its last 1,000 requests, counted for every 50th, because counting costs more than inserting. Requests are kept for 7 days,
-- and 500,000 in all, counted for every 10,000th. Over that, the oldest of each workspace that has more than its share are removed. The
-- share is the largest number with which all fit, so a busy workspace takes nothing from others. If the workspaces are numbered by size,
-- from 0, it is the largest quotient of what the smaller ones leave free, and the number of those that are not smaller. The server's role
-- may not delete: hence the definer's rights. Rows that another replica is removing are skipped.
CREATE FUNCTION vitrine.bound_requests() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER request_log_bounded AFTER INSERT ON vitrine.request_log
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.bound_requests();

-- The audit log outlives its workspace, too. Each entry has a hash of itself and of the entry before it: see docs/audit.md.

CREATE TABLE vitrine.audit (
  id            bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  -- What is finer than milliseconds is neither hashed nor shown.
  at            timestamptz NOT NULL CONSTRAINT audit_at_milliseconds CHECK (at = date_trunc('milliseconds', at)),
  workspace_id  text NOT NULL,
  actor         text NOT NULL,
  action        text NOT NULL,
  subject       text NOT NULL,
  detail        text NOT NULL,
  number        bigint NOT NULL,
  previous_hash text NOT NULL,
  hash          text NOT NULL,
  CONSTRAINT audit_number UNIQUE (workspace_id, number)
);
CREATE INDEX audit_by_time ON vitrine.audit (workspace_id, at, number);
CREATE INDEX audit_by_subject ON vitrine.audit (workspace_id, subject, at, number);

CREATE TABLE vitrine.audit_heads (
  workspace_id   text PRIMARY KEY,
  number         bigint NOT NULL,
  hash           text NOT NULL,
  -- The chain begins after this entry, if older ones were removed.
  trimmed_number bigint NOT NULL DEFAULT 0,
  trimmed_hash   text NOT NULL DEFAULT repeat('0', 64)
) WITH (fillfactor = 50);

CREATE FUNCTION vitrine.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.number <= (SELECT trimmed_number FROM vitrine.audit_heads WHERE workspace_id = OLD.workspace_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit entries are never changed, nor removed before their chain is trimmed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_unchanging BEFORE UPDATE OR DELETE ON vitrine.audit
  FOR EACH ROW EXECUTE FUNCTION vitrine.refuse_audit_change();
CREATE TRIGGER audit_untruncated BEFORE TRUNCATE ON vitrine.audit
  FOR EACH STATEMENT EXECUTE FUNCTION vitrine.refuse_audit_change();

-- An entry follows the head of its chain, and becomes it, so no one can take the number that the next entry needs. A copied chain gets its
-- head last.
CREATE FUNCTION vitrine.follow_audit_head() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.audit_heads SET number = NEW.number, hash = NEW.hash
  WHERE workspace_id = NEW.workspace_id AND number = NEW.number - 1 AND hash = NEW.previous_hash;
  IF NOT FOUND AND EXISTS (SELECT FROM vitrine.audit_heads WHERE workspace_id = NEW.workspace_id) THEN
    RAISE EXCEPTION 'an audit entry must follow the last one of its chain' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_following AFTER INSERT ON vitrine.audit
  FOR EACH ROW EXECUTE FUNCTION vitrine.follow_audit_head();

CREATE FUNCTION vitrine.check_audit_head() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last record;
BEGIN
  SELECT number, hash INTO last FROM vitrine.audit WHERE workspace_id = NEW.workspace_id ORDER BY number DESC LIMIT 1;
  IF last.number = NEW.number AND last.hash = NEW.hash THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the head of an audit chain can only become its last entry' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_head_last BEFORE UPDATE OF workspace_id, number, hash ON vitrine.audit_heads
  FOR EACH ROW EXECUTE FUNCTION vitrine.check_audit_head();

-- Lists.

-- The definition of each resource that an operator declares, as it was last migrated. Its file may be removed after the sunset.
CREATE TABLE vitrine.declared_resources (
  name       text PRIMARY KEY,
  state      text NOT NULL CHECK (state IN ('draft', 'published')),
  definition text NOT NULL,
  -- Where the definition was last migrated from, to tell an operator who no longer sets RESOURCES.
  file       text,
  sunset     text
);

-- For which definition the rows of each list were stored: see src/lists/stored/reshape.ts.
CREATE TABLE vitrine.stored_lists (
  workspace_id text NOT NULL CONSTRAINT stored_lists_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  list         text NOT NULL,
  shape        text NOT NULL,
  last_seq     bigint NOT NULL,
  -- How many rows have a place in its order: those that it shows now or later.
  placed       bigint NOT NULL DEFAULT 0,
  -- As in revisions, where older traces were removed.
  known_from   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (workspace_id, list)
);

-- The rows of all lists: see src/lists/item.ts. Texts are compared byte by byte, as on SQLite.
CREATE TABLE vitrine.list_items (
  workspace_id text NOT NULL CONSTRAINT list_items_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  list         text NOT NULL,
  id           text COLLATE "C" NOT NULL,
  seq          bigint NOT NULL,
  source       text,
  revision     bigint NOT NULL,
  sort_key     text COLLATE "C",
  shown_from   bigint,
  words        text COLLATE "C",
  body         text COLLATE "C" NOT NULL,
  rest         text,
  PRIMARY KEY (workspace_id, list, id)
);
CREATE INDEX list_items_in_order ON vitrine.list_items (workspace_id, list, sort_key, seq, shown_from) WHERE sort_key IS NOT NULL;
CREATE INDEX list_items_shown_later ON vitrine.list_items (workspace_id, list, shown_from, seq) WHERE shown_from IS NOT NULL;
CREATE INDEX list_items_by_revision ON vitrine.list_items (workspace_id, list, revision, seq) WHERE sort_key IS NOT NULL;

-- What rows were before a revision that took them out of the results of some question: see src/lists/stored/traces.ts.
CREATE TABLE vitrine.list_traces (
  workspace_id text NOT NULL CONSTRAINT list_traces_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  list         text NOT NULL,
  revision     bigint NOT NULL,
  id           text COLLATE "C" NOT NULL,
  shown_from   bigint,
  -- The JSON of the fields that filters compare.
  filtered     text NOT NULL,
  PRIMARY KEY (workspace_id, list, revision, id)
);

-- Where rows are synced from, and the outcome.
CREATE TABLE vitrine.sources (
  workspace_id  text NOT NULL CONSTRAINT sources_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  list          text NOT NULL,
  name          text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  created_at    timestamptz NOT NULL,
  -- The last success, even if the snapshot changed nothing. Null before the first.
  synced_at     timestamptz,
  attempted_at  timestamptz,
  -- Null unless the last attempt failed: then the first of the failures in a row, their number, and the reason of the last one.
  failing_since timestamptz,
  failure       text CHECK (char_length(failure) <= 500),
  failures      integer NOT NULL DEFAULT 0,
  -- Null unless it is synced regularly.
  every_seconds integer,
  -- For people to read: a file, stdin, or a URL without its secrets.
  location      text CHECK (char_length(location) <= 500),
  row_count     bigint,
  PRIMARY KEY (workspace_id, list, name)
);

-- Notices.

-- Which events a workspace's owners are notified of, and where. A workspace without a row has no notices.
CREATE TABLE vitrine.notice_settings (
  workspace_id    text PRIMARY KEY REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  -- Separated by spaces.
  kinds           text NOT NULL,
  webhook_url     text,
  -- Signs each webhook, so it is stored as it is.
  webhook_secret  text,
  unsubscribe_key text NOT NULL,
  -- How far the audit log, the refusals and the keys' expiries have been read.
  audit_seen      bigint NOT NULL,
  refusals_seen   timestamptz NOT NULL,
  expiries_seen   timestamptz NOT NULL
);

-- Members who get mail. The hash is that of the token in their unsubscribe link.
CREATE TABLE vitrine.notice_recipients (
  workspace_id text NOT NULL,
  email        text NOT NULL,
  token_hash   text NOT NULL UNIQUE,
  PRIMARY KEY (workspace_id, email),
  FOREIGN KEY (workspace_id, email) REFERENCES vitrine.members (workspace_id, email) ON DELETE CASCADE
);

CREATE TABLE vitrine.notice_events (
  workspace_id text NOT NULL REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  -- The same event has the same id, however often it is detected.
  id           text NOT NULL,
  kind         text NOT NULL,
  at           timestamptz NOT NULL,
  text         text NOT NULL,
  -- Where it is shown: a path of the settings page.
  path         text NOT NULL,
  -- Null until it is part of a message.
  message_id   text,
  PRIMARY KEY (workspace_id, id)
);
CREATE INDEX notice_events_by_message ON vitrine.notice_events (message_id, workspace_id);
CREATE INDEX notice_events_by_time ON vitrine.notice_events (workspace_id, at);

-- One message to one recipient: a member by mail, or the webhook if it is null.
CREATE TABLE vitrine.notice_deliveries (
  id           text PRIMARY KEY,
  message_id   text NOT NULL,
  workspace_id text NOT NULL REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  recipient    text,
  created_at   timestamptz NOT NULL,
  state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed', 'dropped')),
  attempts     integer NOT NULL DEFAULT 0,
  -- When it may be attempted next. An attempt moves it ahead, so that no one else sends it meanwhile.
  next_at      timestamptz NOT NULL,
  ended_at     timestamptz,
  reason       text,
  FOREIGN KEY (workspace_id, recipient) REFERENCES vitrine.members (workspace_id, email) ON DELETE CASCADE
);
CREATE INDEX notice_deliveries_due ON vitrine.notice_deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_by_time ON vitrine.notice_deliveries (workspace_id, created_at);

-- PostgreSQL lets everyone execute a new function; docs/sql/ grants those that other roles need.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA vitrine FROM PUBLIC;
