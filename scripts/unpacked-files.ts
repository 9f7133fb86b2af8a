/**
 * `npm pack` bundles packages whole, and can leave out only files of our own. So before it packs, the files of bundled packages that
 * never run are moved aside; afterwards, or before the next time if it failed, they are moved back.
 */
import { globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRuntime, shippedPackages } from './shipped-packages.ts'

const root = join(import.meta.dirname, '..')
const aside = join(root, 'node_modules/.unpacked')

const NEVER_RUN = '**/*.{ts,mts,cts,map,md}'
const isLicence = (path: string): boolean => /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i.test(path)

function move(from: string, to: string, file: string): void {
  mkdirSync(dirname(join(to, file)), { recursive: true })
  renameSync(join(from, file), join(to, file))
}

for (const file of globSync(NEVER_RUN, { cwd: aside })) move(aside, root, file)
rmSync(aside, { recursive: true, force: true })
if (process.argv[2] === 'leave-out') {
  const bundled = shippedPackages().filter((shipped) => shipped.path !== '' && !isRuntime(shipped))
  for (const { path } of bundled)
    for (const file of globSync(NEVER_RUN, { cwd: join(root, path) }))
      if (!isLicence(file)) move(root, aside, join(path, file))
}
