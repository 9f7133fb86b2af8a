import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { paths } from './paths.ts'

export interface Asset {
  type: string
  bytes: Buffer
  /** Of the bytes. It is in the address, so an asset may be cached for ever: `public, max-age=31536000, immutable`. */
  hash: string
  etag: string
  /** The address that pages link to. */
  path: string
}

/** In cascade order; served as one file. */
const STYLES = [
  'base',
  'menus',
  'frame',
  'panels',
  'buttons',
  'fields',
  'tables',
  'keys',
  'audit',
  'workspace',
  'created',
  'agent',
  'forms',
  'sign-in',
  'narrow',
  'cards',
  'key',
]

const read = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')

/** Read once, at start. */
export const assets = {
  'settings.css': asset(
    'settings.css',
    'text/css; charset=utf-8',
    minify(STYLES.map((name) => read(`css/${name}.css`))),
  ),
  'settings.js': asset('settings.js', 'text/javascript; charset=utf-8', read('settings.js')),
  'icon.svg': asset('icon.svg', 'image/svg+xml', read('icon.svg')),
} satisfies Record<string, Asset>

const byPath = new Map<string, Asset>(Object.values(assets).map((one) => [one.path, one]))

export const assetAt = (path: string): Asset | undefined => byPath.get(path)

function asset(name: string, type: string, text: string): Asset {
  const bytes = Buffer.from(text)
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return { type, bytes, hash, etag: `"${hash}"`, path: paths.asset(hash, name) }
}

/** Comments and indentation are for readers of the sources. */
function minify(styles: readonly string[]): string {
  return styles
    .join('')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/ ?([{:,]) /g, (_, mark) => mark)
    .replaceAll(' {', '{')
    .replaceAll(';}', '}')
}
