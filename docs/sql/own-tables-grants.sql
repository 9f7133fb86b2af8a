-- What Vitrine needs of an application's tables: to read them, and to put triggers on them. Run as the owner of the tables, once. The
-- application's own roles need nothing of Vitrine.
GRANT USAGE ON SCHEMA shop TO vitrine_operator;
GRANT SELECT, TRIGGER ON shop.team, shop.todo TO vitrine_operator;
