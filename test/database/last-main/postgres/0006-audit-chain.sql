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
  chain_of text;
  chain_number bigint;
  chain_hash text;
  hash_before text;
BEGIN
  UPDATE vitrine.audit SET at = date_trunc('milliseconds', at) WHERE at <> date_trunc('milliseconds', at);
  FOR entry IN SELECT * FROM vitrine.audit ORDER BY workspace_id, id LOOP
    IF chain_of IS DISTINCT FROM entry.workspace_id THEN
      chain_of := entry.workspace_id;
      chain_number := 0;
      chain_hash := repeat('0', 64);
    END IF;
    chain_number := chain_number + 1;
    hash_before := chain_hash;
    chain_hash := encode(sha256(convert_to(concat('["vitrine-audit-1",', to_json(chain_of), ',', chain_number, ',"', hash_before, '","',
      to_char(entry.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '",', to_json(entry.actor), ',',
      to_json(entry.action), ',', to_json(entry.subject), ',', to_json(entry.detail), ']'), 'UTF8')), 'hex');
    UPDATE vitrine.audit SET number = chain_number, previous_hash = hash_before, hash = chain_hash WHERE id = entry.id;
  END LOOP;
  -- Once, at the end: a head updated for each entry would leave as many dead rows, which each update reads through.
  INSERT INTO vitrine.audit_heads (workspace_id, number, hash)
    SELECT DISTINCT ON (workspace_id) workspace_id, number, hash FROM vitrine.audit ORDER BY workspace_id, number DESC;
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
