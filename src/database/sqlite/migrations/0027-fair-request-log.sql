-- What the log has over 500,000 requests: the oldest of each workspace that has more than its share. The share is the largest number
-- with which all fit, so a busy workspace takes nothing from others. If the workspaces are numbered by size, from 0, it is the
-- largest quotient of what the smaller ones leave free, and the number of those that are not smaller.
CREATE VIEW request_log_excess AS
WITH sizes AS MATERIALIZED (
  SELECT workspace_id, count(*) AS size FROM request_log
  WHERE (SELECT count(*) FROM request_log) > 500000 GROUP BY workspace_id
), numbered AS (
  SELECT size, count(*) OVER () AS workspaces, row_number() OVER smaller - 1 AS number, sum(size) OVER smaller - size AS taken
  FROM sizes WINDOW smaller AS (ORDER BY size ROWS UNBOUNDED PRECEDING)
), shares AS MATERIALIZED (
  SELECT max((500000 - taken) / (workspaces - number)) AS share FROM numbered
), newest AS MATERIALIZED (
  SELECT workspace_id AS workspace, (
    SELECT id FROM request_log WHERE workspace_id = sizes.workspace_id ORDER BY at DESC, id DESC
    LIMIT 1 OFFSET (SELECT share FROM shares)
  ) AS newest_id
  FROM sizes, shares WHERE size > share
)
SELECT r.id FROM newest CROSS JOIN request_log AS n ON n.id = newest_id
CROSS JOIN request_log AS r ON r.workspace_id = workspace AND (r.at, r.id) <= (n.at, n.id);

-- Counted for every 10,000th request, as before.
DROP TRIGGER request_log_bounded_in_all;
CREATE TRIGGER request_log_bounded_in_all AFTER INSERT ON request_log WHEN NEW.id % 10000 = 0 BEGIN
  DELETE FROM request_log WHERE id IN (SELECT id FROM request_log_excess);
END;
