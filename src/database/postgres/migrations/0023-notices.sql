-- What a workspace's owners want to be told, and where. A workspace without a row has no notices.
CREATE TABLE vitrine.notice_settings (
  workspace_id    text PRIMARY KEY REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  -- Separated by spaces.
  kinds           text NOT NULL,
  webhook_url     text,
  -- Signs each webhook, so it is stored as it is.
  webhook_secret  text,
  unsubscribe_key text NOT NULL,
  -- How far the audit log, the incidents and the keys' expiries have been read.
  audit_seen      bigint NOT NULL,
  incidents_seen  timestamptz NOT NULL,
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

CREATE INDEX api_keys_by_expiry ON vitrine.api_keys (workspace_id, expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
