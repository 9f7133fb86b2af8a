-- For whoever writes besides Vitrine: logical replication, and applications with tables of their own.

-- Statement triggers do not fire where logical replication applies rows. The revision moves once a transaction, however many rows it
-- has: were it to move with each, every move would have to step over all those before it.
CREATE FUNCTION vitrine.move_revisions_replicated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.revisions SET number = vitrine.next_revision(number)
  WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND xmin <> pg_current_xact_id()::xid;
  RETURN NULL;
END $$;
ALTER TABLE vitrine.workspaces ENABLE ALWAYS TRIGGER workspace_changed;
ALTER TABLE vitrine.workspaces ENABLE ALWAYS TRIGGER workspaces_truncated;
