import { readFileSync } from 'node:fs'

export interface ShippedPackage {
  name: string
  /** Where it is installed, from the root. */
  path: string
  version: string
  license: string
  /** A Subresource Integrity string: algorithm and base64 digest. */
  integrity: string
  /** The shipped packages that it needs, as installed. */
  dependencies: ShippedPackage[]
}

interface LockedPackage {
  version: string
  license?: string
  integrity?: string
  dev?: true
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Whether it brings the runtime, for one platform. */
export const isRuntime = ({ name }: { name: string }): boolean => /^node-(?:bin-)?(?:linux|darwin)-/.test(name)

const FOLDER = 'node_modules/'

/**
 * What an installation without development tools consists of, from the lockfile; the first is Vitrine itself. (`npm sbom
 * --omit dev` leaves out what a development tool needs too, such as pg.)
 */
export function shippedPackages(): [ShippedPackage, ...ShippedPackage[]] {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  const locked = new Map(Object.entries<LockedPackage>(lock.packages).filter(([, { dev }]) => !dev))
  const found = new Map<string, ShippedPackage>()
  for (const [path, { version, license = '', integrity = '' }] of locked) {
    const name = path === '' ? lock.name : path.slice(path.lastIndexOf(FOLDER) + FOLDER.length)
    found.set(path, { name, path, version, license, integrity, dependencies: [] })
  }
  for (const [path, { dependencies, optionalDependencies }] of locked)
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = found.get(resolved(path, name, found))
      if (needed !== undefined) found.get(path)?.dependencies.push(needed)
    }
  const [self, ...others] = found.values()
  if (self === undefined) throw new Error('the lockfile is empty')
  return [self, ...others]
}

/** As Node.js looks for it: in the package's own folder, then in the folders above. */
function resolved(from: string, name: string, found: ReadonlyMap<string, unknown>): string {
  const path = `${from === '' ? '' : `${from}/`}${FOLDER}${name}`
  if (from === '' || found.has(path)) return path
  return resolved(from.slice(0, Math.max(0, from.lastIndexOf(FOLDER) - 1)), name, found)
}
