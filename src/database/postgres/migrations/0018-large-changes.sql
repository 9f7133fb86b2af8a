-- Nothing to change here: writers of different workspaces do not wait for each other on PostgreSQL.
SELECT 1;
