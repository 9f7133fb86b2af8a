-- The rows of all lists, and the definition for which each list was stored: see src/lists/stored/write.ts.
CREATE TABLE vitrine.stored_lists (
  workspace_id text NOT NULL CONSTRAINT stored_lists_workspace_exists REFERENCES vitrine.workspaces (id) ON DELETE CASCADE,
  list         text NOT NULL,
  shape        text NOT NULL,
  last_seq     bigint NOT NULL,
  PRIMARY KEY (workspace_id, list)
);

-- Texts are compared byte by byte, as in SQLite.
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
CREATE INDEX list_items_shown_later ON vitrine.list_items (workspace_id, list, shown_from) WHERE shown_from IS NOT NULL;
