import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The programs beyond npm's that tests run, each with its Debian package; `.ci/run` installs those that `npm run test:all` needs. */
const packages = {
  nginx: 'nginx-light',
  caddy: 'caddy',
  haproxy: 'haproxy',
  promtool: 'prometheus',
  prometheus: 'prometheus',
  pgbouncer: 'pgbouncer',
  script: 'bsdutils',
  taskset: 'util-linux',
  'systemd-analyze': 'systemd',
  podman: 'podman',
  buildah: 'buildah',
  runc: 'runc',
  debootstrap: 'debootstrap',
  jq: 'jq',
  python3: 'python3',
  go: 'golang-go',
} as const

export type Program = keyof typeof packages

/** Its path, or undefined if it is not installed. Servers are often outside a user's PATH. */
export function installedProgram(name: Program): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/bin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** The options of a test that runs these programs: without one of them it is skipped, with the package's name. */
export function skipWithout(...names: readonly Program[]): { skip?: string } {
  const missing = names.filter((name) => installedProgram(name) === undefined)
  if (missing.length === 0) return {}
  return { skip: `no ${missing.join(', ')}; install ${missing.map((name) => packages[name]).join(' ')}` }
}
