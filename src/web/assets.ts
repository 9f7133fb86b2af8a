import { readFileSync } from 'node:fs'
import { ServedFile } from '../lib/served-file.ts'
import { paths } from './paths.ts'

/** The URL contains the content's hash, so the file may be cached forever. */
export class Asset extends ServedFile {
  readonly path: string

  constructor(name: string, type: string, text: string) {
    super(type, text)
    this.path = paths.asset(this.hash, name)
  }
}

/** In cascade order. */
const STYLES =
  'base menus frame panels buttons fields tables keys audit workspace created agent forms sign-in members narrow cards key'.split(
    ' ',
  )

const SITE_STYLES = ['base', 'buttons', 'docs']

const read = (name: string) => readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')

export const assets = {
  'settings.css': stylesheet('settings.css', STYLES),
  'docs.css': stylesheet('docs.css', SITE_STYLES),
  'settings.js': new Asset('settings.js', 'text/javascript; charset=utf-8', read('settings.js')),
  'icon.svg': new Asset('icon.svg', 'image/svg+xml', read('icon.svg')),
} satisfies Record<string, Asset>

const byPath = new Map<string, Asset>(Object.values(assets).map((one) => [one.path, one]))

export const assetAt = (path: string): Asset | undefined => byPath.get(path)

function stylesheet(name: string, styles: readonly string[]): Asset {
  return new Asset(name, 'text/css; charset=utf-8', minify(styles.map((style) => read(`css/${style}.css`))))
}

function minify(styles: readonly string[]): string {
  return styles
    .join('')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/ ?([{:,]) /g, (_, mark) => mark)
    .replaceAll(' {', '{')
    .replaceAll(';}', '}')
}
