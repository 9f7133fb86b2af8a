-- Two roles: the operator's owns the schema, the server's can look and count. Run as a superuser, once, before the first
-- 'vitrine migrate'; then run 'vitrine migrate' with the operator's role. Give both a password of your own.
CREATE ROLE vitrine_operator LOGIN;
CREATE ROLE vitrine_server LOGIN;
-- The server says so itself when it connects, but a pooler in between does not pass it on.
ALTER ROLE vitrine_server SET statement_timeout = '2s';

CREATE SCHEMA vitrine AUTHORIZATION vitrine_operator;
GRANT USAGE ON SCHEMA vitrine TO vitrine_server;

-- Whatever the operator's role makes there, now and in later versions, the server's role may read ...
ALTER DEFAULT PRIVILEGES FOR ROLE vitrine_operator IN SCHEMA vitrine GRANT SELECT ON TABLES TO vitrine_server;
