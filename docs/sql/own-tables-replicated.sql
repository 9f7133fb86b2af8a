-- Only where logical replication fills the application's tables in this database: the triggers of own-tables.sql do not fire for
-- replicated rows, these fire for nothing else. Run as the owner of the tables, after own-tables.sql.
CREATE OR REPLACE TRIGGER vitrine_replicated AFTER INSERT OR UPDATE OR DELETE ON shop.team
  FOR EACH ROW EXECUTE FUNCTION vitrine.follow('workspaces', 'shop');
CREATE OR REPLACE TRIGGER vitrine_replicated AFTER INSERT OR UPDATE OR DELETE ON shop.todo
  FOR EACH ROW EXECUTE FUNCTION vitrine.follow('tasks', 'shop');
ALTER TABLE shop.team ENABLE REPLICA TRIGGER vitrine_replicated, ENABLE ALWAYS TRIGGER vitrine_truncate;
ALTER TABLE shop.todo ENABLE REPLICA TRIGGER vitrine_replicated, ENABLE ALWAYS TRIGGER vitrine_truncate;
