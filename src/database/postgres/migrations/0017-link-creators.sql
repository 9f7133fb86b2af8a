-- Who created the link that opened a session, and those through whose links its creator was signed in, separated by spaces.
-- Known of earlier sessions from the audit log; a session that reaches one workspace ends without it.
ALTER TABLE vitrine.sessions ADD COLUMN link_by text;
UPDATE vitrine.sessions SET link_by = (
  SELECT max(detail::json ->> 'createdBy') FROM vitrine.audit
  WHERE audit.workspace_id = sessions.workspace_id AND audit.at = sessions.started_at
    AND audit.action = 'session.started' AND audit.subject = sessions.email
) WHERE workspace_id IS NOT NULL;
