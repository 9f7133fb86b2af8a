-- Where rows are synced from, and how that fares. A row of a resource's table names its source; this table says what is known of it.
CREATE TABLE vitrine.sources (
  workspace_id  text NOT NULL,
  table_name    text NOT NULL,
  name          text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  created_at    timestamptz NOT NULL,
  -- The last success, also of a snapshot that changed nothing; null before the first.
  synced_at     timestamptz,
  attempted_at  timestamptz,
  -- Null while all is well; then the first of the failures in a row, their number, and what the last one said.
  failing_since timestamptz,
  failure       text CHECK (char_length(failure) <= 500),
  failures      integer NOT NULL DEFAULT 0,
  -- Null unless it is synced again and again.
  every_seconds integer,
  -- For people to read: a file, stdin, or a URL without its secrets.
  location      text CHECK (char_length(location) <= 500),
  -- What the server of a URL said of its last snapshot; it holds for this question, while the workspace has this revision.
  etag          text,
  last_modified text,
  question      text,
  revision      bigint,
  row_count     bigint,
  PRIMARY KEY (workspace_id, table_name, name)
);
