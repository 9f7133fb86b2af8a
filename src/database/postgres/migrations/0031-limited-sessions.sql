-- Sessions that reach one workspace and name no link's creator are from before creators were recorded. From now on they belong to
-- mailed invitations, whose sessions have none.
DELETE FROM vitrine.sessions WHERE workspace_id IS NOT NULL AND link_by IS NULL;
