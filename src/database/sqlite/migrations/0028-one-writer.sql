-- Only Vitrine's own commands write here, and they check every value. The database itself still keeps ended keys ended and audit
-- entries unchanged.
DROP TRIGGER workspace_inserted_checked;
DROP TRIGGER workspace_updated_checked;
DROP TRIGGER workspace_kept;
DROP TRIGGER member_inserted_checked;
DROP TRIGGER member_updated_checked;
DROP TRIGGER member_inserted_sign_in_checked;
DROP TRIGGER member_updated_sign_in_checked;
DROP TRIGGER key_inserted_checked;
DROP TRIGGER key_updated_checked;
DROP TRIGGER key_inserted_times_checked;
DROP TRIGGER key_updated_times_checked;
DROP TRIGGER source_updated_checked;
DROP TABLE currency_codes;
DROP TABLE country_codes;
ALTER TABLE workspaces DROP COLUMN source;

-- In place of a foreign key, which SQLite enforces only on connections that ask for it.
CREATE TRIGGER member_inserted_checked BEFORE INSERT ON members
WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) BEGIN
  SELECT RAISE(ABORT, 'members_workspace_exists: workspace_id must be the id of a workspace that exists');
END;
