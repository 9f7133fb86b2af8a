-- The application's own tables.
CREATE SCHEMA shop;
CREATE TABLE shop.team (id uuid PRIMARY KEY, handle text UNIQUE, title text, tz text, currency text, country text, closed boolean NOT NULL DEFAULT false);
CREATE TABLE shop.todo (id uuid PRIMARY KEY, team uuid NOT NULL REFERENCES shop.team, subject text NOT NULL, note text,
                        due timestamptz, done boolean NOT NULL DEFAULT false, hidden_until timestamptz);

-- Triggers that copy every change to Vitrine's tables, in the same transaction.
CREATE FUNCTION shop.show_team() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM vitrine.tasks WHERE workspace_id = OLD.id::text;
    DELETE FROM vitrine.workspaces WHERE id = OLD.id::text;
    RETURN NULL;
  END IF;
  INSERT INTO vitrine.workspaces AS w (id, slug, name, timezone, currency_code, country_code, archived_at)
  VALUES (NEW.id::text, NEW.handle, NEW.title, NEW.tz, NEW.currency, NEW.country, CASE WHEN NEW.closed THEN now() END)
  ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, name = excluded.name, timezone = excluded.timezone,
    currency_code = excluded.currency_code, country_code = excluded.country_code, archived_at = excluded.archived_at;
  RETURN NULL;
END $$;

CREATE FUNCTION shop.show_todo() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM vitrine.tasks WHERE workspace_id = OLD.team::text AND id = OLD.id::text;
    RETURN NULL;
  END IF;
  INSERT INTO vitrine.tasks AS t (workspace_id, id, title, details, due_at, status, snoozed_until)
  VALUES (NEW.team::text, NEW.id::text, NEW.subject, NEW.note, NEW.due,
          CASE WHEN NEW.done THEN 'completed' ELSE 'open' END, NEW.hidden_until)
  ON CONFLICT (workspace_id, id) DO UPDATE SET title = excluded.title, details = excluded.details,
    due_at = excluded.due_at, status = excluded.status, snoozed_until = excluded.snoozed_until;
  RETURN NULL;
END $$;

CREATE TRIGGER show_team AFTER INSERT OR UPDATE OR DELETE ON shop.team FOR EACH ROW EXECUTE FUNCTION shop.show_team();
CREATE TRIGGER show_todo AFTER INSERT OR UPDATE OR DELETE ON shop.todo FOR EACH ROW EXECUTE FUNCTION shop.show_todo();
