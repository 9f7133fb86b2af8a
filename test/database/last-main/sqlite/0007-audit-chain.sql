-- Each entry of the audit carries a hash over itself and the hash of the entry before it in its workspace: ../../audit-chain.ts
-- says over what exactly. audit_hash() is that function; the program lends it to this migration.

CREATE TABLE audit_heads (
  workspace_id   TEXT PRIMARY KEY,
  number         INTEGER NOT NULL,
  hash           TEXT NOT NULL,
  -- The chain begins after this entry, if older ones were removed.
  trimmed_number INTEGER NOT NULL DEFAULT 0,
  trimmed_hash   TEXT NOT NULL DEFAULT '0000000000000000000000000000000000000000000000000000000000000000'
) STRICT, WITHOUT ROWID;

DROP INDEX audit_of_workspace;
DROP INDEX audit_by_time;
ALTER TABLE audit RENAME TO audit_unchained;
CREATE TABLE audit (
  id            INTEGER PRIMARY KEY,
  at            TEXT NOT NULL,
  workspace_id  TEXT NOT NULL,
  actor         TEXT NOT NULL,
  action        TEXT NOT NULL,
  subject       TEXT NOT NULL,
  detail        TEXT NOT NULL,
  number        INTEGER NOT NULL,
  previous_hash TEXT NOT NULL,
  hash          TEXT NOT NULL,
  UNIQUE (workspace_id, number)
) STRICT;

-- With an index, so that each step of the chain finds its entry at once.
CREATE TABLE audit_numbered AS
  SELECT *, row_number() OVER (PARTITION BY workspace_id ORDER BY id) AS number FROM audit_unchained;
CREATE UNIQUE INDEX audit_numbers ON audit_numbered (workspace_id, number);
WITH RECURSIVE chain AS (
  SELECT *, hex(zeroblob(32)) AS previous_hash,
         audit_hash(workspace_id, number, hex(zeroblob(32)), at, actor, action, subject, detail) AS hash
  FROM audit_numbered WHERE number = 1
  UNION ALL
  SELECT e.*, c.hash, audit_hash(e.workspace_id, e.number, c.hash, e.at, e.actor, e.action, e.subject, e.detail)
  FROM chain c JOIN audit_numbered e ON e.workspace_id = c.workspace_id AND e.number = c.number + 1
)
INSERT INTO audit (id, at, workspace_id, actor, action, subject, detail, number, previous_hash, hash)
SELECT id, at, workspace_id, actor, action, subject, detail, number, previous_hash, hash FROM chain;
DROP TABLE audit_numbered;
DROP TABLE audit_unchained;

INSERT INTO audit_heads (workspace_id, number, hash)
SELECT workspace_id, number, hash FROM audit
WHERE (workspace_id, number) IN (SELECT workspace_id, max(number) FROM audit GROUP BY workspace_id);

CREATE INDEX audit_by_time ON audit (workspace_id, at, number);

CREATE TRIGGER audit_unchanging BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'audit entries are never changed');
END;
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
WHEN OLD.number > coalesce((SELECT trimmed_number FROM audit_heads WHERE workspace_id = OLD.workspace_id), 0) BEGIN
  SELECT RAISE(ABORT, 'audit entries are never removed before their chain is trimmed');
END;
