-- Whoever writes to a workspace moves its revision: see moveRevision in src/database/statements.ts.
DROP TRIGGER workspace_inserted;
DROP TRIGGER workspace_updated;
DROP TRIGGER workspace_deleted;
