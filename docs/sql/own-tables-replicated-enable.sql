-- The triggers of own-tables-replicated.sql fire for replicated rows, and for nothing else. Run as the owner of the tables, who alone may
-- say so, after every run of that file.
ALTER TABLE shop.team ENABLE REPLICA TRIGGER vitrine_replicated, ENABLE REPLICA TRIGGER vitrine_replicated_truncate;
ALTER TABLE shop.todo ENABLE REPLICA TRIGGER vitrine_replicated, ENABLE REPLICA TRIGGER vitrine_replicated_truncate;
