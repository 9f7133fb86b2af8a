-- Only Vitrine's own commands write here, and they check every value. The database itself still keeps ended keys ended and audit
-- entries unchanged.

-- The rows of an application's table stay, as those of a source of the same name.
DO $$
DECLARE
  resource text;
BEGIN
  FOR resource IN SELECT name FROM vitrine.resource_tables WHERE columns::jsonb ? 'source' LOOP
    EXECUTE format($q$UPDATE vitrine.%I SET source = substr(source, 5) WHERE source LIKE 'own:%%'$q$, resource);
  END LOOP;
END $$;

-- Also drops the triggers that call them: an application's, on its own tables, and those of resources' tables.
DROP FUNCTION vitrine.follow, vitrine.show_changes, vitrine.move_revisions_replicated, vitrine.move_all_revisions CASCADE;
DROP FUNCTION vitrine.own_view, vitrine.own_source, vitrine.own_lock, vitrine.own_workspaces_fault, vitrine.own_row, vitrine.own_columns,
  vitrine.own_filter, vitrine.own_fault, vitrine.own_workspace, vitrine.own_rows, vitrine.own_shown, vitrine.own_workspaces,
  vitrine.own_keys, vitrine.own_untraced, vitrine.own_instant, vitrine.own_date, vitrine.own_left_out, vitrine.left_out,
  vitrine.take_turns, vitrine.refresh_rows, vitrine.remove_workspaces, vitrine.refresh_workspaces, vitrine.refresh, vitrine.keep_views,
  vitrine.show, vitrine.show_all, vitrine.without_prefix, vitrine.zone_of, vitrine.start_of_day;
DROP TABLE vitrine.own_changes, vitrine.own_turns;

DROP TRIGGER workspace_checked ON vitrine.workspaces;
DROP TRIGGER member_checked ON vitrine.members;
DROP TRIGGER member_sign_in_checked ON vitrine.members;
DROP TRIGGER key_rules_checked ON vitrine.api_keys;
DROP TRIGGER key_times_checked ON vitrine.api_keys;
DROP FUNCTION vitrine.check_workspace, vitrine.workspaces_fault, vitrine.check_member, vitrine.check_member_sign_in, vitrine.check_key,
  vitrine.check_key_times, vitrine.refuse;
DROP TABLE vitrine.currency_codes, vitrine.country_codes;

-- The list of timezones no longer grows.
DO $$
DECLARE
  role regrole;
BEGIN
  FOR role IN SELECT grantee FROM pg_class, aclexplode(relacl)
    WHERE oid = 'vitrine.timezones'::regclass AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner) LOOP
    EXECUTE format('REVOKE INSERT ON vitrine.timezones FROM %s', role);
  END LOOP;
END $$;

ALTER TABLE vitrine.workspaces ENABLE TRIGGER workspace_changed, DROP COLUMN source;
