-- The rows of all lists, and the definition for which each list was stored: see src/lists/stored/write.ts.
CREATE TABLE stored_lists (
  workspace_id TEXT NOT NULL,
  list         TEXT NOT NULL,
  shape        TEXT NOT NULL,
  last_seq     INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, list)
) STRICT, WITHOUT ROWID;

-- `words` come before `body`, so that a search reads no more than it must.
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
CREATE INDEX list_items_in_order ON list_items (workspace_id, list, sort_key, seq, shown_from) WHERE sort_key IS NOT NULL;
CREATE INDEX list_items_shown_later ON list_items (workspace_id, list, shown_from) WHERE shown_from IS NOT NULL;

CREATE TRIGGER list_items_workspace_deleted AFTER DELETE ON workspaces BEGIN
  DELETE FROM list_items WHERE workspace_id = OLD.id;
  DELETE FROM stored_lists WHERE workspace_id = OLD.id;
END;
