-- A session of a link that a member created for somebody: it reaches this workspace alone. Null: all of the person's workspaces.
ALTER TABLE sessions ADD COLUMN workspace_id TEXT;

-- When a member last signed in to the workspace; as far as the audit log goes back, for those of before.
ALTER TABLE members ADD COLUMN signed_in_at TEXT;
UPDATE members SET signed_in_at = (
  SELECT max(at) FROM audit
  WHERE audit.workspace_id = members.workspace_id AND audit.action = 'session.started' AND audit.subject = members.email
);

CREATE TRIGGER member_inserted_sign_in_checked BEFORE INSERT ON members BEGIN
  SELECT CASE
    WHEN NEW.signed_in_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.signed_in_at < '0001' OR (NEW.signed_in_at IS NOT NULL AND julianday(NEW.signed_in_at) IS NULL)
      OR ((substr(NEW.signed_in_at, 9, 2) > '28' OR substr(NEW.signed_in_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.signed_in_at, '+0 days') IS NOT NEW.signed_in_at)
      THEN RAISE(ABORT, 'members_signed_in_at_in_years_1_to_9999: signed_in_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
CREATE TRIGGER member_updated_sign_in_checked BEFORE UPDATE OF signed_in_at ON members BEGIN
  SELECT CASE
    WHEN NEW.signed_in_at IS NOT OLD.signed_in_at AND (NEW.signed_in_at NOT GLOB '????-??-??T??:??:??.???Z' OR NEW.signed_in_at < '0001' OR (NEW.signed_in_at IS NOT NULL AND julianday(NEW.signed_in_at) IS NULL)
      OR ((substr(NEW.signed_in_at, 9, 2) > '28' OR substr(NEW.signed_in_at, 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW.signed_in_at, '+0 days') IS NOT NEW.signed_in_at))
      THEN RAISE(ABORT, 'members_signed_in_at_in_years_1_to_9999: signed_in_at must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;
