-- Lets Vitrine read an application's tables and put triggers on them. Run once, as the owner of the tables. The application's own roles
-- need no privileges in Vitrine.
GRANT USAGE ON SCHEMA shop TO vitrine_operator;
GRANT SELECT, TRIGGER ON shop.team, shop.todo TO vitrine_operator;
