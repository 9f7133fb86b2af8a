-- A workspace's requests are summed up from those of its keys.
DROP TRIGGER workspace_use_workspace_deleted;
DROP TABLE workspace_use;
