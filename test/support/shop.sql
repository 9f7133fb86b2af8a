-- An application of its own, as docs/sql/own-tables.sql describes it; it knows nothing of Vitrine.
CREATE ROLE shop_owner LOGIN;
CREATE ROLE shop_app LOGIN;
CREATE SCHEMA shop AUTHORIZATION shop_owner;
SET ROLE shop_owner;
CREATE TABLE shop.team (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), handle text, title text, tz text, currency text, country text,
  closed boolean NOT NULL DEFAULT false, created timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE shop.todo (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), team uuid NOT NULL REFERENCES shop.team ON UPDATE CASCADE, subject text, note text,
  due timestamptz, done boolean NOT NULL DEFAULT false, hidden_until timestamptz, assignee text,
  created timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX ON shop.todo (team);
GRANT USAGE ON SCHEMA shop TO shop_app;
GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA shop TO shop_app;
RESET ROLE;
