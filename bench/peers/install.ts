import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_TIMEOUT_MS = 300_000
const LOCK = join(import.meta.dirname, 'package-lock.json')
const INSTALLED = join(import.meta.dirname, 'node_modules/.package-lock.json')

/** The peers have a package.json of their own, so that neither the service nor its tests need them. */
export function installPeers(): void {
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs) return
  process.stderr.write('Installing the peers …\n')
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
  })
  if (status !== 0) process.stderr.write('They could not be installed, and will be shown as such.\n')
}
