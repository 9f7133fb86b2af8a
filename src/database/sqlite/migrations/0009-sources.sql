-- Where rows are synced from, and how that fares. A row of a resource's table names its source; this table says what is known of it.
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
