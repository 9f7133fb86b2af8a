ALTER TABLE vitrine.sources DROP COLUMN state;
