-- A table that an application has in the same database, and whether this role may read it and create triggers on it.
SELECT c.oid::text AS oid, relkind AS kind, pg_get_userbyid(relowner) AS owner, current_user AS role,
       has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'TRIGGER') AS "isGranted"
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace
WHERE nspname = ? AND relname = ? AND relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname <> 'vitrine'
