-- The index that lists read in due order holds the task as it is answered, made when the task is written: a list is then read
-- from neighbouring pages, however large the table is, and nothing is left to be made but the commas. SQLite keeps it true to
-- the columns, whoever writes them. Without the CAST it would not read from an index what json_object marks as JSON.

DROP INDEX tasks_awake;
CREATE INDEX tasks_awake ON tasks (workspace_id, due_at IS NULL, due_at, seq, snoozed_until, woken, CAST(json_object(
    'id', id, 'title', title, 'details', details, 'dueAt', due_at, 'bookKey', book_key, 'assigneeName', assignee_name,
    'assigneeEmail', assignee_email, 'sourceSessionId', source_session_id, 'sourceTitle', source_title,
    'sourceSummary', source_summary, 'sourceKind', source_kind) AS TEXT))
  WHERE status = 'open' AND (snoozed_until IS NULL OR woken = 1);
