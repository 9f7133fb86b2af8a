import { readFileSync } from 'node:fs'

interface ShippedPackage {
  name: string
  /** Where it is installed, from the root. */
  path: string
  version: string
  license: string
}

/** Whether it brings the runtime, for one platform. */
export const isRuntime = ({ name }: { name: string }): boolean => /^node-(?:bin-)?(?:linux|darwin)-/.test(name)

const FOLDER = 'node_modules/'

/** What an installation without development tools consists of, from the lockfile; the first is Vitrine itself. */
export function shippedPackages(): ShippedPackage[] {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    name: string
    packages: Record<string, { version: string; license?: string; dev?: true }>
  }
  return Object.entries(lock.packages)
    .filter(([, { dev }]) => !dev)
    .map(([path, { version, license = '' }]) => {
      const name = path === '' ? lock.name : path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
      return { name, path, version, license }
    })
}
