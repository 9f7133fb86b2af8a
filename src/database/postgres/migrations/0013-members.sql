-- A session of a link that a member created for somebody: it reaches this workspace alone. Null: all of the person's workspaces.
ALTER TABLE vitrine.sessions ADD COLUMN workspace_id text;

-- When a member last signed in to the workspace; as far as the audit log goes back, for those of before.
ALTER TABLE vitrine.members ADD COLUMN signed_in_at timestamptz;
UPDATE vitrine.members SET signed_in_at = (
  SELECT max(at) FROM vitrine.audit
  WHERE audit.workspace_id = members.workspace_id AND audit.action = 'session.started' AND audit.subject = members.email
);

CREATE FUNCTION vitrine.check_member_sign_in() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.signed_in_at < '0001-01-01 00:00:00+00' OR NEW.signed_in_at >= '10000-01-01 00:00:00+00' THEN
    PERFORM vitrine.refuse('members', 'members_signed_in_at_in_years_1_to_9999: signed_in_at must be a time in the years 1 to 9999');
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER member_sign_in_checked BEFORE INSERT OR UPDATE OF signed_in_at ON vitrine.members
  FOR EACH ROW EXECUTE FUNCTION vitrine.check_member_sign_in();
