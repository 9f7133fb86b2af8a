-- The rows of lists have been moved to list_items: see old-lists.ts.
DROP TABLE vitrine.resource_tables;
DROP FUNCTION vitrine.move_revisions_new, vitrine.move_revisions_old, vitrine.move_revisions_both, vitrine.move_revisions;
DROP FUNCTION vitrine.next_revision;
