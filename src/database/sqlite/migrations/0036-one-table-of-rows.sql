-- The rows of lists have been moved to list_items: see old-lists.ts.
DROP TABLE resource_tables;
DROP TABLE frozen;
