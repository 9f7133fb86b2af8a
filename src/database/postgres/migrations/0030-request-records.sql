-- A workspace's requests are summed up from those of its keys.
DROP TABLE vitrine.workspace_use;
DROP FUNCTION vitrine.bound_workspace_use;
