-- The definition of each resource that an operator declares, as it was last migrated to. Its file may be removed after the sunset.
CREATE TABLE declared_resources (
  name       TEXT PRIMARY KEY,
  state      TEXT NOT NULL CHECK (state IN ('draft', 'published')),
  definition TEXT NOT NULL,
  sunset     TEXT
) STRICT, WITHOUT ROWID;
