-- Two roles: the operator's owns the schema, the server's can read and count. Run as a superuser, once, before the first
-- 'vitrine migrate'; then run 'vitrine migrate' with the operator's role. Set a password for both.
CREATE ROLE vitrine_operator LOGIN;
CREATE ROLE vitrine_server LOGIN;
-- The server sets this itself when it connects, but a pooler does not pass it on. Commands turn it off.
ALTER ROLE vitrine_server SET statement_timeout = '2s';

CREATE SCHEMA vitrine AUTHORIZATION vitrine_operator;
GRANT USAGE ON SCHEMA vitrine TO vitrine_server;

-- The server's role may read every table that the operator's role creates there, now and in later versions.
ALTER DEFAULT PRIVILEGES FOR ROLE vitrine_operator IN SCHEMA vitrine GRANT SELECT ON TABLES TO vitrine_server;
-- PostgreSQL lets everyone execute a new function. 'vitrine migrate' revokes that for its own functions; this covers others in the schema.
ALTER DEFAULT PRIVILEGES FOR ROLE vitrine_operator REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
