-- The privileges of the current role, and of the one that docs/sql/roles.sql creates for the server.
WITH roles AS (
  SELECT oid AS role, rolname, pg_has_role(oid, (SELECT relowner FROM pg_class WHERE oid = to_regclass('vitrine.migrations')), 'USAGE') AS owns
  FROM pg_roles
  WHERE rolname = current_user OR rolname = 'vitrine_server' AND has_schema_privilege(rolname, 'vitrine', 'USAGE')
), tables AS (SELECT oid, relname FROM pg_class WHERE relnamespace = 'vitrine'::regnamespace AND relkind = 'r')
SELECT rolname AS role, owns, what, relname AS "table", attname AS "column", has_column_privilege(role, tables.oid, attnum, what) AS has
FROM roles, tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped,
  unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS what
UNION ALL
SELECT rolname, owns, what, relname, NULL, has_table_privilege(role, tables.oid, what)
FROM roles, tables, unnest(ARRAY['DELETE', 'TRUNCATE', 'TRIGGER']) AS what
UNION ALL
SELECT rolname, owns, 'EXECUTE', proname, NULL, has_function_privilege(role, pg_proc.oid, 'EXECUTE')
FROM roles, pg_proc WHERE pronamespace = 'vitrine'::regnamespace
ORDER BY 1, 4, 3, 5
