-- Needed only if logical replication fills the application's tables in this database: the triggers of own-tables.sql do not fire for
-- replicated rows. Run as the operator's role, after own-tables.sql; then run own-tables-replicated-enable.sql.
CREATE OR REPLACE TRIGGER vitrine_replicated AFTER INSERT OR UPDATE OR DELETE ON shop.team
  FOR EACH ROW EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');
CREATE OR REPLACE TRIGGER vitrine_replicated_truncate AFTER TRUNCATE ON shop.team
  FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');
CREATE OR REPLACE TRIGGER vitrine_replicated AFTER INSERT OR UPDATE OR DELETE ON shop.todo
  FOR EACH ROW EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
CREATE OR REPLACE TRIGGER vitrine_replicated_truncate AFTER TRUNCATE ON shop.todo
  FOR EACH STATEMENT EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
