-- Shows an application's own tables: here, a shop's teams and todos as workspaces and tasks.
--
--   shop.team (id uuid PRIMARY KEY, handle text, title text, tz text, currency text, country text, closed boolean, created timestamptz)
--   shop.todo (id uuid PRIMARY KEY, team uuid NOT NULL REFERENCES shop.team, subject text, note text, due timestamptz, done boolean,
--              hidden_until timestamptz, assignee text, created timestamptz)
--
-- Replace them with your own tables. Run as the operator's role, after 'vitrine migrate' and own-tables-grants.sql, and again whenever
-- you change a view.
BEGIN ISOLATION LEVEL READ COMMITTED;

-- CREATE TRIGGER makes writers wait until COMMIT, so that no write is lost between the triggers and the first copy. If it has to wait
-- for a writer itself, it gives up before PostgreSQL (deadlock_timeout, 1 s) could abort the application's transaction: run it again.
-- It may wait this long for each table, so use a smaller value with more than two tables.
SET LOCAL lock_timeout = '300ms';

-- One trigger for each kind of statement, starting with one on each table, which locks it. follow() takes the table and the source, and
-- the key's column if it is not id.
CREATE OR REPLACE TRIGGER vitrine_insert AFTER INSERT ON shop.team
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');
CREATE OR REPLACE TRIGGER vitrine_insert AFTER INSERT ON shop.todo
  REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');

CREATE OR REPLACE TRIGGER vitrine_update AFTER UPDATE ON shop.team
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');
CREATE OR REPLACE TRIGGER vitrine_delete AFTER DELETE ON shop.team
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');
CREATE OR REPLACE TRIGGER vitrine_truncate AFTER TRUNCATE ON shop.team
  FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');

CREATE OR REPLACE TRIGGER vitrine_update AFTER UPDATE ON shop.todo
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
CREATE OR REPLACE TRIGGER vitrine_delete AFTER DELETE ON shop.todo
  REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
CREATE OR REPLACE TRIGGER vitrine_truncate AFTER TRUNCATE ON shop.todo
  FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');

-- The views define what is shown. They are named vitrine.<table>_from_<source> and have the columns of vitrine.workspaces and
-- vitrine.tasks; omitted columns get their default. Times without a time zone are in UTC; a date means the end of that day in the
-- workspace's timezone, or its beginning for created_at.
DROP VIEW IF EXISTS vitrine.workspaces_from_shop, vitrine.tasks_from_shop;
CREATE VIEW vitrine.workspaces_from_shop AS
SELECT id, handle AS slug, title AS name, tz AS timezone, currency AS currency_code, country AS country_code, created AS created_at,
       CASE WHEN closed THEN now() END AS archived_at
FROM shop.team;

CREATE VIEW vitrine.tasks_from_shop AS
SELECT id, team AS workspace_id, subject AS title, note AS details, due AS due_at, assignee AS assignee_email,
       CASE WHEN done THEN 'completed' ELSE 'open' END AS status, hidden_until AS snoozed_until, created AS created_at
FROM shop.todo;

-- Shows the existing rows.
SELECT vitrine.show_all('shop');

COMMIT;
