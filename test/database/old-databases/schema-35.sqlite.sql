CREATE TABLE workspaces (
  id            TEXT PRIMARY KEY,
  slug          TEXT NOT NULL UNIQUE,
  name          TEXT NOT NULL,
  timezone      TEXT,
  currency_code TEXT,
  country_code  TEXT,
  created_at    TEXT NOT NULL,
  archived_at   TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO "workspaces" VALUES
('ws_1580742df9c78e7be5', 'northwind', 'Northwind Buying', 'Europe/London', 'GBP', 'GB', '2026-11-19T13:00:38.231Z', NULL),
('ws_9b8f70483210130a6b', 'old', 'Old', NULL, NULL, NULL, '2026-11-19T13:00:39.129Z', '2026-11-19T13:00:44.270Z');
CREATE TABLE revisions (
  workspace_id TEXT PRIMARY KEY,
  number       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "revisions" VALUES
('ws_1580742df9c78e7be5', 1795093238231009),
('ws_9b8f70483210130a6b', 1795093244270000);
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
, paused_at TEXT, retires_at TEXT, client_id TEXT, client_host TEXT, networks TEXT, last_used_at TEXT, last_refused_at TEXT, last_refusal TEXT, leaked_at TEXT, leaked_in TEXT CHECK (leaked_in IN ('url', 'browser'))) STRICT, WITHOUT ROWID;
INSERT INTO "api_keys" VALUES
('key_5f9c48d0a24dcd321f', 'ws_1580742df9c78e7be5', '8821a7afff70590b0cb1add28706d623ce2d3e362a13695e9cf703d7441839d7', 'vtr_xd2HHv', 'nightly report', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19T13:00:42.591Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', 'damaged', '2026-11-16T09:00:00.000Z', 'url'),
('key_7fd26081bc01c61e99', 'ws_1580742df9c78e7be5', '404c3339990785da52d92e9d26fba6d24567e13d871574a0db64a2b2fb2aa7ce', 'vtr_lidxTt', 'revoked', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19T13:00:43.076Z', NULL, '2026-11-19T13:00:44.800Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
('key_b4b1058b2d0806f213', 'ws_1580742df9c78e7be5', '0123879a91bdf3f75466db2e3fe17d6837a737062605d0dfc68df124f4ac9f7e', 'vtr_cqk4yY', 'old', 'workspace:read,tasks:read', NULL, NULL, 'cli:root', '2026-11-19T13:00:43.681Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE members (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  role         TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  added_at     TEXT NOT NULL, signed_in_at TEXT,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;
INSERT INTO "members" VALUES
('ws_1580742df9c78e7be5', 'bo@northwind.example', 'member', '2026-11-19T13:00:42.048Z', '2026-11-16T09:00:00.000Z'),
('ws_1580742df9c78e7be5', 'ines@northwind.example', 'owner', '2026-11-19T13:00:41.556Z', NULL);
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
(1, '2026-11-19T13:00:38.231Z', 'ws_1580742df9c78e7be5', 'cli:root', 'workspace.created', 'ws_1580742df9c78e7be5', '{"name":"Northwind Buying","slug":"northwind"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '608ce72736dae78721dc27e7a74cd3af172295c2e1739e6e2d89a5123ea3864c'),
(2, '2026-11-19T13:00:39.129Z', 'ws_9b8f70483210130a6b', 'cli:root', 'workspace.created', 'ws_9b8f70483210130a6b', '{"name":"Old","slug":"old"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '4daaa0e8d31fe80edcb19eeb5c43958fe3a03c93c8c007909ac1d5d8ad71f80e'),
(3, '2026-11-19T13:00:39.748Z', 'ws_1580742df9c78e7be5', 'cli:root', 'tasks.imported', 'ws_1580742df9c78e7be5', '{"created":5,"replaced":0,"deleted":0,"unchanged":0}', 2, '608ce72736dae78721dc27e7a74cd3af172295c2e1739e6e2d89a5123ea3864c', '2b9625ecb4bf9b6846b295676691224f48bb855ce22f9094f433b4d9c03b86db'),
(4, '2026-11-19T13:00:40.439Z', 'ws_1580742df9c78e7be5', 'cli:root', 'tasks.synced', 'ws_1580742df9c78e7be5', '{"source":"tracker","created":1,"changed":0,"gone":0,"unchanged":0}', 3, '2b9625ecb4bf9b6846b295676691224f48bb855ce22f9094f433b4d9c03b86db', '07b936bac955fa2ba6a6fe55245b0402da9624f954258f1f18a9f5a7e9928a6d'),
(5, '2026-11-19T13:00:41.084Z', 'ws_1580742df9c78e7be5', 'cli:root', 'orders.imported', 'ws_1580742df9c78e7be5', '{"created":3,"replaced":0,"deleted":0,"unchanged":0}', 4, '07b936bac955fa2ba6a6fe55245b0402da9624f954258f1f18a9f5a7e9928a6d', '96215bf948942bf5a3dad9b072ad38c4cc4758237c2f68eaf2378f524418d2f3'),
(6, '2026-11-19T13:00:41.556Z', 'ws_1580742df9c78e7be5', 'cli:root', 'member.added', 'ines@northwind.example', '{"role":"owner"}', 5, '96215bf948942bf5a3dad9b072ad38c4cc4758237c2f68eaf2378f524418d2f3', '5f2fd99abf5e03c67846503ed29e5c95bc607366765153caecaada0ac8d142d5'),
(7, '2026-11-19T13:00:42.048Z', 'ws_1580742df9c78e7be5', 'cli:root', 'member.added', 'bo@northwind.example', '{"role":"member"}', 6, '5f2fd99abf5e03c67846503ed29e5c95bc607366765153caecaada0ac8d142d5', '68ff7e23de57bfb74b18120977b2835eb7fba1e72731ab7818db90a883c0d960'),
(8, '2026-11-19T13:00:42.591Z', 'ws_1580742df9c78e7be5', 'cli:root', 'key.created', 'key_5f9c48d0a24dcd321f', '{"label":"nightly report"}', 7, '68ff7e23de57bfb74b18120977b2835eb7fba1e72731ab7818db90a883c0d960', '0f37d071f4f0c9c67f7f56d4a010b1df4a12b1a0e6780af3b0e128de1a6467d3'),
(9, '2026-11-19T13:00:43.076Z', 'ws_1580742df9c78e7be5', 'cli:root', 'key.created', 'key_7fd26081bc01c61e99', '{"label":"revoked"}', 8, '0f37d071f4f0c9c67f7f56d4a010b1df4a12b1a0e6780af3b0e128de1a6467d3', 'bd2798d8eb64453ebd7f567d2b88d247f5fb856c44a4b09b94ffd663beae11b4'),
(10, '2026-11-19T13:00:43.681Z', 'ws_1580742df9c78e7be5', 'cli:root', 'key.created', 'key_b4b1058b2d0806f213', '{"label":"old"}', 9, 'bd2798d8eb64453ebd7f567d2b88d247f5fb856c44a4b09b94ffd663beae11b4', 'bd1a8c72dc03efc58aa93c156a471005865de9a6a144de1996c6039b84cd3928'),
(11, '2026-11-19T13:00:44.270Z', 'ws_9b8f70483210130a6b', 'cli:root', 'workspace.archived', 'ws_9b8f70483210130a6b', '{"slug":"old"}', 2, '4daaa0e8d31fe80edcb19eeb5c43958fe3a03c93c8c007909ac1d5d8ad71f80e', '1f48c1327efe2f45e8e3fc84e0b14037477b8d49070a89175ac50a95c3c00494'),
(12, '2026-11-19T13:00:44.800Z', 'ws_1580742df9c78e7be5', 'cli:root', 'key.revoked', 'key_7fd26081bc01c61e99', '{"label":"revoked"}', 10, 'bd1a8c72dc03efc58aa93c156a471005865de9a6a144de1996c6039b84cd3928', 'de8592626bc0aec3c22272a3a68088633e748ea7e1b8b9cc8568ecbf48dac877'),
(13, '2026-11-16T09:00:00.000Z', 'ws_1580742df9c78e7be5', 'ines@northwind.example', 'session.started', 'bo@northwind.example', '{}', 11, 'de8592626bc0aec3c22272a3a68088633e748ea7e1b8b9cc8568ecbf48dac877', 'cfc25e1f5635692c9b2f8f96c2b6b8dbbfb950fec64b389a81cb7559871d8237');
CREATE TABLE audit_heads (
  workspace_id   TEXT PRIMARY KEY,
  number         INTEGER NOT NULL,
  hash           TEXT NOT NULL,
  -- The chain begins after this entry, if older ones were removed.
  trimmed_number INTEGER NOT NULL DEFAULT 0,
  trimmed_hash   TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000000000000000000000000000'
) STRICT, WITHOUT ROWID;
INSERT INTO "audit_heads" VALUES
('ws_1580742df9c78e7be5', 11, 'cfc25e1f5635692c9b2f8f96c2b6b8dbbfb950fec64b389a81cb7559871d8237', 0, '0000000000000000000000000000000000000000000000000000000000000000'),
('ws_9b8f70483210130a6b', 2, '1f48c1327efe2f45e8e3fc84e0b14037477b8d49070a89175ac50a95c3c00494', 0, '0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE sessions (
  hash       TEXT PRIMARY KEY,
  email      TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at    TEXT NOT NULL
, workspace_id TEXT, link_by TEXT) STRICT, WITHOUT ROWID;
INSERT INTO "sessions" VALUES
('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'ines@northwind.example', '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', NULL, NULL),
('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'bo@northwind.example', '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z', 'ws_1580742df9c78e7be5', 'ines@northwind.example');
CREATE TABLE tickets (
  hash       TEXT PRIMARY KEY,
  kind       TEXT NOT NULL,
  subject    TEXT NOT NULL,
  detail     TEXT NOT NULL,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "tickets" VALUES
('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'link', 'bo@northwind.example', '{}', '2099-01-01T00:00:00.000Z');
CREATE TABLE resource_tables (
  name    TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  columns TEXT NOT NULL,
  objects TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "resource_tables" VALUES
('orders', 1, '{"seq":"key: INTEGER PRIMARY KEY","workspace_id":"key: TEXT NOT NULL","source":"source: TEXT","id":"text: TEXT NOT NULL","supplier":"text: TEXT NOT NULL","link":"url: TEXT","total":"money: TEXT","pieces":"integer: INTEGER","tags":"texts: TEXT","delivery_at":"instant: TEXT","urgent":"boolean: INTEGER NOT NULL DEFAULT false","status":"choice: TEXT NOT NULL","day":"date: TEXT"}', '[["trigger","orders_inserted","19a83bbc7ac5d0eaed548c36a105371c7c2e099c9a6bead10fab4c687c003bf1"],["trigger","orders_updated","1f8ac0e1889f5fe1b594d128122f74becfc2e49bb0a230a539e350bac8449b3b"],["trigger","orders_deleted","9a92f7c28e2cddf984233069740d4050a1acd7c6cfe5bc64a1787114f3923fc8"],["trigger","orders_placed","4993bf3a4c275b7f92dd8478064e671fce9396d568b50c2e50f2637f292a6a60"],["trigger","orders_workspace_checked","0af95f28cb4890bbf4232b7711d06a1b01121112198c7ca452aa0f76bfbcd8f1"],["trigger","orders_workspace_deleted","9e70127b31dfdd565e29d65f10bea156bab7eaa20e23c7024874e61e218b266a"],["index","orders_of_source","80194af4e5ff82209e4dc9529bc1ebdd6aba0d673b67480a541434dcee820a0d"],["index","orders_in_order","833567fbda638eec5ef783f030bf2a10a03dfd698fa29aaf57a9df44fe311860"],["index","orders_by_supplier","d66870eefe85edfd73f67cf45c120edb64afd2f19953c79f8ec74364023f6566"],["index","orders_by_status","6000962437d4d1aca956340047308d78a661ef78f42c42527a78c7516682f04c"],["search","orders_search","7f4f5febbb16219b4b1d2527bc762433b50dce6c8b873c9a48ec87cf0fb868e5"],["trigger","orders_search_inserted","8dd11b3f92cc05bcffb63c63304d0cd4f46dd5b9441a41bbf4b6d8eb44d9f686"],["trigger","orders_search_updated","36994f1ce3f5bc15bf7b9a99d124b73bb0c00ee072deb1a4815cb7f66a00ac3a"],["trigger","orders_search_deleted","f6cb4394df362c4fe8333988016483bd8387675e0a037f987426c9dafffcf3ef"]]'),
('tasks', 5, '{"seq":"key: INTEGER PRIMARY KEY","workspace_id":"key: TEXT NOT NULL","source":"source: TEXT","id":"text: TEXT NOT NULL","title":"text: TEXT NOT NULL","details":"text: TEXT","due_at":"instant: TEXT","book_key":"text: TEXT","assignee_name":"text: TEXT","assignee_email":"email: TEXT","source_session_id":"text: TEXT","source_title":"text: TEXT","source_summary":"text: TEXT","source_kind":"text: TEXT","status":"choice: TEXT NOT NULL DEFAULT ''open''","snoozed_until":"instant: TEXT","created_at":"instant: TEXT NOT NULL DEFAULT (strftime(''%Y-%m-%dT%H:%M:%fZ'', ''now''))","snooze_expired":"mark: INTEGER NOT NULL DEFAULT 0 CHECK (\"snooze_expired\" IN (0, 1))"}', '[["trigger","tasks_inserted","703e827161b856f151e9e5db75b79f51c1370cdf641011394279b25fa906d5a7"],["trigger","tasks_updated","a79325a93c353ff0c4a50c060179fed61e7061910e85a87f955d6be7fff4f3c6"],["trigger","tasks_deleted","55a750aceca3c50f289a743f471a5656f944380e8d33051bee0a268b0e74b3dc"],["trigger","tasks_placed","aee5f678f43dd908c3cb51a0744515ea34fcf1bc7bc139f4b483af5299e94cb8"],["trigger","tasks_workspace_checked","146efca6b0f5bf3223e141a2aa94b44ce40439999ee0774413f054f4e58eda9c"],["trigger","tasks_workspace_deleted","e508632037c4cfcf1c1a67c53ea79dcd283c11d5822327185e4a918ede9eb857"],["index","tasks_of_source","464c8be559b4516e2ba6aedca422d62d0ff27f609c968973d686912d52c93cba"],["index","tasks_unsnoozed","5559a4508f42111a47217b4bf7ecc829b09548d241a1816f665359ad9a945cb5"],["index","tasks_of_book","f6031cb65716678d3621b2d379d2a1f12ec50799e4dac27c06575f89bbe3ee81"],["index","tasks_of_assignee","c37e3c9dba4478e131f57fea1f2542ccbc6045386adf51d1767d11ed21ad5066"],["index","tasks_of_book_and_assignee","be1e864ec2a278d9449bfa13c76770a90e324645676cc9d97c25a8498e0c1d9c"],["index","tasks_of_session","383aa711ca6ea35839049768f3a498f961ff5cb087c560cac0eaf9e7bf3e00c7"],["index","tasks_unassigned","d2864ec4e0d29f7ac6940fcf12446145e319a49f2b8bd4e32a019d0cc5a5d000"],["index","tasks_snoozed","d509639e40f26eef0104323e22962c664e631b0d3c503bcdd57f36db62d61830"],["trigger","tasks_inserted_snoozed","fbd95d2884e3ca36efd50e1e5b6b5c8716ecd42e9880384011c5d9dc4b94eae6"],["trigger","tasks_snooze_written","2ee90503c2d15143c194d3a3ff727e61e194aacc5a8fb97addf42d9337afbf1f"],["search","tasks_search","517331430195024d4b085587ceaf7c73ee83d34c8cba62ee41254cc386560bfc"],["trigger","tasks_search_inserted","ff82a80b827ebcbf19151f2eaa73a8439ec96255e66c193eca6706effa061d68"],["trigger","tasks_search_updated","7463a44856a06aa848f45ad7722e141c59ac0f153e020855ca22b4555a750491"],["trigger","tasks_search_deleted","651aee64e26dde80681fc034e2b2e3d443a94579dbe99d037d6da0759c64eebe"]]');
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
('ws_1580742df9c78e7be5', 'tasks', 'tracker', '2026-11-19T13:00:40.439Z', '2026-11-19T13:00:40.439Z', '2026-11-19T13:00:40.439Z', NULL, NULL, 0, NULL, 'stdin', NULL, NULL, NULL, 1795093238231006, 1);
CREATE TABLE frozen (
  workspace_id TEXT NOT NULL,
  table_name   TEXT NOT NULL,
  is_writing   INTEGER NOT NULL CHECK (is_writing IN (0, 1)),
  PRIMARY KEY (workspace_id, table_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE declared_resources (
  name       TEXT PRIMARY KEY,
  state      TEXT NOT NULL CHECK (state IN ('draft', 'published')),
  definition TEXT NOT NULL,
  sunset     TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO "declared_resources" VALUES
('orders', 'published', '{"name":"orders","singular":"order","state":"published","description":"Purchase orders that are not closed yet.","fields":{"id":{"type":"text","description":"Stable order identifier.","nullable":false,"maxLength":100},"supplier":{"type":"text","description":"Name of the supplier.","nullable":false,"maxLength":200},"link":{"type":"url","description":"The order in the shop.","nullable":true,"maxLength":2048},"total":{"type":"money","description":"Order value.","nullable":true},"pieces":{"type":"integer","description":"How many pieces.","nullable":true,"minimum":1},"tags":{"type":"texts","description":"Labels.","nullable":true,"maxLength":50,"maxItems":20},"deliveryAt":{"type":"instant","description":"Agreed delivery time.","nullable":true},"urgent":{"type":"boolean","description":"Whether it must be expedited.","nullable":false,"default":false},"status":{"type":"choice","description":"State of the order.","nullable":false,"values":["draft","sent","closed"]},"day":{"type":"date","description":"A day.","nullable":true}},"order":["deliveryAt","supplier"],"filters":["supplier","status"],"search":["supplier"],"limit":50,"tool":{"description":"List open purchase orders, earliest delivery first."},"example":{"id":"PO-1","supplier":"Alvés","link":null,"total":"1240.50","pieces":3,"tags":null,"deliveryAt":null,"urgent":false,"status":"sent","day":null},"current":{"status":["draft","sent"]},"label":"supplier"}', NULL);
CREATE TABLE connection_tokens (
  hash        TEXT PRIMARY KEY,
  key_id      TEXT NOT NULL,
  -- A code is stored only after its use, to notice a second one.
  kind        TEXT NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  expires_at  TEXT NOT NULL,
  -- When a refresh token was exchanged for the next, and the salt from which, together with the token itself, the next can be derived again.
  replaced_at TEXT,
  salt        TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO "connection_tokens" VALUES
('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'key_5f9c48d0a24dcd321f', 'access', '2099-01-01T00:00:00.000Z', NULL, NULL);
CREATE TABLE request_log (
  id           INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  key_id       TEXT NOT NULL,
  number       INTEGER NOT NULL DEFAULT 0,
  at           TEXT NOT NULL,
  request_id   TEXT NOT NULL,
  operation    TEXT NOT NULL,
  tool         TEXT,
  arguments    TEXT,
  -- NULL if the client disconnected.
  status       INTEGER,
  code         TEXT,
  refused      TEXT,
  outcome      TEXT NOT NULL CHECK (outcome IN ('ok', 'refused', 'failed')),
  ms           REAL NOT NULL,
  bytes        INTEGER NOT NULL,
  address      TEXT,
  agent        TEXT,
  -- How many requests of the key after this one were left out.
  omitted      INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO "request_log" VALUES
(1, 'ws_1580742df9c78e7be5', 'key_5f9c48d0a24dcd321f', 1, '2026-11-16T09:00:00.000Z', 'r-1', 'GET /tasks', NULL, NULL, 200, NULL, NULL, 'ok', 1.5, 812, '192.0.2.1', 'agent', 0);
CREATE TABLE notice_settings (
  workspace_id    TEXT PRIMARY KEY,
  -- Separated by spaces.
  kinds           TEXT NOT NULL,
  webhook_url     TEXT,
  -- Signs each webhook, so it is stored as it is.
  webhook_secret  TEXT,
  unsubscribe_key TEXT NOT NULL,
  -- How far the audit log, the incidents and the keys' expiries have been read.
  audit_seen      INTEGER NOT NULL,
  refusals_seen  TEXT NOT NULL,
  expiries_seen   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO "notice_settings" VALUES
('ws_1580742df9c78e7be5', 'leaked', 'https://hooks.example/x', 's', 'u', 2, '2026-11-16T09:00:00.000Z', '2026-11-16T09:00:00.000Z');
CREATE TABLE notice_recipients (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  token_hash   TEXT NOT NULL UNIQUE,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;
INSERT INTO "notice_recipients" VALUES
('ws_1580742df9c78e7be5', 'bo@northwind.example', 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff');
CREATE TABLE notice_events (
  workspace_id TEXT NOT NULL,
  -- The same event has the same id, however often it is detected.
  id           TEXT NOT NULL,
  kind         TEXT NOT NULL,
  at           TEXT NOT NULL,
  text         TEXT NOT NULL,
  -- Where it is shown: a path of the settings page.
  path         TEXT NOT NULL,
  -- Null until it is part of a message.
  message_id   TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO "notice_events" VALUES
('ws_1580742df9c78e7be5', 'ev-1', 'leaked', '2026-11-16T09:00:00.000Z', 'Seen in a URL.', '/keys', 'm-1');
CREATE TABLE notice_deliveries (
  id           TEXT PRIMARY KEY,
  message_id   TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  recipient    TEXT,
  created_at   TEXT NOT NULL,
  state        TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'failed', 'dropped')),
  attempts     INTEGER NOT NULL DEFAULT 0,
  -- When it may be attempted next. An attempt moves it ahead, so that no one else sends it meanwhile.
  next_at      TEXT NOT NULL,
  ended_at     TEXT,
  reason       TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO "notice_deliveries" VALUES
('dl-1', 'm-1', 'ws_1580742df9c78e7be5', 'bo@northwind.example', '2026-11-16T09:00:00.000Z', 'waiting', 0, '2026-11-16T09:00:00.000Z', NULL, NULL);
CREATE TABLE passkeys (
  -- The credential's id, chosen by the authenticator, in base64url.
  id         TEXT PRIMARY KEY,
  email      TEXT NOT NULL,
  name       TEXT NOT NULL,
  -- A COSE key in base64url.
  public_key TEXT NOT NULL,
  -- The authenticator's count of signatures, which never falls unless the key was copied. 0 if it does not count.
  counter    INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  used_at    TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO "passkeys" VALUES
('cred', 'bo@northwind.example', 'Laptop', 'pQ', 7, '2026-11-16T09:00:00.000Z', NULL);
CREATE TABLE key_use (
  key_id  TEXT NOT NULL,
  day     TEXT NOT NULL,
  refused TEXT NOT NULL,
  count   INTEGER NOT NULL,
  PRIMARY KEY (key_id, day, refused)
) STRICT, WITHOUT ROWID;
INSERT INTO "key_use" VALUES
('key_5f9c48d0a24dcd321f', '2026-11-16', '', 3),
('key_5f9c48d0a24dcd321f', '2026-11-16', 'damaged', 2);
CREATE TABLE stored_lists (
  workspace_id TEXT NOT NULL,
  list         TEXT NOT NULL,
  shape        TEXT NOT NULL,
  last_seq     INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, list)
) STRICT, WITHOUT ROWID;
CREATE TABLE list_items (
  workspace_id TEXT NOT NULL,
  list         TEXT NOT NULL,
  id           TEXT NOT NULL,
  seq          INTEGER NOT NULL,
  source       TEXT,
  revision     INTEGER NOT NULL,
  sort_key     TEXT,
  shown_from   INTEGER,
  words        TEXT,
  body         TEXT NOT NULL,
  rest         TEXT,
  PRIMARY KEY (workspace_id, list, id)
) STRICT;
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
(1, 'ws_1580742df9c78e7be5', NULL, 't-1', 'Confirm the linen order', NULL, '2026-12-01T16:00:00.000Z', 'home-textiles', 'Ana Lima', 'ana@acme.example', NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T13:00:39.748Z', 0),
(2, 'ws_1580742df9c78e7be5', NULL, 't-2', 'Chase the signed terms', 'They hold the price until Friday.
"Größe" 🙂', '2026-11-20T12:00:00.000Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T13:00:39.748Z', 0),
(3, 'ws_1580742df9c78e7be5', NULL, 't-3', 'Tidy the supplier list', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T13:00:39.748Z', 0),
(4, 'ws_1580742df9c78e7be5', NULL, 't-4', 'Review the carrier rates', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', '2099-01-01T00:00:00.000Z', '2026-11-19T13:00:39.748Z', 0),
(5, 'ws_1580742df9c78e7be5', NULL, 't-5', 'Pay the deposit', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'completed', NULL, '2026-11-19T13:00:39.748Z', 0),
(6, 'ws_1580742df9c78e7be5', 'tracker', 's-1', 'Synced from the tracker', NULL, '2026-12-24T08:00:00.000Z', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'open', NULL, '2026-11-19T13:00:40.439Z', 0);
CREATE TABLE "orders" (
  "seq" INTEGER PRIMARY KEY,
  "workspace_id" TEXT NOT NULL,
  "source" TEXT,
  "id" TEXT NOT NULL,
  "supplier" TEXT NOT NULL,
  "link" TEXT,
  "total" TEXT,
  "pieces" INTEGER,
  "tags" TEXT,
  "delivery_at" TEXT,
  "urgent" INTEGER NOT NULL DEFAULT false,
  "status" TEXT NOT NULL,
  "day" TEXT,
  UNIQUE (workspace_id, id)
) STRICT;
INSERT INTO "orders" VALUES
(1, 'ws_1580742df9c78e7be5', NULL, 'PO-1', 'Alvés', 'https://shop.example/1', '1240.50', 3, '["linen","50 % \"off\" 🙂"]', '2026-12-01T08:00:00.000Z', 1, 'sent', '2026-12-01'),
(2, 'ws_1580742df9c78e7be5', NULL, 'PO-2', 'Berg', NULL, NULL, NULL, '[]', NULL, 0, 'draft', NULL),
(3, 'ws_1580742df9c78e7be5', NULL, 'PO-3', 'Closed', NULL, NULL, NULL, NULL, NULL, 0, 'closed', NULL);
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
CREATE TRIGGER key_stays_retired BEFORE UPDATE OF retires_at ON api_keys
WHEN OLD.retires_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')
  AND (NEW.retires_at IS NULL OR NEW.retires_at > OLD.retires_at)
BEGIN
  SELECT RAISE(ABORT, 'a retired key stays retired; create another key instead');
END;
CREATE INDEX api_keys_listed ON api_keys (workspace_id, created_at, id, revoked_at, expires_at, retires_at, paused_at);
CREATE INDEX api_keys_replacing ON api_keys (replaces, workspace_id) WHERE replaces IS NOT NULL;
CREATE INDEX audit_by_subject ON audit (workspace_id, subject, at, number);
CREATE INDEX connection_tokens_by_key ON connection_tokens (key_id, expires_at);
CREATE INDEX connection_tokens_by_end ON connection_tokens (expires_at);
CREATE INDEX request_log_by_key ON request_log (key_id, id);
CREATE INDEX request_log_by_time ON request_log (workspace_id, at, id);
CREATE INDEX request_log_not_ok ON request_log (workspace_id, outcome, at, id) WHERE outcome <> 'ok';
CREATE TRIGGER request_log_bounded_by_key AFTER INSERT ON request_log WHEN NEW.number % 50 = 0 BEGIN
  DELETE FROM request_log WHERE id IN (
    SELECT id FROM request_log WHERE key_id = NEW.key_id ORDER BY id DESC LIMIT -1 OFFSET 1000
  );
END;
CREATE TRIGGER request_log_bounded_by_age AFTER INSERT ON request_log BEGIN
  DELETE FROM request_log WHERE id IN (
    SELECT id FROM (SELECT id, at FROM request_log ORDER BY id LIMIT 2) WHERE at < strftime('%Y-%m-%dT%H:%M:%fZ', NEW.at, '-7 days')
  );
END;
CREATE INDEX notice_events_by_message ON notice_events (message_id, workspace_id);
CREATE INDEX notice_events_by_time ON notice_events (workspace_id, at);
CREATE INDEX notice_deliveries_due ON notice_deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_by_time ON notice_deliveries (workspace_id, created_at);
CREATE TRIGGER workspace_notices_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM notice_settings WHERE workspace_id = OLD.id;
  DELETE FROM notice_recipients WHERE workspace_id = OLD.id;
  DELETE FROM notice_events WHERE workspace_id = OLD.id;
  DELETE FROM notice_deliveries WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER member_notices_deleted AFTER DELETE ON members BEGIN
  DELETE FROM notice_recipients WHERE workspace_id = OLD.workspace_id AND email = OLD.email;
  DELETE FROM notice_deliveries WHERE workspace_id = OLD.workspace_id AND recipient = OLD.email;
END;
CREATE INDEX api_keys_by_expiry ON api_keys (workspace_id, expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX passkeys_of_email ON passkeys (email);
CREATE VIEW request_log_excess AS
WITH sizes AS MATERIALIZED (
  SELECT workspace_id, count(*) AS size FROM request_log
  WHERE (SELECT count(*) FROM request_log) > 500000 GROUP BY workspace_id
), numbered AS (
  SELECT size, count(*) OVER () AS workspaces, row_number() OVER smaller - 1 AS number, sum(size) OVER smaller - size AS taken
  FROM sizes WINDOW smaller AS (ORDER BY size ROWS UNBOUNDED PRECEDING)
), shares AS MATERIALIZED (
  SELECT max((500000 - taken) / (workspaces - number)) AS share FROM numbered
), newest AS MATERIALIZED (
  SELECT workspace_id AS workspace, (
    SELECT id FROM request_log WHERE workspace_id = sizes.workspace_id ORDER BY at DESC, id DESC
    LIMIT 1 OFFSET (SELECT share FROM shares)
  ) AS newest_id
  FROM sizes, shares WHERE size > share
)
SELECT r.id FROM newest CROSS JOIN request_log AS n ON n.id = newest_id
CROSS JOIN request_log AS r ON r.workspace_id = workspace AND (r.at, r.id) <= (n.at, n.id);
CREATE TRIGGER request_log_bounded_in_all AFTER INSERT ON request_log WHEN NEW.id % 10000 = 0 BEGIN
  DELETE FROM request_log WHERE id IN (SELECT id FROM request_log_excess);
END;
CREATE TRIGGER member_inserted_checked BEFORE INSERT ON members
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE INDEX api_keys_leaked ON api_keys (workspace_id, leaked_at) WHERE leaked_at IS NOT NULL;
CREATE INDEX api_keys_refused ON api_keys (workspace_id, last_refused_at) WHERE last_refused_at IS NOT NULL;
CREATE INDEX key_use_by_day ON key_use (day);
CREATE INDEX list_items_in_order ON list_items (workspace_id, list, sort_key, seq, shown_from) WHERE sort_key IS NOT NULL;
CREATE INDEX list_items_shown_later ON list_items (workspace_id, list, shown_from) WHERE shown_from IS NOT NULL;
CREATE TRIGGER list_items_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM list_items WHERE workspace_id = OLD.id;
  DELETE FROM stored_lists WHERE workspace_id = OLD.id;
END;
CREATE TRIGGER tasks_inserted AFTER INSERT ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id = rtrim(NEW.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = NEW.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;
CREATE TRIGGER tasks_updated AFTER UPDATE OF "seq", "workspace_id", "source", "id", "title", "details", "due_at", "book_key", "assignee_name", "assignee_email", "source_session_id", "source_title", "source_summary", "source_kind", "status", "snoozed_until", "created_at" ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id IN (rtrim(OLD.workspace_id, '~'), rtrim(NEW.workspace_id, '~')) AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;
CREATE TRIGGER tasks_deleted AFTER DELETE ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id = rtrim(OLD.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = OLD.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;
CREATE TRIGGER tasks_placed AFTER INSERT ON "tasks" WHEN NEW.seq < 0 AND NEW.workspace_id NOT GLOB '*~' BEGIN
  UPDATE "tasks" SET seq = seq + 4611686018427387904 WHERE seq = NEW.seq;
END;
CREATE TRIGGER tasks_workspace_checked BEFORE INSERT ON "tasks" WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = rtrim(NEW.workspace_id, '~')) BEGIN
  SELECT RAISE(ABORT, 'tasks_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER tasks_workspace_deleted AFTER DELETE ON workspaces WHEN (SELECT count(*) FROM (SELECT 1 FROM "tasks" WHERE workspace_id = OLD.id LIMIT 5001)) <= 5000 BEGIN
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
CREATE INDEX tasks_of_session ON tasks (workspace_id, source_session_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND source_session_id IS NOT NULL;
CREATE INDEX tasks_unassigned ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND assignee_name IS NULL AND assignee_email IS NULL;
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
CREATE VIRTUAL TABLE tasks_search USING fts5(text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram');
CREATE TRIGGER tasks_search_inserted AFTER INSERT ON "tasks" BEGIN
  DELETE FROM tasks_search WHERE rowid = NEW.seq;
  INSERT INTO tasks_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") WHERE NEW.seq > 0 AND NEW.status = 'open';
END;
CREATE TRIGGER tasks_search_updated AFTER UPDATE OF seq, workspace_id, status, "title", "details", "book_key", "assignee_name", "source_title", "source_summary" ON "tasks" WHEN (OLD.seq, OLD.workspace_id, OLD.status, OLD."title", OLD."details", OLD."book_key", OLD."assignee_name", OLD."source_title", OLD."source_summary") IS NOT (NEW.seq, NEW.workspace_id, NEW.status, NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") BEGIN
  DELETE FROM tasks_search WHERE rowid = OLD.seq;
  INSERT INTO tasks_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") WHERE NEW.seq > 0 AND NEW.status = 'open';
END;
CREATE TRIGGER tasks_search_deleted AFTER DELETE ON "tasks" BEGIN
  DELETE FROM tasks_search WHERE rowid = OLD.seq;
END;
CREATE TRIGGER orders_inserted AFTER INSERT ON "orders" BEGIN
  SELECT RAISE(ABORT, 'orders_frozen: a large import or sync of these orders is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'orders' AND workspace_id = rtrim(NEW.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = NEW.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'orders' AND workspace_id = revisions.workspace_id);
END;
CREATE TRIGGER orders_updated AFTER UPDATE OF "seq", "workspace_id", "source", "id", "supplier", "link", "total", "pieces", "tags", "delivery_at", "urgent", "status", "day" ON "orders" BEGIN
  SELECT RAISE(ABORT, 'orders_frozen: a large import or sync of these orders is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'orders' AND workspace_id IN (rtrim(OLD.workspace_id, '~'), rtrim(NEW.workspace_id, '~')) AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'orders' AND workspace_id = revisions.workspace_id);
END;
CREATE TRIGGER orders_deleted AFTER DELETE ON "orders" BEGIN
  SELECT RAISE(ABORT, 'orders_frozen: a large import or sync of these orders is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'orders' AND workspace_id = rtrim(OLD.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = OLD.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'orders' AND workspace_id = revisions.workspace_id);
END;
CREATE TRIGGER orders_placed AFTER INSERT ON "orders" WHEN NEW.seq < 0 AND NEW.workspace_id NOT GLOB '*~' BEGIN
  UPDATE "orders" SET seq = seq + 4611686018427387904 WHERE seq = NEW.seq;
END;
CREATE TRIGGER orders_workspace_checked BEFORE INSERT ON "orders" WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = rtrim(NEW.workspace_id, '~')) BEGIN
  SELECT RAISE(ABORT, 'orders_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
CREATE TRIGGER orders_workspace_deleted AFTER DELETE ON workspaces WHEN (SELECT count(*) FROM (SELECT 1 FROM "orders" WHERE workspace_id = OLD.id LIMIT 5001)) <= 5000 BEGIN
  DELETE FROM "orders" WHERE workspace_id = OLD.id;
END;
CREATE INDEX orders_of_source ON "orders" (workspace_id, source, id) WHERE source IS NOT NULL;
CREATE INDEX orders_in_order ON "orders" (workspace_id, "delivery_at" IS NULL, "delivery_at", "supplier", seq, "status", CAST(json_object('id', "id", 'supplier', "supplier", 'link', "link", 'total', "total", 'pieces', "pieces", 'tags', json(iif(json_valid("tags"), "tags", NULL)), 'deliveryAt', "delivery_at", 'urgent', json(CASE "urgent" WHEN 0 THEN 'false' WHEN 1 THEN 'true' END), 'status', "status", 'day', "day") AS TEXT))
  WHERE "status" IN ('draft', 'sent');
CREATE INDEX orders_by_supplier ON "orders" (workspace_id, "supplier", "delivery_at" IS NULL, "delivery_at", seq, "status")
  WHERE "status" IN ('draft', 'sent');
CREATE INDEX orders_by_status ON "orders" (workspace_id, "status", "delivery_at" IS NULL, "delivery_at", "supplier", seq, "status")
  WHERE "status" IN ('draft', 'sent');
CREATE VIRTUAL TABLE orders_search USING fts5(text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram');
CREATE TRIGGER orders_search_inserted AFTER INSERT ON "orders" BEGIN
  DELETE FROM orders_search WHERE rowid = NEW.seq;
  INSERT INTO orders_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."supplier") WHERE NEW.seq > 0;
END;
CREATE TRIGGER orders_search_updated AFTER UPDATE OF seq, workspace_id, "supplier" ON "orders" WHEN (OLD.seq, OLD.workspace_id, OLD."supplier") IS NOT (NEW.seq, NEW.workspace_id, NEW."supplier") BEGIN
  DELETE FROM orders_search WHERE rowid = OLD.seq;
  INSERT INTO orders_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."supplier") WHERE NEW.seq > 0;
END;
CREATE TRIGGER orders_search_deleted AFTER DELETE ON "orders" BEGIN
  DELETE FROM orders_search WHERE rowid = OLD.seq;
END;
CREATE TRIGGER key_kept BEFORE UPDATE ON api_keys
WHEN NEW.id <> OLD.id OR NEW.workspace_id <> OLD.workspace_id OR NEW.hash <> OLD.hash OR NEW.prefix <> OLD.prefix
  OR NEW.created_at <> OLD.created_at
BEGIN
  SELECT RAISE(ABORT, 'a key keeps its id, workspace, hash, prefix and time of creation; create another key instead');
END;
PRAGMA application_id = 0x5654524e; PRAGMA user_version = 35;
