-- Shows an application's own tables: here the teams and todos of a shop, as workspaces and tasks.
--
--   shop.team (id uuid PRIMARY KEY, handle text, title text, tz text, currency text, country text, closed boolean, created timestamptz)
--   shop.todo (id uuid PRIMARY KEY, team uuid NOT NULL REFERENCES shop.team, subject text, note text, due timestamptz, done boolean,
--              hidden_until timestamptz, assignee text, created timestamptz)
--
-- Put your own tables in their place. Run as the operator's role, after 'vitrine migrate' and own-tables-grants.sql; again after every
-- change of a view.
BEGIN ISOLATION LEVEL READ COMMITTED;

-- CREATE TRIGGER keeps writers waiting until COMMIT, so that none falls between the triggers and the first copy. If it has to wait
-- for a writer itself, it gives up before PostgreSQL (deadlock_timeout, 1 s) could abort the application's transaction: run it again.
-- It may wait this long for each table, so with more than two tables make it less.
SET LOCAL lock_timeout = '300ms';

-- The triggers: one for each kind of statement, and first one on each table, which locks it. follow() is told the table and the source;
-- the key's column follows if it is not id.
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

-- The views say what is shown. Their names are vitrine.<table>_from_<source>, their columns those of vitrine.workspaces and
-- vitrine.tasks; a column that is left out has its default. Times without a time zone are taken to be in UTC.
DROP VIEW IF EXISTS vitrine.workspaces_from_shop, vitrine.tasks_from_shop;
CREATE VIEW vitrine.workspaces_from_shop AS
SELECT id, handle AS slug, title AS name, tz AS timezone, currency AS currency_code, country AS country_code, created AS created_at,
       CASE WHEN closed THEN now() END AS archived_at
FROM shop.team;

CREATE VIEW vitrine.tasks_from_shop AS
SELECT id, team AS workspace_id, subject AS title, note AS details, due AS due_at, assignee AS assignee_email,
       CASE WHEN done THEN 'completed' ELSE 'open' END AS status, hidden_until AS snoozed_until, created AS created_at
FROM shop.todo;

-- What is in the tables already.
SELECT vitrine.show_all('shop');

COMMIT;
