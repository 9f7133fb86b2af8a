/**
 * Writes npm-shrinkwrap.json for the package: the versions of package-lock.json without what only development needs, so that
 * whoever installs the package gets the packages that it was tested with. npm removes it again after packing (`postpack`).
 */
import { readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
const { '': self, ...packages } = lock.packages
const { devDependencies: _, ...shipped } = self
const needed = Object.entries<{ dev?: true; devOptional?: true }>(packages).filter(([, { dev }]) => !dev)
const shrinkwrap = { ...lock, packages: { '': shipped, ...Object.fromEntries(needed) } }
writeFileSync(new URL('../npm-shrinkwrap.json', import.meta.url), `${JSON.stringify(shrinkwrap, null, 2)}\n`)
