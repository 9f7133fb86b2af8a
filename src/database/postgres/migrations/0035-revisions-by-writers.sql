-- Whoever writes to a workspace moves its revision: see moveRevision in src/database/statements.ts.
DROP TRIGGER workspace_changed ON vitrine.workspaces;
DROP FUNCTION vitrine.move_revision_of_workspace;
