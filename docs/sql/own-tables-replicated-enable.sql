-- Makes the triggers of own-tables-replicated.sql fire only for replicated rows. Run as the owner of the tables, the only role that can
-- do this, after every run of that file.
ALTER TABLE shop.team ENABLE REPLICA TRIGGER vitrine_replicated, ENABLE REPLICA TRIGGER vitrine_replicated_truncate;
ALTER TABLE shop.todo ENABLE REPLICA TRIGGER vitrine_replicated, ENABLE REPLICA TRIGGER vitrine_replicated_truncate;
