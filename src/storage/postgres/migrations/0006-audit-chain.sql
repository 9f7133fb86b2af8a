-- Each entry of the audit carries a hash over itself and the hash of the entry before it in its workspace: ../../audit-chain.ts
-- says over what exactly.

CREATE TABLE vitrine.audit_heads (
  workspace_id   text PRIMARY KEY,
  number         bigint NOT NULL,
  hash           text NOT NULL,
  -- The chain begins after this entry, if older ones were removed.
  trimmed_number bigint NOT NULL DEFAULT 0,
  trimmed_hash   text NOT NULL DEFAULT repeat('0', 64)
) WITH (fillfactor = 50);

ALTER TABLE vitrine.audit ADD COLUMN number bigint, ADD COLUMN previous_hash text, ADD COLUMN hash text;

-- The entries of before, in the order in which they were made.
DO $$
DECLARE
  entry record;
  head record;
  entry_hash text;
BEGIN
  UPDATE vitrine.audit SET at = date_trunc('milliseconds', at) WHERE at <> date_trunc('milliseconds', at);
  FOR entry IN SELECT * FROM vitrine.audit ORDER BY id LOOP
    INSERT INTO vitrine.audit_heads AS h (workspace_id, number, hash) VALUES (entry.workspace_id, 1, repeat('0', 64))
      ON CONFLICT (workspace_id) DO UPDATE SET number = h.number + 1 RETURNING h.number, h.hash INTO head;
    entry_hash := encode(sha256(convert_to(concat('["vitrine-audit-1",', to_json(entry.workspace_id), ',', head.number, ',"', head.hash, '","',
      to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '",', to_json(entry.actor), ',',
      to_json(entry.action), ',', to_json(entry.subject), ',', to_json(entry.detail), ']'), 'UTF8')), 'hex');
    UPDATE vitrine.audit SET number = head.number, previous_hash = head.hash, hash = entry_hash WHERE id = entry.id;
    UPDATE vitrine.audit_heads SET hash = entry_hash WHERE workspace_id = entry.workspace_id;
  END LOOP;
END $$;

-- Milliseconds: what is finer is neither hashed nor shown, so it must not be there.
ALTER TABLE vitrine.audit
  ALTER COLUMN number SET NOT NULL, ALTER COLUMN previous_hash SET NOT NULL, ALTER COLUMN hash SET NOT NULL,
  ADD CONSTRAINT audit_number UNIQUE (workspace_id, number),
  ADD CONSTRAINT audit_at_milliseconds CHECK (at = date_trunc('milliseconds', at));
DROP INDEX vitrine.audit_of_workspace, vitrine.audit_by_time;
CREATE INDEX audit_by_time ON vitrine.audit (workspace_id, at, number);

CREATE FUNCTION vitrine.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' AND OLD.number <= (SELECT trimmed_number FROM vitrine.audit_heads WHERE workspace_id = OLD.workspace_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'audit entries are never changed, nor removed before their chain is trimmed' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_unchanging BEFORE UPDATE OR DELETE ON vitrine.audit
  FOR EACH ROW EXECUTE FUNCTION vitrine.refuse_audit_change();
CREATE TRIGGER audit_untruncated BEFORE TRUNCATE ON vitrine.audit
  FOR EACH STATEMENT EXECUTE FUNCTION vitrine.refuse_audit_change();
