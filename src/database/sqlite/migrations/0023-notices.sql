-- What a workspace's owners want to be told, and where. A workspace without a row has no notices.
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
  incidents_seen  TEXT NOT NULL,
  expiries_seen   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Members who get mail. The hash is that of the token in their unsubscribe link.
CREATE TABLE notice_recipients (
  workspace_id TEXT NOT NULL,
  email        TEXT NOT NULL,
  token_hash   TEXT NOT NULL UNIQUE,
  PRIMARY KEY (workspace_id, email)
) STRICT, WITHOUT ROWID;

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
CREATE INDEX notice_events_by_message ON notice_events (message_id, workspace_id);
CREATE INDEX notice_events_by_time ON notice_events (workspace_id, at);

-- One message to one recipient: a member by mail, or the webhook if it is null.
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
