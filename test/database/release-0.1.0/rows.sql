-- What a database of release 0.1.0 held after a workspace, its tasks, two keys and an owner were created.
INSERT INTO workspaces (id, slug, name, timezone, currency_code, country_code, created_at, archived_at, source) VALUES
  ('ws_203b59b551f22d9f48', 'northwind', 'Northwind Buying', 'Europe/London', 'GBP', 'GB', '2026-11-16T04:00:18.855Z', null, null);
INSERT INTO tasks (seq, workspace_id, source, id, title, details, due_at, book_key, assignee_name, assignee_email, source_session_id, source_title, source_summary, source_kind, status, snoozed_until, created_at) VALUES
  (1, 'ws_203b59b551f22d9f48', null, 't-1', 'Confirm the linen order', null, '2026-12-01T16:00:00.000Z', 'home-textiles', 'Ana Lima', 'ana@acme.example', null, null, null, null, 'open', null, '2026-11-16T04:00:19.645Z'),
  (2, 'ws_203b59b551f22d9f48', null, 't-2', 'Chase the signed terms', 'They hold the price until Friday.', '2026-11-20T12:00:00.000Z', null, null, null, null, null, null, null, 'open', null, '2026-11-16T04:00:19.645Z'),
  (3, 'ws_203b59b551f22d9f48', null, 't-3', 'Tidy the supplier list', null, null, null, null, null, null, null, null, null, 'open', null, '2026-11-16T04:00:19.645Z'),
  (4, 'ws_203b59b551f22d9f48', null, 't-4', 'Review the carrier rates', null, null, null, null, null, null, null, null, null, 'open', '2099-01-01T00:00:00.000Z', '2026-11-16T04:00:19.645Z'),
  (5, 'ws_203b59b551f22d9f48', null, 't-5', 'Pay the deposit', null, null, null, null, null, null, null, null, null, 'completed', null, '2026-11-16T04:00:19.645Z');
INSERT INTO api_keys (id, workspace_id, hash, prefix, label, permissions, rate_limit, rate_window_seconds, created_by, created_at, expires_at, revoked_at, replaces) VALUES
  ('key_40987828d65f3d4d63', 'ws_203b59b551f22d9f48', '8821a7afff70590b0cb1add28706d623ce2d3e362a13695e9cf703d7441839d7', 'vtr_xd2HHv', 'nightly report', 'workspace:read,tasks:read', null, null, 'cli:root', '2026-11-16T04:00:20.309Z', null, null, null),
  ('key_715ad12bfd6cc6cd5a', 'ws_203b59b551f22d9f48', '9fbcb2608724d1f4bc2f6b169bf4de078b9082f358239868e0c2a431ec80f461', 'vtr_sWtCdK', 'revoked', 'workspace:read,tasks:read', null, null, 'cli:root', '2026-11-16T04:00:21.442Z', null, null, null);
INSERT INTO members (workspace_id, email, role, added_at) VALUES
  ('ws_203b59b551f22d9f48', 'ines@northwind.example', 'owner', '2026-11-16T04:00:20.779Z');
INSERT INTO audit (id, at, workspace_id, actor, action, subject, detail, number, previous_hash, hash) VALUES
  (1, '2026-11-16T04:00:18.855Z', 'ws_203b59b551f22d9f48', 'cli:root', 'workspace.created', 'ws_203b59b551f22d9f48', '{"name":"Northwind Buying","slug":"northwind"}', 1, '0000000000000000000000000000000000000000000000000000000000000000', '07199b09538193ebdc6b505750cef926a7fa1d0ca20ad19eba47983678fa0573'),
  (2, '2026-11-16T04:00:19.645Z', 'ws_203b59b551f22d9f48', 'cli:root', 'tasks.imported', 'ws_203b59b551f22d9f48', '{"created":5,"replaced":0,"deleted":0,"unchanged":0}', 2, '07199b09538193ebdc6b505750cef926a7fa1d0ca20ad19eba47983678fa0573', 'a0d502295d9642ebaf7d34c14239be850f062bffa7d5089d0a3f12c585586d37'),
  (3, '2026-11-16T04:00:20.309Z', 'ws_203b59b551f22d9f48', 'cli:root', 'key.created', 'key_40987828d65f3d4d63', '{"label":"nightly report"}', 3, 'a0d502295d9642ebaf7d34c14239be850f062bffa7d5089d0a3f12c585586d37', 'cc1be6231f8608ca303438ca95b18c12428ae953aeeac8f1e7cdac30d9bb3266'),
  (4, '2026-11-16T04:00:20.779Z', 'ws_203b59b551f22d9f48', 'cli:root', 'member.added', 'ines@northwind.example', '{"role":"owner"}', 4, 'cc1be6231f8608ca303438ca95b18c12428ae953aeeac8f1e7cdac30d9bb3266', '22c414082f0873ee39c5fc22c41cbae3c7207ebf5c70729c1f08d31984edecd0'),
  (5, '2026-11-16T04:00:21.442Z', 'ws_203b59b551f22d9f48', 'cli:root', 'key.created', 'key_715ad12bfd6cc6cd5a', '{"label":"revoked"}', 5, '22c414082f0873ee39c5fc22c41cbae3c7207ebf5c70729c1f08d31984edecd0', 'c574aa0af721dc4eecbaae5242f146308ab17ed0965801807b66d34c949d5193');
INSERT INTO audit_heads (workspace_id, number, hash, trimmed_number, trimmed_hash) VALUES
  ('ws_203b59b551f22d9f48', 5, 'c574aa0af721dc4eecbaae5242f146308ab17ed0965801807b66d34c949d5193', 0, '0000000000000000000000000000000000000000000000000000000000000000');
