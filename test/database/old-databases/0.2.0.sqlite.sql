CREATE TABLE workspaces (
  id            TEXT PRIMARY KEY,
  slug          TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  timezone      TEXT,
  currency_code TEXT,
  country_code  TEXT,
  created_at    TEXT NOT NULL,
  archived_at   TEXT
, source TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "workspaces" VALUES
('ws_477d7505d1b34d925c', 'old', 'Old', NULL, NULL, NULL, '2026-11-19T12:59:26.648Z', '2026-11-19T12:59:38.996Z', NULL),
('ws_e65b5806e70d0f085e', 'northwind', 'Northwind Buying', 'Europe/London', 'GBP', 'GB', '2026-11-19T12:59:25.386Z', NULL, NULL);
CREATE TABLE revisions (
  workspace_id TEXT PRIMARY KEY,
  number       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "revisions" VALUES
('ws_477d7505d1b34d925c', 2),
('ws_e65b5806e70d0f085e', 7);
CREATE TABLE api_keys (
  id                  TEXT PRIMARY KEY,
  workspace_id        TEXT NOT NULL,
  hash                TEXT NOT NULL UNIQUE,
  prefix              TEXT NOT NULL,
  label               TEXT NOT NULL,
  permissions         TEXT NOT NULL,
  rate_limit          INTEGER,
  rate_window_seconds INTEGER,
  created_by          TEXT NOT NULL,
  created_at          TEXT NOT NULL,
  expires_at          TEXT,
  revoked_at          TEXT,
  replaces            TEXT
, paused_at TEXT, retires_at TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "api_keys" VALUES
('key_34fe42154110d04fb4', 'ws_e65b5806e70d0f085e', 'a3ef97447007ab5dee457e25107f10ee51c5bf6c98be0f59f27271a039e5d568', 'vtr_iPP2nj', 'old', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19T12:59:37.715Z', NULL, NULL, NULL, NULL, NULL),
('key_5fb75e02539011002c', 'ws_e65b5806e70d0f085e', '8821a7afff70590b0cb1add28706d623ce2d3e362a13695e9cf703d7441839d7', 'vtr_xd2HHv', 'nightly report', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19T12:59:35.346Z', NULL, NULL, NULL, NULL, NULL),
('key_d9a05f16617d6b4834', 'ws_e65b5806e70d0f085e', 'f4c781535186591db985213e42a877aceaf5bd3f4ea7eb48ae493a740133f3e9', 'vtr_BI9BpS', 'revoked', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19T12:59:36.772Z', NULL, '2026-11-19T12:59:40.302Z', NULL, NULL, NULL);
CREATE TABLE key_use (
  key_id       TEXT NOT NULL,
  day          TEXT NOT NULL,
  count        INTEGER NOT NULL,
  last_at      TEXT NOT NULL,
  first_at     TEXT,
  first_client TEXT,
  last_client  TEXT, refused INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
INSERT INTO "key_use" VALUES
('key_34fe42154110d04fb4', '2026-11-16', 5, '2026-11-16T09:00:00.000Z', NULL, NULL, NULL, 2),
('key_5fb75e02539011002c', '2026-11-16', 5, '2026-11-16T09:00:00.000Z', NULL, NULL, NULL, 2),
('key_d9a05f16617d6b4834', '2026-11-16', 5, '2026-11-16T09:00:00.000Z', NULL, NULL, NULL, 2);
CREATE TABLE members (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  role         TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  added_at     TEXT NOT NULL, signed_in_at TEXT,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;
INSERT INTO "members" VALUES
('ws_e65b5806e70d0f085e', 'bo@northwind.example', 'member', '2026-11-19T12:59:34.046Z', '2026-11-16T09:00:00.000Z'),
('ws_e65b5806e70d0f085e', 'ines@northwind.example', 'owner', '2026-11-19T12:59:30.587Z', NULL);
CREATE TABLE audit (
  id            INTEGER PRIMARY KEY,
  at            TEXT NOT NULL,
  workspace_id  TEXT NOT NULL,
  actor         TEXT NOT NULL,
  action        TEXT NOT NULL,
  subject       TEXT NOT NULL,
  detail        TEXT NOT NULL,
  number        INTEGER NOT NULL,
  previous_hash TEXT NOT NULL,
  hash          TEXT NOT NULL,
  UNIQUE (workspace_id, number)
) STRICT;
INSERT INTO "audit" VALUES
(1, '2026-11-19T12:59:25.386Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'workspace.created', 'ws_e65b5806e70d0f085e', '{"name":"Northwind Buying","slug":"northwind"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '3c73407d8d47a0f2a0c7cc4588556cacff7fdc4b560eebffb40c88ed1f91e123'),
(2, '2026-11-19T12:59:26.648Z', 'ws_477d7505d1b34d925c', 'cli:root', 'workspace.created', 'ws_477d7505d1b34d925c', '{"name":"Old","slug":"old"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '9b79b8d73f89d33b6737a2278a0ddcc8cf6cb4100cae13460dde82d0959e645c'),
(3, '2026-11-19T12:59:28.424Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'tasks.imported', 'ws_e65b5806e70d0f085e', '{"created":5,"replaced":0,"deleted":0,"unchanged":0}', 2, '3c73407d8d47a0f2a0c7cc4588556cacff7fdc4b560eebffb40c88ed1f91e123', '99d98108b76d74adb11f77e1dc55d079935a7ebb9955b22f8156f07d7bd74237'),
(4, '2026-11-19T12:59:29.838Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'tasks.synced', 'ws_e65b5806e70d0f085e', '{"source":"tracker","created":1,"changed":0,"gone":0,"unchanged":0}', 3, '99d98108b76d74adb11f77e1dc55d079935a7ebb9955b22f8156f07d7bd74237', 'a63760b88e19e060f67ef22c1473926edd1c5dd4ed970e447dadf92f3dd865c9'),
(5, '2026-11-19T12:59:30.587Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'member.added', 'ines@northwind.example', '{"role":"owner"}', 4, 'a63760b88e19e060f67ef22c1473926edd1c5dd4ed970e447dadf92f3dd865c9', '99bff846993620b95d4f0e2b536e3910715525cc8d7df14c1ebb6410e614bf22'),
(6, '2026-11-19T12:59:34.046Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'member.added', 'bo@northwind.example', '{"role":"member"}', 5, '99bff846993620b95d4f0e2b536e3910715525cc8d7df14c1ebb6410e614bf22', '4cb9787d4da64085d3af55deeadd9489da27500d6f61d4e1269eb89585ac7b71'),
(7, '2026-11-19T12:59:35.346Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.created', 'key_5fb75e02539011002c', '{"label":"nightly report"}', 6, '4cb9787d4da64085d3af55deeadd9489da27500d6f61d4e1269eb89585ac7b71', 'afebdf3cd68aacc5cd7f61dda0b96d5dcb1fb86dfb465af84e416ee8a522ec77'),
(8, '2026-11-19T12:59:36.772Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.created', 'key_d9a05f16617d6b4834', '{"label":"revoked"}', 7, 'afebdf3cd68aacc5cd7f61dda0b96d5dcb1fb86dfb465af84e416ee8a522ec77', '9e3bbefa910ae08019840135992326bf244fd0d0ae6fcec06dad790b3c51041e'),
(9, '2026-11-19T12:59:37.715Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.created', 'key_34fe42154110d04fb4', '{"label":"old"}', 8, '9e3bbefa910ae08019840135992326bf244fd0d0ae6fcec06dad790b3c51041e', '742e9ae78da07e3f76603a63ed2bb5e994c703adf7d9ad458f650ca9ef4060da'),
(10, '2026-11-19T12:59:38.996Z', 'ws_477d7505d1b34d925c', 'cli:root', 'workspace.archived', 'ws_477d7505d1b34d925c', '{"slug":"old"}', 2, '9b79b8d73f89d33b6737a2278a0ddcc8cf6cb4100cae13460dde82d0959e645c', '7f377e9da2262868959e75a4d04201f745157caf416ea9c6e0966055d2b256a9'),
(11, '2026-11-19T12:59:40.302Z', 'ws_e65b5806e70d0f085e', 'cli:root', 'key.revoked', 'key_d9a05f16617d6b4834', '{"label":"revoked"}', 9, '742e9ae78da07e3f76603a63ed2bb5e994c703adf7d9ad458f650ca9ef4060da', 'e95481574456541843f562a05ddba4f8a6757584fcc89190b167e28ecbbe257f'),
(12, '2026-11-16T09:00:00.000Z', 'ws_e65b5806e70d0f085e', 'ines@northwind.example', 'session.started', 'bo@northwind.example', '{"createdBy":"ines@northwind.example"}', 10, 'e95481574456541843f562a05ddba4f8a6757584fcc89190b167e28ecbbe257f', 'da4b4934fce42900f2690505914f0e16affbbaa54df186bb507667e9f1b436f6');
CREATE TABLE audit_heads (
  workspace_id   TEXT PRIMARY KEY,
  number         INTEGER NOT NULL,
  hash           TEXT NOT NULL,
  -- The chain begins after this entry, if older ones were removed.
  trimmed_number INTEGER NOT NULL DEFAULT 0,
  trimmed_hash   TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000000000000000000000000000'
) STRICT, WITHOUT ROWID;
INSERT INTO "audit_heads" VALUES
('ws_477d7505d1b34d925c', 2, '7f377e9da2262868959e75a4d04201f745157caf416ea9c6e0966055d2b256a9', 0, '0000000000000000000000000000000000000000000000000000000000000000'),
('ws_e65b5806e70d0f085e', 10, 'da4b4934fce42900f2690505914f0e16affbbaa54df186bb507667e9f1b436f6', 0, '0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE sessions (
  hash       TEXT PRIMARY KEY,
  email      TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at    TEXT NOT NULL
, workspace_id TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "sessions" VALUES
('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'ines@northwind.example', '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL),
('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'bo@northwind.example', '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', 'ws_e65b5806e70d0f085e'),
('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'ana@northwind.example', '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', 'ws_e65b5806e70d0f085e');
CREATE TABLE tickets (
  hash       TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  detail     TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "tickets" VALUES
('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'link', 'bo@northwind.example', '{}', '2099-01-01T00:00:00.000Z');
CREATE TABLE key_incidents (
  id       INTEGER PRIMARY KEY,
  key_id   TEXT NOT NULL,
  day      TEXT NOT NULL,
  kind     TEXT NOT NULL,
  count    INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at  TEXT NOT NULL,
  client   TEXT,
  UNIQUE (key_id, day, kind)
) STRICT;
INSERT INTO "key_incidents" VALUES
(1, 'key_5fb75e02539011002c', '2026-11-16', 'unknown', 2, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL),
(2, 'key_5fb75e02539011002c', '2026-11-16', 'url', 1, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL),
(3, 'key_d9a05f16617d6b4834', '2026-11-16', 'unknown', 2, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL),
(4, 'key_d9a05f16617d6b4834', '2026-11-16', 'url', 1, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL),
(5, 'key_34fe42154110d04fb4', '2026-11-16', 'unknown', 2, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL),
(6, 'key_34fe42154110d04fb4', '2026-11-16', 'url', 1, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL);
CREATE TABLE resource_tables (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  columns TEXT NOT NULL,
  objects TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "resource_tables" VALUES
('tasks', 2, '{"seq":"key: INTEGER PRIMARY KEY","workspace_id":"key: TEXT NOT NULL","source":"source: TEXT","id":"text: TEXT NOT NULL","title":"text: TEXT NOT NULL","details":"text: TEXT","due_at":"instant: TEXT","book_key":"text: TEXT","assignee_name":"text: TEXT","assignee_email":"email: TEXT","source_session_id":"text: TEXT","source_title":"text: TEXT","source_summary":"text: TEXT","source_kind":"text: TEXT","status":"choice: TEXT NOT NULL DEFAULT ''open''","snoozed_until":"instant: TEXT","created_at":"instant: TEXT NOT NULL DEFAULT (strftime(''%Y-%m-%dT%H:%M:%fZ'', ''now''))","snooze_expired":"mark: INTEGER NOT NULL DEFAULT 0 CHECK (\"snooze_expired\" IN (0, 1))"}', '[["trigger","tasks_inserted","3403dae7c332da0e9fc36f5f770058a004e7b3421217f9914c2b896b83a7a4ce"],["trigger","tasks_updated","fdf0e4739e51ee8781f2992af2e9e15ed14550ddda2af424bc4da46c2c72da19"],["trigger","tasks_deleted","f71b01ab78cd188c1c97bf5dcacb625cf40439f663a5395dec335f0f7a55ed18"],["trigger","tasks_insert_checked","19b9b06cbc3252e285c087eadefd1f0d395ad4af28de214f2ba207683fbdad5f"],["trigger","tasks_update_checked","45a1dc516404cd21c8a7d6658a42a105a9516af3ba7183e84e6519be1168b88d"],["trigger","tasks_choice_checked","0bb14e51690d90bdf993f3a72eaf724ee29496e596d947219bb50760bc2b5f97"],["trigger","tasks_workspace_checked","25c3249f070089b27b115525cd43ffabeb10a9ced72e199452621802a366d1b4"],["trigger","tasks_workspace_deleted","a578ac8e48d3d0703b3d6eff7c314c356d4400ee887014a5070d8291b652083d"],["index","tasks_of_source","464c8be559b4516e2ba6aedca422d62d0ff27f609c968973d686912d52c93cba"],["index","tasks_unsnoozed","5559a4508f42111a47217b4bf7ecc829b09548d241a1816f665359ad9a945cb5"],["index","tasks_of_book","f6031cb65716678d3621b2d379d2a1f12ec50799e4dac27c06575f89bbe3ee81"],["index","tasks_of_assignee","c37e3c9dba4478e131f57fea1f2542ccbc6045386adf51d1767d11ed21ad5066"],["index","tasks_of_book_and_assignee","be1e864ec2a278d9449bfa13c76770a90e324645676cc9d97c25a8498e0c1d9c"],["index","tasks_snoozed","d509639e40f26eef0104323e22962c664e631b0d3c503bcdd57f36db62d61830"],["trigger","tasks_inserted_snoozed","fbd95d2884e3ca36efd50e1e5b6b5c8716ecd42e9880384011c5d9dc4b94eae6"],["trigger","tasks_snooze_written","2ee90503c2d15143c194d3a3ff727e61e194aacc5a8fb97addf42d9337afbf1f"]]');
CREATE TABLE timezones (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO "timezones" VALUES
('Africa/Abidjan'),
('Africa/Accra');
CREATE TABLE sources (
  workspace_id  TEXT NOT NULL,
  table_name    TEXT NOT NULL,
  name          TEXT NOT NULL
    CHECK (length(name) BETWEEN 1 AND 64 AND name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9._-]*'),
  created_at    TEXT NOT NULL,
  -- The last success, also of a snapshot that changed nothing; null before the first.
  synced_at     TEXT,
  attempted_at  TEXT,
  -- Null while all is well; then the first of the failures in a row, their number, and what the last one said.
  failing_since TEXT,
  failure       TEXT CHECK (length(failure) <= 500),
  failures      INTEGER NOT NULL DEFAULT 0,
  -- Null unless it is synced again and again.
  every_seconds INTEGER,
  -- For people to read: a file, stdin, or a URL without its secrets.
  location      TEXT CHECK (length(location) <= 500),
  -- What the server of a URL said of its last snapshot; it holds for this question, while the workspace has this revision.
  etag          TEXT,
  last_modified TEXT,
  question      TEXT,
  revision      INTEGER,
  row_count     INTEGER,
  PRIMARY KEY (workspace_id, table_name, name)
) STRICT, WITHOUT ROWID;
INSERT INTO "sources" VALUES
('ws_e65b5806e70d0f085e', 'tasks', 'tracker', '2026-11-19T12:59:29.838Z', '2026-11-19T12:59:29.838Z', '2026-11-19T12:59:29.838Z', NULL, NULL, 0, NULL, 'stdin', NULL, NULL, NULL, 7, 1);
CREATE TABLE currency_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO "currency_codes" VALUES
('AED'),
('AFN');
CREATE TABLE country_codes (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO "country_codes" VALUES
('AD'),
('AE');
CREATE TABLE key_callers (
  key_id   TEXT NOT NULL,
  address  TEXT NOT NULL,
  agent    TEXT NOT NULL,
  count    INTEGER NOT NULL,
  first_at TEXT NOT NULL,
  last_at  TEXT NOT NULL,
  PRIMARY KEY (key_id, address, agent)
) STRICT, WITHOUT ROWID;
INSERT INTO "key_callers" VALUES
('key_34fe42154110d04fb4', '192.0.2.1', 'agent', 5, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z'),
('key_5fb75e02539011002c', '192.0.2.1', 'agent', 5, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z'),
('key_d9a05f16617d6b4834', '192.0.2.1', 'agent', 5, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z');
CREATE TABLE "tasks" (
  "seq" INTEGER PRIMARY KEY,
  "workspace_id" TEXT NOT NULL,
  "source" TEXT,
  "id" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "details" TEXT,
  "due_at" TEXT,
  "book_key" TEXT,
  "assignee_name" TEXT,
  "assignee_email" TEXT,
  "source_session_id" TEXT,
  "source_title" TEXT,
  "source_summary" TEXT,
  "source_kind" TEXT,
  "status" TEXT NOT NULL DEFAULT 'open',
  "snoozed_until" TEXT,
  "created_at" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  "snooze_expired" INTEGER NOT NULL DEFAULT 0 CHECK ("snooze_expired" IN (0, 1)),
  UNIQUE (workspace_id, id)
) STRICT;
INSERT INTO "tasks" VALUES
(1, 'ws_e65b5806e70d0f085e', NULL, 't-1', 'Confirm the linen order', NULL, '2026-12-01T16:00:00.000Z', 'home-textiles', 'Ana Lima', 'ana@acme.example', NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T12:59:28.424Z', 0),
(2, 'ws_e65b5806e70d0f085e', NULL, 't-2', 'Chase the signed terms', 'They hold the price until Friday.
"Größe" 🙂', '2026-11-20T12:00:00.000Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T12:59:28.424Z', 0),
(3, 'ws_e65b5806e70d0f085e', NULL, 't-3', 'Tidy the supplier list', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T12:59:28.424Z', 0),
(4, 'ws_e65b5806e70d0f085e', NULL, 't-4', 'Review the carrier rates', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', '2099-01-01T00:00:00.000Z', '2026-11-19T12:59:28.424Z', 0),
(5, 'ws_e65b5806e70d0f085e', NULL, 't-5', 'Pay the deposit', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'completed', NULL, '2026-11-19T12:59:28.424Z', 0),
(6, 'ws_e65b5806e70d0f085e', 'tracker', 's-1', 'Synced from the tracker', NULL, '2026-12-24T08:00:00.000Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T12:59:29.838Z', 0);
CREATE TRIGGER workspace_inserted AFTER INSERT ON workspaces BEGIN
  INSERT INTO revisions VALUES (NEW.id, 1) ON CONFLICT DO UPDATE SET number = number + 1;
END;
CREATE TRIGGER workspace_updated AFTER UPDATE ON workspaces BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = NEW.id;
END;
CREATE TRIGGER workspace_deleted AFTER DELETE ON workspaces BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = OLD.id;
END;
CREATE INDEX api_keys_of_workspace ON api_keys (workspace_id, created_at);
CREATE INDEX audit_by_time ON audit (workspace_id, at, number);
CREATE TRIGGER audit_unchanging BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'audit entries are never changed');
END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
WHEN OLD.number > coalesce((SELECT trimmed_number FROM audit_heads WHERE workspace_id = OLD.workspace_id), 0) BEGIN
  SELECT RAISE(ABORT, 'audit entries are never removed before their chain is trimmed');
END;
CREATE TRIGGER key_stays_revoked BEFORE UPDATE OF revoked_at ON api_keys
WHEN OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NOT OLD.revoked_at
BEGIN
  SELECT RAISE(ABORT, 'a revoked key stays revoked; create another key instead');
END;
CREATE TRIGGER key_stays_expired BEFORE UPDATE OF expires_at ON api_keys
WHEN OLD.expires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  AND (NEW.expires_at IS NULL OR NEW.expires_at > OLD.expires_at)
BEGIN
  SELECT RAISE(ABORT, 'an expired key stays expired; create another key instead');
END;
CREATE TRIGGER key_not_replaced BEFORE INSERT ON api_keys
WHEN EXISTS (SELECT 1 FROM api_keys WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM api_keys WHERE hash = NEW.hash)
BEGIN
  SELECT RAISE(ABORT, 'a key with this id or hash exists already');
END;
CREATE INDEX sessions_of_email ON sessions (email);
CREATE INDEX tickets_by_end ON tickets (expires_at);
CREATE INDEX api_keys_by_prefix ON api_keys (prefix);
CREATE INDEX members_by_email ON members (email);
CREATE TRIGGER workspace_inserted_checked BEFORE INSERT ON workspaces BEGIN
  SELECT CASE
    WHEN NEW.id = ''
      THEN RAISE(ABORT, 'workspaces_id_not_empty: id must not be empty')
    WHEN length(NEW.id) > 200
      THEN RAISE(ABORT, 'workspaces_id_at_most_200_characters: id must be at most 200 characters')
    WHEN length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND instr(NEW.id, char(0))
      THEN RAISE(ABORT, 'workspaces_id_without_nul: id must not hold a NUL character')
    WHEN (NEW.id GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.id, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND unicode(substr(NEW.id, -1)) <> 65533
        AND char(unicode(substr(NEW.id, -1))) <> substr(NEW.id, -1))
      THEN RAISE(ABORT, 'workspaces_id_is_utf8: id must be text in UTF-8')
    WHEN length(NEW.slug) NOT BETWEEN 1 AND 63 OR NEW.slug GLOB '*[^a-z0-9-]*' OR NEW.slug GLOB '-*' OR NEW.slug GLOB '*-'
      OR instr(NEW.slug, char(0))
      THEN RAISE(ABORT, 'workspaces_slug_form: slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end')
    WHEN NEW.name = ''
      THEN RAISE(ABORT, 'workspaces_name_not_empty: name must not be empty')
    WHEN length(NEW.name) > 200
      THEN RAISE(ABORT, 'workspaces_name_at_most_200_characters: name must be at most 200 characters')
    WHEN length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND instr(NEW.name, char(0))
      THEN RAISE(ABORT, 'workspaces_name_without_nul: name must not hold a NUL character')
    WHEN (NEW.name GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.name, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND unicode(substr(NEW.name, -1)) <> 65533
        AND char(unicode(substr(NEW.name, -1))) <> substr(NEW.name, -1))
      THEN RAISE(ABORT, 'workspaces_name_is_utf8: name must be text in UTF-8')
    WHEN NEW.timezone NOT IN (SELECT name FROM timezones)
      THEN RAISE(ABORT, 'workspaces_timezone_known: timezone must be a name of the IANA database, as it is spelled there')
    WHEN NEW.currency_code NOT IN (SELECT code FROM currency_codes)
      THEN RAISE(ABORT, 'workspaces_currency_code_known: currency_code must be an ISO 4217 code in capitals, such as GBP')
    WHEN NEW.country_code NOT IN (SELECT code FROM country_codes)
      THEN RAISE(ABORT, 'workspaces_country_code_known: country_code must be an ISO 3166-1 alpha-2 code in capitals, such as GB')
    WHEN NEW.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.created_at < '0001' OR (NEW.created_at IS NOT NULL AND julianday(NEW.created_at) IS NULL)
      OR ((substr(NEW.created_at, 9, 2) > '28' OR substr(NEW.created_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at, '+0 days') IS NOT NEW.created_at)
      THEN RAISE(ABORT, 'workspaces_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.archived_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.archived_at < '0001' OR (NEW.archived_at IS NOT NULL AND julianday(NEW.archived_at) IS NULL)
      OR ((substr(NEW.archived_at, 9, 2) > '28' OR substr(NEW.archived_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.archived_at, '+0 days') IS NOT NEW.archived_at)
      THEN RAISE(ABORT, 'workspaces_archived_at_in_years_1_to_9999: archived_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER workspace_updated_checked BEFORE UPDATE OF id, slug, name, timezone, currency_code, country_code, created_at, archived_at ON workspaces BEGIN
  SELECT CASE
    WHEN NEW.id IS NOT OLD.id AND NEW.id = ''
      THEN RAISE(ABORT, 'workspaces_id_not_empty: id must not be empty')
    WHEN NEW.id IS NOT OLD.id AND length(NEW.id) > 200
      THEN RAISE(ABORT, 'workspaces_id_at_most_200_characters: id must be at most 200 characters')
    WHEN NEW.id IS NOT OLD.id AND length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND instr(NEW.id, char(0))
      THEN RAISE(ABORT, 'workspaces_id_without_nul: id must not hold a NUL character')
    WHEN NEW.id IS NOT OLD.id AND ((NEW.id GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.id, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.id) <> length(CAST(NEW.id AS BLOB)) AND unicode(substr(NEW.id, -1)) <> 65533
        AND char(unicode(substr(NEW.id, -1))) <> substr(NEW.id, -1)))
      THEN RAISE(ABORT, 'workspaces_id_is_utf8: id must be text in UTF-8')
    WHEN NEW.slug IS NOT OLD.slug AND (length(NEW.slug) NOT BETWEEN 1 AND 63 OR NEW.slug GLOB '*[^a-z0-9-]*' OR NEW.slug GLOB '-*' OR NEW.slug GLOB '*-'
      OR instr(NEW.slug, char(0)))
      THEN RAISE(ABORT, 'workspaces_slug_form: slug must be 1 to 63 lower-case letters, digits and dashes, with no dash at either end')
    WHEN NEW.name IS NOT OLD.name AND NEW.name = ''
      THEN RAISE(ABORT, 'workspaces_name_not_empty: name must not be empty')
    WHEN NEW.name IS NOT OLD.name AND length(NEW.name) > 200
      THEN RAISE(ABORT, 'workspaces_name_at_most_200_characters: name must be at most 200 characters')
    WHEN NEW.name IS NOT OLD.name AND length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND instr(NEW.name, char(0))
      THEN RAISE(ABORT, 'workspaces_name_without_nul: name must not hold a NUL character')
    WHEN NEW.name IS NOT OLD.name AND ((NEW.name GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.name, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.name) <> length(CAST(NEW.name AS BLOB)) AND unicode(substr(NEW.name, -1)) <> 65533
        AND char(unicode(substr(NEW.name, -1))) <> substr(NEW.name, -1)))
      THEN RAISE(ABORT, 'workspaces_name_is_utf8: name must be text in UTF-8')
    WHEN NEW.timezone IS NOT OLD.timezone AND NEW.timezone NOT IN (SELECT name FROM timezones)
      THEN RAISE(ABORT, 'workspaces_timezone_known: timezone must be a name of the IANA database, as it is spelled there')
    WHEN NEW.currency_code IS NOT OLD.currency_code AND NEW.currency_code NOT IN (SELECT code FROM currency_codes)
      THEN RAISE(ABORT, 'workspaces_currency_code_known: currency_code must be an ISO 4217 code in capitals, such as GBP')
    WHEN NEW.country_code IS NOT OLD.country_code AND NEW.country_code NOT IN (SELECT code FROM country_codes)
      THEN RAISE(ABORT, 'workspaces_country_code_known: country_code must be an ISO 3166-1 alpha-2 code in capitals, such as GB')
    WHEN NEW.created_at IS NOT OLD.created_at AND (NEW.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.created_at < '0001' OR (NEW.created_at IS NOT NULL AND julianday(NEW.created_at) IS NULL)
      OR ((substr(NEW.created_at, 9, 2) > '28' OR substr(NEW.created_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at, '+0 days') IS NOT NEW.created_at))
      THEN RAISE(ABORT, 'workspaces_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.archived_at IS NOT OLD.archived_at AND (NEW.archived_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.archived_at < '0001' OR (NEW.archived_at IS NOT NULL AND julianday(NEW.archived_at) IS NULL)
      OR ((substr(NEW.archived_at, 9, 2) > '28' OR substr(NEW.archived_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.archived_at, '+0 days') IS NOT NEW.archived_at))
      THEN RAISE(ABORT, 'workspaces_archived_at_in_years_1_to_9999: archived_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER member_inserted_checked BEFORE INSERT ON members BEGIN
  SELECT CASE
    WHEN length(NEW.email) > 254
      THEN RAISE(ABORT, 'members_email_at_most_254_characters: email must be at most 254 characters')
    WHEN length(NEW.email) <> length(CAST(NEW.email AS BLOB)) OR instr(NEW.email, '@') < 2 OR instr(substr(NEW.email, instr(NEW.email, '@') + 1), '@')
      OR NEW.email GLOB '.*' OR instr(NEW.email, '..') OR instr(NEW.email, '.@')
      OR NEW.email GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW.email, -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW.email GLOB '*[^a-zA-Z0-9.@]*' AND (NEW.email GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW.email GLOB '*@*.-*' OR NEW.email GLOB '*@*-.*'
        OR NEW.email GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW.email) > 65 AND NEW.email GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*')
      THEN RAISE(ABORT, 'members_email_is_an_address: email must be an email address')
    WHEN NEW.email <> lower(NEW.email)
      THEN RAISE(ABORT, 'members_email_in_lower_case: email must be in lower case')
    WHEN NEW.role NOT IN ('owner', 'admin', 'member')
      THEN RAISE(ABORT, 'members_role_is_known: role must be one of owner, admin, member')
    WHEN NEW.added_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.added_at < '0001' OR (NEW.added_at IS NOT NULL AND julianday(NEW.added_at) IS NULL)
      OR ((substr(NEW.added_at, 9, 2) > '28' OR substr(NEW.added_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.added_at, '+0 days') IS NOT NEW.added_at)
      THEN RAISE(ABORT, 'members_added_at_in_years_1_to_9999: added_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id)
      THEN RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists')
  END;
END;
CREATE TRIGGER member_updated_checked BEFORE UPDATE OF email, role, added_at, workspace_id ON members BEGIN
  SELECT CASE
    WHEN NEW.email IS NOT OLD.email AND length(NEW.email) > 254
      THEN RAISE(ABORT, 'members_email_at_most_254_characters: email must be at most 254 characters')
    WHEN NEW.email IS NOT OLD.email AND (length(NEW.email) <> length(CAST(NEW.email AS BLOB)) OR instr(NEW.email, '@') < 2 OR instr(substr(NEW.email, instr(NEW.email, '@') + 1), '@')
      OR NEW.email GLOB '.*' OR instr(NEW.email, '..') OR instr(NEW.email, '.@')
      OR NEW.email GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW.email, -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW.email GLOB '*[^a-zA-Z0-9.@]*' AND (NEW.email GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW.email GLOB '*@*.-*' OR NEW.email GLOB '*@*-.*'
        OR NEW.email GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW.email) > 65 AND NEW.email GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*'))
      THEN RAISE(ABORT, 'members_email_is_an_address: email must be an email address')
    WHEN NEW.email IS NOT OLD.email AND NEW.email <> lower(NEW.email)
      THEN RAISE(ABORT, 'members_email_in_lower_case: email must be in lower case')
    WHEN NEW.role IS NOT OLD.role AND NEW.role NOT IN ('owner', 'admin', 'member')
      THEN RAISE(ABORT, 'members_role_is_known: role must be one of owner, admin, member')
    WHEN NEW.added_at IS NOT OLD.added_at AND (NEW.added_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.added_at < '0001' OR (NEW.added_at IS NOT NULL AND julianday(NEW.added_at) IS NULL)
      OR ((substr(NEW.added_at, 9, 2) > '28' OR substr(NEW.added_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.added_at, '+0 days') IS NOT NEW.added_at))
      THEN RAISE(ABORT, 'members_added_at_in_years_1_to_9999: added_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id)
      THEN RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists')
  END;
END;
CREATE TRIGGER key_inserted_checked BEFORE INSERT ON api_keys BEGIN
  SELECT CASE
    WHEN length(NEW.hash) <> 64 OR NEW.hash GLOB '*[^0-9a-f]*'
      THEN RAISE(ABORT, 'api_keys_hash_form: hash must be the SHA-256 of a key, in lower-case hexadecimal')
    WHEN NEW.label = ''
      THEN RAISE(ABORT, 'api_keys_label_not_empty: label must not be empty')
    WHEN length(NEW.label) > 100
      THEN RAISE(ABORT, 'api_keys_label_at_most_100_characters: label must be at most 100 characters')
    WHEN length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND instr(NEW.label, char(0))
      THEN RAISE(ABORT, 'api_keys_label_without_nul: label must not hold a NUL character')
    WHEN (NEW.label GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.label, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND unicode(substr(NEW.label, -1)) <> 65533
        AND char(unicode(substr(NEW.label, -1))) <> substr(NEW.label, -1))
      THEN RAISE(ABORT, 'api_keys_label_is_utf8: label must be text in UTF-8')
    WHEN '|' || replace(NEW.permissions || ',', ':read,', '|') NOT GLOB '|?*|' OR '|' || replace(NEW.permissions || ',', ':read,', '|') GLOB '*[, ]*'
      OR instr(replace(NEW.permissions || ',', ':read,', '|'), '||')
      THEN RAISE(ABORT, 'api_keys_permissions_form: permissions must be comma-separated, each such as workspace:read')
    WHEN (NEW.rate_limit IS NULL) <> (NEW.rate_window_seconds IS NULL)
      THEN RAISE(ABORT, 'api_keys_rate_limit_whole: rate_limit and rate_window_seconds are both set, or neither')
    WHEN NEW.rate_limit NOT BETWEEN 1 AND 1000000000
      THEN RAISE(ABORT, 'api_keys_rate_limit_in_range: rate_limit must be from 1 to 1000000000')
    WHEN NEW.rate_window_seconds NOT BETWEEN 1 AND 86400
      THEN RAISE(ABORT, 'api_keys_rate_window_seconds_in_range: rate_window_seconds must be from 1 to 86400')
    WHEN NEW.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.created_at < '0001' OR (NEW.created_at IS NOT NULL AND julianday(NEW.created_at) IS NULL)
      OR ((substr(NEW.created_at, 9, 2) > '28' OR substr(NEW.created_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.created_at, '+0 days') IS NOT NEW.created_at)
      THEN RAISE(ABORT, 'api_keys_created_at_in_years_1_to_9999: created_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.expires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.expires_at < '0001' OR (NEW.expires_at IS NOT NULL AND julianday(NEW.expires_at) IS NULL)
      OR ((substr(NEW.expires_at, 9, 2) > '28' OR substr(NEW.expires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.expires_at, '+0 days') IS NOT NEW.expires_at)
      THEN RAISE(ABORT, 'api_keys_expires_at_in_years_1_to_9999: expires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.revoked_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.revoked_at < '0001' OR (NEW.revoked_at IS NOT NULL AND julianday(NEW.revoked_at) IS NULL)
      OR ((substr(NEW.revoked_at, 9, 2) > '28' OR substr(NEW.revoked_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.revoked_at, '+0 days') IS NOT NEW.revoked_at)
      THEN RAISE(ABORT, 'api_keys_revoked_at_in_years_1_to_9999: revoked_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER key_updated_checked BEFORE UPDATE OF label, permissions, rate_limit, rate_window_seconds, expires_at, revoked_at ON api_keys BEGIN
  SELECT CASE
    WHEN NEW.label IS NOT OLD.label AND NEW.label = ''
      THEN RAISE(ABORT, 'api_keys_label_not_empty: label must not be empty')
    WHEN NEW.label IS NOT OLD.label AND length(NEW.label) > 100
      THEN RAISE(ABORT, 'api_keys_label_at_most_100_characters: label must be at most 100 characters')
    WHEN NEW.label IS NOT OLD.label AND length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND instr(NEW.label, char(0))
      THEN RAISE(ABORT, 'api_keys_label_without_nul: label must not hold a NUL character')
    WHEN NEW.label IS NOT OLD.label AND ((NEW.label GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW.label, char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW.label) <> length(CAST(NEW.label AS BLOB)) AND unicode(substr(NEW.label, -1)) <> 65533
        AND char(unicode(substr(NEW.label, -1))) <> substr(NEW.label, -1)))
      THEN RAISE(ABORT, 'api_keys_label_is_utf8: label must be text in UTF-8')
    WHEN NEW.permissions IS NOT OLD.permissions AND ('|' || replace(NEW.permissions || ',', ':read,', '|') NOT GLOB '|?*|' OR '|' || replace(NEW.permissions || ',', ':read,', '|') GLOB '*[, ]*'
      OR instr(replace(NEW.permissions || ',', ':read,', '|'), '||'))
      THEN RAISE(ABORT, 'api_keys_permissions_form: permissions must be comma-separated, each such as workspace:read')
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS NOT (OLD.rate_limit, OLD.rate_window_seconds) AND (NEW.rate_limit IS NULL) <> (NEW.rate_window_seconds IS NULL)
      THEN RAISE(ABORT, 'api_keys_rate_limit_whole: rate_limit and rate_window_seconds are both set, or neither')
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS NOT (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_limit NOT BETWEEN 1 AND 1000000000
      THEN RAISE(ABORT, 'api_keys_rate_limit_in_range: rate_limit must be from 1 to 1000000000')
    WHEN (NEW.rate_limit, NEW.rate_window_seconds) IS NOT (OLD.rate_limit, OLD.rate_window_seconds) AND NEW.rate_window_seconds NOT BETWEEN 1 AND 86400
      THEN RAISE(ABORT, 'api_keys_rate_window_seconds_in_range: rate_window_seconds must be from 1 to 86400')
    WHEN NEW.expires_at IS NOT OLD.expires_at AND (NEW.expires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.expires_at < '0001' OR (NEW.expires_at IS NOT NULL AND julianday(NEW.expires_at) IS NULL)
      OR ((substr(NEW.expires_at, 9, 2) > '28' OR substr(NEW.expires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.expires_at, '+0 days') IS NOT NEW.expires_at))
      THEN RAISE(ABORT, 'api_keys_expires_at_in_years_1_to_9999: expires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.revoked_at IS NOT OLD.revoked_at AND (NEW.revoked_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.revoked_at < '0001' OR (NEW.revoked_at IS NOT NULL AND julianday(NEW.revoked_at) IS NULL)
      OR ((substr(NEW.revoked_at, 9, 2) > '28' OR substr(NEW.revoked_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.revoked_at, '+0 days') IS NOT NEW.revoked_at))
      THEN RAISE(ABORT, 'api_keys_revoked_at_in_years_1_to_9999: revoked_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER workspace_kept BEFORE UPDATE OF id ON workspaces WHEN NEW.id <> OLD.id BEGIN
  SELECT RAISE(ABORT, 'workspaces_id_kept: a workspace keeps its id; create another workspace instead');
END;
CREATE TRIGGER members_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM members WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER sources_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM sources WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER source_inserted_checked BEFORE INSERT ON sources
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'sources_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER source_updated_checked BEFORE UPDATE OF workspace_id ON sources
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'sources_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER key_stays_retired BEFORE UPDATE OF retires_at ON api_keys
WHEN OLD.retires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at)
BEGIN
  SELECT RAISE(ABORT, 'a retired key stays retired; create another key instead');
END;
CREATE TRIGGER key_inserted_times_checked BEFORE INSERT ON api_keys BEGIN
  SELECT CASE
    WHEN NEW.paused_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.paused_at < '0001' OR (NEW.paused_at IS NOT NULL AND julianday(NEW.paused_at) IS NULL)
      OR ((substr(NEW.paused_at, 9, 2) > '28' OR substr(NEW.paused_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.paused_at, '+0 days') IS NOT NEW.paused_at)
      THEN RAISE(ABORT, 'api_keys_paused_at_in_years_1_to_9999: paused_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.retires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.retires_at < '0001' OR (NEW.retires_at IS NOT NULL AND julianday(NEW.retires_at) IS NULL)
      OR ((substr(NEW.retires_at, 9, 2) > '28' OR substr(NEW.retires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.retires_at, '+0 days') IS NOT NEW.retires_at)
      THEN RAISE(ABORT, 'api_keys_retires_at_in_years_1_to_9999: retires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER key_updated_times_checked BEFORE UPDATE OF paused_at, retires_at ON api_keys BEGIN
  SELECT CASE
    WHEN NEW.paused_at IS NOT OLD.paused_at AND (NEW.paused_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.paused_at < '0001' OR (NEW.paused_at IS NOT NULL AND julianday(NEW.paused_at) IS NULL)
      OR ((substr(NEW.paused_at, 9, 2) > '28' OR substr(NEW.paused_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.paused_at, '+0 days') IS NOT NEW.paused_at))
      THEN RAISE(ABORT, 'api_keys_paused_at_in_years_1_to_9999: paused_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW.retires_at IS NOT OLD.retires_at AND (NEW.retires_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.retires_at < '0001' OR (NEW.retires_at IS NOT NULL AND julianday(NEW.retires_at) IS NULL)
      OR ((substr(NEW.retires_at, 9, 2) > '28' OR substr(NEW.retires_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.retires_at, '+0 days') IS NOT NEW.retires_at))
      THEN RAISE(ABORT, 'api_keys_retires_at_in_years_1_to_9999: retires_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER key_callers_bounded AFTER INSERT ON key_callers BEGIN
  DELETE FROM key_callers WHERE key_id = NEW.key_id AND (address, agent) IN (
    SELECT address, agent FROM key_callers WHERE key_id = NEW.key_id ORDER BY last_at DESC, address, agent LIMIT -1 OFFSET 20
  );
END;
CREATE TRIGGER member_inserted_sign_in_checked BEFORE INSERT ON members BEGIN
  SELECT CASE
    WHEN NEW.signed_in_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.signed_in_at < '0001' OR (NEW.signed_in_at IS NOT NULL AND julianday(NEW.signed_in_at) IS NULL)
      OR ((substr(NEW.signed_in_at, 9, 2) > '28' OR substr(NEW.signed_in_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.signed_in_at, '+0 days') IS NOT NEW.signed_in_at)
      THEN RAISE(ABORT, 'members_signed_in_at_in_years_1_to_9999: signed_in_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER member_updated_sign_in_checked BEFORE UPDATE OF signed_in_at ON members BEGIN
  SELECT CASE
    WHEN NEW.signed_in_at IS NOT OLD.signed_in_at AND (NEW.signed_in_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.signed_in_at < '0001' OR (NEW.signed_in_at IS NOT NULL AND julianday(NEW.signed_in_at) IS NULL)
      OR ((substr(NEW.signed_in_at, 9, 2) > '28' OR substr(NEW.signed_in_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.signed_in_at, '+0 days') IS NOT NEW.signed_in_at))
      THEN RAISE(ABORT, 'members_signed_in_at_in_years_1_to_9999: signed_in_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER tasks_inserted AFTER INSERT ON "tasks" BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = NEW.workspace_id;
END;
CREATE TRIGGER tasks_updated AFTER UPDATE OF "seq", "workspace_id", "source", "id", "title", "details", "due_at", "book_key", "assignee_name", "assignee_email", "source_session_id", "source_title", "source_summary", "source_kind", "status", "snoozed_until", "created_at" ON "tasks" BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id);
END;
CREATE TRIGGER tasks_deleted AFTER DELETE ON "tasks" BEGIN
  UPDATE revisions SET number = number + 1 WHERE workspace_id = OLD.workspace_id;
END;
CREATE TRIGGER tasks_insert_checked AFTER INSERT ON "tasks" BEGIN
  SELECT CASE
    WHEN NEW."id" = '' THEN RAISE(ABORT, 'tasks_id_not_empty: id must not be empty')
    WHEN NEW."title" = '' THEN RAISE(ABORT, 'tasks_title_not_empty: title must not be empty')
    WHEN length(NEW."id") > 200 THEN RAISE(ABORT, 'tasks_id_at_most_200_characters: id must be at most 200 characters')
    WHEN length(NEW."title") > 500 THEN RAISE(ABORT, 'tasks_title_at_most_500_characters: title must be at most 500 characters')
    WHEN length(NEW."details") > 10000 THEN RAISE(ABORT, 'tasks_details_at_most_10000_characters: details must be at most 10000 characters')
    WHEN length(NEW."book_key") > 200 THEN RAISE(ABORT, 'tasks_book_key_at_most_200_characters: bookKey must be at most 200 characters')
    WHEN length(NEW."assignee_name") > 200 THEN RAISE(ABORT, 'tasks_assignee_name_at_most_200_characters: assigneeName must be at most 200 characters')
    WHEN length(NEW."assignee_email") > 320 THEN RAISE(ABORT, 'tasks_assignee_email_at_most_320_characters: assigneeEmail must be at most 320 characters')
    WHEN length(NEW."source_session_id") > 200 THEN RAISE(ABORT, 'tasks_source_session_id_at_most_200_characters: sourceSessionId must be at most 200 characters')
    WHEN length(NEW."source_title") > 500 THEN RAISE(ABORT, 'tasks_source_title_at_most_500_characters: sourceTitle must be at most 500 characters')
    WHEN length(NEW."source_summary") > 10000 THEN RAISE(ABORT, 'tasks_source_summary_at_most_10000_characters: sourceSummary must be at most 10000 characters')
    WHEN length(NEW."source_kind") > 100 THEN RAISE(ABORT, 'tasks_source_kind_at_most_100_characters: sourceKind must be at most 100 characters')
    WHEN length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND instr(NEW."id", char(0)) THEN RAISE(ABORT, 'tasks_id_without_nul: id must not hold a NUL character')
    WHEN length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND instr(NEW."title", char(0)) THEN RAISE(ABORT, 'tasks_title_without_nul: title must not hold a NUL character')
    WHEN length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND instr(NEW."details", char(0)) THEN RAISE(ABORT, 'tasks_details_without_nul: details must not hold a NUL character')
    WHEN length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND instr(NEW."book_key", char(0)) THEN RAISE(ABORT, 'tasks_book_key_without_nul: bookKey must not hold a NUL character')
    WHEN length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND instr(NEW."assignee_name", char(0)) THEN RAISE(ABORT, 'tasks_assignee_name_without_nul: assigneeName must not hold a NUL character')
    WHEN length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND instr(NEW."assignee_email", char(0)) THEN RAISE(ABORT, 'tasks_assignee_email_without_nul: assigneeEmail must not hold a NUL character')
    WHEN length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND instr(NEW."source_session_id", char(0)) THEN RAISE(ABORT, 'tasks_source_session_id_without_nul: sourceSessionId must not hold a NUL character')
    WHEN length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND instr(NEW."source_title", char(0)) THEN RAISE(ABORT, 'tasks_source_title_without_nul: sourceTitle must not hold a NUL character')
    WHEN length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND instr(NEW."source_summary", char(0)) THEN RAISE(ABORT, 'tasks_source_summary_without_nul: sourceSummary must not hold a NUL character')
    WHEN length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND instr(NEW."source_kind", char(0)) THEN RAISE(ABORT, 'tasks_source_kind_without_nul: sourceKind must not hold a NUL character')
    WHEN (NEW."id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND unicode(substr(NEW."id", -1)) <> 65533
        AND char(unicode(substr(NEW."id", -1))) <> substr(NEW."id", -1)) THEN RAISE(ABORT, 'tasks_id_is_utf8: id must be text in UTF-8')
    WHEN (NEW."title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND unicode(substr(NEW."title", -1)) <> 65533
        AND char(unicode(substr(NEW."title", -1))) <> substr(NEW."title", -1)) THEN RAISE(ABORT, 'tasks_title_is_utf8: title must be text in UTF-8')
    WHEN (NEW."details" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."details", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND unicode(substr(NEW."details", -1)) <> 65533
        AND char(unicode(substr(NEW."details", -1))) <> substr(NEW."details", -1)) THEN RAISE(ABORT, 'tasks_details_is_utf8: details must be text in UTF-8')
    WHEN (NEW."book_key" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."book_key", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND unicode(substr(NEW."book_key", -1)) <> 65533
        AND char(unicode(substr(NEW."book_key", -1))) <> substr(NEW."book_key", -1)) THEN RAISE(ABORT, 'tasks_book_key_is_utf8: bookKey must be text in UTF-8')
    WHEN (NEW."assignee_name" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_name", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND unicode(substr(NEW."assignee_name", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_name", -1))) <> substr(NEW."assignee_name", -1)) THEN RAISE(ABORT, 'tasks_assignee_name_is_utf8: assigneeName must be text in UTF-8')
    WHEN (NEW."assignee_email" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_email", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND unicode(substr(NEW."assignee_email", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_email", -1))) <> substr(NEW."assignee_email", -1)) THEN RAISE(ABORT, 'tasks_assignee_email_is_utf8: assigneeEmail must be text in UTF-8')
    WHEN (NEW."source_session_id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_session_id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND unicode(substr(NEW."source_session_id", -1)) <> 65533
        AND char(unicode(substr(NEW."source_session_id", -1))) <> substr(NEW."source_session_id", -1)) THEN RAISE(ABORT, 'tasks_source_session_id_is_utf8: sourceSessionId must be text in UTF-8')
    WHEN (NEW."source_title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND unicode(substr(NEW."source_title", -1)) <> 65533
        AND char(unicode(substr(NEW."source_title", -1))) <> substr(NEW."source_title", -1)) THEN RAISE(ABORT, 'tasks_source_title_is_utf8: sourceTitle must be text in UTF-8')
    WHEN (NEW."source_summary" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_summary", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND unicode(substr(NEW."source_summary", -1)) <> 65533
        AND char(unicode(substr(NEW."source_summary", -1))) <> substr(NEW."source_summary", -1)) THEN RAISE(ABORT, 'tasks_source_summary_is_utf8: sourceSummary must be text in UTF-8')
    WHEN (NEW."source_kind" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_kind", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND unicode(substr(NEW."source_kind", -1)) <> 65533
        AND char(unicode(substr(NEW."source_kind", -1))) <> substr(NEW."source_kind", -1)) THEN RAISE(ABORT, 'tasks_source_kind_is_utf8: sourceKind must be text in UTF-8')
    WHEN instr(NEW."assignee_email", '@') < 2 OR instr(substr(NEW."assignee_email", instr(NEW."assignee_email", '@') + 1), '@')
      OR NEW."assignee_email" GLOB '.*' OR instr(NEW."assignee_email", '..') OR instr(NEW."assignee_email", '.@')
      OR NEW."assignee_email" GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW."assignee_email", -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW."assignee_email" GLOB '*[^a-zA-Z0-9.@]*' AND (NEW."assignee_email" GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW."assignee_email" GLOB '*@*.-*' OR NEW."assignee_email" GLOB '*@*-.*'
        OR NEW."assignee_email" GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW."assignee_email") > 65 AND NEW."assignee_email" GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*') THEN RAISE(ABORT, 'tasks_assignee_email_is_an_address: assigneeEmail must be an email address')
    WHEN NEW."due_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."due_at" < '0001' OR (NEW."due_at" IS NOT NULL AND julianday(NEW."due_at") IS NULL)
      OR ((substr(NEW."due_at", 9, 2) > '28' OR substr(NEW."due_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."due_at", '+0 days') IS NOT NEW."due_at") THEN RAISE(ABORT, 'tasks_due_at_in_years_1_to_9999: dueAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."snoozed_until" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."snoozed_until" < '0001' OR (NEW."snoozed_until" IS NOT NULL AND julianday(NEW."snoozed_until") IS NULL)
      OR ((substr(NEW."snoozed_until", 9, 2) > '28' OR substr(NEW."snoozed_until", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."snoozed_until", '+0 days') IS NOT NEW."snoozed_until") THEN RAISE(ABORT, 'tasks_snoozed_until_in_years_1_to_9999: snoozedUntil must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."created_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."created_at" < '0001' OR (NEW."created_at" IS NOT NULL AND julianday(NEW."created_at") IS NULL)
      OR ((substr(NEW."created_at", 9, 2) > '28' OR substr(NEW."created_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."created_at", '+0 days') IS NOT NEW."created_at") THEN RAISE(ABORT, 'tasks_created_at_in_years_1_to_9999: createdAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."status" NOT IN ('open', 'completed', 'cancelled') THEN RAISE(ABORT, 'tasks_status_is_known: status must be one of open, completed, cancelled')
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) THEN RAISE(ABORT, 'tasks_workspace_exists: workspace_id must be the id of a workspace that exists')
    WHEN length(iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source)) NOT BETWEEN 1 AND 64 OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) NOT GLOB '[a-z0-9]*' OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) GLOB '*[^a-z0-9._-]*'
      OR instr(NEW.source, char(0)) THEN RAISE(ABORT, 'tasks_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it')
  END;
END;
CREATE TRIGGER tasks_update_checked AFTER UPDATE OF "id", "title", "details", "book_key", "assignee_name", "assignee_email", "source_session_id", "source_title", "source_summary", "source_kind", "due_at", "snoozed_until", "created_at" ON "tasks" BEGIN
  SELECT CASE
    WHEN NEW."id" = '' THEN RAISE(ABORT, 'tasks_id_not_empty: id must not be empty')
    WHEN NEW."title" = '' THEN RAISE(ABORT, 'tasks_title_not_empty: title must not be empty')
    WHEN length(NEW."id") > 200 THEN RAISE(ABORT, 'tasks_id_at_most_200_characters: id must be at most 200 characters')
    WHEN length(NEW."title") > 500 THEN RAISE(ABORT, 'tasks_title_at_most_500_characters: title must be at most 500 characters')
    WHEN length(NEW."details") > 10000 THEN RAISE(ABORT, 'tasks_details_at_most_10000_characters: details must be at most 10000 characters')
    WHEN length(NEW."book_key") > 200 THEN RAISE(ABORT, 'tasks_book_key_at_most_200_characters: bookKey must be at most 200 characters')
    WHEN length(NEW."assignee_name") > 200 THEN RAISE(ABORT, 'tasks_assignee_name_at_most_200_characters: assigneeName must be at most 200 characters')
    WHEN length(NEW."assignee_email") > 320 THEN RAISE(ABORT, 'tasks_assignee_email_at_most_320_characters: assigneeEmail must be at most 320 characters')
    WHEN length(NEW."source_session_id") > 200 THEN RAISE(ABORT, 'tasks_source_session_id_at_most_200_characters: sourceSessionId must be at most 200 characters')
    WHEN length(NEW."source_title") > 500 THEN RAISE(ABORT, 'tasks_source_title_at_most_500_characters: sourceTitle must be at most 500 characters')
    WHEN length(NEW."source_summary") > 10000 THEN RAISE(ABORT, 'tasks_source_summary_at_most_10000_characters: sourceSummary must be at most 10000 characters')
    WHEN length(NEW."source_kind") > 100 THEN RAISE(ABORT, 'tasks_source_kind_at_most_100_characters: sourceKind must be at most 100 characters')
    WHEN length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND instr(NEW."id", char(0)) THEN RAISE(ABORT, 'tasks_id_without_nul: id must not hold a NUL character')
    WHEN length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND instr(NEW."title", char(0)) THEN RAISE(ABORT, 'tasks_title_without_nul: title must not hold a NUL character')
    WHEN length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND instr(NEW."details", char(0)) THEN RAISE(ABORT, 'tasks_details_without_nul: details must not hold a NUL character')
    WHEN length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND instr(NEW."book_key", char(0)) THEN RAISE(ABORT, 'tasks_book_key_without_nul: bookKey must not hold a NUL character')
    WHEN length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND instr(NEW."assignee_name", char(0)) THEN RAISE(ABORT, 'tasks_assignee_name_without_nul: assigneeName must not hold a NUL character')
    WHEN length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND instr(NEW."assignee_email", char(0)) THEN RAISE(ABORT, 'tasks_assignee_email_without_nul: assigneeEmail must not hold a NUL character')
    WHEN length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND instr(NEW."source_session_id", char(0)) THEN RAISE(ABORT, 'tasks_source_session_id_without_nul: sourceSessionId must not hold a NUL character')
    WHEN length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND instr(NEW."source_title", char(0)) THEN RAISE(ABORT, 'tasks_source_title_without_nul: sourceTitle must not hold a NUL character')
    WHEN length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND instr(NEW."source_summary", char(0)) THEN RAISE(ABORT, 'tasks_source_summary_without_nul: sourceSummary must not hold a NUL character')
    WHEN length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND instr(NEW."source_kind", char(0)) THEN RAISE(ABORT, 'tasks_source_kind_without_nul: sourceKind must not hold a NUL character')
    WHEN (NEW."id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND unicode(substr(NEW."id", -1)) <> 65533
        AND char(unicode(substr(NEW."id", -1))) <> substr(NEW."id", -1)) THEN RAISE(ABORT, 'tasks_id_is_utf8: id must be text in UTF-8')
    WHEN (NEW."title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND unicode(substr(NEW."title", -1)) <> 65533
        AND char(unicode(substr(NEW."title", -1))) <> substr(NEW."title", -1)) THEN RAISE(ABORT, 'tasks_title_is_utf8: title must be text in UTF-8')
    WHEN (NEW."details" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."details", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND unicode(substr(NEW."details", -1)) <> 65533
        AND char(unicode(substr(NEW."details", -1))) <> substr(NEW."details", -1)) THEN RAISE(ABORT, 'tasks_details_is_utf8: details must be text in UTF-8')
    WHEN (NEW."book_key" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."book_key", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND unicode(substr(NEW."book_key", -1)) <> 65533
        AND char(unicode(substr(NEW."book_key", -1))) <> substr(NEW."book_key", -1)) THEN RAISE(ABORT, 'tasks_book_key_is_utf8: bookKey must be text in UTF-8')
    WHEN (NEW."assignee_name" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_name", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND unicode(substr(NEW."assignee_name", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_name", -1))) <> substr(NEW."assignee_name", -1)) THEN RAISE(ABORT, 'tasks_assignee_name_is_utf8: assigneeName must be text in UTF-8')
    WHEN (NEW."assignee_email" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_email", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND unicode(substr(NEW."assignee_email", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_email", -1))) <> substr(NEW."assignee_email", -1)) THEN RAISE(ABORT, 'tasks_assignee_email_is_utf8: assigneeEmail must be text in UTF-8')
    WHEN (NEW."source_session_id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_session_id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND unicode(substr(NEW."source_session_id", -1)) <> 65533
        AND char(unicode(substr(NEW."source_session_id", -1))) <> substr(NEW."source_session_id", -1)) THEN RAISE(ABORT, 'tasks_source_session_id_is_utf8: sourceSessionId must be text in UTF-8')
    WHEN (NEW."source_title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND unicode(substr(NEW."source_title", -1)) <> 65533
        AND char(unicode(substr(NEW."source_title", -1))) <> substr(NEW."source_title", -1)) THEN RAISE(ABORT, 'tasks_source_title_is_utf8: sourceTitle must be text in UTF-8')
    WHEN (NEW."source_summary" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_summary", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND unicode(substr(NEW."source_summary", -1)) <> 65533
        AND char(unicode(substr(NEW."source_summary", -1))) <> substr(NEW."source_summary", -1)) THEN RAISE(ABORT, 'tasks_source_summary_is_utf8: sourceSummary must be text in UTF-8')
    WHEN (NEW."source_kind" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_kind", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND unicode(substr(NEW."source_kind", -1)) <> 65533
        AND char(unicode(substr(NEW."source_kind", -1))) <> substr(NEW."source_kind", -1)) THEN RAISE(ABORT, 'tasks_source_kind_is_utf8: sourceKind must be text in UTF-8')
    WHEN instr(NEW."assignee_email", '@') < 2 OR instr(substr(NEW."assignee_email", instr(NEW."assignee_email", '@') + 1), '@')
      OR NEW."assignee_email" GLOB '.*' OR instr(NEW."assignee_email", '..') OR instr(NEW."assignee_email", '.@')
      OR NEW."assignee_email" GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW."assignee_email", -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW."assignee_email" GLOB '*[^a-zA-Z0-9.@]*' AND (NEW."assignee_email" GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW."assignee_email" GLOB '*@*.-*' OR NEW."assignee_email" GLOB '*@*-.*'
        OR NEW."assignee_email" GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW."assignee_email") > 65 AND NEW."assignee_email" GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*') THEN RAISE(ABORT, 'tasks_assignee_email_is_an_address: assigneeEmail must be an email address')
    WHEN NEW."due_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."due_at" < '0001' OR (NEW."due_at" IS NOT NULL AND julianday(NEW."due_at") IS NULL)
      OR ((substr(NEW."due_at", 9, 2) > '28' OR substr(NEW."due_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."due_at", '+0 days') IS NOT NEW."due_at") THEN RAISE(ABORT, 'tasks_due_at_in_years_1_to_9999: dueAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."snoozed_until" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."snoozed_until" < '0001' OR (NEW."snoozed_until" IS NOT NULL AND julianday(NEW."snoozed_until") IS NULL)
      OR ((substr(NEW."snoozed_until", 9, 2) > '28' OR substr(NEW."snoozed_until", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."snoozed_until", '+0 days') IS NOT NEW."snoozed_until") THEN RAISE(ABORT, 'tasks_snoozed_until_in_years_1_to_9999: snoozedUntil must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."created_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."created_at" < '0001' OR (NEW."created_at" IS NOT NULL AND julianday(NEW."created_at") IS NULL)
      OR ((substr(NEW."created_at", 9, 2) > '28' OR substr(NEW."created_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."created_at", '+0 days') IS NOT NEW."created_at") THEN RAISE(ABORT, 'tasks_created_at_in_years_1_to_9999: createdAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER tasks_choice_checked AFTER UPDATE OF "status" ON "tasks" BEGIN
  SELECT CASE
    WHEN NEW."status" NOT IN ('open', 'completed', 'cancelled') THEN RAISE(ABORT, 'tasks_status_is_known: status must be one of open, completed, cancelled')
  END;
END;
CREATE TRIGGER tasks_workspace_checked AFTER UPDATE OF workspace_id, source ON "tasks" BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) THEN RAISE(ABORT, 'tasks_workspace_exists: workspace_id must be the id of a workspace that exists')
    WHEN length(iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source)) NOT BETWEEN 1 AND 64 OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) NOT GLOB '[a-z0-9]*' OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) GLOB '*[^a-z0-9._-]*'
      OR instr(NEW.source, char(0)) THEN RAISE(ABORT, 'tasks_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it')
  END;
END;
CREATE TRIGGER tasks_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM "tasks" WHERE workspace_id = OLD.id;
END;
CREATE INDEX tasks_of_source ON "tasks" (workspace_id, source, id) WHERE source IS NOT NULL;
CREATE INDEX tasks_unsnoozed ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired, CAST(json_object('id', "id", 'title', "title", 'details', "details", 'dueAt', "due_at", 'bookKey', "book_key", 'assigneeName', "assignee_name", 'assigneeEmail', "assignee_email", 'sourceSessionId', "source_session_id", 'sourceTitle', "source_title", 'sourceSummary', "source_summary", 'sourceKind', "source_kind") AS TEXT))
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1);
CREATE INDEX tasks_of_book ON tasks (workspace_id, book_key, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND book_key IS NOT NULL;
CREATE INDEX tasks_of_assignee ON tasks (workspace_id, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND assignee_email IS NOT NULL;
CREATE INDEX tasks_of_book_and_assignee ON tasks (workspace_id, book_key, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND book_key IS NOT NULL AND assignee_email IS NOT NULL;
CREATE INDEX tasks_snoozed ON tasks (workspace_id, snooze_expired, snoozed_until, due_at)
  WHERE status = 'open' AND snoozed_until IS NOT NULL;
CREATE TRIGGER tasks_inserted_snoozed AFTER INSERT ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END;
CREATE TRIGGER tasks_snooze_written AFTER UPDATE OF snoozed_until ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END;
CREATE TRIGGER key_kept BEFORE UPDATE ON api_keys
WHEN NEW.id <> OLD.id OR NEW.workspace_id <> OLD.workspace_id OR NEW.hash <> OLD.hash OR NEW.prefix <> OLD.prefix
  OR NEW.created_at <> OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'a key keeps its id, workspace, hash, prefix and time of creation; create another key instead');
END;
PRAGMA application_id = 0x5654524e; PRAGMA user_version = 13;
