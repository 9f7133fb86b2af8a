-- Whose rows, of which table, are being changed in many steps: readers get a copy of them, as they were. See large-change.ts.
-- is_writing is 1 only within the transactions of the program that makes the change.
CREATE TABLE frozen (
  workspace_id TEXT NOT NULL,
  table_name   TEXT NOT NULL,
  is_writing   INTEGER NOT NULL CHECK (is_writing IN (0, 1)),
  PRIMARY KEY (workspace_id, table_name)
) STRICT, WITHOUT ROWID;
