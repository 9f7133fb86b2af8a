/**
 * What 1.0 removed, with what serves instead: settings, commands such as 'resource sql', and options such as 'check --junit', where
 * `*` stands for any word. The program prints one line for each that it meets. Version 2.0 can delete this file.
 */
export const insteadByName: Readonly<Record<string, string>> = {
  'check --ca': 'set NODE_EXTRA_CA_CERTS to the file',
  'check --junit': 'use --json, or the exit code',
  'check --send-origin': 'it asks like a web page by itself, without the key',
  'audit --actor': 'search on the settings page, or use --json and jq',
  'audit --search': 'search on the settings page, or use --json and jq',
  'audit --since': 'search on the settings page, or use --json and jq',
  'audit --until': 'search on the settings page, or use --json and jq',
  CALLER_RETENTION: 'callers are those in the request log, which keeps 7 days',
  'key list --attention': 'alert on vitrine_keys_attention, docs/monitoring.md',
  completion: 'type --help after a command: it lists its options and values',
  LOG_HEALTH: 'health checks are not in the log',
  WORKERS: 'run replicas, docs/postgresql.md',
  '* sync --format': 'write a script that prints all records as JSON, and run it with --exec, docs/filling.md',
  '* sync --stream': 'write a script that prints all records as JSON, and run it with --exec, docs/filling.md',
  'key forget-callers': 'callers are those in the request log, which keeps 7 days',
  'resource sql': "pipe the rows of a query from psql into 'task sync', docs/filling.md",
  scan: "use 'vitrine key find', and gitleaks or TruffleHog with the rules in docs/keys.md",
}

export const goneLine = (name: string): string | undefined =>
  Object.hasOwn(insteadByName, name) ? `${name}: removed in 1.0; ${insteadByName[name]}` : undefined

/** For a command line that names a command or an option that is gone. `words` are those that belong to no option. */
export function goneFrom(args: readonly string[], words: readonly string[]): string | undefined {
  const name = Object.keys(insteadByName).find((each) => isNamedBy(each.split(' '), args, words))
  return name && goneLine(name)
}

const isNamedBy = (parts: readonly string[], args: readonly string[], words: readonly string[]): boolean =>
  parts.every((part, i) =>
    part.startsWith('--')
      ? args.some((arg) => arg === part || arg.startsWith(`${part}=`))
      : part === words[i] || (part === '*' && words[i] !== undefined),
  )
