/** The guides by group, as the index of the documentation lists them. Each is docs/<name>.md. */
export interface Guide {
  name: string
  title: string
  /** What it answers. */
  about: string
}

export const guideGroups: { title: string; guides: Guide[] }[] = [
  {
    title: 'Use it',
    guides: [
      { name: 'tutorial', title: 'Tutorial', about: 'Ask Claude Code what is due today, about your own tasks.' },
      { name: 'rest', title: 'REST', about: 'Read a workspace from a script: fields, ETags, quota headers.' },
      { name: 'mcp', title: 'MCP', about: 'Connect an agent: clients, tools, untrusted text, errors, tokens.' },
      { name: 'settings', title: 'The settings page', about: 'Sign in; create, watch, rotate and revoke keys.' },
      {
        name: 'troubleshooting',
        title: 'Troubleshooting',
        about: 'By symptom: a 401 although the key is right, an empty list.',
      },
      { name: 'glossary', title: 'Glossary', about: 'The words of the guides, from audit log to workspace.' },
      {
        name: 'lifecycle',
        title: 'How the API changes',
        about: 'How long a path stays, and how its end is announced.',
      },
    ],
  },
  {
    title: 'Fill it',
    guides: [
      { name: 'filling', title: 'Filling a workspace', about: 'From files, URLs and schedules; when a source fails.' },
      { name: 'maps', title: 'Maps', about: 'Bring in Jira, Linear, Asana, Trello, GitHub, or your own export.' },
    ],
  },
  {
    title: 'Run it',
    guides: [
      { name: 'operating', title: 'Running Vitrine', about: 'First commands, settings, cores, workspaces.' },
      { name: 'commands', title: 'The command line', about: 'Output, exit codes, JSON, completion.' },
      {
        name: 'keys',
        title: 'Keys on the command line',
        about: 'Create, pause, rotate, revoke; what needs attention.',
      },
      { name: 'health', title: 'Health', about: 'Readiness, stopping, doctor, the schema.' },
      { name: 'backup', title: 'Backup', about: 'Back up and restore; the SQLite file.' },
      { name: 'logs', title: 'The log', about: 'Every line, field and message, with a JSON Schema.' },
      {
        name: 'check',
        title: 'Checking a deployment',
        about: 'The contract as a test; what proxies break, and the fix.',
      },
      { name: 'deploying', title: 'Deploying', about: 'As a package, a systemd service, an image, or with compose.' },
      {
        name: 'proxies',
        title: 'Behind a proxy',
        about: 'nginx, Caddy and HAProxy: TLS, limits, restarts without a failed request.',
      },
      { name: 'metrics', title: 'Metrics', about: 'Prometheus: every metric, alert rules, a Grafana board.' },
      { name: 'postgresql', title: 'PostgreSQL', about: 'Many replicas over one database: roles, moving, failover.' },
      { name: 'upgrading', title: 'Upgrading', about: 'To a new release, with or without a gap, and back.' },
      { name: 'scaling', title: 'Scaling', about: 'What a request costs, and what a machine can answer.' },
      { name: 'performance', title: 'Performance', about: 'Measured side by side with peers.' },
      { name: 'reliability', title: 'Reliability', about: 'What is guaranteed, and what each fault does.' },
    ],
  },
  {
    title: 'Trust it',
    guides: [
      { name: 'security', title: 'Threat model', about: 'What is protected from whom, and the tests that prove it.' },
      { name: 'audit', title: 'The audit log', about: 'What is recorded, and how to verify it.' },
      { name: 'scan', title: 'Finding leaked keys', about: 'In files and git history; hooks and CI.' },
      { name: 'licences', title: 'Licences', about: 'Of everything that ships.' },
    ],
  },
]
