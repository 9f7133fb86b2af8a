-- Generated from the tables of src/resources by `npm run contract`, as a new database gets them.

-- tasks, version 4
CREATE TABLE "tasks" (
  "seq" INTEGER PRIMARY KEY,
  "workspace_id" TEXT NOT NULL,
  "source" TEXT,
  "id" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "details" TEXT,
  "due_at" TEXT,
  "book_key" TEXT,
  "assignee_name" TEXT,
  "assignee_email" TEXT,
  "source_session_id" TEXT,
  "source_title" TEXT,
  "source_summary" TEXT,
  "source_kind" TEXT,
  "status" TEXT NOT NULL DEFAULT 'open',
  "snoozed_until" TEXT,
  "created_at" TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
  "snooze_expired" INTEGER NOT NULL DEFAULT 0 CHECK ("snooze_expired" IN (0, 1)),
  UNIQUE (workspace_id, id)
) STRICT;

CREATE TRIGGER tasks_inserted AFTER INSERT ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id = rtrim(NEW.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = NEW.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;

CREATE TRIGGER tasks_updated AFTER UPDATE OF "seq", "workspace_id", "source", "id", "title", "details", "due_at", "book_key", "assignee_name", "assignee_email", "source_session_id", "source_title", "source_summary", "source_kind", "status", "snoozed_until", "created_at" ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id IN (rtrim(OLD.workspace_id, '~'), rtrim(NEW.workspace_id, '~')) AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id IN (OLD.workspace_id, NEW.workspace_id) AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;

CREATE TRIGGER tasks_deleted AFTER DELETE ON "tasks" BEGIN
  SELECT RAISE(ABORT, 'tasks_frozen: a large import or sync of these tasks is being stored, or was interrupted; try again when it is done, or run vitrine migrate') FROM frozen WHERE table_name = 'tasks' AND workspace_id = rtrim(OLD.workspace_id, '~') AND is_writing = 0;
  UPDATE revisions SET number = number + 1
    WHERE workspace_id = OLD.workspace_id AND NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND workspace_id = revisions.workspace_id);
END;

CREATE TRIGGER tasks_insert_checked AFTER INSERT ON "tasks" WHEN NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND is_writing = 1 AND (workspace_id || '~' = NEW.workspace_id
    OR workspace_id = NEW.workspace_id AND EXISTS (SELECT 1 FROM "tasks" AS c WHERE c.seq = NEW.seq - 4611686018427387904 AND (c."source", c."id", c."title", c."details", c."due_at", c."book_key", c."assignee_name", c."assignee_email", c."source_session_id", c."source_title", c."source_summary", c."source_kind", c."status", c."snoozed_until", c."created_at") IS (NEW."source", NEW."id", NEW."title", NEW."details", NEW."due_at", NEW."book_key", NEW."assignee_name", NEW."assignee_email", NEW."source_session_id", NEW."source_title", NEW."source_summary", NEW."source_kind", NEW."status", NEW."snoozed_until", NEW."created_at")))) BEGIN
  SELECT CASE
    WHEN NEW."id" = '' THEN RAISE(ABORT, 'tasks_id_not_empty: id must not be empty')
    WHEN NEW."title" = '' THEN RAISE(ABORT, 'tasks_title_not_empty: title must not be empty')
    WHEN length(NEW."id") > 200 THEN RAISE(ABORT, 'tasks_id_at_most_200_characters: id must be at most 200 characters')
    WHEN length(NEW."title") > 500 THEN RAISE(ABORT, 'tasks_title_at_most_500_characters: title must be at most 500 characters')
    WHEN length(NEW."details") > 10000 THEN RAISE(ABORT, 'tasks_details_at_most_10000_characters: details must be at most 10000 characters')
    WHEN length(NEW."book_key") > 200 THEN RAISE(ABORT, 'tasks_book_key_at_most_200_characters: bookKey must be at most 200 characters')
    WHEN length(NEW."assignee_name") > 200 THEN RAISE(ABORT, 'tasks_assignee_name_at_most_200_characters: assigneeName must be at most 200 characters')
    WHEN length(NEW."assignee_email") > 320 THEN RAISE(ABORT, 'tasks_assignee_email_at_most_320_characters: assigneeEmail must be at most 320 characters')
    WHEN length(NEW."source_session_id") > 200 THEN RAISE(ABORT, 'tasks_source_session_id_at_most_200_characters: sourceSessionId must be at most 200 characters')
    WHEN length(NEW."source_title") > 500 THEN RAISE(ABORT, 'tasks_source_title_at_most_500_characters: sourceTitle must be at most 500 characters')
    WHEN length(NEW."source_summary") > 10000 THEN RAISE(ABORT, 'tasks_source_summary_at_most_10000_characters: sourceSummary must be at most 10000 characters')
    WHEN length(NEW."source_kind") > 100 THEN RAISE(ABORT, 'tasks_source_kind_at_most_100_characters: sourceKind must be at most 100 characters')
    WHEN length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND instr(NEW."id", char(0)) THEN RAISE(ABORT, 'tasks_id_without_nul: id must not hold a NUL character')
    WHEN length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND instr(NEW."title", char(0)) THEN RAISE(ABORT, 'tasks_title_without_nul: title must not hold a NUL character')
    WHEN length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND instr(NEW."details", char(0)) THEN RAISE(ABORT, 'tasks_details_without_nul: details must not hold a NUL character')
    WHEN length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND instr(NEW."book_key", char(0)) THEN RAISE(ABORT, 'tasks_book_key_without_nul: bookKey must not hold a NUL character')
    WHEN length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND instr(NEW."assignee_name", char(0)) THEN RAISE(ABORT, 'tasks_assignee_name_without_nul: assigneeName must not hold a NUL character')
    WHEN length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND instr(NEW."assignee_email", char(0)) THEN RAISE(ABORT, 'tasks_assignee_email_without_nul: assigneeEmail must not hold a NUL character')
    WHEN length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND instr(NEW."source_session_id", char(0)) THEN RAISE(ABORT, 'tasks_source_session_id_without_nul: sourceSessionId must not hold a NUL character')
    WHEN length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND instr(NEW."source_title", char(0)) THEN RAISE(ABORT, 'tasks_source_title_without_nul: sourceTitle must not hold a NUL character')
    WHEN length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND instr(NEW."source_summary", char(0)) THEN RAISE(ABORT, 'tasks_source_summary_without_nul: sourceSummary must not hold a NUL character')
    WHEN length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND instr(NEW."source_kind", char(0)) THEN RAISE(ABORT, 'tasks_source_kind_without_nul: sourceKind must not hold a NUL character')
    WHEN (NEW."id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND unicode(substr(NEW."id", -1)) <> 65533
        AND char(unicode(substr(NEW."id", -1))) <> substr(NEW."id", -1)) THEN RAISE(ABORT, 'tasks_id_is_utf8: id must be text in UTF-8')
    WHEN (NEW."title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND unicode(substr(NEW."title", -1)) <> 65533
        AND char(unicode(substr(NEW."title", -1))) <> substr(NEW."title", -1)) THEN RAISE(ABORT, 'tasks_title_is_utf8: title must be text in UTF-8')
    WHEN (NEW."details" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."details", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND unicode(substr(NEW."details", -1)) <> 65533
        AND char(unicode(substr(NEW."details", -1))) <> substr(NEW."details", -1)) THEN RAISE(ABORT, 'tasks_details_is_utf8: details must be text in UTF-8')
    WHEN (NEW."book_key" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."book_key", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND unicode(substr(NEW."book_key", -1)) <> 65533
        AND char(unicode(substr(NEW."book_key", -1))) <> substr(NEW."book_key", -1)) THEN RAISE(ABORT, 'tasks_book_key_is_utf8: bookKey must be text in UTF-8')
    WHEN (NEW."assignee_name" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_name", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND unicode(substr(NEW."assignee_name", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_name", -1))) <> substr(NEW."assignee_name", -1)) THEN RAISE(ABORT, 'tasks_assignee_name_is_utf8: assigneeName must be text in UTF-8')
    WHEN (NEW."assignee_email" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_email", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND unicode(substr(NEW."assignee_email", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_email", -1))) <> substr(NEW."assignee_email", -1)) THEN RAISE(ABORT, 'tasks_assignee_email_is_utf8: assigneeEmail must be text in UTF-8')
    WHEN (NEW."source_session_id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_session_id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND unicode(substr(NEW."source_session_id", -1)) <> 65533
        AND char(unicode(substr(NEW."source_session_id", -1))) <> substr(NEW."source_session_id", -1)) THEN RAISE(ABORT, 'tasks_source_session_id_is_utf8: sourceSessionId must be text in UTF-8')
    WHEN (NEW."source_title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND unicode(substr(NEW."source_title", -1)) <> 65533
        AND char(unicode(substr(NEW."source_title", -1))) <> substr(NEW."source_title", -1)) THEN RAISE(ABORT, 'tasks_source_title_is_utf8: sourceTitle must be text in UTF-8')
    WHEN (NEW."source_summary" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_summary", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND unicode(substr(NEW."source_summary", -1)) <> 65533
        AND char(unicode(substr(NEW."source_summary", -1))) <> substr(NEW."source_summary", -1)) THEN RAISE(ABORT, 'tasks_source_summary_is_utf8: sourceSummary must be text in UTF-8')
    WHEN (NEW."source_kind" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_kind", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND unicode(substr(NEW."source_kind", -1)) <> 65533
        AND char(unicode(substr(NEW."source_kind", -1))) <> substr(NEW."source_kind", -1)) THEN RAISE(ABORT, 'tasks_source_kind_is_utf8: sourceKind must be text in UTF-8')
    WHEN instr(NEW."assignee_email", '@') < 2 OR instr(substr(NEW."assignee_email", instr(NEW."assignee_email", '@') + 1), '@')
      OR NEW."assignee_email" GLOB '.*' OR instr(NEW."assignee_email", '..') OR instr(NEW."assignee_email", '.@')
      OR NEW."assignee_email" GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW."assignee_email", -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW."assignee_email" GLOB '*[^a-zA-Z0-9.@]*' AND (NEW."assignee_email" GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW."assignee_email" GLOB '*@*.-*' OR NEW."assignee_email" GLOB '*@*-.*'
        OR NEW."assignee_email" GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW."assignee_email") > 65 AND NEW."assignee_email" GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*') THEN RAISE(ABORT, 'tasks_assignee_email_is_an_address: assigneeEmail must be an email address')
    WHEN NEW."due_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."due_at" < '0001' OR (NEW."due_at" IS NOT NULL AND julianday(NEW."due_at") IS NULL)
      OR ((substr(NEW."due_at", 9, 2) > '28' OR substr(NEW."due_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."due_at", '+0 days') IS NOT NEW."due_at") THEN RAISE(ABORT, 'tasks_due_at_in_years_1_to_9999: dueAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."snoozed_until" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."snoozed_until" < '0001' OR (NEW."snoozed_until" IS NOT NULL AND julianday(NEW."snoozed_until") IS NULL)
      OR ((substr(NEW."snoozed_until", 9, 2) > '28' OR substr(NEW."snoozed_until", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."snoozed_until", '+0 days') IS NOT NEW."snoozed_until") THEN RAISE(ABORT, 'tasks_snoozed_until_in_years_1_to_9999: snoozedUntil must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."created_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."created_at" < '0001' OR (NEW."created_at" IS NOT NULL AND julianday(NEW."created_at") IS NULL)
      OR ((substr(NEW."created_at", 9, 2) > '28' OR substr(NEW."created_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."created_at", '+0 days') IS NOT NEW."created_at") THEN RAISE(ABORT, 'tasks_created_at_in_years_1_to_9999: createdAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."status" NOT IN ('open', 'completed', 'cancelled') THEN RAISE(ABORT, 'tasks_status_is_known: status must be one of open, completed, cancelled')
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) THEN RAISE(ABORT, 'tasks_workspace_exists: workspace_id must be the id of a workspace that exists')
    WHEN length(iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source)) NOT BETWEEN 1 AND 64 OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) NOT GLOB '[a-z0-9]*' OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) GLOB '*[^a-z0-9._-]*'
      OR instr(NEW.source, char(0)) THEN RAISE(ABORT, 'tasks_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it')
  END;
END;

CREATE TRIGGER tasks_update_checked AFTER UPDATE OF "id", "title", "details", "book_key", "assignee_name", "assignee_email", "source_session_id", "source_title", "source_summary", "source_kind", "due_at", "snoozed_until", "created_at" ON "tasks" WHEN NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND is_writing = 1 AND (workspace_id || '~' = NEW.workspace_id
    OR workspace_id = NEW.workspace_id AND EXISTS (SELECT 1 FROM "tasks" AS c WHERE c.seq = NEW.seq - 4611686018427387904 AND (c."source", c."id", c."title", c."details", c."due_at", c."book_key", c."assignee_name", c."assignee_email", c."source_session_id", c."source_title", c."source_summary", c."source_kind", c."status", c."snoozed_until", c."created_at") IS (NEW."source", NEW."id", NEW."title", NEW."details", NEW."due_at", NEW."book_key", NEW."assignee_name", NEW."assignee_email", NEW."source_session_id", NEW."source_title", NEW."source_summary", NEW."source_kind", NEW."status", NEW."snoozed_until", NEW."created_at")))) BEGIN
  SELECT CASE
    WHEN NEW."id" = '' THEN RAISE(ABORT, 'tasks_id_not_empty: id must not be empty')
    WHEN NEW."title" = '' THEN RAISE(ABORT, 'tasks_title_not_empty: title must not be empty')
    WHEN length(NEW."id") > 200 THEN RAISE(ABORT, 'tasks_id_at_most_200_characters: id must be at most 200 characters')
    WHEN length(NEW."title") > 500 THEN RAISE(ABORT, 'tasks_title_at_most_500_characters: title must be at most 500 characters')
    WHEN length(NEW."details") > 10000 THEN RAISE(ABORT, 'tasks_details_at_most_10000_characters: details must be at most 10000 characters')
    WHEN length(NEW."book_key") > 200 THEN RAISE(ABORT, 'tasks_book_key_at_most_200_characters: bookKey must be at most 200 characters')
    WHEN length(NEW."assignee_name") > 200 THEN RAISE(ABORT, 'tasks_assignee_name_at_most_200_characters: assigneeName must be at most 200 characters')
    WHEN length(NEW."assignee_email") > 320 THEN RAISE(ABORT, 'tasks_assignee_email_at_most_320_characters: assigneeEmail must be at most 320 characters')
    WHEN length(NEW."source_session_id") > 200 THEN RAISE(ABORT, 'tasks_source_session_id_at_most_200_characters: sourceSessionId must be at most 200 characters')
    WHEN length(NEW."source_title") > 500 THEN RAISE(ABORT, 'tasks_source_title_at_most_500_characters: sourceTitle must be at most 500 characters')
    WHEN length(NEW."source_summary") > 10000 THEN RAISE(ABORT, 'tasks_source_summary_at_most_10000_characters: sourceSummary must be at most 10000 characters')
    WHEN length(NEW."source_kind") > 100 THEN RAISE(ABORT, 'tasks_source_kind_at_most_100_characters: sourceKind must be at most 100 characters')
    WHEN length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND instr(NEW."id", char(0)) THEN RAISE(ABORT, 'tasks_id_without_nul: id must not hold a NUL character')
    WHEN length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND instr(NEW."title", char(0)) THEN RAISE(ABORT, 'tasks_title_without_nul: title must not hold a NUL character')
    WHEN length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND instr(NEW."details", char(0)) THEN RAISE(ABORT, 'tasks_details_without_nul: details must not hold a NUL character')
    WHEN length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND instr(NEW."book_key", char(0)) THEN RAISE(ABORT, 'tasks_book_key_without_nul: bookKey must not hold a NUL character')
    WHEN length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND instr(NEW."assignee_name", char(0)) THEN RAISE(ABORT, 'tasks_assignee_name_without_nul: assigneeName must not hold a NUL character')
    WHEN length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND instr(NEW."assignee_email", char(0)) THEN RAISE(ABORT, 'tasks_assignee_email_without_nul: assigneeEmail must not hold a NUL character')
    WHEN length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND instr(NEW."source_session_id", char(0)) THEN RAISE(ABORT, 'tasks_source_session_id_without_nul: sourceSessionId must not hold a NUL character')
    WHEN length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND instr(NEW."source_title", char(0)) THEN RAISE(ABORT, 'tasks_source_title_without_nul: sourceTitle must not hold a NUL character')
    WHEN length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND instr(NEW."source_summary", char(0)) THEN RAISE(ABORT, 'tasks_source_summary_without_nul: sourceSummary must not hold a NUL character')
    WHEN length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND instr(NEW."source_kind", char(0)) THEN RAISE(ABORT, 'tasks_source_kind_without_nul: sourceKind must not hold a NUL character')
    WHEN (NEW."id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."id") <> length(CAST(NEW."id" AS BLOB)) AND unicode(substr(NEW."id", -1)) <> 65533
        AND char(unicode(substr(NEW."id", -1))) <> substr(NEW."id", -1)) THEN RAISE(ABORT, 'tasks_id_is_utf8: id must be text in UTF-8')
    WHEN (NEW."title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."title") <> length(CAST(NEW."title" AS BLOB)) AND unicode(substr(NEW."title", -1)) <> 65533
        AND char(unicode(substr(NEW."title", -1))) <> substr(NEW."title", -1)) THEN RAISE(ABORT, 'tasks_title_is_utf8: title must be text in UTF-8')
    WHEN (NEW."details" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."details", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."details") <> length(CAST(NEW."details" AS BLOB)) AND unicode(substr(NEW."details", -1)) <> 65533
        AND char(unicode(substr(NEW."details", -1))) <> substr(NEW."details", -1)) THEN RAISE(ABORT, 'tasks_details_is_utf8: details must be text in UTF-8')
    WHEN (NEW."book_key" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."book_key", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."book_key") <> length(CAST(NEW."book_key" AS BLOB)) AND unicode(substr(NEW."book_key", -1)) <> 65533
        AND char(unicode(substr(NEW."book_key", -1))) <> substr(NEW."book_key", -1)) THEN RAISE(ABORT, 'tasks_book_key_is_utf8: bookKey must be text in UTF-8')
    WHEN (NEW."assignee_name" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_name", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_name") <> length(CAST(NEW."assignee_name" AS BLOB)) AND unicode(substr(NEW."assignee_name", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_name", -1))) <> substr(NEW."assignee_name", -1)) THEN RAISE(ABORT, 'tasks_assignee_name_is_utf8: assigneeName must be text in UTF-8')
    WHEN (NEW."assignee_email" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."assignee_email", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."assignee_email") <> length(CAST(NEW."assignee_email" AS BLOB)) AND unicode(substr(NEW."assignee_email", -1)) <> 65533
        AND char(unicode(substr(NEW."assignee_email", -1))) <> substr(NEW."assignee_email", -1)) THEN RAISE(ABORT, 'tasks_assignee_email_is_utf8: assigneeEmail must be text in UTF-8')
    WHEN (NEW."source_session_id" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_session_id", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_session_id") <> length(CAST(NEW."source_session_id" AS BLOB)) AND unicode(substr(NEW."source_session_id", -1)) <> 65533
        AND char(unicode(substr(NEW."source_session_id", -1))) <> substr(NEW."source_session_id", -1)) THEN RAISE(ABORT, 'tasks_source_session_id_is_utf8: sourceSessionId must be text in UTF-8')
    WHEN (NEW."source_title" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_title", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_title") <> length(CAST(NEW."source_title" AS BLOB)) AND unicode(substr(NEW."source_title", -1)) <> 65533
        AND char(unicode(substr(NEW."source_title", -1))) <> substr(NEW."source_title", -1)) THEN RAISE(ABORT, 'tasks_source_title_is_utf8: sourceTitle must be text in UTF-8')
    WHEN (NEW."source_summary" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_summary", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_summary") <> length(CAST(NEW."source_summary" AS BLOB)) AND unicode(substr(NEW."source_summary", -1)) <> 65533
        AND char(unicode(substr(NEW."source_summary", -1))) <> substr(NEW."source_summary", -1)) THEN RAISE(ABORT, 'tasks_source_summary_is_utf8: sourceSummary must be text in UTF-8')
    WHEN (NEW."source_kind" GLOB '*' || char(65533) || '*'
        AND replace(replace(replace(NEW."source_kind", char(65533), '-'), char(65534), '-'), char(65535), '-') GLOB '*' || char(65533) || '*')
      OR (length(NEW."source_kind") <> length(CAST(NEW."source_kind" AS BLOB)) AND unicode(substr(NEW."source_kind", -1)) <> 65533
        AND char(unicode(substr(NEW."source_kind", -1))) <> substr(NEW."source_kind", -1)) THEN RAISE(ABORT, 'tasks_source_kind_is_utf8: sourceKind must be text in UTF-8')
    WHEN instr(NEW."assignee_email", '@') < 2 OR instr(substr(NEW."assignee_email", instr(NEW."assignee_email", '@') + 1), '@')
      OR NEW."assignee_email" GLOB '.*' OR instr(NEW."assignee_email", '..') OR instr(NEW."assignee_email", '.@')
      OR NEW."assignee_email" GLOB '*@[^a-zA-Z0-9]*' OR substr(NEW."assignee_email", -1) GLOB '[^a-zA-Z0-9]'
      OR (NEW."assignee_email" GLOB '*[^a-zA-Z0-9.@]*' AND (NEW."assignee_email" GLOB '*@*[^a-zA-Z0-9.-]*' OR NEW."assignee_email" GLOB '*@*.-*' OR NEW."assignee_email" GLOB '*@*-.*'
        OR NEW."assignee_email" GLOB '*[^a-zA-Z0-9!#$%&''*+/=?^_`{|}~.@-]*'))
      OR (length(NEW."assignee_email") > 65 AND NEW."assignee_email" GLOB '*@*' || replace(hex(zeroblob(32)), '0', '[^.]') || '*') THEN RAISE(ABORT, 'tasks_assignee_email_is_an_address: assigneeEmail must be an email address')
    WHEN NEW."due_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."due_at" < '0001' OR (NEW."due_at" IS NOT NULL AND julianday(NEW."due_at") IS NULL)
      OR ((substr(NEW."due_at", 9, 2) > '28' OR substr(NEW."due_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."due_at", '+0 days') IS NOT NEW."due_at") THEN RAISE(ABORT, 'tasks_due_at_in_years_1_to_9999: dueAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."snoozed_until" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."snoozed_until" < '0001' OR (NEW."snoozed_until" IS NOT NULL AND julianday(NEW."snoozed_until") IS NULL)
      OR ((substr(NEW."snoozed_until", 9, 2) > '28' OR substr(NEW."snoozed_until", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."snoozed_until", '+0 days') IS NOT NEW."snoozed_until") THEN RAISE(ABORT, 'tasks_snoozed_until_in_years_1_to_9999: snoozedUntil must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
    WHEN NEW."created_at" NOT GLOB '????-??-??T??:??:??.???Z' OR NEW."created_at" < '0001' OR (NEW."created_at" IS NOT NULL AND julianday(NEW."created_at") IS NULL)
      OR ((substr(NEW."created_at", 9, 2) > '28' OR substr(NEW."created_at", 12, 2) > '23') AND strftime('%Y-%m-%dT%H:%M:%fZ', NEW."created_at", '+0 days') IS NOT NEW."created_at") THEN RAISE(ABORT, 'tasks_created_at_in_years_1_to_9999: createdAt must be a time in the years 1 to 9999, such as 2026-11-15T09:00:00.000Z')
  END;
END;

CREATE TRIGGER tasks_choice_checked AFTER UPDATE OF "status" ON "tasks" WHEN NOT EXISTS (SELECT 1 FROM frozen WHERE table_name = 'tasks' AND is_writing = 1 AND (workspace_id || '~' = NEW.workspace_id
    OR workspace_id = NEW.workspace_id AND EXISTS (SELECT 1 FROM "tasks" AS c WHERE c.seq = NEW.seq - 4611686018427387904 AND (c."source", c."id", c."title", c."details", c."due_at", c."book_key", c."assignee_name", c."assignee_email", c."source_session_id", c."source_title", c."source_summary", c."source_kind", c."status", c."snoozed_until", c."created_at") IS (NEW."source", NEW."id", NEW."title", NEW."details", NEW."due_at", NEW."book_key", NEW."assignee_name", NEW."assignee_email", NEW."source_session_id", NEW."source_title", NEW."source_summary", NEW."source_kind", NEW."status", NEW."snoozed_until", NEW."created_at")))) BEGIN
  SELECT CASE
    WHEN NEW."status" NOT IN ('open', 'completed', 'cancelled') THEN RAISE(ABORT, 'tasks_status_is_known: status must be one of open, completed, cancelled')
  END;
END;

CREATE TRIGGER tasks_placed AFTER INSERT ON "tasks" WHEN NEW.seq < 0 AND NEW.workspace_id NOT GLOB '*~' BEGIN
  UPDATE "tasks" SET seq = seq + 4611686018427387904 WHERE seq = NEW.seq;
END;

CREATE TRIGGER tasks_workspace_checked AFTER UPDATE OF workspace_id, source ON "tasks" BEGIN
  SELECT CASE
    WHEN NOT EXISTS (SELECT 1 FROM workspaces WHERE id = NEW.workspace_id) THEN RAISE(ABORT, 'tasks_workspace_exists: workspace_id must be the id of a workspace that exists')
    WHEN length(iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source)) NOT BETWEEN 1 AND 64 OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) NOT GLOB '[a-z0-9]*' OR iif(NEW.source GLOB 'own:*', substr(NEW.source, 5), NEW.source) GLOB '*[^a-z0-9._-]*'
      OR instr(NEW.source, char(0)) THEN RAISE(ABORT, 'tasks_source_form: source must be 1 to 64 lower-case letters, digits, dots, dashes and underscores, and begin with a letter or digit; own: may stand before it')
  END;
END;

CREATE TRIGGER tasks_workspace_deleted AFTER DELETE ON workspaces WHEN (SELECT count(*) FROM (SELECT 1 FROM "tasks" WHERE workspace_id = OLD.id LIMIT 5001)) <= 5000 BEGIN
  DELETE FROM "tasks" WHERE workspace_id = OLD.id;
END;

CREATE INDEX tasks_of_source ON "tasks" (workspace_id, source, id) WHERE source IS NOT NULL;

CREATE INDEX tasks_unsnoozed ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired, CAST(json_object('id', "id", 'title', "title", 'details', "details", 'dueAt', "due_at", 'bookKey', "book_key", 'assigneeName', "assignee_name", 'assigneeEmail', "assignee_email", 'sourceSessionId', "source_session_id", 'sourceTitle', "source_title", 'sourceSummary', "source_summary", 'sourceKind', "source_kind") AS TEXT))
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1);

CREATE INDEX tasks_of_book ON tasks (workspace_id, book_key, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND book_key IS NOT NULL;

CREATE INDEX tasks_of_assignee ON tasks (workspace_id, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND assignee_email IS NOT NULL;

CREATE INDEX tasks_of_book_and_assignee ON tasks (workspace_id, book_key, lower(assignee_email), due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND book_key IS NOT NULL AND assignee_email IS NOT NULL;

CREATE INDEX tasks_of_session ON tasks (workspace_id, source_session_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND source_session_id IS NOT NULL;

CREATE INDEX tasks_unassigned ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, snooze_expired)
  WHERE status = 'open' AND (snoozed_until IS NULL OR snooze_expired = 1) AND assignee_name IS NULL AND assignee_email IS NULL;

CREATE INDEX tasks_snoozed ON tasks (workspace_id, snooze_expired, snoozed_until, due_at)
  WHERE status = 'open' AND snoozed_until IS NOT NULL;

CREATE TRIGGER tasks_inserted_snoozed AFTER INSERT ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END;

CREATE TRIGGER tasks_snooze_written AFTER UPDATE OF snoozed_until ON tasks
WHEN NEW.snoozed_until IS NOT NULL AND NEW.snooze_expired <> (NEW.snoozed_until <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) BEGIN
  UPDATE tasks SET snooze_expired = 1 - snooze_expired WHERE seq = NEW.seq;
END;

CREATE VIRTUAL TABLE tasks_search USING fts5(text, content = '', contentless_delete = 1, detail = 'none', tokenize = 'trigram');

CREATE TRIGGER tasks_search_inserted AFTER INSERT ON "tasks" BEGIN
  DELETE FROM tasks_search WHERE rowid = NEW.seq;
  INSERT INTO tasks_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") WHERE NEW.seq > 0 AND NEW.status = 'open';
END;

CREATE TRIGGER tasks_search_updated AFTER UPDATE OF seq, workspace_id, status, "title", "details", "book_key", "assignee_name", "source_title", "source_summary" ON "tasks" WHEN (OLD.seq, OLD.workspace_id, OLD.status, OLD."title", OLD."details", OLD."book_key", OLD."assignee_name", OLD."source_title", OLD."source_summary") IS NOT (NEW.seq, NEW.workspace_id, NEW.status, NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") BEGIN
  DELETE FROM tasks_search WHERE rowid = OLD.seq;
  INSERT INTO tasks_search (rowid, text)
  SELECT NEW.seq, concat_ws(char(10), char(57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -1, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -2, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -3, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -4, 1)), 0) % 80, 57344 + 80 * (coalesce(unicode(substr(NEW.workspace_id, -5, 1)), 0) % 80) + coalesce(unicode(substr(NEW.workspace_id, -6, 1)), 0) % 80), NEW."title", NEW."details", NEW."book_key", NEW."assignee_name", NEW."source_title", NEW."source_summary") WHERE NEW.seq > 0 AND NEW.status = 'open';
END;

CREATE TRIGGER tasks_search_deleted AFTER DELETE ON "tasks" BEGIN
  DELETE FROM tasks_search WHERE rowid = OLD.seq;
END;
