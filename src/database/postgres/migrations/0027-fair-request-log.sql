-- As before, except for what the log has over 500,000 requests. Removed are the oldest of each workspace that has more than its share.
-- The share is the largest number with which all fit, so a busy workspace takes nothing from others. If the workspaces are numbered
-- by size, from 0, it is the largest quotient of what the smaller ones leave free, and the number of those that are not smaller.
CREATE OR REPLACE FUNCTION vitrine.bound_requests() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  added record;
  full_key text;
  large record;
BEGIN
  SELECT count(*) AS rows, min(id) AS first, max(id) AS last, max(at) AS at INTO added FROM new_rows;
  FOR full_key IN SELECT DISTINCT key_id FROM new_rows WHERE number % 50 = 0 LOOP
    DELETE FROM vitrine.request_log WHERE id IN (SELECT id FROM vitrine.request_log WHERE id IN (
      SELECT id FROM vitrine.request_log WHERE key_id = full_key ORDER BY id DESC OFFSET 1000
    ) FOR UPDATE SKIP LOCKED);
  END LOOP;
  DELETE FROM vitrine.request_log WHERE id IN (SELECT id FROM vitrine.request_log WHERE id IN (
    SELECT id FROM (SELECT id, at FROM vitrine.request_log ORDER BY id LIMIT 2 * added.rows) AS oldest
    WHERE oldest.at < added.at - interval '7 days'
  ) FOR UPDATE SKIP LOCKED);
  IF added.last / 10000 > (added.first - 1) / 10000 AND (SELECT count(*) FROM vitrine.request_log) > 500000 THEN
    FOR large IN
      WITH sizes AS (
        SELECT workspace_id, count(*) AS size FROM vitrine.request_log GROUP BY workspace_id
      ), numbered AS (
        SELECT size, count(*) OVER () AS workspaces, row_number() OVER smaller - 1 AS number, sum(size) OVER smaller - size AS taken
        FROM sizes WINDOW smaller AS (ORDER BY size ROWS UNBOUNDED PRECEDING)
      ), shares AS (
        SELECT max(floor((500000 - taken) / (workspaces - number))) AS share FROM numbered
      )
      SELECT workspace_id, share FROM sizes, shares WHERE size > share
    LOOP
      DELETE FROM vitrine.request_log WHERE id IN (SELECT id FROM vitrine.request_log WHERE id IN (
        SELECT id FROM vitrine.request_log WHERE workspace_id = large.workspace_id ORDER BY at DESC, id DESC OFFSET large.share
      ) FOR UPDATE SKIP LOCKED);
    END LOOP;
  END IF;
  RETURN NULL;
END $$;
