-- The definition of each resource that an operator declares, as it was last migrated to. Its file may be removed after the sunset.
CREATE TABLE vitrine.declared_resources (
  name       text PRIMARY KEY,
  state      text NOT NULL CHECK (state IN ('draft', 'published')),
  definition text NOT NULL,
  sunset     text
);
