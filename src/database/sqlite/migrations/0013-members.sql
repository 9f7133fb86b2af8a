-- A session of a link that a member created for somebody: it reaches this workspace alone. Null: all of the person's workspaces.
ALTER TABLE sessions ADD COLUMN workspace_id TEXT;

-- When a member last signed in to the workspace; as far as the audit log goes back, for those of before.
ALTER TABLE members ADD COLUMN signed_in_at TEXT;
UPDATE members SET signed_in_at = (
  SELECT max(at) FROM audit
  WHERE audit.workspace_id = members.workspace_id AND audit.action = 'session.started' AND audit.subject = members.email
);
