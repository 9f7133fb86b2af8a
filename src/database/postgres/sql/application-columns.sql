-- The columns of a table that an application has in the same database.
WITH RECURSIVE bases (oid, base) AS (
  SELECT oid, oid FROM pg_type WHERE typtype <> 'd'
  UNION ALL SELECT t.oid, base FROM pg_type AS t JOIN bases ON bases.oid = t.typbasetype WHERE typtype = 'd'
)
SELECT attname AS name, format_type(atttypid, atttypmod) AS type,
       CASE WHEN t.typcategory = 'A' THEN (SELECT typname || '[]' FROM pg_type WHERE oid = t.typelem) ELSE t.typname END AS base,
       (SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = base) AS labels,
       coalesce(bool_or(indisprimary), false) AS "isPrimaryKey", coalesce(attnotnull AND bool_or(indisunique), false) AS "isUnique"
FROM pg_attribute JOIN bases ON bases.oid = atttypid JOIN pg_type AS t ON t.oid = base
LEFT JOIN pg_index ON indrelid = attrelid AND indnkeyatts = 1 AND indkey[0] = attnum AND indisvalid AND indpred IS NULL
WHERE attrelid = ?::oid AND attnum > 0 AND NOT attisdropped
GROUP BY attname, atttypid, atttypmod, attnotnull, attnum, bases.oid, base, t.oid ORDER BY attnum
