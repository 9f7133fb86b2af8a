-- A role that may set a mark in one table may set them in all, so a new table needs no grant by hand.
DO $$ DECLARE missing record; BEGIN
  FOR missing IN
    WITH marks AS (SELECT format('vitrine.%I', name)::regclass AS marked, key AS mark
                   FROM vitrine.resource_tables, json_each_text(columns::json) WHERE value LIKE 'mark:%'),
      roles AS (SELECT DISTINCT grantee::regrole AS role
                FROM marks JOIN pg_attribute ON attrelid = marked AND attname = mark, aclexplode(attacl)
                WHERE privilege_type = 'UPDATE' AND grantee <> 0)
    SELECT * FROM marks, roles WHERE NOT has_column_privilege(role, marked, mark, 'UPDATE')
  LOOP
    EXECUTE format('GRANT UPDATE (%I) ON %s TO %s', missing.mark, missing.marked, missing.role);
  END LOOP;
END $$
