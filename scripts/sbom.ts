import { createHash } from 'node:crypto'
import { isRuntime, type ShippedPackage, shippedPackages } from './shipped-packages.ts'

/** Data that the runtime carries, and versions of its interfaces, are not components. */
const NO_COMPONENTS = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'])

/**
 * What ships, as a CycloneDX 1.6 document: the packages, and the runtime with what is built into it. The same lockfile
 * gives the same bytes: there is no time in it, and its serial number is made of its contents.
 */
export function sbom() {
  const [self, ...packages] = shippedPackages()
  const runtime = runtimeComponent(packages)
  const contents = {
    metadata: { component: { ...component(self), type: 'application' } },
    components: [...packages.map(component), runtime],
    dependencies: [self, ...packages].map((one) => ({
      ref: purlOf(one),
      dependsOn: [...one.dependencies.map(purlOf), ...(isRuntime(one) ? [runtime['bom-ref']] : [])],
    })),
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumberOf(contents),
    version: 1,
    ...contents,
  }
}

const purlOf = ({ name, version }: ShippedPackage) => `pkg:npm/${name.replace('@', '%40')}@${version}`

const component = (one: ShippedPackage) => ({
  type: 'library',
  'bom-ref': purlOf(one),
  name: one.name,
  version: one.version,
  purl: purlOf(one),
  licenses: [{ license: { id: one.license } }],
  ...(one.integrity !== '' && { hashes: [hashOf(one.integrity)] }),
})

function hashOf(integrity: string) {
  const [algorithm = '', digest = ''] = integrity.split('-')
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }
}

/** What the packages of the runtime bring. */
function runtimeComponent(packages: readonly ShippedPackage[]) {
  const version = packages.find(isRuntime)?.version ?? ''
  if (process.versions.node !== version)
    throw new Error(`this is Node.js ${process.versions.node}, but ${version} ships; use 'npm run sbom'`)
  const builtIn = Object.entries(process.versions).filter(([name, has]) => has && !NO_COMPONENTS.has(name))
  return {
    type: 'platform',
    'bom-ref': `nodejs@${version}`,
    name: 'Node.js',
    version,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'MIT' } }],
    components: builtIn.map(([name, has]) => ({
      type: 'library',
      'bom-ref': `nodejs@${version}/${name}@${has}`,
      name,
      version: has,
    })),
  }
}

function serialNumberOf(contents: object): string {
  const digits = createHash('sha256').update(JSON.stringify(contents)).digest('hex')
  // The form of a UUID of version 8 (RFC 9562, section 5.8): digits of our own.
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4]
  return `urn:uuid:${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}
