/** docs/<name>.md, its title, and what it is about. */
export type Guide = readonly [name: string, title: string, about: string]

export const guideGroups: readonly { title: string; guides: readonly Guide[] }[] = [
  {
    title: 'Use it',
    guides: [
      ['tutorial', 'Tutorial', 'Ask Claude Code what is due today, about your own tasks.'],
      ['rest', 'REST', 'Read a workspace from a script: fields, ETags, quota headers.'],
      ['mcp', 'MCP', 'Connect an agent: clients, tools, untrusted text, errors, tokens.'],
      ['connecting', 'Connecting by signing in', 'ChatGPT, Claude, Cursor, VS Code: paste a URL, sign in.'],
      ['settings', 'The settings page', 'Sign in; create, watch, rotate and revoke keys.'],
      ['troubleshooting', 'Troubleshooting', 'By symptom: a 401 although the key is right, an empty list.'],
      ['glossary', 'Glossary', 'The words of the guides, from audit log to workspace.'],
      ['lifecycle', 'How the API changes', 'How long a path stays, and how its end is announced.'],
    ],
  },
  {
    title: 'Fill it',
    guides: [
      ['filling', 'Filling a workspace', 'From files, URLs and schedules; when a source fails.'],
      ['resources', 'Your own resources', 'Any list in one file: declare, check, fill, publish.'],
      ['maps', 'Maps', 'Bring in Jira, Linear, Asana, Trello, GitHub, or your own export.'],
    ],
  },
  {
    title: 'Run it',
    guides: [
      ['operating', 'Running Vitrine', 'First commands, settings, cores, workspaces.'],
      ['commands', 'The command line', 'Output, exit codes, JSON, completion.'],
      ['keys', 'Keys on the command line', 'Create, pause, rotate, revoke; what needs attention.'],
      ['health', 'Health', 'Readiness, stopping, doctor, the schema.'],
      ['backup', 'Backup', 'Back up and restore; the SQLite file.'],
      ['logs', 'The log', 'Every line, field and message, with a JSON Schema.'],
      ['check', 'Checking a deployment', 'The contract as a test; what proxies break, and the fix.'],
      ['deploying', 'Deploying', 'As a package, a systemd service, an image, or with compose.'],
      ['proxies', 'Behind a proxy', 'nginx, Caddy and HAProxy: TLS, limits, restarts without a failed request.'],
      ['metrics', 'Metrics', 'Prometheus: every metric, alert rules, a Grafana board.'],
      ['postgresql', 'PostgreSQL', 'Many replicas over one database: roles, moving, failover.'],
      ['upgrading', 'Upgrading', 'To a new release, with or without a gap, and back.'],
      ['scaling', 'Scaling', 'What a request costs, and what a machine can answer.'],
      ['performance', 'Performance', 'Measured side by side with peers.'],
      ['reliability', 'Reliability', 'What is guaranteed, and what each fault does.'],
    ],
  },
  {
    title: 'Trust it',
    guides: [
      ['security', 'Threat model', 'What is protected from whom, and the tests that prove it.'],
      ['audit', 'The audit log', 'What is recorded, and how to verify it.'],
      ['scan', 'Finding leaked keys', 'In files and git history; hooks and CI.'],
      ['licences', 'Licences', 'Of everything that ships.'],
    ],
  },
]
