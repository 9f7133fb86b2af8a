-- Where a workspace comes from, if not from a command: on PostgreSQL, an application's own tables. A copy takes it along.
ALTER TABLE workspaces ADD COLUMN source TEXT;
